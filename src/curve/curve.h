/* curve/curve.h: fault curves, table of contents.
 *
 *   curve.h      whole LRU curves, reads and write-backs for every memory size in one pass      curve_*.c, stack_*
 *   sample.h     the same estimated from a sample, in constant memory, with an error            sample_*.c
 *   simulate.h   one policy at one size by plain simulation: LRU, FIFO, clock, OPT              simulate_*.c
 *   mini.h       the same on a sample with memories scaled down                                 mini.c
 *   opt_curve.h  the optimum at every size                                                      opt_curve.c
 *   snapshot.h   a curve in the middle of a run, for windows of a trace                         curve_snapshot.c
 *   byte_curve.h curves of pages that have different sizes                                      byte_curve.c
 *   intervals.h  times between touches, working sets, lifetimes                                 intervals.c
 *   sizes.h      at which memory sizes a curve is written
 *
 * LRU stack distances (Mattson et al. 1970) give the reads of every size in one pass; dirty levels (Thompson and
 * Smith 1989) the write-backs. Sizes are in pages. */
#ifndef PL_CURVE_CURVE_H
#define PL_CURVE_CURVE_H

#include "base/base.h"

/* What a first touch of a page does. */
enum pl_rule {
    PL_RULE_DEMAND_ZERO, /* it does not read the page file, and it dirties the page even when it is a read; a page read
                            back from the page file is clean until written */
    PL_RULE_MEMSIM,      /* it reads like any other miss, and leaves the page clean unless it writes */
};

/* NULL-terminated names in the order of the enum, as tables and options write them. */
extern const char *const pl_rule_names[];

struct pl_curve_params {
    enum pl_rule rule;
    pl_page pages_hint; /* expected distinct pages; 0 = not known; tables grow as needed */
    int threads;        /* 0 or 1: one. The result is the same for any number. */
    bool portable;      /* use the portable twin of vector code (same result) */
    bool reads_only;    /* leave write-backs out (the caller has no kinds) */
    uint32_t part_touches; /* with several threads: how much of the trace one takes at a time; 0: a good number */
};

struct pl_curve;

enum pl_err pl_curve_create(const struct pl_curve_params *params, struct pl_curve **out, struct pl_error *err);
/* Touches in order. Page numbers need not be dense for correctness, but memory grows with the largest. `kinds` holds
 * enum pl_kind's values (1 = write) and may be NULL: all reads. */
enum pl_err pl_curve_feed(struct pl_curve *curve, const pl_page *pages, const uint8_t *kinds, size_t count,
                          struct pl_error *err);

/* The whole curve. reads[m] and writes[m] are for a memory of m pages, m = 0 .. depth; from `depth` on (every page
 * fits) nothing changes. At m = 0 every touch is a miss. `reads` leaves first touches out under demand-zero and counts
 * them under memsim. A write-back counts when a dirty page is evicted; pages still dirty at the end do not count. */
struct pl_curve_result {
    enum pl_rule rule;
    uint64_t touches, write_touches;
    uint64_t cold; /* first touches = distinct pages */
    uint64_t depth;
    uint64_t *reads;  /* depth + 1 */
    uint64_t *writes; /* depth + 1; NULL with reads_only */
    size_t bytes;     /* of reads, and of writes, for pl_table_free */
};
/* Ends the run and frees `curve` in any case; on success the caller frees the result. */
enum pl_err pl_curve_finish(struct pl_curve *curve, struct pl_curve_result *out, struct pl_error *err);
void pl_curve_abandon(struct pl_curve *curve);
void pl_curve_result_free(struct pl_curve_result *result);

#endif
