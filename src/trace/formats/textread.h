/* trace/formats/textread.h: what the line formats share: the loop over lines, skipping, errors with their line, and probing. */
#ifndef PL_TRACE_TEXTREAD_H
#define PL_TRACE_TEXTREAD_H

#include "trace/builder.h"
#include "trace/formats/lines.h"

struct pl_textread;

/* Puts one line that is neither blank nor a comment into text->builder. Returns PL_OK, also for a line it left out with
 * pl_textread_skip, or what pl_textread_bad returned. The line is [at, end), blanks at its end are cut off. */
typedef enum pl_err pl_textread_line(struct pl_textread *text, const char *at, const char *end, struct pl_error *err);

/* Reads numbers, one a line, as long as nothing is unusual: from *at on, at most `room` into `out`; returns how many,
 * with *at behind the last. See digits.h. */
typedef size_t pl_textread_bulk(const char **at, const char *end, uint64_t *out, size_t room);

struct pl_textread {
    struct pl_reader *reader;
    struct pl_builder *builder;
    struct pl_lines lines;
    pl_textread_line *line;
    pl_textread_bulk *bulk; /* NULL: line by line */
    void *more;             /* the format's own state; freed with pl_textread_close when set to be */
    void (*free_more)(void *more);
};

/* Sets reader->self. For a format's open. */
enum pl_err pl_textread_open(struct pl_reader *reader, struct pl_builder_columns columns, pl_textread_line *line,
                             struct pl_textread **out, struct pl_error *err);

/* The rest of a format's functions. */
enum pl_err pl_textread_next(struct pl_reader *reader, struct pl_batch *out, struct pl_error *err);
struct pl_page_origin pl_textread_origin(const struct pl_reader *reader, pl_page page);
void pl_textread_close(struct pl_reader *reader);

/* Fails with file and line. */
enum pl_err pl_textread_bad(struct pl_textread *text, struct pl_error *err, const char *format, ...) PL_PRINTF(3, 4);
/* Fails with "LINE is not WANTED", or that the data are binary. For a line of the wrong shape. */
enum pl_err pl_textread_strange(struct pl_textread *text, const char *start, const char *end, const char *wanted,
                                struct pl_error *err);
/* For `digits` as pl_scan_hex and pl_scan_decimal return them, when not above 0: "address has 21 hex digits". */
enum pl_err pl_textread_number(struct pl_textread *text, const char *what, int digits, int base, struct pl_error *err);
/* Fails for a size that no single access has (more than 1 MiB): such a line is no access, and would make millions. */
enum pl_err pl_textread_size(struct pl_textread *text, uint64_t size, struct pl_error *err);
/* Counts the present line as left out. `reason` must be a constant string. */
enum pl_err pl_textread_skip(struct pl_textread *text, const char *reason);

/* A probe's answer from how many of the first lines `fits` takes: `sure` (10 to 90) when nine in ten, half of that when
 * the first line and every other one, else 0. Blank lines and # lines do not count. `fits` gets the line without blanks
 * at its end; it should look at the shape and not at the values, so that a bad value gets its own message later. */
int pl_textread_probe(const uint8_t *head, size_t length, bool whole, bool (*fits)(const char *at, const char *end),
                      int sure);

#endif
