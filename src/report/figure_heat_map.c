/* report/figure_heat_map.c: two parameters of a sweep and what came of them, as colours, with the best of it marked.
 *
 * The axes are the first two parameters that take several numbers, or those asked for. Where more vary, each place
 * shows the best point over the others, and the figure says so; --at holds one of them. Points need not form a grid:
 * places without a point stay white, and where a parameter takes more values than a picture can show (random designs),
 * its range is cut into BINS places. The colour is the objective of the study, or total_s, or the last column of
 * numbers. */
#include "report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AXIS_MAX = 512, BINS = 40, PARAMETERS_MAX = 40 };

static const size_t NO_ROW = SIZE_MAX;

struct axis {
    int column;
    bool binned, log;
    size_t count;
    double value[AXIS_MAX]; /* rising; the middles of the bins */
    double low, high;       /* of binned ones */
};

struct heat_map {
    struct pl_arena *arena;
    const struct pl_result *result;
    const struct pl_result_table *table;
    int parameter[PARAMETERS_MAX]; /* columns that vary */
    size_t parameters;
    struct axis axis[2];
    int answer, allowed, outside; /* columns, or -1 */
    bool maximise;
    bool *taken;  /* rows that take part */
    size_t *best; /* the row that a place shows, or NO_ROW; by axis[0], then axis[1] */
    size_t best_row;
    const char *held; /* "cd_s = 0.001", "" when nothing is */
};

/* --- the values of a parameter ------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The different values of a column among the rows that take part, rising, in memory of the caller's. */
static size_t values_of(const struct heat_map *map, int column, double *out)
{
    size_t count = 0, different = 0;
    for (size_t row = 0; row < map->table->rows; row++) {
        const double value = pl_result_cell(map->table, row, column);
        if (map->taken[row] && isfinite(value))
            out[count++] = value;
    }
    qsort(out, count, sizeof *out, by_value);
    for (size_t i = 0; i < count; i++)
        if (different == 0 || out[i] != out[different - 1])
            out[different++] = out[i];
    return different;
}

/* Does anything vary in the column, words included? */
static bool varies(const struct heat_map *map, int column)
{
    size_t first = NO_ROW;
    for (size_t row = 0; row < map->table->rows; row++) {
        if (!map->taken[row])
            continue;
        if (first == NO_ROW)
            first = row;
        const char *words = pl_result_words(map->table, row, column),
                   *before = pl_result_words(map->table, first, column);
        const double value = pl_result_cell(map->table, row, column), held = pl_result_cell(map->table, first, column);
        if (words && before ? strcmp(words, before) != 0 : value != held && !(isnan(value) && isnan(held)))
            return true;
    }
    return false;
}

/* Evenly spaced, or by an even factor? */
static bool is_log(const double *v, size_t n)
{
    return n > 2 && v[0] > 0 && fabs(v[1] / v[0] - v[n - 1] / v[n - 2]) < 1e-3 * v[1] / v[0] &&
           fabs((v[1] - v[0]) - (v[n - 1] - v[n - 2])) > 1e-3 * (v[1] - v[0]);
}

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
        return (size_t)((const double *)bsearch(&value, axis->value, axis->count, sizeof value, by_value) -
                        axis->value);
    const double share = axis->log ? log(value / axis->low) / log(axis->high / axis->low)
                                   : (value - axis->low) / (axis->high - axis->low);
    const size_t place = (size_t)(share * BINS);
    return place < BINS ? place : BINS - 1;
}

/* False when the column has fewer than two numbers. */
static bool make_axis(const struct heat_map *map, int column, double *room, struct axis *out)
{
    const size_t count = values_of(map, column, room);
    *out = (struct axis){.column = column, .count = count};
    if (count < 2 || map->table->column[column].bad_row)
        return false;
    if (count > AXIS_MAX) {
        make_bins(out, room, count);
        return true;
    }
    memcpy(out->value, room, count * sizeof *room);
    out->log = is_log(out->value, count);
    return true;
}

/* --- which columns ------------------------------------------------------------------------------- */

