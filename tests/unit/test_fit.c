/* tests/unit/test_fit.c: fits against closed forms, against tables made from known parameters, and on the table of 1996. */
#include "tests/unit/winstone.h"

#include "model/model.h"

#include <gsl/gsl_errno.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Large structs that every test uses. */
struct fixture {
    struct pl_fit_data data;
    struct pl_fit fit, other;
    struct pl_fit_held_out held[2];
};
static struct fixture fixture;

static int set_up(void **state)
{
    (void)state;
    gsl_set_error_handler_off();
    return 0;
}

static const struct pl_fit_options plain = {PL_FIT_LOG, PL_FIT_SQUARES, PL_FIT_WEIGHTS_REPEATS};

static void make_data(const struct pl_fault_table *table, enum pl_fit_which which, const struct pl_fit_options *options)
{
    struct pl_error err = {PL_OK, ""};
    if (pl_fit_data_from_table(table, which, options, &fixture.data, &err))
        fail_msg("%s", err.message);
}

static void run(const struct pl_fit_form *form, const struct pl_fit_options *options)
{
    struct pl_error err = {PL_OK, ""};
    if (pl_fit_run(form, &fixture.data, options, &fixture.fit, &err))
        fail_msg("%s: %s", form->name, err.message);
}

/* --- against closed forms ----------------------------------------------------------------- */

/* ln y = ln A - x / tau is a straight line: least squares by sums, as in any textbook. */
static void log_linear_fits_agree_with_the_closed_form(void **state)
{
    (void)state;
    struct pl_fault_table table = winstone_table();
    for (int form = 0; form < 2; form++) {
        for (int which = 0; which < 2; which++) {
            double n = (double)table.count, sx = 0, sy = 0, sxx = 0, sxy = 0;
            for (size_t i = 0; i < table.count; i++) {
                double x = form ? log(table.memory_mb[i]) : table.memory_mb[i];
                double y = log(which ? table.writes[i] : table.reads[i]);
                sx += x;
                sy += y;
                sxx += x * x;
                sxy += x * y;
            }
            double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx), level = (sy - slope * sx) / n;
            make_data(&table, which ? PL_FIT_WRITES : PL_FIT_READS, &plain);
            run(form ? &pl_fit_power : &pl_fit_exponential, &plain);
            double a = pl_fit_parameter(&fixture.fit, 0, 0, 0.95).value;
            double b = pl_fit_parameter(&fixture.fit, 0, 1, 0.95).value;
            assert_true(fabs(a / exp(level) - 1) < 1e-8);
            assert_true(fabs((form ? -b : -1 / b) / slope - 1) < 1e-8);
        }
    }
}

/* The interval of a slope, by the textbook: slope +- t(n - 2) s / sqrt(Sxx); ours is of its logarithm. */
static void intervals_agree_with_the_closed_form(void **state)
{
    (void)state;
    struct pl_fault_table table = winstone_table();
    double n = (double)table.count, x_mean = 11, sxx = 0, rss = 0;
    make_data(&table, PL_FIT_READS, &plain);
    run(&pl_fit_exponential, &plain);
    for (size_t i = 0; i < table.count; i++) {
        sxx += pow(table.memory_mb[i] - x_mean, 2);
        rss += pow(log(table.reads[i] / pl_fit_at(&fixture.fit, 0, table.memory_mb[i])), 2);
    }
    struct pl_fit_estimate tau = pl_fit_parameter(&fixture.fit, 0, 1, 0.95);
    double by_hand = 2.262157162740992 * sqrt(rss / (n - 2) / sxx) * tau.value; /* t of 9 degrees, 97.5 % */
    assert_true(fabs(log(tau.high / tau.value) / by_hand - 1) < 1e-6);
    assert_true(fabs(log(tau.value / tau.low) / by_hand - 1) < 1e-6);
}

/* --- against known parameters ----------------------------------------------------------------- */

