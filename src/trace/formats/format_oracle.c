/* trace/formats/format_oracle.c: oracleGeneral, the binary request format of cache studies.
 *
 * Packed little-endian records of 24 bytes without a file header: u32 time in seconds, u64 object, u32 size in bytes,
 * i64 next access to the same object (the number of that request, from 1; -1 when there is none). It does not say
 * whether a request reads or writes: all count as reads. Objects have no position, so they cannot be split into pages.
 *
 * Writing needs the future of every request and therefore keeps the trace in memory until the end, 24 bytes a touch. */
#include "trace/builder.h"
#include "trace/formats/textwrite.h"

#include <stdlib.h>

enum { RECORD = 24 };

struct oracle {
    struct pl_builder *builder;
    uint64_t first_s;
    bool started;
};

struct record {
    uint32_t time_s, size;
    uint64_t object;
    int64_t next;
};

static uint64_t little(const uint8_t *bytes, int count)
{
    uint64_t value = 0;
    for (int i = count; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static struct record decode(const uint8_t *at)
{
    return (struct record){.time_s = (uint32_t)little(at, 4), .object = little(at + 4, 8),
                           .size = (uint32_t)little(at + 12, 4), .next = (int64_t)little(at + 16, 8)};
}

/* --- reading -------------------------------------------------------------------- */

/* No magic number: times must not go back, and the next access must lie ahead. */
static int probe(const uint8_t *head, size_t length, bool whole)
{
    size_t count = length / RECORD;
    uint32_t before = 0;
    if (!count || (whole && length % RECORD))
        return 0;
    for (size_t i = 0; i < count && i < 1000; i++) {
        struct record record = decode(head + i * RECORD);
        bool never = record.next == -1 || record.next == INT64_MAX;
        bool ahead = record.next > (int64_t)i && record.next < INT64_C(1) << 48;
        if ((i && record.time_s < before) || (!never && !ahead))
            return 0;
        before = record.time_s;
    }
    return count >= 4 ? 75 : 30;
}

static void close_oracle(struct pl_reader *reader)
{
    struct oracle *oracle = reader->self;
    if (!oracle)
        return;
    pl_builder_destroy(oracle->builder);
    free(oracle);
    reader->self = NULL;
}

static enum pl_err open_oracle(struct pl_reader *reader, struct pl_error *err)
{
    if (reader->options.requests == PL_REQUEST_PAGES)
        return pl_fail(err, PL_ERR_USAGE,
                       "%s: oracleGeneral objects have no position, so they cannot be split into pages; use --requests "
                       "objects",
                       reader->info.path);
    struct oracle *oracle = calloc(1, sizeof *oracle);
    if (!oracle)
        return pl_fail_memory(err, sizeof *oracle, "a reader");
    reader->self = oracle;
    reader->info.records = PL_RECORDS_REQUESTS;
    reader->info.clock = PL_CLOCK_PICOSECONDS;
    enum pl_err rc = pl_builder_create(reader, (struct pl_builder_columns){.time = true, .size = true}, &oracle->builder,
                                       err);
    if (rc)
        close_oracle(reader);
    return rc;
}

static enum pl_err next(struct pl_reader *reader, struct pl_batch *out, struct pl_error *err)
{
    struct oracle *oracle = reader->self;
    const uint8_t *window;
    size_t length;
    while (!pl_builder_full(oracle->builder)) {
        enum pl_err rc = pl_source_peek(reader->source, RECORD, &window, &length, err);
        if (rc)
            return rc;
        uint64_t offset = pl_source_offset(reader->source);
        if (length < RECORD) {
            if (length && !reader->options.skip_bad_lines)
                return pl_fail_at_byte(err, reader->info.path, offset, "the last record is cut short (%zu of %d bytes)",
                                       length, RECORD);
            if (length)
                pl_reader_damage(reader, "records cut short", 1, offset);
            pl_source_skip(reader->source, length);
            break;
        }
        struct record record = decode(window);
        pl_source_skip(reader->source, RECORD);
        pl_builder_at(oracle->builder,
                      pl_reader_time(reader, &oracle->first_s, &oracle->started, record.time_s, PL_PS_PER_S));
        pl_builder_object(oracle->builder, PL_READ, record.object, record.size);
        reader->info.input_records++;
    }
    reader->info.bytes_read = pl_source_offset(reader->source);
    return pl_builder_finish(oracle->builder, out, err);
}

static struct pl_page_origin origin(const struct pl_reader *reader, pl_page page)
{
    const struct oracle *oracle = reader->self;
    return pl_builder_origin(oracle->builder, page);
}

/* --- writing ----------------------------------------------------------------------- */

/* What is kept of a touch until the future is known. */
struct kept {
    uint64_t object, next; /* 0 = never */
    uint32_t time_s, size;
};

struct oracle_writer {
    struct kept *kept;
    size_t count, capacity;
    uint64_t *last; /* by dense page: the touch that was last, from 1 */
    size_t last_capacity;
};

static enum pl_err write_open(struct pl_trace_writer *writer, struct pl_error *err)
{
    struct oracle_writer *oracle = pl_arena_alloc(writer->arena, 1, sizeof *oracle);
    if (!oracle)
        return pl_fail_memory(err, sizeof *oracle, "a writer");
    enum pl_err rc = pl_textwrite_open(writer, true, err);
    writer->more = oracle;
    return rc;
}

static enum pl_err keep(struct pl_trace_writer *writer, const struct pl_textwrite_touch *touch, struct pl_error *err)
{
    struct oracle_writer *oracle = writer->more;
    void *kept = oracle->kept;
    enum pl_err rc = pl_grow(&kept, &oracle->capacity, oracle->count + 1, sizeof *oracle->kept, "requests", err);
    oracle->kept = kept;
    if (rc)
        return rc;
    bool timed = writer->header.clock == PL_CLOCK_PICOSECONDS && touch->time > 0;
    uint64_t seconds = timed ? (uint64_t)(touch->time / PL_PS_PER_S) : 0;
    oracle->kept[oracle->count++] = (struct kept){.object = touch->origin.number, .time_s = (uint32_t)seconds,
                                                  .size = touch->size ? touch->size : writer->header.page_size};
    return PL_OK;
}

/* Links each touch to the one before it of the same page. Ranges were written out, so pages come from `keep`'s order. */
static enum pl_err link_page(struct oracle_writer *oracle, pl_page page, uint64_t touch, struct pl_error *err)
{
    void *last = oracle->last;
    size_t before = oracle->last_capacity;
    enum pl_err rc = pl_grow(&last, &oracle->last_capacity, (size_t)page + 1, sizeof *oracle->last, "pages", err);
    oracle->last = last;
    if (rc)
        return rc;
    for (size_t i = before; i < oracle->last_capacity; i++)
        oracle->last[i] = 0;
    if (oracle->last[page])
        oracle->kept[oracle->last[page] - 1].next = touch;
    oracle->last[page] = touch;
    return PL_OK;
}

static enum pl_err keep_and_link(struct pl_trace_writer *writer, const struct pl_textwrite_touch *touch,
                                 struct pl_error *err)
{
    enum pl_err rc = keep(writer, touch, err);
    struct oracle_writer *oracle = writer->more;
    return rc ? rc : link_page(oracle, touch->page, oracle->count, err);
}

static enum pl_err write_batch(struct pl_trace_writer *writer, const struct pl_batch *batch, pl_origin_fn *origin_of,
                               void *user, struct pl_error *err)
{
    return pl_textwrite_batch(writer, batch, origin_of, user, keep_and_link, err);
}

static void put_little(uint8_t *to, uint64_t value, int count)
{
    for (int i = 0; i < count; i++, value >>= 8)
        to[i] = (uint8_t)value;
}

static enum pl_err write_close(struct pl_trace_writer *writer, struct pl_error *err)
{
    struct oracle_writer *oracle = writer->more;
    (void)err;
    for (size_t i = 0; i < oracle->count; i++) {
        const struct kept *kept = &oracle->kept[i];
        uint8_t record[RECORD];
        put_little(record, kept->time_s, 4);
        put_little(record + 4, kept->object, 8);
        put_little(record + 12, kept->size, 4);
        put_little(record + 16, kept->next ? kept->next : UINT64_MAX, 8);
        pl_sink_write(writer->sink, record, sizeof record);
    }
    return PL_OK;
}

static void write_free(struct pl_trace_writer *writer)
{
    struct oracle_writer *oracle = writer->more;
    if (!oracle)
        return;
    free(oracle->kept);
    free(oracle->last);
}

const struct pl_format pl_format_oracle = {
    .name = "oracle",
    .about = "oracleGeneral cache requests (binary); all count as reads",
    .suffixes = "oraclegeneral,oracle,bin",
    .probe = probe,
    .open = open_oracle,
    .next = next,
    .origin = origin,
    .close = close_oracle,
    .write_open = write_open,
    .write = write_batch,
    .write_close = write_close,
    .write_free = write_free,
};
