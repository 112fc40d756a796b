/* study/sweep_results_read.c: reading the database of results: it says itself what its columns are. */
#include "study/sweep_results_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- facts ------------------------------------------------------------------------------------------ */

static enum pl_err ask_text(struct pl_results *results, const char *key, struct pl_arena *arena, const char **out,
                            struct pl_error *err)
{
    enum pl_err rc = pl_results_ask(results, key, arena, out, err);
    if (rc == PL_OK && !*out)
        *out = "";
    return rc;
}

static enum pl_err ask_number(struct pl_results *results, const char *key, struct pl_arena *arena, uint64_t *out,
                              struct pl_error *err)
{
    const char *text;
    enum pl_err rc = pl_results_ask(results, key, arena, &text, err);
    if (rc == PL_OK)
        *out = text ? strtoull(text, NULL, 10) : 0;
    return rc;
}

static enum pl_err read_texts(struct pl_results *results, struct pl_arena *arena, struct pl_results_facts *facts,
                              struct pl_error *err)
{
    const struct {
        const char *key;
        const char **out;
    } texts[] = {
        {"title", &facts->title},     {"base", &facts->base},     {"hash", &facts->hash},
        {"version", &facts->version}, {"design", &facts->design}, {"search", &facts->search},
        {"text", &facts->text},       {"identity", &facts->identity},
    };
    enum pl_err rc = PL_OK;
    for (size_t i = 0; rc == PL_OK && i < PL_COUNT_OF(texts); i++)
        rc = ask_text(results, texts[i].key, arena, texts[i].out, err);
    if (rc == PL_OK)
        rc = ask_number(results, "seed", arena, &facts->seed, err);
    if (rc == PL_OK)
        rc = ask_number(results, "points", arena, &facts->points, err);
    if (rc == PL_OK)
        rc = ask_number(results, "shard", arena, &facts->shard, err);
    return rc == PL_OK ? ask_number(results, "shards", arena, &facts->shards, err) : rc;
}

static enum pl_err read_objective(struct pl_results *results, struct pl_arena *arena, struct pl_results_facts *facts,
                                  struct pl_error *err)
{
    enum { CONSTRAINTS_MAX = 1000 };
    const char **list = pl_arena_alloc(arena, CONSTRAINTS_MAX, sizeof *list);
    char key[40];
    enum pl_err rc = list ? pl_results_ask(results, "minimise", arena, &facts->goal, err)
                          : pl_fail_memory(err, CONSTRAINTS_MAX * sizeof *list, "results");
    if (rc == PL_OK && !facts->goal) {
        rc = pl_results_ask(results, "maximise", arena, &facts->goal, err);
        facts->maximise = facts->goal != NULL;
    }
    for (size_t i = 0; rc == PL_OK && i < CONSTRAINTS_MAX; i++) {
        snprintf(key, sizeof key, "subject_to_%06zu", i + 1);
        rc = pl_results_ask(results, key, arena, &list[i], err);
        if (!list[i])
            break;
        facts->constraint_count++;
    }
    facts->constraint = list;
    return rc;
}

static const char *text_at(sqlite3_stmt *statement, int column, struct pl_arena *arena)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return pl_arena_strdup(arena, text ? text : "");
}

/* Lines to a list of words. */
static enum pl_err split_words(char *lines, struct pl_arena *arena, struct pl_quantity *quantity, struct pl_error *err)
{
    const char **words = pl_arena_alloc(arena, strlen(lines) + 1, sizeof *words);
    if (!words)
        return pl_fail_memory(err, strlen(lines), "results");
    for (char *end = lines; end; lines = end) {
        end = strchr(lines, '\n');
        if (end)
            *end++ = '\0';
        words[quantity->word_count++] = lines;
    }
    quantity->words = words;
    return PL_OK;
}

