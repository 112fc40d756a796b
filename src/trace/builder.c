/* trace/builder.c: from a format's records to batches of dense pages. */
#include "trace/builder.h"

#include <stdlib.h>
#include <string.h>

/* (process, thread) pairs in the order of first use, found by open addressing; and the processes among them. */
struct actor {
    uint64_t process_id, thread_id;
    uint32_t process; /* index */
};

struct pl_builder_actor_table {
    struct actor *actor;
    size_t count, capacity;
    uint32_t *slot; /* actor + 1 */
    size_t slots;
    uint64_t *process_id; /* by index */
    size_t processes, process_capacity;
};

/* --- actors --------------------------------------------------------------------- */

static size_t actor_slot(const struct pl_builder_actor_table *table, uint64_t process, uint64_t thread)
{
    size_t mask = table->slots - 1;
    size_t at = pl_mix64(process * UINT64_C(0x9e3779b97f4a7c15) + thread) & mask;
    for (uint32_t stored; (stored = table->slot[at]) != 0; at = (at + 1) & mask)
        if (table->actor[stored - 1].process_id == process && table->actor[stored - 1].thread_id == thread)
            break;
    return at;
}

static enum pl_err grow_actors(struct pl_builder_actor_table *table, struct pl_error *err)
{
    void *actors = table->actor;
    enum pl_err rc = pl_grow(&actors, &table->capacity, table->count + 1, sizeof *table->actor, "processes", err);
    table->actor = actors;
    if (rc || table->count * 2 < table->slots)
        return rc;
    size_t slots = table->slots ? table->slots * 2 : 64;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return pl_fail_memory(err, slots * sizeof *slot, "processes");
    free(table->slot);
    table->slot = slot;
    table->slots = slots;
    for (size_t i = 0; i < table->count; i++)
        slot[actor_slot(table, table->actor[i].process_id, table->actor[i].thread_id)] = (uint32_t)i + 1;
    return PL_OK;
}

/* Processes are few beside threads, and this runs once for each thread. */
static enum pl_err find_process(struct pl_builder_actor_table *table, uint64_t id, uint32_t *out, struct pl_error *err)
{
    for (size_t i = table->processes; i-- > 0;)
        if (table->process_id[i] == id) {
            *out = (uint32_t)i;
            return PL_OK;
        }
    void *ids = table->process_id;
    enum pl_err rc =
        pl_grow(&ids, &table->process_capacity, table->processes + 1, sizeof *table->process_id, "processes", err);
    table->process_id = ids;
    if (rc)
        return rc;
    *out = (uint32_t)table->processes;
    table->process_id[table->processes++] = id;
    return PL_OK;
}

static enum pl_err find_actor(struct pl_builder *builder, uint64_t process, uint64_t thread, uint32_t *out,
                              struct pl_error *err)
{
    struct pl_builder_actor_table *table = builder->actors;
    if (table->slots) {
        uint32_t stored = table->slot[actor_slot(table, process, thread)];
        if (stored) {
            *out = stored - 1;
            return PL_OK;
        }
    }
    uint32_t process_index;
    enum pl_err rc = grow_actors(table, err);
    if (rc == PL_OK)
        rc = find_process(table, process, &process_index, err);
    if (rc)
        return rc;
    table->actor[table->count] = (struct actor){process, thread, process_index};
    table->slot[actor_slot(table, process, thread)] = (uint32_t)table->count + 1;
    *out = (uint32_t)table->count++;
    builder->info->threads = table->count;
    builder->info->processes = table->processes;
    return PL_OK;
}

static bool same_actor(const struct pl_builder *builder, uint64_t process, uint64_t thread)
{
    if (builder->actor == UINT32_MAX)
        return false;
    const struct actor *now = &builder->actors->actor[builder->actor];
    return now->process_id == process && now->thread_id == thread;
}

static struct pl_control *add_control(struct pl_builder *builder, enum pl_op op)
{
    struct pl_control *control = &builder->control[builder->control_count++];
    *control = (struct pl_control){.at = (uint32_t)builder->count, .op = (uint16_t)op};
    if (builder->time)
        control->time = builder->now;
    return control;
}

