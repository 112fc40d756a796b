/* trace/formats/format_lackey.c: what valgrind's lackey prints with --trace-mem=yes.
 *
 *     ==4711== Lackey, an example Valgrind tool        valgrind's own lines; the number is the process
 *     I  04001090,3                                    instruction fetch: hexadecimal address, decimal size
 *      L 1ffefffe50,8                                  load
 *      S 1ffefffe48,8                                  store
 *      M 0421a1c8,4                                    modify: a load, then a store of the same bytes
 *
 * Blanks before and after the letter are not held against a line. An access touches every page that its bytes lie on;
 * for a modify all pages are loaded, then all are stored.
 *
 * Does not model: what lackey leaves out (the kernel's accesses, other processes), and which of several processes in one
 * log made an access: the process that valgrind named last is taken, and the number of changes is counted. */
#include "trace/formats/scan.h"
#include "trace/formats/textread.h"

/* "==pid==", "--pid--" or "**pid**", as valgrind marks its own lines. */
static bool own_line(const char *at, const char *end, uint64_t *pid)
{
    if (end - at < 5 || at[0] != at[1] || (at[0] != '=' && at[0] != '-' && at[0] != '*'))
        return false;
    char mark = *at;
    at += 2;
    return pl_scan_decimal(&at, end, pid) > 0 && pl_scan_char(&at, end, mark) && pl_scan_char(&at, end, mark);
}

static bool fits(const char *at, const char *end)
{
    uint64_t number;
    if (own_line(at, end, &number))
        return true;
    pl_scan_blanks(&at, end);
    if (at == end || !pl_scan_is(*at++, "ILSM") || at == end || (*at != ' ' && *at != '\t'))
        return false;
    pl_scan_blanks(&at, end);
    return pl_scan_hex(&at, end, &number) && pl_scan_char(&at, end, ',');
}

static int probe(const uint8_t *head, size_t length, bool whole)
{
    return pl_textread_probe(head, length, whole, fits, 85);
}

static enum pl_err own(struct pl_textread *text, uint64_t pid)
{
    if (text->reader->info.processes && text->builder->actor != UINT32_MAX) {
        uint64_t before = text->reader->info.threads;
        pl_builder_actor(text->builder, pid, 0, NULL);
        if (text->reader->info.threads != before)
            pl_reader_damage(text->reader, "another process in the same log: accesses cannot be told apart for sure", 1,
                             text->lines.line);
    } else {
        pl_builder_actor(text->builder, pid, 0, NULL);
    }
    return pl_textread_skip(text, "lines of valgrind's own");
}

static void put(struct pl_textread *text, char letter, uint64_t address, uint64_t size)
{
    struct pl_builder *builder = text->builder;
    switch (letter) {
    case 'I':
        pl_builder_access(builder, PL_EXECUTE, address, size);
        break;
    case 'L':
        pl_builder_access(builder, PL_READ, address, size);
        break;
    case 'M':
        if (!text->reader->options.modify_once)
            pl_builder_access(builder, PL_READ, address, size);
        /* fall through */
    default:
        pl_builder_access(builder, PL_WRITE, address, size);
    }
    builder->info->input_records++;
}

static enum pl_err line(struct pl_textread *text, const char *at, const char *end, struct pl_error *err)
{
    static const char wanted[] = "a lackey line such as ' L 1ffefffe50,8'";
    const char *start = at;
    uint64_t address, size;
    int digits;
    if (*at == '=' || *at == '-' || *at == '*') {
        if (own_line(at, end, &size))
            return own(text, size);
        return pl_textread_strange(text, start, end, wanted, err);
    }
    pl_scan_blanks(&at, end);
    char letter = *at++;
    if ((letter != 'I' && letter != 'L' && letter != 'S' && letter != 'M') || at == end || (*at != ' ' && *at != '\t'))
        return pl_textread_strange(text, start, end, wanted, err);
    pl_scan_blanks(&at, end);
    if ((digits = pl_scan_hex(&at, end, &address)) <= 0)
        return pl_textread_number(text, "address", digits, 16, err);
    if (!pl_scan_char(&at, end, ','))
        return pl_textread_strange(text, start, end, wanted, err);
    if ((digits = pl_scan_decimal(&at, end, &size)) <= 0)
        return pl_textread_number(text, "size", digits, 10, err);
    if (at != end)
        return pl_textread_strange(text, start, end, wanted, err);
    if (size == 0)
        return pl_textread_bad(text, err, "size is 0");
    enum pl_err rc = pl_textread_size(text, size, err);
    if (rc == PL_OK)
        put(text, letter, address, size);
    return rc;
}

static enum pl_err open_lackey(struct pl_reader *reader, struct pl_error *err)
{
    struct pl_textread *text;
    reader->info.source = "valgrind lackey";
    return pl_textread_open(reader, (struct pl_builder_columns){.kind = true}, line, &text, err);
}

const struct pl_format pl_format_lackey = {
    .name = "lackey",
    .about = "valgrind --tool=lackey --trace-mem=yes: 'I  addr,size', ' L addr,size', ' S ...', ' M ...'",
    .suffixes = "lackey,lk",
    .probe = probe,
    .open = open_lackey,
    .next = pl_textread_next,
    .origin = pl_textread_origin,
    .close = pl_textread_close,
};
