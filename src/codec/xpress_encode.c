/* codec/xpress_encode.c: the XPRESS plain LZ77 encoder, [MS-XCA] 2.3.
 *
 * The format: 32 flag bits (most significant first) say of each of the next 32 items whether it is a literal byte (0) or a
 * match (1). A match is a 16-bit word, (distance - 1) << 3 | (length - 3), whose three length bits continue when they
 * are all ones: in four bits (two matches share a byte, which stands where the first of them needed it), then in a byte, then in
 * 16 bits, then in 32. Thus a literal costs 9 bits and the shortest match 17.
 *
 * Matches are found with hash chains over three bytes, at most `depth` links deep, with one step of lazy evaluation: a
 * match waits when the next byte starts a longer one. Positions are kept mod 2^16; a link that is out of date only costs a
 * try, since every candidate is compared byte by byte and must lie within the window, so that buffers of any size
 * need no other tables than pages do. */
#include "codec/bytes.h"
#include "codec/xpress.h"

enum {
    MIN_MATCH = 3,
    /* A match of this length is taken as it is: looking for a better one no longer pays. */
    GOOD_MATCH = 32,
    /* Every position inside a match is entered into the chains up to this length; of longer ones only the first and last
     * few, so that runs are not quadratic. */
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

static inline uint32_t hash3(const uint8_t *p)
{
    uint32_t three = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
    return three * 0x9E3779B1u >> (32 - PL_XPRESS_HASH_BITS);
}

/* Enters `at`, which has at least MIN_MATCH bytes behind it, and returns the newest position of its hash so far. */
static inline uint16_t insert(const struct finder *finder, const uint8_t *at)
{
    size_t position = (size_t)(at - finder->in);
    uint16_t *head = &finder->work->head[hash3(at)];
    uint16_t before = *head;
    finder->work->older[position % PL_XPRESS_WINDOW] = before;
    *head = (uint16_t)position;
    return before;
}

/* The longest match at `at` among the first `depth` links of its chain; the nearest of equally long ones. */
static inline struct match find(const struct finder *finder, const uint8_t *at, size_t at_least)
{
    size_t position = (size_t)(at - finder->in), room = (size_t)(finder->end - at);
    size_t reach = position < PL_XPRESS_WINDOW ? position : PL_XPRESS_WINDOW;
    struct match best = {at_least, 0};
    uint16_t candidate = insert(finder, at);
    size_t last_distance = 0;

    if (at_least >= room) /* nothing longer can come */
        return best;
    for (unsigned tries = finder->depth; tries; tries--) {
        size_t distance = (uint16_t)(position - candidate);
        if (distance <= last_distance || distance > reach)
            break; /* chains go back in time; anything else is a leftover */
        const uint8_t *there = at - distance;
        if (there[best.length] == at[best.length]) { /* else it cannot be longer */
            size_t length = common_length(at, there, finder->end);
            if (length > best.length) {
                best = (struct match){length, distance};
                if (length == room || length >= GOOD_MATCH)
                    break;
            }
        }
        last_distance = distance;
        candidate = finder->work->older[(position - distance) % PL_XPRESS_WINDOW];
    }
    return best;
}

/* Enters the positions inside a match that was just taken, from `at` up to `end`. */
static void insert_inside(const struct finder *finder, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *last = finder->end - MIN_MATCH;
    if (end - at > INSERT_MATCH) {
        for (const uint8_t *stop = at + INSERT_MATCH / 2; at < stop; at++)
            insert(finder, at);
        at = end - INSERT_MATCH / 2;
    }
    for (; at < end && at <= last; at++)
        insert(finder, at);
}

/* Ends one item. When the flag word is full, writes it and leaves the place for the next one. */
static inline void put_flag(struct writer *writer, uint32_t flag)
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
static inline bool fits(const struct writer *writer, size_t bytes)
{
    return bytes + (writer->flag_count == 31 ? 4 : 0) <= (size_t)(writer->end - writer->out);
}

static inline bool put_literal(struct writer *writer, uint8_t byte)
{
    if (!fits(writer, 1))
        return false;
    *writer->out++ = byte;
    put_flag(writer, 0);
    return true;
}

/* Bytes that put_match will write for this length - 3. */
static size_t match_bytes(const struct writer *writer, size_t length)
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
static void put_long_length(struct writer *writer, size_t rest)
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

static inline bool put_match(struct writer *writer, struct match match)
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
static bool encode(const struct finder *finder, struct writer *writer)
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
        const uint8_t *inserted = at + 1; /* positions before this one are in the chains */
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
    if (room < 4)
        return 0;
    memset(work->head, 0, sizeof(work->head)); /* what is left in `older` is never reached before it is written */
    work->older[0] = 0;
    struct finder finder = {.work = work, .in = in, .end = in + size, .depth = depth ? depth : 1};
    struct writer writer = {.out = out + 4, .end = out + room, .flags_at = out};
    return encode(&finder, &writer) ? finish(&writer, out) : 0;
}
