/* cmd/output_files.c: outputs that would fall over each other or over the input are refused before any work is done.
 *
 * A trace written onto itself (-o) is allowed: it is put in place only when it is whole. A result in its place would be
 * the loss of the trace. */
#include "cmd/cmd.h"

#include <string.h>
#include <sys/stat.h>

enum { OUTPUTS_MAX = 8 };

struct output {
    const char *option, *path;
};

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
                const char *path;
                memcpy(&path, (const char *)values + group->offset + option->offset, sizeof path);
                if (path)
                    out[count++] = (struct output){option->name, path};
            }
    return count;
}

/* Do two names lead to one regular file, now or once it is made? Two outputs may go to /dev/null. */
static bool same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    const bool has_a = stat(a, &of_a) == 0, has_b = stat(b, &of_b) == 0;
    if (!has_a && !has_b)
        return !strcmp(a, b);
    return has_a && has_b && S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

static bool is_stdout(const char *path)
{
    return !strcmp(path, "-");
}

enum pl_err cmd_check_outputs(const struct pl_command_spec *spec, const void *values, const struct pl_strings *operands,
                              struct pl_error *err)
{
    struct output output[OUTPUTS_MAX];
    char shown[256];
    size_t count = find_outputs(spec, values, output);
    for (size_t i = 0; i < count; i++) {
        const char *path = output[i].path;
        pl_printable(shown, sizeof shown, path, strlen(path));
        for (size_t k = 0; k < i; k++) {
            if (is_stdout(path) && is_stdout(output[k].path))
                return pl_fail(err, PL_ERR_USAGE, "--%s and --%s cannot both go to standard output ('-')",
                               output[k].option, output[i].option);
            if (!is_stdout(path) && same_file(path, output[k].path))
                return pl_fail(err, PL_ERR_USAGE, "--%s and --%s would both write %s", output[k].option,
                               output[i].option, shown);
        }
        for (size_t k = 0; k < operands->count && strcmp(output[i].option, "output") != 0; k++)
            if (!is_stdout(path) && same_file(path, operands->item[k]))
                return pl_fail(err, PL_ERR_USAGE, "--%s would write over the input %s", output[i].option, shown);
    }
    return PL_OK;
}
