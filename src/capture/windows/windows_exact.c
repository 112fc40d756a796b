/* capture/windows/windows_exact.c: back end `exact`: every access to traced regions, by the agent (agent_exact.c). */
#include "capture/windows/agent_host.h"

static enum pl_err capture(const struct pl_capture_request *request, struct pl_recorder *recorder,
                           struct pl_capture_result *result, struct pl_error *err)
{
    const struct agent_host_mode mode = {.mode = AGENT_EXACT};
    return agent_host_capture(request, &mode, recorder, result, err);
}

const struct pl_backend pl_backend_exact = {
    .name = "exact",
    .about = "every access to the traced regions, in order, by no-access pages and single steps (slow)",
    .records = PL_RECORDS_ACCESSES,
    .runs = true,
    .attaches = true,
    .rights = "none for your own programs",
    .slow = "each access takes some 40 us: a second of work becomes hours; -b interval and -b writes are quick",
    .blind_to =
        "stacks, images, small heap blocks, large pages, and what the kernel touches but for files read and written",
    .probe = agent_host_probe,
    .capture = capture,
};
