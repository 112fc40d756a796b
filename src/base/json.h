/* base/json.h: writing JSON as a stream, and reading it with errors that name the place.
 *
 * Reading rests on cJSON and is left out of the core that the Windows program links; writing has no dependency. A
 * syntax error names file and line, a wrong value or an unknown key also the key's path ("machine.json:12:
 * store.codec: ..."; unknown keys get the nearest known one). Reading is stricter than cJSON: no repeated keys, at most
 * 128 levels, valid UTF-8, no NUL characters. Numbers keep their digits, so 64-bit integers are exact. */
#ifndef PL_BASE_JSON_H
#define PL_BASE_JSON_H

#include "base/arena.h"
#include "base/sink.h"

/* --- writing ------------------------------------------------------------- */
struct pl_json_writer {
    struct pl_sink *sink;
    int depth;
    bool first, after_key;
    bool flat[64]; /* a level written on one line */
};
void pl_json_start(struct pl_json_writer *writer, struct pl_sink *sink);
void pl_json_object(struct pl_json_writer *writer);
void pl_json_object_on_one_line(struct pl_json_writer *writer);
void pl_json_array(struct pl_json_writer *writer, bool on_one_line);
void pl_json_close(struct pl_json_writer *writer, char bracket); /* '}' or ']' */
void pl_json_key(struct pl_json_writer *writer, const char *key);
void pl_json_text(struct pl_json_writer *writer, const char *text); /* invalid UTF-8 becomes U+FFFD */
void pl_json_real(struct pl_json_writer *writer, double value);     /* NaN and infinities become null */
void pl_json_u64(struct pl_json_writer *writer, uint64_t value);
void pl_json_i64(struct pl_json_writer *writer, int64_t value);
void pl_json_bool(struct pl_json_writer *writer, bool value);
void pl_json_null(struct pl_json_writer *writer);

/* --- reading ------------------------------------------------------------- */
struct pl_json;      /* a parsed file */
struct pl_json_node; /* one value in it; opaque, knows its path */

enum pl_err pl_json_read(const char *text, size_t length, const char *name, struct pl_json **out, struct pl_error *err);
enum pl_err pl_json_read_path(const char *path, struct pl_json **out, struct pl_error *err); /* "-" = standard input */
void pl_json_free(struct pl_json *json);
const struct pl_json_node *pl_json_root(const struct pl_json *json);

/* Fails with PL_ERR_INPUT when the object has a key that is not among `keys`. */
enum pl_err pl_json_only_keys(const struct pl_json_node *object, const char *const *keys, size_t count,
                              struct pl_error *err);
/* A member; NULL when it is not there. */
const struct pl_json_node *pl_json_get(const struct pl_json_node *object, const char *key);
size_t pl_json_size(const struct pl_json_node *node); /* members or elements; 0 for scalars */
const struct pl_json_node *pl_json_at(const struct pl_json_node *node, size_t index); /* NULL behind the last */
const char *pl_json_key_of(const struct pl_json_node *node); /* NULL for elements and the root */
bool pl_json_is_object(const struct pl_json_node *node);
bool pl_json_is_array(const struct pl_json_node *node);
bool pl_json_is_text(const struct pl_json_node *node);
bool pl_json_is_number(const struct pl_json_node *node);
bool pl_json_is_null(const struct pl_json_node *node); /* a missing number in a result document */

/* Typed reads of a node that must be there; wrong types fail with the path. Text lives as long as the json. */
enum pl_err pl_json_as_text(const struct pl_json_node *node, const char **out, struct pl_error *err);
enum pl_err pl_json_as_real(const struct pl_json_node *node, double *out, struct pl_error *err);
enum pl_err pl_json_as_u64(const struct pl_json_node *node, uint64_t *out, struct pl_error *err); /* or a text of digits */
enum pl_err pl_json_as_bool(const struct pl_json_node *node, bool *out, struct pl_error *err);
/* "machine.json:12", for messages that come later. Returns out. */
char *pl_json_place(const struct pl_json_node *node, char *out, size_t size);
/* "machine.json:12: store.codec: " and the rest of the message; PL_ERR_INPUT. */
enum pl_err pl_json_fail(const struct pl_json_node *node, struct pl_error *err, const char *format, ...) PL_PRINTF(3, 4);

#endif
