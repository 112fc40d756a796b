/* tests/unit/test_curve.c: properties of the one-pass curve.
 *
 * Random traces of many shapes: the curve equals a plain LRU simulation at every size, reads and write-backs, under both
 * rules, for every number of threads, with and without vector code; longer ones equal a Fenwick tree with dirty levels.
 * The number of traces grows with $PAGELAB_SOAK (the number of traces itself). A failure names the seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "curve_traces.h"

static const int thread_counts[] = {1, 2, 3, 7};

/* Feeds in pieces of odd sizes. */
static struct pl_curve_result curve_of(const struct touches *touches, struct pl_curve_params params, size_t piece)
{
    struct pl_error err;
    struct pl_curve *curve;
    struct pl_curve_result result;
    assert_int_equal(pl_curve_create(&params, &curve, &err), PL_OK);
    for (size_t done = 0; done < touches->count; done += piece) {
        size_t count = touches->count - done < piece ? touches->count - done : piece;
        assert_int_equal(pl_curve_feed(curve, touches->page + done, touches->kind + done, count, &err), PL_OK);
    }
    assert_int_equal(pl_curve_finish(curve, &result, &err), PL_OK);
    return result;
}

static void assert_same(const struct pl_curve_result *got, const struct pl_curve_result *want, const char *what)
{
    if (got->depth != want->depth || got->cold != want->cold || got->touches != want->touches ||
        got->write_touches != want->write_touches)
        fail_msg("%s: depth %llu, cold %llu; want %llu, %llu", what, (unsigned long long)got->depth,
                 (unsigned long long)got->cold, (unsigned long long)want->depth, (unsigned long long)want->cold);
    for (uint64_t m = 0; m <= want->depth; m++)
        if (got->reads[m] != want->reads[m] || (got->writes && got->writes[m] != want->writes[m]))
            fail_msg("%s: at %llu pages %llu reads, %llu writes; want %llu, %llu", what, (unsigned long long)m,
                     (unsigned long long)got->reads[m], (unsigned long long)(got->writes ? got->writes[m] : 0),
                     (unsigned long long)want->reads[m], (unsigned long long)want->writes[m]);
}

/* All variants of the engine against `want`. */
static void check_variants(const struct touches *touches, const struct pl_curve_result *want, struct pl_random *random,
                           const char *what)
{
    for (size_t t = 0; t < PL_COUNT_OF(thread_counts); t++) {
        for (int portable = 0; portable < 2; portable++) {
            char name[200];
            snprintf(name, sizeof name, "%s, %d threads, %s", what, thread_counts[t], portable ? "portable" : "vector");
            struct pl_curve_params params = {.rule = want->rule, .threads = thread_counts[t], .portable = portable};
            params.part_touches = 1 + (uint32_t)pl_random_below(random, touches->count / 3 + 1);
            params.pages_hint = pl_random_below(random, 2) ? touches->limit : 0;
            size_t piece = 1 + (size_t)pl_random_below(random, touches->count + 100);
            struct pl_curve_result got = curve_of(touches, params, piece);
            assert_same(&got, want, name);
            pl_curve_result_free(&got);
        }
    }
}

static void check_against_simulation(const struct touches *touches, const struct pl_curve_result *want, const char *what)
{
    struct pl_error err;
    struct pl_simulation run;
    for (uint64_t m = 1; m <= want->depth; m++) {
        assert_int_equal(pl_simulate(PL_SIMULATED_LRU, want->rule, (uint32_t)m, touches->page, touches->kind,
                                       touches->count, &run, &err),
                         PL_OK);
        if (run.reads != want->reads[m] || run.writes != want->writes[m] || run.cold != want->cold)
            fail_msg("%s: simulated at %llu pages: %llu reads, %llu writes; curve: %llu, %llu", what,
                     (unsigned long long)m, (unsigned long long)run.reads, (unsigned long long)run.writes,
                     (unsigned long long)want->reads[m], (unsigned long long)want->writes[m]);
    }
}

static uint64_t traces_to_try(uint64_t usual)
{
    const char *soak = getenv("PAGELAB_SOAK");
    return soak && *soak ? strtoull(soak, NULL, 10) : usual;
}

