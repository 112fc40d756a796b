/* curve/stack_kernel.h: the loops over touches. Included by stack_avx2.c and stack_portable.c, each of which compiles it
 * for its machine; the vectors are the compiler's own and work on any machine, so both give the same result.
 *
 * Touches are handled in batches of up to 64, one word of slots, in one of two ways:
 *
 * wide   (the next touch of a page is usually far away) as short loops without dependences between turns, so that cache
 *        misses overlap: 1 swap last[], prefetched a batch ago, and prefetch the lines; 2 count live slots in the
 *        structure as it stands; 3 correct for kills among them by comparing all pairs in vector registers; 4 kill (2 to 4
 *        in half batches, since pairs grow with the square); then the reaches, and a batch later, when they have come
 *        near, the counters.
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
enum { PART = 32 };          /* of a batch: pairs grow with its square */
enum { FEW = 16 };           /* looked at together for what is rare */
enum { NEAR_PAGES = 16384 }; /* tables of so many pages lie in a near cache */
enum { NO_SLOT = INT32_MAX }; /* behind every slot, fills up a batch */

/* --- counting and killing slots -------------------------------------------------------------------------------------
 * The functions take the slots by a local copy's address: the tables do not move while touches are handled, and what is
 * stored into them could else, for all the compiler knows, change the pointers. */

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

/* Takes `kills` from the counts of all lines and nodes behind, in the line's group. Groups behind learn it from
 * spread_kills. A vector comparison gives -1 where it holds, which for a single kill is the very number to add. */
ALWAYS_INLINE void lower_behind(const struct slots *slots, uint32_t line, uint32_t kills, bool small)
{
    const shorts lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    shorts *lines = (shorts *)(slots->line_before + line / NODE_LINES * NODE_LINES);
    shorts at = (shorts){} + (int16_t)(line % NODE_LINES);
    if (kills == 1) {
        lines[0] += lanes > at;
        lines[1] += lanes + 16 > at;
    } else {
        lines[0] -= (lanes > at) & (int16_t)kills;
        lines[1] -= (lanes + 16 > at) & (int16_t)kills;
    }
    if (small)
        return;
    const ints few = {0, 1, 2, 3, 4, 5, 6, 7};
    uint32_t node = line / NODE_LINES;
    ints *nodes = (ints *)(slots->node_before + node / GROUP_NODES * GROUP_NODES);
    ints node_at = (ints){} + (int32_t)(node % GROUP_NODES);
    if (kills == 1) {
        nodes[0] += few > node_at;
        nodes[1] += few + 8 > node_at;
    } else {
        nodes[0] -= (few > node_at) & (int32_t)kills;
        nodes[1] -= (few + 8 > node_at) & (int32_t)kills;
    }
    slots->killed[node / GROUP_NODES] += kills;
}

ALWAYS_INLINE void spread_kills(const struct slots *slots, bool small)
{
    uint32_t before = 0;
    for (uint32_t i = 0; !small && i < slots->groups; i++) {
        slots->top[i] -= before;
        before += slots->killed[i];
        slots->killed[i] = 0;
    }
}

/* Kills live slots of one word: `mask` has them, `kills` is their number. */
ALWAYS_INLINE void kill_slots(const struct slots *slots, uint32_t slot, uint64_t mask, uint32_t kills, bool small)
{
    /* A one in each field; shifted, only the words behind are left. What falls onto bit 63 belongs to no field. */
    const uint64_t ones = UINT64_C(0x0040201008040201);
    unsigned word = slot >> 6 & 7;
    uint64_t *words = slots->line + (size_t)(slot >> 9) * LINE_WORDS;
    words[0] -= (ones << (9 * word)) * kills;
    words[word] &= ~mask;
    lower_behind(slots, slot >> 9, kills, small);
}

ALWAYS_INLINE void kill_slot(const struct slots *slots, uint32_t slot, bool small)
{
    kill_slots(slots, slot, UINT64_C(1) << (slot & 63), 1, small);
}

