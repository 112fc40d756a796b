/* cmd/output_files.c: outputs that would fall over each other or over an input are refused before any work is done.
 *
 * Names are compared by the place they lead to, so that `./a` and `a`, a link and its end, are one file, also when it
 * is yet to be made. A trace written onto itself by a command of `trace` is allowed: it is put in place only when it is
 * whole. A result in its place would be the loss of the trace, and so would a trace in place of its scenario. */
#include "cmd/cmd.h"

#include "study/predict.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTPUTS_MAX = 8, LINKS_MAX = 40 };

struct output {
    const char *option, *path;
};

/* --- which file a name leads to --------------------------------------------------------------------- */

/* A name in a folder; what lies there need not exist. */
struct place {
    dev_t device;
    ino_t folder;
    char name[NAME_MAX + 1];
};

/* Takes the last component of a path that names no existing file; false when its folder does not exist. */
static bool find_place(const char *path, struct place *out)
{
    struct stat status;
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const char *last = slash ? slash + 1 : path;
    const size_t length = (size_t)(last - path);
    if (length >= sizeof folder || strlen(last) >= sizeof out->name)
        return false;
    memcpy(folder, path, length);
    strcpy(folder + length, "."); /* "a/" becomes "a/.", "" becomes "." */
    if (length + 1 >= sizeof folder || stat(folder, &status) != 0)
        return false;
    out->device = status.st_dev;
    out->folder = status.st_ino;
    strcpy(out->name, last);
    return true;
}

/* One step along a link that leads to nothing yet, in place; false at the end. */
static bool follow_link(char path[static PATH_MAX])
{
    char end[PATH_MAX];
    const ssize_t length = readlink(path, end, sizeof end - 1);
    if (length <= 0)
        return false;
    end[length] = '\0';
    char *slash = strrchr(path, '/');
    char *at = *end == '/' || !slash ? path : slash + 1;
    if ((size_t)(at - path) + (size_t)length >= PATH_MAX)
        return false;
    strcpy(at, end);
    return true;
}

static bool place_of(const char *path, struct place *out)
{
    char at[PATH_MAX];
    if (strlen(path) >= sizeof at)
        return false;
    strcpy(at, path);
    for (int links = 0; links < LINKS_MAX && follow_link(at); links++)
        ;
    return find_place(at, out);
}

/* Do two names lead to one regular file, now or once it is made? Two outputs may go to /dev/null. */
static bool same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    struct place at_a, at_b;
    const bool has_a = stat(a, &of_a) == 0, has_b = stat(b, &of_b) == 0;
    if (has_a || has_b)
        return has_a && has_b && S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
    if (!place_of(a, &at_a) || !place_of(b, &at_b))
        return !strcmp(a, b);
    return at_a.device == at_b.device && at_a.folder == at_b.folder && !strcmp(at_a.name, at_b.name);
}

/* --- what a command reads and writes ----------------------------------------------------------------- */

static const char *text_at(const void *values, size_t offset)
{
    const char *text;
    memcpy(&text, (const char *)values + offset, sizeof text);
    return text;
}

/* The options that name a file to write, and what they name here. */
static size_t find_outputs(const struct pl_command_spec *spec, const void *values, struct output *out)
{
    static const char *const names[] = {"output", "json", "csv", "plot", "timeline"};
    size_t count = 0;
    for (const struct pl_option_group *group = spec->groups; group->options; group++)
        for (const struct pl_option *option = group->options; option->name; option++)
            for (size_t i = 0; i < PL_COUNT_OF(names); i++) {
                if (strcmp(option->name, names[i]) != 0 || option->kind != PL_OPT_TEXT || count == OUTPUTS_MAX)
                    continue;
                const char *path = text_at(values, group->offset + option->offset);
                if (path)
                    out[count++] = (struct output){option->name, path};
            }
    return count;
}

static bool is_stdout(const char *path)
{
    return !strcmp(path, "-");
}

