/* study/sweep_study.c: reading a study. What each of its parts may hold is in sweep_study.h and the members of the
 * base. */
#include "study/sweep_study.h"

#include "base/whole_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pl_sweep_base_ops *const bases[] = {&pl_sweep_model, &pl_sweep_curve, &pl_sweep_replay};

/* --- what members of the base share ------------------------------------------------------- */

int pl_sweep_index_of(const struct pl_study *study, const char *name)
{
    for (size_t i = 0; i < study->parameter_count; i++)
        if (!strcmp(study->parameter[i].quantity.name, name))
            return (int)i;
    return -1;
}

const char *pl_sweep_path(const char *folder, const char *path, struct pl_arena *arena)
{
    return *path == '/' ? path : pl_arena_printf(arena, "%s%s", folder, path);
}

enum pl_err pl_sweep_identify_file(const char *kind, const char *name, const char *path, struct pl_text *out,
                                   struct pl_error *err)
{
    enum { BLOCK = 1 << 20 };
    FILE *file = fopen(path, "rb");
    if (!file)
        return pl_fail_errno(err, errno, "%s", path);
    char *block = malloc(BLOCK);
    uint64_t hash = 0, bytes = 0;
    size_t got;
    while (block && (got = fread(block, 1, BLOCK, file)) > 0) {
        hash = pl_xxh64(block, got, hash);
        bytes += got;
    }
    enum pl_err rc = !block         ? pl_fail_memory(err, BLOCK, path)
                     : ferror(file) ? pl_fail_errno(err, errno, "%s", path)
                                    : PL_OK;
    free(block);
    fclose(file);
    if (rc == PL_OK)
        pl_text_addf(out, "%s %s: %llu bytes, %016llx\n", kind, name, (unsigned long long)bytes,
                     (unsigned long long)hash);
    return rc;
}

/* --- the head and the base -------------------------------------------------------------------- */

static enum pl_err read_head(struct pl_study *study, const struct pl_json_node *root, struct pl_error *err)
{
    static const char *const keys[] = {"format", "version", "title",   "about",    "base",
                                       "design", "when",    "outputs", "objective", "parameters"};
    const char *format;
    uint64_t version;
    if (!pl_json_is_object(root))
        return pl_json_fail(root, err, "a study is an object");
    enum pl_err rc = pl_json_only_keys(root, keys, PL_COUNT_OF(keys), err);
    if (rc)
        return rc;
    const struct pl_json_node *at = pl_json_get(root, "format");
    if (!at)
        return pl_json_fail(root, err, "\"format\": \"pagelab-study\" is missing");
    if ((rc = pl_json_as_text(at, &format, err)))
        return rc;
    if (strcmp(format, "pagelab-study") != 0)
        return pl_json_fail(at, err, "'%.60s' is not pagelab-study", format);
    if ((at = pl_json_get(root, "version")) && (rc = pl_json_as_u64(at, &version, err)))
        return rc;
    if (at && version != 1)
        return pl_json_fail(at, err, "version %llu; this program reads version 1", (unsigned long long)version);
    study->title = study->about = "";
    if ((at = pl_json_get(root, "title")) && (rc = pl_json_as_text(at, &study->title, err)))
        return rc;
    if ((at = pl_json_get(root, "about")) && (rc = pl_json_as_text(at, &study->about, err)))
        return rc;
    return PL_OK;
}

/* Where the study lies: "models/studies/", or "". */
static const char *folder_of(const char *path, struct pl_arena *arena)
{
    const char *slash = strrchr(path, '/');
    return slash ? pl_arena_printf(arena, "%.*s", (int)(slash - path + 1), path) : "";
}

static enum pl_err read_base(struct pl_study *study, const struct pl_json_node *root, struct pl_arena *arena,
                             struct pl_error *err)
{
    const struct pl_json_node *node = pl_json_get(root, "base");
    if (!node || !pl_json_is_object(node))
        return pl_json_fail(node ? node : root, err,
                            "a study needs a \"base\": {\"model\": TABLE}, {\"curve\": TRACE} or "
                            "{\"replay\": TRACE, \"machine\": MACHINE}");
    for (size_t i = 0; i < PL_COUNT_OF(bases); i++) {
        if (!pl_json_get(node, bases[i]->name))
            continue;
        if (study->ops)
            return pl_json_fail(node, err, "\"%s\" and \"%s\": give one of them", study->ops->name, bases[i]->name);
        study->ops = bases[i];
    }
    if (!study->ops)
        return pl_json_fail(node, err, "it names no \"model\", \"curve\" or \"replay\"");
    const char *folder = folder_of(study->path, arena);
    if (!folder)
        return pl_fail_memory(err, strlen(study->path), "a path");
    return study->ops->read(node, folder, arena, &study->base, err);
}

