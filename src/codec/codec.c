/* codec/codec.c: the registry of page codecs, and what is the same for all of them. */
#include "base/text.h"
#include "codec/codec_list.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const struct pl_codec_ops *const pl_codecs[] = {
    &pl_codec_xpress,      &pl_codec_lz4,      &pl_codec_lzo, &pl_codec_zstd, &pl_codec_wkdm,
    &pl_codec_same_filled, &pl_codec_constant, &pl_codec_raw, NULL,
};

enum pl_err pl_codec_find(const char *name, const struct pl_codec_ops **out, struct pl_error *err)
{
    const char *names[PL_COUNT_OF(pl_codecs)] = {NULL};
    size_t count = 0;
    for (; pl_codecs[count]; count++) {
        if (!strcmp(pl_codecs[count]->name, name)) {
            *out = pl_codecs[count];
            return PL_OK;
        }
        names[count] = pl_codecs[count]->name;
    }
    char hint[96], shown[64];
    return pl_fail(err, PL_ERR_INPUT, "no codec is called '%s'%s",
                   pl_printable(shown, sizeof(shown), name, strlen(name)),
                   pl_did_you_mean(hint, sizeof(hint), name, names, count, sizeof(names[0])));
}

static enum pl_err check_params(const struct pl_codec_ops *ops, const struct pl_codec_params *params,
                                struct pl_error *err)
{
    uint32_t size = params->page_size;
    if (size < PL_CODEC_PAGE_MIN || size > PL_CODEC_PAGE_MAX || (size & (size - 1)))
        return pl_fail(err, PL_ERR_USAGE, "a page of %u bytes: the codecs take powers of two from %d to %d", size,
                       PL_CODEC_PAGE_MIN, PL_CODEC_PAGE_MAX);
    if (params->level && ops->level_min == ops->level_max)
        return pl_fail(err, PL_ERR_USAGE, "codec %s takes no level", ops->name);
    if (params->level && (params->level < ops->level_min || params->level > ops->level_max))
        return pl_fail(err, PL_ERR_USAGE, "codec %s takes levels from %d to %d, not %d", ops->name, ops->level_min,
                       ops->level_max, params->level);
    return PL_OK;
}

enum pl_err pl_codec_create(const struct pl_codec_ops *ops, const struct pl_codec_params *params, struct pl_codec **out,
                            struct pl_error *err)
{
    enum pl_err rc = check_params(ops, params, err);
    if (rc)
        return rc;
    size_t work = ops->work_bytes ? ops->work_bytes(params) : 0;
    struct pl_codec *codec = calloc(1, sizeof(*codec));
    if (!codec)
        return pl_fail_memory(err, sizeof(*codec), "a codec");
    *codec = (struct pl_codec){.ops = ops, .params = *params, .work = work ? calloc(1, work) : NULL};
    if (work && !codec->work) {
        rc = pl_fail_memory(err, work, "a codec's tables");
        goto failed;
    }
    if (ops->start && (rc = ops->start(codec, err)))
        goto failed;
    *out = codec;
    return PL_OK;
failed:
    free(codec->work);
    free(codec);
    return rc;
}

void pl_codec_destroy(struct pl_codec *codec)
{
    if (!codec)
        return;
    if (codec->ops->stop)
        codec->ops->stop(codec);
    free(codec->work);
    free(codec);
}

size_t pl_codec_compress(struct pl_codec *codec, const uint8_t *page, uint8_t *out, size_t room)
{
    size_t size = codec->ops->compress(codec, page, out, room);
    assert(size <= room);
    return size;
}

bool pl_codec_decompress(struct pl_codec *codec, const uint8_t *in, size_t size, uint8_t *page)
{
    return codec->ops->decompress && codec->ops->decompress(codec, in, size, page);
}

size_t pl_codec_memory(const struct pl_codec *codec)
{
    return codec->ops->work_bytes ? codec->ops->work_bytes(&codec->params) : 0;
}
