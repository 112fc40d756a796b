/* capture/linux/agent_drive.c: the tool's side of the agent (agent/agent.h).
 *
 *   memfd ring -> fork -> LD_PRELOAD=libpagecap-agent.so -> exec -> drain the ring until the program ends
 *
 * The target waits when the ring is full, so nothing is lost. */
#include "config.h"

#include "capture/linux/agent/agent_ring.h"
#include "capture/linux/agent_drive.h"
#include "capture/contents.h"
#include "capture/linux/target.h"
#include "capture/os.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

static const char agent_name[] = "libpagecap-agent.so";
enum { RING_BYTES = 4 << 20 };

#if defined(__x86_64__)

static uint64_t ticks(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* --- finding the agent --------------------------------------------------------------------- */
/* Beside the program, as in a build directory, or where it is installed. */
static bool find_agent(char out[PATH_MAX])
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
        self[length] = '\0';
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = '\0';
        if (snprintf(out, PATH_MAX, "%s/%s", self, agent_name) < PATH_MAX && access(out, R_OK) == 0)
            return true;
    }
    return snprintf(out, PATH_MAX, "%s/%s", PL_PKGLIBDIR, agent_name) < PATH_MAX && access(out, R_OK) == 0;
}

enum pl_err agent_drive_probe(struct pl_error *why)
{
    char path[PATH_MAX];
    if (!find_agent(path))
        return pl_fail(why, PL_ERR_RESOURCE, "%s is neither beside this program nor in %s", agent_name, PL_PKGLIBDIR);
    if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0) != 0)
        return pl_fail(why, PL_ERR_RESOURCE, "this kernel has no syscall user dispatch (Linux 5.11 and later have it)");
    return PL_OK;
}

/* --- the ring -------------------------------------------------------------------------------- */
struct host {
    const struct pl_capture_request *request;
    struct pl_recorder *recorder;
    struct target target;
    struct agent_ring *ring;
    const struct agent_record *records;
    size_t ring_bytes;
    int descriptor;
    uint64_t first_ticks;
    double ps_per_tick;
    pl_time_ps flushed;
    uint64_t contents;
};

static enum pl_err make_ring(struct host *host, struct pl_error *err)
{
    const struct pl_capture_request *request = host->request;
    uint64_t wanted = request->ring_bytes ? request->ring_bytes : RING_BYTES, records = 1024;
    while (2 * records * sizeof(struct agent_record) <= wanted && records < 1 << 24)
        records *= 2;
    host->ring_bytes = AGENT_RING_HEADER + records * sizeof(struct agent_record);
    host->descriptor = memfd_create("pagecap", 0); /* the target inherits it */
    if (host->descriptor < 0 || ftruncate(host->descriptor, (off_t)host->ring_bytes) != 0)
        return pl_fail_errno(err, errno, "memory shared with the program");
    void *memory = mmap(NULL, host->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, host->descriptor, 0);
    if (memory == MAP_FAILED)
        return pl_fail_errno(err, errno, "memory shared with the program");
    host->ring = memory;
    host->records = (const void *)((const char *)memory + AGENT_RING_HEADER);
    host->ring->magic = AGENT_RING_MAGIC;
    host->ring->records = (uint32_t)records;
    host->ring->tool = (uint32_t)getpid();
    host->ring->min_region_bytes = request->min_region_bytes;
    host->ring->range_count = (uint32_t)request->range_count;
    for (size_t i = 0; i < request->range_count; i++) {
        host->ring->range[i][0] = request->range[i].start;
        host->ring->range[i][1] = request->range[i].end;
    }
    return PL_OK;
}

/* Against the monotonic clock, over 20 ms: the counter's rate is constant on every machine with this instruction set
 * that matters, but it is not told. */
static void calibrate(struct host *host)
{
    pl_time_ps start = pl_os_now();
    host->first_ticks = ticks();
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    uint64_t passed = ticks() - host->first_ticks;
    host->ps_per_tick = (double)(pl_os_now() - start) / (double)passed;
    host->first_ticks = ticks();
}

static pl_time_ps time_of(const struct host *host, uint64_t moment)
{
    return moment > host->first_ticks ? (pl_time_ps)((double)(moment - host->first_ticks) * host->ps_per_tick) : 0;
}

static void take(struct host *host, const struct agent_record *record)
{
    char name[32];
    pl_time_ps time = time_of(host, record->ticks);
    pl_recorder_actor(host->recorder, (uint64_t)host->target.pid, record->thread, NULL);
    switch ((enum agent_op)record->op) {
    case AGENT_READ:
        pl_recorder_touch(host->recorder, PL_READ, record->address, record->size, time);
        break;
    case AGENT_WRITE:
        pl_recorder_touch(host->recorder, PL_WRITE, record->address, record->size, time);
        break;
    case AGENT_ALLOCATE:
        pl_recorder_allocate(host->recorder, record->address, record->size, 1, time);
        break;
    case AGENT_MAP_FILE:
        pl_recorder_allocate(host->recorder, record->address, record->size, 2, time);
        break;
    case AGENT_INTERVAL:
        snprintf(name, sizeof name, "interval %llu", (unsigned long long)record->size);
        pl_recorder_phase(host->recorder, name, time);
        break;
    case AGENT_EXEC: /* another program, in fresh memory */
        pl_recorder_free(host->recorder, 0, UINT64_MAX, time);
        break;
    case AGENT_FREE:
        pl_recorder_free(host->recorder, record->address, record->size, time);
        break;
    }
}

