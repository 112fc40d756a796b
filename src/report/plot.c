/* report/plot.c: one drawing from end to end: which figure, its data, a terminal that gnuplot has, the file in place. */
#include "report/figure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const pl_plot_form_names[] = {"suffix", "svg", "png", "pdf", "text", NULL};
const char *const pl_plot_log_names[] = {"auto", "none", "x", "y", "xy", NULL};

/* --- terminals ------------------------------------------------------------------ */
/* A form has one or two terminals, the better one first. */
static const struct form {
    const char *suffix, *what, *terminals[2];
    enum pl_plot_form next[3]; /* what is drawn instead; ends with PL_PLOT_BY_SUFFIX */
} forms[] = {
    [PL_PLOT_SVG] = {".svg", "an svg", {"svg"}, {PL_PLOT_PNG, PL_PLOT_TEXT}},
    [PL_PLOT_PNG] = {".png", "a png", {"pngcairo", "png"}, {PL_PLOT_SVG, PL_PLOT_TEXT}},
    [PL_PLOT_PDF] = {".pdf", "a pdf", {"pdfcairo"}, {PL_PLOT_SVG, PL_PLOT_PNG, PL_PLOT_TEXT}},
    [PL_PLOT_TEXT] = {".txt", "a text", {"dumb"}, {PL_PLOT_BY_SUFFIX}},
};

static bool has_word(const char *list, const char *word)
{
    char spaced[32];
    snprintf(spaced, sizeof spaced, " %s ", word);
    return strstr(list, spaced) != NULL;
}

/* The form's terminal that gnuplot has, or NULL. */
static const char *terminal_of(enum pl_plot_form form, const char *terminals)
{
    for (size_t i = 0; i < PL_COUNT_OF(forms[form].terminals); i++)
        if (forms[form].terminals[i] && has_word(terminals, forms[form].terminals[i]))
            return forms[form].terminals[i];
    return NULL;
}

static enum pl_err choose_terminal(const char *terminals, enum pl_plot_form wanted, enum pl_plot_form *form,
                                   const char **terminal, struct pl_error *err)
{
    *form = wanted;
    *terminal = terminal_of(wanted, terminals);
    for (size_t i = 0; !*terminal && i < PL_COUNT_OF(forms[wanted].next) && forms[wanted].next[i]; i++) {
        *form = forms[wanted].next[i];
        *terminal = terminal_of(*form, terminals);
    }
    return *terminal ? PL_OK
                     : pl_fail(err, PL_ERR_RESOURCE, "this gnuplot has no terminal for svg, png, pdf or text");
}

static enum pl_err form_of(const char *path, enum pl_plot_form asked, enum pl_plot_form *out, struct pl_error *err)
{
    *out = asked ? asked : !strcmp(path, "-") ? PL_PLOT_TEXT : PL_PLOT_BY_SUFFIX;
    const char *suffix = strrchr(path, '.');
    for (size_t form = PL_PLOT_SVG; !*out && suffix && form <= PL_PLOT_TEXT; form++)
        if (!strcmp(suffix, forms[form].suffix))
            *out = (enum pl_plot_form)form;
    if (!*out)
        return pl_fail(err, PL_ERR_USAGE, "%s: a picture's name ends in .svg, .png, .pdf or .txt", path);
    return PL_OK;
}

/* --- the file in its place --------------------------------------------------------- */
/* After a fallback the file must not pretend: f.svg becomes f.png. */
static void final_path(const char *path, enum pl_plot_form wanted, enum pl_plot_form form, char *out, size_t size)
{
    size_t length = strlen(path), suffix = strlen(forms[wanted].suffix);
    bool ours = length > suffix && !strcmp(path + length - suffix, forms[wanted].suffix);
    if (wanted == form || !ours)
        snprintf(out, size, "%s", path);
    else
        snprintf(out, size, "%.*s%s", (int)(length - suffix), path, forms[form].suffix);
}

static void say_fallback(enum pl_plot_form wanted, enum pl_plot_form form, struct pl_plot_outcome *outcome)
{
    char shown[256];
    pl_printable(shown, sizeof shown, outcome->path, strlen(outcome->path));
    if (wanted != form)
        snprintf(outcome->note, sizeof outcome->note, "this gnuplot cannot draw %s; drew %s instead: %s",
                 forms[wanted].what, forms[form].what, strcmp(outcome->path, "-") ? shown : "on standard output");
}

static void copy_bytes(FILE *from, struct pl_sink *to)
{
    char piece[1 << 14];
    size_t got;
    while ((got = fread(piece, 1, sizeof piece, from)) > 0)
        pl_sink_write(to, piece, got);
}

