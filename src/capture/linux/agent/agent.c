/* capture/linux/agent/agent.c: the agent's start, and its two handlers: the fault that begins a step, the trap that
 * ends it.
 *
 * What one instruction does to traced pages comes out as the processor does it: each page that it reads or writes
 * faults once, a page read and then written by the same instruction (a move within a page) faults twice, because a read
 * opens the page for reading alone. Read-modify-write instructions, locked or not, fault once, as a write. Each round
 * of a repeated string instruction is a step of its own.
 *
 * What it does not see: other threads' touches of a page in the microseconds in which it is open for one step. */
#include "config.h"

#include "capture/linux/agent/agent.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

enum { TRAP_FLAG = 0x100, FAULT_TRAP = 14, FAULT_WRITE = 2, DISPATCH_ON = 1, ACTION_RESTORER = 0x04000000,
       HIGH_DESCRIPTOR = 900 };

struct agent_state agent;
static __thread struct agent_thread self __attribute__((tls_model("initial-exec")));

struct agent_thread *agent_self(void)
{
    return &self;
}

bool agent_watch_calls(struct agent_thread *thread)
{
    thread->tid = (uint32_t)agent_raw(SYS_gettid, 0, 0, 0, 0, 0, 0);
    thread->known = true;
    thread->selector = DISPATCH_ON;
    return agent_raw(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, DISPATCH_ON, (long)agent_raw_start,
                     agent_raw_end - agent_raw_start, (long)&thread->selector, 0) == 0;
}

/* --- one step ----------------------------------------------------------------------------- */
static uint64_t *mask_of(ucontext_t *context)
{
    return (uint64_t *)(void *)&context->uc_sigmask;
}

