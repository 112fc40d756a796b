/* base/option.h: command-line options as data.
 *
 * One table feeds parsing, --help, the manual pages and completion. Values land in a struct of the command's own, at
 * `offset`, so a command reads its options as plain fields. Long options, `--name VALUE` and `--name=VALUE`, unique
 * prefixes are NOT accepted (scripts must not break when an option is added); a mistyped name gets the nearest one. */
#ifndef PL_BASE_OPTION_H
#define PL_BASE_OPTION_H

#include "base/arena.h"
#include "base/sink.h"

enum pl_option_kind {
    PL_OPT_FLAG,   /* bool: set when given; a table row named "no-x" is written out where wanted */
    PL_OPT_TEXT,   /* const char * */
    PL_OPT_COUNT,  /* uint64_t, by pl_parse_count */
    PL_OPT_REAL,   /* double */
    PL_OPT_BYTES,  /* uint64_t, by pl_parse_bytes; "p" counts pages of pl_option_values.page_size */
    PL_OPT_TIME,   /* pl_time_ps */
    PL_OPT_RATE,   /* double, bytes a second */
    PL_OPT_CHOICE, /* int: index into `choices` */
    PL_OPT_LIST,   /* struct pl_strings: may be repeated */
};

struct pl_strings {
    const char **item;
    size_t count;
};

struct pl_option {
    const char *name; /* without the dashes */
    char letter;      /* 0 or a short form */
    enum pl_option_kind kind;
    size_t offset;        /* offsetof(struct command_options, field) */
    const char *argument; /* "SIZE", shown in the help; NULL for flags */
    const char *fallback; /* the default, as the user would type it; NULL: the field is zero, see `given_offset` */
    const char *help;     /* one or more sentences; wrapped by the help */
    const char *const *choices; /* NULL-terminated, for PL_OPT_CHOICE */
    size_t given_offset;  /* offset of a bool that says the user gave it, or 0 for none (no field sits at 0 then) */
};

/* A table of options under one heading. Tables are shared between commands: `offset` is where the struct that the
 * table's offsets count from sits in the command's own struct. */
struct pl_option_group {
    const char *title;               /* "Reading the trace" */
    const struct pl_option *options; /* ends with a row whose name is NULL */
    size_t offset;
};

struct pl_example {
    const char *command; /* runs as written in the source tree after a build */
    const char *about;
};

/* A command, as the parser, the help and the manual see it. */
struct pl_command_spec {
    const char *name;
    const char *operands;              /* "TABLE", "TRACE [TRACE...]" */
    const char *summary;               /* one line */
    const char *details;               /* paragraphs separated by a blank line; may be NULL */
    const struct pl_option_group *groups; /* ends with a row whose options are NULL */
    const struct pl_example *examples; /* ends with a row whose command is NULL */
};

/* Parses argv[1..] into `values` (zeroed and filled with defaults first) and `operands` (what is no option; a lone "-"
 * is an operand; "--" ends options). Bytes given in pages ("128p") are converted with the value of the option named
 * "page-size" if the table has one, wherever it stands on the line, else 4096. --help is not special here: give it a
 * row. Fails with PL_ERR_USAGE. Strings point into argv; arrays live in `arena`. */
enum pl_err pl_options_parse(const struct pl_command_spec *spec, int argc, char **argv, void *values,
                             struct pl_strings *operands, struct pl_arena *arena, struct pl_error *err);

/* The help page: usage, summary, details, options with defaults, examples; wrapped at 80 columns. */
void pl_options_help(const struct pl_command_spec *spec, const char *program, struct pl_sink *sink);

#endif
