/* study/sweep_search.c: golden section and Nelder-Mead over the ranges of a study. */
#include "study/sweep_search.h"

#include <gsl/gsl_multimin.h>
#include <gsl/gsl_qrng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const pl_search_names[] = {"auto", "golden", "nelder-mead", "halving", NULL};

enum { FIRST_POINTS = 9, DIMENSIONS_MAX = PL_STUDY_PARAMETERS_MAX };
#define WORSE_THAN_ALL 1e200 /* finite: a simplex computes with it */

struct search {
    const struct pl_study *study;
    const struct pl_search_options *options;
    struct pl_sweep_keeper keeper;
    struct pl_sweep_worker *worker;
    struct pl_search_rows earlier; /* in the database when the search began */
    double *tried;                 /* parameters and goal of each row, in the order of trying */
    size_t tried_count, tried_capacity;
    struct pl_outcome outcome;
    size_t dimension[DIMENSIONS_MAX], dimensions; /* parameters that vary */
    enum pl_err failed; /* sticky: PL_END for a stop */
    struct pl_error *err;
};

/* --- rows of earlier runs --------------------------------------------------------------------------- */

enum pl_err pl_search_read(const struct pl_study *study, const char *path, struct pl_arena *arena,
                           struct pl_search_rows *out, struct pl_error *err)
{
    const size_t parameters = study->parameter_count, width = parameters + study->ops->output_count;
    struct pl_results_facts facts;
    struct pl_results *results;
    struct pl_results_row row;
    enum pl_err rc = pl_results_open(path, arena, &results, &facts, err);
    if (rc)
        return rc;
    out->count = 0;
    out->row = pl_arena_alloc(arena, facts.done + 1, sizeof *out->row);
    rc = out->row ? PL_OK : pl_fail_memory(err, facts.done * sizeof *out->row, "the points that were tried");
    while (rc == PL_OK && out->count < facts.done && (rc = pl_results_next(results, &facts, &row, err)) == PL_OK) {
        double *value = pl_arena_alloc(arena, width, sizeof *value);
        if (!value) {
            rc = pl_fail_memory(err, width * sizeof *value, "the points that were tried");
            break;
        }
        for (size_t i = 0; i < width; i++)
            value[i] = NAN;
        memcpy(value, row.value, parameters * sizeof *value);
        for (size_t i = 0; i < study->output_count; i++)
            value[parameters + study->output[i]] = row.value[parameters + i];
        out->row[out->count++] = (struct pl_search_row){row.point, row.error != NULL, value};
    }
    pl_results_close(results);
    return rc == PL_END ? PL_OK : rc;
}

/* --- trying a point ------------------------------------------------------------------------------------ */

static size_t stride(const struct search *search)
{
    return search->study->parameter_count + 1;
}

static double goal_of(const struct search *search, bool failed, const double *value)
{
    double goal = failed ? NAN : pl_sweep_goal(search->study, value);
    return isnan(goal) ? WORSE_THAN_ALL : goal;
}

static double give_up(struct search *search, enum pl_err rc)
{
    if (!search->failed)
        search->failed = rc;
    return WORSE_THAN_ALL;
}

/* Rows have the values as they were computed with, so that equal points are equal bytes. */
static const double *find_tried(const struct search *search, const double *point)
{
    for (size_t i = 0; i < search->tried_count; i++) {
        const double *tried = search->tried + i * stride(search);
        if (!memcmp(tried, point, search->study->parameter_count * sizeof *point))
            return tried;
    }
    return NULL;
}

static double remember(struct search *search, const double *point, double goal)
{
    enum pl_err rc =
        pl_grow((void **)&search->tried, &search->tried_capacity, (search->tried_count + 1) * stride(search),
                sizeof *search->tried, "the points that were tried", search->err);
    if (rc)
        return give_up(search, rc);
    double *tried = search->tried + search->tried_count++ * stride(search);
    memcpy(tried, point, search->study->parameter_count * sizeof *point);
    tried[search->study->parameter_count] = goal;
    return goal;
}

