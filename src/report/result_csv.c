/* report/result_csv.c: a result in CSV: one table, facts in its comment lines.
 *
 * Column names are folded ("Memory MB" is memory_mb), so that tables typed by hand work as well. */
#include "report/result_private.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *folded(struct pl_arena *arena, const char *name)
{
    char *copy = pl_arena_strdup(arena, name);
    for (char *c = copy; c && *c; c++)
        *c = *c == ' ' || *c == '-' ? '_' : (char)tolower((unsigned char)*c);
    return copy;
}

static enum pl_err read_header(const struct pl_csv *csv, struct pl_arena *arena, struct pl_result_table *table,
                               struct pl_error *err)
{
    table->columns = pl_csv_columns(csv);
    table->column = pl_arena_alloc(arena, table->columns, sizeof *table->column);
    if (!table->column)
        return pl_fail_memory(err, table->columns * sizeof *table->column, "columns");
    for (size_t i = 0; i < table->columns; i++) {
        table->column[i].name = folded(arena, pl_csv_column_name(csv, i));
        table->column[i].label = table->column[i].unit = "";
        if (!table->column[i].name)
            return pl_fail_memory(err, 0, "column names");
    }
    return PL_OK;
}

/* Words for truths count as numbers; any other text does not, which matters only if a figure needs the column. */
static double cell_value(const struct pl_csv *csv, size_t column, bool *bad)
{
    double value;
    if (pl_csv_real(csv, column, &value, NULL) == PL_OK)
        return value;
    const char *field = pl_csv_field(csv, column);
    if (!strcmp(field, "true") || !strcmp(field, "yes"))
        return 1;
    if (!strcmp(field, "false") || !strcmp(field, "no"))
        return 0;
    *bad = true;
    return NAN;
}

/* Words are kept for figures that want them; when memory is short they are only missing. */
static void read_row(const struct pl_csv *csv, struct pl_arena *arena, struct pl_result_table *table, double *cells,
                     const char **texts)
{
    table->rows++;
    for (size_t i = 0; i < table->columns; i++) {
        bool bad = false;
        cells[i] = cell_value(csv, i, &bad);
        texts[i] = bad && *pl_csv_field(csv, i) ? pl_arena_strdup(arena, pl_csv_field(csv, i)) : NULL;
        if (bad && !table->column[i].bad_row) {
            table->column[i].bad_row = table->rows;
            table->column[i].bad_line = pl_csv_line(csv);
        }
    }
}

static enum pl_err read_rows(struct pl_csv *csv, struct pl_arena *arena, struct pl_result_table *table,
                             struct pl_error *err)
{
    double *cells = NULL;
    const char **texts = NULL;
    size_t capacity = 0, text_capacity = 0, used = 0;
    enum pl_err rc;
    while ((rc = pl_csv_next(csv, err)) == PL_OK) {
        rc = pl_grow((void **)&cells, &capacity, used + table->columns, sizeof *cells, "a table", err);
        if (rc == PL_OK)
            rc = pl_grow((void **)&texts, &text_capacity, used + table->columns, sizeof *texts, "a table", err);
        if (rc)
            goto done;
        read_row(csv, arena, table, cells + used, texts + used);
        used += table->columns;
    }
    if (rc != PL_END)
        goto done;
    rc = PL_OK;
    table->cells = pl_arena_alloc(arena, used + 1, sizeof *cells); /* + 1: a table without rows is a table */
    table->texts = pl_arena_alloc(arena, used + 1, sizeof *texts);
    if (!table->cells || !table->texts)
        rc = pl_fail_memory(err, used * sizeof *cells, "a table");
    else if (used) {
        memcpy(table->cells, cells, used * sizeof *cells);
        memcpy(table->texts, texts, used * sizeof *texts);
    }
done:
    free(cells);
    free(texts);
    return rc;
}

enum pl_err result_from_csv(const char *text, size_t length, struct pl_arena *arena, struct pl_result *result,
                            struct pl_error *err)
{
    enum pl_err rc = pl_csv_open_text(text, length, result->path, &result->csv, err);
    if (rc)
        return rc;
    struct pl_result_table *table = pl_arena_alloc(arena, 1, sizeof *table);
    if (!table)
        return pl_fail_memory(err, sizeof *table, "a table");
    table->key = table->title = "";
    rc = read_header(result->csv, arena, table, err);
    if (rc == PL_OK)
        rc = read_rows(result->csv, arena, table, err);
    result->table = table;
    result->tables = 1;
    return rc;
}
