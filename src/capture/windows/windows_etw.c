/* capture/windows/windows_etw.c: back end `etw`: page faults as the kernel logs them, into an .etl file, and from that
 * into the trace.
 *
 * A system logger session of our own (Windows 8 and later; the one "NT Kernel Logger" before) logs faults of every
 * kind, hard faults with their files, allocations, processes, threads and images to a file: a file needs nobody who
 * reads along, and what is lost is counted in it. At the end the file is read by the same code as everywhere
 * (trace/etl/etl.h).
 *
 * A session that starts proves nothing: whether a file with events came of it does. The reference set (opt-in) empties
 * the working sets of the whole system at its start and end, and then logs the first access to each page in between. */
#include "capture/os.h"
#include "capture/windows/windows_target.h"
#include "trace/etl/etl.h"

#include <evntrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum {
    /* process, thread, image, disk I/O with file names, all faults, hard faults, VirtualAlloc, mapped files */
    FLAGS = 0x0000F307,
    REFERENCE_SET =
        0x00C80029, /* of group mask 1: memory, footprint, reference set, memory info, sections, working sets */
    SYSTEM_LOGGER = 0x02000000,
    BUFFER_KB = 1024,
    PATH_ROOM = 1024,
    ENABLE_FLAGS_INFO = 4,
};

typedef ULONG WINAPI start_fn(TRACEHANDLE *, const WCHAR *, EVENT_TRACE_PROPERTIES *);
typedef ULONG WINAPI control_fn(TRACEHANDLE, const WCHAR *, EVENT_TRACE_PROPERTIES *, ULONG);
typedef ULONG WINAPI set_fn(TRACEHANDLE, int, void *, ULONG);

struct session {
    start_fn *start;
    control_fn *control;
    set_fn *set;
    TRACEHANDLE handle;
    WCHAR name[64];
    WCHAR path[PATH_ROOM];
    bool started, keep;
};

struct properties {
    EVENT_TRACE_PROPERTIES head;
    WCHAR name[64];
    WCHAR path[PATH_ROOM];
};

static const GUID kernel_logger_id = {0x9e814aad, 0x3204, 0x11d2, {0x9a, 0x82, 0x00, 0x60, 0x08, 0xa8, 0x69, 0x39}};
static const GUID own_id = {0x5b1f0a3e, 0x7c42, 0x4d7a, {0x9e, 0x11, 0x70, 0x61, 0x67, 0x65, 0x6c, 0x62}};

/* --- the session ---------------------------------------------------------------------------- */
static void fill(const struct session *session, bool own, struct properties *out)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    ULONG least = 4 * info.dwNumberOfProcessors;
    memset(out, 0, sizeof *out);
    out->head.Wnode.BufferSize = sizeof *out;
    out->head.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
    out->head.Wnode.ClientContext = 1; /* QueryPerformanceCounter */
    out->head.Wnode.Guid = own ? own_id : kernel_logger_id;
    out->head.BufferSize = BUFFER_KB;
    out->head.MinimumBuffers = least < 64 ? 64 : least;
    out->head.MaximumBuffers = out->head.MinimumBuffers + 128;
    out->head.LogFileMode = EVENT_TRACE_FILE_MODE_SEQUENTIAL | (own ? SYSTEM_LOGGER : 0);
    out->head.EnableFlags = FLAGS;
    out->head.LoggerNameOffset = offsetof(struct properties, name);
    out->head.LogFileNameOffset = offsetof(struct properties, path);
    wcscpy(out->name, session->name);
    wcscpy(out->path, session->path);
}

static enum pl_err explain(ULONG code, struct pl_error *err)
{
    if (code == ERROR_ACCESS_DENIED || code == ERROR_PRIVILEGE_NOT_HELD)
        return pl_fail(err, PL_ERR_RESOURCE, "kernel events take an administrator: run as administrator");
    if (code == ERROR_ALREADY_EXISTS)
        return pl_fail(err, PL_ERR_RESOURCE, "the kernel's one logger is in use by another tool");
    if (code == ERROR_NO_SYSTEM_RESOURCES)
        return pl_fail(err, PL_ERR_RESOURCE,
                       "all sessions of the kernel's events are taken (at most eight); 'logman query -ets' lists them");
    return windows_fail(err, code, "the session of kernel events does not start");
}

