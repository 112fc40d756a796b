/* capture/linux/os_facts.c: facts about this machine, and the state of its compressed store. */
#include "config.h"

#include "capture/linux/own_zram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

/* --- the store ----------------------------------------------------------------------- */
/* The zram device with the highest priority among those swapped to, or our own; -1: none. */
static int store_number(void)
{
    int number = own_zram_number(), best = -32768;
    if (number >= 0)
        return number;
    FILE *swaps = fopen("/proc/swaps", "r");
    char line[512];
    while (swaps && fgets(line, sizeof line, swaps)) {
        int device, priority;
        if (sscanf(line, "/dev/zram%d %*s %*s %*s %d", &device, &priority) == 2 && priority > best) {
            number = device;
            best = priority;
        }
    }
    if (swaps)
        fclose(swaps);
    return number;
}

bool pl_os_store(struct pl_os_store *out)
{
    int number = store_number();
    char path[64], text[512];
    unsigned long long original, compressed, used, limit, most, same, compacted, huge = 0;
    if (number < 0)
        return false;
    snprintf(path, sizeof path, "/sys/block/zram%d/mm_stat", number);
    if (!kernel_file_read(path, text, sizeof text) ||
        sscanf(text, "%llu %llu %llu %llu %llu %llu %llu %llu", &original, &compressed, &used, &limit, &most, &same,
               &compacted, &huge) < 7)
        return false;
    *out = (struct pl_os_store){
        .pages = original / pl_os_page_size(),
        .bytes = compressed,
        .used_bytes = used,
        .same_pages = same,
        .huge_pages = huge,
        .unique_bytes = UINT64_MAX,
    };
    snprintf(out->name, sizeof out->name, "zram%d", number);
    return true;
}

/* --- facts ------------------------------------------------------------------------------- */
static void cpu_name(char *out, size_t size)
{
    FILE *cpuinfo = fopen("/proc/cpuinfo", "r");
    char line[256];
    snprintf(out, size, "unknown");
    while (cpuinfo && fgets(line, sizeof line, cpuinfo)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        snprintf(out, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (cpuinfo)
        fclose(cpuinfo);
}

/* The word in brackets: what is chosen of a list such as "lzo [lz4]". */
static void chosen(const char *path, char *out, size_t size)
{
    char text[256];
    snprintf(out, size, "unknown");
    if (!kernel_file_read(path, text, sizeof text))
        return;
    const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
    if (close)
        snprintf(out, size, "%.*s", (int)(close - open - 1), open + 1);
}

/* "zram lz4 1073741824 bytes, priority 32767", or the first device of another kind, or "none". */
static void describe_swap(char *out, size_t size)
{
    int number = store_number();
    if (number >= 0) {
        char path[64], codec[32], bytes[32];
        snprintf(path, sizeof path, "/sys/block/zram%d/comp_algorithm", number);
        chosen(path, codec, sizeof codec);
        snprintf(path, sizeof path, "/sys/block/zram%d/disksize", number);
        if (!kernel_file_read(path, bytes, sizeof bytes))
            snprintf(bytes, sizeof bytes, "unknown");
        snprintf(out, size, "zram %s, %s bytes", codec, bytes);
        return;
    }
    FILE *swaps = fopen("/proc/swaps", "r");
    char line[512], name[256];
    snprintf(out, size, "none");
    if (swaps && fgets(line, sizeof line, swaps) && fgets(line, sizeof line, swaps) && sscanf(line, "%255s", name) == 1)
        snprintf(out, size, "%s", name);
    if (swaps)
        fclose(swaps);
}

static void number_fact(pl_os_fact_fn *fact, void *user, const char *key, const char *path)
{
    char text[64];
    uint64_t number;
    if (kernel_file_read(path, text, sizeof text) && pl_parse_u64(text, &number))
        fact(user, key, "", pl_value_count(number));
}

void pl_os_facts(pl_os_fact_fn *fact, void *user)
{
    char text[256];
    struct utsname name;
    struct sysinfo memory;
    cpu_name(text, sizeof text);
    fact(user, "cpu", "", pl_value_text(text));
    fact(user, "cpus", "", pl_value_count((uint64_t)sysconf(_SC_NPROCESSORS_ONLN)));
    if (sysinfo(&memory) == 0)
        fact(user, "memory_bytes", "bytes", pl_value_count((uint64_t)memory.totalram * memory.mem_unit));
    if (uname(&name) == 0) {
        snprintf(text, sizeof text, "%s %s %s", name.sysname, name.release, name.machine);
        fact(user, "os", "", pl_value_text(text));
    }
    describe_swap(text, sizeof text);
    fact(user, "swap", "", pl_value_text(text));
    number_fact(fact, user, "page_cluster", "/proc/sys/vm/page-cluster");
    number_fact(fact, user, "swappiness", "/proc/sys/vm/swappiness");
    chosen("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text);
    fact(user, "transparent_huge_pages", "", pl_value_text(text));
}

char *pl_os_full_path(const char *path)
{
    return realpath(path, NULL);
}
