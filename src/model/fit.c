/* model/fit.c: what is fitted, where to begin, how stiff the spline is, and the curve and its parameters afterwards.
 *
 * Assumes little about the table but that its counts fall on the whole. Does not model a choice between forms: that is
 * the caller's, by pl_fit_held_out. */
#include "model/fit.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

const char *const pl_fit_space_names[] = {"log", "linear", NULL};
const char *const pl_fit_loss_names[] = {"squares", "huber", NULL};
const char *const pl_fit_weights_names[] = {"repeats", "equal", "count", "spread", NULL};

/* --- the rows ------------------------------------------------------------------------------ */

/* Which row of the table becomes row i of `rows`: the first, the last, and evenly by the logarithm between. */
static size_t choose_rows(const struct pl_fault_table *table, size_t chosen[PL_FIT_ROWS_MAX])
{
    size_t count = 0, first = table->memory_mb[0] > 0 ? 0 : 1;
    if (table->count <= PL_FIT_ROWS_MAX) {
        for (; count < table->count; count++)
            chosen[count] = count;
        return count;
    }
    double from = log(table->memory_mb[first]), range = log(table->memory_mb[table->count - 1]) - from;
    if (first)
        chosen[count++] = 0;
    for (size_t i = first; i < table->count && count < PL_FIT_ROWS_MAX; i++) {
        double due = from + range * (double)(count - first) / (PL_FIT_ROWS_MAX - 1 - (double)first);
        if (log(table->memory_mb[i]) >= due || i + 1 == table->count)
            chosen[count++] = i;
    }
    chosen[count - 1] = table->count - 1;
    return count;
}

static enum pl_err weight_of(const struct pl_fault_table *table, enum pl_fit_which which, size_t row,
                             const struct pl_fit_options *options, double offset, double *out, struct pl_error *err)
{
    bool is_log = options->space == PL_FIT_LOG;
    double y = which == PL_FIT_WRITES ? table->writes[row] : table->reads[row];
    const double *deviations = which == PL_FIT_WRITES ? table->writes_deviation : table->reads_deviation;
    double repeats = table->repeats ? table->repeats[row] : 1;
    double deviation = deviations ? deviations[row] / sqrt(repeats) : NAN; /* of the mean */
    *out = 1;
    if (options->weights == PL_FIT_WEIGHTS_REPEATS)
        *out = repeats;
    else if (options->weights == PL_FIT_WEIGHTS_COUNT)
        *out = is_log ? (y + offset) * repeats : repeats / fmax(y, 1);
    else if (options->weights == PL_FIT_WEIGHTS_SPREAD)
        *out = pow(is_log ? (y + offset) / deviation : 1 / deviation, 2);
    if (!(*out > 0 && isfinite(*out)))
        return pl_fail(err, PL_ERR_INPUT, "%s: no spread is known of the %s at %.6g MB, as weights by spread need (two "
                       "or more differing rows for every size)", table->name,
                       which == PL_FIT_WRITES ? "writes" : "reads", table->memory_mb[row]);
    return PL_OK;
}

/* Weights matter only against each other: their mean becomes 1, so that the spline's smoothness means the same. */
static void normalise(double *weight, size_t rows)
{
    double sum = 0;
    for (size_t i = 0; i < rows; i++)
        sum += weight[i];
    for (size_t i = 0; i < rows; i++)
        weight[i] *= (double)rows / sum;
}

/* Fewer rows than three leave nothing to judge a two-parameter form by. */
enum { ROWS_MIN = 3 };

