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
/* Of one group after that: counts at distances above `pages`. A bin that `pages` lies in gives its part. */
double sample_behind(const double *bin, uint64_t pages);

/* --- windows of time ------------------------------------------------------------------------------------------------------
 * Sampled pages say little of memories of few pages: of distances below 1 / rate nearly nothing, and one hot page more or
 * less in the sample is felt up to some dozen / rate. There, short stretches of the whole trace are the better sample: a
 * window sees every page, and knows of a touch whether its distance exceeds m as soon as m pages have been seen. */
struct windows;

enum pl_err sample_windows_create(uint64_t seed, bool portable, struct windows **out, struct pl_error *err);
void sample_windows_free(struct windows *windows);
enum pl_err sample_windows_feed(struct windows *windows, const pl_page *pages, const uint8_t *kinds, size_t count,
                                struct pl_error *err);
void sample_windows_end(struct windows *windows);
/* Share of touches with a distance above `pages` (first touches among them), or of writes whose page is evicted before it is
 * written again, and its standard deviation; false when too few windows know. */
bool sample_windows_share(const struct windows *windows, bool writes, uint64_t pages, double *share, double *deviation);
size_t sample_windows_bytes(const struct windows *windows);

#endif
