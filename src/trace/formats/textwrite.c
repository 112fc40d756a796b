/* trace/formats/textwrite.c: from batches back to one line a touch. */
#include "trace/formats/textwrite.h"

#include <string.h>

/* What the writer remembers from batch to batch. */
struct textwrite {
    bool one_process, have_process;
    uint64_t process, thread;
};

enum pl_err pl_textwrite_open(struct pl_trace_writer *writer, bool one_process, struct pl_error *err)
{
    struct textwrite *state = pl_arena_alloc(writer->arena, 1, sizeof *state);
    if (!state)
        return pl_fail_memory(err, sizeof *state, "a writer");
    state->one_process = one_process;
    writer->self = state;
    return PL_OK;
}

enum pl_err pl_textwrite_close(struct pl_trace_writer *writer, struct pl_error *err)
{
    (void)writer;
    (void)err;
    return PL_OK;
}

/* A batch being written, so that ranges and touches can share a function. */
struct pass {
    struct pl_trace_writer *writer;
    pl_origin_fn *origin;
    void *user;
    pl_textwrite_line *line;
};

static enum pl_err write_touch(const struct pass *pass, pl_page page, struct pl_textwrite_touch *touch,
                               struct pl_error *err)
{
    const struct textwrite *state = pass->writer->self;
    touch->page = page;
    touch->origin = pass->origin(pass->user, page);
    touch->process = state->process;
    touch->thread = state->thread;
    pass->writer->touches++;
    return pass->line(pass->writer, touch, err);
}

static enum pl_err write_range(const struct pass *pass, const struct pl_control *control, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    struct pl_textwrite_touch touch = {.kind = (enum pl_kind)control->kind, .time = control->time};
    for (uint64_t i = 0, page = control->a; i < control->b && rc == PL_OK; i++, page += control->c)
        rc = write_touch(pass, (pl_page)page, &touch, err);
    return rc;
}

static enum pl_err switch_actor(struct pl_trace_writer *writer, const struct pl_control *control, struct pl_error *err)
{
    struct textwrite *state = writer->self;
    if (state->one_process && state->have_process && control->a != state->process)
        return pl_fail(err, PL_ERR_USAGE,
                       "format %s cannot tell processes apart, and the trace has several (%llu and %llu); write csv or "
                       "native",
                       writer->format->name, (unsigned long long)state->process, (unsigned long long)control->a);
    state->have_process = true;
    state->process = control->a;
    state->thread = control->b;
    return PL_OK;
}

enum pl_err pl_textwrite_batch(struct pl_trace_writer *writer, const struct pl_batch *batch, pl_origin_fn *origin,
                               void *user, pl_textwrite_line *line, struct pl_error *err)
{
    struct pass pass = {writer, origin, user, line};
    struct pl_textwrite_touch touch = {.kind = PL_READ};
    size_t next = 0;
    enum pl_err rc = PL_OK;
    for (size_t i = 0; i <= batch->count && rc == PL_OK; i++) {
        for (; next < batch->control_count && batch->control[next].at <= i && rc == PL_OK; next++) {
            const struct pl_control *control = &batch->control[next];
            if (control->op == PL_OP_SWITCH)
                rc = switch_actor(writer, control, err);
            else if (control->op == PL_OP_RANGE)
                rc = write_range(&pass, control, err);
        }
        if (i == batch->count || rc)
            break;
        if (batch->kind)
            touch.kind = (enum pl_kind)batch->kind[i];
        if (batch->time)
            touch.time = batch->time[i];
        if (batch->size)
            touch.size = batch->size[i];
        rc = write_touch(&pass, batch->page[i], &touch, err);
    }
    writer->distinct = batch->distinct;
    return rc;
}

enum pl_err pl_textwrite_address(const struct pl_trace_writer *writer, const struct pl_page_origin *origin,
                                 uint64_t *out, struct pl_error *err)
{
    if (__builtin_mul_overflow(origin->number, (uint64_t)writer->header.page_size, out))
        return pl_fail(err, PL_ERR_USAGE, "page %llx at %u bytes a page has no 64-bit address, which format %s needs",
                       (unsigned long long)origin->number, writer->header.page_size, writer->format->name);
    return PL_OK;
}

char *pl_textwrite_hex(char *to, uint64_t value)
{
    int digits = value ? (67 - __builtin_clzll(value)) / 4 : 1;
    for (int i = digits; i-- > 0; value >>= 4)
        to[i] = "0123456789abcdef"[value & 15];
    return to + digits;
}

char *pl_textwrite_decimal(char *to, uint64_t value)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    for (size_t i = 0; i < count; i++)
        to[i] = digits[count - 1 - i];
    return to + count;
}
