/* sim/sim_sum.c: what was counted, by phase and process. */
#include "sim/engine.h"

#include <stdlib.h>

const char *const pl_component_names[PL_COMPONENTS] = {
    "run",      "sleep",      "fault",     "zero",        "compress", "decompress",
    "wait_cpu", "wait_store", "wait_page", "wait_disk",   "wait_memory", "idle"};
const char *const pl_component_labels[PL_COMPONENTS] = {
    "run",      "sleep",      "fault",     "zero",        "compress", "decompress",
    "wait cpu", "wait store", "wait page", "wait disk",   "wait memory", "idle"};

void pl_sim_cell_add(struct pl_sim_cell *into, const struct pl_sim_cell *from)
{
    into->touches += from->touches;
    into->writes += from->writes;
    into->collided += from->collided;
    for (int kind = 0; kind < PL_FAULT_KINDS; kind++)
        into->faults[kind] += from->faults[kind];
    for (int component = 0; component < PL_COMPONENTS; component++)
        into->time_ps[component] += from->time_ps[component];
}

/* --- the machine at one time ------------------------------------------------------------ */

static pl_time_ps on_processors(const struct pl_sim_cell *cell)
{
    return cell->time_ps[PL_TIME_RUN] + cell->time_ps[PL_TIME_FAULT] + cell->time_ps[PL_TIME_ZERO] +
           cell->time_ps[PL_TIME_COMPRESS] + cell->time_ps[PL_TIME_DECOMPRESS];
}

static struct pl_sim_cell sum_of_processes(const struct pl_sim *sim)
{
    struct pl_sim_cell sum = {0};
    for (size_t i = 0; i < sim->process_count; i++) {
        pl_sim_cell_add(&sum, &sim->process[i].all);
        pl_sim_cell_add(&sum, &sim->process[i].cell);
    }
    return sum;
}

static struct pl_sim_totals totals_now(struct pl_sim *sim, const struct pl_sim_cell *cell, pl_time_ps now)
{
    struct pl_sim_totals totals = sim->totals;
    if (sim->machine.lists) { /* without, each was counted as it was settled */
        totals.evicted_clean = pl_memory_counts(sim->memory)->evicted_clean;
        totals.evicted_dirty = pl_memory_counts(sim->memory)->evicted_dirty;
    }
    totals.cpu_busy_ps = on_processors(cell) + totals.worker_busy_ps + totals.zero_busy_ps + totals.manager_busy_ps;
    struct pl_device_stats disk;
    pl_device_stats(sim->disk, now, &disk);
    totals.disk_busy_ps += (pl_time_ps)(disk.utilisation * (double)disk.observed_ps);
    return totals;
}

struct pl_sim_sample sim_sum_sample(struct pl_sim *sim, pl_time_ps now)
{
    struct pl_sim_cell cell = sum_of_processes(sim);
    struct pl_sim_sample sample = {.time_ps = now, .totals = totals_now(sim, &cell, now), .touches = cell.touches};
    for (int kind = 0; kind < PL_FAULT_KINDS; kind++)
        sample.faults[kind] = cell.faults[kind];
    const struct pl_frames *frames = pl_memory_frames(sim->memory);
    for (int list = 0; list < PL_LISTS; list++)
        sample.list[list] = frames->count[list];
    sample.commit_pages = pl_memory_committed(sim->memory);
    if (sim->store) {
        struct pl_store_statistics store = pl_store_statistics(sim->store);
        sample.store_pages = store.pages;
        sample.store_bytes = store.limited_bytes;
    }
    if (sim->file) {
        struct pl_page_file_stats file;
        pl_page_file_stats(sim->file, &file);
        sample.file_pages = file.used;
    }
    return sample;
}

/* --- phases -------------------------------------------------------------------------------- */

