/* capture/windows/debugger.h: a debugger that traces accesses, as its two files see one another.
 *
 *   windows_debug.c    the loop of events, and the step over each access
 *   debugger_calls.c   breakpoints on the system calls that make and drop memory, or take buffers; the regions
 *
 * Nothing is loaded into the target; of its code only some system call stubs carry a breakpoint. */
#ifndef PL_CAPTURE_WINDOWS_DEBUGGER_H
#define PL_CAPTURE_WINDOWS_DEBUGGER_H

#include "capture/windows/windows_target.h"

enum { DEBUGGER_PAGE = 4096, DEBUGGER_OPEN = 16 };

enum debugger_call { CALL_NONE, CALL_ALLOCATE, CALL_FREE, CALL_READ, CALL_WRITE };

struct debugger_thread {
    DWORD id;
    HANDLE handle; /* the debug interface's own: not to be closed */
    bool stopped;
    enum debugger_call call; /* that it is in */
    uint64_t base_at, size_at; /* where the call's arguments lie in the target */
    uint32_t type, protection;
};

struct debugger_region {
    uint64_t start, end;
    DWORD protection;
};

struct debugger {
    struct target target;
    const struct pl_capture_request *request;
    struct pl_recorder *recorder;
    struct pl_capture_result *result;

    struct debugger_thread *thread;
    size_t thread_count, thread_capacity;
    struct debugger_region *region;
    size_t region_count, region_capacity;
    bool breakpoints, ready; /* are set; were set once */

    DWORD stepping; /* thread id; 0: none */
    struct {
        uint64_t page;
        bool writable;
    } open[DEBUGGER_OPEN];
    unsigned open_count;
};

struct debugger_thread *debugger_thread(struct debugger *debugger, DWORD id); /* NULL: not known */
void debugger_protect(const struct debugger *debugger, uint64_t start, uint64_t end, DWORD protection);

/* --- debugger_calls.c ------------------------------------------------------------ */
enum pl_err debugger_set_breakpoints(struct debugger *debugger, struct pl_error *err);
void debugger_clear_breakpoints(struct debugger *debugger);
/* A breakpoint exception at `address`: true when it was one of ours and the thread can go on. */
bool debugger_breakpoint(struct debugger *debugger, struct debugger_thread *thread, uint64_t address);
const struct debugger_region *debugger_region_at(const struct debugger *debugger, uint64_t address);
void debugger_find_regions(struct debugger *debugger); /* of a process found running */
void debugger_open_regions(struct debugger *debugger); /* all of them, at the end */

#endif
