/* device/lock.c: a lock as a server.
 *
 *   free -> on its way (acquire_ps, or hand_over_ps and per_spinner_ps for each) -> held -> free, or on its way again
 *
 * The waiting stand in a ring in the order of their coming; a spin lock swaps one of them, chosen at random, to the
 * front.
 *
 * What this does not model: spinners slowing down the holder's own work, exponential back-off, waiters that sleep only
 * after a while or give up, and readers that share. */
#include "device/lock.h"

#include "base/random.h"

#include <assert.h>
#include <stdlib.h>

static const char *const kinds[] = {"spin", "queued", "sleep", NULL};

#define FIELD(name) offsetof(struct pl_lock_params, name)
const struct pl_parameter pl_lock_parameters[] = {
    {"kind", PL_PARAM_CHOICE, FIELD(kind), NULL, "spin", NULL, NULL,
     "spin: whoever catches it, the slower the more spin; queued: in order of coming; sleep: in order, and who waits sleeps",
     kinds},
    {"acquire", PL_PARAM_TIME, FIELD(acquire_ps), "ns", "0", NULL, "1s", "taking a lock that is free"},
    {"hand_over", PL_PARAM_TIME, FIELD(hand_over_ps), "ns", "0", NULL, "1s", "from release to the next holder"},
    {"per_spinner", PL_PARAM_TIME, FIELD(per_spinner_ps), "ns", "0", NULL, "1s",
     "kind spin: and this for each that spins"},
    {NULL},
};
#undef FIELD

struct waiter {
    uint64_t cookie;
    pl_time_ps since_ps;
};

enum state { FREE, ON_ITS_WAY, HELD };

struct pl_lock {
    struct pl_lock_params params;
    struct pl_random random;
    enum state state;
    struct waiter next; /* the one it is on its way to */
    pl_time_ps next_ps;
    struct waiter *ring; /* `waiting` of them from `front` on; capacity is a power of two */
    size_t front, waiting, capacity;

    pl_time_ps last_ps;
    uint64_t acquired, contended, most_waiting;
    pl_sum held_ps, hand_over_ps, spin_ps;
    struct pl_histogram wait_ps;
};

enum pl_err pl_lock_create(const struct pl_lock_params *params, const char *name, uint64_t seed, struct pl_lock **out,
                           struct pl_error *err)
{
    struct pl_lock *lock = calloc(1, sizeof *lock);
    if (!lock)
        return pl_fail_memory(err, sizeof *lock, name);
    lock->params = *params;
    lock->random = pl_random_named(seed, name);
    lock->next_ps = PL_LOCK_IDLE_PS;
    *out = lock;
    return PL_OK;
}

void pl_lock_destroy(struct pl_lock *lock)
{
    if (!lock)
        return;
    free(lock->ring);
    free(lock);
}

/* Brings all sums up to `now_ps`; to be called before anything changes. */
static void account(struct pl_lock *lock, pl_time_ps now_ps)
{
    assert(now_ps >= lock->last_ps);
    pl_sum passed = (pl_sum)(now_ps - lock->last_ps);
    lock->held_ps += lock->state == HELD ? passed : 0;
    lock->hand_over_ps += lock->state == ON_ITS_WAY ? passed : 0;
    lock->spin_ps += passed * (lock->waiting + (lock->state == ON_ITS_WAY));
    lock->last_ps = now_ps;
}

void pl_lock_stats(struct pl_lock *lock, pl_time_ps now_ps, struct pl_lock_stats *out)
{
    account(lock, now_ps);
    *out = (struct pl_lock_stats){
        .acquired = lock->acquired, .contended = lock->contended, .waiting = lock->waiting,
        .most_waiting = lock->most_waiting, .held_ps = lock->held_ps, .hand_over_ps = lock->hand_over_ps,
        .spin_ps = lock->spin_ps, .wait_ps = &lock->wait_ps,
    };
}

/* --- the waiting -------------------------------------------------------------------- */

static struct waiter *at(struct pl_lock *lock, size_t index)
{
    return &lock->ring[(lock->front + index) & (lock->capacity - 1)];
}

static enum pl_err grow(struct pl_lock *lock, struct pl_error *err)
{
    size_t capacity = lock->capacity ? 2 * lock->capacity : 16;
    struct waiter *ring = calloc(capacity, sizeof *ring);
    if (!ring)
        return pl_fail_memory(err, capacity * sizeof *ring, "those who wait for a lock");
    for (size_t i = 0; i < lock->waiting; i++)
        ring[i] = *at(lock, i);
    free(lock->ring);
    lock->ring = ring;
    lock->front = 0;
    lock->capacity = capacity;
    return PL_OK;
}

static struct waiter take_next(struct pl_lock *lock)
{
    size_t chosen = lock->params.kind == PL_LOCK_SPIN ? pl_random_below(&lock->random, lock->waiting) : 0;
    struct waiter next = *at(lock, chosen);
    *at(lock, chosen) = *at(lock, 0);
    lock->front = (lock->front + 1) & (lock->capacity - 1);
    lock->waiting--;
    return next;
}

/* --- the interface --------------------------------------------------------------------- */

enum pl_err pl_lock_acquire(struct pl_lock *lock, pl_time_ps now_ps, uint64_t cookie, struct pl_error *err)
{
    struct waiter waiter = {cookie, now_ps};
    if (lock->state != FREE && lock->waiting == lock->capacity) {
        enum pl_err rc = grow(lock, err);
        if (rc)
            return rc;
    }
    account(lock, now_ps);
    if (lock->state == FREE) {
        lock->state = ON_ITS_WAY;
        lock->next = waiter;
        lock->next_ps = now_ps + lock->params.acquire_ps;
        return PL_OK;
    }
    *at(lock, lock->waiting++) = waiter;
    lock->contended++;
    if (lock->waiting > lock->most_waiting)
        lock->most_waiting = lock->waiting;
    return PL_OK;
}

bool pl_lock_is_free(const struct pl_lock *lock)
{
    return lock->state == FREE;
}

pl_time_ps pl_lock_next_ps(const struct pl_lock *lock)
{
    return lock->next_ps;
}

uint64_t pl_lock_complete(struct pl_lock *lock, pl_time_ps now_ps)
{
    assert(lock->state == ON_ITS_WAY && now_ps == lock->next_ps);
    account(lock, now_ps);
    lock->state = HELD;
    lock->next_ps = PL_LOCK_IDLE_PS;
    lock->acquired++;
    pl_histogram_add(&lock->wait_ps, (uint64_t)(now_ps - lock->next.since_ps));
    return lock->next.cookie;
}

void pl_lock_release(struct pl_lock *lock, pl_time_ps now_ps)
{
    assert(lock->state == HELD);
    account(lock, now_ps);
    lock->state = FREE;
    if (lock->waiting == 0)
        return;
    pl_time_ps cost_ps = lock->params.hand_over_ps;
    if (lock->params.kind == PL_LOCK_SPIN)
        cost_ps += lock->params.per_spinner_ps * (pl_time_ps)lock->waiting;
    lock->state = ON_ITS_WAY;
    lock->next = take_next(lock);
    lock->next_ps = now_ps + cost_ps;
}
