/* capture/measurement.c: collects samples and writes them as a measurement file. */
#include "capture/measurement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Everything is a list in the order of first use: there are a dozen phases and a dozen values. */
struct entry { /* a fact or a parameter */
    struct entry *next;
    const char *key;
    struct pl_value value;
};

struct series {
    struct series *next;
    const char *name, *unit;
    double *samples;
    size_t count, capacity;
};

struct phase {
    struct phase *next;
    const char *name;
    struct series *first;
};

struct pl_measurement {
    struct pl_arena *arena;
    const char *name, *scenario, *trace, *about, *reference;
    struct entry *facts, *parameters;
    struct phase *phases;
    bool failed;
};

static const char *copied(struct pl_measurement *measurement, const char *text)
{
    char *copy = pl_arena_strdup(measurement->arena, text);
    measurement->failed |= !copy;
    return copy ? copy : "";
}

struct pl_measurement *pl_measurement_create(struct pl_arena *arena, const char *name, const char *scenario,
                                             const char *about)
{
    struct pl_measurement *measurement = pl_arena_alloc(arena, 1, sizeof *measurement);
    if (!measurement)
        return NULL;
    measurement->arena = arena;
    measurement->name = copied(measurement, name);
    measurement->scenario = copied(measurement, scenario);
    measurement->about = copied(measurement, about);
    return measurement;
}

void pl_measurement_reference(struct pl_measurement *measurement, const char *words)
{
    measurement->reference = copied(measurement, words);
}

void pl_measurement_trace(struct pl_measurement *measurement, const char *path)
{
    measurement->trace = copied(measurement, path);
}

static void add_entry(struct pl_measurement *measurement, struct entry **list, const char *key, struct pl_value value)
{
    while (*list && strcmp((*list)->key, key) != 0)
        list = &(*list)->next;
    if (!*list)
        *list = pl_arena_alloc(measurement->arena, 1, sizeof **list);
    if (!*list) {
        measurement->failed = true;
        return;
    }
    (*list)->key = copied(measurement, key);
    (*list)->value = value;
    if (value.kind == PL_VALUE_TEXT)
        (*list)->value.as.text = copied(measurement, value.as.text);
}

void pl_measurement_fact(struct pl_measurement *measurement, const char *key, struct pl_value value)
{
    add_entry(measurement, &measurement->facts, key, value);
}

void pl_measurement_parameter(struct pl_measurement *measurement, const char *key, struct pl_value value)
{
    add_entry(measurement, &measurement->parameters, key, value);
}

static struct series *find_series(const struct pl_measurement *measurement, const char *phase, const char *value)
{
    for (const struct phase *p = measurement->phases; p; p = p->next)
        if (!strcmp(p->name, phase))
            for (struct series *series = p->first; series; series = series->next)
                if (!strcmp(series->name, value))
                    return series;
    return NULL;
}

static struct series *add_series(struct pl_measurement *measurement, const char *phase, const char *value,
                                 const char *unit)
{
    struct phase **p = &measurement->phases;
    while (*p && strcmp((*p)->name, phase) != 0)
        p = &(*p)->next;
    if (!*p) {
        *p = pl_arena_alloc(measurement->arena, 1, sizeof **p);
        if (!*p)
            return NULL;
        (*p)->name = copied(measurement, phase);
    }
    struct series **series = &(*p)->first;
    while (*series)
        series = &(*series)->next;
    *series = pl_arena_alloc(measurement->arena, 1, sizeof **series);
    if (*series) {
        (*series)->name = copied(measurement, value);
        (*series)->unit = copied(measurement, unit);
    }
    return *series;
}

void pl_measurement_sample(struct pl_measurement *measurement, const char *phase, const char *value, const char *unit,
                           double sample)
{
    struct series *series = find_series(measurement, phase, value);
    if (!series)
        series = add_series(measurement, phase, value, unit);
    if (series && series->count == series->capacity) {
        size_t capacity = series->capacity ? 2 * series->capacity : 16;
        double *samples = pl_arena_alloc(measurement->arena, capacity, sizeof *samples);
        if (samples && series->count)
            memcpy(samples, series->samples, series->count * sizeof *samples);
        series->samples = samples;
        series->capacity = samples ? capacity : 0;
    }
    if (!series || !series->samples) {
        measurement->failed = true;
        return;
    }
    series->samples[series->count++] = sample;
}

