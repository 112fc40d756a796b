/* study/predict.h: what the simulator says to a measurement: its workload on a machine, and any quantity of any phase.
 *
 * Quantities (models/measurements/README.md lists them): of the phase from its beginning to its end (time without sleeps,
 * faults, bytes, processor seconds), or levels at its end (sizes of the store, of the first process). */
#ifndef PL_STUDY_PREDICT_H
#define PL_STUDY_PREDICT_H

#include "sim/sim.h"
#include "study/measured.h"

struct pl_prediction; /* one run, and its machine */

/* Runs the measurement's scenario (or trace) on a machine. Scenarios are looked for beside the measurement's folder
 * (../scenarios), in $PAGELAB_MODELS, and where the program's own are. */
enum pl_err pl_predict(const struct pl_measurement *measurement, const struct pl_machine *machine,
                       const struct pl_progress *progress, struct pl_prediction **out, struct pl_error *err);
void pl_prediction_free(struct pl_prediction *prediction); /* NULL is allowed */

const struct pl_sim_result *pl_prediction_result(const struct pl_prediction *prediction);

/* In base units. Fails with PL_ERR_INPUT when there is no such phase or quantity, with the nearest one. */
enum pl_err pl_prediction_value(const struct pl_prediction *prediction, const char *phase, const char *quantity,
                                double *out, struct pl_error *err);
bool pl_quantity_is_known(const char *quantity);
/* Whether the quantity is a level, of which only the change is predicted: a process has pages of its own before the
 * workload begins, and what it had is an input. */
bool pl_quantity_is_level(const char *quantity);

/* A file of models/: "NAME.json" in `folder` ("", "scenarios/", "measurements/"). PL_ERR_INPUT when it is nowhere. */
enum pl_err pl_model_path(const char *folder, const char *name, const char *beside, char *out, size_t size,
                          struct pl_error *err);

#endif
