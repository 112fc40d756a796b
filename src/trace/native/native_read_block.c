/* trace/native/native_read_block.c: the payload of one touch block becomes a batch.
 *
 * A plain block in a mapped file is handed out where it lies: on a little-endian host, when it is aligned. What it
 * holds is checked all the same. */
#include "trace/native/native.h"

/* A column of a plain payload: `at` moves behind it. */
static const uint8_t *plain_column(const uint8_t **at, size_t bytes)
{
    const uint8_t *column = *at;
    *at += pl_native_pad(bytes, 8);
    return column;
}

static bool direct(const uint8_t *bytes, size_t size)
{
    return pl_native_little() && (uintptr_t)bytes % size == 0;
}

/* The header's check made sure that the columns lie within the payload. */
static void plain_columns(struct pl_native_decoder *decoder, const struct pl_native_block *block,
                          struct pl_native_cursor *from, struct pl_batch *out)
{
    const size_t count = block->count;
    const uint8_t *pages = plain_column(&from->at, 4 * count);
    out->page = (const pl_page *)(const void *)pages;
    if (!direct(pages, sizeof(pl_page))) {
        pl_native_copy_get32(decoder->pages, pages, count);
        out->page = decoder->pages;
    }
    if (block->columns & PL_NATIVE_HAS_TIMES) {
        const uint8_t *times = plain_column(&from->at, 8 * count);
        out->time = (const int64_t *)(const void *)times;
        if (!direct(times, sizeof(int64_t))) {
            pl_native_copy_get64((uint64_t *)decoder->times, times, count);
            out->time = decoder->times;
        }
    }
    if (block->columns & PL_NATIVE_HAS_SIZES) {
        const uint8_t *sizes = plain_column(&from->at, 4 * count);
        out->size = (const uint32_t *)(const void *)sizes;
        if (!direct(sizes, sizeof(uint32_t))) {
            pl_native_copy_get32(decoder->sizes, sizes, count);
            out->size = decoder->sizes;
        }
    }
    if (block->columns & PL_NATIVE_HAS_KINDS)
        out->kind = plain_column(&from->at, count);
}

static bool packed_columns(struct pl_native_decoder *decoder, const struct pl_native_block *block,
                           struct pl_native_cursor *from, struct pl_batch *out)
{
    const size_t count = block->count;
    if (!pl_native_decode_numbers(decoder, from, count, decoder->pages))
        return false;
    out->page = decoder->pages;
    if (block->columns & PL_NATIVE_HAS_TIMES) {
        if (!pl_native_decode_times(decoder, from, count, block->first_time, decoder->times))
            return false;
        out->time = decoder->times;
    }
    if (block->columns & PL_NATIVE_HAS_SIZES) {
        if (!pl_native_decode_numbers(decoder, from, count, decoder->sizes))
            return false;
        out->size = decoder->sizes;
    }
    if (block->columns & PL_NATIVE_HAS_KINDS) {
        if (!pl_native_decode_kinds(from, count, decoder->kinds))
            return false;
        out->kind = decoder->kinds;
    }
    return true;
}

/* Without a column every touch has the header's kind; NULL stands for reads. */
static void constant_kinds(struct pl_native_decoder *decoder, const struct pl_native_block *block, struct pl_batch *out,
                           uint64_t counts[3])
{
    counts[PL_READ] = counts[PL_WRITE] = counts[PL_EXECUTE] = 0;
    counts[block->kind] = block->count;
    if (block->kind == PL_READ)
        return;
    memset(decoder->kinds, block->kind, block->count);
    out->kind = decoder->kinds;
}

static enum pl_err controls(struct pl_native_decoder *decoder, const struct pl_native_block *block,
                            struct pl_native_cursor *from, struct pl_batch *out, bool *valid, struct pl_error *err)
{
    /* A record takes three bytes at least: room is made for what can be there, not for what is claimed. */
    *valid = block->controls <= (size_t)(from->end - from->at) / 3;
    if (!*valid || block->controls == 0)
        return PL_OK;
    void *records = decoder->controls;
    enum pl_err rc = pl_grow(&records, &decoder->control_capacity, block->controls, sizeof *decoder->controls,
                             "control records", err);
    decoder->controls = records;
    if (rc)
        return rc;
    *valid = pl_native_take_controls(from, block->controls, block->count, decoder->controls);
    out->control = decoder->controls;
    out->control_count = block->controls;
    return PL_OK;
}

const char *pl_native_read_block(struct pl_native_decoder *decoder, const struct pl_native_block *block,
                                 const uint8_t *payload, struct pl_batch *out, uint64_t counts[3], enum pl_err *rc,
                                 struct pl_error *err)
{
    struct pl_native_cursor from = {.at = payload, .end = payload + block->stored};
    struct pl_batch batch = {.count = block->count, .distinct = block->distinct_after};
    *rc = PL_OK;
    if (block->coding == PL_NATIVE_PLAIN)
        plain_columns(decoder, block, &from, &batch);
    else if (!packed_columns(decoder, block, &from, &batch))
        return "its packed columns cannot be decoded";
    if (pl_native_plain_size(block->columns, block->count) + (size_t)(from.end - from.at) != block->raw)
        return "its plain size does not match";

    bool valid;
    *rc = controls(decoder, block, &from, &batch, &valid, err);
    if (*rc || !valid || from.at != from.end)
        return "its control records cannot be decoded";
    if (!(block->columns & PL_NATIVE_HAS_KINDS))
        constant_kinds(decoder, block, &batch, counts);
    else if (!pl_native_check_kinds(batch.kind, batch.count, counts))
        return "it has touches of an unknown kind";
    uint32_t distinct = block->distinct_before;
    if (!pl_native_check_batch(decoder->kernels, &batch, &distinct) || distinct != block->distinct_after)
        return "its page numbers do not continue the trace's";
    *out = batch;
    return NULL;
}