/* --- distances, the wide way ---------------------------------------------------------------------------------------- */

/* 1: former slots of the pages, that of none for a first touch. `ahead` is the batch to come. */
ALWAYS_INLINE void swap_last(uint32_t *last, const struct slots *slots, const pl_page *pages, const pl_page *ahead,
                             uint32_t touches, uint32_t *slot, unsigned stride)
{
    uint32_t now = slots->now, none = pl_slot_of_none(slots);
    for (uint32_t i = 0; i < touches; i++) {
        __builtin_prefetch(&last[(size_t)ahead[i] * stride], 1);
        uint32_t *at = &last[(size_t)pages[i] * stride];
        uint32_t former = *at;
        *at = now + i;
        __builtin_prefetch(slots->line + (size_t)(former >> 9) * LINE_WORDS, 1);
        slot[i] = former ? former : none;
    }
    for (uint32_t i = touches; i < BATCH; i++)
        slot[i] = NO_SLOT;
}

/* How many of the slots are the batch's own. */
ALWAYS_INLINE uint32_t count_near(const uint32_t *slot, uint32_t now)
{
    const loose_ints *slots = (const loose_ints *)slot;
    ints near = {0};
    for (int i = 0; i < BATCH / 8; i++)
        near -= ((slots[i] - (int32_t)now) & ~(BATCH - 1)) == 0;
    uint32_t sum = 0;
    for (int i = 0; i < 8; i++)
        sum += (uint32_t)near[i];
    return sum;
}

/* 2: distances, wrong only by the kills among these touches; any for first touches. Returns the number of live pages. */
ALWAYS_INLINE uint32_t count_live(const struct slots *slots, uint32_t live, uint32_t touches, const uint32_t *slot,
                                  uint32_t *distance, bool small)
{
    uint32_t none = pl_slot_of_none(slots);
    for (uint32_t i = 0; i < touches; i++) {
        live += slot[i] == none;
        distance[i] = live - count_before(slots, slot[i], small);
    }
    return live;
}

/* 3: touch j killed slot[j], which count_live of a later touch i has counted as live before slot[i]: one live slot fewer
 * before it is one more behind. */
ALWAYS_INLINE void correct_pairs(const uint32_t *slot, uint32_t *distance, int touches)
{
    const ints lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    const loose_ints *slots = (const loose_ints *)slot;
    loose_ints *sums = (loose_ints *)distance;
    for (int block = 0; block < touches / 8; block++) {
        ints mine = slots[block], sum = sums[block];
#pragma GCC unroll 8
        for (int j = 0; j < 8 * block; j++)
            sum -= mine > (int32_t)slot[j];
#pragma GCC unroll 8
        for (int j = 0; j < 7; j++)
            sum -= (lanes > j) & (mine > (int32_t)slot[8 * block + j]);
        sums[block] = sum;
    }
}

/* First touches have distance 0, whatever was counted for them. */
ALWAYS_INLINE void clear_first(const uint32_t *slot, uint32_t *distance, uint32_t none)
{
    const loose_ints *slots = (const loose_ints *)slot;
    loose_ints *distances = (loose_ints *)distance;
    for (int block = 0; block < PART / 8; block++)
        distances[block] &= slots[block] != (int32_t)none;
}

/* 4; the counters that `distance` leads to are prefetched. */
ALWAYS_INLINE void kill_batch(const struct slots *slots, const uint8_t *counters, uint32_t touches, const uint32_t *slot,
                              const uint32_t *distance, bool small)
{
    for (uint32_t i = 0; i < touches; i++) {
        if (counters)
            __builtin_prefetch(counters + distance[i], 1);
        kill_slot(slots, slot[i], small);
    }
    spread_kills(slots, small);
}

