/* model/table_header.h: names and units of a fault table's columns: "memory_mb", "Memory (GiB)", "reads [thousands]". */
#ifndef PL_MODEL_TABLE_HEADER_H
#define PL_MODEL_TABLE_HEADER_H

#include "base/csv.h"

enum pl_table_column { PL_TABLE_MEMORY_MB, PL_TABLE_MEMORY_PAGES, PL_TABLE_READS, PL_TABLE_WRITES, PL_TABLE_COLD, PL_TABLE_COLUMNS };

struct pl_table_header {
    int column[PL_TABLE_COLUMNS];   /* -1: not there */
    double scale[PL_TABLE_COLUMNS]; /* of a value as written: to MB, pages, counts */
};

/* Fails with PL_ERR_INPUT where a column of a known name has a unit that is not. Of two of a name the first is taken. What is missing is
 * the caller's question. */
enum pl_err pl_table_header_read(const struct pl_csv *csv, struct pl_table_header *out, struct pl_error *err);

#endif
