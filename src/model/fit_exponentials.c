/* model/fit_exponentials.c: counts that fall by the same share for every further MB, and relatives.
 *
 *   exponential            A e^(-x/tau)
 *   exponential-constant   A e^(-x/tau) + C          C: faults that no memory saves
 *   two-exponentials       A1 e^(-x/tau1) + A2 e^(-x/tau2), tau1 < tau2
 *   stretched-exponential  A e^-((x/tau)^beta)       beta < 1: the share lessens with memory
 *
 * Assumes one smooth locality. Does not model steps, as of a loop over an array that fits all at once. */
#include "model/fit_form.h"

#include <math.h>
#include <string.h>

enum { AMPLITUDE, LENGTH, EXTRA, EXTRA_LENGTH };

/* -x/tau of a positive tau. */
static double decay(double x, double log_tau)
{
    return -x / pl_fit_positive(log_tau);
}

/* ln tau from a slope of ln count; a table that does not fall begins at a very slow decay. */
static double log_length(const struct pl_fit_frame *frame, double slope)
{
    double slow = 100 * fmax(frame->last_mb, 1e-12);
    return log(slope < -1 / slow ? -1 / slope : slow);
}

/* --- exponential ------------------------------------------------------------------------ */

static size_t start_exponential(const struct pl_fit_frame *frame, const double *x, const double *log_y, size_t rows,
                                double theta[PL_FIT_STARTS_MAX][PL_FIT_PARAMETERS_MAX])
{
    double slope;
    if (!pl_fit_line(x, log_y, rows, &theta[0][AMPLITUDE], &slope))
        return 0;
    theta[0][LENGTH] = log_length(frame, slope);
    return 1;
}

static double log_exponential(const struct pl_fit_frame *frame, const double *theta, double x)
{
    (void)frame;
    return theta[AMPLITUDE] + decay(x, theta[LENGTH]);
}

const struct pl_fit_form pl_fit_exponential = {
    .name = "exponential",
    .about = "the same share less for every MB",
    .formula = "A exp(-x/tau)",
    .beyond = "goes to 0 exponentially",
    .count = 2,
    .parameter = {{"A", "", false}, {"tau", "MB", true}},
    .start = start_exponential,
    .log_value = log_exponential,
};

/* --- plus a constant ---------------------------------------------------------------------- */

/* With a share of the least count taken as the constant, the rest is an exponential. */
static size_t start_constant(const struct pl_fit_frame *frame, const double *x, const double *log_y, size_t rows,
                             double theta[PL_FIT_STARTS_MAX][PL_FIT_PARAMETERS_MAX])
{
    static const double shares[] = {0.01, 0.5, 0.95};
    double least = INFINITY, rest[512], slope;
    size_t found = 0;
    for (size_t i = 0; i < rows; i++)
        least = fmin(least, log_y[i]);
    for (size_t k = 0; k < PL_COUNT_OF(shares) && rows <= PL_COUNT_OF(rest); k++) {
        for (size_t i = 0; i < rows; i++)
            rest[i] = log_y[i] + log1p(-shares[k] * exp(least - log_y[i]));
        if (!pl_fit_line(x, rest, rows, &theta[found][AMPLITUDE], &slope))
            continue;
        theta[found][LENGTH] = log_length(frame, slope);
        theta[found++][EXTRA] = least + log(shares[k]);
    }
    return found;
}

static double log_constant(const struct pl_fit_frame *frame, const double *theta, double x)
{
    return pl_fit_log_sum(log_exponential(frame, theta, x), theta[EXTRA]);
}

const struct pl_fit_form pl_fit_exponential_constant = {
    .name = "exponential-constant",
    .about = "an exponential over a floor that no memory saves",
    .formula = "A exp(-x/tau) + C",
    .beyond = "levels off at C",
    .count = 3,
    .parameter = {{"A", "", false}, {"tau", "MB", true}, {"C", "", false}},
    .start = start_constant,
    .log_value = log_constant,
};

/* --- two of them ----------------------------------------------------------------------------- */

