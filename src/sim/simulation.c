/* sim/simulation.c: from batches to actors' streams, and the loop over events. */
#include "sim/engine.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- failing --------------------------------------------------------------------------- */

enum pl_err sim_fail(struct pl_sim *sim, enum pl_err rc)
{
    if (rc && !sim->failed)
        sim->failed = rc;
    return rc;
}

void sim_stop(struct pl_sim *sim, const char *format, ...)
{
    if (sim->stopped)
        return;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sim->stopped = pl_arena_strdup(sim->arena, text);
    if (!sim->stopped)
        sim->stopped = "the run could not go on";
}

void sim_push(struct pl_sim *sim, pl_time_ps time, enum sim_event kind, uint32_t target)
{
    sim->periodic += kind >= EVENT_PERIODIC;
    sim_fail(sim, pl_event_queue_push(&sim->queue, time, kind, target, 0, sim->err));
}

/* --- processes and actors ------------------------------------------------------------------ */

struct process *sim_find_process(struct pl_sim *sim, uint64_t id)
{
    for (size_t i = sim->process_count; i-- > 0;)
        if (sim->process[i].id == id && !sim->process[i].exited)
            return &sim->process[i];
    return NULL;
}

struct process *sim_process(struct pl_sim *sim, uint64_t id)
{
    struct process *process = sim_find_process(sim, id);
    if (process)
        return process;
    pl_process memory_id;
    struct pl_process_params params = {.minimum_pages = (uint32_t)sim->machine.ws_minimum,
                                       .maximum_pages = (uint32_t)sim->machine.ws_maximum,
                                       .priority = (uint8_t)sim->machine.priority};
    if (sim_fail(sim, pl_grow((void **)&sim->process, &sim->process_capacity, sim->process_count + 1,
                              sizeof *sim->process, "processes", sim->err)) ||
        sim_fail(sim, pl_memory_add_process(sim->memory, &params, &memory_id, sim->err)))
        return NULL;
    assert(memory_id == sim->process_count); /* both count in the order of coming */
    process = &sim->process[sim->process_count++];
    *process = (struct process){.id = id, .memory_id = memory_id};
    return process;
}

/* Before this nobody can begin. */
static pl_time_ps present_time(const struct pl_sim *sim)
{
    return sim->queue.now_ps > sim->reached_ps ? sim->queue.now_ps : sim->reached_ps;
}

/* OPT knows the next touch of each page in the order of the trace, and takes the touches made for those of the trace. */
static enum pl_err check_future(struct pl_sim *sim)
{
    if (!sim->options.future.count || !sim->actor_count || sim->machine.order == PL_ORDER_TRACE)
        return PL_OK;
    return pl_fail(sim->err, PL_ERR_INPUT,
                   "policy opt knows the order of the trace's touches, which several threads that run by their own clocks do "
                   "not keep: set run.order to trace");
}

static struct actor *add_actor(struct pl_sim *sim, uint64_t process_id, uint64_t thread_id)
{
    if (sim_fail(sim, check_future(sim)))
        return NULL;
    struct process *process = sim_process(sim, process_id);
    if (!process || sim_fail(sim, pl_grow((void **)&sim->actor, &sim->actor_capacity, sim->actor_count + 1,
                                          sizeof *sim->actor, "threads", sim->err)))
        return NULL;
    struct actor *actor = &sim->actor[sim->actor_count];
    *actor = (struct actor){.index = (uint32_t)sim->actor_count++, .process = process->memory_id,
                            .thread_id = thread_id, .clock = present_time(sim)};
    /* It joins the phase that is under way: what it missed of it is idle time. */
    process->cell.time_ps[PL_TIME_IDLE] += actor->clock - sim->phase_start;
    process->before_ps += sim->phase_start;
    process->actors++;
    sim->live++;
    sim->idle++;
    return actor;
}

/* Makes the actor of a switch record the present one. Actors are numbered in the order of their first switch, which need
 * not start with 0 when a reader started in the middle. */
