/* store/page_survey.c: pages through codecs, and their sizes into stores. */
#include "store/page_survey.h"
#include "base/arena.h"
#include "base/text.h"
#include "codec/same_filled.h"
#include "store/dedup.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

const struct pl_store_system pl_store_systems[] = {
    {"windows", "Windows 10 and 11: regions, duplicates kept once", "regions", PL_SAME_ZERO, true, false, false},
    {"zram", "zsmalloc; poorly compressible pages raw", "zsmalloc", PL_SAME_WORD, false, false, true},
    {"zswap", "zsmalloc; incompressible pages go to the disk", "zsmalloc", PL_SAME_WORD, false, true, false},
    {"zbud", "zswap with zbud (before Linux 6.16)", "zbud", PL_SAME_WORD, false, true, false},
    {"z3fold", "zswap with z3fold (before Linux 6.16)", "z3fold", PL_SAME_WORD, false, true, false},
    {"ideal", "no waste, duplicates kept once", "ideal", PL_SAME_WORD, true, false, false},
    {NULL, NULL, NULL, PL_SAME_NONE, false, false, false},
};

enum pl_err pl_store_system_find(const char *name, const struct pl_store_system **out, struct pl_error *err)
{
    const char *names[PL_COUNT_OF(pl_store_systems)] = {NULL};
    size_t count = 0;
    for (; pl_store_systems[count].name; count++) {
        if (!strcmp(pl_store_systems[count].name, name)) {
            *out = &pl_store_systems[count];
            return PL_OK;
        }
        names[count] = pl_store_systems[count].name;
    }
    char hint[96], shown[64];
    return pl_fail(err, PL_ERR_INPUT, "no store is called '%s'%s", pl_printable(shown, sizeof(shown), name, strlen(name)),
                   pl_did_you_mean(hint, sizeof(hint), name, names, count, sizeof(names[0])));
}

enum { BATCH = 64 };

/* Classes of a page; the bits can come together. */
enum { IS_ZERO = 1, IS_SAME = 2, IS_DUPLICATE = 4 };

struct measured {
    struct pl_codec *codec;
    uint16_t *sizes; /* by page; 0: raw, or not measured */
    size_t capacity;
    uint64_t *histogram;
    struct pl_page_survey_codec_result result;
};

struct pl_page_survey {
    uint32_t page_size;
    bool timing;
    size_t codecs;
    struct measured *measured;
    uint8_t *class; /* by page */
    size_t class_capacity;
    struct pl_page_survey_counts counts;
    struct pl_dedup_index seen;
    size_t waiting;                  /* pages in the batch */
    uint8_t *batch, *packed, *back;  /* BATCH pages each */
    uint64_t number[BATCH];          /* of the batch's pages */
    size_t packed_size[BATCH];
};

static enum pl_err start_codec(struct pl_page_survey *survey, const struct pl_page_survey_codec *codec, struct pl_error *err)
{
    struct measured *m = &survey->measured[survey->codecs++]; /* counted at once, so that destroy sees it */
    struct pl_codec_params params = {.page_size = survey->page_size, .level = codec->level, .ratio = codec->ratio};
    m->histogram = calloc((size_t)survey->page_size + 1, sizeof(m->histogram[0]));
    if (!m->histogram)
        return pl_fail_memory(err, survey->page_size * sizeof(m->histogram[0]), "a histogram");
    m->result.histogram = m->histogram;
    return pl_codec_create(codec->ops, &params, &m->codec, err);
}

enum pl_err pl_page_survey_create(uint32_t page_size, const struct pl_page_survey_codec *codecs, size_t count, bool timing,
                             struct pl_page_survey **out, struct pl_error *err)
{
    struct pl_page_survey *survey = calloc(1, sizeof(*survey));
    if (!survey)
        return pl_fail_memory(err, sizeof(*survey), "a survey");
    survey->page_size = page_size;
    survey->timing = timing;
    survey->measured = calloc(count ? count : 1, sizeof(survey->measured[0]));
    survey->batch = malloc((size_t)BATCH * page_size);
    survey->packed = malloc((size_t)BATCH * page_size);
    survey->back = malloc((size_t)BATCH * page_size);
    enum pl_err rc = PL_OK;
    if (!survey->measured || !survey->batch || !survey->packed || !survey->back)
        rc = pl_fail_memory(err, (size_t)3 * BATCH * page_size, "a survey");
    if (rc == PL_OK)
        rc = pl_dedup_init(&survey->seen, true, false, err);
    for (size_t i = 0; i < count && rc == PL_OK; i++)
        rc = start_codec(survey, &codecs[i], err);
    if (rc) {
        pl_page_survey_destroy(survey);
        return rc;
    }
    *out = survey;
    return PL_OK;
}

