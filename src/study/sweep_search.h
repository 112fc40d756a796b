/* study/sweep_search.h: points chosen by those before them, to find the best of a study with few of them.
 *
 *   golden section    one number; around the best of nine points evenly spaced
 *   nelder-mead       several numbers (GSL's simplex), from the best of a few Sobol points, begun anew once
 *   halving           the points of the design on a first part of the trace, the better half on twice as much, ...
 *                     (successive halving; Jamieson and Talwalkar 2016); for replays
 *
 * Every point that is tried has its row, numbered in the order of trying. A search is deterministic: after a kill it
 * asks for the same points again, and those that have a row are not computed anew. Ranges bound the search; sizes are
 * whole pages. A point that fails or breaks a constraint counts as worse than all others. The best that is found need
 * not be the best that there is: golden section finds it when there is one valley among the nine. */
#ifndef PL_STUDY_SWEEP_SEARCH_H
#define PL_STUDY_SWEEP_SEARCH_H

#include "study/sweep_run.h"

enum pl_search { PL_SEARCH_AUTO, PL_SEARCH_GOLDEN, PL_SEARCH_NELDER_MEAD, PL_SEARCH_HALVING };
extern const char *const pl_search_names[]; /* NULL-terminated, for option tables */

struct pl_search_options {
    enum pl_search method; /* AUTO: golden section or Nelder-Mead, by the number of parameters that vary */
    uint64_t evaluations;  /* at most so many points, of golden section and Nelder-Mead */
    double tolerance;      /* of each parameter, as a share of its range */
    int threads;
    const struct pl_sweep_watch *watch;
};

/* Before pl_results_begin: settles the method and makes it part of what the study is. Fails with PL_ERR_INPUT when the
 * study has no objective, or nothing that could be searched. */
enum pl_err pl_search_settle(struct pl_study *study, struct pl_search_options *options, struct pl_arena *arena,
                             struct pl_error *err);
/* PL_END: stopped. */
enum pl_err pl_search_run(struct pl_study *study, struct pl_results *results, const char *path,
                          const struct pl_search_options *options, struct pl_sweep_state *state, struct pl_error *err);

/* --- sweep_halving.c ------------------------------------------------------------------------- */
enum pl_err pl_search_halve(struct pl_study *study, struct pl_results *results, const char *path,
                            const struct pl_search_options *options, struct pl_sweep_state *state,
                            struct pl_error *err);

/* Rows that are in the database, with the slots of formulas filled: parameters, then all outputs (NaN where not kept).
 */
struct pl_search_row {
    uint64_t number;
    bool failed;
    double *value;
};
struct pl_search_rows {
    struct pl_search_row *row; /* in the order of their numbers */
    size_t count;
};
enum pl_err pl_search_read(const struct pl_study *study, const char *path, struct pl_arena *arena,
                           struct pl_search_rows *out, struct pl_error *err);

#endif
