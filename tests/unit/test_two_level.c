/* tests/unit/test_two_level.c: the model on exact tables equals a machine with a compressed store, to the fault.
 *
 * The machine is the plainest that can be: a list of resident pages and a list of stored pages, newest first, searched
 * from the front. One run with a store and one without; the model must give the difference of their costs, under both
 * accountings, from the one-level fault table alone. */
#include "model/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { PAGES_MAX = 40, TOUCHES = 1500 };

struct page_list {
    int page[PAGES_MAX + 1]; /* newest first */
    int count;
};

static void push(struct page_list *list, int page)
{
    memmove(list->page + 1, list->page, (size_t)list->count * sizeof(*list->page));
    list->page[0] = page;
    list->count++;
}

static bool take(struct page_list *list, int page)
{
    for (int i = 0; i < list->count; i++) {
        if (list->page[i] != page)
            continue;
        list->count--;
        memmove(list->page + i, list->page + i + 1, (size_t)(list->count - i) * sizeof(*list->page));
        return true;
    }
    return false;
}

struct counts {
    uint64_t faults;    /* that are not first touches under demand-zero */
    uint64_t cold;
    uint64_t hits;      /* of them in the store */
    uint64_t disk_reads, disk_writes;
    uint64_t evictions; /* pages that left the resident list */
    uint64_t page_outs; /* of them written since they came in */
};

struct machine {
    enum pl_rule rule;
    int resident_max, store_max;
    struct page_list resident, store;
    bool seen[PAGES_MAX];
    bool dirty_in_memory[PAGES_MAX]; /* since it became resident */
    bool dirty_on_disk[PAGES_MAX];   /* since it was last on disk */
    struct counts counts;
};

static void leave_memory(struct machine *m, int page)
{
    m->counts.disk_writes += m->dirty_on_disk[page];
    m->dirty_on_disk[page] = false;
}

static void evict(struct machine *m)
{
    int victim = m->resident.page[m->resident.count - 1];
    m->resident.count--;
    m->counts.evictions++;
    m->counts.page_outs += m->dirty_in_memory[victim];
    push(&m->store, victim);
    if (m->store.count > m->store_max)
        leave_memory(m, m->store.page[--m->store.count]);
}

static void come_in(struct machine *m, int page)
{
    bool first = !m->seen[page], zero = first && m->rule == PL_RULE_DEMAND_ZERO;
    m->seen[page] = true;
    m->counts.cold += first;
    m->counts.faults += !zero;
    if (take(&m->store, page))
        m->counts.hits++;
    else
        m->counts.disk_reads += !zero;
    m->dirty_in_memory[page] = zero;
    m->dirty_on_disk[page] |= zero;
}

static void touch(struct machine *m, int page, bool write)
{
    if (!take(&m->resident, page)) {
        come_in(m, page);
        push(&m->resident, page);
        if (m->resident.count > m->resident_max)
            evict(m);
    } else {
        push(&m->resident, page);
    }
    m->dirty_in_memory[page] |= write;
    m->dirty_on_disk[page] |= write;
}

struct trace {
    int page[TOUCHES];
    bool write[TOUCHES];
};

static struct counts run(const struct trace *trace, enum pl_rule rule, int resident, int store)
{
    struct machine machine = {.rule = rule, .resident_max = resident, .store_max = store};
    for (int i = 0; i < TOUCHES; i++)
        touch(&machine, trace->page[i], trace->write[i]);
    return machine.counts;
}

/* Mostly near the last page, sometimes anywhere: enough order for every size to matter. */
static struct trace random_trace(struct pl_random *random, int pages)
{
    struct trace trace;
    int at = 0;
    for (int i = 0; i < TOUCHES; i++) {
        at = (int)(pl_random_below(random, 4) ? ((uint64_t)at + pl_random_below(random, 5)) % (uint64_t)pages
                                              : pl_random_below(random, (uint64_t)pages));
        trace.page[i] = at;
        trace.write[i] = pl_random_below(random, 3) == 0;
    }
    return trace;
}

/* The whole one-level curve by running every size. */
static struct pl_fault_table *table_of(const struct trace *trace, enum pl_rule rule, struct pl_arena *arena)
{
    static uint64_t reads[PAGES_MAX], writes[PAGES_MAX], sizes[PAGES_MAX];
    struct counts counts = {0};
    for (int size = 1; size <= PAGES_MAX; size++) {
        counts = run(trace, rule, size, 0);
        reads[size - 1] = counts.faults;
        writes[size - 1] = counts.disk_writes;
        sizes[size - 1] = (uint64_t)size;
    }
    /* As a curve whose index is one less than the size: sizes[] says which rows it stands for. */
    uint64_t curve_reads[PAGES_MAX + 1] = {reads[0]}, curve_writes[PAGES_MAX + 1] = {writes[0]};
    memcpy(curve_reads + 1, reads, sizeof(reads));
    memcpy(curve_writes + 1, writes, sizeof(writes));
    struct pl_curve_result curve = {.rule = rule, .cold = counts.cold, .depth = PAGES_MAX,
                                    .reads = curve_reads, .writes = curve_writes};
    struct pl_fault_table *table = NULL;
    struct pl_error err = {PL_OK, ""};
    if (pl_fault_table_from_curve(&curve, 4096, sizes, PAGES_MAX, "run", arena, &table, &err))
        fail_msg("%s", err.message);
    return table;
}

