/* tests/bench/bench_touches.c: touches in memory, clocks and medians for the benchmarks of curves. */
#include "bench_touches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

double bench_seconds(clockid_t clock)
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

double bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

static void fail(const char *message)
{
    fprintf(stderr, "benchmark: %s\n", message);
    exit(2);
}

static void grow(struct touches *touches, size_t more)
{
    void *pages = touches->page, *kinds = touches->kind;
    if (pl_grow(&pages, &touches->capacity, touches->count + more, sizeof(pl_page), "touches", NULL) ||
        pl_grow(&kinds, &touches->kind_capacity, touches->count + more, 1, "touches", NULL))
        exit(3);
    touches->page = pages;
    touches->kind = kinds;
}

struct touches bench_generate(const struct pl_generate_params *params)
{
    struct touches touches = {0};
    struct pl_generator *generator;
    struct pl_batch batch;
    struct pl_error err;
    enum pl_err rc = pl_generator_create(params, &generator, &err);
    if (rc)
        fail(err.message);
    grow(&touches, params->count);
    while ((rc = pl_generator_next(generator, &batch, &err)) == PL_OK) {
        memcpy(touches.page + touches.count, batch.page, batch.count * sizeof *batch.page);
        memcpy(touches.kind + touches.count, batch.kind, batch.count);
        touches.count += batch.count;
    }
    if (rc != PL_END)
        fail(err.message);
    pl_generator_free(generator);
    return touches;
}

struct touches bench_zipf(pl_page pages, size_t count, double exponent)
{
    struct pl_generate_part part = {PL_PATTERN_ZIPF, pages, 1, exponent, 1, 0.3};
    struct pl_generate_params params = {.parts = &part, .part_count = 1, .count = count, .seed = 1, .processes = 1,
                                        .turn = 1};
    return bench_generate(&params);
}

struct touches bench_read(const char *path)
{
    struct touches touches = {0};
    struct pl_trace_options options = {.expand_ranges = true};
    struct pl_trace *trace;
    struct pl_batch batch;
    struct pl_error err;
    struct pl_random random = pl_random_named(1, "kinds");
    enum pl_err rc = pl_trace_open(path, &options, &trace, &err);
    if (rc)
        fail(err.message);
    while ((rc = pl_trace_next(trace, &batch, &err)) == PL_OK) {
        grow(&touches, batch.count);
        memcpy(touches.page + touches.count, batch.page, batch.count * sizeof *batch.page);
        for (size_t i = 0; i < batch.count; i++)
            touches.kind[touches.count + i] = batch.kind ? batch.kind[i] : pl_random_below(&random, 10) < 3;
        touches.count += batch.count;
    }
    if (rc != PL_END)
        fail(err.message);
    pl_trace_close(trace);
    return touches;
}

char *bench_write_native(const struct touches *touches)
{
    const char *folder = getenv("TMPDIR");
    char *path = malloc(4096);
    struct pl_trace_writer *writer;
    struct pl_trace_header header = {.page_size = 4096};
    struct pl_error err;
    uint64_t distinct = 0;
    if (!path)
        exit(3);
    snprintf(path, 4096, "%s/bench-touches-%ld.trace", folder ? folder : "/tmp", (long)getpid());
    if (pl_trace_writer_open(path, "native", false, &header, &writer, &err))
        fail(err.message);
    for (size_t from = 0; from < touches->count; from += PL_BATCH_MAX) {
        size_t count = touches->count - from < PL_BATCH_MAX ? touches->count - from : PL_BATCH_MAX;
        for (size_t i = from; i < from + count; i++)
            distinct += touches->page[i] == distinct;
        struct pl_batch batch = {.count = count, .page = touches->page + from, .kind = touches->kind + from,
                                 .distinct = distinct};
        if (pl_trace_write(writer, &batch, NULL, NULL, &err))
            fail(err.message);
    }
    if (pl_trace_writer_close(writer, &err))
        fail(err.message);
    return path;
}

void bench_touches_free(struct touches *touches)
{
    free(touches->page);
    free(touches->kind);
}
