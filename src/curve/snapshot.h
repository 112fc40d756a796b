/* curve/snapshot.h: where a one-pass curve stands in the middle of a trace.
 *
 * The difference of two snapshots is what happened between them, in the part of the trace that lies there, with
 * memories as full as the part before left them: the curve of a window of time, of a phase. */
#ifndef PL_CURVE_SNAPSHOT_H
#define PL_CURVE_SNAPSHOT_H

#include "curve/curve.h"

struct pl_snapshot {
    uint64_t touches, write_touches, cold;
    uint64_t *reads, *writes; /* by the sizes asked for; the caller's, room for `count`; writes NULL with reads_only */
};

/* reads[i] and writes[i] are those of a memory of sizes[i] pages, as if the trace ended here: an eviction counts when
 * it happens. `sizes` ascend. The run goes on afterwards. Only for a run with one thread. Time: once over the pages. */
enum pl_err pl_curve_snapshot(struct pl_curve *curve, const uint64_t *sizes, size_t count, struct pl_snapshot *out,
                              struct pl_error *err);

#endif
