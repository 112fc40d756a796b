/* curve/stack.h: the inside of the one-pass curve: time slots, pages, counters. Private to curve.
 *
 * curve.c owns the tables; the loops over touches (stack_kernel.h) are compiled twice, for AVX2 and for any machine.
 *
 * Why this structure. A stack distance is a count of live slots behind a given one, and any ordered set will do: splay
 * trees (0.6 to 1.5 M touches/s), a Fenwick tree over slots (4.5 to 33). Both chase dependent cache misses, log n of them
 * a touch. Here a count is one line of 64 bytes, whose header and words share a cache miss, and three small tables that
 * stay in the first-level cache; a kill is two words of that line and masked vector subtractions on one node and one group.
 * Prefix counts in arrays beside the bits, as in a flat bit vector with ranks, cost a second miss; starting full, so that
 * time opens nothing, saves the branches of opening words and nodes; telling `kill` from `count` lets a batch count
 * without waiting for its own kills. What it costs: 4 slots a page, so 0.6 bytes, and a renumbering of all pages every
 * three touches a page, one count each. */
#ifndef PL_CURVE_STACK_H
#define PL_CURVE_STACK_H

#include "curve/curve.h"

/* --- time slots ---------------------------------------------------------------------------------------------------
 * Every touch gets the next slot; a slot is live while it is its page's latest. The stack distance of a touch is the
 * number of live slots from the page's former slot on, and making it means to count and then to kill that slot.
 *
 *   group 0                                        group 1 ...         top[]:   live slots before the group
 *   +--------+--------+----- ... ---+--------+     +-----
 *   | node 0 | node 1 |             | node15 |     |                   node[]:  before the node, in its group
 *   +--------+--------+----- ... ---+--------+     +-----
 *     |
 *     +-> line 0, line 1, ... line 31                                  line_before[]: before the line, in its node
 *           |
 *           +-> one cache line: [ header | 64 slots | 64 slots | ... 7 words ]
 *               header: seven 9-bit fields, the live slots before each word of the line
 *
 * A slot's number is 512 * line + 64 * word + bit; the 64 numbers of each line's header are not used, so number 0 can
 * mean "never touched". Everything starts full: slots to come count as live already, since a count of slots before a
 * given one never reaches into the future. So slots are only ever killed, and nothing is opened as time goes on. */
enum {
    WORD_SLOTS = 64,
    LINE_WORDS = 8, /* the header among them */
    LINE_SLOTS = 7 * WORD_SLOTS,
    NODE_LINES = 32,
    NODE_SLOTS = NODE_LINES * LINE_SLOTS, /* fits 16 bits */
    GROUP_NODES = 16,
    GROUP_LINES = GROUP_NODES * NODE_LINES,
};

struct slots {
    uint64_t *line;        /* LINE_WORDS each */
    uint16_t *line_before; /* by line */
    uint32_t *node_before; /* by node */
    uint32_t *top;         /* by group */
    uint32_t *killed;      /* by group: kills that top[] of the groups behind does not know yet */
    uint32_t lines;        /* a multiple of NODE_LINES; of GROUP_LINES when there is more than one node */
    uint32_t groups;
    uint32_t now;          /* the next slot; (lines - 1) * 512 + 64 when all are used */
    void *memory;
    size_t bytes;
};

enum pl_err pl_slots_create(struct slots *slots, uint64_t at_least, struct pl_error *err);
void pl_slots_destroy(struct slots *slots);
/* Only the first slots from now on, not more than were created; they must be filled. */
void pl_slots_use(struct slots *slots, uint64_t at_least);
/* All slots live, the next one is the `live`-th. */
void pl_slots_fill(struct slots *slots, uint32_t live);
/* The number of the slot with `rank` usable slots before it. */
static inline uint32_t pl_slot_at(uint32_t rank)
{
    return rank / LINE_SLOTS * 512 + WORD_SLOTS + rank % LINE_SLOTS;
}
/* The opposite: how many usable slots lie before the one with number `slot`. */
static inline uint32_t pl_slot_rank(uint32_t slot)
{
    return (slot >> 9) * LINE_SLOTS + (slot & 511) - WORD_SLOTS;
}
static inline uint64_t pl_slots_count(const struct slots *slots)
{
    return (uint64_t)(slots->lines - 1) * LINE_SLOTS;
}
static inline bool pl_slots_used_up(const struct slots *slots)
{
    return slots->now >> 9 >= slots->lines - 1;
}
/* A slot of the last line, which no touch gets: behind it is nothing, so killing it changes no count. It stands for the
 * former slot of a page that has none, which then needs no branch. */
static inline uint32_t pl_slot_of_none(const struct slots *slots)
{
    return (slots->lines - 1) * 512 + WORD_SLOTS;
}

static inline uint64_t pl_slots_left(const struct slots *slots)
{
    return pl_slots_count(slots) - pl_slot_rank(slots->now);
}

/* --- pages --------------------------------------------------------------------------------------------------------
 * reach: the largest stack distance since the page was last written (0: just written). A page written once, then read
 * at distances up to M, was evicted dirty exactly once from every memory smaller than M and never from others; so one
 * count per write, made when the next write comes, gives the write-backs of all sizes. (That sums up the dirty levels
 * of Thompson and Smith: a read at distance D from level L is a write-back in sizes L to D - 1 and raises the level to
 * D, and those ranges join end to end until a write sets the level to 1.) */
#define REACH_CLEAN UINT32_MAX /* not dirty in any size */

/* Both of a page lie side by side, so that they share a cache miss: entry p is at [p * 2] (sampled curves follow reaches
 * elsewhere, and have a stride of 1). */
