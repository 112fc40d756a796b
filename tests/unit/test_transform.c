/* tests/unit/test_transform.c: cutting and merging lose nothing, add nothing, and keep every trace's own order.
 *
 * Traces are compared by where their touches come from (process and page number), since pages are numbered anew. */
#include "native_help.h"

#include "trace/transform.h"

/* A trace as others see it. */
struct seen {
    size_t count, capacity;
    struct touch {
        uint64_t process, number;
        int64_t time;
        uint32_t size;
        uint8_t kind;
    } *touch;
    size_t switches, phases;
};

static void seen_free(struct seen *seen)
{
    free(seen->touch);
    memset(seen, 0, sizeof *seen);
}

static struct pl_trace *open_trace(const char *path)
{
    struct pl_trace *trace;
    struct pl_error err;
    struct pl_trace_options options = {.need_dictionary = true};
    if (pl_trace_open(path, &options, &trace, &err))
        fail_msg("%s", err.message);
    return trace;
}

/* Ranges come out as touches. */
static struct seen see(const char *path)
{
    struct pl_trace *trace;
    struct pl_error err = {PL_OK, ""};
    struct pl_trace_options options = {.need_dictionary = true, .expand_ranges = true};
    struct seen seen = {0};
    struct pl_batch batch;
    enum pl_err rc;
    if (pl_trace_open(path, &options, &trace, &err))
        fail_msg("%s", err.message);
    while ((rc = pl_trace_next(trace, &batch, &err)) == PL_OK) {
        if (seen.count + batch.count > seen.capacity) {
            seen.capacity = 2 * (seen.count + batch.count);
            seen.touch = realloc(seen.touch, seen.capacity * sizeof *seen.touch);
            assert_non_null(seen.touch);
        }
        for (size_t i = 0; i < batch.count; i++) {
            struct pl_page_origin origin = pl_trace_page_origin(trace, batch.page[i]);
            seen.touch[seen.count++] = (struct touch){origin.process, origin.number, batch.time ? batch.time[i] : 0,
                                                      batch.size ? batch.size[i] : 0, batch.kind ? batch.kind[i] : 0};
        }
        for (size_t i = 0; i < batch.control_count; i++) {
            seen.switches += batch.control[i].op == PL_OP_SWITCH;
            seen.phases += batch.control[i].op == PL_OP_PHASE;
        }
    }
    if (rc != PL_END)
        fail_msg("%s", err.message);
    pl_trace_close(trace);
    return seen;
}

static bool same_touch(const struct touch *a, const struct touch *b, bool with_time)
{
    return a->process == b->process && a->number == b->number && a->kind == b->kind && (!with_time || a->time == b->time);
}

static char *own_path(const char *name)
{
    return strdup(help_path(name));
}

static struct pl_trace_writer *open_writer(const char *path, const struct pl_trace_header *header)
{
    struct pl_trace_writer *writer;
    struct pl_error err;
    if (pl_trace_writer_open(path, "native", true, header, &writer, &err))
        fail_msg("%s", err.message);
    return writer;
}

static struct pl_transform_counts cut_file(const char *from, const char *to, const struct pl_cut_params *params)
{
    struct pl_trace *trace = open_trace(from);
    const struct pl_trace_info *info = pl_trace_info(trace);
    struct pl_trace_header header = {info->page_size, info->records, info->clock, NULL, 0};
    struct pl_trace_writer *writer = open_writer(to, &header);
    struct pl_transform_counts counts;
    struct pl_error err;
    if (pl_trace_cut(trace, params, writer, &counts, &err) || pl_trace_writer_close(writer, &err))
        fail_msg("%s", err.message);
    pl_trace_close(trace);
    return counts;
}

static struct pl_cut_params whole(void)
{
    return (struct pl_cut_params){.to_touch = UINT64_MAX, .from_time = INT64_MIN, .to_time = INT64_MAX};
}

