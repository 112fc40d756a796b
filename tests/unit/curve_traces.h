/* tests/unit/curve_traces.h: random page traces of many shapes, and slow ways to their curves. Shared by the tests of
 * src/curve. */
#ifndef TEST_CURVE_TRACES_H
#define TEST_CURVE_TRACES_H

#include "curve/curve.h"
#include "curve/simulate.h"

struct touches {
    pl_page *page;
    uint8_t *kind;
    size_t count;
    pl_page limit; /* all pages are below */
};

enum shape { SHAPE_UNIFORM, SHAPE_SKEWED, SHAPE_LOOP, SHAPE_SAWTOOTH, SHAPE_WALK, SHAPE_PHASES, SHAPE_SPARSE, SHAPES };

/* `count` touches of about `pages` pages; about one in `write_every` writes (0: none). Freed by touches_free. */
struct touches touches_make(struct pl_random *random, enum shape shape, size_t count, pl_page pages, unsigned write_every);
void touches_free(struct touches *touches);
const char *shape_name(enum shape shape);

/* The curve by a Fenwick tree over all touches and dirty levels as published: nothing shared with src/curve. Freed by
 * free(reads), free(writes); `bytes` is 0. */
struct pl_curve_result slow_curve(const struct touches *touches, enum pl_rule rule);

#endif
