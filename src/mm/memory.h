/* mm/memory.h: the memory of one machine: processes, their pages, faults, evictions, trims, commit.
 *
 *   page     a dense number below 2^31: one page of one process. Pages that no trace knows (page tables, the pages of
 *            sections) have numbers from PL_INTERNAL_PAGE on.
 *   view     a page of a process that shows a page of a section (its `object`); the object holds the frame and the
 *            copies. Every other page is its own object.
 *   frame    see frames.h
 *   copies   an object's content may be in a frame, in the store, in the page file (or its mapped file); the memory
 *            knows which copies are current, and whoever calls moves them.
 *
 * A touch that hot.h could not serve goes through
 *
 *     again: pl_memory_fault(memory, process, page, is_write, &fault)
 *            switch (fault.state)
 *            READY     move bytes as fault.kind says (taking whatever time), then pl_memory_fault_end(memory, &fault,
 *                      is_write); when that says PL_TOUCH_AGAIN, go again
 *            COLLIDED  a transfer of fault.object is under way: when it has ended, touch again
 *            NO_FRAME  nothing is available: when something is, touch again
 *            INVALID   nothing is mapped there
 *
 * A page that leaves a working set goes to the standby or modified list by itself when there are lists
 * (`params.lists`); without lists it leaves memory at once, and whoever called must say where it went: `fault.evicted`
 * names it and pl_memory_settle_... ends its way. Until then touches of it collide.
 *
 * Dirty is two things. Since it entered the working set: bit 0 of the hot word. Since it was last on disk: remembered
 * by the memory from then on. A page that was never on disk is dirty in the second sense. A first touch by
 * demand-zero makes a page dirty in both, even when it reads; a page that starts on disk (PL_MAP_ON_DISK, the memsim
 * rule) is clean in both.
 *
 * What this does not model: levels of page tables above the lowest; which frame a page gets for its address or colour
 * (large pages need no contiguous frames); the write fault that clears a clean copy at the first write (a stale copy is
 * noticed when the page leaves); locks and the processor time of all of this, which belong to src/sim. */
#ifndef PL_MM_MEMORY_H
#define PL_MM_MEMORY_H

#include "mm/frames.h"
#include "mm/replacement.h"

struct pl_memory;
typedef uint32_t pl_process; /* in the order of pl_memory_add_process */
typedef uint32_t pl_section;

#define PL_INTERNAL_PAGE UINT32_C(0x80000000)
#define PL_NO_SLOT UINT32_MAX
#define PL_NO_PROCESS UINT32_MAX

/* --- parameters ---------------------------------------------------------------- */
struct pl_memory_params {
    uint32_t frames; /* all there are, or without lists those for working sets */
    bool lists;      /* standby and modified lists; false: the machine of 1996 */
    const struct pl_replacement_ops *policy;
    struct pl_replacement_params policy_params;
    bool global;                 /* one policy over all processes; maxima do not matter then */
    bool sections;               /* pl_memory_add_section and pl_memory_combine will be used; needs lists */
    uint32_t page_table_entries; /* pages that one page-table page maps; 0: page tables cost nothing */
    uint32_t ws_list_entries;    /* working-set entries in one page of the working-set list; 0: they cost nothing */
    uint64_t commit_limit_pages; /* 0: none */
    /* With lists: */
    bool hard_maximum;         /* a working set at its maximum replaces; else it grows while more than ... */
    uint32_t grow_above_pages; /* ... this is available */
    uint32_t low_pages;        /* the working-set manager trims when less is available ... */
    uint32_t target_pages;     /* ... until this is */
    double aging_share;        /* of each working set that one tick scans for accessed bits; 0: none */
    bool touch_cancels_compression; /* a touch of a page that is being compressed takes it back; false: it waits */
    uint8_t section_priority;       /* of pages in sections; 0 .. 7 */
};

struct pl_process_params {
    uint32_t minimum_pages, maximum_pages; /* of the working set; maximum 0: none */
    uint8_t priority;                      /* standby list of its pages, 0 .. 7; 5 is normal */
};

/* --- what is counted -------------------------------------------------------------- */
enum pl_fault_kind {
    PL_FAULT_DEMAND_ZERO,
    PL_FAULT_TRANSITION, /* the frame is still there: on a list, in a transfer out, or in another working set */
    PL_FAULT_STORE,      /* to be decompressed */
    PL_FAULT_HARD,       /* to be read from the page file or a mapped file */
    PL_FAULT_COPY_ON_WRITE,
    PL_FAULT_GUARD,
    PL_FAULT_KINDS,
};
extern const char *const pl_fault_kind_names[PL_FAULT_KINDS];

