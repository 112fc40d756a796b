/* capture/lz4_size.h: how large a page becomes under LZ4: own code, without a dependency. */
#ifndef PL_CAPTURE_LZ4_SIZE_H
#define PL_CAPTURE_LZ4_SIZE_H

#include "base/types.h"

enum { PL_LZ4_HASH_BITS = 12 };
struct pl_lz4_work {
    uint16_t position[1 << PL_LZ4_HASH_BITS]; /* by hash of four bytes; cleared for every page */
};

/* The size of the LZ4 block of a page of at most 65,536 bytes, as a fast greedy compressor (one candidate a position,
 * accelerating over what does not match) makes it. The bytes themselves are not made. */
size_t pl_lz4_size(struct pl_lz4_work *work, const uint8_t *page, size_t size);

#endif
