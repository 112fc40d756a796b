/* trace/formats/digits_avx2.c: plain numbers, one a line, 64 bytes at a time.
 *
 * Three passes, each over what the one before left in the first-level cache:
 *
 *   1. a block of 64 bytes is compared with LF, which gives a mask of line ends, and every byte is classified; the bits
 *      of the mask are walked, and each line is loaded at its start and shifted up into a 64-bit lane (see digits.c)
 *   2. four lanes at a time turn into values: characters to digits, pairs of digits joined by multiply-add
 *   3. (the caller) values to dense pages
 *
 * No branch depends on a line: its length is checked for the whole block at the end. Lines of 9 to 16 digits take a
 * second lane and a loop of their own. A block with anything unusual is left to the portable kernel. */
#include "trace/formats/digits.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>
#include <string.h>

#define AVX2 __attribute__((target("avx2,bmi,bmi2")))
#define AVX2_INLINE __attribute__((target("avx2,bmi,bmi2"), always_inline)) static inline

enum {
    BLOCK = 64,
    MARGIN = BLOCK + 8, /* a lane may be loaded up to 8 bytes behind the block */
    CHUNK = 512,        /* lanes that pass 2 waits for */
};

/* One bit for each byte that is neither a digit nor LF (nor CR, where lines end in CRLF). Each byte's two halves look up
 * the classes they can belong to: 1 = '0'..'9', 2 = 'a'..'f' and 'A'..'F', 4 = LF, 8 = CR. */
AVX2_INLINE uint32_t strange_bytes(__m256i bytes, bool decimal, bool crlf)
{
    const char l = decimal ? 0 : 2, r = crlf ? 8 : 0;
    const __m256i by_low = _mm256_setr_epi8(1, 1 | l, 1 | l, 1 | l, 1 | l, 1 | l, 1 | l, 1, 1, 1, 4, 0, 0, r, 0, 0, 1,
                                            1 | l, 1 | l, 1 | l, 1 | l, 1 | l, 1 | l, 1, 1, 1, 4, 0, 0, r, 0, 0);
    const __m256i by_high = _mm256_setr_epi8(4 | 8, 0, 0, 1, 2, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4 | 8, 0, 0, 1, 2, 0, 2,
                                             0, 0, 0, 0, 0, 0, 0, 0, 0);
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(0x0f));
    __m256i classes = _mm256_and_si256(_mm256_shuffle_epi8(by_low, bytes), _mm256_shuffle_epi8(by_high, high));
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(classes, _mm256_setzero_si256()));
}

AVX2_INLINE uint64_t equal_bytes(__m256i low, __m256i high, char c)
{
    __m256i wanted = _mm256_set1_epi8(c);
    uint32_t first = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted));
    uint32_t second = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted));
    return first | (uint64_t)second << 32;
}

AVX2_INLINE __m256i hex_values(__m256i lanes)
{
    const __m256i bytes_0246 = _mm256_setr_epi8(6, 4, 2, 0, -1, -1, -1, -1, 14, 12, 10, 8, -1, -1, -1, -1, 6, 4, 2, 0, -1,
                                                -1, -1, -1, 14, 12, 10, 8, -1, -1, -1, -1);
    __m256i letter = _mm256_cmpgt_epi8(lanes, _mm256_set1_epi8('9'));
    __m256i digit = _mm256_add_epi8(_mm256_and_si256(lanes, _mm256_set1_epi8(0x0f)),
                                    _mm256_and_si256(letter, _mm256_set1_epi8(9)));
    __m256i pairs = _mm256_maddubs_epi16(digit, _mm256_set1_epi16(0x0110)); /* 16 a + b */
    return _mm256_shuffle_epi8(pairs, bytes_0246);
}

AVX2_INLINE __m256i decimal_values(__m256i lanes)
{
    __m256i digit = _mm256_and_si256(lanes, _mm256_set1_epi8(0x0f));
    __m256i pairs = _mm256_maddubs_epi16(digit, _mm256_set1_epi16(0x010a));  /* 10 a + b */
    __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00010064)); /* 100 a + b */
    __m256i high = _mm256_mul_epu32(fours, _mm256_set1_epi64x(10000));
    return _mm256_add_epi64(high, _mm256_srli_epi64(fours, 32));
}

/* Pass 2, in place; `count` is a multiple of 4. */
AVX2_INLINE void to_values(uint64_t *lanes, size_t count, bool decimal)
{
    for (size_t i = 0; i < count; i += 4) {
        __m256i four = _mm256_loadu_si256((const __m256i *)(const void *)(lanes + i));
        four = decimal ? decimal_values(four) : hex_values(four);
        _mm256_storeu_si256((__m256i *)(void *)(lanes + i), four);
    }
}

AVX2_INLINE uint64_t lane_at(const char *start, size_t length)
{
    uint64_t lane;
    memcpy(&lane, start, sizeof lane);
    return lane << ((64 - 8 * length) & 63);
}

/* What is wrong with a block's bytes, as set bits, and where its lines end. */
AVX2_INLINE uint64_t look_at_block(const char *block, bool after_cr, bool decimal, bool crlf, uint64_t *ends)
{
    __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)block);
    __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(block + 32));
    *ends = equal_bytes(low, high, '\n');
    uint64_t bad = strange_bytes(low, decimal, crlf) | strange_bytes(high, decimal, crlf);
    if (crlf) /* a CR before each LF and nowhere else */
        bad |= (equal_bytes(low, high, '\r') << 1 | after_cr) ^ *ends;
    return bad;
}

