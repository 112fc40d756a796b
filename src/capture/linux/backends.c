/* capture/linux/backends.c: the back ends of Linux, best first. */
#include "capture/linux/backends.h"

const struct pl_backend *const pl_backends[] = {
    &backend_exact, &backend_interval, &backend_faults, &backend_snapshot,
    NULL,
};
