/* trace/transform_merge.c: several traces as one.
 *
 * Each input is a batch and a place in it. Which input goes on, and for how many touches, is all that the three orders
 * differ in. Control records go with the touch that follows them. Where the input changes, a switch says who
 * touches from here on. */
#include "trace/transform_out.h"

#include <string.h>

const char *const pl_merge_order_names[] = {"time", "turns", "concatenate", NULL};

struct input {
    struct pl_batch batch;
    size_t touch, control;     /* the next ones */
    bool ended;
    bool started;
    int64_t shift;             /* added to its times */
    int64_t last_time;         /* of what it gave, unshifted */
    struct pl_control present; /* the last switch, without its text; a made-up one before the first */
};

struct merger {
    struct pl_transform_out out;
    struct input *inputs;
    size_t current; /* whose touches came last; input_count at the start */
    int64_t end_time; /* of all that was written */
};

/* --- headers ------------------------------------------------------------------------ */
enum pl_err pl_merge_header(struct pl_trace *const *traces, size_t count, enum pl_merge_order order,
                            struct pl_trace_header *out, struct pl_error *err)
{
    const struct pl_trace_info *first = pl_trace_info(traces[0]);
    struct pl_trace_header header = {.page_size = first->page_size, .records = first->records, .clock = first->clock,
                                     .source = first->source};
    for (size_t i = 0; i < count; i++) {
        const struct pl_trace_info *info = pl_trace_info(traces[i]);
        header.lost += info->lost;
        if (info->page_size != first->page_size)
            return pl_fail(err, PL_ERR_USAGE, "%s has pages of %u bytes and %s of %u: they cannot be merged", first->path,
                           (unsigned)first->page_size, info->path, (unsigned)info->page_size);
        if (info->records != first->records)
            return pl_fail(err, PL_ERR_USAGE, "%s and %s hold different kinds of records: they cannot be merged",
                           first->path, info->path);
        if (order == PL_MERGE_TIME && info->clock == PL_CLOCK_NONE)
            return pl_fail(err, PL_ERR_USAGE,
                           "%s has no times: it cannot be merged by time, only in turns or one after the other", info->path);
        if (order == PL_MERGE_TIME && info->clock != first->clock)
            return pl_fail(err, PL_ERR_USAGE,
                           "%s and %s have no common clock: they cannot be merged by time, only in turns or one after the "
                           "other",
                           first->path, info->path);
        if (info->clock != first->clock || order == PL_MERGE_TURNS)
            header.clock = PL_CLOCK_NONE;
        if (!info->source || !header.source || strcmp(info->source, header.source) != 0)
            header.source = "merged";
    }
    *out = header;
    return PL_OK;
}

/* --- one input ------------------------------------------------------------------------ */
/* Makes sure that the input has something to give, or has ended. */
static enum pl_err fill(struct merger *merger, size_t index, struct pl_error *err)
{
    struct input *input = &merger->inputs[index];
    while (!input->ended && input->touch == input->batch.count && input->control == input->batch.control_count) {
        enum pl_err rc = PL_OK;
        if (pl_rebatch_has_controls(merger->out.rebatch))
            rc = pl_transform_flush(&merger->out, err);
        if (rc)
            return rc;
        rc = pl_trace_next(merger->out.traces[index], &input->batch, err);
        if (rc != PL_OK && rc != PL_END)
            return rc;
        input->ended = rc == PL_END;
        if (input->ended)
            memset(&input->batch, 0, sizeof input->batch);
        input->touch = input->control = 0;
    }
    return PL_OK;
}

/* When the next thing of the input happens: its next touch's time; at the end of a batch what its records say. */
static int64_t head_time(const struct input *input)
{
    if (input->batch.time && input->touch < input->batch.count)
        return input->batch.time[input->touch];
    int64_t time = input->last_time;
    if (input->control < input->batch.control_count && input->batch.control[input->control].time > time)
        time = input->batch.control[input->control].time;
    return time;
}

static enum pl_err give_control(struct merger *merger, size_t index, struct pl_error *err)
{
    struct input *input = &merger->inputs[index];
    const struct pl_control *control = &input->batch.control[input->control++];
    const bool is_switch = control->op == PL_OP_SWITCH;
    enum pl_err rc = PL_OK;
    if (merger->current != index && !is_switch)
        rc = pl_transform_control(&merger->out, index, &input->present, input->shift, err);
    merger->current = index;
    if (is_switch) {
        input->present = *control;
        input->present.text = NULL;
    }
    if (control->time > input->last_time)
        input->last_time = control->time;
    return rc ? rc : pl_transform_control(&merger->out, index, control, input->shift, err);
}

/* Gives records that are due and then at most `most` touches, all before `until` (or at it, when `at_it`). Returns by *given how many
 * touches they were. */
