/* cmd/common.c: what the commands share: common options, writing a document where it was asked for, warnings. */
#include "config.h"

#include "cmd/cmd.h"
#include "report/report.h"

#include <stdarg.h>
#include <string.h>

static const char json_help[] = "Write the result as JSON, with units and exact counts; '-' is standard output.";
static const char csv_help[] = "Write the main table as CSV; '-' is standard output.";
static const char quiet_help[] = "No table on standard output, no progress.";
static const char help_help[] = "Show this page.";

const struct pl_option cmd_common_options[] = {
    {"json", 0, PL_OPT_TEXT, offsetof(struct cmd_common, json), "FILE", NULL, json_help},
    {"csv", 0, PL_OPT_TEXT, offsetof(struct cmd_common, csv), "FILE", NULL, csv_help},
    {"plot", 0, PL_OPT_TEXT, offsetof(struct cmd_common, plot), "FILE", NULL,
     "Draw the result with gnuplot to FILE.svg, .png or .pdf; '-' draws on the terminal."},
    {"quiet", 'q', PL_OPT_FLAG, offsetof(struct cmd_common, quiet), NULL, NULL, quiet_help},
    {"help", 'h', PL_OPT_FLAG, offsetof(struct cmd_common, help), NULL, NULL, help_help},
    {NULL},
};

const struct pl_option cmd_undrawn_options[] = {
    {"json", 0, PL_OPT_TEXT, offsetof(struct cmd_common, json), "FILE", NULL, json_help},
    {"csv", 0, PL_OPT_TEXT, offsetof(struct cmd_common, csv), "FILE", NULL, csv_help},
    {"quiet", 'q', PL_OPT_FLAG, offsetof(struct cmd_common, quiet), NULL, NULL, quiet_help},
    {"help", 'h', PL_OPT_FLAG, offsetof(struct cmd_common, help), NULL, NULL, help_help},
    {NULL},
};

/* The parser fills only what its table names: a command without --plot has no plot. */
static void clear_common(const struct pl_command_spec *spec, void *values)
{
    for (const struct pl_option_group *group = spec->groups; group->options; group++)
        if (group->options == cmd_common_options || group->options == cmd_undrawn_options)
            memset((char *)values + group->offset, 0, sizeof(struct cmd_common));
}

static enum pl_err print_help(const struct pl_command_spec *spec, struct pl_error *err)
{
    struct pl_sink *sink;
    enum pl_err rc = pl_sink_open_stream(stdout, "standard output", &sink, err);
    if (rc)
        return rc;
    pl_options_help(spec, "pagelab", sink);
    return pl_sink_close(sink, err);
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return true;
    return false;
}

enum pl_err cmd_parse(const struct pl_command_spec *spec, int argc, char **argv, void *values,
                      struct pl_strings *operands, struct pl_arena *arena, bool *done, struct pl_error *err)
{
    *done = false;
    /* Help is given even when the rest of the line would not parse: that is when it is needed. */
    if (asks_for_help(argc, argv)) {
        *done = true;
        return print_help(spec, err);
    }
    clear_common(spec, values);
    enum pl_err rc = pl_options_parse(spec, argc, argv, values, operands, arena, err);
    return rc ? rc : cmd_check_outputs(spec, values, operands, err);
}

enum pl_err cmd_run(const struct pl_command_spec *spec, int argc, char **argv, void *values, cmd_work *work,
                    struct pl_error *err)
{
    struct pl_strings operands;
    bool done;
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, 0, "a run");
    enum pl_err rc = cmd_parse(spec, argc, argv, values, &operands, arena, &done, err);
    if (rc == PL_OK && !done)
        rc = work(values, &operands, arena, err);
    pl_arena_destroy(arena);
    return rc;
}

enum pl_err cmd_one_operand(const struct pl_command_spec *spec, const struct pl_strings *operands, const char *what,
                            const char **out, struct pl_error *err)
{
    if (operands->count != 1)
        return pl_fail(err, PL_ERR_USAGE, "%s: needs %s ('-' is standard input)", spec->name, what);
    *out = operands->item[0];
    return PL_OK;
}

typedef enum pl_err write_fn(const struct pl_document *document, struct pl_sink *sink, struct pl_error *err);

static enum pl_err write_to(const struct pl_document *document, const char *path, write_fn *write, struct pl_error *err)
{
    struct pl_sink *sink;
    enum pl_err rc = !strcmp(path, "-") ? pl_sink_open_stream(stdout, "standard output", &sink, err)
                                        : pl_sink_open_path(path, &sink, err);
    if (rc)
        return rc;
    rc = write(document, sink, err);
    if (rc) {
        pl_sink_abandon(sink);
        return rc;
    }
    return pl_sink_close(sink, err);
}

static bool goes_to_stdout(const char *path)
{
    return path && !strcmp(path, "-");
}

static enum pl_err draw(const struct pl_document *document, const char *path, struct pl_error *err)
{
    struct pl_plot_outcome outcome;
    enum pl_err rc = pl_plot_document(document, path, NULL, &outcome, err);
    if (outcome.note[0])
        cmd_warn("%s", outcome.note);
    return rc;
}

enum pl_err cmd_emit(const struct pl_document *document, const struct cmd_common *common, struct pl_error *err)
{
    cmd_progress_end();
    if (pl_document_failed(document))
        return pl_fail(err, PL_ERR_RESOURCE, "out of memory while the result was put together");
    bool taken = goes_to_stdout(common->json) || goes_to_stdout(common->csv) || goes_to_stdout(common->plot);
    enum pl_err rc = PL_OK, closed = PL_OK;
    if (!taken && !common->quiet)
        rc = write_to(document, "-", pl_document_write_text, err);
    if (rc == PL_ERR_CLOSED) { /* `| head`: the files are still wanted */
        closed = rc;
        rc = PL_OK;
    }
    if (!rc && common->json)
        rc = write_to(document, common->json, pl_document_write_json, err);
    if (!rc && common->csv)
        rc = write_to(document, common->csv, pl_document_write_csv, err);
    if (!rc && common->plot)
        rc = draw(document, common->plot, err);
    return rc ? rc : closed;
}

void cmd_warn(const char *format, ...)
{
    cmd_progress_end();
    va_list arguments;
    va_start(arguments, format);
    fputs("pagelab: warning: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}
