/* tests/unit/test_cost1996.c: the cost model against values worked out by hand, and against itself. */
#include "tests/unit/winstone.h"

#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct pl_arena *arena;
    struct pl_fault_table table;
    struct pl_fault_curves curves[PL_INTERPOLATION_COUNT];
};

static int set_up(void **state)
{
    static struct fixture fixture;
    fixture.arena = pl_arena_create();
    fixture.table = winstone_table();
    for (int i = 0; i < PL_INTERPOLATION_COUNT; i++) {
        struct pl_error err = {PL_OK, ""};
        if (pl_fault_curves_create(&fixture.table, (enum pl_interpolation)i, fixture.arena, &fixture.curves[i], &err))
            return -1;
    }
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    pl_arena_destroy(((struct fixture *)*state)->arena);
    return 0;
}

static struct pl_cost_params document_params(double m, double d, double r)
{
    return (struct pl_cost_params){.m_mb = m, .d_mb = d, .r = r, .cd_s = 0.002, .ch_s = 0.010};
}

static void assert_relative(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance * fmax(fabs(want), 1e-300)))
        fail_msg("got %.15g, want %.15g", got, want);
}

/* Equation (A) where every boundary is a row of the table: no interpolation takes part, whichever is chosen. */
static void exact_values(void **state)
{
    static const struct {
        double m, d, r, read, write, total;
    } cases[] = {
        {8, 0, 1.6, 111.188, 74.212, 185.400},  {8, 0, 3, 111.188, 74.212, 185.400},
        {8, 1, 1, 194.514, 102.138, 296.652},   {8, 1, 2, 15.354, 36.998, 52.352},
        {8, 1, 3, -95.096, -19.282, -114.378},  {8, 1, 4, -167.636, -61.602, -229.238},
        {8, 2, 1.5, 279.018, 103.926, 382.944}, {8, 2, 2, 168.568, 47.646, 216.214},
        {8, 2, 2.5, NAN, NAN, 101.354},         {8, 2, 3, NAN, NAN, 24.384},
        {10, 1, 2, NAN, NAN, 21.680},           {10, 2, 2, NAN, NAN, -6.430},
        {10, 4, 2, NAN, NAN, 311.244},          {12, 1, 2, NAN, NAN, 13.342},
        {12, 2, 2, NAN, NAN, -20.976},
    };
    struct fixture *fixture = *state;
    for (int method = 0; method < PL_INTERPOLATION_COUNT; method++) {
        for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
            struct pl_cost_params params = document_params(cases[i].m, cases[i].d, cases[i].r);
            struct pl_cost cost;
            assert_int_equal(pl_cost_at(&fixture->curves[method], &params, &cost, NULL), PL_OK);
            assert_false(cost.extrapolated);
            assert_relative(cost.total_s, cases[i].total, 1e-9);
            if (!isnan(cases[i].read)) {
                assert_relative(cost.read_s, cases[i].read, 1e-9);
                assert_relative(cost.write_s, cases[i].write, 1e-9);
            }
        }
    }
}

static void disk_time_without_a_cache(void **state)
{
    struct fixture *fixture = *state;
    struct pl_cost_params params = document_params(8, 0, 1.6);
    assert_relative(pl_cost_evaluate(&fixture->curves[PL_INTERPOLATE_DEFAULT], &params).disk_without_s, 927, 1e-9);
}

static void frac_has_two_readings(void **state)
{
    struct fixture *fixture = *state;
    struct pl_cost_params params = document_params(8, 1, 2);
    params.frac = 0.25;
    struct pl_cost file = pl_cost_evaluate(&fixture->curves[0], &params);
    params.frac_reading = PL_FRAC_CACHE;
    struct pl_cost cache = pl_cost_evaluate(&fixture->curves[0], &params);
    assert_relative(file.frac_s, 0.25 * 0.010 * 30592, 1e-12);  /* Write(9) */
    assert_relative(cache.frac_s, 0.25 * 0.010 * 51069, 1e-12); /* Write(7) */
    assert_relative(file.total_s, 52.352 + file.frac_s, 1e-9);
    assert_relative(cache.total_s, 52.352 + cache.frac_s, 1e-9);
}

