/* The memory manager where several have a say: limits, shared and copied pages, locked ones, commit, exits, and the
 * working-set manager. */
#include "mm_driver.h"

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
    return (struct pl_memory_params){.frames = frames, .lists = true, .policy = pl_replacements[0], .sections = true};
}

/* A memory with `processes` processes of these limits. */
static struct pl_memory *make(const struct pl_memory_params *params, uint32_t processes, uint32_t minimum,
                              uint32_t maximum)
{
    struct pl_process_params own = {minimum, maximum, 5};
    struct pl_memory *m;
    struct pl_error err;
    pl_process process;
    ok(pl_memory_create(params, &m, &err), &err);
    for (uint32_t i = 0; i < processes; i++)
        ok(pl_memory_add_process(m, &own, &process, &err), &err);
    return m;
}

static void map(struct pl_memory *m, pl_process process, pl_page first, uint32_t count, unsigned flags)
{
    struct pl_error err;
    ok(pl_memory_map(m, process, first, count, first, PL_MAP_ZERO, flags, &err), &err);
}

/* One touch to its end; the kinds of its faults as bits. */
static unsigned touch(struct pl_memory *m, pl_process process, pl_page page, bool is_write)
{
    struct pl_fault fault;
    unsigned kinds = 0;
    enum pl_touch_end end = PL_TOUCH_AGAIN;
    while (end == PL_TOUCH_AGAIN && !pl_touch(pl_memory_hot(m), page, is_write)) {
        pl_memory_fault(m, process, page, is_write, &fault);
        assert_int_equal(fault.state, PL_FAULT_READY);
        kinds |= 1u << fault.kind;
        end = pl_memory_fault_end(m, &fault, is_write);
    }
    check(m);
    return kinds;
}

enum {
    DEMAND_ZERO = 1 << PL_FAULT_DEMAND_ZERO,
    TRANSITION = 1 << PL_FAULT_TRANSITION,
    HARD = 1 << PL_FAULT_HARD,
    COPY = 1 << PL_FAULT_COPY_ON_WRITE,
    GUARD = 1 << PL_FAULT_GUARD,
};

static uint32_t on_list(const struct pl_memory *m, enum pl_list list)
{
    return pl_memory_frames(m)->count[list];
}

static void write_all(struct pl_memory *m)
{
    struct pl_out out;
    while (pl_memory_take_modified(m, PL_LIST_MODIFIED, PL_FLIGHT_WRITE, 1, &out))
        assert_true(pl_memory_write_done(m, &out, out.object % 1000));
    check(m);
}

/* --- sharing ------------------------------------------------------------------------ */

static void test_one_frame_for_two_processes(void **state)
{
    struct pl_memory_params params = with_lists(16);
    struct pl_memory *m = make(&params, 2, 0, 0);
    pl_section section;
    struct pl_error err;
    struct pl_released released;
    ok(pl_memory_add_section(m, PL_MAP_ZERO, 4, &section, &err), &err);
    assert_int_equal(pl_memory_committed(m), 4);
    ok(pl_memory_map_view(m, 0, 0, 4, 0, section, 0, false, &err), &err);
    ok(pl_memory_map_view(m, 1, 4, 4, 0, section, 0, false, &err), &err);
    assert_int_equal(pl_memory_process(m, 0)->commit_pages, 0); /* not in private bytes */
    assert_int_equal(touch(m, 0, 1, true), DEMAND_ZERO);
    assert_int_equal(touch(m, 1, 5, false), TRANSITION);
    assert_int_equal(on_list(m, PL_LIST_ACTIVE), 1);
    assert_int_equal(pl_memory_process(m, 1)->working_set, 1);
    pl_memory_empty_working_set(m, 0);
    assert_int_equal(on_list(m, PL_LIST_ACTIVE), 1);
    pl_memory_empty_working_set(m, 1);
    assert_int_equal(on_list(m, PL_LIST_MODIFIED), 1);
    for (pl_page page = 0; page < 8; page++)
        assert_false(pl_memory_free(m, page, &released));
    assert_int_equal(on_list(m, PL_LIST_MODIFIED), 1); /* the section lives on */
    pl_memory_free_section(m, section);
    assert_int_equal(pl_memory_committed(m), 0);
    assert_int_equal(on_list(m, PL_LIST_FREE) + on_list(m, PL_LIST_ZERO), 16);
    check(m);
    pl_memory_destroy(m);
}

