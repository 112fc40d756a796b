/* model/interpolate.h: a function through given points.
 *
 * Five shapes, each through the counts themselves or through their logarithms:
 *
 *   linear    straight lines                              never overshoots; kinks at every row
 *   pchip     piecewise cubic, Fritsch and Butland 1984   never overshoots, smooth slope
 *   steffen   piecewise cubic, Steffen 1990               never overshoots, flatter at the rows than pchip
 *   akima     piecewise cubic, Akima 1970                 follows the eye, may overshoot
 *   cspline   natural cubic spline                        smoothest, may overshoot, even below zero
 *
 * Through logarithms no value can be negative, and a curve that falls exponentially is straight. A table that has zeros
 * uses log(count + 1) instead. Every shape is kept as one cubic for each interval, so that evaluating costs a binary
 * search and four multiplications, and threads can share an interpolant. Slopes of steffen, akima and cspline come from
 * GSL. At the given points the given values come back exactly.
 *
 * The default is log-pchip. Of the methods that can neither rise nor fall below zero it predicts left-out rows best
 * (held_out.h) on every table tried: the 1996 Winstone table (mean error 3.0 %; log-steffen 3.3, pchip 4.2, log-linear
 * 4.4, steffen 5.1, linear 8.9) and eight thinned curves of two recorded programs. log-akima (2.8 %) and log-cspline
 * (3.0 %) are as good on Winstone but rise between the rows of real curves.
 *
 * Outside the points: see fault_curves.h. */
#ifndef PL_MODEL_INTERPOLATE_H
#define PL_MODEL_INTERPOLATE_H

#include "base/base.h"

enum pl_interpolation {
    PL_INTERPOLATE_LINEAR,
    PL_INTERPOLATE_PCHIP,
    PL_INTERPOLATE_STEFFEN,
    PL_INTERPOLATE_AKIMA,
    PL_INTERPOLATE_CSPLINE,
    PL_INTERPOLATE_LOG_LINEAR,
    PL_INTERPOLATE_LOG_PCHIP,
    PL_INTERPOLATE_LOG_STEFFEN,
    PL_INTERPOLATE_LOG_AKIMA,
    PL_INTERPOLATE_LOG_CSPLINE,
    PL_INTERPOLATION_COUNT,
    PL_INTERPOLATE_EXACT = PL_INTERPOLATION_COUNT, /* none: rows are read as they are; see fault_curves.h */
    PL_INTERPOLATE_DEFAULT = PL_INTERPOLATE_LOG_PCHIP,
};

/* NULL-terminated, in the order of the enum ("exact" is the last), for option tables. */
extern const char *const pl_interpolation_names[];
/* Fewest points it takes. */
size_t pl_interpolation_min_points(enum pl_interpolation method);

struct pl_interpolant;

/* Through `count` points with rising `x` and `y` >= 0. Both are kept, not copied. Fails with PL_ERR_INPUT when the
 * method needs more points. */
enum pl_err pl_interpolant_create(enum pl_interpolation method, const double *x, const double *y, size_t count,
                                  struct pl_arena *arena, struct pl_interpolant **out, struct pl_error *err);

/* Inside [x[0], x[count - 1]] the function; outside, the straight line through the two last points of that side in log
 * count, never rising with x. */
double pl_interpolant_at(const struct pl_interpolant *interpolant, double x);

/* True when the function rises nowhere and is nowhere negative between its points (looked at in 32 places an
 * interval, and only meaningful when the points themselves fall). */
bool pl_interpolant_falls(const struct pl_interpolant *interpolant);

#endif
