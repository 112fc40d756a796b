/* tests/unit/test_interpolate.c: interpolants against GSL's own evaluation, and their properties on random tables. */
#include "tests/unit/winstone.h"

#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_spline.h>

#include <cmocka.h>

static int set_up(void **state)
{
    gsl_set_error_handler_off();
    *state = pl_arena_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    pl_arena_destroy(*state);
    return 0;
}

static struct pl_interpolant *through(enum pl_interpolation method, const double *x, const double *y, size_t count,
                                      struct pl_arena *arena)
{
    struct pl_interpolant *interpolant = NULL;
    struct pl_error err = {PL_OK, ""};
    if (pl_interpolant_create(method, x, y, count, arena, &interpolant, &err))
        fail_msg("%s", err.message);
    return interpolant;
}

static void assert_near(double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * (fabs(want) + 1e-12)))
        fail_msg("got %.17g, want %.17g", got, want);
}

static void same_as_gsl(void **state)
{
    static const struct {
        enum pl_interpolation method;
        const gsl_interp_type *const *type;
        bool log;
    } cases[] = {
        {PL_INTERPOLATE_STEFFEN, &gsl_interp_steffen, false}, {PL_INTERPOLATE_AKIMA, &gsl_interp_akima, false},
        {PL_INTERPOLATE_CSPLINE, &gsl_interp_cspline, false}, {PL_INTERPOLATE_LOG_STEFFEN, &gsl_interp_steffen, true},
        {PL_INTERPOLATE_LOG_AKIMA, &gsl_interp_akima, true},  {PL_INTERPOLATE_LOG_CSPLINE, &gsl_interp_cspline, true},
        {PL_INTERPOLATE_LOG_LINEAR, &gsl_interp_linear, true},
    };
    enum { ROWS = PL_COUNT_OF(winstone_mb) };
    for (size_t c = 0; c < PL_COUNT_OF(cases); c++) {
        double ordinate[ROWS];
        for (size_t i = 0; i < ROWS; i++)
            ordinate[i] = cases[c].log ? log(winstone_reads[i]) : winstone_reads[i];
        gsl_spline *spline = gsl_spline_alloc(*cases[c].type, ROWS);
        gsl_spline_init(spline, winstone_mb, ordinate, ROWS);
        struct pl_interpolant *ours = through(cases[c].method, winstone_mb, winstone_reads, ROWS, *state);
        for (double x = 6; x <= 16; x += 1.0 / 128) {
            double want = gsl_spline_eval(spline, x, NULL);
            assert_near(pl_interpolant_at(ours, x), cases[c].log ? exp(want) : want, 1e-11);
        }
        gsl_spline_free(spline);
    }
}

/* Slopes by the formula in slopes.c, worked out by hand for points 0, 1, 3, 4 with 10, 6, 4, 4:
 * secants -4, -1, 0; ends -(4 * 4 - 1) / 3 = -5 and 0; inside -(5 + 4) / (5 / 4 + 4 / 1) = -12 / 7 and 0. */
static void pchip_by_hand(void **state)
{
    static const double x[] = {0, 1, 3, 4}, y[] = {10, 6, 4, 4};
    struct pl_interpolant *pchip = through(PL_INTERPOLATE_PCHIP, x, y, 4, *state);
    double first = 10 * 0.5 + 6 * 0.5 + (-5 + 12.0 / 7) / 8;     /* Hermite at the middle of [0, 1] */
    double second = 6 * 0.5 + 4 * 0.5 + 2 * (-12.0 / 7 - 0) / 8; /* and of [1, 3] */
    assert_near(pl_interpolant_at(pchip, 0.5), first, 1e-14);
    assert_near(pl_interpolant_at(pchip, 2), second, 1e-14);
    assert_near(pl_interpolant_at(pchip, 3.5), 4, 1e-14);
}

/* A falling random table; `zeros` makes its end zero. */
static void random_table(struct pl_random *random, double *x, double *y, size_t count, bool zeros)
{
    x[0] = pl_random_unit(random);
    y[count - 1] = zeros ? 0 : 1 + (double)pl_random_below(random, 100);
    for (size_t i = 1; i < count; i++)
        x[i] = x[i - 1] + 0.01 + pl_random_unit(random);
    for (size_t i = count - 1; i-- > 0;)
        y[i] = y[i + 1] + (double)(pl_random_below(random, 4) ? pl_random_below(random, 1u << pl_random_below(random, 20)) : 0);
}

static bool shape_keeps(enum pl_interpolation method)
{
    switch (method) {
    case PL_INTERPOLATE_AKIMA:
    case PL_INTERPOLATE_CSPLINE:
    case PL_INTERPOLATE_LOG_AKIMA:
    case PL_INTERPOLATE_LOG_CSPLINE:
        return false;
    default:
        return true;
    }
}

/* Every method goes through its points; all but akima and cspline fall wherever the table falls; the tails fall and
 * never go below zero. */
