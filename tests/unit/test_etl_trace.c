/* tests/unit/test_etl_trace.c: the page faults of an .etl file as a trace. */
#include "etl_help.h"
#include "trace_reading.h"

#include <unistd.h>

static void put_fault(struct etl_writer *writer, unsigned cpu, uint64_t ticks, uint16_t hook, uint32_t process,
                      uint32_t thread, uint64_t address, uint64_t counter)
{
    struct etl_payload payload = {.pointer_size = writer->options.pointer_size};
    struct etl_writer_event event = {.header = ETL_WRITE_SYSTEM, .cpu = cpu, .ticks = ticks, .hook = hook, .version = 2,
                                     .process = process, .thread = thread};
    etl_payload_pointer(&payload, address);
    etl_payload_pointer(&payload, counter);
    etl_writer_put(writer, &event, payload.bytes, payload.size);
}

static void put_read(struct etl_writer *writer, uint64_t ticks, uint64_t address, uint32_t thread)
{
    struct etl_payload payload = {.pointer_size = writer->options.pointer_size};
    etl_payload_add(&payload, ticks - 5, 8);
    etl_payload_add(&payload, 0x2000, 8);
    etl_payload_pointer(&payload, address);
    etl_payload_pointer(&payload, 0xf0);
    etl_payload_add(&payload, thread, 4);
    etl_payload_add(&payload, 16384, 4);
    etl_put(writer, 0, ticks, PL_ETL_HARD_FAULT, &payload);
}

static void read_written(const struct etl_writer *writer, struct reading *reading)
{
    *reading = read_bytes(writer->bytes, writer->length, NULL);
    if (reading->rc != PL_END)
        fail_msg("%s", reading->err.message);
}

static uint64_t skipped(const struct reading *reading, const char *reason)
{
    for (size_t i = 0; i < reading->info.skip_count; i++)
        if (!strcmp(reading->skips[i].reason, reason))
            return reading->skips[i].count;
    return 0;
}

struct expected {
    uint64_t process, number;
    enum pl_kind kind;
    int64_t time;
};

static void check_touches(const struct reading *reading, const struct expected *expected, size_t count)
{
    assert_int_equal(reading->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(reading->process[i], expected[i].process);
        assert_int_equal(reading->number[i], expected[i].number);
        assert_int_equal(reading->kind[i], expected[i].kind);
        assert_int_equal(reading->time[i], expected[i].time);
    }
}

/* Both headers that faults may have, every kind of fault, and system space. */
static void check_faults(const struct etl_writer_options *options)
{
    struct etl_writer writer;
    struct reading reading;
    struct etl_writer_options lossy = *options;
    lossy.events_lost = 9;
    lossy.first_ticks = 100;
    uint64_t system = options->pointer_size == 4 ? 0x80001000 : UINT64_C(0xfffff80000001000);
    etl_writer_start(&writer, &lossy);
    etl_put_thread(&writer, 100, PL_ETL_THREAD_DC_START, 50, 7);
    put_fault(&writer, 1, 110, PL_ETL_DEMAND_ZERO_FAULT, 40, 6, 0x5123, 0x400000);
    put_fault(&writer, 0, 111, PL_ETL_TRANSITION_FAULT, 40, 6, 0x400123, 0x400123);
    put_fault(&writer, 1, 112, PL_ETL_COPY_ON_WRITE, 40, 6, 0x6000, 0x400000);
    put_fault(&writer, 0, 113, PL_ETL_GUARD_FAULT, 41, 9, 0x5123, 0x400000);
    put_fault(&writer, 1, 114, PL_ETL_HARD_PAGE_FAULT, 41, 9, system, 0x400000);
    put_fault(&writer, 1, 115, PL_ETL_ACCESS_VIOLATION, 41, 9, 0, 0x400000);
    put_fault(&writer, 1, 116, PL_ETL_DEMAND_ZERO_FAULT, PL_ETL_NOBODY, 7, 0x5fff, 0x400000);
    put_fault(&writer, 1, 117, PL_ETL_DEMAND_ZERO_FAULT, 40, 6, system + 5, 0x400000);
    put_read(&writer, 118, 0x5123, 7);
    /* Without a thread in the header: who runs on that processor. */
    struct etl_payload to_7 = {.pointer_size = 8}, fault = {.pointer_size = options->pointer_size};
    etl_payload_add(&to_7, 7, 4);
    etl_payload_add(&to_7, 0, 4);
    etl_payload_pointer(&fault, 0x9000);
    etl_payload_pointer(&fault, 0x400000);
    etl_put(&writer, 2, 119, PL_ETL_CONTEXT_SWITCH, &to_7);
    etl_put(&writer, 2, 120, PL_ETL_TRANSITION_FAULT, &fault);
    etl_writer_finish(&writer);
    read_written(&writer, &reading);
    const struct expected expected[] = {
        {40, 0x5, PL_READ, 1000000},           {40, 0x400, PL_EXECUTE, 1100000}, {40, 0x6, PL_WRITE, 1200000},
        {41, 0x5, PL_READ, 1300000},           {4, system >> 12, PL_READ, 1400000}, {50, 0x5, PL_READ, 1600000},
        {4, system >> 12, PL_READ, 1700000},   {50, 0x9, PL_READ, 2000000},
    };
    check_touches(&reading, expected, PL_COUNT_OF(expected));
    assert_string_equal(reading.format, "etl");
    assert_int_equal(reading.info.records, PL_RECORDS_FAULTS);
    assert_int_equal(reading.info.clock, PL_CLOCK_PICOSECONDS);
    assert_int_equal(reading.info.lost, 9);
    assert_int_equal(reading.info.distinct, 7);
    assert_int_equal(reading.info.backward_times, 0);
    assert_int_equal(skipped(&reading, "access violations"), 1);
    assert_int_equal(skipped(&reading, "reads of hard faults, beside the faults"), 1);
    reading_free(&reading);
    etl_writer_free(&writer);
}

