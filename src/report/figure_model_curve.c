/* report/figure_model_curve.c: time lost or gained by the size of a compressed cache, or by another parameter.
 *
 * The swept parameters are the columns in front of the first cost. One that varies gives one curve with its parts; two
 * give a family of totals: over d when d is one of them, a curve for each value of the other. The optimum is marked
 * where d is swept (the least of any other parameter is no choice that one has), and never outside the table. */
#include "report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const costs[] = {"read_s", "write_s", "frac_s", "total_s"};

/* Parameters of the model as the axis and the words below the title say them. */
static const struct known {
    const char *column, *name, *label, *unit;
    double shown; /* unit shown over unit held */
} known[] = {
    {"m_mb", "m", "memory of the machine, m", "MB", 1},
    {"d_mb", "d", "memory given to the compressed cache, d", "MB", 1},
    {"r", "r", "compression ratio, r", "", 1},
    {"cd_s", "cd", "time to compress or decompress a page, cd", "ms", 1000},
    {"ch_s", "ch", "time of a disk access, ch", "ms", 1000},
    {"frac", "frac", "additional disk accesses for each write, frac", "", 1},
};

static const struct known *known_of(const char *column)
{
    for (size_t i = 0; i < PL_COUNT_OF(known); i++)
        if (!strcmp(known[i].column, column))
            return &known[i];
    return NULL;
}

/* --- what is swept ------------------------------------------------------------------ */
struct sweep {
    int x, by; /* the axis; the column that tells curves apart, or -1 */
};

static size_t first_cost(const struct pl_result_table *table)
{
    size_t first = table->columns;
    for (size_t i = 0; i < PL_COUNT_OF(costs); i++) {
        int column = pl_result_find(table, costs[i]);
        if (column >= 0 && (size_t)column < first)
            first = (size_t)column;
    }
    return first;
}

static enum pl_err find_sweep(const struct pl_figure_series *series, struct sweep *out, struct pl_error *err)
{
    const struct pl_result_table *table = series->table;
    size_t parameters = first_cost(table), varying = 0;
    int found[2] = {-1, -1}, d = pl_result_find(table, "d_mb");
    double least, most;
    for (size_t c = 0; c < parameters; c++) {
        if (!pl_figure_range(series, (int)c, &least, &most) || !(least < most))
            continue;
        if (varying == 2)
            return pl_fail(err, PL_ERR_INPUT, "%s: more than two parameters vary; a curve shows one or two",
                           series->result->path);
        found[varying++] = (int)c;
    }
    if (varying == 0)
        return pl_fail(err, PL_ERR_INPUT, "%s: every parameter has one value: a point is no curve to draw",
                       series->result->path);
    bool swap = varying == 2 && found[1] == d;
    *out = (struct sweep){found[swap], varying == 2 ? found[!swap] : -1};
    return PL_OK;
}

/* --- a family of curves ---------------------------------------------------------------- */
static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The distinct numbers of a column, ascending, in the arena. */
static enum pl_err distinct(const struct pl_figure_series *series, int column, struct pl_arena *arena, double **out,
                            size_t *count, struct pl_error *err)
{
    size_t rows = series->table->rows, used = 0;
    double *values = pl_arena_alloc(arena, rows, sizeof *values);
    if (!values)
        return pl_fail_memory(err, rows * sizeof *values, "the curves of a sweep");
    for (size_t row = 0; row < rows; row++)
        if (isfinite(pl_result_cell(series->table, row, column)))
            values[used++] = pl_result_cell(series->table, row, column);
    qsort(values, used, sizeof *values, by_value);
    *count = 0;
    for (size_t i = 0; i < used; i++)
        if (i == 0 || values[i] != values[*count - 1])
            values[(*count)++] = values[i];
    *out = values;
    return PL_OK;
}

/* "r = 1.6", "cd = 2 ms". */
static char *value_words(struct pl_arena *arena, const char *column, double value)
{
    const struct known *parameter = known_of(column);
    char digits[40];
    snprintf(digits, sizeof digits, "%.6g", value * (parameter ? parameter->shown : 1));
    return pl_arena_printf(arena, "%s = %s%s%s", parameter ? parameter->name : column, digits,
                           parameter && parameter->unit[0] ? " " : "", parameter ? parameter->unit : "");
}

