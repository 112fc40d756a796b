/* model/axis.h: values of one parameter to go through.
 *
 * Written as NAME=FROM:TO:STEP or NAME=V1,V2,..., with units: "d=0:2MB:0.05MB", "r=1.2:3:0.2", "cd=0.5ms,1ms,2ms",
 * "m=1024p:4096p:256p". TO is included when a step meets it (up to rounding). */
#ifndef PL_MODEL_AXIS_H
#define PL_MODEL_AXIS_H

#include "model/optimum.h"

struct pl_axis {
    enum pl_cost_parameter parameter;
    size_t count;
    const double *values; /* in the units of struct pl_cost_params */
};

/* At most this many values on one axis. */
enum { PL_AXIS_MAX = 1000000 };

/* Fails with PL_ERR_USAGE. The values live in `arena`. */
enum pl_err pl_axis_parse(const char *text, uint32_t page_size, struct pl_arena *arena, struct pl_axis *out,
                          struct pl_error *err);

/* From..to in steps, as the parser makes them. */
enum pl_err pl_axis_range(enum pl_cost_parameter parameter, double from, double to, double step, struct pl_arena *arena,
                          struct pl_axis *out, struct pl_error *err);

/* One value of a parameter with its unit, as --m and --cd take it. */
enum pl_err pl_cost_parameter_parse(enum pl_cost_parameter which, const char *text, uint32_t page_size, double *out,
                                    struct pl_error *err);

#endif
