/* store/page_reader_process.c: the memory of a running process, from /proc (Linux).
 *
 * maps tells its mappings, pagemap of each page whether it is in memory (bit 63), swapped out (62), and backed by a
 * file or shared (61), mem gives the bytes. Reading brings swapped pages back in: the look is not free for who is
 * looked at. */
#include "base/arena.h"
#include "store/page_reader_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)

enum { ENTRIES = 512 }; /* of pagemap, read at once */

#define IS_PRESENT (UINT64_C(1) << 63)
#define IS_SWAPPED (UINT64_C(1) << 62)
#define IS_FILE_OR_SHARED (UINT64_C(1) << 61)

struct look {
    struct pl_page_reader *reader;
    int pagemap;
    bool every;
    uint64_t run_start, run_end; /* of pages found so far, not yet an extent */
};

static bool is_wanted(const struct look *look, uint64_t entry)
{
    return (entry & (IS_PRESENT | IS_SWAPPED)) && (look->every || !(entry & IS_FILE_OR_SHARED));
}

static enum pl_err end_run(struct look *look, struct pl_error *err)
{
    if (look->run_start == look->run_end)
        return PL_OK;
    struct pl_page_extent extent = {0, look->run_start, look->run_end - look->run_start};
    look->run_start = look->run_end;
    return pl_page_reader_add_extent(look->reader, extent, err);
}

/* Makes extents of the wanted pages of one mapping. */
static enum pl_err look_at_mapping(struct look *look, uint64_t start, uint64_t end, struct pl_error *err)
{
    uint64_t entry[ENTRIES], page_size = look->reader->page_size;
    for (uint64_t at = start; at < end;) {
        uint64_t pages = (end - at) / page_size < ENTRIES ? (end - at) / page_size : ENTRIES;
        ssize_t got = pread(look->pagemap, entry, (size_t)pages * sizeof(entry[0]), (off_t)(at / page_size * 8));
        if (got < 0)
            return pl_fail_errno(err, errno, "%s: pagemap", look->reader->own_name);
        if (got < (ssize_t)sizeof(entry[0]))
            break; /* it has ended meanwhile */
        for (size_t i = 0; i < (size_t)got / sizeof(entry[0]); i++, at += page_size) {
            if (!is_wanted(look, entry[i]))
                continue;
            if (at != look->run_end) {
                enum pl_err rc = end_run(look, err);
                if (rc)
                    return rc;
                look->run_start = at;
            }
            look->run_end = at + page_size;
        }
    }
    return end_run(look, err);
}

/* The mappings that hold memory: readable ones but the kernel's own ([vvar] and the like have no pages of the
 * process). */
static enum pl_err look_at_maps(struct look *look, FILE *maps, struct pl_error *err)
{
    char line[8192], access[5];
    while (fgets(line, sizeof(line), maps)) {
        uint64_t start, end;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &start, &end, access) != 3)
            continue;
        if (access[0] != 'r' || strstr(line, "[vvar") || strstr(line, "[vsyscall]") || strstr(line, "[vdso]"))
            continue;
        enum pl_err rc = look_at_mapping(look, start, end, err);
        if (rc)
            return rc;
    }
    return PL_OK;
}

/* Opens one of the process's files; says what it takes when that is refused. */
static enum pl_err open_of(uint64_t pid, const char *file, int *out, struct pl_error *err)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%" PRIu64 "/%s", pid, file);
    *out = open(path, O_RDONLY | O_CLOEXEC);
    if (*out >= 0)
        return PL_OK;
    if (errno == ENOENT || errno == ESRCH)
        return pl_fail(err, PL_ERR_INPUT, "there is no process %" PRIu64, pid);
    return pl_fail_errno(err, errno, "process %" PRIu64 ": its memory can be read by its user with ptrace permission, or root",
                         pid);
}

static enum pl_err fill(struct pl_page_reader *reader, uint64_t pid, bool every, struct pl_error *err)
{
    struct look look = {.reader = reader, .pagemap = -1, .every = every};
    int memory = -1, maps = -1;
    FILE *stream = NULL;
    enum pl_err rc = open_of(pid, "mem", &memory, err);
    if (rc == PL_OK)
        rc = pl_page_reader_add_source(
            reader, (struct pl_page_source){.name = reader->own_name, .descriptor = memory, .may_fail = true}, err);
    if (rc == PL_OK)
        rc = open_of(pid, "pagemap", &look.pagemap, err);
    if (rc == PL_OK)
        rc = open_of(pid, "maps", &maps, err);
    if (rc == PL_OK && !(stream = fdopen(maps, "r")))
        rc = pl_fail_memory(err, BUFSIZ, "a stream");
    if (rc == PL_OK)
        rc = look_at_maps(&look, stream, err);
    if (stream)
        fclose(stream);
    else if (maps >= 0)
        close(maps);
    if (look.pagemap >= 0)
        close(look.pagemap);
    return rc;
}

enum pl_err pl_page_reader_open_process(uint64_t pid, bool every, uint32_t page_size, uint64_t sample,
                                        struct pl_page_reader **out, struct pl_error *err)
{
    long own = sysconf(_SC_PAGESIZE);
    if (own != (long)page_size)
        return pl_fail(err, PL_ERR_USAGE, "processes here have pages of %ld bytes, not %u", own, page_size);
    struct pl_page_reader *reader = NULL;
    enum pl_err rc = pl_page_reader_new(page_size, sample, &reader, err);
    if (rc)
        return rc;
    char name[48];
    snprintf(name, sizeof(name), "process %" PRIu64, pid);
    reader->own_name = strdup(name);
    rc = reader->own_name ? fill(reader, pid, every, err) : pl_fail_memory(err, sizeof(name), "a name");
    if (rc == PL_OK)
        rc = pl_page_reader_ready(reader, err);
    if (rc) {
        pl_page_reader_close(reader);
        return rc;
    }
    *out = reader;
    return PL_OK;
}

#else

enum pl_err pl_page_reader_open_process(uint64_t pid, bool every, uint32_t page_size, uint64_t sample,
                                        struct pl_page_reader **out, struct pl_error *err)
{
    return pl_fail(err, PL_ERR_RESOURCE, "the memory of processes can be read on Linux only");
}

#endif
