/* trace/rebatch.h: puts a new batch together from parts of other batches, with pages numbered anew.
 *
 * What leaves touches out, or brings traces together, breaks the rule that pages are numbered in the order of first use. A
 * rebatch keeps, for each input, which new number an old page has, and for each new page where it came from. Control records that
 * name runs of pages are taken apart where the new numbers are no run any more. Memory: 4 bytes for each page of the
 * inputs, 8 for each new one. */
#ifndef PL_TRACE_REBATCH_H
#define PL_TRACE_REBATCH_H

#include "trace/trace.h"

struct pl_rebatch;

enum pl_err pl_rebatch_create(size_t inputs, struct pl_rebatch **out, struct pl_error *err);
void pl_rebatch_free(struct pl_rebatch *rebatch); /* NULL is allowed */

/* To take over from where batches were passed on as they were: `pages` pages and `actors` actors of input 0 keep their
 * numbers. Only on a new rebatch. */
enum pl_err pl_rebatch_take_over(struct pl_rebatch *rebatch, uint32_t pages, uint32_t actors, struct pl_error *err);

/* How many touches there is room for: take the batch when it is 0. */
size_t pl_rebatch_room(const struct pl_rebatch *rebatch);
/* True when there are control records, whose texts still belong to the input's reader: take the batch before it goes on. */
bool pl_rebatch_has_controls(const struct pl_rebatch *rebatch);
size_t pl_rebatch_touches_held(const struct pl_rebatch *rebatch);

/* Adds touches from .. to - 1 of a batch of that input; they must fit. `shift` is added to times. A column that only some
 * inputs have is filled up: reads, whole pages (`page_size`), the time before. */
enum pl_err pl_rebatch_touches(struct pl_rebatch *rebatch, size_t input, const struct pl_batch *batch, size_t from,
                               size_t to, int64_t shift, uint32_t page_size, struct pl_error *err);
/* Adds a control record at the present end. Records that only concern pages never seen are left out. */
enum pl_err pl_rebatch_control(struct pl_rebatch *rebatch, size_t input, const struct pl_control *control, int64_t shift,
                               struct pl_error *err);
/* The batch; its columns are valid until something is added. */
void pl_rebatch_take(struct pl_rebatch *rebatch, struct pl_batch *out);

/* Where a new page came from. */
struct pl_rebatch_origin {
    size_t input;
    pl_page page;
};
struct pl_rebatch_origin pl_rebatch_origin(const struct pl_rebatch *rebatch, pl_page page);

#endif
