/* tests/unit/test_sim_limits.c: a run equals what is known in closed form, to the fault and to the picosecond:
 *
 *   two-level   disk reads R(W + S), store hits R(W) - R(W + S), disk writes W(W + S)
 *   1996        counts and cost of curve and model
 *
 * R and W are the one-pass curves of src/curve, which share nothing with the simulation. */
#include "curve_traces.h"
#include "model/cost1996.h"
#include "sim_machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 200 };

static struct pl_curve_result curve_of(const struct touches *touches, enum pl_rule rule)
{
    struct pl_curve_params params = {.rule = rule};
    struct pl_curve *curve;
    struct pl_curve_result result;
    assert_int_equal(pl_curve_create(&params, &curve, NULL), PL_OK);
    assert_int_equal(pl_curve_feed(curve, touches->page, touches->kind, touches->count, NULL), PL_OK);
    assert_int_equal(pl_curve_finish(curve, &result, NULL), PL_OK);
    return result;
}

static uint64_t reads_at(const struct pl_curve_result *curve, uint64_t pages)
{
    return curve->reads[pages < curve->depth ? pages : curve->depth];
}

static uint64_t writes_at(const struct pl_curve_result *curve, uint64_t pages)
{
    return curve->writes[pages < curve->depth ? pages : curve->depth];
}

/* --- two levels ------------------------------------------------------------------------- */

static void check_two_level(const struct touches *touches, const struct pl_curve_result *curve, enum pl_rule rule,
                            uint64_t w, uint64_t s, const char *what)
{
    struct pl_arena *arena = pl_arena_create();
    char resident[64], stored[64];
    snprintf(resident, sizeof resident, "memory.resident=%llup", (unsigned long long)w);
    snprintf(stored, sizeof stored, "store.max_pages=%llup", (unsigned long long)s);
    const char *changes[] = {resident, stored,
                             rule == PL_RULE_MEMSIM ? "memory.first_touch=disk" : "memory.first_touch=demand-zero", NULL};
    struct pl_machine machine = machine_of(arena, "two-level", changes);
    struct pl_sim *sim = run_touches(&machine, NULL, touches->page, touches->kind, touches->count);
    const struct pl_sim_result *result = pl_sim_result(sim);
    uint64_t hits = reads_at(curve, w) - reads_at(curve, w + s);
    if (result->totals.disk_reads != reads_at(curve, w + s) || result->totals.store_hits != hits ||
        result->totals.disk_writes != writes_at(curve, w + s))
        fail_msg("%s, W %llu, S %llu: reads %llu, hits %llu, writes %llu instead of %llu, %llu, %llu", what,
                 (unsigned long long)w, (unsigned long long)s, (unsigned long long)result->totals.disk_reads,
                 (unsigned long long)result->totals.store_hits, (unsigned long long)result->totals.disk_writes,
                 (unsigned long long)reads_at(curve, w + s), (unsigned long long)hits,
                 (unsigned long long)writes_at(curve, w + s));
    assert_int_equal(result->all.touches, touches->count);
    pl_sim_destroy(sim);
    pl_arena_destroy(arena);
}

static void two_levels_on_random_traces(void **state)
{
    for (unsigned i = 0; i < RUNS; i++) {
        struct pl_random random = pl_random_seeded(i);
        enum shape shape = (enum shape)(i % SHAPES);
        pl_page pages = (pl_page)(2 + pl_random_below(&random, 300));
        struct touches touches = touches_make(&random, shape, 3000, pages, (unsigned)pl_random_below(&random, 5));
        uint64_t w = 1 + pl_random_below(&random, pages), s = pl_random_below(&random, pages);
        char what[64];
        snprintf(what, sizeof what, "seed %u, %s", i, shape_name(shape));
        enum pl_rule rule = i % 2 ? PL_RULE_MEMSIM : PL_RULE_DEMAND_ZERO;
        struct pl_curve_result curve = curve_of(&touches, rule);
        check_two_level(&touches, &curve, rule, w, s, what);
        pl_curve_result_free(&curve);
        touches_free(&touches);
    }
}

/* --- 1996 --------------------------------------------------------------------------------- */

struct case_1996 {
    uint64_t m, d; /* bytes */
    double r;
    pl_time_ps cd, ch;
    unsigned frac;
};

static struct pl_cost model_of(const struct pl_curve_result *curve, const struct case_1996 *c, struct pl_arena *arena)
{
    struct pl_fault_table *table;
    struct pl_fault_curves curves;
    struct pl_cost cost;
    struct pl_error err = {PL_OK, ""};
    struct pl_cost_params params = {.m_mb = (double)c->m / (double)PL_MIB,
                                    .d_mb = (double)c->d / (double)PL_MIB,
                                    .r = c->r,
                                    .cd_s = (double)c->cd / 1e12,
                                    .ch_s = (double)c->ch / 1e12,
                                    .frac = c->frac};
    assert_int_equal(pl_fault_table_from_curve(curve, 4096, NULL, 0, "random", arena, &table, &err), PL_OK);
    assert_int_equal(pl_fault_curves_create(table, PL_INTERPOLATE_EXACT, arena, &curves, &err), PL_OK);
    if (pl_cost_at(&curves, &params, &cost, &err))
        fail_msg("%s", err.message);
    return cost;
}