/* The row of an earlier run with the next number, if there is one. */
static bool was_tried_before(struct search *search, const double *point, double *goal)
{
    const size_t number = search->tried_count;
    if (number >= search->earlier.count || search->earlier.row[number].number != number)
        return false;
    const struct pl_search_row *row = &search->earlier.row[number];
    if (memcmp(row->value, point, search->study->parameter_count * sizeof *point) != 0) {
        give_up(search, pl_fail(search->err, PL_ERR_INPUT,
                                "point %zu of the database is not the one that this search tries "
                                "there: take another -o",
                                number));
        return false;
    }
    *goal = goal_of(search, row->failed, row->value);
    return true;
}

static bool may_go_on(struct search *search)
{
    const struct pl_sweep_watch *watch = search->options->watch;
    if (watch && !watch->report(watch->user, search->keeper.state))
        give_up(search, PL_END);
    return !search->failed && search->tried_count < search->options->evaluations;
}

static double compute(struct search *search, const double *point)
{
    const struct pl_study *study = search->study;
    search->outcome.point = search->tried_count;
    pl_sweep_compute(study, search->worker, point, 1, &search->outcome);
    if (search->outcome.code == PL_END)
        return give_up(search, PL_END);
    enum pl_err rc = pl_sweep_keep(&search->keeper, point, &search->outcome, search->err);
    if (rc == PL_OK)
        rc = pl_sweep_keeper_commit(&search->keeper, false, search->err);
    return rc ? give_up(search, rc) : goal_of(search, search->outcome.code != PL_OK, search->keeper.row);
}

/* The goal at a place in the unit cube; outside it the nearest point inside counts, and a little more the farther away.
 */
static double try_at(struct search *search, const double *unit)
{
    const struct pl_study *study = search->study;
    const uint32_t page_size = study->ops->page_size(study->base);
    double point[DIMENSIONS_MAX], outside = 0, goal;
    if (study->parameter_count)
        memcpy(point, pl_study_point(study, 0), study->parameter_count * sizeof *point);
    for (size_t d = 0; d < search->dimensions; d++) {
        struct pl_study_parameter between = study->parameter[search->dimension[d]];
        const double inside = fmin(fmax(unit[d], 0), 1);
        outside += fabs(unit[d] - inside);
        between.count = 0; /* also between the steps of a grid */
        point[search->dimension[d]] = pl_study_value_at(&between, inside, page_size);
    }
    for (size_t i = 0; i < study->when_count; i++)
        if (!pl_expression_holds(study->when[i], point))
            return WORSE_THAN_ALL * (1 + outside);
    const double *tried = find_tried(search, point);
    if (tried)
        goal = tried[study->parameter_count];
    else if (search->failed || search->tried_count >= search->options->evaluations)
        goal = WORSE_THAN_ALL;
    else if (was_tried_before(search, point, &goal))
        remember(search, point, goal);
    else
        goal = search->failed ? WORSE_THAN_ALL : remember(search, point, compute(search, point));
    return goal + outside * (fabs(goal) + 1);
}

/* --- golden section ------------------------------------------------------------------------------------------ */

static void golden(struct search *search)
{
    static const double section = 0.6180339887498949;
    double best = 0, least = INFINITY;
    for (int i = 0; i < FIRST_POINTS && may_go_on(search); i++) {
        const double at = (double)i / (FIRST_POINTS - 1), goal = try_at(search, &at);
        if (goal < least) {
            least = goal;
            best = at;
        }
    }
    double low = fmax(best - 1.0 / (FIRST_POINTS - 1), 0), high = fmin(best + 1.0 / (FIRST_POINTS - 1), 1);
    double left = high - section * (high - low), right = low + section * (high - low);
    double at_left = try_at(search, &left), at_right = try_at(search, &right);
    while (high - low > search->options->tolerance && may_go_on(search)) {
        if (at_left <= at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - section * (high - low);
            at_left = try_at(search, &left);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + section * (high - low);
            at_right = try_at(search, &right);
        }
    }
}

