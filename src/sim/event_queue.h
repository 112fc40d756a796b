/* sim/event_queue.h: what happens next, in virtual time.
 *
 * Events come out by time; events of the same time come out in the order in which they went in, so that a run depends on
 * its input and seed alone. The queue is also the clock: `now_ps` is the time of the last event taken out, and nothing
 * may be put in before it.
 *
 * There is no way to take an event back. Whoever may change his mind (a server whose next completion moves) checks, when
 * the event arrives, whether it still holds: see device/device.h. */
#ifndef PL_SIM_EVENT_QUEUE_H
#define PL_SIM_EVENT_QUEUE_H

#include "base/error.h"

#define PL_NEVER_PS INT64_MAX /* no event at all */

struct pl_event {
    pl_time_ps time_ps;
    uint64_t sequence; /* given by the queue: the number of events that went in before */
    uint32_t kind;     /* kind, target and payload are the caller's */
    uint32_t target;
    uint64_t payload;
};

/* The fields are private, but for now_ps. Four children lie in two cache lines: event i is at `heap[i + 3]`. */
struct pl_event_queue {
    pl_time_ps now_ps;
    struct pl_event *heap; /* aligned to 128 bytes */
    size_t count, capacity;
    uint64_t pushed;
};

/* Room for `capacity` events at first (0 = a sensible number); it doubles when it is full, so that a run stops allocating
 * once its largest number of pending events has been seen. */
enum pl_err pl_event_queue_open(struct pl_event_queue *queue, size_t capacity, struct pl_error *err);
void pl_event_queue_close(struct pl_event_queue *queue); /* allowed on a zeroed one, and twice */

/* `time_ps` must not be before queue->now_ps. Fails only when there is no memory; nothing changes then. */
enum pl_err pl_event_queue_push(struct pl_event_queue *queue, pl_time_ps time_ps, uint32_t kind, uint32_t target,
                                uint64_t payload, struct pl_error *err);

/* Takes the next event out and sets the clock to its time. False when there is none. */
bool pl_event_queue_pop(struct pl_event_queue *queue, struct pl_event *out);

static inline size_t pl_event_queue_count(const struct pl_event_queue *queue)
{
    return queue->count;
}

/* When the next event happens; PL_NEVER_PS when there is none. */
static inline pl_time_ps pl_event_queue_next_ps(const struct pl_event_queue *queue)
{
    return queue->count ? queue->heap[3].time_ps : PL_NEVER_PS;
}

#endif
