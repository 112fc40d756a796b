/* cmd/progress_line.c: one line on standard error for someone who watches a long run.
 *
 * Shown late (after a second), seldom (five times a second), and only on a terminal whose foreground the program has:
 * logs and pipes never see it. Ctrl-C, a hang-up and the wish to terminate are turned into a request for a clean stop, so
 * that no half-written file stays behind; a second one ends the program. */
#include "config.h"

#include "cmd/cmd.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
    const char *what, *unit;
    double started_s, shown_s;
    uint64_t already; /* done before the clock began */
    bool active, visible, watched;
    char note[48]; /* behind the rest of the line */
} line;

static const int stops[] = {SIGINT, SIGTERM, SIGHUP};

static volatile sig_atomic_t interrupts;

static void on_interrupt(int signal_number)
{
    interrupts = 1;
    signal(signal_number, SIG_DFL);
}

/* What is ignored stays so: that is how nohup and a shell's background jobs ask for it. */
static void handle_stops(void (*handler)(int))
{
    for (size_t i = 0; i < PL_COUNT_OF(stops); i++)
        if (signal(stops[i], handler) == SIG_IGN)
            signal(stops[i], SIG_IGN);
}

bool cmd_interrupted(void)
{
    return interrupts != 0;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool in_foreground(void)
{
    return isatty(STDERR_FILENO) && tcgetpgrp(STDERR_FILENO) == getpgrp();
}

/* "1.25 M" of small things, "3.2" of large ones. */
static char *show_rate(char *out, size_t size, double rate)
{
    if (rate >= 1e4)
        snprintf(out, size, "%.2f M", rate / 1e6);
    else
        snprintf(out, size, "%.3g", rate);
    return out;
}

static void show(uint64_t done, uint64_t total, double now)
{
    double elapsed_s = now - line.started_s, rate = (double)(done - line.already) / elapsed_s;
    char text[200], count[40], speed[32];
    int length;
    pl_format_count(count, sizeof count, done);
    show_rate(speed, sizeof speed, rate);
    if (total && done <= total)
        length = snprintf(text, sizeof text, "%s: %3.0f %%, %s %s/s, %.0f s left%s", line.what,
                          100 * (double)done / (double)total, speed, line.unit,
                          rate > 0 ? (double)(total - done) / rate : 0, line.note);
    else
        length = snprintf(text, sizeof text, "%s: %s %s, %s/s, %.0f s%s", line.what, count, line.unit, speed, elapsed_s,
                          line.note);
    fprintf(stderr, "\r%-79.*s", length < 79 ? length : 79, text);
    fflush(stderr);
    line.visible = true;
    line.shown_s = now;
}

static bool report(void *user, uint64_t done, uint64_t total)
{
    if (interrupts)
        return false;
    if (!line.watched)
        return true;
    double now = now_s();
    if (now - line.started_s > 1 && now - line.shown_s > 0.2 && in_foreground())
        show(done, total, now);
    return true;
}

struct pl_progress cmd_progress_begin(const char *what, const char *unit, bool quiet)
{
    line.what = what;
    line.unit = unit;
    line.started_s = now_s();
    line.shown_s = 0;
    line.active = true;
    line.visible = false;
    line.watched = !quiet && isatty(STDERR_FILENO);
    line.already = 0;
    line.note[0] = '\0';
    interrupts = 0;
    handle_stops(on_interrupt);
    return (struct pl_progress){report, NULL};
}

void cmd_progress_note(uint64_t already, const char *note)
{
    line.already = already;
    snprintf(line.note, sizeof line.note, "%s", note);
}

void cmd_progress_end(void)
{
    if (line.visible)
        fprintf(stderr, "\r%79s\r", "");
    if (line.active)
        handle_stops(SIG_DFL);
    line.active = line.visible = false;
}
