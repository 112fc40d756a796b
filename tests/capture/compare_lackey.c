/* tests/capture/compare_lackey.c: a capture of every access against what valgrind's lackey saw of the same program.
 *
 *   compare_lackey TRACE LACKEY_LOG
 *
 * The two runs have their memory at different addresses. Each traced region of TRACE is laid over the pages of the log
 * at the shift at which the counts of touches by page agree best; from then on pages are counted from the region's
 * start. Prints for both the touches and pages in traced regions, the pages that one has alone (and why that may be),
 * and the LRU curves; exit 1 when more than 1 % of the pages differ, or the misses of any size of memory by more than 5
 * % or 1 in 200 touches.
 *
 * What may differ: the loader's relocations before the agent starts (log alone), buffers that only the kernel touches
 * (trace alone), string functions that the C library chooses for the processor that valgrind shows. */
#include "base/base.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS_MAX = 256, PAGES_MAX = 1 << 16 };

struct counted {
    uint64_t page, count;
};

struct run { /* touches of one run, by page number */
    uint64_t *touch;
    size_t count, capacity;
    struct counted *page; /* ascending */
    size_t pages;
};

struct extent {
    uint64_t first, end, touches;
    uint64_t shift; /* log page = page + shift; modulo 2^64 */
    bool placed;
};

static struct extent extents[REGIONS_MAX];
static size_t extent_count;

/* --- reading ------------------------------------------------------------------------------- */
/* The heap, low in memory, grows where it ends and is one region; mappings that happen to touch are two. */
static void add_extent(uint64_t first, uint64_t end)
{
    const uint64_t mappings = UINT64_C(0x7f0000000000) / 4096;
    for (size_t i = 0; i < extent_count; i++)
        if ((extents[i].end == first && first < mappings) || (extents[i].first <= first && end <= extents[i].end)) {
            if (end > extents[i].end)
                extents[i].end = end;
            return;
        }
    if (extent_count < REGIONS_MAX)
        extents[extent_count++] = (struct extent){.first = first, .end = end};
}

static void add_touch(struct run *run, uint64_t page)
{
    if (pl_grow((void **)&run->touch, &run->capacity, run->count + 1, sizeof *run->touch, "touches", NULL))
        exit(99);
    run->touch[run->count++] = page;
}

static void read_run(const char *path, const char *format, struct run *run, bool keep_extents)
{
    const struct pl_trace_options options = {
        .format = format, .need_dictionary = true, .expand_ranges = true, .ignore_execute = true, .modify_once = true};
    struct pl_trace *trace;
    struct pl_error err;
    struct pl_batch batch;
    enum pl_err rc = pl_trace_open(path, &options, &trace, &err);
    while (rc == PL_OK && (rc = pl_trace_next(trace, &batch, &err)) == PL_OK) {
        for (size_t i = 0; i < batch.control_count && keep_extents; i++)
            if (batch.control[i].op == PL_OP_ALLOCATE) {
                uint64_t first = pl_trace_page_origin(trace, (pl_page)batch.control[i].a).number;
                add_extent(first, first + batch.control[i].b);
            }
        for (size_t i = 0; i < batch.count; i++)
            add_touch(run, pl_trace_page_origin(trace, batch.page[i]).number);
    }
    if (rc != PL_END) {
        printf("%s: %s\n", path, err.message);
        exit(99);
    }
    pl_trace_close(trace);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void count_pages(struct run *run)
{
    uint64_t *sorted = malloc((run->count + 1) * sizeof *sorted);
    run->page = calloc(PAGES_MAX, sizeof *run->page);
    if (!sorted || !run->page)
        exit(99);
    memcpy(sorted, run->touch, run->count * sizeof *sorted);
    qsort(sorted, run->count, sizeof *sorted, by_number);
    for (size_t i = 0; i < run->count; i++) {
        if (run->pages == 0 || run->page[run->pages - 1].page != sorted[i]) {
            if (run->pages == PAGES_MAX)
                exit(99);
            run->page[run->pages++].page = sorted[i];
        }
        run->page[run->pages - 1].count++;
    }
    free(sorted);
}

static uint64_t count_of(const struct run *run, uint64_t page)
{
    const struct counted *found = bsearch(&page, run->page, run->pages, sizeof *run->page, by_number);
    return found ? found->count : 0;
}

/* --- laying regions over the log -------------------------------------------------------------- */
/* Touches that both have, less those that the log has too many. */
static int64_t agreement(const struct run *trace, const struct run *log, const struct extent *extent, uint64_t shift)
{
    int64_t score = 0;
    for (size_t i = 0; i < trace->pages; i++) {
        const struct counted *page = &trace->page[i];
        if (page->page < extent->first || page->page >= extent->end)
            continue;
        uint64_t there = count_of(log, page->page + shift);
        score += there < page->count ? (int64_t)there : 2 * (int64_t)page->count - (int64_t)there;
    }
    return score;
}

static void place(const struct run *trace, const struct run *log, struct extent *extent)
{
    int64_t best = 0;
    const struct counted *busiest = NULL;
    for (size_t i = 0; i < trace->pages; i++) {
        const struct counted *page = &trace->page[i];
        if (page->page < extent->first || page->page >= extent->end)
            continue;
        extent->touches += page->count;
        if (!busiest || page->count > busiest->count)
            busiest = page;
    }
    for (size_t i = 0; busiest && i < log->pages; i++) {
        uint64_t shift = log->page[i].page - busiest->page;
        int64_t score = agreement(trace, log, extent, shift);
        if (score > best) {
            best = score;
            extent->shift = shift;
            extent->placed = true;
        }
    }
    /* A region that is hardly like anything in the log is left out, and said so. */
    if (extent->touches && best * 2 < (int64_t)extent->touches)
        extent->placed = false;
}

/* A page as the two have it in common: its number in TRACE; false when it lies in no placed region. */
static bool common_page(uint64_t page, bool of_log, uint64_t *out)
{
    for (size_t i = 0; i < extent_count; i++) {
        uint64_t here = of_log ? page - extents[i].shift : page;
        if (extents[i].placed && here >= extents[i].first && here < extents[i].end) {
            *out = here;
            return true;
        }
    }
    return false;
}

static void keep_common(struct run *run, bool of_log)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->count; i++)
        if (common_page(run->touch[i], of_log, &run->touch[kept]))
            kept++;
    run->count = kept;
    free(run->page);
    run->page = NULL;
    run->pages = 0;
    count_pages(run);
}

