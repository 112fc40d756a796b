/* Arenas, growing arrays and large tables: alignment, zeroes, overflow, content that survives growing. */
#include "config.h"

#include "base_check.h"

static bool is_zero(const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i])
            return false;
    return true;
}

static void pieces_are_aligned_zeroed_and_apart(void **state)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_random random = pl_random_seeded(1);
    struct {
        unsigned char *bytes;
        size_t length;
    } pieces[2000];
    for (size_t i = 0; i < PL_COUNT_OF(pieces); i++) {
        /* Mostly small, now and then larger than a block. */
        size_t length = pl_random_below(&random, i % 100 == 99 ? 3000000 : i % 10 == 9 ? 9000 : 100);
        pieces[i].length = length;
        pieces[i].bytes = pl_arena_alloc(arena, length, 1);
        assert_non_null(pieces[i].bytes);
        assert_int_equal((uintptr_t)pieces[i].bytes % 16, 0);
        assert_true(is_zero(pieces[i].bytes, length));
        memset(pieces[i].bytes, (int)(i % 251) + 1, length);
    }
    size_t total = 0;
    for (size_t i = 0; i < PL_COUNT_OF(pieces); i++) {
        for (size_t j = 0; j < pieces[i].length; j++)
            assert_int_equal(pieces[i].bytes[j], (int)(i % 251) + 1);
        total += pieces[i].length;
    }
    assert_true(pl_arena_bytes(arena) >= total);
    assert_true(pl_arena_bytes(arena) < 2 * total); /* large pieces do not waste the rest of a block */
    pl_arena_destroy(arena);
    pl_arena_destroy(NULL);
}

static void overflow_is_refused(void **state)
{
    struct pl_arena *arena = pl_arena_create();
    assert_null(pl_arena_alloc(arena, SIZE_MAX, 2));
    assert_null(pl_arena_alloc(arena, SIZE_MAX / 2, 3));
    assert_null(pl_arena_alloc(arena, SIZE_MAX - 8, 1));
    assert_null(pl_arena_alloc(arena, 1, SIZE_MAX));
    void *a = pl_arena_alloc(arena, 0, 8), *b = pl_arena_alloc(arena, 5, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_ptr_not_equal(a, b);
    pl_arena_destroy(arena);
}

static void texts(void **state)
{
    struct pl_arena *arena = pl_arena_create();
    check_text(pl_arena_strdup(arena, ""), "");
    check_text(pl_arena_strdup(arena, "abc"), "abc");
    check_text(pl_arena_printf(arena, "%d-%s", 7, "x"), "7-x");
    char *wide = pl_arena_printf(arena, "%100000d", 5);
    assert_int_equal(strlen(wide), 100000);
    pl_arena_destroy(arena);
}

static void arrays_grow(void **state)
{
    uint64_t *items = NULL;
    size_t capacity = 0, calls = 0;
    for (uint64_t i = 0; i < 100000; i++) {
        size_t before = capacity;
        assert_int_equal(pl_grow((void **)&items, &capacity, i + 1, sizeof *items, "items", NULL), PL_OK);
        calls += capacity != before;
        assert_true(capacity > i);
        items[i] = i * i;
    }
    assert_true(calls < 40);
    for (uint64_t i = 0; i < 100000; i++)
        assert_int_equal(items[i], i * i);

    struct pl_error err;
    uint64_t *same = items;
    size_t same_capacity = capacity;
    assert_int_equal(pl_grow((void **)&items, &capacity, SIZE_MAX / 4, sizeof *items, "items", &err), PL_ERR_RESOURCE);
    check_says(&err, "items");
    assert_ptr_equal(items, same);
    assert_int_equal(capacity, same_capacity);
    free(items);
}

static void tables_grow_and_keep_their_content(void **state)
{
    static const size_t sizes[] = {1, 5000, 2 << 20, (2 << 20) + 1, 5 << 20, 40 << 20};
    unsigned char *table = pl_table_alloc(sizes[0]);
    assert_non_null(table);
    for (size_t i = 0;; i++) {
        assert_int_equal((uintptr_t)table % 4096, 0);
        for (size_t at = i ? sizes[i - 1] : 0; at < sizes[i]; at++) {
            if (table[at])
                fail_msg("byte %zu of %zu is not zero", at, sizes[i]);
            table[at] = (unsigned char)(at * 7 + 1);
        }
        if (i + 1 == PL_COUNT_OF(sizes))
            break;
        unsigned char *larger = pl_table_grow(table, sizes[i], sizes[i + 1]);
        assert_non_null(larger);
        table = larger;
    }
    size_t last = sizes[PL_COUNT_OF(sizes) - 1];
    for (size_t at = 0; at < last; at++)
        if (table[at] != (unsigned char)(at * 7 + 1))
            fail_msg("byte %zu was lost", at);
    pl_table_free(table, last);
    pl_table_free(NULL, 5);
}

static void tables_take_no_memory_until_touched(void **state)
{
    assert_null(pl_table_alloc(SIZE_MAX));
    assert_null(pl_table_alloc(SIZE_MAX / 2));
#ifndef PL_SANITIZED
    size_t bytes = (size_t)64 << 30;
    unsigned char *table = pl_table_alloc(bytes);
    if (!table)
        skip(); /* an address-space limit is in force */
    table[0] = table[bytes - 1] = 1;
    assert_int_equal((uintptr_t)table % (2 << 20), 0);
    assert_ptr_equal(pl_table_grow(table, bytes, bytes / 2), table);
    pl_table_free(table, bytes);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_aligned_zeroed_and_apart),
        cmocka_unit_test(overflow_is_refused),
        cmocka_unit_test(texts),
        cmocka_unit_test(arrays_grow),
        cmocka_unit_test(tables_grow_and_keep_their_content),
        cmocka_unit_test(tables_take_no_memory_until_touched),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
