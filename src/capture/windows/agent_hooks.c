/* capture/windows/agent_hooks.c: system calls of the target that the agent wants to know of.
 *
 * Memory comes and goes by few system calls, and all of them pass through ntdll, whatever function the program called.
 * A stub there begins with "mov r10, rcx; mov eax, NUMBER": eight bytes that can be moved. They give way to a jump to
 * our function; behind the moved bytes goes a jump back, and that is how the original is called. A stub that does
 * not look so (another tool was here before) is a reason to refuse.
 *
 * Reads and writes of files are here as well, because the kernel fails on a buffer that is trapped instead of faulting:
 * the pages of a buffer are counted as touched, and open while the call lasts. */
#include "capture/windows/agent_parts.h"

#include <winternl.h>

enum { MOVED = 8, JUMP = 14, THUNK = MOVED + JUMP + JUMP, WRITE_WATCH = 0x200000 };

typedef NTSTATUS NTAPI allocate_fn(HANDLE, void **, ULONG_PTR, SIZE_T *, ULONG, ULONG);
typedef NTSTATUS NTAPI free_fn(HANDLE, void **, SIZE_T *, ULONG);
typedef NTSTATUS NTAPI protect_fn(HANDLE, void **, SIZE_T *, ULONG, ULONG *);
typedef NTSTATUS NTAPI map_fn(HANDLE, HANDLE, void **, ULONG_PTR, SIZE_T, LARGE_INTEGER *, SIZE_T *, ULONG, ULONG,
                              ULONG);
typedef NTSTATUS NTAPI unmap_fn(HANDLE, void *);
typedef NTSTATUS NTAPI file_fn(HANDLE, HANDLE, void *, void *, void *, void *, ULONG, LARGE_INTEGER *, ULONG *);
typedef NTSTATUS NTAPI terminate_fn(HANDLE, NTSTATUS);

static allocate_fn *allocate;
static free_fn *release;
static protect_fn *protect;
static map_fn *map;
static unmap_fn *unmap;
static file_fn *read_file, *write_file;
static terminate_fn *terminate;
static uint64_t ntdll_start, ntdll_end;

static bool is_own(HANDLE process)
{
    return process == (HANDLE)(LONG_PTR)-1;
}

/* --- memory comes and goes -------------------------------------------------------------- */
NTSTATUS agent_allocate(void **base, SIZE_T *size, ULONG type, ULONG protection)
{
    return allocate((HANDLE)(LONG_PTR)-1, base, 0, size, type, protection);
}

/* What ntdll asks for itself is the heap's; its small pieces hold structures that are handed to the kernel. */
static bool is_heap_piece(const void *caller, SIZE_T size)
{
    enum { LARGE_BLOCK = 512 << 10 };
    uint64_t at = (uint64_t)(uintptr_t)caller;
    return at >= ntdll_start && at < ntdll_end && size < LARGE_BLOCK;
}

static NTSTATUS NTAPI on_allocate(HANDLE process, void **base, ULONG_PTR zero_bits, SIZE_T *size, ULONG type,
                                  ULONG protection)
{
    if (!is_own(process) || !agent_active || agent_lock_is_mine())
        return allocate(process, base, zero_bits, size, type, protection);
    if (agent_share->mode == AGENT_WRITES && (type & MEM_RESERVE || !*base) &&
        !(type & (MEM_LARGE_PAGES | MEM_PHYSICAL)) && *size >= agent_share->min_region_bytes)
        type |= MEM_RESERVE | WRITE_WATCH; /* committing at no address reserves as well, but then it must say so */
    agent_lock();
    NTSTATUS status = allocate(process, base, zero_bits, size, type, protection);
    uint64_t start = (uint64_t)(uintptr_t)*base, end = start + *size;
    if (status >= 0 && agent_active && type & MEM_COMMIT && !(type & MEM_LARGE_PAGES) && agent_wants(start, end) &&
        !is_heap_piece(__builtin_return_address(0), *size))
        agent_region_add(start, end, protection, false);
    agent_unlock();
    return status;
}

static NTSTATUS NTAPI on_free(HANDLE process, void **base, SIZE_T *size, ULONG type)
{
    if (!is_own(process) || !agent_active || agent_lock_is_mine())
        return release(process, base, size, type);
    agent_lock();
    NTSTATUS status = release(process, base, size, type);
    if (status >= 0 && agent_active)
        agent_region_remove((uint64_t)(uintptr_t)*base, (uint64_t)(uintptr_t)*base + *size);
    agent_unlock();
    return status;
}

