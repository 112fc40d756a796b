/* report/figure_predicted.c: predicted against measured, of `pagelab validate`: a point for each number, with the spread of what
 * was measured, and the line on which the two are equal.
 *
 * Numbers of one unit share the axes: times in seconds when there are any (the others say little beside them), else the unit
 * with the most rows. */
#include "report/figure.h"

#include <math.h>
#include <string.h>

static double unit_seconds(const char *unit)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60}};
    for (size_t i = 0; unit && i < PL_COUNT_OF(units); i++)
        if (!strcmp(units[i].name, unit))
            return units[i].seconds;
    return 0;
}

struct columns {
    int measured, predicted, spread, unit, class;
};

/* Seconds in the row's unit; 1 for every row when no row is a time. */
static double scale_of(const struct pl_result_table *table, const struct columns *columns, size_t row, bool times)
{
    return times ? unit_seconds(columns->unit >= 0 ? pl_result_words(table, row, columns->unit) : NULL) : 1;
}

static size_t write_class(struct pl_figure_job *job, const struct columns *columns, bool times, const char *class)
{
    const struct pl_result_table *table = job->series[0].table;
    size_t written = 0;
    pl_sink_puts(job->data, "measured\tpredicted\tlow\thigh\n");
    for (size_t row = 0; row < table->rows; row++) {
        const char *words = columns->class >= 0 ? pl_result_words(table, row, columns->class) : NULL;
        const bool is_predicted = !words || !strcmp(words, "predicted");
        double scale = scale_of(table, columns, row, times);
        double measured = pl_result_cell(table, row, columns->measured) * scale;
        double predicted = pl_result_cell(table, row, columns->predicted) * scale;
        double spread = columns->spread >= 0 ? pl_result_cell(table, row, columns->spread) / 100 : NAN;
        if (is_predicted != !strcmp(class, "predicted") || !(measured > 0) || !(predicted > 0))
            continue;
        spread = isnan(spread) ? 0 : fmin(spread, 0.9);
        pl_figure_write_cell(job->data, measured, '\t');
        pl_figure_write_cell(job->data, predicted, '\t');
        pl_figure_write_cell(job->data, measured * (1 - spread), '\t');
        pl_figure_write_cell(job->data, measured * (1 + spread), '\n');
        written++;
    }
    pl_sink_puts(job->data, "\n\n");
    return written;
}

static enum pl_err write_predicted(struct pl_figure_job *job, struct pl_error *err)
{
    const struct pl_figure_series *series = &job->series[0];
    struct columns columns = {pl_result_find(series->table, "measured"), pl_result_find(series->table, "predicted"),
                              pl_result_find(series->table, "spread_percent"), pl_result_find(series->table, "unit"),
                              pl_result_find(series->table, "class")};
    bool times = false;
    enum pl_err rc = pl_figure_only_one(job, "predicted", err);
    if (rc == PL_OK)
        rc = pl_figure_check_column(series, columns.measured, err);
    if (rc)
        return rc;
    for (size_t row = 0; columns.unit >= 0 && row < series->table->rows; row++)
        times |= unit_seconds(pl_result_words(series->table, row, columns.unit)) > 0;
    size_t predicted = write_class(job, &columns, times, "predicted"), other = write_class(job, &columns, times, "other");
    if (predicted + other == 0)
        return pl_fail(err, PL_ERR_INPUT, "%s: no number that is above zero on both sides", series->result->path);
    pl_gnuplot_set_number(job->settings, "predictions", (double)predicted);
    pl_gnuplot_set_number(job->settings, "others", (double)other);
    pl_gnuplot_set_text(job->settings, "unit_words", times ? "s" : "as measured");
    pl_figure_heading(job, "Predicted against measured");
    return PL_OK;
}

const struct pl_figure pl_figure_predicted = {
    .name = "predicted",
    .about = "predicted against measured, with the spread of what was measured",
    .columns = (const char *const[]){"measured", "predicted", NULL},
    .write = write_predicted,
};
