/* sim/sim_control.c: control records: what happens between touches.
 *
 * Each is done by the actor in whose stream it stands, at that actor's time. */
#include "sim/engine.h"

/* --- address space ------------------------------------------------------------------- */

static uint64_t number_of(const struct pl_sim *sim, pl_page page)
{
    return sim->options.origin ? sim->options.origin(sim->options.origin_user, page).number : page;
}

static enum pl_mapping default_mapping(const struct pl_sim *sim)
{
    return sim->machine.first_touch == PL_FIRST_TOUCH_DISK ? PL_MAP_ON_DISK : PL_MAP_ZERO;
}

/* Commit that is refused is counted, and the run goes on as a program would whose allocation failed. */
static bool charged(struct pl_sim *sim, enum pl_err rc)
{
    if (rc == PL_ERR_CHECK) {
        sim->totals.commit_failures++;
        return false;
    }
    return !sim_fail(sim, rc);
}

bool sim_map_page(struct pl_sim *sim, struct actor *actor, pl_page page)
{
    enum pl_err rc = pl_memory_map(sim->memory, actor->process, page, 1, number_of(sim, page), default_mapping(sim), 0,
                                   sim->err);
    if (rc != PL_ERR_CHECK)
        return !sim_fail(sim, rc);
    /* A page that the trace touches without an allocation cannot fail politely: it is mapped uncharged. */
    sim->totals.commit_failures++;
    return !sim_fail(sim, pl_memory_map(sim->memory, actor->process, page, 1, number_of(sim, page),
                                        default_mapping(sim), PL_MAP_UNCHARGED | PL_MAP_NO_TABLE, sim->err));
}

static void map_section(struct pl_sim *sim, struct actor *actor, const struct pl_control *control)
{
    pl_section section;
    pl_page first = (pl_page)control->a;
    uint32_t count = (uint32_t)control->b;
    if (!charged(sim, pl_memory_add_section(sim->memory, PL_MAP_ZERO, count, &section, sim->err)))
        return;
    if (sim_fail(sim, pl_memory_map_view(sim->memory, actor->process, first, count, number_of(sim, first), section, 0,
                                         false, sim->err)) ||
        sim_fail(sim, pl_grow((void **)&sim->section, &sim->section_capacity, sim->section_count + 1,
                              sizeof *sim->section, "sections", sim->err)))
        return;
    sim->section[sim->section_count++] = (struct mapped_section){section, actor->process};
}

/* What nobody maps any more goes with the process that made it. */
static void free_sections(struct pl_sim *sim, pl_process process)
{
    size_t left = 0;
    for (size_t i = 0; i < sim->section_count; i++)
        if (sim->section[i].process == process)
            pl_memory_free_section(sim->memory, sim->section[i].section);
        else
            sim->section[left++] = sim->section[i];
    sim->section_count = left;
}

/* Pages that have had a content cannot become large ones. */
static bool are_untouched(const struct pl_sim *sim, pl_page first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (pl_memory_page(sim->memory, first + i).place != PL_PLACE_NONE)
            return false;
    return true;
}

/* Large, locked and prefaulted pages are provisioned at once, zeroed while the caller waits, and never paged. */
static void provision(struct pl_sim *sim, struct actor *actor, pl_page first, uint32_t count, bool large)
{
    uint32_t zeroed;
    sim->changes++;
    if (!are_untouched(sim, first, count) || !pl_memory_provision(sim->memory, first, count, large, &zeroed)) {
        sim->totals.commit_failures++;
        return;
    }
    sim_charge(sim, actor, PL_TIME_ZERO, (pl_time_ps)zeroed * sim->machine.zero_cost);
    sim_charge(sim, actor, PL_TIME_FAULT, sim->machine.demand_zero_cost);
}

/* Pages of a mapped file that must not be written before the file system says so. */
static void hold_files(struct pl_sim *sim, pl_page first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (pl_memory_page(sim->memory, first + i).mapped_file)
            pl_memory_hold_writes(sim->memory, first + i, true);
}

static void allocate(struct pl_sim *sim, struct actor *actor, const struct pl_control *control)
{
    pl_page first = (pl_page)control->a;
    uint32_t count = (uint32_t)control->b;
    if (!count || control->flags == PL_ALLOCATE_RESERVE)
        return;
    if (control->flags == PL_ALLOCATE_SECTION && sim->memory_params.sections) {
        map_section(sim, actor, control);
        return;
    }
    bool large = control->flags == PL_ALLOCATE_LARGE;
    unsigned flags = large ? PL_MAP_NO_TABLE : control->flags == PL_ALLOCATE_GUARD ? PL_MAP_GUARD : 0;
    enum pl_mapping mapping = control->flags == PL_ALLOCATE_FILE ? PL_MAP_FILE : large ? PL_MAP_ZERO : default_mapping(sim);
    if (charged(sim, pl_memory_map(sim->memory, actor->process, first, count, number_of(sim, first), mapping,
                                   flags, sim->err)) &&
        (large || control->flags == PL_ALLOCATE_PREFAULT))
        provision(sim, actor, first, count, large);
    if (mapping == PL_MAP_FILE && sim->machine.lists && sim->machine.file_hold)
        hold_files(sim, first, count);
}

