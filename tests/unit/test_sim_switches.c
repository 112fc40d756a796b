/* tests/unit/test_sim_switches.c: no dead switches. Every parameter of a machine changes what a run reports; every list
 * fills, every actor works, every kind of fault happens.
 *
 * The variations are data: a parameter, the world in which it matters, what else must be set there, and another value. A
 * parameter without a row fails the test, as does a row that changes nothing. */
#include "base/random.h"
#include "sim_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- traces ------------------------------------------------------------------------------- */

enum { PROCESSES = 3, OWN = 200 }; /* pages of a process */

static pl_page page_of(unsigned process, uint64_t i)
{
    return (pl_page)(process * OWN + i);
}

static void touch_some(struct script *script, struct pl_random *random, unsigned process, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint64_t reach = pl_random_below(random, 3) ? 12 : 60;
        unsigned kind = (unsigned)pl_random_below(random, 8);
        script_touch(script, page_of(process, pl_random_below(random, reach)),
                     kind < 4 ? PL_READ : kind < 7 ? PL_WRITE : PL_EXECUTE);
    }
}

/* Pages whose content is known, some of them equal, some of one word. */
static void tell_contents(struct script *script, unsigned process)
{
    script_control(script, PL_OP_CONTENT, 0, page_of(process, 0), 4, 0, "zeros");
    script_control(script, PL_OP_CONTENT, 0, page_of(process, 4), 30, 7, "rand");
    script_control(script, PL_OP_CONTENT, 0, page_of(process, 34), 6, 0, "index");
    script_control(script, PL_OP_CONTENT, 0, page_of(process, 40), 6, 5, "same");
}

/* Everything that a trace can say but what ends a process. */
static struct script busy_script(void)
{
    struct script script = {0};
    struct pl_random random = pl_random_seeded(4);
    for (unsigned p = 0; p < PROCESSES; p++) {
        script_control(&script, PL_OP_SWITCH, 0, 10 + p, 1, 0, "worker");
        tell_contents(&script, p);
        script_control(&script, PL_OP_ALLOCATE, 2, page_of(p, 80), 8, 0, NULL);
        script_control(&script, PL_OP_ALLOCATE, 3, page_of(p, 90), 8, 0, NULL);
        script_range(&script, page_of(p, 80), 18, 1, PL_WRITE);
    }
    for (unsigned round = 0; round < 60; round++) {
        unsigned p = (unsigned)pl_random_below(&random, PROCESSES);
        script_control(&script, PL_OP_SWITCH, 0, 10 + p, 1 + round % 2, 0, "worker");
        touch_some(&script, &random, p, 60);
        if (round % 6 == 5)
            script_range(&script, page_of(p, 80), 18, 1, round % 4 ? PL_READ : PL_WRITE);
        if (round % 9 == 8)
            script_control(&script, PL_OP_COMPUTE, 0, 300 * (uint64_t)PL_PS_PER_US, 0, 0, NULL);
        if (round % 12 == 11)
            script_control(&script, PL_OP_TRIM, 0, 0, 0, 0, NULL);
        if (round % 10 == 9)
            script_control(&script, PL_OP_SLEEP, 0, 2 * (uint64_t)PL_PS_PER_MS, 0, 0, NULL);
        if (round == 20)
            script_control(&script, PL_OP_ACCESSES, 0, 8, 0, 0, NULL);
        if (round % 8 == 5) /* of pages that are there, unlike the first time */
            script_control(&script, PL_OP_CONTENT, 0, page_of(p, 0), 4, 0, "zeros");
        if (round == 30)
            script_control(&script, PL_OP_PHASE, 0, 0, 0, 0, "second half");
    }
    script.distinct = PROCESSES * OWN;
    return script;
}

/* One process, touches alone. */
static struct script plain_script(void)
{
    struct script script = {0};
    struct pl_random random = pl_random_seeded(5);
    touch_some(&script, &random, 0, 3000);
    script.distinct = OWN;
    return script;
}

