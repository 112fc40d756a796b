/* study/calibrate.c: fitting a machine to measurements. See calibrate.h for the method. */
#include "study/calibrate.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const pl_calibrated_state_names[] = {"fitted", "unseen", "entangled", "measured", "at its bound", NULL};

/* A parameter is unseen when doubling it moves no observation by more than this share; entangled when, beside the others,
 * less than this share of its own effect is left. */
static const double SEEN = 2e-3, OWN = 0.02;
static const double LEAST_SIGMA = 0.01; /* timers, interrupts: no median of a few samples is better */
enum { OBSERVATIONS_MAX = 512, PARAMETERS_MAX = 64, ITERATIONS = 12, WHOLE_MOST = 16 };

struct fit {
    struct pl_parameters *parameters;
    const struct pl_measurement *measurements;
    size_t count;
    const struct pl_calibrate_options *options;
    struct pl_arena *arena;
    struct pl_calibration *out;
    double sigma[OBSERVATIONS_MAX];
    size_t active[PARAMETERS_MAX]; /* indices of parameters that are fitted */
    size_t actives;
    gsl_matrix *slopes; /* seconds of each point by each parameter's own number */
    enum pl_err failed;
    struct pl_error failure;
};

/* --- what is observed ------------------------------------------------------------------- */

static bool is_observed(const struct pl_measured_value *value, pl_time_ps least)
{
    if (value->class == PL_MEASURED_INPUT || value->class == PL_MEASURED_RESTATED || value->class == PL_MEASURED_SHOWN)
        return false;
    if (strcmp(value->quantity, "time") && strcmp(value->quantity, "worker_seconds"))
        return false;
    return pl_measured_median(value) * (double)PL_PS_PER_S >= (double)least && pl_measured_median(value) > 0;
}

static enum pl_err list_points(struct fit *fit, struct pl_error *err)
{
    struct pl_calibration *out = fit->out;
    out->point = pl_arena_alloc(fit->arena, OBSERVATIONS_MAX, sizeof *out->point);
    if (!out->point)
        return pl_fail_memory(err, 0, "observations");
    for (size_t m = 0; m < fit->count; m++)
        for (size_t p = 0; p < fit->measurements[m].phases; p++) {
            const struct pl_measured_phase *phase = &fit->measurements[m].phase[p];
            for (size_t v = 0; v < phase->values; v++) {
                const struct pl_measured_value *value = &phase->value[v];
                if (!is_observed(value, fit->options->least_time))
                    continue;
                if (out->points == OBSERVATIONS_MAX)
                    return pl_fail(err, PL_ERR_INPUT, "more than %d observations", OBSERVATIONS_MAX);
                double spread = pl_measured_spread(value) / sqrt((double)value->samples);
                fit->sigma[out->points] = fmax(spread, LEAST_SIGMA);
                out->point[out->points++] = (struct pl_calibration_point){
                    &fit->measurements[m], phase->name, value->quantity, pl_measured_median(value), NAN, NAN};
            }
        }
    return out->points ? PL_OK : pl_fail(err, PL_ERR_INPUT, "the measurements have no times to calibrate on");
}

/* Simulates every measurement with the parameters as they are; `seconds` has one for each point. */
static enum pl_err simulate(struct fit *fit, double *seconds, struct pl_error *err)
{
    struct pl_machine machine;
    enum pl_err rc = pl_machine_finish(fit->parameters, &machine, err);
    for (size_t m = 0; m < fit->count && rc == PL_OK; m++) {
        struct pl_prediction *prediction = NULL;
        rc = pl_predict(&fit->measurements[m], &machine, NULL, &prediction, err);
        for (size_t i = 0; i < fit->out->points && rc == PL_OK; i++)
            if (fit->out->point[i].measurement == &fit->measurements[m])
                rc = pl_prediction_value(prediction, fit->out->point[i].phase, fit->out->point[i].quantity, &seconds[i], err);
        pl_prediction_free(prediction);
        fit->out->runs++;
        if (rc == PL_OK && !pl_progress_report(fit->options->progress, fit->out->runs, 0))
            rc = pl_fail(err, PL_ERR_RESOURCE, "interrupted");
    }
    return rc;
}

