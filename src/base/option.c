/* base/option.c: a command line against a table of options.
 *
 * Two passes: the first takes the line apart into (option, text) pairs and operands, the second turns texts into values.
 * Between them the page size is looked up, so that "--memory 128p --page-size 16KiB" means the same in either order. */
#include "base/option.h"

#include "base/text.h"
#include "base/units.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* An option that stands on the line. */
struct given {
    const struct pl_option *option;
    const struct pl_option_group *group;
    const char *text; /* NULL for flags */
};

struct parse {
    const struct pl_command_spec *spec;
    int argc, next;
    char **argv;
    char *values;
    struct pl_arena *arena;
    struct given *given; /* at most one for each letter on the line */
    size_t count;
    struct pl_strings operands;
    uint32_t page_size;
    struct pl_error *err;
};

/* --- the table ------------------------------------------------------------------ */

typedef bool match_fn(const struct pl_option *option, const void *what);

static bool has_name(const struct pl_option *option, const void *what)
{
    return strcmp(option->name, what) == 0;
}

static bool has_letter(const struct pl_option *option, const void *what)
{
    return option->letter && option->letter == *(const char *)what;
}

/* The first row that matches, with its group. Tables are short, and a line is read once. */
static bool find(const struct pl_command_spec *spec, match_fn *matches, const void *what, struct given *out)
{
    for (const struct pl_option_group *group = spec->groups; group && group->options; group++)
        for (const struct pl_option *option = group->options; option->name; option++)
            if (matches(option, what)) {
                *out = (struct given){option, group, NULL};
                return true;
            }
    return false;
}

/* "there is no option '--quite'; did you mean '--quiet'?": the names of all groups are candidates. */
static enum pl_err fail_unknown(struct parse *parse, const char *name)
{
    char shown[64], hint[96] = "";
    size_t count = 0;
    for (const struct pl_option_group *group = parse->spec->groups; group && group->options; group++)
        for (const struct pl_option *option = group->options; option->name; option++)
            count++;
    const char **names = pl_arena_alloc(parse->arena, count, sizeof *names);
    if (!names)
        return pl_fail_memory(parse->err, count * sizeof *names, "option names");
    count = 0;
    for (const struct pl_option_group *group = parse->spec->groups; group && group->options; group++)
        for (const struct pl_option *option = group->options; option->name; option++)
            names[count++] = option->name;
    const char *nearest = pl_nearest(name, names, count, sizeof *names);
    if (nearest)
        snprintf(hint, sizeof hint, "; did you mean '--%s'?", nearest);
    return pl_fail(parse->err, PL_ERR_USAGE, "%s: there is no option '--%s'%s", parse->spec->name,
                   pl_printable(shown, sizeof shown, name, strlen(name)), hint);
}

/* --- first pass: what stands on the line ------------------------------------------ */

/* Remembers an option for the second pass. There is room: see take_line. */
static void note(struct parse *parse, const struct given *given, const char *text)
{
    parse->given[parse->count] = *given;
    parse->given[parse->count++].text = text;
}

/* The word after an option. Another long option there means that the argument was forgotten; what really begins with
 * two dashes can be written as --name=VALUE. */
static enum pl_err take_argument(struct parse *parse, const struct given *given, const char **text)
{
    const struct pl_option *option = given->option;
    const char *word = parse->next < parse->argc ? parse->argv[parse->next] : NULL;
    if (!word || (word[0] == '-' && word[1] == '-'))
        return pl_fail(parse->err, PL_ERR_USAGE, "%s: --%s needs %s after it", parse->spec->name, option->name,
                       option->argument ? option->argument : "an argument");
    parse->next++;
    *text = word;
    return PL_OK;
}

/* "--name", "--name=VALUE"; `word` points behind the dashes. */
static enum pl_err take_long(struct parse *parse, const char *word)
{
    const char *equals = strchr(word, '=');
    const char *name = word;
    struct given given;
    if (equals) {
        char *copy = pl_arena_alloc(parse->arena, (size_t)(equals - word) + 1, 1);
        if (!copy)
            return pl_fail_memory(parse->err, (size_t)(equals - word), "an option");
        name = memcpy(copy, word, (size_t)(equals - word));
    }
    if (!find(parse->spec, has_name, name, &given))
        return fail_unknown(parse, name);
    /* A flag given as --quiet=no would otherwise be taken for set. */
    const char *text = equals ? equals + 1 : NULL;
    bool is_flag = given.option->kind == PL_OPT_FLAG;
    if (is_flag && equals)
        return pl_fail(parse->err, PL_ERR_USAGE, "%s: --%s takes no value", parse->spec->name, name);
    if (!is_flag && !equals) {
        enum pl_err rc = take_argument(parse, &given, &text);
        if (rc)
            return rc;
    }
    note(parse, &given, text);
    return PL_OK;
}

