/* base/parameter_write.c: parameters for result documents, as a profile and as help. */
#include "base/parameter_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- result documents ------------------------------------------------------------------ */

struct pl_document_table *pl_parameters_document(const struct pl_parameters *parameters, const void *finished,
                                                 struct pl_document *document)
{
    static const struct pl_column columns[] = {
        {"parameter", "parameter", "", PL_VALUE_TEXT, 0}, {"value", "value", "", PL_VALUE_TEXT, 0},
        {"number", "number", "", PL_VALUE_REAL, -1},      {"unit", "unit", "", PL_VALUE_TEXT, 0},
        {"source", "source", "", PL_VALUE_TEXT, 0},       {"place", "place", "", PL_VALUE_TEXT, 0},
        {"note", "note", "", PL_VALUE_TEXT, 0},
    };
    struct pl_document_table *table =
        pl_document_table(document, "parameters", "Parameters and where they come from", columns, PL_COUNT_OF(columns));
    for (size_t i = 0; i < parameters->count; i++) {
        const struct pl_parameter_value *value = &parameters->values[i];
        double number = pl_parameter_shown(value, finished);
        bool is_number = isfinite(number) && value->row->kind != PL_PARAM_CHOICE && value->row->kind != PL_PARAM_FLAG;
        struct pl_value row[] = {
            pl_value_text(value->path),
            pl_value_text(value->text),
            pl_value_real(is_number ? number : (double)NAN),
            pl_value_text(value->row->unit),
            pl_value_text(pl_parameter_source_name(value->source)),
            pl_value_text(value->place),
            pl_value_text(value->note),
        };
        pl_document_row(table, row);
    }
    return table;
}

/* --- profiles ----------------------------------------------------------------------------- */

/* Does `path` lie below `prefix`, and if so, how long is it with the next part? 0 = it does not. */
static size_t next_part(const char *path, const char *prefix, size_t prefix_length)
{
    if (prefix_length) {
        if (strncmp(path, prefix, prefix_length) != 0 || path[prefix_length] != '.')
            return 0;
        prefix_length++;
    }
    return prefix_length + strcspn(path + prefix_length, ".");
}

struct writing {
    const struct pl_parameters *parameters;
    struct pl_json_writer json;
    bool own_only;
};

static bool is_wanted(const struct writing *writing, const struct pl_parameter_value *value)
{
    return value->text && !(writing->own_only && (value->inherited || value->source == PL_FROM_DEFAULT));
}

static void write_plain(struct pl_json_writer *json, const struct pl_parameter_value *value)
{
    uint64_t count;
    double real;
    enum pl_parameter_kind kind = value->row->kind;
    if (kind == PL_PARAM_FLAG)
        pl_json_bool(json, strcmp(value->text, "true") == 0);
    else if (kind == PL_PARAM_COUNT && pl_parse_u64(value->text, &count))
        pl_json_u64(json, count);
    else if (kind == PL_PARAM_REAL && pl_parse_double(value->text, &real))
        pl_json_real(json, real);
    else
        pl_json_text(json, value->text);
}

static void write_value(struct pl_json_writer *json, const struct pl_parameter_value *value)
{
    if (value->source == PL_FROM_UNSTATED && !value->note) {
        write_plain(json, value);
        return;
    }
    pl_json_object_on_one_line(json);
    pl_json_key(json, "value");
    write_plain(json, value);
    if (value->source != PL_FROM_UNSTATED) {
        pl_json_key(json, "source");
        pl_json_text(json, pl_parameter_source_name(value->source));
    }
    if (value->note) {
        pl_json_key(json, "note");
        pl_json_text(json, value->note);
    }
    pl_json_close(json, '}');
}

/* Has a wanted value before `index` the same first `length` characters, as whole parts? Then it stands in an object that
 * is written already. */
static bool is_written(const struct writing *writing, size_t index, size_t length)
{
    const char *path = writing->parameters->values[index].path;
    for (size_t i = 0; i < index; i++) {
        const struct pl_parameter_value *other = &writing->parameters->values[i];
        if (is_wanted(writing, other) && strncmp(other->path, path, length) == 0 && other->path[length] == '.')
            return true;
    }
    return false;
}

/* The members of the object at the first `prefix_length` characters of `prefix`. */
static void write_level(struct writing *writing, const char *prefix, size_t prefix_length)
{
    for (size_t i = 0; i < writing->parameters->count; i++) {
        const struct pl_parameter_value *value = &writing->parameters->values[i];
        size_t length = is_wanted(writing, value) ? next_part(value->path, prefix, prefix_length) : 0;
        if (length == 0)
            continue;
        size_t start = prefix_length ? prefix_length + 1 : 0;
        char key[128];
        snprintf(key, sizeof key, "%.*s", (int)(length - start), value->path + start);
        if (value->path[length] == '\0') {
            pl_json_key(&writing->json, key);
            write_value(&writing->json, value);
        } else if (!is_written(writing, i, length)) {
            pl_json_key(&writing->json, key);
            pl_json_object(&writing->json);
            write_level(writing, value->path, length);
            pl_json_close(&writing->json, '}');
        }
    }
}

static void write_words(struct pl_json_writer *json, const char *key, const char *words)
{
    if (!words)
        return;
    pl_json_key(json, key);
    pl_json_text(json, words);
}

void pl_parameters_write(const struct pl_parameters *parameters, const struct pl_profile_head *head,
                         struct pl_sink *sink)
{
    struct writing writing = {.parameters = parameters, .own_only = head->own_only};
    pl_json_start(&writing.json, sink);
    pl_json_object(&writing.json);
    write_words(&writing.json, "title", head->title);
    write_words(&writing.json, "about", head->about);
    write_words(&writing.json, "extends", head->extends);
    write_level(&writing, "", 0);
    pl_json_close(&writing.json, '}');
    pl_sink_puts(sink, "\n");
}

/* --- help ------------------------------------------------------------------------------------ */

static void add_choices(const struct pl_parameter *row, struct pl_text *out)
{
    for (size_t i = 0; row->choices[i]; i++)
        pl_text_addf(out, "%s%s", i ? ", " : " One of ", row->choices[i]);
    pl_text_add(out, ".");
}

static void add_bounds(const struct pl_parameter *row, struct pl_text *out)
{
    if (row->least && row->most)
        pl_text_addf(out, " From %s to %s", row->least, row->most);
    else if (row->least || row->most)
        pl_text_addf(out, " At %s %s", row->least ? "least" : "most", row->least ? row->least : row->most);
    if (row->unlimited)
        pl_text_addf(out, "%s %s", row->least || row->most ? ", or" : " May be", row->unlimited);
    if (row->least || row->most || row->unlimited)
        pl_text_add(out, ".");
}

void pl_parameters_help(const struct pl_parameters *parameters, size_t width, struct pl_text *out)
{
    enum { INDENT = 8 };
    for (size_t i = 0; i < parameters->count; i++) {
        const struct pl_parameter *row = parameters->values[i].row;
        struct pl_text words = {0};
        pl_text_add(&words, row->help ? row->help : "");
        if (row->choices)
            add_choices(row, &words);
        add_bounds(row, &words);
        if (row->fallback && *row->fallback)
            pl_text_addf(&words, " Default: %s.", row->fallback);
        else if (!row->fallback)
            pl_text_add(&words, " Must be given.");
        pl_text_addf(out, "  %s\n%*s", parameters->values[i].path, INDENT, "");
        pl_text_wrap(out, words.data ? words.data : "", INDENT, INDENT, width);
        pl_text_add(out, "\n");
        out->failed |= words.failed;
        pl_text_free(&words);
    }
}
