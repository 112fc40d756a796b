/* capture/page_tally.h: pages added up: zero, equal, and how large they become: what a compressed store would need. */
#ifndef PL_CAPTURE_PAGE_TALLY_H
#define PL_CAPTURE_PAGE_TALLY_H

#include "base/error.h"

struct page_tally_sizes {
    uint64_t hash;       /* low half of the page's hash */
    uint32_t xpress, lz4, own; /* bytes; own: the system's compressor, 0 without one */
    bool zero, same;     /* zero: all bytes 0; same: one repeated word, zero pages included */
    bool seen;           /* an equal page came before */
};

struct page_tally_counts {
    uint64_t pages, zero, same, duplicates;
    uint64_t xpress_bytes, lz4_bytes, own_bytes; /* of all but zero pages; a page that does not shrink counts whole */
    uint64_t xpress_unique_bytes;                /* the same without duplicates */
    uint64_t xpress_raw, lz4_raw;                /* pages that do not shrink */
    uint64_t store_bytes;  /* Windows's store: XPRESS in 16-byte chunks, no duplicates, zero pages free */
    uint64_t zram_bytes;   /* lz4 before zsmalloc, same-filled pages free, raw above 3264 bytes */
};

struct page_tally;

enum pl_err page_tally_create(uint32_t page_size, struct page_tally **out, struct pl_error *err);
void page_tally_destroy(struct page_tally *tally); /* NULL is allowed */
/* `sizes` may be NULL. */
enum pl_err page_tally_add(struct page_tally *tally, const uint8_t *page, struct page_tally_sizes *sizes,
                           struct pl_error *err);
struct page_tally_counts page_tally_counts(const struct page_tally *tally);

#endif
