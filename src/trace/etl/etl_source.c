/* trace/etl/etl_source.c: a source that cannot be reached at random, spooled into a temporary file. */
#include "trace/etl/etl_source.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

enum { WINDOW = 16 << 20 };

static enum pl_err copy_all(struct pl_source *source, FILE *file, uint64_t *length, struct pl_error *err)
{
    const uint8_t *window;
    size_t got;
    *length = 0;
    for (;;) {
        enum pl_err rc = pl_source_peek(source, 1, &window, &got, err);
        if (rc)
            return rc;
        if (!got)
            return fflush(file) ? pl_fail_errno(err, errno, "cannot write a temporary file") : PL_OK;
        if (fwrite(window, 1, got, file) != got)
            return pl_fail_errno(err, errno, "cannot write a temporary file");
        *length += got;
        pl_source_skip(source, got);
    }
}

static enum pl_err spool(struct pl_source *source, struct pl_etl_bytes *out, struct pl_error *err)
{
    uint64_t length;
    FILE *file = tmpfile();
    if (!file)
        return pl_fail_errno(err, errno, "cannot make a temporary file");
    enum pl_err rc = copy_all(source, file, &length, err);
    if (rc == PL_OK) {
        void *map = mmap(NULL, (size_t)length, PROT_READ, MAP_PRIVATE, fileno(file), 0);
        if (map == MAP_FAILED)
            rc = pl_fail_errno(err, errno, "cannot map a temporary file");
        else
            *out = (struct pl_etl_bytes){.bytes = map, .length = length, .map = map};
    }
    fclose(file);
    return rc;
}

enum pl_err pl_etl_bytes_get(struct pl_source *source, struct pl_etl_bytes *out, struct pl_error *err)
{
    const uint8_t *window;
    size_t length;
    *out = (struct pl_etl_bytes){0};
    if (pl_source_mapped(source, &out->bytes, &out->length))
        return PL_OK;
    enum pl_err rc = pl_source_peek(source, WINDOW, &window, &length, err);
    if (rc)
        return rc;
    if (length >= WINDOW) /* there may be more */
        return spool(source, out, err);
    out->bytes = window;
    out->length = length;
    return PL_OK;
}

void pl_etl_bytes_free(struct pl_etl_bytes *bytes)
{
    if (bytes->map)
        munmap(bytes->map, (size_t)bytes->length);
    *bytes = (struct pl_etl_bytes){0};
}
