/* codec/xpress.h: XPRESS, the plain LZ77 variant of [MS-XCA] (sections 2.3 and 2.4): how Windows 10 compresses
 * pages in its store, and how it compresses the buffers of an .etl file. Own code, no dependency.
 *
 * Works on buffers of any size up to 2^31 - 1 bytes, not on pages alone. The stream carries no length of its own:
 * who decompresses must know how many bytes come out. */
#ifndef PL_CODEC_XPRESS_H
#define PL_CODEC_XPRESS_H

#include "base/types.h"

enum {
    PL_XPRESS_HASH_BITS = 12,
    PL_XPRESS_WINDOW = 8192, /* bytes a match can reach back: 13 bits of the match word */
    PL_XPRESS_DEPTH_MAX = 4,
};

/* What the match finder works on; the caller owns it and need not clear it. 32 KiB. */
struct pl_xpress_work {
    /* By hash of three bytes: the last four positions, mod 2^16, the newest in the low 16 bits. */
    uint64_t bucket[1 << PL_XPRESS_HASH_BITS];
};

/* Room that always suffices: literals take one bit more than they are long. */
static inline size_t pl_xpress_bound(size_t size)
{
    return size + size / 32 * 4 + 8;
}

/* Compresses `size` bytes into at most `room`. Returns the compressed size, or 0 when it does not fit (`out` is
 * then undefined). `depth`, 1 to PL_XPRESS_DEPTH_MAX, is how many earlier positions are tried for each match. The
 * same input and depth give the same bytes everywhere. */
size_t pl_xpress_compress(struct pl_xpress_work *work, unsigned depth, const uint8_t *in, size_t size, uint8_t *out,
                          size_t room);

/* Decompresses exactly `size` bytes. False when the input is malformed, ends early, or holds a match that reaches past
 * the end; `out` is then undefined, but nothing outside it was touched. Bytes behind the last one needed are ignored
 * (encoders end with flag bits that stand for nothing). */
bool pl_xpress_decompress(const uint8_t *in, size_t in_size, uint8_t *out, size_t size);

/* The same for input that may be cut short or damaged: returns how many bytes of `out` came out before that, `size`
 * when all did; those behind them are undefined. */
size_t pl_xpress_decompress_some(const uint8_t *in, size_t in_size, uint8_t *out, size_t size);

#endif
