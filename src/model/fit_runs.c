/* model/fit_runs.c: costs and ratio from run times.
 *
 * Unknowns are free as logarithms (of r - 1 for r), base as a share of the mean time; frac as it is, since 0 is its usual
 * value, and shown from 0 on. For a given r and frac the times
 * are linear in base, cd and ch, which gives the starts. Runs fewer than unknowns are filled up with rows of zeros: the
 * singular values then tell what is missing. */
#include "model/fit_runs.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_multifit_nlinear.h>

/* --- the file ---------------------------------------------------------------------------- */

static int column_of(const struct pl_csv *csv, const char *const *names)
{
    int found = -1;
    for (; *names && found < 0; names++)
        found = pl_csv_find(csv, *names);
    return found;
}

static enum pl_err read_run(const struct pl_csv *csv, const int column[3], double m_mb, double out[3],
                            struct pl_error *err)
{
    out[0] = NAN;
    out[1] = m_mb;
    for (int c = 0; c < 3; c++) {
        enum pl_err rc = column[c] >= 0 ? pl_csv_real(csv, (size_t)column[c], &out[c], err) : PL_OK;
        if (rc)
            return rc;
        if (out[c] < 0)
            return pl_fail_at(err, pl_csv_name(csv), pl_csv_line(csv), "%s is %.10g: it cannot be negative",
                              pl_csv_column_name(csv, (size_t)column[c]), out[c]);
    }
    if (isnan(out[2]))
        return pl_fail_at(err, pl_csv_name(csv), pl_csv_line(csv), "no time of this run");
    if (isnan(out[1]))
        return pl_fail_at(err, pl_csv_name(csv), pl_csv_line(csv), "no memory size m: give --m or a column m_mb");
    if (out[0] > out[1])
        return pl_fail_at(err, pl_csv_name(csv), pl_csv_line(csv), "a cache of %.6g MB on a machine of %.6g MB", out[0],
                          out[1]);
    return PL_OK;
}

enum { RUNS_MAX = 100000 };

static enum pl_err read_runs(struct pl_csv *csv, double m_mb, struct pl_arena *arena, struct pl_runs **out,
                             struct pl_error *err)
{
    static const char *const names[3][5] = {
        {"d_mb", "d", "cache_mb", "d (MB)"}, {"m_mb", "m", "memory_mb", "m (MB)"}, {"total_s", "seconds", "time_s", "total"}};
    int column[3];
    for (int c = 0; c < 3; c++)
        column[c] = column_of(csv, names[c]);
    if (column[0] < 0 || column[2] < 0)
        return pl_fail_at(err, pl_csv_name(csv), 0, "no column %s in the header line", column[0] < 0 ? "d_mb" : "total_s");
    struct pl_runs *runs = pl_arena_alloc(arena, 1, sizeof *runs);
    double *memory = pl_arena_alloc(arena, 3 * RUNS_MAX, sizeof *memory);
    const char *name = pl_arena_strdup(arena, pl_csv_name(csv));
    if (!runs || !memory || !name)
        return pl_fail_memory(err, 3 * RUNS_MAX * sizeof *memory, "runs");
    enum pl_err rc;
    size_t count = 0;
    while ((rc = pl_csv_next(csv, err)) == PL_OK) {
        double run[3];
        if (count == RUNS_MAX)
            return pl_fail_at(err, name, pl_csv_line(csv), "more than %d runs", RUNS_MAX);
        rc = read_run(csv, column, m_mb, run, err);
        if (rc)
            return rc;
        for (size_t c = 0; c < 3; c++)
            memory[c * RUNS_MAX + count] = run[c];
        count++;
    }
    if (rc != PL_END)
        return rc;
    if (count == 0)
        return pl_fail_at(err, name, 0, "no runs after the header line");
    *runs = (struct pl_runs){name, count, memory, memory + RUNS_MAX, memory + 2 * RUNS_MAX};
    *out = runs;
    return PL_OK;
}

enum pl_err pl_runs_read(const char *path, double m_mb, struct pl_arena *arena, struct pl_runs **out,
                         struct pl_error *err)
{
    struct pl_csv *csv;
    enum pl_err rc = pl_csv_open_path(path, &csv, err);
    if (rc)
        return rc;
    rc = read_runs(csv, m_mb, arena, out, err);
    pl_csv_close(csv);
    return rc;
}

