/* report/figure_heat_map.c: two parameters of a sweep and what came of them, as colours, with the best of it marked.
 *
 * The axes are the first two parameters that take several numbers, or those asked for. Where more vary, each place
 * shows the best point over the others, and the figure says so; --at holds one of them. Points need not form a grid:
 * places without a point stay white, and where a parameter takes more values than a picture can show (random designs),
 * its range is cut into BINS places. The colour is the objective of the study, or total_s, or the last column of
 * numbers. */
#include "report/swept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AXIS_MAX = 512, BINS = 40 };

struct axis {
    int column;
    bool binned, log;
    size_t count;
    double value[AXIS_MAX]; /* rising; the middles of the bins */
    double low, high;       /* of binned ones */
};

struct heat_map {
    struct pl_swept swept;
    struct axis axis[2];
    size_t *best; /* the row that a place shows, or PL_NO_ROW; by axis[0], then axis[1] */
    size_t best_row;
};

/* Values that crowd at the low end of a wide range were drawn from its logarithm. */
static bool is_log_drawn(const double *v, size_t n)
{
    return v[0] > 0 && v[n - 1] / v[0] > 20 && v[n / 2] < v[0] + (v[n - 1] - v[0]) / 4;
}

static void make_bins(struct axis *axis, const double *values, size_t count)
{
    axis->binned = true;
    axis->log = is_log_drawn(values, count);
    axis->low = values[0];
    axis->high = values[count - 1];
    axis->count = BINS;
    for (size_t i = 0; i < BINS; i++) {
        const double share = ((double)i + 0.5) / BINS;
        axis->value[i] =
            axis->log ? axis->low * pow(axis->high / axis->low, share) : axis->low + (axis->high - axis->low) * share;
    }
}

static size_t place_of(const struct axis *axis, double value)
{
    if (!axis->binned)
        return (size_t)((const double *)bsearch(&value, axis->value, axis->count, sizeof value, pl_swept_by_value) -
                        axis->value);
    const double share = axis->log ? log(value / axis->low) / log(axis->high / axis->low)
                                   : (value - axis->low) / (axis->high - axis->low);
    const size_t place = (size_t)(share * BINS);
    return place < BINS ? place : BINS - 1;
}

/* False when the column has fewer than two numbers. */
static bool make_axis(const struct heat_map *map, int column, double *room, struct axis *out)
{
    const size_t count = pl_swept_values(&map->swept, column, room);
    *out = (struct axis){.column = column, .count = count};
    if (count < 2 || map->swept.table->column[column].bad_row)
        return false;
    if (count > AXIS_MAX) {
        make_bins(out, room, count);
        return true;
    }
    memcpy(out->value, room, count * sizeof *room);
    out->log = pl_swept_is_log(out->value, count);
    return true;
}

/* The two axes: those named "X,Y", or the first two parameters that take several numbers. */
static enum pl_err find_axes(struct heat_map *map, const char *named, struct pl_error *err)
{
    size_t found = 0;
    double *room = pl_arena_alloc(map->swept.arena, map->swept.table->rows + 1, sizeof *room);
    if (!room)
        return pl_fail_memory(err, map->swept.table->rows * sizeof *room, "an axis");
    for (size_t i = 0; i < map->swept.parameters && found < 2 && !named; i++)
        found += make_axis(map, map->swept.parameter[i], room, &map->axis[found]);
    while (named && found < 2) {
        const size_t length = strcspn(named, ",");
        const int column = pl_swept_column(map->swept.table, named, length);
        if (column < 0 || !make_axis(map, column, room, &map->axis[found]))
            return pl_fail(err, PL_ERR_USAGE, "--axes: '%.*s' is no parameter that takes several numbers", (int)length,
                           named);
        named += length + (named[length] == ',');
        found++;
    }
    return found == 2 ? PL_OK
                      : pl_fail(err, PL_ERR_INPUT, "%s: a heat map needs two parameters that take several numbers",
                                map->swept.result->path);
}

/* --- the best of each place ------------------------------------------------------------------------ */

/* Points outside the data or the constraints take a place only where there is no other. */
static enum pl_err fill_places(struct heat_map *map, struct pl_error *err)
{
    const size_t places = map->axis[0].count * map->axis[1].count;
    map->best = pl_arena_alloc(map->swept.arena, places, sizeof *map->best);
    if (!map->best)
        return pl_fail_memory(err, places * sizeof *map->best, "a heat map");
    for (size_t i = 0; i < places; i++)
        map->best[i] = PL_NO_ROW;
    map->best_row = PL_NO_ROW;
    for (size_t row = 0; row < map->swept.table->rows; row++) {
        const double x = pl_result_cell(map->swept.table, row, map->axis[0].column);
        const double y = pl_result_cell(map->swept.table, row, map->axis[1].column);
        if (!map->swept.taken[row] || !isfinite(x) || !isfinite(y) || !isfinite(pl_result_cell(map->swept.table, row, map->swept.answer)))
            continue;
        size_t *best = &map->best[place_of(&map->axis[0], x) * map->axis[1].count + place_of(&map->axis[1], y)];
        const bool may = pl_swept_may_be_best(&map->swept, row), is = *best != PL_NO_ROW && pl_swept_may_be_best(&map->swept, *best);
        if (may != is ? may || *best == PL_NO_ROW : pl_swept_is_better(&map->swept, row, *best))
            *best = row;
        if (may && pl_swept_is_better(&map->swept, row, map->best_row))
            map->best_row = row;
    }
    return PL_OK;
}

/* --- the figure --------------------------------------------------------------------------------------- */

