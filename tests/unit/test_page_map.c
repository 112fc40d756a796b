/* The page map against a plain count: no touch is lost by folding, each stands in its cell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace/page_map.h"

static void expect_map(uint64_t touches, uint32_t pages, uint64_t seed)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_random random = pl_random_named(seed, "page map");
    struct pl_page_map map;
    pl_page *page = malloc(touches * sizeof *page);
    assert_non_null(page);
    assert_int_equal(pl_page_map_create(arena, &map, NULL), PL_OK);
    pl_page used = 0;
    for (uint64_t i = 0; i < touches; i++) {
        page[i] = used < pages && pl_random_below(&random, 3) == 0 ? used : (pl_page)pl_random_below(&random, used + 1);
        used += page[i] == used;
    }
    for (uint64_t at = 0; at < touches;) {
        uint64_t count = 1 + pl_random_below(&random, 5000);
        if (count > touches - at)
            count = touches - at;
        const struct pl_batch batch = {.count = count, .page = page + at};
        pl_page_map_add(&map, &batch);
        at += count;
    }
    assert_int_equal(map.touches, touches);
    assert_int_equal(map.pages, used);
    uint64_t *naive = calloc((size_t)PL_PAGE_MAP_SIDE * PL_PAGE_MAP_SIDE, sizeof *naive);
    assert_non_null(naive);
    for (uint64_t i = 0; i < touches; i++)
        naive[(i >> map.touch_shift) * PL_PAGE_MAP_SIDE + (page[i] >> map.page_shift)]++;
    assert_memory_equal(naive, map.count, sizeof *naive * PL_PAGE_MAP_SIDE * PL_PAGE_MAP_SIDE);
    /* No coarser than it must be. */
    assert_true(map.touch_shift == 0 || (touches - 1) >> (map.touch_shift - 1) >= PL_PAGE_MAP_SIDE);
    assert_true(map.page_shift == 0 || (used - 1) >> (map.page_shift - 1) >= PL_PAGE_MAP_SIDE);
    free(naive);
    free(page);
    pl_arena_destroy(arena);
}

static void folds_without_loss(void **state)
{
    (void)state;
    expect_map(1, 1, 1);
    expect_map(512, 512, 2);
    expect_map(513, 513, 3);
    expect_map(100000, 40, 4);
    expect_map(300000, 50000, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(folds_without_loss)};
    return cmocka_run_group_tests_name("page map", tests, NULL, NULL);
}
