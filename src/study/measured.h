/* study/measured.h: what somebody measured: published numbers of a document, or what pagecap wrote.
 *
 * The format is described in models/measurements/README.md. Values are kept in base units: seconds, bytes, bytes a second,
 * counts. Nothing here knows how to predict them (predict.h). */
#ifndef PL_STUDY_MEASURED_H
#define PL_STUDY_MEASURED_H

#include "base/base.h"
#include "base/json.h"

enum pl_measured_class {
    PL_MEASURED_INPUT,      /* was entered: a fact of the workload or the machine */
    PL_MEASURED_RESTATED,   /* the same measurement in other words */
    PL_MEASURED_CALIBRATED, /* a cost of the machine was taken from it */
    PL_MEASURED_PREDICTED,  /* was not used: it counts */
    PL_MEASURED_SHOWN,      /* too little is known of how it came about to predict it: only set beside the prediction */
    PL_MEASURED_CLASSES,
};
extern const char *const pl_measured_class_names[]; /* NULL-terminated, in the order of the enum */

struct pl_measured_value {
    const char *quantity; /* "time", "faults.store", "store_bytes": see predict.h */
    const char *unit;     /* as written */
    double scale;         /* base units in one unit */
    const double *sample; /* in base units */
    size_t samples;
    enum pl_measured_class class;
    double tolerance;       /* relative; NaN: none given */
    double tolerance_pages; /* absolute, in pages; NaN: none given */
    const char *from, *note; /* or NULL */
    const char *known_miss;  /* why the prediction is known to lie outside its tolerance, or NULL */
    const struct pl_json_node *node; /* for places in messages */
};

struct pl_measured_phase {
    const char *name;
    struct pl_measured_value *value;
    size_t values;
};

/* A number made of several: "time[after empty] / time[first page touch]", "other-measurement:store_bytes[end] / ..." */
struct pl_comparison {
    const char *name, *of;
    struct pl_measured_value value;
};

struct pl_measurement {
    const char *path, *name, *about, *reference;
    bool from_document;
    uint32_t page_bytes;
    uint64_t hash;            /* of the file's bytes: what a fitted machine remembers */
    const char *machine;      /* a name, or NULL */
    const char *scenario;     /* a name, or NULL */
    const char *trace;        /* a trace's path instead of a scenario, or NULL */
    const char **parameter;   /* "size=2000MiB" */
    size_t parameters;
    struct pl_measured_phase *phase;
    size_t phases;
    struct pl_comparison *comparison;
    size_t comparisons;
    struct pl_json *json;
};

/* Reads a file; everything lives in `arena` but for what pl_measurement_close frees. Unknown keys, units and classes fail
 * with PL_ERR_INPUT, the place and the nearest word. */
enum pl_err pl_measurement_read(const char *path, struct pl_arena *arena, struct pl_measurement *out, struct pl_error *err);
void pl_measurement_close(struct pl_measurement *measurement); /* a zeroed one is allowed */

double pl_measured_median(const struct pl_measured_value *value);
/* Half of what lies between the quartiles, as a share of the median: 0 for one sample. */
double pl_measured_spread(const struct pl_measured_value *value);
/* The value of a quantity in a phase, or NULL. */
const struct pl_measured_value *pl_measurement_find(const struct pl_measurement *measurement, const char *phase,
                                                    const char *quantity);

#endif
