/* sim/sim_actor.c: an actor runs.
 *
 *   stream of touches --+--> resident: a stamp and a cost, many at once
 *   range record -------+--> not resident: sim_fault.c, and perhaps a wait
 *
 * It runs until it has to wait, is out of records, or is so far ahead of the next event that the others come first. Only
 * resident touches are made ahead of the next event (by run.lookahead at most); all else happens in the order of time. */
#include "sim/engine.h"

#include <assert.h>

enum { RUN_MAX = 1 << 20 }; /* touches at once: one reservation of stamps */

/* --- being scheduled ----------------------------------------------------------------- */

void sim_actor_ready(struct pl_sim *sim, struct actor *actor)
{
    actor->state = ACTOR_READY;
    sim_push(sim, actor->clock, EVENT_ACTOR, actor->index);
}

static void give_cpu(struct pl_sim *sim, struct actor *actor)
{
    if (actor->has_cpu) {
        actor->has_cpu = false;
        sim_cpu_give(sim, actor->clock);
    }
}

void sim_actor_wait(struct pl_sim *sim, struct actor *actor, enum actor_state state, enum pl_component component)
{
    actor->state = state;
    actor->wait_since = actor->clock;
    actor->waits_as = component;
    sim->memory_waiters += state == ACTOR_MEMORY;
    give_cpu(sim, actor);
}

static const char *const wait_names[PL_COMPONENTS] = {
    [PL_TIME_SLEEP] = "sleep",           [PL_TIME_WAIT_CPU] = "wait for a processor",
    [PL_TIME_WAIT_STORE] = "wait store", [PL_TIME_WAIT_PAGE] = "wait page",
    [PL_TIME_WAIT_DISK] = "wait disk",   [PL_TIME_WAIT_MEMORY] = "wait memory"};

pl_time_ps sim_actor_disk_waited(const struct actor *actor, pl_time_ps now)
{
    bool waits = actor->state == ACTOR_DISK || (actor->state == ACTOR_GONE && actor->pending);
    return actor->disk_waited + (waits && now > actor->wait_since ? now - actor->wait_since : 0);
}

/* Of a wait for a page the part that is the disk's. */
static pl_time_ps disk_part(const struct pl_sim *sim, const struct actor *actor, pl_time_ps now)
{
    pl_time_ps all = now - actor->clock, part = all;
    if (actor->waits_on != SIM_NONE)
        part = sim_actor_disk_waited(&sim->actor[actor->waits_on], now) - actor->disk_before;
    else if (actor->disk_from > actor->clock)
        part = now - actor->disk_from;
    return part < 0 ? 0 : part < all ? part : all;
}

void sim_actor_charge_wait(struct pl_sim *sim, struct actor *actor, pl_time_ps now)
{
    if (now <= actor->clock)
        return;
    if (actor->waits_as == PL_TIME_WAIT_PAGE)
        sim_charge(sim, actor, PL_TIME_WAIT_DISK, disk_part(sim, actor, now));
    else if (actor->waits_as == PL_TIME_WAIT_DISK)
        actor->disk_waited += now - actor->clock;
    sim_charge(sim, actor, actor->waits_as, now - actor->clock);
}

void sim_actor_wake(struct pl_sim *sim, struct actor *actor, pl_time_ps now)
{
    sim->memory_waiters -= actor->state == ACTOR_MEMORY;
    sim_actor_charge_wait(sim, actor, now);
    if (sim->options.timeline)
        pl_timeline_span(sim->options.timeline, sim->process[actor->process].id, actor->thread_id,
                         wait_names[actor->waits_as], actor->wait_since, actor->clock);
    sim_actor_ready(sim, actor);
}

/* How far the clock may go before the next event has its turn. */
static pl_time_ps horizon_of(const struct pl_sim *sim, const struct actor *actor)
{
    pl_time_ps next = pl_event_queue_next_ps(&sim->queue);
    if (next != PL_NEVER_PS && sim->live > 1)
        next += sim->machine.lookahead;
    if (actor->has_cpu && sim_cpu_wanted(sim) && actor->cpu_since + sim->machine.quantum < next)
        next = actor->cpu_since + sim->machine.quantum;
    return next;
}

