/* device/slot_heap.c: slots in the order of a key. */
#include "device/slot_heap.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

static inline bool is_before(const struct slot_entry *a, const struct slot_entry *b)
{
    return a->key < b->key || (a->key == b->key && a->sequence < b->sequence);
}

void slot_heap_free(struct slot_heap *heap)
{
    free(heap->entry);
    *heap = (struct slot_heap){0};
}

enum pl_err slot_heap_reserve(struct slot_heap *heap, size_t count, struct pl_error *err)
{
    void *entry = heap->entry;
    enum pl_err rc = pl_grow(&entry, &heap->capacity, count, sizeof *heap->entry, "a device's queue", err);
    heap->entry = entry;
    return rc;
}

void slot_heap_push(struct slot_heap *heap, uint64_t key, uint32_t slot)
{
    assert(heap->count < heap->capacity);
    struct slot_entry entry = {key, heap->pushed++, slot};
    size_t hole = heap->count++;
    for (; hole > 0 && is_before(&entry, &heap->entry[(hole - 1) / 2]); hole = (hole - 1) / 2)
        heap->entry[hole] = heap->entry[(hole - 1) / 2];
    heap->entry[hole] = entry;
}

uint32_t slot_heap_pop(struct slot_heap *heap)
{
    assert(heap->count > 0);
    uint32_t slot = heap->entry[0].slot;
    struct slot_entry last = heap->entry[--heap->count];
    size_t hole = 0;
    for (size_t child = 1; child < heap->count; child = 2 * hole + 1) {
        if (child + 1 < heap->count && is_before(&heap->entry[child + 1], &heap->entry[child]))
            child++;
        if (!is_before(&heap->entry[child], &last))
            break;
        heap->entry[hole] = heap->entry[child];
        hole = child;
    }
    heap->entry[hole] = last;
    return slot;
}
