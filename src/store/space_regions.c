/* store/space_regions.c: the Windows store: regions of 128 KiB in chunks of 16 bytes.
 *
 *   region   [page 7 .... | page 9 .. | hole | page 12 ..... |   tail   ]    filled: end of the last object
 *
 * A page's place is a key of region number and chunk within it (13 bits: 8192 chunks). Objects lie in one region,
 * one behind the other, in the region being filled; where the next one does not fit, the tail stays empty and a new
 * region begins. What is removed leaves a hole that is not filled again: a region comes back when its last object
 * goes (lazy cleanup), or when compaction moves the survivors of sparse regions together. A region takes the
 * pages of it that have been written: it is ordinary memory of a process, which comes page by page.
 *
 * Records, per stored page (36 bytes, assumed from the layouts that are known): a 12-byte page record (key,
 * compressed size, next key), and an 8-byte entry in each of the two B+trees (store manager: page to store; store:
 * page to record), whose nodes are ln 2 full. They lie in the same process's memory as the regions, so they count.
 *
 * What this does not model: regions kept apart by page priority, which is not known to cost space in the steady
 * state; the order in which Windows compacts. */
#include "base/arena.h"
#include "store/slots.h"
#include "store/space_list.h"

#include <assert.h>
#include <stdlib.h>

enum {
    REGION_BYTES = 128 * 1024,
    CHUNK_BYTES = 16,
    RECORD_BYTES = 36,
    /* Compaction empties regions that are filled by less than this many quarters. */
    SPARSE_QUARTERS = 3,
};

struct region {
    struct pl_unit_links links; /* `next`: the free list */
    uint32_t live;   /* chunks of objects in it; 0 for a free one */
    uint32_t filled; /* chunks up to the end of the last object */
};

struct regions {
    struct pl_space space;
    struct pl_slots slots;
    struct region *region;
    size_t capacity;
    uint32_t count, free; /* regions ever used; first free one */
    uint32_t active;      /* the one being filled, or PL_NO_SLOT */
    uint32_t chunks;      /* in a region */
    uint64_t in_use;      /* regions */
    uint64_t written_bytes; /* of them, in pages that have been written */
    uint64_t live_chunks;
};

static uint32_t shift_of(uint32_t power)
{
    return (uint32_t)__builtin_ctz(power);
}

static enum pl_err check(const struct pl_space_params *params, struct pl_error *err)
{
    if (params->chunk_bytes & (params->chunk_bytes - 1))
        return pl_fail(err, PL_ERR_USAGE, "chunks of %u bytes: not a power of two", params->chunk_bytes);
    if (params->region_bytes < params->page_size || params->region_bytes > 16 * PL_MIB ||
        params->region_bytes % params->chunk_bytes)
        return pl_fail(err, PL_ERR_USAGE, "regions of %u bytes: not whole chunks, below a page, or above 16 MiB",
                       params->region_bytes);
    return PL_OK;
}

static enum pl_err create(const struct pl_space_params *params, struct pl_space **out, struct pl_error *err)
{
    struct pl_space_params own = *params;
    own.region_bytes = own.region_bytes ? own.region_bytes : REGION_BYTES;
    own.chunk_bytes = own.chunk_bytes ? own.chunk_bytes : CHUNK_BYTES;
    enum pl_err rc = check(&own, err);
    if (rc)
        return rc;
    struct regions *regions = calloc(1, sizeof(*regions));
    if (!regions)
        return pl_fail_memory(err, sizeof(*regions), "a store");
    regions->space = (struct pl_space){.ops = &pl_space_regions,
                                       .params = own,
                                       .largest_object = own.page_size,
                                       .raw_from = own.page_size,
                                       .most_growth = own.page_size};
    regions->chunks = own.region_bytes / own.chunk_bytes;
    regions->free = regions->active = PL_NO_SLOT;
    pl_slots_init(&regions->slots);
    *out = &regions->space;
    return PL_OK;
}

static void destroy(struct pl_space *space)
{
    struct regions *regions = (struct regions *)space;
    pl_slots_free(&regions->slots);
    free(regions->region);
    free(regions);
}

/* Begins a region. */
static enum pl_err open_region(struct regions *regions, struct pl_error *err)
{
    uint32_t unit = regions->free;
    if (unit != PL_NO_SLOT) {
        regions->free = regions->region[unit].links.next;
    } else {
        enum pl_err rc = pl_grow((void **)&regions->region, &regions->capacity, (size_t)regions->count + 1,
                                 sizeof(regions->region[0]), "the store's regions", err);
        if (rc)
            return rc;
        unit = regions->count++;
    }
    regions->region[unit] = (struct region){.links.first = PL_NO_SLOT};
    regions->active = unit;
    regions->in_use++;
    return PL_OK;
}

/* What the pages take that a region's first chunks lie in. */
static uint64_t bytes_of(const struct regions *regions, uint32_t chunks)
{
    const struct pl_space_params *params = &regions->space.params;
    uint64_t filled = (uint64_t)chunks * params->chunk_bytes, page = params->page_size;
    uint64_t bytes = (filled + page - 1) / page * page;
    return bytes < params->region_bytes ? bytes : params->region_bytes;
}

static void close_region(struct regions *regions, uint32_t unit)
{
    regions->written_bytes -= bytes_of(regions, regions->region[unit].filled);
    regions->region[unit].filled = 0;
    regions->region[unit].links.next = regions->free;
    regions->free = unit;
    regions->in_use--;
    if (regions->active == unit)
        regions->active = PL_NO_SLOT;
}