/* --- the times ------------------------------------------------------------------------------ */

struct problem {
    const struct pl_runs *runs;
    const struct pl_fault_curves *curves;
    struct pl_cost_params params;
    double value[PL_RUNS_PARAMETERS]; /* present ones */
    size_t place[PL_RUNS_PARAMETERS]; /* of the unknown ones, in order */
    size_t unknown, rows;
    double scale; /* the mean time */
};

static double time_of(const struct problem *problem, size_t run, bool *extrapolated)
{
    struct pl_cost_params params = problem->params;
    const double *value = problem->value;
    double m = problem->runs->m_mb[run], d = problem->runs->d_mb[run];
    params.m_mb = m;
    params.d_mb = isnan(d) ? 0 : d;
    params.cd_s = value[PL_RUNS_CD];
    params.ch_s = value[PL_RUNS_CH];
    params.r = value[PL_RUNS_R];
    params.frac = value[PL_RUNS_FRAC];
    struct pl_cost cost = pl_cost_evaluate(problem->curves, &params);
    if (extrapolated)
        *extrapolated = cost.extrapolated;
    return value[PL_RUNS_BASE] + cost.disk_without_s + (isnan(d) ? 0 : cost.total_s);
}

/* Between an unknown as the solver moves it and its value. */
static double to_value(const struct problem *problem, size_t parameter, double theta)
{
    if (parameter == PL_RUNS_BASE)
        return theta * problem->scale;
    if (parameter == PL_RUNS_FRAC)
        return theta;
    double positive = isinf(theta) ? exp(theta) : exp(fmax(-80, fmin(theta, 80)));
    return parameter == PL_RUNS_R ? 1 + positive : positive;
}

static double to_theta(const struct problem *problem, size_t parameter, double value)
{
    if (parameter == PL_RUNS_BASE)
        return value / problem->scale;
    if (parameter == PL_RUNS_FRAC)
        return value;
    return log(fmax(parameter == PL_RUNS_R ? value - 1 : value, 1e-12));
}

static int residuals(const gsl_vector *theta, void *context, gsl_vector *out)
{
    struct problem *problem = context;
    for (size_t k = 0; k < problem->unknown; k++)
        problem->value[problem->place[k]] = to_value(problem, problem->place[k], gsl_vector_get(theta, k));
    gsl_vector_set_zero(out);
    for (size_t i = 0; i < problem->runs->count; i++)
        gsl_vector_set(out, i, (time_of(problem, i, NULL) - problem->runs->total_s[i]) / problem->scale);
    return GSL_SUCCESS;
}

static gsl_multifit_nlinear_parameters solver_parameters(void)
{
    gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
    parameters.fdtype = GSL_MULTIFIT_NLINEAR_CTRDIFF;
    parameters.h_df = 6e-6; /* about the cube root of the precision */
    return parameters;
}

/* --- starts ------------------------------------------------------------------------------------ */

/* With r and frac as they stand: the times at one of base, cd and ch = 1 and the others 0 are the columns of a linear
 * problem. Negative results become small positive ones. */
static void solve_linear(struct problem *problem, const double known[PL_RUNS_PARAMETERS])
{
    size_t n = problem->runs->count;
    gsl_matrix *design = gsl_matrix_alloc(n, 3), *covariance = gsl_matrix_alloc(3, 3);
    gsl_vector *times = gsl_vector_alloc(n), *found = gsl_vector_alloc(3);
    gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(n, 3);
    double sum, least[3] = {0, 1e-6, 1e-5};
    bool done = design && covariance && times && found && work;
    for (size_t k = 0; k < 3 && done; k++) {
        for (size_t c = 0; c < 3; c++)
            problem->value[c] = c == k;
        for (size_t i = 0; i < n; i++)
            gsl_matrix_set(design, i, k, time_of(problem, i, NULL));
    }
    for (size_t i = 0; i < n && done; i++)
        gsl_vector_set(times, i, problem->runs->total_s[i]);
    done = done && gsl_multifit_linear(design, times, found, covariance, &sum, work) == 0;
    for (size_t k = 0; k < 3; k++) {
        double value = done ? gsl_vector_get(found, k) : 0;
        problem->value[k] = !isnan(known[k]) ? known[k] : fmax(value, least[k]);
    }
    gsl_multifit_linear_free(work);
    gsl_vector_free(found);
    gsl_vector_free(times);
    gsl_matrix_free(covariance);
    gsl_matrix_free(design);
}