static NTSTATUS NTAPI on_protect(HANDLE process, void **base, SIZE_T *size, ULONG protection, ULONG *before)
{
    if (!is_own(process) || !agent_active || agent_lock_is_mine())
        return protect(process, base, size, protection, before);
    agent_lock();
    const struct agent_region *region = agent_region_at((uint64_t)(uintptr_t)*base);
    ULONG had = region ? region->protection : 0;
    NTSTATUS status = protect(process, base, size, protection, before);
    if (status >= 0 && had)
        *before = had;
    if (status >= 0)
        agent_region_protected((uint64_t)(uintptr_t)*base, (uint64_t)(uintptr_t)*base + *size, protection);
    agent_unlock();
    return status;
}

static NTSTATUS NTAPI on_map(HANDLE section, HANDLE process, void **base, ULONG_PTR zero_bits, SIZE_T commit,
                             LARGE_INTEGER *offset, SIZE_T *size, ULONG inherit, ULONG type, ULONG protection)
{
    MEMORY_BASIC_INFORMATION info;
    NTSTATUS status = map(section, process, base, zero_bits, commit, offset, size, inherit, type, protection);
    if (status < 0 || !is_own(process) || !agent_active || agent_lock_is_mine())
        return status;
    uint64_t start = (uint64_t)(uintptr_t)*base, end = start + *size;
    agent_lock();
    if (agent_active && agent_wants(start, end) && !is_heap_piece(__builtin_return_address(0), 0) &&
        VirtualQuery(*base, &info, sizeof info) && info.Type == MEM_MAPPED && info.State == MEM_COMMIT)
        agent_region_add(start, start + info.RegionSize, protection, false);
    agent_unlock();
    return status;
}

static NTSTATUS NTAPI on_unmap(HANDLE process, void *base)
{
    if (!is_own(process) || !agent_active || agent_lock_is_mine())
        return unmap(process, base);
    agent_lock();
    NTSTATUS status = unmap(process, base);
    const struct agent_region *region = agent_region_at((uint64_t)(uintptr_t)base);
    if (status >= 0 && region)
        agent_region_remove(region->start, region->end);
    agent_unlock();
    return status;
}

/* --- buffers in the hands of the kernel ------------------------------------------------------- */
/* Counts the pages of a buffer as touched and opens them. False when none of them is traced. */
static bool open_buffer(uint64_t start, uint64_t end, uint8_t kind)
{
    bool any = false;
    if (agent_share->mode != AGENT_EXACT && agent_share->mode != AGENT_INTERVAL)
        return false;
    for (uint64_t page = start & ~(uint64_t)(AGENT_PAGE - 1); page < end; page += AGENT_PAGE) {
        const struct agent_region *region = agent_region_at(page);
        if (!region)
            continue;
        agent_emit(AGENT_TOUCH, kind, page > start ? page : start, 0);
        agent_open(region, page, page + AGENT_PAGE);
        agent_share->let_through++;
        any = true;
    }
    return any;
}

static void close_buffer(uint64_t start, uint64_t end)
{
    if (agent_share->mode != AGENT_EXACT)
        return; /* an interval's guards come back with the next one */
    for (uint64_t page = start & ~(uint64_t)(AGENT_PAGE - 1); page < end; page += AGENT_PAGE) {
        const struct agent_region *region = agent_region_at(page);
        if (region)
            agent_trap(region, page, page + AGENT_PAGE);
    }
}

static NTSTATUS with_buffer(file_fn *call, uint8_t kind, HANDLE file, HANDLE event, void *routine, void *context,
                            void *status, void *buffer, ULONG length, LARGE_INTEGER *offset, ULONG *key)
{
    enum { PENDING = 0x103 };
    uint64_t start = (uint64_t)(uintptr_t)buffer, end = start + length;
    bool opened = false;
    if (agent_active && length && !agent_lock_is_mine()) {
        agent_lock();
        opened = agent_active && open_buffer(start, end, kind);
        agent_unlock();
    }
    NTSTATUS result = call(file, event, routine, context, status, buffer, length, offset, key);
    if (opened && result != PENDING) { /* what is still under way stays open */
        agent_lock();
        if (agent_active)
            close_buffer(start, end);
        agent_unlock();
    }
    return result;
}

static NTSTATUS NTAPI on_read(HANDLE file, HANDLE event, void *routine, void *context, void *status, void *buffer,
                              ULONG length, LARGE_INTEGER *offset, ULONG *key)
{
    return with_buffer(read_file, 1, file, event, routine, context, status, buffer, length, offset, key);
}

static NTSTATUS NTAPI on_write(HANDLE file, HANDLE event, void *routine, void *context, void *status, void *buffer,
                               ULONG length, LARGE_INTEGER *offset, ULONG *key)
{
    return with_buffer(write_file, 0, file, event, routine, context, status, buffer, length, offset, key);
}