static struct recipe recipe_of(uint64_t seed)
{
    return (struct recipe){
        .seed = seed,
        .count = 3000 + 70000 * (seed % 3 == 0),
        .shape = (enum shape)(seed % SHAPES),
        .times = true,
        .sizes = seed % 2,
        .control_every = seed % 4 ? 60 : 0,
        .pages = 3000,
    };
}

/* Two parts of a trace, one after the other, are the trace. */
static void cut_in_two(void **state)
{
    (void)state;
    char *path = own_path("whole"), *first = own_path("first"), *second = own_path("second");
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct recipe recipe = recipe_of(seed);
        struct flat flat = random_trace(&recipe);
        flat_write(&flat, path, seed % 2, 10000);
        struct pl_random random = pl_random_seeded(seed);
        struct pl_cut_params params = whole();
        params.to_touch = 1 + pl_random_below(&random, flat.count - 1);
        cut_file(path, first, &params);
        params.from_touch = params.to_touch;
        params.to_touch = UINT64_MAX;
        cut_file(path, second, &params);
        struct seen all = see(path), a = see(first), b = see(second);
        assert_int_equal(a.count + b.count, all.count);
        for (size_t i = 0; i < all.count; i++) {
            const struct touch *part = i < a.count ? &a.touch[i] : &b.touch[i - a.count];
            if (!same_touch(&all.touch[i], part, true) || all.touch[i].size != part->size)
                fail_msg("seed %d: touch %zu differs", (int)seed, i);
        }
        assert_int_equal(a.phases + b.phases, all.phases);
        assert_in_range(a.switches + b.switches, all.switches, all.switches + 1);
        seen_free(&all);
        seen_free(&a);
        seen_free(&b);
        flat_free(&flat);
    }
    unlink(path);
    unlink(first);
    unlink(second);
    free(path);
    free(first);
    free(second);
}

/* By time and by process: what is kept is just what meets the condition. */
static void cut_by_condition(void **state)
{
    (void)state;
    char *path = own_path("whole"), *kept = own_path("kept");
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct recipe recipe = recipe_of(seed);
        recipe.control_every = 0; /* a range is kept or left as one thing */
        struct flat flat = random_trace(&recipe);
        flat_write(&flat, path, true, 65536);
        struct seen all = see(path);
        uint64_t processes[] = {1, 3};
        struct pl_cut_params params = whole();
        params.processes = processes;
        params.process_count = seed % 3;
        params.from_time = all.touch[all.count / 4].time;
        params.to_time = seed % 2 ? INT64_MAX : all.touch[all.count / 2].time;
        struct pl_transform_counts counts = cut_file(path, kept, &params);
        size_t next = 0;
        struct seen part = {0};
        if (counts.touches_out)
            part = see(kept);
        for (size_t i = 0; i < all.count; i++) {
            const struct touch *touch = &all.touch[i];
            bool in = touch->time >= params.from_time && touch->time < params.to_time &&
                      (params.process_count == 0 || touch->process == 1 || (params.process_count == 2 && touch->process == 3));
            if (!in)
                continue;
            assert_true(next < part.count);
            assert_true(same_touch(touch, &part.touch[next++], true));
        }
        assert_int_equal(next, part.count);
        assert_int_equal(counts.touches_out, part.count);
        seen_free(&all);
        seen_free(&part);
        flat_free(&flat);
    }
    unlink(path);
    unlink(kept);
    free(path);
    free(kept);
}

