/* cmd/cmd_trace_cut.c: `pagelab trace cut`: a part of a trace. */
#include "cmd/cmd_trace.h"
#include "cmd/trace_output.h"
#include "trace/transform.h"

#include <string.h>

struct values {
    struct cmd_trace_options trace;
    struct cmd_common common;
    struct cmd_trace_output output;
    const char *from, *to, *phase;
    struct pl_strings processes;
};

static const struct pl_option options_of_its_own[] = {
    {"from", 0, PL_OPT_TEXT, offsetof(struct values, from), "PLACE", NULL,
     "Keep what lies at or after PLACE: a number of accesses ('10M'), a time since the start ('2ms'), or a number of "
     "instructions ('5M instructions'), where the trace has them."},
    {"to", 0, PL_OPT_TEXT, offsetof(struct values, to), "PLACE", NULL, "Keep what lies before PLACE."},
    {"phase", 0, PL_OPT_TEXT, offsetof(struct values, phase), "NAME", NULL,
     "Keep what lies between the mark of this name and the next mark."},
    {"process", 0, PL_OPT_LIST, offsetof(struct values, processes), "ID", NULL, "Keep the pages of this process."},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"What to keep", options_of_its_own, 0},
    {"Writing", cmd_trace_output_table, offsetof(struct values, output)},
    {"Reading the trace", cmd_trace_option_table, offsetof(struct values, trace)},
    {"Output", cmd_undrawn_options, offsetof(struct values, common)},
    {NULL, NULL, 0},
};

static const struct pl_example examples[] = {
    {"pagelab trace cut zipf.trace --from 1M --to 2M -o part.trace", "a million accesses from the middle"},
    {"pagelab trace cut times.trace --from 2s --process 4711 -o late.trace", "what one process did after two seconds"},
    {NULL, NULL},
};

const struct pl_command_spec cmd_trace_cut_spec = {
    .name = "trace cut",
    .operands = "TRACE -o FILE",
    .summary = "keep a part of a trace",
    .details = "Conditions hold together: --from, --to, --phase and --process keep what meets all of them. Pages are "
               "numbered anew, addresses, processes and times stay what they were. Everything before the part is "
               "forgotten: its first touches count as first touches. A cut in which nothing is left is an error.",
    .groups = groups,
    .examples = examples,
};

enum { PROCESSES_MAX = 1024 };

/* "5M instructions" */
static bool is_instructions(const char *text, char *number, size_t size)
{
    static const char word[] = "instructions";
    const size_t length = strlen(text);
    if (length <= sizeof word - 1 || length - (sizeof word - 1) >= size ||
        strcmp(text + length - (sizeof word - 1), word))
        return false;
    size_t digits = length - (sizeof word - 1);
    while (digits > 0 && text[digits - 1] == ' ')
        digits--;
    memcpy(number, text, digits);
    number[digits] = 0;
    return true;
}

/* A place is one of two: *touch or *time is set. */
static enum pl_err parse_place(const char *option, const char *text, enum pl_clock clock, uint64_t *touch,
                               int64_t *time, struct pl_error *err)
{
    char number[64];
    uint64_t count;
    pl_time_ps ps;
    if (!text || pl_parse_count(text, touch, NULL) == PL_OK)
        return PL_OK;
    if (is_instructions(text, number, sizeof number)) {
        if (clock != PL_CLOCK_INSTRUCTIONS)
            return pl_fail(err, PL_ERR_USAGE, "trace cut: --%s: the trace does not count instructions", option);
        enum pl_err rc = pl_parse_count(number, &count, err);
        if (rc)
            return pl_fail_prefix(err, "trace cut: --%s", option);
        *time = count > INT64_MAX ? INT64_MAX : (int64_t)count;
        return PL_OK;
    }
    enum pl_err rc = pl_parse_time(text, &ps, err);
    if (rc)
        return pl_fail_prefix(err, "trace cut: --%s", option);
    if (clock != PL_CLOCK_PICOSECONDS)
        return pl_fail(err, PL_ERR_USAGE, "trace cut: --%s: the trace has no times; give a number of accesses", option);
    *time = ps;
    return PL_OK;
}

static enum pl_err parse_processes(const struct pl_strings *given, uint64_t *ids, struct pl_error *err)
{
    char shown[64];
    if (given->count > PROCESSES_MAX)
        return pl_fail(err, PL_ERR_USAGE, "trace cut: more than %d processes", PROCESSES_MAX);
    for (size_t i = 0; i < given->count; i++)
        if (!pl_parse_u64(given->item[i], &ids[i]))
            return pl_fail(err, PL_ERR_USAGE, "trace cut: --process: '%s' is not a process id",
                           pl_printable(shown, sizeof shown, given->item[i], strlen(given->item[i])));
    return PL_OK;
}