/* --- parameters ------------------------------------------------------------------------------------ */

static enum pl_err read_parameters(struct pl_study *study, const struct pl_json_node *root, struct pl_arena *arena,
                                   struct pl_error *err)
{
    const struct pl_json_node *node = pl_json_get(root, "parameters");
    if (!node || !pl_json_is_object(node))
        return pl_json_fail(node ? node : root, err, "a study needs \"parameters\": an object of names and values");
    if (pl_json_size(node) > PL_STUDY_PARAMETERS_MAX)
        return pl_json_fail(node, err, "%zu parameters; at most %d", pl_json_size(node), PL_STUDY_PARAMETERS_MAX);
    const uint32_t page_size = study->ops->page_size(study->base);
    for (size_t i = 0; i < pl_json_size(node); i++) {
        const struct pl_json_node *item = pl_json_at(node, i);
        struct pl_study_parameter *parameter = &study->parameter[i];
        struct pl_error inner = {PL_OK, ""};
        enum pl_err rc = study->ops->parameter(study->base, pl_json_key_of(item), arena, &parameter->quantity, &inner);
        if (rc == PL_ERR_USAGE)
            return pl_json_fail(item, err, "%s", inner.message);
        if (rc)
            return pl_fail(err, rc, "%s", inner.message);
        rc = pl_study_read_parameter(item, page_size, arena, parameter, err);
        if (rc)
            return rc;
        study->parameter_count++;
    }
    return PL_OK;
}

static enum pl_err read_drawn(struct pl_study *study, const struct pl_json_node *node, struct pl_error *err)
{
    static const char *const keys[] = {"kind", "points", "seed"};
    const struct pl_json_node *points = pl_json_get(node, "points"), *seed = pl_json_get(node, "seed");
    uint64_t count = 0;
    enum pl_err rc = pl_json_only_keys(node, keys, PL_COUNT_OF(keys), err);
    if (rc == PL_OK && points)
        rc = pl_json_as_u64(points, &count, err);
    if (rc == PL_OK && seed)
        rc = pl_json_as_u64(seed, &study->seed, err);
    if (rc)
        return rc;
    if (study->design == PL_DESIGN_GRID)
        return points || seed ? pl_json_fail(node, err, "a grid has no \"points\" and no \"seed\"") : PL_OK;
    if (!points)
        return pl_json_fail(node, err, "how many \"points\" shall be drawn?");
    if (count < 1 || count > PL_STUDY_POINTS_MAX)
        return pl_json_fail(points, err, "1 to %d points, not %llu", PL_STUDY_POINTS_MAX, (unsigned long long)count);
    study->drawn = (size_t)count;
    return PL_OK;
}

static enum pl_err read_design(struct pl_study *study, const struct pl_json_node *root, struct pl_error *err)
{
    const struct pl_json_node *node = pl_json_get(root, "design"), *kind = node;
    const char *name;
    char hint[64];
    if (!node)
        return PL_OK;
    if (pl_json_is_object(node) && !(kind = pl_json_get(node, "kind")))
        return pl_json_fail(node, err, "which \"kind\" of design? grid, sobol or random");
    enum pl_err rc = pl_json_as_text(kind, &name, err);
    if (rc)
        return rc;
    int found = -1;
    for (int i = 0; pl_design_names[i]; i++)
        if (!strcmp(pl_design_names[i], name))
            found = i;
    if (found < 0)
        return pl_json_fail(kind, err, "'%.60s' is no design; grid, sobol or random%s", name,
                            pl_did_you_mean(hint, sizeof hint, name, pl_design_names, 3, sizeof *pl_design_names));
    study->design = (enum pl_design)found;
    if (pl_json_is_object(node))
        return read_drawn(study, node, err);
    return study->design == PL_DESIGN_GRID
               ? PL_OK
               : pl_json_fail(node, err, "write {\"kind\": \"%s\", \"points\": N, \"seed\": S}", name);
}

/* --- formulas ---------------------------------------------------------------------------------------- */

