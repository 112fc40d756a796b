/* cmd/cmd_trace_check.c: `pagelab trace check`: is a trace whole? */
#include "cmd/cmd_trace.h"

struct values {
    struct cmd_trace_options trace;
    struct cmd_common common;
};

static const struct pl_option_group groups[] = {
    {"Reading the trace", cmd_trace_option_table, offsetof(struct values, trace)},
    {"Output", cmd_undrawn_options, offsetof(struct values, common)},
    {NULL, NULL, 0},
};

static const struct pl_example examples[] = {
    {"pagelab trace check t.trace && echo whole", "in a script"},
    {NULL, NULL},
};

const struct pl_command_spec cmd_trace_check_spec = {
    .name = "trace check",
    .operands = "TRACE",
    .summary = "is it whole? exit status 1 for damage, lost records, times that go backward",
    .details =
        "Reads the whole trace, past what is damaged where that is possible, and lists what is wrong with it. Exit "
        "status 0: nothing; 1: something; 2: it is no trace, or could not be opened.",
    .groups = groups,
    .examples = examples,
};

struct findings {
    struct pl_document_table *table;
    size_t count;
};

static void find(struct findings *findings, const char *what, uint64_t count, uint64_t place)
{
    struct pl_value row[] = {pl_value_text(what), pl_value_count(count),
                             place ? pl_value_count(place) : pl_value_text(NULL)};
    pl_document_row(findings->table, row);
    findings->count++;
}

static size_t find_all(struct pl_document *document, const struct pl_trace_info *info, const struct pl_error *failure)
{
    static const struct pl_column columns[] = {
        {"finding", "finding", "", PL_VALUE_TEXT, 0},
        {"count", "how often", "", PL_VALUE_COUNT, 0},
        {"first_place", "first at line or byte", "", PL_VALUE_COUNT, 0},
    };
    struct findings findings = {pl_document_table(document, "findings", "What is wrong", columns, PL_COUNT_OF(columns)),
                                0};
    if (failure->code)
        find(&findings, failure->message, 1, 0);
    for (size_t i = 0; i < info->skip_count; i++)
        if (info->skips[i].damage)
            find(&findings, info->skips[i].reason, info->skips[i].count, info->skips[i].first_line);
    if (info->lost)
        find(&findings, "records lost, says the source", info->lost, 0);
    if (info->backward_times)
        find(&findings, "times that go backward", info->backward_times, 0);
    return findings.count;
}

static enum pl_err report(const struct values *values, const struct pl_trace_info *info, const struct pl_error *failure,
                          struct pl_arena *arena, struct pl_error *err)
{
    int argc;
    char **argv;
    struct pl_document *document = pl_document_create(arena, "trace-check", "Is the trace whole?");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    cmd_trace_describe(document, info, arena);
    pl_document_result(document, "accesses", "accesses that could be read", "", pl_value_count(info->touches));
    pl_document_result(document, "pages", "distinct pages", "", pl_value_count(info->distinct));
    size_t findings = find_all(document, info, failure);
    pl_document_result(document, "whole", "whole", "", pl_value_bool(findings == 0));
    cmd_trace_skips(document, info);
    enum pl_err rc = cmd_emit(document, &values->common, err);
    if (rc || !findings)
        return rc;
    return pl_fail(err, PL_ERR_CHECK, "%s: %zu finding%s", info->path, findings, findings == 1 ? "" : "s");
}

static enum pl_err check(const struct values *values, const char *path, struct pl_arena *arena, struct pl_error *err)
{
    struct pl_trace *trace = NULL;
    struct pl_batch batch;
    struct pl_trace_options options;
    struct pl_error failure = {PL_OK, ""};
    struct pl_progress progress = cmd_progress_begin("trace check", "bytes", values->common.quiet);
    enum pl_err rc = cmd_trace_options_get(&values->trace, &options, err);
    if (rc == PL_OK) {
        options.progress = &progress;
        options.skip_bad_lines = options.skip_damaged = true;
        rc = pl_trace_open(path, &options, &trace, err);
    }
    if (rc == PL_OK) {
        while ((rc = pl_trace_next(trace, &batch, &failure)) == PL_OK)
            ;
        if (cmd_interrupted())
            rc = pl_fail(err, PL_ERR_RESOURCE, "interrupted");
        else if (rc == PL_END || rc == PL_ERR_INPUT)
            rc = report(values, pl_trace_info(trace), &failure, arena, err);
        else if (err)
            *err = failure;
    }
    cmd_progress_end();
    pl_trace_close(trace);
    return rc;
}

static enum pl_err check_one(void *given, const struct pl_strings *operands, struct pl_arena *arena,
                             struct pl_error *err)
{
    const char *path;
    enum pl_err rc = cmd_one_operand(&cmd_trace_check_spec, operands, "one trace", &path, err);
    return rc ? rc : check(given, path, arena, err);
}

enum pl_err cmd_trace_check(int argc, char **argv, struct pl_error *err)
{
    struct values values;
    return cmd_run(&cmd_trace_check_spec, argc, argv, &values, check_one, err);
}
