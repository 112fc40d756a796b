/* model/fit_solve.c: nonlinear least squares with GSL's multifit_nlinear, and what the Jacobian says afterwards.
 *
 * Residuals are laid out series by series, then the rows of the form's penalty. In a joint fit the free parameters are
 * the shape, once, and each series' own ones. Derivatives are central differences.
 *
 * Assumes that the start lies in the right valley: fit.c tries several. Does not model bounds: forms have none. */
#include "model/fit.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit_nlinear.h>

struct problem {
    const struct pl_fit_data *data;
    struct pl_fit *fit; /* form, frame and index; theta is scratch */
    size_t residuals;   /* of data */
    size_t penalties;
    gsl_vector *moved, *above, *below; /* for differences */
};

/* --- parameters ------------------------------------------------------------------------- */

/* Shared ones get one place, own ones a place for each series. */
static void lay_out_parameters(struct pl_fit *fit)
{
    fit->free = 0;
    for (size_t i = 0; i < fit->count; i++) {
        bool shape = fit->form->count ? fit->form->parameter[i].shape : i > 0;
        for (size_t s = 0; s < fit->series; s++)
            fit->index[s][i] = shape && s > 0 ? fit->index[0][i] : fit->free++;
    }
    assert(fit->free <= PL_FIT_FREE_MAX);
}

static void scatter(struct pl_fit *fit, const gsl_vector *free)
{
    for (size_t s = 0; s < fit->series; s++)
        for (size_t i = 0; i < fit->count; i++)
            fit->theta[s][i] = gsl_vector_get(free, fit->index[s][i]);
}

static void gather(const struct pl_fit *fit, double *free)
{
    for (size_t s = fit->series; s-- > 0;)
        for (size_t i = 0; i < fit->count; i++)
            free[fit->index[s][i]] = fit->theta[s][i];
}

/* --- residuals ---------------------------------------------------------------------------- */

/* Where a curve rushes off, so far and no further: GSL stops at infinities. */
static double bounded(double value)
{
    return fmax(-1e100, fmin(value, 1e100));
}

static double residual(const struct pl_fit *fit, size_t series, double x, double y)
{
    double log_value = fit->form->log_value(&fit->frame, fit->theta[series], x);
    if (fit->options.space == PL_FIT_LINEAR)
        return bounded((exp(log_value) - y) / fit->scale);
    if (fit->offset > 0)
        log_value = pl_fit_log_sum(log_value, log(fit->offset));
    return bounded(log_value - log(y + fit->offset));
}

static int residuals(const gsl_vector *free, void *context, gsl_vector *out)
{
    const struct problem *problem = context;
    const struct pl_fit_data *data = problem->data;
    double penalty[PL_FIT_PARAMETERS_MAX];
    scatter(problem->fit, free);
    for (size_t s = 0; s < data->series; s++)
        for (size_t i = 0; i < data->rows; i++)
            gsl_vector_set(out, s * data->rows + i, residual(problem->fit, s, data->x[i], data->y[s][i]));
    if (problem->fit->form->penalty)
        problem->fit->form->penalty(&problem->fit->frame, problem->fit->theta[0], penalty);
    for (size_t k = 0; k < problem->penalties; k++)
        gsl_vector_set(out, problem->residuals + k, penalty[k]);
    return GSL_SUCCESS;
}

/* By the form's own slopes: of ln f, so in the fit's space times what ln f moves there. */
static void slopes_of_row(const struct problem *problem, size_t s, size_t i, gsl_matrix *out)
{
    const struct pl_fit *fit = problem->fit;
    const double x = problem->data->x[i];
    double by[PL_FIT_PARAMETERS_MAX], value = exp(fit->form->log_value(&fit->frame, fit->theta[s], x));
    double factor = fit->options.space == PL_FIT_LINEAR ? value / fit->scale
                    : fit->offset > 0                   ? value / (value + fit->offset)
                                                        : 1;
    fit->form->gradient(&fit->frame, fit->theta[s], x, by);
    for (size_t k = 0; k < fit->count; k++)
        gsl_matrix_set(out, s * problem->data->rows + i, fit->index[s][k], bounded(by[k] * factor));
}

/* Penalties are of the shape, which stands in the first series; they are linear, so that one step tells. */
static void slopes_of_penalty(const struct problem *problem, gsl_matrix *out)
{
    struct pl_fit *fit = problem->fit;
    double at[PL_FIT_PARAMETERS_MAX], moved[PL_FIT_PARAMETERS_MAX];
    if (!problem->penalties)
        return;
    fit->form->penalty(&fit->frame, fit->theta[0], at);
    for (size_t k = 0; k < fit->count; k++) {
        double before = fit->theta[0][k];
        fit->theta[0][k] = before + 1;
        fit->form->penalty(&fit->frame, fit->theta[0], moved);
        fit->theta[0][k] = before;
        for (size_t row = 0; row < problem->penalties; row++)
            gsl_matrix_set(out, problem->residuals + row, fit->index[0][k], moved[row] - at[row]);
    }
}

