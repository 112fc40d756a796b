/* base/parameter_value.c: one value of each kind: from words to a field, from a number to words. */
#include "base/parameter_parts.h"

#include "base/units.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- from words ---------------------------------------------------------------- */

static enum pl_err parse_pages(const char *text, uint32_t page_size, uint64_t *out, struct pl_error *err)
{
    uint64_t bytes;
    assert(page_size > 0); /* a table with pages says how large they are */
    enum pl_err rc = pl_parse_bytes(text, page_size, &bytes, err);
    if (rc == PL_OK)
        *out = bytes / page_size;
    return rc;
}

static enum pl_err parse_real(const char *text, double *out, struct pl_error *err)
{
    char shown[48];
    if (pl_parse_double(text, out))
        return PL_OK;
    return pl_fail(err, PL_ERR_USAGE, "'%s' is not a number", pl_printable(shown, sizeof shown, text, strlen(text)));
}

static enum pl_err parse_flag(const char *text, bool *out, struct pl_error *err)
{
    char shown[48];
    bool truth = strcmp(text, "true") == 0;
    if (!truth && strcmp(text, "false") != 0)
        return pl_fail(err, PL_ERR_USAGE, "'%s' is neither true nor false",
                       pl_printable(shown, sizeof shown, text, strlen(text)));
    *out = truth;
    return PL_OK;
}

static enum pl_err parse_choice(const struct pl_parameter *row, const char *text, int *out, struct pl_error *err)
{
    struct pl_text list = {0};
    char shown[48], hint[96];
    size_t count = 0;
    for (; row->choices[count]; count++) {
        if (strcmp(text, row->choices[count]) == 0) {
            pl_text_free(&list);
            *out = (int)count;
            return PL_OK;
        }
        pl_text_addf(&list, "%s%s", count ? ", " : "", row->choices[count]);
    }
    pl_did_you_mean(hint, sizeof hint, text, row->choices, count, sizeof *row->choices);
    enum pl_err rc = pl_fail(err, PL_ERR_USAGE, "'%s' is not one of %s%s",
                             pl_printable(shown, sizeof shown, text, strlen(text)), list.data ? list.data : "", hint);
    pl_text_free(&list);
    return rc;
}

static void set_unlimited(enum pl_parameter_kind kind, union parameter_field *out)
{
    if (kind == PL_PARAM_TIME)
        out->time_ps = INT64_MAX;
    else if (kind == PL_PARAM_REAL || kind == PL_PARAM_RATE)
        out->real = INFINITY;
    else
        out->count = UINT64_MAX;
}

enum pl_err parameter_parse(const struct pl_parameter *row, const char *text, uint32_t page_size,
                            union parameter_field *out, struct pl_error *err)
{
    if (row->unlimited && strcmp(text, row->unlimited) == 0) {
        set_unlimited(row->kind, out);
        return PL_OK;
    }
    switch (row->kind) {
    case PL_PARAM_BYTES:
        return pl_parse_bytes(text, page_size, &out->count, err);
    case PL_PARAM_PAGES:
        return parse_pages(text, page_size, &out->count, err);
    case PL_PARAM_TIME:
        return pl_parse_time(text, &out->time_ps, err);
    case PL_PARAM_RATE:
        return pl_parse_rate(text, &out->real, err);
    case PL_PARAM_COUNT:
        return pl_parse_count(text, &out->count, err);
    case PL_PARAM_REAL:
        return parse_real(text, &out->real, err);
    case PL_PARAM_FLAG:
        return parse_flag(text, &out->truth, err);
    case PL_PARAM_CHOICE:
        return parse_choice(row, text, &out->choice, err);
    case PL_PARAM_TEXT:
        out->text = text;
        return PL_OK;
    }
    return PL_ERR_USAGE;
}

/* --- ranges ----------------------------------------------------------------------- */