/* Makes sure that the active region has room. */
static enum pl_err make_room(struct regions *regions, uint32_t chunks, struct pl_error *err)
{
    uint32_t active = regions->active;
    if (active != PL_NO_SLOT && regions->region[active].filled + chunks <= regions->chunks)
        return PL_OK;
    return open_region(regions, err);
}

static void account(struct regions *regions, uint32_t unit, uint32_t chunks)
{
    struct region *region = &regions->region[unit];
    regions->written_bytes += bytes_of(regions, region->filled + chunks) - bytes_of(regions, region->filled);
    region->live += chunks;
    region->filled += chunks;
    regions->live_chunks += chunks;
}

static uint32_t chunks_of(const struct pl_space *space, uint32_t size)
{
    return (size + space->params.chunk_bytes - 1) >> shift_of(space->params.chunk_bytes);
}

static uint64_t grows_by(const struct pl_space *space, uint32_t size)
{
    const struct regions *regions = (const struct regions *)space;
    uint32_t chunks = chunks_of(space, size), filled = 0;
    if (regions->active != PL_NO_SLOT && regions->region[regions->active].filled + chunks <= regions->chunks)
        filled = regions->region[regions->active].filled;
    return bytes_of(regions, filled + chunks) - bytes_of(regions, filled);
}

static enum pl_err insert(struct pl_space *space, uint32_t size, uint32_t *slot, struct pl_error *err)
{
    struct regions *regions = (struct regions *)space;
    uint32_t chunks = chunks_of(space, size);
    enum pl_err rc = make_room(regions, chunks, err);
    if (rc)
        return rc;
    uint32_t unit = regions->active;
    rc = pl_slots_add(&regions->slots, unit, &regions->region[unit].links.first, chunks, slot, err);
    if (rc == PL_OK)
        account(regions, unit, chunks);
    return rc;
}

/* Takes the object's chunks from its region; a region without objects is given back. */
static void leave(struct regions *regions, uint32_t slot, bool release)
{
    uint32_t unit = regions->slots.slot[slot].unit, chunks = regions->slots.slot[slot].size;
    struct region *region = &regions->region[unit];
    assert(region->live >= chunks);
    region->live -= chunks;
    regions->live_chunks -= chunks;
    pl_slots_unlink(&regions->slots, &region->links.first, slot, release);
    if (!region->live)
        close_region(regions, unit);
}

static void drop(struct pl_space *space, uint32_t slot)
{
    leave((struct regions *)space, slot, true);
}

static uint64_t used_bytes(const struct pl_space *space)
{
    return ((const struct regions *)space)->written_bytes;
}

static void usage(const struct pl_space *space, struct pl_space_usage *out)
{
    const struct regions *regions = (const struct regions *)space;
    out->units = regions->in_use;
    out->unit_bytes_free = out->used_bytes - regions->live_chunks * space->params.chunk_bytes;
}

/* Moves every object of a region into the active one. False when memory for bookkeeping ends. */
static bool empty_region(struct regions *regions, uint32_t unit, struct pl_compaction *done)
{
    while (regions->region[unit].live) {
        uint32_t slot = regions->region[unit].links.first, chunks = regions->slots.slot[slot].size;
        if (make_room(regions, chunks, NULL))
            return false;
        leave(regions, slot, false);
        pl_slots_link(&regions->slots, regions->active, &regions->region[regions->active].links.first, slot);
        account(regions, regions->active, chunks);
        done->objects_moved++;
        done->bytes_moved += (uint64_t)chunks * regions->space.params.chunk_bytes;
    }
    return true;
}

/* Whether a region has holes enough to be worth emptying. Regions that compaction itself has filled have none. */
static bool is_sparse(const struct regions *regions, uint32_t unit, uint32_t active)
{
    const struct region *region = &regions->region[unit];
    return unit != active && region->live && region->live < region->filled &&
           region->live < regions->chunks * SPARSE_QUARTERS / 4;
}

/* Empties all sparse regions into new ones, if that gives back at least one. One pass over the regions; each object
 * moves at most once. */
static void compact(struct pl_space *space, struct pl_compaction *out)
{
    struct regions *regions = (struct regions *)space;
    uint64_t before = regions->written_bytes, sparse = 0, live = 0;
    uint32_t count = regions->count, active = regions->active;
    for (uint32_t unit = 0; unit < count; unit++)
        if (is_sparse(regions, unit, active)) {
            sparse++;
            live += regions->region[unit].live;
        }
    if (sparse <= (live + regions->chunks - 1) / regions->chunks)
        return;
    for (uint32_t unit = 0; unit < count; unit++)
        if (is_sparse(regions, unit, active) && !empty_region(regions, unit, out))
            break;
    if (regions->written_bytes < before)
        out->bytes_freed = before - regions->written_bytes;
}

const struct pl_space_ops pl_space_regions = {
    .name = "regions",
    .about = "Windows: 128 KiB regions of 16-byte chunks, filled in order",
    .record_bytes = RECORD_BYTES,
    .records_inside = true,
    .create = create,
    .destroy = destroy,
    .insert = insert,
    .grows_by = grows_by,
    .remove = drop,
    .used_bytes = used_bytes,
    .usage = usage,
    .compact = compact,
};
