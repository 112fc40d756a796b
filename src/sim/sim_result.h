/* sim/sim_result.h: what a run counted.
 *
 * Time is counted where it passes: each thread's clock moves only by amounts that are put down under one component, so
 * that the components of a process sum to its threads' elapsed time, to the picosecond. */
#ifndef PL_SIM_RESULT_H
#define PL_SIM_RESULT_H

#include "device/device.h"
#include "mm/memory.h"
#include "mm/usage.h"
#include "store/store.h"

enum pl_component {
    PL_TIME_RUN,        /* touching resident pages, computing */
    PL_TIME_SLEEP,      /* asked to */
    PL_TIME_FAULT,      /* fault service itself */
    PL_TIME_ZERO,       /* zeroing pages in a fault */
    PL_TIME_COMPRESS,   /* compressing in a fault (without lists) */
    PL_TIME_DECOMPRESS,
    PL_TIME_WAIT_CPU,
    PL_TIME_WAIT_STORE,  /* for a page that the queue of the store or a worker has */
    PL_TIME_WAIT_PAGE,   /* for a page that another thread's fault brings, while that thread does not wait for the disk */
    PL_TIME_WAIT_DISK,   /* for disk accesses, its own or another's that brings the same page */
    PL_TIME_WAIT_MEMORY, /* for a frame */
    PL_TIME_IDLE,        /* nothing to do: before its first record, after its last, between phases */
    PL_COMPONENTS,
};
extern const char *const pl_component_names[PL_COMPONENTS];  /* "wait_disk" */
extern const char *const pl_component_labels[PL_COMPONENTS]; /* "wait disk" */

/* One process in one phase, or sums of them. */
struct pl_sim_cell {
    uint64_t touches, writes;
    uint64_t faults[PL_FAULT_KINDS];
    uint64_t collided; /* waits for another's transfer */
    pl_time_ps time_ps[PL_COMPONENTS];
};

/* What the machine did, as a whole. Pages where nothing else is said. */
struct pl_sim_totals {
    uint64_t disk_reads, disk_writes;             /* pages read from and written to disk */
    uint64_t disk_read_requests, disk_write_requests;
    uint64_t disk_bytes_read, disk_bytes_written; /* compressed pages count what they take */
    uint64_t store_hits;                          /* pages decompressed for a fault */
    uint64_t store_puts;                          /* pages that went in, of any kind */
    uint64_t store_refused;
    uint64_t store_written;                       /* pages written out of the store, and ... */
    uint64_t store_dropped;                       /* ... taken out because the disk had them */
    uint64_t compressions, decompressions;        /* that took time */
    uint64_t store_compactions, store_moved_bytes; /* how often the store moved its objects together; what it moved */
    uint64_t evicted_clean, evicted_dirty;        /* left a working set; dirty since they came in */
    uint64_t zeroed_ahead, zero_acquisitions;     /* by zeroing threads: pages, and locks taken */
    uint64_t manager_runs, writer_runs, file_writer_runs; /* the last: of the mapped-page writer */
    uint64_t commit_failures, out_of_memory;
    uint64_t slots_reclaimed; /* of the full page file: their pages had been modified since */
    uint64_t read_ahead;
    uint64_t combined; /* frames that page combining freed */
    uint64_t late_actors;  /* threads that were silent for longer than the window */
    uint64_t lost_records; /* the trace says so */
    uint64_t manager_trimmed;
    uint64_t timer_commands; /* list commands that timers gave */
    pl_time_ps cpu_busy_ps, disk_busy_ps, worker_busy_ps, manager_busy_ps;
    pl_time_ps zero_busy_ps, zero_spin_ps; /* of the first the second: spinning for the lock */
};

/* Adds one cell to another. */
void pl_sim_cell_add(struct pl_sim_cell *into, const struct pl_sim_cell *from);

/* The machine at one time. */
struct pl_sim_sample {
    pl_time_ps time_ps;
    uint32_t list[PL_LISTS];
    uint64_t store_pages, store_bytes, file_pages, commit_pages;
    struct pl_sim_totals totals;
    uint64_t touches, faults[PL_FAULT_KINDS];
};

/* What tools that look at memory would show at one time. */
struct pl_sim_view {
    struct pl_frame_use use;
    uint32_t store_frames;              /* of the kernel's: the store's memory */
    uint64_t repurposed[PL_PRIORITIES]; /* standby frames, since the start of the run */
    struct pl_region_use (*region)[PL_REGIONS]; /* by process */
};

struct pl_sim_phase {
    const char *name; /* "" before the first mark */
    pl_time_ps start_ps, end_ps;
    struct pl_sim_totals at_end; /* counted since the start of the run */
    struct pl_sim_sample sample; /* the machine at the end */
    struct pl_sim_cell *cell;    /* by process */
    struct pl_sim_cell *so_far;  /* by process, since the start of the run */
    struct pl_process_state *state; /* by process, at the end of the phase */
    struct pl_store_statistics store; /* at the end of the phase */
    uint32_t processes;
    struct pl_sim_view *view; /* at the end of the phase; NULL when nobody asked (pl_sim_options.views) */
};

struct pl_sim_process {
    uint64_t id;
    const char *name; /* or NULL */
    struct pl_sim_cell all;
    struct pl_process_state state; /* at the end */
};

struct pl_sim_result {
    pl_time_ps elapsed_ps;
    struct pl_sim_cell all;
    struct pl_sim_totals totals;
    uint64_t threads;
    const struct pl_sim_process *process;
    size_t process_count;
    const struct pl_sim_phase *phase;
    size_t phase_count;
    const struct pl_sim_sample *sample;
    size_t sample_count;
    const struct pl_histogram *fault_latency; /* PL_FAULT_KINDS of them */
    bool has_store;
    struct pl_store_statistics store; /* at the end */
    struct pl_sim_sample end;
    pl_time_ps interval_ps; /* between samples at last: longer than asked for where they would have been too many */
    uint64_t events, checks;
    const char *stopped; /* why the run ended early, or NULL */
};

#endif
