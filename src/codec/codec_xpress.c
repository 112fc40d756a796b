/* codec/codec_xpress.c: XPRESS plain LZ77 as a page codec, what Windows 10 and 11 (before 24H2) keep their
 * compressed store in.
 *
 * Windows compresses each page alone with this format. Its own search for matches is not public; ours finds at
 * least as much on consecutive ints (0.814 of a page, as published), and may differ by a few per cent elsewhere. */
#include "codec/codec_list.h"
#include "codec/xpress.h"

enum { DEPTH = PL_XPRESS_DEPTH_MAX };

static size_t work_bytes(const struct pl_codec_params *params)
{
    return sizeof(struct pl_xpress_work);
}

static size_t compress(struct pl_codec *codec, const uint8_t *page, uint8_t *out, size_t room)
{
    unsigned depth = codec->params.level ? (unsigned)codec->params.level : DEPTH;
    return pl_xpress_compress(codec->work, depth, page, codec->params.page_size, out, room);
}

static bool decompress(struct pl_codec *codec, const uint8_t *in, size_t size, uint8_t *page)
{
    return pl_xpress_decompress(in, size, page, codec->params.page_size);
}

const struct pl_codec_ops pl_codec_xpress = {
    .name = "xpress",
    .about = "plain LZ77 of [MS-XCA]: the Windows 10 store (level: search depth, 1 to 4; 4)",
    .level_min = 1,
    .level_max = PL_XPRESS_DEPTH_MAX,
    .work_bytes = work_bytes,
    .compress = compress,
    .decompress = decompress,
};