/* "-q", "-qv", "-m8MiB", "-m 8MiB"; `word` points behind the dash. */
static enum pl_err take_letters(struct parse *parse, const char *word)
{
    for (; *word; word++) {
        struct given given;
        if (!find(parse->spec, has_letter, word, &given)) {
            char shown[8];
            size_t width = pl_utf8_sequence(word, strlen(word));
            return pl_fail(parse->err, PL_ERR_USAGE, "%s: there is no option '-%s'", parse->spec->name,
                           pl_printable(shown, sizeof shown, word, width ? width : 1));
        }
        const char *text = NULL;
        if (given.option->kind == PL_OPT_FLAG) {
            note(parse, &given, NULL);
            continue;
        }
        if (word[1])
            text = word + 1;
        else {
            enum pl_err rc = take_argument(parse, &given, &text);
            if (rc)
                return rc;
        }
        note(parse, &given, text);
        break;
    }
    return PL_OK;
}

static enum pl_err take_line(struct parse *parse)
{
    /* Room first: each character behind a dash can at most be one option. */
    size_t letters = 0;
    for (int i = 1; i < parse->argc; i++)
        letters += strlen(parse->argv[i]) + 1;
    parse->given = pl_arena_alloc(parse->arena, letters, sizeof *parse->given);
    parse->operands.item = pl_arena_alloc(parse->arena, (size_t)parse->argc + 1, sizeof *parse->operands.item);
    if (!parse->given || !parse->operands.item)
        return pl_fail_memory(parse->err, letters * sizeof *parse->given, "the command line");

    /* Options and operands may be mixed, as people add an option at the end of a line they have just run. */
    bool only_operands = false;
    enum pl_err rc = PL_OK;
    for (parse->next = 1; parse->next < parse->argc && rc == PL_OK;) {
        const char *word = parse->argv[parse->next++];
        if (only_operands || word[0] != '-' || word[1] == '\0')
            parse->operands.item[parse->operands.count++] = word;
        else if (strcmp(word, "--") == 0)
            only_operands = true;
        else if (word[1] == '-')
            rc = take_long(parse, word + 2);
        else
            rc = take_letters(parse, word + 1);
    }
    return rc;
}

/* --- second pass: values ------------------------------------------------------------ */

/* The index of a choice; an unknown one is told all that there are, since they are few. */
static enum pl_err parse_choice(const struct pl_option *option, const char *text, int *out, struct pl_error *err)
{
    char shown[48], hint[96];
    size_t count = 0;
    for (; option->choices[count]; count++)
        if (strcmp(option->choices[count], text) == 0) {
            *out = (int)count;
            return PL_OK;
        }
    char list[256] = "";
    struct pl_text names = {0};
    for (size_t i = 0; i < count; i++)
        pl_text_addf(&names, "%s%s", i ? ", " : "", option->choices[i]);
    if (names.data)
        pl_printable(list, sizeof list, names.data, names.length);
    pl_text_free(&names);
    return pl_fail(err, PL_ERR_USAGE, "'%s' is not one of %s%s", pl_printable(shown, sizeof shown, text, strlen(text)),
                   list, pl_did_you_mean(hint, sizeof hint, text, option->choices, count, sizeof *option->choices));
}

static enum pl_err parse_real(const char *text, double *out, struct pl_error *err)
{
    char shown[48];
    if (pl_parse_double(text, out))
        return PL_OK;
    return pl_fail(err, PL_ERR_USAGE, "'%s' is not a number", pl_printable(shown, sizeof shown, text, strlen(text)));
}

static enum pl_err add_to_list(struct parse *parse, struct pl_strings *list, const char *text)
{
    /* Lists are short; room for as many as there are options in all, made at the first one. */
    if (!list->item)
        list->item = pl_arena_alloc(parse->arena, parse->count + 1, sizeof *list->item);
    if (!list->item)
        return pl_fail_memory(parse->err, parse->count * sizeof *list->item, "the command line");
    list->item[list->count++] = text;
    return PL_OK;
}

static enum pl_err set_value(struct parse *parse, const struct pl_option *option, void *field, const char *text)
{
    struct pl_error *err = parse->err;
    switch (option->kind) {
    case PL_OPT_FLAG:
        *(bool *)field = true;
        return PL_OK;
    case PL_OPT_TEXT:
        *(const char **)field = text;
        return PL_OK;
    case PL_OPT_COUNT:
        return pl_parse_count(text, field, err);
    case PL_OPT_REAL:
        return parse_real(text, field, err);
    case PL_OPT_BYTES:
        return pl_parse_bytes(text, parse->page_size, field, err);
    case PL_OPT_TIME:
        return pl_parse_time(text, field, err);
    case PL_OPT_RATE:
        return pl_parse_rate(text, field, err);
    case PL_OPT_CHOICE:
        return parse_choice(option, text, field, err);
    case PL_OPT_LIST:
        return add_to_list(parse, field, text);
    }
    assert(!"an option of no kind");
    return PL_ERR_USAGE;
}