static bool switch_to(struct pl_sim *sim, const struct pl_control *control)
{
    for (size_t i = 0; i < sim->actor_count; i++) {
        const struct actor *actor = &sim->actor[i];
        if (actor->thread_id == control->b && sim->process[actor->process].id == control->a &&
            actor->state != ACTOR_GONE) {
            sim->present = actor->index;
            return true;
        }
    }
    struct actor *actor = add_actor(sim, control->a, control->b);
    if (!actor)
        return false;
    sim->present = actor->index;
    struct process *process = &sim->process[actor->process];
    if (control->text && !process->name)
        process->name = pl_arena_strdup(sim->arena, control->text);
    return true;
}

static bool make_first_actor(struct pl_sim *sim)
{
    if (sim->present == SIM_NONE) {
        struct actor *actor = add_actor(sim, 0, 0);
        if (!actor)
            return false;
        sim->present = actor->index;
    }
    return true;
}

/* --- events ------------------------------------------------------------------------------ */

static void dispatch(struct pl_sim *sim, const struct pl_event *event)
{
    sim->events++;
    sim->periodic -= event->kind >= EVENT_PERIODIC;
    switch ((enum sim_event)event->kind) {
    case EVENT_ACTOR:
        sim_actor_run(sim, &sim->actor[event->target]);
        break;
    case EVENT_TASK:
        sim_task_event(sim, event->target, event->time_ps);
        break;
    case EVENT_DISK:
        sim_disk_event(sim, event->time_ps);
        break;
    case EVENT_LOCK:
        sim_zero_locked(sim, event->time_ps);
        break;
    case EVENT_SUBMIT:
        sim_disk_submit(sim, event->target, event->time_ps);
        break;
    case EVENT_MANAGER:
    case EVENT_ZERO:
    case EVENT_AGE:
    case EVENT_HOLD:
    case EVENT_COMBINE:
    case EVENT_SAMPLE:
        sim_periodic_event(sim, event);
        break;
    case EVENT_TIMER:
        sim_timer_event(sim, event->target, event->time_ps);
        break;
    }
    if (sim->options.check && sim_goes_on(sim))
        sim_check_event(sim);
}

static const char *why_nothing_leaves(const struct pl_sim *sim)
{
    const char *why = sim->writer_stuck && sim->machine.file_pages ? "the page file is full" : "nothing can be written out";
    return sim->machine.file_pages ? why : "there is no page file";
}

/* Threads wait, and only the clock's events are left: frames must be found for them, or the run cannot go on. */
static bool is_stuck(struct pl_sim *sim)
{
    if (pl_event_queue_count(&sim->queue) > sim->periodic) {
        sim->stuck = 0;
        return false;
    }
    if (++sim->stuck < 3 && sim->periodic)
        return false;
    if (sim_relieve(sim, present_time(sim)))
        return false;
    if (sim->memory_waiters)
        sim_stop(sim, "out of memory: threads wait for frames, %s, and no working set can shrink", why_nothing_leaves(sim));
    else
        sim_stop(sim, "every thread waits, and nothing is under way that could end that");
    return true;
}

/* Whoever waits may have had enough. With checks each event may take long. */
static bool is_interrupted(struct pl_sim *sim)
{
    enum { EVENTS = 256 };
    if (!sim->options.interrupted || (sim->asked++ % EVENTS && !sim->options.check) || !sim->options.interrupted())
        return false;
    sim_stop(sim, "interrupted");
    return true;
}

/* Runs until every actor is out of records (`drain`), or until one is that might still get some. */
static void run(struct pl_sim *sim, bool drain)
{
    while (sim_goes_on(sim)) {
        if (sim->idle == sim->live)
            return;
        if (!drain && sim->idle && sim->queued < sim->machine.window)
            return;
        struct pl_event event;
        if (is_stuck(sim) || is_interrupted(sim))
            return;
        if (pl_event_queue_pop(&sim->queue, &event))
            dispatch(sim, &event);
    }
}