static void test_copy_on_write(void **state)
{
    struct pl_memory_params params = with_lists(16);
    struct pl_memory *m = make(&params, 2, 0, 0);
    struct pl_error err;
    pl_section section;
    ok(pl_memory_add_section(m, PL_MAP_FILE, 2, &section, &err), &err);
    ok(pl_memory_map_view(m, 0, 0, 2, 0, section, 0, true, &err), &err);
    ok(pl_memory_map_view(m, 1, 2, 2, 0, section, 0, true, &err), &err);
    assert_int_equal(pl_memory_committed(m), 4); /* charged up front */
    assert_int_equal(touch(m, 0, 0, false), HARD);
    assert_int_equal(touch(m, 0, 0, false), 0); /* reads go on at full speed */
    assert_int_equal(touch(m, 1, 2, true), TRANSITION | COPY);
    assert_int_equal(pl_memory_page(m, 2).object, 2);
    assert_int_equal(on_list(m, PL_LIST_ACTIVE), 2);
    assert_int_equal(touch(m, 0, 0, true), COPY);
    assert_int_equal(on_list(m, PL_LIST_STANDBY), 1); /* the original, clean, with nobody */
    assert_int_equal(touch(m, 1, 2, true), 0);
    check(m);
    pl_memory_destroy(m);
}

/* The number of a touch can be told from its stamp, whatever its fault takes. */
static void test_a_touch_takes_one_stamp(void **state)
{
    struct pl_memory_params params = with_lists(16);
    params.page_table_entries = 4;
    struct pl_memory *m = make(&params, 2, 0, 0);
    const struct pl_hot *hot = pl_memory_hot(m);
    struct pl_error err;
    pl_section section;
    ok(pl_memory_add_section(m, PL_MAP_ZERO, 2, &section, &err), &err);
    ok(pl_memory_map_view(m, 0, 0, 2, 0, section, 0, true, &err), &err);
    map(m, 0, 2, 1, PL_MAP_GUARD);
    assert_int_equal(touch(m, 0, 0, true), DEMAND_ZERO | COPY);
    assert_int_equal(hot->next, PL_STAMP_FIRST + PL_HOT_ONE);
    touch(m, 0, 2, false);
    touch(m, 0, 0, true);
    assert_int_equal(hot->next, PL_STAMP_FIRST + 3 * PL_HOT_ONE);
    touch(m, 0, 1, false); /* read through a view to be copied: the object is dirty all the same */
    pl_memory_empty_working_set(m, 0);
    assert_int_equal(pl_frames_standby(pl_memory_frames(m)), 0);
    pl_memory_destroy(m);
}

static void test_combined_pages(void **state)
{
    struct pl_memory_params params = with_lists(16);
    struct pl_memory *m = make(&params, 2, 0, 0);
    struct pl_error err;
    struct pl_released released;
    static const pl_page pages[] = {0, 1, 8};
    uint32_t freed;
    map(m, 0, 0, 2, 0);
    map(m, 1, 8, 1, 0);
    for (int i = 0; i < 3; i++)
        touch(m, i == 2, pages[i], true);
    ok(pl_memory_combine(m, pages, 3, &freed, &err), &err);
    assert_int_equal(freed, 2);
    check(m);
    assert_int_equal(on_list(m, PL_LIST_ACTIVE), 1);
    assert_int_equal(touch(m, 0, 0, false), 0);
    assert_int_equal(touch(m, 0, 0, true), COPY);
    assert_int_equal(touch(m, 1, 8, true), COPY);
    assert_int_equal(touch(m, 0, 1, true), COPY); /* the last: nobody has the original now */
    assert_int_equal(on_list(m, PL_LIST_ACTIVE), 3);
    assert_false(pl_memory_next_released(m, &released));
    check(m);
    pl_memory_destroy(m);
}

/* --- guard, locked, large ---------------------------------------------------------------- */

static void test_guard_page(void **state)
{
    struct pl_memory_params params = with_lists(8);
    struct pl_memory *m = make(&params, 1, 0, 0);
    map(m, 0, 0, 2, PL_MAP_GUARD);
    assert_int_equal(touch(m, 0, 0, true), GUARD | DEMAND_ZERO);
    assert_int_equal(touch(m, 0, 0, true), 0);
    pl_memory_destroy(m);
}

