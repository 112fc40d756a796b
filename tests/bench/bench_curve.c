/* tests/bench/bench_curve.c: how fast the one-pass curve is, reads and write-backs both, dense pages in memory.
 *
 *   bench_curve                  Zipf 0.9 over 1 M and 100 k pages, and the etch traces when $PAGELAB_CASES names them
 *   bench_curve NAME RUNS        one of zipf-1m, zipf-100k, netscape, powerpoint, or a FILE that pagelab reads
 *
 * Each line is the median of RUNS (5) runs, in million touches a second: one thread, then two threads and their ratio by
 * interleaved pairs. `cpu` is by the processor time of the process, which a busy machine disturbs less. */
#include "base/base.h"
#include "curve/curve.h"
#include "trace/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS_MAX = 99, ZIPF_TOUCHES = 50000000, BATCH_TOUCHES = 65536 };

struct touches {
    pl_page *page;
    uint8_t *kind;
    size_t count, capacity, kind_capacity;
};

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

/* --- what to feed ------------------------------------------------------------------------------------------------------ */

static void grow(struct touches *touches, size_t more)
{
    void *pages = touches->page, *kinds = touches->kind;
    if (pl_grow(&pages, &touches->capacity, touches->count + more, sizeof(pl_page), "touches", NULL) ||
        pl_grow(&kinds, &touches->kind_capacity, touches->count + more, 1, "touches", NULL))
        exit(3);
    touches->page = pages;
    touches->kind = kinds;
}

/* Pages in the order of first use, three in ten touches write. Inverse of the cumulated weights, by a guide table. */
static struct touches make_zipf(pl_page pages, size_t count, double exponent)
{
    enum { GUIDES = 1 << 20 };
    struct touches touches = {0};
    grow(&touches, count);
    double *sum = malloc(pages * sizeof *sum), total = 0;
    pl_page *dense = malloc(pages * sizeof *dense), distinct = 0;
    pl_page *guide = malloc((GUIDES + 1) * sizeof *guide), rank = 0;
    memset(dense, 0xff, pages * sizeof *dense);
    for (pl_page p = 0; p < pages; p++)
        sum[p] = total += pow(p + 1, -exponent);
    for (int g = 0; g <= GUIDES; g++) {
        while (rank < pages - 1 && sum[rank] < total * g / GUIDES)
            rank++;
        guide[g] = rank;
    }
    struct pl_random random = pl_random_named(1, "bench_curve");
    for (size_t i = 0; i < count; i++) {
        double unit = pl_random_unit(&random);
        pl_page low = guide[(int)(unit * GUIDES)], high = guide[(int)(unit * GUIDES) + 1];
        while (low < high) {
            pl_page middle = low + (high - low) / 2;
            if (sum[middle] < unit * total)
                low = middle + 1;
            else
                high = middle;
        }
        if (dense[low] == PL_NO_PAGE)
            dense[low] = distinct++;
        touches.page[i] = dense[low];
        touches.kind[i] = pl_random_below(&random, 10) < 3;
    }
    touches.count = count;
    free(sum);
    free(dense);
    free(guide);
    return touches;
}

/* A file of touches; where it has no kinds, three in ten write. */
static struct touches read_trace(const char *path)
{
    struct touches touches = {0};
    struct pl_trace_options options = {.expand_ranges = true};
    struct pl_trace *trace;
    struct pl_batch batch;
    struct pl_error err;
    struct pl_random random = pl_random_named(1, "kinds");
    enum pl_err rc = pl_trace_open(path, &options, &trace, &err);
    if (rc) {
        fprintf(stderr, "bench_curve: %s\n", err.message);
        exit(2);
    }
    while ((rc = pl_trace_next(trace, &batch, &err)) == PL_OK) {
        grow(&touches, batch.count);
        memcpy(touches.page + touches.count, batch.page, batch.count * sizeof *batch.page);
        for (size_t i = 0; i < batch.count; i++)
            touches.kind[touches.count + i] = batch.kind ? batch.kind[i] : pl_random_below(&random, 10) < 3;
        touches.count += batch.count;
    }
    if (rc != PL_END) {
        fprintf(stderr, "bench_curve: %s\n", err.message);
        exit(2);
    }
    pl_trace_close(trace);
    return touches;
}

/* --- runs ---------------------------------------------------------------------------------------------------------------- */

struct timing {
    double wall, cpu; /* seconds */
    uint64_t check;
};

