/* codec/xpress_decode.c: the XPRESS plain LZ77 decoder, [MS-XCA] 2.4. The format is told in xpress_encode.c.
 *
 * Every read and write is checked: the input comes from files. While both ends are far, runs of literals and
 * matches are copied in words that may overshoot; the overshoot is overwritten by what follows. Flags sit at the
 * top of a 64-bit word with a sentinel bit behind them, so that a run of literals is one count of leading zeros,
 * and an empty word is one comparison. */
#include "codec/bytes.h"
#include "codec/xpress.h"

#define SENTINEL (UINT64_C(1) << 63) /* all flags used up */

enum { FAR = 32 }; /* bytes that a literal run of 32 may overshoot to */

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

size_t pl_xpress_decompress_some(const uint8_t *in, size_t in_size, uint8_t *out, size_t size)
{
    const uint8_t *in_end = in + in_size, *half_at = NULL;
    uint8_t *at = out, *end = out + size;
    uint64_t flags = SENTINEL;

    while (at < end) {
        if (flags == SENTINEL) {
            if (in_end - in < 4)
                return (size_t)(at - out);
            flags = (uint64_t)load32(in) << 32 | SENTINEL >> 32;
            in += 4;
        }
        size_t run = (size_t)__builtin_clzll(flags);
        if (run) {
            size_t taken = copy_literals(in, (size_t)(in_end - in), at, (size_t)(end - at), run);
            if (!taken)
                return (size_t)(at - out);
            in += taken;
            at += taken;
            flags <<= run;
            if (flags == SENTINEL || at == end)
                continue;
        }
        if (in_end - in < 2)
            return (size_t)(at - out);
        uint32_t word = load16(in);
        in += 2;
        flags <<= 1;
        size_t distance = (word >> 3) + 1, length = word & 7;
        if (length == 7 && !(in = long_length(in, in_end, &half_at, &length)))
            return (size_t)(at - out);
        length += 3;
        if (distance > (size_t)(at - out) || length > (size_t)(end - at))
            return (size_t)(at - out);
        copy_match(at, distance, length, (size_t)(end - at));
        at += length;
    }
    return size;
}

bool pl_xpress_decompress(const uint8_t *in, size_t in_size, uint8_t *out, size_t size)
{
    return pl_xpress_decompress_some(in, in_size, out, size) == size;
}
