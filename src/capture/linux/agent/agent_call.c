/* capture/linux/agent/agent_call.c: system calls of the program, which come here as SIGSYS.
 *
 *   memory calls (mmap, munmap, mprotect, mremap, brk)   made under the lock; the table of regions follows
 *   calls with buffers                                    their traced pages are open during the call; what the kernel
 * read
 *                                                         or wrote is recorded after it (known calls), else counted
 *   clone, fork, vfork                                    let through: the thread makes the call itself, and traps
 * behind it
 *   signals                                               the program cannot take or block the three that are ours
 *
 * While a call holds a page open, other threads' touches of it are not seen. */
#include "config.h"

#include "capture/linux/agent/agent.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

enum { BUFFERS_MAX = 40, POINTER_WINDOW = 2 * AGENT_PAGE, TRAP_FLAG = 0x100, MAP_LIBRARY = 0x800 /* MAP_DENYWRITE */ };

enum use { USE_READ, USE_WRITE, USE_UNKNOWN }; /* what the kernel does with a buffer */

struct buffer {
    uint64_t start, size;
    enum use use;
    bool by_result; /* only so many bytes as the call returns */
    bool pointer;   /* an argument that may point somewhere: counts when that is traced memory */
};

struct call {
    long number;
    uint64_t argument[6];
    struct buffer buffer[BUFFERS_MAX];
    int count;
};

/* --- signals of the program's ------------------------------------------------------------ */
static struct agent_action program_action[65];

void agent_pass_on(int signal_number, ucontext_t *context)
{
    /* The default ends the program when the instruction goes again; a handler of its own gets it then. */
    struct agent_action action = program_action[signal_number];
    if (!action.handler)
        action.restorer = agent_restorer, action.flags |= 0x04000000;
    agent_raw(SYS_rt_sigaction, signal_number, (long)&action, 0, 8, 0, 0);
    if (signal_number == SIGTRAP) /* a breakpoint lies behind us: it does not go again by itself */
        agent_raw(SYS_tgkill, (long)agent.pid, (long)agent_self()->tid, signal_number, 0, 0, 0);
}

static bool is_ours(long signal_number)
{
    return signal_number == SIGSEGV || signal_number == SIGTRAP || signal_number == SIGSYS;
}

static long set_action(const uint64_t *argument)
{
    const struct agent_action *wanted = (const void *)(uintptr_t)argument[1];
    struct agent_action *before = (void *)(uintptr_t)argument[2], copy;
    long number = (long)argument[0];
    if (is_ours(number)) {
        struct agent_action old = program_action[number];
        if (wanted)
            program_action[number] = *wanted;
        if (before)
            *before = old;
        return 0;
    }
    if (wanted) {
        copy = *wanted;
        copy.mask &= ~AGENT_SIGNALS;
    }
    struct agent_action old;
    long result = agent_raw(SYS_rt_sigaction, number, wanted ? (long)&copy : 0, before ? (long)&old : 0,
                            (long)argument[3], 0, 0);
    if (result == 0 && before)
        *before = old;
    return result;
}

/* Of the thread that called: the mask that holds when its handler returns. */
static long set_mask(const uint64_t *argument, ucontext_t *context)
{
    uint64_t *present = (uint64_t *)(void *)&context->uc_sigmask;
    const uint64_t *wanted = (const void *)(uintptr_t)argument[1];
    uint64_t *before = (void *)(uintptr_t)argument[2], old = *present;
    if (argument[3] != 8)
        return -22; /* EINVAL */
    if (wanted) {
        uint64_t mask = *wanted;
        if (argument[0] == SIG_BLOCK)
            *present |= mask;
        else if (argument[0] == SIG_UNBLOCK)
            *present &= ~mask;
        else if (argument[0] == SIG_SETMASK)
            *present = mask;
        else
            return -22;
        *present &= ~AGENT_SIGNALS;
    }
    if (before)
        *before = old;
    return 0;
}