/* One random trace of up to 5,000 touches, everything held against everything. */
static void check_random_trace(uint64_t seed, size_t touches_max)
{
    struct pl_random random = pl_random_seeded(seed);
    enum shape shape = (enum shape)pl_random_below(&random, SHAPES);
    size_t count = 1 + (size_t)pl_random_below(&random, touches_max);
    pl_page pages = 1 + (pl_page)pl_random_below(&random, pl_random_below(&random, 4) ? 60 : count);
    unsigned write_every = (unsigned)pl_random_below(&random, 9);
    struct touches touches = touches_make(&random, shape, count, pages, write_every);
    for (int rule = PL_RULE_DEMAND_ZERO; rule <= PL_RULE_MEMSIM; rule++) {
        char what[100];
        snprintf(what, sizeof what, "seed %llu (%s, rule %d)", (unsigned long long)seed, shape_name(shape), rule);
        struct pl_curve_result want = slow_curve(&touches, (enum pl_rule)rule);
        check_against_simulation(&touches, &want, what);
        check_variants(&touches, &want, &random, what);
        free(want.reads);
        free(want.writes);
    }
    touches_free(&touches);
}

static void test_random_traces(void **state)
{
    uint64_t traces = traces_to_try(400);
    for (uint64_t seed = 1; seed <= traces; seed++)
        check_random_trace(seed, seed % 40 == 0 || traces > 400 ? 5000 : 600);
}

/* Long enough that slots are renumbered, and wide enough for several nodes and groups of them. */
static void test_long_traces(void **state)
{
    static const pl_page pages[] = {3, 900, 6000, 50000, 300000};
    struct pl_random random = pl_random_seeded(7);
    for (size_t p = 0; p < PL_COUNT_OF(pages); p++) {
        for (int shape = 0; shape < SHAPE_SPARSE; shape++) {
            struct touches touches = touches_make(&random, (enum shape)shape, 300000, pages[p], 4);
            enum pl_rule rule = (shape + p) % 2 ? PL_RULE_MEMSIM : PL_RULE_DEMAND_ZERO;
            char what[100];
            snprintf(what, sizeof what, "%s over %u pages", shape_name((enum shape)shape), (unsigned)pages[p]);
            struct pl_curve_result want = slow_curve(&touches, rule);
            check_variants(&touches, &want, &random, what);
            free(want.reads);
            free(want.writes);
            touches_free(&touches);
        }
    }
}

/* A local phase after a wide one and back, so that the engine changes its way in between. */
static void test_changing_phases(void **state)
{
    struct pl_random random = pl_random_seeded(11);
    struct touches touches = touches_make(&random, SHAPE_UNIFORM, 200000, 20000, 3);
    for (size_t i = 0; i < touches.count; i++)
        if (i / 30000 % 2)
            touches.page[i] = (pl_page)(i / 64 * 3 % 20000 + touches.page[i] % 20) % 20000;
    struct pl_curve_result want = slow_curve(&touches, PL_RULE_DEMAND_ZERO);
    check_variants(&touches, &want, &random, "changing phases");
    free(want.reads);
    free(want.writes);
    touches_free(&touches);
}

/* Without kinds every touch is a read; reads_only leaves the reads as they are. */
static void test_without_kinds(void **state)
{
    struct pl_random random = pl_random_seeded(13);
    struct touches touches = touches_make(&random, SHAPE_SKEWED, 5000, 300, 0);
    struct pl_curve_result want = slow_curve(&touches, PL_RULE_DEMAND_ZERO);
    free(touches.kind);
    touches.kind = NULL;
    for (int reads_only = 0; reads_only < 2; reads_only++) {
        struct pl_curve_params params = {.threads = 1, .reads_only = reads_only};
        struct pl_error err;
        struct pl_curve *curve;
        struct pl_curve_result got;
        assert_int_equal(pl_curve_create(&params, &curve, &err), PL_OK);
        assert_int_equal(pl_curve_feed(curve, touches.page, NULL, touches.count, &err), PL_OK);
        assert_int_equal(pl_curve_finish(curve, &got, &err), PL_OK);
        assert_true(reads_only == !got.writes);
        assert_same(&got, &want, "without kinds");
        pl_curve_result_free(&got);
    }
    free(want.reads);
    free(want.writes);
    touches_free(&touches);
}

