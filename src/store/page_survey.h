/* store/page_survey.h: what pages become: under each codec, and in each system's store.
 *
 * Pages are added one by one; each goes through every codec and back, and must come back as it was. What stays of a
 * page is a few bytes (its sizes and its class), so a survey takes about 2 bytes per page and codec, and 44 per
 * distinct page for finding duplicates (by the 128-bit hash of the content, which is taken as the content).
 *
 * Zero pages and other same-filled pages are counted apart and left out of the codecs' figures, as stores keep them
 * without compressing them. */
#ifndef PL_STORE_PAGE_SURVEY_H
#define PL_STORE_PAGE_SURVEY_H

#include "codec/codec.h"
#include "store/store.h"

/* How a system combines codec, space and shortcuts. */
struct pl_store_system {
    const char *name, *about;
    const char *space; /* organisation */
    enum pl_same same_filled;
    bool dedup;
    bool rejects_raw;    /* incompressible pages are not stored, but go to the disk */
    bool raw_above_class; /* zram: pages beyond the largest sharing class are kept raw */
};
/* windows, zram, zswap, zbud, z3fold, ideal; ends with a row whose name is NULL. */
extern const struct pl_store_system pl_store_systems[];
enum pl_err pl_store_system_find(const char *name, const struct pl_store_system **out, struct pl_error *err);

/* One codec of a survey. */
struct pl_page_survey_codec {
    const struct pl_codec_ops *ops;
    int level;
    double ratio;      /* constant */
    const char *label; /* "zstd:9"; must outlive the survey */
};

/* What it found. */
struct pl_page_survey_codec_result {
    uint64_t pages;       /* measured: all but zero and same-filled ones */
    uint64_t bytes;       /* of them, compressed; raw pages whole */
    uint64_t raw;         /* pages that did not shrink */
    const uint64_t *histogram; /* pages by compressed size, 0 to page_size */
    double compress_s, decompress_s; /* processor time over all of them; raw pages are not decompressed */
    uint64_t decompressed;           /* pages */
};

struct pl_page_survey_counts {
    uint64_t pages;
    uint64_t zero;
    uint64_t same_filled; /* others than zero pages */
    uint64_t duplicates;  /* equal to an earlier page; zero pages are not counted here */
};

struct pl_page_survey_store_result {
    uint64_t pages;       /* stored */
    uint64_t same_filled, duplicates, raw; /* of them */
    uint64_t rejected;
    uint64_t object_bytes; /* compressed bytes of what has an object */
    struct pl_space_usage space;
    uint64_t record_bytes;
};

struct pl_page_survey;

enum pl_err pl_page_survey_create(uint32_t page_size, const struct pl_page_survey_codec *codecs, size_t count, bool timing,
                             struct pl_page_survey **out, struct pl_error *err);
void pl_page_survey_destroy(struct pl_page_survey *survey); /* NULL is allowed */

/* Pages are measured in batches, so that the clock is not. Fails with PL_ERR_CHECK when a codec does not give a
 * page back; the message names the codec and the page's number. */
enum pl_err pl_page_survey_add(struct pl_page_survey *survey, const uint8_t *page, struct pl_error *err);
/* Measures what is left. Before it, results are not complete. */
enum pl_err pl_page_survey_finish(struct pl_page_survey *survey, struct pl_error *err);

struct pl_page_survey_counts pl_page_survey_counts(const struct pl_page_survey *survey);
struct pl_page_survey_codec_result pl_page_survey_codec_result(const struct pl_page_survey *survey, size_t codec);
/* The smallest size that at least `share` (0 to 1) of the codec's pages do not exceed; 0 when there are none. */
uint32_t pl_page_survey_percentile(const struct pl_page_survey *survey, size_t codec, double share);

/* Puts all pages, in order, into a system's store, sized by one of the codecs; `times` over, which makes of a
 * sample an estimate for the whole (a store of few objects has much in units that are not full). */
enum pl_err pl_page_survey_store(const struct pl_page_survey *survey, size_t codec, const struct pl_store_system *system,
                                 const struct pl_space_params *params, uint64_t times,
                                 struct pl_page_survey_store_result *out, struct pl_error *err);

#endif
