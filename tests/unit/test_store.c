/* The store: against plain book-keeping, at its limits, with contents, and what is published of the Windows store. */
#include "base/random.h"
#include "codec/page_content.h"
#include "store/dedup.h"
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct pl_store_params params_for(const char *space)
{
    struct pl_store_params params = {.space_params.page_size = 4096,
                                     .max_pages = PL_STORE_NO_LIMIT,
                                     .max_bytes = PL_STORE_NO_LIMIT,
                                     .dedup = PL_DEDUP_HASH128,
                                     .same_filled = PL_SAME_WORD};
    assert_int_equal(pl_space_find(space, &params.space, NULL), PL_OK);
    return params;
}

static struct pl_store *make(struct pl_store_params params)
{
    struct pl_store *store = NULL;
    assert_int_equal(pl_store_create(&params, &store, NULL), PL_OK);
    return store;
}

static struct pl_codec *make_codec(const char *name)
{
    const struct pl_codec_ops *ops = NULL;
    struct pl_codec *codec = NULL;
    struct pl_codec_params params = {.page_size = 4096};
    assert_int_equal(pl_codec_find(name, &ops, NULL), PL_OK);
    assert_int_equal(pl_codec_create(ops, &params, &codec, NULL), PL_OK);
    return codec;
}

static enum pl_store_outcome put(struct pl_store *store, pl_page key, uint32_t size, uint64_t hash)
{
    enum pl_store_outcome outcome = PL_STORE_TOO_LARGE;
    struct pl_store_page page = {.size = size, .hash = {hash, pl_mix64(hash)}};
    assert_int_equal(pl_store_put(store, key, &page, &outcome, NULL), PL_OK);
    return outcome;
}

static enum pl_store_outcome put_content(struct pl_store *store, struct pl_codec *codec, pl_page key,
                                         const uint8_t *content)
{
    uint8_t room[4096];
    enum pl_store_outcome outcome = PL_STORE_TOO_LARGE;
    struct pl_store_page page;
    pl_store_pack(pl_store_params(store), codec, content, room, &page);
    assert_int_equal(pl_store_put(store, key, &page, &outcome, NULL), PL_OK);
    return outcome;
}

/* --- against plain book-keeping ------------------------------------------------- */

enum { KEYS = 400, CONTENTS = 300 };

struct plain {
    int content[KEYS]; /* -1: not stored; 0: same-filled */
    uint64_t when[KEYS];
};

/* Contents have sizes of their own: some raw, some tiny. */
static uint32_t size_of(int content)
{
    return content % 7 == 1 ? 4096 : 40 + (uint32_t)(pl_mix64((uint64_t)content) % 3900);
}

static pl_page plain_oldest(const struct plain *plain)
{
    pl_page oldest = PL_NO_PAGE;
    for (pl_page key = 0; key < KEYS; key++)
        if (plain->content[key] >= 0 && (oldest == PL_NO_PAGE || plain->when[key] < plain->when[oldest]))
            oldest = key;
    return oldest;
}

static void compare(const struct pl_store *store, const struct plain *plain)
{
    uint64_t pages = 0, same = 0, unique = 0, bytes = 0, raw = 0;
    static int seen[CONTENTS];
    memset(seen, 0, sizeof(seen));
    for (pl_page key = 0; key < KEYS; key++) {
        int content = plain->content[key];
        assert_int_equal(pl_store_has(store, key), content >= 0);
        if (content < 0)
            continue;
        pages++;
        same += content == 0;
        if (content > 0 && !seen[content]++) {
            uint32_t size = size_of(content) < pl_store_params(store)->raw_from ? size_of(content) : 4096;
            unique++;
            bytes += size;
            raw += size == 4096;
        }
    }
    struct pl_store_statistics now = pl_store_statistics(store);
    assert_int_equal(now.pages, pages);
    assert_int_equal(now.same_filled, same);
    assert_int_equal(now.unique, unique);
    assert_int_equal(now.duplicates, pages - same - unique);
    assert_int_equal(now.raw, raw);
    assert_int_equal(now.compressed_bytes, bytes);
    assert_int_equal(now.space.object_bytes, bytes);
    assert_int_equal(now.space.objects, unique);
    assert_int_equal(pl_store_oldest(store), plain_oldest(plain));
}