/* --- runs ---------------------------------------------------------------------------------- */

enum world { LISTS, DIRECT, TIMED, COUNTED, WORLDS };

static const char *const lists_machine[] = {
    "memory.total=84p", "memory.kernel=4p", "working_set.policy=aging", "working_set.trim_below=6p",
    "working_set.trim_until=12p", "working_set.manager_period=500us", "writer.modified_above=3p", "writer.cluster=4",
    "zero.threads=1", "zero.free_above=0", "zero.period=400us", "store.enabled=true", "store.ratio=2",
    "store.max_bytes=64KiB", "disk.constant.read_page=100us", "disk.constant.write_page=80us", "page_file.size=600p",
    "run.cpus=2", "run.quantum=20us", "run.lookahead=1us", NULL};
static const char *const direct_machine[] = {
    "memory.lists=false", "memory.total=2MiB", "memory.resident=20p", "working_set.scope=global", "store.enabled=true",
    "store.ratio=2", "store.max_pages=15p", "disk.constant.read_page=100us", "disk.constant.write_page=80us", NULL};

/* Everything that a result says, as numbers. */
struct figures {
    uint64_t number[1000];
    size_t count;
};

static void note(struct figures *figures, const void *from, size_t bytes)
{
    assert_true(bytes % sizeof(uint64_t) == 0 && figures->count + bytes / 8 <= PL_COUNT_OF(figures->number));
    memcpy(figures->number + figures->count, from, bytes);
    figures->count += bytes / sizeof(uint64_t);
}

static void note_result(struct figures *figures, const struct pl_sim_result *result)
{
    *figures = (struct figures){0};
    note(figures, &result->elapsed_ps, sizeof result->elapsed_ps);
    note(figures, &result->all, sizeof result->all);
    note(figures, &result->totals, sizeof result->totals);
    for (int kind = 0; kind < PL_FAULT_KINDS; kind++)
        note(figures, &result->fault_latency[kind].sum, sizeof result->fault_latency[kind].sum);
    for (int list = 0; list < PL_LISTS; list++) {
        uint64_t pages = result->end.list[list];
        note(figures, &pages, sizeof pages);
    }
    note(figures, &result->end.commit_pages, sizeof result->end.commit_pages);
    note(figures, &result->end.file_pages, sizeof result->end.file_pages);
    uint64_t store[] = {result->store.pages, result->store.same_filled, result->store.duplicates,
                        result->store.raw, result->store.compressed_bytes, result->store.limited_bytes,
                        result->store.space.used_bytes, result->store.hash_compares};
    note(figures, store, sizeof store);
}

/* Touch i of a world with times is at i times 2 us, or after 40 i instructions. */
static struct pl_sim *run_timed(const struct script *script, const struct pl_machine *machine, enum pl_clock clock)
{
    struct pl_sim_options options = {.clock = clock};
    struct pl_sim *sim;
    int64_t *time = malloc(script->count * sizeof *time);
    assert_non_null(time);
    for (size_t i = 0; i < script->count; i++)
        time[i] = (int64_t)i * (clock == PL_CLOCK_PICOSECONDS ? 2 * PL_PS_PER_US : 40);
    struct pl_batch batch = {.count = script->count, .page = script->page, .kind = script->kind, .time = time,
                             .distinct = script->distinct};
    assert_int_equal(pl_sim_create(machine, &options, &sim, NULL), PL_OK);
    assert_int_equal(pl_sim_feed(sim, &batch, NULL), PL_OK);
    assert_int_equal(pl_sim_finish(sim, NULL), PL_OK);
    free(time);
    return sim;
}

enum { SETTINGS = 48 };

