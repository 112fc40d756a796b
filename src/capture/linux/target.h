/* capture/linux/target.h: the captured program: started stopped, or found; whether it still runs. */
#ifndef PL_CAPTURE_TARGET_H
#define PL_CAPTURE_TARGET_H

#include "capture/backend.h"

#include <sys/types.h>

struct target {
    pid_t pid;
    bool ours;    /* we started it */
    bool ended;
    int status;   /* when it has ended: 0..255, or 128 + signal; -1 not known */
    int go;       /* it waits for a byte here before it becomes its program; -1: it runs */
    int failure;  /* it says here why it could not become its program; -1: asked */
};

/* Starts request->argv, which waits before exec until target_go, or finds request->pid. `environment`: NULL-terminated
 * NAME=VALUE to add, or NULL. */
enum pl_err target_start(const struct pl_capture_request *request, const char *const *environment, struct target *out,
                         struct pl_error *err);
/* Lets it go on; PL_ERR_INPUT when the program cannot be run. */
enum pl_err target_go(struct target *target, struct pl_error *err);
bool target_ended(struct target *target); /* does not wait */
/* A program of ours that outlives its capture is asked to end (the user stopped the capture), then waited for. */
void target_finish(struct target *target);
/* A program of ours that is not wanted any more, after a failure. */
void target_kill(struct target *target);

#endif