static enum pl_err check_series(const struct pl_fault_table *table, const double *y, const char *what,
                                struct pl_error *err)
{
    double least = INFINITY, most = -INFINITY, log_y[2] = {0, 0};
    size_t half = table->count / 2;
    for (size_t i = 0; i < table->count; i++) {
        least = fmin(least, y[i]);
        most = fmax(most, y[i]);
        if (i < half)
            log_y[0] += y[i] / (double)half;
        else if (i >= table->count - half)
            log_y[1] += y[i] / (double)half;
    }
    if (table->count < ROWS_MIN)
        return pl_fail(err, PL_ERR_INPUT, "%s: %zu memory size%s; a fit takes three or more", table->name, table->count,
                       table->count == 1 ? "" : "s");
    if (least == most)
        return pl_fail(err, PL_ERR_INPUT, "%s: the %s are %.10g at every memory size: memory makes no difference in this "
                       "range, and there is nothing to fit", table->name, what, least);
    if (log_y[1] >= log_y[0])
        return pl_fail(err, PL_ERR_INPUT, "%s: the %s rise with memory (mean %.6g in the smaller half, %.6g in the larger "
                       "one); every form falls, as counts must when memory is added. Are the columns swapped, or the rows "
                       "of different runs?", table->name, what, log_y[0], log_y[1]);
    return PL_OK;
}

static enum pl_err add_series(const struct pl_fault_table *table, enum pl_fit_which which, const size_t *chosen,
                              const struct pl_fit_options *options, struct pl_fit_data *out, struct pl_error *err)
{
    const char *what = which == PL_FIT_WRITES ? "writes" : "reads";
    const double *y = which == PL_FIT_WRITES ? table->writes : table->reads;
    size_t s = out->series;
    if (!y)
        return pl_fail(err, PL_ERR_INPUT, "%s: has no column writes to fit", table->name);
    enum pl_err rc = check_series(table, y, what, err);
    for (size_t i = 0; i < out->rows && rc == PL_OK; i++) {
        out->y[s][i] = y[chosen[i]];
        rc = weight_of(table, which, chosen[i], options, out->offset, &out->weight[s][i], err);
    }
    if (rc)
        return rc;
    normalise(out->weight[s], out->rows);
    out->series++;
    return PL_OK;
}

static bool has_zero(const double *y, size_t count)
{
    for (size_t i = 0; y && i < count; i++)
        if (y[i] == 0)
            return true;
    return false;
}

enum pl_err pl_fit_data_from_table(const struct pl_fault_table *table, enum pl_fit_which which,
                                   const struct pl_fit_options *options, struct pl_fit_data *out, struct pl_error *err)
{
    size_t chosen[PL_FIT_ROWS_MAX];
    bool reads = which != PL_FIT_WRITES, writes = which != PL_FIT_READS;
    memset(out, 0, sizeof *out);
    out->name = table->name;
    out->which = which;
    out->rows = choose_rows(table, chosen);
    out->left_out = table->count - out->rows;
    out->offset = (reads && has_zero(table->reads, table->count)) || (writes && has_zero(table->writes, table->count));
    for (size_t i = 0; i < out->rows; i++)
        out->x[i] = table->memory_mb[chosen[i]];
    out->frame = (struct pl_fit_frame){.first_mb = out->x[0], .last_mb = out->x[out->rows - 1], .rows = out->rows,
                                       .plain_axis = out->x[0] == 0};
    enum pl_err rc = reads ? add_series(table, PL_FIT_READS, chosen, options, out, err) : PL_OK;
    if (rc == PL_OK && writes)
        rc = add_series(table, PL_FIT_WRITES, chosen, options, out, err);
    return rc;
}

/* --- one fit -------------------------------------------------------------------------------- */

/* What the starts see: the mean of the series' logarithms, where the shape is shared. */
static void mean_logs(const struct pl_fit_data *data, double *out)
{
    for (size_t i = 0; i < data->rows; i++) {
        out[i] = 0;
        for (size_t s = 0; s < data->series; s++)
            out[i] += log(fmax(data->y[s][i], 0.5)) / (double)data->series;
    }
}

static double mean_count(const struct pl_fit_data *data)
{
    double sum = 0;
    for (size_t s = 0; s < data->series; s++)
        for (size_t i = 0; i < data->rows; i++)
            sum += data->y[s][i] / (double)(data->series * data->rows);
    return sum;
}

/* Own parameters, but the rate's, stand for counts: each series gets them at its own level. */
static void spread_start(const struct pl_fit_data *data, const double *mean_log, const double *theta, struct pl_fit *fit)
{
    size_t count = pl_fit_form_count(fit->form, &fit->frame);
    for (size_t s = 0; s < data->series; s++) {
        double level = 0;
        for (size_t i = 0; i < data->rows; i++)
            level += (log(fmax(data->y[s][i], 0.5)) - mean_log[i]) / (double)data->rows;
        for (size_t i = 0; i < count; i++) {
            bool shape = fit->form->count ? fit->form->parameter[i].shape : i > 0;
            fit->theta[s][i] = theta[i] + (shape ? 0 : level);
        }
    }
}