/* Sets the field of one option; an error gets the command and the option in front. */
static enum pl_err apply(struct parse *parse, const struct given *given, const char *text)
{
    char *field = parse->values + given->group->offset + given->option->offset;
    enum pl_err rc = set_value(parse, given->option, field, text);
    if (rc)
        pl_fail_prefix(parse->err, "%s: --%s", parse->spec->name, given->option->name);
    return rc;
}

/* Zeroes one field. The size of the whole struct is not known here, only its options are. */
static void clear_value(const struct pl_option *option, void *field)
{
    static const size_t sizes[] = {
        [PL_OPT_FLAG] = sizeof(bool),      [PL_OPT_TEXT] = sizeof(char *),       [PL_OPT_COUNT] = sizeof(uint64_t),
        [PL_OPT_REAL] = sizeof(double),    [PL_OPT_BYTES] = sizeof(uint64_t),    [PL_OPT_TIME] = sizeof(pl_time_ps),
        [PL_OPT_RATE] = sizeof(double),    [PL_OPT_CHOICE] = sizeof(int),
        [PL_OPT_LIST] = sizeof(struct pl_strings),
    };
    memset(field, 0, sizes[option->kind]);
}

/* Zeroes every field that the tables know, and fills in the defaults. */
static enum pl_err apply_defaults(struct parse *parse)
{
    for (const struct pl_option_group *group = parse->spec->groups; group && group->options; group++)
        for (const struct pl_option *option = group->options; option->name; option++) {
            char *base = parse->values + group->offset;
            clear_value(option, base + option->offset);
            if (option->given_offset)
                *(bool *)(base + option->given_offset) = false;
            struct given given = {option, group, option->fallback};
            enum pl_err rc = option->fallback && option->kind != PL_OPT_FLAG
                                 ? apply(parse, &given, option->fallback) : PL_OK;
            if (rc)
                return rc;
        }
    return PL_OK;
}

/* What "p" means on this line: the last --page-size, its default, or 4096. */
static enum pl_err find_page_size(struct parse *parse)
{
    struct given row;
    parse->page_size = 4096;
    if (!find(parse->spec, has_name, "page-size", &row) || row.option->kind != PL_OPT_BYTES)
        return PL_OK;
    const char *text = row.option->fallback;
    /* As everywhere, the last one counts. */
    for (size_t i = 0; i < parse->count; i++)
        if (parse->given[i].option == row.option)
            text = parse->given[i].text;
    uint64_t bytes = 0;
    enum pl_err rc = text ? pl_parse_bytes(text, 0, &bytes, parse->err) : PL_OK;
    if (rc == PL_OK && bytes > UINT32_MAX)
        rc = pl_fail(parse->err, PL_ERR_USAGE, "a page cannot have 4 GiB or more");
    if (rc) {
        pl_fail_prefix(parse->err, "%s: --page-size", parse->spec->name);
        return rc;
    }
    if (bytes)
        parse->page_size = (uint32_t)bytes;
    return PL_OK;
}

/* The values of the line. A list that the user gives replaces its default instead of adding to it. */
static enum pl_err apply_given(struct parse *parse)
{
    for (size_t i = 0; i < parse->count; i++) {
        const struct given *given = &parse->given[i];
        bool again = false;
        for (size_t j = 0; j < i && !again && given->option->kind == PL_OPT_LIST; j++)
            again = parse->given[j].option == given->option && parse->given[j].group == given->group;
        if (given->option->kind == PL_OPT_LIST && !again)
            clear_value(given->option, parse->values + given->group->offset + given->option->offset);
        enum pl_err rc = apply(parse, given, given->text);
        if (rc)
            return rc;
        if (given->option->given_offset)
            *(bool *)(parse->values + given->group->offset + given->option->given_offset) = true;
    }
    return PL_OK;
}

enum pl_err pl_options_parse(const struct pl_command_spec *spec, int argc, char **argv, void *values,
                             struct pl_strings *operands, struct pl_arena *arena, struct pl_error *err)
{
    struct parse parse = {.spec = spec, .argc = argc, .argv = argv, .values = values, .arena = arena, .err = err};
    enum pl_err rc = take_line(&parse);
    if (rc == PL_OK)
        rc = find_page_size(&parse);
    if (rc == PL_OK)
        rc = apply_defaults(&parse);
    if (rc == PL_OK)
        rc = apply_given(&parse);
    if (rc == PL_OK)
        *operands = parse.operands;
    return rc;
}