/* The time that the slowest actor has reached, and background events until then. */
static pl_time_ps catch_up(struct pl_sim *sim)
{
    pl_time_ps now = present_time(sim);
    for (size_t i = 0; i < sim->actor_count; i++)
        if (sim->actor[i].state != ACTOR_GONE && sim->actor[i].clock > now)
            now = sim->actor[i].clock;
    struct pl_event event;
    while (sim_goes_on(sim) && pl_event_queue_next_ps(&sim->queue) <= now && pl_event_queue_pop(&sim->queue, &event))
        dispatch(sim, &event);
    sim_reach(sim, now);
    return now;
}

/* All wait for the slowest. */
static pl_time_ps gather(struct pl_sim *sim)
{
    pl_time_ps now = catch_up(sim);
    for (size_t i = 0; i < sim->actor_count; i++) {
        struct actor *actor = &sim->actor[i];
        if (actor->state != ACTOR_GONE)
            sim_charge(sim, actor, PL_TIME_IDLE, now - actor->clock);
    }
    return now;
}

/* An actor that had nothing to do has records again: it was idle until now. */
static void rouse(struct pl_sim *sim, struct actor *actor)
{
    if (actor->state != ACTOR_IDLE || pl_stream_is_empty(&actor->stream))
        return;
    pl_time_ps now = present_time(sim);
    if (actor->clock < now) {
        sim_charge(sim, actor, PL_TIME_IDLE, now - actor->clock);
        if (sim->live > 1 && sim->machine.order == PL_ORDER_THREADS)
            sim->totals.late_actors++;
    }
    sim->idle--;
    sim_actor_ready(sim, actor);
}

/* --- batches --------------------------------------------------------------------------------- */

/* The present actor gets touches and controls of a batch: borrowed and run at once, or copied. */
static void hand_out(struct pl_sim *sim, const struct pl_batch *batch, size_t from, size_t to, size_t control_from,
                     size_t control_to, bool borrow)
{
    if ((from == to && control_from == control_to) || !make_first_actor(sim))
        return;
    struct actor *actor = &sim->actor[sim->present];
    if (actor->state == ACTOR_GONE)
        return; /* what a process does after its exit does not happen */
    if (borrow) {
        pl_stream_borrow(&actor->stream, batch, from, to, control_from, control_to);
        sim->queued += to - from;
        rouse(sim, actor);
        run(sim, true);
        return;
    }
    size_t at = from;
    for (size_t c = control_from; c < control_to && sim_goes_on(sim); c++) {
        const struct pl_control *control = &batch->control[c];
        sim_fail(sim, pl_stream_append(&actor->stream, batch, at, control->at, sim->err));
        at = control->at;
        struct pl_control copy = *control;
        copy.text = copy.text ? pl_arena_strdup(sim->arena, copy.text) : NULL;
        sim_fail(sim, pl_stream_append_control(&actor->stream, &copy, sim->err));
    }
    sim_fail(sim, pl_stream_append(&actor->stream, batch, at, to, sim->err));
    sim->queued += to - from;
    rouse(sim, actor);
}

/* In the order of the trace there is one clock: who takes over goes on where the other stopped. */
static void take_turns(struct pl_sim *sim, const struct pl_control *control)
{
    pl_time_ps now = sim->machine.order == PL_ORDER_TRACE ? gather(sim) : 0;
    if (!switch_to(sim, control) || sim->machine.order != PL_ORDER_TRACE)
        return;
    struct actor *actor = &sim->actor[sim->present];
    if (actor->clock < now)
        sim_charge(sim, actor, PL_TIME_IDLE, now - actor->clock);
}

static bool is_barrier(const struct pl_control *control)
{
    return control->op == PL_OP_PHASE || control->op == PL_OP_SWITCH;
}

