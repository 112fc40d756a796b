/* tests/unit/test_sim_costs.c: costs that depend on more than a touch: on the page before, on who else runs, on what a page
 * holds. Exact, by hand. */
#include "sim/engine.h"
#include "sim_machine.h"

#include <stdlib.h>

static struct pl_arena *arena;

static int open_arena(void **state)
{
    arena = pl_arena_create();
    return arena ? 0 : -1;
}

static int close_arena(void **state)
{
    pl_arena_destroy(arena);
    return 0;
}

/* --- far pages ------------------------------------------------------------------------------------------- */

enum { PAGES = 100 };

static const char *const far_machine[] = {"memory.lists=false", "memory.resident=200p", "memory.total=1MiB", "cost.read=1ns",
                                          "cost.access=1ns",    "cost.far_page=50ns",   NULL};

/* How many far pages the second half of a script pays for; the first half brings its pages in. */
static uint64_t far_pages(void (*touches)(struct script *script), uint64_t accesses)
{
    struct script script = {0};
    script_range(&script, 0, PAGES, 1, PL_READ);
    script_control(&script, PL_OP_PHASE, 0, 0, 0, 0, "resident");
    script_control(&script, PL_OP_ACCESSES, 0, accesses, 0, 0, NULL);
    touches(&script);
    struct pl_machine machine = machine_of(arena, NULL, far_machine);
    struct pl_sim *sim = script_run(&script, &machine, NULL, 7);
    const struct pl_sim_result *result = pl_sim_result(sim);
    const struct pl_sim_cell *cell = &result->phase[result->phase_count - 1].cell[0];
    pl_time_ps near = (pl_time_ps)(cell->touches * accesses) * PL_PS_PER_NS;
    pl_time_ps far = cell->time_ps[PL_TIME_RUN] - near;
    assert_int_equal(cell->touches % PAGES, 0);
    assert_int_equal(far % (50 * PL_PS_PER_NS), 0);
    pl_sim_destroy(sim);
    script_free(&script);
    return (uint64_t)(far / (50 * PL_PS_PER_NS));
}

static void forward(struct script *script)
{
    script_range(script, 0, PAGES, 1, PL_READ);
}

static void backward(struct script *script)
{
    script_range(script, PAGES - 1, PAGES, UINT64_MAX, PL_READ);
}

static void forward_twice(struct script *script)
{
    forward(script);
    forward(script);
}

static void every_seventh(struct script *script) /* each page once: 7 and 100 have no common factor */
{
    for (unsigned i = 0; i < PAGES; i++)
        script_touch(script, i * 7 % PAGES, PL_READ);
}

static void two_strides(struct script *script)
{
    script_range(script, 0, PAGES / 2, 2, PL_READ);
    script_range(script, 1, PAGES / 2, 2, PL_READ);
}

static void one_by_one(struct script *script)
{
    for (unsigned i = 0; i < PAGES; i++)
        script_touch(script, i, PL_READ);
}

static void far_pages_are_those_that_are_no_neighbours(void **state)
{
    assert_int_equal(far_pages(one_by_one, 8), 0);
    assert_int_equal(far_pages(forward, 8), 0);
    assert_int_equal(far_pages(backward, 8), 1);
    assert_int_equal(far_pages(forward_twice, 8), 1); /* back to the beginning */
    assert_int_equal(far_pages(every_seventh, 8), PAGES - 1);
    assert_int_equal(far_pages(two_strides, 8), PAGES - 1);
    assert_int_equal(far_pages(every_seventh, 1), 0); /* single accesses overlap, so that nobody waits for them */
}

/* --- crowding ---------------------------------------------------------------------------------------------- */

