/* model/fit.h: a form fitted to the counts of a fault table.
 *
 *   pl_fit_data_from_table   rows to fit: reads, writes or both, with weights
 *   pl_fit_run               one form through them, by nonlinear least squares (GSL)
 *   pl_fit_held_out          how well it predicts rows that it was not shown
 *   pl_fit_at, _interval     the curve; a band around it
 *   pl_fit_parameter         a parameter and its interval
 *   pl_fit_replica           the same fit to data drawn anew (bootstrap)
 *
 * The sum of squares is of ln y - ln f (space log: relative errors count alike) or of y - f (linear). With a count of 0
 * in the table log means ln(y + 1). A robust fit (Huber 1964, k = 1.345, scale from the median of the residuals) gives
 * rows far off less weight. Intervals of parameters are of their logarithms, so that they stay positive, by Student's t.
 *
 * Assumes that rows are independent of each other. Does not model errors of the memory sizes. */
#ifndef PL_MODEL_FIT_H
#define PL_MODEL_FIT_H

#include "base/progress.h"
#include "model/fault_table.h"
#include "model/fit_form.h"

enum pl_fit_space { PL_FIT_LOG, PL_FIT_LINEAR };
enum pl_fit_loss { PL_FIT_SQUARES, PL_FIT_HUBER };
enum pl_fit_weights {
    PL_FIT_WEIGHTS_REPEATS, /* by how many rows of the file each is the mean of; equal where all are single */
    PL_FIT_WEIGHTS_EQUAL,
    PL_FIT_WEIGHTS_COUNT,   /* as if counts scattered like rare events: variance = count */
    PL_FIT_WEIGHTS_SPREAD,  /* by the scatter of the averaged rows; every size must have two or more */
};
/* NULL-terminated, in the order of the enums, for option tables. */
extern const char *const pl_fit_space_names[], *const pl_fit_loss_names[], *const pl_fit_weights_names[];

enum pl_fit_which { PL_FIT_READS, PL_FIT_WRITES, PL_FIT_BOTH };

struct pl_fit_options {
    enum pl_fit_space space;
    enum pl_fit_loss loss;
    enum pl_fit_weights weights;
    const struct pl_progress *progress; /* of choosing: forms done; may be NULL */
};

enum {
    PL_FIT_ROWS_MAX = 512, /* larger tables are thinned, evenly in the logarithm of memory */
    PL_FIT_FREE_MAX = PL_FIT_PARAMETERS_MAX + 5,
};

/* What is fitted: one series of counts, or two that share their shape. */
struct pl_fit_data {
    const char *name; /* of the table */
    size_t rows, series;
    enum pl_fit_which which;
    double x[PL_FIT_ROWS_MAX]; /* MB, rising */
    double y[2][PL_FIT_ROWS_MAX], weight[2][PL_FIT_ROWS_MAX];
    double offset;      /* in logarithms: 1 when a count is 0 */
    size_t left_out;    /* rows of the table that were thinned away */
    struct pl_fit_frame frame;
};

/* A fitted form. */
struct pl_fit {
    const struct pl_fit_form *form;
    struct pl_fit_options options;
    struct pl_fit_frame frame;
    size_t series, count;                      /* parameters of the form, for each series */
    double theta[2][PL_FIT_PARAMETERS_MAX];
    size_t index[2][PL_FIT_PARAMETERS_MAX];    /* where they stand among the free ones */
    size_t free;
    double covariance[PL_FIT_FREE_MAX][PL_FIT_FREE_MAX]; /* of the free ones; huge where the data say nothing */
    double offset, scale; /* residuals in linear space are counts divided by `scale` */
    double freedom;       /* degrees of freedom of the residuals */
    double effective;     /* parameters; fewer than `free` for a stiff spline */
    double sigma;         /* standard deviation of a residual of weight 1 */
    double aicc;          /* corrected Akaike criterion; comparable in the same space only; NaN: too few rows */
    double press;         /* mean square of the residuals with each row's own pull taken out */
    double press_error;   /* its standard error */
    double residual[2][PL_FIT_ROWS_MAX]; /* in the fit's space, not weighted */
    double leverage[2][PL_FIT_ROWS_MAX]; /* 0 to 1: how much a row pulls the curve to itself */
    double robust[2][PL_FIT_ROWS_MAX];   /* weight of the robust fit; 1 otherwise */
};