static void check_1996(const struct touches *touches, const struct pl_curve_result *curve, enum pl_rule rule,
                       const struct case_1996 *c, const char *what)
{
    struct pl_arena *arena = pl_arena_create();
    const char *changes[] = {
        pl_arena_printf(arena, "memory.total=%lluB", (unsigned long long)c->m),
        pl_arena_printf(arena, "store.max_bytes=%lluB", (unsigned long long)c->d),
        pl_arena_printf(arena, "store.ratio=%.17g", c->r),
        pl_arena_printf(arena, "cost.compress=%lldps", (long long)c->cd),
        pl_arena_printf(arena, "cost.decompress=%lldps", (long long)c->cd),
        pl_arena_printf(arena, "disk.constant.read_page=%lldps", (long long)c->ch),
        pl_arena_printf(arena, "disk.constant.write_page=%lldps", (long long)c->ch),
        pl_arena_printf(arena, "store.extra_writes=%u", c->frac),
        rule == PL_RULE_MEMSIM ? "memory.first_touch=disk" : "memory.first_touch=demand-zero", NULL};
    struct pl_machine machine = machine_of(arena, "rc96", changes), bare = pl_machine_without_store(&machine);
    struct pl_sim *sim = run_touches(&machine, NULL, touches->page, touches->kind, touches->count);
    struct pl_sim *without = run_touches(&bare, NULL, touches->page, touches->kind, touches->count);
    const struct pl_sim_result *result = pl_sim_result(sim), *result0 = pl_sim_result(without);

    struct pl_cost cost = model_of(curve, c, arena);
    uint64_t faults = result->all.faults[PL_FAULT_STORE] + result->all.faults[PL_FAULT_HARD];
    double effect = (double)(result->elapsed_ps - result0->elapsed_ps);
    double predicted = (double)c->cd * cost.codec_operations - (double)c->ch * cost.disk_saved +
                       (double)c->ch * cost.frac_accesses;
    if ((double)faults != cost.at_resident.reads || (double)result->totals.evicted_dirty != cost.at_resident.writes ||
        (double)result->totals.disk_reads != cost.at_reach.reads ||
        (double)result->totals.disk_writes != cost.at_reach.writes ||
        (double)result0->totals.disk_reads != cost.at_m.reads || (double)result0->totals.disk_writes != cost.at_m.writes ||
        effect != predicted)
        fail_msg("%s: m %llu, d %llu, r %g: effect %.0f ps, by the model %.0f ps; reads %llu/%g, writes %llu/%g", what,
                 (unsigned long long)c->m, (unsigned long long)c->d, c->r, effect, predicted,
                 (unsigned long long)result->totals.disk_reads, cost.at_reach.reads,
                 (unsigned long long)result->totals.disk_writes, cost.at_reach.writes);
    assert_true(fabs(effect / 1e12 - cost.total_s) <= 1e-9 * (1 + fabs(cost.total_s)));
    pl_sim_destroy(sim);
    pl_sim_destroy(without);
    pl_arena_destroy(arena);
}

/* Sizes need not be whole pages, ratios and costs not round. */
static struct case_1996 random_case(struct pl_random *random, pl_page pages)
{
    struct case_1996 c;
    c.m = 4096 + pl_random_below(random, (uint64_t)pages * 4096 + 4096);
    c.d = pl_random_below(random, c.m - 4096 + 1);
    c.r = 1 + (double)pl_random_below(random, 3000) / 1000;
    c.cd = (pl_time_ps)pl_random_below(random, 2 * PL_PS_PER_MS);
    c.ch = (pl_time_ps)pl_random_below(random, 10 * PL_PS_PER_MS);
    c.frac = (unsigned)pl_random_below(random, 3);
    return c;
}

static void the_1996_machine_on_random_traces(void **state)
{
    for (unsigned i = 0; i < RUNS; i++) {
        struct pl_random random = pl_random_seeded(1000 + i);
        enum shape shape = (enum shape)(i % SHAPES);
        pl_page pages = (pl_page)(2 + pl_random_below(&random, 300));
        struct touches touches = touches_make(&random, shape, 3000, pages, (unsigned)pl_random_below(&random, 5));
        struct case_1996 c = random_case(&random, pages);
        char what[64];
        snprintf(what, sizeof what, "seed %u, %s", 1000 + i, shape_name(shape));
        enum pl_rule rule = i % 2 ? PL_RULE_MEMSIM : PL_RULE_DEMAND_ZERO;
        struct pl_curve_result curve = curve_of(&touches, rule);
        check_1996(&touches, &curve, rule, &c, what);
        pl_curve_result_free(&curve);
        touches_free(&touches);
    }
}

