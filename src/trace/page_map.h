/* trace/page_map.h: which pages were touched when, as a grid of counts, in one pass and constant memory.
 *
 * Columns are equal runs of touches, rows equal runs of pages in the order of first use. Neither the length of a trace
 * nor its footprint is known beforehand: the grid begins with a touch a column and a page a row, and when it is full
 * pairs of columns (or rows) are added up, so that a step is always a power of two and no count is lost. */
#ifndef PL_TRACE_PAGE_MAP_H
#define PL_TRACE_PAGE_MAP_H

#include "base/base.h"
#include "trace/batch.h"

enum { PL_PAGE_MAP_SIDE = 512 }; /* columns and rows at most; at the end of a long trace at least half of them are used */

struct pl_page_map {
    uint64_t touches, pages;         /* seen so far */
    unsigned touch_shift, page_shift; /* a column is 2^touch_shift touches, a row 2^page_shift pages */
    uint64_t *count;                 /* PL_PAGE_MAP_SIDE^2, column by column */
};

enum pl_err pl_page_map_create(struct pl_arena *arena, struct pl_page_map *out, struct pl_error *err);
void pl_page_map_add(struct pl_page_map *map, const struct pl_batch *batch);
static inline uint64_t pl_page_map_count(const struct pl_page_map *map, uint32_t column, uint32_t row)
{
    return map->count[(size_t)column * PL_PAGE_MAP_SIDE + row];
}
/* Columns and rows in use. */
uint32_t pl_page_map_columns(const struct pl_page_map *map);
uint32_t pl_page_map_rows(const struct pl_page_map *map);

#endif
