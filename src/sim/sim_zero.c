/* sim/sim_zero.c: zeroing threads, and the lock that they take pages under.
 *
 *   asleep --by the clock--> asks --> takes pages --> clears them --> asks again --> puts them back --+
 *      ^                      ^       under the lock  on its own                     under the lock   |
 *      +--- nothing is left --+-----------------------------------------------------------------------+
 *
 * Each arrow into "takes" and "puts back" waits for one lock, which all threads share (device/lock.h): a thread that
 * spins for it keeps its processor busy, one that sleeps gives it up. So what a page costs follows from the number of
 * threads and from what each takes at once; nothing here says how much of it is spinning.
 *
 * What this does not model: page lists by colour and memory node with locks of their own, other users of the lock
 * (faults, and whoever frees pages), the processor time of going to sleep and of waking up, pages of a batch going
 * back one by one, and that a thread which begins to zero slows down those which are at it (memory bandwidth is
 * shared out when a thread begins). A page that is being zeroed stays on the free list until it is put back; a fault
 * that finds nothing better takes it from there and zeroes it itself. */
#include "sim/engine.h"

/* --- the lock ------------------------------------------------------------------------------ */

/* Where everything about the lock takes no time, nobody can ever wait for it. */
static bool lock_takes_time(const struct pl_machine *machine)
{
    const struct pl_lock_params *lock = &machine->zero_lock;
    return machine->zero_lock_cost || machine->zero_link_cost || lock->acquire_ps || lock->hand_over_ps ||
           (lock->kind == PL_LOCK_SPIN && lock->per_spinner_ps);
}

enum pl_err sim_zero_open(struct pl_sim *sim, struct pl_error *err)
{
    const struct pl_machine *machine = &sim->machine;
    if (!machine->lists || !machine->zero_threads || !lock_takes_time(machine))
        return PL_OK;
    return pl_lock_create(&machine->zero_lock, "zero_lock", machine->seed, &sim->zero_lock, err);
}

void sim_zero_close(struct pl_sim *sim)
{
    pl_lock_destroy(sim->zero_lock);
}

/* Somebody is on his way to the lock: he gets it then, whatever happens meanwhile. */
static void await_lock(struct pl_sim *sim)
{
    if (pl_lock_next_ps(sim->zero_lock) != PL_LOCK_IDLE_PS)
        sim_push(sim, pl_lock_next_ps(sim->zero_lock), EVENT_LOCK, 0);
}

/* --- a thread's time -------------------------------------------------------------------------- */

/* What it has spent on a processor since it was last asked. */
static void account(struct pl_sim *sim, struct task *task, pl_time_ps now)
{
    sim->totals.zero_busy_ps += now - task->since;
    task->since = now;
}

static void ask_for_lock(struct pl_sim *sim, uint32_t index, pl_time_ps now)
{
    struct task *task = &sim->task[index];
    bool was_free = pl_lock_is_free(sim->zero_lock);
    if (sim_fail(sim, pl_lock_acquire(sim->zero_lock, now, index, sim->err)))
        return;
    task->asked = was_free ? PL_NEVER_PS : now;
    if (was_free)
        await_lock(sim);
    else if (sim->machine.zero_lock.kind == PL_LOCK_SLEEP)
        sim_cpu_give(sim, now);
}

void sim_zero_locked(struct pl_sim *sim, pl_time_ps now)
{
    uint32_t index = (uint32_t)pl_lock_complete(sim->zero_lock, now);
    struct task *task = &sim->task[index];
    bool waited = task->asked != PL_NEVER_PS;
    sim->totals.zero_acquisitions++;
    if (waited && sim->machine.zero_lock.kind == PL_LOCK_SLEEP) {
        task->since = now;
        if (!sim_cpu_take(sim, SIM_TASK | index, true))
            return; /* it holds the lock, and waits for a processor */
    } else if (waited) {
        sim->totals.zero_spin_ps += now - task->asked;
    }
    sim_zero_go_on(sim, index, now);
}

static void release_lock(struct pl_sim *sim, pl_time_ps now)
{
    if (!sim->zero_lock)
        return;
    pl_lock_release(sim->zero_lock, now);
    await_lock(sim);
}

/* --- how much, how long ------------------------------------------------------------------------- */

/* Free pages that no thread has taken; none when they are too few to begin with. */
static uint32_t pages_to_zero(const struct pl_sim *sim)
{
    uint32_t free = pl_memory_frames(sim->memory)->count[PL_LIST_FREE];
    uint32_t left = free > sim->zero_taken ? free - sim->zero_taken : 0;
    return left > sim->machine.zero_above ? left : 0;
}

