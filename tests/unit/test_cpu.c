/* Processors and locks: schedules worked out by hand, and accounts that balance. */
#include "device/cpu.h"
#include "device/lock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"

#define MS PL_PS_PER_MS

static struct pl_cpu *cpu_of(uint64_t processors, pl_time_ps quantum_ps, pl_time_ps switch_ps)
{
    struct pl_cpu_params params = {processors, quantum_ps, switch_ps};
    struct pl_cpu *cpu = NULL;
    assert_int_equal(pl_cpu_create(&params, &cpu, NULL), PL_OK);
    return cpu;
}

static uint32_t submit(struct pl_cpu *cpu, pl_time_ps now, enum pl_cpu_class class, pl_time_ps work, uint64_t cookie)
{
    struct pl_cpu_job job = {.class = class, .work_ps = work, .cookie = cookie};
    uint32_t id;
    assert_int_equal(pl_cpu_submit(cpu, now, &job, &id, NULL), PL_OK);
    return id;
}

/* The next job that is done is this one, then. */
static void expect_done(struct pl_cpu *cpu, uint64_t cookie, pl_time_ps done)
{
    struct pl_cpu_job job = {0};
    do
        assert_true(pl_cpu_next_ps(cpu) != PL_CPU_IDLE_PS);
    while (!pl_cpu_complete(cpu, pl_cpu_next_ps(cpu), &job));
    if (job.cookie != cookie || job.done_ps != done)
        fail_msg("job %llu is done at %lld ms", (unsigned long long)job.cookie, (long long)(job.done_ps / MS));
    assert_int_equal(job.work_ps, 0);
}

static void test_round_robin(void **state)
{
    struct pl_cpu *cpu = cpu_of(1, 10 * MS, 0);
    struct pl_cpu_stats stats;
    submit(cpu, 0, PL_CPU_NORMAL, 25 * MS, 1);
    submit(cpu, 0, PL_CPU_NORMAL, 25 * MS, 2);
    expect_done(cpu, 1, 45 * MS); /* 1: 0-10, 20-30, 40-45 */
    expect_done(cpu, 2, 50 * MS);
    pl_cpu_stats(cpu, 100 * MS, &stats);
    assert_true(stats.busy_ps[PL_CPU_NORMAL] == 50 * (pl_sum)MS && stats.utilisation == 0.5);
    assert_int_equal(stats.quanta, 4);
    assert_true(stats.wait_ps[PL_CPU_NORMAL]->least == 20 * (uint64_t)MS);
    assert_true(stats.wait_ps[PL_CPU_NORMAL]->greatest == 25 * (uint64_t)MS);
    pl_cpu_destroy(cpu);

    cpu = cpu_of(2, 10 * MS, 0); /* three equal jobs on two processors waste nothing */
    for (uint64_t i = 0; i < 3; i++)
        submit(cpu, 0, PL_CPU_NORMAL, 20 * MS, i);
    expect_done(cpu, 0, 20 * MS);
    expect_done(cpu, 1, 30 * MS);
    expect_done(cpu, 2, 30 * MS);
    pl_cpu_destroy(cpu);
}

static void test_quanta_renew_unseen(void **state)
{
    struct pl_cpu *cpu = cpu_of(1, 10 * MS, 0);
    submit(cpu, 0, PL_CPU_LOW, 100 * MS, 1);
    assert_int_equal(pl_cpu_next_ps(cpu), 100 * MS); /* alone: no event for a quantum */
    submit(cpu, 37 * MS, PL_CPU_LOW, 5 * MS, 2);
    assert_int_equal(pl_cpu_next_ps(cpu), 40 * MS);
    expect_done(cpu, 2, 45 * MS);
    submit(cpu, 55 * MS, PL_CPU_LOW, 1 * MS, 3); /* just as a quantum is over: the next one has begun */
    expect_done(cpu, 3, 66 * MS);
    expect_done(cpu, 1, 106 * MS);
    pl_cpu_destroy(cpu);
}

