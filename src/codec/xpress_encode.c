/* codec/xpress_encode.c: the XPRESS plain LZ77 encoder, [MS-XCA] 2.3.
 *
 * The format: 32 flag bits (most significant first) say of each of the next 32 items whether it is a literal byte
 * (0) or a match (1). A match is a 16-bit word, (distance - 1) << 3 | (length - 3), whose three length bits
 * continue when they are all ones: in four bits (two matches share a byte, which stands where the first of them
 * needed it), then in a byte, then in 16 bits, then in 32. Thus a literal costs 9 bits and the shortest match 17.
 *
 * Matches are found in buckets by a hash of three bytes, which hold the last four positions in one word: entering
 * one is a shift, and trying them needs no chain of loads. One step of lazy evaluation: a match waits when the next
 * byte starts a longer one. Positions are kept mod 2^16; one that is out of date only costs a try, since every
 * candidate must lie within the window and is compared byte by byte, so that buffers of any size need no other
 * table than pages do. */
#include "codec/bytes.h"
#include "codec/xpress.h"

#include <assert.h>

enum {
    MIN_MATCH = 3,
    /* A match of this length is taken as it is: looking for a better one no longer pays. */
    GOOD_MATCH = 32,
    /* Positions inside a match are entered up to this length; of longer ones only the first and the last. */
    INSERT_MATCH = 64,
};

/* Where the encoder stands in its output. */
struct writer {
    uint8_t *out, *end;
    uint8_t *flags_at;   /* where the flag word in progress will be written */
    uint8_t *half_at;    /* byte whose upper half the next match may use, or NULL */
    uint32_t flags;
    unsigned flag_count; /* bits in `flags`, below 32 */
};

struct finder {
    struct pl_xpress_work *work;
    const uint8_t *in, *end;
    unsigned depth;
};

struct match {
    size_t length; /* below MIN_MATCH: none */
    size_t distance;
};

/* Enters `at`, which has at least four bytes behind it, and returns the positions that its bucket held. */
PL_KERNEL uint64_t insert(const struct finder *finder, const uint8_t *at)
{
    uint32_t hash = (load32(at) << 8) * 0x9E3779B1u >> (32 - PL_XPRESS_HASH_BITS);
    uint64_t before = finder->work->bucket[hash];
    finder->work->bucket[hash] = before << 16 | (uint16_t)(at - finder->in);
    return before;
}

/* The three bytes that decide whether a match can be longer than `length`, its last two and the one behind. */
PL_KERNEL uint32_t deciding_bytes(const uint8_t *at, size_t length)
{
    return load32(at + length - 2) << 8;
}

/* The longest match at `at` above `at_least` (2 or more), the nearest of equally long ones; else distance 0. */
PL_KERNEL struct match find(const struct finder *finder, const uint8_t *at, size_t at_least)
{
    size_t position = (size_t)(at - finder->in), room = (size_t)(finder->end - at);
    size_t reach = position < PL_XPRESS_WINDOW ? position : PL_XPRESS_WINDOW;
    struct match best = {at_least, 0};
    uint64_t candidates = insert(finder, at);

    if (room < at_least + 2) /* deciding_bytes reads one byte more than it needs */
        return best;
    uint32_t wanted = deciding_bytes(at, at_least);
    for (unsigned tries = finder->depth; tries; tries--, candidates >>= 16) {
        size_t distance = (uint16_t)(position - candidates);
        if (distance - 1 >= reach)
            break; /* candidates go back in time; anything else is a leftover */
        if (deciding_bytes(at - distance, best.length) != wanted)
            continue;
        size_t length = common_length(at, at - distance, finder->end);
        if (length > best.length) {
            best = (struct match){length, distance};
            if (length >= GOOD_MATCH || room < length + 2)
                break;
            wanted = deciding_bytes(at, length);
        }
    }
    return best;
}

static void insert_ends(const struct finder *finder, const uint8_t *at, const uint8_t *end)
{
    for (const uint8_t *stop = at + INSERT_MATCH / 2; at < stop; at++)
        insert(finder, at);
    for (at = end - INSERT_MATCH / 2; at < end; at++)
        insert(finder, at);
}

/* Enters the positions inside a match that was just taken, from `at` up to `end`, but for those with too few bytes
 * behind. */
PL_KERNEL void insert_inside(const struct finder *finder, const uint8_t *at, const uint8_t *end)
{
    if (end > finder->end - 3)
        end = finder->end - 3;
    if (end - at > INSERT_MATCH)
        insert_ends(finder, at, end);
    else
        for (; at < end; at++)
            insert(finder, at);
}

