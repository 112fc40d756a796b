/* capture/linux/backend_snapshot.c: which pages became resident, interval by interval, from /proc/PID/pagemap.
 *
 * Nothing is put into the target. In each interval those pages are recorded that are resident now and were not at the
 * look before: they were touched (or read ahead, or forked) in between. A page that stays resident is never seen again,
 * so this tells how memory grows and what comes back, not how it is used. */
#include "config.h"

#include "capture/linux/backends.h"
#include "capture/linux/proc_maps.h"
#include "capture/linux/target.h"
#include "capture/os.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENTRIES = 4096 };

/* What was resident in a mapping at the last look. */
struct view {
    uint64_t start, end;
    uint8_t *resident; /* a byte a page */
    bool seen;         /* in this look */
};

struct snapshot {
    const struct pl_capture_request *request;
    struct pl_recorder *recorder;
    struct target target;
    int pagemap;
    uint32_t page_size;
    struct view *views;
    size_t count, capacity;
    uint64_t *entry;
    pl_time_ps start;
};

/* --- views of mappings ------------------------------------------------------------------------ */
static void free_view(struct view *view)
{
    free(view->resident);
    view->resident = NULL;
}

/* What two views of overlapping addresses have in common goes over: a heap that grew, a mapping cut in two. */
static void inherit(const struct snapshot *snapshot, struct view *view)
{
    for (size_t i = 0; i < snapshot->count; i++) {
        const struct view *old = &snapshot->views[i];
        uint64_t from = old->start > view->start ? old->start : view->start;
        uint64_t to = old->end < view->end ? old->end : view->end;
        if (old != view && old->resident && from < to)
            memcpy(view->resident + (from - view->start) / snapshot->page_size,
                   old->resident + (from - old->start) / snapshot->page_size, (to - from) / snapshot->page_size);
    }
}

static struct view *view_of(struct snapshot *snapshot, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < snapshot->count; i++)
        if (snapshot->views[i].start == start && snapshot->views[i].end == end)
            return &snapshot->views[i];
    if (pl_grow((void **)&snapshot->views, &snapshot->capacity, snapshot->count + 1, sizeof *snapshot->views,
                "mappings", NULL))
        return NULL;
    struct view *view = &snapshot->views[snapshot->count];
    *view = (struct view){.start = start, .end = end, .resident = calloc(1, (end - start) / snapshot->page_size)};
    if (!view->resident)
        return NULL;
    inherit(snapshot, view);
    snapshot->count++;
    return view;
}

static void drop_unseen(struct snapshot *snapshot)
{
    size_t kept = 0;
    for (size_t i = 0; i < snapshot->count; i++) {
        if (snapshot->views[i].seen)
            snapshot->views[kept++] = snapshot->views[i];
        else
            free_view(&snapshot->views[i]);
    }
    snapshot->count = kept;
}

/* --- one look ------------------------------------------------------------------------------------ */
static void look_at(struct snapshot *snapshot, struct view *view, pl_time_ps now)
{
    const uint64_t pages = (view->end - view->start) / snapshot->page_size;
    view->seen = true;
    for (uint64_t done = 0; done < pages && !pl_recorder_full(snapshot->recorder); done += ENTRIES) {
        size_t want = pages - done < ENTRIES ? pages - done : ENTRIES;
        off_t at = (off_t)((view->start / snapshot->page_size + done) * sizeof *snapshot->entry);
        ssize_t got = pread(snapshot->pagemap, snapshot->entry, want * sizeof *snapshot->entry, at);
        for (size_t i = 0; got > 0 && i < (size_t)got / sizeof *snapshot->entry; i++) {
            bool resident = snapshot->entry[i] >> 63;
            if (resident && !view->resident[done + i])
                pl_recorder_touch(snapshot->recorder, PL_READ, view->start + (done + i) * snapshot->page_size, 1, now);
            view->resident[done + i] = resident;
        }
    }
}

/* False when the process has ended. */
static bool look(struct snapshot *snapshot, struct pl_capture_result *result)
{
    struct proc_mapping mapping;
    FILE *maps = proc_open((uint64_t)snapshot->target.pid, "maps", NULL);
    if (!maps)
        return false;
    pl_time_ps now = pl_os_now() - snapshot->start;
    for (size_t i = 0; i < snapshot->count; i++)
        snapshot->views[i].seen = false;
    result->regions = result->traced_bytes = 0;
    while (proc_next_mapping(maps, &mapping)) {
        bool stack = !strncmp(mapping.name, "[stack", 6);
        if (!strncmp(mapping.name, "[v", 2) || (stack && !snapshot->request->stacks) ||
            !pl_capture_wants(snapshot->request, mapping.start, mapping.end))
            continue;
        struct view *view = view_of(snapshot, mapping.start, mapping.end);
        if (!view)
            continue;
        look_at(snapshot, view, now);
        result->regions++;
        result->traced_bytes += mapping.end - mapping.start;
    }
    fclose(maps);
    drop_unseen(snapshot);
    return true;
}

