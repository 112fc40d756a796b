/* cmd/trace_output.h: the options of commands that write a trace. */
#ifndef PL_CMD_TRACE_OUTPUT_H
#define PL_CMD_TRACE_OUTPUT_H

#include "cmd/cmd.h"

struct cmd_trace_output {
    const char *output, *to;
    bool plain, pack;
};
extern const struct pl_option cmd_trace_output_table[];

/* Checks the options; `command` is named in errors. */
enum pl_err cmd_trace_output_check(const struct cmd_trace_output *output, const char *command, struct pl_error *err);
/* The format to write: as told, else by the file's ending, else NULL for native. */
const char *cmd_trace_output_format(const struct cmd_trace_output *output);
/* Native blocks are packed unless told otherwise; `plain_pipe`: but plain on standard output. */
enum pl_err cmd_trace_output_open(const struct cmd_trace_output *output, const struct pl_trace_header *header,
                                  bool plain_pipe, struct pl_trace_writer **out, struct pl_error *err);
bool cmd_trace_output_is_stdout(const struct cmd_trace_output *output);

#endif
