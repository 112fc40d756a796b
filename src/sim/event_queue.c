/* sim/event_queue.c: an implicit 4-ary heap.
 *
 *                 3                     the root is at index 3, so that the four children of any event
 *        4     5     6     7            begin at a multiple of four: 128 bytes, two cache lines
 *     8..11  12..15  ...                children of i: 4 (i - 2) ...;  parent of i: i / 4 + 2
 *
 * Four children instead of two halve the depth, and choosing among four neighbours in the cache costs less than the
 * misses of another level. Sifting moves a hole, not the event, so each level costs one copy. */
#include "sim/event_queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ROOT = 3, ALIGNMENT = 128, FIRST_CAPACITY = 253 };

static inline bool is_before(const struct pl_event *a, const struct pl_event *b)
{
    return a->time_ps < b->time_ps || (a->time_ps == b->time_ps && a->sequence < b->sequence);
}

static enum pl_err reserve(struct pl_event_queue *queue, size_t capacity, struct pl_error *err)
{
    /* Whole groups of four, the three unused places at the front among them. */
    if (capacity > SIZE_MAX / sizeof *queue->heap / 2)
        return pl_fail_memory(err, SIZE_MAX, "the event queue");
    size_t places = (capacity + ROOT + 3) / 4 * 4;
    struct pl_event *heap = aligned_alloc(ALIGNMENT, places * sizeof *heap);
    if (!heap)
        return pl_fail_memory(err, places * sizeof *heap, "the event queue");
    if (queue->count)
        memcpy(heap + ROOT, queue->heap + ROOT, queue->count * sizeof *heap);
    free(queue->heap);
    queue->heap = heap;
    queue->capacity = places - ROOT;
    return PL_OK;
}

enum pl_err pl_event_queue_open(struct pl_event_queue *queue, size_t capacity, struct pl_error *err)
{
    struct pl_event_queue opened = {.now_ps = INT64_MIN};
    enum pl_err rc = reserve(&opened, capacity ? capacity : FIRST_CAPACITY, err);
    if (rc == PL_OK)
        *queue = opened;
    return rc;
}

void pl_event_queue_close(struct pl_event_queue *queue)
{
    free(queue->heap);
    *queue = (struct pl_event_queue){0};
}

/* Moves the hole at `hole` up to where `event` belongs, and puts it there. */
static void sift_up(struct pl_event *heap, size_t hole, const struct pl_event *event)
{
    while (hole > ROOT) {
        size_t parent = hole / 4 + 2;
        if (!is_before(event, &heap[parent]))
            break;
        heap[hole] = heap[parent];
        hole = parent;
    }
    heap[hole] = *event;
}

/* The earliest of the children that begin at `first`; `end` is behind the last event. */
static inline size_t earliest(const struct pl_event *heap, size_t first, size_t end)
{
    size_t best = first, last = first + 4 < end ? first + 4 : end;
    for (size_t child = first + 1; child < last; child++)
        if (is_before(&heap[child], &heap[best]))
            best = child;
    return best;
}

/* Moves the hole at the root down to where `event` belongs, and puts it there. */
static void sift_down(struct pl_event *heap, size_t end, const struct pl_event *event)
{
    size_t hole = ROOT;
    for (size_t first = 4 * (hole - 2); first < end; first = 4 * (hole - 2)) {
        size_t child = earliest(heap, first, end);
        if (!is_before(&heap[child], event))
            break;
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = *event;
}

enum pl_err pl_event_queue_push(struct pl_event_queue *queue, pl_time_ps time_ps, uint32_t kind, uint32_t target,
                                uint64_t payload, struct pl_error *err)
{
    assert(time_ps >= queue->now_ps);
    if (queue->count == queue->capacity) {
        enum pl_err rc = reserve(queue, queue->capacity * 2, err);
        if (rc)
            return rc;
    }
    struct pl_event event = {time_ps, queue->pushed++, kind, target, payload};
    sift_up(queue->heap, ROOT + queue->count++, &event);
    return PL_OK;
}

bool pl_event_queue_pop(struct pl_event_queue *queue, struct pl_event *out)
{
    if (queue->count == 0)
        return false;
    *out = queue->heap[ROOT];
    queue->count--;
    if (queue->count) {
        size_t end = ROOT + queue->count;
        sift_down(queue->heap, end, &queue->heap[end]);
    }
    assert(out->time_ps >= queue->now_ps);
    queue->now_ps = out->time_ps;
    return true;
}
