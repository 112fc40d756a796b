/* mm/memory_private.h: what the files of memory.h share.
 *
 *   hot word      4 bytes a page      hot.h
 *   page_record  16 bytes a page      where it is, which copies are current
 *   position      4 bytes a page      the policy's
 *   frame entry  16 bytes a frame     frames.h
 *
 * Invariants, which check.c looks after:
 *   - a page's hot word is not 0 exactly while it is in its process's working set;
 *   - an object with a frame names it, and the frame names the object; a frame that names no page is on the zero, free
 *     or bad list, is held by the kernel or a working-set list, or is an orphan: its page was freed while a transfer or
 *     a fault held it, and whoever ends last frees it;
 *   - share counts the working sets that an active frame is in, plus the faults that hold it. */
#ifndef PL_MM_MEMORY_PRIVATE_H
#define PL_MM_MEMORY_PRIVATE_H

#include "mm/memory.h"

#include <assert.h>

enum page_flags {
    F_VIEW = 1 << 0,        /* shows an object: `slot` is the object's number */
    F_COW = 1 << 1,         /* a view to be copied at the first write */
    F_GUARD = 1 << 2,       /* the next touch is a guard fault */
    F_DIRTY_DISK = 1 << 3,  /* differs from its copy on disk, or has none */
    F_HAS_DISK = 1 << 4,    /* has a copy on disk, perhaps a stale one */
    F_IN_STORE = 1 << 5,    /* has a copy in the store, current unless the hot word says dirty */
    F_STALE_STORE = 1 << 6, /* has an old copy in the store */
    F_FILE = 1 << 7,        /* its disk copy is in a mapped file */
    F_LOCKED = 1 << 8,
    F_LARGE = 1 << 9,
    F_ALL_ZERO = 1 << 10,
    F_CHARGED = 1 << 11,
    F_TABLE = 1 << 12,      /* a page-table page */
    F_READ_AHEAD = 1 << 13, /* brought in before it was touched */
    F_HOLD = 1 << 14,       /* must not be written yet */
    F_SHARED = 1 << 15,     /* the object of a section or of a combination */
};

struct page_record {
    pl_frame frame;
    uint32_t slot;      /* in the page file; of a view: its object */
    pl_process process; /* PL_NO_PROCESS: an object */
    uint16_t flags;
    uint8_t place; /* enum pl_place */
    uint8_t content_class;
};

/* Pages that no trace knows. */
struct internal_page {
    struct page_record record;
    uint32_t users;   /* a page table: pages below it in the working set, and faults that hold it; else views */
    pl_section owner; /* an object: its section, or NO_OWNER */
    bool in_ws;       /* a page table: in the working set */
};
#define NO_OWNER UINT32_MAX
#define DOOMED_TABLE (UINT32_MAX - 1) /* of a process that exited while a fault held it */

struct extent {
    pl_page first;
    uint32_t count;
};

struct process {
    struct pl_process_state state;
    struct pl_replacement *policy; /* NULL when replacement is global */
    struct extent *extent;         /* pages ever mapped */
    size_t extents, extent_capacity;
    pl_page *table; /* its page tables */
    size_t tables, table_capacity;
    uint64_t last_index; /* of the table found last */
    pl_page last_table;
    pl_frame list_frames; /* of the working-set list, chained by `next` */
    size_t walk_extent;   /* where a walk over its pages is, exit's among them */
    uint32_t walk_page;
    bool exiting;
};

struct section {
    pl_page first; /* objects have consecutive numbers */
    uint32_t pages;
    enum pl_mapping mapping;
    bool freed;
};

struct table_key {
    uint64_t index; /* page number / entries */
    pl_process process;
    pl_page table; /* PL_NO_PAGE: empty */
};

struct pl_memory {
    struct pl_memory_params params;
    struct pl_hot hot;
    struct pl_frames frames;
    struct page_record *record; /* by page */
    pl_page *table_of;          /* by page, when there are page tables */
    pl_page pages;              /* used size of the tables by page */
    pl_page capacity;
    struct pl_replacement_shared shared;
    struct pl_replacement *policy; /* global; or NULL */
    uint32_t global_pages;         /* mapped, for its size */
    struct process *process;
    size_t processes, process_capacity;
    struct internal_page *internal;
    size_t internals, internal_capacity;
    pl_page *dead; /* objects whose copies wait for pl_memory_next_released */
    size_t deads, dead_capacity;
    pl_page *reusable; /* numbers of internal pages that are free */
    size_t reusables, reusable_capacity;
    struct section *section;
    size_t sections, section_capacity;
    struct table_key *table_key; /* open addressing, a power of two */
    size_t table_keys, table_key_capacity;
    uint32_t table_pins; /* faults that hold a page table */
    pl_frame kernel_frames; /* chained by `next` */
    uint32_t kernel_count;
    uint64_t committed, charged_outside;
    struct pl_memory_counts counts;
};

