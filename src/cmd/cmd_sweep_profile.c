/* cmd/cmd_sweep_profile.c: of each value of each parameter the best point over all others.
 *
 * What a sweep over many parameters says about one of them, small enough for a page. A parameter that takes more values
 * than a table should have (random designs) gets none. */
#include "cmd/cmd_sweep.h"

#include <math.h>
#include <string.h>

enum { VALUES_MAX = 512 };

/* The best point so far at one value of the parameter. */
struct at_value {
    double value, goal; /* the goal turned so that less is better */
    uint64_t point;
    double *row;
};

struct profile {
    size_t column;       /* of the parameter */
    size_t count;        /* of values; more than VALUES_MAX: given up */
    struct at_value *at; /* rising */
};

/* Where the value is or belongs. */
static size_t find(const struct profile *profile, double value)
{
    size_t low = 0, high = profile->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (profile->at[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static enum pl_err take(const struct sweep_view *view, struct profile *profile, const struct pl_results_row *row,
                        double goal, size_t width, struct pl_error *err)
{
    const double value = row->value[profile->column];
    const size_t place = profile->count > VALUES_MAX ? 0 : find(profile, value);
    if (profile->count > VALUES_MAX || isnan(value))
        return PL_OK;
    struct at_value *at = &profile->at[place];
    const bool known = place < profile->count && at->value == value;
    if (known && !(goal < at->goal))
        return PL_OK;
    if (!known) {
        if (profile->count == VALUES_MAX) {
            profile->count++;
            return PL_OK;
        }
        memmove(at + 1, at, (profile->count++ - place) * sizeof *at);
        at->row = pl_arena_alloc(view->arena, width, sizeof *at->row);
        if (!at->row)
            return pl_fail_memory(err, width * sizeof *at->row, "the best points");
    }
    at->value = value;
    at->goal = goal;
    at->point = row->point;
    memcpy(at->row, row->value, width * sizeof *at->row);
    return PL_OK;
}

static enum pl_err take_all(struct sweep_view *view, struct profile *profiles, size_t count, struct pl_error *err)
{
    const size_t width = view->facts.parameter_count + view->facts.output_count;
    struct pl_results_row row;
    enum pl_err rc;
    while ((rc = pl_results_next(view->results, &view->facts, &row, err)) == PL_OK) {
        double goal = sweep_is_allowed(view, &row) ? pl_expression_value(view->objective.goal, row.value) : NAN;
        goal = view->objective.maximise ? -goal : goal;
        for (size_t i = 0; i < count && !isnan(goal); i++)
            if ((rc = take(view, &profiles[i], &row, goal, width, err)))
                return rc;
    }
    return rc == PL_END ? PL_OK : rc;
}

static enum pl_err put(const struct sweep_view *view, struct pl_document *document, const struct profile *profile,
                       struct pl_error *err)
{
    const struct pl_quantity *quantity = &view->facts.column[profile->column].quantity;
    const size_t width = view->facts.parameter_count + view->facts.output_count;
    const char *key = pl_arena_printf(view->arena, "best_by_%s", quantity->column);
    const char *title = pl_arena_printf(view->arena, "The best point for each %s", quantity->name);
    struct pl_document_table *table = key && title ? sweep_make_table(view, document, key, title, NULL, 0) : NULL;
    struct pl_value *cells = pl_arena_alloc(view->arena, width + 1, sizeof *cells);
    if (!table || !cells)
        return pl_fail_memory(err, 0, "the best points");
    for (size_t i = 0; i < profile->count; i++) {
        sweep_fill_row(view, profile->at[i].point, profile->at[i].row, cells);
        pl_document_row(table, cells);
    }
    pl_document_show_at_most(table, 12);
    return PL_OK;
}

enum pl_err sweep_put_profiles(struct sweep_view *view, struct pl_document *document, struct pl_error *err)
{
    const struct pl_results_facts *facts = &view->facts;
    struct profile *profiles = pl_arena_alloc(view->arena, facts->parameter_count + 1, sizeof *profiles);
    size_t count = 0;
    if (!profiles)
        return pl_fail_memory(err, 0, "the best points");
    for (size_t i = 0; i < facts->parameter_count; i++) {
        if (!facts->column[i].swept)
            continue;
        struct at_value *at = pl_arena_alloc(view->arena, VALUES_MAX + 1, sizeof *at);
        if (!at)
            return pl_fail_memory(err, 0, "the best points");
        profiles[count++] = (struct profile){i, 0, at};
    }
    if (!view->objective.goal || count < 2)
        return PL_OK;
    enum pl_err rc = take_all(view, profiles, count, err);
    for (size_t i = 0; i < count && rc == PL_OK; i++)
        if (profiles[i].count > 1 && profiles[i].count <= VALUES_MAX)
            rc = put(view, document, &profiles[i], err);
    return rc;
}
