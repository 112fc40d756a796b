/* model/held_out.h: how well an interpolation predicts rows that it was not shown.
 *
 * Each interior row is left out in turn and predicted from all the others; the error is |predicted - given| / given
 * (rows of zero faults, which have no relative error, are passed over). Leaving a row out doubles the gap to be
 * bridged, so that the figures are pessimistic; they rank the methods all the same. */
#ifndef PL_MODEL_HELD_OUT_H
#define PL_MODEL_HELD_OUT_H

#include "model/fault_curves.h"

struct pl_held_out {
    size_t rows; /* predicted; 0 when the method takes more rows than there are */
    double median, mean, worst; /* relative errors; NaN without rows */
};

enum pl_err pl_held_out_errors(enum pl_interpolation method, const double *x, const double *y, size_t count,
                               struct pl_held_out *out, struct pl_error *err);

/* What the default rests on: the mean error of reads and of writes. */
struct pl_interpolation_score {
    enum pl_interpolation method;
    struct pl_held_out reads, writes;
    double mean;  /* of both; NaN when the table has too few rows */
    bool falls;   /* neither function rises or is negative anywhere */
};
/* `out` has PL_INTERPOLATION_COUNT entries, in the order of the enum. */
enum pl_err pl_interpolation_scores(const struct pl_fault_table *table, struct pl_interpolation_score *out,
                                    struct pl_error *err);

#endif
