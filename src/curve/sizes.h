/* curve/sizes.h: at which memory sizes a curve is written. Sizes are in pages, ascending, each once. */
#ifndef PL_CURVE_SIZES_H
#define PL_CURVE_SIZES_H

#include "base/base.h"

struct pl_sizes {
    uint64_t *pages; /* in the arena */
    size_t count;
};

enum {
    PL_SIZES_EVERY = 4096,     /* up to here every size */
    PL_SIZES_PER_DOUBLING = 64, /* above, so many for each doubling */
};

/* From 1 to `depth`, both included: every size up to PL_SIZES_EVERY, above that log-spaced (all: every one). With depth 0
 * the only size is 1. */
enum pl_err pl_sizes_default(uint64_t depth, bool all, struct pl_arena *arena, struct pl_sizes *out, struct pl_error *err);
/* Powers of two up to `depth`, and `depth`: for runs that take one pass for each size. */
enum pl_err pl_sizes_powers(uint64_t depth, struct pl_arena *arena, struct pl_sizes *out, struct pl_error *err);

/* "64p,1MB,25%": sizes and shares of `depth` (the footprint); "1MB:8MB:1MB" from, to and step; "16p:4096p:x2" from, to and
 * factor. Sizes are rounded down to pages. Fails with PL_ERR_USAGE. */
enum pl_err pl_sizes_parse(const char *text, uint32_t page_size, uint64_t depth, struct pl_arena *arena,
                           struct pl_sizes *out, struct pl_error *err);

#endif
