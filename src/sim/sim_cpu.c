/* sim/sim_cpu.c: processors: who may run, and who waits.
 *
 * Threads of the trace come first, background tasks run when no thread waits. A thread keeps its processor until it waits
 * for something, or until its quantum is over and another thread waits; a background task until its piece of work is
 * done. (src/device/cpu.h schedules work of known length; a thread here does not know how far it will get.)
 *
 * What this does not model: which processor, its caches (but for run.crowding, one share for all), and the cost of
 * switching; that background tasks crowd threads, or are crowded. */
#include "sim/engine.h"

#include <stdlib.h>

static bool put(struct pl_sim *sim, struct sim_run_queue *queue, uint32_t client)
{
    size_t before = queue->capacity;
    if (queue->count == before) {
        if (sim_fail(sim, pl_grow((void **)&queue->client, &queue->capacity, before + 16, sizeof *queue->client,
                                  "a run queue", sim->err)))
            return false;
        /* The part that had wrapped around moves behind what was the end; it fits, as the ring grew by more. */
        for (size_t i = 0; i < queue->head; i++)
            queue->client[(before + i) % queue->capacity] = queue->client[i];
    }
    queue->client[(queue->head + queue->count++) % queue->capacity] = client;
    return true;
}

static bool take(struct sim_run_queue *queue, uint32_t *client)
{
    if (!queue->count)
        return false;
    *client = queue->client[queue->head];
    queue->head = (queue->head + 1) % queue->capacity;
    queue->count--;
    return true;
}

bool sim_cpu_take(struct pl_sim *sim, uint32_t client, bool low)
{
    struct sim_cpus *cpus = &sim->cpus;
    if (!cpus->total)
        return true;
    if (cpus->busy < cpus->total) {
        cpus->busy++;
        return true;
    }
    put(sim, low ? &cpus->low : &cpus->normal, client);
    return false;
}

bool sim_cpu_wanted(const struct pl_sim *sim)
{
    return sim->cpus.normal.count > 0;
}

void sim_cpu_give(struct pl_sim *sim, pl_time_ps now)
{
    uint32_t client;
    if (!sim->cpus.total)
        return;
    while (take(&sim->cpus.normal, &client) || take(&sim->cpus.low, &client)) {
        if (client & SIM_TASK) {
            sim_task_granted(sim, client & ~SIM_TASK, now);
            return;
        }
        struct actor *actor = &sim->actor[client];
        if (actor->state != ACTOR_CPU)
            continue; /* gone meanwhile */
        actor->has_cpu = true;
        actor->cpu_since = now > actor->clock ? now : actor->clock;
        sim_actor_wake(sim, actor, now);
        return;
    }
    sim->cpus.busy--;
}

/* Threads that run share caches, memory and, as hyperthreads, a core: each further one slows all by the same share. */
pl_time_ps sim_crowded(const struct pl_sim *sim, pl_time_ps time)
{
    size_t running = 0;
    if (sim->machine.crowding <= 0 || sim->live - sim->idle < 2)
        return time;
    for (size_t i = 0; i < sim->actor_count; i++)
        running += sim->actor[i].state == ACTOR_READY && !sim->actor[i].slept;
    return running < 2 ? time : time + (pl_time_ps)((double)time * sim->machine.crowding * (double)(running - 1));
}

void sim_cpu_close(struct pl_sim *sim)
{
    free(sim->cpus.normal.client);
    free(sim->cpus.low.client);
}
