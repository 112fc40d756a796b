/* base/random.c: xoshiro256** 1.0 (Blackman and Vigna 2018), seeded by splitmix64 as its authors advise. */
#include "base/random.h"

#include "base/hash.h"

#include <assert.h>
#include <string.h>

static inline uint64_t rotate(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

struct pl_random pl_random_seeded(uint64_t seed)
{
    /* splitmix64 visits every state once, so four in a row are never all zero, which xoshiro could not leave. */
    struct pl_random random;
    for (size_t i = 0; i < PL_COUNT_OF(random.state); i++)
        random.state[i] = pl_mix64(seed += UINT64_C(0x9e3779b97f4a7c15));
    return random;
}

struct pl_random pl_random_named(uint64_t seed, const char *name)
{
    return pl_random_seeded(pl_xxh64(name, strlen(name), seed));
}

uint64_t pl_random_next(struct pl_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t pl_random_below(struct pl_random *random, uint64_t bound)
{
    assert(bound > 0);
    /* Lemire 2019: the high word of a 128-bit product is uniform once the few products whose low word falls into the
     * short first interval (2^64 mod bound long) are drawn again. */
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)pl_random_next(random) * bound;
    if ((uint64_t)product < bound) {
        uint64_t short_interval = -bound % bound;
        while ((uint64_t)product < short_interval)
            product = (wide)pl_random_next(random) * bound;
    }
    return (uint64_t)(product >> 64);
}

double pl_random_unit(struct pl_random *random)
{
    /* The upper 53 bits, as many as a double holds: every value is as likely, and 1 is never reached. */
    return (double)(pl_random_next(random) >> 11) * 0x1.0p-53;
}
