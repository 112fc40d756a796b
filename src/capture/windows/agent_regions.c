/* capture/windows/agent_regions.c: which memory of the target is traced.
 *
 * Regions are stretches of committed private memory and of mapped files and sections, ascending, without overlap; each
 * has the protection that the program gave it. The stacks of threads and images are never among them: the system makes
 * them without a call that the hooks see, and what is there before is looked at closely. */
#include "capture/windows/agent_parts.h"

struct agent_region agent_region[AGENT_REGIONS];
size_t agent_region_count;

/* The first region that ends behind an address. */
static size_t first_behind(uint64_t address)
{
    size_t low = 0, high = agent_region_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (agent_region[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct agent_region *agent_region_at(uint64_t address)
{
    size_t at = first_behind(address);
    return at < agent_region_count && agent_region[at].start <= address ? &agent_region[at] : NULL;
}

bool agent_wants(uint64_t start, uint64_t end)
{
    if (end - start < agent_share->min_region_bytes)
        return false;
    for (uint32_t i = 0; i < agent_share->range_count; i++)
        if (start < agent_share->range_end[i] && agent_share->range_start[i] < end)
            return true;
    return agent_share->range_count == 0;
}

/* --- protections -------------------------------------------------------------------- */
DWORD agent_read_only(DWORD protection)
{
    switch (protection & 0xff) {
    case PAGE_EXECUTE_READ:
    case PAGE_EXECUTE_READWRITE:
    case PAGE_EXECUTE_WRITECOPY:
        return PAGE_EXECUTE_READ;
    }
    return PAGE_READONLY;
}

void agent_protect(uint64_t start, uint64_t end, DWORD protection)
{
    DWORD before;
    VirtualProtect((void *)(uintptr_t)start, (SIZE_T)(end - start), protection, &before);
}

void agent_trap(const struct agent_region *region, uint64_t start, uint64_t end)
{
    if (!agent_active)
        return;
    if (agent_share->mode == AGENT_EXACT)
        agent_protect(start, end, PAGE_NOACCESS);
    else if (agent_share->mode == AGENT_INTERVAL)
        agent_protect(start, end, region->protection | PAGE_GUARD);
}

void agent_open(const struct agent_region *region, uint64_t start, uint64_t end)
{
    if (agent_share->mode == AGENT_EXACT || agent_share->mode == AGENT_INTERVAL)
        agent_protect(start, end, region->protection);
}

/* --- the table ----------------------------------------------------------------------- */
static void insert(size_t at, struct agent_region region)
{
    for (size_t i = agent_region_count; i > at; i--)
        agent_region[i] = agent_region[i - 1];
    agent_region[at] = region;
    agent_region_count++;
}

static void delete(size_t at)
{
    agent_region_count--;
    for (size_t i = at; i < agent_region_count; i++)
        agent_region[i] = agent_region[i + 1];
}

/* Takes a stretch out of the table. */
static void cut(uint64_t start, uint64_t end)
{
    for (size_t at = first_behind(start); at < agent_region_count && agent_region[at].start < end;) {
        struct agent_region *region = &agent_region[at];
        struct agent_region rest = {.start = end, .end = region->end, .protection = region->protection};
        if (region->start < start) {
            region->end = start;
            if (rest.end > end && agent_region_count < AGENT_REGIONS)
                insert(at + 1, rest);
            at++;
        } else if (region->end > end) {
            region->start = end;
            at++;
        } else {
            delete(at);
        }
    }
}

static bool can_be_traced(DWORD protection)
{
    return protection == PAGE_READWRITE || protection == PAGE_READONLY || protection == PAGE_EXECUTE_READWRITE ||
           protection == PAGE_WRITECOPY;
}

void agent_region_add(uint64_t start, uint64_t end, DWORD protection, bool was_there)
{
    if (!can_be_traced(protection))
        return;
    cut(start, end);
    size_t at = first_behind(start);
    if (agent_region_count == AGENT_REGIONS) {
        agent_share->dropped++;
        return;
    }
    insert(at, (struct agent_region){.start = start, .end = end, .protection = protection});
    agent_share->regions++;
    agent_share->traced_bytes += end - start;
    agent_emit(AGENT_REGION, was_there, start, end - start);
    agent_trap(&agent_region[at], start, end);
}

void agent_region_remove(uint64_t start, uint64_t end)
{
    size_t at = first_behind(start);
    if (at == agent_region_count || agent_region[at].start >= end)
        return;
    agent_emit(AGENT_FREE, 0, start, end - start);
    cut(start, end);
}

void agent_region_protected(uint64_t start, uint64_t end, DWORD protection)
{
    size_t at = first_behind(start);
    if (at == agent_region_count || agent_region[at].start >= end)
        return;
    if (can_be_traced(protection) && agent_region[at].start == start && agent_region[at].end == end) {
        agent_region[at].protection = protection;
        agent_trap(&agent_region[at], start, end);
        return;
    }
    agent_share->dropped++;
    agent_region_remove(start, end);
}

/* --- what is there already -------------------------------------------------------------- */
/* Is it the stack of a thread? Its guard page or reserve lies in the same allocation. */
static bool is_stack(const MEMORY_BASIC_INFORMATION *info)
{
    MEMORY_BASIC_INFORMATION first;
    uint64_t at = (uint64_t)(uintptr_t)info->AllocationBase;
    while (at < (uint64_t)(uintptr_t)info->BaseAddress && VirtualQuery((void *)(uintptr_t)at, &first, sizeof first)) {
        if (first.State == MEM_COMMIT && first.Protect & PAGE_GUARD)
            return true;
        at += first.RegionSize;
    }
    return false;
}

/* Wine keeps a stack for system calls beside each thread's own: 1 MiB without a guard page, which must not be
 * touched. */
static bool is_stack_of_wine(const MEMORY_BASIC_INFORMATION *info)
{
    enum { SIZE = 1 << 20 };
    static int wine = -1;
    if (wine < 0)
        wine = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != NULL;
    return wine && info->BaseAddress == info->AllocationBase && info->RegionSize == SIZE;
}

/* Our own share, the heap that the system's own structures lie in, and what the loader holds stay out: only memory that
 * is at least 1 MiB in one piece, and mapped files, are taken. */
static bool is_worth(const MEMORY_BASIC_INFORMATION *info)
{
    enum { PIECE = 1 << 20 };
    uint64_t start = (uint64_t)(uintptr_t)info->BaseAddress, end = start + info->RegionSize;
    if (info->State != MEM_COMMIT || info->Type == MEM_IMAGE || info->BaseAddress == (void *)agent_share)
        return false;
    if (info->Type == MEM_PRIVATE && info->RegionSize < PIECE && agent_share->range_count == 0)
        return false;
    return agent_wants(start, end) && !is_stack(info) && !is_stack_of_wine(info);
}

void agent_regions_find(void)
{
    MEMORY_BASIC_INFORMATION info;
    for (uint64_t at = 0; VirtualQuery((void *)(uintptr_t)at, &info, sizeof info);) {
        uint64_t start = (uint64_t)(uintptr_t)info.BaseAddress, end = start + info.RegionSize;
        if (is_worth(&info) && info.Protect == PAGE_READWRITE)
            agent_region_add(start, end, info.Protect, true);
        if (end <= at)
            break;
        at = end;
    }
}
