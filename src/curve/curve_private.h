/* curve/curve_private.h: a run of the one-pass curve, for the files that carry it out. Private to curve. */
#ifndef PL_CURVE_CURVE_PRIVATE_H
#define PL_CURVE_CURVE_PRIVATE_H

#include "curve/stack.h"

/* A table that grows; new parts are zero. */
struct table {
    void *at;
    size_t bytes;
};

struct pl_curve {
    struct stack stack;
    const struct stack_kernel *kernel;
    struct pl_parallel *parallel; /* NULL: one thread */
    uint64_t touches, write_touches;
    struct table last; /* and reaches */
    struct table reads_low, reads_high, dirty_low, dirty_high;
};

/* Makes room for pages up to `largest`. Nobody may be using the tables. */
enum pl_err pl_curve_make_room(struct pl_curve *curve, pl_page largest, struct pl_error *err);
/* When the slots are used up: renumbers the live ones, and makes more when there are many, or `more` are to come. */
enum pl_err pl_curve_renew_slots(struct pl_curve *curve, uint64_t more, struct pl_error *err);
enum pl_err pl_curve_table_fit(struct table *table, size_t bytes, struct pl_error *err);
void pl_curve_table_free(struct table *table);
static inline bool pl_curve_has_slots(const struct pl_curve *curve)
{
    return !pl_slots_used_up(&curve->stack.slots);
}

/* --- several threads (curve_parallel.c) -------------------------------------------------------------------------------- */

enum pl_err pl_parallel_create(struct pl_curve *curve, const struct pl_curve_params *params, struct pl_parallel **out,
                               struct pl_error *err);
enum pl_err pl_parallel_feed(struct pl_parallel *parallel, const pl_page *pages, const uint8_t *kinds, size_t count,
                             struct pl_error *err);
/* Waits until everything is accounted for. */
enum pl_err pl_parallel_finish(struct pl_parallel *parallel, struct pl_error *err);
/* Ends the threads, when they have done what they are at, and frees. */
void pl_parallel_close(struct pl_parallel *parallel);

#endif
