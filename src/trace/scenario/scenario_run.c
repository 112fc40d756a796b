/* trace/scenario/scenario_run.c: actors walk their steps and put records down.
 *
 * One actor goes on until its next phase mark or its end, then the next one; when all have come so far the mark is put
 * down and they go on. Marks of different names at the same time have no order and are an error. */
#include "trace/scenario/scenario.h"

#include <stdlib.h>
#include <string.h>

enum { LOOSE_STEPS = 1 << 20 }; /* steps without any record, in a row: a loop that does nothing */

/* --- records ----------------------------------------------------------------------------- */

bool scenario_has_room(const struct scenario_run *run)
{
    return run->count < SCENARIO_BATCH_TOUCHES && run->control_count + 8 < SCENARIO_BATCH_CONTROLS;
}

struct pl_control *scenario_record(struct scenario_run *run, enum pl_op op)
{
    struct pl_control *record = &run->control[run->control_count++];
    *record = (struct pl_control){.at = (uint32_t)run->count, .op = (uint16_t)op};
    return record;
}

static void present(struct scenario_run *run, struct scenario_actor *actor)
{
    struct scenario_process *process = &run->scenario->process[actor->process];
    if (run->present == (int64_t)actor->index)
        return;
    struct pl_control *record = scenario_record(run, PL_OP_SWITCH);
    record->actor = actor->index;
    record->a = process->id;
    record->b = actor->thread;
    run->present = actor->index;
    if (!process->started) {
        struct pl_control *start = scenario_record(run, PL_OP_START);
        start->a = process->id;
        start->text = process->name;
        process->started = true;
    }
}

/* --- memory --------------------------------------------------------------------------------- */

struct scenario_region *scenario_find_region(struct scenario_process *process, const char *name)
{
    for (size_t i = 0; i < process->region_count; i++)
        if (!strcmp(process->region[i].name, name))
            return &process->region[i];
    return NULL;
}

enum pl_err scenario_need_region(struct scenario_process *process, const struct pl_json_node *node, const char *name,
                                 struct scenario_region **out, struct pl_error *err)
{
    char hint[160];
    *out = scenario_find_region(process, name);
    if (*out)
        return PL_OK;
    pl_did_you_mean(hint, sizeof hint, name, process->region_count ? &process->region[0].name : NULL,
                    process->region_count, sizeof process->region[0]);
    return pl_json_fail(node, err, "'%.60s' was not allocated before%s", name, hint);
}

static enum pl_err add_region(struct scenario_run *run, struct scenario_process *process, const struct pl_json_node *step,
                              const char *name, uint64_t pages, struct pl_error *err)
{
    if (pages >= PL_NO_PAGE || run->distinct + pages >= PL_NO_PAGE)
        return pl_json_fail(step, err, "more than 2^32 - 1 pages in all");
    enum pl_err rc = pl_grow((void **)&process->region, &process->region_capacity, process->region_count + 1,
                             sizeof *process->region, "regions", err);
    if (rc == PL_OK)
        rc = pl_grow((void **)&run->origin, &run->origin_capacity, run->origin_count + 1, sizeof *run->origin, "regions",
                     err);
    if (rc)
        return rc;
    const struct scenario_region region = {name, (pl_page)run->distinct, pages, process->next_number, false};
    process->region[process->region_count++] = region;
    run->origin[run->origin_count++] = (struct scenario_origin){region.first, process->id, region.number};
    /* Allocations begin at multiples of 64 KB, with a gap, as on Windows. */
    process->next_number += (pages + 31) / 16 * 16;
    run->distinct += pages;
    return PL_OK;
}

