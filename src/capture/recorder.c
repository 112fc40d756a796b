/* capture/recorder.c: collects touches, numbers their pages, hands batches to the native writer.
 *
 * Numbers of the present process wait undensified until the process changes, a record names pages, or the batch is
 * full; the dense numbers are then in the order of first use, as the format wants. With `last_touches` they go round a
 * ring first, and come here at the close. */
#include "capture/recorder.h"

#include "trace/densify.h"
#include "trace/native/native.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 16384, CONTROLS = 1024, TEXT_ROOM = CONTROLS * 64 };

struct actor {
    uint64_t process, thread;
    uint32_t process_index;
};

struct extent { /* pages that were allocated, by number */
    uint64_t process, first, end;
};

struct ring_entry {
    uint64_t number;
    int64_t time;
    uint32_t actor;
    uint8_t kind;
};

struct pl_recorder {
    struct pl_recorder_options options;
    unsigned page_shift;
    FILE *stream; /* ours; NULL: standard output */
    struct pl_trace_writer writer;
    struct pl_densify *densify;

    uint64_t number[BATCH];
    pl_page page[BATCH];
    uint8_t kind[BATCH];
    int64_t time[BATCH];
    size_t count, dense; /* touches collected; of them with a dense page */

    struct pl_control control[CONTROLS];
    size_t control_count;
    char text[TEXT_ROOM];
    size_t text_used;

    struct actor *actors;
    size_t actor_count, actor_capacity;
    uint64_t *processes;
    size_t process_count, process_capacity;
    uint32_t present; /* index of the actor that touches; actor_count before the first */

    struct extent *extents;
    size_t extent_count, extent_capacity;

    struct ring_entry *ring;
    uint64_t ring_seen;

    uint8_t *touched; /* by dense page */
    size_t touched_room;
    struct pl_recorder_counts counts;
    enum pl_err rc;
    struct pl_error failure;
};

/* --- opening and closing --------------------------------------------------------- */
static enum pl_err open_stream(struct pl_recorder *recorder, struct pl_error *err)
{
    const char *path = recorder->options.path;
    if (!strcmp(path, "-"))
        return pl_sink_open_stream(stdout, "standard output", &recorder->writer.sink, err);
    recorder->stream = fopen(path, "wb");
    if (!recorder->stream)
        return pl_fail_errno(err, errno, "%s", path);
    setvbuf(recorder->stream, NULL, _IONBF, 0); /* the sink's own buffer is enough */
    return pl_sink_open_stream(recorder->stream, path, &recorder->writer.sink, err);
}

static enum pl_err open_writer(struct pl_recorder *recorder, struct pl_error *err)
{
    struct pl_trace_writer *writer = &recorder->writer;
    writer->header = (struct pl_trace_header){
        .page_size = recorder->options.page_size,
        .records = recorder->options.records,
        .clock = recorder->options.times ? PL_CLOCK_PICOSECONDS : PL_CLOCK_NONE,
        .source = recorder->options.source,
    };
    writer->pack = !recorder->options.plain;
    writer->arena = pl_arena_create();
    if (!writer->arena)
        return pl_fail_memory(err, 0, "the recorder");
    enum pl_err rc = open_stream(recorder, err);
    if (rc == PL_OK)
        rc = pl_native_write_open(writer, err);
    if (rc == PL_OK)
        rc = pl_densify_create(0, &recorder->densify, err);
    if (rc == PL_OK && recorder->options.last_touches) {
        recorder->ring = calloc(recorder->options.last_touches, sizeof *recorder->ring);
        if (!recorder->ring)
            rc = pl_fail_memory(err, recorder->options.last_touches * sizeof *recorder->ring, "the ring of touches");
    }
    return rc;
}

static void destroy(struct pl_recorder *recorder)
{
    pl_sink_abandon(recorder->writer.sink);
    if (recorder->stream)
        fclose(recorder->stream);
    pl_arena_destroy(recorder->writer.arena);
    pl_densify_destroy(recorder->densify);
    free(recorder->actors);
    free(recorder->processes);
    free(recorder->extents);
    free(recorder->ring);
    free(recorder->touched);
    free(recorder);
}