static enum pl_err start_session(struct session *session, bool reference_set, struct pl_error *err)
{
    struct properties properties;
    session->start = (start_fn *)windows_function("advapi32.dll", "StartTraceW");
    session->control = (control_fn *)windows_function("advapi32.dll", "ControlTraceW");
    session->set = (set_fn *)windows_function("advapi32.dll", "TraceSetInformation");
    if (!session->start || !session->control)
        return pl_fail(err, PL_ERR_RESOURCE, "this Windows has no event tracing");
    windows_privilege("SeSystemProfilePrivilege");
    swprintf(session->name, 64, L"pagecap-%lu", GetCurrentProcessId());
    fill(session, true, &properties);
    ULONG code = session->start(&session->handle, session->name, &properties.head);
    if (code == ERROR_INVALID_PARAMETER) { /* before Windows 8 */
        wcscpy(session->name, L"NT Kernel Logger");
        fill(session, false, &properties);
        code = session->start(&session->handle, session->name, &properties.head);
    }
    if (code != ERROR_SUCCESS)
        return explain(code, err);
    session->started = true;
    if (!reference_set)
        return PL_OK;
    ULONG masks[8] = {FLAGS, REFERENCE_SET};
    code = session->set ? session->set(session->handle, ENABLE_FLAGS_INFO, masks, sizeof masks)
                        : ERROR_CALL_NOT_IMPLEMENTED;
    return code == ERROR_SUCCESS ? PL_OK : windows_fail(err, code, "this Windows does not log a reference set");
}

/* Stops it; *lost gets events that the session says were lost, so many buffers counted as one each. */
static void stop_session(struct session *session, uint64_t *lost)
{
    struct properties properties;
    if (!session->started)
        return;
    fill(session, true, &properties);
    if (session->control(session->handle, NULL, &properties.head, EVENT_TRACE_CONTROL_STOP) == ERROR_SUCCESS && lost)
        *lost = (uint64_t)properties.head.EventsLost + properties.head.LogBuffersLost;
    session->started = false;
}

static enum pl_err choose_path(struct session *session, const char *wanted, struct pl_error *err)
{
    WCHAR folder[PATH_ROOM - 64];
    session->keep = wanted != NULL;
    if (wanted) {
        if (!MultiByteToWideChar(CP_ACP, 0, wanted, -1, session->path, PATH_ROOM))
            return pl_fail(err, PL_ERR_USAGE, "%s: the path is too long", wanted);
        return PL_OK;
    }
    DWORD length = GetTempPathW(PATH_ROOM - 64, folder);
    if (!length || length >= PATH_ROOM - 64)
        return windows_fail(err, GetLastError(), "no folder for temporary files");
    swprintf(session->path, PATH_ROOM, L"%lspagecap-%lu.etl", folder, GetCurrentProcessId());
    DeleteFileW(session->path);
    return PL_OK;
}

static void drop_file(const struct session *session)
{
    if (!session->keep)
        DeleteFileW(session->path);
}

/* --- what it logged ----------------------------------------------------------------------------- */
struct log {
    const uint8_t *bytes;
    uint64_t length;
    struct pl_etl *etl;
};

/* A system that pretends leaves no file, or one without events. */
static enum pl_err open_log(const struct session *session, struct log *out, struct pl_error *err)
{
    char path[PATH_ROOM];
    struct log log = {.bytes = NULL};
    if (GetFileAttributesW(session->path) == INVALID_FILE_ATTRIBUTES)
        return pl_fail(err, PL_ERR_RESOURCE, "the session of kernel events starts, but writes no file%s",
                       windows_wine_version() ? " (wine only pretends)" : "");
    if (!WideCharToMultiByte(CP_ACP, 0, session->path, -1, path, sizeof path, NULL, NULL))
        return pl_fail(err, PL_ERR_RESOURCE, "the path of the log is too long");
    enum pl_err rc = pl_os_file_map(path, &log.bytes, &log.length, err);
    if (rc == PL_OK)
        rc = pl_etl_open(log.bytes, log.length, path, NULL, &log.etl, err);
    if (rc == PL_OK && pl_etl_info(log.etl)->events == 0)
        rc = pl_fail(err, PL_ERR_RESOURCE, "the session of kernel events logged nothing");
    if (rc == PL_OK) {
        *out = log;
        return PL_OK;
    }
    pl_etl_close(log.etl);
    if (log.bytes)
        pl_os_file_unmap(log.bytes, log.length);
    if (err)
        err->code = PL_ERR_RESOURCE;
    return PL_ERR_RESOURCE;
}

