/* trace/scenario/scenario_fill.c: what pages are filled with: generators by name, and files.
 *
 * A file is looked at when the scenario is read, so that a wrong name is told with its line before anything runs; its
 * bytes are read by whoever replays the records. */
#include "trace/scenario/scenario.h"

#include "codec/content_file.h"

#include <string.h>

static const char *const fills[] = {"zeros", "index", "rand", "text", "hash", "same", "mixed", NULL};

/* A file that a fill names, as written and as it is found. */
struct scenario_file {
    struct scenario_file *next;
    const char *written, *found; /* both with "file:" before them */
    bool from_here;
};

static bool is_overridden(const struct scenario *scenario, const struct pl_json_node *node)
{
    const char *text;
    if (pl_json_as_text(node, &text, NULL) || text[0] != '$')
        return false;
    for (size_t i = 0; i < scenario->parameter_count; i++)
        if (!strcmp(scenario->parameter[i].name, text + 1))
            return scenario->parameter[i].overridden;
    return false;
}

/* "file:PATH" as seen from the folder that the program runs in. */
static const char *place_file(const struct scenario *scenario, const char *words, bool from_here)
{
    const char *path = words + strlen(PL_CONTENT_FILE), *slash = strrchr(scenario->name, '/');
    if (from_here || path[0] == '/' || !slash)
        return pl_arena_strdup(scenario->arena, words);
    return pl_arena_printf(scenario->arena, PL_CONTENT_FILE "%.*s%s", (int)(slash - scenario->name + 1), scenario->name, path);
}

/* Each is placed and looked at once, however often a loop fills pages with it. */
static enum pl_err find_file(struct scenario *scenario, const struct pl_json_node *node, const char *words,
                             const char **out, struct pl_error *err)
{
    const bool from_here = is_overridden(scenario, node);
    struct pl_content_file *file;
    struct pl_error why;
    for (const struct scenario_file *known = scenario->file; known; known = known->next)
        if (known->from_here == from_here && !strcmp(known->written, words)) {
            *out = known->found;
            return PL_OK;
        }
    struct scenario_file *more = pl_arena_alloc(scenario->arena, 1, sizeof *more);
    const char *found = place_file(scenario, words, from_here);
    if (!more || !found)
        return pl_fail_memory(err, sizeof *more, "a file that fills pages");
    if (!words[strlen(PL_CONTENT_FILE)])
        return pl_json_fail(node, err, "'%s' has no name of a file behind it", PL_CONTENT_FILE);
    enum pl_err rc = pl_content_file_open(found + strlen(PL_CONTENT_FILE), scenario->page_size, &file, &why);
    if (rc)
        return pl_json_fail(node, err, "%s", why.message);
    pl_content_file_close(file);
    *more = (struct scenario_file){scenario->file, words, found, from_here};
    scenario->file = more;
    *out = found;
    return PL_OK;
}

enum pl_err scenario_fill_words(struct scenario *scenario, const struct pl_json_node *node, const char **out,
                                struct pl_error *err)
{
    const char *words;
    char hint[160];
    enum pl_err rc = scenario_words(scenario, node, &words, err);
    if (rc)
        return rc;
    if (!strncmp(words, PL_CONTENT_FILE, strlen(PL_CONTENT_FILE)))
        return find_file(scenario, node, words, out, err);
    for (size_t i = 0; fills[i]; i++)
        if (!strcmp(fills[i], words)) {
            *out = fills[i];
            return PL_OK;
        }
    pl_did_you_mean(hint, sizeof hint, words, fills, PL_COUNT_OF(fills) - 1, sizeof *fills);
    return pl_json_fail(node, err, "'%.60s' is none of zeros, index, rand, text, hash, same, mixed, file:PATH%s", words, hint);
}
