/* store/slots.h: which unit (region, zspage, page) each object of a space lies in.
 *
 * A slot is an index that stays with an object for life. The objects of a unit form a list, so that compaction can
 * move them; units form lists by fullness. Both kinds of list are rings of 32-bit indices in growing arrays. */
#ifndef PL_STORE_SLOTS_H
#define PL_STORE_SLOTS_H

#include "base/error.h"

#define PL_NO_SLOT UINT32_MAX

struct pl_slot {
    uint32_t unit;
    uint32_t size; /* in the space's own grains */
    uint32_t next, prev; /* within the unit; `next` of a free slot is the next free one */
};

struct pl_slots {
    struct pl_slot *slot;
    size_t capacity;
    uint32_t count; /* ever used */
    uint32_t free;  /* first free one below count, or PL_NO_SLOT */
};

/* Units' own structs have their list links in front. */
struct pl_unit_links {
    uint32_t next, prev; /* in a list by fullness, or in the list of free units */
    uint32_t first;      /* the unit's objects */
};

void pl_slots_init(struct pl_slots *slots);
void pl_slots_free(struct pl_slots *slots);
/* A new slot in the unit whose first object is *first. */
enum pl_err pl_slots_add(struct pl_slots *slots, uint32_t unit, uint32_t *first, uint32_t size, uint32_t *out,
                         struct pl_error *err);
/* Takes the slot out of its unit's list; `release` frees it as well. */
void pl_slots_unlink(struct pl_slots *slots, uint32_t *first, uint32_t slot, bool release);
/* Puts an unlinked slot into another unit. */
void pl_slots_link(struct pl_slots *slots, uint32_t unit, uint32_t *first, uint32_t slot);

#endif
