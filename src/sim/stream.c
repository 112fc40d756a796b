/* sim/stream.c: the queue of an actor: arrays that are moved to the front when more than half of them is done. */
#include "sim/stream.h"

#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void pl_stream_borrow(struct pl_stream *stream, const struct pl_batch *batch, size_t from, size_t to,
                      size_t control_from, size_t control_to)
{
    assert(pl_stream_is_empty(stream));
    stream->page = batch->page;
    stream->kind = batch->kind;
    stream->time = batch->time;
    stream->at = from;
    stream->count = to;
    stream->control = batch->control;
    stream->control_at = control_from;
    stream->control_count = control_to;
}

static void drop_done(struct pl_stream *stream)
{
    size_t left = pl_stream_left(stream), controls_left = stream->control_count - stream->control_at;
    memmove(stream->own_page, stream->own_page + stream->at, left * sizeof *stream->own_page);
    memmove(stream->own_kind, stream->own_kind + stream->at, left * sizeof *stream->own_kind);
    memmove(stream->own_time, stream->own_time + stream->at, left * sizeof *stream->own_time);
    memmove(stream->own_control, stream->own_control + stream->control_at,
            controls_left * sizeof *stream->own_control);
    for (size_t i = 0; i < controls_left; i++)
        stream->own_control[i].at -= (uint32_t)stream->at;
    stream->at = stream->control_at = 0;
    stream->count = left;
    stream->control_count = controls_left;
}

static enum pl_err grow_columns(struct pl_stream *stream, size_t need, struct pl_error *err)
{
    size_t pages = stream->capacity, kinds = stream->capacity, times = stream->capacity;
    enum pl_err rc = pl_grow((void **)&stream->own_page, &pages, need, sizeof *stream->own_page, "an actor's queue", err);
    if (rc == PL_OK)
        rc = pl_grow((void **)&stream->own_kind, &kinds, need, sizeof *stream->own_kind, "an actor's queue", err);
    if (rc == PL_OK)
        rc = pl_grow((void **)&stream->own_time, &times, need, sizeof *stream->own_time, "an actor's queue", err);
    if (rc == PL_OK)
        stream->capacity = pages < kinds ? (pages < times ? pages : times) : (kinds < times ? kinds : times);
    return rc;
}

/* Room for so many more touches and controls, in arrays of its own. */
static enum pl_err make_room(struct pl_stream *stream, size_t touches, size_t controls, struct pl_error *err)
{
    if (stream->page != stream->own_page || stream->control != stream->own_control) {
        assert(pl_stream_is_empty(stream)); /* what was borrowed is done */
        stream->at = stream->count = stream->control_at = stream->control_count = 0;
    }
    enum pl_err rc = PL_OK;
    if (stream->capacity < stream->count + touches)
        rc = grow_columns(stream, stream->count + touches + 64, err);
    if (rc == PL_OK && stream->control_capacity < stream->control_count + controls + 1)
        rc = pl_grow((void **)&stream->own_control, &stream->control_capacity, stream->control_count + controls + 16,
                     sizeof *stream->own_control, "an actor's queue", err);
    if (rc)
        return rc;
    if (!stream->own_page && (rc = grow_columns(stream, 64, err)))
        return rc;
    if (stream->at + stream->control_at > (stream->count + stream->control_count) / 2)
        drop_done(stream);
    stream->page = stream->own_page;
    stream->kind = stream->own_kind;
    stream->time = stream->own_time;
    stream->control = stream->own_control;
    return PL_OK;
}

enum pl_err pl_stream_append(struct pl_stream *stream, const struct pl_batch *batch, size_t from, size_t to,
                             struct pl_error *err)
{
    size_t count = to - from;
    if (!count)
        return PL_OK;
    enum pl_err rc = make_room(stream, count, 0, err);
    if (rc)
        return rc;
    memcpy(stream->own_page + stream->count, batch->page + from, count * sizeof *stream->own_page);
    if (batch->kind)
        memcpy(stream->own_kind + stream->count, batch->kind + from, count);
    else
        memset(stream->own_kind + stream->count, PL_READ, count);
    if (batch->time)
        memcpy(stream->own_time + stream->count, batch->time + from, count * sizeof *stream->own_time);
    else
        memset(stream->own_time + stream->count, 0, count * sizeof *stream->own_time);
    stream->count += count;
    return PL_OK;
}

enum pl_err pl_stream_append_control(struct pl_stream *stream, const struct pl_control *control, struct pl_error *err)
{
    enum pl_err rc = make_room(stream, 0, 1, err);
    if (rc)
        return rc;
    struct pl_control *mine = &stream->own_control[stream->control_count++];
    *mine = *control;
    mine->at = (uint32_t)stream->count;
    return PL_OK;
}

void pl_stream_free(struct pl_stream *stream)
{
    free(stream->own_page);
    free(stream->own_kind);
    free(stream->own_time);
    free(stream->own_control);
    *stream = (struct pl_stream){0};
}
