/* report/figure_heat_map.c: two swept parameters and what came of them, as colours, with the least of it marked.
 *
 * The first two columns that take several values are the axes, the last one the colour: total_s when it is there, else
 * the last column of numbers. Points need not form a grid: places without a point stay white. */
#include "report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AXIS_MAX = 512 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The different values of a column, rising; 0 when there are too many for an axis or a cell has none. */
static size_t values_of(const struct pl_result_table *table, int column, double *out)
{
    size_t count = 0;
    for (size_t row = 0; row < table->rows; row++) {
        double value = pl_result_cell(table, row, column);
        if (!isfinite(value))
            return 0;
        if (bsearch(&value, out, count, sizeof *out, by_value))
            continue;
        if (count == AXIS_MAX)
            return 0;
        out[count++] = value;
        qsort(out, count, sizeof *out, by_value);
    }
    return count;
}

struct axis {
    int column;
    size_t count;
    double value[AXIS_MAX];
};

/* Evenly spaced, or by an even factor? */
static bool is_log(const struct axis *axis)
{
    const double *v = axis->value;
    size_t n = axis->count;
    return n > 2 && v[0] > 0 && fabs(v[1] / v[0] - v[n - 1] / v[n - 2]) < 1e-3 * v[1] / v[0] &&
           fabs((v[1] - v[0]) - (v[n - 1] - v[n - 2])) > 1e-3 * (v[1] - v[0]);
}

static bool is_answer(const char *name)
{
    static const char *const answers[] = {"read_s", "write_s", "frac_s", "total_s", "best_d_mb", "extrapolated", "point"};
    for (size_t i = 0; i < PL_COUNT_OF(answers); i++)
        if (!strcmp(name, answers[i]))
            return true;
    return false;
}

static size_t find_axes(const struct pl_result_table *table, struct axis *axes)
{
    size_t found = 0;
    for (size_t c = 0; c < table->columns && found < 2; c++) {
        axes[found].column = (int)c;
        axes[found].count = is_answer(table->column[c].name) ? 0 : values_of(table, (int)c, axes[found].value);
        found += axes[found].count > 1;
    }
    return found;
}

/* What is shown: total_s, the study's objective, or the last column of numbers. */
static int find_answer(const struct pl_result_table *table, const struct axis *axes)
{
    static const char *const first[] = {"total_s", "objective", "elapsed_s"};
    for (size_t i = 0; i < PL_COUNT_OF(first); i++)
        if (pl_result_find(table, first[i]) >= 0)
            return pl_result_find(table, first[i]);
    for (int c = (int)table->columns - 1; c > axes[1].column; c--)
        if (!table->column[c].bad_row && strcmp(table->column[c].name, "extrapolated"))
            return c;
    return -1;
}

static void name_axis(struct pl_figure_job *job, const char *setting, const struct pl_result_column *column)
{
    char words[160];
    snprintf(words, sizeof words, "%s%s%s%s", column->label[0] ? column->label : column->name, column->unit[0] ? " (" : "",
             column->unit, column->unit[0] ? ")" : "");
    pl_gnuplot_set_text(job->settings, setting, words);
}

/* Where a value's cell begins and ends: half way to its neighbours. */
static void cell_edges(const struct axis *axis, double value, double *low, double *high)
{
    const double *at = bsearch(&value, axis->value, axis->count, sizeof value, by_value);
    size_t i = (size_t)(at - axis->value), last = axis->count - 1;
    const double *v = axis->value;
    bool log = is_log(axis);
    double before = i > 0 ? v[i - 1] : log ? v[0] * v[0] / v[1] : 2 * v[0] - v[1];
    double after = i < last ? v[i + 1] : log ? v[last] * v[last] / v[last - 1] : 2 * v[last] - v[last - 1];
    *low = log ? sqrt(before * value) : (before + value) / 2;
    *high = log ? sqrt(after * value) : (after + value) / 2;
}

static size_t least_row(const struct pl_result_table *table, int answer)
{
    size_t best = table->rows;
    int outside = pl_result_find(table, "extrapolated");
    for (size_t row = 0; row < table->rows; row++) {
        double value = pl_result_cell(table, row, answer);
        if (!isfinite(value) || (outside >= 0 && pl_result_cell(table, row, outside) == 1))
            continue;
        if (best == table->rows || value < pl_result_cell(table, best, answer))
            best = row;
    }
    return best;
}

