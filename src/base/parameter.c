/* base/parameter.c: the values of one profile: defaults, changes, and the struct that comes out.
 *
 * A value stays the words it was given until pl_parameters_finish, because sizes in pages need the page size, which may
 * stand anywhere. What can be checked without it is checked when the value arrives, so that a mistake is found even in a
 * value that is replaced later. There are a few hundred rows at most; looking one up goes through them all. */
#include "base/parameter_parts.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ANY_PAGE_SIZE = 4096 }; /* for checks in which the result does not matter */

const char *pl_parameter_source_name(enum pl_parameter_source source)
{
    static const char *const names[] = {
        [PL_FROM_DEFAULT] = "default",   [PL_FROM_UNSTATED] = "unstated",
        [PL_FROM_MEASURED] = "measured", [PL_FROM_DOCUMENT] = "document",
        [PL_FROM_FITTED] = "fitted",     [PL_FROM_ASSUMED] = "assumed",
        [PL_FROM_COMMAND_LINE] = "command line",
    };
    assert((size_t)source < PL_COUNT_OF(names));
    return names[source];
}

/* --- creating ---------------------------------------------------------------------- */

static size_t count_rows(const struct pl_parameter_group *groups)
{
    size_t count = 0;
    for (; groups->rows; groups++)
        for (const struct pl_parameter *row = groups->rows; row->path; row++)
            count++;
    return count;
}

static bool add_group(struct pl_parameters *parameters, const struct pl_parameter_group *group)
{
    bool has_prefix = group->prefix && *group->prefix;
    for (const struct pl_parameter *row = group->rows; row->path; row++) {
        const char *path = has_prefix ? pl_arena_printf(parameters->arena, "%s.%s", group->prefix, row->path) : row->path;
        if (!path)
            return false;
        assert(!parameter_find(parameters, path));
        assert(row->kind != PL_PARAM_CHOICE || row->choices);
        parameters->values[parameters->count++] = (struct pl_parameter_value){
            .row = row, .path = path, .offset = group->offset + row->offset, .text = row->fallback};
    }
    return true;
}

enum pl_err pl_parameters_create(const struct pl_parameter_group *groups, size_t struct_bytes,
                                 const char *page_size_path, struct pl_arena *arena, struct pl_parameters **out,
                                 struct pl_error *err)
{
    size_t rows = count_rows(groups);
    struct pl_parameters *parameters = pl_arena_alloc(arena, 1, sizeof *parameters);
    if (!parameters)
        return pl_fail_memory(err, sizeof *parameters, "parameters");
    *parameters = (struct pl_parameters){.arena = arena,
                                         .values = pl_arena_alloc(arena, rows, sizeof *parameters->values),
                                         .page_size_path = page_size_path,
                                         .struct_bytes = struct_bytes,
                                         .scratch = pl_arena_alloc(arena, 1, struct_bytes),
                                         .title = "", .about = "", .name = ""};
    bool whole = parameters->values && parameters->scratch;
    for (; whole && groups->rows; groups++)
        whole = add_group(parameters, groups);
    if (!whole)
        return pl_fail_memory(err, rows * sizeof *parameters->values, "parameters");
    *out = parameters;
    return PL_OK;
}

enum pl_err pl_parameters_copy(const struct pl_parameters *parameters, struct pl_arena *arena,
                               struct pl_parameters **out, struct pl_error *err)
{
    struct pl_parameters *copy = pl_arena_alloc(arena, 1, sizeof *copy);
    if (!copy)
        return pl_fail_memory(err, sizeof *copy, "parameters");
    *copy = *parameters;
    copy->arena = arena;
    copy->values = pl_arena_alloc(arena, copy->count, sizeof *copy->values);
    copy->scratch = pl_arena_alloc(arena, 1, copy->struct_bytes);
    if (!copy->values || !copy->scratch)
        return pl_fail_memory(err, copy->count * sizeof *copy->values, "parameters");
    memcpy(copy->values, parameters->values, copy->count * sizeof *copy->values);
    *out = copy;
    return PL_OK;
}

/* --- asking -------------------------------------------------------------------------- */

