/* curve/sample.c: estimated curves from a sample of the pages.
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
/* How many standard deviations wide an error is: those are estimated from 32 groups and know nothing of what is systematic. */
static const double DEVIATIONS = 2.5;
/* With fewer sampled pages than this in a memory, windows of time know better. */
static const double FEW_PAGES = 16;
static const double WRITES_DOUBT = 0.06;
static const float CLEAN = INFINITY;

/* What is kept of a sampled page, by its small number. */
struct sampled_page {
    pl_page page;
    float reach; /* largest scaled distance since it was last written; CLEAN: not dirty */
};

/* What is known of the whole trace, and how much of it each group stands for. */
enum { KNOWN_TOUCHES, KNOWN_WRITES, KNOWN_PAGES, KNOWNS };

struct pl_sample {
    struct pl_sample_params params;
    const struct stack_kernel *kernel;
    struct stack stack; /* over small page numbers, distances only */
    struct sample_map map;
    struct sampled_page *pages;
    uint32_t *heap; /* with pages_max: small numbers, the largest hash on top */
    size_t page_capacity, last_bytes, heap_capacity;
    uint32_t seed, threshold;
    uint64_t touches, write_touches, sampled_touches;
    double weight; /* 1 / rate */
    struct counts reads, writes;
    double known[KNOWNS][GROUPS];
    double lack[KNOWNS];            /* true total less the groups' sum; after the end */
    double factor[KNOWNS][KNOWNS];  /* Cholesky factor of the groups' covariances; a zero diagonal leaves one out */
    uint64_t page_limit;
    double first_reads; /* first touches that do not write */
    struct windows *windows;
    /* touches that were picked and not yet measured */
    uint32_t waiting;
    pl_page number[BATCH];
    uint8_t kind[BATCH];
};

/* --- making ------------------------------------------------------------------------------------------------------------ */

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
        rc = sample_windows_create(params->seed, params->portable, &sample->windows, err);
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

/* --- accounting ---------------------------------------------------------------------------------------------------------- */

static unsigned group_of(pl_page page)
{
    return (unsigned)(pl_mix64((uint64_t)page + UINT64_C(0x9e3779b97f4a7c15)) % GROUPS);
}

/* A number in [0, 1) that depends on the touch alone. */
static double spread(const struct pl_sample *sample)
{
    return (double)(pl_mix64(sample->sampled_touches * UINT64_C(0x9e3779b97f4a7c15)) >> 11) * 0x1p-53;
}

/* One measured touch: `distance` among sampled pages, 0 for a first one. */
static void account(struct pl_sample *sample, struct sampled_page *page, uint32_t distance, bool write)
{
    unsigned group = group_of(page->page);
    sample->sampled_touches++;
    sample->known[KNOWN_TOUCHES][group] += sample->weight;
    sample->known[KNOWN_WRITES][group] += write ? sample->weight : 0;
    if (distance == 0) {
        sample->known[KNOWN_PAGES][group] += sample->weight;
        sample->first_reads += write ? 0 : sample->weight;
        page->reach = sample->params.rule == PL_RULE_MEMSIM ? CLEAN : 0;
    } else {
        double scaled = (distance - spread(sample)) * sample->weight;
        sample->reads.bin[group][sample_bin(scaled)] += sample->weight;
        page->reach = (float)scaled > page->reach ? (float)scaled : page->reach;
    }
    if (!write)
        return;
    if (page->reach > 0 && page->reach != CLEAN)
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
        done += (uint32_t)sample->kernel->measure(stack, sample->number + done, sample->waiting - done, distance + done);
    }
    for (uint32_t i = 0; i < sample->waiting; i++)
        account(sample, &sample->pages[sample->number[i]], distance[i], sample->kind[i] == 1);
    sample->waiting = 0;
    return PL_OK;
}

/* --- a fixed number of pages ----------------------------------------------------------------------------------------------- */

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

/* --- feeding ---------------------------------------------------------------------------------------------------------------- */

static enum pl_err take(struct pl_sample *sample, pl_page page, uint8_t kind, struct pl_error *err)
{
    uint32_t number;
    bool added;
    enum pl_err rc = sample_map_get(&sample->map, page, &number, &added, err);
    if (rc == PL_OK && added) {
        rc = fit_number(sample, number, err);
        if (rc)
            return rc;
        sample->pages[number] = (struct sampled_page){page, 0};
        if (sample->params.pages_max)
            heap_push(sample, number);
    }
    if (rc)
        return rc;
    sample->number[sample->waiting] = number;
    sample->kind[sample->waiting++] = kind;
    if (sample->waiting == BATCH)
        rc = settle(sample, err);
    while (rc == PL_OK && sample->params.pages_max && sample->map.count > sample->params.pages_max)
        rc = shrink(sample, err);
    return rc;
}

