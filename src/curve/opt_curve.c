/* curve/opt_curve.c: OPT stack distances (Mattson et al. 1970) with blocks instead of a scan of the stack.
 *
 * The stack holds the pages so that the first m of them are what a memory of m pages holds under OPT. A touched page
 * goes to the top; the page from the top moves down: at every place the one used sooner stays and the other is carried
 * on, until the place that the touched page left takes the last one carried (a first touch: until the end, which
 * grows). Scanned place by place that takes as many steps as the stack is deep.
 *
 *   top | block 0: up to 512 places | block 1 | block 2 | ...
 *          place[]   the keys in order, as they stood when the block was last settled
 *          sorted[]  the keys that are in the block now, ascending
 *          waiting[] keys carried in since, a heap with the smallest at 0
 *
 * A page's key is the touch that will use it next, so a smaller one is used sooner and the key leads to its page. What
 * leaves a block is the largest of its keys and of the one carried in, whatever their order: one step in sorted[]. A
 * block whose keys are all smaller is passed without any. Only the block that the touched page lies in needs its order:
 * it is settled first. In each place stays the smallest of what stood there and of all that came by, so one walk over
 * the places does the work of all keys in waiting[].
 *
 * Pages never used again all have the key NEVER. Which of them lies where changes no distance of another page; carried,
 * NEVER passes every block.
 *
 * Time: a touch costs a block or two, and one move in each block whose largest key is the largest so far: on traces
 * with locality a few; at worst all blocks of the stack, pages / 512. (10 M touches of Zipf's law over 100,000 pages:
 * as long as 14 simulations of one size.) */
#include "curve/opt_curve.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 512 };
#define NEVER UINT32_MAX

struct block {
    uint32_t used, waiting_count;
    uint32_t place[PLACES], sorted[PLACES], waiting[PLACES];
};

struct opt_stack {
    const pl_page *pages;
    uint32_t *next_use; /* by touch: the next touch of the same page */
    uint32_t *block_of; /* by page: the block it lies in, TOP or OUTSIDE */
    uint32_t *largest;  /* by block: its last sorted key */
    struct block **block;
    size_t blocks, block_capacity, largest_capacity;
    uint32_t top;   /* the key of the first page; the blocks follow */
    uint64_t depth; /* pages in the stack, the top included */
};
#define TOP (UINT32_MAX - 1)
#define OUTSIDE UINT32_MAX

/* --- one block ---------------------------------------------------------------------------------------------------- */

