/* curve/byte_curve.c: stack distances in bytes, by a tree of sums over time slots.
 *
 *   slots    | page 4, 900 B | (free) | page 1, 2100 B | page 7, 64 B | ...      every touch takes the next slot
 *   sums     a Fenwick tree: bytes in the slots before a given one
 *
 * A page lies in the slot of its latest touch; the bytes from there to the end are its distance. When the slots are
 * used up, the free ones are squeezed out. Cost: O(log slots) a touch. Write-backs follow as in stack.h, by the
 * farthest that a page has been from the top since it was written. Distances and reaches are counted in units, rounded
 * up: a store of m units holds the page exactly when that is at most m.
 *
 * Does not model: what a store adds to a page's size (size classes, records, fragmentation); give sizes that have it.
 */
#include "curve/byte_curve.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 4096, SLOTS_PER_PAGE = 4, PAGES_MIN = 1024 };
#define CLEAN UINT32_MAX /* a reach: not dirty in any store */

struct page_state {
    uint32_t slot;  /* of its latest touch, from 1; 0: never */
    uint32_t reach; /* the largest distance since it was written, in units */
    uint32_t bytes;
};

struct pl_byte_curve {
    struct pl_byte_curve_params params;
    struct page_state *page;
    size_t page_limit;
    uint64_t *tree;  /* 1 .. slots */
    pl_page *holder; /* by slot: whose it is, when its page's latest */
    uint32_t slots, now;
    uint64_t total; /* bytes of all pages */
    uint64_t pages, touches, write_touches;
    uint64_t *hits, *dirty; /* by distance, and by reach, in units */
    size_t bins;
};

enum pl_err pl_byte_curve_create(const struct pl_byte_curve_params *params, struct pl_byte_curve **out,
                                 struct pl_error *err)
{
    struct pl_byte_curve *curve = calloc(1, sizeof *curve);
    if (!curve)
        return pl_fail_memory(err, sizeof *curve, "a curve by bytes");
    curve->params = *params;
    *out = curve;
    return PL_OK;
}

static void table_free(void *table, size_t count, size_t size)
{
    if (table)
        pl_table_free(table, count * size);
}

void pl_byte_curve_abandon(struct pl_byte_curve *curve)
{
    if (!curve)
        return;
    table_free(curve->page, curve->page_limit, sizeof *curve->page);
    table_free(curve->hits, curve->bins, sizeof *curve->hits);
    table_free(curve->dirty, curve->bins, sizeof *curve->dirty);
    free(curve->tree);
    free(curve->holder);
    free(curve);
}

/* --- tables that grow --------------------------------------------------------------------------------------------- */