/* --- comparing ------------------------------------------------------------------------------------ */
/* Misses of LRU by size, from a list moved to front: pages are few. */
static uint64_t *lru_misses(const struct run *run, size_t sizes)
{
    uint64_t *stack = malloc((run->pages + 1) * sizeof *stack), *hits = calloc(sizes + 2, sizeof *hits);
    size_t depth = 0;
    if (!stack || !hits)
        exit(99);
    for (size_t i = 0; i < run->count; i++) {
        size_t at = 0;
        while (at < depth && stack[at] != run->touch[i])
            at++;
        if (at < sizes && at < depth)
            hits[at + 1]++;
        if (at == depth)
            depth++;
        memmove(stack + 1, stack, at * sizeof *stack);
        stack[0] = run->touch[i];
    }
    for (size_t size = 1; size <= sizes; size++)
        hits[size] += hits[size - 1];
    for (size_t size = 0; size <= sizes; size++)
        hits[size] = run->count - hits[size];
    free(stack);
    return hits;
}

static size_t alone(const struct run *a, const struct run *b, const char *where)
{
    size_t count = 0;
    for (size_t i = 0; i < a->pages; i++)
        if (!count_of(b, a->page[i].page)) {
            printf("page %" PRIx64 ": %" PRIu64 " touches in the %s alone\n", a->page[i].page, a->page[i].count, where);
            count++;
        }
    return count;
}

static int compare_curves(const struct run *trace, const struct run *log)
{
    size_t sizes = trace->pages < log->pages ? log->pages : trace->pages;
    uint64_t *a = lru_misses(trace, sizes), *b = lru_misses(log, sizes);
    double worst = 0;
    int wrong = 0;
    for (size_t size = 1; size <= sizes; size++) {
        double difference = a[size] > b[size] ? (double)(a[size] - b[size]) : (double)(b[size] - a[size]);
        double relative = difference / (double)(b[size] ? b[size] : 1);
        if (difference > 0.005 * (double)log->count)
            wrong |= relative > 0.05;
        worst = relative > worst && difference > 0.005 * (double)log->count ? relative : worst;
        if (size <= 4 || (size & (size - 1)) == 0 || size == sizes)
            printf("%6zu pages: %10" PRIu64 " misses in the trace, %10" PRIu64 " in the log\n", size, a[size], b[size]);
    }
    printf("largest difference that counts: %.2f %%\n", 100 * worst);
    free(a);
    free(b);
    return wrong;
}

int main(int argc, char **argv)
{
    struct run trace = {0}, log = {0};
    if (argc != 3)
        return 2;
    read_run(argv[1], "native", &trace, true);
    read_run(argv[2], "lackey", &log, false);
    count_pages(&trace);
    count_pages(&log);
    size_t all = trace.count;
    for (size_t i = 0; i < extent_count; i++) {
        place(&trace, &log, &extents[i]);
        if (extents[i].touches)
            printf("region of %" PRIu64 " pages, %" PRIu64 " touches: %s\n", extents[i].end - extents[i].first,
                   extents[i].touches, extents[i].placed ? "found in the log" : "not found in the log");
    }
    keep_common(&trace, false);
    keep_common(&log, true);
    printf("%zu touches in the trace, %zu of them in regions found; %zu touches in the log\n", all, trace.count,
           log.count);
    size_t differing = alone(&trace, &log, "trace") + alone(&log, &trace, "log");
    size_t pages = trace.pages > log.pages ? trace.pages : log.pages;
    printf("%zu pages in the trace, %zu in the log, %zu differ\n", trace.pages, log.pages, differing);
    int wrong = trace.count < all * 9 / 10 || differing * 100 > pages;
    wrong |= compare_curves(&trace, &log);
    free(trace.touch), free(trace.page), free(log.touch), free(log.page);
    return wrong;
}