/* gnuplot fills the whole screen with blanks and leaves the last line open: neither belongs into a text file. */
static void copy_text(FILE *from, struct pl_sink *to)
{
    size_t blanks = 0, newlines = 0;
    bool begun = false;
    for (int c; (c = getc(from)) != EOF;) {
        if (c == '\n' || c == '\f') {
            newlines += begun;
            blanks = 0;
        } else if (c == ' ') {
            blanks++;
        } else {
            begun = true;
            for (; newlines; newlines--)
                pl_sink_puts(to, "\n");
            for (; blanks; blanks--)
                pl_sink_puts(to, " ");
            char byte = (char)c;
            pl_sink_write(to, &byte, 1);
        }
    }
    pl_sink_puts(to, "\n");
}

static enum pl_err deliver(const char *from, const char *to, bool text, struct pl_error *err)
{
    struct pl_sink *sink;
    FILE *file = fopen(from, "rb");
    if (!file)
        return pl_fail_errno(err, errno, "%s", from);
    enum pl_err rc = pl_sink_open_path(to, &sink, err);
    if (rc == PL_OK) {
        if (text)
            copy_text(file, sink);
        else
            copy_bytes(file, sink);
        rc = pl_sink_close(sink, err);
    }
    fclose(file);
    return rc;
}

/* --- series from results --------------------------------------------------------------- */
/* "runs/gcc.csv" -> "gcc"; the whole path when two results would have the same name. */
static const char *short_name(const struct pl_result *results, size_t count, size_t of, struct pl_arena *arena)
{
    const char *slash = strrchr(results[of].path, '/'), *base = slash ? slash + 1 : results[of].path;
    for (size_t i = 0; i < count; i++) {
        const char *other_slash = strrchr(results[i].path, '/');
        if (i != of && !strcmp(other_slash ? other_slash + 1 : results[i].path, base))
            return results[of].path;
    }
    const char *dot = strrchr(base, '.');
    return dot && dot != base ? pl_arena_printf(arena, "%.*s", (int)(dot - base), base) : base;
}

/* What a result is about: the trace or table that it was made from, when it says so, else its own file. */
static const char *subject_of(const struct pl_result *result, struct pl_arena *arena)
{
    struct pl_result about = {.path = pl_result_fact(result, "trace")};
    if (!about.path || !about.path[0])
        about.path = pl_result_fact(result, "table");
    if (!strcmp(result->kind, "sweep") && pl_result_fact(result, "study"))
        return pl_result_fact(result, "study");
    return short_name(about.path && about.path[0] ? &about : result, 1, 0, arena);
}

static enum pl_err find_figure(const struct pl_result *results, size_t count, const struct pl_plot_options *options,
                               const struct pl_figure **out, struct pl_figure_job *job, struct pl_error *err)
{
    const struct pl_figure *wanted = NULL, *figure = NULL;
    enum pl_err rc = options->figure ? pl_figure_find(options->figure, &wanted, err) : PL_OK;
    if (rc)
        return rc;
    if (count > PL_FIGURE_SERIES_MAX)
        return pl_fail(err, PL_ERR_USAGE, "%zu results are too many for one picture (at most %d)", count,
                       PL_FIGURE_SERIES_MAX);
    if (options->names.count > count)
        return pl_fail(err, PL_ERR_USAGE, "%zu names for %zu results", options->names.count, count);
    for (size_t i = 0; i < count; i++) {
        struct pl_figure_series *series = &job->series[i];
        rc = pl_figure_match(&results[i], wanted, &figure, &series->table, err);
        if (rc)
            return rc;
        if (i && figure != *out)
            return pl_fail(err, PL_ERR_INPUT, "%s is a %s and %s a %s: they do not go into one picture",
                           results[0].path, (*out)->name, results[i].path, figure->name);
        *out = figure;
        series->result = &results[i];
        series->only_column = -1;
        series->name =
            i < options->names.count ? options->names.item[i] : short_name(results, count, i, job->arena);
        if (!series->name)
            return pl_fail_memory(err, 0, "names for the legend");
    }
    job->count = count;
    job->subject = options->names.count ? job->series[0].name : subject_of(&results[0], job->arena);
    return job->subject ? PL_OK : pl_fail_memory(err, 0, "a title");
}

/* --- the whole ------------------------------------------------------------------------------ */
static enum pl_err write_data(const struct pl_figure *figure, struct pl_figure_job *job, const char *path,
                              struct pl_error *err)
{
    enum pl_err rc = pl_sink_open_path(path, &job->data, err);
    if (rc)
        return rc;
    if (job->options->title)
        pl_gnuplot_set_text(job->settings, "heading", job->options->title);
    rc = figure->write(job, err);
    if (rc) {
        pl_sink_abandon(job->data);
        return rc;
    }
    return pl_sink_close(job->data, err);
}

