/* capture/windows/windows_target.h: the process that is captured, and the words of Windows. For the back ends.
 *
 * `run` starts it suspended, so that a back end is ready before its first instruction; `attach` opens it. */
#ifndef PL_CAPTURE_WINDOWS_TARGET_H
#define PL_CAPTURE_WINDOWS_TARGET_H

#include "capture/backend.h"

#include <windows.h>

struct target {
    HANDLE process;
    HANDLE thread; /* its first one, when it was started by us; else NULL */
    DWORD pid;
    char name[64]; /* of the program, for the trace */
    LONGLONG start; /* QueryPerformanceCounter when it was opened */
    LONGLONG frequency;
};

/* `flags`: further ones for CreateProcess, such as DEBUG_ONLY_THIS_PROCESS; CREATE_SUSPENDED unless it is debugged. */
enum pl_err target_open(const struct pl_capture_request *request, DWORD flags, struct target *out,
                        struct pl_error *err);
void target_go(struct target *target); /* lets a started one run */
/* Has it ended, waiting at most so long? Then its exit status is in *result. */
bool target_ended(const struct target *target, DWORD wait_ms, struct pl_capture_result *result);
/* Closes the handles. `kill`: ends a process of ours that never ran. */
void target_close(struct target *target, bool kill);
/* Refuses 32-bit programs. */
enum pl_err target_check_64(const struct target *target, struct pl_error *err);
/* Picoseconds since it was opened. */
pl_time_ps target_time(const struct target *target, LONGLONG ticks);
pl_time_ps target_now(const struct target *target);

/* PL_ERR_RESOURCE with the system's words for an error code behind the message. */
enum pl_err windows_fail(struct pl_error *err, DWORD code, const char *format, ...) PL_PRINTF(3, 4);
/* The system's words for a code, without a line's end. Returns out. */
char *windows_reason(DWORD code, char *out, size_t size);
/* Enables a privilege of this process. False when it is not held. */
bool windows_privilege(const char *name);
/* Do we run with an administrator's rights? */
bool windows_is_elevated(void);
/* A function that not every Windows has, or NULL. */
void *windows_function(const char *library, const char *name);
/* Makes every page of a buffer present by registering it for I/O (windows_rio.c). */
enum pl_err windows_rio_touch(uint8_t *bytes, uint64_t size, struct pl_error *err);
/* The version of wine, or NULL on a real Windows. */
const char *windows_wine_version(void);

#endif
