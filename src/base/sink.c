/* base/sink.c: one way to write, three places to write to.
 *
 * Memory sinks collect in a growable text. The others go through a buffered stream; the first error of any write is kept
 * with its errno, everything after it is dropped, and closing tells. */
#include "base/sink.h"

#include "base/sink_file.h"
#include "base/text.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 64 * 1024 };

struct pl_sink {
    char *name;
    FILE *stream;          /* NULL: memory */
    struct sink_file file; /* its stream is NULL when `stream` is the caller's */
    struct pl_text memory;
    uint64_t bytes;
    int failure;   /* errno of the first failure, or 0 */
    size_t filled; /* of the buffer; documents are written in small pieces, for which stdio locks too much */
    char buffer[BUFFER_BYTES];
};

/* A sink of no place yet; NULL, and the message set, without memory. */
static struct pl_sink *create(const char *name, struct pl_error *err)
{
    struct pl_sink *sink = calloc(1, sizeof *sink);
    char *copy = strdup(name);
    if (!sink || !copy) {
        free(sink);
        free(copy);
        pl_fail_memory(err, sizeof *sink, "an output");
        return NULL;
    }
    sink->name = copy;
    return sink;
}

static void destroy(struct pl_sink *sink)
{
    pl_text_free(&sink->memory);
    free(sink->name);
    free(sink);
}

enum pl_err pl_sink_open_path(const char *path, struct pl_sink **out, struct pl_error *err)
{
    if (strcmp(path, "-") == 0)
        return pl_sink_open_stream(stdout, "standard output", out, err);
    struct pl_sink *sink = create(path, err);
    if (!sink)
        return PL_ERR_RESOURCE;
    enum pl_err rc = sink_file_open(path, &sink->file, err);
    if (rc) {
        destroy(sink);
        if (err)
            err->code = PL_ERR_RESOURCE; /* where output cannot go is never a fault of the input */
        return PL_ERR_RESOURCE;
    }
    sink->stream = sink->file.stream;
    setvbuf(sink->stream, NULL, _IONBF, 0); /* the sink's own buffer is enough */
    *out = sink;
    return PL_OK;
}

enum pl_err pl_sink_open_stream(FILE *stream, const char *name, struct pl_sink **out, struct pl_error *err)
{
    assert(stream);
    struct pl_sink *sink = create(name, err);
    if (!sink)
        return PL_ERR_RESOURCE;
    sink->stream = stream;
    *out = sink;
    return PL_OK;
}

enum pl_err pl_sink_open_memory(struct pl_sink **out, struct pl_error *err)
{
    struct pl_sink *sink = create("memory", err);
    if (!sink)
        return PL_ERR_RESOURCE;
    *out = sink;
    return PL_OK;
}

/* Hands bytes on to where they go. errno is cleared first, because a short write need not set it. */
static void pass_on(struct pl_sink *sink, const void *bytes, size_t length)
{
    if (sink->failure || length == 0)
        return;
    errno = 0;
    if (!sink->stream) {
        pl_text_add_bytes(&sink->memory, bytes, length);
        if (sink->memory.failed)
            sink->failure = ENOMEM;
    } else if (fwrite(bytes, 1, length, sink->stream) != length) {
        sink->failure = errno ? errno : EIO;
    }
}

static void empty_buffer(struct pl_sink *sink)
{
    pass_on(sink, sink->buffer, sink->filled);
    sink->filled = 0;
}

void pl_sink_write(struct pl_sink *sink, const void *bytes, size_t length)
{
    if (sink->failure || length == 0)
        return;
    sink->bytes += length;
    if (length > BUFFER_BYTES - sink->filled)
        empty_buffer(sink);
    if (length > BUFFER_BYTES) {
        pass_on(sink, bytes, length);
        return;
    }
    memcpy(sink->buffer + sink->filled, bytes, length);
    sink->filled += length;
}

void pl_sink_puts(struct pl_sink *sink, const char *text)
{
    pl_sink_write(sink, text, strlen(text));
}

void pl_sink_u64(struct pl_sink *sink, uint64_t value)
{
    char digits[20], *first = digits + sizeof digits;
    do {
        *--first = (char)('0' + value % 10);
    } while (value /= 10);
    pl_sink_write(sink, first, (size_t)(digits + sizeof digits - first));
}

/* Most lines fit the stack; only longer ones cost an allocation. */
void pl_sink_printf(struct pl_sink *sink, const char *format, ...)
{
    char shorts[512];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(shorts, sizeof shorts, format, args);
    char *longs = length >= (int)sizeof shorts ? malloc((size_t)length + 1) : NULL;
    if (longs)
        vsnprintf(longs, (size_t)length + 1, format, again);
    if (length >= 0 && (longs || length < (int)sizeof shorts))
        pl_sink_write(sink, longs ? longs : shorts, (size_t)length);
    else if (!sink->failure)
        sink->failure = length < 0 ? EINVAL : ENOMEM;
    free(longs);
    va_end(again);
    va_end(args);
}

uint64_t pl_sink_bytes(const struct pl_sink *sink)
{
    return sink->bytes;
}

void pl_sink_flush(struct pl_sink *sink)
{
    empty_buffer(sink);
    errno = 0;
    if (sink->stream && !sink->failure && fflush(sink->stream) != 0)
        sink->failure = errno ? errno : EIO;
}

bool pl_sink_failed(const struct pl_sink *sink)
{
    return sink->failure != 0;
}

const char *pl_sink_memory(struct pl_sink *sink, size_t *length)
{
    assert(!sink->stream);
    empty_buffer(sink);
    if (length)
        *length = sink->memory.length;
    return sink->memory.data ? sink->memory.data : "";
}

enum pl_err pl_sink_close(struct pl_sink *sink, struct pl_error *err)
{
    if (!sink)
        return PL_OK;
    empty_buffer(sink);
    /* A caller's stream stays open, so its buffer must be emptied here for the failure to show. */
    if (sink->stream && !sink->failure) {
        errno = 0;
        if (fflush(sink->stream) != 0)
            sink->failure = errno ? errno : EIO;
    }
    if (sink->file.stream) {
        if (sink->failure)
            sink_file_abandon(&sink->file);
        else
            sink->failure = sink_file_commit(&sink->file);
    }
    enum pl_err rc = PL_OK;
    if (sink->failure) {
        rc = pl_fail_errno(err, sink->failure, "%s", sink->name);
        if (rc != PL_ERR_CLOSED)
            rc = PL_ERR_RESOURCE; /* what broke while writing is never the user's input */
        if (err)
            err->code = rc;
    }
    destroy(sink);
    return rc;
}

void pl_sink_abandon(struct pl_sink *sink)
{
    if (!sink)
        return;
    if (sink->file.stream)
        sink_file_abandon(&sink->file);
    destroy(sink);
}
