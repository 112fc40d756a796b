/* model/fit_powers.c: counts that fall by the same share for every doubling of memory, and relatives.
 *
 *   power           A x^-p                                        A: the count at 1 MB
 *   shifted-power   A ((x - x0) / (x1 - x0))^-p                   x1: the first row's size, A the count there; x0 < x1
 *   log-polynomial  ln y = ln A - s u - k u^3, u = ln(x/xc)       A: the count at xc, where the fall is flattest
 *
 * The log-polynomial is the general cubic in ln x that falls everywhere: minus its slope is s + 3 k u^2, and every
 * quadratic that is positive everywhere can be written so. Assumes no floor. Does not model that all fits at some size:
 * no power ever reaches 0. */
#include "model/fit_form.h"

#include <math.h>

#include <gsl/gsl_multifit.h>

enum { AMPLITUDE, EXPONENT, SHIFT };
enum { SLOPE = 1, CUBE, CENTRE };
enum { ROWS_MAX = 512 };

static double log_exponent(double slope)
{
    return log(fmax(-slope, 1e-6));
}

/* --- power ------------------------------------------------------------------------------ */

static size_t start_power(const struct pl_fit_frame *frame, const double *x, const double *log_y, size_t rows,
                          double theta[PL_FIT_STARTS_MAX][PL_FIT_PARAMETERS_MAX])
{
    double log_x[ROWS_MAX], slope;
    (void)frame;
    for (size_t i = 0; i < rows && rows <= ROWS_MAX; i++)
        log_x[i] = log(x[i]);
    if (rows > ROWS_MAX || !pl_fit_line(log_x, log_y, rows, &theta[0][AMPLITUDE], &slope))
        return 0;
    theta[0][EXPONENT] = log_exponent(slope);
    return 1;
}

static double log_power(const struct pl_fit_frame *frame, const double *theta, double x)
{
    (void)frame;
    return theta[AMPLITUDE] - pl_fit_positive(theta[EXPONENT]) * log(x);
}

const struct pl_fit_form pl_fit_power = {
    .name = "power",
    .about = "the same share less for every doubling",
    .formula = "A x^-p",
    .beyond = "falls as a power, never to 0; without bound towards 0 MB",
    .count = 2,
    .parameter = {{"A", "", false}, {"p", "", true}},
    .above_zero = true,
    .start = start_power,
    .log_value = log_power,
};

/* --- shifted ------------------------------------------------------------------------------ */

/* theta[SHIFT] = ln(x1 - x0). ln((x - x0) / (x1 - x0)), infinite at x0 and below. */
static double log_distance(const struct pl_fit_frame *frame, double log_shift, double x)
{
    double over = (x - frame->first_mb) / pl_fit_positive(log_shift);
    return over > -1 ? log1p(over) : -INFINITY;
}

static size_t start_shifted(const struct pl_fit_frame *frame, const double *x, const double *log_y, size_t rows,
                            double theta[PL_FIT_STARTS_MAX][PL_FIT_PARAMETERS_MAX])
{
    static const double shares[] = {0.02, 0.1, 0.4, 2};
    double range = frame->last_mb - frame->first_mb, log_x[ROWS_MAX], slope;
    size_t found = 0;
    for (size_t k = 0; k < PL_COUNT_OF(shares) && rows <= ROWS_MAX; k++) {
        theta[found][SHIFT] = log(shares[k] * range);
        for (size_t i = 0; i < rows; i++)
            log_x[i] = log_distance(frame, theta[found][SHIFT], x[i]);
        if (!pl_fit_line(log_x, log_y, rows, &theta[found][AMPLITUDE], &slope))
            continue;
        theta[found++][EXPONENT] = log_exponent(slope);
    }
    return found;
}

static double log_shifted(const struct pl_fit_frame *frame, const double *theta, double x)
{
    return theta[AMPLITUDE] - pl_fit_positive(theta[EXPONENT]) * log_distance(frame, theta[SHIFT], x);
}

static double natural_shifted(const struct pl_fit_frame *frame, size_t parameter, double theta)
{
    return parameter == SHIFT ? frame->first_mb - exp(theta) : exp(theta);
}

const struct pl_fit_form pl_fit_shifted_power = {
    .name = "shifted-power",
    .about = "a power of the memory above some size",
    .formula = "A ((x-x0)/(x1-x0))^-p, x1 the first row",
    .beyond = "falls as a power, never to 0; without bound towards x0",
    .count = 3,
    .parameter = {{"A", "", false}, {"p", "", true}, {"x0", "MB", true}},
    .start = start_shifted,
    .log_value = log_shifted,
    .natural = natural_shifted,
};

/* --- log-polynomial ------------------------------------------------------------------------- */

/* With the centre given the rest is linear; negative coefficients are brought to small positive ones. */
static bool start_at_centre(double centre_mb, const double *x, const double *log_y, size_t rows, double *theta)
{
    gsl_matrix *design = gsl_matrix_alloc(rows, 3), *covariance = gsl_matrix_alloc(3, 3);
    gsl_vector *found = gsl_vector_alloc(3);
    gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(rows, 3);
    gsl_vector_const_view y = gsl_vector_const_view_array(log_y, rows);
    double sum;
    bool done = design && covariance && found && work;
    for (size_t i = 0; done && i < rows; i++) {
        double u = log(x[i] / centre_mb);
        gsl_matrix_set(design, i, 0, 1);
        gsl_matrix_set(design, i, 1, -u);
        gsl_matrix_set(design, i, 2, -u * u * u);
    }
    done = done && gsl_multifit_linear(design, &y.vector, found, covariance, &sum, work) == 0;
    if (done) {
        theta[AMPLITUDE] = gsl_vector_get(found, 0);
        theta[SLOPE] = log(fmax(gsl_vector_get(found, 1), 0.05));
        theta[CUBE] = log(fmax(gsl_vector_get(found, 2), 0.01));
        theta[CENTRE] = log(centre_mb);
    }
    gsl_multifit_linear_free(work);
    gsl_vector_free(found);
    gsl_matrix_free(covariance);
    gsl_matrix_free(design);
    return done;
}

static size_t start_polynomial(const struct pl_fit_frame *frame, const double *x, const double *log_y, size_t rows,
                               double theta[PL_FIT_STARTS_MAX][PL_FIT_PARAMETERS_MAX])
{
    static const double shares[] = {-0.3, 0.2, 0.5, 0.8, 1.3};
    double range = log(frame->last_mb / frame->first_mb);
    size_t found = 0;
    for (size_t k = 0; k < PL_COUNT_OF(shares) && rows >= 3; k++)
        found += start_at_centre(frame->first_mb * exp(shares[k] * range), x, log_y, rows, theta[found]);
    return found;
}

static double log_polynomial(const struct pl_fit_frame *frame, const double *theta, double x)
{
    double u = log(x) - theta[CENTRE];
    (void)frame;
    return theta[AMPLITUDE] - u * (pl_fit_positive(theta[SLOPE]) + pl_fit_positive(theta[CUBE]) * u * u);
}

const struct pl_fit_form pl_fit_log_polynomial = {
    .name = "log-polynomial",
    .about = "a falling cubic in the logarithms",
    .formula = "ln y = ln A - s u - k u^3, u = ln(x/xc)",
    .beyond = "falls ever faster far from xc; without bound towards 0 MB",
    .count = 4,
    .parameter = {{"A", "", false}, {"s", "", true}, {"k", "", true}, {"xc", "MB", true}},
    .above_zero = true,
    .start = start_polynomial,
    .log_value = log_polynomial,
};
