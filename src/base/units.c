/* base/units.c: quantities with units, read strictly and written for people.
 *
 * A quantity is split into its number and its unit; the unit is looked up in a table. Whole numbers are multiplied in
 * integers, so that large exact values stay exact; only fractions go through floating point. */
#include "base/units.h"

#include "base/text.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct unit {
    const char *name;
    uint64_t factor;
};

enum { LONGEST_NUMBER = 64 };

/* A text taken apart. `shown` is the whole of it, fit for messages. */
struct quantity {
    char number[LONGEST_NUMBER];
    const char *unit;
    char shown[48];
};

/* Does the character at p, in a quantity that begins at `start`, still belong to its number? */
static bool is_number_char(const char *p, const char *start)
{
    if ((*p >= '0' && *p <= '9') || *p == '.' || *p == '_')
        return true;
    if (*p == '+' || *p == '-')
        return p == start || ((p[-1] == 'e' || p[-1] == 'E') && p > start + 1);
    /* An exponent, and not the first letter of a unit. */
    if ((*p == 'e' || *p == 'E') && p > start) {
        const char *next = p + 1 + (p[1] == '+' || p[1] == '-');
        return *next >= '0' && *next <= '9';
    }
    return false;
}

/* Splits "1_000 KiB" into "1000" and "KiB". False when there is no number or it is absurdly long. */
static bool split(const char *text, struct quantity *out)
{
    pl_printable(out->shown, sizeof out->shown, text, strlen(text));
    while (*text == ' ')
        text++;
    const char *p = text;
    size_t length = 0;
    for (; is_number_char(p, text); p++) {
        if (length + 1 >= sizeof out->number)
            return false;
        if (*p != '_')
            out->number[length++] = *p;
        else if (p == text || !isdigit((unsigned char)p[-1]) || !isdigit((unsigned char)p[1]))
            return false; /* "1_000" but not "_1" or "1__0" */
    }
    out->number[length] = '\0';
    while (*p == ' ')
        p++;
    out->unit = p;
    return length > 0;
}

/* Compares letter case aside; trailing blanks of `text` do not count. */
static bool same_unit(const char *text, const char *name, bool exact_case)
{
    for (; *name; text++, name++)
        if (exact_case ? *text != *name : tolower((unsigned char)*text) != tolower((unsigned char)*name))
            return false;
    while (*text == ' ')
        text++;
    return *text == '\0';
}

/* The row of a unit, or NULL. */
static const struct unit *find_unit(const char *text, const struct unit *units, bool exact_case)
{
    for (; units->name; units++)
        if (same_unit(text, units->name, exact_case))
            return units;
    return NULL;
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " ")] == '\0';
}

enum outcome { FITS, NOT_A_NUMBER, TOO_LARGE };

/* number * factor as a sign and whole units, rounded to nearest; up to 2^63 - 1. */
static enum outcome scale(const char *number, uint64_t factor, bool *negative, uint64_t *out)
{
    *negative = *number == '-';
    if (*number == '-' || *number == '+')
        number++;
    uint64_t whole;
    if (pl_parse_u64(number, &whole)) {
        if (factor && whole > (uint64_t)INT64_MAX / factor)
            return TOO_LARGE;
        *out = whole * factor;
        return FITS;
    }
    /* Only digits, and yet no 64-bit number. */
    double real;
    if (strspn(number, "0123456789") == strlen(number) && *number)
        return TOO_LARGE;
    if (!pl_parse_double(number, &real))
        return strpbrk(number, "eE") && *number != '.' && isdigit((unsigned char)*number) ? TOO_LARGE : NOT_A_NUMBER;
    real = round(real * (double)factor);
    if (real >= 0x1p63)
        return TOO_LARGE;
    *out = (uint64_t)real;
    return FITS;
}

/* What scale found, as a message. */
static enum pl_err fail_scale(enum outcome outcome, const struct quantity *quantity, struct pl_error *err)
{
    if (outcome == TOO_LARGE)
        return pl_fail(err, PL_ERR_USAGE, "'%s' is too large", quantity->shown);
    return pl_fail(err, PL_ERR_USAGE, "'%s' is not a number with a unit", quantity->shown);
}