ALWAYS_INLINE void wide_distances(struct stack *stack, const uint8_t *counters, const pl_page *pages,
                                  const pl_page *ahead, uint32_t touches, uint32_t *distance, unsigned stride, bool small)
{
    const struct slots slots = stack->slots;
    uint32_t slot[BATCH] __attribute__((aligned(32))), exact[BATCH] __attribute__((aligned(32))) = {0};
    swap_last(stack->pages.last, &slots, pages, ahead, touches, slot, stride);
    stack->mode_far += touches - count_near(slot, slots.now);
    for (uint32_t part = 0; part < touches; part += PART) {
        uint32_t count = touches - part < PART ? touches - part : PART;
        stack->live = count_live(&slots, stack->live, count, slot + part, exact + part, small);
        correct_pairs(slot + part, exact + part, PART);
        clear_first(slot + part, exact + part, pl_slot_of_none(&slots));
        kill_batch(&slots, counters, count, slot + part, exact + part, small);
    }
    for (uint32_t i = 0; i < touches; i++)
        distance[i] = exact[i];
}

/* --- distances, the local way --------------------------------------------------------------------------------------- */

ALWAYS_INLINE uint32_t far_distance(struct stack *stack, const struct slots *slots, uint32_t former, bool small)
{
    stack->mode_far++;
    if (!former) {
        stack->live++;
        return 0;
    }
    uint32_t distance = stack->live - count_before(slots, former, small);
    kill_slot(slots, former, small);
    spread_kills(slots, small);
    return distance;
}

/* Ends a local batch: bit i of `word` says that slot now + i is live. */
ALWAYS_INLINE void close_word(const struct slots *slots, uint64_t word, uint32_t touches, bool small)
{
    uint64_t killed = ~word & ~UINT64_C(0) >> (BATCH - touches);
    kill_slots(slots, slots->now, killed << (slots->now & 63), (uint32_t)__builtin_popcountll(killed), small);
    spread_kills(slots, small);
}

ALWAYS_INLINE void local_distances(struct stack *stack, const pl_page *pages, uint32_t touches, uint32_t *distance,
                                   unsigned stride, bool small)
{
    const struct slots slots = stack->slots;
    uint32_t *last = stack->pages.last;
    uint64_t word = 0;
    for (uint32_t i = 0; i < touches; i++) {
        uint32_t *at = &last[(size_t)pages[i] * stride];
        uint32_t former = *at, bit = former - slots.now;
        *at = slots.now + i;
        if (__builtin_expect(bit < BATCH, 1)) {
            distance[i] = (uint32_t)__builtin_popcountll(word >> bit);
            word &= ~(UINT64_C(1) << bit);
        } else {
            distance[i] = far_distance(stack, &slots, former, small);
        }
        word |= UINT64_C(1) << i;
    }
    close_word(&slots, word, touches, small);
}

/* --- what the distances are for ------------------------------------------------------------------------------------- */

/* One touch of a page: follows how far it has been from the top since it was last written. Returns the reach that ends
 * if this touch writes. */
ALWAYS_INLINE uint32_t follow_reach(uint32_t *reach, uint32_t distance, uint32_t written, uint32_t first)
{
    uint32_t farthest = *reach > distance ? *reach : distance;
    if (__builtin_expect(distance == 0, 0))
        farthest = first;
    *reach = farthest & (written - 1);
    return farthest;
}

/* The reach of a page that was touched once, for reading. */
ALWAYS_INLINE uint32_t first_reach(const struct stack *stack)
{
    return stack->rule == PL_RULE_MEMSIM ? REACH_CLEAN : 0;
}

/* 1 for a write: PL_WRITE is the only odd kind. */
ALWAYS_INLINE uint32_t is_write(const uint8_t *kinds, size_t i)
{
    return kinds ? kinds[i] & 1u : 0;
}

/* The same in a part, where the reach is open until the first write: that goes to a list, later ones to `dirty`. Returns 1
 * for the latter. */
