/* curve/simulate.c: runs one policy at one size over a trace in memory.
 *
 * For every touch: a hit tells the policy; a miss takes the next empty frame or the policy's victim, writes the victim
 * back when it is dirty, and loads the page. What "dirty" and "read" mean follows the rule (curve.h).
 *
 * Not modelled: write-back ahead of eviction, prefetching, more than one process. */
#include "curve/simulate_ops.h"

#include <assert.h>

const char *const pl_simulated_names[] = {"lru", "fifo", "clock", "opt", "2q", "clockpro", NULL};

static const struct pl_simulated_ops *const policies[] = {
    [PL_SIMULATED_LRU] = &pl_simulated_lru,
    [PL_SIMULATED_FIFO] = &pl_simulated_fifo,
    [PL_SIMULATED_CLOCK] = &pl_simulated_clock,
    [PL_SIMULATED_OPT] = &pl_simulated_opt,
    [PL_SIMULATED_2Q] = &pl_simulated_2q,
    [PL_SIMULATED_CLOCKPRO] = &pl_simulated_clockpro,
};

/* Where pages are, and in what state. Frame numbers are stored plus one, so that zero says "not in memory". */
struct memory {
    uint32_t *frame_of; /* by page */
    uint8_t *seen;      /* by page: touched before */
    pl_page *page_in;   /* by frame */
    uint8_t *dirty;     /* by frame */
    uint32_t frames, used;
};

static pl_page page_limit(const pl_page *pages, size_t count)
{
    pl_page largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = pages[i] > largest ? pages[i] : largest;
    return largest == PL_NO_PAGE ? largest : largest + 1;
}

static bool memory_create(struct memory *memory, const struct simulate_run *run)
{
    memory->frames = run->frames;
    memory->used = 0;
    memory->frame_of = pl_arena_alloc(run->arena, run->page_limit, sizeof *memory->frame_of);
    memory->seen = pl_arena_alloc(run->arena, run->page_limit, sizeof *memory->seen);
    memory->page_in = pl_arena_alloc(run->arena, run->frames, sizeof *memory->page_in);
    memory->dirty = pl_arena_alloc(run->arena, run->frames, sizeof *memory->dirty);
    return memory->frame_of && memory->seen && memory->page_in && memory->dirty;
}

/* Empties a frame for a new page, counting what that costs. */
static uint32_t take_frame(struct memory *memory, const struct pl_simulated_ops *ops, void *policy, size_t at,
                           struct pl_simulation *result)
{
    if (memory->used < memory->frames)
        return memory->used++;
    uint32_t frame = ops->victim(policy, at);
    assert(frame < memory->frames && memory->frame_of[memory->page_in[frame]] == frame + 1);
    memory->frame_of[memory->page_in[frame]] = 0;
    if (memory->dirty[frame])
        result->writes++;
    else
        result->clean_evictions++;
    return frame;
}

/* A miss at touch `at`. Returns the frame that the page now lies in. */
static uint32_t load(struct memory *memory, const struct pl_simulated_ops *ops, void *policy, enum pl_rule rule,
                     pl_page page, size_t at, struct pl_simulation *result)
{
    uint32_t frame = take_frame(memory, ops, policy, at, result);
    bool first = !memory->seen[page];
    bool demand_zero = first && rule == PL_RULE_DEMAND_ZERO;
    result->cold += first;
    result->reads += !demand_zero;
    memory->seen[page] = 1;
    memory->frame_of[page] = frame + 1;
    memory->page_in[frame] = page;
    memory->dirty[frame] = demand_zero;
    return frame;
}

static void run_trace(const struct simulate_run *run, struct memory *memory, const struct pl_simulated_ops *ops, void *policy,
                      enum pl_rule rule, const uint8_t *kinds, struct pl_simulation *result)
{
    for (size_t i = 0; i < run->count; i++) {
        uint32_t frame = memory->frame_of[run->pages[i]];
        if (frame) {
            frame--;
            result->hits++;
            ops->hit(policy, frame, i);
        } else {
            frame = load(memory, ops, policy, rule, run->pages[i], i, result);
            ops->loaded(policy, frame, i);
        }
        if (kinds && kinds[i] == 1)
            memory->dirty[frame] = 1;
    }
}

enum pl_err pl_simulate(enum pl_simulated policy, enum pl_rule rule, uint32_t frames, const pl_page *pages,
                          const uint8_t *kinds, size_t count, struct pl_simulation *out, struct pl_error *err)
{
    assert(frames > 0);
    struct pl_simulation result = {.touches = count};
    struct simulate_run run = {.pages = pages, .count = count, .page_limit = page_limit(pages, count)};
    run.frames = frames < run.page_limit ? frames : run.page_limit;
    run.arena = pl_arena_create();
    enum pl_err rc = PL_OK;
    struct memory memory;
    void *self = NULL;
    if (run.arena && memory_create(&memory, &run))
        self = policies[policy]->create(&run);
    if (self)
        run_trace(&run, &memory, policies[policy], self, rule, kinds, &result);
    else
        rc = pl_fail_memory(err, (size_t)run.page_limit * 5 + (size_t)run.frames * 16, "simulating a policy");
    pl_arena_destroy(run.arena);
    if (rc == PL_OK)
        *out = result;
    return rc;
}
