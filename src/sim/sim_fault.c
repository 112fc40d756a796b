/* sim/sim_fault.c: the way of a fault, from the touch to the page.
 *
 *   begin   the memory manager says what kind it is, and has a frame
 *   leave   without lists: what was evicted for it goes to the store or the disk         sim_evict.c
 *   bring   zero, decompress, or read; service time by kind
 *   end     the page is in the working set; perhaps one more step (page table first, guard, copy)
 *
 * Each step may take disk transfers; then the actor waits and sim_fault_continue goes on with the next step.
 *
 * What this does not model: that a fault without a transfer (demand-zero, transition, store, copy, guard) takes its time
 * before others see its page. It is served in one go when it begins; its thread's clock moves on, and it keeps its processor,
 * also beyond its quantum. So of two threads that want the same stored page at nearly the same time the second finds it
 * resident: it does not collide, and gains at most the service and decompression time of that one page (microseconds).
 * Threads that share no pages are not concerned, and faults with transfers collide as they should. */
#include "sim/engine.h"

#include <assert.h>

/* --- who waits -------------------------------------------------------------------------- */

void sim_wake_object(struct pl_sim *sim, pl_page object, pl_time_ps now)
{
    for (size_t i = 0; i < sim->actor_count; i++) {
        struct actor *actor = &sim->actor[i];
        if (actor->state == ACTOR_OBJECT && actor->waits_for == object)
            sim_actor_wake(sim, actor, now);
    }
}

void sim_wake_memory(struct pl_sim *sim, pl_time_ps now)
{
    if (!sim->memory_waiters || !pl_frames_available(pl_memory_frames(sim->memory)))
        return;
    for (size_t i = 0; i < sim->actor_count; i++)
        if (sim->actor[i].state == ACTOR_MEMORY)
            sim_actor_wake(sim, &sim->actor[i], now);
}

/* Working sets shrink, so that something can be written out or taken. */
static void shrink(struct pl_sim *sim, pl_time_ps now)
{
    uint32_t want = sim->machine.writer_cluster > 32 ? (uint32_t)sim->machine.writer_cluster : 32;
    sim->changes++;
    if (sim->machine.lists) {
        sim_release_held(sim);
        if (pl_memory_trim(sim->memory, want) && sim->store_short) { /* pages of other sizes may fit */
            sim->store_blocked = false;
            sim->store_tried = 0;
        }
        if (sim->writer_stuck) /* pages may have been modified since the page file was found full */
            sim_slots_reclaim(sim);
    }
    sim_writer_look(sim, now);
}

/* Whether something is under way at whose end frames become free. */
static bool frames_are_coming(const struct pl_sim *sim)
{
    return sim->writing || sim->file_writing || sim->store_writing || sim->compress_count ||
           pl_memory_frames(sim->memory)->count[PL_LIST_TRANSITION];
}

/* Nothing else can free a frame: what the store holds is written out, so that its own memory shrinks. */
static void press_store(struct pl_sim *sim, pl_time_ps now)
{
    if (!sim->store || !sim->machine.in_memory || pl_frames_available(pl_memory_frames(sim->memory)))
        return;
    pl_time_ps takes;
    if (sim_store_compact(sim, &takes)) {
        sim->totals.worker_busy_ps += takes; /* nobody waits for its end: the next one to be woken has a frame */
        sim_wake_memory(sim, now);
        return;
    }
    sim->store_pressed = true;
    sim_writer_look(sim, now);
}

void sim_need_memory(struct pl_sim *sim, pl_time_ps now)
{
    if (!sim->memory_waiters || pl_frames_available(pl_memory_frames(sim->memory)) || !sim_goes_on(sim))
        return;
    if (!frames_are_coming(sim))
        shrink(sim, now);
    if (!frames_are_coming(sim))
        press_store(sim, now);
}

/* Frames that are found again and again, and serve no touch (page tables that come and go), are no relief. */
static bool is_hopeless(struct pl_sim *sim)
{
    sim->reliefs = sim->steps == sim->steps_at_relief ? sim->reliefs + 1 : 0;
    sim->steps_at_relief = sim->steps;
    return sim->reliefs > 4 + 2 * sim->live;
}

bool sim_relieve(struct pl_sim *sim, pl_time_ps now)
{
    if (!sim->memory_waiters)
        return false;
    if (!is_hopeless(sim)) {
        if (!pl_frames_available(pl_memory_frames(sim->memory)))
            shrink(sim, now);
        press_store(sim, now);
        sim_wake_memory(sim, now);
        if (pl_event_queue_count(&sim->queue) > sim->periodic)
            return true; /* a frame was found, or is being made by writing */
    }
    sim->totals.out_of_memory++;
    return false;
}

