/* trace/formats/lines.h: a source, line by line, without copying.
 *
 * Lines end in LF, CRLF, or CR alone (when the first 64 KiB hold a CR and no LF); the last one needs no end. A line is
 * at most PL_LINE_MAX bytes long, so that memory stays bounded on input that is no text. */
#ifndef PL_TRACE_LINES_H
#define PL_TRACE_LINES_H

#include "trace/source.h"

enum { PL_LINE_MAX = 65536 };

struct pl_lines {
    struct pl_source *source;
    const char *base, *at, *end; /* the window: from its start, the unread part, its end */
    uint64_t line;               /* of the line that was returned last; 1 is the first */
    char newline;
    bool at_end; /* the window reaches the end of the input */
};

enum pl_err pl_lines_start(struct pl_lines *lines, struct pl_source *source, struct pl_error *err);

/* The next line as [*start, *stop), without its end; valid until the next call. PL_END after the last. A line that is
 * too long fails with PL_ERR_INPUT; pl_lines_drop then leaves it behind. */
enum pl_err pl_lines_next(struct pl_lines *lines, const char **start, const char **stop, struct pl_error *err);
enum pl_err pl_lines_drop(struct pl_lines *lines, struct pl_error *err);

/* Tells the source what was consumed from the window, so that it can let go of that. */
static inline void pl_lines_settle(struct pl_lines *lines)
{
    pl_source_skip(lines->source, (size_t)(lines->at - lines->base));
    lines->base = lines->at;
}

/* The same, and makes at least `need` bytes visible if there are as many. */
enum pl_err pl_lines_refill(struct pl_lines *lines, size_t need, struct pl_error *err);

#endif
