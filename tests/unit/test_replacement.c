/* Replacement policies: each against a plain version of itself, the classic ones against src/curve's plain simulations
 * and against others' published counts. */
#include "mm_driver.h"

#include "base/random.h"
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { TOUCHES_MAX = 20000 };

struct made {
    pl_page page[TOUCHES_MAX];
    uint8_t kind[TOUCHES_MAX];
    uint32_t count;
    pl_page distinct;
};

/* A random trace of one of several shapes; dense pages in the order of first use. */
static void make_trace(struct pl_random *random, struct made *t)
{
    pl_page dense[512], pages = 1 + (pl_page)pl_random_below(random, 300);
    unsigned shape = (unsigned)pl_random_below(random, 3);
    t->count = 1 + (uint32_t)pl_random_below(random, 3000);
    t->distinct = 0;
    memset(dense, 0xff, sizeof(dense));
    for (uint32_t i = 0; i < t->count; i++) {
        uint64_t draw = pl_random_below(random, pages);
        if (shape == 1) /* skewed */
            draw = draw * pl_random_below(random, pages) / pages;
        else if (shape == 2) /* a loop with disturbances */
            draw = pl_random_below(random, 8) ? i % pages : draw;
        if (dense[draw] == PL_NO_PAGE)
            dense[draw] = t->distinct++;
        t->page[i] = dense[draw];
        t->kind[i] = pl_random_below(random, 3) == 0;
    }
}

static void expect_ok(enum pl_err rc, const struct pl_error *err)
{
    if (rc)
        fail_msg("%s", err->message);
}

static void against_curve(enum pl_simulated policy, enum pl_rule rule, uint32_t frames, const pl_page *pages,
                          const uint8_t *kinds, uint32_t count, pl_page distinct, unsigned flags)
{
    struct pl_error err;
    struct direct_result got;
    struct pl_simulation want;
    expect_ok(pl_simulate(policy, rule, frames, pages, kinds, count, &want, &err), &err);
    expect_ok(direct_run(pl_simulated_names[policy], rule, frames, pages, kinds, count, distinct, flags, &got, &err),
              &err);
    uint64_t cold = rule == PL_RULE_MEMSIM ? 0 : want.cold;
    if (got.hits != want.hits || got.reads != want.reads || got.writes != want.writes || got.cold != cold ||
        got.clean != want.clean_evictions)
        fail_msg("%s, rule %d, %u frames: hits %llu (%llu), reads %llu (%llu), writes %llu (%llu), cold %llu (%llu)",
                 pl_simulated_names[policy], rule, frames, (unsigned long long)got.hits, (unsigned long long)want.hits,
                 (unsigned long long)got.reads, (unsigned long long)want.reads, (unsigned long long)got.writes,
                 (unsigned long long)want.writes, (unsigned long long)got.cold, (unsigned long long)cold);
}

static void test_random_traces_as_plain_simulation(void **state)
{
    static struct made t;
    struct pl_random random = pl_random_named(4, "replacement traces");
    for (int round = 0; round < 60; round++) {
        make_trace(&random, &t);
        uint32_t frames = 1 + (uint32_t)pl_random_below(&random, t.distinct + 5);
        for (enum pl_simulated policy = PL_SIMULATED_LRU; policy <= PL_SIMULATED_OPT; policy++)
            for (enum pl_rule rule = PL_RULE_DEMAND_ZERO; rule <= PL_RULE_MEMSIM; rule++)
                against_curve(policy, rule, frames, t.page, t.kind, t.count, t.distinct, round < 2 ? DIRECT_CHECKS : 0);
    }
}

/* --- plain versions of those that curve does not have --------------------------------- */

/* 2Q with lists as arrays, oldest first. */
struct naive_twoq {
    pl_page in[512], out[512], main[512];
    uint32_t ins, outs, mains;
};

static int find(const pl_page *list, uint32_t count, pl_page page)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == page)
            return (int)i;
    return -1;
}

static void drop(pl_page *list, uint32_t *count, int at)
{
    memmove(&list[at], &list[at + 1], (*count - (uint32_t)at - 1) * sizeof(*list));
    --*count;
}

static void naive_twoq_evict(struct naive_twoq *q)
{
    uint32_t members = q->ins + q->mains;
    if (q->mains && q->ins <= 0.25 * members) {
        drop(q->main, &q->mains, 0);
        return;
    }
    q->out[q->outs++] = q->in[0];
    drop(q->in, &q->ins, 0);
    while (q->outs > members / 2)
        drop(q->out, &q->outs, 0);
}

static uint64_t naive_twoq_faults(const struct made *t, uint32_t frames)
{
    static struct naive_twoq q;
    memset(&q, 0, sizeof(q));
    uint64_t faults = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        pl_page page = t->page[i];
        int at = find(q.main, q.mains, page);
        if (at >= 0) {
            drop(q.main, &q.mains, at);
            q.main[q.mains++] = page;
        }
        if (at >= 0 || find(q.in, q.ins, page) >= 0)
            continue;
        faults++;
        if (q.ins + q.mains == frames)
            naive_twoq_evict(&q);
        at = find(q.out, q.outs, page);
        if (at >= 0) {
            drop(q.out, &q.outs, at);
            q.main[q.mains++] = page;
        } else
            q.in[q.ins++] = page;
    }
    return faults;
}

