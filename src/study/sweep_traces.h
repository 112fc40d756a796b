/* study/sweep_traces.h: the traces of a study, decoded once and read by many. Scenarios are no files of records: each
 * reader plays its own.
 *
 * A native file is read where it lies: it is mapped, and all readers share its pages in memory. Other traces are
 * written to a native file without a name under $TMPDIR (or /tmp), which this process's readers open again and which
 * the system takes back when the process ends, however it ends. */
#ifndef PL_STUDY_SWEEP_TRACES_H
#define PL_STUDY_SWEEP_TRACES_H

#include "study/sweep_base.h"
#include "trace/trace.h"

struct pl_sweep_trace {
    const char *name, *path; /* as the study has it; where it is */
    const char *native;      /* what is opened for each point, after decoding: `path` or `own` */
    char own[48];            /* through the process that decoded it */
    int descriptor;          /* of the nameless file, or -1 */
    uint64_t touches;        /* of the whole trace */
};

struct pl_sweep_traces {
    struct pl_sweep_trace *trace;
    size_t count;
};

/* Names them and appends to `identity` what they hold. */
enum pl_err pl_sweep_traces_list(struct pl_sweep_traces *traces, const char *const *names, size_t count,
                                 const char *folder, struct pl_arena *arena, struct pl_text *identity,
                                 struct pl_error *err);
/* Decodes what is not native: once for all processes of a machine. Fails for records that are not accesses. */
enum pl_err pl_sweep_traces_decode(struct pl_sweep_traces *traces, const struct pl_sweep_setup *setup,
                                   struct pl_error *err);
/* A reader of its own for one thread; only after decoding. `assignments` ("NAME=VALUE") are parameters of a scenario.
 */
enum pl_err pl_sweep_traces_open(const struct pl_sweep_traces *traces, size_t which, bool need_dictionary,
                                 const char *const *assignments, size_t count, struct pl_trace **out,
                                 struct pl_error *err);
void pl_sweep_traces_free(struct pl_sweep_traces *traces); /* a zeroed one is allowed */

#endif