static void random_step(struct pl_store *store, struct plain *plain, struct pl_random *random, uint64_t now)
{
    pl_page key = (pl_page)pl_random_below(random, KEYS);
    if (plain->content[key] < 0) {
        int content = (int)pl_random_below(random, CONTENTS);
        struct pl_store_page page = {.size = content ? size_of(content) : 0,
                                     .same_filled = content == 0,
                                     .hash = {(uint64_t)content, 99}};
        enum pl_store_outcome outcome;
        assert_int_equal(pl_store_put(store, key, &page, &outcome, NULL), PL_OK);
        if (pl_store_was_stored(outcome)) {
            plain->content[key] = content;
            plain->when[key] = now;
        }
    } else if (pl_random_below(random, 3) == 0) {
        pl_store_touch(store, key);
        plain->when[key] = now;
    } else {
        assert_true(pl_store_remove(store, key));
        plain->content[key] = -1;
    }
}

static void test_against_plain(void **state)
{
    static struct plain plain;
    for (size_t k = 0; pl_spaces[k]; k++)
        for (int limited = 0; limited < 3; limited++) {
            struct pl_store_params params = params_for(pl_spaces[k]->name);
            if (limited == 1)
                params.max_pages = 150;
            if (limited == 2)
                params.max_bytes = 300000;
            struct pl_store *store = make(params);
            struct pl_random random = pl_random_named(6, pl_spaces[k]->name);
            for (pl_page key = 0; key < KEYS; key++)
                plain.content[key] = -1;
            for (uint64_t step = 1; step < 8000; step++) {
                random_step(store, &plain, &random, step);
                if (step % 97 == 0)
                    compare(store, &plain);
                if (step % 991 == 0)
                    pl_store_compact(store);
            }
            struct pl_store_statistics end = pl_store_statistics(store);
            assert_true(end.peak_pages <= params.max_pages && end.peak_limited_bytes <= params.max_bytes);
            assert_int_equal(end.offered[PL_STORE_FULL_PAGES] > 0, limited == 1);
            assert_int_equal(end.offered[PL_STORE_FULL_BYTES] > 0, limited == 2);
            while (pl_store_oldest(store) != PL_NO_PAGE)
                assert_true(pl_store_remove(store, pl_store_oldest(store)));
            end = pl_store_statistics(store);
            assert_int_equal(end.pages + end.unique + end.space.used_bytes + end.limited_bytes, 0);
            pl_store_destroy(store);
        }
}

/* --- limits -------------------------------------------------------------------- */

static void test_page_limit(void **state)
{
    struct pl_store_params params = params_for("ideal");
    params.max_pages = 3;
    struct pl_store *store = make(params);
    for (pl_page key = 0; key < 3; key++)
        assert_int_equal(put(store, key, 100, key), PL_STORE_COMPRESSED);
    assert_int_equal(put(store, 7, 100, 1), PL_STORE_FULL_PAGES); /* even a duplicate is a page */
    assert_false(pl_store_has(store, 7));
    assert_int_equal(pl_store_oldest(store), 0);
    assert_true(pl_store_remove(store, 0));
    assert_false(pl_store_remove(store, 0));
    assert_int_equal(put(store, 7, 100, 1), PL_STORE_DUPLICATE);
    pl_store_destroy(store);
}

/* Bytes are the organisation's, not the objects': forty pages of 60 bytes take one, and their records. */
static void test_byte_limit(void **state)
{
    struct pl_store_params params = params_for("regions");
    params.max_bytes = 4096 + 36 * 40 - 1;
    struct pl_store *store = make(params);
    pl_page key = 0;
    while (put(store, key, 60, key) == PL_STORE_COMPRESSED)
        key++;
    assert_int_equal(key, 39); /* the fortieth record goes over */
    struct pl_store_statistics now = pl_store_statistics(store);
    assert_int_equal(now.pages, 39);
    assert_int_equal(now.limited_bytes, 4096 + 39 * 36);
    assert_int_equal(now.offered[PL_STORE_FULL_BYTES], 1);
    assert_int_equal(now.record_bytes, 39 * 36);
    pl_store_destroy(store);

    params = params_for("zsmalloc"); /* zram's table lies outside of mem_limit */
    params.max_bytes = 4096;
    store = make(params);
    assert_int_equal(put(store, 0, 4096, 1), PL_STORE_RAW);
    assert_int_equal(put(store, 1, 4096, 2), PL_STORE_FULL_BYTES);
    assert_int_equal(put(store, 2, 4096, 1), PL_STORE_DUPLICATE);
    assert_int_equal(pl_store_statistics(store).limited_bytes, 4096);
    pl_store_destroy(store);
}

static void test_too_large(void **state)
{
    struct pl_store *store = make(params_for("zbud"));
    assert_int_equal(put(store, 0, 3968, 1), PL_STORE_COMPRESSED);
    assert_int_equal(put(store, 1, 3969, 2), PL_STORE_TOO_LARGE);
    assert_int_equal(put(store, 2, 0, 3), PL_STORE_TOO_LARGE);
    assert_int_equal(pl_store_statistics(store).pages, 1);
    pl_store_destroy(store);
    store = make(params_for("zsmalloc"));
    assert_int_equal(put(store, 1, 3900, 2), PL_STORE_RAW);
    assert_int_equal(pl_store_statistics(store).compressed_bytes, 4096);
    pl_store_destroy(store);
}