/* --- parameters ------------------------------------------------------------------------------ */

static enum pl_err set(struct fit *fit, const char *path, double number, struct pl_error *err)
{
    return pl_parameters_put_number(fit->parameters, path, number, PL_FROM_FITTED, NULL, "calibration", err);
}

static bool is_usual(const struct pl_parameter_value *value)
{
    return (!strncmp(value->path, "cost.", 5) && value->row->kind == PL_PARAM_TIME) || !strcmp(value->path, "run.crowding");
}

static enum pl_err add_parameter(struct fit *fit, const struct pl_parameter_value *value, const struct pl_machine *machine,
                                 struct pl_error *err)
{
    struct pl_calibration *out = fit->out;
    const enum pl_parameter_kind kind = value->row->kind;
    if (kind != PL_PARAM_TIME && kind != PL_PARAM_RATE && kind != PL_PARAM_COUNT && kind != PL_PARAM_REAL)
        return pl_fail(err, PL_ERR_USAGE, "%s is no time, rate, count or share: it cannot be fitted", value->path);
    if (out->parameters == PARAMETERS_MAX)
        return pl_fail(err, PL_ERR_USAGE, "more than %d parameters", PARAMETERS_MAX);
    double number = pl_parameter_number(value, machine);
    if (kind == PL_PARAM_COUNT && !(number <= WHOLE_MOST))
        return pl_fail(err, PL_ERR_USAGE, "%s is %.10g: whole numbers are searched up to %d only, as of threads", value->path,
                       number, WHOLE_MOST);
    out->parameter[out->parameters++] =
        (struct pl_calibrated){value->path, PL_CALIBRATED_UNSEEN, NULL, number, number, NAN, NAN};
    return PL_OK;
}

static enum pl_err list_parameters(struct fit *fit, struct pl_error *err)
{
    struct pl_machine machine;
    enum pl_err rc = pl_machine_finish(fit->parameters, &machine, err);
    fit->out->parameter = pl_arena_alloc(fit->arena, PARAMETERS_MAX, sizeof *fit->out->parameter);
    if (rc == PL_OK && !fit->out->parameter)
        rc = pl_fail_memory(err, 0, "parameters");
    for (size_t i = 0; i < fit->options->path_count && rc == PL_OK; i++) {
        const struct pl_parameter_value *value = pl_parameters_find(fit->parameters, fit->options->paths[i]);
        if (!value) {
            const char *names[512];
            char hint[160];
            size_t known = pl_parameters_count(fit->parameters);
            for (size_t k = 0; k < known && k < PL_COUNT_OF(names); k++)
                names[k] = pl_parameters_at(fit->parameters, k)->path;
            pl_did_you_mean(hint, sizeof hint, fit->options->paths[i], names, known < 512 ? known : 512, sizeof *names);
            return pl_fail(err, PL_ERR_USAGE, "a machine has no parameter '%s'%s", fit->options->paths[i], hint);
        }
        rc = add_parameter(fit, value, &machine, err);
    }
    for (size_t i = 0; !fit->options->path_count && i < pl_parameters_count(fit->parameters) && rc == PL_OK; i++)
        if (is_usual(pl_parameters_at(fit->parameters, i)))
            rc = add_parameter(fit, pl_parameters_at(fit->parameters, i), &machine, err);
    return rc;
}

static bool is_whole(const struct fit *fit, size_t i)
{
    return pl_parameters_find(fit->parameters, fit->out->parameter[i].path)->row->kind == PL_PARAM_COUNT;
}

