/* capture/windows/os_windows_views.c: tables of memory: the page lists, one process by type, numbers over time,
 * purging. */
#include "capture/os.h"
#include "capture/windows/windows_nt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

static enum pl_err no_lists(LONG status, struct pl_error *err)
{
    char why[256];
    return pl_fail(err, PL_ERR_RESOURCE, "the page lists cannot be read%s: %s",
                   windows_wine_version() ? " (wine has none)" : windows_is_elevated() ? "" : " (run as administrator)",
                   nt_reason(status, why, sizeof why));
}

/* --- lists --------------------------------------------------------------------------------- */
static void list_row(struct pl_document_table *table, const char *name, double priority, ULONG_PTR pages,
                     double repurposed)
{
    const struct pl_value row[] = {
        pl_value_text(name),
        pl_value_real(priority),
        pl_value_count((uint64_t)pages),
        pl_value_count((uint64_t)pages * PAGE),
        pl_value_real(repurposed),
    };
    pl_document_row(table, row);
}

static void list_table(struct pl_document *document, const struct nt_memory_list *lists)
{
    static const struct pl_column columns[] = {
        {"list", "list", "", PL_VALUE_TEXT, 0},          {"priority", "priority", "", PL_VALUE_REAL, 0},
        {"pages", "pages", "pages", PL_VALUE_COUNT, 0},  {"bytes", "bytes", "bytes", PL_VALUE_COUNT, 0},
        {"repurposed", "repurposed since boot", "pages", PL_VALUE_REAL, 0},
    };
    struct pl_document_table *table = pl_document_table(document, "lists", "Page lists", columns, PL_COUNT_OF(columns));
    list_row(table, "zeroed", NAN, lists->zero, NAN);
    list_row(table, "free", NAN, lists->free, NAN);
    list_row(table, "modified", NAN, lists->modified, NAN);
    list_row(table, "of these for the page file", NAN, lists->modified_page_file, NAN);
    list_row(table, "modified, not to be written", NAN, lists->modified_no_write, NAN);
    list_row(table, "bad", NAN, lists->bad, NAN);
    for (int priority = 0; priority < 8; priority++)
        list_row(table, "standby", priority, lists->standby[priority], (double)lists->repurposed[priority]);
}

static void store_results(struct pl_document *document)
{
    struct nt_store store;
    if (!nt_store(&store, NULL)) {
        pl_document_note(document, "This Windows does not tell of a compressed store (Windows 10 and later do).");
        return;
    }
    pl_document_result(document, "store_process", "process of the store", "", pl_value_count(store.pid));
    pl_document_result(document, "store_data_bytes", "stored, uncompressed", "bytes", pl_value_count(store.data_bytes));
    pl_document_result(document, "store_bytes", "compressed to", "bytes", pl_value_count(store.compressed_bytes));
    pl_document_result(document, "store_unique_bytes", "unique, uncompressed", "bytes",
                       pl_value_count(store.unique_bytes));
    pl_document_result(document, "store_working_set_bytes", "it takes", "bytes",
                       pl_value_count(store.working_set_bytes));
    if (store.compressed_bytes)
        pl_document_result(document, "store_ratio", "compressed to one", "",
                           pl_value_real((double)store.data_bytes / (double)store.compressed_bytes));
}

static void performance_results(struct pl_document *document)
{
    struct nt_performance counters = {.reads = 0};
    if (!nt_query(NT_PERFORMANCE, &counters, sizeof counters, NULL))
        return;
    const struct {
        const char *key, *label;
        ULONG count;
    } rows[] = {
        {"available_pages", "available", counters.available_pages},
        {"committed_pages", "committed", counters.committed_pages},
        {"commit_limit_pages", "commit limit", counters.commit_limit},
        {"faults", "page faults since boot", counters.faults},
        {"transition_faults", "transition faults", counters.transition},
        {"demand_zero_faults", "demand-zero faults", counters.demand_zero},
        {"copy_on_write_faults", "copy-on-write faults", counters.copy_on_write},
        {"pages_read", "pages read", counters.page_reads},
        {"page_read_operations", "in read operations", counters.page_read_ios},
        {"dirty_pages_written", "pages written to page files", counters.dirty_pages_written},
        {"mapped_pages_written", "pages written to mapped files", counters.mapped_pages_written},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++)
        pl_document_result(document, rows[i].key, rows[i].label, "", pl_value_count(rows[i].count));
}

enum pl_err pl_os_lists(struct pl_document *document, struct pl_error *err)
{
    struct nt_memory_list lists;
    LONG status;
    if (!nt_memory_list(&lists, &status))
        return no_lists(status, err);
    list_table(document, &lists);
    store_results(document);
    performance_results(document);
    return PL_OK;
}

