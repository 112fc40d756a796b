/* base/document_json.c: a document as JSON, by the schema in document.h. */
#include "config.h" /* PACKAGE_VERSION */

#include "base/document_parts.h"

#include "base/json.h"

/* A count goes out as digits and a number as its shortest exact decimal: what is read back is what was computed. */
static void write_value(struct pl_json_writer *json, struct pl_value value)
{
    switch (value.kind) {
    case PL_VALUE_NONE:
        pl_json_null(json);
        break;
    case PL_VALUE_TEXT:
        pl_json_text(json, value.as.text);
        break;
    case PL_VALUE_REAL:
        pl_json_real(json, value.as.real);
        break;
    case PL_VALUE_COUNT:
        pl_json_u64(json, value.as.count);
        break;
    case PL_VALUE_BOOL:
        pl_json_bool(json, value.as.truth);
        break;
    }
}

/* Parameters or results as one object. Labels are for people and stay out; units stand in the keys. */
static void write_entries(struct pl_json_writer *json, const char *key, const struct document_entry *entry)
{
    pl_json_key(json, key);
    pl_json_object(json);
    for (; entry; entry = entry->next) {
        pl_json_key(json, entry->key);
        write_value(json, entry->value);
    }
    pl_json_close(json, '}');
}

/* What a reader needs to know to label an axis. */
static void write_column(struct pl_json_writer *json, const struct pl_column *column)
{
    pl_json_object_on_one_line(json);
    pl_json_key(json, "name");
    pl_json_text(json, column->name);
    pl_json_key(json, "unit");
    pl_json_text(json, column->unit);
    pl_json_key(json, "label");
    pl_json_text(json, column->label);
    pl_json_close(json, '}');
}

/* Columns are described once; each row is an array on a line of its own, which greps and diffs well. */
static void write_table(struct pl_json_writer *json, const struct pl_document_table *table)
{
    pl_json_key(json, table->key);
    pl_json_object(json);
    pl_json_key(json, "title");
    pl_json_text(json, table->title);
    pl_json_key(json, "columns");
    pl_json_array(json, false);
    for (size_t i = 0; i < table->column_count; i++)
        write_column(json, &table->columns[i]);
    pl_json_close(json, ']');

    pl_json_key(json, "rows");
    pl_json_array(json, false);
    struct document_cursor cursor = {.table = table};
    for (const struct pl_value *row; (row = document_next_row(&cursor));) {
        pl_json_array(json, true);
        for (size_t i = 0; i < table->column_count; i++)
            write_value(json, row[i]);
        pl_json_close(json, ']');
    }
    pl_json_close(json, ']');
    pl_json_close(json, '}');
}

enum pl_err pl_document_write_json(const struct pl_document *document, struct pl_sink *sink, struct pl_error *err)
{
    enum pl_err rc = document_check(document, err);
    if (rc)
        return rc;
    struct pl_json_writer json;
    pl_json_start(&json, sink);
    pl_json_object(&json);
    pl_json_key(&json, "pagelab");
    pl_json_text(&json, PACKAGE_VERSION);
    pl_json_key(&json, "kind");
    pl_json_text(&json, document->kind);
    pl_json_key(&json, "title");
    pl_json_text(&json, document->title);
    pl_json_key(&json, "command");
    pl_json_array(&json, true);
    for (size_t i = 0; i < document->command_count; i++)
        pl_json_text(&json, document->command[i]);
    pl_json_close(&json, ']');

    write_entries(&json, "parameters", document->parameters);
    write_entries(&json, "results", document->results);
    pl_json_key(&json, "tables");
    pl_json_object(&json);
    for (const struct pl_document_table *table = document->tables; table; table = table->next)
        write_table(&json, table);
    pl_json_close(&json, '}');
    pl_json_key(&json, "notes");
    pl_json_array(&json, false);
    for (const struct document_note *note = document->notes; note; note = note->next)
        pl_json_text(&json, note->words);
    pl_json_close(&json, ']');
    pl_json_close(&json, '}');
    return PL_OK;
}
