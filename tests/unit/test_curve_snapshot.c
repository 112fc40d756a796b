/* tests/unit/test_curve_snapshot.c: a snapshot equals the curve of the trace up to there, and disturbs nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "curve/snapshot.h"
#include "curve_traces.h"

enum { SIZES = 64 };

/* Some sizes, ascending, each once, some beyond every page. */
static size_t choose_sizes(struct pl_random *random, pl_page pages, uint64_t *sizes)
{
    size_t count = 0;
    uint64_t step = pages / SIZES + 1;
    for (uint64_t size = pl_random_below(random, 2); count < SIZES; size += 1 + pl_random_below(random, 2 * step))
        sizes[count++] = size;
    return count;
}

static void check_snapshot(struct pl_curve *curve, const struct touches *part, enum pl_rule rule, const uint64_t *sizes,
                           const char *what)
{
    uint64_t reads[SIZES], writes[SIZES];
    struct pl_snapshot got = {.reads = reads, .writes = writes};
    struct pl_curve_result want = slow_curve(part, rule);
    assert_int_equal(pl_curve_snapshot(curve, sizes, SIZES, &got, NULL), PL_OK);
    assert_int_equal(got.touches, part->count);
    assert_int_equal(got.write_touches, want.write_touches);
    assert_int_equal(got.cold, want.cold);
    for (size_t i = 0; i < SIZES; i++) {
        uint64_t at = sizes[i] < want.depth ? sizes[i] : want.depth;
        if (reads[i] != want.reads[at] || writes[i] != want.writes[at])
            fail_msg("%s after %zu touches at %llu pages: %llu reads, %llu writes; want %llu, %llu", what, part->count,
                     (unsigned long long)sizes[i], (unsigned long long)reads[i], (unsigned long long)writes[i],
                     (unsigned long long)want.reads[at], (unsigned long long)want.writes[at]);
    }
    free(want.reads);
    free(want.writes);
}

static void check_trace(uint64_t seed, size_t touches_max, pl_page pages_max)
{
    struct pl_random random = pl_random_seeded(seed);
    enum shape shape = (enum shape)pl_random_below(&random, SHAPES);
    pl_page pages = 1 + (pl_page)pl_random_below(&random, pages_max);
    struct touches touches = touches_make(&random, shape, 1 + (size_t)pl_random_below(&random, touches_max), pages,
                                          (unsigned)pl_random_below(&random, 6));
    struct pl_curve_params params = {.rule = (enum pl_rule)(seed % 2), .threads = 1, .portable = seed % 3 == 0};
    struct pl_curve *curve;
    struct touches part = touches;
    uint64_t sizes[SIZES];
    char what[80];
    snprintf(what, sizeof what, "seed %llu (%s)", (unsigned long long)seed, shape_name(shape));
    choose_sizes(&random, pages, sizes);
    assert_int_equal(pl_curve_create(&params, &curve, NULL), PL_OK);
    for (part.count = 0; part.count < touches.count;) {
        size_t count = 1 + (size_t)pl_random_below(&random, touches.count / 4 + 1);
        count = count < touches.count - part.count ? count : touches.count - part.count;
        assert_int_equal(pl_curve_feed(curve, touches.page + part.count, touches.kind + part.count, count, NULL),
                         PL_OK);
        part.count += count;
        check_snapshot(curve, &part, params.rule, sizes, what);
    }
    pl_curve_abandon(curve);
    touches_free(&touches);
}

static void test_random_traces(void **state)
{
    for (uint64_t seed = 1; seed <= 200; seed++)
        check_trace(seed, 900, 120);
    for (uint64_t seed = 201; seed <= 206; seed++)
        check_trace(seed, 60000, 9000);
}

static void test_nothing_yet(void **state)
{
    struct pl_curve_params params = {.threads = 1};
    struct pl_curve *curve;
    uint64_t sizes[2] = {0, 5}, reads[2] = {7, 7}, writes[2] = {7, 7};
    struct pl_snapshot got = {.reads = reads, .writes = writes};
    assert_int_equal(pl_curve_create(&params, &curve, NULL), PL_OK);
    assert_int_equal(pl_curve_snapshot(curve, sizes, 2, &got, NULL), PL_OK);
    assert_int_equal(reads[0] + reads[1] + writes[0] + writes[1], 0);
    pl_curve_abandon(curve);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_traces),
        cmocka_unit_test(test_nothing_yet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