/* --- memory calls --------------------------------------------------------------------------- */
static uint64_t page_up(uint64_t address)
{
    return (address + AGENT_PAGE - 1) & ~(uint64_t)(AGENT_PAGE - 1);
}

static bool failed(long result)
{
    return (unsigned long)result > -4096UL;
}

static void after_map(const uint64_t *argument, uint64_t start)
{
    uint64_t end = start + page_up(argument[1]);
    int prot = (int)argument[2], flags = (int)argument[3];
    bool is_file = !(flags & MAP_ANONYMOUS);
    bool odd =
        (flags & (MAP_STACK | MAP_GROWSDOWN | MAP_LIBRARY | MAP_HUGETLB)) || (prot & PROT_EXEC) || (is_file && !prot);
    agent_region_remove(start, end);
    if (!odd && agent_region_wanted(start, end))
        agent_region_add(start, end, prot, is_file);
}

static long do_mmap(const uint64_t *a)
{
    long result = agent_raw(SYS_mmap, (long)a[0], (long)a[1], (long)a[2], (long)a[3], (long)a[4], (long)a[5]);
    if (!failed(result))
        after_map(a, (uint64_t)result);
    return result;
}

static long do_munmap(const uint64_t *a)
{
    long result = agent_raw(SYS_munmap, (long)a[0], (long)a[1], 0, 0, 0, 0);
    if (!failed(result)) {
        uint64_t end = a[0] + page_up(a[1]);
        if (agent_region_touches(a[0], end))
            agent_record(AGENT_FREE, a[0], end - a[0]);
        agent_region_remove(a[0], end);
    }
    return result;
}

/* Traced memory gets the rights in the table alone. A range that lies within one region, as those of allocators do. */
static long do_mprotect(const uint64_t *a)
{
    uint64_t start = a[0], end = a[0] + page_up(a[1]);
    const struct agent_region *region = agent_any_region_of(start);
    int prot = (int)a[2];
    if (region && region->end >= end && !(prot & PROT_EXEC)) {
        if (region->prot)
            agent_region_set(start, end, prot, region->is_file); /* only rights change: it is guarded already */
        else
            agent_region_add(start, end, prot, region->is_file); /* what was reserved is committed */
        return 0;
    }
    long result = agent_raw(SYS_mprotect, (long)start, (long)a[1], prot, 0, 0, 0);
    if (!failed(result) && (prot & PROT_EXEC))
        agent_region_remove(start, end);
    else
        agent_guard(start, end);
    return result;
}

static long do_mremap(const uint64_t *a)
{
    const struct agent_region *region = agent_region_of(a[0]);
    struct agent_region old = region ? *region : (struct agent_region){0};
    uint64_t old_end = a[0] + page_up(a[1]), size = page_up(a[2]);
    long result = agent_raw(SYS_mremap, (long)a[0], (long)a[1], (long)a[2], (long)a[3], (long)a[4], 0);
    if (failed(result) || !region)
        return result;
    uint64_t start = (uint64_t)result, end = start + size;
    if (start == a[0]) { /* grown or shrunk where it is */
        if (end > old_end)
            agent_region_add(old_end, end, old.prot, old.is_file);
        else if (end < old_end) {
            agent_record(AGENT_FREE, end, old_end - end);
            agent_region_remove(end, old_end);
        }
        return result;
    }
    agent_record(AGENT_FREE, a[0], old_end - a[0]);
    agent_region_remove(a[0], old_end);
    agent_region_add(start, end, old.prot, old.is_file);
    return result;
}

static long do_brk(const uint64_t *a)
{
    uint64_t before = page_up(agent.brk);
    long result = agent_raw(SYS_brk, (long)a[0], 0, 0, 0, 0, 0);
    uint64_t after = page_up((uint64_t)result);
    agent.brk = (uint64_t)result;
    if (agent.ring->range_count)
        return result;
    if (after > before) {
        agent_region_add(before, after, PROT_READ | PROT_WRITE, false);
    } else if (after < before) {
        agent_record(AGENT_FREE, after, before - after);
        agent_region_remove(after, before);
    }
    return result;
}