/* `words` are assignments separated by spaces; `extra` one more. Both may be NULL. */
static struct pl_sim *run_world(enum world world, const char *words, const char *extra)
{
    struct pl_arena *arena = pl_arena_create();
    const char *changes[SETTINGS] = {NULL};
    size_t count = 0;
    for (const char *const *change = world == LISTS ? lists_machine : direct_machine; *change; change++)
        changes[count++] = *change;
    char *copy = pl_arena_strdup(arena, words ? words : "");
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        changes[count++] = word;
    changes[count++] = extra;
    assert_true(count < SETTINGS);
    struct pl_machine machine = machine_of(arena, NULL, changes);
    struct script script = world == LISTS ? busy_script() : plain_script();
    struct pl_sim *sim = world == TIMED     ? run_timed(&script, &machine, PL_CLOCK_PICOSECONDS)
                         : world == COUNTED ? run_timed(&script, &machine, PL_CLOCK_INSTRUCTIONS)
                                            : script_run(&script, &machine, NULL, 500);
    script_free(&script);
    pl_arena_destroy(arena);
    return sim;
}

static struct pl_sim *run_lists(const char *words)
{
    return run_world(LISTS, words, NULL);
}

static void note_world(enum world world, const char *words, const char *extra, struct figures *out)
{
    struct pl_sim *sim = run_world(world, words, extra);
    note_result(out, pl_sim_result(sim));
    pl_sim_destroy(sim);
}

/* --- variations -------------------------------------------------------------------------------- */

struct variation {
    const char *path, *value;
    enum world world;
    const char *with; /* what else is set, in both runs */
};

