/* curve/sample_private.h: what the two halves of a sampled curve share: counts by distance, in groups. Private to curve. */
#ifndef PL_CURVE_SAMPLE_PRIVATE_H
#define PL_CURVE_SAMPLE_PRIVATE_H

#include "curve/curve_private.h"
#include "curve/sample.h"
#include "curve/sample_map.h"

enum {
    GROUPS = 32,
    EXACT_BINS = 256, /* bin b holds distance b + 1 */
    BINS_PER_DOUBLING = 64,
    BINS = EXACT_BINS + 25 * BINS_PER_DOUBLING, /* up to 2^33 pages */
};

/* Counts by distance: one bin for each up to 256 pages, 64 for each doubling above. */
struct counts {
    double bin[GROUPS][BINS];
};

/* The bin of a distance: distances of at most b + 1 pages lie in bins 0 .. b. */
unsigned sample_bin(double distance);
/* Counts by distance become counts at and behind each distance. */
void sample_sum_up(struct counts *counts);
/* Where a memory of `pages` lies among the bins: at `bin`, or a part of the way to the next. */
struct sample_place {
    unsigned bin;
    double part;
};
struct sample_place sample_place(uint64_t pages);
/* Of one group after summing up: counts at distances above that. A bin that it lies in gives its part. */
double sample_behind(const double *bin, const struct sample_place *place);
/* How many standard deviations, known with so many degrees of freedom (two and more), 19 of 20 cases lie within: of
 * Student's distribution. */
double sample_quantile(double freedom);

/* --- windows of time ------------------------------------------------------------------------------------------------------
 * Sampled pages say little of memories of few pages: of distances below 1 / rate nearly nothing, and one hot page more or
 * less in the sample is felt up to some dozen / rate. There, short stretches of the whole trace are the better sample: a
 * window sees every page, and knows of a touch whether its distance exceeds m as soon as m pages have been seen. */
struct windows;

enum pl_err sample_windows_create(const struct pl_sample_params *params, struct windows **out, struct pl_error *err);
void sample_windows_free(struct windows *windows);
/* `first`, by touch: the first one of its page in the trace, as far as known; NULL: none is. */
enum pl_err sample_windows_feed(struct windows *windows, const pl_page *pages, const uint8_t *kinds,
                                const uint32_t *first, size_t firsts, size_t count, struct pl_error *err);
void sample_windows_end(struct windows *windows);
struct sample_share {
    double share;
    double deviation, freedom; /* by chance, known with so many degrees of freedom */
    double doubt;              /* what is guessed beyond what windows know */
};
/* Share of touches with a distance above `pages` (first touches among them), or of writes whose page is evicted before it is
 * written again; of `of` there are in the trace. False when too few windows know. */
bool sample_windows_share(const struct windows *windows, bool writes, uint64_t pages, double of, struct sample_share *out);
size_t sample_windows_bytes(const struct windows *windows);

/* --- a run --------------------------------------------------------------------------------------------------------------- */

#define SAMPLE_CLEAN INFINITY /* a reach: not dirty */

/* What is kept of a sampled page, by its small number. */
struct sampled_page {
    pl_page page;
    float reach;     /* largest scaled distance since it was last written */
    uint32_t latest; /* the sampled touch, modulo 2^32 */
};

/* What is known of the whole trace, and how much of it each group stands for. */
enum { KNOWN_TOUCHES, KNOWN_WRITES, KNOWN_PAGES, KNOWNS };

/* Numbers that are known of the whole trace and of each group: sample_estimate.c. */
struct controls {
    double value[KNOWNS][GROUPS];
    double lack[KNOWNS];           /* true total less the groups' sum */
    double deviation[KNOWNS];      /* of the true total, where it is known only nearly */
    double factor[KNOWNS][KNOWNS]; /* Cholesky factor of the groups' covariances; a zero diagonal leaves one out */
    uint64_t reads_from, writes_from; /* windows of time tell up to memories of so many pages */
};

struct pl_sample {
    struct pl_sample_params params;
    const struct stack_kernel *kernel;
    struct stack stack; /* over small page numbers, distances only */
    struct sample_map map;
    struct sampled_page *pages;
    uint32_t *heap; /* with pages_max: small numbers, the largest hash on top */
    size_t page_capacity, last_bytes, heap_capacity;
    uint32_t seed, threshold;
    uint64_t touches, write_touches, sampled_touches;
    double weight; /* 1 / rate */
    struct counts reads, writes;
    struct counts stays; /* by distance, sampled touches for which pages stayed away */
    double known[KNOWNS][GROUPS];
    uint64_t page_limit;
    uint64_t firsts, first_reads; /* first touches, and those that do not write, as far as page numbers tell */
    double sampled_first_reads;
    struct windows *windows;
    /* after the end */
    struct controls controls;
    float composition[BINS]; /* relative variance of the number of sampled pages in a memory, over all the time */
    /* touches that were picked and not yet measured */
    uint32_t waiting;
    pl_page number[BATCH];
    uint8_t kind[BATCH];
    double pages_each[BATCH]; /* of the trace, for each sampled one */
};

/* Whether page numbers have been in the order of first use so far. */
static inline bool sample_in_order(const struct pl_sample *sample)
{
    return sample->params.dense && sample->firsts == sample->page_limit;
}

/* After the last touch, when counts are summed up and windows ended. */
void sample_prepare(struct pl_sample *sample);

#endif
