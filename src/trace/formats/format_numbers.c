/* trace/formats/format_numbers.c: decimal page or block numbers, one a line; lines that start with * are ignored.
 *
 * The * lines mark checkpoints in buffer-cache traces. Values are page numbers as they stand, whatever the page size. */
#include "trace/formats/digits.h"
#include "trace/formats/scan.h"
#include "trace/formats/textread.h"
#include "trace/formats/textwrite.h"

static bool fits(const char *at, const char *end)
{
    uint64_t number;
    pl_scan_blanks(&at, end);
    return *at == '*' || (pl_scan_decimal(&at, end, &number) && at == end);
}

static int probe(const uint8_t *head, size_t length, bool whole)
{
    return pl_textread_probe(head, length, whole, fits, 50);
}

static enum pl_err line(struct pl_textread *text, const char *at, const char *end, struct pl_error *err)
{
    const char *start = at;
    uint64_t number;
    pl_scan_blanks(&at, end);
    if (*at == '*')
        return pl_textread_skip(text, "checkpoint lines (*)");
    int digits = pl_scan_decimal(&at, end, &number);
    if (digits == 0 || at != end) {
        const char *again = start;
        pl_scan_blanks(&again, end);
        if (pl_scan_hex(&again, end, &number) && again == end)
            return pl_textread_bad(text, err, "'%.*s' is not decimal; if the numbers are hexadecimal, say --format hex",
                                   (int)(end - start < 40 ? end - start : 40), start);
        return pl_textread_strange(text, start, end, "a decimal number", err);
    }
    if (digits < 0)
        return pl_textread_number(text, "number", digits, 10, err);
    pl_builder_touch(text->builder, PL_READ, number);
    text->reader->info.input_records++;
    return PL_OK;
}

static enum pl_err open_numbers(struct pl_reader *reader, struct pl_error *err)
{
    struct pl_textread *text;
    enum pl_err rc = pl_textread_open(reader, (struct pl_builder_columns){0}, line, &text, err);
    if (rc == PL_OK)
        text->bulk = pl_digits_decimal();
    return rc;
}

static enum pl_err write_line(struct pl_trace_writer *writer, const struct pl_textwrite_touch *touch,
                              struct pl_error *err)
{
    (void)err;
    char out[24], *end = pl_textwrite_decimal(out, touch->origin.number);
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

const struct pl_format pl_format_numbers = {
    .name = "numbers",
    .about = "decimal page or object numbers, one a line; * lines are ignored",
    .suffixes = "num,txt,trc",
    .probe = probe,
    .open = open_numbers,
    .next = pl_textread_next,
    .origin = pl_textread_origin,
    .close = pl_textread_close,
    .write_open = write_open,
    .write = write_batch,
    .write_close = pl_textwrite_close,
};
