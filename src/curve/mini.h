/* curve/mini.h: policies without a stack, simulated in small.
 *
 * Mini-simulation (Waldspurger et al. 2017): a page is in the sample when a hash of it lies below a threshold; the
 * policy runs on the sampled pages' touches with a memory scaled down by the same rate, and what it counts is scaled
 * up. It costs the rate's share of the time and memory of a full simulation. The error comes from which hot pages are
 * in the sample: it is large where few pages carry most touches, and below some tens of scaled frames. */
#ifndef PL_CURVE_MINI_H
#define PL_CURVE_MINI_H

#include "curve/simulate.h"

/* Which pages are in the sample: a share of `rate`, the same ones for the same seed. */
struct pl_mini {
    double rate;
    uint64_t seed, threshold;
};
/* `rate` in (0, 1]. */
struct pl_mini pl_mini_make(double rate, uint64_t seed);
bool pl_mini_has(const struct pl_mini *mini, pl_page page);
/* Keeps the sampled touches: writes them to pages and kinds (which may be the same arrays; in_kinds may be NULL: all
 * reads), returns how many. */
size_t pl_mini_pick(const struct pl_mini *mini, const pl_page *in_pages, const uint8_t *in_kinds, size_t count,
                    pl_page *pages, uint8_t *kinds);
/* The scaled size of a memory; at least 1. */
uint32_t pl_mini_frames(const struct pl_mini *mini, uint64_t frames);
/* An estimate for the whole trace from a count of the sample. */
uint64_t pl_mini_scale_up(const struct pl_mini *mini, uint64_t count);

#endif
