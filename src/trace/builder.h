/* trace/builder.h: how a format turns its records into batches of dense pages.
 *
 * A format's next function calls, until pl_builder_full says so or its input ends:
 *
 *     pl_builder_actor   when another process or thread goes on
 *     pl_builder_at      the time of what follows, when the format has times
 *     pl_builder_touch   one page or object
 *     pl_builder_access  bytes: every page they lie on
 *     pl_builder_lost    the source says it lost records
 *
 * and ends with pl_builder_finish, which makes the pages dense and hands the batch out. The calls between cannot fail;
 * what goes wrong in them is reported by finish. The builder keeps the reader's info up to date. */
#ifndef PL_TRACE_BUILDER_H
#define PL_TRACE_BUILDER_H

#include "trace/densify.h"
#include "trace/format.h"

enum {
    PL_BUILDER_BATCH = 16384,     /* touches in a batch, about: what the second-level cache takes */
    PL_BUILDER_SPAN_MAX = 4096,   /* pages of one access that are put down at once */
    PL_BUILDER_ROOM = PL_BUILDER_BATCH + 4 * PL_BUILDER_SPAN_MAX,
};

struct pl_builder_actor_table; /* builder.c */

/* Pages still to be put down, of an access that covers more than PL_BUILDER_SPAN_MAX. */
struct pl_builder_span {
    uint64_t next, last;
    uint8_t kind;
};

/* The columns are open so that a fast parser can write them itself: it fills number[count...] (at most up to
 * PL_BUILDER_BATCH), raises count, and adds to info->input_records. */
struct pl_builder {
    size_t count;
    uint64_t *number;
    uint8_t *kind;  /* NULL: all reads */
    int64_t *time;  /* NULL: no times */
    uint32_t *size; /* NULL: whole pages */

    struct pl_trace_info *info;
    struct pl_reader *reader;
    struct pl_densify *densify;
    pl_page *page;
    uint64_t page_size;
    unsigned page_shift;
    bool ignore_execute;
    uint64_t executes_dropped;
    int64_t now;
    bool started; /* a time was given */
    struct pl_control *control;
    size_t control_count;
    struct pl_builder_span span[4];
    size_t span_count;
    struct pl_builder_actor_table *actors;
    uint32_t actor, process; /* that touches now: indices; process: at the start of the batch */
    enum pl_err failed;
    struct pl_error failure;
};

struct pl_builder_columns {
    bool kind, time, size;
};

/* Takes page size and filters from the reader's options. */
enum pl_err pl_builder_create(struct pl_reader *reader, struct pl_builder_columns columns, struct pl_builder **out,
                              struct pl_error *err);
void pl_builder_destroy(struct pl_builder *builder); /* NULL is allowed */

/* `name` may be NULL. Cheap when nothing changes. */
void pl_builder_actor(struct pl_builder *builder, uint64_t process, uint64_t thread, const char *name);
void pl_builder_at(struct pl_builder *builder, int64_t time);
void pl_builder_lost(struct pl_builder *builder, uint64_t records);
/* PL_OP_START or PL_OP_EXIT of a process; `name` may be NULL, and must live as long as the batch. */
void pl_builder_process(struct pl_builder *builder, enum pl_op op, uint64_t process, const char *name);
/* Puts pages first .. last down, or queues them. */
void pl_builder_pages(struct pl_builder *builder, enum pl_kind kind, uint64_t first, uint64_t last);
/* An object of so many bytes (cut to 32 bits) in a trace with a size column. */
void pl_builder_object(struct pl_builder *builder, enum pl_kind kind, uint64_t object, uint64_t bytes);

static inline bool pl_builder_full(const struct pl_builder *builder)
{
    return builder->count >= PL_BUILDER_BATCH || builder->control_count >= PL_BUILDER_BATCH || builder->span_count ||
           builder->failed;
}

static inline void pl_builder_touch(struct pl_builder *builder, enum pl_kind kind, uint64_t number)
{
    size_t at = builder->count;
    if (kind == PL_EXECUTE && builder->ignore_execute) {
        builder->executes_dropped++;
        return;
    }
    builder->number[at] = number;
    if (builder->kind)
        builder->kind[at] = (uint8_t)kind;
    if (builder->time)
        builder->time[at] = builder->now;
    builder->count = at + 1;
}

/* Every page of the bytes address .. address + bytes - 1. What would lie beyond 2^64 is cut off; 0 bytes count as 1. */
static inline void pl_builder_access(struct pl_builder *builder, enum pl_kind kind, uint64_t address, uint64_t bytes)
{
    uint64_t more = bytes ? bytes - 1 : 0;
    uint64_t end = address + more < address ? UINT64_MAX : address + more;
    uint64_t first = address >> builder->page_shift, last = end >> builder->page_shift;
    if (first == last)
        pl_builder_touch(builder, kind, first);
    else
        pl_builder_pages(builder, kind, first, last);
}

/* Ends the batch. PL_END when there is nothing in it. */
enum pl_err pl_builder_finish(struct pl_builder *builder, struct pl_batch *out, struct pl_error *err);

struct pl_page_origin pl_builder_origin(const struct pl_builder *builder, pl_page page);

#endif