/* A processor for it. False: it waits for one. */
static bool take_cpu(struct pl_sim *sim, struct actor *actor)
{
    if (!sim->cpus.total || actor->has_cpu)
        return true;
    if (!sim_cpu_take(sim, actor->index, false)) {
        sim_actor_wait(sim, actor, ACTOR_CPU, PL_TIME_WAIT_CPU);
        return false;
    }
    actor->has_cpu = true;
    actor->cpu_since = actor->clock;
    return true;
}

/* Lets the others go first: true when it did, and goes on later. */
static bool yield_to_others(struct pl_sim *sim, struct actor *actor)
{
    if (actor->has_cpu && sim_cpu_wanted(sim) && actor->clock - actor->cpu_since >= sim->machine.quantum)
        give_cpu(sim, actor);
    else if (pl_event_queue_next_ps(&sim->queue) >= actor->clock)
        return false;
    sim_actor_ready(sim, actor);
    return true;
}

/* --- touches --------------------------------------------------------------------------- */

static pl_time_ps touch_cost(const struct pl_machine *machine, const struct actor *actor, unsigned kind)
{
    return actor->further_ps + (kind == PL_WRITE     ? machine->write_cost
                                : kind == PL_EXECUTE ? machine->execute_cost
                                                     : machine->read_cost);
}

static void end_fault_time(struct pl_sim *sim, struct actor *actor)
{
    if (!actor->on_fault)
        return;
    actor->on_fault = false;
    pl_histogram_add(&sim->latency[actor->fault_kind], (uint64_t)(actor->clock - actor->fault_since));
}

/* A page beside the last one has been fetched ahead by the processor: its translation and its first lines. */
static bool is_far(pl_page page, pl_page last)
{
    return page - last + 1u > 2u; /* modulo 2^32; not -1, 0 or 1 */
}

static void charge_far(struct pl_sim *sim, struct actor *actor, uint64_t far, pl_page last)
{
    sim_charge(sim, actor, PL_TIME_RUN, (pl_time_ps)far * actor->far_ps);
    actor->last_page = last;
}

static void charge_far_stream(struct pl_sim *sim, struct actor *actor, const pl_page *page, size_t count)
{
    uint64_t far = 0;
    if (!actor->far_ps || !count)
        return;
    for (size_t i = 0; i < count; i++)
        far += is_far(page[i], i ? page[i - 1] : actor->last_page);
    charge_far(sim, actor, far, page[count - 1]);
}

/* Pages first, first + step ...: the first one may lie beside what was touched before, the others are all alike. */
static void charge_far_range(struct pl_sim *sim, struct actor *actor, uint64_t first, uint64_t step, uint64_t count)
{
    if (!actor->far_ps || !count)
        return;
    uint64_t others = is_far((pl_page)step, 0) ? count - 1 : 0;
    charge_far(sim, actor, others + is_far((pl_page)first, actor->last_page), (pl_page)(first + (count - 1) * step));
}

static void count_touches(struct pl_sim *sim, struct actor *actor, uint64_t count, uint64_t writes, uint64_t executes)
{
    const struct pl_machine *machine = &sim->machine;
    struct pl_sim_cell *cell = &sim->process[actor->process].cell;
    if (!count)
        return;
    end_fault_time(sim, actor);
    sim->steps++;
    cell->touches += count;
    cell->writes += writes;
    sim_charge(sim, actor, PL_TIME_RUN,
               (pl_time_ps)(count - writes - executes) * machine->read_cost +
                   (pl_time_ps)writes * machine->write_cost + (pl_time_ps)executes * machine->execute_cost +
                   (pl_time_ps)count * actor->further_ps);
}

/* Kinds of touches, counted. The loop is a sum of bytes that compilers make vector code of. */
static void count_kinds(const uint8_t *kind, size_t count, uint64_t *writes, uint64_t *executes)
{
    uint64_t ones = 0, twos = 0;
    for (size_t at = 0; at < count;) {
        size_t end = count - at < 255 ? count : at + 255;
        uint8_t sum_of_writes = 0, sum_of_executes = 0;
        for (; at < end; at++) {
            sum_of_writes += kind[at] & 1;
            sum_of_executes += kind[at] >> 1 & 1;
        }
        ones += sum_of_writes;
        twos += sum_of_executes;
    }
    *writes = ones;
    *executes = twos;
}

