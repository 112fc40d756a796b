/* base/document_parts.h: what a document consists of, for the three writers. Private to base. */
#ifndef PL_BASE_DOCUMENT_PARTS_H
#define PL_BASE_DOCUMENT_PARTS_H

#include "base/document.h"

/* A parameter or a result. */
struct document_entry {
    const char *key, *label, *unit; /* label and unit are never NULL */
    struct pl_value value;
    struct document_entry *next;
};

struct document_note {
    const char *words;
    struct document_note *next;
};

/* Rows lie in chunks, so that a long table is never moved. */
enum { DOCUMENT_CHUNK_ROWS = 256 };
struct document_chunk {
    struct document_chunk *next;
    struct pl_value *values; /* DOCUMENT_CHUNK_ROWS rows */
};

struct pl_document_table {
    struct pl_document *document;
    const char *key, *title;
    struct pl_column *columns; /* label and unit are never NULL */
    size_t column_count, row_count, show_at_most;
    const char *instead; /* shown to people instead of the rows; or NULL */
    struct document_chunk *first, *last;
    struct pl_document_table *next;
};

struct pl_document {
    struct pl_arena *arena;
    const char *kind, *title;
    const char *answer;  /* or NULL */
    bool leaves_out_zeros;
    const char **command; /* the words of the command line */
    size_t command_count;
    struct document_entry *parameters, *results;
    struct document_note *notes;
    struct pl_document_table *tables;
    const struct pl_document_table *csv_table; /* NULL: the first */
    bool failed;
};

/* Goes through a table's rows. Start with {table}; NULL after the last row. */
struct document_cursor {
    const struct pl_document_table *table;
    const struct document_chunk *chunk;
    size_t row;
};
const struct pl_value *document_next_row(struct document_cursor *cursor);

/* "out of memory" when the document is not whole. Every writer begins with it. */
enum pl_err document_check(const struct pl_document *document, struct pl_error *err);

#endif
