/* sim/sim_timer.c: list commands by the clock, as standby cleaners give them: every so often, if their conditions hold.
 *
 * Only with lists. The cleaner's own time is not modelled: it is a call into the kernel a minute or so. */
#include "sim/engine.h"

#include <stdlib.h>
#include <string.h>

/* The number behind `word` in "standby>262144 free<65536", or `otherwise`. */
static uint64_t condition(const char *text, const char *word, uint64_t otherwise)
{
    const char *at = text ? strstr(text, word) : NULL;
    return at ? strtoull(at + strlen(word), NULL, 10) : otherwise;
}

void sim_timer_set(struct pl_sim *sim, const struct pl_control *control, pl_time_ps now)
{
    if (!control->a) {
        sim->timer_stopped = sim->timer_count;
        return;
    }
    if (!sim->machine.lists || control->a > INT64_MAX / 2 ||
        sim_fail(sim, pl_grow((void **)&sim->timer, &sim->timer_capacity, sim->timer_count + 1, sizeof *sim->timer, "timers",
                              sim->err)))
        return;
    sim->timer[sim->timer_count] = (struct sim_timer){
        .period = (pl_time_ps)control->a,
        .command = control->flags,
        .standby_above = condition(control->text, "standby>", 0),
        .free_below = condition(control->text, "free<", UINT64_MAX),
        .available_below = condition(control->text, "available<", UINT64_MAX),
    };
    sim_push(sim, now + (pl_time_ps)control->a, EVENT_TIMER, (uint32_t)sim->timer_count++);
}

static bool holds(const struct pl_sim *sim, const struct sim_timer *timer)
{
    const struct pl_frames *frames = pl_memory_frames(sim->memory);
    const uint64_t standby = pl_frames_standby(frames);
    const uint64_t free = (uint64_t)frames->count[PL_LIST_FREE] + frames->count[PL_LIST_ZERO];
    return standby >= timer->standby_above && free < timer->free_below && free + standby < timer->available_below;
}

void sim_timer_event(struct pl_sim *sim, uint32_t index, pl_time_ps now)
{
    const struct sim_timer timer = sim->timer[index];
    if (index < sim->timer_stopped)
        return;
    if (holds(sim, &timer)) {
        sim->totals.timer_commands++;
        sim_list_command(sim, NULL, timer.command, now);
        sim_writer_look(sim, now);
        sim_wake_memory(sim, now);
    }
    sim_push(sim, now + timer.period, EVENT_TIMER, index);
}
