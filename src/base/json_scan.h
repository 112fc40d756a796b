/* base/json_scan.h: where the values of a JSON text stand. Private to base. */
#ifndef PL_BASE_JSON_SCAN_H
#define PL_BASE_JSON_SCAN_H

#include "base/arena.h"

enum { PL_JSON_DEPTH_MAX = 128 };

/* The offsets at which values (not keys) begin, in the order of the text. */
struct json_places {
    size_t *offset; /* malloc'd */
    size_t count, capacity;
};

/* Finds them in text[start..length), and refuses with a line what cJSON lets pass or explains badly: endless nesting,
 * control characters, NULs and broken UTF-8 in strings, numbers such as 01 or NaN, comments, stray and missing commas.
 * What it accepts may still be wrong JSON. `places` is for the caller to free in any case. */
enum pl_err json_scan(const char *text, size_t start, size_t length, const char *name, struct json_places *places,
                      struct pl_error *err);
uint64_t json_line_of(const char *text, size_t offset);

#endif