/* Threads that take frames from each other, or from themselves, before one can make a touch would do so for ever. */
static bool is_thrashing(struct pl_sim *sim, const struct actor *actor)
{
    sim->waits_in_vain = sim->steps == sim->steps_at_wait ? sim->waits_in_vain + 1 : 0;
    sim->steps_at_wait = sim->steps;
    if (sim->waits_in_vain < 1000 + 100 * sim->live)
        return false;
    sim->totals.out_of_memory++;
    sim_stop(sim, "out of memory at %.6f s: frames are taken again and again, and no thread gets all that one touch needs",
             (double)actor->clock / (double)PL_PS_PER_S);
    return true;
}

/* Nothing is available. Whoever writes pages out is told; when nothing is on its way out, working sets shrink. True: there
 * is something after all. */
static bool wait_for_memory(struct pl_sim *sim, struct actor *actor)
{
    if (is_thrashing(sim, actor))
        return false;
    sim->memory_waiters++; /* so that the writer knows */
    sim_writer_look(sim, actor->clock);
    sim_need_memory(sim, actor->clock);
    sim->memory_waiters--;
    if (pl_frames_available(pl_memory_frames(sim->memory)))
        return true;
    sim_actor_wait(sim, actor, ACTOR_MEMORY, PL_TIME_WAIT_MEMORY);
    return false;
}

/* Whose fault has an object under way, or SIM_NONE. */
static uint32_t who_brings(const struct pl_sim *sim, pl_page object)
{
    for (uint32_t i = 0; i < sim->actor_count; i++)
        if (sim->actor[i].step != STEP_NONE && sim->actor[i].fault.object == object)
            return i;
    return SIM_NONE;
}

/* A page is under way in a fault of another thread, in a transfer that reads it ahead, or with a store worker. */
static void wait_for_object(struct pl_sim *sim, struct actor *actor)
{
    pl_page object = actor->fault.object;
    pl_frame frame = pl_memory_page(sim->memory, object).frame;
    sim->process[actor->process].cell.collided++;
    actor->waits_for = object;
    if (frame != PL_NO_FRAME && pl_memory_frames(sim->memory)->frame[frame].flight == PL_FLIGHT_COMPRESS) {
        sim_actor_wait(sim, actor, ACTOR_OBJECT, PL_TIME_WAIT_STORE);
        return;
    }
    actor->waits_on = who_brings(sim, object);
    if (actor->waits_on != SIM_NONE)
        actor->disk_before = sim_actor_disk_waited(&sim->actor[actor->waits_on], actor->clock);
    else
        actor->disk_from = sim_disk_ahead_since(sim, object);
    sim_actor_wait(sim, actor, ACTOR_OBJECT, PL_TIME_WAIT_PAGE);
}

/* --- steps --------------------------------------------------------------------------------- */

/* True when the actor may go on at once. */
static bool after_transfers(struct pl_sim *sim, struct actor *actor)
{
    if (actor->pending)
        sim_actor_wait(sim, actor, ACTOR_DISK, PL_TIME_WAIT_DISK);
    return !actor->pending && sim_goes_on(sim);
}

/* What left memory for it goes its way. A page that comes out of the store makes room there before another goes in. */
static bool leave(struct pl_sim *sim, struct actor *actor)
{
    const struct pl_fault *fault = &actor->fault;
    actor->step = STEP_BRING;
    sim->changes++;
    if (fault->kind == PL_FAULT_STORE) {
        if (sim->machine.exclusive)
            sim_store_remove(sim, fault->object);
        else
            actor->fault.keep_store_copy = true;
    }
    if (fault->replaced && fault->evicted.object == PL_NO_PAGE) /* otherwise it is charged where it settles */
        sim_charge(sim, actor, PL_TIME_FAULT, sim->machine.evict_cost);
    if (fault->evicted.object != PL_NO_PAGE && !sim_settle(sim, actor, &fault->evicted))
        return false;
    return after_transfers(sim, actor);
}

static void decompress(struct pl_sim *sim, struct actor *actor)
{
    sim->totals.store_hits++;
    sim->totals.decompressions++;
    sim_charge(sim, actor, PL_TIME_DECOMPRESS, actor->decompress_ps);
}

/* Under the accounting of 1996 every fault beyond the working set pays, whether it finds the page in the store or not. */
static void pay_1996(struct pl_sim *sim, struct actor *actor)
{
    if (sim->store && sim->machine.accounting == PL_CHARGE_1996) {
        sim->totals.decompressions++;
        sim_charge(sim, actor, PL_TIME_DECOMPRESS, sim->machine.decompress_cost);
    }
}

