/* capture/windows/windows_target.c: starting and opening the process that is captured. */
#include "capture/windows/windows_target.h"

#include <stdlib.h>
#include <string.h>

/* One argument, quoted as the C run time of Windows takes a line apart: backslashes count only before a quote. */
static void add_argument(struct pl_text *line, const char *argument)
{
    size_t slashes = 0;
    if (line->length)
        pl_text_add(line, " ");
    if (*argument && !strpbrk(argument, " \t\"")) {
        pl_text_add(line, argument);
        return;
    }
    pl_text_add(line, "\"");
    for (const char *at = argument; *at; at++) {
        if (*at == '\\') {
            slashes++;
            continue;
        }
        for (size_t i = 0; i < (*at == '"' ? 2 * slashes + 1 : slashes); i++)
            pl_text_add(line, "\\");
        slashes = 0;
        pl_text_add_bytes(line, at, 1);
    }
    for (size_t i = 0; i < 2 * slashes; i++)
        pl_text_add(line, "\\");
    pl_text_add(line, "\"");
}

static void set_name(struct target *target, const char *path)
{
    const char *name = path;
    for (const char *at = path; *at; at++)
        if (*at == '\\' || *at == '/')
            name = at + 1;
    pl_printable(target->name, sizeof target->name, name, strlen(name));
}

static enum pl_err start(const struct pl_capture_request *request, DWORD flags, struct target *out,
                         struct pl_error *err)
{
    STARTUPINFOA info = {.cb = sizeof info};
    PROCESS_INFORMATION process;
    struct pl_text line = {0};
    for (char *const *argument = request->argv; *argument; argument++)
        add_argument(&line, *argument);
    if (line.failed || !line.data)
        return pl_fail_memory(err, 0, "the command line");
    if (!(flags & (DEBUG_PROCESS | DEBUG_ONLY_THIS_PROCESS)))
        flags |= CREATE_SUSPENDED;
    BOOL started = CreateProcessA(NULL, line.data, NULL, NULL, TRUE, flags, NULL, NULL, &info, &process);
    DWORD code = GetLastError();
    pl_text_free(&line);
    if (!started) {
        char shown[128];
        windows_fail(err, code, "cannot start '%s'",
                     pl_printable(shown, sizeof shown, request->argv[0], strlen(request->argv[0])));
        if (err)
            err->code = PL_ERR_INPUT;
        return PL_ERR_INPUT;
    }
    out->process = process.hProcess;
    out->thread = process.hThread;
    out->pid = process.dwProcessId;
    set_name(out, request->argv[0]);
    return PL_OK;
}

static enum pl_err attach(const struct pl_capture_request *request, struct target *out, struct pl_error *err)
{
    typedef BOOL WINAPI image_name_fn(HANDLE, DWORD, char *, DWORD *);
    image_name_fn *image_name = (image_name_fn *)windows_function("kernel32.dll", "QueryFullProcessImageNameA");
    char path[512] = "";
    DWORD length = sizeof path;
    windows_privilege("SeDebugPrivilege"); /* helps with processes of other users; not needed for one's own */
    out->pid = (DWORD)request->pid;
    out->process = OpenProcess(PROCESS_ALL_ACCESS, FALSE, out->pid);
    if (!out->process) {
        DWORD code = GetLastError();
        windows_fail(err, code, "cannot open process %lu", (unsigned long)out->pid);
        if (code == ERROR_INVALID_PARAMETER && err) /* there is none */
            err->code = PL_ERR_INPUT;
        return code == ERROR_INVALID_PARAMETER ? PL_ERR_INPUT : PL_ERR_RESOURCE;
    }
    if (image_name && image_name(out->process, 0, path, &length))
        set_name(out, path);
    return PL_OK;
}

enum pl_err target_open(const struct pl_capture_request *request, DWORD flags, struct target *out, struct pl_error *err)
{
    LARGE_INTEGER number;
    struct target target = {.process = NULL};
    QueryPerformanceFrequency(&number);
    target.frequency = number.QuadPart;
    QueryPerformanceCounter(&number);
    target.start = number.QuadPart;
    enum pl_err rc = request->argv ? start(request, flags, &target, err) : attach(request, &target, err);
    if (rc == PL_OK)
        *out = target;
    return rc;
}

void target_go(struct target *target)
{
    if (target->thread)
        ResumeThread(target->thread);
}

bool target_ended(const struct target *target, DWORD wait_ms, struct pl_capture_result *result)
{
    DWORD status;
    if (WaitForSingleObject(target->process, wait_ms) != WAIT_OBJECT_0)
        return false;
    if (GetExitCodeProcess(target->process, &status))
        result->exit_status = (int)(status > 255 ? 255 : status);
    return true;
}

void target_close(struct target *target, bool kill)
{
    if (kill && target->thread)
        TerminateProcess(target->process, 1);
    if (target->thread)
        CloseHandle(target->thread);
    if (target->process)
        CloseHandle(target->process);
    *target = (struct target){.process = NULL};
}

enum pl_err target_check_64(const struct target *target, struct pl_error *err)
{
    typedef BOOL WINAPI is_wow64_fn(HANDLE, BOOL *);
    is_wow64_fn *is_wow64 = (is_wow64_fn *)windows_function("kernel32.dll", "IsWow64Process");
    BOOL wow64 = FALSE;
    if (is_wow64 && is_wow64(target->process, &wow64) && wow64)
        return pl_fail(err, PL_ERR_RESOURCE,
                       "%s is a 32-bit program, and the agent is a 64-bit DLL; the back ends faults and etw see it",
                       target->name);
    return PL_OK;
}

pl_time_ps target_time(const struct target *target, LONGLONG ticks)
{
    LONGLONG since = ticks - target->start;
    if (since < 0)
        return 0;
    LONGLONG seconds = since / target->frequency, rest = since % target->frequency;
    return seconds * PL_PS_PER_S + (pl_time_ps)((double)rest * 1e12 / (double)target->frequency);
}

pl_time_ps target_now(const struct target *target)
{
    LARGE_INTEGER now;
    QueryPerformanceCounter(&now);
    return target_time(target, now.QuadPart);
}
