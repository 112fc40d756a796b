/* capture/windows/windows_backends.c: the back ends of Windows, best first. */
#include "capture/backend.h"

extern const struct pl_backend pl_backend_exact, pl_backend_interval, pl_backend_writes, pl_backend_faults,
    pl_backend_etw, pl_backend_snapshot, pl_backend_debug;

const struct pl_backend *const pl_backends[] = {
    &pl_backend_exact, &pl_backend_interval, &pl_backend_writes, &pl_backend_faults,
    &pl_backend_etw,   &pl_backend_snapshot, &pl_backend_debug,  NULL,
};
