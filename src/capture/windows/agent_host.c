/* capture/windows/agent_host.c: bringing the agent in, and reading what it sees.
 *
 * The target is started suspended (or found running). A thread in it loads the DLL, which finds the shared section by
 * the process id, sets itself up and says so; then the program may run. The ring is read until the process ends or the
 * capture is to stop; a target that dies in the middle leaves what it had written. */
#include "capture/windows/agent_host.h"

#include <stdio.h>
#include <string.h>
#include <wchar.h>

enum { LOAD_MS = 60000, STOP_MS = 3000, IDLE_MS = 2, PATH_ROOM = 1024 };

struct host {
    struct target target;
    HANDLE section;
    struct agent_share *share;
    DWORD last_flush;
    bool said_end;
};

/* The DLL lies beside the program. */
static bool agent_path(WCHAR out[PATH_ROOM])
{
    DWORD length = GetModuleFileNameW(NULL, out, PATH_ROOM);
    if (!length || length >= PATH_ROOM - 32)
        return false;
    WCHAR *slash = wcsrchr(out, L'\\');
    wcscpy(slash ? slash + 1 : out, L"pagecap-agent.dll");
    return true;
}

enum pl_err agent_host_probe(struct pl_error *why)
{
    WCHAR path[PATH_ROOM];
    if (!agent_path(path) || GetFileAttributesW(path) == INVALID_FILE_ATTRIBUTES)
        return pl_fail(why, PL_ERR_RESOURCE, "pagecap-agent.dll is not beside pagecap.exe");
    return PL_OK;
}

/* --- the share ------------------------------------------------------------------------ */
static uint32_t ring_records(uint64_t bytes)
{
    uint32_t records = AGENT_RING_RECORDS;
    if (bytes)
        for (records = 1024; records < 1u << 24 && (uint64_t)records * 2 * sizeof(struct agent_record) <= bytes;)
            records *= 2;
    return records;
}

static enum pl_err make_share(struct host *host, const struct pl_capture_request *request, enum agent_mode mode,
                              struct pl_error *err)
{
    WCHAR name[32];
    uint32_t records = ring_records(request->ring_bytes);
    agent_share_name(name, host->target.pid);
    host->section =
        CreateFileMappingW(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, (DWORD)agent_share_bytes(records), name);
    if (host->section && GetLastError() == ERROR_ALREADY_EXISTS)
        return pl_fail(err, PL_ERR_RESOURCE, "process %lu is being captured already", (unsigned long)host->target.pid);
    if (host->section)
        host->share = MapViewOfFile(host->section, FILE_MAP_ALL_ACCESS, 0, 0, 0);
    if (!host->share)
        return windows_fail(err, GetLastError(), "cannot share memory with the target");
    struct agent_share *share = host->share;
    share->magic = AGENT_MAGIC;
    share->version = AGENT_VERSION;
    share->mode = mode;
    share->ring_records = records;
    share->min_region_bytes = request->min_region_bytes;
    share->interval_ms = (uint32_t)(request->interval > 0 ? (request->interval + PL_PS_PER_MS - 1) / PL_PS_PER_MS : 20);
    share->tool_pid = GetCurrentProcessId();
    share->stop_threads = 1;
    share->find_regions = request->argv == NULL;
    share->range_count = (uint32_t)(request->range_count < AGENT_RANGES ? request->range_count : AGENT_RANGES);
    for (uint32_t i = 0; i < share->range_count; i++) {
        share->range_start[i] = request->range[i].start;
        share->range_end[i] = request->range[i].end;
    }
    return PL_OK;
}

/* --- loading --------------------------------------------------------------------------- */
static enum pl_err refused(const struct host *host, struct pl_error *err)
{
    if (host->share->state == AGENT_FAILED)
        return pl_fail(err, PL_ERR_RESOURCE, "the agent cannot work in %s: %s", host->target.name,
                       host->share->message);
    return pl_fail(err, PL_ERR_RESOURCE,
                   "%s did not load the agent (a protected process, or a program that admits only signed DLLs)",
                   host->target.name);
}

/* kernel32 lies at the same address in every process of one boot. */
static enum pl_err load(struct host *host, struct pl_error *err)
{
    WCHAR path[PATH_ROOM];
    DWORD code = 0;
    if (!agent_path(path))
        return pl_fail(err, PL_ERR_RESOURCE, "the path of pagecap.exe is too long");
    SIZE_T bytes = (wcslen(path) + 1) * sizeof path[0];
    HANDLE process = host->target.process;
    void *there = VirtualAllocEx(process, NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    LPTHREAD_START_ROUTINE entry =
        (LPTHREAD_START_ROUTINE)(void *)GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "LoadLibraryW");
    if (!there || !WriteProcessMemory(process, there, path, bytes, NULL))
        return windows_fail(err, GetLastError(), "cannot write into %s", host->target.name);
    HANDLE thread = CreateRemoteThread(process, NULL, 0, entry, there, 0, NULL);
    if (!thread)
        return windows_fail(err, GetLastError(), "cannot start a thread in %s", host->target.name);
    DWORD waited = WaitForSingleObject(thread, LOAD_MS);
    GetExitCodeThread(thread, &code);
    CloseHandle(thread);
    if (waited == WAIT_OBJECT_0)
        VirtualFreeEx(process, there, 0, MEM_RELEASE);
    return host->share->state == AGENT_WORKS ? PL_OK : refused(host, err);
}

