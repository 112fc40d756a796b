/* tests/unit/test_curve_cases.c: curves and policies against results that others published for real traces.
 *
 * $PAGELAB_CASES names the folder with the traces; without it everything here is skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "curve/curve.h"
#include "curve/simulate.h"
#include "trace/trace.h"

struct loaded {
    pl_page *page;
    uint8_t *kind;
    size_t count;
};

static const char *case_path(char *out, size_t size, const char *name)
{
    const char *cases = getenv("PAGELAB_CASES");
    if (!cases || !*cases) {
        print_message("PAGELAB_CASES is not set: skipped\n");
        skip();
    }
    snprintf(out, size, "%s/%s", cases, name);
    return out;
}

static struct pl_trace *open_with(const char *name, const struct pl_trace_options *options)
{
    char path[1024];
    struct pl_error err;
    struct pl_trace *trace;
    if (pl_trace_open(case_path(path, sizeof path, name), options, &trace, &err))
        fail_msg("%s", err.message);
    return trace;
}

static struct pl_trace *open_case(const char *name)
{
    return open_with(name, &(struct pl_trace_options){.expand_ranges = true});
}

static struct loaded load(const char *name)
{
    struct pl_trace *trace = open_case(name);
    struct loaded loaded = {malloc(2000000 * sizeof(pl_page)), malloc(2000000), 0};
    struct pl_batch batch;
    struct pl_error err;
    enum pl_err rc;
    while ((rc = pl_trace_next(trace, &batch, &err)) == PL_OK) {
        assert_true(loaded.count + batch.count <= 2000000);
        memcpy(loaded.page + loaded.count, batch.page, batch.count * sizeof *batch.page);
        for (size_t i = 0; i < batch.count; i++)
            loaded.kind[loaded.count + i] = batch.kind ? batch.kind[i] : PL_READ;
        loaded.count += batch.count;
    }
    assert_int_equal(rc, PL_END);
    pl_trace_close(trace);
    return loaded;
}

static void unload(struct loaded *loaded)
{
    free(loaded->page);
    free(loaded->kind);
}

static struct pl_csv *open_expected(const char *name)
{
    char path[1024];
    struct pl_error err;
    struct pl_csv *csv;
    if (pl_csv_open_path(case_path(path, sizeof path, name), &csv, &err))
        fail_msg("%s", err.message);
    return csv;
}

static uint64_t field(const struct pl_csv *csv, const char *column)
{
    int at = pl_csv_find(csv, column);
    assert_true(at >= 0);
    return strtoull(pl_csv_field(csv, (size_t)at), NULL, 10);
}

static const char *words(const struct pl_csv *csv, const char *column)
{
    int at = pl_csv_find(csv, column);
    assert_true(at >= 0);
    return pl_csv_field(csv, (size_t)at);
}

static enum pl_simulated policy_named(const char *name)
{
    for (int i = 0; pl_simulated_names[i]; i++)
        if (!strcmp(pl_simulated_names[i], name))
            return (enum pl_simulated)i;
    fail_msg("no policy %s", name);
    return PL_SIMULATED_LRU;
}

static struct pl_simulation run(const char *policy, enum pl_rule rule, uint64_t frames, const struct loaded *loaded)
{
    struct pl_simulation result;
    struct pl_error err;
    assert_int_equal(pl_simulate(policy_named(policy), rule, (uint32_t)frames, loaded->page, loaded->kind,
                                   loaded->count, &result, &err),
                     PL_OK);
    return result;
}

static struct pl_curve_result curve_of(const struct loaded *loaded, enum pl_rule rule)
{
    struct pl_curve_params params = {.rule = rule, .threads = 1};
    struct pl_curve *curve;
    struct pl_curve_result result;
    struct pl_error err;
    assert_int_equal(pl_curve_create(&params, &curve, &err), PL_OK);
    assert_int_equal(pl_curve_feed(curve, loaded->page, loaded->kind, loaded->count, &err), PL_OK);
    assert_int_equal(pl_curve_finish(curve, &result, &err), PL_OK);
    return result;
}

/* Faults and write-backs of LRU and clock; the LRU rows also from the one-pass curve. */
static void test_memsim(void **state)
{
    struct pl_csv *csv = open_expected("memsim/expected.csv");
    struct loaded trace[2] = {load("memsim/bzip.trace.gz"), load("memsim/gcc.trace.gz")};
    struct pl_curve_result curve[2] = {curve_of(&trace[0], PL_RULE_MEMSIM), curve_of(&trace[1], PL_RULE_MEMSIM)};
    int rows = 0;
    while (pl_csv_next(csv, NULL) == PL_OK) {
        int which = !strcmp(words(csv, "trace"), "gcc.trace");
        uint64_t frames = field(csv, "frames");
        struct pl_simulation got = run(words(csv, "algo"), PL_RULE_MEMSIM, frames, &trace[which]);
        assert_int_equal(got.touches, field(csv, "events"));
        assert_int_equal(got.reads, field(csv, "reads"));
        assert_int_equal(got.writes, field(csv, "writes"));
        if (!strcmp(words(csv, "algo"), "lru")) {
            uint64_t at = frames < curve[which].depth ? frames : curve[which].depth;
            assert_int_equal(curve[which].reads[at], field(csv, "reads"));
            assert_int_equal(curve[which].writes[at], field(csv, "writes"));
        }
        rows++;
    }
    assert_int_equal(rows, 32);
    struct pl_simulation opt = run("opt", PL_RULE_MEMSIM, 8, &trace[1]);
    assert_int_equal(opt.reads, 118480);
    assert_int_equal(opt.writes, 15031);
    /* A working set of 128 frames over an exclusive store of 128 pages. */
    assert_int_equal(curve[1].reads[256], 25308);
    assert_int_equal(curve[1].reads[128] - curve[1].reads[256], 15513);
    for (int i = 0; i < 2; i++) {
        pl_curve_result_free(&curve[i]);
        unload(&trace[i]);
    }
    pl_csv_close(csv);
}