ALWAYS_INLINE uint32_t follow_part(struct opened *opened, pl_page page, uint32_t *reach, uint32_t distance,
                                   uint32_t written, uint32_t *dirty)
{
    uint32_t flagged = (*reach & REACH_WRITTEN) | distance, farthest = *reach > flagged ? *reach : flagged;
    uint32_t known = written & farthest >> 31;
    *reach = written ? REACH_WRITTEN : farthest;
    opened->write[opened->writes] = (struct first_write){page, farthest};
    opened->writes += written ^ known;
    *dirty = (farthest & ~REACH_WRITTEN) + 1;
    return known;
}

/* Lists the reaches that writes end, as bins. Returns how many. */
ALWAYS_INLINE uint32_t follow_reaches(struct stack *stack, struct opened *opened, const pl_page *pages,
                                      const uint8_t *kinds, uint32_t touches, const uint32_t *distance, uint32_t *dirty)
{
    uint32_t *page = stack->pages.last;
    uint32_t first = first_reach(stack), ended = 0;
    for (uint32_t i = 0; i < touches; i++) {
        uint32_t written = is_write(kinds, i), *reach = &page[(size_t)pages[i] * 2 + 1];
        if (opened) {
            ended += follow_part(opened, pages[i], reach, distance[i], written, &dirty[ended]);
        } else {
            dirty[ended] = follow_reach(reach, distance[i], written, first) + 1;
            ended += written;
        }
    }
    return ended;
}

ALWAYS_INLINE void settle_pending(struct stack *stack)
{
    struct pending *pending = &stack->pending;
    struct bins reads = stack->reads, dirty = stack->dirty;
    for (uint32_t i = 0; i < pending->distances; i++)
        pl_bins_add(&reads, pending->distance[i]);
    for (uint32_t i = 0; i < pending->dirties; i++)
        pl_bins_add(&dirty, pending->dirty[i]);
    pending->distances = pending->dirties = 0;
}

/* Reaches of a batch whose distances are in `distance`, into the pending list. */
ALWAYS_INLINE void list_dirties(struct stack *stack, struct opened *opened, const pl_page *pages, const uint8_t *kinds,
                                uint32_t touches, const uint32_t *distance)
{
    struct pending *pending = &stack->pending;
    pending->dirties = follow_reaches(stack, opened, pages, kinds, touches, distance, pending->dirty);
    for (uint32_t i = 0; i < pending->dirties; i++)
        __builtin_prefetch(&stack->dirty.low[pending->dirty[i]], 1);
}

/* --- one thread ------------------------------------------------------------------------------------------------------- */

/* Adds the first touches of a batch to the list. */
ALWAYS_INLINE void list_first(struct opened *opened, const pl_page *pages, uint32_t touches, const uint32_t *distance)
{
    uint64_t first = 0;
    for (uint32_t i = 0; i < BATCH; i++)
        first |= (uint64_t)(distance[i] == 0) << i;
    for (first &= ~UINT64_C(0) >> (BATCH - touches); first; first &= first - 1)
        opened->touch[opened->touches++].page = pages[__builtin_ctzll(first)];
}

ALWAYS_INLINE void feed_wide(struct stack *stack, struct opened *opened, const pl_page *pages, const pl_page *ahead,
                             const uint8_t *kinds, uint32_t touches, bool small)
{
    struct pending *pending = &stack->pending;
    settle_pending(stack);
    wide_distances(stack, stack->reads.low, pages, ahead, touches, pending->distance, 2, small);
    pending->distances = touches;
    if (opened)
        list_first(opened, pages, touches, pending->distance);
    if (!stack->reads_only)
        list_dirties(stack, opened, pages, kinds, touches, pending->distance);
}

