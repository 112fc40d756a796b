/* trace/transform_cut.c: a part of a trace.
 *
 * Batches are walked segment by segment: a segment is touches with no control record among them. In it only times and
 * processes can change the verdict from touch to touch. */
#include "trace/transform_out.h"

#include <stdlib.h>
#include <string.h>

struct cutter {
    const struct pl_cut_params *params;
    struct pl_trace *trace;
    struct pl_transform_out out;
    bool in_phase;
    bool by_time;
    uint64_t position;           /* touches so far */
    int64_t now;                 /* time of the last touch or record */
    bool began;                  /* something was kept */
    struct pl_control present;   /* the last switch; op 0 before the first */
    char *present_text;
    uint8_t *verdicts;           /* by page: 0 not asked yet, 1 of a process that is kept, 2 of another */
    size_t verdict_capacity, verdict_known;
};

static bool wanted_process(const struct pl_cut_params *params, uint64_t process)
{
    for (size_t i = 0; i < params->process_count; i++)
        if (params->processes[i] == process)
            return true;
    return params->process_count == 0;
}

static enum pl_err wanted_page(struct cutter *cutter, pl_page page, bool *wanted, struct pl_error *err)
{
    *wanted = true;
    if (cutter->params->process_count == 0)
        return PL_OK;
    if (page >= cutter->verdict_known) {
        void *verdicts = cutter->verdicts;
        enum pl_err rc = pl_grow(&verdicts, &cutter->verdict_capacity, (size_t)page + 1, 1, "the pages to keep", err);
        cutter->verdicts = verdicts;
        if (rc)
            return rc;
        memset(cutter->verdicts + cutter->verdict_known, 0, cutter->verdict_capacity - cutter->verdict_known);
        cutter->verdict_known = cutter->verdict_capacity;
    }
    uint8_t *verdict = &cutter->verdicts[page];
    if (!*verdict)
        *verdict = wanted_process(cutter->params, pl_trace_page_origin(cutter->trace, page).process) ? 1 : 2;
    *wanted = *verdict == 1;
    return PL_OK;
}

static bool wanted_time(const struct cutter *cutter, int64_t time)
{
    return !cutter->by_time || (time >= cutter->params->from_time && time < cutter->params->to_time);
}

/* The first thing kept is preceded by the switch that holds there. */
static enum pl_err begin(struct cutter *cutter, bool is_switch, struct pl_error *err)
{
    const bool restate = !cutter->began && !is_switch && cutter->present.op;
    cutter->began = true;
    return restate ? pl_transform_control(&cutter->out, 0, &cutter->present, 0, err) : PL_OK;
}

static enum pl_err keep(struct cutter *cutter, const struct pl_batch *batch, size_t from, size_t to, struct pl_error *err)
{
    if (from == to)
        return PL_OK;
    enum pl_err rc = begin(cutter, false, err);
    return rc ? rc : pl_transform_touches(&cutter->out, 0, batch, from, to, 0, err);
}

/* Touches from .. to - 1 of the batch. */
static enum pl_err cut_segment(struct cutter *cutter, const struct pl_batch *batch, size_t from, size_t to,
                               struct pl_error *err)
{
    const struct pl_cut_params *params = cutter->params;
    const uint64_t base = cutter->position - from; /* the number of touch i is base + i */
    cutter->position += to - from;
    if (batch->time && from < to)
        cutter->now = batch->time[to - 1];
    if (!cutter->in_phase || base + to <= params->from_touch || base + from >= params->to_touch)
        return PL_OK;
    if (base + from < params->from_touch)
        from = (size_t)(params->from_touch - base);
    if (base + to > params->to_touch)
        to = (size_t)(params->to_touch - base);
    if (!cutter->by_time && params->process_count == 0)
        return keep(cutter, batch, from, to, err);
    size_t start = from; /* of those to be kept */
    for (size_t i = from; i < to; i++) {
        bool wanted;
        enum pl_err rc = wanted_page(cutter, batch->page[i], &wanted, err);
        wanted = wanted && (!batch->time || wanted_time(cutter, batch->time[i]));
        if (rc == PL_OK && !wanted) {
            rc = keep(cutter, batch, start, i, err);
            start = i + 1;
        }
        if (rc)
            return rc;
    }
    return keep(cutter, batch, start, to, err);
}

