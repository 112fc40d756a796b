/* capture/windows/os_windows_memory.c: memory of the measured workload, and how it leaves the working set. */
#include "capture/os.h"
#include "capture/windows/windows_nt.h"

#include <stdlib.h>
#include <string.h>

const char *const pl_os_memory_names[] = {"private", "large", "file", "section", "rio", NULL};
const char *const pl_os_trim_names[] = {"none", "pageout", "empty", "size", "minimise", NULL};

uint32_t pl_os_page_size(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwPageSize;
}

/* --- getting memory --------------------------------------------------------------------- */
static enum pl_err get_large(uint64_t size, struct pl_os_memory *out, struct pl_error *err)
{
    typedef SIZE_T WINAPI minimum_fn(void);
    minimum_fn *minimum = (minimum_fn *)windows_function("kernel32.dll", "GetLargePageMinimum");
    SIZE_T unit = minimum ? minimum() : 0;
    if (!unit)
        return pl_fail(err, PL_ERR_RESOURCE, "this processor or Windows has no large pages");
    if (!windows_privilege("SeLockMemoryPrivilege"))
        return pl_fail(
            err, PL_ERR_RESOURCE,
            "large pages take the right 'Lock pages in memory' (secpol.msc, Local Policies, User Rights Assignment; "
            "log on again afterwards, and run as administrator)");
    out->size = (size + unit - 1) / unit * unit;
    out->bytes = VirtualAlloc(NULL, out->size, MEM_RESERVE | MEM_COMMIT | MEM_LARGE_PAGES, PAGE_READWRITE);
    if (!out->bytes)
        return windows_fail(err, GetLastError(), "%llu bytes in large pages", (unsigned long long)out->size);
    return PL_OK;
}

/* At `base` when it is not NULL. Takes the section over, whatever comes of it. */
static enum pl_err map_view(HANDLE section, uint8_t *base, struct pl_os_memory *out, struct pl_error *err)
{
    out->bytes = MapViewOfFileEx(section, FILE_MAP_ALL_ACCESS, 0, 0, (SIZE_T)out->size, base);
    DWORD code = GetLastError();
    if (!out->bytes) {
        CloseHandle(section);
        return windows_fail(err, code, "mapping %llu bytes", (unsigned long long)out->size);
    }
    out->handle = section;
    return PL_OK;
}

static enum pl_err map_section(HANDLE file, uint8_t *base, struct pl_os_memory *out, struct pl_error *err)
{
    HANDLE section = CreateFileMappingA(file, NULL, PAGE_READWRITE, (DWORD)(out->size >> 32),
                                        (DWORD)(out->size & UINT32_MAX), NULL);
    DWORD code = GetLastError();
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    if (!section)
        return windows_fail(err, code, "a section of %llu bytes", (unsigned long long)out->size);
    return map_view(section, base, out, err);
}

