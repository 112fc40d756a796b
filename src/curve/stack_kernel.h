/* curve/stack_kernel.h: the loops over touches. Included by stack_avx2.c and stack_portable.c, each of which compiles it
 * for its machine; the vectors are the compiler's own and work on any machine, so both give the same result.
 *
 * Touches are handled in batches of up to 64, one word of slots, in one of two ways:
 *
 * wide   (the next touch of a page is usually far away) as short loops without dependences between turns, so that cache
 *        misses overlap: 1 swap last[], prefetched a batch ago, and prefetch the lines; 2 count live slots in the
 *        structure as it stood before the batch; 3 correct for kills inside the batch by comparing all pairs in vector
 *        registers; 4 kill; then the reaches, and a batch later, when they have come near, the counters.
 * local  (most touches return within the batch) the word of slots lies in a register: a distance is one shift and one
 *        population count, a kill one bit, and what the batch killed reaches the structure once, at its end.
 *
 * The way is chosen every few thousand touches by how many came back within a batch; the result is the same. */
#include "curve/stack.h"

#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef int16_t shorts __attribute__((vector_size(32), may_alias));
typedef int32_t ints __attribute__((vector_size(32), may_alias));
typedef ints loose_ints __attribute__((aligned(4)));
enum { NO_SLOT = INT32_MAX }; /* behind every slot: killing it changes no distance */

/* --- counting and killing slots ------------------------------------------------------------------------------------- */

/* How many live slots lie before `slot`. `small`: there is one node. */
ALWAYS_INLINE uint32_t count_before(const struct slots *slots, uint32_t slot, bool small)
{
    uint32_t line = slot >> 9;
    unsigned word = slot >> 6 & 7;
    const uint64_t *words = slots->line + (size_t)line * LINE_WORDS;
    uint64_t in_word = words[word] & ~(~UINT64_C(0) << (slot & 63));
    uint32_t before = (uint32_t)(words[0] >> (9 * word - 9)) & 511;
    before += (uint32_t)__builtin_popcountll(in_word) + slots->line_before[line];
    if (!small)
        before += slots->node_before[line / NODE_LINES] + slots->top[line / GROUP_LINES];
    return before;
}

/* Takes `kills` from the counts of all lines behind `line`. Groups behind learn it from spread_kills. */
ALWAYS_INLINE void lower_behind(struct slots *slots, uint32_t line, uint32_t kills, bool small)
{
    const shorts lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    shorts *lines = (shorts *)(slots->line_before + line / NODE_LINES * NODE_LINES);
    shorts at = (shorts){} + (int16_t)(line % NODE_LINES), by = (shorts){} + (int16_t)kills;
    lines[0] -= (lanes > at) & by;
    lines[1] -= (lanes + 16 > at) & by;
    if (small)
        return;
    const ints few = {0, 1, 2, 3, 4, 5, 6, 7};
    uint32_t node = line / NODE_LINES;
    ints *nodes = (ints *)(slots->node_before + node / GROUP_NODES * GROUP_NODES);
    ints node_at = (ints){} + (int32_t)(node % GROUP_NODES), node_by = (ints){} + (int32_t)kills;
    nodes[0] -= (few > node_at) & node_by;
    nodes[1] -= (few + 8 > node_at) & node_by;
    slots->killed[node / GROUP_NODES] += kills;
}

ALWAYS_INLINE void spread_kills(struct slots *slots, bool small)
{
    uint32_t before = 0;
    for (uint32_t i = 0; !small && i < slots->groups; i++) {
        slots->top[i] -= before;
        before += slots->killed[i];
        slots->killed[i] = 0;
    }
}

