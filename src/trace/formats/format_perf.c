/* trace/formats/format_perf.c: page faults as perf prints them: `perf script` and `perf trace -F all --no-syscalls`.
 *
 *     gcc  4452/4452  [000] 82820.952659:  1 page-faults:  7f1c2a3b4000 ...        perf record -d -e page-faults
 *     gcc  4452 [000] 82820.95: exceptions:page_fault_user: address=0x7f1c ip=0x55 error_code=0x6
 *     0.202 ( 0.000 ms): xchat/4574 majfault [f+0x53] => 0x2280ff0 (?.)            perf trace
 *     20.85 ( 0.000 ms): xchat/4574 majfault [f+0x11] => /usr/bin/xchat@0x6da1f (x.)
 *     LOST 17 events!
 *
 * The records are faults, not accesses. Names before the ids may hold blanks. The error code of the trace point says
 * write (bit 1) or instruction fetch (bit 4); other events do not say, and count as reads. perf trace gives pages of files
 * by their place in the file: such a page is named by a hash of the file's name and that place, above all addresses.
 * Where only one id is given it is the thread's, and stands for the process too.
 *
 * Does not model: which threads of perf trace share an address space; faults that the kernel took for others. */
#include "trace/formats/scan.h"
#include "trace/formats/textread.h"

struct perf {
    uint64_t first_ps;
    bool started;
};

struct event {
    bool lost, fault, file;
    uint64_t lost_count, process, thread, time_ps, address;
    uint64_t file_hash;
    enum pl_kind kind;
};

/* "82820.952659" in seconds or "20.854" in ms, to ps. */
static bool scan_time(const char **at, const char *end, uint64_t unit_ps, uint64_t *out)
{
    uint64_t whole, weight = unit_ps;
    const char *p = *at;
    if (pl_scan_decimal(&p, end, &whole) <= 0 || !pl_scan_char(&p, end, '.') || whole > INT64_MAX / unit_ps)
        return false;
    *out = whole * unit_ps;
    const char *first = p;
    for (; p < end && *p >= '0' && *p <= '9'; p++)
        *out += (uint64_t)(*p - '0') * (weight /= 10);
    *at = p;
    return p > first;
}

/* "123" or "123/124". */
static bool scan_ids(const char *at, const char *end, struct event *event)
{
    if (pl_scan_decimal(&at, end, &event->process) <= 0)
        return false;
    event->thread = event->process;
    if (pl_scan_char(&at, end, '/') && pl_scan_decimal(&at, end, &event->thread) <= 0)
        return false;
    return at == end;
}

/* The word that ends before *end; *end moves to its start. */
static bool word_before(const char *start, const char **end, const char **word, const char **word_end)
{
    while (*end > start && ((*end)[-1] == ' ' || (*end)[-1] == '\t'))
        --*end;
    *word_end = *end;
    while (*end > start && (*end)[-1] != ' ' && (*end)[-1] != '\t')
        --*end;
    *word = *end;
    return *word < *word_end;
}

static const char *find_text(const char *at, const char *end, const char *wanted)
{
    size_t length = strlen(wanted);
    for (; (size_t)(end - at) >= length; at++)
        if (!memcmp(at, wanted, length))
            return at;
    return NULL;
}

static bool scan_lost(const char *at, const char *end, struct event *event)
{
    const char *found = find_text(at, end, "LOST ");
    if (!found)
        return false;
    found += 5;
    pl_scan_word(&found, end, "lost "); /* PERF_RECORD_LOST lost 17 */
    if (pl_scan_decimal(&found, end, &event->lost_count) <= 0)
        return false;
    event->lost = true;
    return true;
}

/* What stands behind the time in perf script's lines. */
static bool scan_script_event(const char *at, const char *end, struct event *event)
{
    uint64_t number;
    const char *name_end, *field;
    pl_scan_blanks(&at, end);
    if (pl_scan_decimal(&at, end, &number))
        pl_scan_blanks(&at, end);
    for (name_end = at; name_end < end && *name_end != ' ' && *name_end != '\t';)
        name_end++;
    if (name_end == at || name_end[-1] != ':')
        return false;
    event->fault = find_text(at, name_end, "fault") != NULL;
    if (!event->fault)
        return true;
    if ((field = find_text(name_end, end, "address=")) != NULL) {
        field += 8;
        const char *code = find_text(field, end, "error_code=");
        if (code && (code += 11, pl_scan_hex(&code, end, &number) > 0))
            event->kind = number & 2 ? PL_WRITE : number & 16 ? PL_EXECUTE : PL_READ;
    } else {
        field = name_end;
        pl_scan_blanks(&field, end);
    }
    return pl_scan_hex(&field, end, &event->address) > 0;
}

