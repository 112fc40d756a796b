/* trace/formats/digits.c: plain numbers, one a line: the portable kernels, and the choice.
 *
 * Eight bytes are one 64-bit word ("lane"): a line of up to eight digits is loaded at its start and shifted up until its
 * last digit is the top byte, with zeros below the first (in little-endian order). Digits become values, and neighbours are
 * joined in three steps: nibbles to bytes, bytes to halves, halves to a word. Longer lines take two lanes. */
#include "trace/formats/digits.h"

#include <string.h>

#define ONES UINT64_C(0x0101010101010101)

static uint64_t load_lane(const char *from)
{
    uint64_t lane;
    memcpy(&lane, from, sizeof lane);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    lane = __builtin_bswap64(lane);
#endif
    return lane;
}

/* The index of the first LF in eight bytes; 8 when there is none. */
static unsigned find_newline(uint64_t lane)
{
    uint64_t x = lane ^ ONES * '\n';
    uint64_t found = (x - ONES) & ~x & ONES * 0x80;
    return found ? (unsigned)__builtin_ctzll(found) / 8 : 8;
}

/* The value of a lane; bytes of zero below the first digit count as nothing. Sets bits in *bad when any of the top
 * `count` bytes is no digit. 1 <= count <= 8. */
static inline uint64_t hex_lane(uint64_t lane, unsigned count, uint64_t *bad)
{
    uint64_t text = count == 8 ? lane : lane | (ONES * '0') >> (8 * count);
    uint64_t letter = text >> 6 & ONES; /* 0x40 to 0x7f */
    uint64_t digit = (text & ONES * 0x0f) + letter * 9;
    uint64_t high = (text | letter << 5) & ONES * 0xf0;
    *bad |= text & ONES * 0x80;
    *bad |= high ^ (ONES * 0x30 + letter * 0x30);                    /* '0' to '?', or '`' to 'o' in either case */
    *bad |= digit & ONES * 0xf0;                                      /* g to o */
    *bad |= ((digit + ONES * 6) >> 4 & ONES) ^ letter;                /* ':' to '?', and '`' */
    digit = (digit << 4 | digit >> 8) & UINT64_C(0x00ff00ff00ff00ff);
    digit = (digit << 8 | digit >> 16) & UINT64_C(0x0000ffff0000ffff);
    return (digit << 16 | digit >> 32) & UINT64_C(0xffffffff);
}

static inline uint64_t decimal_lane(uint64_t lane, unsigned count, uint64_t *bad)
{
    uint64_t text = count == 8 ? lane : lane | (ONES * '0') >> (8 * count);
    uint64_t digit = text ^ ONES * '0';
    *bad |= (digit | (digit + ONES * 6)) & ONES * 0xf0; /* a carry out of a byte leaves bits in that byte first */
    digit = (digit * 10 + (digit >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    digit = (digit * 100 + (digit >> 16)) & UINT64_C(0x0000ffff0000ffff);
    return (digit * 10000 + (digit >> 32)) & UINT64_C(0xffffffff);
}

/* One line of 1 to 16 digits. Returns its length with its end, or 0 when it is anything else. Reads 18 bytes. */
static inline size_t one_line(const char *at, bool decimal, uint64_t *out)
{
    uint64_t first = load_lane(at), bad = 0, value;
    unsigned length = find_newline(first);
    if (length == 8) {
        length += find_newline(load_lane(at + 8));
        if (length == 16 && at[16] != '\n')
            length += at[16] == '\r' && at[17] == '\n' ? 1 : 2;
    }
    unsigned digits = length && at[length - 1] == '\r' ? length - 1 : length;
    if (digits == 0 || digits > 16)
        return 0;
    if (digits <= 8) {
        uint64_t lane = first << (64 - 8 * digits);
        value = decimal ? decimal_lane(lane, digits, &bad) : hex_lane(lane, digits, &bad);
    } else {
        uint64_t high = first << (128 - 8 * digits), low = load_lane(at + digits - 8);
        value = decimal ? decimal_lane(high, digits - 8, &bad) * 100000000 + decimal_lane(low, 8, &bad)
                        : hex_lane(high, digits - 8, &bad) << 32 | hex_lane(low, 8, &bad);
    }
    if (bad)
        return 0;
    *out = value;
    return length + 1;
}

enum { LINE_READS = 18 }; /* bytes that one_line may look at */

static inline size_t portable(const char **at, const char *end, uint64_t *out, size_t room, bool decimal)
{
    const char *p = *at;
    size_t n = 0;
    while (n < room && end - p >= LINE_READS) {
        size_t length = one_line(p, decimal, &out[n]);
        if (!length)
            break;
        p += length;
        n++;
    }
    *at = p;
    return n;
}

size_t pl_digits_hex_portable(const char **at, const char *end, uint64_t *out, size_t room)
{
    return portable(at, end, out, room, false);
}

size_t pl_digits_decimal_portable(const char **at, const char *end, uint64_t *out, size_t room)
{
    return portable(at, end, out, room, true);
}

pl_digits_kernel *pl_digits_hex(void)
{
    pl_digits_kernel *fast = pl_digits_hex_avx2();
    return fast ? fast : pl_digits_hex_portable;
}

pl_digits_kernel *pl_digits_decimal(void)
{
    pl_digits_kernel *fast = pl_digits_decimal_avx2();
    return fast ? fast : pl_digits_decimal_portable;
}
