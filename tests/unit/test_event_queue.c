/* The event queue against a list that is searched from end to end: same events, same order, whatever the pattern. */
#include "sim/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"

/* The reference: an unsorted array, from which the earliest (first of equals) is taken. */
struct naive {
    struct pl_event event[4096];
    size_t count;
};

static struct pl_event naive_pop(struct naive *naive)
{
    size_t best = 0;
    for (size_t i = 1; i < naive->count; i++)
        if (naive->event[i].time_ps < naive->event[best].time_ps ||
            (naive->event[i].time_ps == naive->event[best].time_ps &&
             naive->event[i].sequence < naive->event[best].sequence))
            best = i;
    struct pl_event found = naive->event[best];
    naive->event[best] = naive->event[--naive->count];
    return found;
}

static void push_both(struct pl_event_queue *queue, struct naive *naive, pl_time_ps time_ps, uint32_t number)
{
    struct pl_event event = {time_ps, number, number * 3, number ^ 5, (uint64_t)number << 33};
    assert_int_equal(pl_event_queue_push(queue, time_ps, event.kind, event.target, event.payload, NULL), PL_OK);
    naive->event[naive->count++] = event;
}

static void pop_both(struct pl_event_queue *queue, struct naive *naive, uint64_t seed)
{
    struct pl_event got, want = naive_pop(naive);
    assert_int_equal(pl_event_queue_next_ps(queue), want.time_ps);
    assert_true(pl_event_queue_pop(queue, &got));
    if (got.time_ps != want.time_ps || got.sequence != want.sequence)
        fail_msg("seed %llu: got event %llu at %lld, the earliest is %llu at %lld", (unsigned long long)seed,
                 (unsigned long long)got.sequence, (long long)got.time_ps, (unsigned long long)want.sequence,
                 (long long)want.time_ps);
    assert_int_equal(got.kind, want.kind);
    assert_int_equal(got.target, want.target);
    assert_int_equal(got.payload, want.payload);
    assert_int_equal(queue->now_ps, want.time_ps);
}

/* Random pushes and pops; `spread` 1 makes nearly all times equal, so that only the order of insertion decides. */
static void run_pattern(uint64_t seed, uint64_t spread)
{
    static struct naive naive;
    struct pl_event_queue queue;
    struct pl_random random = pl_random_seeded(seed);
    naive.count = 0;
    assert_int_equal(pl_event_queue_open(&queue, 1, NULL), PL_OK);
    uint32_t pushed = 0;
    pl_time_ps now = -(pl_time_ps)(spread / 2);
    unsigned push_weight = 6;
    for (int step = 0; step < 6000; step++) {
        if (step % 500 == 0)
            push_weight = 2 + (unsigned)pl_random_below(&random, 7); /* of 10: the queue grows and shrinks */
        bool push = naive.count == 0 || (naive.count < 600 && pl_random_below(&random, 10) < push_weight);
        if (push) {
            push_both(&queue, &naive, now + (pl_time_ps)pl_random_below(&random, spread), pushed++);
        } else {
            pop_both(&queue, &naive, seed);
            now = queue.now_ps;
        }
        assert_int_equal(pl_event_queue_count(&queue), naive.count);
    }
    while (naive.count)
        pop_both(&queue, &naive, seed);
    struct pl_event none;
    assert_false(pl_event_queue_pop(&queue, &none));
    assert_int_equal(pl_event_queue_next_ps(&queue), PL_NEVER_PS);
    pl_event_queue_close(&queue);
}

static void test_same_as_naive(void **state)
{
    static const uint64_t spreads[] = {1, 3, 100, 1000000, UINT64_C(1) << 40};
    for (uint64_t seed = 1; seed <= 3; seed++)
        for (size_t i = 0; i < PL_COUNT_OF(spreads); i++)
            run_pattern(seed * 100 + i, spreads[i]);
}

static void test_ties_keep_their_order(void **state)
{
    struct pl_event_queue queue;
    struct pl_event event;
    assert_int_equal(pl_event_queue_open(&queue, 0, NULL), PL_OK);
    for (uint32_t i = 0; i < 5000; i++)
        assert_int_equal(pl_event_queue_push(&queue, 7, 0, i, 0, NULL), PL_OK);
    for (uint32_t i = 0; i < 5000; i++) {
        assert_true(pl_event_queue_pop(&queue, &event));
        assert_int_equal(event.target, i);
        if (i == 1000) /* one that comes late goes behind all of its time */
            assert_int_equal(pl_event_queue_push(&queue, 7, 0, 5000, 0, NULL), PL_OK);
    }
    assert_true(pl_event_queue_pop(&queue, &event));
    assert_int_equal(event.target, 5000);
    pl_event_queue_close(&queue);
    pl_event_queue_close(&queue);
}

static void test_no_allocation_after_warm_up(void **state)
{
    struct pl_event_queue queue;
    struct pl_event event;
    assert_int_equal(pl_event_queue_open(&queue, 16, NULL), PL_OK);
    for (uint32_t i = 0; i < 300; i++)
        assert_int_equal(pl_event_queue_push(&queue, i, 0, i, 0, NULL), PL_OK);
    const struct pl_event *heap = queue.heap;
    for (uint32_t i = 0; i < 100000; i++) {
        assert_true(pl_event_queue_pop(&queue, &event));
        assert_int_equal(pl_event_queue_push(&queue, event.time_ps + 300, 0, event.target, 0, NULL), PL_OK);
    }
    assert_ptr_equal(heap, queue.heap);
    pl_event_queue_close(&queue);
    struct pl_error err;
    assert_int_equal(pl_event_queue_open(&queue, SIZE_MAX / 2, &err), PL_ERR_RESOURCE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_naive),
        cmocka_unit_test(test_ties_keep_their_order),
        cmocka_unit_test(test_no_allocation_after_warm_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