static void close_log(struct log *log)
{
    pl_etl_close(log->etl);
    pl_os_file_unmap(log->bytes, log->length);
}

static enum pl_err record(const struct log *log, uint32_t only, struct pl_recorder *recorder, struct pl_error *err)
{
    struct pl_etl_event event;
    const struct pl_etl_info *info = pl_etl_info(log->etl);
    enum pl_err rc = PL_OK;
    if (info->events_lost + info->buffers_lost)
        pl_recorder_lost(recorder, info->events_lost + info->buffers_lost, 0);
    while (!pl_recorder_full(recorder) && (rc = pl_etl_next(log->etl, &event, err)) == PL_OK) {
        struct pl_etl_fault fault;
        if (!pl_etl_fault(log->etl, &event, &fault))
            continue;
        if (only && fault.process != only)
            continue;
        pl_recorder_actor(recorder, fault.process, fault.thread,
                          pl_etl_process_name(log->etl, fault.process, event.ticks));
        pl_recorder_touch(recorder, (enum pl_kind)fault.kind, fault.address, 0, pl_etl_time(log->etl, event.ticks));
    }
    return rc == PL_END ? PL_OK : rc;
}

/* --- probe and capture ------------------------------------------------------------------------------ */
static enum pl_err probe(struct pl_error *why)
{
    enum { MOMENT_MS = 100 };
    struct session session = {.started = false};
    struct log log;
    enum pl_err rc = choose_path(&session, NULL, why);
    if (rc == PL_OK)
        rc = start_session(&session, false, why);
    if (rc == PL_OK) {
        Sleep(MOMENT_MS);
        stop_session(&session, NULL);
        rc = open_log(&session, &log, why);
        if (rc == PL_OK)
            close_log(&log);
        drop_file(&session);
    }
    return rc;
}

static void wait_for(const struct target *target, const struct pl_capture_request *request,
                     struct pl_capture_result *result)
{
    enum { STEP_MS = 50 };
    while (!target_ended(target, STEP_MS, result) && !request->should_stop(request->user))
        ;
}

static enum pl_err judge(const struct target *target, const struct pl_recorder *recorder, struct pl_error *err)
{
    if (pl_recorder_counts(recorder).touches)
        return PL_OK;
    return pl_fail(err, PL_ERR_RESOURCE, "events were logged, but no page fault of %s is among them", target->name);
}

static enum pl_err capture(const struct pl_capture_request *request, struct pl_recorder *recorder,
                           struct pl_capture_result *result, struct pl_error *err)
{
    struct session session = {.started = false};
    struct target target;
    struct log log;
    enum pl_err rc = probe(err); /* before the program runs for nothing */
    if (rc == PL_OK)
        rc = choose_path(&session, request->log_path, err);
    if (rc == PL_OK)
        rc = target_open(request, 0, &target, err);
    if (rc)
        return rc;
    result->pid = target.pid;
    result->exit_status = -1;
    rc = start_session(&session, request->reference_set, err);
    if (rc == PL_OK) {
        target_go(&target);
        wait_for(&target, request, result);
    }
    stop_session(&session, &result->lost);
    if (rc == PL_OK)
        rc = open_log(&session, &log, err);
    if (rc == PL_OK) {
        rc = record(&log, request->children ? 0 : target.pid, recorder, err);
        close_log(&log);
    }
    if (rc == PL_OK)
        rc = judge(&target, recorder, err);
    drop_file(&session);
    target_close(&target, rc != PL_OK && result->exit_status < 0);
    return rc;
}

const struct pl_backend pl_backend_etw = {
    .name = "etw",
    .about = "page faults of every kind, as the kernel logs them (--log keeps the .etl)",
    .records = PL_RECORDS_FAULTS,
    .runs = true,
    .attaches = true,
    .children = true,
    .stacks = true, /* it sees them anyway */
    .rights = "administrator",
    .blind_to =
        "touches of resident pages, reads against writes, large pages; events that buffers had no room for are counted",
    .probe = probe,
    .capture = capture,
};
