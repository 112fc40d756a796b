/* tests/unit/test_etl.c: record headers, the merge by time, joins, clocks, counts by event. */
#include "etl_help.h"

#include "base/random.h"

static const uint8_t some_guid[16] = {0x78, 0x56, 0x34, 0x12, 0xcd, 0xab, 0x01, 0xef, 1, 2, 3, 4, 5, 6, 7, 8};
static const uint8_t page_fault_class[16] = {0xd3, 0xa8, 0x6f, 0x3d, 0x05, 0xfe, 0xd0, 0x11,
                                             0x9d, 0xda, 0x00, 0xc0, 0x4f, 0xd7, 0xba, 0x7c};

/* --- headers ---------------------------------------------------------------------------- */

static const struct header_case {
    enum etl_writer_header written;
    enum pl_etl_header read;
    uint16_t hook;
    const uint8_t *guid;
    uint16_t expected_hook, expected_id;
    bool has_actor;
} header_cases[] = {
    {ETL_WRITE_SYSTEM, PL_ETL_SYSTEM, 0x020a, NULL, 0x020a, 0, true},
    {ETL_WRITE_COMPACT, PL_ETL_COMPACT, 0x020b, NULL, 0x020b, 0, true},
    {ETL_WRITE_PERFINFO, PL_ETL_PERFINFO, 0x020c, NULL, 0x020c, 0, false},
    {ETL_WRITE_FULL, PL_ETL_FULL, 77, some_guid, PL_ETL_NO_HOOK, 77, true},
    {ETL_WRITE_FULL, PL_ETL_FULL, 10, page_fault_class, 0x020a, 10, true},
    {ETL_WRITE_INSTANCE, PL_ETL_INSTANCE, 78, NULL, PL_ETL_NO_HOOK, 78, true},
    {ETL_WRITE_EVENT, PL_ETL_EVENT, 4711, some_guid, PL_ETL_NO_HOOK, 4711, true},
    {ETL_WRITE_MESSAGE, PL_ETL_MESSAGE, 12, NULL, PL_ETL_NO_HOOK, 12, true},
    {ETL_WRITE_TIMED, PL_ETL_TIMED, 13, NULL, PL_ETL_NO_HOOK, 13, false},
};

static void check_header(const struct header_case *c, const struct etl_writer_options *options)
{
    struct etl_writer writer;
    struct pl_etl_event event;
    const uint8_t payload[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}; /* no multiple of 8 */
    struct etl_writer_event written = {.header = c->written, .cpu = 3, .ticks = 5000, .hook = c->hook, .version = 2,
                                       .thread = 222, .process = 111, .guid = c->guid};
    etl_writer_start(&writer, options);
    etl_writer_put(&writer, &written, payload, sizeof payload);
    written.ticks = 6000;
    etl_writer_put(&writer, &written, payload, sizeof payload - 3);
    etl_writer_finish(&writer);
    struct pl_etl *etl = etl_reopen(&writer);
    assert_true(etl_next(etl, &event));
    assert_int_equal(event.header, c->read);
    assert_int_equal(event.ticks, 5000);
    assert_int_equal(event.cpu, 3);
    assert_int_equal(event.hook, c->expected_hook);
    assert_int_equal(event.id, c->expected_id);
    assert_int_equal(event.thread, c->has_actor ? 222 : PL_ETL_NOBODY);
    assert_int_equal(event.process, c->has_actor ? 111 : PL_ETL_NOBODY);
    assert_int_equal(event.payload_size, sizeof payload);
    assert_memory_equal(event.payload, payload, sizeof payload);
    if (c->guid)
        assert_memory_equal(event.guid, c->guid, 16);
    if (c->written < ETL_WRITE_MESSAGE) {
        assert_int_equal(event.pointer_size, options->pointer_size);
        assert_int_equal(event.version, 2);
    }
    assert_true(etl_next(etl, &event));
    assert_int_equal(event.ticks, 6000);
    assert_int_equal(event.payload_size, sizeof payload - 3);
    assert_false(etl_next(etl, &event));
    pl_etl_close(etl);
    etl_writer_free(&writer);
}

static void headers(void **state)
{
    (void)state;
    for (size_t i = 0; i < PL_COUNT_OF(header_cases); i++) {
        check_header(&header_cases[i], &plain64);
        check_header(&header_cases[i], &plain32);
        check_header(&header_cases[i], &packed64);
    }
}

