/* trace/densify.h: from (process, page number) to dense pages in the order of first use, and back.
 *
 * Numbers below 2^22 of the first process (a 32-bit address space has 2^20 pages of 4 KiB) are looked up in a flat
 * table; all others by open addressing whose slots hold only the dense page, because the dictionary holds the keys.
 * Memory: 8 bytes a page for the dictionary, 4 more once there are several processes, and 5 to 11 for the slots (or 4
 * for every number up to the largest in the flat table, at most 16 MiB). */
#ifndef PL_TRACE_DENSIFY_H
#define PL_TRACE_DENSIFY_H

#include "base/base.h"

struct pl_densify;

/* `limit`: at most so many distinct pages; 0 for all that a pl_page can name (2^32 - 1). */
enum pl_err pl_densify_create(uint64_t limit, struct pl_densify **out, struct pl_error *err);
void pl_densify_destroy(struct pl_densify *densify); /* NULL is allowed */

/* The dense pages of `count` numbers of one process (an index of the caller's; the first is 0). Fails with PL_ERR_INPUT
 * when there are more distinct pages than the limit; the message has no place in it. */
enum pl_err pl_densify_batch(struct pl_densify *densify, uint32_t process, const uint64_t *numbers, size_t count,
                             pl_page *pages, struct pl_error *err);

uint64_t pl_densify_count(const struct pl_densify *densify); /* distinct pages so far */
/* Where a page below the count comes from. */
void pl_densify_origin(const struct pl_densify *densify, pl_page page, uint32_t *process, uint64_t *number);
size_t pl_densify_bytes(const struct pl_densify *densify); /* of its tables, as reserved */

#endif
