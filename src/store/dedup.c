/* store/dedup.c: the objects and their index. */
#include "store/dedup.h"
#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CHAINS_AT_FIRST = 1024 };

enum pl_err pl_dedup_init(struct pl_dedup_index *index, bool compare, bool short_hash, struct pl_error *err)
{
    *index = (struct pl_dedup_index){.free = PL_NO_OBJECT, .short_hash = short_hash};
    if (!compare)
        return PL_OK;
    index->chain = malloc(CHAINS_AT_FIRST * sizeof(index->chain[0]));
    if (!index->chain)
        return pl_fail_memory(err, CHAINS_AT_FIRST * sizeof(index->chain[0]), "the store's hash table");
    memset(index->chain, 0xFF, CHAINS_AT_FIRST * sizeof(index->chain[0])); /* PL_NO_OBJECT */
    index->mask = CHAINS_AT_FIRST - 1;
    return PL_OK;
}

void pl_dedup_free(struct pl_dedup_index *index)
{
    for (uint32_t i = 0; i < index->count; i++)
        free(i < index->has_bytes ? index->bytes[i] : NULL);
    free(index->object);
    free(index->link);
    free(index->bytes);
    free(index->chain);
    *index = (struct pl_dedup_index){.free = PL_NO_OBJECT};
}

/* Whether the hashes agree as far as this index keeps them. */
static bool agrees(const struct pl_dedup_index *index, struct pl_hash128 a, struct pl_hash128 b)
{
    return index->short_hash ? (uint32_t)a.low == (uint32_t)b.low : pl_hash128_equal(a, b);
}

static bool is_equal(const struct pl_dedup_index *index, uint32_t object, struct pl_hash128 hash, const uint8_t *bytes,
                     uint32_t size)
{
    const uint8_t *kept = pl_dedup_bytes(index, object);
    if (kept && bytes)
        return index->object[object].size == size && !memcmp(kept, bytes, size);
    return pl_hash128_equal(pl_dedup_hash(index, object), hash);
}

uint32_t pl_dedup_find(struct pl_dedup_index *index, struct pl_hash128 hash, const uint8_t *bytes, uint32_t size)
{
    if (!index->chain)
        return PL_NO_OBJECT;
    for (uint32_t at = index->chain[(uint32_t)hash.low & index->mask]; at != PL_NO_OBJECT; at = index->link[at].next) {
        if (!agrees(index, pl_dedup_hash(index, at), hash))
            continue;
        index->compares++;
        if (is_equal(index, at, hash, bytes, size))
            return at;
        index->collisions++;
    }
    return PL_NO_OBJECT;
}

static void link_object(struct pl_dedup_index *index, uint32_t object)
{
    uint32_t *chain = &index->chain[index->link[object].hash[0] & index->mask];
    index->link[object].next = *chain;
    *chain = object;
}

/* Doubles the table when there are three times as many objects as chains. Free objects have no references. A table that cannot
 * grow is only slower. */
static void grow_chains(struct pl_dedup_index *index)
{
    if (index->used / 3 <= index->mask || index->mask == UINT32_MAX >> 1)
        return;
    size_t chains = 2 * ((size_t)index->mask + 1);
    uint32_t *chain = malloc(chains * sizeof(chain[0]));
    if (!chain)
        return;
    memset(chain, 0xFF, chains * sizeof(chain[0]));
    free(index->chain);
    index->chain = chain;
    index->mask = (uint32_t)(chains - 1);
    for (uint32_t i = 0; i < index->count; i++)
        if (index->object[i].references)
            link_object(index, i);
}

/* A free place among the objects; it is still on the free list, or just above the count. */
static enum pl_err place_for_object(struct pl_dedup_index *index, uint32_t *out, struct pl_error *err)
{
    *out = index->free != PL_NO_OBJECT ? index->free : index->count;
    if (index->free != PL_NO_OBJECT)
        return PL_OK;
    if (index->count == PL_NO_OBJECT)
        return pl_fail(err, PL_ERR_RESOURCE, "a store of more than %u objects", PL_NO_OBJECT);
    size_t need = (size_t)index->count + 1;
    enum pl_err rc = pl_grow((void **)&index->object, &index->capacity, need, sizeof(index->object[0]),
                             "the store's objects", err);
    if (rc == PL_OK && index->chain)
        rc = pl_grow((void **)&index->link, &index->link_capacity, need, sizeof(index->link[0]), "the store's objects",
                     err);
    return rc;
}

/* Keeps a copy of an object's bytes; NULL: there are none. */
static enum pl_err keep_bytes(struct pl_dedup_index *index, uint32_t place, const uint8_t *bytes, uint32_t size,
                              struct pl_error *err)
{
    if (!bytes && place >= index->has_bytes)
        return PL_OK;
    enum pl_err rc = pl_grow((void **)&index->bytes, &index->bytes_capacity, (size_t)place + 1, sizeof(index->bytes[0]),
                             "the store's objects", err);
    uint8_t *copy = rc == PL_OK && bytes ? malloc(size) : NULL;
    if (rc)
        return rc;
    if (bytes && !copy)
        return pl_fail_memory(err, size, "a stored page");
    while (index->has_bytes <= place)
        index->bytes[index->has_bytes++] = NULL;
    index->bytes[place] = copy;
    if (bytes)
        memcpy(copy, bytes, size);
    return PL_OK;
}

enum pl_err pl_dedup_add(struct pl_dedup_index *index, struct pl_hash128 hash, const uint8_t *bytes, uint32_t size,
                         uint32_t *out, struct pl_error *err)
{
    uint32_t place;
    enum pl_err rc = place_for_object(index, &place, err);
    if (rc == PL_OK)
        rc = keep_bytes(index, place, bytes, size, err);
    if (rc)
        return rc;
    if (place == index->count)
        index->count++;
    else
        index->free = index->object[place].slot;
    index->object[place] = (struct pl_object){.size = size, .references = 1};
    index->used++;
    if (index->chain) {
        index->link[place] = (struct pl_object_link){
            .hash = {(uint32_t)hash.low, (uint32_t)(hash.low >> 32), (uint32_t)hash.high, (uint32_t)(hash.high >> 32)}};
        link_object(index, place);
        grow_chains(index);
    }
    *out = place;
    return PL_OK;
}

void pl_dedup_remove(struct pl_dedup_index *index, uint32_t object)
{
    struct pl_object *gone = &index->object[object];
    if (index->chain) {
        uint32_t *link = &index->chain[index->link[object].hash[0] & index->mask];
        while (*link != object) {
            assert(*link != PL_NO_OBJECT);
            link = &index->link[*link].next;
        }
        *link = index->link[object].next;
    }
    if (object < index->has_bytes) {
        free(index->bytes[object]);
        index->bytes[object] = NULL;
    }
    *gone = (struct pl_object){.slot = index->free};
    index->free = object;
    index->used--;
}
