/* codec/content_file.h: a file as page content: what scenarios fill memory with when they name one.
 *
 * The file is cut into pages from its start, the last one padded with zeros, and gone through over and over, as
 * `pagecap eat --fill file:PATH` does. Pages are read when they are asked for: a large file takes no memory here. What
 * is asked for must still be there then: a file that shrinks meanwhile reads as zeros from there on. */
#ifndef PL_CODEC_CONTENT_FILE_H
#define PL_CODEC_CONTENT_FILE_H

#include "base/error.h"

/* How content records and `--fill` say it: "file:PATH". */
#define PL_CONTENT_FILE "file:"

struct pl_content_file;

/* A regular file with at least one byte; fails with PL_ERR_INPUT and a sentence that names it. */
enum pl_err pl_content_file_open(const char *path, uint32_t page_size, struct pl_content_file **out,
                                 struct pl_error *err);
void pl_content_file_close(struct pl_content_file *file); /* NULL is allowed */
const char *pl_content_file_path(const struct pl_content_file *file);

/* Page `index` of the endless content: page index % pages of the file. Fails when reading does. */
enum pl_err pl_content_file_page(const struct pl_content_file *file, uint64_t index, uint8_t *page, struct pl_error *err);

#endif