/* Hits, misses and evictions of four policies under demand-zero. */
static void test_simpleloop(void **state)
{
    struct pl_csv *csv = open_expected("simpleloop/expected.csv");
    struct loaded trace = load("simpleloop/tr-simpleloop.ref");
    struct pl_curve_result curve = curve_of(&trace, PL_RULE_DEMAND_ZERO);
    int rows = 0;
    while (pl_csv_next(csv, NULL) == PL_OK) {
        uint64_t frames = field(csv, "frames");
        struct pl_simulation got = run(words(csv, "algo"), PL_RULE_DEMAND_ZERO, frames, &trace);
        assert_int_equal(got.touches, field(csv, "refs"));
        assert_int_equal(got.hits, field(csv, "hits"));
        assert_int_equal(got.reads + got.cold, field(csv, "misses"));
        assert_int_equal(got.clean_evictions, field(csv, "clean_evictions"));
        assert_int_equal(got.writes, field(csv, "dirty_evictions"));
        if (!strcmp(words(csv, "algo"), "lru")) {
            assert_int_equal(curve.reads[frames] + curve.cold, field(csv, "misses"));
            assert_int_equal(curve.writes[frames], field(csv, "dirty_evictions"));
        }
        rows++;
    }
    assert_int_equal(rows, 15);
    pl_curve_result_free(&curve);
    unload(&trace);
    pl_csv_close(csv);
}

/* A whole published curve: "pages misses" a line, first touches not counted. */
static void check_etch(const char *trace_name, const char *curve_name, uint64_t touches, uint64_t pages)
{
    struct pl_trace *trace = open_case(trace_name);
    struct pl_curve_params params = {.threads = 1};
    struct pl_curve *curve;
    struct pl_curve_result result;
    struct pl_batch batch;
    struct pl_error err;
    assert_int_equal(pl_curve_create(&params, &curve, &err), PL_OK);
    while (pl_trace_next(trace, &batch, &err) == PL_OK)
        assert_int_equal(pl_curve_feed(curve, batch.page, batch.kind, batch.count, &err), PL_OK);
    assert_int_equal(pl_curve_finish(curve, &result, &err), PL_OK);
    assert_int_equal(result.touches, touches);
    assert_int_equal(result.cold, pages);

    char path[1024];
    FILE *file = fopen(case_path(path, sizeof path, curve_name), "r");
    assert_non_null(file);
    unsigned long long size, misses;
    uint64_t lines = 0;
    for (; fscanf(file, "%llu %llu", &size, &misses) == 2; lines++)
        if (result.reads[size < result.depth ? size : result.depth] != misses)
            fail_msg("%s: at %llu pages %llu, published %llu", trace_name, size,
                     (unsigned long long)result.reads[size < result.depth ? size : result.depth], misses);
    assert_true(lines > 900);
    fclose(file);
    pl_curve_result_free(&result);
    pl_trace_close(trace);
}

