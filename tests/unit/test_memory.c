/* The memory manager, case by case: what each operation is for, seen from outside. */
#include "mm_driver.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void ok(enum pl_err rc, const struct pl_error *err)
{
    if (rc)
        fail_msg("%s", err->message);
}

static void check(const struct pl_memory *m)
{
    struct pl_error err;
    ok(pl_memory_check(m, &err), &err);
}

static struct pl_memory_params with_lists(uint32_t frames)
{
    return (struct pl_memory_params){.frames = frames, .lists = true, .policy = pl_replacements[0]};
}

/* A memory with one process, whose pages 0 .. pages - 1 are mapped. */
static struct pl_memory *make(const struct pl_memory_params *params, uint32_t pages, enum pl_mapping mapping)
{
    static const struct pl_process_params own = {.priority = 5};
    struct pl_memory *m;
    struct pl_error err;
    pl_process process;
    ok(pl_memory_create(params, &m, &err), &err);
    ok(pl_memory_add_process(m, &own, &process, &err), &err);
    assert_int_equal(process, 0);
    if (pages)
        ok(pl_memory_map(m, 0, 0, pages, 0, mapping, 0, &err), &err);
    return m;
}

/* One touch to its end; the kind of the (last) fault, or -1 when there was none. */
static int touch_as(struct pl_memory *m, pl_process process, pl_page page, bool is_write)
{
    struct pl_fault fault;
    if (pl_touch(pl_memory_hot(m), page, is_write))
        return -1;
    do {
        pl_memory_fault(m, process, page, is_write, &fault);
        assert_int_equal(fault.state, PL_FAULT_READY);
        if (fault.evicted.object != PL_NO_PAGE)
            assert_true(pl_memory_settle_store(m, fault.evicted.object));
    } while (pl_memory_fault_end(m, &fault, is_write) == PL_TOUCH_AGAIN);
    check(m);
    return (int)fault.kind;
}

static int touch(struct pl_memory *m, pl_page page, bool is_write)
{
    return touch_as(m, 0, page, is_write);
}

static uint32_t on_list(const struct pl_memory *m, enum pl_list list)
{
    return pl_memory_frames(m)->count[list];
}

/* Writes every modified page out, to slots of the page's own number. */
static uint32_t write_all(struct pl_memory *m)
{
    struct pl_out out;
    uint32_t written = 0;
    for (; pl_memory_take_modified(m, PL_LIST_MODIFIED, PL_FLIGHT_WRITE, 1, &out); written++)
        assert_true(pl_memory_write_done(m, &out, out.object));
    check(m);
    return written;
}

/* --- what a Windows XP program was seen to do ------------------------------------------- */

/* 256 MB committed, then written from the front, on x86: 1,024 entries a page table and a page of the working-set
 * list. The measured table differs by at most three pages of other activity. */
static void test_first_writes_of_256_mb(void **state)
{
    struct pl_memory_params params = with_lists(100000);
    params.page_table_entries = params.ws_list_entries = 1024;
    struct pl_memory *m = make(&params, 65536, PL_MAP_ZERO);
    const struct pl_process_state *p = pl_memory_process(m, 0);
    assert_int_equal(p->commit_pages, 65536 + 64);
    assert_int_equal(p->working_set, 0);
    for (pl_page page = 0; page < 65536; page++) {
        struct direct_result counts = {0};
        assert_true(direct_touch(m, 0, page, true, &counts));
        if (page + 1 != 32768)
            continue;
        assert_int_equal(p->counts.faults[PL_FAULT_DEMAND_ZERO], 33105 - 304 - 1);
        assert_in_range(p->working_set, (132564 - 1232) / 4 - 3, (132564 - 1232) / 4 + 3);
    }
    assert_int_equal(p->counts.faults[PL_FAULT_DEMAND_ZERO], 65907 - 304 - 3);
    assert_in_range(p->working_set, (263900 - 1232) / 4 - 3, (263900 - 1232) / 4 + 3);
    assert_int_equal(p->page_table_pages, 64);
    check(m);
    assert_int_equal(pl_memory_empty_working_set(m, 0), 65536); /* minimised */
    assert_int_equal(p->working_set, 0);
    assert_int_equal(on_list(m, PL_LIST_MODIFIED), 65536 + 64);
    assert_int_equal(touch(m, 5, false), PL_FAULT_TRANSITION);
    assert_int_equal(p->counts.page_table_faults, 64 + 1);
    pl_memory_destroy(m);
}

/* --- frames ------------------------------------------------------------------------------- */

