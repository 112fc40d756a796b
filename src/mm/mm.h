/* mm/mm.h: the memory manager, table of contents.
 *
 *   memory.h       the whole: processes, pages, faults, evictions, trims, commit
 *                  memory.c, mapping.c, page_tables.c, working_set.c, fault.c, evict.c, write_out.c, trim.c, release.c,
 *                  combine.c, check.c; what they share: memory_private.h
 *   usage.h        whose the frames are, what the pages of a process are: walks for reports: usage.c
 *   hot.h          one word a page, and the touch of a resident page (inline)
 *   frames.h       physical frames and the lists they are on: frames.c
 *   replacement.h  which resident page leaves next, one file a policy: lru.c, aging.c, fifo.c, clock.c, random_order.c,
 *                  twoq.c, opt.c; their parts: lru_order.c, page_queue.c, places.c
 *
 * Everything here is passive: it answers questions and changes state, and knows no time, no queue, no disk and no
 * store. Who calls it (src/sim) has the clock, moves the bytes, and comes back when they have arrived. */
#ifndef PL_MM_MM_H
#define PL_MM_MM_H

#include "mm/frames.h"
#include "mm/hot.h"
#include "mm/memory.h"
#include "mm/replacement.h"
#include "mm/usage.h"

#endif