struct pl_parameter_value *parameter_find(const struct pl_parameters *parameters, const char *path)
{
    for (size_t i = 0; i < parameters->count; i++)
        if (strcmp(parameters->values[i].path, path) == 0)
            return &parameters->values[i];
    return NULL;
}

const struct pl_parameter_value *pl_parameters_find(const struct pl_parameters *parameters, const char *path)
{
    return parameter_find(parameters, path);
}

size_t pl_parameters_count(const struct pl_parameters *parameters)
{
    return parameters->count;
}

const struct pl_parameter_value *pl_parameters_at(const struct pl_parameters *parameters, size_t index)
{
    assert(index < parameters->count);
    return &parameters->values[index];
}

const char *pl_parameters_title(const struct pl_parameters *parameters)
{
    return parameters->title;
}

const char *pl_parameters_about(const struct pl_parameters *parameters)
{
    return parameters->about;
}

/* A path whose last part is the same, for one who forgot where it belongs ("codec"), otherwise one spelled alike. */
char *parameter_hint(const struct pl_parameters *parameters, const char *path, char *out, size_t size)
{
    const char *dot = strrchr(path, '.');
    const char *last = dot ? dot + 1 : path;
    for (size_t i = 0; i < parameters->count; i++) {
        const char *other = parameters->values[i].path, *other_dot = strrchr(other, '.');
        if (strcmp(other_dot ? other_dot + 1 : other, last) == 0) {
            snprintf(out, size, "; did you mean '%s'?", other);
            return out;
        }
    }
    if (parameters->count == 0)
        out[0] = '\0';
    else
        pl_did_you_mean(out, size, path, &parameters->values[0].path, parameters->count, sizeof *parameters->values);
    return out;
}

/* --- changing -------------------------------------------------------------------------- */

enum pl_err pl_parameters_put(struct pl_parameters *parameters, const char *path, const char *text,
                              enum pl_parameter_source source, const char *note, const char *place,
                              struct pl_error *err)
{
    char shown[96], hint[128];
    struct pl_parameter_value *value = parameter_find(parameters, path);
    pl_printable(shown, sizeof shown, path, strlen(path));
    if (!value)
        return pl_fail(err, PL_ERR_USAGE, "%s: %s: there is no such parameter%s", place, shown,
                       parameter_hint(parameters, path, hint, sizeof hint));
    uint32_t page_size = parameters->page_size_path ? ANY_PAGE_SIZE : 0;
    union parameter_field field;
    enum pl_err rc = parameter_parse(value->row, text, page_size, &field, err);
    if (rc) {
        pl_fail_prefix(err, "%s: %s", place, path);
        return rc;
    }
    const char *own_text = pl_arena_strdup(parameters->arena, text);
    const char *own_note = note ? pl_arena_strdup(parameters->arena, note) : NULL;
    const char *own_place = pl_arena_strdup(parameters->arena, place);
    if (!own_text || !own_place || (note && !own_note))
        return pl_fail_memory(err, strlen(text) + 1, path);
    value->text = own_text;
    value->source = source;
    value->note = own_note;
    value->place = own_place;
    value->inherited = false;
    return PL_OK;
}

enum pl_err pl_parameters_put_number(struct pl_parameters *parameters, const char *path, double number,
                                     enum pl_parameter_source source, const char *note, const char *place,
                                     struct pl_error *err)
{
    char text[96] = "";
    const struct pl_parameter_value *value = parameter_find(parameters, path);
    if (value)
        parameter_format(value->row, number, text, sizeof text);
    return pl_parameters_put(parameters, path, text, source, note, place, err);
}

enum pl_err pl_parameters_override(struct pl_parameters *parameters, const char *assignment, struct pl_error *err)
{
    char shown[96], path[256];
    const char *equals = strchr(assignment, '=');
    if (!equals || equals == assignment)
        return pl_fail(err, PL_ERR_USAGE, "--set %s: write --set NAME=VALUE, for example --set store.max_bytes=1GiB",
                       pl_printable(shown, sizeof shown, assignment, strlen(assignment)));
    size_t length = (size_t)(equals - assignment);
    if (length >= sizeof path)
        return pl_fail(err, PL_ERR_USAGE, "--set %s: there is no such parameter",
                       pl_printable(shown, sizeof shown, assignment, length));
    memcpy(path, assignment, length);
    path[length] = '\0';
    return pl_parameters_put(parameters, path, equals + 1, PL_FROM_COMMAND_LINE, NULL, "--set", err);
}

