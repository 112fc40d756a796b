/* How fast a replay is, and how much memory it takes, from a native file on, decoding included; beside libCacheSim's LRU
 * when $PAGELAB_LIBCACHESIM is its cachesim.
 *
 * Usage: bench_replay [MILLIONS OF TOUCHES [rates|ranges|memory]]. Every run is a process of its own, so that its peak
 * memory is its own; a figure is the median of five. A trace touches each page once, in order; only what comes after that is
 * timed. The file, packed, is in $TMPDIR and in the page cache. Beside each rate by processor time stands the rate by the
 * clock on the wall: where they differ the machine was busy with something else. */
#define _GNU_SOURCE
#include "bench_replay_peer.h"
#include "sim/sim.h"

#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPEATS = 5 };

struct figures {
    double cpu_s, wall_s;
    uint64_t touches, faults;
    double peak_bytes;
};

/* What a run is: a trace file or, without one, a range record again and again. */
struct work {
    const char *path;
    pl_page pages;
    const char *const *changes;      /* to the machine */
    uint64_t range_passes, range_step;
    bool other_between;              /* one touch of another page between two passes */
};

static void must(enum pl_err rc, const struct pl_error *err)
{
    if (rc != PL_OK && rc != PL_END) {
        fprintf(stderr, "bench_replay: %s\n", err->message);
        exit(3);
    }
}

static double seconds(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* --- traces -------------------------------------------------------------------------------- */

/* A draw of the density 1/x^s on 1 .. n by inversion. */
static pl_page zipf(struct pl_random *random, pl_page n, double s)
{
    double u = pl_random_unit(random), e = 1 - s;
    double x = pow(u * (pow((double)n + 1, e) - 1) + 1, 1 / e) - 1;
    return x < n ? (pl_page)x : n - 1;
}

static pl_page draw(struct pl_random *random, pl_page pages, double s)
{
    enum { SCATTER = 1000003 }; /* a prime: neighbours in rank are none in memory */
    return s > 0 ? (pl_page)((uint64_t)zipf(random, pages, s) * SCATTER % pages)
                 : (pl_page)pl_random_below(random, pages);
}

/* All pages once in order, then `count` touches, a quarter of them writes. s = 0: uniform. */
static void write_trace(const char *path, pl_page pages, double s, uint64_t count)
{
    static pl_page page[PL_BATCH_MAX];
    static uint8_t kind[PL_BATCH_MAX];
    struct pl_random random = pl_random_named(1, "replay");
    struct pl_trace_header header = {.page_size = 4096};
    struct pl_trace_writer *writer;
    struct pl_error err = {PL_OK, ""};
    must(pl_trace_writer_open(path, "native", true, &header, &writer, &err), &err);
    for (uint64_t done = 0; done < pages + count;) {
        size_t size = pages + count - done < PL_BATCH_MAX ? (size_t)(pages + count - done) : PL_BATCH_MAX;
        for (size_t i = 0; i < size; i++, done++) {
            page[i] = done < pages ? (pl_page)done : draw(&random, pages, s);
            kind[i] = pl_random_below(&random, 4) ? PL_READ : PL_WRITE;
        }
        struct pl_batch batch = {.count = size, .page = page, .kind = kind, .distinct = done < pages ? done : pages};
        must(pl_trace_write(writer, &batch, NULL, NULL, &err), &err);
    }
    must(pl_trace_writer_close(writer, &err), &err);
}

/* --- one run, in a process of its own -------------------------------------------------------- */

static struct pl_sim *make_sim(const struct work *work, struct pl_arena *arena)
{
    struct pl_parameters *parameters;
    struct pl_machine machine;
    struct pl_sim_options options = {0};
    struct pl_sim *sim;
    struct pl_error err = {PL_OK, ""};
    must(pl_machine_parameters(arena, &parameters, &err), &err);
    for (const char *const *change = work->changes; *change; change++)
        must(pl_parameters_override(parameters, *change, &err), &err);
    must(pl_machine_finish(parameters, &machine, &err), &err);
    must(pl_sim_create(&machine, &options, &sim, &err), &err);
    return sim;
}

static void start(struct figures *out)
{
    out->cpu_s = -seconds(CLOCK_PROCESS_CPUTIME_ID);
    out->wall_s = -seconds(CLOCK_MONOTONIC);
}

static void stop(struct figures *out)
{
    out->cpu_s += seconds(CLOCK_PROCESS_CPUTIME_ID);
    out->wall_s += seconds(CLOCK_MONOTONIC);
}

static void run_trace(struct pl_sim *sim, const struct work *work, struct figures *out)
{
    struct pl_trace *trace;
    struct pl_batch batch;
    struct pl_error err = {PL_OK, ""};
    enum pl_err rc;
    uint64_t fed = 0, timed_from = 0;
    must(pl_trace_open(work->path, NULL, &trace, &err), &err);
    while ((rc = pl_trace_next(trace, &batch, &err)) == PL_OK) {
        must(pl_sim_feed(sim, &batch, &err), &err);
        fed += batch.count;
        if (!timed_from && fed >= work->pages) {
            timed_from = fed;
            start(out);
        }
    }
    must(rc, &err);
    stop(out);
    out->touches = fed - timed_from;
    pl_trace_close(trace);
}

/* The pages are there from the first pass on, which is not timed unless it is the only one. */
static void run_range(struct pl_sim *sim, const struct work *work, struct figures *out)
{
    struct pl_error err = {PL_OK, ""};
    uint64_t all = (uint64_t)work->pages * work->range_step;
    pl_page other = 0;
    struct pl_control allocate = {.op = PL_OP_ALLOCATE, .flags = 1, .a = 0, .b = all};
    struct pl_control range = {.op = PL_OP_RANGE, .a = 0, .b = work->pages, .c = work->range_step, .kind = PL_WRITE};
    struct pl_batch map = {.control_count = 1, .control = &allocate, .distinct = all};
    struct pl_batch pass = {.control_count = 1, .control = &range, .distinct = all};
    struct pl_batch between = {.count = 1, .page = &other, .distinct = all};
    must(pl_sim_feed(sim, &map, &err), &err);
    if (work->range_passes > 1)
        must(pl_sim_feed(sim, &pass, &err), &err);
    start(out);
    for (uint64_t i = 0; i < work->range_passes; i++) {
        must(pl_sim_feed(sim, &pass, &err), &err);
        if (work->other_between)
            must(pl_sim_feed(sim, &between, &err), &err);
    }
    stop(out);
    out->touches = work->range_passes * work->pages;
}

static void run_here(const struct work *work, struct figures *out)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_error err = {PL_OK, ""};
    struct pl_sim *sim = make_sim(work, arena);
    if (work->path)
        run_trace(sim, work, out);
    else
        run_range(sim, work, out);
    must(pl_sim_finish(sim, &err), &err);
    const struct pl_sim_result *result = pl_sim_result(sim);
    out->faults = result->all.faults[PL_FAULT_STORE] + result->all.faults[PL_FAULT_HARD];
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    out->peak_bytes = (double)usage.ru_maxrss * 1024;
    pl_sim_destroy(sim);
    pl_arena_destroy(arena);
}

