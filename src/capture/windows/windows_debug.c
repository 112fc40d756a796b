/* capture/windows/windows_debug.c: back end `debug`: every access to traced regions, by a debugger; nothing is loaded
 * into the target.
 *
 * As exact, but each access is two debug events: the fault, and the single step behind it, between which all other
 * threads are suspended. A debugger is told before the program's own handlers, so none of the target's locks matter.
 * The slowest of all; for programs that admit no foreign DLL, and to hold exact against. */
#include "capture/windows/debugger.h"

#include <stdlib.h>

enum { WAIT_MS = 50, TRAP_FLAG = 0x100 };

/* --- threads ------------------------------------------------------------------------------ */
struct debugger_thread *debugger_thread(struct debugger *debugger, DWORD id)
{
    for (size_t i = 0; i < debugger->thread_count; i++)
        if (debugger->thread[i].id == id)
            return &debugger->thread[i];
    return NULL;
}

static void add_thread(struct debugger *debugger, DWORD id, HANDLE handle)
{
    if (pl_grow((void **)&debugger->thread, &debugger->thread_capacity, debugger->thread_count + 1,
                sizeof *debugger->thread, "threads", NULL))
        return;
    debugger->thread[debugger->thread_count++] = (struct debugger_thread){.id = id, .handle = handle};
    if (debugger->stepping) { /* it stands still as well */
        SuspendThread(handle);
        debugger->thread[debugger->thread_count - 1].stopped = true;
    }
}

static void remove_thread(struct debugger *debugger, DWORD id)
{
    struct debugger_thread *thread = debugger_thread(debugger, id);
    if (thread)
        *thread = debugger->thread[--debugger->thread_count];
}

static void stop_others(struct debugger *debugger)
{
    for (size_t i = 0; i < debugger->thread_count; i++) {
        struct debugger_thread *thread = &debugger->thread[i];
        if (thread->id != debugger->stepping)
            thread->stopped = SuspendThread(thread->handle) != (DWORD)-1;
    }
}

static void go_others(struct debugger *debugger)
{
    for (size_t i = 0; i < debugger->thread_count; i++) {
        if (debugger->thread[i].stopped)
            ResumeThread(debugger->thread[i].handle);
        debugger->thread[i].stopped = false;
    }
}

/* --- a step over an access --------------------------------------------------------------------- */
void debugger_protect(const struct debugger *debugger, uint64_t start, uint64_t end, DWORD protection)
{
    DWORD before;
    VirtualProtectEx(debugger->target.process, (void *)(uintptr_t)start, (SIZE_T)(end - start), protection, &before);
}

static bool set_trap(HANDLE thread, bool on)
{
    CONTEXT context;
    context.ContextFlags = CONTEXT_CONTROL;
    if (!GetThreadContext(thread, &context))
        return false;
    context.EFlags = on ? context.EFlags | TRAP_FLAG : context.EFlags & ~(DWORD)TRAP_FLAG;
    return SetThreadContext(thread, &context);
}

static void end_step(struct debugger *debugger)
{
    struct debugger_thread *thread = debugger_thread(debugger, debugger->stepping);
    if (!debugger->stepping)
        return;
    for (unsigned i = 0; i < debugger->open_count; i++)
        if (debugger_region_at(debugger, debugger->open[i].page))
            debugger_protect(debugger, debugger->open[i].page, debugger->open[i].page + DEBUGGER_PAGE, PAGE_NOACCESS);
    debugger->open_count = 0;
    debugger->stepping = 0;
    if (thread)
        set_trap(thread->handle, false);
    go_others(debugger);
}

/* Opens a page as far as the access needs. False when it was open so far: the fault is the program's own. */
static bool open_page(struct debugger *debugger, uint64_t page, bool write, DWORD protection)
{
    unsigned i = 0;
    while (i < debugger->open_count && debugger->open[i].page != page)
        i++;
    if (i == DEBUGGER_OPEN || (i < debugger->open_count && (debugger->open[i].writable || !write)))
        return false;
    debugger->open[i].page = page;
    debugger->open[i].writable = write;
    if (i == debugger->open_count)
        debugger->open_count++;
    debugger_protect(debugger, page, page + DEBUGGER_PAGE, write ? protection : PAGE_READONLY);
    return true;
}

