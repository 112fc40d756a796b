/* study/sweep_base.h: what a point of a study is run on.
 *
 * A base knows its parameters and outputs, and turns the values of the first into values of the second. Members:
 * sweep_model.c (the cost model on a fault table, or on the exact curve of a trace) and sweep_replay.c (a trace on a
 * simulated machine). To add one, write a file with a `const struct pl_sweep_base_ops` and its row in sweep_study.c.
 *
 * What all points share (tables, a curve pass, a decoded trace) is made once by `prepare` and then only read; a worker
 * belongs to one thread. The same values give the same outputs, whoever computes them and in whatever order. */
#ifndef PL_STUDY_SWEEP_BASE_H
#define PL_STUDY_SWEEP_BASE_H

#include "base/json.h"
#include "study/quantity.h"

struct pl_study;
struct pl_sweep_base;   /* each member has its own */
struct pl_sweep_worker; /* likewise */

struct pl_sweep_output {
    struct pl_quantity quantity;
    bool by_default; /* asked for when the study names none */
    const char *about;
};

/* Processes of one machine that run the same study together. */
struct pl_sweep_node {
    bool leads; /* does for all what needs to be done once */
    void (*broadcast)(void *user, void *bytes, size_t length); /* from the one that leads to all */
    void *user;
};

/* How points are run, for all of them alike. */
struct pl_sweep_setup {
    int threads; /* that `prepare` may use */
    const struct pl_progress *progress; /* for `prepare`; may be NULL */
    const struct pl_sweep_node *node; /* NULL: this process is alone */
    bool writes_only; /* this process computes no points */
    const bool *stop; /* set while points run: what takes long ends early; may be NULL */
};

struct pl_sweep_base_ops {
    const char *name; /* the key in the study's "base" */
    const char *how;  /* how a point is answered, for results */
    size_t chunk;     /* points that a worker takes at a time */
    const struct pl_sweep_output *outputs;
    size_t output_count;
    /* Reads the "base" object. `folder` is where the study lies, with a slash or "". */
    enum pl_err (*read)(const struct pl_json_node *base, const char *folder, struct pl_arena *arena,
                        struct pl_sweep_base **out, struct pl_error *err);
    /* What the parameter of that name is. Words that are files have none yet: the study's list has them. */
    enum pl_err (*parameter)(struct pl_sweep_base *base, const char *name, struct pl_arena *arena,
                             struct pl_quantity *out, struct pl_error *err);
    uint32_t (*page_size)(const struct pl_sweep_base *base); /* for sizes written in pages */
    /* When all parameters are known: what is missing, and a line for everything that results depend on. */
    enum pl_err (*identify)(struct pl_sweep_base *base, const struct pl_study *study, struct pl_text *out,
                            struct pl_error *err);
    /* Makes what all points share; asked again, it has nothing to do. */
    enum pl_err (*prepare)(struct pl_sweep_base *base, const struct pl_study *study,
                           const struct pl_sweep_setup *setup, struct pl_error *err);
    enum pl_err (*worker)(struct pl_sweep_base *base, const struct pl_study *study, const struct pl_sweep_setup *setup,
                          struct pl_sweep_worker **out, struct pl_error *err);
    /* One point: `value` has one number for each parameter of the study, `output` room for output_count. `share` of the
     * trace (1: all of it) is run. PL_END: stopped. */
    enum pl_err (*run)(struct pl_sweep_worker *worker, const double *value, double share, double *output,
                       struct pl_error *err);
    void (*worker_free)(struct pl_sweep_worker *worker); /* NULL is allowed */
    void (*free)(struct pl_sweep_base *base);            /* what is not in the arena; NULL is allowed */
};

extern const struct pl_sweep_base_ops pl_sweep_model, pl_sweep_curve, pl_sweep_replay;

/* --- for the members ------------------------------------------------------------------- */
/* The index of the study's parameter of that name, or -1. */
int pl_sweep_index_of(const struct pl_study *study, const char *name);
/* A path in a study: as it is when absolute, else beside the study. */
const char *pl_sweep_path(const char *folder, const char *path, struct pl_arena *arena);
/* Appends "KIND NAME: N bytes, HASH of the content". Fails when the file cannot be read. */
enum pl_err pl_sweep_identify_file(const char *kind, const char *name, const char *path, struct pl_text *out,
                                   struct pl_error *err);

#endif
