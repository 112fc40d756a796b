/* report/figure_time_line.c: the machine over time: what its frames are used for, its store and its page file.
 *
 * Needs the table that `pagelab replay --interval` makes. Pages become MB by the result's page size. */
#include "report/figure.h"

#include <math.h>

/* What the script stacks, from the bottom up, and what it draws as lines below. */
static const struct {
    const char *name, *columns[2]; /* the sum of these */
    bool bytes;
} parts[] = {
    {"active", {"active_pages", NULL}, false},        {"transition", {"transition_pages", NULL}, false},
    {"modified", {"modified_pages", NULL}, false},    {"standby", {"standby_pages", NULL}, false},
    {"free", {"free_pages", "zero_pages"}, false},    {"stored", {"store_pages", NULL}, false},
    {"store", {"store_bytes", NULL}, true},           {"page_file", {"file_pages", NULL}, false},
};

static double part_mb(const struct pl_figure_series *series, size_t part, size_t row, double page_mb)
{
    double sum = 0;
    for (size_t i = 0; i < PL_COUNT_OF(parts[part].columns) && parts[part].columns[i]; i++) {
        int column = pl_result_find(series->table, parts[part].columns[i]);
        double value = column >= 0 ? pl_result_cell(series->table, row, column) : NAN;
        sum += isnan(value) ? 0 : value;
    }
    return parts[part].bytes ? sum / (double)PL_MIB : sum * page_mb;
}

static enum pl_err write_time_line(struct pl_figure_job *job, struct pl_error *err)
{
    const struct pl_figure_series *series = &job->series[0];
    int time = pl_result_find(series->table, "time_s");
    double page_mb = pl_figure_page_size(series->result) / (double)PL_MIB, most = 0;
    enum pl_err rc = pl_figure_only_one(job, "time-line", err);
    if (rc == PL_OK)
        rc = pl_figure_check_column(series, time, err);
    if (rc)
        return rc;
    pl_sink_puts(job->data, "time_s");
    for (size_t part = 0; part < PL_COUNT_OF(parts); part++)
        pl_sink_printf(job->data, "\t%s", parts[part].name);
    pl_sink_puts(job->data, "\n");
    for (size_t row = 0; row < series->table->rows; row++) {
        pl_figure_write_cell(job->data, pl_result_cell(series->table, row, time), '\t');
        for (size_t part = 0; part < PL_COUNT_OF(parts); part++) {
            double mb = part_mb(series, part, row, page_mb);
            most = fmax(most, mb);
            pl_figure_write_cell(job->data, mb, part + 1 < PL_COUNT_OF(parts) ? '\t' : '\n');
        }
    }
    pl_gnuplot_set_number(job->settings, "most_mb", most);
    pl_figure_heading(job, "Memory over time");
    return PL_OK;
}

const struct pl_figure pl_figure_time_line = {
    .name = "time-line",
    .about = "page lists, store and page file over time, of a replay with --interval",
    .columns = (const char *const[]){"time_s", "active_pages", "standby_pages", "store_bytes", NULL},
    .write = write_time_line,
};