static void test_empty(void **state)
{
    struct touches touches = {.limit = 1};
    touches.page = malloc(4);
    touches.kind = malloc(1);
    struct pl_curve_result got = curve_of(&touches, (struct pl_curve_params){.threads = 1}, 1);
    assert_int_equal(got.depth, 0);
    assert_int_equal(got.reads[0], 0);
    assert_int_equal(got.writes[0], 0);
    pl_curve_result_free(&got);
    touches_free(&touches);
}

static void test_too_many_pages(void **state)
{
    struct pl_curve_params params = {.threads = 1};
    struct pl_error err;
    struct pl_curve *curve;
    assert_int_equal(pl_curve_create(&params, &curve, &err), PL_OK);
    pl_page page = PL_NO_PAGE - 1;
    assert_int_equal(pl_curve_feed(curve, &page, NULL, 1, &err), PL_ERR_RESOURCE);
    assert_non_null(strstr(err.message, "pages"));
    pl_curve_abandon(curve);
}

/* A working set of W frames over an exclusive store of S pages, both LRU: the disk is read as by one LRU of W + S, and the
 * store is hit by the difference. Simulated plainly, as two lists in arrays, newest first. */
struct list {
    pl_page page[100];
    size_t used, room;
};

static bool list_remove(struct list *list, pl_page page)
{
    size_t at = 0;
    while (at < list->used && list->page[at] != page)
        at++;
    if (at == list->used)
        return false;
    list->used--;
    memmove(list->page + at, list->page + at + 1, (list->used - at) * sizeof *list->page);
    return true;
}

/* Puts a page in front. Returns the page that had to leave, or PL_NO_PAGE. */
static pl_page list_push(struct list *list, pl_page page)
{
    if (list->room == 0)
        return page;
    pl_page oldest = list->used == list->room ? list->page[--list->used] : PL_NO_PAGE;
    memmove(list->page + 1, list->page, list->used * sizeof *list->page);
    list->page[0] = page;
    list->used++;
    return oldest;
}

struct two_levels {
    struct list frames, store;
    uint64_t disk, store_hits;
};

static void two_levels_touch(struct two_levels *levels, pl_page page)
{
    if (!list_remove(&levels->frames, page)) {
        if (list_remove(&levels->store, page))
            levels->store_hits++;
        else
            levels->disk++;
    }
    pl_page evicted = list_push(&levels->frames, page);
    if (evicted != PL_NO_PAGE)
        list_push(&levels->store, evicted);
}

static void test_two_levels(void **state)
{
    struct pl_random random = pl_random_seeded(17);
    for (int round = 0; round < 30; round++) {
        struct touches touches = touches_make(&random, (enum shape)(round % SHAPES), 4000, 200, 4);
        struct pl_curve_result curve = curve_of(&touches, (struct pl_curve_params){.rule = PL_RULE_MEMSIM}, 1000);
        struct two_levels levels = {.frames.room = 1 + (size_t)pl_random_below(&random, 60),
                                    .store.room = (size_t)pl_random_below(&random, 60)};
        for (size_t i = 0; i < touches.count; i++)
            two_levels_touch(&levels, touches.page[i]);
        uint64_t depth = curve.depth, both = levels.frames.room + levels.store.room;
        uint64_t at_both = curve.reads[both < depth ? both : depth];
        uint64_t at_frames = curve.reads[levels.frames.room < depth ? levels.frames.room : depth];
        assert_int_equal(levels.disk, at_both);
        assert_int_equal(levels.store_hits, at_frames - at_both);
        pl_curve_result_free(&curve);
        touches_free(&touches);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),          cmocka_unit_test(test_random_traces),
        cmocka_unit_test(test_long_traces),    cmocka_unit_test(test_changing_phases),
        cmocka_unit_test(test_without_kinds),  cmocka_unit_test(test_too_many_pages),
        cmocka_unit_test(test_two_levels),
    };
    return cmocka_run_group_tests_name("curve", tests, NULL, NULL);
}