/* From every start; the least sum of squares stays in *out. `trial` is as large as *out. */
static enum pl_err best_of_starts(const struct pl_fit_data *data, struct pl_fit *trial, struct pl_fit *out,
                                  struct pl_error *err)
{
    double starts[PL_FIT_STARTS_MAX][PL_FIT_PARAMETERS_MAX], mean_log[PL_FIT_ROWS_MAX];
    mean_logs(data, mean_log);
    size_t count = out->form->start(&out->frame, data->x, mean_log, data->rows, starts);
    bool found = false;
    enum pl_err rc = PL_OK;
    for (size_t k = 0; k < count && rc == PL_OK; k++) {
        *trial = *out;
        spread_start(data, mean_log, starts[k], trial);
        rc = pl_fit_solve(data, trial, err);
        if (rc == PL_OK && isfinite(trial->sigma) && (!found || trial->sigma < out->sigma)) {
            *out = *trial;
            found = true;
        }
    }
    if (rc == PL_OK && !found)
        return pl_fail(err, PL_ERR_INPUT, "%s: no fit of %s was found", data->name, out->form->name);
    return rc;
}

enum { SMOOTHNESS_STEPS = 11 };
/* From stiff to soft. */
static double smoothness_at(size_t step)
{
    return pow(10, 2 - (double)step);
}

/* Of the smoothnesses whose mean square of left-out residuals is within one standard error of the least, the stiffest
 * (Breiman's rule): the least itself chases noise. */
static enum pl_err choose_smoothness(const struct pl_fit_data *data, struct pl_fit *trial, struct pl_fit *out,
                                     struct pl_error *err)
{
    double press[SMOOTHNESS_STEPS], least = INFINITY, allowed = INFINITY;
    enum pl_err rc = PL_OK;
    *trial = *out;
    for (size_t step = 0; step < SMOOTHNESS_STEPS && rc == PL_OK; step++) {
        trial->frame.smoothness = smoothness_at(step);
        rc = pl_fit_solve(data, trial, err);
        press[step] = trial->press;
        if (rc == PL_OK && trial->press < least) {
            least = trial->press;
            allowed = trial->press + trial->press_error;
        }
    }
    size_t chosen = 0;
    while (rc == PL_OK && chosen < SMOOTHNESS_STEPS && !(press[chosen] <= allowed))
        chosen++;
    if (rc == PL_OK && chosen == SMOOTHNESS_STEPS)
        return pl_fail(err, PL_ERR_INPUT, "%s: no smoothness lets a spline through the rows", data->name);
    out->frame.smoothness = smoothness_at(chosen);
    return rc ? rc : pl_fit_solve(data, out, err);
}

static enum pl_err check_form(const struct pl_fit_form *form, const struct pl_fit_data *data, struct pl_error *err)
{
    size_t needed = form->count ? form->count + 1 : 5;
    if (data->rows < needed)
        return pl_fail(err, PL_ERR_INPUT, "takes %zu rows or more; there are %zu", needed, data->rows);
    if (form->above_zero && data->x[0] == 0)
        return pl_fail(err, PL_ERR_INPUT, "has no value at 0 MB, where the table has a row");
    return PL_OK;
}

enum pl_err pl_fit_run(const struct pl_fit_form *form, const struct pl_fit_data *data,
                       const struct pl_fit_options *options, struct pl_fit *out, struct pl_error *err)
{
    enum pl_err rc = check_form(form, data, err);
    if (rc)
        return rc;
    struct pl_arena *arena = pl_arena_create();
    struct pl_fit *trial = arena ? pl_arena_alloc(arena, 1, sizeof *trial) : NULL;
    if (!trial) {
        pl_arena_destroy(arena);
        return pl_fail_memory(err, sizeof *trial, "a fit");
    }
    memset(out, 0, sizeof *out);
    out->form = form;
    out->options = *options;
    out->frame = data->frame;
    out->frame.smoothness = form->penalty ? 1 : 0;
    out->offset = data->offset;
    out->scale = mean_count(data);
    rc = best_of_starts(data, trial, out, err);
    if (rc == PL_OK && form->penalty)
        rc = choose_smoothness(data, trial, out, err);
    pl_arena_destroy(arena);
    return rc;
}