static void cut_by_phase(void **state)
{
    (void)state;
    char *path = own_path("whole"), *kept = own_path("kept");
    struct flat flat = {0};
    for (uint32_t i = 0; i < 100; i++) {
        if (i % 10 == 0)
            flat_control(&flat, (struct pl_control){.op = PL_OP_PHASE, .text = i % 20 ? "odd" : "even"}, flat.count);
        if (i == 5)
            flat_control(&flat, (struct pl_control){.op = PL_OP_SWITCH, .actor = 0, .a = 77, .text = "me"}, flat.count);
        flat_add(&flat, i, PL_WRITE, 0, 0);
    }
    flat_write(&flat, path, false, 1000);
    struct pl_cut_params params = whole();
    params.phase = "odd";
    cut_file(path, kept, &params);
    struct seen part = see(kept);
    assert_int_equal(part.count, 50);
    assert_int_equal(part.phases, 5);
    assert_int_equal(part.switches, 1); /* restated */
    for (uint32_t i = 0; i < 50; i++)
        assert_int_equal(part.touch[i].number, help_origin(NULL, 10 + i / 10 * 20 + i % 10).number);
    seen_free(&part);
    flat_free(&flat);
    unlink(path);
    unlink(kept);
    free(path);
    free(kept);
}

static void no_times_to_cut_by(void **state)
{
    (void)state;
    char *path = own_path("whole"), *kept = own_path("kept");
    struct flat flat = {0};
    struct pl_error err;
    struct pl_transform_counts counts;
    struct pl_trace_header header = {.page_size = 4096};
    flat_add(&flat, 0, PL_READ, 0, 0);
    flat_write(&flat, path, false, 10);
    struct pl_trace *trace = open_trace(path);
    struct pl_trace_writer *writer = open_writer(kept, &header);
    struct pl_cut_params params = whole();
    params.from_time = 5;
    assert_int_equal(pl_trace_cut(trace, &params, writer, &counts, &err), PL_ERR_USAGE);
    pl_trace_writer_abandon(writer);
    pl_trace_close(trace);
    flat_free(&flat);
    unlink(path);
    free(path);
    free(kept);
}

/* --- merging ------------------------------------------------------------------------- */
enum { INPUTS = 3 };

static void merge_files(char *const paths[INPUTS], const char *to, enum pl_merge_order order)
{
    struct pl_trace *traces[INPUTS];
    struct pl_trace_header header;
    struct pl_transform_counts counts;
    struct pl_error err;
    for (int i = 0; i < INPUTS; i++)
        traces[i] = open_trace(paths[i]);
    if (pl_merge_header(traces, INPUTS, order, &header, &err))
        fail_msg("%s", err.message);
    struct pl_trace_writer *writer = open_writer(to, &header);
    struct pl_merge_params params = {.order = order, .turn = 1000};
    if (pl_trace_merge(traces, INPUTS, &params, writer, &counts, &err) || pl_trace_writer_close(writer, &err))
        fail_msg("%s", err.message);
    assert_int_equal(counts.touches_in, counts.touches_out);
    for (int i = 0; i < INPUTS; i++)
        pl_trace_close(traces[i]);
}

/* Each input, picked out of the merged trace by its processes, is what it was. */
static void inputs_are_whole(const struct seen *merged, const struct seen inputs[INPUTS], enum pl_merge_order order)
{
    size_t next[INPUTS] = {0};
    for (size_t i = 0; i < merged->count; i++) {
        struct touch touch = merged->touch[i];
        size_t input = (size_t)(touch.process >> 32);
        touch.process = (uint32_t)touch.process;
        assert_true(input < INPUTS);
        assert_true(next[input] < inputs[input].count);
        if (!same_touch(&touch, &inputs[input].touch[next[input]], order == PL_MERGE_TIME))
            fail_msg("touch %zu of input %zu differs", next[input], input);
        next[input]++;
    }
    for (size_t i = 0; i < INPUTS; i++)
        assert_int_equal(next[i], inputs[i].count);
}

