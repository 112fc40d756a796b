/* base/json_read.c: the tree of a JSON file, with the place of every value.
 *
 * cJSON builds a tree without places; json_scan gives places without a tree. Both go through the text in the same order,
 * so that walking cJSON's tree once lends each value its offset, from which come the line in messages and the exact
 * digits of a number (cJSON's own numbers are doubles and lose integers above 2^53). */
#include "base/json.h"

#include "base/json_scan.h"
#include "base/text.h"
#include "base/whole_file.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pl_json_node {
    const struct pl_json *json;
    const struct pl_json_node *parent;
    const cJSON *value;
    struct pl_json_node *children; /* `count` in a row */
    size_t count;
    size_t offset; /* in the text */
};

struct pl_json {
    struct pl_arena *arena;
    const char *name, *text;
    cJSON *tree;
    struct pl_json_node *nodes; /* the root is the first */
};

/* --- building ------------------------------------------------------------------------ */

/* For qsort over an array of pointers to values. */
static int compare_keys(const void *a, const void *b)
{
    return strcmp((*(const cJSON *const *)a)->string, (*(const cJSON *const *)b)->string);
}

/* Sorts rather than compares all pairs: objects may be large, and input may be unkind. */
static enum pl_err check_unique_keys(const struct pl_json_node *object, struct pl_error *err)
{
    if (object->count < 2)
        return PL_OK;
    const cJSON **sorted = malloc(object->count * sizeof *sorted);
    if (!sorted)
        return pl_fail_memory(err, object->count * sizeof *sorted, "JSON keys");
    for (size_t i = 0; i < object->count; i++)
        sorted[i] = object->children[i].value;
    qsort(sorted, object->count, sizeof *sorted, compare_keys);
    enum pl_err rc = PL_OK;
    for (size_t i = 1; i < object->count && rc == PL_OK; i++)
        if (strcmp(sorted[i - 1]->string, sorted[i]->string) == 0)
            rc = pl_json_fail(object, err, "the key '%s' stands here twice", sorted[i]->string);
    free(sorted);
    return rc;
}

struct build {
    struct pl_json *json;
    const struct json_places *places;
    size_t used, visited; /* nodes handed out; values passed in the order of the text */
};

/* Fills `node` and what is below it. Recursion is bounded: json_scan has counted the levels. */
static enum pl_err build_node(struct build *build, const cJSON *value, const struct pl_json_node *parent,
                              struct pl_json_node *node, struct pl_error *err)
{
    assert(build->visited < build->places->count);
    *node = (struct pl_json_node){.json = build->json, .parent = parent, .value = value};
    node->offset = build->places->offset[build->visited++];
    for (const cJSON *child = value->child; child; child = child->next)
        node->count++;
    /* Children take the next free nodes in a row before any of their own children do, so that the nth is found by index. */
    node->children = build->json->nodes + build->used;
    build->used += node->count;
    assert(build->used <= build->places->count);
    size_t index = 0;
    for (const cJSON *child = value->child; child; child = child->next) {
        enum pl_err rc = build_node(build, child, node, &node->children[index++], err);
        if (rc)
            return rc;
    }
    return cJSON_IsObject(value) ? check_unique_keys(node, err) : PL_OK;
}

/* cJSON found fault with what the scan let pass: a wrong escape in a string. */
static enum pl_err fail_syntax(const struct pl_json *json, const char *at, size_t length, struct pl_error *err)
{
    char shown[40];
    size_t offset = (size_t)(at - json->text);
    if (offset > length)
        offset = length;
    pl_printable(shown, sizeof shown, json->text + offset, length - offset);
    return pl_fail_at(err, json->name, json_line_of(json->text, offset), "is not JSON from here on: %s", shown);
}