static enum pl_err table_fit(void **table, size_t former, size_t count, size_t size, struct pl_error *err)
{
    void *grown = *table ? pl_table_grow(*table, former * size, count * size) : pl_table_alloc(count * size);
    if (!grown)
        return pl_fail_memory(err, count * size, "a curve by bytes");
    *table = grown;
    return PL_OK;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static enum pl_err fit_page(struct pl_byte_curve *curve, pl_page page, struct pl_error *err)
{
    if (page < curve->page_limit)
        return PL_OK;
    size_t limit = larger(larger(curve->page_limit + curve->page_limit / 2, (size_t)page + 1), PAGES_MIN);
    void *table = curve->page;
    enum pl_err rc = table_fit(&table, curve->page_limit, limit, sizeof *curve->page, err);
    curve->page = table;
    if (rc == PL_OK)
        curve->page_limit = limit;
    return rc;
}

static uint64_t units(const struct pl_byte_curve *curve, uint64_t bytes)
{
    return bytes / curve->params.unit_bytes + (bytes % curve->params.unit_bytes != 0);
}

/* Room for distances up to all pages together. */
static enum pl_err fit_bins(struct pl_byte_curve *curve, struct pl_error *err)
{
    uint64_t need = units(curve, curve->total) + 1;
    if (need <= curve->bins)
        return PL_OK;
    if (need >= CLEAN)
        return pl_fail(err, PL_ERR_RESOURCE, "the pages take more than %u units of %u bytes", CLEAN - 1,
                       curve->params.unit_bytes);
    size_t count = larger(larger(curve->bins + curve->bins / 2, (size_t)need), PAGES_MIN);
    void *hits = curve->hits, *dirty = curve->dirty;
    enum pl_err rc = table_fit(&hits, curve->bins, count, sizeof *curve->hits, err);
    curve->hits = hits;
    if (rc == PL_OK) {
        rc = table_fit(&dirty, curve->bins, count, sizeof *curve->dirty, err);
        curve->dirty = dirty;
        if (rc) { /* both have one size */
            pl_table_free(curve->hits, count * sizeof *curve->hits);
            curve->hits = NULL;
        }
    }
    if (rc == PL_OK)
        curve->bins = count;
    return rc;
}

/* --- the sums ----------------------------------------------------------------------------------------------------- */

static uint64_t bytes_before(const struct pl_byte_curve *curve, uint32_t slot)
{
    uint64_t sum = 0;
    for (uint32_t i = slot - 1; i > 0; i &= i - 1)
        sum += curve->tree[i];
    return sum;
}

static void change_bytes(struct pl_byte_curve *curve, uint32_t slot, uint64_t by) /* modulo 2^64 */
{
    for (uint64_t i = slot; i <= curve->slots; i += i & -i)
        curve->tree[i] += by;
}

/* Gives the pages the first slots, in their order; makes more slots when most are in use. */
static enum pl_err renew_slots(struct pl_byte_curve *curve, struct pl_error *err)
{
    uint64_t slots = larger(SLOTS_MIN, (size_t)curve->pages * SLOTS_PER_PAGE);
    slots = slots < curve->slots ? curve->slots : slots;
    if (slots >= UINT32_MAX)
        return pl_fail(err, PL_ERR_RESOURCE, "%llu pages: too many for a curve by bytes",
                       (unsigned long long)curve->pages);
    uint64_t *tree = calloc(slots + 1, sizeof *tree);
    pl_page *holder = malloc((slots + 1) * sizeof *holder);
    if (!tree || !holder) {
        free(tree);
        free(holder);
        return pl_fail_memory(err, (slots + 1) * (sizeof *tree + sizeof *holder), "the time slots of a curve");
    }
    uint32_t used = 0;
    for (uint32_t slot = 1; slot <= curve->now; slot++) {
        struct page_state *page = &curve->page[curve->holder[slot]];
        if (page->slot != slot)
            continue;
        holder[++used] = curve->holder[slot];
        page->slot = used;
        tree[used] = page->bytes;
    }
    for (uint64_t i = 1; i <= slots; i++)
        if (i + (i & -i) <= slots)
            tree[i + (i & -i)] += tree[i];
    free(curve->tree);
    free(curve->holder);
    curve->tree = tree;
    curve->holder = holder;
    curve->slots = (uint32_t)slots;
    curve->now = used;
    return PL_OK;
}

/* --- touches ------------------------------------------------------------------------------------------------------ */

/* A page of size 0 that was touched last lies at distance 0, and every store has it. */
static void touch_again(struct pl_byte_curve *curve, struct page_state *page)
{
    uint64_t distance = units(curve, curve->total - bytes_before(curve, page->slot));
    curve->hits[distance]++;
    if (page->reach != CLEAN && page->reach < distance)
        page->reach = (uint32_t)distance;
    change_bytes(curve, page->slot, -(uint64_t)page->bytes);
}

static enum pl_err touch_first(struct pl_byte_curve *curve, pl_page number, struct pl_error *err)
{
    struct page_state *page = &curve->page[number];
    page->bytes = curve->params.bytes_of(curve->params.user, number);
    page->reach = curve->params.rule == PL_RULE_MEMSIM ? CLEAN : 0;
    curve->pages++;
    curve->total += page->bytes;
    return fit_bins(curve, err);
}

static enum pl_err touch(struct pl_byte_curve *curve, pl_page number, bool write, struct pl_error *err)
{
    enum pl_err rc = fit_page(curve, number, err);
    if (rc == PL_OK && curve->now == curve->slots)
        rc = renew_slots(curve, err);
    if (rc)
        return rc;
    struct page_state *page = &curve->page[number];
    if (page->slot)
        touch_again(curve, page);
    else
        rc = touch_first(curve, number, err);
    if (rc)
        return rc;
    if (write) {
        if (page->reach != CLEAN)
            curve->dirty[page->reach]++;
        page->reach = 0;
    }
    page->slot = ++curve->now;
    curve->holder[page->slot] = number;
    change_bytes(curve, page->slot, page->bytes);
    curve->touches++;
    curve->write_touches += write;
    return PL_OK;
}

enum pl_err pl_byte_curve_feed(struct pl_byte_curve *curve, const pl_page *pages, const uint8_t *kinds, size_t count,
                               struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    for (size_t i = 0; rc == PL_OK && i < count; i++)
        rc = touch(curve, pages[i], kinds && kinds[i] == 1, err);
    return rc;
}

uint64_t pl_byte_curve_bytes(const struct pl_byte_curve *curve)
{
    return curve->total;
}

/* --- the result --------------------------------------------------------------------------------------------------- */

/* Pages that lie dirty below the top. */
static void count_open(struct pl_byte_curve *curve)
{
    for (size_t number = 0; number < curve->page_limit; number++) {
        const struct page_state *page = &curve->page[number];
        if (!page->slot || page->reach == CLEAN)
            continue;
        uint64_t position = units(curve, curve->total - bytes_before(curve, page->slot));
        curve->dirty[position > page->reach ? position : page->reach]++;
    }
}

/* From counts by distance to counts beyond a size, in place. */
static void count_beyond(uint64_t *counts, uint64_t depth, uint64_t always)
{
    uint64_t left = always;
    for (uint64_t i = depth + 1; i-- > 0;) {
        uint64_t at = counts[i];
        counts[i] = left;
        left += at;
    }
}

enum pl_err pl_byte_curve_finish(struct pl_byte_curve *curve, struct pl_curve_result *out, struct pl_error *err)
{
    enum pl_err rc = fit_bins(curve, err);
    if (rc == PL_OK) {
        struct pl_curve_result result = {.rule = curve->params.rule,
                                         .touches = curve->touches,
                                         .write_touches = curve->write_touches,
                                         .cold = curve->pages,
                                         .depth = units(curve, curve->total),
                                         .reads = curve->hits,
                                         .writes = curve->dirty,
                                         .bytes = curve->bins * sizeof *curve->hits};
        count_open(curve);
        count_beyond(curve->hits, result.depth, curve->params.rule == PL_RULE_MEMSIM ? curve->pages : 0);
        count_beyond(curve->dirty, result.depth, 0);
        curve->hits = curve->dirty = NULL;
        *out = result;
    }
    pl_byte_curve_abandon(curve);
    return rc;
}
