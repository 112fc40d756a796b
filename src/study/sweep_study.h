/* study/sweep_study.h: a study as it is written, and its points.
 *
 * The file (JSON; models/studies/README.md explains it) names a base, the values of its parameters, a design,
 * conditions, outputs and an objective. What is wrong fails with file, line and the nearest key. */
#ifndef PL_STUDY_SWEEP_STUDY_H
#define PL_STUDY_SWEEP_STUDY_H

#include "study/expression.h"
#include "study/sweep_base.h"

enum { PL_STUDY_POINTS_MAX = 10000000, PL_STUDY_PARAMETERS_MAX = 40 /* dimensions of GSL's Sobol sequence */ };

enum pl_design { PL_DESIGN_GRID, PL_DESIGN_SOBOL, PL_DESIGN_RANDOM };
extern const char *const pl_design_names[];

struct pl_study_parameter {
    struct pl_quantity quantity;
    size_t count;        /* of values; 1: fixed; 0: anything from low to high */
    const double *value; /* in base units */
    bool logarithmic;    /* a range that is even in the logarithm */
    double low, high;    /* least and greatest value; for words 0 and the last index */
};

struct pl_objective {
    const struct pl_expression *goal; /* NULL: none */
    bool maximise;
    const struct pl_expression *const *constraint; /* all must hold */
    size_t constraint_count;
};

struct pl_study {
    const char *path, *title, *about; /* title, about: "" when the study has none */
    struct pl_json *json;
    const char *text; /* the file as it was read */
    const struct pl_sweep_base_ops *ops;
    struct pl_sweep_base *base;
    struct pl_study_parameter parameter[PL_STUDY_PARAMETERS_MAX];
    size_t parameter_count;
    enum pl_design design;
    uint64_t seed;
    size_t drawn; /* points of the design before conditions */
    const struct pl_expression *const *when;
    size_t when_count;
    const size_t *output; /* indices among ops->outputs */
    size_t output_count;
    struct pl_objective objective; /* slots: parameters, then the study's outputs */
    const struct pl_symbol *symbols; /* what formulas over points may name */
    size_t symbol_count;
    const char *search;   /* how points are chosen by those before them; "": they are not */
    const char *identity; /* lines of everything that results depend on */
    char hash[17];        /* of it, in hexadecimal digits */
    size_t point_count;
    const double *points; /* point_count * parameter_count, in base units */
};

/* Everything lives in `arena` but for what pl_study_close frees. No point is run, no trace is read. */
enum pl_err pl_study_read(const char *path, struct pl_arena *arena, struct pl_study **out, struct pl_error *err);
/* Another way to choose points makes another study. */
enum pl_err pl_study_set_search(struct pl_study *study, const char *search, struct pl_arena *arena,
                                struct pl_error *err);
void pl_study_close(struct pl_study *study); /* NULL is allowed */

static inline const double *pl_study_point(const struct pl_study *study, size_t number)
{
    return study->points + number * study->parameter_count;
}

/* --- sweep_values.c: the values of one parameter ------------------------------------------ */
enum pl_err pl_study_read_parameter(const struct pl_json_node *node, uint32_t page_size, struct pl_arena *arena,
                                    struct pl_study_parameter *parameter, struct pl_error *err);
/* The value at `unit` in [0, 1) of the way through a parameter's values, or through its range; rounded to what the
 * machine can have: whole pages, picoseconds, counts. */
double pl_study_value_at(const struct pl_study_parameter *parameter, double unit, uint32_t page_size);

/* --- sweep_design.c: the points -------------------------------------------------------------- */
/* Fails with PL_ERR_INPUT when a range of a grid has no steps: such a study can be searched, and not be run. */
enum pl_err pl_study_check_grid(const struct pl_study *study, struct pl_error *err);
/* Fills study->points, in the order of the design, without those that a condition leaves out. */
enum pl_err pl_study_make_points(struct pl_study *study, struct pl_arena *arena, struct pl_error *err);

#endif