/* How many touches fit before the horizon; at least one. */
static size_t fit(const struct pl_sim *sim, const struct actor *actor, uint64_t count, pl_time_ps horizon)
{
    const struct pl_machine *machine = &sim->machine;
    size_t most = count < RUN_MAX ? (size_t)count : RUN_MAX;
    if (horizon == PL_NEVER_PS)
        return most;
    pl_time_ps cost = machine->read_cost > machine->write_cost ? machine->read_cost : machine->write_cost;
    if (machine->execute_cost > cost)
        cost = machine->execute_cost;
    cost = sim_crowded(sim, cost + actor->further_ps + actor->far_ps);
    if (cost == 0)
        return most;
    uint64_t left = horizon > actor->clock ? (uint64_t)((horizon - actor->clock) / cost) + 1 : 1;
    return left < most ? (size_t)left : most;
}

/* Touches of the stream; true when all that fit were resident. */
static bool touch_stream(struct pl_sim *sim, struct actor *actor, size_t count)
{
    struct pl_stream *stream = &actor->stream;
    const uint8_t *kind = stream->kind ? stream->kind + stream->at : NULL;
    uint64_t writes = 0, executes = 0;
    size_t done = pl_touch_run(sim->hot, stream->page + stream->at, kind, count);
    if (kind)
        count_kinds(kind, done, &writes, &executes);
    count_touches(sim, actor, done, writes, executes);
    charge_far_stream(sim, actor, stream->page + stream->at, done);
    stream->at += done;
    sim->queued -= done;
    return done == count;
}

/* A pass that repeats the last one changes no order and no page: it is charged, and not made. */
static bool repeats_last_pass(const struct pl_sim *sim, const struct actor *actor, pl_time_ps horizon)
{
    const struct range_pass *last = &sim->last_pass, *pass = &actor->range.pass;
    bool counts_stamps = sim->options.future.count > 0; /* opt tells touches by them */
    if (!actor->range.fresh || !last->count || counts_stamps || last->stamp != sim->hot->next || last->changes != sim->changes ||
        last->first != pass->first || last->count != pass->count || last->step != pass->step || last->kind != pass->kind)
        return false;
    pl_time_ps cost = sim_crowded(sim, touch_cost(&sim->machine, actor, pass->kind) + actor->far_ps);
    return horizon == PL_NEVER_PS || cost == 0 ||
           (horizon > actor->clock && (uint64_t)((horizon - actor->clock) / cost) > pass->count);
}

static void charge_pass(struct pl_sim *sim, struct actor *actor)
{
    uint64_t count = actor->range.left;
    count_touches(sim, actor, count, actor->range.kind == PL_WRITE ? count : 0,
                  actor->range.kind == PL_EXECUTE ? count : 0);
    charge_far_range(sim, actor, actor->range.page, actor->range.step, count);
    actor->range.left = 0;
}

static bool touch_range(struct pl_sim *sim, struct actor *actor, size_t count)
{
    struct actor_range *range = &actor->range;
    uint32_t is_write = range->kind & 1u;
    size_t done = 0;
    if (range->step == 1)
        done = pl_touch_range(sim->hot, range->page, (pl_page)count, is_write);
    else
        while (done < count && pl_touch(sim->hot, (pl_page)(range->page + done * range->step), is_write))
            done++;
    count_touches(sim, actor, done, is_write ? done : 0, range->kind == PL_EXECUTE ? done : 0);
    charge_far_range(sim, actor, range->page, range->step, done);
    range->left -= done;
    range->page = (pl_page)(range->page + done * range->step);
    range->fresh = false;
    if (!range->left && range->pass.changes == sim->changes) {
        sim->last_pass = range->pass;
        sim->last_pass.stamp = sim->hot->next;
    }
    return done == count;
}

void sim_actor_touched(struct pl_sim *sim, struct actor *actor)
{
    unsigned kind;
    if (actor->range.left) {
        kind = actor->range.kind;
        actor->last_page = actor->range.page; /* a fault has just filled it: its lines are in the cache */
        actor->range.left--;
        actor->range.page = (pl_page)(actor->range.page + actor->range.step);
    } else {
        kind = actor->stream.kind ? actor->stream.kind[actor->stream.at] : PL_READ;
        actor->last_page = actor->stream.page[actor->stream.at];
        actor->stream.at++;
        sim->queued--;
    }
    end_fault_time(sim, actor);
    sim->steps++;
    sim->process[actor->process].cell.touches++;
    sim->process[actor->process].cell.writes += kind == PL_WRITE;
    sim_charge(sim, actor, PL_TIME_RUN, touch_cost(&sim->machine, actor, kind));
}