/* --- the solution ------------------------------------------------------------------------------- */

/* Which directions the runs say nothing about, and the variance of each unknown: sums over the directions. */
static bool look_at_directions(const struct problem *problem, const gsl_matrix *jacobian, double sigma,
                               double variance[PL_RUNS_PARAMETERS], struct pl_runs_fit *out)
{
    size_t p = problem->unknown;
    gsl_matrix *u = gsl_matrix_alloc(jacobian->size1, p), *v = gsl_matrix_alloc(p, p);
    gsl_vector *s = gsl_vector_alloc(p), *work = gsl_vector_alloc(p);
    bool done = u && v && s && work && gsl_matrix_memcpy(u, jacobian) == 0 && gsl_linalg_SV_decomp(u, v, s, work) == 0;
    for (size_t k = 0; k < p && done; k++) {
        double size = gsl_vector_get(s, k), first = gsl_vector_get(s, 0);
        bool nothing = size <= 1e-7 * first; /* differences are no more exact than that */
        double error = nothing ? INFINITY : sigma / size;
        for (size_t i = 0; i < p; i++) {
            double weight = gsl_matrix_get(v, i, k);
            variance[i] += nothing && fabs(weight) < 1e-4 ? 0 : pow(weight * error, 2);
        }
        out->condition = nothing ? INFINITY : first / size;
        if (!(error > 0.5))
            continue;
        struct pl_runs_blur *blur = &out->blur[out->blurs++];
        blur->error = error;
        for (size_t i = 0; i < p; i++)
            blur->weight[problem->place[i]] = gsl_matrix_get(v, i, k);
    }
    gsl_vector_free(work);
    gsl_vector_free(s);
    gsl_matrix_free(v);
    gsl_matrix_free(u);
    return done;
}

/* From several r; the least sum of squares stays in `best`. */
static void search(struct problem *problem, const double known[PL_RUNS_PARAMETERS], gsl_multifit_nlinear_fdf *functions,
                   gsl_multifit_nlinear_workspace *work, gsl_vector *best)
{
    static const double ratios[] = {1.2, 1.6, 2.2, 3.5};
    gsl_vector *start = gsl_vector_alloc(problem->unknown);
    double least = INFINITY;
    int info;
    for (size_t k = 0; start && k < PL_COUNT_OF(ratios); k++) {
        problem->value[PL_RUNS_R] = isnan(known[PL_RUNS_R]) ? ratios[k] : known[PL_RUNS_R];
        problem->value[PL_RUNS_FRAC] = isnan(known[PL_RUNS_FRAC]) ? 0.1 : known[PL_RUNS_FRAC];
        solve_linear(problem, known);
        for (size_t i = 0; i < problem->unknown; i++)
            gsl_vector_set(start, i, to_theta(problem, problem->place[i], problem->value[problem->place[i]]));
        gsl_multifit_nlinear_init(start, functions, work);
        gsl_multifit_nlinear_driver(200, 1e-10, 1e-14, 0, NULL, NULL, &info, work);
        double size = 0;
        for (size_t i = 0; i < problem->rows; i++)
            size += pow(gsl_vector_get(gsl_multifit_nlinear_residual(work), i), 2);
        if (size < least) {
            least = size;
            gsl_vector_memcpy(best, gsl_multifit_nlinear_position(work));
        }
    }
    gsl_vector_free(start);
}

/* --- intervals by the profile ---------------------------------------------------------------- */

static double squares_of(gsl_multifit_nlinear_workspace *work)
{
    double size = gsl_blas_dnrm2(gsl_multifit_nlinear_residual(work));
    return size * size;
}

/* The least sum of squares with one unknown held at `theta`, the others from `at` on, where their best stays. NaN
 * without memory. */
