/* curve/sample.c: estimated curves from a sample of the pages: the pass over the trace.
 *
 * Picking is a vector loop over a piece of the trace (stack_kernel.h); what is picked gets small page numbers, and
 * distances from the same time slots as the exact curve. A distance d among sampled pages is scaled to (d - u) / rate
 * with u in [0, 1) from a hash: the true distance of a touch lies anywhere between two multiples of 1 / rate, and the
 * spreading gives sizes in between their share. Each count weighs 1 / rate, which is what SHARDS calls the adjusted
 * estimate: expected and actual numbers of sampled touches may differ, misses are not blown up by that.
 *
 * Counters are of scaled distance: one for each size up to 256 pages, 64 for each doubling above. Write-backs follow
 * the largest scaled distance since the last write, as in the exact curve.
 *
 * Not modelled: an estimate below some 1 / rate pages rests on the spreading alone. */
#include "curve/sample_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_TOUCHES = 4096, FIRST_PAGES = 1024 };

/* --- making
 * ------------------------------------------------------------------------------------------------------------ */

static void set_threshold(struct pl_sample *sample, uint32_t threshold)
{
    sample->threshold = threshold;
    sample->weight = 0x1p32 / (double)threshold;
}

enum pl_err pl_sample_create(const struct pl_sample_params *params, struct pl_sample **out, struct pl_error *err)
{
    if (!(params->rate > 1e-9 && params->rate <= 1))
        return pl_fail(err, PL_ERR_USAGE, "a sampling rate lies above 0 and up to 1, not at %g", params->rate);
    const size_t bytes = (sizeof(struct pl_sample) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    struct pl_sample *sample = aligned_alloc(CACHE_LINE, bytes);
    if (!sample)
        return pl_fail_memory(err, bytes, "a sample");
    memset(sample, 0, bytes);
    sample->params = *params;
    sample->kernel = pl_stack_kernel(params->portable);
    sample->seed = (uint32_t)pl_mix64(params->seed + 1);
    double threshold = ceil(params->rate * 0x1p32);
    set_threshold(sample, threshold < 0x1p32 ? (uint32_t)threshold : UINT32_MAX);
    enum pl_err rc = pl_slots_create(&sample->stack.slots, 0, err);
    if (rc == PL_OK)
        rc = sample_windows_create(params, &sample->windows, err);
    if (rc) {
        pl_sample_free(sample);
        return rc;
    }
    pl_slots_fill(&sample->stack.slots, 0);
    *out = sample;
    return PL_OK;
}

void pl_sample_free(struct pl_sample *sample)
{
    if (!sample)
        return;
    sample_windows_free(sample->windows);
    pl_slots_destroy(&sample->stack.slots);
    sample_map_free(&sample->map);
    if (sample->stack.pages.last)
        pl_table_free(sample->stack.pages.last, sample->last_bytes);
    free(sample->pages);
    free(sample->heap);
    free(sample);
}

/* Room for the small page number `number`. */
static enum pl_err fit_number(struct pl_sample *sample, uint32_t number, struct pl_error *err)
{
    uint32_t **last = &sample->stack.pages.last;
    if (number < sample->stack.pages.limit)
        return PL_OK;
    uint64_t limit = number + number / 2 + (uint64_t)FIRST_PAGES;
    size_t bytes = limit * sizeof **last;
    uint32_t *grown = *last ? pl_table_grow(*last, sample->last_bytes, bytes) : pl_table_alloc(bytes);
    if (!grown)
        return pl_fail_memory(err, bytes, "sampled pages");
    *last = grown;
    sample->last_bytes = bytes;
    void *pages = sample->pages, *heap = sample->heap;
    enum pl_err rc = pl_grow(&pages, &sample->page_capacity, limit, sizeof *sample->pages, "sampled pages", err);
    sample->pages = pages;
    if (rc == PL_OK && sample->params.pages_max)
        rc = pl_grow(&heap, &sample->heap_capacity, limit, sizeof *sample->heap, "sampled pages", err);
    sample->heap = heap;
    if (rc == PL_OK)
        sample->stack.pages.limit = limit;
    return rc;
}

/* --- accounting
 * ---------------------------------------------------------------------------------------------------------- */

static unsigned group_of(pl_page page)
{
    return (unsigned)(pl_mix64((uint64_t)page + UINT64_C(0x9e3779b97f4a7c15)) % GROUPS);
}

/* A number in [0, 1) that depends on the touch alone. */
static double spread(const struct pl_sample *sample)
{
    return (double)(pl_mix64(sample->sampled_touches * UINT64_C(0x9e3779b97f4a7c15)) >> 11) * 0x1p-53;
}

/* One measured touch: `distance` among sampled pages, 0 for a first one; each stands for `pages_each`. */
static void account(struct pl_sample *sample, struct sampled_page *page, uint32_t distance, double pages_each,
                    bool write)
{
    unsigned group = group_of(page->page);
    sample->sampled_touches++;
    sample->known[KNOWN_TOUCHES][group] += sample->weight;
    sample->known[KNOWN_WRITES][group] += write ? sample->weight : 0;
    if (distance == 0) {
        sample->known[KNOWN_PAGES][group] += sample->weight;
        sample->sampled_first_reads += write ? 0 : sample->weight;
        page->reach = sample->params.rule == PL_RULE_MEMSIM ? SAMPLE_CLEAN : 0;
    } else {
        double scaled = (distance - spread(sample)) * pages_each;
        unsigned bin = sample_bin(scaled);
        sample->reads.bin[group][bin] += sample->weight;
        sample->stays.bin[group][bin] += (uint32_t)sample->sampled_touches - page->latest;
        page->reach = (float)scaled > page->reach ? (float)scaled : page->reach;
    }
    page->latest = (uint32_t)sample->sampled_touches;
    if (!write)
        return;
    if (page->reach > 0 && page->reach != SAMPLE_CLEAN)
        sample->writes.bin[group][sample_bin(page->reach)] += sample->weight;
    page->reach = 0;
}

static enum pl_err renew_slots(struct pl_sample *sample, struct pl_error *err)
{
    struct stack *stack = &sample->stack;
    sample->kernel->renumber(stack, 1);
    if ((uint64_t)stack->live * 3 > pl_slots_count(&stack->slots)) {
        pl_slots_destroy(&stack->slots);
        enum pl_err rc = pl_slots_create(&stack->slots, (uint64_t)stack->live * 4, err);
        if (rc)
            return rc;
    }
    pl_slots_fill(&stack->slots, stack->live);
    return PL_OK;
}

/* Measures what waits. */
static enum pl_err settle(struct pl_sample *sample, struct pl_error *err)
{
    struct stack *stack = &sample->stack;
    uint32_t distance[BATCH];
    for (uint32_t done = 0; done < sample->waiting;) {
        enum pl_err rc = pl_slots_used_up(&stack->slots) ? renew_slots(sample, err) : PL_OK;
        if (rc)
            return rc;
        done +=
            (uint32_t)sample->kernel->measure(stack, sample->number + done, sample->waiting - done, distance + done);
    }
    for (uint32_t i = 0; i < sample->waiting; i++)
        account(sample, &sample->pages[sample->number[i]], distance[i], sample->pages_each[i], sample->kind[i] == 1);
    sample->waiting = 0;
    return PL_OK;
}

/* --- a fixed number of pages
 * ----------------------------------------------------------------------------------------------- */

static uint32_t hash_at(const struct pl_sample *sample, uint32_t place)
{
    return pl_page_hash(sample->pages[sample->heap[place]].page, sample->seed);
}

static void heap_push(struct pl_sample *sample, uint32_t number)
{
    uint32_t place = sample->map.count - 1, *heap = sample->heap;
    heap[place] = number;
    while (place > 0 && hash_at(sample, place) > hash_at(sample, (place - 1) / 2)) {
        uint32_t parent = (place - 1) / 2, swap = heap[place];
        heap[place] = heap[parent];
        heap[parent] = swap;
        place = parent;
    }
}

/* Takes the top off; `size` entries are left. */
static uint32_t heap_pop(struct pl_sample *sample, uint32_t size)
{
    uint32_t *heap = sample->heap, top = heap[0], place = 0;
    heap[0] = heap[size];
    for (uint32_t child = 1; child < size; child = 2 * place + 1) {
        if (child + 1 < size && hash_at(sample, child + 1) > hash_at(sample, child))
            child++;
        if (hash_at(sample, child) <= hash_at(sample, place))
            break;
        uint32_t swap = heap[place];
        heap[place] = heap[child];
        heap[child] = swap;
        place = child;
    }
    return top;
}

/* One page too many: the one with the largest hash leaves, and the threshold sinks to its hash. */
static enum pl_err shrink(struct pl_sample *sample, struct pl_error *err)
{
    enum pl_err rc = settle(sample, err);
    if (rc)
        return rc;
    uint32_t number = heap_pop(sample, sample->map.count - 1);
    pl_page page = sample->pages[number].page;
    rc = sample_map_remove(&sample->map, page, err);
    if (rc)
        return rc;
    sample->kernel->forget(&sample->stack, number);
    set_threshold(sample, pl_page_hash(page, sample->seed));
    return PL_OK;
}

/* --- feeding
 * ---------------------------------------------------------------------------------------------------------------- */

/* How many pages of the trace, which has had `limit` so far, each sampled one stands for. */
static double pages_each(const struct pl_sample *sample, uint64_t limit)
{
    return sample_in_order(sample) ? (double)limit / sample->map.count : sample->weight;
}

static enum pl_err take(struct pl_sample *sample, pl_page page, uint8_t kind, uint64_t limit, struct pl_error *err)
{
    uint32_t number;
    bool added;
    enum pl_err rc = sample_map_get(&sample->map, page, &number, &added, err);
    if (rc == PL_OK && added) {
        rc = fit_number(sample, number, err);
        if (rc)
            return rc;
        sample->pages[number] = (struct sampled_page){page, 0, 0};
        if (sample->params.pages_max)
            heap_push(sample, number);
    }
    if (rc)
        return rc;
    sample->pages_each[sample->waiting] = pages_each(sample, limit);
    sample->number[sample->waiting] = number;
    sample->kind[sample->waiting++] = kind;
    if (sample->waiting == BATCH)
        rc = settle(sample, err);
    while (rc == PL_OK && sample->params.pages_max && sample->map.count > sample->params.pages_max)
        rc = shrink(sample, err);
    return rc;
}

/* Where pages have numbers in the order of their first use, a number that is new tells a first touch. */
static size_t find_firsts(struct pl_sample *sample, const pl_page *pages, const uint8_t *kinds, size_t count,
                          uint32_t *index)
{
    size_t found = sample->kernel->find_firsts(pages, count, (pl_page)sample->page_limit, index);
    for (size_t i = 0; i < found; i++)
        sample->first_reads += !kinds || kinds[index[i]] != 1;
    sample->firsts += found;
    sample->page_limit = (uint64_t)pages[index[found - 1]] + 1;
    return found;
}

static enum pl_err feed_piece(struct pl_sample *sample, const pl_page *pages, const uint8_t *kinds, size_t count,
                              struct pl_error *err)
{
    uint32_t index[PIECE_TOUCHES], first[PIECE_TOUCHES];
    pl_page largest;
    uint64_t writes, limit = sample->page_limit;
    enum pl_err rc = PL_OK;
    size_t picked = sample->kernel->pick(pages, count, sample->seed, sample->threshold, index);
    sample->kernel->survey(pages, kinds, count, &largest, &writes);
    sample->touches += count;
    sample->write_touches += writes;
    size_t firsts = largest >= limit ? find_firsts(sample, pages, kinds, count, first) : 0;
    for (size_t i = 0, passed = 0; rc == PL_OK && i < picked; i++) {
        pl_page page = pages[index[i]];
        while (passed < firsts && first[passed] <= index[i])
            passed++;
        /* The threshold may have sunk since the piece was looked through. */
        if (pl_page_hash(page, sample->seed) < sample->threshold)
            rc = take(sample, page, kinds ? kinds[index[i]] : 0, limit + passed, err);
    }
    return rc ? rc : sample_windows_feed(sample->windows, pages, kinds, first, firsts, count, err);
}

enum pl_err pl_sample_feed(struct pl_sample *sample, const pl_page *pages, const uint8_t *kinds, size_t count,
                           struct pl_error *err)
{
    for (size_t done = 0; done < count; done += PIECE_TOUCHES) {
        size_t piece = count - done < PIECE_TOUCHES ? count - done : PIECE_TOUCHES;
        enum pl_err rc = feed_piece(sample, pages + done, kinds ? kinds + done : NULL, piece, err);
        if (rc)
            return rc;
    }
    return PL_OK;
}

/* --- the end
 * ------------------------------------------------------------------------------------------------------------ */

/* A page's place in the order of latest touches. */
struct place {
    uint32_t last, number;
};

static int latest_first(const void *a, const void *b)
{
    uint32_t x = ((const struct place *)a)->last, y = ((const struct place *)b)->last;
    return x > y ? -1 : x < y;
}

/* Counts the pages that lie dirty below the top of the stack. */
static enum pl_err count_evicted(struct pl_sample *sample, struct pl_error *err)
{
    uint32_t live = 0;
    struct place *order = malloc((sample->map.count + (size_t)1) * sizeof *order);
    if (!order)
        return pl_fail_memory(err, sample->map.count * sizeof *order, "sampled pages");
    for (uint32_t i = 0; i < sample->map.capacity; i++) {
        uint32_t number = sample->map.entries[i].number;
        if (number != SAMPLE_NONE)
            order[live++] = (struct place){sample->stack.pages.last[number], number};
    }
    qsort(order, live, sizeof *order, latest_first);
    for (uint32_t i = 0; i < live; i++) {
        struct sampled_page *page = &sample->pages[order[i].number];
        float position = (float)((i + 1 - spread(sample)) * pages_each(sample, sample->page_limit));
        sample->sampled_touches++; /* so that each gets its own spread */
        sample->stays.bin[group_of(page->page)][sample_bin(position)] +=
            (uint32_t)sample->sampled_touches - page->latest;
        if (page->reach != SAMPLE_CLEAN)
            sample->writes.bin[group_of(page->page)][sample_bin(position > page->reach ? position : page->reach)] +=
                sample->weight;
    }
    sample->sampled_touches -= live;
    free(order);
    return PL_OK;
}

enum pl_err pl_sample_end(struct pl_sample *sample, struct pl_error *err)
{
    enum pl_err rc = settle(sample, err);
    if (rc == PL_OK)
        rc = count_evicted(sample, err);
    if (rc == PL_OK) {
        sample_sum_up(&sample->reads);
        sample_sum_up(&sample->writes);
        sample_windows_end(sample->windows);
        sample_prepare(sample);
    }
    return rc;
}

struct pl_sample_facts pl_sample_facts(const struct pl_sample *sample)
{
    struct pl_sample_facts facts = {.touches = sample->touches,
                                    .write_touches = sample->write_touches,
                                    .sampled_touches = sample->sampled_touches,
                                    .sampled_pages = sample->map.count,
                                    .rate = 1 / sample->weight};
    for (int group = 0; group < GROUPS; group++)
        facts.cold += sample->known[KNOWN_PAGES][group];
    facts.bytes = sizeof *sample + sample_windows_bytes(sample->windows) + sample->stack.slots.bytes +
                  sample->last_bytes + sample_map_bytes(&sample->map) + sample->page_capacity * sizeof *sample->pages +
                  sample->heap_capacity * sizeof *sample->heap;
    return facts;
}