static const struct variation variations[] = {
    {"memory.page_size", "8KiB", DIRECT, NULL},
    {"memory.total", "60p", LISTS, NULL},
    {"memory.kernel", "20p", LISTS, NULL},
    {"memory.bad", "9p", LISTS, NULL},
    {"memory.resident", "24p", DIRECT, NULL},
    {"memory.lists", "true", DIRECT, NULL},
    {"memory.first_touch", "disk", DIRECT, NULL},
    {"memory.drop_zeros", "false", LISTS, NULL},
    {"memory.commit_limit", "30p", LISTS, NULL},
    {"memory.page_table_entries", "16", LISTS, NULL},
    {"memory.ws_list_entries", "16", LISTS, NULL},

    {"working_set.policy", "random", DIRECT, NULL},
    {"working_set.scope", "global", LISTS, NULL},
    {"working_set.minimum", "30p", LISTS, NULL},
    {"working_set.maximum", "10p", LISTS, NULL},
    {"working_set.hard_maximum", "true", LISTS, "working_set.maximum=10p"},
    {"working_set.grow_above", "40p", LISTS, "working_set.maximum=10p"},
    {"working_set.trim_below", "0", LISTS, NULL},
    {"working_set.trim_until", "30p", LISTS, NULL},
    {"working_set.manager_period", "2ms", LISTS, NULL},
    {"working_set.aging_share", "1", LISTS, NULL},
    {"working_set.priority", "6", LISTS, NULL},
    {"working_set.section_priority", "6", LISTS, NULL},
    {"working_set.examine", "1", DIRECT, "working_set.policy=aging"},
    {"working_set.kin_share", "0.8", DIRECT, "working_set.policy=twoq"},
    {"working_set.kout_share", "0.1", DIRECT, "working_set.policy=twoq"},

    {"writer.modified_above", "30p", LISTS, NULL},
    {"writer.available_below", "30p", LISTS, "writer.modified_above=unlimited"},
    {"writer.cluster", "1", LISTS, "store.enabled=false"},
    {"writer.file_hold", "1ms", LISTS, NULL},
    {"writer.age", "1ms", LISTS, "writer.modified_above=unlimited"},

    {"zero.threads", "0", LISTS, NULL},
    {"zero.free_above", "50p", LISTS, NULL},
    {"zero.batch", "8", LISTS, NULL},
    {"zero.period", "50us", LISTS, NULL},

    {"store.enabled", "false", LISTS, NULL},
    {"store.codec", "lz4", LISTS, NULL},
    {"store.ratio", "3", LISTS, NULL},
    {"store.codec_level", "12", LISTS, "store.codec=zstd store.content=text"},
    {"store.space", "zbud", LISTS, NULL},
    {"store.region_bytes", "16KiB", LISTS, "store.space=regions store.max_bytes=256KiB"},
    {"store.chunk_bytes", "1KiB", LISTS, "store.space=regions store.codec=lz4 store.max_bytes=256KiB"},
    {"store.chain_pages", "1", LISTS, "store.space=zsmalloc store.codec=lz4"},
    {"store.max_pages", "5p", DIRECT, NULL},
    {"store.max_bytes", "16KiB", LISTS, NULL},
    {"store.dedup", "hash128", LISTS, NULL},
    {"store.same_filled", "word", LISTS, NULL},
    {"store.takes", "dirty", DIRECT, NULL},
    {"store.when_full", "reject", LISTS, NULL},
    {"store.exclusive", "false", DIRECT, NULL},
    {"store.accounting", "1996", DIRECT, "store.max_bytes=64KiB"},
    {"store.in_memory", "false", LISTS, NULL},
    {"store.workers", "3", LISTS, "cost.compress=100us run.cpus=0"},
    {"store.queue", "1", LISTS, NULL},
    {"store.touch_cancels", "false", LISTS, "cost.compress=100us"},
    {"store.write_above", "0.6", LISTS, "store.write_to=0.5"},
    {"store.write_to", "0.2", LISTS, "store.write_above=0.9 store.write_to=0.9"},
    {"store.content", "zeros", LISTS, "store.codec=lz4"},
    {"store.extra_writes", "2", DIRECT, NULL},

    {"cost.read", "2ns", DIRECT, NULL},
    {"cost.write", "2ns", DIRECT, NULL},
    {"cost.execute", "2ns", DIRECT, NULL},
    {"cost.access", "1ns", LISTS, NULL},
    {"cost.far_page", "50ns", LISTS, NULL},
    {"cost.instruction", "1ns", COUNTED, "run.pace=instructions"},
    {"cost.demand_zero_fault", "2us", DIRECT, NULL},
    {"cost.transition_fault", "2us", LISTS, NULL},
    {"cost.store_fault", "2us", DIRECT, NULL},
    {"cost.hard_fault", "20us", DIRECT, NULL},
    {"cost.copy_on_write_fault", "20us", WORLDS, NULL},
    {"cost.guard_fault", "20us", WORLDS, NULL},
    {"cost.zero_page", "3us", LISTS, NULL},
    {"cost.zero_lock", "1us", LISTS, NULL},
    {"cost.compress", "20us", DIRECT, NULL},
    {"cost.compress_raw", "20us", DIRECT, "store.codec=lz4 store.content=hash"},
    {"cost.compress_sequence", "100ns", DIRECT, "store.codec=lz4 store.content=text"},
    {"cost.decompress", "20us", DIRECT, NULL},
    {"cost.decompress_raw", "20us", DIRECT, "store.codec=lz4 store.content=hash"},
    {"cost.decompress_sequence", "100ns", DIRECT, "store.codec=lz4 store.content=text"},
    {"cost.same_filled", "20us", LISTS, "store.same_filled=word"},
    {"cost.evict", "1us", DIRECT, NULL},
    {"cost.scan_page", "1us", LISTS, NULL},

    {"page_file.size", "20p", LISTS, NULL},
    {"page_file.read_cluster", "8", LISTS, "store.enabled=false"},
    {"page_file.write_waits", "false", DIRECT, NULL},

    {"run.order", "trace", LISTS, NULL},
    {"run.pace", "trace", TIMED, NULL},
    {"run.lookahead", "1ms", LISTS, NULL},
    {"run.window", "10", LISTS, NULL},
    {"run.cpus", "1", LISTS, NULL},
    {"run.quantum", "1us", LISTS, "run.cpus=1 cost.read=1us"},
    {"run.crowding", "0.5", LISTS, NULL},
    {"run.seed", "9", DIRECT, "working_set.policy=random"},

    {"disk.kind", "hdd", LISTS, NULL},
    {"disk.hdd.capacity", "1GiB", LISTS, "disk.kind=hdd"},
    {"disk.hdd.speed", "5400", LISTS, "disk.kind=hdd"},
    {"disk.hdd.seek_track", "3ms", LISTS, "disk.kind=hdd disk.hdd.capacity=4MiB"},
    {"disk.hdd.seek_average", "12ms", LISTS, "disk.kind=hdd disk.hdd.capacity=4MiB"},
    {"disk.hdd.seek_full", "30ms", LISTS, "disk.kind=hdd disk.hdd.capacity=1MiB page_file.size=250p store.enabled=false"},
    {"disk.hdd.media_rate", "10MiB/s", LISTS, "disk.kind=hdd"},
    {"disk.hdd.overhead", "3ms", LISTS, "disk.kind=hdd"},
    {"disk.hdd.rotation", "angle", LISTS, "disk.kind=hdd"},
    {"disk.hdd.queue", "fifo", LISTS, "disk.kind=hdd store.enabled=false run.cpus=0"},
    {"disk.hdd.streams", "false", LISTS, "disk.kind=hdd"},
    {"disk.ssd.channels", "1", LISTS, "disk.kind=ssd store.enabled=false"},
    {"disk.ssd.read_median", "70us", LISTS, "disk.kind=ssd"},
    {"disk.ssd.read_p99", "900us", LISTS, "disk.kind=ssd"},
    {"disk.ssd.write_median", "60us", LISTS, "disk.kind=ssd"},
    {"disk.ssd.write_p99", "900us", LISTS, "disk.kind=ssd"},
    {"disk.ssd.read_page", "60us", LISTS, "disk.kind=ssd store.enabled=false page_file.read_cluster=8"},
    {"disk.ssd.write_page", "60us", LISTS, "disk.kind=ssd store.enabled=false"},
    {"disk.ssd.read_rate", "9MiB/s", LISTS, "disk.kind=ssd"},
    {"disk.ssd.write_rate", "9MiB/s", LISTS, "disk.kind=ssd"},
    {"disk.constant.servers", "4", LISTS, "store.enabled=false"},
    {"disk.constant.read_request", "50us", LISTS, NULL},
    {"disk.constant.read_page", "300us", LISTS, NULL},
    {"disk.constant.write_request", "50us", LISTS, NULL},
    {"disk.constant.write_page", "300us", LISTS, NULL},
    {"disk.ram.copies_at_once", "1", LISTS, "disk.kind=ram disk.ram.overhead=50us store.enabled=false"},
    {"disk.ram.overhead", "50us", LISTS, "disk.kind=ram"},
    {"disk.ram.read_rate", "9MiB/s", LISTS, "disk.kind=ram"},
    {"disk.ram.write_rate", "9MiB/s", LISTS, "disk.kind=ram"},
};

