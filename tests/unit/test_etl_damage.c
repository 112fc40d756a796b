/* tests/unit/test_etl_damage.c: files that are cut, overwritten or lie: what is intact comes out, the rest has a name.
 * */
#include "etl_help.h"

#include "base/random.h"

enum { EVENTS = 2000, CPUS = 4 };

static void write_file(struct etl_writer *writer, const struct etl_writer_options *options)
{
    etl_writer_start(writer, options);
    for (uint64_t i = 0; i < EVENTS; i++) {
        struct etl_payload payload = {.pointer_size = options->pointer_size};
        etl_payload_pointer(&payload, i << 12);
        etl_payload_pointer(&payload, i * i);
        etl_put(writer, (unsigned)(i % CPUS), 1 + i, 0x020a, &payload);
    }
    etl_writer_finish(writer);
}

/* Events that come out, each checked; a lie in the file may not make up others than those that were written. */
static uint64_t count_events(struct pl_etl *etl)
{
    struct pl_etl_event event;
    uint64_t count = 0, last = 0;
    while (etl_next(etl, &event)) {
        struct pl_etl_fields fields;
        assert_true(pl_etl_read(&event, &fields));
        assert_int_equal(fields.value[0].number, (event.ticks - 1) << 12);
        assert_true(event.ticks > last);
        last = event.ticks;
        count++;
    }
    return count;
}

static void whole(void **state)
{
    (void)state;
    static const struct etl_writer_options *const options[] = {&plain64, &plain32, &packed64};
    for (size_t i = 0; i < PL_COUNT_OF(options); i++) {
        struct etl_writer writer;
        size_t losses;
        write_file(&writer, options[i]);
        struct pl_etl *etl = etl_reopen(&writer);
        assert_int_equal(count_events(etl), EVENTS);
        (void)pl_etl_losses(etl, &losses);
        assert_int_equal(losses, 0);
        pl_etl_close(etl);
        etl_writer_free(&writer);
    }
}

/* Of a compressed buffer that is cut, too, what comes before the cut comes out: between whole buffers the count grows.
 * */
static void check_cuts(const struct etl_writer_options *options, unsigned step)
{
    struct etl_writer writer;
    uint64_t before = 0, steps = 0;
    write_file(&writer, options);
    for (size_t length = 0x48; length < writer.length; length += step) {
        struct pl_etl *etl;
        struct pl_error err;
        uint8_t *copy = malloc(length);
        memcpy(copy, writer.bytes, length);
        assert_int_equal(pl_etl_open(copy, length, "cut", NULL, &etl, &err), PL_OK);
        uint64_t count = count_events(etl);
        assert_true(count >= before);
        steps += count > before;
        before = count;
        if (length % 4096 && !options->compressed)
            assert_int_equal(etl_lost(etl, "cut short") + etl_lost(etl, "belong to no buffer") > 0, 1);
        pl_etl_close(etl);
        free(copy);
    }
    assert_true(steps > 2 * EVENTS * 48 / options->buffer_size); /* more often than there are buffers */
    etl_writer_free(&writer);
}

static void cut_at_every_place(void **state)
{
    (void)state;
    check_cuts(&plain64, 97);
    check_cuts(&packed64, 31);
}

/* Kept by the survey or decompressed twice: the same events. */
static void kept_or_not(void **state)
{
    (void)state;
    static const uint64_t kept_bytes[] = {0, 1, 10000};
    struct etl_writer writer;
    write_file(&writer, &packed64);
    for (size_t i = 0; i < PL_COUNT_OF(kept_bytes); i++) {
        struct pl_etl_limits limits = {.kept_bytes = kept_bytes[i]};
        struct pl_etl *etl;
        struct pl_error err;
        assert_int_equal(pl_etl_open(writer.bytes, writer.length, "kept", &limits, &etl, &err), PL_OK);
        assert_int_equal(count_events(etl), EVENTS);
        pl_etl_close(etl);
    }
    etl_writer_free(&writer);
}

