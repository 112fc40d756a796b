/* study/sweep_keeper.c: from a computed point to its row. */
#include "study/sweep_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCH_S 0.1 /* so much work is lost by a kill, at most, beside what was being computed */

double pl_sweep_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void pl_sweep_compute(const struct pl_study *study, struct pl_sweep_worker *worker, const double *point, double share,
                      struct pl_outcome *outcome)
{
    struct pl_error err = {PL_OK, ""};
    const double started_s = pl_sweep_now_s();
    outcome->share = share;
    outcome->code = study->ops->run(worker, point, share, outcome->output, &err);
    outcome->seconds = pl_sweep_now_s() - started_s;
    memcpy(outcome->error, err.message, sizeof outcome->error);
}

/* Beyond the data nothing is chosen, as in `pagelab model`. */
static bool lies_outside(const struct pl_study *study, const double *output)
{
    for (size_t i = 0; i < study->ops->output_count; i++)
        if (!strcmp(study->ops->outputs[i].quantity.name, "extrapolated"))
            return output[i] != 0;
    return false;
}

double pl_sweep_goal(const struct pl_study *study, const double *value)
{
    const struct pl_objective *objective = &study->objective;
    if (!objective->goal || lies_outside(study, value + study->parameter_count))
        return NAN;
    for (size_t i = 0; i < objective->constraint_count; i++)
        if (!pl_expression_holds(objective->constraint[i], value))
            return NAN;
    const double goal = pl_expression_value(objective->goal, value);
    return objective->maximise ? -goal : goal;
}

enum pl_err pl_sweep_keeper_start(struct pl_sweep_keeper *keeper, const struct pl_study *study,
                                  struct pl_results *results, struct pl_sweep_state *state, struct pl_error *err)
{
    const size_t wide = study->parameter_count + study->ops->output_count;
    *keeper =
        (struct pl_sweep_keeper){study, results, state, pl_sweep_now_s(), malloc((2 * wide + 1) * sizeof(double))};
    return keeper->row ? PL_OK : pl_fail_memory(err, 2 * wide * sizeof(double), "a row of results");
}

static void note_best(struct pl_sweep_keeper *keeper)
{
    struct pl_sweep_state *state = keeper->state;
    double goal = pl_sweep_goal(keeper->study, keeper->row);
    if (isnan(goal))
        return;
    if (keeper->study->objective.maximise)
        goal = -goal;
    const bool better = keeper->study->objective.maximise ? goal > state->best : goal < state->best;
    if (!state->has_best || better)
        state->best = goal;
    state->has_best = true;
}

enum pl_err pl_sweep_keep(struct pl_sweep_keeper *keeper, const double *point, const struct pl_outcome *outcome,
                          struct pl_error *err)
{
    const struct pl_study *study = keeper->study;
    const size_t parameters = study->parameter_count;
    const bool failed = outcome->code != PL_OK;
    char worker[16];
    if (outcome->code == PL_ERR_RESOURCE)
        return pl_fail(err, PL_ERR_RESOURCE, "point %llu: %.900s", (unsigned long long)outcome->point, outcome->error);
    memcpy(keeper->row, point, parameters * sizeof *point);
    memcpy(keeper->row + parameters, outcome->output, study->ops->output_count * sizeof *point);
    if (!failed)
        note_best(keeper);
    double *chosen = keeper->row + parameters + study->ops->output_count;
    memcpy(chosen, point, parameters * sizeof *point);
    for (size_t i = 0; i < study->output_count; i++)
        chosen[parameters + i] = outcome->output[study->output[i]];
    snprintf(worker, sizeof worker, "%d", outcome->worker);
    const struct pl_results_row row = {outcome->point, chosen, failed ? outcome->error : NULL, study->ops->how,
                                       outcome->share};
    enum pl_err rc = pl_results_put(keeper->results, &row, outcome->seconds, worker, err);
    if (rc)
        return rc;
    keeper->state->done++;
    keeper->state->failed += failed;
    return PL_OK;
}

enum pl_err pl_sweep_keeper_commit(struct pl_sweep_keeper *keeper, bool now, struct pl_error *err)
{
    const double now_s = pl_sweep_now_s();
    if (!now && now_s - keeper->committed_s < BATCH_S)
        return PL_OK;
    keeper->committed_s = now_s;
    return pl_results_commit(keeper->results, err);
}

void pl_sweep_keeper_end(struct pl_sweep_keeper *keeper)
{
    free(keeper->row);
    keeper->row = NULL;
}

enum pl_err pl_sweep_list(const struct pl_study *study, const struct pl_results *results, uint64_t shard,
                          uint64_t shards, uint64_t **out, size_t *count, struct pl_sweep_state *state,
                          struct pl_error *err)
{
    uint64_t *list = malloc((study->point_count + 1) * sizeof *list);
    if (!list)
        return pl_fail_memory(err, study->point_count * sizeof *list, "the points of a study");
    *count = 0;
    for (uint64_t i = 0; i < study->point_count; i++) {
        if (shards && i % shards != shard - 1)
            continue;
        state->total++;
        if (pl_results_has(results, i))
            state->earlier++;
        else
            list[(*count)++] = i;
    }
    state->done = state->earlier;
    *out = list;
    return PL_OK;
}