static enum pl_parameter_kind kind_of(const struct fit *fit, const struct pl_calibrated *parameter)
{
    return pl_parameters_find(fit->parameters, parameter->path)->row->kind;
}

/* Costs of nothing have no logarithm: such a parameter starts from a nanosecond, a share from a twentieth. */
static double start_of(const struct fit *fit, const struct pl_calibrated *parameter)
{
    const double least = kind_of(fit, parameter) == PL_PARAM_REAL ? 0.05 : 1000;
    return parameter->value > 0 ? parameter->value : least;
}

/* At least a picosecond, or a millionth; at most what the parameter allows, or 2.7 days in picoseconds. */
static void range_of(const struct fit *fit, const struct pl_calibrated *parameter, double *least, double *most)
{
    const struct pl_parameter *row = pl_parameters_find(fit->parameters, parameter->path)->row;
    const bool share = row->kind == PL_PARAM_REAL;
    *least = share ? 1e-6 : 1;
    *most = share && row->most ? strtod(row->most, NULL) : exp(40);
}

/* The number of a logarithm: a step too far comes back. */
static double within(const struct fit *fit, const struct pl_calibrated *parameter, double logarithm)
{
    double least, most;
    range_of(fit, parameter, &least, &most);
    return fmin(fmax(exp(fmin(logarithm, 700)), least), most);
}

/* Did the fit end where the range does? Close to nothing a cost stops to matter, and the steps end before the range: there
 * a fit whose interval reaches the end is at it. */
static bool is_at_bound(const struct fit *fit, const struct pl_calibrated *parameter)
{
    enum { CLOSE = 1000 };
    double least, most;
    range_of(fit, parameter, &least, &most);
    return parameter->value <= least || parameter->value >= most ||
           (parameter->value < CLOSE * least && !(parameter->low > least));
}

/* --- what can be told ----------------------------------------------------------------------------- */

/* Derivatives of log times by log parameters over sigma, by doubling each in turn: times are sums of costs, so that a
 * large step says more than a small one. Column j is parameter j. */
static enum pl_err sensitivities(struct fit *fit, const double *base, gsl_matrix *out, struct pl_error *err)
{
    double *moved = pl_arena_alloc(fit->arena, fit->out->points, sizeof *moved);
    if (!moved)
        return pl_fail_memory(err, 0, "derivatives");
    for (size_t j = 0; j < fit->out->parameters; j++) {
        struct pl_calibrated *parameter = &fit->out->parameter[j];
        if (is_whole(fit, j))
            continue;
        enum pl_err rc = set(fit, parameter->path, 2 * start_of(fit, parameter), err);
        if (rc == PL_OK)
            rc = simulate(fit, moved, err);
        if (rc == PL_OK)
            rc = set(fit, parameter->path, parameter->value, err);
        if (rc)
            return rc;
        for (size_t i = 0; i < fit->out->points; i++) {
            gsl_matrix_set(out, i, j, base[i] > 0 && moved[i] > 0 ? log(moved[i] / base[i]) / M_LN2 : 0);
            gsl_matrix_set(fit->slopes, i, j, (moved[i] - base[i]) / (2 * start_of(fit, parameter) - parameter->value));
        }
    }
    return PL_OK;
}

/* The share of column j that the chosen columns do not explain, and which of them is most like it. */
static double own_share(const gsl_matrix *effects, size_t j, gsl_matrix *basis, size_t chosen, gsl_vector *rest)
{
    gsl_vector_const_view column = gsl_matrix_const_column(effects, j);
    gsl_vector_memcpy(rest, &column.vector);
    for (size_t k = 0; k < chosen; k++) {
        double product;
        gsl_vector_view base = gsl_matrix_column(basis, k);
        gsl_blas_ddot(rest, &base.vector, &product);
        gsl_blas_daxpy(-product, &base.vector, rest);
    }
    return gsl_blas_dnrm2(rest) / gsl_blas_dnrm2(&column.vector);
}