static void counters_stand_before_the_payload(void **state)
{
    (void)state;
    struct etl_writer writer;
    struct pl_etl_event event;
    struct etl_writer_event written = {.header = ETL_WRITE_PERFINFO, .ticks = 9, .hook = 0x020a, .version = 2, .counters = 3};
    etl_writer_start(&writer, &plain64);
    etl_writer_put(&writer, &written, "payload", 8);
    etl_writer_finish(&writer);
    struct pl_etl *etl = etl_reopen(&writer);
    assert_true(etl_next(etl, &event));
    assert_int_equal(event.payload_size, 8);
    assert_string_equal((const char *)event.payload, "payload");
    pl_etl_close(etl);
    etl_writer_free(&writer);
}

/* --- the merge ---------------------------------------------------------------------------- */

/* Events at every tick once, on random processors whose buffers are flushed at random moments, some only at the end: they come
 * out in the order of ticks, each with what it carried. */
static void check_merge(uint64_t seed, const struct etl_writer_options *options, unsigned cpus, unsigned count)
{
    struct etl_writer writer;
    struct pl_etl_event event;
    struct pl_random random = pl_random_seeded(seed);
    etl_writer_start(&writer, options);
    for (uint64_t tick = 1; tick <= count; tick++) {
        struct etl_payload payload = {.pointer_size = options->pointer_size};
        unsigned cpu = (unsigned)pl_random_below(&random, cpus);
        etl_payload_pointer(&payload, tick * 16);
        for (uint64_t more = pl_random_below(&random, 6); more; more--)
            etl_payload_pointer(&payload, tick);
        etl_put(&writer, cpu, 1000 + tick, 0x020a, &payload);
        if (cpus > 1 && pl_random_below(&random, 40) == 0)
            etl_writer_flush(&writer, (unsigned)pl_random_below(&random, cpus - 1)); /* the last one's only when full */
    }
    etl_writer_finish(&writer);
    struct pl_etl *etl = etl_reopen(&writer);
    assert_int_equal(pl_etl_info(etl)->events, count + 1);
    for (uint64_t tick = 1; tick <= count; tick++) {
        assert_true(etl_next(etl, &event));
        if (event.ticks != 1000 + tick || memcmp(event.payload, (uint8_t[]){(uint8_t)(tick * 16)}, 1))
            fail_msg("seed %llu: tick %llu instead of %llu", (unsigned long long)seed, (unsigned long long)event.ticks,
                     (unsigned long long)(1000 + tick));
    }
    assert_false(etl_next(etl, &event));
    assert_int_equal(pl_etl_info(etl)->backward, 0);
    assert_int_equal(pl_etl_info(etl)->last_ticks, 1000 + count);
    assert_int_equal(pl_etl_done(etl), writer.length);
    pl_etl_close(etl);
    etl_writer_free(&writer);
}

static void merges_by_time(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        check_merge(seed, &plain64, 1 + (unsigned)seed * 5, 3000);
        check_merge(seed, &packed64, 1 + (unsigned)seed * 5, 3000);
        check_merge(seed, &plain32, 8, 1000);
    }
}

/* A buffer whose own events go back in time comes out in its order, and is counted. */
static void counts_what_goes_back(void **state)
{
    (void)state;
    struct etl_writer writer;
    struct pl_etl_event event;
    etl_writer_start(&writer, &plain64);
    etl_put(&writer, 0, 10, 0x020a, NULL);
    etl_put(&writer, 0, 30, 0x020a, NULL);
    etl_put(&writer, 0, 20, 0x020a, NULL);
    etl_put(&writer, 0, 40, 0x020a, NULL);
    etl_writer_finish(&writer);
    struct pl_etl *etl = etl_reopen(&writer);
    while (etl_next(etl, &event))
        ;
    assert_int_equal(pl_etl_info(etl)->backward, 1);
    assert_int_equal(pl_etl_info(etl)->events, 5);
    pl_etl_close(etl);
    etl_writer_free(&writer);
}

/* --- joins ------------------------------------------------------------------------------- */

static void threads_belong_to_processes(void **state)
{
    (void)state;
    struct etl_writer writer;
    etl_writer_start(&writer, &plain64);
    etl_put_thread(&writer, 100, PL_ETL_THREAD_DC_START, 4, 8);
    etl_put_thread(&writer, 200, PL_ETL_THREAD_START, 50, 1000);
    etl_put_thread(&writer, 300, PL_ETL_THREAD_END, 50, 1000);
    etl_put_thread(&writer, 400, PL_ETL_THREAD_START, 60, 1000); /* the number comes again */
    etl_put_thread(&writer, 900, PL_ETL_THREAD_DC_END, 60, 1000);
    etl_put_thread(&writer, 900, PL_ETL_THREAD_DC_END, 70, 2000); /* only named at the end */
    etl_writer_finish(&writer);
    struct pl_etl *etl = etl_reopen(&writer);
    assert_int_equal(pl_etl_process_of(etl, 8, 50), 4);
    assert_int_equal(pl_etl_process_of(etl, 8, 5000), 4);
    assert_int_equal(pl_etl_process_of(etl, 1000, 200), 50);
    assert_int_equal(pl_etl_process_of(etl, 1000, 250), 50);
    assert_int_equal(pl_etl_process_of(etl, 1000, 310), 50); /* it faults while it exits */
    assert_int_equal(pl_etl_process_of(etl, 1000, 400), 60);
    assert_int_equal(pl_etl_process_of(etl, 1000, 5000), 60);
    assert_int_equal(pl_etl_process_of(etl, 2000, 1), 70);
    assert_int_equal(pl_etl_process_of(etl, 3000, 1), PL_ETL_NOBODY);
    pl_etl_close(etl);
    etl_writer_free(&writer);
}

