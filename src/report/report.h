/* report/report.h: pictures and pages of results, table of contents.
 *
 *   plot.h     result files and documents to a picture: svg, png, pdf or text
 *   page.h     results as one self-contained HTML page               page_*.c, page/
 *   result.h   a result file (JSON or CSV) as tables of numbers
 *   figure.h   the kinds of figure, a row and a file each       figure_*.c
 *   gnuplot.h  the program that draws: what it can, and a run of it without a shell
 *
 * A figure writes tab-separated numbers and a few settings; a script of the same name under plots/ does the drawing and
 * can be used by hand. To add a figure: a script, a figure_NAME.c with its `const struct pl_figure`, a row in figure.c. */
#ifndef PL_REPORT_REPORT_H
#define PL_REPORT_REPORT_H

#include "report/figure.h"
#include "report/gnuplot.h"
#include "report/page.h"
#include "report/plot.h"
#include "report/result.h"

#endif
