/* store/space_buddies.c: zbud and z3fold: two, or three, objects in a page, one of them from each end (and one
 * between).
 *
 * A page has 64 chunks; its header takes one. A new object goes to the page with the smallest room that suffices,
 * among those with fewer objects than fit. Nothing larger than 62 chunks can be stored, so zswap keeps no
 * incompressible pages. By construction at most 2 or 3 pages' worth come to a page.
 *
 * Records, per stored page (64 bytes): zswap's entry and its place in the tree, outside the pool.
 *
 * What this does not model: that z3fold can only use the room beside its middle object after moving it, which it
 * does when a neighbour goes. */
#include "base/arena.h"
#include "store/slots.h"
#include "store/space_list.h"

#include <stdlib.h>

enum {
    CHUNKS = 63, /* for objects, in a page of 64 */
    LARGEST = 62,
    RECORD_BYTES = 64,
};

struct page {
    struct pl_unit_links links;
    uint32_t free;    /* chunks */
    uint32_t objects; /* 0 for a free page */
};

struct buddies {
    struct pl_space space;
    struct pl_slots slots;
    struct page *page;
    size_t capacity;
    uint32_t count, free;
    uint32_t most; /* objects in a page */
    uint64_t in_use;
    uint64_t free_chunks;
    uint32_t list[CHUNKS + 1]; /* pages that take another object, by free chunks */
};

static enum pl_err create(const struct pl_space_ops *ops, uint32_t most, const struct pl_space_params *params,
                          struct pl_space **out, struct pl_error *err)
{
    struct buddies *buddies = calloc(1, sizeof(*buddies));
    if (!buddies)
        return pl_fail_memory(err, sizeof(*buddies), "a store");
    uint32_t largest = LARGEST * (params->page_size / 64);
    buddies->space = (struct pl_space){.ops = ops,
                                       .params = *params,
                                       .largest_object = largest,
                                       .raw_from = largest + 1,
                                       .most_growth = params->page_size};
    buddies->most = most;
    buddies->free = PL_NO_SLOT;
    for (int i = 0; i <= CHUNKS; i++)
        buddies->list[i] = PL_NO_SLOT;
    pl_slots_init(&buddies->slots);
    *out = &buddies->space;
    return PL_OK;
}

static enum pl_err create_zbud(const struct pl_space_params *params, struct pl_space **out, struct pl_error *err)
{
    return create(&pl_space_zbud, 2, params, out, err);
}

static enum pl_err create_z3fold(const struct pl_space_params *params, struct pl_space **out, struct pl_error *err)
{
    return create(&pl_space_z3fold, 3, params, out, err);
}

static void destroy(struct pl_space *space)
{
    struct buddies *buddies = (struct buddies *)space;
    pl_slots_free(&buddies->slots);
    free(buddies->page);
    free(buddies);
}

static bool is_listed(const struct buddies *buddies, const struct page *page)
{
    return page->objects > 0 && page->objects < buddies->most && page->free > 0;
}

static void list_add(struct buddies *buddies, uint32_t unit)
{
    struct page *page = &buddies->page[unit];
    if (!is_listed(buddies, page))
        return;
    uint32_t *list = &buddies->list[page->free];
    page->links.next = *list;
    page->links.prev = PL_NO_SLOT;
    if (*list != PL_NO_SLOT)
        buddies->page[*list].links.prev = unit;
    *list = unit;
}

static void list_remove(struct buddies *buddies, uint32_t unit)
{
    struct page *page = &buddies->page[unit];
    if (!is_listed(buddies, page))
        return;
    if (page->links.prev != PL_NO_SLOT)
        buddies->page[page->links.prev].links.next = page->links.next;
    else
        buddies->list[page->free] = page->links.next;
    if (page->links.next != PL_NO_SLOT)
        buddies->page[page->links.next].links.prev = page->links.prev;
}

