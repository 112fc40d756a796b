/* base/sink_file.h: the file under a sink: how it is opened, put in its place, or taken back. Private to base; the part
 * that differs between systems is in sink_file.c alone. */
#ifndef PL_BASE_SINK_FILE_H
#define PL_BASE_SINK_FILE_H

#include "base/error.h"
#include <stdio.h>

struct sink_file {
    FILE *stream;
    char *target; /* where it goes at the end, links resolved; NULL: `stream` is the place itself */
    char *beside; /* where it is written meanwhile */
};

/* Opens `path` for writing: beside it and to be renamed when it is a regular file or not there yet, directly when it is
 * something else (a device, a pipe) or names a stream of ours (/dev/stdout, /dev/fd/N). */
enum pl_err sink_file_open(const char *path, struct sink_file *out, struct pl_error *err);
/* Closes and renames. Returns 0 or the errno of the first failure; nothing stays behind on failure. */
int sink_file_commit(struct sink_file *file);
/* Closes and removes what was written. */
void sink_file_abandon(struct sink_file *file);

#endif