static int slopes(const gsl_vector *free, void *context, gsl_matrix *out)
{
    const struct problem *problem = context;
    scatter(problem->fit, free);
    gsl_matrix_set_zero(out);
    for (size_t s = 0; s < problem->data->series; s++)
        for (size_t i = 0; i < problem->data->rows; i++)
            slopes_of_row(problem, s, i, out);
    slopes_of_penalty(problem, out);
    return GSL_SUCCESS;
}

/* Central differences. The parameters are logarithms, so that a step is a share of the parameter itself. */
static int differences(const gsl_vector *free, void *context, gsl_matrix *out)
{
    static const double STEP = 6e-6; /* about the cube root of the precision */
    struct problem *problem = context;
    gsl_vector_memcpy(problem->moved, free);
    for (size_t p = 0; p < free->size; p++) {
        double at = gsl_vector_get(free, p), step = STEP * fmax(fabs(at), 1);
        gsl_vector_set(problem->moved, p, at + step);
        residuals(problem->moved, problem, problem->above);
        gsl_vector_set(problem->moved, p, at - step);
        residuals(problem->moved, problem, problem->below);
        gsl_vector_set(problem->moved, p, at);
        for (size_t k = 0; k < out->size1; k++)
            gsl_matrix_set(out, k, p, (gsl_vector_get(problem->above, k) - gsl_vector_get(problem->below, k)) / (2 * step));
    }
    return GSL_SUCCESS;
}

static size_t count_penalties(const struct pl_fit *fit)
{
    double scratch[PL_FIT_PARAMETERS_MAX];
    return fit->form->penalty ? fit->form->penalty(&fit->frame, fit->theta[0], scratch) : 0;
}

/* --- robust weights -------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median size of the weighted residuals, scaled to a standard deviation of normal ones. */
static double robust_scale(const struct problem *problem, const gsl_vector *values)
{
    const struct pl_fit_data *data = problem->data;
    double size[2 * PL_FIT_ROWS_MAX];
    for (size_t k = 0; k < problem->residuals; k++)
        size[k] = fabs(gsl_vector_get(values, k)) * sqrt(data->weight[k / data->rows][k % data->rows]);
    qsort(size, problem->residuals, sizeof *size, by_size);
    return (size[(problem->residuals - 1) / 2] + size[problem->residuals / 2]) / 2 / 0.6745;
}

/* Sets the weights from the residuals; returns the largest change. */
static double reweigh(const struct problem *problem, const gsl_vector *values)
{
    static const double HUBER_K = 1.345; /* 95 % as good as least squares where errors are normal */
    struct pl_fit *fit = problem->fit;
    double scale = robust_scale(problem, values), change = 0;
    for (size_t k = 0; k < problem->residuals; k++) {
        size_t s = k / problem->data->rows, i = k % problem->data->rows;
        double size = fabs(gsl_vector_get(values, k)) * sqrt(problem->data->weight[s][i]);
        double weight = size > HUBER_K * scale && scale > 0 ? HUBER_K * scale / size : 1;
        change = fmax(change, fabs(weight - fit->robust[s][i]));
        fit->robust[s][i] = weight;
    }
    return change;
}

static void set_weights(const struct problem *problem, bool robust, gsl_vector *out)
{
    const struct pl_fit_data *data = problem->data;
    gsl_vector_set_all(out, 1);
    for (size_t k = 0; k < problem->residuals; k++) {
        size_t s = k / data->rows, i = k % data->rows;
        gsl_vector_set(out, k, data->weight[s][i] * (robust ? problem->fit->robust[s][i] : 1));
    }
}

/* --- what the solution says ----------------------------------------------------------------------- */

/* (J'J)^-1 by singular values: directions of which the data say nothing get a huge variance and not none. */
static bool invert(const gsl_matrix *jacobian, gsl_matrix *out)
{
    size_t p = jacobian->size2;
    gsl_matrix *u = gsl_matrix_alloc(jacobian->size1, p), *v = gsl_matrix_alloc(p, p);
    gsl_vector *s = gsl_vector_alloc(p), *work = gsl_vector_alloc(p);
    bool done = u && v && s && work && gsl_matrix_memcpy(u, jacobian) == 0 && gsl_linalg_SV_decomp(u, v, s, work) == 0;
    for (size_t k = 0; done && k < p; k++) {
        double size = fmax(gsl_vector_get(s, k), 1e-150);
        gsl_vector_view column = gsl_matrix_column(v, k);
        gsl_vector_scale(&column.vector, 1 / size);
    }
    if (done)
        gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1, v, v, 0, out);
    gsl_vector_free(work);
    gsl_vector_free(s);
    gsl_matrix_free(v);
    gsl_matrix_free(u);
    return done;
}