static const char *most_like(const struct fit *fit, const gsl_matrix *effects, size_t j)
{
    double best = -1;
    const char *out = NULL;
    gsl_vector_const_view column = gsl_matrix_const_column(effects, j);
    for (size_t k = 0; k < fit->actives; k++) {
        double product;
        gsl_vector_const_view other = gsl_matrix_const_column(effects, fit->active[k]);
        gsl_blas_ddot(&column.vector, &other.vector, &product);
        product = fabs(product) / gsl_blas_dnrm2(&other.vector);
        if (product > best) {
            best = product;
            out = fit->out->parameter[fit->active[k]].path;
        }
    }
    return out;
}

/* Chooses parameters one after the other, the one with the most of its own left first, as a pivoted decomposition does. */
static enum pl_err choose(struct fit *fit, const gsl_matrix *effects, struct pl_error *err)
{
    const size_t points = fit->out->points, parameters = fit->out->parameters;
    gsl_matrix *basis = gsl_matrix_calloc(points, parameters + 1);
    gsl_vector *rest = gsl_vector_alloc(points);
    if (!basis || !rest) {
        gsl_matrix_free(basis);
        gsl_vector_free(rest);
        return pl_fail_memory(err, 0, "derivatives");
    }
    bool open[PARAMETERS_MAX];
    for (size_t j = 0; j < parameters; j++) {
        gsl_vector_const_view column = gsl_matrix_const_column(effects, j);
        open[j] = !is_whole(fit, j) && gsl_blas_dnrm2(&column.vector) > SEEN;
    }
    while (fit->actives < points) {
        double best = 0;
        size_t which = parameters;
        for (size_t j = 0; j < parameters; j++) {
            if (!open[j])
                continue;
            gsl_vector_const_view column = gsl_matrix_const_column(effects, j);
            double share = own_share(effects, j, basis, fit->actives, rest);
            double left = share * gsl_blas_dnrm2(&column.vector);
            if (share > OWN && left > SEEN && left > best) {
                best = left;
                which = j;
            }
        }
        if (which == parameters)
            break;
        own_share(effects, which, basis, fit->actives, rest);
        gsl_vector_scale(rest, 1 / gsl_blas_dnrm2(rest));
        gsl_matrix_set_col(basis, fit->actives, rest);
        fit->active[fit->actives++] = which;
        fit->out->parameter[which].state = PL_CALIBRATED_FITTED;
        open[which] = false;
    }
    for (size_t j = 0; j < parameters; j++)
        if (open[j]) {
            fit->out->parameter[j].state = PL_CALIBRATED_ENTANGLED;
            fit->out->parameter[j].with = most_like(fit, effects, j);
        }
    gsl_matrix_free(basis);
    gsl_vector_free(rest);
    return fit->actives ? PL_OK : pl_fail(err, PL_ERR_INPUT, "no parameter moves any of the measured times");
}

/* --- a first guess -------------------------------------------------------------------------------------- */

/* Times are sums of costs: of one thread exactly, so that the costs that fit best, none of them below zero, come from linear
 * equations, by coordinate descent. They are the place from which the fit starts, however far off the machine was. Shares
 * multiply times, and wait until the costs are about right. */
static double residual_of(const struct fit *fit, const double *base, size_t i)
{
    double sum = base[i] - fit->out->point[i].measured;
    for (size_t k = 0; k < fit->actives; k++) {
        const struct pl_calibrated *parameter = &fit->out->parameter[fit->active[k]];
        sum += gsl_matrix_get(fit->slopes, i, fit->active[k]) * (parameter->value - parameter->before);
    }
    return sum;
}

