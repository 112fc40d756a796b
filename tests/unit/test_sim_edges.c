/* tests/unit/test_sim_edges.c: what runs full, runs out or is very long: defined, and reported. */
#include "base/random.h"
#include "sim/engine.h"
#include "sim_machine.h"

static struct pl_arena *arena;

static int open_arena(void **state)
{
    arena = pl_arena_create();
    return arena ? 0 : -1;
}

static int close_arena(void **state)
{
    pl_arena_destroy(arena);
    return 0;
}

/* With every event checked. */
static struct pl_sim *run_checked(const struct script *script, const char *const *changes)
{
    struct pl_machine machine = machine_of(arena, NULL, changes);
    struct pl_sim_options options = {.check = true};
    return script_run(script, &machine, &options, 1000);
}

static uint64_t touches_made(const struct pl_sim *sim)
{
    return (sim->hot->next - PL_STAMP_FIRST) / PL_HOT_ONE;
}

/* --- long traces ------------------------------------------------------------------------------------- */

/* More than 2^32 touches of a resident range: counted and paid to the last one, and made once. */
static void more_touches_than_32_bits_count(void **state)
{
    enum { PAGES = 1 << 20, PASSES = 5000 };
    const char *changes[] = {"memory.lists=false", "memory.resident=1048576p", "memory.total=8GiB", "cost.read=1ns",
                             NULL};
    struct pl_machine machine = machine_of(arena, NULL, changes);
    struct script script = {0};
    for (unsigned i = 0; i <= PASSES; i++)
        script_range(&script, 0, PAGES, 1, PL_READ);
    struct pl_sim *sim = script_run(&script, &machine, NULL, 1000);
    const struct pl_sim_result *result = pl_sim_result(sim);
    assert_true(result->all.touches > UINT32_MAX);
    assert_int_equal(result->all.touches, (uint64_t)(PASSES + 1) * PAGES);
    assert_int_equal(result->all.time_ps[PL_TIME_RUN], (int64_t)(PASSES + 1) * PAGES * PL_PS_PER_NS);
    assert_int_equal(result->all.faults[PL_FAULT_DEMAND_ZERO], PAGES);
    assert_true(touches_made(sim) <= UINT64_C(3) * PAGES); /* the first pass, and what it takes to see that nothing changes */
    pl_sim_destroy(sim);
    script_free(&script);
}

/* A strided range makes its own touches, and none of the pages between. */
static void a_strided_range_touches_its_pages_alone(void **state)
{
    enum { TOUCHED = 512000, STEP = 3 };
    const char *changes[] = {"memory.lists=false", "memory.resident=600000p", "memory.total=8GiB", NULL};
    struct pl_machine machine = machine_of(arena, NULL, changes);
    struct script script = {0};
    script_range(&script, 0, TOUCHED, STEP, PL_WRITE);
    struct pl_sim *sim = script_run(&script, &machine, NULL, 1000);
    assert_int_equal(pl_sim_result(sim)->all.touches, TOUCHED);
    assert_int_equal(pl_sim_result(sim)->all.faults[PL_FAULT_DEMAND_ZERO], TOUCHED);
    assert_int_equal(touches_made(sim), TOUCHED);
    pl_sim_destroy(sim);
    script_free(&script);
}

/* --- too little memory --------------------------------------------------------------------------------- */

/* No page file, no store, more pages than frames: the run ends and says why. */
static void no_page_file_and_no_store(void **state)
{
    const char *changes[] = {"memory.total=20p", "page_file.size=0", NULL};
    struct script script = {0};
    script_range(&script, 0, 40, 1, PL_WRITE);
    struct pl_sim *sim = run_checked(&script, changes);
    assert_non_null(strstr(pl_sim_result(sim)->stopped, "out of memory"));
    assert_true(pl_sim_result(sim)->totals.out_of_memory > 0);
    pl_sim_destroy(sim);
    script_free(&script);
}

/* The same with a page file: slow, and done. */
static void memory_smaller_than_a_working_set(void **state)
{
    const char *changes[] = {"memory.total=20p", "page_file.size=64p", NULL};
    struct script script = {0};
    for (unsigned pass = 0; pass < 5; pass++)
        script_range(&script, 0, 40, 1, PL_WRITE);
    struct pl_sim *sim = run_checked(&script, changes);
    assert_null(pl_sim_result(sim)->stopped);
    assert_int_equal(pl_sim_result(sim)->all.touches, 200);
    assert_true(pl_sim_result(sim)->all.faults[PL_FAULT_HARD] > 0);
    pl_sim_destroy(sim);
    script_free(&script);
}

