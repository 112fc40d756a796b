/* codec/page_hash.c: XXH3-128, seed 0, after the xxHash specification (XXH3, version 0.8).
 *
 * Inputs of up to 16, 128 and 240 bytes have ways of their own; longer ones, pages among them, run through eight
 * 64-bit lanes, a stripe of 64 bytes at a time, 16 stripes to a block with a scramble behind it. Names follow the
 * specification. */
#include "codec/page_hash.h"
#include "codec/bytes.h"

enum {
    STRIPE = 64,
    SECRET_SIZE = 192,
    STRIPES_PER_BLOCK = (SECRET_SIZE - STRIPE) / 8,
    MID_SIZE_MAX = 240,
};

#define PRIME32_1 UINT64_C(0x9E3779B1)
#define PRIME32_2 UINT64_C(0x85EBCA77)
#define PRIME32_3 UINT64_C(0xC2B2AE3D)
#define PRIME64_1 UINT64_C(0x9E3779B185EBCA87)
#define PRIME64_2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define PRIME64_3 UINT64_C(0x165667B19E3779F9)
#define PRIME64_4 UINT64_C(0x85EBCA77C2B2AE63)
#define PRIME64_5 UINT64_C(0x27D4EB2F165667C5)
#define PRIME_MX1 UINT64_C(0x165667919E3779F9)
#define PRIME_MX2 UINT64_C(0x9FB21C651E98DF25)

/* The default secret: 192 bytes of the specification. */
static const uint8_t secret[SECRET_SIZE] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

static inline struct pl_hash128 multiply(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (struct pl_hash128){(uint64_t)product, (uint64_t)(product >> 64)};
}

static inline uint64_t multiply_fold(uint64_t a, uint64_t b)
{
    struct pl_hash128 product = multiply(a, b);
    return product.low ^ product.high;
}

static inline uint64_t avalanche(uint64_t h)
{
    h ^= h >> 37;
    h *= PRIME_MX1;
    return h ^ h >> 32;
}

/* The final step of XXH64, which the shortest inputs use. */
static inline uint64_t avalanche64(uint64_t h)
{
    h ^= h >> 33;
    h *= PRIME64_2;
    h ^= h >> 29;
    h *= PRIME64_3;
    return h ^ h >> 32;
}

static inline uint64_t secret_pair(size_t at)
{
    return load64(secret + at) ^ load64(secret + at + 8);
}

static struct pl_hash128 hash_0(void)
{
    return (struct pl_hash128){avalanche64(secret_pair(64)), avalanche64(secret_pair(80))};
}

static struct pl_hash128 hash_1_to_3(const uint8_t *in, size_t length)
{
    uint32_t low = (uint32_t)in[0] << 16 | (uint32_t)in[length / 2] << 24 | in[length - 1] | (uint32_t)length << 8;
    uint32_t swapped = __builtin_bswap32(low);
    uint32_t high = swapped << 13 | swapped >> 19;
    uint64_t low_key = load32(secret) ^ load32(secret + 4), high_key = load32(secret + 8) ^ load32(secret + 12);
    return (struct pl_hash128){avalanche64(low ^ low_key), avalanche64(high ^ high_key)};
}

static struct pl_hash128 hash_4_to_8(const uint8_t *in, size_t length)
{
    uint64_t both = load32(in) | (uint64_t)load32(in + length - 4) << 32;
    struct pl_hash128 h = multiply(both ^ secret_pair(16), PRIME64_1 + (length << 2));
    h.high += h.low << 1;
    h.low ^= h.high >> 3;
    h.low ^= h.low >> 35;
    h.low *= PRIME_MX2;
    h.low ^= h.low >> 28;
    h.high = avalanche(h.high);
    return h;
}

static struct pl_hash128 hash_9_to_16(const uint8_t *in, size_t length)
{
    uint64_t low = load64(in), high = load64(in + length - 8);
    struct pl_hash128 m = multiply(low ^ high ^ secret_pair(32), PRIME64_1);
    m.low += (uint64_t)(length - 1) << 54;
    high ^= secret_pair(48);
    m.high += high + (uint32_t)high * (PRIME32_2 - 1);
    m.low ^= __builtin_bswap64(m.high);
    struct pl_hash128 h = multiply(m.low, PRIME64_2);
    h.high += m.high * PRIME64_2;
    return (struct pl_hash128){avalanche(h.low), avalanche(h.high)};
}

