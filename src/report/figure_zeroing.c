/* report/figure_zeroing.c: what zeroing a GiB costs by the number of zeroing threads, a line for each way of taking
 * pages.
 *
 * The ways are told apart by what a thread takes at once and by the kind of lock, as far as the table has columns for
 * them: rows that agree in both are one line, in the order of the table. */
#include "report/figure.h"

#include <math.h>
#include <string.h>

struct ways {
    int threads, cost, take, batch, kind;
};

static struct ways find_columns(const struct pl_result_table *table)
{
    return (struct ways){pl_result_find(table, "zero_threads"), pl_result_find(table, "zero_s_per_gib"),
                         pl_result_find(table, "zero_take"), pl_result_find(table, "zero_batch"),
                         pl_result_find(table, "zero_lock_kind")};
}

static const char *words_in(const struct pl_result_table *table, size_t row, int column)
{
    const char *words = column >= 0 ? pl_result_words(table, row, column) : NULL;
    return words ? words : "";
}

/* "8 pages at once, spin"; in the arena. */
static char *way_of(const struct pl_result_table *table, const struct ways *ways, size_t row, struct pl_arena *arena)
{
    const char *kind = words_in(table, row, ways->kind);
    const char *gap = *kind ? ", " : "";
    if (!strcmp(words_in(table, row, ways->take), "half"))
        return pl_arena_printf(arena, "half of what is left%s%s", gap, kind);
    double batch = ways->batch >= 0 ? pl_result_cell(table, row, ways->batch) : NAN;
    if (isfinite(batch))
        return pl_arena_printf(arena, "%.6g page%s at once%s%s", batch, batch == 1 ? "" : "s", gap, kind);
    return pl_arena_strdup(arena, *kind ? kind : "zeroing");
}

static void write_way(struct pl_sink *data, const struct pl_result_table *table, const struct ways *ways,
                      char *const *way, const char *wanted)
{
    pl_sink_puts(data, "threads\ts_per_gib\n");
    for (size_t row = 0; row < table->rows; row++) {
        if (strcmp(way[row], wanted))
            continue;
        pl_figure_write_cell(data, pl_result_cell(table, row, ways->threads), '\t');
        pl_figure_write_cell(data, pl_result_cell(table, row, ways->cost), '\n');
    }
    pl_sink_puts(data, "\n\n");
}

/* True for the first row of a way. */
static bool is_first(char *const *way, size_t row)
{
    for (size_t before = 0; before < row; before++)
        if (!strcmp(way[before], way[row]))
            return false;
    return true;
}

static enum pl_err write_zeroing(struct pl_figure_job *job, struct pl_error *err)
{
    const struct pl_figure_series *series = &job->series[0];
    const struct pl_result_table *table = series->table;
    struct ways ways = find_columns(table);
    size_t lines = 0;
    enum pl_err rc = pl_figure_only_one(job, "zeroing", err);
    if (rc == PL_OK)
        rc = pl_figure_check_column(series, ways.threads, err);
    if (rc == PL_OK)
        rc = pl_figure_check_column(series, ways.cost, err);
    if (rc)
        return rc;
    char **way = pl_arena_alloc(job->arena, table->rows + 1, sizeof *way);
    for (size_t row = 0; way && row < table->rows; row++)
        if (!(way[row] = way_of(table, &ways, row, job->arena)))
            way = NULL;
    if (!way)
        return pl_fail_memory(err, table->rows * sizeof *way, "the lines of a figure");
    for (size_t row = 0; row < table->rows && lines < PL_FIGURE_SERIES_MAX; row++) {
        if (!is_first(way, row))
            continue;
        pl_gnuplot_set_text_of(job->settings, "name", ++lines, way[row]);
        write_way(job->data, table, &ways, way, way[row]);
    }
    if (job->options->log != PL_PLOT_LOG_AUTO) /* the script's own choice is both axes */
        pl_gnuplot_set_text(job->settings, "log", pl_plot_log_names[job->options->log]);
    pl_text_addf(&job->settings->text, "series=%zu; ", lines);
    pl_figure_heading(job, "What zeroing a GiB costs");
    return PL_OK;
}

const struct pl_figure pl_figure_zeroing = {
    .name = "zeroing",
    .about = "processor time for zeroing a GiB by the number of threads, for each way of taking pages",
    .columns = (const char *const[]){"zero_threads", "zero_s_per_gib", NULL},
    .write = write_zeroing,
};