enum pl_err pl_fit_again(const struct pl_fit *from, const struct pl_fit_data *data, struct pl_fit *out,
                         struct pl_error *err)
{
    *out = *from;
    return pl_fit_solve(data, out, err);
}

enum pl_err pl_fit_again_smooth(const struct pl_fit *from, const struct pl_fit_data *data, struct pl_fit *out,
                                struct pl_error *err)
{
    if (!from->form->penalty || data->rows > PL_FIT_SMOOTH_MAX)
        return pl_fit_again(from, data, out, err);
    struct pl_arena *arena = pl_arena_create();
    struct pl_fit *trial = arena ? pl_arena_alloc(arena, 1, sizeof *trial) : NULL;
    enum pl_err rc = trial ? PL_OK : pl_fail_memory(err, sizeof *trial, "a fit");
    *out = *from;
    if (rc == PL_OK)
        rc = choose_smoothness(data, trial, out, err);
    pl_arena_destroy(arena);
    return rc;
}

/* --- the curve and its parameters --------------------------------------------------------------- */

double pl_fit_at(const struct pl_fit *fit, size_t series, double x)
{
    return exp(fit->form->log_value(&fit->frame, fit->theta[series], x));
}

static double quantile(const struct pl_fit *fit, double confidence)
{
    return gsl_cdf_tdist_Pinv(0.5 + confidence / 2, fit->freedom);
}

/* The slope of ln f by each free parameter; false where the curve is no number. */
static bool gradient(const struct pl_fit *fit, size_t series, double x, double out[PL_FIT_FREE_MAX])
{
    static const double STEP = 6e-6;
    double theta[PL_FIT_PARAMETERS_MAX];
    memcpy(theta, fit->theta[series], sizeof theta);
    memset(out, 0, PL_FIT_FREE_MAX * sizeof *out);
    for (size_t i = 0; i < fit->count; i++) {
        double step = STEP * fmax(fabs(theta[i]), 1), at = theta[i];
        theta[i] = at + step;
        double above = fit->form->log_value(&fit->frame, theta, x);
        theta[i] = at - step;
        double below = fit->form->log_value(&fit->frame, theta, x);
        theta[i] = at;
        out[fit->index[series][i]] = (above - below) / (2 * step);
        if (!isfinite(above) || !isfinite(below))
            return false;
    }
    return true;
}

void pl_fit_interval(const struct pl_fit *fit, size_t series, double x, double confidence, double *low, double *high)
{
    double by[PL_FIT_FREE_MAX], variance = 0, value = pl_fit_at(fit, series, x);
    *low = *high = NAN;
    if (!gradient(fit, series, x, by))
        return;
    for (size_t a = 0; a < fit->free; a++)
        for (size_t b = 0; b < fit->free; b++)
            variance += by[a] * fit->covariance[a][b] * by[b];
    double reach = quantile(fit, confidence) * sqrt(fmax(variance, 0));
    *low = value * exp(-reach);
    *high = value * exp(reach);
}

struct pl_fit_estimate pl_fit_parameter(const struct pl_fit *fit, size_t series, size_t parameter, double confidence)
{
    const struct pl_fit_form *form = fit->form;
    size_t place = fit->index[series][parameter];
    double theta = fit->theta[series][parameter];
    double reach = quantile(fit, confidence) * sqrt(fit->covariance[place][place]);
    double low = pl_fit_form_natural(form, &fit->frame, parameter, theta - reach);
    double high = pl_fit_form_natural(form, &fit->frame, parameter, theta + reach);
    return (struct pl_fit_estimate){
        .name = form->parameter[parameter].name,
        .unit = form->parameter[parameter].unit,
        .value = pl_fit_form_natural(form, &fit->frame, parameter, theta),
        .low = fmin(low, high),
        .high = fmax(low, high),
    };
}
