/* base/parameter_read.c: profiles, read from JSON.
 *
 * The object is walked along the paths of the rows: a key is a row, or the beginning of some, or unknown. What a profile
 * extends is read first, so that its own values replace what it inherits. */
#include "base/parameter_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_CHAIN = 16, LONGEST_PATH = 256 };

/* A file that is being read, and who asked for it. */
struct profile {
    const char *path;
    const struct profile *asked_by; /* NULL for the one the user named */
    struct pl_parameters *parameters;
};

static const char *const own_keys[] = {"extends", "title", "about"};

static bool is_own_key(const char *key)
{
    for (size_t i = 0; i < PL_COUNT_OF(own_keys); i++)
        if (strcmp(key, own_keys[i]) == 0)
            return true;
    return false;
}

/* --- values ----------------------------------------------------------------------- */

static enum pl_err number_as_text(const struct pl_json_node *node, char *out, size_t size, struct pl_error *err)
{
    uint64_t whole;
    double real;
    if (pl_json_as_u64(node, &whole, NULL) == PL_OK) {
        snprintf(out, size, "%" PRIu64, whole);
        return PL_OK;
    }
    enum pl_err rc = pl_json_as_real(node, &real, err);
    if (rc == PL_OK)
        pl_format_double(out, size, real);
    return rc;
}

/* The words of a value: what stands in the file, or what would stand on the command line. */
static enum pl_err value_as_text(const struct pl_parameter *row, const struct pl_json_node *node, char *room,
                                 size_t room_size, const char **out, struct pl_error *err)
{
    bool truth;
    if (row->kind == PL_PARAM_FLAG) {
        enum pl_err rc = pl_json_as_bool(node, &truth, err);
        if (rc == PL_OK)
            *out = truth ? "true" : "false";
        return rc;
    }
    bool wants_text = row->kind == PL_PARAM_TEXT || row->kind == PL_PARAM_CHOICE;
    if (!pl_json_is_number(node) || wants_text)
        return pl_json_as_text(node, out, err);
    *out = room;
    return number_as_text(node, room, room_size, err);
}

static enum pl_err read_source(const struct pl_json_node *node, enum pl_parameter_source *out, struct pl_error *err)
{
    /* The first ones are what people write; the others are there so that what is written by pl_parameters_write reads
     * back the same. */
    static const enum pl_parameter_source sources[] = {PL_FROM_MEASURED, PL_FROM_DOCUMENT,
                                                       PL_FROM_FITTED,   PL_FROM_ASSUMED,
                                                       PL_FROM_DEFAULT,  PL_FROM_COMMAND_LINE};
    const char *text;
    char shown[48];
    enum pl_err rc = pl_json_as_text(node, &text, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < PL_COUNT_OF(sources); i++) {
        if (strcmp(text, pl_parameter_source_name(sources[i])) == 0) {
            *out = sources[i];
            return PL_OK;
        }
    }
    return pl_json_fail(node, err, "'%s' is no source; write measured, document, fitted or assumed",
                        pl_printable(shown, sizeof shown, text, strlen(text)));
}

static enum pl_err read_value(const struct profile *profile, const struct pl_parameter_value *value,
                              const struct pl_json_node *node, struct pl_error *err)
{
    static const char *const keys[] = {"value", "source", "note"};
    enum pl_parameter_source source = PL_FROM_UNSTATED;
    const struct pl_json_node *inner = node;
    const char *note = NULL, *text;
    char place[512], room[64];
    enum pl_err rc = PL_OK;
    if (pl_json_is_object(node)) {
        rc = pl_json_only_keys(node, keys, PL_COUNT_OF(keys), err);
        inner = pl_json_get(node, "value");
        if (rc == PL_OK && !inner)
            rc = pl_json_fail(node, err, "there is no \"value\" in it");
        if (rc == PL_OK && pl_json_get(node, "source"))
            rc = read_source(pl_json_get(node, "source"), &source, err);
        if (rc == PL_OK && pl_json_get(node, "note"))
            rc = pl_json_as_text(pl_json_get(node, "note"), &note, err);
    }
    if (rc == PL_OK)
        rc = value_as_text(value->row, inner, room, sizeof room, &text, err);
    if (rc)
        return rc;
    pl_json_place(inner, place, sizeof place);
    rc = pl_parameters_put(profile->parameters, value->path, text, source, note, place, err);
    if (rc == PL_ERR_USAGE) /* wrong words, but in a file */
        rc = err ? (err->code = PL_ERR_INPUT) : PL_ERR_INPUT;
    return rc;
}

/* --- keys --------------------------------------------------------------------------- */

static bool begins_a_path(const struct pl_parameters *parameters, const char *prefix)
{
    size_t length = strlen(prefix);
    for (size_t i = 0; i < parameters->count; i++)
        if (strncmp(parameters->values[i].path, prefix, length) == 0 && parameters->values[i].path[length] == '.')
            return true;
    return false;
}

static enum pl_err fail_unknown(const struct profile *profile, const struct pl_json_node *node, const char *path,
                                bool is_root, struct pl_error *err)
{
    char hint[128];
    parameter_hint(profile->parameters, path, hint, sizeof hint);
    if (!*hint && is_root) /* "extend" */
        pl_did_you_mean(hint, sizeof hint, path, own_keys, PL_COUNT_OF(own_keys), sizeof *own_keys);
    return pl_json_fail(node, err, "there is no such key%s", hint);
}

