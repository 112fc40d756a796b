/* curve/opt_curve.h: Belady's optimum (1966) at every memory size in one run: the fewest reads that any policy can
 * have.
 *
 * Reads only: the optimum that this order belongs to does not have the fewest write-backs, and which page it evicts
 * among those never used again is open, so write-backs have no answer of their own here (pl_simulate counts them for
 * one choice). */
#ifndef PL_CURVE_OPT_CURVE_H
#define PL_CURVE_OPT_CURVE_H

#include "curve/curve.h"

/* The whole trace must be in memory: `count` touches, fewer than 2^32 - 1. The result is as pl_curve_finish gives it,
 * with reads_only. Memory: 8 bytes a touch and up to 20 a page. Time: see opt_curve.c. */
enum pl_err pl_opt_curve(enum pl_rule rule, const pl_page *pages, size_t count, struct pl_curve_result *out,
                         struct pl_error *err);

#endif
