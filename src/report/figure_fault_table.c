/* report/figure_fault_table.c: reads and writes by memory size; one result, or several over each other.
 *
 * A whole curve has a row for every page and more rows than a picture has points. Rows that would lie less than a
 * fifth of a pixel or so from the last one drawn are left out; since the curves fall, the line is the same to the eye.
 * Tables without memory_mb get it from memory_pages and the page size (4 KiB when the table does not say). */
#include "report/figure.h"

#include <math.h>
#include <string.h>

/* Where the needed numbers stand in one table; -1 = it does not have them. */
struct columns {
    int mb, pages, reads, writes;
    double mb_per_page; /* for tables in pages */
};

/* What all series share on the axes, found before anything is written. */
struct axes {
    bool log_x, log_y;
    double most_x, most_y, least_x; /* least_x: above 0 */
};

static enum pl_err find_columns(const struct pl_figure_series *series, struct columns *out, struct pl_error *err)
{
    struct columns found = {pl_result_find(series->table, "memory_mb"), pl_result_find(series->table, "memory_pages"),
                            pl_result_find(series->table, "reads"), pl_result_find(series->table, "writes"),
                            pl_figure_page_size(series->result) / (double)PL_MIB};
    double least, most;
    enum pl_err rc = pl_figure_check_column(series, found.mb >= 0 ? found.mb : found.pages, err);
    if (rc == PL_OK)
        rc = pl_figure_check_column(series, found.reads, err);
    /* A column of writes that is there but empty is as good as none. */
    if (found.writes >= 0 && !series->table->column[found.writes].bad_row &&
        !pl_figure_range(series, found.writes, &least, &most))
        found.writes = -1;
    if (rc == PL_OK && found.writes >= 0)
        rc = pl_figure_check_column(series, found.writes, err);
    if (rc == PL_OK)
        *out = found;
    return rc;
}

static double memory_mb(const struct pl_figure_series *series, const struct columns *columns, size_t row)
{
    return columns->mb >= 0 ? pl_result_cell(series->table, row, columns->mb)
                            : pl_result_cell(series->table, row, columns->pages) * columns->mb_per_page;
}

static double value_or_nan(const struct pl_figure_series *series, int column, size_t row)
{
    return column >= 0 ? pl_result_cell(series->table, row, column) : NAN;
}

/* --- axes ---------------------------------------------------------------------------- */
static void widen(struct axes *axes, const struct pl_figure_series *series, const struct columns *columns)
{
    for (size_t row = 0; row < series->table->rows; row++) {
        double x = memory_mb(series, columns, row);
        double y = fmax(value_or_nan(series, columns->reads, row), value_or_nan(series, columns->writes, row));
        axes->most_x = fmax(axes->most_x, x);
        axes->most_y = fmax(axes->most_y, y);
        if (x > 0)
            axes->least_x = fmin(axes->least_x, x);
    }
}

/* The memory at which half of the first table's reads are gone: left of a fiftieth of a linear axis, nobody could tell
 * the curve from the axis. Likewise upwards: a curve that spends half of its rows under a hundredth of its height. */
static void choose_axes(struct axes *axes, const struct pl_figure_series *series, const struct columns *columns,
                        enum pl_plot_log log)
{
    axes->log_x = log == PL_PLOT_LOG_X || log == PL_PLOT_LOG_XY;
    axes->log_y = log == PL_PLOT_LOG_Y || log == PL_PLOT_LOG_XY;
    if (log != PL_PLOT_LOG_AUTO)
        return;
    double half_at = axes->most_x;
    size_t low = 0, positive = 0;
    for (size_t row = 0; row < series->table->rows; row++) {
        double reads = pl_result_cell(series->table, row, columns->reads), x = memory_mb(series, columns, row);
        if (reads < axes->most_y / 2)
            half_at = fmin(half_at, x);
        low += reads < axes->most_y / 100;
        positive += reads > 0;
    }
    axes->log_x = half_at < axes->most_x / 50 && axes->least_x < axes->most_x;
    axes->log_y = low * 2 > series->table->rows && positive > 1;
}

/* Where a value lies on its axis, 0 to 1 or so. Below the least on a logarithmic one all is the same place. */
static double place(double value, double least, double most, bool log_axis)
{
    if (!log_axis)
        return most > 0 ? value / most : 0;
    return value > least && most > least ? log(value / least) / log(most / least) : 0;
}

/* --- data -------------------------------------------------------------------------------- */
static void write_series(struct pl_sink *data, const struct pl_figure_series *series, const struct columns *columns,
                         const struct axes *axes)
{
    const double step = 1 / 4000.0; /* of the picture's width and height */
    double last_x = -1, last_reads = -1, last_writes = -1;
    pl_sink_puts(data, "memory_mb\treads\twrites\n");
    for (size_t row = 0; row < series->table->rows; row++) {
        double x = memory_mb(series, columns, row), reads = pl_result_cell(series->table, row, columns->reads);
        double writes = value_or_nan(series, columns->writes, row);
        double at_x = place(x, axes->least_x, axes->most_x, axes->log_x);
        double at_reads = place(reads, 1, axes->most_y, axes->log_y);
        double at_writes = place(writes, 1, axes->most_y, axes->log_y);
        bool near = fabs(at_x - last_x) < step && fabs(at_reads - last_reads) < step &&
                    !(fabs(at_writes - last_writes) >= step);
        bool end = row == 0 || row + 1 == series->table->rows;
        if (near && !end)
            continue;
        pl_figure_write_cell(data, x, '\t');
        pl_figure_write_cell(data, reads, '\t');
        pl_figure_write_cell(data, writes, '\n');
        last_x = at_x;
        last_reads = at_reads;
        last_writes = at_writes;
    }
    pl_sink_puts(data, "\n\n");
}

