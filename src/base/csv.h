/* base/csv.h: reading small tables by their header names.
 *
 * Comma, semicolon or tab separated (found from the header line), quotes as in RFC 4180, CRLF or LF, a BOM is skipped,
 * `#` lines are comments whose `key: value` pairs are kept, blank lines are skipped. The whole file is read into memory
 * (at most 256 MiB): for tables, not for traces. */
#ifndef PL_BASE_CSV_H
#define PL_BASE_CSV_H

#include "base/arena.h"

struct pl_csv;

enum pl_err pl_csv_open_path(const char *path, struct pl_csv **out, struct pl_error *err); /* "-" = standard input */
enum pl_err pl_csv_open_text(const char *text, size_t length, const char *name, struct pl_csv **out,
                             struct pl_error *err);
void pl_csv_close(struct pl_csv *csv);

const char *pl_csv_name(const struct pl_csv *csv);
const char *pl_csv_comment(const struct pl_csv *csv, const char *key); /* the value of "# key: value", or NULL */
size_t pl_csv_columns(const struct pl_csv *csv);
const char *pl_csv_column_name(const struct pl_csv *csv, size_t column); /* trimmed */
/* The column of that name (letter case, blanks and '_' or '-' do not matter), or -1. */
int pl_csv_find(const struct pl_csv *csv, const char *name);

/* The next row. PL_END after the last. A row with too few or too many fields fails with the line. */
enum pl_err pl_csv_next(struct pl_csv *csv, struct pl_error *err);
uint64_t pl_csv_line(const struct pl_csv *csv);                      /* of the present row */
const char *pl_csv_field(const struct pl_csv *csv, size_t column); /* trimmed; valid until the next row */
/* Fails with file, line and column name. Empty fields: *out is NaN. "1,234" in quotes and "1 234" are thousands. */
enum pl_err pl_csv_real(const struct pl_csv *csv, size_t column, double *out, struct pl_error *err);

#endif
