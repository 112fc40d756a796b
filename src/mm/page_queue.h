/* mm/page_queue.h: pages in the order of coming, from which any can be taken out: an array with holes.
 *
 *     array:  . . [7] . [2] [9] . [4]        head stands at or before the first page, tail behind the last
 *
 * The place of each page is kept in a table by page that the caller lends, so a page is in one queue at a time. When
 * the tail reaches the end the pages move to the front; there is room for twice as many as can be in it, so that each
 * addition pays for the moving of one page at most. */
#ifndef PL_MM_PAGE_QUEUE_H
#define PL_MM_PAGE_QUEUE_H

#include "base/error.h"

struct pl_page_queue {
    pl_page *page; /* PL_NO_PAGE: a hole */
    uint32_t head, tail, count, capacity;
};

enum pl_err pl_page_queue_reserve(struct pl_page_queue *queue, uint32_t pages, struct pl_error *err);
void pl_page_queue_close(struct pl_page_queue *queue);
void pl_page_queue_add(struct pl_page_queue *queue, uint32_t *position, pl_page page);
void pl_page_queue_remove(struct pl_page_queue *queue, const uint32_t *position, pl_page page);
/* The page that has been in it longest; PL_NO_PAGE when it is empty. */
pl_page pl_page_queue_first(struct pl_page_queue *queue);
/* Whether all is as it should be. */
bool pl_page_queue_check(const struct pl_page_queue *queue, const uint32_t *position);

#endif
