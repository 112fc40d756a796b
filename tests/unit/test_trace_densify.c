/* tests/unit/test_trace_densify.c: dense pages against a plain search, the limit, and memory. */
#include "base/random.h"
#include "trace/densify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct key {
    uint64_t number;
    uint32_t process;
};

/* The first index of the key among those seen, or their number. */
static size_t search(const struct key *seen, size_t count, struct key key)
{
    size_t i = 0;
    while (i < count && (seen[i].number != key.number || seen[i].process != key.process))
        i++;
    return i;
}

/* Numbers of all sizes, some equal in both processes. */
static uint64_t random_number(struct pl_random *random)
{
    static const uint64_t bases[] = {0, (1 << 22) - 50, UINT64_C(1) << 40, UINT64_MAX - 200};
    return bases[pl_random_below(random, PL_COUNT_OF(bases))] + pl_random_below(random, 200);
}

static void like_a_plain_search(void **state)
{
    (void)state;
    enum { ROUNDS = 300, MOST = 100 };
    struct pl_random random = pl_random_named(1, "densify");
    struct key *seen = malloc(ROUNDS * MOST * sizeof *seen);
    size_t count = 0;
    struct pl_densify *densify;
    assert_int_equal(pl_densify_create(0, &densify, NULL), PL_OK);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t numbers[MOST];
        pl_page pages[MOST];
        uint32_t process = (uint32_t)pl_random_below(&random, 3) * (round > 100); /* one at first, then three */
        size_t n = pl_random_below(&random, MOST);
        for (size_t i = 0; i < n; i++)
            numbers[i] = random_number(&random);
        assert_int_equal(pl_densify_batch(densify, process, numbers, n, pages, NULL), PL_OK);
        for (size_t i = 0; i < n; i++) {
            size_t expected = search(seen, count, (struct key){numbers[i], process});
            if (expected == count)
                seen[count++] = (struct key){numbers[i], process};
            assert_int_equal(pages[i], expected);
        }
        assert_int_equal(pl_densify_count(densify), count);
    }
    for (size_t page = 0; page < count; page++) {
        struct key key;
        pl_densify_origin(densify, (pl_page)page, &key.process, &key.number);
        assert_int_equal(search(seen, count, key), page);
    }
    pl_densify_destroy(densify);
    free(seen);
}

static void limit_is_an_error(void **state)
{
    (void)state;
    for (uint64_t base = 0; base < 2; base++) {
        uint64_t numbers[5];
        pl_page pages[5];
        struct pl_error err = {PL_OK, ""};
        struct pl_densify *densify;
        for (uint64_t i = 0; i < 5; i++)
            numbers[i] = (base << 50) + i;
        assert_int_equal(pl_densify_create(4, &densify, NULL), PL_OK);
        assert_int_equal(pl_densify_batch(densify, 0, numbers, 4, pages, &err), PL_OK);
        assert_int_equal(pl_densify_batch(densify, 0, numbers, 4, pages, &err), PL_OK);
        assert_int_equal(pl_densify_batch(densify, 0, numbers, 5, pages, &err), PL_ERR_INPUT);
        assert_non_null(strstr(err.message, "more than 4 distinct pages"));
        pl_densify_destroy(densify);
    }
}

/* At most 24 bytes a page in all but the fixed flat table, as reserved, at any load. */
static void memory_by_page(void **state)
{
    (void)state;
    enum { PAGES = 1 << 20, STEP = 1 << 12 };
    uint64_t *numbers = malloc(STEP * sizeof *numbers);
    pl_page *pages = malloc(STEP * sizeof *pages);
    struct pl_densify *densify;
    assert_int_equal(pl_densify_create(0, &densify, NULL), PL_OK);
    size_t fixed = pl_densify_bytes(densify);
    for (uint64_t done = 0; done < PAGES; done += STEP) {
        for (uint64_t i = 0; i < STEP; i++)
            numbers[i] = pl_mix64(done + i) | UINT64_C(1) << 63;
        assert_int_equal(pl_densify_batch(densify, 0, numbers, STEP, pages, NULL), PL_OK);
        /* The dictionary is reserved in powers of two but used only as far as there are pages. */
        size_t slots = pl_densify_bytes(densify) - fixed - 8 * (done + STEP);
        if (done + STEP == PAGES)
            assert_true(slots <= 16 * (size_t)PAGES);
    }
    pl_densify_destroy(densify);
    free(numbers);
    free(pages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_a_plain_search),
        cmocka_unit_test(limit_is_an_error),
        cmocka_unit_test(memory_by_page),
    };
    return cmocka_run_group_tests_name("trace densify", tests, NULL, NULL);
}
