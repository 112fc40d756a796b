/* sim/sim_view.c: what tools that look at memory would show at one time. */
#include "sim/engine.h"

#include <stdlib.h>

struct pl_sim_view *sim_view_take(const struct pl_sim *sim)
{
    struct pl_sim_view *view = calloc(1, sizeof *view);
    if (!view)
        return NULL;
    view->region = calloc(sim->process_count + 1, sizeof *view->region);
    if (!view->region) {
        free(view);
        return NULL;
    }
    view->store_frames = sim_store_need(sim);
    pl_memory_frame_use(sim->memory, &view->use);
    for (int priority = 0; priority < PL_PRIORITIES; priority++)
        view->repurposed[priority] = pl_memory_counts(sim->memory)->repurposed[priority];
    for (size_t i = 0; i < sim->process_count; i++)
        pl_memory_region_use(sim->memory, sim->process[i].memory_id, view->region[i]);
    return view;
}

void sim_view_free(struct pl_sim_view *view)
{
    if (view)
        free(view->region);
    free(view);
}