/* A page that was an object's first may go before the others that refer to it. */
static void test_references(void **state)
{
    struct pl_store *store = make(params_for("ideal"));
    assert_int_equal(put(store, 1, 500, 42), PL_STORE_COMPRESSED);
    assert_int_equal(put(store, 2, 500, 42), PL_STORE_DUPLICATE);
    assert_int_equal(put(store, 3, 500, 42), PL_STORE_DUPLICATE);
    assert_true(pl_store_remove(store, 1));
    struct pl_store_page page;
    assert_true(pl_store_find(store, 3, &page));
    assert_int_equal(page.size, 500);
    assert_true(pl_store_remove(store, 3));
    assert_int_equal(pl_store_statistics(store).space.object_bytes, 500);
    assert_int_equal(pl_store_statistics(store).duplicates, 0);
    assert_true(pl_store_remove(store, 2));
    assert_int_equal(pl_store_statistics(store).space.object_bytes, 0);
    assert_int_equal(put(store, 2, 500, 42), PL_STORE_COMPRESSED);
    pl_store_destroy(store);
}

/* Two contents with the same 32 bits stay two; all 128 bits tell them apart without a comparison. */
static void test_short_hash(void **state)
{
    for (int mode = PL_DEDUP_HASH128; mode <= PL_DEDUP_HASH32; mode++)
        for (int content = 0; content < 2; content++) {
            struct pl_store_params params = params_for("ideal");
            params.dedup = (enum pl_dedup)mode;
            params.keep_content = content;
            struct pl_store *store = make(params);
            static const uint8_t one[] = "one", two[] = "two";
            struct pl_store_page a = {.size = 3, .hash = {0x500000001u, 1}, .bytes = content ? one : NULL};
            struct pl_store_page b = {.size = 3, .hash = {0x600000001u, 1}, .bytes = content ? two : NULL};
            enum pl_store_outcome outcome;
            pl_store_put(store, 0, &a, &outcome, NULL);
            pl_store_put(store, 1, &b, &outcome, NULL);
            assert_int_equal(outcome, PL_STORE_COMPRESSED);
            pl_store_put(store, 2, &b, &outcome, NULL);
            assert_int_equal(outcome, PL_STORE_DUPLICATE);
            struct pl_store_statistics now = pl_store_statistics(store);
            assert_int_equal(now.hash_collisions, mode == PL_DEDUP_HASH32 ? 1 : 0);
            assert_int_equal(now.hash_compares, mode == PL_DEDUP_HASH32 ? 2 : 1);
            pl_store_destroy(store);
        }
    /* Equal hashes of different bytes, which only an adversary finds: the bytes decide. */
    struct pl_store_params params = params_for("ideal");
    params.keep_content = true;
    struct pl_store *store = make(params);
    struct pl_store_page a = {.size = 3, .hash = {5, 1}, .bytes = (const uint8_t *)"one"};
    struct pl_store_page b = {.size = 3, .hash = {5, 1}, .bytes = (const uint8_t *)"two"};
    enum pl_store_outcome outcome;
    pl_store_put(store, 0, &a, &outcome, NULL);
    pl_store_put(store, 1, &b, &outcome, NULL);
    assert_int_equal(outcome, PL_STORE_COMPRESSED);
    assert_int_equal(pl_store_statistics(store).hash_collisions, 1);
    pl_store_destroy(store);
}

/* Many objects, so that the table grows, all still found. */
static void test_many_objects(void **state)
{
    struct pl_store *store = make(params_for("ideal"));
    for (pl_page key = 0; key < 50000; key++)
        assert_int_equal(put(store, key, 10, pl_mix64(key)), PL_STORE_COMPRESSED);
    for (pl_page key = 0; key < 50000; key++)
        assert_int_equal(put(store, key + 50000, 10, pl_mix64(key)), PL_STORE_DUPLICATE);
    assert_int_equal(pl_store_statistics(store).space.object_bytes, 500000);
    pl_store_destroy(store);
}

/* --- contents ------------------------------------------------------------------ */

