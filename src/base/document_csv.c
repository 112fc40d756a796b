/* base/document_csv.c: one table of a document as CSV, its parameters and results in front as "# key: value". */
#include "base/document_parts.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* In quotes where RFC 4180 asks for them; also where reading would trim, or take the line for a comment. */
static void write_text(struct pl_sink *sink, const char *text)
{
    size_t length = strlen(text);
    bool trimmed = length && (text[0] == ' ' || text[0] == '\t' || text[length - 1] == ' ' || text[length - 1] == '\t');
    if (!trimmed && text[0] != '#' && !strpbrk(text, ",;\t\"\r\n")) {
        pl_sink_puts(sink, text);
        return;
    }
    pl_sink_puts(sink, "\"");
    for (; *text; text++)
        if (*text == '"')
            pl_sink_puts(sink, "\"\"");
        else
            pl_sink_write(sink, text, 1);
    pl_sink_puts(sink, "\"");
}

/* A newline would end the comment and make a row of the rest; what else commands a terminal (names of files may hold
 * anything) is shown for what it is. */
static void write_comment_text(struct pl_sink *sink, const char *text)
{
    struct pl_text safe = {0};
    for (const char *at = text; *at; at += strcspn(at, "\r\n")) {
        if (*at == '\n' || *at == '\r') {
            pl_text_add(&safe, " ");
            at++;
        }
        pl_text_add_printable(&safe, at, strcspn(at, "\r\n"));
    }
    pl_sink_puts(sink, safe.data && !safe.failed ? safe.data : "");
    pl_text_free(&safe);
}

/* A value; `in_comment`: texts on one line and without quotes. */
static void write_value(struct pl_sink *sink, struct pl_value value, bool in_comment)
{
    char number[32];
    switch (value.kind) {
    case PL_VALUE_NONE:
        break;
    case PL_VALUE_TEXT:
        if (!in_comment) {
            write_text(sink, value.as.text);
            break;
        }
        write_comment_text(sink, value.as.text);
        break;
    case PL_VALUE_REAL:
        if (isfinite(value.as.real))
            pl_sink_puts(sink, pl_format_double(number, sizeof number, value.as.real));
        break;
    case PL_VALUE_COUNT:
        pl_sink_u64(sink, value.as.count);
        break;
    case PL_VALUE_BOOL:
        pl_sink_puts(sink, value.as.truth ? "true" : "false");
        break;
    }
}

/* Comments that csv.c keeps as key and value, so that a table carries its rule and page size through a pipe. */
static void write_entries(struct pl_sink *sink, const struct document_entry *entry)
{
    for (; entry; entry = entry->next) {
        pl_sink_printf(sink, "# %s: ", entry->key);
        write_value(sink, entry->value, true);
        pl_sink_puts(sink, "\n");
    }
}

/* A line of one empty field would read as a blank line. */
static bool is_lone_nothing(const struct pl_document_table *table, const struct pl_value *row)
{
    return table->column_count == 1 && (row[0].kind == PL_VALUE_NONE ||
                                        (row[0].kind == PL_VALUE_TEXT && row[0].as.text[0] == '\0') ||
                                        (row[0].kind == PL_VALUE_REAL && !isfinite(row[0].as.real)));
}

/* The header line and the rows. */
static void write_rows(struct pl_sink *sink, const struct pl_document_table *table)
{
    for (size_t i = 0; i < table->column_count; i++) {
        pl_sink_puts(sink, i ? "," : "");
        write_text(sink, table->columns[i].name);
    }
    pl_sink_puts(sink, "\n");
    struct document_cursor cursor = {.table = table};
    for (const struct pl_value *row; (row = document_next_row(&cursor));) {
        for (size_t i = 0; i < table->column_count; i++) {
            pl_sink_puts(sink, i ? "," : "");
            write_value(sink, row[i], false);
        }
        pl_sink_puts(sink, is_lone_nothing(table, row) ? "\"\"\n" : "\n");
    }
}

/* Without any table the results themselves are the table. */
static void write_results(struct pl_sink *sink, const struct document_entry *entry)
{
    pl_sink_puts(sink, "key,value,unit\n");
    for (; entry; entry = entry->next) {
        write_text(sink, entry->key);
        pl_sink_puts(sink, ",");
        write_value(sink, entry->value, false);
        pl_sink_puts(sink, ",");
        write_text(sink, entry->unit);
        pl_sink_puts(sink, "\n");
    }
}

enum pl_err pl_document_write_csv(const struct pl_document *document, struct pl_sink *sink, struct pl_error *err)
{
    enum pl_err rc = document_check(document, err);
    if (rc)
        return rc;
    const struct pl_document_table *table = document->csv_table ? document->csv_table : document->tables;
    pl_sink_printf(sink, "# kind: %s\n", document->kind);
    write_entries(sink, document->parameters);
    if (table) {
        write_entries(sink, document->results);
        write_rows(sink, table);
    } else {
        write_results(sink, document->results);
    }
    return PL_OK;
}
