/* trace/native/native_write.c: the writer of the native file.
 *
 * Batches of any size are collected into blocks of 65,536 touches; a batch that is just one block is coded where it lies. The
 * dictionary runs of new pages go out before the touch block that uses them. Nothing is written twice and
 * nothing is sought, so that the file can go through a pipe; the index waits in memory, 32 bytes a block, until the end.
 *
 * All memory comes from the writer's arena: an abandoned writer needs no cleaning up. */
#include "config.h"

#include "trace/native/native.h"

enum { INDEX_CHUNK = 4096 };

struct index_chunk {
    struct index_chunk *next;
    size_t count;
    struct pl_native_entry entries[INDEX_CHUNK];
};

/* The columns of a block about to be written. */
struct columns {
    const pl_page *page;
    const uint8_t *kind;
    const int64_t *time;
    const uint32_t *size;
    size_t count;
};

struct native_writer {
    struct pl_native_coder *coder; /* NULL: blocks are stored plainly */
    const struct pl_native_kernels *kernels;
    uint64_t offset; /* in the file, of the next block */
    uint32_t blocks; /* all of them */
    uint64_t written_touches;
    uint32_t distinct, distinct_written; /* with and without the block being collected */
    int64_t last_time;

    pl_page *page; /* the block being collected */
    uint8_t *kind;
    int64_t *time;
    uint32_t *size;
    size_t count;
    bool has_times, has_sizes;

    uint8_t *section; /* its control records */
    size_t section_bytes;
    uint32_t controls, control_at;
    int64_t control_time, first_control_time;

    struct pl_control present; /* the last switch; op 0 before the first */
    char *present_text;

    struct pl_native_run *runs; /* pages that no page block names yet */
    size_t run_count;
    uint32_t run_start, run_end;

    uint8_t *payload;
    struct index_chunk *first_chunk, *last_chunk;
};

enum { PAYLOAD_ROOM = 3 * PL_NATIVE_COLUMN_ROOM + PL_BATCH_MAX + PL_NATIVE_SECTION_MAX };

/* --- the file header ------------------------------------------------------------- */
static void put_json(struct pl_sink *sink, const struct pl_trace_header *header)
{
    static const char *const time_units[] = {NULL, "ps", "instructions"};
    struct pl_json_writer json;
    pl_json_start(&json, sink);
    pl_json_object(&json);
    pl_json_key(&json, "page_size");
    pl_json_u64(&json, header->page_size);
    pl_json_key(&json, "records");
    pl_json_text(&json, pl_native_records_names[header->records]);
    pl_json_key(&json, "clock");
    pl_json_text(&json, pl_native_clock_names[header->clock]);
    pl_json_key(&json, "units");
    pl_json_object(&json);
    pl_json_key(&json, "time");
    if (time_units[header->clock])
        pl_json_text(&json, time_units[header->clock]);
    else
        pl_json_null(&json);
    pl_json_key(&json, "size");
    pl_json_text(&json, "bytes");
    pl_json_close(&json, '}');
    pl_json_key(&json, "source");
    if (header->source)
        pl_json_text(&json, header->source);
    else
        pl_json_null(&json);
    pl_json_key(&json, "lost");
    pl_json_u64(&json, header->lost);
    pl_json_key(&json, "writer");
    pl_json_text(&json, PACKAGE_STRING);
    pl_json_close(&json, '}');
}

