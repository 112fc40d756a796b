/* cmd/cmd_model.h: what the two halves of the model command share (private to cmd_model*.c). */
#ifndef PL_CMD_CMD_MODEL_H
#define PL_CMD_CMD_MODEL_H

#include "cmd/cmd.h"
#include "model/model.h"

/* Of --fit. */
struct model_fit_options {
    const char *form; /* NULL: no fit */
    uint64_t replicas, seed;
    double confidence;
};
extern const struct pl_option model_fit_option_table[];

/* The options, as parsed. */
struct model_options {
    struct cmd_common common;
    struct model_fit_options fit;
    const char *parameter[PL_PARAMETER_COUNT]; /* as typed, NULL when not given */
    int accounting, frac_reading, interpolation;
    struct pl_strings sweep;
    const char *step;
    pl_time_ps flat;
    bool flat_given, sensitivity, compare_interpolations;
    int compare;
    uint64_t page_size;
};

/* Where a parameter's value comes from. */
enum model_origin { MODEL_GIVEN, MODEL_TABLE, MODEL_DOCUMENT_1996, MODEL_NOTHING };

/* Everything that was asked and found out, for the document. */
struct model_run {
    const struct model_options *options;
    struct pl_arena *arena;
    const struct pl_fault_table *table;
    struct pl_fault_curves curves;
    struct pl_cost_params params;
    enum model_origin origin[PL_PARAMETER_COUNT];
    bool d_given;
    double flat_s;
    size_t axis_count;      /* 0: one point at d */
    struct pl_axis axis[3]; /* the last runs fastest */
    bool whole_curve;       /* nothing but d varies: the questions below have one answer */
    struct pl_cost at_d;    /* when d is given */
    struct pl_optimum optimum;
    struct pl_break_evens even; /* at d when it is given, else at the best d */
    const struct pl_fit_choice *fit_reads, *fit_writes; /* with --fit */
    struct pl_fit_band band;
};

/* The result. Fails with PL_ERR_USAGE when no combination of a sweep makes sense. */
enum pl_err model_document(const struct model_run *run, struct pl_document **out, struct pl_error *err);

/* --- cmd_model_fit.c; without --fit they do nothing ----------------------------------- */
/* Fits, and puts the fitted curves in place of the interpolated ones. */
enum pl_err model_fit_prepare(struct model_run *run, struct pl_error *err);
/* The band, when everything else is settled. */
enum pl_err model_fit_ask(struct model_run *run, struct pl_error *err);
enum pl_err model_fit_add(struct pl_document *document, const struct model_run *run, struct pl_error *err);

#endif
