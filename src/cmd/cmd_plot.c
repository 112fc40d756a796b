/* cmd/cmd_plot.c: `pagelab plot`: pictures of results, by gnuplot. */
#include "config.h"

#include "cmd/cmd.h"
#include "report/report.h"

#include <string.h>

struct plot_options {
    const char *output, *figure, *title, *size, *axes;
    struct pl_strings names, at;
    int form, log;
    bool list, quiet, help;
};

static const struct pl_option picture_options[] = {
    {"output", 'o', PL_OPT_TEXT, offsetof(struct plot_options, output), "FILE", "-",
     "Where the picture goes: FILE.svg, .png, .pdf or .txt; '-' is standard output, as text unless --format says "
     "more."},
    {"format", 0, PL_OPT_CHOICE, offsetof(struct plot_options, form), "FORM", "suffix",
     "What is drawn, when the name of the file does not say it.", pl_plot_form_names},
    {"title", 0, PL_OPT_TEXT, offsetof(struct plot_options, title), "TEXT", NULL, "The line over the picture."},
    {"name", 0, PL_OPT_LIST, offsetof(struct plot_options, names), "TEXT", NULL,
     "How a result is called in the legend, in the order of the results."},
    {"log", 0, PL_OPT_CHOICE, offsetof(struct plot_options, log), "AXES", "auto",
     "Logarithmic axes. 'auto' takes them for a fault table that would lie against the axes otherwise.",
     pl_plot_log_names},
    {"size", 0, PL_OPT_TEXT, offsetof(struct plot_options, size), "WxH", NULL,
     "Pixels (800x500), or characters for text (79x24)."},
    {"figure", 0, PL_OPT_TEXT, offsetof(struct plot_options, figure), "KIND", NULL,
     "The kind of figure; by default found from the columns of the result."},
    {"axes", 0, PL_OPT_TEXT, offsetof(struct plot_options, axes), "X,Y", NULL,
     "heat-map and sweep-line: which of the parameters that vary are the axes; by default the first two, or the first. "
     "Places show the best point over the others."},
    {"at", 0, PL_OPT_LIST, offsetof(struct plot_options, at), "NAME=VALUE", NULL,
     "heat-map and sweep-line: only points at which a parameter has this value, in the unit of the file."},
    {"list", 0, PL_OPT_FLAG, offsetof(struct plot_options, list), NULL, NULL, "List the kinds of figure."},
    {"quiet", 'q', PL_OPT_FLAG, offsetof(struct plot_options, quiet), NULL, NULL,
     "Do not name the file that was made."},
    {"help", 'h', PL_OPT_FLAG, offsetof(struct plot_options, help), NULL, NULL, "Show this page."},
    {NULL},
};

static const struct pl_option_group groups[] = {{"Options", picture_options, 0}, {NULL}};

static const struct pl_example examples[] = {
    {"pagelab plot models/winstone96.csv", "A fault table as text, on the terminal."},
    {"pagelab plot models/winstone96.csv --log xy -o winstone.svg", "The same as a file, both axes logarithmic."},
    {"pagelab model models/winstone96.csv --m 8MB --r 2 --cd 2ms --ch 10ms --json - | pagelab plot - -o model.svg",
     "What a compressed cache costs by its size."},
    {"pagelab sweep models/studies/curve.json -q -o curve.sqlite && pagelab plot curve.sqlite --axes d,r --at m=0.25",
     "A sweep over three parameters as a map of two."},
    {NULL},
};

const struct pl_command_spec cmd_plot_spec = {
    .name = "plot",
    .operands = "RESULT [RESULT...]",
    .summary = "draw results with gnuplot: svg, png, pdf or text",
    .details =
        "RESULT is what another command wrote with --json or --csv, the database of a sweep, or a table of your own "
        "with "
        "the same column names; '-' is standard input. Several results of one kind go into one picture.\n\n"
        "A gnuplot that cannot draw the wanted kind of file gets the next one asked (svg, then png, then text), and a "
        "line says so. Without gnuplot nothing is drawn and the exit status is 3. The scripts that draw are "
        "plots/KIND.gp, can be used by hand, and are taken from $PAGELAB_PLOTS if that is set.",
    .groups = groups,
    .examples = examples,
};