/* The slow one through the last rows, the fast one through what it leaves of the first rows, divided at several places. */
static size_t start_two(const struct pl_fit_frame *frame, const double *x, const double *log_y, size_t rows,
                        double theta[PL_FIT_STARTS_MAX][PL_FIT_PARAMETERS_MAX])
{
    static const double shares[] = {0.2, 0.35, 0.5, 0.7};
    size_t found = 0;
    for (size_t k = 0; k < PL_COUNT_OF(shares); k++) {
        size_t cut = (size_t)(shares[k] * (double)rows);
        double slow, fast, at;
        if (cut < 2)
            cut = 2;
        if (rows < cut + 2 || !pl_fit_line(x + cut, log_y + cut, rows - cut, &theta[found][EXTRA], &slow) ||
            !pl_fit_line(x, log_y, cut, &at, &fast))
            continue;
        fast = fmin(2 * fast, 3 * slow); /* steeper than the sum, which the slow one flattens */
        theta[found][LENGTH] = log_length(frame, fast);
        theta[found][EXTRA_LENGTH] = log_length(frame, slow);
        double left = log_y[0] + log(fmax(0.05, 1 - exp(theta[found][EXTRA] + slow * x[0] - log_y[0])));
        theta[found][AMPLITUDE] = left - decay(x[0], theta[found][LENGTH]);
        found++;
    }
    return found;
}

static double log_two(const struct pl_fit_frame *frame, const double *theta, double x)
{
    return pl_fit_log_sum(log_exponential(frame, theta, x), theta[EXTRA] + decay(x, theta[EXTRA_LENGTH]));
}

/* The shorter one first. */
static void order_two(double *theta)
{
    double swap[2];
    if (theta[LENGTH] <= theta[EXTRA_LENGTH])
        return;
    memcpy(swap, theta, sizeof swap);
    memcpy(theta, theta + EXTRA, sizeof swap);
    memcpy(theta + EXTRA, swap, sizeof swap);
}

const struct pl_fit_form pl_fit_two_exponentials = {
    .name = "two-exponentials",
    .about = "two localities, a small and a large one",
    .formula = "A1 exp(-x/tau1) + A2 exp(-x/tau2)",
    .beyond = "goes to 0 exponentially",
    .count = 4,
    .parameter = {{"A1", "", false}, {"tau1", "MB", true}, {"A2", "", false}, {"tau2", "MB", true}},
    .start = start_two,
    .log_value = log_two,
    .canonical = order_two,
};

/* --- stretched -------------------------------------------------------------------------------- */

/* For a given beta ln count is a straight line in x^beta. */
static size_t start_stretched(const struct pl_fit_frame *frame, const double *x, const double *log_y, size_t rows,
                              double theta[PL_FIT_STARTS_MAX][PL_FIT_PARAMETERS_MAX])
{
    static const double betas[] = {0.2, 0.5, 1, 2};
    double power[512], slope;
    size_t found = 0;
    (void)frame;
    for (size_t k = 0; k < PL_COUNT_OF(betas) && rows <= PL_COUNT_OF(power); k++) {
        for (size_t i = 0; i < rows; i++)
            power[i] = pow(x[i], betas[k]);
        if (!pl_fit_line(power, log_y, rows, &theta[found][AMPLITUDE], &slope))
            continue;
        slope = fmin(slope, -1e-9);
        theta[found][LENGTH] = -log(-slope) / betas[k];
        theta[found++][EXTRA] = log(betas[k]);
    }
    return found;
}

static double log_stretched(const struct pl_fit_frame *frame, const double *theta, double x)
{
    (void)frame;
    if (x <= 0)
        return theta[AMPLITUDE];
    return theta[AMPLITUDE] - pl_fit_positive(pl_fit_positive(theta[EXTRA]) * (log(x) - theta[LENGTH]));
}

const struct pl_fit_form pl_fit_stretched_exponential = {
    .name = "stretched-exponential",
    .about = "an exponential whose rate changes with memory",
    .formula = "A exp(-(x/tau)^beta)",
    .beyond = "goes to 0 faster than any power",
    .count = 3,
    .parameter = {{"A", "", false}, {"tau", "MB", true}, {"beta", "", true}},
    .start = start_stretched,
    .log_value = log_stretched,
};
