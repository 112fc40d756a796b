/* capture/linux/backend_exact.c: every access, in order: the tool's side of the agent (agent/agent.h).
 *
 *   memfd ring -> fork -> LD_PRELOAD=libpagecap-agent.so -> exec -> drain the ring until the program ends
 *
 * The target waits when the ring is full, so nothing is lost; it runs some thousand times slower in traced memory. */
#include "config.h"

#include "capture/linux/agent/agent_ring.h"
#include "capture/linux/backends.h"
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

static enum pl_err probe(struct pl_error *why)
{
    char path[PATH_MAX];
    if (!find_agent(path))
        return pl_fail(why, PL_ERR_RESOURCE, "%s is neither beside this program nor in %s", agent_name, PL_PKGLIBDIR);
    if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0) != 0)
        return pl_fail(why, PL_ERR_RESOURCE, "this kernel has no syscall user dispatch (Linux 5.11 and later have it)");
    return PL_OK;
}

/* --- the ring -------------------------------------------------------------------------------- */
struct exact {
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
};

static enum pl_err make_ring(struct exact *exact, struct pl_error *err)
{
    const struct pl_capture_request *request = exact->request;
    uint64_t wanted = request->ring_bytes ? request->ring_bytes : RING_BYTES, records = 1024;
    while (2 * records * sizeof(struct agent_record) <= wanted && records < 1 << 24)
        records *= 2;
    exact->ring_bytes = AGENT_RING_HEADER + records * sizeof(struct agent_record);
    exact->descriptor = memfd_create("pagecap", 0); /* the target inherits it */
    if (exact->descriptor < 0 || ftruncate(exact->descriptor, (off_t)exact->ring_bytes) != 0)
        return pl_fail_errno(err, errno, "memory shared with the program");
    void *memory = mmap(NULL, exact->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, exact->descriptor, 0);
    if (memory == MAP_FAILED)
        return pl_fail_errno(err, errno, "memory shared with the program");
    exact->ring = memory;
    exact->records = (const void *)((const char *)memory + AGENT_RING_HEADER);
    exact->ring->magic = AGENT_RING_MAGIC;
    exact->ring->records = (uint32_t)records;
    exact->ring->tool = (uint32_t)getpid();
    exact->ring->min_region_bytes = request->min_region_bytes;
    exact->ring->range_count = (uint32_t)request->range_count;
    for (size_t i = 0; i < request->range_count; i++) {
        exact->ring->range[i][0] = request->range[i].start;
        exact->ring->range[i][1] = request->range[i].end;
    }
    return PL_OK;
}

/* Against the monotonic clock, over 20 ms: the counter's rate is constant on every machine with this instruction set that
 * matters, but it is not told. */
static void calibrate(struct exact *exact)
{
    pl_time_ps start = pl_os_now();
    exact->first_ticks = ticks();
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    uint64_t passed = ticks() - exact->first_ticks;
    exact->ps_per_tick = (double)(pl_os_now() - start) / (double)passed;
    exact->first_ticks = ticks();
}

static pl_time_ps time_of(const struct exact *exact, uint64_t moment)
{
    return moment > exact->first_ticks ? (pl_time_ps)((double)(moment - exact->first_ticks) * exact->ps_per_tick) : 0;
}

static void take(struct exact *exact, const struct agent_record *record)
{
    pl_time_ps time = time_of(exact, record->ticks);
    pl_recorder_actor(exact->recorder, (uint64_t)exact->target.pid, record->thread, NULL);
    switch ((enum agent_op)record->op) {
    case AGENT_READ:
        pl_recorder_touch(exact->recorder, PL_READ, record->address, record->size, time);
        break;
    case AGENT_WRITE:
        pl_recorder_touch(exact->recorder, PL_WRITE, record->address, record->size, time);
        break;
    case AGENT_ALLOCATE:
        pl_recorder_allocate(exact->recorder, record->address, record->size, 1, time);
        break;
    case AGENT_MAP_FILE:
        pl_recorder_allocate(exact->recorder, record->address, record->size, 2, time);
        break;
    case AGENT_EXEC: /* another program, in fresh memory */
        pl_recorder_free(exact->recorder, 0, UINT64_MAX, time);
        break;
    case AGENT_FREE:
        pl_recorder_free(exact->recorder, record->address, record->size, time);
        break;
    }
}

