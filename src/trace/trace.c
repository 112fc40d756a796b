/* trace/trace.c: opening a trace, reading it batch by batch, and writing one. */
#include "trace/trace.h"

#include "trace/format_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 1 << 16, SKIP_REASONS_MAX = 32 };

struct pl_trace {
    struct pl_reader reader;
    struct pl_trace_skip skips[SKIP_REASONS_MAX];
    enum pl_err ended; /* what the last call said, when it was not PL_OK */
    struct pl_error failure;
};

/* --- what formats call --------------------------------------------------------------- */

static void leave_out(struct pl_reader *reader, const char *reason, uint64_t count, uint64_t place, bool damage)
{
    struct pl_trace *trace = (struct pl_trace *)((char *)reader - offsetof(struct pl_trace, reader));
    size_t i = 0;
    while (i < reader->info.skip_count && strcmp(trace->skips[i].reason, reason))
        i++;
    if (i == SKIP_REASONS_MAX)
        i--; /* no format has so many reasons; the last would gather the rest */
    if (i == reader->info.skip_count) {
        trace->skips[i] = (struct pl_trace_skip){.reason = reason, .first_line = place, .damage = damage};
        reader->info.skip_count++;
    }
    trace->skips[i].count += count;
}

void pl_reader_skip(struct pl_reader *reader, const char *reason, uint64_t count, uint64_t place)
{
    leave_out(reader, reason, count, place, false);
}

void pl_reader_damage(struct pl_reader *reader, const char *reason, uint64_t count, uint64_t place)
{
    leave_out(reader, reason, count, place, true);
}

int64_t pl_reader_time(struct pl_reader *reader, uint64_t *first, bool *started, uint64_t time, int64_t unit_ps)
{
    int64_t units, ps;
    if (!*started) {
        *first = time;
        *started = true;
    }
    if (!__builtin_sub_overflow(time, *first, &units) && !__builtin_mul_overflow(units, unit_ps, &ps))
        return ps;
    pl_reader_damage(reader, "times beyond 2^63 (106 days in picoseconds), cut to that", 1, 0);
    return time < *first ? INT64_MIN : INT64_MAX;
}

/* --- opening --------------------------------------------------------------------------- */

static enum pl_err check_page_size(uint32_t page_size, struct pl_error *err)
{
    if (page_size && (page_size & (page_size - 1)))
        return pl_fail(err, PL_ERR_USAGE, "a page of %u bytes is no power of two", page_size);
    return PL_OK;
}

/* Windows programs put a byte order mark before text in UTF-8: no format of ours wants to see it. */
static enum pl_err skip_mark(struct pl_source *source, struct pl_error *err)
{
    const uint8_t *head;
    size_t length;
    enum pl_err rc = pl_source_peek(source, 4, &head, &length, err);
    if (rc == PL_OK && length >= 4 && !memcmp(head, "\xef\xbb\xbf", 3) && head[3] >= ' ' && head[3] < 0x7f)
        pl_source_skip(source, 3);
    return rc;
}

static enum pl_err choose_format(struct pl_reader *reader, struct pl_error *err)
{
    const uint8_t *head;
    size_t length;
    enum pl_err rc = pl_source_peek(reader->source, HEAD, &head, &length, err);
    if (rc)
        return rc;
    if (!length)
        return pl_fail(err, PL_ERR_INPUT, "%s: is empty", reader->info.path);
    if (reader->options.format)
        return pl_format_by_name(reader->options.format, false, &reader->format, err);
    bool whole = length < HEAD;
    return pl_format_by_content(reader->info.path, head, whole ? length : HEAD, whole, &reader->format, err);
}

static enum pl_err open_reader(struct pl_trace *trace, struct pl_error *err)
{
    struct pl_reader *reader = &trace->reader;
    reader->info.path = pl_source_name(reader->source);
    reader->info.compression = pl_source_compression(reader->source);
    reader->info.skips = trace->skips;
    if (reader->options.skip_damaged)
        pl_source_end_at_damage(reader->source);
    enum pl_err rc = check_page_size(reader->options.page_size, err);
    if (rc == PL_OK)
        rc = skip_mark(reader->source, err);
    if (rc == PL_OK)
        rc = choose_format(reader, err);
    if (rc)
        return rc;
    if (reader->options.parameter_count && reader->format != &pl_format_scenario)
        return pl_fail(err, PL_ERR_USAGE, "%s: is no scenario (read as %s), and has no parameter to set ('%s')",
                       reader->info.path, reader->format->name, reader->options.parameter[0]);
    if (!reader->format->open)
        return pl_fail(err, PL_ERR_USAGE, "format %s can only be written", reader->format->name);
    reader->info.format = reader->format->name;
    return reader->format->open(reader, err);
}

/* Takes the source over, also on failure. */
static enum pl_err open_source(struct pl_source *source, const struct pl_trace_options *options, struct pl_trace **out,
                               struct pl_error *err)
{
    struct pl_trace *trace = calloc(1, sizeof *trace);
    if (!trace) {
        pl_source_close(source);
        return pl_fail_memory(err, sizeof *trace, "a trace");
    }
    if (options)
        trace->reader.options = *options;
    trace->reader.source = source;
    trace->reader.arena = pl_arena_create();
    enum pl_err rc = trace->reader.arena ? open_reader(trace, err) : pl_fail_memory(err, 0, "a trace");
    if (rc) {
        /* A format that failed to open has cleaned up after itself. */
        trace->reader.format = NULL;
        pl_trace_close(trace);
        return rc;
    }
    *out = trace;
    return PL_OK;
}