static enum pl_err write_header(struct pl_trace_writer *writer, struct pl_error *err)
{
    static const uint8_t zeros[PL_NATIVE_ALIGN];
    struct native_writer *self = writer->self;
    struct pl_sink *memory;
    enum pl_err rc = pl_sink_open_memory(&memory, err);
    if (rc)
        return rc;
    put_json(memory, &writer->header);
    size_t length;
    const char *text = pl_sink_memory(memory, &length);
    if (!text || pl_sink_failed(memory)) {
        rc = pl_fail_memory(err, PL_NATIVE_JSON_MAX, "the header of the trace");
    } else if (length > PL_NATIVE_JSON_MAX) {
        rc = pl_fail(err, PL_ERR_USAGE, "the trace's source is too long for its header (%zu bytes)", length);
    } else {
        uint8_t bytes[PL_NATIVE_FILE_HEADER] = {0};
        memcpy(bytes, pl_native_magic, 8);
        bytes[8] = PL_NATIVE_VERSION;
        pl_native_put32(bytes + 12, (uint32_t)length);
        pl_native_put64(bytes + 16, pl_xxh64(text, length, pl_xxh64(bytes, 16, 0)));
        pl_sink_write(writer->sink, bytes, sizeof bytes);
        pl_sink_write(writer->sink, text, length);
        self->offset = pl_native_pad(sizeof bytes + length, PL_NATIVE_ALIGN);
        pl_sink_write(writer->sink, zeros, self->offset - sizeof bytes - length);
    }
    pl_sink_abandon(memory);
    return rc;
}

static bool allocate(struct native_writer *self, struct pl_arena *arena, bool pack)
{
    if (pack && !(self->coder = pl_native_coder_create(arena)))
        return false;
    self->kernels = pl_native_kernels(false);
    self->page = pl_arena_alloc(arena, PL_BATCH_MAX, sizeof *self->page);
    self->kind = pl_arena_alloc(arena, PL_BATCH_MAX, 1);
    self->time = pl_arena_alloc(arena, PL_BATCH_MAX, sizeof *self->time);
    self->size = pl_arena_alloc(arena, PL_BATCH_MAX, sizeof *self->size);
    self->section = pl_arena_alloc(arena, PL_NATIVE_SECTION_MAX, 1);
    self->present_text = pl_arena_alloc(arena, PL_NATIVE_TEXT_MAX + 1, 1);
    self->runs = pl_arena_alloc(arena, PL_NATIVE_RUNS_MAX, sizeof *self->runs);
    self->payload = pl_arena_alloc(arena, PAYLOAD_ROOM, 1);
    return self->page && self->kind && self->time && self->size && self->section && self->present_text && self->runs &&
           self->payload;
}

enum pl_err pl_native_write_open(struct pl_trace_writer *writer, struct pl_error *err)
{
    struct native_writer *self = pl_arena_alloc(writer->arena, 1, sizeof *self);
    if (!self || !allocate(self, writer->arena, writer->pack))
        return pl_fail_memory(err, PAYLOAD_ROOM, "writing the trace");
    writer->self = self;
    return write_header(writer, err);
}

/* --- blocks ------------------------------------------------------------------------ */
static enum pl_err remember(struct pl_trace_writer *writer, const struct pl_native_block *block, struct pl_error *err)
{
    struct native_writer *self = writer->self;
    struct index_chunk *chunk = self->last_chunk;
    if (!chunk || chunk->count == INDEX_CHUNK) {
        chunk = pl_arena_alloc(writer->arena, 1, sizeof *chunk);
        if (!chunk)
            return pl_fail_memory(err, sizeof *chunk, "the index of the trace");
        if (self->last_chunk)
            self->last_chunk->next = chunk;
        else
            self->first_chunk = chunk;
        self->last_chunk = chunk;
    }
    chunk->entries[chunk->count++] = (struct pl_native_entry){
        .offset = self->offset,
        .first_touch = block->first_touch,
        .first_time = block->first_time,
        .distinct_before = block->distinct_before,
        .type = block->type,
    };
    return PL_OK;
}

/* Writes header, payload (self->payload, block->stored bytes) and padding. */
static enum pl_err write_block(struct pl_trace_writer *writer, struct pl_native_block *block, struct pl_error *err)
{
    static const uint8_t zeros[PL_NATIVE_ALIGN];
    struct native_writer *self = writer->self;
    block->number = self->blocks++;
    block->payload_hash = pl_xxh64(self->payload, block->stored, 0);
    uint8_t header[PL_NATIVE_BLOCK_HEADER];
    pl_native_block_put(block, header);
    const size_t padded = pl_native_pad(block->stored, PL_NATIVE_ALIGN);
    pl_sink_write(writer->sink, header, sizeof header);
    pl_sink_write(writer->sink, self->payload, block->stored);
    pl_sink_write(writer->sink, zeros, padded - block->stored);
    self->offset += sizeof header + padded;
    if (!pl_sink_failed(writer->sink))
        return PL_OK;
    /* Only a closed sink says what went wrong; nobody needs it any more. */
    enum pl_err rc = pl_sink_close(writer->sink, err);
    writer->sink = NULL;
    return rc;
}

