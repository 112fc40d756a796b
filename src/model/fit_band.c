/* model/fit_band.c: the cost by replicas of a fit.
 *
 * Costs are kept as one row for each cache size and one column for each replica, so that a row sorted gives its
 * quantiles. Does not model errors of cd, ch and r: `model --sensitivity` is for those. */
#include "model/fit_band.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_statistics_double.h>

struct work {
    const struct pl_fault_table *table;
    const struct pl_fit_choice *choice[2]; /* the second may be NULL */
    struct pl_cost_params params;
    const double *d_mb;
    size_t count, replicas;
    double *cost;  /* count rows of `replicas` */
    double *least; /* of each replica */
    struct pl_fit *fit[2]; /* scratch */
};

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct pl_fit_series best_of(const struct pl_fit_choice *choice)
{
    return (struct pl_fit_series){choice ? choice->entry[choice->best].fit : NULL, 0};
}

/* Costs by one pair of fits into column `column`, and the least inside the table (NaN: no size is). */
static enum pl_err evaluate(const struct work *work, struct pl_fit_series reads, struct pl_fit_series writes,
                            double *cost, size_t stride, double *least, struct pl_error *err)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_fault_curves curves;
    if (!arena)
        return pl_fail_memory(err, 0, "a band");
    enum pl_err rc = pl_fit_curves_create(work->table, reads, writes, arena, &curves, err);
    struct pl_cost_params params = work->params;
    *least = NAN;
    for (size_t i = 0; i < work->count && rc == PL_OK; i++) {
        params.d_mb = work->d_mb[i];
        struct pl_cost at = pl_cost_evaluate(&curves, &params);
        cost[i * stride] = at.total_s;
        if (!at.extrapolated)
            *least = fmin(at.total_s, *least); /* fmin passes over NaN */
    }
    pl_arena_destroy(arena);
    return rc;
}

/* One replica; PL_ERR_INPUT when it cannot be fitted. */
static enum pl_err replicate(struct work *work, struct pl_random *random, size_t column, struct pl_error *err)
{
    size_t row[PL_FIT_ROWS_MAX], rows = work->choice[0]->data.rows;
    for (size_t i = 0; i < rows; i++)
        row[i] = (size_t)pl_random_below(random, rows);
    struct pl_fit_series series[2] = {{NULL, 0}, {NULL, 0}};
    for (size_t k = 0; k < 2 && work->choice[k]; k++) {
        const struct pl_fit_choice *choice = work->choice[k];
        enum pl_err rc = pl_fit_replica(choice->entry[choice->best].fit, &choice->data, row, work->fit[k], err);
        if (rc)
            return rc;
        series[k].fit = work->fit[k];
    }
    return evaluate(work, series[0], series[1], work->cost + column, work->replicas, &work->least[column], err);
}

/* The quantiles of `count` numbers, which are sorted in place; NaN when any of them is none. */
static void middle(double *values, size_t count, double confidence, double *low, double *high)
{
    *low = *high = NAN;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return;
    qsort(values, count, sizeof *values, by_size);
    *low = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.5 - confidence / 2);
    *high = gsl_stats_quantile_from_sorted_data(values, 1, count, 0.5 + confidence / 2);
}

static void conclude(struct work *work, size_t done, double confidence, struct pl_fit_band *out)
{
    size_t agree = 0;
    out->pays = out->least_s < 0;
    for (size_t k = 0; k < done; k++)
        agree += (work->least[k] < 0) == out->pays;
    out->agree = (double)agree / (double)done;
    out->survives = out->agree >= confidence && isfinite(out->least_s);
    middle(work->least, done, confidence, &out->least_low_s, &out->least_high_s);
}

static enum pl_err run_replicas(struct work *work, const struct pl_fit_band_options *options, size_t *done,
                                struct pl_fit_band *out, struct pl_error *err)
{
    struct pl_random random = pl_random_named(options->seed, "fit/bootstrap");
    *done = 0;
    for (size_t k = 0; k < options->replicas; k++) {
        if (!pl_progress_report(options->progress, k, options->replicas))
            return pl_fail(err, PL_ERR_RESOURCE, "stopped after %zu of %zu replicas", k, options->replicas);
        enum pl_err rc = replicate(work, &random, *done, err);
        if (rc == PL_ERR_INPUT)
            out->failed++;
        else if (rc)
            return rc;
        else
            ++*done;
    }
    if (*done * 2 < options->replicas)
        return pl_fail(err, PL_ERR_INPUT, "%s: only %zu of %zu replicas could be fitted", work->table->name, *done,
                       options->replicas);
    return PL_OK;
}

enum pl_err pl_fit_band_make(const struct pl_fault_table *table, const struct pl_fit_choice *reads,
                             const struct pl_fit_choice *writes, const struct pl_cost_params *params,
                             const double *d_mb, size_t count, const struct pl_fit_band_options *options,
                             struct pl_arena *arena, struct pl_fit_band *out, struct pl_error *err)
{
    assert(options->replicas >= 20);
    struct work work = {.table = table, .choice = {reads, writes}, .params = *params, .d_mb = d_mb, .count = count,
                        .replicas = options->replicas};
    double *memory = pl_arena_alloc(arena, 3 * count, sizeof *memory);
    work.cost = pl_arena_alloc(arena, (count + 1) * options->replicas, sizeof *work.cost);
    work.fit[0] = pl_arena_alloc(arena, 2, sizeof *work.fit[0]);
    if (!memory || !work.cost || !work.fit[0])
        return pl_fail_memory(err, count * options->replicas * sizeof *work.cost, "a band");
    work.fit[1] = work.fit[0] + 1;
    work.least = work.cost + count * options->replicas;
    double *low = memory + count, *high = low + count;
    size_t done;
    *out = (struct pl_fit_band){.count = count, .d_mb = d_mb, .total_s = memory, .low_s = low, .high_s = high};
    enum pl_err rc = evaluate(&work, best_of(reads), best_of(writes), memory, 1, &out->least_s, err);
    if (rc == PL_OK)
        rc = run_replicas(&work, options, &done, out, err);
    if (rc)
        return rc;
    out->replicas = done;
    for (size_t i = 0; i < count; i++)
        middle(work.cost + i * options->replicas, done, options->confidence, &low[i], &high[i]);
    conclude(&work, done, options->confidence, out);
    return PL_OK;
}
