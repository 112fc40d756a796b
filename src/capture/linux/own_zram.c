/* capture/linux/own_zram.c: a zram swap device of our own, for one run.
 *
 *   hot_add -> comp_algorithm, disksize -> swap header -> swapon with the highest priority -> ... -> swapoff -> reset
 * ->
 *   hot_remove
 *
 * Devices that were there are never touched. A watchdog, a child in a session of its own that ignores the signals a
 * terminal sends, waits at a pipe: when this process ends, however it does, the pipe closes and the watchdog takes the
 * device away and restores vm.page-cluster. A regular end goes the same way, and waits for it. */
#include "config.h"

#include "capture/linux/own_zram.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char page_cluster_path[] = "/proc/sys/vm/page-cluster";
static const char hot_add_path[] = "/sys/class/zram-control/hot_add";
static const char hot_remove_path[] = "/sys/class/zram-control/hot_remove";

enum { PRIORITY = 32767 }; /* the highest there is */

static struct {
    int number; /* of the device; -1: none */
    bool swapped_on;
    char page_cluster[16];  /* as it was */
    int leash;              /* the watchdog waits at the other end; -1: none */
    pid_t watchdog;
    int lock; /* held while there is a device; -1: none */
} own = {.number = -1, .leash = -1, .lock = -1};

int own_zram_number(void)
{
    return own.number;
}

/* --- small files of the kernel's ------------------------------------------------------- */
bool kernel_file_read(const char *path, char *out, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t got = read(fd, out, size - 1);
    int failure = errno;
    close(fd);
    errno = failure;
    if (got < 0)
        return false;
    out[got] = '\0';
    out[strcspn(out, "\n")] = '\0';
    return true;
}

static bool write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    int failure = errno;
    close(fd);
    errno = failure;
    return done;
}

static bool write_attribute(const char *attribute, const char *text)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/block/zram%d/%s", own.number, attribute);
    return write_text(path, text);
}

static const char *device_path(char *out, size_t size)
{
    snprintf(out, size, "/dev/zram%d", own.number);
    return out;
}

/* --- taking it away ---------------------------------------------------------------------- */
static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* Processes that still have pages there get them back (swapoff); who has just ended may hold the device for a moment.
 * */
static void take_away(void)
{
    char path[32], number[16];
    if (own.number < 0)
        return;
    device_path(path, sizeof path);
    for (int i = 0; own.swapped_on && i < 100; i++) {
        if (swapoff(path) == 0 || errno == EINVAL)
            own.swapped_on = false;
        else
            pause_ms(20);
    }
    snprintf(number, sizeof number, "%d", own.number);
    for (int i = 0; i < 100; i++) {
        write_attribute("reset", "1");
        if (write_text(hot_remove_path, number) || errno == ENODEV)
            break;
        pause_ms(20);
    }
    if (own.page_cluster[0])
        write_text(page_cluster_path, own.page_cluster);
    own.number = -1;
}

static void watch_over(int pipe_end)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    for (size_t i = 0; i < PL_COUNT_OF(ignored); i++)
        signal(ignored[i], SIG_IGN);
    setsid();
    char byte;
    while (read(pipe_end, &byte, 1) < 0 && errno == EINTR)
        ;
    own.swapped_on = true; /* it may have been: swapoff tells */
    take_away();
    _exit(0);
}

static enum pl_err start_watchdog(struct pl_error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return pl_fail_errno(err, errno, "a pipe");
    own.watchdog = fork();
    if (own.watchdog == 0) {
        close(ends[1]);
        watch_over(ends[0]);
    }
    close(ends[0]);
    if (own.watchdog < 0) {
        close(ends[1]);
        return pl_fail_errno(err, errno, "the watchdog of the zram device");
    }
    own.leash = ends[1];
    return PL_OK;
}

/* --- one at a time ------------------------------------------------------------------------ */
/* Two devices of equal priority would share the pages, and neither run's numbers would mean anything. The lock is the
 * watchdog's as well, and goes with it. */
static enum pl_err take_turns(struct pl_error *err)
{
    static const char path[] = "/run/lock/pagecap-zram";
    enum { WAIT_S = 300 };
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0)
        return PL_OK; /* no such folder: nothing to take turns by */
    for (int i = 0; flock(lock, LOCK_EX | LOCK_NB) != 0; i++) {
        if (i == WAIT_S * 10 || pl_os_interrupted()) {
            close(lock);
            return pl_fail(err, PL_ERR_RESOURCE, "--zram: another run uses a zram device of its own, and goes on");
        }
        pause_ms(100);
    }
    own.lock = lock;
    return PL_OK;
}

static void give_turn_up(void)
{
    if (own.lock >= 0)
        close(own.lock);
    own.lock = -1;
}

static enum pl_err check_priorities(struct pl_error *err)
{
    FILE *swaps = fopen("/proc/swaps", "re");
    char line[512], name[256];
    int priority;
    enum pl_err rc = PL_OK;
    while (swaps && rc == PL_OK && fgets(line, sizeof line, swaps))
        if (sscanf(line, "%255s %*s %*s %*s %d", name, &priority) == 2 && priority == PRIORITY)
            rc = pl_fail(err, PL_ERR_RESOURCE,
                         "--zram: %s has the highest priority already and would take half of the pages", name);
    if (swaps)
        fclose(swaps);
    return rc;
}

