/* base/hash.c: XXH64, from its specification (xxHash fast digest algorithm, version 0.1.1).
 *
 * Four lanes eat 32 bytes a round and are folded together; the tail goes in by 8, 4 and 1 bytes; a final avalanche
 * spreads every bit. Numbers are read as little-endian by shifts, which compilers turn into one load, so the result is
 * the same on every machine and at any alignment. */
#include "base/hash.h"

static const uint64_t PRIME1 = UINT64_C(0x9E3779B185EBCA87);
static const uint64_t PRIME2 = UINT64_C(0xC2B2AE3D27D4EB4F);
static const uint64_t PRIME3 = UINT64_C(0x165667B19E3779F9);
static const uint64_t PRIME4 = UINT64_C(0x85EBCA77C2B2AE63);
static const uint64_t PRIME5 = UINT64_C(0x27D4EB2F165667C5);

static inline uint64_t rotate(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

static inline uint32_t read32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t read64(const uint8_t *p)
{
    return (uint64_t)read32(p) | (uint64_t)read32(p + 4) << 32;
}

/* Step 2: one lane takes in 8 bytes. */
static inline uint64_t lane(uint64_t accumulator, uint64_t input)
{
    return rotate(accumulator + input * PRIME2, 31) * PRIME1;
}

/* Step 3: one lane goes into the result. */
static inline uint64_t fold(uint64_t hash, uint64_t accumulator)
{
    return (hash ^ lane(0, accumulator)) * PRIME1 + PRIME4;
}

/* Steps 1 to 3 for inputs of at least 32 bytes; moves *p past the whole stripes. */
static uint64_t hash_stripes(const uint8_t **p, const uint8_t *end, uint64_t seed)
{
    uint64_t a = seed + PRIME1 + PRIME2, b = seed + PRIME2, c = seed, d = seed - PRIME1;
    const uint8_t *at = *p;
    for (; end - at >= 32; at += 32) {
        a = lane(a, read64(at));
        b = lane(b, read64(at + 8));
        c = lane(c, read64(at + 16));
        d = lane(d, read64(at + 24));
    }
    *p = at;
    uint64_t hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
    return fold(fold(fold(fold(hash, a), b), c), d);
}

/* Step 5: what is left after the stripes, less than 32 bytes. */
static uint64_t hash_tail(uint64_t hash, const uint8_t *p, const uint8_t *end)
{
    for (; end - p >= 8; p += 8)
        hash = rotate(hash ^ lane(0, read64(p)), 27) * PRIME1 + PRIME4;
    if (end - p >= 4) {
        hash = rotate(hash ^ read32(p) * PRIME1, 23) * PRIME2 + PRIME3;
        p += 4;
    }
    for (; p < end; p++)
        hash = rotate(hash ^ *p * PRIME5, 11) * PRIME1;
    return hash;
}

uint64_t pl_xxh64(const void *bytes, size_t length, uint64_t seed)
{
    if (length == 0)
        bytes = ""; /* NULL is fine for nothing */
    const uint8_t *p = bytes, *end = p + length;
    uint64_t hash = length >= 32 ? hash_stripes(&p, end, seed) : seed + PRIME5;
    hash = hash_tail(hash + length, p, end);

    hash = (hash ^ (hash >> 33)) * PRIME2;
    hash = (hash ^ (hash >> 29)) * PRIME3;
    return hash ^ (hash >> 32);
}
