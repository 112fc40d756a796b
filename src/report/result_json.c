/* report/result_json.c: a result in JSON, as base/document.h describes it.
 *
 * Keys that are not known are passed over: a newer program may have written the file. */
#include "report/result_private.h"

#include <math.h>
#include <string.h>

static enum pl_err text_of(const struct pl_json_node *object, const char *key, struct pl_arena *arena, const char **out,
                           struct pl_error *err)
{
    const struct pl_json_node *node = pl_json_get(object, key);
    const char *text = "";
    if (node && pl_json_is_text(node)) {
        enum pl_err rc = pl_json_as_text(node, &text, err);
        if (rc)
            return rc;
    }
    char *copy = pl_arena_strdup(arena, text);
    if (!copy)
        return pl_fail_memory(err, strlen(text), key);
    *out = copy;
    return PL_OK;
}

/* A number, digits as text (a count above 2^53), a truth, or nothing. */
static double number_of(const struct pl_json_node *node)
{
    double real;
    uint64_t count;
    bool truth;
    if (!node)
        return NAN;
    if (pl_json_is_number(node))
        return pl_json_as_real(node, &real, NULL) == PL_OK ? real : NAN;
    if (pl_json_is_text(node))
        return pl_json_as_u64(node, &count, NULL) == PL_OK ? (double)count : NAN;
    return pl_json_as_bool(node, &truth, NULL) == PL_OK ? truth : NAN;
}

static enum pl_err read_columns(const struct pl_json_node *columns, struct pl_arena *arena,
                                struct pl_result_table *table, struct pl_error *err)
{
    table->columns = pl_json_size(columns);
    table->column = pl_arena_alloc(arena, table->columns + 1, sizeof *table->column);
    if (!table->column)
        return pl_fail_memory(err, table->columns * sizeof *table->column, "columns");
    enum pl_err rc = PL_OK;
    for (size_t i = 0; i < table->columns && rc == PL_OK; i++) {
        const struct pl_json_node *node = pl_json_at(columns, i);
        if (!pl_json_is_object(node))
            return pl_json_fail(node, err, "a column is an object with name, unit and label");
        rc = text_of(node, "name", arena, &table->column[i].name, err);
        if (rc == PL_OK)
            rc = text_of(node, "label", arena, &table->column[i].label, err);
        if (rc == PL_OK)
            rc = text_of(node, "unit", arena, &table->column[i].unit, err);
    }
    return rc;
}

static enum pl_err keep_words(const struct pl_json_node *cell, struct pl_arena *arena, const char **out,
                              struct pl_error *err)
{
    const char *text;
    enum pl_err rc = pl_json_as_text(cell, &text, err);
    if (rc)
        return rc;
    *out = pl_arena_strdup(arena, text);
    return *out ? PL_OK : pl_fail_memory(err, strlen(text), "a table");
}

static enum pl_err read_rows(const struct pl_json_node *rows, struct pl_arena *arena, struct pl_result_table *table,
                             struct pl_error *err)
{
    table->rows = pl_json_size(rows);
    table->cells = pl_arena_alloc(arena, table->rows * table->columns + 1, sizeof *table->cells);
    table->texts = pl_arena_alloc(arena, table->rows * table->columns + 1, sizeof *table->texts);
    if (!table->cells || !table->texts)
        return pl_fail_memory(err, table->rows * table->columns * sizeof *table->cells, "a table");
    for (size_t r = 0; r < table->rows; r++) {
        const struct pl_json_node *row = pl_json_at(rows, r);
        if (!pl_json_is_array(row) || pl_json_size(row) != table->columns)
            return pl_json_fail(row, err, "a row has one value for each of the %zu columns", table->columns);
        for (size_t c = 0; c < table->columns; c++) {
            const struct pl_json_node *cell = pl_json_at(row, c);
            double value = number_of(cell);
            table->cells[r * table->columns + c] = value;
            if (isnan(value) && pl_json_is_text(cell)) {
                enum pl_err rc = keep_words(cell, arena, &table->texts[r * table->columns + c], err);
                if (rc)
                    return rc;
                if (!table->column[c].bad_row)
                    table->column[c].bad_row = r + 1;
            }
        }
    }
    return PL_OK;
}