/* True: the thread tries again. */
static bool take_fault(struct debugger *debugger, struct debugger_thread *thread, const EXCEPTION_RECORD *record)
{
    uint64_t address = record->ExceptionInformation[1];
    const struct debugger_region *region = debugger_region_at(debugger, address);
    bool write = record->ExceptionInformation[0] == 1;
    if (!region)
        return false;
    if (debugger->stepping && debugger->stepping != thread->id)
        return true; /* faulted before it was stopped: it will again */
    if (!open_page(debugger, address & ~(uint64_t)(DEBUGGER_PAGE - 1), write, region->protection))
        return false;
    pl_recorder_actor(debugger->recorder, debugger->target.pid, thread->id, debugger->target.name);
    pl_recorder_touch(debugger->recorder, write ? PL_WRITE : PL_READ, address, 0, target_now(&debugger->target));
    if (!debugger->stepping) {
        debugger->stepping = thread->id;
        stop_others(debugger);
        set_trap(thread->handle, true);
    }
    return true;
}

/* --- events --------------------------------------------------------------------------------------- */
static DWORD on_exception(struct debugger *debugger, const DEBUG_EVENT *event, struct pl_error *err, enum pl_err *rc)
{
    const EXCEPTION_RECORD *record = &event->u.Exception.ExceptionRecord;
    struct debugger_thread *thread = debugger_thread(debugger, event->dwThreadId);
    if (!thread)
        return DBG_EXCEPTION_NOT_HANDLED;
    switch (record->ExceptionCode) {
    case EXCEPTION_ACCESS_VIOLATION:
        if (take_fault(debugger, thread, record))
            return DBG_CONTINUE;
        break;
    case EXCEPTION_SINGLE_STEP:
        if (debugger->stepping == thread->id) {
            end_step(debugger);
            return DBG_CONTINUE;
        }
        break;
    case EXCEPTION_BREAKPOINT:
        if (!debugger->ready) { /* the loader's own, once: everything is in place */
            *rc = debugger_set_breakpoints(debugger, err);
            if (*rc == PL_OK && !debugger->request->argv)
                debugger_find_regions(debugger);
            return DBG_CONTINUE;
        }
        if (debugger_breakpoint(debugger, thread, (uint64_t)(uintptr_t)record->ExceptionAddress))
            return DBG_CONTINUE;
        break;
    }
    if (debugger->stepping == thread->id)
        end_step(debugger);
    return DBG_EXCEPTION_NOT_HANDLED;
}

/* Returns how the thread goes on; sets *ended with the process. */
static DWORD on_event(struct debugger *debugger, const DEBUG_EVENT *event, bool *ended, struct pl_error *err,
                      enum pl_err *rc)
{
    switch (event->dwDebugEventCode) {
    case CREATE_PROCESS_DEBUG_EVENT:
        add_thread(debugger, event->dwThreadId, event->u.CreateProcessInfo.hThread);
        if (event->u.CreateProcessInfo.hFile)
            CloseHandle(event->u.CreateProcessInfo.hFile);
        break;
    case CREATE_THREAD_DEBUG_EVENT:
        add_thread(debugger, event->dwThreadId, event->u.CreateThread.hThread);
        break;
    case EXIT_THREAD_DEBUG_EVENT:
        if (debugger->stepping == event->dwThreadId)
            end_step(debugger);
        remove_thread(debugger, event->dwThreadId);
        break;
    case EXIT_PROCESS_DEBUG_EVENT: {
        DWORD status = event->u.ExitProcess.dwExitCode;
        debugger->result->exit_status = (int)(status > 255 ? 255 : status);
        *ended = true;
        break;
    }
    case LOAD_DLL_DEBUG_EVENT:
        if (event->u.LoadDll.hFile)
            CloseHandle(event->u.LoadDll.hFile);
        break;
    case EXCEPTION_DEBUG_EVENT:
        return on_exception(debugger, event, err, rc);
    }
    return DBG_CONTINUE;
}

