/* curve/stack_parts.h: the loops for parts of a trace that several threads count apart. Included by stack_kernel.h, whose
 * functions these are made of.
 *
 * The first touches of a part, in order, are themselves a trace: a page's distance at its first touch is the same whether
 * the touches in between that are no first touches are there or not. So resolving is the wide way over that list; only the
 * new slots are not in the list's order but in that of the part's latest touches. */

static void feed_part(struct stack *stack, struct opened *opened, const pl_page *pages, const uint8_t *kinds, size_t count)
{
    struct opened own = *opened; /* other threads write near the caller's */
    if (stack->slots.lines == NODE_LINES)
        feed_as(stack, &own, pages, kinds, count, true);
    else
        feed_as(stack, &own, pages, kinds, count, false);
    *opened = own;
}

/* --- what a part leaves ------------------------------------------------------------------------------------------------ */

/* Ranks and reaches of first touches `from` .. `end` - 1; last[] then has their places in the list. */
ALWAYS_INLINE void rank_pages(const struct stack *stack, struct opened *opened, uint32_t from, uint32_t end, bool small)
{
    const struct slots slots = stack->slots;
    uint32_t *page = stack->pages.last, slot[BATCH];
    for (uint32_t i = from; i < end; i++) {
        uint32_t ahead = i + BATCH < opened->touches ? i + BATCH : i;
        __builtin_prefetch(&page[(size_t)opened->touch[ahead].page * 2], 1);
        uint32_t *at = &page[(size_t)opened->touch[i].page * 2];
        slot[i - from] = at[0];
        __builtin_prefetch(slots.line + (size_t)(at[0] >> 9) * LINE_WORDS);
        at[0] = i;
        opened->touch[i].before = at[1];
        opened->touch[i].after = at[1] ^ REACH_WRITTEN;
        at[1] = 0;
    }
    for (uint32_t i = from; i < end; i++)
        opened->touch[i].rank = count_before(&slots, slot[i - from], small);
}

/* Moves what is known of first writes to the pages' first touches. */
static void place_writes(const uint32_t *page, struct opened *opened)
{
    for (uint32_t i = 0; i < opened->writes; i++) {
        uint32_t ahead = i + BATCH < opened->writes ? i + BATCH : i;
        __builtin_prefetch(&page[(size_t)opened->write[ahead].page * 2]);
        const struct first_write *write = &opened->write[i];
        opened->touch[page[(size_t)write->page * 2]].before = write->before;
    }
}

static void hand_over(struct stack *stack, struct opened *opened)
{
    uint32_t *page = stack->pages.last;
    bool small = stack->slots.lines == NODE_LINES;
    for (uint32_t from = 0; from < opened->touches; from += BATCH) {
        uint32_t end = opened->touches - from < BATCH ? opened->touches : from + BATCH;
        rank_pages(stack, opened, from, end, small);
    }
    place_writes(page, opened);
    for (uint32_t i = 0; i < opened->touches; i++) {
        uint32_t ahead = i + BATCH < opened->touches ? i + BATCH : i;
        __builtin_prefetch(&page[(size_t)opened->touch[ahead].page * 2], 1);
        page[(size_t)opened->touch[i].page * 2] = 0;
    }
    stack->live = 0;
}

/* --- resolving --------------------------------------------------------------------------------------------------------- */

/* Former slots of a batch's pages, that of none where there is none; `base` slots are in use. */
ALWAYS_INLINE void swap_first(uint32_t *page, const struct slots *slots, const struct first_touch *touch,
                              const struct first_touch *ahead, uint32_t touches, uint32_t base, uint32_t *slot)
{
    uint32_t none = pl_slot_of_none(slots);
    for (uint32_t i = 0; i < touches; i++) {
        __builtin_prefetch(&page[(size_t)ahead[i].page * 2], 1);
        uint32_t *at = &page[(size_t)touch[i].page * 2];
        uint32_t former = *at;
        *at = pl_slot_at(base + touch[i].rank);
        __builtin_prefetch(slots->line + (size_t)(former >> 9) * LINE_WORDS, 1);
        slot[i] = former ? former : none;
    }
    for (uint32_t i = touches; i < BATCH; i++)
        slot[i] = NO_SLOT;
}

/* The reach goes on through the part up to its first write, and from its last one. */
ALWAYS_INLINE void resolve_reaches(struct stack *stack, const struct first_touch *touch, uint32_t touches)
{
    struct pending *pending = &stack->pending;
    uint32_t *page = stack->pages.last, first = first_reach(stack), ended = 0;
    for (uint32_t i = 0; i < touches; i++) {
        uint32_t *reach = &page[(size_t)touch[i].page * 2 + 1], written = ~touch[i].after >> 31;
        uint32_t farthest = follow_reach(reach, pending->distance[i], 0, first);
        farthest = farthest > touch[i].before ? farthest : touch[i].before;
        *reach = written ? touch[i].after : farthest;
        pending->dirty[ended] = farthest + 1;
        ended += written;
    }
    pending->dirties = ended;
    for (uint32_t i = 0; i < ended; i++)
        __builtin_prefetch(&stack->dirty.low[pending->dirty[i]], 1);
}

ALWAYS_INLINE void resolve_batch(struct stack *stack, const struct first_touch *touch, const struct first_touch *ahead,
                                 uint32_t touches, uint32_t base, bool small)
{
    const struct slots slots = stack->slots;
    struct pending *pending = &stack->pending;
    uint32_t slot[BATCH] __attribute__((aligned(32))), exact[BATCH] __attribute__((aligned(32))) = {0};
    settle_pending(stack);
    swap_first(stack->pages.last, &slots, touch, ahead, touches, base, slot);
    for (uint32_t part = 0; part < touches; part += PART) {
        uint32_t count = touches - part < PART ? touches - part : PART;
        stack->live = count_live(&slots, stack->live, count, slot + part, exact + part, small);
        correct_pairs(slot + part, exact + part, PART);
        clear_first(slot + part, exact + part, pl_slot_of_none(&slots));
        kill_batch(&slots, stack->reads.low, count, slot + part, exact + part, small);
    }
    memcpy(pending->distance, exact, sizeof exact);
    pending->distances = touches;
    if (!stack->reads_only)
        resolve_reaches(stack, touch, touches);
}

static void resolve(struct stack *stack, const struct opened *opened)
{
    uint32_t base = pl_slot_rank(stack->slots.now);
    bool small = stack->slots.lines == NODE_LINES;
    for (uint32_t done = 0; done < opened->touches; done += BATCH) {
        uint32_t left = opened->touches - done, touches = left < BATCH ? left : BATCH;
        const struct first_touch *touch = opened->touch + done;
        resolve_batch(stack, touch, left >= 2 * BATCH ? touch + BATCH : touch, touches, base, small);
    }
    stack->slots.now = pl_slot_at(base + opened->touches);
}