static uint32_t share_of(const struct pl_machine *machine, uint32_t left)
{
    uint32_t batch = (uint32_t)machine->zero_batch;
    if (machine->zero_take == PL_ZERO_TAKES_HALF && left / 2 > batch)
        batch = left / 2;
    return batch < left ? batch : left;
}

static pl_time_ps holding_time(const struct pl_sim *sim, uint32_t pages)
{
    return sim->machine.zero_lock_cost + (pl_time_ps)pages * sim->machine.zero_link_cost;
}

/* All that zero at the same time share memory's bandwidth. */
static pl_time_ps clearing_time(const struct pl_sim *sim, uint32_t pages)
{
    const struct pl_machine *machine = &sim->machine;
    double alone = (double)machine->zero_cost, shared = 0;
    if (machine->zero_bandwidth > 0)
        shared = (double)machine->page_bytes * sim->zero_clearing / machine->zero_bandwidth * (double)PL_PS_PER_S;
    return (pl_time_ps)((shared > alone ? shared : alone) * pages);
}

/* --- a round ----------------------------------------------------------------------------------- */

static const pl_time_ps WAITS = -1; /* for a lock or a processor, or until it is woken */

/* The lock, or at once what comes after it where there is none. */
static pl_time_ps get_lock(struct pl_sim *sim, uint32_t index, pl_time_ps now)
{
    sim->task[index].step++;
    if (!sim->zero_lock)
        return 0;
    ask_for_lock(sim, index, now);
    return WAITS;
}

static pl_time_ps clear(struct pl_sim *sim, struct task *task, pl_time_ps now)
{
    release_lock(sim, now);
    if (task->pages) {
        task->step = ZERO_ASKS_AGAIN;
        sim->zero_clearing++;
        return clearing_time(sim, task->pages);
    }
    task->step = ZERO_ASKS;
    task->busy = false; /* nothing was left: it sleeps */
    sim_cpu_give(sim, now);
    return WAITS;
}

/* Others who want its processor come first; then it looks for more. */
static pl_time_ps end_round(struct pl_sim *sim, uint32_t index, pl_time_ps now)
{
    struct task *task = &sim->task[index];
    sim->zero_taken -= task->pages;
    sim->totals.zeroed_ahead += pl_memory_zero_frames(sim->memory, task->pages);
    task->pages = 0;
    task->step = ZERO_ASKS;
    sim->changes++;
    if (sim->options.timeline)
        pl_timeline_span(sim->options.timeline, TIMELINE_MACHINE, TIMELINE_TASK + index, "zero", task->began, now);
    release_lock(sim, now);
    sim_cpu_give(sim, now);
    return sim_cpu_take(sim, SIM_TASK | index, true) ? 0 : WAITS;
}

/* Does the step at hand, and returns how long it takes. */
static pl_time_ps do_step(struct pl_sim *sim, uint32_t index, pl_time_ps now)
{
    struct task *task = &sim->task[index];
    switch (task->step) {
    case ZERO_ASKS:
        task->began = now;
        return get_lock(sim, index, now);
    case ZERO_TAKES:
        task->pages = share_of(&sim->machine, pages_to_zero(sim));
        sim->zero_taken += task->pages;
        task->step = ZERO_CLEARS;
        return holding_time(sim, task->pages);
    case ZERO_CLEARS:
        return clear(sim, task, now);
    case ZERO_ASKS_AGAIN:
        sim->zero_clearing--;
        return get_lock(sim, index, now);
    case ZERO_PUTS_BACK:
        task->step = ZERO_ENDS;
        return holding_time(sim, task->pages);
    case ZERO_ENDS:
        break;
    }
    return end_round(sim, index, now);
}

void sim_zero_go_on(struct pl_sim *sim, uint32_t index, pl_time_ps now)
{
    pl_time_ps takes = 0;
    account(sim, &sim->task[index], now);
    while (takes == 0 && sim_goes_on(sim))
        takes = do_step(sim, index, now);
    if (takes > 0)
        sim_push(sim, now + takes, EVENT_TASK, index);
}

void sim_zero_look(struct pl_sim *sim, pl_time_ps now)
{
    for (uint32_t i = 0; i < sim->task_count && sim_goes_on(sim) && pages_to_zero(sim); i++) {
        struct task *task = &sim->task[i];
        if (task->kind != TASK_ZERO || task->busy)
            continue;
        task->busy = true;
        task->since = now;
        if (sim_cpu_take(sim, SIM_TASK | i, true))
            sim_zero_go_on(sim, i, now);
    }
}

bool sim_zero_adds_up(const struct pl_sim *sim)
{
    uint32_t taken = 0;
    for (size_t i = 0; i < sim->task_count; i++)
        if (sim->task[i].kind == TASK_ZERO)
            taken += sim->task[i].pages;
    return taken == sim->zero_taken;
}
