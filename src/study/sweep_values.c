/* study/sweep_values.c: the values of one parameter of a study.
 *
 *   "r": 2                                                          fixed
 *   "r": [1.5, 2, 3]                                                a list
 *   "d": {"from": "0", "to": "2MB", "step": "0.05MB"}               a range in steps
 *   "d": {"from": "64KiB", "to": "4MiB", "count": 7, "scale": "log"} so many values, evenly or by equal factors
 *   "d": {"from": "0", "to": "2MB"}                                 anything between, for draws and searches */
#include "study/sweep_study.h"

#include <math.h>
#include <string.h>

/* Words that are files or names have no list of their own: the study's is theirs. */
static enum pl_err collect_words(const struct pl_json_node *node, struct pl_arena *arena, struct pl_quantity *quantity,
                                 struct pl_error *err)
{
    const bool several = pl_json_is_array(node);
    const size_t count = several ? pl_json_size(node) : 1;
    const char **words = pl_arena_alloc(arena, count ? count : 1, sizeof *words);
    if (!words)
        return pl_fail_memory(err, count * sizeof *words, "the values of a study");
    for (size_t i = 0; i < count; i++) {
        const struct pl_json_node *item = several ? pl_json_at(node, i) : node;
        enum pl_err rc = pl_json_as_text(item, &words[i], err);
        if (rc)
            return rc;
        for (size_t k = 0; k < i; k++)
            if (!strcmp(words[k], words[i]))
                return pl_json_fail(item, err, "'%.200s' stands there twice", words[i]);
    }
    quantity->words = words;
    quantity->word_count = count;
    return PL_OK;
}

static enum pl_err read_list(const struct pl_json_node *node, uint32_t page_size, struct pl_arena *arena,
                             struct pl_study_parameter *parameter, struct pl_error *err)
{
    const bool several = pl_json_is_array(node);
    const size_t count = several ? pl_json_size(node) : 1;
    double *value = pl_arena_alloc(arena, count ? count : 1, sizeof *value);
    if (!value)
        return pl_fail_memory(err, count * sizeof *value, "the values of a study");
    if (!count)
        return pl_json_fail(node, err, "a list without values");
    parameter->low = INFINITY;
    parameter->high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        enum pl_err rc =
            pl_quantity_read(&parameter->quantity, several ? pl_json_at(node, i) : node, page_size, &value[i], err);
        if (rc)
            return rc;
        parameter->low = fmin(parameter->low, value[i]);
        parameter->high = fmax(parameter->high, value[i]);
    }
    parameter->value = value;
    parameter->count = count;
    return PL_OK;
}

/* --- ranges -------------------------------------------------------------------------------- */

struct range {
    const struct pl_json_node *node;
    double from, to, step;
    uint64_t count; /* 0: not given */
    bool has_step, logarithmic;
};

static enum pl_err read_scale(const struct pl_json_node *node, struct range *range, struct pl_error *err)
{
    static const char *const scales[] = {"linear", "log"};
    const char *text;
    char hint[64];
    if (!node)
        return PL_OK;
    enum pl_err rc = pl_json_as_text(node, &text, err);
    if (rc)
        return rc;
    range->logarithmic = !strcmp(text, "log");
    if (!range->logarithmic && strcmp(text, "linear") != 0)
        return pl_json_fail(node, err, "'%.40s' is no scale; linear or log%s", text,
                            pl_did_you_mean(hint, sizeof hint, text, scales, 2, sizeof *scales));
    return PL_OK;
}

static enum pl_err read_ends(const struct pl_json_node *node, const struct pl_quantity *quantity, uint32_t page_size,
                             struct range *range, struct pl_error *err)
{
    const struct pl_json_node *from = pl_json_get(node, "from"), *to = pl_json_get(node, "to");
    const struct pl_json_node *step = pl_json_get(node, "step"), *count = pl_json_get(node, "count");
    if (!from || !to)
        return pl_json_fail(node, err, "a range needs \"from\" and \"to\"");
    enum pl_err rc = pl_quantity_read(quantity, from, page_size, &range->from, err);
    if (rc == PL_OK)
        rc = pl_quantity_read(quantity, to, page_size, &range->to, err);
    if (rc == PL_OK && step)
        rc = pl_quantity_read(quantity, step, page_size, &range->step, err);
    if (rc == PL_OK && count)
        rc = pl_json_as_u64(count, &range->count, err);
    if (rc)
        return rc;
    range->has_step = step != NULL;
    if (step && count)
        return pl_json_fail(node, err, "\"step\" and \"count\": give one of them");
    if (count && (range->count < 1 || range->count > PL_STUDY_POINTS_MAX))
        return pl_json_fail(count, err, "1 to %d values, not %llu", PL_STUDY_POINTS_MAX,
                            (unsigned long long)range->count);
    return PL_OK;
}