/* By process and in all. Faults count when they are served; collisions, and refusals for want of a frame, each time. */
struct pl_memory_counts {
    uint64_t faults[PL_FAULT_KINDS]; /* page-table pages included */
    uint64_t page_table_faults;      /* of them */
    uint64_t collided, no_frame;
    uint64_t evicted_clean, evicted_dirty; /* left a working set; dirty since they entered it */
    uint64_t replaced;                     /* of them, for a fault of the same working set (or of any, when global) */
    uint64_t trimmed;                      /* of them, by commands or by the working-set manager */
    uint64_t zeroed_on_demand;             /* frames zeroed in a fault */
    uint64_t zero_pages_dropped;           /* modified pages found all zero, which became demand-zero */
    uint64_t repurposed[PL_PRIORITIES];    /* standby frames taken for something else */
    uint64_t read_ahead, read_ahead_used;  /* pages brought in before they were touched; of them, touched later */
    uint64_t compress_cancelled, write_overtaken; /* touched while being compressed (and taken back), or written */
    uint64_t released;                     /* pages given back while they had content */
    uint64_t guard_hits;
};

struct pl_process_state {
    struct pl_process_params params;
    bool exited;
    uint32_t working_set;      /* pages, page tables and working-set-list pages included */
    uint32_t page_table_pages; /* of them */
    uint32_t ws_list_pages;    /* of them */
    uint32_t peak_working_set;
    uint32_t locked_pages;     /* large and locked ones; not in working_set when large */
    uint64_t commit_pages;     /* private bytes: pages and page tables */
    uint64_t virtual_pages;    /* mapped */
    struct pl_memory_counts counts;
};

/* --- the memory -------------------------------------------------------------------- */
enum pl_err pl_memory_create(const struct pl_memory_params *params, struct pl_memory **out, struct pl_error *err);
void pl_memory_destroy(struct pl_memory *memory); /* NULL is allowed */

struct pl_hot *pl_memory_hot(struct pl_memory *memory);
const struct pl_frames *pl_memory_frames(const struct pl_memory *memory);
const struct pl_memory_params *pl_memory_params(const struct pl_memory *memory);
const struct pl_memory_counts *pl_memory_counts(const struct pl_memory *memory); /* of all processes */
uint64_t pl_memory_bytes(const struct pl_memory *memory); /* that this struct itself takes, for reports */
/* Room for `count` more stamps; at most 2^29. Renumbers when they run out. */
enum pl_err pl_memory_reserve_stamps(struct pl_memory *memory, uint32_t count, struct pl_error *err);

enum pl_err pl_memory_add_process(struct pl_memory *memory, const struct pl_process_params *params, pl_process *out,
                                  struct pl_error *err);
uint32_t pl_memory_internal_pages(const struct pl_memory *memory); /* numbers from PL_INTERNAL_PAGE on that were used */
uint32_t pl_memory_process_count(const struct pl_memory *memory);
const struct pl_process_state *pl_memory_process(const struct pl_memory *memory, pl_process process);
void pl_memory_set_limits(struct pl_memory *memory, pl_process process, const struct pl_process_params *params);

/* --- address space ------------------------------------------------------------------- */
enum pl_mapping {
    PL_MAP_ZERO,    /* private, demand-zero, charged to commit */
    PL_MAP_ON_DISK, /* private, and its content is in the page file from the beginning (memsim rule); charged */
    PL_MAP_FILE,    /* a mapped file of its own: read from it, written back to it; not charged */
};
enum pl_map_flags {
    PL_MAP_GUARD = 1,     /* the first touch is a guard fault */
    PL_MAP_UNCHARGED = 2, /* not charged to commit */
    PL_MAP_NO_TABLE = 4,  /* takes no page-table page (large pages) */
};

/* Pages below `count` may be touched from here on (hot.h) without being mapped: the touch takes the slow path, where
 * its fault is INVALID. */
enum pl_err pl_memory_reserve_pages(struct pl_memory *memory, pl_page count, struct pl_error *err);

/* Makes pages first .. first + count - 1 the process's. `number` is the page number of `first` in its address space,
 * for page tables; neighbours have neighbouring numbers. Pages that are mapped already stay as they are. Fails with
 * PL_ERR_CHECK, changing nothing, when the commit limit would be exceeded. */
enum pl_err pl_memory_map(struct pl_memory *memory, pl_process process, pl_page first, uint32_t count, uint64_t number,
                          enum pl_mapping mapping, unsigned flags, struct pl_error *err);

