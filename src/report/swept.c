/* report/swept.c: which columns of a sweep varied, and what came of them. */
#include "report/swept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the values of a parameter ------------------------------------------------------------------ */

int pl_swept_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The different values of a column among the rows that take part, rising, in memory of the caller's. */
size_t pl_swept_values(const struct pl_swept *swept, int column, double *out)
{
    size_t count = 0, different = 0;
    for (size_t row = 0; row < swept->table->rows; row++) {
        const double value = pl_result_cell(swept->table, row, column);
        if (swept->taken[row] && isfinite(value))
            out[count++] = value;
    }
    qsort(out, count, sizeof *out, pl_swept_by_value);
    for (size_t i = 0; i < count; i++)
        if (different == 0 || out[i] != out[different - 1])
            out[different++] = out[i];
    return different;
}

/* Does anything vary in the column, words included? */
static bool varies(const struct pl_swept *swept, int column)
{
    size_t first = PL_NO_ROW;
    for (size_t row = 0; row < swept->table->rows; row++) {
        if (!swept->taken[row])
            continue;
        if (first == PL_NO_ROW)
            first = row;
        const char *words = pl_result_words(swept->table, row, column),
                   *before = pl_result_words(swept->table, first, column);
        const double value = pl_result_cell(swept->table, row, column), held = pl_result_cell(swept->table, first, column);
        if (words && before ? strcmp(words, before) != 0 : value != held && !(isnan(value) && isnan(held)))
            return true;
    }
    return false;
}

