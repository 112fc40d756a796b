/* trace/etl/etl.h: event traces of Windows (.etl), read anywhere.
 *
 * A file is a chain of buffers, each filled by one processor, in the order in which they were flushed; names of files
 * and threads may come long after the events that need them. So opening surveys the whole file once (buffers, counts by
 * event, names, what is damaged), and pl_etl_next then hands out every event in the order of time.
 *
 *     pl_etl_open  ->  pl_etl_info, pl_etl_kinds, pl_etl_losses
 *     pl_etl_next  ->  struct pl_etl_event  ->  pl_etl_read (fields by name), or the payload itself
 *                  ->  pl_etl_process_of, pl_etl_file_name, pl_etl_process_name (joins, valid at any time)
 *
 * It works on the bytes of a whole file (mapped, or in memory) and needs nothing but base and the XPRESS codec. Memory:
 * 32 bytes a buffer, the names, the decompressed buffers that overlap in time, and those that the survey decompressed
 * and kept so that it need not be done again; pl_etl_limits bounds the last three.
 * Damage never fails a read: what is intact comes out, the rest is counted by what was wrong (pl_etl_losses).
 *
 *   etl_record.c   one record's header              etl_survey.c   the first pass
 *   etl_buffer.c   the chain of buffers             etl_merge.c    events by time
 *   etl_schema.c   names and fields of events       etl_history.c  names and threads over time
 *   etl_log.c      the log's own header             etl_kinds.c    counts by event
 *   etl_fault.c    page faults among the events
 *
 * etl_reference.h adds page accesses up by category; etl_source.h gives the bytes of any input. */
#ifndef PL_TRACE_ETL_H
#define PL_TRACE_ETL_H

#include "base/arena.h"
#include "base/progress.h"

struct pl_etl;

struct pl_etl_limits {
    uint64_t buffer_bytes;  /* of one decompressed buffer; 0: 16 MiB, the largest that Windows makes */
    uint64_t open_bytes;    /* of all decompressed buffers at one time; 0: 1 GiB */
    uint64_t kept_bytes; /* of decompressed buffers that are kept; 0: 256 MiB. What comes later is decompressed twice */
    uint64_t name_bytes;    /* of names, threads and processes; 0: 512 MiB */
    const struct pl_progress *progress; /* of the survey, in bytes; asked to stop, it surveys no further. May be NULL */
};

/* `bytes` must outlive what is opened; `name` is for messages. PL_ERR_INPUT when not one buffer can be found. */
enum pl_err pl_etl_open(const uint8_t *bytes, uint64_t length, const char *name, const struct pl_etl_limits *limits,
                        struct pl_etl **out, struct pl_error *err);
void pl_etl_close(struct pl_etl *etl); /* NULL is allowed */

/* Do the first bytes look like such a file? 0 no, 100 surely (as pl_format's probe). */
int pl_etl_probe(const uint8_t *head, size_t length);

/* --- what is known of the file -------------------------------------------------- */
enum pl_etl_clock { PL_ETL_QPC = 1, PL_ETL_SYSTEM_TIME = 2, PL_ETL_CYCLES = 3 };

struct pl_etl_info {
    bool has_log_header;      /* without one the clock is taken for system time */
    uint8_t major, minor;     /* of Windows */
    uint32_t build, cpus, pointer_size, cpu_mhz;
    enum pl_etl_clock clock;
    uint64_t frequency;       /* ticks a second */
    uint64_t start_filetime;  /* of the log header: 100 ns since 1601, UTC */
    uint64_t header_ticks;    /* the same moment in ticks */
    uint64_t first_ticks, last_ticks;
    uint64_t events_lost, buffers_lost; /* as the log says */
    uint64_t buffers, compressed_buffers, events, bytes;
    uint64_t hard_faults;     /* I/O events */
    uint64_t soft_faults;     /* faults of every kind, as they were resolved */
    uint64_t backward;        /* events handed out so far whose time lies before their predecessor's */
};
const struct pl_etl_info *pl_etl_info(const struct pl_etl *etl);

/* Picoseconds since the first event; cut to what 63 bits hold. */
pl_time_ps pl_etl_time(const struct pl_etl *etl, uint64_t ticks);
double pl_etl_ms(const struct pl_etl *etl, uint64_t ticks); /* of a number of ticks */

/* What was left out, and why. `place` is the byte offset in the file of the first. */
struct pl_etl_loss {
    const char *reason;
    uint64_t count, place;
    bool damage; /* false: intact, but not understood or not in need of reading */
};
const struct pl_etl_loss *pl_etl_losses(const struct pl_etl *etl, size_t *count);