enum pl_err pl_trace_open(const char *path, const struct pl_trace_options *options, struct pl_trace **out,
                          struct pl_error *err)
{
    struct pl_source *source;
    enum pl_err rc = pl_source_open(path, &source, err);
    return rc ? rc : open_source(source, options, out, err);
}

enum pl_err pl_trace_open_memory(const void *bytes, size_t length, const char *name,
                                 const struct pl_trace_options *options, struct pl_trace **out, struct pl_error *err)
{
    struct pl_source *source;
    enum pl_err rc = pl_source_open_memory(bytes, length, name, &source, err);
    return rc ? rc : open_source(source, options, out, err);
}

void pl_trace_close(struct pl_trace *trace)
{
    if (!trace)
        return;
    if (trace->reader.format)
        trace->reader.format->close(&trace->reader);
    pl_source_close(trace->reader.source);
    pl_arena_destroy(trace->reader.arena);
    free(trace);
}

/* --- reading ------------------------------------------------------------------------------ */

/* A trace in which nothing was found is an error, and says what there was instead. */
static enum pl_err nothing_found(const struct pl_trace_info *info, struct pl_error *err)
{
    if (!info->skip_count)
        return pl_fail(err, PL_ERR_INPUT, "%s: no accesses found (read as %s)", info->path, info->format);
    const struct pl_trace_skip *most = &info->skips[0];
    for (size_t i = 1; i < info->skip_count; i++)
        if (info->skips[i].count > most->count)
            most = &info->skips[i];
    return pl_fail(err, PL_ERR_INPUT, "%s: no accesses found (read as %s); left out, most of all: %llu %s", info->path,
                   info->format, (unsigned long long)most->count, most->reason);
}

enum pl_err pl_trace_next(struct pl_trace *trace, struct pl_batch *out, struct pl_error *err)
{
    struct pl_reader *reader = &trace->reader;
    uint64_t done, total;
    if (trace->ended) {
        if (err)
            *err = trace->failure;
        return trace->ended;
    }
    struct pl_error failure = {PL_OK, ""};
    enum pl_err rc = reader->format->next(reader, out, &failure);
    if (rc == PL_END && pl_source_damage(reader->source))
        pl_reader_damage(reader, "damage in the compressed data, and all behind it", 1, pl_source_offset(reader->source));
    if (rc == PL_END && reader->info.touches == 0)
        rc = nothing_found(&reader->info, &failure);
    pl_source_progress(reader->source, &done, &total);
    if (rc == PL_OK && !pl_progress_report(reader->options.progress, done, total))
        rc = PL_END;
    if (rc) {
        trace->ended = rc;
        trace->failure = failure;
        if (err)
            *err = failure;
    }
    return rc;
}

const struct pl_trace_info *pl_trace_info(const struct pl_trace *trace)
{
    return &trace->reader.info;
}

struct pl_page_origin pl_trace_page_origin(const struct pl_trace *trace, pl_page page)
{
    return trace->reader.format->origin(&trace->reader, page);
}

/* --- writing -------------------------------------------------------------------------------- */

static void free_writer(struct pl_trace_writer *writer)
{
    if (writer->format->write_free)
        writer->format->write_free(writer);
    pl_arena_destroy(writer->arena);
    free(writer);
}

enum pl_err pl_trace_writer_open(const char *path, const char *format, bool pack, const struct pl_trace_header *header,
                                 struct pl_trace_writer **out, struct pl_error *err)
{
    const struct pl_format *found;
    enum pl_err rc = pl_format_by_name(format ? format : "native", true, &found, err);
    if (rc == PL_OK)
        rc = check_page_size(header->page_size, err);
    if (rc)
        return rc;
    struct pl_trace_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return pl_fail_memory(err, sizeof *writer, "a writer");
    *writer = (struct pl_trace_writer){.format = found, .header = *header, .pack = pack, .arena = pl_arena_create()};
    if (!writer->header.page_size)
        writer->header.page_size = 4096;
    if (!writer->arena)
        rc = pl_fail_memory(err, 0, "a writer");
    else if (!strcmp(path, "-"))
        rc = pl_sink_open_stream(stdout, "standard output", &writer->sink, err);
    else
        rc = pl_sink_open_path(path, &writer->sink, err);
    if (rc == PL_OK)
        rc = found->write_open(writer, err);
    if (rc) {
        pl_trace_writer_abandon(writer);
        return rc;
    }
    *out = writer;
    return PL_OK;
}

enum pl_err pl_trace_write(struct pl_trace_writer *writer, const struct pl_batch *batch, pl_origin_fn *origin, void *user,
                           struct pl_error *err)
{
    return writer->format->write(writer, batch, origin, user, err);
}

enum pl_err pl_trace_writer_close(struct pl_trace_writer *writer, struct pl_error *err)
{
    enum pl_err rc = writer->format->write_close(writer, err);
    if (rc) {
        pl_trace_writer_abandon(writer);
        return rc;
    }
    rc = pl_sink_close(writer->sink, err);
    free_writer(writer);
    return rc;
}

void pl_trace_writer_abandon(struct pl_trace_writer *writer)
{
    if (!writer)
        return;
    if (writer->sink)
        pl_sink_abandon(writer->sink);
    free_writer(writer);
}
