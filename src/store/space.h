/* store/space.h: how a compressed store lays out memory: what objects of odd sizes cost.
 *
 * A space takes objects by size and accounts for the memory that its organisation would take for them; the bytes
 * themselves are not its business. An object keeps its slot until it is removed, also when compaction moves it.
 * Members of the family:
 *
 *   regions    128 KiB regions of 16-byte chunks, filled in order (Windows)          space_regions.c
 *   zsmalloc   size classes of several linked pages (zram)                           space_zsmalloc.c, zsmalloc_classes.c
 *   zbud       at most two objects in a page (zswap, until Linux 6.16)               space_buddies.c
 *   z3fold     at most three                                                         space_buddies.c
 *   ideal      exactly what is asked for                                             space_ideal.c
 *
 * To add one, write a file with a `const struct pl_space_ops`, declare it in space_list.h and add its row in
 * space.c. */
#ifndef PL_STORE_SPACE_H
#define PL_STORE_SPACE_H

#include "base/error.h"

/* How zsmalloc chooses the length of a chain: zsmalloc_classes.h. */
enum pl_zs_rule {
    PL_ZS_LEAST_WASTE, /* Linux 6.18, as measured */
    PL_ZS_MOST_USED,   /* the kernel documentation's table */
};

/* Zero means the organisation's own value. */
struct pl_space_params {
    uint32_t page_size;    /* bytes, a power of two from 512 to 65536; must be given */
    uint32_t chain_pages;  /* zsmalloc: most pages linked for a class, 1 to 16; 8 as the kernel is configured by default */
    enum pl_zs_rule chain_rule;
    uint32_t region_bytes; /* regions: 128 KiB; at most 16 MiB */
    uint32_t chunk_bytes;  /* regions: 16; a power of two */
};

struct pl_space_usage {
    uint64_t objects;
    uint64_t object_bytes; /* the sizes asked for */
    uint64_t used_bytes;   /* pages taken for them, whole ones */
    uint64_t units;        /* regions, zspages or pages */
    uint64_t unit_bytes_free; /* of used_bytes: holes that later objects can fill, or that compaction could give back */
};

/* What one compaction did, so that its time can be charged. */
struct pl_compaction {
    uint64_t objects_moved, bytes_moved, bytes_freed;
};

struct pl_space;

struct pl_space_ops {
    const char *name;      /* as written in machine files */
    const char *about;     /* one line */
    uint32_t record_bytes; /* bookkeeping per stored page in the system that uses it; the member's file says from what */
    bool records_inside;   /* the records count against the store's own limit */
    enum pl_err (*create)(const struct pl_space_params *params, struct pl_space **out, struct pl_error *err);
    void (*destroy)(struct pl_space *space);
    /* The slot of a new object of 1 to largest_object bytes. */
    enum pl_err (*insert)(struct pl_space *space, uint32_t size, uint32_t *slot, struct pl_error *err);
    uint64_t (*grows_by)(const struct pl_space *space, uint32_t size); /* bytes that inserting an object would add */
    void (*remove)(struct pl_space *space, uint32_t slot);
    uint64_t (*used_bytes)(const struct pl_space *space); /* cheap: asked at every insertion into a limited store */
    void (*usage)(const struct pl_space *space, struct pl_space_usage *out); /* fills units and unit_bytes_free */
    void (*compact)(struct pl_space *space, struct pl_compaction *out); /* NULL: nothing can be moved */
};

/* What all members begin with. */
struct pl_space {
    const struct pl_space_ops *ops;
    struct pl_space_params params; /* with the organisation's own values filled in */
    uint32_t largest_object; /* bytes; larger ones cannot be stored at all */
    uint32_t raw_from;       /* a page that does not shrink below this size takes as much as a raw one */
    uint64_t most_growth;    /* bytes that one insertion may add */
    uint64_t objects, object_bytes;
};

enum pl_err pl_space_create(const struct pl_space_ops *ops, const struct pl_space_params *params, struct pl_space **out,
                            struct pl_error *err);
void pl_space_destroy(struct pl_space *space); /* NULL is allowed */
enum pl_err pl_space_insert(struct pl_space *space, uint32_t size, uint32_t *slot, struct pl_error *err);
void pl_space_remove(struct pl_space *space, uint32_t slot, uint32_t size); /* the size it was inserted with */
static inline uint64_t pl_space_used_bytes(const struct pl_space *space)
{
    return space->ops->used_bytes(space);
}
static inline uint64_t pl_space_grows_by(const struct pl_space *space, uint32_t size)
{
    return space->ops->grows_by(space, size);
}
struct pl_space_usage pl_space_usage(const struct pl_space *space);
/* Moves objects together. On a lack of memory for bookkeeping it ends early; the space stays whole. */
struct pl_compaction pl_space_compact(struct pl_space *space);

/* All organisations, in the order of the help; ends with NULL. */
extern const struct pl_space_ops *const pl_spaces[];
/* On an unknown name fails with PL_ERR_INPUT; the message names the nearest one. */
enum pl_err pl_space_find(const char *name, const struct pl_space_ops **out, struct pl_error *err);

#endif
