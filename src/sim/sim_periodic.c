/* sim/sim_periodic.c: what happens by the clock: the working-set manager, when zeroing threads look, the writer's age,
 * samples. */
#include "sim/engine.h"

void sim_periodic_start(struct pl_sim *sim)
{
    const struct pl_machine *machine = &sim->machine;
    if (machine->lists && machine->manager_period != INT64_MAX)
        sim_push(sim, machine->manager_period, EVENT_MANAGER, 0);
    if (machine->lists && machine->zero_threads)
        sim_push(sim, machine->zero_period, EVENT_ZERO, 0);
    if (machine->lists && machine->writer_age != INT64_MAX)
        sim_push(sim, machine->writer_age, EVENT_AGE, 0);
    if (machine->lists && machine->file_hold)
        sim_push(sim, machine->file_hold, EVENT_HOLD, 0);
    if (machine->lists && machine->combine_period != INT64_MAX)
        sim_push(sim, machine->combine_period, EVENT_COMBINE, 0);
    sim->interval_ps = sim->options.interval_ps;
    if (sim->interval_ps)
        sim_push(sim, sim->interval_ps, EVENT_SAMPLE, 0);
}

/* --- the working-set manager ----------------------------------------------------------------- */

static void run_manager(struct pl_sim *sim, pl_time_ps now)
{
    struct pl_tick tick = pl_memory_tick(sim->memory);
    pl_time_ps took = (pl_time_ps)tick.scanned * sim->machine.scan_cost;
    sim->totals.manager_runs++;
    sim->totals.manager_trimmed += tick.trimmed;
    sim->totals.manager_busy_ps += took;
    sim->changes++;
    sim_writer_look(sim, now);
    sim_wake_memory(sim, now);
    sim_push(sim, now + (took > sim->machine.manager_period ? took : sim->machine.manager_period), EVENT_MANAGER, 0);
}

/* --- samples ------------------------------------------------------------------------------------ */

/* More than anybody draws or reads: then every second one goes, and the next are twice as far apart. */
enum { SAMPLES_MOST = 1 << 17 };

static void thin_samples(struct pl_sim *sim)
{
    size_t kept = 0;
    for (size_t i = 1; i < sim->sample_count; i += 2)
        sim->sample[kept++] = sim->sample[i];
    sim->sample_count = kept;
    sim->interval_ps *= 2;
}

static void take_sample(struct pl_sim *sim, pl_time_ps now)
{
    if (sim_fail(sim, pl_grow((void **)&sim->sample, &sim->sample_capacity, sim->sample_count + 1, sizeof *sim->sample,
                              "samples", sim->err)))
        return;
    struct pl_sim_sample *sample = &sim->sample[sim->sample_count++];
    *sample = sim_sum_sample(sim, now);
    if (sim->options.timeline) {
        static const char *const series[] = {"zero", "free", "standby", "modified", "active", "store"};
        const struct pl_frames *frames = pl_memory_frames(sim->memory);
        uint64_t value[] = {frames->count[PL_LIST_ZERO],     frames->count[PL_LIST_FREE],
                            pl_frames_standby(frames),       frames->count[PL_LIST_MODIFIED],
                            frames->count[PL_LIST_ACTIVE],   sample->store_pages};
        pl_timeline_counters(sim->options.timeline, "pages", now, series, value, PL_COUNT_OF(series));
    }
    if (sim->sample_count == SAMPLES_MOST)
        thin_samples(sim);
    sim_push(sim, now + sim->interval_ps, EVENT_SAMPLE, 0);
}

void sim_periodic_event(struct pl_sim *sim, const struct pl_event *event)
{
    pl_time_ps now = event->time_ps;
    switch ((enum sim_event)event->kind) {
    case EVENT_MANAGER:
        run_manager(sim, now);
        break;
    case EVENT_ZERO:
        sim_zero_look(sim, now);
        sim_push(sim, now + sim->machine.zero_period, EVENT_ZERO, 0);
        break;
    case EVENT_AGE:
        sim->writer_all = true;
        sim_writer_look(sim, now);
        sim_push(sim, now + sim->machine.writer_age, EVENT_AGE, 0);
        break;
    case EVENT_HOLD:
        sim_release_held(sim);
        sim_writer_look(sim, now);
        sim_push(sim, now + sim->machine.file_hold, EVENT_HOLD, 0);
        break;
    case EVENT_COMBINE:
        sim_combine(sim, now);
        sim_writer_look(sim, now);
        sim_push(sim, now + sim->machine.combine_period, EVENT_COMBINE, 0);
        break;
    case EVENT_SAMPLE:
        take_sample(sim, now);
        break;
    default:
        break;
    }
}
