/* The page file against arrays that are searched from end to end. */
#include "device/page_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "device/free_map.h"

static void test_free_map(void **state)
{
    static const uint32_t sizes[] = {1, 63, 64, 65, 4095, 4096, 4097, 262144, 262145, 300001};
    static bool member[300001];
    for (size_t s = 0; s < PL_COUNT_OF(sizes); s++) {
        uint32_t size = sizes[s], count = 0;
        struct free_map map;
        struct pl_random random = pl_random_seeded(s);
        memset(member, 0, sizeof member);
        assert_int_equal(free_map_open(&map, size, NULL), PL_OK);
        assert_int_equal(free_map_next(&map, 0), FREE_MAP_NONE);
        for (int step = 0; step < 3000; step++) {
            uint32_t number = (uint32_t)pl_random_below(&random, size), from = (uint32_t)pl_random_below(&random, size);
            if (member[number])
                free_map_remove(&map, number);
            else
                free_map_add(&map, number);
            member[number] = !member[number];
            count = member[number] ? count + 1 : count - 1;
            uint32_t expected = from;
            while (expected < size && !member[expected])
                expected++;
            if (free_map_next(&map, from) != (expected < size ? expected : FREE_MAP_NONE))
                fail_msg("size %u, step %d: behind %u comes %u, not %u", size, step, from, free_map_next(&map, from), expected);
            assert_int_equal(map.count, count);
            assert_int_equal(free_map_has(&map, number), member[number]);
        }
        assert_int_equal(free_map_next(&map, size), FREE_MAP_NONE);
        free_map_close(&map);
    }
}

static struct pl_page_file *open_file(uint32_t slots, uint32_t cluster)
{
    struct pl_page_file *file = NULL;
    assert_int_equal(pl_page_file_create(slots, cluster, 1000, &file, NULL), PL_OK);
    return file;
}

static const uint32_t pages[64] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};

static void test_writes_lie_together(void **state)
{
    struct pl_page_file *file = open_file(64, 8);
    struct pl_slot_run run;
    for (uint32_t i = 0; i < 7; i++) { /* runs of five, one behind the other */
        assert_true(pl_page_file_allocate(file, pages, 5, &run));
        assert_int_equal(run.first, 5 * i);
        assert_int_equal(run.count, 5);
    }
    assert_true(pl_page_file_allocate(file, pages, 60, &run)); /* a cluster at most */
    assert_int_equal(run.count, 8);
    assert_int_equal(pl_page_file_owner(file, run.first + 3), 13);
    assert_int_equal(pl_page_file_block(file, run.first), 1000 + 35);
    pl_page_file_destroy(file);
}

static void test_full_and_fragmented(void **state)
{
    struct pl_page_file *file = open_file(21, 8);
    struct pl_page_file_stats stats;
    struct pl_slot_run run;
    assert_true(pl_page_file_allocate(file, pages, 8, &run));
    assert_true(pl_page_file_allocate(file, pages, 8, &run));
    assert_true(pl_page_file_allocate(file, pages, 8, &run));
    assert_int_equal(run.first, 16);
    assert_int_equal(run.count, 5); /* what is left */
    assert_false(pl_page_file_allocate(file, pages, 1, &run));
    assert_int_equal(run.count, 5); /* untouched */
    for (uint32_t slot = 0; slot < 16; slot += 2)
        pl_page_file_free(file, slot);
    pl_page_file_stats(file, &stats);
    assert_true(stats.fragmentation == 1 && stats.free_clusters == 0);
    assert_true(stats.used == 13 && stats.most_used == 21 && stats.runs == 3 && stats.pages == 21 && stats.refused == 1);
    assert_true(pl_page_file_allocate(file, pages, 8, &run));
    assert_int_equal(run.count, 1); /* no two neighbours are free */
    for (uint32_t slot = 1; slot < 8; slot += 2)
        pl_page_file_free(file, slot);
    pl_page_file_free(file, 0);
    pl_page_file_stats(file, &stats);
    assert_int_equal(stats.free_clusters, 1); /* the first eight are free again */
    assert_true(stats.fragmentation == 4.0 / 12);
    assert_true(pl_page_file_allocate(file, pages, 1, &run)); /* right behind the last one */
    assert_int_equal(run.first, 1);
    pl_page_file_free(file, 1);
    assert_true(pl_page_file_allocate(file, pages, 8, &run));
    assert_int_equal(run.first, 0);
    for (uint32_t slot = 0; slot < 8; slot++)
        pl_page_file_free(file, slot);
    for (uint32_t slot = 8; slot < 16; slot += 2) { /* four pages go into the gaps, not into the cluster that is empty */
        assert_true(pl_page_file_allocate(file, pages, 1, &run));
        assert_int_equal(run.first, slot);
    }
    assert_true(pl_page_file_allocate(file, pages, 1, &run)); /* now they must */
    assert_int_equal(run.first, 0);
    pl_page_file_destroy(file);

    file = open_file(0, 8);
    assert_false(pl_page_file_allocate(file, pages, 1, &run));
    pl_page_file_stats(file, &stats);
    assert_true(stats.slots == 0 && stats.refused == 1 && stats.fragmentation == 0);
    pl_page_file_destroy(file);
}

