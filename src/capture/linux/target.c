/* capture/linux/target.c: starts the captured program and waits for it.
 *
 *   fork -> the child waits at a pipe -> the back end prepares (opens counters, reads maps) -> go -> exec
 *
 * A second pipe, closed by a successful exec, brings back why an exec failed. */
#include "config.h"

#include "capture/linux/target.h"

#include "capture/linux/proc_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void become(char *const *argv, const char *const *environment, int go, int failure)
{
    char byte;
    while (read(go, &byte, 1) < 0 && errno == EINTR)
        ;
    for (size_t i = 0; environment && environment[i]; i++)
        putenv((char *)(uintptr_t)environment[i]);
    signal(SIGPIPE, SIG_DFL); /* ours is ignored, and that would be inherited */
    execvp(argv[0], argv);
    int why = errno;
    (void)!write(failure, &why, sizeof why);
    _exit(127);
}

static enum pl_err start(struct target *target, char *const *argv, const char *const *environment, struct pl_error *err)
{
    int go[2], failure[2];
    if (pipe2(go, O_CLOEXEC) != 0)
        return pl_fail_errno(err, errno, "a pipe");
    if (pipe2(failure, O_CLOEXEC) != 0) {
        close(go[0]);
        close(go[1]);
        return pl_fail_errno(err, errno, "a pipe");
    }
    target->pid = fork();
    if (target->pid == 0) {
        close(go[1]);
        become(argv, environment, go[0], failure[1]);
    }
    close(go[0]);
    close(failure[1]);
    target->go = go[1];
    target->failure = failure[0];
    target->ours = true;
    if (target->pid > 0)
        return PL_OK;
    close(target->go);
    close(target->failure);
    return pl_fail_errno(err, errno, "starting %s", argv[0]);
}

enum pl_err target_start(const struct pl_capture_request *request, const char *const *environment, struct target *out,
                         struct pl_error *err)
{
    struct target target = {.pid = (pid_t)request->pid, .status = -1, .go = -1, .failure = -1};
    enum pl_err rc = PL_OK;
    if (request->argv)
        rc = start(&target, request->argv, environment, err);
    else if (!kernel_knows(request->pid))
        rc = pl_fail(err, PL_ERR_INPUT, "there is no process %llu", (unsigned long long)request->pid);
    if (rc == PL_OK)
        *out = target;
    return rc;
}

enum pl_err target_go(struct target *target, struct pl_error *err)
{
    if (target->go < 0)
        return PL_OK;
    int why = 0;
    ssize_t got;
    (void)!write(target->go, "g", 1);
    close(target->go);
    target->go = -1;
    while ((got = read(target->failure, &why, sizeof why)) < 0 && errno == EINTR)
        ;
    close(target->failure);
    target->failure = -1;
    if (got != (ssize_t)sizeof why)
        return PL_OK;
    target_kill(target);
    return pl_fail(err, PL_ERR_INPUT, "the program cannot be run: %s", strerror(why));
}

static void note_end(struct target *target, int status)
{
    target->ended = true;
    target->status = WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : -1;
}

bool target_ended(struct target *target)
{
    int status;
    if (target->ended)
        return true;
    if (!target->ours)
        return target->ended = kill(target->pid, 0) != 0 && errno == ESRCH;
    if (waitpid(target->pid, &status, WNOHANG) == target->pid)
        note_end(target, status);
    return target->ended;
}

static void wait_ms(struct target *target, int ms)
{
    for (int i = 0; i < ms && !target_ended(target); i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}

void target_kill(struct target *target)
{
    int status;
    if (target->go >= 0)
        close(target->go);
    if (target->failure >= 0)
        close(target->failure);
    target->go = target->failure = -1;
    if (!target->ours || target_ended(target))
        return;
    kill(target->pid, SIGKILL);
    if (waitpid(target->pid, &status, 0) == target->pid)
        note_end(target, status);
}

void target_finish(struct target *target)
{
    if (!target->ours || target_ended(target))
        return;
    kill(target->pid, SIGTERM);
    wait_ms(target, 2000);
    target_kill(target);
}
