/* capture/windows/windows_nt.h: what Windows tells of its memory through its native interface.
 *
 * None of this is documented for programs; the layouts are those of phnt (System Informer) and hold from Windows 7 or
 * 10 on. Functions are looked up at run time; what a system does not know fails with a sentence. */
#ifndef PL_CAPTURE_WINDOWS_NT_H
#define PL_CAPTURE_WINDOWS_NT_H

#include "capture/windows/windows_target.h"

enum nt_class {
    NT_PERFORMANCE = 2,
    NT_PROCESSES = 5,
    NT_PAGE_FILES = 18,
    NT_FILE_CACHE = 21,
    NT_MEMORY_LIST = 80,
    NT_STORE = 109,
};

struct nt_memory_list { /* SYSTEM_MEMORY_LIST_INFORMATION, in pages */
    ULONG_PTR zero, free, modified, modified_no_write, bad;
    ULONG_PTR standby[8], repurposed[8];
    ULONG_PTR modified_page_file;
};

enum nt_list_command { NT_EMPTY_WORKING_SETS = 2, NT_FLUSH_MODIFIED, NT_PURGE_STANDBY, NT_PURGE_STANDBY_LOW };

struct nt_store { /* SM_STORE_COMPRESSION_INFORMATION_REQUEST */
    ULONG version, pid, working_set_bytes;
    SIZE_T data_bytes, compressed_bytes, unique_bytes; /* data: uncompressed size of what is stored */
    HANDLE partition;                                  /* from 24H2 on */
};

struct nt_performance { /* the part of SYSTEM_PERFORMANCE_INFORMATION that is read, all counters 32-bit */
    LARGE_INTEGER idle_time, read_bytes, write_bytes, other_bytes;
    ULONG reads, writes, others;
    ULONG available_pages, committed_pages, commit_limit, peak_commitment;
    ULONG faults, copy_on_write, transition, cache_transition, demand_zero, page_reads, page_read_ios, cache_reads,
        cache_ios;
    ULONG dirty_pages_written, dirty_writes, mapped_pages_written, mapped_writes;
    ULONG paged_pool_pages, nonpaged_pool_pages;
    ULONG rest[64];
};

/* False with the system's status in *status (may be NULL). */
bool nt_query(enum nt_class which, void *out, ULONG size, LONG *status);
bool nt_set(enum nt_class which, void *in, ULONG size, LONG *status);
bool nt_memory_list(struct nt_memory_list *out, LONG *status);
bool nt_store(struct nt_store *out, LONG *status);
/* A status in words. Returns out. */
char *nt_reason(LONG status, char *out, size_t size);
/* All processes (NT_PROCESSES), malloc'd; NULL when there is no memory or the system does not say. */
void *nt_processes(void);

/* Page of a process: resident and what else QueryWorkingSetEx says. */
struct nt_page {
    void *address;
    ULONG_PTR flags;
};
enum { NT_PAGE_VALID = 1, NT_PAGE_SHARED = 1 << 15 };
/* The state of `count` pages; false where the system does not answer about that process. */
bool nt_pages(HANDLE process, struct nt_page *pages, size_t count);

/* The process of the compressed store (Windows 10 and later), or 0. */
DWORD nt_store_process(void);

#endif
