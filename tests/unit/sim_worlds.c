/* tests/unit/sim_worlds.c: random machines with random traces on them: every policy, store, device and control record.
 *
 * A seed makes one world. */
#include "sim_worlds.h"

#include "base/random.h"
#include "sim_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSES = 3, THREADS = 2 };

static struct pl_random rng;
static const struct world_size *size;
uint64_t worlds_seed;

static uint64_t below(uint64_t bound)
{
    return pl_random_below(&rng, bound);
}

static bool once_in(uint64_t n)
{
    return below(n) == 0;
}

/* --- machines ------------------------------------------------------------------------- */

static const char *one_of(const char *const *choices)
{
    size_t count = 0;
    while (choices[count])
        count++;
    return choices[below(count)];
}

static const char *const policies[] = {"lru", "aging", "fifo", "clock", "random", "twoq", "opt", NULL};
static const char *const spaces[] = {"ideal", "regions", "zsmalloc", "zbud", "z3fold", NULL};
static const char *const codecs[] = {"constant", "constant", "lz4", "wkdm", NULL};
static const char *const dedups[] = {"none", "hash128", "hash32", NULL};
static const char *const zero_takes[] = {"pages", "half", NULL};
static const char *const zero_locks[] = {"spin", "queued", "sleep", NULL};
static const char *const sames[] = {"none", "zero", "word", NULL};
static const char *const fulls[] = {"write-oldest", "reject", NULL};
static const char *const takes[] = {"all", "dirty", NULL};
static const char *const flags[] = {"true", "false", NULL};
static const char *const scopes[] = {"process", "global", NULL};
static const char *const touches[] = {"demand-zero", "disk", NULL};
static const char *const disks[] = {"constant", "constant", "hdd", "ssd", "ram", NULL};
static const char *const files[] = {"unlimited", "0", "10p", "64p", NULL};
static const char *const contents[] = {"text", "hash", "zeros", "same", "index", NULL};
static const char *const orders[] = {"threads", "threads", "trace", NULL};

struct changes {
    struct pl_arena *arena;
    const char *item[80];
    size_t count;
};

static void change(struct changes *changes, const char *path, const char *value)
{
    changes->item[changes->count++] = pl_arena_printf(changes->arena, "%s=%s", path, value);
}

static void change_number(struct changes *changes, const char *path, uint64_t value, const char *unit)
{
    changes->item[changes->count++] =
        pl_arena_printf(changes->arena, "%s=%llu%s", path, (unsigned long long)value, unit);
}

static void random_memory(struct changes *changes)
{
    bool lists = !once_in(3);
    change(changes, "memory.lists", lists ? "true" : "false");
    change_number(changes, "memory.total", 12 + below(size->frames), "p");
    change_number(changes, "memory.kernel", below(5), "p");
    change_number(changes, "memory.resident", 1 + below(size->frames / 2), "p");
    change(changes, "memory.first_touch", one_of(touches));
    if (once_in(3))
        change_number(changes, "memory.commit_limit", 20 + below(3 * size->pages), "p");
    if (lists && once_in(3)) {
        change_number(changes, "memory.page_table_entries", 4 + below(16), "");
        change_number(changes, "memory.ws_list_entries", 4 + below(16), "");
    }
    change(changes, "working_set.policy", one_of(policies));
    change(changes, "working_set.scope", one_of(scopes));
    if (once_in(2))
        change_number(changes, "working_set.maximum", 3 + below(20), "p");
    change(changes, "working_set.hard_maximum", one_of(flags));
    change_number(changes, "working_set.minimum", below(3), "p");
    change_number(changes, "working_set.grow_above", below(10), "p");
    uint64_t low = below(8);
    change_number(changes, "working_set.trim_below", low, "p");
    change_number(changes, "working_set.trim_until", low + below(8), "p");
    change_number(changes, "working_set.manager_period", 200 + below(20000), "us");
    if (lists && once_in(3)) {
        change_number(changes, "working_set.priority", below(8), "");
        change_number(changes, "working_set.section_priority", below(8), "");
        change_number(changes, "memory.bad", below(3), "p");
        change_number(changes, "writer.file_hold", 100 + below(5000), "us");
    }
    if (lists && once_in(4))
        change_number(changes, "memory.combine_period", 300 + below(20000), "us");
    change_number(changes, "zero.threads", below(3), "");
    change_number(changes, "zero.free_above", below(4), "p");
    change_number(changes, "zero.batch", 1 + below(4), "");
    change_number(changes, "zero.period", 100 + below(5000), "us");
    if (once_in(2)) {
        change(changes, "zero.take", one_of(zero_takes));
        change(changes, "zero_lock.kind", one_of(zero_locks));
        change_number(changes, "zero_lock.acquire", below(50), "ns");
        change_number(changes, "zero_lock.hand_over", below(2000), "ns");
        change_number(changes, "zero_lock.per_spinner", below(500), "ns");
        change_number(changes, "cost.zero_lock", below(200), "ns");
        change_number(changes, "cost.zero_link", below(200), "ns");
    }
}