/* One percent of noise, by the method of Box and Muller. */
static double normal(struct pl_random *random)
{
    double u = 1 - pl_random_unit(random), v = pl_random_unit(random);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

enum { ROWS = 24, TRIALS = 100, ENOUGH = 90 };
static const struct {
    const struct pl_fit_form *form;
    double natural[5]; /* as the form reports them */
} known[] = {
    {&pl_fit_exponential, {5e5, 2.5}},
    {&pl_fit_power, {2e7, 2.8}},
    {&pl_fit_exponential_constant, {8e5, 1.7, 900}},
    {&pl_fit_stretched_exponential, {3e6, 0.9, 0.7}},
    {&pl_fit_shifted_power, {2e5, 1.6, 2.5}},
    {&pl_fit_two_exponentials, {4e6, 0.9, 6e4, 6}},
    {&pl_fit_log_polynomial, {2e4, 1.8, 2.2, 9}},
};

static void set_known(struct pl_fit *fit, size_t which, const struct pl_fit_frame *frame)
{
    memset(fit, 0, sizeof *fit);
    fit->form = known[which].form;
    fit->frame = *frame;
    for (size_t i = 0; i < fit->form->count; i++) {
        double value = known[which].natural[i];
        fit->theta[0][i] = fit->form->natural && i == 2 ? log(frame->first_mb - value) : log(value);
    }
}

static const struct pl_fit_frame made_frame = {.first_mb = 4, .last_mb = 4 + 0.75 * (ROWS - 1), .rows = ROWS};

/* A table of the curve with noise, 1 % of each count. */
static void make_noisy(const struct pl_fit *truth, uint64_t seed, const char *name, struct pl_fit_data *out)
{
    struct pl_random random = pl_random_named(seed, name);
    memset(out, 0, sizeof *out);
    out->name = name;
    out->rows = ROWS;
    out->series = 1;
    out->frame = made_frame;
    for (size_t i = 0; i < ROWS; i++) {
        out->x[i] = made_frame.first_mb + 0.75 * (double)i;
        out->y[0][i] = pl_fit_at(truth, 0, out->x[i]) * exp(0.01 * normal(&random));
        out->weight[0][i] = 1;
    }
}

/* Each parameter lies in its 95 % interval, and all of them together in intervals that allow for their number
 * (Bonferroni), in at least 90 of 100 tables. */
static void parameters_are_recovered(void **state)
{
    (void)state;
    for (size_t k = 0; k < PL_COUNT_OF(known); k++) {
        const struct pl_fit_form *form = known[k].form;
        int inside[5] = {0}, together = 0;
        set_known(&fixture.other, k, &made_frame);
        for (uint64_t trial = 1; trial <= TRIALS; trial++) {
            bool all = true;
            make_noisy(&fixture.other, trial, form->name, &fixture.data);
            run(form, &plain);
            for (size_t i = 0; i < form->count; i++) {
                struct pl_fit_estimate one = pl_fit_parameter(&fixture.fit, 0, i, 0.95);
                struct pl_fit_estimate wide = pl_fit_parameter(&fixture.fit, 0, i, 1 - 0.05 / (double)form->count);
                inside[i] += known[k].natural[i] >= one.low && known[k].natural[i] <= one.high;
                all &= known[k].natural[i] >= wide.low && known[k].natural[i] <= wide.high;
            }
            together += all;
        }
        print_message("# %s: all %d", form->name, together);
        for (size_t i = 0; i < form->count; i++)
            print_message(", %s %d", form->parameter[i].name, inside[i]);
        print_message(" of %d\n", TRIALS);
        assert_true(together >= ENOUGH);
        for (size_t i = 0; i < form->count; i++)
            assert_true(inside[i] >= ENOUGH);
    }
}

/* A spline has no parameters to compare: its band must hold the curve, at 90 of 100 places and tables. */
static void the_spline_band_holds_the_curve(void **state)
{
    (void)state;
    for (size_t k = 0; k < PL_COUNT_OF(known); k += 4) { /* a straight one and a bent one */
        int inside = 0, places = 0;
        set_known(&fixture.other, k, &made_frame);
        for (uint64_t trial = 1; trial <= TRIALS; trial++) {
            make_noisy(&fixture.other, trial, "band", &fixture.data);
            run(&pl_fit_spline, &plain);
            for (size_t i = 0; i < ROWS; i++) {
                double low, high, truth = pl_fit_at(&fixture.other, 0, fixture.data.x[i]);
                pl_fit_interval(&fixture.fit, 0, fixture.data.x[i], 0.95, &low, &high);
                inside += truth >= low && truth <= high;
                places++;
            }
        }
        print_message("# spline over %s: %d of %d\n", known[k].form->name, inside, places);
        assert_true(inside * 100 >= places * ENOUGH);
    }
}

/* --- the table of 1996 ------------------------------------------------------------------------ */

static void winstone_is_predicted_within_five_percent(void **state)
{
    (void)state;
    struct pl_fault_table table = winstone_table();
    for (int which = 0; which < 2; which++) {
        double least = INFINITY, median = INFINITY;
        make_data(&table, which ? PL_FIT_WRITES : PL_FIT_READS, &plain);
        for (size_t k = 0; pl_fit_forms[k]; k++) {
            struct pl_error err = {PL_OK, ""};
            run(pl_fit_forms[k], &plain);
            assert_int_equal(pl_fit_held_out(&fixture.fit, &fixture.data, fixture.held, &err), PL_OK);
            print_message("# %s by %s: left-out rows are off by %.2f %% (median), %.2f %% (mean)\n",
                          which ? "writes" : "reads", pl_fit_forms[k]->name, 100 * fixture.held[0].median,
                          100 * fixture.held[0].mean);
            assert_int_equal(fixture.held[0].rows, table.count);
            if (fixture.held[0].mean < least) {
                least = fixture.held[0].mean;
                median = fixture.held[0].median;
            }
        }
        assert_true(median <= 0.05);
    }
}

/* --- what holds for every fit -------------------------------------------------------------- */

static void every_form_falls_and_stays_positive(void **state)
{
    (void)state;
    struct pl_fault_table table = winstone_table();
    for (int space = 0; space < 2; space++) {
        struct pl_fit_options options = {(enum pl_fit_space)space, PL_FIT_SQUARES, PL_FIT_WEIGHTS_EQUAL};
        for (int which = 0; which <= PL_FIT_BOTH; which++) {
            make_data(&table, (enum pl_fit_which)which, &options);
            for (size_t k = 0; pl_fit_forms[k]; k++) {
                run(pl_fit_forms[k], &options);
                for (size_t s = 0; s < fixture.data.series; s++) {
                    double before = INFINITY;
                    for (double x = 0.01; x < 200; x *= 1.003) {
                        double now = pl_fit_at(&fixture.fit, s, x);
                        assert_true(now >= 0 && now <= before);
                        before = now;
                    }
                }
            }
        }
    }
}

/* One row ten times too high: the robust fit stays, the other one is drawn away. */
static void a_robust_fit_is_not_drawn_away(void **state)
{
    (void)state;
    struct pl_fit_options robust = plain;
    robust.loss = PL_FIT_HUBER;
    set_known(&fixture.other, 0, &made_frame);
    make_noisy(&fixture.other, 1, "robust", &fixture.data);
    fixture.data.y[0][20] *= 10;
    run(&pl_fit_exponential, &plain);
    double pulled = fabs(pl_fit_parameter(&fixture.fit, 0, 1, 0.95).value / known[0].natural[1] - 1);
    run(&pl_fit_exponential, &robust);
    double held = fabs(pl_fit_parameter(&fixture.fit, 0, 1, 0.95).value / known[0].natural[1] - 1);
    assert_true(fixture.fit.robust[0][20] < 0.1);
    assert_true(held < pulled / 10);
}

/* Writes a third of the reads: the joint fit has one tau and two amplitudes, and finds both. */
static void a_joint_fit_shares_the_shape(void **state)
{
    (void)state;
    double x[12], reads[12], writes[12];
    for (int i = 0; i < 12; i++) {
        x[i] = 4 + i;
        reads[i] = 9e5 * exp(-x[i] / 3.5);
        writes[i] = reads[i] / 3;
    }
    struct pl_fault_table table = {.name = "t", .page_size = 4096, .count = 12, .memory_mb = x, .reads = reads,
                                   .writes = writes, .cold = NAN};
    make_data(&table, PL_FIT_BOTH, &plain);
    run(&pl_fit_exponential, &plain);
    assert_int_equal(fixture.fit.free, 3);
    assert_true(fabs(pl_fit_parameter(&fixture.fit, 0, 0, 0.95).value / 9e5 - 1) < 1e-6);
    assert_true(fabs(pl_fit_parameter(&fixture.fit, 1, 0, 0.95).value / 3e5 - 1) < 1e-6);
    assert_true(fabs(pl_fit_parameter(&fixture.fit, 1, 1, 0.95).value / 3.5 - 1) < 1e-6);
}

static void tables_with_zeros_and_a_row_of_no_memory_are_fitted(void **state)
{
    (void)state;
    static const double x[] = {0, 1, 2, 3, 4, 5, 6}, reads[] = {900, 300, 120, 30, 12, 3, 0};
    struct pl_fault_table table = {.name = "t", .page_size = 4096, .count = 7, .memory_mb = x, .reads = reads, .cold = NAN};
    struct pl_error err = {PL_OK, ""};
    make_data(&table, PL_FIT_READS, &plain);
    run(&pl_fit_exponential, &plain);
    run(&pl_fit_spline, &plain);
    assert_true(pl_fit_at(&fixture.fit, 0, 0) > 500 && pl_fit_at(&fixture.fit, 0, 6) < 3);
    assert_int_equal(pl_fit_run(&pl_fit_power, &fixture.data, &plain, &fixture.fit, &err), PL_ERR_INPUT);
    assert_non_null(strstr(err.message, "0 MB"));
}

static void what_cannot_be_fitted_is_explained(void **state)
{
    (void)state;
    static const double x[] = {1, 2, 3, 4}, falls[] = {8, 4, 2, 1}, flat[] = {5, 5, 5, 5}, rises[] = {1, 2, 3, 4};
    const struct {
        size_t count;
        const double *reads;
        enum pl_fit_which which;
        enum pl_fit_weights weights;
        const char *says;
    } cases[] = {
        {2, falls, PL_FIT_READS, PL_FIT_WEIGHTS_EQUAL, "2 memory sizes; a fit takes three"},
        {4, flat, PL_FIT_READS, PL_FIT_WEIGHTS_EQUAL, "5 at every memory size"},
        {4, rises, PL_FIT_READS, PL_FIT_WEIGHTS_EQUAL, "rise with memory"},
        {4, falls, PL_FIT_WRITES, PL_FIT_WEIGHTS_EQUAL, "no column writes"},
        {4, falls, PL_FIT_READS, PL_FIT_WEIGHTS_SPREAD, "two or more differing rows"},
    };
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        struct pl_fault_table table = {.name = "t", .page_size = 4096, .count = cases[i].count, .memory_mb = x,
                                       .reads = cases[i].reads, .cold = NAN};
        struct pl_fit_options options = {PL_FIT_LOG, PL_FIT_SQUARES, cases[i].weights};
        struct pl_error err = {PL_OK, ""};
        assert_int_equal(pl_fit_data_from_table(&table, cases[i].which, &options, &fixture.data, &err), PL_ERR_INPUT);
        if (!strstr(err.message, cases[i].says))
            fail_msg("%s", err.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_linear_fits_agree_with_the_closed_form),
        cmocka_unit_test(intervals_agree_with_the_closed_form),
        cmocka_unit_test(parameters_are_recovered),
        cmocka_unit_test(the_spline_band_holds_the_curve),
        cmocka_unit_test(every_form_falls_and_stays_positive),
        cmocka_unit_test(a_robust_fit_is_not_drawn_away),
        cmocka_unit_test(a_joint_fit_shares_the_shape),
        cmocka_unit_test(tables_with_zeros_and_a_row_of_no_memory_are_fitted),
        cmocka_unit_test(what_cannot_be_fitted_is_explained),
        cmocka_unit_test(winstone_is_predicted_within_five_percent),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
