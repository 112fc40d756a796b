/* capture/cap_common.c: what the commands of `pagecap` share: taking the line apart, and writing a document. */
#include "capture/pagecap.h"

#include <stdio.h>
#include <string.h>

const struct pl_option cap_common_options[] = {
    {"json", 0, PL_OPT_TEXT, offsetof(struct cap_common, json), "FILE", NULL,
     "Write the result as JSON, with units and exact counts; '-' is standard output."},
    {"csv", 0, PL_OPT_TEXT, offsetof(struct cap_common, csv), "FILE", NULL,
     "Write the main table as CSV; '-' is standard output."},
    {"quiet", 'q', PL_OPT_FLAG, offsetof(struct cap_common, quiet), NULL, NULL, "No table on standard output."},
    {"help", 'h', PL_OPT_FLAG, offsetof(struct cap_common, help), NULL, NULL, "Show this page."},
    {NULL},
};

static enum pl_err print_help(const struct pl_command_spec *spec, struct pl_error *err)
{
    struct pl_sink *sink;
    enum pl_err rc = pl_sink_open_stream(stdout, "standard output", &sink, err);
    if (rc)
        return rc;
    pl_options_help(spec, "pagecap", sink);
    return pl_sink_close(sink, err);
}

enum pl_err cap_begin(const struct pl_command_spec *spec, int argc, char **argv, void *values, struct cap_line *line,
                      struct pl_error *err)
{
    *line = (struct cap_line){.arena = pl_arena_create()};
    if (!line->arena)
        return pl_fail_memory(err, 0, "the command");
    int count = 1;
    while (count < argc && strcmp(argv[count], "--") != 0)
        count++;
    if (count < argc)
        line->program = argv + count + 1;
    for (int i = 1; i < count; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            line->done = true;
            return print_help(spec, err);
        }
    return pl_options_parse(spec, count, argv, values, &line->operands, line->arena, err);
}

void cap_end(struct cap_line *line)
{
    pl_arena_destroy(line->arena);
    line->arena = NULL;
}

typedef enum pl_err write_fn(const struct pl_document *document, struct pl_sink *sink, struct pl_error *err);

static enum pl_err write_to(const struct pl_document *document, const char *path, write_fn *write, struct pl_error *err)
{
    struct pl_sink *sink;
    enum pl_err rc = pl_sink_open_path(path, &sink, err);
    if (rc)
        return rc;
    rc = write(document, sink, err);
    if (rc) {
        pl_sink_abandon(sink);
        return rc;
    }
    return pl_sink_close(sink, err);
}

static bool is_stdout(const char *path)
{
    return path && !strcmp(path, "-");
}

enum pl_err cap_emit(const struct pl_document *document, const struct cap_common *common, struct pl_error *err)
{
    if (pl_document_failed(document))
        return pl_fail_memory(err, 0, "the result");
    if (is_stdout(common->json) && is_stdout(common->csv))
        return pl_fail(err, PL_ERR_USAGE, "--json and --csv cannot both go to standard output");
    enum pl_err rc = PL_OK;
    if (common->json)
        rc = write_to(document, common->json, pl_document_write_json, err);
    if (rc == PL_OK && common->csv)
        rc = write_to(document, common->csv, pl_document_write_csv, err);
    if (rc == PL_OK && !common->quiet && !is_stdout(common->json) && !is_stdout(common->csv))
        rc = write_to(document, "-", pl_document_write_text, err);
    return rc;
}

enum pl_err cap_pid(const struct cap_line *line, uint64_t *pid, struct pl_error *err)
{
    if (line->operands.count != 1)
        return pl_fail(err, PL_ERR_USAGE, "give one process id");
    if (!pl_parse_u64(line->operands.item[0], pid) || *pid == 0)
        return pl_fail(err, PL_ERR_USAGE, "'%s' is no process id", line->operands.item[0]);
    return PL_OK;
}