/* The touch at hand is not resident. True: it is done. */
static bool slow_touch(struct pl_sim *sim, struct actor *actor)
{
    if (yield_to_others(sim, actor))
        return false;
    sim_reach(sim, actor->clock);
    pl_page page;
    unsigned kind;
    if (actor->range.left) {
        page = actor->range.page;
        kind = actor->range.kind;
    } else {
        page = actor->stream.page[actor->stream.at];
        kind = actor->stream.kind ? actor->stream.kind[actor->stream.at] : PL_READ;
    }
    if (!actor->on_fault) {
        actor->on_fault = true;
        actor->fault_since = actor->clock;
        actor->fault_kind = PL_FAULT_TRANSITION; /* unless more than waiting for another's transfer is needed */
    }
    if (!sim_fault(sim, actor, page, kind & 1u))
        return false;
    sim_actor_touched(sim, actor);
    return sim_goes_on(sim);
}

/* --- pace -------------------------------------------------------------------------------- */

/* Waits for the time of the next touch, or lets the instructions before it pass. False: it waits. */
static bool keep_pace(struct pl_sim *sim, struct actor *actor, int64_t time, pl_time_ps horizon)
{
    if (sim->machine.pace == PL_PACE_TRACE) {
        if (time > actor->clock)
            sim_charge(sim, actor, PL_TIME_IDLE, time - actor->clock);
    } else if (time > actor->last_time) {
        sim_charge(sim, actor, PL_TIME_RUN, (time - actor->last_time) * sim->machine.instruction_cost);
        actor->last_time = time;
    }
    if (actor->clock <= horizon)
        return true;
    sim_actor_ready(sim, actor);
    return false;
}

static bool paced(const struct pl_sim *sim)
{
    return (sim->machine.pace == PL_PACE_TRACE && sim->options.clock == PL_CLOCK_PICOSECONDS) ||
           (sim->machine.pace == PL_PACE_INSTRUCTIONS && sim->options.clock == PL_CLOCK_INSTRUCTIONS);
}

/* --- the loop ------------------------------------------------------------------------------ */

static void out_of_records(struct pl_sim *sim, struct actor *actor)
{
    give_cpu(sim, actor);
    actor->state = ACTOR_IDLE;
    sim->idle++;
}

/* One piece of work. False: it stopped. */
static bool advance(struct pl_sim *sim, struct actor *actor)
{
    struct pl_stream *stream = &actor->stream;
    pl_time_ps horizon = horizon_of(sim, actor);
    if (actor->clock > horizon) {
        yield_to_others(sim, actor);
        return false;
    }
    if (actor->range.left && repeats_last_pass(sim, actor, horizon)) {
        charge_pass(sim, actor);
        return true;
    }
    if (actor->range.left) {
        size_t count = fit(sim, actor, actor->range.left, horizon);
        if (sim_fail(sim, pl_memory_reserve_stamps(sim->memory, (uint32_t)count, sim->err)))
            return false;
        return touch_range(sim, actor, count) || slow_touch(sim, actor);
    }
    size_t count = pl_stream_run(stream);
    if (!count) {
        if (pl_stream_is_empty(stream)) {
            out_of_records(sim, actor);
            return false;
        }
        if (yield_to_others(sim, actor))
            return false;
        sim_reach(sim, actor->clock);
        return sim_control(sim, actor);
    }
    if (paced(sim)) {
        if (stream->time && !keep_pace(sim, actor, stream->time[stream->at], horizon))
            return false;
        count = 1;
    }
    count = fit(sim, actor, count, horizon);
    if (sim_fail(sim, pl_memory_reserve_stamps(sim->memory, (uint32_t)count, sim->err)))
        return false;
    return touch_stream(sim, actor, count) || slow_touch(sim, actor);
}

void sim_actor_run(struct pl_sim *sim, struct actor *actor)
{
    if (actor->state != ACTOR_READY || !take_cpu(sim, actor))
        return; /* gone meanwhile, or waits for a processor */
    if (actor->step != STEP_NONE) {
        sim_fault_continue(sim, actor);
        if (actor->state != ACTOR_READY || actor->step != STEP_NONE || !sim_goes_on(sim))
            return;
    }
    while (advance(sim, actor))
        ;
}
