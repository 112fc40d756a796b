/* trace/rebatch.c: puts a new batch together from parts of other batches, with pages numbered anew. */
#include "trace/rebatch.h"

#include <stdlib.h>
#include <string.h>

/* New number + 1 by old number, for one input. */
struct map {
    uint32_t *fresh;
    size_t capacity;
    size_t known; /* entries that are initialised */
};

struct pl_rebatch {
    size_t inputs;
    struct map *pages, *actors; /* by input */
    uint64_t *origins;          /* by new page: input << 32 | old page */
    size_t origin_capacity;
    uint32_t distinct, actor_count;

    size_t count;
    pl_page page[PL_BATCH_MAX];
    uint8_t kind[PL_BATCH_MAX];
    int64_t time[PL_BATCH_MAX];
    uint32_t size[PL_BATCH_MAX];
    bool has_times, has_sizes; /* once set they stay: a writer likes columns that do not come and go */
    int64_t last_time;
    struct pl_control *control;
    size_t control_count, control_capacity;
};

enum { ACTORS_MAX = 1 << 24 };

enum pl_err pl_rebatch_create(size_t inputs, struct pl_rebatch **out, struct pl_error *err)
{
    struct pl_rebatch *rebatch = calloc(1, sizeof *rebatch);
    if (!rebatch)
        return pl_fail_memory(err, sizeof *rebatch, "putting batches together");
    rebatch->inputs = inputs;
    rebatch->pages = calloc(inputs, sizeof *rebatch->pages);
    rebatch->actors = calloc(inputs, sizeof *rebatch->actors);
    if (!rebatch->pages || !rebatch->actors) {
        pl_rebatch_free(rebatch);
        return pl_fail_memory(err, inputs * sizeof *rebatch->pages, "putting batches together");
    }
    *out = rebatch;
    return PL_OK;
}

void pl_rebatch_free(struct pl_rebatch *rebatch)
{
    if (!rebatch)
        return;
    for (size_t i = 0; i < rebatch->inputs; i++) {
        if (rebatch->pages)
            free(rebatch->pages[i].fresh);
        if (rebatch->actors)
            free(rebatch->actors[i].fresh);
    }
    free(rebatch->pages);
    free(rebatch->actors);
    free(rebatch->origins);
    free(rebatch->control);
    free(rebatch);
}

size_t pl_rebatch_room(const struct pl_rebatch *rebatch)
{
    return PL_BATCH_MAX - rebatch->count;
}

bool pl_rebatch_has_controls(const struct pl_rebatch *rebatch)
{
    return rebatch->control_count > 0;
}

size_t pl_rebatch_touches_held(const struct pl_rebatch *rebatch)
{
    return rebatch->count;
}

struct pl_rebatch_origin pl_rebatch_origin(const struct pl_rebatch *rebatch, pl_page page)
{
    return (struct pl_rebatch_origin){.input = (size_t)(rebatch->origins[page] >> 32),
                                      .page = (pl_page)rebatch->origins[page]};
}

/* --- numbers ------------------------------------------------------------------------ */
/* Makes entry `old` exist, with 0 where nothing was. */
static enum pl_err reach(struct map *map, size_t old, const char *what, struct pl_error *err)
{
    if (old < map->known)
        return PL_OK;
    void *fresh = map->fresh;
    enum pl_err rc = pl_grow(&fresh, &map->capacity, old + 1, sizeof *map->fresh, what, err);
    map->fresh = fresh;
    if (rc)
        return rc;
    memset(map->fresh + map->known, 0, (map->capacity - map->known) * sizeof *map->fresh);
    map->known = map->capacity;
    return PL_OK;
}

