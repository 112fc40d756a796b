/* sim/latency.h: how long things took: a histogram that keeps percentiles.
 *
 * Times go into buckets, 32 to each power of two, so that a percentile is exact up to 64 ps and within 1/32 above; count,
 * sum, least and most are exact. 15 KiB, no allocation, O(1) a time. */
#ifndef PL_SIM_LATENCY_H
#define PL_SIM_LATENCY_H

#include "base/types.h"

enum {
    PL_LATENCY_BITS = 5, /* buckets to a power of two: 2^5 */
    PL_LATENCY_BUCKETS = (64 - PL_LATENCY_BITS) << PL_LATENCY_BITS,
};

struct pl_latency {
    uint64_t count;
    pl_time_ps sum_ps, least_ps, most_ps;
    uint64_t bucket[PL_LATENCY_BUCKETS];
};

/* A zeroed one is empty. Times are not negative. */
void pl_latency_add(struct pl_latency *latency, pl_time_ps time_ps);
void pl_latency_merge(struct pl_latency *into, const struct pl_latency *from);
/* The time that `share` (0 to 1) of them did not exceed: the upper end of its bucket, at most the longest; 0 when empty. */
pl_time_ps pl_latency_quantile(const struct pl_latency *latency, double share);
/* The mean; 0 when empty. */
double pl_latency_mean_ps(const struct pl_latency *latency);

#endif