/* Pass 1 for one block: the lanes of the lines that end in it, the first of which starts at *start. Returns their number
 * and moves *start behind the last; or 0, with nothing moved, when the block holds anything unusual. */
AVX2_INLINE size_t split_block(const char *block, bool after_cr, const char **start, uint64_t *lanes, bool decimal,
                               bool crlf)
{
    uint64_t ends, bad = look_at_block(block, after_cr, decimal, crlf, &ends);
    const char *line = *start;
    size_t n = 0;
    while (ends) {
        const char *end = block + __builtin_ctzll(ends);
        size_t length = (size_t)(end - line) - crlf;
        bad |= (length - 1) & ~(size_t)7; /* 1 to 8 digits */
        lanes[n++] = lane_at(line, length);
        line = end + 1;
        ends &= ends - 1;
    }
    if (bad)
        return 0;
    *start = line;
    return n;
}

/* The same for lines of up to 16 digits, all passes at once. The second lane of a line has its digits before the last
 * eight, if any. */
AVX2_INLINE size_t read_wide_block(const char *block, bool after_cr, const char **start, uint64_t *out, bool decimal,
                                   bool crlf)
{
    uint64_t ends, bad = look_at_block(block, after_cr, decimal, crlf, &ends);
    uint64_t low[BLOCK], high[BLOCK];
    const char *line = *start;
    size_t n = 0;
    while (ends) {
        const char *end = block + __builtin_ctzll(ends);
        size_t length = (size_t)(end - line) - crlf, more = length > 8 ? length - 8 : 0;
        bad |= (length - 1) & ~(size_t)15;
        low[n] = lane_at(line + more, length - more);
        high[n++] = more ? lane_at(line, more) : 0;
        line = end + 1;
        ends &= ends - 1;
    }
    if (bad)
        return 0;
    for (size_t i = n; i % 4; i++)
        low[i] = high[i] = 0;
    to_values(low, (n + 3) & ~(size_t)3, decimal);
    to_values(high, (n + 3) & ~(size_t)3, decimal);
    for (size_t i = 0; i < n; i++)
        out[i] = decimal ? high[i] * 100000000 + low[i] : high[i] << 32 | low[i];
    *start = line;
    return n;
}

/* Pass 2 for all that pass 1 left: lanes from *converted to n. */
AVX2_INLINE void convert_rest(uint64_t *out, size_t *converted, size_t n, bool decimal)
{
    uint64_t rest[4] = {0};
    size_t left = n - *converted, whole = left & ~(size_t)3;
    to_values(out + *converted, whole, decimal);
    memcpy(rest, out + *converted + whole, (left - whole) * sizeof *rest);
    to_values(rest, 4, decimal);
    memcpy(out + *converted + whole, rest, (left - whole) * sizeof *rest);
    *converted = n;
}

/* Blocks follow each other without a gap, whatever the lines do, so that no byte is looked at twice. After the first
 * block with a long line, long lines are expected. */
AVX2_INLINE size_t read_blocks(const char **at, const char *end, uint64_t *out, size_t room, bool decimal, bool crlf)
{
    const char *start = *at, *block = *at;
    size_t n = 0, converted = 0;
    bool wide = false;
    for (; end - block >= MARGIN && room - n >= BLOCK; block += BLOCK) {
        bool after_cr = crlf && block > *at && block[-1] == '\r';
        size_t lines = wide ? 0 : split_block(block, after_cr, &start, out + n, decimal, crlf);
        if (!lines) {
            convert_rest(out, &converted, n, decimal);
            lines = read_wide_block(block, after_cr, &start, out + n, decimal, crlf);
            if (!lines)
                break;
            wide = true;
            converted += lines;
        }
        n += lines;
        if (n - converted >= CHUNK) {
            to_values(out + converted, (n - converted) & ~(size_t)3, decimal);
            converted += (n - converted) & ~(size_t)3;
        }
    }
    convert_rest(out, &converted, n, decimal);
    *at = start;
    return n;
}

AVX2_INLINE size_t read_numbers(const char **at, const char *end, uint64_t *out, size_t room, bool decimal,
                                pl_digits_kernel *portable)
{
    const char *newline = end - *at >= MARGIN ? memchr(*at, '\n', 32) : NULL;
    bool crlf = newline && newline > *at && newline[-1] == '\r';
    size_t n = crlf ? read_blocks(at, end, out, room, decimal, true) : read_blocks(at, end, out, room, decimal, false);
    /* What stopped the blocks: a few lines one by one get past an odd block, or up to the odd line. */
    size_t more = room - n < BLOCK ? room - n : BLOCK;
    return n + portable(at, end, out + n, more);
}

AVX2 static size_t hex_avx2(const char **at, const char *end, uint64_t *out, size_t room)
{
    return read_numbers(at, end, out, room, false, pl_digits_hex_portable);
}

AVX2 static size_t decimal_avx2(const char **at, const char *end, uint64_t *out, size_t room)
{
    return read_numbers(at, end, out, room, true, pl_digits_decimal_portable);
}

static bool have_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

pl_digits_kernel *pl_digits_hex_avx2(void)
{
    return have_avx2() ? hex_avx2 : NULL;
}

pl_digits_kernel *pl_digits_decimal_avx2(void)
{
    return have_avx2() ? decimal_avx2 : NULL;
}

#else

pl_digits_kernel *pl_digits_hex_avx2(void)
{
    return NULL;
}

pl_digits_kernel *pl_digits_decimal_avx2(void)
{
    return NULL;
}

#endif
