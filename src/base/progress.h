/* base/progress.h: how far a long run is, for someone who watches.
 *
 * The library only reports numbers to a callback that the caller gave; src/cmd draws the line ("curve: 41 % 12.3 M
 * accesses/s, 8 s left"), on a terminal in the foreground, after one second, at most five times a second. */
#ifndef PL_BASE_PROGRESS_H
#define PL_BASE_PROGRESS_H

#include "base/types.h"

struct pl_progress {
    /* `done` out of `total` (0 when the total is not known). Returns false to ask for a clean stop (Ctrl-C); the
     * function then returns PL_END early with what it has, or fails, as its header says. */
    bool (*report)(void *user, uint64_t done, uint64_t total);
    void *user;
};

/* Safe on NULL. Cheap enough for every batch, not for every access. */
static inline bool pl_progress_report(const struct pl_progress *progress, uint64_t done, uint64_t total)
{
    return progress && progress->report ? progress->report(progress->user, done, total) : true;
}

#endif
