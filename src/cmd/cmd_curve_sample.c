/* cmd/cmd_curve_sample.c: `pagelab curve --rate` and `--samples`: an estimate from a sample of the pages. */
#include "cmd/cmd_curve.h"
#include "curve/sample.h"

#include <math.h>

static enum pl_err feed(struct pl_sample *sample, struct pl_trace *trace, struct curve_touched *touched,
                        struct pl_error *err)
{
    struct pl_batch batch;
    enum pl_err rc;
    while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK) {
        rc = pl_sample_feed(sample, batch.page, batch.kind, batch.count, err);
        if (rc == PL_OK)
            rc = curve_touched_note(touched, &batch, err);
        if (rc)
            return rc;
    }
    return rc == PL_END ? pl_sample_end(sample, err) : rc;
}

/* Estimates of neighbouring sizes come from different sums; a curve does not rise, so none is put above the one before. */
static void fill_rows(const struct pl_sample *sample, const struct pl_sizes *sizes, struct curve_answer *out)
{
    double reads = INFINITY, writes = INFINITY;
    for (size_t i = 0; i < sizes->count; i++) {
        struct pl_estimate at = pl_sample_at(sample, sizes->pages[i]);
        reads = at.reads < reads ? at.reads : reads;
        writes = at.writes < writes ? at.writes : writes;
        out->rows[i] = (struct curve_row){sizes->pages[i], (uint64_t)llround(reads), (uint64_t)llround(writes),
                                          (uint64_t)llround(at.reads_error), (uint64_t)llround(at.writes_error)};
    }
    out->count = sizes->count;
}

enum pl_err curve_by_sample(const struct curve_options *options, struct pl_trace *trace, struct pl_arena *arena,
                            struct curve_answer *out, struct pl_error *err)
{
    /* A reader numbers pages densely, so the number of pages is known. */
    struct pl_sample_params params = {.rule = out->rule,
                                      .rate = options->rate_given ? options->rate : 1,
                                      .pages_max = (uint32_t)options->samples,
                                      .seed = options->seed,
                                      .dense = true,
                                      .portable = options->portable};
    struct pl_sample *sample;
    struct pl_sizes sizes;
    struct curve_touched touched = {0};
    enum pl_err rc = pl_sample_create(&params, &sample, err);
    if (rc)
        return rc;
    rc = feed(sample, trace, &touched, err);
    const uint64_t pages = touched.pages;
    curve_touched_free(&touched);
    if (rc == PL_OK)
        rc = curve_choose_sizes(options, pl_trace_info(trace), pages, false, arena, &sizes, err);
    if (rc == PL_OK && !(out->rows = pl_arena_alloc(arena, sizes.count, sizeof *out->rows)))
        rc = pl_fail_memory(err, sizes.count * sizeof *out->rows, "the fault table");
    if (rc == PL_OK) {
        struct pl_sample_facts facts = pl_sample_facts(sample);
        out->touches = facts.touches;
        out->write_touches = facts.write_touches;
        out->cold = pages;
        out->rate = facts.rate;
        out->sampled_touches = facts.sampled_touches;
        out->sampled_pages = facts.sampled_pages;
        fill_rows(sample, &sizes, out);
    }
    pl_sample_free(sample);
    return rc;
}
