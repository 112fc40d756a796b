/* capture/linux/backend_faults.c: page faults as the kernel counts them, by perf events.
 *
 * A software event that samples every fault with address, thread and time, for each thread and processor (events that
 * threads inherit need one buffer a processor). Buffers are drained together and put in the order of time. What a full
 * buffer dropped is told by the kernel and recorded as lost. Minor and major faults are not told apart by a sample, nor
 * reads from writes. */
#include "config.h"

#include "capture/linux/backends.h"
#include "capture/linux/proc_maps.h"
#include "capture/linux/target.h"
#include "capture/os.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS_MAX = 1024, BUFFER_PAGES = 256 };

struct event {
    int descriptor;
    struct perf_event_mmap_page *page; /* then the buffer; NULL when it writes into another's */
};

struct fault {
    uint64_t address, time_ns;
    uint32_t process, thread;
};

struct faults {
    struct pl_recorder *recorder;
    struct target target;
    struct event event[EVENTS_MAX];
    size_t event_count;
    struct fault *fault;
    size_t fault_count, fault_capacity;
    uint64_t lost, first_ns, samples;
    size_t page_size;
};

/* --- events ------------------------------------------------------------------------------ */
static int open_event(pid_t thread, int cpu, bool at_exec)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attributes,
        .config = PERF_COUNT_SW_PAGE_FAULTS,
        .sample_period = 1,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR,
        .disabled = at_exec,
        .enable_on_exec = at_exec,
        .inherit = cpu >= 0,
        .exclude_kernel = 1, /* faults of the kernel on the program's behalf need more rights */
        .exclude_hv = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static enum pl_err refusal(int failure, struct pl_error *err)
{
    if (failure == EACCES || failure == EPERM)
        return pl_fail(err, PL_ERR_RESOURCE,
                       "the kernel refuses: it takes root, or kernel.perf_event_paranoid of at most 2 (%s)",
                       strerror(failure));
    return pl_fail(err, PL_ERR_RESOURCE, "the kernel offers no page-fault events (%s)", strerror(failure));
}

/* The threads of one processor share its buffer. */
static enum pl_err add_event(struct faults *faults, pid_t thread, int cpu, bool at_exec, int share,
                             struct pl_error *err)
{
    if (faults->event_count == EVENTS_MAX)
        return pl_fail(err, PL_ERR_RESOURCE, "the process has too many threads for its faults to be watched");
    struct event event = {.descriptor = open_event(thread, cpu, at_exec)};
    if (event.descriptor < 0)
        return errno == ESRCH ? PL_OK : refusal(errno, err); /* the thread has just ended */
    if (share >= 0) {
        ioctl(event.descriptor, PERF_EVENT_IOC_SET_OUTPUT, share);
    } else {
        void *memory = mmap(NULL, (BUFFER_PAGES + 1) * faults->page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
                            event.descriptor, 0);
        if (memory == MAP_FAILED) {
            close(event.descriptor);
            return pl_fail_errno(err, errno, "a buffer for faults (kernel.perf_event_mlock_kb)");
        }
        event.page = memory;
    }
    faults->event[faults->event_count++] = event;
    return PL_OK;
}

static enum pl_err watch_cpu(struct faults *faults, int cpu, const pid_t *threads, size_t count, bool at_exec,
                             struct pl_error *err)
{
    int share = -1;
    enum pl_err rc = PL_OK;
    for (size_t i = 0; i < count && rc == PL_OK; i++) {
        size_t before = faults->event_count;
        rc = add_event(faults, threads[i], cpu, at_exec, share, err);
        if (rc == PL_OK && faults->event_count > before && share < 0)
            share = faults->event[before].descriptor;
    }
    return rc;
}

static size_t threads_of(pid_t pid, pid_t *threads, size_t room)
{
    char path[64];
    size_t count = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder)) && count < room;)
        if (atoi(entry->d_name) > 0)
            threads[count++] = (pid_t)atoi(entry->d_name);
    if (folder)
        closedir(folder);
    return count;
}

static enum pl_err watch(struct faults *faults, bool at_exec, struct pl_error *err)
{
    pid_t threads[EVENTS_MAX];
    size_t count = threads_of(faults->target.pid, threads, PL_COUNT_OF(threads));
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    enum pl_err rc = PL_OK;
    for (int cpu = 0; cpu < cpus && rc == PL_OK; cpu++)
        rc = watch_cpu(faults, cpu, threads, count, at_exec, err);
    if (rc == PL_OK && faults->event_count == 0)
        rc = pl_fail(err, PL_ERR_RESOURCE, "no thread of process %d can be watched", (int)faults->target.pid);
    return rc;
}

/* --- samples ------------------------------------------------------------------------------- */
struct sample { /* as the kernel lays PERF_SAMPLE_TID, TIME and ADDR out */
    struct perf_event_header header;
    uint32_t process, thread;
    uint64_t time, address;
};

static void keep(struct faults *faults, const struct sample *sample)
{
    if (pl_grow((void **)&faults->fault, &faults->fault_capacity, faults->fault_count + 1, sizeof *faults->fault,
                "faults", NULL)) {
        faults->lost++;
        return;
    }
    faults->fault[faults->fault_count++] =
        (struct fault){sample->address, sample->time, sample->process, sample->thread};
}

/* Copies a record out of the buffer, around whose end it may go. */
static void copy_out(const uint8_t *buffer, uint64_t size, uint64_t at, void *to, size_t length)
{
    for (size_t i = 0; i < length; i++)
        ((uint8_t *)to)[i] = buffer[(at + i) & (size - 1)];
}