/* --- every kind of fault ------------------------------------------------------------------------- */

/* Two threads of a process want the same page from the disk; two equal pages become one and are written; guard pages are
 * touched; standby pages come back. */
static struct script all_faults_script(void)
{
    struct script script = {0};
    script_control(&script, PL_OP_SWITCH, 0, 10, 1, 0, "first");
    script_control(&script, PL_OP_CONTENT, 0, 0, 8, 7, "index");
    script_control(&script, PL_OP_CONTENT, 0, 8, 2, 0, "same");
    script_control(&script, PL_OP_ALLOCATE, 5, 10, 2, 0, NULL);
    script_range(&script, 0, 12, 1, PL_WRITE);
    script_control(&script, PL_OP_LIST, 4, 0, 0, 0, NULL);
    script_range(&script, 8, 2, 1, PL_WRITE);
    script_control(&script, PL_OP_ALLOCATE, 2, 120, 5, 0, NULL);
    script_range(&script, 20, 100, 1, PL_WRITE);
    script_range(&script, 120, 5, 1, PL_WRITE);
    script_control(&script, PL_OP_TRIM, 0, 0, 0, 0, NULL);
    script_range(&script, 110, 10, 1, PL_READ); /* still listed */
    script_control(&script, PL_OP_SLEEP, 0, 100 * (uint64_t)PL_PS_PER_MS, 0, 0, NULL);
    script_control(&script, PL_OP_PHASE, 0, 0, 0, 0, "again");
    for (unsigned thread = 1; thread <= 2; thread++) {
        script_control(&script, PL_OP_SWITCH, 0, 10, thread, 0, "first");
        script_range(&script, 0, 120, 1, PL_READ);
    }
    script.distinct = 130;
    return script;
}