/* --- one process, as VMMap shows it -------------------------------------------------------------- */
enum type { TYPE_IMAGE, TYPE_FILE, TYPE_SHAREABLE, TYPE_STACK, TYPE_PRIVATE, TYPE_RESERVED, TYPES };
static const char *const type_names[TYPES] = {"image", "mapped file", "shareable", "stack", "private data", "reserved"};

struct sum {
    uint64_t size, committed, resident, resident_private, resident_shared, blocks, largest;
};

static enum type type_of(HANDLE process, const MEMORY_BASIC_INFORMATION *info)
{
    typedef DWORD WINAPI mapped_name_fn(HANDLE, void *, char *, DWORD);
    mapped_name_fn *mapped_name = (mapped_name_fn *)windows_function("kernel32.dll", "K32GetMappedFileNameA");
    char name[MAX_PATH];
    if (info->Type == MEM_IMAGE)
        return TYPE_IMAGE;
    if (info->Type == MEM_MAPPED)
        return mapped_name && mapped_name(process, info->BaseAddress, name, sizeof name) ? TYPE_FILE : TYPE_SHAREABLE;
    return info->Protect & PAGE_GUARD ? TYPE_STACK : info->State == MEM_RESERVE ? TYPE_RESERVED : TYPE_PRIVATE;
}

static bool add_resident(HANDLE process, const MEMORY_BASIC_INFORMATION *info, struct sum *sum)
{
    enum { BATCH = 512 };
    struct nt_page page[BATCH];
    uint64_t start = (uint64_t)(uintptr_t)info->BaseAddress;
    for (uint64_t done = 0; done < info->RegionSize;) {
        size_t count = 0;
        for (; count < BATCH && done < info->RegionSize; count++, done += PAGE)
            page[count] = (struct nt_page){.address = (void *)(uintptr_t)(start + done)};
        if (!nt_pages(process, page, count))
            return false;
        for (size_t i = 0; i < count; i++) {
            if (!(page[i].flags & NT_PAGE_VALID))
                continue;
            sum->resident += PAGE;
            *(page[i].flags & NT_PAGE_SHARED ? &sum->resident_shared : &sum->resident_private) += PAGE;
        }
    }
    return true;
}

/* False when the system does not tell which pages are resident. */
static bool add_process_up(HANDLE process, struct sum sums[TYPES])
{
    MEMORY_BASIC_INFORMATION info;
    bool told = true;
    void *stack = NULL; /* the allocation that had a guard page: the rest of it is a stack as well */
    for (char *at = NULL; VirtualQueryEx(process, at, &info, sizeof info);
         at = (char *)info.BaseAddress + info.RegionSize) {
        if (info.State == MEM_FREE)
            continue;
        enum type type = type_of(process, &info);
        if (type == TYPE_STACK)
            stack = info.AllocationBase;
        else if (type == TYPE_PRIVATE && info.AllocationBase == stack)
            type = TYPE_STACK;
        struct sum *sum = &sums[type];
        sum->size += info.RegionSize;
        sum->blocks++;
        sum->largest = info.RegionSize > sum->largest ? info.RegionSize : sum->largest;
        if (info.State != MEM_COMMIT)
            continue;
        sum->committed += info.RegionSize;
        told = told && add_resident(process, &info, sum);
    }
    return told;
}

static void sum_row(struct pl_document_table *table, const char *name, const struct sum *sum, bool told)
{
    const struct pl_value none = {.kind = PL_VALUE_NONE};
    const struct pl_value row[] = {
        pl_value_text(name),
        pl_value_count(sum->size),
        pl_value_count(sum->committed),
        told ? pl_value_count(sum->resident) : none,
        told ? pl_value_count(sum->resident_private) : none,
        told ? pl_value_count(sum->resident_shared) : none,
        pl_value_count(sum->blocks),
        pl_value_count(sum->largest),
    };
    pl_document_row(table, row);
}