static enum pl_err read_level(const struct profile *profile, const struct pl_json_node *object, const char *prefix,
                              struct pl_error *err)
{
    char path[LONGEST_PATH];
    if (!pl_json_is_object(object))
        return pl_json_fail(object, err, "an object was expected");
    for (size_t i = 0; i < pl_json_size(object); i++) {
        const struct pl_json_node *node = pl_json_at(object, i);
        const char *key = pl_json_key_of(node);
        int length = snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", key);
        bool fits = length < (int)sizeof path, is_root = !*prefix;
        if (is_root && is_own_key(key))
            continue;
        /* A key with a dot in it is not the way down to a row. */
        const struct pl_parameter_value *value =
            fits && !strchr(key, '.') ? parameter_find(profile->parameters, path) : NULL;
        enum pl_err rc;
        if (value)
            rc = read_value(profile, value, node, err);
        else if (fits && !strchr(key, '.') && begins_a_path(profile->parameters, path))
            rc = read_level(profile, node, path, err);
        else
            rc = fail_unknown(profile, node, path, is_root, err);
        if (rc)
            return rc;
    }
    return PL_OK;
}

/* --- files --------------------------------------------------------------------------- */

static enum pl_err read_file(const struct profile *profile, struct pl_error *err);

/* The path of profile `name` in the folder of `beside`. */
static const char *path_beside(struct pl_arena *arena, const char *beside, const char *name)
{
    const char *slash = strrchr(beside, '/');
    size_t length = strlen(name);
    bool has_suffix = length > 5 && strcmp(name + length - 5, ".json") == 0;
    return pl_arena_printf(arena, "%.*s%s%s", slash ? (int)(slash - beside) + 1 : 0, beside, name,
                           has_suffix ? "" : ".json");
}

static enum pl_err read_extended(const struct profile *profile, const struct pl_json_node *node, struct pl_error *err)
{
    const char *name;
    char shown[96];
    enum pl_err rc = pl_json_as_text(node, &name, err);
    if (rc)
        return rc;
    pl_printable(shown, sizeof shown, name, strlen(name));
    if (!*name || *name == '.' || strpbrk(name, "/\\"))
        return pl_json_fail(node, err, "'%s' is not the name of a profile beside this one", shown);
    struct profile base = {path_beside(profile->parameters->arena, profile->path, name), profile, profile->parameters};
    if (!base.path)
        return pl_fail_memory(err, strlen(name), "a path");
    int links = 0;
    for (const struct profile *p = profile; p; p = p->asked_by, links++)
        if (strcmp(p->path, base.path) == 0)
            return pl_json_fail(node, err, "%s is being read already: a profile cannot extend itself", base.path);
    if (links >= LONGEST_CHAIN)
        return pl_json_fail(node, err, "too many profiles extend each other");
    rc = read_file(&base, err);
    for (size_t i = 0; rc == PL_OK && i < profile->parameters->count; i++)
        profile->parameters->values[i].inherited = profile->parameters->values[i].source != PL_FROM_DEFAULT;
    return rc;
}

static enum pl_err read_words(struct pl_parameters *parameters, const struct pl_json_node *object, const char *key,
                              const char **out, struct pl_error *err)
{
    const struct pl_json_node *node = pl_json_get(object, key);
    const char *text = "";
    enum pl_err rc = node ? pl_json_as_text(node, &text, err) : PL_OK;
    const char *own = rc == PL_OK ? pl_arena_strdup(parameters->arena, text) : NULL;
    if (own)
        *out = own;
    return rc == PL_OK && !own ? pl_fail_memory(err, strlen(text), key) : rc;
}

static enum pl_err read_object(const struct profile *profile, const struct pl_json_node *object, struct pl_error *err)
{
    struct pl_parameters *parameters = profile->parameters;
    enum pl_err rc = PL_OK;
    if (!pl_json_is_object(object))
        return pl_json_fail(object, err, "an object was expected");
    if (pl_json_get(object, "extends"))
        rc = read_extended(profile, pl_json_get(object, "extends"), err);
    /* The words of the profile itself stand last and so win, also when there are none. */
    if (rc == PL_OK)
        rc = read_words(parameters, object, "title", &parameters->title, err);
    if (rc == PL_OK)
        rc = read_words(parameters, object, "about", &parameters->about, err);
    return rc ? rc : read_level(profile, object, "", err);
}

static enum pl_err read_file(const struct profile *profile, struct pl_error *err)
{
    struct pl_json *json;
    enum pl_err rc = pl_json_read_path(profile->path, &json, err);
    if (rc)
        return rc;
    rc = read_object(profile, pl_json_root(json), err);
    pl_json_free(json);
    return rc;
}

enum pl_err pl_parameters_read(struct pl_parameters *parameters, const char *path, struct pl_error *err)
{
    struct profile profile = {path, NULL, parameters};
    const char *name = pl_arena_strdup(parameters->arena, path);
    if (!name)
        return pl_fail_memory(err, strlen(path), "a path");
    parameters->name = name;
    return read_file(&profile, err);
}

enum pl_err pl_parameters_read_object(struct pl_parameters *parameters, const struct pl_json_node *object,
                                      const char *beside, struct pl_error *err)
{
    struct profile profile = {beside, NULL, parameters};
    return read_object(&profile, object, err);
}