/* --- calls with buffers ------------------------------------------------------------------------ */
struct shape { /* which argument is a buffer, which its length */
    short number;
    signed char buffer, length;
    unsigned char use;
};

static const struct shape shapes[] = {
    {SYS_read, 1, 2, USE_WRITE},     {SYS_write, 1, 2, USE_READ},     {SYS_pread64, 1, 2, USE_WRITE},
    {SYS_pwrite64, 1, 2, USE_READ},  {SYS_recvfrom, 1, 2, USE_WRITE}, {SYS_sendto, 1, 2, USE_READ},
    {SYS_getdents64, 1, 2, USE_WRITE}, {SYS_getrandom, 0, 1, USE_WRITE}, {SYS_getcwd, 0, 1, USE_WRITE},
    {SYS_readlink, 1, 2, USE_WRITE},
};

static void add_buffer(struct call *call, uint64_t start, uint64_t size, enum use use, bool by_result)
{
    if (start && size && call->count < BUFFERS_MAX)
        call->buffer[call->count++] = (struct buffer){start, size, use, by_result, false};
}

static void add_pointer(struct call *call, uint64_t start, uint64_t size)
{
    if (start >= 65536 && call->count < BUFFERS_MAX)
        call->buffer[call->count++] = (struct buffer){start, size, USE_UNKNOWN, false, true};
}

static void add_vector(struct call *call, uint64_t array, uint64_t count, enum use use)
{
    const struct iovec *vector = (const void *)(uintptr_t)array;
    add_buffer(call, array, count * sizeof *vector, USE_UNKNOWN, false);
    for (uint64_t i = 0; i < count && i < 32; i++) /* may itself fault, and is then recorded as a read */
        add_buffer(call, (uint64_t)(uintptr_t)vector[i].iov_base, vector[i].iov_len, use, true);
}

static void add_message(struct call *call, uint64_t address, enum use use)
{
    const struct msghdr *message = (const void *)(uintptr_t)address;
    add_buffer(call, address, sizeof *message, USE_UNKNOWN, false);
    add_buffer(call, (uint64_t)(uintptr_t)message->msg_name, message->msg_namelen, USE_UNKNOWN, false);
    add_buffer(call, (uint64_t)(uintptr_t)message->msg_control, message->msg_controllen, USE_UNKNOWN, false);
    add_vector(call, (uint64_t)(uintptr_t)message->msg_iov, message->msg_iovlen, use);
}

static void find_buffers(struct call *call)
{
    const uint64_t *a = call->argument;
    switch (call->number) {
    case SYS_readv:
    case SYS_preadv:
    case SYS_preadv2:
        add_vector(call, a[1], a[2], USE_WRITE);
        return;
    case SYS_writev:
    case SYS_pwritev:
    case SYS_pwritev2:
        add_vector(call, a[1], a[2], USE_READ);
        return;
    case SYS_futex: /* waits: no more than the word may stand open meanwhile */
        add_buffer(call, a[0], 4, USE_UNKNOWN, false);
        add_pointer(call, a[3], 16);
        return;
    case SYS_recvmsg:
        add_message(call, a[1], USE_WRITE);
        return;
    case SYS_sendmsg:
        add_message(call, a[1], USE_READ);
        return;
    }
    int known = -1;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (shapes[i].number == call->number) {
            add_buffer(call, a[(int)shapes[i].buffer], a[(int)shapes[i].length], (enum use)shapes[i].use, true);
            known = shapes[i].buffer;
        }
    for (int i = 0; i < 6; i++) /* any other argument may point to something small, or a path, in traced memory */
        if (i != known)
            add_pointer(call, a[i], POINTER_WINDOW);
}

static uint64_t first_page(const struct buffer *buffer)
{
    return buffer->start & ~(uint64_t)(AGENT_PAGE - 1);
}