static enum pl_err get_file(const char *path, struct pl_os_memory *out, struct pl_error *err)
{
    HANDLE file = CreateFileA(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ, NULL, OPEN_ALWAYS, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return windows_fail(err, GetLastError(), "%s", path);
    return map_section(file, NULL, out, err);
}

enum pl_err pl_os_memory_get(enum pl_os_memory_kind kind, uint64_t size, const char *path, struct pl_os_memory *out,
                             struct pl_error *err)
{
    struct pl_os_memory memory = {.size = size, .kind = kind};
    enum pl_err rc = PL_OK;
    switch (kind) {
    case PL_OS_PRIVATE:
    case PL_OS_RIO:
        memory.bytes = VirtualAlloc(NULL, (SIZE_T)size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
        if (!memory.bytes)
            rc = windows_fail(err, GetLastError(), "%llu bytes of memory", (unsigned long long)size);
        else if (kind == PL_OS_RIO)
            rc = windows_rio_touch(memory.bytes, size, err);
        break;
    case PL_OS_LARGE:
        rc = get_large(size, &memory, err);
        break;
    case PL_OS_FILE:
        rc = path ? get_file(path, &memory, err) : pl_fail(err, PL_ERR_USAGE, "a mapped file needs its path");
        break;
    case PL_OS_SECTION:
        rc = map_section(INVALID_HANDLE_VALUE, NULL, &memory, err);
        break;
    }
    if (rc == PL_OK)
        *out = memory;
    else if (memory.bytes)
        pl_os_memory_release(&memory);
    return rc;
}

void pl_os_memory_release(struct pl_os_memory *memory)
{
    if (!memory->bytes)
        return;
    if (memory->kind == PL_OS_FILE || memory->kind == PL_OS_SECTION) {
        UnmapViewOfFile(memory->bytes);
        CloseHandle(memory->handle);
    } else {
        VirtualFree(memory->bytes, 0, MEM_RELEASE);
    }
    memory->bytes = NULL;
}

/* Maps anew at the same place: a file's pages may still be in memory (its next touches are soft faults), a section's
 * are new. */
static enum pl_err map_again(struct pl_os_memory *memory, struct pl_error *err)
{
    uint8_t *base = memory->bytes;
    HANDLE section = memory->handle;
    UnmapViewOfFile(base);
    memory->bytes = NULL;
    memory->handle = NULL;
    if (memory->kind == PL_OS_FILE)
        return map_view(section, base, memory, err);
    CloseHandle(section);
    return map_section(INVALID_HANDLE_VALUE, base, memory, err);
}

enum pl_err pl_os_memory_forget(struct pl_os_memory *memory, struct pl_error *err)
{
    if (memory->kind == PL_OS_FILE || memory->kind == PL_OS_SECTION)
        return map_again(memory, err);
    if (memory->kind == PL_OS_LARGE)
        return pl_fail(
            err, PL_ERR_RESOURCE,
            "Windows cannot drop large pages and keep their addresses: run it with --warm-up 0 and one repetition");
    /* Decommitting is the only thing that drops private pages for certain. */
    if (!VirtualFree(memory->bytes, (SIZE_T)memory->size, MEM_DECOMMIT) ||
        !VirtualAlloc(memory->bytes, (SIZE_T)memory->size, MEM_COMMIT, PAGE_READWRITE))
        return windows_fail(err, GetLastError(), "dropping pages");
    return memory->kind == PL_OS_RIO ? windows_rio_touch(memory->bytes, memory->size, err) : PL_OK;
}

uint64_t pl_os_memory_resident(const struct pl_os_memory *memory)
{
    enum { BATCH = 1024, PAGE = 4096 };
    static struct nt_page page[BATCH];
    uint64_t resident = 0;
    for (uint64_t at = 0; at < memory->size;) {
        size_t count = 0;
        for (; count < BATCH && at < memory->size; count++, at += PAGE)
            page[count] = (struct nt_page){.address = memory->bytes + at};
        if (!nt_pages(GetCurrentProcess(), page, count))
            return UINT64_MAX;
        for (size_t i = 0; i < count; i++)
            resident += page[i].flags & NT_PAGE_VALID ? PAGE : 0;
    }
    return resident;
}

/* --- trimming ------------------------------------------------------------------------------- */
enum pl_os_trim pl_os_trim_default(void)
{
    return PL_OS_TRIM_EMPTY;
}

/* A window of our own, shown and minimised: older Windows trim a process whose last window goes down. */
static enum pl_err minimise(struct pl_error *err)
{
    typedef HWND WINAPI create_fn(DWORD, const char *, const char *, DWORD, int, int, int, int, HWND, HMENU, HINSTANCE,
                                  void *);
    typedef BOOL WINAPI show_fn(HWND, int);
    create_fn *create = (create_fn *)windows_function("user32.dll", "CreateWindowExA");
    show_fn *show = (show_fn *)windows_function("user32.dll", "ShowWindow");
    enum { SETTLE_MS = 500 };
    static HWND window;
    if (!window && create)
        window =
            create(0, "STATIC", "pagecap", WS_OVERLAPPEDWINDOW | WS_VISIBLE, 0, 0, 200, 100, NULL, NULL, NULL, NULL);
    if (!window || !show)
        return pl_fail(err, PL_ERR_RESOURCE, "no window can be shown here, so none can be minimised");
    show(window, SW_SHOWNORMAL);
    show(window, SW_MINIMIZE);
    Sleep(SETTLE_MS);
    return PL_OK;
}

enum pl_err pl_os_trim(enum pl_os_trim how, struct pl_os_memory *memory, struct pl_error *err)
{
    typedef BOOL WINAPI empty_fn(HANDLE);
    empty_fn *empty = (empty_fn *)windows_function("kernel32.dll", "K32EmptyWorkingSet");
    uint64_t before = pl_os_memory_resident(memory);
    bool done = false;
    switch (how) {
    case PL_OS_TRIM_NONE:
        return PL_OK;
    case PL_OS_TRIM_PAGEOUT:
        return pl_fail(err, PL_ERR_USAGE, "'pageout' is Linux's way to trim; here they are: empty, size, minimise");
    case PL_OS_TRIM_EMPTY:
        done = empty && empty(GetCurrentProcess());
        break;
    case PL_OS_TRIM_SIZE:
        done = SetProcessWorkingSetSize(GetCurrentProcess(), (SIZE_T)-1, (SIZE_T)-1);
        break;
    case PL_OS_TRIM_MINIMISE:
        return minimise(err); /* whether it trims is the question that is measured */
    case PL_OS_TRIMS:
        break;
    }
    if (!done)
        return windows_fail(err, GetLastError(), "the working set cannot be emptied");
    uint64_t after = pl_os_memory_resident(memory);
    bool can_leave = memory->kind != PL_OS_LARGE;
    if (can_leave && before != UINT64_MAX && before > 0 && after >= before)
        return pl_fail(err, PL_ERR_RESOURCE,
                       "the system says it emptied the working set, but all %llu bytes are still in it",
                       (unsigned long long)after);
    return PL_OK;
}