static void files_have_names(void **state)
{
    (void)state;
    struct etl_writer writer;
    etl_writer_start(&writer, &packed64);
    etl_put_file(&writer, 200, PL_ETL_FILE_DELETE, 0xa0, "\\first");
    etl_put_file(&writer, 300, PL_ETL_FILE_CREATE, 0xa0, "\\second");
    etl_put_file(&writer, 400, PL_ETL_FILE_CREATE, 0xb0, "\\late");
    etl_put_file(&writer, 900, PL_ETL_FILE_RUNDOWN, 0xa0, "\\second");
    etl_put_file(&writer, 900, PL_ETL_FILE_RUNDOWN, 0xc0, "\\old");
    etl_writer_finish(&writer);
    struct pl_etl *etl = etl_reopen(&writer);
    assert_string_equal(pl_etl_file_name(etl, 0xa0, 100), "\\first");
    assert_string_equal(pl_etl_file_name(etl, 0xa0, 200), "\\first");
    assert_string_equal(pl_etl_file_name(etl, 0xa0, 250), "\\second"); /* read while it is opened */
    assert_string_equal(pl_etl_file_name(etl, 0xa0, 350), "\\second");
    assert_string_equal(pl_etl_file_name(etl, 0xb0, 399), "\\late");
    assert_string_equal(pl_etl_file_name(etl, 0xb0, 5000), "\\late");
    assert_string_equal(pl_etl_file_name(etl, 0xc0, 0), "\\old");
    assert_null(pl_etl_file_name(etl, 0xd0, 100));
    pl_etl_close(etl);
    etl_writer_free(&writer);
}

static void processes_have_names(void **state)
{
    (void)state;
    for (unsigned version = 2; version <= 4; version++) {
        struct etl_writer writer;
        etl_writer_start(&writer, version == 3 ? &plain32 : &plain64);
        etl_put_process(&writer, 100, PL_ETL_PROCESS_DC_START, 0x1234560, 4, "System", version);
        etl_put_process(&writer, 200, PL_ETL_PROCESS_START, 0x7777770, 50, "a.exe", version);
        etl_put_process(&writer, 300, PL_ETL_PROCESS_END, 0x7777770, 50, "a.exe", version);
        etl_put_process(&writer, 400, PL_ETL_PROCESS_START, 0x8888880, 50, "b.exe", version);
        etl_writer_finish(&writer);
        struct pl_etl *etl = etl_reopen(&writer);
        assert_string_equal(pl_etl_process_name(etl, 4, 5000), "System");
        assert_string_equal(pl_etl_process_name(etl, 50, 250), "a.exe");
        assert_string_equal(pl_etl_process_name(etl, 50, 450), "b.exe");
        assert_null(pl_etl_process_name(etl, 51, 450));
        assert_int_equal(pl_etl_process_by_key(etl, 0x8888880, 450), 50);
        pl_etl_close(etl);
        etl_writer_free(&writer);
    }
}

/* Headers without a thread: the last context switch on the processor tells. */
static void switches_tell_who_runs(void **state)
{
    (void)state;
    struct etl_writer writer;
    struct pl_etl_event event;
    struct etl_payload to_7 = {.pointer_size = 8}, to_8 = {.pointer_size = 8};
    etl_payload_add(&to_7, 7, 4);
    etl_payload_add(&to_7, 0, 4);
    etl_payload_add(&to_8, 8, 4);
    etl_payload_add(&to_8, 7, 4);
    etl_writer_start(&writer, &plain64);
    etl_put(&writer, 1, 10, PL_ETL_CONTEXT_SWITCH, &to_7);
    etl_put(&writer, 2, 11, PL_ETL_CONTEXT_SWITCH, &to_8);
    etl_put(&writer, 1, 12, 0x020a, NULL);
    etl_put(&writer, 2, 13, 0x020a, NULL);
    etl_put(&writer, 3, 14, 0x020a, NULL);
    etl_put(&writer, 1, 15, PL_ETL_CONTEXT_SWITCH, &to_8);
    etl_put(&writer, 1, 16, 0x020a, NULL);
    etl_writer_finish(&writer);
    struct pl_etl *etl = etl_reopen(&writer);
    static const uint32_t expected[] = {7, 8, PL_ETL_NOBODY, 8};
    for (size_t i = 0; etl_next(etl, &event);)
        if (event.hook == 0x020a)
            assert_int_equal(event.thread, expected[i++]);
    pl_etl_close(etl);
    etl_writer_free(&writer);
}

