/* trace/formats/format_csv.c: a table with a header line that names its columns, in any order (csv_columns.c has the names).
 *
 *     version,time,op,size,lbn               requests of a virtual disk: SCSI codes in hexadecimal, microseconds
 *     time_us,pid,tid,address,size,rw        accesses
 *     # page_size: 4096                      lines that writing puts in front; reading takes them as given
 *     time_ps,process,thread,page,kind
 *
 * Rows with a byte address and a size touch every page they cover. offset, lbn and object make requests: one object each,
 * or the pages they cover, as told. Objects may have names; those are hashed to 64 bits (XXH64), so two names are
 * confused with a chance of about n^2 / 2^65 for n names. */
#include "trace/formats/csv_columns.h"
#include "trace/formats/scan.h"
#include "trace/formats/textread.h"
#include "trace/formats/textwrite.h"

#include <stdlib.h>

enum { SECTOR = 512, HEAD = 1 << 16 };
static const uint64_t most_bytes = 1024 * PL_GIB; /* of one request; a larger size is a mistake */

struct field {
    const char *start, *end; /* NULL: the row lacks it */
};

struct csv {
    struct pl_csv_columns columns;
    bool hex;     /* places without 0x are hexadecimal */
    bool objects; /* a row is one object */
    bool started;
    int64_t first_units, first_rest_ps;
};

/* --- the header ------------------------------------------------------------------- */

/* The line at *at, which moves behind it; false at the end. */
static bool head_line(const char **at, const char *end, const char **start, const char **stop)
{
    if (*at >= end)
        return false;
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    *start = *at;
    *stop = newline ? newline : end;
    *at = newline ? newline + 1 : end;
    while (*stop > *start && ((*stop)[-1] == '\r' || (*stop)[-1] == ' '))
        --*stop;
    return true;
}

/* The first line that is neither a comment nor blank. Returns how many lines it took. */
static size_t find_header(const char **at, const char *end, const char **start, const char **stop)
{
    size_t lines = 0;
    while (head_line(at, end, start, stop)) {
        lines++;
        if (*stop > *start && **start != '#')
            return lines;
    }
    return 0;
}

static int probe(const uint8_t *head, size_t length, bool whole)
{
    const char *at = (const char *)head, *end = at + length, *start, *stop;
    struct pl_csv_columns columns;
    (void)whole;
    if (!find_header(&at, end, &start, &stop) || !pl_csv_columns_read(start, stop, &columns))
        return 0;
    return columns.count > 1 ? 80 : 55;
}

/* "# key: value" */
static bool comment_value(const char *start, const char *stop, const char *key, const char **value)
{
    const char *at = start + 1;
    pl_scan_blanks(&at, stop);
    if (!pl_scan_word(&at, stop, key))
        return false;
    pl_scan_blanks(&at, stop);
    if (!pl_scan_char(&at, stop, ':'))
        return false;
    pl_scan_blanks(&at, stop);
    *value = at;
    return true;
}

static void read_comment(struct pl_reader *reader, const char *start, const char *stop)
{
    static const char *const records[] = {"accesses", "requests", "faults", "interval", "writes"};
    const char *value;
    uint64_t number;
    if (comment_value(start, stop, "page_size", &value)) {
        if (pl_scan_decimal(&value, stop, &number) > 0 && number && number <= UINT32_MAX && !(number & (number - 1)))
            reader->info.page_size = (uint32_t)number;
    } else if (comment_value(start, stop, "lost", &value)) {
        if (pl_scan_decimal(&value, stop, &number) > 0)
            reader->info.lost = number;
    } else if (comment_value(start, stop, "source", &value)) {
        reader->info.source = pl_arena_printf(reader->arena, "%.*s", (int)(stop - value), value);
    } else if (comment_value(start, stop, "records", &value)) {
        for (size_t i = 0; i < PL_COUNT_OF(records); i++)
            if ((size_t)(stop - value) == strlen(records[i]) && !memcmp(value, records[i], strlen(records[i])))
                reader->info.records = (enum pl_records)i;
    }
}

/* The field of the place column in a row of the head. */
static bool shows_hex(const struct pl_csv_columns *columns, const char *at, const char *end)
{
    const char *start, *stop;
    for (size_t i = 0; i < columns->count && pl_csv_field_next(&at, end, columns->delimiter, &start, &stop); i++) {
        if (columns->role[i] != columns->place)
            continue;
        uint64_t number;
        const char *p = start;
        if (!pl_scan_hex(&p, stop, &number) || p != stop)
            return false;
        for (p = start; p < stop; p++)
            if (pl_scan_is((char)(*p | 0x20), "abcdef"))
                return true;
    }
    return false;
}

