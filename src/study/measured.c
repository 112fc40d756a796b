/* study/measured.c: reading measurements. Assumes files small enough to be read whole. */
#include "study/measured.h"

#include "base/whole_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const pl_measured_class_names[] = {"input", "restated", "calibrated", "predicted", "shown", NULL};

static const struct unit {
    const char *name;
    double scale;
} units[] = {
    {"s", 1},         {"ms", 1e-3},      {"us", 1e-6},      {"ns", 1e-9},      {"min", 60},         {"count", 1},
    {"faults", 1},    {"pages", 1},      {"ratio", 1},      {"percent", 0.01}, {"bytes", 1},        {"B", 1},
    {"KiB", PL_KIB},  {"MiB", PL_MIB},   {"GiB", PL_GIB},   {"KB", PL_KIB},    {"MB", PL_MIB},      {"GB", 1e9},
    {"MiB/s", PL_MIB}, {"GiB/s", PL_GIB}, {"s/GiB", 1.0 / PL_GIB},
};

static enum pl_err optional_text(const struct pl_json_node *object, const char *key, const char **out, struct pl_error *err)
{
    const struct pl_json_node *node = pl_json_get(object, key);
    return node && !pl_json_is_null(node) ? pl_json_as_text(node, out, err) : PL_OK;
}

static enum pl_err optional_real(const struct pl_json_node *object, const char *key, double *out, struct pl_error *err)
{
    const struct pl_json_node *node = pl_json_get(object, key);
    *out = NAN;
    return node && !pl_json_is_null(node) ? pl_json_as_real(node, out, err) : PL_OK;
}

/* --- values ------------------------------------------------------------------------------ */

static enum pl_err read_unit(const struct pl_json_node *node, struct pl_measured_value *out, struct pl_error *err)
{
    const struct pl_json_node *unit = pl_json_get(node, "unit");
    char hint[160];
    if (!unit)
        return pl_json_fail(node, err, "a value has a unit");
    enum pl_err rc = pl_json_as_text(unit, &out->unit, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < PL_COUNT_OF(units); i++)
        if (!strcmp(units[i].name, out->unit)) {
            out->scale = units[i].scale;
            return PL_OK;
        }
    pl_did_you_mean(hint, sizeof hint, out->unit, &units[0].name, PL_COUNT_OF(units), sizeof units[0]);
    return pl_json_fail(unit, err, "'%.40s' is no unit%s", out->unit, hint);
}

static enum pl_err read_class(const struct pl_json_node *node, bool from_document, struct pl_measured_value *out,
                              struct pl_error *err)
{
    const struct pl_json_node *class = pl_json_get(node, "class");
    const char *word;
    char hint[160];
    out->class = PL_MEASURED_PREDICTED;
    if (!class && from_document)
        return pl_json_fail(node, err, "a published number has a class: input, restated, calibrated, predicted or shown");
    enum pl_err rc = class ? pl_json_as_text(class, &word, err) : PL_OK;
    if (rc || !class)
        return rc;
    for (int i = 0; pl_measured_class_names[i]; i++)
        if (!strcmp(pl_measured_class_names[i], word)) {
            out->class = (enum pl_measured_class)i;
            return PL_OK;
        }
    pl_did_you_mean(hint, sizeof hint, word, pl_measured_class_names, PL_MEASURED_CLASSES, sizeof *pl_measured_class_names);
    return pl_json_fail(class, err, "'%.40s' is no class%s", word, hint);
}

static enum pl_err read_samples(const struct pl_json_node *node, struct pl_arena *arena, struct pl_measured_value *out,
                                struct pl_error *err)
{
    const struct pl_json_node *samples = pl_json_get(node, "samples"), *one = pl_json_get(node, "value");
    size_t count = samples ? pl_json_size(samples) : one != NULL;
    double *number = pl_arena_alloc(arena, count + 1, sizeof *number);
    if (!number)
        return pl_fail_memory(err, count * sizeof *number, "samples");
    if ((samples && !pl_json_is_array(samples)) || count == 0)
        return pl_json_fail(node, err, "a value has \"samples\": an array of numbers");
    for (size_t i = 0; i < count; i++) {
        enum pl_err rc = pl_json_as_real(samples ? pl_json_at(samples, i) : one, &number[i], err);
        if (rc)
            return rc;
        number[i] *= out->scale;
    }
    out->sample = number;
    out->samples = count;
    return PL_OK;
}

