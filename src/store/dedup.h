/* store/dedup.h: the objects of a store, and the index that finds an equal one.
 *
 * An object is one content in the space, with a count of the pages that refer to it. The index is a hash table of
 * chains by the low 32 bits of the content hash. In full mode all 128 bits must agree before anything is compared;
 * in short mode 32 bits, as a store does that keeps no more of them. Compared are the packed bytes (a codec is
 * deterministic, so equal ones are equal contents) or, where one of the two has none, the full hashes in their
 * place. */
#ifndef PL_STORE_DEDUP_H
#define PL_STORE_DEDUP_H

#include "base/error.h"
#include "codec/page_hash.h"

#define PL_NO_OBJECT UINT32_MAX

struct pl_object {
    uint32_t size;   /* packed bytes */
    uint32_t slot;   /* in the space; of a free object: the next free one */
    uint32_t references;
};

/* Where contents are compared: a chain is walked over these alone. */
struct pl_object_link {
    uint32_t next; /* in its chain */
    uint32_t hash[4];
};

struct pl_dedup_index {
    struct pl_object *object;
    struct pl_object_link *link; /* by object, when contents are compared */
    uint8_t **bytes;         /* by object, from the first on that has some; owned */
    size_t capacity, link_capacity, bytes_capacity;
    uint32_t has_bytes;      /* objects with a place in `bytes` */
    uint32_t count, free;
    uint64_t used;
    uint32_t *chain; /* first object by hash; NULL: contents are not compared */
    uint32_t mask;
    bool short_hash;
    uint64_t compares;   /* pairs whose hash agreed as far as it counts */
    uint64_t collisions; /* of them: different contents */
};

/* Without `compare` the index finds nothing, and only keeps the objects. */
enum pl_err pl_dedup_init(struct pl_dedup_index *index, bool compare, bool short_hash, struct pl_error *err);
void pl_dedup_free(struct pl_dedup_index *index);
/* The object that equals these bytes (or, where one of the two has none, this hash), or PL_NO_OBJECT. */
uint32_t pl_dedup_find(struct pl_dedup_index *index, struct pl_hash128 hash, const uint8_t *bytes, uint32_t size);
/* A new object with one reference and a copy of the bytes, when there are some. */
enum pl_err pl_dedup_add(struct pl_dedup_index *index, struct pl_hash128 hash, const uint8_t *bytes, uint32_t size,
                         uint32_t *out, struct pl_error *err);
void pl_dedup_remove(struct pl_dedup_index *index, uint32_t object);

/* What the index knows of an object: zero without `compare`, NULL without content. */
static inline struct pl_hash128 pl_dedup_hash(const struct pl_dedup_index *index, uint32_t object)
{
    if (!index->link)
        return (struct pl_hash128){0};
    const uint32_t *part = index->link[object].hash;
    return (struct pl_hash128){.low = part[0] | (uint64_t)part[1] << 32, .high = part[2] | (uint64_t)part[3] << 32};
}
static inline const uint8_t *pl_dedup_bytes(const struct pl_dedup_index *index, uint32_t object)
{
    return object < index->has_bytes ? index->bytes[object] : NULL;
}

#endif
