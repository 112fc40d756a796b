/* device/slot_heap.h: slots in the order of a key. Private to device.
 *
 * A binary heap; equal keys come out in the order in which they went in. Used for what waits (the key is a block) and for
 * what is being served (the key is a time). The queues of one device are short, so nothing cleverer pays. */
#ifndef PL_DEVICE_SLOT_HEAP_H
#define PL_DEVICE_SLOT_HEAP_H

#include "base/error.h"

struct slot_entry {
    uint64_t key, sequence;
    uint32_t slot;
};

struct slot_heap { /* starts all zero */
    struct slot_entry *entry;
    size_t count, capacity;
    uint64_t pushed;
};

void slot_heap_free(struct slot_heap *heap);
enum pl_err slot_heap_reserve(struct slot_heap *heap, size_t count, struct pl_error *err);
void slot_heap_push(struct slot_heap *heap, uint64_t key, uint32_t slot); /* there must be room */
uint32_t slot_heap_pop(struct slot_heap *heap);                           /* there must be one */

#endif
