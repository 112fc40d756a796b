/* tests/unit/curve_traces.c: random page traces of many shapes, and a slow way to their curves. */
#include "curve_traces.h"

#include <stdlib.h>

const char *shape_name(enum shape shape)
{
    static const char *const names[] = {"uniform", "skewed", "loop", "sawtooth", "walk", "phases", "sparse"};
    return names[shape];
}

static pl_page next_page(struct pl_random *random, enum shape shape, size_t i, pl_page pages, pl_page former)
{
    double unit = pl_random_unit(random);
    switch (shape) {
    case SHAPE_SKEWED: /* a few hot pages, a long tail */
        return (pl_page)(unit * unit * unit * unit * pages);
    case SHAPE_LOOP: /* with a jump now and then */
        return unit < 0.01 ? (pl_page)pl_random_below(random, pages) : (former + 1) % pages;
    case SHAPE_SAWTOOTH: /* up and down */
        return (pl_page)(i / pages % 2 ? pages - 1 - i % pages : i % pages);
    case SHAPE_WALK: /* mostly among the neighbours, as programs are */
        return unit < 0.02 ? (pl_page)pl_random_below(random, pages)
                           : (pl_page)((former + pages + pl_random_below(random, 5) - 2) % pages);
    case SHAPE_PHASES: /* each has its own pages, a tenth of all */
        return (pl_page)((i / 700 * (pages / 10 + 1) + pl_random_below(random, pages / 10 + 1)) % pages);
    default:
        return (pl_page)pl_random_below(random, pages);
    }
}

struct touches touches_make(struct pl_random *random, enum shape shape, size_t count, pl_page pages, unsigned write_every)
{
    struct touches touches = {.count = count, .limit = pages};
    pl_page spread = shape == SHAPE_SPARSE ? 97 : 1; /* numbers need not be dense */
    touches.page = malloc(count * sizeof *touches.page + 1);
    touches.kind = malloc(count + 1);
    touches.limit *= spread;
    pl_page page = 0;
    for (size_t i = 0; i < count; i++) {
        page = next_page(random, shape, i, pages, page);
        touches.page[i] = page * spread;
        uint64_t draw = write_every ? pl_random_below(random, write_every) : 1;
        touches.kind[i] = draw == 0 ? 1 : draw == 1 ? 2 : 0; /* also some instruction fetches */
    }
    return touches;
}

void touches_free(struct touches *touches)
{
    free(touches->page);
    free(touches->kind);
}

/* --- the slow curve --- */

static void tree_add(int64_t *tree, size_t count, size_t at, int64_t by)
{
    for (at++; at <= count; at += at & -at)
        tree[at] += by;
}

static int64_t tree_sum(const int64_t *tree, size_t at) /* of entries before `at` */
{
    int64_t sum = 0;
    for (; at > 0; at -= at & -at)
        sum += tree[at];
    return sum;
}

struct slow {
    int64_t *tree;   /* by touch: 1 where it is its page's latest */
    size_t *last;    /* by page, plus one */
    uint64_t *level; /* by page: the smallest memory in which it is dirty */
    int64_t *hits;   /* by distance */
    int64_t *change; /* of write-backs, between size m - 1 and m */
};

static void slow_touch(struct slow *slow, const struct touches *touches, size_t i, enum pl_rule rule, uint64_t *cold)
{
    pl_page page = touches->page[i];
    bool write = touches->kind[i] == 1;
    uint64_t distance = 0;
    if (slow->last[page]) {
        size_t last = slow->last[page] - 1;
        distance = (uint64_t)(tree_sum(slow->tree, i) - tree_sum(slow->tree, last));
        tree_add(slow->tree, touches->count, last, -1);
        slow->hits[distance]++;
        if (slow->level[page] < distance) { /* evicted dirty from memories of level .. distance - 1 pages */
            slow->change[slow->level[page]]++;
            slow->change[distance]--;
        }
        if (slow->level[page] < distance)
            slow->level[page] = distance;
    } else {
        ++*cold;
        slow->level[page] = rule == PL_RULE_DEMAND_ZERO ? 1 : UINT64_MAX;
    }
    if (write)
        slow->level[page] = 1;
    slow->last[page] = i + 1;
    tree_add(slow->tree, touches->count, i, 1);
}

static void slow_result(struct slow *slow, const struct touches *touches, struct pl_curve_result *result)
{
    for (pl_page page = 0; page < touches->limit; page++) { /* evicted since its last touch */
        if (!slow->last[page])
            continue;
        uint64_t position = (uint64_t)(tree_sum(slow->tree, touches->count) - tree_sum(slow->tree, slow->last[page] - 1));
        if (slow->level[page] < position) {
            slow->change[slow->level[page]]++;
            slow->change[position]--;
        }
    }
    uint64_t hits = 0, writes = 0;
    uint64_t always = result->rule == PL_RULE_DEMAND_ZERO ? result->cold : 0;
    for (uint64_t m = 0; m <= result->depth; m++) {
        hits += (uint64_t)slow->hits[m];
        writes += (uint64_t)slow->change[m];
        result->reads[m] = touches->count - always - hits;
        result->writes[m] = writes;
    }
    /* Without memory every touch that dirties a page writes it back. */
    for (size_t i = 0; i < touches->count; i++)
        result->write_touches += touches->kind[i] == 1;
    result->writes[0] = result->write_touches;
    uint8_t *seen = calloc(touches->limit, 1);
    for (size_t i = 0; result->rule == PL_RULE_DEMAND_ZERO && i < touches->count; i++) {
        result->writes[0] += !seen[touches->page[i]] && touches->kind[i] != 1;
        seen[touches->page[i]] = 1;
    }
    free(seen);
}

struct pl_curve_result slow_curve(const struct touches *touches, enum pl_rule rule)
{
    struct pl_curve_result result = {.rule = rule, .touches = touches->count};
    size_t pages = touches->limit;
    struct slow slow = {calloc(touches->count + 1, 8), calloc(pages, sizeof(size_t)), calloc(pages, 8),
                        calloc(pages + 2, 8), calloc(pages + 2, 8)};
    for (size_t i = 0; i < touches->count; i++)
        slow_touch(&slow, touches, i, rule, &result.cold);
    result.depth = result.cold;
    result.reads = calloc(result.depth + 1, 8);
    result.writes = calloc(result.depth + 1, 8);
    slow_result(&slow, touches, &result);
    free(slow.tree);
    free(slow.last);
    free(slow.level);
    free(slow.hits);
    free(slow.change);
    return result;
}
