/* curve/sample.h: estimated LRU curves from a sample of the pages, in constant memory, with an error for every size.
 *
 * SHARDS (Waldspurger et al. 2015): a page is in the sample when its hash lies below a threshold, so all touches of it or
 * none are. Among sampled pages a stack distance is about `rate` times the true one, and each stands for 1 / rate pages.
 * With a fixed rate memory grows with the sampled pages; with a fixed number of pages the threshold sinks as needed.
 *
 * An estimate is a sum over sampled pages, and what it misses is due to which pages are in the sample: one hot page more
 * or less matters. So memories of few sampled pages are estimated from short windows of time instead, in which every page
 * counts (sample_windows.c), and the sampled pages tell only how the curve goes on from there. They are dealt out into
 * groups, each with its own counts: how much the groups differ tells how far the sum may be off (sample_estimate.c). */
#ifndef PL_CURVE_SAMPLE_H
#define PL_CURVE_SAMPLE_H

#include "curve/curve.h"

struct pl_sample_params {
    enum pl_rule rule;
    double rate;        /* of pages, in (0, 1] */
    uint32_t pages_max; /* 0: fixed rate. Otherwise at most so many pages; `rate` is where it begins */
    uint64_t seed;      /* which pages */
    bool dense;         /* pages are numbered in the order of their first use, so the largest tells how many there are */
    bool portable;
};

struct pl_sample;

/* Fails with PL_ERR_USAGE for rates that are none. */
enum pl_err pl_sample_create(const struct pl_sample_params *params, struct pl_sample **out, struct pl_error *err);
enum pl_err pl_sample_feed(struct pl_sample *sample, const pl_page *pages, const uint8_t *kinds, size_t count,
                           struct pl_error *err);
/* After the last touch; then estimates can be asked for. */
enum pl_err pl_sample_end(struct pl_sample *sample, struct pl_error *err);
void pl_sample_free(struct pl_sample *sample); /* NULL is allowed */

struct pl_sample_facts {
    uint64_t touches, write_touches; /* of the whole trace */
    uint64_t sampled_touches, sampled_pages;
    double rate;  /* at the end */
    double cold;  /* first touches, estimated */
    size_t bytes; /* of all tables */
};
struct pl_sample_facts pl_sample_facts(const struct pl_sample *sample);

/* Counts for a memory of `pages`, as in curve.h, and how far off they may be: 19 of 20 true numbers are meant to lie within,
 * and nine of ten are held to by tests. */
struct pl_estimate {
    double reads, reads_error;
    double writes, writes_error;
};
struct pl_estimate pl_sample_at(const struct pl_sample *sample, uint64_t pages);

#endif
