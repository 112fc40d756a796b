/* capture/linux/backends.h: the back ends of Linux, as their table sees them. */
#ifndef PL_CAPTURE_LINUX_BACKENDS_H
#define PL_CAPTURE_LINUX_BACKENDS_H

#include "capture/backend.h"

extern const struct pl_backend backend_exact, backend_interval, backend_faults, backend_snapshot;

#endif