static enum pl_err allocate(struct scenario_run *run, struct scenario_process *process, const struct pl_json_node *step,
                            struct pl_error *err)
{
    static const char *const kinds[] = {"reserve", "commit", "file", "section", "large", "guard", NULL};
    struct scenario *scenario = run->scenario;
    const struct pl_json_node *node = pl_json_get(step, "kind");
    const char *name, *fill = NULL;
    uint64_t bytes, seed = 0;
    int kind = PL_ALLOCATE_COMMIT;
    bool prefault = false;
    enum pl_err rc = scenario_words(scenario, pl_json_get(step, "allocate"), &name, err);
    if (rc == PL_OK)
        rc = scenario_bytes(scenario, pl_json_get(step, "size"), process->copy, &bytes, err);
    if (rc == PL_OK && node)
        rc = scenario_choice(scenario, node, kinds, &kind, err);
    if (rc == PL_OK && (node = pl_json_get(step, "prefault")))
        rc = pl_json_as_bool(node, &prefault, err);
    if (rc == PL_OK && (node = pl_json_get(step, "fill")))
        rc = scenario_fill_words(scenario, node, &fill, err);
    if (rc == PL_OK && (node = pl_json_get(step, "seed")))
        rc = scenario_count(scenario, node, process->copy, &seed, err);
    if (rc == PL_OK && prefault && kind != PL_ALLOCATE_COMMIT)
        rc = pl_json_fail(step, err, "prefault goes with \"kind\": \"commit\"");
    if (rc == PL_OK && scenario_find_region(process, name))
        rc = pl_json_fail(step, err, "'%.60s' is allocated already; free it first", name);
    if (rc)
        return rc;
    const uint64_t page = scenario->page_size;
    rc = add_region(run, process, step, name, (bytes + page - 1) / page, err);
    if (rc)
        return rc;
    struct scenario_region *region = &process->region[process->region_count - 1];
    struct pl_control *record = scenario_record(run, PL_OP_ALLOCATE);
    record->a = region->first;
    record->b = region->pages;
    record->flags = (uint8_t)(prefault ? PL_ALLOCATE_PREFAULT : kind);
    if (fill && region->pages) {
        scenario_fill(run, region, 0, region->pages, fill, seed);
        region->filled = true;
    }
    return PL_OK;
}

static enum pl_err of_region(struct scenario_run *run, struct scenario_process *process, const struct pl_json_node *node,
                             enum pl_op op, struct pl_error *err)
{
    const char *name;
    enum pl_err rc = scenario_words(run->scenario, node, &name, err);
    struct scenario_region *region = NULL;
    if (rc == PL_OK)
        rc = scenario_need_region(process, node, name, &region, err);
    if (rc)
        return rc;
    struct pl_control *record = scenario_record(run, op);
    record->a = region->first;
    record->b = region->pages;
    if (op == PL_OP_FREE)
        *region = process->region[--process->region_count];
    return PL_OK;
}

/* --- processes and lists ------------------------------------------------------------------------ */

/* "self", "all" or the name of a process, as a trim record has it. */
static enum pl_err which_process(struct scenario_run *run, const struct scenario_process *self,
                                 const struct pl_json_node *node, bool all, uint64_t *out, struct pl_error *err)
{
    const char *name;
    const struct scenario *scenario = run->scenario;
    enum pl_err rc = scenario_words(scenario, node, &name, err);
    if (rc)
        return rc;
    if (!strcmp(name, "self")) {
        *out = self->id;
        return PL_OK;
    }
    if (all && !strcmp(name, "all")) {
        *out = UINT64_MAX;
        return PL_OK;
    }
    for (size_t i = 0; i < scenario->process_count; i++)
        if (!strcmp(scenario->process[i].name, name)) {
            *out = scenario->process[i].id;
            return PL_OK;
        }
    char hint[160];
    pl_did_you_mean(hint, sizeof hint, name, &scenario->process[0].name, scenario->process_count, sizeof scenario->process[0]);
    return pl_json_fail(node, err, "'%.60s' is neither 'self'%s nor the name of a process%s", name, all ? ", 'all'" : "", hint);
}

static enum pl_err of_process(struct scenario_run *run, struct scenario_process *process, const struct pl_json_node *node,
                              enum pl_op op, struct pl_error *err)
{
    uint64_t id = 0;
    enum pl_err rc = which_process(run, process, node, op == PL_OP_TRIM, &id, err);
    if (rc)
        return rc;
    scenario_record(run, op)->a = id;
    for (size_t i = 0; op == PL_OP_EXIT && i < run->scenario->process_count; i++)
        if (run->scenario->process[i].id == id)
            run->scenario->process[i].exited = true;
    return PL_OK;
}

static const char *const list_names[] = {"purge-standby", "flush-modified", "empty-working-sets", "purge-standby0",
                                         "combine", NULL};

static enum pl_err add_condition(struct scenario_run *run, uint64_t copy, const struct pl_json_node *step, const char *key,
                                 const char *words, struct pl_text *text, struct pl_error *err)
{
    const struct pl_json_node *node = pl_json_get(step, key);
    uint64_t bytes = 0;
    enum pl_err rc = node ? scenario_bytes(run->scenario, node, copy, &bytes, err) : PL_OK;
    if (rc == PL_OK && node)
        pl_text_addf(text, "%s%s%llu", text->length ? " " : "", words,
                     (unsigned long long)(bytes / run->scenario->page_size));
    return rc;
}