/* Kills live slots of one word: `mask` has them, `kills` is their number. */
ALWAYS_INLINE void kill_slots(struct slots *slots, uint32_t slot, uint64_t mask, uint32_t kills, bool small)
{
    /* A one in each field; shifted, only the words behind are left. What falls onto bit 63 belongs to no field. */
    const uint64_t ones = UINT64_C(0x0040201008040201);
    unsigned word = slot >> 6 & 7;
    uint64_t *words = slots->line + (size_t)(slot >> 9) * LINE_WORDS;
    words[0] -= (ones << (9 * word)) * kills;
    words[word] &= ~mask;
    lower_behind(slots, slot >> 9, kills, small);
}

/* --- one batch, the wide way ---------------------------------------------------------------------------------------- */

/* 1: former slots of the pages, NO_SLOT for a first touch. `ahead` is the batch to come. Returns how many touches came
 * back within the batch. */
ALWAYS_INLINE uint32_t swap_last(struct stack *stack, const pl_page *pages, const pl_page *ahead, uint32_t touches,
                                 uint32_t *slot, unsigned stride)
{
    uint32_t *last = stack->pages.last;
    uint32_t now = stack->slots.now, near = 0;
    for (uint32_t i = 0; i < touches; i++) {
        __builtin_prefetch(&last[(size_t)ahead[i] * stride], 1);
        uint32_t *at = &last[(size_t)pages[i] * stride];
        uint32_t former = *at;
        *at = now + i;
        near += former - now < BATCH;
        __builtin_prefetch(stack->slots.line + (size_t)(former >> 9) * LINE_WORDS, 1);
        slot[i] = former ? former : (uint32_t)NO_SLOT;
    }
    return near;
}

/* 2: distances, wrong only by the kills inside the batch. 0 for first touches. */
ALWAYS_INLINE void count_live(struct stack *stack, uint32_t touches, const uint32_t *slot, uint32_t *distance, bool small)
{
    for (uint32_t i = 0; i < touches; i++) {
        if (__builtin_expect(slot[i] == NO_SLOT, 0)) {
            stack->live++;
            distance[i] = 0;
        } else {
            distance[i] = stack->live - count_before(&stack->slots, slot[i], small);
        }
    }
}

/* 3: touch j killed slot[j], which count_live of a later touch i has counted as live before slot[i]: one live slot fewer
 * before it is one more behind. */
ALWAYS_INLINE void correct_pairs(const uint32_t *slot, uint32_t *distance)
{
    const ints lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    const loose_ints *slots = (const loose_ints *)slot;
    loose_ints *sums = (loose_ints *)distance;
    for (int block = 0; block < BATCH / 8; block++) {
        ints mine = slots[block], sum = sums[block];
        for (int j = 0; j < 8 * block; j++)
            sum -= mine > (int32_t)slot[j];
        for (int j = 0; j < 7; j++)
            sum -= (lanes > j) & (mine > (int32_t)slot[8 * block + j]);
        sums[block] = sum;
    }
}

/* 4 */
ALWAYS_INLINE void kill_batch(struct stack *stack, uint32_t touches, const uint32_t *slot, uint32_t *distance, bool small)
{
    for (uint32_t i = 0; i < touches; i++) {
        __builtin_prefetch(&stack->reads.low[distance[i]], 1);
        if (__builtin_expect(slot[i] != NO_SLOT, 1))
            kill_slots(&stack->slots, slot[i], UINT64_C(1) << (slot[i] & 63), 1, small);
        else
            distance[i] = 0; /* correct_pairs took it for a touch */
    }
    spread_kills(&stack->slots, small);
}

ALWAYS_INLINE uint32_t wide_distances(struct stack *stack, const pl_page *pages, const pl_page *ahead, uint32_t touches,
                                      uint32_t *distance, unsigned stride, bool small)
{
    uint32_t slot[BATCH] __attribute__((aligned(32)));
    uint32_t near = swap_last(stack, pages, ahead, touches, slot, stride);
    for (uint32_t i = touches; i < BATCH; i++)
        slot[i] = NO_SLOT;
    count_live(stack, touches, slot, distance, small);
    correct_pairs(slot, distance);
    kill_batch(stack, touches, slot, distance, small);
    return near;
}

