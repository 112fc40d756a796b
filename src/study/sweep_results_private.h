/* study/sweep_results_private.h: what the files of the results database share. */
#ifndef PL_STUDY_SWEEP_RESULTS_PRIVATE_H
#define PL_STUDY_SWEEP_RESULTS_PRIVATE_H

#include "study/sweep_results.h"

#include <sqlite3.h>

/* "pgls": marks the file as results of a study (SQLite's application_id). */
#define PL_RESULTS_APPLICATION 0x70676c73

struct pl_results {
    sqlite3 *db;
    const char *path;
    int lock;         /* descriptor that holds the writers' lock, or -1 */
    bool in_batch;
    sqlite3_stmt *put, *time, *select;
    const struct pl_study *study;
    uint64_t *points; /* sorted at the beginning: those that have a row */
    size_t point_count, point_capacity;
    double *row;      /* of the reader */
};

/* "PATH: what SQLite says". Broken and foreign files are PL_ERR_INPUT. */
enum pl_err pl_results_fail(const struct pl_results *results, struct pl_error *err);
enum pl_err pl_results_exec(struct pl_results *results, const char *sql, struct pl_error *err);
enum pl_err pl_results_prepare(struct pl_results *results, const char *sql, sqlite3_stmt **out, struct pl_error *err);
/* A value of the table `study`; NULL when it is not there. Lives in `arena`. */
enum pl_err pl_results_ask(struct pl_results *results, const char *key, struct pl_arena *arena, const char **out,
                           struct pl_error *err);
/* Opens the file and looks whether it is a results database; `*empty` when nothing is in it yet. */
enum pl_err pl_results_connect(struct pl_results *results, const char *path, bool write, bool *empty,
                               struct pl_error *err);
/* Fails with PL_ERR_RESOURCE and the system's message: results cannot be written there. */
enum pl_err pl_results_no_place(const char *path, int error_number, struct pl_error *err);
/* Refuses a second writer for as long as this one lives. */
enum pl_err pl_results_lock(struct pl_results *results, struct pl_error *err);
/* Appends a name as SQL quotes it. */
void pl_results_quote(struct pl_text *out, const char *name);

#endif
