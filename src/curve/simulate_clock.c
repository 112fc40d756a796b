/* curve/simulate_clock.c: FIFO with a second chance.
 *
 * A hand goes round the frames. A frame whose reference bit is set loses the bit and is passed over; the first without
 * one is emptied, and the hand moves on. The bit is set when a page is loaded and at every hit. Cost: O(1) a touch on
 * average, one byte a frame. Does not model a bit that is cleared by the clock tick. */
#include "curve/simulate_ops.h"

struct clock_hand {
    uint8_t *referenced; /* by frame */
    uint32_t hand, frames;
};

static void *clock_create(const struct simulate_run *run)
{
    struct clock_hand *clock = pl_arena_alloc(run->arena, 1, sizeof *clock);
    if (!clock)
        return NULL;
    clock->frames = run->frames;
    clock->referenced = pl_arena_alloc(run->arena, run->frames, 1);
    return clock->referenced ? clock : NULL;
}

static void clock_touch(void *self, uint32_t frame, size_t at)
{
    ((struct clock_hand *)self)->referenced[frame] = 1;
}

static uint32_t clock_step(struct clock_hand *clock)
{
    uint32_t frame = clock->hand;
    clock->hand = frame + 1 == clock->frames ? 0 : frame + 1;
    return frame;
}

static uint32_t clock_victim(void *self, size_t at)
{
    struct clock_hand *clock = self;
    uint32_t frame = clock_step(clock);
    while (clock->referenced[frame]) {
        clock->referenced[frame] = 0;
        frame = clock_step(clock);
    }
    return frame;
}

const struct pl_simulated_ops pl_simulated_clock = {
    .name = "clock", .create = clock_create, .loaded = clock_touch, .hit = clock_touch, .victim = clock_victim};
