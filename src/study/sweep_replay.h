/* study/sweep_replay.h: what replays as points of a study offer to others: one replay, its outputs by name. */
#ifndef PL_STUDY_SWEEP_REPLAY_H
#define PL_STUDY_SWEEP_REPLAY_H

#include "sim/machine.h"
#include "study/sweep_base.h"
#include "trace/trace.h"

/* The file of a machine: in `folder` (with a slash or ""), in $PAGELAB_MODELS, or among those that come with the
 * program;
 * ".json" may be left out. `name` itself when there is none. */
const char *pl_sweep_machine_path(const char *folder, const char *name, struct pl_arena *arena);

/* Replays the whole trace. `output` has room for pl_sweep_replay.output_count numbers. A run that ends early fails. */
enum pl_err pl_sweep_replay_once(const struct pl_machine *machine, struct pl_trace *trace, double *output,
                                 struct pl_error *err);
/* One of them by its name ("elapsed_s"); NaN when there is no such output. */
double pl_sweep_replay_value(const double *output, const char *name);

#endif
