/* capture/windows/windows_faults.c: back end `faults`: pages that enter the working set, as the system lists them.
 *
 * The working-set watch keeps the faults of one process in a kernel buffer of fixed size until they are fetched; what
 * does not fit is dropped and counted. Nothing is injected. The records say where (and from which instruction and
 * thread), not whether for reading or writing: all are put down as reads. Bit 0 of the address tells a hard fault from
 * a soft one. */
#include "capture/windows/windows_target.h"

#include <stdio.h>
#include <stdlib.h>

struct watch_record { /* PSAPI_WS_WATCH_INFORMATION_EX */
    void *pc, *address;
    ULONG_PTR thread, flags;
};
typedef BOOL WINAPI start_fn(HANDLE);
typedef BOOL WINAPI fetch_fn(HANDLE, struct watch_record *, DWORD *);

enum { RECORDS = 1 << 16, IDLE_MS = 5 };

struct watch {
    fetch_fn *fetch;
    struct watch_record *record; /* RECORDS of them */
    uint64_t hard, soft;
};

static enum pl_err find_functions(start_fn **start, fetch_fn **fetch, struct pl_error *err)
{
    *start = (start_fn *)windows_function("kernel32.dll", "K32InitializeProcessForWsWatch");
    *fetch = (fetch_fn *)windows_function("kernel32.dll", "K32GetWsChangesEx");
    if (!*start || !*fetch)
        return pl_fail(err, PL_ERR_RESOURCE, "this Windows has no working-set watch");
    return PL_OK;
}

/* Takes what the kernel has. False when it does not answer; *code is the system's error. */
static bool fetch(struct watch *watch, const struct target *target, struct pl_recorder *recorder, DWORD *code)
{
    DWORD bytes = RECORDS * (DWORD)sizeof *watch->record;
    pl_time_ps now = target_now(target);
    watch->record[0] = (struct watch_record){.pc = NULL};
    if (!watch->fetch(target->process, watch->record, &bytes)) {
        *code = GetLastError();
        return *code == ERROR_NO_MORE_ITEMS; /* no news */
    }
    for (size_t i = 0; i < RECORDS; i++) {
        const struct watch_record *record = &watch->record[i];
        uint64_t address = (uint64_t)(uintptr_t)record->address;
        if (!record->pc) { /* the end; its address is how many were dropped */
            if (address)
                pl_recorder_lost(recorder, address, now);
            break;
        }
        *(address & 1 ? &watch->hard : &watch->soft) += 1;
        pl_recorder_actor(recorder, target->pid, record->thread, target->name);
        pl_recorder_touch(recorder, PL_READ, address & ~(uint64_t)1, 0, now);
    }
    return true;
}

/* Does the watch give anything? A system can say yes and never list a fault: look at ourselves. */
static enum pl_err probe(struct pl_error *why)
{
    start_fn *start;
    fetch_fn *get;
    enum { PAGES = 16, PAGE = 4096 };
    enum pl_err rc = find_functions(&start, &get, why);
    if (rc)
        return rc;
    struct watch_record *record = calloc(RECORDS, sizeof *record);
    volatile char *pages = VirtualAlloc(NULL, PAGES * PAGE, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    DWORD bytes = RECORDS * (DWORD)sizeof *record;
    if (!record || !pages) {
        rc = pl_fail_memory(why, bytes, "the faults");
    } else if (!start(GetCurrentProcess()) && GetLastError() != ERROR_INVALID_PARAMETER) { /* was started before */
        rc = windows_fail(why, GetLastError(), "the working-set watch does not start");
    } else {
        for (int i = 0; i < PAGES; i++)
            pages[i * PAGE] = 1;
        if (!get(GetCurrentProcess(), record, &bytes))
            rc = windows_fail(why, GetLastError(), "the working-set watch starts but lists no faults");
        else if (!record[0].pc)
            rc = pl_fail(why, PL_ERR_RESOURCE, "the working-set watch lists no faults");
    }
    if (pages)
        VirtualFree((void *)pages, 0, MEM_RELEASE);
    free(record);
    return rc;
}

static enum pl_err follow(struct watch *watch, struct target *target, const struct pl_capture_request *request,
                          struct pl_recorder *recorder, struct pl_capture_result *result, struct pl_error *err)
{
    DWORD code = 0;
    pl_recorder_process(recorder, PL_OP_START, target->pid, target->name, 0);
    target_go(target);
    for (bool ended = false; !ended && !pl_recorder_full(recorder) && !request->should_stop(request->user);) {
        ended = target_ended(target, IDLE_MS, result);
        if (!fetch(watch, target, recorder, &code) && !ended)
            return windows_fail(err, code, "the working-set watch lists no faults of %s", target->name);
    }
    if (pl_recorder_counts(recorder).touches == 0)
        return pl_fail(err, PL_ERR_RESOURCE, "the working-set watch listed no faults of %s", target->name);
    snprintf(result->note, sizeof result->note, "%llu soft and %llu hard faults", (unsigned long long)watch->soft,
             (unsigned long long)watch->hard);
    return PL_OK;
}

static enum pl_err capture(const struct pl_capture_request *request, struct pl_recorder *recorder,
                           struct pl_capture_result *result, struct pl_error *err)
{
    start_fn *start;
    struct watch watch = {.fetch = NULL};
    struct target target;
    enum pl_err rc = probe(err);
    if (rc == PL_OK)
        rc = find_functions(&start, &watch.fetch, err);
    if (rc == PL_OK)
        rc = target_open(request, 0, &target, err);
    if (rc)
        return rc;
    result->pid = target.pid;
    result->exit_status = -1;
    bool watched = start(target.process);
    DWORD code = GetLastError();
    watch.record = calloc(RECORDS, sizeof *watch.record);
    if (!watch.record)
        rc = pl_fail_memory(err, RECORDS * sizeof *watch.record, "the faults");
    else if (!watched)
        rc = windows_fail(err, code, "%s cannot be watched", target.name);
    else
        rc = follow(&watch, &target, request, recorder, result, err);
    result->lost = pl_recorder_counts(recorder).lost;
    target_close(&target, !watched);
    free(watch.record);
    return rc;
}

const struct pl_backend pl_backend_faults = {
    .name = "faults",
    .about = "every page that enters the working set, as the system lists it (soft and hard faults)",
    .records = PL_RECORDS_FAULTS,
    .runs = true,
    .attaches = true,
    .rights = "none for your own programs",
    .blind_to = "touches of resident pages, reads against writes, large pages; faults that the kernel's buffer dropped "
                "are counted",
    .probe = probe,
    .capture = capture,
};
