/* capture/windows/debugger_calls.c: the system calls that a tracing debugger stops at.
 *
 * A stub of ntdll begins with "mov r10, rcx" and ends with "ret" behind its system call. A breakpoint stands on each;
 * what the hidden instruction does is done on the thread's registers instead, so the breakpoints never have to be taken
 * out. ntdll lies at the same address in every process of one boot. */
#include "capture/windows/debugger.h"

#include <string.h>

enum { STUB_BYTES = 48, RETURNS_MAX = 3 };

struct stub {
    const char *name;
    enum debugger_call call;
    uint64_t entry;
    uint64_t back[RETURNS_MAX]; /* its returns */
    unsigned back_count;
};
static struct stub stubs[] = {
    {"NtAllocateVirtualMemory", CALL_ALLOCATE, 0, {0}, 0},
    {"NtFreeVirtualMemory", CALL_FREE, 0, {0}, 0},
    {"NtReadFile", CALL_READ, 0, {0}, 0},
    {"NtWriteFile", CALL_WRITE, 0, {0}, 0},
};

/* --- the target's memory ---------------------------------------------------------------- */
static uint64_t peek(const struct debugger *debugger, uint64_t address)
{
    uint64_t value = 0;
    ReadProcessMemory(debugger->target.process, (void *)(uintptr_t)address, &value, sizeof value, NULL);
    return value;
}

static bool poke_byte(const struct debugger *debugger, uint64_t address, uint8_t byte)
{
    void *at = (void *)(uintptr_t)address;
    bool done = WriteProcessMemory(debugger->target.process, at, &byte, 1, NULL);
    FlushInstructionCache(debugger->target.process, at, 1);
    return done;
}

/* --- finding the places ------------------------------------------------------------------- */
static void find_returns(struct stub *stub, const uint8_t *code)
{
    stub->back_count = 0;
    for (unsigned i = 8; i < STUB_BYTES && stub->back_count < RETURNS_MAX; i++) {
        bool call = (code[i - 2] == 0x0f && code[i - 1] == 0x05) || (code[i - 2] == 0xcd && code[i - 1] == 0x2e) ||
                    (i >= 15 && code[i - 7] == 0xff && code[i - 6] == 0x14 && code[i - 5] == 0x25);
        if (code[i] == 0xc3 && call)
            stub->back[stub->back_count++] = stub->entry + i;
        if (i > 8 && i % 16 == 0 && code[i] == 0x4c && code[i + 1] == 0x8b) /* the next stub */
            break;
    }
}

static bool look(struct stub *stub)
{
    static const uint8_t start[4] = {0x4c, 0x8b, 0xd1, 0xb8};
    const uint8_t *code = (const uint8_t *)(void *)GetProcAddress(GetModuleHandleW(L"ntdll.dll"), stub->name);
    stub->entry = (uint64_t)(uintptr_t)code;
    if (!code || memcmp(code, start, sizeof start) != 0)
        return false;
    find_returns(stub, code);
    return stub->back_count > 0;
}

enum pl_err debugger_set_breakpoints(struct debugger *debugger, struct pl_error *err)
{
    for (size_t i = 0; i < PL_COUNT_OF(stubs); i++)
        if (!look(&stubs[i]))
            return pl_fail(err, PL_ERR_RESOURCE,
                           "%s of this Windows does not look as expected, so memory cannot be followed", stubs[i].name);
    for (size_t i = 0; i < PL_COUNT_OF(stubs); i++) {
        bool done = poke_byte(debugger, stubs[i].entry, 0xcc);
        for (unsigned k = 0; k < stubs[i].back_count; k++)
            done = done && poke_byte(debugger, stubs[i].back[k], 0xcc);
        if (!done)
            return windows_fail(err, GetLastError(), "cannot set a breakpoint in %s", debugger->target.name);
    }
    debugger->breakpoints = debugger->ready = true;
    return PL_OK;
}

