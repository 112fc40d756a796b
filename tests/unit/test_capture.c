/* tests/unit/test_capture.c: the recorder (what goes in comes out, also of a file that is cut off), LZ4 sizes against
 * liblz4, pages added up, and the measurement file. */
#include "capture/lz4_size.h"
#include "capture/measurement.h"
#include "capture/page_tally.h"
#include "capture/recorder.h"
#include "codec/page_content.h"
#include "codec/xpress.h"
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <lz4.h>

enum { PAGE = 4096 };

/* --- sizes under LZ4 ------------------------------------------------------------------------ */
static void test_lz4_sizes(void **state)
{
    static const enum pl_content_kind kinds[] = {PL_CONTENT_ZEROS, PL_CONTENT_INDEX, PL_CONTENT_RAND,
                                                 PL_CONTENT_TEXT,  PL_CONTENT_HASH,  PL_CONTENT_SAME};
    static struct pl_lz4_work work;
    for (size_t k = 0; k < PL_COUNT_OF(kinds); k++) {
        const struct pl_content content = {kinds[k], 7};
        uint64_t ours = 0, theirs = 0;
        for (uint64_t i = 0; i < 200; i++) {
            uint8_t page[PAGE];
            char out[2 * PAGE];
            pl_content_page(&content, i, page, PAGE);
            ours += pl_lz4_size(&work, page, PAGE);
            theirs += (uint64_t)LZ4_compress_default((const char *)page, out, PAGE, sizeof out);
        }
        double error = (double)ours / (double)theirs - 1;
        if (error < -0.02 || error > 0.02)
            fail_msg("%s: %llu bytes where liblz4 makes %llu", pl_content_name(kinds[k]), (unsigned long long)ours,
                     (unsigned long long)theirs);
    }
}

static void test_lz4_short(void **state)
{
    static struct pl_lz4_work work;
    static const uint8_t bytes[16] = "aaaaaaaaaaaaaaa";
    char out[64];
    for (size_t size = 0; size <= sizeof bytes; size++)
        assert_int_equal(pl_lz4_size(&work, bytes, size),
                         LZ4_compress_default((const char *)bytes, out, (int)size, sizeof out));
}

/* --- pages added up --------------------------------------------------------------------------- */
static void test_tally(void **state)
{
    struct page_tally *tally;
    struct page_tally_sizes sizes;
    static struct pl_xpress_work xpress;
    uint8_t page[PAGE] = {0}, out[2 * PAGE];
    assert_int_equal(page_tally_create(PAGE, &tally, NULL), PL_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(page_tally_add(tally, page, &sizes, NULL), PL_OK);
    assert_true(sizes.zero && sizes.same && sizes.seen);
    memset(page, 0x5a, sizeof page);
    assert_int_equal(page_tally_add(tally, page, &sizes, NULL), PL_OK);
    assert_true(!sizes.zero && sizes.same && !sizes.seen);
    const struct pl_content text = {PL_CONTENT_TEXT, 3};
    uint64_t expected = sizes.xpress;
    for (uint64_t i = 0; i < 40; i++) {
        pl_content_page(&text, i % 20, page, PAGE);
        assert_int_equal(page_tally_add(tally, page, &sizes, NULL), PL_OK);
        assert_int_equal(sizes.seen, i >= 20);
        assert_int_equal(sizes.xpress, pl_xpress_compress(&xpress, 1, page, PAGE, out, PAGE - 1));
        expected += sizes.xpress;
    }
    struct page_tally_counts counts = page_tally_counts(tally);
    assert_int_equal(counts.pages, 44);
    assert_int_equal(counts.zero, 3);
    assert_int_equal(counts.same, 4);
    assert_int_equal(counts.duplicates, 20);
    assert_int_equal(counts.xpress_bytes, expected);
    page_tally_destroy(tally);
}

/* More distinct pages than the first table holds. */
static void test_tally_grows(void **state)
{
    struct page_tally *tally;
    uint32_t page[PAGE / 4] = {0};
    assert_int_equal(page_tally_create(PAGE, &tally, NULL), PL_OK);
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 40000; i++) {
            page[0] = i + 1;
            assert_int_equal(page_tally_add(tally, (const uint8_t *)page, NULL, NULL), PL_OK);
        }
    assert_int_equal(page_tally_counts(tally).duplicates, 40000);
    page_tally_destroy(tally);
}

/* --- the recorder ------------------------------------------------------------------------------ */
struct touch {
    uint64_t process, thread, number;
    uint8_t kind;
};

static char path[64];

