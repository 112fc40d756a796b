/* base/document.c: building a result.
 *
 * Everything lives in the caller's arena. Running out of memory sets a flag that the writers look at, so that building
 * needs no checks: a document comes out whole or not at all. */
#include "base/document_parts.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- values ------------------------------------------------------------------------ */

struct pl_value pl_value_text(const char *text)
{
    return text ? (struct pl_value){PL_VALUE_TEXT, {.text = text}} : (struct pl_value){PL_VALUE_NONE, {.text = NULL}};
}

struct pl_value pl_value_real(double real)
{
    return isnan(real) ? (struct pl_value){PL_VALUE_NONE, {.text = NULL}}
                       : (struct pl_value){PL_VALUE_REAL, {.real = real}};
}

struct pl_value pl_value_count(uint64_t count)
{
    return (struct pl_value){PL_VALUE_COUNT, {.count = count}};
}

struct pl_value pl_value_bool(bool truth)
{
    return (struct pl_value){PL_VALUE_BOOL, {.truth = truth}};
}

/* --- memory ------------------------------------------------------------------------- */

/* Arena memory, or NULL and the flag set; once it is set nothing more is tried. */
static void *take(struct pl_document *document, size_t count, size_t size)
{
    void *piece = document->failed ? NULL : pl_arena_alloc(document->arena, count, size);
    document->failed |= !piece;
    return piece;
}

/* A copy of `text`, or of `instead` when it is NULL. Never NULL itself, whatever happens. */
static const char *copy(struct pl_document *document, const char *text, const char *instead)
{
    const char *source = text ? text : instead;
    char *bytes = take(document, strlen(source) + 1, 1);
    return bytes ? strcpy(bytes, source) : "";
}

/* A value whose text lives as long as the document: callers' texts are often in a buffer that is used again. */
static struct pl_value own_value(struct pl_document *document, struct pl_value value)
{
    if (value.kind == PL_VALUE_TEXT)
        value.as.text = copy(document, value.as.text, "");
    return value;
}

/* --- building ------------------------------------------------------------------------- */

struct pl_document *pl_document_create(struct pl_arena *arena, const char *kind, const char *title)
{
    /* Returned also when memory is out, so that callers need no check: one document for all that failed. */
    static struct pl_document none = {.kind = "", .title = "", .failed = true};
    struct pl_document *document = pl_arena_alloc(arena, 1, sizeof *document);
    if (!document)
        return &none;
    document->arena = arena;
    document->kind = copy(document, kind, "");
    document->title = copy(document, title, kind);
    return document;
}

void pl_document_command(struct pl_document *document, int argc, char **argv)
{
    const char **words = take(document, (size_t)argc + 1, sizeof *words);
    if (!words)
        return;
    for (int i = 0; i < argc; i++)
        words[i] = copy(document, argv[i], "");
    document->command = words;
    document->command_count = (size_t)argc;
}

/* Puts an entry at the end of the list, or in the place of the one with the same key. */
static void set_entry(struct pl_document *document, struct document_entry **list, const char *key, const char *label,
                      const char *unit, struct pl_value value)
{
    /* A plain search: there are a few dozen at most. */
    while (*list && strcmp((*list)->key, key) != 0)
        list = &(*list)->next;
    struct document_entry *entry = *list ? *list : take(document, 1, sizeof *entry);
    if (!entry)
        return;
    entry->key = copy(document, key, "");
    entry->label = copy(document, label, key);
    entry->unit = copy(document, unit, "");
    entry->value = own_value(document, value);
    *list = entry;
}

void pl_document_parameter(struct pl_document *document, const char *key, const char *label, const char *unit,
                           struct pl_value value)
{
    set_entry(document, &document->parameters, key, label, unit, value);
}

void pl_document_result(struct pl_document *document, const char *key, const char *label, const char *unit,
                        struct pl_value value)
{
    set_entry(document, &document->results, key, label, unit, value);
}

