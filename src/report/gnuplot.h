/* report/gnuplot.h: running gnuplot.
 *
 * The program is found by PATH and started without a shell. All texts it is told are quoted with every byte that could
 * mean something (quotes, backquotes, @, backslashes) as an octal escape; control characters are replaced.
 * Files that it opens have names of our own in a folder of our own, because it would run a name that begins with '|'
 * or '<'. Start-up files of the user are not read (-d). */
#ifndef PL_REPORT_GNUPLOT_H
#define PL_REPORT_GNUPLOT_H

#include "base/base.h"

/* Assignments for the script: `heading="it\047s"; d=real(0.8); `. Start with {0}; free with pl_text_free(&s.text). */
struct pl_gnuplot_settings {
    struct pl_text text;
};
void pl_gnuplot_set_text(struct pl_gnuplot_settings *settings, const char *name, const char *value);
void pl_gnuplot_set_number(struct pl_gnuplot_settings *settings, const char *name, double value);
/* For numbered ones: name1, name2, ... */
void pl_gnuplot_set_text_of(struct pl_gnuplot_settings *settings, const char *name, size_t index, const char *value);
void pl_gnuplot_set_number_of(struct pl_gnuplot_settings *settings, const char *name, size_t index, double value);

/* A folder for one drawing, under $TMPDIR or /tmp, readable by the user alone. */
struct pl_gnuplot_folder {
    char path[512], data[544], picture[544], log[544];
};
enum pl_err pl_gnuplot_folder_make(struct pl_gnuplot_folder *folder, struct pl_error *err);
void pl_gnuplot_folder_remove(struct pl_gnuplot_folder *folder); /* and all in it; a zeroed one is allowed */

/* The terminals that gnuplot has, as a text with a blank around each name. Fails with PL_ERR_RESOURCE when there is no
 * gnuplot (*missing is then true) or it does not answer. */
enum pl_err pl_gnuplot_terminals(struct pl_gnuplot_folder *folder, struct pl_text *terminals, bool *missing,
                                 struct pl_error *err);

/* Runs a script on folder->data into folder->picture. Fails with PL_ERR_RESOURCE and gnuplot's own words when it did not
 * end well or left no picture. */
enum pl_err pl_gnuplot_run(const struct pl_gnuplot_folder *folder, const char *script, const char *terminal,
                           const struct pl_gnuplot_settings *settings, struct pl_error *err);

/* Where plots/NAME.gp is: in $PAGELAB_PLOTS, the source tree or the installed data. Fails with PL_ERR_RESOURCE. */
enum pl_err pl_gnuplot_script(const char *name, char *out, size_t size, struct pl_error *err);

#endif