/* How far row k of the Jacobian pulls the curve to itself: j (J'J)^-1 j'. */
static double pull(const gsl_matrix *jacobian, const gsl_matrix *inverse, size_t k)
{
    double sum = 0;
    for (size_t a = 0; a < jacobian->size2; a++)
        for (size_t b = 0; b < jacobian->size2; b++)
            sum += gsl_matrix_get(jacobian, k, a) * gsl_matrix_get(inverse, a, b) * gsl_matrix_get(jacobian, k, b);
    return fmax(0, fmin(sum, 1));
}

/* Sums over the rows of data: squares as weighted, as left out, and of the robust estimate. */
struct sums {
    double square, left_out, left_out_squares, full; /* full: robust weights squared, for the variance of Huber's estimate */
    double pull, unbent;           /* unbent: rows with their full weight */
};

static struct sums sum_rows(const struct problem *problem, const gsl_matrix *jacobian, const gsl_matrix *inverse,
                            const gsl_vector *values)
{
    struct sums sums = {0};
    for (size_t k = 0; k < problem->residuals; k++) {
        size_t s = k / problem->data->rows, i = k % problem->data->rows;
        double r = gsl_vector_get(values, k), w = problem->data->weight[s][i], robust = problem->fit->robust[s][i];
        double h = pull(jacobian, inverse, k);
        problem->fit->residual[s][i] = -r; /* given less fitted */
        problem->fit->leverage[s][i] = h;
        sums.square += w * robust * r * r;
        sums.full += w * robust * robust * r * r;
        double left_out = w * robust * r * r / pow(fmax(1 - h, 1e-3), 2);
        sums.left_out += left_out;
        sums.left_out_squares += left_out * left_out;
        sums.pull += h;
        sums.unbent += robust == 1;
    }
    return sums;
}

/* Huber's estimate scatters more than a weighted one (Huber 1981, 7.6): residuals beyond the bend count as if they lay
 * on it, and rows there hold the curve no more. Least squares: the same as ever. */
static void set_spread(struct pl_fit *fit, const struct sums *sums, size_t rows)
{
    double n = (double)rows, share = fmax(sums->unbent / n, 0.5);
    bool robust = fit->options.loss == PL_FIT_HUBER;
    fit->effective = sums->pull;
    fit->freedom = fmax(n - sums->pull, 1e-6);
    fit->press = sums->left_out / n;
    fit->press_error = sqrt(fmax(sums->left_out_squares / n - fit->press * fit->press, 0) / n);
    fit->sigma = robust ? sqrt(sums->full / fit->freedom) / share : sqrt(sums->square / fit->freedom);
    double k = fit->effective + 1; /* and sigma */
    fit->aicc = n - k - 1 > 0.5 ? n * log(fmax(sums->square / n, 1e-300)) + 2 * k + 2 * k * (k + 1) / (n - k - 1) : NAN;
}

static enum pl_err describe(const struct problem *problem, const gsl_matrix *jacobian, const gsl_vector *values,
                            struct pl_error *err)
{
    struct pl_fit *fit = problem->fit;
    gsl_matrix *inverse = gsl_matrix_alloc(fit->free, fit->free);
    if (!inverse || !invert(jacobian, inverse)) {
        gsl_matrix_free(inverse);
        return pl_fail_memory(err, 0, "a fit");
    }
    struct sums sums = sum_rows(problem, jacobian, inverse, values);
    set_spread(fit, &sums, problem->residuals);
    for (size_t a = 0; a < fit->free; a++)
        for (size_t b = 0; b < fit->free; b++)
            fit->covariance[a][b] = fit->sigma * fit->sigma * gsl_matrix_get(inverse, a, b);
    gsl_matrix_free(inverse);
    return PL_OK;
}

/* --- the solver -------------------------------------------------------------------------------------- */

/* Steps until they or the gradient vanish, or the sum of squares has stood still twice. A creep along a direction that
 * nothing depends on ends so too: the curve stands all the same, and the interval of that parameter is endless. */
