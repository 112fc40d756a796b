/* base/whole_file.h: a small file read at once. */
#ifndef PL_BASE_WHOLE_FILE_H
#define PL_BASE_WHOLE_FILE_H

#include "base/arena.h"

enum { PL_WHOLE_FILE_MAX = 256 << 20 }; /* bytes; what is larger is no table or description */

/* Reads a file ("-" = standard input) into a malloc'd buffer, NUL-terminated behind `length` bytes. */
enum pl_err pl_whole_file_read(const char *path, char **bytes, size_t *length, struct pl_error *err);
/* "-" under the name that messages use. */
const char *pl_whole_file_name(const char *path);

#endif
