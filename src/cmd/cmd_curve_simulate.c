/* cmd/cmd_curve_simulate.c: policies without a one-pass curve: the trace into memory, then a run for each size; with
 * --rate a sample of it, and memories scaled down alike. The optimum's reads take one run for all sizes. */
#include "cmd/cmd_curve.h"
#include "curve/mini.h"
#include "curve/opt_curve.h"

#include <stdlib.h>
#include <string.h>

/* A trace, or the sampled touches of one, malloc'd. */
struct loaded {
    pl_page *pages;
    uint8_t *kinds;
    size_t count, page_capacity, kind_capacity;
    struct pl_mini mini;
    uint64_t touches, write_touches; /* of the whole trace */
    struct curve_touched touched;
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
    loaded->touches += batch->count;
    for (size_t i = 0; batch->kind && i < batch->count; i++)
        loaded->write_touches += batch->kind[i] == PL_WRITE;
    loaded->count += pl_mini_pick(&loaded->mini, batch->page, batch->kind, batch->count, loaded->pages + loaded->count,
                                  loaded->kinds + loaded->count);
    return PL_OK;
}

static enum pl_err load(struct pl_trace *trace, struct loaded *loaded, struct pl_error *err)
{
    struct pl_batch batch;
    enum pl_err rc;
    while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK) {
        rc = append(loaded, &batch, err);
        if (rc == PL_OK)
            rc = curve_touched_note(&loaded->touched, &batch, err);
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
        uint32_t frames = pl_mini_frames(&loaded->mini, sizes->pages[i]);
        struct pl_simulation run;
        enum pl_err rc = pl_simulate((enum pl_simulated)options->policy, out->rule, frames, loaded->pages,
                                       loaded->kinds, loaded->count, &run, err);
        if (rc)
            return rc;
        out->rows[out->count++] =
            (struct curve_row){.pages = sizes->pages[i],
                               .reads = pl_mini_scale_up(&loaded->mini, run.reads),
                               .writes = pl_mini_scale_up(&loaded->mini, run.writes)};
        if (!pl_progress_report(&progress, (i + 1) * loaded->count, sizes->count * loaded->count))
            break; /* interrupted: the sizes so far */
    }
    return PL_OK;
}

static enum pl_err simulate_sizes(const struct curve_options *options, const struct loaded *loaded,
                                  const struct pl_trace_info *info, struct pl_arena *arena, struct curve_answer *out,
                                  struct pl_error *err)
{
    struct pl_sizes sizes;
    enum pl_err rc = curve_choose_sizes(options, info, loaded->touched.pages, true, arena, &sizes, err);
    if (rc == PL_OK && !(out->rows = pl_arena_alloc(arena, sizes.count, sizeof *out->rows)))
        rc = pl_fail_memory(err, sizes.count * sizeof *out->rows, "the fault table");
    return rc ? rc : run_sizes(options, loaded, &sizes, out, err);
}

/* The optimum at every size. */
static enum pl_err find_optimum(const struct curve_options *options, const struct loaded *loaded, struct pl_arena *arena,
                                struct curve_answer *out, struct pl_error *err)
{
    struct pl_curve_result result;
    enum pl_err rc = pl_opt_curve(out->rule, loaded->pages, loaded->count, &result, err);
    if (rc)
        return rc;
    rc = curve_make_rows(options, &result, arena, out, err);
    pl_curve_result_free(&result);
    return rc;
}

enum pl_err curve_by_simulation(const struct curve_options *options, struct pl_trace *trace, struct pl_arena *arena,
                                struct curve_answer *out, struct pl_error *err)
{
    struct loaded loaded = {.mini = pl_mini_make(options->rate_given ? options->rate : 1, options->seed)};
    const struct pl_trace_info *info = pl_trace_info(trace);
    enum pl_err rc = load(trace, &loaded, err);
    bool one_run = options->policy == PL_SIMULATED_OPT && options->more.reads_only && !options->rate_given;
    if (rc == PL_OK)
        rc = one_run ? find_optimum(options, &loaded, arena, out, err)
                     : simulate_sizes(options, &loaded, info, arena, out, err);
    out->touches = loaded.touches;
    out->write_touches = loaded.write_touches;
    out->cold = loaded.touched.pages;
    out->rate = loaded.mini.rate;
    out->without_errors = options->rate_given;
    out->sampled_touches = loaded.count;
    for (pl_page page = 0; page < info->distinct; page++)
        out->sampled_pages += (!loaded.touched.seen || loaded.touched.seen[page]) && pl_mini_has(&loaded.mini, page);
    curve_touched_free(&loaded.touched);
    free(loaded.pages);
    free(loaded.kinds);
    return rc;
}
