/* trace/formats/format_memsim.c: one access a line, a hexadecimal byte address and R or W ("0041f7a0 R").
 *
 * The traces of memory-simulator courses. Lower-case letters are taken as well. Writing puts the first byte of each page,
 * in 8 digits or more; an instruction fetch becomes R. */
#include "trace/formats/scan.h"
#include "trace/formats/textread.h"
#include "trace/formats/textwrite.h"

static bool fits(const char *at, const char *end)
{
    uint64_t number;
    if (!pl_scan_hex(&at, end, &number) || at == end || (*at != ' ' && *at != '\t'))
        return false;
    pl_scan_blanks(&at, end);
    return end - at == 1 && pl_scan_is(*at, "RWrw");
}

static int probe(const uint8_t *head, size_t length, bool whole)
{
    return pl_textread_probe(head, length, whole, fits, 80);
}

static enum pl_err line(struct pl_textread *text, const char *at, const char *end, struct pl_error *err)
{
    static const char wanted[] = "'hexaddress R' or 'hexaddress W'";
    const char *start = at;
    uint64_t address;
    pl_scan_blanks(&at, end);
    int digits = pl_scan_hex(&at, end, &address);
    if (digits == 0 || at == end || (*at != ' ' && *at != '\t'))
        return pl_textread_strange(text, start, end, wanted, err);
    if (digits < 0)
        return pl_textread_number(text, "address", digits, 16, err);
    pl_scan_blanks(&at, end);
    char letter = (char)(*at & ~0x20);
    if (end - at != 1 || (letter != 'R' && letter != 'W'))
        return pl_textread_strange(text, start, end, wanted, err);
    pl_builder_touch(text->builder, letter == 'W' ? PL_WRITE : PL_READ, address >> text->builder->page_shift);
    text->reader->info.input_records++;
    return PL_OK;
}

static enum pl_err open_memsim(struct pl_reader *reader, struct pl_error *err)
{
    struct pl_textread *text;
    return pl_textread_open(reader, (struct pl_builder_columns){.kind = true}, line, &text, err);
}

static enum pl_err write_line(struct pl_trace_writer *writer, const struct pl_textwrite_touch *touch,
                              struct pl_error *err)
{
    char out[24], digits[16];
    uint64_t address;
    enum pl_err rc = pl_textwrite_address(writer, &touch->origin, &address, err);
    if (rc)
        return rc;
    size_t length = (size_t)(pl_textwrite_hex(digits, address) - digits), zeros = length < 8 ? 8 - length : 0;
    memset(out, '0', zeros);
    memcpy(out + zeros, digits, length);
    memcpy(out + zeros + length, touch->kind == PL_WRITE ? " W\n" : " R\n", 3);
    pl_sink_write(writer->sink, out, zeros + length + 3);
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

const struct pl_format pl_format_memsim = {
    .name = "memsim",
    .about = "'hexaddress R|W', byte addresses",
    .suffixes = "memsim",
    .probe = probe,
    .open = open_memsim,
    .next = pl_textread_next,
    .origin = pl_textread_origin,
    .close = pl_textread_close,
    .write_open = write_open,
    .write = write_batch,
    .write_close = pl_textwrite_close,
};