static inline uint64_t mix16(const uint8_t *in, const uint8_t *key)
{
    return multiply_fold(load64(in) ^ load64(key), load64(in + 8) ^ load64(key + 8));
}

static inline void mix32(struct pl_hash128 *h, const uint8_t *a, const uint8_t *b, const uint8_t *key)
{
    h->low += mix16(a, key);
    h->low ^= load64(b) + load64(b + 8);
    h->high += mix16(b, key + 16);
    h->high ^= load64(a) + load64(a + 8);
}

static struct pl_hash128 finish_mid(struct pl_hash128 h, size_t length)
{
    uint64_t low = h.low + h.high;
    uint64_t high = h.low * PRIME64_1 + h.high * PRIME64_4 + length * PRIME64_2;
    return (struct pl_hash128){avalanche(low), 0 - avalanche(high)};
}

static struct pl_hash128 hash_17_to_128(const uint8_t *in, size_t length)
{
    struct pl_hash128 h = {length * PRIME64_1, 0};
    for (size_t i = (length - 1) / 32 + 1; i-- > 0;) /* from the middle outwards */
        mix32(&h, in + 16 * i, in + length - 16 * (i + 1), secret + 32 * i);
    return finish_mid(h, length);
}

static struct pl_hash128 hash_129_to_240(const uint8_t *in, size_t length)
{
    struct pl_hash128 h = {length * PRIME64_1, 0};
    size_t rounds = length / 32;
    for (size_t i = 0; i < 4; i++)
        mix32(&h, in + 32 * i, in + 32 * i + 16, secret + 32 * i);
    h = (struct pl_hash128){avalanche(h.low), avalanche(h.high)};
    for (size_t i = 4; i < rounds; i++)
        mix32(&h, in + 32 * i, in + 32 * i + 16, secret + 3 + 32 * (i - 4));
    mix32(&h, in + length - 16, in + length - 32, secret + 136 - 17 - 16);
    return finish_mid(h, length);
}

/* Each lane takes in its 8 bytes, and its neighbour's as they are, so that a multiplication by zero loses nothing. */
static inline void take_stripe(uint64_t lanes[8], const uint8_t *in, const uint8_t *key)
{
    for (size_t i = 0; i < 8; i++) {
        uint64_t value = load64(in + 8 * i), keyed = value ^ load64(key + 8 * i);
        lanes[i ^ 1] += value;
        lanes[i] += (uint64_t)(uint32_t)keyed * (keyed >> 32);
    }
}

static inline void scramble(uint64_t lanes[8])
{
    for (size_t i = 0; i < 8; i++) {
        lanes[i] ^= lanes[i] >> 47;
        lanes[i] ^= load64(secret + SECRET_SIZE - STRIPE + 8 * i);
        lanes[i] *= PRIME32_1;
    }
}

static uint64_t merge(const uint64_t lanes[8], const uint8_t *key, uint64_t start)
{
    for (size_t i = 0; i < 8; i += 2)
        start += multiply_fold(lanes[i] ^ load64(key + 8 * i), lanes[i + 1] ^ load64(key + 8 * i + 8));
    return avalanche(start);
}

static struct pl_hash128 hash_long(const uint8_t *in, size_t length)
{
    uint64_t lanes[8] = {PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1};
    size_t stripes = (length - 1) / STRIPE; /* whole ones; the last 64 bytes come on top, and may overlap them */
    for (size_t i = 0; i < stripes; i++) {
        take_stripe(lanes, in + STRIPE * i, secret + 8 * (i % STRIPES_PER_BLOCK));
        if ((i + 1) % STRIPES_PER_BLOCK == 0)
            scramble(lanes);
    }
    take_stripe(lanes, in + length - STRIPE, secret + SECRET_SIZE - STRIPE - 7);
    return (struct pl_hash128){merge(lanes, secret + 11, length * PRIME64_1),
                               merge(lanes, secret + SECRET_SIZE - STRIPE - 11, ~(length * PRIME64_2))};
}

struct pl_hash128 pl_page_hash(const void *bytes, size_t length)
{
    const uint8_t *in = bytes;
    if (length > MID_SIZE_MAX)
        return hash_long(in, length);
    if (length > 128)
        return hash_129_to_240(in, length);
    if (length > 16)
        return hash_17_to_128(in, length);
    if (length > 8)
        return hash_9_to_16(in, length);
    if (length >= 4)
        return hash_4_to_8(in, length);
    return length ? hash_1_to_3(in, length) : hash_0();
}
