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

struct sample_place sample_place(uint64_t pages)
{
    if (pages <= EXACT_BINS)
        return (struct sample_place){.bin = (unsigned)pages};
    double place = log2((double)pages / EXACT_BINS) * BINS_PER_DOUBLING;
    double low = EXACT_BINS * exp2(floor(place) / BINS_PER_DOUBLING);
    double high = EXACT_BINS * exp2((floor(place) + 1) / BINS_PER_DOUBLING);
    unsigned bin = EXACT_BINS + (unsigned)place;
    if (bin + 1 >= BINS)
        return (struct sample_place){.bin = BINS - 2, .part = 1};
    return (struct sample_place){.bin = bin, .part = ((double)pages - low) / (high - low)};
}

double sample_behind(const double *bin, const struct sample_place *place)
{
    return bin[place->bin] * (1 - place->part) + bin[place->bin + 1] * place->part;
}

/* Cornish and Fisher's expansion around the normal quantile; good to 2 % from two degrees of freedom on. */
double sample_quantile(double freedom)
{
    const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    const double first = (z3 + z) / 4, second = (5 * z5 + 16 * z3 + 3 * z) / 96;
    const double third = (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384;
    return z + (first + (second + third / freedom) / freedom) / freedom;
}
