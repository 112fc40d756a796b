/* report/figure_activity.c: who is busy over time, and faults by their kind; and stores of several runs over time.
 *
 * Both need the table that `pagelab replay --interval` makes. */
#include "report/figure.h"

#include <math.h>

static const struct {
    const char *name, *column;
    bool rate; /* counted since the row before: shown by the second */
} parts[] = {
    {"cpus", "cpus_busy", false},          {"compressing", "compressing_cpus", false},
    {"zeroing", "zeroing_cpus", false},    {"disk", "disk_use", false},
    {"zero", "demand_zero_faults", true},  {"soft", "transition_faults", true},
    {"store", "store_faults", true},       {"hard", "hard_faults", true},
};

static enum pl_err write_activity(struct pl_figure_job *job, struct pl_error *err)
{
    const struct pl_figure_series *series = &job->series[0];
    int time = pl_result_find(series->table, "time_s");
    double before = 0;
    enum pl_err rc = pl_figure_only_one(job, "activity", err);
    if (rc == PL_OK)
        rc = pl_figure_check_column(series, time, err);
    if (rc)
        return rc;
    pl_sink_puts(job->data, "time_s");
    for (size_t part = 0; part < PL_COUNT_OF(parts); part++)
        pl_sink_printf(job->data, "\t%s", parts[part].name);
    pl_sink_puts(job->data, "\n");
    for (size_t row = 0; row < series->table->rows; row++) {
        double now = pl_result_cell(series->table, row, time), span = now - before;
        pl_figure_write_cell(job->data, now, '\t');
        for (size_t part = 0; part < PL_COUNT_OF(parts); part++) {
            int column = pl_result_find(series->table, parts[part].column);
            double value = column >= 0 ? pl_result_cell(series->table, row, column) : 0;
            if (parts[part].rate)
                value = span > 0 ? value / span : 0;
            pl_figure_write_cell(job->data, isnan(value) ? 0 : value, part + 1 < PL_COUNT_OF(parts) ? '\t' : '\n');
        }
        before = now;
    }
    pl_figure_heading(job, "Who is busy, and faults by kind");
    return PL_OK;
}

static enum pl_err write_store_line(struct pl_figure_job *job, struct pl_error *err)
{
    double most = 0;
    for (size_t i = 0; i < job->count; i++) {
        const struct pl_figure_series *series = &job->series[i];
        int time = pl_result_find(series->table, "time_s"), bytes = pl_result_find(series->table, "store_bytes");
        enum pl_err rc = pl_figure_check_column(series, time, err);
        if (rc)
            return rc;
        pl_gnuplot_set_text_of(job->settings, "name", i + 1, series->name);
        pl_sink_puts(job->data, "time_s\tstore\n");
        for (size_t row = 0; row < series->table->rows; row++) {
            double mb = pl_result_cell(series->table, row, bytes) / (double)PL_MIB;
            most = fmax(most, isnan(mb) ? 0 : mb);
            pl_figure_write_cell(job->data, pl_result_cell(series->table, row, time), '\t');
            pl_figure_write_cell(job->data, mb, '\n');
        }
        pl_sink_puts(job->data, "\n\n");
    }
    pl_text_addf(&job->settings->text, "series=%zu; ", job->count);
    pl_gnuplot_set_number(job->settings, "most_mb", most);
    pl_figure_heading(job, "The store over time");
    return PL_OK;
}

const struct pl_figure pl_figure_activity = {
    .name = "activity",
    .about = "processors and disk, and faults by kind, over time, of a replay with --interval",
    .columns = (const char *const[]){"time_s", "cpus_busy", "disk_use", "hard_faults", NULL},
    .write = write_activity,
};
const struct pl_figure pl_figure_store_line = {
    .name = "store-line",
    .about = "the store's memory over time, of one or more replays with --interval",
    .columns = (const char *const[]){"time_s", "store_bytes", NULL},
    .write = write_store_line,
};
