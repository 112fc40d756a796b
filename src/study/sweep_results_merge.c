/* study/sweep_results_merge.c: shards of a study become one database.
 *
 * All in one transaction of the outcome's file: it is whole, or as it was. */
#include "study/sweep_results_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char columns_sql[] = "SELECT name FROM pragma_table_info('result', 'main') ORDER BY cid";

static enum pl_err attach(struct pl_results *results, const char *path, struct pl_error *err)
{
    sqlite3_stmt *statement;
    if (access(path, R_OK) != 0)
        return pl_fail_errno(err, errno, "%s", path);
    enum pl_err rc = pl_results_prepare(results, "ATTACH ? AS part", &statement, err);
    if (rc)
        return rc;
    sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
    if (sqlite3_step(statement) != SQLITE_DONE)
        rc = pl_results_fail(results, err);
    sqlite3_finalize(statement);
    return rc;
}

static enum pl_err ask(struct pl_results *results, const char *sql, int64_t *out, struct pl_error *err)
{
    sqlite3_stmt *statement;
    enum pl_err rc = pl_results_prepare(results, sql, &statement, err);
    if (rc)
        return rc;
    const int step = sqlite3_step(statement);
    if (step == SQLITE_ROW)
        *out = sqlite3_column_int64(statement, 0);
    else if (step == SQLITE_DONE)
        *out = 0;
    else
        rc = pl_results_fail(results, err);
    sqlite3_finalize(statement);
    return rc;
}

/* The tables of the first input, as it made them. */
static enum pl_err copy_schema(struct pl_results *results, struct pl_error *err)
{
    sqlite3_stmt *statement;
    struct pl_text sql = {0};
    int step;
    enum pl_err rc =
        pl_results_prepare(results, "SELECT sql FROM part.sqlite_master WHERE type = 'table'", &statement, err);
    if (rc)
        return rc;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW)
        pl_text_addf(&sql, "%s;", (const char *)sqlite3_column_text(statement, 0));
    if (step != SQLITE_DONE)
        rc = pl_results_fail(results, err);
    sqlite3_finalize(statement);
    pl_text_addf(&sql, "PRAGMA main.application_id = %d;", PL_RESULTS_APPLICATION);
    pl_text_add(&sql, "INSERT INTO study SELECT * FROM part.study;"
                      "UPDATE study SET value = '0' WHERE key IN ('shard', 'shards');"
                      "INSERT INTO parameter SELECT * FROM part.parameter;"
                      "INSERT INTO output SELECT * FROM part.output;");
    if (rc == PL_OK)
        rc = sql.failed ? pl_fail_memory(err, sql.length, "a statement") : pl_results_exec(results, sql.data, err);
    pl_text_free(&sql);
    return rc;
}

/* "a.x IS NOT b.x OR ...": whether two rows of a point differ. */
static enum pl_err differs(struct pl_results *results, struct pl_text *out, struct pl_error *err)
{
    sqlite3_stmt *statement;
    int step;
    bool first = true;
    enum pl_err rc = pl_results_prepare(results, columns_sql, &statement, err);
    if (rc)
        return rc;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        pl_text_add(out, first ? "a." : " OR a.");
        pl_results_quote(out, name);
        pl_text_add(out, " IS NOT b.");
        pl_results_quote(out, name);
        first = false;
    }
    if (step != SQLITE_DONE)
        rc = pl_results_fail(results, err);
    sqlite3_finalize(statement);
    return rc;
}

static enum pl_err check_part(struct pl_results *results, const char *path, struct pl_error *err)
{
    struct pl_text sql = {0};
    int64_t same = 0, point = 0;
    enum pl_err rc = ask(results, "SELECT count(*) FROM main.study a JOIN part.study b USING (key) "
                                  "WHERE a.key IN ('hash', 'version') AND a.value = b.value", &same, err);
    if (rc == PL_OK && same != 2)
        return pl_fail(err, PL_ERR_INPUT, "%s holds another study, or was made by another version", path);
    pl_text_add(&sql, "SELECT a.point + 1 FROM main.result a JOIN part.result b USING (point) WHERE ");
    if (rc == PL_OK)
        rc = differs(results, &sql, err);
    pl_text_add(&sql, " ORDER BY point LIMIT 1");
    if (rc == PL_OK)
        rc = sql.failed ? pl_fail_memory(err, sql.length, "a statement") : ask(results, sql.data, &point, err);
    if (rc == PL_OK && point)
        rc = pl_fail(err, PL_ERR_INPUT, "%s: point %lld has another result than before: not merged", path,
                     (long long)point - 1);
    pl_text_free(&sql);
    return rc;
}