/* One result with two swept parameters becomes as many series as there are colours, evenly chosen. */
static enum pl_err unfold(struct pl_figure_job *job, const struct sweep *sweep, struct pl_error *err)
{
    double *values = NULL;
    size_t count = 0;
    const struct pl_figure_series whole = job->series[0];
    enum pl_err rc = distinct(&whole, sweep->by, job->arena, &values, &count, err);
    if (rc)
        return rc;
    job->count = count < PL_FIGURE_SERIES_MAX ? count : PL_FIGURE_SERIES_MAX;
    for (size_t s = 0; s < job->count; s++) {
        size_t pick = job->count > 1 ? s * (count - 1) / (job->count - 1) : 0;
        job->series[s] = whole;
        job->series[s].only_column = sweep->by;
        job->series[s].only_value = values[pick];
        job->series[s].name = value_words(job->arena, whole.table->column[sweep->by].name, values[pick]);
        if (!job->series[s].name)
            return pl_fail_memory(err, 0, "names of curves");
    }
    return PL_OK;
}

/* --- data ----------------------------------------------------------------------------------- */
static enum pl_err check_costs(const struct pl_figure_series *series, bool log_y, struct pl_error *err)
{
    double least, most;
    for (size_t i = 0; i < PL_COUNT_OF(costs); i++) {
        int column = pl_result_find(series->table, costs[i]);
        enum pl_err rc = column >= 0 ? pl_figure_check_column(series, column, err) : PL_OK;
        if (rc)
            return rc;
        if (log_y && column >= 0 && pl_figure_range(series, column, &least, &most) && least <= 0 &&
            !strcmp(costs[i], "total_s"))
            return pl_fail(err, PL_ERR_USAGE,
                           "%s: the total falls to %.4g s; a logarithmic axis has no place for 0 and gains",
                           series->result->path, least);
    }
    return PL_OK;
}

static void write_series(struct pl_sink *data, const struct pl_figure_series *series, const char *x_name,
                         double x_scale)
{
    const struct pl_result_table *table = series->table;
    int x = pl_result_find(table, x_name), extrapolated = pl_result_find(table, "extrapolated");
    pl_sink_puts(data, "x\tread_s\twrite_s\tfrac_s\ttotal_s\textrapolated\n");
    for (size_t row = 0; row < table->rows; row++) {
        if (!pl_figure_row_is_in(series, row))
            continue;
        pl_figure_write_cell(data, pl_result_cell(table, row, x) * x_scale, '\t');
        for (size_t i = 0; i < PL_COUNT_OF(costs); i++) {
            int column = pl_result_find(table, costs[i]);
            pl_figure_write_cell(data, column >= 0 ? pl_result_cell(table, row, column) : NAN, '\t');
        }
        pl_figure_write_cell(data, extrapolated >= 0 && pl_result_cell(table, row, extrapolated) > 0, '\n');
    }
    pl_sink_puts(data, "\n\n");
}

/* The band of `model --fit`, a block behind the curves; and what the bootstrap says of the conclusion. */
static const struct pl_result_table *band_of(const struct pl_figure_job *job, const char *x)
{
    const struct pl_result *result = job->series[0].result;
    if (job->count != 1 || job->series[0].only_column >= 0 || strcmp(x, "d_mb"))
        return NULL;
    for (size_t i = 0; i < result->tables; i++)
        if (!strcmp(result->table[i].key, "band") && pl_result_find(&result->table[i], "low_s") >= 0)
            return &result->table[i];
    return NULL;
}

static void write_band(struct pl_figure_job *job, const struct pl_result_table *band)
{
    static const char *const names[] = {"d_mb", "low_s", "high_s"};
    pl_sink_puts(job->data, "x\tlow_s\thigh_s\n");
    for (size_t row = 0; row < band->rows; row++)
        for (size_t i = 0; i < PL_COUNT_OF(names); i++)
            pl_figure_write_cell(job->data, pl_result_cell(band, row, pl_result_find(band, names[i])),
                                 i + 1 < PL_COUNT_OF(names) ? '\t' : '\n');
    pl_sink_puts(job->data, "\n\n");
    pl_gnuplot_set_number(job->settings, "band", 1);
}

