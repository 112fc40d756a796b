/* capture/windows/os_windows_facts.c: facts about this machine, the state of its store, and its zeroing threads. */
#include "capture/os.h"
#include "capture/windows/windows_nt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the store -------------------------------------------------------------------------- */
bool pl_os_store(struct pl_os_store *out)
{
    struct nt_store store;
    if (!nt_store(&store, NULL))
        return false;
    *out = (struct pl_os_store){
        .name = "Memory Compression",
        .pages = store.data_bytes / pl_os_page_size(),
        .bytes = store.compressed_bytes,
        .used_bytes = store.working_set_bytes,
        .same_pages = UINT64_MAX,
        .huge_pages = UINT64_MAX,
        .unique_bytes = store.unique_bytes,
    };
    return true;
}

/* --- facts ---------------------------------------------------------------------------------- */
static bool registry_text(const char *path, const char *name, char *out, DWORD size)
{
    typedef LONG WINAPI get_fn(HKEY, const char *, const char *, DWORD, DWORD *, void *, DWORD *);
    get_fn *get = (get_fn *)windows_function("advapi32.dll", "RegGetValueA");
    enum { TEXT_ONLY = 2 };
    return get && get(HKEY_LOCAL_MACHINE, path, name, TEXT_ONLY, NULL, out, &size) == ERROR_SUCCESS;
}

static bool registry_number(const char *path, const char *name, uint64_t *out)
{
    typedef LONG WINAPI get_fn(HKEY, const char *, const char *, DWORD, DWORD *, void *, DWORD *);
    get_fn *get = (get_fn *)windows_function("advapi32.dll", "RegGetValueA");
    enum { NUMBER_ONLY = 0x10 };
    DWORD number, size = sizeof number;
    if (!get || get(HKEY_LOCAL_MACHINE, path, name, NUMBER_ONLY, NULL, &number, &size) != ERROR_SUCCESS)
        return false;
    *out = number;
    return true;
}

/* "Windows 10.0.19045.3570 (22H2)", or what it pretends to be and that it is wine. */
static void describe_system(char *out, size_t size)
{
    static const char current[] = "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
    typedef LONG NTAPI version_fn(OSVERSIONINFOW *);
    version_fn *version = (version_fn *)windows_function("ntdll.dll", "RtlGetVersion");
    OSVERSIONINFOW info = {.dwOSVersionInfoSize = sizeof info};
    char display[32] = "";
    uint64_t revision = 0;
    if (version)
        version(&info);
    registry_text(current, "DisplayVersion", display, sizeof display);
    registry_number(current, "UBR", &revision);
    int length =
        snprintf(out, size, "Windows %lu.%lu.%lu.%llu%s%s%s", info.dwMajorVersion, info.dwMinorVersion,
                 info.dwBuildNumber, (unsigned long long)revision, *display ? " (" : "", display, *display ? ")" : "");
    const char *wine = windows_wine_version();
    if (wine && length > 0 && (size_t)length < size)
        snprintf(out + length, size - (size_t)length, ", wine %s", wine);
}

static void page_file_facts(pl_os_fact_fn *fact, void *user)
{
    struct page_file { /* SYSTEM_PAGEFILE_INFORMATION, in pages */
        ULONG next, total, in_use, peak;
        USHORT name_bytes, name_room;
        WCHAR *name;
    };
    static uint8_t buffer[16384];
    LONG status;
    uint64_t total = 0, used = 0;
    if (!nt_query(NT_PAGE_FILES, buffer, sizeof buffer, &status))
        return;
    const struct page_file *file = (const struct page_file *)buffer;
    for (size_t i = 0; i < 16; i++) {
        total += file->total;
        used += file->in_use;
        if (!file->next)
            break;
        file = (const struct page_file *)((const uint8_t *)file + file->next);
    }
    fact(user, "page_file_bytes", "bytes", pl_value_count(total * pl_os_page_size()));
    fact(user, "page_file_used_bytes", "bytes", pl_value_count(used * pl_os_page_size()));
}

/* On, where the process of the store exists and answers. */
static const char *memory_compression(void)
{
    struct nt_store store;
    if (!nt_store(&store, NULL))
        return "unknown";
    return store.pid ? "on" : "off";
}

void pl_os_facts(pl_os_fact_fn *fact, void *user)
{
    static const char processor[] = "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0";
    char text[256] = "unknown";
    uint64_t mhz;
    SYSTEM_INFO info;
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    GetSystemInfo(&info);
    registry_text(processor, "ProcessorNameString", text, sizeof text);
    fact(user, "cpu", "", pl_value_text(text));
    if (registry_number(processor, "~MHz", &mhz))
        fact(user, "cpu_mhz", "MHz", pl_value_count(mhz));
    fact(user, "cpus", "", pl_value_count(info.dwNumberOfProcessors));
    if (GlobalMemoryStatusEx(&memory)) {
        fact(user, "memory_bytes", "bytes", pl_value_count(memory.ullTotalPhys));
        fact(user, "available_bytes", "bytes", pl_value_count(memory.ullAvailPhys));
        fact(user, "commit_limit_bytes", "bytes", pl_value_count(memory.ullTotalPageFile));
    }
    describe_system(text, sizeof text);
    fact(user, "os", "", pl_value_text(text));
    page_file_facts(fact, user);
    fact(user, "memory_compression", "", pl_value_text(memory_compression()));
    fact(user, "elevated", "", pl_value_bool(windows_is_elevated()));
    struct pl_os_store store;
    if (pl_os_store(&store)) {
        fact(user, "swap", "", pl_value_text("store, then page file"));
        fact(user, "store_bytes_at_start", "bytes", pl_value_count(store.bytes));
    }
}

/* --- zeroing threads ------------------------------------------------------------------------------ */
struct thread_entry { /* SYSTEM_THREAD_INFORMATION */
    LARGE_INTEGER kernel, user, created;
    ULONG wait_time;
    void *start;
    void *process, *thread;
    LONG priority, base_priority;
    ULONG switches, state, wait_reason;
};
struct process_entry { /* SYSTEM_PROCESS_INFORMATION up to its threads */
    ULONG next, threads;
    uint8_t before_id[0x48];
    void *id;
    uint8_t rest[0xa8];
    struct thread_entry thread[];
};
_Static_assert(offsetof(struct process_entry, id) == 0x50, "the id of a process");
_Static_assert(offsetof(struct process_entry, thread) == 0x100, "the threads of a process");

/* Threads of the System process that run at priority 0: nothing else does. */
bool pl_os_zeroing_ns(uint64_t *ns, const char **name)
{
    enum { SYSTEM_PROCESS = 4 };
    void *list = nt_processes();
    bool any = false;
    uint64_t time = 0;
    for (const uint8_t *at = list; at;) {
        const struct process_entry *process = (const struct process_entry *)at;
        for (ULONG i = 0; (uintptr_t)process->id == SYSTEM_PROCESS && i < process->threads; i++)
            if (process->thread[i].base_priority == 0) {
                any = true;
                time += (uint64_t)(process->thread[i].kernel.QuadPart + process->thread[i].user.QuadPart);
            }
        at = process->next ? at + process->next : NULL;
    }
    free(list);
    if (any) {
        *ns = time * 100;
        *name = "the threads of System at priority 0";
    }
    return any;
}

char *pl_os_full_path(const char *path)
{
    return _fullpath(NULL, path, 0);
}
