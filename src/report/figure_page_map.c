/* report/figure_page_map.c: which pages were touched when: a density over time and page numbers, of `trace map`. */
#include "report/figure.h"

#include <math.h>

/* The size of a cell. A table that does not say it (CSV of somebody else) has its least positive number taken for it. */
static double step_of(const struct pl_figure_series *series, const char *fact, const char *name)
{
    double step = pl_result_number(series->result, fact), least = INFINITY;
    if (step > 0)
        return step;
    for (size_t row = 0; row < series->table->rows; row++) {
        double value = pl_result_cell(series->table, row, pl_result_find(series->table, name));
        if (value > 0)
            least = fmin(least, value);
    }
    return isfinite(least) ? least : 1;
}

static enum pl_err write_page_map(struct pl_figure_job *job, struct pl_error *err)
{
    static const char *const columns[] = {"touch", "page", "touches"};
    const struct pl_figure_series *series = &job->series[0];
    enum pl_err rc = pl_figure_only_one(job, "page-map", err);
    for (size_t i = 0; i < PL_COUNT_OF(columns) && rc == PL_OK; i++)
        rc = pl_figure_check_column(series, pl_result_find(series->table, columns[i]), err);
    if (rc)
        return rc;
    pl_sink_puts(job->data, "touch\tpage\ttouches\n");
    for (size_t row = 0; row < series->table->rows; row++)
        for (size_t i = 0; i < PL_COUNT_OF(columns); i++)
            pl_figure_write_cell(job->data, pl_result_cell(series->table, row, pl_result_find(series->table, columns[i])),
                                 i + 1 < PL_COUNT_OF(columns) ? '\t' : '\n');
    pl_gnuplot_set_number(job->settings, "touch_step", step_of(series, "touch_step", "touch"));
    pl_gnuplot_set_number(job->settings, "page_step", step_of(series, "page_step", "page"));
    pl_figure_heading(job, "Touches over time and pages");
    return PL_OK;
}

const struct pl_figure pl_figure_page_map = {
    .name = "page-map",
    .about = "which pages were touched when, as a density",
    .columns = (const char *const[]){"touch", "page", "touches", NULL},
    .write = write_page_map,
};
