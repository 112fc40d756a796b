/* capture/os.h: what `pagecap` asks of an operating system, besides back ends. One half in linux/, the other in
 * windows/.
 *
 *   memory, trim, clock, counters, threads, children   os_memory.c, os_process.c: the measured workload
 *   facts, store                                       os_facts.c: what goes into a measurement
 *   lists, view, watch, purge, pages of a process      os_views.c: tables
 *
 * What a system does not offer fails with PL_ERR_RESOURCE and one sentence that says what is missing. */
#ifndef PL_CAPTURE_OS_H
#define PL_CAPTURE_OS_H

#include "base/base.h"

extern const char pl_os_name[]; /* "Linux", "Windows" */
uint32_t pl_os_page_size(void);

/* --- memory of the measured workload ------------------------------------------- */
enum pl_os_memory_kind {
    PL_OS_PRIVATE,  /* committed private memory in small pages */
    PL_OS_LARGE,    /* large pages */
    PL_OS_FILE,     /* a mapped file: written as the system likes */
    PL_OS_SECTION,  /* memory that could be shared, backed by the page file */
    PL_OS_RIO,      /* registered for I/O, so that the kernel touches every page at once (Windows) */
};
extern const char *const pl_os_memory_names[]; /* "private", "large", "file", "section", "rio"; NULL-terminated */

struct pl_os_memory {
    uint8_t *bytes;
    uint64_t size;
    enum pl_os_memory_kind kind;
    void *handle; /* the system's own */
};

/* Nothing is touched yet. `path`: of the file to map (made when it is not there), else NULL. */
enum pl_err pl_os_memory_get(enum pl_os_memory_kind kind, uint64_t size, const char *path, struct pl_os_memory *out,
                             struct pl_error *err);
void pl_os_memory_release(struct pl_os_memory *memory);
/* Gives the pages back but keeps the addresses: the next touch is a first touch again. */
enum pl_err pl_os_memory_forget(struct pl_os_memory *memory, struct pl_error *err);
/* Bytes of this memory that are resident now; UINT64_MAX when the system does not say. */
uint64_t pl_os_memory_resident(const struct pl_os_memory *memory);

enum pl_os_trim {
    PL_OS_TRIM_NONE,
    PL_OS_TRIM_PAGEOUT,  /* Linux: MADV_PAGEOUT of the memory */
    PL_OS_TRIM_EMPTY,    /* Windows: EmptyWorkingSet */
    PL_OS_TRIM_SIZE,     /* Windows: SetProcessWorkingSetSize(-1, -1) */
    PL_OS_TRIM_MINIMISE, /* Windows: a window of its own is minimised */
    PL_OS_TRIMS,
};
extern const char *const pl_os_trim_names[]; /* "none", "pageout", "empty", "size", "minimise"; NULL-terminated */
enum pl_os_trim pl_os_trim_default(void);
enum pl_err pl_os_trim(enum pl_os_trim how, struct pl_os_memory *memory, struct pl_error *err);

/* --- clock and counters ---------------------------------------------------------- */
pl_time_ps pl_os_now(void); /* monotonic */
void pl_os_sleep(pl_time_ps time); /* ends early when interrupted */

/* Of the calling process, since it started. UINT64_MAX: the system does not count it. */
struct pl_os_counters {
    uint64_t minor_faults, major_faults;
    uint64_t user_ns, system_ns;
};
void pl_os_counters(struct pl_os_counters *out);

/* The compressed store, now. False when there is none or it cannot be asked. UINT64_MAX: not told. */
struct pl_os_store {
    char name[64];          /* "zram2", "Memory Compression" */
    uint64_t pages;         /* stored */
    uint64_t bytes;         /* compressed */
    uint64_t used_bytes;    /* memory it takes */
    uint64_t same_pages, huge_pages; /* zram: kept as one word; kept raw */
    uint64_t unique_bytes;  /* Windows: uncompressed bytes without duplicates */
};
bool pl_os_store(struct pl_os_store *out);

/* Facts for the measurement: cpu, cpus, memory_bytes, os, swap, ... */
typedef void pl_os_fact_fn(void *user, const char *key, const char *unit, struct pl_value value);
void pl_os_facts(pl_os_fact_fn *fact, void *user);

/* --- own swap device (Linux: zram) ------------------------------------------------ */
/* `spec`: "SIZE,CODEC". Sets it up for this run only and makes sure that it goes with this process, however that ends.
 * */
