/* cmd/cmd_trace_convert.c: `pagelab trace convert`: from one format to another. */
#include "cmd/cmd_trace.h"
#include "cmd/trace_output.h"

struct values {
    struct cmd_trace_options trace;
    struct cmd_common common;
    struct cmd_trace_output output;
};

static const struct pl_option_group groups[] = {
    {"Writing", cmd_trace_output_table, offsetof(struct values, output)},
    {"Reading the trace", cmd_trace_option_table, offsetof(struct values, trace)},
    {"Output", cmd_undrawn_options, offsetof(struct values, common)},
    {NULL, NULL, 0},
};

static const struct pl_example examples[] = {
    {"pagelab trace convert t.lackey -o t.trace", "into the native format"},
    {"pagelab trace convert t.trace -o - --to csv | head", "back to text"},
    {NULL, NULL},
};

const struct pl_command_spec cmd_trace_convert_spec = {
    .name = "trace convert",
    .operands = "TRACE -o FILE",
    .summary = "from one format to another",
    .details =
        "Formats that cannot say something leave it out: hex and numbers keep only page numbers, memsim and pages "
        "add reads and writes. What would become wrong fails: the pages of several processes in a format without "
        "processes.\n\nOutput appears only when all of it was written.",
    .groups = groups,
    .examples = examples,
};

static struct pl_page_origin origin_of(void *user, pl_page page)
{
    return pl_trace_page_origin(user, page);
}

static enum pl_err copy(struct pl_trace *trace, struct pl_trace_writer *writer, struct pl_error *err)
{
    struct pl_batch batch;
    enum pl_err rc;
    while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK) {
        rc = pl_trace_write(writer, &batch, origin_of, trace, err);
        if (rc)
            return rc;
    }
    if (rc == PL_END && cmd_interrupted())
        return pl_fail(err, PL_ERR_RESOURCE, "interrupted; nothing was written");
    return rc == PL_END ? PL_OK : rc;
}

static enum pl_err report(const struct values *values, const struct pl_trace_info *info, const char *format,
                          struct pl_arena *arena, struct pl_error *err)
{
    int argc;
    char **argv;
    struct pl_document *document = pl_document_create(arena, "trace-convert", "Converted");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    cmd_trace_describe(document, info, arena);
    pl_document_parameter(document, "output", "written to", "", pl_value_text(values->output.output));
    pl_document_parameter(document, "output_format", "as", "", pl_value_text(format ? format : "native"));
    pl_document_result(document, "accesses", "accesses", "", pl_value_count(info->touches));
    pl_document_result(document, "pages", "distinct pages", "", pl_value_count(info->distinct));
    cmd_trace_skips(document, info);
    return cmd_emit(document, &values->common, err);
}

static enum pl_err open_writer(const struct values *values, const struct pl_trace_info *info,
                               struct pl_trace_writer **out, struct pl_error *err)
{
    struct pl_trace_header header = {.page_size = info->page_size,
                                     .records = info->records,
                                     .clock = info->clock,
                                     .source = info->source,
                                     .lost = info->lost};
    return cmd_trace_output_open(&values->output, &header, false, out, err);
}

static enum pl_err convert(struct values *values, const char *path, struct pl_arena *arena, struct pl_error *err)
{
    struct pl_trace *trace = NULL;
    struct pl_trace_writer *writer = NULL;
    struct pl_trace_options options;
    bool to_stdout = cmd_trace_output_is_stdout(&values->output);
    struct pl_progress progress = cmd_progress_begin("trace convert", "bytes", values->common.quiet);
    enum pl_err rc = cmd_trace_options_get(&values->trace, &options, err);
    if (rc)
        goto done;
    options.progress = &progress;
    options.need_dictionary = true;
    rc = pl_trace_open(path, &options, &trace, err);
    if (rc == PL_OK)
        rc = open_writer(values, pl_trace_info(trace), &writer, err);
    if (rc == PL_OK)
        rc = copy(trace, writer, err);
    if (rc == PL_OK) {
        rc = pl_trace_writer_close(writer, err);
        writer = NULL;
    }
    if (rc == PL_OK) {
        values->common.quiet |= to_stdout; /* the trace itself is there */
        rc = report(values, pl_trace_info(trace), cmd_trace_output_format(&values->output), arena, err);
    }
done:
    cmd_progress_end();
    pl_trace_writer_abandon(writer);
    pl_trace_close(trace);
    return rc;
}

static enum pl_err convert_one(void *given, const struct pl_strings *operands, struct pl_arena *arena,
                               struct pl_error *err)
{
    struct values *values = given;
    const char *path;
    enum pl_err rc = cmd_one_operand(&cmd_trace_convert_spec, operands, "one trace", &path, err);
    if (rc == PL_OK)
        rc = cmd_trace_output_check(&values->output, "trace convert", err);
    return rc ? rc : convert(values, path, arena, err);
}

enum pl_err cmd_trace_convert(int argc, char **argv, struct pl_error *err)
{
    struct values values;
    return cmd_run(&cmd_trace_convert_spec, argc, argv, &values, convert_one, err);
}
