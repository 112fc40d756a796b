/* report/page_data.c: the data of the page.
 *
 * A script element ends at the first "</script", wherever it stands, and begins a comment at "<!--": a '<' in the data is
 * therefore written as \u003c, which means the same to a reader of JSON. */
#include "report/page_private.h"

#include <stdlib.h>
#include <string.h>

static void copy_node(struct pl_json_writer *writer, const struct pl_json_node *node);

static void copy_scalar(struct pl_json_writer *writer, const struct pl_json_node *node)
{
    const char *text;
    double number;
    bool truth;
    if (pl_json_is_text(node) && pl_json_as_text(node, &text, NULL) == PL_OK)
        pl_json_text(writer, text);
    else if (pl_json_is_number(node) && pl_json_as_real(node, &number, NULL) == PL_OK)
        pl_json_real(writer, number);
    else if (!pl_json_is_null(node) && pl_json_as_bool(node, &truth, NULL) == PL_OK)
        pl_json_bool(writer, truth);
    else
        pl_json_null(writer);
}

/* Elements of an array, at most `most`, evenly chosen. */
static void copy_elements(struct pl_json_writer *writer, const struct pl_json_node *array, size_t most)
{
    size_t size = pl_json_size(array), shown = size > most ? most : size;
    pl_json_array(writer, true);
    for (size_t i = 0; i < shown; i++)
        copy_node(writer, pl_json_at(array, page_row(i, shown, size)));
    pl_json_close(writer, ']');
}

static void copy_members(struct pl_json_writer *writer, const struct pl_json_node *object)
{
    pl_json_object_on_one_line(writer);
    for (size_t i = 0; i < pl_json_size(object); i++) {
        const struct pl_json_node *member = pl_json_at(object, i);
        pl_json_key(writer, pl_json_key_of(member));
        if (pl_json_is_array(member) && !strcmp(pl_json_key_of(member), "rows"))
            copy_elements(writer, member, page_rows_embedded(pl_json_size(pl_json_get(object, "columns"))));
        else
            copy_node(writer, member);
    }
    pl_json_close(writer, '}');
}

static void copy_node(struct pl_json_writer *writer, const struct pl_json_node *node)
{
    if (pl_json_is_object(node))
        copy_members(writer, node);
    else if (pl_json_is_array(node))
        copy_elements(writer, node, SIZE_MAX);
    else
        copy_scalar(writer, node);
}

static uint64_t rows_left_out(const struct pl_json_node *root)
{
    const struct pl_json_node *tables = pl_json_get(root, "tables");
    uint64_t out = 0;
    for (size_t i = 0; tables && i < pl_json_size(tables); i++) {
        size_t rows = pl_json_size(pl_json_get(pl_json_at(tables, i), "rows"));
        size_t most = page_rows_embedded(pl_json_size(pl_json_get(pl_json_at(tables, i), "columns")));
        out += rows > most ? rows - most : 0;
    }
    return out;
}

static void write_escaped(struct pl_sink *sink, const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        const char *less = memchr(text + at, '<', length - at);
        size_t plain = less ? (size_t)(less - text) - at : length - at;
        pl_sink_write(sink, text + at, plain);
        at += plain;
        if (less) {
            pl_sink_puts(sink, "\\u003c");
            at++;
        }
    }
}

enum pl_err page_data(struct pl_sink *sink, const struct page_result *results, size_t count, uint64_t *left_out,
                      struct pl_error *err)
{
    struct pl_sink *plain;
    struct pl_json_writer writer;
    enum pl_err rc = pl_sink_open_memory(&plain, err);
    if (rc)
        return rc;
    pl_json_start(&writer, plain);
    pl_json_array(&writer, false);
    for (size_t i = 0; i < count; i++) {
        copy_node(&writer, results[i].root);
        *left_out += rows_left_out(results[i].root);
    }
    pl_json_close(&writer, ']');
    if (pl_sink_failed(plain))
        return pl_sink_close(plain, err);
    size_t length;
    const char *text = pl_sink_memory(plain, &length);
    write_escaped(sink, text, length);
    return pl_sink_close(plain, err);
}