static void test_classes(void **state)
{
    struct pl_cpu *cpu = cpu_of(1, 10 * MS, 0);
    struct pl_cpu_stats stats;
    submit(cpu, 0, PL_CPU_LOW, 100 * MS, 1);
    submit(cpu, 30 * MS, PL_CPU_HIGH, 20 * MS, 2);
    submit(cpu, 40 * MS, PL_CPU_NORMAL, 5 * MS, 3); /* waits for the high one, not for the low one */
    expect_done(cpu, 2, 50 * MS);
    expect_done(cpu, 3, 55 * MS);
    expect_done(cpu, 1, 125 * MS);
    pl_cpu_stats(cpu, 125 * MS, &stats);
    assert_int_equal(stats.preemptions, 1);
    assert_true(stats.utilisation == 1);
    assert_true(stats.class_utilisation[PL_CPU_HIGH] == 0.16 && stats.class_utilisation[PL_CPU_NORMAL] == 0.04);
    pl_cpu_destroy(cpu);

    cpu = cpu_of(2, 10 * MS, 0); /* the lowest class makes room */
    submit(cpu, 0, PL_CPU_NORMAL, 50 * MS, 1);
    submit(cpu, 0, PL_CPU_LOW, 50 * MS, 2);
    submit(cpu, 10 * MS, PL_CPU_HIGH, 20 * MS, 3);
    expect_done(cpu, 3, 30 * MS);
    expect_done(cpu, 1, 50 * MS);
    expect_done(cpu, 2, 70 * MS);
    pl_cpu_destroy(cpu);
}

static void test_switches_cost(void **state)
{
    struct pl_cpu *cpu = cpu_of(1, 10 * MS, 1 * MS);
    struct pl_cpu_stats stats;
    submit(cpu, 0, PL_CPU_NORMAL, 12 * MS, 1);
    submit(cpu, 0, PL_CPU_NORMAL, 4 * MS, 2);
    expect_done(cpu, 2, 15 * MS); /* 1: switch, 9 ms of work; 2: switch, 4 ms; 1: switch, 3 ms */
    expect_done(cpu, 1, 19 * MS);
    submit(cpu, 20 * MS, PL_CPU_LOW, 5 * MS, 3);
    submit(cpu, 20 * MS + MS / 2, PL_CPU_HIGH, 2 * MS, 4); /* comes in the middle of a switch: that is lost */
    expect_done(cpu, 4, 23 * MS + MS / 2);
    expect_done(cpu, 3, 29 * MS + MS / 2);
    pl_cpu_stats(cpu, 30 * MS, &stats);
    assert_int_equal(stats.switches, 6);
    pl_cpu_destroy(cpu);
}

static void test_spinning_until_stopped(void **state)
{
    struct pl_cpu *cpu = cpu_of(1, 10 * MS, 0);
    struct pl_cpu_stats stats;
    struct pl_cpu_job job = {.class = PL_CPU_LOW, .work_ps = PL_CPU_UNTIL_STOPPED, .spins = true, .cookie = 7};
    uint32_t spinner, waiting;
    assert_int_equal(pl_cpu_submit(cpu, 0, &job, &spinner, NULL), PL_OK);
    assert_int_equal(pl_cpu_next_ps(cpu), PL_CPU_IDLE_PS);
    submit(cpu, 15 * MS, PL_CPU_LOW, 4 * MS, 1);
    waiting = submit(cpu, 15 * MS, PL_CPU_LOW, 4 * MS, 2);
    expect_done(cpu, 1, 24 * MS); /* the spinner uses up his quantum, until 20 ms */
    pl_cpu_stop(cpu, 25 * MS, waiting, &job);
    assert_int_equal(job.work_ps, 3 * MS);
    assert_int_equal(job.ran_ps, 1 * MS);
    pl_cpu_stop(cpu, 50 * MS, spinner, &job);
    assert_int_equal(job.cookie, 7);
    assert_int_equal(job.ran_ps, 45 * MS);
    assert_int_equal(pl_cpu_next_ps(cpu), PL_CPU_IDLE_PS);
    pl_cpu_stats(cpu, 50 * MS, &stats);
    assert_true(stats.spin_ps[PL_CPU_LOW] == 45 * (pl_sum)MS && stats.busy_ps[PL_CPU_LOW] == 50 * (pl_sum)MS);
    assert_true(stats.submitted == 3 && stats.completed == 1 && stats.stopped == 2);
    pl_cpu_destroy(cpu);
}

