/* cmd/cmd_sweep_results.c: `pagelab sweep export`, `show`, `best` and `merge`: what can be done with results. */
#include "cmd/cmd_sweep.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct pl_option objective_options[] = {
    {"minimise", 0, PL_OPT_TEXT, offsetof(struct sweep_view_options, minimise), "FORMULA", NULL,
     "What shall be least, in place of the study's objective: a formula over parameters and outputs.", NULL, 0},
    {"maximise", 0, PL_OPT_TEXT, offsetof(struct sweep_view_options, maximise), "FORMULA", NULL,
     "What shall be greatest.", NULL, 0},
    {"subject-to", 0, PL_OPT_LIST, offsetof(struct sweep_view_options, subject_to), "FORMULA", NULL,
     "A condition that points must meet, beside the study's (or alone, with --minimise or --maximise).", NULL, 0},
    {NULL},
};

static const struct pl_option best_options[] = {
    {"count", 'n', PL_OPT_COUNT, offsetof(struct sweep_view_options, count), "N", "10", "How many points.", NULL, 0},
    {NULL},
};

static const struct pl_option merge_options[] = {
    {"output", 'o', PL_OPT_TEXT, offsetof(struct sweep_view_options, output), "FILE", NULL,
     "The database to make, or to add to when it is of the same study.", NULL, 0},
    {NULL},
};

static const struct pl_option help_only[] = {
    {"quiet", 'q', PL_OPT_FLAG, offsetof(struct cmd_common, quiet), NULL, NULL, "Say nothing.", NULL, 0},
    {"help", 'h', PL_OPT_FLAG, offsetof(struct cmd_common, help), NULL, NULL, "Show this page.", NULL, 0},
    {NULL},
};

static const struct pl_option_group view_groups[] = {
    {"What is best", objective_options, 0},
    {"Output", cmd_undrawn_options, offsetof(struct sweep_view_options, common)},
    {NULL, NULL, 0},
};
static const struct pl_option_group best_groups[] = {
    {"What is best", objective_options, 0},
    {"How much", best_options, 0},
    {"Output", cmd_undrawn_options, offsetof(struct sweep_view_options, common)},
    {NULL, NULL, 0},
};
static const struct pl_option_group merge_groups[] = {
    {"Output", merge_options, 0},
    {"Other", help_only, offsetof(struct sweep_view_options, common)},
    {NULL, NULL, 0},
};

static const struct pl_example export_examples[] = {
    {"pagelab sweep export results.sqlite --csv points.csv", "all points as a table"},
    {"pagelab sweep export results.sqlite --json points.json --quiet", "the same for pictures and programs"},
    {NULL, NULL},
};
static const struct pl_example show_examples[] = {
    {"pagelab sweep show results.sqlite", "what was asked, how far it is, the best points, what failed"},
    {NULL, NULL},
};
static const struct pl_example best_examples[] = {
    {"pagelab sweep best results.sqlite --count 3", "by the study's own objective"},
    {"pagelab sweep best results.sqlite --minimise total_s --subject-to 'store <= 0.1 * m'", "by another"},
    {NULL, NULL},
};
static const struct pl_example merge_examples[] = {
    {"pagelab sweep merge part-1.sqlite part-2.sqlite -o all.sqlite", "two shards become one"},
    {NULL, NULL},
};

const struct pl_command_spec cmd_sweep_export_spec = {
    .name = "sweep export",
    .operands = "RESULTS",
    .summary = "the points of a study as a table, JSON or CSV, in the order of the design",
    .details =
        "Holds nothing that differs between two runs of the same study: no times, no paths. A point that failed has "
        "its error; 'allowed' says whether it ran, lies inside the data and meets the constraints.",
    .groups = view_groups,
    .examples = export_examples,
};
const struct pl_command_spec cmd_sweep_show_spec = {
    .name = "sweep show",
    .operands = "RESULTS",
    .summary = "what was asked, how far it is, the best points, what failed",
    .groups = view_groups,
    .examples = show_examples,
};
const struct pl_command_spec cmd_sweep_best_spec = {
    .name = "sweep best",
    .operands = "RESULTS",
    .summary = "the best points under an objective and constraints",
    .groups = best_groups,
    .examples = best_examples,
};
const struct pl_command_spec cmd_sweep_merge_spec = {
    .name = "sweep merge",
    .operands = "RESULTS...",
    .summary = "shards of one study become one database",
    .details = "Points that several inputs have must be alike in all of them.",
    .groups = merge_groups,
    .examples = merge_examples,
};

typedef enum pl_err document_fn(struct sweep_view *view, const struct sweep_view_options *options,
                                struct pl_document **out, struct pl_error *err);

static enum pl_err make_points(struct sweep_view *view, const struct sweep_view_options *options,
                               struct pl_document **out, struct pl_error *err)
{
    return sweep_points_document(view, out, err);
}

static enum pl_err make_show(struct sweep_view *view, const struct sweep_view_options *options,
                             struct pl_document **out, struct pl_error *err)
{
    return sweep_show_document(view, out, err);
}