static void test_netscape(void **state)
{
    check_etch("etch/netscape.bz2", "etch/netscape.lru-misses", 22077106, 1037);
}

static void test_powerpoint(void **state)
{
    check_etch("etch/powerpoint.bz2", "etch/powerpoint.lru-misses", 37384786, 1000);
}

/* Block requests as objects: misses by number of objects. */
static void test_libcachesim(void **state)
{
    struct pl_csv *csv = open_expected("libcachesim/expected.csv");
    struct loaded trace = load("libcachesim/cloudPhysicsIO.vscsi");
    struct pl_curve_result curve = curve_of(&trace, PL_RULE_MEMSIM);
    int rows = 0;
    while (pl_csv_next(csv, NULL) == PL_OK) {
        if (strcmp(words(csv, "unit"), "objects"))
            continue;
        assert_int_equal(curve.touches, field(csv, "requests"));
        assert_int_equal(curve.reads[field(csv, "size")], field(csv, "misses"));
        rows++;
    }
    assert_int_equal(rows, 8);
    pl_curve_result_free(&curve);
    unload(&trace);
    pl_csv_close(csv);
}

/* The touches of one set of a set-associative cache: blocks whose number ends in its index. Returns how many. */
static size_t touches_of_set(const char *name, unsigned block_bits, unsigned set_bits, uint64_t set, pl_page *out)
{
    struct pl_trace_options options = {.page_size = 1u << block_bits, .ignore_execute = true, .need_dictionary = true};
    struct pl_trace *trace = open_with(name, &options);
    struct pl_batch batch;
    struct pl_error err;
    size_t count = 0;
    while (pl_trace_next(trace, &batch, &err) == PL_OK)
        for (size_t i = 0; i < batch.count; i++)
            if ((pl_trace_page_origin(trace, batch.page[i]).number & ((UINT64_C(1) << set_bits) - 1)) == set) {
                assert_true(count < 1000);
                out[count++] = batch.page[i];
            }
    pl_trace_close(trace);
    return count;
}

/* Published caches of few bytes: a block is a page, and each set a fully associative LRU memory of its own. */
static void test_cachelab(void **state)
{
    static const struct {
        const char *name;
        unsigned set_bits, ways, block_bits;
        uint64_t hits, misses, evictions;
    } rows[] = {
        {"cachelab/yi2.trace", 1, 1, 1, 9, 8, 6},      {"cachelab/yi.trace", 4, 2, 4, 4, 5, 2},
        {"cachelab/dave.trace", 2, 1, 4, 2, 3, 1},     {"cachelab/trans.trace", 2, 1, 3, 167, 71, 67},
        {"cachelab/trans.trace", 2, 2, 3, 201, 37, 29}, {"cachelab/trans.trace", 2, 4, 3, 212, 26, 10},
        {"cachelab/trans.trace", 5, 1, 5, 231, 7, 0},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        uint64_t hits = 0, misses = 0, evictions = 0;
        for (uint64_t set = 0; set < UINT64_C(1) << rows[i].set_bits; set++) {
            pl_page page[1000];
            struct pl_simulation got;
            struct pl_error err;
            size_t count = touches_of_set(rows[i].name, rows[i].block_bits, rows[i].set_bits, set, page);
            if (!count)
                continue;
            assert_int_equal(pl_simulate(PL_SIMULATED_LRU, PL_RULE_MEMSIM, rows[i].ways, page, NULL, count, &got, &err),
                             PL_OK);
            hits += got.hits;
            misses += got.reads;
            evictions += got.clean_evictions + got.writes;
        }
        assert_int_equal(hits, rows[i].hits);
        assert_int_equal(misses, rows[i].misses);
        assert_int_equal(evictions, rows[i].evictions);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memsim),     cmocka_unit_test(test_simpleloop),   cmocka_unit_test(test_netscape),
        cmocka_unit_test(test_powerpoint), cmocka_unit_test(test_libcachesim),
        cmocka_unit_test(test_cachelab),
    };
    return cmocka_run_group_tests_name("curve-cases", tests, NULL, NULL);
}
