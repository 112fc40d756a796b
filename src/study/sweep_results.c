/* study/sweep_results.c: writing the database of results. */
#include "config.h"

#include "study/sweep_results_private.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUSY_MS = 20000 };

/* --- the connection ------------------------------------------------------------------------------- */

enum pl_err pl_results_fail(const struct pl_results *results, struct pl_error *err)
{
    const int code = sqlite3_errcode(results->db);
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        return pl_fail(err, PL_ERR_INPUT, "%s: %s: it is not a results database", results->path,
                       sqlite3_errmsg(results->db));
    if (code == SQLITE_CANTOPEN)
        return pl_fail(err, PL_ERR_INPUT, "%s: %s", results->path, sqlite3_errmsg(results->db));
    return pl_fail(err, PL_ERR_RESOURCE, "%s: %s", results->path, sqlite3_errmsg(results->db));
}

enum pl_err pl_results_exec(struct pl_results *results, const char *sql, struct pl_error *err)
{
    return sqlite3_exec(results->db, sql, NULL, NULL, NULL) == SQLITE_OK ? PL_OK : pl_results_fail(results, err);
}

enum pl_err pl_results_prepare(struct pl_results *results, const char *sql, sqlite3_stmt **out, struct pl_error *err)
{
    if (!sql)
        return pl_fail_memory(err, 0, "a statement");
    return sqlite3_prepare_v2(results->db, sql, -1, out, NULL) == SQLITE_OK ? PL_OK : pl_results_fail(results, err);
}

void pl_results_quote(struct pl_text *out, const char *name)
{
    pl_text_add(out, "\"");
    for (; *name; name++)
        pl_text_add_bytes(out, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
    pl_text_add(out, "\"");
}

static enum pl_err ask_number(struct pl_results *results, const char *sql, int64_t *out, struct pl_error *err)
{
    sqlite3_stmt *statement;
    enum pl_err rc = pl_results_prepare(results, sql, &statement, err);
    if (rc)
        return rc;
    if (sqlite3_step(statement) == SQLITE_ROW)
        *out = sqlite3_column_int64(statement, 0);
    else
        rc = pl_results_fail(results, err);
    sqlite3_finalize(statement);
    return rc;
}

enum pl_err pl_results_connect(struct pl_results *results, const char *path, bool write, bool *empty,
                               struct pl_error *err)
{
    int64_t application = 0, tables = 0;
    results->path = path;
    /* Readers too may have to roll back what a killed writer left; where they may not write, SQLite opens for reading.
     */
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (write ? SQLITE_OPEN_CREATE : 0);
    if (sqlite3_open_v2(path, &results->db, flags, NULL) != SQLITE_OK)
        return pl_results_fail(results, err);
    sqlite3_busy_timeout(results->db, BUSY_MS);
    enum pl_err rc = ask_number(results, "SELECT count(*) FROM sqlite_master", &tables, err);
    if (rc == PL_OK)
        rc = ask_number(results, "PRAGMA application_id", &application, err);
    if (rc == PL_OK && application != PL_RESULTS_APPLICATION && (tables || !write))
        rc = pl_fail(err, PL_ERR_INPUT, "%s: it is not the database of a study's results", path);
    if (rc == PL_OK && empty)
        *empty = tables == 0;
    return rc;
}

/* Where results cannot go is a fault of the place, not of what was asked. */
enum pl_err pl_results_no_place(const char *path, int error_number, struct pl_error *err)
{
    pl_fail_errno(err, error_number, "%s", path);
    if (err)
        err->code = PL_ERR_RESOURCE;
    return PL_ERR_RESOURCE;
}

/* The lock is on a byte far behind those that SQLite locks itself. It belongs to the open file, so that it goes with
 * the process. The descriptor is closed after SQLite's: closing one takes away the process's own locks on the file. */
enum pl_err pl_results_lock(struct pl_results *results, struct pl_error *err)
{
    results->lock = open(results->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (results->lock < 0)
        return pl_results_no_place(results->path, errno, err);
#ifdef F_OFD_SETLK
    struct flock byte = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x60000000, .l_len = 1};
    if (fcntl(results->lock, F_OFD_SETLK, &byte) != 0 && (errno == EAGAIN || errno == EACCES))
        return pl_fail(err, PL_ERR_RESOURCE, "%s: another sweep is writing it", results->path);
#endif
    return PL_OK;
}

enum pl_err pl_results_ask(struct pl_results *results, const char *key, struct pl_arena *arena, const char **out,
                           struct pl_error *err)
{
    sqlite3_stmt *statement;
    enum pl_err rc = pl_results_prepare(results, "SELECT value FROM study WHERE key = ?", &statement, err);
    if (rc)
        return rc;
    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    *out = NULL;
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0)) {
        *out = pl_arena_strdup(arena, (const char *)sqlite3_column_text(statement, 0));
        rc = *out ? PL_OK : pl_fail_memory(err, 0, "results");
    }
    sqlite3_finalize(statement);
    return rc;
}

