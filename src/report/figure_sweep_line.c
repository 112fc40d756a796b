/* report/figure_sweep_line.c: one parameter of a sweep and what came of it, with the best point marked.
 *
 * The parameter is the one asked for, or the first that takes several numbers, or the first that varies; values in words
 * get a place each on the axis. A second parameter, in words, makes a line for each of its values. Where more vary, each
 * point is the best over them, as in a heat map, and the figure says so. */
#include "report/swept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct line {
    struct pl_swept swept;
    int column;   /* of the axis */
    int by;       /* whose words tell lines apart, or -1 */
    bool words;   /* the axis has words: places are numbered */
    size_t *shown; /* rows that are shown, one for each place and line */
    size_t count, best; /* best: a row, or PL_NO_ROW */
};

static double number_of(const struct line *line, size_t row)
{
    return pl_result_cell(line->swept.table, row, line->column);
}

static const char *words_in(const struct line *line, size_t row, int column)
{
    const char *words = column >= 0 ? pl_result_words(line->swept.table, row, column) : NULL;
    return words ? words : "";
}

static bool is_of_line(const struct line *line, size_t row, size_t other)
{
    return line->by < 0 || !strcmp(words_in(line, row, line->by), words_in(line, other, line->by));
}

static bool is_at(const struct line *line, size_t row, size_t other)
{
    return line->words ? !strcmp(words_in(line, row, line->column), words_in(line, other, line->column))
                       : number_of(line, row) == number_of(line, other);
}

static bool takes_words(const struct pl_swept *swept, int column)
{
    return swept->table->column[column].bad_row != 0;
}

static enum pl_err find_parameters(struct line *line, const char *named, struct pl_error *err)
{
    const struct pl_swept *swept = &line->swept;
    line->by = line->column = -1;
    if (named && (line->column = pl_swept_column(swept->table, named, strcspn(named, ","))) < 0)
        return pl_fail(err, PL_ERR_USAGE, "--axes: '%.80s' is no column", named);
    for (size_t i = 0; i < swept->parameters && line->column < 0; i++)
        if (!takes_words(swept, swept->parameter[i]))
            line->column = swept->parameter[i];
    if (line->column < 0 && swept->parameters > 0)
        line->column = swept->parameter[0];
    if (line->column < 0)
        return pl_fail(err, PL_ERR_INPUT, "%s: no parameter varies", swept->result->path);
    for (size_t i = 0; i < swept->parameters && line->by < 0; i++)
        if (takes_words(swept, swept->parameter[i]) && swept->parameter[i] != line->column)
            line->by = swept->parameter[i];
    line->words = takes_words(swept, line->column);
    return PL_OK;
}

/* Points outside the data or the constraints are shown only where there is no other. */
static void take_row(struct line *line, size_t row)
{
    const struct pl_swept *swept = &line->swept;
    size_t place = 0;
    while (place < line->count && !(is_at(line, row, line->shown[place]) && is_of_line(line, row, line->shown[place])))
        place++;
    if (place == line->count) {
        line->shown[line->count++] = row;
        return;
    }
    const bool may = pl_swept_may_be_best(swept, row), is = pl_swept_may_be_best(swept, line->shown[place]);
    if (may != is ? may : pl_swept_is_better(swept, row, line->shown[place]))
        line->shown[place] = row;
}

static void sort_rising(struct line *line)
{
    for (size_t i = 1; i < line->count && !line->words; i++)
        for (size_t k = i; k > 0 && number_of(line, line->shown[k]) < number_of(line, line->shown[k - 1]); k--) {
            const size_t row = line->shown[k];
            line->shown[k] = line->shown[k - 1];
            line->shown[k - 1] = row;
        }
}

static enum pl_err fill(struct line *line, struct pl_error *err)
{
    const struct pl_swept *swept = &line->swept;
    line->best = PL_NO_ROW;
    line->shown = pl_arena_alloc(swept->arena, swept->table->rows + 1, sizeof *line->shown);
    if (!line->shown)
        return pl_fail_memory(err, swept->table->rows * sizeof *line->shown, "a line");
    for (size_t row = 0; row < swept->table->rows; row++)
        if (swept->taken[row] && isfinite(pl_result_cell(swept->table, row, swept->answer)) &&
            (line->words || isfinite(number_of(line, row))))
            take_row(line, row);
    if (line->count == 0)
        return pl_fail(err, PL_ERR_INPUT, "%s: has no points to draw", swept->result->path);
    sort_rising(line);
    for (size_t i = 0; i < line->count; i++)
        if (pl_swept_may_be_best(swept, line->shown[i]) && pl_swept_is_better(swept, line->shown[i], line->best))
            line->best = line->shown[i];
    return PL_OK;
}

/* The number of the place that a row has on the axis: in order of the words, from 1. */
static double place_of(const struct line *line, size_t row)
{
    double place = 1;
    if (!line->words)
        return number_of(line, row);
    for (size_t i = 0; i < line->count && !is_at(line, row, line->shown[i]); i++) {
        size_t before = 0;
        while (before < i && !is_at(line, line->shown[before], line->shown[i]))
            before++;
        place += before == i;
    }
    return place;
}

