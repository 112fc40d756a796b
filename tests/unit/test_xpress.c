/* XPRESS: the examples of [MS-XCA], round trips at every size and depth, malformed input, and an independent decoder
 * (libfwnt, where it is installed). */
#include "config.h"

#include "codec/xpress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#ifdef HAVE_FWNT
#include <libfwnt.h>
#endif

static struct pl_xpress_work work;

static uint64_t rng = 88172645463325252u;
static uint32_t draw(uint32_t bound)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return (uint32_t)((rng >> 32) * bound >> 32);
}

/* Content in which runs, copies from nearby and from far, and noise alternate. */
static void make_mixed(uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (at < size) {
        size_t length = 1 + draw(draw(8) ? 30 : 900), left = size - at;
        if (length > left)
            length = left;
        unsigned kind = draw(4);
        if (kind == 0 && at > 0) { /* a copy, possibly onto itself */
            size_t back = 1 + draw((uint32_t)(at < 12000 ? at : 12000));
            for (size_t i = 0; i < length; i++)
                bytes[at + i] = bytes[at + i - back];
        } else if (kind == 1) {
            memset(bytes + at, (int)draw(256), length);
        } else {
            for (size_t i = 0; i < length; i++)
                bytes[at + i] = (uint8_t)draw(kind == 2 ? 4 : 256);
        }
        at += length;
    }
}

/* libfwnt 20181227 does not know lengths in 32 bits, which only runs of more than 64 KiB need. */
static void check_independently(const uint8_t *packed, size_t packed_size, const uint8_t *plain, size_t size)
{
#ifdef HAVE_FWNT
    uint8_t *out = malloc(size + 1);
    assert_non_null(out);
    size_t out_size = size;
    assert_int_equal(libfwnt_lzxpress_decompress(packed, packed_size, out, &out_size, NULL), 1);
    assert_int_equal(out_size, size);
    assert_memory_equal(out, plain, size);
    free(out);
#endif
}

static bool longest_run_is_over(const uint8_t *bytes, size_t size, size_t limit)
{
    size_t run = 0;
    for (size_t i = 1; i < size && run <= limit; i++)
        run = bytes[i] == bytes[i - 1] ? run + 1 : 0;
    return run > limit;
}

/* Buffers of exactly the size asked for, so that a sanitizer sees every byte too far. */
static size_t round_trip(const uint8_t *plain, size_t size, unsigned depth)
{
    size_t bound = pl_xpress_bound(size);
    uint8_t *packed = malloc(bound), *back = malloc(size ? size : 1);
    assert_non_null(packed);
    assert_non_null(back);
    size_t length = pl_xpress_compress(&work, depth, plain, size, packed, bound);
    assert_true(length >= 4 && length <= bound);
    uint8_t *exact = malloc(length);
    assert_non_null(exact);
    memcpy(exact, packed, length);
    assert_true(pl_xpress_decompress(exact, length, back, size));
    assert_memory_equal(back, plain, size);
    if (size && !longest_run_is_over(plain, size, 65538))
        check_independently(exact, length, plain, size);

    /* It fits into exactly its size, comes out the same, and does not fit into one byte less. */
    memset(packed, 0xEE, bound);
    assert_int_equal(pl_xpress_compress(&work, depth, plain, size, packed, length), length);
    assert_memory_equal(packed, exact, length);
    if (length < bound)
        assert_int_equal(packed[length], 0xEE);
    assert_int_equal(pl_xpress_compress(&work, depth, plain, size, packed, length - 1), 0);
    free(exact);
    free(back);
    free(packed);
    return length;
}

static const uint8_t alphabet_packed[30] = "\x3f\x00\x00\x00" "abcdefghijklmnopqrstuvwxyz";
static const uint8_t abc_packed[13] = {0xff, 0xff, 0xff, 0x1f, 0x61, 0x62, 0x63, 0x17, 0x00, 0x0f, 0xff, 0x26, 0x01};

static void make_abc(uint8_t *out)
{
    for (int i = 0; i < 300; i++)
        out[i] = (uint8_t)"abc"[i % 3];
}