enum pl_err pl_os_view(uint64_t pid, struct pl_document *document, struct pl_error *err)
{
    static const struct pl_column columns[] = {
        {"type", "type", "", PL_VALUE_TEXT, 0},
        {"size_bytes", "size", "bytes", PL_VALUE_COUNT, 0},
        {"committed_bytes", "committed", "bytes", PL_VALUE_COUNT, 0},
        {"working_set_bytes", "working set", "bytes", PL_VALUE_COUNT, 0},
        {"private_bytes", "private WS", "bytes", PL_VALUE_COUNT, 0},
        {"shareable_bytes", "shareable WS", "bytes", PL_VALUE_COUNT, 0},
        {"blocks", "blocks", "", PL_VALUE_COUNT, 0},
        {"largest_bytes", "largest", "bytes", PL_VALUE_COUNT, 0},
    };
    windows_privilege("SeDebugPrivilege");
    HANDLE process = OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ, FALSE, (DWORD)pid);
    if (!process)
        return windows_fail(err, GetLastError(), "cannot open process %llu", (unsigned long long)pid);
    struct sum sums[TYPES] = {{0}}, total = {0};
    bool told = add_process_up(process, sums);
    CloseHandle(process);
    struct pl_document_table *table =
        pl_document_table(document, "types", "Memory by type", columns, PL_COUNT_OF(columns));
    for (int type = 0; type < TYPES; type++) {
        sum_row(table, type_names[type], &sums[type], told);
        total.size += sums[type].size;
        total.committed += sums[type].committed;
        total.resident += sums[type].resident;
        total.resident_private += sums[type].resident_private;
        total.resident_shared += sums[type].resident_shared;
        total.blocks += sums[type].blocks;
        total.largest = sums[type].largest > total.largest ? sums[type].largest : total.largest;
    }
    sum_row(table, "total", &total, told);
    if (!told)
        pl_document_note(document, "This system does not tell which pages of another process are resident.");
    return PL_OK;
}

/* --- numbers over time ----------------------------------------------------------------------------- */
static const struct pl_column system_columns[] = {
    {"available_bytes", "available", "bytes", PL_VALUE_COUNT, 0},
    {"committed_bytes", "committed", "bytes", PL_VALUE_COUNT, 0},
    {"faults", "faults", "", PL_VALUE_COUNT, 0},
    {"transition_faults", "transition", "", PL_VALUE_COUNT, 0},
    {"demand_zero_faults", "demand zero", "", PL_VALUE_COUNT, 0},
    {"pages_read", "pages read", "", PL_VALUE_COUNT, 0},
    {"pages_written", "pages written", "", PL_VALUE_COUNT, 0},
    {"modified_bytes", "modified", "bytes", PL_VALUE_COUNT, 0},
    {"standby_bytes", "standby", "bytes", PL_VALUE_COUNT, 0},
    {"store_data_bytes", "stored", "bytes", PL_VALUE_COUNT, 0},
    {"store_bytes", "compressed to", "bytes", PL_VALUE_COUNT, 0},
};
static const struct pl_column process_columns[] = {
    {"working_set_bytes", "working set", "bytes", PL_VALUE_COUNT, 0},
    {"peak_working_set_bytes", "peak", "bytes", PL_VALUE_COUNT, 0},
    {"private_bytes", "private bytes", "bytes", PL_VALUE_COUNT, 0},
    {"faults", "faults", "", PL_VALUE_COUNT, 0},
    {"cpu_ms", "CPU", "ms", PL_VALUE_REAL, 1},
};

const struct pl_column *pl_os_watch_columns(uint64_t pid, size_t *count)
{
    *count = pid ? PL_COUNT_OF(process_columns) : PL_COUNT_OF(system_columns);
    return pid ? process_columns : system_columns;
}

static enum pl_err sample_system(struct pl_value *values, struct pl_error *err)
{
    struct nt_performance counters = {.reads = 0};
    struct nt_memory_list lists;
    struct nt_store store;
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    LONG status;
    const struct pl_value none = {.kind = PL_VALUE_NONE};
    if (!nt_query(NT_PERFORMANCE, &counters, sizeof counters, &status) || !GlobalMemoryStatusEx(&memory)) {
        char why[256];
        return pl_fail(err, PL_ERR_RESOURCE, "the system's counters cannot be read: %s",
                       nt_reason(status, why, sizeof why));
    }
    values[0] = pl_value_count(memory.ullAvailPhys);
    values[1] = pl_value_count((uint64_t)counters.committed_pages * PAGE);
    values[2] = pl_value_count(counters.faults);
    values[3] = pl_value_count(counters.transition);
    values[4] = pl_value_count(counters.demand_zero);
    values[5] = pl_value_count(counters.page_reads);
    values[6] = pl_value_count(counters.dirty_pages_written + counters.mapped_pages_written);
    values[7] = values[8] = values[9] = values[10] = none;
    if (nt_memory_list(&lists, NULL)) {
        uint64_t standby = 0;
        for (int i = 0; i < 8; i++)
            standby += lists.standby[i];
        values[7] = pl_value_count((uint64_t)lists.modified * PAGE);
        values[8] = pl_value_count(standby * PAGE);
    }
    if (nt_store(&store, NULL)) {
        values[9] = pl_value_count(store.data_bytes);
        values[10] = pl_value_count(store.compressed_bytes);
    }
    return PL_OK;
}

struct memory_counters { /* PROCESS_MEMORY_COUNTERS_EX */
    DWORD size, faults;
    SIZE_T peak_working_set, working_set, pool[4], page_file, peak_page_file, private;
};