static struct figures run(const struct work *work)
{
    struct figures figures = {0};
    int ends[2], status = 0;
    fflush(stdout);
    pid_t child = pipe(ends) ? -1 : fork();
    if (child == 0) {
        run_here(work, &figures);
        _exit(write(ends[1], &figures, sizeof figures) == (ssize_t)sizeof figures ? 0 : 3);
    }
    if (child < 0 || read(ends[0], &figures, sizeof figures) != (ssize_t)sizeof figures ||
        waitpid(child, &status, 0) != child || status) {
        fprintf(stderr, "bench_replay: a run failed\n");
        exit(3);
    }
    close(ends[0]);
    close(ends[1]);
    return figures;
}

/* --- figures -------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Each figure's own median. */
static struct figures median(const struct work *work)
{
    double cpu[REPEATS], wall[REPEATS], peak[REPEATS];
    struct figures figures = {0};
    for (int i = 0; i < REPEATS; i++) {
        figures = run(work);
        cpu[i] = figures.cpu_s;
        wall[i] = figures.wall_s;
        peak[i] = figures.peak_bytes;
    }
    qsort(cpu, REPEATS, sizeof *cpu, by_size);
    qsort(wall, REPEATS, sizeof *wall, by_size);
    qsort(peak, REPEATS, sizeof *peak, by_size);
    figures.cpu_s = cpu[REPEATS / 2];
    figures.wall_s = wall[REPEATS / 2];
    figures.peak_bytes = peak[REPEATS / 2];
    return figures;
}

static void rate(const char *what, const struct work *work)
{
    struct figures figures = median(work);
    double touches = (double)figures.touches;
    printf("replay, %-44s %8.1f M touches/s (wall %.1f), %.2f %% faults\n", what, touches / figures.cpu_s * 1e-6,
           touches / figures.wall_s * 1e-6, 100 * (double)figures.faults / touches);
}

static void pass(const char *what, const struct work *work)
{
    struct figures figures = median(work);
    double passes = (double)work->range_passes, touches = (double)figures.touches;
    printf("replay, %-44s %8.3f ms a pass (wall %.3f), %.4f ns a page\n", what, figures.cpu_s / passes * 1e3,
           figures.wall_s / passes * 1e3, figures.cpu_s / touches * 1e9);
}

