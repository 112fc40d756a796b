/* tests/unit/test_sim_windows.c: the machine with page lists: what a published experiment saw, each kind of fault, edges.
 *
 * The experiment (CppEater, at a hundredth of its size): pages of consecutive ints are touched, emptied from the working
 * set, compressed by one thread in the background, and touched again. Sizes follow from the real codec, regions and
 * records; the times per page are the machine's costs, and it is their sum over faults that is checked. */
#include "base/random.h"
#include "sim_machine.h"

#include <string.h>

static struct pl_arena *arena;

static int open_arena(void **state)
{
    return (arena = pl_arena_create()) ? 0 : -1;
}

static int close_arena(void **state)
{
    pl_arena_destroy(arena);
    return 0;
}

static const struct pl_sim_phase *phase_named(const struct pl_sim_result *result, const char *name)
{
    for (size_t i = 0; i < result->phase_count; i++)
        if (!strcmp(result->phase[i].name, name))
            return &result->phase[i];
    fail_msg("no phase %s", name);
    return NULL;
}

static double microseconds_a_page(const struct pl_sim_result *result, const char *name, uint32_t pages)
{
    const struct pl_sim_phase *phase = phase_named(result, name);
    return (double)(phase->end_ps - phase->start_ps) / 1e6 / pages;
}

/* --- the experiment -------------------------------------------------------------------------- */

enum { EATEN = 5120 };

static struct script eater(pl_page first, const char *content, uint64_t seed)
{
    struct script script = {0};
    script_control(&script, PL_OP_ALLOCATE, 1, first, EATEN, 0, NULL);
    script_control(&script, PL_OP_CONTENT, 0, first, EATEN, seed, content);
    script_control(&script, PL_OP_PHASE, 0, 0, 0, 0, "first touch");
    script_range(&script, first, EATEN, 1, PL_WRITE);
    script_control(&script, PL_OP_PHASE, 0, 0, 0, 0, "second touch");
    script_range(&script, first, EATEN, 1, PL_WRITE);
    script_control(&script, PL_OP_PHASE, 0, 0, 0, 0, "empty");
    script_control(&script, PL_OP_TRIM, 0, 0, 0, 0, NULL);
    script_control(&script, PL_OP_SLEEP, 0, 15 * (uint64_t)PL_PS_PER_S, 0, 0, NULL);
    script_control(&script, PL_OP_PHASE, 0, 0, 0, 0, "after empty");
    script_range(&script, first, EATEN, 1, PL_WRITE);
    script_control(&script, PL_OP_PHASE, 0, 0, 0, 0, "end");
    return script;
}

static const char *const small_windows[] = {"memory.total=256MiB", "memory.kernel=16MiB", "memory.page_table_entries=0",
                                            "memory.ws_list_entries=0", "working_set.grow_above=4MiB", NULL};

static void a_first_touch_costs_a_fault_and_a_trimmed_one_its_decompression(void **state)
{
    struct pl_machine machine = machine_of(arena, "win10-1607-i7-4770k", small_windows);
    struct script script = eater(0, "index", 0);
    struct pl_sim_options options = {.interval_ps = PL_PS_PER_S / 10};
    struct pl_sim *sim = script_run(&script, &machine, &options, 1000);
    const struct pl_sim_result *result = pl_sim_result(sim);
    assert_float_equal(microseconds_a_page(result, "first touch", EATEN), 0.715, 0.001);
    assert_float_equal(microseconds_a_page(result, "second touch", EATEN), 0.051, 0.0001);
    assert_float_equal(microseconds_a_page(result, "after empty", EATEN), 8.863, 0.01);
    assert_int_equal(phase_named(result, "after empty")->cell[0].faults[PL_FAULT_STORE], EATEN);
    pl_sim_destroy(sim);
    script_free(&script);
}

/* At the moment of the greatest extent: all pages are in the store. */
static void consecutive_ints_take_four_fifths(void **state)
{
    struct pl_machine machine = machine_of(arena, "win10-1607-i7-4770k", small_windows);
    struct script script = eater(0, "index", 0);
    struct pl_sim *sim = script_run(&script, &machine, NULL, 1000);
    const struct pl_sim_result *result = pl_sim_result(sim);
    double share = (double)result->store.peak_limited_bytes / (4096.0 * EATEN);
    assert_int_equal(result->store.peak_pages, EATEN);
    if (share < 0.81 || share > 0.84)
        fail_msg("the store takes %.4f of the data", share);
    pl_sim_destroy(sim);
    script_free(&script);
}

