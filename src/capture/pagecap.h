/* capture/pagecap.h: the commands of `pagecap`, and what they share. Only these files print or read argv. */
#ifndef PL_CAPTURE_PAGECAP_H
#define PL_CAPTURE_PAGECAP_H

#include "capture/backend.h"
#include "capture/os.h"

struct cap_command {
    const struct pl_command_spec *spec;
    enum pl_err (*run)(int argc, char **argv, struct pl_error *err); /* argv[0] is the command's name */
};
/* Ends with a row whose spec is NULL; those without a summary are not shown. */
extern const struct cap_command cap_commands[];

/* --json, --csv, --quiet, --help */
struct cap_common {
    const char *json, *csv;
    bool quiet, help;
};
extern const struct pl_option cap_common_options[];

/* A command at work: its memory and its line, taken apart. */
struct cap_line {
    struct pl_arena *arena;
    struct pl_strings operands;
    char *const *program; /* what stands behind "--", NULL-terminated; NULL without one */
    bool done;            /* help was asked for and shown */
};

/* Parses, after cutting the line at "--"; shows help. Always end with cap_end. */
enum pl_err cap_begin(const struct pl_command_spec *spec, int argc, char **argv, void *values, struct cap_line *line,
                      struct pl_error *err);
void cap_end(struct cap_line *line);

/* Writes the document where the options say. */
enum pl_err cap_emit(const struct pl_document *document, const struct cap_common *common, struct pl_error *err);
/* "pagecap: ..." on standard error. */
void cap_say(const char *format, ...) PL_PRINTF(1, 2);
/* `pagecap run` ends as its program did: with this status when all else went well. */
void cap_ends_with(int status);
/* A process id from an operand. */
enum pl_err cap_pid(const struct cap_line *line, uint64_t *pid, struct pl_error *err);
/* The whole command line, for documents. */
void cap_whole_line(int *argc, char ***argv);

extern const struct pl_command_spec cap_backends_spec, cap_run_spec, cap_attach_spec, cap_eat_spec, cap_content_spec,
    cap_lists_spec, cap_view_spec, cap_watch_spec, cap_purge_spec, cap_zero_spec, cap_etl_spec, cap_worker_spec, cap_touch_spec;
enum pl_err cap_backends(int argc, char **argv, struct pl_error *err);
enum pl_err cap_run(int argc, char **argv, struct pl_error *err);
enum pl_err cap_attach(int argc, char **argv, struct pl_error *err);
enum pl_err cap_eat(int argc, char **argv, struct pl_error *err);
enum pl_err cap_touch(int argc, char **argv, struct pl_error *err);
enum pl_err cap_worker(int argc, char **argv, struct pl_error *err);
enum pl_err cap_content(int argc, char **argv, struct pl_error *err);
enum pl_err cap_lists(int argc, char **argv, struct pl_error *err);
enum pl_err cap_view(int argc, char **argv, struct pl_error *err);
enum pl_err cap_watch(int argc, char **argv, struct pl_error *err);
enum pl_err cap_purge(int argc, char **argv, struct pl_error *err);
enum pl_err cap_zero(int argc, char **argv, struct pl_error *err);
enum pl_err cap_etl(int argc, char **argv, struct pl_error *err);

#endif
