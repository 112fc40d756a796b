/* report/plot.h: from results to a picture.
 *
 * What kind of figure a result becomes is found by its columns. The picture is put in its place only when gnuplot was
 * content and the file is there. A gnuplot that lacks the wanted kind of file gets the next one asked (svg -> png ->
 * text, png -> svg -> text, pdf -> svg -> png -> text), and the outcome has a line that says so. */
#ifndef PL_REPORT_PLOT_H
#define PL_REPORT_PLOT_H

#include "report/result.h"

enum pl_plot_form { PL_PLOT_BY_SUFFIX, PL_PLOT_SVG, PL_PLOT_PNG, PL_PLOT_PDF, PL_PLOT_TEXT };
extern const char *const pl_plot_form_names[]; /* "suffix", "svg", ...; NULL-terminated, for option tables */

/* PL_PLOT_LOG_AUTO: logarithmic where a linear axis would press the curve against its edges. */
enum pl_plot_log { PL_PLOT_LOG_AUTO, PL_PLOT_LOG_NONE, PL_PLOT_LOG_X, PL_PLOT_LOG_Y, PL_PLOT_LOG_XY };
extern const char *const pl_plot_log_names[];

struct pl_plot_options {
    const char *figure;       /* its name; NULL: by content */
    const char *title;        /* NULL: made from the results */
    struct pl_strings names;  /* for the legend, in the order of the results; missing ones come from the files' names */
    struct pl_strings at;     /* "cd_s=0.001": of a sweep only the points with that value */
    const char *axes;         /* "d_mb,r": of a sweep; NULL: the first that vary */
    enum pl_plot_form form;
    enum pl_plot_log log;
    uint32_t width, height;   /* pixels, or characters for text; 0: 800 x 500, 79 x 24 */
};

struct pl_plot_outcome {
    char path[4096]; /* where the picture is: the wanted path, with another suffix after a fallback */
    char note[512];  /* a fallback or a missing gnuplot in one line; "" when all went as asked */
    bool drawn;
    bool no_gnuplot; /* the reason of a failure, so that a caller can go on without the picture */
};

/* Draws `count` results into one picture at `path` ("-" is standard output, as text unless options->form says more).
 * Fails with PL_ERR_INPUT when a result is of no known kind, kinds are mixed, or a number is none; PL_ERR_USAGE for
 * an unknown figure or suffix and for a logarithmic axis through 0; PL_ERR_RESOURCE when gnuplot is missing or fails.
 * *outcome is filled on failure too. */
enum pl_err pl_plot_results(const struct pl_result *results, size_t count, const char *path,
                            const struct pl_plot_options *options, struct pl_plot_outcome *outcome,
                            struct pl_error *err);

/* The same for a document that was just made. A missing gnuplot is no failure here: the numbers are good without the
 * picture; outcome->note then says that it was not drawn. */
enum pl_err pl_plot_document(const struct pl_document *document, const char *path,
                             const struct pl_plot_options *options, struct pl_plot_outcome *outcome,
                             struct pl_error *err);

#endif
