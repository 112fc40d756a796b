/* capture/measurement.h: what was measured, as one JSON file that `pagelab calibrate` and `validate` read.
 *
 * { "format": "pagelab-measurement", "version": 1, "name", "about", "source": "measured", "reference", "page_bytes",
 *   "machine": {"facts": {...}}, "scenario": {"name", "parameters": {...}},
 *   "phases": [{"name", "values": {"time": {"unit": "ms", "samples": [...]}, ...}}] }
 *
 * Samples are raw, one for each repetition, in order. Values are counted within the phase; store_* stand at its end. */
#ifndef PL_CAPTURE_MEASUREMENT_H
#define PL_CAPTURE_MEASUREMENT_H

#include "base/base.h"

struct pl_measurement;

/* Lives in the arena; texts are copied. */
struct pl_measurement *pl_measurement_create(struct pl_arena *arena, const char *name, const char *scenario,
                                             const char *about);
void pl_measurement_reference(struct pl_measurement *measurement, const char *words);
/* It ran a trace and no scenario. */
void pl_measurement_trace(struct pl_measurement *measurement, const char *path);
/* A fact of the machine, and a parameter of the scenario. */
void pl_measurement_fact(struct pl_measurement *measurement, const char *key, struct pl_value value);
void pl_measurement_parameter(struct pl_measurement *measurement, const char *key, struct pl_value value);
/* One more sample of a value of a phase; phases and values stand in the order of first use. */
void pl_measurement_sample(struct pl_measurement *measurement, const char *phase, const char *value, const char *unit,
                           double sample);
/* Samples so far, for a table; NULL when there are none. */
const double *pl_measurement_samples(const struct pl_measurement *measurement, const char *phase, const char *value,
                                     size_t *count);
/* The middle one; NaN when there are none. */
double pl_measurement_median(const struct pl_measurement *measurement, const char *phase, const char *value);
/* True when memory ran out on the way: nothing is written then. */
bool pl_measurement_failed(const struct pl_measurement *measurement);
enum pl_err pl_measurement_write(const struct pl_measurement *measurement, struct pl_sink *sink, struct pl_error *err);

#endif
