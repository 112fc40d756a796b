/* trace/formats/format_hex.c: hexadecimal page numbers, one a line ("77f46"), with or without 0x.
 *
 * Values are page numbers as they stand, whatever the page size. A file whose first lines have no digit above 9 is taken
 * for decimal numbers unless it is named .hex or the format is given. The bulk of the lines is read by digits.c. */
#include "trace/formats/digits.h"
#include "trace/formats/scan.h"
#include "trace/formats/textread.h"
#include "trace/formats/textwrite.h"

static bool fits(const char *at, const char *end)
{
    uint64_t number;
    pl_scan_blanks(&at, end);
    return pl_scan_hex(&at, end, &number) && at == end;
}

/* A line that is a number, and not a decimal one. */
static bool shows_hex(const char *at, const char *end)
{
    if (!fits(at, end))
        return false;
    for (; at < end; at++)
        if (pl_scan_is((char)(*at | 0x20), "abcdefx"))
            return true;
    return false;
}

/* Surer than numbers when any of the first lines shows it, less sure when none does. */
static int probe(const uint8_t *head, size_t length, bool whole)
{
    int sure = pl_textread_probe(head, length, whole, fits, 60);
    if (!sure)
        return 0;
    const char *at = (const char *)head, *end = at + length;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            stop = end;
        const char *trimmed = stop > at && stop[-1] == '\r' ? stop - 1 : stop;
        if (trimmed > at && *at != '#' && shows_hex(at, trimmed))
            return sure;
        at = stop < end ? stop + 1 : end;
    }
    return sure / 2 - 1;
}

static enum pl_err line(struct pl_textread *text, const char *at, const char *end, struct pl_error *err)
{
    const char *start = at;
    uint64_t number;
    pl_scan_blanks(&at, end);
    int digits = pl_scan_hex(&at, end, &number);
    if (digits == 0 || at != end)
        return pl_textread_strange(text, start, end, "a hexadecimal page number", err);
    if (digits < 0)
        return pl_textread_number(text, "page number", digits, 16, err);
    pl_builder_touch(text->builder, PL_READ, number);
    text->reader->info.input_records++;
    return PL_OK;
}

static enum pl_err open_hex(struct pl_reader *reader, struct pl_error *err)
{
    struct pl_textread *text;
    enum pl_err rc = pl_textread_open(reader, (struct pl_builder_columns){0}, line, &text, err);
    if (rc == PL_OK)
        text->bulk = pl_digits_hex();
    return rc;
}

static enum pl_err write_line(struct pl_trace_writer *writer, const struct pl_textwrite_touch *touch,
                              struct pl_error *err)
{
    (void)err;
    char out[20], *end = pl_textwrite_hex(out, touch->origin.number);
    *end++ = '\n';
    pl_sink_write(writer->sink, out, (size_t)(end - out));
    return PL_OK;
}

static enum pl_err write_open(struct pl_trace_writer *writer, struct pl_error *err)
{
    return pl_textwrite_open(writer, true, err);
}

static enum pl_err write_batch(struct pl_trace_writer *writer, const struct pl_batch *batch, pl_origin_fn *origin,
                               void *user, struct pl_error *err)
{
    return pl_textwrite_batch(writer, batch, origin, user, write_line, err);
}

const struct pl_format pl_format_hex = {
    .name = "hex",
    .about = "hexadecimal page numbers, one a line",
    .suffixes = "hex",
    .probe = probe,
    .open = open_hex,
    .next = pl_textread_next,
    .origin = pl_textread_origin,
    .close = pl_textread_close,
    .write_open = write_open,
    .write = write_batch,
    .write_close = pl_textwrite_close,
};
