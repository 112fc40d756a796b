/* trace/generate.h: synthetic traces.
 *
 * A generator draws touches of items by a pattern, makes the items dense pages in the order of first use, and hands out batches
 * for ever longer runs in memory that depends on the pages only (4 bytes each, 8 for exponential; 4 more with origins). The same parameters
 * and seed give the same trace.
 *
 * Patterns, each over items 0 .. pages - 1:
 *   zipf         item i is drawn with a probability proportional to 1 / (i + 1)^alpha, independently
 *   uniform      every item is drawn with the same probability
 *   sequential   one pass over the items, each touched equally often before the next
 *   loop         0, 1, ..., pages - 1, and again
 *   exponential  LRU stack distances fall off geometrically: with m pages of memory under LRU a touch misses with
 *                probability e^(-m / mean), as Russinovich and Cogswell (1996) assume of applications. (They argue from
 *                access counts that fall off exponentially; what their model uses is the fault curve, and that is what
 *                this pattern makes exactly so, up to the cut at `pages`.)
 *
 * Several parts are mixed touch by touch, by weight, or follow one another as phases. Each part has items of its own.
 * Several processes each run their own copy of all parts on pages of their own, and take turns.
 *
 * Does not model: addresses (items are numbered as they are; part and process k have the numbers after those of k - 1), times,
 * instruction fetches, correlation between successive touches other than what a pattern says. */
#ifndef PL_TRACE_GENERATE_H
#define PL_TRACE_GENERATE_H

#include "trace/trace.h"

enum pl_pattern {
    PL_PATTERN_ZIPF,
    PL_PATTERN_UNIFORM,
    PL_PATTERN_SEQUENTIAL,
    PL_PATTERN_LOOP,
    PL_PATTERN_EXPONENTIAL,
};
extern const char *const pl_pattern_names[]; /* in the order of the enum, NULL-terminated */

struct pl_generate_part {
    enum pl_pattern pattern;
    uint64_t pages;
    double weight; /* share of the touches, relative to the other parts; > 0 */
    double alpha;  /* zipf; >= 0 */
    double mean;   /* exponential: pages; > 0 */
    double writes; /* fraction of touches that write, 0 to 1 */
};

struct pl_generate_params {
    const struct pl_generate_part *parts;
    size_t part_count;
    bool phases;        /* one part after the other, with a mark at the start of each */
    uint64_t count;     /* touches */
    uint64_t seed;
    uint32_t processes; /* >= 1; with more than one, switches say whose turn it is */
    uint64_t turn;      /* touches of one turn; >= 1 */
    bool keep_origins;  /* pl_generator_origin will be asked of all pages: writers of text do */
};

struct pl_generator;

/* Fails with PL_ERR_USAGE where parameters make no sense. `params` and its parts are copied. */
enum pl_err pl_generator_create(const struct pl_generate_params *params, struct pl_generator **out, struct pl_error *err);
/* The next batch; PL_END after the last. Columns are valid until the next call. */
enum pl_err pl_generator_next(struct pl_generator *generator, struct pl_batch *out, struct pl_error *err);
/* A pl_origin_fn for the pages that the last batch introduced, with keep_origins for all so far; `generator` is a struct pl_generator *. Processes count from 1,
 * or are 0 when there is only one. */
struct pl_page_origin pl_generator_origin(void *generator, pl_page page);
void pl_generator_free(struct pl_generator *generator); /* NULL is allowed */

/* --- what the generator is made of (tests use them alone) --------------------------- */
/* Zipf's law over 1 .. count, drawn exactly up to the rounding of doubles, in about one table look-up. */
struct pl_zipf;
enum pl_err pl_zipf_create(uint64_t count, double alpha, struct pl_zipf **out, struct pl_error *err);
uint64_t pl_zipf_draw(const struct pl_zipf *zipf, struct pl_random *random); /* 0 .. count - 1 */
void pl_zipf_free(struct pl_zipf *zipf);

/* A list of items 0 .. count - 1 from which the item at a depth is moved to the front. O(sqrt) in the depth. */
struct pl_stack;
enum pl_err pl_stack_create(uint64_t count, struct pl_stack **out, struct pl_error *err);
uint32_t pl_stack_lift(struct pl_stack *stack, uint64_t depth);
void pl_stack_free(struct pl_stack *stack);

#endif
