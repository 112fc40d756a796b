/* cmd/trace_output.c: the options of commands that write a trace. */
#include "cmd/trace_output.h"

#include "trace/format_find.h"

#include <string.h>

const struct pl_option cmd_trace_output_table[] = {
    {"output", 'o', PL_OPT_TEXT, offsetof(struct cmd_trace_output, output), "FILE", NULL,
     "The trace to write; '-' is standard output."},
    {"to", 't', PL_OPT_TEXT, offsetof(struct cmd_trace_output, to), "FORMAT", NULL,
     "Its format; without this the one that FILE's ending names (.hex, .csv, ...), else native."},
    {"plain", 0, PL_OPT_FLAG, offsetof(struct cmd_trace_output, plain), NULL, NULL,
     "native: store blocks as they are: larger, and the fastest to read and write."},
    {"pack", 0, PL_OPT_FLAG, offsetof(struct cmd_trace_output, pack), NULL, NULL, "native: code and compress blocks."},
    {NULL},
};

enum pl_err cmd_trace_output_check(const struct cmd_trace_output *output, const char *command, struct pl_error *err)
{
    if (!output->output)
        return pl_fail(err, PL_ERR_USAGE, "%s: needs -o FILE ('-' is standard output)", command);
    if (output->plain && output->pack)
        return pl_fail(err, PL_ERR_USAGE, "%s: --plain and --pack exclude each other", command);
    return PL_OK;
}

const char *cmd_trace_output_format(const struct cmd_trace_output *output)
{
    if (output->to)
        return output->to;
    const struct pl_format *format = pl_format_for_writing(output->output);
    return format ? format->name : NULL;
}

bool cmd_trace_output_is_stdout(const struct cmd_trace_output *output)
{
    return !strcmp(output->output, "-");
}

enum pl_err cmd_trace_output_open(const struct cmd_trace_output *output, const struct pl_trace_header *header,
                                  bool plain_pipe, struct pl_trace_writer **out, struct pl_error *err)
{
    const bool plain = output->plain || (plain_pipe && !output->pack && cmd_trace_output_is_stdout(output));
    return pl_trace_writer_open(output->output, cmd_trace_output_format(output), !plain, header, out, err);
}