static enum pl_err feed_piece(struct pl_sample *sample, const pl_page *pages, const uint8_t *kinds, size_t count,
                              struct pl_error *err)
{
    uint32_t index[PIECE_TOUCHES];
    pl_page largest;
    uint64_t writes;
    enum pl_err rc = PL_OK;
    size_t picked = sample->kernel->pick(pages, count, sample->seed, sample->threshold, index);
    sample->kernel->survey(pages, kinds, count, &largest, &writes);
    sample->touches += count;
    sample->write_touches += writes;
    sample->page_limit = largest >= sample->page_limit ? (uint64_t)largest + 1 : sample->page_limit;
    for (size_t i = 0; rc == PL_OK && i < picked; i++) {
        pl_page page = pages[index[i]];
        /* The threshold may have sunk since the piece was looked through. */
        if (pl_page_hash(page, sample->seed) < sample->threshold)
            rc = take(sample, page, kinds ? kinds[index[i]] : 0, err);
    }
    return rc ? rc : sample_windows_feed(sample->windows, pages, kinds, count, err);
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

/* --- the estimates ------------------------------------------------------------------------------------------------------------ */

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
        float position = (float)((i + 1 - spread(sample)) * sample->weight);
        sample->sampled_touches++; /* so that each gets its own spread */
        if (page->reach != CLEAN)
            sample->writes.bin[group_of(page->page)][sample_bin(position > page->reach ? position : page->reach)] +=
                sample->weight;
    }
    sample->sampled_touches -= live;
    free(order);
    return PL_OK;
}

static double mean_of(const double *values)
{
    double sum = 0;
    for (int group = 0; group < GROUPS; group++)
        sum += values[group];
    return sum / GROUPS;
}

static double covariance(const double *a, const double *b)
{
    double mean_a = mean_of(a), mean_b = mean_of(b), sum = 0;
    for (int group = 0; group < GROUPS; group++)
        sum += (a[group] - mean_a) * (b[group] - mean_b);
    return sum;
}

/* Factors the covariances of what is known. What is (nearly) a combination of others is left out. */
static void prepare_regression(struct pl_sample *sample)
{
    const double truth[KNOWNS] = {(double)sample->touches, (double)sample->write_touches, (double)sample->page_limit};
    for (int i = 0; i < KNOWNS; i++) {
        double own = covariance(sample->known[i], sample->known[i]), left = own;
        sample->lack[i] = truth[i] - mean_of(sample->known[i]) * GROUPS;
        for (int j = 0; j < i; j++) {
            double sum = covariance(sample->known[i], sample->known[j]);
            for (int k = 0; k < j; k++)
                sum -= sample->factor[i][k] * sample->factor[j][k];
            sample->factor[i][j] = sample->factor[j][j] > 0 ? sum / sample->factor[j][j] : 0;
            left -= sample->factor[i][j] * sample->factor[i][j];
        }
        bool usable = left > 1e-6 * own && (i != KNOWN_PAGES || sample->params.dense);
        sample->factor[i][i] = usable ? sqrt(left) : 0;
    }
}

enum pl_err pl_sample_end(struct pl_sample *sample, struct pl_error *err)
{
    enum pl_err rc = settle(sample, err);
    if (rc == PL_OK)
        rc = count_evicted(sample, err);
    if (rc == PL_OK) {
        sample_sum_up(&sample->reads);
        sample_sum_up(&sample->writes);
        prepare_regression(sample);
        sample_windows_end(sample->windows);
    }
    return rc;
}

/* Coefficients of the regression of `values` on what is known. */
static void regress(const struct pl_sample *sample, const double *values, double *coefficient)
{
    double right[KNOWNS];
    for (int i = 0; i < KNOWNS; i++) {
        right[i] = covariance(sample->known[i], values);
        for (int j = 0; j < i; j++)
            right[i] -= sample->factor[i][j] * right[j];
        right[i] = sample->factor[i][i] > 0 ? right[i] / sample->factor[i][i] : 0;
    }
    for (int i = KNOWNS - 1; i >= 0; i--) {
        double left = right[i];
        for (int j = i + 1; j < KNOWNS; j++)
            left -= sample->factor[j][i] * coefficient[j];
        coefficient[i] = sample->factor[i][i] > 0 ? left / sample->factor[i][i] : 0;
    }
}

/* The sum of the groups, corrected; what the regression leaves unexplained of their differences tells how far off. */
static double estimate(const struct pl_sample *sample, const double *values, double *deviation)
{
    double coefficient[KNOWNS], sum = mean_of(values) * GROUPS, rest[GROUPS];
    regress(sample, values, coefficient);
    memcpy(rest, values, sizeof rest);
    for (int i = 0; i < KNOWNS; i++) {
        sum += coefficient[i] * sample->lack[i];
        for (int group = 0; group < GROUPS; group++)
            rest[group] -= coefficient[i] * sample->known[i][group];
    }
    double variance = covariance(rest, rest) * GROUPS / (GROUPS - 1 - KNOWNS) * (1 - 1 / sample->weight);
    *deviation = variance > 0 ? sqrt(variance) : 0;
    return sum > 0 ? sum : 0;
}