void sim_release(struct pl_sim *sim, const struct pl_released *released)
{
    sim->changes++;
    if (released->in_store && sim->store)
        sim_store_remove(sim, released->object);
    sim_slot_free(sim, released->slot);
}

void sim_release_dead(struct pl_sim *sim)
{
    struct pl_released released;
    while (pl_memory_next_released(sim->memory, &released))
        sim_release(sim, &released);
}

static void free_pages(struct pl_sim *sim, const struct pl_control *control)
{
    struct pl_released released;
    for (uint64_t page = control->a; page < control->a + control->b; page++)
        if (pl_memory_free(sim->memory, (pl_page)page, &released))
            sim_release(sim, &released);
    sim_release_dead(sim);
    sim->changes++;
}

/* --- working sets and lists --------------------------------------------------------------- */

/* Without lists each page goes its way in the trim itself. */
static bool evict_all(struct pl_sim *sim, struct actor *actor, pl_process process)
{
    struct pl_evicted evicted;
    while (sim_goes_on(sim) && pl_memory_evict(sim->memory, process, &evicted))
        if (!sim_settle(sim, actor, &evicted))
            return false;
    return sim_goes_on(sim);
}

static void empty_working_set(struct pl_sim *sim, struct actor *actor, pl_process process)
{
    sim->changes++;
    if (sim->machine.lists)
        pl_memory_empty_working_set(sim->memory, process);
    else if (process != PL_NO_PROCESS || sim->machine.scope)
        evict_all(sim, actor, process);
    else
        for (pl_process p = 0; p < sim->process_count; p++)
            if (!evict_all(sim, actor, p))
                return;
}

static void trim(struct pl_sim *sim, struct actor *actor, const struct pl_control *control)
{
    pl_process process = actor->process;
    if (control->a == UINT64_MAX)
        process = PL_NO_PROCESS;
    else if (control->a) {
        const struct process *named = sim_find_process(sim, control->a);
        if (!named)
            return;
        process = named->memory_id;
    }
    empty_working_set(sim, actor, process);
}

enum { LIST_EMPTY_STANDBY, LIST_EMPTY_MODIFIED, LIST_EMPTY_WORKING_SETS, LIST_EMPTY_LOW_STANDBY, LIST_COMBINE };

void sim_list_command(struct pl_sim *sim, struct actor *actor, unsigned command, pl_time_ps now)
{
    sim->changes++;
    switch (command) {
    case LIST_EMPTY_STANDBY:
        pl_memory_purge_standby(sim->memory, PL_PRIORITIES - 1);
        break;
    case LIST_EMPTY_MODIFIED:
        sim->writer_all = true;
        break;
    case LIST_EMPTY_WORKING_SETS:
        empty_working_set(sim, actor, PL_NO_PROCESS);
        break;
    case LIST_EMPTY_LOW_STANDBY:
        pl_memory_purge_standby(sim->memory, 0);
        break;
    case LIST_COMBINE:
        sim_combine(sim, now);
        break;
    default:
        break;
    }
}

/* --- processes ------------------------------------------------------------------------------- */

static void leave_run(struct pl_sim *sim, struct actor *actor, struct actor *present)
{
    sim->queued -= pl_stream_left(&actor->stream);
    actor->stream.at = actor->stream.count;
    actor->stream.control_at = actor->stream.control_count;
    actor->range.left = 0;
    sim->idle -= actor->state == ACTOR_IDLE;
    sim->memory_waiters -= actor->state == ACTOR_MEMORY;
    sim->live--;
    bool waits = actor->state != ACTOR_IDLE && actor->state != ACTOR_READY;
    if (!waits && actor->clock < present->clock)
        sim_charge(sim, actor, PL_TIME_IDLE, present->clock - actor->clock);
    else
        sim_actor_charge_wait(sim, actor, present->clock);
    actor->wait_since = actor->clock; /* what is left of a transfer is waited for by others alone */
    actor->state = ACTOR_GONE;
    if (actor->has_cpu) {
        actor->has_cpu = false;
        sim_cpu_give(sim, present->clock);
    }
    if (actor->step != STEP_NONE && !actor->pending)
        sim_fault_abandon(sim, actor, present->clock);
}