/* --- the head of a new one -------------------------------------------------------------------------- */

static const char schema[] =
    "PRAGMA application_id = 1885826163;"
    "CREATE TABLE study(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
    "CREATE TABLE parameter(position INTEGER PRIMARY KEY, name TEXT, column_name TEXT, unit TEXT, kind TEXT, scale "
    "REAL,"
    " words TEXT, swept INTEGER, about TEXT);"
    "CREATE TABLE output(position INTEGER PRIMARY KEY, name TEXT, column_name TEXT, unit TEXT, kind TEXT, scale REAL,"
    " words TEXT, swept INTEGER, about TEXT);"
    "CREATE TABLE timing(point INTEGER PRIMARY KEY, seconds REAL, worker TEXT);";

static const struct pl_quantity *quantity_at(const struct pl_study *study, size_t i)
{
    return i < study->parameter_count ? &study->parameter[i].quantity
                                      : &study->ops->outputs[study->output[i - study->parameter_count]].quantity;
}

static enum pl_err create_result(struct pl_results *results, struct pl_error *err)
{
    const struct pl_study *study = results->study;
    struct pl_text sql = {0};
    pl_text_add(&sql, "CREATE TABLE result(point INTEGER PRIMARY KEY");
    for (size_t i = 0; i < study->parameter_count + study->output_count; i++) {
        pl_text_add(&sql, ", ");
        pl_results_quote(&sql, quantity_at(study, i)->column);
    }
    pl_text_add(&sql, ", error TEXT, how TEXT, trace_share REAL)");
    enum pl_err rc =
        sql.failed ? pl_fail_memory(err, sql.length, "a statement") : pl_results_exec(results, sql.data, err);
    pl_text_free(&sql);
    return rc;
}

static enum pl_err say(struct pl_results *results, const char *key, const char *value, struct pl_error *err)
{
    sqlite3_stmt *statement;
    enum pl_err rc = pl_results_prepare(results, "INSERT INTO study VALUES(?, ?)", &statement, err);
    if (rc)
        return rc;
    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, value, -1, SQLITE_STATIC);
    if (sqlite3_step(statement) != SQLITE_DONE)
        rc = pl_results_fail(results, err);
    sqlite3_finalize(statement);
    return rc;
}

static enum pl_err say_number(struct pl_results *results, const char *key, uint64_t value, struct pl_error *err)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    return say(results, key, digits, err);
}

static enum pl_err describe(struct pl_results *results, const char *sql, size_t position,
                            const struct pl_quantity *quantity, bool swept, const char *about, struct pl_error *err)
{
    struct pl_text words = {0};
    sqlite3_stmt *statement;
    enum pl_err rc = pl_results_prepare(results, sql, &statement, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < quantity->word_count; i++)
        pl_text_addf(&words, "%s%s", i ? "\n" : "", quantity->words[i]);
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)position);
    sqlite3_bind_text(statement, 2, quantity->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 3, quantity->column, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 4, quantity->unit, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 5, pl_quantity_kind_names[quantity->kind], -1, SQLITE_STATIC);
    sqlite3_bind_double(statement, 6, quantity->scale);
    sqlite3_bind_text(statement, 7, words.data, -1, SQLITE_STATIC);
    sqlite3_bind_int(statement, 8, swept);
    sqlite3_bind_text(statement, 9, about, -1, SQLITE_STATIC);
    if (sqlite3_step(statement) != SQLITE_DONE)
        rc = pl_results_fail(results, err);
    sqlite3_finalize(statement);
    pl_text_free(&words);
    return rc;
}