/* Random jobs of all classes: no processor idles while a job waits, each job gets its work, all time is accounted for. */
static void run_random(uint64_t seed, uint64_t processors, pl_time_ps switch_ps)
{
    enum { MANY = 2000 };
    struct pl_cpu *cpu = cpu_of(processors, 10 * MS, switch_ps);
    struct pl_random random = pl_random_seeded(seed);
    static pl_time_ps work_of[MANY];
    struct pl_cpu_stats stats;
    struct pl_cpu_job job;
    pl_time_ps now = 0;
    pl_sum work = 0;
    uint64_t sent = 0, served = 0;
    while (served < MANY) {
        pl_time_ps next = pl_cpu_next_ps(cpu), gap = (pl_time_ps)pl_random_below(&random, 12 * (uint64_t)MS);
        if (sent < MANY && (next == PL_CPU_IDLE_PS || now + gap < next)) {
            now += gap;
            work_of[sent] = (pl_time_ps)pl_random_below(&random, (processors * 12 + 3) * (uint64_t)MS);
            submit(cpu, now, (enum pl_cpu_class)pl_random_below(&random, 3), work_of[sent], sent);
            sent++;
        } else {
            assert_true(next >= now);
            now = next;
            if (pl_cpu_complete(cpu, now, &job)) {
                assert_int_equal(job.ran_ps, work_of[job.cookie]);
                assert_true(job.done_ps - job.submitted_ps >= job.ran_ps);
                work += (pl_sum)job.ran_ps;
                served++;
            }
        }
        pl_cpu_stats(cpu, now, &stats);
        assert_int_equal(stats.submitted, stats.completed + stats.running + stats.waiting);
        assert_true(stats.running == processors || stats.waiting == 0);
        assert_true(now == 0 || stats.utilisation <= 1);
    }
    pl_sum busy = stats.busy_ps[0] + stats.busy_ps[1] + stats.busy_ps[2];
    assert_true(busy >= work && (switch_ps > 0 || busy == work));
    assert_true(busy <= work + stats.switches * (pl_sum)switch_ps);
    assert_true(stats.quanta > 0 && stats.preemptions > 0);
    pl_cpu_destroy(cpu);
}

static void test_random_jobs(void **state)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        run_random(seed, 1, 0);
        run_random(seed, 4, 0);
        run_random(seed, 3, MS / 3);
    }
}

/* --- locks ---------------------------------------------------------------------------- */

enum { SPIN, QUEUED };

static struct pl_lock *lock_of(int kind)
{
    struct pl_lock_params params = {kind, 2 * MS, 3 * MS, 1 * MS};
    struct pl_lock *lock = NULL;
    assert_int_equal(pl_lock_create(&params, "lock", 1, &lock, NULL), PL_OK);
    return lock;
}

