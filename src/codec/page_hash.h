/* codec/page_hash.h: the 128-bit hash that pages are deduplicated by.
 *
 * XXH3-128 with seed 0 and the default secret (xxHash 0.8): own code, so that the Windows program can tell contents
 * apart without a dependency; a test holds it against libxxhash at every length. Not for anything an adversary
 * chooses: where there is content, compare it as well. */
#ifndef PL_CODEC_PAGE_HASH_H
#define PL_CODEC_PAGE_HASH_H

#include "base/types.h"

struct pl_hash128 {
    uint64_t low, high;
};

struct pl_hash128 pl_page_hash(const void *bytes, size_t length);

static inline bool pl_hash128_equal(struct pl_hash128 a, struct pl_hash128 b)
{
    return a.low == b.low && a.high == b.high;
}

#endif
