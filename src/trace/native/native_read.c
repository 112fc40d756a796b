/* trace/native/native_read.c: the reader of the native file: one block after the other.
 *
 * The source's window holds one whole block at a time (of a mapped file, all of it), and the batch that is handed out
 * points into it where it can. So the block is skipped only at the next call.
 *
 *   next -> next_block (header, payload, hash) -> take_touches | take_pages | take_end
 *
 * Damage ends the reading with an error that names the block, or, when told to skip it, is counted and left out: the
 * header's size leads to the next block if its hash holds, else a search for the magic does. Blocks that are missing
 * show in the numbers of their neighbours. */
#include "trace/native/native_reader.h"

#include <inttypes.h>
#include <stdlib.h>

static const char damaged_blocks[] = "damaged blocks", damaged_touches[] = "touches in damaged blocks",
                  cut_off[] = "the file is cut off before its end block";

int pl_native_probe(const uint8_t *head, size_t length, bool whole)
{
    return length >= sizeof pl_native_magic && !memcmp(head, pl_native_magic, sizeof pl_native_magic) ? 100 : 0;
}

enum pl_err pl_native_open(struct pl_reader *reader, struct pl_error *err)
{
    struct native_reader *self = pl_arena_alloc(reader->arena, 1, sizeof *self);
    if (!self)
        return pl_fail_memory(err, sizeof *self, "reading the trace");
    reader->self = self;
    enum pl_err rc = pl_native_read_header(reader, err);
    if (rc == PL_OK)
        rc = pl_native_decoder_create(reader->arena, &self->decoder, err);
    if (rc == PL_OK && reader->options.expand_ranges) {
        self->expander = pl_native_expander_create(reader->arena);
        if (!self->expander)
            rc = pl_fail_memory(err, PL_BATCH_MAX, "expanding ranges");
    }
    if (rc == PL_OK && reader->options.ignore_execute)
        rc = pl_rebatch_create(1, &self->filter, err);
    if (rc == PL_OK)
        pl_native_find_index(reader);
    return rc;
}

void pl_native_close(struct pl_reader *reader)
{
    struct native_reader *self = reader->self;
    if (!self)
        return;
    pl_native_decoder_free(&self->decoder);
    pl_native_dictionary_free(&self->dictionary);
    pl_rebatch_free(self->filter);
    free(self->processes.slots);
    reader->self = NULL;
}

struct pl_page_origin pl_native_origin(const struct pl_reader *reader, pl_page page)
{
    const struct native_reader *self = reader->self;
    if (self->filter)
        page = pl_rebatch_origin(self->filter, page).page;
    return pl_native_dictionary_find(&self->dictionary, page);
}

void pl_native_use_portable(struct pl_reader *reader)
{
    struct native_reader *self = reader->self;
    self->decoder.kernels = pl_native_kernels(true);
}

/* --- damage ------------------------------------------------------------------------- */
/* Fails, or counts the block that starts here as left out. */
static enum pl_err damage(struct pl_reader *reader, const char *what, struct pl_error *err)
{
    const struct native_reader *self = reader->self;
    const uint64_t offset = pl_source_offset(reader->source);
    if (reader->options.skip_damaged) {
        pl_reader_damage(reader, damaged_blocks, 1, offset);
        return PL_OK;
    }
    return pl_fail_at_byte(err, pl_source_name(reader->source), offset,
                           "block %" PRIu32 " is damaged (it follows touch %" PRIu64
                           "): %s; --skip-damaged leaves damaged blocks out",
                           self->next_number, self->next_touch, what);
}

static enum pl_err end_of_cut_file(struct pl_reader *reader, struct pl_error *err)
{
    struct native_reader *self = reader->self;
    const uint64_t offset = pl_source_offset(reader->source);
    self->ended = true;
    if (reader->options.skip_damaged) {
        pl_reader_damage(reader, cut_off, 1, offset);
        return PL_END;
    }
    return pl_fail_at_byte(err, pl_source_name(reader->source), offset,
                           "the trace is cut off in or before block %" PRIu32 " (after touch %" PRIu64
                           "); --skip-damaged reads what is there",
                           self->next_number, self->next_touch);
}

/* Goes on to the next place where a block's magic stands. */
static enum pl_err find_magic(struct pl_reader *reader, struct pl_error *err)
{
    const size_t magic = sizeof pl_native_block_magic;
    size_t skip = 1; /* the place that was no block */
    for (;;) {
        const uint8_t *window;
        size_t length;
        pl_source_skip(reader->source, skip);
        enum pl_err rc = pl_source_peek(reader->source, 65536, &window, &length, err);
        if (rc || length < magic)
            return rc;
        if (length > 65536)
            length = 65536;
        const uint8_t *end = window + length - magic + 1, *at = window;
        while ((at = memchr(at, pl_native_block_magic[0], (size_t)(end - at)))) {
            if (!memcmp(at, pl_native_block_magic, magic)) {
                pl_source_skip(reader->source, (size_t)(at - window));
                return PL_OK;
            }
            at++;
        }
        skip = length - magic + 1;
    }
}