static void add_symbol(struct pl_symbol *symbols, size_t *count, const struct pl_quantity *quantity, size_t slot)
{
    symbols[(*count)++] = (struct pl_symbol){quantity->name, slot, 1, quantity->words, quantity->word_count};
    if (strcmp(quantity->name, quantity->column) != 0)
        symbols[(*count)++] = (struct pl_symbol){quantity->column, slot, quantity->scale, NULL, 0};
}

/* Names of parameters and of all outputs of the base, in slots: parameters, then outputs. */
static enum pl_err make_symbols(struct pl_study *study, struct pl_arena *arena, struct pl_error *err)
{
    const size_t most = 2 * (study->parameter_count + study->ops->output_count);
    struct pl_symbol *symbols = pl_arena_alloc(arena, most + 1, sizeof *symbols);
    if (!symbols)
        return pl_fail_memory(err, most * sizeof *symbols, "the names of a study");
    for (size_t i = 0; i < study->parameter_count; i++)
        add_symbol(symbols, &study->symbol_count, &study->parameter[i].quantity, i);
    for (size_t i = 0; i < study->ops->output_count; i++)
        add_symbol(symbols, &study->symbol_count, &study->ops->outputs[i].quantity, study->parameter_count + i);
    study->symbols = symbols;
    return PL_OK;
}

static enum pl_err compile(const struct pl_json_node *node, const struct pl_study *study, size_t symbol_count,
                           struct pl_arena *arena, const struct pl_expression **out, struct pl_error *err)
{
    const char *text;
    struct pl_error inner = {PL_OK, ""};
    struct pl_expression *expression;
    enum pl_err rc = pl_json_as_text(node, &text, err);
    if (rc)
        return rc;
    rc = pl_expression_compile(text, study->symbols, symbol_count, arena, &expression, &inner);
    if (rc)
        return rc == PL_ERR_USAGE ? pl_json_fail(node, err, "%s", inner.message)
                                  : pl_fail(err, rc, "%s", inner.message);
    *out = expression;
    return PL_OK;
}

/* One formula or a list of them. */
static enum pl_err compile_all(const struct pl_json_node *node, const struct pl_study *study, size_t symbol_count,
                               struct pl_arena *arena, const struct pl_expression *const **out, size_t *out_count,
                               struct pl_error *err)
{
    const bool several = pl_json_is_array(node);
    const size_t count = several ? pl_json_size(node) : 1;
    const struct pl_expression **list = pl_arena_alloc(arena, count + 1, sizeof *list);
    if (!list)
        return pl_fail_memory(err, count * sizeof *list, "the formulas of a study");
    for (size_t i = 0; i < count; i++) {
        enum pl_err rc = compile(several ? pl_json_at(node, i) : node, study, symbol_count, arena, &list[i], err);
        if (rc)
            return rc;
    }
    *out = list;
    *out_count = count;
    return PL_OK;
}

static enum pl_err read_when(struct pl_study *study, const struct pl_json_node *root, struct pl_arena *arena,
                             struct pl_error *err)
{
    const struct pl_json_node *node = pl_json_get(root, "when");
    size_t known = 0; /* symbols of parameters stand first */
    while (known < study->symbol_count && study->symbols[known].slot < study->parameter_count)
        known++;
    return node ? compile_all(node, study, known, arena, &study->when, &study->when_count, err) : PL_OK;
}

static enum pl_err read_objective(struct pl_study *study, const struct pl_json_node *root, struct pl_arena *arena,
                                  struct pl_error *err)
{
    static const char *const keys[] = {"minimise", "maximise", "subject_to"};
    const struct pl_json_node *node = pl_json_get(root, "objective");
    if (!node)
        return PL_OK;
    if (!pl_json_is_object(node))
        return pl_json_fail(node, err, "an object with \"minimise\" or \"maximise\", and \"subject_to\"");
    enum pl_err rc = pl_json_only_keys(node, keys, PL_COUNT_OF(keys), err);
    if (rc)
        return rc;
    const struct pl_json_node *least = pl_json_get(node, "minimise"), *most = pl_json_get(node, "maximise");
    const struct pl_json_node *limits = pl_json_get(node, "subject_to");
    if (!least == !most)
        return pl_json_fail(node, err, "\"minimise\" or \"maximise\": give one of them");
    study->objective.maximise = most != NULL;
    rc = compile(least ? least : most, study, study->symbol_count, arena, &study->objective.goal, err);
    if (rc == PL_OK && limits)
        rc = compile_all(limits, study, study->symbol_count, arena, &study->objective.constraint,
                         &study->objective.constraint_count, err);
    return rc;
}