/* Pages that several processes can map. A page-file-backed section is charged as a whole when it is made; a file is
 * not. */
enum pl_err pl_memory_add_section(struct pl_memory *memory, enum pl_mapping mapping, uint32_t pages, pl_section *out,
                                  struct pl_error *err);
/* Maps pages offset .. of a section. `copy_on_write` views are charged as private pages. */
enum pl_err pl_memory_map_view(struct pl_memory *memory, pl_process process, pl_page first, uint32_t count,
                               uint64_t number, pl_section section, uint32_t offset, bool copy_on_write,
                               struct pl_error *err);

/* Provisions mapped pages at once, and locks them: large pages (`large`: not in the working set either). All or
 * nothing: false when too few frames are available. Only pages never touched. *zeroed is the number of frames to be
 * zeroed now. */
bool pl_memory_provision(struct pl_memory *memory, pl_page first, uint32_t count, bool large, uint32_t *zeroed);

/* The caller's byte per page, and whether a page is known to hold zeros (then it is dropped instead of written). */
void pl_memory_set_class(struct pl_memory *memory, pl_page page, uint8_t content_class);
uint8_t pl_memory_class(const struct pl_memory *memory, pl_page page);
void pl_memory_set_zero(struct pl_memory *memory, pl_page page, bool all_zero);

/* --- where a page is --------------------------------------------------------------------- */
enum pl_place {
    PL_PLACE_UNMAPPED,
    PL_PLACE_NONE,       /* nowhere: demand-zero */
    PL_PLACE_ACTIVE,     /* in a working set (an object: in at least one) */
    PL_PLACE_LISTED,     /* its frame is on a standby or modified list */
    PL_PLACE_TRANSITION, /* a transfer is under way */
    PL_PLACE_LEAVING,    /* without lists: evicted, not yet settled */
    PL_PLACE_STORE,      /* in the store alone */
    PL_PLACE_FILE,       /* in the page file, or its mapped file, alone */
    PL_PLACE_VIEW,       /* a view that is not in its working set: ask for its object */
};
struct pl_page_state {
    enum pl_place place;
    pl_process process; /* PL_NO_PROCESS: an object of a section */
    pl_page object;     /* itself, or what it is a view of */
    pl_frame frame;     /* of the object; PL_NO_FRAME */
    uint32_t slot;      /* of the object; PL_NO_SLOT */
    bool in_store;      /* the store holds a copy of the object that was current when it last left a working set */
    bool on_disk;       /* the same for the page file or the mapped file */
    bool mapped_file, shared, locked, page_table, copy_on_write;
};
struct pl_page_state pl_memory_page(const struct pl_memory *memory, pl_page page);

/* A key for stores, which are tables by key: dense, and distinct for internal pages. The page itself when there are
 * neither page tables nor sections. */
static inline pl_page pl_memory_key(const struct pl_memory_params *params, pl_page page)
{
    if (!params->page_table_entries && !params->sections)
        return page;
    return page < PL_INTERNAL_PAGE ? page + page / 3 : 4 * (page - PL_INTERNAL_PAGE) + 3;
}
static inline pl_page pl_memory_key_page(const struct pl_memory_params *params, pl_page key)
{
    if (!params->page_table_entries && !params->sections)
        return key;
    return key % 4 != 3 ? key - key / 4 : key / 4 + PL_INTERNAL_PAGE;
}

/* --- faults ---------------------------------------------------------------------------------- */
/* What left memory, without lists: where is it to go? */
struct pl_evicted {
    pl_page object;         /* PL_NO_PAGE: nothing left */
    pl_process process;     /* whose working set it left */
    bool dirty_entered;     /* written since it entered the working set */
    bool dirty_disk;        /* differs from what is on disk, or was never there */
    bool in_store;          /* the store has a current copy: nothing need be compressed */
    bool stale_store;       /* the store has an old copy: take it out */
    bool all_zero;
    uint32_t slot;          /* its page-file slot, current unless dirty_disk, or PL_NO_SLOT */
    bool mapped_file;
};

enum pl_fault_state { PL_FAULT_READY, PL_FAULT_COLLIDED, PL_FAULT_NO_FRAME, PL_FAULT_INVALID };