/* The new number of an old page, which gets one if it has none. */
static enum pl_err renumber(struct pl_rebatch *rebatch, size_t input, pl_page old, pl_page *out, struct pl_error *err)
{
    struct map *map = &rebatch->pages[input];
    enum pl_err rc = reach(map, old, "the numbers of pages", err);
    if (rc)
        return rc;
    if (!map->fresh[old]) {
        if (rebatch->distinct == PL_NO_PAGE)
            return pl_fail(err, PL_ERR_INPUT, "the traces together have more than 2^32 - 1 distinct pages");
        void *origins = rebatch->origins;
        rc = pl_grow(&origins, &rebatch->origin_capacity, (size_t)rebatch->distinct + 1, sizeof *rebatch->origins,
                     "the origins of pages", err);
        rebatch->origins = origins;
        if (rc)
            return rc;
        rebatch->origins[rebatch->distinct] = (uint64_t)input << 32 | old;
        map->fresh[old] = ++rebatch->distinct;
    }
    *out = map->fresh[old] - 1;
    return PL_OK;
}

static enum pl_err renumber_actor(struct pl_rebatch *rebatch, size_t input, uint32_t old, uint32_t *out,
                                  struct pl_error *err)
{
    struct map *map = &rebatch->actors[input];
    if (old >= ACTORS_MAX)
        return pl_fail(err, PL_ERR_INPUT, "the trace has more than 2^24 threads");
    enum pl_err rc = reach(map, old, "the numbers of threads", err);
    if (rc)
        return rc;
    if (!map->fresh[old])
        map->fresh[old] = ++rebatch->actor_count;
    *out = map->fresh[old] - 1;
    return PL_OK;
}

enum pl_err pl_rebatch_take_over(struct pl_rebatch *rebatch, uint32_t pages, uint32_t actors, struct pl_error *err)
{
    uint32_t same;
    for (pl_page page = 0; page < pages; page++) {
        enum pl_err rc = renumber(rebatch, 0, page, &same, err);
        if (rc)
            return rc;
    }
    for (uint32_t actor = 0; actor < actors; actor++) {
        enum pl_err rc = renumber_actor(rebatch, 0, actor, &same, err);
        if (rc)
            return rc;
    }
    return PL_OK;
}

/* --- touches -------------------------------------------------------------------------- */
static void add_times(struct pl_rebatch *rebatch, const struct pl_batch *batch, size_t from, size_t count, int64_t shift)
{
    int64_t *to = rebatch->time + rebatch->count;
    if (batch->time && !rebatch->has_times) {
        memset(rebatch->time, 0, rebatch->count * sizeof *rebatch->time);
        rebatch->has_times = true;
    }
    for (size_t i = 0; rebatch->has_times && i < count; i++)
        to[i] = batch->time ? (int64_t)((uint64_t)batch->time[from + i] + (uint64_t)shift) : rebatch->last_time;
    if (rebatch->has_times && count)
        rebatch->last_time = to[count - 1];
}

static void add_sizes(struct pl_rebatch *rebatch, const struct pl_batch *batch, size_t from, size_t count,
                      uint32_t page_size)
{
    uint32_t *to = rebatch->size + rebatch->count;
    if (batch->size && !rebatch->has_sizes) {
        for (size_t i = 0; i < rebatch->count; i++)
            rebatch->size[i] = page_size;
        rebatch->has_sizes = true;
    }
    for (size_t i = 0; rebatch->has_sizes && i < count; i++)
        to[i] = batch->size ? batch->size[from + i] : page_size;
}

enum pl_err pl_rebatch_touches(struct pl_rebatch *rebatch, size_t input, const struct pl_batch *batch, size_t from,
                               size_t to, int64_t shift, uint32_t page_size, struct pl_error *err)
{
    const size_t count = to - from;
    for (size_t i = 0; i < count; i++) {
        enum pl_err rc = renumber(rebatch, input, batch->page[from + i], &rebatch->page[rebatch->count + i], err);
        if (rc)
            return rc;
    }
    if (batch->kind)
        memcpy(rebatch->kind + rebatch->count, batch->kind + from, count);
    else
        memset(rebatch->kind + rebatch->count, PL_READ, count);
    add_times(rebatch, batch, from, count, shift);
    add_sizes(rebatch, batch, from, count, page_size);
    rebatch->count += count;
    return PL_OK;
}

