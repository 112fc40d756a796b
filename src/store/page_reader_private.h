/* store/page_reader_private.h: what the two halves of the page reader share: files, and processes. */
#ifndef PL_STORE_PAGE_READER_PRIVATE_H
#define PL_STORE_PAGE_READER_PRIVATE_H

#include "store/page_reader.h"

/* Something that is read at offsets, or, when it is a stream, from front to end. */
struct pl_page_source {
    const char *name;
    int descriptor;
    bool is_stream, may_fail; /* may_fail: pages that cannot be read are left out */
};

/* A run of bytes of one source. Its pages begin at its offset. */
struct pl_page_extent {
    uint32_t source;
    uint64_t offset, bytes; /* bytes of a stream: 0 */
};

struct pl_page_reader {
    uint32_t page_size;
    uint64_t sample;
    struct pl_page_source *source;
    size_t sources, source_capacity;
    struct pl_page_extent *extent;
    size_t extents, extent_capacity;
    char *own_name; /* of a process */
    struct pl_page_reader_info info;

    size_t at_extent;         /* where the next page is looked for */
    uint64_t pages_before;    /* pages of the extents before that one */
    uint64_t chosen;          /* pages asked for so far */
    uint32_t last_source;     /* of the last page */
    uint64_t last_offset;
    uint8_t *ahead;           /* pages read ahead */
    uint64_t ahead_offset, ahead_bytes;
    uint32_t ahead_source;
};

enum pl_err pl_page_reader_new(uint32_t page_size, uint64_t sample, struct pl_page_reader **out, struct pl_error *err);
/* Owns the descriptor from here on, also when it fails. */
enum pl_err pl_page_reader_add_source(struct pl_page_reader *reader, struct pl_page_source source, struct pl_error *err);
enum pl_err pl_page_reader_add_extent(struct pl_page_reader *reader, struct pl_page_extent extent, struct pl_error *err);
/* When all is added: counts pages, settles the sample. */
enum pl_err pl_page_reader_ready(struct pl_page_reader *reader, struct pl_error *err);

#endif
