/* trace/formats/format_vscsi.c: block requests of a virtual machine's disk, as VMware's vscsiStats records them.
 *
 * Little-endian records without a file header:
 *
 *     version 1, 32 bytes: u32 number, u32 bytes, u32 segments, u16 command, u16 version (0x01..), u64 start, u64 time
 *     version 2, 40 bytes: u16 command, u16 version (0x02..), u32 number, u32 bytes, u32 segments, u64 start, u64 time,
 *                          u64 response time
 *
 * start counts sectors of 512 bytes, time microseconds. Commands are those of SCSI; reads and writes of all lengths
 * count, everything else is left out. A request is one object, named by its start, or touches the pages it covers. */
#include "trace/builder.h"

#include <stdlib.h>

enum { V1_SIZE = 32, V2_SIZE = 40, SECTOR = 512 };

struct record {
    uint32_t bytes;
    uint16_t command, version;
    uint64_t start, time_us;
};

struct vscsi {
    struct pl_builder *builder;
    size_t record_size; /* V1_SIZE or V2_SIZE */
    uint64_t first_us;
    bool started;
};

static uint64_t little(const uint8_t *bytes, int count)
{
    uint64_t value = 0;
    for (int i = count; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static struct record decode(const uint8_t *at, size_t record_size)
{
    if (record_size == V1_SIZE)
        return (struct record){.bytes = (uint32_t)little(at + 4, 4), .command = (uint16_t)little(at + 12, 2),
                               .version = (uint16_t)little(at + 14, 2), .start = little(at + 16, 8),
                               .time_us = little(at + 24, 8)};
    return (struct record){.command = (uint16_t)little(at, 2), .version = (uint16_t)little(at + 2, 2),
                           .bytes = (uint32_t)little(at + 8, 4), .start = little(at + 16, 8),
                           .time_us = little(at + 24, 8)};
}

/* READ and WRITE of 6, 10, 12 and 16 bytes, and WRITE AND VERIFY. */
static bool command_kind(uint16_t command, enum pl_kind *kind)
{
    switch (command) {
    case 0x08: case 0x28: case 0xa8: case 0x88:
        *kind = PL_READ;
        return true;
    case 0x0a: case 0x2a: case 0xaa: case 0x8a: case 0x2e: case 0x8e: case 0xae:
        *kind = PL_WRITE;
        return true;
    default:
        return false;
    }
}

static bool all_of_version(const uint8_t *head, size_t length, size_t record_size, uint16_t version)
{
    size_t count = length / record_size;
    for (size_t i = 0; i < count && i < 64; i++) {
        struct record record = decode(head + i * record_size, record_size);
        if (record.version >> 8 != version || record.command > 0xff)
            return false;
    }
    return count > 0;
}

static size_t find_version(const uint8_t *head, size_t length)
{
    if (all_of_version(head, length, V1_SIZE, 1))
        return V1_SIZE;
    return all_of_version(head, length, V2_SIZE, 2) ? V2_SIZE : 0;
}

static int probe(const uint8_t *head, size_t length, bool whole)
{
    (void)whole;
    size_t size = find_version(head, length);
    if (!size)
        return 0;
    return length / size >= 4 ? 95 : 60;
}

static void close_vscsi(struct pl_reader *reader)
{
    struct vscsi *vscsi = reader->self;
    if (!vscsi)
        return;
    pl_builder_destroy(vscsi->builder);
    free(vscsi);
    reader->self = NULL;
}

static enum pl_err open_vscsi(struct pl_reader *reader, struct pl_error *err)
{
    const uint8_t *head;
    size_t length;
    enum pl_err rc = pl_source_peek(reader->source, 64 * V2_SIZE, &head, &length, err);
    if (rc)
        return rc;
    size_t size = find_version(head, length);
    if (!size)
        return pl_fail(err, PL_ERR_INPUT, "%s: not vscsi: the records say neither version 1 nor version 2",
                       reader->info.path);
    struct vscsi *vscsi = calloc(1, sizeof *vscsi);
    if (!vscsi)
        return pl_fail_memory(err, sizeof *vscsi, "a reader");
    vscsi->record_size = size;
    reader->self = vscsi;
    reader->info.records = PL_RECORDS_REQUESTS;
    reader->info.clock = PL_CLOCK_PICOSECONDS;
    reader->info.source = size == V1_SIZE ? "vscsi 1" : "vscsi 2";
    struct pl_builder_columns columns = {true, true, reader->options.requests == PL_REQUEST_OBJECTS};
    rc = pl_builder_create(reader, columns, &vscsi->builder, err);
    if (rc)
        close_vscsi(reader);
    return rc;
}

static enum pl_err put(struct pl_reader *reader, const struct record *record, uint64_t offset, struct pl_error *err)
{
    struct vscsi *vscsi = reader->self;
    struct pl_builder *builder = vscsi->builder;
    enum pl_kind kind;
    if (record->version >> 8 != (vscsi->record_size == V1_SIZE ? 1 : 2)) {
        if (!reader->options.skip_bad_lines)
            return pl_fail_at_byte(err, reader->info.path, offset, "a record of version 0x%04x among those of %s",
                                   record->version, reader->info.source);
        pl_reader_damage(reader, "records of another version", 1, offset);
        return PL_OK;
    }
    if (!command_kind(record->command, &kind)) {
        pl_reader_skip(reader, "commands that neither read nor write", 1, offset);
        return PL_OK;
    }
    pl_builder_at(builder, pl_reader_time(reader, &vscsi->first_us, &vscsi->started, record->time_us, PL_PS_PER_US));
    if (reader->options.requests == PL_REQUEST_OBJECTS)
        pl_builder_object(builder, kind, record->start, record->bytes);
    else if (record->start > UINT64_MAX / SECTOR)
        return pl_fail_at_byte(err, reader->info.path, offset, "sector %llu lies beyond 2^64 bytes",
                               (unsigned long long)record->start);
    else
        pl_builder_access(builder, kind, record->start * SECTOR, record->bytes);
    reader->info.input_records++;
    return PL_OK;
}

static enum pl_err next(struct pl_reader *reader, struct pl_batch *out, struct pl_error *err)
{
    struct vscsi *vscsi = reader->self;
    const uint8_t *window;
    size_t length, size = vscsi->record_size;
    while (!pl_builder_full(vscsi->builder)) {
        enum pl_err rc = pl_source_peek(reader->source, size, &window, &length, err);
        if (rc)
            return rc;
        uint64_t offset = pl_source_offset(reader->source);
        if (length < size) {
            if (length && !reader->options.skip_bad_lines)
                return pl_fail_at_byte(err, reader->info.path, offset, "the last record is cut short (%zu of %zu bytes)",
                                       length, size);
            if (length)
                pl_reader_damage(reader, "records cut short", 1, offset);
            pl_source_skip(reader->source, length);
            break;
        }
        struct record record = decode(window, size);
        pl_source_skip(reader->source, size);
        rc = put(reader, &record, offset, err);
        if (rc)
            return rc;
    }
    reader->info.bytes_read = pl_source_offset(reader->source);
    return pl_builder_finish(vscsi->builder, out, err);
}

static struct pl_page_origin origin(const struct pl_reader *reader, pl_page page)
{
    const struct vscsi *vscsi = reader->self;
    return pl_builder_origin(vscsi->builder, page);
}

const struct pl_format pl_format_vscsi = {
    .name = "vscsi",
    .about = "VMware vscsiStats block requests, versions 1 and 2 (binary)",
    .suffixes = "vscsi",
    .probe = probe,
    .open = open_vscsi,
    .next = next,
    .origin = origin,
    .close = close_vscsi,
};
