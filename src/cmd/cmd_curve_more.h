/* cmd/cmd_curve_more.h: what `pagelab curve` answers besides one table for one trace. */
#ifndef PL_CMD_CMD_CURVE_MORE_H
#define PL_CMD_CMD_CURVE_MORE_H

#include "cmd/cmd.h"

struct curve_options;

enum curve_by { CURVE_BY_NOTHING, CURVE_BY_PHASE, CURVE_BY_PROCESS };
enum curve_show { CURVE_SHOW_FAULTS, CURVE_SHOW_WORKING_SET, CURVE_SHOW_INTERVALS };

struct curve_more_options {
    int by, show; /* enum curve_by, enum curve_show */
    uint64_t windows;
    pl_time_ps window_time;
    bool restart, reads_only;
    const char *page_bytes;
};
extern const struct pl_option curve_more_option_table[];
extern const struct pl_example curve_more_examples[];

/* Whether one of these questions is asked; then curve_more answers it, and writes the document. */
bool curve_more_asked(const struct curve_more_options *more);
enum pl_err curve_more_check(const struct curve_options *options, struct pl_error *err);
enum pl_err curve_more(const struct curve_options *options, struct pl_trace *trace, struct pl_arena *arena,
                       struct pl_error *err);

/* One file each. */
enum pl_err curve_by_windows(const struct curve_options *options, struct pl_trace *trace, struct pl_arena *arena,
                             struct pl_error *err); /* cmd_curve_windows.c: windows and phases */
enum pl_err curve_by_process(const struct curve_options *options, struct pl_trace *trace, struct pl_arena *arena,
                             struct pl_error *err); /* cmd_curve_process.c */
enum pl_err curve_of_intervals(const struct curve_options *options, struct pl_trace *trace, struct pl_arena *arena,
                               struct pl_error *err); /* cmd_curve_intervals.c: working sets, too */
enum pl_err curve_by_bytes(const struct curve_options *options, struct pl_trace *trace, struct pl_arena *arena,
                           struct pl_error *err); /* cmd_curve_bytes.c */

/* A document with the command and what the trace is; NULL when there is no memory. */
struct pl_document *curve_more_document(const struct pl_trace_info *info, const char *kind, const char *title,
                                        struct pl_arena *arena);
/* Shows `table` for people in part and as the CSV, and writes the document. */
enum pl_err curve_more_emit(struct pl_document *document, struct pl_document_table *table,
                            const struct curve_options *options, const struct pl_trace_info *info,
                            struct pl_error *err);

static inline double curve_mb(const struct pl_trace_info *info, double pages)
{
    return pages * (double)info->page_size / (double)PL_MIB;
}

#endif