/* Whether a record concerns a process that is kept. */
static enum pl_err wanted_record(struct cutter *cutter, const struct pl_control *control, bool *wanted,
                                 struct pl_error *err)
{
    switch (control->op) {
    case PL_OP_SWITCH:
    case PL_OP_START:
    case PL_OP_EXIT:
        *wanted = wanted_process(cutter->params, control->a);
        return PL_OK;
    case PL_OP_RANGE:
    case PL_OP_ALLOCATE:
    case PL_OP_FREE:
    case PL_OP_CONTENT:
    case PL_OP_PREFETCH:
    case PL_OP_LOCK:
        *wanted = false;
        return control->b ? wanted_page(cutter, (pl_page)control->a, wanted, err) : PL_OK;
    case PL_OP_SLEEP:
    case PL_OP_COMPUTE:
    case PL_OP_ACCESSES:
        *wanted = !cutter->present.op || wanted_process(cutter->params, cutter->present.a);
        return PL_OK;
    default:
        *wanted = true;
        return PL_OK;
    }
}

static enum pl_err remember_present(struct cutter *cutter, const struct pl_control *control, struct pl_error *err)
{
    /* A restated switch that is still held points to the text that goes now. */
    if (pl_rebatch_has_controls(cutter->out.rebatch)) {
        enum pl_err rc = pl_transform_flush(&cutter->out, err);
        if (rc)
            return rc;
    }
    char *text = control->text ? strdup(control->text) : NULL;
    if (control->text && !text)
        return pl_fail_memory(err, strlen(control->text), "the name of a process");
    free(cutter->present_text);
    cutter->present = *control;
    cutter->present.text = cutter->present_text = text;
    return PL_OK;
}

static enum pl_err cut_control(struct cutter *cutter, const struct pl_control *control, struct pl_error *err)
{
    const struct pl_cut_params *params = cutter->params;
    enum pl_err rc = PL_OK;
    if (control->time > cutter->now)
        cutter->now = control->time;
    if (control->op == PL_OP_SWITCH)
        rc = remember_present(cutter, control, err);
    if (control->op == PL_OP_PHASE && params->phase)
        cutter->in_phase = control->text && !strcmp(control->text, params->phase);
    bool wanted = cutter->in_phase && cutter->position >= params->from_touch && cutter->position < params->to_touch &&
                  wanted_time(cutter, cutter->now);
    if (rc == PL_OK && wanted)
        rc = wanted_record(cutter, control, &wanted, err);
    if (rc || !wanted)
        return rc;
    rc = begin(cutter, control->op == PL_OP_SWITCH, err);
    return rc ? rc : pl_transform_control(&cutter->out, 0, control, 0, err);
}

static enum pl_err cut_batch(struct cutter *cutter, const struct pl_batch *batch, struct pl_error *err)
{
    size_t done = 0;
    for (size_t i = 0; i < batch->control_count; i++) {
        const struct pl_control *control = &batch->control[i];
        enum pl_err rc = cut_segment(cutter, batch, done, control->at, err);
        done = control->at;
        if (rc == PL_OK)
            rc = cut_control(cutter, control, err);
        if (rc)
            return rc;
    }
    enum pl_err rc = cut_segment(cutter, batch, done, batch->count, err);
    /* The texts of records belong to the reader, which goes on now. */
    if (rc == PL_OK && pl_rebatch_has_controls(cutter->out.rebatch))
        rc = pl_transform_flush(&cutter->out, err);
    return rc;
}

enum pl_err pl_trace_cut(struct pl_trace *trace, const struct pl_cut_params *params, struct pl_trace_writer *writer,
                         struct pl_transform_counts *out, struct pl_error *err)
{
    const struct pl_trace_info *info = pl_trace_info(trace);
    struct cutter cutter = {
        .params = params,
        .trace = trace,
        .in_phase = !params->phase,
        .by_time = params->from_time != INT64_MIN || params->to_time != INT64_MAX,
        .now = INT64_MIN,
        .out = {.traces = &trace, .input_count = 1, .writer = writer},
    };
    if (cutter.by_time && info->clock == PL_CLOCK_NONE)
        return pl_fail(err, PL_ERR_USAGE, "%s: the trace has no times to cut by", info->path);
    enum pl_err rc = pl_rebatch_create(1, &cutter.out.rebatch, err);
    if (rc)
        return rc;
    struct pl_batch batch;
    while (rc == PL_OK && cutter.position < params->to_touch) {
        rc = pl_trace_next(trace, &batch, err);
        if (rc == PL_OK)
            rc = cut_batch(&cutter, &batch, err);
    }
    if (rc == PL_OK || rc == PL_END)
        rc = pl_transform_flush(&cutter.out, err);
    if (rc == PL_OK) {
        *out = cutter.out.counts;
        out->touches_in = cutter.position;
    }
    free(cutter.verdicts);
    free(cutter.present_text);
    pl_rebatch_free(cutter.out.rebatch);
    return rc;
}
