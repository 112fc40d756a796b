/* capture/linux/agent/agent_ring.h: memory shared by `pagecap run --backend exact` and the agent inside its target.
 *
 * One ring of fixed records. The agent writes under its lock, so there is one producer at a time; the tool reads. A
 * full ring makes the target wait: nothing is lost. `stop` asks the agent to open everything and to look on no further.
 * */
#ifndef PL_CAPTURE_AGENT_RING_H
#define PL_CAPTURE_AGENT_RING_H

#include <stdint.h>

#define AGENT_RING_VARIABLE "PAGECAP_RING" /* environment: the descriptor's number */
#define AGENT_PRELOAD_VARIABLE "PAGECAP_PRELOAD" /* what LD_PRELOAD was before */

enum {
    AGENT_RING_MAGIC = 0x70634152,
    AGENT_RANGES_MAX = 16,
    AGENT_RING_HEADER = 4096,
};

enum agent_op { AGENT_READ, AGENT_WRITE, AGENT_ALLOCATE, AGENT_MAP_FILE, AGENT_FREE, AGENT_EXEC, AGENT_INTERVAL };

struct agent_record {
    uint64_t address;
    uint64_t size; /* bytes; 1 for a touch by an instruction; the number of an interval */
    uint64_t ticks; /* time-stamp counter */
    uint32_t thread;
    uint32_t op;   /* enum agent_op */
};

struct agent_ring {
    uint32_t magic;
    uint32_t records; /* that fit, a power of two */
    uint64_t min_region_bytes;
    uint64_t interval_ns; /* 0: every access; else pages by interval */
    uint32_t range_count;
    uint32_t tool;    /* its process id: without it the agent does not wait */
    uint64_t range[AGENT_RANGES_MAX][2];
    /* Written by the tool. */
    _Alignas(64) uint64_t tail;
    uint32_t stop;
    uint32_t hold_exit; /* 1: the agent waits before the program's exit ... */
    uint32_t released;  /* ... until this is 1 */
    /* Written by the agent. */
    _Alignas(64) uint64_t head;
    uint32_t exiting;         /* 1: it waits */
    uint32_t attached;        /* 1: the agent is in */
    uint32_t unsupported;     /* 1: the kernel refused what the agent needs */
    uint64_t regions, traced_bytes; /* all that were ever traced */
    uint64_t open_calls;      /* system calls that used traced pages in a way the agent does not record */
    /* Records lie AGENT_RING_HEADER bytes from the start. */
};

#endif
