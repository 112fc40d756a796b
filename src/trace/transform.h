/* trace/transform.h: traces made from traces.
 *
 * Both work on open traces (pl_trace) and write into an open writer; pages are numbered anew in the order of first use, and
 * keep their process and number. Memory depends on the distinct pages only.
 *
 * Cut keeps what lies in a range of touches, of times, in a phase, of some processes; the conditions hold together. Control
 * records inside the range are kept; the switch that holds at its start is restated. Runs of pages that were allocated before
 * the range are not allocated again.
 *
 * Merge brings several traces into one, by time when all have one clock, else in turns, or one after the other. The
 * processes of different inputs stay apart: an input's process p becomes p + k * 2^32 for input number k, counted from 0. */
#ifndef PL_TRACE_TRANSFORM_H
#define PL_TRACE_TRANSFORM_H

#include "trace/trace.h"

struct pl_cut_params {
    uint64_t from_touch, to_touch; /* [from, to); to = UINT64_MAX: up to the end */
    int64_t from_time, to_time;    /* [from, to), in the trace's clock; INT64_MIN and INT64_MAX: all */
    const char *phase;             /* from the mark of this name up to the next mark; NULL: all */
    const uint64_t *processes;     /* only these; by the dictionary */
    size_t process_count;          /* 0: all */
};

/* How much came through. */
struct pl_transform_counts {
    uint64_t touches_in, touches_out, ranges_out, distinct_out;
};

/* The trace must be open with need_dictionary. Stops reading as soon as nothing more can lie inside. PL_ERR_USAGE for a cut by time
 * of a trace without times. Ranges count as one touch position (before the touch they precede) and are kept or left whole. */
enum pl_err pl_trace_cut(struct pl_trace *trace, const struct pl_cut_params *params, struct pl_trace_writer *writer,
                         struct pl_transform_counts *out, struct pl_error *err);

enum pl_merge_order {
    PL_MERGE_TIME,        /* ties: the earlier input first */
    PL_MERGE_TURNS,       /* `turn` touches of each in turn, until all are at their end */
    PL_MERGE_CONCATENATE, /* one after the other; times are moved so that each input follows the one before */
};
extern const char *const pl_merge_order_names[]; /* NULL-terminated */

struct pl_merge_params {
    enum pl_merge_order order;
    uint64_t turn; /* >= 1 */
};

/* The header that a merge of these traces has: page sizes, records and clocks must agree (PL_ERR_USAGE says which do not). Clocks may
 * differ except for PL_MERGE_TIME; the result then has none. */
enum pl_err pl_merge_header(struct pl_trace *const *traces, size_t count, enum pl_merge_order order,
                            struct pl_trace_header *out, struct pl_error *err);
enum pl_err pl_trace_merge(struct pl_trace *const *traces, size_t count, const struct pl_merge_params *params,
                           struct pl_trace_writer *writer, struct pl_transform_counts *out, struct pl_error *err);

#endif