static void no_file_at_all(void **state)
{
    (void)state;
    static const uint8_t nothing[4096];
    struct pl_etl *etl;
    struct pl_error err;
    assert_int_equal(pl_etl_open(nothing, sizeof nothing, "zeros", NULL, &etl, &err), PL_ERR_INPUT);
    assert_string_equal(err.message, "zeros: is no .etl file: there is not one buffer in it");
    assert_int_equal(pl_etl_open(nothing, 0, "empty", NULL, &etl, &err), PL_ERR_INPUT);
    assert_int_equal(pl_etl_probe(nothing, sizeof nothing), 0);
    assert_int_equal(pl_etl_probe(nothing, 3), 0);
}

/* A buffer's header is overwritten: that buffer is lost, the chain goes on behind it. */
static void check_lost_header(const struct etl_writer_options *options)
{
    struct etl_writer writer;
    write_file(&writer, options);
    uint32_t first = (uint32_t)(writer.bytes[0] | writer.bytes[1] << 8), second;
    memcpy(&second, writer.bytes + first, 4);
    memset(writer.bytes + first, 0xff, 16);
    struct pl_etl *etl = etl_reopen(&writer);
    uint64_t count = count_events(etl);
    assert_true(count < EVENTS && count > EVENTS - 200);
    assert_int_equal(etl_lost(etl, "belong to no buffer"), second);
    assert_int_equal(etl_lost(etl, "cut short"), 0);
    pl_etl_close(etl);
    etl_writer_free(&writer);
}

static void lost_headers(void **state)
{
    (void)state;
    check_lost_header(&plain64);
    check_lost_header(&packed64);
}

static void records_that_make_no_sense(void **state)
{
    (void)state;
    struct etl_writer writer;
    const uint8_t nonsense[16] = {1, 2, 0x77, 0xc0, 16}, too_long[16] = {2, 0, 0x11, 0xc0, 0xff, 0xff};
    etl_writer_start(&writer, &plain64);
    etl_put(&writer, 0, 1, 0xeeee, NULL);
    etl_writer_raw(&writer, 0, nonsense, sizeof nonsense);
    etl_put(&writer, 0, 2, 0xeeee, NULL); /* behind it: lost */
    etl_put(&writer, 1, 3, 0xeeee, NULL);
    etl_writer_raw(&writer, 1, too_long, sizeof too_long);
    etl_writer_finish(&writer);
    struct pl_etl *etl = etl_reopen(&writer);
    struct pl_etl_event event;
    assert_true(etl_next(etl, &event));
    assert_int_equal(event.ticks, 1);
    assert_true(etl_next(etl, &event));
    assert_int_equal(event.ticks, 3);
    assert_false(etl_next(etl, &event));
    assert_int_equal(etl_lost(etl, "makes no sense"), 2);
    pl_etl_close(etl);
    etl_writer_free(&writer);
}

static void losses_that_the_file_tells(void **state)
{
    (void)state;
    struct etl_writer writer;
    struct etl_writer_options options = plain64;
    options.events_lost = 77;
    options.buffers_lost = 3;
    etl_writer_start(&writer, &options);
    writer.cpu[0].flags = 2;
    etl_put(&writer, 0, 1, 0xeeee, NULL);
    writer.cpu[1].flags = 4;
    etl_put(&writer, 1, 1, 0xeeee, NULL);
    writer.cpu[2].type = 2; /* compact context switches, which look otherwise */
    etl_put(&writer, 2, 1, 0xeeee, NULL);
    etl_writer_finish(&writer);
    struct pl_etl *etl = etl_reopen(&writer);
    assert_int_equal(pl_etl_info(etl)->events_lost, 77);
    assert_int_equal(pl_etl_info(etl)->buffers_lost, 3);
    assert_int_equal(etl_lost(etl, "say that events were lost"), 1);
    assert_int_equal(etl_lost(etl, "one before them was lost"), 1);
    assert_int_equal(etl_lost(etl, "compact context switches"), 1);
    pl_etl_close(etl);
    etl_writer_free(&writer);
}

