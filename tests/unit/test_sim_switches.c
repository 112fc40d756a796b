/* tests/unit/test_sim_switches.c: no dead switches. Every parameter of a machine changes what a run reports; every list
 * fills, every actor works, every kind of fault happens.
 *
 * The variations (sim_variations.c) are data: a parameter, the world in which it matters, what else must be set there,
 * another value, and which results must become more or fewer by it. A parameter without a row fails the test, as does a
 * row of which a single result does not change that way. PL_SHOW=1 prints all that each row changes. */
#include "base/random.h"
#include "sim_machine.h"
#include "sim_variations.h"

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

static const char *const lists_machine[] = {
    "memory.total=84p", "memory.kernel=4p", "working_set.policy=aging", "working_set.trim_below=6p",
    "working_set.trim_until=12p", "working_set.manager_period=500us", "writer.modified_above=3p", "writer.cluster=4",
    "zero.threads=1", "zero.free_above=0", "zero.period=400us", "store.enabled=true", "store.ratio=2",
    "store.max_bytes=64KiB", "disk.constant.read_page=100us", "disk.constant.write_page=80us", "page_file.size=600p",
    "run.cpus=2", "run.quantum=20us", "run.lookahead=1us", NULL};
static const char *const direct_machine[] = {
    "memory.lists=false", "memory.total=2MiB", "memory.resident=20p", "working_set.scope=global", "store.enabled=true",
    "store.ratio=2", "store.max_pages=15p", "disk.constant.read_page=100us", "disk.constant.write_page=80us", NULL};

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
static struct pl_sim *run_watched(enum world world, const char *words, const char *extra,
                                  const struct pl_sim_options *options)
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
                                            : script_run(&script, &machine, options, 500);
    script_free(&script);
    pl_arena_destroy(arena);
    return sim;
}

static struct pl_sim *run_world(enum world world, const char *words, const char *extra)
{
    return run_watched(world, words, extra, NULL);
}

static struct pl_sim *run_lists(const char *words)
{
    return run_world(LISTS, words, NULL);
}

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

/* "+faults_hard": more of them; "-faults_hard": fewer. */
static bool have_effects(const char *what, const char *effects, const struct figures *before,
                         const struct figures *after)
{
    char words[200], *next = words;
    bool fine = true;
    snprintf(words, sizeof words, "%s", effects);
    for (char *word; (word = strtok_r(next, " ", &next)) != NULL;) {
        int64_t was = figure_named(before, word + 1), is = figure_named(after, word + 1);
        assert_true(word[0] == '+' || word[0] == '-');
        if (word[0] == '+' ? is > was : is < was)
            continue;
        print_message("# %s should give %s: %lld before, %lld after\n", what, word, (long long)was, (long long)is);
        fine = false;
    }
    return fine && effects[0];
}

/* A list is taken away by what keeps pages off it. Those that no machine can be without are kept shorter: frames have to be
 * somewhere. What else changes shows that the list mattered. */
struct list_part {
    int list;
    const char *with, *without; /* without: what is set besides */
    bool empties;               /* no page is ever seen on it; else fewer are, on the average */
    const char *effects;
};