static void test_allocation_order(void **state)
{
    struct pl_memory_params params = with_lists(4);
    struct pl_memory *m = make(&params, 20, PL_MAP_ZERO);
    struct pl_fault fault;
    for (pl_page page = 0; page < 4; page++)
        touch(m, page, true);
    assert_int_equal(pl_memory_empty_working_set(m, 0), 4);
    assert_int_equal(write_all(m), 4);
    assert_int_equal(on_list(m, PL_LIST_STANDBY + 5), 4);
    pl_memory_fault(m, 0, 10, true, &fault); /* standby, oldest first, zeroed now */
    assert_int_equal(fault.repurposed, 5);
    assert_true(fault.zero_now);
    assert_int_equal(pl_memory_page(m, 0).place, PL_PLACE_FILE);
    pl_memory_fault_end(m, &fault, true);
    struct pl_released released;
    assert_true(pl_memory_free(m, 1, &released)); /* one free frame */
    assert_int_equal(released.slot, 1);
    pl_memory_fault(m, 0, 11, true, &fault); /* free before standby; zeroed now */
    assert_int_equal(fault.repurposed, -1);
    assert_true(fault.zero_now);
    pl_memory_fault_end(m, &fault, true);
    assert_false(pl_memory_free(m, 11, &released));
    assert_int_equal(pl_memory_zero_frames(m, 10), 1);
    assert_int_equal(pl_memory_purge_standby(m, 7), 2);
    pl_memory_fault(m, 0, 12, true, &fault); /* zero before free, for zeros ... */
    assert_false(fault.zero_now);
    pl_memory_fault_end(m, &fault, true);
    pl_memory_fault(m, 0, 0, false, &fault); /* ... and free first for what is read in */
    assert_int_equal(fault.kind, PL_FAULT_HARD);
    assert_int_equal(fault.slot, 0);
    assert_false(fault.zero_now);
    pl_memory_fault_cancel(m, &fault);
    assert_int_equal(pl_memory_page(m, 0).place, PL_PLACE_FILE);
    check(m);
    assert_int_equal(pl_memory_counts(m)->repurposed[5], 1);
    pl_memory_destroy(m);
}

static void test_purge_by_priority(void **state)
{
    struct pl_memory_params params = with_lists(32);
    struct pl_memory *m = make(&params, 0, PL_MAP_ZERO);
    struct pl_error err;
    for (uint8_t priority = 0; priority < PL_PRIORITIES; priority++) {
        struct pl_process_params own = {.priority = priority};
        pl_process p;
        ok(pl_memory_add_process(m, &own, &p, &err), &err);
        ok(pl_memory_map(m, p, 2 * priority, 2, 0, PL_MAP_ON_DISK, 0, &err), &err);
        touch_as(m, p, 2 * priority, false);
        touch_as(m, p, 2u * priority + 1, false);
    }
    pl_memory_empty_working_set(m, PL_NO_PROCESS);
    assert_int_equal(pl_frames_standby(pl_memory_frames(m)), 16);
    assert_int_equal(pl_memory_purge_standby(m, 0), 2);
    assert_int_equal(on_list(m, PL_LIST_STANDBY), 0);
    assert_int_equal(pl_memory_purge_standby(m, 3), 6);
    assert_int_equal(pl_memory_purge_standby(m, 7), 8);
    check(m);
    pl_memory_destroy(m);
}

/* --- two kinds of dirty ----------------------------------------------------------------------- */

static struct pl_evicted evict(struct pl_memory *m)
{
    struct pl_evicted out;
    assert_true(pl_memory_evict(m, 0, &out));
    return out;
}

static void test_two_dirty_states(void **state)
{
    struct pl_memory_params params = {.frames = 4, .policy = pl_replacements[0]};
    struct pl_memory *m = make(&params, 8, PL_MAP_ZERO);
    touch(m, 0, false); /* a first touch dirties, even when it reads */
    struct pl_evicted e = evict(m);
    assert_true(e.dirty_entered && e.dirty_disk);
    pl_memory_settle_store(m, 0);
    assert_int_equal(touch(m, 0, false), PL_FAULT_STORE);
    e = evict(m); /* not written since it entered, but never on disk */
    assert_true(!e.dirty_entered && e.dirty_disk);
    pl_memory_settle_file(m, 0, 77);
    assert_int_equal(touch(m, 0, false), PL_FAULT_HARD);
    e = evict(m);
    assert_true(!e.dirty_entered && !e.dirty_disk);
    assert_int_equal(e.slot, 77);
    pl_memory_settle_store(m, 0);
    assert_int_equal(touch(m, 0, true), PL_FAULT_STORE);
    e = evict(m);
    assert_true(e.dirty_entered && e.dirty_disk);
    pl_memory_settle_zero(m, 0);
    assert_int_equal(touch(m, 0, false), PL_FAULT_DEMAND_ZERO);
    check(m);
    pl_memory_destroy(m);
}