/* --- outputs --------------------------------------------------------------------------------------------- */

static enum pl_err mark_named(const struct pl_study *study, const struct pl_json_node *node, bool *wanted,
                              struct pl_error *err)
{
    const struct pl_sweep_output *outputs = study->ops->outputs;
    if (!pl_json_is_array(node) || !pl_json_size(node))
        return pl_json_fail(node, err, "a list of names");
    for (size_t i = 0; i < pl_json_size(node); i++) {
        const struct pl_json_node *item = pl_json_at(node, i);
        const char *name;
        char hint[128];
        enum pl_err rc = pl_json_as_text(item, &name, err);
        if (rc)
            return rc;
        size_t k = 0;
        while (k < study->ops->output_count && strcmp(outputs[k].quantity.name, name) != 0 &&
               strcmp(outputs[k].quantity.column, name) != 0)
            k++;
        if (k == study->ops->output_count)
            return pl_json_fail(item, err, "a %s has no '%.80s'%s", study->ops->name, name,
                                pl_did_you_mean(hint, sizeof hint, name, &outputs->quantity.name,
                                                study->ops->output_count, sizeof *outputs));
        wanted[k] = true;
    }
    return PL_OK;
}

static bool objective_uses(const struct pl_study *study, size_t slot)
{
    const struct pl_objective *objective = &study->objective;
    if (!objective->goal)
        return false;
    /* What lies outside the data is never best. */
    bool uses = pl_expression_uses(objective->goal, slot) ||
                !strcmp(study->ops->outputs[slot - study->parameter_count].quantity.name, "extrapolated");
    for (size_t i = 0; i < objective->constraint_count; i++)
        uses = uses || pl_expression_uses(objective->constraint[i], slot);
    return uses;
}

/* The outputs that the study names or its objective needs, in the order of the base. */
static enum pl_err choose_outputs(struct pl_study *study, const struct pl_json_node *root, struct pl_arena *arena,
                                  struct pl_error *err)
{
    const struct pl_json_node *node = pl_json_get(root, "outputs");
    const size_t count = study->ops->output_count;
    bool *wanted = pl_arena_alloc(arena, count, sizeof *wanted);
    size_t *output = pl_arena_alloc(arena, count, sizeof *output);
    if (!wanted || !output)
        return pl_fail_memory(err, count * sizeof *output, "the outputs of a study");
    for (size_t k = 0; k < count; k++)
        wanted[k] = !node && study->ops->outputs[k].by_default;
    enum pl_err rc = node ? mark_named(study, node, wanted, err) : PL_OK;
    if (rc)
        return rc;
    for (size_t k = 0; k < count; k++)
        if (wanted[k] || objective_uses(study, study->parameter_count + k))
            output[study->output_count++] = k;
    study->output = output;
    return PL_OK;
}

/* --- what it depends on ------------------------------------------------------------------------------------ */

static void identify_parameter(const struct pl_study_parameter *parameter, struct pl_text *out)
{
    enum { SHOWN = 12 };
    char number[40];
    pl_text_addf(out, "parameter %s:", parameter->quantity.name);
    for (size_t i = 0; i < parameter->count && i < SHOWN; i++)
        pl_text_addf(out, " %s", parameter->quantity.kind == PL_QUANTITY_WORD
                                     ? parameter->quantity.words[(size_t)parameter->value[i]]
                                     : pl_format_double(number, sizeof number, parameter->value[i]));
    if (parameter->count > SHOWN)
        pl_text_addf(out, " ... %zu values, %016llx", parameter->count,
                     (unsigned long long)pl_xxh64(parameter->value, parameter->count * sizeof *parameter->value, 0));
    if (!parameter->count) {
        pl_text_addf(out, " from %s", pl_format_double(number, sizeof number, parameter->low));
        pl_text_addf(out, " to %s%s", pl_format_double(number, sizeof number, parameter->high),
                     parameter->logarithmic ? " (log)" : "");
    }
    pl_text_add(out, "\n");
}

