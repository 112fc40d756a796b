/* tests/unit/test_byte_curve.c: curves by bytes equal a store that is simulated page by page; what is approximate in
 * them is measured. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "curve/byte_curve.h"
#include "curve_traces.h"

enum { UNIT = 4096 };

/* A store of `room` bytes as a list, most recent first. `anew`: a page gets a new size from `drawn` at each write, as
 * if it were compressed anew. */
struct store {
    pl_page *list;
    uint32_t *bytes; /* by page */
    uint8_t *dirty, *seen;
    size_t held;
    uint64_t used, room, reads, writes;
};

static void evict_until_fits(struct store *store)
{
    while (store->used > store->room) {
        pl_page last = store->list[--store->held];
        store->used -= store->bytes[last];
        store->writes += store->dirty[last];
    }
}

static void store_touch(struct store *store, pl_page page, bool write, uint32_t bytes, enum pl_rule rule)
{
    size_t at = 0;
    while (at < store->held && store->list[at] != page)
        at++;
    bool demand_zero = !store->seen[page] && rule == PL_RULE_DEMAND_ZERO;
    if (at == store->held) {
        store->reads += !demand_zero;
        store->dirty[page] = demand_zero;
        store->held++;
    } else {
        store->used -= store->bytes[page];
    }
    memmove(store->list + 1, store->list, at * sizeof *store->list);
    store->list[0] = page;
    store->bytes[page] = bytes;
    store->used += bytes;
    store->seen[page] = 1;
    if (write)
        store->dirty[page] = 1;
    evict_until_fits(store);
}

static void simulate_store(const struct touches *touches, enum pl_rule rule, uint64_t room, const uint32_t *bytes,
                           struct pl_random *anew, uint64_t *reads, uint64_t *writes)
{
    size_t pages = touches->limit;
    struct store store = {calloc(pages + 1, 4), calloc(pages, 4), calloc(pages, 1), calloc(pages, 1), .room = room};
    for (size_t i = 0; i < touches->count; i++) {
        pl_page page = touches->page[i];
        bool write = touches->kind[i] == 1;
        uint32_t size = store.seen[page] ? store.bytes[page] : bytes[page];
        if (anew && write)
            size = bytes[pl_random_below(anew, pages)];
        store_touch(&store, page, write, size, rule);
    }
    *reads = store.reads;
    *writes = store.writes;
    free(store.list);
    free(store.bytes);
    free(store.dirty);
    free(store.seen);
}

static uint32_t from_table(void *user, pl_page page)
{
    return ((const uint32_t *)user)[page];
}

static struct pl_curve_result byte_curve_of(const struct touches *touches, enum pl_rule rule, uint32_t *bytes)
{
    struct pl_byte_curve_params params = {.rule = rule, .unit_bytes = UNIT, .bytes_of = from_table, .user = bytes};
    struct pl_byte_curve *curve;
    struct pl_curve_result result;
    size_t half = touches->count / 2;
    assert_int_equal(pl_byte_curve_create(&params, &curve, NULL), PL_OK);
    assert_int_equal(pl_byte_curve_feed(curve, touches->page, touches->kind, half, NULL), PL_OK);
    assert_int_equal(pl_byte_curve_feed(curve, touches->page + half, touches->kind + half, touches->count - half, NULL),
                     PL_OK);
    assert_int_equal(pl_byte_curve_finish(curve, &result, NULL), PL_OK);
    return result;
}

/* Sizes as codecs give them: some nothing, some whole, most in between. */
static uint32_t *draw_sizes(struct pl_random *random, pl_page pages)
{
    uint32_t *bytes = malloc(pages * sizeof *bytes);
    for (pl_page page = 0; page < pages; page++) {
        uint64_t draw = pl_random_below(random, 10);
        bytes[page] = draw == 0 ? 0 : draw == 1 ? UNIT : 200 + (uint32_t)pl_random_below(random, 2400);
    }
    return bytes;
}

