/* XXH64: published values, and libxxhash where it is installed. */
#include "base_check.h"

#ifdef HAVE_XXHASH
#include <xxhash.h>
#endif

static void known_values(void **state)
{
    assert_int_equal(pl_xxh64(NULL, 0, 0), UINT64_C(0xef46db3751d8e999));
    assert_int_equal(pl_xxh64("abc", 3, 0), UINT64_C(0x44bc2cf5ad770999));
    uint8_t bytes[100];
    for (int i = 0; i < 100; i++)
        bytes[i] = (uint8_t)i;
    assert_int_equal(pl_xxh64(bytes, sizeof bytes, 42), UINT64_C(0x819d2b726001d507));
}

static void equals_libxxhash(void **state)
{
#ifdef HAVE_XXHASH
    struct pl_random random = pl_random_seeded(1);
    static uint8_t bytes[1000 + 8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)pl_random_next(&random);
    for (size_t length = 0; length <= 1000; length++)
        for (size_t shift = 0; shift < 8; shift++) {
            uint64_t seed = shift & 1 ? pl_random_next(&random) : 0;
            if (pl_xxh64(bytes + shift, length, seed) != XXH64(bytes + shift, length, seed))
                fail_msg("length %zu, shift %zu", length, shift);
        }
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_values), cmocka_unit_test(equals_libxxhash)};
    return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
