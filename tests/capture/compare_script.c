/* tests/capture/compare_script.c: is a trace what the victim's script says?
 *
 *   compare_script exact OUTPUT TRACE     every touch of each region, in order, with its kind; each region by one
 * thread
 *   compare_script pages OUTPUT TRACE     the set of pages touched, without order
 *   compare_script written OUTPUT TRACE   the set of pages written, without order
 *
 * OUTPUT is what the victim printed, TRACE what was captured. Prints what differs; exit 1 then. */
#include "base/base.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS = 8, TOUCHES_MAX = 1 << 20 };

struct step {
    uint32_t page, other; /* other: an `either` line's second page, else UINT32_MAX */
    char kind;
};

struct region {
    uint64_t first; /* page number */
    uint32_t pages;
    struct step *steps;
    size_t count;
    struct step *seen; /* by the trace */
    size_t seen_count;
    uint64_t thread;
    bool mixed; /* touched by several threads */
};

static struct region regions[REGIONS];
static size_t region_count;

static struct step *room_for(struct step *steps, size_t count)
{
    if (count % 4096)
        return steps;
    steps = count < TOUCHES_MAX ? realloc(steps, (count + 4096) * sizeof *steps) : NULL;
    if (!steps) {
        fprintf(stderr, "compare_script: too many touches\n");
        exit(99);
    }
    return steps;
}

static void add_step(struct region *region, struct step step)
{
    region->steps = room_for(region->steps, region->count);
    region->steps[region->count++] = step;
}

static void read_output(const char *path)
{
    FILE *stream = fopen(path, "r");
    char line[256];
    unsigned number, page, other, count, pages;
    unsigned long long start;
    char kind;
    if (!stream)
        exit(99);
    while (fgets(line, sizeof line, stream)) {
        if (sscanf(line, "region %u %llx %u", &number, &start, &pages) == 3 && number < REGIONS) {
            regions[number] = (struct region){.first = start / 4096, .pages = pages};
            region_count = number + 1 > region_count ? number + 1 : region_count;
        } else if (sscanf(line, "expect %u %c %u %u", &number, &kind, &page, &count) == 4 && number < region_count) {
            for (unsigned i = 0; i < count; i++)
                add_step(&regions[number], (struct step){page, UINT32_MAX, kind});
        } else if (sscanf(line, "either %u %c %u %u", &number, &kind, &page, &other) == 4 && number < region_count) {
            add_step(&regions[number], (struct step){page, other, kind});
        }
    }
    fclose(stream);
}

static void note(uint64_t number, char kind, uint64_t thread)
{
    for (size_t i = 0; i < region_count; i++) {
        struct region *region = &regions[i];
        if (number < region->first || number >= region->first + region->pages)
            continue;
        region->mixed |= region->seen_count && region->thread != thread;
        region->thread = thread;
        region->seen = room_for(region->seen, region->seen_count);
        region->seen[region->seen_count++] = (struct step){(uint32_t)(number - region->first), UINT32_MAX, kind};
    }
}

static void read_trace(const char *path)
{
    const struct pl_trace_options options = {.need_dictionary = true, .expand_ranges = true};
    struct pl_trace *trace;
    struct pl_error err;
    struct pl_batch batch;
    uint64_t thread = 0;
    enum pl_err rc = pl_trace_open(path, &options, &trace, &err);
    while (rc == PL_OK && (rc = pl_trace_next(trace, &batch, &err)) == PL_OK)
        for (size_t i = 0, next = 0; i < batch.count; i++) {
            for (; next < batch.control_count && batch.control[next].at <= i; next++)
                if (batch.control[next].op == PL_OP_SWITCH)
                    thread = batch.control[next].b;
            bool write = batch.kind && batch.kind[i] == PL_WRITE;
            note(pl_trace_page_origin(trace, batch.page[i]).number, write ? 'W' : 'R', thread);
        }
    if (rc != PL_END) {
        printf("%s\n", err.message);
        exit(1);
    }
    pl_trace_close(trace);
}

/* --- comparing -------------------------------------------------------------------------------- */
static int differs(size_t number, size_t at, const struct step *wanted, const struct step *seen)
{
    printf("region %zu, touch %zu: ", number, at);
    if (wanted)
        printf("the script says %c of page %" PRIu32 ", ", wanted->kind, wanted->page);
    else
        printf("the script has ended, ");
    if (seen)
        printf("the trace has %c of page %" PRIu32 "\n", seen->kind, seen->page);
    else
        printf("the trace has ended\n");
    return 1;
}

static bool same(const struct step *wanted, const struct step *seen)
{
    return wanted->kind == seen->kind && wanted->page == seen->page;
}

static int compare_order(size_t number)
{
    const struct region *region = &regions[number];
    size_t at = 0;
    for (size_t i = 0; i < region->count; i++) {
        const struct step *wanted = &region->steps[i];
        if (at == region->seen_count)
            return differs(number, at, wanted, NULL);
        if (wanted->other != UINT32_MAX) { /* two touches, in either order */
            struct step low = {wanted->page, UINT32_MAX, wanted->kind},
                        high = {wanted->other, UINT32_MAX, wanted->kind};
            if (at + 1 >= region->seen_count)
                return differs(number, at, wanted, NULL);
            const struct step *a = &region->seen[at], *b = &region->seen[at + 1];
            if (!(same(&low, a) && same(&high, b)) && !(same(&high, a) && same(&low, b)))
                return differs(number, at, wanted, a);
            at += 2;
        } else if (!same(wanted, &region->seen[at])) {
            return differs(number, at, wanted, &region->seen[at]);
        } else {
            at++;
        }
    }
    if (at < region->seen_count)
        return differs(number, at, NULL, &region->seen[at]);
    if (region->mixed) {
        printf("region %zu: touched by several threads\n", number);
        return 1;
    }
    return 0;
}

static int compare_sets(size_t number, bool writes)
{
    const struct region *region = &regions[number];
    int wrong = 0;
    uint8_t *mark = calloc(region->pages, 1);
    for (size_t i = 0; i < region->count; i++)
        if (!writes || region->steps[i].kind == 'W') {
            mark[region->steps[i].page] |= 1;
            if (region->steps[i].other != UINT32_MAX)
                mark[region->steps[i].other] |= 1;
        }
    for (size_t i = 0; i < region->seen_count; i++)
        if (!writes || region->seen[i].kind == 'W')
            mark[region->seen[i].page] |= 2;
    for (uint32_t page = 0; page < region->pages; page++)
        if (mark[page] == 1 || mark[page] == 2) {
            printf("region %zu: page %" PRIu32 " is in the %s alone\n", number, page,
                   mark[page] == 1 ? "script" : "trace");
            wrong = 1;
        }
    free(mark);
    return wrong;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "compare_script exact|pages|written OUTPUT TRACE\n");
        return 2;
    }
    read_output(argv[2]);
    read_trace(argv[3]);
    int wrong = region_count == 0;
    size_t touches = 0;
    for (size_t i = 0; i < region_count; i++) {
        wrong |= !strcmp(argv[1], "exact") ? compare_order(i) : compare_sets(i, !strcmp(argv[1], "written"));
        touches += regions[i].seen_count;
    }
    if (!wrong)
        printf("%zu touches of %zu regions as the script says\n", touches, region_count);
    for (size_t i = 0; i < region_count; i++) {
        free(regions[i].steps);
        free(regions[i].seen);
    }
    return wrong;
}
