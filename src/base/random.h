/* base/random.h: reproducible random numbers.
 *
 * A stream is named, not numbered: pl_random_named(seed, "zipf/3") gives the same numbers whatever thread asks for it
 * and whatever other streams exist. The generator is xoshiro256** (Blackman and Vigna 2018), seeded by splitmix64; it
 * has no platform-dependent step, so the same seed gives the same bytes everywhere. */
#ifndef PL_BASE_RANDOM_H
#define PL_BASE_RANDOM_H

#include "base/types.h"

struct pl_random {
    uint64_t state[4];
};
struct pl_random pl_random_seeded(uint64_t seed);
struct pl_random pl_random_named(uint64_t seed, const char *name);
uint64_t pl_random_next(struct pl_random *random);
/* Uniform in [0, bound) without bias; bound > 0. */
uint64_t pl_random_below(struct pl_random *random, uint64_t bound);
double pl_random_unit(struct pl_random *random); /* [0, 1), 53 bits */

/* A strong 64-bit mix of one number (splitmix64's finaliser): equal inputs, equal outputs, on every machine. */
static inline uint64_t pl_mix64(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

#endif