/* --- Nelder and Mead -------------------------------------------------------------------------------------------- */

static double simplex_goal(const gsl_vector *at, void *user)
{
    struct search *search = user;
    double unit[DIMENSIONS_MAX];
    for (size_t d = 0; d < search->dimensions; d++)
        unit[d] = gsl_vector_get(at, d);
    return try_at(search, unit);
}

/* From `start`, with a simplex of that size; the best place goes back to `start`. */
static enum pl_err simplex(struct search *search, gsl_vector *start, double size, struct pl_error *err)
{
    gsl_multimin_function goal = {simplex_goal, search->dimensions, search};
    gsl_multimin_fminimizer *minimiser =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, search->dimensions);
    gsl_vector *steps = gsl_vector_alloc(search->dimensions);
    if (!minimiser || !steps) {
        gsl_multimin_fminimizer_free(minimiser);
        gsl_vector_free(steps);
        return pl_fail_memory(err, 0, "a simplex");
    }
    for (size_t d = 0; d < search->dimensions; d++) /* into the cube */
        gsl_vector_set(steps, d, gsl_vector_get(start, d) > 0.5 ? -size : size);
    if (gsl_multimin_fminimizer_set(minimiser, &goal, start, steps) == 0) {
        /* Places that round to the same point cost nothing, and a simplex among them may go on for ever. */
        for (uint64_t i = 0; i < 4 * search->options->evaluations && may_go_on(search); i++)
            if (gsl_multimin_fminimizer_iterate(minimiser) != 0 ||
                gsl_multimin_fminimizer_size(minimiser) <= search->options->tolerance)
                break;
        gsl_vector_memcpy(start, gsl_multimin_fminimizer_x(minimiser));
    }
    gsl_multimin_fminimizer_free(minimiser);
    gsl_vector_free(steps);
    return PL_OK;
}

static enum pl_err nelder_mead(struct search *search, struct pl_error *err)
{
    gsl_qrng *sobol = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned)search->dimensions);
    gsl_vector *start = gsl_vector_calloc(search->dimensions);
    double unit[DIMENSIONS_MAX], least = INFINITY;
    enum pl_err rc = sobol && start ? PL_OK : pl_fail_memory(err, 0, "a simplex");
    for (size_t i = 0; rc == PL_OK && i < FIRST_POINTS + 2 * search->dimensions && may_go_on(search); i++) {
        gsl_qrng_get(sobol, unit);
        const double goal = try_at(search, unit);
        for (size_t d = 0; goal < least && d < search->dimensions; d++)
            gsl_vector_set(start, d, unit[d]);
        least = fmin(least, goal);
    }
    if (rc == PL_OK)
        rc = simplex(search, start, 0.2, err);
    if (rc == PL_OK) /* a simplex may have collapsed against a bound */
        rc = simplex(search, start, 0.05, err);
    if (sobol)
        gsl_qrng_free(sobol);
    gsl_vector_free(start);
    return rc;
}

/* --- the whole -----------------------------------------------------------------------------------------------------
 */

static enum pl_err find_dimensions(const struct pl_study *study, size_t *dimension, size_t *count, struct pl_error *err)
{
    *count = 0;
    for (size_t i = 0; i < study->parameter_count; i++) {
        const struct pl_study_parameter *parameter = &study->parameter[i];
        if (parameter->count == 1)
            continue;
        if (parameter->quantity.kind == PL_QUANTITY_WORD)
            return pl_fail(err, PL_ERR_INPUT, "%s: %s has words: a search is over numbers (halving takes both)",
                           study->path, parameter->quantity.name);
        if (!(isfinite(parameter->low) && isfinite(parameter->high)))
            return pl_fail(err, PL_ERR_INPUT, "%s: %s: a search needs bounds", study->path, parameter->quantity.name);
        dimension[(*count)++] = i;
    }
    return *count ? PL_OK
                  : pl_fail(err, PL_ERR_INPUT, "%s: no parameter varies: there is nothing to search", study->path);
}

