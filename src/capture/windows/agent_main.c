/* capture/windows/agent_main.c: the agent comes into the target, and leaves it.
 *
 * Loaded by a thread that pagecap.exe starts in the target, as a rule before the program's own code runs. What it finds
 * in the shared section decides what it does. When the tool disappears or says stop, everything is opened again and the
 * program goes on at full speed; the hooks stay, and do nothing. */
#include "capture/windows/agent_parts.h"

struct agent_share *agent_share;
bool agent_active;

static volatile LONG owner; /* thread id, 0: free */
static HANDLE tool;

/* --- the lock ------------------------------------------------------------------ */
void agent_lock(void)
{
    LONG self = (LONG)GetCurrentThreadId();
    if (InterlockedCompareExchange(&owner, self, 0) == 0)
        return;
    agent_thread_waits(true);
    while (InterlockedCompareExchange(&owner, self, 0) != 0)
        SwitchToThread();
    agent_thread_waits(false);
}

void agent_unlock(void)
{
    InterlockedExchange(&owner, 0);
}

bool agent_lock_is_mine(void)
{
    return owner == (LONG)GetCurrentThreadId();
}

/* --- the ring -------------------------------------------------------------------- */
static bool tool_is_gone(void)
{
    return WaitForSingleObject(tool, 0) == WAIT_OBJECT_0;
}

/* Waits for room. False when nobody will read any more. */
static bool has_room(LONG64 head)
{
    for (unsigned tries = 0; head - agent_share->tail >= agent_share->ring_records; tries++) {
        if (agent_share->stop || (tries % 64 == 63 && tool_is_gone()))
            return false;
        Sleep(tries < 16 ? 0 : 1);
    }
    return true;
}

void agent_emit(enum agent_type type, uint8_t kind, uint64_t address, uint64_t bytes)
{
    LONG64 head = agent_share->head;
    LARGE_INTEGER now;
    if (!has_room(head))
        return;
    QueryPerformanceCounter(&now);
    agent_share->ring[head & (agent_share->ring_records - 1)] = (struct agent_record){
        .ticks = (uint64_t)now.QuadPart,
        .address = address,
        .bytes = bytes,
        .thread = GetCurrentThreadId(),
        .type = (uint8_t)type,
        .kind = kind,
    };
    InterlockedExchange64(&agent_share->head, head + 1); /* a full barrier: the record is there before it is counted */
}

void agent_give_back(void)
{
    if (!agent_active)
        return;
    agent_active = false;
    for (size_t i = 0; i < agent_region_count; i++)
        agent_open(&agent_region[i], agent_region[i].start, agent_region[i].end);
}

/* --- coming and going ---------------------------------------------------------------- */
static void say(const char *why)
{
    size_t at = 0;
    for (; why[at] && at + 1 < sizeof agent_share->message; at++)
        agent_share->message[at] = why[at];
    agent_share->message[at] = 0;
}

static bool open_share(void)
{
    WCHAR name[32];
    agent_share_name(name, GetCurrentProcessId());
    HANDLE section = OpenFileMappingW(FILE_MAP_ALL_ACCESS, FALSE, name);
    if (!section)
        return false;
    agent_share = MapViewOfFile(section, FILE_MAP_ALL_ACCESS, 0, 0, 0);
    CloseHandle(section);
    return agent_share && agent_share->magic == AGENT_MAGIC && agent_share->version == AGENT_VERSION;
}

/* The tool stops or is gone: look four times a second. */
static DWORD WINAPI watch(void *nothing)
{
    (void)nothing;
    agent_thread_ends(); /* one of ours: need not stand still */
    while (!agent_share->stop && WaitForSingleObject(tool, 250) != WAIT_OBJECT_0)
        ;
    agent_lock();
    agent_give_back();
    agent_unlock();
    agent_share->ended = 1;
    return 0;
}

static const char *start(void)
{
    tool = OpenProcess(SYNCHRONIZE, FALSE, agent_share->tool_pid);
    if (!tool)
        return "cannot watch the tool";
    agent_threads_find();
    bool started = agent_share->mode == AGENT_EXACT ? agent_exact_start() : agent_sample_start();
    if (!started)
        return "the system refuses a handler or a thread";
    agent_lock();
    agent_active = true;
    bool hooked = agent_hooks_set();
    if (hooked && agent_share->find_regions)
        agent_regions_find();
    agent_unlock();
    if (!hooked)
        return "the system calls of this Windows do not look as expected, so allocations cannot be followed";
    HANDLE thread = CreateThread(NULL, 0, watch, NULL, 0, NULL);
    if (thread)
        CloseHandle(thread);
    return thread ? NULL : "the system refuses a thread";
}

static BOOL come(void)
{
    if (!open_share())
        return FALSE;
    const char *failure = start();
    if (failure)
        say(failure);
    InterlockedExchange(&agent_share->state, failure ? AGENT_FAILED : AGENT_WORKS);
    return failure == NULL;
}

static void leave(void)
{
    agent_lock();
    if (agent_active && agent_share->mode != AGENT_EXACT)
        agent_sample_last();
    agent_give_back();
    agent_emit(AGENT_END, 0, 0, 0);
    agent_unlock();
    agent_share->ended = 1;
}

BOOL WINAPI DllMain(HINSTANCE dll, DWORD reason, void *reserved);
BOOL WINAPI DllMain(HINSTANCE dll, DWORD reason, void *reserved)
{
    (void)dll, (void)reserved;
    switch (reason) {
    case DLL_PROCESS_ATTACH:
        return come();
    case DLL_THREAD_ATTACH:
        agent_thread_begins();
        break;
    case DLL_THREAD_DETACH:
        agent_thread_ends();
        break;
    case DLL_PROCESS_DETACH:
        if (agent_share && agent_share->state == AGENT_WORKS)
            leave();
        break;
    }
    return TRUE;
}