static void test_large_pages_stay(void **state)
{
    struct pl_memory_params params = with_lists(16);
    struct pl_memory *m = make(&params, 1, 0, 0);
    uint32_t zeroed;
    struct pl_released released;
    map(m, 0, 0, 10, PL_MAP_NO_TABLE);
    map(m, 0, 10, 20, 0);
    assert_true(pl_memory_provision(m, 0, 10, true, &zeroed));
    assert_int_equal(zeroed, 0);
    assert_int_equal(touch(m, 0, 3, true), 0); /* never a fault */
    assert_int_equal(pl_memory_process(m, 0)->working_set, 0);
    assert_int_equal(pl_memory_process(m, 0)->locked_pages, 10);
    assert_int_equal(pl_memory_process(m, 0)->commit_pages, 30);
    for (pl_page page = 10; page < 16; page++)
        touch(m, 0, page, true);
    assert_false(pl_memory_provision(m, 20, 1, true, &zeroed)); /* all or nothing */
    assert_int_equal(pl_memory_trim(m, 100), 6);
    assert_int_equal(on_list(m, PL_LIST_ACTIVE), 10);
    for (pl_page page = 0; page < 10; page++)
        assert_false(pl_memory_free(m, page, &released));
    assert_int_equal(pl_memory_process(m, 0)->locked_pages, 0);
    check(m);
    pl_memory_destroy(m);
}

/* --- commit -------------------------------------------------------------------------------- */

static void test_commit_limit(void **state)
{
    struct pl_memory_params params = with_lists(8);
    params.commit_limit_pages = 20;
    params.page_table_entries = 4;
    struct pl_memory *m = make(&params, 1, 0, 0);
    struct pl_error err;
    struct pl_released released;
    map(m, 0, 0, 12, 0); /* and 3 page tables */
    assert_int_equal(pl_memory_committed(m), 15);
    assert_int_equal(pl_memory_map(m, 0, 12, 4, 12, PL_MAP_ZERO, 0, &err), PL_OK);
    assert_int_equal(pl_memory_committed(m), 20);
    assert_int_equal(pl_memory_map(m, 0, 16, 1, 16, PL_MAP_ZERO, 0, &err), PL_ERR_CHECK);
    assert_non_null(strstr(err.message, "20 of the limit of 20"));
    assert_int_equal(pl_memory_page(m, 16).place, PL_PLACE_UNMAPPED);
    assert_int_equal(pl_memory_map(m, 0, 0, 16, 0, PL_MAP_ZERO, 0, &err), PL_OK); /* mapped already */
    assert_int_equal(pl_memory_charge(m, 1, &err), PL_ERR_CHECK);
    pl_memory_free(m, 0, &released);
    assert_int_equal(pl_memory_charge(m, 1, &err), PL_OK);
    pl_memory_uncharge(m, 1);
    check(m);
    pl_memory_destroy(m);
}

/* --- limits and pressure ---------------------------------------------------------------------- */

static void test_local_maximum(void **state)
{
    for (int hard = 0; hard < 2; hard++) {
        struct pl_memory_params params = with_lists(32);
        params.hard_maximum = hard;
        params.grow_above_pages = 20;
        struct pl_memory *m = make(&params, 1, 0, 5);
        map(m, 0, 0, 30, 0);
        for (pl_page page = 0; page < 30; page++)
            touch(m, 0, page, true);
        assert_int_equal(pl_memory_process(m, 0)->working_set, hard ? 5 : 12);
        assert_int_equal(pl_memory_counts(m)->replaced, hard ? 25 : 18);
        pl_memory_destroy(m);
    }
}

/* All that one process has is dirty, and there is nothing else: a fault must wait for the writer. */
static void test_waiting_for_memory(void **state)
{
    struct pl_memory_params params = with_lists(4);
    struct pl_memory *m = make(&params, 1, 0, 0);
    struct pl_fault fault;
    map(m, 0, 0, 8, 0);
    for (pl_page page = 0; page < 4; page++)
        touch(m, 0, page, true);
    pl_memory_fault(m, 0, 4, true, &fault);
    assert_int_equal(fault.state, PL_FAULT_NO_FRAME);
    assert_true(fault.replaced);
    write_all(m);
    assert_int_equal(touch(m, 0, 4, true), DEMAND_ZERO);
    pl_memory_fault(m, 0, 0, true, &fault);
    assert_int_equal(fault.state, PL_FAULT_NO_FRAME);
    write_all(m);
    assert_int_equal(touch(m, 0, 0, true), HARD);
    assert_int_equal(pl_memory_counts(m)->no_frame, 2);
    pl_memory_destroy(m);
}