enum pl_err pl_search_settle(struct pl_study *study, struct pl_search_options *options, struct pl_arena *arena,
                             struct pl_error *err)
{
    size_t dimension[DIMENSIONS_MAX], count;
    if (!study->objective.goal)
        return pl_fail(err, PL_ERR_INPUT, "%s: a search needs an \"objective\"", study->path);
    if (options->method == PL_SEARCH_HALVING && pl_study_check_grid(study, err))
        return PL_ERR_INPUT;
    if (options->method == PL_SEARCH_HALVING)
        return study->ops == &pl_sweep_replay
                   ? pl_study_set_search(study, "halving", arena, err)
                   : pl_fail(err, PL_ERR_INPUT, "%s: halving is for replays: the model takes no time", study->path);
    enum pl_err rc = find_dimensions(study, dimension, &count, err);
    if (rc)
        return rc;
    if (options->method == PL_SEARCH_AUTO)
        options->method = count == 1 ? PL_SEARCH_GOLDEN : PL_SEARCH_NELDER_MEAD;
    if (options->method == PL_SEARCH_GOLDEN && count > 1)
        return pl_fail(err, PL_ERR_INPUT, "%s: golden section is for one parameter; %zu vary", study->path, count);
    return pl_study_set_search(study, pl_search_names[options->method], arena, err);
}

static enum pl_err prepare(struct pl_study *study, struct search *search, const struct pl_sweep_setup *setup,
                           struct pl_error *err)
{
    enum pl_err rc = find_dimensions(study, search->dimension, &search->dimensions, err);
    if (rc == PL_OK)
        rc = study->ops->prepare(study->base, study, setup, err);
    if (rc == PL_OK)
        rc = study->ops->worker(study->base, study, setup, &search->worker, err);
    search->outcome.output = calloc(study->ops->output_count, sizeof(double));
    return rc == PL_OK && !search->outcome.output ? pl_fail_memory(err, 0, "outputs") : rc;
}

enum pl_err pl_search_run(struct pl_study *study, struct pl_results *results, const char *path,
                          const struct pl_search_options *options, struct pl_sweep_state *state, struct pl_error *err)
{
    const struct pl_sweep_watch *watch = options->watch;
    const struct pl_sweep_setup setup = {.threads = options->threads, .progress = watch ? watch->preparing : NULL};
    struct search search = {.study = study, .options = options, .err = err};
    if (options->method == PL_SEARCH_HALVING)
        return pl_search_halve(study, results, path, options, state, err);
    struct pl_arena *arena = pl_arena_create();
    *state = (struct pl_sweep_state){.earlier = pl_results_count(results), .done = pl_results_count(results)};
    enum pl_err rc =
        arena ? pl_search_read(study, path, arena, &search.earlier, err) : pl_fail_memory(err, 0, "a search");
    if (rc == PL_OK)
        rc = pl_sweep_keeper_start(&search.keeper, study, results, state, err);
    if (rc == PL_OK)
        rc = prepare(study, &search, &setup, err);
    if (rc == PL_OK && options->method == PL_SEARCH_GOLDEN)
        golden(&search);
    else if (rc == PL_OK)
        rc = nelder_mead(&search, err);
    if (rc == PL_OK || rc == PL_END)
        rc = search.failed;
    if (rc == PL_OK || rc == PL_END) {
        enum pl_err kept = pl_sweep_keeper_commit(&search.keeper, true, err);
        rc = kept ? kept : rc;
    }
    study->ops->worker_free(search.worker);
    pl_sweep_keeper_end(&search.keeper);
    free(search.outcome.output);
    free(search.tried);
    pl_arena_destroy(arena);
    return rc;
}