static enum pl_err write_pages(struct pl_trace_writer *writer, struct pl_error *err)
{
    struct native_writer *self = writer->self;
    if (self->run_count == 0)
        return PL_OK;
    size_t bytes = (size_t)(pl_native_put_runs(self->payload, self->runs, self->run_count, self->run_end) - self->payload);
    struct pl_native_block block = {
        .type = PL_NATIVE_PAGES,
        .count = (uint32_t)self->run_count,
        .first_touch = self->written_touches,
        .distinct_before = self->run_start,
        .distinct_after = self->run_end,
        .stored = (uint32_t)bytes,
        .raw = (uint32_t)bytes,
    };
    self->run_count = 0;
    self->run_start = self->run_end;
    enum pl_err rc = remember(writer, &block, err);
    return rc ? rc : write_block(writer, &block, err);
}

static uint8_t *put_zeros_to_8(uint8_t *to, const uint8_t *start)
{
    while ((to - start) % 8 != 0)
        *to++ = 0;
    return to;
}

static uint8_t *put_plain(const struct columns *columns, unsigned present, uint8_t *start)
{
    uint8_t *to = start;
    pl_native_copy_put32(to, columns->page, columns->count);
    to = put_zeros_to_8(to + 4 * columns->count, start);
    if (present & PL_NATIVE_HAS_TIMES) {
        pl_native_copy_put64(to, (const uint64_t *)columns->time, columns->count);
        to += 8 * columns->count;
    }
    if (present & PL_NATIVE_HAS_SIZES) {
        pl_native_copy_put32(to, columns->size, columns->count);
        to = put_zeros_to_8(to + 4 * columns->count, start);
    }
    if (present & PL_NATIVE_HAS_KINDS) {
        memcpy(to, columns->kind, columns->count);
        to = put_zeros_to_8(to + columns->count, start);
    }
    return to;
}

static uint8_t *put_packed(struct pl_native_coder *coder, const struct columns *columns, unsigned present, uint8_t *to)
{
    to += pl_native_encode_numbers(coder, columns->page, columns->count, to);
    if (present & PL_NATIVE_HAS_TIMES)
        to += pl_native_encode_times(coder, columns->time, columns->count, to);
    if (present & PL_NATIVE_HAS_SIZES)
        to += pl_native_encode_numbers(coder, columns->size, columns->count, to);
    if (present & PL_NATIVE_HAS_KINDS)
        to += pl_native_encode_kinds(columns->kind, columns->count, to);
    return to;
}

/* Sets the block's columns and constant kind. False when there are kinds that are none. */
static bool choose_columns(const struct columns *columns, struct pl_native_block *block)
{
    uint64_t counts[3] = {columns->count, 0, 0};
    if (columns->kind && !pl_native_check_kinds(columns->kind, columns->count, counts))
        return false;
    uint8_t only = PL_READ; /* the kind that every touch has, if there is one */
    while (only <= PL_EXECUTE && counts[only] != columns->count)
        only++;
    if (only <= PL_EXECUTE)
        block->kind = only;
    else
        block->columns |= PL_NATIVE_HAS_KINDS;
    if (columns->time)
        block->columns |= PL_NATIVE_HAS_TIMES;
    if (columns->size)
        block->columns |= PL_NATIVE_HAS_SIZES;
    return true;
}

static enum pl_err write_touches(struct pl_trace_writer *writer, const struct columns *columns, struct pl_error *err)
{
    struct native_writer *self = writer->self;
    struct pl_native_block block = {
        .type = PL_NATIVE_TOUCHES,
        .count = (uint32_t)columns->count,
        .controls = self->controls,
        .first_touch = self->written_touches,
        .first_time = columns->time && columns->count ? columns->time[0] : self->first_control_time,
        .distinct_before = self->distinct_written,
        .distinct_after = self->distinct,
    };
    if (!choose_columns(columns, &block))
        return pl_fail(err, PL_ERR_INPUT, "the trace to be written has touches of an unknown kind");
    enum pl_err rc = write_pages(writer, err);
    if (rc)
        return rc;

