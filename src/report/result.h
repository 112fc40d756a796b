/* report/result.h: a result file as figures see it: tables of numbers with named columns, and facts about the run.
 *
 * Read from the JSON that a command writes with --json (schema: base/document.h), or from CSV: what --csv writes, or
 * any table with a header line. Which of the two it is, is found by content. Numbers are doubles here (counts above
 * 2^53 lose digits that no picture shows); truths are 1 and 0; what is missing or no number is NaN. */
#ifndef PL_REPORT_RESULT_H
#define PL_REPORT_RESULT_H

#include "base/base.h"

struct pl_result_column {
    const char *name;  /* "memory_mb" */
    const char *label; /* for people, "" when the file has none */
    const char *unit;  /* "MB", "" when the file has none */
    uint64_t bad_row;  /* the first row (from 1) that holds something else than a number, 0 = none */
    uint64_t bad_line; /* its line in the file, 0 when that is not known */
};

struct pl_result_table {
    const char *key, *title; /* "" in CSV */
    struct pl_result_column *column;
    size_t columns, rows;
    double *cells;      /* rows * columns, row by row */
    const char **texts; /* the same for cells that are words; NULL where a number stands, or when none has words */
};

struct pl_result_fact {
    const char *key, *text;
};

struct pl_result {
    const char *path; /* as given */
    const char *kind; /* "curve", "model", ...; "" in CSV */
    struct pl_result_table *table;
    size_t tables;
    struct pl_result_fact *fact; /* parameters and results of a JSON file */
    size_t facts;
    struct pl_csv *csv; /* facts of a CSV file are asked from its comments; closed by pl_result_close */
};

/* Everything lives in `arena` but for what pl_result_close frees. `path` "-" is standard input. Bad content fails with
 * PL_ERR_INPUT and its place. */
enum pl_err pl_result_read(const char *path, struct pl_arena *arena, struct pl_result *out, struct pl_error *err);
/* The same from memory; `name` stands for the path in messages and legends. */
enum pl_err pl_result_read_text(const char *text, size_t length, const char *name, struct pl_arena *arena,
                                struct pl_result *out, struct pl_error *err);
/* Is the text JSON, or else a table? Fails for what is neither: binary files, empty ones, JSON that is no object. */
enum pl_err pl_result_look(const char *text, size_t length, const char *name, bool *json, struct pl_error *err);
void pl_result_close(struct pl_result *result); /* a zeroed one is allowed */

/* A parameter or result by key, as text; NULL when the file does not have it. */
const char *pl_result_fact(const struct pl_result *result, const char *key);
/* The same as a number; NaN when it is not there or none. */
double pl_result_number(const struct pl_result *result, const char *key);
/* The column of that name, or -1. */
int pl_result_find(const struct pl_result_table *table, const char *name);

/* The words of a cell, or NULL. */
static inline const char *pl_result_words(const struct pl_result_table *table, size_t row, int column)
{
    return table->texts ? table->texts[row * table->columns + (size_t)column] : NULL;
}

static inline double pl_result_cell(const struct pl_result_table *table, size_t row, int column)
{
    return table->cells[row * table->columns + (size_t)column];
}

#endif
