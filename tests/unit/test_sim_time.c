/* tests/unit/test_sim_time.c: where time goes: each component is named for what was waited for, to the picosecond. */
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

/* `words` are assignments separated by spaces. Every event is checked. */
static struct pl_sim *run_with(const struct script *script, const char *words)
{
    const char *changes[40] = {NULL};
    size_t count = 0;
    char *copy = pl_arena_strdup(arena, words);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        changes[count++] = word;
    struct pl_machine machine = machine_of(arena, NULL, changes);
    struct pl_sim_options options = {.check = true};
    return script_run(script, &machine, &options, 1000);
}

static void thread(struct script *script, unsigned process, unsigned thread)
{
    script_control(script, PL_OP_SWITCH, 0, process, thread, 0, NULL);
}

static void phase(struct script *script)
{
    script_control(script, PL_OP_PHASE, 0, 0, 0, 0, "next");
}

static void compute(struct script *script, int64_t us)
{
    script_control(script, PL_OP_COMPUTE, 0, (uint64_t)(us * PL_PS_PER_US), 0, 0, NULL);
}

/* Of the last phase, all processes. */
static int64_t us_of(const struct pl_sim *sim, enum pl_component component)
{
    const struct pl_sim_result *result = pl_sim_result(sim);
    const struct pl_sim_phase *last = &result->phase[result->phase_count - 1];
    pl_time_ps time = 0;
    for (uint32_t p = 0; p < last->processes; p++)
        time += last->cell[p].time_ps[component];
    assert_int_equal(time % PL_PS_PER_US, 0);
    return time / PL_PS_PER_US;
}

static void expect(const struct pl_sim *sim, const char *what, enum pl_component component, int64_t us)
{
    if (us_of(sim, component) != us)
        fail_msg("%s: %s took %lld us instead of %lld", what, pl_component_names[component],
                 (long long)us_of(sim, component), (long long)us);
}

#define NO_TOUCH_COSTS "cost.read=0 cost.write=0 cost.demand_zero_fault=0 cost.zero_page=0 "

/* --- a page that another thread brings ------------------------------------------------------------- */

/* One thread reads page 0 from the disk: 20 us of fault service, then 100 us. Another wants it 5 us later. */
static void a_wait_for_anothers_fault_is_cut_in_two(void **state)
{
    struct script script = {0};
    thread(&script, 1, 1);
    script_touch(&script, 0, PL_READ);
    thread(&script, 1, 2);
    compute(&script, 5);
    script_touch(&script, 0, PL_READ);
    const char *machine = NO_TOUCH_COSTS "memory.total=40p memory.first_touch=disk cost.hard_fault=20us "
                          "disk.constant.read_page=100us run.lookahead=0";
    struct pl_sim *sim = run_with(&script, machine);
    assert_int_equal(pl_sim_result(sim)->all.collided, 1);
    expect(sim, "two threads", PL_TIME_FAULT, 20);
    expect(sim, "two threads", PL_TIME_WAIT_PAGE, 20 - 5);
    expect(sim, "two threads", PL_TIME_WAIT_DISK, 100 + 100);
    pl_sim_destroy(sim);
    sim = run_with(&script, pl_arena_printf(arena, "%s disk.constant.read_page=0", machine));
    expect(sim, "a free disk", PL_TIME_WAIT_PAGE, 20 - 5);
    expect(sim, "a free disk", PL_TIME_WAIT_DISK, 0);
    pl_sim_destroy(sim);
    script_free(&script);
}

/* The store keeps page 0 while it is decompressed (30 us), and the victim of that goes to the disk first (80 us). */
static void a_store_fault_may_wait_for_the_disk(void **state)
{
    struct script script = {0};
    thread(&script, 1, 1);
    for (pl_page page = 0; page < 3; page++)
        script_touch(&script, page, PL_WRITE);
    phase(&script);
    script_touch(&script, 0, PL_READ);
    thread(&script, 1, 2);
    compute(&script, 7);
    script_touch(&script, 0, PL_READ);
    struct pl_sim *sim = run_with(
        &script, NO_TOUCH_COSTS "memory.lists=false memory.resident=2p memory.total=1MiB store.enabled=true store.max_pages=1p "
                                "store.exclusive=false store.when_full=reject cost.compress=10us cost.decompress=30us "
                                "disk.constant.write_page=80us cost.store_fault=4us cost.evict=3us run.lookahead=0");
    assert_int_equal(pl_sim_result(sim)->all.collided, 1);
    expect(sim, "the fault", PL_TIME_COMPRESS, 10); /* in vain */
    expect(sim, "the fault", PL_TIME_DECOMPRESS, 30);
    expect(sim, "the fault", PL_TIME_FAULT, 4 + 3);
    expect(sim, "both", PL_TIME_WAIT_DISK, 80 + 80);
    expect(sim, "the other thread", PL_TIME_WAIT_PAGE, 3 + 10 - 7 + 4 + 30);
    expect(sim, "both", PL_TIME_WAIT_STORE, 0);
    pl_sim_destroy(sim);
    script_free(&script);
}