static bool is_answer(const char *name)
{
    static const char *const answers[] = {"read_s", "write_s",      "frac_s",  "total_s", "best_d_mb",  "best_total_s",
                                          "point",  "extrapolated", "allowed", "error",   "trace_share"};
    for (size_t i = 0; i < PL_COUNT_OF(answers); i++)
        if (!strcmp(name, answers[i]))
            return true;
    return false;
}

/* A column by its name or by what people call it ("cd_s", "cd"); -1 when there is none. */
static int column_called(const struct pl_result_table *table, const char *name, size_t length)
{
    for (size_t c = 0; c < table->columns; c++) {
        const struct pl_result_column *column = &table->column[c];
        if ((strlen(column->name) == length && !strncmp(column->name, name, length)) ||
            (strlen(column->label) == length && !strncmp(column->label, name, length)))
            return (int)c;
    }
    return -1;
}

/* What varied: the export of a sweep says it; else every column that is no answer. */
static void find_parameters(struct heat_map *map)
{
    char key[24];
    const char *name;
    map->parameters = 0;
    for (size_t i = 1; i <= PARAMETERS_MAX; i++) {
        snprintf(key, sizeof key, "axis_%zu", i);
        name = pl_result_fact(map->result, key);
        const int column = name ? pl_result_find(map->table, name) : -1;
        if (!name)
            break;
        if (column >= 0 && varies(map, column))
            map->parameter[map->parameters++] = column;
    }
    if (pl_result_fact(map->result, "axis_1"))
        return;
    for (size_t c = 0; c < map->table->columns && map->parameters < PARAMETERS_MAX; c++)
        if (!is_answer(map->table->column[c].name) && (int)c != map->answer && varies(map, (int)c))
            map->parameter[map->parameters++] = (int)c;
}

/* What is shown: the study's objective where that is a column, total_s, or the last column of numbers. */
static int find_answer(struct heat_map *map)
{
    static const char *const first[] = {"total_s", "objective", "elapsed_s"};
    const struct pl_result_table *table = map->table;
    const char *goal = pl_result_fact(map->result, "objective");
    const char *space = goal ? strchr(goal, ' ') : NULL;
    map->maximise = goal && !strncmp(goal, "maximise", 8);
    if (space && column_called(table, space + 1, strlen(space + 1)) >= 0)
        return column_called(table, space + 1, strlen(space + 1));
    map->maximise = false;
    for (size_t i = 0; i < PL_COUNT_OF(first); i++)
        if (pl_result_find(table, first[i]) >= 0)
            return pl_result_find(table, first[i]);
    for (int c = (int)table->columns - 1; c > 0; c--)
        if (!table->column[c].bad_row && !is_answer(table->column[c].name))
            return c;
    return -1;
}

/* "NAME=VALUE" takes only the rows that have the value; a number may be rounded in its sixth digit. */
static enum pl_err hold(struct heat_map *map, const char *text, struct pl_error *err)
{
    const char *equals = strchr(text, '=');
    const int column = equals ? column_called(map->table, text, (size_t)(equals - text)) : -1;
    double wanted = NAN;
    size_t kept = 0;
    if (column < 0)
        return pl_fail(err, PL_ERR_USAGE, "--at %.80s: NAME=VALUE, with the name of a column", text);
    const bool number = pl_parse_double(equals + 1, &wanted);
    for (size_t row = 0; row < map->table->rows; row++) {
        const char *words = pl_result_words(map->table, row, column);
        const double value = pl_result_cell(map->table, row, column);
        const bool is = words ? !strcmp(words, equals + 1) : number && fabs(value - wanted) <= 1e-5 * fabs(wanted);
        map->taken[row] &= is;
        kept += map->taken[row];
    }
    map->held = pl_arena_printf(map->arena, "%s%s%.40s = %.40s", map->held, *map->held ? ", " : "",
                                map->table->column[column].name, equals + 1);
    if (!map->held)
        return pl_fail_memory(err, 0, "a title");
    return kept ? PL_OK
                : pl_fail(err, PL_ERR_USAGE, "--at %.80s: no point has that value (in %s)", text,
                          map->table->column[column].unit[0] ? map->table->column[column].unit : "the file's unit");
}