static void limits_hold(void **state)
{
    (void)state;
    struct etl_writer writer;
    struct pl_etl *etl;
    struct pl_error err;
    struct pl_etl_limits limits = {.buffer_bytes = 100};
    write_file(&writer, &packed64);
    assert_int_equal(pl_etl_open(writer.bytes, writer.length, "limits", &limits, &etl, &err), PL_OK);
    assert_int_equal(count_events(etl), 0);
    assert_true(etl_lost(etl, "too large") > 10);
    pl_etl_close(etl);
    limits = (struct pl_etl_limits){.open_bytes = 9000, .kept_bytes = 1}; /* two of the four that overlap */
    assert_int_equal(pl_etl_open(writer.bytes, writer.length, "limits", &limits, &etl, &err), PL_OK);
    uint64_t count = count_events(etl);
    assert_true(count > 0 && count < EVENTS);
    assert_true(etl_lost(etl, "too many are open") > 0);
    pl_etl_close(etl);
    etl_writer_free(&writer);
    etl_writer_start(&writer, &plain64);
    for (uint32_t i = 0; i < 1000; i++)
        etl_put_thread(&writer, i, PL_ETL_THREAD_START, 4, i);
    etl_writer_finish(&writer);
    limits = (struct pl_etl_limits){.name_bytes = 2400};
    assert_int_equal(pl_etl_open(writer.bytes, writer.length, "limits", &limits, &etl, &err), PL_OK);
    assert_int_equal(pl_etl_process_of(etl, 50, 100), 4);
    assert_int_equal(etl_lost(etl, "too many"), 900);
    pl_etl_close(etl);
    etl_writer_free(&writer);
}

static bool stop(void *user, uint64_t at, uint64_t total)
{
    (void)user;
    (void)at;
    (void)total;
    return false;
}

static void survey_stops_when_asked(void **state)
{
    (void)state;
    struct etl_writer_options options = plain64;
    options.buffer_size = 1 << 20;
    struct etl_writer writer;
    struct pl_etl *etl;
    struct pl_error err;
    struct pl_progress progress = {stop, NULL};
    struct pl_etl_limits limits = {.progress = &progress};
    etl_writer_start(&writer, &options);
    for (uint64_t i = 0; i < 20; i++) {
        etl_put(&writer, 0, i + 1, 0xeeee, NULL);
        etl_writer_flush(&writer, 0);
    }
    assert_int_equal(pl_etl_open(writer.bytes, writer.length, "stop", &limits, &etl, &err), PL_OK);
    assert_int_equal(pl_etl_info(etl)->buffers, 16);
    assert_int_equal(etl_lost(etl, "as asked"), 1);
    pl_etl_close(etl);
    etl_writer_free(&writer);
}

/* Any bytes may be changed: the reader ends, and within what is there. Sanitizers hold it to that. */
static void random_changes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct etl_writer writer;
        struct pl_etl *etl;
        struct pl_etl_event event;
        struct pl_error err;
        struct pl_random random = pl_random_seeded(seed);
        write_file(&writer, seed & 1 ? &packed64 : &plain64);
        for (int i = 0; i < 40; i++)
            writer.bytes[pl_random_below(&random, writer.length)] = (uint8_t)pl_random_next(&random);
        uint8_t *copy = malloc(writer.length);
        memcpy(copy, writer.bytes, writer.length);
        if (pl_etl_open(copy, writer.length, "changed", NULL, &etl, &err) == PL_OK) {
            uint64_t count = 0;
            while (pl_etl_next(etl, &event, &err) == PL_OK) {
                struct pl_etl_fields fields;
                (void)pl_etl_read(&event, &fields);
                count++;
            }
            assert_int_equal(count, pl_etl_info(etl)->events);
            pl_etl_close(etl);
        }
        free(copy);
        etl_writer_free(&writer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole), cmocka_unit_test(cut_at_every_place), cmocka_unit_test(kept_or_not),
        cmocka_unit_test(no_file_at_all),
        cmocka_unit_test(lost_headers), cmocka_unit_test(records_that_make_no_sense),
        cmocka_unit_test(losses_that_the_file_tells), cmocka_unit_test(limits_hold),
        cmocka_unit_test(survey_stops_when_asked), cmocka_unit_test(random_changes),
    };
    return cmocka_run_group_tests_name("etl damage", tests, NULL, NULL);
}