/* From sampled pages alone. */
static struct pl_estimate by_pages(const struct pl_sample *sample, uint64_t pages)
{
    struct pl_estimate at;
    double reads[GROUPS], writes[GROUPS];
    for (int group = 0; group < GROUPS; group++) {
        reads[group] = sample_behind(sample->reads.bin[group], pages);
        writes[group] = sample_behind(sample->writes.bin[group], pages);
        if (sample->params.rule == PL_RULE_MEMSIM)
            reads[group] += sample->known[KNOWN_PAGES][group];
    }
    at.reads = estimate(sample, reads, &at.reads_error);
    at.writes = estimate(sample, writes, &at.writes_error);
    return at;
}

static double cold_pages(const struct pl_sample *sample, double *estimated)
{
    *estimated = mean_of(sample->known[KNOWN_PAGES]) * GROUPS;
    return sample->params.dense ? (double)sample->page_limit : *estimated;
}

/* What windows of time say. Their reads have first touches among them; each write starts a reach, and so does a first
 * touch that dirties its page. */
static bool by_windows(const struct pl_sample *sample, bool writes, uint64_t pages, double *count, double *deviation)
{
    bool memsim = sample->params.rule == PL_RULE_MEMSIM;
    double share, estimated, cold = cold_pages(sample, &estimated);
    if (!sample_windows_share(sample->windows, writes, pages, &share, deviation))
        return false;
    double of = (double)sample->touches;
    if (writes)
        of = (double)sample->write_touches + (memsim || estimated == 0 ? 0 : sample->first_reads * cold / estimated);
    *count = share * of - (writes || memsim ? 0 : cold);
    *count = *count > 0 ? *count : 0;
    *deviation *= of;
    if (writes) { /* reaches come out too short, by about a tenth of what is saved */
        double saved = of - *count;
        *deviation = hypot(*deviation, WRITES_DOUBT * (saved < *count ? saved : *count));
    }
    return true;
}

/* How far the scaling of distances blurs a curve at `pages`: a distance that rests on n sampled pages is off by a part of
 * about 1 / sqrt(n), so the curve is known only as well as it is level over such a range of sizes. Of that range most
 * averages out; the quarter that is left was found on synthetic and real traces. */
static void add_blur(const struct pl_sample *sample, uint64_t pages, struct pl_estimate *at)
{
    double n = (double)pages / sample->weight, part = n > 1 ? 1 / sqrt(n) : 1;
    struct pl_estimate above = by_pages(sample, (uint64_t)((double)pages * (1 + part)));
    struct pl_estimate below = by_pages(sample, (uint64_t)((double)pages / (1 + part)));
    at->reads_error = hypot(at->reads_error, (below.reads - above.reads) / 4);
    at->writes_error = hypot(at->writes_error, (below.writes - above.writes) / 4);
}

/* Sampled pages and windows together, each in proportion to how well it knows. */
static void combine(const struct pl_sample *sample, bool writes, uint64_t pages, double *count, double *deviation)
{
    double other, other_deviation;
    if (!by_windows(sample, writes, pages, &other, &other_deviation))
        return;
    bool few = (double)pages / sample->weight < FEW_PAGES;
    double weight = few ? 0 : 1 / (*deviation * *deviation + 1e-9);
    double other_weight = 1 / (other_deviation * other_deviation + 1e-9);
    *count = (*count * weight + other * other_weight) / (weight + other_weight);
    *deviation = 1 / sqrt(weight + other_weight);
}

struct pl_estimate pl_sample_at(const struct pl_sample *sample, uint64_t pages)
{
    struct pl_estimate at = by_pages(sample, pages);
    if (sample->threshold == UINT32_MAX) /* every page is in the sample */
        return at;
    add_blur(sample, pages, &at);
    combine(sample, false, pages, &at.reads, &at.reads_error);
    combine(sample, true, pages, &at.writes, &at.writes_error);
    at.reads_error *= DEVIATIONS;
    at.writes_error *= DEVIATIONS;
    return at;
}

struct pl_sample_facts pl_sample_facts(const struct pl_sample *sample)
{
    struct pl_sample_facts facts = {.touches = sample->touches,
                                    .write_touches = sample->write_touches,
                                    .sampled_touches = sample->sampled_touches,
                                    .sampled_pages = sample->map.count,
                                    .rate = 1 / sample->weight};
    facts.cold = mean_of(sample->known[KNOWN_PAGES]) * GROUPS;
    facts.bytes = sizeof *sample + sample_windows_bytes(sample->windows) + sample->stack.slots.bytes + sample->last_bytes + sample_map_bytes(&sample->map) +
                  sample->page_capacity * sizeof *sample->pages + sample->heap_capacity * sizeof *sample->heap;
    return facts;
}
