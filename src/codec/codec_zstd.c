/* codec/codec_zstd.c: Zstandard by its library: denser and slower. Level 3, as in the kernel, with neither the
 * content size nor a checksum in the frame, since a store knows what a page is. */
#include "codec/codec_list.h"

#include <zstd.h>

enum { LEVEL = 3 };

struct work {
    ZSTD_CCtx *compressor;
    ZSTD_DCtx *decompressor;
};

static size_t work_bytes(const struct pl_codec_params *params)
{
    return sizeof(struct work);
}

static void stop(struct pl_codec *codec)
{
    struct work *work = codec->work;
    ZSTD_freeCCtx(work->compressor); /* NULL is allowed */
    ZSTD_freeDCtx(work->decompressor);
}

static enum pl_err start(struct pl_codec *codec, struct pl_error *err)
{
    struct work *work = codec->work;
    int level = codec->params.level ? codec->params.level : LEVEL;
    work->compressor = ZSTD_createCCtx();
    work->decompressor = ZSTD_createDCtx();
    if (!work->compressor || !work->decompressor) {
        stop(codec);
        return pl_fail_memory(err, codec->params.page_size, "a Zstandard context");
    }
    ZSTD_CCtx_setParameter(work->compressor, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(work->compressor, ZSTD_c_contentSizeFlag, 0);
    return PL_OK;
}

static size_t compress(struct pl_codec *codec, const uint8_t *page, uint8_t *out, size_t room)
{
    struct work *work = codec->work;
    size_t size = ZSTD_compress2(work->compressor, out, room, page, codec->params.page_size);
    return ZSTD_isError(size) ? 0 : size;
}

static bool decompress(struct pl_codec *codec, const uint8_t *in, size_t size, uint8_t *page)
{
    struct work *work = codec->work;
    size_t page_size = codec->params.page_size;
    return ZSTD_decompressDCtx(work->decompressor, page, page_size, in, size) == page_size;
}

const struct pl_codec_ops pl_codec_zstd = {
    .name = "zstd",
    .about = "Zstandard (level: its own, 3)",
    .level_min = -131072,
    .level_max = 22,
    .work_bytes = work_bytes,
    .start = start,
    .stop = stop,
    .compress = compress,
    .decompress = decompress,
};