static enum pl_err make_best(struct sweep_view *view, const struct sweep_view_options *options,
                             struct pl_document **out, struct pl_error *err)
{
    if (options->count < 1 || options->count > 1000000)
        return pl_fail(err, PL_ERR_USAGE, "--count: 1 to 1000000 points");
    return sweep_best_document(view, (size_t)options->count, out, err);
}

static enum pl_err view_results(const struct pl_command_spec *spec, document_fn *make, int argc, char **argv,
                                struct pl_error *err)
{
    struct sweep_view_options options;
    struct sweep_view view = {0};
    struct pl_strings operands;
    struct pl_document *document;
    bool done;
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, 0, "results");
    enum pl_err rc = cmd_parse(spec, argc, argv, &options, &operands, arena, &done, err);
    if (rc || done)
        goto out;
    if (operands.count != 1) {
        rc = pl_fail(err, PL_ERR_USAGE, "%s takes one database of results", spec->name);
        goto out;
    }
    /* Who exports to a file does not want 24 of the points on the screen as well. */
    options.common.quiet |= spec == &cmd_sweep_export_spec && (options.common.json || options.common.csv);
    rc = sweep_view_open(operands.item[0], &options, arena, &view, err);
    if (rc == PL_OK)
        rc = make(&view, &options, &document, err);
    if (rc == PL_OK)
        rc = cmd_emit(document, &options.common, err);
out:
    sweep_view_close(&view);
    pl_arena_destroy(arena);
    return rc;
}

/* --- for commands that take results of any kind ------------------------------------------- */

static bool is_database(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char head[sizeof magic] = "";
    struct stat status; /* a pipe must not lose its first bytes */
    if (!strcmp(path, "-") || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    FILE *file = fopen(path, "rb");
    const bool is = file && fread(head, 1, sizeof head, file) == sizeof head && !memcmp(head, magic, sizeof magic);
    if (file)
        fclose(file);
    return is;
}

enum pl_err cmd_read_database(const char *path, struct pl_arena *arena, const char **text, size_t *length,
                              struct pl_error *err)
{
    static const struct sweep_view_options plain;
    struct sweep_view view = {0};
    struct pl_document *document;
    struct pl_sink *sink = NULL;
    *text = NULL;
    *length = 0;
    if (!is_database(path))
        return PL_OK;
    enum pl_err rc = sweep_view_open(path, &plain, arena, &view, err);
    if (rc == PL_OK)
        rc = sweep_points_document(&view, &document, err);
    if (rc == PL_OK)
        rc = pl_sink_open_memory(&sink, err);
    if (rc == PL_OK)
        rc = pl_document_write_json(document, sink, err);
    if (rc == PL_OK) {
        const char *json = pl_sink_memory(sink, length);
        char *copy = pl_arena_alloc(arena, *length + 1, 1);
        if (copy)
            memcpy(copy, json, *length);
        *text = copy;
        rc = copy ? PL_OK : pl_fail_memory(err, *length, "the points of a study");
    }
    pl_sink_abandon(sink);
    sweep_view_close(&view);
    return rc;
}

enum pl_err cmd_sweep_export(int argc, char **argv, struct pl_error *err)
{
    return view_results(&cmd_sweep_export_spec, make_points, argc, argv, err);
}

enum pl_err cmd_sweep_show(int argc, char **argv, struct pl_error *err)
{
    return view_results(&cmd_sweep_show_spec, make_show, argc, argv, err);
}

enum pl_err cmd_sweep_best(int argc, char **argv, struct pl_error *err)
{
    return view_results(&cmd_sweep_best_spec, make_best, argc, argv, err);
}

static enum pl_err merge(const struct sweep_view_options *options, const struct pl_strings *inputs,
                         struct pl_error *err)
{
    struct pl_merge_counts counts;
    if (!options->output)
        return pl_fail(err, PL_ERR_USAGE, "sweep merge: which database is to be made? Say -o FILE");
    if (!inputs->count)
        return pl_fail(err, PL_ERR_USAGE, "sweep merge: of which databases?");
    enum pl_err rc = pl_results_merge(options->output, inputs->item, inputs->count, &counts, err);
    if (rc == PL_OK && !options->common.quiet)
        printf("%s: %llu points from %zu databases, %llu of them more than once\n", options->output,
               (unsigned long long)counts.rows, inputs->count, (unsigned long long)counts.twice);
    return rc;
}

enum pl_err cmd_sweep_merge(int argc, char **argv, struct pl_error *err)
{
    struct sweep_view_options options;
    struct pl_strings operands;
    bool done;
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, 0, "results");
    enum pl_err rc = cmd_parse(&cmd_sweep_merge_spec, argc, argv, &options, &operands, arena, &done, err);
    if (rc == PL_OK && !done)
        rc = merge(&options, &operands, err);
    pl_arena_destroy(arena);
    return rc;
}
