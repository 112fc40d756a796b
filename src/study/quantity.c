/* study/quantity.c: named numbers with units. Sizes are read through the axis parser of the cost model, which keeps
 * parts of a byte (0.05 MB are not whole bytes), so that a study and `pagelab model` mean the same number. */
#include "study/quantity.h"

#include "model/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const pl_quantity_kind_names[] = {"number", "bytes", "time", "rate", "count", "word", NULL};

static const struct {
    const char *unit, *ending;
    double scale;
} shown[] = {
    [PL_QUANTITY_NUMBER] = {"", "", 1},
    [PL_QUANTITY_BYTES] = {"MB", "_mb", (double)PL_MIB},
    [PL_QUANTITY_TIME] = {"s", "_s", 1},
    [PL_QUANTITY_RATE] = {"MB/s", "_mb_per_s", (double)PL_MIB},
    [PL_QUANTITY_COUNT] = {"", "", 1},
    [PL_QUANTITY_WORD] = {"", "", 1},
};

enum pl_err pl_quantity_make(const char *name, enum pl_quantity_kind kind, struct pl_arena *arena,
                             struct pl_quantity *out, struct pl_error *err)
{
    char *column = pl_arena_printf(arena, "%s%s", name, shown[kind].ending), *copy = pl_arena_strdup(arena, name);
    if (!column || !copy)
        return pl_fail_memory(err, strlen(name), "the name of a quantity");
    for (char *at = column; *at; at++)
        if (*at == '.' || *at == '-')
            *at = '_';
    *out = (struct pl_quantity){
        .name = copy, .column = column, .unit = shown[kind].unit, .scale = shown[kind].scale, .kind = kind};
    return PL_OK;
}

static enum pl_err parse_word(const struct pl_quantity *quantity, const char *text, double *out, struct pl_error *err)
{
    char hint[128], printed[64];
    for (size_t i = 0; i < quantity->word_count; i++) {
        if (!strcmp(quantity->words[i], text)) {
            *out = (double)i;
            return PL_OK;
        }
    }
    return pl_fail(
        err, PL_ERR_USAGE, "'%s' is not one of its values%s", pl_printable(printed, sizeof printed, text, strlen(text)),
        pl_did_you_mean(hint, sizeof hint, text, quantity->words, quantity->word_count, sizeof *quantity->words));
}

static enum pl_err parse_number(const char *text, double *out, struct pl_error *err)
{
    return pl_parse_double(text, out) ? PL_OK : pl_fail(err, PL_ERR_USAGE, "'%s' is not a number", text);
}

static enum pl_err parse_bytes(const char *text, uint32_t page_size, double *out, struct pl_error *err)
{
    double mb;
    uint64_t bytes;
    enum pl_err rc = pl_parse_bytes(text, page_size, &bytes, err); /* for its words */
    if (rc == PL_OK)
        rc = pl_cost_parameter_parse(PL_PARAMETER_M, text, page_size, &mb, err);
    if (rc == PL_OK)
        *out = mb * (double)PL_MIB;
    return rc;
}

enum pl_err pl_quantity_parse(const struct pl_quantity *quantity, const char *text, uint32_t page_size, double *out,
                              struct pl_error *err)
{
    pl_time_ps time;
    uint64_t count;
    enum pl_err rc;
    if (quantity->unlimited && !strcmp(quantity->unlimited, text)) {
        *out = INFINITY;
        return PL_OK;
    }
    switch (quantity->kind) {
    case PL_QUANTITY_BYTES:
        return parse_bytes(text, page_size, out, err);
    case PL_QUANTITY_TIME:
        rc = pl_parse_time(text, &time, err);
        if (rc == PL_OK)
            *out = (double)time / (double)PL_PS_PER_S;
        return rc;
    case PL_QUANTITY_RATE:
        return pl_parse_rate(text, out, err);
    case PL_QUANTITY_COUNT:
        rc = pl_parse_count(text, &count, err);
        if (rc == PL_OK)
            *out = (double)count;
        return rc;
    case PL_QUANTITY_WORD:
        return parse_word(quantity, text, out, err);
    case PL_QUANTITY_NUMBER:
        break;
    }
    return parse_number(text, out, err);
}

/* What a JSON value says, as a user would type it. */
static enum pl_err words_of(const struct pl_json_node *node, char *out, size_t size, struct pl_error *err)
{
    const char *text;
    double number;
    bool truth;
    if (pl_json_is_number(node)) {
        enum pl_err rc = pl_json_as_real(node, &number, err);
        if (rc == PL_OK)
            pl_format_double(out, size, number);
        return rc;
    }
    if (!pl_json_is_text(node) && pl_json_as_bool(node, &truth, NULL) == PL_OK) {
        snprintf(out, size, "%s", truth ? "true" : "false");
        return PL_OK;
    }
    enum pl_err rc = pl_json_as_text(node, &text, err);
    if (rc == PL_OK && (size_t)snprintf(out, size, "%s", text) >= size)
        return pl_json_fail(node, err, "too long for a value");
    return rc;
}

enum pl_err pl_quantity_read(const struct pl_quantity *quantity, const struct pl_json_node *node, uint32_t page_size,
                             double *out, struct pl_error *err)
{
    char text[512];
    struct pl_error inner = {PL_OK, ""};
    enum pl_err rc = words_of(node, text, sizeof text, err);
    if (rc)
        return rc;
    if (pl_quantity_parse(quantity, text, page_size, out, &inner))
        return pl_json_fail(node, err, "%s", inner.message);
    return PL_OK;
}

struct pl_value pl_quantity_value(const struct pl_quantity *quantity, double value)
{
    if (quantity->kind == PL_QUANTITY_WORD)
        return pl_value_text(isnan(value) ? NULL : quantity->words[(size_t)value]);
    if (quantity->kind == PL_QUANTITY_COUNT && value >= 0 && value < 0x1p53 && value == floor(value))
        return pl_value_count((uint64_t)value);
    return pl_value_real(value / quantity->scale);
}

char *pl_quantity_show(const struct pl_quantity *quantity, double value, char *out, size_t size)
{
    char text[64];
    if (isnan(value))
        snprintf(text, sizeof text, "-");
    else if (isinf(value) && quantity->unlimited)
        snprintf(text, sizeof text, "%s", quantity->unlimited);
    else if (quantity->kind == PL_QUANTITY_BYTES)
        pl_format_bytes(text, sizeof text, value);
    else if (quantity->kind == PL_QUANTITY_TIME)
        pl_format_time(text, sizeof text, value);
    else if (quantity->kind == PL_QUANTITY_RATE)
        pl_format_rate(text, sizeof text, value);
    else
        snprintf(text, sizeof text, "%.6g", value);
    snprintf(out, size, "%s = %s", quantity->name,
             quantity->kind == PL_QUANTITY_WORD && !isnan(value) ? quantity->words[(size_t)value] : text);
    return out;
}
