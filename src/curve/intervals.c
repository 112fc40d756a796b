/* curve/intervals.c: the histogram of intervals, and working sets from it.
 *
 * With H(k) intervals of k touches, and E(k) pages whose last touch lies so that k times of the trace are left, itself
 * included, the working set of window tau holds pages for
 *
 *     sum over k of min(tau, k) * (H(k) + E(k))
 *
 * page times in all; divided by the number of touches that is its mean size. E is the correction for the end of the
 * trace; the begin needs none, since the window is cut there. Its faults are the intervals longer than tau and the
 * first touches.
 *
 * Does not model: time outside of touches; several processes (their touches count as one sequence). */
#include "curve/intervals.h"

#include <stdlib.h>

enum {
    FINE = 64, /* intervals up to here have a part of their own */
    FINE_BITS = 6,
    PART_BITS = 5, /* above, 2^5 parts for each doubling */
    PARTS = FINE + ((64 - FINE_BITS) << PART_BITS),
    PAGES_MIN = 1024,
};

struct part {
    uint64_t count, sum;
};

struct pl_intervals {
    uint64_t *last; /* by page: number of its latest touch, from 1; 0: never */
    uint64_t limit; /* pages there is room for */
    uint64_t touches, cold;
    struct part between[PARTS], behind[PARTS]; /* H and E */
};

static unsigned part_of(uint64_t interval)
{
    uint64_t before = interval - 1;
    if (before < FINE)
        return (unsigned)before;
    unsigned octave = 63 - (unsigned)__builtin_clzll(before);
    unsigned within = (unsigned)(before >> (octave - PART_BITS)) & ((1u << PART_BITS) - 1);
    return FINE + ((octave - FINE_BITS) << PART_BITS) + within;
}

/* The longest interval of a part. */
static uint64_t part_end(unsigned part)
{
    if (part < FINE)
        return part + 1;
    unsigned octave = FINE_BITS + ((part - FINE) >> PART_BITS);
    uint64_t within = (part - FINE) & ((1u << PART_BITS) - 1);
    return ((UINT64_C(1) << PART_BITS) + within + 1) << (octave - PART_BITS);
}

static void add(struct part *parts, uint64_t interval)
{
    struct part *part = &parts[part_of(interval)];
    part->count++;
    part->sum += interval;
}

enum pl_err pl_intervals_create(struct pl_intervals **out, struct pl_error *err)
{
    struct pl_intervals *intervals = calloc(1, sizeof *intervals);
    if (!intervals)
        return pl_fail_memory(err, sizeof *intervals, "a histogram of intervals");
    *out = intervals;
    return PL_OK;
}

void pl_intervals_free(struct pl_intervals *intervals)
{
    if (intervals && intervals->last)
        pl_table_free(intervals->last, intervals->limit * sizeof *intervals->last);
    free(intervals);
}

static enum pl_err make_room(struct pl_intervals *intervals, pl_page page, struct pl_error *err)
{
    uint64_t limit = intervals->limit + intervals->limit / 2;
    limit = limit > page ? limit : (uint64_t)page + 1;
    limit = limit > PAGES_MIN ? limit : PAGES_MIN;
    size_t former = intervals->limit * sizeof *intervals->last, bytes = limit * sizeof *intervals->last;
    void *last = former ? pl_table_grow(intervals->last, former, bytes) : pl_table_alloc(bytes);
    if (!last)
        return pl_fail_memory(err, bytes, "the times of pages");
    intervals->last = last;
    intervals->limit = limit;
    return PL_OK;
}

enum pl_err pl_intervals_feed(struct pl_intervals *intervals, const pl_page *pages, size_t count, struct pl_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (pages[i] >= intervals->limit) {
            enum pl_err rc = make_room(intervals, pages[i], err);
            if (rc)
                return rc;
        }
        uint64_t *last = &intervals->last[pages[i]], now = ++intervals->touches;
        if (*last)
            add(intervals->between, now - *last);
        else
            intervals->cold++;
        *last = now;
    }
    return PL_OK;
}

void pl_intervals_end(struct pl_intervals *intervals)
{
    for (uint64_t page = 0; page < intervals->limit; page++)
        if (intervals->last[page])
            add(intervals->behind, intervals->touches + 1 - intervals->last[page]);
}

uint64_t pl_intervals_touches(const struct pl_intervals *intervals)
{
    return intervals->touches;
}

uint64_t pl_intervals_cold(const struct pl_intervals *intervals)
{
    return intervals->cold;
}

size_t pl_intervals_points(const struct pl_intervals *intervals)
{
    return intervals->touches ? part_of(intervals->touches) + 1 : 0;
}

void pl_intervals_working_sets(const struct pl_intervals *intervals, struct pl_working_set *out)
{
    size_t points = pl_intervals_points(intervals);
    uint64_t shorter = 0, longer = intervals->touches; /* the sum of the shorter intervals; how many are longer */
    uint64_t faults = intervals->touches;
    for (size_t i = 0; i < points; i++) {
        const struct part *between = &intervals->between[i], *behind = &intervals->behind[i];
        uint64_t tau = part_end((unsigned)i);
        tau = tau < intervals->touches ? tau : intervals->touches;
        shorter += between->sum + behind->sum;
        longer -= between->count + behind->count;
        faults -= between->count;
        double page_times = (double)shorter + (double)tau * (double)longer;
        out[i] = (struct pl_working_set){tau, page_times / (double)intervals->touches, faults};
    }
}

uint64_t pl_intervals_count(const struct pl_intervals *intervals, unsigned k)
{
    uint64_t from = k ? (UINT64_C(1) << (k - 1)) + 1 : 1, to = UINT64_C(1) << k, sum = 0;
    for (unsigned i = part_of(from); i <= part_of(to); i++)
        sum += intervals->between[i].count;
    return sum;
}
