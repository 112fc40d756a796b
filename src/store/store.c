/* store/store.c: pages by key, limits, order of age.
 *
 *   key (dense page) -> entry: object, older, newer        12 bytes a key, whether stored or not
 *   object           -> slot in the space, references      dedup.c, 12 bytes an object, 20 and a bit more where equal ones are found
 *
 * Entries are indexed by key, since pages are dense; the list of age runs through them. */
#include "store/store.h"
#include "base/arena.h"
#include "codec/same_filled.h"
#include "store/dedup.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Objects that are none. */
#define NOT_STORED UINT32_MAX
#define SAME_FILLED (UINT32_MAX - 1)

struct entry {
    uint32_t object;
    pl_page older, newer;
};

struct pl_store {
    struct pl_store_params params;
    struct pl_space *space;
    struct pl_dedup_index index;
    struct entry *entry;
    uint64_t *word; /* by key, with keep_content: what same-filled pages are filled with */
    size_t capacity, word_capacity;
    pl_page keys; /* entries that are in use or NOT_STORED; beyond are none */
    pl_page oldest, newest;
    uint64_t room; /* memory at hand */
    struct pl_store_statistics counts; /* kept up to date but for what the space and the index know */
};

enum pl_err pl_store_create(const struct pl_store_params *params, struct pl_store **out, struct pl_error *err)
{
    struct pl_store *store = calloc(1, sizeof(*store));
    if (!store)
        return pl_fail_memory(err, sizeof(*store), "a store");
    store->params = *params;
    store->oldest = store->newest = PL_NO_PAGE;
    store->room = PL_STORE_NO_LIMIT;
    enum pl_dedup dedup = params->dedup;
    enum pl_err rc = pl_dedup_init(&store->index, dedup != PL_DEDUP_NONE, dedup == PL_DEDUP_HASH32, err);
    if (rc == PL_OK)
        rc = pl_space_create(params->space, &params->space_params, &store->space, err);
    if (rc) {
        pl_store_destroy(store);
        return rc;
    }
    if (!store->params.raw_from)
        store->params.raw_from = store->space->raw_from;
    *out = store;
    return PL_OK;
}

void pl_store_destroy(struct pl_store *store)
{
    if (!store)
        return;
    pl_space_destroy(store->space);
    pl_dedup_free(&store->index);
    free(store->entry);
    free(store->word);
    free(store);
}

/* --- the order of age -------------------------------------------------------- */

static void age_remove(struct pl_store *store, pl_page key)
{
    const struct entry *e = &store->entry[key];
    if (e->older != PL_NO_PAGE)
        store->entry[e->older].newer = e->newer;
    else
        store->oldest = e->newer;
    if (e->newer != PL_NO_PAGE)
        store->entry[e->newer].older = e->older;
    else
        store->newest = e->older;
}

static void age_add(struct pl_store *store, pl_page key)
{
    struct entry *e = &store->entry[key];
    e->older = store->newest;
    e->newer = PL_NO_PAGE;
    if (store->newest != PL_NO_PAGE)
        store->entry[store->newest].newer = key;
    else
        store->oldest = key;
    store->newest = key;
}

pl_page pl_store_oldest(const struct pl_store *store)
{
    return store->oldest;
}

void pl_store_touch(struct pl_store *store, pl_page key)
{
    assert(pl_store_has(store, key));
    age_remove(store, key);
    age_add(store, key);
}

/* --- limits -------------------------------------------------------------------- */

static uint64_t record_bytes(const struct pl_store *store)
{
    return store->counts.pages * store->params.space->record_bytes;
}

uint64_t pl_store_limited_bytes(const struct pl_store *store)
{
    return pl_space_used_bytes(store->space) + (store->params.space->records_inside ? record_bytes(store) : 0);
}

uint64_t pl_store_most_growth(const struct pl_store *store)
{
    return store->space->most_growth + (store->params.space->records_inside ? store->params.space->record_bytes : 0);
}

uint64_t pl_store_pages(const struct pl_store *store)
{
    return store->counts.pages;
}

void pl_store_set_room(struct pl_store *store, uint64_t bytes)
{
    store->room = bytes;
}

/* Whether one page more may be kept that makes the space grow by `grows` bytes. */
static bool fits(const struct pl_store *store, uint64_t grows)
{
    uint64_t most = store->room < store->params.max_bytes ? store->room : store->params.max_bytes;
    const struct pl_space_ops *space = store->params.space;
    return most == PL_STORE_NO_LIMIT ||
           pl_store_limited_bytes(store) + grows + (space->records_inside ? space->record_bytes : 0) <= most;
}

/* --- putting -------------------------------------------------------------------- */

