/* report/page_result.c: a result for the page: a document in JSON as it is, a CSV table as a document made of it. */
#include "report/page_private.h"

#include "base/whole_file.h"
#include "report/plot.h"
#include "report/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- CSV -------------------------------------------------------------------------------- */

static const char *const facts[] = {"trace",           "source", "rule",    "page_size",
                                    "page_size_bytes", "m",      "machine", "policy"};

static struct pl_value cell_value(const struct pl_csv *csv, size_t column)
{
    double number;
    const char *text = pl_csv_field(csv, column);
    if (!*text)
        return pl_value_text(NULL);
    return pl_csv_real(csv, column, &number, NULL) == PL_OK ? pl_value_real(number) : pl_value_text(text);
}

static enum pl_err add_table(struct pl_csv *csv, const char *name, struct pl_arena *arena, struct pl_document *document,
                             struct pl_error *err)
{
    uint64_t rows = 0;
    size_t count = pl_csv_columns(csv);
    struct pl_column *columns = pl_arena_alloc(arena, count, sizeof *columns);
    struct pl_value *row = pl_arena_alloc(arena, count, sizeof *row);
    if (!columns || !row)
        return pl_fail_memory(err, count * sizeof *columns, "columns");
    for (size_t i = 0; i < count; i++) {
        const char *column = pl_csv_column_name(csv, i);
        columns[i] = (struct pl_column){column, column, "", PL_VALUE_REAL, -1};
    }
    struct pl_document_table *table = pl_document_table(document, "table", "", columns, count);
    enum pl_err rc;
    while ((rc = pl_csv_next(csv, err)) == PL_OK) {
        for (size_t i = 0; i < count; i++)
            row[i] = cell_value(csv, i);
        pl_document_row(table, row);
        rows++;
    }
    if (rc == PL_END && !rows)
        return pl_fail(err, PL_ERR_INPUT, "%s: has no rows", name);
    return rc == PL_END ? PL_OK : rc;
}

/* The table as the JSON text that a command would have written. */
static enum pl_err csv_as_json(const char *text, size_t length, const char *name, struct pl_arena *arena,
                               struct pl_sink *sink, struct pl_error *err)
{
    struct pl_csv *csv;
    enum pl_err rc = pl_csv_open_text(text, length, name, &csv, err);
    if (rc)
        return rc;
    const char *title = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    struct pl_document *document = pl_document_create(arena, "table", title);
    for (size_t i = 0; i < PL_COUNT_OF(facts); i++)
        if (pl_csv_comment(csv, facts[i]))
            pl_document_parameter(document, facts[i], facts[i], "", pl_value_text(pl_csv_comment(csv, facts[i])));
    rc = add_table(csv, name, arena, document, err);
    if (rc == PL_OK)
        rc = pl_document_write_json(document, sink, err);
    pl_csv_close(csv);
    return rc;
}

static enum pl_err read_csv(const char *text, size_t length, const char *name, struct pl_json **out,
                            struct pl_error *err)
{
    struct pl_sink *sink = NULL;
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, 0, "a table");
    enum pl_err rc = pl_sink_open_memory(&sink, err);
    if (rc == PL_OK)
        rc = csv_as_json(text, length, name, arena, sink, err);
    if (rc == PL_OK) {
        const char *json = pl_sink_memory(sink, &length);
        rc = pl_json_read(json ? json : "", length, name, out, err);
    }
    pl_sink_abandon(sink);
    pl_arena_destroy(arena);
    return rc;
}

/* --- either ------------------------------------------------------------------------------ */

static enum pl_err check_document(const struct pl_json_node *root, struct pl_error *err)
{
    const struct pl_json_node *tables = pl_json_get(root, "tables");
    if (!pl_json_is_object(root) || !tables || !pl_json_is_object(tables))
        return pl_json_fail(root, err, "has no \"tables\": not a result that a command wrote with --json");
    for (size_t i = 0; i < pl_json_size(tables); i++) {
        const struct pl_json_node *table = pl_json_at(tables, i), *columns = pl_json_get(table, "columns"),
                                  *rows = pl_json_get(table, "rows");
        if (!columns || !rows || !pl_json_is_array(columns) || !pl_json_is_array(rows))
            return pl_json_fail(table, err, "a table has the arrays columns and rows");
        for (size_t row = 0; row < pl_json_size(rows); row++)
            if (pl_json_size(pl_json_at(rows, row)) != pl_json_size(columns))
                return pl_json_fail(pl_json_at(rows, row), err, "a row has one value for each of the %zu columns",
                                    pl_json_size(columns));
    }
    return PL_OK;
}

static enum pl_err parse(const char *text, size_t length, const char *name, struct pl_json **out, struct pl_error *err)
{
    bool is_json;
    enum pl_err rc = pl_result_look(text, length, name, &is_json, err);
    if (rc)
        return rc;
    return is_json ? pl_json_read(text, length, name, out, err) : read_csv(text, length, name, out, err);
}

static enum pl_err read_text(const struct pl_page_source *source, struct page_result *result, struct pl_error *err)
{
    if (!source->text)
        return pl_whole_file_read(source->path, &result->text, &result->length, err);
    result->text = malloc(source->length + 1);
    if (!result->text)
        return pl_fail_memory(err, source->length, source->path);
    memcpy(result->text, source->text, source->length);
    result->text[source->length] = '\0';
    result->length = source->length;
    return PL_OK;
}

enum pl_err page_result_read(const struct pl_page_source *source, struct page_result *out, struct pl_error *err)
{
    struct page_result result = {.path = pl_whole_file_name(source->path)};
    enum pl_err rc = read_text(source, &result, err);
    if (rc)
        return rc;
    rc = parse(result.text, result.length, result.path, &result.json, err);
    if (rc == PL_OK) {
        result.root = pl_json_root(result.json);
        rc = check_document(result.root, err);
    }
    if (rc) {
        page_result_free(&result);
        return rc;
    }
    result.kind = page_member(result.root, "kind");
    result.title = page_member(result.root, "title");
    if (!*result.title)
        result.title = result.path;
    *out = result;
    return PL_OK;
}

bool page_result_is_map(const struct page_result *result)
{
    const struct pl_json_node *parameters = pl_json_get(result->root, "parameters");
    return !strcmp(result->kind, "sweep") && parameters && pl_json_get(parameters, "axis_2");
}

/* The picture comes by way of a file, as gnuplot makes files. A map of very many places would be larger than the rest
 * of the page: it is left out. */
void page_result_draw(struct page_result *result, struct pl_error *err)
{
    enum { PICTURE_MOST = 400000 };
    char path[] = "/tmp/pagelab-page-XXXXXX.svg";
    int file = mkstemps(path, 4);
    struct pl_arena *arena = file < 0 ? NULL : pl_arena_create();
    struct pl_result numbers = {0};
    struct pl_plot_options options = {.form = PL_PLOT_SVG};
    struct pl_plot_outcome outcome = {""};
    if (arena && pl_result_read_text(result->text, result->length, result->path, arena, &numbers, err) == PL_OK) {
        if (pl_plot_results(&numbers, 1, path, &options, &outcome, err) == PL_OK && !strcmp(outcome.path, path))
            pl_whole_file_read(path, &result->picture, &result->picture_length, err);
        pl_result_close(&numbers);
    }
    if (result->picture_length > PICTURE_MOST) {
        free(result->picture);
        result->picture = NULL;
    }
    pl_arena_destroy(arena);
    if (file >= 0) {
        close(file);
        unlink(path);
    }
}

void page_result_free(struct page_result *result)
{
    pl_json_free(result->json);
    free(result->text);
    free(result->picture);
}
