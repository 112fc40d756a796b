/* trace/formats/lines.c: a source, line by line. */
#include "trace/formats/lines.h"

#include <string.h>

enum { REFILL = 1 << 16 }; /* bytes asked for at once */

enum pl_err pl_lines_refill(struct pl_lines *lines, size_t need, struct pl_error *err)
{
    const uint8_t *window;
    size_t length;
    pl_lines_settle(lines);
    enum pl_err rc = pl_source_peek(lines->source, need, &window, &length, err);
    if (rc)
        return rc;
    lines->base = lines->at = (const char *)window;
    lines->end = lines->base + length;
    lines->at_end = length < need;
    return PL_OK;
}

enum pl_err pl_lines_start(struct pl_lines *lines, struct pl_source *source, struct pl_error *err)
{
    *lines = (struct pl_lines){.source = source, .newline = '\n'};
    enum pl_err rc = pl_lines_refill(lines, REFILL, err);
    if (rc)
        return rc;
    size_t head = (size_t)(lines->end - lines->at);
    if (head > REFILL)
        head = REFILL;
    if (head && !memchr(lines->at, '\n', head) && memchr(lines->at, '\r', head))
        lines->newline = '\r';
    return PL_OK;
}

static enum pl_err hand_out(struct pl_lines *lines, const char *stop, const char *next, const char **start_out,
                            const char **stop_out)
{
    const char *start = lines->at;
    lines->at = next;
    lines->line++;
    if (stop > start && stop[-1] == '\r')
        stop--;
    *start_out = start;
    *stop_out = stop;
    return PL_OK;
}

enum pl_err pl_lines_next(struct pl_lines *lines, const char **start, const char **stop, struct pl_error *err)
{
    for (;;) {
        size_t have = (size_t)(lines->end - lines->at);
        size_t look = have < PL_LINE_MAX + 1 ? have : PL_LINE_MAX + 1;
        const char *newline = look ? memchr(lines->at, lines->newline, look) : NULL;
        if (newline)
            return hand_out(lines, newline, newline + 1, start, stop);
        if (have > PL_LINE_MAX)
            return pl_fail_at(err, pl_source_name(lines->source), lines->line + 1,
                              "the line is longer than %d bytes; is this a text trace?", PL_LINE_MAX);
        if (lines->at_end)
            return have ? hand_out(lines, lines->end, lines->end, start, stop) : PL_END;
        enum pl_err rc = pl_lines_refill(lines, have + REFILL, err);
        if (rc)
            return rc;
    }
}

enum pl_err pl_lines_drop(struct pl_lines *lines, struct pl_error *err)
{
    for (;;) {
        size_t have = (size_t)(lines->end - lines->at);
        const char *newline = have ? memchr(lines->at, lines->newline, have) : NULL;
        if (newline || lines->at_end) {
            lines->at = newline ? newline + 1 : lines->end;
            lines->line++;
            return PL_OK;
        }
        lines->at = lines->end;
        enum pl_err rc = pl_lines_refill(lines, REFILL, err);
        if (rc)
            return rc;
    }
}
