/* capture/windows/agent_parts.h: the agent, a DLL inside the target, as its parts see one another.
 *
 *   agent_main.c      comes and goes; the lock; the ring
 *   agent_threads.c   who else runs here; making the others stand still
 *   agent_regions.c   what is traced; what is trapped
 *   agent_hooks.c     the system calls that make, change and drop regions, and that read and write buffers
 *   agent_exact.c     no-access pages and single steps: every access
 *   agent_sample.c    by interval: guard pages, write watch, resident pages
 *
 * It runs in the middle of a stranger's program: no C library, no heap, no waiting on anything but its own lock (which
 * nobody holds across something that can block) and the ring. */
#ifndef PL_CAPTURE_WINDOWS_AGENT_PARTS_H
#define PL_CAPTURE_WINDOWS_AGENT_PARTS_H

#include "capture/windows/agent_share.h"

#include <stdbool.h>

enum { AGENT_PAGE = 4096 };

extern struct agent_share *agent_share;
extern bool agent_active; /* under the lock: something is traced */

/* --- the lock (agent_main.c) ------------------------------------------------------- */
void agent_lock(void);
void agent_unlock(void);
bool agent_lock_is_mine(void);
/* Appends to the ring. Under the lock. */
void agent_emit(enum agent_type type, uint8_t kind, uint64_t address, uint64_t bytes);
/* Traces no further: opens everything. Under the lock. */
void agent_give_back(void);

/* --- threads (agent_threads.c) --------------------------------------------------- */
void agent_threads_find(void); /* those that are here already */
void agent_thread_begins(void); /* the calling one */
void agent_thread_ends(void);
void agent_thread_waits(bool waits); /* the calling one, for the lock */
/* Makes all others stand still outside of the system's own locks. Under the lock, in pairs. */
void agent_threads_stop(void);
void agent_threads_go(void);

/* --- regions (agent_regions.c) ---------------------------------------------------- */
struct agent_region {
    uint64_t start, end;
    DWORD protection; /* that the program gave it */
};
enum { AGENT_REGIONS = 8192 };
extern struct agent_region agent_region[AGENT_REGIONS]; /* ascending */
extern size_t agent_region_count;

struct agent_region *agent_region_at(uint64_t address); /* NULL: not traced */
bool agent_wants(uint64_t start, uint64_t end);
/* All under the lock. */
void agent_region_add(uint64_t start, uint64_t end, DWORD protection, bool was_there);
void agent_region_remove(uint64_t start, uint64_t end);
void agent_region_protected(uint64_t start, uint64_t end, DWORD protection); /* by the program */
void agent_regions_find(void); /* what is there already */
/* Sets the protection of a stretch, as the mode traps it, or as the program had it. */
void agent_trap(const struct agent_region *region, uint64_t start, uint64_t end);
void agent_open(const struct agent_region *region, uint64_t start, uint64_t end);
void agent_protect(uint64_t start, uint64_t end, DWORD protection);
/* The protection that allows reading alone. */
DWORD agent_read_only(DWORD protection);

/* --- hooks (agent_hooks.c) --------------------------------------------------------- */
bool agent_hooks_set(void);
NTSTATUS agent_allocate(void **base, SIZE_T *size, ULONG type, ULONG protection); /* past our own hook */

/* --- modes ----------------------------------------------------------------------- */
bool agent_exact_start(void);
bool agent_sample_start(void);
void agent_sample_last(void); /* what the last interval holds. Under the lock */

#endif
