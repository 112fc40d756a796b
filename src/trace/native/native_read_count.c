/* trace/native/native_read_count.c: what the reader of the native file counts, and what it leaves out on request. */
#include "trace/native/native_reader.h"

#include <stdlib.h>

static enum pl_err count_process(struct process_set *set, uint64_t process, struct pl_error *err)
{
    if (2 * (set->count + 1) > set->capacity) {
        struct process_set larger = {.capacity = set->capacity ? 2 * set->capacity : 64};
        larger.slots = calloc(larger.capacity, sizeof *larger.slots);
        if (!larger.slots)
            return pl_fail_memory(err, larger.capacity * sizeof *larger.slots, "the processes of the trace");
        for (size_t i = 0; i < set->capacity; i++)
            if (set->slots[i].taken)
                count_process(&larger, set->slots[i].process, NULL);
        free(set->slots);
        *set = larger;
    }
    size_t slot = pl_mix64(process) & (set->capacity - 1);
    while (set->slots[slot].taken && set->slots[slot].process != process)
        slot = (slot + 1) & (set->capacity - 1);
    if (!set->slots[slot].taken) {
        set->slots[slot] = (struct process_slot){.process = process, .taken = true};
        set->count++;
    }
    return PL_OK;
}

/* A range counts for all its touches at once where it is handed out as one; expanded, its touches are counted as they
 * come. */
static void count_range(struct pl_reader *reader, const struct pl_control *range)
{
    const struct native_reader *self = reader->self;
    struct pl_trace_info *info = &reader->info;
    if (reader->options.ignore_execute && range->kind == PL_EXECUTE)
        return;
    info->ranges++;
    if (self->expander)
        return;
    info->touches += range->b;
    info->reads += range->kind == PL_READ ? range->b : 0;
    info->writes += range->kind == PL_WRITE ? range->b : 0;
    info->executes += range->kind == PL_EXECUTE ? range->b : 0;
}

enum pl_err pl_native_count_controls(struct pl_reader *reader, const struct pl_batch *batch, struct pl_error *err)
{
    struct native_reader *self = reader->self;
    struct pl_trace_info *info = &reader->info;
    for (size_t i = 0; i < batch->control_count; i++) {
        const struct pl_control *control = &batch->control[i];
        if (control->op == PL_OP_RANGE)
            count_range(reader, control);
        if (control->op == PL_OP_LOST) /* the header may have told of the same already */
            self->lost += control->a;
        if (control->op != PL_OP_SWITCH)
            continue;
        enum pl_err rc = count_process(&self->processes, control->a, err);
        if (rc)
            return rc;
        if (control->actor >= info->threads)
            info->threads = (uint64_t)control->actor + 1;
    }
    info->input_records += batch->count + batch->control_count;
    if (self->lost > info->lost)
        info->lost = self->lost;
    return PL_OK;
}

static void count_times(struct pl_reader *reader, const struct pl_batch *batch)
{
    struct native_reader *self = reader->self;
    struct pl_trace_info *info = &reader->info;
    if (!batch->time || batch->count == 0)
        return;
    if (!self->has_time)
        info->first_time = info->last_time = batch->time[0];
    self->has_time = true;
    uint64_t backward = batch->time[0] < info->last_time;
    for (size_t i = 1; i < batch->count; i++)
        backward += batch->time[i] < batch->time[i - 1];
    info->backward_times += backward;
    info->last_time = batch->time[batch->count - 1];
}

void pl_native_count_batch(struct pl_reader *reader, const struct pl_batch *batch, const uint64_t kinds[3])
{
    const struct native_reader *self = reader->self;
    struct pl_trace_info *info = &reader->info;
    uint64_t counts[3] = {batch->count, 0, 0};
    if (!kinds && batch->kind)
        (void)pl_native_check_kinds(batch->kind, batch->count, counts);
    if (!kinds)
        kinds = counts;
    info->touches += batch->count;
    info->reads += kinds[PL_READ];
    info->writes += kinds[PL_WRITE];
    info->executes += kinds[PL_EXECUTE];
    info->distinct = batch->distinct;
    count_times(reader, batch);
    info->processes = self->processes.count ? self->processes.count : info->touches > 0;
    info->threads = info->threads ? info->threads : info->touches > 0;
    info->bytes_read = pl_source_offset(reader->source) + self->block_bytes;
}

enum pl_err pl_native_fill_holes(struct pl_reader *reader, uint32_t distinct, struct pl_error *err)
{
    struct native_reader *self = reader->self;
    struct pl_rebatch *filter;
    const uint64_t threads = reader->info.threads;
    enum pl_err rc = pl_rebatch_create(1, &filter, err);
    if (rc)
        return rc;
    rc = pl_rebatch_take_over(filter, distinct, threads < UINT32_MAX ? (uint32_t)threads : UINT32_MAX, err);
    if (rc)
        pl_rebatch_free(filter);
    else
        self->filter = filter;
    return rc;
}

static bool unwanted(const struct pl_reader *reader, unsigned kind)
{
    return kind == PL_EXECUTE && reader->options.ignore_execute;
}

/* Touches from .. to - 1, as far as they are wanted. */
static enum pl_err keep_wanted(struct pl_reader *reader, const struct pl_batch *batch, size_t from, size_t to,
                             struct pl_error *err)
{
    struct native_reader *self = reader->self;
    enum pl_err rc = PL_OK;
    while (from < to && rc == PL_OK) {
        while (from < to && batch->kind && unwanted(reader, batch->kind[from]))
            from++;
        size_t end = from;
        while (end < to && !(batch->kind && unwanted(reader, batch->kind[end])))
            end++;
        if (from < end)
            rc = pl_rebatch_touches(self->filter, 0, batch, from, end, 0, reader->info.page_size, err);
        from = end;
    }
    return rc;
}

enum pl_err pl_native_renumber(struct pl_reader *reader, struct pl_batch *batch, bool *left, struct pl_error *err)
{
    struct native_reader *self = reader->self;
    size_t done = 0;
    for (size_t i = 0; i < batch->control_count; i++) {
        const struct pl_control *control = &batch->control[i];
        enum pl_err rc = keep_wanted(reader, batch, done, control->at, err);
        done = control->at;
        if (rc == PL_OK && !(control->op == PL_OP_RANGE && unwanted(reader, control->kind)))
            rc = pl_rebatch_control(self->filter, 0, control, 0, err);
        if (rc)
            return rc;
    }
    enum pl_err rc = keep_wanted(reader, batch, done, batch->count, err);
    if (rc)
        return rc;
    pl_rebatch_take(self->filter, batch);
    *left = batch->count > 0 || batch->control_count > 0;
    return PL_OK;
}
