/* Formulas: what they compute, and what the message says of those that are none. */
#include "study/expression.h"

#include "base_check.h"

#include <math.h>

static const char *const codecs[] = {"raw", "lz4", "zstd"};
static const struct pl_symbol symbols[] = {
    {"m", 0, 1, NULL, 0},           {"m_mb", 0, (double)PL_MIB, NULL, 0}, {"store.max_bytes", 1, 1, NULL, 0},
    {"codec", 2, 1, codecs, 3},     {"gone", 3, 1, NULL, 0},              {"cd", 4, 1, NULL, 0},
};
static const double slots[] = {8.0 * (double)PL_MIB, 1048576, 2, NAN, 0.002};

static struct pl_expression *compile(const char *text, struct pl_arena *arena)
{
    struct pl_expression *expression;
    struct pl_error err;
    if (pl_expression_compile(text, symbols, PL_COUNT_OF(symbols), arena, &expression, &err))
        fail_msg("'%s': %s", text, err.message);
    return expression;
}

static void test_values(void **state)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"2 ^ 3 ^ 2", 512},
        {"-2 ^ 2", -4},
        {"2 ^ -1", 0.5},
        {"10 - 4 - 3", 3},
        {"24 / 4 / 3", 2},
        {"m_mb", 8},
        {"m", 8388608},
        {"8MiB == m", 1},
        {"store.max_bytes <= 0.25 * m", 1},
        {"store.max_bytes > 0.25*m", 0},
        {"1 < 2 and 2 < 1", 0},
        {"1 < 2 or 2 < 1", 1},
        {"not 1 < 2", 0},
        {"not not 1", 1},
        {"min(3, 1, 2)", 1},
        {"max (3,1)", 3},
        {"abs(-3)", 3},
        {"sqrt(9)", 3},
        {"log2(8)", 3},
        {"floor(1.7) + ceil(1.2)", 3},
        {"codec == 'zstd'", 1},
        {"'lz4' == codec", 0},
        {"codec != \"raw\"", 1},
        {"2ms == cd", 1},
        {"cd < 1ms", 0},
        {"320MiB/s", 335544320},
        {"8MiB / 2", 4194304},
        {"gone < 1", 0},
        {"gone > 1", 0},
        {"gone == gone", 0},
        {"gone != 1", 1},
        {"not gone", 1},
        {"1e3 + .5", 1000.5},
        {"  1  ", 1},
        {"1 or gone", 1},
    };
    struct pl_arena *arena = pl_arena_create();
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        double value = pl_expression_value(compile(cases[i].text, arena), slots);
        if (value != cases[i].value)
            fail_msg("'%s' is %.17g, not %.17g", cases[i].text, value, cases[i].value);
    }
    assert_true(isnan(pl_expression_value(compile("gone + 1", arena), slots)));
    assert_true(isnan(pl_expression_value(compile("min(1, gone)", arena), slots)));
    assert_false(pl_expression_holds(compile("gone", arena), slots));
    pl_arena_destroy(arena);
}

static void test_uses(void **state)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_expression *expression = compile("m_mb > 1 and cd < 1s", arena);
    assert_true(pl_expression_uses(expression, 0) && pl_expression_uses(expression, 4));
    assert_false(pl_expression_uses(expression, 1));
    pl_arena_destroy(arena);
}

static void test_errors(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "something is missing"},
        {"1 +", "something is missing"},
        {"(1", "')' is missing"},
        {"1 2", "should end here"},
        {"stor.max_bytes", "did you mean 'store.max_bytes'?"},
        {"1 < 2 < 3", "do not chain"},
        {"codec == 'zst'", "never 'zst'"},
        {"codec == 'zstd", "does not end"},
        {"m == 'zstd'", "a quantity that has words"},
        {"'zstd'", "a quantity that has words"},
        {"8parsecs", "unit that is none"},
        {"min(1)", "takes 2 to 16"},
        {"sqrt(1, 2)", "takes one"},
        {"$", "is expected"},
        {"m = 3", "should end here"},
        {"m >", "after 'm >'"},
    };
    struct pl_arena *arena = pl_arena_create();
    for (size_t i = 0; i < PL_COUNT_OF(cases); i++) {
        struct pl_expression *expression = NULL;
        struct pl_error err = {PL_OK, ""};
        assert_int_equal(PL_ERR_USAGE,
                         pl_expression_compile(cases[i].text, symbols, PL_COUNT_OF(symbols), arena, &expression, &err));
        assert_null(expression);
        check_says(&err, cases[i].says);
    }
    pl_arena_destroy(arena);
}

/* Deep and long formulas are refused, not run into the stack. */
static void test_limits(void **state)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_expression *expression = NULL;
    struct pl_error err;
    char text[5000];
    static const char openers[] = "(-";
    for (const char *opener = openers; *opener; opener++) {
        memset(text, *opener, 2000);
        strcpy(text + 2000, "1");
        assert_int_equal(PL_ERR_USAGE,
                         pl_expression_compile(text, symbols, PL_COUNT_OF(symbols), arena, &expression, &err));
        check_says(&err, "nested too deeply");
    }
    text[0] = '\0';
    for (int i = 0; i < 200; i++)
        strcat(text, "2^");
    strcat(text, "1");
    assert_int_equal(PL_ERR_USAGE,
                     pl_expression_compile(text, symbols, PL_COUNT_OF(symbols), arena, &expression, &err));
    memset(text, '1', 4999);
    text[4999] = '\0';
    assert_int_equal(PL_ERR_USAGE,
                     pl_expression_compile(text, symbols, PL_COUNT_OF(symbols), arena, &expression, &err));
    pl_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_uses),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests_name("expression", tests, NULL, NULL);
}
