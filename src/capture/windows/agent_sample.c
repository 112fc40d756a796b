/* capture/windows/agent_sample.c: what was touched in each interval.
 *
 * Three ways, one thread that wakes at the end of each interval:
 *   interval   all pages of the regions are guarded; the first access to each is recorded and takes its guard off;
 *              guards come back
 *              at the end. First kind of access alone; the order of first accesses is true.
 *   writes     the system's write watch of regions that were reserved since the agent came (the hook asks for it)
 *   snapshot   which pages are resident, as QueryWorkingSetEx says, in runs
 */
#include "capture/windows/agent_parts.h"

enum { BATCH = 512 };

typedef BOOL WINAPI query_working_set_fn(HANDLE, void *, DWORD);
static query_working_set_fn *query_working_set;
static uint64_t number; /* of the interval */

/* --- interval --------------------------------------------------------------------------- */
static LONG CALLBACK on_guard(EXCEPTION_POINTERS *exception)
{
    const EXCEPTION_RECORD *record = exception->ExceptionRecord;
    if (record->ExceptionCode != (DWORD)STATUS_GUARD_PAGE_VIOLATION)
        return EXCEPTION_CONTINUE_SEARCH;
    uint64_t address = record->ExceptionInformation[1];
    bool mine = agent_lock_is_mine();
    if (!mine)
        agent_lock();
    bool traced = agent_region_at(address) != NULL;
    if (traced && agent_active)
        agent_emit(AGENT_TOUCH, record->ExceptionInformation[0] == 8 ? 2 : record->ExceptionInformation[0] == 1,
                   address, 0);
    if (!mine)
        agent_unlock();
    return traced ? EXCEPTION_CONTINUE_EXECUTION : EXCEPTION_CONTINUE_SEARCH;
}

static void guard_again(void)
{
    for (size_t i = 0; i < agent_region_count; i++)
        agent_trap(&agent_region[i], agent_region[i].start, agent_region[i].end);
}

/* --- writes ------------------------------------------------------------------------------- */
static void take_writes(const struct agent_region *region)
{
    static void *page[BATCH];
    uint64_t at = region->start;
    while (at < region->end) {
        ULONG_PTR count = BATCH;
        ULONG grain;
        if (GetWriteWatch(WRITE_WATCH_FLAG_RESET, (void *)(uintptr_t)at, (SIZE_T)(region->end - at), page, &count,
                          &grain))
            return; /* not watched: reserved before the agent came */
        for (ULONG_PTR i = 0; i < count; i++)
            agent_emit(AGENT_TOUCH, 1, (uint64_t)(uintptr_t)page[i], 0);
        if (count < BATCH)
            return;
        at = (uint64_t)(uintptr_t)page[count - 1] + AGENT_PAGE;
    }
}

/* --- snapshot -------------------------------------------------------------------------------- */
struct working_set_entry { /* PSAPI_WORKING_SET_EX_INFORMATION */
    void *address;
    ULONG_PTR flags; /* bit 0: resident */
};

static void take_resident(const struct agent_region *region)
{
    static struct working_set_entry entry[BATCH];
    uint64_t run = 0, at = region->start; /* run 0: none is open */
    while (at < region->end) {
        uint64_t left = (region->end - at) / AGENT_PAGE;
        unsigned count = left < BATCH ? (unsigned)left : BATCH;
        for (unsigned i = 0; i < count; i++)
            entry[i] = (struct working_set_entry){.address = (void *)(uintptr_t)(at + i * AGENT_PAGE)};
        if (!query_working_set(GetCurrentProcess(), entry, count * (DWORD)sizeof entry[0]))
            return;
        for (unsigned i = 0; i < count; i++, at += AGENT_PAGE) {
            bool resident = entry[i].flags & 1;
            if (resident && !run)
                run = at;
            if (!resident && run) {
                agent_emit(AGENT_RESIDENT, 0, run, at - run);
                run = 0;
            }
        }
    }
    if (run)
        agent_emit(AGENT_RESIDENT, 0, run, region->end - run);
}

/* --- the thread --------------------------------------------------------------------------- */
void agent_sample_last(void)
{
    for (size_t i = 0; i < agent_region_count; i++) {
        if (agent_share->mode == AGENT_WRITES)
            take_writes(&agent_region[i]);
        else if (agent_share->mode == AGENT_SNAPSHOT)
            take_resident(&agent_region[i]);
    }
    if (agent_share->mode != AGENT_EXACT)
        agent_emit(AGENT_MARK, 0, ++number, 0);
}

static DWORD WINAPI sample(void *nothing)
{
    (void)nothing;
    agent_thread_ends(); /* one of ours */
    while (!agent_share->stop) {
        Sleep(agent_share->interval_ms);
        agent_lock();
        if (agent_active) {
            agent_sample_last();
            if (agent_share->mode == AGENT_INTERVAL)
                guard_again();
        }
        agent_unlock();
    }
    return 0;
}

bool agent_sample_start(void)
{
    if (agent_share->mode == AGENT_INTERVAL && !AddVectoredExceptionHandler(1, on_guard))
        return false;
    if (agent_share->mode == AGENT_SNAPSHOT) {
        query_working_set =
            (query_working_set_fn *)(void *)GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "K32QueryWorkingSetEx");
        if (!query_working_set)
            return false;
    }
    HANDLE thread = CreateThread(NULL, 0, sample, NULL, 0, NULL);
    if (thread)
        CloseHandle(thread);
    return thread != NULL;
}
