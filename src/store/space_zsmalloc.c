/* store/space_zsmalloc.c: zram's space: objects in chains of pages by size class.
 *
 * An object takes the handle's 8 bytes with it into its class, as in the kernel, so that sizes from watermark - 7
 * on need a page of their own; zram then keeps the page raw. A new object goes to the fullest zspage of its class
 * with room; compaction moves objects from the emptiest zspages to the fullest while that frees at least one (Linux
 * 6.4 and later: fullness in ten groups).
 *
 * Records, per stored page (16 bytes): zram's table entry (handle and flags). They are allocated when the device is
 * made and are not in mem_used_total, so they do not count against mem_limit.
 *
 * What this does not model: zspages' own descriptors (a slab outside), migration, and which of several equally full
 * zspages the kernel's lists would give. */
#include "base/arena.h"
#include "store/slots.h"
#include "store/space_list.h"
#include "store/zsmalloc_classes.h"

#include <assert.h>
#include <stdlib.h>

enum {
    HANDLE_BYTES = 8,
    RECORD_BYTES = 16,
    CHAIN_DEFAULT = 8,
    GROUPS = 11, /* a tenth of fullness each; the last is full zspages, which have no list */
    FULL = GROUPS - 1,
};

struct zspage {
    struct pl_unit_links links;
    uint32_t objects;
    uint16_t class, group;
};

struct class_state {
    uint32_t list[FULL]; /* zspages by fullness, newest first */
    uint64_t zspages, objects;
};

struct zsmalloc {
    struct pl_space space;
    struct pl_zs_classes classes;
    struct pl_slots slots;
    struct zspage *zspage;
    size_t capacity;
    uint32_t count, free;
    uint64_t pages; /* in use */
    struct class_state state[PL_ZS_CLASSES_MAX];
};

static enum pl_err create(const struct pl_space_params *params, struct pl_space **out, struct pl_error *err)
{
    struct pl_space_params own = *params;
    own.chain_pages = own.chain_pages ? own.chain_pages : CHAIN_DEFAULT;
    if (own.chain_pages > 16)
        return pl_fail(err, PL_ERR_USAGE, "zsmalloc chains up to 16 pages, not %u", own.chain_pages);
    struct zsmalloc *zs = calloc(1, sizeof(*zs));
    if (!zs)
        return pl_fail_memory(err, sizeof(*zs), "a store");
    pl_zs_classes_make(own.page_size, own.chain_pages, own.chain_rule, &zs->classes);
    zs->space = (struct pl_space){.ops = &pl_space_zsmalloc,
                                  .params = own,
                                  .largest_object = own.page_size,
                                  .raw_from = zs->classes.watermark - HANDLE_BYTES + 1,
                                  .most_growth = (uint64_t)own.chain_pages * own.page_size};
    if (!zs->classes.watermark) /* chains of one page may leave nothing to share */
        zs->space.raw_from = own.page_size;
    pl_slots_init(&zs->slots);
    zs->free = PL_NO_SLOT;
    for (uint32_t c = 0; c < zs->classes.count; c++)
        for (int group = 0; group < FULL; group++)
            zs->state[c].list[group] = PL_NO_SLOT;
    *out = &zs->space;
    return PL_OK;
}

static void destroy(struct pl_space *space)
{
    struct zsmalloc *zs = (struct zsmalloc *)space;
    pl_slots_free(&zs->slots);
    free(zs->zspage);
    free(zs);
}

static uint16_t group_of(const struct zsmalloc *zs, const struct zspage *zspage)
{
    return (uint16_t)(zspage->objects * 10u / zs->classes.cluster[zspage->class].objects);
}

static void list_add(struct zsmalloc *zs, uint32_t unit)
{
    struct zspage *zspage = &zs->zspage[unit];
    zspage->group = group_of(zs, zspage);
    if (zspage->group == FULL)
        return;
    uint32_t *list = &zs->state[zspage->class].list[zspage->group];
    zspage->links.next = *list;
    zspage->links.prev = PL_NO_SLOT;
    if (*list != PL_NO_SLOT)
        zs->zspage[*list].links.prev = unit;
    *list = unit;
}

