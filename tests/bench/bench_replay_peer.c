/* tests/bench/bench_replay_peer.c: libCacheSim's LRU on the touches that a replay was measured with. */
#include "bench_replay_peer.h"

#include "trace/trace.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS_MAX = 15 };

static void give_up(const char *what)
{
    fprintf(stderr, "bench_replay: libCacheSim: %s\n", what);
    exit(3);
}

/* As it reads them: time, object, size, the next request of the same object, which LRU does not ask for. How many. */
static uint64_t write_requests(const char *trace_path, const char *path)
{
    struct pl_trace *trace;
    struct pl_batch batch;
    uint64_t count = 0;
    FILE *file = fopen(path, "wb");
    if (!file || pl_trace_open(trace_path, NULL, &trace, NULL))
        give_up("no requests");
    while (pl_trace_next(trace, &batch, NULL) == PL_OK) {
        for (size_t i = 0; i < batch.count; i++) {
            unsigned char record[24] = {0};
            uint64_t object = batch.page[i];
            uint32_t size = 1;
            int64_t next = -1;
            memcpy(record + 4, &object, sizeof object);
            memcpy(record + 12, &size, sizeof size);
            memcpy(record + 16, &next, sizeof next);
            fwrite(record, sizeof record, 1, file);
        }
        count += batch.count;
    }
    pl_trace_close(trace);
    if (fclose(file))
        give_up("no room for requests");
    return count;
}

/* Processor time of one run. */
static double run_once(const char *peer, const char *requests, const char *size, const char *out)
{
    struct rusage usage;
    int status;
    pid_t child = fork();
    if (child == 0) {
        int none = open("/dev/null", O_WRONLY);
        if (dup2(none, STDOUT_FILENO) < 0 || dup2(none, STDERR_FILENO) < 0)
            _exit(126);
        execl(peer, peer, requests, "oracleGeneral", "LRU", size, "--ignore-obj-size", "1", "-o", out, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status)
        give_up("cannot be run, or failed");
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* It must have missed each page once, or the comparison is of different things. */
static void check_misses(const char *out, double expected)
{
    static const char words[] = "miss ratio ";
    char line[1024];
    double ratio = -1;
    FILE *file = fopen(out, "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *at = strstr(line, words);
        ratio = at ? strtod(at + strlen(words), NULL) : ratio;
    }
    if (file)
        fclose(file);
    if (ratio < expected - 0.0001 || ratio > expected + 0.0001)
        give_up("its misses are not ours");
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_replay_peer(const char *trace, pl_page size, int runs)
{
    const char *peer = getenv("PAGELAB_LIBCACHESIM");
    char requests[4200], out[4200], pages[16];
    double cpu_s[RUNS_MAX];
    if (!peer || !*peer) {
        printf("replay, %-44s skipped, PAGELAB_LIBCACHESIM (its cachesim) is not set\n",
               "libCacheSim's LRU, the same:");
        return;
    }
    snprintf(requests, sizeof requests, "%s.requests", trace);
    snprintf(out, sizeof out, "%s.out", trace);
    snprintf(pages, sizeof pages, "%u", size);
    uint64_t count = write_requests(trace, requests);
    runs = runs < RUNS_MAX ? runs : RUNS_MAX;
    for (int i = 0; i < runs; i++)
        cpu_s[i] = run_once(peer, requests, pages, out);
    check_misses(out, (double)size / (double)count);
    qsort(cpu_s, (size_t)runs, sizeof *cpu_s, by_size);
    printf("replay, %-44s %8.1f M requests/s, hits alone\n", "libCacheSim's LRU, the same:",
           (double)count / cpu_s[runs / 2] * 1e-6);
    unlink(requests);
    unlink(out);
}
