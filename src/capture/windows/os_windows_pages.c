/* capture/windows/os_windows_pages.c: the pages of a process one by one, files mapped, the system's compressor. */
#include "capture/os.h"
#include "capture/windows/windows_nt.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, BATCH = 256 };

struct pl_os_pages {
    HANDLE process;
    bool every;
    uint64_t at, end; /* of the region being read; equal: the next is to be found at `at` */
    uint8_t *batch;
    uint64_t batch_at;
    size_t have, given;
    uint64_t unreadable;
};

enum pl_err pl_os_pages_open(uint64_t pid, bool every, struct pl_os_pages **out, struct pl_error *err)
{
    struct pl_os_pages *pages = calloc(1, sizeof *pages);
    if (!pages || !(pages->batch = malloc(BATCH * PAGE))) {
        free(pages);
        return pl_fail_memory(err, BATCH * PAGE, "pages");
    }
    windows_privilege("SeDebugPrivilege");
    pages->every = every;
    pages->process = OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ, FALSE, (DWORD)pid);
    if (!pages->process) {
        DWORD code = GetLastError();
        free(pages->batch);
        free(pages);
        return windows_fail(err, code, "cannot open process %llu", (unsigned long long)pid);
    }
    *out = pages;
    return PL_OK;
}

/* The next region whose pages a store would be given: private, committed, readable. */
static bool next_region(struct pl_os_pages *pages)
{
    MEMORY_BASIC_INFORMATION info;
    while (VirtualQueryEx(pages->process, (void *)(uintptr_t)pages->at, &info, sizeof info)) {
        uint64_t start = (uint64_t)(uintptr_t)info.BaseAddress, end = start + info.RegionSize;
        bool readable = info.State == MEM_COMMIT && !(info.Protect & (PAGE_NOACCESS | PAGE_GUARD));
        if (end <= pages->at)
            return false;
        if (readable && (pages->every || info.Type == MEM_PRIVATE)) {
            pages->at = start;
            pages->end = end;
            return true;
        }
        pages->at = pages->end = end;
    }
    return false;
}

/* Untouched pages of private memory hold nothing yet: they are left out where the system says which. */
static void drop_untouched(struct pl_os_pages *pages, struct nt_page *state, size_t count, bool *wanted)
{
    enum { LOCATION_SHIFT = 22, LOCATION_MASK = 3 }; /* of a page that is not valid: 0 nowhere */
    for (size_t i = 0; i < count; i++)
        state[i] = (struct nt_page){.address = (void *)(uintptr_t)(pages->at + i * PAGE)};
    bool known = nt_pages(pages->process, state, count);
    for (size_t i = 0; i < count; i++)
        wanted[i] = !known || state[i].flags & NT_PAGE_VALID || (state[i].flags >> LOCATION_SHIFT & LOCATION_MASK);
}

static void read_batch(struct pl_os_pages *pages)
{
    struct nt_page state[BATCH];
    bool wanted[BATCH];
    uint64_t left = (pages->end - pages->at) / PAGE;
    size_t count = left < BATCH ? (size_t)left : BATCH;
    drop_untouched(pages, state, count, wanted);
    size_t first = 0;
    while (first < count && !wanted[first])
        first++;
    size_t last = first;
    while (last < count && wanted[last])
        last++;
    pages->batch_at = pages->at + first * PAGE;
    pages->given = 0;
    pages->have = last - first;
    SIZE_T got = 0;
    if (pages->have && !ReadProcessMemory(pages->process, (void *)(uintptr_t)pages->batch_at, pages->batch,
                                          pages->have * PAGE, &got)) {
        pages->have = 1; /* one of them is gone: take this one alone, or count it */
        last = first + 1;
        if (!ReadProcessMemory(pages->process, (void *)(uintptr_t)pages->batch_at, pages->batch, PAGE, &got)) {
            pages->have = 0;
            pages->unreadable++;
        }
    }
    pages->at += last * PAGE;
}