void pl_builder_actor(struct pl_builder *builder, uint64_t process, uint64_t thread, const char *name)
{
    uint32_t actor;
    if (same_actor(builder, process, thread) || builder->failed)
        return;
    builder->failed = find_actor(builder, process, thread, &actor, &builder->failure);
    if (builder->failed)
        return;
    struct pl_control *control = add_control(builder, PL_OP_SWITCH);
    control->actor = builder->actor = actor;
    control->a = process;
    control->b = thread;
    control->text = name;
}

void pl_builder_lost(struct pl_builder *builder, uint64_t records)
{
    add_control(builder, PL_OP_LOST)->a = records;
    builder->info->lost += records;
}

void pl_builder_process(struct pl_builder *builder, enum pl_op op, uint64_t process, const char *name)
{
    struct pl_control *control = add_control(builder, op);
    control->a = process;
    control->text = name;
}

/* --- touches ---------------------------------------------------------------------- */

void pl_builder_at(struct pl_builder *builder, int64_t time)
{
    struct pl_trace_info *info = builder->info;
    if (!builder->started) {
        info->first_time = info->last_time = time;
        builder->started = true;
    } else if (time < builder->now) {
        info->backward_times++;
    }
    if (time > info->last_time)
        info->last_time = time;
    builder->now = time;
}

void pl_builder_object(struct pl_builder *builder, enum pl_kind kind, uint64_t object, uint64_t bytes)
{
    builder->size[builder->count] = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
    pl_builder_touch(builder, kind, object);
}

static void put_down(struct pl_builder *builder, enum pl_kind kind, uint64_t first, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        pl_builder_touch(builder, kind, first + i);
}

void pl_builder_pages(struct pl_builder *builder, enum pl_kind kind, uint64_t first, uint64_t last)
{
    if (kind == PL_EXECUTE && builder->ignore_execute) {
        builder->executes_dropped++;
        return;
    }
    if (last - first < PL_BUILDER_SPAN_MAX && !builder->span_count) {
        put_down(builder, kind, first, last - first + 1);
        return;
    }
    if (builder->span_count < PL_COUNT_OF(builder->span))
        builder->span[builder->span_count++] = (struct pl_builder_span){first, last, (uint8_t)kind};
}

/* Puts down of the queued spans what the batch still takes. */
static void drain_spans(struct pl_builder *builder)
{
    size_t done = 0;
    while (done < builder->span_count && builder->count < PL_BUILDER_ROOM) {
        struct pl_builder_span *span = &builder->span[done];
        uint64_t left = span->last - span->next; /* less one, so that it cannot wrap */
        uint64_t room = PL_BUILDER_ROOM - builder->count;
        if (left < room) {
            put_down(builder, span->kind, span->next, left + 1);
            done++;
        } else {
            put_down(builder, span->kind, span->next, room);
            span->next += room;
        }
    }
    builder->span_count -= done;
    memmove(builder->span, builder->span + done, builder->span_count * sizeof *builder->span);
}

/* --- batches ------------------------------------------------------------------------- */

static enum pl_err allocate(struct pl_builder *builder, struct pl_builder_columns columns, struct pl_error *err)
{
    size_t room = PL_BUILDER_ROOM;
    builder->number = malloc(room * sizeof *builder->number);
    builder->page = malloc(room * sizeof *builder->page);
    builder->control = malloc((PL_BUILDER_BATCH + 8) * sizeof *builder->control);
    builder->actors = calloc(1, sizeof *builder->actors);
    if (columns.kind)
        builder->kind = malloc(room * sizeof *builder->kind);
    if (columns.time)
        builder->time = malloc(room * sizeof *builder->time);
    if (columns.size)
        builder->size = malloc(room * sizeof *builder->size);
    if (!builder->number || !builder->page || !builder->control || !builder->actors || (columns.kind && !builder->kind) ||
        (columns.time && !builder->time) || (columns.size && !builder->size))
        return pl_fail_memory(err, room * sizeof *builder->number, "a batch");
    return pl_densify_create(0, &builder->densify, err);
}

