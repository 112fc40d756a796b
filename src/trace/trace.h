/* trace/trace.h: reading and writing page traces, table of contents.
 *
 *   source.h     bytes of a file or standard input, decompressed            source_*.c
 *   batch.h      what a trace is made of, as it streams past
 *   format.h     the family of formats: one file each, one registry row     format.c, format_*.c
 *   builder.h    from (process, address, size) to batches of dense pages    builder.c, densify.c
 *   native.h     the project's own file: blocks, checksums, index           native_*.c, traces/FORMAT.md
 *   generate.h   synthetic traces                                           generate.c
 *   transform.h  cut, merge                                                 transform.c
 *
 * A reader streams in memory that depends on the number of distinct pages (the dictionary and the densifier) and not on
 * the length of the trace. */
#ifndef PL_TRACE_TRACE_H
#define PL_TRACE_TRACE_H

#include "trace/batch.h"

enum pl_requests {
    PL_REQUEST_OBJECTS, /* a request is one object: its start identifies it */
    PL_REQUEST_PAGES,   /* a request touches every page that it covers */
};

struct pl_trace_options {
    const char *format;       /* NULL: by content, then by file name */
    uint32_t page_size;       /* bytes, a power of two; 0: the trace's own, else 4096 */
    enum pl_requests requests;
    bool skip_damaged;        /* native: name and skip damaged blocks instead of failing; compressed: end at damage */
    bool skip_bad_lines;      /* text: count and skip what cannot be parsed instead of failing */
    bool need_dictionary;     /* pl_trace_page_origin will be asked */
    bool expand_ranges;       /* PL_OP_RANGE records come out as plain touches */
    bool ignore_execute;      /* drop instruction fetches (lackey: only data accesses) */
    bool modify_once;         /* lackey M lines are one write instead of a read and a write */
    const char *const *parameter; /* of a scenario, "NAME=VALUE"; other formats have none */
    size_t parameter_count;
    const struct pl_progress *progress; /* may be NULL */
};

/* One reason why input was left out, and how often. */
struct pl_trace_skip {
    const char *reason; /* "comment lines", "damaged blocks", "lines of valgrind's own" */
    uint64_t count;
    uint64_t first_line; /* or byte offset; 0 when it has no place */
    bool damage;         /* the input is not what it should be; false for what has its order, such as comments */
};

/* A kind of event of input that holds more than touches. */
struct pl_trace_event {
    const char *id, *name; /* name: NULL when it is not known */
    uint64_t count, bytes;
};

/* What is known of a trace. Header fields stand after pl_trace_open; counts grow as it is read. */
struct pl_trace_info {
    const char *path, *format, *compression; /* compression: "none", "gzip", ... */
    uint32_t page_size;
    enum pl_records records;
    enum pl_clock clock;
    const char *source;         /* what recorded it, or NULL */
    uint64_t lost;              /* records its source says it lost */
    uint64_t total_hint;        /* touches in the whole trace, when the file says so, else 0 */
    uint64_t touches, reads, writes, executes, ranges;
    uint64_t input_records;     /* lines or records of input (one can touch several pages) */
    uint64_t distinct;          /* distinct pages so far */
    uint64_t processes, threads;
    int64_t first_time, last_time;
    uint64_t backward_times;    /* records whose time lies before their predecessor's */
    uint64_t bytes_read;        /* of the (uncompressed) input */
    size_t skip_count;
    const struct pl_trace_skip *skips;
    size_t event_count;         /* 0 for formats that hold touches alone */
    const struct pl_trace_event *events; /* of the whole input, most frequent first */
};

struct pl_trace;

/* Opens a file or "-". Fails when the format is not known, and names what was tried. */
enum pl_err pl_trace_open(const char *path, const struct pl_trace_options *options, struct pl_trace **out,
                          struct pl_error *err);
/* The same on bytes of the caller's, which must outlive the trace; `name` is for messages. */
enum pl_err pl_trace_open_memory(const void *bytes, size_t length, const char *name,
                                 const struct pl_trace_options *options, struct pl_trace **out, struct pl_error *err);
/* The next batch; PL_END after the last. A trace in which nothing was found ends with PL_ERR_INPUT instead. */
enum pl_err pl_trace_next(struct pl_trace *trace, struct pl_batch *out, struct pl_error *err);
const struct pl_trace_info *pl_trace_info(const struct pl_trace *trace);
void pl_trace_close(struct pl_trace *trace); /* NULL is allowed */

/* Where a dense page comes from: process id, and its page number (address / page size; the object for requests).
 * Only for pages already seen, and only with options.need_dictionary. */
struct pl_page_origin {
    uint64_t process;
    uint64_t number;
};
struct pl_page_origin pl_trace_page_origin(const struct pl_trace *trace, pl_page page);

/* --- writing --------------------------------------------------------------- */
struct pl_trace_header { /* what a writer is told before the first record */
    uint32_t page_size;
    enum pl_records records;
    enum pl_clock clock;
    const char *source;
    uint64_t lost;
};

struct pl_trace_writer;

/* `path` "-" is standard output. `format` NULL: native. Text formats lose what they cannot say (times, processes); pl_trace_write then fails with
 * PL_ERR_USAGE only where the records would become wrong, and counts what was left out. `pack` (native): code and
 * compress blocks instead of storing them plainly. */
enum pl_err pl_trace_writer_open(const char *path, const char *format, bool pack, const struct pl_trace_header *header,
                                 struct pl_trace_writer **out, struct pl_error *err);
/* `origin` gives the origin of every page the batch introduces (pages from `writer`'s distinct count on). */
typedef struct pl_page_origin pl_origin_fn(void *user, pl_page page);
enum pl_err pl_trace_write(struct pl_trace_writer *writer, const struct pl_batch *batch, pl_origin_fn *origin, void *user,
                           struct pl_error *err);
/* Writes what is left and the index; reports the first failure; frees in any case. */
enum pl_err pl_trace_writer_close(struct pl_trace_writer *writer, struct pl_error *err);
void pl_trace_writer_abandon(struct pl_trace_writer *writer);

/* --- the registry ------------------------------------------------------------ */
struct pl_format_row {
    const char *name, *about;
    bool reads, writes;
};
/* All formats, for help and errors; ends with a row whose name is NULL. */
const struct pl_format_row *pl_formats(void);

#endif