/* A store without limits takes every frame. When nothing else can free one, it writes its pages out, and they are
 * decompressed when they are read back. */
static void a_store_that_took_all_frames_writes_out(void **state)
{
    const char *changes[] = {"memory.total=40p", "store.enabled=true", "store.ratio=1.2", "page_file.size=500p", NULL};
    struct script script = {0};
    for (unsigned pass = 0; pass < 4; pass++)
        script_range(&script, 0, 120, 1, PL_WRITE);
    struct pl_sim *sim = run_checked(&script, changes);
    const struct pl_sim_result *result = pl_sim_result(sim);
    assert_null(result->stopped);
    assert_int_equal(result->all.touches, 480);
    assert_true(result->totals.store_written > 0);
    assert_true(result->all.faults[PL_FAULT_HARD] > 0);
    assert_true(result->totals.decompressions > result->totals.store_hits);
    pl_sim_destroy(sim);
    script_free(&script);
}

/* A page file that had filled is used again once pages are given back. */
static void a_full_page_file_is_used_again(void **state)
{
    const char *changes[] = {"memory.total=24p", "page_file.size=16p", "writer.modified_above=0", NULL};
    struct script script = {0};
    script_range(&script, 0, 34, 1, PL_WRITE);
    script_control(&script, PL_OP_SLEEP, 0, (uint64_t)PL_PS_PER_S, 0, 0, NULL);
    script_control(&script, PL_OP_TRIM, 0, 0, 0, 0, NULL); /* the writer finds the page file full */
    script_control(&script, PL_OP_SLEEP, 0, (uint64_t)PL_PS_PER_S, 0, 0, NULL);
    script_control(&script, PL_OP_FREE, 0, 0, 34, 0, NULL);
    script_range(&script, 34, 34, 1, PL_WRITE); /* ten of them must go to the page file */
    struct pl_sim *sim = run_checked(&script, changes);
    if (pl_sim_result(sim)->stopped)
        fail_msg("%s", pl_sim_result(sim)->stopped);
    assert_int_equal(pl_sim_result(sim)->all.touches, 68);
    pl_sim_destroy(sim);
    script_free(&script);
}

/* Pages that were modified after they had been read back hold slots that nobody will read. 24 frames and 16 slots are enough
 * for 39 pages, however often they are written: a page that comes back needs a frame before its slot is out of date. */
static void a_full_page_file_gives_up_what_is_out_of_date(void **state)
{
    static const struct {
        const char *how; /* words between assignments */
        pl_page pages;
        bool enough;
    } rows[] = {
        {"memory.total=24p", 34, true},
        {"memory.total=24p", 39, true},
        {"memory.total=24p", 40, false},
        {"memory.total=24p disk.kind=hdd page_file.read_cluster=8 writer.cluster=16", 38, true},
        {"memory.total=24p store.enabled=true store.max_pages=8p store.in_memory=false", 47, true},
        {"memory.total=24p store.enabled=true store.max_pages=8p store.in_memory=false", 48, false},
        {"memory.lists=false memory.resident=24p", 39, true},
        {"memory.lists=false memory.resident=24p", 40, false},
        {"memory.lists=false memory.resident=24p store.enabled=true store.max_pages=8p", 47, true},
        {"memory.lists=false memory.resident=24p store.enabled=true store.max_pages=8p", 48, false},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        const char *changes[12] = {"memory.total=8MiB", "page_file.size=16p"};
        size_t count = 2;
        char *words = pl_arena_strdup(arena, rows[i].how);
        for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
            changes[count++] = word;
        struct script script = {0};
        for (unsigned pass = 0; pass < 4; pass++)
            script_range(&script, 0, rows[i].pages, 1, PL_WRITE);
        struct pl_sim *sim = run_checked(&script, changes);
        const struct pl_sim_result *result = pl_sim_result(sim);
        if (!result->stopped != rows[i].enough)
            fail_msg("%s, %u pages: %s", rows[i].how, rows[i].pages, result->stopped ? result->stopped : "it ran");
        if (rows[i].enough) {
            assert_int_equal(result->all.touches, 4 * rows[i].pages);
            assert_true(result->totals.slots_reclaimed > 0);
        }
        pl_sim_destroy(sim);
        script_free(&script);
    }
}

/* --- address space --------------------------------------------------------------------------------------- */

/* A process with pages in its working set, on lists, in the store, in the page file, in a section, in a mapped file and
 * in large pages exits: nothing of it is left. */