static struct pl_sim *run_all_faults(const char *extra)
{
    struct pl_arena *arena = pl_arena_create();
    const char *changes[SETTINGS] = {NULL};
    size_t count = 0;
    for (const char *const *change = lists_machine; *change; change++)
        changes[count++] = *change;
    char *copy = pl_arena_strdup(arena, extra ? extra : "");
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        changes[count++] = word;
    struct pl_machine machine = machine_of(arena, NULL, changes);
    struct pl_sim_options options = {.check = true, .interval_ps = 20 * PL_PS_PER_US};
    struct script script = all_faults_script();
    struct pl_sim *sim = script_run(&script, &machine, &options, 500);
    script_free(&script);
    pl_arena_destroy(arena);
    return sim;
}

static void every_kind_of_fault(void **state)
{
    struct pl_sim *sim = run_all_faults(NULL);
    const struct pl_sim_result *result = pl_sim_result(sim);
    assert_null(result->stopped);
    for (int kind = 0; kind < PL_FAULT_KINDS; kind++)
        if (!result->all.faults[kind])
            fail_msg("no %s fault", pl_fault_kind_names[kind]);
    if (!result->all.collided)
        fail_msg("no collided fault");
    assert_true(result->totals.combined > 0);
    pl_sim_destroy(sim);
}

/* --- every list and actor ------------------------------------------------------------------------ */

/* What is on no list unless the machine says so: bad pages, held ones, and standby lists of other priorities than the one
 * that all have. */
static bool fills(int list, int priority, bool bad_and_held)
{
    if (list == PL_LIST_BAD || list == PL_LIST_MODIFIED_NO_WRITE)
        return bad_and_held;
    return list < PL_LIST_STANDBY || list >= PL_LIST_STANDBY + PL_PRIORITIES || list == PL_LIST_STANDBY + priority;
}

static void every_list_fills(void **state)
{
    for (int priority = 0; priority < PL_PRIORITIES; priority++) {
        struct pl_arena *arena = pl_arena_create();
        bool more = priority % 2;
        const char *extra =
            pl_arena_printf(arena, "run.cpus=0 working_set.priority=%d working_set.section_priority=%d%s", priority,
                            priority, more ? " memory.bad=2p writer.file_hold=300us" : "");
        struct pl_sim *sim = run_all_faults(extra);
        const struct pl_sim_result *result = pl_sim_result(sim);
        for (int list = 0; list < PL_LISTS; list++) {
            uint32_t most = 0;
            for (size_t i = 0; i < result->sample_count; i++)
                most = result->sample[i].list[list] > most ? result->sample[i].list[list] : most;
            if ((most > 0) != fills(list, priority, more))
                fail_msg("%s: the %s list has had %u pages", extra, pl_list_names[list], most);
        }
        pl_sim_destroy(sim);
        pl_arena_destroy(arena);
    }
}

/* Without it its figure is 0, and threads spend their time otherwise. */
struct sim_part {
    const char *what, *without;
    size_t figure;    /* in a struct pl_sim_result */
    bool less; /* only shown to do less: waiting threads call the writer */
};

