/* base/whole_file.c: a small file read at once.
 *
 * The size is not asked for beforehand: pipes have none, and files under /proc say 0. */
#include "base/whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *pl_whole_file_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Reads to the end, a piece at a time, and stops at a size at which something else must be meant. */
static enum pl_err read_stream(FILE *stream, const char *name, char **bytes, size_t *length, struct pl_error *err)
{
    char *data = NULL;
    size_t used = 0, capacity = 0;
    enum pl_err rc;
    do {
        rc = pl_grow((void **)&data, &capacity, used + 65536 + 1, 1, name, err);
        if (rc)
            goto failed;
        errno = 0;
        size_t got = fread(data + used, 1, capacity - used - 1, stream);
        used += got;
        /* A folder opens and only then fails to be read. */
        if (ferror(stream)) {
            rc = pl_fail_errno(err, errno ? errno : EIO, "%s", name);
            goto failed;
        }
        if (used > PL_WHOLE_FILE_MAX) {
            rc = pl_fail_at(err, name, 0, "has more than %d MiB; that is no small table or description",
                            PL_WHOLE_FILE_MAX >> 20);
            goto failed;
        }
    } while (!feof(stream));
    data[used] = '\0';
    *bytes = data;
    *length = used;
    return PL_OK;
failed:
    free(data);
    return rc;
}

enum pl_err pl_whole_file_read(const char *path, char **bytes, size_t *length, struct pl_error *err)
{
    if (strcmp(path, "-") == 0)
        return read_stream(stdin, pl_whole_file_name(path), bytes, length, err);
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return pl_fail_errno(err, errno, "%s", path);
    enum pl_err rc = read_stream(stream, path, bytes, length, err);
    fclose(stream);
    return rc;
}
