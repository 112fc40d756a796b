/* capture/workload.h: the measured workload: memory is allocated, touched, filled, trimmed and touched again.
 *
 * The phases are those of CppEater, and of models/scenarios/cppeater.json, so that a replay of the scenario and a run
 * of this program can be laid side by side:
 *
 *   allocate            nothing is touched
 *   first page touch    the first int of each page is written
 *   second page touch   the same again
 *   all bytes touch     every int is written (the fill)
 *   trim and wait       the pages leave the working set and are compressed, at once or behind the scenes
 *   after empty         the first int of each page is written (or read, --read)
 *   second after empty  every int is written again
 *
 * One workload is one process's part; cap_eat.c runs one in its own process or drives several as children. */
#ifndef PL_CAPTURE_WORKLOAD_H
#define PL_CAPTURE_WORKLOAD_H

#include "capture/os.h"
#include "codec/page_content.h"

enum pl_workload_phase {
    PL_PHASE_ALLOCATE,
    PL_PHASE_FIRST_TOUCH,
    PL_PHASE_SECOND_TOUCH,
    PL_PHASE_ALL_BYTES,
    PL_PHASE_TRIM,
    PL_PHASE_SLEEP,
    PL_PHASE_AFTER_EMPTY,
    PL_PHASE_SECOND_ALL_BYTES,
    PL_PHASES,
};
extern const char *const pl_workload_phase_names[]; /* NULL-terminated */

enum pl_workload_order { PL_ORDER_FORWARD, PL_ORDER_BACKWARD, PL_ORDER_RANDOM };
extern const char *const pl_workload_order_names[]; /* NULL-terminated */

enum pl_workload_fill { /* generated ones as pl_content_kind, then: */
    PL_FILL_FILE = 100, /* pages of a file, over and over */
    PL_FILL_MIXED,      /* by turns: index, zeros, text, rand */
};

struct pl_workload_options {
    uint64_t size;            /* bytes, whole pages */
    int fill;                 /* enum pl_content_kind or pl_workload_fill */
    const char *fill_path;    /* PL_FILL_FILE */
    uint64_t seed;
    enum pl_workload_order order;
    unsigned threads;
    bool read_after_trim;     /* "after empty" reads instead of writing */
    enum pl_os_memory_kind memory;
    const char *memory_path;  /* PL_OS_FILE */
    enum pl_os_trim trim;
};

/* What one phase took. */
struct pl_workload_sample {
    double time_ms;
    struct pl_os_counters before, after;
};

struct pl_workload;

enum pl_err pl_workload_create(const struct pl_workload_options *options, struct pl_workload **out,
                               struct pl_error *err);
/* Phases run in any order; PL_PHASE_ALLOCATE comes first. PL_PHASE_SLEEP is the caller's. */
enum pl_err pl_workload_run(struct pl_workload *workload, enum pl_workload_phase phase, struct pl_workload_sample *out,
                            struct pl_error *err);
/* Gives the pages back: the next touch is a first touch again. */
enum pl_err pl_workload_forget(struct pl_workload *workload, struct pl_error *err);
uint64_t pl_workload_resident(const struct pl_workload *workload); /* UINT64_MAX: not told */
/* Do all pages hold what the fill says? For tests: the store gave back what it was given. */
bool pl_workload_holds(const struct pl_workload *workload);
void pl_workload_destroy(struct pl_workload *workload); /* NULL is allowed */

/* "index", "file:PATH", "mixed" ... */
enum pl_err pl_workload_fill_find(const char *text, struct pl_workload_options *options, struct pl_error *err);

#endif