static void test_starts_on_disk(void **state)
{
    struct pl_memory_params params = {.frames = 4, .policy = pl_replacements[0]};
    struct pl_memory *m = make(&params, 8, PL_MAP_ON_DISK);
    assert_int_equal(touch(m, 0, false), PL_FAULT_HARD);
    assert_false(evict(m).dirty_disk);
    assert_int_equal(touch(m, 1, true), PL_FAULT_HARD);
    struct pl_evicted e = evict(m);
    assert_int_equal(e.object, 1);
    assert_true(e.dirty_disk && e.dirty_entered);
    pl_memory_destroy(m);
}

/* The working set of W frames and an exclusive LRU store of S pages beside them fault to disk as LRU of W + S frames,
 * and to the store for the rest. */
static void test_two_level_identity(void **state)
{
    enum { TOUCHES = 20000, PAGES = 200, W = 30, S = 50 };
    static pl_page pages[TOUCHES];
    struct pl_random random = pl_random_named(1, "two levels");
    struct pl_simulation small, large;
    struct pl_error err;
    for (int i = 0; i < TOUCHES; i++)
        pages[i] = (pl_page)(pl_random_below(&random, PAGES) * pl_random_below(&random, PAGES) / PAGES);
    ok(pl_simulate(PL_SIMULATED_LRU, PL_RULE_MEMSIM, W, pages, NULL, TOUCHES, &small, &err), &err);
    ok(pl_simulate(PL_SIMULATED_LRU, PL_RULE_MEMSIM, W + S, pages, NULL, TOUCHES, &large, &err), &err);
    struct pl_memory_params params = {.frames = W, .policy = pl_replacements[0]};
    struct pl_memory *m = make(&params, PAGES, PL_MAP_ON_DISK);
    pl_page store[S + 1];
    uint32_t stored = 0;
    for (int i = 0; i < TOUCHES; i++) {
        struct pl_fault fault;
        if (pl_touch(pl_memory_hot(m), pages[i], false))
            continue;
        pl_memory_fault(m, 0, pages[i], false, &fault);
        for (uint32_t k = 0; k < stored; k++)
            if (store[k] == fault.object)
                memmove(&store[k], &store[k + 1], (--stored - k) * sizeof(store[0]));
        if (fault.evicted.object != PL_NO_PAGE) {
            pl_memory_settle_store(m, fault.evicted.object);
            store[stored++] = fault.evicted.object;
        }
        if (stored > S) {
            pl_memory_settle_file(m, store[0], PL_NO_SLOT);
            memmove(store, store + 1, --stored * sizeof(store[0]));
        }
        assert_int_equal(pl_memory_fault_end(m, &fault, false), PL_TOUCH_DONE);
    }
    assert_int_equal(pl_memory_counts(m)->faults[PL_FAULT_HARD], large.reads);
    assert_int_equal(pl_memory_counts(m)->faults[PL_FAULT_STORE], small.reads - large.reads);
    pl_memory_destroy(m);
}

/* --- writing out --------------------------------------------------------------------------------- */

static struct pl_out take(struct pl_memory *m, enum pl_flight flight)
{
    struct pl_out out;
    assert_int_equal(pl_memory_take_modified(m, PL_LIST_MODIFIED, flight, 1, &out), 1);
    check(m);
    return out;
}

static void test_touch_while_written(void **state)
{
    struct pl_memory_params params = with_lists(8);
    struct pl_memory *m = make(&params, 8, PL_MAP_ZERO);
    touch(m, 0, true);
    pl_memory_empty_working_set(m, 0);
    struct pl_out out = take(m, PL_FLIGHT_WRITE);
    assert_int_equal(touch(m, 0, false), PL_FAULT_TRANSITION);
    assert_true(pl_memory_write_done(m, &out, 3)); /* the write was good: nothing was written since */
    pl_memory_empty_working_set(m, 0);
    assert_int_equal(on_list(m, PL_LIST_STANDBY + 5), 1);
    assert_int_equal(touch(m, 0, true), PL_FAULT_TRANSITION);
    pl_memory_empty_working_set(m, 0);
    out = take(m, PL_FLIGHT_WRITE);
    assert_int_equal(out.slot, 3);
    assert_int_equal(touch(m, 0, true), PL_FAULT_TRANSITION);
    pl_memory_empty_working_set(m, 0); /* dirty again, and still being written */
    assert_int_equal(on_list(m, PL_LIST_TRANSITION), 1);
    assert_true(pl_memory_write_done(m, &out, 4));
    assert_int_equal(on_list(m, PL_LIST_MODIFIED), 1);
    assert_int_equal(pl_memory_counts(m)->write_overtaken, 2);
    check(m);
    pl_memory_destroy(m);
}