static void test_specification_decode(void **state)
{
    uint8_t out[300], abc[300];
    assert_true(pl_xpress_decompress(alphabet_packed, sizeof(alphabet_packed), out, 26));
    assert_memory_equal(out, "abcdefghijklmnopqrstuvwxyz", 26);
    make_abc(abc);
    assert_true(pl_xpress_decompress(abc_packed, sizeof(abc_packed), out, 300));
    assert_memory_equal(out, abc, 300);
}

static void test_specification_encode(void **state)
{
    uint8_t out[400], abc[300];
    for (unsigned depth = 1; depth <= PL_XPRESS_DEPTH_MAX; depth++) {
        const uint8_t *alphabet = (const uint8_t *)"abcdefghijklmnopqrstuvwxyz";
        assert_int_equal(pl_xpress_compress(&work, depth, alphabet, 26, out, sizeof(out)), sizeof(alphabet_packed));
        assert_memory_equal(out, alphabet_packed, sizeof(alphabet_packed));
        make_abc(abc);
        assert_int_equal(pl_xpress_compress(&work, depth, abc, 300, out, sizeof(out)), sizeof(abc_packed));
        assert_memory_equal(out, abc_packed, sizeof(abc_packed));
    }
}

/* Every length class of a match: 3-9, 10-24, 25-279, 280-65538, and beyond; twice each, so that both halves of the
 * shared byte are used. */
static void test_lengths(void **state)
{
    static const size_t lengths[] = {3,   4,   9,   10,  11,    23,    24,    25,    26,    278,   279,
                                     280, 281, 300, 5000, 65536, 65537, 65538, 65539, 65540, 200000};
    for (size_t i = 0; i < PL_COUNT_OF(lengths); i++) {
        size_t size = 2 * lengths[i] + 10;
        uint8_t *plain = malloc(size);
        assert_non_null(plain);
        memset(plain, 'a', size);
        plain[0] = 'x';
        plain[lengths[i] + 2] = 'y';
        size_t packed = round_trip(plain, size, 4);
        assert_true(packed < 64);
        free(plain);
    }
}

static void test_every_small_size(void **state)
{
    uint8_t plain[300];
    for (size_t size = 0; size <= sizeof(plain); size++)
        for (int kind = 0; kind < 3; kind++) {
            for (size_t i = 0; i < size; i++)
                plain[i] = (uint8_t)(kind == 0 ? 0 : draw(kind == 1 ? 2 : 256));
            round_trip(plain, size, 1 + draw(4));
        }
}

static void test_mixed(void **state)
{
    static const size_t sizes[] = {4096, 4096, 4095, 65536, 70001, 300000};
    static uint8_t plain[300000];
    for (int round = 0; round < 20; round++)
        for (size_t i = 0; i < PL_COUNT_OF(sizes); i++) {
            make_mixed(plain, sizes[i]);
            round_trip(plain, sizes[i], 1 + draw(4));
        }
}

/* The result does not depend on what the work memory held before. */
static void test_deterministic(void **state)
{
    static uint8_t plain[20000], one[30000], two[30000];
    make_mixed(plain, sizeof(plain));
    memset(&work, 0xA5, sizeof(work));
    size_t a = pl_xpress_compress(&work, 4, plain, sizeof(plain), one, sizeof(one));
    memset(&work, 0x00, sizeof(work));
    size_t b = pl_xpress_compress(&work, 4, plain, sizeof(plain), two, sizeof(two));
    assert_int_equal(a, b);
    assert_memory_equal(one, two, a);
}

/* A page of consecutive ints: a literal and a match of three for each, 26 bits of 32; facts known of Windows'
 * encoder. */
static void test_consecutive_ints(void **state)
{
    uint32_t page[1024];
    size_t total = 0;
    for (uint32_t p = 0; p < 256; p++) {
        for (uint32_t i = 0; i < 1024; i++)
            page[i] = p * 1999 * 1024 + i;
        total += round_trip((const uint8_t *)page, sizeof(page), 4);
    }
    double ratio = (double)total / (256.0 * 4096);
    assert_true(ratio > 0.8125 && ratio < 0.8150);
}

