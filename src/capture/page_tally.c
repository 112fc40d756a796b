/* capture/page_tally.c: each page through the hash and the compressors; hashes in an open table.
 *
 * What this does not model: the store's index and partly filled regions or size classes. `pagelab compress` does. */
#include "capture/page_tally.h"

#include "capture/lz4_size.h"
#include "capture/os.h"
#include "codec/page_hash.h"
#include "codec/xpress.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 16, ZRAM_RAW = 3264 };

struct page_tally {
    uint32_t page_size;
    struct page_tally_counts counts;
    struct pl_hash128 *table; /* zero: empty */
    size_t room, used;        /* room: a power of two */
    uint8_t *out;
    struct pl_xpress_work xpress;
    struct pl_lz4_work lz4;
};

enum pl_err page_tally_create(uint32_t page_size, struct page_tally **out, struct pl_error *err)
{
    struct page_tally *tally = calloc(1, sizeof *tally);
    if (!tally)
        return pl_fail_memory(err, sizeof *tally, "counting pages");
    tally->page_size = page_size;
    tally->room = 1 << 16;
    tally->table = calloc(tally->room, sizeof *tally->table);
    tally->out = malloc(2 * (size_t)page_size);
    if (!tally->table || !tally->out) {
        enum pl_err rc = pl_fail_memory(err, tally->room * sizeof *tally->table, "counting pages");
        page_tally_destroy(tally);
        return rc;
    }
    *out = tally;
    return PL_OK;
}

void page_tally_destroy(struct page_tally *tally)
{
    if (!tally)
        return;
    free(tally->table);
    free(tally->out);
    free(tally);
}

/* Puts a hash in; false when it was there. */
static bool insert(struct pl_hash128 *table, size_t room, struct pl_hash128 hash)
{
    size_t slot = hash.low & (room - 1);
    while (table[slot].low | table[slot].high) {
        if (pl_hash128_equal(table[slot], hash))
            return false;
        slot = (slot + 1) & (room - 1);
    }
    table[slot] = hash;
    return true;
}

static enum pl_err grow(struct page_tally *tally, struct pl_error *err)
{
    size_t room = 2 * tally->room;
    struct pl_hash128 *table = calloc(room, sizeof *table);
    if (!table)
        return pl_fail_memory(err, room * sizeof *table, "counting pages");
    for (size_t i = 0; i < tally->room; i++)
        if (tally->table[i].low | tally->table[i].high)
            insert(table, room, tally->table[i]);
    free(tally->table);
    tally->table = table;
    tally->room = room;
    return PL_OK;
}

static bool repeats_a_word(const uint8_t *page, size_t size)
{
    return !memcmp(page, page + 8, size - 8);
}

static uint32_t or_whole(size_t size, uint32_t page_size)
{
    return size == 0 || size > page_size ? page_size : (uint32_t)size;
}

static void measure(struct page_tally *tally, const uint8_t *page, struct page_tally_sizes *sizes)
{
    const uint32_t size = tally->page_size;
    sizes->xpress = or_whole(pl_xpress_compress(&tally->xpress, 1, page, size, tally->out, size - 1), size);
    sizes->lz4 = or_whole(pl_lz4_size(&tally->lz4, page, size), size);
    sizes->own = (uint32_t)pl_os_compress(page, size, tally->out, 2 * (size_t)size);
}

static void count(struct page_tally *tally, const struct page_tally_sizes *sizes)
{
    struct page_tally_counts *counts = &tally->counts;
    const uint32_t size = tally->page_size;
    counts->pages++;
    counts->zero += sizes->zero;
    counts->same += sizes->same;
    counts->duplicates += sizes->seen && !sizes->zero;
    if (sizes->zero)
        return;
    counts->xpress_bytes += sizes->xpress;
    counts->lz4_bytes += sizes->lz4;
    counts->own_bytes += sizes->own;
    counts->xpress_raw += sizes->xpress == size;
    counts->lz4_raw += sizes->lz4 == size;
    if (!sizes->seen) {
        counts->xpress_unique_bytes += sizes->xpress;
        counts->store_bytes += (sizes->xpress + CHUNK - 1) / CHUNK * CHUNK;
    }
    if (!sizes->same)
        counts->zram_bytes += sizes->lz4 > ZRAM_RAW ? size : sizes->lz4;
}

enum pl_err page_tally_add(struct page_tally *tally, const uint8_t *page, struct page_tally_sizes *sizes,
                           struct pl_error *err)
{
    struct page_tally_sizes here = {0};
    struct pl_hash128 hash = pl_page_hash(page, tally->page_size);
    if (tally->used * 2 >= tally->room) {
        enum pl_err rc = grow(tally, err);
        if (rc)
            return rc;
    }
    here.hash = hash.low;
    here.seen = !insert(tally->table, tally->room, hash);
    tally->used += !here.seen;
    here.same = repeats_a_word(page, tally->page_size);
    here.zero = here.same && !memcmp(page, "\0\0\0\0\0\0\0", 8);
    measure(tally, page, &here);
    count(tally, &here);
    if (sizes)
        *sizes = here;
    return PL_OK;
}

struct page_tally_counts page_tally_counts(const struct page_tally *tally)
{
    return tally->counts;
}