static void write_cells(struct pl_figure_job *job, const struct pl_result_table *table, const struct axis *axes, int answer)
{
    pl_sink_puts(job->data, "# x\ty\tx_low\tx_high\ty_low\ty_high\tvalue\n");
    for (size_t row = 0; row < table->rows; row++) {
        double x = pl_result_cell(table, row, axes[0].column), y = pl_result_cell(table, row, axes[1].column), low, high;
        pl_figure_write_cell(job->data, x, '\t');
        pl_figure_write_cell(job->data, y, '\t');
        cell_edges(&axes[0], x, &low, &high);
        pl_figure_write_cell(job->data, low, '\t');
        pl_figure_write_cell(job->data, high, '\t');
        cell_edges(&axes[1], y, &low, &high);
        pl_figure_write_cell(job->data, low, '\t');
        pl_figure_write_cell(job->data, high, '\t');
        pl_figure_write_cell(job->data, pl_result_cell(table, row, answer), '\n');
    }
}

/* The same on a regular grid, in the order of rows, for the contour; only when the grid is whole. */
static void write_grid(struct pl_figure_job *job, const struct pl_result_table *table, const struct axis *axes, int answer)
{
    bool whole = table->rows == axes[0].count * axes[1].count;
    pl_gnuplot_set_number(job->settings, "whole_grid", whole);
    if (!whole)
        return;
    double *grid = pl_arena_alloc(job->arena, table->rows, sizeof *grid);
    if (!grid)
        return;
    for (size_t row = 0; row < table->rows; row++) {
        double x = pl_result_cell(table, row, axes[0].column), y = pl_result_cell(table, row, axes[1].column);
        const double *ax = bsearch(&x, axes[0].value, axes[0].count, sizeof x, by_value);
        const double *ay = bsearch(&y, axes[1].value, axes[1].count, sizeof y, by_value);
        grid[(size_t)(ax - axes[0].value) * axes[1].count + (size_t)(ay - axes[1].value)] = pl_result_cell(table, row, answer);
    }
    pl_sink_puts(job->data, "\n\n# x\ty\tvalue\n");
    for (size_t i = 0; i < axes[0].count; i++) {
        for (size_t k = 0; k < axes[1].count; k++) {
            pl_figure_write_cell(job->data, axes[0].value[i], '\t');
            pl_figure_write_cell(job->data, axes[1].value[k], '\t');
            pl_figure_write_cell(job->data, grid[i * axes[1].count + k], '\n');
        }
        pl_sink_puts(job->data, "\n");
    }
}

static enum pl_err write_heat_map(struct pl_figure_job *job, struct pl_error *err)
{
    const struct pl_figure_series *series = &job->series[0];
    const struct pl_result_table *table = series->table;
    struct axis axes[3];
    enum pl_err rc = pl_figure_only_one(job, "heat-map", err);
    if (rc)
        return rc;
    if (find_axes(table, axes) < 2)
        return pl_fail(err, PL_ERR_INPUT, "%s: a heat map needs two parameters that take several values (at most %d)",
                       series->result->path, AXIS_MAX);
    int answer = find_answer(table, axes);
    if (answer < 0)
        return pl_fail(err, PL_ERR_INPUT, "%s: beside its parameters has no numbers to show", series->result->path);
    write_cells(job, table, axes, answer);
    write_grid(job, table, axes, answer);
    size_t best = least_row(table, answer);
    if (best < table->rows) {
        pl_gnuplot_set_number(job->settings, "best_x", pl_result_cell(table, best, axes[0].column));
        pl_gnuplot_set_number(job->settings, "best_y", pl_result_cell(table, best, axes[1].column));
        pl_gnuplot_set_number(job->settings, "best", pl_result_cell(table, best, answer));
    }
    name_axis(job, "x_name", &table->column[axes[0].column]);
    name_axis(job, "y_name", &table->column[axes[1].column]);
    name_axis(job, "value_name", &table->column[answer]);
    pl_gnuplot_set_text(job->settings, "log", is_log(&axes[0]) ? is_log(&axes[1]) ? "xy" : "x" : is_log(&axes[1]) ? "y" : "none");
    pl_figure_heading(job, "Over two parameters");
    return PL_OK;
}

static const char *const sweep_columns[] = {"m_mb|d_mb|r|cd_s|ch_s|frac|point", "total_s|objective|elapsed_s", NULL};

const struct pl_figure pl_figure_heat_map = {
    .name = "heat-map",
    .about = "two swept parameters and what came of them, as colours, with the least marked",
    .columns = sweep_columns,
    .write = write_heat_map,
};
