/* capture/linux/os_memory.c: memory of the measured workload, and how its pages leave.
 *
 * MADV_NOHUGEPAGE keeps the pages small, so that a touch is a fault of one page. MADV_PAGEOUT reclaims at once and in
 * the calling thread: swapping out is then part of the trim, where Windows compresses behind the scenes. */
#include "config.h"

#include "capture/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

const char *const pl_os_memory_names[] = {"private", "large", "file", "section", "rio", NULL};
const char *const pl_os_trim_names[] = {"none", "pageout", "empty", "size", "minimise", NULL};

uint32_t pl_os_page_size(void)
{
    return (uint32_t)sysconf(_SC_PAGESIZE);
}

/* --- getting it ------------------------------------------------------------------ */
static enum pl_err map(struct pl_os_memory *memory, int flags, int fd, struct pl_error *err)
{
    void *bytes = mmap(NULL, memory->size, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (bytes == MAP_FAILED && memory->kind == PL_OS_LARGE)
        return pl_fail(err, PL_ERR_RESOURCE,
                       "there are no huge pages for %llu bytes: vm.nr_hugepages says how many are set aside",
                       (unsigned long long)memory->size);
    if (bytes == MAP_FAILED)
        return pl_fail_errno(err, errno, "%llu bytes of memory", (unsigned long long)memory->size);
    if (memory->kind != PL_OS_LARGE)
        madvise(bytes, memory->size,
                MADV_NOHUGEPAGE); /* without huge pages in the kernel it fails, and nothing is lost */
    memory->bytes = bytes;
    return PL_OK;
}

static enum pl_err map_file(struct pl_os_memory *memory, const char *path, struct pl_error *err)
{
    if (!path)
        return pl_fail(err, PL_ERR_USAGE, "a mapped file needs a path");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return pl_fail_errno(err, errno, "%s", path);
    enum pl_err rc = ftruncate(fd, (off_t)memory->size) ? pl_fail_errno(err, errno, "%s", path)
                                                        : map(memory, MAP_SHARED, fd, err);
    close(fd);
    return rc;
}

enum pl_err pl_os_memory_get(enum pl_os_memory_kind kind, uint64_t size, const char *path, struct pl_os_memory *out,
                             struct pl_error *err)
{
    struct pl_os_memory memory = {.size = size, .kind = kind};
    enum pl_err rc = PL_OK;
    switch (kind) {
    case PL_OS_PRIVATE:
        rc = map(&memory, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, err);
        break;
    case PL_OS_LARGE:
        memory.size = (size + (2 * PL_MIB - 1)) & ~(2 * PL_MIB - 1);
        rc = map(&memory, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, err);
        break;
    case PL_OS_FILE:
        rc = map_file(&memory, path, err);
        break;
    case PL_OS_SECTION:
        rc = map(&memory, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, err);
        break;
    case PL_OS_RIO:
        return pl_fail(err, PL_ERR_RESOURCE, "registered I/O is Windows's; Linux has no such memory");
    }
    if (rc == PL_OK)
        *out = memory;
    return rc;
}

void pl_os_memory_release(struct pl_os_memory *memory)
{
    if (memory->bytes)
        munmap(memory->bytes, memory->size);
    memory->bytes = NULL;
}

enum pl_err pl_os_memory_forget(struct pl_os_memory *memory, struct pl_error *err)
{
    int advice = memory->kind == PL_OS_SECTION ? MADV_REMOVE : MADV_DONTNEED;
    if (madvise(memory->bytes, memory->size, advice) != 0)
        return pl_fail_errno(err, errno, "giving pages back");
    return PL_OK;
}

/* Bit 63 of an entry of pagemap: the page is in memory. */
uint64_t pl_os_memory_resident(const struct pl_os_memory *memory)
{
    enum { ENTRIES = 4096 };
    const uint64_t page_size = pl_os_page_size(), pages = memory->size / page_size;
    uint64_t *entry = malloc(ENTRIES * sizeof *entry), resident = 0;
    int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    bool known = entry && fd >= 0;
    for (uint64_t done = 0; known && done < pages; done += ENTRIES) {
        uint64_t count = pages - done < ENTRIES ? pages - done : ENTRIES;
        off_t at = (off_t)(((uintptr_t)memory->bytes / page_size + done) * sizeof *entry);
        known = pread(fd, entry, count * sizeof *entry, at) == (ssize_t)(count * sizeof *entry);
        for (uint64_t i = 0; known && i < count; i++)
            resident += entry[i] >> 63;
    }
    if (fd >= 0)
        close(fd);
    free(entry);
    return known ? resident * page_size : UINT64_MAX;
}

/* --- trimming -------------------------------------------------------------------- */
enum pl_os_trim pl_os_trim_default(void)
{
    return PL_OS_TRIM_PAGEOUT;
}

enum pl_err pl_os_trim(enum pl_os_trim how, struct pl_os_memory *memory, struct pl_error *err)
{
    if (how == PL_OS_TRIM_NONE)
        return PL_OK;
    if (how != PL_OS_TRIM_PAGEOUT)
        return pl_fail(err, PL_ERR_RESOURCE, "trimming by '%s' is Windows's; Linux has 'pageout' and 'none'",
                       pl_os_trim_names[how]);
    while (madvise(memory->bytes, memory->size, MADV_PAGEOUT) != 0)
        if (errno != EAGAIN && errno != EINTR)
            return pl_fail_errno(err, errno, "MADV_PAGEOUT");
    return PL_OK;
}
