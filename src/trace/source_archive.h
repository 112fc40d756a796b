/* trace/source_archive.h: the decompressors behind a source. Private to source.c. */
#ifndef PL_TRACE_SOURCE_ARCHIVE_H
#define PL_TRACE_SOURCE_ARCHIVE_H

#include "base/base.h"

struct pl_unpack;

/* Gives the next packed bytes; *length 0 at their end. The bytes stay valid until the next call. */
typedef enum pl_err pl_unpack_feed(void *user, const uint8_t **bytes, size_t *length, struct pl_error *err);

/* The compression that the first bytes announce ("gzip"), or NULL for none that is known. */
const char *pl_unpack_detect(const uint8_t *head, size_t length);

/* `name` is for messages. The stream must start where detect looked. */
enum pl_err pl_unpack_open(const char *name, const char *compression, pl_unpack_feed *feed, void *user,
                           struct pl_unpack **out, struct pl_error *err);
void pl_unpack_close(struct pl_unpack *unpack); /* NULL is allowed */

/* Up to `room` unpacked bytes; *got 0 at the end. Damage and a cut-off end fail with PL_ERR_INPUT. */
enum pl_err pl_unpack_read(struct pl_unpack *unpack, uint8_t *to, size_t room, size_t *got, struct pl_error *err);

#endif
