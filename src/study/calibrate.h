/* study/calibrate.h: costs of a machine from measurements of it.
 *
 * Weighted least squares on the logarithms of times, simulated against measured: a cost is positive, and errors are
 * relative. Each observation weighs by the spread of its samples (at least one per cent). The solver is GSL's
 * Levenberg-Marquardt over log costs, with derivatives by differences, which a deterministic simulation allows.
 *
 * Before the fit the derivatives say what can be told: a parameter that moves no observation is `unseen`; one whose
 * effect is a mixture of the others' (a small pivot of the decomposition) is `entangled`. Both keep their values and are
 * named. A parameter that the fit drives to the end of its range (a cost to nothing, a share to its limit) stays there, is called
 * `at its bound` and has no interval: the measurements want what it cannot be. A whole-number parameter (threads) is searched: each value is fitted, the best one is kept.
 *
 * Does not model: errors that observations share; parameters that are not costs, times or counts. */
#ifndef PL_STUDY_CALIBRATE_H
#define PL_STUDY_CALIBRATE_H

#include "base/parameter.h"
#include "study/predict.h"

enum pl_calibrated_state { PL_CALIBRATED_FITTED, PL_CALIBRATED_UNSEEN, PL_CALIBRATED_ENTANGLED, PL_CALIBRATED_MEASURED,
                          PL_CALIBRATED_AT_BOUND };
extern const char *const pl_calibrated_state_names[]; /* "fitted", "unseen", "entangled", "measured", "at its bound" */

struct pl_calibrated {
    const char *path;
    enum pl_calibrated_state state;
    const char *with;          /* entangled: with which one most of all; else NULL */
    double before, value;      /* in the row's own number (picoseconds, counts) */
    double low, high;          /* of the confidence interval; NaN when not fitted */
};

struct pl_calibration_point {
    const struct pl_measurement *measurement;
    const char *phase, *quantity;
    double measured, before, after; /* seconds */
};

struct pl_calibration {
    struct pl_calibrated *parameter;
    size_t parameters;
    struct pl_calibration_point *point;
    size_t points;
    double rms_before, rms_after; /* of the relative errors */
    size_t runs;                  /* simulations */
};

struct pl_calibrate_options {
    const char *const *paths; /* parameters to be fitted; NULL: every cost */
    size_t path_count;
    pl_time_ps least_time;    /* shorter observations are left out */
    double confidence;        /* 0.95 */
    const char *date;         /* is kept in the machine's file */
    const struct pl_progress *progress;
};

/* Changes `parameters` to the fitted values, each with source fitted and a note that names the measurements. Results live
 * in `arena`. Fails with PL_ERR_INPUT when there is nothing to fit. */
enum pl_err pl_calibrate(struct pl_parameters *parameters, const struct pl_measurement *measurements, size_t count,
                         const struct pl_calibrate_options *options, struct pl_arena *arena, struct pl_calibration *out,
                         struct pl_error *err);

/* Costs that a fit could not see, from what the machine's codec takes on the processor at hand (codec_speed.h): the plain
 * cost is that of a raw page, with all that the system does besides, and the difference that the codec shows; the cost of
 * a sequence is the codec's own. Fitted values stay. Each gets the source `measured` and a note. */
struct pl_codec_speed;
enum pl_err pl_calibrate_codec(struct pl_parameters *parameters, const struct pl_codec_speed *speed,
                               struct pl_calibration *calibration, const char *date, struct pl_arena *arena,
                               struct pl_error *err);

#endif