static void random_store(struct changes *changes)
{
    change(changes, "store.enabled", once_in(4) ? "false" : "true");
    change(changes, "store.codec", one_of(codecs));
    change(changes, "store.space", one_of(spaces));
    change(changes, "store.region_bytes", "16KiB");
    change(changes, "store.dedup", one_of(dedups));
    change(changes, "store.same_filled", one_of(sames));
    change(changes, "store.when_full", one_of(fulls));
    change(changes, "store.takes", one_of(takes));
    change(changes, "store.exclusive", one_of(flags));
    change(changes, "store.content", one_of(contents));
    change(changes, "store.in_memory", one_of(flags));
    change(changes, "store.touch_cancels", one_of(flags));
    change_number(changes, "store.workers", 1 + below(3), "");
    change_number(changes, "store.queue", 1 + below(12), "");
    if (once_in(2))
        change_number(changes, "store.max_pages", below(40), "p");
    if (once_in(2))
        change_number(changes, "store.max_bytes", 4 + below(60), "KiB");
    if (once_in(3)) {
        change(changes, "store.write_above", "0.9");
        change(changes, "store.write_to", "0.5");
    }
}

static void random_devices(struct changes *changes)
{
    change(changes, "disk.kind", one_of(disks));
    change(changes, "page_file.size", one_of(files));
    if (once_in(2))
        change(changes, "disk.constant.servers", "unlimited");
    change_number(changes, "disk.constant.read_page", below(200), "us");
    change_number(changes, "disk.constant.write_page", below(200), "us");
    change_number(changes, "page_file.read_cluster", 1 + below(8), "");
    change(changes, "page_file.write_waits", one_of(flags));
    change_number(changes, "writer.cluster", 1 + below(12), "");
    change_number(changes, "writer.modified_above", below(12), "p");
    change_number(changes, "writer.available_below", below(12), "p");
    if (once_in(3))
        change_number(changes, "writer.age", 100 + below(20000), "us");
    change_number(changes, "run.cpus", below(4), "");
    change_number(changes, "run.quantum", 1 + below(30), "us");
    change_number(changes, "run.lookahead", below(3), "us");
    change_number(changes, "run.window", 1 + below(300), "");
    change(changes, "run.order", one_of(orders));
}

static struct pl_machine random_machine(struct pl_arena *arena)
{
    struct changes changes = {.arena = arena};
    random_memory(&changes);
    random_store(&changes);
    random_devices(&changes);
    changes.item[changes.count] = NULL;
    assert_true(changes.count < PL_COUNT_OF(changes.item));
    return machine_of(arena, NULL, changes.item);
}

/* --- traces ------------------------------------------------------------------------------ */

/* Pages of a process are those with its number modulo PROCESSES, so that each belongs to one. */
struct writer {
    struct script script;
    unsigned process, threads_seen;
    bool exited[PROCESSES];
};

static pl_page some_page(const struct writer *writer)
{
    uint64_t reach = once_in(3) ? size->pages : size->pages / 4;
    return (pl_page)(below(reach) * PROCESSES + writer->process);
}

static void switch_process(struct writer *writer)
{
    unsigned process = (unsigned)below(PROCESSES);
    if (writer->exited[process])
        return;
    writer->process = process;
    script_control(&writer->script, PL_OP_SWITCH, 0, 100 + process, below(THREADS), 0, "worker");
}

