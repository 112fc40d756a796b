/* capture/linux/backend_interval.c: which pages are touched in each interval, by an agent in the program
 * (agent/agent.h).
 *
 * The first touch of a page in an interval faults and is recorded (a read, and then also the first write); the page
 * stays open until the interval ends. The accessed bits of a processor, so to say, with the order of first touches. */
#include "capture/linux/agent_drive.h"
#include "capture/linux/backends.h"

static enum pl_err capture(const struct pl_capture_request *request, struct pl_recorder *recorder,
                           struct pl_capture_result *result, struct pl_error *err)
{
    return agent_drive_capture(request, recorder, true, result, err);
}

const struct pl_backend backend_interval = {
    .name = "interval",
    .about = "pages by interval, read and written: re-armed guards (an agent in the program)",
    .records = PL_RECORDS_INTERVAL,
    .runs = true,
    .attaches = false,
    .rights = "none; the program must be linked dynamically, for x86-64",
    .blind_to = "touches of a page after the first of an interval, stacks, the data of shared libraries, regions below "
                "--min-region, programs it starts",
    .probe = agent_drive_probe,
    .capture = capture,
};
