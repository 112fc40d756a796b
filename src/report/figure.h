/* report/figure.h: the kinds of figure.
 *
 * A figure knows which columns it needs, turns results into series, and writes the data that its script draws: for each
 * series a header line and rows, tab separated, two blank lines between series. What else the script must know goes
 * into `settings`, which gnuplot.h quotes. */
#ifndef PL_REPORT_FIGURE_H
#define PL_REPORT_FIGURE_H

#include "report/gnuplot.h"
#include "report/plot.h"

enum { PL_FIGURE_SERIES_MAX = 7 }; /* as many as the palette has colours */

struct pl_figure_series {
    const struct pl_result *result;
    const struct pl_result_table *table;
    const char *name;   /* for the legend */
    int only_column;    /* -1, or: only rows in which this column ... */
    double only_value;  /* ... has this value */
};

struct pl_figure_job {
    const struct pl_plot_options *options;
    struct pl_arena *arena;
    struct pl_figure_series series[PL_FIGURE_SERIES_MAX];
    size_t count;
    const char *subject; /* what the first result is about, for titles */
    struct pl_sink *data;                   /* the script's input */
    struct pl_gnuplot_settings *settings;
};

struct pl_figure {
    const char *name;   /* "fault-table": also the script, plots/NAME.gp, ... */
    const char *script; /* ... unless this says another */
    const char *about;  /* one line for --list */
    /* What a table must have to be drawn so: NULL-terminated names, "a|b" for either. */
    const char *const *columns;
    enum pl_err (*write)(struct pl_figure_job *job, struct pl_error *err);
};

/* All kinds, in the order in which they are tried; ends with NULL. */
extern const struct pl_figure *const pl_figures[];
extern const struct pl_figure pl_figure_fault_table, pl_figure_model_curve, pl_figure_time_line, pl_figure_phases,
    pl_figure_fault_latency, pl_figure_heat_map, pl_figure_page_map, pl_figure_predicted, pl_figure_fit, pl_figure_memory,
    pl_figure_tools, pl_figure_processes, pl_figure_activity, pl_figure_store_line, pl_figure_zeroing,
    pl_figure_sweep_line;

/* By name; fails with PL_ERR_USAGE and the nearest name. */
enum pl_err pl_figure_find(const char *name, const struct pl_figure **out, struct pl_error *err);
/* The first kind (or `figure`, when it is not NULL) that a table of the result can be drawn as, and that table. Fails
 * with PL_ERR_INPUT and what the result has. */
enum pl_err pl_figure_match(const struct pl_result *result, const struct pl_figure *figure,
                            const struct pl_figure **out, const struct pl_result_table **table, struct pl_error *err);

/* --- for figure_*.c ---------------------------------------------------------- */
/* Fails when a cell of the column holds something else than a number, or none is there at all. */
enum pl_err pl_figure_check_column(const struct pl_figure_series *series, int column, struct pl_error *err);
bool pl_figure_row_is_in(const struct pl_figure_series *series, size_t row);
/* Least and greatest number of a column among the series' rows; false when there is none. */
bool pl_figure_range(const struct pl_figure_series *series, int column, double *least, double *most);
/* Bytes of a page as the result says; 4,096 when it does not. */
double pl_figure_page_size(const struct pl_result *result);
/* Fails when several results were given to a figure that shows one. */
enum pl_err pl_figure_only_one(const struct pl_figure_job *job, const char *figure, struct pl_error *err);
/* The heading "WORDS: SUBJECT", unless the user gave one. */
void pl_figure_heading(struct pl_figure_job *job, const char *words);
/* Words for a cell of the data: a text in quotes, without what would end it. */
void pl_figure_write_words(struct pl_sink *data, const char *words, char end);
/* A number, or NaN, as the scripts read it. */
void pl_figure_write_cell(struct pl_sink *data, double value, char end);

#endif