static void look_on(struct snapshot *snapshot, struct pl_capture_result *result)
{
    const struct pl_capture_request *request = snapshot->request;
    pl_time_ps interval = request->interval > 0 ? request->interval : 100 * PL_PS_PER_MS, next = pl_os_now();
    for (uint64_t number = 0; !target_ended(&snapshot->target) && !request->should_stop(request->user); number++) {
        char name[32];
        snprintf(name, sizeof name, "interval %" PRIu64, number);
        pl_recorder_phase(snapshot->recorder, name, pl_os_now() - snapshot->start);
        if (!look(snapshot, result))
            break;
        pl_recorder_flush(snapshot->recorder);
        for (next += interval;
             pl_os_now() < next && !target_ended(&snapshot->target) && !request->should_stop(request->user);)
            pl_os_sleep(next - pl_os_now() < 10 * PL_PS_PER_MS ? next - pl_os_now() : 10 * PL_PS_PER_MS);
    }
}

/* --- the back end ------------------------------------------------------------------------------------ */
static enum pl_err probe(struct pl_error *why)
{
    uint64_t entry;
    int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    off_t at = (off_t)((uintptr_t)&entry / pl_os_page_size() * sizeof entry);
    bool works = fd >= 0 && pread(fd, &entry, sizeof entry, at) == (ssize_t)sizeof entry && entry >> 63;
    if (fd >= 0)
        close(fd);
    return works ? PL_OK
                 : pl_fail(why, PL_ERR_RESOURCE, "/proc/PID/pagemap cannot be read, or does not tell the truth");
}

static enum pl_err open_pagemap(struct snapshot *snapshot, struct pl_error *err)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/pagemap", (int)snapshot->target.pid);
    snapshot->pagemap = open(path, O_RDONLY | O_CLOEXEC);
    snapshot->entry = malloc(ENTRIES * sizeof *snapshot->entry);
    if (!snapshot->entry)
        return pl_fail_memory(err, ENTRIES * sizeof *snapshot->entry, "looking at pages");
    if (snapshot->pagemap >= 0 ||
        target_ended(&snapshot->target)) /* one that is over shows nothing, and that is told */
        return PL_OK;
    return pl_fail(err, PL_ERR_RESOURCE, "%s: only its user or root may look", path);
}

static enum pl_err capture(const struct pl_capture_request *request, struct pl_recorder *recorder,
                           struct pl_capture_result *result, struct pl_error *err)
{
    struct snapshot snapshot = {
        .request = request, .recorder = recorder, .pagemap = -1, .page_size = pl_os_page_size(), .start = pl_os_now()};
    enum pl_err rc = target_start(request, NULL, &snapshot.target, err);
    if (rc)
        return rc;
    rc = target_go(&snapshot.target, err);
    if (rc == PL_OK) /* after exec: pagemap belongs to the address space it was opened on */
        rc = open_pagemap(&snapshot, err);
    if (rc == PL_OK) {
        pl_recorder_actor(recorder, (uint64_t)snapshot.target.pid, 0, NULL);
        look_on(&snapshot, result);
        target_finish(&snapshot.target);
    } else {
        target_kill(&snapshot.target);
    }
    result->pid = (uint64_t)snapshot.target.pid;
    result->exit_status = snapshot.target.status;
    for (size_t i = 0; i < snapshot.count; i++)
        free_view(&snapshot.views[i]);
    free(snapshot.views);
    free(snapshot.entry);
    if (snapshot.pagemap >= 0)
        close(snapshot.pagemap);
    return rc;
}

const struct pl_backend backend_snapshot = {
    .name = "snapshot",
    .about = "which pages became resident, by interval (pagemap)",
    .records = PL_RECORDS_INTERVAL,
    .runs = true,
    .attaches = true,
    .stacks = true,
    .rights = "none for processes of the same user that may be traced; else root",
    .blind_to =
        "touches of pages that are resident already, reads against writes, order within an interval, pages that "
        "came and went between two looks",
    .probe = probe,
    .capture = capture,
};
