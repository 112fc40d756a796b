/* curve/sample_counts.c: counts by distance, in bins that are exact for short distances and log-spaced above. */
#include "curve/sample_private.h"

#include <math.h>

unsigned sample_bin(double distance)
{
    if (distance <= EXACT_BINS)
        return distance <= 1 ? 0 : (unsigned)ceil(distance) - 1;
    unsigned bin = EXACT_BINS + (unsigned)(log2(distance / EXACT_BINS) * BINS_PER_DOUBLING);
    return bin < BINS ? bin : BINS - 1;
}

void sample_sum_up(struct counts *counts)
{
    for (int group = 0; group < GROUPS; group++)
        for (int bin = BINS - 1; bin-- > 0;)
            counts->bin[group][bin] += counts->bin[group][bin + 1];
}

double sample_behind(const double *bin, uint64_t pages)
{
    if (pages <= EXACT_BINS)
        return bin[pages];
    double place = log2((double)pages / EXACT_BINS) * BINS_PER_DOUBLING;
    unsigned at = EXACT_BINS + (unsigned)place;
    if (at + 1 >= BINS)
        return 0;
    double low = EXACT_BINS * exp2(floor(place) / BINS_PER_DOUBLING);
    double high = EXACT_BINS * exp2((floor(place) + 1) / BINS_PER_DOUBLING);
    double part = ((double)pages - low) / (high - low);
    return bin[at] * (1 - part) + bin[at + 1] * part;
}
