/* report/figure.c: the table of figures, and what they share. */
#include "report/figure.h"

#include <math.h>
#include <string.h>

/* A replay has tables for several figures: the first that is there is drawn, --figure asks for the others. */
const struct pl_figure *const pl_figures[] = {
    &pl_figure_fit, /* before the fitted table by itself */
    &pl_figure_model_curve, &pl_figure_fault_table, &pl_figure_time_line,     &pl_figure_memory,
    &pl_figure_phases,      &pl_figure_tools,       &pl_figure_processes,     &pl_figure_activity,
    &pl_figure_store_line,  &pl_figure_fault_latency, &pl_figure_heat_map,    &pl_figure_sweep_line,
    &pl_figure_page_map,
    &pl_figure_predicted,   &pl_figure_zeroing,       NULL,
};

enum pl_err pl_figure_find(const char *name, const struct pl_figure **out, struct pl_error *err)
{
    const char *names[PL_COUNT_OF(pl_figures)];
    size_t count = 0;
    char hint[160];
    for (; pl_figures[count]; count++) {
        names[count] = pl_figures[count]->name;
        if (!strcmp(names[count], name)) {
            *out = pl_figures[count];
            return PL_OK;
        }
    }
    return pl_fail(err, PL_ERR_USAGE, "there is no figure '%s'%s (pagelab plot --list names them)", name,
                   pl_did_you_mean(hint, sizeof hint, name, names, count, sizeof names[0]));
}

/* --- which figure a result can be ------------------------------------------------- */
/* `wanted` is "name" or "name|other". */
static bool has_column(const struct pl_result_table *table, const char *wanted)
{
    char name[64];
    while (*wanted) {
        size_t length = strcspn(wanted, "|");
        if (length < sizeof name) {
            memcpy(name, wanted, length);
            name[length] = '\0';
            if (pl_result_find(table, name) >= 0)
                return true;
        }
        wanted += length + (wanted[length] == '|');
    }
    return false;
}

static bool fits(const struct pl_figure *figure, const struct pl_result_table *table)
{
    for (const char *const *column = figure->columns; *column; column++)
        if (!has_column(table, *column))
            return false;
    return true;
}

/* "it has the columns size and hits; a fault-table needs ..." */
static enum pl_err no_figure(const struct pl_result *result, const struct pl_figure *figure, struct pl_error *err)
{
    struct pl_text has = {0}, needs = {0};
    for (size_t t = 0; t < result->tables; t++)
        for (size_t c = 0; c < result->table[t].columns && has.length < 200; c++)
            pl_text_addf(&has, "%s%s", has.length ? ", " : "", result->table[t].column[c].name);
    if (figure) {
        pl_text_addf(&needs, "%s needs", figure->name);
        for (const char *const *column = figure->columns; *column; column++)
            pl_text_addf(&needs, " %s", *column);
    } else {
        pl_text_add(&needs, "pagelab plot --list names the figures");
    }
    char shown[256];
    pl_printable(shown, sizeof shown, has.data ? has.data : "", has.length);
    enum pl_err rc = pl_fail(err, PL_ERR_INPUT, "%s: has no table that can be drawn; its columns: %s (%s)",
                             result->path, shown[0] ? shown : "none", needs.data ? needs.data : "");
    pl_text_free(&has);
    pl_text_free(&needs);
    return rc;
}

/* Points of a sweep over several parameters that take numbers are a map: a curve could show two at most, and few values
 * of one. Those over one are lines, unless a figure of its own has columns for them. */
static const struct pl_figure *by_kind(const struct pl_result *result)
{
    int numbers = 0;
    char key[24];
    const char *name = "";
    const char *kind = *result->kind ? result->kind : pl_result_fact(result, "kind"); /* of CSV a comment says it */
    if (!kind || strcmp(kind, "sweep") != 0 || result->tables == 0)
        return NULL;
    const struct pl_result_table *table = &result->table[0];
    if (fits(&pl_figure_zeroing, table))
        return &pl_figure_zeroing;
    for (int i = 1; name; i++) {
        snprintf(key, sizeof key, "axis_%d", i);
        name = pl_result_fact(result, key);
        const int column = name ? pl_result_find(table, name) : -1;
        numbers += column >= 0 && !table->column[column].bad_row;
    }
    if (numbers >= 2)
        return &pl_figure_heat_map;
    if (fits(&pl_figure_model_curve, table))
        return NULL;
    return pl_result_fact(result, "axis_1") ? &pl_figure_sweep_line : NULL;
}