static enum pl_err parse(struct pl_json *json, size_t length, struct json_places *places, struct pl_error *err)
{
    size_t start = length >= 3 && memcmp(json->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    enum pl_err rc = json_scan(json->text, start, length, json->name, places, err);
    if (rc)
        return rc;
    /* The NUL behind the text is counted: with it cJSON can tell that nothing follows the value. */
    const char *end = json->text + start;
    json->tree = cJSON_ParseWithLengthOpts(json->text + start, length - start + 1, &end, true);
    if (!json->tree)
        return fail_syntax(json, end, length, err);
    json->nodes = pl_arena_alloc(json->arena, places->count, sizeof *json->nodes);
    if (!json->nodes)
        return pl_fail_memory(err, places->count * sizeof *json->nodes, json->name);
    struct build build = {json, places, 1, 0};
    return build_node(&build, json->tree, NULL, &json->nodes[0], err);
}

/* The text is copied, because numbers and lines are looked up in it as long as the tree lives. */
enum pl_err pl_json_read(const char *text, size_t length, const char *name, struct pl_json **out, struct pl_error *err)
{
    struct pl_arena *arena = pl_arena_create();
    struct pl_json *json = arena ? pl_arena_alloc(arena, 1, sizeof *json) : NULL;
    char *copy = json && length < SIZE_MAX ? pl_arena_alloc(arena, length + 1, 1) : NULL;
    struct json_places places = {0};
    if (!copy) {
        pl_arena_destroy(arena);
        return pl_fail_memory(err, length, name);
    }
    if (length)
        memcpy(copy, text, length);
    *json = (struct pl_json){.arena = arena, .name = pl_arena_strdup(arena, name), .text = copy};
    enum pl_err rc = json->name ? parse(json, length, &places, err) : pl_fail_memory(err, strlen(name), name);
    free(places.offset);
    if (rc)
        pl_json_free(json);
    else
        *out = json;
    return rc;
}

enum pl_err pl_json_read_path(const char *path, struct pl_json **out, struct pl_error *err)
{
    char *text;
    size_t length;
    enum pl_err rc = pl_whole_file_read(path, &text, &length, err);
    if (rc)
        return rc;
    rc = pl_json_read(text, length, pl_whole_file_name(path), out, err);
    free(text);
    return rc;
}

void pl_json_free(struct pl_json *json)
{
    if (!json)
        return;
    cJSON_Delete(json->tree);
    pl_arena_destroy(json->arena);
}

/* --- places in messages ---------------------------------------------------------------- */

/* "store.regions[3].codec", or "" for the root; `text` grows from the root outwards. */
static void add_path(struct pl_text *text, const struct pl_json_node *node)
{
    if (!node->parent)
        return;
    add_path(text, node->parent);
    const char *key = pl_json_key_of(node);
    if (key) {
        pl_text_add(text, text->length ? "." : "");
        pl_text_add_printable(text, key, strlen(key));
    } else {
        pl_text_addf(text, "[%zu]", (size_t)(node - node->parent->children));
    }
}

enum pl_err pl_json_fail(const struct pl_json_node *node, struct pl_error *err, const char *format, ...)
{
    struct pl_text path = {0}, message = {0};
    va_list args;
    if (!err) /* who only asks whether a value can be read is not to wait for its line to be counted */
        return PL_ERR_INPUT;
    va_start(args, format);
    /* Without memory for a path the message goes out without it. */
    char words[PL_ERROR_MESSAGE_MAX];
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    add_path(&path, node);
    pl_text_addf(&message, "%s%s%s", path.data ? path.data : "", path.length ? ": " : "", words);
    uint64_t line = json_line_of(node->json->text, node->offset);
    enum pl_err rc = pl_fail_at(err, node->json->name, line, "%s", message.data ? message.data : words);
    pl_text_free(&path);
    pl_text_free(&message);
    return rc;
}

char *pl_json_place(const struct pl_json_node *node, char *out, size_t size)
{
    snprintf(out, size, "%s:%" PRIu64, node->json->name, json_line_of(node->json->text, node->offset));
    return out;
}

/* --- asking ------------------------------------------------------------------------------ */

const struct pl_json_node *pl_json_root(const struct pl_json *json)
{
    return &json->nodes[0];
}

/* A plain search: objects that are asked by name are the small ones that people write. */
const struct pl_json_node *pl_json_get(const struct pl_json_node *object, const char *key)
{
    for (size_t i = 0; cJSON_IsObject(object->value) && i < object->count; i++)
        if (strcmp(object->children[i].value->string, key) == 0)
            return &object->children[i];
    return NULL;
}

size_t pl_json_size(const struct pl_json_node *node)
{
    return node->count;
}

const struct pl_json_node *pl_json_at(const struct pl_json_node *node, size_t index)
{
    return index < node->count ? &node->children[index] : NULL;
}

const char *pl_json_key_of(const struct pl_json_node *node)
{
    return node->value->string;
}

bool pl_json_is_object(const struct pl_json_node *node)
{
    return cJSON_IsObject(node->value);
}

bool pl_json_is_array(const struct pl_json_node *node)
{
    return cJSON_IsArray(node->value);
}

bool pl_json_is_text(const struct pl_json_node *node)
{
    return cJSON_IsString(node->value);
}

bool pl_json_is_number(const struct pl_json_node *node)
{
    return cJSON_IsNumber(node->value);
}

bool pl_json_is_null(const struct pl_json_node *node)
{
    return cJSON_IsNull(node->value);
}

enum pl_err pl_json_only_keys(const struct pl_json_node *object, const char *const *keys, size_t count,
                              struct pl_error *err)
{
    if (!pl_json_is_object(object))
        return pl_json_fail(object, err, "an object was expected");
    /* The first unknown key is named; the next run finds the next one. */
    for (size_t i = 0; i < object->count; i++) {
        const char *key = object->children[i].value->string;
        size_t known = 0;
        char hint[96];
        while (known < count && strcmp(keys[known], key) != 0)
            known++;
        if (known == count)
            return pl_json_fail(&object->children[i], err, "there is no such key%s",
                                pl_did_you_mean(hint, sizeof hint, key, keys, count, sizeof *keys));
    }
    return PL_OK;
}

/* --- typed reads --------------------------------------------------------------------------- */

/* What a value is, for messages: "a text was expected, not a number". */
static const char *kind_of(const struct pl_json_node *node)
{
    const cJSON *value = node->value;
    return cJSON_IsObject(value)   ? "an object"
           : cJSON_IsArray(value)  ? "an array"
           : cJSON_IsString(value) ? "a text"
           : cJSON_IsNumber(value) ? "a number"
           : cJSON_IsBool(value)   ? "true or false"
                                   : "null";
}

static enum pl_err fail_kind(const struct pl_json_node *node, const char *expected, struct pl_error *err)
{
    return pl_json_fail(node, err, "%s was expected, not %s", expected, kind_of(node));
}

/* A number as it was written; false when it is longer than any sensible one. */
static bool digits_of(const struct pl_json_node *node, char *out, size_t size)
{
    const char *token = node->json->text + node->offset;
    size_t length = strspn(token, "0123456789+-.eE");
    if (length >= size)
        return false;
    memcpy(out, token, length);
    out[length] = '\0';
    return true;
}

enum pl_err pl_json_as_text(const struct pl_json_node *node, const char **out, struct pl_error *err)
{
    if (!pl_json_is_text(node))
        return fail_kind(node, "a text", err);
    *out = node->value->valuestring;
    return PL_OK;
}

enum pl_err pl_json_as_real(const struct pl_json_node *node, double *out, struct pl_error *err)
{
    if (!pl_json_is_number(node))
        return fail_kind(node, "a number", err);
    char digits[512];
    /* The digits are read anew rather than taken from cJSON, whose conversion depends on the locale. Only a number of
     * more than 500 digits keeps cJSON's. */
    double value = node->value->valuedouble;
    bool is_finite = digits_of(node, digits, sizeof digits) ? pl_parse_double(digits, &value) : isfinite(value);
    if (!is_finite)
        return pl_json_fail(node, err, "the number is too large");
    *out = value;
    return PL_OK;
}

enum pl_err pl_json_as_u64(const struct pl_json_node *node, uint64_t *out, struct pl_error *err)
{
    char digits[512], shown[40];
    if (pl_json_is_text(node)) {
        const char *text = node->value->valuestring;
        if (pl_parse_u64(text, out))
            return PL_OK;
        return pl_json_fail(node, err, "'%s' is not a whole number below 2^64",
                            pl_printable(shown, sizeof shown, text, strlen(text)));
    }
    if (!pl_json_is_number(node))
        return fail_kind(node, "a whole number", err);
    double value = NAN;
    if (digits_of(node, digits, sizeof digits)) {
        if (pl_parse_u64(digits, out))
            return PL_OK;
        /* "1e6" and "5.0" are whole, too; beyond 2^53 such a form says less than it seems to. */
        if (pl_parse_double(digits, &value) && value >= 0 && value == floor(value) && value < 0x1p53) {
            *out = (uint64_t)value;
            return PL_OK;
        }
        pl_printable(shown, sizeof shown, digits, strlen(digits));
    }
    if (value < 0)
        return pl_json_fail(node, err, "%s is negative", shown);
    /* Whole and too large, or so long that it cannot be anything else. */
    if (isnan(value) || value >= 0x1p53)
        return pl_json_fail(node, err, "the number is too large");
    return pl_json_fail(node, err, "%s is not a whole number", shown);
}

enum pl_err pl_json_as_bool(const struct pl_json_node *node, bool *out, struct pl_error *err)
{
    if (!cJSON_IsBool(node->value))
        return fail_kind(node, "true or false", err);
    *out = cJSON_IsTrue(node->value);
    return PL_OK;
}