enum pl_err pl_os_own_store_start(const char *spec, struct pl_error *err);
void pl_os_own_store_stop(void); /* allowed without a start */
/* Empties the own device between repetitions: a kernel that frees slots lazily leaves a few stored pages of the one
 * before, which the next would count as its own. Nothing without a start; no error when it cannot be emptied now. */
void pl_os_own_store_settle(void);

/* --- scarce memory (Linux: a cgroup) ------------------------------------------------- */
/* From here on this process may have so much more memory; what it has already does not count. Takes root. */
enum pl_err pl_os_limit_start(uint64_t bytes, struct pl_error *err);
/* To be called now and then inside: makes the system count what the group has. Nothing without a start. */
void pl_os_limit_look(void);
void pl_os_limit_stop(void); /* allowed without a start */

/* --- threads, processes, stopping -------------------------------------------------- */
/* Runs work(user, 0 .. count - 1) in so many threads at once and waits for all. count 1: in this thread. */
enum pl_err pl_os_parallel(unsigned count, void (*work)(void *user, unsigned index), void *user, struct pl_error *err);

struct pl_os_child;
/* Starts this program again with other arguments (argv[1..]; NULL-terminated); its standard input and output are
 * pipes of lines. */
enum pl_err pl_os_child_start(const char *const *arguments, struct pl_os_child **out, struct pl_error *err);
bool pl_os_child_say(struct pl_os_child *child, const char *line);           /* a newline is added */
bool pl_os_child_hear(struct pl_os_child *child, char *line, size_t size);   /* without its newline; false at the end */
uint64_t pl_os_child_pid(const struct pl_os_child *child);
void pl_os_child_end(struct pl_os_child *child); /* closes the pipes, waits, kills what does not end; NULL is allowed */

/* Ctrl-C and the wish to terminate become a question; a second Ctrl-C ends the program. */
void pl_os_catch_interrupts(void);
bool pl_os_interrupted(void);
bool pl_os_watched(void); /* standard error is a terminal */

/* --- tables ------------------------------------------------------------------------- */
/* Each adds tables to the document. */
enum pl_err pl_os_lists(struct pl_document *document, struct pl_error *err);
enum pl_err pl_os_view(uint64_t pid, struct pl_document *document, struct pl_error *err);

/* Numbers over time. Columns are constant; a sample fills one value for each. pid 0: the system alone. */
const struct pl_column *pl_os_watch_columns(uint64_t pid, size_t *count);
enum pl_err pl_os_watch_sample(uint64_t pid, struct pl_value *values, struct pl_error *err);

/* What can be purged here: name and about; ends with a NULL name. */
struct pl_os_purge {
    const char *name, *about;
};
extern const struct pl_os_purge pl_os_purges[];
enum pl_err pl_os_purge(const char *name, struct pl_error *err);
/* Bytes that are available at once, and bytes on the list that `name` would purge; for the adaptive mode. */
enum pl_err pl_os_purge_state(const char *name, uint64_t *available_bytes, uint64_t *list_bytes, struct pl_error *err);

/* CPU time of the threads that zero or reclaim pages, where the system has such and shows it; `*name` says which.
 * False when it does not. */
bool pl_os_zeroing_ns(uint64_t *ns, const char **name);

/* The pages of a process that a store would be given, in ascending order. */
struct pl_os_pages;
enum pl_err pl_os_pages_open(uint64_t pid, bool every, struct pl_os_pages **out, struct pl_error *err);
/* `page` has pl_os_page_size() bytes. PL_END behind the last. Pages that vanish meanwhile are counted and left out. */
enum pl_err pl_os_pages_next(struct pl_os_pages *pages, uint8_t *page, uint64_t *address, struct pl_error *err);
uint64_t pl_os_pages_unreadable(const struct pl_os_pages *pages);
void pl_os_pages_close(struct pl_os_pages *pages); /* NULL is allowed */

/* One page of a process that runs; false when it has none there, or it cannot be read. */
bool pl_os_page_read(uint64_t pid, uint64_t address, uint8_t *page);

/* A whole file, mapped for reading. */
enum pl_err pl_os_file_map(const char *path, const uint8_t **bytes, uint64_t *length, struct pl_error *err);
void pl_os_file_unmap(const uint8_t *bytes, uint64_t length);
/* The file's name from the root on, malloc'd, so that it is found from elsewhere too; NULL when there is none. */
char *pl_os_full_path(const char *path);

/* The system's own compressor beside ours (RtlCompressBuffer); 0 when there is none or it does not compress. */
size_t pl_os_compress(const uint8_t *page, size_t size, uint8_t *out, size_t room);

#endif