static void an_exit_leaves_nothing(void **state)
{
    const char *changes[] = {"memory.total=90p",        "store.enabled=true",  "store.max_pages=20p", "page_file.size=300p",
                             "store.write_above=0.8",   "store.write_to=0.5",  "memory.page_table_entries=16",
                             "memory.ws_list_entries=16", NULL};
    struct script script = {0};
    script_control(&script, PL_OP_SWITCH, 0, 1, 1, 0, NULL);
    script_control(&script, PL_OP_ALLOCATE, 4, 200, 8, 0, NULL);
    script_control(&script, PL_OP_ALLOCATE, 3, 210, 8, 0, NULL);
    script_control(&script, PL_OP_ALLOCATE, 2, 220, 8, 0, NULL);
    script_range(&script, 200, 28, 1, PL_WRITE);
    for (unsigned pass = 0; pass < 2; pass++)
        script_range(&script, 0, 150, 1, PL_WRITE);
    script_range(&script, 210, 18, 1, PL_WRITE);
    script_control(&script, PL_OP_SWITCH, 0, 2, 1, 0, NULL);
    script_range(&script, 230, 1, 1, PL_WRITE);
    script_control(&script, PL_OP_SLEEP, 0, 100 * (uint64_t)PL_PS_PER_S, 0, 0, NULL);
    script_control(&script, PL_OP_EXIT, 0, 1, 0, 0, NULL);
    script_control(&script, PL_OP_SLEEP, 0, (uint64_t)PL_PS_PER_S, 0, 0, NULL);
    struct pl_sim *sim = run_checked(&script, changes);
    const struct pl_sim_result *result = pl_sim_result(sim);
    assert_null(result->stopped);
    assert_true(result->totals.store_puts > 0 && result->totals.disk_writes > 0);
    assert_true(result->process[0].state.exited);
    assert_int_equal(result->store.pages, 0);
    assert_int_equal(result->end.file_pages, 0);
    assert_int_equal(result->process[0].state.commit_pages, 0);
    assert_int_equal(result->end.commit_pages, result->process[1].state.commit_pages);
    pl_sim_destroy(sim);
    script_free(&script);
}

/* --- by the clock ------------------------------------------------------------------------------------------ */

/* Ten equal pages are one after a period, whether the machine combines pages or a command of the trace does. */
static void equal_pages_become_one_by_the_clock(void **state)
{
    const char *machine[] = {"memory.total=40p", "memory.combine_period=10ms", NULL}, *plain[] = {"memory.total=40p", NULL};
    for (unsigned by_trace = 0; by_trace < 2; by_trace++) {
        struct script script = {0};
        script_control(&script, PL_OP_CONTENT, 0, 0, 10, 5, "same");
        script_range(&script, 0, 10, 1, PL_WRITE);
        if (by_trace)
            script_control(&script, PL_OP_TIMER, 4, 10 * (uint64_t)PL_PS_PER_MS, 0, 0, NULL);
        script_control(&script, PL_OP_SLEEP, 0, 15 * (uint64_t)PL_PS_PER_MS, 0, 0, NULL);
        script_range(&script, 0, 2, 1, PL_WRITE);
        struct pl_sim *sim = run_checked(&script, by_trace ? plain : machine);
        assert_int_equal(pl_sim_result(sim)->totals.combined, 9);
        assert_int_equal(pl_sim_result(sim)->all.faults[PL_FAULT_COPY_ON_WRITE], 2);
        pl_sim_destroy(sim);
        script_free(&script);
    }
}

/* --- samples and the store's memory ------------------------------------------------------------------------ */

/* An interval that is too short for the run grows, and the samples stay as far apart as it says. */
static void samples_are_not_without_end(void **state)
{
    enum { MOST = 1 << 17 };
    const char *changes[] = {"memory.total=100p", NULL};
    struct pl_machine machine = machine_of(arena, NULL, changes);
    struct pl_sim_options options = {.interval_ps = PL_PS_PER_NS};
    struct script script = {0};
    script_range(&script, 0, 50, 1, PL_WRITE);
    script_control(&script, PL_OP_SLEEP, 0, 300 * (uint64_t)PL_PS_PER_US, 0, 0, NULL);
    struct pl_sim *sim = script_run(&script, &machine, &options, 1000);
    const struct pl_sim_result *result = pl_sim_result(sim);
    assert_in_range(result->sample_count, MOST / 2, MOST);
    assert_int_equal(result->interval_ps, 4 * PL_PS_PER_NS); /* 300 us and some: twice too many */
    for (size_t i = 1; i < result->sample_count; i++)
        assert_int_equal(result->sample[i].time_ps - result->sample[i - 1].time_ps, result->interval_ps);
    pl_sim_destroy(sim);
    script_free(&script);
}

