/* mm/hot.h: one word a page, and the touch of a resident page.
 *
 *     bit 31 .. 2: stamp           bit 1: write-protected          bit 0: written since it entered the working set
 *
 * A word of 0 means: not in a working set, take the slow path (pl_memory_fault). A write to a protected page takes it
 * too. Otherwise a touch sets the stamp to the next number of one common counter, and nothing else: no list moves,
 * nothing is counted. Every policy reads what it wants to know out of the stamps: LRU orders by them; "accessed since
 * the hand passed" is a stamp other than PL_STAMP_OLD, which the hand leaves behind.
 *
 * Stamps run out after 2^30 touches. pl_memory_reserve_stamps then renumbers all resident pages by rank, which
 * changes no order; call it before a run of touches. A touch that completes takes exactly one stamp, whether it
 * faults or not, so that OPT can tell the number of the touch from it. */
#ifndef PL_MM_HOT_H
#define PL_MM_HOT_H

#include "base/types.h"

#define PL_HOT_DIRTY UINT32_C(1)
#define PL_HOT_PROTECTED UINT32_C(2)
#define PL_HOT_FLAGS UINT32_C(3)
#define PL_HOT_ONE UINT32_C(4) /* stamps count in steps of this */
#define PL_STAMP_OLD PL_HOT_ONE /* older than every stamp of a touch */
#define PL_STAMP_FIRST (2 * PL_HOT_ONE)
#define PL_STAMP_LAST (UINT32_MAX & ~PL_HOT_FLAGS)

/* A loop over touches copies this struct to a local variable, so that the compiler can keep it in registers, and copies
 * `next` back before it calls anything of memory.h. `word` moves when pages are mapped. */
struct pl_hot {
    uint32_t *word; /* by page */
    uint32_t next;  /* the stamp of the next touch, in place */
};

static inline uint32_t pl_hot_stamp(uint32_t word)
{
    return word & ~PL_HOT_FLAGS;
}

/* Touches a page. `is_write` is 0 or 1. False: nothing happened, the slow path must be taken. */
static inline bool pl_touch(struct pl_hot *hot, pl_page page, uint32_t is_write)
{
    uint32_t word = hot->word[page];
    if (__builtin_expect((word == 0) | (is_write & (word >> 1)), 0))
        return false;
    hot->word[page] = hot->next | (word & PL_HOT_FLAGS) | is_write;
    hot->next += PL_HOT_ONE;
    return true;
}

/* Touches pages in order until one needs the slow path; returns how many were touched. `kind` holds enum pl_kind
 * (1 = write) and may be NULL: all reads. */
static inline size_t pl_touch_run(struct pl_hot *hot, const pl_page *page, const uint8_t *kind, size_t count)
{
    struct pl_hot local = *hot;
    size_t i = 0;
    if (kind)
        while (i < count && pl_touch(&local, page[i], kind[i] & 1u))
            i++;
    else
        while (i < count && pl_touch(&local, page[i], 0))
            i++;
    hot->next = local.next;
    return i;
}

/* The same for pages first, first + 1, ... */
static inline pl_page pl_touch_range(struct pl_hot *hot, pl_page first, pl_page count, uint32_t is_write)
{
    struct pl_hot local = *hot;
    pl_page i = 0;
    while (i < count && pl_touch(&local, first + i, is_write))
        i++;
    hot->next = local.next;
    return i;
}

#endif