/* u = 7, h = 9: hits 97257 - 37678, evictions 97257 (no first touches known). */
static void two_level_accounting(void **state)
{
    struct fixture *fixture = *state;
    struct pl_cost_params params = document_params(8, 1, 2);
    params.accounting = PL_ACCOUNTING_TWO_LEVEL;
    struct pl_cost cost = pl_cost_evaluate(&fixture->curves[0], &params);
    assert_relative(cost.read_s, 0.002 * (97257 - 37678) - 0.010 * (55594 - 37678), 1e-12);
    assert_relative(cost.write_s, 0.002 * 97257 - 0.010 * (37106 - 30592), 1e-12);

    /* With 1,000 first touches outside the reads, and 7 MB = 1,792 pages that never leave. */
    struct pl_fault_table table = fixture->table;
    table.cold = 1000;
    struct pl_fault_curves curves;
    assert_int_equal(pl_fault_curves_create(&table, PL_INTERPOLATE_LINEAR, fixture->arena, &curves, NULL), PL_OK);
    cost = pl_cost_evaluate(&curves, &params);
    assert_relative(cost.write_s, 0.002 * (97257 + 1000 - 1792) - 0.010 * (37106 - 30592), 1e-12);
}

static void optimum_of(struct fixture *fixture, enum pl_interpolation method, double r, struct pl_optimum *out)
{
    struct pl_cost_params params = document_params(8, 0, r);
    pl_cost_optimum(&fixture->curves[method], &params, 5, out);
    assert_true(out->found);
}

/* The document reads about 0.8 MB and close to 100 s off its own curve; nothing here is tuned to it. */
static void default_curve_has_its_valley_where_the_document_says(void **state)
{
    struct pl_optimum best;
    optimum_of(*state, PL_INTERPOLATE_DEFAULT, 1.6, &best);
    assert_true(best.d_mb >= 0.70 && best.d_mb <= 0.90);
    assert_true(best.cost.total_s >= 95 && best.cost.total_s <= 140);
    assert_false(best.at_edge);
    assert_relative(best.reach_d_mb, 2, 1e-12);
    assert_true(best.flat_from_mb > 0.5 && best.flat_from_mb < best.d_mb);
    assert_true(best.flat_to_mb < 1.1 && best.flat_to_mb > best.d_mb);
}

/* Values that another implementation of the methods gives (to the digits that it printed). */
static void optimum_by_method(void **state)
{
    static const struct {
        enum pl_interpolation method;
        double r, d, total, slack_d, slack_total;
    } cases[] = {
        {PL_INTERPOLATE_PCHIP, 1.6, 0.80, 130.7, 0.006, 0.06},   {PL_INTERPOLATE_CSPLINE, 1.6, 0.75, 132.7, 0.006, 0.06},
        {PL_INTERPOLATE_AKIMA, 1.6, 0.90, 137.9, 0.006, 0.06},   {PL_INTERPOLATE_STEFFEN, 1.6, 0.74, 117.4, 0.006, 0.06},
        {PL_INTERPOLATE_LOG_LINEAR, 1.6, 1.00, 140.3, 0.006, 0.06}, {PL_INTERPOLATE_PCHIP, 1.2, 0, 185.4, 1e-9, 1e-6},
        {PL_INTERPOLATE_PCHIP, 1.4, 0.55, 166.0, 0.006, 0.06},   {PL_INTERPOLATE_PCHIP, 1.8, 0.98, 92.1, 0.006, 0.06},
        {PL_INTERPOLATE_PCHIP, 2.0, 1.06, 51.4, 0.006, 0.06},    {PL_INTERPOLATE_PCHIP, 2.5, 1.15, -45, 0.006, 0.6},
        {PL_INTERPOLATE_PCHIP, 3.0, 1.19, -124, 0.006, 0.6},
    };
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        struct pl_optimum best;
        optimum_of(*state, cases[i].method, cases[i].r, &best);
        if (fabs(best.d_mb - cases[i].d) > cases[i].slack_d ||
            fabs(best.cost.total_s - cases[i].total) > cases[i].slack_total)
            fail_msg("%s, r = %g: %.4f MB, %.3f s", pl_interpolation_names[cases[i].method], cases[i].r, best.d_mb,
                     best.cost.total_s);
    }
}

/* Nothing that a fine walk finds is better, and the flat range ends where the cost says. */
static void optimum_is_the_least(void **state)
{
    struct fixture *fixture = *state;
    for (int method = 0; method < PL_INTERPOLATION_COUNT; method++) {
        struct pl_optimum best;
        optimum_of(fixture, (enum pl_interpolation)method, 1.6, &best);
        struct pl_cost_params params = document_params(8, 0, 1.6);
        for (int i = 0; i <= 20000; i++) {
            params.d_mb = 2.0 * i / 20000;
            struct pl_cost cost = pl_cost_evaluate(&fixture->curves[method], &params);
            assert_true(cost.total_s >= best.cost.total_s - 1e-6);
            if (params.d_mb >= best.flat_from_mb && params.d_mb <= best.flat_to_mb)
                assert_true(cost.total_s <= best.cost.total_s + 5 + 1e-6);
        }
        params.d_mb = best.flat_to_mb;
        assert_relative(pl_cost_evaluate(&fixture->curves[method], &params).total_s, best.cost.total_s + 5, 1e-6);
    }
}

