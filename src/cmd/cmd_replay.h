/* cmd/cmd_replay.h: between the halves of `pagelab replay`. */
#ifndef PL_CMD_REPLAY_H
#define PL_CMD_REPLAY_H

#include "cmd/cmd.h"
#include "sim/sim.h"

struct replay_options {
    struct pl_strings machine; /* one of them is allowed */
    struct pl_strings set;
    pl_time_ps interval, timeline_least;
    const char *timeline, *memory;
    bool check, without_store, list_parameters;
    double sample; /* share of the pages; with sample_given */
    bool sample_given;
    bool views;
    struct pl_strings views_at; /* phases; none: all */
    int csv_table;              /* index into replay_view_tables */
    struct cmd_trace_options trace;
    struct cmd_common common;
};

/* What is to be said of a run. `without` is the same trace on the same machine without its store, or NULL. */
struct replay_report {
    const struct replay_options *options;
    const struct pl_parameters *parameters;
    const struct pl_machine *machine;
    const struct pl_trace_info *trace;
    const struct pl_sim_result *result, *without;
    bool interrupted;
};
const char *replay_phase_name(const struct pl_sim_phase *phase); /* "(start)" before the first mark */
/* The tables that views make; NULL-terminated. */
extern const char *const replay_view_tables[];
void replay_put_views(struct pl_document *document, const struct replay_report *report);
/* A sample of the pages on a machine scaled down alike (cmd_replay_sample.c). */
struct replay_sample;
enum pl_err replay_sample_create(double rate, struct replay_sample **out, struct pl_error *err);
void replay_sample_free(struct replay_sample *sample); /* NULL is allowed */
/* Scales sizes; values are to be finished afterwards. */
enum pl_err replay_sample_machine(struct pl_parameters *parameters, double rate, struct pl_error *err);
/* As pl_trace_next, for a trace with ranges expanded; the batch may have no touches. */
enum pl_err replay_sample_next(struct replay_sample *sample, struct pl_trace *trace, struct pl_batch *out,
                               struct pl_error *err);
void replay_put_sample(struct pl_document *document, const struct replay_report *report);
struct pl_document *replay_document(const struct replay_report *report, struct pl_arena *arena);

#endif
