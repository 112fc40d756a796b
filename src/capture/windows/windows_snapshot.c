/* capture/windows/windows_snapshot.c: back end `snapshot`: which pages are resident, asked again and again.
 *
 * A page counts as touched in the interval in which it became resident: fewer touches than there were, and none at all
 * for pages that stay. From outside where the system answers about other processes (nothing is injected then), else the
 * agent asks for itself. */
#include "capture/windows/agent_host.h"

#include <stdlib.h>

enum { BATCH = 1024, PAGE = 4096 };

struct run {
    uint64_t start, end;
};

/* The resident pages of a snapshot, ascending. */
struct runs {
    struct run *run;
    size_t count, capacity;
};

struct snapshot {
    struct runs before, now;
    struct pl_error failure; /* code PL_OK: none */
};

static void add_run(struct snapshot *snapshot, uint64_t start, uint64_t end)
{
    struct runs *runs = &snapshot->now;
    if (runs->count && runs->run[runs->count - 1].end == start) {
        runs->run[runs->count - 1].end = end;
        return;
    }
    if (pl_grow((void **)&runs->run, &runs->capacity, runs->count + 1, sizeof *runs->run, "resident pages",
                &snapshot->failure))
        return;
    runs->run[runs->count++] = (struct run){start, end};
}

/* Touches what is in `now` and not in `before`; `now` becomes the new `before`. */
static void end_interval(struct snapshot *snapshot, struct pl_recorder *recorder, pl_time_ps time)
{
    const struct runs *before = &snapshot->before;
    size_t old = 0;
    for (size_t i = 0; i < snapshot->now.count; i++) {
        uint64_t at = snapshot->now.run[i].start, end = snapshot->now.run[i].end;
        while (at < end) {
            while (old < before->count && before->run[old].end <= at)
                old++;
            uint64_t stop = end, skip = end;
            if (old < before->count && before->run[old].start < end) {
                stop = before->run[old].start > at ? before->run[old].start : at;
                skip = before->run[old].end < end ? before->run[old].end : end;
            }
            if (stop > at)
                pl_recorder_touch(recorder, PL_READ, at, stop - at, time);
            at = skip;
        }
    }
    pl_recorder_phase(recorder, "interval", time);
    struct runs spare = snapshot->before;
    snapshot->before = snapshot->now;
    snapshot->now = spare;
    snapshot->now.count = 0;
}

/* --- by the agent ------------------------------------------------------------------------- */
static void on_record(void *user, const struct agent_record *record, struct pl_recorder *recorder, pl_time_ps time)
{
    if (record->type == AGENT_RESIDENT)
        add_run(user, record->address, record->address + record->bytes);
    else if (record->type == AGENT_MARK)
        end_interval(user, recorder, time);
}

/* --- from outside ----------------------------------------------------------------------------- */
struct entry { /* PSAPI_WORKING_SET_EX_INFORMATION */
    void *address;
    ULONG_PTR flags; /* bit 0: resident */
};
typedef BOOL WINAPI query_fn(HANDLE, void *, DWORD);

/* Does the system answer about another process? Wine does not. */
static query_fn *query_for(HANDLE process)
{
    query_fn *query = (query_fn *)windows_function("kernel32.dll", "K32QueryWorkingSetEx");
    struct entry entry = {.address = NULL};
    MEMORY_BASIC_INFORMATION info;
    for (char *at = NULL; query && VirtualQueryEx(process, at, &info, sizeof info);
         at = (char *)info.BaseAddress + info.RegionSize) {
        if (info.State != MEM_COMMIT)
            continue;
        entry.address = info.BaseAddress;
        return query(process, &entry, sizeof entry) ? query : NULL;
    }
    return NULL;
}

static void query_region(struct snapshot *snapshot, query_fn *query, HANDLE process, uint64_t start, uint64_t end)
{
    static struct entry entry[BATCH];
    for (uint64_t at = start; at < end;) {
        uint64_t left = (end - at) / PAGE;
        DWORD count = left < BATCH ? (DWORD)left : BATCH;
        for (DWORD i = 0; i < count; i++)
            entry[i] = (struct entry){.address = (void *)(uintptr_t)(at + (uint64_t)i * PAGE)};
        if (!query(process, entry, count * (DWORD)sizeof entry[0]))
            return; /* gone meanwhile */
        for (DWORD i = 0; i < count; i++, at += PAGE)
            if (entry[i].flags & 1)
                add_run(snapshot, at, at + PAGE);
    }
}

