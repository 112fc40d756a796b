/* tests/unit/test_curve_sizes.c: the memory sizes of a curve: what stands in a table without being asked, and lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "curve/sizes.h"

static void test_default(void **state)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_sizes sizes;
    assert_int_equal(pl_sizes_default(0, false, arena, &sizes, NULL), PL_OK);
    assert_int_equal(sizes.count, 1);
    assert_int_equal(pl_sizes_default(4096, false, arena, &sizes, NULL), PL_OK);
    assert_int_equal(sizes.count, 4096);
    assert_int_equal(sizes.pages[4095], 4096);
    assert_int_equal(pl_sizes_default(1000000, false, arena, &sizes, NULL), PL_OK);
    assert_int_equal(sizes.pages[sizes.count - 1], 1000000);
    assert_true(sizes.count > 4096 + 7 * PL_SIZES_PER_DOUBLING && sizes.count < 4096 + 9 * PL_SIZES_PER_DOUBLING);
    for (size_t i = 1; i < sizes.count; i++) {
        assert_true(sizes.pages[i] > sizes.pages[i - 1]);
        assert_true((double)sizes.pages[i] <= (double)sizes.pages[i - 1] * 1.02 + 1);
    }
    assert_int_equal(pl_sizes_default(50000, true, arena, &sizes, NULL), PL_OK);
    assert_int_equal(sizes.count, 50000);
    assert_int_equal(pl_sizes_powers(100, arena, &sizes, NULL), PL_OK);
    assert_int_equal(sizes.count, 8); /* 1 2 4 8 16 32 64 100 */
    pl_arena_destroy(arena);
}

static void test_lists(void **state)
{
    static const struct {
        const char *text, *want; /* NULL: refused */
    } cases[] = {
        {"64p", "64"},
        {"1MB,64p,1MB", "64 256"},
        {"25%,50%", "250 500"},
        {"16p:128p:x2", "16 32 64 128"},
        {"1MB:3MB:1MB", "256 512 768"},
        {"10p:20p:7p,1p", "1 10 17"},
        {"64", NULL},
        {"", NULL},
        {"1p,,2p", NULL},
        {"0p", NULL},
        {"100B", NULL},
        {"8p:4p:1p", NULL},
        {"1p:4p", NULL},
        {"1p:4p:x1", NULL},
        {"1p:4p:xy", NULL},
        {"1p:2p:3p:4p", NULL},
        {"-5%", NULL},
        {"1p:1000000000p:1p", NULL},
    };
    for (size_t c = 0; c < PL_COUNT_OF(cases); c++) {
        struct pl_arena *arena = pl_arena_create();
        struct pl_sizes sizes = {0};
        struct pl_error err = {PL_OK, ""};
        enum pl_err rc = pl_sizes_parse(cases[c].text, 4096, 1000, arena, &sizes, &err);
        char got[200] = "";
        for (size_t i = 0; i < sizes.count; i++)
            sprintf(got + strlen(got), "%s%llu", i ? " " : "", (unsigned long long)sizes.pages[i]);
        if (rc != (cases[c].want ? PL_OK : PL_ERR_USAGE) || (cases[c].want && strcmp(got, cases[c].want)))
            fail_msg("'%s': %s '%s', want '%s'", cases[c].text, err.message, got, cases[c].want ? cases[c].want : "");
        if (rc)
            assert_non_null(strstr(err.message, "--sizes"));
        pl_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_default), cmocka_unit_test(test_lists)};
    return cmocka_run_group_tests_name("curve-sizes", tests, NULL, NULL);
}
