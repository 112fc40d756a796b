/* device/free_map.c: a set of small numbers that finds its next member quickly. */
#include "device/free_map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum pl_err free_map_open(struct free_map *map, uint32_t size, struct pl_error *err)
{
    struct free_map opened = {.size = size};
    size_t bits = size ? size : 1;
    do {
        size_t words = (bits + 63) / 64;
        uint64_t *level = calloc(words, sizeof *level);
        if (!level) {
            free_map_close(&opened);
            return pl_fail_memory(err, words * sizeof *level, "the map of a page file");
        }
        assert(opened.levels < FREE_MAP_LEVELS);
        opened.level[opened.levels++] = level;
        bits = words;
    } while (bits > 1);
    *map = opened;
    return PL_OK;
}

void free_map_close(struct free_map *map)
{
    for (int i = 0; i < map->levels; i++)
        free(map->level[i]);
    *map = (struct free_map){0};
}

void free_map_fill(struct free_map *map, uint32_t count)
{
    assert(count <= map->size && map->count == 0);
    map->count = count;
    size_t bits = count;
    for (int i = 0; i < map->levels && bits; i++, bits = (bits + 63) / 64) {
        memset(map->level[i], 0xFF, bits / 64 * sizeof map->level[i][0]);
        if (bits % 64)
            map->level[i][bits / 64] = (UINT64_C(1) << (bits % 64)) - 1;
    }
}

void free_map_add(struct free_map *map, uint32_t number)
{
    assert(number < map->size && !free_map_has(map, number));
    map->count++;
    for (int i = 0; i < map->levels; i++, number /= 64) {
        uint64_t before = map->level[i][number / 64];
        map->level[i][number / 64] = before | UINT64_C(1) << (number % 64);
        if (before)
            return; /* the levels above know already */
    }
}

void free_map_remove(struct free_map *map, uint32_t number)
{
    assert(number < map->size && free_map_has(map, number));
    map->count--;
    for (int i = 0; i < map->levels; i++, number /= 64) {
        map->level[i][number / 64] &= ~(UINT64_C(1) << (number % 64));
        if (map->level[i][number / 64])
            return;
    }
}

uint32_t free_map_next(const struct free_map *map, uint32_t from)
{
    if (from >= map->size)
        return FREE_MAP_NONE;
    /* Up, until a word has a member at or behind the place; then down along the first members. */
    uint32_t at = from;
    for (int i = 0; i < map->levels; i++) {
        uint64_t rest = map->level[i][at / 64] >> (at % 64);
        if (rest) {
            at += (uint32_t)__builtin_ctzll(rest);
            while (i-- > 0)
                at = at * 64 + (uint32_t)__builtin_ctzll(map->level[i][at]);
            return at;
        }
        at = at / 64 + 1; /* the words behind this one */
        uint32_t words_above = (uint32_t)(((uint64_t)map->size + (UINT64_C(1) << (6 * (i + 1))) - 1) >> (6 * (i + 1)));
        if (at >= words_above)
            return FREE_MAP_NONE;
    }
    return FREE_MAP_NONE;
}
