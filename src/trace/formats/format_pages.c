/* trace/formats/format_pages.c: one touch a line, I, L, S or M and a hexadecimal byte address ("S 4225000").
 *
 * Page references as courses make them from lackey: one line is one touch, whatever the letter. I fetches, L reads, S and
 * M write. Writing puts the first byte of each page. */
#include "trace/formats/scan.h"
#include "trace/formats/textread.h"
#include "trace/formats/textwrite.h"

static bool fits(const char *at, const char *end)
{
    uint64_t number;
    pl_scan_blanks(&at, end);
    if (at == end || !pl_scan_is(*at++, "ILSM") || at == end || (*at != ' ' && *at != '\t'))
        return false;
    pl_scan_blanks(&at, end);
    return pl_scan_hex(&at, end, &number) && at == end;
}

static int probe(const uint8_t *head, size_t length, bool whole)
{
    return pl_textread_probe(head, length, whole, fits, 80);
}

static enum pl_err line(struct pl_textread *text, const char *at, const char *end, struct pl_error *err)
{
    static const char wanted[] = "I, L, S or M and a hexadecimal address";
    const char *start = at;
    uint64_t address;
    pl_scan_blanks(&at, end);
    char letter = *at++;
    if ((letter != 'I' && letter != 'L' && letter != 'S' && letter != 'M') || at == end || (*at != ' ' && *at != '\t'))
        return pl_textread_strange(text, start, end, wanted, err);
    pl_scan_blanks(&at, end);
    int digits = pl_scan_hex(&at, end, &address);
    if (digits <= 0)
        return pl_textread_number(text, "address", digits, 16, err);
    if (at != end)
        return pl_textread_strange(text, start, end, wanted, err);
    enum pl_kind kind = letter == 'I' ? PL_EXECUTE : letter == 'L' ? PL_READ : PL_WRITE;
    pl_builder_touch(text->builder, kind, address >> text->builder->page_shift);
    text->reader->info.input_records++;
    return PL_OK;
}

static enum pl_err open_pages(struct pl_reader *reader, struct pl_error *err)
{
    struct pl_textread *text;
    return pl_textread_open(reader, (struct pl_builder_columns){.kind = true}, line, &text, err);
}

static enum pl_err write_line(struct pl_trace_writer *writer, const struct pl_textwrite_touch *touch,
                              struct pl_error *err)
{
    char out[24];
    uint64_t address;
    enum pl_err rc = pl_textwrite_address(writer, &touch->origin, &address, err);
    if (rc)
        return rc;
    out[0] = touch->kind == PL_WRITE ? 'S' : touch->kind == PL_EXECUTE ? 'I' : 'L';
    out[1] = ' ';
    char *end = pl_textwrite_hex(out + 2, address);
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

const struct pl_format pl_format_pages = {
    .name = "pages",
    .about = "'I|L|S|M hexaddress', one touch a line; S and M write",
    .suffixes = "ref,pages",
    .probe = probe,
    .open = open_pages,
    .next = pl_textread_next,
    .origin = pl_textread_origin,
    .close = pl_textread_close,
    .write_open = write_open,
    .write = write_batch,
    .write_close = pl_textwrite_close,
};
