/* device/free_map.h: a set of small numbers that finds its next member quickly. Private to device.
 *
 * Bits in words of 64, above them a bit for each word that is not empty, and so on: a search looks at one or two words of
 * each level, whatever the number of members. */
#ifndef PL_DEVICE_FREE_MAP_H
#define PL_DEVICE_FREE_MAP_H

#include "base/error.h"

enum { FREE_MAP_LEVELS = 6 }; /* 64^6 > 2^32 */
#define FREE_MAP_NONE UINT32_MAX

struct free_map {
    uint64_t *level[FREE_MAP_LEVELS];
    int levels;
    uint32_t size, count; /* numbers below size may be members; count are */
};

enum pl_err free_map_open(struct free_map *map, uint32_t size, struct pl_error *err); /* empty */
void free_map_close(struct free_map *map);                                           /* allowed on a zeroed one */
void free_map_fill(struct free_map *map, uint32_t count);    /* an empty one: all numbers below count are members */
void free_map_add(struct free_map *map, uint32_t number);    /* must not be a member */
void free_map_remove(struct free_map *map, uint32_t number); /* must be a member */
uint32_t free_map_next(const struct free_map *map, uint32_t from); /* the first member >= from, or FREE_MAP_NONE */

static inline bool free_map_has(const struct free_map *map, uint32_t number)
{
    return map->level[0][number / 64] >> (number % 64) & 1;
}

#endif