static void test_twoq_as_plain_version(void **state)
{
    static struct made t;
    struct pl_random random = pl_random_named(5, "2q traces");
    struct pl_error err;
    for (int round = 0; round < 100; round++) {
        make_trace(&random, &t);
        uint32_t frames = 1 + (uint32_t)pl_random_below(&random, t.distinct + 2);
        struct direct_result got;
        expect_ok(direct_run("twoq", PL_RULE_MEMSIM, frames, t.page, t.kind, t.count, t.distinct, 0, &got, &err),
                  &err);
        assert_int_equal(got.reads, naive_twoq_faults(&t, frames));
    }
}

/* Aging that scans nothing is a clock, but for a hand that goes round at most once. */
static uint64_t naive_aging_faults(const struct made *t, uint32_t frames, uint32_t examine)
{
    pl_page place[512];
    bool marked[512];
    uint32_t used = 0, hand = 0;
    uint64_t faults = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        int at = find(place, used, t->page[i]);
        if (at < 0) {
            faults++;
            at = (int)used;
            if (used == frames) {
                uint32_t first = hand % used, looked = 0;
                while (looked < examine && looked < used && marked[(first + looked) % used])
                    marked[(first + looked++) % used] = false;
                bool all = looked == examine || looked == used;
                at = (int)(all ? first : (first + looked) % used);
                hand = first + looked + !all;
            } else
                used++;
            place[at] = t->page[i];
        }
        marked[at] = true;
    }
    return faults;
}

static uint64_t aging_faults(const struct made *t, uint32_t frames, uint32_t examine, struct pl_error *err)
{
    struct pl_memory_params params = {
        .frames = frames, .policy = pl_replacements[1], .policy_params = {.examine = examine}};
    struct pl_process_params own = {.priority = 5};
    struct pl_memory *m;
    pl_process process;
    struct direct_result got = {0};
    assert_string_equal(params.policy->name, "aging");
    expect_ok(pl_memory_create(&params, &m, err), err);
    expect_ok(pl_memory_add_process(m, &own, &process, err), err);
    expect_ok(pl_memory_map(m, process, 0, t->distinct, 0, PL_MAP_ON_DISK, 0, err), err);
    for (uint32_t i = 0; i < t->count; i++)
        assert_true(direct_touch(m, process, t->page[i], t->kind[i], &got));
    pl_memory_destroy(m);
    return got.reads;
}

static void test_aging_without_scans_as_plain_version(void **state)
{
    static struct made t;
    struct pl_random random = pl_random_named(6, "aging traces");
    struct pl_error err;
    for (int round = 0; round < 100; round++) {
        make_trace(&random, &t);
        uint32_t frames = 1 + (uint32_t)pl_random_below(&random, t.distinct + 2);
        uint32_t examine = round % 2 ? 1 + (uint32_t)pl_random_below(&random, 20) : UINT32_MAX;
        assert_int_equal(aging_faults(&t, frames, examine, &err), naive_aging_faults(&t, frames, examine));
    }
}

/* Random replacement of one page among n of a loop of n + 1: the expected share of misses is known to be between
 * LRU's (all) and OPT's; here the seed must decide, and nothing else. */
static void test_random_is_reproducible_and_fair(void **state)
{
    static struct made t;
    struct pl_error err;
    struct direct_result one, two, opt;
    t.count = 20000;
    t.distinct = 50;
    for (uint32_t i = 0; i < t.count; i++) {
        t.page[i] = i % 50;
        t.kind[i] = 0;
    }
    expect_ok(direct_run("random", PL_RULE_MEMSIM, 40, t.page, t.kind, t.count, 50, 0, &one, &err), &err);
    expect_ok(direct_run("random", PL_RULE_MEMSIM, 40, t.page, t.kind, t.count, 50, 0, &two, &err), &err);
    expect_ok(direct_run("opt", PL_RULE_MEMSIM, 40, t.page, t.kind, t.count, 50, 0, &opt, &err), &err);
    assert_int_equal(one.reads, two.reads);
    assert_true(opt.reads < one.reads && one.reads < t.count);
    /* With miss ratio x a page survives the 50 x misses between its touches with (1 - 1/40)^(50 x) = 1 - x. */
    assert_in_range(one.reads, 0.34 * t.count, 0.44 * t.count);
}

