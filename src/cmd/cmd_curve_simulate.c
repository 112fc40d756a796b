/* cmd/cmd_curve_simulate.c: policies without a one-pass curve: the trace into memory, then a run for each size. */
#include "cmd/cmd_curve.h"

#include <stdlib.h>
#include <string.h>

/* A whole trace, malloc'd. */
struct loaded {
    pl_page *pages;
    uint8_t *kinds;
    size_t count, page_capacity, kind_capacity;
};

static enum pl_err append(struct loaded *loaded, const struct pl_batch *batch, struct pl_error *err)
{
    void *pages = loaded->pages, *kinds = loaded->kinds;
    size_t need = loaded->count + batch->count;
    enum pl_err rc = pl_grow(&pages, &loaded->page_capacity, need, sizeof *loaded->pages, "the trace", err);
    loaded->pages = pages;
    if (rc == PL_OK)
        rc = pl_grow(&kinds, &loaded->kind_capacity, need, sizeof *loaded->kinds, "the trace", err);
    loaded->kinds = kinds;
    if (rc || batch->count == 0)
        return rc;
    memcpy(loaded->pages + loaded->count, batch->page, batch->count * sizeof *loaded->pages);
    if (batch->kind)
        memcpy(loaded->kinds + loaded->count, batch->kind, batch->count);
    else
        memset(loaded->kinds + loaded->count, PL_READ, batch->count);
    loaded->count = need;
    return PL_OK;
}

static enum pl_err load(struct pl_trace *trace, struct loaded *loaded, struct pl_error *err)
{
    struct pl_batch batch;
    enum pl_err rc;
    while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK) {
        rc = append(loaded, &batch, err);
        if (rc)
            return rc;
    }
    return rc == PL_END ? PL_OK : rc;
}

static enum pl_err run_sizes(const struct curve_options *options, const struct loaded *loaded,
                             const struct pl_sizes *sizes, struct curve_answer *out, struct pl_error *err)
{
    struct pl_progress progress = cmd_progress_begin("curve", "accesses", options->common.quiet);
    for (size_t i = 0; i < sizes->count; i++) {
        uint32_t frames = sizes->pages[i] < UINT32_MAX ? (uint32_t)sizes->pages[i] : UINT32_MAX;
        struct pl_simulation run;
        enum pl_err rc = pl_simulate((enum pl_simulated)options->policy, out->rule, frames, loaded->pages,
                                       loaded->kinds, loaded->count, &run, err);
        if (rc)
            return rc;
        out->rows[out->count++] =
            (struct curve_row){.pages = sizes->pages[i], .reads = run.reads, .writes = run.writes};
        if (!pl_progress_report(&progress, (i + 1) * loaded->count, sizes->count * loaded->count))
            break; /* interrupted: the sizes so far */
    }
    return PL_OK;
}

enum pl_err curve_by_simulation(const struct curve_options *options, struct pl_trace *trace, struct pl_arena *arena,
                                struct curve_answer *out, struct pl_error *err)
{
    struct loaded loaded = {0};
    struct pl_sizes sizes;
    enum pl_err rc = load(trace, &loaded, err);
    uint64_t distinct = pl_trace_info(trace)->distinct;
    if (rc == PL_OK)
        rc = curve_choose_sizes(options, pl_trace_info(trace), distinct, true, arena, &sizes, err);
    if (rc == PL_OK && !(out->rows = pl_arena_alloc(arena, sizes.count, sizeof *out->rows)))
        rc = pl_fail_memory(err, sizes.count * sizeof *out->rows, "the fault table");
    if (rc == PL_OK)
        rc = run_sizes(options, &loaded, &sizes, out, err);
    out->touches = loaded.count;
    out->cold = distinct;
    for (size_t i = 0; i < loaded.count; i++)
        out->write_touches += loaded.kinds[i] == PL_WRITE;
    free(loaded.pages);
    free(loaded.kinds);
    return rc;
}
