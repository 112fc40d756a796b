/* base/parameter_parts.h: the inside of parameters. Private to base. */
#ifndef PL_BASE_PARAMETER_PARTS_H
#define PL_BASE_PARAMETER_PARTS_H

#include "base/parameter.h"

struct pl_parameters {
    struct pl_arena *arena;
    struct pl_parameter_value *values;
    size_t count;
    const char *page_size_path; /* NULL = sizes in pages have no meaning */
    size_t struct_bytes;
    void *scratch;              /* a struct being filled, copied out when it is whole */
    const char *title, *about, *name; /* of the profile read, "" at first; name is its file */
};

/* A value of any kind, converted. */
union parameter_field {
    uint64_t count; /* bytes, pages, counts */
    pl_time_ps time_ps;
    double real;
    bool truth;
    int choice;
    const char *text;
};

/* Converts `text` as the row's kind wants it. The range is not looked at. */
enum pl_err parameter_parse(const struct pl_parameter *row, const char *text, uint32_t page_size,
                            union parameter_field *out, struct pl_error *err);
enum pl_err parameter_check_range(const struct pl_parameter *row, const char *text, uint32_t page_size,
                                  const union parameter_field *value, struct pl_error *err);
void parameter_store(const struct pl_parameter *row, const union parameter_field *value, void *field);
union parameter_field parameter_load(const struct pl_parameter *row, const void *field);
/* A number of base units as a text that reads back the same. At least 40 bytes. */
void parameter_format(const struct pl_parameter *row, double number, char *out, size_t size);

struct pl_parameter_value *parameter_find(const struct pl_parameters *parameters, const char *path);
/* "; did you mean 'store.codec'?" or "" for a path that does not exist. Returns out. */
char *parameter_hint(const struct pl_parameters *parameters, const char *path, char *out, size_t size);

#endif
