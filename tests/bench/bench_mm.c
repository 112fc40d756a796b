/* How fast the memory manager is, alone: touches of resident pages and of pages of which some fault, by policy.
 *
 * Usage: bench_mm [MILLIONS OF TOUCHES]. Prints one line per case; the traces are made beforehand. */
#define _GNU_SOURCE
#include "base/random.h"
#include "mm/mm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct work {
    pl_page *page;
    uint8_t *kind;
    uint32_t count;
    pl_page distinct;
};

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A draw of the Zipf-like density 1/x^s on 1 .. n by inversion. */
static pl_page zipf(struct pl_random *random, pl_page n, double s)
{
    double u = pl_random_unit(random), e = 1 - s;
    double x = pow(u * (pow((double)n + 1, e) - 1) + 1, 1 / e) - 1;
    return x < n ? (pl_page)x : n - 1;
}

static struct work make_work(const char *shape, pl_page distinct, uint32_t count)
{
    struct pl_random random = pl_random_named(1, shape);
    struct work w = {malloc(count * sizeof(pl_page)), malloc(count), count, distinct};
    bool skewed = shape[0] == 'z';
    uint32_t salt = 2654435761u;
    for (uint32_t i = 0; i < count; i++) {
        pl_page page = skewed ? zipf(&random, distinct, 0.9) : (pl_page)pl_random_below(&random, distinct);
        w.page[i] = skewed ? (pl_page)((uint64_t)page * salt % distinct) : page;
        w.kind[i] = pl_random_below(&random, 4) == 0;
    }
    return w;
}

/* Faults go to the disk and come from there at once. */
static bool serve(struct pl_memory *m, pl_page page, bool is_write, uint64_t *faults)
{
    struct pl_fault fault;
    pl_memory_fault(m, 0, page, is_write, &fault);
    if (fault.evicted.object != PL_NO_PAGE)
        pl_memory_settle_store(m, fault.evicted.object);
    ++*faults;
    return fault.state == PL_FAULT_READY && pl_memory_fault_end(m, &fault, is_write) == PL_TOUCH_DONE;
}

static double run(struct pl_memory *m, const struct work *w, uint64_t *faults)
{
    enum { BATCH = 65536 };
    struct pl_hot *hot = pl_memory_hot(m);
    double start = now_s();
    for (uint32_t i = 0; i < w->count;) {
        uint32_t end = w->count - i < BATCH ? w->count : i + BATCH;
        if (pl_memory_reserve_stamps(m, BATCH, NULL))
            exit(3);
        for (;; i++) {
            i += (uint32_t)pl_touch_run(hot, w->page + i, w->kind + i, end - i);
            if (i == end)
                break;
            if (!serve(m, w->page[i], w->kind[i] & 1, faults))
                exit(3);
        }
    }
    return now_s() - start;
}

static void bench(const char *policy, const char *shape, const struct work *w, uint32_t frames)
{
    struct pl_memory_params params = {.frames = frames};
    struct pl_process_params own = {.priority = 5};
    struct pl_memory *m;
    struct pl_error err;
    pl_process process;
    uint64_t faults = 0;
    if (pl_replacement_find(policy, &params.policy, &err) || pl_memory_create(&params, &m, &err) ||
        pl_memory_add_process(m, &own, &process, &err) ||
        pl_memory_map(m, process, 0, w->distinct, 0, PL_MAP_ZERO, 0, &err)) {
        fprintf(stderr, "bench_mm: %s\n", err.message);
        exit(3);
    }
    run(m, w, &faults); /* brings in */
    faults = 0;
    double best = INFINITY;
    for (int round = 0; round < 3; round++) {
        faults = 0;
        double seconds = run(m, w, &faults);
        best = seconds < best ? seconds : best;
    }
    printf("%-7s %-8s %8u pages %8u frames: %6.1f M touches/s, %5.2f %% faults", policy, shape, w->distinct, frames,
           w->count / best * 1e-6, 100.0 * (double)faults / w->count);
    if (faults)
        printf(", %5.0f ns a fault at most", best * 1e9 / (double)faults);
    printf(", %.1f bytes a page\n", (double)pl_memory_bytes(m) / w->distinct);
    pl_memory_destroy(m);
}

int main(int argc, char **argv)
{
    uint32_t count = (argc > 1 ? (uint32_t)atoi(argv[1]) : 20) * 1000000u;
    static const char *const policies[] = {"lru", "aging", "clock", "fifo", "random", "twoq"};
    struct work uniform = make_work("uniform", 1000000, count), skewed = make_work("zipf 0.9", 100000, count);
    bench("lru", "uniform", &uniform, 1000000);
    bench("lru", "zipf 0.9", &skewed, 100000);
    for (size_t i = 0; i < PL_COUNT_OF(policies); i++) {
        bench(policies[i], "uniform", &uniform, 950000);
        bench(policies[i], "zipf 0.9", &skewed, 80000);
    }
    bench("lru", "zipf 0.9", &skewed, 1000);
    free(uniform.page);
    free(uniform.kind);
    free(skewed.page);
    free(skewed.kind);
    return 0;
}