enum pl_err pl_os_pages_next(struct pl_os_pages *pages, uint8_t *page, uint64_t *address, struct pl_error *err)
{
    (void)err;
    while (pages->given == pages->have) {
        if (pages->at >= pages->end && !next_region(pages))
            return PL_END;
        read_batch(pages);
    }
    memcpy(page, pages->batch + pages->given * PAGE, PAGE);
    *address = pages->batch_at + pages->given * PAGE;
    pages->given++;
    return PL_OK;
}

uint64_t pl_os_pages_unreadable(const struct pl_os_pages *pages)
{
    return pages->unreadable;
}

void pl_os_pages_close(struct pl_os_pages *pages)
{
    if (!pages)
        return;
    CloseHandle(pages->process);
    free(pages->batch);
    free(pages);
}

/* --- files ----------------------------------------------------------------------------------- */
enum pl_err pl_os_file_map(const char *path, const uint8_t **bytes, uint64_t *length, struct pl_error *err)
{
    LARGE_INTEGER size = {.QuadPart = 0};
    HANDLE file = CreateFileA(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    DWORD code = GetLastError();
    HANDLE section = NULL;
    const void *view = NULL;
    if (file != INVALID_HANDLE_VALUE) {
        if (GetFileSizeEx(file, &size) && size.QuadPart == 0) {
            CloseHandle(file);
            return pl_fail(err, PL_ERR_INPUT, "%s: the file is empty", path);
        }
        section = CreateFileMappingA(file, NULL, PAGE_READONLY, 0, 0, NULL);
        view = section ? MapViewOfFile(section, FILE_MAP_READ, 0, 0, 0) : NULL;
        code = GetLastError();
        if (section)
            CloseHandle(section);
        CloseHandle(file);
    }
    if (!view) {
        windows_fail(err, code, "%s", path);
        if (err)
            err->code = PL_ERR_INPUT;
        return PL_ERR_INPUT;
    }
    *bytes = view;
    *length = (uint64_t)size.QuadPart;
    return PL_OK;
}

void pl_os_file_unmap(const uint8_t *bytes, uint64_t length)
{
    (void)length;
    UnmapViewOfFile(bytes);
}

bool pl_os_page_read(uint64_t pid, uint64_t address, uint8_t *page)
{
    HANDLE process = OpenProcess(PROCESS_VM_READ | PROCESS_QUERY_INFORMATION, FALSE, (DWORD)pid);
    SIZE_T got = 0;
    bool read = process && ReadProcessMemory(process, (void *)(uintptr_t)address, page, PAGE, &got) && got == PAGE;
    if (process)
        CloseHandle(process);
    return read;
}

/* --- the system's compressor --------------------------------------------------------------------- */
size_t pl_os_compress(const uint8_t *page, size_t size, uint8_t *out, size_t room)
{
    typedef LONG NTAPI work_fn(USHORT, ULONG *, ULONG *);
    typedef LONG NTAPI compress_fn(USHORT, const uint8_t *, ULONG, uint8_t *, ULONG, ULONG, ULONG *, void *);
    enum { XPRESS = 3, CHUNK = 4096 };
    static compress_fn *compress;
    static void *work;
    static bool looked;
    ULONG bytes = 0, fragment;
    if (!looked) {
        work_fn *work_size = (work_fn *)windows_function("ntdll.dll", "RtlGetCompressionWorkSpaceSize");
        compress = (compress_fn *)windows_function("ntdll.dll", "RtlCompressBuffer");
        if (work_size && work_size(XPRESS, &bytes, &fragment) >= 0)
            work = malloc(bytes);
        looked = true;
    }
    if (!work || !compress || compress(XPRESS, page, (ULONG)size, out, (ULONG)room, CHUNK, &bytes, work) < 0)
        return 0;
    return bytes < size ? bytes : 0;
}