enum pl_err pl_builder_create(struct pl_reader *reader, struct pl_builder_columns columns, struct pl_builder **out,
                              struct pl_error *err)
{
    struct pl_builder *builder = calloc(1, sizeof *builder);
    if (!builder)
        return pl_fail_memory(err, sizeof *builder, "a batch");
    builder->reader = reader;
    builder->info = &reader->info;
    builder->actor = UINT32_MAX;
    if (!reader->info.page_size)
        reader->info.page_size = reader->options.page_size ? reader->options.page_size : 4096;
    builder->page_size = reader->info.page_size;
    builder->page_shift = (unsigned)__builtin_ctzll(builder->page_size);
    builder->ignore_execute = reader->options.ignore_execute;
    enum pl_err rc = allocate(builder, columns, err);
    if (rc) {
        pl_builder_destroy(builder);
        return rc;
    }
    *out = builder;
    return PL_OK;
}

void pl_builder_destroy(struct pl_builder *builder)
{
    if (!builder)
        return;
    if (builder->actors) {
        free(builder->actors->actor);
        free(builder->actors->slot);
        free(builder->actors->process_id);
        free(builder->actors);
    }
    pl_densify_destroy(builder->densify);
    free(builder->number);
    free(builder->page);
    free(builder->control);
    free(builder->kind);
    free(builder->time);
    free(builder->size);
    free(builder);
}

/* A batch falls into segments of one process each. */
static enum pl_err make_dense(struct pl_builder *builder, struct pl_error *err)
{
    size_t from = 0;
    enum pl_err rc = PL_OK;
    for (size_t i = 0; i <= builder->control_count && rc == PL_OK; i++) {
        bool last = i == builder->control_count;
        if (!last && builder->control[i].op != PL_OP_SWITCH)
            continue;
        size_t to = last ? builder->count : builder->control[i].at;
        rc = pl_densify_batch(builder->densify, builder->process, builder->number + from, to - from,
                              builder->page + from, err);
        from = to;
        if (!last)
            builder->process = builder->actors->actor[builder->control[i].actor].process;
    }
    return rc == PL_ERR_INPUT ? pl_fail_prefix(err, "%s", builder->info->path) : rc;
}

static void count_kinds(struct pl_builder *builder)
{
    struct pl_trace_info *info = builder->info;
    size_t writes = 0, executes = 0;
    for (size_t i = 0; builder->kind && i < builder->count; i++) {
        writes += builder->kind[i] == PL_WRITE;
        executes += builder->kind[i] == PL_EXECUTE;
    }
    info->touches += builder->count;
    info->writes += writes;
    info->executes += executes;
    info->reads += builder->count - writes - executes;
    if (builder->executes_dropped)
        pl_reader_skip(builder->reader, "instruction fetches, as told", builder->executes_dropped, 0);
    builder->executes_dropped = 0;
}

enum pl_err pl_builder_finish(struct pl_builder *builder, struct pl_batch *out, struct pl_error *err)
{
    if (builder->failed) {
        if (err)
            *err = builder->failure;
        return builder->failed;
    }
    drain_spans(builder);
    enum pl_err rc = make_dense(builder, err);
    if (rc)
        return rc;
    count_kinds(builder);
    builder->info->distinct = pl_densify_count(builder->densify);
    bool empty = !builder->count && !builder->control_count;
    *out = (struct pl_batch){.count = builder->count, .page = builder->page, .kind = builder->kind,
                             .time = builder->time, .size = builder->size, .control_count = builder->control_count,
                             .control = builder->control, .distinct = builder->info->distinct};
    builder->count = 0;
    builder->control_count = 0;
    return empty && !builder->span_count ? PL_END : PL_OK;
}

struct pl_page_origin pl_builder_origin(const struct pl_builder *builder, pl_page page)
{
    uint32_t process;
    struct pl_page_origin origin;
    pl_densify_origin(builder->densify, page, &process, &origin.number);
    origin.process = builder->actors->processes ? builder->actors->process_id[process] : 0;
    return origin;
}
