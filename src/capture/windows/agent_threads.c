/* capture/windows/agent_threads.c: the other threads of the target, and how they are made to stand still.
 *
 * While one thread makes its single step a page is open, and what others touch there would pass unseen. So they are
 * suspended for that moment. A thread must not be caught while it holds a lock of the system that the way into an
 * exception handler needs: one whose instruction lies in ntdll is let go again until it is elsewhere, or has just
 * gone into the kernel (it stands behind the system call then, and holds none of those locks). */
#include "capture/windows/agent_parts.h"

#include <tlhelp32.h>

enum { THREADS = 1024, TRIES = 20000 };

struct thread {
    DWORD id;
    HANDLE handle;
    volatile LONG waits; /* for our lock: touches nothing meanwhile */
    bool stopped;
};
static struct thread threads[THREADS]; /* under the lock, but for `waits` */
static volatile LONG used;             /* entries in use, or once in use */
static uint64_t ntdll_start, ntdll_end;

static struct thread *find(DWORD id)
{
    for (LONG i = 0; i < used; i++)
        if (threads[i].id == id)
            return &threads[i];
    return NULL;
}

static void add(DWORD id)
{
    struct thread *entry = find(id);
    if (entry)
        return;
    entry = find(0);
    if (!entry) {
        if (used == THREADS)
            return;
        entry = &threads[used];
    }
    HANDLE handle = OpenThread(THREAD_SUSPEND_RESUME | THREAD_GET_CONTEXT, FALSE, id);
    if (!handle)
        return;
    *entry = (struct thread){.id = id, .handle = handle};
    if (entry == &threads[used])
        used++;
}

void agent_thread_begins(void)
{
    agent_lock();
    add(GetCurrentThreadId());
    agent_unlock();
}

void agent_thread_ends(void)
{
    agent_lock();
    struct thread *entry = find(GetCurrentThreadId());
    if (entry) {
        CloseHandle(entry->handle);
        *entry = (struct thread){0};
    }
    agent_unlock();
}

void agent_thread_waits(bool waits)
{
    struct thread *entry = find(GetCurrentThreadId());
    if (entry)
        InterlockedExchange(&entry->waits, waits);
}

static void find_ntdll(void)
{
    const uint8_t *base = (const uint8_t *)GetModuleHandleW(L"ntdll.dll");
    const IMAGE_NT_HEADERS *head = (const IMAGE_NT_HEADERS *)(base + ((const IMAGE_DOS_HEADER *)base)->e_lfanew);
    ntdll_start = (uint64_t)base;
    ntdll_end = ntdll_start + head->OptionalHeader.SizeOfImage;
}

void agent_threads_find(void)
{
    THREADENTRY32 entry = {.dwSize = sizeof entry};
    find_ntdll();
    HANDLE list = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
    if (list == INVALID_HANDLE_VALUE)
        return;
    for (BOOL more = Thread32First(list, &entry); more; more = Thread32Next(list, &entry))
        if (entry.th32OwnerProcessID == GetCurrentProcessId())
            add(entry.th32ThreadID);
    CloseHandle(list);
}

/* Just behind a system call: syscall; ret or (wine) call [absolute address]; ret. */
static bool is_behind_call(uint64_t at)
{
    const uint8_t *code = (const uint8_t *)at;
    if (at < ntdll_start + 8 || at >= ntdll_end || code[0] != 0xc3)
        return false;
    return (code[-2] == 0x0f && code[-1] == 0x05) || (code[-7] == 0xff && code[-6] == 0x14 && code[-5] == 0x25);
}

static bool stands_well(HANDLE thread)
{
    CONTEXT context;
    context.ContextFlags = CONTEXT_CONTROL;
    if (!GetThreadContext(thread, &context))
        return true; /* it is ending */
    return context.Rip < ntdll_start || context.Rip >= ntdll_end || is_behind_call(context.Rip);
}

static void stop(struct thread *thread)
{
    for (int tries = 0; tries < TRIES; tries++) {
        if (thread->waits || SuspendThread(thread->handle) == (DWORD)-1)
            return;
        /* Once more: it may have begun to wait, or have got the answer, before it was caught. */
        if (!thread->waits && stands_well(thread->handle)) {
            thread->stopped = true;
            return;
        }
        ResumeThread(thread->handle);
        SwitchToThread();
    }
}

void agent_threads_stop(void)
{
    DWORD self = GetCurrentThreadId();
    for (LONG i = 0; i < used; i++)
        if (threads[i].id && threads[i].id != self)
            stop(&threads[i]);
}

void agent_threads_go(void)
{
    for (LONG i = 0; i < used; i++) {
        if (!threads[i].stopped)
            continue;
        threads[i].stopped = false;
        ResumeThread(threads[i].handle);
    }
}