enum pl_err pl_recorder_open(const struct pl_recorder_options *options, struct pl_recorder **out, struct pl_error *err)
{
    struct pl_recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder)
        return pl_fail_memory(err, sizeof *recorder, "the recorder");
    recorder->options = *options;
    while ((uint32_t)1 << recorder->page_shift < options->page_size)
        recorder->page_shift++;
    enum pl_err rc = open_writer(recorder, err);
    if (rc) {
        destroy(recorder);
        return rc;
    }
    *out = recorder;
    return PL_OK;
}

static bool keep(struct pl_recorder *recorder, enum pl_err rc)
{
    if (rc && !recorder->rc)
        recorder->rc = rc;
    return rc == PL_OK;
}

/* --- batches to the writer --------------------------------------------------------- */
static struct pl_page_origin origin_of(void *user, pl_page page)
{
    const struct pl_recorder *recorder = user;
    uint32_t process;
    uint64_t number;
    pl_densify_origin(recorder->densify, page, &process, &number);
    return (struct pl_page_origin){recorder->processes[process], number};
}

/* Touches from .. to - 1 of the batch have their dense numbers: which pages are new among the touched? */
static enum pl_err note_touched(struct pl_recorder *recorder, size_t from, size_t to)
{
    const uint64_t pages = pl_densify_count(recorder->densify);
    const size_t before = recorder->touched_room;
    void *touched = recorder->touched;
    enum pl_err rc = pl_grow(&touched, &recorder->touched_room, pages, 1, "touched pages", &recorder->failure);
    recorder->touched = touched;
    if (rc)
        return rc;
    memset(recorder->touched + before, 0, recorder->touched_room - before);
    for (size_t i = from; i < to; i++) {
        recorder->counts.touched += !recorder->touched[recorder->page[i]];
        recorder->touched[recorder->page[i]] = 1;
    }
    return PL_OK;
}

/* Numbers what waits for it. */
static bool densify_pending(struct pl_recorder *recorder)
{
    if (recorder->rc)
        return false;
    if (recorder->dense == recorder->count)
        return true;
    uint32_t process = recorder->actors[recorder->present].process_index;
    enum pl_err rc = pl_densify_batch(recorder->densify, process, recorder->number + recorder->dense,
                                      recorder->count - recorder->dense, recorder->page + recorder->dense,
                                      &recorder->failure);
    const size_t from = recorder->dense;
    recorder->dense = recorder->count;
    return keep(recorder, rc) && keep(recorder, note_touched(recorder, from, recorder->count));
}

static bool write_batch(struct pl_recorder *recorder)
{
    if (!densify_pending(recorder))
        return false;
    struct pl_batch batch = {
        .count = recorder->count,
        .page = recorder->page,
        .kind = recorder->kind,
        .time = recorder->options.times ? recorder->time : NULL,
        .control_count = recorder->control_count,
        .control = recorder->control,
        .distinct = pl_densify_count(recorder->densify),
    };
    recorder->count = recorder->dense = recorder->control_count = recorder->text_used = 0;
    return keep(recorder, pl_native_write(&recorder->writer, &batch, origin_of, recorder, &recorder->failure));
}

/* Room for so many control records in this batch: once pages have their numbers, the records that introduce them must
 * stand in the same batch. */
static bool make_room(struct pl_recorder *recorder, size_t controls, size_t text)
{
    if (recorder->control_count + controls > CONTROLS || recorder->text_used + text > TEXT_ROOM)
        return write_batch(recorder);
    return !recorder->rc;
}

/* A control record before the next touch; NULL when recording has failed. `text` is copied. */
static struct pl_control *add_control(struct pl_recorder *recorder, enum pl_op op, pl_time_ps time, const char *text)
{
    size_t length = text ? strnlen(text, TEXT_ROOM / 2) + 1 : 0;
    if (!make_room(recorder, 1, length))
        return NULL;
    struct pl_control *control = &recorder->control[recorder->control_count++];
    *control = (struct pl_control){.at = (uint32_t)recorder->count, .op = (uint16_t)op, .time = time};
    if (text) {
        char *copy = recorder->text + recorder->text_used;
        memcpy(copy, text, length - 1);
        copy[length - 1] = '\0';
        control->text = copy;
        recorder->text_used += length;
    }
    return control;
}

