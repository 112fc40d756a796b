/* report/gnuplot.c: gnuplot as a child process. See gnuplot.h for what keeps hostile names harmless. */
#include "report/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* --- settings ------------------------------------------------------------------ */
enum { SETTING_MAX = 600 }; /* bytes of one text: titles, not novels */

/* In double quotes, every byte but letters and blanks as \ooo; digits too, because gnuplot reads on in an octal number.
 * Single quotes with doubled ones inside look simpler, but gnuplot 5.4 takes the three quotes at the start of `'''x'`
 * for an empty text and a new one. */
static void add_quoted(struct pl_text *text, const char *value)
{
    char safe[SETTING_MAX];
    pl_printable(safe, sizeof safe, value, strlen(value));
    pl_text_add(text, "\"");
    for (const char *c = safe; *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == ' ';
        if (plain)
            pl_text_add_bytes(text, c, 1);
        else
            pl_text_addf(text, "\\%03o", (unsigned char)*c);
    }
    pl_text_add(text, "\"; ");
}

void pl_gnuplot_set_text(struct pl_gnuplot_settings *settings, const char *name, const char *value)
{
    pl_text_addf(&settings->text, "%s=", name);
    add_quoted(&settings->text, value);
}

void pl_gnuplot_set_text_of(struct pl_gnuplot_settings *settings, const char *name, size_t index, const char *value)
{
    pl_text_addf(&settings->text, "%s%zu=", name, index);
    add_quoted(&settings->text, value);
}

/* real() keeps gnuplot from taking "1" for an integer and dividing like one. */
static void add_number(struct pl_text *text, double value)
{
    char digits[40];
    pl_text_addf(text, "real(%s); ", isfinite(value) ? pl_format_double(digits, sizeof digits, value) : "NaN");
}

void pl_gnuplot_set_number(struct pl_gnuplot_settings *settings, const char *name, double value)
{
    pl_text_addf(&settings->text, "%s=", name);
    add_number(&settings->text, value);
}

void pl_gnuplot_set_number_of(struct pl_gnuplot_settings *settings, const char *name, size_t index, double value)
{
    pl_text_addf(&settings->text, "%s%zu=", name, index);
    add_number(&settings->text, value);
}

/* --- the folder ------------------------------------------------------------------ */
/* Only an absolute $TMPDIR of a sane length that survives quoting: gnuplot would run a name that begins with '<' or
 * '|', and settings replace what is not printable. */
static const char *temporary_root(void)
{
    const char *root = getenv("TMPDIR");
    char shown[512];
    if (!root || root[0] != '/' || strlen(root) > 400)
        return "/tmp";
    return strcmp(pl_printable(shown, sizeof shown, root, strlen(root)), root) ? "/tmp" : root;
}

enum pl_err pl_gnuplot_folder_make(struct pl_gnuplot_folder *folder, struct pl_error *err)
{
    struct pl_gnuplot_folder made = {""};
    snprintf(made.path, sizeof made.path, "%s/pagelab-plot-XXXXXX", temporary_root());
    if (!mkdtemp(made.path))
        return pl_fail_errno(err, errno, "a folder for the picture in %s", temporary_root());
    snprintf(made.data, sizeof made.data, "%s/data.tsv", made.path);
    snprintf(made.picture, sizeof made.picture, "%s/picture", made.path);
    snprintf(made.log, sizeof made.log, "%s/log", made.path);
    *folder = made;
    return PL_OK;
}

void pl_gnuplot_folder_remove(struct pl_gnuplot_folder *folder)
{
    if (!folder->path[0])
        return;
    unlink(folder->data);
    unlink(folder->picture);
    unlink(folder->log);
    rmdir(folder->path);
    folder->path[0] = '\0';
}

/* --- the process ------------------------------------------------------------------- */
/* Output and complaints go to `log`; a file, so that nobody waits for anybody. SIGPIPE and SIGINT get their usual
 * meaning back, which the caller may have changed for itself. */
