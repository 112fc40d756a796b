/* tests/unit/test_fit_runs.c: the inverse problem on runs made from known parameters. */
#include "tests/unit/winstone.h"

#include "model/model.h"

#include <gsl/gsl_errno.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { RUNS_MAX = 16 };
static const double truth[PL_RUNS_PARAMETERS] = {300, 0.002, 0.010, 1.6, 0.15};
static const double nothing_known[PL_RUNS_PARAMETERS] = {NAN, NAN, NAN, NAN, NAN};

struct fixture {
    struct pl_arena *arena;
    struct pl_fault_table table;
    struct pl_fault_curves curves;
    double d[RUNS_MAX], m[RUNS_MAX], total[RUNS_MAX];
};
static struct fixture fixture;

static int set_up(void **state)
{
    (void)state;
    gsl_set_error_handler_off();
    fixture.arena = pl_arena_create();
    fixture.table = winstone_table();
    return pl_fault_curves_create(&fixture.table, PL_INTERPOLATE_DEFAULT, fixture.arena, &fixture.curves, NULL) ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    pl_arena_destroy(fixture.arena);
    return 0;
}

/* Times by the forward model, off by up to `noise` of themselves either way. */
static struct pl_runs make_runs(const double *d, size_t count, double noise, struct pl_random *random)
{
    for (size_t i = 0; i < count; i++) {
        struct pl_cost_params params = {.m_mb = 8, .d_mb = isnan(d[i]) ? 0 : d[i], .r = truth[PL_RUNS_R],
                                        .cd_s = truth[PL_RUNS_CD], .ch_s = truth[PL_RUNS_CH],
                                        .frac = truth[PL_RUNS_FRAC]};
        struct pl_cost cost = pl_cost_evaluate(&fixture.curves, &params);
        double time = truth[PL_RUNS_BASE] + cost.disk_without_s + (isnan(d[i]) ? 0 : cost.total_s);
        fixture.d[i] = d[i];
        fixture.m[i] = 8;
        fixture.total[i] = time * (1 + noise * (2 * pl_random_unit(random) - 1));
    }
    return (struct pl_runs){"made", count, fixture.d, fixture.m, fixture.total};
}

static const double many_d[] = {NAN, NAN, 0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2};

static void solve(const struct pl_runs *runs, const double *known, struct pl_runs_fit *out)
{
    const struct pl_cost_params params = {.accounting = PL_ACCOUNTING_1996};
    struct pl_error err = {PL_OK, ""};
    if (pl_runs_fit(runs, &fixture.curves, &params, known, 0.95, fixture.arena, out, &err))
        fail_msg("%s", err.message);
}

static void exact_runs_give_the_parameters_back(void **state)
{
    (void)state;
    struct pl_random random = pl_random_seeded(1);
    struct pl_runs runs = make_runs(many_d, PL_COUNT_OF(many_d), 0, &random);
    struct pl_runs_fit fit;
    solve(&runs, nothing_known, &fit);
    for (size_t i = 0; i < PL_RUNS_PARAMETERS; i++) {
        if (fabs(fit.estimate[i].value / truth[i] - 1) > 1e-4)
            fail_msg("parameter %zu: %.9g, not %.9g", i, fit.estimate[i].value, truth[i]);
        assert_true(fit.estimate[i].identified);
    }
    assert_int_equal(fit.blurs, 0);
}

/* With frac given, as it is where cache management adds no disk accesses of its own, every interval holds the truth in at
 * least 90 of 100 noisy tables. */
static void intervals_hold_the_parameters(void **state)
{
    (void)state;
    int inside[PL_RUNS_PARAMETERS] = {0};
    struct pl_random random = pl_random_named(1, "runs");
    double known[PL_RUNS_PARAMETERS];
    memcpy(known, nothing_known, sizeof known);
    known[PL_RUNS_FRAC] = truth[PL_RUNS_FRAC];
    for (int trial = 0; trial < 100; trial++) {
        struct pl_runs runs = make_runs(many_d, PL_COUNT_OF(many_d), 0.002, &random);
        struct pl_runs_fit fit;
        solve(&runs, known, &fit);
        for (size_t i = 0; i < PL_RUNS_FRAC; i++)
            inside[i] += truth[i] >= fit.estimate[i].low && truth[i] <= fit.estimate[i].high;
    }
    print_message("# base %d, cd %d, ch %d, r %d of 100\n", inside[0], inside[1], inside[2], inside[3]);
    for (size_t i = 0; i < PL_RUNS_FRAC; i++)
        assert_true(inside[i] >= 90);
}

/* Runs at one memory size, all without a cache: only base + ch (R + W) is seen, and cd and r not at all. */
static void what_cannot_be_told_apart_is_named(void **state)
{
    (void)state;
    static const double none[] = {NAN, NAN, NAN, NAN, NAN, NAN};
    struct pl_random random = pl_random_seeded(3);
    struct pl_runs runs = make_runs(none, PL_COUNT_OF(none), 0.001, &random);
    struct pl_runs_fit fit;
    double known[PL_RUNS_PARAMETERS] = {NAN, NAN, NAN, NAN, 0};
    solve(&runs, known, &fit);
    assert_int_equal(fit.blurs, 3);
    for (size_t i = 0; i < PL_RUNS_FRAC; i++)
        assert_false(fit.estimate[i].identified);
    bool together = false;
    for (size_t k = 0; k < fit.blurs; k++)
        together |= fabs(fit.blur[k].weight[PL_RUNS_BASE]) > 0.1 && fabs(fit.blur[k].weight[PL_RUNS_CH]) > 0.1;
    assert_true(together);

    known[PL_RUNS_BASE] = 300; /* then ch is known, too */
    solve(&runs, known, &fit);
    assert_true(fit.estimate[PL_RUNS_CH].identified);
    assert_true(fabs(fit.estimate[PL_RUNS_CH].value / 0.010 - 1) < 0.01);
    assert_false(fit.estimate[PL_RUNS_CD].identified || fit.estimate[PL_RUNS_R].identified);
}

static void fewer_runs_than_unknowns(void **state)
{
    (void)state;
    static const double two[] = {0.5, 1};
    struct pl_random random = pl_random_seeded(4);
    struct pl_runs runs = make_runs(two, 2, 0, &random);
    struct pl_runs_fit fit;
    solve(&runs, nothing_known, &fit);
    assert_int_equal(fit.freedom, 0);
    assert_int_equal(fit.blurs, 3);
    assert_true(isnan(fit.estimate[PL_RUNS_CD].low));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_runs_give_the_parameters_back),
        cmocka_unit_test(intervals_hold_the_parameters),
        cmocka_unit_test(what_cannot_be_told_apart_is_named),
        cmocka_unit_test(fewer_runs_than_unknowns),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
