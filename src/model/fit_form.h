/* model/fit_form.h: the shapes that counts by memory size can be fitted with.
 *
 * A form is a function of memory with a few positive parameters that falls everywhere, whatever they are: the
 * optimiser moves their logarithms freely, and no fit can turn negative or rise. The value is given as its logarithm,
 * so that nothing overflows on the way.
 *
 * Members of the family: fit_exponentials.c, fit_powers.c, fit_spline.c. To add one, write a `const struct pl_fit_form`
 * and add its row in fit_form.c.
 *
 * Memory is in MB. Below, theta[i] is the logarithm of parameter i unless the form says otherwise. */
#ifndef PL_MODEL_FIT_FORM_H
#define PL_MODEL_FIT_FORM_H

#include "base/base.h"

enum {
    PL_FIT_PARAMETERS_MAX = 24, /* of one form */
    PL_FIT_STARTS_MAX = 6,
};

/* What a form knows of the table besides its counts. */
struct pl_fit_frame {
    double first_mb, last_mb; /* the range of the rows */
    size_t rows;
    bool plain_axis;   /* the table has a row of 0 MB: the spline's axis is memory, not its logarithm */
    double smoothness; /* of the spline: what a bend costs */
};

struct pl_fit_parameter {
    const char *name, *unit;
    bool shape; /* shared between reads and writes in a joint fit; the others are each one's own */
};

struct pl_fit_form {
    const char *name, *about;
    const char *formula;
    const char *beyond;  /* what it says of memory sizes outside the table */
    size_t count;        /* parameters; 0: pl_fit_form_count knows (the spline) */
    struct pl_fit_parameter parameter[5];
    bool above_zero;     /* has no value at 0 MB */
    /* Places to begin at, from rows with rising x and the logarithms of their counts. Returns how many. */
    size_t (*start)(const struct pl_fit_frame *frame, const double *x, const double *log_y, size_t rows,
                    double theta[PL_FIT_STARTS_MAX][PL_FIT_PARAMETERS_MAX]);
    double (*log_value)(const struct pl_fit_frame *frame, const double *theta, double x);
    /* The slopes of log_value by theta; NULL: differences are taken. */
    void (*gradient)(const struct pl_fit_frame *frame, const double *theta, double x, double *out);
    /* NULL: exp(theta). It must rise or fall with theta alone, so that the ends of an interval stay its ends. */
    double (*natural)(const struct pl_fit_frame *frame, size_t parameter, double theta);
    /* One of several equal sets of parameters; NULL: there is only one. */
    void (*canonical)(double *theta);
    /* Rows of sqrt(smoothness) times what should be small; NULL: the form is smooth by itself. */
    size_t (*penalty)(const struct pl_fit_frame *frame, const double *theta, double *out);
};

/* All forms, in the order in which they are shown; ends with NULL. */
extern const struct pl_fit_form *const pl_fit_forms[];
enum { PL_FIT_FORM_COUNT = 8 };

extern const struct pl_fit_form pl_fit_exponential, pl_fit_exponential_constant, pl_fit_two_exponentials,
    pl_fit_stretched_exponential, pl_fit_power, pl_fit_shifted_power, pl_fit_log_polynomial, pl_fit_spline;

size_t pl_fit_form_count(const struct pl_fit_form *form, const struct pl_fit_frame *frame);
/* A parameter as people read it. */
double pl_fit_form_natural(const struct pl_fit_form *form, const struct pl_fit_frame *frame, size_t parameter,
                           double theta);

/* --- for the members ------------------------------------------------------------------ */
/* A parameter from its logarithm, kept where doubles can hold it. */
double pl_fit_positive(double theta);
/* The straight line through points with equal weights (closed form); false when all x are the same. */
bool pl_fit_line(const double *x, const double *y, size_t count, double *intercept, double *slope);
/* ln(e^a + e^b). */
double pl_fit_log_sum(double a, double b);

#endif
