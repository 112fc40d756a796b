/* curve/simulate.h: one replacement policy at one memory size, by plain simulation.
 *
 * The straightforward way, kept simple on purpose: it is the reference that the one-pass curve is held against, and the
 * answer for policies without a stack. Fully associative, in pages, under the rules of curve.h. */
#ifndef PL_CURVE_SIMULATE_H
#define PL_CURVE_SIMULATE_H

#include "curve/curve.h"

enum pl_simulated {
    PL_SIMULATED_LRU,
    PL_SIMULATED_FIFO,
    PL_SIMULATED_CLOCK, /* frames fill in order; the hand starts at the first; the bit is set on load and on hit */
    PL_SIMULATED_OPT,   /* needs the future; among pages never used again the lowest frame goes */
    PL_SIMULATED_2Q,    /* Johnson and Shasha 1994, the full version */
    PL_SIMULATED_CLOCKPRO, /* Jiang, Chen and Zhang 2005 */
};
/* NULL-terminated names in the order of the enum, for option tables. */
extern const char *const pl_simulated_names[];

struct pl_simulation {
    uint64_t touches, hits, cold;
    uint64_t reads;           /* misses that read the page file, under the rule */
    uint64_t clean_evictions; /* evicted without a write-back */
    uint64_t writes;          /* dirty evictions */
};

/* The whole trace must be in memory: `count` touches. `kinds` may be NULL. `frames` > 0. Time O(count log frames) at
 * worst, memory O(distinct), for OPT also 8 bytes a touch. */
enum pl_err pl_simulate(enum pl_simulated policy, enum pl_rule rule, uint32_t frames, const pl_page *pages,
                          const uint8_t *kinds, size_t count, struct pl_simulation *out, struct pl_error *err);

#endif
