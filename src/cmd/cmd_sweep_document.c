/* cmd/cmd_sweep_document.c: results of a study as documents.
 *
 * The export of the points holds nothing that differs between two runs of the same study: no times, no paths, no
 * workers. */
#include "cmd/cmd_sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- opening -------------------------------------------------------------------------------------- */

static enum pl_err compile(struct sweep_view *view, const struct pl_symbol *symbols, size_t count, const char *option,
                           const char *text, const struct pl_expression **out, struct pl_error *err)
{
    struct pl_expression *expression;
    enum pl_err rc = pl_expression_compile(text, symbols, count, view->arena, &expression, err);
    if (rc)
        return pl_fail_prefix(err, "%s", option);
    *out = expression;
    return PL_OK;
}

/* The study's objective, or what stands on the command line in its place. */
static enum pl_err choose_objective(struct sweep_view *view, const struct sweep_view_options *options,
                                    struct pl_error *err)
{
    const struct pl_results_facts *facts = &view->facts;
    const bool given = options->minimise || options->maximise;
    const char *goal = given ? (options->minimise ? options->minimise : options->maximise) : facts->goal;
    const size_t extra = options->subject_to.count, own = given ? 0 : facts->constraint_count;
    const struct pl_symbol *symbols;
    size_t symbol_count;
    const struct pl_expression **list = pl_arena_alloc(view->arena, own + extra + 1, sizeof *list);
    if (!list)
        return pl_fail_memory(err, (own + extra) * sizeof *list, "constraints");
    enum pl_err rc = pl_results_symbols(facts, view->arena, &symbols, &symbol_count, err);
    if (rc == PL_OK && goal)
        rc = compile(view, symbols, symbol_count,
                     given ? (options->minimise ? "--minimise" : "--maximise") : "objective", goal,
                     &view->objective.goal, err);
    for (size_t i = 0; rc == PL_OK && i < own; i++)
        rc = compile(view, symbols, symbol_count, "subject_to", facts->constraint[i], &list[i], err);
    for (size_t i = 0; rc == PL_OK && i < extra; i++)
        rc = compile(view, symbols, symbol_count, "--subject-to", options->subject_to.item[i], &list[own + i], err);
    view->objective.maximise = given ? options->maximise != NULL : facts->maximise;
    view->objective.constraint = list;
    view->objective.constraint_count = own + extra;
    return rc;
}

enum pl_err sweep_view_open(const char *path, const struct sweep_view_options *options, struct pl_arena *arena,
                            struct sweep_view *out, struct pl_error *err)
{
    *out = (struct sweep_view){.arena = arena};
    if (options->minimise && options->maximise)
        return pl_fail(err, PL_ERR_USAGE, "--minimise and --maximise: give one of them");
    enum pl_err rc = pl_results_open(path, arena, &out->results, &out->facts, err);
    return rc ? rc : choose_objective(out, options, err);
}

void sweep_view_close(struct sweep_view *view)
{
    pl_results_close(view->results);
    view->results = NULL;
}

/* --- judging points --------------------------------------------------------------------------------- */

static size_t columns_of(const struct pl_results_facts *facts)
{
    return facts->parameter_count + facts->output_count;
}

static bool is_outside(const struct pl_results_facts *facts, const double *value)
{
    for (size_t i = facts->parameter_count; i < columns_of(facts); i++)
        if (!strcmp(facts->column[i].quantity.name, "extrapolated"))
            return value[i] != 0;
    return false;
}

bool sweep_is_allowed(const struct sweep_view *view, const struct pl_results_row *row)
{
    if (row->error || row->share < 1 || is_outside(&view->facts, row->value))
        return false;
    for (size_t i = 0; i < view->objective.constraint_count; i++)
        if (!pl_expression_holds(view->objective.constraint[i], row->value))
            return false;
    return true;
}

