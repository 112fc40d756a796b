/* model/optimum.h: questions asked of the cost: the best cache size, what would have to change for it to pay.
 *
 * Only sizes at which nothing is extrapolated take part: m, m - d and h must all lie inside the table. */
#ifndef PL_MODEL_OPTIMUM_H
#define PL_MODEL_OPTIMUM_H

#include "model/cost1996.h"

struct pl_optimum {
    bool found;
    char why_not[160];  /* when not: "m = 4 MB lies outside the table (6 to 16 MB)" */
    bool never_pages;   /* with all memory at m nothing is read or written: there is nothing to gain, and d is 0 */
    double d_mb;        /* where the cost is least */
    struct pl_cost cost;
    double flat_from_mb, flat_to_mb; /* around it: sizes that cost at most `flat_s` more */
    double reach_d_mb;  /* the largest d looked at: that the table can tell about, or params->most_d_mb */
    bool at_edge;       /* the best d is that largest one: beyond it may be better */
};

/* The least cost over d; `params->d_mb` is not used. `flat_s` >= 0. */
void pl_cost_optimum(const struct pl_fault_curves *curves, const struct pl_cost_params *params, double flat_s,
                     struct pl_optimum *out);

/* Where the cost is zero. */
struct pl_break_even {
    bool found;   /* else no value in the range looked at makes the cost zero */
    double value; /* seconds for cd and ch, a ratio for r */
    double d_mb;  /* the cache size at which it does */
};
struct pl_break_evens {
    struct pl_break_even cd; /* a cache pays below it */
    struct pl_break_even ch; /* a cache pays above it */
    struct pl_break_even r;  /* a cache pays above it; looked for up to 1,000 */
};

/* At the cache size that is best for each (`at_d` false) or at params->d_mb (true; it must be inside the table). */
void pl_cost_break_evens(const struct pl_fault_curves *curves, const struct pl_cost_params *params, bool at_d,
                         struct pl_break_evens *out);

enum pl_cost_parameter {
    PL_PARAMETER_M,
    PL_PARAMETER_D,
    PL_PARAMETER_R,
    PL_PARAMETER_CD,
    PL_PARAMETER_CH,
    PL_PARAMETER_FRAC,
    PL_PARAMETER_COUNT,
};
/* NULL-terminated: "m", "d", "r", "cd", "ch", "frac". */
extern const char *const pl_cost_parameter_names[];
double pl_cost_parameter_get(const struct pl_cost_params *params, enum pl_cost_parameter which);
void pl_cost_parameter_set(struct pl_cost_params *params, enum pl_cost_parameter which, double value);

/* One parameter changed by a share of itself. */
struct pl_sensitivity {
    enum pl_cost_parameter parameter;
    double change; /* -0.5: half as much; +0.1 */
    double value;
    bool possible; /* the changed value makes sense (r >= 1) */
    double total_s;     /* at the unchanged d; NaN outside the table */
    double best_d_mb, best_total_s; /* with d chosen anew; NaN when there is no optimum */
};
enum { PL_SENSITIVITY_ROWS = 3 * 4 };
/* r, cd and ch, each by -50, -10, +10 and +50 %, around params (with its d). */
void pl_cost_sensitivity(const struct pl_fault_curves *curves, const struct pl_cost_params *params,
                         struct pl_sensitivity out[PL_SENSITIVITY_ROWS]);

/* Seconds by which the cost changes for one per cent more of the parameter, d held; and the elasticity: per cent of the
 * cost for one per cent of the parameter (NaN at a cost of zero). */
struct pl_elasticity {
    enum pl_cost_parameter parameter;
    double seconds_per_percent, elasticity;
};
enum { PL_ELASTICITY_ROWS = 5 };
/* m, d, r, cd and ch, in this order; NaN where the change leaves the table. */
void pl_cost_elasticities(const struct pl_fault_curves *curves, const struct pl_cost_params *params,
                          struct pl_elasticity out[PL_ELASTICITY_ROWS]);

#endif