/* --- who touches -------------------------------------------------------------------- */
static uint32_t find_process(struct pl_recorder *recorder, uint64_t process)
{
    for (size_t i = 0; i < recorder->process_count; i++)
        if (recorder->processes[i] == process)
            return (uint32_t)i;
    if (!keep(recorder, pl_grow((void **)&recorder->processes, &recorder->process_capacity, recorder->process_count + 1,
                                sizeof *recorder->processes, "processes", &recorder->failure)))
        return 0;
    recorder->processes[recorder->process_count] = process;
    return (uint32_t)recorder->process_count++;
}

static void switch_to(struct pl_recorder *recorder, uint32_t index, const char *name)
{
    bool pending = recorder->dense < recorder->count;
    if (pending && recorder->actors[index].process_index != recorder->actors[recorder->present].process_index)
        densify_pending(recorder);
    struct pl_control *control = add_control(recorder, PL_OP_SWITCH, 0, name);
    if (!control)
        return;
    recorder->present = index;
    control->actor = index;
    control->a = recorder->actors[index].process;
    control->b = recorder->actors[index].thread;
    control->time = recorder->count ? recorder->time[recorder->count - 1] : 0;
}

static uint32_t find_actor(struct pl_recorder *recorder, uint64_t process, uint64_t thread)
{
    for (size_t i = 0; i < recorder->actor_count; i++)
        if (recorder->actors[i].process == process && recorder->actors[i].thread == thread)
            return (uint32_t)i;
    if (!keep(recorder, pl_grow((void **)&recorder->actors, &recorder->actor_capacity, recorder->actor_count + 1,
                                sizeof *recorder->actors, "threads", &recorder->failure)))
        return 0;
    recorder->actors[recorder->actor_count] = (struct actor){process, thread, find_process(recorder, process)};
    return (uint32_t)recorder->actor_count++;
}

void pl_recorder_actor(struct pl_recorder *recorder, uint64_t process, uint64_t thread, const char *name)
{
    if (recorder->rc)
        return;
    if (recorder->actor_count) {
        const struct actor *present = &recorder->actors[recorder->present];
        if (present->process == process && present->thread == thread)
            return;
    }
    bool first = recorder->actor_count == 0;
    uint32_t index = find_actor(recorder, process, thread);
    if (recorder->rc)
        return;
    if (recorder->ring && !first)
        recorder->present = index; /* written when the ring is */
    else
        switch_to(recorder, index, name);
}

/* --- touches ------------------------------------------------------------------------- */
static void put(struct pl_recorder *recorder, enum pl_kind kind, uint64_t number, int64_t time)
{
    recorder->number[recorder->count] = number;
    recorder->kind[recorder->count] = (uint8_t)kind;
    recorder->time[recorder->count] = time;
    if (++recorder->count == BATCH)
        write_batch(recorder);
}

static void put_in_ring(struct pl_recorder *recorder, enum pl_kind kind, uint64_t number, int64_t time)
{
    recorder->ring[recorder->ring_seen++ % recorder->options.last_touches] =
        (struct ring_entry){number, time, recorder->present, (uint8_t)kind};
}

void pl_recorder_touch(struct pl_recorder *recorder, enum pl_kind kind, uint64_t address, uint64_t bytes,
                       pl_time_ps time)
{
    if (recorder->rc)
        return;
    if (!recorder->actor_count)
        pl_recorder_actor(recorder, 0, 0, NULL);
    uint64_t first = address >> recorder->page_shift,
             last = (address + (bytes ? bytes - 1 : 0)) >> recorder->page_shift;
    for (uint64_t number = first; number <= last && !recorder->rc; number++) {
        if (recorder->ring)
            put_in_ring(recorder, kind, number, time);
        else
            put(recorder, kind, number, time);
        recorder->counts.touches++;
        recorder->counts.reads += kind == PL_READ;
        recorder->counts.writes += kind == PL_WRITE;
    }
}

