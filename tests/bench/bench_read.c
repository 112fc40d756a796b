/* tests/bench/bench_read.c: how fast text traces are read, dense pages included.
 *
 *   bench_read          lines made for the purpose, and the etch traces when $PAGELAB_CASES names them
 *   bench_read FILE     a trace
 *
 * Each line is the median of seven runs, in million lines a second, by the clock and by the processor time of the process
 * (which a busy machine disturbs less). Input lies in memory; files are unpacked before. */
#include "base/base.h"
#include "trace/formats/digits.h"
#include "trace/source.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 7, LINES = 5000000 };

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

static uint64_t read_once(const char *bytes, size_t length, const char *format)
{
    struct pl_trace_options options = {.format = format};
    struct pl_error err = {PL_OK, ""};
    struct pl_trace *trace;
    struct pl_batch batch;
    enum pl_err rc = pl_trace_open_memory(bytes, length, "bench", &options, &trace, &err);
    while (rc == PL_OK)
        rc = pl_trace_next(trace, &batch, &err);
    if (rc != PL_END) {
        fprintf(stderr, "bench_read: %s\n", err.message);
        exit(2);
    }
    uint64_t lines = pl_trace_info(trace)->input_records;
    pl_trace_close(trace);
    return lines;
}

static void measure(const char *name, const char *bytes, size_t length, const char *format)
{
    double wall[RUNS], cpu[RUNS];
    uint64_t lines = 0;
    for (int run = 0; run < RUNS; run++) {
        double wall_start = seconds(CLOCK_MONOTONIC), cpu_start = seconds(CLOCK_PROCESS_CPUTIME_ID);
        lines = read_once(bytes, length, format);
        wall[run] = seconds(CLOCK_MONOTONIC) - wall_start;
        cpu[run] = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
    }
    qsort(wall, RUNS, sizeof *wall, ascending);
    qsort(cpu, RUNS, sizeof *cpu, ascending);
    printf("read %-28s %10llu lines  %7.1f M/s  cpu %7.1f M/s\n", name, (unsigned long long)lines,
           (double)lines / wall[RUNS / 2] / 1e6, (double)lines / cpu[RUNS / 2] / 1e6);
}

/* The kernel alone: values, not dense pages. */
static void measure_kernel(const char *name, pl_digits_kernel *kernel, const char *bytes, size_t length)
{
    static uint64_t out[16384];
    double cpu[RUNS];
    uint64_t lines = 0;
    for (int run = 0; run < RUNS; run++) {
        const char *at = bytes;
        double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
        lines = 0;
        for (size_t n; (n = kernel(&at, bytes + length, out, PL_COUNT_OF(out))) != 0;)
            lines += n;
        cpu[run] = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
    }
    qsort(cpu, RUNS, sizeof *cpu, ascending);
    printf("kernel %-26s %10llu lines                cpu %7.1f M/s\n", name, (unsigned long long)lines,
           (double)lines / cpu[RUNS / 2] / 1e6);
}

/* All of a file, unpacked; the caller frees. */
static char *load(const char *path, size_t *length)
{
    struct pl_error err = {PL_OK, ""};
    struct pl_source *source;
    void *bytes = NULL;
    size_t capacity = 0, have = 1;
    const uint8_t *window;
    *length = 0;
    enum pl_err rc = pl_source_open(path, &source, &err);
    while (rc == PL_OK && have) {
        rc = pl_source_peek(source, 65536, &window, &have, &err);
        if (rc == PL_OK)
            rc = pl_grow(&bytes, &capacity, *length + have, 1, "a trace", &err);
        if (rc == PL_OK && have) {
            memcpy((char *)bytes + *length, window, have);
            *length += have;
            pl_source_skip(source, have);
        }
    }
    if (rc) {
        fprintf(stderr, "bench_read: %s\n", err.message);
        exit(2);
    }
    pl_source_close(source);
    return bytes;
}

/* One line at `to`; returns its length. */
typedef int put_line(char *to, unsigned long long number, char letter);

static int put_hex(char *to, unsigned long long number, char letter)
{
    (void)letter;
    return sprintf(to, "%llx\n", number);
}

static int put_decimal(char *to, unsigned long long number, char letter)
{
    (void)letter;
    return sprintf(to, "%llu\n", number);
}

static int put_memsim(char *to, unsigned long long number, char letter)
{
    return sprintf(to, "%08llx %c\n", number, letter == 'L' ? 'R' : 'W');
}

static int put_lackey(char *to, unsigned long long number, char letter)
{
    return sprintf(to, " %c %llx,4\n", letter, number);
}

/* Lines over numbers base .. base + range - 1; two of four read, one writes, one modifies. */
static void made_up(const char *name, put_line *put, uint64_t base, uint64_t range, const char *format)
{
    struct pl_random random = pl_random_named(1, name);
    char *bytes = malloc((size_t)LINES * 32), *at = bytes;
    if (!bytes)
        exit(3);
    for (int i = 0; i < LINES; i++) {
        char letter = "LLSM"[pl_random_below(&random, 4)];
        at += put(at, base + pl_random_below(&random, range), letter);
    }
    measure(name, bytes, (size_t)(at - bytes), format);
    free(bytes);
}

static void from_file(const char *name, const char *path)
{
    size_t length;
    char *bytes = load(path, &length);
    measure(name, bytes, length, NULL);
    measure_kernel("fastest", pl_digits_hex(), bytes, length);
    measure_kernel("portable", pl_digits_hex_portable, bytes, length);
    free(bytes);
}

int main(int argc, char **argv)
{
    char path[512];
    const char *cases = getenv("PAGELAB_CASES");
    if (argc > 1) {
        size_t length;
        char *bytes = load(argv[1], &length);
        measure(argv[1], bytes, length, NULL);
        free(bytes);
        return 0;
    }
    made_up("hex, 1,000 pages", put_hex, 0x77000, 1000, "hex");
    made_up("hex, 9 digits", put_hex, 0x7ffff0000, 1000, "hex");
    made_up("hex, 2 M pages of 13 digits", put_hex, 0xfffff00000000, 2000000, "hex");
    made_up("decimal", put_decimal, 0, 100000, "numbers");
    made_up("memsim", put_memsim, 0x400000, 1 << 24, "memsim");
    made_up("lackey", put_lackey, 0x1ffeff0000, 1 << 20, "lackey");
    if (cases) {
        snprintf(path, sizeof path, "%s/etch/netscape.bz2", cases);
        from_file("etch netscape", path);
    }
    return 0;
}
