/* cmd/cmd_report.c: `pagelab report`: results as one HTML page. */
#include "config.h"

#include "cmd/cmd.h"
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

struct report_options {
    const char *output, *title, *library;
    bool quiet, help;
};

static const struct pl_option page_options[] = {
    {"output", 'o', PL_OPT_TEXT, offsetof(struct report_options, output), "FILE", "report.html",
     "Where the page goes; '-' is standard output."},
    {"title", 0, PL_OPT_TEXT, offsetof(struct report_options, title), "TEXT", NULL,
     "The heading of the page; by default the answer of the first result."},
    {"library", 0, PL_OPT_TEXT, offsetof(struct report_options, library), "FILE", NULL,
     "Chart.js, to be copied into the page; by default where Debian's libjs-chart.js puts it. 'none': pictures by "
     "gnuplot."},
    {"quiet", 'q', PL_OPT_FLAG, offsetof(struct report_options, quiet), NULL, NULL,
     "Do not name the file that was made."},
    {"help", 'h', PL_OPT_FLAG, offsetof(struct report_options, help), NULL, NULL, "Show this page."},
    {NULL},
};

static const struct pl_option_group groups[] = {{"Options", page_options, 0}, {NULL}};

static const struct pl_example examples[] = {
    {"pagelab model models/winstone96.csv --json - | pagelab report - -o winstone.html",
     "The cost of a compressed cache, with sliders for every parameter."},
    {"pagelab curve traces/example.trace --json curve.json -q && pagelab report curve.json models/winstone96.csv -o "
     "both.html",
     "Two results on one page."},
    {NULL},
};

const struct pl_command_spec cmd_report_spec = {
    .name = "report",
    .operands = "RESULT [RESULT...]",
    .summary = "results as one HTML page, complete in itself, with figures and a what-if panel",
    .details =
        "RESULT is what another command wrote with --json or --csv, or the database of a sweep; '-' is standard input. "
        "The page shows the answer "
        "first, then figures, tables, parameters with their sources, notes and command lines. It needs no network and "
        "no other file, and can be read without scripts, on a phone and on paper.\n\n"
        "A result of 'model' or 'curve' gets a panel: sliders for m, d, r, cd, ch and frac compute the cost curve and "
        "its optimum anew from the fault table in the page, with the arithmetic of 'pagelab model'.\n\n"
        "Of long tables (5,000 rows, or 30,000 cells) the page holds evenly chosen rows, and says so. A sweep over "
        "several "
        "parameters is shown by the best point for each value of each parameter, and as a map where gnuplot is.",
    .groups = groups,
    .examples = examples,
};

static enum pl_err write_report(const struct report_options *given, const struct pl_strings *files,
                                struct pl_arena *arena, struct pl_error *err)
{
    struct pl_page_options options = {given->title, given->library};
    struct pl_page_outcome outcome = {0};
    struct pl_sink *sink;
    struct pl_page_source *sources = pl_arena_alloc(arena, files->count, sizeof *sources);
    enum pl_err rc = sources ? PL_OK : pl_fail_memory(err, 0, "results");
    for (size_t i = 0; i < files->count && rc == PL_OK; i++) {
        sources[i].path = files->item[i];
        rc = cmd_read_database(files->item[i], arena, &sources[i].text, &sources[i].length, err);
    }
    if (rc == PL_OK)
        rc = pl_sink_open_path(given->output, &sink, err);
    if (rc)
        return rc;
    rc = pl_page_write(sources, files->count, &options, sink, &outcome, err);
    if (rc) {
        pl_sink_abandon(sink);
        return rc;
    }
    rc = pl_sink_close(sink, err);
    if (rc)
        return rc;
    if (outcome.note[0])
        cmd_warn("%s", outcome.note);
    if (outcome.left_out)
        cmd_warn("%" PRIu64 " rows of long tables are left out of the page", outcome.left_out);
    if (!given->quiet && strcmp(given->output, "-"))
        fprintf(stderr, "pagelab: wrote %s\n", given->output);
    return PL_OK;
}

enum pl_err cmd_report(int argc, char **argv, struct pl_error *err)
{
    struct report_options given = {0};
    struct pl_strings files = {0};
    bool done = false;
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, 0, "options");
    enum pl_err rc = cmd_parse(&cmd_report_spec, argc, argv, &given, &files, arena, &done, err);
    if (rc == PL_OK && !done)
        rc = files.count ? write_report(&given, &files, arena, err)
                         : pl_fail(err, PL_ERR_USAGE, "report: no RESULT given (see pagelab report --help)");
    pl_arena_destroy(arena);
    return rc;
}
