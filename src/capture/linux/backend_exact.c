/* capture/linux/backend_exact.c: every access, in order, by an agent in the program (agent/agent.h).
 *
 * The program runs some thousand times slower while it touches traced memory. */
#include "capture/linux/agent_drive.h"
#include "capture/linux/backends.h"

static enum pl_err capture(const struct pl_capture_request *request, struct pl_recorder *recorder,
                           struct pl_capture_result *result, struct pl_error *err)
{
    return agent_drive_capture(request, recorder, false, result, err);
}

const struct pl_backend backend_exact = {
    .name = "exact",
    .about = "every access in order: guarded pages and single steps (an agent in the program)",
    .records = PL_RECORDS_ACCESSES,
    .runs = true,
    .attaches = false,
    .rights = "none; the program must be linked dynamically, for x86-64",
    .slow = "each access takes some 30 us: a second of work becomes hours; -b interval is quick, valgrind's lackey "
        "(see pagelab trace convert) in between",
    .blind_to =
        "stacks, the data of shared libraries, regions below --min-region, programs it starts; other threads' touches "
        "of a page in the instant in which it is open for one step or a system call",
    .probe = agent_drive_probe,
    .capture = capture,
};