/* Ends one item. When the flag word is full, writes it and leaves the place for the next one. */
PL_KERNEL void put_flag(struct writer *writer, uint32_t flag)
{
    writer->flags = writer->flags << 1 | flag;
    if (++writer->flag_count < 32)
        return;
    store32(writer->flags_at, writer->flags);
    writer->flags_at = writer->out;
    writer->out += 4;
    writer->flag_count = 0;
}

/* Whether an item of `bytes` fits, with the flag word that may have to follow it. */
PL_KERNEL bool fits(const struct writer *writer, size_t bytes)
{
    return bytes + (writer->flag_count == 31 ? 4 : 0) <= (size_t)(writer->end - writer->out);
}

PL_KERNEL bool put_literal(struct writer *writer, uint8_t byte)
{
    if (!fits(writer, 1))
        return false;
    *writer->out++ = byte;
    put_flag(writer, 0);
    return true;
}

/* Bytes that put_match will write for this length - 3. */
PL_KERNEL size_t match_bytes(const struct writer *writer, size_t length)
{
    size_t bytes = 2;
    if (length >= 7)
        bytes += writer->half_at ? 0 : 1;
    if (length >= 7 + 15)
        bytes += 1;
    if (length >= 7 + 15 + 255)
        bytes += length < 65536 ? 2 : 6;
    return bytes;
}

/* The part of a length that does not fit the match word; `rest` is length - 3 - 7. */
PL_KERNEL void put_long_length(struct writer *writer, size_t rest)
{
    uint8_t half = rest < 15 ? (uint8_t)rest : 15;
    if (writer->half_at) {
        *writer->half_at |= (uint8_t)(half << 4);
        writer->half_at = NULL;
    } else {
        writer->half_at = writer->out;
        *writer->out++ = half;
    }
    if (rest < 15)
        return;
    rest -= 15;
    *writer->out++ = rest < 255 ? (uint8_t)rest : 255;
    if (rest < 255)
        return;
    rest += 7 + 15; /* from here on the whole of length - 3 is written again */
    if (rest < 65536) {
        store16(writer->out, (uint32_t)rest);
        writer->out += 2;
    } else {
        store16(writer->out, 0);
        store32(writer->out + 2, (uint32_t)rest);
        writer->out += 6;
    }
}

PL_KERNEL bool put_match(struct writer *writer, struct match match)
{
    size_t length = match.length - MIN_MATCH;
    if (writer->end - writer->out < 16 && !fits(writer, match_bytes(writer, length)))
        return false;
    store16(writer->out, (uint32_t)((match.distance - 1) << 3 | (length < 7 ? length : 7)));
    writer->out += 2;
    if (length >= 7)
        put_long_length(writer, length - 7);
    put_flag(writer, 1);
    return true;
}

/* The parse. Returns false when the room runs out. */
PL_KERNEL bool encode(const struct finder *finder, struct writer *writer)
{
    const uint8_t *at = finder->in, *end = finder->end;
    struct match match = {0, 0};
    bool have = false; /* `match` was already found, by the lazy step at the byte before */

    while (end - at > MIN_MATCH) {
        if (!have)
            match = find(finder, at, MIN_MATCH - 1);
        have = false;
        if (match.length < MIN_MATCH) {
            if (!put_literal(writer, *at++))
                return false;
            continue;
        }
        const uint8_t *inserted = at + 1; /* positions before this one are entered */
        if (match.length < GOOD_MATCH && end - at > MIN_MATCH + 1) {
            struct match next = find(finder, inserted++, match.length);
            if (next.length > match.length) {
                if (!put_literal(writer, *at++))
                    return false;
                match = next;
                have = true;
                continue;
            }
        }
        if (!put_match(writer, match))
            return false;
        at += match.length;
        insert_inside(finder, inserted, at);
    }
    while (at < end)
        if (!put_literal(writer, *at++))
            return false;
    return true;
}

/* Fills the last flag word with ones, as the specification wants it. Returns the size. */
static size_t finish(struct writer *writer, const uint8_t *start)
{
    uint64_t flags = (uint64_t)writer->flags << (32 - writer->flag_count);
    flags |= (UINT64_C(1) << (32 - writer->flag_count)) - 1;
    store32(writer->flags_at, (uint32_t)flags);
    return (size_t)(writer->out - start);
}

size_t pl_xpress_compress(struct pl_xpress_work *work, unsigned depth, const uint8_t *in, size_t size, uint8_t *out,
                          size_t room)
{
    assert(depth >= 1 && depth <= PL_XPRESS_DEPTH_MAX);
    if (room < 4)
        return 0;
    memset(work->bucket, 0, sizeof(work->bucket)); /* the result must not depend on what was compressed before */
    struct finder finder = {.work = work, .in = in, .end = in + size, .depth = depth};
    struct writer writer = {.out = out + 4, .end = out + room, .flags_at = out};
    return encode(&finder, &writer) ? finish(&writer, out) : 0;
}
