/* base/table_memory.c: address space for large tables, on huge pages where the system has them.
 *
 * A table that is touched at random misses the TLB at nearly every touch with 4 KiB pages. Linux is asked for 2 MiB
 * pages by madvise, which only works on 2 MiB boundaries: the space is reserved with one huge page to spare, and the
 * ends are given back. Growing moves page tables instead of bytes (mremap). This file holds all the calls of base that
 * differ between systems for memory; elsewhere a table is plain zeroed pages, and growing copies. */
#include "config.h" /* mremap is an extension */

#include "base/arena.h"

#include <string.h>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <sys/mman.h>
#endif

static const size_t HUGE_BYTES = (size_t)2 << 20;
static const size_t PAGE_BYTES = 4096;

/* The bytes that a table of `bytes` really takes; 0 when that overflows. */
static size_t round_up(size_t bytes)
{
    size_t unit = bytes > HUGE_BYTES ? HUGE_BYTES : PAGE_BYTES;
    if (bytes == 0)
        return unit;
    return bytes > PTRDIFF_MAX - 2 * HUGE_BYTES ? 0 : (bytes + unit - 1) / unit * unit;
}

#if defined(_WIN32)

void *pl_table_alloc(size_t bytes)
{
    size_t length = round_up(bytes);
    return length ? VirtualAlloc(NULL, length, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) : NULL;
}

void pl_table_free(void *table, size_t bytes)
{
    (void)bytes;
    if (table)
        VirtualFree(table, 0, MEM_RELEASE);
}

#else

/* Fresh zeroed pages, or NULL. */
static void *map(size_t length)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_NORESERVE
    flags |= MAP_NORESERVE; /* most of a sparse table is never touched */
#endif
    void *start = mmap(NULL, length, PROT_READ | PROT_WRITE, flags, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

static void ask_for_huge_pages(void *table, size_t length)
{
#ifdef MADV_HUGEPAGE
    (void)madvise(table, length, MADV_HUGEPAGE); /* only advice: a kernel without them is slower, not wrong */
#else
    (void)table, (void)length;
#endif
}

void *pl_table_alloc(size_t bytes)
{
    size_t length = round_up(bytes);
    if (length == 0)
        return NULL;
    if (length < HUGE_BYTES)
        return map(length);

    char *start = map(length + HUGE_BYTES);
    if (!start)
        return NULL;
    size_t before = (HUGE_BYTES - (uintptr_t)start % HUGE_BYTES) % HUGE_BYTES;
    if (before)
        munmap(start, before);
    if (HUGE_BYTES - before)
        munmap(start + before + length, HUGE_BYTES - before);
    ask_for_huge_pages(start + before, length);
    return start + before;
}

void pl_table_free(void *table, size_t bytes)
{
    if (table)
        munmap(table, round_up(bytes));
}

#endif

/* Brings the old pages into the new space without copying, where the system can. */
static bool move_pages(void *to, void *from, size_t length)
{
#if defined(__linux__)
    return mremap(from, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
#else
    (void)to, (void)from, (void)length;
    return false;
#endif
}

void *pl_table_grow(void *table, size_t old_bytes, size_t new_bytes)
{
    if (!table)
        return pl_table_alloc(new_bytes);
    size_t old_length = round_up(old_bytes), new_length = round_up(new_bytes);
    /* Rounding up has often left room already. */
    if (new_length && new_length <= old_length)
        return table;
    void *larger = pl_table_alloc(new_bytes);
    if (!larger)
        return NULL;
    if (!move_pages(larger, table, old_length)) {
        memcpy(larger, table, old_bytes);
        pl_table_free(table, old_bytes);
    }
    return larger;
}