/* --- control records --------------------------------------------------------------------- */
static enum pl_err append(struct pl_rebatch *rebatch, const struct pl_control *control, struct pl_error *err)
{
    void *records = rebatch->control;
    enum pl_err rc = pl_grow(&records, &rebatch->control_capacity, rebatch->control_count + 1, sizeof *rebatch->control,
                             "control records", err);
    rebatch->control = records;
    if (rc)
        return rc;
    rebatch->control[rebatch->control_count] = *control;
    rebatch->control[rebatch->control_count++].at = (uint32_t)rebatch->count;
    return PL_OK;
}

/* A range a, a + c, ... becomes as few ranges as its new numbers allow: a new one starts where the step changes. The first
 * two numbers of each set its step; new pages come in ascending order by themselves. */
static enum pl_err add_range(struct pl_rebatch *rebatch, size_t input, const struct pl_control *range, struct pl_error *err)
{
    struct pl_control part = *range;
    uint64_t last = 0;
    part.b = 0;
    for (uint64_t i = 0; i < range->b; i++) {
        pl_page page;
        enum pl_err rc = renumber(rebatch, input, (pl_page)(range->a + range->c * i), &page, err);
        if (rc)
            return rc;
        if (part.b == 1)
            part.c = page - last;
        if (part.b > 1 && page - last != part.c) {
            rc = append(rebatch, &part, err);
            if (rc)
                return rc;
            part.b = 0;
        }
        if (part.b == 0) {
            part.a = page;
            part.c = 1;
        }
        part.b++;
        last = page;
    }
    return part.b ? append(rebatch, &part, err) : PL_OK;
}

/* Pages a .. a + b - 1 become runs of new numbers. Only an allocation makes pages new; else unknown ones are left out. */
static enum pl_err add_span(struct pl_rebatch *rebatch, size_t input, const struct pl_control *span, struct pl_error *err)
{
    struct pl_control part = *span;
    const struct map *map = &rebatch->pages[input];
    uint64_t last = span->a;
    part.b = 0;
    for (uint64_t old = span->a; old < span->a + span->b; old++) {
        pl_page page;
        if (span->op != PL_OP_ALLOCATE && (old >= map->known || !map->fresh[old]))
            continue;
        enum pl_err rc = renumber(rebatch, input, (pl_page)old, &page, err);
        bool gap = span->op == PL_OP_CONTENT && old != last + 1; /* what lies in it belongs to pages that are left out */
        if (rc == PL_OK && part.b && (gap || page != part.a + part.b)) {
            rc = append(rebatch, &part, err);
            part.b = 0;
        }
        if (rc)
            return rc;
        last = old;
        if (part.b == 0) {
            part.a = page;
            if (span->op == PL_OP_CONTENT)
                part.actor = span->actor + (uint32_t)(old - span->a);
        }
        part.b++;
    }
    return part.b ? append(rebatch, &part, err) : PL_OK;
}

enum pl_err pl_rebatch_control(struct pl_rebatch *rebatch, size_t input, const struct pl_control *control, int64_t shift,
                               struct pl_error *err)
{
    struct pl_control copy = *control;
    copy.time = (int64_t)((uint64_t)copy.time + (uint64_t)shift);
    switch (copy.op) {
    case PL_OP_RANGE:
        return add_range(rebatch, input, &copy, err);
    case PL_OP_ALLOCATE:
    case PL_OP_FREE:
    case PL_OP_CONTENT:
    case PL_OP_PREFETCH:
    case PL_OP_LOCK:
        return add_span(rebatch, input, &copy, err);
    case PL_OP_SWITCH: {
        enum pl_err rc = renumber_actor(rebatch, input, copy.actor, &copy.actor, err);
        return rc ? rc : append(rebatch, &copy, err);
    }
    default:
        return append(rebatch, &copy, err);
    }
}

void pl_rebatch_take(struct pl_rebatch *rebatch, struct pl_batch *out)
{
    *out = (struct pl_batch){
        .count = rebatch->count,
        .page = rebatch->page,
        .kind = rebatch->kind,
        .time = rebatch->has_times ? rebatch->time : NULL,
        .size = rebatch->has_sizes ? rebatch->size : NULL,
        .control_count = rebatch->control_count,
        .control = rebatch->control,
        .distinct = rebatch->distinct,
    };
    rebatch->count = 0;
    rebatch->control_count = 0;
}
