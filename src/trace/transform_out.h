/* trace/transform_out.h: what cut and merge share: a rebatch in front of a writer. */
#ifndef PL_TRACE_TRANSFORM_OUT_H
#define PL_TRACE_TRANSFORM_OUT_H

#include "trace/rebatch.h"
#include "trace/transform.h"

struct pl_transform_out {
    struct pl_rebatch *rebatch;
    struct pl_trace *const *traces; /* by input */
    size_t input_count;
    bool drop_times;
    struct pl_trace_writer *writer;
    struct pl_transform_counts counts;
};

/* An input's process among those of all inputs. */
uint64_t pl_transform_process(size_t input, uint64_t process);
/* Adds touches, writing what is complete. */
enum pl_err pl_transform_touches(struct pl_transform_out *out, size_t input, const struct pl_batch *batch, size_t from,
                                 size_t to, int64_t shift, struct pl_error *err);
/* Adds a control record; process ids in it become those among all inputs. */
enum pl_err pl_transform_control(struct pl_transform_out *out, size_t input, const struct pl_control *control,
                                 int64_t shift, struct pl_error *err);
/* Writes what is held. Needed before a reader goes on whose control records may be held. */
enum pl_err pl_transform_flush(struct pl_transform_out *out, struct pl_error *err);

#endif