static int spawn(const char *const *argv, const char *log, pid_t *child)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t usual;
    int rc = posix_spawn_file_actions_init(&files);
    if (rc)
        return rc;
    rc = posix_spawnattr_init(&attributes);
    if (rc) {
        posix_spawn_file_actions_destroy(&files);
        return rc;
    }
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGINT);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    rc = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (!rc)
        rc = posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!rc)
        rc = posix_spawn_file_actions_adddup2(&files, 1, 2);
    if (!rc)
        rc = posix_spawnp(child, argv[0], &files, &attributes, (char *const *)argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

/* Runs gnuplot to its end. PL_OK whatever its exit status, which goes to *status (128 + N for signal N). */
static enum pl_err run(const char *const *argv, const char *log, int *status, bool *missing, struct pl_error *err)
{
    pid_t child;
    int rc = spawn(argv, log, &child), ended = 0;
    *missing = rc == ENOENT || rc == EACCES || rc == ENOTDIR;
    if (*missing)
        return pl_fail(err, PL_ERR_RESOURCE, "gnuplot is not installed (Debian: apt-get install gnuplot-nox)");
    if (rc) {
        pl_fail_errno(err, rc, "starting gnuplot");
        return PL_ERR_RESOURCE;
    }
    while (waitpid(child, &ended, 0) < 0)
        if (errno != EINTR)
            return pl_fail_errno(err, errno, "waiting for gnuplot");
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    return PL_OK;
}

static void read_log(const char *path, struct pl_text *text)
{
    char piece[4096];
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    size_t got = fread(piece, 1, sizeof piece, file);
    pl_text_add_bytes(text, piece, got);
    fclose(file);
}

/* gnuplot shows the command, a line with a caret, then what is wrong; warnings may stand before. What is wrong is the
 * last line that is not blank, made printable. */
static void last_words(const char *log, char *out, size_t size)
{
    struct pl_text text = {0};
    read_log(log, &text);
    const char *line = text.data ? text.data : "", *last = "";
    while (*line) {
        size_t length = strcspn(line, "\n");
        if (strspn(line, " \t") < length)
            last = line;
        line += length + (line[length] == '\n');
    }
    pl_printable(out, size, last, strcspn(last, "\n"));
    pl_text_free(&text);
}

enum pl_err pl_gnuplot_terminals(struct pl_gnuplot_folder *folder, struct pl_text *terminals, bool *missing,
                                 struct pl_error *err)
{
    static const char probe[] = "set print '-'; print 'terminals: ', GPVAL_TERMINALS, ' '";
    const char *const argv[] = {"gnuplot", "-d", "-e", probe, NULL};
    int status;
    enum pl_err rc = run(argv, folder->log, &status, missing, err);
    if (rc)
        return rc;
    struct pl_text said = {0};
    read_log(folder->log, &said);
    const char *list = said.data ? strstr(said.data, "terminals: ") : NULL;
    if (status == 0 && list) {
        pl_text_add(terminals, " ");
        pl_text_add_bytes(terminals, list, strcspn(list, "\n"));
        pl_text_add(terminals, " ");
    } else {
        char words[160];
        last_words(folder->log, words, sizeof words);
        rc = pl_fail(err, PL_ERR_RESOURCE, "gnuplot does not say what it can draw (exit status %d%s%s)", status,
                     words[0] ? ": " : "", words);
    }
    pl_text_free(&said);
    return rc;
}

enum pl_err pl_gnuplot_run(const struct pl_gnuplot_folder *folder, const char *script, const char *terminal,
                           const struct pl_gnuplot_settings *settings, struct pl_error *err)
{
    struct pl_gnuplot_settings all = {{0}};
    pl_gnuplot_set_text(&all, "input", folder->data);
    pl_gnuplot_set_text(&all, "output", folder->picture);
    pl_gnuplot_set_text(&all, "terminal", terminal);
    pl_text_add(&all.text, settings->text.data ? settings->text.data : "");
    if (all.text.failed || settings->text.failed) {
        pl_text_free(&all.text);
        return pl_fail_memory(err, settings->text.length, "gnuplot's settings");
    }

    const char *const argv[] = {"gnuplot", "-d", "-e", all.text.data, script, NULL};
    int status;
    bool missing;
    unlink(folder->picture);
    enum pl_err rc = run(argv, folder->log, &status, &missing, err);
    pl_text_free(&all.text);
    if (rc)
        return rc;
    struct stat made;
    bool drawn = stat(folder->picture, &made) == 0 && made.st_size > 0;
    if (status == 0 && drawn)
        return PL_OK;
    char words[300];
    last_words(folder->log, words, sizeof words);
    return pl_fail(err, PL_ERR_RESOURCE, "gnuplot %s (exit status %d%s%s", status ? "failed" : "left no picture",
                   status, words[0] ? "): " : ")", words);
}

/* --- scripts ------------------------------------------------------------------------ */
enum pl_err pl_gnuplot_script(const char *name, char *out, size_t size, struct pl_error *err)
{
    const char *folders[] = {getenv("PAGELAB_PLOTS"), PL_SOURCE_DIR "/plots", PL_PKGDATADIR "/plots"};
    for (size_t i = 0; i < PL_COUNT_OF(folders); i++) {
        if (!folders[i] || !folders[i][0])
            continue;
        /* A name of its own kind ("-x") would be taken for an option, or run ("<x"). */
        int length = snprintf(out, size, "%s%s/%s.gp", folders[i][0] == '/' ? "" : "./", folders[i], name);
        if (length > 0 && (size_t)length < size && access(out, R_OK) == 0)
            return PL_OK;
    }
    return pl_fail(err, PL_ERR_RESOURCE, "plots/%s.gp is neither in $PAGELAB_PLOTS nor in %s nor in %s", name,
                   PL_SOURCE_DIR "/plots", PL_PKGDATADIR "/plots");
}
