/* cmd/cmd_trace.c: `pagelab trace VERB`: finds the verb and hands over. */
#include "cmd/cmd_trace.h"

#include "trace/formats/csv_columns.h"

#include <string.h>

static const struct pl_command verbs[] = {
    {&cmd_trace_info_spec, cmd_trace_info},
    {&cmd_trace_events_spec, cmd_trace_events},
    {&cmd_trace_map_spec, cmd_trace_map},
    {&cmd_trace_check_spec, cmd_trace_check},
    {&cmd_trace_convert_spec, cmd_trace_convert},
    {&cmd_trace_gen_spec, cmd_trace_gen},
    {&cmd_trace_cut_spec, cmd_trace_cut},
    {&cmd_trace_merge_spec, cmd_trace_merge},
};

static const struct pl_option_group no_options[] = {{NULL, NULL, 0}};

static const struct pl_example examples[] = {
    {"pagelab trace info t.lackey", "what is in a trace"},
    {"pagelab trace info --help", "the options of one of the commands"},
    {NULL, NULL},
};

const struct pl_command_spec cmd_trace_spec = {
    .name = "trace",
    .operands = "COMMAND [OPTIONS] FILE...",
    .summary = "look at, check, convert, make, cut and merge traces",
    .groups = no_options,
    .examples = examples,
};

/* The part after "trace " of a verb's name. */
static const char *verb_name(const struct pl_command_spec *spec)
{
    const char *blank = strrchr(spec->name, ' ');
    return blank ? blank + 1 : spec->name;
}

enum { NAME_COLUMN = 16, WIDTH = 80 };

static void add_row(struct pl_text *page, const char *name, const char *does, const char *about)
{
    pl_text_addf(page, "  %-*s%-*s", NAME_COLUMN - 5, name, 3, does);
    pl_text_wrap(page, about, NAME_COLUMN, NAME_COLUMN, WIDTH);
    pl_text_add(page, "\n");
}

/* Two lists that are looked things up in, which the paragraphs of pl_options_help would run together. */
static void add_lists(struct pl_text *page)
{
    pl_text_add(page, "\nCommands:\n");
    for (size_t i = 0; i < PL_COUNT_OF(verbs); i++)
        add_row(page, verb_name(verbs[i].spec), "", verbs[i].spec->summary);
    pl_text_add(page, "\nFormats, found by content and then by file name; 'rw': read and written:\n");
    for (const struct pl_format_row *row = pl_formats(); row->name; row++)
        add_row(page, row->name, row->reads && row->writes ? "rw" : row->reads ? "r" : "w", row->about);
    pl_text_add(page, "\n");
    pl_text_wrap(page,
                 "All may be compressed with gzip, xz, zstd, bzip2 or lz4, or be the only file in a zip; '-' is standard "
                 "input. A file of decimal digits alone is taken for numbers; say --format hex if they are hexadecimal.",
                 0, 0, WIDTH);
    pl_text_add(page, "\n\n");
    pl_text_wrap(page, pl_csv_columns_help, 0, 0, WIDTH);
    pl_text_add(page, "\n");
}

static enum pl_err help(struct pl_error *err)
{
    struct pl_text page = {0};
    add_lists(&page);
    struct pl_sink *sink;
    enum pl_err rc = page.failed ? pl_fail_memory(err, 0, "a page of help")
                                 : pl_sink_open_stream(stdout, "standard output", &sink, err);
    if (rc == PL_OK) {
        pl_options_help(&cmd_trace_spec, "pagelab", sink);
        pl_sink_puts(sink, page.data);
        rc = pl_sink_close(sink, err);
    }
    pl_text_free(&page);
    return rc;
}

enum pl_err cmd_trace(int argc, char **argv, struct pl_error *err)
{
    const char *names[PL_COUNT_OF(verbs)];
    char hint[64], shown[64];
    if (argc < 2)
        return pl_fail(err, PL_ERR_USAGE, "trace: what should be done? (pagelab trace --help lists the commands)");
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
        return help(err);
    for (size_t i = 0; i < PL_COUNT_OF(verbs); i++) {
        names[i] = verb_name(verbs[i].spec);
        if (!strcmp(names[i], argv[1]))
            return verbs[i].run(argc - 1, argv + 1, err);
    }
    return pl_fail(err, PL_ERR_USAGE, "trace: there is no command '%s'%s (pagelab trace --help lists them)",
                   pl_printable(shown, sizeof shown, argv[1], strlen(argv[1])),
                   pl_did_you_mean(hint, sizeof hint, argv[1], names, PL_COUNT_OF(names), sizeof *names));
}
