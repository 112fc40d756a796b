/* study/sweep_halving.c: successive halving: the points of a design on ever more of the trace.
 *
 *   round 0   all points      on the first 1/16 of the trace       rows 0 .. N - 1
 *   round 1   the better half on the first 1/8                     rows N ..
 *   ...
 *   last      what is left    on all of it
 *
 * Which half is better after a part of the trace need not be better at its end: a trace whose beginning is unlike its
 * rest misleads it. The rows of all rounds are kept, with the share of the trace that they saw. */
#include "study/sweep_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 5 };

struct candidate {
    double goal;
    uint64_t point;
};

static int compare(const void *a, const void *b)
{
    const struct candidate *left = a, *right = b;
    if (left->goal != right->goal)
        return left->goal < right->goal ? -1 : 1;
    return left->point < right->point ? -1 : left->point > right->point;
}

/* The goals of a round's rows. */
static enum pl_err judge(const struct pl_study *study, const char *path, uint64_t first, struct candidate *candidate,
                         size_t count, struct pl_error *err)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_search_rows rows;
    if (!arena)
        return pl_fail_memory(err, 0, "a search");
    enum pl_err rc = pl_search_read(study, path, arena, &rows, err);
    for (size_t i = 0; rc == PL_OK && i < count; i++) {
        candidate[i].goal = INFINITY;
        for (size_t k = 0; k < rows.count; k++)
            if (rows.row[k].number == first + candidate[i].point && !rows.row[k].failed)
                candidate[i].goal = pl_sweep_goal(study, rows.row[k].value);
        if (isnan(candidate[i].goal))
            candidate[i].goal = INFINITY;
    }
    pl_arena_destroy(arena);
    if (rc == PL_OK)
        qsort(candidate, count, sizeof *candidate, compare);
    return rc;
}

static enum pl_err run_round(struct pl_study *study, struct pl_results *results,
                             const struct pl_search_options *options, const struct candidate *candidate, size_t count,
                             struct pl_sweep_part *part, struct pl_sweep_state *state, struct pl_error *err)
{
    uint64_t *list = malloc((count + 1) * sizeof *list);
    size_t left = 0;
    if (!list)
        return pl_fail_memory(err, count * sizeof *list, "a search");
    for (size_t i = 0; i < count; i++) {
        if (pl_results_has(results, part->first_row + candidate[i].point))
            state->earlier++;
        else
            list[left++] = candidate[i].point;
    }
    state->done = state->done > state->earlier ? state->done : state->earlier;
    part->list = list;
    part->count = left;
    enum pl_err rc =
        left ? pl_sweep_run_part(study, results, part, options->threads, options->watch, state, err) : PL_OK;
    free(list);
    return rc;
}

enum pl_err pl_search_halve(struct pl_study *study, struct pl_results *results, const char *path,
                            const struct pl_search_options *options, struct pl_sweep_state *state, struct pl_error *err)
{
    size_t count = study->point_count;
    const double halvings = ceil(log2((double)count));
    const int rounds = halvings < 1 ? 1 : halvings > ROUNDS_MAX ? ROUNDS_MAX : (int)halvings;
    struct candidate *candidate = malloc((count + 1) * sizeof *candidate);
    if (!candidate)
        return pl_fail_memory(err, count * sizeof *candidate, "a search");
    *state = (struct pl_sweep_state){0};
    for (size_t i = 0; i < count; i++)
        candidate[i] = (struct candidate){0, i};
    for (size_t left = count, i = 0; i < (size_t)rounds; i++, left = (left + 1) / 2)
        state->total += left;
    enum pl_err rc = PL_OK;
    for (int round = 0; rc == PL_OK && round < rounds; round++) {
        struct pl_sweep_part part = {.first_row = (uint64_t)round * study->point_count,
                                     .share = ldexp(1, round - rounds + 1)};
        rc = run_round(study, results, options, candidate, count, &part, state, err);
        if (rc == PL_OK)
            rc = judge(study, path, part.first_row, candidate, count, err);
        count = (count + 1) / 2;
    }
    free(candidate);
    return rc;
}
