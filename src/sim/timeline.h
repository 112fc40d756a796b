/* sim/timeline.h: what happened when, as a file that trace viewers open (Chrome's trace event format, JSON).
 *
 * Spans of threads, disks and workers; lengths of lists as counters. Spans shorter than `least_ps` are left out and
 * counted, so that a long run gives a file that can be opened. */
#ifndef PL_SIM_TIMELINE_H
#define PL_SIM_TIMELINE_H

#include "base/sink.h"

struct pl_timeline {
    struct pl_sink *sink;
    pl_time_ps least_ps;
    uint64_t spans, left_out;
    bool first;
};

void pl_timeline_start(struct pl_timeline *timeline, struct pl_sink *sink, pl_time_ps least_ps);
void pl_timeline_name_process(struct pl_timeline *timeline, uint64_t process, const char *name);
void pl_timeline_name_thread(struct pl_timeline *timeline, uint64_t process, uint64_t thread, const char *name);
void pl_timeline_span(struct pl_timeline *timeline, uint64_t process, uint64_t thread, const char *name,
                      pl_time_ps start_ps, pl_time_ps end_ps);
void pl_timeline_mark(struct pl_timeline *timeline, const char *name, pl_time_ps time_ps);
void pl_timeline_counters(struct pl_timeline *timeline, const char *name, pl_time_ps time_ps, const char *const *series,
                          const uint64_t *value, size_t count);
/* The end of the document; the sink stays open. */
void pl_timeline_end(struct pl_timeline *timeline);

#endif