/* A neighbour in the page file is on its way, for nobody yet: 20 us before the request, 300 us for two pages. */
static void a_wait_for_what_is_read_ahead(void **state)
{
    struct script script = {0};
    thread(&script, 1, 1);
    script_range(&script, 0, 2, 1, PL_WRITE);
    script_control(&script, PL_OP_TRIM, 0, 0, 0, 0, NULL);
    script_control(&script, PL_OP_SLEEP, 0, PL_PS_PER_S, 0, 0, NULL);
    script_control(&script, PL_OP_LIST, 0, 0, 0, 0, NULL); /* their frames are free */
    phase(&script);
    script_touch(&script, 0, PL_READ);
    thread(&script, 1, 2);
    compute(&script, 6);
    script_touch(&script, 1, PL_READ);
    struct pl_sim *sim = run_with(&script, NO_TOUCH_COSTS "memory.total=40p page_file.size=64p page_file.read_cluster=2 "
                                           "cost.hard_fault=20us cost.transition_fault=0 disk.constant.read_page=150us "
                                           "run.lookahead=0");
    assert_int_equal(pl_sim_result(sim)->totals.read_ahead, 1);
    assert_int_equal(pl_sim_result(sim)->all.collided, 1);
    expect(sim, "both", PL_TIME_WAIT_DISK, 300 + 300);
    expect(sim, "the other thread", PL_TIME_WAIT_PAGE, 20 - 6);
    pl_sim_destroy(sim);
    script_free(&script);
}

/* A page that a store worker has: the rest of its 50 us. */
static void a_wait_for_the_store(void **state)
{
    struct script script = {0};
    thread(&script, 1, 1);
    script_touch(&script, 0, PL_WRITE);
    phase(&script);
    script_control(&script, PL_OP_TRIM, 0, 0, 0, 0, NULL);
    compute(&script, 8);
    script_touch(&script, 0, PL_READ);
    struct pl_sim *sim = run_with(&script, NO_TOUCH_COSTS "memory.total=40p store.enabled=true store.touch_cancels=false "
                                           "cost.compress=50us cost.decompress=9us cost.store_fault=0 run.lookahead=0");
    expect(sim, "one thread", PL_TIME_WAIT_STORE, 50 - 8);
    expect(sim, "one thread", PL_TIME_DECOMPRESS, 9);
    expect(sim, "one thread", PL_TIME_WAIT_DISK, 0);
    pl_sim_destroy(sim);
    sim = run_with(&script, NO_TOUCH_COSTS "memory.total=40p store.enabled=true store.touch_cancels=true cost.compress=50us "
                            "cost.transition_fault=2us run.lookahead=0");
    expect(sim, "taken back", PL_TIME_WAIT_STORE, 0);
    expect(sim, "taken back", PL_TIME_FAULT, 2);
    pl_sim_destroy(sim);
    script_free(&script);
}

/* --- what costs nothing takes no time ------------------------------------------------------------------ */

static struct script random_threads(struct pl_random *random)
{
    struct script script = {0};
    for (unsigned round = 0; round < 60; round++) {
        thread(&script, 1 + (unsigned)pl_random_below(random, 2), (unsigned)pl_random_below(random, 3));
        pl_page first = script.control[script.control_count - 1].a == 1 ? 0 : 60;
        for (unsigned i = 0; i < 25; i++)
            script_touch(&script, first + (pl_page)pl_random_below(random, 60), (enum pl_kind)pl_random_below(random, 2));
        if (round % 20 == 19)
            phase(&script);
    }
    return script;
}