static void test_manager_trims_the_old(void **state)
{
    struct pl_memory_params params = with_lists(20);
    params.policy = pl_replacements[1];
    params.aging_share = 1;
    params.low_pages = 4;
    params.target_pages = 8;
    struct pl_memory *m = make(&params, 2, 2, 0);
    map(m, 0, 0, 10, 0);
    map(m, 1, 10, 10, 0);
    for (pl_page page = 0; page < 18; page++)
        touch(m, page >= 10, page, true);
    struct pl_tick tick = pl_memory_tick(m); /* 2 are available; nothing is old, so any may go */
    assert_int_equal(tick.scanned, 18);
    assert_int_equal(tick.trimmed, 6);
    write_all(m);
    assert_int_equal(pl_frames_available(pl_memory_frames(m)), 8);
    for (int i = 0; i < 3; i++) { /* enough is available: pages 0 - 3 are in use, the others grow old */
        for (pl_page page = 0; page < 4; page++)
            touch(m, 0, page, true);
        assert_int_equal(pl_memory_tick(m).trimmed, 0);
    }
    pl_memory_take_frames(m, pl_frames_available(pl_memory_frames(m)) - 3); /* pressure from elsewhere */
    tick = pl_memory_tick(m);
    assert_int_equal(tick.trimmed, 5);
    for (pl_page page = 0; page < 4; page++)
        assert_int_equal(pl_memory_page(m, page).place, PL_PLACE_ACTIVE);
    pl_memory_trim(m, 100);
    assert_int_equal(pl_memory_process(m, 0)->working_set + pl_memory_process(m, 1)->working_set, 0);
    check(m);
    pl_memory_destroy(m);
}

static void test_minimum_is_kept_while_others_have_more(void **state)
{
    for (size_t policy = 0; policy < 2; policy++) { /* without ages and with */
        struct pl_memory_params params = with_lists(40);
        params.policy = pl_replacements[policy];
        struct pl_memory *m = make(&params, 2, 4, 0);
        map(m, 0, 0, 6, 0);
        map(m, 1, 6, 20, 0);
        for (pl_page page = 0; page < 26; page++)
            touch(m, page >= 6, page, true);
        assert_int_equal(pl_memory_trim(m, 18), 18);
        assert_int_equal(pl_memory_process(m, 0)->working_set, 4);
        assert_int_equal(pl_memory_process(m, 1)->working_set, 4);
        pl_memory_destroy(m);
    }
}

/* --- two at a time ------------------------------------------------------------------------------ */

static void test_collision_and_exit_under_way(void **state)
{
    struct pl_memory_params params = with_lists(8);
    params.page_table_entries = 4;
    struct pl_memory *m = make(&params, 2, 0, 0);
    struct pl_fault fault, other, table;
    struct pl_released released;
    struct pl_out out;
    map(m, 0, 0, 4, 0);
    map(m, 1, 4, 4, 0);
    touch(m, 0, 1, true);
    pl_memory_empty_working_set(m, 0);
    assert_int_equal(pl_memory_take_modified(m, PL_LIST_MODIFIED, PL_FLIGHT_WRITE, 1, &out), 1);
    pl_memory_fault(m, 0, 0, true, &table);
    assert_true(table.page_table);
    assert_int_equal(pl_memory_fault_end(m, &table, true), PL_TOUCH_AGAIN);
    pl_memory_fault(m, 0, 0, true, &fault);
    pl_memory_fault(m, 0, 0, true, &other);
    assert_int_equal(fault.state, PL_FAULT_READY);
    assert_int_equal(other.state, PL_FAULT_COLLIDED);
    assert_int_equal(other.object, 0);
    while (pl_memory_exit(m, 0, &released))
        ;
    check(m);
    assert_int_equal(pl_memory_fault_end(m, &fault, true), PL_TOUCH_GONE);
    assert_false(pl_memory_write_done(m, &out, 1));
    check(m);
    assert_int_equal(on_list(m, PL_LIST_ZERO) + on_list(m, PL_LIST_FREE), 8);
    assert_int_equal(pl_memory_committed(m), 4 + 1);
    pl_memory_destroy(m);
}

static void test_kernel_frames(void **state)
{
    struct pl_memory_params params = with_lists(8);
    struct pl_memory *m = make(&params, 1, 0, 0);
    map(m, 0, 0, 8, 0);
    for (pl_page page = 0; page < 4; page++)
        touch(m, 0, page, true);
    pl_memory_empty_working_set(m, 0);
    write_all(m);
    assert_int_equal(pl_memory_take_frames(m, 6), 6); /* two of them from standby */
    assert_int_equal(pl_memory_page(m, 1).place, PL_PLACE_FILE);
    assert_int_equal(pl_memory_take_frames(m, 6), 2);
    check(m);
    pl_memory_give_frames(m, 8);
    assert_int_equal(on_list(m, PL_LIST_FREE), 8);
    pl_memory_destroy(m);
}

