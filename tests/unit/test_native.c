/* tests/unit/test_native.c: what goes into a native file comes out of it again. */
#include "native_help.h"

#include <sys/stat.h>
#include <sys/wait.h>

static const struct pl_trace_options everything = {.need_dictionary = true};

static void check_round_trip(const struct recipe *recipe, bool pack, size_t step)
{
    struct flat before = random_trace(recipe), after;
    struct pl_trace_info info;
    struct pl_error err = {PL_OK, ""};
    const char *path = help_path("trip");
    flat_write(&before, path, pack, step);
    enum pl_err rc = flat_read(&after, path, &everything, &info, &err);
    if (rc != PL_END)
        fail_msg("seed %llu, pack %d: %s", (unsigned long long)recipe->seed, pack, err.message);
    flat_same(&before, &after);
    uint64_t counts[3] = {0}, ranges = 0, lost = 0;
    for (size_t i = 0; i < before.count; i++)
        counts[before.kind[i]]++;
    for (size_t i = 0; i < before.control_count; i++)
        if (before.control[i].op == PL_OP_LOST) {
            lost += before.control[i].a;
        } else if (before.control[i].op == PL_OP_RANGE) {
            counts[before.control[i].kind] += before.control[i].b;
            ranges++;
        }
    assert_int_equal(info.reads, counts[PL_READ]);
    assert_int_equal(info.writes, counts[PL_WRITE]);
    assert_int_equal(info.executes, counts[PL_EXECUTE]);
    assert_int_equal(info.touches, counts[0] + counts[1] + counts[2]);
    assert_int_equal(info.ranges, ranges);
    assert_int_equal(info.skip_count, 0);
    assert_int_equal(info.page_size, 4096);
    assert_int_equal(info.lost, lost > 7 ? lost : 7); /* the header counts them too */
    flat_free(&before);
    flat_free(&after);
    unlink(path);
}

static void random_traces_come_back(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 7, 8, 9, 255, 256, 257, 1000, 65535, 65536, 65537, 150000};
    uint64_t seed = 1;
    for (size_t i = 0; i < PL_COUNT_OF(counts); i++)
        for (int shape = 0; shape < SHAPES; shape++) {
            struct recipe recipe = {
                .seed = seed,
                .count = counts[i],
                .shape = (enum shape)shape,
                .times = seed % 2,
                .sizes = seed / 2 % 2,
                .one_kind = seed / 4 % 3 == 0,
                .control_every = seed % 4 == 0 ? 0 : 100 * (unsigned)(seed % 4),
                .pages = seed % 7 == 0 ? 60000 : 700,
                .ops = PL_OP_MINIMISE,
            };
            check_round_trip(&recipe, false, seed % 3 ? 65536 : 10000);
            check_round_trip(&recipe, true, seed % 3 ? 10007 : 65536);
            seed++;
        }
}

static void many_controls_and_long_texts(void **state)
{
    (void)state;
    struct flat flat = {0}, after;
    struct pl_trace_info info;
    struct pl_error err;
    char *text = malloc(PL_NATIVE_TEXT_MAX + 1);
    memset(text, 'x', PL_NATIVE_TEXT_MAX);
    text[PL_NATIVE_TEXT_MAX] = 0;
    for (int i = 0; i < 200; i++) {
        flat_add(&flat, (pl_page)i, PL_READ, 0, 0);
        flat_control(&flat, (struct pl_control){.op = PL_OP_SWITCH, .actor = (uint32_t)i, .a = 5, .text = text},
                     flat.count);
    }
    for (int i = 0; i < 70000; i++)
        flat_control(&flat, (struct pl_control){.op = PL_OP_SLEEP, .a = (uint64_t)i}, flat.count);
    free(text);
    const char *path = help_path("controls");
    flat_write(&flat, path, false, 65536);
    assert_int_equal(flat_read(&after, path, &everything, &info, &err), PL_END);
    flat_same(&flat, &after);
    assert_int_equal(info.threads, 200);
    assert_int_equal(info.processes, 1);
    flat_free(&flat);
    flat_free(&after);
    unlink(path);
}