/* "a cache does not pay: so say 100 % of the replicas". */
static const char *conclusion_words(struct pl_figure_job *job)
{
    const struct pl_result *result = job->series[0].result;
    const double agree = pl_result_number(result, "fit_agree_share"), least = pl_result_number(result, "fit_least_s");
    const double survives = pl_result_number(result, "fit_conclusion_survives");
    if (!isfinite(agree) || !isfinite(least))
        return NULL;
    return pl_arena_printf(job->arena, "\"a cache %s\" %s the band: %.4g %% of replicas say so",
                           least < 0 ? "pays" : "does not pay", survives > 0 ? "survives" : "does not survive", 100 * agree);
}

/* --- words and settings -------------------------------------------------------------------------- */
/* True for a parameter that stands on the axis or tells the curves apart. */
static bool is_swept(const struct pl_figure_job *job, const char *x, const char *column)
{
    const struct pl_figure_series *series = &job->series[0];
    return !strcmp(x, column) ||
           (series->only_column >= 0 && !strcmp(series->table->column[series->only_column].name, column));
}

/* The valley is flat more often than not: how far one may go from its ground matters more than where that is. */
static void say_flat_range(const struct pl_result *result, struct pl_text *line)
{
    double within = pl_result_number(result, "flat_s"), from = pl_result_number(result, "flat_from_mb");
    double to = pl_result_number(result, "flat_to_mb");
    if (isfinite(within) && isfinite(from) && isfinite(to))
        pl_text_addf(line, "%sat most %.4g s above the least from %.3g to %.3g MB", line->length ? "; " : "", within,
                     from, to);
}

/* "m = 8 MB, r = 1.6, cd = 2 ms, ch = 10 ms": the parameters that stand still. Not for several results, which differ
 * in some of them. */
static void say_parameters(struct pl_figure_job *job, const char *x)
{
    struct pl_text line = {0};
    const struct pl_result *result = job->series[0].result;
    bool family = job->series[0].only_column >= 0;
    if (job->count > 1 && !family)
        return;
    for (size_t i = 0; i < PL_COUNT_OF(known); i++) {
        double value = pl_result_number(result, known[i].column);
        bool unused = !strcmp(known[i].column, "frac") && value == 0;
        if (isnan(value) || unused || is_swept(job, x, known[i].column))
            continue;
        const char *words = value_words(job->arena, known[i].column, value);
        pl_text_addf(&line, "%s%s", line.length ? ", " : "", words ? words : "");
    }
    const char *conclusion = band_of(job, x) ? conclusion_words(job) : NULL;
    if (conclusion)
        pl_text_addf(&line, "%s%s", line.length ? "; " : "", conclusion);
    else if (!strcmp(x, "d_mb") && !family)
        say_flat_range(result, &line);
    if (line.data && !line.failed)
        pl_gnuplot_set_text(job->settings, "subheading", line.data);
    pl_text_free(&line);
}

static void say_axis(struct pl_figure_job *job, const struct pl_result_column *column)
{
    const struct known *parameter = known_of(column->name);
    const char *label = parameter ? parameter->label : column->label[0] ? column->label : column->name;
    const char *unit = parameter ? parameter->unit : column->unit;
    struct pl_text text = {0};
    pl_text_addf(&text, unit[0] ? "%s (%s)" : "%s", label, unit);
    pl_gnuplot_set_text(job->settings, "x_label", text.data ? text.data : "");
    pl_gnuplot_set_text(job->settings, "x_name", parameter ? parameter->name : column->name);
    pl_gnuplot_set_text(job->settings, "x_unit", unit);
    pl_text_free(&text);
    if (!job->options->title) {
        bool alone = job->series[0].only_column >= 0 || job->count == 1;
        const char *title = pl_arena_printf(job->arena, "Time lost or gained by a compressed cache%s%s",
                                            alone ? ": " : "", alone ? job->subject : "");
        pl_gnuplot_set_text(job->settings, "heading", title ? title : "");
    }
}

