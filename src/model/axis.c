/* model/axis.c: parameter values in words.
 *
 * Sizes and times are parsed twice on purpose: pl_parse_bytes checks the words and knows the units, but rounds to whole
 * bytes, and 0.05 MB are not whole bytes. The number in front is then scaled by what one such unit is. */
#include "model/axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "0.05MB" -> 0.05, in MB, without rounding to bytes. */
static enum pl_err parse_mb(const char *text, uint32_t page_size, double *out, struct pl_error *err)
{
    uint64_t bytes, unit = 1;
    enum pl_err rc = pl_parse_bytes(text, page_size, &bytes, err);
    if (rc)
        return rc;
    char *unit_text, one[64];
    double number = strtod(text, &unit_text);
    unit_text += strspn(unit_text, " ");
    snprintf(one, sizeof(one), "1%s", unit_text);
    if (!*unit_text || pl_parse_bytes(one, page_size, &unit, NULL) || fabs(number * (double)unit - (double)bytes) > 1)
        *out = (double)bytes / (double)PL_MIB;
    else
        *out = number * ((double)unit / (double)PL_MIB);
    return PL_OK;
}

static enum pl_err parse_seconds(const char *text, double *out, struct pl_error *err)
{
    pl_time_ps time;
    enum pl_err rc = pl_parse_time(text, &time, err);
    if (rc == PL_OK)
        *out = (double)time / (double)PL_PS_PER_S;
    return rc;
}

static enum pl_err parse_number(const char *text, double *out, struct pl_error *err)
{
    return pl_parse_double(text, out) ? PL_OK : pl_fail(err, PL_ERR_USAGE, "'%s' is not a number", text);
}

enum pl_err pl_cost_parameter_parse(enum pl_cost_parameter which, const char *text, uint32_t page_size, double *out,
                                    struct pl_error *err)
{
    enum pl_err rc;
    switch (which) {
    case PL_PARAMETER_M:
    case PL_PARAMETER_D:
        rc = parse_mb(text, page_size, out, err);
        break;
    case PL_PARAMETER_CD:
    case PL_PARAMETER_CH:
        rc = parse_seconds(text, out, err);
        break;
    default:
        rc = parse_number(text, out, err);
    }
    return rc ? pl_fail_prefix(err, "%s", pl_cost_parameter_names[which]) : PL_OK;
}

enum pl_err pl_axis_range(enum pl_cost_parameter parameter, double from, double to, double step, struct pl_arena *arena,
                          struct pl_axis *out, struct pl_error *err)
{
    const char *name = pl_cost_parameter_names[parameter];
    if (!(step > 0))
        return pl_fail(err, PL_ERR_USAGE, "%s: the step must be more than 0", name);
    if (to < from)
        return pl_fail(err, PL_ERR_USAGE, "%s: the range ends before it begins; write FROM:TO:STEP", name);
    double steps = floor((to - from) / step + 1e-9);
    if (steps >= PL_AXIS_MAX)
        return pl_fail(err, PL_ERR_USAGE, "%s: %.0f values are too many (at most %d)", name, steps + 1, PL_AXIS_MAX);

    size_t count = (size_t)steps + 1;
    double *values = pl_arena_alloc(arena, count, sizeof(*values));
    if (!values)
        return pl_fail_memory(err, count * sizeof(*values), "the values of a sweep");
    for (size_t i = 0; i < count; i++)
        values[i] = fmin(from + (double)i * step, to);
    /* Rounding of the steps does not move the end. */
    if (fabs(values[count - 1] - to) < 1e-9 * step)
        values[count - 1] = to;
    *out = (struct pl_axis){parameter, count, values};
    return PL_OK;
}

/* Splits `text` in place at `separator`; returns the number of parts. */
static size_t split(char *text, char separator, char **parts, size_t most)
{
    size_t count = 0;
    for (char *at = text; at && count < most; count++) {
        parts[count] = at;
        at = strchr(at, separator);
        if (at)
            *at++ = '\0';
    }
    return count;
}

static enum pl_err parse_range(enum pl_cost_parameter parameter, char *words, uint32_t page_size,
                               struct pl_arena *arena, struct pl_axis *out, struct pl_error *err)
{
    char *parts[4];
    double ends[3];
    if (split(words, ':', parts, PL_COUNT_OF(parts)) != 3)
        return pl_fail(err, PL_ERR_USAGE, "%s: a range is written FROM:TO:STEP", pl_cost_parameter_names[parameter]);
    for (int i = 0; i < 3; i++) {
        enum pl_err rc = pl_cost_parameter_parse(parameter, parts[i], page_size, &ends[i], err);
        if (rc)
            return rc;
    }
    return pl_axis_range(parameter, ends[0], ends[1], ends[2], arena, out, err);
}

static enum pl_err parse_list(enum pl_cost_parameter parameter, char *words, uint32_t page_size,
                              struct pl_arena *arena, struct pl_axis *out, struct pl_error *err)
{
    size_t most = strlen(words) + 1, count;
    char **parts = pl_arena_alloc(arena, most, sizeof(*parts));
    double *values = pl_arena_alloc(arena, most, sizeof(*values));
    if (!parts || !values)
        return pl_fail_memory(err, most * sizeof(*values), "the values of a sweep");
    count = split(words, ',', parts, most);
    for (size_t i = 0; i < count; i++) {
        enum pl_err rc = pl_cost_parameter_parse(parameter, parts[i], page_size, &values[i], err);
        if (rc)
            return rc;
    }
    *out = (struct pl_axis){parameter, count, values};
    return PL_OK;
}

enum pl_err pl_axis_parse(const char *text, uint32_t page_size, struct pl_arena *arena, struct pl_axis *out,
                          struct pl_error *err)
{
    char *copy = pl_arena_strdup(arena, text), hint[64];
    if (!copy)
        return pl_fail_memory(err, strlen(text), "the values of a sweep");
    char *words = strchr(copy, '=');
    if (!words)
        return pl_fail(err, PL_ERR_USAGE, "'%s': a sweep is written NAME=FROM:TO:STEP or NAME=V1,V2,...", text);
    *words++ = '\0';
    int which = 0;
    while (which < PL_PARAMETER_COUNT && strcmp(copy, pl_cost_parameter_names[which]) != 0)
        which++;
    if (which == PL_PARAMETER_COUNT)
        return pl_fail(err, PL_ERR_USAGE, "'%s' is no parameter of the model (m, d, r, cd, ch, frac)%s", copy,
                       pl_did_you_mean(hint, sizeof(hint), copy, pl_cost_parameter_names, PL_PARAMETER_COUNT,
                                       sizeof(*pl_cost_parameter_names)));
    enum pl_cost_parameter parameter = (enum pl_cost_parameter)which;
    enum pl_err rc = strchr(words, ':') ? parse_range(parameter, words, page_size, arena, out, err)
                                        : parse_list(parameter, words, page_size, arena, out, err);
    return rc ? pl_fail_prefix(err, "sweep '%s'", text) : PL_OK;
}
