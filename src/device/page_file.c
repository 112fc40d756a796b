/* device/page_file.c: the slots of a page file on a device.
 *
 * Where the next run comes from, in this order:
 *
 *   1. right behind the last one, when all of it is free there: writes that follow each other lie together;
 *   2. a cluster (aligned) without any page, from there on and then from the front;
 *   3. the next free slots, from there on and then from the front, be they as few as they are.
 *
 * A single page looks for a cluster that has both pages and gaps first, and so leaves the empty ones to longer runs.
 *
 * What this does not model: page files that grow or shrink, several of them, slots reserved for pages that are not
 * written yet, and moving pages together again. */
#include "device/page_file.h"

#include "base/arena.h"
#include "device/free_map.h"

#include <assert.h>
#include <stdlib.h>

struct pl_page_file {
    uint32_t slots, cluster;
    uint64_t first_block;
    uint32_t *owner;         /* by slot, plus one: a fresh table is zero, and so all free */
    struct free_map free;    /* slots */
    struct free_map whole;   /* clusters in which all slots are free; never the cut one at the end */
    struct free_map gaps;    /* other clusters in which some are */
    uint32_t cursor;         /* behind the last run */
    uint32_t most_used;
    uint64_t runs, pages, refused;
};

/* Puts a cluster where it belongs after one of its slots has changed. It lies within one word of the map. */
static void sort_cluster(struct pl_page_file *file, uint32_t slot)
{
    uint32_t group = slot / file->cluster, first = group * file->cluster;
    uint64_t all = file->cluster == 64 ? UINT64_MAX : (UINT64_C(1) << file->cluster) - 1;
    uint64_t free_slots = file->free.level[0][first / 64] >> (first % 64) & all;
    bool is_whole = free_slots == all, has_gaps = free_slots && !is_whole;
    if (is_whole != free_map_has(&file->whole, group))
        (is_whole ? free_map_add : free_map_remove)(&file->whole, group);
    if (has_gaps != free_map_has(&file->gaps, group))
        (has_gaps ? free_map_add : free_map_remove)(&file->gaps, group);
}

enum pl_err pl_page_file_create(uint32_t slots, uint32_t cluster, uint64_t first_block, struct pl_page_file **out,
                                struct pl_error *err)
{
    assert(cluster > 0 && cluster <= 64 && (cluster & (cluster - 1)) == 0 && slots < UINT32_MAX);
    struct pl_page_file *file = calloc(1, sizeof *file);
    if (!file)
        return pl_fail_memory(err, sizeof *file, "a page file");
    file->slots = slots;
    file->cluster = cluster;
    file->first_block = first_block;
    uint32_t clusters = slots / cluster + (slots % cluster > 0);
    enum pl_err rc = free_map_open(&file->free, slots, err);
    if (rc == PL_OK)
        rc = free_map_open(&file->whole, clusters, err);
    if (rc == PL_OK)
        rc = free_map_open(&file->gaps, clusters, err);
    file->owner = rc == PL_OK ? pl_table_alloc((size_t)slots * sizeof *file->owner + 1) : NULL;
    if (rc == PL_OK && !file->owner)
        rc = pl_fail_memory(err, (size_t)slots * sizeof *file->owner, "a page file");
    if (rc) {
        pl_page_file_destroy(file);
        return rc;
    }
    free_map_fill(&file->free, slots);
    free_map_fill(&file->whole, slots / cluster);
    if (slots % cluster)
        sort_cluster(file, slots); /* the cut one: only gaps */
    *out = file;
    return PL_OK;
}

void pl_page_file_destroy(struct pl_page_file *file)
{
    if (!file)
        return;
    if (file->owner)
        pl_table_free(file->owner, (size_t)file->slots * sizeof *file->owner + 1);
    free_map_close(&file->free);
    free_map_close(&file->whole);
    free_map_close(&file->gaps);
    free(file);
}

