/* Histograms: cells follow each other without gaps, percentiles keep to the error that the header states. */
#include "device/histogram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"

static struct pl_histogram histogram, other;

static void test_cells_tile_all_values(void **state)
{
    uint64_t first, last, expected = 0;
    for (unsigned cell = 0; cell < PL_HISTOGRAM_CELLS; cell++) {
        pl_histogram_cell_range(cell, &first, &last);
        assert_true(first == expected);
        assert_true(last >= first);
        assert_int_equal(pl_histogram_cell_of(first), cell);
        assert_int_equal(pl_histogram_cell_of(last), cell);
        assert_true((double)(last - first) <= (double)first / 128); /* so the middle is off by 1/256 at most */
        expected = last + 1;
    }
    assert_true(expected == 0); /* the last cell ends with the last number of 64 bits */
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void test_percentiles(void **state)
{
    enum { COUNT = 20001 };
    static uint64_t value[COUNT];
    static const double percents[] = {0, 0.01, 1, 25, 50, 90, 99, 99.9, 99.99, 100};
    struct pl_random random = pl_random_named(3, "percentiles");
    memset(&histogram, 0, sizeof histogram);
    assert_int_equal(pl_histogram_percentile(&histogram, 50), 0);
    assert_true(isnan(pl_histogram_mean(&histogram)));
    long double sum = 0;
    for (int i = 0; i < COUNT; i++) {
        value[i] = pl_random_next(&random) >> pl_random_below(&random, 64);
        sum += value[i];
        pl_histogram_add(&histogram, value[i]);
    }
    qsort(value, COUNT, sizeof *value, compare);
    for (size_t i = 0; i < PL_COUNT_OF(percents); i++) {
        double rank = ceil(percents[i] / 100 * COUNT);
        uint64_t exact = value[rank < 1 ? 0 : (size_t)rank - 1];
        uint64_t got = pl_histogram_percentile(&histogram, percents[i]);
        if (fabs((double)got - (double)exact) > (double)exact / 256)
            fail_msg("percentile %g is %llu, not %llu", percents[i], (unsigned long long)got, (unsigned long long)exact);
    }
    assert_true(histogram.count == COUNT && histogram.least == value[0] && histogram.greatest == value[COUNT - 1]);
    assert_true(fabsl((long double)histogram.sum - sum) <= sum * 1e-15L);
}

static void test_merging_is_adding(void **state)
{
    static struct pl_histogram all;
    struct pl_random random = pl_random_named(4, "merge");
    memset(&histogram, 0, sizeof histogram);
    memset(&other, 0, sizeof other);
    memset(&all, 0, sizeof all);
    pl_histogram_merge(&histogram, &other);
    assert_memory_equal(&histogram, &all, sizeof all);
    for (int i = 0; i < 5000; i++) {
        uint64_t value = pl_random_below(&random, UINT64_C(1) << (1 + i % 50));
        pl_histogram_add(i % 3 ? &histogram : &other, value);
        pl_histogram_add(&all, value);
    }
    pl_histogram_merge(&histogram, &other);
    assert_memory_equal(&histogram, &all, sizeof all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_tile_all_values),
        cmocka_unit_test(test_percentiles),
        cmocka_unit_test(test_merging_is_adding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