static void list_remove(struct zsmalloc *zs, uint32_t unit)
{
    struct zspage *zspage = &zs->zspage[unit];
    if (zspage->group == FULL)
        return;
    if (zspage->links.prev != PL_NO_SLOT)
        zs->zspage[zspage->links.prev].links.next = zspage->links.next;
    else
        zs->state[zspage->class].list[zspage->group] = zspage->links.next;
    if (zspage->links.next != PL_NO_SLOT)
        zs->zspage[zspage->links.next].links.prev = zspage->links.prev;
}

/* After the number of objects changed. */
static void regroup(struct zsmalloc *zs, uint32_t unit)
{
    if (group_of(zs, &zs->zspage[unit]) != zs->zspage[unit].group) {
        list_remove(zs, unit);
        list_add(zs, unit);
    }
}

static enum pl_err new_zspage(struct zsmalloc *zs, uint32_t class, uint32_t *out, struct pl_error *err)
{
    uint32_t unit = zs->free;
    if (unit != PL_NO_SLOT) {
        zs->free = zs->zspage[unit].links.next;
    } else {
        enum pl_err rc = pl_grow((void **)&zs->zspage, &zs->capacity, (size_t)zs->count + 1, sizeof(zs->zspage[0]),
                                 "the store's zspages", err);
        if (rc)
            return rc;
        unit = zs->count++;
    }
    zs->zspage[unit] = (struct zspage){.links.first = PL_NO_SLOT, .class = (uint16_t)class};
    zs->state[class].zspages++;
    zs->pages += zs->classes.cluster[class].pages;
    list_add(zs, unit);
    *out = unit;
    return PL_OK;
}

/* For a zspage without objects. */
static void free_zspage(struct zsmalloc *zs, uint32_t unit)
{
    struct zspage *zspage = &zs->zspage[unit];
    assert(!zspage->objects);
    list_remove(zs, unit);
    zs->state[zspage->class].zspages--;
    zs->pages -= zs->classes.cluster[zspage->class].pages;
    zspage->links.next = zs->free;
    zs->free = unit;
}

/* The fullest zspage with room, the newest among equals; PL_NO_SLOT when there is none. */
static uint32_t fullest(const struct class_state *state)
{
    for (int group = FULL; group-- > 0;)
        if (state->list[group] != PL_NO_SLOT)
            return state->list[group];
    return PL_NO_SLOT;
}

/* The emptiest one other than `except`. */
static uint32_t emptiest(const struct zsmalloc *zs, const struct class_state *state, uint32_t except)
{
    for (int group = 0; group < FULL; group++) {
        uint32_t unit = state->list[group];
        if (unit == except && unit != PL_NO_SLOT)
            unit = zs->zspage[unit].links.next;
        if (unit != PL_NO_SLOT)
            return unit;
    }
    return PL_NO_SLOT;
}

static uint32_t class_of(const struct zsmalloc *zs, uint32_t size)
{
    uint32_t page_size = zs->space.params.page_size;
    return pl_zs_class_of(&zs->classes, size + HANDLE_BYTES < page_size ? size + HANDLE_BYTES : page_size);
}

static uint64_t grows_by(const struct pl_space *space, uint32_t size)
{
    const struct zsmalloc *zs = (const struct zsmalloc *)space;
    uint32_t class = class_of(zs, size);
    bool has_room = fullest(&zs->state[class]) != PL_NO_SLOT;
    return has_room ? 0 : (uint64_t)zs->classes.cluster[class].pages * space->params.page_size;
}

