/* model/slopes.h: the slope of each shape at the points it goes through (private to interpolate.c).
 *
 * A cubic on an interval is known from its values and slopes at both ends, so that a shape is nothing but a rule for
 * slopes. `slope` has `count` entries. */
#ifndef PL_MODEL_SLOPES_H
#define PL_MODEL_SLOPES_H

#include "base/base.h"

/* Fritsch and Butland 1984, with one-sided ends that keep the shape; needs 2 points. */
void pl_slopes_pchip(const double *x, const double *y, size_t count, double *slope);
/* The three that GSL has; `shape` is one of its names: "steffen", "akima", "cspline". */
enum pl_err pl_slopes_gsl(const char *shape, const double *x, const double *y, size_t count, double *slope,
                          struct pl_error *err);

#endif
