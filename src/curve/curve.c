/* curve/curve.c: whole LRU curves in one pass: the tables, their growth, and the result.
 *
 * The structure is drawn in stack.h, the loops are in stack_kernel.h. For each page number: 8 bytes of page table, 2 * 9
 * of counters, and 4 time slots of a bit and a bit more (0.6 bytes): 27 bytes together, whatever the length of the
 * trace; the counters become the result where they lie. When the slots are used up they are renumbered in place: the new
 * number of a page's slot is the count of live ones before it, so nothing has to lead from slots back to pages. */
#include "curve/curve_private.h"

#include <stdlib.h>
#include <string.h>

const char *const pl_rule_names[] = {"demand-zero", "memsim", NULL};

enum {
    SLOTS_PER_PAGE = 4,     /* renumbering then costs a third of a count for each touch */
    SLOTS_PER_PAGE_MIN = 3, /* with fewer than this for each live page, make more */
    PIECE = 65536,          /* touches that are looked through for new page numbers at a time */
    LIMIT_MIN = 1024,       /* page numbers there is room for at first */
};
static const uint64_t PAGES_MAX = UINT64_C(1) << 29; /* slots have 31-bit numbers */

enum pl_err pl_curve_table_fit(struct table *table, size_t bytes, struct pl_error *err)
{
    void *grown = table->at ? pl_table_grow(table->at, table->bytes, bytes) : pl_table_alloc(bytes);
    if (!grown)
        return pl_fail_memory(err, bytes, "a table of the curve");
    table->at = grown;
    table->bytes = bytes;
    return PL_OK;
}

void pl_curve_table_free(struct table *table)
{
    if (table->at)
        pl_table_free(table->at, table->bytes);
    *table = (struct table){0};
}

/* --- making and growing ---------------------------------------------------------------------------------------------- */

static enum pl_err fit_bins(struct bins *bins, struct table *low, struct table *high, uint64_t count, struct pl_error *err)
{
    enum pl_err rc = pl_curve_table_fit(low, count, err);
    if (rc == PL_OK)
        rc = pl_curve_table_fit(high, count * sizeof *bins->high, err);
    bins->low = low->at;
    bins->high = high->at;
    return rc;
}

/* Tables of page numbers below `limit`. */
static enum pl_err fit_pages(struct pl_curve *curve, uint64_t limit, struct pl_error *err)
{
    struct stack *stack = &curve->stack;
    enum pl_err rc = pl_curve_table_fit(&curve->last, limit * 2 * sizeof *stack->pages.last, err);
    stack->pages.last = curve->last.at;
    return rc;
}

/* Space that is only reserved takes no memory, so there may be some to spare. */
enum pl_err pl_curve_make_room(struct pl_curve *curve, pl_page largest, struct pl_error *err)
{
    struct stack *stack = &curve->stack;
    uint64_t need = (uint64_t)largest + 1;
    uint64_t limit = stack->pages.limit + stack->pages.limit / 2;
    limit = limit > need ? limit : need;
    limit = limit > LIMIT_MIN ? limit : LIMIT_MIN;
    if (need > PAGES_MAX)
        return pl_fail(err, PL_ERR_RESOURCE, "more than %llu pages: too many for one exact curve; sample them",
                       (unsigned long long)PAGES_MAX);
    enum pl_err rc = fit_pages(curve, limit, err);
    /* A distance is at most the number of pages; a reach has its bin one further on. */
    if (rc == PL_OK)
        rc = fit_bins(&stack->reads, &curve->reads_low, &curve->reads_high, limit + 2, err);
    if (rc == PL_OK && !stack->reads_only)
        rc = fit_bins(&stack->dirty, &curve->dirty_low, &curve->dirty_high, limit + 2, err);
    if (rc == PL_OK)
        stack->pages.limit = limit;
    return rc;
}

static uint64_t slots_for(uint64_t pages)
{
    const uint64_t most = (UINT64_C(1) << 31) / 512 * LINE_SLOTS - GROUP_NODES * NODE_SLOTS;
    uint64_t slots = pages * SLOTS_PER_PAGE;
    return slots < most ? slots : most;
}

