/* sim/stream.h: what one actor of a trace has still to do.
 *
 * A trace is one stream of all its actors. The simulation runs each actor by its own clock, so that touches and control
 * records wait here, actor by actor, until their actor comes to them. While a trace has a single actor nothing is
 * copied: its stream borrows the columns of the batch at hand. */
#ifndef PL_SIM_STREAM_H
#define PL_SIM_STREAM_H

#include "base/error.h"
#include "trace/batch.h"

/* Touches at .. count - 1 are still to be made, controls control_at .. control_count - 1 still to be done. A control's
 * `at` counts touches as the columns here do. */
struct pl_stream {
    const pl_page *page;
    const uint8_t *kind;  /* NULL: all reads */
    const int64_t *time;  /* NULL: none */
    const pl_page *next;  /* index of the page's next touch, for the policy that knows the future; NULL: none */
    size_t at, count;
    const struct pl_control *control;
    size_t control_at, control_count;
    /* The copies, when they are not borrowed. */
    pl_page *own_page;
    uint8_t *own_kind;
    int64_t *own_time;
    struct pl_control *own_control;
    size_t capacity, control_capacity;
};

static inline bool pl_stream_is_empty(const struct pl_stream *stream)
{
    return stream->at == stream->count && stream->control_at == stream->control_count;
}
static inline size_t pl_stream_left(const struct pl_stream *stream)
{
    return stream->count - stream->at;
}
/* How many touches come before the next control record. */
static inline size_t pl_stream_run(const struct pl_stream *stream)
{
    size_t end = stream->control_at < stream->control_count ? stream->control[stream->control_at].at : stream->count;
    return end - stream->at;
}

/* Touches from .. to - 1 and controls control_from .. control_to - 1 of a batch, without a copy. The stream must be
 * empty, and is to be empty again before the batch goes. */
void pl_stream_borrow(struct pl_stream *stream, const struct pl_batch *batch, size_t from, size_t to,
                      size_t control_from, size_t control_to);
/* Appends copies of them. Texts are not copied: they must outlive the stream. */
enum pl_err pl_stream_append(struct pl_stream *stream, const struct pl_batch *batch, size_t from, size_t to,
                             struct pl_error *err);
enum pl_err pl_stream_append_control(struct pl_stream *stream, const struct pl_control *control, struct pl_error *err);
void pl_stream_free(struct pl_stream *stream);

#endif