/* Nothing at all, and nothing but control records. */
static void empty_traces(void **state)
{
    (void)state;
    for (int controls = 0; controls < 2; controls++) {
        struct flat flat = {0}, after;
        struct pl_trace_info info;
        struct pl_error err;
        if (controls)
            flat_control(&flat, (struct pl_control){.op = PL_OP_PHASE, .text = "alone"}, 0);
        const char *path = help_path("empty");
        flat_write(&flat, path, true, 10);
        /* A trace without accesses is an error of the reader's, not of the file. */
        assert_int_equal(flat_read(&after, path, NULL, &info, &err), PL_ERR_INPUT);
        assert_non_null(strstr(err.message, "no accesses"));
        assert_int_equal(after.control_count, controls);
        flat_free(&flat);
        flat_free(&after);
        unlink(path);
    }
}

static void ranges_expand(void **state)
{
    (void)state;
    struct flat flat = {0}, after;
    struct pl_trace_info info;
    struct pl_error err;
    flat_add(&flat, 0, PL_WRITE, 0, 0);
    flat_control(&flat, (struct pl_control){.op = PL_OP_RANGE, .kind = PL_WRITE, .a = 0, .b = 100000, .c = 1}, 1);
    flat_control(&flat, (struct pl_control){.op = PL_OP_PHASE, .text = "p"}, 1);
    flat_control(&flat, (struct pl_control){.op = PL_OP_RANGE, .a = 99999, .b = 3, .c = (uint64_t)-2}, 1);
    flat.distinct = 100000;
    flat_add(&flat, 5, PL_READ, 0, 0);
    const char *path = help_path("ranges");
    flat_write(&flat, path, false, 10);
    struct pl_trace_options options = {.expand_ranges = true};
    assert_int_equal(flat_read(&after, path, &options, &info, &err), PL_END);
    assert_int_equal(after.count, 100005);
    for (uint32_t i = 0; i < 100000; i++)
        if (after.page[i + 1] != i || after.kind[i + 1] != PL_WRITE)
            fail_msg("touch %u", i);
    assert_int_equal(after.page[100001], 99999);
    assert_int_equal(after.page[100002], 99997);
    assert_int_equal(after.page[100003], 99995);
    assert_int_equal(after.kind[100003], PL_READ);
    assert_int_equal(after.page[100004], 5);
    assert_int_equal(after.control_count, 1);
    assert_int_equal(after.place[0], 100001);
    assert_int_equal(info.touches, 100005);
    assert_int_equal(info.writes, 100001);
    flat_free(&flat);
    flat_free(&after);
    unlink(path);
}

/* Without instruction fetches the others stay, in order, by where they come from; pages only fetched from are gone. */
static void executes_left_out(void **state)
{
    (void)state;
    struct recipe recipe = {.seed = 7, .count = 100000, .shape = SHAPE_LOCAL, .pages = 60000, .control_every = 400};
    struct flat flat = random_trace(&recipe);
    const char *path = help_path("data");
    flat_write(&flat, path, true, 65536);
    struct pl_trace_options options = {.need_dictionary = true, .ignore_execute = true, .expand_ranges = true}, all = options;
    all.ignore_execute = false;
    struct pl_trace *data, *both;
    struct pl_batch one = {0}, other = {0};
    struct pl_error err;
    size_t at = 0, place = 0, compared = 0;
    assert_int_equal(pl_trace_open(path, &options, &data, &err), PL_OK);
    assert_int_equal(pl_trace_open(path, &all, &both, &err), PL_OK);
    for (;;) {
        while (at == one.count && pl_trace_next(data, &one, &err) == PL_OK)
            at = 0;
        if (at == one.count)
            break;
        while (place == other.count || other.kind[place] == PL_EXECUTE) {
            place = place < other.count ? place + 1 : place;
            while (place == other.count) {
                assert_int_equal(pl_trace_next(both, &other, &err), PL_OK);
                place = 0;
            }
        }
        assert_int_equal(one.kind[at], other.kind[place]);
        assert_int_equal(pl_trace_page_origin(data, one.page[at]).number, pl_trace_page_origin(both, other.page[place]).number);
        at++;
        place++;
        compared++;
    }
    while (pl_trace_next(both, &other, &err) == PL_OK)
        continue;
    const struct pl_trace_info *left = pl_trace_info(data), *full = pl_trace_info(both);
    assert_int_equal(left->touches, compared);
    assert_int_equal(left->reads, full->reads);
    assert_int_equal(left->writes, full->writes);
    assert_int_equal(left->executes, 0);
    assert_true(full->executes > 0);
    assert_true(left->distinct < full->distinct);
    pl_trace_close(data);
    pl_trace_close(both);
    flat_free(&flat);
    unlink(path);
}

