/* curve/simulate_lru.c: true least recently used order.
 *
 * Frames lie in a ring, the oldest first. Assumes every touch is seen. Cost: O(1) a touch, 8 bytes a frame. Does not model
 * the accessed bit or the period at which a real system samples it. */
#include "curve/simulate_ops.h"
#include "curve/simulate_ring.h"

struct lru {
    struct ring ring; /* frames */
    uint32_t end;
};

static void *lru_create(const struct simulate_run *run)
{
    struct lru *lru = pl_arena_alloc(run->arena, 1, sizeof *lru);
    if (!lru || !ring_create(&lru->ring, run->arena, (size_t)run->frames + 1))
        return NULL;
    lru->end = run->frames;
    ring_clear(&lru->ring, lru->end);
    return lru;
}

static void lru_loaded(void *self, uint32_t frame, size_t at)
{
    struct lru *lru = self;
    ring_put(&lru->ring, lru->end, frame);
}

static void lru_hit(void *self, uint32_t frame, size_t at)
{
    struct lru *lru = self;
    ring_take(&lru->ring, frame);
    ring_put(&lru->ring, lru->end, frame);
}

static uint32_t lru_victim(void *self, size_t at)
{
    struct lru *lru = self;
    uint32_t oldest = ring_oldest(&lru->ring, lru->end);
    ring_take(&lru->ring, oldest);
    return oldest;
}

const struct pl_simulated_ops pl_simulated_lru = {
    .name = "lru", .create = lru_create, .loaded = lru_loaded, .hit = lru_hit, .victim = lru_victim};