static enum pl_err read_column(struct pl_results *results, sqlite3_stmt *statement, struct pl_arena *arena,
                               struct pl_results_column *out, struct pl_error *err)
{
    struct pl_quantity *quantity = &out->quantity;
    const char *kind = (const char *)sqlite3_column_text(statement, 3);
    quantity->name = text_at(statement, 0, arena);
    quantity->column = text_at(statement, 1, arena);
    quantity->unit = text_at(statement, 2, arena);
    quantity->scale = sqlite3_column_double(statement, 4);
    char *words = pl_arena_strdup(
        arena, sqlite3_column_text(statement, 5) ? (const char *)sqlite3_column_text(statement, 5) : "");
    out->swept = sqlite3_column_int(statement, 6) != 0;
    out->about = text_at(statement, 7, arena);
    if (!quantity->name || !quantity->column || !quantity->unit || !words || !out->about)
        return pl_fail_memory(err, 0, "results");
    for (int i = 0; pl_quantity_kind_names[i]; i++)
        if (kind && !strcmp(pl_quantity_kind_names[i], kind))
            quantity->kind = (enum pl_quantity_kind)i;
    if (!(quantity->scale > 0))
        return pl_fail(err, PL_ERR_INPUT, "%s: the column %s has no scale", results->path, quantity->column);
    return quantity->kind == PL_QUANTITY_WORD ? split_words(words, arena, quantity, err) : PL_OK;
}

enum { COLUMNS_MAX = 1900 }; /* SQLite's own limit is 2000 */

static enum pl_err read_columns(struct pl_results *results, const char *sql, struct pl_arena *arena,
                                struct pl_results_column *columns, size_t at, size_t *count, struct pl_error *err)
{
    sqlite3_stmt *statement;
    int step = SQLITE_DONE;
    enum pl_err rc = pl_results_prepare(results, sql, &statement, err);
    if (rc)
        return rc;
    while (rc == PL_OK && (step = sqlite3_step(statement)) == SQLITE_ROW && at + *count < COLUMNS_MAX) {
        rc = read_column(results, statement, arena, &columns[at + *count], err);
        *count += 1;
    }
    if (rc == PL_OK && step != SQLITE_DONE)
        rc = pl_results_fail(results, err);
    sqlite3_finalize(statement);
    return rc;
}

static enum pl_err count_rows(struct pl_results *results, struct pl_results_facts *facts, struct pl_error *err)
{
    sqlite3_stmt *statement;
    enum pl_err rc = pl_results_prepare(
        results, "SELECT count(*), count(error), (SELECT total(seconds) FROM timing) FROM result", &statement, err);
    if (rc)
        return rc;
    if (sqlite3_step(statement) == SQLITE_ROW) {
        facts->done = (uint64_t)sqlite3_column_int64(statement, 0);
        facts->failed = (uint64_t)sqlite3_column_int64(statement, 1);
        facts->seconds = sqlite3_column_double(statement, 2);
    } else {
        rc = pl_results_fail(results, err);
    }
    sqlite3_finalize(statement);
    return rc;
}

static enum pl_err read_facts(struct pl_results *results, struct pl_arena *arena, struct pl_results_facts *facts,
                              struct pl_error *err)
{
    facts->path = results->path;
    facts->column = pl_arena_alloc(arena, COLUMNS_MAX, sizeof *facts->column);
    enum pl_err rc = facts->column ? read_texts(results, arena, facts, err) : pl_fail_memory(err, 0, "results");
    if (rc == PL_OK)
        rc = read_objective(results, arena, facts, err);
    if (rc == PL_OK)
        rc = read_columns(
            results,
            "SELECT name, column_name, unit, kind, scale, words, swept, about FROM parameter ORDER BY position", arena,
            facts->column, 0, &facts->parameter_count, err);
    if (rc == PL_OK)
        rc = read_columns(
            results, "SELECT name, column_name, unit, kind, scale, words, swept, about FROM output ORDER BY position",
            arena, facts->column, facts->parameter_count, &facts->output_count, err);
    return rc == PL_OK ? count_rows(results, facts, err) : rc;
}

/* --- rows -------------------------------------------------------------------------------------------- */