/* --- words --------------------------------------------------------------------------------- */
static void add_count_of(struct pl_text *text, const struct pl_result *result, const char *const *keys,
                         const char *what)
{
    char digits[40];
    for (; *keys; keys++) {
        double count = pl_result_number(result, *keys);
        if (!(count >= 0 && count < 1e18))
            continue;
        pl_text_addf(text, "%s%s %s", text->length ? ", " : "", pl_format_count(digits, sizeof digits, (uint64_t)count),
                     what);
        return;
    }
}

/* The counting rule, if the tables agree on one. */
static const char *common_rule(const struct pl_figure_job *job)
{
    const char *rule = pl_result_fact(job->series[0].result, "rule");
    for (size_t s = 1; s < job->count && rule; s++) {
        const char *other = pl_result_fact(job->series[s].result, "rule");
        if (!other || strcmp(rule, other))
            rule = NULL;
    }
    return rule;
}

/* "20,120,311 accesses, 1,034 first touches, rule demand-zero": what the table says of itself. */
static void say_what(struct pl_figure_job *job)
{
    static const char *const accesses[] = {"accesses", "touches", NULL};
    static const char *const cold[] = {"cold", "first_touches", "distinct_pages", NULL};
    const struct pl_result *result = job->series[0].result;
    struct pl_text line = {0};
    if (job->count == 1) {
        add_count_of(&line, result, accesses, "accesses");
        add_count_of(&line, result, cold, "first touches");
    }
    const char *rule = common_rule(job);
    if (rule && !strcmp(rule, "demand-zero"))
        pl_text_addf(&line, "%sfirst touches read nothing (rule demand-zero)", line.length ? "; " : "");
    else if (rule && !strcmp(rule, "memsim"))
        pl_text_addf(&line, "%sfirst touches are among the reads (rule memsim)", line.length ? "; " : "");
    if (line.data && !line.failed)
        pl_gnuplot_set_text(job->settings, "subheading", line.data);
    pl_text_free(&line);
    if (job->options->title)
        return;
    const char *title = pl_arena_printf(job->arena, "Page-file reads and writes by memory size%s%s",
                                        job->count > 1 ? "" : ": ", job->count > 1 ? "" : job->subject);
    pl_gnuplot_set_text(job->settings, "heading", title ? title : "");
}

/* The second axis counts pages of one size, so all tables must agree on it. */
static void set_pages_axis(struct pl_figure_job *job, const struct columns *columns)
{
    double per_mb = 0;
    for (size_t s = 0; s < job->count; s++) {
        const struct pl_figure_series *series = &job->series[s];
        if (columns[s].pages < 0)
            return;
        size_t last = series->table->rows - 1;
        double own = pl_result_cell(series->table, last, columns[s].pages) / memory_mb(series, &columns[s], last);
        if (!(own > 0) || !isfinite(own) || (s && fabs(own / per_mb - 1) > 1e-3))
            return;
        per_mb = own;
    }
    pl_gnuplot_set_number(job->settings, "pages_per_mb", per_mb);
}

static enum pl_err write_fault_table(struct pl_figure_job *job, struct pl_error *err)
{
    struct columns columns[PL_FIGURE_SERIES_MAX];
    struct axes axes = {.least_x = INFINITY};
    bool writes = false;
    for (size_t s = 0; s < job->count; s++) {
        enum pl_err rc = find_columns(&job->series[s], &columns[s], err);
        if (rc)
            return rc;
        widen(&axes, &job->series[s], &columns[s]);
        writes |= columns[s].writes >= 0;
    }
    choose_axes(&axes, &job->series[0], &columns[0], job->options->log);
    if (axes.log_y && !(axes.most_y > 0))
        return pl_fail(err, PL_ERR_USAGE, "%s: all counts are 0: nothing to draw on a logarithmic axis",
                       job->series[0].result->path);
    if (axes.log_x && !(axes.least_x < INFINITY))
        return pl_fail(err, PL_ERR_USAGE, "%s: the only memory size is 0: nothing to draw on a logarithmic axis",
                       job->series[0].result->path);

    for (size_t s = 0; s < job->count; s++) {
        pl_gnuplot_set_text_of(job->settings, "name", s + 1, job->series[s].name);
        write_series(job->data, &job->series[s], &columns[s], &axes);
    }
    pl_gnuplot_set_text(job->settings, "columns", writes ? "reads writes" : "reads");
    pl_gnuplot_set_text(job->settings, "log", axes.log_x ? axes.log_y ? "xy" : "x" : axes.log_y ? "y" : "none");
    pl_text_addf(&job->settings->text, "series=%zu; ", job->count);
    set_pages_axis(job, columns);
    say_what(job);
    return PL_OK;
}

const struct pl_figure pl_figure_fault_table = {
    .name = "fault-table",
    .about = "reads and writes of the page file by memory size; several tables over each other",
    .columns = (const char *const[]){"memory_mb|memory_pages", "reads", NULL},
    .write = write_fault_table,
};
