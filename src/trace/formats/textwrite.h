/* trace/formats/textwrite.h: what the writers of text formats share. */
#ifndef PL_TRACE_TEXTWRITE_H
#define PL_TRACE_TEXTWRITE_H

#include "trace/format.h"

/* One touch, with everything that is known of it. */
struct pl_textwrite_touch {
    pl_page page;
    struct pl_page_origin origin;
    enum pl_kind kind;
    int64_t time;     /* 0 without times */
    uint32_t size;    /* 0: a whole page */
    uint64_t process; /* of the actor, not of the page */
    uint64_t thread;
};
typedef enum pl_err pl_textwrite_line(struct pl_trace_writer *writer, const struct pl_textwrite_touch *touch,
                                      struct pl_error *err);

/* Calls `line` for every touch of the batch in order; range records come out touch by touch. Where `one_process`, a
 * second process fails with PL_ERR_USAGE: its pages could not be told from the first one's. writer->self must be what
 * pl_textwrite_open put there. */
enum pl_err pl_textwrite_open(struct pl_trace_writer *writer, bool one_process, struct pl_error *err);
enum pl_err pl_textwrite_batch(struct pl_trace_writer *writer, const struct pl_batch *batch, pl_origin_fn *origin,
                               void *user, pl_textwrite_line *line, struct pl_error *err);
enum pl_err pl_textwrite_close(struct pl_trace_writer *writer, struct pl_error *err); /* nothing more to write */

/* The byte address of a page; fails when it lies beyond 2^64. */
enum pl_err pl_textwrite_address(const struct pl_trace_writer *writer, const struct pl_page_origin *origin,
                                 uint64_t *out, struct pl_error *err);

/* Digits without the cost of printf. Return the end of what they wrote (at most 16 and 20 bytes). */
char *pl_textwrite_hex(char *to, uint64_t value);
char *pl_textwrite_decimal(char *to, uint64_t value);

#endif
