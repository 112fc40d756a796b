/* tests/unit/test_opt_curve.c: the optimum's whole curve equals plain simulations of OPT at every size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "curve/opt_curve.h"
#include "curve_traces.h"

static void check_sizes(const struct touches *touches, enum pl_rule rule, uint64_t step, const char *what)
{
    struct pl_curve_result got;
    struct pl_error err;
    assert_int_equal(pl_opt_curve(rule, touches->page, touches->count, &got, &err), PL_OK);
    assert_null(got.writes);
    assert_int_equal(got.reads[0], touches->count - (rule == PL_RULE_DEMAND_ZERO ? got.cold : 0));
    assert_int_equal(got.reads[got.depth], rule == PL_RULE_DEMAND_ZERO ? 0 : got.cold);
    for (uint64_t m = 1; m <= got.depth; m += step) {
        struct pl_simulation run;
        assert_int_equal(
            pl_simulate(PL_SIMULATED_OPT, rule, (uint32_t)m, touches->page, NULL, touches->count, &run, &err), PL_OK);
        if (run.reads != got.reads[m] || run.cold != got.cold)
            fail_msg("%s at %llu pages: %llu reads, simulated %llu", what, (unsigned long long)m,
                     (unsigned long long)got.reads[m], (unsigned long long)run.reads);
    }
    pl_curve_result_free(&got);
}

static void test_every_size(void **state)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct pl_random random = pl_random_seeded(seed);
        enum shape shape = (enum shape)pl_random_below(&random, SHAPES);
        size_t count = 1 + (size_t)pl_random_below(&random, 900);
        pl_page pages = 1 + (pl_page)pl_random_below(&random, pl_random_below(&random, 3) ? 60 : count);
        struct touches touches = touches_make(&random, shape, count, pages, 0);
        char what[80];
        snprintf(what, sizeof what, "seed %llu (%s)", (unsigned long long)seed, shape_name(shape));
        check_sizes(&touches, (enum pl_rule)(seed % 2), 1, what);
        touches_free(&touches);
    }
}

/* Stacks of several blocks, with more keys waiting in each than it has room for. */
static void test_deep_stacks(void **state)
{
    struct pl_random random = pl_random_seeded(5);
    for (int shape = 0; shape < SHAPE_SPARSE; shape++) {
        struct touches touches = touches_make(&random, (enum shape)shape, 40000, 3000, 0);
        check_sizes(&touches, PL_RULE_DEMAND_ZERO, 97, shape_name((enum shape)shape));
        touches_free(&touches);
    }
}

/* No policy reads less. */
static void test_bound(void **state)
{
    struct pl_random random = pl_random_seeded(9);
    struct touches touches = touches_make(&random, SHAPE_SKEWED, 20000, 1000, 0);
    struct pl_curve_result got;
    struct pl_error err;
    assert_int_equal(pl_opt_curve(PL_RULE_DEMAND_ZERO, touches.page, touches.count, &got, &err), PL_OK);
    for (uint64_t m = 1; m < got.depth; m += 50) {
        for (int policy = PL_SIMULATED_LRU; policy <= PL_SIMULATED_CLOCK; policy++) {
            struct pl_simulation run;
            assert_int_equal(pl_simulate((enum pl_simulated)policy, PL_RULE_DEMAND_ZERO, (uint32_t)m, touches.page,
                                         NULL, touches.count, &run, &err),
                             PL_OK);
            assert_true(got.reads[m] <= run.reads);
        }
        assert_true(got.reads[m + 1] <= got.reads[m]);
    }
    pl_curve_result_free(&got);
    touches_free(&touches);
}

static void test_one_touch(void **state)
{
    pl_page page = 0;
    struct pl_curve_result got;
    assert_int_equal(pl_opt_curve(PL_RULE_MEMSIM, &page, 1, &got, NULL), PL_OK);
    assert_int_equal(got.depth, 1);
    assert_int_equal(got.reads[0], 1);
    assert_int_equal(got.reads[1], 1);
    pl_curve_result_free(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_size),
        cmocka_unit_test(test_deep_stacks),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_one_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
