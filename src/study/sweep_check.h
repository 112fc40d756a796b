/* study/sweep_check.h: are points that share one curve pass what each would be alone?
 *
 * Alone, a point is a replay of the trace on the machine of 1996 (LRU working set of m - d, cache of d r, costs cd and
 * ch), with and without the cache: touch by touch through the memory manager, the store and the disk, none of which the
 * curve knows. Both give the same cost to rounding. */
#ifndef PL_STUDY_SWEEP_CHECK_H
#define PL_STUDY_SWEEP_CHECK_H

#include "model/cost1996.h"
#include "study/sweep_study.h"

struct pl_shared_check {
    uint64_t points;        /* that were compared */
    bool equal;             /* all within 1e-9 of the cost */
    double largest;         /* difference, as a share of the cost's parts */
    uint64_t largest_point;
    double shared_s, alone_s; /* there */
};

/* Compares `count` points, evenly chosen (0: all). Fails with PL_ERR_INPUT for studies that are not on a curve in the
 * accounting of 1996 with every write of frac counted at the file. */
enum pl_err pl_sweep_check_shared(struct pl_study *study, uint64_t count, struct pl_shared_check *out,
                                  struct pl_error *err);

/* What a point of a curve study is about (sweep_model.c). */
struct pl_model_point {
    struct pl_cost_params params;
    const char *trace;
    enum pl_rule rule;
    const struct pl_fault_curves *curves;
};
void pl_sweep_model_point(const struct pl_sweep_base *base, const double *value, struct pl_model_point *out);

#endif