/* --- reading ----------------------------------------------------------------------------- */
static void take(struct host *host, const struct agent_host_mode *mode, const struct agent_record *record,
                 struct pl_recorder *recorder)
{
    pl_time_ps time = target_time(&host->target, (LONGLONG)record->ticks);
    switch (record->type) {
    case AGENT_TOUCH:
        pl_recorder_actor(recorder, host->target.pid, record->thread, host->target.name);
        pl_recorder_touch(recorder, (enum pl_kind)record->kind, record->address, record->bytes, time);
        break;
    case AGENT_FREE:
        pl_recorder_actor(recorder, host->target.pid, record->thread, host->target.name);
        pl_recorder_free(recorder, record->address, record->bytes, time);
        break;
    case AGENT_END:
        host->said_end = true;
        break;
    default:
        break;
    }
    if (mode->record)
        mode->record(mode->user, record, recorder, time);
}

/* Takes what is there. Returns how many. */
static size_t drain(struct host *host, const struct agent_host_mode *mode, struct pl_recorder *recorder)
{
    struct agent_share *share = host->share;
    LONG64 head = share->head, tail = share->tail;
    size_t count = (size_t)(head - tail);
    MemoryBarrier();
    for (; tail != head; tail++) {
        take(host, mode, &share->ring[tail & (share->ring_records - 1)], recorder);
        if (tail % 1024 == 0)
            InterlockedExchange64(&share->tail, tail);
    }
    InterlockedExchange64(&share->tail, tail);
    if (GetTickCount() - host->last_flush >= 1000) { /* a crash of ours loses a second at most */
        pl_recorder_flush(recorder);
        host->last_flush = GetTickCount();
    }
    return count;
}

/* Asks the agent to open everything, so that a target that goes on does so unharmed. */
static void stop(struct host *host, const struct agent_host_mode *mode, struct pl_recorder *recorder)
{
    DWORD start = GetTickCount();
    InterlockedExchange(&host->share->stop, 1);
    while (!host->share->ended && GetTickCount() - start < STOP_MS &&
           WaitForSingleObject(host->target.process, IDLE_MS) != WAIT_OBJECT_0)
        drain(host, mode, recorder);
    drain(host, mode, recorder);
}

static void follow(struct host *host, const struct pl_capture_request *request, const struct agent_host_mode *mode,
                   struct pl_recorder *recorder, struct pl_capture_result *result)
{
    for (;;) {
        size_t got = drain(host, mode, recorder);
        if (pl_recorder_full(recorder) || request->should_stop(request->user)) {
            stop(host, mode, recorder);
            target_ended(&host->target, 0, result);
            return;
        }
        if (target_ended(&host->target, got ? 0 : IDLE_MS, result)) {
            drain(host, mode, recorder);
            return;
        }
    }
}

static enum pl_err judge(const struct host *host, const struct pl_capture_request *request,
                         const struct pl_recorder *recorder, struct pl_capture_result *result, struct pl_error *err)
{
    const struct agent_share *share = host->share;
    result->regions = share->regions;
    result->traced_bytes = share->traced_bytes;
    result->untraced_faults = share->let_through;
    if (share->dropped)
        snprintf(result->note, sizeof result->note,
                 "%llu regions were given up, because the program changed their protection or there were too many",
                 (unsigned long long)share->dropped);
    else if (!host->said_end && result->exit_status >= 0)
        snprintf(result->note, sizeof result->note, "the program was killed: what was in its last interval is missing");
    if (share->regions == 0)
        return pl_fail(err, PL_ERR_RESOURCE, "%s has no region of at least %llu bytes%s to trace; see --min-region",
                       host->target.name, (unsigned long long)request->min_region_bytes,
                       request->range_count ? " in the given range" : "");
    if (pl_recorder_counts(recorder).touches == 0)
        return pl_fail(err, PL_ERR_RESOURCE, "%s touched none of its %llu traced regions", host->target.name,
                       (unsigned long long)share->regions);
    return PL_OK;
}

static void close_host(struct host *host, bool kill)
{
    if (host->share)
        UnmapViewOfFile(host->share);
    if (host->section)
        CloseHandle(host->section);
    target_close(&host->target, kill);
}

enum pl_err agent_host_capture(const struct pl_capture_request *request, const struct agent_host_mode *mode,
                               struct pl_recorder *recorder, struct pl_capture_result *result, struct pl_error *err)
{
    struct host host = {.last_flush = GetTickCount()};
    bool running = false;
    enum pl_err rc = target_open(request, 0, &host.target, err);
    if (rc)
        return rc;
    result->pid = host.target.pid;
    result->exit_status = -1;
    rc = target_check_64(&host.target, err);
    if (rc == PL_OK)
        rc = make_share(&host, request, mode->mode, err);
    if (rc == PL_OK)
        rc = load(&host, err);
    if (rc == PL_OK) {
        pl_recorder_process(recorder, PL_OP_START, host.target.pid, host.target.name, 0);
        running = true;
        target_go(&host.target);
        follow(&host, request, mode, recorder, result);
        if (result->exit_status >= 0)
            pl_recorder_process(recorder, PL_OP_EXIT, host.target.pid, NULL, target_now(&host.target));
        rc = judge(&host, request, recorder, result, err);
    }
    close_host(&host, !running);
    return rc;
}