/* Takes what is there; false when there was nothing. */
static bool drain(struct host *host)
{
    struct agent_ring *ring = host->ring;
    uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE), tail = ring->tail;
    bool some = tail != head;
    for (; tail != head && !pl_recorder_full(host->recorder); tail++)
        take(host, &host->records[tail & (ring->records - 1)]);
    if (tail != head) /* a limit was reached: the rest is not wanted */
        tail = head;
    __atomic_store_n(&ring->tail, tail, __ATOMIC_RELEASE);
    if (pl_os_now() - host->flushed > PL_PS_PER_S) {
        pl_recorder_flush(host->recorder);
        host->flushed = pl_os_now();
    }
    return some;
}

/* The program stands at its exit: its pages are read, then it may go. */
static enum pl_err read_contents(struct host *host, struct pl_error *err)
{
    while (drain(host))
        ;
    enum pl_err rc =
        capture_contents(host->recorder, (uint64_t)host->target.pid, time_of(host, ticks()), &host->contents, err);
    __atomic_store_n(&host->ring->released, 1, __ATOMIC_RELEASE);
    return rc;
}

static enum pl_err follow(struct host *host, struct pl_error *err)
{
    const struct pl_capture_request *request = host->request;
    while (!request->should_stop(request->user)) {
        bool ended = target_ended(&host->target); /* asked before the drain: what it wrote last is seen */
        if (!drain(host) && ended)
            return PL_OK;
        if (!ended && __atomic_load_n(&host->ring->exiting, __ATOMIC_ACQUIRE) && !host->ring->released) {
            enum pl_err rc = read_contents(host, err);
            if (rc)
                return rc;
        }
        if (!ended && host->ring->head == host->ring->tail)
            nanosleep(&(struct timespec){0, 200000}, NULL);
    }
    __atomic_store_n(&host->ring->stop, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 100 && !target_ended(&host->target); i++) { /* a waiting target must get room to see it */
        host->ring->tail = __atomic_load_n(&host->ring->head, __ATOMIC_ACQUIRE);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    return PL_OK;
}

static uint64_t interval_ns(const struct pl_capture_request *request)
{
    return (uint64_t)(request->interval > 0 ? request->interval : 100 * PL_PS_PER_MS) / (uint64_t)PL_PS_PER_NS;
}

/* --- the back end -------------------------------------------------------------------------------- */
static enum pl_err run(struct host *host, struct pl_error *err)
{
    char agent[PATH_MAX], preload[2 * PATH_MAX + 16], ring[32], before[PATH_MAX + 32];
    const char *old = getenv("LD_PRELOAD");
    if (!find_agent(agent))
        return agent_drive_probe(err);
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s%s%.*s", agent, old && *old ? ":" : "", PATH_MAX, old ? old : "");
    snprintf(before, sizeof before, AGENT_PRELOAD_VARIABLE "=%.*s", PATH_MAX, old ? old : "");
    snprintf(ring, sizeof ring, AGENT_RING_VARIABLE "=%d", host->descriptor);
    const char *const environment[] = {preload, before, ring, NULL};
    enum pl_err rc = target_start(host->request, environment, &host->target, err);
    if (rc)
        return rc;
    calibrate(host);
    rc = target_go(&host->target, err);
    if (rc)
        return rc;
    host->flushed = pl_os_now();
    rc = follow(host, err);
    if (rc) {
        target_kill(&host->target);
        return rc;
    }
    target_finish(&host->target);
    if (host->ring->unsupported)
        return pl_fail(err, PL_ERR_RESOURCE,
                       "the program could not be traced: the kernel refused syscall user dispatch");
    if (!host->ring->attached)
        return pl_fail(err, PL_ERR_RESOURCE,
                       "the program did not load the agent: it is statically linked, set-user-id, or not for x86-64");
    return PL_OK;
}

enum pl_err agent_drive_capture(const struct pl_capture_request *request, struct pl_recorder *recorder, bool intervals,
                               struct pl_capture_result *result, struct pl_error *err)
{
    struct host host = {.request = request, .recorder = recorder, .descriptor = -1};
    enum pl_err rc = make_ring(&host, err);
    if (rc == PL_OK && intervals)
        host.ring->interval_ns = interval_ns(request);
    if (rc == PL_OK)
        host.ring->hold_exit = request->content;
    if (rc == PL_OK)
        rc = run(&host, err);
    result->pid = (uint64_t)host.target.pid;
    result->exit_status = host.target.status;
    result->contents = host.contents;
    if (host.ring) {
        result->regions = host.ring->regions;
        result->traced_bytes = host.ring->traced_bytes;
        result->untraced_faults = host.ring->open_calls;
        if (host.ring->open_calls)
            snprintf(
                result->note, sizeof result->note,
                "System calls other than reads and writes were given traced memory: opened for them, not recorded.");
        munmap(host.ring, host.ring_bytes);
    }
    if (host.descriptor >= 0)
        close(host.descriptor);
    return rc;
}

#else

enum pl_err agent_drive_probe(struct pl_error *why)
{
    return pl_fail(why, PL_ERR_RESOURCE, "the agent is written for x86-64");
}

enum pl_err agent_drive_capture(const struct pl_capture_request *request, struct pl_recorder *recorder, bool intervals,
                               struct pl_capture_result *result, struct pl_error *err)
{
    return agent_drive_probe(err);
}

#endif
