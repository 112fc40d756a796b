/* trace/native/native_kernels.c: the two inner loops of reading that profit from vector units, each twice.
 *
 * The layout of packed groups (eight lanes of 32-bit words) was made for them: one vector register holds word k of all
 * lanes. The portable twins give equal results; a test compares them. */
#include "trace/native/native.h"

static void unpack_portable(const uint8_t *from, unsigned width, uint32_t *to)
{
    const uint32_t mask = width == 32 ? UINT32_MAX : (UINT32_C(1) << width) - 1;
    for (unsigned row = 0; row < PL_NATIVE_GROUP / 8; row++) {
        unsigned word = row * width / 32, shift = row * width % 32;
        for (unsigned lane = 0; lane < 8; lane++) {
            const uint8_t *at = from + 4 * (8 * word + lane);
            uint64_t bits = pl_native_get32(at);
            if (shift + width > 32)
                bits |= (uint64_t)pl_native_get32(at + 32) << 32;
            to[8 * row + lane] = (uint32_t)(bits >> shift) & mask;
        }
    }
}

static bool check_pages_portable(const pl_page *page, size_t count, uint32_t *next)
{
    uint32_t expected = *next;
    for (size_t i = 0; i < count; i++) {
        if (page[i] < expected)
            continue;
        if (page[i] > expected || expected == PL_NO_PAGE)
            return false;
        expected++;
    }
    *next = expected;
    return true;
}

static const struct pl_native_kernels portable_kernels = {"portable", unpack_portable, check_pages_portable};

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

__attribute__((target("avx2"))) static void unpack_avx2(const uint8_t *from, unsigned width, uint32_t *to)
{
    const __m256i mask = _mm256_set1_epi32((int)(UINT32_MAX >> (32 - width)));
    __m256i word = _mm256_loadu_si256((const __m256i *)from);
    unsigned shift = 0;
    for (unsigned row = 0; row < PL_NATIVE_GROUP / 8; row++) {
        __m256i value = _mm256_srl_epi32(word, _mm_cvtsi32_si128((int)shift));
        shift += width;
        if (shift >= 32 && row + 1 < PL_NATIVE_GROUP / 8) { /* the next word, of which this value may need some bits */
            from += 32;
            word = _mm256_loadu_si256((const __m256i *)from);
            shift -= 32;
            value = _mm256_or_si256(value, _mm256_sll_epi32(word, _mm_cvtsi32_si128((int)(width - shift))));
        }
        _mm256_storeu_si256((__m256i *)(to + 8 * row), _mm256_and_si256(value, mask));
    }
}

/* 32 pages at a time: when none of them reaches *next, none is new and none is wrong. */
__attribute__((target("avx2"))) static bool check_pages_avx2(const pl_page *page, size_t count, uint32_t *next)
{
    size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        const __m256i *at = (const __m256i *)(page + i);
        const __m256i limit = _mm256_set1_epi32((int)*next);
        __m256i a = _mm256_max_epu32(_mm256_loadu_si256(at), _mm256_loadu_si256(at + 1));
        __m256i b = _mm256_max_epu32(_mm256_loadu_si256(at + 2), _mm256_loadu_si256(at + 3));
        __m256i largest = _mm256_max_epu32(a, b);
        __m256i reached = _mm256_cmpeq_epi32(_mm256_max_epu32(largest, limit), largest);
        if (!_mm256_testz_si256(reached, reached) && !check_pages_portable(page + i, 32, next))
            return false;
    }
    return check_pages_portable(page + i, count - i, next);
}

static const struct pl_native_kernels avx2_kernels = {"avx2", unpack_avx2, check_pages_avx2};

const struct pl_native_kernels *pl_native_kernels(bool portable)
{
    return !portable && __builtin_cpu_supports("avx2") ? &avx2_kernels : &portable_kernels;
}
#else
const struct pl_native_kernels *pl_native_kernels(bool portable)
{
    return &portable_kernels;
}
#endif