static void pass_barrier(struct pl_sim *sim, const struct pl_control *control)
{
    if (control->op == PL_OP_SWITCH) {
        take_turns(sim, control);
        return;
    }
    run(sim, true);
    if (!sim_goes_on(sim))
        return;
    pl_time_ps now = gather(sim);
    sim_fail(sim, sim_sum_phase(sim, control->text, now, sim->err));
    if (sim->options.timeline)
        pl_timeline_mark(sim->options.timeline, control->text ? control->text : "phase", now);
}

/* Whether the batch can be run in place: nobody else has anything to do, or everyone in turn. */
static bool can_borrow(const struct pl_sim *sim, const struct pl_batch *batch)
{
    if (sim->idle != sim->live)
        return false;
    if (sim->machine.order == PL_ORDER_TRACE)
        return true;
    if (sim->live > 1)
        return false;
    for (size_t c = 0; c < batch->control_count; c++) {
        const struct pl_control *control = &batch->control[c];
        if (control->op != PL_OP_SWITCH)
            continue;
        if (sim->present == SIM_NONE)
            return false;
        const struct actor *actor = &sim->actor[sim->present];
        if (control->b != actor->thread_id || control->a != sim->process[actor->process].id)
            return false;
    }
    return true;
}

static enum pl_err feed(struct pl_sim *sim, const struct pl_batch *batch)
{
    if (batch->distinct > sim->introduced) {
        sim->introduced = batch->distinct;
        sim_fail(sim, pl_memory_reserve_pages(sim->memory, (pl_page)batch->distinct, sim->err));
    }
    bool borrow = can_borrow(sim, batch);
    size_t from = 0, control_from = 0;
    for (size_t c = 0; c <= batch->control_count && sim_goes_on(sim); c++) {
        const struct pl_control *control = c < batch->control_count ? &batch->control[c] : NULL;
        if (control && !is_barrier(control))
            continue;
        size_t to = control ? control->at : batch->count;
        hand_out(sim, batch, from, to, control_from, c, borrow);
        if (control && sim_goes_on(sim))
            pass_barrier(sim, control);
        from = to;
        control_from = c + 1;
    }
    if (!borrow)
        run(sim, false);
    return sim->failed ? sim->failed : sim->stopped ? PL_END : PL_OK;
}

enum pl_err pl_sim_feed(struct pl_sim *sim, const struct pl_batch *batch, struct pl_error *err)
{
    assert(!sim->ended);
    struct pl_error unwanted;
    sim->err = err ? err : &unwanted;
    if (sim->failed)
        return sim->failed;
    return sim->stopped ? PL_END : feed(sim, batch);
}

enum pl_err pl_sim_finish(struct pl_sim *sim, struct pl_error *err)
{
    struct pl_error unwanted;
    sim->err = err ? err : &unwanted;
    if (!sim->ended && sim_goes_on(sim))
        run(sim, true);
    sim->ended = true;
    if (sim->failed)
        return sim->failed;
    pl_time_ps now = gather(sim);
    if (sim->options.timeline)
        sim_sum_name_lines(sim);
    return sim_sum_finish(sim, now, sim->err);
}

const struct pl_sim_result *pl_sim_result(const struct pl_sim *sim)
{
    assert(sim->ended);
    return &sim->result;
}

/* --- creating ----------------------------------------------------------------------------------- */