static enum pl_err prepare_select(struct pl_results *results, const struct pl_results_facts *facts,
                                  struct pl_error *err)
{
    struct pl_text sql = {0};
    pl_text_add(&sql, "SELECT point");
    for (size_t i = 0; i < facts->parameter_count + facts->output_count; i++) {
        pl_text_add(&sql, ", ");
        pl_results_quote(&sql, facts->column[i].quantity.column);
    }
    pl_text_add(&sql, ", error, how, trace_share FROM result ORDER BY point");
    enum pl_err rc = pl_results_prepare(results, sql.failed ? NULL : sql.data, &results->select, err);
    pl_text_free(&sql);
    return rc;
}

static double number_at(sqlite3_stmt *statement, int column, const struct pl_quantity *quantity)
{
    if (sqlite3_column_type(statement, column) == SQLITE_NULL)
        return NAN;
    if (quantity->kind != PL_QUANTITY_WORD)
        return sqlite3_column_double(statement, column) * quantity->scale;
    const char *word = (const char *)sqlite3_column_text(statement, column);
    for (size_t i = 0; word && i < quantity->word_count; i++)
        if (!strcmp(quantity->words[i], word))
            return (double)i;
    return NAN;
}

static void read_row(sqlite3_stmt *statement, const struct pl_results_facts *facts, struct pl_results_row *out)
{
    const int columns = (int)(facts->parameter_count + facts->output_count);
    out->point = (uint64_t)sqlite3_column_int64(statement, 0);
    for (int i = 0; i < columns; i++)
        out->value[i] = number_at(statement, i + 1, &facts->column[i].quantity);
    out->error = (const char *)sqlite3_column_text(statement, columns + 1);
    out->how = (const char *)sqlite3_column_text(statement, columns + 2);
    out->share = sqlite3_column_double(statement, columns + 3);
}

enum pl_err pl_results_next(struct pl_results *results, const struct pl_results_facts *facts,
                            struct pl_results_row *out, struct pl_error *err)
{
    const int step = sqlite3_step(results->select);
    if (step == SQLITE_DONE) {
        sqlite3_reset(results->select);
        return PL_END;
    }
    if (step != SQLITE_ROW)
        return pl_results_fail(results, err);
    out->value = results->row;
    read_row(results->select, facts, out);
    return PL_OK;
}

enum pl_err pl_results_symbols(const struct pl_results_facts *facts, struct pl_arena *arena,
                               const struct pl_symbol **out, size_t *count, struct pl_error *err)
{
    const size_t columns = facts->parameter_count + facts->output_count;
    struct pl_symbol *symbols = pl_arena_alloc(arena, 2 * columns + 1, sizeof *symbols);
    if (!symbols)
        return pl_fail_memory(err, 2 * columns * sizeof *symbols, "the names of results");
    *count = 0;
    for (size_t i = 0; i < columns; i++) {
        const struct pl_quantity *quantity = &facts->column[i].quantity;
        symbols[(*count)++] = (struct pl_symbol){quantity->name, i, 1, quantity->words, quantity->word_count};
        if (strcmp(quantity->name, quantity->column) != 0)
            symbols[(*count)++] = (struct pl_symbol){quantity->column, i, quantity->scale, NULL, 0};
    }
    *out = symbols;
    return PL_OK;
}

enum pl_err pl_results_open(const char *path, struct pl_arena *arena, struct pl_results **out,
                            struct pl_results_facts *facts, struct pl_error *err)
{
    struct pl_results *results = calloc(1, sizeof *results);
    struct pl_results_facts found = {0};
    if (!results)
        return pl_fail_memory(err, sizeof *results, "results");
    results->lock = -1;
    enum pl_err rc = pl_results_connect(results, path, false, NULL, err);
    if (rc == PL_OK)
        rc = read_facts(results, arena, &found, err);
    if (rc == PL_OK && !(results->row = calloc(found.parameter_count + found.output_count + 1, sizeof *results->row)))
        rc = pl_fail_memory(err, 0, "results");
    if (rc == PL_OK)
        rc = prepare_select(results, &found, err);
    if (rc) {
        pl_results_close(results);
        return rc;
    }
    *facts = found;
    *out = results;
    return PL_OK;
}