/* "standby>262144 available<65536": pages, all of which must hold. */
static enum pl_err set_timer(struct scenario_run *run, uint64_t copy, const struct pl_json_node *step, struct pl_error *err)
{
    const struct pl_json_node *list = pl_json_get(step, "list"), *every = pl_json_get(step, "every");
    struct pl_text text = {0};
    pl_time_ps period = 0;
    int command = 0;
    const char *name;
    enum pl_err rc = scenario_words(run->scenario, pl_json_get(step, "timer"), &name, err);
    if (rc == PL_OK && strcmp(name, "stop") && (!list || !every))
        rc = pl_json_fail(step, err, "a timer needs \"list\" and \"every\" (or is \"stop\")");
    if (rc == PL_OK && list)
        rc = scenario_choice(run->scenario, list, list_names, &command, err);
    if (rc == PL_OK && every)
        rc = scenario_time(run->scenario, every, copy, &period, err);
    if (rc == PL_OK)
        rc = add_condition(run, copy, step, "standby_above", "standby>", &text, err);
    if (rc == PL_OK)
        rc = add_condition(run, copy, step, "available_below", "available<", &text, err);
    if (rc == PL_OK)
        rc = add_condition(run, copy, step, "free_below", "free<", &text, err);
    if (rc == PL_OK && every && period <= 0)
        rc = pl_json_fail(every, err, "a timer's period is longer than nothing");
    if (rc == PL_OK) {
        struct pl_control *record = scenario_record(run, PL_OP_TIMER);
        record->a = (uint64_t)period;
        record->flags = (uint8_t)command;
        record->text = text.data ? pl_arena_strdup(run->scenario->arena, text.data) : NULL;
    }
    pl_text_free(&text);
    return rc;
}

/* --- steps ------------------------------------------------------------------------------------------ */

static enum scenario_verb verb_of(const struct pl_json_node *step)
{
    int verb = 0;
    if (pl_json_get(step, "timer"))
        return STEP_TIMER;
    while (verb < SCENARIO_VERBS - 1 && !pl_json_get(step, scenario_verb_names[verb]))
        verb++;
    return (enum scenario_verb)verb;
}

static enum pl_err begin_repeat(const struct scenario_run *run, struct scenario_actor *actor,
                                const struct pl_json_node *step, struct pl_error *err)
{
    uint64_t rounds;
    enum pl_err rc = scenario_count(run->scenario, pl_json_get(step, "repeat"), run->scenario->process[actor->process].copy,
                                    &rounds, err);
    if (rc == PL_OK && rounds)
        actor->frame[actor->depth++] = (struct scenario_frame){pl_json_get(step, "do"), 0, rounds - 1, 0};
    return rc;
}

static enum pl_err do_step(struct scenario_run *run, struct scenario_actor *actor, const struct pl_json_node *step,
                           struct pl_error *err)
{
    struct scenario *scenario = run->scenario;
    struct scenario_process *process = &scenario->process[actor->process];
    const enum scenario_verb verb = verb_of(step);
    const struct pl_json_node *value = pl_json_get(step, scenario_verb_names[verb]);
    pl_time_ps time = 0;
    int list = 0;
    enum pl_err rc = PL_OK;
    switch (verb) {
    case STEP_PHASE:
        actor->mark_node = value;
        return scenario_words(scenario, value, &actor->mark, err);
    case STEP_ALLOCATE:
        return allocate(run, process, step, err);
    case STEP_TOUCH:
        return scenario_begin_touch(run, actor, step, err);
    case STEP_FREE:
        return of_region(run, process, value, PL_OP_FREE, err);
    case STEP_PREFETCH:
        return of_region(run, process, value, PL_OP_PREFETCH, err);
    case STEP_LOCK:
        return of_region(run, process, value, PL_OP_LOCK, err);
    case STEP_TRIM:
        return of_process(run, process, value, PL_OP_TRIM, err);
    case STEP_MINIMISE:
        return of_process(run, process, value, PL_OP_MINIMISE, err);
    case STEP_EXIT:
        return of_process(run, process, value, PL_OP_EXIT, err);
    case STEP_TIMER:
        return set_timer(run, process->copy, step, err);
    case STEP_LIST:
        rc = scenario_choice(scenario, value, list_names, &list, err);
        if (rc == PL_OK)
            scenario_record(run, PL_OP_LIST)->flags = (uint8_t)list;
        return rc;
    case STEP_SLEEP:
    case STEP_COMPUTE:
        rc = scenario_time(scenario, value, process->copy, &time, err);
        if (rc == PL_OK && time > 0)
            scenario_record(run, verb == STEP_SLEEP ? PL_OP_SLEEP : PL_OP_COMPUTE)->a = (uint64_t)time;
        return rc;
    case STEP_REPEAT:
        return begin_repeat(run, actor, step, err);
    case SCENARIO_VERBS:
        break;
    }
    return rc;
}

