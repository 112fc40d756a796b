/* tests/unit/test_intervals.c: working sets and intervals equal what is counted window by window. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "curve/intervals.h"
#include "curve_traces.h"

/* Slides a window of tau touches over the trace and counts the pages in it. */
static struct pl_working_set slide(const struct touches *touches, uint64_t tau)
{
    uint32_t *in_window = calloc(touches->limit, sizeof *in_window);
    uint64_t pages = 0, page_times = 0;
    struct pl_working_set result = {.tau = tau};
    for (size_t i = 0; i < touches->count; i++) {
        if (i >= tau && --in_window[touches->page[i - tau]] == 0)
            pages--;
        /* The touch that leaves now was still in the set when this one came. */
        result.faults += in_window[touches->page[i]] == 0 && !(i >= tau && touches->page[i - tau] == touches->page[i]);
        pages += in_window[touches->page[i]]++ == 0;
        page_times += pages;
    }
    result.mean_pages = (double)page_times / (double)touches->count;
    free(in_window);
    return result;
}

static uint64_t count_intervals(const struct touches *touches, uint64_t from, uint64_t to)
{
    size_t *last = calloc(touches->limit, sizeof *last);
    uint64_t count = 0;
    for (size_t i = 0; i < touches->count; i++) {
        size_t *before = &last[touches->page[i]];
        count += *before && i + 1 - *before >= from && i + 1 - *before <= to;
        *before = i + 1;
    }
    free(last);
    return count;
}

static void check_trace(const struct touches *touches, uint64_t every, const char *what)
{
    struct pl_intervals *intervals;
    assert_int_equal(pl_intervals_create(&intervals, NULL), PL_OK);
    assert_int_equal(pl_intervals_feed(intervals, touches->page, touches->count / 3, NULL), PL_OK);
    assert_int_equal(
        pl_intervals_feed(intervals, touches->page + touches->count / 3, touches->count - touches->count / 3, NULL),
        PL_OK);
    pl_intervals_end(intervals);
    size_t points = pl_intervals_points(intervals);
    struct pl_working_set *got = calloc(points, sizeof *got);
    pl_intervals_working_sets(intervals, got);
    assert_int_equal(got[points - 1].tau, touches->count);
    for (size_t i = 0; i < points; i += every) {
        struct pl_working_set want = slide(touches, got[i].tau);
        if (want.faults != got[i].faults || fabs(want.mean_pages - got[i].mean_pages) > 1e-9 * want.mean_pages)
            fail_msg("%s, tau %llu: %llu faults, %.9g pages; counted %llu, %.9g", what, (unsigned long long)got[i].tau,
                     (unsigned long long)got[i].faults, got[i].mean_pages, (unsigned long long)want.faults,
                     want.mean_pages);
    }
    for (unsigned k = 0; k < 20; k++)
        assert_int_equal(pl_intervals_count(intervals, k),
                         count_intervals(touches, k ? (1u << (k - 1)) + 1 : 1, 1u << k));
    assert_int_equal(got[points - 1].faults, pl_intervals_cold(intervals));
    free(got);
    pl_intervals_free(intervals);
}

static void test_random_traces(void **state)
{
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct pl_random random = pl_random_seeded(seed);
        enum shape shape = (enum shape)pl_random_below(&random, SHAPES);
        struct touches touches = touches_make(&random, shape, 1 + (size_t)pl_random_below(&random, 600),
                                              1 + (pl_page)pl_random_below(&random, 200), 0);
        check_trace(&touches, 1, shape_name(shape));
        touches_free(&touches);
    }
}

static void test_long_intervals(void **state)
{
    struct pl_random random = pl_random_seeded(3);
    for (int shape = 0; shape < SHAPE_SPARSE; shape++) {
        struct touches touches = touches_make(&random, (enum shape)shape, 50000, 20000, 0);
        check_trace(&touches, 41, shape_name((enum shape)shape));
        touches_free(&touches);
    }
}

static void test_empty(void **state)
{
    struct pl_intervals *intervals;
    assert_int_equal(pl_intervals_create(&intervals, NULL), PL_OK);
    pl_intervals_end(intervals);
    assert_int_equal(pl_intervals_points(intervals), 0);
    pl_intervals_free(intervals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_traces),
        cmocka_unit_test(test_long_intervals),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