static void faults(void **state)
{
    (void)state;
    check_faults(&plain64);
    check_faults(&plain32);
    check_faults(&packed64);
}

/* A session with the hard-faults flag alone: the reads are the faults. */
static void reads_alone(void **state)
{
    (void)state;
    struct etl_writer writer;
    struct reading reading;
    etl_writer_start(&writer, &plain64);
    put_read(&writer, 10, 0x5123, 7);
    put_read(&writer, 20, 0x5124, 8);
    etl_put_thread(&writer, 100, PL_ETL_THREAD_DC_END, 50, 7);
    etl_writer_finish(&writer);
    read_written(&writer, &reading);
    const struct expected expected[] = {{50, 5, PL_READ, 1000000}, {PL_ETL_NOBODY, 5, PL_READ, 2000000}};
    check_touches(&reading, expected, PL_COUNT_OF(expected));
    reading_free(&reading);
    etl_writer_free(&writer);
}

/* Starts, ends and losses come as control records, in their place. */
static void controls(void **state)
{
    (void)state;
    struct etl_writer writer;
    struct pl_trace *trace;
    struct pl_batch batch;
    struct pl_error err = {PL_OK, ""};
    struct etl_writer_options options = plain64;
    options.events_lost = 5;
    etl_writer_start(&writer, &options);
    etl_put_process(&writer, 10, PL_ETL_PROCESS_START, 0xabc0, 60, "victim.exe", 4);
    put_fault(&writer, 0, 20, PL_ETL_DEMAND_ZERO_FAULT, 60, 61, 0x5000, 0);
    etl_put_process(&writer, 30, PL_ETL_PROCESS_END, 0xabc0, 60, "victim.exe", 4);
    etl_writer_finish(&writer);
    if (pl_trace_open_memory(writer.bytes, writer.length, "t.etl", NULL, &trace, &err) || pl_trace_next(trace, &batch, &err))
        fail_msg("%s", err.message);
    static const struct {
        enum pl_op op;
        uint32_t at;
        uint64_t a;
        int64_t time;
    } expected[] = {
        {PL_OP_START, 0, 60, 1000000}, {PL_OP_SWITCH, 0, 60, 1000000}, {PL_OP_EXIT, 1, 60, 3000000}, {PL_OP_LOST, 1, 5, 3000000},
    };
    assert_int_equal(batch.count, 1);
    assert_int_equal(batch.control_count, PL_COUNT_OF(expected));
    for (size_t i = 0; i < PL_COUNT_OF(expected); i++) {
        assert_int_equal(batch.control[i].op, expected[i].op);
        assert_int_equal(batch.control[i].at, expected[i].at);
        assert_int_equal(batch.control[i].a, expected[i].a);
        if (expected[i].op != PL_OP_SWITCH)
            assert_int_equal(batch.control[i].time, expected[i].time);
    }
    assert_string_equal(batch.control[0].text, "victim.exe");
    assert_int_equal(pl_trace_next(trace, &batch, &err), PL_END);
    pl_trace_close(trace);
    etl_writer_free(&writer);
}

/* Input that cannot be reached at random is spooled: a file of 20 MiB through a pipe gives what the file gives. */
static void through_a_pipe(void **state)
{
    (void)state;
    struct etl_writer writer;
    struct etl_writer_options options = packed64;
    struct pl_trace *trace;
    struct pl_batch batch;
    struct pl_error err = {PL_OK, ""};
    char name[] = "etl-test-XXXXXX", command[64];
    options.compressed = false;
    options.buffer_size = 1 << 20;
    etl_writer_start(&writer, &options);
    for (uint64_t i = 0; i < 20; i++) {
        put_fault(&writer, 0, 10 + i, PL_ETL_DEMAND_ZERO_FAULT, 60, 61, i << 12, 0);
        etl_writer_flush(&writer, 0);
    }
    int file = mkstemp(name);
    assert_true(file >= 0);
    assert_int_equal(write(file, writer.bytes, writer.length), (ssize_t)writer.length);
    close(file);
    snprintf(command, sizeof command, "cat %s", name);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_true(dup2(fileno(pipe), STDIN_FILENO) >= 0);
    if (pl_trace_open("-", NULL, &trace, &err) || pl_trace_next(trace, &batch, &err))
        fail_msg("%s", err.message);
    assert_int_equal(batch.count, 20);
    assert_int_equal(pl_trace_info(trace)->bytes_read, writer.length);
    pl_trace_close(trace);
    pclose(pipe);
    unlink(name);
    etl_writer_free(&writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults), cmocka_unit_test(reads_alone), cmocka_unit_test(controls),
        cmocka_unit_test(through_a_pipe),
    };
    return cmocka_run_group_tests_name("etl trace", tests, NULL, NULL);
}