static enum pl_err read_value(const struct pl_json_node *node, const char *quantity, bool from_document,
                              const char *const *keys, size_t key_count, struct pl_arena *arena,
                              struct pl_measured_value *out, struct pl_error *err)
{
    *out = (struct pl_measured_value){.quantity = quantity, .node = node};
    if (!pl_json_is_object(node))
        return pl_json_fail(node, err, "a value is an object with unit and samples");
    enum pl_err rc = pl_json_only_keys(node, keys, key_count, err);
    if (rc == PL_OK)
        rc = read_unit(node, out, err);
    if (rc == PL_OK)
        rc = read_class(node, from_document, out, err);
    if (rc == PL_OK)
        rc = read_samples(node, arena, out, err);
    if (rc == PL_OK)
        rc = optional_real(node, "tolerance", &out->tolerance, err);
    if (rc == PL_OK)
        rc = optional_real(node, "tolerance_pages", &out->tolerance_pages, err);
    if (rc == PL_OK)
        rc = optional_text(node, "from", &out->from, err);
    if (rc == PL_OK)
        rc = optional_text(node, "note", &out->note, err);
    if (rc == PL_OK)
        rc = optional_text(node, "known_miss", &out->known_miss, err);
    return rc;
}

static enum pl_err read_phase(const struct pl_json_node *node, const struct pl_measurement *measurement,
                              struct pl_arena *arena, struct pl_measured_phase *out, struct pl_error *err)
{
    static const char *const keys[] = {"name", "repetition", "values", "note"};
    static const char *const value_keys[] = {"unit", "samples", "class", "tolerance", "tolerance_pages", "from", "note",
                                             "known_miss"};
    const struct pl_json_node *values = pl_json_get(node, "values"), *name = pl_json_get(node, "name");
    if (!pl_json_is_object(node) || !values || !pl_json_is_object(values) || !name)
        return pl_json_fail(node, err, "a phase is an object with name and values");
    enum pl_err rc = pl_json_only_keys(node, keys, PL_COUNT_OF(keys), err);
    if (rc == PL_OK)
        rc = pl_json_as_text(name, &out->name, err);
    out->value = pl_arena_alloc(arena, pl_json_size(values) + 1, sizeof *out->value);
    if (!out->value)
        return pl_fail_memory(err, 0, "a phase");
    for (; rc == PL_OK && out->values < pl_json_size(values); out->values++) {
        const struct pl_json_node *value = pl_json_at(values, out->values);
        rc = read_value(value, pl_json_key_of(value), measurement->from_document, value_keys, PL_COUNT_OF(value_keys), arena,
                        &out->value[out->values], err);
    }
    return rc;
}

static enum pl_err read_phases(const struct pl_json_node *root, struct pl_arena *arena, struct pl_measurement *out,
                               struct pl_error *err)
{
    const struct pl_json_node *phases = pl_json_get(root, "phases");
    if (!phases || !pl_json_is_array(phases))
        return pl_json_fail(root, err, "a measurement has \"phases\": an array");
    out->phase = pl_arena_alloc(arena, pl_json_size(phases) + 1, sizeof *out->phase);
    enum pl_err rc = out->phase ? PL_OK : pl_fail_memory(err, 0, "phases");
    for (; rc == PL_OK && out->phases < pl_json_size(phases); out->phases++)
        rc = read_phase(pl_json_at(phases, out->phases), out, arena, &out->phase[out->phases], err);
    return rc;
}

