/* base/sink.h: where a document goes: a file, a stream of the caller's, or memory.
 *
 * Output is buffered (a stream of the caller's sees it at the close); the first failure is kept and pl_sink_close
 * reports it, so a writer need not check every call.
 * A sink onto a path writes beside it and renames at a successful close, so that an interrupted run leaves either the
 * old file or the new one; a link stays a link, and a replaced file keeps its permissions. Special files (/dev/stdout,
 * /dev/full, pipes) are written directly. "-" is standard output. A place that cannot be opened is PL_ERR_RESOURCE. */
#ifndef PL_BASE_SINK_H
#define PL_BASE_SINK_H

#include "base/error.h"
#include <stdio.h>

struct pl_sink;

enum pl_err pl_sink_open_path(const char *path, struct pl_sink **out, struct pl_error *err);
enum pl_err pl_sink_open_stream(FILE *stream, const char *name, struct pl_sink **out, struct pl_error *err);
enum pl_err pl_sink_open_memory(struct pl_sink **out, struct pl_error *err);

void pl_sink_write(struct pl_sink *sink, const void *bytes, size_t length);
void pl_sink_puts(struct pl_sink *sink, const char *text);
void pl_sink_printf(struct pl_sink *sink, const char *format, ...) PL_PRINTF(2, 3);
void pl_sink_u64(struct pl_sink *sink, uint64_t value); /* decimal digits, faster than pl_sink_printf */
uint64_t pl_sink_bytes(const struct pl_sink *sink);
bool pl_sink_failed(const struct pl_sink *sink); /* a long writer asks now and then */
/* Hands what is buffered to where it goes, for outputs that must be there after a crash. */
void pl_sink_flush(struct pl_sink *sink);

/* What a memory sink holds so far, NUL-terminated; valid until the next call on the sink. */
const char *pl_sink_memory(struct pl_sink *sink, size_t *length);

/* Flushes, reports the first failure ("out.csv: No space left on device", PL_ERR_RESOURCE), frees. NULL is allowed. */
enum pl_err pl_sink_close(struct pl_sink *sink, struct pl_error *err);
/* Frees without keeping what was written: a path keeps its old content. */
void pl_sink_abandon(struct pl_sink *sink);

#endif
