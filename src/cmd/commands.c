/* cmd/commands.c: the table of commands, and what main.c asks of it. */
#include "config.h"

#include "cmd/cmd.h"
#include "study/sweep_mpi.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <archive.h>
#include <cjson/cJSON.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_version.h>
#include <sqlite3.h>

/* In the order of the work: look at a trace, make a curve, evaluate a model, draw. */
const struct pl_command pl_commands[] = {
    {&cmd_trace_spec, cmd_trace},
    {&cmd_curve_spec, cmd_curve},
    {&cmd_model_spec, cmd_model},
    {&cmd_fit_spec, cmd_fit},
    {&cmd_replay_spec, cmd_replay},
    {&cmd_sweep_spec, cmd_sweep},
    {&cmd_advise_spec, cmd_advise},
    {&cmd_compress_spec, cmd_compress},
    {&cmd_calibrate_spec, cmd_calibrate},
    {&cmd_validate_spec, cmd_validate},
    {&cmd_plot_spec, cmd_plot},
    {&cmd_report_spec, cmd_report},
    {NULL, NULL},
};

static int line_argc;
static char **line_argv;

/* A file opened while one of the first three descriptors is closed would get its number, and what is meant for standard
 * output or error would end up in it. Each gets a descriptor that fails when used the wrong way round. */
static void fill_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); /* takes the lowest number: fd */
}

void cmd_start(int argc, char **argv)
{
    line_argc = argc;
    line_argv = argv;
    setlocale(LC_ALL, "C");   /* numbers are written and read with a point */
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of a write, not a silent end */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file as long as `ulimit -f` allows */
    fill_standard_streams();
    gsl_set_error_handler_off();
}

void cmd_line(int *argc, char ***argv)
{
    *argc = line_argc;
    *argv = line_argv;
}

const struct pl_command *cmd_find(const char *name, struct pl_error *err)
{
    const char *names[PL_COUNT_OF(pl_commands)] = {NULL};
    size_t count = 0;
    for (const struct pl_command *command = pl_commands; command->spec; command++) {
        if (!strcmp(command->spec->name, name))
            return command;
        names[count++] = command->spec->name;
    }
    char hint[128], shown[64];
    pl_fail(err, PL_ERR_USAGE, "unknown command '%s'%s (pagelab --help lists them)",
            pl_printable(shown, sizeof shown, name, strlen(name)),
            pl_did_you_mean(hint, sizeof hint, name, names, count, sizeof names[0]));
    return NULL;
}

/* `status`, or the status of an output that could not be written. */
static int flushed(FILE *stream, int status)
{
    struct pl_error err;
    errno = 0;
    if (fflush(stream) == 0 && !ferror(stream))
        return status;
    return cmd_finish(pl_fail_errno(&err, errno ? errno : EIO, "standard output"), &err);
}

int cmd_overview(FILE *stream, int status)
{
    fputs("pagelab: would a compressed memory tier help this workload on this machine,\n"
          "how large should it be, and how far can the answer be trusted?\n\n"
          "Usage: pagelab COMMAND [OPTIONS] FILE...\n\nCommands:\n",
          stream);
    for (const struct pl_command *command = pl_commands; command->spec; command++)
        fprintf(stream, "  %-10s %s\n", command->spec->name, command->spec->summary);
    fputs("\n'pagelab COMMAND --help' explains one, with examples; 'pagelab --version' names\n"
          "what was compiled in.\n\n"
          "Exit status: 0 done; 1 a check you asked for did not hold; 2 wrong usage or bad\n"
          "input; 3 a resource failed (memory, disk, a place for output, a missing program)\n"
          "or the run was interrupted.\n",
          stream);
    return flushed(stream, status);
}

int cmd_help(const char *name, const char *verb)
{
    struct pl_error err = {PL_OK, ""};
    const struct pl_command *command = cmd_find(name, &err);
    if (!command)
        return cmd_finish(err.code, &err);
    char *argv[4] = {(char *)command->spec->name};
    int argc = 1;
    if (verb)
        argv[argc++] = (char *)verb;
    argv[argc++] = (char *)"--help";
    return cmd_finish(command->run(argc, argv, &err), &err);
}

int cmd_version(void)
{
    printf("pagelab %s\n", PACKAGE_VERSION);
    printf("  GSL %s: interpolation and fits\n", gsl_version);
    printf("  SQLite %s: results of sweeps\n", sqlite3_libversion());
    printf("  %s: sweeps over several machines\n", pl_sweep_mpi_version() ? pl_sweep_mpi_version() : "without MPI");
    printf("  cJSON %s: reading JSON\n", cJSON_Version());
    printf("  %s: gzip, xz, zstd, bzip2 and lz4 traces\n", archive_version_string());
#if defined(__x86_64__)
    printf("  vector code: AVX2 %s on this processor\n", __builtin_cpu_supports("avx2") ? "used" : "not");
#else
    printf("  vector code: none for this processor\n");
#endif
#ifdef PL_SANITIZED
    printf("  built with sanitizers\n");
#endif
    printf("\nLicence GPL-3.0-or-later; there is no warranty, to the extent that law permits.\n");
    return flushed(stdout, 0);
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

int cmd_finish(enum pl_err rc, const struct pl_error *err)
{
    cmd_progress_end();
    if (rc == PL_ERR_CLOSED) { /* what the signal would have done, had it not been put off until files were finished */
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    if (exit_status(rc) != 0)
        fprintf(stderr, "pagelab: %s\n", err->message[0] ? err->message : "failed");
    return exit_status(rc);
}
