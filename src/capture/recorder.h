/* capture/recorder.h: touches as they are seen, into a native trace.
 *
 * A recorder makes pages dense, collects batches and hands them to the native writer. It writes straight to the named
 * file (not beside it, as documents do), so that what was captured is there after a crash of target or tool: a file cut
 * off anywhere is valid up to its last whole block, and pl_recorder_flush ends a block. Errors are kept and told by
 * pl_recorder_close; pl_recorder_full asks whether to go on. One thread only. */
#ifndef PL_CAPTURE_RECORDER_H
#define PL_CAPTURE_RECORDER_H

#include "base/base.h"
#include "trace/batch.h"

struct pl_recorder;

struct pl_recorder_options {
    const char *path;       /* "-" = standard output */
    const char *source;     /* what recorded it: "pagecap exact on Linux 6.18: gzip -9" */
    uint32_t page_size;
    enum pl_records records;
    bool times;             /* touches carry picoseconds since the start */
    bool plain;             /* blocks stored plainly instead of packed */
    uint64_t max_bytes;     /* of the file, 0 = no limit: full when reached */
    uint64_t max_touches;   /* 0 = no limit */
    uint64_t last_touches;  /* keep only the last so many touches, in memory, written at the close; 0 = all */
};

enum pl_err pl_recorder_open(const struct pl_recorder_options *options, struct pl_recorder **out, struct pl_error *err);

/* From here on this thread touches. Cheap when nothing changes. `name` may be NULL. */
void pl_recorder_actor(struct pl_recorder *recorder, uint64_t process, uint64_t thread, const char *name);
/* `bytes` bytes at `address`, by the present actor: one touch for each page; 0 bytes count as 1. `time` in picoseconds
 * since the start of the capture. */
void pl_recorder_touch(struct pl_recorder *recorder, enum pl_kind kind, uint64_t address, uint64_t bytes,
                       pl_time_ps time);
/* A process starts (PL_OP_START) or ends (PL_OP_EXIT); `name` may be NULL. */
void pl_recorder_process(struct pl_recorder *recorder, enum pl_op op, uint64_t process, const char *name,
                         pl_time_ps time);
/* A mark: the start of a phase, or of an interval. */
void pl_recorder_phase(struct pl_recorder *recorder, const char *name, pl_time_ps time);
/* So many records were lost before this point. */
void pl_recorder_lost(struct pl_recorder *recorder, uint64_t records, pl_time_ps time);
/* The present process's pages were allocated (flags: enum pl_allocate in traces/FORMAT.md) or given back. Only pages
 * that were touched before can be freed by the trace; others are left out. */
void pl_recorder_allocate(struct pl_recorder *recorder, uint64_t address, uint64_t bytes, unsigned flags,
                          pl_time_ps time);
void pl_recorder_free(struct pl_recorder *recorder, uint64_t address, uint64_t bytes, pl_time_ps time);
/* What a page of the present process holds: the low half of its pl_page_hash, and its compressed sizes as words
 * ("lz4=812 xpress=1033"). */
void pl_recorder_content(struct pl_recorder *recorder, uint64_t address, uint64_t hash, const char *sizes,
                         pl_time_ps time);

/* Where page `index` (below pl_recorder_counts().pages) lies: for who goes over all pages seen. */
void pl_recorder_page(const struct pl_recorder *recorder, uint64_t index, uint64_t *process, uint64_t *address);

/* A cap was reached, or writing failed: stop capturing. */
bool pl_recorder_full(const struct pl_recorder *recorder);
/* Ends the block and gives it to the system. */
void pl_recorder_flush(struct pl_recorder *recorder);

struct pl_recorder_counts {
    uint64_t touches, reads, writes, lost, bytes; /* bytes: of the file so far */
    uint64_t pages;   /* that the trace knows: touched, allocated or freed */
    uint64_t touched; /* of them touched; whole at the close */
};
struct pl_recorder_counts pl_recorder_counts(const struct pl_recorder *recorder);

/* Writes what is left, index and end; reports the first failure; frees. NULL is allowed. `counts`, when not NULL, gets
 * the final ones. */
enum pl_err pl_recorder_close(struct pl_recorder *recorder, struct pl_recorder_counts *counts, struct pl_error *err);
/* Frees and removes the file if nothing was recorded; what was written before stays. */
void pl_recorder_abandon(struct pl_recorder *recorder);

#endif