void pl_page_survey_destroy(struct pl_page_survey *survey)
{
    if (!survey)
        return;
    for (size_t i = 0; i < survey->codecs; i++) {
        pl_codec_destroy(survey->measured[i].codec);
        free(survey->measured[i].sizes);
        free(survey->measured[i].histogram);
    }
    pl_dedup_free(&survey->seen);
    free(survey->measured);
    free(survey->class);
    free(survey->batch);
    free(survey->packed);
    free(survey->back);
    free(survey);
}

/* Processor time of this thread: what other programs do at the same time does not count. */
static double now_s(const struct pl_page_survey *survey)
{
    struct timespec now = {0, 0};
    if (survey->timing)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint8_t *in_batch(const struct pl_page_survey *survey, uint8_t *area, size_t i)
{
    return area + i * survey->page_size;
}

static void note_size(struct pl_page_survey *survey, struct measured *m, size_t i)
{
    size_t size = survey->packed_size[i];
    m->sizes[survey->number[i]] = (uint16_t)size;
    m->result.pages++;
    m->result.raw += size == 0;
    m->result.bytes += size ? size : survey->page_size;
    m->histogram[size ? size : survey->page_size]++;
}

/* The batch through one codec. */
static void compress_batch(struct pl_page_survey *survey, struct measured *m)
{
    double begin = now_s(survey);
    for (size_t i = 0; i < survey->waiting; i++)
        survey->packed_size[i] = pl_codec_compress(m->codec, in_batch(survey, survey->batch, i),
                                                   in_batch(survey, survey->packed, i), survey->page_size - 1);
    m->result.compress_s += now_s(survey) - begin;
    for (size_t i = 0; i < survey->waiting; i++)
        note_size(survey, m, i);
}

/* And back. */
static enum pl_err decompress_batch(struct pl_page_survey *survey, struct measured *m, struct pl_error *err)
{
    bool good[BATCH];
    double begin = now_s(survey);
    for (size_t i = 0; i < survey->waiting; i++)
        good[i] = !survey->packed_size[i] ||
                  pl_codec_decompress(m->codec, in_batch(survey, survey->packed, i), survey->packed_size[i],
                                      in_batch(survey, survey->back, i));
    m->result.decompress_s += now_s(survey) - begin;
    for (size_t i = 0; i < survey->waiting; i++) {
        if (!survey->packed_size[i])
            continue;
        m->result.decompressed++;
        if (!good[i] ||
            memcmp(in_batch(survey, survey->back, i), in_batch(survey, survey->batch, i), survey->page_size) != 0)
            return pl_fail(err, PL_ERR_CHECK, "codec %s does not give page %llu back", m->codec->ops->name,
                           (unsigned long long)survey->number[i]);
    }
    return PL_OK;
}

enum pl_err pl_page_survey_finish(struct pl_page_survey *survey, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    for (size_t i = 0; i < survey->codecs && survey->waiting && rc == PL_OK; i++) {
        compress_batch(survey, &survey->measured[i]);
        if (!survey->measured[i].codec->ops->sizes_only)
            rc = decompress_batch(survey, &survey->measured[i], err);
    }
    survey->waiting = 0;
    return rc;
}

static enum pl_err classify(struct pl_page_survey *survey, const uint8_t *page, uint8_t *class, struct pl_error *err)
{
    uint64_t word;
    *class = 0;
    if (pl_same_filled(page, survey->page_size, &word))
        *class = word ? IS_SAME : IS_ZERO | IS_SAME;
    if (*class & IS_ZERO)
        return PL_OK;
    struct pl_hash128 hash = pl_page_hash(page, survey->page_size);
    if (pl_dedup_find(&survey->seen, hash, NULL, 0) != PL_NO_OBJECT) {
        *class |= IS_DUPLICATE;
        return PL_OK;
    }
    uint32_t object;
    return pl_dedup_add(&survey->seen, hash, NULL, 0, &object, err);
}

/* Room for one more page in all tables. */
static enum pl_err make_room(struct pl_page_survey *survey, struct pl_error *err)
{
    size_t need = (size_t)survey->counts.pages + 1;
    enum pl_err rc = pl_grow((void **)&survey->class, &survey->class_capacity, need, 1, "the survey's pages", err);
    for (size_t i = 0; i < survey->codecs && rc == PL_OK; i++) {
        struct measured *m = &survey->measured[i];
        rc = pl_grow((void **)&m->sizes, &m->capacity, need, sizeof(m->sizes[0]), "the survey's sizes", err);
    }
    return rc;
}

/* Same-filled pages are measured for stores that do not know them, and stay out of the codecs' figures. */
static void measure_same_filled(struct pl_page_survey *survey, const uint8_t *page)
{
    for (size_t i = 0; i < survey->codecs; i++) {
        struct measured *m = &survey->measured[i];
        size_t size = pl_codec_compress(m->codec, page, survey->packed, survey->page_size - 1);
        m->sizes[survey->counts.pages] = (uint16_t)size;
    }
}

enum pl_err pl_page_survey_add(struct pl_page_survey *survey, const uint8_t *page, struct pl_error *err)
{
    uint8_t class = 0;
    enum pl_err rc = make_room(survey, err);
    if (rc == PL_OK)
        rc = classify(survey, page, &class, err);
    if (rc)
        return rc;
    if (class & IS_SAME) {
        measure_same_filled(survey, page);
    } else {
        memcpy(in_batch(survey, survey->batch, survey->waiting), page, survey->page_size);
        survey->number[survey->waiting++] = survey->counts.pages;
    }
    survey->class[survey->counts.pages++] = class;
    survey->counts.zero += (class & IS_ZERO) != 0;
    survey->counts.same_filled += (class & (IS_SAME | IS_ZERO)) == IS_SAME;
    survey->counts.duplicates += (class & IS_DUPLICATE) != 0;
    return survey->waiting == BATCH ? pl_page_survey_finish(survey, err) : PL_OK;
}

struct pl_page_survey_counts pl_page_survey_counts(const struct pl_page_survey *survey)
{
    return survey->counts;
}

struct pl_page_survey_codec_result pl_page_survey_codec_result(const struct pl_page_survey *survey, size_t codec)
{
    return survey->measured[codec].result;
}

uint32_t pl_page_survey_percentile(const struct pl_page_survey *survey, size_t codec, double share)
{
    const struct measured *m = &survey->measured[codec];
    uint64_t below = 0;
    for (uint32_t size = 0; size <= survey->page_size && m->result.pages; size++) {
        below += m->histogram[size];
        if (below && (double)below >= share * (double)m->result.pages)
            return size;
    }
    return 0;
}

/* --- stores -------------------------------------------------------------------------- */

/* One page into the store. */
static enum pl_err store_page(const struct pl_page_survey *survey, const struct measured *m, uint64_t page,
                              const struct pl_store_system *system, struct pl_space *space,
                              struct pl_page_survey_store_result *out, struct pl_error *err)
{
    uint8_t class = survey->class[page];
    if ((system->same_filled == PL_SAME_WORD && class & IS_SAME) ||
        (system->same_filled == PL_SAME_ZERO && class & IS_ZERO)) {
        out->same_filled++;
        return PL_OK;
    }
    uint32_t size = m->sizes[page] ? m->sizes[page] : survey->page_size, slot;
    if (system->raw_above_class && size >= space->raw_from)
        size = survey->page_size;
    bool is_raw = size == survey->page_size;
    if (size > space->largest_object || (is_raw && system->rejects_raw)) {
        out->rejected++;
        return PL_OK;
    }
    if (system->dedup && class & IS_DUPLICATE) {
        out->duplicates++;
        return PL_OK;
    }
    out->raw += is_raw;
    out->object_bytes += size;
    return pl_space_insert(space, size, &slot, err);
}

enum pl_err pl_page_survey_store(const struct pl_page_survey *survey, size_t codec, const struct pl_store_system *system,
                                 const struct pl_space_params *params, uint64_t times,
                                 struct pl_page_survey_store_result *out, struct pl_error *err)
{
    const struct pl_space_ops *ops;
    struct pl_space *space;
    struct pl_page_survey_store_result result = {0};
    enum pl_err rc = pl_space_find(system->space, &ops, err);
    if (rc == PL_OK)
        rc = pl_space_create(ops, params, &space, err);
    if (rc)
        return rc;
    uint64_t pages = survey->counts.pages * times;
    for (uint64_t i = 0; i < pages && rc == PL_OK; i++)
        rc = store_page(survey, &survey->measured[codec], i % survey->counts.pages, system, space, &result, err);
    if (rc == PL_OK) {
        result.pages = pages - result.rejected;
        result.space = pl_space_usage(space);
        result.record_bytes = result.pages * ops->record_bytes;
        *out = result;
    }
    pl_space_destroy(space);
    return rc;
}
