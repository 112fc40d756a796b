/* codec/codec_raw.c: no compression. Every page is incompressible, so that a store keeps it as it is. */
#include "codec/codec_list.h"

#include <string.h>

static size_t compress(struct pl_codec *codec, const uint8_t *page, uint8_t *out, size_t room)
{
    if (room < codec->params.page_size)
        return 0;
    memcpy(out, page, codec->params.page_size);
    return codec->params.page_size;
}

static bool decompress(struct pl_codec *codec, const uint8_t *in, size_t size, uint8_t *page)
{
    if (size != codec->params.page_size)
        return false;
    memcpy(page, in, size);
    return true;
}

const struct pl_codec_ops pl_codec_raw = {
    .name = "raw",
    .about = "no compression",
    .compress = compress,
    .decompress = decompress,
};
