/* codec/codec_constant.c: every page shrinks by the same ratio r, as the 1996 model assumes.
 *
 * Tells sizes only. What this does not model: that pages differ, and that some do not shrink at all. */
#include "codec/codec_list.h"

#include <math.h>

static enum pl_err start(struct pl_codec *codec, struct pl_error *err)
{
    double ratio = codec->params.ratio;
    if (!(ratio >= 1 && ratio <= codec->params.page_size))
        return pl_fail(err, PL_ERR_USAGE, "codec constant needs a ratio between 1 and the page size, not %g", ratio);
    return PL_OK;
}

/* Rounded to the nearest byte; r = 1 is a page that does not shrink. */
static size_t compress(struct pl_codec *codec, const uint8_t *page, uint8_t *out, size_t room)
{
    size_t size = (size_t)floor(codec->params.page_size / codec->params.ratio + 0.5);
    return size <= room ? size : 0;
}

const struct pl_codec_ops pl_codec_constant = {
    .name = "constant",
    .about = "every page by the same ratio (sizes only)",
    .sizes_only = true,
    .start = start,
    .compress = compress,
};
