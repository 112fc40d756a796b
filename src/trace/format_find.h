/* trace/format_find.h: which format a file is in. Between format.c and trace.c. */
#ifndef PL_TRACE_FORMAT_FIND_H
#define PL_TRACE_FORMAT_FIND_H

#include "trace/format.h"

/* Fails with PL_ERR_USAGE; the message names the nearest and lists all. Letter case does not matter. */
enum pl_err pl_format_by_name(const char *name, bool for_writing, const struct pl_format **out, struct pl_error *err);

/* By the first bytes, then by the ending of the file's name. Fails with PL_ERR_INPUT. */
enum pl_err pl_format_by_content(const char *path, const uint8_t *head, size_t length, bool whole,
                                 const struct pl_format **out, struct pl_error *err);

/* The one that a file of this name is to be written in; NULL when its ending does not say. */
const struct pl_format *pl_format_for_writing(const char *path);

#endif
