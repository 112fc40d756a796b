/* curve/simulate_opt.c: Belady's optimum (1966), which knows the future: the page used last from now on leaves.
 *
 * One pass backwards finds the next use of every touch. A heap orders the frames by the next use of their page, the
 * latest on top; of pages never used again the lowest frame goes. Cost: O(log frames) a touch, 8 bytes a touch and 16 a
 * frame. It has the fewest misses; it does not have the fewest write-backs. */
#include "curve/simulate_ops.h"

#include <assert.h>

#define NEVER UINT64_MAX

struct opt {
    uint64_t *next_use; /* by touch: the next touch of the same page */
    uint64_t *due;      /* by frame: the next use of the page in it */
    uint32_t *heap;     /* frames; the one to be emptied first at 0 */
    uint32_t *place;    /* by frame: where it stands in the heap */
    uint32_t size;
};

static bool find_next_uses(struct opt *opt, const struct simulate_run *run)
{
    struct pl_arena *scratch = pl_arena_create();
    uint64_t *seen = scratch ? pl_arena_alloc(scratch, run->page_limit, sizeof *seen) : NULL;
    opt->next_use = pl_arena_alloc(run->arena, run->count + 1, sizeof *opt->next_use);
    bool done = seen && opt->next_use;
    for (size_t i = run->count; done && i-- > 0;) {
        uint64_t *next = &seen[run->pages[i]]; /* plus one; 0: not used later */
        opt->next_use[i] = *next ? *next - 1 : NEVER;
        *next = i + 1;
    }
    pl_arena_destroy(scratch);
    return done;
}

static void *opt_create(const struct simulate_run *run)
{
    struct opt *opt = pl_arena_alloc(run->arena, 1, sizeof *opt);
    if (!opt || !find_next_uses(opt, run))
        return NULL;
    opt->due = pl_arena_alloc(run->arena, run->frames, sizeof *opt->due);
    opt->heap = pl_arena_alloc(run->arena, run->frames, sizeof *opt->heap);
    opt->place = pl_arena_alloc(run->arena, run->frames, sizeof *opt->place);
    return opt->due && opt->heap && opt->place ? opt : NULL;
}

/* Whether frame a is emptied before frame b. */
static bool before(const struct opt *opt, uint32_t a, uint32_t b)
{
    return opt->due[a] != opt->due[b] ? opt->due[a] > opt->due[b] : a < b;
}

static void put(struct opt *opt, uint32_t at, uint32_t frame)
{
    opt->heap[at] = frame;
    opt->place[frame] = at;
}

static void sift_up(struct opt *opt, uint32_t frame)
{
    uint32_t at = opt->place[frame];
    while (at > 0 && before(opt, frame, opt->heap[(at - 1) / 2])) {
        put(opt, at, opt->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(opt, at, frame);
}

static void sift_down(struct opt *opt, uint32_t frame)
{
    uint32_t at = opt->place[frame];
    for (uint32_t child = 2 * at + 1; child < opt->size; child = 2 * at + 1) {
        if (child + 1 < opt->size && before(opt, opt->heap[child + 1], opt->heap[child]))
            child++;
        if (!before(opt, opt->heap[child], frame))
            break;
        put(opt, at, opt->heap[child]);
        at = child;
    }
    put(opt, at, frame);
}

static void opt_loaded(void *self, uint32_t frame, size_t at)
{
    struct opt *opt = self;
    opt->due[frame] = opt->next_use[at];
    put(opt, opt->size, frame);
    opt->size++;
    sift_up(opt, frame);
}

/* The page's next use moves into the future, so its frame can only move towards the top. */
static void opt_hit(void *self, uint32_t frame, size_t at)
{
    struct opt *opt = self;
    assert(opt->due[frame] == at);
    opt->due[frame] = opt->next_use[at];
    sift_up(opt, frame);
}

static uint32_t opt_victim(void *self, size_t at)
{
    struct opt *opt = self;
    uint32_t victim = opt->heap[0];
    uint32_t moved = opt->heap[--opt->size];
    if (opt->size > 0) {
        put(opt, 0, moved);
        sift_down(opt, moved);
    }
    return victim;
}

const struct pl_simulated_ops pl_simulated_opt = {
    .name = "opt", .create = opt_create, .loaded = opt_loaded, .hit = opt_hit, .victim = opt_victim};
