/* curve/intervals.h: times between two touches of a page, and what follows from them alone: working sets (Denning
 * 1968).
 *
 * Time is counted in touches. The working set of window tau at time t are the distinct pages among the last tau
 * touches; it holds a page for min(tau, time to its next touch) after each touch (Denning and Slutz 1978), so its mean
 * size and its faults follow, for every tau, from a histogram of intervals that one pass makes. Counts and sums by
 * interval are kept exactly up to 64 touches, and in 32 parts of each doubling above; at the ends of these parts (the
 * only values of tau asked for) mean size and faults are exact. */
#ifndef PL_CURVE_INTERVALS_H
#define PL_CURVE_INTERVALS_H

#include "base/base.h"

struct pl_intervals;

enum pl_err pl_intervals_create(struct pl_intervals **out, struct pl_error *err);
void pl_intervals_free(struct pl_intervals *intervals); /* NULL is allowed */
/* Touches in order. Memory: 8 bytes for each page number up to the largest. */
enum pl_err pl_intervals_feed(struct pl_intervals *intervals, const pl_page *pages, size_t count, struct pl_error *err);
/* After the last touch: counts the time that pages stay in the working set behind their last one. */
void pl_intervals_end(struct pl_intervals *intervals);

uint64_t pl_intervals_touches(const struct pl_intervals *intervals);
uint64_t pl_intervals_cold(const struct pl_intervals *intervals); /* first touches */

struct pl_working_set {
    uint64_t tau;      /* window, in touches */
    double mean_pages; /* mean number of pages in it over all touches of the trace, the window cut at its begin */
    uint64_t faults;   /* touches of pages that were not in it, first touches among them */
};
/* Points of ascending tau, from 1 to the number of touches; none of an empty trace. After pl_intervals_end. */
size_t pl_intervals_points(const struct pl_intervals *intervals);
void pl_intervals_working_sets(const struct pl_intervals *intervals, struct pl_working_set *out);
/* How many intervals lie in 2^(k-1) < interval <= 2^k; k = 0: of one touch. k < 64. */
uint64_t pl_intervals_count(const struct pl_intervals *intervals, unsigned k);

#endif