static uint32_t rank_of(const struct block *block, uint32_t key)
{
    uint32_t low = 0, high = block->used;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (block->sorted[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Puts `key`, which is smaller than the largest, in its rank; the largest falls out. */
static uint32_t push_out_largest(struct block *block, uint32_t key)
{
    uint32_t out = block->sorted[block->used - 1], rank = rank_of(block, key);
    memmove(block->sorted + rank + 1, block->sorted + rank, (block->used - 1 - rank) * sizeof *block->sorted);
    block->sorted[rank] = key;
    return out;
}

static void wait_in(struct block *block, uint32_t key)
{
    uint32_t at = block->waiting_count++;
    for (; at > 0 && key < block->waiting[(at - 1) / 2]; at = (at - 1) / 2)
        block->waiting[at] = block->waiting[(at - 1) / 2];
    block->waiting[at] = key;
}

/* Puts `key` in place of the smallest waiting. */
static void replace_smallest(struct block *block, uint32_t key)
{
    uint32_t at = 0;
    for (uint32_t child = 1; child < block->waiting_count; child = 2 * at + 1) {
        if (child + 1 < block->waiting_count && block->waiting[child + 1] < block->waiting[child])
            child++;
        if (block->waiting[child] >= key)
            break;
        block->waiting[at] = block->waiting[child];
        at = child;
    }
    block->waiting[at] = key;
}

/* Lets all that wait pass by the places; what then waits has left the block already. */
static void settle(struct block *block)
{
    for (uint32_t i = 0; block->waiting_count > 0 && i < block->used; i++) {
        uint32_t stood = block->place[i];
        if (block->waiting[0] < stood) {
            block->place[i] = block->waiting[0];
            replace_smallest(block, stood);
        }
    }
    block->waiting_count = 0;
}

/* The touched page, whose key is `now`, leaves its place; `carried` comes by from the first place on, and what is
 * carried in the end fills the gap. Returns the place. */
static uint32_t fill_gap(struct block *block, uint32_t now, uint32_t carried)
{
    uint32_t at = 0;
    settle(block);
    for (; block->place[at] != now; at++) {
        uint32_t stood = block->place[at];
        block->place[at] = stood < carried ? stood : carried;
        carried = stood < carried ? carried : stood;
    }
    block->place[at] = carried;
    return at;
}

/* --- the stack ---------------------------------------------------------------------------------------------------- */

static void set_block(struct opt_stack *stack, uint32_t key, uint32_t block)
{
    if (key != NEVER)
        stack->block_of[stack->pages[key]] = block;
}

/* Carries a key past the blocks before `end`; returns what comes out. */
static uint32_t carry_past(struct opt_stack *stack, uint32_t key, uint32_t end)
{
    for (uint32_t b = 0; b < end && key != NEVER; b++) {
        if (key >= stack->largest[b])
            continue;
        struct block *block = stack->block[b];
        if (block->waiting_count == PLACES)
            settle(block);
        wait_in(block, key);
        set_block(stack, key, b);
        key = push_out_largest(block, key);
        stack->largest[b] = block->sorted[block->used - 1];
    }
    return key;
}

/* A page that was in block b goes; returns how far from the top it was. */
static uint64_t take_from(struct opt_stack *stack, uint32_t b, uint32_t now)
{
    uint32_t carried = carry_past(stack, stack->top, b);
    struct block *block = stack->block[b];
    assert(block->sorted[0] == now);
    uint32_t at = fill_gap(block, now, carried);
    /* `now` is the smallest key there is, so it stands first. */
    uint32_t rank = rank_of(block, carried);
    memmove(block->sorted, block->sorted + 1, (rank - 1) * sizeof *block->sorted);
    block->sorted[rank - 1] = carried;
    stack->largest[b] = block->sorted[block->used - 1];
    set_block(stack, carried, b);
    return 2 + (uint64_t)b * PLACES + at;
}

static enum pl_err add_block(struct opt_stack *stack, struct pl_error *err)
{
    void *blocks = stack->block, *largest = stack->largest;
    enum pl_err rc =
        pl_grow(&blocks, &stack->block_capacity, stack->blocks + 1, sizeof *stack->block, "the stack", err);
    stack->block = blocks;
    if (rc == PL_OK)
        rc = pl_grow(&largest, &stack->largest_capacity, stack->blocks + 1, sizeof *stack->largest, "the stack", err);
    stack->largest = largest;
    if (rc)
        return rc;
    struct block *block = calloc(1, sizeof *block);
    if (!block)
        return pl_fail_memory(err, sizeof *block, "the stack");
    stack->block[stack->blocks++] = block;
    return PL_OK;
}

/* A first touch: what comes out at the end is a place of its own. */
static enum pl_err grow_stack(struct opt_stack *stack, struct pl_error *err)
{
    if (stack->depth++ == 0)
        return PL_OK;
    uint32_t carried = carry_past(stack, stack->top, (uint32_t)stack->blocks);
    if (stack->blocks == 0 || stack->block[stack->blocks - 1]->used == PLACES) {
        enum pl_err rc = add_block(stack, err);
        if (rc)
            return rc;
    }
    uint32_t b = (uint32_t)stack->blocks - 1;
    struct block *block = stack->block[b];
    settle(block);                                                    /* what waits has not come by the new place */
    block->place[block->used] = block->sorted[block->used] = carried; /* it came out as the largest */
    block->used++;
    stack->largest[b] = carried;
    set_block(stack, carried, b);
    return PL_OK;
}

/* Returns the stack distance of touch `now`, 0 for a first touch. */
static enum pl_err touch(struct opt_stack *stack, uint32_t now, uint64_t *distance, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    uint32_t *lies_in = &stack->block_of[stack->pages[now]];
    *distance = 0;
    if (*lies_in == OUTSIDE)
        rc = grow_stack(stack, err);
    else
        *distance = *lies_in == TOP ? 1 : take_from(stack, *lies_in, now);
    *lies_in = TOP;
    stack->top = stack->next_use[now];
    return rc;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static pl_page page_limit(const pl_page *pages, size_t count)
{
    pl_page largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = pages[i] > largest ? pages[i] : largest;
    return largest + 1;
}

/* Also leaves block_of[] at OUTSIDE everywhere, having used it for the touch after. */
static enum pl_err look_ahead(struct opt_stack *stack, size_t count, struct pl_error *err)
{
    size_t limit = page_limit(stack->pages, count);
    stack->next_use = malloc(count * sizeof *stack->next_use + 1);
    stack->block_of = malloc(limit * sizeof *stack->block_of);
    if (!stack->next_use || !stack->block_of)
        return pl_fail_memory(err, (count + limit) * sizeof *stack->next_use, "the future of a trace");
    memset(stack->block_of, 0xff, limit * sizeof *stack->block_of); /* NEVER */
    for (size_t i = count; i-- > 0;) {
        stack->next_use[i] = stack->block_of[stack->pages[i]];
        stack->block_of[stack->pages[i]] = (uint32_t)i;
    }
    memset(stack->block_of, 0xff, limit * sizeof *stack->block_of); /* OUTSIDE */
    return PL_OK;
}

static void stack_free(struct opt_stack *stack)
{
    for (size_t b = 0; b < stack->blocks; b++)
        free(stack->block[b]);
    free(stack->block);
    free(stack->largest);
    free(stack->next_use);
    free(stack->block_of);
}

/* From counts by distance to misses by size, in place. */
static void count_misses(uint64_t *reads, uint64_t depth, uint64_t always)
{
    uint64_t left = always;
    for (uint64_t d = depth; d > 0; d--) {
        uint64_t at = reads[d];
        reads[d] = left;
        left += at;
    }
    reads[0] = left;
}

enum pl_err pl_opt_curve(enum pl_rule rule, const pl_page *pages, size_t count, struct pl_curve_result *out,
                         struct pl_error *err)
{
    struct opt_stack stack = {.pages = pages};
    struct pl_curve_result result = {.rule = rule, .touches = count};
    uint64_t *hits = NULL;
    size_t capacity = 0;
    if (count >= TOP)
        return pl_fail(err, PL_ERR_RESOURCE, "%zu accesses: the optimum's curve takes fewer than %u", count, TOP);
    enum pl_err rc = look_ahead(&stack, count, err);
    size_t limit = rc == PL_OK ? (size_t)page_limit(pages, count) + 1 : 0;
    capacity = limit * sizeof *hits;
    if (rc == PL_OK && !(hits = pl_table_alloc(capacity)))
        rc = pl_fail_memory(err, capacity, "a curve");
    for (size_t i = 0; rc == PL_OK && i < count; i++) {
        uint64_t distance;
        rc = touch(&stack, (uint32_t)i, &distance, err);
        hits[distance]++;
    }
    if (rc == PL_OK) {
        result.cold = result.depth = stack.depth;
        count_misses(hits, result.depth, rule == PL_RULE_MEMSIM ? result.cold : 0);
        result.reads = hits;
        result.bytes = capacity;
        *out = result;
    } else if (hits) {
        pl_table_free(hits, capacity);
    }
    stack_free(&stack);
    return rc;
}
