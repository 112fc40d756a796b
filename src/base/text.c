/* base/text.c: growable strings, the word that was meant, strict numbers.
 *
 * Numbers do not follow the user's locale, even in a program that has set one: the decimal point is put in and taken
 * out by hand around strtod and printf. */
#include "base/text.h"

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- growable strings ------------------------------------------------------- */

void pl_text_free(struct pl_text *text)
{
    free(text->data);
    *text = (struct pl_text){0};
}

void pl_text_clear(struct pl_text *text)
{
    text->length = 0;
    text->failed = false;
    if (text->data)
        text->data[0] = '\0';
}

/* Makes room for `more` bytes and the final NUL. */
static bool reserve(struct pl_text *text, size_t more)
{
    if (text->failed)
        return false;
    if (more < text->capacity - text->length)
        return true;
    if (more >= PTRDIFF_MAX - text->length) {
        text->failed = true;
        return false;
    }
    size_t need = text->length + more + 1;
    /* Half as much again keeps the copying linear, and lets freed pieces be used again. */
    size_t larger = text->capacity + text->capacity / 2;
    if (larger < need)
        larger = need < 64 ? 64 : need;
    char *grown = realloc(text->data, larger);
    if (!grown) {
        text->failed = true;
        return false;
    }
    text->data = grown;
    text->capacity = larger;
    return true;
}

void pl_text_add_bytes(struct pl_text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length))
        return;
    if (length)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void pl_text_add(struct pl_text *text, const char *words)
{
    pl_text_add_bytes(text, words, strlen(words));
}

void pl_text_addf(struct pl_text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length < 0) {
        text->failed = true;
    } else if (reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(args);
}

/* --- the word that was meant -------------------------------------------------- */

enum { LONGEST_WORD = 63 };