struct pages {
    uint32_t *last; /* slot of the latest touch; 0: never touched */
    uint64_t limit; /* page numbers below this have room */
};

/* --- counters ------------------------------------------------------------------------------------------------------
 * One per distance, split: a byte that nearly all increments stay within, so that they touch an eighth of the memory,
 * and the rest. */
struct bins {
    uint8_t *low;
    uint64_t *high;
};
/* `high` is shared by threads, each of which has a `low` of its own. */
static inline void pl_bins_add(struct bins *bins, uint32_t at)
{
    if (__builtin_expect(++bins->low[at] == 0, 0))
        __atomic_fetch_add(&bins->high[at], 256, __ATOMIC_RELAXED);
}

/* A hash of a page for sampling: different pages have different ones. (Two rounds of multiplying and shifting with
 * constants found by search, as in "lowbias32" of C. Wellons, between them the seed.) */
static inline uint32_t pl_page_hash(pl_page page, uint32_t seed)
{
    uint32_t x = page + seed;
    x = (x ^ x >> 16) * UINT32_C(0x7feb352d);
    x = (x ^ x >> 15) * UINT32_C(0x846ca68b);
    x = (x ^ x >> 16 ^ seed) * UINT32_C(0x9e3779b1);
    return x ^ x >> 15;
}

enum {
    BATCH = 64,          /* touches handled together: one word of slots */
    MODE_TOUCHES = 8192, /* the way of counting is chosen anew this often */
    NEAR_COPIES = 4,     /* of the counters of short distances, so that equal ones in a row do not wait for each other */
    CACHE_LINE = 64,
};

/* What a batch leaves to be counted later, when the counters have come near. */
struct pending {
    uint32_t distances, dirties;
    uint32_t distance[BATCH];
    uint32_t dirty[BATCH + 1]; /* reach + 1, so that REACH_CLEAN falls into bin 0, which nobody reads */
};

/* On cache lines of its own: threads have neighbouring ones. */
struct stack {
    _Alignas(CACHE_LINE) enum pl_rule rule;
    bool reads_only;
    struct pages pages;
    struct slots slots;
    uint32_t live; /* distinct pages so far */
    bool local;    /* the way: most touches come back within a batch */
    uint32_t mode_seen, mode_far;
    struct bins reads; /* by distance; bin 0: first touches */
    struct bins dirty; /* by reach + 1 at the write that ends it */
    struct pending pending;
    uint64_t near[NEAR_COPIES][BATCH + 1]; /* more of `reads` */
};

/* --- parts of a trace, for several threads ---------------------------------------------------------------------------
 * A part that is counted into an empty stack leaves open what its first touch of each page, and the first write, refer to.
 * These two lists are all that a stack with everything before the part needs to know of it (curve_parallel.c). */
struct first_touch {
    pl_page page;
    uint32_t rank;   /* the page's place among the part's pages in the order of their latest touches */
    uint32_t before; /* the largest distance after the first touch, up to the first write or the part's end */
    uint32_t after;  /* the reach at the part's end; with REACH_WRITTEN: the part does not write the page */
};
#define REACH_WRITTEN (UINT32_C(1) << 31) /* in a part's stack: the part has written the page, and the rest is from there */

struct first_write {
    pl_page page;
    uint32_t before;
};

struct opened {
    struct first_touch *touch; /* in the order of the trace */
    struct first_write *write;
    uint32_t touches, writes;
};

struct stack_kernel {
    const char *name;
    /* Counts touches, up to the end of the slots; returns how many. kinds may be NULL. */
    size_t (*feed)(struct stack *stack, const pl_page *pages, const uint8_t *kinds, size_t count);
    /* The same for a part, into a stack that is empty and has slots for it: what stays open is added to the lists. */
    void (*feed_part)(struct stack *stack, struct opened *opened, const pl_page *pages, const uint8_t *kinds, size_t count);
    /* After the part: completes opened->touch, and makes last[] empty again. */
    void (*hand_over)(struct stack *stack, struct opened *opened);
    /* Counts what a part left open, and moves its pages to the top of `stack`, which has slots left for them. */
    void (*resolve)(struct stack *stack, const struct opened *opened);
    /* For sampled curves, with stride 1: distances only; 0 is that of a first touch. Stops at the end of the slots, too. */
    size_t (*measure)(struct stack *stack, const pl_page *pages, size_t count, uint32_t *distance);
    /* Writes pending counts out. */
    void (*settle)(struct stack *stack);
    /* Slots are used up: gives the live ones the numbers 0 .. live - 1, in order. The slots must be filled afterwards. */
    void (*renumber)(struct stack *stack, unsigned stride);
    /* After the last touch: counts the pages that lie dirty below the top of the stack. */
    void (*final)(struct stack *stack);
    /* Takes a page out of the stack, as if it had never been touched. Stride 1. */
    void (*forget)(struct stack *stack, pl_page page);
    /* The touches whose page hashes below `threshold`: writes their indices (room for all) and returns how many. */
    size_t (*pick)(const pl_page *pages, size_t count, uint32_t seed, uint32_t threshold, uint32_t *index);
    /* Of pages numbered in the order of their first use, of which those below `limit` are known: the first touches of
     * others. Writes their indices and returns how many. */
    size_t (*find_firsts)(const pl_page *pages, size_t count, pl_page limit, uint32_t *index);
    /* Looks a piece through: the largest page number, and how many touches write. */
    void (*survey)(const pl_page *pages, const uint8_t *kinds, size_t count, pl_page *largest, uint64_t *writes);
};
extern const struct stack_kernel pl_stack_portable, pl_stack_avx2;
/* The fastest that this machine runs. */
const struct stack_kernel *pl_stack_kernel(bool portable);

#endif