static bool bring(struct pl_sim *sim, struct actor *actor)
{
    const struct pl_machine *machine = &sim->machine;
    const struct pl_fault *fault = &actor->fault;
    actor->step = STEP_END;
    if (fault->zero_now)
        sim_charge(sim, actor, PL_TIME_ZERO, machine->zero_cost);
    switch (fault->kind) {
    case PL_FAULT_DEMAND_ZERO:
        sim_charge(sim, actor, PL_TIME_FAULT, machine->demand_zero_cost);
        break;
    case PL_FAULT_TRANSITION:
        sim_charge(sim, actor, PL_TIME_FAULT, machine->transition_cost);
        break;
    case PL_FAULT_STORE:
        sim_charge(sim, actor, PL_TIME_FAULT, machine->store_fault_cost);
        decompress(sim, actor);
        break;
    case PL_FAULT_HARD:
        sim_charge(sim, actor, PL_TIME_FAULT, machine->hard_fault_cost);
        pay_1996(sim, actor);
        if (sim_slot_is_packed(sim, fault->slot)) { /* as it left the store */
            sim->totals.decompressions++;
            sim_charge(sim, actor, PL_TIME_DECOMPRESS, machine->decompress_cost);
        }
        if (!sim_disk_read(sim, actor))
            return false;
        break;
    case PL_FAULT_COPY_ON_WRITE:
        sim_charge(sim, actor, PL_TIME_FAULT, machine->copy_cost);
        break;
    case PL_FAULT_GUARD:
        sim_charge(sim, actor, PL_TIME_FAULT, machine->guard_cost);
        break;
    case PL_FAULT_KINDS:
        assert(!"a fault of no kind");
    }
    return after_transfers(sim, actor);
}

/* The page was freed while it came in: the copy that was to stay in the store has nobody any more. */
static void drop_kept_copy(struct pl_sim *sim, const struct pl_fault *fault)
{
    if (fault->kind == PL_FAULT_STORE && fault->keep_store_copy && !pl_memory_page(sim->memory, fault->object).in_store)
        sim_store_remove(sim, fault->object);
}

/* True: the touch is done. False: it must be tried again. */
static bool end(struct pl_sim *sim, struct actor *actor, bool is_write)
{
    struct pl_fault *fault = &actor->fault;
    actor->step = STEP_NONE;
    sim->changes++;
    enum pl_touch_end how = pl_memory_fault_end(sim->memory, fault, is_write);
    sim->process[actor->process].cell.faults[fault->kind]++;
    if (how == PL_TOUCH_GONE)
        drop_kept_copy(sim, fault);
    if (fault->kind == PL_FAULT_COPY_ON_WRITE)
        sim_release_dead(sim); /* nobody may be left who shares the page that was copied */
    if (sim->live > 1)
        sim_wake_object(sim, fault->object, actor->clock);
    if (sim->machine.lists)
        sim_writer_look(sim, actor->clock);
    return how != PL_TOUCH_AGAIN;
}

static void begin(struct pl_sim *sim, struct actor *actor)
{
    const struct pl_fault *fault = &actor->fault;
    if (!fault->page_table)
        actor->fault_kind = fault->kind;
    if (fault->kind == PL_FAULT_STORE)
        actor->decompress_ps = sim_decompression_time(sim, fault->object);
}

bool sim_fault(struct pl_sim *sim, struct actor *actor, pl_page page, bool is_write)
{
    while (sim_goes_on(sim)) {
        pl_memory_fault(sim->memory, actor->process, page, is_write, &actor->fault);
        if (actor->fault.state != PL_FAULT_READY && actor->fault.evicted.object != PL_NO_PAGE &&
            !sim_settle(sim, actor, &actor->fault.evicted))
            return false;
        switch (actor->fault.state) {
        case PL_FAULT_INVALID:
            if (!sim_map_page(sim, actor, page))
                return false;
            continue;
        case PL_FAULT_COLLIDED:
            wait_for_object(sim, actor);
            return false;
        case PL_FAULT_NO_FRAME:
            if (!wait_for_memory(sim, actor))
                return false;
            continue;
        case PL_FAULT_READY:
            break;
        }
        begin(sim, actor);
        if (!leave(sim, actor) || !bring(sim, actor))
            return false;
        if (end(sim, actor, is_write))
            return true;
        /* The touch goes again, and may do so often: what was to happen before now comes first. Otherwise whoever would
         * free the frames that it waits for might never have a turn. It may also take its own page away each time, when
         * that is all it can take. */
        if (is_thrashing(sim, actor))
            return false;
        if (pl_event_queue_next_ps(&sim->queue) < actor->clock) {
            sim_actor_ready(sim, actor);
            return false;
        }
    }
    return false;
}

void sim_fault_continue(struct pl_sim *sim, struct actor *actor)
{
    bool is_write = actor->range.left ? actor->range.kind & 1u
                                      : actor->stream.kind && (actor->stream.kind[actor->stream.at] & 1u);
    if (actor->step == STEP_BRING && !bring(sim, actor))
        return;
    if (end(sim, actor, is_write))
        sim_actor_touched(sim, actor);
}

void sim_fault_abandon(struct pl_sim *sim, struct actor *actor, pl_time_ps now)
{
    if (actor->step != STEP_NONE && pl_memory_fault_end(sim->memory, &actor->fault, false) == PL_TOUCH_GONE)
        drop_kept_copy(sim, &actor->fault);
    sim_release_dead(sim);
    actor->step = STEP_NONE;
    sim->changes++;
    if (now > actor->wait_since)
        actor->disk_waited += now - actor->wait_since; /* of its last transfer */
    sim_wake_object(sim, actor->fault.object, now); /* other processes may share the page */
}