static void outside_the_table_is_marked_and_never_chosen(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        enum pl_interpolation method;
        double d, total;
    } cases[] = {{PL_INTERPOLATE_PCHIP, 3, 976.5}, {PL_INTERPOLATE_PCHIP, 4, 2543.2},
                 {PL_INTERPOLATE_LOG_LINEAR, 3, 978}, {PL_INTERPOLATE_LOG_LINEAR, 4, 2545}};
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        struct pl_cost_params params = document_params(8, cases[i].d, 1.6);
        struct pl_cost cost = pl_cost_evaluate(&fixture->curves[cases[i].method], &params);
        assert_true(cost.extrapolated);
        assert_true(fabs(cost.total_s - cases[i].total) < 0.5);
    }
    /* Above the table: m = 15, h = 17. Half of the tail's last interval down. */
    struct pl_cost_params above = document_params(15, 1, 3);
    struct pl_cost cost = pl_cost_evaluate(&fixture->curves[PL_INTERPOLATE_DEFAULT], &above);
    assert_true(cost.extrapolated && cost.at_reach.extrapolated && !cost.at_resident.extrapolated);
    assert_relative(cost.at_reach.reads, 5044.0 * 5044 / 7065, 1e-12);
    /* The natural spline by itself would go negative at 0 MB; the tail does not. */
    struct pl_faults at_nothing = pl_fault_curves_at(&fixture->curves[PL_INTERPOLATE_CSPLINE], 0);
    assert_true(at_nothing.extrapolated && at_nothing.reads > 229089);

    static const double no_optimum_at[] = {4, 6, 16, 20};
    for (size_t i = 0; i < PL_COUNT_OF(no_optimum_at); i++) {
        struct pl_optimum best;
        struct pl_cost_params params = document_params(no_optimum_at[i], 0, 1.6);
        pl_cost_optimum(&fixture->curves[PL_INTERPOLATE_DEFAULT], &params, 5, &best);
        assert_false(best.found);
        assert_true(strlen(best.why_not) > 10 && isnan(best.d_mb));
    }
}

/* A last row at which everything fits is the truth for larger memories too, whatever the curve did before. */
static void beyond_a_settled_row_nothing_is_guessed(void **state)
{
    static const double mb[] = {1, 2, 3}, reads[] = {500, 80, 40}, writes[] = {50, 20, 0};
    struct pl_fault_table table = {.name = "settled", .rule = "memsim", .page_size = 4096, .count = 3, .memory_mb = mb,
                                   .reads = reads, .writes = writes, .cold = 40, .reads_settled = true,
                                   .writes_settled = true};
    struct pl_fault_curves curves;
    struct fixture *fixture = *state;
    assert_int_equal(pl_fault_curves_create(&table, PL_INTERPOLATE_DEFAULT, fixture->arena, &curves, NULL), PL_OK);
    struct pl_faults far = pl_fault_curves_at(&curves, 100);
    assert_true(!far.extrapolated && far.reads == 40 && far.writes == 0);
    struct pl_cost_params params = document_params(3, 0, 50);
    struct pl_optimum best;
    pl_cost_optimum(&curves, &params, 5, &best);
    assert_true(best.found && best.reach_d_mb == 2);

    table.reads_settled = false;
    assert_int_equal(pl_fault_curves_create(&table, PL_INTERPOLATE_DEFAULT, fixture->arena, &curves, NULL), PL_OK);
    far = pl_fault_curves_at(&curves, 4);
    assert_true(far.extrapolated && far.reads > 0 && far.reads < 40);
}

static void break_even_of(struct fixture *fixture, enum pl_interpolation method, double r, struct pl_break_evens *out)
{
    struct pl_cost_params params = document_params(8, 0, r);
    pl_cost_break_evens(&fixture->curves[method], &params, false, out);
}