/* A point, and its goal turned so that less is better. */
struct candidate {
    double goal;
    uint64_t point;
    double *value;
    const char *how;
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *left = a, *right = b;
    if (left->goal != right->goal)
        return left->goal < right->goal ? -1 : 1;
    return left->point < right->point ? -1 : left->point > right->point;
}

struct best {
    struct candidate *list; /* sorted; `most` at most */
    size_t count, most;
    uint64_t allowed, outside; /* points that meet the constraints; that lie outside the data */
};

static enum pl_err offer(const struct sweep_view *view, struct best *best, const struct pl_results_row *row,
                         struct pl_error *err)
{
    const size_t width = columns_of(&view->facts);
    double goal = pl_expression_value(view->objective.goal, row->value);
    if (isnan(goal))
        return PL_OK;
    best->allowed++;
    goal = view->objective.maximise ? -goal : goal;
    if (best->count == best->most && !(goal < best->list[best->count - 1].goal))
        return PL_OK;
    struct candidate *last = &best->list[best->count < best->most ? best->count : best->most - 1];
    if (best->count < best->most) {
        last->value = pl_arena_alloc(view->arena, width + 1, sizeof *last->value);
        if (!last->value)
            return pl_fail_memory(err, width * sizeof *last->value, "the best points");
        best->count++;
    }
    last->goal = goal;
    last->point = row->point;
    memcpy(last->value, row->value, width * sizeof *row->value);
    qsort(best->list, best->count, sizeof *best->list, compare_candidates);
    return PL_OK;
}

static enum pl_err find_best(struct sweep_view *view, size_t most, struct best *best, struct pl_error *err)
{
    struct pl_results_row row;
    enum pl_err rc;
    *best = (struct best){.most = most, .list = pl_arena_alloc(view->arena, most + 1, sizeof *best->list)};
    if (!best->list)
        return pl_fail_memory(err, most * sizeof *best->list, "the best points");
    if (!view->objective.goal)
        return PL_OK;
    while ((rc = pl_results_next(view->results, &view->facts, &row, err)) == PL_OK) {
        best->outside += !row.error && is_outside(&view->facts, row.value);
        if (sweep_is_allowed(view, &row) && (rc = offer(view, best, &row, err)))
            return rc;
    }
    return rc == PL_END ? PL_OK : rc;
}

/* --- tables of points ------------------------------------------------------------------------------------ */

/* The columns that a table shows: parameters that vary, and outputs. */
static bool is_shown(const struct pl_results_facts *facts, size_t i)
{
    return i >= facts->parameter_count || facts->column[i].swept;
}

static enum pl_value_kind kind_of(const struct pl_quantity *quantity)
{
    return quantity->kind == PL_QUANTITY_WORD    ? PL_VALUE_TEXT
           : quantity->kind == PL_QUANTITY_COUNT ? PL_VALUE_COUNT
                                                 : PL_VALUE_REAL;
}

/* The point's number, what is shown, and `extra` columns. Returns NULL when there is no memory. */
struct pl_document_table *sweep_make_table(const struct sweep_view *view, struct pl_document *document, const char *key,
                                           const char *title, const struct pl_column *extra, size_t extra_count)
{
    const struct pl_results_facts *facts = &view->facts;
    struct pl_column *columns = pl_arena_alloc(view->arena, columns_of(facts) + extra_count + 1, sizeof *columns);
    size_t n = 0;
    if (!columns)
        return NULL;
    columns[n++] = (struct pl_column){"point", "point", "", PL_VALUE_COUNT, 0};
    for (size_t i = 0; i < columns_of(facts); i++) {
        const struct pl_quantity *quantity = &facts->column[i].quantity;
        if (is_shown(facts, i))
            columns[n++] = (struct pl_column){quantity->column, quantity->name, quantity->unit, kind_of(quantity), -1};
    }
    for (size_t i = 0; i < extra_count; i++)
        columns[n++] = extra[i];
    return pl_document_table(document, key, title, columns, n);
}

