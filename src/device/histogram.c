/* device/histogram.c: how often which time occurred.
 *
 *   value          0 .. 255   256 .. 511   512 .. 1023   ...
 *   cell           0 .. 255   256 .. 383   384 .. 511    ...
 *   values a cell      1          2             4
 *
 * A percentile is answered with the middle of its cell, moved between the least and the greatest value. */
#include "device/histogram.h"

#include <assert.h>
#include <math.h>

enum { HALF = 1 << PL_HISTOGRAM_BITS };

void pl_histogram_cell_range(unsigned cell, uint64_t *first, uint64_t *last)
{
    assert(cell < PL_HISTOGRAM_CELLS);
    if (cell < 2 * HALF) {
        *first = *last = cell;
        return;
    }
    unsigned shift = cell / HALF - 1;
    *first = (uint64_t)(HALF + cell % HALF) << shift;
    *last = *first + ((UINT64_C(1) << shift) - 1);
}

void pl_histogram_merge(struct pl_histogram *histogram, const struct pl_histogram *other)
{
    if (other->count == 0)
        return;
    if (histogram->count == 0 || other->least < histogram->least)
        histogram->least = other->least;
    if (other->greatest > histogram->greatest)
        histogram->greatest = other->greatest;
    histogram->count += other->count;
    histogram->sum += other->sum;
    for (unsigned i = 0; i < PL_HISTOGRAM_CELLS; i++)
        histogram->cell[i] += other->cell[i];
}

uint64_t pl_histogram_percentile(const struct pl_histogram *histogram, double percent)
{
    if (histogram->count == 0)
        return 0;
    double rank = ceil(percent / 100 * (double)histogram->count);
    if (rank <= 1)
        return histogram->least;
    if (rank >= (double)histogram->count)
        return histogram->greatest;
    uint64_t seen = 0;
    unsigned cell = 0;
    while ((double)(seen += histogram->cell[cell]) < rank)
        cell++;
    uint64_t first, last;
    pl_histogram_cell_range(cell, &first, &last);
    uint64_t middle = first + (last - first) / 2;
    return middle < histogram->least      ? histogram->least
           : middle > histogram->greatest ? histogram->greatest
                                          : middle;
}

double pl_histogram_mean(const struct pl_histogram *histogram)
{
    return histogram->count ? (double)histogram->sum / (double)histogram->count : (double)NAN;
}