static enum pl_err sample_process(uint64_t pid, struct pl_value *values, struct pl_error *err)
{
    typedef BOOL WINAPI memory_fn(HANDLE, struct memory_counters *, DWORD);
    memory_fn *memory = (memory_fn *)windows_function("kernel32.dll", "K32GetProcessMemoryInfo");
    struct memory_counters counters = {.size = sizeof counters};
    FILETIME created, ended, kernel, user;
    HANDLE process = OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ | SYNCHRONIZE, FALSE, (DWORD)pid);
    if (!process)
        return windows_fail(err, GetLastError(), "cannot open process %llu", (unsigned long long)pid);
    bool known = memory && memory(process, &counters, sizeof counters) &&
                 GetProcessTimes(process, &created, &ended, &kernel, &user);
    DWORD code = GetLastError();
    bool gone = WaitForSingleObject(process, 0) == WAIT_OBJECT_0;
    CloseHandle(process);
    if (gone)
        return pl_fail(err, PL_ERR_RESOURCE, "process %llu has ended", (unsigned long long)pid);
    if (!known)
        return windows_fail(err, code, "the counters of process %llu cannot be read", (unsigned long long)pid);
    uint64_t time = ((uint64_t)kernel.dwHighDateTime << 32 | kernel.dwLowDateTime) +
                    ((uint64_t)user.dwHighDateTime << 32 | user.dwLowDateTime);
    values[0] = pl_value_count(counters.working_set);
    values[1] = pl_value_count(counters.peak_working_set);
    values[2] = pl_value_count(counters.private ? counters.private : counters.page_file);
    values[3] = pl_value_count(counters.faults);
    values[4] = pl_value_real((double)time / 1e4);
    return PL_OK;
}

enum pl_err pl_os_watch_sample(uint64_t pid, struct pl_value *values, struct pl_error *err)
{
    return pid ? sample_process(pid, values, err) : sample_system(values, err);
}

/* --- purging ----------------------------------------------------------------------------------------- */
const struct pl_os_purge pl_os_purges[] = {
    {"workingsets", "every process's pages leave its working set (to standby and modified)"},
    {"modified", "the modified list is written out"},
    {"standby", "the standby lists become free pages: every cache is cold"},
    {"standby0", "the same for priority 0 alone"},
    {NULL, NULL},
};

static int command_of(const char *name)
{
    static const int commands[] = {NT_EMPTY_WORKING_SETS, NT_FLUSH_MODIFIED, NT_PURGE_STANDBY, NT_PURGE_STANDBY_LOW};
    for (size_t i = 0; pl_os_purges[i].name; i++)
        if (!strcmp(pl_os_purges[i].name, name))
            return commands[i];
    return -1;
}

enum pl_err pl_os_purge_state(const char *name, uint64_t *available_bytes, uint64_t *list_bytes, struct pl_error *err)
{
    struct nt_memory_list lists;
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    LONG status;
    uint64_t standby = 0;
    if (!nt_memory_list(&lists, &status))
        return no_lists(status, err);
    GlobalMemoryStatusEx(&memory);
    for (int i = 0; i < 8; i++)
        standby += lists.standby[i];
    uint64_t unlisted = standby + lists.zero + lists.free + lists.modified + lists.modified_no_write;
    *available_bytes = memory.ullAvailPhys;
    switch (command_of(name)) {
    case NT_EMPTY_WORKING_SETS: /* what is on no list is in working sets, or the system's own */
        *list_bytes = memory.ullTotalPhys > unlisted * PAGE ? memory.ullTotalPhys - unlisted * PAGE : 0;
        break;
    case NT_FLUSH_MODIFIED:
        *list_bytes = (uint64_t)lists.modified * PAGE;
        break;
    case NT_PURGE_STANDBY:
        *list_bytes = standby * PAGE;
        break;
    default:
        *list_bytes = (uint64_t)lists.standby[0] * PAGE;
    }
    return PL_OK;
}

enum pl_err pl_os_purge(const char *name, struct pl_error *err)
{
    ULONG command = (ULONG)command_of(name);
    LONG status;
    char why[256];
    if (!windows_privilege("SeProfileSingleProcessPrivilege"))
        return pl_fail(
            err, PL_ERR_RESOURCE,
            "purging takes the right 'Profile single process', which administrators have: run as administrator");
    windows_privilege("SeIncreaseQuotaPrivilege"); /* some systems want it for emptying working sets */
    if (!nt_set(NT_MEMORY_LIST, &command, sizeof command, &status))
        return pl_fail(err, PL_ERR_RESOURCE, "the system refuses to purge %s: %s", name,
                       nt_reason(status, why, sizeof why));
    return PL_OK;
}
