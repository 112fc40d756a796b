/* report/figure_phases.c: where the time of each phase went, a bar a phase. Needs the table `phases` of a replay. Sleep is
 * what the program asked for, and is not shown: it would press the rest against the axis. */
#include "report/figure.h"

#include <math.h>
#include <string.h>

static const char *const components[] = {"run_s",        "fault_s",     "zero_s",       "compress_s", "decompress_s",
                                         "wait_store_s", "wait_disk_s", "wait_page_s",   "wait_memory_s", "wait_cpu_s"};

static double component(const struct pl_figure_series *series, size_t row, size_t which)
{
    int column = pl_result_find(series->table, components[which]);
    double value = column >= 0 ? pl_result_cell(series->table, row, column) : NAN;
    return isnan(value) ? 0 : value;
}

/* Components that take no time anywhere only fill the legend. */
static bool is_there(const struct pl_figure_series *series, size_t which)
{
    for (size_t row = 0; row < series->table->rows; row++)
        if (component(series, row, which) > 0)
            return true;
    return false;
}

static enum pl_err write_phases(struct pl_figure_job *job, struct pl_error *err)
{
    const struct pl_figure_series *series = &job->series[0];
    int name = pl_result_find(series->table, "phase");
    struct pl_text names = {0};
    size_t used[PL_COUNT_OF(components)], count = 0;
    enum pl_err rc = pl_figure_only_one(job, "phases", err);
    if (rc)
        return rc;
    for (size_t i = 0; i < PL_COUNT_OF(components); i++)
        if (is_there(series, i)) {
            used[count++] = i;
            pl_text_addf(&names, "%s%.*s", names.length ? " " : "", (int)strlen(components[i]) - 2, components[i]);
        }
    pl_sink_puts(job->data, "phase");
    for (size_t i = 0; i < count; i++)
        pl_sink_printf(job->data, "\t%s", components[used[i]]);
    pl_sink_puts(job->data, "\n");
    double most = 0;
    for (size_t row = 0; row < series->table->rows; row++) {
        const char *words = pl_result_words(series->table, row, name);
        double sum = 0;
        pl_figure_write_words(job->data, words ? words : "", count ? '\t' : '\n');
        for (size_t i = 0; i < count; i++) {
            double value = component(series, row, used[i]);
            sum += value;
            pl_figure_write_cell(job->data, value, i + 1 < count ? '\t' : '\n');
        }
        most = fmax(most, sum);
    }
    if (count == 0)
        rc = pl_fail(err, PL_ERR_INPUT, "%s: no phase took any time", series->result->path);
    pl_gnuplot_set_text(job->settings, "components", names.data ? names.data : "");
    pl_gnuplot_set_number(job->settings, "most_s", most);
    pl_text_addf(&job->settings->text, "phases=%zu; ", series->table->rows);
    pl_text_free(&names);
    pl_figure_heading(job, "Where the time of each phase went");
    return rc;
}

const struct pl_figure pl_figure_phases = {
    .name = "phases",
    .about = "where the time of each phase of a replay went, by component",
    .columns = (const char *const[]){"phase", "run_s", "wait_disk_s", "decompress_s", NULL},
    .write = write_phases,
};