/* --- finishing --------------------------------------------------------------------------- */

static enum pl_err fail_value(const struct pl_parameters *parameters, const struct pl_parameter_value *value,
                              struct pl_error *err)
{
    bool from_user = value->source == PL_FROM_COMMAND_LINE;
    if (value->place)
        pl_fail_prefix(err, "%s: %s", value->place, value->path);
    else
        pl_fail_prefix(err, "%s%s%s (default)", parameters->name, *parameters->name ? ": " : "", value->path);
    enum pl_err code = from_user ? PL_ERR_USAGE : PL_ERR_INPUT;
    if (err)
        err->code = code;
    return code;
}

enum pl_err pl_parameters_fail(const struct pl_parameters *parameters, const char *path, struct pl_error *err,
                               const char *format, ...)
{
    char words[PL_ERROR_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    const struct pl_parameter_value *value = parameter_find(parameters, path);
    assert(value);
    pl_fail(err, PL_ERR_INPUT, "%s", words);
    return fail_value(parameters, value, err);
}

/* Converts one value, checks it and stores it. */
static enum pl_err finish_value(const struct pl_parameters *parameters, const struct pl_parameter_value *value,
                                uint32_t page_size, union parameter_field *field, struct pl_error *err)
{
    enum pl_err rc = parameter_parse(value->row, value->text, page_size, field, err);
    if (rc == PL_OK)
        rc = parameter_check_range(value->row, value->text, page_size, field, err);
    if (rc)
        return fail_value(parameters, value, err);
    assert(value->offset < parameters->struct_bytes);
    parameter_store(value->row, field, (char *)parameters->scratch + value->offset);
    return PL_OK;
}

static enum pl_err find_page_size(const struct pl_parameters *parameters, uint32_t *out, struct pl_error *err)
{
    *out = 0;
    if (!parameters->page_size_path)
        return PL_OK;
    const struct pl_parameter_value *value = parameter_find(parameters, parameters->page_size_path);
    assert(value && value->row->kind == PL_PARAM_BYTES && value->text);
    union parameter_field field;
    enum pl_err rc = finish_value(parameters, value, 0, &field, err);
    if (rc)
        return rc;
    if (field.count == 0 || field.count > UINT32_C(1) << 31)
        return pl_parameters_fail(parameters, value->path, err, "'%s' is no size of a page", value->text);
    *out = (uint32_t)field.count;
    return PL_OK;
}

static enum pl_err check_none_missing(const struct pl_parameters *parameters, struct pl_error *err)
{
    for (size_t i = 0; i < parameters->count; i++)
        if (!parameters->values[i].text)
            return pl_fail(err, PL_ERR_INPUT, "%s%s%s is missing and has no default", parameters->name,
                           *parameters->name ? ": " : "", parameters->values[i].path);
    return PL_OK;
}

enum pl_err pl_parameters_finish(struct pl_parameters *parameters, void *out, struct pl_error *err)
{
    uint32_t page_size;
    memset(parameters->scratch, 0, parameters->struct_bytes);
    enum pl_err rc = find_page_size(parameters, &page_size, err);
    for (size_t i = 0; rc == PL_OK && i < parameters->count; i++) {
        const struct pl_parameter_value *value = &parameters->values[i];
        bool is_page_size = parameters->page_size_path && strcmp(value->path, parameters->page_size_path) == 0;
        union parameter_field field;
        if (value->text && !is_page_size) /* which is not counted in itself */
            rc = finish_value(parameters, value, page_size, &field, err);
    }
    if (rc == PL_OK)
        rc = check_none_missing(parameters, err);
    if (rc == PL_OK)
        memcpy(out, parameters->scratch, parameters->struct_bytes);
    return rc;
}
