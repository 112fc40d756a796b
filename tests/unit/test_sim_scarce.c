/* tests/unit/test_sim_scarce.c: with hardly any memory every run ends: done, or with a reason.
 *
 * Threads that want frames can take them from each other, or from themselves, and give them back, for ever; what they wait
 * for can be kept from happening because they never stop trying. A seed makes one machine and one trace; each run must end
 * within a number of events in proportion to its touches, and the whole within SECONDS. PL_SIM_SEED runs one seed again.
 *
 * What ends them is in src/sim/sim_fault.c. Each was taken out once, to see it missed here: without the look for thrashing
 * when a touch goes again, a run never ends (seed 3); without the one when a thread waits for frames, some take three times
 * the events that are allowed (805, 1061); and when a touch that goes again does not let earlier events pass, runs that could
 * have gone on are out of memory (`needs_a_turn`). */
#include "base/random.h"
#include "sim/engine.h"
#include "sim_machine.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 120, SEEDS = 1100, OWN = 24 /* pages of a process */, EVENTS_A_TOUCH = 30, EVENTS_MORE = 8000 };

static struct pl_arena *arena;
static char present[400]; /* what runs now */

static void too_long(int signal_number)
{
    static const char words[] = "# not done in time: ";
    (void)signal_number;
    if (write(1, words, sizeof words - 1) < 0 || write(1, present, strlen(present)) < 0 || write(1, "\n", 1) < 0)
        _exit(2);
    _exit(1);
}

/* --- machines ------------------------------------------------------------------------------------------ */

static const char *const policies[] = {"lru", "aging", "fifo", "clock", "random", "twoq"};

struct family {
    const char *name;
    bool combines; /* equal pages become one, and are written again */
    unsigned processes, threads;
    const char *words; /* what all of it has in common, separated by spaces */
};

static const struct family families[] = {
    {"combined pages", true, 2, 1, "page_file.size=64p"},
    {"combined pages, page tables", true, 2, 1, "page_file.size=64p memory.page_table_entries=8 memory.ws_list_entries=8"},
    {"combined pages, tiny store", true, 2, 2, "page_file.size=64p store.enabled=true store.max_pages=3p"},
    {"combined pages, store in the same frames", true, 3, 1,
     "page_file.size=64p store.enabled=true store.ratio=1.1 store.write_above=0.9 store.write_to=0.5"},
    {"private pages", false, 2, 2, "page_file.size=64p"},
    {"private pages, page tables", false, 3, 1, "page_file.size=80p memory.page_table_entries=4 memory.ws_list_entries=4"},
    {"private pages, tiny store that rejects", false, 2, 1,
     "page_file.size=64p store.enabled=true store.max_bytes=8KiB store.when_full=reject"},
    {"private pages, no page file, store alone", true, 2, 2, "page_file.size=0 store.enabled=true store.ratio=3"},
};

static struct pl_machine machine_for(struct pl_random *random, const struct family *family)
{
    const char *changes[40];
    size_t count = 0;
    unsigned frames = 4 + (unsigned)pl_random_below(random, 22);
    changes[count++] = pl_arena_printf(arena, "memory.total=%up", frames);
    changes[count++] = pl_arena_printf(arena, "working_set.policy=%s", policies[pl_random_below(random, PL_COUNT_OF(policies))]);
    changes[count++] = pl_random_below(random, 2) ? "working_set.scope=global" : "working_set.scope=process";
    changes[count++] = pl_arena_printf(arena, "writer.cluster=%llu", (unsigned long long)(1 + pl_random_below(random, 8)));
    changes[count++] = pl_arena_printf(arena, "writer.modified_above=%llup", (unsigned long long)pl_random_below(random, 4));
    changes[count++] = pl_random_below(random, 2) ? "disk.constant.servers=1" : "disk.constant.servers=unlimited";
    changes[count++] = pl_random_below(random, 3) ? "run.cpus=0" : "run.cpus=1";
    changes[count++] = pl_random_below(random, 2) ? "working_set.manager_period=1ms" : "working_set.manager_period=never";
    changes[count++] = pl_random_below(random, 2) ? "store.touch_cancels=true" : "store.touch_cancels=false";
    for (char *word = strtok(pl_arena_strdup(arena, family->words), " "); word; word = strtok(NULL, " "))
        changes[count++] = word;
    changes[count] = NULL;
    assert_true(count < PL_COUNT_OF(changes));
    snprintf(present + strlen(present), sizeof present - strlen(present), ", %u frames", frames);
    return machine_of(arena, NULL, changes);
}