static void exit_process(struct pl_sim *sim, struct actor *present, const struct pl_control *control)
{
    struct process *process = sim_find_process(sim, control->a);
    if (!process)
        return;
    struct pl_released released;
    while (pl_memory_exit(sim->memory, process->memory_id, &released))
        sim_release(sim, &released);
    free_sections(sim, process->memory_id);
    sim_release_dead(sim);
    process->exited = true;
    sim->changes++;
    for (size_t i = 0; i < sim->actor_count; i++) {
        struct actor *actor = &sim->actor[i];
        if (actor->process == process->memory_id && actor->state != ACTOR_GONE)
            leave_run(sim, actor, present);
    }
    if (sim->machine.lists) {
        sim_writer_look(sim, present->clock);
        sim_wake_memory(sim, present->clock);
    }
}

static void start_process(struct pl_sim *sim, const struct pl_control *control)
{
    struct process *process = sim_process(sim, control->a);
    if (process && control->text && !process->name)
        process->name = pl_arena_strdup(sim->arena, control->text);
}

/* --- time --------------------------------------------------------------------------------------- */

/* True when the sleep is over. */
static bool sleep_for(struct pl_sim *sim, struct actor *actor, pl_time_ps time)
{
    if (actor->slept || time <= 0) {
        actor->slept = false;
        return true;
    }
    actor->slept = true;
    sim_actor_wait(sim, actor, ACTOR_READY, PL_TIME_SLEEP);
    sim_charge(sim, actor, PL_TIME_SLEEP, time);
    if (sim->options.timeline)
        pl_timeline_span(sim->options.timeline, sim->process[actor->process].id, actor->thread_id, "sleep",
                         actor->wait_since, actor->clock);
    sim_actor_ready(sim, actor);
    return false;
}

/* --- ranges ---------------------------------------------------------------------------------------- */

static void begin_range(struct pl_sim *sim, struct actor *actor, const struct pl_control *control)
{
    actor->range = (struct actor_range){
        .left = control->b,
        .page = (pl_page)control->a,
        .step = control->c,
        .kind = control->kind,
        .fresh = true,
        .pass = {control->a, control->b, control->c, control->kind, 0, sim->changes}};
}

static void read_ahead(struct pl_sim *sim, struct actor *actor, const struct pl_control *control)
{
    for (uint64_t page = control->a; page < control->a + control->b && sim_goes_on(sim); page++)
        if (!sim_prefetch(sim, actor, (pl_page)page))
            return;
}

/* From here on each touch of this actor stands for so many accesses to its page. */
static void set_accesses(struct pl_sim *sim, struct actor *actor, uint64_t accesses)
{
    enum { MOST = 1 << 30 }; /* bytes of the largest page there is; keeps sums of times far from overflow */
    uint64_t further = accesses > MOST ? MOST : accesses > 1 ? accesses - 1 : 0;
    actor->further_ps = (pl_time_ps)further * sim->machine.access_cost;
    actor->far_ps = further ? sim->machine.far_page_cost : 0;
    actor->last_page = PL_NO_PAGE;
}

bool sim_control(struct pl_sim *sim, struct actor *actor)
{
    const struct pl_control *control = &actor->stream.control[actor->stream.control_at];
    if (control->op == PL_OP_SLEEP && !sleep_for(sim, actor, (pl_time_ps)control->a))
        return false;
    actor->stream.control_at++;
    switch ((enum pl_op)control->op) {
    case PL_OP_RANGE:
        begin_range(sim, actor, control);
        break;
    case PL_OP_COMPUTE:
        sim_charge(sim, actor, PL_TIME_RUN, (pl_time_ps)control->a);
        break;
    case PL_OP_LOST:
        sim->totals.lost_records += control->a;
        break;
    case PL_OP_START:
        start_process(sim, control);
        break;
    case PL_OP_EXIT:
        exit_process(sim, actor, control);
        break;
    case PL_OP_ALLOCATE:
        allocate(sim, actor, control);
        break;
    case PL_OP_FREE:
        free_pages(sim, control);
        break;
    case PL_OP_LOCK:
        if (control->b)
            provision(sim, actor, (pl_page)control->a, (uint32_t)control->b, false);
        break;
    case PL_OP_TRIM:
    case PL_OP_MINIMISE:
        trim(sim, actor, control);
        break;
    case PL_OP_CONTENT:
        sim_content(sim, control);
        break;
    case PL_OP_LIST:
        sim_list_command(sim, actor, control->flags, actor->clock);
        break;
    case PL_OP_TIMER:
        sim_timer_set(sim, control, actor->clock);
        break;
    case PL_OP_PREFETCH:
        read_ahead(sim, actor, control);
        break;
    case PL_OP_ACCESSES:
        set_accesses(sim, actor, control->a);
        break;
    case PL_OP_SWITCH: /* these two are for the whole trace, and do not come here; a sleep is over */
    case PL_OP_PHASE:
    case PL_OP_SLEEP:
        break;
    }
    if (sim->machine.lists)
        sim_writer_look(sim, actor->clock);
    return actor->state != ACTOR_GONE && sim_goes_on(sim);
}
