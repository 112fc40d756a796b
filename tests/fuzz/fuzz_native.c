/* tests/fuzz/fuzz_native.c: any bytes as a native trace, with checksums that hold.
 *
 * Mutations rarely get past a checksum, so the target mends them first: the file header's, and those of every block that
 * still has its magic. What is behind the checksums must stand for itself. */
#include "fuzz_replay.h"

#include "trace/native/native.h"

#include "fuzz_native_seeds.h"

#include <stdlib.h>

enum { ENOUGH = 200000, MANY_PAGES = 1 << 20 };

const char fuzz_name[] = "native trace";

const struct fuzz_seed fuzz_seeds[] = {
    {packed_seed, sizeof packed_seed - 1},
    {plain_seed, sizeof plain_seed - 1},
    {loops_seed, sizeof loops_seed - 1},
    {NULL, 0},
};

static void require(bool truth)
{
    if (!truth)
        abort();
}

/* Mends the checksums. Returns whether some block speaks of so many pages that numbering them anew would take long. */
static bool mend(uint8_t *bytes, size_t length)
{
    bool many = false;
    if (length >= PL_NATIVE_FILE_HEADER) {
        size_t text = pl_native_get32(bytes + 12);
        if (text <= length - PL_NATIVE_FILE_HEADER)
            pl_native_put64(bytes + 16, pl_xxh64(bytes + PL_NATIVE_FILE_HEADER, text, pl_xxh64(bytes, 16, 0)));
    }
    for (size_t at = 0; at + PL_NATIVE_BLOCK_HEADER <= length; at++) {
        if (memcmp(bytes + at, pl_native_block_magic, 8))
            continue;
        size_t stored = pl_native_get32(bytes + at + 48);
        if (stored <= length - at - PL_NATIVE_BLOCK_HEADER)
            pl_native_put64(bytes + at + 56, pl_xxh64(bytes + at + PL_NATIVE_BLOCK_HEADER, stored, 0));
        pl_native_put64(bytes + at + 72, pl_xxh64(bytes + at, 72, 0));
        many |= pl_native_get32(bytes + at + 44) > MANY_PAGES;
    }
    return many;
}

static void check_batch(const struct pl_batch *batch, uint64_t *distinct, const struct pl_trace_options *options)
{
    require(batch->count <= PL_BATCH_MAX);
    require(batch->distinct >= *distinct);
    for (size_t i = 0; i < batch->count; i++) {
        require(batch->page[i] < batch->distinct);
        require(!batch->kind || batch->kind[i] <= PL_EXECUTE);
        require(!options->ignore_execute || !batch->kind || batch->kind[i] != PL_EXECUTE);
    }
    for (size_t i = 0; i < batch->control_count; i++) {
        require(batch->control[i].at <= batch->count && (i == 0 || batch->control[i].at >= batch->control[i - 1].at));
        require(!batch->control[i].text || strlen(batch->control[i].text) <= PL_NATIVE_TEXT_MAX);
    }
    *distinct = batch->distinct;
}

static void try_options(const uint8_t *bytes, size_t length, const struct pl_trace_options *options)
{
    struct pl_trace *trace;
    struct pl_batch batch;
    struct pl_error err;
    uint64_t distinct = 0, touches = 0;
    enum pl_err rc = pl_trace_open_memory(bytes, length, "fuzz", options, &trace, &err);
    if (rc)
        return;
    while (touches < ENOUGH && (rc = pl_trace_next(trace, &batch, &err)) == PL_OK) {
        check_batch(&batch, &distinct, options);
        touches += batch.count;
        if (distinct)
            (void)pl_trace_page_origin(trace, (pl_page)(distinct - 1));
    }
    require(rc == PL_OK || rc == PL_END || err.message[0]);
    pl_trace_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *given, size_t length)
{
    uint8_t *bytes = malloc(length ? length : 1);
    if (!bytes)
        return 0;
    memcpy(bytes, given, length);
    const bool many = mend(bytes, length);
    struct pl_trace_options options = {.format = "native", .need_dictionary = true};
    try_options(bytes, length, &options);
    options.expand_ranges = true;
    try_options(bytes, length, &options);
    options.skip_damaged = !many;
    try_options(bytes, length, &options);
    options.ignore_execute = !many;
    try_options(bytes, length, &options);
    free(bytes);
    return 0;
}
