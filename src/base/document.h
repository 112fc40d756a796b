/* base/document.h: a result, described once and written as a table for people, JSON or CSV.
 *
 * A document has a kind ("curve"), facts about the run (version, command line, seed), parameters with their sources,
 * single results, tables and notes. The same numbers stand in all three forms; the JSON carries units and exact counts
 * (a count above 2^53 is written as digits, which pl_json_u64 reads back). Schema:
 *
 *   { "pagelab": "0.1.0", "kind": "model", "title": "...",
 *     "command": ["pagelab", "model", ...],
 *     "parameters": { "m_bytes": 8388608, ... },  "results": { "total_s": 52.352, ... },
 *     "tables": { "curve": { "title": "...", "columns": [{"name":"d_mb","unit":"MB","label":"..."}],
 *                            "rows": [[0, 1.5], ...] } },
 *     "notes": ["..."] }
 *
 * CSV writes one table (without any, the results as key,value,unit): a header line with the column names, after
 * `# key: value` lines with the parameters and results (so that a fault table carries its rule and page size). Missing numbers are NaN in memory, null in JSON, empty in CSV,
 * "-" for people. Keys are lower_case with the unit at the end. */
#ifndef PL_BASE_DOCUMENT_H
#define PL_BASE_DOCUMENT_H

#include "base/arena.h"
#include "base/sink.h"

enum pl_value_kind { PL_VALUE_NONE, PL_VALUE_TEXT, PL_VALUE_REAL, PL_VALUE_COUNT, PL_VALUE_BOOL };

struct pl_value {
    enum pl_value_kind kind;
    union {
        const char *text;
        double real;
        uint64_t count;
        bool truth;
    } as;
};
struct pl_value pl_value_text(const char *text); /* NULL gives none; the document copies the text when it gets it */
struct pl_value pl_value_real(double real);      /* NaN gives none */
struct pl_value pl_value_count(uint64_t count);
struct pl_value pl_value_bool(bool truth);

struct pl_column {
    const char *name;  /* "memory_pages": JSON and CSV */
    const char *label; /* "memory": for people */
    const char *unit;  /* "MiB", "s", "pages", "" */
    enum pl_value_kind kind;
    int decimals;      /* digits after the point for people, -1 = six significant ones; JSON and CSV are exact */
};

struct pl_document;
struct pl_document_table;

struct pl_document *pl_document_create(struct pl_arena *arena, const char *kind, const char *title);
void pl_document_command(struct pl_document *document, int argc, char **argv);
/* `label` and `unit` are for people. Later values of the same key replace earlier ones. */
void pl_document_parameter(struct pl_document *document, const char *key, const char *label, const char *unit,
                           struct pl_value value);
void pl_document_result(struct pl_document *document, const char *key, const char *label, const char *unit,
                        struct pl_value value);
void pl_document_note(struct pl_document *document, const char *format, ...) PL_PRINTF(2, 3);
/* For people: what it comes to, in a sentence right under the title. */
void pl_document_answer(struct pl_document *document, const char *format, ...) PL_PRINTF(2, 3);
/* For people: results that are 0 are left out, with a line that says how many. */
void pl_document_leave_out_zeros(struct pl_document *document);

/* Columns are copied. Rows are appended whole; `values` has one per column, and its texts are copied. Text shows up to
 * 64 columns. */
struct pl_document_table *pl_document_table(struct pl_document *document, const char *key, const char *title,
                                            const struct pl_column *columns, size_t count);
void pl_document_row(struct pl_document_table *table, const struct pl_value *values);
/* For people: show at most this many rows, evenly chosen, first and last among them, with a line that says so. 0 = all. */
void pl_document_show_at_most(struct pl_document_table *table, size_t rows);
/* For people: show this sentence (a constant) instead of the rows, which JSON holds; "" shows nothing at all. */
void pl_document_show_instead(struct pl_document_table *table, const char *sentence);
/* Marks the table that CSV writes (the first one otherwise). */
void pl_document_csv_table(struct pl_document *document, const struct pl_document_table *table);

/* True when memory ran out while the document was built; writers then write nothing. */
bool pl_document_failed(const struct pl_document *document);

enum pl_err pl_document_write_text(const struct pl_document *document, struct pl_sink *sink, struct pl_error *err);
enum pl_err pl_document_write_json(const struct pl_document *document, struct pl_sink *sink, struct pl_error *err);
enum pl_err pl_document_write_csv(const struct pl_document *document, struct pl_sink *sink, struct pl_error *err);

#endif