static void test_contents_come_back(void **state)
{
    static const enum pl_content_kind kinds[] = {PL_CONTENT_ZEROS, PL_CONTENT_INDEX, PL_CONTENT_RAND,
                                                 PL_CONTENT_TEXT,  PL_CONTENT_HASH,  PL_CONTENT_SAME};
    static const char *const spaces[] = {"regions", "zsmalloc", "ideal"};
    uint8_t content[4096], back[4096];
    struct pl_codec *codec = make_codec("xpress");
    for (size_t s = 0; s < PL_COUNT_OF(spaces); s++)
        for (int same = PL_SAME_NONE; same <= PL_SAME_WORD; same++) {
            struct pl_store_params params = params_for(spaces[s]);
            params.keep_content = true;
            params.same_filled = (enum pl_same)same;
            struct pl_store *store = make(params);
            for (pl_page key = 0; key < 600; key++) {
                struct pl_content what = {kinds[key % 6], 1 + key / 6 % 3};
                pl_content_page(&what, key / 60, content, sizeof(content));
                assert_true(pl_store_was_stored(put_content(store, codec, key, content)));
            }
            for (pl_page key = 0; key < 600; key++) {
                struct pl_content what = {kinds[key % 6], 1 + key / 6 % 3};
                pl_content_page(&what, key / 60, content, sizeof(content));
                memset(back, 0xEE, sizeof(back));
                assert_true(pl_store_content(store, codec, key, back));
                assert_memory_equal(back, content, sizeof(back));
            }
            struct pl_store_statistics now = pl_store_statistics(store);
            assert_int_equal(now.same_filled, same == PL_SAME_NONE ? 0 : same == PL_SAME_ZERO ? 100 : 200);
            assert_true(now.duplicates > 0 && now.hash_collisions == 0);
            pl_store_destroy(store);
        }
    pl_codec_destroy(codec);
}

/* --- what is published ---------------------------------------------------------- */

/* Every `stride`-th page of a program's memory, put into the Windows store. Returns its size over the content's. */
static double windows_store_ratio(enum pl_content_kind kind, uint64_t pages, uint64_t stride)
{
    uint8_t content[4096];
    struct pl_codec *codec = make_codec("xpress");
    struct pl_store *store = make(params_for("regions"));
    struct pl_content what = {kind, 0};
    pl_page key = 0;
    for (uint64_t i = 0; i < pages; i += stride, key++) {
        pl_content_page(&what, i, content, sizeof(content));
        assert_true(pl_store_was_stored(put_content(store, codec, key, content)));
    }
    double ratio = (double)pl_store_limited_bytes(store) / ((double)key * 4096);
    pl_store_destroy(store);
    pl_codec_destroy(codec);
    return ratio;
}

/* Kraus' CppEater: 2000 MB of consecutive ints; 1.7 GB in the store, which is 0.81 or 0.87 of the data as GB is
 * read. A sample of one page in 61: codec, chunks, tails and records predict it. */
static void test_consecutive_ints(void **state)
{
    double ratio = windows_store_ratio(PL_CONTENT_INDEX, 512000, 61);
    print_message("# consecutive ints in the Windows store: %.4f of the data\n", ratio);
    assert_true(ratio >= 0.81 && ratio <= 0.84);
}

/* Store bytes of eight programs of `pages` pages of rand() each. */
static double eight_processes(bool equal_seeds, uint64_t pages)
{
    uint8_t content[4096];
    struct pl_codec *codec = make_codec("xpress");
    struct pl_store *store = make(params_for("regions"));
    for (uint64_t process = 0; process < 8; process++)
        for (uint64_t i = 0; i < pages; i++) {
            struct pl_content what = {PL_CONTENT_RAND, equal_seeds ? 1 : 1 + process};
            pl_content_page(&what, i, content, sizeof(content));
            put_content(store, codec, (pl_page)(process * pages + i), content);
        }
    struct pl_store_statistics now = pl_store_statistics(store);
    assert_int_equal(now.unique, equal_seeds ? pages : 8 * pages);
    assert_int_equal(now.duplicates, equal_seeds ? 7 * pages : 0);
    double bytes = (double)now.limited_bytes;
    pl_store_destroy(store);
    pl_codec_destroy(codec);
    return bytes;
}

/* Eight equal processes fill the store once, with seeds of their own eight times. */
static void test_equal_processes(void **state)
{
    enum { PAGES = 600 };
    double equal = eight_processes(true, PAGES), different = eight_processes(false, PAGES);
    assert_true(equal > 0.8 * PAGES * 4096 && equal < 1.0 * PAGES * 4096);
    print_message("# eight processes: different seeds take %.2f times equal ones\n", different / equal);
    assert_true(different / equal > 7 && different / equal <= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_plain),      cmocka_unit_test(test_page_limit),
        cmocka_unit_test(test_byte_limit),         cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_references),         cmocka_unit_test(test_short_hash),
        cmocka_unit_test(test_many_objects),       cmocka_unit_test(test_contents_come_back),
        cmocka_unit_test(test_consecutive_ints),   cmocka_unit_test(test_equal_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