/* Keeps those that have traced pages, and opens them. */
static void open_buffers(struct call *call)
{
    int kept = 0;
    for (int i = 0; i < call->count; i++) {
        struct buffer *buffer = &call->buffer[i];
        uint64_t start = first_page(buffer), end = page_up(buffer->start + buffer->size);
        bool traced = buffer->pointer ? agent_region_of(buffer->start) != NULL : agent_region_touches(start, end);
        if (end <= start || !traced || !agent_hold(start, end))
            continue;
        agent_open(start, end);
        call->buffer[kept++] = *buffer;
    }
    call->count = kept;
}

static void close_buffers(struct call *call, long result)
{
    uint64_t left = failed(result) ? 0 : (uint64_t)result;
    for (int i = 0; i < call->count; i++) {
        struct buffer *buffer = &call->buffer[i];
        uint64_t start = first_page(buffer), end = page_up(buffer->start + buffer->size);
        uint64_t used = buffer->by_result ? (left < buffer->size ? left : buffer->size) : 0;
        agent_release(start, end);
        if (agent.active)
            agent_guard(start, end);
        if (buffer->by_result)
            left -= used;
        if (buffer->use == USE_UNKNOWN)
            agent.ring->open_calls++;
        else
            for (uint64_t at = buffer->start; used > 0 && at < buffer->start + used; at = (at & ~(uint64_t)4095) + 4096)
                if (agent_region_of(at))
                    agent_record(buffer->use == USE_WRITE ? AGENT_WRITE : AGENT_READ, at, 1);
    }
}

static uint64_t block_signals(void)
{
    uint64_t all = ~AGENT_SIGNALS, before = 0;
    agent_raw(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&before, 8, 0, 0);
    return before;
}

static void restore_signals(uint64_t mask)
{
    agent_raw(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8, 0, 0);
}

static long make(const struct call *call)
{
    const uint64_t *a = call->argument;
    return agent_raw(call->number, (long)a[0], (long)a[1], (long)a[2], (long)a[3], (long)a[4], (long)a[5]);
}

static long do_call(struct call *call)
{
    find_buffers(call);
    if (!agent.active || call->count == 0)
        return make(call);
    uint64_t mask = block_signals();
    agent_lock();
    open_buffers(call);
    agent_unlock();
    restore_signals(mask);
    long result = make(call);
    if (call->count == 0)
        return result;
    mask = block_signals();
    agent_lock();
    close_buffers(call, result);
    agent_unlock();
    restore_signals(mask);
    return result;
}

/* --- calls that the thread must make itself ------------------------------------------------------- */
static void let_through(struct agent_thread *thread, ucontext_t *context, bool shares_memory)
{
    greg_t *registers = context->uc_mcontext.gregs;
    registers[REG_RIP] -= 2; /* the length of `syscall` */
    registers[REG_EFL] |= TRAP_FLAG;
    thread->selector = 0;
    thread->native = true;
    if (shares_memory && agent.active) {
        agent_lock();
        agent_open_all(); /* until the child is another program */
        thread->opened_all = true;
    }
}

static bool is_vfork(const struct call *call)
{
    uint64_t flags = 0;
    if (call->number == SYS_vfork)
        return true;
    if (call->number == SYS_clone)
        flags = call->argument[0];
#ifdef SYS_clone3
    if (call->number == SYS_clone3)
        flags = *(const uint64_t *)(uintptr_t)call->argument[0];
#endif
    return (flags & CLONE_VM) && !(flags & CLONE_THREAD);
}

static bool begins_with(const char *text, const char *start)
{
    while (*start && *text == *start)
        text++, start++;
    return !*start;
}

/* The environment of the new program, and our three words in it: the same process goes on being traced. NULL: too long.
 * */