/* One thread takes 12.305 us a page; nothing is touched meanwhile. */
static void compression_behind_a_trim_takes_its_time(void **state)
{
    struct pl_machine machine = machine_of(arena, "win10-1607-i7-4770k", small_windows);
    struct script script = eater(0, "index", 0);
    struct pl_sim_options options = {.interval_ps = PL_PS_PER_MS};
    struct pl_sim *sim = script_run(&script, &machine, &options, 1000);
    const struct pl_sim_result *result = pl_sim_result(sim);
    pl_time_ps start = phase_named(result, "empty")->start_ps, done = 0;
    for (size_t i = 0; i < result->sample_count && !done; i++)
        if (result->sample[i].time_ps > start && result->sample[i].store_pages == EATEN)
            done = result->sample[i].time_ps - start;
    assert_float_equal((double)done / 1e9, EATEN * 12.305e-3, 1.01);
    assert_int_equal(result->totals.worker_busy_ps, (pl_time_ps)EATEN * 12305 * PL_PS_PER_NS);
    pl_sim_destroy(sim);
    script_free(&script);
}

/* --- equal pages ---------------------------------------------------------------------------------- */

enum { EATERS = 8, SHARE = 512 };

static uint64_t stored_by_eight(bool same_seed)
{
    struct pl_machine machine = machine_of(arena, "win10-1607-i7-4770k", small_windows);
    struct script script = {0};
    for (unsigned p = 0; p < EATERS; p++) {
        script_control(&script, PL_OP_SWITCH, 0, 10 + p, 1, 0, "eater");
        script_control(&script, PL_OP_CONTENT, 0, p * SHARE, SHARE, same_seed ? 7 : 7 + p, "rand");
        script_range(&script, p * SHARE, SHARE, 1, PL_WRITE);
    }
    script_control(&script, PL_OP_PHASE, 0, 0, 0, 0, "trimmed");
    script_control(&script, PL_OP_TRIM, 0, UINT64_MAX, 0, 0, NULL);
    script_control(&script, PL_OP_SLEEP, 0, (uint64_t)PL_PS_PER_S, 0, 0, NULL);
    struct pl_sim *sim = script_run(&script, &machine, NULL, 1000);
    const struct pl_sim_result *result = pl_sim_result(sim);
    assert_int_equal(result->store.pages, EATERS * SHARE);
    assert_int_equal(result->store.duplicates, same_seed ? (EATERS - 1) * SHARE : 0);
    uint64_t bytes = result->store.space.used_bytes;
    pl_sim_destroy(sim);
    script_free(&script);
    return bytes;
}

static void equal_pages_of_eight_processes_are_stored_once(void **state)
{
    double ratio = (double)stored_by_eight(false) / (double)stored_by_eight(true);
    if (ratio < 7.5 || ratio > 8.5)
        fail_msg("eight seeds take %.3f times the store of one", ratio);
}

/* --- every kind of fault ------------------------------------------------------------------------------ */

/* Equal pages are combined and written again (copy-on-write); a store too small sends pages to the disk (hard). */
static void every_kind_of_fault_happens(void **state)
{
    const char *changes[] = {"memory.total=4MiB",     "memory.kernel=0",        "store.max_pages=100p",
                             "store.touch_cancels=false", "working_set.grow_above=0", "working_set.trim_below=40p",
                             "working_set.trim_until=80p", "writer.available_below=64p", "run.cpus=2",
                             "working_set.manager_period=1ms", NULL};
    struct pl_machine machine = machine_of(arena, "win10-1607-i7-4770k", changes);
    struct script script = {0};
    for (unsigned t = 1; t <= 3; t++) {
        script_control(&script, PL_OP_SWITCH, 0, 1, t, 0, NULL);
        script_range(&script, 0, 40, 1, PL_WRITE);
    }
    script_control(&script, PL_OP_CONTENT, 0, 0, 40, 3, "same");
    script_control(&script, PL_OP_PHASE, 0, 0, 0, 0, "combine");
    script_control(&script, PL_OP_LIST, 4, 0, 0, 0, NULL);
    script_range(&script, 0, 40, 1, PL_WRITE);
    for (unsigned t = 1; t <= 3; t++) {
        script_control(&script, PL_OP_SWITCH, 0, 1, t, 0, NULL);
        for (unsigned pass = 0; pass < 3; pass++)
            script_range(&script, 100, 1500, 1, PL_WRITE);
        script_control(&script, PL_OP_TRIM, 0, 0, 0, 0, NULL);
        script_range(&script, 100, 300, 1, PL_READ);
    }
    struct pl_sim_options options = {.check = true};
    struct pl_sim *sim = script_run(&script, &machine, &options, 1000);
    const struct pl_sim_result *result = pl_sim_result(sim);
    static const enum pl_fault_kind kinds[] = {PL_FAULT_DEMAND_ZERO, PL_FAULT_TRANSITION, PL_FAULT_STORE, PL_FAULT_HARD,
                                               PL_FAULT_COPY_ON_WRITE};
    assert_null(result->stopped);
    for (size_t i = 0; i < PL_COUNT_OF(kinds); i++)
        if (!result->all.faults[kinds[i]])
            fail_msg("no %s fault", pl_fault_kind_names[kinds[i]]);
    assert_true(result->all.collided > 0);
    assert_true(result->totals.combined > 0);
    assert_true(result->totals.disk_reads > 0 && result->totals.disk_writes > 0 && result->totals.store_written > 0);
    pl_sim_destroy(sim);
    script_free(&script);
}