static enum pl_err make_entries(struct pl_store *store, pl_page key, struct pl_error *err)
{
    if (key < store->keys)
        return PL_OK;
    enum pl_err rc = pl_grow((void **)&store->entry, &store->capacity, (size_t)key + 1, sizeof(store->entry[0]),
                             "the store's pages", err);
    if (rc == PL_OK && store->params.keep_content)
        rc = pl_grow((void **)&store->word, &store->word_capacity, (size_t)key + 1, sizeof(store->word[0]),
                     "the store's pages", err);
    if (rc)
        return rc;
    for (; store->keys <= key; store->keys++)
        store->entry[store->keys].object = NOT_STORED;
    return PL_OK;
}

/* A page that will take an object: what it is stored as. */
static uint32_t stored_size(const struct pl_store *store, const struct pl_store_page *page)
{
    uint32_t page_size = store->params.space_params.page_size;
    return page->size && page->size < store->params.raw_from ? page->size : page_size;
}

/* Whether bytes can be kept for a page that is stored in this size: those offered must be the ones stored. */
static const uint8_t *kept_bytes(const struct pl_store *store, const struct pl_store_page *page, uint32_t size)
{
    return store->params.keep_content && page->size == size ? page->bytes : NULL;
}

static enum pl_err add_object(struct pl_store *store, const struct pl_store_page *page, uint32_t size, uint32_t *out,
                              struct pl_error *err)
{
    enum pl_err rc = pl_dedup_add(&store->index, page->hash, kept_bytes(store, page, size), size, out, err);
    if (rc)
        return rc;
    rc = pl_space_insert(store->space, size, &store->index.object[*out].slot, err);
    if (rc)
        pl_dedup_remove(&store->index, *out);
    return rc;
}

static void remove_object(struct pl_store *store, uint32_t object)
{
    pl_space_remove(store->space, store->index.object[object].slot, store->index.object[object].size);
    pl_dedup_remove(&store->index, object);
}

static bool is_raw(const struct pl_store *store, uint32_t object)
{
    return store->index.object[object].size == store->params.space_params.page_size;
}

/* Enters a page into the tables and statistics, or takes it out again (`sign` -1). */
static void count_page(struct pl_store *store, enum pl_store_outcome kind, uint32_t object, int sign)
{
    struct pl_store_statistics *c = &store->counts;
    uint64_t one = (uint64_t)(int64_t)sign;
    c->pages += one;
    if (kind == PL_STORE_SAME_FILLED)
        c->same_filled += one;
    else if (kind == PL_STORE_DUPLICATE)
        c->duplicates += one;
    else {
        c->unique += one;
        c->raw += is_raw(store, object) ? one : 0;
        c->compressed_bytes += one * store->index.object[object].size;
    }
}

/* Finds or makes the object for a page. *out is an outcome that says how; a refusal leaves nothing behind. */
static enum pl_err place_page(struct pl_store *store, const struct pl_store_page *page, uint32_t *object,
                              enum pl_store_outcome *out, struct pl_error *err)
{
    *out = PL_STORE_FULL_BYTES;
    if (page->same_filled && store->params.same_filled != PL_SAME_NONE) {
        if (fits(store, 0)) {
            *object = SAME_FILLED;
            *out = PL_STORE_SAME_FILLED;
        }
        return PL_OK;
    }
    uint32_t size = stored_size(store, page);
    *object = pl_dedup_find(&store->index, page->hash, kept_bytes(store, page, size), size);
    if (*object != PL_NO_OBJECT) {
        if (!fits(store, 0))
            return PL_OK;
        store->index.object[*object].references++;
        *out = PL_STORE_DUPLICATE;
        return PL_OK;
    }
    if (size > store->space->largest_object) {
        *out = PL_STORE_TOO_LARGE;
        return PL_OK;
    }
    if (!fits(store, pl_space_grows_by(store->space, size)))
        return PL_OK;
    *out = size == store->params.space_params.page_size ? PL_STORE_RAW : PL_STORE_COMPRESSED;
    return add_object(store, page, size, object, err);
}

static void release_object(struct pl_store *store, uint32_t object)
{
    if (object != SAME_FILLED && --store->index.object[object].references == 0)
        remove_object(store, object);
}

static void note_peaks(struct pl_store *store)
{
    struct pl_store_statistics *c = &store->counts;
    uint64_t bytes = pl_store_limited_bytes(store);
    if (c->pages > c->peak_pages)
        c->peak_pages = c->pages;
    if (bytes > c->peak_limited_bytes)
        c->peak_limited_bytes = bytes;
}