/* Vector code and its twin, on every width and at every place of a new page. */
static void kernels_agree(void **state)
{
    (void)state;
    const struct pl_native_kernels *fast = pl_native_kernels(false), *plain = pl_native_kernels(true);
    struct pl_random random = pl_random_seeded(11);
    uint8_t *bits = malloc(32 * 32);
    uint32_t a[PL_NATIVE_GROUP], b[PL_NATIVE_GROUP];
    for (unsigned width = 1; width <= 32; width++) {
        for (size_t i = 0; i < 32 * (size_t)width; i++)
            bits[i] = (uint8_t)pl_random_next(&random);
        fast->unpack(bits, width, a);
        plain->unpack(bits, width, b);
        assert_memory_equal(a, b, sizeof a);
    }
    free(bits);
    for (int round = 0; round < 3000; round++) {
        pl_page pages[200];
        uint32_t distinct = (uint32_t)pl_random_below(&random, 30), next_a, next_b;
        const size_t count = pl_random_below(&random, 200);
        if (round % 10 == 0)
            distinct = PL_NO_PAGE - 1 - (uint32_t)pl_random_below(&random, 3); /* at the upper end of all pages */
        next_a = next_b = distinct;
        for (size_t i = 0; i < count; i++) {
            bool fresh = pl_random_below(&random, 20) == 0 || distinct == 0;
            pages[i] = fresh ? distinct++ : (pl_page)pl_random_below(&random, distinct);
            if (round % 3 == 0 && pl_random_below(&random, 100) == 0)
                pages[i] = distinct + 1; /* out of turn */
        }
        bool ok = fast->check_pages(pages, count, &next_a);
        assert_int_equal(ok, plain->check_pages(pages, count, &next_b));
        if (ok)
            assert_int_equal(next_a, next_b);
    }
}

static void whole_files_read_the_same_portably(void **state)
{
    (void)state;
    struct recipe recipe = {.seed = 77, .count = 100000, .shape = SHAPE_LOCAL, .pages = 30000, .times = true};
    struct flat flat = random_trace(&recipe);
    const char *path = help_path("portable");
    flat_write(&flat, path, true, 65536);
    struct pl_error err;
    struct pl_reader reader = {.arena = pl_arena_create()};
    assert_int_equal(pl_source_open(path, &reader.source, &err), PL_OK);
    assert_int_equal(pl_native_open(&reader, &err), PL_OK);
    pl_native_use_portable(&reader);
    struct pl_batch batch;
    size_t done = 0;
    while (pl_native_next(&reader, &batch, &err) == PL_OK) {
        assert_memory_equal(batch.page, flat.page + done, batch.count * sizeof *batch.page);
        assert_memory_equal(batch.time, flat.time + done, batch.count * sizeof *batch.time);
        done += batch.count;
    }
    assert_int_equal(done, flat.count);
    pl_native_close(&reader);
    pl_source_close(reader.source);
    pl_arena_destroy(reader.arena);
    flat_free(&flat);
    unlink(path);
}

/* Starting in the middle gives what reading from the start gives, and says who is present. */
static void seeking(void **state)
{
    (void)state;
    struct recipe recipe = {.seed = 5, .count = 400000, .shape = SHAPE_RANDOM, .pages = 50000};
    struct flat flat = random_trace(&recipe);
    flat_control(&flat, (struct pl_control){.op = PL_OP_SWITCH, .actor = 3, .a = 42, .b = 43, .text = "who"}, 0);
    const char *path = help_path("seek");
    flat_write(&flat, path, false, 30000);
    static const uint64_t places[] = {0, 1, 65535, 65536, 200000, 399999};
    for (size_t i = 0; i < PL_COUNT_OF(places); i++) {
        struct pl_error err = {PL_OK, ""};
        struct pl_reader reader = {.arena = pl_arena_create(), .options = everything};
        struct pl_batch batch;
        uint64_t first;
        assert_int_equal(pl_source_open(path, &reader.source, &err), PL_OK);
        assert_int_equal(pl_native_open(&reader, &err), PL_OK);
        assert_int_equal(reader.info.total_hint, flat.count);
        assert_int_equal(pl_native_seek(&reader, places[i], &first, &err), PL_OK);
        assert_int_equal(first, places[i] / 65536 * 65536);
        assert_int_equal(pl_native_next(&reader, &batch, &err), PL_OK);
        assert_memory_equal(batch.page, flat.page + first, batch.count * sizeof *batch.page);
        assert_int_equal(batch.control_count, 1);
        assert_int_equal(batch.control[0].a, 42);
        assert_int_equal(batch.control[0].flags, 0);
        assert_string_equal(batch.control[0].text, "who");
        size_t done = first + batch.count;
        while (pl_native_next(&reader, &batch, &err) == PL_OK) {
            assert_int_equal(batch.control_count, 0);
            done += batch.count;
        }
        assert_int_equal(done, flat.count);
        for (pl_page page = 0; page < flat.distinct; page += 11)
            assert_int_equal(pl_native_origin(&reader, page).number, help_origin(NULL, page).number);
        assert_int_equal(pl_native_seek(&reader, flat.count, &first, &err), PL_END);
        pl_native_close(&reader);
        pl_source_close(reader.source);
        pl_arena_destroy(reader.arena);
    }
    flat_free(&flat);
    unlink(path);
}