static void some_touches(struct writer *writer)
{
    for (uint64_t n = 1 + below(30); n > 0; n--)
        script_touch(&writer->script, some_page(writer), (enum pl_kind)below(3));
}

static void some_range(struct writer *writer)
{
    uint64_t count = 1 + below(size->pages / 2);
    bool backward = once_in(4);
    pl_page first = (pl_page)((backward ? count + below(size->pages - count) : below(size->pages - count)) * PROCESSES + writer->process);
    enum pl_kind kind = (enum pl_kind)below(3);
    uint64_t step = backward ? (uint64_t)-PROCESSES : PROCESSES;
    for (uint64_t passes = 1 + below(3); passes > 0; passes--)
        script_range(&writer->script, first, count, step, kind);
}

static const char *const words[] = {"zeros", "index", "rand", "hash", "rand lz4=900 constant=1000", "nonsense", NULL};

static void some_control(struct writer *writer)
{
    struct script *script = &writer->script;
    pl_page page = some_page(writer);
    switch (below(13)) {
    case 0:
        script_control(script, PL_OP_PHASE, 0, 0, 0, 0, "next");
        break;
    case 1:
        script_control(script, PL_OP_SLEEP, 0, below(300) * (uint64_t)PL_PS_PER_US, 0, 0, NULL);
        break;
    case 2:
        script_control(script, PL_OP_COMPUTE, 0, below(50) * (uint64_t)PL_PS_PER_US, 0, 0, NULL);
        break;
    case 3:
        script_control(script, PL_OP_ALLOCATE, (unsigned)below(6), page, 1, 0, NULL);
        break;
    case 4:
        script_control(script, PL_OP_FREE, 0, page, 1, 0, NULL);
        break;
    case 5:
        script_control(script, PL_OP_TRIM, 0, once_in(2) ? 0 : UINT64_MAX, 0, 0, NULL);
        break;
    case 6:
        script_control(script, PL_OP_CONTENT, 0, page, 1, below(4), one_of(words));
        break;
    case 7:
        script_control(script, PL_OP_LIST, (unsigned)below(5), 0, 0, 0, NULL);
        break;
    case 8:
        script_control(script, PL_OP_PREFETCH, 0, page, 1, 0, NULL);
        break;
    case 9:
        script_control(script, PL_OP_LOST, 0, 1, 0, 0, NULL);
        break;
    case 10:
        script_control(script, PL_OP_ACCESSES, 0, below(5000), 0, 0, NULL);
        break;
    case 11:
        script_control(script, PL_OP_START, 0, 100 + writer->process, 0, 0, "started");
        break;
    case 12:
        if (once_in(20) && script->count > 100) {
            script_control(script, PL_OP_EXIT, 0, 100 + writer->process, 0, 0, NULL);
            writer->exited[writer->process] = true;
            for (unsigned i = 0; i < 10 && writer->exited[writer->process]; i++)
                switch_process(writer);
        }
        break;
    }
}

static struct script random_script(size_t touches_wanted)
{
    struct writer writer = {.process = 0};
    switch_process(&writer);
    for (unsigned guard = 0; writer.script.count < touches_wanted && guard < 4000; guard++) {
        if (writer.exited[writer.process])
            break;
        if (once_in(4))
            switch_process(&writer);
        if (once_in(3))
            some_range(&writer);
        some_touches(&writer);
        if (once_in(2))
            some_control(&writer);
    }
    /* All pages at once, so that batches may be cut anywhere. */
    writer.script.distinct = size->pages * PROCESSES;
    return writer.script;
}

/* The policy opt knows the order of touches: one thread, no ranges. */
static struct script random_touches(size_t touches_wanted)
{
    struct writer writer = {.process = 0};
    while (writer.script.count < touches_wanted) {
        some_touches(&writer);
        if (once_in(8))
            script_control(&writer.script, PL_OP_TRIM, 0, 0, 0, 0, NULL);
        if (once_in(8))
            script_control(&writer.script, PL_OP_FREE, 0, some_page(&writer), 1, 0, NULL);
        if (once_in(8))
            script_control(&writer.script, PL_OP_SLEEP, 0, below(300) * (uint64_t)PL_PS_PER_US, 0, 0, NULL);
    }
    writer.script.distinct = size->pages * PROCESSES;
    return writer.script;
}

