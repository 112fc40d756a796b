/* cmd/cmd.h: the commands, and what they share. The only floor that reads argv, prints, or exits.
 *
 * main.c finds a command in the table of commands.c and calls its run function; cmd_NAME.c holds one command (options,
 * help and examples as data, then the work). */
#ifndef PL_CMD_CMD_H
#define PL_CMD_CMD_H

#include "base/base.h"
#include "trace/trace.h"

#include <stdio.h>

struct pl_command {
    const struct pl_command_spec *spec;
    /* argv[0] is the command's name. Returns PL_OK, or an error whose message is in *err. */
    enum pl_err (*run)(int argc, char **argv, struct pl_error *err);
};

/* All commands, in the order of the help; ends with a row whose spec is NULL. */
extern const struct pl_command pl_commands[];

/* The options every command has: --json, --csv, --plot, --quiet, --help, as a group for their tables. */
struct cmd_common {
    const char *json, *csv, *plot; /* files, "-" = standard output; NULL = not asked for */
    bool quiet, help;
};
extern const struct pl_option cmd_common_options[];
/* The same without --plot, for results that have no figure. */
extern const struct pl_option cmd_undrawn_options[];

/* Parses; when --help was given prints the page and sets *done. */
enum pl_err cmd_parse(const struct pl_command_spec *spec, int argc, char **argv, void *values,
                      struct pl_strings *operands, struct pl_arena *arena, bool *done, struct pl_error *err);

/* A whole command: parses into `values`, then hands values and operands to `work`, unless --help was all. The arena lasts
 * until work returns. */
typedef enum pl_err cmd_work(void *values, const struct pl_strings *operands, struct pl_arena *arena,
                             struct pl_error *err);
enum pl_err cmd_run(const struct pl_command_spec *spec, int argc, char **argv, void *values, cmd_work *work,
                    struct pl_error *err);
/* The one operand of a command that takes one; `what` names it in the error. */
enum pl_err cmd_one_operand(const struct pl_command_spec *spec, const struct pl_strings *operands, const char *what,
                            const char **out, struct pl_error *err);

/* Refuses outputs that would share a file or standard output, and results in the place of an input. cmd_parse asks it. */
enum pl_err cmd_check_outputs(const struct pl_command_spec *spec, const void *values, const struct pl_strings *operands,
                              struct pl_error *err);

/* Writes the document where the options say: the table on standard output, unless --quiet or a form that goes to "-"
 * takes its place; JSON and CSV to their files; a plot by report/. At most one form may go to "-". */
enum pl_err cmd_emit(const struct pl_document *document, const struct cmd_common *common, struct pl_error *err);

/* Progress on standard error: only on a terminal in the foreground, after one second; Ctrl-C asks for a clean stop.
 * cmd_progress_end wipes the line. */
struct pl_progress cmd_progress_begin(const char *what, const char *unit, bool quiet);
/* What is shown behind the rest of the line (copied), and how much was done before it began and counts for no rate. */
void cmd_progress_note(uint64_t already, const char *note);
void cmd_progress_end(void);
bool cmd_interrupted(void);

/* --- what main.c calls ------------------------------------------------------- */
void cmd_start(int argc, char **argv); /* C locale for numbers, GSL's handler off, SIGPIPE ignored, the line kept */
const struct pl_command *cmd_find(const char *name, struct pl_error *err); /* NULL and the nearest name */
int cmd_overview(FILE *stream, int status); /* the commands, a line each */
int cmd_help(const char *name, const char *verb); /* `verb`: of a command that has some, or NULL */
int cmd_version(void);
int cmd_finish(enum pl_err rc, const struct pl_error *err); /* "pagelab: MESSAGE" on standard error; exit status */
/* The whole command line, for documents. */
void cmd_line(int *argc, char ***argv);

/* The points of a sweep's database as the JSON that `sweep export` writes, in `arena`; *text is NULL when the file is no
 * such database. */
enum pl_err cmd_read_database(const char *path, struct pl_arena *arena, const char **text, size_t *length,
                              struct pl_error *err);

/* A warning on standard error: "pagelab: warning: ...". */
void cmd_warn(const char *format, ...) PL_PRINTF(1, 2);

/* The options of commands that read a trace, as a group for their tables. */
struct cmd_trace_options {
    const char *format;
    uint64_t page_size; /* when given; else the trace's own */
    bool page_size_given;
    int requests;       /* enum pl_requests */
    struct pl_strings parameter; /* of a scenario */
    bool skip_damaged, skip_bad_lines, data_only, modify_once;
};
extern const struct pl_option cmd_trace_option_table[];
/* Checks them and fills the library's struct. */
enum pl_err cmd_trace_options_get(const struct cmd_trace_options *given, struct pl_trace_options *out,
                                  struct pl_error *err);

extern const struct pl_command_spec cmd_validate_spec, cmd_calibrate_spec, cmd_replay_spec, cmd_sweep_spec, cmd_advise_spec;
extern const struct pl_command_spec cmd_report_spec;
extern const struct pl_command_spec cmd_fit_spec, cmd_model_spec, cmd_curve_spec, cmd_trace_spec, cmd_plot_spec, cmd_compress_spec;
enum pl_err cmd_fit(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_model(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_curve(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_trace(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_replay(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_advise(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_sweep(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_plot(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_report(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_calibrate(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_validate(int argc, char **argv, struct pl_error *err);
enum pl_err cmd_compress(int argc, char **argv, struct pl_error *err);

#endif
