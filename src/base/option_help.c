/* base/option_help.c: the help page of a command, from the table that parses its options.
 *
 *   -f, --format NAME      what the option does, wrapped beside its name; the default
 *                          in brackets at the end
 *       --a-long-one SIZE
 *                          a name that is too wide has its text below */
#include "base/option.h"

#include "base/text.h"

#include <string.h>

enum { WIDTH = 80, HELP_COLUMN = 27 };

static void add_blanks(struct pl_text *page, size_t count)
{
    for (; count > 0; count--)
        pl_text_add(page, " ");
}

/* What stands behind the words of the help: the choices and the default. */
static void add_details(struct pl_text *words, const struct pl_option *option)
{
    if (option->kind == PL_OPT_CHOICE) {
        for (size_t i = 0; option->choices[i]; i++)
            pl_text_addf(words, "%s%s", i ? ", " : " One of: ", option->choices[i]);
        pl_text_add(words, ".");
    }
    if (option->kind == PL_OPT_LIST)
        pl_text_add(words, " May be repeated.");
    if (option->fallback && option->kind != PL_OPT_FLAG)
        pl_text_addf(words, " (default: %s)", option->fallback);
}

/* One option: its spellings, and what it does beside or below them. */
static void add_option(struct pl_text *page, const struct pl_option *option)
{
    struct pl_text left = {0}, words = {0};
    if (option->letter)
        pl_text_addf(&left, "  -%c, --%s", option->letter, option->name);
    else
        pl_text_addf(&left, "      --%s", option->name);
    if (option->kind != PL_OPT_FLAG)
        pl_text_addf(&left, " %s", option->argument ? option->argument : "VALUE");
    pl_text_add(&words, option->help ? option->help : "");
    add_details(&words, option);
    /* Out of memory spoils the whole page rather than one option of it. */
    if (left.failed || words.failed) {
        page->failed = true;
    } else {
        pl_text_add(page, left.data);
        size_t columns = pl_text_columns(left.data);
        if (columns + 2 > HELP_COLUMN) {
            pl_text_add(page, "\n");
            columns = 0;
        }
        add_blanks(page, HELP_COLUMN - columns);
        pl_text_wrap(page, words.data, HELP_COLUMN, HELP_COLUMN, WIDTH);
        pl_text_add(page, "\n");
    }
    pl_text_free(&left);
    pl_text_free(&words);
}

static void add_paragraphs(struct pl_text *page, const char *words)
{
    pl_text_add(page, "\n");
    pl_text_wrap(page, words, 0, 0, WIDTH);
    pl_text_add(page, "\n");
}

/* Examples come last, where the eye lands on a terminal. */
static void add_examples(struct pl_text *page, const struct pl_example *examples)
{
    if (!examples || !examples->command)
        return;
    pl_text_add(page, "\nExamples:\n");
    for (; examples->command; examples++) {
        if (examples->about) {
            pl_text_add(page, "  ");
            pl_text_wrap(page, examples->about, 2, 2, WIDTH);
            pl_text_add(page, "\n");
        }
        /* A command is never wrapped: it is there to be copied. */
        pl_text_addf(page, "    %s\n", examples->command);
    }
}

void pl_options_help(const struct pl_command_spec *spec, const char *program, struct pl_sink *sink)
{
    struct pl_text page = {0};
    pl_text_addf(&page, "Usage: %s %s", program, spec->name);
    /* Operands that do not fit the line go on below themselves. */
    size_t indent = page.length < 40 ? page.length + 1 : 8;
    struct pl_text rest = {0};
    pl_text_addf(&rest, "%s%s", spec->groups && spec->groups->options ? "[OPTIONS] " : "",
                 spec->operands ? spec->operands : "");
    pl_text_add(&page, " ");
    pl_text_wrap(&page, rest.data ? rest.data : "", page.length, indent, WIDTH);
    pl_text_free(&rest);
    pl_text_add(&page, "\n");
    add_paragraphs(&page, spec->summary);
    if (spec->details)
        add_paragraphs(&page, spec->details);
    for (const struct pl_option_group *group = spec->groups; group && group->options; group++) {
        pl_text_addf(&page, "\n%s:\n", group->title ? group->title : "Options");
        for (const struct pl_option *option = group->options; option->name; option++)
            add_option(&page, option);
    }
    add_examples(&page, spec->examples);
    if (!page.failed && page.data)
        pl_sink_write(sink, page.data, page.length);
    pl_text_free(&page);
}
