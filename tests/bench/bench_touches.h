/* tests/bench/bench_touches.h: what the benchmarks of curves share: touches in memory, clocks, medians.
 * A benchmark that cannot have its touches says so and exits. */
#ifndef BENCH_TOUCHES_H
#define BENCH_TOUCHES_H

#include "base/base.h"
#include "trace/generate.h"

#include <time.h>

struct touches {
    pl_page *page;
    uint8_t *kind;
    size_t count, capacity, kind_capacity;
};

/* Pages in the order of first use, three in ten touches write. */
struct touches bench_zipf(pl_page pages, size_t count, double exponent);
/* A file of touches; where it has no kinds, three in ten write. */
struct touches bench_read(const char *path);
struct touches bench_generate(const struct pl_generate_params *params);
/* A plain native file of them in $TMPDIR; the name, to be unlinked and freed. */
char *bench_write_native(const struct touches *touches);
void bench_touches_free(struct touches *touches);

double bench_seconds(clockid_t clock);
double bench_median(double *values, int count); /* sorts */

#endif
