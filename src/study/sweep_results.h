/* study/sweep_results.h: the database of a study's results (SQLite).
 *
 *   study(key, value)    what was asked: the study as written, identity, hash, version, seed, design, objective
 *   parameter, output    (position, name, column_name, unit, kind, scale, words, about): what the columns are
 *   result               (point, one column for each parameter and output, error, how, trace_share)
 *   timing               (point, seconds, worker): apart, because it differs from run to run
 *
 * A point's row is written once, with its timing, in a transaction that holds a batch of them. The journal is SQLite's
 * rollback journal: one file, safe on network file systems, valid after a kill at any moment; whoever opens it next
 * gets all batches that were finished. Sizes stand in MB and times in seconds, as in exports; a missing number is
 * NULL. */
#ifndef PL_STUDY_SWEEP_RESULTS_H
#define PL_STUDY_SWEEP_RESULTS_H

#include "study/sweep_study.h"

struct pl_results;

struct pl_results_row {
    uint64_t point;
    double *value;     /* parameters, then outputs, in base units */
    const char *error; /* NULL: none; outputs are NaN otherwise */
    const char *how;
    double share;      /* of the trace that was run */
};

struct pl_results_column {
    struct pl_quantity quantity;
    const char *about;
    bool swept; /* of parameters: has more than one value in the study */
};

struct pl_results_facts {
    const char *path, *title, *base, *hash, *identity, *version, *design, *search, *goal, *text;
    bool maximise;
    const char *const *constraint;
    size_t constraint_count;
    uint64_t seed, points /* of the design */, shard, shards /* 0: not a part */;
    uint64_t done, failed; /* rows; of them with an error */
    double seconds;        /* of work, summed over points */
    struct pl_results_column *column; /* parameters, then outputs */
    size_t parameter_count, output_count;
};

/* --- writing: sweep_results.c ---------------------------------------------------------------- */
/* Creates the database, or goes on with one of the same study. Fails with PL_ERR_INPUT and the first difference when it
 * holds another study or was begun by another version, and with PL_ERR_RESOURCE while another process writes it. */
enum pl_err pl_results_begin(const char *path, const struct pl_study *study, uint64_t shard, uint64_t shards,
                             struct pl_results **out, struct pl_error *err);
/* Whether the point has a row. */
bool pl_results_has(const struct pl_results *results, uint64_t point);
uint64_t pl_results_count(const struct pl_results *results);
/* Adds a row to the batch; it lasts from pl_results_commit on. `row->value` counts in the study's parameters and chosen
 * outputs. */
enum pl_err pl_results_put(struct pl_results *results, const struct pl_results_row *row, double seconds,
                           const char *worker, struct pl_error *err);
enum pl_err pl_results_commit(struct pl_results *results, struct pl_error *err);
/* Closes in any case; what was not committed is lost. NULL is allowed. */
void pl_results_close(struct pl_results *results);

/* --- reading: sweep_results_read.c -------------------------------------------------------------- */
/* Opens for reading; also while a sweep writes. Facts live in `arena`. */
enum pl_err pl_results_open(const char *path, struct pl_arena *arena, struct pl_results **out,
                            struct pl_results_facts *facts, struct pl_error *err);
/* The rows in the order of the design; PL_END after the last. The row is valid until the next call. */
enum pl_err pl_results_next(struct pl_results *results, const struct pl_results_facts *facts,
                            struct pl_results_row *out, struct pl_error *err);
/* Names for formulas over rows: slots are columns. */
enum pl_err pl_results_symbols(const struct pl_results_facts *facts, struct pl_arena *arena,
                               const struct pl_symbol **out, size_t *count, struct pl_error *err);

/* --- merging: sweep_results_merge.c ---------------------------------------------------------------- */
struct pl_merge_counts {
    uint64_t rows, twice; /* rows of the outcome; rows that several inputs had, alike */
};
/* Puts the rows of `inputs` into `path`, new or of the same study. Fails with PL_ERR_INPUT when they are of different
 * studies, or differ in a point; `path` is then as it was. */
enum pl_err pl_results_merge(const char *path, const char *const *inputs, size_t count, struct pl_merge_counts *out,
                             struct pl_error *err);

#endif
