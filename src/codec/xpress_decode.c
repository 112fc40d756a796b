/* codec/xpress_decode.c: the XPRESS plain LZ77 decoder, [MS-XCA] 2.4. The format is told in xpress_encode.c.
 *
 * Every read and write is checked: the input comes from files. While both ends are far (decode_inside), one check an
 * item stands for all: runs of literals and matches are copied in words that may overshoot, and the overshoot is
 * overwritten by what follows. The last bytes (decode_end) are checked one by one. Flags sit at the top of a 64-bit word
 * with a sentinel bit behind them, so that a run of literals is one count of leading zeros, and an empty word is one
 * comparison. */
#include "codec/bytes.h"
#include "codec/xpress.h"

#define SENTINEL (UINT64_C(1) << 63) /* all flags used up */

enum {
    FAR = 32,        /* bytes that a literal run of 32 may overshoot to */
    INSIDE_IN = 64,  /* more than one item takes: flags 4, literals 32, a match with the longest length 10 */
    INSIDE_OUT = 128, /* more than one item's literals and the words of a short match write */
    SHORT_MATCH = 32,
};

/* Where decoding stands. */
struct decoder {
    const uint8_t *in, *in_end;
    uint8_t *at, *start, *end; /* of what comes out */
    const uint8_t *half_at;    /* byte whose upper half the next long match takes, or NULL */
    uint64_t flags;
};

/* The rest of a length whose three bits are all ones: *length becomes length - 3. *half_at is the byte whose upper
 * half the next such match takes, or NULL. Returns where the input goes on, or NULL at its end. */
static const uint8_t *long_length(const uint8_t *in, const uint8_t *end, const uint8_t **half_at, size_t *length)
{
    size_t value;
    if (*half_at) {
        value = **half_at >> 4;
        *half_at = NULL;
    } else {
        if (in == end)
            return NULL;
        *half_at = in;
        value = *in++ & 15;
    }
    *length = value + 7;
    if (value < 15)
        return in;
    if (in == end)
        return NULL;
    value = *in++;
    *length = value + 15 + 7;
    if (value < 255)
        return in;
    if (end - in < 2)
        return NULL;
    value = load16(in);
    in += 2;
    if (!value) {
        if (end - in < 4)
            return NULL;
        value = load32(in);
        in += 4;
    }
    *length = value;
    return value >= 15 + 7 ? in : NULL; /* a smaller one has no business in the long form */
}

/* Copies a match; where the room allows it in words that write up to 16 bytes too many. Near matches go by bytes
 * also when they do not overlap: a word read back over stores that are still under way waits for all of them. */
static inline void copy_match(uint8_t *out, size_t distance, size_t length, size_t room)
{
    const uint8_t *from = out - distance;
    uint8_t *end = out + length;
    if (room < length + 16 || distance < 8) {
        if (distance == 1)
            memset(out, *from, length);
        else
            while (out < end)
                *out++ = *from++;
    } else if (distance < 16) { /* most matches are short: how often is not worth a guess */
        copy8(out, from);
        copy8(out + 8, from + 8);
        for (out += 16, from += 16; out < end; out += 8, from += 8)
            copy8(out, from);
    } else {
        copy16(out, from);
        for (out += 16, from += 16; out < end; out += 16, from += 16)
            copy16(out, from);
    }
}

/* Literals: `run` of them, as far as they are still wanted. Returns how many were taken, 0 when the input ends. */
static inline size_t copy_literals(const uint8_t *in, size_t there, uint8_t *out, size_t wanted, size_t run)
{
    if (there >= FAR && wanted >= FAR) {
        copy16(out, in);
        if (run > 16)
            copy16(out + 16, in + 16);
        return run;
    }
    size_t count = run < wanted ? run : wanted;
    if (count > there)
        return 0;
    memcpy(out, in, count);
    return count;
}

/* long_length without its checks, for the inside. A length below what has business there comes back as SIZE_MAX / 2,
 * which no room fits. */
