/* study/expression.h: small formulas over named numbers, as studies write conditions, objectives and constraints.
 *
 *   total_s          store.max_bytes <= 0.25 * memory.total          m > d and (r >= 2 or cd < 1ms)
 *   min(a, b) / 2^20         store.codec != 'raw'
 *
 * From weakest to strongest: or; and; not; < <= > >= == !=; + -; * /; unary -; ^ (to the right). Functions: min, max
 * (two or more), abs, sqrt, exp, log, log2, floor, ceil. A number may carry a unit (8MiB, 2ms, 320MiB/s): it then
 * counts bytes, seconds or bytes a second, as names do. Truths are 1 and 0. A missing number (NaN) makes every
 * comparison false but !=. A quoted word can be compared with a quantity that has words. Formulas have no loops and no
 * side effects; they are at most 4,096 characters long and 64 levels deep. */
#ifndef PL_STUDY_EXPRESSION_H
#define PL_STUDY_EXPRESSION_H

#include "base/base.h"

struct pl_expression;

/* A name that formulas may use. */
struct pl_symbol {
    const char *name;
    size_t slot;   /* where its value stands when the formula is evaluated */
    double scale;  /* the name means value / scale */
    const char *const *words; /* of a quantity with words, else NULL */
    size_t word_count;
};

/* Fails with PL_ERR_USAGE, what is wrong and where ("after 'm >': ..."); an unknown name gets the nearest one.
 * Everything lives in `arena`. */
enum pl_err pl_expression_compile(const char *text, const struct pl_symbol *symbols, size_t symbol_count,
                                  struct pl_arena *arena, struct pl_expression **out, struct pl_error *err);

double pl_expression_value(const struct pl_expression *expression, const double *slots);
/* True for any value but 0 and NaN. */
bool pl_expression_holds(const struct pl_expression *expression, const double *slots);
/* Whether the value in a slot matters. */
bool pl_expression_uses(const struct pl_expression *expression, size_t slot);
const char *pl_expression_text(const struct pl_expression *expression);

#endif
