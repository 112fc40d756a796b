/* tests/unit/test_codec_speed.c: a codec's speed as costs, and which costs of a machine it may set. */
#include "sim/machine.h"
#include "study/calibrate.h"
#include "study/codec_speed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct pl_codec_params params = {.page_size = 4096};

static const struct pl_codec_ops *codec_of(const char *name)
{
    const struct pl_codec_ops *ops = NULL;
    assert_int_equal(pl_codec_find(name, &ops, NULL), PL_OK);
    return ops;
}

/* Times differ from run to run; what must hold on any machine is their order. */
static void lz4_goes_by_its_sequences(void **state)
{
    struct pl_codec_speed speed;
    assert_int_equal(pl_codec_speed_measure(codec_of("lz4"), &params, &speed, NULL), PL_OK);
    assert_true(speed.sequences > 200 && speed.sequences < 1000);
    assert_true(speed.compress_raw > 0 && speed.decompress_raw > 0);
    assert_true(speed.compress_sequence > 0 && speed.decompress_sequence > 0);
    assert_true(speed.compress + speed.sequences * speed.compress_sequence > speed.compress_raw);
    assert_true(speed.compress_sequence > speed.decompress_sequence);
}

static void a_codec_that_tells_no_sequences_has_one_time(void **state)
{
    struct pl_codec_speed speed;
    assert_int_equal(pl_codec_speed_measure(codec_of("xpress"), &params, &speed, NULL), PL_OK);
    assert_true(speed.sequences == 0 && speed.compress_sequence == 0 && speed.decompress_sequence == 0);
    assert_true(speed.compress > 0 && speed.decompress > 0);
}

static void a_ratio_has_no_speed(void **state)
{
    struct pl_error err;
    struct pl_codec_speed speed = {.compress = 7};
    const struct pl_codec_params ratio = {.page_size = 4096, .ratio = 2};
    assert_int_equal(pl_codec_speed_measure(codec_of("constant"), &ratio, &speed, &err), PL_ERR_INPUT);
    assert_non_null(strstr(err.message, "compresses nothing"));
    assert_true(speed.compress == 7); /* untouched */
}

/* --- which costs it sets ------------------------------------------------------------------------------------ */

static const struct pl_codec_speed made = {2e6, 1e6, 2e4, 1e5, 5e5, 3e3, 400};

static double number_of(struct pl_parameters *parameters, const char *path)
{
    struct pl_machine machine;
    assert_int_equal(pl_machine_finish(parameters, &machine, NULL), PL_OK);
    return pl_parameter_number(pl_parameters_find(parameters, path), &machine);
}

/* Raw pages were fitted, compressible ones not seen; and the other way round for decompression. */
static void fitted_costs_stay_and_the_others_follow_the_raw_ones(void **state)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_parameters *parameters;
    assert_int_equal(pl_machine_parameters(arena, &parameters, NULL), PL_OK);
    struct pl_calibrated list[] = {
        {"cost.compress", PL_CALIBRATED_UNSEEN, NULL, 10e6, 10e6, 0, 0},
        {"cost.compress_raw", PL_CALIBRATED_FITTED, NULL, 2e6, 5e6, 0, 0},
        {"cost.compress_sequence", PL_CALIBRATED_UNSEEN, NULL, 0, 0, 0, 0},
        {"cost.decompress", PL_CALIBRATED_FITTED, NULL, 5e6, 4e6, 0, 0},
        {"cost.decompress_raw", PL_CALIBRATED_UNSEEN, NULL, 0, 0, 0, 0},
        {"cost.decompress_sequence", PL_CALIBRATED_UNSEEN, NULL, 0, 0, 0, 0},
    };
    struct pl_calibration calibration = {.parameter = list, .parameters = PL_COUNT_OF(list)};
    double decompress = number_of(parameters, "cost.decompress");
    assert_int_equal(pl_calibrate_codec(parameters, &made, &calibration, "2026-01-01", arena, NULL), PL_OK);
    assert_true(number_of(parameters, "cost.compress") == 5e6 - 1e6); /* the raw page's, and a microsecond less */
    assert_true(number_of(parameters, "cost.compress_sequence") == 2e4);
    assert_int_equal(list[0].state, PL_CALIBRATED_MEASURED);
    assert_int_equal(list[2].state, PL_CALIBRATED_MEASURED);
    assert_int_equal(pl_parameters_find(parameters, "cost.compress")->source, PL_FROM_MEASURED);
    assert_non_null(strstr(pl_parameters_find(parameters, "cost.compress")->note, "1000 ns less 2000 ns; 2026-01-01"));
    assert_true(number_of(parameters, "cost.decompress") == decompress);
    assert_true(number_of(parameters, "cost.decompress_sequence") == 0);
    assert_int_equal(list[5].state, PL_CALIBRATED_UNSEEN);
    pl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lz4_goes_by_its_sequences),
        cmocka_unit_test(a_codec_that_tells_no_sequences_has_one_time),
        cmocka_unit_test(a_ratio_has_no_speed),
        cmocka_unit_test(fitted_costs_stay_and_the_others_follow_the_raw_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