/* The two axes: those named "X,Y", or the first two parameters that take several numbers. */
static enum pl_err find_axes(struct heat_map *map, const char *named, struct pl_error *err)
{
    size_t found = 0;
    double *room = pl_arena_alloc(map->arena, map->table->rows + 1, sizeof *room);
    if (!room)
        return pl_fail_memory(err, map->table->rows * sizeof *room, "an axis");
    for (size_t i = 0; i < map->parameters && found < 2 && !named; i++)
        found += make_axis(map, map->parameter[i], room, &map->axis[found]);
    while (named && found < 2) {
        const size_t length = strcspn(named, ",");
        const int column = column_called(map->table, named, length);
        if (column < 0 || !make_axis(map, column, room, &map->axis[found]))
            return pl_fail(err, PL_ERR_USAGE, "--axes: '%.*s' is no parameter that takes several numbers", (int)length,
                           named);
        named += length + (named[length] == ',');
        found++;
    }
    return found == 2 ? PL_OK
                      : pl_fail(err, PL_ERR_INPUT, "%s: a heat map needs two parameters that take several numbers",
                                map->result->path);
}

/* --- the best of each place ------------------------------------------------------------------------ */

static bool may_be_best(const struct heat_map *map, size_t row)
{
    return !(map->outside >= 0 && pl_result_cell(map->table, row, map->outside) == 1) &&
           !(map->allowed >= 0 && pl_result_cell(map->table, row, map->allowed) == 0);
}

static bool is_better(const struct heat_map *map, size_t row, size_t than)
{
    if (than == NO_ROW)
        return true;
    const double a = pl_result_cell(map->table, row, map->answer), b = pl_result_cell(map->table, than, map->answer);
    return map->maximise ? a > b : a < b;
}

/* Points outside the data or the constraints take a place only where there is no other. */
static enum pl_err fill_places(struct heat_map *map, struct pl_error *err)
{
    const size_t places = map->axis[0].count * map->axis[1].count;
    map->best = pl_arena_alloc(map->arena, places, sizeof *map->best);
    if (!map->best)
        return pl_fail_memory(err, places * sizeof *map->best, "a heat map");
    for (size_t i = 0; i < places; i++)
        map->best[i] = NO_ROW;
    map->best_row = NO_ROW;
    for (size_t row = 0; row < map->table->rows; row++) {
        const double x = pl_result_cell(map->table, row, map->axis[0].column);
        const double y = pl_result_cell(map->table, row, map->axis[1].column);
        if (!map->taken[row] || !isfinite(x) || !isfinite(y) || !isfinite(pl_result_cell(map->table, row, map->answer)))
            continue;
        size_t *best = &map->best[place_of(&map->axis[0], x) * map->axis[1].count + place_of(&map->axis[1], y)];
        const bool may = may_be_best(map, row), is = *best != NO_ROW && may_be_best(map, *best);
        if (may != is ? may || *best == NO_ROW : is_better(map, row, *best))
            *best = row;
        if (may && is_better(map, row, map->best_row))
            map->best_row = row;
    }
    return PL_OK;
}

static const char *short_of(const struct pl_result_column *column)
{
    return column->label[0] ? column->label : column->name;
}

/* "each place is the least over cd" when more than the axes vary. */
static const char *say_others(const struct heat_map *map)
{
    const char *names = "";
    for (size_t i = 0; i < map->parameters && names; i++) {
        const int column = map->parameter[i];
        if (column != map->axis[0].column && column != map->axis[1].column)
            names =
                pl_arena_printf(map->arena, "%s%s%s", names, *names ? ", " : "", short_of(&map->table->column[column]));
    }
    const char *best = map->maximise ? "greatest" : "least";
    const char *over = names && *names ? pl_arena_printf(map->arena, "each place is the %s over %s", best, names) : "";
    return pl_arena_printf(map->arena, "%s%s%s", map->held, *map->held && over && *over ? "; " : "", over ? over : "");
}

