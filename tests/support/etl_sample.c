/* tests/support/etl_sample.c: writes a small .etl file to standard output, for the golden command lines: a process that starts,
 * maps, faults softly (`--hard-only`: not) and hard, and samples of the memory lists; four processors, compressed
 * buffers, one event nobody knows, and losses. */
#include "etl_writer.h"

#include <stdio.h>
#include <string.h>

static void put(struct etl_writer *writer, unsigned cpu, uint64_t ticks, uint16_t hook, const struct etl_payload *payload)
{
    struct etl_writer_event event = {.header = ETL_WRITE_SYSTEM, .cpu = cpu, .ticks = ticks, .hook = hook, .version = 2,
                                     .thread = 1004, .process = 1000};
    etl_writer_put(writer, &event, payload->bytes, payload->size);
}

static void put_process(struct etl_writer *writer, uint64_t ticks, uint16_t hook)
{
    struct etl_payload payload = {.pointer_size = 8};
    etl_payload_pointer(&payload, 0xffffab8112345080);
    etl_payload_add(&payload, 1000, 4);
    etl_payload_add(&payload, 4, 4);
    etl_payload_add(&payload, 1, 4);
    etl_payload_add(&payload, 259, 4);
    etl_payload_add(&payload, 0, 4); /* no SID */
    etl_payload_text(&payload, "victim.exe");
    etl_payload_utf16(&payload, "victim.exe 64 MB");
    put(writer, 1, ticks, hook, &payload);
}

static void put_thread(struct etl_writer *writer, uint64_t ticks)
{
    struct etl_payload payload = {.pointer_size = 8};
    etl_payload_add(&payload, 1000, 4);
    etl_payload_add(&payload, 1004, 4);
    for (int i = 0; i < 4; i++)
        etl_payload_pointer(&payload, 0);
    put(writer, 1, ticks, 0x0501, &payload);
}

static void put_allocation(struct etl_writer *writer, uint64_t ticks)
{
    struct etl_payload payload = {.pointer_size = 8};
    etl_payload_pointer(&payload, 0x1f000000);
    etl_payload_pointer(&payload, 64 << 20);
    etl_payload_add(&payload, 1000, 4);
    etl_payload_add(&payload, 0x3000, 4);
    put(writer, 1, ticks, 0x0262, &payload);
}

static void put_fault(struct etl_writer *writer, unsigned cpu, uint64_t ticks, uint16_t hook, uint64_t address)
{
    struct etl_payload payload = {.pointer_size = 8};
    etl_payload_pointer(&payload, address);
    etl_payload_pointer(&payload, 0x7ff612340000);
    put(writer, cpu, ticks, hook, &payload);
}

static void put_read(struct etl_writer *writer, unsigned cpu, uint64_t ticks, uint64_t took, uint64_t object)
{
    struct etl_payload payload = {.pointer_size = 8};
    etl_payload_add(&payload, ticks - took, 8);
    etl_payload_add(&payload, 0x8fb5000 + ticks, 8);
    etl_payload_pointer(&payload, 0x7ff612345000 + 16 * ticks);
    etl_payload_pointer(&payload, object);
    etl_payload_add(&payload, 1004, 4);
    etl_payload_add(&payload, 16384, 4);
    put(writer, cpu, ticks, 0x0220, &payload);
}

static void put_lists(struct etl_writer *writer, uint64_t ticks)
{
    struct etl_payload payload = {.pointer_size = 8};
    for (uint64_t i = 0; i < 22; i++)
        etl_payload_pointer(&payload, ticks + i);
    put(writer, 2, ticks, 0x0270, &payload);
}

static void put_access(struct etl_writer *writer, uint64_t ticks, uint64_t address)
{
    struct etl_payload payload = {.pointer_size = 8};
    etl_payload_add(&payload, UINT64_C(0xab8112345080) << 9, 8);
    etl_payload_pointer(&payload, 0x4321);
    etl_payload_pointer(&payload, address);
    put(writer, 3, ticks, 0x0276, &payload);
}

static void put_file(struct etl_writer *writer, uint64_t ticks, uint64_t object, const char *name)
{
    struct etl_payload payload = {.pointer_size = 8};
    etl_payload_pointer(&payload, object);
    etl_payload_utf16(&payload, name);
    put(writer, 0, ticks, 0x0424, &payload);
}

int main(int argc, char **argv)
{
    const struct etl_writer_options options = {.pointer_size = 8, .buffer_size = 4096, .compressed = true, .clock = 1,
                                               .frequency = 10000000, .first_ticks = 1000, .events_lost = 3};
    bool hard_only = argc > 1 && !strcmp(argv[1], "--hard-only");
    struct etl_writer writer;
    struct etl_payload nothing = {.pointer_size = 8};
    etl_writer_start(&writer, &options);
    put_process(&writer, 1100, 0x0301);
    put_thread(&writer, 1200);
    put_allocation(&writer, 1300);
    for (uint64_t i = 0; i < 40 && !hard_only; i++)
        put_fault(&writer, (unsigned)(i % 4), 1400 + 10 * i, i % 5 ? 0x020b : 0x020a, 0x1f000000 + (i % 30) * 4096);
    put_read(&writer, 3, 2000, 500, 0xa0);
    put_read(&writer, 0, 2100, 450, 0xb0);
    put(&writer, 2, 2150, 0xeeee, &nothing);
    put_lists(&writer, 2200);
    put_lists(&writer, 2300);
    put_access(&writer, 2400, 0x1f000000);
    put_access(&writer, 2410, 0x7ffe0000);
    put_process(&writer, 2500, 0x0302);
    put_file(&writer, 2600, 0xa0, "\\Device\\HarddiskVolume2\\data, old.bin");
    etl_writer_finish(&writer);
    bool written = fwrite(writer.bytes, 1, writer.length, stdout) == writer.length && !fflush(stdout);
    etl_writer_free(&writer);
    return written ? 0 : 1;
}
