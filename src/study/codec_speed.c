/* study/codec_speed.c: see codec_speed.h. */
#include "study/codec_speed.h"

#include "codec/page_content.h"

#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    PAGES = 1024, /* of each content: more than a second-level cache holds */
    ROUNDS = 9,
    CONTENTS = 5,
};

/* Random bytes, then pages of text to this share, zeros behind it. */
static const double text_share[CONTENTS] = {0, 0.25, 0.5, 0.75, 1};
enum { RANDOM = 0 };

struct content {
    uint8_t *page;   /* PAGES of them */
    uint8_t *packed; /* as many */
    size_t size[PAGES]; /* packed; 0: raw */
    double sequences;   /* of a page, on average */
    double compress_s[ROUNDS], decompress_s[ROUNDS];
};

static double now_s(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void fill(struct content *content, size_t which, uint32_t page_size)
{
    const struct pl_content made = {which == RANDOM ? PL_CONTENT_HASH : PL_CONTENT_TEXT, which};
    const uint32_t filled = which == RANDOM ? page_size : (uint32_t)(text_share[which] * page_size);
    for (uint64_t i = 0; i < PAGES; i++) {
        uint8_t *page = content->page + i * page_size;
        pl_content_page(&made, i, page, page_size);
        memset(page + filled, 0, page_size - filled);
    }
}

static void compress_all(struct pl_codec *codec, struct content *content, size_t round)
{
    const uint32_t page_size = codec->params.page_size;
    double begin = now_s();
    for (size_t i = 0; i < PAGES; i++)
        content->size[i] =
            pl_codec_compress(codec, content->page + i * page_size, content->packed + i * page_size, page_size - 1);
    content->compress_s[round] = now_s() - begin;
}

static bool decompress_all(struct pl_codec *codec, struct content *content, uint8_t *to, size_t round)
{
    const uint32_t page_size = codec->params.page_size;
    bool good = true;
    double begin = now_s();
    for (size_t i = 0; i < PAGES; i++) {
        if (content->size[i])
            good &= pl_codec_decompress(codec, content->packed + i * page_size, content->size[i], to);
        else
            memcpy(to, content->page + i * page_size, page_size);
    }
    content->decompress_s[round] = now_s() - begin;
    return good;
}

static void count_sequences(const struct pl_codec *codec, struct content *content)
{
    uint64_t sum = 0;
    for (size_t i = 0; codec->ops->sequences && i < PAGES; i++)
        sum += codec->ops->sequences(content->packed + i * codec->params.page_size, content->size[i]);
    content->sequences = (double)sum / PAGES;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Picoseconds a page. */
static double median(const double *seconds)
{
    double sorted[ROUNDS];
    memcpy(sorted, seconds, sizeof sorted);
    qsort(sorted, ROUNDS, sizeof *sorted, by_value);
    return sorted[ROUNDS / 2] / PAGES * (double)PL_PS_PER_S;
}

/* A line through what pages of text took, by their sequences; one value for all where the codec does not tell those. */
static void fit_line(const struct content *content, bool compress, double *plain, double *slope)
{
    double x[CONTENTS], y[CONTENTS], unused;
    size_t count = 0;
    for (size_t i = RANDOM + 1; i < CONTENTS; i++, count++) {
        x[count] = content[i].sequences;
        y[count] = median(compress ? content[i].compress_s : content[i].decompress_s);
    }
    *plain = y[count - 1];
    *slope = 0;
    if (x[count - 1] > x[0])
        gsl_fit_linear(x, 1, y, 1, count, plain, slope, &unused, &unused, &unused, &unused);
    *plain = fmax(*plain, 0);
    *slope = fmax(*slope, 0);
}

static bool make_contents(struct content *content, uint32_t page_size)
{
    for (size_t i = 0; i < CONTENTS; i++) {
        content[i].page = malloc((size_t)PAGES * page_size);
        content[i].packed = malloc((size_t)PAGES * page_size);
        if (!content[i].page || !content[i].packed)
            return false;
        fill(&content[i], i, page_size);
        memset(content[i].packed, 1, (size_t)PAGES * page_size); /* no fault of its own is timed */
    }
    return true;
}

static void free_contents(struct content *content)
{
    for (size_t i = 0; content && i < CONTENTS; i++) {
        free(content[i].page);
        free(content[i].packed);
    }
    free(content);
}

enum pl_err pl_codec_speed_measure(const struct pl_codec_ops *ops, const struct pl_codec_params *params,
                                   struct pl_codec_speed *out, struct pl_error *err)
{
    struct pl_codec *codec = NULL;
    struct content *content = calloc(CONTENTS, sizeof *content);
    uint8_t *to = malloc(params->page_size);
    enum pl_err rc = PL_OK;
    if (ops->sizes_only)
        rc = pl_fail(err, PL_ERR_INPUT, "codec %s compresses nothing: there is no speed of it to measure", ops->name);
    else if (!content || !to || !make_contents(content, params->page_size))
        rc = pl_fail_memory(err, (uint64_t)CONTENTS * 2 * PAGES * params->page_size, "pages to compress");
    else
        rc = pl_codec_create(ops, params, &codec, err);
    for (size_t round = 0; round < ROUNDS && rc == PL_OK; round++)
        for (size_t i = 0; i < CONTENTS && rc == PL_OK; i++) {
            compress_all(codec, &content[i], round);
            if (!decompress_all(codec, &content[i], to, round))
                rc = pl_fail(err, PL_ERR_CHECK, "codec %s does not give a page back", ops->name);
        }
    if (rc == PL_OK) {
        for (size_t i = 0; i < CONTENTS; i++)
            count_sequences(codec, &content[i]);
        *out = (struct pl_codec_speed){.compress_raw = median(content[RANDOM].compress_s),
                                       .decompress_raw = median(content[RANDOM].decompress_s),
                                       .sequences = content[CONTENTS - 1].sequences};
        fit_line(content, true, &out->compress, &out->compress_sequence);
        fit_line(content, false, &out->decompress, &out->decompress_sequence);
    }
    pl_codec_destroy(codec);
    free_contents(content);
    free(to);
    return rc;
}