/* Less than 0, 0 or more, as for strcmp. Kinds without an order are equal. */
static int compare(enum pl_parameter_kind kind, const union parameter_field *a, const union parameter_field *b)
{
    switch (kind) {
    case PL_PARAM_BYTES:
    case PL_PARAM_PAGES:
    case PL_PARAM_COUNT:
        return (a->count > b->count) - (a->count < b->count);
    case PL_PARAM_TIME:
        return (a->time_ps > b->time_ps) - (a->time_ps < b->time_ps);
    case PL_PARAM_RATE:
    case PL_PARAM_REAL:
        return (a->real > b->real) - (a->real < b->real);
    default:
        return 0;
    }
}

static enum pl_err fail_range(const struct pl_parameter *row, const char *text, const char *least,
                              struct pl_error *err)
{
    char shown[48];
    pl_printable(shown, sizeof shown, text, strlen(text));
    if (!row->most)
        return pl_fail(err, PL_ERR_USAGE, "'%s' is too small; %s is the least", shown, least);
    if (!least)
        return pl_fail(err, PL_ERR_USAGE, "'%s' is too large; %s is the most", shown, row->most);
    return pl_fail(err, PL_ERR_USAGE, "'%s' is not in the range from %s to %s", shown, least, row->most);
}

enum pl_err parameter_check_range(const struct pl_parameter *row, const char *text, uint32_t page_size,
                                  const union parameter_field *value, struct pl_error *err)
{
    union parameter_field bound = {0};
    enum pl_err rc;
    bool fits = true;
    /* Only times can be negative without being numbers of any kind. */
    const char *least = row->least ? row->least : row->kind == PL_PARAM_TIME ? "0" : NULL;
    if (least) {
        rc = parameter_parse(row, least, page_size, &bound, err);
        if (rc)
            return rc;
        fits = compare(row->kind, value, &bound) >= 0;
    }
    if (fits && row->most && !(row->unlimited && strcmp(text, row->unlimited) == 0)) {
        rc = parameter_parse(row, row->most, page_size, &bound, err);
        if (rc)
            return rc;
        fits = compare(row->kind, value, &bound) <= 0;
    }
    return fits ? PL_OK : fail_range(row, text, least, err);
}

/* --- fields ------------------------------------------------------------------------- */

/* Where the value lies in the union and how much room it takes. */
static void *part_of(const struct pl_parameter *row, union parameter_field *value, size_t *size)
{
    switch (row->kind) {
    case PL_PARAM_TIME:
        *size = sizeof value->time_ps;
        return &value->time_ps;
    case PL_PARAM_RATE:
    case PL_PARAM_REAL:
        *size = sizeof value->real;
        return &value->real;
    case PL_PARAM_FLAG:
        *size = sizeof value->truth;
        return &value->truth;
    case PL_PARAM_CHOICE:
        *size = sizeof value->choice;
        return &value->choice;
    case PL_PARAM_TEXT:
        *size = sizeof value->text;
        return &value->text;
    default:
        *size = sizeof value->count;
        return &value->count;
    }
}

void parameter_store(const struct pl_parameter *row, const union parameter_field *value, void *field)
{
    union parameter_field copy = *value;
    size_t size;
    const void *part = part_of(row, &copy, &size);
    memcpy(field, part, size);
}

union parameter_field parameter_load(const struct pl_parameter *row, const void *field)
{
    union parameter_field value = {0};
    size_t size;
    void *part = part_of(row, &value, &size);
    memcpy(part, field, size);
    return value;
}

double pl_parameter_number(const struct pl_parameter_value *value, const void *finished)
{
    union parameter_field field = parameter_load(value->row, (const char *)finished + value->offset);
    switch (value->row->kind) {
    case PL_PARAM_TIME:
        return field.time_ps == INT64_MAX ? (double)INFINITY : (double)field.time_ps;
    case PL_PARAM_RATE:
    case PL_PARAM_REAL:
        return field.real;
    case PL_PARAM_FLAG:
        return field.truth;
    case PL_PARAM_CHOICE:
        return field.choice;
    case PL_PARAM_TEXT:
        return NAN;
    default:
        return field.count == UINT64_MAX ? (double)INFINITY : (double)field.count;
    }
}