static void break_even_costs(void **state)
{
    static const double ratios[] = {1.6, 2, 3}, cd_ms[] = {1.1, 1.67, 2.78};
    struct fixture *fixture = *state;
    for (size_t i = 0; i < PL_COUNT_OF(ratios); i++) {
        struct pl_break_evens even;
        break_even_of(fixture, PL_INTERPOLATE_PCHIP, ratios[i], &even);
        assert_true(even.cd.found && fabs(even.cd.value * 1e3 - cd_ms[i]) < 0.03);
        /* The cost depends on cd / ch alone. */
        assert_relative(even.ch.value, 0.010 * 0.002 / even.cd.value, 1e-9);
    }
}

/* At each break-even value the least cost over d is zero, a little on the wrong side it is not. */
static void break_even_is_where_the_optimum_is_zero(void **state)
{
    struct fixture *fixture = *state;
    const struct pl_fault_curves *curves = &fixture->curves[PL_INTERPOLATE_DEFAULT];
    struct pl_break_evens even;
    break_even_of(fixture, PL_INTERPOLATE_DEFAULT, 1.6, &even);
    const struct {
        enum pl_cost_parameter parameter;
        struct pl_break_even at;
        double worse;
    } cases[] = {{PL_PARAMETER_CD, even.cd, 1.01}, {PL_PARAMETER_CH, even.ch, 0.99}, {PL_PARAMETER_R, even.r, 0.99}};
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        struct pl_cost_params params = document_params(8, 0, 1.6);
        struct pl_optimum best;
        assert_true(cases[i].at.found);
        pl_cost_parameter_set(&params, cases[i].parameter, cases[i].at.value);
        pl_cost_optimum(curves, &params, 0, &best);
        assert_true(fabs(best.cost.total_s) < 1e-4);
        assert_true(fabs(best.d_mb - cases[i].at.d_mb) < 1e-3);
        pl_cost_parameter_set(&params, cases[i].parameter, cases[i].at.value * cases[i].worse);
        pl_cost_optimum(curves, &params, 0, &best);
        assert_true(best.cost.total_s > 0);
    }
}

static void break_even_at_a_given_size(void **state)
{
    struct fixture *fixture = *state;
    struct pl_cost_params params = document_params(8, 1, 2);
    params.frac = 0.1;
    struct pl_break_evens even;
    pl_cost_break_evens(&fixture->curves[PL_INTERPOLATE_DEFAULT], &params, true, &even);
    struct pl_cost_params at = params;
    at.cd_s = even.cd.value;
    assert_true(fabs(pl_cost_evaluate(&fixture->curves[PL_INTERPOLATE_DEFAULT], &at).total_s) < 1e-6);
    at = params, at.ch_s = even.ch.value;
    assert_true(fabs(pl_cost_evaluate(&fixture->curves[PL_INTERPOLATE_DEFAULT], &at).total_s) < 1e-6);
    at = params, at.r = even.r.value;
    assert_true(fabs(pl_cost_evaluate(&fixture->curves[PL_INTERPOLATE_DEFAULT], &at).total_s) < 1e-3);

    /* An empty cache saves nothing, whatever it costs. */
    params.d_mb = 0;
    pl_cost_break_evens(&fixture->curves[PL_INTERPOLATE_DEFAULT], &params, true, &even);
    assert_false(even.cd.found || even.ch.found || even.r.found);
}

static void sensitivity_follows_the_cost(void **state)
{
    struct fixture *fixture = *state;
    const struct pl_fault_curves *curves = &fixture->curves[PL_INTERPOLATE_DEFAULT];
    struct pl_cost_params params = document_params(8, 1, 1.6);
    double total = pl_cost_evaluate(curves, &params).total_s;
    struct pl_sensitivity rows[PL_SENSITIVITY_ROWS];
    pl_cost_sensitivity(curves, &params, rows);
    for (int i = 0; i < PL_SENSITIVITY_ROWS; i++) {
        bool ratio_below_one = rows[i].parameter == PL_PARAMETER_R && rows[i].change == -0.5;
        assert_int_equal(rows[i].possible, !ratio_below_one);
        if (ratio_below_one)
            continue;
        bool worse = (rows[i].parameter == PL_PARAMETER_CD) == (rows[i].change > 0);
        assert_true(worse ? rows[i].total_s > total : rows[i].total_s < total);
        assert_true(rows[i].best_total_s <= rows[i].total_s + 1e-9);
    }
    struct pl_elasticity by[PL_ELASTICITY_ROWS];
    pl_cost_elasticities(curves, &params, by);
    /* total = cd C - ch B: the two elasticities of a bilinear cost add up to 1. */
    assert_relative(by[3].elasticity + by[4].elasticity, 1, 1e-6);
    assert_relative(by[3].seconds_per_percent, 0.002 * (97257 + 51069) / 100, 1e-6);
}

