/* curve/policy_ops.h: the family of replacement policies, as policy.c drives it.
 *
 * policy.c keeps which page lies in which frame, and what is dirty; a policy only orders frames. Frames are numbered
 * 0 .. frames - 1 and fill in that order; a page loaded later takes the frame of the victim. To add a policy, write a
 * file with a `const struct pl_policy_ops`, and add its row in policy.c and its name in policy.h. */
#ifndef PL_CURVE_POLICY_OPS_H
#define PL_CURVE_POLICY_OPS_H

#include "curve/policy.h"

/* The run as a policy sees it when it is created. */
struct policy_run {
    const pl_page *pages;
    size_t count;
    uint32_t frames; /* that can ever be used: at most the number of page numbers */
    pl_page page_limit; /* the largest page number + 1 */
    struct pl_arena *arena;
};

struct pl_policy_ops {
    const char *name;
    /* Returns the policy's state, from the run's arena; NULL when there is no memory. */
    void *(*create)(const struct policy_run *run);
    void (*loaded)(void *self, uint32_t frame, size_t at); /* touch `at` brought its page into `frame` */
    void (*hit)(void *self, uint32_t frame, size_t at);    /* touch `at` found its page in `frame` */
    uint32_t (*victim)(void *self);                        /* all frames are full: which one is emptied */
};

extern const struct pl_policy_ops pl_policy_lru, pl_policy_fifo, pl_policy_clock, pl_policy_opt;

#endif