/* --- the figure --------------------------------------------------------------------------------------- */

static void name_axis(struct pl_figure_job *job, const char *setting, const struct pl_result_column *column)
{
    char words[160];
    snprintf(words, sizeof words, "%s%s%s%s", column->label[0] ? column->label : column->name,
             column->unit[0] ? " (" : "", column->unit, column->unit[0] ? ")" : "");
    pl_gnuplot_set_text(job->settings, setting, words);
}

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
        if (map->best[i] == NO_ROW) {
            whole = false;
            continue;
        }
        cell_edges(x, at[0], &edge[0], &edge[1]);
        cell_edges(y, at[1], &edge[2], &edge[3]);
        pl_figure_write_cell(job->data, x->value[at[0]], '\t');
        pl_figure_write_cell(job->data, y->value[at[1]], '\t');
        for (size_t k = 0; k < 4; k++)
            pl_figure_write_cell(job->data, edge[k], '\t');
        pl_figure_write_cell(job->data, pl_result_cell(map->table, map->best[i], map->answer), '\n');
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
            pl_figure_write_cell(job->data, pl_result_cell(map->table, map->best[i * y->count + k], map->answer), '\n');
        }
        pl_sink_puts(job->data, "\n");
    }
}

static void set_words(struct pl_figure_job *job, const struct heat_map *map)
{
    const struct axis *x = &map->axis[0], *y = &map->axis[1];
    const char *others = say_others(map);
    if (map->best_row != NO_ROW) {
        pl_gnuplot_set_number(job->settings, "best_x", pl_result_cell(map->table, map->best_row, x->column));
        pl_gnuplot_set_number(job->settings, "best_y", pl_result_cell(map->table, map->best_row, y->column));
        pl_gnuplot_set_number(job->settings, "best", pl_result_cell(map->table, map->best_row, map->answer));
        pl_gnuplot_set_text(job->settings, "best_word", map->maximise ? "greatest" : "least");
    }
    if (others && *others)
        pl_gnuplot_set_text(job->settings, "others", others);
    pl_gnuplot_set_text(job->settings, "x_short", short_of(&map->table->column[x->column]));
    pl_gnuplot_set_text(job->settings, "y_short", short_of(&map->table->column[y->column]));
    name_axis(job, "x_name", &map->table->column[x->column]);
    name_axis(job, "y_name", &map->table->column[y->column]);
    name_axis(job, "value_name", &map->table->column[map->answer]);
    pl_gnuplot_set_text(job->settings, "log", x->log ? y->log ? "xy" : "x" : y->log ? "y" : "none");
    pl_figure_heading(job, "Over two parameters");
}

static enum pl_err choose(struct pl_figure_job *job, struct heat_map *map, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    map->taken = pl_arena_alloc(job->arena, map->table->rows + 1, sizeof *map->taken);
    if (!map->taken)
        return pl_fail_memory(err, map->table->rows, "a heat map");
    memset(map->taken, true, map->table->rows);
    for (size_t i = 0; i < job->options->at.count && rc == PL_OK; i++)
        rc = hold(map, job->options->at.item[i], err);
    if (rc)
        return rc;
    map->answer = find_answer(map);
    map->allowed = pl_result_find(map->table, "allowed");
    map->outside = pl_result_find(map->table, "extrapolated");
    if (map->answer < 0)
        return pl_fail(err, PL_ERR_INPUT, "%s: beside its parameters has no numbers to show", map->result->path);
    find_parameters(map);
    return find_axes(map, job->options->axes, err);
}

static enum pl_err write_heat_map(struct pl_figure_job *job, struct pl_error *err)
{
    struct heat_map map = {
        .arena = job->arena, .result = job->series[0].result, .table = job->series[0].table, .held = ""};
    enum pl_err rc = pl_figure_only_one(job, "heat-map", err);
    if (rc == PL_OK)
        rc = choose(job, &map, err);
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