static enum pl_err read_comparisons(const struct pl_json_node *root, struct pl_arena *arena, struct pl_measurement *out,
                                    struct pl_error *err)
{
    static const char *const keys[] = {"name", "of", "value", "unit", "class", "tolerance", "tolerance_pages", "from", "note",
                                       "known_miss"};
    const struct pl_json_node *all = pl_json_get(root, "comparisons");
    if (!all)
        return PL_OK;
    if (!pl_json_is_array(all))
        return pl_json_fail(all, err, "comparisons are an array");
    out->comparison = pl_arena_alloc(arena, pl_json_size(all) + 1, sizeof *out->comparison);
    enum pl_err rc = out->comparison ? PL_OK : pl_fail_memory(err, 0, "comparisons");
    for (; rc == PL_OK && out->comparisons < pl_json_size(all); out->comparisons++) {
        const struct pl_json_node *node = pl_json_at(all, out->comparisons);
        struct pl_comparison *one = &out->comparison[out->comparisons];
        rc = read_value(node, "comparison", out->from_document, keys, PL_COUNT_OF(keys), arena, &one->value, err);
        if (rc == PL_OK && (!pl_json_get(node, "name") || !pl_json_get(node, "of")))
            rc = pl_json_fail(node, err, "a comparison has name, of and value");
        if (rc == PL_OK)
            rc = pl_json_as_text(pl_json_get(node, "name"), &one->name, err);
        if (rc == PL_OK)
            rc = pl_json_as_text(pl_json_get(node, "of"), &one->of, err);
    }
    return rc;
}

/* --- what ran on what ------------------------------------------------------------------------ */

/* "size=2000MiB", as a scenario takes it. Truths become 1 and 0. */
static const char *assignment(const struct pl_json_node *node, struct pl_arena *arena)
{
    const char *text;
    double number;
    bool truth;
    char digits[40];
    const char *name = pl_json_key_of(node);
    if (pl_json_is_text(node) && pl_json_as_text(node, &text, NULL) == PL_OK)
        return pl_arena_printf(arena, "%s=%s", name, text);
    if (pl_json_is_number(node) && pl_json_as_real(node, &number, NULL) == PL_OK)
        return pl_arena_printf(arena, "%s=%s", name, pl_format_double(digits, sizeof digits, number));
    if (pl_json_as_bool(node, &truth, NULL) == PL_OK)
        return pl_arena_printf(arena, "%s=%d", name, truth);
    return NULL;
}

static enum pl_err read_scenario(const struct pl_json_node *scenario, struct pl_arena *arena, struct pl_measurement *out,
                                 struct pl_error *err)
{
    static const char *const keys[] = {"name", "trace", "parameters", "note"};
    const struct pl_json_node *parameters = pl_json_get(scenario, "parameters");
    enum pl_err rc = pl_json_only_keys(scenario, keys, PL_COUNT_OF(keys), err);
    if (rc == PL_OK)
        rc = optional_text(scenario, "name", &out->scenario, err);
    if (rc == PL_OK)
        rc = optional_text(scenario, "trace", &out->trace, err);
    if (rc || !parameters)
        return rc;
    out->parameter = pl_arena_alloc(arena, pl_json_size(parameters) + 1, sizeof *out->parameter);
    if (!out->parameter)
        return pl_fail_memory(err, 0, "parameters");
    for (; out->parameters < pl_json_size(parameters); out->parameters++) {
        out->parameter[out->parameters] = assignment(pl_json_at(parameters, out->parameters), arena);
        if (!out->parameter[out->parameters])
            return pl_json_fail(pl_json_at(parameters, out->parameters), err, "a parameter is a text, a number or a truth");
    }
    return PL_OK;
}

