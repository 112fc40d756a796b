/* device/lock.h: a lock as a server, passive like the devices (device.h says how to drive them).
 *
 * pl_lock_acquire asks for it; when pl_lock_next_ps comes, pl_lock_complete names who holds it now; the holder calls
 * pl_lock_release. Handing a spin lock over takes longer the more spin on it, as every one of them fetches its cache
 * line, and any of them may get it (T. Anderson 1990; S. Boyd-Wickizer and others, "Non-scalable locks are
 * dangerous", 2012); a queued lock passes to who came first, at a constant cost, as each spins on a line of his own
 * (J. Mellor-Crummey and M. Scott 1991). Both spin while they wait: who waits is to be kept busy on a processor
 * (PL_CPU_UNTIL_STOPPED, `spins`) until he holds the lock. On a sleeping lock who waits is to leave his processor; it
 * passes to who came first, and the hand-over is the time in which he wakes up. */
#ifndef PL_DEVICE_LOCK_H
#define PL_DEVICE_LOCK_H

#include "base/parameter.h"
#include "device/histogram.h"

#define PL_LOCK_IDLE_PS INT64_MAX

enum pl_lock_kind { PL_LOCK_SPIN, PL_LOCK_QUEUED, PL_LOCK_SLEEP };

struct pl_lock_params {
    int kind;                  /* enum pl_lock_kind */
    pl_time_ps acquire_ps;     /* of a lock that nobody holds */
    pl_time_ps hand_over_ps;   /* from release to the next holder */
    pl_time_ps per_spinner_ps; /* spin: and this for each that spins at the release, the next holder among them */
};
extern const struct pl_parameter pl_lock_parameters[]; /* offsets in struct pl_lock_params */

struct pl_lock;

/* `seed` and `name` name the random stream that picks the next holder of a spin lock. */
enum pl_err pl_lock_create(const struct pl_lock_params *params, const char *name, uint64_t seed, struct pl_lock **out,
                           struct pl_error *err);
void pl_lock_destroy(struct pl_lock *lock); /* NULL is allowed */

enum pl_err pl_lock_acquire(struct pl_lock *lock, pl_time_ps now_ps, uint64_t cookie, struct pl_error *err);
bool pl_lock_is_free(const struct pl_lock *lock); /* who asks now does not wait for anybody */
pl_time_ps pl_lock_next_ps(const struct pl_lock *lock);
uint64_t pl_lock_complete(struct pl_lock *lock, pl_time_ps now_ps); /* the cookie of the one who holds it from now on */
void pl_lock_release(struct pl_lock *lock, pl_time_ps now_ps);      /* must be held */

struct pl_lock_stats {
    uint64_t acquired, contended; /* contended: it was not free when asked for */
    uint64_t waiting, most_waiting;
    pl_sum held_ps, hand_over_ps; /* time in which it was held, and on its way to a holder */
    pl_sum spin_ps;               /* time spent by all who waited, the next holder during the hand-over among them */
    const struct pl_histogram *wait_ps; /* from asking to holding */
};
void pl_lock_stats(struct pl_lock *lock, pl_time_ps now_ps, struct pl_lock_stats *out);

#endif