struct pl_fault {
    enum pl_fault_state state;
    enum pl_fault_kind kind;
    pl_process process;
    pl_page page;     /* what is brought in: the page touched, or the page-table page that it needs first */
    pl_page object;   /* under which the store and the page file know it */
    pl_frame frame;
    uint32_t slot;    /* hard faults: where to read; PL_NO_SLOT: no slot was ever given (PL_MAP_ON_DISK, files) */
    bool mapped_file; /* hard faults: from a mapped file */
    bool zero_now;    /* the frame must be zeroed first */
    bool page_table;
    int8_t repurposed; /* priority of the standby list that the frame was taken from, or -1 */
    bool replaced;     /* with lists: a page left the same working set for it */
    struct pl_evicted evicted; /* without lists: settle it, whatever the state */
    pl_page table;         /* held meanwhile; private */
    bool keep_store_copy;  /* store faults, set by the caller before the end: the store still has the page */
};

/* Begins a fault. When READY, a frame is held (and the page collides for others) until pl_memory_fault_end or
 * _cancel. */
void pl_memory_fault(struct pl_memory *memory, pl_process process, pl_page page, bool is_write, struct pl_fault *out);

enum pl_touch_end {
    PL_TOUCH_DONE,  /* the touch is done, and has its stamp */
    PL_TOUCH_AGAIN, /* a step is done (page table, guard, what a copy is made of): touch again */
    PL_TOUCH_GONE,  /* the page was freed, or the process exited, meanwhile */
};
enum pl_touch_end pl_memory_fault_end(struct pl_memory *memory, const struct pl_fault *fault, bool is_write);
/* Gives up: the page is as before, the frame free; a page in the store must still be there. (Evictions stay.) */
void pl_memory_fault_cancel(struct pl_memory *memory, const struct pl_fault *fault);

/* Begins to bring a page in before it is touched (prefetch, neighbours in a cluster). READY only for a page in the
 * store or a file, with lists and a frame available without eviction; otherwise INVALID. It ends on a standby or
 * modified list. */
void pl_memory_read_ahead(struct pl_memory *memory, pl_page page, struct pl_fault *out);
void pl_memory_read_ahead_end(struct pl_memory *memory, const struct pl_fault *fault);

/* --- without lists: evictions -------------------------------------------------------------------- */
/* Evicts one page of a process (PL_NO_PROCESS: global replacement), as a fault would. False: there was none. */
bool pl_memory_evict(struct pl_memory *memory, pl_process process, struct pl_evicted *out);
/* Where an evicted page, or a page in the store, went. False: it was freed (or changed) meanwhile, and what was made
 * of it is to be released; pl_memory_free has already released what the page had. pl_memory_settle_file also ends a
 * copy in the store of a page that has a frame. */
bool pl_memory_settle_store(struct pl_memory *memory, pl_page object);               /* it is in the store */
bool pl_memory_settle_file(struct pl_memory *memory, pl_page object, uint32_t slot); /* it is on disk, and clean */
bool pl_memory_settle_zero(struct pl_memory *memory, pl_page object);                /* nowhere: it held zeros */

/* --- with lists: writing out ------------------------------------------------------------------------ */
struct pl_out {
    pl_page object;
    pl_frame frame;
    uint32_t slot;    /* the slot it had, the caller's from now on (to free, or to write to again), or PL_NO_SLOT */
    bool stale_store; /* the store has an old copy: take it out */
};
/* Takes up to `count` pages from the head of a modified list (PL_LIST_MODIFIED or PL_LIST_MODIFIED_FILE); they are in
 * transition until the calls below end it, one for each. Pages known to be all zero become demand-zero instead and do
 * not count. */
uint32_t pl_memory_take_modified(struct pl_memory *memory, enum pl_list list, enum pl_flight flight, uint32_t count,
                                 struct pl_out *out);
/* Written: it goes to the tail of standby, and `slot` is its place from now on. False: it was freed meanwhile, and
 * the slot is to be freed, too. It may have been touched meanwhile; then it stays where it is. */
bool pl_memory_write_done(struct pl_memory *memory, const struct pl_out *out, uint32_t slot);
/* Compressed and put into the store: the frame is free (or on standby, when `keep_frame`). False: it was touched or
 * freed meanwhile, and the store's copy is to be taken out. */
bool pl_memory_compress_done(struct pl_memory *memory, const struct pl_out *out, bool keep_frame);
/* The store did not take it: its transfer becomes a write to the file. False: it was touched or freed meanwhile, and
 * there is nothing to do. */