/* ASCII only: names of options and keys are, and the locale must not matter. */
static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Letter case aside. */
static bool starts_with(const char *text, const char *prefix)
{
    while (*prefix && lower(*text) == lower(*prefix))
        text++, prefix++;
    return *prefix == '\0';
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edits that turn a into b: a letter put in, left out, replaced, or swapped with its neighbour; letter case is free.
 * Three rows of the usual table are enough. Words too long to be option names are far from everything. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST_WORD + 1];
    size_t *before = rows[0], *previous = rows[1], *row = rows[2];
    size_t a_length = strlen(a), b_length = strlen(b);
    if (a_length > LONGEST_WORD || b_length > LONGEST_WORD)
        return SIZE_MAX;
    for (size_t j = 0; j <= b_length; j++)
        previous[j] = before[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t replace = previous[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            row[j] = smaller(replace, smaller(previous[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = smaller(row[j], before[j - 2] + 1);
        }
        size_t *oldest = before;
        before = previous, previous = row, row = oldest;
    }
    return previous[b_length];
}

/* Words may be fields of larger structs, `stride` bytes apart. */
static const char *word_at(const char *const *words, size_t stride, size_t index)
{
    return *(const char *const *)((const char *)words + index * stride);
}

/* The only entry that begins with `word`, or NULL. */
static const char *unique_prefix(const char *word, const char *const *words, size_t count, size_t stride)
{
    const char *found = NULL;
    for (size_t i = 0; i < count && *word; i++) {
        const char *candidate = word_at(words, stride, i);
        if (!candidate || !starts_with(candidate, word))
            continue;
        if (found)
            return NULL;
        found = candidate;
    }
    return found;
}

const char *pl_nearest(const char *word, const char *const *words, size_t count, size_t stride)
{
    const char *nearest = unique_prefix(word, words, count, stride);
    if (nearest)
        return nearest;
    size_t length = strlen(word);
    size_t limit = length / 3 > 1 ? length / 3 : 1;
    if (limit >= length)
        return NULL; /* a lone letter has nothing in common with what replaces it */
    size_t best = limit + 1;
    for (size_t i = 0; i < count; i++) {
        const char *candidate = word_at(words, stride, i);
        size_t distance = candidate ? edit_distance(word, candidate) : SIZE_MAX;
        if (distance < best) {
            best = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

char *pl_did_you_mean(char *out, size_t size, const char *word, const char *const *words, size_t count, size_t stride)
{
    const char *nearest = pl_nearest(word, words, count, stride);
    assert(size > 0);
    if (nearest)
        snprintf(out, size, "; did you mean '%s'?", nearest);
    else
        out[0] = '\0';
    return out;
}

/* --- strict numbers ----------------------------------------------------------- */

static const char *skip_digits(const char *p)
{
    while (*p >= '0' && *p <= '9')
        p++;
    return p;
}

/* strtoull would take blanks, signs and, at base 0, octal numbers. */
bool pl_parse_u64(const char *text, uint64_t *out)
{
    uint64_t value = 0;
    if (*text == '\0' || *skip_digits(text) != '\0')
        return false;
    for (; *text; text++) {
        unsigned digit = (unsigned)(*text - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

/* [+-] digits [. digits] [e [+-] digits], with a digit before or after the point; *point gets the point or NULL. */
static bool is_decimal(const char *p, const char **point)
{
    *point = NULL;
    if (*p == '+' || *p == '-')
        p++;
    const char *whole = p;
    p = skip_digits(p);
    size_t digits = (size_t)(p - whole);
    if (*p == '.') {
        *point = p++;
        const char *fraction = p;
        p = skip_digits(p);
        digits += (size_t)(p - fraction);
    }
    if (digits == 0)
        return false;
    if (*p == 'e' || *p == 'E') {
        p++;
        if (*p == '+' || *p == '-')
            p++;
        const char *exponent = p;
        p = skip_digits(p);
        if (p == exponent)
            return false;
    }
    return *p == '\0';
}

/* The locale's decimal point, nearly always ".". */
static const char *locale_point(void)
{
    const struct lconv *conventions = localeconv();
    return conventions && conventions->decimal_point && *conventions->decimal_point ? conventions->decimal_point : ".";
}

/* Most numbers of tables: at most 15 digits and no exponent. Digits and power of ten are then exact doubles, and one
 * division rounds correctly (Clinger 1990), ten times faster than strtod. False when the text is not that simple. */
static bool parse_short_decimal(const char *text, double *out)
{
    static const double powers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char *p = text + (*text == '-');
    uint64_t digits = 0;
    size_t count = 0, decimals = 0;
    bool after_point = false;
    for (; count <= 15; p++) {
        if (*p >= '0' && *p <= '9') {
            digits = digits * 10 + (uint64_t)(*p - '0');
            count++;
            decimals += after_point;
        } else if (*p == '.' && !after_point) {
            after_point = true;
        } else {
            break;
        }
    }
    if (*p != '\0' || count == 0 || count > 15)
        return false;
    double value = (double)digits / powers[decimals];
    *out = *text == '-' ? -value : value;
    return true;
}

bool pl_parse_double(const char *text, double *out)
{
    const char *point;
    if (parse_short_decimal(text, out))
        return true;
    if (!is_decimal(text, &point))
        return false;
    /* A program that embeds the library may have set a locale with a decimal comma. */
    const char *local = point ? locale_point() : ".";
    double value;
    if (!point || strcmp(local, ".") == 0) {
        value = strtod(text, NULL);
    } else {
        char copy[512];
        if (strlen(text) + strlen(local) >= sizeof copy)
            return false;
        size_t before = (size_t)(point - text), width = strlen(local);
        memcpy(copy, text, before);
        memcpy(copy + before, local, width);
        strcpy(copy + before + width, point + 1);
        value = strtod(copy, NULL);
    }
    if (!isfinite(value))
        return false;
    *out = value;
    return true;
}

/* printf's %.*g with a point, whatever the locale. */
static void print_digits(char *out, size_t size, int digits, double value)
{
    snprintf(out, size, "%.*g", digits, value);
    if (strchr(out, '.')) /* nearly always: the locale need not be asked */
        return;
    const char *local = locale_point();
    char *found = strcmp(local, ".") == 0 ? NULL : strstr(out, local);
    if (found) {
        size_t width = strlen(local);
        *found = '.';
        memmove(found + 1, found + width, strlen(found + width) + 1);
    }
}

char *pl_format_double(char *out, size_t size, double value)
{
    assert(size >= 32);
    if (!isfinite(value)) {
        snprintf(out, size, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return out;
    }
    if (fabs(value) < 1e15 && value == (double)(int64_t)value && (value != 0 || !signbit(value))) {
        snprintf(out, size, "%" PRId64, (int64_t)value); /* the common case in tables, and ten times faster */
        return out;
    }
    /* 15 digits always survive a double (trailing zeros fall away by themselves), 17 always bring it back; what lies
     * below the normal range has fewer bits, and may need fewer digits. */
    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        double back;
        print_digits(out, size, digits, value);
        if (pl_parse_double(out, &back) && back == value)
            break;
    }
    return out;
}

/* --- safe to show -------------------------------------------------------------- */

size_t pl_utf8_sequence(const char *bytes, size_t length)
{
    const unsigned char *p = (const unsigned char *)bytes;
    if (length == 0)
        return 0;
    if (p[0] < 0x80)
        return 1;
    /* The first continuation byte has a narrower range where a longer form, a surrogate or a value above U+10FFFF
     * would begin (Unicode 15, table 3-7). */
    size_t need = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
    unsigned low = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80;
    unsigned high = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;
    if (p[0] < 0xC2 || p[0] > 0xF4 || length < need || p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < need; i++)
        if (p[i] < 0x80 || p[i] > 0xBF)
            return 0;
    return need;
}

/* Bytes that continue a sequence take no column of their own. */
size_t pl_text_columns(const char *text)
{
    size_t columns = 0;
    for (; *text; text++)
        columns += ((unsigned char)*text & 0xC0) != 0x80;
    return columns;
}

/* The bytes of what can be shown as it is at `bytes`, or 0. Controls of Latin-1 (U+0080 to U+009F) are none. */
static size_t showable(const char *bytes, size_t length)
{
    const unsigned char *p = (const unsigned char *)bytes;
    size_t sequence = pl_utf8_sequence(bytes, length);
    bool control = p[0] < 0x20 || p[0] == 0x7F || (p[0] == 0xC2 && sequence == 2 && p[1] < 0xA0);
    return control ? 0 : sequence;
}

/* The bytes that one "?" stands for where nothing can be shown. */
static size_t unshowable(const char *bytes, size_t length)
{
    size_t sequence = pl_utf8_sequence(bytes, length);
    return sequence ? sequence : 1;
}

char *pl_printable(char *out, size_t size, const char *bytes, size_t length)
{
    assert(size >= 4);
    size_t used = 0, room_for_dots = 0; /* the last place from which "..." still fits */
    for (size_t i = 0; i < length;) {
        size_t sequence = showable(bytes + i, length - i);
        size_t width = sequence ? sequence : 1;
        if (used + width >= size) {
            memcpy(out + room_for_dots, "...", 4);
            return out;
        }
        memcpy(out + used, sequence ? bytes + i : "?", width);
        i += sequence ? sequence : unshowable(bytes + i, length - i);
        used += width;
        if (used + 4 <= size)
            room_for_dots = used;
    }
    out[used] = '\0';
    return out;
}

void pl_text_add_printable(struct pl_text *text, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t sequence = showable(bytes + i, length - i);
        pl_text_add_bytes(text, sequence ? bytes + i : "?", sequence ? sequence : 1);
        i += sequence ? sequence : unshowable(bytes + i, length - i);
    }
}
