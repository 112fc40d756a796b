/* base/parameter.h: what a machine, a device or any other profile is made of, described by tables.
 *
 * A table row says which value there is (`store.max_bytes`), of which kind and unit, its default and range, and where it
 * lands in a struct. From the tables come: reading profiles (JSON), `--set`, help, rows of result documents and writing a
 * profile back. Every value keeps the words it was written in, where it comes from, and its place, so that a message can
 * name it ("models/xp.json:12: store.max_bytes: '8' has no unit; write 8MiB, 8KiB or 8p (pages)").
 *
 * A profile is a JSON object; rows whose paths share a prefix stand in an object of that name. A value is plain, or says
 * where it is from:
 *
 *   { "extends": "two-level", "title": "...", "about": "...",
 *     "memory": { "total": "8MiB" },
 *     "store":  { "max_bytes": { "value": "1MiB", "source": "document", "note": "page 12" } } }
 *
 * `source` is measured, document, fitted or assumed. `extends` names a profile beside this one (two-level.json), whose
 * values hold where this one has none. Unknown keys are errors. Reading rests on base/json.h and is no part of the core
 * that the Windows program links. */
#ifndef PL_BASE_PARAMETER_H
#define PL_BASE_PARAMETER_H

#include "base/arena.h"
#include "base/document.h"
#include "base/json.h"
#include "base/text.h"

enum pl_parameter_kind { /* type of the field; what is written */
    PL_PARAM_BYTES, /* uint64_t; "8MiB", "128p" */
    PL_PARAM_PAGES, /* uint64_t; "128p", "8MiB", rounded down to whole pages */
    PL_PARAM_TIME, /* pl_time_ps; "2ms" */
    PL_PARAM_RATE, /* double, bytes a second; "320MiB/s" */
    PL_PARAM_COUNT, /* uint64_t; 7200, "50k" */
    PL_PARAM_REAL, /* double; 0.85 */
    PL_PARAM_FLAG, /* bool; true, false */
    PL_PARAM_CHOICE, /* int, index into `choices` */
    PL_PARAM_TEXT, /* const char *, lives in the parameters' arena */
};

struct pl_parameter {
    const char *path; /* lower case, parts separated by dots; the same prefix in rows that belong together */
    enum pl_parameter_kind kind;
    size_t offset;               /* of the field, in the struct of the row's group */
    const char *unit;            /* in which numbers are shown: "MiB", "us", "MiB/s", "rounds/min"; NULL = none */
    const char *fallback;        /* the default, as a user would write it; NULL: the value must be given */
    const char *least, *most;    /* the allowed range, written alike; NULL = what the kind allows, never below 0 but
                                    for PL_PARAM_REAL */
    const char *help;            /* one line */
    const char *const *choices;  /* NULL-terminated, for PL_PARAM_CHOICE */
    const char *unlimited;       /* a word that stands for no limit ("unlimited"): UINT64_MAX, INT64_MAX or INFINITY */
};

/* Tables are shared: `prefix` goes before all paths ("" = none), `offset` is where the struct that the rows count from
 * lies in the whole one. */
struct pl_parameter_group {
    const char *prefix;
    const struct pl_parameter *rows; /* ends with a row whose path is NULL */
    size_t offset;
};

enum pl_parameter_source {
    PL_FROM_DEFAULT,  /* the row's fallback */
    PL_FROM_UNSTATED, /* a plain value in a profile */
    PL_FROM_MEASURED,
    PL_FROM_DOCUMENT,
    PL_FROM_FITTED,
    PL_FROM_ASSUMED,
    PL_FROM_COMMAND_LINE,
};
const char *pl_parameter_source_name(enum pl_parameter_source source); /* "command line" */

struct pl_parameter_value {
    const struct pl_parameter *row;
    const char *path;  /* the whole one */
    size_t offset;     /* of the field in the whole struct */
    const char *text;  /* as written; NULL: required and not given yet */
    enum pl_parameter_source source;
    const char *note;  /* NULL = none */
    const char *place; /* "xp.json:12", "--set"; NULL for defaults */
    bool inherited;    /* from a profile that the one read extends */
};

struct pl_parameters; /* the values of one profile */