enum pl_err pl_curve_create(const struct pl_curve_params *params, struct pl_curve **out, struct pl_error *err)
{
    const size_t bytes = (sizeof(struct pl_curve) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    struct pl_curve *curve = aligned_alloc(CACHE_LINE, bytes);
    if (!curve)
        return pl_fail_memory(err, bytes, "a curve");
    memset(curve, 0, bytes);
    curve->kernel = pl_stack_kernel(params->portable);
    curve->stack.rule = params->rule;
    curve->stack.reads_only = params->reads_only;
    enum pl_err rc = pl_curve_make_room(curve, params->pages_hint, err);
    if (rc == PL_OK)
        rc = pl_slots_create(&curve->stack.slots, slots_for(params->pages_hint), err);
    if (rc == PL_OK) {
        pl_slots_fill(&curve->stack.slots, 0);
        if (params->threads > 1)
            rc = pl_parallel_create(curve, params, &curve->parallel, err);
    }
    if (rc) {
        pl_curve_abandon(curve);
        return rc;
    }
    *out = curve;
    return PL_OK;
}

void pl_curve_abandon(struct pl_curve *curve)
{
    if (!curve)
        return;
    if (curve->parallel)
        pl_parallel_close(curve->parallel);
    pl_slots_destroy(&curve->stack.slots);
    pl_curve_table_free(&curve->last);
    pl_curve_table_free(&curve->reads_low);
    pl_curve_table_free(&curve->reads_high);
    pl_curve_table_free(&curve->dirty_low);
    pl_curve_table_free(&curve->dirty_high);
    free(curve);
}

/* --- feeding --------------------------------------------------------------------------------------------------------- */

enum pl_err pl_curve_renew_slots(struct pl_curve *curve, uint64_t more, struct pl_error *err)
{
    struct stack *stack = &curve->stack;
    uint64_t live = stack->live + more;
    curve->kernel->renumber(stack, 2);
    if (live * SLOTS_PER_PAGE_MIN > pl_slots_count(&stack->slots) &&
        slots_for(live) > pl_slots_count(&stack->slots)) {
        pl_slots_destroy(&stack->slots); /* before the new ones: nothing in them is needed */
        enum pl_err rc = pl_slots_create(&stack->slots, slots_for(live), err);
        if (rc)
            return rc;
    }
    pl_slots_fill(&stack->slots, stack->live);
    return PL_OK;
}

static enum pl_err feed_piece(struct pl_curve *curve, const pl_page *pages, const uint8_t *kinds, size_t count,
                              struct pl_error *err)
{
    pl_page largest;
    uint64_t writes;
    curve->kernel->survey(pages, kinds, count, &largest, &writes);
    enum pl_err rc = largest < curve->stack.pages.limit ? PL_OK : pl_curve_make_room(curve, largest, err);
    for (size_t done = 0; rc == PL_OK && done < count;) {
        if (!pl_curve_has_slots(curve))
            rc = pl_curve_renew_slots(curve, 0, err);
        if (rc == PL_OK)
            done += curve->kernel->feed(&curve->stack, pages + done, kinds ? kinds + done : NULL, count - done);
    }
    curve->touches += count;
    curve->write_touches += writes;
    return rc;
}

enum pl_err pl_curve_feed(struct pl_curve *curve, const pl_page *pages, const uint8_t *kinds, size_t count,
                          struct pl_error *err)
{
    if (curve->parallel)
        return pl_parallel_feed(curve->parallel, pages, kinds, count, err);
    for (size_t done = 0; done < count; done += PIECE) {
        size_t piece = count - done < PIECE ? count - done : PIECE;
        enum pl_err rc = feed_piece(curve, pages + done, kinds ? kinds + done : NULL, piece, err);
        if (rc)
            return rc;
    }
    return PL_OK;
}

/* --- the result ------------------------------------------------------------------------------------------------------ */

/* Adds up each counter's two parts in `high`. */
static void join_bins(struct bins *bins, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        bins->high[i] += bins->low[i];
}

/* Turns counts by distance into counts of misses by size, in place: curve[m] = the sum of counts behind index m + shift,
 * plus `always`. Goes upwards, and never writes what it has yet to read. */
static void count_misses(uint64_t *counts, uint64_t depth, unsigned shift, uint64_t always)
{
    uint64_t left = always;
    for (uint64_t i = shift + 1; i <= depth + shift; i++)
        left += counts[i];
    for (uint64_t m = 0; m <= depth; m++) {
        uint64_t here = left;
        if (m < depth)
            left -= counts[m + 1 + shift];
        counts[m] = here;
    }
}

static void make_reads(struct stack *stack, bool memsim)
{
    uint64_t depth = stack->live;
    join_bins(&stack->reads, depth + 1);
    for (uint64_t distance = 1; distance <= BATCH && distance <= depth; distance++)
        for (unsigned copy = 0; copy < NEAR_COPIES; copy++)
            stack->reads.high[distance] += stack->near[copy][distance];
    count_misses(stack->reads.high, depth, 0, memsim ? depth : 0);
}

enum pl_err pl_curve_finish(struct pl_curve *curve, struct pl_curve_result *out, struct pl_error *err)
{
    struct stack *stack = &curve->stack;
    enum pl_err rc = curve->parallel ? pl_parallel_finish(curve->parallel, err) : PL_OK;
    if (rc) {
        pl_curve_abandon(curve);
        return rc;
    }
    struct pl_curve_result result = {.rule = stack->rule,
                                     .touches = curve->touches,
                                     .write_touches = curve->write_touches,
                                     .cold = stack->live,
                                     .depth = stack->live};
    curve->kernel->settle(stack);
    if (!stack->reads_only) {
        curve->kernel->final(stack);
        join_bins(&stack->dirty, result.depth + 2);
        count_misses(stack->dirty.high, result.depth, 1, 0);
        result.writes = curve->dirty_high.at;
        curve->dirty_high.at = NULL;
    }
    make_reads(stack, stack->rule == PL_RULE_MEMSIM);
    result.reads = curve->reads_high.at;
    result.bytes = curve->reads_high.bytes;
    curve->reads_high.at = NULL;
    pl_curve_abandon(curve);
    *out = result;
    return PL_OK;
}

void pl_curve_result_free(struct pl_curve_result *result)
{
    pl_table_free(result->reads, result->bytes);
    pl_table_free(result->writes, result->bytes);
    *result = (struct pl_curve_result){0};
}
