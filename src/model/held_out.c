/* model/held_out.c: leave one row out, predict it, compare.
 *
 * Assumes that rows are independent measurements of one smooth curve. Does not say how good a method is outside the
 * table, nor at the first and the last row: those are not left out. */
#include "model/held_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct pl_held_out summarise(double *errors, size_t rows)
{
    if (rows == 0)
        return (struct pl_held_out){0, NAN, NAN, NAN};
    qsort(errors, rows, sizeof(*errors), by_size);
    double sum = 0;
    for (size_t i = 0; i < rows; i++)
        sum += errors[i];
    return (struct pl_held_out){
        .rows = rows,
        .median = (errors[(rows - 1) / 2] + errors[rows / 2]) / 2,
        .mean = sum / (double)rows,
        .worst = errors[rows - 1],
    };
}

/* Predicts y[skip] from all the other points; `rest` has room for 2 (count - 1) numbers. */
static enum pl_err predict(enum pl_interpolation method, const double *x, const double *y, size_t count, size_t skip,
                           double *rest, double *out, struct pl_error *err)
{
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, count * sizeof(*rest), "leaving rows out");
    double *rest_x = rest, *rest_y = rest + (count - 1);
    memcpy(rest_x, x, skip * sizeof(*x));
    memcpy(rest_x + skip, x + skip + 1, (count - skip - 1) * sizeof(*x));
    memcpy(rest_y, y, skip * sizeof(*y));
    memcpy(rest_y + skip, y + skip + 1, (count - skip - 1) * sizeof(*y));

    struct pl_interpolant *interpolant;
    enum pl_err rc = pl_interpolant_create(method, rest_x, rest_y, count - 1, arena, &interpolant, err);
    if (rc == PL_OK)
        *out = pl_interpolant_at(interpolant, x[skip]);
    pl_arena_destroy(arena);
    return rc;
}

/* Large tables: so many rows, evenly chosen, tell as much as all of them, and leaving one out costs a whole pass. */
enum { ROWS_LEFT_OUT_MAX = 500 };

enum pl_err pl_held_out_errors(enum pl_interpolation method, const double *x, const double *y, size_t count,
                               struct pl_held_out *out, struct pl_error *err)
{
    if (count < 3 || count - 1 < pl_interpolation_min_points(method)) {
        *out = summarise(NULL, 0);
        return PL_OK;
    }
    double *memory = malloc(3 * count * sizeof(*memory));
    if (!memory)
        return pl_fail_memory(err, 3 * count * sizeof(*memory), "leaving rows out");
    double *errors = memory, *rest = memory + count;
    size_t interior = count - 2, tried = interior < ROWS_LEFT_OUT_MAX ? interior : ROWS_LEFT_OUT_MAX;
    size_t rows = 0;
    enum pl_err rc = PL_OK;
    for (size_t k = 0; k < tried && rc == PL_OK; k++) {
        size_t i = 1 + k * interior / tried;
        double predicted = 0;
        if (y[i] == 0)
            continue;
        rc = predict(method, x, y, count, i, rest, &predicted, err);
        errors[rows++] = fabs(predicted - y[i]) / y[i];
    }
    if (rc == PL_OK)
        *out = summarise(errors, rows);
    free(memory);
    return rc;
}

static enum pl_err score(const struct pl_fault_table *table, struct pl_arena *arena,
                         struct pl_interpolation_score *out, struct pl_error *err)
{
    size_t count = table->count;
    enum pl_err rc = pl_held_out_errors(out->method, table->memory_mb, table->reads, count, &out->reads, err);
    if (rc == PL_OK && table->writes)
        rc = pl_held_out_errors(out->method, table->memory_mb, table->writes, count, &out->writes, err);
    if (rc)
        return rc;
    out->mean = table->writes ? (out->reads.mean + out->writes.mean) / 2 : out->reads.mean;
    if (count < pl_interpolation_min_points(out->method))
        return PL_OK;

    struct pl_fault_curves curves;
    rc = pl_fault_curves_create(table, out->method, arena, &curves, err);
    if (rc == PL_OK)
        out->falls = pl_interpolant_falls(curves.reads) && (!curves.writes || pl_interpolant_falls(curves.writes));
    return rc;
}

enum pl_err pl_interpolation_scores(const struct pl_fault_table *table, struct pl_interpolation_score *out,
                                    struct pl_error *err)
{
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, 0, "comparing interpolations");
    struct pl_interpolation_score scores[PL_INTERPOLATION_COUNT];
    enum pl_err rc = PL_OK;
    for (int i = 0; i < PL_INTERPOLATION_COUNT && rc == PL_OK; i++) {
        scores[i] = (struct pl_interpolation_score){
            .method = (enum pl_interpolation)i, .reads = summarise(NULL, 0), .writes = summarise(NULL, 0)};
        rc = score(table, arena, &scores[i], err);
    }
    if (rc == PL_OK)
        memcpy(out, scores, sizeof(scores));
    pl_arena_destroy(arena);
    return rc;
}