static enum pl_err read_root(const struct pl_json_node *root, struct pl_arena *arena, struct pl_measurement *out,
                             struct pl_error *err)
{
    static const char *const keys[] = {"format", "version", "name",     "about",  "source",      "reference",
                                       "page_bytes", "machine", "scenario", "phases", "comparisons", "note"};
    static const char *const machine_keys[] = {"name", "facts"};
    const struct pl_json_node *machine = pl_json_get(root, "machine"), *scenario = pl_json_get(root, "scenario");
    const char *format = "", *source = "";
    uint64_t page = 4096;
    enum pl_err rc = optional_text(root, "format", &format, err);
    if (rc == PL_OK && strcmp(format, "pagelab-measurement"))
        return pl_json_fail(root, err, "is no measurement (\"format\": \"pagelab-measurement\")");
    if (rc == PL_OK)
        rc = pl_json_only_keys(root, keys, PL_COUNT_OF(keys), err);
    if (rc == PL_OK)
        rc = optional_text(root, "name", &out->name, err);
    if (rc == PL_OK && !out->name)
        rc = pl_json_fail(root, err, "a measurement has a name");
    if (rc == PL_OK)
        rc = optional_text(root, "about", &out->about, err);
    if (rc == PL_OK)
        rc = optional_text(root, "reference", &out->reference, err);
    if (rc == PL_OK)
        rc = optional_text(root, "source", &source, err);
    if (rc == PL_OK && strcmp(source, "document") && strcmp(source, "measured"))
        rc = pl_json_fail(root, err, "\"source\" is document or measured");
    out->from_document = !strcmp(source, "document");
    if (rc == PL_OK && pl_json_get(root, "page_bytes"))
        rc = pl_json_as_u64(pl_json_get(root, "page_bytes"), &page, err);
    out->page_bytes = (uint32_t)page;
    if (rc == PL_OK && machine)
        rc = pl_json_only_keys(machine, machine_keys, PL_COUNT_OF(machine_keys), err);
    if (rc == PL_OK && machine)
        rc = optional_text(machine, "name", &out->machine, err);
    if (rc == PL_OK && scenario)
        rc = read_scenario(scenario, arena, out, err);
    if (rc == PL_OK)
        rc = read_phases(root, arena, out, err);
    if (rc == PL_OK)
        rc = read_comparisons(root, arena, out, err);
    return rc;
}

enum pl_err pl_measurement_read(const char *path, struct pl_arena *arena, struct pl_measurement *out, struct pl_error *err)
{
    char *text;
    size_t length;
    struct pl_measurement measurement = {.path = pl_arena_strdup(arena, pl_whole_file_name(path))};
    enum pl_err rc = pl_whole_file_read(path, &text, &length, err);
    if (rc)
        return rc;
    measurement.hash = pl_xxh64(text, length, 0);
    rc = pl_json_read(text, length, pl_whole_file_name(path), &measurement.json, err);
    free(text);
    if (rc == PL_OK)
        rc = read_root(pl_json_root(measurement.json), arena, &measurement, err);
    if (rc)
        pl_measurement_close(&measurement);
    else
        *out = measurement;
    return rc;
}

void pl_measurement_close(struct pl_measurement *measurement)
{
    pl_json_free(measurement->json);
    measurement->json = NULL;
}

/* --- statistics ----------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value below which a share of the samples lies, between neighbours by proportion. */
static double quantile(const struct pl_measured_value *value, double share)
{
    double *sorted = malloc(value->samples * sizeof *sorted);
    if (!sorted)
        return value->sample[0];
    memcpy(sorted, value->sample, value->samples * sizeof *sorted);
    qsort(sorted, value->samples, sizeof *sorted, by_value);
    double at = share * (double)(value->samples - 1);
    size_t low = (size_t)at, high = low + 1 < value->samples ? low + 1 : low;
    double out = sorted[low] + (at - (double)low) * (sorted[high] - sorted[low]);
    free(sorted);
    return out;
}

double pl_measured_median(const struct pl_measured_value *value)
{
    return quantile(value, 0.5);
}

double pl_measured_spread(const struct pl_measured_value *value)
{
    double median = quantile(value, 0.5);
    return value->samples > 1 && median > 0 ? (quantile(value, 0.75) - quantile(value, 0.25)) / 2 / median : 0;
}

const struct pl_measured_value *pl_measurement_find(const struct pl_measurement *measurement, const char *phase,
                                                    const char *quantity)
{
    for (size_t i = 0; i < measurement->phases; i++)
        for (size_t k = 0; k < measurement->phase[i].values; k++)
            if (!strcmp(measurement->phase[i].name, phase) && !strcmp(measurement->phase[i].value[k].quantity, quantity))
                return &measurement->phase[i].value[k];
    return NULL;
}