    const size_t plain = pl_native_plain_size(block.columns, columns->count);
    uint8_t *end = NULL;
    if (self->coder) {
        end = put_packed(self->coder, columns, block.columns, self->payload);
        block.coding = PL_NATIVE_PACKED;
    }
    if (!end || (size_t)(end - self->payload) >= plain) {
        end = put_plain(columns, block.columns, self->payload);
        block.coding = PL_NATIVE_PLAIN;
    }
    memcpy(end, self->section, self->section_bytes);
    block.stored = (uint32_t)((size_t)(end - self->payload) + self->section_bytes);
    block.raw = (uint32_t)(plain + self->section_bytes);
    self->written_touches += columns->count;
    self->distinct_written = self->distinct;
    self->section_bytes = 0;
    self->controls = self->control_at = 0;
    self->control_time = self->first_control_time = 0;
    rc = remember(writer, &block, err);
    return rc ? rc : write_block(writer, &block, err);
}

/* Writes what was collected. */
static enum pl_err flush(struct pl_trace_writer *writer, struct pl_error *err)
{
    struct native_writer *self = writer->self;
    if (self->count == 0 && self->controls == 0)
        return PL_OK;
    struct columns columns = {
        .page = self->page,
        .kind = self->kind,
        .time = self->has_times ? self->time : NULL,
        .size = self->has_sizes ? self->size : NULL,
        .count = self->count,
    };
    self->count = 0;
    return write_touches(writer, &columns, err);
}

/* --- collecting -------------------------------------------------------------------- */
static void put_control(struct native_writer *self, const struct pl_control *control)
{
    if (self->controls == 0)
        self->first_control_time = control->time;
    uint8_t *end =
        pl_native_put_control(self->section + self->section_bytes, control, &self->control_at, &self->control_time);
    self->section_bytes = (size_t)(end - self->section);
    self->controls++;
}

/* The first thing in a block says who is present, for readers that start there. */
static void restate_present(struct native_writer *self)
{
    if (self->count || self->controls || !self->present.op)
        return;
    struct pl_control control = self->present;
    control.at = 0;
    control.flags |= PL_NATIVE_RESTATED;
    put_control(self, &control);
}

static void keep_present(struct native_writer *self, const struct pl_control *control)
{
    self->present = *control;
    if (!control->text)
        return;
    memcpy(self->present_text, control->text, strlen(control->text) + 1);
    self->present.text = self->present_text;
}

static enum pl_err add_control(struct pl_trace_writer *writer, const struct pl_control *control, struct pl_error *err)
{
    struct native_writer *self = writer->self;
    const size_t text = control->text ? strlen(control->text) : 0;
    if (text > PL_NATIVE_TEXT_MAX)
        return pl_fail(err, PL_ERR_USAGE, "a control record's text of %zu bytes is longer than 65,535", text);
    if (!pl_native_check_control(control, &self->distinct))
        return pl_fail(err, PL_ERR_INPUT, "a control record of the trace to be written names pages out of turn");
    /* Room for this one and a restated switch before it. */
    const size_t bound = pl_native_control_bound(text) + pl_native_control_bound(PL_NATIVE_TEXT_MAX);
    if (self->controls + 2 > PL_NATIVE_CONTROLS_MAX || self->section_bytes + bound > PL_NATIVE_SECTION_MAX) {
        enum pl_err rc = flush(writer, err);
        if (rc)
            return rc;
    }
    struct pl_control placed = *control;
    if (writer->header.clock == PL_CLOCK_NONE)
        placed.time = 0;
    if (control->op == PL_OP_SWITCH)
        keep_present(self, &placed);
    else
        restate_present(self);
    placed.at = (uint32_t)self->count;
    put_control(self, &placed);
    return PL_OK;
}

