/* tests/support/etl_writer.h: writes .etl files into memory, for tests: several processors, every kind of record header, both
 * widths of pointers, plain or compressed buffers, flushed in any order. It shares no code with the reader but the XPRESS
 * encoder. Failures of memory end the program. */
#ifndef PL_TESTS_ETL_WRITER_H
#define PL_TESTS_ETL_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum etl_writer_header { /* the low half of a header type; 64 bits add what the format adds */
    ETL_WRITE_SYSTEM, ETL_WRITE_COMPACT, ETL_WRITE_PERFINFO, ETL_WRITE_FULL, ETL_WRITE_INSTANCE, ETL_WRITE_EVENT,
    ETL_WRITE_MESSAGE, ETL_WRITE_TIMED,
};

struct etl_writer_options {
    unsigned pointer_size; /* 4 or 8 */
    uint32_t buffer_size;  /* of a buffer when it is not compressed, header included */
    bool compressed;
    uint32_t clock;        /* 1 performance counter, 2 system time, 3 cycles */
    uint64_t frequency;
    uint32_t cpu_mhz;
    uint64_t first_ticks;  /* of the log header */
    uint32_t events_lost, buffers_lost;
};

enum { ETL_WRITER_CPUS = 64 };

struct etl_writer {
    struct etl_writer_options options;
    uint8_t *bytes; /* the file so far */
    size_t length, capacity;
    struct {
        uint8_t *records;
        size_t length;
        uint16_t flags, type; /* of the next buffer that is flushed; 0 for the usual ones */
    } cpu[ETL_WRITER_CPUS];
};

struct etl_writer_event {
    enum etl_writer_header header;
    unsigned cpu;
    uint64_t ticks;
    uint16_t hook;      /* group << 8 | type; the type alone for FULL and INSTANCE, the id for EVENT */
    uint8_t version;
    uint32_t thread, process;
    unsigned counters;  /* PERFINFO: so many counters stand before the payload */
    const uint8_t *guid; /* FULL and EVENT */
};

void etl_writer_start(struct etl_writer *writer, const struct etl_writer_options *options);
/* Appends an event to its processor's buffer, which is flushed when it is full. */
void etl_writer_put(struct etl_writer *writer, const struct etl_writer_event *event, const void *payload, size_t size);
/* Appends bytes as they are to a processor's buffer. */
void etl_writer_raw(struct etl_writer *writer, unsigned cpu, const void *bytes, size_t size);
void etl_writer_flush(struct etl_writer *writer, unsigned cpu);
void etl_writer_finish(struct etl_writer *writer); /* flushes all, in the order of processors */
void etl_writer_free(struct etl_writer *writer);

/* A payload under construction. */
struct etl_payload {
    unsigned pointer_size;
    size_t size;
    uint8_t bytes[4096];
};
void etl_payload_add(struct etl_payload *payload, uint64_t value, unsigned bytes);
void etl_payload_pointer(struct etl_payload *payload, uint64_t value);
void etl_payload_text(struct etl_payload *payload, const char *text); /* with its NUL */
void etl_payload_utf16(struct etl_payload *payload, const char *ascii); /* with its NUL */

#endif