static enum pl_err list_figures(struct pl_error *err)
{
    struct pl_sink *sink;
    enum pl_err rc = pl_sink_open_path("-", &sink, err);
    if (rc)
        return rc;
    for (size_t i = 0; pl_figures[i]; i++)
        pl_sink_printf(sink, "%-14s %s\n", pl_figures[i]->name, pl_figures[i]->about);
    return pl_sink_close(sink, err);
}

/* "800x500"; the bounds keep gnuplot from drawing gigabytes. */
static enum pl_err parse_size(const char *text, struct pl_plot_options *options, struct pl_error *err)
{
    char width[16];
    uint64_t w, h;
    size_t length = strcspn(text, "x");
    if (length < sizeof width && text[length]) {
        memcpy(width, text, length);
        width[length] = '\0';
        if (pl_parse_u64(width, &w) && pl_parse_u64(text + length + 1, &h) && w >= 20 && h >= 10 && w <= 10000 &&
            h <= 10000) {
            options->width = (uint32_t)w;
            options->height = (uint32_t)h;
            return PL_OK;
        }
    }
    return pl_fail(err, PL_ERR_USAGE, "--size %s: write WIDTHxHEIGHT, from 20x10 to 10000x10000", text);
}

static enum pl_err read_result(const char *path, struct pl_arena *arena, struct pl_result *out, struct pl_error *err)
{
    const char *text;
    size_t length;
    enum pl_err rc = cmd_read_database(path, arena, &text, &length, err);
    if (rc)
        return rc;
    return text ? pl_result_read_text(text, length, path, arena, out, err) : pl_result_read(path, arena, out, err);
}

static enum pl_err read_and_draw(const struct plot_options *given, const struct pl_strings *files,
                                 struct pl_arena *arena, struct pl_error *err)
{
    struct pl_plot_options options = {.figure = given->figure,
                                      .title = given->title,
                                      .names = given->names,
                                      .at = given->at,
                                      .axes = given->axes,
                                      .form = (enum pl_plot_form)given->form,
                                      .log = (enum pl_plot_log)given->log};
    struct pl_plot_outcome outcome = {""};
    enum pl_err rc = given->size ? parse_size(given->size, &options, err) : PL_OK;
    if (rc)
        return rc;
    struct pl_result *results = pl_arena_alloc(arena, files->count, sizeof *results);
    if (!results)
        return pl_fail_memory(err, files->count * sizeof *results, "results");
    size_t read = 0;
    for (; read < files->count && rc == PL_OK; read++)
        rc = read_result(files->item[read], arena, &results[read], err);
    if (rc == PL_OK)
        rc = pl_plot_results(results, files->count, given->output, &options, &outcome, err);
    for (size_t i = 0; i < read; i++)
        pl_result_close(&results[i]);
    if (outcome.note[0])
        cmd_warn("%s", outcome.note);
    else if (rc == PL_OK && !given->quiet && strcmp(outcome.path, "-"))
        fprintf(stderr, "pagelab: drew %s\n", outcome.path);
    return rc;
}

enum pl_err cmd_plot(int argc, char **argv, struct pl_error *err)
{
    struct plot_options given = {0};
    struct pl_strings files = {0};
    bool done = false;
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, 0, "options");
    enum pl_err rc = cmd_parse(&cmd_plot_spec, argc, argv, &given, &files, arena, &done, err);
    if (rc == PL_OK && !done) {
        if (given.list)
            rc = list_figures(err);
        else if (files.count == 0)
            rc = pl_fail(err, PL_ERR_USAGE, "plot: no RESULT given (see pagelab plot --help)");
        else
            rc = read_and_draw(&given, &files, arena, err);
    }
    pl_arena_destroy(arena);
    return rc;
}