static enum pl_err check_pages(struct native_writer *self, const pl_page *page, size_t count, struct pl_error *err)
{
    if (self->kernels->check_pages(page, count, &self->distinct))
        return PL_OK;
    return pl_fail(err, PL_ERR_INPUT, "the trace to be written does not number its pages in the order of first use");
}

/* Copies touches behind those collected; they fit. */
static void collect(struct native_writer *self, const struct pl_batch *batch, size_t from, size_t count)
{
    memcpy(self->page + self->count, batch->page + from, count * sizeof *self->page);
    if (batch->kind)
        memcpy(self->kind + self->count, batch->kind + from, count);
    else
        memset(self->kind + self->count, PL_READ, count);
    if (self->has_times)
        memcpy(self->time + self->count, batch->time + from, count * sizeof *self->time);
    if (self->has_sizes)
        memcpy(self->size + self->count, batch->size + from, count * sizeof *self->size);
    self->count += count;
}

/* Touches from .. to - 1 of the batch, with no control record among them. */
static enum pl_err add_touches(struct pl_trace_writer *writer, const struct pl_batch *batch, size_t from, size_t to,
                               struct pl_error *err)
{
    struct native_writer *self = writer->self;
    const bool times = batch->time && writer->header.clock != PL_CLOCK_NONE, sizes = batch->size != NULL;
    enum pl_err rc = PL_OK;
    if (from < to && self->count && (times != self->has_times || sizes != self->has_sizes))
        rc = flush(writer, err);
    while (from < to && rc == PL_OK) {
        restate_present(self);
        self->has_times = times;
        self->has_sizes = sizes;
        size_t take = PL_BATCH_MAX - self->count;
        take = take < to - from ? take : to - from;
        rc = check_pages(self, batch->page + from, take, err);
        if (rc)
            return rc;
        if (take == PL_BATCH_MAX) { /* a whole block at once: no need to copy it */
            struct columns columns = {batch->page + from, batch->kind ? batch->kind + from : NULL,
                                      times ? batch->time + from : NULL, sizes ? batch->size + from : NULL, take};
            rc = write_touches(writer, &columns, err);
        } else {
            collect(self, batch, from, take);
            if (self->count == PL_BATCH_MAX)
                rc = flush(writer, err);
        }
        from += take;
    }
    if (times && to > 0)
        self->last_time = batch->time[to - 1];
    return rc;
}

/* --- the dictionary ------------------------------------------------------------------ */
static enum pl_err add_origins(struct pl_trace_writer *writer, uint64_t distinct, pl_origin_fn *origin, void *user,
                               struct pl_error *err)
{
    struct native_writer *self = writer->self;
    struct pl_page_origin before = {0, 0};
    for (; writer->distinct < distinct; writer->distinct++) {
        const pl_page page = (pl_page)writer->distinct;
        struct pl_page_origin place = origin ? origin(user, page) : (struct pl_page_origin){0, page};
        const struct pl_native_run *last = self->run_count ? &self->runs[self->run_count - 1] : NULL;
        if (last)
            before = (struct pl_page_origin){last->process, last->number + (self->run_end - last->first)};
        if (!last || place.process != before.process || place.number != before.number) {
            if (self->run_count == PL_NATIVE_RUNS_MAX) {
                enum pl_err rc = write_pages(writer, err);
                if (rc)
                    return rc;
            }
            self->runs[self->run_count++] = (struct pl_native_run){place.process, place.number, page};
        }
        self->run_end = page + 1;
    }
    return PL_OK;
}

