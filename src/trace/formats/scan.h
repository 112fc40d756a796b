/* trace/formats/scan.h: small pieces of a line, for the text formats. All work on [*at, end) and move *at past what they took. */
#ifndef PL_TRACE_SCAN_H
#define PL_TRACE_SCAN_H

#include "base/types.h"

#include <string.h>

/* 0..15, or 255 for what is no hexadecimal digit; in scan.c. */
extern const uint8_t pl_scan_hex_digit[256];

static inline void pl_scan_blanks(const char **at, const char *end)
{
    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
}

static inline bool pl_scan_char(const char **at, const char *end, char c)
{
    if (*at >= end || **at != c)
        return false;
    ++*at;
    return true;
}

static inline bool pl_scan_word(const char **at, const char *end, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(end - *at) < length || memcmp(*at, word, length))
        return false;
    *at += length;
    return true;
}

/* One of the letters in `set`; unlike strchr, not the NUL behind them. */
static inline bool pl_scan_is(char c, const char *set)
{
    return c && strchr(set, c);
}

/* True when nothing but blanks is left. */
static inline bool pl_scan_done(const char **at, const char *end)
{
    pl_scan_blanks(at, end);
    return *at == end;
}

/* Hexadecimal digits, after an optional 0x. Returns how many there were (0: none, *at is where it was). More than 16
 * after leading zeros do not fit: the value is then useless, and the count returned is negative. */
static inline int pl_scan_hex(const char **at, const char *end, uint64_t *out)
{
    const char *p = *at;
    if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x' && pl_scan_hex_digit[(uint8_t)p[2]] < 16)
        p += 2;
    const char *first = p;
    while (p < end && *p == '0')
        p++;
    const char *significant = p;
    uint64_t value = 0;
    for (uint8_t digit; p < end && (digit = pl_scan_hex_digit[(uint8_t)*p]) < 16; p++)
        value = value << 4 | digit;
    *out = value;
    if (p == first)
        return 0;
    *at = p;
    int digits = (int)(p - first);
    return p - significant > 16 ? -digits : digits;
}

/* Decimal digits. Returns how many; negative when the value does not fit into 64 bits. */
static inline int pl_scan_decimal(const char **at, const char *end, uint64_t *out)
{
    const char *p = *at;
    uint64_t value = 0;
    bool overflow = false;
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        overflow |= __builtin_mul_overflow(value, 10, &value);
        overflow |= __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value);
    }
    int digits = (int)(p - *at);
    *at = p;
    *out = value;
    return overflow ? -digits : digits;
}

#endif
