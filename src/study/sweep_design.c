/* study/sweep_design.c: the points of a study.
 *
 *   grid     every combination; the last parameter runs fastest
 *   sobol    points that fill the space evenly (Sobol 1967, GSL's sequence); a seed above 0 shifts all of them alike,
 *            modulo 1 (Cranley and Patterson 1976)
 *   random   each parameter from a stream of its own that is named after it: adding one leaves the others as they are
 *
 * A condition leaves points out; those that stay are numbered in the order of the design. */
#include "study/sweep_study.h"

#include <gsl/gsl_qrng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const pl_design_names[] = {"grid", "sobol", "random", NULL};

struct source {
    const struct pl_study *study;
    uint32_t page_size;
    gsl_qrng *sobol;
    double shift[PL_STUDY_PARAMETERS_MAX];
    struct pl_random stream[PL_STUDY_PARAMETERS_MAX];
};

/* The parameters that vary have a dimension each. */
static size_t dimensions(const struct pl_study *study)
{
    size_t count = 0;
    for (size_t i = 0; i < study->parameter_count; i++)
        count += study->parameter[i].count != 1;
    return count;
}

static enum pl_err start(struct source *source, struct pl_error *err)
{
    const struct pl_study *study = source->study;
    size_t d = 0;
    for (size_t i = 0; i < study->parameter_count; i++) {
        source->stream[i] = pl_random_named(study->seed, study->parameter[i].quantity.name);
        if (study->parameter[i].count != 1)
            source->shift[d++] = study->seed ? pl_random_unit(&source->stream[i]) : 0;
    }
    if (study->design != PL_DESIGN_SOBOL || !d)
        return PL_OK;
    source->sobol = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned)d);
    return source->sobol ? PL_OK : pl_fail_memory(err, 0, "a Sobol sequence");
}

static void next_grid(const struct pl_study *study, size_t number, double *out)
{
    for (size_t i = study->parameter_count; i-- > 0;) {
        const struct pl_study_parameter *parameter = &study->parameter[i];
        out[i] = parameter->count ? parameter->value[number % parameter->count] : parameter->low;
        number /= parameter->count ? parameter->count : 1;
    }
}

static void next_sobol(struct source *source, double *out)
{
    double unit[PL_STUDY_PARAMETERS_MAX], whole;
    size_t d = 0;
    if (source->sobol)
        gsl_qrng_get(source->sobol, unit);
    for (size_t i = 0; i < source->study->parameter_count; i++) {
        const struct pl_study_parameter *parameter = &source->study->parameter[i];
        double at = 0;
        if (parameter->count != 1) {
            at = modf(unit[d] + source->shift[d], &whole);
            d++;
        }
        out[i] = pl_study_value_at(parameter, at, source->page_size);
    }
}

static void next_random(struct source *source, double *out)
{
    for (size_t i = 0; i < source->study->parameter_count; i++)
        out[i] = pl_study_value_at(&source->study->parameter[i], pl_random_unit(&source->stream[i]), source->page_size);
}

static bool is_wanted(const struct pl_study *study, const double *point)
{
    for (size_t i = 0; i < study->when_count; i++)
        if (!pl_expression_holds(study->when[i], point))
            return false;
    return true;
}

static enum pl_err count_grid(struct pl_study *study, struct pl_error *err)
{
    size_t count = 1;
    for (size_t i = 0; i < study->parameter_count; i++) {
        const struct pl_study_parameter *parameter = &study->parameter[i];
        if (!parameter->count) /* for searches */
            continue;
        if (count > PL_STUDY_POINTS_MAX / parameter->count)
            return pl_fail(err, PL_ERR_INPUT, "%s: the grid has more than %d points", study->path, PL_STUDY_POINTS_MAX);
        count *= parameter->count;
    }
    study->drawn = count;
    return PL_OK;
}

enum pl_err pl_study_check_grid(const struct pl_study *study, struct pl_error *err)
{
    for (size_t i = 0; study->design == PL_DESIGN_GRID && i < study->parameter_count; i++)
        if (!study->parameter[i].count)
            return pl_fail(err, PL_ERR_INPUT,
                           "%s: %s: a grid needs \"step\" or \"count\" in its range (--optimize does not)", study->path,
                           study->parameter[i].quantity.name);
    return PL_OK;
}

/* Copies what was collected into the arena, which cannot grow an array. */
static enum pl_err keep(struct pl_study *study, const double *points, size_t count, struct pl_arena *arena,
                        struct pl_error *err)
{
    const size_t cells = count * study->parameter_count;
    double *kept = pl_arena_alloc(arena, cells + 1, sizeof *kept);
    if (!kept)
        return pl_fail_memory(err, cells * sizeof *kept, "the points of a study");
    if (cells)
        memcpy(kept, points, cells * sizeof *kept);
    study->points = kept;
    study->point_count = count;
    if (!count)
        return pl_fail(err, PL_ERR_INPUT, "%s: \"when\" leaves no point of %zu", study->path, study->drawn);
    return PL_OK;
}

static enum pl_err collect(struct source *source, struct pl_study *study, struct pl_arena *arena, struct pl_error *err)
{
    double *points = NULL;
    size_t count = 0, capacity = 0, width = study->parameter_count;
    enum pl_err rc = PL_OK;
    for (size_t i = 0; i < study->drawn; i++) {
        rc = pl_grow((void **)&points, &capacity, (count + 1) * width, sizeof *points, "the points of a study", err);
        if (rc)
            break;
        double *point = points + count * width;
        if (study->design == PL_DESIGN_GRID)
            next_grid(study, i, point);
        else if (study->design == PL_DESIGN_SOBOL)
            next_sobol(source, point);
        else
            next_random(source, point);
        count += is_wanted(study, point);
    }
    if (rc == PL_OK)
        rc = keep(study, points, count, arena, err);
    free(points);
    return rc;
}

enum pl_err pl_study_make_points(struct pl_study *study, struct pl_arena *arena, struct pl_error *err)
{
    struct source source = {.study = study, .page_size = study->ops->page_size(study->base)};
    if (study->design == PL_DESIGN_GRID) {
        enum pl_err rc = count_grid(study, err);
        if (rc)
            return rc;
    } else if (!dimensions(study)) {
        return pl_fail(err, PL_ERR_INPUT, "%s: no parameter has more than one value: there is nothing to draw",
                       study->path);
    }
    enum pl_err rc = start(&source, err);
    if (rc == PL_OK)
        rc = collect(&source, study, arena, err);
    if (source.sobol)
        gsl_qrng_free(source.sobol);
    return rc;
}
