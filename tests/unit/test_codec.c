/* The page codecs: every one that produces bytes gives the page back, keeps to its room, and takes no nonsense. */
#include "codec/codec.h"
#include "codec/page_content.h"
#include "codec/same_filled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"

static struct pl_codec *make(const char *name, uint32_t page_size)
{
    const struct pl_codec_ops *ops = NULL;
    struct pl_codec *codec = NULL;
    assert_int_equal(pl_codec_find(name, &ops, NULL), PL_OK);
    struct pl_codec_params params = {.page_size = page_size, .ratio = 2};
    assert_int_equal(pl_codec_create(ops, &params, &codec, NULL), PL_OK);
    return codec;
}

/* Buffers of exactly the room, so that a sanitizer sees a byte too far. Returns the compressed size, 0 for none. */
static size_t round_trip(struct pl_codec *codec, const uint8_t *page, size_t room)
{
    uint32_t page_size = codec->params.page_size;
    uint8_t *packed = malloc(room), *back = malloc(page_size);
    assert_non_null(packed);
    assert_non_null(back);
    size_t size = pl_codec_compress(codec, page, packed, room);
    if (size) {
        uint8_t *exact = malloc(size);
        assert_non_null(exact);
        memcpy(exact, packed, size);
        memset(back, 0xEE, page_size);
        assert_true(pl_codec_decompress(codec, exact, size, back));
        assert_memory_equal(back, page, page_size);
        free(exact);
    }
    free(back);
    free(packed);
    return size;
}

static void test_round_trips(void **state)
{
    static uint8_t page[PL_CODEC_PAGE_MAX];
    static const uint32_t page_sizes[] = {512, 4096, 16384, PL_CODEC_PAGE_MAX};
    for (size_t c = 0; pl_codecs[c]; c++) {
        if (pl_codecs[c]->sizes_only)
            continue;
        for (size_t s = 0; s < PL_COUNT_OF(page_sizes); s++) {
            struct pl_codec *codec = make(pl_codecs[c]->name, page_sizes[s]);
            for (int kind = PL_CONTENT_ZEROS; kind <= PL_CONTENT_SAME; kind++)
                for (uint64_t index = 0; index < 12; index++) {
                    struct pl_content content = {(enum pl_content_kind)kind, 77};
                    pl_content_page(&content, index * 1000, page, page_sizes[s]);
                    round_trip(codec, page, page_sizes[s]);
                }
            pl_codec_destroy(codec);
        }
    }
}

/* Pages of few bits per word, of runs, and of words near each other: where dictionaries and runs have their
 * corners. */
static void make_odd(struct pl_random *random, uint8_t *page, uint32_t size)
{
    uint64_t kind = pl_random_below(random, 4), mask = pl_random_next(random) & pl_random_next(random);
    for (uint32_t at = 0; at < size; at += 4) {
        uint32_t word = (uint32_t)(pl_random_next(random) & mask);
        if (kind == 1)
            word = pl_random_below(random, 3) ? 0 : word;
        if (kind == 2)
            word = 0x7f001000u + (word & 0x7ff) * 8;
        if (kind == 3 && at && pl_random_below(random, 2))
            memcpy(&word, page + pl_random_below(random, at / 4) * 4, 4);
        memcpy(page + at, &word, 4);
    }
}

static void test_random_pages(void **state)
{
    uint8_t page[4096];
    for (size_t c = 0; pl_codecs[c]; c++) {
        if (pl_codecs[c]->sizes_only)
            continue;
        struct pl_codec *codec = make(pl_codecs[c]->name, sizeof(page));
        struct pl_random random = pl_random_named(1, "odd pages");
        for (int i = 0; i < 300; i++) {
            make_odd(&random, page, sizeof(page));
            size_t size = round_trip(codec, page, sizeof(page));
            if (size > 1) { /* it fits where it must, and does not where it cannot */
                assert_int_equal(round_trip(codec, page, size - 1), 0);
                if (codec->ops->level_max == 0 || !strcmp(codec->ops->name, "xpress"))
                    assert_int_equal(round_trip(codec, page, size), size);
            }
        }
        pl_codec_destroy(codec);
    }
}

