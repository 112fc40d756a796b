/* model/fault_curves.h: Read(x) and Write(x) of the 1996 model: page-file accesses at a memory of x MB.
 *
 * Inside the table: interpolated, or read exactly. The exact way takes a table with a row for every page and rounds
 * sizes down to whole pages, as a machine must: it is what a simulation of the same machine gives, to the fault.
 *
 * Outside the table: the straight line in log count through the last two rows of that side, and the value is marked as
 * extrapolated. Cubic pieces would go on to negative counts there and invent gains. Beyond a last row at which
 * everything fits, the last row is the truth and not marked. */
#ifndef PL_MODEL_FAULT_CURVES_H
#define PL_MODEL_FAULT_CURVES_H

#include "model/fault_table.h"
#include "model/interpolate.h"

struct pl_fault_curves {
    const struct pl_fault_table *table;
    const struct pl_interpolant *reads;
    const struct pl_interpolant *writes; /* NULL: the table has none */
    bool exact;
    double page_mb;
    double low_mb, high_mb; /* the range in which nothing is extrapolated; high may be infinite */
};

struct pl_faults {
    double reads, writes; /* writes: 0 when the table has none */
    bool extrapolated;
};

/* Fails with PL_ERR_INPUT for tables with one row or too few for the method; for PL_INTERPOLATE_EXACT also when a size
 * in pages between the first row and the last is not there. The table must outlive the curves. */
enum pl_err pl_fault_curves_create(const struct pl_fault_table *table, enum pl_interpolation method,
                                   struct pl_arena *arena, struct pl_fault_curves *out, struct pl_error *err);

/* `memory_mb` >= 0. In exact curves it is rounded down to pages. */
struct pl_faults pl_fault_curves_at(const struct pl_fault_curves *curves, double memory_mb);

/* The size as these curves see it: whole pages if they are exact. */
double pl_fault_curves_floor(const struct pl_fault_curves *curves, double memory_mb);

#endif
