/* capture/lz4_size.c: the parse of a greedy LZ4 compressor, counting bytes instead of writing them.
 *
 * The block format: sequences of token, literal length, literals, two bytes of offset, match length. A match has at
 * least 4 bytes; the last 5 bytes are literals, and no match starts in the last 12. The search looks one candidate up
 * for each position, and strides faster the longer nothing is found (every 64 misses one byte more), which is what the
 * widespread compressors do; sizes agree with theirs to about a percent, not to the byte. */
#include "capture/lz4_size.h"

#include <string.h>

enum { MATCH_MIN = 4, LAST_LITERALS = 5, NO_MATCH_TAIL = 12, SKIP_SHIFT = 6 };

static uint32_t load32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint32_t hash_of(uint32_t four)
{
    return four * 2654435761u >> (32 - PL_LZ4_HASH_BITS);
}

/* Bytes that a length takes beyond the token's four bits. */
static size_t more_length(size_t length)
{
    return length < 15 ? 0 : (length - 15) / 255 + 1;
}

static size_t match_length(const uint8_t *at, const uint8_t *from, const uint8_t *end)
{
    const uint8_t *start = at;
    while (at < end && *at == *from) {
        at++;
        from++;
    }
    return (size_t)(at - start);
}

/* The next match at or behind `at`: its place, or `limit` when there is none; *from gets what it repeats. */
static size_t find_match(struct pl_lz4_work *work, const uint8_t *page, size_t at, size_t limit, size_t *from)
{
    for (unsigned misses = 1u << SKIP_SHIFT; at < limit; at += misses++ >> SKIP_SHIFT) {
        uint32_t four = load32(page + at), slot = hash_of(four);
        size_t candidate = work->position[slot];
        work->position[slot] = (uint16_t)at;
        if (candidate < at && load32(page + candidate) == four) {
            *from = candidate;
            return at;
        }
    }
    return limit;
}

size_t pl_lz4_size(struct pl_lz4_work *work, const uint8_t *page, size_t size)
{
    size_t out = 0, anchor = 0, at = 1;
    if (size > NO_MATCH_TAIL) {
        const size_t limit = size - NO_MATCH_TAIL + 1;
        memset(work, 0, sizeof *work);
        work->position[hash_of(load32(page))] = 0;
        for (size_t from; (at = find_match(work, page, at, limit, &from)) < limit;) {
            for (; at > anchor && from > 0 && page[at - 1] == page[from - 1]; at--)
                from--;
            size_t literals = at - anchor;
            size_t length = match_length(page + at + MATCH_MIN, page + from + MATCH_MIN, page + size - LAST_LITERALS);
            out += 1 + more_length(literals) + literals + 2 + more_length(length);
            at += length + MATCH_MIN;
            anchor = at;
            if (at < limit)
                work->position[hash_of(load32(page + at - 2))] = (uint16_t)(at - 2);
        }
    }
    return out + 1 + more_length(size - anchor) + (size - anchor);
}