enum pl_err pl_store_put(struct pl_store *store, pl_page key, const struct pl_store_page *page,
                         enum pl_store_outcome *out, struct pl_error *err)
{
    assert(key != PL_NO_PAGE && !pl_store_has(store, key));
    enum pl_store_outcome outcome = PL_STORE_FULL_PAGES;
    uint32_t object = NOT_STORED;
    enum pl_err rc = make_entries(store, key, err);
    if (rc == PL_OK && store->counts.pages < store->params.max_pages)
        rc = place_page(store, page, &object, &outcome, err);
    if (rc)
        return rc;
    if (pl_store_was_stored(outcome)) {
        count_page(store, outcome, object, 1);
        store->entry[key].object = object;
        if (outcome == PL_STORE_SAME_FILLED && store->word)
            memcpy(&store->word[key], page->bytes ? page->bytes : (const uint8_t[8]){0}, sizeof(store->word[key]));
        age_add(store, key);
        note_peaks(store);
    }
    store->counts.offered[outcome]++;
    *out = outcome;
    return PL_OK;
}

/* --- finding and taking out ------------------------------------------------------ */

bool pl_store_has(const struct pl_store *store, pl_page key)
{
    return key < store->keys && store->entry[key].object != NOT_STORED;
}

bool pl_store_find(const struct pl_store *store, pl_page key, struct pl_store_page *out)
{
    if (!pl_store_has(store, key))
        return false;
    if (!out)
        return true;
    if (store->entry[key].object == SAME_FILLED) {
        const uint8_t *word = store->word ? (const uint8_t *)&store->word[key] : NULL;
        *out = (struct pl_store_page){.same_filled = true, .bytes = word};
        return true;
    }
    uint32_t object = store->entry[key].object;
    *out = (struct pl_store_page){.size = store->index.object[object].size,
                                  .hash = pl_dedup_hash(&store->index, object),
                                  .bytes = pl_dedup_bytes(&store->index, object)};
    return true;
}

bool pl_store_remove(struct pl_store *store, pl_page key)
{
    if (!pl_store_has(store, key))
        return false;
    uint32_t object = store->entry[key].object;
    enum pl_store_outcome kind = PL_STORE_SAME_FILLED;
    if (object != SAME_FILLED)
        kind = store->index.object[object].references > 1 ? PL_STORE_DUPLICATE : PL_STORE_COMPRESSED;
    count_page(store, kind, object, -1);
    release_object(store, object);
    age_remove(store, key);
    store->entry[key].object = NOT_STORED;
    return true;
}

struct pl_compaction pl_store_compact(struct pl_store *store)
{
    return pl_space_compact(store->space);
}

struct pl_store_statistics pl_store_statistics(const struct pl_store *store)
{
    struct pl_store_statistics statistics = store->counts;
    statistics.space = pl_space_usage(store->space);
    statistics.record_bytes = record_bytes(store);
    statistics.limited_bytes = pl_store_limited_bytes(store);
    statistics.hash_compares = store->index.compares;
    statistics.hash_collisions = store->index.collisions;
    return statistics;
}

const struct pl_store_params *pl_store_params(const struct pl_store *store)
{
    return &store->params;
}

/* --- pages with content ------------------------------------------------------------ */

static bool is_same(enum pl_same mode, const uint8_t *content, uint32_t page_size, uint64_t *word)
{
    return mode != PL_SAME_NONE && pl_same_filled(content, page_size, word) && (mode == PL_SAME_WORD || !*word);
}

void pl_store_pack(const struct pl_store_params *params, struct pl_codec *codec, const uint8_t *content, uint8_t *room,
                   struct pl_store_page *out)
{
    uint32_t page_size = params->space_params.page_size;
    uint64_t word;
    *out = (struct pl_store_page){.same_filled = is_same(params->same_filled, content, page_size, &word)};
    if (params->dedup != PL_DEDUP_NONE)
        out->hash = pl_page_hash(content, page_size);
    if (out->same_filled) {
        memcpy(room, &word, sizeof(word));
        out->bytes = room;
        return;
    }
    if (!codec)
        return;
    out->size = (uint32_t)pl_codec_compress(codec, content, room, page_size - 1);
    if (params->count_sequences && codec->ops->sequences)
        out->sequences = codec->ops->sequences(room, out->size);
    if (!out->size || (params->raw_from && out->size >= params->raw_from)) {
        memcpy(room, content, page_size);
        out->size = page_size;
    }
    if (!codec->ops->sizes_only || out->size == page_size)
        out->bytes = room;
}

bool pl_store_content(const struct pl_store *store, struct pl_codec *codec, pl_page key, uint8_t *content)
{
    struct pl_store_page page;
    uint32_t page_size = store->params.space_params.page_size;
    if (!pl_store_find(store, key, &page) || !page.bytes)
        return false;
    if (page.same_filled) {
        for (uint32_t at = 0; at < page_size; at += 8)
            memcpy(content + at, page.bytes, 8);
        return true;
    }
    if (page.size < page_size)
        return pl_codec_decompress(codec, page.bytes, page.size, content);
    memcpy(content, page.bytes, page_size);
    return true;
}
