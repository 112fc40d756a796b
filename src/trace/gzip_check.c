/* trace/gzip_check.c: CRC-32 of what comes out against what the packed file says.
 *
 * A seam between members is found by its look: a header's first three bytes, and flags, speed and system within what RFC
 * 1952 allows. In random bytes that comes by chance once in some 200 GB; the file is then called damaged although it is
 * not. Members of 4 GiB and more are known by their length modulo 2^32 only, so that beyond this, in a file of several,
 * lengths alone are compared. */
#include "trace/gzip_check.h"

#include <string.h>

#define POLYNOMIAL UINT32_C(0xedb88320) /* reflected: bit 31 is x^0 */

/* --- CRC-32, eight bytes a step ------------------------------------------------- */

static uint32_t crc_table[8][256];

static void prepare(void)
{
    if (crc_table[0][1])
        return;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? POLYNOMIAL ^ (c >> 1) : c >> 1;
        crc_table[0][i] = c;
    }
    for (uint32_t i = 0; i < 256; i++)
        for (int step = 1; step < 8; step++)
            crc_table[step][i] = crc_table[0][crc_table[step - 1][i] & 0xff] ^ (crc_table[step - 1][i] >> 8);
}

static uint32_t little32(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint32_t crc_add(uint32_t crc, const uint8_t *bytes, size_t length)
{
    crc = ~crc;
    for (; length >= 8; bytes += 8, length -= 8) {
        uint32_t low = crc ^ little32(bytes);
        crc = crc_table[7][low & 0xff] ^ crc_table[6][low >> 8 & 0xff] ^ crc_table[5][low >> 16 & 0xff] ^
              crc_table[4][low >> 24] ^ crc_table[3][bytes[4]] ^ crc_table[2][bytes[5]] ^ crc_table[1][bytes[6]] ^
              crc_table[0][bytes[7]];
    }
    for (; length; length--)
        crc = crc_table[0][(crc ^ *bytes++) & 0xff] ^ (crc >> 8);
    return ~crc;
}

/* a b modulo the polynomial. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (uint32_t bit = UINT32_C(1) << 31; bit; bit >>= 1) {
        if (a & bit)
            product ^= b;
        b = b & 1 ? POLYNOMIAL ^ (b >> 1) : b >> 1;
    }
    return product;
}

/* The CRC of two pieces one after the other: the first is moved on by the second's bits, x^(8 length) by squaring. */
static uint32_t crc_join(uint32_t first, uint32_t second, uint64_t second_length)
{
    uint32_t power = UINT32_C(1) << 31, square = UINT32_C(1) << 23;
    for (; second_length; second_length >>= 1, square = multiply(square, square))
        if (second_length & 1)
            power = multiply(power, square);
    return multiply(power, first) ^ second;
}

/* --- members ---------------------------------------------------------------------- */

static void end_member(const uint8_t *trailer, uint32_t *crc, uint64_t *length)
{
    const uint32_t bytes = little32(trailer + 4);
    *crc = crc_join(*crc, little32(trailer), bytes);
    *length += bytes;
}

static bool is_header(const uint8_t *at)
{
    return at[0] == 0x1f && at[1] == 0x8b && at[2] == 8 && !(at[3] & 0xe0) && (at[8] == 0 || at[8] == 2 || at[8] == 4) &&
           (at[9] <= 13 || at[9] == 255);
}

static void find_seams(struct gzip_check *check, const uint8_t *bytes, size_t length)
{
    if (length < GZIP_SEAM)
        return;
    const uint8_t *at = bytes + GZIP_TRAILER, *end = bytes + length - GZIP_HEADER + 1;
    while (at < end && (at = memchr(at, 0x1f, (size_t)(end - at))) != NULL) {
        if (is_header(at))
            end_member(at - GZIP_TRAILER, &check->members_crc, &check->members_length);
        at++;
    }
}

void gzip_check_packed(struct gzip_check *check, const uint8_t *bytes, size_t length)
{
    uint8_t joint[2 * sizeof check->tail];
    const size_t front = length < sizeof check->tail ? length : sizeof check->tail;
    if (!length) /* the end of the input: `bytes` may be NULL */
        return;
    prepare();
    memcpy(joint, check->tail, check->tail_length);
    memcpy(joint + check->tail_length, bytes, front);
    const size_t joined = check->tail_length + front;
    find_seams(check, joint, joined);
    find_seams(check, bytes, length);
    /* The tail now: the end of these bytes, or of all that there are of both. */
    const uint8_t *end = length > front ? bytes + length : joint + joined;
    const size_t have = length > front ? length : joined;
    check->tail_length = have < sizeof check->tail ? have : sizeof check->tail;
    memcpy(check->tail, end - check->tail_length, check->tail_length);
}

void gzip_check_unpacked(struct gzip_check *check, const uint8_t *bytes, size_t length)
{
    check->crc = crc_add(check->crc, bytes, length);
    check->length += length;
}

bool gzip_check_holds(const struct gzip_check *check)
{
    static const uint8_t padding[GZIP_TRAILER];
    if (check->tail_length < GZIP_TRAILER)
        return false;
    const uint8_t *trailer = check->tail + check->tail_length - GZIP_TRAILER;
    if (check->length && !memcmp(trailer, padding, sizeof padding))
        return true;
    if (!check->members_length) /* one member, of any length */
        return little32(trailer) == check->crc && little32(trailer + 4) == (uint32_t)check->length;
    uint32_t crc = check->members_crc;
    uint64_t length = check->members_length;
    end_member(trailer, &crc, &length);
    return (uint32_t)length == (uint32_t)check->length && (check->length > UINT32_MAX || crc == check->crc);
}
