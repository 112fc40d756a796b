/* trace/survey.h: what a trace is like, beyond its counts: how its footprint grows, how touches spread over pages and
 * processes. Fed with the batches of a trace; takes 5 bytes a page. */
#ifndef PL_TRACE_SURVEY_H
#define PL_TRACE_SURVEY_H

#include "trace/trace.h"

enum { PL_SURVEY_SAMPLES = 128 };

struct pl_survey_process {
    uint64_t id, touches, writes, pages;
};

struct pl_survey {
    uint64_t pages; /* that were touched; a trace knows others that were only allocated */
    uint64_t written_pages, executed_pages, once_pages; /* once: touched a single time */
    uint64_t first_number, last_number; /* least and greatest page number */
    uint64_t same_page, next_page;      /* touches of the page before again; of the page number one up */
    double hot_1, hot_10, hot_50;       /* share of the touches that the hottest 1, 10, 50 % of the pages get */
    size_t growth_count;
    struct {
        uint64_t touches, pages;
    } growth[PL_SURVEY_SAMPLES]; /* distinct pages after so many touches; evenly spaced, and the end */
    size_t process_count;
    const struct pl_survey_process *processes; /* in the order of first use; lives as long as the surveyor */
};

struct pl_surveyor;

enum pl_err pl_surveyor_create(struct pl_surveyor **out, struct pl_error *err);
void pl_surveyor_destroy(struct pl_surveyor *surveyor); /* NULL is allowed */
/* `trace` gives the origins, so it must have been opened with need_dictionary, and expand_ranges. */
enum pl_err pl_surveyor_feed(struct pl_surveyor *surveyor, const struct pl_trace *trace, const struct pl_batch *batch,
                             struct pl_error *err);
enum pl_err pl_surveyor_finish(struct pl_surveyor *surveyor, struct pl_survey *out, struct pl_error *err);

#endif
