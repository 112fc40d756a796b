/* Random streams: the numbers of an independent calculation (a few lines of Python with unbounded integers, written from
 * the generators' papers), and whether bounded numbers are uniform. */
#include "base_check.h"

#include <math.h>

static void golden_numbers(void **state)
{
    static const struct {
        uint64_t seed, numbers[4];
    } rows[] = {
        {0, {UINT64_C(0x99ec5f36cb75f2b4), UINT64_C(0xbf6e1f784956452a), UINT64_C(0x1a5f849d4933e6e0), UINT64_C(0x6aa594f1262d2d2c)}},
        {1, {UINT64_C(0xb3f2af6d0fc710c5), UINT64_C(0x853b559647364cea), UINT64_C(0x92f89756082a4514), UINT64_C(0x642e1c7bc266a3a7)}},
        {42, {UINT64_C(0x15780b2e0c2ec716), UINT64_C(0x6104d9866d113a7e), UINT64_C(0xae17533239e499a1), UINT64_C(0xecb8ad4703b360a1)}},
        {UINT64_MAX, {UINT64_C(0x8f5520d52a7ead08), UINT64_C(0xc476a018caa1802d), UINT64_C(0x81de31c0d260469e), UINT64_C(0xbf658d7e065f3c2f)}},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct pl_random random = pl_random_seeded(rows[i].seed);
        for (size_t j = 0; j < 4; j++)
            assert_int_equal(pl_random_next(&random), rows[i].numbers[j]);
    }
    struct pl_random random = pl_random_seeded(42);
    uint64_t last = 0;
    for (int i = 0; i < 1000; i++)
        last = pl_random_next(&random);
    assert_int_equal(last, UINT64_C(0x8de5848c61ab8968));
}

static void golden_streams(void **state)
{
    struct pl_random a = pl_random_named(42, "zipf/3"), b = pl_random_named(42, "zipf/4");
    assert_int_equal(pl_random_next(&a), UINT64_C(0xca55487c7d2a1cd6));
    assert_int_equal(pl_random_next(&b), UINT64_C(0x14df76e63b6b385f));
    assert_int_equal(pl_random_next(&a), UINT64_C(0x696371d890f32bde));
    assert_int_equal(pl_random_next(&b), UINT64_C(0xaf188ccb06ead8c6));
    struct pl_random other_seed = pl_random_named(43, "zipf/3");
    assert_int_not_equal(pl_random_next(&other_seed), UINT64_C(0xca55487c7d2a1cd6));
}

static void golden_bounded(void **state)
{
    static const uint64_t below_ten[] = {7, 2, 8, 9, 9, 8, 0, 1, 4, 1, 5, 7, 9, 8, 4, 5};
    /* A bound of three quarters of the range: every fourth number must be drawn again. */
    static const uint64_t below_wide[] = {UINT64_C(0x8682bc397b3b18c3), UINT64_C(0x35852e30bb76219d),
                                          UINT64_C(0xa1355e772fe15b30), UINT64_C(0xa79295aac8992936),
                                          UINT64_C(0x1d2610b8012a810a), UINT64_C(0x67f14cda20978931)};
    static const double units[] = {0.7005764821796896, 0.2787512294737843, 0.8396274618764198};
    struct pl_random random = pl_random_seeded(7);
    for (size_t i = 0; i < PL_COUNT_OF(below_ten); i++)
        assert_int_equal(pl_random_below(&random, 10), below_ten[i]);
    random = pl_random_seeded(7);
    for (size_t i = 0; i < PL_COUNT_OF(below_wide); i++)
        assert_int_equal(pl_random_below(&random, UINT64_C(3) << 62), below_wide[i]);
    random = pl_random_seeded(7);
    for (size_t i = 0; i < PL_COUNT_OF(units); i++)
        assert_true(pl_random_unit(&random) == units[i]);
}

static void bounded_numbers_are_uniform(void **state)
{
    static const uint64_t bounds[] = {1, 2, 3, 7, 10, 100};
    for (size_t i = 0; i < PL_COUNT_OF(bounds); i++) {
        struct pl_random random = pl_random_seeded(100 + i);
        uint64_t seen[100] = {0}, draws = 200000;
        for (uint64_t n = 0; n < draws; n++) {
            uint64_t value = pl_random_below(&random, bounds[i]);
            assert_true(value < bounds[i]);
            seen[value]++;
        }
        double expected = (double)draws / (double)bounds[i], chi_square = 0;
        for (uint64_t value = 0; value < bounds[i]; value++)
            chi_square += pow((double)seen[value] - expected, 2) / expected;
        /* Mean bound - 1, variance 2 (bound - 1): five deviations, and the seed is fixed. */
        double freedom = (double)bounds[i] - 1;
        assert_true(chi_square <= freedom + 5 * sqrt(2 * freedom));
    }
}

static void units_lie_in_their_interval(void **state)
{
    struct pl_random random = pl_random_seeded(9);
    double sum = 0;
    for (int i = 0; i < 100000; i++) {
        double unit = pl_random_unit(&random);
        assert_true(unit >= 0 && unit < 1);
        sum += unit;
    }
    assert_true(fabs(sum / 100000 - 0.5) < 5 * sqrt(1.0 / 12 / 100000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_numbers),
        cmocka_unit_test(golden_streams),
        cmocka_unit_test(golden_bounded),
        cmocka_unit_test(bounded_numbers_are_uniform),
        cmocka_unit_test(units_lie_in_their_interval),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