static void test_incompressible(void **state)
{
    uint8_t page[4096], out[5000];
    for (size_t i = 0; i < sizeof(page); i++)
        page[i] = (uint8_t)draw(256);
    assert_int_equal(pl_xpress_compress(&work, 4, page, sizeof(page), out, sizeof(page) - 1), 0);
    assert_true(round_trip(page, sizeof(page), 4) <= pl_xpress_bound(sizeof(page)));
}

static void test_malformed(void **state)
{
    static const struct {
        const char *bytes;
        size_t length, size;
    } bad[] = {
        {"", 0, 1},
        {"\0\0\0", 3, 1},                                   /* half a flag word */
        {"\0\0\0\0ab", 6, 3},                               /* literals end early */
        {"\xff\xff\xff\xff\x00\x00", 6, 3},                 /* a match before the beginning */
        {"\xff\xff\xff\x7f" "a\x08\x00", 7, 4},             /* two back, where there is one byte */
        {"\xff\xff\xff\x7f" "a\x00", 6, 4},                 /* half a match word */
        {"\xff\xff\xff\x7f" "a\x01\x00", 7, 4},             /* a match that reaches too far */
        {"\xff\xff\xff\x7f" "a\x07\x00", 7, 99},            /* no half byte */
        {"\xff\xff\xff\x7f" "a\x07\x00\x0f", 8, 99},        /* no byte */
        {"\xff\xff\xff\x7f" "a\x07\x00\x0f\xff\x09", 10, 999}, /* half of 16 bits */
        {"\xff\xff\xff\x7f" "a\x07\x00\x0f\xff\x15\x00", 11, 25}, /* 21 in the long form */
        {"\xff\xff\xff\x7f" "a\x07\x00\x0f\xff\x00\x00\x01\x02", 13, 999}, /* half of 32 bits */
        {"\xff\xff\xff\x7f" "a\x07\x00\x0f\xff\x00\x00\xff\xff\xff\xff", 15, 999}, /* 2^32 + 2 bytes */
    };
    for (size_t i = 0; i < PL_COUNT_OF(bad); i++) {
        uint8_t *in = malloc(bad[i].length + 1), *out = malloc(bad[i].size);
        assert_non_null(in);
        assert_non_null(out);
        memcpy(in, bad[i].bytes, bad[i].length);
        if (pl_xpress_decompress(in, bad[i].length, out, bad[i].size))
            fail_msg("malformed stream %zu was taken", i);
        free(out);
        free(in);
    }
}

/* A stream cut anywhere before the last item must fail; a longer one is taken. */
static void test_cut(void **state)
{
    uint8_t plain[4096], packed[5000], back[4096];
    make_mixed(plain, sizeof(plain));
    memcpy(plain + 4090, "qzjxvk", 6); /* ends in literals, so that every byte counts */
    size_t length = pl_xpress_compress(&work, 4, plain, sizeof(plain), packed, sizeof(packed));
    size_t last = length, got = 0;
    while (packed[last - 1] == 0xff) /* a flag word that stands for nothing */
        last--;
    for (size_t cut = 0; cut < last; cut++) {
        uint8_t *exact = malloc(cut + 1);
        assert_non_null(exact);
        memcpy(exact, packed, cut);
        assert_false(pl_xpress_decompress(exact, cut, back, sizeof(back)));
        size_t some = pl_xpress_decompress_some(exact, cut, back, sizeof(back));
        assert_true(some < sizeof(back) && (some >= got || cut == 0));
        assert_memory_equal(back, plain, some);
        got = some;
        free(exact);
    }
    assert_true(got > 4000);
    memset(packed + length, 0, 8);
    assert_true(pl_xpress_decompress(packed, length + 8, back, sizeof(back)));
    assert_memory_equal(back, plain, sizeof(plain));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_specification_decode), cmocka_unit_test(test_specification_encode),
        cmocka_unit_test(test_lengths),              cmocka_unit_test(test_every_small_size),
        cmocka_unit_test(test_mixed),                cmocka_unit_test(test_deterministic),
        cmocka_unit_test(test_consecutive_ints),     cmocka_unit_test(test_incompressible),
        cmocka_unit_test(test_malformed),            cmocka_unit_test(test_cut),
    };
#ifndef HAVE_FWNT
    print_message("# libfwnt is not installed: not checked against an independent decoder\n");
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