/* Elapsed time of so many processes that compute for 1 ms, `asleep` of them after a sleep of 1 s. */
static pl_time_ps elapsed(unsigned processes, bool asleep, const char *crowding)
{
    const char *changes[] = {"memory.lists=false", "memory.resident=200p", "memory.total=1MiB", "run.cpus=0", crowding, NULL};
    struct script script = {0};
    for (unsigned i = 0; i < processes; i++) {
        script_control(&script, PL_OP_SWITCH, 0, 10 + i, 1, 0, "worker");
        if (asleep && i)
            script_control(&script, PL_OP_SLEEP, 0, i * (uint64_t)PL_PS_PER_S, 0, 0, NULL);
        for (unsigned step = 0; step < 1000; step++)
            script_control(&script, PL_OP_COMPUTE, 0, PL_PS_PER_US, 0, 0, NULL);
    }
    struct pl_machine machine = machine_of(arena, NULL, changes);
    struct pl_sim *sim = script_run(&script, &machine, NULL, 7);
    pl_time_ps out = pl_sim_result(sim)->elapsed_ps;
    pl_sim_destroy(sim);
    script_free(&script);
    return out;
}

static void threads_that_run_slow_each_other(void **state)
{
    const pl_time_ps alone = PL_PS_PER_MS;
    assert_int_equal(elapsed(1, false, "run.crowding=0.5"), alone);
    assert_int_equal(elapsed(2, false, "run.crowding=0"), alone);
    assert_true(llabs((long long)(elapsed(2, false, "run.crowding=0.5") - alone * 3 / 2)) < alone / 100);
    assert_true(llabs((long long)(elapsed(3, false, "run.crowding=0.5") - alone * 2)) < alone / 100);
    assert_int_equal(elapsed(2, true, "run.crowding=0.5"), PL_PS_PER_S + alone); /* one sleeps while the other runs */
}

/* --- what a page holds ----------------------------------------------------------------------------------------- */

/* Compression and decompression time of 50 pages of a kind that leave memory and come back. */
static void codec_times(const char *kind, pl_time_ps *compress, pl_time_ps *decompress)
{
    enum { STORED = 50 };
    const char *changes[] = {"memory.lists=false",  "memory.resident=200p",       "memory.total=1MiB",
                             "store.enabled=true",  "store.codec=lz4",            "store.same_filled=word",
                             "memory.drop_zeros=false", "cost.compress=1us",      "cost.compress_raw=2us",
                             "cost.decompress=3us", "cost.decompress_raw=4us",    "cost.same_filled=5us",
                             "cost.compress_sequence=10ns", "cost.decompress_sequence=1ns", NULL};
    struct script script = {0};
    script_control(&script, PL_OP_CONTENT, 0, 0, STORED, 0, kind);
    script_range(&script, 0, STORED, 1, PL_WRITE);
    script_control(&script, PL_OP_TRIM, 0, 0, 0, 0, NULL);
    script_range(&script, 0, STORED, 1, PL_READ);
    struct pl_machine machine = machine_of(arena, NULL, changes);
    struct pl_sim *sim = script_run(&script, &machine, NULL, 7);
    const struct pl_sim_result *result = pl_sim_result(sim);
    assert_int_equal(result->all.faults[PL_FAULT_STORE], STORED);
    *compress = result->all.time_ps[PL_TIME_COMPRESS] / STORED;
    *decompress = result->all.time_ps[PL_TIME_DECOMPRESS] / STORED;
    pl_sim_destroy(sim);
    script_free(&script);
}

static void codec_costs_go_by_content(void **state)
{
    pl_time_ps compress, decompress;
    codec_times("hash", &compress, &decompress); /* random bytes: no sequence but the last, if it fits at all */
    assert_int_equal(compress, 2 * PL_PS_PER_US);
    assert_int_equal(decompress, 4 * PL_PS_PER_US);
    codec_times("zeros", &compress, &decompress);
    assert_int_equal(compress, 5 * PL_PS_PER_US);
    assert_int_equal(decompress, 5 * PL_PS_PER_US);
    codec_times("text", &compress, &decompress);
    /* Ten to one, as the costs of a sequence are; and text has hundreds of them. */
    assert_true(llabs((long long)((compress - PL_PS_PER_US) - 10 * (decompress - 3 * PL_PS_PER_US))) <= 20);
    assert_true(compress > PL_PS_PER_US + 200 * 10 * PL_PS_PER_NS && compress < PL_PS_PER_US + 1000 * 10 * PL_PS_PER_NS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(far_pages_are_those_that_are_no_neighbours, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(threads_that_run_slow_each_other, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(codec_costs_go_by_content, open_arena, close_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
