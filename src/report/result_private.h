/* report/result_private.h: the two forms of a result file, for result.c alone. Each fills what it finds; on failure the
 * caller closes `result`. */
#ifndef PL_REPORT_RESULT_PRIVATE_H
#define PL_REPORT_RESULT_PRIVATE_H

#include "report/result.h"

enum pl_err result_from_json(const char *text, size_t length, struct pl_arena *arena, struct pl_result *result,
                             struct pl_error *err);
enum pl_err result_from_csv(const char *text, size_t length, struct pl_arena *arena, struct pl_result *result,
                            struct pl_error *err);

#endif
