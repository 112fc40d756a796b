/* curve/simulate_fifo.c: the page that came first leaves first.
 *
 * Frames fill in order and are emptied in order, so the oldest page always lies where a hand points that steps on by
 * one at each eviction. Cost: O(1) a touch, nothing a frame. */
#include "curve/simulate_ops.h"

struct fifo {
    uint32_t hand, frames;
};

static void *fifo_create(const struct simulate_run *run)
{
    struct fifo *fifo = pl_arena_alloc(run->arena, 1, sizeof *fifo);
    if (fifo)
        fifo->frames = run->frames;
    return fifo;
}

static void fifo_ignore(void *self, uint32_t frame, size_t at)
{
}

static uint32_t fifo_victim(void *self, size_t at)
{
    struct fifo *fifo = self;
    uint32_t frame = fifo->hand;
    fifo->hand = frame + 1 == fifo->frames ? 0 : frame + 1;
    return frame;
}

const struct pl_simulated_ops pl_simulated_fifo = {
    .name = "fifo", .create = fifo_create, .loaded = fifo_ignore, .hit = fifo_ignore, .victim = fifo_victim};
