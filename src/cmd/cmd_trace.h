/* cmd/cmd_trace.h: `pagelab trace VERB`, the commands below trace. A verb is one file cmd_trace_VERB.c and one row in
 * cmd_trace.c. */
#ifndef PL_CMD_CMD_TRACE_H
#define PL_CMD_CMD_TRACE_H

#include "cmd/cmd.h"

extern const struct pl_command_spec cmd_trace_info_spec, cmd_trace_convert_spec, cmd_trace_check_spec,
    cmd_trace_map_spec;
enum pl_err cmd_trace_info(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_trace_convert(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_trace_map(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_trace_check(int argc, char **argv, struct pl_error *err);

extern const struct pl_command_spec cmd_trace_events_spec;
enum pl_err cmd_trace_events(int argc, char **argv, struct pl_error *err);

extern const struct pl_command_spec cmd_trace_gen_spec, cmd_trace_cut_spec, cmd_trace_merge_spec;
enum pl_err cmd_trace_gen(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_trace_cut(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_trace_merge(int argc, char **argv, struct pl_error *err);

/* What info and check say of a trace besides its counts: file, format, page size, clock. */
void cmd_trace_describe(struct pl_document *document, const struct pl_trace_info *info, struct pl_arena *arena);
/* The table of what was left out, and why; nothing when nothing was. */
void cmd_trace_skips(struct pl_document *document, const struct pl_trace_info *info);

#endif
