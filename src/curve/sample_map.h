/* curve/sample_map.h: which pages are in a sample, under small numbers of their own. Private to curve. */
#ifndef PL_CURVE_SAMPLE_MAP_H
#define PL_CURVE_SAMPLE_MAP_H

#include "base/base.h"

#define SAMPLE_NONE UINT32_MAX

/* Open addressing, linear probing; at most two thirds full. Numbers of removed pages are given out again. */
struct sample_map {
    struct sample_entry {
        pl_page page;
        uint32_t number; /* SAMPLE_NONE: empty */
    } *entries;
    uint32_t capacity; /* a power of two */
    uint32_t count;
    uint32_t next; /* the lowest number that was never given out */
    uint32_t *spare;
    uint32_t spares;
    size_t spare_capacity;
};

void sample_map_free(struct sample_map *map);
void sample_map_clear(struct sample_map *map); /* empty again, with the room it has */
size_t sample_map_bytes(const struct sample_map *map);
/* The page's number; a new page gets one, and *added is set. */
enum pl_err sample_map_get(struct sample_map *map, pl_page page, uint32_t *number, bool *added, struct pl_error *err);
enum pl_err sample_map_remove(struct sample_map *map, pl_page page, struct pl_error *err);

#endif
