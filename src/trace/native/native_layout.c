/* trace/native/native_layout.c: block headers and numbers of the native file, between memory and bytes.
 *
 * Everything goes through single bytes or memcpy: the file is little-endian on any host, and nothing in it needs to be
 * aligned in memory. */
#include "trace/native/native.h"

const uint8_t pl_native_magic[8] = {0x89, 'P', 'L', 'T', '\r', '\n', 0x1a, '\n'};
const uint8_t pl_native_block_magic[8] = {'P', 'L', '\n', 'B', 'L', 'O', 'C', 'K'};
const char *const pl_native_records_names[] = {"accesses", "requests", "faults", "interval", "writes", NULL};
const char *const pl_native_clock_names[] = {"none", "picoseconds", "instructions", NULL};

enum { HASHED_BYTES = PL_NATIVE_BLOCK_HEADER - 8 };

void pl_native_block_put(const struct pl_native_block *block, uint8_t bytes[PL_NATIVE_BLOCK_HEADER])
{
    memset(bytes, 0, PL_NATIVE_BLOCK_HEADER);
    memcpy(bytes, pl_native_block_magic, 8);
    bytes[8] = block->type;
    bytes[9] = block->columns;
    bytes[10] = block->coding;
    bytes[11] = block->kind;
    pl_native_put32(bytes + 12, block->number);
    pl_native_put32(bytes + 16, block->count);
    pl_native_put32(bytes + 20, block->controls);
    pl_native_put64(bytes + 24, block->first_touch);
    pl_native_put64(bytes + 32, (uint64_t)block->first_time);
    pl_native_put32(bytes + 40, block->distinct_before);
    pl_native_put32(bytes + 44, block->distinct_after);
    pl_native_put32(bytes + 48, block->stored);
    pl_native_put32(bytes + 52, block->raw);
    pl_native_put64(bytes + 56, block->payload_hash);
    pl_native_put64(bytes + HASHED_BYTES, pl_xxh64(bytes, HASHED_BYTES, 0));
}

size_t pl_native_plain_size(unsigned columns, size_t count)
{
    size_t size = pl_native_pad(4 * count, 8);
    if (columns & PL_NATIVE_HAS_TIMES)
        size += 8 * count;
    if (columns & PL_NATIVE_HAS_SIZES)
        size += pl_native_pad(4 * count, 8);
    if (columns & PL_NATIVE_HAS_KINDS)
        size += pl_native_pad(count, 8);
    return size;
}

static const char *touches_fault(const struct pl_native_block *block)
{
    if (block->count > PL_BATCH_MAX)
        return "more than 65,536 touches in a block";
    if (block->controls > PL_NATIVE_CONTROLS_MAX)
        return "more than 65,536 control records in a block";
    if (block->columns > 7 || block->coding > PL_NATIVE_PACKED || block->kind > PL_EXECUTE)
        return "unknown columns, coding or kind";
    if (block->raw < pl_native_plain_size(block->columns, block->count))
        return "the plain size is too small for the touches";
    if (block->coding == PL_NATIVE_PLAIN && block->raw != block->stored)
        return "a plain block has two sizes";
    return NULL;
}

/* What is wrong with a header whose hash holds: only a writer that is not ours, or one who means harm, makes these. */
static const char *header_fault(const struct pl_native_block *block)
{
    if (block->stored > PL_NATIVE_STORED_MAX)
        return "the payload is larger than 8 MiB";
    if (block->distinct_after < block->distinct_before)
        return "the count of distinct pages shrinks";
    switch (block->type) {
    case PL_NATIVE_TOUCHES:
        return touches_fault(block);
    case PL_NATIVE_PAGES:
        return block->count > PL_NATIVE_RUNS_MAX ? "more than 65,536 runs of pages in a block" : NULL;
    case PL_NATIVE_INDEX:
        return block->stored != (size_t)block->count * PL_NATIVE_ENTRY ? "the index has a wrong size" : NULL;
    case PL_NATIVE_ENDING:
        return block->stored != PL_NATIVE_END ? "the end block has a wrong size" : NULL;
    default:
        return "unknown type of block";
    }
}

bool pl_native_block_get(const uint8_t bytes[PL_NATIVE_BLOCK_HEADER], struct pl_native_block *out, const char **what)
{
    *what = "no block starts here";
    if (memcmp(bytes, pl_native_block_magic, 8))
        return false;
    *what = "the checksum of its header does not match";
    if (pl_native_get64(bytes + HASHED_BYTES) != pl_xxh64(bytes, HASHED_BYTES, 0))
        return false;
    struct pl_native_block block = {
        .type = bytes[8],
        .columns = bytes[9],
        .coding = bytes[10],
        .kind = bytes[11],
        .number = pl_native_get32(bytes + 12),
        .count = pl_native_get32(bytes + 16),
        .controls = pl_native_get32(bytes + 20),
        .first_touch = pl_native_get64(bytes + 24),
        .first_time = (int64_t)pl_native_get64(bytes + 32),
        .distinct_before = pl_native_get32(bytes + 40),
        .distinct_after = pl_native_get32(bytes + 44),
        .stored = pl_native_get32(bytes + 48),
        .raw = pl_native_get32(bytes + 52),
        .payload_hash = pl_native_get64(bytes + 56),
    };
    const char *fault = header_fault(&block);
    if (fault) {
        *what = fault;
        return false;
    }
    *out = block;
    return true;
}

/* On little-endian hosts these are plain copies. */
void pl_native_copy_get32(uint32_t *to, const uint8_t *from, size_t count)
{
    if (pl_native_little()) {
        memcpy(to, from, 4 * count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        to[i] = pl_native_get32(from + 4 * i);
}

void pl_native_copy_get64(uint64_t *to, const uint8_t *from, size_t count)
{
    if (pl_native_little()) {
        memcpy(to, from, 8 * count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        to[i] = pl_native_get64(from + 8 * i);
}

void pl_native_copy_put32(uint8_t *to, const uint32_t *from, size_t count)
{
    if (pl_native_little()) {
        memcpy(to, from, 4 * count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        pl_native_put32(to + 4 * i, from[i]);
}

void pl_native_copy_put64(uint8_t *to, const uint64_t *from, size_t count)
{
    if (pl_native_little()) {
        memcpy(to, from, 8 * count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        pl_native_put64(to + 8 * i, from[i]);
}

const uint8_t *pl_native_take(struct pl_native_cursor *cursor, size_t bytes)
{
    if (cursor->failed || (size_t)(cursor->end - cursor->at) < bytes) {
        cursor->failed = true;
        return NULL;
    }
    const uint8_t *taken = cursor->at;
    cursor->at += bytes;
    return taken;
}

/* Ten bytes at most, and the tenth holds one bit. */
uint64_t pl_native_take_varint(struct pl_native_cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t *byte = pl_native_take(cursor, 1);
        if (!byte)
            return 0;
        if (shift == 63 && *byte > 1)
            break;
        value |= (uint64_t)(*byte & 127) << shift;
        if (!(*byte & 128))
            return value;
    }
    cursor->failed = true;
    return 0;
}

uint8_t *pl_native_put_varint(uint8_t *to, uint64_t value)
{
    for (; value > 127; value >>= 7)
        *to++ = (uint8_t)(value | 128);
    *to++ = (uint8_t)value;
    return to;
}