/* Events by what they are, most frequent first. */
struct pl_etl_kind {
    const char *name;     /* "PageFault/HardFault", or NULL: not known to us */
    uint16_t hook;        /* group << 8 | type of the kernel's events; PL_ETL_NO_HOOK for those of a provider */
    uint8_t guid[16];     /* of a provider or a class, in the file's byte order */
    uint16_t id;          /* of a provider's event, or a class's type */
    uint64_t count, bytes;
};
const struct pl_etl_kind *pl_etl_kinds(const struct pl_etl *etl, size_t *count);
/* "3d6fa8d3-fe05-11d0-9dda-00c04fd7ba7c" at least 37 bytes. Returns out. */
char *pl_etl_guid_text(const uint8_t *guid, char *out, size_t size);

/* --- events -------------------------------------------------------------------- */
#define PL_ETL_NOBODY UINT32_MAX
#define PL_ETL_NO_HOOK UINT16_MAX

enum pl_etl_header { /* kinds of record headers */
    PL_ETL_SYSTEM, PL_ETL_COMPACT, PL_ETL_PERFINFO, PL_ETL_FULL, PL_ETL_INSTANCE, PL_ETL_EVENT, PL_ETL_MESSAGE,
    PL_ETL_TIMED, PL_ETL_ERROR, PL_ETL_HEADERS,
};

struct pl_etl_event {
    uint64_t ticks;        /* raw clock */
    const uint8_t *payload; /* valid until the next call */
    uint32_t payload_size;
    uint32_t thread, process; /* as the header says, else the thread that ran there; PL_ETL_NOBODY when not known */
    uint16_t cpu;
    uint16_t hook;         /* group << 8 | type, also for the classes that have a group; else PL_ETL_NO_HOOK */
    uint16_t id;           /* of a provider's event or a class's type */
    uint8_t header;        /* enum pl_etl_header */
    uint8_t version;
    uint8_t pointer_size;  /* 4 or 8, of who logged it */
    const uint8_t *guid;   /* 16 bytes, or NULL */
    uint64_t place;        /* of its buffer, in bytes */
};

/* The next event in the order of time; PL_END after the last. */
enum pl_err pl_etl_next(struct pl_etl *etl, struct pl_etl_event *out, struct pl_error *err);
/* Bytes of the file whose buffers have been handed out. */
uint64_t pl_etl_done(const struct pl_etl *etl);

/* --- joins ---------------------------------------------------------------------- */
/* The process that a thread belongs to at a time, by what the trace says before or after it. */
uint32_t pl_etl_process_of(const struct pl_etl *etl, uint32_t thread, uint64_t ticks);
/* NULL when the trace does not say. */
const char *pl_etl_process_name(const struct pl_etl *etl, uint32_t process, uint64_t ticks);
const char *pl_etl_file_name(const struct pl_etl *etl, uint64_t file_object, uint64_t ticks);
/* The process id that a key (the address of its object) stands for. */
uint32_t pl_etl_process_by_key(const struct pl_etl *etl, uint64_t key, uint64_t ticks);

/* --- hooks that others look for --------------------------------------------------- */
enum pl_etl_hook {
    PL_ETL_LOG_HEADER = 0x0000,
    PL_ETL_TRANSITION_FAULT = 0x020a, PL_ETL_DEMAND_ZERO_FAULT, PL_ETL_COPY_ON_WRITE, PL_ETL_GUARD_FAULT,
    PL_ETL_HARD_PAGE_FAULT, PL_ETL_ACCESS_VIOLATION,
    PL_ETL_HARD_FAULT = 0x0220,
    PL_ETL_SECTION_RUNDOWN = 0x0248, PL_ETL_SECTION_CREATE = 0x0249, PL_ETL_SECTION_DELETE = 0x024f,
    PL_ETL_VIRTUAL_ALLOC = 0x0262, PL_ETL_VIRTUAL_FREE = 0x0263,
    PL_ETL_HEAP_RUNDOWN = 0x0264, PL_ETL_HEAP_CREATE, PL_ETL_HEAP_RESERVE, PL_ETL_HEAP_RELEASE, PL_ETL_HEAP_DESTROY,
    PL_ETL_MEM_INFO = 0x0270,
    PL_ETL_PAGE_ACTIVE = 0x0275, PL_ETL_PAGE_ACCESS = 0x0276, PL_ETL_PAGE_RELEASE = 0x0277,
    PL_ETL_RANGE_ACCESS = 0x0278, PL_ETL_RANGE_RELEASE = 0x0279, PL_ETL_MEM_INFO_WS = 0x027d,
    PL_ETL_ALLOC_START = 0x0280, PL_ETL_ALLOC_END = 0x0281, PL_ETL_PAGE_ACCESS_EX = 0x0282,
    PL_ETL_PROCESS_START = 0x0301, PL_ETL_PROCESS_END, PL_ETL_PROCESS_DC_START, PL_ETL_PROCESS_DC_END,
    PL_ETL_FILE_NAME = 0x0400, PL_ETL_FILE_CREATE = 0x0420, PL_ETL_FILE_DELETE = 0x0423, PL_ETL_FILE_RUNDOWN = 0x0424,
    PL_ETL_THREAD_START = 0x0501, PL_ETL_THREAD_END, PL_ETL_THREAD_DC_START, PL_ETL_THREAD_DC_END,
    PL_ETL_CONTEXT_SWITCH = 0x0524,
};

