/* codec/codec_lzo.c: LZO1X-1 by its library, long zram's and zswap's default. Not the kernel's lzo-rle, which
 * differs on runs of zeros. */
#include "codec/codec_list.h"

#include <lzo/lzo1x.h>
#include <string.h>

/* The library writes without looking at the room, so it writes here first. */
struct work {
    uint8_t tables[LZO1X_1_MEM_COMPRESS];
    uint8_t out[PL_CODEC_PAGE_MAX + PL_CODEC_PAGE_MAX / 16 + 64 + 3];
};

static size_t work_bytes(const struct pl_codec_params *params)
{
    return sizeof(struct work);
}

static enum pl_err start(struct pl_codec *codec, struct pl_error *err)
{
    if (lzo_init() != LZO_E_OK)
        return pl_fail(err, PL_ERR_RESOURCE, "the LZO library found itself built for another machine");
    return PL_OK;
}

static size_t compress(struct pl_codec *codec, const uint8_t *page, uint8_t *out, size_t room)
{
    struct work *work = codec->work;
    lzo_uint size = 0;
    if (lzo1x_1_compress(page, codec->params.page_size, work->out, &size, work->tables) != LZO_E_OK || size > room)
        return 0;
    memcpy(out, work->out, size);
    return size;
}

static bool decompress(struct pl_codec *codec, const uint8_t *in, size_t size, uint8_t *page)
{
    lzo_uint out = codec->params.page_size;
    return lzo1x_decompress_safe(in, size, page, &out, NULL) == LZO_E_OK && out == codec->params.page_size;
}

const struct pl_codec_ops pl_codec_lzo = {
    .name = "lzo",
    .about = "LZO1X-1",
    .work_bytes = work_bytes,
    .start = start,
    .compress = compress,
    .decompress = decompress,
};
