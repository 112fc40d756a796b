/* The content hash against libxxhash, and the page generators against the programs they stand for. */
#include "config.h"

#include "base/random.h"
#include "codec/page_content.h"
#include "codec/page_hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#ifdef HAVE_XXHASH
#include <xxhash.h>
#endif

/* Values that xxhsum -H2 prints for these inputs. */
static void test_hash_values(void **state)
{
    static const struct {
        const char *text;
        uint64_t high, low;
    } rows[] = {
        {"", UINT64_C(0x99aa06d3014798d8), UINT64_C(0x6001c324468d497f)},
        {"a", UINT64_C(0xa96faf705af16834), UINT64_C(0xe6c632b61e964e1f)},
        {"abc", UINT64_C(0x06b05ab6733a6185), UINT64_C(0x78af5f94892f3950)},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct pl_hash128 hash = pl_page_hash(rows[i].text, strlen(rows[i].text));
        assert_true(hash.high == rows[i].high && hash.low == rows[i].low);
    }
}

#ifdef HAVE_XXHASH
static void check_hash(const uint8_t *bytes, size_t length)
{
    XXH128_hash_t theirs = XXH3_128bits(bytes, length);
    struct pl_hash128 ours = pl_page_hash(bytes, length);
    if (ours.low != theirs.low64 || ours.high != theirs.high64)
        fail_msg("the hash of %zu bytes differs from libxxhash", length);
}

static void test_hash_every_length(void **state)
{
    static uint8_t bytes[70000];
    struct pl_random random = pl_random_named(3, "hash");
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)pl_random_next(&random);
    for (size_t length = 0; length <= 2200; length++)
        check_hash(bytes + length % 7, length);
    static const size_t lengths[] = {4095, 4096, 4097, 8192, 16384, 65535, 65536, 69999};
    for (size_t i = 0; i < PL_COUNT_OF(lengths); i++)
        check_hash(bytes, lengths[i]);
}
#endif

static void make(enum pl_content_kind kind, uint64_t seed, uint64_t index, uint32_t ints[1024])
{
    struct pl_content content = {kind, seed};
    pl_content_page(&content, index, (uint8_t *)ints, 4096);
}

static void test_zeros_index_same(void **state)
{
    uint32_t page[1024];
    make(PL_CONTENT_ZEROS, 5, 9, page);
    for (size_t i = 0; i < 1024; i++)
        assert_int_equal(page[i], 0);
    make(PL_CONTENT_INDEX, 100, 511999, page);
    for (size_t i = 0; i < 1024; i++)
        assert_int_equal(page[i], 100 + 511999 * 1024 + i);
    make(PL_CONTENT_SAME, 0xDEADBEEF, 3, page);
    for (size_t i = 0; i < 1024; i++)
        assert_int_equal(page[i], 0xDEADBEEF);
}

/* The first values of rand() without srand are known to every Windows programmer; a page made alone continues the
 * sequence that a program would have drawn up to there. */
static void test_rand(void **state)
{
    static const uint32_t known[] = {41, 18467, 6334, 26500, 19169, 15724, 11478, 29358, 26962, 24464};
    uint32_t page[1024], sequence = 12345;
    make(PL_CONTENT_RAND, 1, 0, page);
    assert_memory_equal(page, known, sizeof(known));
    for (uint64_t index = 0; index < 300; index++) {
        make(PL_CONTENT_RAND, 12345, index, page);
        for (size_t i = 0; i < 1024; i++) {
            sequence = sequence * 214013 + 2531011;
            assert_int_equal(page[i], sequence >> 16 & 0x7fff);
        }
    }
}

/* Pages differ by index and by seed, and come out the same again. */
static void test_distinct(void **state)
{
    uint32_t a[1024], b[1024];
    static const enum pl_content_kind kinds[] = {PL_CONTENT_INDEX, PL_CONTENT_RAND, PL_CONTENT_TEXT, PL_CONTENT_HASH};
    for (size_t k = 0; k < PL_COUNT_OF(kinds); k++) {
        make(kinds[k], 1, 0, a);
        make(kinds[k], 1, 0, b);
        assert_memory_equal(a, b, 4096);
        make(kinds[k], 1, 1, b);
        assert_memory_not_equal(a, b, 4096);
        make(kinds[k], 2, 0, b);
        assert_memory_not_equal(a, b, 4096);
    }
}

static void test_text_is_text(void **state)
{
    uint8_t page[4096];
    struct pl_content text = {PL_CONTENT_TEXT, 4};
    size_t blanks = 0;
    for (uint64_t index = 0; index < 20; index++) {
        pl_content_page(&text, index, page, sizeof(page));
        for (size_t i = 0; i < sizeof(page); i++) {
            assert_true((page[i] >= 'a' && page[i] <= 'z') || page[i] == ' ' || page[i] == '\n' || page[i] == ',');
            blanks += page[i] == ' ';
        }
    }
    assert_in_range(blanks, 20 * 4096 / 10, 20 * 4096 / 4);
}

static void test_names(void **state)
{
    struct pl_error err;
    for (int kind = PL_CONTENT_ZEROS; kind <= PL_CONTENT_SAME; kind++) {
        enum pl_content_kind found = PL_CONTENT_ZEROS;
        assert_int_equal(pl_content_find(pl_content_name((enum pl_content_kind)kind), &found, NULL), PL_OK);
        assert_int_equal(found, kind);
    }
    enum pl_content_kind kept = PL_CONTENT_TEXT;
    assert_int_equal(pl_content_find("zeroes", &kept, &err), PL_ERR_INPUT);
    assert_int_equal(kept, PL_CONTENT_TEXT);
    assert_non_null(strstr(err.message, "zeros"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash_values),
#ifdef HAVE_XXHASH
        cmocka_unit_test(test_hash_every_length),
#endif
        cmocka_unit_test(test_zeros_index_same), cmocka_unit_test(test_rand),  cmocka_unit_test(test_distinct),
        cmocka_unit_test(test_text_is_text),     cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
