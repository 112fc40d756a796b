/* tests/bench/bench_peer.c: whole processes of `pagelab curve` beside libCacheSim's simulator. */
#include "bench_peer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS_MAX = 99, PATH_BYTES = 4200, PEER_SIZES = 16 };

struct cost {
    double wall, cpu;
};

/* What a program costs from its start to its end; its standard output goes to `out`. */
static struct cost run_program(const char *const *argv, const char *out)
{
    struct rusage usage;
    int status;
    struct cost cost = {.wall = bench_seconds(CLOCK_MONOTONIC)};
    pid_t child = fork();
    if (child == 0) {
        int to = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600), none = open("/dev/null", O_WRONLY);
        if (dup2(to, STDOUT_FILENO) < 0 || dup2(none, STDERR_FILENO) < 0)
            _exit(126);
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
        fprintf(stderr, "bench_curve: %s: cannot be run, or failed\n", argv[0]);
        exit(3);
    }
    cost.wall = bench_seconds(CLOCK_MONOTONIC) - cost.wall;
    cost.cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    return cost;
}

/* Requests as libCacheSim reads them: time, object, size, the next request of the same object (-1: none). */
static void write_requests(const struct touches *touches, const char *path)
{
    FILE *file = fopen(path, "wb");
    int64_t *next = malloc((touches->count + 1) * sizeof *next), *latest;
    pl_page limit = 0;
    for (size_t i = 0; i < touches->count; i++)
        limit = touches->page[i] >= limit ? touches->page[i] + 1 : limit;
    latest = malloc((limit + (size_t)1) * sizeof *latest);
    if (!file || !next || !latest)
        exit(3);
    memset(latest, 0xff, limit * sizeof *latest);
    for (size_t i = touches->count; i-- > 0;) {
        next[i] = latest[touches->page[i]];
        latest[touches->page[i]] = (int64_t)i + 1;
    }
    for (size_t i = 0; i < touches->count; i++) {
        uint32_t time_s = 0, size = 1;
        uint64_t object = touches->page[i];
        fwrite(&time_s, sizeof time_s, 1, file);
        fwrite(&object, sizeof object, 1, file);
        fwrite(&size, sizeof size, 1, file);
        fwrite(&next[i], sizeof next[i], 1, file);
    }
    if (fclose(file))
        exit(3);
    free(next);
    free(latest);
}

/* The last number behind `word` in a file; -1: there is none. */
static double number_behind(const char *path, const char *word)
{
    char line[1024];
    double number = -1;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *at = strstr(line, word);
        if (at)
            number = strtod(at + strlen(word), NULL);
    }
    if (file)
        fclose(file);
    return number;
}

/* Both must have counted the same, or the comparison is of different things. */
static void check_same(const struct touches *touches, pl_page size, double peer_misses)
{
    struct pl_curve_params params = {.rule = PL_RULE_MEMSIM, .threads = 1, .reads_only = true};
    struct pl_curve *curve;
    struct pl_curve_result result;
    if (pl_curve_create(&params, &curve, NULL) ||
        pl_curve_feed(curve, touches->page, NULL, touches->count, NULL) || pl_curve_finish(curve, &result, NULL))
        exit(3);
    double ours = (double)result.reads[size < result.depth ? size : result.depth] / (double)touches->count;
    pl_curve_result_free(&result);
    if (ours - peer_misses > 0.0001 || peer_misses - ours > 0.0001) {
        fprintf(stderr, "bench_curve: libCacheSim misses %.4f, pagelab %.4f\n", peer_misses, ours);
        exit(1);
    }
}

static void print_ratio(const char *what, double *wall, double *cpu, int runs)
{
    printf("   %s %.1f (cpu %.1f)", what, bench_median(wall, runs), bench_median(cpu, runs));
}

struct pairs {
    double wall[3][RUNS_MAX], cpu[3][RUNS_MAX];
};

static void add_ratio(struct pairs *pairs, int which, int run, struct cost theirs, struct cost ours)
{
    pairs->wall[which][run] = theirs.wall / ours.wall;
    pairs->cpu[which][run] = theirs.cpu / ours.cpu;
}

void bench_peer(const char *name, const struct touches *touches, pl_page pages, int runs)
{
    const char *peer = getenv("PAGELAB_LIBCACHESIM"), *self = getenv("PAGELAB"), *folder = getenv("TMPDIR");
    char requests[PATH_BYTES], out[PATH_BYTES + 8], one[32], many[16 * PEER_SIZES] = "";
    static struct pairs pairs;
    if (!peer || !*peer) {
        printf("%-12s beside libCacheSim: skipped, PAGELAB_LIBCACHESIM (its cachesim) is not set\n", name);
        return;
    }
    char *native = bench_write_native(touches);
    snprintf(requests, sizeof requests, "%s/bench-requests-%ld", folder ? folder : "/tmp", (long)getpid());
    snprintf(out, sizeof out, "%s.out", requests);
    snprintf(one, sizeof one, "%u", (unsigned)(pages / 10));
    for (int i = 1; i <= PEER_SIZES; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), "%s%u", i > 1 ? "," : "", (unsigned)(pages / 20 * i));
    write_requests(touches, requests);
    const char *const theirs[] = {peer, requests, "oracleGeneral", "LRU", one, "--ignore-obj-size", "1", "-o", out, NULL};
    const char *const theirs_many[] = {peer,  requests,          "oracleGeneral", "LRU", many,
                                       "--ignore-obj-size", "1", "-o",            out,   NULL};
    const char *const ours[] = {self ? self : "./pagelab", "curve", native, "--quiet", "--csv", "-", NULL};
    const char *const ours_requests[] = {self ? self : "./pagelab", "curve", requests, "--format", "oracle",
                                   "--quiet", "--csv", "-", NULL};
    for (int r = 0; r < runs; r++) {
        struct cost lru = run_program(theirs, out);
        if (r == 0)
            check_same(touches, pages / 10, number_behind(out, "miss ratio "));
        struct cost from_native = run_program(ours, "/dev/null");
        add_ratio(&pairs, 0, r, lru, from_native);
        add_ratio(&pairs, 1, r, lru, run_program(ours_requests, "/dev/null"));
        add_ratio(&pairs, 2, r, run_program(theirs_many, out), from_native);
    }
    printf("%-12s beside libCacheSim, times as fast:", name);
    print_ratio("its LRU at one size, from a native file", pairs.wall[0], pairs.cpu[0], runs);
    print_ratio("from the same requests", pairs.wall[1], pairs.cpu[1], runs);
    print_ratio("its 16 sizes", pairs.wall[2], pairs.cpu[2], runs);
    printf("\n");
    unlink(native);
    unlink(requests);
    unlink(out);
    free(native);
}
