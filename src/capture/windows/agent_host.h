/* capture/windows/agent_host.h: the tool's end of the agent: brings it into the target and reads its ring.
 *
 * Every back end that works with the agent is one call of agent_host_capture with its mode; what they do with a record
 * is common but for snapshot's. */
#ifndef PL_CAPTURE_WINDOWS_AGENT_PARTS_HOST_H
#define PL_CAPTURE_WINDOWS_AGENT_PARTS_HOST_H

#include "capture/windows/agent_share.h"
#include "capture/windows/windows_target.h"

/* A record that the common part leaves to the back end (AGENT_RESIDENT, AGENT_MARK). May be NULL. */
typedef void agent_record_fn(void *user, const struct agent_record *record, struct pl_recorder *recorder,
                             pl_time_ps time);

struct agent_host_mode {
    enum agent_mode mode;
    agent_record_fn *record;
    void *user;
};

enum pl_err agent_host_capture(const struct pl_capture_request *request, const struct agent_host_mode *mode,
                               struct pl_recorder *recorder, struct pl_capture_result *result, struct pl_error *err);
/* Is the agent's DLL beside the program, and does it load? */
enum pl_err agent_host_probe(struct pl_error *why);

#endif