static enum pl_err close_phase(struct pl_sim *sim, pl_time_ps now, struct pl_error *err)
{
    enum pl_err walked = sim->options.check && sim_goes_on(sim) ? sim_fail(sim, sim_check_walk(sim)) : PL_OK;
    if (walked)
        return walked;
    enum pl_err rc = pl_grow((void **)&sim->phase, &sim->phase_capacity, sim->phase_count + 1, sizeof *sim->phase,
                             "phases", err);
    if (rc)
        return rc;
    struct pl_sim_phase phase = {.name = sim->phase_name,
                                 .start_ps = sim->phase_start,
                                 .end_ps = now,
                                 .processes = (uint32_t)sim->process_count};
    phase.cell = calloc(sim->process_count + 1, sizeof *phase.cell);
    phase.so_far = calloc(sim->process_count + 1, sizeof *phase.so_far);
    phase.state = calloc(sim->process_count + 1, sizeof *phase.state);
    if (sim->store)
        phase.store = pl_store_statistics(sim->store);
    sim->phase[sim->phase_count++] = phase; /* from here on it is freed with the others */
    if (!phase.cell || !phase.so_far || !phase.state)
        return pl_fail_memory(err, (sim->process_count + 1) * sizeof *phase.cell, "a phase");
    if (sim->options.views && !(sim->phase[sim->phase_count - 1].view = sim_view_take(sim)))
        return pl_fail_memory(err, sizeof(struct pl_sim_view), "the views of a phase");
    struct pl_sim_cell sum = sum_of_processes(sim);
    sim->phase[sim->phase_count - 1].at_end = totals_now(sim, &sum, now);
    sim->phase[sim->phase_count - 1].sample = sim_sum_sample(sim, now);
    for (size_t i = 0; i < sim->process_count; i++) {
        struct process *process = &sim->process[i];
        phase.cell[i] = process->cell;
        pl_sim_cell_add(&process->all, &process->cell);
        phase.so_far[i] = process->all;
        phase.state[i] = *pl_memory_process(sim->memory, (pl_process)i);
        process->cell = (struct pl_sim_cell){0};
    }
    return PL_OK;
}

/* Nothing has happened since the phase began that would be worth a row. */
static bool is_empty_start(const struct pl_sim *sim, pl_time_ps now)
{
    return sim->phase_count == 0 && !*sim->phase_name && now == 0 && sum_of_processes(sim).touches == 0;
}

enum pl_err sim_sum_phase(struct pl_sim *sim, const char *name, pl_time_ps now, struct pl_error *err)
{
    enum pl_err rc = is_empty_start(sim, now) ? PL_OK : close_phase(sim, now, err);
    if (rc)
        return rc;
    sim->phase_start = now;
    sim->phase_name = pl_arena_strdup(sim->arena, name ? name : "");
    return sim->phase_name ? PL_OK : pl_fail_memory(err, 0, "a phase");
}

/* --- the end ----------------------------------------------------------------------------------- */

void sim_sum_name_lines(struct pl_sim *sim)
{
    struct pl_timeline *timeline = sim->options.timeline;
    for (size_t p = 0; p < sim->process_count; p++)
        if (sim->process[p].name)
            pl_timeline_name_process(timeline, sim->process[p].id, sim->process[p].name);
    pl_timeline_name_process(timeline, TIMELINE_MACHINE, "the machine");
    for (unsigned lane = 0; lane < TIMELINE_LANES && sim->lane_end[lane]; lane++)
        pl_timeline_name_thread(timeline, TIMELINE_MACHINE, TIMELINE_DISK + lane, "disk");
    for (uint32_t i = 0; i < sim->task_count; i++)
        pl_timeline_name_thread(timeline, TIMELINE_MACHINE, TIMELINE_TASK + i,
                                sim->task[i].kind == TASK_WORKER ? "store worker" : "zeroing thread");
}

enum pl_err sim_sum_finish(struct pl_sim *sim, pl_time_ps now, struct pl_error *err)
{
    struct pl_sim_result *result = &sim->result;
    enum pl_err rc = close_phase(sim, now, err);
    if (rc)
        return rc;
    sim->summary = calloc(sim->process_count + 1, sizeof *sim->summary);
    if (!sim->summary)
        return pl_fail_memory(err, sizeof *sim->summary, "the result");
    for (size_t i = 0; i < sim->process_count; i++)
        sim->summary[i] = (struct pl_sim_process){.id = sim->process[i].id,
                                                  .name = sim->process[i].name,
                                                  .all = sim->process[i].all,
                                                  .state = *pl_memory_process(sim->memory, (pl_process)i)};
    *result = (struct pl_sim_result){
        .elapsed_ps = now,
        .all = sum_of_processes(sim),
        .threads = (uint32_t)sim->actor_count,
        .process = sim->summary,
        .process_count = sim->process_count,
        .phase = sim->phase,
        .phase_count = sim->phase_count,
        .sample = sim->sample,
        .sample_count = sim->sample_count,
        .interval_ps = sim->interval_ps,
        .fault_latency = sim->latency,
        .has_store = sim->store,
        .end = sim_sum_sample(sim, now),
        .events = sim->events,
        .checks = sim->checks,
        .stopped = sim->stopped,
    };
    result->totals = result->end.totals;
    if (sim->store)
        result->store = pl_store_statistics(sim->store);
    return PL_OK;
}
