/* store/slots.c: the slot table. */
#include "store/slots.h"
#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

void pl_slots_init(struct pl_slots *slots)
{
    *slots = (struct pl_slots){.free = PL_NO_SLOT};
}

void pl_slots_free(struct pl_slots *slots)
{
    free(slots->slot);
    pl_slots_init(slots);
}

void pl_slots_link(struct pl_slots *slots, uint32_t unit, uint32_t *first, uint32_t slot)
{
    struct pl_slot *s = &slots->slot[slot];
    s->unit = unit;
    s->next = *first;
    s->prev = PL_NO_SLOT;
    if (*first != PL_NO_SLOT)
        slots->slot[*first].prev = slot;
    *first = slot;
}

enum pl_err pl_slots_add(struct pl_slots *slots, uint32_t unit, uint32_t *first, uint32_t size, uint32_t *out,
                         struct pl_error *err)
{
    uint32_t slot = slots->free;
    if (slot != PL_NO_SLOT) {
        slots->free = slots->slot[slot].next;
    } else {
        if (slots->count == PL_NO_SLOT)
            return pl_fail(err, PL_ERR_RESOURCE, "a store of more than %u objects", PL_NO_SLOT);
        enum pl_err rc = pl_grow((void **)&slots->slot, &slots->capacity, (size_t)slots->count + 1,
                                 sizeof(slots->slot[0]), "the store's slots", err);
        if (rc)
            return rc;
        slot = slots->count++;
    }
    slots->slot[slot].size = size;
    pl_slots_link(slots, unit, first, slot);
    *out = slot;
    return PL_OK;
}

void pl_slots_unlink(struct pl_slots *slots, uint32_t *first, uint32_t slot, bool release)
{
    struct pl_slot *s = &slots->slot[slot];
    if (s->prev != PL_NO_SLOT)
        slots->slot[s->prev].next = s->next;
    else {
        assert(*first == slot);
        *first = s->next;
    }
    if (s->next != PL_NO_SLOT)
        slots->slot[s->next].prev = s->prev;
    if (release) {
        s->unit = PL_NO_SLOT;
        s->next = slots->free;
        slots->free = slot;
    }
}
