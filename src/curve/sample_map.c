/* curve/sample_map.c: the hash table of sampled pages. */
#include "curve/sample_map.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 1024 };

static uint32_t home_of(const struct sample_map *map, pl_page page)
{
    return (uint32_t)(pl_mix64(page) & (map->capacity - 1));
}

/* Where the page is, or the empty entry where it would be. */
static uint32_t find(const struct sample_map *map, pl_page page)
{
    uint32_t at = home_of(map, page);
    while (map->entries[at].number != SAMPLE_NONE && map->entries[at].page != page)
        at = (at + 1) & (map->capacity - 1);
    return at;
}

void sample_map_free(struct sample_map *map)
{
    free(map->entries);
    free(map->spare);
    *map = (struct sample_map){0};
}

void sample_map_clear(struct sample_map *map)
{
    for (uint32_t i = 0; i < map->capacity; i++)
        map->entries[i].number = SAMPLE_NONE;
    map->count = map->next = map->spares = 0;
}

size_t sample_map_bytes(const struct sample_map *map)
{
    return map->capacity * sizeof *map->entries + map->spare_capacity * sizeof *map->spare;
}

static enum pl_err double_capacity(struct sample_map *map, struct pl_error *err)
{
    struct sample_map larger = *map;
    larger.capacity = map->capacity ? map->capacity * 2 : FIRST_CAPACITY;
    larger.entries = malloc(larger.capacity * sizeof *larger.entries);
    if (!larger.entries || larger.capacity == 0) {
        free(larger.entries);
        return pl_fail_memory(err, (size_t)larger.capacity * sizeof *larger.entries, "sampled pages");
    }
    for (uint32_t i = 0; i < larger.capacity; i++)
        larger.entries[i].number = SAMPLE_NONE;
    for (uint32_t i = 0; i < map->capacity; i++)
        if (map->entries[i].number != SAMPLE_NONE)
            larger.entries[find(&larger, map->entries[i].page)] = map->entries[i];
    free(map->entries);
    *map = larger;
    return PL_OK;
}

enum pl_err sample_map_get(struct sample_map *map, pl_page page, uint32_t *number, bool *added, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    if ((uint64_t)map->count * 3 >= (uint64_t)map->capacity * 2)
        rc = double_capacity(map, err);
    if (rc)
        return rc;
    struct sample_entry *entry = &map->entries[find(map, page)];
    *added = entry->number == SAMPLE_NONE;
    if (*added) {
        *entry = (struct sample_entry){page, map->spares ? map->spare[--map->spares] : map->next++};
        map->count++;
    }
    *number = entry->number;
    return PL_OK;
}

/* Entries behind the hole move up when they may, so that no chain is broken. */
static void close_hole(struct sample_map *map, uint32_t hole)
{
    uint32_t mask = map->capacity - 1;
    for (uint32_t at = (hole + 1) & mask; map->entries[at].number != SAMPLE_NONE; at = (at + 1) & mask) {
        uint32_t from_home = (at - home_of(map, map->entries[at].page)) & mask;
        if (from_home >= ((at - hole) & mask)) {
            map->entries[hole] = map->entries[at];
            hole = at;
        }
    }
    map->entries[hole].number = SAMPLE_NONE;
}

enum pl_err sample_map_remove(struct sample_map *map, pl_page page, struct pl_error *err)
{
    void *spare = map->spare;
    enum pl_err rc = pl_grow(&spare, &map->spare_capacity, map->spares + 1, sizeof *map->spare, "sampled pages", err);
    map->spare = spare;
    if (rc)
        return rc;
    uint32_t at = find(map, page);
    map->spare[map->spares++] = map->entries[at].number;
    map->count--;
    close_hole(map, at);
    return PL_OK;
}
