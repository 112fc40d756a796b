/* trace/formats/csv_columns.c: what the columns of a CSV trace mean, by their names. */
#include "trace/formats/csv_columns.h"

#include <ctype.h>
#include <string.h>

static const struct {
    enum pl_csv_role role;
    const char *names; /* between blanks */
} roles[] = {
    {PL_CSV_TIME, " time timestamp ts t clock "},
    {PL_CSV_PROCESS, " pid process processid proc tgid "},
    {PL_CSV_THREAD, " tid thread threadid "},
    {PL_CSV_PAGE, " page pagenumber pageno pagenum pageid pfn vpn vfn "},
    {PL_CSV_ADDRESS, " address addr vaddr va virtualaddr virtualaddress faultaddress byteaddress "},
    {PL_CSV_OFFSET, " offset byteoffset readoffset start startoffset "},
    {PL_CSV_SECTOR, " lbn lba sector startsector sectornumber "},
    {PL_CSV_OBJECT, " object obj objectid objid id key block blockno blocknumber blockid item "},
    {PL_CSV_SIZE, " size bytes length len objectsize objsize sizebytes bytecount iosize requestsize reqsize "},
    {PL_CSV_KIND, " op operation opcode rw readwrite kind type access accesstype command cmd mode optype "},
    {PL_CSV_IS_WRITE, " write iswrite dirty store "},
};

const char pl_csv_columns_help[] =
    "csv finds its columns by the names in the header line, in any order; letter case, blanks, '_' and '-' do not "
    "matter. Which page: page, pfn, vpn (page numbers); address, addr, vaddr (bytes); offset (bytes), lbn, lba, sector "
    "(512 bytes) and object, obj_id, key, block, id (requests). When: time, timestamp, ts, with a unit behind it "
    "(time_us, time_ms, time_instructions), else seconds, or microseconds beside lbn. Who: pid or process, tid or thread. "
    "How: op, rw, kind, type, access (R, read, load, get; W, write, store, set; X, execute; M, modify; beside lbn the SCSI "
    "codes in hexadecimal, 28 and 2a), or write (0, 1). How much: size, bytes, length. Places are decimal, or "
    "hexadecimal when they start with 0x or when any in the first lines has a letter.";

static const struct {
    const char *name;
    int64_t ps;
} units[] = {
    {"seconds", PL_PS_PER_S}, {"sec", PL_PS_PER_S},  {"s", PL_PS_PER_S},          {"ms", PL_PS_PER_MS},
    {"us", PL_PS_PER_US},     {"usec", PL_PS_PER_US}, {"microseconds", PL_PS_PER_US}, {"msec", PL_PS_PER_MS},
    {"ns", PL_PS_PER_NS},     {"nsec", PL_PS_PER_NS}, {"ps", 1},                    {"instructions", 0},
};

/* Lower case, letters and digits only. Returns the length; names that do not fit are no names that count. */
static size_t plain_name(const char *at, const char *end, char *out, size_t size)
{
    size_t length = 0;
    for (; at < end && length + 1 < size; at++)
        if (isalnum((unsigned char)*at))
            out[length++] = (char)tolower((unsigned char)*at);
    out[length] = 0;
    return length;
}

static enum pl_csv_role find_role(const char *name)
{
    char wanted[40];
    size_t length = strlen(name);
    if (length == 0 || length + 3 > sizeof wanted)
        return PL_CSV_NONE;
    wanted[0] = ' ';
    memcpy(wanted + 1, name, length);
    memcpy(wanted + 1 + length, " ", 2);
    for (size_t i = 0; i < PL_COUNT_OF(roles); i++)
        if (strstr(roles[i].names, wanted))
            return roles[i].role;
    return PL_CSV_NONE;
}

/* A time's name with a unit behind it. */
static enum pl_csv_role find_time(const char *name, int64_t *unit_ps)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < PL_COUNT_OF(units); i++) {
        char base[32];
        size_t unit = strlen(units[i].name);
        if (length <= unit || length - unit >= sizeof base || strcmp(name + length - unit, units[i].name))
            continue;
        memcpy(base, name, length - unit);
        base[length - unit] = 0;
        if (find_role(base) != PL_CSV_TIME)
            continue;
        *unit_ps = units[i].ps;
        return PL_CSV_TIME;
    }
    return PL_CSV_NONE;
}

static char find_delimiter(const char *at, const char *end)
{
    size_t commas = 0, semicolons = 0, tabs = 0;
    for (; at < end; at++) {
        commas += *at == ',';
        semicolons += *at == ';';
        tabs += *at == '\t';
    }
    if (tabs > commas && tabs >= semicolons)
        return '\t';
    return semicolons > commas ? ';' : ',';
}

bool pl_csv_field_next(const char **at, const char *end, char delimiter, const char **start, const char **stop)
{
    const char *p = *at, *last;
    if (!p)
        return false;
    while (p < end && (*p == ' ' || (*p == '\t' && delimiter != '\t')))
        p++;
    if (p < end && *p == '"') {
        const char *quote = p + 1;
        while (quote < end && (*quote != '"' || (quote + 1 < end && quote[1] == '"')))
            quote += *quote == '"' ? 2 : 1;
        *start = p + 1;
        *stop = quote < end ? quote : end;
        last = memchr(*stop, delimiter, (size_t)(end - *stop));
    } else {
        last = memchr(p, delimiter, (size_t)(end - p));
        *start = p;
        *stop = last ? last : end;
        while (*stop > p && ((*stop)[-1] == ' ' || (*stop)[-1] == '\t'))
            --*stop;
    }
    *at = last ? last + 1 : NULL;
    return true;
}

bool pl_csv_columns_read(const char *at, const char *end, struct pl_csv_columns *out)
{
    const char *start, *stop;
    *out = (struct pl_csv_columns){.delimiter = find_delimiter(at, end), .time_unit_ps = -1};
    if (end - at >= 3 && !memcmp(at, "\xef\xbb\xbf", 3))
        at += 3;
    while (out->count < PL_CSV_COLUMNS_MAX && pl_csv_field_next(&at, end, out->delimiter, &start, &stop)) {
        char name[40];
        int64_t unit = -1;
        plain_name(start, stop, name, sizeof name);
        enum pl_csv_role role = find_role(name);
        if (role == PL_CSV_NONE)
            role = find_time(name, &unit);
        if (out->has[role])
            role = PL_CSV_NONE;
        if (role == PL_CSV_TIME)
            out->time_unit_ps = unit;
        out->has[role] = role != PL_CSV_NONE;
        out->role[out->count++] = (uint8_t)role;
    }
    static const enum pl_csv_role places[] = {PL_CSV_PAGE, PL_CSV_ADDRESS, PL_CSV_SECTOR, PL_CSV_OBJECT, PL_CSV_OFFSET};
    for (size_t i = 0; i < PL_COUNT_OF(places) && out->place == PL_CSV_NONE; i++)
        if (out->has[places[i]])
            out->place = places[i];
    if (out->time_unit_ps < 0)
        out->time_unit_ps = out->place == PL_CSV_SECTOR ? PL_PS_PER_US : PL_PS_PER_S;
    return out->place != PL_CSV_NONE;
}
