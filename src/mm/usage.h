/* mm/usage.h: whose the frames are, and what the pages of a process are: the two walks behind the tables of tools that
 * look at memory. Both read everything and change nothing; they take a few nanoseconds a frame or page, and are for
 * reports. */
#ifndef PL_MM_USAGE_H
#define PL_MM_USAGE_H

#include "mm/memory.h"

/* What the page in a frame is. */
enum pl_use {
    PL_USE_PRIVATE,
    PL_USE_MAPPED_FILE,
    PL_USE_SHAREABLE,  /* sections of the page file, and combined pages */
    PL_USE_PAGE_TABLE,
    PL_USE_WS_LIST,    /* working-set lists */
    PL_USE_LARGE,
    PL_USE_KERNEL,     /* taken by pl_memory_take_frames */
    PL_USE_UNUSED,     /* no page at all */
    PL_USES,
};
extern const char *const pl_use_names[PL_USES]; /* "Process Private" */

struct pl_frame_use {
    uint32_t frames[PL_USES][PL_LISTS];
};
/* Every frame once: the sums by list are the lengths of the lists. */
void pl_memory_frame_use(const struct pl_memory *memory, struct pl_frame_use *out);

/* Kinds of regions of an address space; a page is of one. */
enum pl_region {
    PL_REGION_PRIVATE,
    PL_REGION_MAPPED_FILE,
    PL_REGION_SHAREABLE,
    PL_REGION_LARGE,
    PL_REGION_PAGE_TABLE,
    PL_REGION_WS_LIST,
    PL_REGIONS,
};
extern const char *const pl_region_names[PL_REGIONS]; /* "Private Data" */

/* Pages of one kind in one process. */
struct pl_region_use {
    uint64_t size;         /* mapped */
    uint64_t charged;      /* of them, charged to the process */
    uint64_t working_set, ws_private, ws_shareable;
    uint64_t ws_shared;    /* of those shareable: in another working set too */
    uint64_t locked;       /* large pages, which are in no working set, and small ones, which are */
    uint64_t standby, modified, transition; /* not in a working set, frame still there; private ones only */
    uint64_t in_store, in_file; /* nowhere else; private ones only */
};
/* `out` has a row for each kind. Nothing is left of a process that has exited. */
void pl_memory_region_use(const struct pl_memory *memory, pl_process process, struct pl_region_use out[PL_REGIONS]);

#endif
