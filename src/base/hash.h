/* base/hash.h: checksums and hashes of bytes.
 *
 * XXH64 (xxHash specification 0.1.1) for block checksums: own code, so that the core has no dependency; a test holds it
 * against libxxhash. Not for anything an adversary chooses. */
#ifndef PL_BASE_HASH_H
#define PL_BASE_HASH_H

#include "base/types.h"

uint64_t pl_xxh64(const void *bytes, size_t length, uint64_t seed);

#endif
