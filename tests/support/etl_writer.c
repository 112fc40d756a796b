/* tests/support/etl_writer.c: .etl files for tests. */
#include "etl_writer.h"

#include "codec/xpress.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 0x48, COMPRESSED = 0x40, CPU_VALID = 0x20, LOG_HEADER = 4 };

static void put(uint8_t *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static uint8_t *grow(struct etl_writer *writer, size_t bytes)
{
    if (writer->length + bytes > writer->capacity) {
        writer->capacity = 2 * (writer->length + bytes);
        writer->bytes = realloc(writer->bytes, writer->capacity);
        if (!writer->bytes)
            abort();
    }
    uint8_t *at = writer->bytes + writer->length;
    memset(at, 0, bytes);
    writer->length += bytes;
    return at;
}

static void put_header(uint8_t *at, uint32_t size, uint32_t saved, unsigned cpu, unsigned flags, unsigned type)
{
    put(at, size, 4);
    put(at + 4, saved, 4);
    put(at + 8, 0xdeadbeef, 4); /* real ones hold junk here */
    put(at + 0x28, cpu, 2);
    put(at + 0x2c, 3, 4);
    put(at + 0x30, saved, 4);
    put(at + 0x34, flags, 2);
    put(at + 0x36, type, 2);
}

/* One buffer of these records. */
static void put_buffer(struct etl_writer *writer, const uint8_t *records, size_t length, unsigned cpu, unsigned flags,
                       unsigned type)
{
    static struct pl_xpress_work work;
    uint32_t saved = (uint32_t)(HEADER + length);
    flags |= CPU_VALID;
    if (!writer->options.compressed || type == LOG_HEADER) {
        uint8_t *at = grow(writer, writer->options.buffer_size);
        memset(at + HEADER, 0xff, writer->options.buffer_size - HEADER);
        put_header(at, writer->options.buffer_size, saved, cpu, flags, type);
        memcpy(at + HEADER, records, length);
        return;
    }
    size_t room = pl_xpress_bound(length);
    uint8_t *packed = malloc(room);
    if (!packed)
        abort();
    size_t stored = pl_xpress_compress(&work, 2, records, length, packed, room);
    uint8_t *at = grow(writer, HEADER + stored);
    put_header(at, (uint32_t)(HEADER + stored), saved, cpu, flags | COMPRESSED, type);
    memcpy(at + HEADER, packed, stored);
    free(packed);
}

void etl_writer_flush(struct etl_writer *writer, unsigned cpu)
{
    if (!writer->cpu[cpu].length)
        return;
    put_buffer(writer, writer->cpu[cpu].records, writer->cpu[cpu].length, cpu, writer->cpu[cpu].flags,
               writer->cpu[cpu].type);
    writer->cpu[cpu].length = 0;
    writer->cpu[cpu].flags = writer->cpu[cpu].type = 0;
}

void etl_writer_raw(struct etl_writer *writer, unsigned cpu, const void *bytes, size_t size)
{
    size_t room = writer->options.buffer_size - HEADER;
    if (!writer->cpu[cpu].records && !(writer->cpu[cpu].records = malloc(room)))
        abort();
    if (size > room)
        abort();
    if (writer->cpu[cpu].length + size > room)
        etl_writer_flush(writer, cpu);
    memcpy(writer->cpu[cpu].records + writer->cpu[cpu].length, bytes, size);
    writer->cpu[cpu].length += size;
}

static void start_record(uint8_t *at, unsigned low, unsigned type, unsigned flags)
{
    put(at, low, 2);
    at[2] = (uint8_t)type;
    at[3] = (uint8_t)flags;
}

static void put_actor(uint8_t *at, const struct etl_writer_event *event)
{
    put(at + 8, event->thread, 4);
    put(at + 0xc, event->process, 4);
    put(at + 0x10, event->ticks, 8);
}

/* Writes a header and returns its length; `size` is that of the payload. */
static size_t put_record_header(uint8_t *at, const struct etl_writer_event *event, size_t size, bool wide)
{
    size_t header = 0;
    switch (event->header) {
    case ETL_WRITE_SYSTEM:
    case ETL_WRITE_COMPACT:
        header = event->header == ETL_WRITE_SYSTEM ? 0x20 : 0x18;
        start_record(at, event->version, (event->header == ETL_WRITE_SYSTEM ? 1 : 3) + wide, 0xc0);
        put(at + 4, header + size, 2);
        put(at + 6, event->hook, 2);
        put_actor(at, event);
        break;
    case ETL_WRITE_PERFINFO:
        header = 0x10 + 8 * event->counters;
        start_record(at, event->version | event->counters << 8, 0x10 + wide, 0xc0);
        put(at + 4, header + size, 2);
        put(at + 6, event->hook, 2);
        put(at + 8, event->ticks, 8);
        break;
    case ETL_WRITE_FULL:
    case ETL_WRITE_INSTANCE:
        header = event->header == ETL_WRITE_FULL ? 0x30 : 0x38;
        start_record(at, (unsigned)(header + size), event->header == ETL_WRITE_FULL ? (wide ? 0x14 : 0x0a) : (wide ? 0x15 : 0x0b),
                     0xc0);
        at[4] = (uint8_t)event->hook;
        put(at + 6, event->version, 2);
        put_actor(at, event);
        if (event->guid)
            memcpy(at + 0x18, event->guid, 16);
        break;
    case ETL_WRITE_EVENT:
        header = 0x50;
        start_record(at, (unsigned)(header + size), 0x12 + wide, 0xc0);
        put_actor(at, event);
        if (event->guid)
            memcpy(at + 0x18, event->guid, 16);
        put(at + 0x28, event->hook, 2);
        at[0x2a] = event->version;
        break;
    case ETL_WRITE_MESSAGE: /* with a time and who logged it */
        header = 24;
        start_record(at, (unsigned)(header + size), 0, 0x90);
        put(at + 4, event->hook, 2);
        put(at + 6, 0x28, 2);
        put(at + 8, event->ticks, 8);
        put(at + 16, event->thread, 4);
        put(at + 20, event->process, 4);
        break;
    case ETL_WRITE_TIMED:
        header = 16;
        start_record(at, (unsigned)(header + size), 0, 0xb0);
        put(at + 4, event->hook, 4);
        put(at + 8, event->ticks, 8);
        break;
    }
    return header;
}

void etl_writer_put(struct etl_writer *writer, const struct etl_writer_event *event, const void *payload, size_t size)
{
    uint8_t record[8192] = {0};
    if (size > sizeof record - 0x80)
        abort();
    size_t header = put_record_header(record, event, size, writer->options.pointer_size == 8);
    if (size)
        memcpy(record + header, payload, size);
    etl_writer_raw(writer, event->cpu, record, (header + size + 7) & ~(size_t)7);
}

/* The first buffer, with the log's header. */
void etl_writer_start(struct etl_writer *writer, const struct etl_writer_options *options)
{
    bool wide = options->pointer_size == 8;
    size_t less = wide ? 0 : 8;
    uint8_t record[0x20 + 0x120] = {0}, *at = record + 0x20;
    size_t size = 0x118 - less + 4; /* and two empty names */
    *writer = (struct etl_writer){.options = *options};
    struct etl_writer_event event = {.header = ETL_WRITE_SYSTEM, .ticks = options->first_ticks, .version = 2};
    put_record_header(record, &event, size, wide);
    put(at, options->buffer_size, 4);
    put(at + 4, 10, 1);
    put(at + 6, 2, 1);
    put(at + 8, 19045, 4);
    put(at + 0xc, 4, 4);
    put(at + 0x2c, options->pointer_size, 4);
    put(at + 0x30, options->events_lost, 4);
    put(at + 0x34, options->cpu_mhz, 4);
    put(at + 0x100 - less, options->frequency, 8);
    put(at + 0x108 - less, UINT64_C(133000000000000000), 8);
    put(at + 0x110 - less, options->clock, 4);
    put(at + 0x114 - less, options->buffers_lost, 4);
    put_buffer(writer, record, (0x20 + size + 7) & ~(size_t)7, 0, 0, LOG_HEADER);
}

void etl_writer_finish(struct etl_writer *writer)
{
    for (unsigned cpu = 0; cpu < ETL_WRITER_CPUS; cpu++)
        etl_writer_flush(writer, cpu);
}

void etl_writer_free(struct etl_writer *writer)
{
    for (unsigned cpu = 0; cpu < ETL_WRITER_CPUS; cpu++)
        free(writer->cpu[cpu].records);
    free(writer->bytes);
}

/* --- payloads ----------------------------------------------------------------------- */

void etl_payload_add(struct etl_payload *payload, uint64_t value, unsigned bytes)
{
    put(payload->bytes + payload->size, value, bytes);
    payload->size += bytes;
}

void etl_payload_pointer(struct etl_payload *payload, uint64_t value)
{
    etl_payload_add(payload, value, payload->pointer_size);
}

void etl_payload_text(struct etl_payload *payload, const char *text)
{
    memcpy(payload->bytes + payload->size, text, strlen(text) + 1);
    payload->size += strlen(text) + 1;
}

void etl_payload_utf16(struct etl_payload *payload, const char *ascii)
{
    do
        etl_payload_add(payload, (uint8_t)*ascii, 2);
    while (*ascii++);
}
