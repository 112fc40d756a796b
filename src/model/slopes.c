/* model/slopes.c: slopes at the points of a table, for piecewise cubics.
 *
 * Assumes rising x and at least as many points as the shape needs. pchip is our own, because GSL has none: where the
 * secants on both sides of a point have the same sign, its slope is their weighted harmonic mean,
 *
 *   (w1 + w2) / (w1 / s[i-1] + w2 / s[i]),   w1 = 2 h[i] + h[i-1],  w2 = h[i] + 2 h[i-1]
 *
 * and zero otherwise; that keeps every interval as monotone as its end points. At the two ends the parabola through
 * three points gives the slope, cut to what keeps the shape. */
#include "model/slopes.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_interp.h>
#include <math.h>
#include <string.h>

static double secant(const double *x, const double *y, size_t i)
{
    return (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
}

/* The slope at an end: `h0`, `s0` of the outer interval, `h1`, `s1` of the next one. */
static double pchip_end(double h0, double h1, double s0, double s1)
{
    double slope = ((2 * h0 + h1) * s0 - h0 * s1) / (h0 + h1);
    if (slope * s0 <= 0)
        return 0;
    if (s0 * s1 <= 0 && fabs(slope) > 3 * fabs(s0))
        return 3 * s0;
    return slope;
}

void pl_slopes_pchip(const double *x, const double *y, size_t count, double *slope)
{
    size_t last = count - 1;
    if (count == 2) {
        slope[0] = slope[1] = secant(x, y, 0);
        return;
    }
    slope[0] = pchip_end(x[1] - x[0], x[2] - x[1], secant(x, y, 0), secant(x, y, 1));
    for (size_t i = 1; i < last; i++) {
        double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
        double s0 = secant(x, y, i - 1), s1 = secant(x, y, i);
        double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
        slope[i] = s0 * s1 <= 0 ? 0 : (w0 + w1) / (w0 / s0 + w1 / s1);
    }
    slope[last] = pchip_end(x[last] - x[last - 1], x[last - 1] - x[last - 2], secant(x, y, last - 1),
                            secant(x, y, last - 2));
}

static const gsl_interp_type *gsl_type(const char *shape)
{
    if (!strcmp(shape, "steffen"))
        return gsl_interp_steffen;
    return !strcmp(shape, "akima") ? gsl_interp_akima : gsl_interp_cspline;
}

enum pl_err pl_slopes_gsl(const char *shape, const double *x, const double *y, size_t count, double *slope,
                          struct pl_error *err)
{
    gsl_interp *interp = gsl_interp_alloc(gsl_type(shape), count);
    if (!interp)
        return pl_fail_memory(err, count * sizeof(double), "an interpolation");
    int status = gsl_interp_init(interp, x, y, count);
    for (size_t i = 0; i < count && status == GSL_SUCCESS; i++)
        status = gsl_interp_eval_deriv_e(interp, x, y, x[i], NULL, &slope[i]);
    gsl_interp_free(interp);
    if (status != GSL_SUCCESS)
        return pl_fail(err, PL_ERR_INPUT, "%s cannot go through these points: %s", shape, gsl_strerror(status));
    return PL_OK;
}
