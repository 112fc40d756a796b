/* capture/windows/windows_nt.c: the native interface, looked up at run time. */
#include "capture/windows/windows_nt.h"

#include <stdio.h>
#include <stdlib.h>

typedef LONG NTAPI query_fn(int, void *, ULONG, ULONG *);
typedef LONG NTAPI set_fn(int, void *, ULONG);

enum { NOT_IMPLEMENTED = (LONG)0xC0000002, MISMATCH = (LONG)0xC0000004 };

bool nt_query(enum nt_class which, void *out, ULONG size, LONG *status)
{
    query_fn *query = (query_fn *)windows_function("ntdll.dll", "NtQuerySystemInformation");
    ULONG returned = 0;
    LONG result = query ? query(which, out, size, &returned) : NOT_IMPLEMENTED;
    if (status)
        *status = result;
    return result >= 0;
}

bool nt_set(enum nt_class which, void *in, ULONG size, LONG *status)
{
    set_fn *set = (set_fn *)windows_function("ntdll.dll", "NtSetSystemInformation");
    LONG result = set ? set(which, in, size) : NOT_IMPLEMENTED;
    if (status)
        *status = result;
    return result >= 0;
}

bool nt_memory_list(struct nt_memory_list *out, LONG *status)
{
    *out = (struct nt_memory_list){.zero = 0};
    windows_privilege("SeProfileSingleProcessPrivilege");
    return nt_query(NT_MEMORY_LIST, out, sizeof *out, status);
}

bool nt_store(struct nt_store *out, LONG *status)
{
    enum { COMPRESSION = 22, VERSION_10 = 3, VERSION_24H2 = 4 };
    const ULONG sizes[] = {offsetof(struct nt_store, partition), sizeof *out};
    for (ULONG version = VERSION_10; version <= VERSION_24H2; version++) {
        struct {
            ULONG version, which;
            void *data;
            ULONG size;
        } request = {1, COMPRESSION, out, sizes[version - VERSION_10]};
        *out = (struct nt_store){.version = version};
        if (nt_query(NT_STORE, &request, sizeof request, status))
            return true;
    }
    return false;
}

char *nt_reason(LONG status, char *out, size_t size)
{
    typedef ULONG NTAPI to_error_fn(LONG);
    to_error_fn *to_error = (to_error_fn *)windows_function("ntdll.dll", "RtlNtStatusToDosError");
    char words[200];
    snprintf(out, size, "%s (status %08lx)",
             to_error ? windows_reason(to_error(status), words, sizeof words) : "refused", (unsigned long)status);
    return out;
}

void *nt_processes(void)
{
    enum { FIRST = 256 << 10, MOST = 64 << 20 };
    for (ULONG size = FIRST; size <= MOST; size *= 2) {
        LONG status;
        void *list = malloc(size);
        if (list && nt_query(NT_PROCESSES, list, size, &status))
            return list;
        free(list);
        if (!list || status != MISMATCH)
            return NULL;
    }
    return NULL;
}

bool nt_pages(HANDLE process, struct nt_page *pages, size_t count)
{
    typedef BOOL WINAPI working_set_fn(HANDLE, void *, DWORD);
    static working_set_fn *working_set;
    if (!working_set)
        working_set = (working_set_fn *)windows_function("kernel32.dll", "K32QueryWorkingSetEx");
    return working_set && working_set(process, pages, (DWORD)(count * sizeof *pages));
}

DWORD nt_store_process(void)
{
    struct nt_store store;
    return nt_store(&store, NULL) ? store.pid : 0;
}
