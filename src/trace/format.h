/* trace/format.h: the family of trace formats.
 *
 * A format is one file format_NAME.c with one `const struct pl_format` and one row in format.c. A reader is created on
 * a source and asked for batches until PL_END. Text and simple binary formats push records into a builder
 * (builder.h), which makes pages dense and fills batches; the native reader hands out its blocks directly. */
#ifndef PL_TRACE_FORMAT_H
#define PL_TRACE_FORMAT_H

#include "trace/source.h"
#include "trace/trace.h"

/* The reader's own half of an open trace. `self` is the format's state. */
struct pl_reader {
    const struct pl_format *format;
    void *self;
    struct pl_source *source;
    struct pl_trace_options options;
    struct pl_trace_info info; /* kept up to date by the format or its builder */
    struct pl_arena *arena;    /* freed with the trace */
};

struct pl_format {
    const char *name;
    const char *about;
    const char *suffixes; /* "lackey,lk": file name endings that decide between equal probes */
    /* How sure the format is from the first bytes (0 no, 100 a magic number; text formats 10 to 90 by how many of the
     * first lines parse). `whole` says that the head is the entire input. NULL for a write-only format. */
    int (*probe)(const uint8_t *head, size_t length, bool whole);
    enum pl_err (*open)(struct pl_reader *reader, struct pl_error *err);
    enum pl_err (*next)(struct pl_reader *reader, struct pl_batch *out, struct pl_error *err);
    struct pl_page_origin (*origin)(const struct pl_reader *reader, pl_page page);
    void (*close)(struct pl_reader *reader);
    /* Writing; NULL where the format is only read. Writers get a sink and the same batches. */
    enum pl_err (*write_open)(struct pl_trace_writer *writer, struct pl_error *err);
    enum pl_err (*write)(struct pl_trace_writer *writer, const struct pl_batch *batch, pl_origin_fn *origin, void *user,
                         struct pl_error *err);
    enum pl_err (*write_close)(struct pl_trace_writer *writer, struct pl_error *err);
    void (*write_free)(struct pl_trace_writer *writer); /* always last, also when writing was given up; may be NULL */
};

struct pl_trace_writer {
    const struct pl_format *format;
    void *self; /* the format's state, or its helper's */
    void *more; /* the format's own beside it */
    struct pl_sink *sink;
    struct pl_trace_header header;
    bool pack;
    uint64_t distinct; /* pages whose origin has been written */
    uint64_t touches;
    struct pl_arena *arena;
};

/* Counts a reason for leaving input out, keeping its first place. `reason` must be a constant string. */
void pl_reader_skip(struct pl_reader *reader, const char *reason, uint64_t count, uint64_t place);
/* The same for what is wrong with the input: `trace check` fails for it. */
void pl_reader_damage(struct pl_reader *reader, const char *reason, uint64_t count, uint64_t place);

/* A time of the source's (unsigned, `unit_ps` picoseconds each) as picoseconds since the first one, which is kept in
 * *first. Times beyond what 63 bits hold (106 days) are cut to that and counted. */
int64_t pl_reader_time(struct pl_reader *reader, uint64_t *first, bool *started, uint64_t time, int64_t unit_ps);

extern const struct pl_format pl_format_native;
extern const struct pl_format pl_format_lackey, pl_format_memsim, pl_format_pages, pl_format_hex, pl_format_numbers,
    pl_format_csv, pl_format_vscsi, pl_format_oracle, pl_format_address, pl_format_pinatrace, pl_format_perf,
    pl_format_etl, pl_format_scenario;

#endif
