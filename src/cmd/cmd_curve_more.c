/* cmd/cmd_curve_more.c: options of `pagelab curve` that ask for something else than one table, and who answers them. */
#include "cmd/cmd_curve.h"
#include "cmd/cmd_trace.h"

static const char *const by_names[] = {"nothing", "phase", "process", NULL};
static const char *const show_names[] = {"faults", "working-set", "intervals", NULL};
enum { ROWS_FOR_PEOPLE = 24 };

#define AT(field) offsetof(struct curve_more_options, field)
const struct pl_option curve_more_option_table[] = {
    {"windows", 0, PL_OPT_COUNT, AT(windows), "N", NULL,
     "A curve for every N accesses, with memories as full as the window before left them. An eviction counts in the "
     "window in which it happens.",
     NULL, 0},
    {"window-time", 0, PL_OPT_TIME, AT(window_time), "TIME", NULL, "The same for windows of time: 1s, 100ms.", NULL, 0},
    {"by", 0, PL_OPT_CHOICE, AT(by), "WHAT", "nothing",
     "phase: a curve for each phase that the trace marks, phases of one name added up. process: a curve for each "
     "process "
     "as if it had the memory to itself, and one for all in one memory.",
     by_names, 0},
    {"restart", 0, PL_OPT_FLAG, AT(restart), NULL, NULL, "Begin every window or phase with empty memories.", NULL, 0},
    {"show", 0, PL_OPT_CHOICE, AT(show), "WHAT", "faults",
     "working-set: mean working set, faults and lifetime (accesses between faults) by window (Denning). intervals: how "
     "often how many accesses lie between two of one page.",
     show_names, 0},
    {"page-bytes", 0, PL_OPT_TEXT, AT(page_bytes), "FILE", NULL,
     "Pages have sizes, as compressed ones do; memory is then the bytes of their store. FILE is a CSV with columns "
     "page "
     "(its number in the trace), bytes and perhaps process; or with bytes and pages, how many are so large, from which "
     "each page draws its size.",
     NULL, 0},
    {"reads-only", 0, PL_OPT_FLAG, AT(reads_only), NULL, NULL,
     "Leave write-backs out. With --policy opt that takes one run for all sizes.", NULL, 0},
    {NULL},
};

bool curve_more_asked(const struct curve_more_options *more)
{
    return more->by || more->show || more->windows || more->window_time || more->page_bytes;
}

enum pl_err curve_more_check(const struct curve_options *options, struct pl_error *err)
{
    const struct curve_more_options *more = &options->more;
    int asked = (more->by != 0) + (more->show != 0) + (more->windows != 0) + (more->window_time != 0) +
                (more->page_bytes != NULL);
    bool windows = more->windows || more->window_time || more->by == CURVE_BY_PHASE;
    if (asked > 1)
        return pl_fail(err, PL_ERR_USAGE, "--windows, --window-time, --by, --show and --page-bytes: give one of them");
    if (more->window_time < 0)
        return pl_fail(err, PL_ERR_USAGE, "--window-time: a time below zero");
    if (more->restart && !windows)
        return pl_fail(err, PL_ERR_USAGE, "--restart belongs to --windows, --window-time or --by phase");
    if (asked && (options->policy != PL_SIMULATED_LRU || options->rate_given || options->samples))
        return pl_fail(err, PL_ERR_USAGE,
                       "--windows, --window-time, --by, --show and --page-bytes: for exact LRU only, "
                       "without --policy, --rate or --samples");
    if (asked && more->reads_only)
        return pl_fail(err, PL_ERR_USAGE, "--reads-only is for one table");
    if (asked && !more->page_bytes && options->common.plot)
        return pl_fail(err, PL_ERR_USAGE, "--plot draws one fault table; take --csv or --json to draw %s",
                       more->show ? "this" : "several");
    if (windows && options->all_sizes)
        return pl_fail(err, PL_ERR_USAGE, "--all-sizes is for one table, not for one of each window");
    return PL_OK;
}

enum pl_err curve_more(const struct curve_options *options, struct pl_trace *trace, struct pl_arena *arena,
                       struct pl_error *err)
{
    const struct curve_more_options *more = &options->more;
    if (more->page_bytes)
        return curve_by_bytes(options, trace, arena, err);
    if (more->show)
        return curve_of_intervals(options, trace, arena, err);
    return more->by == CURVE_BY_PROCESS ? curve_by_process(options, trace, arena, err)
                                        : curve_by_windows(options, trace, arena, err);
}

struct pl_document *curve_more_document(const struct pl_trace_info *info, const char *kind, const char *title,
                                        struct pl_arena *arena)
{
    int argc;
    char **argv;
    struct pl_document *document = pl_document_create(arena, kind, title);
    if (!document)
        return NULL;
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    cmd_trace_describe(document, info, arena);
    return document;
}

enum pl_err curve_more_emit(struct pl_document *document, struct pl_document_table *table,
                            const struct curve_options *options, const struct pl_trace_info *info, struct pl_error *err)
{
    if (cmd_interrupted())
        pl_document_note(document, "interrupted: only a part was read");
    if (info->lost)
        pl_document_note(document, "the source lost records: the true counts are higher");
    pl_document_show_at_most(table, ROWS_FOR_PEOPLE);
    pl_document_csv_table(document, table);
    cmd_trace_skips(document, info);
    return cmd_emit(document, &options->common, err);
}
