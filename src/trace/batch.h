/* trace/batch.h: what a trace is made of, as it streams past.
 *
 * A trace is one stream of touches and control records in the order of virtual time. It comes in batches of columns.
 * Pages are dense numbers in the order of first use: page p is new exactly when p equals the number of distinct pages
 * before it (a range record or an allocation may introduce a run of new pages at once). A column that a trace does not
 * have is NULL. Columns belong to the reader and are valid until its next call. */
#ifndef PL_TRACE_BATCH_H
#define PL_TRACE_BATCH_H

#include "base/base.h"

enum pl_kind { PL_READ = 0, PL_WRITE = 1, PL_EXECUTE = 2 };

/* What the records of a trace are. Curves and replays need accesses or requests; the rest is labelled or refused. */
enum pl_records {
    PL_RECORDS_ACCESSES, /* every touch, in order */
    PL_RECORDS_REQUESTS, /* block or object requests, in order */
    PL_RECORDS_FAULTS,   /* only touches that faulted */
    PL_RECORDS_INTERVAL, /* sets of touched pages by interval, without order inside */
    PL_RECORDS_WRITES,   /* only which pages were written */
};

enum pl_clock {
    PL_CLOCK_NONE,         /* order only */
    PL_CLOCK_PICOSECONDS,  /* time column in ps since the start of the trace */
    PL_CLOCK_INSTRUCTIONS, /* time column in instructions executed since the start */
};

/* How an allocation is made: flags of PL_OP_ALLOCATE. */
enum pl_allocate {
    PL_ALLOCATE_RESERVE = 0,  /* addresses only */
    PL_ALLOCATE_COMMIT = 1,   /* demand-zero memory */
    PL_ALLOCATE_FILE = 2,     /* a view of a file: pages come from it */
    PL_ALLOCATE_SECTION = 3,  /* a view of a section backed by the page file */
    PL_ALLOCATE_LARGE = 4,    /* large pages: provisioned at once, never paged */
    PL_ALLOCATE_GUARD = 5,    /* committed guard pages: the first touch of each is a guard fault */
    PL_ALLOCATE_PREFAULT = 6, /* committed, and every page provisioned at once (a flag that Windows has not) */
};

/* Things that happen between touches. The numbers are those of the native file. */
enum pl_op {
    PL_OP_SWITCH = 1,  /* from here on `actor` touches: a = process id, b = thread id, text = name or NULL */
    PL_OP_RANGE = 2,   /* run-length touch by the present actor: pages a, a + c, a + 2c ... (b of them; c is signed,
                          two's complement); `kind` says how; at most one new run of pages, in ascending order */
    PL_OP_PHASE = 3,   /* a mark: text = its name */
    PL_OP_LOST = 4,    /* a = how many records were lost before this point (the source said so) */
    PL_OP_START = 5,   /* a process starts: a = process id, text = name */
    PL_OP_EXIT = 6,    /* a process ends: a = process id */
    PL_OP_SLEEP = 7,   /* the present actor does nothing for a ps */
    PL_OP_COMPUTE = 8, /* the present actor computes for a ps without touching pages */
    PL_OP_ALLOCATE = 9, /* pages a .. a + b - 1 (dense) become the present process's; flags = enum pl_allocate */
    PL_OP_FREE = 10,   /* pages a .. a + b - 1 are given back */
    PL_OP_TRIM = 11,   /* the working set of process a is emptied (0 = the present one, UINT64_MAX = every one) */
    PL_OP_CONTENT = 12, /* pages a .. a + b - 1 hold what `c` and text describe (see traces/FORMAT.md), page a page `actor` of it */
    PL_OP_LIST = 13,   /* a command to the page lists: flags = which */
    PL_OP_PREFETCH = 14, /* pages a .. a + b - 1 are to be read ahead */
    PL_OP_ACCESSES = 15, /* from here on each touch of the present actor stands for `a` accesses to its page; 0 and 1: one */
    PL_OP_TIMER = 16,    /* from here on, every a ps, the list command `flags` is given when all conditions of the text hold:
                            "standby>P", "free<P", "available<P", P in pages; a = 0 stops all timers */
    PL_OP_LOCK = 17,     /* pages a .. a + b - 1 are provisioned and locked: in memory until they are freed */
    PL_OP_MINIMISE = 18, /* the window of process a is minimised: its working set is emptied as the system does then */
};

struct pl_control {
    uint32_t at;     /* it happens before touch `at` of the batch (count = after the last) */
    uint16_t op;     /* enum pl_op */
    uint8_t kind;    /* enum pl_kind, for ranges */
    uint8_t flags;
    uint32_t actor;  /* index of a (process, thread) pair, in the order of first use; for PL_OP_SWITCH (PL_OP_CONTENT: see there) */
    pl_time_ps time; /* in the trace's clock; 0 when it has none */
    uint64_t a, b, c;
    const char *text; /* or NULL */
};

struct pl_batch {
    size_t count;             /* touches; may be 0 with control records */
    const pl_page *page;
    const uint8_t *kind;      /* enum pl_kind; NULL: all reads */
    const int64_t *time;      /* in the header's clock; NULL: none */
    const uint32_t *size;     /* bytes of each request; NULL: whole pages */
    size_t control_count;
    const struct pl_control *control; /* ascending `at` */
    uint64_t distinct;        /* distinct pages introduced up to the end of this batch */
};

enum { PL_BATCH_MAX = 65536 }; /* touches in one batch, at most */

#endif
