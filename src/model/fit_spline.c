/* model/fit_spline.c: a smooth curve that falls, without a formula.
 *
 * ln y is a cubic B-spline in ln x with coefficients that only fall:
 *
 *   c[0] = theta[0],  c[j] = c[j - 1] - e^theta[j]           (a spline with falling coefficients falls)
 *   penalty: smoothness * sum (theta[j] - theta[j - 1])^2,  j >= 2
 *
 * as in the shape constrained splines of Pya and Wood (2015). Ever stiffer it becomes a power law, ever softer it goes
 * through the rows. How stiff is chosen by cross-validation (fit.c). Outside the table it goes on straight. Where the
 * table has a row of 0 MB the axis is x itself, and the stiff limit an exponential.
 *
 * Assumes equal steps between knots are fine enough. Does not model steps in the counts: they are smoothed. */
#include "model/fit_form.h"

#include <math.h>

static double axis_of(const struct pl_fit_frame *frame, double x)
{
    return frame->plain_axis ? x : log(x);
}

/* The straight line to begin with: all steps equal. */
static size_t start_spline(const struct pl_fit_frame *frame, const double *x, const double *log_y, size_t rows,
                           double theta[PL_FIT_STARTS_MAX][PL_FIT_PARAMETERS_MAX])
{
    double t[512], intercept, slope;
    size_t count = pl_fit_form_count(&pl_fit_spline, frame);
    for (size_t i = 0; i < rows && rows <= PL_COUNT_OF(t); i++)
        t[i] = axis_of(frame, x[i]);
    if (rows > PL_COUNT_OF(t) || !pl_fit_line(t, log_y, rows, &intercept, &slope))
        return 0;
    double from = axis_of(frame, frame->first_mb), to = axis_of(frame, frame->last_mb);
    double step = (to - from) / (double)(count - 3);
    slope = fmin(slope, -0.01 / (to - from));
    theta[0][0] = intercept + slope * (from - step); /* coefficient j stands at knot j - 1 */
    for (size_t j = 1; j < count; j++)
        theta[0][j] = log(-slope * step);
    return 1;
}

/* A place on the axis: the interval, the weights of its four coefficients, of which the value is the sum. Outside, the
 * straight line through the end is a sum of them too. */
struct place {
    size_t interval;
    double weight[4];
};

static struct place place_of(const struct pl_fit_frame *frame, double x)
{
    size_t intervals = pl_fit_form_count(&pl_fit_spline, frame) - 3;
    double from = axis_of(frame, frame->first_mb), to = axis_of(frame, frame->last_mb);
    double at = (axis_of(frame, x) - from) / (to - from) * (double)intervals;
    double inside = fmax(0, fmin(at, (double)intervals));
    struct place place = {.interval = (size_t)fmin(inside, (double)intervals - 1)};
    double t = inside - (double)place.interval, s = 1 - t, beyond = at - inside;
    place.weight[0] = s * s * s / 6;
    place.weight[1] = (3 * t * t * t - 6 * t * t + 4) / 6;
    place.weight[2] = (3 * s * s * s - 6 * s * s + 4) / 6;
    place.weight[3] = t * t * t / 6;
    if (beyond != 0) { /* the slope at an end is half the difference of its neighbours */
        place.weight[t == 0 ? 0 : 1] -= beyond / 2;
        place.weight[t == 0 ? 2 : 3] += beyond / 2;
    }
    return place;
}

static double log_spline(const struct pl_fit_frame *frame, const double *theta, double x)
{
    struct place place = place_of(frame, x);
    double coefficient = theta[0], value = 0;
    for (size_t j = 0; j < place.interval + 4; j++) {
        if (j > 0)
            coefficient -= pl_fit_positive(theta[j]);
        if (j >= place.interval)
            value += place.weight[j - place.interval] * coefficient;
    }
    return value;
}

/* theta[j] lowers coefficient j and all behind it. */
static void gradient(const struct pl_fit_frame *frame, const double *theta, double x, double *out)
{
    struct place place = place_of(frame, x);
    size_t count = pl_fit_form_count(&pl_fit_spline, frame);
    double behind = 0;
    for (size_t j = count; j-- > 0;) {
        if (j >= place.interval && j < place.interval + 4)
            behind += place.weight[j - place.interval];
        out[j] = j > 0 ? -behind * pl_fit_positive(theta[j]) : behind;
    }
}

static size_t penalty(const struct pl_fit_frame *frame, const double *theta, double *out)
{
    size_t count = pl_fit_form_count(&pl_fit_spline, frame);
    for (size_t j = 2; j < count; j++)
        out[j - 2] = sqrt(frame->smoothness) * (theta[j] - theta[j - 1]);
    return count - 2;
}

const struct pl_fit_form pl_fit_spline = {
    .name = "spline",
    .about = "a falling spline, its smoothness cross-validated",
    .formula = "ln y = falling cubic spline in ln x",
    .beyond = "goes on as a power, with the slope at the end",
    .parameter = {{"level", "", false}},
    .start = start_spline,
    .log_value = log_spline,
    .gradient = gradient,
    .penalty = penalty,
};