static void test_read_ahead(void **state)
{
    struct pl_memory_params params = with_lists(8);
    struct pl_memory *m = make(&params, 1, 0, 0);
    struct pl_error err;
    struct pl_fault fault, other;
    ok(pl_memory_map(m, 0, 0, 8, 0, PL_MAP_ON_DISK, 0, &err), &err);
    pl_memory_read_ahead(m, 0, &fault);
    assert_int_equal(fault.state, PL_FAULT_READY);
    pl_memory_fault(m, 0, 0, false, &other);
    assert_int_equal(other.state, PL_FAULT_COLLIDED);
    pl_memory_read_ahead_end(m, &fault);
    assert_int_equal(on_list(m, PL_LIST_STANDBY + 5), 1);
    assert_int_equal(touch(m, 0, 0, false), TRANSITION);
    assert_int_equal(pl_memory_counts(m)->read_ahead, 1);
    assert_int_equal(pl_memory_counts(m)->read_ahead_used, 1);
    pl_memory_read_ahead(m, 0, &fault);
    assert_int_equal(fault.state, PL_FAULT_INVALID);
    pl_memory_read_ahead(m, 1, &fault);
    pl_memory_read_ahead_end(m, &fault);
    pl_memory_purge_standby(m, 7); /* in vain */
    touch(m, 0, 1, false);
    assert_int_equal(pl_memory_counts(m)->read_ahead, 2);
    assert_int_equal(pl_memory_counts(m)->read_ahead_used, 1);
    pl_memory_destroy(m);
}

/* Tables of processes that exit leave the index without hiding others': mapping beside an old page finds its table again. */
static void test_tables_are_found_after_exits(void **state)
{
    enum { PROCESSES = 300, TABLES = 4, ENTRIES = 8 };
    struct pl_memory_params params = with_lists(8);
    params.page_table_entries = ENTRIES;
    struct pl_memory *m = make(&params, PROCESSES, 0, 0);
    struct pl_error err;
    struct pl_released released;
    for (uint32_t i = 0; i < PROCESSES * TABLES; i++)
        ok(pl_memory_map(m, i / TABLES, 2 * i, 1, i % TABLES * ENTRIES, PL_MAP_ZERO, 0, &err), &err);
    for (pl_process p = 0; p < PROCESSES; p += 2)
        while (pl_memory_exit(m, p, &released))
            ;
    assert_int_equal(pl_memory_committed(m), PROCESSES / 2 * TABLES * 2);
    for (uint32_t i = 0; i < PROCESSES * TABLES; i++)
        if (i / TABLES % 2)
            ok(pl_memory_map(m, i / TABLES, 2 * i + 1, 1, i % TABLES * ENTRIES + 1, PL_MAP_ZERO, 0, &err), &err);
    assert_int_equal(pl_memory_committed(m), PROCESSES / 2 * TABLES * 3);
    check(m);
    pl_memory_destroy(m);
}

static void test_keys_are_dense_and_distinct(void **state)
{
    struct pl_memory_params params = with_lists(8), plain = {.frames = 8};
    static bool seen[4000];
    for (pl_page i = 0; i < 2000; i++) {
        pl_page pages[2] = {i, PL_INTERNAL_PAGE + i / 4};
        for (int k = 0; k < (i % 4 ? 1 : 2); k++) {
            pl_page key = pl_memory_key(&params, pages[k]);
            assert_true(key < 4000 && !seen[key]);
            seen[key] = true;
            assert_int_equal(pl_memory_key_page(&params, key), pages[k]);
        }
        assert_int_equal(pl_memory_key(&plain, i), i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_frame_for_two_processes),
        cmocka_unit_test(test_copy_on_write),
        cmocka_unit_test(test_a_touch_takes_one_stamp),
        cmocka_unit_test(test_combined_pages),
        cmocka_unit_test(test_guard_page),
        cmocka_unit_test(test_large_pages_stay),
        cmocka_unit_test(test_commit_limit),
        cmocka_unit_test(test_local_maximum),
        cmocka_unit_test(test_waiting_for_memory),
        cmocka_unit_test(test_manager_trims_the_old),
        cmocka_unit_test(test_minimum_is_kept_while_others_have_more),
        cmocka_unit_test(test_collision_and_exit_under_way),
        cmocka_unit_test(test_kernel_frames),
        cmocka_unit_test(test_read_ahead),
        cmocka_unit_test(test_tables_are_found_after_exits),
        cmocka_unit_test(test_keys_are_dense_and_distinct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
