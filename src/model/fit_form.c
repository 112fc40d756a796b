/* model/fit_form.c: the registry of forms, and what they share. */
#include "model/fit_form.h"

#include <math.h>

#include <gsl/gsl_fit.h>

/* Few parameters first. */
const struct pl_fit_form *const pl_fit_forms[PL_FIT_FORM_COUNT + 1] = {
    &pl_fit_exponential,   &pl_fit_power,           &pl_fit_exponential_constant, &pl_fit_stretched_exponential,
    &pl_fit_shifted_power, &pl_fit_two_exponentials, &pl_fit_log_polynomial,      &pl_fit_spline,
    NULL,
};

size_t pl_fit_form_count(const struct pl_fit_form *form, const struct pl_fit_frame *frame)
{
    if (form->count)
        return form->count;
    /* The spline: an interval for every row, in a range that both few and many rows can carry; cubic pieces need
     * three coefficients more than there are intervals. */
    size_t intervals = frame->rows < 5 ? 4 : frame->rows - 1;
    return (intervals > 20 ? 20 : intervals) + 3;
}

double pl_fit_form_natural(const struct pl_fit_form *form, const struct pl_fit_frame *frame, size_t parameter,
                           double theta)
{
    return form->natural ? form->natural(frame, parameter, theta) : exp(theta);
}

double pl_fit_positive(double theta)
{
    return exp(fmax(-300, fmin(theta, 300)));
}

bool pl_fit_line(const double *x, const double *y, size_t count, double *intercept, double *slope)
{
    double variance[3], sum;
    gsl_fit_linear(x, 1, y, 1, count, intercept, slope, &variance[0], &variance[1], &variance[2], &sum);
    return isfinite(*intercept) && isfinite(*slope);
}

double pl_fit_log_sum(double a, double b)
{
    double high = fmax(a, b), low = fmin(a, b);
    return high + log1p(exp(low - high));
}