void debugger_clear_breakpoints(struct debugger *debugger)
{
    if (!debugger->breakpoints)
        return;
    for (size_t i = 0; i < PL_COUNT_OF(stubs); i++) {
        poke_byte(debugger, stubs[i].entry, 0x4c);
        for (unsigned k = 0; k < stubs[i].back_count; k++)
            poke_byte(debugger, stubs[i].back[k], 0xc3);
    }
    debugger->breakpoints = false;
}

/* --- regions ----------------------------------------------------------------------------------- */
const struct debugger_region *debugger_region_at(const struct debugger *debugger, uint64_t address)
{
    for (size_t i = 0; i < debugger->region_count; i++)
        if (debugger->region[i].start <= address && address < debugger->region[i].end)
            return &debugger->region[i];
    return NULL;
}

static void add_region(struct debugger *debugger, uint64_t start, uint64_t end, DWORD protection)
{
    if (!pl_capture_wants(debugger->request, start, end) ||
        pl_grow((void **)&debugger->region, &debugger->region_capacity, debugger->region_count + 1,
                sizeof *debugger->region, "regions", NULL))
        return;
    debugger->region[debugger->region_count++] = (struct debugger_region){start, end, protection};
    debugger->result->regions++;
    debugger->result->traced_bytes += end - start;
    debugger_protect(debugger, start, end, PAGE_NOACCESS);
}

/* A freed stretch takes the regions it meets with it; what is left of one that is freed in part is opened. */
static void remove_regions(struct debugger *debugger, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < debugger->region_count;) {
        struct debugger_region region = debugger->region[i];
        if (region.end <= start || end <= region.start) {
            i++;
            continue;
        }
        debugger->region[i] = debugger->region[--debugger->region_count];
        if (region.start < start)
            debugger_protect(debugger, region.start, start, region.protection);
        if (end < region.end)
            debugger_protect(debugger, end, region.end, region.protection);
    }
    pl_recorder_free(debugger->recorder, start, end - start, target_now(&debugger->target));
}

void debugger_find_regions(struct debugger *debugger)
{
    enum { PIECE = 1 << 20 }; /* smaller private memory may be stacks, heaps and what the loader needs */
    MEMORY_BASIC_INFORMATION info;
    for (char *at = NULL; VirtualQueryEx(debugger->target.process, at, &info, sizeof info);
         at = (char *)info.BaseAddress + info.RegionSize) {
        uint64_t start = (uint64_t)(uintptr_t)info.BaseAddress;
        if (info.State == MEM_COMMIT && info.Type != MEM_IMAGE && info.Protect == PAGE_READWRITE &&
            info.BaseAddress == info.AllocationBase && (info.RegionSize >= PIECE || debugger->request->range_count) &&
            !(windows_wine_version() && info.RegionSize == PIECE)) /* a stack of wine's own */
            add_region(debugger, start, start + info.RegionSize, info.Protect);
    }
}

void debugger_open_regions(struct debugger *debugger)
{
    for (size_t i = 0; i < debugger->region_count; i++)
        debugger_protect(debugger, debugger->region[i].start, debugger->region[i].end, debugger->region[i].protection);
    debugger->region_count = 0;
}

/* --- calls ---------------------------------------------------------------------------------------- */
/* A buffer's pages are counted and opened for the call, or closed behind it. */
static void buffer(struct debugger *debugger, struct debugger_thread *thread, bool open)
{
    uint64_t start = thread->base_at, end = start + thread->size_at;
    for (uint64_t page = start & ~(uint64_t)(DEBUGGER_PAGE - 1); page < end; page += DEBUGGER_PAGE) {
        const struct debugger_region *region = debugger_region_at(debugger, page);
        if (!region)
            continue;
        debugger_protect(debugger, page, page + DEBUGGER_PAGE, open ? region->protection : PAGE_NOACCESS);
        if (!open)
            continue;
        debugger->result->untraced_faults++;
        pl_recorder_touch(debugger->recorder, thread->call == CALL_READ ? PL_WRITE : PL_READ,
                          page > start ? page : start, 0, target_now(&debugger->target));
    }
}

