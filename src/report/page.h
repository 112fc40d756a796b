/* report/page.h: one self-contained HTML page of results.
 *
 * The page holds everything it shows: style, scripts, a charting library, data. It asks nothing of any network (its own
 * content-security policy forbids it), and what stands in it can be read without scripts: the answer, the parameters
 * with their sources, tables and notes are plain HTML. Scripts add charts, the rows that the plain tables leave out, and
 * for results of the 1996 model a panel that computes the cost curve anew as its parameters are moved.
 *
 * Every text from a result (names of traces, processes, phases, files) is escaped, in markup and in data.
 *
 * Charts are drawn by Chart.js 3 (MIT licence, Debian's libjs-chart.js), whose file is copied into the page. Where it is
 * not installed, the page has the same figures as pictures that gnuplot drew, or, without gnuplot, none. */
#ifndef PL_REPORT_PAGE_H
#define PL_REPORT_PAGE_H

#include "base/base.h"

/* A result: a file (JSON or CSV; "-" is standard input), or the text of one that was made already. */
struct pl_page_source {
    const char *path; /* also the name in messages */
    const char *text; /* NULL: the file is read */
    size_t length;
};

struct pl_page_options {
    const char *title;   /* of the page; NULL: that of the first result */
    const char *library; /* file of the charting library; NULL: where Debian puts it; "none": without */
};

struct pl_page_outcome {
    bool interactive;    /* the charting library is in the page */
    uint64_t left_out;   /* rows of long tables that the page's data does not hold */
    char note[512];      /* what had to be done without, in a line; "" when nothing */
};

/* Reads the results and writes the page. Fails with PL_ERR_INPUT for a file that is
 * no result, and PL_ERR_RESOURCE when a part of the page is not found. */
enum pl_err pl_page_write(const struct pl_page_source *sources, size_t count, const struct pl_page_options *options,
                          struct pl_sink *sink, struct pl_page_outcome *outcome, struct pl_error *err);

#endif