static void what_is_free_takes_no_time(void **state)
{
    static const struct {
        const char *words; /* what costs nothing */
        enum pl_component none;
    } rows[] = {
        {"disk.constant.read_page=0 disk.constant.write_page=0", PL_TIME_WAIT_DISK},
        {"disk.constant.read_page=0 disk.constant.write_page=0 disk.constant.servers=unlimited", PL_TIME_WAIT_DISK},
        {"store.touch_cancels=true", PL_TIME_WAIT_STORE},
        {"run.cpus=0", PL_TIME_WAIT_CPU},
        {"memory.total=8MiB memory.resident=200p", PL_TIME_WAIT_MEMORY},
        {"cost.decompress=0 cost.same_filled=0", PL_TIME_DECOMPRESS},
        {"cost.compress=0 cost.same_filled=0", PL_TIME_COMPRESS},
        {"cost.zero_page=0", PL_TIME_ZERO},
    };
    static const char *const machines[] = {
        "memory.total=50p store.enabled=true store.max_pages=20p store.touch_cancels=false page_file.size=500p "
        "page_file.read_cluster=4 working_set.manager_period=1ms run.cpus=2 cost.hard_fault=5us disk.constant.read_page=90us "
        "disk.constant.write_page=70us cost.compress=30us",
        "memory.lists=false memory.total=8MiB memory.resident=30p working_set.scope=global store.enabled=true "
        "store.max_pages=20p page_file.size=500p run.cpus=2 cost.evict=1us disk.constant.read_page=90us "
        "disk.constant.write_page=70us cost.compress=30us",
    };
    uint64_t collided = 0;
    pl_time_ps page_waits = 0;
    for (unsigned seed = 0; seed < 24; seed++) {
        struct pl_random random = pl_random_seeded(seed);
        struct script script = random_threads(&random);
        for (size_t row = 0; row < PL_COUNT_OF(rows); row++) {
            const char *words = pl_arena_printf(arena, "%s %s", machines[seed % 2], rows[row].words);
            struct pl_sim *sim = run_with(&script, words);
            const struct pl_sim_result *result = pl_sim_result(sim);
            assert_null(result->stopped);
            if (result->all.time_ps[rows[row].none])
                fail_msg("seed %u, %s: %s took %lld ps", seed, rows[row].words, pl_component_names[rows[row].none],
                         (long long)result->all.time_ps[rows[row].none]);
            collided += result->all.collided;
            page_waits += result->all.time_ps[PL_TIME_WAIT_PAGE];
            pl_sim_destroy(sim);
        }
        script_free(&script);
    }
    assert_true(collided > 1000 && page_waits > 0);
}

/* --- evictions ------------------------------------------------------------------------------------------ */

/* A page that leaves to make room is paid for once. */
static void an_eviction_is_charged_once(void **state)
{
    struct script script = {0};
    thread(&script, 1, 1);
    script_range(&script, 0, 30, 1, PL_WRITE);
    struct pl_sim *sim = run_with(&script, NO_TOUCH_COSTS "memory.lists=false memory.total=1MiB memory.resident=10p cost.evict=1us");
    expect(sim, "twenty evictions", PL_TIME_FAULT, 20);
    pl_sim_destroy(sim);
    sim = run_with(&script, NO_TOUCH_COSTS "memory.total=1MiB working_set.maximum=10p working_set.hard_maximum=true cost.evict=1us");
    expect(sim, "twenty replacements", PL_TIME_FAULT, 20);
    pl_sim_destroy(sim);
    script_free(&script);
}

/* --- an exit ---------------------------------------------------------------------------------------------- */

/* Pages of two processes are one, and out. One process reads it back, the other waits for that, and a third ends the first
 * meanwhile: the other still gets its page. */
static void an_exit_leaves_nobody_waiting(void **state)
{
    struct script script = {0};
    for (unsigned process = 1; process <= 2; process++) {
        thread(&script, process, 1);
        script_control(&script, PL_OP_CONTENT, 0, process, 1, 5, "same");
        script_touch(&script, process, PL_WRITE);
    }
    phase(&script);
    script_control(&script, PL_OP_LIST, 4, 0, 0, 0, NULL);
    phase(&script);
    script_control(&script, PL_OP_TRIM, 0, UINT64_MAX, 0, 0, NULL);
    script_control(&script, PL_OP_SLEEP, 0, PL_PS_PER_S, 0, 0, NULL);
    script_control(&script, PL_OP_LIST, 0, 0, 0, 0, NULL);
    phase(&script);
    thread(&script, 1, 1);
    script_touch(&script, 1, PL_READ);
    thread(&script, 2, 1);
    compute(&script, 1);
    script_touch(&script, 2, PL_READ);
    thread(&script, 3, 1);
    compute(&script, 30);
    script_control(&script, PL_OP_EXIT, 0, 1, 0, 0, NULL);
    struct pl_sim *sim = run_with(&script, NO_TOUCH_COSTS "memory.total=40p page_file.size=64p disk.constant.read_page=100us "
                                           "cost.hard_fault=0 cost.transition_fault=0 run.lookahead=0");
    const struct pl_sim_result *result = pl_sim_result(sim);
    assert_null(result->stopped);
    assert_int_equal(result->totals.combined, 1);
    assert_int_equal(result->all.collided, 1);
    assert_int_equal(result->all.touches, 3); /* the first process did not live to make its second one */
    expect(sim, "the first until its end, the second", PL_TIME_WAIT_DISK, 30 + 99);
    expect(sim, "the second", PL_TIME_WAIT_PAGE, 0);
    pl_sim_destroy(sim);
    script_free(&script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_for_anothers_fault_is_cut_in_two),
        cmocka_unit_test(a_store_fault_may_wait_for_the_disk),
        cmocka_unit_test(a_wait_for_what_is_read_ahead),
        cmocka_unit_test(a_wait_for_the_store),
        cmocka_unit_test(what_is_free_takes_no_time),
        cmocka_unit_test(an_eviction_is_charged_once),
        cmocka_unit_test(an_exit_leaves_nobody_waiting),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