static void drain_buffer(struct faults *faults, struct event *event)
{
    const uint64_t size = BUFFER_PAGES * faults->page_size;
    const uint8_t *buffer = (const uint8_t *)event->page + faults->page_size;
    uint64_t head = __atomic_load_n(&event->page->data_head, __ATOMIC_ACQUIRE), tail = event->page->data_tail;
    while (tail < head) {
        union {
            struct sample sample;
            struct {
                struct perf_event_header header;
                uint64_t id, lost;
            } lost;
        } record;
        copy_out(buffer, size, tail, &record.sample.header, sizeof record.sample.header);
        size_t length = record.sample.header.size;
        copy_out(buffer, size, tail, &record, length < sizeof record ? length : sizeof record);
        if (record.sample.header.type == PERF_RECORD_SAMPLE && length >= sizeof record.sample)
            keep(faults, &record.sample);
        else if (record.sample.header.type == PERF_RECORD_LOST && length >= sizeof record.lost)
            faults->lost += record.lost.lost;
        tail += length ? length : sizeof record.sample.header;
    }
    __atomic_store_n(&event->page->data_tail, tail, __ATOMIC_RELEASE);
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = ((const struct fault *)a)->time_ns, y = ((const struct fault *)b)->time_ns;
    return (x > y) - (x < y);
}

static void drain(struct faults *faults, const struct pl_capture_request *request)
{
    faults->fault_count = 0;
    faults->lost = 0;
    for (size_t i = 0; i < faults->event_count; i++)
        if (faults->event[i].page)
            drain_buffer(faults, &faults->event[i]);
    qsort(faults->fault, faults->fault_count, sizeof *faults->fault, by_time);
    for (size_t i = 0; i < faults->fault_count && !pl_recorder_full(faults->recorder); i++) {
        const struct fault *fault = &faults->fault[i];
        pl_time_ps time = (pl_time_ps)(fault->time_ns - faults->first_ns) * PL_PS_PER_NS;
        bool wanted = request->range_count == 0;
        for (size_t j = 0; j < request->range_count; j++)
            wanted |= fault->address >= request->range[j].start && fault->address < request->range[j].end;
        faults->samples++;
        if (!wanted || (!request->children && fault->process != (uint32_t)faults->target.pid))
            continue;
        pl_recorder_actor(faults->recorder, fault->process, fault->thread, NULL);
        pl_recorder_touch(faults->recorder, PL_READ, fault->address, 1, time > 0 ? time : 0);
    }
    if (faults->lost)
        pl_recorder_lost(faults->recorder, faults->lost, pl_os_now() - (pl_time_ps)faults->first_ns * PL_PS_PER_NS);
}

/* --- the back end ------------------------------------------------------------------------------ */
static enum pl_err probe(struct pl_error *why)
{
    int descriptor = open_event(0, -1, false);
    if (descriptor < 0)
        return refusal(errno, why);
    close(descriptor);
    return PL_OK;
}

static void follow(struct faults *faults, const struct pl_capture_request *request)
{
    pl_time_ps flushed = pl_os_now();
    bool ended = false;
    while (!ended && !request->should_stop(request->user)) {
        ended = target_ended(&faults->target);
        drain(faults, request);
        if (pl_os_now() - flushed > PL_PS_PER_S) {
            pl_recorder_flush(faults->recorder);
            flushed = pl_os_now();
        }
        if (!ended)
            nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
}

static void close_all(struct faults *faults)
{
    for (size_t i = 0; i < faults->event_count; i++) {
        if (faults->event[i].page)
            munmap(faults->event[i].page, (BUFFER_PAGES + 1) * faults->page_size);
        close(faults->event[i].descriptor);
    }
    free(faults->fault);
    free(faults);
}

static enum pl_err capture(const struct pl_capture_request *request, struct pl_recorder *recorder,
                           struct pl_capture_result *result, struct pl_error *err)
{
    struct faults *faults = calloc(1, sizeof *faults);
    if (!faults)
        return pl_fail_memory(err, sizeof *faults, "watching faults");
    faults->recorder = recorder;
    faults->page_size = pl_os_page_size();
    faults->first_ns = (uint64_t)(pl_os_now() / PL_PS_PER_NS);
    enum pl_err rc = target_start(request, NULL, &faults->target, err);
    if (rc) {
        close_all(faults);
        return rc;
    }
    rc = watch(faults, request->argv != NULL, err);
    if (rc == PL_OK)
        rc = target_go(&faults->target, err);
    if (rc == PL_OK) {
        follow(faults, request);
        target_finish(&faults->target);
    } else {
        target_kill(&faults->target);
    }
    result->pid = (uint64_t)faults->target.pid;
    result->exit_status = faults->target.status;
    close_all(faults);
    return rc;
}

const struct pl_backend backend_faults = {
    .name = "faults",
    .about = "every page fault with its address and thread (perf events)",
    .records = PL_RECORDS_FAULTS,
    .runs = true,
    .attaches = true,
    .children = true,
    .stacks = true, /* it sees them anyway */
    .rights = "none for one's own processes where kernel.perf_event_paranoid is at most 2; else root",
    .blind_to =
        "touches of resident pages, neighbours that one fault maps (fault-around, huge pages), faults of the kernel "
        "on the program's behalf, reads against writes",
    .probe = probe,
    .capture = capture,
};