static void descend(gsl_multifit_nlinear_workspace *work)
{
    enum { STEPS_MAX = 200 };
    double before = gsl_blas_dnrm2(gsl_multifit_nlinear_residual(work));
    int info, still = 0;
    for (int step = 0; step < STEPS_MAX && still < 2; step++) {
        if (gsl_multifit_nlinear_iterate(work) || gsl_multifit_nlinear_test(1e-10, 1e-14, 0, &info, work) == GSL_SUCCESS)
            return;
        double now = gsl_blas_dnrm2(gsl_multifit_nlinear_residual(work));
        still = before - now <= 1e-13 * before ? still + 1 : 0;
        before = now;
    }
}

/* Solves with the present weights, and again with robust ones until they stay. */
static void iterate(const struct problem *problem, gsl_multifit_nlinear_workspace *work,
                    gsl_multifit_nlinear_fdf *functions, gsl_vector *free, gsl_vector *weights)
{
    enum { ROUNDS_MAX = 40 };
    for (int round = 0; round < ROUNDS_MAX; round++) {
        set_weights(problem, true, weights);
        gsl_multifit_nlinear_winit(free, weights, functions, work);
        descend(work);
        gsl_vector_memcpy(free, gsl_multifit_nlinear_position(work));
        if (problem->fit->options.loss == PL_FIT_SQUARES)
            return;
        gsl_vector *values = gsl_multifit_nlinear_residual(work);
        residuals(free, (void *)problem, values); /* without weights */
        if (reweigh(problem, values) < 1e-6)
            return;
    }
}

/* At the solution: canonical parameters, and residuals and Jacobian there; the Jacobian with the rows' own weights, as
 * the variance of Huber's estimate wants it. */
static enum pl_err finish(const struct problem *problem, gsl_multifit_nlinear_workspace *work,
                          gsl_multifit_nlinear_fdf *functions, gsl_vector *free, gsl_vector *weights,
                          struct pl_error *err)
{
    struct pl_fit *fit = problem->fit;
    scatter(fit, free);
    for (size_t s = 0; s < fit->series && fit->form->canonical; s++)
        fit->form->canonical(fit->theta[s]); /* by the shared shape: all series alike */
    gather(fit, free->data);
    set_weights(problem, false, weights);
    gsl_multifit_nlinear_winit(free, weights, functions, work);
    gsl_matrix *jacobian = gsl_multifit_nlinear_jac(work); /* with the weights in it */
    gsl_vector *values = gsl_multifit_nlinear_residual(work);
    residuals(free, (void *)problem, values);
    enum pl_err rc = describe(problem, jacobian, values, err);
    scatter(fit, free); /* differences moved it */
    return rc;
}

static void free_vectors(struct problem *problem, gsl_vector *free, gsl_vector *weights)
{
    gsl_vector_free(free);
    gsl_vector_free(weights);
    gsl_vector_free(problem->moved);
    gsl_vector_free(problem->above);
    gsl_vector_free(problem->below);
}

static enum pl_err solve(struct problem *problem, struct pl_error *err)
{
    struct pl_fit *fit = problem->fit;
    size_t n = problem->residuals + problem->penalties, p = fit->free;
    gsl_multifit_nlinear_fdf functions = {.f = residuals, .df = fit->form->gradient ? slopes : differences, .n = n, .p = p, .params = problem};
    gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_workspace *work = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, n, p);
    gsl_vector *free = gsl_vector_alloc(p), *weights = gsl_vector_alloc(n);
    problem->moved = gsl_vector_alloc(p);
    problem->above = gsl_vector_alloc(n);
    problem->below = gsl_vector_alloc(n);
    enum pl_err rc = PL_OK;
    if (!work || !free || !weights || !problem->moved || !problem->above || !problem->below) {
        rc = pl_fail_memory(err, n * sizeof(double), "a fit");
    } else {
        gather(fit, free->data);
        iterate(problem, work, &functions, free, weights);
        rc = finish(problem, work, &functions, free, weights, err);
    }
    free_vectors(problem, free, weights);
    gsl_multifit_nlinear_free(work);
    return rc;
}

enum pl_err pl_fit_solve(const struct pl_fit_data *data, struct pl_fit *out, struct pl_error *err)
{
    out->series = data->series;
    out->count = pl_fit_form_count(out->form, &out->frame);
    lay_out_parameters(out);
    struct problem problem = {.data = data, .fit = out, .residuals = data->rows * data->series};
    problem.penalties = count_penalties(out);
    if (problem.residuals < 2 || problem.residuals + problem.penalties < out->free)
        return pl_fail(err, PL_ERR_INPUT, "%s has %zu parameters; there are %zu counts", out->form->name, out->free,
                       problem.residuals);
    for (size_t s = 0; s < data->series; s++)
        for (size_t i = 0; i < data->rows; i++)
            out->robust[s][i] = 1;
    return solve(&problem, err);
}
