/* Random worlds: every policy, scope and mode, any order of operations; after each everything must add up, and no
 * page may lose its content. MM_STEPS (in the environment) sets the steps of each world; a failure names its seed and
 * step. */
#include "config.h"

#include "mm_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#ifdef PL_SANITIZED
enum { STEPS = 1000, WORLDS = 6 };
#else
enum { STEPS = 4000, WORLDS = 12 };
#endif

static uint32_t one_of(struct pl_random *random, uint32_t a, uint32_t b)
{
    return pl_random_below(random, 2) ? a : b;
}

static struct pl_memory_params make_params(struct pl_random *random, const struct pl_replacement_ops *policy,
                                           bool lists, bool global)
{
    uint32_t low = (uint32_t)pl_random_below(random, 12);
    return (struct pl_memory_params){
        .frames = 12 + (uint32_t)pl_random_below(random, WORLD_FRAMES - 12),
        .lists = lists,
        .policy = policy,
        .policy_params = {.seed = 1},
        .global = global,
        .sections = lists && pl_random_below(random, 2),
        .page_table_entries = one_of(random, 0, 4),
        .ws_list_entries = one_of(random, 0, 8),
        .commit_limit_pages = one_of(random, 0, 130),
        .hard_maximum = pl_random_below(random, 2),
        .grow_above_pages = (uint32_t)pl_random_below(random, 20),
        .low_pages = low,
        .target_pages = low + 5,
        .aging_share = pl_random_unit(random),
        .touch_cancels_compression = pl_random_below(random, 2),
        .section_priority = 5,
    };
}

static uint32_t steps(void)
{
    const char *text = getenv("MM_STEPS");
    return text ? (uint32_t)strtoul(text, NULL, 10) : STEPS;
}

static void live(const struct pl_memory_params *params, uint64_t seed, struct pl_memory_counts *sum)
{
    static struct world w;
    uint32_t step = 0, count = steps();
    bool good = world_create(&w, params, seed);
    for (; good && step < count; step++)
        good = world_step(&w);
    for (int i = 0; good && i < PL_FAULT_KINDS; i++)
        sum->faults[i] += pl_memory_counts(w.memory)->faults[i];
    if (good) {
        const struct pl_memory_counts *c = pl_memory_counts(w.memory);
        sum->collided += c->collided;
        sum->no_frame += c->no_frame;
        sum->trimmed += c->trimmed;
        sum->zero_pages_dropped += c->zero_pages_dropped;
        sum->read_ahead_used += c->read_ahead_used;
        sum->compress_cancelled += c->compress_cancelled;
        sum->write_overtaken += c->write_overtaken;
        sum->page_table_faults += c->page_table_faults;
        for (int p = 0; p < PL_PRIORITIES; p++)
            sum->repurposed[p] += c->repurposed[p];
        good = world_end(&w);
    }
    if (!good)
        fail_msg("%s, lists %d, global %d, seed %llu, step %u: %s", params->policy->name, params->lists, params->global,
                 (unsigned long long)seed, step, w.wrong);
}

static void worlds(bool lists, bool global, struct pl_memory_counts *sum)
{
    struct pl_random random = pl_random_named(lists + 2 * global, "worlds");
    for (size_t i = 0; pl_replacements[i]; i++)
        for (int n = 0; n < WORLDS; n++) {
            struct pl_memory_params params = make_params(&random, pl_replacements[i], lists, global);
            live(&params, pl_random_next(&random), sum);
        }
}

static void test_worlds_without_lists(void **state)
{
    struct pl_memory_counts sum = {0};
    worlds(false, false, &sum);
    worlds(false, true, &sum);
    assert_true(sum.faults[PL_FAULT_STORE] && sum.faults[PL_FAULT_HARD] && sum.faults[PL_FAULT_GUARD] && sum.collided);
}

/* No fault kind, no list, no accident may stay unseen. */
static void test_worlds_with_lists(void **state)
{
    struct pl_memory_counts sum = {0};
    worlds(true, false, &sum);
    worlds(true, true, &sum);
    for (int i = 0; i < PL_FAULT_KINDS; i++)
        assert_true(sum.faults[i] > 0);
    assert_true(sum.collided && sum.no_frame && sum.trimmed && sum.zero_pages_dropped && sum.read_ahead_used);
    assert_true(sum.compress_cancelled && sum.write_overtaken && sum.page_table_faults);
    for (int p = 0; p < PL_PRIORITIES; p++)
        assert_true(sum.repurposed[p] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worlds_without_lists),
        cmocka_unit_test(test_worlds_with_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
