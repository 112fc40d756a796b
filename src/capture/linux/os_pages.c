/* capture/linux/os_pages.c: the pages of a running process, from /proc; and files, mapped.
 *
 * maps tells the mappings, pagemap of each page whether it is in memory (bit 63), swapped out (62) and of a file or
 * shared (61), mem gives the bytes. Reading brings swapped pages back in. */
#include "config.h"

#include "capture/linux/proc_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENTRIES = 512 };

/* --- mappings ------------------------------------------------------------------------------ */
FILE *proc_open(uint64_t pid, const char *file, struct pl_error *err)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/%s", pid, file);
    FILE *stream = fopen(path, "re");
    if (stream)
        return stream;
    if (errno == ENOENT || errno == ESRCH)
        pl_fail(err, PL_ERR_INPUT, "there is no process %" PRIu64, pid);
    else
        pl_fail(err, PL_ERR_RESOURCE,
                "process %" PRIu64 ": only its user, with ptrace permission, or root may look: %s", pid,
                strerror(errno));
    return NULL;
}

bool proc_next_mapping(FILE *maps, struct proc_mapping *out)
{
    char line[8192];
    while (fgets(line, sizeof line, maps)) {
        int name = 0;
        uint64_t offset, inode;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 " %n", &out->start, &out->end,
                   out->access, &offset, &inode, &name) < 5)
            continue;
        line[strcspn(line, "\n")] = '\0';
        out->is_file = inode != 0;
        snprintf(out->name, sizeof out->name, "%s", name ? line + name : "");
        return true;
    }
    return false;
}

/* --- pages ---------------------------------------------------------------------------------- */
struct pl_os_pages {
    FILE *maps;
    int pagemap, memory;
    bool every;
    uint32_t page_size;
    uint64_t at, end; /* of the present mapping */
    uint64_t entry[ENTRIES];
    size_t entry_at, entry_count;
    uint64_t unreadable;
};

static int open_raw(uint64_t pid, const char *file)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/%s", pid, file);
    return open(path, O_RDONLY | O_CLOEXEC);
}

enum pl_err pl_os_pages_open(uint64_t pid, bool every, struct pl_os_pages **out, struct pl_error *err)
{
    struct pl_os_pages *pages = calloc(1, sizeof *pages);
    if (!pages)
        return pl_fail_memory(err, sizeof *pages, "reading pages");
    pages->every = every;
    pages->page_size = pl_os_page_size();
    pages->pagemap = open_raw(pid, "pagemap");
    pages->memory = open_raw(pid, "mem");
    int failure = errno;
    pages->maps = proc_open(pid, "maps", err);
    enum pl_err rc = PL_OK;
    if (!pages->maps)
        rc = access("/proc/self/maps", F_OK) == 0 && kernel_knows(pid) ? PL_ERR_RESOURCE : PL_ERR_INPUT;
    else if (pages->pagemap < 0 || pages->memory < 0)
        rc = pl_fail(err, PL_ERR_RESOURCE,
                     "process %" PRIu64 ": only its user, with ptrace permission, or root may look: %s", pid,
                     strerror(failure));
    if (rc) {
        pl_os_pages_close(pages);
        return rc;
    }
    *out = pages;
    return PL_OK;
}

bool kernel_knows(uint64_t pid)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/%" PRIu64, pid);
    return access(path, F_OK) == 0;
}

void pl_os_pages_close(struct pl_os_pages *pages)
{
    if (!pages)
        return;
    if (pages->maps)
        fclose(pages->maps);
    if (pages->pagemap >= 0)
        close(pages->pagemap);
    if (pages->memory >= 0)
        close(pages->memory);
    free(pages);
}

/* The next mapping that holds memory of the process's own; false at the end. */
static bool next_mapping(struct pl_os_pages *pages)
{
    struct proc_mapping mapping;
    while (proc_next_mapping(pages->maps, &mapping)) {
        if (mapping.access[0] != 'r' || !strncmp(mapping.name, "[v", 2)) /* [vvar], [vdso], [vsyscall] */
            continue;
        pages->at = mapping.start;
        pages->end = mapping.end;
        return true;
    }
    return false;
}

static bool load_entries(struct pl_os_pages *pages)
{
    uint64_t left = (pages->end - pages->at) / pages->page_size;
    size_t want = (left < ENTRIES ? left : ENTRIES) * sizeof pages->entry[0];
    ssize_t got = want ? pread(pages->pagemap, pages->entry, want, (off_t)(pages->at / pages->page_size * 8)) : 0;
    pages->entry_at = 0;
    pages->entry_count = got > 0 ? (size_t)got / sizeof pages->entry[0] : 0;
    return pages->entry_count > 0;
}

static bool is_wanted(const struct pl_os_pages *pages, uint64_t entry)
{
    bool there = entry >> 63 || (entry >> 62 & 1);
    return there && (pages->every || !(entry >> 61 & 1));
}

enum pl_err pl_os_pages_next(struct pl_os_pages *pages, uint8_t *page, uint64_t *address, struct pl_error *err)
{
    for (;;) {
        if (pages->entry_at == pages->entry_count) {
            if (!load_entries(pages) && !next_mapping(pages))
                return PL_END;
            continue;
        }
        uint64_t entry = pages->entry[pages->entry_at++], here = pages->at;
        pages->at += pages->page_size;
        if (!is_wanted(pages, entry))
            continue;
        if (pread(pages->memory, page, pages->page_size, (off_t)here) == (ssize_t)pages->page_size) {
            *address = here;
            return PL_OK;
        }
        pages->unreadable++;
    }
}

uint64_t pl_os_pages_unreadable(const struct pl_os_pages *pages)
{
    return pages->unreadable;
}

/* The descriptors stay open for the process that was asked about last. */
bool pl_os_page_read(uint64_t pid, uint64_t address, uint8_t *page)
{
    static uint64_t last;
    static int memory = -1, pagemap = -1;
    const uint32_t size = pl_os_page_size();
    uint64_t entry;
    if (pid != last) {
        if (memory >= 0)
            close(memory);
        if (pagemap >= 0)
            close(pagemap);
        memory = open_raw(pid, "mem");
        pagemap = open_raw(pid, "pagemap");
        last = pid;
    }
    if (pread(pagemap, &entry, sizeof entry, (off_t)(address / size * sizeof entry)) != (ssize_t)sizeof entry)
        return false;
    bool there = entry >> 63 || (entry >> 62 & 1);
    return there && pread(memory, page, size, (off_t)address) == (ssize_t)size;
}

size_t pl_os_compress(const uint8_t *page, size_t size, uint8_t *out, size_t room)
{
    return 0; /* the kernel offers its compressors to nobody */
}

/* --- files ------------------------------------------------------------------------------------ */
enum pl_err pl_os_file_map(const char *path, const uint8_t **bytes, uint64_t *length, struct pl_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0)
        return pl_fail_errno(err, errno, "%s", path);
    enum pl_err rc = PL_OK;
    void *map = MAP_FAILED;
    if (fstat(fd, &status) != 0)
        rc = pl_fail_errno(err, errno, "%s", path);
    else if (!S_ISREG(status.st_mode) || status.st_size == 0)
        rc = pl_fail(err, PL_ERR_INPUT, "%s: is empty, or no plain file", path);
    else if ((map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED)
        rc = pl_fail_errno(err, errno, "%s", path);
    close(fd);
    if (rc)
        return rc;
    *bytes = map;
    *length = (uint64_t)status.st_size;
    return PL_OK;
}

void pl_os_file_unmap(const uint8_t *bytes, uint64_t length)
{
    munmap((void *)(uintptr_t)bytes, length);
}