/* Reads the head without consuming it: comments, header, and whether places are hexadecimal. */
static enum pl_err read_head(struct pl_reader *reader, struct csv *csv, size_t *lines, struct pl_error *err)
{
    const uint8_t *window;
    size_t length;
    const char *start, *stop;
    enum pl_err rc = pl_source_peek(reader->source, HEAD, &window, &length, err);
    if (rc)
        return rc;
    const char *at = (const char *)window, *end = at + (length < HEAD ? length : HEAD);
    *lines = find_header(&at, end, &start, &stop);
    if (!*lines)
        return pl_fail(err, PL_ERR_INPUT, "%s: no header line with column names", reader->info.path);
    if (!pl_csv_columns_read(start, stop, &csv->columns)) {
        char shown[80];
        pl_printable(shown, sizeof shown, start, (size_t)(stop - start));
        return pl_fail_at(err, reader->info.path, *lines,
                          "no column of '%s' says which page: page, address, lbn, offset or object", shown);
    }
    for (const char *comment = (const char *)window, *a, *b; head_line(&comment, end, &a, &b) && a < start;)
        if (a < b && *a == '#')
            read_comment(reader, a, b);
    bool hex = false;
    while (!hex && csv->columns.place != PL_CSV_OBJECT && head_line(&at, end, &start, &stop))
        hex = shows_hex(&csv->columns, start, stop);
    csv->hex = hex;
    return PL_OK;
}

/* --- fields -------------------------------------------------------------------------- */

static enum pl_err number(struct pl_textread *text, const struct field *field, const char *what, bool hex, uint64_t *out,
                          struct pl_error *err)
{
    const char *at = field->start;
    bool prefixed = field->end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x';
    int base = hex || prefixed ? 16 : 10;
    int digits = base == 16 ? pl_scan_hex(&at, field->end, out) : pl_scan_decimal(&at, field->end, out);
    if (digits > 0 && base == 10 && at < field->end && *at == '.') /* 512.0, as some tables write whole numbers */
        for (at++; at < field->end && *at == '0';)
            at++;
    if (digits > 0 && at == field->end)
        return PL_OK;
    if (digits >= 0) {
        char shown[40];
        pl_printable(shown, sizeof shown, field->start, (size_t)(field->end - field->start));
        return pl_textread_bad(text, err, "%s '%s' is no %s number", what, shown,
                               base == 16 ? "hexadecimal" : "decimal");
    }
    return pl_textread_number(text, what, digits, base, err);
}

/* A place: numbers as told; an object that is no number by the hash of its name. */
static enum pl_err place(struct pl_textread *text, const struct csv *csv, const struct field *field, uint64_t *out,
                         struct pl_error *err)
{
    if (csv->columns.place == PL_CSV_OBJECT) {
        const char *at = field->start;
        if (pl_scan_decimal(&at, field->end, out) <= 0 || at != field->end) {
            at = field->start;
            bool prefixed = field->end - at > 2 && at[0] == '0' && at[1] == 'x';
            if (!prefixed || pl_scan_hex(&at, field->end, out) <= 0 || at != field->end)
                *out = pl_xxh64(field->start, (size_t)(field->end - field->start), 0);
        }
        return PL_OK;
    }
    return number(text, field, "place", csv->hex, out, err);
}

/* Whole units and the rest in picoseconds, relative to the first row's. */
static enum pl_err time_of(struct pl_textread *text, struct csv *csv, const struct field *field, int64_t *out,
                           struct pl_error *err)
{
    const char *at = field->start;
    int64_t unit = csv->columns.time_unit_ps, rest = 0, weight = unit;
    bool negative = pl_scan_char(&at, field->end, '-');
    uint64_t whole = 0;
    int digits = pl_scan_decimal(&at, field->end, &whole);
    if (digits > 0 && pl_scan_char(&at, field->end, '.'))
        for (; at < field->end && *at >= '0' && *at <= '9'; at++)
            rest += (*at - '0') * (weight /= 10);
    if (digits <= 0 || at != field->end || whole > INT64_MAX) {
        char shown[40];
        pl_printable(shown, sizeof shown, field->start, (size_t)(field->end - field->start));
        return pl_textread_bad(text, err, "time '%s' is no number", shown);
    }
    int64_t units = negative ? -(int64_t)whole : (int64_t)whole;
    rest = negative ? -rest : rest;
    if (!csv->started && unit) { /* instructions count from the start of what was traced */
        csv->first_units = units;
        csv->first_rest_ps = rest;
        csv->started = true;
    }
    bool over = __builtin_sub_overflow(units, csv->first_units, &units);
    over |= __builtin_mul_overflow(units, unit ? unit : 1, &units);
    over |= __builtin_add_overflow(units, rest - csv->first_rest_ps, out);
    if (over) {
        *out = negative ? INT64_MIN : INT64_MAX;
        pl_reader_damage(text->reader, "times beyond 2^63 (106 days in picoseconds), cut to that", 1, text->lines.line);
    }
    return PL_OK;
}