/* --- clocks -------------------------------------------------------------------------------- */

static void check_clock(struct etl_writer_options options, uint64_t ticks, pl_time_ps expected)
{
    struct etl_writer writer;
    options.first_ticks = 1000;
    etl_writer_start(&writer, &options);
    etl_put(&writer, 0, 1000 + ticks, 0x020a, NULL);
    etl_writer_finish(&writer);
    struct pl_etl *etl = etl_reopen(&writer);
    assert_int_equal(pl_etl_info(etl)->first_ticks, 1000);
    assert_int_equal(pl_etl_time(etl, 1000 + ticks), expected);
    assert_int_equal(pl_etl_time(etl, 0), 0);
    pl_etl_close(etl);
    etl_writer_free(&writer);
}

static void clocks(void **state)
{
    (void)state;
    struct etl_writer_options options = plain64;
    check_clock(options, 12345, 12345 * INT64_C(100000));
    check_clock(plain32, 12345, 12345 * INT64_C(100000));
    options.frequency = 3579545; /* no divisor of 10^12 */
    check_clock(options, 3579545, PL_PS_PER_S);
    check_clock(options, 1, 279365); /* 10^12 / 3579545 = 279365.1 */
    check_clock(options, 3579545 * UINT64_C(1000000) + 1, PL_PS_PER_S * 1000000 + 279365);
    options.frequency = 1;
    check_clock(options, 9223372, 9223372 * PL_PS_PER_S);
    check_clock(options, 9223373, INT64_MAX);
    options.frequency = 7;
    check_clock(options, UINT64_MAX / 2, INT64_MAX);
    options.clock = 2;
    check_clock(options, 3, 3 * INT64_C(100000));
    options.clock = 3;
    options.cpu_mhz = 2500;
    check_clock(options, 5, 2000);
    options.cpu_mhz = 0; /* says nothing: taken for 100 ns */
    check_clock(options, 5, 500000);
}

/* --- counts -------------------------------------------------------------------------------- */

static void counts_by_event(void **state)
{
    (void)state;
    struct etl_writer writer;
    size_t count;
    char text[40];
    etl_writer_start(&writer, &plain64);
    for (int i = 0; i < 5; i++)
        etl_put(&writer, 0, 10, 0x020a, NULL);
    for (int i = 0; i < 4; i++)
        etl_put(&writer, 1, 10, 0xeeee, NULL);
    for (int i = 0; i < 6; i++) {
        struct etl_writer_event event = {.header = ETL_WRITE_EVENT, .ticks = 10, .hook = (uint16_t)(i < 3 ? 1 : 300), .guid = some_guid};
        etl_writer_put(&writer, &event, NULL, 0);
    }
    etl_writer_finish(&writer);
    struct pl_etl *etl = etl_reopen(&writer);
    const struct pl_etl_kind *kinds = pl_etl_kinds(etl, &count);
    assert_int_equal(count, 5);
    assert_string_equal(kinds[0].name, "PageFault/TransitionFault");
    assert_int_equal(kinds[0].count, 5);
    assert_int_equal(kinds[0].bytes, 5 * 16);
    assert_int_equal(kinds[1].hook, 0xeeee);
    assert_null(kinds[1].name);
    assert_int_equal(kinds[2].count, 3);
    assert_int_equal(kinds[2].id, 1);
    assert_int_equal(kinds[3].id, 300);
    assert_string_equal(pl_etl_guid_text(kinds[3].guid, text, sizeof text), "12345678-abcd-ef01-0102-030405060708");
    assert_string_equal(kinds[4].name, "EventTrace/Header");
    assert_int_equal(pl_etl_info(etl)->soft_faults, 5);
    pl_etl_close(etl);
    etl_writer_free(&writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers),
        cmocka_unit_test(counters_stand_before_the_payload),
        cmocka_unit_test(merges_by_time),
        cmocka_unit_test(counts_what_goes_back),
        cmocka_unit_test(threads_belong_to_processes),
        cmocka_unit_test(files_have_names),
        cmocka_unit_test(processes_have_names),
        cmocka_unit_test(switches_tell_who_runs),
        cmocka_unit_test(clocks),
        cmocka_unit_test(counts_by_event),
    };
    return cmocka_run_group_tests_name("etl", tests, NULL, NULL);
}