static enum pl_err add_part(struct pl_results *results, const char *path, bool *empty, int64_t *offered,
                            struct pl_error *err)
{
    int64_t application = 0, rows = 0;
    enum pl_err rc = attach(results, path, err);
    if (rc)
        return rc;
    rc = ask(results, "PRAGMA part.application_id", &application, err);
    if (rc == PL_OK && application != PL_RESULTS_APPLICATION)
        rc = pl_fail(err, PL_ERR_INPUT, "%s: it is not the database of a study's results", path);
    if (rc == PL_OK)
        rc = pl_results_exec(results, "SAVEPOINT one", err);
    if (rc == PL_OK && *empty)
        rc = copy_schema(results, err);
    if (rc == PL_OK)
        rc = check_part(results, path, err);
    if (rc == PL_OK)
        rc = ask(results, "SELECT count(*) FROM part.result", &rows, err);
    if (rc == PL_OK)
        rc = pl_results_exec(results, "INSERT OR IGNORE INTO main.result SELECT * FROM part.result;"
                                      "INSERT OR IGNORE INTO main.timing SELECT * FROM part.timing", err);
    *offered += rows;
    *empty = false;
    return rc;
}

/* A database cannot be detached inside a transaction, and only ten can be attached: each input is a transaction. To
 * keep the outcome whole they all work on a copy beside it, which takes its place at the end. */
static enum pl_err merge_into(const char *path, bool fresh, const char *const *inputs, size_t count,
                              struct pl_merge_counts *out, struct pl_error *err)
{
    struct pl_results *results = calloc(1, sizeof *results);
    int64_t offered = 0, before = 0, rows = 0;
    bool empty = fresh;
    if (!results)
        return pl_fail_memory(err, sizeof *results, "results");
    results->lock = -1;
    enum pl_err rc = pl_results_connect(results, path, true, NULL, err);
    if (rc == PL_OK && !fresh)
        rc = ask(results, "SELECT count(*) FROM result", &before, err);
    for (size_t i = 0; rc == PL_OK && i < count; i++) {
        rc = add_part(results, inputs[i], &empty, &offered, err);
        if (rc == PL_OK)
            rc = pl_results_exec(results, "RELEASE one; DETACH part", err);
    }
    if (rc == PL_OK)
        rc = ask(results, "SELECT count(*) FROM result", &rows, err);
    if (rc == PL_OK)
        *out = (struct pl_merge_counts){(uint64_t)rows, (uint64_t)(before + offered - rows)};
    pl_results_close(results);
    return rc;
}

/* A copy of a database that nobody writes. */
static enum pl_err copy_database(const char *from, const char *to, struct pl_error *err)
{
    struct pl_results *results = calloc(1, sizeof *results);
    sqlite3_stmt *statement;
    if (!results)
        return pl_fail_memory(err, sizeof *results, "results");
    results->lock = -1;
    results->path = from;
    enum pl_err rc = pl_results_lock(results, err);
    if (rc == PL_OK)
        rc = pl_results_connect(results, from, true, NULL, err);
    if (rc == PL_OK)
        rc = pl_results_prepare(results, "VACUUM INTO ?", &statement, err);
    if (rc == PL_OK) {
        sqlite3_bind_text(statement, 1, to, -1, SQLITE_STATIC);
        if (sqlite3_step(statement) != SQLITE_DONE)
            rc = pl_results_fail(results, err);
        sqlite3_finalize(statement);
    }
    pl_results_close(results);
    return rc;
}

/* An empty file is an empty database. Made here, a place that takes no file is named as the user named it. */
static enum pl_err make_empty(const char *path, const char *beside, struct pl_error *err)
{
    const int made = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (made < 0)
        return pl_results_no_place(path, errno, err);
    close(made);
    return PL_OK;
}

enum pl_err pl_results_merge(const char *path, const char *const *inputs, size_t count, struct pl_merge_counts *out,
                             struct pl_error *err)
{
    char beside[4096], journal[4120];
    const bool fresh = access(path, F_OK) != 0;
    if (snprintf(beside, sizeof beside, "%s.merge-%ld", path, (long)getpid()) >= (int)sizeof beside)
        return pl_fail(err, PL_ERR_USAGE, "%s: the name is too long", path);
    snprintf(journal, sizeof journal, "%s-journal", beside);
    enum pl_err rc = fresh ? make_empty(path, beside, err) : copy_database(path, beside, err);
    if (rc == PL_OK)
        rc = merge_into(beside, fresh, inputs, count, out, err);
    if (rc == PL_OK && rename(beside, path) != 0)
        rc = pl_results_no_place(path, errno, err);
    if (rc) {
        unlink(beside);
        unlink(journal);
    }
    return rc;
}