#define STANDBY(priority) PL_LIST_STANDBY + (priority)
static const struct list_part lists[] = {
    {PL_LIST_ZERO, "zero.threads=1", "zero.threads=0", false, "-zeroed_ahead +time_zero"},
    {PL_LIST_FREE, "zero.threads=1", "zero.threads=4 zero.batch=8 zero.period=10us run.cpus=0", false,
     "+zeroed_ahead -time_zero"},
    /* Pages of sections, of which many are taken first, or last, or like all others: */
    {STANDBY(0), "working_set.section_priority=0", "working_set.section_priority=5", true, "+list_standby_5"},
    {STANDBY(1), "working_set.section_priority=1", "working_set.section_priority=5", true, "+list_standby_5"},
    {STANDBY(2), "working_set.section_priority=2", "working_set.section_priority=5", true, "+list_standby_5"},
    {STANDBY(3), "working_set.section_priority=3", "working_set.section_priority=5", true, "+list_standby_5"},
    {STANDBY(4), "working_set.section_priority=4", "working_set.section_priority=5", true, "+list_standby_5"},
    {STANDBY(5), "working_set.section_priority=6", "working_set.section_priority=6 working_set.priority=6", true,
     "-list_standby_5 +list_standby_6"},
    {STANDBY(6), "working_set.section_priority=6", "working_set.section_priority=5", true, "-list_standby_6"},
    {STANDBY(7), "working_set.section_priority=7", "working_set.section_priority=5", true, "+list_standby_5"},
    {PL_LIST_MODIFIED, "writer.modified_above=20p", "writer.modified_above=0 writer.available_below=80p", false,
     "+store_puts -faults_transition"},
    {PL_LIST_MODIFIED_FILE, "writer.modified_above=20p", "writer.modified_above=0 writer.available_below=80p", false,
     "+disk_writes -faults_transition"},
    {PL_LIST_MODIFIED_NO_WRITE, "writer.file_hold=1ms", "writer.file_hold=0", true, "+file_writer_runs"},
    {PL_LIST_TRANSITION, "", "disk.constant.read_page=0 disk.constant.write_page=0 cost.compress=0", false,
     "-time_wait_disk -time_wait_memory"},
    {PL_LIST_ACTIVE, "", "working_set.maximum=10p working_set.hard_maximum=true", false,
     "+faults_transition -manager_trimmed"},
    {PL_LIST_BAD, "memory.bad=9p", "memory.bad=0", true, "-faults_hard -list_bad"},
};
#undef STANDBY

/* How many pages the samples saw on a list, on the average. */
static double seen_on(const struct pl_sim *sim, int list)
{
    const struct pl_sim_result *result = pl_sim_result(sim);
    double sum = 0;
    for (size_t i = 0; i < result->sample_count; i++)
        sum += result->sample[i].list[list];
    assert_true(result->sample_count > 0);
    return sum / (double)result->sample_count;
}

static void every_list_matters(void **state)
{
    bool has_row[PL_LISTS] = {false};
    unsigned dead = 0;
    for (size_t i = 0; i < PL_COUNT_OF(lists); i++) {
        const struct list_part *part = &lists[i];
        const struct pl_sim_options options = {.interval_ps = 20 * PL_PS_PER_US};
        struct pl_sim *with = run_watched(LISTS, part->with, NULL, &options);
        struct pl_sim *without = run_watched(LISTS, part->without, NULL, &options);
        double before = seen_on(with, part->list), after = seen_on(without, part->list);
        struct figures some, other;
        figures_take(&some, pl_sim_result(with));
        figures_take(&other, pl_sim_result(without));
        has_row[part->list] = true;
        if (getenv("PL_SHOW")) {
            struct variation shown = {.path = pl_list_names[part->list], .value = part->without};
            print_message("# %s: %.2f pages, then %.2f\n", pl_list_names[part->list], before, after);
            figures_print_changes(&shown, &some, &other);
        }
        if (before <= 0 || (part->empties ? after > 0 : after >= before)) {
            print_message("# %s list: %.2f pages, taken away %.2f\n", pl_list_names[part->list], before, after);
            dead++;
        }
        dead += !have_effects(pl_list_names[part->list], part->effects, &some, &other);
        pl_sim_destroy(with);
        pl_sim_destroy(without);
    }
    for (int list = 0; list < PL_LISTS; list++)
        if (!has_row[list])
            fail_msg("the %s list has no row", pl_list_names[list]);
    if (dead)
        fail_msg("%u lists without their influence", dead);
}

