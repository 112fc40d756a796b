/* trace/native/native_read_index.c: the index at the end of a native file, and how to start in the middle with it.
 *
 * Only a mapped file can be reached at random. What the index says is not trusted: it leads to a block, and that block's
 * own header and hash are checked as always. */
#include "trace/native/native_reader.h"

#include <inttypes.h>

enum { END_BYTES = PL_NATIVE_BLOCK_HEADER + PL_NATIVE_END };

void pl_native_find_index(struct pl_reader *reader)
{
    struct native_reader *self = reader->self;
    const uint8_t *bytes;
    uint64_t length;
    struct pl_native_block block;
    const char *what;
    if (!pl_source_mapped(reader->source, &bytes, &length) || length < END_BYTES)
        return;
    const uint8_t *end = bytes + (length - END_BYTES);
    const uint8_t *payload = end + PL_NATIVE_BLOCK_HEADER;
    if (!pl_native_block_get(end, &block, &what) || block.type != PL_NATIVE_ENDING ||
        pl_xxh64(payload, PL_NATIVE_END, 0) != block.payload_hash)
        return;
    self->index_offset = pl_native_get64(payload);
    self->index_blocks = pl_native_get32(payload + 8);
    self->has_index = self->index_blocks > 0;
    reader->info.total_hint = pl_native_get64(payload + 16);
}

/* The index block at `offset` of the mapped file; NULL when there is none. */
static const uint8_t *index_block(const uint8_t *bytes, uint64_t length, uint64_t offset, struct pl_native_block *block)
{
    const char *what;
    if (offset > length || length - offset < PL_NATIVE_BLOCK_HEADER ||
        !pl_native_block_get(bytes + offset, block, &what) || block->type != PL_NATIVE_INDEX)
        return NULL;
    const uint8_t *payload = bytes + offset + PL_NATIVE_BLOCK_HEADER;
    if (length - offset - PL_NATIVE_BLOCK_HEADER < block->stored ||
        pl_xxh64(payload, block->stored, 0) != block->payload_hash)
        return NULL;
    return payload;
}

static struct pl_native_entry get_entry(const uint8_t *from)
{
    return (struct pl_native_entry){
        .offset = pl_native_get64(from),
        .first_touch = pl_native_get64(from + 8),
        .first_time = (int64_t)pl_native_get64(from + 16),
        .distinct_before = pl_native_get32(from + 24),
        .type = from[28],
    };
}

/* Moves the source to `offset`, which lies ahead, and lets the reader accept the block there. */
static enum pl_err jump(struct pl_reader *reader, uint64_t offset, struct pl_error *err)
{
    struct native_reader *self = reader->self;
    const uint64_t here = pl_source_offset(reader->source);
    const uint8_t *window;
    size_t length;
    enum pl_err rc = pl_source_peek(reader->source, 1, &window, &length, err);
    if (rc)
        return rc;
    if (offset < here || offset - here > length)
        return pl_fail_at_byte(err, pl_source_name(reader->source), offset, "the index does not lead to a block ahead");
    pl_source_skip(reader->source, (size_t)(offset - here));
    self->block_bytes = 0;
    self->jumped = self->sought = true;
    return PL_OK;
}

/* What a walk through the index does with its entries. */
struct walk {
    uint64_t touch;                /* looked for */
    struct pl_native_entry target; /* the last touch block that starts at or before it; type 0: none yet */
};

/* Entries are in order. Page blocks before the target are read on the way when they are needed; those between the target
 * and the next touch block are read later, by the ordinary way. */
static enum pl_err visit(struct pl_reader *reader, struct walk *walk, const struct pl_native_entry *entry, bool *past,
                         struct pl_error *err)
{
    struct pl_batch none;
    bool taken;
    if (entry->first_touch > walk->touch) {
        *past = true;
        return PL_OK;
    }
    if (entry->type == PL_NATIVE_TOUCHES) {
        walk->target = *entry;
        return PL_OK;
    }
    if (!reader->options.need_dictionary || entry->offset < pl_source_offset(reader->source))
        return PL_OK;
    enum pl_err rc = jump(reader, entry->offset, err);
    return rc ? rc : pl_native_read_next_block(reader, &none, &taken, err);
}

enum pl_err pl_native_seek(struct pl_reader *reader, uint64_t touch, uint64_t *first, struct pl_error *err)
{
    struct native_reader *self = reader->self;
    const uint8_t *bytes;
    uint64_t length;
    if (!self->has_index || !pl_source_mapped(reader->source, &bytes, &length))
        return pl_fail(err, PL_ERR_USAGE, "%s: this trace cannot be read from the middle: it has no index or is no file",
                       pl_source_name(reader->source));
    if (touch >= reader->info.total_hint)
        return PL_END;
    struct walk walk = {.touch = touch};
    uint64_t offset = self->index_offset;
    bool past = false;
    for (uint32_t i = 0; i < self->index_blocks && !past; i++) {
        struct pl_native_block block;
        const uint8_t *entries = index_block(bytes, length, offset, &block);
        if (!entries)
            return pl_fail_at_byte(err, pl_source_name(reader->source), offset, "the index of the trace is damaged");
        for (uint32_t j = 0; j < block.count && !past; j++) {
            struct pl_native_entry entry = get_entry(entries + (size_t)PL_NATIVE_ENTRY * j);
            enum pl_err rc = visit(reader, &walk, &entry, &past, err);
            if (rc)
                return rc;
        }
        offset += PL_NATIVE_BLOCK_HEADER + pl_native_pad(block.stored, PL_NATIVE_ALIGN);
    }
    if (!walk.target.type)
        return pl_fail_at_byte(err, pl_source_name(reader->source), self->index_offset, "the index names no touches");
    enum pl_err rc = jump(reader, walk.target.offset, err);
    if (rc == PL_OK)
        *first = walk.target.first_touch;
    return rc;
}
