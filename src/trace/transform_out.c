/* trace/transform_out.c: what cut and merge share: a rebatch in front of a writer. */
#include "trace/transform_out.h"

#include "trace/native/native.h"

uint64_t pl_transform_process(size_t input, uint64_t process)
{
    if (process == PL_NATIVE_LOST_PROCESS)
        return process;
    return process + ((uint64_t)input << 32);
}

static struct pl_page_origin origin_of(void *user, pl_page page)
{
    const struct pl_transform_out *out = user;
    const struct pl_rebatch_origin from = pl_rebatch_origin(out->rebatch, page);
    struct pl_page_origin origin = pl_trace_page_origin(out->traces[from.input], from.page);
    origin.process = pl_transform_process(from.input, origin.process);
    return origin;
}

enum pl_err pl_transform_flush(struct pl_transform_out *out, struct pl_error *err)
{
    struct pl_batch batch;
    pl_rebatch_take(out->rebatch, &batch);
    if (batch.count == 0 && batch.control_count == 0)
        return PL_OK;
    out->counts.touches_out += batch.count;
    out->counts.distinct_out = batch.distinct;
    return pl_trace_write(out->writer, &batch, origin_of, out, err);
}

enum pl_err pl_transform_touches(struct pl_transform_out *out, size_t input, const struct pl_batch *batch, size_t from,
                                 size_t to, int64_t shift, struct pl_error *err)
{
    const uint32_t page_size = pl_trace_info(out->traces[input])->page_size;
    struct pl_batch part = *batch;
    if (out->drop_times)
        part.time = NULL;
    while (from < to) {
        size_t take = pl_rebatch_room(out->rebatch);
        enum pl_err rc = PL_OK;
        if (take == 0) {
            rc = pl_transform_flush(out, err);
            take = pl_rebatch_room(out->rebatch);
        }
        take = take < to - from ? take : to - from;
        if (rc == PL_OK)
            rc = pl_rebatch_touches(out->rebatch, input, &part, from, from + take, shift, page_size, err);
        if (rc)
            return rc;
        from += take;
    }
    return PL_OK;
}

enum pl_err pl_transform_control(struct pl_transform_out *out, size_t input, const struct pl_control *control,
                                 int64_t shift, struct pl_error *err)
{
    struct pl_control copy = *control;
    const bool names_process = copy.op == PL_OP_SWITCH || copy.op == PL_OP_START || copy.op == PL_OP_EXIT ||
                               ((copy.op == PL_OP_TRIM || copy.op == PL_OP_MINIMISE) && copy.a != 0 && copy.a != UINT64_MAX);
    if (names_process)
        copy.a = pl_transform_process(input, copy.a);
    if (out->drop_times)
        copy.time = 0;
    out->counts.ranges_out += copy.op == PL_OP_RANGE;
    return pl_rebatch_control(out->rebatch, input, &copy, out->drop_times ? 0 : shift, err);
}