static void improve(struct fit *fit, const double *base, size_t j)
{
    struct pl_calibrated *parameter = &fit->out->parameter[j];
    double pull = 0, square = 0;
    for (size_t i = 0; i < fit->out->points; i++) {
        const double slope = gsl_matrix_get(fit->slopes, i, j), weight = 1 / (fit->out->point[i].measured * fit->sigma[i]);
        if (slope < 0)
            return; /* a switch and no cost: 0 means something else than a small number */
        pull += weight * weight * slope * residual_of(fit, base, i);
        square += weight * weight * slope * slope;
    }
    if (square > 0)
        parameter->value = fmax(parameter->value - pull / square, start_of(fit, parameter) / 20);
}

static void first_guess(struct fit *fit, const double *base)
{
    enum { SWEEPS = 400 };
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t k = 0; k < fit->actives; k++)
            if (kind_of(fit, &fit->out->parameter[fit->active[k]]) == PL_PARAM_TIME)
                improve(fit, base, fit->active[k]);
}

/* --- the fit ------------------------------------------------------------------------------------------ */

static enum pl_err put_logs(struct fit *fit, const gsl_vector *x, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    for (size_t k = 0; k < fit->actives && rc == PL_OK; k++) {
        const struct pl_calibrated *parameter = &fit->out->parameter[fit->active[k]];
        rc = set(fit, parameter->path, within(fit, parameter, gsl_vector_get(x, k)), err);
    }
    return rc;
}

/* GSL's residuals: log times over sigma. */
static int residuals(const gsl_vector *x, void *user, gsl_vector *out)
{
    struct fit *fit = user;
    double seconds[OBSERVATIONS_MAX];
    if (fit->failed)
        return GSL_EFAILED;
    fit->failed = put_logs(fit, x, &fit->failure);
    if (!fit->failed)
        fit->failed = simulate(fit, seconds, &fit->failure);
    if (fit->failed)
        return GSL_EFAILED;
    for (size_t i = 0; i < fit->out->points; i++) {
        double predicted = fmax(seconds[i], 1e-12);
        gsl_vector_set(out, i, log(predicted / fit->out->point[i].measured) / fit->sigma[i]);
    }
    return GSL_SUCCESS;
}

/* Values and intervals out of a solved workspace. */
static void take(struct fit *fit, const gsl_multifit_nlinear_workspace *work, double *chi2)
{
    const size_t n = fit->out->points, p = fit->actives;
    gsl_matrix *covariance = gsl_matrix_alloc(p, p);
    gsl_blas_ddot(gsl_multifit_nlinear_residual(work), gsl_multifit_nlinear_residual(work), chi2);
    if (covariance)
        gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(work), 0, covariance);
    const double dof = n > p ? (double)(n - p) : 1, tail = 1 - (1 - fit->options->confidence) / 2;
    const double inflate = n > p ? fmax(1, *chi2 / dof) : 1;
    const double t = n > p ? gsl_cdf_tdist_Pinv(tail, dof) : gsl_cdf_ugaussian_Pinv(tail);
    for (size_t k = 0; k < p; k++) {
        struct pl_calibrated *parameter = &fit->out->parameter[fit->active[k]];
        const double log_value = gsl_vector_get(gsl_multifit_nlinear_position(work), k);
        const double se = covariance ? sqrt(gsl_matrix_get(covariance, k, k) * inflate) : NAN;
        parameter->value = within(fit, parameter, log_value);
        parameter->low = exp(log_value - t * se);
        parameter->high = exp(log_value + t * se);
        const bool bound = is_at_bound(fit, parameter);
        parameter->state = bound ? PL_CALIBRATED_AT_BOUND : PL_CALIBRATED_FITTED;
        if (bound)
            parameter->low = parameter->high = NAN;
    }
    gsl_matrix_free(covariance);
}