/* Whether the input is the file, by its own name or by one that models/ has. */
static bool is_input(const char *path, const char *input)
{
    char model[PATH_MAX];
    return same_file(path, input) ||
           (pl_model_path("", input, NULL, model, sizeof model, NULL) == PL_OK && same_file(path, model));
}

/* The input among the option's values that is the file, or NULL. */
static const char *input_of_option(const struct pl_option *option, const void *values, size_t offset, const char *path)
{
    if (option->kind == PL_OPT_TEXT) {
        const char *input = text_at(values, offset);
        return input && is_input(path, input) ? input : NULL;
    }
    struct pl_strings list = {0};
    if (option->kind == PL_OPT_LIST)
        memcpy(&list, (const char *)values + offset, sizeof list);
    for (size_t i = 0; i < list.count; i++)
        if (is_input(path, list.item[i]))
            return list.item[i];
    return NULL;
}

/* The value of an option that names a file to read and is `path`, or NULL. */
static const char *input_among_options(const struct pl_command_spec *spec, const void *values, const char *path)
{
    static const char *const names[] = {"measured", "machine", "runs", "page-bytes", "library"};
    for (const struct pl_option_group *group = spec->groups; group->options; group++)
        for (const struct pl_option *option = group->options; option->name; option++)
            for (size_t i = 0; i < PL_COUNT_OF(names); i++) {
                if (strcmp(option->name, names[i]) != 0)
                    continue;
                const char *input = input_of_option(option, values, group->offset + option->offset, path);
                if (input)
                    return input;
            }
    return NULL;
}

/* A scenario is JSON, which no trace is. */
static bool is_scenario(const char *path)
{
    FILE *file = fopen(path, "rb");
    int first = ' ';
    while (file && (first == ' ' || first == '\t' || first == '\n' || first == '\r'))
        first = getc(file);
    if (file)
        fclose(file);
    return first == '{';
}

/* May the command write what comes of the input over it? */
static bool may_replace(const struct pl_command_spec *spec, const struct output *output, const char *input)
{
    return !strncmp(spec->name, "trace ", 6) && !strcmp(output->option, "output") && !is_scenario(input);
}

/* --- the check --------------------------------------------------------------------------------------- */

static enum pl_err check_against_outputs(const struct output *output, size_t at, const char *shown,
                                         struct pl_error *err)
{
    const struct output *one = &output[at];
    for (size_t k = 0; k < at; k++) {
        if (is_stdout(one->path) && is_stdout(output[k].path))
            return pl_fail(err, PL_ERR_USAGE, "--%s and --%s cannot both go to standard output ('-')", output[k].option,
                           one->option);
        if (!is_stdout(one->path) && same_file(one->path, output[k].path))
            return pl_fail(err, PL_ERR_USAGE, "--%s and --%s would both write %s", output[k].option, one->option,
                           shown);
    }
    return PL_OK;
}

enum pl_err cmd_check_outputs(const struct pl_command_spec *spec, const void *values, const struct pl_strings *operands,
                              struct pl_error *err)
{
    struct output output[OUTPUTS_MAX];
    char shown[256];
    const size_t count = find_outputs(spec, values, output);
    for (size_t i = 0; i < count; i++) {
        const char *path = output[i].path;
        pl_printable(shown, sizeof shown, path, strlen(path));
        enum pl_err rc = check_against_outputs(output, i, shown, err);
        if (rc)
            return rc;
        bool taken = !is_stdout(path) && input_among_options(spec, values, path);
        for (size_t k = 0; k < operands->count && !is_stdout(path) && !taken; k++)
            taken = is_input(path, operands->item[k]) && !may_replace(spec, &output[i], operands->item[k]);
        if (taken)
            return pl_fail(err, PL_ERR_USAGE, "--%s would write over the input %s", output[i].option, shown);
    }
    return PL_OK;
}
