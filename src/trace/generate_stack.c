/* trace/generate_stack.c: a long list from whose middle items are moved to the front.
 *
 * The list is cut into chunks of 1,024 items, each a ring that knows where it starts. Lifting the item at depth d closes its
 * gap within one chunk and then passes one item from each chunk before it to the next: a ring does that by stepping
 * back its start. Cost: up to 4 KiB moved, and d / 1,024 steps. */
#include "trace/generate.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1024 };

struct pl_stack {
    uint64_t count;
    uint32_t *items;  /* chunk by chunk */
    uint16_t *starts; /* of each ring */
    size_t bytes;
};

enum pl_err pl_stack_create(uint64_t count, struct pl_stack **out, struct pl_error *err)
{
    struct pl_stack *stack = calloc(1, sizeof *stack);
    const size_t chunks = (size_t)((count + CHUNK - 1) / CHUNK);
    if (!stack)
        return pl_fail_memory(err, sizeof *stack, "a stack of pages");
    stack->count = count;
    stack->bytes = chunks * CHUNK * sizeof *stack->items;
    stack->items = pl_table_alloc(stack->bytes);
    stack->starts = calloc(chunks, sizeof *stack->starts);
    if (!stack->items || !stack->starts) {
        pl_stack_free(stack);
        return pl_fail_memory(err, (size_t)count * sizeof *stack->items, "a stack of pages");
    }
    for (uint64_t i = 0; i < count; i++)
        stack->items[i] = (uint32_t)i;
    *out = stack;
    return PL_OK;
}

/* Takes the item at place `at` of the ring out and moves those before it up by one, which frees the ring's first place. */
static uint32_t take_out(uint32_t *ring, unsigned start, unsigned at)
{
    const unsigned here = (start + at) % CHUNK;
    const uint32_t item = ring[here];
    if (here >= start) {
        memmove(ring + start + 1, ring + start, (here - start) * sizeof *ring);
        return item;
    }
    memmove(ring + 1, ring, here * sizeof *ring);
    ring[0] = ring[CHUNK - 1];
    memmove(ring + start + 1, ring + start, (CHUNK - 1 - start) * sizeof *ring);
    return item;
}

uint32_t pl_stack_lift(struct pl_stack *stack, uint64_t depth)
{
    const size_t chunk = (size_t)(depth / CHUNK);
    uint32_t *ring = stack->items + chunk * CHUNK;
    const uint32_t item = take_out(ring, stack->starts[chunk], depth % CHUNK);
    /* The free place is the first of the item's chunk; each chunk before gives its last item to the next one. */
    uint32_t passed = item;
    for (size_t i = 0; i < chunk; i++) {
        uint32_t *each = stack->items + i * CHUNK;
        const unsigned last = (stack->starts[i] + CHUNK - 1u) % CHUNK;
        const uint32_t next = each[last];
        each[last] = passed;
        stack->starts[i] = (uint16_t)last;
        passed = next;
    }
    ring[stack->starts[chunk]] = passed;
    return item;
}

void pl_stack_free(struct pl_stack *stack)
{
    if (!stack)
        return;
    pl_table_free(stack->items, stack->bytes);
    free(stack->starts);
    free(stack);
}