static enum pl_err solve(struct fit *fit, double *chi2, struct pl_error *err)
{
    gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
    how.h_df = 1e-3; /* a per cent of the cost, as logs of picoseconds are about 10 */
    gsl_multifit_nlinear_fdf problem = {.f = residuals, .n = fit->out->points, .p = fit->actives, .params = fit};
    gsl_multifit_nlinear_workspace *work =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, fit->out->points, fit->actives);
    gsl_vector *start = gsl_vector_alloc(fit->actives);
    enum pl_err rc = work && start ? PL_OK : pl_fail_memory(err, 0, "a fit");
    if (rc == PL_OK) {
        int info;
        for (size_t k = 0; k < fit->actives; k++)
            gsl_vector_set(start, k, log(start_of(fit, &fit->out->parameter[fit->active[k]])));
        int status = gsl_multifit_nlinear_init(start, &problem, work);
        if (!status)
            status = gsl_multifit_nlinear_driver(ITERATIONS, 1e-5, 1e-6, 1e-6, NULL, NULL, &info, work);
        if (fit->failed) {
            rc = fit->failed;
            *err = fit->failure;
        } else if (status && status != GSL_EMAXITER && status != GSL_ENOPROG) {
            rc = pl_fail(err, PL_ERR_RESOURCE, "the fit failed: %s", gsl_strerror(status));
        } else {
            take(fit, work, chi2);
        }
    }
    gsl_multifit_nlinear_free(work);
    gsl_vector_free(start);
    return rc;
}

/* Costs first, then shares with them: a share that starts among wrong costs runs away. */
static enum pl_err solve_in_steps(struct fit *fit, double *chi2, struct pl_error *err)
{
    const size_t all = fit->actives;
    size_t costs = 0;
    for (size_t k = 0; k < all; k++) { /* shares go to the end */
        const size_t j = fit->active[k];
        if (kind_of(fit, &fit->out->parameter[j]) == PL_PARAM_REAL)
            continue;
        fit->active[k] = fit->active[costs];
        fit->active[costs++] = j;
    }
    fit->actives = costs;
    enum pl_err rc = costs && costs < all ? solve(fit, chi2, err) : PL_OK;
    fit->actives = all;
    return rc ? rc : solve(fit, chi2, err);
}

/* One whole-number parameter: each value is fitted, the best is kept. */
static enum pl_err search_whole(struct fit *fit, size_t which, struct pl_error *err)
{
    struct pl_calibrated *parameter = &fit->out->parameter[which];
    struct pl_calibrated best[PARAMETERS_MAX];
    double least = INFINITY, first = NAN;
    bool differs = false;
    for (int value = 1; value <= WHOLE_MOST; value = value < 4 ? value + 1 : value * 2) {
        double chi2;
        enum pl_err rc = set(fit, parameter->path, value, err);
        if (rc == PL_OK)
            rc = solve(fit, &chi2, err);
        if (rc)
            return rc;
        differs |= !isnan(first) && fabs(chi2 - first) > 1e-6 * (1 + first);
        first = isnan(first) ? chi2 : first;
        if (chi2 < least * (1 - 1e-9)) {
            least = chi2;
            parameter->value = value;
            memcpy(best, fit->out->parameter, fit->out->parameters * sizeof *best);
        }
    }
    memcpy(fit->out->parameter, best, fit->out->parameters * sizeof *best);
    if (differs)
        fit->out->parameter[which].state = PL_CALIBRATED_FITTED;
    else
        fit->out->parameter[which].value = fit->out->parameter[which].before;
    return set(fit, parameter->path, fit->out->parameter[which].value, err);
}

/* --- the result ---------------------------------------------------------------------------------------- */

static double rms(const struct pl_calibration *out, bool after)
{
    double sum = 0;
    for (size_t i = 0; i < out->points; i++) {
        double error = (after ? out->point[i].after : out->point[i].before) / out->point[i].measured - 1;
        sum += error * error;
    }
    return sqrt(sum / (double)out->points);
}

