/* tests/unit/etl_help.h: short ways to write .etl files and to open them, for tests. */
#ifndef PL_TESTS_ETL_HELP_H
#define PL_TESTS_ETL_HELP_H

#include "../support/etl_writer.h"
#include "trace/etl/etl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct etl_writer_options plain64 = {.pointer_size = 8, .buffer_size = 4096, .clock = 1, .frequency = 10000000};
static const struct etl_writer_options plain32 = {.pointer_size = 4, .buffer_size = 4096, .clock = 1, .frequency = 10000000};
static const struct etl_writer_options packed64 = {
    .pointer_size = 8, .buffer_size = 4096, .compressed = true, .clock = 1, .frequency = 10000000};

static inline void etl_put(struct etl_writer *writer, unsigned cpu, uint64_t ticks, uint16_t hook,
                           const struct etl_payload *payload)
{
    struct etl_writer_event event = {.header = ETL_WRITE_PERFINFO, .cpu = cpu, .ticks = ticks, .hook = hook, .version = 2};
    etl_writer_put(writer, &event, payload ? payload->bytes : NULL, payload ? payload->size : 0);
}

static inline void etl_put_thread(struct etl_writer *writer, uint64_t ticks, uint16_t hook, uint32_t process, uint32_t thread)
{
    struct etl_payload payload = {.pointer_size = writer->options.pointer_size};
    etl_payload_add(&payload, process, 4);
    etl_payload_add(&payload, thread, 4);
    for (int i = 0; i < 4; i++)
        etl_payload_pointer(&payload, 0);
    etl_put(writer, 0, ticks, hook, &payload);
}

static inline void etl_put_file(struct etl_writer *writer, uint64_t ticks, uint16_t hook, uint64_t object, const char *name)
{
    struct etl_payload payload = {.pointer_size = writer->options.pointer_size};
    etl_payload_pointer(&payload, object);
    etl_payload_utf16(&payload, name);
    etl_put(writer, 0, ticks, hook, &payload);
}

static inline void etl_put_process(struct etl_writer *writer, uint64_t ticks, uint16_t hook, uint64_t key, uint32_t process,
                                   const char *name, unsigned version)
{
    struct etl_payload payload = {.pointer_size = writer->options.pointer_size};
    etl_payload_pointer(&payload, key);
    etl_payload_add(&payload, process, 4);
    etl_payload_add(&payload, 1, 4);
    etl_payload_add(&payload, 0, 4);
    etl_payload_add(&payload, 0, 4);
    if (version >= 3)
        etl_payload_pointer(&payload, 0x1000);
    if (version >= 4)
        etl_payload_add(&payload, 0, 4);
    etl_payload_add(&payload, 0, 4); /* no SID */
    etl_payload_text(&payload, name);
    etl_payload_utf16(&payload, "command line");
    struct etl_writer_event event = {.ticks = ticks, .hook = hook, .version = (uint8_t)version, .thread = 1, .process = 1};
    etl_writer_put(writer, &event, payload.bytes, payload.size);
}

static inline struct pl_etl *etl_reopen(const struct etl_writer *writer)
{
    struct pl_etl *etl;
    struct pl_error err = {PL_OK, ""};
    if (pl_etl_open(writer->bytes, writer->length, "test.etl", NULL, &etl, &err))
        fail_msg("%s", err.message);
    return etl;
}

/* The next event that is no log header. */
static inline bool etl_next(struct pl_etl *etl, struct pl_etl_event *event)
{
    struct pl_error err = {PL_OK, ""};
    enum pl_err rc;
    do
        rc = pl_etl_next(etl, event, &err);
    while (rc == PL_OK && event->hook == PL_ETL_LOG_HEADER);
    if (rc != PL_OK && rc != PL_END)
        fail_msg("%s", err.message);
    return rc == PL_OK;
}

static inline uint64_t etl_lost(const struct pl_etl *etl, const char *reason)
{
    size_t count;
    const struct pl_etl_loss *losses = pl_etl_losses(etl, &count);
    for (size_t i = 0; i < count; i++)
        if (strstr(losses[i].reason, reason))
            return losses[i].count;
    return 0;
}

#endif