/* --- one batch, the local way --------------------------------------------------------------------------------------- */

ALWAYS_INLINE uint32_t far_distance(struct stack *stack, uint32_t former, bool small)
{
    if (!former) {
        stack->live++;
        return 0;
    }
    uint32_t distance = stack->live - count_before(&stack->slots, former, small);
    kill_slots(&stack->slots, former, UINT64_C(1) << (former & 63), 1, small);
    spread_kills(&stack->slots, small);
    return distance;
}

ALWAYS_INLINE uint32_t local_distances(struct stack *stack, const pl_page *pages, uint32_t touches, uint32_t *distance,
                                       unsigned stride, bool small)
{
    uint32_t *last = stack->pages.last;
    uint32_t now = stack->slots.now, near = 0;
    uint64_t word = 0; /* bit i: slot now + i is live */
    for (uint32_t i = 0; i < touches; i++) {
        uint32_t *at = &last[(size_t)pages[i] * stride];
        uint32_t former = *at, bit = former - now;
        *at = now + i;
        if (__builtin_expect(bit < BATCH, 1)) {
            distance[i] = (uint32_t)__builtin_popcountll(word >> bit);
            word &= ~(UINT64_C(1) << bit);
            near++;
        } else {
            distance[i] = far_distance(stack, former, small);
        }
        word |= UINT64_C(1) << i;
    }
    uint64_t killed = ~word & ~UINT64_C(0) >> (BATCH - touches);
    kill_slots(&stack->slots, now, killed << (now & 63), (uint32_t)__builtin_popcountll(killed), small);
    spread_kills(&stack->slots, small);
    return near;
}

/* --- what the distances are for ------------------------------------------------------------------------------------- */

/* Follows how far each page has been from the top since it was last written, and lists the reaches that a write ends. */
ALWAYS_INLINE uint32_t follow_reaches(struct stack *stack, const pl_page *pages, const uint8_t *kinds, uint32_t touches,
                                      const uint32_t *distance, uint32_t *dirty, unsigned stride)
{
    uint32_t first = stack->rule == PL_RULE_MEMSIM ? REACH_CLEAN : 0;
    uint32_t ended = 0;
    for (uint32_t i = 0; i < touches; i++) {
        uint32_t *at = &stack->pages.reach[(size_t)pages[i] * stride];
        uint32_t reach = *at > distance[i] ? *at : distance[i];
        reach |= distance[i] ? 0 : first;
        uint32_t written = kinds && kinds[i] == 1;
        dirty[ended] = reach + 1;
        ended += written;
        *at = reach & (written - 1);
    }
    return ended;
}

ALWAYS_INLINE void settle_pending(struct stack *stack)
{
    struct pending *pending = &stack->pending;
    for (uint32_t i = 0; i < pending->distances; i++)
        pl_bins_add(&stack->reads, pending->distance[i]);
    for (uint32_t i = 0; i < pending->dirties; i++)
        pl_bins_add(&stack->dirty, pending->dirty[i]);
    pending->distances = pending->dirties = 0;
}

/* The wide way: into the list, to be counted when the counters have come. */
ALWAYS_INLINE void account_later(struct stack *stack, const pl_page *pages, const uint8_t *kinds, uint32_t touches,
                                 unsigned stride)
{
    struct pending *pending = &stack->pending;
    pending->distances = touches;
    if (stack->reads_only)
        return;
    pending->dirties = follow_reaches(stack, pages, kinds, touches, pending->distance, pending->dirty, stride);
    for (uint32_t i = 0; i < pending->dirties; i++)
        __builtin_prefetch(&stack->dirty.low[pending->dirty[i]], 1);
}

