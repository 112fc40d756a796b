/* cmd/cmd_curve_intervals.c: `pagelab curve --show working-set` and `--show intervals`. */
#include "cmd/cmd_curve.h"
#include "curve/intervals.h"

static enum pl_err feed(struct pl_intervals *intervals, struct pl_trace *trace, struct pl_error *err)
{
    struct pl_batch batch;
    enum pl_err rc;
    while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK) {
        rc = pl_intervals_feed(intervals, batch.page, batch.count, err);
        if (rc)
            return rc;
    }
    pl_intervals_end(intervals);
    return rc == PL_END ? PL_OK : rc;
}

static struct pl_document_table *add_working_sets(struct pl_document *document, const struct pl_intervals *intervals,
                                                  const struct pl_trace_info *info, const struct pl_working_set *sets)
{
    static const struct pl_column columns[] = {
        {"window_accesses", "window", "accesses", PL_VALUE_COUNT, 0},
        {"mean_mb", "mean working set", "MB", PL_VALUE_REAL, 3},
        {"mean_pages", "mean working set", "pages", PL_VALUE_REAL, 2},
        {"faults", "faults", "", PL_VALUE_COUNT, 0},
        {"fault_rate", "faults per access", "", PL_VALUE_REAL, -1},
        {"lifetime_accesses", "lifetime", "accesses", PL_VALUE_REAL, 1},
    };
    struct pl_document_table *table =
        pl_document_table(document, "working_set", "Working sets by window", columns, PL_COUNT_OF(columns));
    double touches = (double)pl_intervals_touches(intervals);
    for (size_t i = 0; i < pl_intervals_points(intervals); i++) {
        const struct pl_working_set *set = &sets[i];
        struct pl_value values[] = {pl_value_count(set->tau),
                                    pl_value_real(curve_mb(info, set->mean_pages)),
                                    pl_value_real(set->mean_pages),
                                    pl_value_count(set->faults),
                                    pl_value_real((double)set->faults / touches),
                                    pl_value_real(touches / (double)set->faults)};
        pl_document_row(table, values);
    }
    pl_document_note(document,
                     "faults count first touches, too; the lifetime function is lifetime against mean working set");
    return table;
}

static struct pl_document_table *add_intervals(struct pl_document *document, const struct pl_intervals *intervals)
{
    static const struct pl_column columns[] = {
        {"from_accesses", "from", "accesses", PL_VALUE_COUNT, 0},
        {"to_accesses", "to", "accesses", PL_VALUE_COUNT, 0},
        {"count", "accesses", "", PL_VALUE_COUNT, 0},
        {"share", "share", "", PL_VALUE_REAL, 4},
        {"share_up_to", "up to here", "", PL_VALUE_REAL, 4},
    };
    struct pl_document_table *table = pl_document_table(
        document, "intervals", "Accesses by time since the last of their page", columns, PL_COUNT_OF(columns));
    uint64_t again = pl_intervals_touches(intervals) - pl_intervals_cold(intervals), so_far = 0;
    for (unsigned k = 0; k < 64 && so_far < again; k++) {
        uint64_t count = pl_intervals_count(intervals, k);
        so_far += count;
        struct pl_value values[] = {pl_value_count(k ? (UINT64_C(1) << (k - 1)) + 1 : 1),
                                    pl_value_count(UINT64_C(1) << k), pl_value_count(count),
                                    pl_value_real((double)count / (double)again),
                                    pl_value_real((double)so_far / (double)again)};
        pl_document_row(table, values);
    }
    pl_document_note(document, "shares are of the accesses that are not first touches");
    return table;
}

static enum pl_err report(const struct curve_options *options, const struct pl_intervals *intervals,
                          const struct pl_trace_info *info, struct pl_arena *arena, struct pl_error *err)
{
    bool sets = options->more.show == CURVE_SHOW_WORKING_SET;
    struct pl_document *document =
        sets ? curve_more_document(info, "working-set", "Working sets and lifetime function", arena)
             : curve_more_document(info, "intervals", "Times between accesses of one page", arena);
    struct pl_working_set *points = pl_arena_alloc(arena, pl_intervals_points(intervals) + 1, sizeof *points);
    if (!document || !points)
        return pl_fail_memory(err, 0, "the result");
    pl_document_result(document, "accesses", "accesses", "", pl_value_count(pl_intervals_touches(intervals)));
    pl_document_result(document, "cold", "first touches", "", pl_value_count(pl_intervals_cold(intervals)));
    pl_intervals_working_sets(intervals, points);
    struct pl_document_table *table =
        sets ? add_working_sets(document, intervals, info, points) : add_intervals(document, intervals);
    return curve_more_emit(document, table, options, info, err);
}

enum pl_err curve_of_intervals(const struct curve_options *options, struct pl_trace *trace, struct pl_arena *arena,
                               struct pl_error *err)
{
    struct pl_intervals *intervals;
    enum pl_err rc = pl_intervals_create(&intervals, err);
    if (rc)
        return rc;
    rc = feed(intervals, trace, err);
    if (rc == PL_OK)
        rc = report(options, intervals, pl_trace_info(trace), arena, err);
    pl_intervals_free(intervals);
    return rc;
}
