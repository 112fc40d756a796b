/* model/fault_table.h: how often a program reads and writes the page file, by memory size.
 *
 * The file is CSV with a header line: `memory_mb` or `memory_pages` (or both), `reads`, and optionally `writes` and
 * `cold` (first touches). `# rule:`, `# page_size:`, `# source:` and `# m:` lines before it are kept. Rows may come in
 * any order; rows of the same size are averaged, and their spread is kept. What is wrong is an error with its line (negative, not a number,
 * missing, no rows); what is odd is a warning with its line (counts that rise with memory, repeated rows). */
#ifndef PL_MODEL_FAULT_TABLE_H
#define PL_MODEL_FAULT_TABLE_H

#include "base/base.h"
#include "curve/curve.h"

struct pl_fault_table {
    const char *name;    /* of the file, for messages */
    const char *rule;    /* "demand-zero", "memsim", or NULL when the table does not say */
    const char *source;  /* who measured it, or NULL */
    const char *machine; /* the memory size that its source is about, as written ("8MB"), or NULL */
    uint32_t page_size;  /* bytes */
    size_t count;        /* rows; at least one */
    const double *memory_mb; /* rising */
    const double *reads;
    const double *writes; /* NULL when the table has none */
    /* Sizes that the file has more than once: how many rows each is the mean of, and their standard deviation (NaN for
     * one row). NULL: every size stands there once. */
    const double *repeats, *reads_deviation, *writes_deviation;
    double cold;          /* distinct pages; NaN when the table does not say */
    /* Nothing can change beyond the last row: everything fits, so that larger memories are known and not guessed. */
    bool reads_settled, writes_settled;
    const char *const *warnings; /* finished sentences with file and line */
    size_t warning_count;
};

/* Reads the table at `path` ("-" = standard input). `page_size` 0: the table's own, else 4096; another than the table
 * says is an error. The table lives in `arena`. */
enum pl_err pl_fault_table_read(const char *path, uint32_t page_size, struct pl_arena *arena,
                                struct pl_fault_table **out, struct pl_error *err);

/* The same from a text in memory. */
enum pl_err pl_fault_table_parse(const char *text, size_t length, const char *name, uint32_t page_size,
                                 struct pl_arena *arena, struct pl_fault_table **out, struct pl_error *err);

/* The rows `sizes_pages` (rising) of an exact curve; NULL: every size from 0 to the depth. Sizes beyond the depth are
 * as the depth. */
enum pl_err pl_fault_table_from_curve(const struct pl_curve_result *curve, uint32_t page_size,
                                      const uint64_t *sizes_pages, size_t count, const char *name,
                                      struct pl_arena *arena, struct pl_fault_table **out, struct pl_error *err);

/* Pages to MB. */
static inline double pl_pages_to_mb(double pages, uint32_t page_size)
{
    return pages * (double)page_size / (double)PL_MIB;
}

#endif
