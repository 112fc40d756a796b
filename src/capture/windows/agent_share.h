/* capture/windows/agent_share.h: the memory that pagecap.exe and the agent in its target share.
 *
 * One section by process, made by the tool before the agent is loaded: what to trace, a few words back, and a ring of
 * records. The agent writes the ring under its own lock, the tool reads it: one writer, one reader. The ring never
 * drops a record: a full one makes the target wait, until the tool reads on or is gone. */
#ifndef PL_CAPTURE_WINDOWS_AGENT_SHARE_H
#define PL_CAPTURE_WINDOWS_AGENT_SHARE_H

#include <stdint.h>
#include <windows.h>

enum agent_mode { AGENT_EXACT = 1, AGENT_INTERVAL, AGENT_WRITES, AGENT_SNAPSHOT };

enum agent_type {
    AGENT_TOUCH = 1, /* `bytes` 0: one access at `address`; else the pages of a run */
    AGENT_REGION,    /* from here on these bytes are traced; kind 1: they were there before the agent came */
    AGENT_FREE,      /* these bytes are gone */
    AGENT_MARK,      /* an interval ended: address = its number */
    AGENT_RESIDENT,  /* a run of resident pages of the snapshot that the next mark ends */
    AGENT_END,       /* the process ends as it should */
};

struct agent_record {
    uint64_t ticks; /* QueryPerformanceCounter */
    uint64_t address, bytes;
    uint32_t thread;
    uint8_t type, kind; /* kind: as enum pl_kind */
    uint16_t spare;
};

enum {
    AGENT_MAGIC = 0x70636167,
    AGENT_VERSION = 1,
    AGENT_RANGES = 16,
    AGENT_RING_RECORDS = 1 << 16, /* a power of two */
};

enum agent_state { AGENT_WAITED_FOR, AGENT_WORKS, AGENT_FAILED };

struct agent_share {
    /* What the tool asks for. */
    uint32_t magic, version, mode, ring_records;
    uint64_t min_region_bytes;
    uint32_t interval_ms, tool_pid;
    uint32_t stop_threads; /* exact: the others stand still while one steps */
    uint32_t find_regions; /* also what was there before the agent: for attaching */
    uint32_t range_count;
    uint64_t range_start[AGENT_RANGES], range_end[AGENT_RANGES];
    volatile LONG stop; /* set by the tool: give everything back, trace no further */

    /* What the agent says. */
    volatile LONG state; /* enum agent_state */
    volatile LONG ended;
    char message[160]; /* why it failed */
    uint64_t regions, traced_bytes;
    uint64_t let_through; /* pages opened for system calls */
    uint64_t dropped;     /* regions given up, because the program changed their protection or the table was full */

    volatile LONG64 head __attribute__((aligned(64))); /* records written */
    volatile LONG64 tail __attribute__((aligned(64))); /* records read */
    struct agent_record ring[] __attribute__((aligned(64)));
};

static inline size_t agent_share_bytes(uint32_t ring_records)
{
    return sizeof(struct agent_share) + ring_records * sizeof(struct agent_record);
}

/* The name of a process's section. */
static inline void agent_share_name(WCHAR out[32], DWORD pid)
{
    static const WCHAR prefix[] = L"Local\\pagecap-";
    int at = 0;
    for (; prefix[at]; at++)
        out[at] = prefix[at];
    for (int shift = 28; shift >= 0; shift -= 4)
        out[at++] = L"0123456789abcdef"[pid >> shift & 15];
    out[at] = 0;
}

#endif
