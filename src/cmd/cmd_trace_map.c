/* cmd/cmd_trace_map.c: `pagelab trace map`: which pages were touched when. */
#include "cmd/cmd_trace.h"

#include "trace/page_map.h"

struct values {
    struct cmd_trace_options trace;
    struct cmd_common common;
};

static const struct pl_option_group groups[] = {
    {"Reading the trace", cmd_trace_option_table, offsetof(struct values, trace)},
    {"Output", cmd_common_options, offsetof(struct values, common)},
    {NULL, NULL, 0},
};

static const struct pl_example examples[] = {
    {"pagelab trace map traces/phases.trace --plot map.svg", "a picture of a program's phases"},
    {"pagelab trace map traces/example.trace --csv map.csv", "the counts, a line for each cell that is not empty"},
    {NULL, NULL},
};

const struct pl_command_spec cmd_trace_map_spec = {
    .name = "trace map",
    .operands = "TRACE",
    .summary = "which pages were touched when: a density over time and pages, for a picture",
    .details =
        "Counts touches in cells of equal runs of touches by equal runs of pages (in the order of first use), at most "
        "512 by 512 of them; a step is a power of two. One pass, constant memory.",
    .groups = groups,
    .examples = examples,
};

static void add_cells(struct pl_document *document, const struct pl_page_map *map)
{
    static const struct pl_column columns[] = {
        {"touch", "from touch", "", PL_VALUE_COUNT, 0},
        {"page", "from page", "", PL_VALUE_COUNT, 0},
        {"touches", "touches", "", PL_VALUE_COUNT, 0},
    };
    struct pl_document_table *table =
        pl_document_table(document, "map", "Touches by time and page", columns, PL_COUNT_OF(columns));
    for (uint32_t column = 0; column < pl_page_map_columns(map); column++)
        for (uint32_t row = 0; row < pl_page_map_rows(map); row++) {
            const uint64_t count = pl_page_map_count(map, column, row);
            const struct pl_value cell[] = {pl_value_count((uint64_t)column << map->touch_shift),
                                            pl_value_count((uint64_t)row << map->page_shift), pl_value_count(count)};
            if (count)
                pl_document_row(table, cell);
        }
    pl_document_show_at_most(table, 24);
}

static enum pl_err report(const struct values *values, const struct pl_trace_info *info, const struct pl_page_map *map,
                          struct pl_arena *arena, struct pl_error *err)
{
    int argc;
    char **argv;
    struct pl_document *document = pl_document_create(arena, "trace-map", "Which pages were touched when");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    cmd_trace_describe(document, info, arena);
    pl_document_result(document, "touches", "touches", "", pl_value_count(map->touches));
    pl_document_result(document, "pages", "distinct pages", "", pl_value_count(map->pages));
    pl_document_result(document, "touch_step", "touches a cell", "", pl_value_count(UINT64_C(1) << map->touch_shift));
    pl_document_result(document, "page_step", "pages a cell", "", pl_value_count(UINT64_C(1) << map->page_shift));
    add_cells(document, map);
    cmd_trace_skips(document, info);
    return cmd_emit(document, &values->common, err);
}

static enum pl_err draw_map(const struct values *values, const char *path, struct pl_arena *arena, struct pl_error *err)
{
    struct pl_trace *trace = NULL;
    struct pl_batch batch;
    struct pl_trace_options options;
    struct pl_page_map map;
    struct pl_progress progress = cmd_progress_begin("trace map", "bytes", values->common.quiet);
    enum pl_err rc = cmd_trace_options_get(&values->trace, &options, err);
    if (rc == PL_OK)
        rc = pl_page_map_create(arena, &map, err);
    if (rc == PL_OK) {
        options.progress = &progress;
        options.expand_ranges = true;
        rc = pl_trace_open(path, &options, &trace, err);
    }
    if (rc == PL_OK) {
        while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK)
            pl_page_map_add(&map, &batch);
        if (cmd_interrupted())
            rc = pl_fail(err, PL_ERR_RESOURCE, "interrupted");
        else if (rc == PL_END && map.touches == 0)
            rc = pl_fail(err, PL_ERR_INPUT, "%s: has no touches", pl_trace_info(trace)->path);
        else if (rc == PL_END)
            rc = report(values, pl_trace_info(trace), &map, arena, err);
    }
    cmd_progress_end();
    pl_trace_close(trace);
    return rc;
}

static enum pl_err draw_one(void *given, const struct pl_strings *operands, struct pl_arena *arena,
                            struct pl_error *err)
{
    const char *path;
    enum pl_err rc = cmd_one_operand(&cmd_trace_map_spec, operands, "one trace", &path, err);
    return rc ? rc : draw_map(given, path, arena, err);
}

enum pl_err cmd_trace_map(int argc, char **argv, struct pl_error *err)
{
    struct values values;
    return cmd_run(&cmd_trace_map_spec, argc, argv, &values, draw_one, err);
}