static void senseless_parameters(void **state)
{
    struct fixture *fixture = *state;
    const struct pl_cost_params good = document_params(8, 1, 2);
    const struct {
        enum pl_cost_parameter parameter;
        double value;
        const char *says;
    } cases[] = {
        {PL_PARAMETER_D, 8.5, "more than m"}, {PL_PARAMETER_D, -1, "smaller than nothing"},
        {PL_PARAMETER_D, NAN, "smaller"},     {PL_PARAMETER_R, 0.99, "at least 1"},
        {PL_PARAMETER_R, NAN, "at least 1"},  {PL_PARAMETER_CD, -1e-9, "cd"},
        {PL_PARAMETER_CH, -1, "ch"},          {PL_PARAMETER_CH, INFINITY, "ch"},
        {PL_PARAMETER_FRAC, -0.1, "frac"},    {PL_PARAMETER_M, 0, "some memory"},
    };
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        struct pl_cost_params params = good;
        struct pl_cost cost = {.total_s = 42};
        struct pl_error err = {PL_OK, ""};
        pl_cost_parameter_set(&params, cases[i].parameter, cases[i].value);
        assert_int_equal(pl_cost_at(&fixture->curves[0], &params, &cost, &err), PL_ERR_USAGE);
        assert_non_null(strstr(err.message, cases[i].says));
        assert_true(cost.total_s == 42); /* untouched */
    }
}

/* Odd but sensible ones: a huge ratio, free disks, slow codecs, all memory for the cache. */
static void extreme_parameters_stay_finite(void **state)
{
    struct fixture *fixture = *state;
    const struct pl_cost_params cases[] = {
        document_params(8, 1, 1e9), document_params(8, 8, 1.6), document_params(1000, 0, 2), document_params(0.001, 0, 2),
        {.m_mb = 8, .d_mb = 1, .r = 2, .cd_s = 0.002, .ch_s = 0}, {.m_mb = 8, .d_mb = 1, .r = 2, .cd_s = 10, .ch_s = 0.01},
    };
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        for (int method = 0; method < PL_INTERPOLATION_COUNT; method++) {
            struct pl_optimum best;
            struct pl_break_evens even;
            assert_true(isfinite(pl_cost_evaluate(&fixture->curves[method], &cases[i]).total_s));
            pl_cost_optimum(&fixture->curves[method], &cases[i], 5, &best);
            pl_cost_break_evens(&fixture->curves[method], &cases[i], false, &even);
            if (best.found)
                assert_true(isfinite(best.cost.total_s) && best.d_mb >= 0 && best.d_mb <= best.reach_d_mb);
        }
    }
}

static void reads_alone(void **state)
{
    struct fixture *fixture = *state;
    struct pl_fault_table table = fixture->table;
    table.writes = NULL;
    struct pl_fault_curves curves;
    assert_int_equal(pl_fault_curves_create(&table, PL_INTERPOLATE_DEFAULT, fixture->arena, &curves, NULL), PL_OK);
    struct pl_cost_params params = document_params(8, 1, 2);
    struct pl_cost cost;
    assert_int_equal(pl_cost_at(&curves, &params, &cost, NULL), PL_OK);
    assert_relative(cost.total_s, 15.354, 1e-9);
    params.frac = 0.1;
    assert_int_equal(pl_cost_at(&curves, &params, &cost, NULL), PL_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_values),
        cmocka_unit_test(disk_time_without_a_cache),
        cmocka_unit_test(frac_has_two_readings),
        cmocka_unit_test(two_level_accounting),
        cmocka_unit_test(default_curve_has_its_valley_where_the_document_says),
        cmocka_unit_test(optimum_by_method),
        cmocka_unit_test(optimum_is_the_least),
        cmocka_unit_test(outside_the_table_is_marked_and_never_chosen),
        cmocka_unit_test(beyond_a_settled_row_nothing_is_guessed),
        cmocka_unit_test(break_even_costs),
        cmocka_unit_test(break_even_is_where_the_optimum_is_zero),
        cmocka_unit_test(break_even_at_a_given_size),
        cmocka_unit_test(sensitivity_follows_the_cost),
        cmocka_unit_test(senseless_parameters),
        cmocka_unit_test(extreme_parameters_stay_finite),
        cmocka_unit_test(reads_alone),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