/* Nothing is nothing in every unit, so that a lone 0 needs none. */
static bool is_zero(const char *number)
{
    double value;
    return pl_parse_double(number, &value) && value == 0;
}

/* --- bytes ------------------------------------------------------------------ */

static const struct unit byte_units[] = {
    {"B", 1},           {"byte", 1},         {"bytes", 1},      {"k", PL_KIB},      {"KB", PL_KIB},
    {"KiB", PL_KIB},    {"M", PL_MIB},       {"MB", PL_MIB},    {"MiB", PL_MIB},    {"G", PL_GIB},
    {"GB", PL_GIB},     {"GiB", PL_GIB},     {"T", PL_GIB << 10}, {"TB", PL_GIB << 10}, {"TiB", PL_GIB << 10},
    {NULL, 0},
};

/* The factor of a byte unit or of pages; 0 when there is no such unit. */
static uint64_t byte_factor(const char *unit, uint32_t page_size)
{
    if (same_unit(unit, "p", true) || same_unit(unit, "page", false) || same_unit(unit, "pages", false))
        return page_size;
    const struct unit *found = find_unit(unit, byte_units, false);
    return found ? found->factor : 0;
}

/* A missing unit is the most frequent mistake, so the message shows the number with each unit that it could have. */
static enum pl_err fail_byte_unit(const struct quantity *quantity, uint32_t page_size, struct pl_error *err)
{
    char unit[24];
    if (is_blank(quantity->unit))
        return page_size ? pl_fail(err, PL_ERR_USAGE, "'%s' has no unit; write %sMiB, %sKiB or %sp (pages)",
                                   quantity->shown, quantity->number, quantity->number, quantity->number)
                         : pl_fail(err, PL_ERR_USAGE, "'%s' has no unit; write %sMiB, %sKiB or %sB", quantity->shown,
                                   quantity->number, quantity->number, quantity->number);
    pl_printable(unit, sizeof unit, quantity->unit, strlen(quantity->unit));
    if (!page_size && (same_unit(unit, "p", true) || same_unit(unit, "pages", false) || same_unit(unit, "page", false)))
        return pl_fail(err, PL_ERR_USAGE, "'%s': a size in pages has no meaning here; write KiB or MiB",
                       quantity->shown);
    return pl_fail(err, PL_ERR_USAGE, "'%s': there is no unit '%s' of memory; use B, KiB, MiB, GiB, TiB%s",
                   quantity->shown, unit, page_size ? " or p (pages)" : "");
}

enum pl_err pl_parse_bytes(const char *text, uint32_t page_size, uint64_t *out, struct pl_error *err)
{
    struct quantity quantity;
    if (!split(text, &quantity))
        return pl_fail(err, PL_ERR_USAGE, "'%s' is not a size; write for example 8MiB%s", quantity.shown,
                       page_size ? " or 128p (pages)" : "");
    bool negative;
    uint64_t factor = byte_factor(quantity.unit, page_size), value;
    if (factor == 0) {
        if (!is_blank(quantity.unit) || !is_zero(quantity.number))
            return fail_byte_unit(&quantity, page_size, err);
        factor = 1;
    }
    enum outcome outcome = scale(quantity.number, factor, &negative, &value);
    if (outcome != FITS)
        return fail_scale(outcome, &quantity, err);
    if (negative && value)
        return pl_fail(err, PL_ERR_USAGE, "'%s': a size cannot be negative", quantity.shown);
    *out = value;
    return PL_OK;
}

/* --- time --------------------------------------------------------------------- */

