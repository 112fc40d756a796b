/* codec/xpress_decode.c: the XPRESS plain LZ77 decoder, [MS-XCA] 2.4. The format is told in xpress_encode.c.
 *
 * Every read and write is checked: the input comes from files. While both ends are far, runs of literals and matches are copied
 * in words that may overshoot; the overshoot is overwritten by what follows. Flags sit at the top of a 64-bit word with a sentinel bit
 * behind them, so that a run of literals is one count of leading zeros, and an empty word is one comparison. */
#include "codec/bytes.h"
#include "codec/xpress.h"

#define SENTINEL (UINT64_C(1) << 63) /* all flags used up */

enum { FAR = 32 }; /* bytes that a literal run of 32 may overshoot to */

struct reader {
    const uint8_t *in, *end;
    const uint8_t *half_at; /* byte whose upper half the next long match takes, or NULL */
};

/* The rest of a length whose three bits are all ones. The result is length - 3. False at the end of the input. */
static bool long_length(struct reader *reader, size_t *out)
{
    size_t length;
    if (reader->half_at) {
        length = *reader->half_at >> 4;
        reader->half_at = NULL;
    } else {
        if (reader->in == reader->end)
            return false;
        reader->half_at = reader->in;
        length = *reader->in++ & 15;
    }
    if (length < 15) {
        *out = length + 7;
        return true;
    }
    if (reader->in == reader->end)
        return false;
    length = *reader->in++;
    if (length < 255) {
        *out = length + 15 + 7;
        return true;
    }
    if (reader->end - reader->in < 2)
        return false;
    length = load16(reader->in);
    reader->in += 2;
    if (!length) {
        if (reader->end - reader->in < 4)
            return false;
        length = load32(reader->in);
        reader->in += 4;
    }
    *out = length;
    return length >= 15 + 7; /* a smaller one has no business in the long form */
}

/* Copies a match whose bytes may overlap; may write up to 16 bytes too many, for which there is room. */
static inline void copy_match_far(uint8_t *out, size_t distance, size_t length)
{
    const uint8_t *from = out - distance;
    uint8_t *end = out + length;
    if (distance >= 16) {
        for (; out < end; out += 16, from += 16)
            copy16(out, from);
    } else if (distance >= 8) {
        for (; out < end; out += 8, from += 8)
            copy8(out, from);
    } else if (distance == 1) {
        memset(out, *from, length);
    } else {
        while (out < end)
            *out++ = *from++;
    }
}

static void copy_match_near(uint8_t *out, size_t distance, size_t length)
{
    for (const uint8_t *from = out - distance; length; length--)
        *out++ = *from++;
}

/* Literals: `run` of them, as far as they are still wanted. Returns how many were taken, 0 when the input ends. */
static inline size_t copy_literals(struct reader *reader, uint8_t *out, size_t wanted, unsigned run)
{
    size_t there = (size_t)(reader->end - reader->in);
    if (there >= FAR && wanted >= FAR) {
        copy16(out, reader->in);
        if (run > 16)
            copy16(out + 16, reader->in + 16);
        reader->in += run;
        return run;
    }
    size_t count = run < wanted ? run : wanted;
    if (count > there)
        return 0;
    memcpy(out, reader->in, count);
    reader->in += count;
    return count;
}

bool pl_xpress_decompress(const uint8_t *in, size_t in_size, uint8_t *out, size_t size)
{
    struct reader reader = {in, in + in_size, NULL};
    uint8_t *at = out, *end = out + size;
    uint64_t flags = SENTINEL;

    while (at < end) {
        if (flags == SENTINEL) {
            if (reader.end - reader.in < 4)
                return false;
            flags = (uint64_t)load32(reader.in) << 32 | SENTINEL >> 32;
            reader.in += 4;
        }
        unsigned run = (unsigned)__builtin_clzll(flags);
        if (run) {
            size_t taken = copy_literals(&reader, at, (size_t)(end - at), run);
            if (!taken)
                return false;
            at += taken;
            flags <<= run;
            continue; /* the run may have ended with the flag word or the output */
        }
        if (reader.end - reader.in < 2)
            return false;
        uint32_t word = load16(reader.in);
        reader.in += 2;
        flags <<= 1;
        size_t distance = (word >> 3) + 1, length = word & 7;
        if (length == 7 && !long_length(&reader, &length))
            return false;
        length += 3;
        if (distance > (size_t)(at - out) || length > (size_t)(end - at))
            return false;
        if ((size_t)(end - at) >= length + 16)
            copy_match_far(at, distance, length);
        else
            copy_match_near(at, distance, length);
        at += length;
    }
    return true;
}