/* The index of each touch's next one to the same page. */
static uint32_t *next_uses(const struct script *script, struct pl_arena *arena)
{
    uint32_t *next = pl_arena_alloc(arena, script->count + 1, sizeof *next);
    uint32_t *seen = pl_arena_alloc(arena, (size_t)script->distinct, sizeof *seen);
    memset(seen, 0xFF, (size_t)script->distinct * sizeof *seen);
    for (size_t i = script->count; i-- > 0; seen[script->page[i]] = (uint32_t)i)
        next[i] = seen[script->page[i]];
    return next;
}

/* --- what must hold ------------------------------------------------------------------------- */

static void check_sums(const struct pl_sim_result *result)
{
    struct pl_sim_cell sum = {0};
    for (size_t i = 0; i < result->process_count; i++) {
        sum.touches += result->process[i].all.touches;
        for (int c = 0; c < PL_COMPONENTS; c++) {
            assert_true(result->process[i].all.time_ps[c] >= 0);
            sum.time_ps[c] += result->process[i].all.time_ps[c];
        }
    }
    pl_time_ps phases = 0;
    for (size_t i = 0; i < result->phase_count; i++)
        phases += result->phase[i].end_ps - result->phase[i].start_ps;
    assert_int_equal(phases, result->elapsed_ps);
    assert_int_equal(sum.touches, result->all.touches);
    for (int c = 0; c < PL_COMPONENTS; c++)
        assert_int_equal(sum.time_ps[c], result->all.time_ps[c]);
}

static bool same_run(const struct pl_sim_result *a, const struct pl_sim_result *b)
{
    return a->elapsed_ps == b->elapsed_ps && !memcmp(&a->all, &b->all, sizeof a->all) &&
           !memcmp(&a->totals, &b->totals, sizeof a->totals);
}

/* Another run of the same gives the same. */
static void run_twice(const struct script *script, const struct pl_machine *machine, const struct pl_sim_options *options)
{
    struct pl_sim *again = script_run(script, machine, options, SIZE_MAX);
    struct pl_sim *third = script_run(script, machine, options, SIZE_MAX);
    if (!same_run(pl_sim_result(again), pl_sim_result(third)))
        fail_msg("two runs of the same differ");
    pl_sim_destroy(again);
    pl_sim_destroy(third);
}

uint64_t world_run(uint64_t seed, const struct world_size *world)
{
    size = world;
    rng = pl_random_seeded(seed);
    struct pl_arena *arena = pl_arena_create();
    struct pl_machine machine = random_machine(arena);
    bool opt = !strcmp(machine.policy_name, "opt");
    struct script script = opt ? random_touches(size->touches) : random_script(size->touches);
    struct pl_sim_options options = {.check = true, .interval_ps = once_in(3) ? 10 * PL_PS_PER_MS : 0};
    if (opt)
        options.future = (struct pl_future){script.page, next_uses(&script, arena), (uint32_t)script.count};
    struct pl_sim *sim = script_run(&script, &machine, &options, 1 + below(3000));
    const struct pl_sim_result *result = pl_sim_result(sim);
    check_sums(result);
    if (result->stopped && !strstr(result->stopped, "out of memory") && !strstr(result->stopped, "the page file is full") &&
        !strstr(result->stopped, "there is no page file"))
        fail_msg("seed %llu: %s", (unsigned long long)seed, result->stopped);
    uint64_t checks = result->checks;
    if (once_in(world->once_again))
        run_twice(&script, &machine, &options);
    pl_sim_destroy(sim);
    script_free(&script);
    pl_arena_destroy(arena);
    return checks;
}

uint64_t worlds_run(uint64_t first_seed, uint64_t events, const struct world_size *world)
{
    const char *wanted = getenv("PL_SIM_EVENTS"), *only = getenv("PL_SIM_SEED");
    uint64_t seen = 0, seed = only ? strtoull(only, NULL, 10) : first_seed;
    events = wanted ? strtoull(wanted, NULL, 10) : events;
    if (only)
        return world_run(seed, world);
    for (; seen < events; seed++) {
        worlds_seed = seed;
        seen += world_run(seed, world);
    }
    print_message("# %llu events checked, %llu worlds\n", (unsigned long long)seen,
                  (unsigned long long)(seed - first_seed));
    return seen;
}
