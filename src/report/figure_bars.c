/* report/figure_bars.c: the views of a replay as bars: a bar or a group of bars for each phase or process.
 *
 *   memory      Task Manager's bar at the end of each phase: what all of memory is, stacked
 *   tools       what each tool says of each process, side by side
 *   processes   Process Explorer's columns at the end of each phase, side by side
 *
 * All three are drawn by bars.gp. */
#include "report/figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BARS_PARTS = 6, BARS_ROWS_MAX = 60 };

struct bars {
    const char *figure, *heading;
    bool stacked;
    double mib;            /* one of the columns' units */
    const char *labels[2]; /* columns of words that name a row; the second may be missing */
    struct {
        const char *title, *columns[4]; /* the sum of these ... */
        const char *less;               /* ... less this one */
    } part[BARS_PARTS];
};

static double cell_of(const struct pl_figure_series *series, size_t row, const char *name)
{
    int column = name ? pl_result_find(series->table, name) : -1;
    double value = column >= 0 ? pl_result_cell(series->table, row, column) : NAN;
    return isnan(value) ? 0 : value;
}

static double part_of(const struct bars *bars, const struct pl_figure_series *series, size_t row, size_t part)
{
    double sum = -cell_of(series, row, bars->part[part].less);
    for (size_t i = 0; i < PL_COUNT_OF(bars->part[part].columns); i++)
        sum += cell_of(series, row, bars->part[part].columns[i]);
    return sum * bars->mib;
}

/* Whether words of a column differ between rows: a name that is always the same names nothing. */
static bool tells_apart(const struct pl_result_table *table, int column)
{
    const char *first = column >= 0 ? pl_result_words(table, 0, column) : NULL;
    for (size_t row = 1; first && row < table->rows; row++) {
        const char *words = pl_result_words(table, row, column);
        if (!words || strcmp(words, first) != 0)
            return true;
    }
    return false;
}

static void write_label(struct pl_figure_job *job, const struct bars *bars, size_t row)
{
    const struct pl_result_table *table = job->series[0].table;
    char label[80] = "";
    size_t length = 0;
    for (size_t i = 0; i < PL_COUNT_OF(bars->labels); i++) {
        int column = bars->labels[i] ? pl_result_find(table, bars->labels[i]) : -1;
        const char *words = tells_apart(table, column) || (i == 0 && table->rows == 1) ? pl_result_words(table, row, column) : NULL;
        if (words && length < sizeof label)
            length += (size_t)snprintf(label + length, sizeof label - length, "%s%s", length ? ": " : "", words);
    }
    pl_figure_write_words(job->data, label, '\t');
}

static enum pl_err write_bars(struct pl_figure_job *job, const struct bars *bars, struct pl_error *err)
{
    const struct pl_figure_series *series = &job->series[0];
    double most = 0;
    size_t parts = 0;
    enum pl_err rc = pl_figure_only_one(job, bars->figure, err);
    if (rc)
        return rc;
    if (series->table->rows > BARS_ROWS_MAX)
        return pl_fail(err, PL_ERR_INPUT, "%s: %zu rows are too many for bars; ask for fewer phases (replay --views-at)",
                       series->result->path, series->table->rows);
    pl_sink_puts(job->data, "label");
    for (; parts < BARS_PARTS && bars->part[parts].title; parts++) {
        pl_sink_printf(job->data, "\tpart%zu", parts + 1);
        pl_gnuplot_set_text_of(job->settings, "name", parts + 1, bars->part[parts].title);
    }
    pl_sink_puts(job->data, "\n");
    for (size_t row = 0; row < series->table->rows; row++) {
        double sum = 0;
        write_label(job, bars, row);
        for (size_t part = 0; part < parts; part++) {
            double value = part_of(bars, series, row, part);
            sum = bars->stacked ? sum + value : fmax(sum, value);
            pl_figure_write_cell(job->data, value, part + 1 < parts ? '\t' : '\n');
        }
        most = fmax(most, sum);
    }
    pl_gnuplot_set_number(job->settings, "most_mb", most);
    pl_text_addf(&job->settings->text, "rows=%zu; parts=%zu; stacked=%d; ", series->table->rows, parts, bars->stacked);
    pl_figure_heading(job, bars->heading);
    return PL_OK;
}

static enum pl_err write_memory(struct pl_figure_job *job, struct pl_error *err)
{
    static const struct bars bars = {
        .figure = "memory",
        .heading = "Memory at the end of each phase",
        .stacked = true,
        .mib = 1,
        .labels = {"phase", NULL},
        .part = {{"in use", {"in_use_mib"}, "compressed_mib"}, {"compressed", {"compressed_mib"}, NULL},
                 {"modified", {"modified_mib"}, NULL}, {"standby", {"standby_mib"}, NULL}, {"free", {"free_mib"}, NULL}},
    };
    return write_bars(job, &bars, err);
}

static enum pl_err write_tools(struct pl_figure_job *job, struct pl_error *err)
{
    static const struct bars bars = {
        .figure = "tools",
        .heading = "What each tool sees",
        .mib = 1.0 / 1024,
        .labels = {"phase", "name"},
        .part = {{"Task Manager: working set", {"working_set_kib"}, NULL},
                 {"Task Manager: commit size", {"commit_kib"}, NULL},
                 {"VMMap: committed", {"vmmap_committed_kib"}, NULL},
                 {"VMMap: locked WS", {"vmmap_locked_kib"}, NULL},
                 {"RAMMap: all of its rows",
                  {"rammap_private_kib", "rammap_mapped_file_kib", "rammap_shareable_kib", "rammap_large_kib"}, NULL}},
    };
    return write_bars(job, &bars, err);
}

static enum pl_err write_processes(struct pl_figure_job *job, struct pl_error *err)
{
    static const struct bars bars = {
        .figure = "processes",
        .heading = "Processes at the end of each phase",
        .mib = 1.0 / 1024,
        .labels = {"phase", "name"},
        .part = {{"working set", {"working_set_kib"}, NULL}, {"private bytes", {"private_kib"}, NULL},
                 {"virtual size", {"virtual_kib"}, NULL}},
    };
    return write_bars(job, &bars, err);
}

const struct pl_figure pl_figure_memory = {
    .name = "memory",
    .script = "bars",
    .about = "what all of memory is at the end of each phase, of a replay with --views",
    .columns = (const char *const[]){"phase", "in_use_mib", "standby_mib", "free_mib", NULL},
    .write = write_memory,
};
const struct pl_figure pl_figure_tools = {
    .name = "tools",
    .script = "bars",
    .about = "what each tool of Windows sees of each process, of a replay with --views",
    .columns = (const char *const[]){"phase", "vmmap_committed_kib", "rammap_large_kib", NULL},
    .write = write_tools,
};
const struct pl_figure pl_figure_processes = {
    .name = "processes",
    .script = "bars",
    .about = "working set, private bytes and virtual size at the end of each phase, of a replay with --views",
    .columns = (const char *const[]){"phase", "page_faults", "private_kib", "virtual_kib", NULL},
    .write = write_processes,
};