enum pl_err pl_native_write(struct pl_trace_writer *writer, const struct pl_batch *batch, pl_origin_fn *origin, void *user,
                            struct pl_error *err)
{
    struct native_writer *self = writer->self;
    if (!writer->sink)
        return pl_fail(err, PL_ERR_RESOURCE, "the trace could not be written");
    if (batch->distinct > PL_NO_PAGE)
        return pl_fail(err, PL_ERR_INPUT, "the trace has more than 2^32 - 1 distinct pages");
    enum pl_err rc = add_origins(writer, batch->distinct, origin, user, err);
    size_t done = 0;
    for (size_t i = 0; i < batch->control_count && rc == PL_OK; i++) {
        rc = add_touches(writer, batch, done, batch->control[i].at, err);
        done = batch->control[i].at;
        if (rc == PL_OK)
            rc = add_control(writer, &batch->control[i], err);
    }
    if (rc == PL_OK)
        rc = add_touches(writer, batch, done, batch->count, err);
    if (rc == PL_OK && self->distinct != batch->distinct)
        rc = pl_fail(err, PL_ERR_INPUT, "the trace to be written counts its distinct pages wrongly");
    if (rc == PL_OK)
        writer->touches += batch->count;
    return rc;
}

/* --- the end -------------------------------------------------------------------------- */
static void put_entry(uint8_t *to, const struct pl_native_entry *entry)
{
    memset(to, 0, PL_NATIVE_ENTRY);
    pl_native_put64(to, entry->offset);
    pl_native_put64(to + 8, entry->first_touch);
    pl_native_put64(to + 16, (uint64_t)entry->first_time);
    pl_native_put32(to + 24, entry->distinct_before);
    to[28] = entry->type;
}

/* Index blocks of up to 65,536 entries: sixteen chunks each. */
static enum pl_err write_index(struct pl_trace_writer *writer, uint32_t *index_blocks, struct pl_error *err)
{
    struct native_writer *self = writer->self;
    enum pl_err rc = PL_OK;
    *index_blocks = 0;
    for (const struct index_chunk *chunk = self->first_chunk; chunk && rc == PL_OK;) {
        size_t count = 0;
        for (; chunk && count + chunk->count <= PL_NATIVE_ENTRIES_MAX; chunk = chunk->next)
            for (size_t i = 0; i < chunk->count; i++)
                put_entry(self->payload + PL_NATIVE_ENTRY * count++, &chunk->entries[i]);
        struct pl_native_block block = {
            .type = PL_NATIVE_INDEX,
            .count = (uint32_t)count,
            .first_touch = self->written_touches,
            .distinct_before = self->distinct,
            .distinct_after = self->distinct,
            .stored = (uint32_t)(PL_NATIVE_ENTRY * count),
            .raw = (uint32_t)(PL_NATIVE_ENTRY * count),
        };
        rc = write_block(writer, &block, err);
        ++*index_blocks;
    }
    return rc;
}

enum pl_err pl_native_write_flush(struct pl_trace_writer *writer, struct pl_error *err)
{
    if (!writer->sink)
        return pl_fail(err, PL_ERR_RESOURCE, "the trace could not be written");
    enum pl_err rc = flush(writer, err);
    if (rc == PL_OK)
        pl_sink_flush(writer->sink);
    return rc;
}

enum pl_err pl_native_write_close(struct pl_trace_writer *writer, struct pl_error *err)
{
    struct native_writer *self = writer->self;
    if (!writer->sink)
        return pl_fail(err, PL_ERR_RESOURCE, "the trace could not be written");
    enum pl_err rc = flush(writer, err);
    if (rc == PL_OK)
        rc = write_pages(writer, err);
    const uint64_t index_offset = self->offset;
    const uint32_t data_blocks = self->blocks;
    uint32_t index_blocks = 0;
    if (rc == PL_OK)
        rc = write_index(writer, &index_blocks, err);
    if (rc)
        return rc;
    memset(self->payload, 0, PL_NATIVE_END);
    pl_native_put64(self->payload, index_offset);
    pl_native_put32(self->payload + 8, index_blocks);
    pl_native_put32(self->payload + 12, data_blocks);
    pl_native_put64(self->payload + 16, self->written_touches);
    pl_native_put64(self->payload + 24, self->distinct);
    pl_native_put64(self->payload + 32, (uint64_t)self->last_time);
    struct pl_native_block block = {
        .type = PL_NATIVE_ENDING,
        .first_touch = self->written_touches,
        .distinct_before = self->distinct,
        .distinct_after = self->distinct,
        .stored = PL_NATIVE_END,
        .raw = PL_NATIVE_END,
    };
    return write_block(writer, &block, err);
}
