/* curve/simulate_ops.h: the family of replacement policies, as simulate.c drives it.
 *
 * simulate.c keeps which page lies in which frame, and what is dirty; a policy only orders frames. Frames are numbered
 * 0 .. frames - 1 and fill in that order; a page loaded later takes the frame of the victim. To add a policy, write a
 * file with a `const struct pl_simulated_ops`, and add its row in simulate.c and its name in simulate.h. */
#ifndef PL_CURVE_SIMULATE_OPS_H
#define PL_CURVE_SIMULATE_OPS_H

#include "curve/simulate.h"

/* The run as a policy sees it when it is created. */
struct simulate_run {
    const pl_page *pages;
    size_t count;
    uint32_t frames; /* that can ever be used: at most the number of page numbers */
    pl_page page_limit; /* the largest page number + 1 */
    struct pl_arena *arena;
};

struct pl_simulated_ops {
    const char *name;
    /* Returns the policy's state, from the run's arena; NULL when there is no memory. */
    void *(*create)(const struct simulate_run *run);
    void (*loaded)(void *self, uint32_t frame, size_t at); /* touch `at` brought its page into `frame` */
    void (*hit)(void *self, uint32_t frame, size_t at);    /* touch `at` found its page in `frame` */
    uint32_t (*victim)(void *self, size_t at); /* all frames are full: which one is emptied for touch `at` */
};

extern const struct pl_simulated_ops pl_simulated_lru, pl_simulated_fifo, pl_simulated_clock, pl_simulated_opt,
    pl_simulated_2q, pl_simulated_clockpro;

#endif
