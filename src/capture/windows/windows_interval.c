/* capture/windows/windows_interval.c: back end `interval`: which pages were touched in each interval, by the agent's
 * guard pages (agent_sample.c). */
#include "capture/windows/agent_host.h"

/* An interval is a phase of the trace. */
static void on_record(void *user, const struct agent_record *record, struct pl_recorder *recorder, pl_time_ps time)
{
    (void)user;
    if (record->type == AGENT_MARK)
        pl_recorder_phase(recorder, "interval", time);
}

static enum pl_err capture(const struct pl_capture_request *request, struct pl_recorder *recorder,
                           struct pl_capture_result *result, struct pl_error *err)
{
    const struct agent_host_mode mode = {.mode = AGENT_INTERVAL, .record = on_record};
    return agent_host_capture(request, &mode, recorder, result, err);
}

const struct pl_backend pl_backend_interval = {
    .name = "interval",
    .about = "the first access to each page in each interval, by guard pages that are set again",
    .records = PL_RECORDS_INTERVAL,
    .runs = true,
    .attaches = true,
    .rights = "none for your own programs",
    .blind_to =
        "later accesses in an interval (a write behind a read), stacks, images, large pages, the kernel's accesses",
    .probe = agent_host_probe,
    .capture = capture,
};