void pl_document_answer(struct pl_document *document, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *words = length < 0 ? NULL : take(document, (size_t)length + 1, 1);
    if (words) {
        vsnprintf(words, (size_t)length + 1, format, again);
        document->answer = words;
    }
    va_end(again);
    va_end(args);
}

void pl_document_leave_out_zeros(struct pl_document *document)
{
    document->leaves_out_zeros = true;
}

void pl_document_note(struct pl_document *document, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *words = length < 0 ? NULL : take(document, (size_t)length + 1, 1);
    struct document_note *note = take(document, 1, sizeof *note);
    if (words && note) {
        vsnprintf(words, (size_t)length + 1, format, again);
        note->words = words;
        struct document_note **end = &document->notes;
        while (*end)
            end = &(*end)->next;
        *end = note;
    }
    va_end(again);
    va_end(args);
}

struct pl_document_table *pl_document_table(struct pl_document *document, const char *key, const char *title,
                                            const struct pl_column *columns, size_t count)
{
    /* What a table that could not be made is: every call on it sees the flag and leaves it alone. */
    static struct pl_document none = {.kind = "", .title = "", .failed = true};
    static struct pl_document_table nothing = {.document = &none, .key = "", .title = ""};
    assert(count > 0);
    struct pl_document_table *table = take(document, 1, sizeof *table);
    struct pl_column *own = take(document, count, sizeof *own);
    if (!own)
        return &nothing;
    for (size_t i = 0; i < count; i++) {
        own[i] = columns[i];
        own[i].name = copy(document, columns[i].name, "");
        own[i].label = copy(document, columns[i].label, columns[i].name);
        own[i].unit = copy(document, columns[i].unit, "");
    }
    *table = (struct pl_document_table){.document = document, .columns = own, .column_count = count};
    table->key = copy(document, key, "");
    table->title = copy(document, title, key);
    struct pl_document_table **end = &document->tables;
    while (*end)
        end = &(*end)->next;
    *end = table;
    return table;
}

void pl_document_row(struct pl_document_table *table, const struct pl_value *values)
{
    if (table->document->failed)
        return;
    /* A chunk is begun when the last one is full, which is when the count is a multiple. */
    size_t at = table->row_count % DOCUMENT_CHUNK_ROWS;
    if (at == 0) {
        struct document_chunk *chunk = take(table->document, 1, sizeof *chunk);
        struct pl_value *room = take(table->document, DOCUMENT_CHUNK_ROWS, table->column_count * sizeof *room);
        if (!room)
            return;
        chunk->values = room;
        if (table->last)
            table->last->next = chunk;
        else
            table->first = chunk;
        table->last = chunk;
    }
    struct pl_value *row = table->last->values + at * table->column_count;
    for (size_t i = 0; i < table->column_count; i++)
        row[i] = own_value(table->document, values[i]);
    table->row_count++;
}

void pl_document_show_at_most(struct pl_document_table *table, size_t rows)
{
    if (!table->document->failed)
        table->show_at_most = rows;
}

void pl_document_show_instead(struct pl_document_table *table, const char *sentence)
{
    if (!table->document->failed)
        table->instead = sentence;
}

void pl_document_csv_table(struct pl_document *document, const struct pl_document_table *table)
{
    if (!document->failed)
        document->csv_table = table;
}

bool pl_document_failed(const struct pl_document *document)
{
    return document->failed;
}

/* --- for the writers -------------------------------------------------------------------- */

const struct pl_value *document_next_row(struct document_cursor *cursor)
{
    if (cursor->row == cursor->table->row_count)
        return NULL;
    /* The same counting as in pl_document_row. */
    size_t at = cursor->row++ % DOCUMENT_CHUNK_ROWS;
    if (at == 0)
        cursor->chunk = cursor->chunk ? cursor->chunk->next : cursor->table->first;
    return cursor->chunk->values + at * cursor->table->column_count;
}

enum pl_err document_check(const struct pl_document *document, struct pl_error *err)
{
    return document->failed ? pl_fail(err, PL_ERR_RESOURCE, "out of memory for the result '%s'", document->kind)
                            : PL_OK;
}