static enum pl_err give(struct merger *merger, size_t index, uint64_t most, int64_t until, bool at_it, uint64_t *given,
                        struct pl_error *err)
{
    struct input *input = &merger->inputs[index];
    const struct pl_batch *batch = &input->batch;
    *given = 0;
    while (input->control < batch->control_count && batch->control[input->control].at <= input->touch) {
        enum pl_err rc = give_control(merger, index, err);
        if (rc)
            return rc;
    }
    size_t end = input->control < batch->control_count ? batch->control[input->control].at : batch->count;
    if (end - input->touch > most)
        end = input->touch + (size_t)most;
    for (size_t i = input->touch; batch->time && until != INT64_MAX && i < end; i++)
        if (batch->time[i] > until || (batch->time[i] == until && !at_it))
            end = i;
    if (end == input->touch)
        return PL_OK;
    enum pl_err rc = PL_OK;
    if (merger->current != index && merger->out.input_count > 1)
        rc = pl_transform_control(&merger->out, index, &input->present, input->shift, err);
    merger->current = index;
    if (rc == PL_OK)
        rc = pl_transform_touches(&merger->out, index, batch, input->touch, end, input->shift, err);
    *given = end - input->touch;
    merger->out.counts.touches_in += *given;
    input->touch = end;
    if (batch->time)
        input->last_time = batch->time[end - 1];
    return rc;
}

/* --- the orders -------------------------------------------------------------------------- */
/* The input whose head is the earliest, and the next earliest time and input after it. All are filled. */
static size_t earliest(const struct merger *merger, int64_t *next_time, size_t *next)
{
    const size_t count = merger->out.input_count;
    size_t best = count;
    *next = count;
    for (size_t i = 0; i < count; i++) {
        if (merger->inputs[i].ended)
            continue;
        const int64_t time = head_time(&merger->inputs[i]);
        if (best == count || time < head_time(&merger->inputs[best])) {
            *next = best;
            best = i;
        } else if (*next == count || time < head_time(&merger->inputs[*next])) {
            *next = i;
        }
    }
    *next_time = *next < count ? head_time(&merger->inputs[*next]) : INT64_MAX;
    return best;
}

static enum pl_err merge_by_time(struct merger *merger, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    for (size_t i = 0; i < merger->out.input_count && rc == PL_OK; i++)
        rc = fill(merger, i, err);
    while (rc == PL_OK) {
        int64_t until;
        size_t next;
        uint64_t given;
        const size_t best = earliest(merger, &until, &next);
        if (best == merger->out.input_count)
            return PL_OK;
        /* The head itself is always given, since it is the earliest: there is progress even where times run backwards. */
        rc = give(merger, best, UINT64_MAX, until, best < next, &given, err);
        if (rc == PL_OK)
            rc = fill(merger, best, err);
    }
    return rc;
}

static enum pl_err merge_in_turns(struct merger *merger, uint64_t turn, struct pl_error *err)
{
    size_t alive = merger->out.input_count;
    while (alive > 0) {
        alive = 0;
        for (size_t i = 0; i < merger->out.input_count; i++) {
            uint64_t left = turn, given;
            while (left > 0) {
                enum pl_err rc = fill(merger, i, err);
                if (rc == PL_OK && merger->inputs[i].ended)
                    break;
                if (rc == PL_OK)
                    rc = give(merger, i, left, INT64_MAX, true, &given, err);
                if (rc)
                    return rc;
                left -= given;
            }
            alive += !merger->inputs[i].ended;
        }
    }
    return PL_OK;
}

static enum pl_err concatenate(struct merger *merger, struct pl_error *err)
{
    int64_t end_time = 0;
    for (size_t i = 0; i < merger->out.input_count; i++) {
        struct input *input = &merger->inputs[i];
        enum pl_err rc = fill(merger, i, err);
        if (i > 0 && rc == PL_OK && !input->ended)
            input->shift = (int64_t)((uint64_t)end_time - (uint64_t)head_time(input));
        while (rc == PL_OK && !input->ended) {
            uint64_t given;
            rc = give(merger, i, UINT64_MAX, INT64_MAX, true, &given, err);
            if (rc == PL_OK)
                rc = fill(merger, i, err);
        }
        if (rc)
            return rc;
        end_time = (int64_t)((uint64_t)input->last_time + (uint64_t)input->shift);
    }
    return PL_OK;
}

enum pl_err pl_trace_merge(struct pl_trace *const *traces, size_t count, const struct pl_merge_params *params,
                           struct pl_trace_writer *writer, struct pl_transform_counts *out, struct pl_error *err)
{
    struct pl_trace_header header;
    struct merger merger = {.out = {.traces = traces, .input_count = count, .writer = writer}, .current = count};
    enum pl_err rc = pl_merge_header(traces, count, params->order, &header, err);
    if (rc)
        return rc;
    merger.out.drop_times = header.clock == PL_CLOCK_NONE;
    struct pl_arena *arena = pl_arena_create();
    merger.inputs = arena ? pl_arena_alloc(arena, count, sizeof *merger.inputs) : NULL;
    rc = merger.inputs ? pl_rebatch_create(count, &merger.out.rebatch, err) : pl_fail_memory(err, count, "merging");
    for (size_t i = 0; i < count && rc == PL_OK; i++)
        merger.inputs[i].present = (struct pl_control){.op = PL_OP_SWITCH};
    if (rc == PL_OK) {
        switch (params->order) {
        case PL_MERGE_TIME:
            rc = merge_by_time(&merger, err);
            break;
        case PL_MERGE_TURNS:
            rc = merge_in_turns(&merger, params->turn, err);
            break;
        default:
            rc = concatenate(&merger, err);
        }
    }
    if (rc == PL_OK)
        rc = pl_transform_flush(&merger.out, err);
    if (rc == PL_OK)
        *out = merger.out.counts;
    pl_rebatch_free(merger.out.rebatch);
    pl_arena_destroy(arena);
    return rc;
}
