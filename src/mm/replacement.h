/* mm/replacement.h: which resident page leaves next.
 *
 * A policy orders the pages of one working set, or of all when replacement is global. It is told which page came in
 * and which left, and is asked for a victim; touches it reads from the hot words (hot.h). It never moves frames. A
 * page is a member of at most one policy at a time.
 *
 *   lru      exact least recently used                            lru.c
 *   aging    ages from the accessed bit, as Windows NT            aging.c
 *   fifo     in the order of coming in                            fifo.c
 *   clock    second chance, one hand over the places              clock.c
 *   random   any                                                  random_order.c
 *   twoq     2Q: a FIFO for new pages, LRU for those that return  twoq.c
 *   opt      the page whose next use is farthest: a bound         opt.c
 *
 * To add one, write a file with a `const struct pl_replacement_ops`, declare it in replacement_list.h and add its row
 * in replacement.c. */
#ifndef PL_MM_REPLACEMENT_H
#define PL_MM_REPLACEMENT_H

#include "base/error.h"
#include "mm/hot.h"

struct pl_replacement;
struct pl_replacement_shared;

/* The future, for OPT alone: touch i (in the order in which stamps are given: the first is 0) touches page_at[i], and
 * that page is touched next at next_use[i]; UINT32_MAX: never. At most 2^30 - 4 touches. It belongs to the caller. */
struct pl_future {
    const pl_page *page_at;
    const uint32_t *next_use;
    uint32_t count;
};

enum { PL_AGES = 8 }; /* 0 (accessed) .. 7 */

struct pl_replacement_params {
    uint64_t seed;      /* random */
    uint32_t examine;   /* aging: entries that a search for one victim looks at; 0: 16 */
    double kin_share;   /* twoq: of the members, the FIFO for new pages (Kin); 0: 0.25 */
    double kout_share;  /* twoq: of the members, pages remembered after they left the FIFO (Kout); 0: 0.5 */
    struct pl_future future; /* opt */
};

struct pl_replacement_ops {
    const char *name;  /* as written in machine files */
    const char *about; /* one line */
    bool counts_stamps; /* stamps are numbers of touches to it: they must never be renumbered */
    /* `shared` outlives the policy; see struct pl_replacement_shared. */
    enum pl_err (*create)(const struct pl_replacement_params *params, struct pl_replacement_shared *shared,
                          struct pl_replacement **out, struct pl_error *err);
    void (*destroy)(struct pl_replacement *policy);
    /* Room for `members` members; called before they come in, so that nothing else fails. */
    enum pl_err (*reserve)(struct pl_replacement *policy, uint32_t members, struct pl_error *err);
    void (*came_in)(struct pl_replacement *policy, pl_page page); /* its hot word stands */
    void (*left)(struct pl_replacement *policy, pl_page page);    /* its hot word still stands */
    /* The member to leave next; it stays a member until `left`. There is one. */
    pl_page (*victim)(struct pl_replacement *policy);
    /* Looks at `count` members for their accessed bits, from where it stopped last. NULL: nothing to do. */
    void (*scan)(struct pl_replacement *policy, uint32_t count);
    /* One pass of trimming: members of at least this age, each once, by repeated calls of trim_next; PL_NO_PAGE at
     * the end of the pass. NULL: members in the order of `victim`. */
    void (*trim_begin)(struct pl_replacement *policy, unsigned least_age);
    pl_page (*trim_next)(struct pl_replacement *policy);
    /* Members of each age (unscanned accesses not counted). NULL: the policy has no ages. */
    void (*ages)(const struct pl_replacement *policy, uint32_t count[PL_AGES]);
    /* Stamps were renumbered: forget every stamp that was remembered. NULL: none is. */
    void (*renumbered)(struct pl_replacement *policy);
    /* NULL when all is well, else a sentence without a final newline. For tests; may be slow. */
    const char *(*check)(const struct pl_replacement *policy);
};

/* What all instances of one memory share; tables by page grow with the pages. */
struct pl_replacement_shared {
    struct pl_hot *hot;
    uint32_t *position; /* by page: the place of a member in its policy; free for the policy's use */
    uint8_t *state;     /* by page: the policy's; 0 for a page that never was a member */
    pl_page pages;      /* their size */
    void *scratch;      /* for one call at a time; pl_replacement_scratch */
    size_t scratch_bytes;
};

/* What all members of the family begin with. */
struct pl_replacement {
    const struct pl_replacement_ops *ops;
    struct pl_replacement_shared *shared;
    uint32_t members;
};

/* Looks a policy up by name. On an unknown name fails with PL_ERR_INPUT, and the message names the nearest one. */
enum pl_err pl_replacement_find(const char *name, const struct pl_replacement_ops **out, struct pl_error *err);
/* All policies, in the order of the help; ends with NULL. */
extern const struct pl_replacement_ops *const pl_replacements[];

#endif
