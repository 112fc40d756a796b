/* trace/formats/format_address.c: loads and stores with instruction counts ("s 0x1fffff50 1").
 *
 * The number behind the address is how many instructions ran since the access before; their sum is the trace's clock.
 * A line without it counts one instruction. */
#include "trace/formats/scan.h"
#include "trace/formats/textread.h"

static bool fits(const char *at, const char *end)
{
    uint64_t number;
    if (at == end || !pl_scan_is(*at++, "lsLS") || at == end || (*at != ' ' && *at != '\t'))
        return false;
    pl_scan_blanks(&at, end);
    if (end - at < 3 || at[0] != '0' || (at[1] | 0x20) != 'x' || !pl_scan_hex(&at, end, &number))
        return false;
    pl_scan_blanks(&at, end);
    return pl_scan_decimal(&at, end, &number) && at == end;
}

static int probe(const uint8_t *head, size_t length, bool whole)
{
    return pl_textread_probe(head, length, whole, fits, 80);
}

static enum pl_err line(struct pl_textread *text, const char *at, const char *end, struct pl_error *err)
{
    static const char wanted[] = "'l 0xaddress n' or 's 0xaddress n'";
    const char *start = at;
    uint64_t address, instructions = 1;
    int digits;
    pl_scan_blanks(&at, end);
    char letter = (char)(*at++ | 0x20);
    if ((letter != 'l' && letter != 's') || at == end || (*at != ' ' && *at != '\t'))
        return pl_textread_strange(text, start, end, wanted, err);
    pl_scan_blanks(&at, end);
    if ((digits = pl_scan_hex(&at, end, &address)) <= 0)
        return pl_textread_number(text, "address", digits, 16, err);
    if (at < end && *at != ' ' && *at != '\t')
        return pl_textread_strange(text, start, end, wanted, err);
    pl_scan_blanks(&at, end);
    if (at < end && (digits = pl_scan_decimal(&at, end, &instructions)) <= 0)
        return pl_textread_number(text, "instruction count", digits, 10, err);
    if (at != end)
        return pl_textread_strange(text, start, end, wanted, err);
    int64_t now;
    if (instructions > INT64_MAX || __builtin_add_overflow(text->builder->now, (int64_t)instructions, &now))
        return pl_textread_bad(text, err, "the instruction counts add up to more than 2^63");
    pl_builder_at(text->builder, now);
    pl_builder_touch(text->builder, letter == 's' ? PL_WRITE : PL_READ, address >> text->builder->page_shift);
    text->reader->info.input_records++;
    return PL_OK;
}

static enum pl_err open_address(struct pl_reader *reader, struct pl_error *err)
{
    struct pl_textread *text;
    reader->info.clock = PL_CLOCK_INSTRUCTIONS;
    return pl_textread_open(reader, (struct pl_builder_columns){.kind = true, .time = true}, line, &text, err);
}

const struct pl_format pl_format_address = {
    .name = "address",
    .about = "'l|s 0xaddress n', n = instructions since the access before",
    .suffixes = "addr",
    .probe = probe,
    .open = open_address,
    .next = pl_textread_next,
    .origin = pl_textread_origin,
    .close = pl_textread_close,
};
