/* cmd/cmd_trace_merge.c: `pagelab trace merge`: several traces as one. */
#include "cmd/cmd_trace.h"
#include "cmd/trace_output.h"
#include "trace/transform.h"

#include <string.h>

enum { INPUTS_MAX = 256 };

/* The library's orders behind "auto". */
static const char *const order_choices[] = {"auto", "time", "turns", "concatenate", NULL};

struct values {
    struct cmd_trace_options trace;
    struct cmd_common common;
    struct cmd_trace_output output;
    int order;
    uint64_t turn;
};

static const struct pl_option options_of_its_own[] = {
    {"order", 0, PL_OPT_CHOICE, offsetof(struct values, order), "HOW", "auto",
     "'time' by the traces' clock, 'turns' so many accesses of each in turn, 'concatenate' one after the other; 'auto' "
     "is "
     "time if all traces have the same clock, else turns.",
     order_choices},
    {"turn", 0, PL_OPT_COUNT, offsetof(struct values, turn), "N", "10000", "Accesses in one turn."},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"How to merge", options_of_its_own, 0},
    {"Writing", cmd_trace_output_table, offsetof(struct values, output)},
    {"Reading the traces", cmd_trace_option_table, offsetof(struct values, trace)},
    {"Output", cmd_undrawn_options, offsetof(struct values, common)},
    {NULL, NULL, 0},
};

static const struct pl_example examples[] = {
    {"pagelab trace merge a.trace b.trace -o both.trace", "as if both had run at the same time"},
    {"pagelab trace merge a.trace a.trace --order concatenate -o twice.trace", "one after the other, as two processes"},
    {NULL, NULL},
};

const struct pl_command_spec cmd_trace_merge_spec = {
    .name = "trace merge",
    .operands = "TRACE TRACE... -o FILE",
    .summary = "several traces as one",
    .details =
        "Each trace keeps its own pages: process P of the trace number K, counted from 0, becomes process P + K * "
        "2^32, so that the first trace's processes keep their numbers. Page sizes must agree. Each trace's clock "
        "starts with the trace. Turns lose the times; "
        "concatenating moves them so that each trace follows the one before.",
    .groups = groups,
    .examples = examples,
};

static enum pl_merge_order choose_order(int given, struct pl_trace *const *traces, size_t count)
{
    if (given > 0)
        return (enum pl_merge_order)(given - 1);
    const enum pl_clock clock = pl_trace_info(traces[0])->clock;
    for (size_t i = 0; i < count; i++)
        if (clock == PL_CLOCK_NONE || pl_trace_info(traces[i])->clock != clock)
            return PL_MERGE_TURNS;
    return PL_MERGE_TIME;
}

static enum pl_err report(const struct values *values, size_t inputs, enum pl_merge_order order,
                          const struct pl_transform_counts *counts, struct pl_arena *arena, struct pl_error *err)
{
    int argc;
    char **argv;
    struct pl_document *document = pl_document_create(arena, "trace-merge", "Merged");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    pl_document_parameter(document, "traces", "traces", "", pl_value_count(inputs));
    pl_document_parameter(document, "order", "order", "", pl_value_text(pl_merge_order_names[order]));
    pl_document_parameter(document, "output", "written to", "", pl_value_text(values->output.output));
    pl_document_result(document, "accesses", "accesses", "", pl_value_count(counts->touches_out));
    pl_document_result(document, "pages", "distinct pages", "", pl_value_count(counts->distinct_out));
    return cmd_emit(document, &values->common, err);
}

static enum pl_err run_merge(const struct values *values, struct pl_trace *const *traces, size_t count,
                             struct pl_trace_writer **writer, enum pl_merge_order *order,
                             struct pl_transform_counts *counts, struct pl_error *err)
{
    struct pl_trace_header header;
    *order = choose_order(values->order, traces, count);
    const struct pl_merge_params params = {.order = *order, .turn = values->turn};
    enum pl_err rc = pl_merge_header(traces, count, *order, &header, err);
    if (rc == PL_OK)
        rc = cmd_trace_output_open(&values->output, &header, true, writer, err);
    if (rc == PL_OK)
        rc = pl_trace_merge(traces, count, &params, *writer, counts, err);
    if (rc == PL_OK && cmd_interrupted())
        rc = pl_fail(err, PL_ERR_RESOURCE, "interrupted; nothing was written");
    if (rc)
        return rc;
    rc = pl_trace_writer_close(*writer, err);
    *writer = NULL;
    return rc;
}

static enum pl_err merge(struct values *values, const struct pl_strings *paths, struct pl_arena *arena,
                         struct pl_error *err)
{
    struct pl_trace *traces[INPUTS_MAX] = {NULL};
    struct pl_trace_writer *writer = NULL;
    struct pl_trace_options options;
    struct pl_transform_counts counts = {0};
    enum pl_merge_order order = PL_MERGE_TIME;
    enum pl_err rc = cmd_trace_options_get(&values->trace, &options, err);
    if (rc)
        return rc;
    struct pl_progress progress = cmd_progress_begin("trace merge", "bytes", values->common.quiet);
    options.need_dictionary = true;
    for (size_t i = 0; i < paths->count && rc == PL_OK; i++) {
        options.progress = i == 0 ? &progress : NULL; /* one of them stands for all */
        rc = pl_trace_open(paths->item[i], &options, &traces[i], err);
    }
    if (rc == PL_OK)
        rc = run_merge(values, traces, paths->count, &writer, &order, &counts, err);
    cmd_progress_end();
    if (rc == PL_OK) {
        values->common.quiet |= cmd_trace_output_is_stdout(&values->output); /* the trace itself is there */
        rc = report(values, paths->count, order, &counts, arena, err);
    }
    pl_trace_writer_abandon(writer);
    for (size_t i = 0; i < paths->count; i++)
        pl_trace_close(traces[i]);
    return rc;
}

static enum pl_err check_usage(const struct values *values, const struct pl_strings *operands, struct pl_error *err)
{
    size_t on_stdin = 0;
    if (operands->count < 2 || operands->count > INPUTS_MAX)
        return pl_fail(err, PL_ERR_USAGE, "trace merge: needs 2 to %d traces", INPUTS_MAX);
    for (size_t i = 0; i < operands->count; i++)
        on_stdin += !strcmp(operands->item[i], "-");
    if (on_stdin > 1)
        return pl_fail(err, PL_ERR_USAGE, "trace merge: only one trace can come from standard input");
    if (values->turn == 0)
        return pl_fail(err, PL_ERR_USAGE, "trace merge: --turn must be at least 1");
    return cmd_trace_output_check(&values->output, "trace merge", err);
}

static enum pl_err check_and_merge(void *given, const struct pl_strings *operands, struct pl_arena *arena,
                                   struct pl_error *err)
{
    enum pl_err rc = check_usage(given, operands, err);
    return rc ? rc : merge(given, operands, arena, err);
}

enum pl_err cmd_trace_merge(int argc, char **argv, struct pl_error *err)
{
    struct values values;
    return cmd_run(&cmd_trace_merge_spec, argc, argv, &values, check_and_merge, err);
}