static void set_size(struct pl_figure_job *job, enum pl_plot_form wanted, enum pl_plot_form form)
{
    /* A size in pixels means nothing to text, and the other way round. */
    if (!job->options->width || (wanted == PL_PLOT_TEXT) != (form == PL_PLOT_TEXT))
        return;
    pl_text_addf(&job->settings->text, "width=%u; height=%u; ", job->options->width, job->options->height);
}

/* With all checks of the results behind it: draws in `folder` and puts the picture in its place. */
static enum pl_err draw(const struct pl_figure *figure, struct pl_figure_job *job, struct pl_gnuplot_folder *folder,
                        enum pl_plot_form wanted, const char *path, struct pl_plot_outcome *outcome,
                        struct pl_error *err)
{
    char script[4096];
    const char *terminal = NULL;
    enum pl_plot_form form = wanted;
    struct pl_text terminals = {0};
    enum pl_err rc = pl_gnuplot_terminals(folder, &terminals, &outcome->no_gnuplot, err);
    if (rc == PL_OK)
        rc = choose_terminal(terminals.data ? terminals.data : "", wanted, &form, &terminal, err);
    if (rc == PL_OK)
        rc = pl_gnuplot_script(figure->script ? figure->script : figure->name, script, sizeof script, err);
    if (rc == PL_OK) {
        set_size(job, wanted, form);
        rc = pl_gnuplot_run(folder, script, terminal, job->settings, err);
    }
    if (rc == PL_OK) {
        final_path(path, wanted, form, outcome->path, sizeof outcome->path);
        say_fallback(wanted, form, outcome);
        rc = deliver(folder->picture, outcome->path, form == PL_PLOT_TEXT, err);
    }
    pl_text_free(&terminals);
    outcome->drawn = rc == PL_OK;
    return rc;
}

enum pl_err pl_plot_results(const struct pl_result *results, size_t count, const char *path,
                            const struct pl_plot_options *options, struct pl_plot_outcome *outcome,
                            struct pl_error *err)
{
    static const struct pl_plot_options usual;
    struct pl_gnuplot_settings settings = {{0}};
    struct pl_gnuplot_folder folder = {""};
    struct pl_figure_job job = {.options = options ? options : &usual, .settings = &settings};
    const struct pl_figure *figure = NULL;
    enum pl_plot_form form;

    *outcome = (struct pl_plot_outcome){""};
    if (strlen(path) + 8 > sizeof outcome->path)
        return pl_fail(err, PL_ERR_USAGE, "the picture's name is too long");
    job.arena = pl_arena_create();
    enum pl_err rc = job.arena ? PL_OK : pl_fail_memory(err, 0, "a picture");
    if (rc == PL_OK)
        rc = form_of(path, job.options->form, &form, err);
    if (rc == PL_OK)
        rc = find_figure(results, count, job.options, &figure, &job, err);
    if (rc == PL_OK)
        rc = pl_gnuplot_folder_make(&folder, err);
    if (rc == PL_OK)
        rc = write_data(figure, &job, folder.data, err);
    if (rc == PL_OK)
        rc = draw(figure, &job, &folder, form, path, outcome, err);
    pl_gnuplot_folder_remove(&folder);
    pl_text_free(&settings.text);
    pl_arena_destroy(job.arena);
    return rc;
}

/* Through the JSON form and the ordinary reader: what is drawn is what a file would have said. */
static enum pl_err read_back(const struct pl_document *document, struct pl_arena *arena, struct pl_result *out,
                             struct pl_error *err)
{
    struct pl_sink *memory;
    size_t length;
    enum pl_err rc = pl_sink_open_memory(&memory, err);
    if (rc)
        return rc;
    rc = pl_document_write_json(document, memory, err);
    if (rc == PL_OK) {
        const char *text = pl_sink_memory(memory, &length);
        rc = pl_result_read_text(text, length, "the result", arena, out, err);
    }
    pl_sink_abandon(memory);
    return rc;
}

enum pl_err pl_plot_document(const struct pl_document *document, const char *path,
                             const struct pl_plot_options *options, struct pl_plot_outcome *outcome,
                             struct pl_error *err)
{
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, 0, "a picture");
    struct pl_result result = {0};
    struct pl_error why = {PL_OK, ""};
    *outcome = (struct pl_plot_outcome){""};
    enum pl_err rc = read_back(document, arena, &result, &why);
    if (rc == PL_OK)
        rc = pl_plot_results(&result, 1, path, options, outcome, &why);
    if (rc && outcome->no_gnuplot) {
        snprintf(outcome->note, sizeof outcome->note, "no picture: %.480s", why.message);
        rc = PL_OK;
    } else if (rc && err)
        *err = why;
    pl_result_close(&result);
    pl_arena_destroy(arena);
    return rc;
}