/* Everything about a touch in one turn: all of it is in the first-level cache. */
ALWAYS_INLINE void feed_local(struct stack *stack, struct opened *opened, const pl_page *pages, const uint8_t *kinds,
                              uint32_t touches, bool small)
{
    const struct slots slots = stack->slots;
    struct bins reads = stack->reads, dirty = stack->dirty;
    uint32_t *page = stack->pages.last, first = first_reach(stack), ended = 0;
    uint32_t list[BATCH + 1];
    uint64_t word = 0;
    for (uint32_t i = 0; i < touches; i++) {
        uint32_t *at = &page[(size_t)pages[i] * 2];
        uint32_t former = at[0], bit = former - slots.now, written = is_write(kinds, i), distance;
        at[0] = slots.now + i;
        if (__builtin_expect(bit < BATCH, 1)) {
            distance = (uint32_t)__builtin_popcountll(word >> bit);
            word &= ~(UINT64_C(1) << bit);
            stack->near[i % NEAR_COPIES][distance]++;
        } else {
            distance = far_distance(stack, &slots, former, small);
            pl_bins_add(&reads, distance);
            if (opened && !distance)
                opened->touch[opened->touches++].page = pages[i];
        }
        word |= UINT64_C(1) << i;
        if (opened) {
            ended += follow_part(opened, pages[i], &at[1], distance, written, &list[ended]);
        } else {
            list[ended] = follow_reach(&at[1], distance, written, first) + 1;
            ended += written;
        }
    }
    close_word(&slots, word, touches, small);
    for (uint32_t i = 0; !stack->reads_only && i < ended; i++)
        pl_bins_add(&dirty, list[i]);
}

static void choose_mode(struct stack *stack)
{
    stack->local = stack->mode_far * 2 < stack->mode_seen;
    stack->mode_far = stack->mode_seen = 0;
}

/* Behind a batch: the next slot, over the header at the end of a line. */
ALWAYS_INLINE void step(struct stack *stack, uint32_t touches)
{
    stack->slots.now += touches;
    stack->slots.now += stack->slots.now % 512 ? 0 : WORD_SLOTS;
    stack->mode_seen += touches;
    if (stack->mode_seen >= MODE_TOUCHES)
        choose_mode(stack);
}

/* How many touches go into the next batch: what is left, and what is left of the word. 0: the slots are used up. */
ALWAYS_INLINE uint32_t batch_size(const struct slots *slots, size_t left)
{
    uint32_t touches = BATCH - slots->now % BATCH;
    if (pl_slots_used_up(slots))
        return 0;
    return touches < left ? touches : (uint32_t)left;
}

ALWAYS_INLINE size_t feed_as(struct stack *stack, struct opened *opened, const pl_page *pages, const uint8_t *kinds,
                             size_t count, bool small)
{
    size_t done = 0;
    for (uint32_t touches; (touches = batch_size(&stack->slots, count - done)) > 0; done += touches) {
        const pl_page *batch = pages + done;
        const uint8_t *how = kinds ? kinds + done : NULL;
        if (stack->local)
            feed_local(stack, opened, batch, how, touches, small);
        else
            feed_wide(stack, opened, batch, count - done >= 2 * touches ? batch + touches : batch, how, touches, small);
        step(stack, touches);
    }
    return done;
}

static size_t feed(struct stack *stack, const pl_page *pages, const uint8_t *kinds, size_t count)
{
    return stack->slots.lines == NODE_LINES ? feed_as(stack, NULL, pages, kinds, count, true)
                                            : feed_as(stack, NULL, pages, kinds, count, false);
}

/* --- distances alone -------------------------------------------------------------------------------------------------- */

ALWAYS_INLINE size_t measure_as(struct stack *stack, const pl_page *pages, size_t count, uint32_t *distance, bool small)
{
    size_t done = 0;
    for (uint32_t touches; (touches = batch_size(&stack->slots, count - done)) > 0; done += touches) {
        const pl_page *batch = pages + done;
        const pl_page *ahead = count - done >= 2 * touches ? batch + touches : batch;
        if (stack->local)
            local_distances(stack, batch, touches, distance + done, 1, small);
        else
            wide_distances(stack, NULL, batch, ahead, touches, distance + done, 1, small);
        step(stack, touches);
    }
    return done;
}

static size_t measure(struct stack *stack, const pl_page *pages, size_t count, uint32_t *distance)
{
    return stack->slots.lines == NODE_LINES ? measure_as(stack, pages, count, distance, true)
                                            : measure_as(stack, pages, count, distance, false);
}