/* --- setting it up ------------------------------------------------------------------------ */
static enum pl_err missing(struct pl_error *err, const char *what)
{
    return pl_fail(err, PL_ERR_RESOURCE, "--zram: %s", what);
}

static enum pl_err add_device(struct pl_error *err)
{
    char number[16];
    if (access("/sys/class/zram-control", F_OK) != 0)
        return missing(err, "this kernel has no zram, or its module is not loaded (modprobe zram)");
    if (geteuid() != 0)
        return missing(err, "making a swap device takes root");
    if (!kernel_file_read(hot_add_path, number, sizeof number))
        return pl_fail_errno(err, errno, "--zram: no further device can be added (%s)", hot_add_path);
    own.number = atoi(number);
    return PL_OK;
}

static enum pl_err set_up(uint64_t size, const char *codec, struct pl_error *err)
{
    char text[256], path[64];
    if (!write_attribute("comp_algorithm", codec)) {
        snprintf(path, sizeof path, "/sys/block/zram%d/comp_algorithm", own.number);
        bool told = kernel_file_read(path, text, sizeof text);
        return pl_fail(err, PL_ERR_USAGE, "--zram: this kernel has no codec '%s'; it has: %s", codec,
                       told ? text : "(it does not say)");
    }
    snprintf(text, sizeof text, "%llu", (unsigned long long)size);
    if (!write_attribute("disksize", text))
        return pl_fail_errno(err, errno, "--zram: a device of %s bytes", text);
    return PL_OK;
}

/* What mkswap writes: the version, the last page, and the magic at the end of the first page. */
static enum pl_err write_swap_header(uint64_t size, struct pl_error *err)
{
    const uint32_t page_size = pl_os_page_size();
    char path[32];
    uint8_t *page = calloc(1, page_size);
    if (!page)
        return pl_fail_memory(err, page_size, "a swap header");
    uint32_t version = 1, last = (uint32_t)(size / page_size - 1);
    memcpy(page + 1024, &version, sizeof version);
    memcpy(page + 1028, &last, sizeof last);
    memcpy(page + page_size - 10, "SWAPSPACE2", 10);
    int fd = open(device_path(path, sizeof path), O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && pwrite(fd, page, page_size, 0) == (ssize_t)page_size && fsync(fd) == 0;
    int failure = errno;
    if (fd >= 0)
        close(fd);
    free(page);
    return done ? PL_OK : pl_fail_errno(err, failure, "--zram: writing the swap header to %s", path);
}

static enum pl_err swap_on(struct pl_error *err)
{
    char path[32];
    if (swapon(device_path(path, sizeof path), SWAP_FLAG_PREFER | PRIORITY) != 0)
        return pl_fail_errno(err, errno, "--zram: swapping to %s", path);
    own.swapped_on = true;
    write_text(page_cluster_path, "0"); /* one page a fault, as the device is no disk */
    return PL_OK;
}

static enum pl_err parse(const char *spec, uint64_t *size, const char **codec, struct pl_error *err)
{
    char text[64];
    const char *comma = strchr(spec, ',');
    size_t length = comma ? (size_t)(comma - spec) : strlen(spec);
    if (length >= sizeof text)
        return pl_fail(err, PL_ERR_USAGE, "--zram: '%s' is no SIZE,CODEC", spec);
    memcpy(text, spec, length);
    text[length] = '\0';
    *codec = comma && comma[1] ? comma + 1 : "lz4";
    enum pl_err rc = pl_parse_bytes(text, pl_os_page_size(), size, err);
    if (rc)
        return pl_fail_prefix(err, "--zram");
    if (*size < PL_MIB)
        return pl_fail(err, PL_ERR_USAGE, "--zram: give at least 1MiB, as in 1GiB,lz4");
    *size &= ~(uint64_t)(pl_os_page_size() - 1);
    return PL_OK;
}

enum pl_err pl_os_own_store_start(const char *spec, struct pl_error *err)
{
    uint64_t size = 0;
    const char *codec = NULL;
    enum pl_err rc = parse(spec, &size, &codec, err);
    if (rc == PL_OK)
        rc = take_turns(err);
    if (rc == PL_OK)
        rc = check_priorities(err);
    if (rc == PL_OK)
        rc = add_device(err);
    if (rc) {
        give_turn_up();
        return rc;
    }
    kernel_file_read(page_cluster_path, own.page_cluster, sizeof own.page_cluster);
    rc = start_watchdog(err);
    if (rc == PL_OK)
        rc = set_up(size, codec, err);
    if (rc == PL_OK)
        rc = write_swap_header(size, err);
    if (rc == PL_OK)
        rc = swap_on(err);
    if (rc)
        pl_os_own_store_stop();
    return rc;
}

void pl_os_own_store_settle(void)
{
    char path[32];
    if (own.number < 0 || !own.swapped_on || swapoff(device_path(path, sizeof path)) != 0)
        return;
    struct pl_error ignored = {0};
    own.swapped_on = swap_on(&ignored) == PL_OK; /* what is missing then is told by the trim that trims nothing */
}

void pl_os_own_store_stop(void)
{
    if (own.number < 0)
        return;
    if (own.leash >= 0) {
        int status;
        close(own.leash);
        own.leash = -1;
        waitpid(own.watchdog, &status, 0);
        char path[64];
        snprintf(path, sizeof path, "/sys/block/zram%d", own.number);
        if (access(path, F_OK) != 0) /* unless somebody killed it */
            own.number = -1;
    }
    take_away();
    give_turn_up();
}