/* However little memory there is, a store in the frames takes no more of them than there are; where its organisation leaves
 * holes it is moved together, and holds more so. */
static void a_store_is_never_larger_than_the_machine(void **state)
{
    static const char *const spaces[] = {"regions", "zsmalloc", "zbud", "z3fold", "ideal"};
    for (size_t i = 0; i < PL_COUNT_OF(spaces); i++) {
        uint64_t faults[2];
        for (int compacts = 0; compacts < 2; compacts++) {
            const char *changes[] = {"memory.total=300p", "store.enabled=true", "store.codec=lz4", "page_file.size=2000p",
                                     "writer.available_below=20p", "working_set.trim_below=10p", "working_set.trim_until=30p",
                                     pl_arena_printf(arena, "store.space=%s", spaces[i]),
                                     compacts ? "store.compacts=true" : "store.compacts=false", NULL};
            struct script script = {0};
            script_control(&script, PL_OP_CONTENT, 0, 0, 600, 0, "text");
            struct pl_random random = pl_random_seeded(3);
            for (unsigned touch = 0; touch < 8000; touch++)
                script_touch(&script, (pl_page)pl_random_below(&random, 600), touch % 3 ? PL_WRITE : PL_READ);
            script.distinct = 600;
            struct pl_sim *sim = run_checked(&script, changes);
            const struct pl_sim_result *result = pl_sim_result(sim);
            assert_null(result->stopped);
            assert_true(result->totals.store_puts > 100);
            assert_true(result->store.peak_limited_bytes <= (uint64_t)300 * 4096);
            assert_true(compacts || !result->totals.store_compactions);
            faults[compacts] = result->all.faults[PL_FAULT_HARD];
            if (i == 0 && compacts)
                assert_true(result->totals.store_compactions && result->totals.store_moved_bytes);
            pl_sim_destroy(sim);
            script_free(&script);
        }
        assert_true(i > 0 || faults[1] < faults[0]);
    }
}

/* --- the check itself ----------------------------------------------------------------------------------------- */

/* On a large machine counts are checked at every event, and walks over everything are fewer; both see what is wrong. */
static void checks_see_what_is_wrong(void **state)
{
    const char *changes[] = {"memory.total=30000p", "working_set.manager_period=1us", NULL};
    struct script script = {0};
    script_range(&script, 0, 10000, 1, PL_WRITE);
    script_control(&script, PL_OP_SLEEP, 0, 200 * (uint64_t)PL_PS_PER_US, 0, 0, NULL);
    script_range(&script, 0, 10000, 1, PL_WRITE);
    struct pl_sim *sim = run_checked(&script, changes);
    const struct pl_sim_result *result = pl_sim_result(sim);
    assert_true(result->checks > 10 && result->checks < result->events / 4);
    struct pl_error err;
    assert_int_equal(pl_sim_check(sim, &err), PL_OK);
    assert_int_equal(pl_memory_check_counts(sim->memory, &err), PL_OK);
    struct pl_frames *frames = (struct pl_frames *)(uintptr_t)pl_memory_frames(sim->memory);
    frames->count[PL_LIST_ACTIVE]--;
    assert_int_equal(pl_memory_check_counts(sim->memory, &err), PL_ERR_CHECK);
    assert_int_equal(pl_sim_check(sim, &err), PL_ERR_CHECK);
    frames->count[PL_LIST_ZERO]++; /* the sum is right again, but no frame has moved */
    assert_int_equal(pl_memory_check_counts(sim->memory, &err), PL_OK);
    assert_int_equal(pl_sim_check(sim, &err), PL_ERR_CHECK);
    assert_non_null(strstr(err.message, "zero list"));
    pl_sim_destroy(sim);
    script_free(&script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_touches_than_32_bits_count),
        cmocka_unit_test(a_strided_range_touches_its_pages_alone),
        cmocka_unit_test(no_page_file_and_no_store),
        cmocka_unit_test(memory_smaller_than_a_working_set),
        cmocka_unit_test(a_store_that_took_all_frames_writes_out),
        cmocka_unit_test(a_full_page_file_is_used_again),
        cmocka_unit_test(a_full_page_file_gives_up_what_is_out_of_date),
        cmocka_unit_test(an_exit_leaves_nothing),
        cmocka_unit_test(equal_pages_become_one_by_the_clock),
        cmocka_unit_test(samples_are_not_without_end),
        cmocka_unit_test(checks_see_what_is_wrong),
        cmocka_unit_test(a_store_is_never_larger_than_the_machine),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
