/* tests/unit/trace_reading.h: reads a small trace from memory into plain arrays, for tests. */
#ifndef PL_TESTS_TRACE_READING_H
#define PL_TESTS_TRACE_READING_H

#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct reading {
    enum pl_err rc; /* PL_END when it was read to its end */
    struct pl_error err;
    size_t count, room;
    uint64_t *number, *process;
    uint8_t *kind;
    int64_t *time;
    uint32_t *size;
    struct pl_trace_info info;
    struct pl_trace_skip skips[32];
    char format[32];
};

static void reading_grow(struct reading *reading)
{
    size_t room = reading->room = reading->room ? reading->room * 2 : 64;
    reading->number = realloc(reading->number, room * sizeof *reading->number);
    reading->process = realloc(reading->process, room * sizeof *reading->process);
    reading->kind = realloc(reading->kind, room);
    reading->time = realloc(reading->time, room * sizeof *reading->time);
    reading->size = realloc(reading->size, room * sizeof *reading->size);
}

static void reading_add(struct reading *reading, const struct pl_trace *trace, const struct pl_batch *batch, size_t i)
{
    if (reading->count == reading->room)
        reading_grow(reading);
    size_t at = reading->count++;
    struct pl_page_origin origin = pl_trace_page_origin(trace, batch->page[i]);
    reading->number[at] = origin.number;
    reading->process[at] = origin.process;
    reading->kind[at] = batch->kind ? batch->kind[i] : PL_READ;
    reading->time[at] = batch->time ? batch->time[i] : 0;
    reading->size[at] = batch->size ? batch->size[i] : 0;
}

/* Also holds the promise that pages are numbered in the order of first use. */
static void reading_take(struct reading *reading, struct pl_trace *trace)
{
    struct pl_batch batch;
    uint64_t distinct = 0;
    while ((reading->rc = pl_trace_next(trace, &batch, &reading->err)) == PL_OK) {
        for (size_t i = 0; i < batch.count; i++) {
            assert_true(batch.page[i] <= distinct);
            distinct += batch.page[i] == distinct;
            reading_add(reading, trace, &batch, i);
        }
        assert_int_equal(batch.distinct, distinct);
    }
    reading->info = *pl_trace_info(trace);
    memcpy(reading->skips, reading->info.skips, reading->info.skip_count * sizeof *reading->skips);
    reading->info.skips = reading->skips;
    snprintf(reading->format, sizeof reading->format, "%s", reading->info.format);
}

static inline struct reading read_bytes(const void *bytes, size_t length, const struct pl_trace_options *options)
{
    struct reading reading = {PL_OK};
    struct pl_trace_options wanted = options ? *options : (struct pl_trace_options){0};
    struct pl_trace *trace;
    wanted.need_dictionary = true;
    reading.rc = pl_trace_open_memory(bytes, length, "t", &wanted, &trace, &reading.err);
    if (reading.rc == PL_OK) {
        reading_take(&reading, trace);
        pl_trace_close(trace);
    }
    return reading;
}

static inline struct reading read_text(const char *text, const struct pl_trace_options *options)
{
    return read_bytes(text, strlen(text), options);
}

static inline struct reading read_path(const char *path, const struct pl_trace_options *options)
{
    struct reading reading = {PL_OK};
    struct pl_trace_options wanted = options ? *options : (struct pl_trace_options){0};
    struct pl_trace *trace;
    wanted.need_dictionary = true;
    reading.rc = pl_trace_open(path, &wanted, &trace, &reading.err);
    if (reading.rc == PL_OK) {
        reading_take(&reading, trace);
        pl_trace_close(trace);
    }
    return reading;
}

static inline void reading_free(struct reading *reading)
{
    free(reading->number);
    free(reading->process);
    free(reading->kind);
    free(reading->time);
    free(reading->size);
}

/* "R12 W5 X7": kinds and page numbers in hexadecimal. */
static inline void reading_show(const struct reading *reading, char *out, size_t size)
{
    size_t length = 0;
    out[0] = 0;
    for (size_t i = 0; i < reading->count && length + 20 < size; i++)
        length += (size_t)snprintf(out + length, size - length, "%s%c%llx", i ? " " : "", "RWX"[reading->kind[i]],
                                   (unsigned long long)reading->number[i]);
}

#endif
