/* capture/windows/windows_writes.c: back end `writes`: which pages were written in each interval, by the system's write
 * watch (agent_sample.c). The hook asks for the watch when memory is reserved, so memory from before the agent is not
 * seen. */
#include "capture/windows/agent_host.h"

static void on_record(void *user, const struct agent_record *record, struct pl_recorder *recorder, pl_time_ps time)
{
    (void)user;
    if (record->type == AGENT_MARK)
        pl_recorder_phase(recorder, "interval", time);
}

static enum pl_err capture(const struct pl_capture_request *request, struct pl_recorder *recorder,
                           struct pl_capture_result *result, struct pl_error *err)
{
    const struct agent_host_mode mode = {.mode = AGENT_WRITES, .record = on_record};
    return agent_host_capture(request, &mode, recorder, result, err);
}

const struct pl_backend pl_backend_writes = {
    .name = "writes",
    .about = "which pages were written in each interval, by the write watch (nothing faults)",
    .records = PL_RECORDS_WRITES,
    .runs = true,
    .rights = "none for your own programs",
    .blind_to = "reads, the order within an interval, mapped files, memory reserved before the capture, large pages",
    .probe = agent_host_probe,
    .capture = capture,
};