static char **followed_environment(char *const *given)
{
    enum { WORDS_MAX = 4096 };
    static char *words[WORDS_MAX];
    static char before[4096];
    size_t count = 0, length = 0;
    for (const char *from = AGENT_PRELOAD_VARIABLE "="; *from; from++)
        before[length++] = *from;
    for (; given && *given; given++) {
        if (begins_with(*given, "LD_PRELOAD=")) /* what it would have had; it gets it back at its start */
            for (const char *from = *given + 11; *from && length < sizeof before - 1; from++)
                before[length++] = *from;
        else if (count < WORDS_MAX - 4)
            words[count++] = *given;
        else
            return NULL;
    }
    before[length] = '\0';
    words[count++] = before;
    words[count++] = agent.preload;
    words[count++] = agent.ring_word;
    words[count] = NULL;
    return words;
}

static long do_exec(struct call *call)
{
    int place = call->number == SYS_execve ? 2 : 3;
    char **environment = followed_environment((char *const *)(uintptr_t)call->argument[place]);
    if (environment) {
        call->argument[place] = (uint64_t)(uintptr_t)environment;
        agent_raw(SYS_fcntl, agent.descriptor, F_SETFD, 0, 0, 0, 0);
    }
    agent_lock();
    agent_open_all();
    long result = make(call);
    if (agent.active)
        agent_guard_all();
    agent_unlock();
    agent_raw(SYS_fcntl, agent.descriptor, F_SETFD, FD_CLOEXEC, 0, 0, 0);
    return result;
}

static long do_memory(struct call *call)
{
    const uint64_t *a = call->argument;
    uint64_t mask = block_signals();
    long result;
    agent_lock();
    switch (call->number) {
    case SYS_mmap:
        result = do_mmap(a);
        break;
    case SYS_munmap:
        result = do_munmap(a);
        break;
    case SYS_mprotect:
        result = do_mprotect(a);
        break;
    case SYS_mremap:
        result = do_mremap(a);
        break;
    default:
        result = do_brk(a);
    }
    agent_unlock();
    restore_signals(mask);
    return result;
}

/* The tool reads the pages of the program while they are there. */
static void wait_for_release(void)
{
    static const long pause[2] = {0, 200000};
    struct agent_ring *ring = agent.ring;
    if (!ring->hold_exit || !agent.active)
        return;
    __atomic_store_n(&ring->exiting, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&ring->released, __ATOMIC_ACQUIRE) && !ring->stop &&
           agent_raw(SYS_kill, (long)ring->tool, 0, 0, 0, 0, 0) == 0)
        agent_raw(SYS_nanosleep, (long)pause, 0, 0, 0, 0, 0);
}

/* False: the result is not to be set. */
static bool dispatch(struct call *call, struct agent_thread *thread, ucontext_t *context, long *result)
{
    switch (call->number) {
    case SYS_rt_sigreturn:
        context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)agent_restorer;
        return false;
    case SYS_clone:
    case SYS_fork:
    case SYS_vfork:
#ifdef SYS_clone3
    case SYS_clone3:
#endif
        let_through(thread, context, is_vfork(call));
        return false;
    case SYS_execve:
    case SYS_execveat:
        *result = do_exec(call);
        return true;
    case SYS_exit_group:
        wait_for_release();
        *result = make(call);
        return true;
    case SYS_rt_sigaction:
        *result = set_action(call->argument);
        return true;
    case SYS_rt_sigprocmask:
        *result = set_mask(call->argument, context);
        return true;
    case SYS_mmap:
    case SYS_munmap:
    case SYS_mprotect:
    case SYS_mremap:
    case SYS_brk:
        *result = agent.active ? do_memory(call) : make(call);
        return true;
    default:
        *result = do_call(call);
        return true;
    }
}

void agent_on_call(int signal_number, siginfo_t *info, void *raw)
{
    ucontext_t *context = raw;
    greg_t *registers = context->uc_mcontext.gregs;
    struct call call = {
        .number = registers[REG_RAX],
        .argument = {(uint64_t)registers[REG_RDI], (uint64_t)registers[REG_RSI], (uint64_t)registers[REG_RDX],
                     (uint64_t)registers[REG_R10], (uint64_t)registers[REG_R8], (uint64_t)registers[REG_R9]},
    };
    long result;
    if (dispatch(&call, agent_self(), context, &result))
        registers[REG_RAX] = result;
}