static enum pl_err insert(struct pl_space *space, uint32_t size, uint32_t *slot, struct pl_error *err)
{
    struct zsmalloc *zs = (struct zsmalloc *)space;
    uint32_t class = class_of(zs, size);
    uint32_t unit = fullest(&zs->state[class]);
    enum pl_err rc = unit == PL_NO_SLOT ? new_zspage(zs, class, &unit, err) : PL_OK;
    if (rc)
        return rc;
    rc = pl_slots_add(&zs->slots, unit, &zs->zspage[unit].links.first, size, slot, err);
    if (rc) {
        if (!zs->zspage[unit].objects)
            free_zspage(zs, unit);
        return rc;
    }
    zs->zspage[unit].objects++;
    zs->state[class].objects++;
    regroup(zs, unit);
    return PL_OK;
}

/* Takes an object out of its zspage, which goes when it is empty. */
static void leave(struct zsmalloc *zs, uint32_t slot, bool release)
{
    uint32_t unit = zs->slots.slot[slot].unit;
    struct zspage *zspage = &zs->zspage[unit];
    pl_slots_unlink(&zs->slots, &zspage->links.first, slot, release);
    zspage->objects--;
    regroup(zs, unit);
    if (!zspage->objects)
        free_zspage(zs, unit);
}

static void drop(struct pl_space *space, uint32_t slot)
{
    struct zsmalloc *zs = (struct zsmalloc *)space;
    zs->state[zs->zspage[zs->slots.slot[slot].unit].class].objects--;
    leave(zs, slot, true);
}

static uint64_t used_bytes(const struct pl_space *space)
{
    return ((const struct zsmalloc *)space)->pages * space->params.page_size;
}

static void usage(const struct pl_space *space, struct pl_space_usage *out)
{
    const struct zsmalloc *zs = (const struct zsmalloc *)space;
    for (uint32_t c = 0; c < zs->classes.count; c++) {
        const struct pl_zs_class *class = &zs->classes.cluster[c];
        out->units += zs->state[c].zspages;
        out->unit_bytes_free += (zs->state[c].zspages * class->objects - zs->state[c].objects) * class->size;
    }
}

static bool can_compact(const struct zsmalloc *zs, uint32_t class)
{
    uint64_t objects = zs->classes.cluster[class].objects;
    return zs->state[class].zspages * objects - zs->state[class].objects >= objects;
}

static void compact_class(struct zsmalloc *zs, uint32_t class, struct pl_compaction *out)
{
    while (can_compact(zs, class)) {
        uint32_t to = fullest(&zs->state[class]), from = emptiest(zs, &zs->state[class], to);
        if (from == PL_NO_SLOT)
            return;
        uint32_t room = zs->classes.cluster[class].objects - zs->zspage[to].objects;
        uint32_t moves = room < zs->zspage[from].objects ? room : zs->zspage[from].objects;
        for (; moves; moves--) {
            uint32_t slot = zs->zspage[from].links.first;
            leave(zs, slot, false);
            pl_slots_link(&zs->slots, to, &zs->zspage[to].links.first, slot);
            zs->zspage[to].objects++;
            regroup(zs, to);
            out->objects_moved++;
            out->bytes_moved += zs->slots.slot[slot].size;
        }
    }
}

static void compact(struct pl_space *space, struct pl_compaction *out)
{
    struct zsmalloc *zs = (struct zsmalloc *)space;
    uint64_t before = zs->pages;
    for (uint32_t class = 0; class < zs->classes.count; class++)
        compact_class(zs, class, out);
    out->bytes_freed = (before - zs->pages) * space->params.page_size;
}

const struct pl_space_ops pl_space_zsmalloc = {
    .name = "zsmalloc",
    .about = "zram: size classes in chains of pages",
    .record_bytes = RECORD_BYTES,
    .create = create,
    .destroy = destroy,
    .insert = insert,
    .grows_by = grows_by,
    .remove = drop,
    .used_bytes = used_bytes,
    .usage = usage,
    .compact = compact,
};