bool pl_memory_write_instead(struct pl_memory *memory, const struct pl_out *out);
/* Neither worked: back to the tail of its modified list. */
void pl_memory_out_failed(struct pl_memory *memory, const struct pl_out *out);
/* The next page of the modified list without taking it, PL_NO_PAGE when there is none. */
pl_page pl_memory_first_modified(const struct pl_memory *memory, enum pl_list list);
/* Takes available frames out of use for good; how many there were. */
uint32_t pl_memory_set_bad(struct pl_memory *memory, uint32_t count);
/* Gives up one slot of the page file that holds what its page no longer is: the page was modified since, and is resident or
 * in the store. PL_NO_SLOT when there is none from *walk on, which begins with 0. Until a page is written anew nobody needs
 * its old slot; but giving it up earlier would move the page within the file at every change. */
uint32_t pl_memory_take_stale_slot(struct pl_memory *memory, uint64_t *walk);
/* Moves pages between modified and modified-no-write, as a file system does around its log. */
void pl_memory_hold_writes(struct pl_memory *memory, pl_page page, bool hold);

/* --- trimming and list commands ------------------------------------------------------------------------ */
/* Empties a working set (PL_NO_PROCESS: every one) to the lists; returns pages that left. With lists only; without,
 * call pl_memory_evict until it says no. */
uint32_t pl_memory_empty_working_set(struct pl_memory *memory, pl_process process);
/* One tick of the working-set manager: ages, and trims when less than low_pages are available. */
struct pl_tick {
    uint32_t scanned, trimmed;
};
struct pl_tick pl_memory_tick(struct pl_memory *memory);
/* Trims until `want` pages have left working sets, the oldest pages of the largest sets above their minimum first. */
uint32_t pl_memory_trim(struct pl_memory *memory, uint32_t want);
/* Standby frames of priorities up to `priority` become free; returns how many. */
uint32_t pl_memory_purge_standby(struct pl_memory *memory, unsigned priority);
/* Zeroes up to `count` free frames (a zero thread has done so); returns how many there were. */
uint32_t pl_memory_zero_frames(struct pl_memory *memory, uint32_t count);

/* Frames for the kernel: the store's regions, drivers, the file cache. Taken in allocation order; returns how many
 * there were. */
uint32_t pl_memory_take_frames(struct pl_memory *memory, uint32_t count);
void pl_memory_give_frames(struct pl_memory *memory, uint32_t count);
uint32_t pl_memory_kernel_frames(const struct pl_memory *memory);

/* Makes one shared copy-on-write page of `count` >= 2 distinct private pages of equal content (page combining); pages
 * that are not active or listed are left out. Returns the number of frames freed. */
enum pl_err pl_memory_combine(struct pl_memory *memory, const pl_page *page, uint32_t count, uint32_t *freed,
                              struct pl_error *err);

/* --- giving back ------------------------------------------------------------------------------------------ */
struct pl_released {
    pl_page object;
    uint32_t slot; /* to be freed, or PL_NO_SLOT */
    bool in_store; /* to be taken out of the store (current or not) */
};
/* Unmaps a page. True when copies are to be released. A page in a transfer is gone at once; the transfer's end frees
 * the frame. */
bool pl_memory_free(struct pl_memory *memory, pl_page page, struct pl_released *out);
/* The process exits: call until it returns false; each time one page's copies are to be released. Then nothing is
 * left of it. */
bool pl_memory_exit(struct pl_memory *memory, pl_process process, struct pl_released *out);
/* Gives up a section, of which nothing may be mapped any more. */
void pl_memory_free_section(struct pl_memory *memory, pl_section section);
/* Copies of pages that no process names any more (freed sections, combined pages without users): call until false. */
bool pl_memory_next_released(struct pl_memory *memory, struct pl_released *out);

/* --- commit ------------------------------------------------------------------------------------------------ */
uint64_t pl_memory_committed(const struct pl_memory *memory); /* pages */
/* Charges what has no pages here (kernel stacks, pools); PL_ERR_CHECK at the limit, changing nothing. */
enum pl_err pl_memory_charge(struct pl_memory *memory, uint64_t pages, struct pl_error *err);
void pl_memory_uncharge(struct pl_memory *memory, uint64_t pages);

/* --- conservation -------------------------------------------------------------------------------------------- */
/* Whether everything adds up: each frame on exactly one list and lists as long as they say; places, frames, shares
 * and hot words in agreement; working sets, page tables, commit as counted. Slow: for tests and --check. PL_ERR_CHECK
 * names what does not. */
enum pl_err pl_memory_check(const struct pl_memory *memory, struct pl_error *err);
/* The part of it that takes no walk: the lengths of lists, their ends, and what they sum to. */
enum pl_err pl_memory_check_counts(const struct pl_memory *memory, struct pl_error *err);

#endif