/* A line of perf script: the first word that is a time with ':' behind it parts it. */
static bool scan_script(const char *start, const char *end, struct event *event)
{
    for (const char *at = start; at < end; at++) {
        if (at == start || (at[-1] != ' ' && at[-1] != '\t') || *at < '0' || *at > '9')
            continue;
        const char *behind = at, *before = at, *word, *word_end;
        if (!scan_time(&behind, end, PL_PS_PER_S, &event->time_ps) || !pl_scan_char(&behind, end, ':'))
            continue;
        if (!word_before(start, &before, &word, &word_end))
            return false;
        if (*word == '[' && !word_before(start, &before, &word, &word_end))
            return false;
        return scan_ids(word, word_end, event) && scan_script_event(behind, end, event);
    }
    return false;
}

/* A line of perf trace: "0.202 ( 0.000 ms): xchat/4574 majfault [...] => PLACE (?.)". */
static bool scan_trace(const char *at, const char *end, struct event *event)
{
    const char *fault, *place, *place_end, *sign;
    pl_scan_blanks(&at, end);
    if (!scan_time(&at, end, PL_PS_PER_MS, &event->time_ps))
        return false;
    pl_scan_blanks(&at, end);
    if (!pl_scan_char(&at, end, '(') || !(at = find_text(at, end, "): ")))
        return false;
    at += 3;
    fault = find_text(at, end, " majfault ");
    if (!fault)
        fault = find_text(at, end, " minfault ");
    event->fault = fault != NULL;
    if (!fault)
        return true;
    for (sign = fault; sign > at && sign[-1] != '/';)
        sign--;
    if (!scan_ids(sign, fault, event) || !(place = find_text(fault, end, "=> ")))
        return false;
    place += 3;
    place_end = end;
    if (end[-1] == ')') /* the map's kind, which may follow a name with blanks */
        for (place_end = end - 1; place_end > place && place_end[-1] != '(';)
            place_end--;
    for (sign = place_end; sign > place && sign[-1] != '@';)
        sign--;
    event->file = sign > place;
    if (event->file)
        event->file_hash = pl_xxh64(place, (size_t)(sign - 1 - place), 0);
    return pl_scan_hex(&sign, end, &event->address) > 0;
}

static bool scan_event(const char *at, const char *end, struct event *event)
{
    *event = (struct event){.kind = PL_READ};
    return scan_lost(at, end, event) || scan_trace(at, end, event) || scan_script(at, end, event);
}

static bool fits(const char *at, const char *end)
{
    struct event event;
    return scan_event(at, end, &event) && (event.fault || event.lost);
}

static int probe(const uint8_t *head, size_t length, bool whole)
{
    return pl_textread_probe(head, length, whole, fits, 75);
}

static enum pl_err line(struct pl_textread *text, const char *at, const char *end, struct pl_error *err)
{
    struct perf *perf = text->more;
    struct pl_builder *builder = text->builder;
    struct event event;
    if (!scan_event(at, end, &event))
        return pl_textread_strange(text, at, end, "an event of perf script or perf trace", err);
    if (event.lost) {
        pl_builder_lost(builder, event.lost_count);
        return PL_OK;
    }
    if (!event.fault)
        return pl_textread_skip(text, "events that are no page faults");
    pl_builder_at(builder, pl_reader_time(text->reader, &perf->first_ps, &perf->started, event.time_ps, 1));
    pl_builder_actor(builder, event.process, event.thread, NULL);
    uint64_t page = event.address >> builder->page_shift;
    if (event.file)
        page = UINT64_C(1) << 63 | (event.file_hash & 0x3ffffff) << 36 | (page & UINT64_C(0xfffffffff));
    pl_builder_touch(builder, event.kind, page);
    text->reader->info.input_records++;
    return PL_OK;
}

static enum pl_err open_perf(struct pl_reader *reader, struct pl_error *err)
{
    struct pl_textread *text;
    struct perf *perf = pl_arena_alloc(reader->arena, 1, sizeof *perf);
    if (!perf)
        return pl_fail_memory(err, sizeof *perf, "a reader");
    reader->info.source = "perf";
    reader->info.records = PL_RECORDS_FAULTS;
    reader->info.clock = PL_CLOCK_PICOSECONDS;
    enum pl_err rc = pl_textread_open(reader, (struct pl_builder_columns){.kind = true, .time = true}, line, &text, err);
    if (rc == PL_OK)
        text->more = perf;
    return rc;
}

const struct pl_format pl_format_perf = {
    .name = "perf",
    .about = "page faults as perf script and perf trace -F print them; lost events count",
    .suffixes = "perf,script",
    .probe = probe,
    .open = open_perf,
    .next = pl_textread_next,
    .origin = pl_textread_origin,
    .close = pl_textread_close,
};