/* Damaged input must neither crash nor write outside the page; most of it is refused. */
static void test_damage(void **state)
{
    uint8_t page[4096], packed[4096], back[4096];
    for (size_t c = 0; pl_codecs[c]; c++) {
        if (pl_codecs[c]->sizes_only)
            continue;
        struct pl_codec *codec = make(pl_codecs[c]->name, sizeof(page));
        struct pl_random random = pl_random_named(2, "damage");
        for (int i = 0; i < 400; i++) {
            make_odd(&random, page, sizeof(page));
            size_t size = pl_codec_compress(codec, page, packed, sizeof(packed));
            if (!size)
                continue;
            size_t cut = (size_t)pl_random_below(&random, size + 1);
            uint8_t *exact = malloc(cut + 1);
            assert_non_null(exact);
            memcpy(exact, packed, cut);
            for (int hits = 0; cut && hits < 3; hits++)
                exact[pl_random_below(&random, cut)] ^= (uint8_t)(1u << pl_random_below(&random, 8));
            pl_codec_decompress(codec, exact, cut, back);
            assert_false(pl_codec_decompress(codec, exact, 0, back));
            free(exact);
        }
        pl_codec_destroy(codec);
    }
}

static size_t mean_size(const char *codec_name, struct pl_content content, uint32_t stride)
{
    uint8_t page[4096], out[4096];
    struct pl_codec *codec = make(codec_name, sizeof(page));
    size_t total = 0;
    for (uint64_t i = 0; i < 64; i++) {
        pl_content_page(&content, i * stride, page, sizeof(page));
        size_t size = pl_codec_compress(codec, page, out, sizeof(out));
        total += size ? size : sizeof(page);
    }
    pl_codec_destroy(codec);
    return total / 64;
}

/* What is known of contents: consecutive ints to 0.814 of a page by plain LZ77, which lz4 leaves above zsmalloc's
 * largest class (so zram stores them raw, as measured); 15-bit random ints likewise, 0.83; a mix of the index not
 * at all. */
static void test_known_sizes(void **state)
{
    struct pl_content ints = {PL_CONTENT_INDEX, 0}, rand15 = {PL_CONTENT_RAND, 1}, hash = {PL_CONTENT_HASH, 1};
    assert_in_range(mean_size("xpress", ints, 999), 0.8125 * 4096, 0.8150 * 4096);
    assert_in_range(mean_size("xpress", rand15, 1), 0.815 * 4096, 0.845 * 4096);
    assert_in_range(mean_size("lz4", ints, 999), 3265, 4096);
    assert_in_range(mean_size("lz4", rand15, 1), 3265, 4096);
    static const char *const all[] = {"xpress", "lz4", "lzo", "zstd", "wkdm", "same-filled", "raw"};
    for (size_t i = 0; i < PL_COUNT_OF(all); i++)
        assert_int_equal(mean_size(all[i], hash, 1), 4096);
    struct pl_content text = {PL_CONTENT_TEXT, 5};
    assert_in_range(mean_size("zstd", text, 1), 800, 2400);
    assert_in_range(mean_size("xpress", text, 1), 1600, 3000);
}

/* WKdm by hand: a page of one word is one miss, then exact hits: header 8, tags 256, one word, 1023 indices of 4
 * bits. */
static void test_wkdm_by_hand(void **state)
{
    uint8_t page[4096];
    struct pl_codec *codec = make("wkdm", sizeof(page));
    for (size_t at = 0; at < sizeof(page); at += 4)
        memcpy(page + at, "\x78\x56\x34\x12", 4);
    assert_int_equal(round_trip(codec, page, sizeof(page)), 8 + 256 + 4 + 512);
    memset(page, 0, sizeof(page));
    assert_int_equal(round_trip(codec, page, sizeof(page)), 8 + 256);
    for (uint32_t i = 0; i < 1024; i++) { /* one upper part: a miss, 1023 partial hits */
        uint32_t word = 0xABCDE000u + (i ^ 1);
        memcpy(page + 4 * i, &word, 4);
    }
    assert_int_equal(round_trip(codec, page, sizeof(page)), 8 + 256 + 4 + 512 + 4 * 341);
    pl_codec_destroy(codec);
}

