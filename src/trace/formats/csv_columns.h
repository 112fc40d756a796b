/* trace/formats/csv_columns.h: what the columns of a CSV trace mean, by their names. For format_csv.c. */
#ifndef PL_TRACE_CSV_COLUMNS_H
#define PL_TRACE_CSV_COLUMNS_H

#include "base/base.h"

enum pl_csv_role {
    PL_CSV_NONE, /* not looked at */
    PL_CSV_TIME,
    PL_CSV_PROCESS,
    PL_CSV_THREAD,
    PL_CSV_PAGE,    /* a page number */
    PL_CSV_ADDRESS, /* a byte address */
    PL_CSV_OFFSET,  /* a byte offset of a request */
    PL_CSV_SECTOR,  /* a 512-byte sector of a request */
    PL_CSV_OBJECT,  /* a name or number of an object */
    PL_CSV_SIZE,    /* in bytes */
    PL_CSV_KIND,    /* R, write, load, 2a, ... */
    PL_CSV_IS_WRITE, /* 0 or 1 */
    PL_CSV_ROLES,
};

enum { PL_CSV_COLUMNS_MAX = 64 };

struct pl_csv_columns {
    char delimiter;
    uint8_t role[PL_CSV_COLUMNS_MAX]; /* enum pl_csv_role, by column */
    size_t count;
    bool has[PL_CSV_ROLES];
    enum pl_csv_role place; /* PAGE, ADDRESS, OFFSET, SECTOR or OBJECT; NONE when the line is no header */
    int64_t time_unit_ps;   /* 0: instructions */
};

/* Reads a header line. Blanks, '_', '-', brackets and letter case in names do not matter; a time's unit may stand behind
 * its name. The first column of a role counts. False when no column says which page or object. */
bool pl_csv_columns_read(const char *at, const char *end, struct pl_csv_columns *out);

/* The next field of a line, without blanks and quotes around it. False after the last. Doubled quotes inside stay. */
bool pl_csv_field_next(const char **at, const char *end, char delimiter, const char **start, const char **stop);

/* The words that pl_csv_columns_read knows, for help. */
extern const char pl_csv_columns_help[];

#endif
