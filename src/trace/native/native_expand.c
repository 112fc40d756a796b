/* trace/native/native_expand.c: range records as plain touches.
 *
 * A range can be far longer than a batch, so the work is cut into parts: plain touches are handed out where they lie, a
 * range in pieces of at most PL_BATCH_MAX. The touches of a range happen at the range's time. */
#include "trace/native/native.h"

struct pl_native_expander {
    struct pl_batch batch;   /* what is being taken apart */
    bool busy;
    size_t touch;            /* the next one */
    size_t control;          /* the next one */
    uint64_t range_done;     /* touches of the present range handed out */
    uint64_t distinct;       /* before the next part */
    pl_page *page;
    uint8_t *kind;
    int64_t *time;
    struct pl_control one;   /* a control record moved to the start of its part */
};

struct pl_native_expander *pl_native_expander_create(struct pl_arena *arena)
{
    struct pl_native_expander *expander = pl_arena_alloc(arena, 1, sizeof *expander);
    if (!expander)
        return NULL;
    expander->page = pl_arena_alloc(arena, PL_BATCH_MAX, sizeof *expander->page);
    expander->kind = pl_arena_alloc(arena, PL_BATCH_MAX, 1);
    expander->time = pl_arena_alloc(arena, PL_BATCH_MAX, sizeof *expander->time);
    return expander->page && expander->kind && expander->time ? expander : NULL;
}

void pl_native_expander_start(struct pl_native_expander *expander, const struct pl_batch *batch)
{
    expander->batch = *batch;
    expander->busy = true;
    expander->touch = expander->control = 0;
    expander->range_done = 0;
}

static uint64_t distinct_with(uint64_t distinct, const pl_page *page, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (page[i] >= distinct)
            distinct = (uint64_t)page[i] + 1;
    return distinct;
}

/* Plain touches up to the next control record. */
static void plain_part(struct pl_native_expander *expander, size_t end, struct pl_batch *out)
{
    const struct pl_batch *batch = &expander->batch;
    const size_t from = expander->touch;
    *out = (struct pl_batch){
        .count = end - from,
        .page = batch->page + from,
        .kind = batch->kind ? batch->kind + from : NULL,
        .time = batch->time ? batch->time + from : NULL,
        .size = batch->size ? batch->size + from : NULL,
    };
    expander->distinct = distinct_with(expander->distinct, out->page, out->count);
    out->distinct = expander->distinct;
    expander->touch = end;
}

static void range_part(struct pl_native_expander *expander, const struct pl_control *range, struct pl_batch *out)
{
    const uint64_t left = range->b - expander->range_done;
    const size_t count = left < PL_BATCH_MAX ? (size_t)left : PL_BATCH_MAX;
    uint64_t page = range->a + range->c * expander->range_done;
    for (size_t i = 0; i < count; i++, page += range->c) {
        expander->page[i] = (pl_page)page;
        expander->time[i] = range->time;
    }
    memset(expander->kind, range->kind, count);
    *out = (struct pl_batch){
        .count = count,
        .page = expander->page,
        .kind = expander->kind,
        .time = expander->batch.time ? expander->time : NULL,
    };
    expander->distinct = distinct_with(expander->distinct, out->page, count);
    out->distinct = expander->distinct;
    expander->range_done += count;
    if (expander->range_done < range->b)
        return;
    expander->range_done = 0;
    expander->control++;
}

/* A record that is not a range, alone. An allocation may bring new pages. */
static void control_part(struct pl_native_expander *expander, const struct pl_control *control, struct pl_batch *out)
{
    expander->one = *control;
    expander->one.at = 0;
    if (control->op == PL_OP_ALLOCATE && control->a + control->b > expander->distinct)
        expander->distinct = control->a + control->b;
    *out = (struct pl_batch){
        .page = expander->page,
        .control = &expander->one,
        .control_count = 1,
        .distinct = expander->distinct,
    };
    expander->control++;
}

static bool has_ranges(const struct pl_batch *batch)
{
    for (size_t i = 0; i < batch->control_count; i++)
        if (batch->control[i].op == PL_OP_RANGE)
            return true;
    return false;
}

bool pl_native_expander_next(struct pl_native_expander *expander, struct pl_batch *out)
{
    const struct pl_batch *batch = &expander->batch;
    if (!expander->busy)
        return false;
    if (expander->touch == 0 && expander->control == 0 && expander->range_done == 0 && !has_ranges(batch)) {
        *out = *batch;
        expander->distinct = batch->distinct;
        expander->busy = false;
        return true;
    }
    const struct pl_control *control =
        expander->control < batch->control_count ? &batch->control[expander->control] : NULL;
    const size_t end = control ? control->at : batch->count;
    if (expander->touch < end) {
        plain_part(expander, end, out);
        return true;
    }
    if (!control) {
        expander->busy = false;
        expander->distinct = batch->distinct;
        return false;
    }
    if (control->op == PL_OP_RANGE && control->b > 0)
        range_part(expander, control, out);
    else
        control_part(expander, control, out);
    return true;
}