/* Case counts: "Ms" would be something else. Both characters that look like a micro sign are known. */
static const struct unit time_units[] = {
    {"ps", 1},
    {"ns", (uint64_t)PL_PS_PER_NS},
    {"us", (uint64_t)PL_PS_PER_US},
    {"\xC2\xB5s", (uint64_t)PL_PS_PER_US},
    {"\xCE\xBCs", (uint64_t)PL_PS_PER_US},
    {"ms", (uint64_t)PL_PS_PER_MS},
    {"s", (uint64_t)PL_PS_PER_S},
    {"sec", (uint64_t)PL_PS_PER_S},
    {"min", 60 * (uint64_t)PL_PS_PER_S},
    {"h", 3600 * (uint64_t)PL_PS_PER_S},
    {NULL, 0},
};

enum pl_err pl_parse_time(const char *text, pl_time_ps *out, struct pl_error *err)
{
    struct quantity quantity;
    if (!split(text, &quantity))
        return pl_fail(err, PL_ERR_USAGE, "'%s' is not a time; write for example 2ms", quantity.shown);
    const struct unit *unit = find_unit(quantity.unit, time_units, true);
    bool blank = is_blank(quantity.unit), negative;
    if (!unit && blank && !is_zero(quantity.number))
        return pl_fail(err, PL_ERR_USAGE, "'%s' has no unit; write %sms, %sus or %ss", quantity.shown, quantity.number,
                       quantity.number, quantity.number);
    if (!unit && !blank)
        return pl_fail(err, PL_ERR_USAGE, "'%s' is not in a unit of time; use ps, ns, us, ms, s, min or h",
                       quantity.shown);
    uint64_t value;
    enum outcome outcome = scale(quantity.number, unit ? unit->factor : 1, &negative, &value);
    if (outcome != FITS)
        return fail_scale(outcome, &quantity, err);
    *out = negative ? -(pl_time_ps)value : (pl_time_ps)value;
    return PL_OK;
}

/* --- rates -------------------------------------------------------------------- */

/* The unit in front of "/s", or NULL when the text is no rate. */
static const struct unit *rate_unit(const char *text)
{
    const char *slash = strchr(text, '/');
    char unit[16];
    if (!slash || (!same_unit(slash + 1, "s", true) && !same_unit(slash + 1, "sec", true)) ||
        (size_t)(slash - text) >= sizeof unit)
        return NULL;
    memcpy(unit, text, (size_t)(slash - text));
    unit[slash - text] = '\0';
    return find_unit(unit, byte_units, false);
}

enum pl_err pl_parse_rate(const char *text, double *out, struct pl_error *err)
{
    struct quantity quantity;
    double value;
    if (!split(text, &quantity) || !pl_parse_double(quantity.number, &value))
        return pl_fail(err, PL_ERR_USAGE, "'%s' is not a rate; write for example 320MiB/s", quantity.shown);
    const struct unit *unit = rate_unit(quantity.unit);
    if (!unit && is_blank(quantity.unit) && value != 0)
        return pl_fail(err, PL_ERR_USAGE, "'%s' has no unit; write %sMiB/s or %sKiB/s", quantity.shown,
                       quantity.number, quantity.number);
    if (!unit && !is_blank(quantity.unit))
        return pl_fail(err, PL_ERR_USAGE, "'%s' is not in a unit of rate; use B/s, KiB/s, MiB/s or GiB/s",
                       quantity.shown);
    if (value < 0)
        return pl_fail(err, PL_ERR_USAGE, "'%s': a rate cannot be negative", quantity.shown);
    value *= unit ? (double)unit->factor : 1;
    if (!isfinite(value))
        return pl_fail(err, PL_ERR_USAGE, "'%s' is too large", quantity.shown);
    *out = value;
    return PL_OK;
}

/* --- counts ------------------------------------------------------------------- */

static const struct unit count_units[] = {
    {"", 1},          {"k", 1000},           {"K", 1000},          {"M", 1000000},
    {"G", 1000000000}, {"T", 1000000000000}, {NULL, 0},
};

