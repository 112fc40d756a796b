/* tests/unit/test_machine_scope.c: what pl_machine_needs calls of no effect has none: each such parameter is moved, and
 * the run must stay the same to the last count. */
#include "sim_machine.h"

#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAGES = 160, TOUCHES = 4000 };

static const struct {
    const char *model;
    const char *change[12];
} machines[] = {
    {"plain-hdd", {"memory.total=100p", "memory.kernel=0"}},
    {"plain-hdd", {"memory.total=100p", "memory.kernel=0", "disk.kind=ssd", "working_set.policy=aging"}},
    {"two-level", {"memory.resident=60p", "store.max_pages=60p"}},
    {"two-level", {"memory.resident=60p", "store.max_pages=60p", "store.codec=lz4", "disk.kind=ram"}},
    {"rc96", {"memory.total=100p", "store.max_bytes=20p"}},
    {"zram-lz4", {"memory.total=100p", "memory.kernel=0", "working_set.trim_below=0", "working_set.trim_until=0"}},
    {"zram-lz4",
     {"memory.total=100p", "memory.kernel=0", "working_set.trim_below=0", "working_set.trim_until=0",
      "store.codec=constant", "store.space=regions"}},
    {"win10-1607-i7-4770k",
     {"memory.total=100p", "memory.kernel=0", "working_set.trim_below=0", "working_set.trim_until=0",
      "writer.available_below=0", "zero.threads=0"}},
};

static struct pl_arena *arena;
static pl_page page[TOUCHES];
static uint8_t kind[TOUCHES];

static void must(enum pl_err rc, const struct pl_error *err)
{
    if (rc != PL_OK)
        fail_msg("%s", err->message);
}

static struct pl_parameters *parameters_of(size_t machine)
{
    struct pl_parameters *parameters;
    struct pl_error err;
    const char *path = pl_arena_printf(arena, "%s/models/%s.json", PL_SOURCE_DIR, machines[machine].model);
    must(pl_machine_parameters(arena, &parameters, &err), &err);
    must(pl_parameters_read(parameters, path, &err), &err);
    for (const char *const *change = machines[machine].change; *change; change++)
        must(pl_parameters_override(parameters, *change, &err), &err);
    return parameters;
}

struct outcome {
    pl_time_ps elapsed;
    struct pl_sim_totals totals;
    uint64_t store_bytes;
};

static struct outcome outcome_of(const struct pl_machine *machine)
{
    struct outcome outcome;
    memset(&outcome, 0, sizeof outcome);
    struct pl_sim *sim = run_touches(machine, NULL, page, kind, TOUCHES);
    outcome.elapsed = pl_sim_result(sim)->elapsed_ps;
    outcome.totals = pl_sim_result(sim)->totals;
    outcome.store_bytes = pl_sim_result(sim)->store.peak_limited_bytes;
    pl_sim_destroy(sim);
    return outcome;
}

/* Another value than it has, in its range; false where there is none to be had. */
static bool move(struct pl_parameters *parameters, const struct pl_parameter_value *value,
                 const struct pl_machine *machine, struct pl_machine *moved)
{
    struct pl_error err;
    double number = pl_parameter_number(value, machine);
    const double candidate[] = {2 * number + 1, number / 2, number + 1, 1, 0};
    if (isnan(number))
        return false;
    for (size_t i = 0; i < PL_COUNT_OF(candidate); i++)
        if (isfinite(candidate[i]) && candidate[i] != number &&
            pl_parameters_put_number(parameters, value->path, candidate[i], PL_FROM_ASSUMED, NULL, "test", &err) ==
                PL_OK &&
            pl_machine_finish(parameters, moved, &err) == PL_OK)
            return true;
    return false;
}

static void what_has_no_effect_has_none(void **state)
{
    unsigned tried = 0;
    for (size_t i = 0; i < PL_COUNT_OF(machines); i++) {
        struct pl_machine machine, moved;
        struct pl_error err;
        struct pl_parameters *given = parameters_of(i);
        must(pl_machine_finish(given, &machine, &err), &err);
        const struct outcome want = outcome_of(&machine);
        for (size_t at = 0; at < pl_parameters_count(given); at++) {
            struct pl_parameters *parameters;
            must(pl_parameters_copy(given, arena, &parameters, &err), &err);
            const struct pl_parameter_value *value = pl_parameters_at(parameters, at);
            if (!pl_machine_needs(&machine, value->path) || !move(parameters, value, &machine, &moved))
                continue;
            const struct outcome got = outcome_of(&moved);
            if (memcmp(&got, &want, sizeof want))
                fail_msg("machine %zu: %s has an effect", i, value->path);
            tried++;
        }
    }
    assert_true(tried > 200);
}

static void what_it_needs_is_named(void **state)
{
    struct pl_machine machine;
    struct pl_error err;
    must(pl_machine_finish(parameters_of(5), &machine, &err), &err); /* zram with lz4 */
    assert_non_null(strstr(pl_machine_needs(&machine, "store.ratio"), "store.codec = constant"));
    assert_non_null(strstr(pl_machine_needs(&machine, "memory.resident"), "memory.lists = false"));
    assert_non_null(strstr(pl_machine_needs(&machine, "store.region_bytes"), "store.space = regions"));
    assert_null(pl_machine_needs(&machine, "store.content"));
    assert_null(pl_machine_needs(&machine, "store.enabled"));
    must(pl_machine_finish(parameters_of(0), &machine, &err), &err); /* no store */
    assert_non_null(strstr(pl_machine_needs(&machine, "store.max_bytes"), "store.enabled = true"));
    assert_non_null(strstr(pl_machine_needs(&machine, "disk.ssd.channels"), "disk.kind = ssd"));
    assert_null(pl_machine_needs(&machine, "store.enabled"));
    assert_null(pl_machine_needs(&machine, "disk.hdd.speed"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_no_effect_has_none),
        cmocka_unit_test(what_it_needs_is_named),
    };
    struct pl_random random = pl_random_seeded(5);
    arena = pl_arena_create();
    if (!arena)
        return 99;
    for (unsigned i = 0; i < TOUCHES; i++) {
        page[i] = i < PAGES ? i : (pl_page)pl_random_below(&random, PAGES);
        kind[i] = pl_random_below(&random, 3) ? PL_READ : PL_WRITE;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pl_arena_destroy(arena);
    return failed;
}
