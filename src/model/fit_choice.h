/* model/fit_choice.h: every form fitted to a table, and the one that predicts left-out rows best; its curve for the
 * cost model.
 *
 * The choice is by the mean relative error of left-out rows, first and last row among them, since it is between and
 * beyond the rows that a form is needed. */
#ifndef PL_MODEL_FIT_CHOICE_H
#define PL_MODEL_FIT_CHOICE_H

#include "model/fault_curves.h"
#include "model/fit.h"

struct pl_fit_entry {
    const struct pl_fit_form *form;
    const struct pl_fit *fit; /* NULL: it could not be fitted, and `why_not` says why */
    char why_not[200];
    struct pl_fit_held_out held_out[2]; /* for each series */
    double error;                       /* the mean of the series' mean errors; NaN when rows were too few to leave out */
};

struct pl_fit_choice {
    struct pl_fit_data data;
    size_t count;
    struct pl_fit_entry entry[PL_FIT_FORM_COUNT];
    size_t best; /* index of the chosen one */
};

/* Fits all forms, or `only` one, and chooses. With too few rows to leave one out, AICc decides. Fails when nothing can be
 * fitted, and with PL_ERR_RESOURCE when options->progress asks it to stop. The choice lives in `arena`. */
enum pl_err pl_fit_choose(const struct pl_fault_table *table, enum pl_fit_which which,
                          const struct pl_fit_options *options, const struct pl_fit_form *only, struct pl_arena *arena,
                          struct pl_fit_choice **out, struct pl_error *err);

/* By name; "auto" gives NULL. Fails with PL_ERR_USAGE and the nearest name. */
enum pl_err pl_fit_form_find(const char *name, const struct pl_fit_form **out, struct pl_error *err);

/* A fitted series: which fit, and which of its series. */
struct pl_fit_series {
    const struct pl_fit *fit; /* NULL: there is none */
    size_t series;
};

/* Read(x) and Write(x) as fitted, for the cost model: sampled so densely that the interpolation between makes no
 * difference, from a quarter of the table's first size to four times its last. What is extrapolated stays what it is in
 * the table. */
enum pl_err pl_fit_curves_create(const struct pl_fault_table *table, struct pl_fit_series reads,
                                 struct pl_fit_series writes, struct pl_arena *arena, struct pl_fault_curves *out,
                                 struct pl_error *err);

#endif