/* Ending kills the other threads first (handle 0). None may die in the middle of a step, with the lock in its hands. */
static NTSTATUS NTAPI on_terminate(HANDLE process, NTSTATUS status)
{
    if (process && !is_own(process))
        return terminate(process, status);
    bool mine = agent_lock_is_mine();
    if (!mine)
        agent_lock();
    if (process && agent_active) { /* at once, without the DLLs' leave */
        agent_sample_last();
        agent_emit(AGENT_END, 0, 0, 0);
    }
    NTSTATUS result = terminate(process, status);
    if (!mine)
        agent_unlock();
    return result;
}

/* --- putting them in ------------------------------------------------------------------------ */
struct hook {
    const char *name;
    void *ours;
    void **original;
};
static const struct hook hooks[] = {
    {"NtAllocateVirtualMemory", on_allocate, (void **)&allocate},
    {"NtFreeVirtualMemory", on_free, (void **)&release},
    {"NtProtectVirtualMemory", on_protect, (void **)&protect},
    {"NtMapViewOfSection", on_map, (void **)&map},
    {"NtUnmapViewOfSection", on_unmap, (void **)&unmap},
    {"NtReadFile", on_read, (void **)&read_file},
    {"NtWriteFile", on_write, (void **)&write_file},
    {"NtTerminateProcess", on_terminate, (void **)&terminate},
};
enum { HOOKS = sizeof hooks / sizeof hooks[0] };

static void put(uint8_t *to, const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = ((const uint8_t *)from)[i];
}

/* jmp [rip + 0]; the address */
static void put_jump(uint8_t *at, const void *target)
{
    static const uint8_t code[6] = {0xff, 0x25};
    put(at, code, sizeof code);
    put(at + sizeof code, &target, sizeof target);
}

/* Room for the thunks within reach of a 32-bit jump. */
static uint8_t *room_near(uint64_t place)
{
    enum { STEP = 1 << 16 };
    for (uint64_t at = (place & ~(uint64_t)(STEP - 1)) - STEP; at > STEP && place - at < 0x70000000; at -= STEP) {
        void *room =
            VirtualAlloc((void *)(uintptr_t)at, HOOKS * THUNK, MEM_RESERVE | MEM_COMMIT, PAGE_EXECUTE_READWRITE);
        if (room)
            return room;
    }
    return NULL;
}

static void set_hook(const struct hook *hook, uint8_t *stub, uint8_t *thunk)
{
    DWORD before;
    union {
        uint8_t bytes[MOVED];
        LONG64 whole;
    } patch = {.bytes = {0xe9, 0, 0, 0, 0, 0x90, 0x90, 0x90}};
    int32_t distance = (int32_t)(thunk + MOVED + JUMP - (stub + 5));
    put(patch.bytes + 1, &distance, sizeof distance);
    put(thunk, stub, MOVED); /* the original begins here */
    put_jump(thunk + MOVED, stub + MOVED);
    put_jump(thunk + MOVED + JUMP, hook->ours);
    *hook->original = thunk;
    VirtualProtect(stub, MOVED, PAGE_EXECUTE_READWRITE, &before);
    InterlockedExchange64((volatile LONG64 *)stub, patch.whole); /* stubs are aligned: the bytes change at once */
    VirtualProtect(stub, MOVED, before, &before);
}

static bool looks_well(const uint8_t *stub)
{
    return stub && (uintptr_t)stub % MOVED == 0 && stub[0] == 0x4c && stub[1] == 0x8b && stub[2] == 0xd1 &&
           stub[3] == 0xb8;
}

bool agent_hooks_set(void)
{
    HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
    uint8_t *stub[HOOKS];
    const IMAGE_NT_HEADERS *head =
        (const IMAGE_NT_HEADERS *)((const uint8_t *)ntdll + ((const IMAGE_DOS_HEADER *)ntdll)->e_lfanew);
    ntdll_start = (uint64_t)(uintptr_t)ntdll;
    ntdll_end = ntdll_start + head->OptionalHeader.SizeOfImage;
    for (size_t i = 0; i < HOOKS; i++) {
        stub[i] = (uint8_t *)(uintptr_t)GetProcAddress(ntdll, hooks[i].name);
        if (!looks_well(stub[i]))
            return false;
    }
    uint8_t *room = room_near(ntdll_start);
    if (!room)
        return false;
    agent_threads_stop(); /* nobody is between the bytes that change */
    for (size_t i = 0; i < HOOKS; i++)
        set_hook(&hooks[i], stub[i], room + i * THUNK);
    agent_threads_go();
    FlushInstructionCache(GetCurrentProcess(), NULL, 0);
    return true;
}
