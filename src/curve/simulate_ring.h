/* curve/simulate_ring.h: things in an order, doubly linked in a ring, by number.
 *
 *   end -> [7] <-> [2] <-> [9] <- end      oldest first; `end` is a number of its own, so several rings share the links
 */
#ifndef PL_CURVE_SIMULATE_RING_H
#define PL_CURVE_SIMULATE_RING_H

#include "base/base.h"

struct ring {
    uint32_t *older, *newer;
};

/* Links for things below `count`, ends among them. */
static inline bool ring_create(struct ring *ring, struct pl_arena *arena, size_t count)
{
    ring->older = pl_arena_alloc(arena, count, sizeof *ring->older);
    ring->newer = pl_arena_alloc(arena, count, sizeof *ring->newer);
    return ring->older && ring->newer;
}

static inline void ring_clear(struct ring *ring, uint32_t end)
{
    ring->older[end] = ring->newer[end] = end;
}

static inline uint32_t ring_oldest(const struct ring *ring, uint32_t end)
{
    return ring->newer[end];
}

static inline void ring_take(struct ring *ring, uint32_t thing)
{
    ring->newer[ring->older[thing]] = ring->newer[thing];
    ring->older[ring->newer[thing]] = ring->older[thing];
}

/* Puts it just before `end` (or before any other thing): it becomes the newest. */
static inline void ring_put(struct ring *ring, uint32_t end, uint32_t thing)
{
    uint32_t newest = ring->older[end];
    ring->older[thing] = newest;
    ring->newer[thing] = end;
    ring->newer[newest] = thing;
    ring->older[end] = thing;
}

#endif