/* Takes what is there; false when there was nothing. */
static bool drain(struct exact *exact)
{
    struct agent_ring *ring = exact->ring;
    uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE), tail = ring->tail;
    bool some = tail != head;
    for (; tail != head && !pl_recorder_full(exact->recorder); tail++)
        take(exact, &exact->records[tail & (ring->records - 1)]);
    if (tail != head) /* a limit was reached: the rest is not wanted */
        tail = head;
    __atomic_store_n(&ring->tail, tail, __ATOMIC_RELEASE);
    if (pl_os_now() - exact->flushed > PL_PS_PER_S) {
        pl_recorder_flush(exact->recorder);
        exact->flushed = pl_os_now();
    }
    return some;
}

static void follow(struct exact *exact)
{
    const struct pl_capture_request *request = exact->request;
    while (!request->should_stop(request->user)) {
        bool ended = target_ended(&exact->target); /* asked before the drain: what it wrote last is seen */
        if (!drain(exact) && ended)
            return;
        if (!ended && exact->ring->head == exact->ring->tail)
            nanosleep(&(struct timespec){0, 200000}, NULL);
    }
    __atomic_store_n(&exact->ring->stop, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 100 && !target_ended(&exact->target); i++) { /* a waiting target must get room to see it */
        exact->ring->tail = __atomic_load_n(&exact->ring->head, __ATOMIC_ACQUIRE);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
}

/* --- the back end -------------------------------------------------------------------------------- */
static enum pl_err run(struct exact *exact, struct pl_error *err)
{
    char agent[PATH_MAX], preload[2 * PATH_MAX + 16], ring[32], before[PATH_MAX + 32];
    const char *old = getenv("LD_PRELOAD");
    if (!find_agent(agent))
        return probe(err);
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s%s%.*s", agent, old && *old ? ":" : "", PATH_MAX, old ? old : "");
    snprintf(before, sizeof before, AGENT_PRELOAD_VARIABLE "=%.*s", PATH_MAX, old ? old : "");
    snprintf(ring, sizeof ring, AGENT_RING_VARIABLE "=%d", exact->descriptor);
    const char *const environment[] = {preload, before, ring, NULL};
    enum pl_err rc = target_start(exact->request, environment, &exact->target, err);
    if (rc)
        return rc;
    calibrate(exact);
    rc = target_go(&exact->target, err);
    if (rc)
        return rc;
    exact->flushed = pl_os_now();
    follow(exact);
    target_finish(&exact->target);
    if (exact->ring->unsupported)
        return pl_fail(err, PL_ERR_RESOURCE, "the program could not be traced: the kernel refused syscall user dispatch");
    if (!exact->ring->attached)
        return pl_fail(err, PL_ERR_RESOURCE,
                       "the program did not load the agent: it is statically linked, set-user-id, or not for x86-64");
    return PL_OK;
}

static enum pl_err capture(const struct pl_capture_request *request, struct pl_recorder *recorder,
                           struct pl_capture_result *result, struct pl_error *err)
{
    struct exact exact = {.request = request, .recorder = recorder, .descriptor = -1};
    enum pl_err rc = make_ring(&exact, err);
    if (rc == PL_OK)
        rc = run(&exact, err);
    result->pid = (uint64_t)exact.target.pid;
    result->exit_status = exact.target.status;
    if (exact.ring) {
        result->regions = exact.ring->regions;
        result->traced_bytes = exact.ring->traced_bytes;
        result->untraced_faults = exact.ring->open_calls;
        if (exact.ring->open_calls)
            snprintf(result->note, sizeof result->note,
                     "System calls other than reads and writes were given traced memory: opened for them, not recorded.");
        munmap(exact.ring, exact.ring_bytes);
    }
    if (exact.descriptor >= 0)
        close(exact.descriptor);
    return rc;
}

#else

static enum pl_err probe(struct pl_error *why)
{
    return pl_fail(why, PL_ERR_RESOURCE, "the agent is written for x86-64");
}

static enum pl_err capture(const struct pl_capture_request *request, struct pl_recorder *recorder,
                           struct pl_capture_result *result, struct pl_error *err)
{
    return probe(err);
}

#endif

const struct pl_backend backend_exact = {
    .name = "exact",
    .about = "every access in order, by guarded pages and single steps (an agent in the program)",
    .records = PL_RECORDS_ACCESSES,
    .runs = true,
    .attaches = false,
    .rights = "none; the program must be linked dynamically, for x86-64",
    .blind_to = "stacks, the data of shared libraries, memory in regions below --min-region; other threads' touches of a page "
                "in the instant in which it is open for one step or one system call; programs it starts",
    .probe = probe,
    .capture = capture,
};