static void test_constant(void **state)
{
    const struct pl_codec_ops *ops = NULL;
    struct pl_codec *codec = NULL;
    uint8_t page[4096] = {0};
    assert_int_equal(pl_codec_find("constant", &ops, NULL), PL_OK);
    static const struct {
        double ratio;
        size_t size;
    } rows[] = {{1, 4096}, {1.6, 2560}, {2, 2048}, {3, 1365}, {4096, 1}};
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        struct pl_codec_params params = {.page_size = 4096, .ratio = rows[i].ratio};
        assert_int_equal(pl_codec_create(ops, &params, &codec, NULL), PL_OK);
        assert_int_equal(pl_codec_compress(codec, page, page, 4096), rows[i].size);
        assert_false(pl_codec_decompress(codec, page, rows[i].size, page));
        pl_codec_destroy(codec);
    }
    struct pl_codec_params bad = {.page_size = 4096, .ratio = 0.5};
    assert_int_equal(pl_codec_create(ops, &bad, &codec, NULL), PL_ERR_USAGE);
}

static void test_same_filled(void **state)
{
    uint8_t page[4096];
    uint64_t word = 7;
    memset(page, 0, sizeof(page));
    assert_true(pl_same_filled(page, sizeof(page), &word));
    assert_int_equal(word, 0);
    memset(page, 0xCD, sizeof(page));
    assert_true(pl_same_filled(page, sizeof(page), &word));
    assert_true(word == UINT64_C(0xCDCDCDCDCDCDCDCD));
    for (size_t at = 0; at < sizeof(page); at++) { /* one bit anywhere */
        page[at] ^= 4;
        word = 99;
        assert_false(pl_same_filled(page, sizeof(page), &word));
        assert_int_equal(word, 99);
        page[at] ^= 4;
    }
    for (size_t at = 0; at < sizeof(page); at++)
        page[at] = (uint8_t)(at % 8);
    assert_true(pl_same_filled(page, sizeof(page), &word));
    for (size_t at = 0; at < sizeof(page); at++)
        page[at] = (uint8_t)(at % 16);
    assert_false(pl_same_filled(page, sizeof(page), &word));
}

static void test_bad_requests(void **state)
{
    const struct pl_codec_ops *ops = NULL;
    struct pl_codec *codec = NULL;
    struct pl_error err;
    assert_int_equal(pl_codec_find("xpres", &ops, &err), PL_ERR_INPUT);
    assert_non_null(strstr(err.message, "xpress"));
    assert_null(ops);
    static const struct {
        const char *codec;
        uint32_t page_size;
        int level;
    } bad[] = {{"xpress", 4095, 0}, {"xpress", 256, 0},  {"xpress", 131072, 0}, {"zstd", 4096, 23},
               {"lz4", 4096, -1},   {"wkdm", 4096, 1},   {"lzo", 4096, 9},      {"xpress", 4096, -3}, {"xpress", 4096, 5}};
    for (size_t i = 0; i < PL_COUNT_OF(bad); i++) {
        struct pl_codec_params params = {.page_size = bad[i].page_size, .level = bad[i].level};
        assert_int_equal(pl_codec_find(bad[i].codec, &ops, NULL), PL_OK);
        assert_int_equal(pl_codec_create(ops, &params, &codec, &err), PL_ERR_USAGE);
        assert_null(codec);
    }
}

/* Levels reach the codec: more effort, smaller pages. */
static void test_levels(void **state)
{
    static const struct {
        const char *codec;
        int less, more;
    } rows[] = {{"xpress", 1, 4}, {"lz4", 64, 1}, {"zstd", -50, 19}};
    uint8_t page[4096], out[4096];
    struct pl_content text = {PL_CONTENT_TEXT, 9};
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        const struct pl_codec_ops *ops = NULL;
        size_t size[2] = {0, 0};
        assert_int_equal(pl_codec_find(rows[i].codec, &ops, NULL), PL_OK);
        for (int k = 0; k < 2; k++) {
            struct pl_codec *codec = NULL;
            struct pl_codec_params params = {.page_size = 4096, .level = k ? rows[i].more : rows[i].less};
            assert_int_equal(pl_codec_create(ops, &params, &codec, NULL), PL_OK);
            pl_content_page(&text, 3, page, sizeof(page));
            size[k] = pl_codec_compress(codec, page, out, sizeof(out));
            if (!size[k])
                size[k] = sizeof(page);
            pl_codec_destroy(codec);
        }
        assert_true(size[1] < size[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),  cmocka_unit_test(test_random_pages), cmocka_unit_test(test_damage),
        cmocka_unit_test(test_known_sizes),  cmocka_unit_test(test_wkdm_by_hand), cmocka_unit_test(test_constant),
        cmocka_unit_test(test_same_filled),  cmocka_unit_test(test_bad_requests), cmocka_unit_test(test_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
