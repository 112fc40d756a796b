/* model/interpolate.c: piecewise cubics through the points of a table, in counts or in log counts.
 *
 * On interval i, with t = x - x[i] and g the ordinate (a count or its logarithm):
 *
 *   g(t) = g[i] + t (b + t (c + t d))
 *
 * Assumes finite, rising x and y >= 0. Does not model what lies outside the points beyond a straight line in log count,
 * nor any error of the counts: it goes through every point. */
#include "model/interpolate.h"

#include "model/slopes.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct cubic {
    double b, c, d;
};

struct pl_interpolant {
    const double *x, *y;
    const double *ordinate; /* y, or log(y + offset) */
    struct cubic *pieces;   /* count - 1 */
    size_t count;
    bool log;
    double offset;          /* 1 when there are zeros, which have no logarithm */
    double below, above;    /* slopes of the log count outside, at most 0 */
};

/* Counts that a straight line in log count gives far outside are cut here (2^63 or so: nothing counts further). */
static const double LOG_COUNT_MAX = 43.67;

const char *const pl_interpolation_names[] = {
    "linear",     "pchip",     "steffen",     "akima",     "cspline",
    "log-linear", "log-pchip", "log-steffen", "log-akima", "log-cspline",
    "exact",      NULL,
};

static bool is_log(enum pl_interpolation method)
{
    return method >= PL_INTERPOLATE_LOG_LINEAR;
}

/* "pchip" for both pchip and log-pchip. */
static const char *shape_name(enum pl_interpolation method)
{
    return pl_interpolation_names[is_log(method) ? method - PL_INTERPOLATE_LOG_LINEAR : method];
}

size_t pl_interpolation_min_points(enum pl_interpolation method)
{
    static const size_t least[] = {2, 2, 3, 5, 3}; /* the last three: GSL's */
    return least[is_log(method) ? method - PL_INTERPOLATE_LOG_LINEAR : method];
}

static bool has_zero(const double *y, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (y[i] == 0)
            return true;
    }
    return false;
}

static void fill_linear(struct pl_interpolant *in)
{
    for (size_t i = 0; i + 1 < in->count; i++) {
        double secant = (in->ordinate[i + 1] - in->ordinate[i]) / (in->x[i + 1] - in->x[i]);
        in->pieces[i] = (struct cubic){secant, 0, 0};
    }
}

/* Hermite's form turned into powers of t. */
static void fill_cubics(struct pl_interpolant *in, const double *slope)
{
    for (size_t i = 0; i + 1 < in->count; i++) {
        double h = in->x[i + 1] - in->x[i];
        double secant = (in->ordinate[i + 1] - in->ordinate[i]) / h;
        in->pieces[i] = (struct cubic){
            .b = slope[i],
            .c = (3 * secant - 2 * slope[i] - slope[i + 1]) / h,
            .d = (slope[i] + slope[i + 1] - 2 * secant) / (h * h),
        };
    }
}

static enum pl_err fill_pieces(struct pl_interpolant *in, enum pl_interpolation method, struct pl_arena *arena,
                               struct pl_error *err)
{
    const char *shape = shape_name(method);
    if (!strcmp(shape, "linear")) {
        fill_linear(in);
        return PL_OK;
    }
    double *slope = pl_arena_alloc(arena, in->count, sizeof(*slope));
    if (!slope)
        return pl_fail_memory(err, in->count * sizeof(*slope), "an interpolation");
    if (!strcmp(shape, "pchip")) {
        pl_slopes_pchip(in->x, in->ordinate, in->count, slope);
    } else {
        enum pl_err rc = pl_slopes_gsl(shape, in->x, in->ordinate, in->count, slope, err);
        if (rc)
            return rc;
    }
    fill_cubics(in, slope);
    return PL_OK;
}

/* Slope of the log count on the interval that ends at point i + 1, never rising. */
static double outer_slope(const struct pl_interpolant *in, size_t i)
{
    double rise = log(in->y[i + 1] + in->offset) - log(in->y[i] + in->offset);
    return fmin(rise / (in->x[i + 1] - in->x[i]), 0);
}

/* The ordinates of a logarithmic method. */
static const double *log_counts(const struct pl_interpolant *in, struct pl_arena *arena)
{
    double *out = pl_arena_alloc(arena, in->count, sizeof(*out));
    for (size_t i = 0; out && i < in->count; i++)
        out[i] = log(in->y[i] + in->offset);
    return out;
}

enum pl_err pl_interpolant_create(enum pl_interpolation method, const double *x, const double *y, size_t count,
                                  struct pl_arena *arena, struct pl_interpolant **out, struct pl_error *err)
{
    assert(method < PL_INTERPOLATION_COUNT);
    if (count < pl_interpolation_min_points(method))
        return pl_fail(err, PL_ERR_INPUT, "the interpolation %s takes at least %zu rows; there %s %zu",
                       pl_interpolation_names[method], pl_interpolation_min_points(method),
                       count == 1 ? "is" : "are", count);

    struct pl_interpolant *in = pl_arena_alloc(arena, 1, sizeof(*in));
    struct cubic *pieces = pl_arena_alloc(arena, count - 1, sizeof(*pieces));
    if (!in || !pieces)
        return pl_fail_memory(err, count * sizeof(*pieces), "an interpolation");
    *in = (struct pl_interpolant){.x = x, .y = y, .ordinate = y, .pieces = pieces, .count = count};
    in->log = is_log(method);
    in->offset = has_zero(y, count) ? 1 : 0;
    if (in->log && !(in->ordinate = log_counts(in, arena)))
        return pl_fail_memory(err, count * sizeof(*y), "an interpolation");
    in->below = outer_slope(in, 0);
    in->above = outer_slope(in, count - 2);

    enum pl_err rc = fill_pieces(in, method, arena, err);
    if (rc == PL_OK)
        *out = in;
    return rc;
}

/* A straight line in log count through the point (x, y). */
static double outside(const struct pl_interpolant *in, double y, double distance, double slope)
{
    double log_count = log(y + in->offset) + slope * distance;
    return fmax(exp(fmin(log_count, LOG_COUNT_MAX)) - in->offset, 0);
}

/* The interval that holds x: x[i] <= x < x[i + 1]. */
static size_t interval(const struct pl_interpolant *in, double x)
{
    size_t low = 0, high = in->count - 1;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (in->x[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double pl_interpolant_at(const struct pl_interpolant *in, double x)
{
    size_t last = in->count - 1;
    if (x < in->x[0])
        return outside(in, in->y[0], x - in->x[0], in->below);
    if (x > in->x[last])
        return outside(in, in->y[last], x - in->x[last], in->above);

    size_t i = interval(in, x);
    if (x == in->x[i])
        return in->y[i];
    if (x == in->x[i + 1])
        return in->y[i + 1];
    double t = x - in->x[i];
    const struct cubic *piece = &in->pieces[i];
    double g = in->ordinate[i] + t * (piece->b + t * (piece->c + t * piece->d));
    return in->log ? exp(g) - in->offset : g;
}

bool pl_interpolant_falls(const struct pl_interpolant *in)
{
    enum { PLACES = 32 };
    for (size_t i = 0; i + 1 < in->count; i++) {
        double before = in->y[i], slack = 1e-9 * (before + 1);
        for (int place = 1; place <= PLACES; place++) {
            double share = (double)place / PLACES;
            double now = pl_interpolant_at(in, in->x[i] + share * (in->x[i + 1] - in->x[i]));
            if (now > before + slack || now < -slack)
                return false;
            before = now;
        }
    }
    return true;
}