/* Fails with PL_ERR_INPUT and the reason when there is nothing to fit: too few rows, constant or rising counts, no
 * writes, no repeated rows for PL_FIT_WEIGHTS_SPREAD. */
enum pl_err pl_fit_data_from_table(const struct pl_fault_table *table, enum pl_fit_which which,
                                   const struct pl_fit_options *options, struct pl_fit_data *out,
                                   struct pl_error *err);

/* Fails with PL_ERR_INPUT when the form takes more rows than there are, or has no value at 0 MB and there is such a row.
 * `out` is large: let an arena hold it. */
enum pl_err pl_fit_run(const struct pl_fit_form *form, const struct pl_fit_data *data,
                       const struct pl_fit_options *options, struct pl_fit *out, struct pl_error *err);

/* The count at `x` MB: infinite where the form goes beyond all bounds. */
double pl_fit_at(const struct pl_fit *fit, size_t series, double x);
/* The band in which the curve lies with probability `confidence`, by the delta method. */
void pl_fit_interval(const struct pl_fit *fit, size_t series, double x, double confidence, double *low, double *high);

struct pl_fit_estimate {
    const char *name, *unit;
    double value, low, high;
};
struct pl_fit_estimate pl_fit_parameter(const struct pl_fit *fit, size_t series, size_t parameter, double confidence);

/* Each row is left out in turn and predicted from the others: |predicted - given| / given. First and last row too: how
 * the form goes on outside is part of the answer. Rows of 0 are passed over; of many rows PL_FIT_HELD_OUT_MAX. Where there are more than PL_FIT_SMOOTH_MAX, of which one
 * hardly moves it, a spline keeps the smoothness of the whole. */
enum { PL_FIT_HELD_OUT_MAX = 48, PL_FIT_SMOOTH_MAX = 128 };
struct pl_fit_held_out {
    size_t rows; /* left out; those of a table with too few rows: 0, and the errors NaN */
    double median, mean, worst, worst_mb;
    double inside_mean;  /* without the first and the last row */
    double error[PL_FIT_ROWS_MAX]; /* signed, by row; NaN where it was not left out */
};
/* `out` has an entry for each series. */
enum pl_err pl_fit_held_out(const struct pl_fit *fit, const struct pl_fit_data *data, struct pl_fit_held_out out[2],
                            struct pl_error *err);

/* The same form and smoothness fitted to the curve plus its own residuals, drawn anew with replacement (both series of a
 * row together: they are of the same run). `row[i]` says whose residual row i gets. */
enum pl_err pl_fit_replica(const struct pl_fit *fit, const struct pl_fit_data *data, const size_t *row,
                           struct pl_fit *out, struct pl_error *err);

/* --- between fit*.c --------------------------------------------------------------------- */
/* Again from the parameters of `from`, with its smoothness. */
enum pl_err pl_fit_again(const struct pl_fit *from, const struct pl_fit_data *data, struct pl_fit *out,
                         struct pl_error *err);
/* The same, the smoothness chosen anew. */
enum pl_err pl_fit_again_smooth(const struct pl_fit *from, const struct pl_fit_data *data, struct pl_fit *out,
                                struct pl_error *err);
/* One least squares solution from out->theta on, which together with form, options, frame, offset and scale is filled
 * in. Fills the rest. */
enum pl_err pl_fit_solve(const struct pl_fit_data *data, struct pl_fit *out, struct pl_error *err);

#endif