/* --- recorded traces -------------------------------------------------------------------------- */

/* All touches of a file in $PAGELAB_CASES; skips the test when there is none. */
static struct touches read_case(const char *name)
{
    const char *folder = getenv("PAGELAB_CASES");
    if (!folder)
        skip();
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    struct pl_trace_options options = {0};
    struct pl_trace *trace;
    struct pl_batch batch;
    struct touches touches = {0};
    size_t pages = 0, kinds = 0;
    struct pl_error err = {PL_OK, ""};
    if (pl_trace_open(path, &options, &trace, &err))
        fail_msg("%s", err.message);
    while (pl_trace_next(trace, &batch, &err) == PL_OK) {
        size_t need = touches.count + batch.count;
        assert_int_equal(pl_grow((void **)&touches.page, &pages, need, sizeof *touches.page, "touches", &err), PL_OK);
        assert_int_equal(pl_grow((void **)&touches.kind, &kinds, need, 1, "touches", &err), PL_OK);
        memcpy(touches.page + touches.count, batch.page, batch.count * sizeof *batch.page);
        if (batch.kind)
            memcpy(touches.kind + touches.count, batch.kind, batch.count);
        else
            memset(touches.kind + touches.count, PL_READ, batch.count);
        touches.count = need;
        touches.limit = (pl_page)batch.distinct;
    }
    pl_trace_close(trace);
    return touches;
}

/* The whole file: the first `fixed` of the sizes below, and `cases` random ones; PAGELAB_SOAK is another number of them. */
static void check_file(const char *name, unsigned fixed, unsigned cases)
{
    struct touches touches = read_case(name);
    static const uint64_t sizes[][2] = {{128, 128}, {200, 100}};
    struct pl_curve_result curve[2] = {curve_of(&touches, PL_RULE_DEMAND_ZERO), curve_of(&touches, PL_RULE_MEMSIM)};
    const char *soak = getenv("PAGELAB_SOAK");
    cases = soak && *soak ? (unsigned)strtoul(soak, NULL, 10) : cases;
    for (size_t i = 0; i < fixed; i++) {
        struct case_1996 c = {(sizes[i][0] + sizes[i][1]) * 4096, sizes[i][1] * 4096, 1.6, 2 * PL_PS_PER_MS,
                              10 * PL_PS_PER_MS, 0};
        check_two_level(&touches, &curve[PL_RULE_MEMSIM], PL_RULE_MEMSIM, sizes[i][0], sizes[i][1], name);
        check_1996(&touches, &curve[i % 2], (enum pl_rule)(i % 2), &c, name);
    }
    for (unsigned i = 0; i < cases; i++) {
        struct pl_random random = pl_random_seeded(i);
        struct case_1996 c = random_case(&random, touches.limit);
        char what[100];
        snprintf(what, sizeof what, "%s, seed %u", name, i);
        check_1996(&touches, &curve[i % 2], (enum pl_rule)(i % 2), &c, what);
    }
    pl_curve_result_free(&curve[0]);
    pl_curve_result_free(&curve[1]);
    touches_free(&touches);
}

static void memsim_gcc(void **state)
{
    check_file("memsim/gcc.trace.gz", 2, 8);
}

static void memsim_bzip(void **state)
{
    check_file("memsim/bzip.trace.gz", 2, 8);
}

static void etch_netscape(void **state)
{
    check_file("etch/netscape.bz2", 1, 0);
}

static void etch_powerpoint(void **state)
{
    check_file("etch/powerpoint.bz2", 1, 0);
}

/* Published for this trace and these sizes. */
static void two_level_figures(void **state)
{
    struct touches touches = read_case("memsim/gcc.trace.gz");
    struct pl_arena *arena = pl_arena_create();
    const char *changes[] = {"memory.resident=128p", "store.max_pages=128p", NULL};
    struct pl_machine machine = machine_of(arena, "two-level", changes);
    struct pl_sim *sim = run_touches(&machine, NULL, touches.page, touches.kind, touches.count);
    assert_int_equal(pl_sim_result(sim)->totals.disk_reads, 25308);
    assert_int_equal(pl_sim_result(sim)->totals.store_hits, 15513);
    pl_sim_destroy(sim);
    pl_arena_destroy(arena);
    touches_free(&touches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_levels_on_random_traces), cmocka_unit_test(the_1996_machine_on_random_traces),
        cmocka_unit_test(memsim_gcc),                  cmocka_unit_test(memsim_bzip),
        cmocka_unit_test(etch_netscape),               cmocka_unit_test(etch_powerpoint),
        cmocka_unit_test(two_level_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
