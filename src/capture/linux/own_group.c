/* capture/linux/own_group.c: a memory cgroup of our own, for one run: what a program does when it may have only so much.
 *
 *   mkdir beside where we are -> limit -> we go in -> ... -> we go back -> rmdir
 *
 * Linux sums a group's counters up every two seconds. Reclaim goes by them when it decides whether pages must be moved
 * from the active list to the inactive one; a small group that swaps fast can find all of its pages active, none to take,
 * and be killed although swap is empty (seen on 6.18). Whoever reads memory.stat makes it sum up: hence the looks.
 *
 * What was charged before stays where it was: only pages touched inside count. Both versions of cgroups are known;
 * groups of runs that were killed, which are empty, are removed by the next one. */
#include "config.h"

#include "capture/linux/own_zram.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    char home[512], group[640]; /* folders; "" without one */
    bool inside;
    int counters; /* memory.stat; -1: not open */
} own = {.counters = -1};

static const char prefix[] = "pagecap-";

static bool write_file(const char *folder, const char *name, const char *text)
{
    char path[768];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    int failure = errno;
    close(fd);
    errno = failure;
    return done;
}

/* Where the memory controller is mounted: version 1 with it among the options, or version 2 which has it. */
static bool find_mount(char *out, size_t size, bool *second)
{
    char line[1024], path[512], type[32], options[512], has[256];
    FILE *mounts = fopen("/proc/mounts", "re");
    bool found = false;
    while (mounts && !found && fgets(line, sizeof line, mounts)) {
        if (sscanf(line, "%*s %511s %31s %511s", path, type, options) != 3)
            continue;
        if (!strcmp(type, "cgroup") && strstr(options, "memory"))
            found = true, *second = false;
        if (!strcmp(type, "cgroup2")) {
            char list[576];
            snprintf(list, sizeof list, "%s/cgroup.controllers", path);
            found = kernel_file_read(list, has, sizeof has) && strstr(has, "memory");
            *second = found;
        }
    }
    if (mounts)
        fclose(mounts);
    if (found)
        snprintf(out, size, "%s", path);
    return found;
}

/* Our own group below the mount: "4:memory:/a" in version 1, "0::/a" in version 2. */
static bool find_home(const char *mount, bool second)
{
    char line[768];
    FILE *groups = fopen("/proc/self/cgroup", "re");
    bool found = false;
    while (groups && !found && fgets(line, sizeof line, groups)) {
        line[strcspn(line, "\n")] = '\0';
        const char *path = second ? strstr(line, "0::") : strstr(line, ":memory:");
        if (!path || (second && path != line))
            continue;
        path = strchr(path + (second ? 2 : 1), ':') + 1;
        snprintf(own.home, sizeof own.home, "%.255s%.255s", mount, strcmp(path, "/") ? path : "");
        found = access(own.home, F_OK) == 0;
    }
    if (groups)
        fclose(groups);
    return found;
}

/* Empty groups of processes that are no more. */
static void remove_left_ones(const char *folder)
{
    DIR *list = opendir(folder);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        char path[1024];
        long pid = strncmp(entry->d_name, prefix, sizeof prefix - 1) ? 0 : atol(entry->d_name + sizeof prefix - 1);
        if (pid <= 0 || kill((pid_t)pid, 0) == 0 || errno != ESRCH)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        rmdir(path);
    }
    if (list)
        closedir(list);
}

static enum pl_err make_group(uint64_t bytes, bool second, struct pl_error *err)
{
    char text[32];
    /* In version 2 only groups without processes of their own hand controllers down: beside us, not below. */
    char parent[512];
    snprintf(parent, sizeof parent, "%s", own.home);
    if (second && strrchr(parent, '/') > parent + strlen("/sys/fs/cgroup"))
        *strrchr(parent, '/') = '\0';
    remove_left_ones(parent);
    snprintf(own.group, sizeof own.group, "%s/%s%ld", parent, prefix, (long)getpid());
    if (mkdir(own.group, 0700) != 0) {
        int failure = errno;
        own.group[0] = '\0';
        return pl_fail_errno(err, failure, "--limit: a memory cgroup in %s (it takes root)", parent);
    }
    snprintf(text, sizeof text, "%llu", (unsigned long long)bytes);
    if (!write_file(own.group, second ? "memory.max" : "memory.limit_in_bytes", text))
        return pl_fail_errno(err, errno, "--limit: setting the limit of %s", own.group);
    return PL_OK;
}

enum pl_err pl_os_limit_start(uint64_t bytes, struct pl_error *err)
{
    char mount[512], self[32];
    bool second = false;
    if (!find_mount(mount, sizeof mount, &second) || !find_home(mount, second))
        return pl_fail(err, PL_ERR_RESOURCE, "--limit: this system has no memory cgroups (mounted)");
    enum pl_err rc = make_group(bytes, second, err);
    snprintf(self, sizeof self, "%ld", (long)getpid());
    if (rc == PL_OK && !write_file(own.group, "cgroup.procs", self))
        rc = pl_fail_errno(err, errno, "--limit: going into %s", own.group);
    if (rc) {
        pl_os_limit_stop();
        return rc;
    }
    own.inside = true;
    char path[704];
    snprintf(path, sizeof path, "%s/memory.stat", own.group);
    own.counters = open(path, O_RDONLY | O_CLOEXEC);
    return PL_OK;
}

void pl_os_limit_look(void)
{
    static char unread[8192];
    if (own.counters >= 0 && pread(own.counters, unread, sizeof unread, 0) < 0)
        own.counters = -1; /* it goes on without */
}

void pl_os_limit_stop(void)
{
    char self[32];
    snprintf(self, sizeof self, "%ld", (long)getpid());
    if (own.inside)
        write_file(own.home, "cgroup.procs", self);
    own.inside = false;
    if (own.counters >= 0)
        close(own.counters);
    own.counters = -1;
    for (int i = 0; own.group[0] && i < 50 && rmdir(own.group) != 0 && errno == EBUSY; i++)
        usleep(20000);
    own.group[0] = '\0';
}