PL_KERNEL size_t long_length_inside(const uint8_t **in, const uint8_t **half_at)
{
    size_t value;
    if (*half_at) {
        value = **half_at >> 4;
        *half_at = NULL;
    } else {
        *half_at = *in;
        value = *(*in)++ & 15;
    }
    if (value < 15)
        return value + 7;
    value = *(*in)++;
    if (value < 255)
        return value + 15 + 7;
    value = load16(*in);
    *in += 2;
    if (!value) {
        value = load32(*in);
        *in += 4;
    }
    return value >= 15 + 7 ? value : SIZE_MAX / 2;
}

/* Both words are read before one is written: the second must not wait for the first. */
PL_KERNEL void copy_short_match(uint8_t *out, const uint8_t *from)
{
    uint64_t word[SHORT_MATCH / 8];
    memcpy(word, from, sizeof word);
    memcpy(out, word, sizeof word);
}

/* Items while both ends are far. Behind a match that is no good there is no input left. */
static void decode_inside(struct decoder *decoder)
{
    struct decoder d = *decoder; /* in registers */
    while (d.in_end - d.in > INSIDE_IN && d.end - d.at > INSIDE_OUT) {
        if (d.flags == SENTINEL) {
            d.flags = (uint64_t)load32(d.in) << 32 | SENTINEL >> 32;
            d.in += 4;
        }
        size_t run = (size_t)__builtin_clzll(d.flags);
        copy16(d.at, d.in);
        if (run > 16)
            copy16(d.at + 16, d.in + 16);
        d.in += run;
        d.at += run;
        d.flags <<= run;
        if (d.flags == SENTINEL)
            continue;
        uint32_t word = load16(d.in);
        d.in += 2;
        d.flags <<= 1;
        size_t distance = (word >> 3) + 1, length = word & 7;
        if (length == 7)
            length = long_length_inside(&d.in, &d.half_at);
        length += 3;
        size_t room = (size_t)(d.end - d.at);
        if (distance > (size_t)(d.at - d.start) || length > room) {
            d.in = d.in_end;
            d.flags = SENTINEL;
            break;
        }
        if (distance >= SHORT_MATCH && length <= SHORT_MATCH)
            copy_short_match(d.at, d.at - distance);
        else
            copy_match(d.at, distance, length, room);
        d.at += length;
    }
    *decoder = d;
}

/* Items with every step checked, up to the end or to where the input is cut or damaged. */
static void decode_end(struct decoder *d)
{
    while (d->at < d->end) {
        if (d->flags == SENTINEL) {
            if (d->in_end - d->in < 4)
                return;
            d->flags = (uint64_t)load32(d->in) << 32 | SENTINEL >> 32;
            d->in += 4;
        }
        size_t run = (size_t)__builtin_clzll(d->flags);
        if (run) {
            size_t taken = copy_literals(d->in, (size_t)(d->in_end - d->in), d->at, (size_t)(d->end - d->at), run);
            if (!taken)
                return;
            d->in += taken;
            d->at += taken;
            d->flags <<= run;
            if (d->flags == SENTINEL || d->at == d->end)
                continue;
        }
        if (d->in_end - d->in < 2)
            return;
        uint32_t word = load16(d->in);
        d->in += 2;
        d->flags <<= 1;
        size_t distance = (word >> 3) + 1, length = word & 7, room = (size_t)(d->end - d->at);
        if (length == 7 && !(d->in = long_length(d->in, d->in_end, &d->half_at, &length)))
            return;
        length += 3;
        if (distance > (size_t)(d->at - d->start) || length > room)
            return;
        copy_match(d->at, distance, length, room);
        d->at += length;
    }
}

size_t pl_xpress_decompress_some(const uint8_t *in, size_t in_size, uint8_t *out, size_t size)
{
    struct decoder decoder = {
        .in = in, .in_end = in + in_size, .at = out, .start = out, .end = out + size, .flags = SENTINEL,
    };
    decode_inside(&decoder);
    decode_end(&decoder);
    return (size_t)(decoder.at - out);
}

bool pl_xpress_decompress(const uint8_t *in, size_t in_size, uint8_t *out, size_t size)
{
    return pl_xpress_decompress_some(in, in_size, out, size) == size;
}
