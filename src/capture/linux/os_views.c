/* capture/linux/os_views.c: tables of memory: the system's lists, one process by type, numbers over time, purging. */
#include "config.h"

#include "capture/linux/own_zram.h"
#include "capture/linux/proc_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- /proc/meminfo and /proc/vmstat ------------------------------------------------------- */
/* "Key: 123 kB" or "key 123" of a file of such lines; false when it is not there. */
static bool number_of(const char *path, const char *key, uint64_t *out)
{
    FILE *stream = fopen(path, "re");
    char line[256];
    size_t length = strlen(key);
    bool found = false;
    while (stream && !found && fgets(line, sizeof line, stream))
        if (!strncmp(line, key, length) && (line[length] == ':' || line[length] == ' ' || line[length] == '\t')) {
            *out = strtoull(line + length + 1, NULL, 10);
            found = true;
        }
    if (stream)
        fclose(stream);
    return found;
}

static uint64_t meminfo_bytes(const char *key)
{
    uint64_t kilobytes = 0;
    number_of("/proc/meminfo", key, &kilobytes);
    return kilobytes * PL_KIB;
}

static uint64_t vmstat(const char *key)
{
    uint64_t count = 0;
    number_of("/proc/vmstat", key, &count);
    return count;
}

/* --- lists ------------------------------------------------------------------------------------ */
static void use_table(struct pl_document *document)
{
    static const struct pl_column columns[] = {
        {"list", "list", "", PL_VALUE_TEXT, 0},
        {"bytes", "bytes", "bytes", PL_VALUE_COUNT, 0},
        {"share", "share", "%", PL_VALUE_REAL, 1},
    };
    static const char *const keys[] = {
        "MemTotal", "MemAvailable", "MemFree", "Active(anon)", "Inactive(anon)", "Active(file)", "Inactive(file)",
        "Unevictable", "Dirty", "Writeback", "AnonPages", "Mapped", "Shmem", "Slab", "KernelStack", "PageTables",
        "SwapCached", "SwapTotal", "SwapFree", "Zswap", "Zswapped", "Committed_AS", "CommitLimit", "AnonHugePages",
    };
    struct pl_document_table *table =
        pl_document_table(document, "lists", "Memory lists", columns, PL_COUNT_OF(columns));
    double total = (double)meminfo_bytes("MemTotal");
    for (size_t i = 0; i < PL_COUNT_OF(keys); i++) {
        uint64_t kilobytes;
        if (!number_of("/proc/meminfo", keys[i], &kilobytes))
            continue;
        double bytes = (double)(kilobytes * PL_KIB);
        const struct pl_value row[] = {pl_value_text(keys[i]), pl_value_count(kilobytes * PL_KIB),
                                       pl_value_real(100 * bytes / total)};
        pl_document_row(table, row);
    }
}

static void buddy_table(struct pl_document *document)
{
    static const struct pl_column columns[] = {
        {"zone", "zone", "", PL_VALUE_TEXT, 0},
        {"free_bytes", "free", "bytes", PL_VALUE_COUNT, 0},
        {"in_blocks_of_2mib_bytes", "in blocks of 2 MiB and more", "bytes", PL_VALUE_COUNT, 0},
    };
    struct pl_document_table *table =
        pl_document_table(document, "free_blocks", "Free memory by zone", columns, PL_COUNT_OF(columns));
    FILE *stream = fopen("/proc/buddyinfo", "re");
    char line[512], zone[32];
    int used;
    while (stream && fgets(line, sizeof line, stream)) {
        uint64_t free_bytes = 0, large = 0, size = pl_os_page_size();
        if (sscanf(line, "Node %*d, zone %31s%n", zone, &used) != 1)
            continue;
        char *at = line + used, *end;
        for (uint64_t count; count = strtoull(at, &end, 10), end != at; at = end, size *= 2) {
            free_bytes += count * size;
            large += size >= 2 * PL_MIB ? count * size : 0;
        }
        const struct pl_value row[] = {pl_value_text(zone), pl_value_count(free_bytes), pl_value_count(large)};
        pl_document_row(table, row);
    }
    if (stream)
        fclose(stream);
}