double pl_parameter_shown(const struct pl_parameter_value *value, const void *finished)
{
    const struct pl_parameter *row = value->row;
    union parameter_field one = {.count = 1};
    double factor = 1;
    char text[24];
    snprintf(text, sizeof text, "1%s", row->unit ? row->unit : "");
    if (row->kind == PL_PARAM_TIME && pl_parse_time(text, &one.time_ps, NULL) == PL_OK)
        factor = (double)one.time_ps;
    else if (row->kind == PL_PARAM_BYTES && pl_parse_bytes(text, 0, &one.count, NULL) == PL_OK)
        factor = (double)one.count;
    else if (row->kind == PL_PARAM_RATE && pl_parse_rate(text, &one.real, NULL) == PL_OK)
        factor = one.real;
    return pl_parameter_number(value, finished) / factor;
}

/* --- to words ------------------------------------------------------------------------- */

static const char *const time_units[] = {"s", "ms", "us", "ns", "ps", NULL};
static const char *const byte_units[] = {"TiB", "GiB", "MiB", "KiB", "B", NULL};

/* The shortest way to write `whole` units of the smallest kind: "2.5us" rather than "2500ns" or "2500000ps". `step` is
 * the factor between neighbours. Longest first would do as well, but nobody likes to read 0.000001TiB. */
static void format_scaled(uint64_t whole, const char *const *units, double step, char *out, size_t size)
{
    double factor = 1;
    size_t best = SIZE_MAX, last = 0;
    while (units[last + 1])
        last++;
    for (size_t unit = last + 1; unit-- > 0; factor *= step) {
        char number[32], text[40];
        double value = (double)whole / factor;
        if (unit == last)
            snprintf(number, sizeof number, "%" PRIu64, whole);
        else
            pl_format_double(number, sizeof number, value);
        int length = snprintf(text, sizeof text, "%s%s", number, units[unit]);
        /* Only what gives the same whole number again counts: doubles end at 2^53. */
        bool same = unit == last || (value >= 1 && whole < (UINT64_C(1) << 53) && round(value * factor) == (double)whole);
        if (same && (size_t)length <= best) {
            best = (size_t)length;
            snprintf(out, size, "%s", text);
        }
    }
}

static uint64_t to_whole(double number)
{
    number = round(number);
    return number <= 0 || isnan(number) ? 0 : number >= 0x1p63 ? INT64_MAX : (uint64_t)number;
}

void parameter_format(const struct pl_parameter *row, double number, char *out, size_t size)
{
    if (row->unlimited && isinf(number) && number > 0) {
        snprintf(out, size, "%s", row->unlimited);
        return;
    }
    switch (row->kind) {
    case PL_PARAM_BYTES:
        format_scaled(to_whole(number), byte_units, 1024, out, size);
        return;
    case PL_PARAM_TIME:
        format_scaled(to_whole(number), time_units, 1000, out, size);
        return;
    case PL_PARAM_PAGES:
        snprintf(out, size, "%" PRIu64 "p", to_whole(number));
        return;
    case PL_PARAM_COUNT:
        snprintf(out, size, "%" PRIu64, to_whole(number));
        return;
    case PL_PARAM_RATE:
        pl_format_double(out, size, number);
        snprintf(out + strlen(out), size - strlen(out), "B/s");
        return;
    case PL_PARAM_FLAG:
        snprintf(out, size, "%s", number != 0 ? "true" : "false");
        return;
    case PL_PARAM_CHOICE: {
        size_t count = 0;
        while (row->choices[count])
            count++;
        uint64_t index = to_whole(number);
        snprintf(out, size, "%s", row->choices[index < count ? index : count - 1]);
        return;
    }
    default:
        pl_format_double(out, size, number);
    }
}
