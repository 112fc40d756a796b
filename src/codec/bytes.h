/* codec/bytes.h: little-endian loads and stores at any address, for the codec kernels. Compilers turn each into one
 * instruction where the machine has it. */
#ifndef PL_CODEC_BYTES_H
#define PL_CODEC_BYTES_H

#include "base/types.h"

#include <string.h>

/* For the inner steps of a kernel whose state must stay in registers. */
#if defined(__GNUC__)
#define PL_KERNEL static inline __attribute__((always_inline))
#else
#define PL_KERNEL static inline
#endif

static inline uint16_t load16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t load32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t load64(const uint8_t *p)
{
    return load32(p) | (uint64_t)load32(p + 4) << 32;
}

static inline void store16(uint8_t *p, uint32_t value)
{
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

static inline void store32(uint8_t *p, uint32_t value)
{
    store16(p, value);
    store16(p + 2, value >> 16);
}

/* Copies in the machine's own order: not for numbers. */
static inline void copy8(uint8_t *to, const uint8_t *from)
{
    uint64_t eight;
    memcpy(&eight, from, sizeof(eight));
    memcpy(to, &eight, sizeof(eight));
}

static inline void copy16(uint8_t *to, const uint8_t *from)
{
    copy8(to, from);
    copy8(to + 8, from + 8);
}

/* How many of the next bytes at `a` and `b` agree, at most up to `a_end`; `b` lies before `a`. */
static inline size_t common_length(const uint8_t *a, const uint8_t *b, const uint8_t *a_end)
{
    const uint8_t *start = a;
    while (a_end - a >= 8) {
        uint64_t differ = load64(a) ^ load64(b);
        if (differ)
            return (size_t)(a - start) + (size_t)(__builtin_ctzll(differ) >> 3);
        a += 8;
        b += 8;
    }
    while (a < a_end && *a == *b) {
        a++;
        b++;
    }
    return (size_t)(a - start);
}

#endif