/* Without it its figure is 0, and threads spend their time otherwise. */
struct sim_part {
    const char *what, *without;
    size_t figure;    /* in a struct pl_sim_result */
    bool less;           /* only shown to do less: waiting threads call the writer */
    const char *effects; /* of taking it away */
};

#define FIGURE(field) offsetof(struct pl_sim_result, field)
static const struct sim_part parts[] = {
    {"the working-set manager", "working_set.manager_period=never", FIGURE(totals.manager_runs), false,
     "+time_wait_memory"},
    {"the modified writer", "writer.modified_above=unlimited", FIGURE(totals.writer_runs), true,
     "-disk_writes +faults_transition"},
    {"the store worker", "store.enabled=false", FIGURE(totals.worker_busy_ps), false, "-compressions +faults_hard"},
    {"the store", "store.enabled=false", FIGURE(totals.store_hits), false,
     "-faults_store -time_decompress +disk_reads"},
    {"write-out of the store", "store.when_full=reject", FIGURE(totals.store_written), false, "-store_puts"},
    {"zeroing threads", "zero.threads=0", FIGURE(totals.zeroed_ahead), false, "+time_zero"},
    {"the page file", "page_file.size=0", FIGURE(end.file_pages), false, "-disk_writes -faults_hard"},
    {"processors", "run.cpus=0", FIGURE(all.time_ps[PL_TIME_WAIT_CPU]), false, "-time_wait_cpu"},
    {"the disk's time", "disk.constant.read_page=0 disk.constant.write_page=0", FIGURE(all.time_ps[PL_TIME_WAIT_DISK]),
     false, "-elapsed -disk_busy"},
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
        struct figures before, after;
        figures_take(&before, pl_sim_result(with));
        figures_take(&after, pl_sim_result(without));
        if (!have_effects(parts[i].without, parts[i].effects, &before, &after))
            fail_msg("%s, taken away, changes other things", parts[i].what);
        pl_sim_destroy(with);
        pl_sim_destroy(without);
    }
}

/* --- every parameter ----------------------------------------------------------------------------- */

/* Runs the row's world with and without its change. */
static void run_both(const struct variation *v, struct figures *before, struct figures *after)
{
    static struct figures last;
    static enum world last_world = WORLDS; /* that of `last`, which rows share */
    static const char *last_with;
    struct pl_arena *arena = pl_arena_create();
    const char *change = pl_arena_printf(arena, "%s=%s", v->path, v->value);
    struct pl_sim *sim;
    if (v->world == WORLDS || last_world != v->world || last_with != v->with) {
        sim = v->world == WORLDS ? run_all_faults(NULL) : run_world(v->world, v->with, NULL);
        figures_take(&last, pl_sim_result(sim));
        pl_sim_destroy(sim);
    }
    sim = v->world == WORLDS ? run_all_faults(change) : run_world(v->world, v->with, change);
    figures_take(after, pl_sim_result(sim));
    pl_sim_destroy(sim);
    *before = last;
    last_world = v->world;
    last_with = v->with;
    pl_arena_destroy(arena);
}

/* Whether everything that the row says is so. */
static bool holds(const struct variation *v)
{
    struct figures before, after;
    char what[100];
    run_both(v, &before, &after);
    if (getenv("PL_SHOW"))
        figures_print_changes(v, &before, &after);
    snprintf(what, sizeof what, "%s=%s", v->path, v->value);
    return have_effects(what, v->effects, &before, &after);
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
        for (const struct variation *v = variations; v->path; v++)
            if (!strcmp(v->path, path)) {
                has_one = true;
                dead += !holds(v);
            }
        if (!has_one) {
            print_message("# %s has no variation\n", path);
            dead++;
        }
    }
    pl_arena_destroy(arena);
    if (dead)
        fail_msg("%u parameters without their influence", dead);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_fault),
        cmocka_unit_test(every_list_fills),
        cmocka_unit_test(every_list_matters),
        cmocka_unit_test(every_actor_works),
        cmocka_unit_test(every_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
