/* device/page_file.h: the slots of a page file on a device.
 *
 * A slot holds one page, or is free. Pages are written in clusters: a run of neighbouring slots is found for as many of
 * them as possible, so that one request writes them and one request reads them back. The file says what lies where; the
 * caller sends the requests to the device. 4 bytes and a little more than a bit for each slot. */
#ifndef PL_DEVICE_PAGE_FILE_H
#define PL_DEVICE_PAGE_FILE_H

#include "base/error.h"

#define PL_NO_SLOT UINT32_MAX

struct pl_slot_run {
    uint32_t first, count;
};

struct pl_page_file;

/* `slots` may be 0 (a machine without a page file). `cluster` is the longest run: a power of two up to 64. `first_block` is
 * where the file begins on its device. */
enum pl_err pl_page_file_create(uint32_t slots, uint32_t cluster, uint64_t first_block, struct pl_page_file **out,
                                struct pl_error *err);
void pl_page_file_destroy(struct pl_page_file *file); /* NULL is allowed */

/* Gives owners[0], owners[1], ... neighbouring slots, as many as there are together, but at least one, at most `count` and
 * at most a cluster. An owner is usually a page; any number but PL_NO_PAGE. False when the file is full. */
bool pl_page_file_allocate(struct pl_page_file *file, const uint32_t *owners, uint32_t count, struct pl_slot_run *out);
void pl_page_file_free(struct pl_page_file *file, uint32_t slot); /* must be in use */

uint32_t pl_page_file_owner(const struct pl_page_file *file, uint32_t slot); /* PL_NO_PAGE = free */
uint64_t pl_page_file_block(const struct pl_page_file *file, uint32_t slot);
/* The slots in use without a gap around `slot` (which must be in use), within the `most` slots that begin at a multiple of
 * `most`: what one read may bring in. */
struct pl_slot_run pl_page_file_neighbours(const struct pl_page_file *file, uint32_t slot, uint32_t most);

struct pl_page_file_stats {
    uint32_t slots, used, most_used;
    uint32_t free_clusters;  /* aligned clusters without any page */
    double fragmentation;    /* share of the free slots that lie outside of those; 0 when none is free */
    uint64_t runs, pages;    /* allocated so far: pages / runs is the mean length of a write */
    uint64_t refused;        /* allocations that found the file full */
};
void pl_page_file_stats(const struct pl_page_file *file, struct pl_page_file_stats *out);

#endif