#define FIGURE(field) offsetof(struct pl_sim_result, field)
static const struct sim_part parts[] = {
    {"the working-set manager", "working_set.manager_period=never", FIGURE(totals.manager_runs)},
    {"the modified writer", "writer.modified_above=unlimited", FIGURE(totals.writer_runs), true},
    {"the store worker", "store.enabled=false", FIGURE(totals.worker_busy_ps)},
    {"the store", "store.enabled=false", FIGURE(totals.store_hits)},
    {"write-out of the store", "store.when_full=reject", FIGURE(totals.store_written)},
    {"zeroing threads", "zero.threads=0", FIGURE(totals.zeroed_ahead)},
    {"the page file", "page_file.size=0", FIGURE(end.file_pages)},
    {"processors", "run.cpus=0", FIGURE(all.time_ps[PL_TIME_WAIT_CPU])},
    {"the disk's time", "disk.constant.read_page=0 disk.constant.write_page=0", FIGURE(all.time_ps[PL_TIME_WAIT_DISK])},
};
#undef FIGURE

static uint64_t figure_of(const struct pl_sim *sim, size_t offset)
{
    uint64_t figure;
    memcpy(&figure, (const char *)pl_sim_result(sim) + offset, sizeof figure);
    return figure;
}

static void every_actor_works(void **state)
{
    struct pl_sim *files = run_lists(NULL); /* the mapped-page writer can only be taken away with the mapped files */
    assert_true(pl_sim_result(files)->totals.file_writer_runs > 0);
    pl_sim_destroy(files);
    for (size_t i = 0; i < PL_COUNT_OF(parts); i++) {
        struct pl_sim *with = run_lists(NULL), *without = run_lists(parts[i].without);
        if (!figure_of(with, parts[i].figure))
            fail_msg("%s does nothing", parts[i].what);
        if (parts[i].less ? figure_of(without, parts[i].figure) >= figure_of(with, parts[i].figure)
                                 : figure_of(without, parts[i].figure) > 0)
            fail_msg("%s, taken away, still does something", parts[i].what);
        const struct pl_sim_cell *some = &pl_sim_result(with)->all, *other = &pl_sim_result(without)->all;
        if (!memcmp(some->time_ps, other->time_ps, sizeof some->time_ps))
            fail_msg("%s takes no thread any time and saves none", parts[i].what);
        pl_sim_destroy(with);
        pl_sim_destroy(without);
    }
}

/* --- every parameter ----------------------------------------------------------------------------- */

static bool differs(const struct variation *v)
{
    static struct figures before, after;
    static enum world before_world = WORLDS; /* that of `before`, which rows share */
    static const char *before_with;
    struct pl_arena *arena = pl_arena_create();
    const char *change = pl_arena_printf(arena, "%s=%s", v->path, v->value);
    if (v->world == WORLDS) {
        struct pl_sim *one = run_all_faults(NULL), *other = run_all_faults(change);
        note_result(&before, pl_sim_result(one));
        note_result(&after, pl_sim_result(other));
        pl_sim_destroy(one);
        pl_sim_destroy(other);
    } else {
        if (before_world != v->world || before_with != v->with)
            note_world(v->world, v->with, NULL, &before);
        note_world(v->world, v->with, change, &after);
    }
    before_world = v->world;
    before_with = v->with;
    pl_arena_destroy(arena);
    return memcmp(&before, &after, sizeof before) != 0;
}

static void every_parameter(void **state)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_parameters *parameters;
    unsigned dead = 0;
    assert_int_equal(pl_machine_parameters(arena, &parameters, NULL), PL_OK);
    for (size_t i = 0; i < pl_parameters_count(parameters); i++) {
        const char *path = pl_parameters_at(parameters, i)->path;
        bool has_one = false;
        for (size_t v = 0; v < PL_COUNT_OF(variations); v++)
            if (!strcmp(variations[v].path, path)) {
                has_one = true;
                if (!differs(&variations[v])) {
                    print_message("# %s=%s changes nothing\n", path, variations[v].value);
                    dead++;
                }
            }
        if (!has_one) {
            print_message("# %s has no variation\n", path);
            dead++;
        }
    }
    pl_arena_destroy(arena);
    if (dead)
        fail_msg("%u parameters without influence", dead);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_fault),
        cmocka_unit_test(every_list_fills),
        cmocka_unit_test(every_actor_works),
        cmocka_unit_test(every_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
