/* tests/bench/bench_etl.c: how fast Windows event traces are read: surveyed, merged by time, taken apart. Processor time of
 * one thread. MB counts the file, and once more the records in it when they are compressed. With a file named on the
 * command line that one is read instead, after unpacking. */
#include "../support/etl_writer.h"
#include "base/random.h"
#include "trace/etl/etl.h"
#include "trace/etl/etl_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CPUS = 8, EVENTS = 2000000, REPEATS = 5 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Soft faults as a session with all faults logs them: addresses near each other, a few instructions that touch them. */
static void write_faults(struct etl_writer *writer, bool compressed)
{
    const struct etl_writer_options options = {.pointer_size = 8, .buffer_size = 1 << 16, .compressed = compressed,
                                               .clock = 1, .frequency = 10000000};
    struct pl_random random = pl_random_seeded(1);
    etl_writer_start(writer, &options);
    for (uint64_t i = 0; i < EVENTS; i++) {
        struct etl_payload payload;
        unsigned cpu = (unsigned)pl_random_below(&random, CPUS);
        struct etl_writer_event event = {.header = ETL_WRITE_SYSTEM, .cpu = cpu, .ticks = 1000 + i * 7, .version = 2,
                                         .hook = (uint16_t)(PL_ETL_TRANSITION_FAULT + pl_random_below(&random, 2)),
                                         .thread = 4 * cpu + 400, .process = 4 * (cpu / 2) + 300};
        payload.pointer_size = 8;
        payload.size = 0;
        etl_payload_pointer(&payload, 0x7ff600000000 + (pl_random_below(&random, 100000) << 12));
        etl_payload_pointer(&payload, 0x7ff612340000 + 16 * pl_random_below(&random, 100));
        etl_writer_put(writer, &event, payload.bytes, payload.size);
    }
    etl_writer_finish(writer);
}

static void measure(const char *what, const uint8_t *bytes, uint64_t length)
{
    double best = 1e9;
    uint64_t events = 0, record_bytes = 0, sum = 0;
    for (int i = 0; i < REPEATS; i++) {
        struct pl_etl *etl;
        struct pl_etl_event event;
        struct pl_error err;
        size_t count;
        double start = seconds();
        if (pl_etl_open(bytes, length, what, NULL, &etl, &err)) {
            fprintf(stderr, "%s\n", err.message);
            exit(1);
        }
        while (pl_etl_next(etl, &event, &err) == PL_OK) {
            if (event.hook >= PL_ETL_TRANSITION_FAULT && event.hook <= PL_ETL_HARD_PAGE_FAULT) {
                struct pl_etl_fields fields;
                if (pl_etl_read(&event, &fields))
                    sum += fields.value[0].number;
            }
        }
        double took = seconds() - start;
        best = took < best ? took : best;
        const struct pl_etl_kind *kinds = pl_etl_kinds(etl, &count);
        events = pl_etl_info(etl)->events;
        record_bytes = 0;
        for (size_t k = 0; k < count; k++)
            record_bytes += kinds[k].bytes;
        pl_etl_close(etl);
    }
    printf("etl %-24s %7.1f MB %9llu events %6.0f MB/s of file %6.0f MB/s of records %5.1f M events/s (%llx)\n", what,
           (double)length / 1e6, (unsigned long long)events, (double)length / best / 1e6, (double)record_bytes / best / 1e6,
           (double)events / best / 1e6, (unsigned long long)sum);
}

static int measure_file(const char *path)
{
    struct pl_source *source;
    struct pl_etl_bytes bytes;
    struct pl_error err;
    if (pl_source_open(path, &source, &err) || pl_etl_bytes_get(source, &bytes, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    measure("the file", bytes.bytes, bytes.length);
    pl_etl_bytes_free(&bytes);
    pl_source_close(source);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return measure_file(argv[1]);
    for (int compressed = 0; compressed <= 1; compressed++) {
        struct etl_writer writer;
        write_faults(&writer, compressed);
        measure(compressed ? "faults, compressed" : "faults, plain", writer.bytes, writer.length);
        etl_writer_free(&writer);
    }
    return 0;
}