static struct pl_recorder *open_recorder(uint64_t last)
{
    const struct pl_recorder_options options = {
        .path = path, .source = "a test", .page_size = PAGE, .times = true, .last_touches = last};
    struct pl_recorder *recorder;
    int fd;
    strcpy(path, "/tmp/test_capture.XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(pl_recorder_open(&options, &recorder, NULL), PL_OK);
    return recorder;
}

/* Random touches of three processes' threads, with allocations, frees, marks and losses between. */
static size_t record_some(struct pl_recorder *recorder, struct touch *touches, size_t count, uint64_t seed)
{
    struct pl_random random = pl_random_seeded(seed);
    uint64_t process = 1, thread = 1;
    for (size_t i = 0; i < count; i++) {
        pl_time_ps time = (pl_time_ps)i * 1000;
        uint64_t choice = pl_random_below(&random, 400);
        if (choice < 20 || i == 0) {
            process = 100 + pl_random_below(&random, 3);
            thread = process * 10 + pl_random_below(&random, 2);
            pl_recorder_actor(recorder, process, thread, i % 2 ? "somebody" : NULL);
        } else if (choice == 20) {
            pl_recorder_phase(recorder, "a mark", time);
        } else if (choice == 21) {
            pl_recorder_allocate(recorder, pl_random_below(&random, 500) * PAGE, 300 * PAGE, 1, time);
        } else if (choice == 22) {
            pl_recorder_free(recorder, pl_random_below(&random, 500) * PAGE, 50 * PAGE, time);
        } else if (choice == 23) {
            pl_recorder_lost(recorder, 3, time);
        } else if (choice == 24) {
            pl_recorder_content(recorder, pl_random_below(&random, 500) * PAGE, 12345, "lz4=100 xpress=90", time);
        } else if (choice == 25) {
            pl_recorder_flush(recorder);
        }
        uint64_t number = pl_random_below(&random, 600);
        uint8_t kind = pl_random_below(&random, 2) ? PL_WRITE : PL_READ;
        pl_recorder_touch(recorder, (enum pl_kind)kind, number * PAGE + pl_random_below(&random, PAGE), 1, time);
        touches[i] = (struct touch){process, thread, number, kind};
    }
    return count;
}

/* Reads a trace and holds it against the touches from `at` on; returns how many there were. */
static size_t compare(const void *bytes, size_t length, const struct touch *touches, size_t count, size_t at)
{
    const struct pl_trace_options options = {.format = "native", .need_dictionary = true, .skip_damaged = true};
    struct pl_trace *trace;
    struct pl_batch batch;
    uint64_t thread = 0;
    size_t seen = 0;
    if (pl_trace_open_memory(bytes, length, "memory", &options, &trace, NULL))
        return 0;
    while (pl_trace_next(trace, &batch, NULL) == PL_OK)
        for (size_t i = 0, next = 0; i < batch.count; i++, seen++) {
            for (; next < batch.control_count && batch.control[next].at <= i; next++)
                if (batch.control[next].op == PL_OP_SWITCH)
                    thread = batch.control[next].b;
            assert_true(at + seen < count);
            const struct touch *wanted = &touches[at + seen];
            struct pl_page_origin origin = pl_trace_page_origin(trace, batch.page[i]);
            assert_int_equal(origin.process, wanted->process);
            assert_int_equal(origin.number, wanted->number);
            assert_int_equal(thread, wanted->thread);
            assert_int_equal(batch.kind ? batch.kind[i] : PL_READ, wanted->kind);
        }
    pl_trace_close(trace);
    return seen;
}

static uint8_t *read_back(size_t *length)
{
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    fseek(stream, 0, SEEK_END);
    *length = (size_t)ftell(stream);
    rewind(stream);
    uint8_t *bytes = malloc(*length + 1);
    assert_int_equal(fread(bytes, 1, *length, stream), *length);
    fclose(stream);
    return bytes;
}

enum { TOUCHES = 60000 };
static struct touch touches[TOUCHES];

static void test_recorder(void **state)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct pl_recorder *recorder = open_recorder(0);
        struct pl_recorder_counts counts;
        struct pl_error err;
        record_some(recorder, touches, TOUCHES, seed);
        assert_int_equal(pl_recorder_close(recorder, &counts, &err), PL_OK);
        assert_int_equal(counts.touches, TOUCHES);
        size_t length;
        uint8_t *bytes = read_back(&length);
        assert_int_equal(counts.bytes, length);
        assert_int_equal(compare(bytes, length, touches, TOUCHES, 0), TOUCHES);
        free(bytes);
        unlink(path);
    }
}