/* All values at their defaults. `groups` ends with a row whose rows are NULL and must outlive the parameters; `struct_bytes`
 * is the size of the whole struct. Sizes written in pages count pages of the value at `page_size_path` (PL_PARAM_BYTES, at
 * most 2^31, with a default), or have no meaning when that is NULL. Everything lives in `arena`. */
enum pl_err pl_parameters_create(const struct pl_parameter_group *groups, size_t struct_bytes,
                                 const char *page_size_path, struct pl_arena *arena, struct pl_parameters **out,
                                 struct pl_error *err);
/* A copy in another arena, to be changed on its own; texts are shared, so the first arena must outlive it. */
enum pl_err pl_parameters_copy(const struct pl_parameters *parameters, struct pl_arena *arena,
                               struct pl_parameters **out, struct pl_error *err);

/* Reads a profile and what it extends ("-" = standard input). Values given earlier are replaced. */
enum pl_err pl_parameters_read(struct pl_parameters *parameters, const char *path, struct pl_error *err);
/* The same from an object inside a document; what it extends is looked up beside the file `beside`. */
enum pl_err pl_parameters_read_object(struct pl_parameters *parameters, const struct pl_json_node *object,
                                      const char *beside, struct pl_error *err);
/* "store.max_bytes=1GiB" from the command line. Fails with PL_ERR_USAGE. */
enum pl_err pl_parameters_override(struct pl_parameters *parameters, const char *assignment, struct pl_error *err);
/* Sets one value; `place` is for messages and `note` may be NULL. Both are copied, like `text`. */
enum pl_err pl_parameters_put(struct pl_parameters *parameters, const char *path, const char *text,
                              enum pl_parameter_source source, const char *note, const char *place,
                              struct pl_error *err);
/* The same from a number in bytes, pages, picoseconds, bytes a second or as it is; rounded to what the kind holds. */
enum pl_err pl_parameters_put_number(struct pl_parameters *parameters, const char *path, double number,
                                     enum pl_parameter_source source, const char *note, const char *place,
                                     struct pl_error *err);

/* Converts all values and checks ranges; fills the whole struct. May be called again after changes. */
enum pl_err pl_parameters_finish(struct pl_parameters *parameters, void *out, struct pl_error *err);
/* "xp.json:12: memory.resident: " and the rest, for checks between values. The code is PL_ERR_INPUT, or PL_ERR_USAGE when
 * the value stood on the command line. */
enum pl_err pl_parameters_fail(const struct pl_parameters *parameters, const char *path, struct pl_error *err,
                               const char *format, ...) PL_PRINTF(4, 5);

size_t pl_parameters_count(const struct pl_parameters *parameters);
const struct pl_parameter_value *pl_parameters_at(const struct pl_parameters *parameters, size_t index);
/* NULL when there is no such path. */
const struct pl_parameter_value *pl_parameters_find(const struct pl_parameters *parameters, const char *path);
/* The number in a finished struct, in bytes, pages, picoseconds, bytes a second or as it is; flags are 0 and 1, choices
 * their index; NaN for texts, INFINITY for no limit. */
double pl_parameter_number(const struct pl_parameter_value *value, const void *finished);
/* The same in the unit in which the row shows it. */
double pl_parameter_shown(const struct pl_parameter_value *value, const void *finished);

const char *pl_parameters_title(const struct pl_parameters *parameters); /* of the profile read; "" = none */
const char *pl_parameters_about(const struct pl_parameters *parameters);

/* --- writing ---------------------------------------------------------------- */
/* Adds a table `parameters` with one row for each value: parameter, value as written, number, unit, source, place, note.
 * Returns the table. */
struct pl_document_table *pl_parameters_document(const struct pl_parameters *parameters, const void *finished,
                                                 struct pl_document *document);

struct pl_profile_head {
    const char *title, *about, *extends; /* NULL = left out */
    bool own_only; /* leave out defaults and what was inherited */
};
/* Writes a profile that reads back to the same values and sources. */
void pl_parameters_write(const struct pl_parameters *parameters, const struct pl_profile_head *head,
                         struct pl_sink *sink);
/* One entry for each value with its default and range; wrapped at `width` columns. */
void pl_parameters_help(const struct pl_parameters *parameters, size_t width, struct pl_text *out);

#endif