static enum pl_err describe_columns(struct pl_results *results, struct pl_error *err)
{
    const struct pl_study *study = results->study;
    enum pl_err rc = PL_OK;
    for (size_t i = 0; rc == PL_OK && i < study->parameter_count; i++)
        rc = describe(results, "INSERT INTO parameter VALUES(?,?,?,?,?,?,?,?,?)", i, &study->parameter[i].quantity,
                      study->parameter[i].count != 1, "", err);
    for (size_t i = 0; rc == PL_OK && i < study->output_count; i++) {
        const struct pl_sweep_output *output = &study->ops->outputs[study->output[i]];
        rc = describe(results, "INSERT INTO output VALUES(?,?,?,?,?,?,?,?,?)", i, &output->quantity, false,
                      output->about, err);
    }
    return rc;
}

static enum pl_err say_objective(struct pl_results *results, struct pl_error *err)
{
    const struct pl_objective *objective = &results->study->objective;
    char key[40];
    if (!objective->goal)
        return PL_OK;
    enum pl_err rc =
        say(results, objective->maximise ? "maximise" : "minimise", pl_expression_text(objective->goal), err);
    for (size_t i = 0; rc == PL_OK && i < objective->constraint_count; i++) {
        snprintf(key, sizeof key, "subject_to_%06zu", i + 1);
        rc = say(results, key, pl_expression_text(objective->constraint[i]), err);
    }
    return rc;
}

static enum pl_err write_head(struct pl_results *results, uint64_t shard, uint64_t shards, struct pl_error *err)
{
    const struct pl_study *study = results->study;
    const struct {
        const char *key, *value;
    } texts[] = {
        {"version", PACKAGE_VERSION}, {"title", study->title},         {"base", study->ops->name},
        {"hash", study->hash},        {"identity", study->identity},   {"text", study->text},
        {"search", study->search},    {"design", pl_design_names[study->design]},
    };
    enum pl_err rc = pl_results_exec(results, schema, err);
    if (rc == PL_OK)
        rc = create_result(results, err);
    for (size_t i = 0; rc == PL_OK && i < PL_COUNT_OF(texts); i++)
        rc = say(results, texts[i].key, texts[i].value, err);
    if (rc == PL_OK)
        rc = say_number(results, "seed", study->seed, err);
    if (rc == PL_OK)
        rc = say_number(results, "points", study->point_count, err);
    if (rc == PL_OK)
        rc = say_number(results, "shard", shard, err);
    if (rc == PL_OK)
        rc = say_number(results, "shards", shards, err);
    if (rc == PL_OK)
        rc = say_objective(results, err);
    return rc == PL_OK ? describe_columns(results, err) : rc;
}

/* --- going on with an old one --------------------------------------------------------------------------- */

/* The first line in which two identities differ, as "'old' is now 'new'". */
static void first_difference(const char *old, const char *new, struct pl_text *out)
{
    while (*old && *new) {
        const size_t a = strcspn(old, "\n"), b = strcspn(new, "\n");
        if (a != b || memcmp(old, new, a) != 0)
            break;
        old += a + (old[a] != '\0');
        new += b + (new[b] != '\0');
    }
    pl_text_add(out, "'");
    pl_text_add_printable(out, old, strcspn(old, "\n"));
    pl_text_add(out, "' is now '");
    pl_text_add_printable(out, new, strcspn(new, "\n"));
    pl_text_add(out, "'");
}