/* What the ring holds, oldest first; what it let go of is told as lost. */
static void empty_ring(struct pl_recorder *recorder)
{
    struct ring_entry *ring = recorder->ring;
    uint64_t room = recorder->options.last_touches, seen = recorder->ring_seen, first = seen > room ? seen - room : 0;
    recorder->ring = NULL;
    if (first)
        pl_recorder_lost(recorder, first, ring[first % room].time);
    for (uint64_t i = first; i < seen && !recorder->rc; i++) {
        const struct ring_entry *entry = &ring[i % room];
        if (i == first || entry->actor != recorder->present)
            switch_to(recorder, entry->actor, NULL);
        put(recorder, (enum pl_kind)entry->kind, entry->number, entry->time);
    }
    free(ring);
}

/* --- records --------------------------------------------------------------------------- */
void pl_recorder_process(struct pl_recorder *recorder, enum pl_op op, uint64_t process, const char *name,
                         pl_time_ps time)
{
    struct pl_control *control = recorder->ring ? NULL : add_control(recorder, op, time, name);
    if (control)
        control->a = process;
}

void pl_recorder_phase(struct pl_recorder *recorder, const char *name, pl_time_ps time)
{
    if (!recorder->ring)
        add_control(recorder, PL_OP_PHASE, time, name);
}

void pl_recorder_lost(struct pl_recorder *recorder, uint64_t records, pl_time_ps time)
{
    if (!records)
        return;
    recorder->counts.lost += records;
    struct pl_control *control = recorder->ring ? NULL : add_control(recorder, PL_OP_LOST, time, NULL);
    if (control)
        control->a = records;
}

/* One control record over pages first .. end - 1 of the present process for each run of dense numbers. */
static void over_pages(struct pl_recorder *recorder, enum pl_op op, unsigned flags, uint64_t first, uint64_t end,
                       pl_time_ps time)
{
    uint64_t number[256];
    pl_page page[256];
    while (first < end && make_room(recorder, PL_COUNT_OF(number), 0) && densify_pending(recorder)) {
        size_t count = 0;
        for (; count < PL_COUNT_OF(number) && first < end; first++)
            number[count++] = first;
        uint32_t process = recorder->actors[recorder->present].process_index;
        if (!keep(recorder, pl_densify_batch(recorder->densify, process, number, count, page, &recorder->failure)))
            return;
        for (size_t i = 0, run; i < count; i += run) {
            for (run = 1; i + run < count && page[i + run] == page[i] + run; run++)
                ;
            struct pl_control *control = add_control(recorder, op, time, NULL);
            if (!control)
                return;
            control->flags = (uint8_t)flags;
            control->a = page[i];
            control->b = run;
        }
    }
}

void pl_recorder_allocate(struct pl_recorder *recorder, uint64_t address, uint64_t bytes, unsigned flags,
                          pl_time_ps time)
{
    if (recorder->ring || recorder->rc || !recorder->actor_count || !bytes)
        return;
    uint64_t first = address >> recorder->page_shift, end = ((address + bytes - 1) >> recorder->page_shift) + 1;
    if (!keep(recorder, pl_grow((void **)&recorder->extents, &recorder->extent_capacity, recorder->extent_count + 1,
                                sizeof *recorder->extents, "allocations", &recorder->failure)))
        return;
    uint64_t process = recorder->actors[recorder->present].process;
    recorder->extents[recorder->extent_count++] = (struct extent){process, first, end};
    over_pages(recorder, PL_OP_ALLOCATE, flags, first, end, time);
}

