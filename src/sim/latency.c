/* sim/latency.c: buckets that grow with the time.
 *
 *   below 2^6 ps     one bucket for each picosecond
 *   2^k and above    the five bits behind the leading one choose the bucket */
#include "sim/latency.h"

#include <assert.h>

static size_t bucket_of(uint64_t time)
{
    if (time < (1u << PL_LATENCY_BITS))
        return time;
    unsigned shift = 63u - (unsigned)__builtin_clzll(time) - PL_LATENCY_BITS;
    return ((size_t)shift << PL_LATENCY_BITS) + (size_t)(time >> shift);
}

/* The longest time that falls into a bucket. */
static pl_time_ps end_of(size_t bucket)
{
    if (bucket < (2u << PL_LATENCY_BITS))
        return (pl_time_ps)bucket;
    size_t shift = (bucket >> PL_LATENCY_BITS) - 1;
    uint64_t first = (uint64_t)(bucket - (shift << PL_LATENCY_BITS)) << shift;
    return (pl_time_ps)(first + ((UINT64_C(1) << shift) - 1));
}

void pl_latency_add(struct pl_latency *latency, pl_time_ps time_ps)
{
    assert(time_ps >= 0);
    if (!latency->count || time_ps < latency->least_ps)
        latency->least_ps = time_ps;
    if (time_ps > latency->most_ps)
        latency->most_ps = time_ps;
    latency->count++;
    latency->sum_ps += time_ps;
    latency->bucket[bucket_of((uint64_t)time_ps)]++;
}

void pl_latency_merge(struct pl_latency *into, const struct pl_latency *from)
{
    if (!from->count)
        return;
    if (!into->count || from->least_ps < into->least_ps)
        into->least_ps = from->least_ps;
    if (from->most_ps > into->most_ps)
        into->most_ps = from->most_ps;
    into->count += from->count;
    into->sum_ps += from->sum_ps;
    for (size_t i = 0; i < PL_LATENCY_BUCKETS; i++)
        into->bucket[i] += from->bucket[i];
}

pl_time_ps pl_latency_quantile(const struct pl_latency *latency, double share)
{
    double wanted = share * (double)latency->count;
    uint64_t seen = 0;
    for (size_t i = 0; i < PL_LATENCY_BUCKETS; i++) {
        seen += latency->bucket[i];
        if (seen && (double)seen >= wanted) {
            pl_time_ps end = end_of(i);
            return end < latency->most_ps ? end : latency->most_ps;
        }
    }
    return latency->most_ps;
}

double pl_latency_mean_ps(const struct pl_latency *latency)
{
    return latency->count ? (double)latency->sum_ps / (double)latency->count : 0;
}