/* --- asking --------------------------------------------------------------------- */

uint32_t pl_page_file_owner(const struct pl_page_file *file, uint32_t slot)
{
    assert(slot < file->slots);
    return file->owner[slot] - 1; /* 0 becomes PL_NO_PAGE */
}

uint64_t pl_page_file_block(const struct pl_page_file *file, uint32_t slot)
{
    assert(slot < file->slots);
    return file->first_block + slot;
}

struct pl_slot_run pl_page_file_neighbours(const struct pl_page_file *file, uint32_t slot, uint32_t most)
{
    assert(most > 0 && file->owner[slot]);
    uint32_t low = slot - slot % most;
    uint32_t high = file->slots - low < most ? file->slots : low + most;
    uint32_t first = slot, end = slot + 1;
    while (first > low && file->owner[first - 1])
        first--;
    while (end < high && file->owner[end])
        end++;
    return (struct pl_slot_run){first, end - first};
}

void pl_page_file_stats(const struct pl_page_file *file, struct pl_page_file_stats *out)
{
    uint32_t free_slots = file->free.count, in_clusters = file->whole.count * file->cluster;
    *out = (struct pl_page_file_stats){
        .slots = file->slots, .used = file->slots - free_slots, .most_used = file->most_used,
        .free_clusters = file->whole.count,
        .fragmentation = free_slots ? (double)(free_slots - in_clusters) / free_slots : 0,
        .runs = file->runs, .pages = file->pages, .refused = file->refused,
    };
}

/* --- allocating ------------------------------------------------------------------- */

/* How many slots are free from `slot` on, at most `most`. */
static uint32_t free_from(const struct pl_page_file *file, uint32_t slot, uint32_t most)
{
    uint32_t count = 0;
    while (count < most && slot + count < file->slots && !file->owner[slot + count])
        count++;
    return count;
}

static uint32_t next_or_wrap(const struct free_map *map, uint32_t from)
{
    uint32_t found = free_map_next(map, from);
    return found != FREE_MAP_NONE ? found : free_map_next(map, 0);
}

static struct pl_slot_run find_run(const struct pl_page_file *file, uint32_t want)
{
    if (free_from(file, file->cursor, want) == want)
        return (struct pl_slot_run){file->cursor, want};
    if (file->whole.count > 0 && (want > 1 || file->gaps.count == 0)) {
        uint32_t group = next_or_wrap(&file->whole, (file->cursor + file->cluster - 1) / file->cluster);
        return (struct pl_slot_run){group * file->cluster, want};
    }
    uint32_t slot = next_or_wrap(&file->free, file->cursor);
    if (want == 1)
        slot = free_map_next(&file->free, next_or_wrap(&file->gaps, file->cursor / file->cluster) * file->cluster);
    return (struct pl_slot_run){slot, free_from(file, slot, want)};
}

bool pl_page_file_allocate(struct pl_page_file *file, const uint32_t *owners, uint32_t count, struct pl_slot_run *out)
{
    assert(count > 0);
    if (file->free.count == 0) {
        file->refused++;
        return false;
    }
    struct pl_slot_run run = find_run(file, count < file->cluster ? count : file->cluster);
    for (uint32_t i = 0; i < run.count; i++) {
        uint32_t slot = run.first + i;
        assert(owners[i] != PL_NO_PAGE);
        file->owner[slot] = owners[i] + 1;
        free_map_remove(&file->free, slot);
        sort_cluster(file, slot);
    }
    file->cursor = run.first + run.count;
    file->runs++;
    file->pages += run.count;
    uint32_t used = file->slots - file->free.count;
    if (used > file->most_used)
        file->most_used = used;
    *out = run;
    return true;
}

void pl_page_file_free(struct pl_page_file *file, uint32_t slot)
{
    assert(slot < file->slots && file->owner[slot]);
    file->owner[slot] = 0;
    free_map_add(&file->free, slot);
    sort_cluster(file, slot);
}
