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
struct pl_document *replay_document(const struct replay_report *report, struct pl_arena *arena);

#endif