/* A file that ends anywhere holds the touches up to its last whole block, and no wrong ones. */
static void test_recorder_cut(void **state)
{
    struct pl_recorder *recorder = open_recorder(0);
    record_some(recorder, touches, TOUCHES / 4, 9);
    assert_int_equal(pl_recorder_close(recorder, NULL, NULL), PL_OK);
    size_t length, before = 0;
    uint8_t *bytes = read_back(&length);
    for (size_t end = 0; end < length; end += 1 + length / 300) {
        size_t seen = compare(bytes, end, touches, TOUCHES / 4, 0);
        assert_true(seen >= before);
        before = seen;
    }
    assert_true(before > TOUCHES / 8);
    free(bytes);
    unlink(path);
}

static void test_recorder_last(void **state)
{
    struct pl_recorder *recorder = open_recorder(1000);
    record_some(recorder, touches, 5000, 5);
    assert_int_equal(pl_recorder_close(recorder, NULL, NULL), PL_OK);
    size_t length;
    uint8_t *bytes = read_back(&length);
    assert_int_equal(compare(bytes, length, touches, 5000, 4000), 1000);
    free(bytes);
    unlink(path);
}

static void test_recorder_limits(void **state)
{
    const struct pl_recorder_options options = {.path = "/does/not/exist/t.trace", .page_size = PAGE};
    struct pl_recorder *recorder;
    struct pl_error err;
    assert_int_equal(pl_recorder_open(&options, &recorder, &err), PL_ERR_INPUT);
    recorder = open_recorder(0);
    pl_recorder_abandon(recorder); /* nothing was recorded: nothing stays */
    assert_int_not_equal(access(path, F_OK), 0);
    recorder = open_recorder(0);
    pl_recorder_touch(recorder, PL_WRITE, 2 * PAGE - 1, 2, 0); /* over a border */
    pl_recorder_touch(recorder, PL_READ, 7, 0, 0);
    assert_int_equal(pl_recorder_counts(recorder).touches, 3);
    assert_int_equal(pl_recorder_close(recorder, NULL, NULL), PL_OK);
    unlink(path);
}

/* --- the measurement ------------------------------------------------------------------------------ */
static void test_measurement(void **state)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_measurement *measurement = pl_measurement_create(arena, "a", "cppeater", "about");
    for (int i = 0; i < 40; i++)
        pl_measurement_sample(measurement, "after empty", "time", "ms", 40 - i + 0.25);
    pl_measurement_sample(measurement, "after empty", "faults.store", "count", 131072);
    pl_measurement_fact(measurement, "page_bytes", pl_value_count(4096));
    pl_measurement_fact(measurement, "cpu", pl_value_text("a \"fast\" one"));
    pl_measurement_parameter(measurement, "size", pl_value_text("1MiB"));
    pl_measurement_parameter(measurement, "size", pl_value_text("2MiB"));
    assert_true(pl_measurement_median(measurement, "after empty", "time") == 20.75);
    struct pl_sink *sink;
    size_t length;
    assert_int_equal(pl_sink_open_memory(&sink, NULL), PL_OK);
    assert_int_equal(pl_measurement_write(measurement, sink, NULL), PL_OK);
    const char *text = pl_sink_memory(sink, &length);
    struct pl_json *json;
    struct pl_error err;
    if (pl_json_read(text, length, "memory", &json, &err))
        fail_msg("%s", err.message);
    const struct pl_json_node *root = pl_json_root(json), *phase = pl_json_at(pl_json_get(root, "phases"), 0);
    const char *word;
    uint64_t count;
    assert_int_equal(pl_json_as_u64(pl_json_get(root, "page_bytes"), &count, NULL), PL_OK);
    assert_int_equal(count, 4096);
    const struct pl_json_node *parameters = pl_json_get(pl_json_get(root, "scenario"), "parameters");
    assert_int_equal(pl_json_as_text(pl_json_get(parameters, "size"), &word, NULL), PL_OK);
    assert_string_equal(word, "2MiB");
    const struct pl_json_node *values = pl_json_get(phase, "values");
    assert_int_equal(pl_json_size(pl_json_get(pl_json_get(values, "time"), "samples")), 40);
    const struct pl_json_node *faults = pl_json_get(pl_json_get(values, "faults.store"), "samples");
    assert_int_equal(pl_json_as_u64(pl_json_at(faults, 0), &count, NULL), PL_OK);
    assert_int_equal(count, 131072);
    pl_json_free(json);
    pl_sink_abandon(sink);
    pl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lz4_sizes),    cmocka_unit_test(test_lz4_short),       cmocka_unit_test(test_tally),
        cmocka_unit_test(test_tally_grows),  cmocka_unit_test(test_recorder),        cmocka_unit_test(test_recorder_cut),
        cmocka_unit_test(test_recorder_last), cmocka_unit_test(test_recorder_limits), cmocka_unit_test(test_measurement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
