/* report/figure_fit.c: what `pagelab fit` chose: the rows of the table, the fitted curve with its band, and below them by how
 * much each row was missed when it was left out. Reads and writes, as far as they are there.
 *
 * Rows come from the table `residuals`, the curve from `curve`, which has more places than the rows. */
#include "report/figure.h"

#include <math.h>
#include <string.h>

static const char *const series_names[] = {"reads", "writes"};

static const struct pl_result_table *find_table(const struct pl_result *result, const char *key)
{
    for (size_t i = 0; i < result->tables; i++)
        if (!strcmp(result->table[i].key, key))
            return &result->table[i];
    return NULL;
}

/* Rows of one series, the named columns; returns how many there are. */
static size_t write_block(struct pl_sink *data, const struct pl_result_table *table, const char *series,
                          const char *const *names, size_t count)
{
    const int of = pl_result_find(table, "series");
    size_t rows = 0;
    for (size_t i = 0; i < count; i++)
        pl_sink_printf(data, "%s%c", names[i], i + 1 < count ? '\t' : '\n');
    for (size_t row = 0; row < table->rows; row++) {
        const char *words = of >= 0 ? pl_result_words(table, row, of) : NULL;
        if (!words || strcmp(words, series))
            continue;
        for (size_t i = 0; i < count; i++) {
            const int column = pl_result_find(table, names[i]);
            pl_figure_write_cell(data, column >= 0 ? pl_result_cell(table, row, column) : NAN, i + 1 < count ? '\t' : '\n');
        }
        rows++;
    }
    pl_sink_puts(data, "\n\n");
    return rows;
}

/* "two-exponentials, 2.1 % off at left-out rows". */
static void name_series(struct pl_figure_job *job, size_t number, const char *series)
{
    const struct pl_result *result = job->series[0].result;
    const char *form = pl_result_fact(result, pl_arena_printf(job->arena, "%s_form", series));
    const double error = pl_result_number(result, pl_arena_printf(job->arena, "%s_held_out_median_percent", series));
    const char *words = isfinite(error) ? pl_arena_printf(job->arena, "%s: %s, %.2g %% off at left-out rows", series,
                                                          form ? form : "?", error)
                                        : pl_arena_printf(job->arena, "%s: %s", series, form ? form : "?");
    pl_gnuplot_set_text_of(job->settings, "name", number, words ? words : series);
    pl_gnuplot_set_text_of(job->settings, "short", number, series);
}

static enum pl_err write_fit(struct pl_figure_job *job, struct pl_error *err)
{
    static const char *const rows[] = {"memory_mb", "given", "left_out_percent"};
    static const char *const curve[] = {"memory_mb", "fitted", "low", "high"};
    const struct pl_figure_series *only = &job->series[0];
    const struct pl_result_table *curves = find_table(only->result, "curve");
    const enum pl_plot_log log = job->options->log;
    size_t written = 0;
    enum pl_err rc = pl_figure_only_one(job, "fit", err);
    if (rc)
        return rc;
    for (size_t i = 0; i < PL_COUNT_OF(series_names); i++) {
        bool there = false;
        const int of = pl_result_find(only->table, "series");
        for (size_t row = 0; of >= 0 && row < only->table->rows && !there; row++) {
            const char *words = pl_result_words(only->table, row, of);
            there = words && !strcmp(words, series_names[i]);
        }
        if (!there)
            continue;
        name_series(job, ++written, series_names[i]);
        write_block(job->data, only->table, series_names[i], rows, PL_COUNT_OF(rows));
        write_block(job->data, curves ? curves : only->table, series_names[i], curve, PL_COUNT_OF(curve));
    }
    if (!written)
        return pl_fail(err, PL_ERR_INPUT, "%s: no fitted rows of reads or writes", only->result->path);
    pl_text_addf(&job->settings->text, "series=%zu; ", written);
    pl_gnuplot_set_text(job->settings, "log", log == PL_PLOT_LOG_X    ? "x"
                                              : log == PL_PLOT_LOG_Y  ? "y"
                                              : log == PL_PLOT_LOG_XY ? "xy"
                                                                      : "none");
    const double confidence = pl_result_number(only->result, "confidence");
    if (isfinite(confidence))
        pl_gnuplot_set_number(job->settings, "band", 100 * confidence);
    pl_figure_heading(job, "Fitted fault table");
    return PL_OK;
}

const struct pl_figure pl_figure_fit = {
    .name = "fit",
    .about = "a fitted fault table: rows, the chosen form with its band, and errors at left-out rows",
    .columns = (const char *const[]){"given", "fitted", "left_out_percent", NULL},
    .write = write_fit,
};