static enum pl_err new_page(struct buddies *buddies, uint32_t *out, struct pl_error *err)
{
    uint32_t unit = buddies->free;
    if (unit != PL_NO_SLOT) {
        buddies->free = buddies->page[unit].links.next;
    } else {
        enum pl_err rc = pl_grow((void **)&buddies->page, &buddies->capacity, (size_t)buddies->count + 1,
                                 sizeof(buddies->page[0]), "the store's pages", err);
        if (rc)
            return rc;
        unit = buddies->count++;
    }
    buddies->page[unit] = (struct page){.links.first = PL_NO_SLOT, .free = CHUNKS};
    buddies->in_use++;
    buddies->free_chunks += CHUNKS;
    *out = unit;
    return PL_OK;
}

static void free_page(struct buddies *buddies, uint32_t unit)
{
    buddies->page[unit].links.next = buddies->free;
    buddies->free = unit;
    buddies->in_use--;
    buddies->free_chunks -= CHUNKS;
}

static uint32_t best_fit(const struct buddies *buddies, uint32_t chunks)
{
    for (uint32_t room = chunks; room <= CHUNKS; room++)
        if (buddies->list[room] != PL_NO_SLOT)
            return buddies->list[room];
    return PL_NO_SLOT;
}

static uint32_t chunks_of(const struct pl_space *space, uint32_t size)
{
    uint32_t chunk_bytes = space->params.page_size / 64;
    return (size + chunk_bytes - 1) / chunk_bytes;
}

static uint64_t grows_by(const struct pl_space *space, uint32_t size)
{
    return best_fit((const struct buddies *)space, chunks_of(space, size)) == PL_NO_SLOT ? space->params.page_size : 0;
}

static enum pl_err insert(struct pl_space *space, uint32_t size, uint32_t *slot, struct pl_error *err)
{
    struct buddies *buddies = (struct buddies *)space;
    uint32_t chunks = chunks_of(space, size);
    uint32_t unit = best_fit(buddies, chunks);
    enum pl_err rc = unit == PL_NO_SLOT ? new_page(buddies, &unit, err) : PL_OK;
    if (rc)
        return rc;
    rc = pl_slots_add(&buddies->slots, unit, &buddies->page[unit].links.first, chunks, slot, err);
    if (rc) {
        if (!buddies->page[unit].objects)
            free_page(buddies, unit);
        return rc;
    }
    list_remove(buddies, unit);
    buddies->page[unit].objects++;
    buddies->page[unit].free -= chunks;
    buddies->free_chunks -= chunks;
    list_add(buddies, unit);
    return PL_OK;
}

static void drop(struct pl_space *space, uint32_t slot)
{
    struct buddies *buddies = (struct buddies *)space;
    uint32_t unit = buddies->slots.slot[slot].unit, chunks = buddies->slots.slot[slot].size;
    struct page *page = &buddies->page[unit];
    list_remove(buddies, unit);
    pl_slots_unlink(&buddies->slots, &page->links.first, slot, true);
    page->objects--;
    page->free += chunks;
    buddies->free_chunks += chunks;
    if (page->objects)
        list_add(buddies, unit);
    else
        free_page(buddies, unit);
}

static uint64_t used_bytes(const struct pl_space *space)
{
    return ((const struct buddies *)space)->in_use * space->params.page_size;
}

static void usage(const struct pl_space *space, struct pl_space_usage *out)
{
    const struct buddies *buddies = (const struct buddies *)space;
    out->units = buddies->in_use;
    out->unit_bytes_free = buddies->free_chunks * (space->params.page_size / 64);
}

const struct pl_space_ops pl_space_zbud = {
    .name = "zbud",
    .about = "zswap: at most two objects in a page",
    .record_bytes = RECORD_BYTES,
    .create = create_zbud,
    .destroy = destroy,
    .insert = insert,
    .grows_by = grows_by,
    .remove = drop,
    .used_bytes = used_bytes,
    .usage = usage,
};

const struct pl_space_ops pl_space_z3fold = {
    .name = "z3fold",
    .about = "zswap: at most three objects in a page",
    .record_bytes = RECORD_BYTES,
    .create = create_z3fold,
    .destroy = destroy,
    .insert = insert,
    .grows_by = grows_by,
    .remove = drop,
    .used_bytes = used_bytes,
    .usage = usage,
};