static void test_queued_lock(void **state)
{
    struct pl_lock *lock = lock_of(QUEUED);
    struct pl_lock_stats stats;
    pl_time_ps now = 0;
    for (uint64_t i = 0; i < 40; i++) /* more than the first ring holds */
        assert_int_equal(pl_lock_acquire(lock, 0, i, NULL), PL_OK);
    for (uint64_t i = 0; i < 40; i++) {
        now = pl_lock_next_ps(lock);
        assert_int_equal(now, (int64_t)(2 + 8 * i) * MS); /* hold 5, hand over 3, however many wait */
        assert_int_equal(pl_lock_complete(lock, now), i);
        assert_int_equal(pl_lock_next_ps(lock), PL_LOCK_IDLE_PS);
        now += 5 * MS;
        pl_lock_release(lock, now);
    }
    pl_lock_stats(lock, now, &stats);
    assert_true(stats.acquired == 40 && stats.contended == 39 && stats.most_waiting == 39 && stats.waiting == 0);
    assert_true(stats.held_ps == 200 * (pl_sum)MS && stats.hand_over_ps == (2 + 39 * 3) * (pl_sum)MS);
    assert_true(stats.spin_ps == stats.wait_ps->sum);
    pl_lock_destroy(lock);
}

static void test_spin_lock_slows_down(void **state)
{
    struct pl_lock *lock = lock_of(SPIN);
    bool had[10] = {false}, in_order = true;
    pl_time_ps now = 0, before = 0;
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(pl_lock_acquire(lock, 0, i, NULL), PL_OK);
    for (uint64_t i = 0; i < 10; i++) {
        now = pl_lock_next_ps(lock);
        assert_int_equal(now - before, (i == 0 ? 2 : 3 + (10 - (int64_t)i)) * MS); /* a millisecond for each that spins */
        uint64_t cookie = pl_lock_complete(lock, now);
        assert_false(had[cookie]);
        had[cookie] = true;
        in_order &= cookie == i;
        before = now;
        pl_lock_release(lock, now);
    }
    assert_false(in_order); /* any of them may get it */
    assert_int_equal(pl_lock_next_ps(lock), PL_LOCK_IDLE_PS);
    pl_lock_destroy(lock);
}

/* Threads that want the lock all the time: each either waits or holds it, so the times add up exactly; and the more
 * threads, the less work on a spin lock, but not on a queued one. */
static pl_time_ps run_threads(int kind, uint64_t threads)
{
    struct pl_lock *lock = lock_of(kind);
    struct pl_lock_stats stats;
    pl_time_ps now = 0;
    for (uint64_t i = 0; i < threads; i++)
        assert_int_equal(pl_lock_acquire(lock, 0, i, NULL), PL_OK);
    for (int round = 0; round < 1000; round++) {
        now = pl_lock_next_ps(lock);
        uint64_t cookie = pl_lock_complete(lock, now);
        now += 4 * MS;
        pl_lock_release(lock, now);
        assert_int_equal(pl_lock_acquire(lock, now, cookie, NULL), PL_OK);
    }
    pl_lock_stats(lock, now, &stats);
    assert_true(stats.spin_ps + stats.held_ps == (pl_sum)now * threads);
    assert_true(stats.held_ps == 4000 * (pl_sum)MS && stats.held_ps + stats.hand_over_ps == (pl_sum)now);
    pl_lock_destroy(lock);
    return now;
}

static void test_threads_on_a_lock(void **state)
{
    /* From the second on, a round is 4 + 3 queued, 4 + 3 + (n - 1) spinning; the first finds the lock free. */
    assert_int_equal(run_threads(QUEUED, 4), (6 + 999 * 7) * MS);
    assert_int_equal(run_threads(QUEUED, 40), (6 + 999 * 7) * MS);
    assert_int_equal(run_threads(SPIN, 4), (6 + 999 * 10) * MS);
    assert_int_equal(run_threads(SPIN, 40), (6 + 999 * 46) * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_robin),
        cmocka_unit_test(test_quanta_renew_unseen),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_switches_cost),
        cmocka_unit_test(test_spinning_until_stopped),
        cmocka_unit_test(test_random_jobs),
        cmocka_unit_test(test_queued_lock),
        cmocka_unit_test(test_spin_lock_slows_down),
        cmocka_unit_test(test_threads_on_a_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