struct kind_word {
    const char *words; /* between blanks */
    int kind;          /* enum pl_kind, MODIFY or NEITHER */
};
enum { MODIFY = 10, NEITHER = 11, UNKNOWN = 12 };

static const struct kind_word kind_words[] = {
    {" r read rd l load get gets rs readfault ", PL_READ},
    {" w write wr s st store set put add replace cas append prepend incr decr ws ", PL_WRITE},
    {" x i e exec execute fetch ifetch instruction ", PL_EXECUTE},
    {" m modify rmw ", MODIFY},
    {" delete del remove discard trim flush sync open close stat seek ", NEITHER},
};
static const struct kind_word scsi_words[] = {
    {" 8 08 28 88 a8 ", PL_READ},
    {" a 0a 2a 8a aa 2e 8e ae ", PL_WRITE},
};

static int find_kind(const struct kind_word *words, size_t count, const char *wanted)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(words[i].words, wanted))
            return words[i].kind;
    return UNKNOWN;
}

static enum pl_err kind_of(struct pl_textread *text, const struct csv *csv, const struct field *field, int *out,
                           struct pl_error *err)
{
    char wanted[24] = " ";
    const char *at = field->start;
    size_t length = 1;
    bool scsi = csv->columns.place == PL_CSV_SECTOR;
    if (scsi && field->end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x')
        at += 2;
    for (; at < field->end && length + 2 < sizeof wanted; at++)
        wanted[length++] = (char)(*at >= 'A' && *at <= 'Z' ? *at | 0x20 : *at);
    wanted[length] = ' ';
    wanted[length + 1] = 0;
    *out = at == field->end ? find_kind(kind_words, PL_COUNT_OF(kind_words), wanted) : UNKNOWN;
    if (*out == UNKNOWN && scsi) {
        uint64_t code;
        const char *again = field->start;
        *out = find_kind(scsi_words, PL_COUNT_OF(scsi_words), wanted);
        if (*out == UNKNOWN && pl_scan_hex(&again, field->end, &code) > 0 && again == field->end)
            *out = NEITHER;
    }
    if (*out != UNKNOWN)
        return PL_OK;
    char shown[40];
    pl_printable(shown, sizeof shown, field->start, (size_t)(field->end - field->start));
    return pl_textread_bad(text, err, "operation '%s' is neither read, write, execute nor modify", shown);
}

static bool is_true(const struct field *field)
{
    return field->start < field->end && pl_scan_is((char)(*field->start | 0x20), "1tyw");
}

/* --- rows ------------------------------------------------------------------------------ */

static void put_one(struct pl_textread *text, const struct csv *csv, enum pl_kind kind, uint64_t at, uint64_t size)
{
    struct pl_builder *builder = text->builder;
    if (csv->objects) {
        pl_builder_object(builder, kind, at, size);
        return;
    }
    if (csv->columns.place == PL_CSV_PAGE) {
        uint64_t more = size > builder->page_size ? (size - 1) >> builder->page_shift : 0;
        pl_builder_pages(builder, kind, at, at + more < at ? UINT64_MAX : at + more);
        return;
    }
    pl_builder_access(builder, kind, at, size);
}

static enum pl_err put(struct pl_textread *text, struct csv *csv, const struct field *fields, int kind,
                       struct pl_error *err)
{
    uint64_t at, size = 0;
    enum pl_err rc = place(text, csv, &fields[csv->columns.place], &at, err);
    if (rc == PL_OK && fields[PL_CSV_SIZE].start < fields[PL_CSV_SIZE].end)
        rc = number(text, &fields[PL_CSV_SIZE], "size", false, &size, err);
    if (rc)
        return rc;
    if (size > most_bytes)
        return pl_textread_bad(text, err, "size is %llu bytes, more than 1 TiB", (unsigned long long)size);
    if (csv->columns.place == PL_CSV_SECTOR && !csv->objects && __builtin_mul_overflow(at, (uint64_t)SECTOR, &at))
        return pl_textread_bad(text, err, "the sector lies beyond 2^64 bytes");
    if (kind == MODIFY && !text->reader->options.modify_once)
        put_one(text, csv, PL_READ, at, size);
    put_one(text, csv, kind == MODIFY ? PL_WRITE : (enum pl_kind)kind, at, size);
    text->reader->info.input_records++;
    return PL_OK;
}

/* Everything that belongs to the row but its place. */
static enum pl_err before_place(struct pl_textread *text, struct csv *csv, const struct field *fields, int *kind,
                                struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    int64_t time = 0;
    uint64_t process = 0, thread = 0;
    *kind = PL_READ;
    if (fields[PL_CSV_KIND].start)
        rc = kind_of(text, csv, &fields[PL_CSV_KIND], kind, err);
    else if (fields[PL_CSV_IS_WRITE].start)
        *kind = is_true(&fields[PL_CSV_IS_WRITE]) ? PL_WRITE : PL_READ;
    if (rc == PL_OK && fields[PL_CSV_PROCESS].start)
        rc = number(text, &fields[PL_CSV_PROCESS], "process", false, &process, err);
    if (rc == PL_OK && fields[PL_CSV_THREAD].start)
        rc = number(text, &fields[PL_CSV_THREAD], "thread", false, &thread, err);
    if (rc == PL_OK && fields[PL_CSV_TIME].start) {
        rc = time_of(text, csv, &fields[PL_CSV_TIME], &time, err);
        if (rc == PL_OK)
            pl_builder_at(text->builder, time);
    }
    if (rc == PL_OK && (csv->columns.has[PL_CSV_PROCESS] || csv->columns.has[PL_CSV_THREAD]))
        pl_builder_actor(text->builder, process, thread, NULL);
    return rc;
}

static enum pl_err line(struct pl_textread *text, const char *at, const char *end, struct pl_error *err)
{
    struct csv *csv = text->more;
    struct field fields[PL_CSV_ROLES] = {{NULL, NULL}};
    const char *start, *stop;
    size_t count = 0;
    int kind;
    while (pl_csv_field_next(&at, end, csv->columns.delimiter, &start, &stop)) {
        if (count < csv->columns.count)
            fields[csv->columns.role[count]] = (struct field){start, stop};
        count++;
    }
    if (count < csv->columns.count || !fields[csv->columns.place].start)
        return pl_textread_bad(text, err, "%zu fields where the header has %zu", count, csv->columns.count);
    if (fields[csv->columns.place].start == fields[csv->columns.place].end)
        return pl_textread_bad(text, err, "the place is empty");
    enum pl_err rc = before_place(text, csv, fields, &kind, err);
    if (rc)
        return rc;
    if (kind == NEITHER)
        return pl_textread_skip(text, "requests that neither read nor write");
    return put(text, csv, fields, kind, err);
}

/* --- opening ------------------------------------------------------------------------------ */

static enum pl_err settle(struct pl_reader *reader, struct csv *csv, struct pl_error *err)
{
    const struct pl_csv_columns *columns = &csv->columns;
    bool requests = columns->place == PL_CSV_OBJECT || columns->place == PL_CSV_SECTOR || columns->place == PL_CSV_OFFSET;
    uint32_t asked = reader->options.page_size;
    if (columns->place == PL_CSV_PAGE && asked && reader->info.page_size && asked != reader->info.page_size)
        return pl_fail(err, PL_ERR_USAGE, "%s: its page numbers are of %u bytes a page, as it says; %u were asked for",
                       reader->info.path, reader->info.page_size, asked);
    if (asked)
        reader->info.page_size = asked;
    if (requests && reader->options.requests == PL_REQUEST_PAGES && columns->place == PL_CSV_OBJECT)
        return pl_fail(err, PL_ERR_USAGE,
                       "%s: objects have no position, so they cannot be split into pages; use --requests objects",
                       reader->info.path);
    csv->objects = requests && reader->options.requests == PL_REQUEST_OBJECTS;
    if (requests)
        reader->info.records = PL_RECORDS_REQUESTS;
    if (columns->has[PL_CSV_TIME])
        reader->info.clock = columns->time_unit_ps ? PL_CLOCK_PICOSECONDS : PL_CLOCK_INSTRUCTIONS;
    return PL_OK;
}

static enum pl_err open_csv(struct pl_reader *reader, struct pl_error *err)
{
    struct csv *csv = pl_arena_alloc(reader->arena, 1, sizeof *csv);
    size_t header_lines;
    struct pl_textread *text;
    if (!csv)
        return pl_fail_memory(err, sizeof *csv, "a reader");
    enum pl_err rc = read_head(reader, csv, &header_lines, err);
    if (rc == PL_OK)
        rc = settle(reader, csv, err);
    if (rc)
        return rc;
    const struct pl_csv_columns *columns = &csv->columns;
    struct pl_builder_columns wanted = {columns->has[PL_CSV_KIND] || columns->has[PL_CSV_IS_WRITE],
                                        columns->has[PL_CSV_TIME], csv->objects};
    rc = pl_textread_open(reader, wanted, line, &text, err);
    if (rc)
        return rc;
    text->more = csv;
    for (size_t i = 0; i < header_lines && rc == PL_OK; i++) {
        const char *start, *stop;
        rc = pl_lines_next(&text->lines, &start, &stop, err);
    }
    if (rc)
        pl_textread_close(reader);
    return rc == PL_END ? pl_fail(err, PL_ERR_INPUT, "%s: no rows after the header", reader->info.path) : rc;
}

/* --- writing ---------------------------------------------------------------------------------- */

static bool has_size(const struct pl_trace_writer *writer)
{
    return writer->header.records == PL_RECORDS_REQUESTS;
}

static enum pl_err write_open(struct pl_trace_writer *writer, struct pl_error *err)
{
    static const char *const records[] = {"accesses", "requests", "faults", "interval", "writes"};
    static const char *const clocks[] = {"", "time_ps,", "time_instructions,"};
    const struct pl_trace_header *header = &writer->header;
    enum pl_err rc = pl_textwrite_open(writer, false, err);
    if (rc)
        return rc;
    pl_sink_printf(writer->sink, "# page_size: %u\n# records: %s\n", header->page_size, records[header->records]);
    if (header->lost)
        pl_sink_printf(writer->sink, "# lost: %llu\n", (unsigned long long)header->lost);
    if (header->source)
        pl_sink_printf(writer->sink, "# source: %s\n", header->source);
    pl_sink_printf(writer->sink, "%sprocess,thread,%s,kind%s\n", clocks[header->clock],
                   has_size(writer) ? "object" : "page", has_size(writer) ? ",size" : "");
    return PL_OK;
}

static enum pl_err write_line(struct pl_trace_writer *writer, const struct pl_textwrite_touch *touch,
                              struct pl_error *err)
{
    static const char *const kinds[] = {",R", ",W", ",X"};
    char out[160], *at = out;
    (void)err;
    if (writer->header.clock != PL_CLOCK_NONE) {
        if (touch->time < 0)
            *at++ = '-';
        at = pl_textwrite_decimal(at, touch->time < 0 ? -(uint64_t)touch->time : (uint64_t)touch->time);
        *at++ = ',';
    }
    at = pl_textwrite_decimal(at, touch->origin.process);
    *at++ = ',';
    at = pl_textwrite_decimal(at, touch->thread);
    *at++ = ',';
    at = pl_textwrite_decimal(at, touch->origin.number);
    memcpy(at, kinds[touch->kind], 2);
    at += 2;
    if (has_size(writer)) {
        *at++ = ',';
        if (touch->size)
            at = pl_textwrite_decimal(at, touch->size);
    }
    *at++ = '\n';
    pl_sink_write(writer->sink, out, (size_t)(at - out));
    return PL_OK;
}

static enum pl_err write_batch(struct pl_trace_writer *writer, const struct pl_batch *batch, pl_origin_fn *origin,
                               void *user, struct pl_error *err)
{
    return pl_textwrite_batch(writer, batch, origin, user, write_line, err);
}

const struct pl_format pl_format_csv = {
    .name = "csv",
    .about = "a table with a header line: time, pid, tid, page|address|lbn|object, op, size in any order",
    .suffixes = "csv,tsv",
    .probe = probe,
    .open = open_csv,
    .next = pl_textread_next,
    .origin = pl_textread_origin,
    .close = pl_textread_close,
    .write_open = write_open,
    .write = write_batch,
    .write_close = pl_textwrite_close,
};