/* What ntdll asks for itself is the heap's: small pieces of it are left alone, as the agent does. */
static bool is_heap_piece(const struct debugger *debugger, const CONTEXT *context)
{
    enum { LARGE_BLOCK = 512 << 10 };
    const uint8_t *base = (const uint8_t *)GetModuleHandleW(L"ntdll.dll");
    const IMAGE_NT_HEADERS *head = (const IMAGE_NT_HEADERS *)(base + ((const IMAGE_DOS_HEADER *)base)->e_lfanew);
    uint64_t caller = peek(debugger, context->Rsp), start = (uint64_t)(uintptr_t)base;
    return caller - start < head->OptionalHeader.SizeOfImage && peek(debugger, context->R9) < LARGE_BLOCK;
}

/* Arguments one to four are in registers, the others behind the return address and 32 bytes of room. */
static void enter(struct debugger *debugger, struct debugger_thread *thread, enum debugger_call call,
                  const CONTEXT *context)
{
    enum { FIFTH = 0x28, SIXTH = 0x30, SEVENTH = 0x38 };
    thread->call = CALL_NONE;
    if (call == CALL_READ || call == CALL_WRITE) {
        thread->call = call;
        thread->base_at = peek(debugger, context->Rsp + SIXTH);
        thread->size_at = (uint32_t)peek(debugger, context->Rsp + SEVENTH);
        buffer(debugger, thread, true);
        return;
    }
    if (context->Rcx != UINT64_MAX) /* another process's memory */
        return;
    if (call == CALL_ALLOCATE && is_heap_piece(debugger, context))
        return;
    thread->call = call;
    thread->base_at = context->Rdx;
    thread->size_at = call == CALL_ALLOCATE ? context->R9 : context->R8;
    thread->type = (uint32_t)(call == CALL_ALLOCATE ? peek(debugger, context->Rsp + FIFTH) : context->R9);
    thread->protection = (uint32_t)peek(debugger, context->Rsp + SIXTH);
}

static void leave(struct debugger *debugger, struct debugger_thread *thread, const CONTEXT *context)
{
    enum { PENDING = 0x103 };
    int32_t status = (int32_t)context->Rax;
    enum debugger_call call = thread->call;
    if (call == CALL_READ || call == CALL_WRITE) {
        if (status != PENDING)
            buffer(debugger, thread, false);
    } else if (call != CALL_NONE && status >= 0) {
        uint64_t start = peek(debugger, thread->base_at), end = start + peek(debugger, thread->size_at);
        if (call == CALL_FREE)
            remove_regions(debugger, start, end);
        else if (thread->type & MEM_COMMIT && !(thread->type & MEM_LARGE_PAGES) && thread->protection == PAGE_READWRITE)
            add_region(debugger, start, end, thread->protection);
    }
    thread->call = CALL_NONE;
}

bool debugger_breakpoint(struct debugger *debugger, struct debugger_thread *thread, uint64_t address)
{
    CONTEXT context;
    context.ContextFlags = CONTEXT_CONTROL | CONTEXT_INTEGER;
    for (size_t i = 0; i < PL_COUNT_OF(stubs); i++) {
        const struct stub *stub = &stubs[i];
        bool back = false;
        for (unsigned k = 0; k < stub->back_count; k++)
            back = back || stub->back[k] == address;
        if (!back && stub->entry != address)
            continue;
        if (!GetThreadContext(thread->handle, &context))
            return false;
        if (back) { /* ret */
            leave(debugger, thread, &context);
            context.Rip = peek(debugger, context.Rsp);
            context.Rsp += 8;
        } else { /* mov r10, rcx */
            enter(debugger, thread, stub->call, &context);
            context.R10 = context.Rcx;
            context.Rip = address + 3;
        }
        return SetThreadContext(thread->handle, &context);
    }
    return false;
}