static void begin_step(struct agent_thread *thread, ucontext_t *context)
{
    thread->stepping = true;
    thread->saved_mask = *mask_of(context);
    *mask_of(context) = ~AGENT_SIGNALS; /* nobody comes between */
    context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void end_step(struct agent_thread *thread, ucontext_t *context)
{
    for (int i = 0; i < thread->page_count && agent.active; i++)
        agent_guard(thread->page[i], thread->page[i] + AGENT_PAGE);
    thread->stepping = false;
    *mask_of(context) = thread->saved_mask;
    context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    agent_unlock();
}

static void open_page(struct agent_thread *thread, const struct agent_region *region, uint64_t page, bool write)
{
    int prot = write ? region->prot : region->prot & ~PROT_WRITE;
    agent_raw(SYS_mprotect, (long)page, AGENT_PAGE, prot, 0, 0, 0);
    for (int i = 0; i < thread->page_count; i++)
        if (thread->page[i] == page)
            return;
    if (thread->page_count < AGENT_STEP_PAGES)
        thread->page[thread->page_count++] = page;
}

/* False: the fault is the program's own. */
static bool take_fault(struct agent_thread *thread, uint64_t address, bool write)
{
    const struct agent_region *region = agent.active ? agent_region_of(address) : NULL;
    int needed = write ? PROT_WRITE : PROT_READ;
    if (!region || !(region->prot & (needed | PROT_WRITE)))
        return false;
    agent_record(write ? AGENT_WRITE : AGENT_READ, address, 1);
    open_page(thread, region, address & ~(uint64_t)(AGENT_PAGE - 1), write);
    return true;
}

static void on_fault(int signal_number, siginfo_t *info, void *raw)
{
    ucontext_t *context = raw;
    struct agent_thread *thread = &self;
    const greg_t *registers = context->uc_mcontext.gregs;
    bool page_fault = registers[REG_TRAPNO] == FAULT_TRAP, write = registers[REG_ERR] & FAULT_WRITE;
    bool begins = !thread->stepping;
    if (begins) {
        agent_lock();
        thread->page_count = 0;
    }
    if (agent.ring->stop && agent.active) {
        agent_give_up();
        if (begins)
            agent_unlock();
        return; /* the instruction goes again, on open pages */
    }
    if (page_fault && take_fault(thread, (uint64_t)(uintptr_t)info->si_addr, write)) {
        if (!begins)
            return;
        if (agent.ring->interval_ns) /* open until the interval ends */
            agent_unlock();
        else
            begin_step(thread, context);
        return;
    }
    if (begins) {
        /* Another thread may have given up, or mapped something here, since the fault. */
        agent_unlock();
        if (!agent.active && page_fault && agent_region_of((uint64_t)(uintptr_t)info->si_addr))
            return;
    } else {
        end_step(thread, context);
    }
    agent_pass_on(signal_number, context);
}

/* A process that the program forked: it goes on untraced. */
static void leave_child_alone(struct agent_thread *thread)
{
    if (thread->opened_all) /* it shares our memory until it becomes another program; all of it is open */
        return;
    agent_unlock(); /* whoever held it does not exist here */
    agent_open_all();
    agent.active = false;
    thread->native = false;
}

/* The instruction behind a system call that was let through. */
static void end_native(struct agent_thread *thread)
{
    thread->native = false;
    thread->selector = DISPATCH_ON;
    if (thread->opened_all && agent.active) {
        agent_guard_all();
        agent_unlock();
    }
    thread->opened_all = false;
}

static void on_trap(int signal_number, siginfo_t *info, void *raw)
{
    ucontext_t *context = raw;
    struct agent_thread *thread = &self;
    if (thread->stepping) {
        end_step(thread, context);
        return;
    }
    bool stepped = context->uc_mcontext.gregs[REG_EFL] & TRAP_FLAG;
    if (!stepped) { /* a breakpoint of the program's */
        agent_pass_on(signal_number, context);
        return;
    }
    context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    if ((uint32_t)agent_raw(SYS_getpid, 0, 0, 0, 0, 0, 0) != agent.pid)
        leave_child_alone(thread);
    else if (!thread->known)
        agent_watch_calls(thread); /* a new thread's first instruction: the flag came with its creator's */
    else if (thread->native)
        end_native(thread);
}

/* --- intervals ------------------------------------------------------------------------------ */
/* A thread of the agent's own. Its system calls are not dispatched: it was there before that began. */
static void *close_intervals(void *user)
{
    uint64_t all = ~AGENT_SIGNALS;
    agent_raw(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, 0, 8, 0, 0);
    long pause[2] = {(long)(agent.ring->interval_ns / 1000000000u), (long)(agent.ring->interval_ns % 1000000000u)};
    for (uint64_t number = 0; !agent.ring->stop; number++) {
        agent_lock();
        agent_record(AGENT_INTERVAL, 0, number);
        if (agent.active && number)
            agent_guard_all();
        agent_unlock();
        agent_raw(SYS_nanosleep, (long)pause, 0, 0, 0, 0, 0);
    }
    agent_lock();
    agent_give_up();
    agent_unlock();
    return user;
}

static bool start_intervals(void)
{
    pthread_t thread;
    return !agent.ring->interval_ns || pthread_create(&thread, NULL, close_intervals, NULL) == 0;
}

/* --- start ---------------------------------------------------------------------------------- */
static bool handle(int signal_number, void (*handler)(int, siginfo_t *, void *), uint64_t mask)
{
    struct agent_action action = {
        .handler = (void *)handler,
        .flags = SA_SIGINFO | SA_NODEFER | ACTION_RESTORER,
        .restorer = agent_restorer,
        .mask = mask,
    };
    return agent_raw(SYS_rt_sigaction, signal_number, (long)&action, 0, 8, 0, 0) == 0;
}

/* The program's own data: its writable segment behind what the loader has made read-only. */
static int trace_data(struct dl_phdr_info *info, size_t size, void *user)
{
    uint64_t start = 0, end = 0, relro_end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uint64_t from = info->dlpi_addr + header->p_vaddr, to = from + header->p_memsz;
        if (header->p_type == PT_LOAD && (header->p_flags & PF_W)) {
            start = from;
            end = to;
        } else if (header->p_type == PT_GNU_RELRO) {
            relro_end = to & ~(uint64_t)(AGENT_PAGE - 1);
        }
    }
    start &= ~(uint64_t)(AGENT_PAGE - 1);
    end = (end + AGENT_PAGE - 1) & ~(uint64_t)(AGENT_PAGE - 1);
    if (start < relro_end)
        start = relro_end;
    uint64_t *found = user;
    if (start < end) {
        found[0] = start;
        found[1] = end;
    }
    return 1; /* the first is the program itself */
}