enum pl_err pl_parse_count(const char *text, uint64_t *out, struct pl_error *err)
{
    struct quantity quantity;
    if (!split(text, &quantity) || *quantity.number == '+')
        return pl_fail(err, PL_ERR_USAGE, "'%s' is not a whole number", quantity.shown);
    if (*quantity.number == '-')
        return pl_fail(err, PL_ERR_USAGE, "'%s': a count cannot be negative", quantity.shown);
    const struct unit *unit = find_unit(quantity.unit, count_units, true);
    if (!unit)
        return pl_fail(err, PL_ERR_USAGE,
                       "'%s' is not a whole number; write digits (1_000_000), or k, M, G, T for powers of ten",
                       quantity.shown);
    uint64_t whole;
    if (pl_parse_u64(quantity.number, &whole)) {
        if (whole > UINT64_MAX / unit->factor)
            return pl_fail(err, PL_ERR_USAGE, "'%s' is too large", quantity.shown);
        *out = whole * unit->factor;
        return PL_OK;
    }
    bool negative;
    double real;
    enum outcome outcome = scale(quantity.number, unit->factor, &negative, &whole);
    if (outcome == TOO_LARGE)
        return fail_scale(outcome, &quantity, err);
    /* "1.5M" and "1e6" are whole; "1.5" is not, nor what a double cannot hold exactly. */
    if (outcome == NOT_A_NUMBER || !pl_parse_double(quantity.number, &real) ||
        fabs(real * (double)unit->factor - (double)whole) > 1e-9 * (double)whole || whole >= UINT64_C(1) << 53 ||
        (whole == 0 && real != 0))
        return pl_fail(err, PL_ERR_USAGE, "'%s' is not a whole number", quantity.shown);
    *out = whole;
    return PL_OK;
}

/* --- for people --------------------------------------------------------------- */

/* Three significant digits: "1.50", "15.0", "150", "1024". */
static void print_short(char *out, size_t size, double value, const char *unit)
{
    double magnitude = fabs(value);
    int decimals = magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0;
    snprintf(out, size, "%.*f %s", decimals, value, unit);
}

char *pl_format_bytes(char *out, size_t size, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;
    if (!isfinite(bytes)) {
        snprintf(out, size, "-");
        return out;
    }
    /* From 1023.5 on three digits would print as "1024": that is 1.00 of the next unit. */
    for (; fabs(bytes) >= 1023.5 && unit + 1 < PL_COUNT_OF(units); unit++)
        bytes /= 1024;
    if (unit == 0)
        snprintf(out, size, "%.*f B", bytes == floor(bytes) ? 0 : 1, bytes);
    else
        print_short(out, size, bytes, units[unit]);
    return out;
}

char *pl_format_rate(char *out, size_t size, double bytes_per_second)
{
    char bytes[32];
    if (isfinite(bytes_per_second))
        snprintf(out, size, "%s/s", pl_format_bytes(bytes, sizeof bytes, bytes_per_second));
    else
        snprintf(out, size, "-");
    return out;
}

char *pl_format_time(char *out, size_t size, double seconds)
{
    /* A row holds from its bound down to the next one; the bounds lie where three digits would round up. */
    static const struct {
        double from, factor;
        const char *unit;
    } rows[] = {
        {2 * 86400, 1.0 / 86400, "d"}, {2 * 3600, 1.0 / 3600, "h"}, {600, 1.0 / 60, "min"}, {0.9995, 1, "s"},
        {0.9995e-3, 1e3, "ms"},        {0.9995e-6, 1e6, "us"},      {0.9995e-9, 1e9, "ns"}, {0, 1e12, "ps"},
    };
    if (!isfinite(seconds) || seconds == 0) {
        snprintf(out, size, seconds == 0 ? "0 s" : "-");
        return out;
    }
    size_t row = 0;
    while (fabs(seconds) < rows[row].from)
        row++;
    print_short(out, size, seconds * rows[row].factor, rows[row].unit);
    return out;
}

char *pl_format_count(char *out, size_t size, uint64_t count)
{
    char digits[24], grouped[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    char *p = grouped;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *p++ = ',';
        *p++ = digits[i];
    }
    *p = '\0';
    snprintf(out, size, "%s", grouped);
    return out;
}
