/* tests/bench/bench_curve.c: how fast the one-pass curve is, reads and write-backs both, dense pages in memory.
 *
 *   bench_curve              Zipf 0.9 over 1 M and 100 k pages; the etch traces when $PAGELAB_CASES is
 *                            set; and beside libCacheSim when $PAGELAB_LIBCACHESIM is its cachesim (bench_peer.h)
 *   bench_curve scaling RUNS CSV: the time of a touch by the number of pages, 10^3 to 10^8 (6 GB; plots/curve-cost.gp)
 *   bench_curve NAME RUNS    one of zipf-1m, zipf-100k, netscape, powerpoint, peer, or a FILE that pagelab reads
 *
 * Each line is the median of RUNS (5) runs, in million touches a second: one thread, then two threads and their ratio
 * by interleaved pairs, beside what two runs at once reach, which share nothing but the machine. `cpu` is by the
 * processor time of the process, which a busy machine disturbs less. `native` is one thread from a native file in the
 * page cache, end to end. */
#include "bench_peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS_MAX = 99, ZIPF_TOUCHES = 50000000, BATCH_TOUCHES = 65536 };

/* --- runs --------------------------------------------------------------------------------------------------------- */

struct timing {
    double wall, cpu; /* seconds */
    uint64_t check;
};

static uint64_t check_of(const struct pl_curve_result *result)
{
    const size_t bytes = (result->depth + 1) * sizeof *result->reads;
    return pl_xxh64(result->reads, bytes, 0) ^ pl_xxh64(result->writes, bytes, 1);
}

static struct timing run(const struct touches *touches, int threads, bool portable)
{
    struct pl_curve_params params = {.threads = threads, .portable = portable};
    struct pl_curve *curve;
    struct pl_curve_result result;
    struct timing timing;
    double wall = bench_seconds(CLOCK_MONOTONIC), cpu = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
    enum pl_err rc = pl_curve_create(&params, &curve, NULL);
    for (size_t done = 0; rc == PL_OK && done < touches->count; done += BATCH_TOUCHES) {
        size_t count = touches->count - done < BATCH_TOUCHES ? touches->count - done : BATCH_TOUCHES;
        rc = pl_curve_feed(curve, touches->page + done, touches->kind + done, count, NULL);
    }
    if (rc || pl_curve_finish(curve, &result, NULL))
        exit(3);
    timing.wall = bench_seconds(CLOCK_MONOTONIC) - wall;
    timing.cpu = bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    timing.check = check_of(&result);
    pl_curve_result_free(&result);
    return timing;
}

/* The same run in two processes at once, which share nothing but the machine: what two threads could reach at best. */
static double seconds_of_two(const struct touches *touches)
{
    double begin = bench_seconds(CLOCK_MONOTONIC);
    pid_t child = fork();
    run(touches, 1, false);
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return bench_seconds(CLOCK_MONOTONIC) - begin;
}

/* The curve of a native file, from opening it to the result. */
static struct timing run_native(const char *path)
{
    struct pl_curve_params params = {.threads = 1};
    struct pl_curve *curve;
    struct pl_curve_result result;
    struct pl_trace *trace;
    struct pl_batch batch;
    struct timing timing = {.wall = bench_seconds(CLOCK_MONOTONIC)};
    enum pl_err rc = pl_trace_open(path, NULL, &trace, NULL);
    if (rc || pl_curve_create(&params, &curve, NULL))
        exit(3);
    while ((rc = pl_trace_next(trace, &batch, NULL)) == PL_OK)
        if (pl_curve_feed(curve, batch.page, batch.kind, batch.count, NULL))
            exit(3);
    if (rc != PL_END || pl_curve_finish(curve, &result, NULL))
        exit(3);
    pl_trace_close(trace);
    timing.wall = bench_seconds(CLOCK_MONOTONIC) - timing.wall;
    timing.check = check_of(&result);
    pl_curve_result_free(&result);
    return timing;
}