static void properties_on_random_tables(void **state)
{
    enum { TABLES = 300, MOST = 24 };
    double x[MOST], y[MOST];
    for (uint64_t seed = 0; seed < TABLES; seed++) {
        struct pl_arena *arena = pl_arena_create();
        struct pl_random random = pl_random_seeded(seed);
        size_t count = 5 + pl_random_below(&random, MOST - 5);
        random_table(&random, x, y, count, seed % 3 == 0);
        for (int method = 0; method < PL_INTERPOLATION_COUNT; method++) {
            struct pl_interpolant *in = through((enum pl_interpolation)method, x, y, count, arena);
            for (size_t i = 0; i < count; i++)
                assert_true(pl_interpolant_at(in, x[i]) == y[i]);
            if (shape_keeps((enum pl_interpolation)method) && !pl_interpolant_falls(in))
                fail_msg("seed %llu: %s rises", (unsigned long long)seed, pl_interpolation_names[method]);
            double before = INFINITY;
            for (double at = x[count - 1]; at < x[count - 1] + 50; at += 0.25) {
                double value = pl_interpolant_at(in, at);
                assert_true(value <= before * (1 + 1e-12) && value >= 0);
                before = value;
            }
            assert_true(pl_interpolant_at(in, x[0] - 0.5) >= y[0] * (1 - 1e-12));
        }
        pl_arena_destroy(arena);
    }
    (void)state;
}

/* Where the counts are exactly exponential every logarithmic method is exact, inside and outside. */
static void exponentials_are_straight_in_logs(void **state)
{
    double x[9], y[9];
    for (int i = 0; i < 9; i++) {
        x[i] = i * (i + 3) / 4.0;
        y[i] = 1e6 * exp(-0.3 * x[i]);
    }
    for (int method = PL_INTERPOLATE_LOG_LINEAR; method < PL_INTERPOLATION_COUNT; method++) {
        struct pl_interpolant *in = through((enum pl_interpolation)method, x, y, 9, *state);
        for (double at = -3; at < 30; at += 0.37)
            assert_near(pl_interpolant_at(in, at), 1e6 * exp(-0.3 * at), 1e-9);
    }
}

/* Noise can make a table rise at an end; its tails stay level there. */
static void tails_never_rise(void **state)
{
    static const double x[] = {1, 2, 3, 4, 5}, y[] = {50, 60, 20, 10, 15};
    for (int method = 0; method < PL_INTERPOLATION_COUNT; method++) {
        struct pl_interpolant *in = through((enum pl_interpolation)method, x, y, 5, *state);
        assert_near(pl_interpolant_at(in, 0), 50, 1e-12);
        assert_near(pl_interpolant_at(in, 9), 15, 1e-12);
        assert_false(pl_interpolant_falls(in));
    }
}

static void too_few_points(void **state)
{
    static const double x[] = {1, 2, 3, 4}, y[] = {9, 4, 2, 1};
    for (int method = 0; method < PL_INTERPOLATION_COUNT; method++) {
        size_t least = pl_interpolation_min_points((enum pl_interpolation)method);
        struct pl_interpolant *in = NULL;
        struct pl_error err = {PL_OK, ""};
        assert_int_equal(pl_interpolant_create((enum pl_interpolation)method, x, y, least - 1, *state, &in, &err),
                         PL_ERR_INPUT);
        assert_null(in);
        if (least <= 4)
            through((enum pl_interpolation)method, x, y, least, *state);
    }
}

/* Leaving out by hand: linear through 6 and 8 MB at 7 MB gives (229089 + 55594) / 2. */
static void held_out_errors(void **state)
{
    struct pl_held_out linear;
    assert_int_equal(pl_held_out_errors(PL_INTERPOLATE_LINEAR, winstone_mb, winstone_reads, 3, &linear, NULL), PL_OK);
    assert_int_equal(linear.rows, 1);
    assert_near(linear.mean, (229089 + 55594) / 2.0 / 97257 - 1, 1e-12);
    assert_near(linear.worst, linear.median, 1e-12);

    /* Of the whole table, 7 MB is the worst. */
    assert_int_equal(pl_held_out_errors(PL_INTERPOLATE_LINEAR, winstone_mb, winstone_reads, 11, &linear, NULL), PL_OK);
    assert_int_equal(linear.rows, 9);
    assert_near(linear.worst, (229089 + 55594) / 2.0 / 97257 - 1, 1e-12);
    assert_true(linear.median < linear.mean && linear.mean < linear.worst);

    struct pl_held_out none;
    assert_int_equal(pl_held_out_errors(PL_INTERPOLATE_AKIMA, winstone_mb, winstone_reads, 5, &none, NULL), PL_OK);
    assert_int_equal(none.rows, 0);
    assert_true(isnan(none.mean));
}

/* The default is justified as interpolate.h says: the least held-out error among the methods that cannot overshoot. */
static void default_predicts_best_of_those_that_keep_the_shape(void **state)
{
    struct pl_fault_table table = winstone_table();
    struct pl_interpolation_score scores[PL_INTERPOLATION_COUNT];
    assert_int_equal(pl_interpolation_scores(&table, scores, NULL), PL_OK);
    assert_true(scores[PL_INTERPOLATE_DEFAULT].falls);
    assert_true(scores[PL_INTERPOLATE_DEFAULT].mean < 0.05);
    for (int method = 0; method < PL_INTERPOLATION_COUNT; method++) {
        if (shape_keeps((enum pl_interpolation)method))
            assert_true(scores[PL_INTERPOLATE_DEFAULT].mean <= scores[method].mean);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_gsl),
        cmocka_unit_test(pchip_by_hand),
        cmocka_unit_test(properties_on_random_tables),
        cmocka_unit_test(exponentials_are_straight_in_logs),
        cmocka_unit_test(tails_never_rise),
        cmocka_unit_test(too_few_points),
        cmocka_unit_test(held_out_errors),
        cmocka_unit_test(default_predicts_best_of_those_that_keep_the_shape),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
