/* trace/page_map.c: a grid that folds when it is full. Assumes dense page numbers, as batches have them. */
#include "trace/page_map.h"

enum { SIDE = PL_PAGE_MAP_SIDE };

enum pl_err pl_page_map_create(struct pl_arena *arena, struct pl_page_map *out, struct pl_error *err)
{
    uint64_t *count = pl_arena_alloc(arena, (size_t)SIDE * SIDE, sizeof *count);
    if (!count)
        return pl_fail_memory(err, sizeof *count * SIDE * SIDE, "a page map");
    *out = (struct pl_page_map){.count = count};
    return PL_OK;
}

/* Cells are `stride` apart along the folded direction and `other` apart across it. */
static void fold(uint64_t *count, size_t stride, size_t other)
{
    for (size_t k = 0; k < SIDE; k++) {
        uint64_t *line = count + k * other;
        for (size_t i = 0; i < SIDE / 2; i++)
            line[i * stride] = line[2 * i * stride] + line[(2 * i + 1) * stride];
        for (size_t i = SIDE / 2; i < SIDE; i++)
            line[i * stride] = 0;
    }
}

void pl_page_map_add(struct pl_page_map *map, const struct pl_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        uint64_t page = batch->page[i];
        for (; map->touches >> map->touch_shift >= SIDE; map->touch_shift++)
            fold(map->count, SIDE, 1);
        for (; page >> map->page_shift >= SIDE; map->page_shift++)
            fold(map->count, 1, SIDE);
        map->count[(map->touches >> map->touch_shift) * SIDE + (page >> map->page_shift)]++;
        map->touches++;
        if (page >= map->pages)
            map->pages = page + 1;
    }
}

uint32_t pl_page_map_columns(const struct pl_page_map *map)
{
    return map->touches ? (uint32_t)((map->touches - 1) >> map->touch_shift) + 1 : 0;
}

uint32_t pl_page_map_rows(const struct pl_page_map *map)
{
    return map->pages ? (uint32_t)((map->pages - 1) >> map->page_shift) + 1 : 0;
}