static struct pl_memory_params memory_params(const struct pl_machine *machine, const struct pl_sim_options *options)
{
    uint64_t frames = machine->lists ? machine->total_pages : pl_machine_resident(machine);
    return (struct pl_memory_params){
        .frames = (uint32_t)frames,
        .lists = machine->lists,
        .policy = machine->policy,
        .policy_params = {.seed = machine->seed,
                          .examine = (uint32_t)machine->examine,
                          .kin_share = machine->kin_share,
                          .kout_share = machine->kout_share,
                          .future = options->future},
        .global = machine->scope,
        .sections = machine->lists,
        .page_table_entries = (uint32_t)machine->page_table_entries,
        .ws_list_entries = (uint32_t)machine->ws_list_entries,
        .commit_limit_pages = machine->commit_limit_pages,
        .hard_maximum = machine->hard_maximum,
        .grow_above_pages = (uint32_t)machine->grow_above,
        .low_pages = (uint32_t)machine->low_pages,
        .target_pages = (uint32_t)machine->target_pages,
        .aging_share = machine->aging_share,
        .touch_cancels_compression = machine->touch_cancels,
        .section_priority = (uint8_t)machine->section_priority,
    };
}

static enum pl_err open_parts(struct pl_sim *sim, struct pl_error *err)
{
    sim->memory_params = memory_params(&sim->machine, &sim->options);
    enum pl_err rc = pl_memory_create(&sim->memory_params, &sim->memory, err);
    if (rc)
        return rc;
    sim->hot = pl_memory_hot(sim->memory);
    if (sim->machine.lists && sim->machine.kernel_pages)
        pl_memory_take_frames(sim->memory, (uint32_t)sim->machine.kernel_pages);
    if (sim->machine.lists)
        pl_memory_set_bad(sim->memory, (uint32_t)sim->machine.bad_pages);
    rc = pl_event_queue_open(&sim->queue, 0, err);
    sim->queue.now_ps = 0; /* the run begins then; before, the queue would take earlier events */
    if (rc == PL_OK)
        rc = sim_store_open(sim, err);
    if (rc == PL_OK)
        rc = sim_disk_open(sim, err);
    if (rc == PL_OK)
        rc = sim_writer_open(sim, err);
    if (rc == PL_OK)
        rc = sim_zero_open(sim, err);
    if (rc)
        return rc;
    sim->latency = pl_arena_alloc(sim->arena, PL_FAULT_KINDS, sizeof *sim->latency);
    if (!sim->latency)
        return pl_fail_memory(err, PL_FAULT_KINDS * sizeof *sim->latency, "latencies");
    sim->err = err;
    sim_periodic_start(sim);
    return sim->failed;
}

enum pl_err pl_sim_create(const struct pl_machine *machine, const struct pl_sim_options *options, struct pl_sim **out,
                          struct pl_error *err)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_sim *sim = arena ? calloc(1, sizeof *sim) : NULL;
    if (!sim) {
        pl_arena_destroy(arena);
        return pl_fail_memory(err, sizeof *sim, "a simulation");
    }
    struct pl_error unwanted;
    sim->arena = arena;
    sim->machine = *machine;
    sim->options = *options;
    sim->present = SIM_NONE;
    sim->disk_event_ps = PL_NEVER_PS;
    sim->phase_name = "";
    sim->cpus.total = machine->cpus;
    enum pl_err rc = open_parts(sim, err ? err : &unwanted);
    if (rc) {
        pl_sim_destroy(sim);
        return rc;
    }
    *out = sim;
    return PL_OK;
}

void pl_sim_destroy(struct pl_sim *sim)
{
    if (!sim)
        return;
    for (size_t i = 0; i < sim->actor_count; i++)
        pl_stream_free(&sim->actor[i].stream);
    for (size_t i = 0; i < sim->phase_count; i++) {
        free(sim->phase[i].cell);
        free(sim->phase[i].so_far);
        free(sim->phase[i].state);
        sim_view_free(sim->phase[i].view);
    }
    sim_zero_close(sim);
    sim_writer_close(sim);
    sim_disk_close(sim);
    sim_store_close(sim);
    sim_cpu_close(sim);
    pl_event_queue_close(&sim->queue);
    pl_memory_destroy(sim->memory);
    free(sim->actor);
    free(sim->process);
    free(sim->section);
    free(sim->phase);
    free(sim->sample);
    free(sim->timer);
    free(sim->summary);
    pl_arena_destroy(sim->arena);
    free(sim);
}