static void write_line(struct pl_sink *data, const struct line *line, size_t first)
{
    const struct pl_swept *swept = &line->swept;
    pl_sink_puts(data, "x\ty\tallowed\tname\n");
    for (size_t i = 0; i < line->count; i++) {
        const size_t row = line->shown[i];
        if (!is_of_line(line, row, line->shown[first]))
            continue;
        pl_figure_write_cell(data, place_of(line, row), '\t');
        pl_figure_write_cell(data, pl_result_cell(swept->table, row, swept->answer), '\t');
        pl_figure_write_cell(data, pl_swept_may_be_best(swept, row), '\t');
        pl_figure_write_words(data, words_in(line, row, line->column), '\n');
    }
    pl_sink_puts(data, "\n\n");
}

static enum pl_err write_lines(struct pl_figure_job *job, const struct line *line, struct pl_error *err)
{
    size_t lines = 0;
    for (size_t i = 0; i < line->count; i++) {
        size_t before = 0;
        while (before < i && !is_of_line(line, line->shown[before], line->shown[i]))
            before++;
        if (before < i)
            continue;
        if (++lines > PL_FIGURE_SERIES_MAX)
            return pl_fail(err, PL_ERR_INPUT, "%s: %s takes more than %d values; --at NAME=VALUE or --axes chooses",
                           line->swept.result->path, line->swept.table->column[line->by].name, PL_FIGURE_SERIES_MAX);
        pl_gnuplot_set_text_of(job->settings, "name", lines, words_in(line, line->shown[i], line->by));
        write_line(job->data, line, i);
    }
    pl_text_addf(&job->settings->text, "series=%zu; ", lines);
    return PL_OK;
}

static bool has_even_factor(const struct line *line)
{
    double *values = pl_arena_alloc(line->swept.arena, line->swept.table->rows + 1, sizeof *values);
    return values && !line->words && pl_swept_is_log(values, pl_swept_values(&line->swept, line->column, values));
}

static const char *say_best(const struct line *line)
{
    const struct pl_swept *swept = &line->swept;
    char at[64];
    if (line->best == PL_NO_ROW)
        return "";
    snprintf(at, sizeof at, "%.4g", number_of(line, line->best));
    return pl_arena_printf(swept->arena, "%s: %.5g at %.60s %.60s%s%.60s", swept->maximise ? "greatest" : "least",
                           pl_result_cell(swept->table, line->best, swept->answer),
                           pl_swept_short(&swept->table->column[line->column]),
                           line->words ? words_in(line, line->best, line->column) : at, line->by >= 0 ? ", " : "",
                           words_in(line, line->best, line->by));
}

static void set_words(struct pl_figure_job *job, const struct line *line)
{
    const struct pl_swept *swept = &line->swept;
    const enum pl_plot_log log = job->options->log;
    const char *best = say_best(line), *others = pl_swept_others(swept, line->column, line->by);
    const char *words = best && others
                            ? pl_arena_printf(job->arena, "%s%s%s", best, *best && *others ? "; " : "", others)
                            : "";
    pl_gnuplot_set_text(job->settings, "subheading", words ? words : "");
    if (line->best != PL_NO_ROW) {
        pl_gnuplot_set_number(job->settings, "best_x", place_of(line, line->best));
        pl_gnuplot_set_number(job->settings, "best", pl_result_cell(swept->table, line->best, swept->answer));
    }
    pl_swept_name_axis(job, "x_name", &swept->table->column[line->column]);
    pl_swept_name_axis(job, "value_name", &swept->table->column[swept->answer]);
    pl_gnuplot_set_number(job->settings, "words", line->words);
    pl_gnuplot_set_text(job->settings, "log",
                        log != PL_PLOT_LOG_AUTO ? pl_plot_log_names[log] : has_even_factor(line) ? "x" : "none");
    pl_figure_heading(job, "Over one parameter");
}

static enum pl_err write_sweep_line(struct pl_figure_job *job, struct pl_error *err)
{
    struct line line = {.count = 0};
    enum pl_err rc = pl_figure_only_one(job, "sweep-line", err);
    if (rc == PL_OK)
        rc = pl_swept_open(job, &line.swept, err);
    if (rc == PL_OK)
        rc = find_parameters(&line, job->options->axes, err);
    if (rc == PL_OK)
        rc = fill(&line, err);
    if (rc == PL_OK)
        rc = write_lines(job, &line, err);
    if (rc == PL_OK)
        set_words(job, &line);
    return rc;
}

static const char *const sweep_columns[] = {"total_s|objective|elapsed_s|point", NULL};

const struct pl_figure pl_figure_sweep_line = {
    .name = "sweep-line",
    .about = "one swept parameter and what came of it, a line for each value of another, with the best marked",
    .columns = sweep_columns,
    .write = write_sweep_line,
};
