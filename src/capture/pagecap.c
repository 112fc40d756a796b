/* capture/pagecap.c: the way into `pagecap`: finds the command, runs it, turns its error into one line and an exit
 * status. */
#include "config.h"

#include "capture/pagecap.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* In the order of the work: what works here, capture, measure, look. */
const struct cap_command cap_commands[] = {
    {&cap_backends_spec, cap_backends},
    {&cap_run_spec, cap_run},
    {&cap_attach_spec, cap_attach},
    {&cap_eat_spec, cap_eat},
    {&cap_touch_spec, cap_touch},
    {&cap_zero_spec, cap_zero},
    {&cap_content_spec, cap_content},
    {&cap_lists_spec, cap_lists},
    {&cap_view_spec, cap_view},
    {&cap_watch_spec, cap_watch},
    {&cap_purge_spec, cap_purge},
    {&cap_etl_spec, cap_etl},
    {&cap_worker_spec, cap_worker},
    {NULL, NULL},
};

static int line_argc;
static char **line_argv;

void cap_whole_line(int *argc, char ***argv)
{
    *argc = line_argc;
    *argv = line_argv;
}

void cap_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("pagecap: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

static int status_of_program;

void cap_ends_with(int status)
{
    status_of_program = status;
}

static int exit_status(enum pl_err rc)
{
    switch (rc) {
    case PL_OK:
    case PL_END:
        return 0;
    case PL_ERR_CHECK:
        return 1;
    case PL_ERR_USAGE:
    case PL_ERR_INPUT:
        return 2;
    case PL_ERR_RESOURCE:
    case PL_ERR_CLOSED:
        break;
    }
    return 3;
}

static int finish(enum pl_err rc, const struct pl_error *err)
{
    if (exit_status(rc) != 0 && rc != PL_ERR_CLOSED)
        cap_say("%s", err->message[0] ? err->message : "failed");
    return rc == PL_OK ? status_of_program : exit_status(rc);
}

/* `status`, or the status of an output that could not be written. */
static int flushed(FILE *stream, int status)
{
    struct pl_error err;
    errno = 0;
    if (fflush(stream) == 0 && !ferror(stream))
        return status;
    return finish(pl_fail_errno(&err, errno ? errno : EIO, "standard output"), &err);
}

static int overview(FILE *stream, int status)
{
    fprintf(stream, "pagecap: captures which pages programs touch, and measures what paging costs\n"
                    "(on %s; the traces and measurements are for pagelab)\n\n"
                    "Usage: pagecap COMMAND [OPTIONS] [-- PROGRAM ARGUMENTS]\n\nCommands:\n",
            pl_os_name);
    for (const struct cap_command *command = cap_commands; command->spec; command++)
        if (command->spec->summary)
            fprintf(stream, "  %-10s %s\n", command->spec->name, command->spec->summary);
    fputs("\n'pagecap COMMAND --help' explains one, with examples.\n\n"
          "Exit status: 0 done; 1 a check you asked for did not hold; 2 wrong usage or bad\n"
          "input; 3 this system does not offer it, or a resource failed. 'run' ends as its\n"
          "program did (128 + signal), unless it stopped it or failed itself.\n",
          stream);
    return flushed(stream, status);
}

static const struct cap_command *find(const char *name, struct pl_error *err)
{
    const char *names[PL_COUNT_OF(cap_commands)] = {NULL};
    size_t count = 0;
    for (const struct cap_command *command = cap_commands; command->spec; command++) {
        if (!strcmp(command->spec->name, name))
            return command;
        names[count++] = command->spec->name;
    }
    char hint[128], shown[64];
    pl_fail(err, PL_ERR_USAGE, "unknown command '%s'%s (pagecap --help lists them)",
            pl_printable(shown, sizeof shown, name, strlen(name)),
            pl_did_you_mean(hint, sizeof hint, name, names, count, sizeof names[0]));
    return NULL;
}

static int help(const char *name)
{
    struct pl_error err = {PL_OK, ""};
    const struct cap_command *command = find(name, &err);
    char *argv[] = {command ? (char *)command->spec->name : NULL, (char *)"--help", NULL};
    return finish(command ? command->run(2, argv, &err) : err.code, &err);
}

int main(int argc, char **argv)
{
    line_argc = argc;
    line_argv = argv;
    setlocale(LC_ALL, "C");
#ifdef SIGPIPE
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of a write, not a silent end */
#endif
    if (argc < 2)
        return overview(stderr, 2);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
        return argc > 2 ? help(argv[2]) : overview(stdout, 0);
    if (!strcmp(argv[1], "--version")) {
        printf("pagecap %s, %s\n", PACKAGE_VERSION, pl_os_name);
        return flushed(stdout, 0);
    }
    struct pl_error err = {PL_OK, ""};
    const struct cap_command *command = find(argv[1], &err);
    enum pl_err rc = command ? command->run(argc - 1, argv + 1, &err) : err.code;
    return finish(rc, &err);
}