#include "curve/stack_parts.h"

/* --- now and then ----------------------------------------------------------------------------------------------------- */

static void settle(struct stack *stack)
{
    settle_pending(stack);
}

static void renumber(struct stack *stack, unsigned stride)
{
    const struct slots slots = stack->slots;
    bool small = slots.lines == NODE_LINES;
    for (uint64_t page = 0; page < stack->pages.limit; page++) {
        uint32_t *last = &stack->pages.last[page * stride];
        if (*last)
            *last = pl_slot_at(count_before(&slots, *last, small));
    }
}

static void final(struct stack *stack)
{
    bool small = stack->slots.lines == NODE_LINES;
    for (uint64_t page = 0; page < stack->pages.limit; page++) {
        uint32_t last = stack->pages.last[page * 2], reach = stack->pages.last[page * 2 + 1];
        if (!last || reach == REACH_CLEAN)
            continue;
        uint32_t position = stack->live - count_before(&stack->slots, last, small);
        pl_bins_add(&stack->dirty, (position > reach ? position : reach) + 1);
    }
}

static void forget(struct stack *stack, pl_page page)
{
    uint32_t *last = &stack->pages.last[page];
    bool small = stack->slots.lines == NODE_LINES;
    kill_slot(&stack->slots, *last, small);
    spread_kills(&stack->slots, small);
    *last = 0;
    stack->live--;
}

static size_t pick(const pl_page *pages, size_t count, uint32_t seed, uint32_t threshold, uint32_t *index)
{
    size_t picked = 0;
    uint32_t hash[BATCH];
    for (size_t done = 0; done < count; done += BATCH) {
        uint32_t touches = count - done < BATCH ? (uint32_t)(count - done) : BATCH;
        if (touches == BATCH) /* in vectors */
            for (uint32_t i = 0; i < BATCH; i++)
                hash[i] = pl_page_hash(pages[done + i], seed);
        else
            for (uint32_t i = 0; i < touches; i++)
                hash[i] = pl_page_hash(pages[done + i], seed);
        for (uint32_t i = touches; i < BATCH; i++)
            hash[i] = UINT32_MAX;
        for (uint32_t few = 0; few < touches; few += FEW) {
            uint32_t any = 0;
            for (uint32_t i = few; i < few + FEW; i++)
                any |= hash[i] < threshold;
            for (uint32_t i = few; any && i < few + FEW; i++) {
                index[picked] = (uint32_t)done + i;
                picked += hash[i] < threshold;
            }
        }
    }
    return picked;
}

static size_t find_firsts(const pl_page *pages, size_t count, pl_page limit, uint32_t *index)
{
    size_t found = 0;
    for (size_t done = 0; done < count; done += FEW) {
        uint32_t touches = count - done < FEW ? (uint32_t)(count - done) : FEW, any = touches < FEW;
        if (touches == FEW)
            for (uint32_t i = 0; i < FEW; i++)
                any |= pages[done + i] >= limit;
        for (uint32_t i = 0; any && i < touches; i++)
            if (pages[done + i] >= limit) {
                index[found++] = (uint32_t)done + i;
                limit = pages[done + i] + 1;
            }
    }
    return found;
}

static void survey(const pl_page *pages, const uint8_t *kinds, size_t count, pl_page *largest, uint64_t *writes)
{
    pl_page most = 0;
    uint32_t odd = 0;
    for (size_t i = 0; i < count; i++)
        most = pages[i] > most ? pages[i] : most;
    for (size_t i = 0; kinds && i < count; i++)
        odd += kinds[i] & 1u;
    *largest = most;
    *writes = odd;
}

#define STACK_KERNEL(name)                                                                                             \
    {                                                                                                                  \
        name, feed, feed_part, hand_over, resolve, measure, settle, renumber, final, forget, pick, find_firsts, survey            \
    }
