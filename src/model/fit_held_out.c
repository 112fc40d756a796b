/* model/fit_held_out.c: rows left out and predicted; data drawn anew from a fit's own residuals.
 *
 * A fit that lacks a row begins at the parameters of the whole one; a spline chooses its smoothness anew each time, as it
 * would if it had never seen the row (of one row among more than PL_FIT_SMOOTH_MAX it would see no trace). Assumes independent rows. Does not model the choice among forms: the least of
 * several held-out errors is a little too good. */
#include "model/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void without_row(const struct pl_fit_data *data, size_t row, struct pl_fit_data *out)
{
    size_t behind = data->rows - row - 1;
    *out = *data;
    memmove(out->x + row, data->x + row + 1, behind * sizeof *out->x);
    for (size_t s = 0; s < data->series; s++) {
        memmove(out->y[s] + row, data->y[s] + row + 1, behind * sizeof *out->y[s]);
        memmove(out->weight[s] + row, data->weight[s] + row + 1, behind * sizeof *out->weight[s]);
    }
    out->rows--;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summarise(const struct pl_fit_data *data, struct pl_fit_held_out *out)
{
    double size[PL_FIT_ROWS_MAX], sum = 0, inside = 0;
    size_t inside_rows = 0;
    out->rows = 0;
    out->worst = -1;
    for (size_t i = 0; i < data->rows; i++) {
        if (isnan(out->error[i]))
            continue;
        double error = fabs(out->error[i]);
        size[out->rows++] = error;
        sum += error;
        if (i > 0 && i + 1 < data->rows) {
            inside += error;
            inside_rows++;
        }
        if (error > out->worst) {
            out->worst = error;
            out->worst_mb = data->x[i];
        }
    }
    qsort(size, out->rows, sizeof *size, by_size);
    out->median = out->rows ? (size[(out->rows - 1) / 2] + size[out->rows / 2]) / 2 : NAN;
    out->mean = out->rows ? sum / (double)out->rows : NAN;
    out->inside_mean = inside_rows ? inside / (double)inside_rows : NAN;
    if (!out->rows)
        out->worst = out->worst_mb = NAN;
}

/* Predicts one row from the others. `rest` and `fit` are scratch. */
static enum pl_err leave_out(const struct pl_fit *whole, const struct pl_fit_data *data, size_t row,
                             struct pl_fit_data *rest, struct pl_fit *fit, struct pl_fit_held_out *out,
                             struct pl_error *err)
{
    without_row(data, row, rest);
    enum pl_err rc = pl_fit_again_smooth(whole, rest, fit, err);
    for (size_t s = 0; s < data->series && rc == PL_OK; s++) {
        double given = data->y[s][row];
        if (given > 0)
            out[s].error[row] = fmin(pl_fit_at(fit, s, data->x[row]) / given - 1, 1e9);
    }
    return rc;
}

enum pl_err pl_fit_held_out(const struct pl_fit *fit, const struct pl_fit_data *data, struct pl_fit_held_out out[2],
                            struct pl_error *err)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_fit_data *rest = arena ? pl_arena_alloc(arena, 1, sizeof *rest) : NULL;
    struct pl_fit *again = arena ? pl_arena_alloc(arena, 1, sizeof *again) : NULL;
    enum pl_err rc = rest && again ? PL_OK : pl_fail_memory(err, sizeof *again, "leaving rows out");
    size_t needed = fit->form->count ? fit->form->count : 4;
    size_t tried = data->rows < PL_FIT_HELD_OUT_MAX ? data->rows : PL_FIT_HELD_OUT_MAX;
    for (size_t s = 0; s < data->series; s++)
        for (size_t i = 0; i < data->rows; i++)
            out[s].error[i] = NAN;
    for (size_t k = 0; k < tried && rc == PL_OK && data->rows > needed; k++)
        rc = leave_out(fit, data, tried > 1 ? k * (data->rows - 1) / (tried - 1) : 0, rest, again, out, err);
    for (size_t s = 0; s < data->series; s++)
        summarise(data, &out[s]);
    pl_arena_destroy(arena);
    return rc;
}

/* --- drawn anew ---------------------------------------------------------------------------- */

/* A residual as large as the noise that made it: a fit pulls itself to its rows and leaves too little; weights undone. */
static double noise(const struct pl_fit *fit, const struct pl_fit_data *data, size_t series, size_t row)
{
    double left = fmax(1 - fit->leverage[series][row], 0.05);
    return fit->residual[series][row] * sqrt(data->weight[series][row] / left);
}

static double mean_noise(const struct pl_fit *fit, const struct pl_fit_data *data, size_t series)
{
    double sum = 0;
    for (size_t i = 0; i < data->rows; i++)
        sum += noise(fit, data, series, i);
    return sum / (double)data->rows;
}

static double disturbed(const struct pl_fit *fit, double value, double by)
{
    if (fit->options.space == PL_FIT_LINEAR)
        return fmax(value + by * fit->scale, 0);
    return fmax((value + fit->offset) * exp(by) - fit->offset, 0);
}

enum pl_err pl_fit_replica(const struct pl_fit *fit, const struct pl_fit_data *data, const size_t *row,
                           struct pl_fit *out, struct pl_error *err)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_fit_data *drawn = arena ? pl_arena_alloc(arena, 1, sizeof *drawn) : NULL;
    if (!drawn) {
        pl_arena_destroy(arena);
        return pl_fail_memory(err, sizeof *drawn, "drawing data anew");
    }
    *drawn = *data;
    for (size_t s = 0; s < data->series; s++) {
        double mean = mean_noise(fit, data, s);
        for (size_t i = 0; i < data->rows; i++) {
            double by = (noise(fit, data, s, row[i]) - mean) / sqrt(data->weight[s][i]);
            drawn->y[s][i] = disturbed(fit, pl_fit_at(fit, s, data->x[i]), by);
            if (drawn->offset == 0 && fit->options.space == PL_FIT_LOG)
                drawn->y[s][i] = fmax(drawn->y[s][i], 1e-300);
        }
    }
    enum pl_err rc = pl_fit_again(fit, drawn, out, err);
    pl_arena_destroy(arena);
    return rc;
}