static void assert_same(uint64_t seed, const char *what, double model, double machine)
{
    if (fabs(model - machine) > 1e-9 * (1 + fabs(machine)))
        fail_msg("seed %llu: %s: model %.12g, machine %.12g", (unsigned long long)seed, what, model, machine);
}

static double disk_s(const struct counts *counts, double ch)
{
    return ch * (double)(counts->disk_reads + counts->disk_writes);
}

static void compare(uint64_t seed, const struct trace *trace, const struct pl_fault_curves *curves, enum pl_rule rule,
                    int m, int d, double r)
{
    const double page_mb = 1.0 / 256, cd = 0.002, ch = 0.010;
    struct counts without = run(trace, rule, m, 0), with = run(trace, rule, m - d, (int)floor(d * r + 1e-9));
    struct pl_cost_params params = {.m_mb = m * page_mb, .d_mb = d * page_mb, .r = r, .cd_s = cd, .ch_s = ch,
                                    .accounting = PL_ACCOUNTING_TWO_LEVEL};
    struct pl_cost two = pl_cost_evaluate(curves, &params);
    assert_false(two.extrapolated);
    assert_same(seed, "disk reads", two.at_reach.reads, (double)with.disk_reads);
    assert_same(seed, "disk writes", two.at_reach.writes, (double)with.disk_writes);
    assert_same(seed, "codec operations", two.codec_operations, (double)(with.evictions + with.hits));
    assert_same(seed, "two-level cost", two.total_s,
                cd * (double)(with.evictions + with.hits) + disk_s(&with, ch) - disk_s(&without, ch));

    params.accounting = PL_ACCOUNTING_1996;
    assert_same(seed, "1996 cost", pl_cost_evaluate(curves, &params).total_s,
                cd * (double)(with.faults + with.page_outs) + disk_s(&with, ch) - disk_s(&without, ch));
}

static void model_equals_the_machine(void **state)
{
    static const double ratios[] = {1, 1.6, 2, 2.75};
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct pl_arena *arena = pl_arena_create();
        struct pl_random random = pl_random_seeded(seed);
        struct trace trace = random_trace(&random, 8 + (int)pl_random_below(&random, PAGES_MAX - 8));
        enum pl_rule rule = seed % 2 ? PL_RULE_MEMSIM : PL_RULE_DEMAND_ZERO;
        struct pl_fault_curves curves;
        assert_int_equal(pl_fault_curves_create(table_of(&trace, rule, arena), PL_INTERPOLATE_EXACT, arena, &curves, NULL), PL_OK);
        for (int m = 2; m <= 14; m += 3) {
            for (int d = 0; d < m; d++)
                compare(seed, &trace, &curves, rule, m, d, ratios[(m + d) % 4]);
        }
        pl_arena_destroy(arena);
    }
    (void)state;
}

/* The optimum over whole pages is the least of all whole pages. */
static void exact_optimum(void **state)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_random random = pl_random_seeded(7);
    struct trace trace = random_trace(&random, 30);
    struct pl_fault_curves curves;
    assert_int_equal(pl_fault_curves_create(table_of(&trace, PL_RULE_DEMAND_ZERO, arena), PL_INTERPOLATE_EXACT, arena, &curves, NULL),
                     PL_OK);
    struct pl_cost_params params = {.m_mb = 20 / 256.0, .r = 2.5, .cd_s = 0.0001, .ch_s = 0.010};
    struct pl_optimum best;
    pl_cost_optimum(&curves, &params, 0, &best);
    assert_true(best.found);
    double least = INFINITY;
    for (int d = 0; d <= 19; d++) {
        params.d_mb = d / 256.0;
        least = fmin(least, pl_cost_evaluate(&curves, &params).total_s);
    }
    assert_true(best.cost.total_s == least);
    assert_true(best.d_mb * 256 == floor(best.d_mb * 256));
    pl_arena_destroy(arena);
    (void)state;
}

static void exact_needs_every_size(void **state)
{
    static const double mb[] = {1 / 256.0, 2 / 256.0, 4 / 256.0}, reads[] = {9, 5, 2}, half[] = {1 / 256.0, 1.5 / 256};
    struct pl_arena *arena = pl_arena_create();
    struct pl_fault_table table = {
        .name = "gap", .page_size = 4096, .count = 3, .memory_mb = mb, .reads = reads, .cold = NAN};
    struct pl_fault_curves curves;
    struct pl_error err = {PL_OK, ""};
    assert_int_equal(pl_fault_curves_create(&table, PL_INTERPOLATE_EXACT, arena, &curves, &err), PL_ERR_INPUT);
    assert_non_null(strstr(err.message, "no row for 3 pages"));
    table.memory_mb = half, table.count = 2;
    assert_int_equal(pl_fault_curves_create(&table, PL_INTERPOLATE_EXACT, arena, &curves, &err), PL_ERR_INPUT);
    assert_non_null(strstr(err.message, "whole pages"));
    table.count = 1;
    assert_int_equal(pl_fault_curves_create(&table, PL_INTERPOLATE_DEFAULT, arena, &curves, &err), PL_ERR_INPUT);
    assert_non_null(strstr(err.message, "one row"));
    pl_arena_destroy(arena);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_equals_the_machine),
        cmocka_unit_test(exact_optimum),
        cmocka_unit_test(exact_needs_every_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