static void swap_table(struct pl_document *document)
{
    static const struct pl_column columns[] = {
        {"name", "swap", "", PL_VALUE_TEXT, 0},         {"kind", "kind", "", PL_VALUE_TEXT, 0},
        {"bytes", "size", "bytes", PL_VALUE_COUNT, 0},  {"used_bytes", "used", "bytes", PL_VALUE_COUNT, 0},
        {"priority", "priority", "", PL_VALUE_REAL, 0},
    };
    struct pl_document_table *table = pl_document_table(document, "swaps", "Swap", columns, PL_COUNT_OF(columns));
    FILE *stream = fopen("/proc/swaps", "re");
    char line[512], name[256], kind[32];
    while (stream && fgets(line, sizeof line, stream)) {
        uint64_t kilobytes, used;
        int priority;
        if (sscanf(line, "%255s %31s %" SCNu64 " %" SCNu64 " %d", name, kind, &kilobytes, &used, &priority) != 5)
            continue;
        const struct pl_value row[] = {pl_value_text(name), pl_value_text(kind), pl_value_count(kilobytes * PL_KIB),
                                       pl_value_count(used * PL_KIB), pl_value_real(priority)};
        pl_document_row(table, row);
    }
    if (stream)
        fclose(stream);
}

static void store_results(struct pl_document *document)
{
    struct pl_os_store store;
    if (!pl_os_store(&store)) {
        pl_document_note(document, "No zram device is swapped to.");
        return;
    }
    double stored = (double)store.pages * pl_os_page_size();
    pl_document_result(document, "store", "compressed store", "", pl_value_text(store.name));
    pl_document_result(document, "store_pages", "stored", "pages", pl_value_count(store.pages));
    pl_document_result(document, "store_bytes", "compressed to", "bytes", pl_value_count(store.bytes));
    pl_document_result(document, "store_used_bytes", "it takes", "bytes", pl_value_count(store.used_bytes));
    pl_document_result(document, "store_same_pages", "kept as one word", "pages", pl_value_count(store.same_pages));
    pl_document_result(document, "store_huge_pages", "kept raw", "pages", pl_value_count(store.huge_pages));
    if (store.used_bytes)
        pl_document_result(document, "store_ratio", "pages to memory taken", "",
                           pl_value_real(stored / (double)store.used_bytes));
}

enum pl_err pl_os_lists(struct pl_document *document, struct pl_error *err)
{
    if (!meminfo_bytes("MemTotal"))
        return pl_fail(err, PL_ERR_RESOURCE, "/proc/meminfo cannot be read");
    use_table(document);
    buddy_table(document);
    swap_table(document);
    store_results(document);
    return PL_OK;
}

/* --- one process ---------------------------------------------------------------------------------- */
enum type { TYPE_IMAGE, TYPE_FILE, TYPE_SHARED, TYPE_HEAP, TYPE_STACK, TYPE_PRIVATE, TYPE_KERNEL, TYPES };
static const char *const type_names[] = {"image", "mapped file",  "shareable",   "heap",
                                         "stack", "private data", "kernel's own"};

enum figure { SIZE, RSS, PSS, PRIVATE_CLEAN, PRIVATE_DIRTY, SWAP, LOCKED, HUGE, FIGURES };
static const char *const figure_keys[] = {"Size",  "Rss",    "Pss", "Private_Clean", "Private_Dirty", "Swap",
                                          "Locked", "AnonHugePages"};

static enum type type_of(const struct proc_mapping *mapping)
{
    if (!strcmp(mapping->name, "[heap]"))
        return TYPE_HEAP;
    if (!strncmp(mapping->name, "[stack", 6))
        return TYPE_STACK;
    if (!strncmp(mapping->name, "[v", 2))
        return TYPE_KERNEL;
    if (mapping->is_file && strncmp(mapping->name, "/dev/zero", 9) && strncmp(mapping->name, "/dev/shm/", 9) &&
        strncmp(mapping->name, "/memfd:", 7) && strncmp(mapping->name, "/SYSV", 5))
        return mapping->access[2] == 'x' || strstr(mapping->name, ".so") ? TYPE_IMAGE : TYPE_FILE;
    return mapping->access[3] == 's' ? TYPE_SHARED : TYPE_PRIVATE;
}

/* Adds smaps up: blocks and figures (in bytes) by type. */
static void add_smaps_up(FILE *smaps, uint64_t blocks[TYPES], uint64_t sums[TYPES][FIGURES])
{
    char line[8192];
    enum type type = TYPE_PRIVATE;
    while (fgets(line, sizeof line, smaps)) {
        struct proc_mapping mapping = {0};
        int name = 0;
        uint64_t inode, kilobytes;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %*s %" SCNu64 " %n", &mapping.start, &mapping.end,
                   mapping.access, &inode, &name) >= 4 &&
            strchr(line, '-') < strchr(line, ' ')) {
            line[strcspn(line, "\n")] = '\0';
            mapping.is_file = inode != 0;
            snprintf(mapping.name, sizeof mapping.name, "%s", line + name);
            type = type_of(&mapping);
            blocks[type]++;
            continue;
        }
        for (int i = 0; i < FIGURES; i++) {
            size_t length = strlen(figure_keys[i]);
            if (!strncmp(line, figure_keys[i], length) && sscanf(line + length, ": %" SCNu64 " kB", &kilobytes) == 1)
                sums[type][i] += kilobytes * PL_KIB;
        }
    }
}