const double *pl_measurement_samples(const struct pl_measurement *measurement, const char *phase, const char *value,
                                     size_t *count)
{
    const struct series *series = find_series(measurement, phase, value);
    *count = series ? series->count : 0;
    return series ? series->samples : NULL;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double pl_measurement_median(const struct pl_measurement *measurement, const char *phase, const char *value)
{
    size_t count;
    const double *samples = pl_measurement_samples(measurement, phase, value, &count);
    double *sorted = count ? malloc(count * sizeof *sorted) : NULL;
    if (!sorted)
        return NAN;
    memcpy(sorted, samples, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_size);
    double middle = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    free(sorted);
    return middle;
}

bool pl_measurement_failed(const struct pl_measurement *measurement)
{
    return !measurement || measurement->failed;
}

/* --- writing -------------------------------------------------------------------------- */
static void put_value(struct pl_json_writer *json, struct pl_value value)
{
    switch (value.kind) {
    case PL_VALUE_NONE:
        pl_json_null(json);
        break;
    case PL_VALUE_TEXT:
        pl_json_text(json, value.as.text);
        break;
    case PL_VALUE_REAL:
        pl_json_real(json, value.as.real);
        break;
    case PL_VALUE_COUNT:
        pl_json_u64(json, value.as.count);
        break;
    case PL_VALUE_BOOL:
        pl_json_bool(json, value.as.truth);
        break;
    }
}

static void put_entries(struct pl_json_writer *json, const char *key, const struct entry *list)
{
    pl_json_key(json, key);
    pl_json_object(json);
    for (; list; list = list->next) {
        pl_json_key(json, list->key);
        put_value(json, list->value);
    }
    pl_json_close(json, '}');
}

/* Counts are written as such, not as 131072.0. */
static void put_sample(struct pl_json_writer *json, double sample)
{
    if (sample >= 0 && sample < 9e15 && sample == floor(sample))
        pl_json_u64(json, (uint64_t)sample);
    else
        pl_json_real(json, sample);
}

/* What the model has no quantity for goes along as an input: it is not to be predicted. */
static bool is_input(const char *value)
{
    static const char *const inputs[] = {"kernel_minor_faults", "kernel_major_faults", "resident_bytes",
                                         "store_same_pages",    "store_huge_pages",    "store_unique_bytes",
                                         "zeroing_cpu_seconds"};
    for (size_t i = 0; i < PL_COUNT_OF(inputs); i++)
        if (!strcmp(inputs[i], value))
            return true;
    return false;
}

static void put_phase(struct pl_json_writer *json, const struct phase *phase)
{
    pl_json_object(json);
    pl_json_key(json, "name");
    pl_json_text(json, phase->name);
    pl_json_key(json, "values");
    pl_json_object(json);
    for (const struct series *series = phase->first; series; series = series->next) {
        pl_json_key(json, series->name);
        pl_json_object_on_one_line(json);
        pl_json_key(json, "unit");
        pl_json_text(json, series->unit);
        pl_json_key(json, "samples");
        pl_json_array(json, true);
        for (size_t i = 0; i < series->count; i++)
            put_sample(json, series->samples[i]);
        pl_json_close(json, ']');
        if (is_input(series->name)) {
            pl_json_key(json, "class");
            pl_json_text(json, "input");
        }
        pl_json_close(json, '}');
    }
    pl_json_close(json, '}');
    pl_json_close(json, '}');
}

static void put_text(struct pl_json_writer *json, const char *key, const char *text)
{
    pl_json_key(json, key);
    pl_json_text(json, text);
}

enum pl_err pl_measurement_write(const struct pl_measurement *measurement, struct pl_sink *sink, struct pl_error *err)
{
    if (pl_measurement_failed(measurement))
        return pl_fail_memory(err, 0, "the measurement");
    struct pl_json_writer json;
    pl_json_start(&json, sink);
    pl_json_object(&json);
    put_text(&json, "format", "pagelab-measurement");
    pl_json_key(&json, "version");
    pl_json_u64(&json, 1);
    put_text(&json, "name", measurement->name);
    put_text(&json, "about", measurement->about);
    put_text(&json, "source", "measured");
    put_text(&json, "reference", measurement->reference ? measurement->reference : "");
    for (const struct entry *fact = measurement->facts; fact; fact = fact->next)
        if (!strcmp(fact->key, "page_bytes")) {
            pl_json_key(&json, "page_bytes");
            put_value(&json, fact->value);
        }
    pl_json_key(&json, "machine");
    pl_json_object(&json);
    put_entries(&json, "facts", measurement->facts);
    pl_json_close(&json, '}');
    pl_json_key(&json, "scenario");
    pl_json_object(&json);
    put_text(&json, measurement->trace ? "trace" : "name", measurement->trace ? measurement->trace : measurement->scenario);
    put_entries(&json, "parameters", measurement->parameters);
    pl_json_close(&json, '}');
    pl_json_key(&json, "phases");
    pl_json_array(&json, false);
    for (const struct phase *phase = measurement->phases; phase; phase = phase->next)
        put_phase(&json, phase);
    pl_json_close(&json, ']');
    pl_json_close(&json, '}');
    return PL_OK;
}
