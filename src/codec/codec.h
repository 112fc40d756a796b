/* codec/codec.h: what makes pages smaller, table of contents.
 *
 *   xpress.h        XPRESS plain LZ77, buffers of any size (the core: no dependency)    xpress_encode.c, xpress_decode.c
 *   same_filled.h   pages that repeat one word                                          same_filled.c
 *   page_hash.h     128-bit content hash                                                page_hash.c
 *   page_content.h  generated content, page by page                                     page_content.c
 *   content_file.h  a file as content, page by page                                     content_file.c
 *
 * and, below, the family of page codecs: codec_NAME.c each, one registry row in codec.c. To add one, write a file
 * with a `const struct pl_codec_ops`, declare it in codec_list.h and add its row.
 *
 * A codec compresses pages of one size, each alone. It is created with its parameters and owns the memory it works
 * in, so that nothing is allocated per page; one codec belongs to one thread. What comes out depends on the page
 * and the parameters only. A page that does not shrink below the room offered is the caller's to keep raw. */
#ifndef PL_CODEC_CODEC_H
#define PL_CODEC_CODEC_H

#include "base/error.h"

enum {
    PL_CODEC_PAGE_MIN = 512,
    PL_CODEC_PAGE_MAX = 65536,
};

struct pl_codec_params {
    uint32_t page_size; /* bytes, a power of two from PL_CODEC_PAGE_MIN to PL_CODEC_PAGE_MAX */
    int level;          /* 0: the codec's own choice. zstd: level; lz4: acceleration; xpress: search depth */
    double ratio;       /* constant: the model's r, page bytes to stored bytes, at least 1 */
};

struct pl_codec;

struct pl_codec_ops {
    const char *name;  /* as written in machine files */
    const char *about; /* one line */
    bool sizes_only;   /* tells how large a page becomes, but produces no bytes: `decompress` is NULL */
    int level_min, level_max; /* both 0: takes no level */
    /* Memory that the codec works in, zeroed before `start`. */
    size_t (*work_bytes)(const struct pl_codec_params *params);
    /* Both may be NULL. */
    enum pl_err (*start)(struct pl_codec *codec, struct pl_error *err);
    void (*stop)(struct pl_codec *codec);
    /* The compressed size, at most `room`; 0 when it does not fit. `out` has `room` bytes. */
    size_t (*compress)(struct pl_codec *codec, const uint8_t *page, uint8_t *out, size_t room);
    /* Fills the page. False when the input is not what some page was compressed to; writes nothing outside the
     * page. */
    bool (*decompress)(struct pl_codec *codec, const uint8_t *in, size_t size, uint8_t *page);
    /* How many sequences (literals, then a match) such an input is made of: what its processing time goes by. NULL: the
     * codec does not say. */
    uint32_t (*sequences)(const uint8_t *in, size_t size);
};

/* A codec at work. Fields are the members' to read; callers use the functions. */
struct pl_codec {
    const struct pl_codec_ops *ops;
    struct pl_codec_params params;
    void *work;
};

/* Fails with PL_ERR_USAGE on parameters the codec does not take. */
enum pl_err pl_codec_create(const struct pl_codec_ops *ops, const struct pl_codec_params *params, struct pl_codec **out,
                            struct pl_error *err);
void pl_codec_destroy(struct pl_codec *codec); /* NULL is allowed */
size_t pl_codec_compress(struct pl_codec *codec, const uint8_t *page, uint8_t *out, size_t room);
bool pl_codec_decompress(struct pl_codec *codec, const uint8_t *in, size_t size, uint8_t *page);
size_t pl_codec_memory(const struct pl_codec *codec); /* bytes it works in */

/* All codecs, in the order of the help; ends with NULL. */
extern const struct pl_codec_ops *const pl_codecs[];
/* Looks a codec up by name. On an unknown name fails with PL_ERR_INPUT; the message names the nearest one. */
enum pl_err pl_codec_find(const char *name, const struct pl_codec_ops **out, struct pl_error *err);

#endif