static void test_touch_while_compressed(void **state)
{
    for (int cancels = 0; cancels < 2; cancels++) {
        struct pl_memory_params params = with_lists(8);
        params.touch_cancels_compression = cancels;
        struct pl_memory *m = make(&params, 8, PL_MAP_ZERO);
        struct pl_fault fault;
        touch(m, 0, true);
        pl_memory_empty_working_set(m, 0);
        struct pl_out out = take(m, PL_FLIGHT_COMPRESS);
        if (cancels)
            assert_int_equal(touch(m, 0, false), PL_FAULT_TRANSITION);
        else {
            pl_memory_fault(m, 0, 0, false, &fault);
            assert_int_equal(fault.state, PL_FAULT_COLLIDED);
        }
        assert_int_equal(pl_memory_compress_done(m, &out, false), !cancels);
        assert_int_equal(pl_memory_page(m, 0).place, cancels ? PL_PLACE_ACTIVE : PL_PLACE_STORE);
        assert_int_equal(touch(m, 0, false), cancels ? -1 : PL_FAULT_STORE);
        check(m);
        pl_memory_destroy(m);
    }
}

static void test_refused_by_the_store_and_kept_beside_it(void **state)
{
    struct pl_memory_params params = with_lists(8);
    struct pl_memory *m = make(&params, 8, PL_MAP_ZERO);
    touch(m, 0, true);
    touch(m, 1, true);
    pl_memory_empty_working_set(m, 0);
    struct pl_out out = take(m, PL_FLIGHT_COMPRESS);
    assert_true(pl_memory_write_instead(m, &out));
    assert_true(pl_memory_write_done(m, &out, 9));
    assert_true(pl_memory_page(m, 0).on_disk);
    out = take(m, PL_FLIGHT_COMPRESS);
    assert_true(pl_memory_compress_done(m, &out, true));
    assert_int_equal(pl_memory_page(m, 1).place, PL_PLACE_LISTED);
    assert_int_equal(touch(m, 1, true), PL_FAULT_TRANSITION);
    pl_memory_empty_working_set(m, 0);
    assert_false(pl_memory_page(m, 1).in_store);
    out = take(m, PL_FLIGHT_COMPRESS);
    assert_true(out.stale_store);
    pl_memory_out_failed(m, &out);
    assert_int_equal(on_list(m, PL_LIST_MODIFIED), 1);
    check(m);
    pl_memory_destroy(m);
}

static void test_zero_pages_are_dropped(void **state)
{
    struct pl_memory_params params = with_lists(8);
    struct pl_memory *m = make(&params, 8, PL_MAP_ZERO);
    struct pl_out out[8];
    for (pl_page page = 0; page < 3; page++)
        touch(m, page, true);
    pl_memory_set_zero(m, 1, true);
    pl_memory_empty_working_set(m, 0);
    assert_int_equal(pl_memory_take_modified(m, PL_LIST_MODIFIED, PL_FLIGHT_WRITE, 8, out), 2);
    assert_int_equal(pl_memory_counts(m)->zero_pages_dropped, 1);
    assert_int_equal(touch(m, 1, false), PL_FAULT_DEMAND_ZERO);
    pl_memory_destroy(m);
}

static void test_held_writes(void **state)
{
    struct pl_memory_params params = with_lists(8);
    struct pl_memory *m = make(&params, 8, PL_MAP_FILE);
    struct pl_out out;
    touch(m, 0, true);
    pl_memory_hold_writes(m, 0, true);
    pl_memory_empty_working_set(m, 0);
    assert_int_equal(on_list(m, PL_LIST_MODIFIED_NO_WRITE), 1);
    pl_memory_hold_writes(m, 0, false);
    assert_int_equal(on_list(m, PL_LIST_MODIFIED_FILE), 1);
    assert_int_equal(pl_memory_first_modified(m, PL_LIST_MODIFIED_FILE), 0);
    assert_int_equal(pl_memory_take_modified(m, PL_LIST_MODIFIED_FILE, PL_FLIGHT_WRITE, 1, &out), 1);
    assert_true(pl_memory_write_done(m, &out, PL_NO_SLOT));
    assert_true(pl_memory_page(m, 0).on_disk && pl_memory_page(m, 0).mapped_file);
    check(m);
    pl_memory_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_writes_of_256_mb),
        cmocka_unit_test(test_allocation_order),
        cmocka_unit_test(test_purge_by_priority),
        cmocka_unit_test(test_two_dirty_states),
        cmocka_unit_test(test_starts_on_disk),
        cmocka_unit_test(test_two_level_identity),
        cmocka_unit_test(test_touch_while_written),
        cmocka_unit_test(test_touch_while_compressed),
        cmocka_unit_test(test_refused_by_the_store_and_kept_beside_it),
        cmocka_unit_test(test_zero_pages_are_dropped),
        cmocka_unit_test(test_held_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
