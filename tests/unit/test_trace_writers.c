/* tests/unit/test_trace_writers.c: what is written reads back the same; what cannot be said fails. */
#include "trace_reading.h"

static char folder[] = "/tmp/pl-writers-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static struct pl_page_origin origin_of(void *user, pl_page page)
{
    return pl_trace_page_origin(user, page);
}

static enum pl_err convert(const char *text, const char *format, const char *path, struct pl_error *err)
{
    struct pl_trace_options options = {.need_dictionary = true};
    struct pl_trace *trace;
    struct pl_trace_writer *writer;
    struct pl_batch batch;
    enum pl_err rc = pl_trace_open_memory(text, strlen(text), "t", &options, &trace, err);
    assert_int_equal(rc, PL_OK);
    const struct pl_trace_info *info = pl_trace_info(trace);
    struct pl_trace_header header = {.page_size = info->page_size, .records = info->records, .clock = info->clock};
    rc = pl_trace_writer_open(path, format, false, &header, &writer, err);
    if (rc) {
        pl_trace_close(trace);
        return rc;
    }
    while (rc == PL_OK && (rc = pl_trace_next(trace, &batch, err)) == PL_OK)
        rc = pl_trace_write(writer, &batch, origin_of, trace, err);
    if (rc == PL_END)
        rc = pl_trace_writer_close(writer, err);
    else
        pl_trace_writer_abandon(writer);
    pl_trace_close(trace);
    return rc;
}

/* What survives: numbers always, kinds, times, sizes and processes as the format can. */
struct trip {
    const char *format, *file;
    bool kinds, executes, times, processes;
};
static const struct trip trips[] = {
    {"hex", "t.hex", false, false, false, false},    {"numbers", "t.txt", false, false, false, false},
    {"memsim", "t.memsim", true, false, false, false}, {"pages", "t.ref", true, true, false, false},
    {"csv", "t.csv", true, true, true, true},        {"native", "t.trace", true, true, true, true},
};

static void compare(const struct reading *a, const struct reading *b, const struct trip *trip)
{
    if (b->rc != PL_END)
        fail_msg("%s: %s", trip->format, b->err.message);
    assert_string_equal(b->format, trip->format);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->info.distinct, b->info.distinct);
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(a->number[i], b->number[i]);
        uint8_t kind = !trip->kinds ? PL_READ : a->kind[i] == PL_EXECUTE && !trip->executes ? PL_READ : a->kind[i];
        assert_int_equal(kind, b->kind[i]);
        if (trip->times)
            assert_int_equal(a->time[i], b->time[i]);
        if (trip->processes)
            assert_int_equal(a->process[i], b->process[i]);
        assert_int_equal(a->size[i], b->size[i]);
    }
}

static void round_trips(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "==9== Lackey\nI  04000,3\n L 1ffe,8\n S 5000,4\n M 6000,4\n L 0,1\n S 7fffffffffff,1\n",
        "s 0x1fffff50 1\nl 0x1fffff58 6\nl 0x20000000 2\n",
        "time_us,pid,page,rw\n5,1,10,R\n4,1,11,W\n9,1,10,X\n",
    };
    for (size_t t = 0; t < PL_COUNT_OF(texts); t++)
        for (size_t i = 0; i < PL_COUNT_OF(trips); i++) {
            struct pl_error err = {PL_OK, ""};
            if (convert(texts[t], trips[i].format, path_of(trips[i].file), &err))
                fail_msg("%s: %s", trips[i].format, err.message);
            struct reading before = read_text(texts[t], NULL), after = read_path(path_of(trips[i].file), NULL);
            compare(&before, &after, &trips[i]);
            reading_free(&before);
            reading_free(&after);
        }
}

static void several_processes(void **state)
{
    (void)state;
    static const char text[] = "pid,tid,page,op\n1,1,5,R\n2,3,5,W\n1,2,6,R\n";
    struct pl_error err;
    static const char *const cannot[] = {"hex", "numbers", "memsim", "pages", "oracle"};
    for (size_t i = 0; i < PL_COUNT_OF(cannot); i++) {
        assert_int_equal(convert(text, cannot[i], path_of("never"), &err), PL_ERR_USAGE);
        assert_non_null(strstr(err.message, "cannot tell processes apart"));
        assert_null(fopen(path_of("never"), "r"));
    }
    struct trip csv = {"csv", "p.csv", true, true, false, true};
    assert_int_equal(convert(text, "csv", path_of("p.csv"), &err), PL_OK);
    struct reading before = read_text(text, NULL), after = read_path(path_of("p.csv"), NULL);
    compare(&before, &after, &csv);
    assert_int_equal(after.info.threads, 3);
    reading_free(&before);
    reading_free(&after);
}

static void requests(void **state)
{
    (void)state;
    static const char text[] = "time,op,size,lbn\n1000000,28,8192,7\n2000000,2a,512,16\n5000000,28,512,7\n";
    struct pl_error err;
    struct trip csv = {"csv", "r.csv", true, true, true, false}, oracle = {"oracle", "r.oracle", false, false, true, false};
    assert_int_equal(convert(text, "csv", path_of("r.csv"), &err), PL_OK);
    assert_int_equal(convert(text, "oracle", path_of("r.oracle"), &err), PL_OK);
    struct reading before = read_text(text, NULL), as_csv = read_path(path_of("r.csv"), NULL),
                   as_oracle = read_path(path_of("r.oracle"), NULL);
    compare(&before, &as_csv, &csv);
    compare(&before, &as_oracle, &oracle);
    assert_int_equal(as_csv.info.records, PL_RECORDS_REQUESTS);
    reading_free(&before);
    reading_free(&as_csv);
    reading_free(&as_oracle);

    /* The future stands in the file: the first request comes again as the third, the others never. */
    uint8_t bytes[72];
    FILE *file = fopen(path_of("r.oracle"), "rb");
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), sizeof bytes);
    fclose(file);
    assert_int_equal(bytes[16], 3);
    assert_int_equal(bytes[24 + 16], 255);
    assert_int_equal(bytes[48 + 16], 255);
}

static void what_cannot_be_written(void **state)
{
    (void)state;
    struct pl_error err;
    assert_int_equal(convert("1\n", "lackey", path_of("x"), &err), PL_ERR_USAGE);
    assert_non_null(strstr(err.message, "can be written"));
    assert_int_equal(convert("ffffffffffffffff\n", "memsim", path_of("x"), &err), PL_ERR_USAGE);
    assert_non_null(strstr(err.message, "no 64-bit address"));
    assert_int_equal(convert("1\n", "hex", "/dev/full", &err), PL_ERR_RESOURCE);
    assert_non_null(strstr(err.message, "/dev/full"));
    assert_int_equal(convert("1\n", "csv", "/nonexistent/x", &err), PL_ERR_RESOURCE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),
        cmocka_unit_test(several_processes),
        cmocka_unit_test(requests),
        cmocka_unit_test(what_cannot_be_written),
    };
    return cmocka_run_group_tests_name("trace writers", tests, set_up, tear_down);
}