size_t sweep_fill_row(const struct sweep_view *view, uint64_t point, const double *value, struct pl_value *out)
{
    size_t n = 0;
    out[n++] = pl_value_count(point);
    for (size_t i = 0; i < columns_of(&view->facts); i++)
        if (is_shown(&view->facts, i))
            out[n++] =
                isnan(value[i]) ? pl_value_real(NAN) : pl_quantity_value(&view->facts.column[i].quantity, value[i]);
    return n;
}

static enum pl_err put_points(struct sweep_view *view, struct pl_document *document, struct pl_error *err)
{
    static const struct pl_column all[] = {{"trace_share", "of trace", "", PL_VALUE_REAL, -1},
                                           {"allowed", "allowed", "", PL_VALUE_BOOL, 0},
                                           {"error", "error", "", PL_VALUE_TEXT, 0}};
    const bool shares = !strcmp(view->facts.search, "halving");
    struct pl_document_table *table =
        sweep_make_table(view, document, "points", "Points", shares ? all : all + 1, shares ? 3 : 2);
    struct pl_value *cells = pl_arena_alloc(view->arena, columns_of(&view->facts) + 4, sizeof *cells);
    struct pl_results_row row;
    enum pl_err rc;
    if (!table || !cells)
        return pl_fail_memory(err, 0, "the points of a study");
    while ((rc = pl_results_next(view->results, &view->facts, &row, err)) == PL_OK) {
        size_t n = sweep_fill_row(view, row.point, row.value, cells);
        if (shares)
            cells[n++] = pl_value_real(row.share);
        cells[n++] = pl_value_bool(sweep_is_allowed(view, &row));
        cells[n] = pl_value_text(row.error);
        pl_document_row(table, cells);
    }
    pl_document_show_at_most(table, 24);
    return rc == PL_END ? PL_OK : rc;
}

static enum pl_err put_best(const struct sweep_view *view, struct pl_document *document, const struct best *best,
                            struct pl_error *err)
{
    struct pl_document_table *table = sweep_make_table(view, document, "best", "Best points", NULL, 0);
    struct pl_value *cells = pl_arena_alloc(view->arena, columns_of(&view->facts) + 4, sizeof *cells);
    if (!table || !cells)
        return pl_fail_memory(err, 0, "the best points");
    for (size_t i = 0; i < best->count; i++) {
        sweep_fill_row(view, best->list[i].point, best->list[i].value, cells);
        pl_document_row(table, cells);
    }
    return PL_OK;
}

/* --- facts --------------------------------------------------------------------------------------------------- */

static void put_objective(const struct sweep_view *view, struct pl_document *document)
{
    if (!view->objective.goal)
        return;
    pl_document_parameter(
        document, "objective", "objective", "",
        pl_value_text(pl_arena_printf(view->arena, "%s %s", view->objective.maximise ? "maximise" : "minimise",
                                      pl_expression_text(view->objective.goal))));
    for (size_t i = 0; i < view->objective.constraint_count; i++)
        pl_document_parameter(document, pl_arena_printf(view->arena, "subject_to_%zu", i + 1), "subject to", "",
                              pl_value_text(pl_expression_text(view->objective.constraint[i])));
}

/* What was swept, as axes for those who draw; and what was held. */
static void put_parameters(const struct sweep_view *view, struct pl_document *document)
{
    size_t axis = 0;
    for (size_t i = 0; i < view->facts.parameter_count; i++) {
        const struct pl_results_column *column = &view->facts.column[i];
        if (column->swept)
            pl_document_parameter(document, pl_arena_printf(view->arena, "axis_%zu", ++axis), "swept", "",
                                  pl_value_text(column->quantity.column));
    }
}

