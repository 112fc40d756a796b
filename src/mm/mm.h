/* mm/mm.h: the memory manager, table of contents.
 *
 *   memory.h   the whole: processes, pages, faults, evictions, trims, commit      memory.c, mapping.c, fault.c, evict.c,
 *                                                                                 write_out.c, trim.c, release.c, check.c
 *   hot.h      one word a page: the touch of a resident page                      (inline)
 *   frames.h   physical frames and the lists they are on                          frames.c
 *   replacement.h which resident page leaves next: one file each                     replacement.c, lru.c, aging.c, fifo.c,
 *                                                                                 clock.c, random_order.c, twoq.c, opt.c
 *
 * Everything here is passive: it answers questions and changes state, and knows no time, no queue, no disk and no store.
 * Who calls it (src/sim) has the clock, moves the bytes, and comes back when they have arrived. */
#ifndef PL_MM_MM_H
#define PL_MM_MM_H

#include "mm/frames.h"
#include "mm/hot.h"
#include "mm/memory.h"
#include "mm/replacement.h"

#endif
