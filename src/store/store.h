/* store/store.h: the compressed store, table of contents.
 *
 *   space.h      memory by organisation: regions, zsmalloc, zbud, z3fold, ideal
 *   dedup.h      equal contents are kept once
 *   (this file)  the store: pages by key, two limits, order of age
 *
 * A store keeps pages under their dense numbers. Each is same-filled (a record without data), a reference to an
 * object that an equal page already brought, or an object of its own in the space. Two limits exist and are often
 * confused: `max_pages` counts stored pages, uncompressed (zram's disksize); `max_bytes` counts the memory that the
 * store takes (zram's mem_limit). A page that would exceed one is refused, and who offers it decides what to do:
 * write the oldest out and offer it again, compact, or send it to the disk.
 *
 * The store does not compress: it is told sizes, by a codec (pl_store_pack), by a trace or by a table. */
#ifndef PL_STORE_STORE_H
#define PL_STORE_STORE_H

#include "codec/codec.h"
#include "codec/page_hash.h"
#include "store/space.h"

#define PL_STORE_NO_LIMIT UINT64_MAX

enum pl_dedup {
    PL_DEDUP_NONE,
    PL_DEDUP_HASH128, /* found by all 128 bits of the content hash */
    PL_DEDUP_HASH32,  /* found by 32 bits, as the Windows store seems to, then compared */
};

enum pl_same {
    PL_SAME_NONE,
    PL_SAME_ZERO, /* zero pages take no space (Windows) */
    PL_SAME_WORD, /* pages of one repeated 64-bit word take none (zram, zswap) */
};

struct pl_store_params {
    const struct pl_space_ops *space;
    struct pl_space_params space_params; /* page_size here is the store's */
    uint64_t max_pages, max_bytes; /* PL_STORE_NO_LIMIT: none */
    enum pl_dedup dedup;
    enum pl_same same_filled;
    uint32_t raw_from; /* pages that do not shrink below this are kept raw, if at all; 0: as the space says */
    bool count_sequences; /* pl_store_pack tells them, where the codec can */
    bool keep_content; /* keeps the packed bytes: duplicates are then compared byte by byte, and pl_store_content works */
};

/* A page as it is offered, or as it is found. */
struct pl_store_page {
    uint32_t size;  /* compressed bytes; the page size, or 0, when it does not compress */
    bool same_filled;
    uint32_t sequences; /* pl_store_pack with count_sequences: that the codec made, of a page kept raw too; else 0 */
    struct pl_hash128 hash; /* of the uncompressed content; used for dedup alone */
    const uint8_t *bytes;   /* `size` packed bytes (raw: the page; same-filled: 8), or NULL where there is no content */
};

enum pl_store_outcome {
    PL_STORE_COMPRESSED,  /* stored, as an object of its own */
    PL_STORE_RAW,         /* stored, as an object of a whole page */
    PL_STORE_SAME_FILLED, /* stored, without data */
    PL_STORE_DUPLICATE,   /* stored, as a reference */
    PL_STORE_FULL_PAGES,  /* refused: max_pages */
    PL_STORE_FULL_BYTES,  /* refused: max_bytes */
    PL_STORE_TOO_LARGE,   /* refused: the organisation cannot keep a page of this size */
};
enum { PL_STORE_OUTCOMES = PL_STORE_TOO_LARGE + 1 };
static inline bool pl_store_was_stored(enum pl_store_outcome outcome)
{
    return outcome <= PL_STORE_DUPLICATE;
}

struct pl_store_statistics {
    uint64_t pages;       /* stored now, of any kind */
    uint64_t same_filled; /* of them */
    uint64_t duplicates;  /* of them: references beyond the first */
    uint64_t unique;      /* objects: pages - same_filled - duplicates */
    uint64_t raw;         /* of unique: kept uncompressed */
    uint64_t compressed_bytes; /* of all objects, raw ones included */
    struct pl_space_usage space;
    uint64_t record_bytes; /* bookkeeping for the pages */
    uint64_t limited_bytes; /* what max_bytes is compared with: space.used_bytes, and the records where they lie inside */
    uint64_t peak_pages, peak_limited_bytes;
    uint64_t offered[PL_STORE_OUTCOMES]; /* by outcome, since the beginning */
    uint64_t hash_compares;   /* pages whose hash was found, so that contents had to be compared */
    uint64_t hash_collisions; /* of them, with different contents */
};

struct pl_store;

enum pl_err pl_store_create(const struct pl_store_params *params, struct pl_store **out, struct pl_error *err);
void pl_store_destroy(struct pl_store *store); /* NULL is allowed */

/* Offers a page under a key that is not in the store. It becomes the newest. Fails only where memory of this
 * machine runs out; the store is then as before. */
enum pl_err pl_store_put(struct pl_store *store, pl_page key, const struct pl_store_page *page,
                         enum pl_store_outcome *out, struct pl_error *err);
/* Memory at hand for the store, in bytes: beyond it a page is refused as it is beyond max_bytes. At first there is no limit. */
void pl_store_set_room(struct pl_store *store, uint64_t bytes);
bool pl_store_has(const struct pl_store *store, pl_page key);
/* What is stored under a key; false when nothing is. `out` may be NULL. */
bool pl_store_find(const struct pl_store *store, pl_page key, struct pl_store_page *out);
/* Takes a page out; false when it was not there. */
bool pl_store_remove(struct pl_store *store, pl_page key);

/* The order of age, for write-out: the page put or touched longest ago; PL_NO_PAGE when the store is empty. */
pl_page pl_store_oldest(const struct pl_store *store);
void pl_store_touch(struct pl_store *store, pl_page key); /* makes a stored page the newest */

struct pl_compaction pl_store_compact(struct pl_store *store);
struct pl_store_statistics pl_store_statistics(const struct pl_store *store);
uint64_t pl_store_limited_bytes(const struct pl_store *store); /* one figure of them, cheaply */
uint64_t pl_store_most_growth(const struct pl_store *store);   /* bytes that one page more may add to them */
uint64_t pl_store_pages(const struct pl_store *store);         /* another */
const struct pl_store_params *pl_store_params(const struct pl_store *store);

/* --- pages with content ------------------------------------------------------ */

/* Makes of a page what the store wants to be told: same-filled or not, hash, and compressed bytes in `room`, which has
 * at least a page size of bytes and must live as long as `out` is used. `params` as pl_store_params gives them. Without
 * a codec (NULL) nothing is compressed, and the size is the caller's to say. */
void pl_store_pack(const struct pl_store_params *params, struct pl_codec *codec, const uint8_t *content, uint8_t *room,
                   struct pl_store_page *out);
/* Gives the content back. False where nothing, or no content, is stored, or the codec refuses it. */
bool pl_store_content(const struct pl_store *store, struct pl_codec *codec, pl_page key, uint8_t *content);

#endif