static enum pl_err hash_identity(struct pl_study *study, struct pl_text *text, struct pl_arena *arena,
                                 struct pl_error *err)
{
    study->identity = text->failed ? NULL : pl_arena_strdup(arena, text->data);
    if (!study->identity)
        return pl_fail_memory(err, text->length, "a study");
    snprintf(study->hash, sizeof study->hash, "%016llx", (unsigned long long)pl_xxh64(text->data, text->length, 0));
    return PL_OK;
}

enum pl_err pl_study_set_search(struct pl_study *study, const char *search, struct pl_arena *arena,
                                struct pl_error *err)
{
    struct pl_text text = {0};
    pl_text_addf(&text, "%ssearch: %s\n", study->identity, search);
    if (!(study->search = pl_arena_strdup(arena, search)))
        return pl_fail_memory(err, strlen(search), "a study");
    enum pl_err rc = hash_identity(study, &text, arena, err);
    pl_text_free(&text);
    return rc;
}

/* Lines for people too: a study that has changed is refused with the first line that differs. */
static enum pl_err identify(struct pl_study *study, struct pl_arena *arena, struct pl_error *err)
{
    struct pl_text text = {0};
    pl_text_addf(&text, "base: %s\n", study->ops->name);
    enum pl_err rc = study->ops->identify(study->base, study, &text, err);
    for (size_t i = 0; i < study->parameter_count; i++)
        identify_parameter(&study->parameter[i], &text);
    pl_text_addf(&text, "design: %s", pl_design_names[study->design]);
    if (study->design != PL_DESIGN_GRID)
        pl_text_addf(&text, ", %zu points, seed %llu", study->drawn, (unsigned long long)study->seed);
    pl_text_add(&text, "\n");
    for (size_t i = 0; i < study->when_count; i++)
        pl_text_addf(&text, "when: %s\n", pl_expression_text(study->when[i]));
    pl_text_add(&text, "outputs:");
    for (size_t i = 0; i < study->output_count; i++)
        pl_text_addf(&text, " %s", study->ops->outputs[study->output[i]].quantity.name);
    pl_text_add(&text, "\n");
    if (rc == PL_OK)
        rc = hash_identity(study, &text, arena, err);
    pl_text_free(&text);
    return rc;
}

/* --- the whole ------------------------------------------------------------------------------------------------ */

static enum pl_err read_parts(struct pl_study *study, struct pl_arena *arena, struct pl_error *err)
{
    const struct pl_json_node *root = pl_json_root(study->json);
    enum pl_err rc = read_head(study, root, err);
    if (rc == PL_OK)
        rc = read_base(study, root, arena, err);
    if (rc == PL_OK)
        rc = read_parameters(study, root, arena, err);
    if (rc == PL_OK)
        rc = read_design(study, root, err);
    if (rc == PL_OK)
        rc = make_symbols(study, arena, err);
    if (rc == PL_OK)
        rc = read_when(study, root, arena, err);
    if (rc == PL_OK)
        rc = read_objective(study, root, arena, err);
    if (rc == PL_OK)
        rc = choose_outputs(study, root, arena, err);
    if (rc == PL_OK)
        rc = identify(study, arena, err);
    return rc == PL_OK ? pl_study_make_points(study, arena, err) : rc;
}

/* The text is kept in the results, so that they can be explained without the file. */
static enum pl_err read_file(struct pl_study *study, struct pl_arena *arena, struct pl_error *err)
{
    char *text;
    size_t length;
    enum pl_err rc = pl_whole_file_read(study->path, &text, &length, err);
    if (rc)
        return rc;
    study->search = "";
    study->text = pl_arena_strdup(arena, text);
    rc = study->text ? pl_json_read(text, length, study->path, &study->json, err)
                     : pl_fail_memory(err, length, "a study");
    free(text);
    return rc;
}

enum pl_err pl_study_read(const char *path, struct pl_arena *arena, struct pl_study **out, struct pl_error *err)
{
    struct pl_study *study = pl_arena_alloc(arena, 1, sizeof *study);
    if (!study || !(study->path = pl_arena_strdup(arena, path)))
        return pl_fail_memory(err, sizeof *study, "a study");
    enum pl_err rc = read_file(study, arena, err);
    if (rc == PL_OK)
        rc = read_parts(study, arena, err);
    if (rc) {
        pl_study_close(study);
        return rc;
    }
    *out = study;
    return PL_OK;
}

void pl_study_close(struct pl_study *study)
{
    if (!study)
        return;
    if (study->ops)
        study->ops->free(study->base);
    pl_json_free(study->json);
    study->json = NULL;
}