static void measure(const char *name, const struct touches *touches, int runs)
{
    double one[RUNS_MAX], cpu[RUNS_MAX], two[RUNS_MAX], ratio[RUNS_MAX], ceiling[RUNS_MAX], work[RUNS_MAX],
           native[RUNS_MAX];
    double million = (double)touches->count / 1e6;
    char *path = bench_write_native(touches);
    run(touches, 2, false); /* memory that a virtual machine has not used lately is slow at first */
    for (int r = 0; r < runs; r++) {
        struct timing single = run(touches, 1, false), pair = run(touches, 2, false);
        struct timing file = run_native(path);
        if (single.check != pair.check || single.check != file.check) {
            unlink(path);
            fprintf(stderr, "bench_curve: %s: one thread, two threads and the native file differ\n", name);
            exit(1);
        }
        one[r] = million / single.wall;
        cpu[r] = million / single.cpu;
        two[r] = million / pair.wall;
        ratio[r] = single.wall / pair.wall;
        native[r] = million / file.wall;
        work[r] = pair.cpu / single.cpu;
        ceiling[r] = 2 * single.wall / seconds_of_two(touches);
    }
    unlink(path);
    free(path);
    double best = 0, best_cpu = 0;
    for (int r = 0; r < runs; r++) {
        best = one[r] > best ? one[r] : best;
        best_cpu = cpu[r] > best_cpu ? cpu[r] : best_cpu;
    }
    printf("%-12s %6.1f M/s (best %.1f; cpu %.1f, best %.1f)", name, bench_median(one, runs), best,
           bench_median(cpu, runs), best_cpu);
    printf("   2 threads %6.1f M/s, ratio %.2f of at most %.2f, work %.2f", bench_median(two, runs),
           bench_median(ratio, runs), bench_median(ceiling, runs), bench_median(work, runs));
    printf("   native %6.1f M/s\n", bench_median(native, runs));
    fflush(stdout);
}

enum { PEER_TOUCHES = 3000000, PEER_PAGES = 1000000 };

static void beside_peer(int runs)
{
    struct touches touches = bench_zipf(PEER_PAGES, PEER_TOUCHES, 0.9);
    bench_peer("zipf-1m", &touches, PEER_PAGES, runs);
    bench_touches_free(&touches);
}

/* One thread and two, reads and write-backs, Zipf 0.9; at least twice as many touches as pages. */
static void scaling(int runs)
{
    enum { LEAST_TOUCHES = 20000000 };
    printf("pages,touches,ns,ns_two_threads\n");
    for (uint64_t pages = 1000; pages <= 100000000; pages *= 10) {
        double one[RUNS_MAX], two[RUNS_MAX];
        uint64_t count = 2 * pages > LEAST_TOUCHES ? 2 * pages : LEAST_TOUCHES;
        struct touches touches = bench_zipf((pl_page)pages, count, 0.9);
        run(&touches, 1, false);
        for (int r = 0; r < runs; r++) {
            one[r] = run(&touches, 1, false).wall * 1e9 / (double)count;
            two[r] = run(&touches, 2, false).wall * 1e9 / (double)count;
        }
        printf("%llu,%llu,%.2f,%.2f\n", (unsigned long long)pages, (unsigned long long)count, bench_median(one, runs),
               bench_median(two, runs));
        fflush(stdout);
        bench_touches_free(&touches);
    }
}

static void bench(const char *name, int runs)
{
    struct touches touches;
    char path[1024];
    const char *cases = getenv("PAGELAB_CASES");
    if (!strcmp(name, "zipf-1m")) {
        touches = bench_zipf(1000000, ZIPF_TOUCHES, 0.9);
    } else if (!strcmp(name, "zipf-100k")) {
        touches = bench_zipf(100000, ZIPF_TOUCHES, 0.9);
    } else if (!strcmp(name, "netscape") || !strcmp(name, "powerpoint")) {
        if (!cases || !*cases) {
            printf("%-12s skipped: PAGELAB_CASES is not set\n", name);
            return;
        }
        snprintf(path, sizeof path, "%s/etch/%s.bz2", cases, name);
        touches = bench_read(path);
    } else {
        touches = bench_read(name);
    }
    measure(name, &touches, runs);
    bench_touches_free(&touches);
}

int main(int argc, char **argv)
{
    static const char *const all[] = {"zipf-1m", "zipf-100k", "netscape", "powerpoint"};
    int runs = argc > 2 ? atoi(argv[2]) : 5;
    runs = runs < 1 ? 1 : runs > RUNS_MAX ? RUNS_MAX : runs;
    for (size_t i = 0; argc < 2 && i < PL_COUNT_OF(all); i++)
        bench(all[i], runs);
    if (argc < 2 || !strcmp(argv[1], "peer"))
        beside_peer(runs);
    else if (!strcmp(argv[1], "scaling"))
        scaling(runs);
    else
        bench(argv[1], runs);
    return 0;
}
