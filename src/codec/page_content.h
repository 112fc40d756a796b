/* codec/page_content.h: generated page content: what scenarios fill memory with, and what tests compress.
 *
 * A content is a description, not data: any page of it can be made at any time, alone, and comes out the same on every
 * machine. Values are 32-bit little-endian ints, as in the programs this reproduces, numbered on from page to page. */
#ifndef PL_CODEC_PAGE_CONTENT_H
#define PL_CODEC_PAGE_CONTENT_H

#include "base/error.h"

enum pl_content_kind {
    PL_CONTENT_ZEROS,
    PL_CONTENT_INDEX, /* int i of the memory is seed + i */
    PL_CONTENT_RAND,  /* int i is the i-th rand() of the Microsoft C library after srand(seed): 15 bits */
    PL_CONTENT_TEXT,  /* words of a made-up language, frequent ones first, as log files and documents look */
    PL_CONTENT_HASH,  /* int i is a 32-bit mix of seed and i: incompressible */
    PL_CONTENT_SAME,  /* every int is the low half of the seed: same-filled pages */
    PL_CONTENT_MIXED, /* pages of index, zeros, text and rand by turns */
};

struct pl_content {
    enum pl_content_kind kind;
    uint64_t seed;
};

/* Makes page `index` of the content; page_size is a multiple of 4. */
void pl_content_page(const struct pl_content *content, uint64_t index, uint8_t *page, uint32_t page_size);

/* "zeros", "index", "rand", "text", "hash", "same", "mixed". */
const char *pl_content_name(enum pl_content_kind kind);
enum pl_err pl_content_find(const char *name, enum pl_content_kind *out, struct pl_error *err);

#endif