/* --- edges ------------------------------------------------------------------------------------------------- */

static const char *stopped_with(const char *machine_name, const char *const *changes, uint32_t pages)
{
    struct pl_machine machine = machine_of(arena, machine_name, changes);
    struct script script = {0};
    for (unsigned pass = 0; pass < 2; pass++)
        script_range(&script, 0, pages, 1, PL_WRITE);
    struct pl_sim_options options = {.check = true};
    struct pl_sim *sim = script_run(&script, &machine, &options, 1000);
    const char *why = pl_sim_result(sim)->stopped;
    why = why ? pl_arena_strdup(arena, why) : NULL;
    pl_sim_destroy(sim);
    script_free(&script);
    return why;
}

static void a_page_file_that_is_full_ends_the_run_with_a_reason(void **state)
{
    const char *direct[] = {"memory.resident=10p", "store.enabled=false", "page_file.size=20p", NULL};
    const char *why = stopped_with("two-level", direct, 60);
    assert_non_null(why);
    assert_non_null(strstr(why, "the page file is full"));
    const char *none[] = {"memory.resident=10p", "store.enabled=false", "page_file.size=0", NULL};
    assert_non_null(stopped_with("two-level", none, 60));
    assert_null(stopped_with("two-level", none, 10)); /* all of it fits */
}

static void lists_without_a_way_out_run_out_of_memory(void **state)
{
    const char *changes[] = {"memory.total=64p", "memory.kernel=0", "page_file.size=0", NULL};
    const char *why = stopped_with("plain-hdd", changes, 200);
    assert_non_null(why);
    assert_non_null(strstr(why, "out of memory"));
    const char *filled[] = {"memory.total=64p", "memory.kernel=0", "page_file.size=40p", NULL};
    assert_non_null(stopped_with("plain-hdd", filled, 200));
    const char *enough[] = {"memory.total=64p", "memory.kernel=0", "page_file.size=400p", NULL};
    assert_null(stopped_with("plain-hdd", enough, 200));
}

static void a_zram_that_is_full_runs_out_of_memory(void **state)
{
    const char *changes[] = {"memory.total=64p", "memory.kernel=0", "store.max_pages=30p",
                             "working_set.trim_below=4p", "working_set.trim_until=8p", "writer.available_below=8p", NULL};
    const char *why = stopped_with("zram-lz4", changes, 200);
    assert_non_null(why);
    assert_non_null(strstr(why, "out of memory"));
}

/* --- time stands still where nothing can change ---------------------------------------------------------------- */

static void passes_over_a_resident_range_cost_their_touches(void **state)
{
    struct pl_machine machine = machine_of(arena, "two-level", NULL);
    machine.resident_pages = 1000;
    struct script script = {0};
    for (unsigned pass = 0; pass < 50; pass++)
        script_range(&script, 0, 800, 1, PL_READ);
    script_range(&script, 700, 500, 1, PL_READ); /* 700-799 are the newest of the old ones: 0-199 leave */
    script_range(&script, 200, 100, 1, PL_READ); /* these are still there */
    struct pl_sim *sim = script_run(&script, &machine, NULL, 1000);
    const struct pl_sim_result *result = pl_sim_result(sim);
    assert_int_equal(result->all.touches, 50 * 800 + 600);
    assert_int_equal(result->all.time_ps[PL_TIME_RUN], (50 * 800 + 600) * PL_PS_PER_NS);
    assert_int_equal(result->totals.disk_reads, 1200);
    pl_sim_destroy(sim);
    script_free(&script);
}

