/* How fast native traces are written and read, and how small they are. Usage: bench_native [FILE...]
 *
 * Without files: the recorded programs of $PAGELAB_CASES (skipped when that is not set) and a Zipf trace. Reading goes through
 * the ordinary interface, from the page cache, on one core, with every checksum and every page number verified; each figure is the
 * median of five. Writing goes to a file in $TMPDIR. */
#define _GNU_SOURCE
#include "trace/native/native.h"
#include "trace/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { REPEATS = 5 };

/* A trace in memory. */
struct touches {
    size_t count, capacity;
    pl_page *page;
    uint8_t *kind;
    uint64_t distinct;
};

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool keep(struct touches *touches, const struct pl_batch *batch)
{
    if (touches->count + batch->count > touches->capacity) {
        touches->capacity = 2 * (touches->count + batch->count);
        touches->page = realloc(touches->page, touches->capacity * sizeof *touches->page);
        touches->kind = realloc(touches->kind, touches->capacity);
        if (!touches->page || !touches->kind)
            return false;
    }
    memcpy(touches->page + touches->count, batch->page, batch->count * sizeof *batch->page);
    if (batch->kind)
        memcpy(touches->kind + touches->count, batch->kind, batch->count);
    else
        memset(touches->kind + touches->count, PL_READ, batch->count);
    touches->count += batch->count;
    touches->distinct = batch->distinct;
    return true;
}

static enum pl_err write_all(const struct touches *touches, const char *path, bool pack, struct pl_error *err)
{
    struct pl_trace_writer *writer;
    struct pl_trace_header header = {.page_size = 4096};
    enum pl_err rc = pl_trace_writer_open(path, "native", pack, &header, &writer, err);
    uint64_t distinct = 0;
    for (size_t from = 0; rc == PL_OK && from < touches->count; from += PL_BATCH_MAX) {
        size_t count = touches->count - from < PL_BATCH_MAX ? touches->count - from : PL_BATCH_MAX;
        for (size_t i = from; i < from + count; i++)
            distinct += touches->page[i] == distinct;
        struct pl_batch batch = {.count = count, .page = touches->page + from, .kind = touches->kind + from,
                                 .distinct = distinct};
        rc = pl_trace_write(writer, &batch, NULL, NULL, err);
        if (rc)
            pl_trace_writer_abandon(writer);
    }
    return rc ? rc : pl_trace_writer_close(writer, err);
}

static enum pl_err read_all(const char *path, uint64_t *bytes, struct pl_error *err)
{
    struct pl_trace *trace;
    struct pl_batch batch;
    enum pl_err rc = pl_trace_open(path, NULL, &trace, err);
    if (rc)
        return rc;
    while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK)
        continue;
    *bytes = pl_trace_info(trace)->bytes_read;
    pl_trace_close(trace);
    return rc == PL_END ? PL_OK : rc;
}

static enum pl_err measure(const char *name, const struct touches *touches, bool pack, struct pl_error *err)
{
    char path[512];
    const char *folder = getenv("TMPDIR");
    double writing[REPEATS], reading[REPEATS];
    uint64_t bytes = 0;
    snprintf(path, sizeof path, "%s/bench-%ld.trace", folder ? folder : "/tmp", (long)getpid());
    enum pl_err rc = PL_OK;
    for (int i = 0; i < REPEATS && rc == PL_OK; i++) {
        double start = now_s();
        rc = write_all(touches, path, pack, err);
        writing[i] = now_s() - start;
    }
    for (int i = 0; i < REPEATS && rc == PL_OK; i++) {
        double start = now_s();
        rc = read_all(path, &bytes, err);
        reading[i] = now_s() - start;
    }
    unlink(path);
    if (rc)
        return rc;
    qsort(writing, REPEATS, sizeof *writing, by_size);
    qsort(reading, REPEATS, sizeof *reading, by_size);
    const double millions = (double)touches->count / 1e6;
    printf("native: %-12s %-6s read %6.0f M touches/s, write %5.0f M touches/s, %.3f bytes a touch\n", name,
           pack ? "packed" : "plain", millions / reading[REPEATS / 2], millions / writing[REPEATS / 2],
           (double)bytes / (double)touches->count);
    return PL_OK;
}

static enum pl_err bench(const char *name, struct touches *touches, struct pl_error *err)
{
    enum pl_err rc = measure(name, touches, false, err);
    if (rc == PL_OK)
        rc = measure(name, touches, true, err);
    free(touches->page);
    free(touches->kind);
    return rc;
}

static enum pl_err bench_file(const char *path, const char *format, struct pl_error *err)
{
    struct touches touches = {0};
    struct pl_trace *trace;
    struct pl_batch batch;
    struct pl_trace_options options = {.format = format};
    enum pl_err rc = pl_trace_open(path, &options, &trace, err);
    if (rc)
        return rc;
    while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK)
        if (!keep(&touches, &batch))
            return pl_fail_memory(err, touches.capacity, path);
    pl_trace_close(trace);
    const char *slash = strrchr(path, '/');
    return rc == PL_END ? bench(slash ? slash + 1 : path, &touches, err) : rc;
}

static enum pl_err bench_zipf(struct pl_error *err)
{
    struct touches touches = {0};
    struct pl_generate_part part = {.pattern = PL_PATTERN_ZIPF, .pages = 100000, .weight = 1, .alpha = 0.9, .writes = 0.3};
    struct pl_generate_params params = {.parts = &part, .part_count = 1, .count = 20000000, .seed = 1, .processes = 1, .turn = 1};
    struct pl_generator *generator;
    struct pl_batch batch;
    enum pl_err rc = pl_generator_create(&params, &generator, err);
    if (rc)
        return rc;
    double start = now_s();
    while (pl_generator_next(generator, &batch, err) == PL_OK)
        continue;
    printf("generate: zipf over 100,000 pages: %.0f M touches/s\n", 20 / (now_s() - start));
    pl_generator_free(generator);
    rc = pl_generator_create(&params, &generator, err);
    while (rc == PL_OK && (rc = pl_generator_next(generator, &batch, err)) == PL_OK)
        if (!keep(&touches, &batch))
            rc = pl_fail_memory(err, touches.capacity, "a Zipf trace");
    pl_generator_free(generator);
    return rc == PL_END ? bench("zipf", &touches, err) : rc;
}

int main(int argc, char **argv)
{
    struct pl_error err = {PL_OK, ""};
    const char *cases = getenv("PAGELAB_CASES");
    static const char *const recorded[] = {"netscape", "powerpoint"};
    enum pl_err rc = PL_OK;
    for (int i = 1; i < argc && rc == PL_OK; i++)
        rc = bench_file(argv[i], NULL, &err);
    if (argc == 1)
        rc = bench_zipf(&err);
    for (size_t i = 0; argc == 1 && cases && i < PL_COUNT_OF(recorded) && rc == PL_OK; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/etch/%s.bz2", cases, recorded[i]);
        rc = bench_file(path, "hex", &err);
    }
    if (rc)
        fprintf(stderr, "bench_native: %s\n", err.message);
    return rc ? 1 : 0;
}