static enum pl_err refuse(const struct pl_results *results, const char *old, struct pl_error *err)
{
    struct pl_text difference = {0};
    first_difference(old ? old : "", results->study->identity, &difference);
    enum pl_err rc = pl_fail(err, PL_ERR_INPUT,
                             "%s holds the results of another study: %.300s; take another -o, or undo the change",
                             results->path, difference.failed ? "" : difference.data);
    pl_text_free(&difference);
    return rc;
}

static enum pl_err check_same(struct pl_results *results, uint64_t shard, uint64_t shards, struct pl_error *err)
{
    struct pl_arena *arena = pl_arena_create();
    const char *hash, *identity, *version, *part, *parts;
    if (!arena)
        return pl_fail_memory(err, 0, "results");
    enum pl_err rc = pl_results_ask(results, "hash", arena, &hash, err);
    if (rc == PL_OK)
        rc = pl_results_ask(results, "identity", arena, &identity, err);
    if (rc == PL_OK)
        rc = pl_results_ask(results, "version", arena, &version, err);
    if (rc == PL_OK)
        rc = pl_results_ask(results, "shard", arena, &part, err);
    if (rc == PL_OK)
        rc = pl_results_ask(results, "shards", arena, &parts, err);
    if (rc == PL_OK && (!hash || strcmp(hash, results->study->hash) != 0))
        rc = refuse(results, identity, err);
    else if (rc == PL_OK && (!version || strcmp(version, PACKAGE_VERSION) != 0))
        rc = pl_fail(err, PL_ERR_INPUT,
                     "%s was begun by pagelab %s and this is %s: finish it with the former, or take another -o",
                     results->path, version ? version : "?", PACKAGE_VERSION);
    else if (rc == PL_OK &&
             (!part || !parts || strtoull(part, NULL, 10) != shard || strtoull(parts, NULL, 10) != shards))
        rc = pl_fail(err, PL_ERR_INPUT, "%s is shard %s/%s of the study: each shard has a file of its own",
                     results->path, part ? part : "?", parts ? parts : "?");
    pl_arena_destroy(arena);
    return rc;
}

static enum pl_err read_points(struct pl_results *results, struct pl_error *err)
{
    sqlite3_stmt *statement;
    int step;
    enum pl_err rc = pl_results_prepare(results, "SELECT point FROM result ORDER BY point", &statement, err);
    if (rc)
        return rc;
    while (rc == PL_OK && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        rc = pl_grow((void **)&results->points, &results->point_capacity, results->point_count + 1,
                     sizeof *results->points, "the points that are done", err);
        if (rc == PL_OK)
            results->points[results->point_count++] = (uint64_t)sqlite3_column_int64(statement, 0);
    }
    if (rc == PL_OK && step != SQLITE_DONE)
        rc = pl_results_fail(results, err);
    sqlite3_finalize(statement);
    return rc;
}

static enum pl_err prepare_put(struct pl_results *results, struct pl_error *err)
{
    struct pl_text sql = {0};
    pl_text_add(&sql, "INSERT INTO result VALUES(?");
    for (size_t i = 0; i < results->study->parameter_count + results->study->output_count + 3; i++)
        pl_text_add(&sql, ",?");
    pl_text_add(&sql, ")");
    enum pl_err rc = pl_results_prepare(results, sql.failed ? NULL : sql.data, &results->put, err);
    pl_text_free(&sql);
    return rc ? rc : pl_results_prepare(results, "INSERT INTO timing VALUES(?,?,?)", &results->time, err);
}

static enum pl_err start(struct pl_results *results, const char *path, uint64_t shard, uint64_t shards,
                         struct pl_error *err)
{
    bool empty = false;
    results->path = path;
    enum pl_err rc = pl_results_lock(results, err);
    if (rc == PL_OK)
        rc = pl_results_connect(results, path, true, &empty, err);
    if (rc)
        return rc;
    if (empty) {
        rc = pl_results_exec(results, "BEGIN IMMEDIATE", err);
        if (rc == PL_OK)
            rc = write_head(results, shard, shards, err);
        if (rc == PL_OK)
            rc = pl_results_exec(results, "COMMIT", err);
    } else {
        rc = check_same(results, shard, shards, err);
    }
    if (rc == PL_OK)
        rc = read_points(results, err);
    return rc == PL_OK ? prepare_put(results, err) : rc;
}

