/* trace/formats/format_pinatrace.c: what Pin's pinatrace tool prints ("0x7f1e2c: R 0x7ffd10 8").
 *
 * The first address is the instruction's and does not count as an access; the second is what it read or wrote. Size and
 * value behind it are optional, as versions differ; without a size one byte is taken. # lines are comments. */
#include "trace/formats/scan.h"
#include "trace/formats/textread.h"

static bool fits(const char *at, const char *end)
{
    uint64_t number;
    pl_scan_blanks(&at, end);
    if (!pl_scan_hex(&at, end, &number) || !pl_scan_char(&at, end, ':'))
        return false;
    pl_scan_blanks(&at, end);
    return end - at > 2 && pl_scan_is(*at, "RW") && (at[1] == ' ' || at[1] == '\t');
}

static int probe(const uint8_t *head, size_t length, bool whole)
{
    return pl_textread_probe(head, length, whole, fits, 85);
}

static enum pl_err line(struct pl_textread *text, const char *at, const char *end, struct pl_error *err)
{
    static const char wanted[] = "a pinatrace line such as '0x7f1e2c: R 0x7ffd10 8'";
    const char *start = at;
    uint64_t address, size = 1;
    int digits;
    pl_scan_blanks(&at, end);
    if ((digits = pl_scan_hex(&at, end, &address)) < 0)
        return pl_textread_number(text, "instruction address", digits, 16, err);
    if (digits == 0 || !pl_scan_char(&at, end, ':'))
        return pl_textread_strange(text, start, end, wanted, err);
    pl_scan_blanks(&at, end);
    char letter = at < end ? *at++ : 0;
    if ((letter != 'R' && letter != 'W') || at == end || (*at != ' ' && *at != '\t'))
        return pl_textread_strange(text, start, end, wanted, err);
    pl_scan_blanks(&at, end);
    if ((digits = pl_scan_hex(&at, end, &address)) <= 0)
        return pl_textread_number(text, "address", digits, 16, err);
    if (at < end && *at != ' ' && *at != '\t')
        return pl_textread_strange(text, start, end, wanted, err);
    pl_scan_blanks(&at, end);
    if (at < end && (digits = pl_scan_decimal(&at, end, &size)) <= 0)
        return pl_textread_number(text, "size", digits, 10, err);
    if (at < end && *at != ' ' && *at != '\t')
        return pl_textread_strange(text, start, end, wanted, err);
    enum pl_err rc = pl_textread_size(text, size, err);
    if (rc)
        return rc;
    pl_builder_access(text->builder, letter == 'W' ? PL_WRITE : PL_READ, address, size);
    text->reader->info.input_records++;
    return PL_OK;
}

static enum pl_err open_pinatrace(struct pl_reader *reader, struct pl_error *err)
{
    struct pl_textread *text;
    reader->info.source = "Pin pinatrace";
    return pl_textread_open(reader, (struct pl_builder_columns){.kind = true}, line, &text, err);
}

const struct pl_format pl_format_pinatrace = {
    .name = "pinatrace",
    .about = "Pin's pinatrace: '0xPC: R|W 0xaddress size'",
    .suffixes = "out",
    .probe = probe,
    .open = open_pinatrace,
    .next = pl_textread_next,
    .origin = pl_textread_origin,
    .close = pl_textread_close,
};