static void type_row(struct pl_document_table *table, const char *name, uint64_t blocks, const uint64_t sum[FIGURES])
{
    const struct pl_value row[] = {
        pl_value_text(name),
        pl_value_count(sum[SIZE]),
        pl_value_count(sum[PRIVATE_CLEAN] + sum[PRIVATE_DIRTY] + sum[SWAP]),
        pl_value_count(sum[RSS]),
        pl_value_count(sum[PRIVATE_CLEAN] + sum[PRIVATE_DIRTY]),
        pl_value_count(sum[RSS] - sum[PRIVATE_CLEAN] - sum[PRIVATE_DIRTY]),
        pl_value_count(sum[PSS]),
        pl_value_count(sum[SWAP]),
        pl_value_count(sum[LOCKED]),
        pl_value_count(sum[HUGE]),
        pl_value_count(blocks),
    };
    pl_document_row(table, row);
}

enum pl_err pl_os_view(uint64_t pid, struct pl_document *document, struct pl_error *err)
{
    static const struct pl_column columns[] = {
        {"type", "type", "", PL_VALUE_TEXT, 0},
        {"size_bytes", "size", "bytes", PL_VALUE_COUNT, 0},
        {"private_bytes", "private", "bytes", PL_VALUE_COUNT, 0},
        {"resident_bytes", "resident", "bytes", PL_VALUE_COUNT, 0},
        {"private_resident_bytes", "private resident", "bytes", PL_VALUE_COUNT, 0},
        {"shared_resident_bytes", "shared resident", "bytes", PL_VALUE_COUNT, 0},
        {"proportional_bytes", "its share", "bytes", PL_VALUE_COUNT, 0},
        {"swapped_bytes", "swapped", "bytes", PL_VALUE_COUNT, 0},
        {"locked_bytes", "locked", "bytes", PL_VALUE_COUNT, 0},
        {"huge_bytes", "in huge pages", "bytes", PL_VALUE_COUNT, 0},
        {"blocks", "blocks", "", PL_VALUE_COUNT, 0},
    };
    FILE *smaps = proc_open(pid, "smaps", err);
    if (!smaps)
        return kernel_knows(pid) ? PL_ERR_RESOURCE : PL_ERR_INPUT;
    uint64_t blocks[TYPES] = {0}, sums[TYPES][FIGURES] = {{0}}, total[FIGURES] = {0}, all = 0;
    add_smaps_up(smaps, blocks, sums);
    fclose(smaps);
    struct pl_document_table *table =
        pl_document_table(document, "types", "Memory by type", columns, PL_COUNT_OF(columns));
    for (int type = 0; type < TYPES; type++) {
        if (!blocks[type])
            continue;
        type_row(table, type_names[type], blocks[type], sums[type]);
        all += blocks[type];
        for (int i = 0; i < FIGURES; i++)
            total[i] += sums[type][i];
    }
    if (all == 0)
        return pl_fail(err, PL_ERR_RESOURCE, "process %" PRIu64 " has no memory of its own, or does not show it", pid);
    type_row(table, "total", all, total);
    pl_document_parameter(document, "pid", "process", "", pl_value_count(pid));
    return PL_OK;
}

/* --- over time --------------------------------------------------------------------------------------- */
static const struct pl_column watch_columns[] = {
    {"available_bytes", "available", "bytes", PL_VALUE_COUNT, 0},
    {"free_bytes", "free", "bytes", PL_VALUE_COUNT, 0},
    {"anonymous_bytes", "anonymous", "bytes", PL_VALUE_COUNT, 0},
    {"cached_bytes", "cached", "bytes", PL_VALUE_COUNT, 0},
    {"faults", "faults", "", PL_VALUE_COUNT, 0},
    {"major_faults", "major faults", "", PL_VALUE_COUNT, 0},
    {"swapped_in_pages", "swapped in", "pages", PL_VALUE_COUNT, 0},
    {"swapped_out_pages", "swapped out", "pages", PL_VALUE_COUNT, 0},
    {"store_pages", "stored", "pages", PL_VALUE_COUNT, 0},
    {"store_bytes", "compressed", "bytes", PL_VALUE_COUNT, 0},
    {"store_used_bytes", "store takes", "bytes", PL_VALUE_COUNT, 0},
    {"process_resident_bytes", "process resident", "bytes", PL_VALUE_COUNT, 0},
    {"process_swapped_bytes", "process swapped", "bytes", PL_VALUE_COUNT, 0},
    {"process_minor_faults", "process minor faults", "", PL_VALUE_COUNT, 0},
    {"process_major_faults", "process major faults", "", PL_VALUE_COUNT, 0},
};
enum { SYSTEM_COLUMNS = 11 };