static enum pl_err check_range(const struct range *range, struct pl_error *err)
{
    if (range->to < range->from)
        return pl_json_fail(range->node, err, "the range ends before it begins");
    if (range->logarithmic && range->from <= 0)
        return pl_json_fail(range->node, err, "a logarithmic range begins above 0");
    if (range->logarithmic && range->has_step)
        return pl_json_fail(range->node, err, "a logarithmic range has a \"count\" and no \"step\"");
    if (range->has_step && !(range->step > 0))
        return pl_json_fail(range->node, err, "the step must be more than 0");
    return PL_OK;
}

static double range_value(const struct range *range, size_t i, size_t count)
{
    if (range->has_step)
        return fmin(range->from + (double)i * range->step, range->to);
    if (i == 0 || count < 2)
        return range->from;
    if (i == count - 1)
        return range->to;
    double part = (double)i / (double)(count - 1);
    return range->logarithmic ? range->from * pow(range->to / range->from, part)
                              : range->from + (range->to - range->from) * part;
}

static enum pl_err fill_range(const struct range *range, struct pl_arena *arena, struct pl_study_parameter *parameter,
                              struct pl_error *err)
{
    double steps = range->has_step ? floor((range->to - range->from) / range->step + 1e-9) + 1 : (double)range->count;
    if (steps > PL_STUDY_POINTS_MAX)
        return pl_json_fail(range->node, err, "%.0f values are too many (at most %d)", steps, PL_STUDY_POINTS_MAX);
    const size_t count = (size_t)steps;
    double *value = pl_arena_alloc(arena, count, sizeof *value);
    if (!value)
        return pl_fail_memory(err, count * sizeof *value, "the values of a study");
    for (size_t i = 0; i < count; i++) {
        value[i] = range_value(range, i, count);
        if (parameter->quantity.kind == PL_QUANTITY_COUNT)
            value[i] = round(value[i]);
    }
    /* Rounding of the steps does not move the end. */
    if (range->has_step && fabs(value[count - 1] - range->to) < 1e-9 * range->step)
        value[count - 1] = range->to;
    parameter->value = value;
    parameter->count = count;
    return PL_OK;
}

static enum pl_err read_range(const struct pl_json_node *node, uint32_t page_size, struct pl_arena *arena,
                              struct pl_study_parameter *parameter, struct pl_error *err)
{
    static const char *const keys[] = {"from", "to", "step", "count", "scale"};
    struct range range = {.node = node};
    if (parameter->quantity.kind == PL_QUANTITY_WORD)
        return pl_json_fail(node, err, "words have no range; give a list");
    enum pl_err rc = pl_json_only_keys(node, keys, PL_COUNT_OF(keys), err);
    if (rc == PL_OK)
        rc = read_ends(node, &parameter->quantity, page_size, &range, err);
    if (rc == PL_OK)
        rc = read_scale(pl_json_get(node, "scale"), &range, err);
    if (rc == PL_OK)
        rc = check_range(&range, err);
    if (rc)
        return rc;
    parameter->low = range.from;
    parameter->high = range.to;
    parameter->logarithmic = range.logarithmic;
    return range.has_step || range.count ? fill_range(&range, arena, parameter, err) : PL_OK;
}

enum pl_err pl_study_read_parameter(const struct pl_json_node *node, uint32_t page_size, struct pl_arena *arena,
                                    struct pl_study_parameter *parameter, struct pl_error *err)
{
    if (pl_json_is_object(node))
        return read_range(node, page_size, arena, parameter, err);
    if (parameter->quantity.kind == PL_QUANTITY_WORD && !parameter->quantity.words) {
        enum pl_err rc = collect_words(node, arena, &parameter->quantity, err);
        if (rc)
            return rc;
    }
    return read_list(node, page_size, arena, parameter, err);
}

/* --- values between -------------------------------------------------------------------------- */

/* What no machine can have part of. Ends of the range stay as they are. */
static double whole(const struct pl_study_parameter *parameter, double value, uint32_t page_size)
{
    double grain = 0;
    if (parameter->quantity.kind == PL_QUANTITY_BYTES)
        grain = page_size;
    else if (parameter->quantity.kind == PL_QUANTITY_COUNT)
        grain = 1;
    else if (parameter->quantity.kind == PL_QUANTITY_TIME)
        return fmin(fmax(round(value * 1e12) / 1e12, parameter->low), parameter->high);
    if (grain > 0)
        value = round(value / grain) * grain;
    return fmin(fmax(value, parameter->low), parameter->high);
}

double pl_study_value_at(const struct pl_study_parameter *parameter, double unit, uint32_t page_size)
{
    if (parameter->count) {
        size_t i = (size_t)(unit * (double)parameter->count);
        return parameter->value[i < parameter->count ? i : parameter->count - 1];
    }
    double value = parameter->logarithmic ? parameter->low * pow(parameter->high / parameter->low, unit)
                                          : parameter->low + (parameter->high - parameter->low) * unit;
    return whole(parameter, value, page_size);
}
