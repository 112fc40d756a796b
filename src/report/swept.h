/* report/swept.h: the table of a sweep as figures see it: which columns varied, what came of them, which point is best.
 * For figure_*.c. */
#ifndef PL_REPORT_SWEPT_H
#define PL_REPORT_SWEPT_H

#include "report/figure.h"

enum { PL_SWEPT_PARAMETERS_MAX = 40 };

#define PL_NO_ROW SIZE_MAX

struct pl_swept {
    struct pl_arena *arena;
    const struct pl_result *result;
    const struct pl_result_table *table;
    int parameter[PL_SWEPT_PARAMETERS_MAX]; /* columns that vary */
    size_t parameters;
    int answer;           /* the column of what is shown: the objective, total_s, or the last of numbers */
    int allowed, outside; /* columns, or -1 */
    bool maximise;
    bool *taken;      /* rows that take part */
    const char *held; /* "cd_s = 0.001", "" when nothing is */
};

/* Of the job's first series, with its options (--at). Lives as long as the job's arena. */
enum pl_err pl_swept_open(struct pl_figure_job *job, struct pl_swept *out, struct pl_error *err);
int pl_swept_by_value(const void *a, const void *b); /* of two doubles, for qsort and bsearch */
/* The different numbers of a column among the rows that take part, rising, into `out` (as long as the table). */
size_t pl_swept_values(const struct pl_swept *swept, int column, double *out);
/* Do rising values keep an even factor rather than an even step? */
bool pl_swept_is_log(const double *values, size_t count);
/* A column by its name or by what people call it ("cd_s", "cd"); -1 when there is none. */
int pl_swept_column(const struct pl_result_table *table, const char *name, size_t length);
/* Is the point within the data and the constraints? */
bool pl_swept_may_be_best(const struct pl_swept *swept, size_t row);
bool pl_swept_is_better(const struct pl_swept *swept, size_t row, size_t than); /* than PL_NO_ROW: true */
const char *pl_swept_short(const struct pl_result_column *column);
/* What is held by --at, and "each place is the least over cd" when more than the columns x and y vary; NULL without
 * memory. */
const char *pl_swept_others(const struct pl_swept *swept, int x, int y);
/* "cd (s)" into a setting. */
void pl_swept_name_axis(struct pl_figure_job *job, const char *setting, const struct pl_result_column *column);

#endif