static double profile(const struct problem *problem, size_t held, double theta, gsl_vector *at)
{
    struct problem rest = *problem;
    size_t count = 0, rows = problem->rows;
    int info;
    rest.value[problem->place[held]] = to_value(problem, problem->place[held], theta);
    for (size_t k = 0; k < problem->unknown; k++)
        if (k != held)
            rest.place[count++] = problem->place[k];
    rest.unknown = count;
    gsl_vector *start = gsl_vector_alloc(count), *best = gsl_vector_calloc(count);
    gsl_multifit_nlinear_fdf functions = {.f = residuals, .n = rows, .p = count, .params = &rest};
    gsl_multifit_nlinear_parameters parameters = solver_parameters();
    gsl_multifit_nlinear_workspace *work =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, rows, count);
    double sum = NAN;
    if (start && best && work) {
        for (size_t k = 0, to = 0; k < problem->unknown; k++)
            if (k != held)
                gsl_vector_set(start, to++, gsl_vector_get(at, k));
        gsl_multifit_nlinear_init(start, &functions, work);
        gsl_multifit_nlinear_driver(200, 1e-9, 1e-14, 0, NULL, NULL, &info, work);
        gsl_vector_memcpy(best, gsl_multifit_nlinear_position(work));
        sum = squares_of(work);
        for (size_t k = 0, to = 0; k < problem->unknown; k++)
            gsl_vector_set(at, k, k == held ? theta : gsl_vector_get(best, to++));
    }
    gsl_multifit_nlinear_free(work);
    gsl_vector_free(best);
    gsl_vector_free(start);
    return sum;
}

/* The sum of squares with one unknown held; with only one there are no others to move. */
static double held_squares(const struct problem *problem, size_t held, double theta, gsl_vector *at)
{
    if (problem->unknown > 1)
        return profile(problem, held, theta, at);
    struct problem alone = *problem;
    double sum = 0;
    alone.value[problem->place[held]] = to_value(problem, problem->place[held], theta);
    for (size_t i = 0; i < problem->runs->count; i++)
        sum += pow((time_of(&alone, i, NULL) - problem->runs->total_s[i]) / problem->scale, 2);
    return sum;
}

/* How far an unknown can go on one side before the sum of squares, the others free, passes `limit`: steps that double,
 * then halves. Infinite when it never does. */
static double reach_of(const struct problem *problem, const gsl_vector *theta, size_t held, double step, double limit)
{
    enum { DOUBLINGS = 8, HALVINGS = 10 };
    double inside = gsl_vector_get(theta, held), outside = inside;
    gsl_vector *at = gsl_vector_alloc(problem->unknown), *from = gsl_vector_alloc(problem->unknown);
    bool passed = false;
    if (at && from) {
        gsl_vector_memcpy(from, theta);
        for (int k = 0; k < DOUBLINGS && !passed; k++, step *= 2) {
            outside = inside + step;
            gsl_vector_memcpy(at, from);
            passed = held_squares(problem, held, outside, at) > limit;
            if (!passed) {
                inside = outside;
                gsl_vector_memcpy(from, at);
            }
        }
        for (int k = 0; k < HALVINGS && passed; k++) {
            double middle = (inside + outside) / 2;
            gsl_vector_memcpy(at, from);
            bool beyond = held_squares(problem, held, middle, at) > limit;
            *(beyond ? &outside : &inside) = middle;
            if (!beyond)
                gsl_vector_memcpy(from, at);
        }
    }
    gsl_vector_free(from);
    gsl_vector_free(at);
    return passed ? (inside + outside) / 2 : copysign(INFINITY, step);
}

/* cd, ch and frac end at 0, r at 1; the solver creeps towards an end without getting there. `low` and `high` are the
 * interval's. */
static bool is_at_bound(size_t parameter, double value, double low, double high)
{
    enum { CREPT = 4 };
    if (parameter == PL_RUNS_BASE)
        return false;
    const double end = parameter == PL_RUNS_R ? 1 : 0;
    return value <= end || (low <= end && isfinite(high) && value - end < (high - end) / CREPT);
}

/* The times bend too much in r and ch for intervals from the slopes alone: those would hold the truth in four of five
 * cases where nineteen of twenty are meant. So the interval is where the sum of squares, all others free, is at most
 * 1 + t^2 / freedom times its least (Bates and Watts 1988, 6.1). */
