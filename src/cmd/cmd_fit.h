/* cmd/cmd_fit.h: what the parts of `pagelab fit` share (private to cmd_fit*.c). */
#ifndef PL_CMD_CMD_FIT_H
#define PL_CMD_CMD_FIT_H

#include "cmd/cmd.h"
#include "curve/sizes.h"
#include "model/model.h"

struct fit_options {
    struct cmd_common common;
    const char *form, *sizes;
    int space, loss, weights;
    bool joint;
    double confidence;
    uint64_t page_size;
    /* The inverse problem. */
    const char *runs;
    const char *known[PL_PARAMETER_COUNT]; /* as typed, NULL: to be estimated */
    pl_time_ps base;
    bool base_given;
    int frac_reading, accounting;
};

/* What was found: one choice for reads and one for writes, or one for both. */
struct fit_run {
    const struct fit_options *options;
    struct pl_arena *arena;
    const struct pl_fault_table *table;
    const struct pl_fit_form *only; /* NULL: auto */
    size_t choices;
    const struct pl_fit_choice *choice[2];
    bool no_writes;        /* the table has none, or they cannot be fitted */
    char no_writes_why[300];
    struct pl_fit_series reads, writes;
    struct pl_sizes sizes; /* of the fitted table; in pages */
};

enum pl_err fit_document(const struct fit_run *run, struct pl_document **out, struct pl_error *err);

/* cmd_fit_runs.c: the inverse problem. */
extern const struct pl_option fit_runs_options[];
enum pl_err fit_from_runs(struct fit_run *run, struct pl_document **out, struct pl_error *err);

#endif