static inline struct page_record *record_of(const struct pl_memory *m, pl_page page)
{
    if (page < PL_INTERNAL_PAGE) {
        assert(page < m->pages);
        return &m->record[page];
    }
    assert(page - PL_INTERNAL_PAGE < m->internals);
    return &m->internal[page - PL_INTERNAL_PAGE].record;
}

static inline struct internal_page *internal_of(const struct pl_memory *m, pl_page page)
{
    assert(page >= PL_INTERNAL_PAGE && page - PL_INTERNAL_PAGE < m->internals);
    return &m->internal[page - PL_INTERNAL_PAGE];
}

static inline struct pl_frame_entry *entry_of(const struct pl_memory *m, pl_frame frame)
{
    assert(frame < m->frames.total);
    return &m->frames.frame[frame];
}

static inline pl_page object_of(const struct pl_memory *m, pl_page page)
{
    const struct page_record *r = record_of(m, page);
    return r->flags & F_VIEW ? r->slot : page;
}

static inline pl_page table_of(const struct pl_memory *m, pl_page page)
{
    return m->table_of && page < PL_INTERNAL_PAGE ? m->table_of[page] : PL_NO_PAGE;
}

static inline struct pl_replacement *policy_of(const struct pl_memory *m, pl_process process)
{
    return m->policy ? m->policy : m->process[process].policy;
}

static inline bool is_on_disk(const struct page_record *r)
{
    return (r->flags & (F_HAS_DISK | F_DIRTY_DISK)) == F_HAS_DISK;
}

/* Adds to a counter of a process and to the one of all. */
#define COUNT(m, process_index, field)                                                                                 \
    ((m)->counts.field++, (process_index) != PL_NO_PROCESS ? (void)(m)->process[process_index].state.counts.field++   \
                                                           : (void)0)

/* --- working_set.c --- */
void pl_ws_enter(struct pl_memory *m, pl_page page);        /* its hot word stands */
bool pl_ws_leave(struct pl_memory *m, pl_page page);        /* takes the hot word; whether it said dirty */
void pl_ws_enter_table(struct pl_memory *m, pl_page table); /* a page-table page that has its frame */
void pl_ws_fit_list(struct pl_memory *m, struct process *p);
void pl_table_unpin(struct pl_memory *m, pl_page table);

/* --- evict.c --- */
/* A page leaves its working set, and its object's frame, when nobody else has it, goes its way. `out` may be NULL
 * with lists. Whether a frame was given up. */
bool pl_evict_page(struct pl_memory *m, pl_page page, struct pl_evicted *out);
/* Evicts the policy's victim of a process (PL_NO_PROCESS: any). False when there is none. */
bool pl_evict_one(struct pl_memory *m, pl_process process, struct pl_evicted *out);
/* Evicts one of the process's own pages; false when it has none. */
bool pl_evict_own(struct pl_memory *m, pl_process process, struct pl_evicted *out);
/* A frame's object has left the last working set: to its list, or away. */
void pl_retire(struct pl_memory *m, pl_frame frame, struct pl_evicted *out);
/* One user less of an active frame. */
void pl_unshare(struct pl_memory *m, pl_frame frame, struct pl_evicted *out);
void pl_free_frame(struct pl_memory *m, pl_frame frame);
/* A standby frame loses its content. */
void pl_repurpose(struct pl_memory *m, pl_frame frame);
/* Takes a frame for the kernel or a list; PL_NO_FRAME when none is available. */
pl_frame pl_take_any_frame(struct pl_memory *m);

/* --- mapping.c: internal pages and commit --- */
enum pl_err pl_internal_add(struct pl_memory *m, uint32_t count, pl_page *first, struct pl_error *err);
enum pl_err pl_commit(struct pl_memory *m, uint64_t pages, struct pl_error *err);

/* --- release.c --- */
/* An internal page is given up: its frame is freed, its copies wait for pl_memory_next_released. */
void pl_internal_unused(struct pl_memory *m, pl_page object);
void pl_view_gone(struct pl_memory *m, pl_page object); /* one view less */

/* --- page_tables.c --- */
pl_page pl_table_find(const struct pl_memory *m, pl_process process, uint64_t index);
enum pl_err pl_table_add(struct pl_memory *m, pl_process process, uint64_t index, struct pl_error *err);
void pl_tables_forget(struct pl_memory *m, pl_process process);

#endif
