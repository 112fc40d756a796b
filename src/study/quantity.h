/* study/quantity.h: a named number or choice, as studies write it and results show it.
 *
 * Inside, every quantity is a double in its base unit: bytes, seconds, bytes a second, or the bare number; a choice is
 * the index of one of its words. Results show it in `unit`, under `column`, which ends in that unit. */
#ifndef PL_STUDY_QUANTITY_H
#define PL_STUDY_QUANTITY_H

#include "base/base.h"
#include "base/document.h"
#include "base/json.h"

enum pl_quantity_kind {
    PL_QUANTITY_NUMBER, /* 0.85 */
    PL_QUANTITY_BYTES,  /* "8MiB", "128p" */
    PL_QUANTITY_TIME,   /* "2ms", in seconds */
    PL_QUANTITY_RATE,   /* "320MiB/s", in bytes a second */
    PL_QUANTITY_COUNT,  /* 7200, "50k" */
    PL_QUANTITY_WORD,   /* one of `words` */
};
extern const char *const pl_quantity_kind_names[];

struct pl_quantity {
    const char *name;   /* "store.max_bytes": in studies and formulas, where it counts base units */
    const char *column; /* "store_max_bytes_mb": in results, where it counts `unit`s */
    const char *unit;   /* "MB", "s", "" */
    double scale;       /* base units in one `unit` */
    enum pl_quantity_kind kind;
    const char *const *words; /* of PL_QUANTITY_WORD */
    size_t word_count;
    const char *unlimited; /* a word for infinity, or NULL */
};

/* Fills name, column, unit and scale as the kind asks for. Fails where there is no memory. */
enum pl_err pl_quantity_make(const char *name, enum pl_quantity_kind kind, struct pl_arena *arena,
                             struct pl_quantity *out, struct pl_error *err);

/* Reads a value from the words of a user, or a JSON number or truth. Words are looked up among `words`. */
enum pl_err pl_quantity_parse(const struct pl_quantity *quantity, const char *text, uint32_t page_size, double *out,
                              struct pl_error *err);
/* The same with the place in the file in front of what is wrong. */
enum pl_err pl_quantity_read(const struct pl_quantity *quantity, const struct pl_json_node *node, uint32_t page_size,
                             double *out, struct pl_error *err);

/* The value as results show it: a word, or a number in `unit`. The word is not copied. */
struct pl_value pl_quantity_value(const struct pl_quantity *quantity, double value);
/* The same in words for people: "store.max_bytes = 8.00 MiB". Returns out. */
char *pl_quantity_show(const struct pl_quantity *quantity, double value, char *out, size_t size);

#endif