/* Ranges, many of them twice or more, against the same touches one by one. */
static void ranges_equal_their_touches(void **state)
{
    for (unsigned seed = 0; seed < 60; seed++) {
        struct pl_random random = pl_random_seeded(seed);
        static const char *const names[] = {"two-level", "zswap-zstd", "plain-hdd"};
        const char *changes[] = {"memory.total=70p", "memory.kernel=0", "memory.resident=70p", "store.max_pages=20p",
                                 "store.codec=constant", "run.lookahead=0", NULL};
        struct pl_machine machine = machine_of(arena, names[seed % 3], changes);
        struct script ranges = {0}, touches = {0};
        for (unsigned i = 0; i < 200; i++) {
            uint64_t first = pl_random_below(&random, 60), count = 1 + pl_random_below(&random, 40);
            uint64_t step = pl_random_below(&random, 3);
            enum pl_kind kind = (enum pl_kind)pl_random_below(&random, 3);
            for (uint64_t pass = 1 + pl_random_below(&random, 4); pass > 0; pass--) {
                script_range(&ranges, (pl_page)first, count, step, kind);
                for (uint64_t k = 0; k < count; k++)
                    script_touch(&touches, (pl_page)(first + k * step), kind);
            }
        }
        ranges.distinct = touches.distinct = 140;
        struct pl_sim *a = script_run(&ranges, &machine, NULL, 1000), *b = script_run(&touches, &machine, NULL, 1000);
        const struct pl_sim_result *x = pl_sim_result(a), *y = pl_sim_result(b);
        if (x->elapsed_ps != y->elapsed_ps || memcmp(&x->all, &y->all, sizeof x->all) ||
            x->totals.disk_reads != y->totals.disk_reads || x->totals.disk_writes != y->totals.disk_writes)
            fail_msg("seed %u: %lld ps and %lld ps", seed, (long long)x->elapsed_ps, (long long)y->elapsed_ps);
        pl_sim_destroy(a);
        pl_sim_destroy(b);
        script_free(&ranges);
        script_free(&touches);
    }
}

/* --- touches that stand for several accesses ------------------------------------------------------- */

/* Ten pages are touched, whole the second time: 4,095 further accesses each. Another thread's touches are single. */
static void further_accesses_are_charged(void **state)
{
    const char *changes[] = {"cost.read=1ns", "cost.access=100ps", NULL};
    struct pl_machine machine = machine_of(arena, NULL, changes);
    struct script script = {0};
    script_control(&script, PL_OP_SWITCH, 0, 1, 1, 0, NULL);
    script_range(&script, 0, 10, 1, PL_READ);
    script_control(&script, PL_OP_ACCESSES, 0, 4096, 0, 0, NULL);
    script_range(&script, 0, 10, 1, PL_READ);
    script_control(&script, PL_OP_SWITCH, 0, 2, 1, 0, NULL);
    script_range(&script, 10, 10, 1, PL_READ);
    script_control(&script, PL_OP_SWITCH, 0, 1, 1, 0, NULL);
    script_control(&script, PL_OP_ACCESSES, 0, 1, 0, 0, NULL);
    for (pl_page page = 0; page < 10; page++)
        script_touch(&script, page, PL_READ);
    struct pl_sim *sim = script_run(&script, &machine, NULL, 3);
    assert_int_equal(pl_sim_result(sim)->all.touches, 40);
    assert_int_equal(pl_sim_result(sim)->all.time_ps[PL_TIME_RUN], 40 * PL_PS_PER_NS + 10 * 4095 * INT64_C(100));
    pl_sim_destroy(sim);
    script_free(&script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(further_accesses_are_charged),
        cmocka_unit_test(a_first_touch_costs_a_fault_and_a_trimmed_one_its_decompression),
        cmocka_unit_test(consecutive_ints_take_four_fifths),
        cmocka_unit_test(compression_behind_a_trim_takes_its_time),
        cmocka_unit_test(equal_pages_of_eight_processes_are_stored_once),
        cmocka_unit_test(every_kind_of_fault_happens),
        cmocka_unit_test(a_page_file_that_is_full_ends_the_run_with_a_reason),
        cmocka_unit_test(lists_without_a_way_out_run_out_of_memory),
        cmocka_unit_test(a_zram_that_is_full_runs_out_of_memory),
        cmocka_unit_test(passes_over_a_resident_range_cost_their_touches),
        cmocka_unit_test(ranges_equal_their_touches),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
