/* device/histogram.h: how often which time occurred.
 *
 * Cells are as wide as the value they stand for is long: values below 256 have a cell each, larger ones share one with
 * those that agree in the first 8 binary digits. Counts, sum, least and greatest value are exact; a percentile is off by
 * at most 1/256 (0.4 %) of itself. The arrangement is that of log-linear (HDR) histograms. A histogram is 58 KiB, without
 * pointers, and starts all zero. */
#ifndef PL_DEVICE_HISTOGRAM_H
#define PL_DEVICE_HISTOGRAM_H

#include "base/types.h"

/* Sums of picoseconds outgrow 64 bits: 10^8 requests that wait for 0.2 s each do. */
__extension__ typedef unsigned __int128 pl_sum;

enum {
    PL_HISTOGRAM_BITS = 7, /* binary digits kept behind the first */
    PL_HISTOGRAM_CELLS = (64 - PL_HISTOGRAM_BITS + 1) << PL_HISTOGRAM_BITS,
};

struct pl_histogram {
    uint64_t count;
    uint64_t least, greatest; /* meaningless without values */
    pl_sum sum;
    uint64_t cell[PL_HISTOGRAM_CELLS];
};

static inline unsigned pl_histogram_cell_of(uint64_t value)
{
    if (value < UINT64_C(2) << PL_HISTOGRAM_BITS)
        return (unsigned)value;
    unsigned shift = 63U - (unsigned)__builtin_clzll(value) - PL_HISTOGRAM_BITS;
    return (shift << PL_HISTOGRAM_BITS) + (unsigned)(value >> shift);
}

static inline void pl_histogram_add(struct pl_histogram *histogram, uint64_t value)
{
    if (histogram->count == 0 || value < histogram->least)
        histogram->least = value;
    if (value > histogram->greatest)
        histogram->greatest = value;
    histogram->count++;
    histogram->sum += value;
    histogram->cell[pl_histogram_cell_of(value)]++;
}

/* Adds all values of `other`. */
void pl_histogram_merge(struct pl_histogram *histogram, const struct pl_histogram *other);
/* The value below or at which `percent` of all lie (nearest rank): percent 0 gives the least, 100 the greatest. 0 when
 * there are none. */
uint64_t pl_histogram_percentile(const struct pl_histogram *histogram, double percent);
double pl_histogram_mean(const struct pl_histogram *histogram); /* NaN when there are none */
/* The values that share a cell: [first, last]. */
void pl_histogram_cell_range(unsigned cell, uint64_t *first, uint64_t *last);

#endif