static enum pl_err read_table(const struct pl_json_node *node, struct pl_arena *arena, struct pl_result_table *table,
                              struct pl_error *err)
{
    const struct pl_json_node *columns = pl_json_get(node, "columns"), *rows = pl_json_get(node, "rows");
    if (!columns || !pl_json_is_array(columns) || !rows || !pl_json_is_array(rows))
        return pl_json_fail(node, err, "a table has the arrays columns and rows");
    table->key = pl_arena_strdup(arena, pl_json_key_of(node));
    if (!table->key)
        return pl_fail_memory(err, 0, "a table's name");
    enum pl_err rc = text_of(node, "title", arena, &table->title, err);
    if (rc == PL_OK)
        rc = read_columns(columns, arena, table, err);
    if (rc == PL_OK)
        rc = read_rows(rows, arena, table, err);
    return rc;
}

static enum pl_err read_tables(const struct pl_json_node *tables, struct pl_arena *arena, struct pl_result *result,
                               struct pl_error *err)
{
    size_t count = pl_json_size(tables);
    result->table = pl_arena_alloc(arena, count + 1, sizeof *result->table);
    if (!result->table)
        return pl_fail_memory(err, count * sizeof *result->table, "tables");
    for (; result->tables < count; result->tables++) {
        enum pl_err rc = read_table(pl_json_at(tables, result->tables), arena, &result->table[result->tables], err);
        if (rc)
            return rc;
    }
    return PL_OK;
}

/* Facts are kept as text: figures show most of them, and a few are read as numbers again. */
static const char *fact_text(const struct pl_json_node *node, struct pl_arena *arena)
{
    const char *text;
    char digits[40];
    if (pl_json_is_text(node))
        return pl_json_as_text(node, &text, NULL) == PL_OK ? pl_arena_strdup(arena, text) : NULL;
    double number = number_of(node);
    return isnan(number) ? "" : pl_arena_strdup(arena, pl_format_double(digits, sizeof digits, number));
}

static enum pl_err read_facts(const struct pl_json_node *object, struct pl_arena *arena, struct pl_result *result,
                              struct pl_error *err)
{
    for (size_t i = 0; i < pl_json_size(object); i++) {
        const struct pl_json_node *node = pl_json_at(object, i);
        if (pl_json_is_object(node) || pl_json_is_array(node))
            continue;
        struct pl_result_fact fact = {pl_arena_strdup(arena, pl_json_key_of(node)), fact_text(node, arena)};
        if (!fact.key || !fact.text)
            return pl_fail_memory(err, 0, "facts");
        result->fact[result->facts++] = fact;
    }
    return PL_OK;
}

static enum pl_err read_document(const struct pl_json_node *root, struct pl_arena *arena, struct pl_result *result,
                                 struct pl_error *err)
{
    const struct pl_json_node *tables = pl_json_get(root, "tables");
    if (!tables || !pl_json_is_object(tables))
        return pl_json_fail(root, err, "has no \"tables\": not a result that a command wrote with --json");
    enum pl_err rc = text_of(root, "kind", arena, &result->kind, err);
    if (rc == PL_OK)
        rc = read_tables(tables, arena, result, err);
    if (rc)
        return rc;
    const struct pl_json_node *sources[] = {pl_json_get(root, "parameters"), pl_json_get(root, "results")};
    size_t most = 0;
    for (size_t i = 0; i < PL_COUNT_OF(sources); i++)
        most += sources[i] ? pl_json_size(sources[i]) : 0;
    result->fact = pl_arena_alloc(arena, most + 1, sizeof *result->fact);
    if (!result->fact)
        return pl_fail_memory(err, most * sizeof *result->fact, "facts");
    for (size_t i = 0; i < PL_COUNT_OF(sources) && rc == PL_OK; i++)
        if (sources[i])
            rc = read_facts(sources[i], arena, result, err);
    return rc;
}

enum pl_err result_from_json(const char *text, size_t length, struct pl_arena *arena, struct pl_result *result,
                             struct pl_error *err)
{
    struct pl_json *json;
    enum pl_err rc = pl_json_read(text, length, result->path, &json, err);
    if (rc)
        return rc;
    rc = read_document(pl_json_root(json), arena, result, err);
    pl_json_free(json);
    return rc;
}
