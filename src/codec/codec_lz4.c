/* codec/codec_lz4.c: LZ4 by its library: a zram default of many distributions, and the Windows 11 store from 24H2
 * on. */
#include "codec/codec_list.h"

#include <lz4.h>

static size_t work_bytes(const struct pl_codec_params *params)
{
    return (size_t)LZ4_sizeofState();
}

/* The library gives up by itself where the room ends. */
static size_t compress(struct pl_codec *codec, const uint8_t *page, uint8_t *out, size_t room)
{
    int acceleration = codec->params.level ? codec->params.level : 1;
    return (size_t)LZ4_compress_fast_extState(codec->work, (const char *)page, (char *)out,
                                              (int)codec->params.page_size, (int)room, acceleration);
}

static bool decompress(struct pl_codec *codec, const uint8_t *in, size_t size, uint8_t *page)
{
    int page_size = (int)codec->params.page_size;
    return LZ4_decompress_safe((const char *)in, (char *)page, (int)size, page_size) == page_size;
}

/* A length of 15 goes on in the bytes that follow, until one is not 255. Returns where it ends. */
static size_t long_length(const uint8_t *in, size_t size, size_t at, size_t *length)
{
    uint8_t more = 255;
    while (*length >= 15 && more == 255 && at < size) {
        more = in[at++];
        *length += more;
    }
    return at;
}

/* A sequence: a token with two lengths, literals, the distance of a match; the last one has literals alone. */
static uint32_t sequences(const uint8_t *in, size_t size)
{
    uint32_t count = 0;
    for (size_t at = 0; at < size; count++) {
        const uint8_t token = in[at++];
        size_t literals = token >> 4, match = token & 15u;
        at = long_length(in, size, at, &literals) + literals;
        if (at < size)
            at = long_length(in, size, at + 2, &match);
    }
    return count;
}

const struct pl_codec_ops pl_codec_lz4 = {
    .name = "lz4",
    .about = "LZ4, fast (level: acceleration, 1)",
    .level_min = 1,
    .level_max = 65537,
    .work_bytes = work_bytes,
    .compress = compress,
    .decompress = decompress,
    .sequences = sequences,
};