/* One actor as far as there is room. PL_END: it waits at a mark, or is done. */
static enum pl_err go_on(struct scenario_run *run, struct scenario_actor *actor, struct pl_error *err)
{
    for (size_t loose = 0; scenario_has_room(run); loose++) {
        if (actor->pass.active) {
            present(run, actor);
            scenario_go_on(run, actor);
            loose = 0;
            continue;
        }
        if (actor->mark || actor->done || run->scenario->process[actor->process].exited)
            return PL_END;
        struct scenario_frame *frame = &actor->frame[actor->depth - 1];
        if (loose > LOOSE_STEPS)
            return pl_json_fail(frame->steps, err, "a loop that does nothing, a million times");
        if (frame->at == pl_json_size(frame->steps)) {
            frame->at = 0;
            if (frame->left) {
                frame->left--;
                frame->round++;
            }
            else if (--actor->depth == 0) {
                actor->done = true;
                actor->depth = 1;
            }
            continue;
        }
        const size_t before = run->control_count;
        const struct pl_json_node *step = pl_json_at(frame->steps, frame->at++);
        if (verb_of(step) != STEP_PHASE && verb_of(step) != STEP_REPEAT)
            present(run, actor);
        run->scenario->round = frame->round;
        enum pl_err rc = do_step(run, actor, step, err);
        if (rc)
            return rc;
        if (run->control_count > before)
            loose = 0;
    }
    return PL_OK;
}

/* Everyone waits or is done: the mark, or the end. */
static enum pl_err pass_mark(struct scenario_run *run, struct pl_error *err)
{
    struct scenario *scenario = run->scenario;
    const struct scenario_actor *first = NULL;
    for (size_t i = 0; i < scenario->actor_count; i++) {
        struct scenario_actor *actor = &scenario->actor[i];
        char place[256];
        if (scenario->process[actor->process].exited)
            actor->mark = NULL;
        if (!actor->mark)
            continue;
        if (!first)
            first = actor;
        else if (strcmp(first->mark, actor->mark))
            return pl_json_fail(actor->mark_node, err, "the phase '%.60s' begins while another process waits for '%.60s' (%s)",
                                actor->mark, first->mark, pl_json_place(first->mark_node, place, sizeof place));
    }
    if (!first)
        return PL_END;
    scenario_record(run, PL_OP_PHASE)->text = first->mark;
    for (size_t i = 0; i < scenario->actor_count; i++)
        scenario->actor[i].mark = NULL;
    return PL_OK;
}

static enum pl_err fill_batch(struct scenario_run *run, struct pl_error *err)
{
    struct scenario *scenario = run->scenario;
    if (run->present < 0) /* what comes first belongs to somebody, a phase mark too */
        present(run, &scenario->actor[0]);
    while (scenario_has_room(run)) {
        enum pl_err rc = PL_END;
        if (run->turn < scenario->actor_count) {
            rc = go_on(run, &scenario->actor[run->turn], err);
            if (rc == PL_END) {
                run->turn++;
                continue;
            }
            return rc;
        }
        rc = pass_mark(run, err);
        if (rc == PL_END)
            return run->count || run->control_count ? PL_OK : PL_END;
        if (rc)
            return rc;
        run->turn = 0;
    }
    return PL_OK;
}

enum pl_err scenario_run_next(struct scenario_run *run, struct pl_batch *out, struct pl_error *err)
{
    run->count = run->control_count = 0;
    enum pl_err rc = fill_batch(run, err);
    if (rc == PL_OK)
        *out = (struct pl_batch){.count = run->count, .page = run->page, .kind = run->kind, .control = run->control,
                                 .control_count = run->control_count, .distinct = run->distinct};
    return rc;
}

/* --- making and freeing --------------------------------------------------------------------------------- */

enum pl_err scenario_run_create(struct scenario *scenario, struct scenario_run **out, struct pl_error *err)
{
    struct scenario_run *run = calloc(1, sizeof *run);
    if (!run)
        return pl_fail_memory(err, sizeof *run, "a scenario");
    run->scenario = scenario;
    run->present = -1;
    run->control = calloc(SCENARIO_BATCH_CONTROLS, sizeof *run->control);
    run->page = calloc(SCENARIO_BATCH_TOUCHES, sizeof *run->page);
    run->kind = calloc(SCENARIO_BATCH_TOUCHES, 1);
    if (!run->control || !run->page || !run->kind) {
        scenario_run_free(run);
        return pl_fail_memory(err, SCENARIO_BATCH_TOUCHES * sizeof *run->page, "a scenario");
    }
    *out = run;
    return PL_OK;
}

void scenario_run_free(struct scenario_run *run)
{
    if (!run)
        return;
    scenario_free(run->scenario);
    free(run->control);
    free(run->page);
    free(run->kind);
    free(run->origin);
    free(run);
}