/* --- fields ---------------------------------------------------------------------- */
enum pl_etl_width {
    PL_ETL_U8 = 1, PL_ETL_U16 = 2, PL_ETL_U32 = 4, PL_ETL_U64 = 8,
    PL_ETL_POINTER = 16, /* also SIZE_T: 4 or 8 bytes */
    PL_ETL_ANSI,         /* text up to a NUL */
    PL_ETL_UTF16,        /* the same in UTF-16LE */
    PL_ETL_SID,          /* a security identifier with what stands before it */
};

struct pl_etl_field {
    const char *name;
    enum pl_etl_width width;
    bool hexadecimal; /* how people read it */
};

enum { PL_ETL_FIELDS_MAX = 24 };

struct pl_etl_schema {
    uint16_t hook;
    uint8_t version; /* holds from this version of the event on */
    const char *name; /* "PageFault/HardFault" */
    const struct pl_etl_field *fields;
    size_t count;
    size_t repeat; /* fields from this one on repeat, as often as field `repeat - 1` says; 0: none do */
};

/* Names and fields of one of the kernel's events; NULL when it is not known. A schema without fields has a name
 * only. */
const struct pl_etl_schema *pl_etl_schema(uint16_t hook, uint8_t version);

struct pl_etl_value {
    uint64_t number;
    const uint8_t *bytes; /* of texts and identifiers */
    uint32_t length;      /* of those, without the NUL */
};

/* The fields of one event, group by group where they repeat. */
struct pl_etl_fields {
    const struct pl_etl_schema *schema;
    struct pl_etl_value value[PL_ETL_FIELDS_MAX];
    size_t count;         /* fields that were there */
    uint64_t groups_left; /* that pl_etl_read_more can still read */
    const uint8_t *at, *end;
    uint8_t pointer_size;
};
/* False when the payload is shorter than the event's fields (texts at the end may be missing). */
bool pl_etl_read(const struct pl_etl_event *event, struct pl_etl_fields *out);
bool pl_etl_read_more(struct pl_etl_fields *fields); /* false when there is no further group */
/* Appends UTF-16LE as UTF-8 to `out` (lone surrogates become U+FFFD); returns the length, at most `room` - 1; NUL
 * behind. */
size_t pl_etl_utf8(const uint8_t *bytes, uint32_t length, char *out, size_t room);

/* A page fault: of every kind, where the session logged those; else the reads of hard faults. */
struct pl_etl_fault {
    uint64_t address;
    uint32_t process, thread;
    uint8_t kind; /* enum pl_kind */
};
/* False for other events. */
bool pl_etl_fault(const struct pl_etl *etl, const struct pl_etl_event *event, struct pl_etl_fault *out);

/* Page identity, as page access, release and range events carry it. */
enum pl_etl_use { /* what a page is for */
    PL_ETL_USE_PRIVATE, PL_ETL_USE_FILE, PL_ETL_USE_SECTION, PL_ETL_USE_PAGE_TABLE, PL_ETL_USE_PAGED_POOL,
    PL_ETL_USE_NONPAGED_POOL, PL_ETL_USE_SYSTEM_PTE, PL_ETL_USE_SESSION, PL_ETL_USE_METAFILE, PL_ETL_USE_AWE,
    PL_ETL_USE_DRIVER_LOCKED, PL_ETL_USE_KERNEL_STACK, PL_ETL_USE_WORKING_SET, PL_ETL_USE_LARGE, PL_ETL_USES = 16,
};
struct pl_etl_page {
    uint8_t use, list, priority;
    bool image;    /* a file page that is mapped as an image */
    uint64_t key;  /* the process's key, or the offset in the file, by use */
    uint64_t frame;
    uint64_t address; /* virtual address, file object or prototype entry, by use */
};
bool pl_etl_page_identity(const struct pl_etl_event *event, struct pl_etl_page *out);
const char *pl_etl_use_name(unsigned use); /* "ProcessPrivate" */

#endif