enum { MOST_SLOTS = 1000 };

/* What the statistics and the neighbours should be, from the owners alone. */
static void check_against_owners(const struct pl_page_file *file, const uint32_t *owner, uint32_t slots, uint32_t cluster,
                                 struct pl_random *random)
{
    struct pl_page_file_stats stats;
    uint32_t used = 0, whole = 0;
    for (uint32_t slot = 0; slot < slots; slot++) {
        assert_int_equal(pl_page_file_owner(file, slot), owner[slot]);
        used += owner[slot] != PL_NO_PAGE;
    }
    for (uint32_t group = 0; group < slots / cluster; group++) {
        bool free = true;
        for (uint32_t i = 0; i < cluster; i++)
            free &= owner[group * cluster + i] == PL_NO_PAGE;
        whole += free;
    }
    pl_page_file_stats(file, &stats);
    assert_int_equal(stats.used, used);
    assert_int_equal(stats.free_clusters, whole);

    uint32_t slot = (uint32_t)pl_random_below(random, slots), most = 1 + (uint32_t)pl_random_below(random, 20);
    if (owner[slot] == PL_NO_PAGE)
        return;
    struct pl_slot_run run = pl_page_file_neighbours(file, slot, most);
    assert_true(run.first <= slot && slot < run.first + run.count && run.count <= most);
    assert_true(run.first / most == slot / most && (run.first + run.count - 1) / most == slot / most);
    for (uint32_t i = run.first; i < run.first + run.count; i++)
        assert_true(owner[i] != PL_NO_PAGE);
    /* It cannot be made longer on either side. */
    assert_true(run.first % most == 0 || owner[run.first - 1] == PL_NO_PAGE);
    uint32_t end = run.first + run.count;
    assert_true(end == slots || end % most == 0 || owner[end] == PL_NO_PAGE);
}

static void run_random(uint64_t seed, uint32_t slots, uint32_t cluster)
{
    static uint32_t owner[MOST_SLOTS];
    struct pl_page_file *file = open_file(slots, cluster);
    struct pl_random random = pl_random_seeded(seed);
    uint32_t used = 0;
    memset(owner, 0xFF, sizeof owner);
    for (int step = 0; step < 3000; step++) {
        uint32_t asked = 1 + (uint32_t)pl_random_below(&random, cluster + 3), batch[70];
        struct pl_slot_run run = {77, 0};
        bool busy_phase = step / 400 % 2 == 0;
        if (pl_random_below(&random, 10) < (busy_phase ? 6U : 3U)) {
            for (uint32_t i = 0; i < asked; i++)
                batch[i] = (uint32_t)pl_random_below(&random, UINT32_MAX);
            bool got = pl_page_file_allocate(file, batch, asked, &run);
            assert_int_equal(got, used < slots);
            assert_true(!got || (run.count >= 1 && run.count <= asked && run.count <= cluster));
            for (uint32_t i = 0; got && i < run.count; i++) {
                assert_true(owner[run.first + i] == PL_NO_PAGE);
                owner[run.first + i] = batch[i];
            }
            used += got ? run.count : 0;
        } else if (used) {
            for (uint32_t tries = 0, slot; tries < asked; tries++) {
                slot = (uint32_t)pl_random_below(&random, slots);
                if (owner[slot] == PL_NO_PAGE)
                    continue;
                pl_page_file_free(file, slot);
                owner[slot] = PL_NO_PAGE;
                used--;
            }
        }
        if (step % 10 == 0)
            check_against_owners(file, owner, slots, cluster, &random);
    }
    pl_page_file_destroy(file);
}

static void test_random_use(void **state)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        run_random(seed, MOST_SLOTS, 8);
        run_random(seed, 100, 1);
        run_random(seed, 3, 8);
        run_random(seed, 777, 64);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_map),
        cmocka_unit_test(test_writes_lie_together),
        cmocka_unit_test(test_full_and_fragmented),
        cmocka_unit_test(test_random_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