/* --- traces --------------------------------------------------------------------------------------------- */

static void some_work(struct script *script, struct pl_random *random, const struct family *family, pl_page first)
{
    for (unsigned i = 0; i < 3; i++) {
        uint64_t from = pl_random_below(random, OWN - 4), count = 1 + pl_random_below(random, OWN - from);
        script_range(script, first + (pl_page)from, count, 1, pl_random_below(random, 3) ? PL_WRITE : PL_READ);
        if (family->combines && pl_random_below(random, 2))
            script_control(script, PL_OP_LIST, 4, 0, 0, 0, NULL);
        if (pl_random_below(random, 4) == 0)
            script_control(script, PL_OP_TRIM, 0, 0, 0, 0, NULL);
    }
}

static struct script trace_for(struct pl_random *random, const struct family *family)
{
    struct script script = {0};
    for (unsigned round = 0; round < 3; round++)
        for (unsigned process = 0; process < family->processes; process++)
            for (unsigned thread = 0; thread < family->threads; thread++) {
                pl_page first = process * OWN;
                script_control(&script, PL_OP_SWITCH, 0, 1 + process, thread, 0, NULL);
                if (family->combines && round == 0)
                    script_control(&script, PL_OP_CONTENT, 0, first, OWN, 9, "same");
                some_work(&script, random, family, first);
            }
    script.distinct = (uint64_t)family->processes * OWN;
    return script;
}

static uint64_t touches_of(const struct script *script)
{
    uint64_t touches = 0;
    for (size_t i = 0; i < script->control_count; i++)
        touches += script->control[i].op == PL_OP_RANGE ? script->control[i].b : 0;
    return touches;
}

/* --- runs ------------------------------------------------------------------------------------------------- */

/* Threads of these give up, unless whoever frees frames has its turn between their attempts. */
static const uint64_t needs_a_turn[] = {15, 31, 35, 63, 71, 87, 111, 119, 153, 167, 221, 247, 249, 271, 273, 328};

static bool must_be_done(uint64_t seed)
{
    for (size_t i = 0; i < PL_COUNT_OF(needs_a_turn); i++)
        if (needs_a_turn[i] == seed)
            return true;
    return false;
}

struct tally {
    unsigned done, stopped;
    uint64_t most_events; /* a touch, of those that were done */
};

static void run_seed(uint64_t seed, struct tally *tally)
{
    const struct family *family = &families[seed % PL_COUNT_OF(families)];
    struct pl_random random = pl_random_seeded(seed);
    snprintf(present, sizeof present, "seed %llu, %s", (unsigned long long)seed, family->name);
    struct pl_machine machine = machine_for(&random, family);
    struct script script = trace_for(&random, family);
    struct pl_sim_options options = {.check = true};
    struct pl_sim *sim = script_run(&script, &machine, &options, 100);
    const struct pl_sim_result *result = pl_sim_result(sim);
    uint64_t touches = touches_of(&script), bound = EVENTS_A_TOUCH * touches + EVENTS_MORE;
    if (result->events > bound)
        fail_msg("%s: %llu events for %llu touches", present, (unsigned long long)result->events, (unsigned long long)touches);
    if (result->stopped ? !strstr(result->stopped, "out of memory") || !result->totals.out_of_memory
                        : result->all.touches != touches)
        fail_msg("%s: %llu of %llu touches; %s", present, (unsigned long long)result->all.touches,
                 (unsigned long long)touches, result->stopped ? result->stopped : "not stopped");
    if (result->stopped && must_be_done(seed))
        fail_msg("%s: %s", present, result->stopped);
    if (result->stopped)
        tally->stopped++;
    else {
        tally->done++;
        tally->most_events = result->events / touches > tally->most_events ? result->events / touches : tally->most_events;
    }
    pl_sim_destroy(sim);
    script_free(&script);
}

static void every_run_ends(void **state)
{
    const char *only = getenv("PL_SIM_SEED");
    struct tally tally = {0};
    uint64_t first = only ? strtoull(only, NULL, 10) : 0, end = only ? first + 1 : SEEDS;
    for (uint64_t seed = first; seed < end; seed++) {
        arena = pl_arena_create();
        run_seed(seed, &tally);
        pl_arena_destroy(arena);
    }
    print_message("# %u runs done, %u out of memory, at most %llu events a touch\n", tally.done, tally.stopped,
                  (unsigned long long)tally.most_events);
    if (!only)
        assert_true(tally.done > SEEDS / 4 && tally.stopped > SEEDS / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_run_ends)};
    signal(SIGALRM, too_long);
    alarm(SECONDS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