static void test_equals_store(void **state)
{
    for (uint64_t seed = 1; seed <= 120; seed++) {
        struct pl_random random = pl_random_seeded(seed);
        enum shape shape = (enum shape)pl_random_below(&random, SHAPES);
        enum pl_rule rule = (enum pl_rule)(seed % 2);
        struct touches touches =
            touches_make(&random, shape, 1 + (size_t)pl_random_below(&random, 700),
                         1 + (pl_page)pl_random_below(&random, 90), (unsigned)pl_random_below(&random, 6));
        uint32_t *bytes = draw_sizes(&random, touches.limit);
        struct pl_curve_result got = byte_curve_of(&touches, rule, bytes);
        for (uint64_t m = 0; m <= got.depth; m++) {
            uint64_t reads, writes;
            simulate_store(&touches, rule, m * UNIT, bytes, NULL, &reads, &writes);
            if (got.reads[m] != reads || got.writes[m] != writes)
                fail_msg("seed %llu (%s), %llu units: %llu reads, %llu writes; store: %llu, %llu",
                         (unsigned long long)seed, shape_name(shape), (unsigned long long)m,
                         (unsigned long long)got.reads[m], (unsigned long long)got.writes[m], (unsigned long long)reads,
                         (unsigned long long)writes);
        }
        pl_curve_result_free(&got);
        free(bytes);
        touches_free(&touches);
    }
}

/* Pages of one unit make the curve by pages; long enough to use the slots up, and to make more. */
static void test_equals_pages(void **state)
{
    struct pl_random random = pl_random_seeded(4);
    for (int shape = 0; shape < SHAPES; shape++) {
        struct touches touches = touches_make(&random, (enum shape)shape, 60000, 7000, 3);
        uint32_t *bytes = malloc(touches.limit * sizeof *bytes);
        for (pl_page page = 0; page < touches.limit; page++)
            bytes[page] = UNIT;
        struct pl_curve_result want = slow_curve(&touches, PL_RULE_DEMAND_ZERO);
        struct pl_curve_result got = byte_curve_of(&touches, PL_RULE_DEMAND_ZERO, bytes);
        assert_int_equal(got.depth, want.depth);
        for (uint64_t m = 0; m <= want.depth; m++)
            if (got.reads[m] != want.reads[m] || got.writes[m] != want.writes[m])
                fail_msg("%s at %llu", shape_name((enum shape)shape), (unsigned long long)m);
        free(want.reads);
        free(want.writes);
        pl_curve_result_free(&got);
        free(bytes);
        touches_free(&touches);
    }
}

static double miss_ratio(const struct pl_curve_result *curve, uint64_t units)
{
    return (double)curve->reads[units < curve->depth ? units : curve->depth] / (double)curve->touches;
}

/* The two ways to know sizes only roughly, and what they cost: mean absolute errors of the miss ratio over twenty
 * sizes. Drawn: every page draws its size from the distribution, not its own. Anew: the true store compresses a page
 * anew at each write, the curve gives it one size. */
static void test_approximations(void **state)
{
    static const enum shape shapes[] = {SHAPE_UNIFORM, SHAPE_SKEWED, SHAPE_WALK, SHAPE_PHASES};
    for (size_t s = 0; s < PL_COUNT_OF(shapes); s++) {
        struct pl_random random = pl_random_seeded(20 + s), anew = pl_random_seeded(40 + s);
        struct touches touches = touches_make(&random, shapes[s], 15000, 1000, 4);
        uint32_t *bytes = draw_sizes(&random, touches.limit), *drawn = malloc(touches.limit * sizeof *drawn);
        for (pl_page page = 0; page < touches.limit; page++)
            drawn[page] = bytes[pl_random_below(&random, touches.limit)];
        struct pl_curve_result exact = byte_curve_of(&touches, PL_RULE_DEMAND_ZERO, bytes);
        struct pl_curve_result rough = byte_curve_of(&touches, PL_RULE_DEMAND_ZERO, drawn);
        double drawn_error = 0, anew_error = 0;
        for (uint64_t i = 1; i <= 20; i++) {
            uint64_t units = exact.depth * i / 21, reads, writes;
            drawn_error += fabs(miss_ratio(&rough, units) - miss_ratio(&exact, units)) / 20;
            simulate_store(&touches, PL_RULE_DEMAND_ZERO, units * UNIT, bytes, &anew, &reads, &writes);
            anew_error += fabs((double)reads / (double)touches.count - miss_ratio(&exact, units)) / 20;
        }
        print_message("%s: sizes drawn: error %.4f, compressed anew: %.4f\n", shape_name(shapes[s]), drawn_error,
                      anew_error);
        assert_true(drawn_error < 0.03 && anew_error < 0.03);
        assert_true(drawn_error > 0 && anew_error > 0);
        pl_curve_result_free(&exact);
        pl_curve_result_free(&rough);
        free(bytes);
        free(drawn);
        touches_free(&touches);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_store),
        cmocka_unit_test(test_equals_pages),
        cmocka_unit_test(test_approximations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