const struct pl_column *pl_os_watch_columns(uint64_t pid, size_t *count)
{
    *count = pid ? PL_COUNT_OF(watch_columns) : SYSTEM_COLUMNS;
    return watch_columns;
}

static enum pl_err sample_process(uint64_t pid, struct pl_value *values, struct pl_error *err)
{
    char path[64], text[1024];
    uint64_t resident = 0, swapped = 0, minor, major;
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/stat", pid);
    const char *rest = kernel_file_read(path, text, sizeof text) ? strrchr(text, ')') : NULL;
    if (!rest || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64, &minor, &major) != 2)
        return pl_fail(err, PL_ERR_INPUT, "there is no process %" PRIu64, pid);
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/status", pid);
    number_of(path, "VmRSS", &resident);
    number_of(path, "VmSwap", &swapped);
    values[0] = pl_value_count(resident * PL_KIB);
    values[1] = pl_value_count(swapped * PL_KIB);
    values[2] = pl_value_count(minor);
    values[3] = pl_value_count(major);
    return PL_OK;
}

enum pl_err pl_os_watch_sample(uint64_t pid, struct pl_value *values, struct pl_error *err)
{
    struct pl_os_store store;
    bool stored = pl_os_store(&store);
    const struct pl_value none = {PL_VALUE_NONE, {0}};
    values[0] = pl_value_count(meminfo_bytes("MemAvailable"));
    values[1] = pl_value_count(meminfo_bytes("MemFree"));
    values[2] = pl_value_count(meminfo_bytes("AnonPages"));
    values[3] = pl_value_count(meminfo_bytes("Cached"));
    values[4] = pl_value_count(vmstat("pgfault"));
    values[5] = pl_value_count(vmstat("pgmajfault"));
    values[6] = pl_value_count(vmstat("pswpin"));
    values[7] = pl_value_count(vmstat("pswpout"));
    values[8] = stored ? pl_value_count(store.pages) : none;
    values[9] = stored ? pl_value_count(store.bytes) : none;
    values[10] = stored ? pl_value_count(store.used_bytes) : none;
    return pid ? sample_process(pid, values + SYSTEM_COLUMNS, err) : PL_OK;
}

/* --- purging ---------------------------------------------------------------------------------------------- */
const struct pl_os_purge pl_os_purges[] = {
    {"pagecache", "clean pages of files leave memory (what standby is on Windows); dirty ones are not written"},
    {"slab", "the kernel's caches of names and inodes"},
    {"compact", "free memory is moved together, so that large blocks can be had"},
    {NULL, NULL},
};

static enum pl_err tell_kernel(const char *path, const char *word, struct pl_error *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && write(fd, word, strlen(word)) == (ssize_t)strlen(word);
    int failure = errno;
    if (fd >= 0)
        close(fd);
    if (done)
        return PL_OK;
    if (failure == EACCES || failure == EPERM || failure == EROFS)
        return pl_fail(err, PL_ERR_RESOURCE, "purging takes root, and a kernel that lets it (%s: %s)", path,
                       strerror(failure));
    return pl_fail(err, PL_ERR_RESOURCE, "this kernel does not offer it (%s: %s)", path, strerror(failure));
}

enum pl_err pl_os_purge(const char *name, struct pl_error *err)
{
    if (!strcmp(name, "compact"))
        return tell_kernel("/proc/sys/vm/compact_memory", "1", err);
    return tell_kernel("/proc/sys/vm/drop_caches", !strcmp(name, "slab") ? "2" : "1", err);
}

enum pl_err pl_os_purge_state(const char *name, uint64_t *available_bytes, uint64_t *list_bytes, struct pl_error *err)
{
    *available_bytes = meminfo_bytes("MemFree");
    if (!strcmp(name, "pagecache"))
        *list_bytes = meminfo_bytes("Active(file)") + meminfo_bytes("Inactive(file)");
    else
        *list_bytes = !strcmp(name, "slab") ? meminfo_bytes("SReclaimable") : meminfo_bytes("MemFree");
    return PL_OK;
}

/* Linux zeroes in the thread that faults; who works behind the scenes is kswapd, which reclaims. */
bool pl_os_zeroing_ns(uint64_t *ns, const char **name)
{
    *ns = 0;
    *name = "none: Linux zeroes in the thread that touches";
    return true;
}