/* --- blocks ------------------------------------------------------------------------- */
/* Whether this block is the next one, by what its header says. NULL if so. */
static const char *order_fault(const struct native_reader *self, const struct pl_native_block *block, bool may_jump)
{
    const uint32_t distinct = block->type == PL_NATIVE_PAGES ? self->named : self->distinct;
    if (block->number < self->next_number || block->first_touch < self->next_touch || block->distinct_before < distinct)
        return "it does not follow the block before; it may stand in the file twice";
    if (!may_jump && (block->number > self->next_number || block->first_touch > self->next_touch ||
                      block->distinct_before > distinct))
        return "blocks are missing before it";
    if (block->first_touch + block->count < block->first_touch)
        return "its first touch lies beyond all counting";
    return NULL;
}

static bool unread_pages(const struct pl_reader *reader, const struct pl_native_block *block)
{
    return block->type == PL_NATIVE_PAGES && !reader->options.need_dictionary;
}

/* The next block that is whole, with its payload in the source's window. */
static enum pl_err next_block(struct pl_reader *reader, struct pl_native_block *block, const uint8_t **payload,
                              struct pl_error *err)
{
    struct native_reader *self = reader->self;
    for (;;) {
        const uint8_t *window;
        size_t length;
        const char *what;
        enum pl_err rc = pl_source_peek(reader->source, PL_NATIVE_BLOCK_HEADER, &window, &length, err);
        if (rc)
            return rc;
        if (length < PL_NATIVE_BLOCK_HEADER)
            return end_of_cut_file(reader, err);
        if (!pl_native_block_get(window, block, &what)) {
            rc = damage(reader, what, err);
            rc = rc ? rc : find_magic(reader, err);
            if (rc)
                return rc;
            self->jumped = true;
            continue;
        }
        const size_t size = PL_NATIVE_BLOCK_HEADER + pl_native_pad(block->stored, PL_NATIVE_ALIGN);
        rc = pl_source_peek(reader->source, size, &window, &length, err);
        if (rc)
            return rc;
        if (length < PL_NATIVE_BLOCK_HEADER + (size_t)block->stored)
            return end_of_cut_file(reader, err);
        self->block_bytes = size < length ? size : length;
        *payload = window + PL_NATIVE_BLOCK_HEADER;
        what = order_fault(self, block, self->jumped || reader->options.skip_damaged);
        if (!what && !unread_pages(reader, block) && pl_xxh64(*payload, block->stored, 0) != block->payload_hash)
            what = "the checksum of its payload does not match";
        if (!what)
            return PL_OK;
        rc = damage(reader, what, err);
        if (rc)
            return rc;
        pl_source_skip(reader->source, self->block_bytes);
        self->block_bytes = 0;
        self->jumped = true;
    }
}

/* The header's numbers become the reader's. What is missing before it is counted, unless the reader was told to go there. */
static void follow(struct pl_reader *reader, const struct pl_native_block *block)
{
    struct native_reader *self = reader->self;
    if (block->first_touch > self->next_touch && !self->sought)
        pl_reader_damage(reader, damaged_touches, block->first_touch - self->next_touch, pl_source_offset(reader->source));
    self->next_number = block->number + 1;
    self->next_touch = block->first_touch;
}

static enum pl_err take_pages(struct pl_reader *reader, const struct pl_native_block *block, const uint8_t *payload,
                              struct pl_error *err)
{
    struct native_reader *self = reader->self;
    follow(reader, block);
    self->named = block->distinct_after;
    if (unread_pages(reader, block))
        return PL_OK;
    struct pl_native_dictionary *dictionary = &self->dictionary;
    enum pl_err rc = PL_OK;
    if (block->distinct_before > dictionary->end) /* pages whose block was left out */
        rc = pl_native_dictionary_add(dictionary, block->distinct_before - dictionary->end, PL_NATIVE_LOST_PROCESS,
                                      dictionary->end, err);
    if (rc)
        return rc;
    struct pl_native_cursor from = {.at = payload, .end = payload + block->stored};
    bool valid;
    rc = pl_native_dictionary_take(dictionary, block, &from, &valid, err);
    return rc || valid ? rc : damage(reader, "its runs of pages cannot be decoded", err);
}