enum pl_err pl_results_begin(const char *path, const struct pl_study *study, uint64_t shard, uint64_t shards,
                             struct pl_results **out, struct pl_error *err)
{
    struct pl_results *results = calloc(1, sizeof *results);
    if (!results)
        return pl_fail_memory(err, sizeof *results, "results");
    results->study = study;
    results->lock = -1;
    enum pl_err rc = start(results, path, shard, shards, err);
    if (rc) {
        pl_results_close(results);
        return rc;
    }
    *out = results;
    return PL_OK;
}

/* --- rows ---------------------------------------------------------------------------------------------------- */

static int compare_points(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

bool pl_results_has(const struct pl_results *results, uint64_t point)
{
    return results->points && bsearch(&point, results->points, results->point_count, sizeof point, compare_points);
}

uint64_t pl_results_count(const struct pl_results *results)
{
    return results->point_count;
}

static void bind(sqlite3_stmt *statement, int position, const struct pl_quantity *quantity, double value)
{
    if (isnan(value))
        sqlite3_bind_null(statement, position);
    else if (quantity->kind == PL_QUANTITY_WORD)
        sqlite3_bind_text(statement, position, quantity->words[(size_t)value], -1, SQLITE_STATIC);
    else if (quantity->kind == PL_QUANTITY_COUNT && fabs(value) < 0x1p53 && value == floor(value))
        sqlite3_bind_int64(statement, position, (sqlite3_int64)value);
    else
        sqlite3_bind_double(statement, position, value / quantity->scale);
}

static enum pl_err finish(struct pl_results *results, sqlite3_stmt *statement, struct pl_error *err)
{
    enum pl_err rc = sqlite3_step(statement) == SQLITE_DONE ? PL_OK : pl_results_fail(results, err);
    sqlite3_reset(statement);
    return rc;
}

enum pl_err pl_results_put(struct pl_results *results, const struct pl_results_row *row, double seconds,
                           const char *worker, struct pl_error *err)
{
    const struct pl_study *study = results->study;
    const size_t columns = study->parameter_count + study->output_count;
    enum pl_err rc = results->in_batch ? PL_OK : pl_results_exec(results, "BEGIN IMMEDIATE", err);
    if (rc)
        return rc;
    results->in_batch = true;
    sqlite3_bind_int64(results->put, 1, (sqlite3_int64)row->point);
    for (size_t i = 0; i < columns; i++) {
        const bool missing = row->error && i >= study->parameter_count;
        bind(results->put, (int)i + 2, quantity_at(study, i), missing ? NAN : row->value[i]);
    }
    sqlite3_bind_text(results->put, (int)columns + 2, row->error, -1, SQLITE_STATIC);
    sqlite3_bind_text(results->put, (int)columns + 3, row->how, -1, SQLITE_STATIC);
    sqlite3_bind_double(results->put, (int)columns + 4, row->share);
    rc = finish(results, results->put, err);
    sqlite3_bind_int64(results->time, 1, (sqlite3_int64)row->point);
    sqlite3_bind_double(results->time, 2, seconds);
    sqlite3_bind_text(results->time, 3, worker, -1, SQLITE_STATIC);
    return rc ? rc : finish(results, results->time, err);
}

enum pl_err pl_results_commit(struct pl_results *results, struct pl_error *err)
{
    if (!results->in_batch)
        return PL_OK;
    results->in_batch = false;
    return pl_results_exec(results, "COMMIT", err);
}

void pl_results_close(struct pl_results *results)
{
    if (!results)
        return;
    sqlite3_finalize(results->put);
    sqlite3_finalize(results->time);
    sqlite3_finalize(results->select);
    sqlite3_close(results->db);
    if (results->lock >= 0)
        close(results->lock);
    free(results->points);
    free(results->row);
    free(results);
}
