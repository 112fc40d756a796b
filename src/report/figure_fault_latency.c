/* report/figure_fault_latency.c: how long faults took, by kind: mean, median and the tail. */
#include "report/figure.h"

static const char *const points[] = {"median_us", "p90_us", "p99_us", "p999_us"};

static enum pl_err write_latency(struct pl_figure_job *job, struct pl_error *err)
{
    const struct pl_figure_series *series = &job->series[0];
    int kind = pl_result_find(series->table, "kind");
    size_t rows = series->table->rows;
    enum pl_err rc = pl_figure_only_one(job, "fault-latency", err);
    for (size_t i = 0; i < PL_COUNT_OF(points) && rc == PL_OK; i++)
        rc = pl_figure_check_column(series, pl_result_find(series->table, points[i]), err);
    if (rc)
        return rc;
    if (rows > PL_FIGURE_SERIES_MAX)
        rows = PL_FIGURE_SERIES_MAX;
    /* One fault in so many takes longer: 2, 10, 100, 1,000. */
    static const double one_in[] = {2, 10, 100, 1000};
    for (size_t row = 0; row < rows; row++) {
        const char *words = pl_result_words(series->table, row, kind);
        pl_gnuplot_set_text_of(job->settings, "name", row + 1, words ? words : "");
        pl_sink_puts(job->data, "one_in\tus\n");
        for (size_t i = 0; i < PL_COUNT_OF(points); i++) {
            pl_figure_write_cell(job->data, one_in[i], '\t');
            pl_figure_write_cell(job->data, pl_result_cell(series->table, row, pl_result_find(series->table, points[i])),
                                 '\n');
        }
        pl_sink_puts(job->data, "\n\n");
    }
    pl_text_addf(&job->settings->text, "series=%zu; ", rows);
    pl_figure_heading(job, "How long faults took");
    return PL_OK;
}

const struct pl_figure pl_figure_fault_latency = {
    .name = "fault-latency",
    .about = "how long faults of each kind took: median, and one in 10, 100, 1,000",
    .columns = (const char *const[]){"kind", "median_us", "p90_us", "p99_us", "p999_us", NULL},
    .write = write_latency,
};