static void set_estimates(const struct problem *problem, const gsl_vector *theta,
                          const double variance[PL_RUNS_PARAMETERS], double squares, double confidence,
                          struct pl_runs_fit *out)
{
    double t = out->freedom ? gsl_cdf_tdist_Pinv(0.5 + confidence / 2, (double)out->freedom) : NAN;
    double limit = squares * (1 + t * t / (double)out->freedom);
    for (size_t i = 0; i < PL_RUNS_PARAMETERS; i++)
        out->estimate[i] = (struct pl_runs_estimate){true, problem->value[i], NAN, NAN, false, true};
    for (size_t k = 0; k < problem->unknown; k++) {
        double error = sqrt(variance[k]), step = t * fmin(fmax(error, 1e-9), 2) / 2;
        size_t which = problem->place[k];
        double least = which == PL_RUNS_FRAC ? 0 : -INFINITY;
        struct pl_runs_estimate *estimate = &out->estimate[which];
        estimate->known = false;
        estimate->identified = error < 0.5;
        estimate->value = fmax(to_value(problem, which, gsl_vector_get(theta, k)), least);
        if (!out->freedom)
            continue;
        estimate->low = fmax(to_value(problem, which, reach_of(problem, theta, k, -step, limit)), least);
        estimate->high = fmax(to_value(problem, which, reach_of(problem, theta, k, step, limit)), least);
        estimate->at_bound = is_at_bound(which, estimate->value, estimate->low, estimate->high);
    }
}

static enum pl_err describe(struct problem *problem, gsl_multifit_nlinear_workspace *work, double confidence,
                            struct pl_arena *arena, struct pl_runs_fit *out, struct pl_error *err)
{
    const gsl_vector *theta = gsl_multifit_nlinear_position(work);
    double variance[PL_RUNS_PARAMETERS] = {0}, squares = 0;
    double *fitted = pl_arena_alloc(arena, problem->runs->count, sizeof *fitted);
    if (!fitted)
        return pl_fail_memory(err, 0, "runs");
    for (size_t k = 0; k < problem->unknown; k++)
        problem->value[problem->place[k]] = to_value(problem, problem->place[k], gsl_vector_get(theta, k));
    *out = (struct pl_runs_fit){.unknown = problem->unknown, .fitted_s = fitted};
    for (size_t i = 0; i < problem->runs->count; i++) {
        bool extrapolated;
        fitted[i] = time_of(problem, i, &extrapolated);
        out->extrapolated += extrapolated;
        squares += pow((fitted[i] - problem->runs->total_s[i]) / problem->scale, 2);
    }
    out->freedom = problem->runs->count > problem->unknown ? problem->runs->count - problem->unknown : 0;
    double sigma = out->freedom ? sqrt(squares / (double)out->freedom) : 0;
    out->sigma_s = out->freedom ? sigma * problem->scale : NAN;
    if (!look_at_directions(problem, gsl_multifit_nlinear_jac(work), sigma, variance, out))
        return pl_fail_memory(err, 0, "runs");
    set_estimates(problem, theta, variance, squares, confidence, out);
    return PL_OK;
}

enum pl_err pl_runs_fit(const struct pl_runs *runs, const struct pl_fault_curves *curves,
                        const struct pl_cost_params *params, const double known[PL_RUNS_PARAMETERS], double confidence,
                        struct pl_arena *arena, struct pl_runs_fit *out, struct pl_error *err)
{
    struct problem problem = {.runs = runs, .curves = curves, .params = *params};
    for (size_t i = 0; i < PL_RUNS_PARAMETERS; i++) {
        problem.value[i] = known[i];
        if (isnan(known[i]))
            problem.place[problem.unknown++] = i;
    }
    for (size_t i = 0; i < runs->count; i++)
        problem.scale += runs->total_s[i] / (double)runs->count;
    if (!problem.unknown)
        return pl_fail(err, PL_ERR_USAGE, "every parameter is given: there is nothing to estimate");
    if (!(problem.scale > 0))
        return pl_fail(err, PL_ERR_INPUT, "%s: all times are 0", runs->name);
    problem.rows = runs->count > problem.unknown ? runs->count : problem.unknown;

    gsl_multifit_nlinear_fdf functions = {.f = residuals, .n = problem.rows, .p = problem.unknown, .params = &problem};
    gsl_multifit_nlinear_parameters parameters = solver_parameters();
    gsl_multifit_nlinear_workspace *work =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, problem.rows, problem.unknown);
    gsl_vector *best = gsl_vector_calloc(problem.unknown);
    enum pl_err rc = PL_OK;
    if (!work || !best) {
        rc = pl_fail_memory(err, 0, "runs");
    } else {
        search(&problem, known, &functions, work, best);
        gsl_multifit_nlinear_init(best, &functions, work);
        rc = describe(&problem, work, confidence, arena, out, err);
    }
    gsl_vector_free(best);
    gsl_multifit_nlinear_free(work);
    return rc;
}