/* Frees what a remembered allocation and the range have in common; an allocation cut in two leaves its upper part. */
void pl_recorder_free(struct pl_recorder *recorder, uint64_t address, uint64_t bytes, pl_time_ps time)
{
    if (recorder->ring || recorder->rc || !recorder->actor_count || !bytes)
        return;
    uint64_t first = address >> recorder->page_shift, end = ((address + bytes - 1) >> recorder->page_shift) + 1;
    uint64_t process = recorder->actors[recorder->present].process;
    for (size_t i = 0; i < recorder->extent_count; i++) {
        struct extent *extent = &recorder->extents[i];
        uint64_t from = extent->first > first ? extent->first : first, to = extent->end < end ? extent->end : end;
        if (extent->process != process || from >= to)
            continue;
        over_pages(recorder, PL_OP_FREE, 0, from, to, time);
        if (from > extent->first && to < extent->end)
            pl_grow((void **)&recorder->extents, &recorder->extent_capacity, recorder->extent_count + 1,
                    sizeof *extent, "allocations", NULL);
        extent = &recorder->extents[i];
        if (from > extent->first && to < extent->end && recorder->extent_count < recorder->extent_capacity)
            recorder->extents[recorder->extent_count++] = (struct extent){process, to, extent->end};
        if (from > extent->first)
            extent->end = from;
        else
            extent->first = to;
    }
}

void pl_recorder_content(struct pl_recorder *recorder, uint64_t address, uint64_t hash, const char *sizes,
                         pl_time_ps time)
{
    if (recorder->ring || !recorder->actor_count || !make_room(recorder, CONTROLS / 2, 128) || !densify_pending(recorder))
        return;
    uint64_t number = address >> recorder->page_shift;
    pl_page page;
    uint64_t known = pl_densify_count(recorder->densify);
    uint32_t process = recorder->actors[recorder->present].process_index;
    if (!keep(recorder, pl_densify_batch(recorder->densify, process, &number, 1, &page, &recorder->failure)))
        return;
    if (page >= known) /* nobody has touched it: it must be said to be there first */
        over_pages(recorder, PL_OP_ALLOCATE, 1, number, number + 1, time);
    char text[128];
    snprintf(text, sizeof text, "hash%s%s", *sizes ? " " : "", sizes);
    struct pl_control *control = add_control(recorder, PL_OP_CONTENT, time, text);
    if (control) {
        control->a = page;
        control->b = 1;
        control->c = hash;
    }
}

void pl_recorder_page(const struct pl_recorder *recorder, uint64_t index, uint64_t *process, uint64_t *address)
{
    struct pl_page_origin origin = origin_of((void *)(uintptr_t)recorder, (pl_page)index);
    *process = origin.process;
    *address = origin.number << recorder->page_shift;
}

/* --- state ------------------------------------------------------------------------------- */
bool pl_recorder_full(const struct pl_recorder *recorder)
{
    const struct pl_recorder_options *options = &recorder->options;
    return recorder->rc || (options->max_touches && recorder->counts.touches >= options->max_touches) ||
           (options->max_bytes && pl_sink_bytes(recorder->writer.sink) >= options->max_bytes);
}

void pl_recorder_flush(struct pl_recorder *recorder)
{
    if (!recorder->ring && write_batch(recorder))
        keep(recorder, pl_native_write_flush(&recorder->writer, &recorder->failure));
}

struct pl_recorder_counts pl_recorder_counts(const struct pl_recorder *recorder)
{
    struct pl_recorder_counts counts = recorder->counts;
    counts.pages = pl_densify_count(recorder->densify);
    counts.bytes = recorder->writer.sink ? pl_sink_bytes(recorder->writer.sink) : 0;
    return counts;
}

enum pl_err pl_recorder_close(struct pl_recorder *recorder, struct pl_recorder_counts *counts, struct pl_error *err)
{
    if (!recorder)
        return PL_OK;
    if (recorder->ring)
        empty_ring(recorder);
    if (write_batch(recorder))
        keep(recorder, pl_native_write_close(&recorder->writer, &recorder->failure));
    if (counts)
        *counts = pl_recorder_counts(recorder);
    if (!recorder->rc) {
        keep(recorder, pl_sink_close(recorder->writer.sink, &recorder->failure));
        recorder->writer.sink = NULL;
    }
    enum pl_err rc = recorder->rc;
    if (rc && err)
        *err = recorder->failure;
    destroy(recorder);
    return rc;
}

void pl_recorder_abandon(struct pl_recorder *recorder)
{
    if (!recorder)
        return;
    bool nothing = recorder->counts.touches == 0 && recorder->stream;
    char *path = nothing ? strdup(recorder->options.path) : NULL;
    destroy(recorder);
    if (path)
        remove(path);
    free(path);
}