static struct pl_document *begin(const struct sweep_view *view, const char *title)
{
    const struct pl_results_facts *facts = &view->facts;
    struct pl_document *document = pl_document_create(view->arena, "sweep", title);
    if (!document)
        return NULL;
    int argc;
    char **argv;
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    pl_document_parameter(document, "study", "study", "", pl_value_text(*facts->title ? facts->title : facts->hash));
    pl_document_parameter(document, "study_hash", "hash of the study", "", pl_value_text(facts->hash));
    pl_document_parameter(document, "base", "points are on", "", pl_value_text(facts->base));
    pl_document_parameter(document, "design", "design", "",
                          pl_value_text(*facts->search ? facts->search : facts->design));
    if (strcmp(facts->design, "grid") != 0)
        pl_document_parameter(document, "seed", "seed", "", pl_value_count(facts->seed));
    put_parameters(view, document);
    put_objective(view, document);
    return document;
}

static void put_counts(const struct sweep_view *view, struct pl_document *document)
{
    const struct pl_results_facts *facts = &view->facts;
    pl_document_result(document, "points", "points", "", pl_value_count(facts->done));
    pl_document_result(document, "failed", "of them failed", "", pl_value_count(facts->failed));
    if (!*facts->search && facts->done < facts->points && !facts->shards)
        pl_document_note(document, "%llu of %llu points are done; the same sweep command goes on",
                         (unsigned long long)facts->done, (unsigned long long)facts->points);
}

static const char *amount(const struct sweep_view *view, size_t i, double value)
{
    const struct pl_quantity *quantity = &view->facts.column[i].quantity;
    const struct pl_value shown = pl_quantity_value(quantity, value);
    const char *gap = *quantity->unit ? " " : "";
    switch (shown.kind) {
    case PL_VALUE_TEXT:
        return shown.as.text;
    case PL_VALUE_COUNT:
        return pl_arena_printf(view->arena, "%llu%s%s", (unsigned long long)shown.as.count, gap, quantity->unit);
    case PL_VALUE_REAL:
        return pl_arena_printf(view->arena, "%.6g%s%s", shown.as.real, gap, quantity->unit);
    default:
        return "";
    }
}

/* "Least total_s: -596.588, at d = 2 MB, r = 3, cd = 2e-05 s". */
static const char *best_in_words(const struct sweep_view *view, const struct candidate *best)
{
    const struct pl_results_facts *facts = &view->facts;
    const double goal = view->objective.maximise ? -best->goal : best->goal;
    const char *words = pl_arena_printf(view->arena, "%s %s: %.6g", view->objective.maximise ? "Greatest" : "Least",
                                        pl_expression_text(view->objective.goal), goal);
    bool first = true;
    for (size_t i = 0; i < facts->parameter_count && words; i++) {
        if (!facts->column[i].swept || isnan(best->value[i]))
            continue;
        words = pl_arena_printf(view->arena, "%s%s %s = %s", words, first ? ", at" : ",",
                                facts->column[i].quantity.name, amount(view, i, best->value[i]));
        first = false;
    }
    return words;
}

/* The best point's numbers as results: best_total_s, best_d_mb, ... */
static void put_best_point(const struct sweep_view *view, struct pl_document *document, const struct best *best)
{
    const struct pl_results_facts *facts = &view->facts;
    if (!view->objective.goal)
        return;
    pl_document_result(document, "allowed", "points that meet the constraints", "", pl_value_count(best->allowed));
    if (best->outside)
        pl_document_note(document, "%llu points lie outside the data; none of them is called best",
                         (unsigned long long)best->outside);
    if (!best->count) {
        pl_document_note(document, "no point meets the constraints inside the data");
        return;
    }
    pl_document_result(document, "answer", "answer", "", pl_value_text(best_in_words(view, &best->list[0])));
    pl_document_result(document, "best_point", "best point", "", pl_value_count(best->list[0].point));
    for (size_t i = 0; i < columns_of(facts); i++) {
        const struct pl_quantity *quantity = &facts->column[i].quantity;
        if (!is_shown(facts, i) || isnan(best->list[0].value[i]))
            continue;
        pl_document_result(document, pl_arena_printf(view->arena, "at_best_%s", quantity->column),
                           pl_arena_printf(view->arena, "%s there", quantity->name), quantity->unit,
                           pl_quantity_value(quantity, best->list[0].value[i]));
    }
}