/* Evenly spaced, or by an even factor? */
bool pl_swept_is_log(const double *v, size_t n)
{
    return n > 2 && v[0] > 0 && fabs(v[1] / v[0] - v[n - 1] / v[n - 2]) < 1e-3 * v[1] / v[0] &&
           fabs((v[1] - v[0]) - (v[n - 1] - v[n - 2])) > 1e-3 * (v[1] - v[0]);
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
int pl_swept_column(const struct pl_result_table *table, const char *name, size_t length)
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
static void find_parameters(struct pl_swept *swept)
{
    char key[24];
    const char *name;
    swept->parameters = 0;
    for (size_t i = 1; i <= PL_SWEPT_PARAMETERS_MAX; i++) {
        snprintf(key, sizeof key, "axis_%zu", i);
        name = pl_result_fact(swept->result, key);
        const int column = name ? pl_result_find(swept->table, name) : -1;
        if (!name)
            break;
        if (column >= 0 && varies(swept, column))
            swept->parameter[swept->parameters++] = column;
    }
    if (pl_result_fact(swept->result, "axis_1"))
        return;
    for (size_t c = 0; c < swept->table->columns && swept->parameters < PL_SWEPT_PARAMETERS_MAX; c++)
        if (!is_answer(swept->table->column[c].name) && (int)c != swept->answer && varies(swept, (int)c))
            swept->parameter[swept->parameters++] = (int)c;
}

/* What is shown: the study's objective where that is a column, total_s, or the last column of numbers. */
static int find_answer(struct pl_swept *swept)
{
    static const char *const first[] = {"total_s", "objective", "elapsed_s"};
    const struct pl_result_table *table = swept->table;
    const char *goal = pl_result_fact(swept->result, "objective");
    const char *space = goal ? strchr(goal, ' ') : NULL;
    swept->maximise = goal && !strncmp(goal, "maximise", 8);
    if (space && pl_swept_column(table, space + 1, strlen(space + 1)) >= 0)
        return pl_swept_column(table, space + 1, strlen(space + 1));
    swept->maximise = false;
    for (size_t i = 0; i < PL_COUNT_OF(first); i++)
        if (pl_result_find(table, first[i]) >= 0)
            return pl_result_find(table, first[i]);
    for (int c = (int)table->columns - 1; c > 0; c--)
        if (!table->column[c].bad_row && !is_answer(table->column[c].name))
            return c;
    return -1;
}

/* "NAME=VALUE" takes only the rows that have the value; a number may be rounded in its sixth digit. */
static enum pl_err hold(struct pl_swept *swept, const char *text, struct pl_error *err)
{
    const char *equals = strchr(text, '=');
    const int column = equals ? pl_swept_column(swept->table, text, (size_t)(equals - text)) : -1;
    double wanted = NAN;
    size_t kept = 0;
    if (column < 0)
        return pl_fail(err, PL_ERR_USAGE, "--at %.80s: NAME=VALUE, with the name of a column", text);
    const bool number = pl_parse_double(equals + 1, &wanted);
    for (size_t row = 0; row < swept->table->rows; row++) {
        const char *words = pl_result_words(swept->table, row, column);
        const double value = pl_result_cell(swept->table, row, column);
        const bool is = words ? !strcmp(words, equals + 1) : number && fabs(value - wanted) <= 1e-5 * fabs(wanted);
        swept->taken[row] &= is;
        kept += swept->taken[row];
    }
    swept->held = pl_arena_printf(swept->arena, "%s%s%.40s = %.40s", swept->held, *swept->held ? ", " : "",
                                swept->table->column[column].name, equals + 1);
    if (!swept->held)
        return pl_fail_memory(err, 0, "a title");
    return kept ? PL_OK
                : pl_fail(err, PL_ERR_USAGE, "--at %.80s: no point has that value (in %s)", text,
                          swept->table->column[column].unit[0] ? swept->table->column[column].unit : "the file's unit");
}

bool pl_swept_may_be_best(const struct pl_swept *swept, size_t row)
{
    return !(swept->outside >= 0 && pl_result_cell(swept->table, row, swept->outside) == 1) &&
           !(swept->allowed >= 0 && pl_result_cell(swept->table, row, swept->allowed) == 0);
}

bool pl_swept_is_better(const struct pl_swept *swept, size_t row, size_t than)
{
    if (than == PL_NO_ROW)
        return true;
    const double a = pl_result_cell(swept->table, row, swept->answer), b = pl_result_cell(swept->table, than, swept->answer);
    return swept->maximise ? a > b : a < b;
}

const char *pl_swept_short(const struct pl_result_column *column)
{
    return column->label[0] ? column->label : column->name;
}

const char *pl_swept_others(const struct pl_swept *swept, int x, int y)
{
    const char *names = "";
    for (size_t i = 0; i < swept->parameters && names; i++)
        if (swept->parameter[i] != x && swept->parameter[i] != y)
            names = pl_arena_printf(swept->arena, "%s%s%s", names, *names ? ", " : "",
                                    pl_swept_short(&swept->table->column[swept->parameter[i]]));
    const char *best = swept->maximise ? "greatest" : "least";
    const char *over = names && *names ? pl_arena_printf(swept->arena, "each place is the %s over %s", best, names) : "";
    return pl_arena_printf(swept->arena, "%s%s%s", swept->held, *swept->held && over && *over ? "; " : "",
                           over ? over : "");
}

void pl_swept_name_axis(struct pl_figure_job *job, const char *setting, const struct pl_result_column *column)
{
    char words[160];
    snprintf(words, sizeof words, "%s%s%s%s", column->label[0] ? column->label : column->name,
             column->unit[0] ? " (" : "", column->unit, column->unit[0] ? ")" : "");
    pl_gnuplot_set_text(job->settings, setting, words);
}

enum pl_err pl_swept_open(struct pl_figure_job *job, struct pl_swept *out, struct pl_error *err)
{
    struct pl_swept *swept = out;
    enum pl_err rc = PL_OK;
    *swept = (struct pl_swept){
        .arena = job->arena, .result = job->series[0].result, .table = job->series[0].table, .held = ""};
    swept->taken = pl_arena_alloc(job->arena, swept->table->rows + 1, sizeof *swept->taken);
    if (!swept->taken)
        return pl_fail_memory(err, swept->table->rows, "the points of a figure");
    memset(swept->taken, true, swept->table->rows);
    for (size_t i = 0; i < job->options->at.count && rc == PL_OK; i++)
        rc = hold(swept, job->options->at.item[i], err);
    if (rc)
        return rc;
    swept->answer = find_answer(swept);
    swept->allowed = pl_result_find(swept->table, "allowed");
    swept->outside = pl_result_find(swept->table, "extrapolated");
    if (swept->answer < 0)
        return pl_fail(err, PL_ERR_INPUT, "%s: beside its parameters has no numbers to show", swept->result->path);
    find_parameters(swept);
    return PL_OK;
}
