/* mm/replacement_list.h: the members of the family, and the parts they share. */
#ifndef PL_MM_REPLACEMENT_LIST_H
#define PL_MM_REPLACEMENT_LIST_H

#include "mm/replacement.h"

extern const struct pl_replacement_ops pl_replacement_lru, pl_replacement_aging, pl_replacement_fifo,
    pl_replacement_clock, pl_replacement_random, pl_replacement_twoq, pl_replacement_opt;

/* `bytes` of scratch memory, valid until the next call; NULL when there is none. */
void *pl_replacement_scratch(struct pl_replacement_shared *shared, size_t bytes);

/* Grows an array to `need` items of `size` bytes, keeping what is there. */
enum pl_err pl_replacement_grow(void *array_pointer, uint32_t *capacity, uint32_t need, size_t size,
                                struct pl_error *err);

/* Whether a member was touched since pl_mark_old; a member's word is never 0. */
static inline bool pl_was_accessed(const struct pl_hot *hot, pl_page page)
{
    return pl_hot_stamp(hot->word[page]) != PL_STAMP_OLD;
}

static inline void pl_mark_old(struct pl_hot *hot, pl_page page)
{
    hot->word[page] = PL_STAMP_OLD | (hot->word[page] & PL_HOT_FLAGS);
}

#endif