static enum pl_err follow(struct debugger *debugger, struct pl_error *err)
{
    DEBUG_EVENT event;
    DWORD last_flush = GetTickCount();
    enum pl_err rc = PL_OK;
    bool ended = false;
    while (!ended && rc == PL_OK) {
        bool stop = pl_recorder_full(debugger->recorder) || debugger->request->should_stop(debugger->request->user);
        if (stop && !debugger->stepping)
            break;
        if (GetTickCount() - last_flush >= 1000) {
            pl_recorder_flush(debugger->recorder);
            last_flush = GetTickCount();
        }
        if (!WaitForDebugEvent(&event, WAIT_MS))
            continue;
        DWORD how = on_event(debugger, &event, &ended, err, &rc);
        ContinueDebugEvent(event.dwProcessId, event.dwThreadId, how);
    }
    if (!ended) {
        debugger_open_regions(debugger);
        debugger_clear_breakpoints(debugger);
        DebugActiveProcessStop(debugger->target.pid);
    }
    return rc;
}

static enum pl_err judge(const struct debugger *debugger, struct pl_error *err)
{
    const char *name = debugger->target.name;
    if (!debugger->ready)
        return pl_fail(err, PL_ERR_RESOURCE, "%s ended before it could be traced", name);
    if (debugger->result->regions == 0)
        return pl_fail(err, PL_ERR_RESOURCE, "%s has no region of at least %llu bytes to trace; see --min-region", name,
                       (unsigned long long)debugger->request->min_region_bytes);
    if (pl_recorder_counts(debugger->recorder).touches == 0)
        return pl_fail(err, PL_ERR_RESOURCE, "%s touched none of its %llu traced regions", name,
                       (unsigned long long)debugger->result->regions);
    return PL_OK;
}

static enum pl_err capture(const struct pl_capture_request *request, struct pl_recorder *recorder,
                           struct pl_capture_result *result, struct pl_error *err)
{
    struct debugger debugger = {.request = request, .recorder = recorder, .result = result};
    enum pl_err rc = target_open(request, DEBUG_ONLY_THIS_PROCESS, &debugger.target, err);
    if (rc)
        return rc;
    result->pid = debugger.target.pid;
    result->exit_status = -1;
    rc = target_check_64(&debugger.target, err);
    if (rc == PL_OK && !request->argv && !DebugActiveProcess(debugger.target.pid))
        rc = windows_fail(err, GetLastError(), "cannot debug %s", debugger.target.name);
    DebugSetProcessKillOnExit(FALSE);
    if (rc == PL_OK) {
        pl_recorder_process(recorder, PL_OP_START, debugger.target.pid, debugger.target.name, 0);
        rc = follow(&debugger, err);
    }
    if (rc == PL_OK && result->exit_status >= 0)
        pl_recorder_process(recorder, PL_OP_EXIT, debugger.target.pid, NULL, target_now(&debugger.target));
    if (rc == PL_OK)
        rc = judge(&debugger, err);
    target_close(&debugger.target, rc != PL_OK && result->exit_status < 0);
    free(debugger.thread);
    free(debugger.region);
    return rc;
}

static enum pl_err probe(struct pl_error *why)
{
    (void)why;
    return PL_OK; /* debugging is part of every Windows; a target may still refuse */
}

const struct pl_backend pl_backend_debug = {
    .name = "debug",
    .about = "as exact, but by a debugger: nothing is loaded into the program (slowest)",
    .records = PL_RECORDS_ACCESSES,
    .runs = true,
    .attaches = true,
    .rights = "none for your own programs",
    .slow = "each access stops the program twice: a second of work becomes hours; -b interval and -b writes are quick",
    .blind_to = "mapped files, stacks, images, large pages, and what the kernel touches but for files read and written",
    .probe = probe,
    .capture = capture,
};