static enum pl_err params_of(const struct values *values, enum pl_clock clock, uint64_t *ids, struct pl_cut_params *out,
                             struct pl_error *err)
{
    struct pl_cut_params params = {
        .to_touch = UINT64_MAX,
        .from_time = INT64_MIN,
        .to_time = INT64_MAX,
        .phase = values->phase,
        .processes = ids,
        .process_count = values->processes.count,
    };
    enum pl_err rc = parse_place("from", values->from, clock, &params.from_touch, &params.from_time, err);
    if (rc == PL_OK)
        rc = parse_place("to", values->to, clock, &params.to_touch, &params.to_time, err);
    if (rc == PL_OK)
        rc = parse_processes(&values->processes, ids, err);
    if (rc == PL_OK && (params.from_touch >= params.to_touch || params.from_time >= params.to_time))
        rc = pl_fail(err, PL_ERR_USAGE, "trace cut: --from does not lie before --to");
    if (rc == PL_OK)
        *out = params;
    return rc;
}

static enum pl_err report(const struct values *values, const struct pl_trace_info *info,
                          const struct pl_transform_counts *counts, struct pl_arena *arena, struct pl_error *err)
{
    int argc;
    char **argv;
    struct pl_document *document = pl_document_create(arena, "trace-cut", "Cut");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    cmd_trace_describe(document, info, arena);
    pl_document_parameter(document, "output", "written to", "", pl_value_text(values->output.output));
    pl_document_result(document, "accesses_read", "accesses read", "", pl_value_count(counts->touches_in));
    pl_document_result(document, "accesses", "accesses kept", "", pl_value_count(counts->touches_out));
    pl_document_result(document, "pages", "distinct pages", "", pl_value_count(counts->distinct_out));
    cmd_trace_skips(document, info);
    return cmd_emit(document, &values->common, err);
}

static enum pl_err run_cut(const struct values *values, struct pl_trace *trace, struct pl_trace_writer **writer,
                           struct pl_transform_counts *counts, struct pl_error *err)
{
    const struct pl_trace_info *info = pl_trace_info(trace);
    struct pl_trace_header header = {.page_size = info->page_size,
                                     .records = info->records,
                                     .clock = info->clock,
                                     .source = info->source,
                                     .lost = info->lost};
    struct pl_cut_params params;
    uint64_t ids[PROCESSES_MAX];
    enum pl_err rc = params_of(values, info->clock, ids, &params, err);
    if (rc == PL_OK)
        rc = cmd_trace_output_open(&values->output, &header, true, writer, err);
    if (rc == PL_OK)
        rc = pl_trace_cut(trace, &params, *writer, counts, err);
    if (rc == PL_OK && cmd_interrupted())
        rc = pl_fail(err, PL_ERR_RESOURCE, "interrupted; nothing was written");
    if (rc == PL_OK && counts->touches_out == 0 && counts->ranges_out == 0)
        rc = pl_fail(err, PL_ERR_INPUT, "%s: nothing is left: no access lies in the part to keep", info->path);
    if (rc)
        return rc;
    rc = pl_trace_writer_close(*writer, err);
    *writer = NULL;
    return rc;
}

static enum pl_err cut(struct values *values, const char *path, struct pl_arena *arena, struct pl_error *err)
{
    struct pl_trace *trace = NULL;
    struct pl_trace_writer *writer = NULL;
    struct pl_trace_options options;
    struct pl_transform_counts counts = {0};
    enum pl_err rc = cmd_trace_options_get(&values->trace, &options, err);
    if (rc)
        return rc;
    struct pl_progress progress = cmd_progress_begin("trace cut", "bytes", values->common.quiet);
    options.progress = &progress;
    options.need_dictionary = true;
    rc = pl_trace_open(path, &options, &trace, err);
    if (rc == PL_OK)
        rc = run_cut(values, trace, &writer, &counts, err);
    cmd_progress_end();
    if (rc == PL_OK) {
        values->common.quiet |= cmd_trace_output_is_stdout(&values->output); /* the trace itself is there */
        rc = report(values, pl_trace_info(trace), &counts, arena, err);
    }
    pl_trace_writer_abandon(writer);
    pl_trace_close(trace);
    return rc;
}

static enum pl_err cut_one(void *given, const struct pl_strings *operands, struct pl_arena *arena, struct pl_error *err)
{
    struct values *values = given;
    const char *path;
    enum pl_err rc = cmd_one_operand(&cmd_trace_cut_spec, operands, "one trace", &path, err);
    if (rc == PL_OK)
        rc = cmd_trace_output_check(&values->output, "trace cut", err);
    return rc ? rc : cut(values, path, arena, err);
}

enum pl_err cmd_trace_cut(int argc, char **argv, struct pl_error *err)
{
    struct values values;
    return cmd_run(&cmd_trace_cut_spec, argc, argv, &values, cut_one, err);
}
