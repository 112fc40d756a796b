/* study/validate.h: predicted beside measured, value by value.
 *
 * Only values of class predicted count, each with its tolerance. A number that the machine was fitted to is no prediction:
 * the machine's file remembers the measurements it was fitted to by name and content (calibrate.h), and values of those
 * become `calibrated` here, whatever they call themselves. */
#ifndef PL_STUDY_VALIDATE_H
#define PL_STUDY_VALIDATE_H

#include "base/parameter.h"
#include "study/predict.h"

struct pl_validation_row {
    const struct pl_measurement *measurement;
    const char *phase, *quantity, *unit;
    double scale;                        /* base units in one `unit` */
    double measured, spread, predicted;  /* base units; spread relative */
    double error;                        /* relative: predicted / measured - 1; NaN when measured is 0 and predicted too */
    double tolerance, tolerance_pages;   /* NaN: none */
    enum pl_measured_class class;
    bool fitted;   /* class is calibrated because the machine was fitted to it */
    bool counts;   /* predicted, with a tolerance */
    bool holds;    /* inside the tolerance; true for what does not count */
    const char *from, *note;
    const char *known_miss; /* why it is known to miss, or NULL */
};

struct pl_validation {
    struct pl_validation_row *row;
    size_t rows, capacity;
    size_t counted, missed, known; /* known: of those missed, the ones whose measurement says why */
    double median_error, worst_error; /* absolute relative errors of times that counted; NaN without any */
};

struct pl_validate_options {
    double time_tolerance;  /* for predicted values of a measured file without one of their own: times, ... */
    double count_tolerance; /* ... counts, ... */
    double size_tolerance;  /* ... compressed bytes; the memory that they take may be off by twice as much */
    pl_time_ps least_time;  /* shorter phases are shown but do not count: timers and interrupts are as long */
};

/* Whether the machine's values say that they were fitted to this measurement. */
bool pl_machine_was_fitted_to(const struct pl_parameters *machine, const struct pl_measurement *measurement);

/* Runs the measurement and appends its rows, comparisons too (`others` are the measurements whose runs they may name, with
 * `predictions` in the same order, NULL where there is none). */
enum pl_err pl_validate(const struct pl_measurement *measurement, const struct pl_parameters *parameters,
                        const struct pl_prediction *prediction, const struct pl_validate_options *options,
                        struct pl_arena *arena, struct pl_validation *out, struct pl_error *err);
enum pl_err pl_validate_comparisons(const struct pl_measurement *measurement, const struct pl_measurement *others,
                                    struct pl_prediction *const *predictions, size_t count, struct pl_arena *arena,
                                    struct pl_validation *out, struct pl_error *err);
void pl_validation_sum(struct pl_validation *validation);
void pl_validation_free(struct pl_validation *validation);

#endif
