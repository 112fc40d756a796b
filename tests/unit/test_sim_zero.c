/* Zeroing threads and their lock, against what can be worked out: one thread never spins, a lock that is always wanted
 * passes on at the rate of holding and hand-over, a longer batch takes it less often; and each freed page is zeroed once. */
#include "sim_machine.h"

#include <stdio.h>

enum { PAGES = 2000, LINK_NS = 200, CLEAR_NS = 100, ACQUIRE_NS = 20, HAND_OVER_NS = 150, SPINNER_NS = 10 };

/* A process frees PAGES pages at time 0 or soon after, and all is done a second later. */
static struct pl_sim_totals run(const char *const *changes)
{
    static const char *const common[] = {"memory.total=96MiB", "zero.period=10ms", "zero.free_above=0", "run.cpus=96",
                                         "cost.zero_page=100ns", "cost.zero_link=200ns", "zero_lock.acquire=20ns",
                                         "zero_lock.hand_over=150ns", "zero_lock.per_spinner=10ns",
                                         "store.enabled=false"};
    const char *all[24] = {0};
    size_t count = 0;
    for (; count < PL_COUNT_OF(common); count++)
        all[count] = common[count];
    for (; *changes; changes++)
        all[count++] = *changes;
    struct script script = {0};
    script_control(&script, PL_OP_ALLOCATE, PL_ALLOCATE_COMMIT, 0, PAGES, 0, NULL);
    script_range(&script, 0, PAGES, 1, PL_WRITE);
    script_control(&script, PL_OP_FREE, 0, 0, PAGES, 0, NULL);
    script_control(&script, PL_OP_SLEEP, 0, (uint64_t)PL_PS_PER_S, 0, 0, NULL);
    script.distinct = PAGES;
    struct pl_arena *arena = pl_arena_create();
    struct pl_machine machine = machine_of(arena, "plain-hdd", all);
    struct pl_sim_options options = {.check = false};
    struct pl_sim *sim = script_run(&script, &machine, &options, 64);
    assert_int_equal(pl_sim_check(sim, NULL), PL_OK);
    struct pl_sim_totals totals = pl_sim_result(sim)->totals;
    assert_int_equal(totals.zeroed_ahead, PAGES); /* each once */
    pl_sim_destroy(sim);
    script_free(&script);
    pl_arena_destroy(arena);
    return totals;
}
#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

static double ns(pl_time_ps time)
{
    return (double)time / (double)PL_PS_PER_NS;
}

static void assert_near(double value, double expected, double tolerance)
{
    if (value < expected * (1 - tolerance) || value > expected * (1 + tolerance))
        fail_msg("%.6g is not within %g of %.6g", value, tolerance, expected);
}

/* Two acquisitions a page, and one that finds nothing. */
static void one_thread_never_spins(void **state)
{
    struct pl_sim_totals totals = RUN("zero.threads=1");
    assert_int_equal(totals.zero_spin_ps, 0);
    assert_int_equal(totals.zero_acquisitions, 2 * PAGES + 1);
    assert_int_equal(ns(totals.zero_busy_ps), PAGES * (CLEAR_NS + 2 * (ACQUIRE_NS + LINK_NS)) + ACQUIRE_NS);
}

static void a_lock_that_takes_no_time_is_none(void **state)
{
    struct pl_sim_totals totals = RUN("zero.threads=5", "cost.zero_link=0", "zero_lock.acquire=0",
                                      "zero_lock.hand_over=0", "zero_lock.per_spinner=0");
    assert_int_equal(ns(totals.zero_busy_ps), PAGES * CLEAR_NS);
    assert_true(totals.zero_spin_ps == 0 && totals.zero_acquisitions == 0);
}

/* Every thread is busy all the time, and the lock is never idle: a page takes two turns of holding and hand-over,
 * whoever has them; all but the page's own work is spinning. */
static void check_saturated(const char *kind, double hand_over_ns, double tolerance)
{
    struct pl_sim_totals totals = RUN("zero.threads=30", kind);
    double turn = LINK_NS + hand_over_ns, busy = 30 * 2 * turn * PAGES;
    assert_near(ns(totals.zero_busy_ps), busy, tolerance);
    assert_near(ns(totals.zero_spin_ps), busy - PAGES * (CLEAR_NS + 2 * LINK_NS), tolerance);
}

static void a_lock_always_wanted_passes_on_at_its_rate(void **state)
{
    check_saturated("zero_lock.kind=queued", HAND_OVER_NS, 0.02);
    /* On a spin lock all wait but who has just let it go, or is clearing the page that it took under it. */
    double turn = LINK_NS + HAND_OVER_NS + 29 * SPINNER_NS, clearing = 0.5 * CLEAR_NS / turn;
    check_saturated("zero_lock.kind=spin", HAND_OVER_NS + (29 - 0.5 - clearing) * SPINNER_NS, 0.02);
}

/* Who sleeps leaves his processor: what is left is the work, and no page is lost. */
static void who_sleeps_leaves_the_processor(void **state)
{
    struct pl_sim_totals totals = RUN("zero.threads=30", "zero_lock.kind=sleep");
    assert_int_equal(totals.zero_spin_ps, 0);
    assert_near(ns(totals.zero_busy_ps), PAGES * (CLEAR_NS + 2 * LINK_NS), 0.01);
    /* On one processor holders wait for it, too, and most find the lock free. */
    totals = RUN("zero.threads=30", "zero_lock.kind=sleep", "run.cpus=1");
    assert_near(ns(totals.zero_busy_ps), PAGES * (CLEAR_NS + 2 * LINK_NS + 2 * ACQUIRE_NS), 0.01);
}

static void longer_batches_take_it_less_often(void **state)
{
    struct pl_sim_totals one = RUN("zero.threads=20"), many = RUN("zero.threads=20", "zero.batch=50"),
                         half = RUN("zero.threads=20", "zero.take=half");
    assert_int_equal(many.zero_acquisitions, 2 * PAGES / 50 + 20);
    assert_true(many.zero_busy_ps < one.zero_busy_ps && half.zero_acquisitions < 200);
    assert_true(half.zero_acquisitions < many.zero_acquisitions * 2);
}

/* Memory that zeroes 4 KiB in 1 us, however many ask for it. */
static void bandwidth_is_shared(void **state)
{
    struct pl_sim_totals totals = RUN("zero.threads=4", "zero.bandwidth=4096000000B/s", "cost.zero_link=0",
                                      "zero_lock.acquire=0", "zero_lock.hand_over=0", "zero_lock.per_spinner=0");
    assert_near(ns(totals.zero_busy_ps), PAGES * 4000.0, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_never_spins),
        cmocka_unit_test(a_lock_that_takes_no_time_is_none),
        cmocka_unit_test(a_lock_always_wanted_passes_on_at_its_rate),
        cmocka_unit_test(who_sleeps_leaves_the_processor),
        cmocka_unit_test(longer_batches_take_it_less_often),
        cmocka_unit_test(bandwidth_is_shared),
    };
    return cmocka_run_group_tests_name("zeroing threads", tests, NULL, NULL);
}
