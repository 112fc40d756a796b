/* trace/formats/textread.c: the loop over lines that the text formats share. */
#include "trace/formats/textread.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BULK_LEAST = 4096,    /* bytes in the window that make bulk reading worth a call */
    BULK_WINDOW = 1 << 17,
    PROBE_LINES = 1000,
};

/* --- messages ---------------------------------------------------------------------- */

enum pl_err pl_textread_bad(struct pl_textread *text, struct pl_error *err, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return pl_fail_at(err, pl_source_name(text->lines.source), text->lines.line, "%s", message);
}

static bool is_binary(const char *start, const char *end)
{
    for (const char *p = start; p < end; p++)
        if ((uint8_t)*p < 0x20 && *p != '\t' && *p != '\r')
            return true;
    return false;
}

enum pl_err pl_textread_strange(struct pl_textread *text, const char *start, const char *end, const char *wanted,
                                struct pl_error *err)
{
    char shown[80];
    if (is_binary(start, end))
        return pl_textread_bad(text, err, "binary data where %s should be; is this a text trace?", wanted);
    pl_printable(shown, sizeof shown, start, (size_t)(end - start));
    return pl_textread_bad(text, err, "'%s' is not %s", shown, wanted);
}

enum pl_err pl_textread_number(struct pl_textread *text, const char *what, int digits, int base, struct pl_error *err)
{
    const char *kind = base == 16 ? "hex" : "decimal";
    if (digits == 0)
        return pl_textread_bad(text, err, "%s is missing or not a %s number", what, kind);
    return pl_textread_bad(text, err, "%s has %d %s digits and does not fit into 64 bits", what, -digits, kind);
}

enum pl_err pl_textread_size(struct pl_textread *text, uint64_t size, struct pl_error *err)
{
    if (size > PL_MIB)
        return pl_textread_bad(text, err, "an access of %llu bytes cannot be", (unsigned long long)size);
    return PL_OK;
}

enum pl_err pl_textread_skip(struct pl_textread *text, const char *reason)
{
    pl_reader_skip(text->reader, reason, 1, text->lines.line);
    return PL_OK;
}

/* --- opening and closing -------------------------------------------------------------- */

enum pl_err pl_textread_open(struct pl_reader *reader, struct pl_builder_columns columns, pl_textread_line *line,
                             struct pl_textread **out, struct pl_error *err)
{
    struct pl_textread *text = calloc(1, sizeof *text);
    if (!text)
        return pl_fail_memory(err, sizeof *text, "a reader");
    text->reader = reader;
    text->line = line;
    reader->self = text;
    enum pl_err rc = pl_builder_create(reader, columns, &text->builder, err);
    if (rc == PL_OK)
        rc = pl_lines_start(&text->lines, reader->source, err);
    if (rc) {
        pl_textread_close(reader);
        return rc;
    }
    *out = text;
    return PL_OK;
}

void pl_textread_close(struct pl_reader *reader)
{
    struct pl_textread *text = reader->self;
    if (!text)
        return;
    if (text->free_more)
        text->free_more(text->more);
    pl_builder_destroy(text->builder);
    free(text);
    reader->self = NULL;
}

struct pl_page_origin pl_textread_origin(const struct pl_reader *reader, pl_page page)
{
    const struct pl_textread *text = reader->self;
    return pl_builder_origin(text->builder, page);
}

/* --- the loop --------------------------------------------------------------------------- */

/* As many plain numbers as the window and the batch take. */
static enum pl_err read_bulk(struct pl_textread *text, struct pl_error *err)
{
    struct pl_lines *lines = &text->lines;
    struct pl_builder *builder = text->builder;
    if (lines->end - lines->at < BULK_LEAST && !lines->at_end) {
        enum pl_err rc = pl_lines_refill(lines, BULK_WINDOW, err);
        if (rc)
            return rc;
    }
    size_t n = text->bulk(&lines->at, lines->end, builder->number + builder->count, PL_BUILDER_BATCH - builder->count);
    if (builder->kind)
        memset(builder->kind + builder->count, PL_READ, n);
    builder->count += n;
    builder->info->input_records += n;
    lines->line += n;
    return PL_OK;
}

/* A line that cannot be parsed is an error, or is counted, as told. */
static enum pl_err bad_line(struct pl_textread *text, enum pl_err rc)
{
    if (rc != PL_ERR_INPUT || !text->reader->options.skip_bad_lines)
        return rc;
    pl_reader_damage(text->reader, "lines that could not be parsed", 1, text->lines.line);
    return PL_OK;
}

static enum pl_err read_line(struct pl_textread *text, struct pl_error *err)
{
    const char *at, *end;
    enum pl_err rc = pl_lines_next(&text->lines, &at, &end, err);
    if (rc == PL_ERR_INPUT && text->lines.end - text->lines.at > PL_LINE_MAX && text->reader->options.skip_bad_lines) {
        rc = pl_lines_drop(&text->lines, err);
        return rc ? rc : bad_line(text, PL_ERR_INPUT);
    }
    if (rc)
        return rc;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    if (at == end)
        return pl_textread_skip(text, "blank lines");
    if (*at == '#')
        return pl_textread_skip(text, "comment lines");
    rc = text->line(text, at, end, err);
    return rc ? bad_line(text, rc) : PL_OK;
}

enum pl_err pl_textread_next(struct pl_reader *reader, struct pl_batch *out, struct pl_error *err)
{
    struct pl_textread *text = reader->self;
    struct pl_lines *lines = &text->lines;
    enum pl_err rc = PL_OK;
    while (!pl_builder_full(text->builder)) {
        if (text->bulk && lines->newline == '\n') {
            rc = read_bulk(text, err);
            if (rc)
                return rc;
            if (pl_builder_full(text->builder))
                break;
        }
        rc = read_line(text, err);
        if (rc == PL_END)
            break;
        if (rc)
            return rc;
    }
    pl_lines_settle(lines);
    reader->info.bytes_read = pl_source_offset(reader->source);
    return pl_builder_finish(text->builder, out, err);
}

/* --- probing ------------------------------------------------------------------------------ */

int pl_textread_probe(const uint8_t *head, size_t length, bool whole, bool (*fits)(const char *at, const char *end),
                      int sure)
{
    const char *at = (const char *)head, *end = at + length;
    char newline = length && !memchr(head, '\n', length) && memchr(head, '\r', length) ? '\r' : '\n';
    size_t seen = 0, good = 0;
    bool first_fits = false;
    while (at < end && seen < PROBE_LINES) {
        const char *stop = memchr(at, newline, (size_t)(end - at));
        if (!stop && !whole && seen)
            break; /* the head cuts the line */
        if (!stop)
            stop = end;
        const char *trimmed = stop;
        while (trimmed > at && (trimmed[-1] == ' ' || trimmed[-1] == '\t' || trimmed[-1] == '\r'))
            trimmed--;
        if (trimmed > at && *at != '#') {
            bool fit = fits(at, trimmed);
            first_fits |= fit && seen == 0;
            good += fit;
            seen++;
        }
        at = stop < end ? stop + 1 : end;
    }
    if (!good)
        return 0;
    return good * 10 >= seen * 9 ? sure : first_fits && good * 2 >= seen ? sure / 2 : 0;
}