/* Two traces of the same length that differ in their pages. */
static void memory(const char *what, const char *path, const char *const *changes_small,
                   const char *const *changes_large)
{
    enum { SMALL = 1000000, LARGE = 3000000 };
    struct work small = {.path = path, .pages = SMALL, .changes = changes_small};
    struct work large = {.path = path, .pages = LARGE, .changes = changes_large};
    write_trace(path, SMALL, 0, 2 * LARGE - SMALL);
    struct figures few = median(&small);
    write_trace(path, LARGE, 0, LARGE);
    struct figures many = median(&large);
    printf("replay, %-44s %8.1f bytes a page\n", what, (many.peak_bytes - few.peak_bytes) / (LARGE - SMALL));
}

#define PLAIN "memory.lists=false", "memory.total=64GiB"
#define STORE "store.enabled=true", "store.in_memory=false", "store.codec=constant"

static void rates(const char *path, uint64_t count)
{
    static const char *const lru[] = {PLAIN, "memory.resident=4000000p", NULL};
    static const char *const lists[] = {"memory.total=64GiB", NULL};
    static const char *const aging[] = {PLAIN, "memory.resident=4000000p", "working_set.policy=aging", NULL};
    static const char *const clock[] = {PLAIN, "memory.resident=4000000p", "working_set.policy=clock", NULL};
    static const char *const five[] = {PLAIN, STORE, "memory.resident=950000p", NULL};
    static const char *const five_aging[] = {PLAIN, STORE, "memory.resident=950000p", "working_set.policy=aging", NULL};
    struct work work = {.path = path, .pages = 1000000, .changes = lru};
    write_trace(path, work.pages, 0, count);
    rate("LRU, 1 M pages uniform, all resident:", &work);
    bench_replay_peer(path, work.pages, REPEATS);
    work.changes = lists;
    rate("LRU with page lists, the same:", &work);
    work.changes = aging;
    rate("aging, the same:", &work);
    work.changes = clock;
    rate("clock, the same:", &work);
    work.changes = five;
    rate("LRU, 950 k of 1 M resident, the rest stored:", &work);
    work.changes = five_aging;
    rate("aging, the same:", &work);
    work = (struct work){.path = path, .pages = 100000, .changes = lru};
    write_trace(path, work.pages, 0.9, count);
    rate("LRU, 100 k pages Zipf 0.9, all resident:", &work);
    bench_replay_peer(path, work.pages, REPEATS);
    work.changes = aging;
    rate("aging, the same:", &work);
}

static void ranges(void)
{
    static const char *const lru[] = {PLAIN, "memory.resident=4000000p", NULL};
    struct work work = {.pages = 512000, .changes = lru, .range_passes = 1, .range_step = 3};
    pass("every third page, 512,000 of them, first touch:", &work);
    work.range_passes = 50;
    work.other_between = true;
    pass("again, something else in between:", &work);
    work.range_passes = 1000;
    work.other_between = false;
    pass("again, nothing in between:", &work);
}

static void memories(const char *path)
{
    static const char *const all[] = {PLAIN, "memory.resident=1000000p", NULL};
    static const char *const all_large[] = {PLAIN, "memory.resident=3000000p", NULL};
    static const char *const lists[] = {"memory.total=1010000p", NULL};
    static const char *const lists_large[] = {"memory.total=3010000p", NULL};
    static const char *const half[] = {PLAIN, STORE, "memory.resident=500000p", NULL};
    static const char *const half_large[] = {PLAIN, STORE, "memory.resident=1500000p", NULL};
    static const char *const few[] = {PLAIN, STORE, "memory.resident=10000p", NULL};
    static const char *const few_large[] = {PLAIN, STORE, "memory.resident=30000p", NULL};
    memory("memory, all resident:", path, all, all_large);
    memory("memory, all resident, page lists:", path, lists, lists_large);
    memory("memory, half resident, half stored:", path, half, half_large);
    memory("memory, 1 % resident, the rest stored:", path, few, few_large);
}

int main(int argc, char **argv)
{
    uint64_t count = (argc > 1 ? (uint64_t)atoi(argv[1]) : 20) * 1000000;
    const char *folder = getenv("TMPDIR");
    char path[1024];
    snprintf(path, sizeof path, "%s/bench_replay.%ld.trace", folder ? folder : "/tmp", (long)getpid());
    const char *only = argc > 2 ? argv[2] : NULL; /* one part of it */
    if (!only || !strcmp(only, "rates"))
        rates(path, count);
    if (!only || !strcmp(only, "ranges"))
        ranges();
    if (!only || !strcmp(only, "memory"))
        memories(path);
    unlink(path);
    return 0;
}
