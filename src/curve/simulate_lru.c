/* curve/simulate_lru.c: true least recently used order.
 *
 *        oldest                            newest
 *   end -> [frame 7] <-> [frame 2] <-> [frame 9] <- end      a ring; `end` is entry number `frames`
 *
 * Assumes every touch is seen. Cost: O(1) a touch, 8 bytes a frame. Does not model the accessed bit or the period at
 * which a real system samples it. */
#include "curve/simulate_ops.h"

struct lru {
    uint32_t *older, *newer; /* by frame, and one entry more for the end of the list */
    uint32_t end;
};

static void *lru_create(const struct simulate_run *run)
{
    struct lru *lru = pl_arena_alloc(run->arena, 1, sizeof *lru);
    if (!lru)
        return NULL;
    lru->end = run->frames;
    lru->older = pl_arena_alloc(run->arena, (size_t)run->frames + 1, sizeof *lru->older);
    lru->newer = pl_arena_alloc(run->arena, (size_t)run->frames + 1, sizeof *lru->newer);
    if (!lru->older || !lru->newer)
        return NULL;
    lru->older[lru->end] = lru->newer[lru->end] = lru->end;
    return lru;
}

static void unlink_frame(struct lru *lru, uint32_t frame)
{
    lru->newer[lru->older[frame]] = lru->newer[frame];
    lru->older[lru->newer[frame]] = lru->older[frame];
}

static void make_newest(struct lru *lru, uint32_t frame)
{
    uint32_t newest = lru->older[lru->end];
    lru->older[frame] = newest;
    lru->newer[frame] = lru->end;
    lru->newer[newest] = frame;
    lru->older[lru->end] = frame;
}

static void lru_loaded(void *self, uint32_t frame, size_t at)
{
    make_newest(self, frame);
}

static void lru_hit(void *self, uint32_t frame, size_t at)
{
    unlink_frame(self, frame);
    make_newest(self, frame);
}

static uint32_t lru_victim(void *self)
{
    struct lru *lru = self;
    uint32_t oldest = lru->newer[lru->end];
    unlink_frame(lru, oldest);
    return oldest;
}

const struct pl_simulated_ops pl_simulated_lru = {
    .name = "lru", .create = lru_create, .loaded = lru_loaded, .hit = lru_hit, .victim = lru_victim};