static const char *note_of(const struct fit *fit, const struct pl_calibrated *parameter)
{
    struct pl_text text = {0};
    for (size_t m = 0; m < fit->count; m++)
        pl_text_addf(&text, "%sfitted to %s (%016llx)", m ? ", " : "", fit->measurements[m].name,
                     (unsigned long long)fit->measurements[m].hash);
    const bool time = kind_of(fit, parameter) == PL_PARAM_TIME;
    if (!isnan(parameter->low))
        pl_text_addf(&text, "; %.0f %%: %.4g to %.4g%s", fit->options->confidence * 100, parameter->low / (time ? 1e3 : 1),
                     parameter->high / (time ? 1e3 : 1), time ? " ns" : "");
    if (parameter->state == PL_CALIBRATED_AT_BOUND)
        pl_text_addf(&text, "; at its bound");
    if (fit->options->date)
        pl_text_addf(&text, "; %s", fit->options->date);
    const char *out = text.data ? pl_arena_strdup(fit->arena, text.data) : NULL;
    pl_text_free(&text);
    return out;
}

/* Fitted values into the machine, the others back to what they were. */
static enum pl_err settle(struct fit *fit, const struct pl_parameter_value *were, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    for (size_t j = 0; j < fit->out->parameters && rc == PL_OK; j++) {
        const struct pl_calibrated *parameter = &fit->out->parameter[j];
        if (parameter->state == PL_CALIBRATED_FITTED || parameter->state == PL_CALIBRATED_AT_BOUND)
            rc = pl_parameters_put_number(fit->parameters, parameter->path, parameter->value, PL_FROM_FITTED,
                                          note_of(fit, parameter), "calibration", err);
        else
            rc = pl_parameters_put(fit->parameters, parameter->path, were[j].text, were[j].source, were[j].note,
                                   were[j].place ? were[j].place : "default", err);
    }
    return rc;
}

enum pl_err pl_calibrate(struct pl_parameters *parameters, const struct pl_measurement *measurements, size_t count,
                         const struct pl_calibrate_options *options, struct pl_arena *arena, struct pl_calibration *out,
                         struct pl_error *err)
{
    double before[OBSERVATIONS_MAX], after[OBSERVATIONS_MAX], chi2;
    struct pl_parameter_value were[PARAMETERS_MAX];
    struct fit fit = {.parameters = parameters, .measurements = measurements, .count = count, .options = options,
                      .arena = arena, .out = out};
    *out = (struct pl_calibration){0};
    enum pl_err rc = list_points(&fit, err);
    if (rc == PL_OK)
        rc = list_parameters(&fit, err);
    if (rc == PL_OK)
        rc = simulate(&fit, before, err);
    if (rc)
        return rc;
    for (size_t j = 0; j < out->parameters; j++)
        were[j] = *pl_parameters_find(parameters, out->parameter[j].path);
    gsl_matrix *effects = gsl_matrix_calloc(out->points, out->parameters + 1);
    fit.slopes = gsl_matrix_calloc(out->points, out->parameters + 1);
    rc = effects && fit.slopes ? sensitivities(&fit, before, effects, err) : pl_fail_memory(err, 0, "derivatives");
    if (rc == PL_OK)
        rc = choose(&fit, effects, err);
    if (rc == PL_OK) {
        first_guess(&fit, before);
        rc = solve_in_steps(&fit, &chi2, err);
    }
    gsl_matrix_free(effects);
    gsl_matrix_free(fit.slopes);
    for (size_t j = 0; j < out->parameters && rc == PL_OK; j++)
        if (is_whole(&fit, j))
            rc = search_whole(&fit, j, err);
    if (rc == PL_OK)
        rc = settle(&fit, were, err);
    if (rc == PL_OK)
        rc = simulate(&fit, after, err);
    for (size_t i = 0; i < out->points && rc == PL_OK; i++) {
        out->point[i].before = before[i];
        out->point[i].after = after[i];
    }
    if (rc == PL_OK) {
        out->rms_before = rms(out, false);
        out->rms_after = rms(out, true);
    }
    return rc;
}
