/* curve/curve_snapshot.c: the counters of a run so far, summed up for some sizes without disturbing the run.
 *
 * Reads are counted as they happen. A write-back is only counted when the next write of its page comes (stack.h,
 * reach); the kernel's last step finds those that are still open. It counts them in bins, so it gets others for the
 * while. */
#include "curve/curve_private.h"
#include "curve/snapshot.h"

#include <assert.h>

static uint64_t reads_at(const struct stack *stack, uint64_t distance)
{
    uint64_t sum = stack->reads.low[distance] + stack->reads.high[distance];
    for (unsigned copy = 0; distance <= BATCH && copy < NEAR_COPIES; copy++)
        sum += stack->near[copy][distance];
    return sum;
}

/* Bins lie one further on than the reach they count. */
static uint64_t writes_at(const struct stack *stack, const struct bins *open, uint64_t reach)
{
    return (uint64_t)stack->dirty.low[reach + 1] + stack->dirty.high[reach + 1] + open->low[reach + 1] +
           open->high[reach + 1];
}

static void sum_reads(const struct stack *stack, const uint64_t *sizes, size_t count, uint64_t *reads)
{
    uint64_t left = stack->rule == PL_RULE_MEMSIM ? stack->live : 0;
    for (uint64_t distance = stack->live; distance > 0; distance--) {
        while (count > 0 && sizes[count - 1] >= distance)
            reads[--count] = left;
        left += reads_at(stack, distance);
    }
    while (count > 0)
        reads[--count] = left;
}

static void sum_writes(const struct stack *stack, const struct bins *open, const uint64_t *sizes, size_t count,
                       uint64_t *writes)
{
    uint64_t left = 0;
    for (uint64_t reach = stack->live; reach > 0; reach--) {
        while (count > 0 && sizes[count - 1] >= reach)
            writes[--count] = left;
        left += writes_at(stack, open, reach);
    }
    while (count > 0)
        writes[--count] = left;
}

enum pl_err pl_curve_snapshot(struct pl_curve *curve, const uint64_t *sizes, size_t count, struct pl_snapshot *out,
                              struct pl_error *err)
{
    struct stack *stack = &curve->stack;
    assert(!curve->parallel);
    curve->kernel->settle(stack);
    if (!stack->reads_only) {
        size_t bins = (size_t)stack->pages.limit + 2, bytes = bins * (sizeof(uint64_t) + 1);
        void *memory = pl_table_alloc(bytes);
        if (!memory)
            return pl_fail_memory(err, bytes, "a snapshot of a curve");
        struct bins open = {.high = memory, .low = (uint8_t *)memory + bins * sizeof(uint64_t)}, closed = stack->dirty;
        stack->dirty = open;
        curve->kernel->final(stack);
        stack->dirty = closed;
        sum_writes(stack, &open, sizes, count, out->writes);
        pl_table_free(memory, bytes);
    }
    sum_reads(stack, sizes, count, out->reads);
    out->touches = curve->touches;
    out->write_touches = curve->write_touches;
    out->cold = stack->live;
    return PL_OK;
}
