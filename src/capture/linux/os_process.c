/* capture/linux/os_process.c: clock, counters, threads, child processes, and the wish to stop. */
#include "config.h"

#include "capture/os.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char pl_os_name[] = "Linux";

/* --- clock and counters -------------------------------------------------------------- */
pl_time_ps pl_os_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (pl_time_ps)now.tv_sec * PL_PS_PER_S + (pl_time_ps)now.tv_nsec * PL_PS_PER_NS;
}

void pl_os_sleep(pl_time_ps time)
{
    pl_time_ps end = pl_os_now() + time;
    for (pl_time_ps left = time; left > 0 && !pl_os_interrupted(); left = end - pl_os_now()) {
        struct timespec rest = {left / PL_PS_PER_S, left % PL_PS_PER_S / PL_PS_PER_NS};
        nanosleep(&rest, NULL);
    }
}

static uint64_t ns_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

void pl_os_counters(struct pl_os_counters *out)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    *out = (struct pl_os_counters){
        .minor_faults = (uint64_t)usage.ru_minflt,
        .major_faults = (uint64_t)usage.ru_majflt,
        .user_ns = ns_of(usage.ru_utime),
        .system_ns = ns_of(usage.ru_stime),
    };
}

/* --- threads ---------------------------------------------------------------------------- */
struct job {
    void (*work)(void *user, unsigned index);
    void *user;
    unsigned index;
};

static void *run_job(void *user)
{
    struct job *job = user;
    job->work(job->user, job->index);
    return NULL;
}

enum pl_err pl_os_parallel(unsigned count, void (*work)(void *user, unsigned index), void *user, struct pl_error *err)
{
    enum { THREADS_MAX = 256 };
    pthread_t thread[THREADS_MAX];
    struct job job[THREADS_MAX];
    if (count <= 1) {
        work(user, 0);
        return PL_OK;
    }
    if (count > THREADS_MAX)
        return pl_fail(err, PL_ERR_USAGE, "at most %d threads", THREADS_MAX);
    unsigned started = 0;
    int failed = 0;
    for (; started < count && !failed; started += !failed) {
        job[started] = (struct job){work, user, started};
        failed = pthread_create(&thread[started], NULL, run_job, &job[started]);
    }
    for (unsigned i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    return failed ? pl_fail_errno(err, failed, "starting thread %u", started) : PL_OK;
}

/* --- children ----------------------------------------------------------------------------- */
struct pl_os_child {
    pid_t pid;
    FILE *to, *from;
};

enum { ARGUMENTS_MAX = 64 };

/* In the child: its standard input and output become the pipes, and it becomes this program anew. */
static void become(const char *const *arguments, int in, int out)
{
    const char *line[ARGUMENTS_MAX + 2] = {"pagecap"};
    size_t count = 1;
    for (; arguments[count - 1] && count <= ARGUMENTS_MAX; count++)
        line[count] = arguments[count - 1];
    if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0)
        execv("/proc/self/exe", (char *const *)line);
    _exit(127);
}

static void close_pipe(int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

static enum pl_err start(struct pl_os_child *child, const char *const *arguments, struct pl_error *err)
{
    int down[2], up[2];
    if (pipe(down) != 0)
        return pl_fail_errno(err, errno, "a pipe");
    if (pipe(up) != 0) {
        close_pipe(down);
        return pl_fail_errno(err, errno, "a pipe");
    }
    child->pid = fork();
    if (child->pid == 0) {
        close(down[1]);
        close(up[0]);
        become(arguments, down[0], up[1]);
    }
    close(down[0]);
    close(up[1]);
    if (child->pid > 0) {
        /* Further children must not hold these open. */
        child->to = fdopen(down[1], "w");
        child->from = fdopen(up[0], "r");
        if (child->to && child->from)
            return PL_OK;
    }
    int failure = errno;
    if (!child->to)
        close(down[1]);
    if (!child->from)
        close(up[0]);
    return pl_fail_errno(err, failure, "starting a process");
}

static void keep_to_itself(FILE *stream)
{
    fcntl(fileno(stream), F_SETFD, FD_CLOEXEC);
}

enum pl_err pl_os_child_start(const char *const *arguments, struct pl_os_child **out, struct pl_error *err)
{
    struct pl_os_child *child = calloc(1, sizeof *child);
    if (!child)
        return pl_fail_memory(err, sizeof *child, "a child process");
    enum pl_err rc = start(child, arguments, err);
    if (rc) {
        pl_os_child_end(child);
        return rc;
    }
    keep_to_itself(child->to);
    keep_to_itself(child->from);
    *out = child;
    return PL_OK;
}

bool pl_os_child_say(struct pl_os_child *child, const char *line)
{
    return fprintf(child->to, "%s\n", line) > 0 && fflush(child->to) == 0;
}

bool pl_os_child_hear(struct pl_os_child *child, char *line, size_t size)
{
    if (!fgets(line, (int)size, child->from))
        return false;
    line[strcspn(line, "\r\n")] = '\0';
    return true;
}

uint64_t pl_os_child_pid(const struct pl_os_child *child)
{
    return (uint64_t)child->pid;
}

void pl_os_child_end(struct pl_os_child *child)
{
    if (!child)
        return;
    if (child->to)
        fclose(child->to);
    if (child->from)
        fclose(child->from);
    if (child->pid > 0) {
        int status;
        pid_t ended = 0;
        for (int i = 0; i < 200 && ended == 0; i++) { /* two seconds */
            ended = waitpid(child->pid, &status, WNOHANG);
            if (ended == 0)
                nanosleep(&(struct timespec){0, 10000000}, NULL);
        }
        if (ended == 0) {
            kill(child->pid, SIGKILL);
            waitpid(child->pid, &status, 0);
        }
    }
    free(child);
}

/* --- stopping --------------------------------------------------------------------------------- */
static volatile sig_atomic_t interrupts;

static void on_interrupt(int signal_number)
{
    interrupts = 1;
    signal(signal_number, SIG_DFL);
}

void pl_os_catch_interrupts(void)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < PL_COUNT_OF(stops); i++) {
        struct sigaction action = {.sa_handler = on_interrupt}, before;
        if (sigaction(stops[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* as nohup asks for it */
            sigaction(stops[i], &action, NULL);
    }
}

bool pl_os_interrupted(void)
{
    return interrupts != 0;
}

bool pl_os_watched(void)
{
    return isatty(STDERR_FILENO);
}