static void merge_and_take_apart(void **state)
{
    (void)state;
    char *paths[INPUTS] = {own_path("a"), own_path("b"), own_path("c")}, *to = own_path("merged");
    for (int order = PL_MERGE_TIME; order <= PL_MERGE_CONCATENATE; order++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            struct seen inputs[INPUTS];
            for (int i = 0; i < INPUTS; i++) {
                struct recipe recipe = recipe_of(7 * seed + (uint64_t)i);
                struct flat flat = random_trace(&recipe);
                flat_write(&flat, paths[i], i % 2, 65536);
                inputs[i] = see(paths[i]);
                flat_free(&flat);
            }
            merge_files(paths, to, (enum pl_merge_order)order);
            struct seen merged = see(to);
            inputs_are_whole(&merged, inputs, (enum pl_merge_order)order);
            seen_free(&merged);
            for (int i = 0; i < INPUTS; i++)
                seen_free(&inputs[i]);
        }
    for (int i = 0; i < INPUTS; i++) {
        unlink(paths[i]);
        free(paths[i]);
    }
    unlink(to);
    free(to);
}

/* Inputs in order give an output in order; equal times go to the earlier input first. */
static void merged_times_ascend(void **state)
{
    (void)state;
    char *paths[INPUTS] = {own_path("a"), own_path("b"), own_path("c")}, *to = own_path("merged");
    for (int i = 0; i < INPUTS; i++) {
        struct pl_random random = pl_random_seeded((uint64_t)i);
        struct flat flat = {.has_times = true};
        int64_t time = 0;
        for (int j = 0; j < 80000; j++) {
            time += (int64_t)pl_random_below(&random, i ? 3 : 5000);
            flat_add(&flat, (pl_page)(j % 500), PL_READ, time, 0);
        }
        flat_write(&flat, paths[i], true, 65536);
        flat_free(&flat);
    }
    merge_files(paths, to, PL_MERGE_TIME);
    struct seen merged = see(to);
    assert_int_equal(merged.count, 240000);
    for (size_t i = 1; i < merged.count; i++) {
        const struct touch *a = &merged.touch[i - 1], *b = &merged.touch[i];
        assert_true(a->time < b->time || (a->time == b->time && a->process >> 32 <= b->process >> 32));
    }
    seen_free(&merged);
    for (int i = 0; i < INPUTS; i++) {
        unlink(paths[i]);
        free(paths[i]);
    }
    unlink(to);
    free(to);
}

static void what_cannot_be_merged(void **state)
{
    (void)state;
    char *paths[2] = {own_path("a"), own_path("b")};
    struct pl_trace *traces[2];
    struct pl_trace_header header, other = {.page_size = 8192};
    struct pl_batch batch = {.count = 1, .page = (const pl_page[]){0}, .distinct = 1};
    struct pl_error err;
    for (int i = 0; i < 2; i++) {
        struct pl_trace_header one = {.page_size = 4096};
        struct pl_trace_writer *writer = open_writer(paths[i], i ? &other : &one);
        assert_int_equal(pl_trace_write(writer, &batch, NULL, NULL, &err), PL_OK);
        assert_int_equal(pl_trace_writer_close(writer, &err), PL_OK);
        traces[i] = open_trace(paths[i]);
    }
    assert_int_equal(pl_merge_header(traces, 2, PL_MERGE_TURNS, &header, &err), PL_ERR_USAGE);
    assert_non_null(strstr(err.message, "8192"));
    struct pl_trace *twice[2] = {traces[0], traces[0]};
    assert_int_equal(pl_merge_header(twice, 2, PL_MERGE_TIME, &header, &err), PL_ERR_USAGE);
    assert_int_equal(pl_merge_header(twice, 2, PL_MERGE_TURNS, &header, &err), PL_OK);
    for (int i = 0; i < 2; i++) {
        pl_trace_close(traces[i]);
        unlink(paths[i]);
        free(paths[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_in_two),          cmocka_unit_test(cut_by_condition),    cmocka_unit_test(cut_by_phase),
        cmocka_unit_test(no_times_to_cut_by),  cmocka_unit_test(merge_and_take_apart), cmocka_unit_test(merged_times_ascend),
        cmocka_unit_test(what_cannot_be_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