/* A pipe has no end to look at and cannot be sought. */
static void through_a_pipe(void **state)
{
    (void)state;
    struct recipe recipe = {.seed = 9, .count = 200000, .shape = SHAPE_LOOPS, .pages = 9000, .control_every = 500};
    struct flat flat = random_trace(&recipe), after;
    const char *path = help_path("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        flat_write(&flat, path, true, 65536);
        _exit(0);
    }
    struct pl_trace_info info;
    struct pl_error err = {PL_OK, ""};
    enum pl_err rc = flat_read(&after, path, &everything, &info, &err);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    if (rc != PL_END)
        fail_msg("%s", err.message);
    flat_same(&flat, &after);
    assert_int_equal(info.total_hint, 0);
    flat_free(&flat);
    flat_free(&after);
    unlink(path);
}

static void writer_refuses(void **state)
{
    (void)state;
    static const pl_page skips[] = {0, 2};
    static const uint8_t kinds[] = {0, 3};
    static const pl_page fine[] = {0, 1};
    struct pl_batch bad[] = {
        {.count = 2, .page = skips, .distinct = 3},
        {.count = 2, .page = fine, .kind = kinds, .distinct = 2},
        {.count = 2, .page = fine, .distinct = 5},
    };
    for (size_t i = 0; i < PL_COUNT_OF(bad); i++) {
        struct pl_error err;
        struct pl_trace_writer *writer;
        struct pl_trace_header header = {.page_size = 4096};
        const char *path = help_path("refused");
        assert_int_equal(pl_trace_writer_open(path, "native", false, &header, &writer, &err), PL_OK);
        enum pl_err rc = pl_trace_write(writer, &bad[i], NULL, NULL, &err);
        if (rc == PL_OK)
            rc = pl_trace_writer_close(writer, &err);
        else
            pl_trace_writer_abandon(writer);
        assert_int_equal(rc, PL_ERR_INPUT);
        assert_int_not_equal(access(path, F_OK), 0);
    }
}

static void full_disk(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK))
        skip();
    struct pl_error err;
    struct pl_trace_writer *writer;
    struct pl_trace_header header = {.page_size = 4096};
    static pl_page pages[PL_BATCH_MAX];
    struct pl_batch batch = {.count = PL_BATCH_MAX, .page = pages, .distinct = 1};
    assert_int_equal(pl_trace_writer_open("/dev/full", "native", false, &header, &writer, &err), PL_OK);
    enum pl_err rc = PL_OK;
    for (int i = 0; i < 100 && rc == PL_OK; i++)
        rc = pl_trace_write(writer, &batch, NULL, NULL, &err);
    assert_int_equal(rc, PL_ERR_RESOURCE);
    assert_non_null(strstr(err.message, "No space left"));
    pl_trace_writer_abandon(writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_traces_come_back), cmocka_unit_test(many_controls_and_long_texts),
        cmocka_unit_test(empty_traces),            cmocka_unit_test(ranges_expand),
        cmocka_unit_test(kernels_agree),           cmocka_unit_test(whole_files_read_the_same_portably),
        cmocka_unit_test(seeking),                 cmocka_unit_test(through_a_pipe),
        cmocka_unit_test(executes_left_out),       cmocka_unit_test(writer_refuses),
               cmocka_unit_test(full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