/* Stamps that run out again and again must change nothing. */
static void test_renumbering_changes_nothing(void **state)
{
    static const char *const policies[] = {"lru", "clock", "aging", "twoq"};
    static struct made t;
    struct pl_random random = pl_random_named(7, "renumbering");
    struct pl_error err;
    for (int round = 0; round < 40; round++) {
        make_trace(&random, &t);
        uint32_t frames = 1 + (uint32_t)pl_random_below(&random, t.distinct + 2);
        struct direct_result once, often;
        const char *policy = policies[round % 4];
        expect_ok(direct_run(policy, PL_RULE_DEMAND_ZERO, frames, t.page, t.kind, t.count, t.distinct, 0, &once, &err),
                  &err);
        expect_ok(direct_run(policy, PL_RULE_DEMAND_ZERO, frames, t.page, t.kind, t.count, t.distinct,
                             DIRECT_RENUMBERS | DIRECT_CHECKS, &often, &err),
                  &err);
        assert_memory_equal(&once, &often, sizeof(once));
    }
}

/* --- published counts -------------------------------------------------------------------- */

static void test_belady(void **state)
{
    static const pl_page pages[] = {0, 1, 2, 3, 0, 1, 4, 0, 1, 2, 3, 4};
    static const struct {
        const char *policy;
        uint32_t frames, faults;
    } rows[] = {{"fifo", 3, 9}, {"fifo", 4, 10}, {"lru", 3, 10}, {"lru", 4, 8}, {"opt", 3, 7}, {"opt", 4, 6}};
    struct pl_error err;
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct direct_result got;
        expect_ok(direct_run(rows[i].policy, PL_RULE_MEMSIM, rows[i].frames, pages, NULL, PL_COUNT_OF(pages), 5,
                             DIRECT_CHECKS, &got, &err),
                  &err);
        assert_int_equal(got.reads, rows[i].faults);
    }
}

struct whole_trace {
    pl_page *page;
    uint8_t *kind;
    uint32_t count;
    pl_page distinct;
};

static bool read_case(const char *name, struct whole_trace *out)
{
    const char *folder = getenv("PAGELAB_CASES");
    char path[1024];
    struct pl_trace_options options = {.page_size = 4096, .expand_ranges = true};
    struct pl_trace *trace;
    struct pl_error err;
    struct pl_batch batch;
    if (!folder)
        return false;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    expect_ok(pl_trace_open(path, &options, &trace, &err), &err);
    memset(out, 0, sizeof(*out));
    enum pl_err rc;
    while ((rc = pl_trace_next(trace, &batch, &err)) == PL_OK) {
        out->page = realloc(out->page, (out->count + batch.count + 1) * sizeof(*out->page));
        out->kind = realloc(out->kind, out->count + batch.count + 1);
        memcpy(out->page + out->count, batch.page, batch.count * sizeof(*out->page));
        memcpy(out->kind + out->count, batch.kind, batch.count);
        out->count += (uint32_t)batch.count;
        out->distinct = (pl_page)batch.distinct;
    }
    assert_int_equal(rc, PL_END);
    pl_trace_close(trace);
    return true;
}

static void test_memsim_published(void **state)
{
    static const struct {
        const char *policy;
        uint32_t frames, reads, writes;
    } rows[] = {
        {"lru", 4, 243809, 43187},     {"lru", 8, 171186, 23983},    {"lru", 64, 59089, 8863},
        {"lru", 256, 25308, 4231},     {"lru", 512, 10425, 2173},    {"clock", 4, 276968, 51481},
        {"clock", 16, 121682, 16376},  {"clock", 128, 43017, 6671},  {"clock", 512, 11472, 2398},
        {"opt", 8, 118480, 15031},
    };
    struct whole_trace t = {NULL};
    struct pl_error err;
    if (!read_case("memsim/gcc.trace.gz", &t))
        skip();
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct direct_result got;
        expect_ok(direct_run(rows[i].policy, PL_RULE_MEMSIM, rows[i].frames, t.page, t.kind, t.count, t.distinct, 0,
                             &got, &err),
                  &err);
        if (got.reads != rows[i].reads || got.writes != rows[i].writes)
            fail_msg("gcc, %s, %u frames: %llu reads, %llu writes", rows[i].policy, rows[i].frames,
                     (unsigned long long)got.reads, (unsigned long long)got.writes);
    }
    free(t.page);
    free(t.kind);
}

static void test_names(void **state)
{
    const struct pl_replacement_ops *ops;
    struct pl_error err;
    for (size_t i = 0; pl_replacements[i]; i++) {
        assert_int_equal(pl_replacement_find(pl_replacements[i]->name, &ops, &err), PL_OK);
        assert_ptr_equal(ops, pl_replacements[i]);
    }
    assert_int_equal(pl_replacement_find("lrru", &ops, &err), PL_ERR_INPUT);
    assert_non_null(strstr(err.message, "lru"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_belady),
        cmocka_unit_test(test_random_traces_as_plain_simulation),
        cmocka_unit_test(test_twoq_as_plain_version),
        cmocka_unit_test(test_aging_without_scans_as_plain_version),
        cmocka_unit_test(test_random_is_reproducible_and_fair),
        cmocka_unit_test(test_renumbering_changes_nothing),
        cmocka_unit_test(test_memsim_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
