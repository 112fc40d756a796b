/* capture/backend.h: the family of back ends: ways to see which pages a program touches.
 *
 * A back end is one file in linux/ or windows/ with one `const struct pl_backend` and one row in that folder's
 * backends.c. It says what its records are, whether it works on this machine (probe), and captures into a recorder
 * until the target ends or it is asked to stop. It prints nothing. It must never return PL_OK with a trace in which
 * nothing was seen because the system pretended: judge by what came, and fail with PL_ERR_RESOURCE and one sentence.
 *
 *     probe()  ->  capture(request, recorder, result)
 */
#ifndef PL_CAPTURE_BACKEND_H
#define PL_CAPTURE_BACKEND_H

#include "capture/recorder.h"

enum { PL_CAPTURE_RANGES_MAX = 16 };

struct pl_capture_range {
    uint64_t start, end; /* addresses; `end` is behind the last byte */
};

/* What is to be captured. */
struct pl_capture_request {
    char *const *argv;         /* run: the program and its arguments, NULL-terminated; NULL: attach */
    uint64_t pid;              /* attach: the process; 0 when it is run */
    /* Regions worth a record. A region counts when it is at least so large, and meets a range if any is given. */
    uint64_t min_region_bytes; /* exact, interval: default 64 KiB, so that small regions the program hands to the kernel
                                  stay free */
    struct pl_capture_range range[PL_CAPTURE_RANGES_MAX];
    size_t range_count;
    bool stacks;               /* trace stacks as well (where the back end can) */
    bool children;             /* follow processes that the target starts (where the back end can) */
    bool content;              /* pages' contents at the end, where the back end can hold the program there */
    bool reference_set;        /* etw: flushes every working set at its marks */
    pl_time_ps interval;       /* interval, snapshot: length of one interval */
    uint64_t ring_bytes;       /* of the ring between target and tool; 0: the back end's choice */
    const char *log_path;      /* etw: where the .etl goes; NULL: beside the trace, removed */
    /* Asked often (at least ten times a second): Ctrl-C, --time, --bytes or --touches reached. */
    bool (*should_stop)(void *user);
    void *user;
};

/* What happened, for the summary. */
struct pl_capture_result {
    uint64_t pid;
    int exit_status;           /* of the target, when it ended: 0..255, or 128 + signal; -1: it goes on */
    uint64_t lost;             /* records lost, over all sources */
    uint64_t untraced_faults;  /* system calls that met a guarded buffer, and were let through */
    uint64_t contents;         /* pages whose content was recorded */
    uint64_t regions;          /* that were traced */
    uint64_t traced_bytes;
    char note[256];            /* one sentence about what was not seen; "" for none */
};

struct pl_backend {
    const char *name;      /* "exact" */
    const char *about;     /* one line */
    enum pl_records records;
    bool runs, attaches;   /* `pagecap run`, `pagecap attach` */
    bool stacks, children; /* takes --stacks, --children: else they are refused */
    const char *rights;    /* what it takes: "none", "root, or perf_event_paranoid at most 1" */
    const char *blind_to;  /* what it cannot see, one sentence */
    const char *slow;      /* what who waits should know; NULL: it is quick */
    /* PL_OK when it works here; else PL_ERR_RESOURCE and why not. Tries it, rather than believing a version number. */
    enum pl_err (*probe)(struct pl_error *why);
    /* The recorder is open; the caller closes it. A target that fails to start is PL_ERR_INPUT. */
    enum pl_err (*capture)(const struct pl_capture_request *request, struct pl_recorder *recorder,
                           struct pl_capture_result *result, struct pl_error *err);
};

/* The back ends of this system, best first; ends with NULL. Defined in linux/backends.c or windows/backends.c. */
extern const struct pl_backend *const pl_backends[];

/* Looks one up. On an unknown name fails with PL_ERR_USAGE; the message names the nearest. */
enum pl_err pl_backend_find(const char *name, const struct pl_backend **out, struct pl_error *err);

/* Does a region count, by the request? */
static inline bool pl_capture_wants(const struct pl_capture_request *request, uint64_t start, uint64_t end)
{
    if (end - start < request->min_region_bytes)
        return false;
    for (size_t i = 0; i < request->range_count; i++)
        if (start < request->range[i].end && request->range[i].start < end)
            return true;
    return request->range_count == 0;
}

#endif