static struct timing run(const struct touches *touches, int threads, bool portable)
{
    struct pl_curve_params params = {.threads = threads, .portable = portable};
    struct pl_curve *curve;
    struct pl_curve_result result;
    struct timing timing;
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    enum pl_err rc = pl_curve_create(&params, &curve, NULL);
    for (size_t done = 0; rc == PL_OK && done < touches->count; done += BATCH_TOUCHES) {
        size_t count = touches->count - done < BATCH_TOUCHES ? touches->count - done : BATCH_TOUCHES;
        rc = pl_curve_feed(curve, touches->page + done, touches->kind + done, count, NULL);
    }
    if (rc || pl_curve_finish(curve, &result, NULL))
        exit(3);
    timing.wall = seconds(CLOCK_MONOTONIC) - wall;
    timing.cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    timing.check = pl_xxh64(result.reads, (result.depth + 1) * 8, 0) ^ pl_xxh64(result.writes, (result.depth + 1) * 8, 1);
    pl_curve_result_free(&result);
    return timing;
}

/* The same run in two processes at once, which share nothing but the machine: what two threads could reach at best. */
static double seconds_of_two(const struct touches *touches)
{
    double begin = seconds(CLOCK_MONOTONIC);
    pid_t child = fork();
    run(touches, 1, false);
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return seconds(CLOCK_MONOTONIC) - begin;
}

static void measure(const char *name, const struct touches *touches, int runs)
{
    double one[RUNS_MAX], cpu[RUNS_MAX], two[RUNS_MAX], ratio[RUNS_MAX], ceiling[RUNS_MAX], work[RUNS_MAX];
    double million = (double)touches->count / 1e6;
    run(touches, 2, false); /* memory that a virtual machine has not used lately is slow at first */
    for (int r = 0; r < runs; r++) {
        struct timing single = run(touches, 1, false), pair = run(touches, 2, false);
        if (single.check != pair.check) {
            fprintf(stderr, "bench_curve: %s: one and two threads differ\n", name);
            exit(1);
        }
        one[r] = million / single.wall;
        cpu[r] = million / single.cpu;
        two[r] = million / pair.wall;
        ratio[r] = single.wall / pair.wall;
        work[r] = pair.cpu / single.cpu;
        ceiling[r] = 2 * single.wall / seconds_of_two(touches);
    }
    double best = 0, best_cpu = 0;
    for (int r = 0; r < runs; r++) {
        best = one[r] > best ? one[r] : best;
        best_cpu = cpu[r] > best_cpu ? cpu[r] : best_cpu;
    }
    printf("%-12s %6.1f M/s (best %.1f; cpu %.1f, best %.1f)   2 threads %6.1f M/s, ratio %.2f of at most %.2f, work %.2f\n", name,
           median(one, runs), best, median(cpu, runs), best_cpu, median(two, runs), median(ratio, runs), median(ceiling, runs), median(work, runs));
    fflush(stdout);
}

static void bench(const char *name, int runs)
{
    struct touches touches;
    char path[1024];
    const char *cases = getenv("PAGELAB_CASES");
    if (!strcmp(name, "zipf-1m")) {
        touches = make_zipf(1000000, ZIPF_TOUCHES, 0.9);
    } else if (!strcmp(name, "zipf-100k")) {
        touches = make_zipf(100000, ZIPF_TOUCHES, 0.9);
    } else if (!strcmp(name, "netscape") || !strcmp(name, "powerpoint")) {
        if (!cases || !*cases) {
            printf("%-12s skipped: PAGELAB_CASES is not set\n", name);
            return;
        }
        snprintf(path, sizeof path, "%s/etch/%s.bz2", cases, name);
        touches = read_trace(path);
    } else {
        touches = read_trace(name);
    }
    measure(name, &touches, runs);
    free(touches.page);
    free(touches.kind);
}

int main(int argc, char **argv)
{
    static const char *const all[] = {"zipf-1m", "zipf-100k", "netscape", "powerpoint"};
    int runs = argc > 2 ? atoi(argv[2]) : 5;
    runs = runs < 1 ? 1 : runs > RUNS_MAX ? RUNS_MAX : runs;
    for (size_t i = 0; argc < 2 && i < PL_COUNT_OF(all); i++)
        bench(all[i], runs);
    if (argc >= 2)
        bench(argv[1], runs);
    return 0;
}