/* Where a place's cell begins and ends: half way to its neighbours. */
static void cell_edges(const struct axis *axis, size_t i, double *low, double *high)
{
    const double *v = axis->value, value = v[i];
    const size_t last = axis->count - 1;
    const bool log = axis->log;
    double before = i > 0 ? v[i - 1] : log ? v[0] * v[0] / v[1] : 2 * v[0] - v[1];
    double after = i < last ? v[i + 1] : log ? v[last] * v[last] / v[last - 1] : 2 * v[last] - v[last - 1];
    *low = log ? sqrt(before * value) : (before + value) / 2;
    *high = log ? sqrt(after * value) : (after + value) / 2;
}

/* Returns whether every place has a point. */
static bool write_cells(struct pl_figure_job *job, const struct heat_map *map)
{
    bool whole = true;
    const struct axis *x = &map->axis[0], *y = &map->axis[1];
    pl_sink_puts(job->data, "# x\ty\tx_low\tx_high\ty_low\ty_high\tvalue\n");
    for (size_t i = 0; i < x->count * y->count; i++) {
        const size_t at[] = {i / y->count, i % y->count};
        double edge[4];
        if (map->best[i] == PL_NO_ROW) {
            whole = false;
            continue;
        }
        cell_edges(x, at[0], &edge[0], &edge[1]);
        cell_edges(y, at[1], &edge[2], &edge[3]);
        pl_figure_write_cell(job->data, x->value[at[0]], '\t');
        pl_figure_write_cell(job->data, y->value[at[1]], '\t');
        for (size_t k = 0; k < 4; k++)
            pl_figure_write_cell(job->data, edge[k], '\t');
        pl_figure_write_cell(job->data, pl_result_cell(map->swept.table, map->best[i], map->swept.answer), '\n');
    }
    return whole;
}

/* The same on a regular grid, in the order of rows, for the contour; only when the grid is whole. */
static void write_grid(struct pl_figure_job *job, const struct heat_map *map)
{
    const struct axis *x = &map->axis[0], *y = &map->axis[1];
    pl_sink_puts(job->data, "\n\n# x\ty\tvalue\n");
    for (size_t i = 0; i < x->count; i++) {
        for (size_t k = 0; k < y->count; k++) {
            pl_figure_write_cell(job->data, x->value[i], '\t');
            pl_figure_write_cell(job->data, y->value[k], '\t');
            pl_figure_write_cell(job->data, pl_result_cell(map->swept.table, map->best[i * y->count + k], map->swept.answer), '\n');
        }
        pl_sink_puts(job->data, "\n");
    }
}

/* Where an axis has few values, its marks are at these. */
static void mark_values(struct pl_figure_job *job, const char *setting, const struct axis *axis)
{
    enum { FEW = 8 };
    char words[FEW * 16] = "";
    size_t length = 0;
    for (size_t i = 0; i < axis->count && axis->count <= FEW && !axis->binned; i++)
        length += (size_t)snprintf(words + length, sizeof words - length, "%s%.5g", i ? " " : "", axis->value[i]);
    pl_gnuplot_set_text(job->settings, setting, words);
}

static void set_words(struct pl_figure_job *job, const struct heat_map *map)
{
    const struct axis *x = &map->axis[0], *y = &map->axis[1];
    const char *others = pl_swept_others(&map->swept, x->column, y->column);
    if (map->best_row != PL_NO_ROW) {
        pl_gnuplot_set_number(job->settings, "best_x", pl_result_cell(map->swept.table, map->best_row, x->column));
        pl_gnuplot_set_number(job->settings, "best_y", pl_result_cell(map->swept.table, map->best_row, y->column));
        pl_gnuplot_set_number(job->settings, "best", pl_result_cell(map->swept.table, map->best_row, map->swept.answer));
        pl_gnuplot_set_text(job->settings, "best_word", map->swept.maximise ? "greatest" : "least");
    }
    if (others && *others)
        pl_gnuplot_set_text(job->settings, "others", others);
    pl_gnuplot_set_text(job->settings, "x_short", pl_swept_short(&map->swept.table->column[x->column]));
    pl_gnuplot_set_text(job->settings, "y_short", pl_swept_short(&map->swept.table->column[y->column]));
    mark_values(job, "x_marks", x);
    mark_values(job, "y_marks", y);
    pl_swept_name_axis(job, "x_name", &map->swept.table->column[x->column]);
    pl_swept_name_axis(job, "y_name", &map->swept.table->column[y->column]);
    pl_swept_name_axis(job, "value_name", &map->swept.table->column[map->swept.answer]);
    pl_gnuplot_set_text(job->settings, "log", x->log ? y->log ? "xy" : "x" : y->log ? "y" : "none");
    pl_figure_heading(job, "Over two parameters");
}

static enum pl_err write_heat_map(struct pl_figure_job *job, struct pl_error *err)
{
    struct heat_map map;
    enum pl_err rc = pl_figure_only_one(job, "heat-map", err);
    if (rc == PL_OK)
        rc = pl_swept_open(job, &map.swept, err);
    if (rc == PL_OK)
        rc = find_axes(&map, job->options->axes, err);
    if (rc == PL_OK)
        rc = fill_places(&map, err);
    if (rc)
        return rc;
    const bool whole = write_cells(job, &map);
    pl_gnuplot_set_number(job->settings, "whole_grid", whole);
    if (whole)
        write_grid(job, &map);
    set_words(job, &map);
    return PL_OK;
}

static const char *const sweep_columns[] = {"m_mb|d_mb|r|cd_s|ch_s|frac|point", "total_s|objective|elapsed_s|point",
                                            NULL};

const struct pl_figure pl_figure_heat_map = {
    .name = "heat-map",
    .about = "two swept parameters and what came of them, as colours, with the best marked",
    .columns = sweep_columns,
    .write = write_heat_map,
};