enum pl_err pl_figure_match(const struct pl_result *result, const struct pl_figure *figure,
                            const struct pl_figure **out, const struct pl_result_table **table, struct pl_error *err)
{
    if (!figure)
        figure = by_kind(result);
    for (size_t i = 0; pl_figures[i]; i++) {
        if (figure && figure != pl_figures[i])
            continue;
        for (size_t t = 0; t < result->tables; t++) {
            if (!fits(pl_figures[i], &result->table[t]))
                continue;
            if (result->table[t].rows == 0)
                return pl_fail(err, PL_ERR_INPUT, "%s: has no rows to draw", result->path);
            *out = pl_figures[i];
            *table = &result->table[t];
            return PL_OK;
        }
    }
    return no_figure(result, figure, err);
}

/* --- for the figures ---------------------------------------------------------------- */
bool pl_figure_row_is_in(const struct pl_figure_series *series, size_t row)
{
    return series->only_column < 0 || pl_result_cell(series->table, row, series->only_column) == series->only_value;
}

bool pl_figure_range(const struct pl_figure_series *series, int column, double *least, double *most)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t row = 0; row < series->table->rows; row++) {
        double value = pl_result_cell(series->table, row, column);
        if (!isfinite(value) || !pl_figure_row_is_in(series, row))
            continue;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    if (low > high)
        return false;
    *least = low;
    *most = high;
    return true;
}

enum pl_err pl_figure_check_column(const struct pl_figure_series *series, int column, struct pl_error *err)
{
    const struct pl_result_column *named = &series->table->column[column];
    double least, most;
    if (named->bad_line)
        return pl_fail_at(err, series->result->path, named->bad_line, "%s is not a number", named->name);
    if (named->bad_row)
        return pl_fail(err, PL_ERR_INPUT, "%s: tables.%s: %s is not a number in row %llu", series->result->path,
                       series->table->key, named->name, (unsigned long long)named->bad_row);
    if (!pl_figure_range(series, column, &least, &most))
        return pl_fail(err, PL_ERR_INPUT, "%s: %s has no numbers", series->result->path, named->name);
    return PL_OK;
}

void pl_figure_write_cell(struct pl_sink *data, double value, char end)
{
    char digits[40];
    pl_sink_printf(data, "%s%c", isfinite(value) ? pl_format_double(digits, sizeof digits, value) : "NaN", end);
}

double pl_figure_page_size(const struct pl_result *result)
{
    static const char *const keys[] = {"page_size_bytes", "page_size", "page_bytes"};
    for (size_t i = 0; i < PL_COUNT_OF(keys); i++) {
        double bytes = pl_result_number(result, keys[i]);
        if (bytes > 0)
            return bytes;
    }
    return 4096;
}

enum pl_err pl_figure_only_one(const struct pl_figure_job *job, const char *figure, struct pl_error *err)
{
    return job->count == 1 ? PL_OK
                           : pl_fail(err, PL_ERR_USAGE, "the figure %s shows one result, not %zu", figure, job->count);
}

void pl_figure_heading(struct pl_figure_job *job, const char *words)
{
    if (job->options->title)
        return;
    const char *heading = pl_arena_printf(job->arena, "%s: %s", words, job->subject);
    pl_gnuplot_set_text(job->settings, "heading", heading ? heading : words);
}

void pl_figure_write_words(struct pl_sink *data, const char *words, char end)
{
    char safe[80];
    pl_printable(safe, sizeof safe, words, strlen(words));
    pl_sink_puts(data, "\"");
    for (const char *c = safe; *c; c++)
        pl_sink_write(data, strchr("\"\\\t,", *c) ? " " : c, 1);
    pl_sink_printf(data, "\"%c", end);
}
