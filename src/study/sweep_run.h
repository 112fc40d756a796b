/* study/sweep_run.h: the points of a study, on threads, into the database.
 *
 * Workers take points from a common list and hand outcomes to the thread that called, which alone writes. Which worker
 * computes a point, and when, changes nothing but its timing. */
#ifndef PL_STUDY_SWEEP_RUN_H
#define PL_STUDY_SWEEP_RUN_H

#include "study/sweep_results.h"

/* How far a sweep is, for someone who watches. */
struct pl_sweep_state {
    uint64_t done, total, failed; /* points; `done` counts those that stood in the database before */
    uint64_t earlier;             /* of `done`: from earlier runs */
    bool has_best;                /* some point of this run meets the constraints */
    double best;                  /* the goal there */
};

struct pl_sweep_watch {
    /* False asks for a clean stop. */
    bool (*report)(void *user, const struct pl_sweep_state *state);
    void *user;
    const struct pl_progress *preparing; /* of what points share; may be NULL */
};

struct pl_sweep_run_options {
    int threads;            /* 0 or 1: one */
    uint64_t shard, shards; /* this part of the points, from 1; shards 0: all */
    const struct pl_sweep_watch *watch; /* may be NULL */
};

/* Runs what the database does not have yet. PL_END: stopped; all outcomes so far are in the database. */
enum pl_err pl_sweep_run(struct pl_study *study, struct pl_results *results, const struct pl_sweep_run_options *options,
                         struct pl_sweep_state *state, struct pl_error *err);

/* Points of a list, on a part of the trace, into rows of their own: point p becomes row first_row + p. */
struct pl_sweep_part {
    const uint64_t *list;
    size_t count;
    uint64_t first_row;
    double share; /* of the trace */
};
enum pl_err pl_sweep_run_part(struct pl_study *study, struct pl_results *results, const struct pl_sweep_part *part,
                              int threads, const struct pl_sweep_watch *watch, struct pl_sweep_state *state,
                              struct pl_error *err);

/* --- for those that run points in other ways --------------------------------------------------- */
/* The goal of a point, turned so that less is better; NaN where it has none or a constraint does not hold. `value`:
 * parameters, then all outputs of the base. */
double pl_sweep_goal(const struct pl_study *study, const double *value);

/* One computed point. */
struct pl_outcome {
    uint64_t point;
    double seconds, share;
    int worker;
    enum pl_err code;                 /* PL_END: stopped, no outcome */
    char error[PL_ERROR_MESSAGE_MAX]; /* when code is an error */
    double *output;                   /* all outputs of the base */
};
/* Computes it; the outcome says whether it failed. */
void pl_sweep_compute(const struct pl_study *study, struct pl_sweep_worker *worker, const double *point, double share,
                      struct pl_outcome *outcome);

/* Takes outcomes into the database, and counts. */
struct pl_sweep_keeper {
    const struct pl_study *study;
    struct pl_results *results;
    struct pl_sweep_state *state;
    double committed_s; /* when the last batch was finished */
    double *row;        /* parameters, all outputs; and parameters, chosen outputs behind them */
};
enum pl_err pl_sweep_keeper_start(struct pl_sweep_keeper *keeper, const struct pl_study *study,
                                  struct pl_results *results, struct pl_sweep_state *state, struct pl_error *err);
/* Failures that say nothing of the point (memory, disk) end the sweep. */
enum pl_err pl_sweep_keep(struct pl_sweep_keeper *keeper, const double *point, const struct pl_outcome *outcome,
                          struct pl_error *err);
/* Finishes the batch when it is old enough, or `now`. */
enum pl_err pl_sweep_keeper_commit(struct pl_sweep_keeper *keeper, bool now, struct pl_error *err);
void pl_sweep_keeper_end(struct pl_sweep_keeper *keeper);

/* The points that are to be run: of this shard, and not in the database. malloc'd. */
enum pl_err pl_sweep_list(const struct pl_study *study, const struct pl_results *results, uint64_t shard,
                          uint64_t shards, uint64_t **out, size_t *count, struct pl_sweep_state *state,
                          struct pl_error *err);
double pl_sweep_now_s(void);

#endif