/* --- touches and the end ------------------------------------------------------------------ */
/* A switch that only repeats who is present is for those who start here. */
static void drop_restated(struct native_reader *self, struct pl_batch *batch)
{
    struct pl_control *first = self->decoder.controls;
    if (batch->control_count == 0 || first->op != PL_OP_SWITCH || !(first->flags & PL_NATIVE_RESTATED))
        return;
    first->flags &= (uint8_t)~PL_NATIVE_RESTATED;
    if (self->jumped)
        return;
    batch->control++;
    batch->control_count--;
}

/* *taken says whether there is a batch. */
static enum pl_err take_touches(struct pl_reader *reader, const struct pl_native_block *block, const uint8_t *payload,
                                struct pl_batch *out, bool *taken, struct pl_error *err)
{
    struct native_reader *self = reader->self;
    enum pl_err rc;
    struct pl_batch batch;
    const char *what = pl_native_read_block(&self->decoder, block, payload, &batch, self->kinds, &rc, err);
    if (rc)
        return rc;
    if (!what && block->distinct_after > self->named && !self->jumped)
        what = "the file does not say where its pages come from";
    *taken = !what;
    if (what) {
        self->jumped = true;
        return damage(reader, what, err);
    }
    follow(reader, block);
    drop_restated(self, &batch);
    self->holes |= block->distinct_before > self->distinct && !self->sought;
    self->jumped = self->sought = false;
    self->next_touch = block->first_touch + block->count;
    self->distinct = block->distinct_after;
    if (self->named < self->distinct)
        self->named = self->distinct; /* only after damage or a jump */
    *out = batch;
    return PL_OK;
}

static enum pl_err take_end(struct pl_reader *reader, const struct pl_native_block *block, const uint8_t *payload,
                            struct pl_error *err)
{
    struct native_reader *self = reader->self;
    const uint64_t touches = pl_native_get64(payload + 16);
    const uint8_t *window;
    size_t length;
    if (touches != block->first_touch || pl_native_get64(payload + 24) != block->distinct_before) {
        enum pl_err rc = damage(reader, "the end block contradicts itself", err);
        if (rc)
            return rc;
    }
    follow(reader, block);
    self->ended = true;
    pl_source_skip(reader->source, self->block_bytes);
    self->block_bytes = 0;
    enum pl_err rc = pl_source_peek(reader->source, 1, &window, &length, err);
    if (rc)
        return rc;
    reader->info.bytes_read = pl_source_offset(reader->source);
    if (length > 0)
        rc = damage(reader, "the file goes on behind its end block", err);
    return rc ? rc : PL_END;
}

enum pl_err pl_native_read_next_block(struct pl_reader *reader, struct pl_batch *out, bool *taken, struct pl_error *err)
{
    struct native_reader *self = reader->self;
    struct pl_native_block block;
    const uint8_t *payload = NULL;
    *taken = false;
    pl_source_skip(reader->source, self->block_bytes);
    self->block_bytes = 0;
    if (self->ended)
        return PL_END;
    enum pl_err rc = next_block(reader, &block, &payload, err);
    if (rc)
        return rc;
    switch (block.type) {
    case PL_NATIVE_TOUCHES:
        return take_touches(reader, &block, payload, out, taken, err);
    case PL_NATIVE_PAGES:
        return take_pages(reader, &block, payload, err);
    case PL_NATIVE_ENDING:
        return take_end(reader, &block, payload, err);
    default: /* the index is of use only to those who jump */
        follow(reader, &block);
        return PL_OK;
    }
}

/* Blocks pass through what the options ask for: first numbered anew without what is left out, then with ranges as
 * touches. */
enum pl_err pl_native_next(struct pl_reader *reader, struct pl_batch *out, struct pl_error *err)
{
    struct native_reader *self = reader->self;
    struct pl_batch batch;
    for (;;) {
        if (self->expander && pl_native_expander_next(self->expander, out)) {
            pl_native_count_batch(reader, out, NULL);
            return PL_OK;
        }
        bool taken;
        const uint32_t distinct = self->distinct;
        enum pl_err rc = pl_native_read_next_block(reader, &batch, &taken, err);
        if (rc == PL_OK && taken && self->holes && !self->filter)
            rc = pl_native_fill_holes(reader, distinct, err);
        if (rc == PL_OK && taken)
            rc = pl_native_count_controls(reader, &batch, err);
        if (rc == PL_OK && taken && self->filter)
            rc = pl_native_renumber(reader, &batch, &taken, err);
        if (rc)
            return rc;
        if (!taken)
            continue;
        if (!self->expander) {
            *out = batch;
            pl_native_count_batch(reader, out, self->filter ? NULL : self->kinds);
            return PL_OK;
        }
        pl_native_expander_start(self->expander, &batch);
    }
}
