/* trace/source.h: the bytes of an input, wherever they lie and however they are compressed.
 *
 * A plain regular file is mapped, and its window is the whole file at once (no copy); anything else streams through a
 * buffer. gzip, xz, zstd, bzip2, lz4 and (the only member of) zip are found by content and opened by libarchive. */
#ifndef PL_TRACE_SOURCE_H
#define PL_TRACE_SOURCE_H

#include "base/base.h"

struct pl_source;

/* "-" is standard input. Fails for folders and files that cannot be read; an empty file opens. */
enum pl_err pl_source_open(const char *path, struct pl_source **out, struct pl_error *err);
/* Bytes of the caller's, which must outlive the source (tests, fuzzing). */
enum pl_err pl_source_open_memory(const void *bytes, size_t length, const char *name, struct pl_source **out,
                                  struct pl_error *err);
void pl_source_close(struct pl_source *source);

/* The window: the next unread bytes. Makes at least `need` bytes available if the input has them (need <= 16 MiB);
 * *length is then >= need, or less exactly at the end of the input. The pointer is valid until the next call. */
enum pl_err pl_source_peek(struct pl_source *source, size_t need, const uint8_t **window, size_t *length,
                           struct pl_error *err);
void pl_source_skip(struct pl_source *source, size_t bytes); /* at most what the last peek showed */

/* From here on damage in compressed input ends it, instead of failing; pl_source_damage then says what was wrong (NULL:
 * nothing). */
void pl_source_end_at_damage(struct pl_source *source);
const char *pl_source_damage(const struct pl_source *source);

uint64_t pl_source_offset(const struct pl_source *source); /* uncompressed bytes skipped so far */
const char *pl_source_name(const struct pl_source *source);
const char *pl_source_compression(const struct pl_source *source); /* "none", "gzip", ... */
/* Progress in compressed bytes: how far, out of how much (0 when not known). */
void pl_source_progress(const struct pl_source *source, uint64_t *done, uint64_t *total);
/* True when the source is a mapped regular file (its whole content can be reached at random). */
bool pl_source_mapped(const struct pl_source *source, const uint8_t **bytes, uint64_t *length);

#endif