/* Where the break began: the start of [heap]. 0: there is none yet. */
static uint64_t heap_start(uint64_t end)
{
    static char maps[65536];
    long fd = agent_raw(SYS_open, (long)"/proc/self/maps", 0, 0, 0, 0, 0), length = 0, got;
    uint64_t start = 0;
    if (fd < 0)
        return 0;
    while ((got = agent_raw(SYS_read, fd, (long)maps + length, (long)sizeof maps - 1 - length, 0, 0, 0)) > 0)
        length += got;
    agent_raw(SYS_close, fd, 0, 0, 0, 0, 0);
    for (char *line = maps; line < maps + length;) {
        char *next;
        uint64_t from = strtoull(line, &next, 16), to = *next == '-' ? strtoull(next + 1, &next, 16) : 0;
        if (from < end && to == end)
            start = from;
        while (line < maps + length && *line != '\n')
            line++;
        line++;
    }
    return start;
}

static bool map_ring(void)
{
    const char *number = getenv(AGENT_RING_VARIABLE);
    if (!number)
        return false;
    int fd = atoi(number);
    long size = agent_raw(SYS_lseek, fd, 0, SEEK_END, 0, 0, 0);
    if (size < AGENT_RING_HEADER)
        return false;
    void *memory = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    agent.descriptor = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR); /* out of the program's way */
    close(fd);
    if (memory == MAP_FAILED || ((struct agent_ring *)memory)->magic != AGENT_RING_MAGIC)
        return false;
    agent.ring = memory;
    agent.records = (struct agent_record *)(void *)((char *)memory + AGENT_RING_HEADER);
    return true;
}

/* Programs that this one starts are not traced, and see the environment that it had. */
static void restore_environment(void)
{
    const char *before = getenv(AGENT_PRELOAD_VARIABLE), *now = getenv("LD_PRELOAD");
    snprintf(agent.preload, sizeof agent.preload, "LD_PRELOAD=%s", now ? now : "");
    snprintf(agent.ring_word, sizeof agent.ring_word, AGENT_RING_VARIABLE "=%d", agent.descriptor);
    if (before && *before)
        setenv("LD_PRELOAD", before, 1);
    else
        unsetenv("LD_PRELOAD");
    unsetenv(AGENT_PRELOAD_VARIABLE);
    unsetenv(AGENT_RING_VARIABLE);
}

/* The C library is still used here; nothing is guarded before the last lines. */
__attribute__((constructor)) static void start(void)
{
    uint64_t data[2] = {0, 0};
    if (!map_ring())
        return;
    restore_environment();
    agent.pid = (uint32_t)getpid();
    agent.brk = (uint64_t)agent_raw(SYS_brk, 0, 0, 0, 0, 0, 0);
    uint64_t heap_end = (agent.brk + AGENT_PAGE - 1) & ~(uint64_t)(AGENT_PAGE - 1), heap = heap_start(heap_end);
    dl_iterate_phdr(trace_data, data);
    if (!handle(SIGSEGV, on_fault, ~UINT64_C(0)) || !handle(SIGTRAP, on_trap, ~UINT64_C(0)) ||
        !handle(SIGSYS, agent_on_call, 0) || !start_intervals() || !agent_watch_calls(&self)) {
        agent.ring->unsupported = 1;
        return;
    }
    agent.active = true;
    agent_lock();
    if (agent.ring->attached)
        agent_record(AGENT_EXEC, 0, 0);
    agent.ring->attached = 1;
    if (data[0] && agent.ring->range_count == 0)
        agent_region_add(data[0], data[1], PROT_READ | PROT_WRITE, false);
    if (heap && agent.ring->range_count == 0)
        agent_region_add(heap, heap_end, PROT_READ | PROT_WRITE, false);
    agent_unlock();
}