enum pl_err sweep_points_document(struct sweep_view *view, struct pl_document **out, struct pl_error *err)
{
    struct best best;
    struct pl_document *document = begin(view, *view->facts.title ? view->facts.title : "Points of a study");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    enum pl_err rc = find_best(view, 1, &best, err);
    if (rc)
        return rc;
    put_counts(view, document);
    put_best_point(view, document, &best);
    *out = document;
    rc = put_points(view, document, err);
    return rc ? rc : sweep_put_profiles(view, document, err);
}

enum pl_err sweep_best_document(struct sweep_view *view, size_t count, struct pl_document **out, struct pl_error *err)
{
    struct best best;
    if (!view->objective.goal)
        return pl_fail(err, PL_ERR_USAGE, "%s: the study has no objective: say --minimise or --maximise",
                       view->facts.path);
    struct pl_document *document = begin(view, "Best points of a study");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    enum pl_err rc = find_best(view, count, &best, err);
    if (rc)
        return rc;
    put_counts(view, document);
    put_best_point(view, document, &best);
    *out = document;
    return put_best(view, document, &best, err);
}

/* --- what went wrong ------------------------------------------------------------------------------------------- */

struct failure {
    const char *error;
    uint64_t first, count;
};
enum { FAILURES_SHOWN = 10 };

static enum pl_err put_failures(struct sweep_view *view, struct pl_document *document, struct pl_error *err)
{
    static const struct pl_column columns[] = {{"points", "points", "", PL_VALUE_COUNT, 0},
                                               {"first", "first", "", PL_VALUE_COUNT, 0},
                                               {"error", "error", "", PL_VALUE_TEXT, 0}};
    struct failure failure[FAILURES_SHOWN] = {{NULL, 0, 0}};
    struct pl_results_row row;
    enum pl_err rc;
    size_t count = 0;
    while ((rc = pl_results_next(view->results, &view->facts, &row, err)) == PL_OK) {
        size_t i = 0;
        while (row.error && i < count && strcmp(failure[i].error, row.error) != 0)
            i++;
        if (!row.error || i == FAILURES_SHOWN)
            continue;
        if (i == count)
            failure[count++] = (struct failure){pl_arena_strdup(view->arena, row.error), row.point, 0};
        if (!failure[i].error)
            return pl_fail_memory(err, 0, "the failures of a study");
        failure[i].count++;
    }
    if (rc != PL_END)
        return rc;
    struct pl_document_table *table =
        pl_document_table(document, "failures", "Points that failed (the first kinds)", columns, PL_COUNT_OF(columns));
    for (size_t i = 0; i < count; i++) {
        const struct pl_value cells[] = {pl_value_count(failure[i].count), pl_value_count(failure[i].first),
                                         pl_value_text(failure[i].error)};
        pl_document_row(table, cells);
    }
    return PL_OK;
}

static void put_how(struct pl_document *document, const struct pl_results_facts *facts)
{
    if (!strcmp(facts->base, "curve"))
        pl_document_note(document,
                         "all points over one trace were answered from one curve pass (--check-shared compares them "
                         "with replays)");
    pl_document_result(document, "work_s", "time spent on points", "s", pl_value_real(facts->seconds));
}

enum pl_err sweep_show_document(struct sweep_view *view, struct pl_document **out, struct pl_error *err)
{
    enum { SHOWN = 10 };
    struct best best;
    struct pl_document *document = begin(view, "A study and its results");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    enum pl_err rc = find_best(view, SHOWN, &best, err);
    if (rc)
        return rc;
    if (view->facts.shards)
        pl_document_note(document, "shard %llu of %llu", (unsigned long long)view->facts.shard,
                         (unsigned long long)view->facts.shards);
    put_counts(view, document);
    put_best_point(view, document, &best);
    put_how(document, &view->facts);
    *out = document;
    if (best.count && (rc = put_best(view, document, &best, err)))
        return rc;
    return view->facts.failed ? put_failures(view, document, err) : PL_OK;
}