/* The optimum as the model found it lies between rows; other results have the least row marked by the script. */
static void set_best(struct pl_figure_job *job, bool over_d)
{
    for (size_t s = 0; s < job->count; s++) {
        const struct pl_result *result = job->series[s].result;
        double d = pl_result_number(result, "optimum_d_mb"), cost = pl_result_number(result, "optimum_total_s");
        if (!over_d)
            pl_gnuplot_set_number_of(job->settings, "best", s + 1, 0);
        else if (job->series[s].only_column < 0 && isfinite(d) && isfinite(cost)) {
            pl_gnuplot_set_number_of(job->settings, "best_x", s + 1, d);
            pl_gnuplot_set_number_of(job->settings, "best_y", s + 1, cost);
        }
    }
}

static const char *parts_of(const struct pl_result_table *table)
{
    bool read = pl_result_find(table, "read_s") >= 0, write = pl_result_find(table, "write_s") >= 0;
    int frac = pl_result_find(table, "frac_s");
    bool paid = false; /* a term that is 0 everywhere is no curve */
    for (size_t row = 0; frac >= 0 && row < table->rows; row++)
        paid |= pl_result_cell(table, row, frac) != 0;
    if (!read || !write)
        return read ? "read_s" : write ? "write_s" : "";
    return paid ? "read_s write_s frac_s" : "read_s write_s";
}

static enum pl_err write_model_curve(struct pl_figure_job *job, struct pl_error *err)
{
    enum pl_plot_log log = job->options->log;
    bool log_x = log == PL_PLOT_LOG_X || log == PL_PLOT_LOG_XY, log_y = log == PL_PLOT_LOG_Y || log == PL_PLOT_LOG_XY;
    struct sweep sweep = {-1, -1};
    enum pl_err rc = find_sweep(&job->series[0], &sweep, err);
    if (rc)
        return rc;
    if (sweep.by >= 0 && job->count > 1)
        return pl_fail(err, PL_ERR_INPUT, "%s: two parameters vary; draw it alone", job->series[0].result->path);
    rc = sweep.by >= 0 ? unfold(job, &sweep, err) : PL_OK;
    if (rc)
        return rc;

    const struct pl_result_column *x = &job->series[0].table->column[sweep.x];
    const struct known *parameter = known_of(x->name);
    for (size_t s = 0; s < job->count; s++) {
        if (pl_result_find(job->series[s].table, x->name) < 0)
            return pl_fail(err, PL_ERR_INPUT, "%s: has no column %s, over which %s is drawn",
                           job->series[s].result->path, x->name, job->series[0].result->path);
        rc = check_costs(&job->series[s], log_y, err);
        if (rc)
            return rc;
        pl_gnuplot_set_text_of(job->settings, "name", s + 1, job->series[s].name);
        write_series(job->data, &job->series[s], x->name, parameter ? parameter->shown : 1);
    }
    if (band_of(job, x->name))
        write_band(job, band_of(job, x->name));
    pl_gnuplot_set_text(job->settings, "over", "x");
    pl_gnuplot_set_text(job->settings, "parts", parts_of(job->series[0].table));
    pl_gnuplot_set_text(job->settings, "log", log_x ? log_y ? "xy" : "x" : log_y ? "y" : "none");
    pl_text_addf(&job->settings->text, "series=%zu; ", job->count);
    set_best(job, !strcmp(x->name, "d_mb"));
    say_axis(job, x);
    say_parameters(job, x->name);
    return PL_OK;
}

const struct pl_figure pl_figure_model_curve = {
    .name = "model-curve",
    .about = "time lost or gained by the size of a compressed cache (or by m, r, cd, ch, frac), with its parts",
    .columns = (const char *const[]){"total_s", "d_mb|m_mb|r|cd_s|ch_s|frac", NULL},
    .write = write_model_curve,
};
