/* curve/simulate_2q.c: 2Q, the full version, of Johnson and Shasha (VLDB 1994, section 3).
 *
 *   new page -> A1in (first in, first out) -> A1out (names of pages that have left) -> forgotten
 *                                               | touched again
 *                                               v
 *                                             Am (least recently used)
 *
 * A page proves itself by coming back after it has left A1in, so a scan passes through a quarter of the memory. A hit in
 * A1in changes nothing. With the paper's sizes: A1in may keep a quarter of the frames, A1out names half as many pages as
 * there are frames; each at least one. Cost: O(1) a touch, 9 bytes a frame and 9 a page. */
#include "curve/simulate_ops.h"
#include "curve/simulate_ring.h"

#include <assert.h>

struct two_queues {
    struct ring ring;  /* frames, in A1in or Am */
    struct ring names; /* pages, in A1out */
    uint8_t *proven;   /* by frame: in Am */
    uint8_t *named;    /* by page: in A1out */
    pl_page *page_in;  /* by frame */
    uint32_t a1in, am; /* ends */
    uint32_t in, in_max, named_count, named_max;
    size_t proving; /* the touch that a frame was emptied for, and whose page was named; plus one */
    struct simulate_run run;
};

static uint32_t at_least_one(uint32_t count)
{
    return count ? count : 1;
}

static void *two_queues_create(const struct simulate_run *run)
{
    struct two_queues *two = pl_arena_alloc(run->arena, 1, sizeof *two);
    if (!two || !ring_create(&two->ring, run->arena, (size_t)run->frames + 2) ||
        !ring_create(&two->names, run->arena, (size_t)run->page_limit + 1))
        return NULL;
    two->run = *run;
    two->a1in = run->frames;
    two->am = run->frames + 1;
    two->in_max = at_least_one(run->frames / 4);
    two->named_max = at_least_one(run->frames / 2);
    two->proven = pl_arena_alloc(run->arena, run->frames, 1);
    two->named = pl_arena_alloc(run->arena, run->page_limit, 1);
    two->page_in = pl_arena_alloc(run->arena, run->frames, sizeof *two->page_in);
    ring_clear(&two->ring, two->a1in);
    ring_clear(&two->ring, two->am);
    ring_clear(&two->names, run->page_limit);
    return two->proven && two->named && two->page_in ? two : NULL;
}

static void forget(struct two_queues *two, pl_page page)
{
    ring_take(&two->names, page);
    two->named[page] = 0;
    two->named_count--;
}

static void name(struct two_queues *two, pl_page page)
{
    if (two->named_count == two->named_max)
        forget(two, ring_oldest(&two->names, two->run.page_limit));
    ring_put(&two->names, two->run.page_limit, page);
    two->named[page] = 1;
    two->named_count++;
}

static void two_queues_loaded(void *self, uint32_t frame, size_t at)
{
    struct two_queues *two = self;
    pl_page page = two->run.pages[at];
    two->page_in[frame] = page;
    two->proven[frame] = two->proving == at + 1;
    ring_put(&two->ring, two->proven[frame] ? two->am : two->a1in, frame);
    two->in += !two->proven[frame];
}

static void two_queues_hit(void *self, uint32_t frame, size_t at)
{
    struct two_queues *two = self;
    if (!two->proven[frame])
        return;
    ring_take(&two->ring, frame);
    ring_put(&two->ring, two->am, frame);
}

/* The page is looked up in A1out before the frame is emptied, which may push its name out. */
static uint32_t two_queues_victim(void *self, size_t at)
{
    struct two_queues *two = self;
    pl_page page = two->run.pages[at];
    if (two->named[page]) {
        two->proving = at + 1;
        forget(two, page);
    }
    bool from_in = two->in > two->in_max || ring_oldest(&two->ring, two->am) == two->am;
    uint32_t frame = ring_oldest(&two->ring, from_in ? two->a1in : two->am);
    assert(frame < two->run.frames);
    ring_take(&two->ring, frame);
    if (from_in) {
        two->in--;
        name(two, two->page_in[frame]);
    }
    return frame;
}

const struct pl_simulated_ops pl_simulated_2q = {.name = "2q",
                                                 .create = two_queues_create,
                                                 .loaded = two_queues_loaded,
                                                 .hit = two_queues_hit,
                                                 .victim = two_queues_victim};