/* The local way: at once. */
ALWAYS_INLINE void account_now(struct stack *stack, const pl_page *pages, const uint8_t *kinds, uint32_t touches,
                               unsigned stride)
{
    struct pending *pending = &stack->pending;
    for (uint32_t i = 0; i < touches; i++) {
        uint32_t distance = pending->distance[i];
        if (__builtin_expect(distance <= BATCH, 1))
            stack->near[i % NEAR_COPIES][distance]++;
        else
            pl_bins_add(&stack->reads, distance);
    }
    if (stack->reads_only)
        return;
    uint32_t ended = follow_reaches(stack, pages, kinds, touches, pending->distance, pending->dirty, stride);
    for (uint32_t i = 0; i < ended; i++)
        pl_bins_add(&stack->dirty, pending->dirty[i]);
}

/* --- all touches ---------------------------------------------------------------------------------------------------- */

static void choose_mode(struct stack *stack)
{
    stack->local = stack->mode_near * 2 > stack->mode_seen;
    stack->mode_near = stack->mode_seen = 0;
}

/* The slot behind the batch: over the header at the end of a line. */
ALWAYS_INLINE void step_slots(struct slots *slots, uint32_t touches)
{
    slots->now += touches;
    slots->now += slots->now % 512 ? 0 : WORD_SLOTS;
}

ALWAYS_INLINE size_t feed_as(struct stack *stack, const pl_page *pages, const uint8_t *kinds, size_t count,
                             unsigned stride, bool small)
{
    struct pending *pending = &stack->pending;
    size_t done = 0;
    while (done < count && stack->slots.now >> 9 < stack->slots.lines) {
        uint32_t touches = BATCH - stack->slots.now % BATCH;
        touches = touches < count - done ? touches : (uint32_t)(count - done);
        const pl_page *batch = pages + done;
        const uint8_t *how = kinds ? kinds + done : NULL;
        settle_pending(stack);
        if (stack->local) {
            stack->mode_near += local_distances(stack, batch, touches, pending->distance, stride, small);
            account_now(stack, batch, how, touches, stride);
        } else {
            const pl_page *ahead = count - done >= 2 * touches ? batch + touches : batch;
            stack->mode_near += wide_distances(stack, batch, ahead, touches, pending->distance, stride, small);
            account_later(stack, batch, how, touches, stride);
        }
        step_slots(&stack->slots, touches);
        done += touches;
        stack->mode_seen += touches;
        if (stack->mode_seen >= MODE_TOUCHES)
            choose_mode(stack);
    }
    return done;
}

static size_t feed(struct stack *stack, const pl_page *pages, const uint8_t *kinds, size_t count)
{
    bool small = stack->slots.lines == NODE_LINES;
    if (stack->pages.stride == 2)
        return small ? feed_as(stack, pages, kinds, count, 2, true) : feed_as(stack, pages, kinds, count, 2, false);
    return small ? feed_as(stack, pages, kinds, count, 1, true) : feed_as(stack, pages, kinds, count, 1, false);
}

static void settle(struct stack *stack)
{
    settle_pending(stack);
}

static void renumber(struct stack *stack)
{
    bool small = stack->slots.lines == NODE_LINES;
    for (uint64_t page = 0; page < stack->pages.limit; page++) {
        uint32_t *last = &stack->pages.last[page * stack->pages.stride];
        if (*last)
            *last = pl_slot_at(count_before(&stack->slots, *last, small));
    }
}

static void final(struct stack *stack)
{
    bool small = stack->slots.lines == NODE_LINES;
    for (uint64_t page = 0; page < stack->pages.limit; page++) {
        uint32_t last = stack->pages.last[page * stack->pages.stride];
        uint32_t reach = stack->pages.reach[page * stack->pages.stride];
        if (!last || reach == REACH_CLEAN)
            continue;
        uint32_t position = stack->live - count_before(&stack->slots, last, small);
        pl_bins_add(&stack->dirty, (position > reach ? position : reach) + 1);
    }
}
