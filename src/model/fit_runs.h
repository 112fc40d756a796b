/* model/fit_runs.h: the inverse problem: what cd, ch, r and frac must have been, from total times of runs at several
 * cache sizes.
 *
 *   T(m, d) = base + ch (Read(m) + Write(m)) + effect(m, d; cd, ch, r, frac)       effect: cost1996.h; 0 without a cache
 *
 * base is what the run takes besides paging. Least squares over the unknown ones; the singular values of the Jacobian, in
 * relative changes of the parameters, say which of them the runs cannot tell apart.
 *
 * Intervals are by the profile of the sum of squares. With all five unknown and few runs they are a little too narrow: on
 * made tables of eleven runs, 95 % ones held the truth in 89 to 91 of 100 (what is known should be given).
 *
 * Assumes that runs scatter by the same amount each. Does not model that a cache changes anything but paging. */
#ifndef PL_MODEL_FIT_RUNS_H
#define PL_MODEL_FIT_RUNS_H

#include "model/cost1996.h"

struct pl_runs {
    const char *name;
    size_t count;
    const double *d_mb; /* NaN: a run without a cache */
    const double *m_mb;
    const double *total_s;
};

/* CSV with total_s (or seconds), d_mb (empty: no cache) and, where it is not `m_mb` throughout, m_mb. */
enum pl_err pl_runs_read(const char *path, double m_mb, struct pl_arena *arena, struct pl_runs **out,
                         struct pl_error *err);

enum pl_runs_parameter { PL_RUNS_BASE, PL_RUNS_CD, PL_RUNS_CH, PL_RUNS_R, PL_RUNS_FRAC, PL_RUNS_PARAMETERS };

struct pl_runs_estimate {
    bool known;          /* given, not estimated */
    double value;        /* s, s, s, ratio, accesses for a write */
    double low, high;    /* the interval; NaN without degrees of freedom */
    bool at_bound;       /* the runs want it at the end of its range or beyond: no cost, a ratio of 1 */
    bool identified;     /* its relative standard error is below a half (frac: its own, in accesses) */
};

/* Parameters that the runs cannot tell apart: a change of all of them together leaves every time as it is, within the
 * scatter. */
struct pl_runs_blur {
    double weight[PL_RUNS_PARAMETERS]; /* relative changes, as a unit vector */
    double error;                      /* standard error along it; infinite when nothing depends on it */
};

struct pl_runs_fit {
    struct pl_runs_estimate estimate[PL_RUNS_PARAMETERS];
    size_t unknown, freedom;
    double sigma_s;            /* scatter of the runs; NaN without degrees of freedom */
    double condition;          /* largest over smallest singular value */
    struct pl_runs_blur blur[PL_RUNS_PARAMETERS];
    size_t blurs;
    size_t extrapolated;       /* runs that need counts outside the table */
    const double *fitted_s;    /* for each run */
};

/* `known` has a value for each parameter, NaN for those to estimate. `params` gives accounting and frac reading. */
enum pl_err pl_runs_fit(const struct pl_runs *runs, const struct pl_fault_curves *curves,
                        const struct pl_cost_params *params, const double known[PL_RUNS_PARAMETERS], double confidence,
                        struct pl_arena *arena, struct pl_runs_fit *out, struct pl_error *err);

#endif