static void query_process(struct snapshot *snapshot, query_fn *query, const struct target *target,
                          const struct pl_capture_request *request, struct pl_capture_result *result)
{
    MEMORY_BASIC_INFORMATION info;
    result->regions = result->traced_bytes = 0;
    for (char *at = NULL; VirtualQueryEx(target->process, at, &info, sizeof info);
         at = (char *)info.BaseAddress + info.RegionSize) {
        uint64_t start = (uint64_t)(uintptr_t)info.BaseAddress, end = start + info.RegionSize;
        if (info.State != MEM_COMMIT || info.Type == MEM_IMAGE || !pl_capture_wants(request, start, end))
            continue;
        result->regions++;
        result->traced_bytes += end - start;
        query_region(snapshot, query, target->process, start, end);
    }
}

static bool wait_interval(const struct target *target, const struct pl_capture_request *request,
                          const struct pl_recorder *recorder, struct pl_capture_result *result)
{
    enum { STEP_MS = 50 };
    pl_time_ps until = target_now(target) + (request->interval > 0 ? request->interval : 100 * PL_PS_PER_MS);
    for (;;) {
        pl_time_ps left = until - target_now(target);
        DWORD ms = left > STEP_MS * PL_PS_PER_MS ? STEP_MS : left > 0 ? (DWORD)(left / PL_PS_PER_MS) : 0;
        if (target_ended(target, ms, result) || request->should_stop(request->user) || pl_recorder_full(recorder))
            return false;
        if (left <= 0)
            return true;
    }
}

static void from_outside(struct snapshot *snapshot, query_fn *query, struct target *target,
                         const struct pl_capture_request *request, struct pl_recorder *recorder,
                         struct pl_capture_result *result)
{
    pl_recorder_process(recorder, PL_OP_START, target->pid, target->name, 0);
    pl_recorder_actor(recorder, target->pid, 0, target->name);
    target_go(target);
    while (wait_interval(target, request, recorder, result)) {
        query_process(snapshot, query, target, request, result);
        end_interval(snapshot, recorder, target_now(target));
        pl_recorder_flush(recorder);
    }
}

static enum pl_err capture(const struct pl_capture_request *request, struct pl_recorder *recorder,
                           struct pl_capture_result *result, struct pl_error *err)
{
    struct snapshot snapshot = {.failure = {PL_OK, ""}};
    const struct agent_host_mode mode = {.mode = AGENT_SNAPSHOT, .record = on_record, .user = &snapshot};
    query_fn *query = query_for(GetCurrentProcess()); /* wine answers about the asking process alone */
    enum pl_err rc = PL_OK;
    if (query && !windows_wine_version()) {
        struct target target;
        rc = target_open(request, 0, &target, err);
        if (rc)
            return rc;
        result->pid = target.pid;
        result->exit_status = -1;
        from_outside(&snapshot, query, &target, request, recorder, result);
        if (pl_recorder_counts(recorder).touches == 0)
            rc = pl_fail(err, PL_ERR_RESOURCE, "no page of %s was seen resident", target.name);
        target_close(&target, false);
    } else {
        rc = agent_host_capture(request, &mode, recorder, result, err);
    }
    if (rc == PL_OK && snapshot.failure.code) {
        rc = snapshot.failure.code;
        if (err)
            *err = snapshot.failure;
    }
    free(snapshot.before.run);
    free(snapshot.now.run);
    return rc;
}

const struct pl_backend pl_backend_snapshot = {
    .name = "snapshot",
    .about = "which pages became resident in each interval, by asking for the working set",
    .records = PL_RECORDS_INTERVAL,
    .runs = true,
    .attaches = true,
    .rights = "none for your own programs",
    .blind_to = "touches of pages that are resident already, reads against writes, the order within an interval",
    .probe = agent_host_probe,
    .capture = capture,
};
