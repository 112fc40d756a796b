/* sim/machine_scope.c: which parameters count for nothing on a machine, and what would make them count.
 *
 * Assumes a machine that pl_machine_finish filled. Rows say what their value rests on; a path ends with a dot when it
 * stands for all rows of a group. What a trace does is not looked at: a disk that nothing reaches is in scope. */
#include "sim/machine.h"

#include <string.h>

static bool has_lists(const struct pl_machine *machine)
{
    return machine->lists;
}

static bool has_no_lists(const struct pl_machine *machine)
{
    return !machine->lists;
}

static bool has_store(const struct pl_machine *machine)
{
    return machine->has_store;
}

static bool has_constant_ratio(const struct pl_machine *machine)
{
    return !strcmp(machine->codec_name, "constant");
}

static bool has_real_codec(const struct pl_machine *machine)
{
    return !has_constant_ratio(machine);
}

static bool has_lz4(const struct pl_machine *machine)
{
    return !strcmp(machine->codec_name, "lz4");
}

static bool has_regions(const struct pl_machine *machine)
{
    return !strcmp(machine->space_name, "regions");
}

static bool has_zsmalloc(const struct pl_machine *machine)
{
    return !strcmp(machine->space_name, "zsmalloc");
}

static bool can_compact(const struct pl_machine *machine)
{
    return machine->has_store && machine->space->compact;
}

static bool is_aging(const struct pl_machine *machine)
{
    return !strcmp(machine->policy_name, "aging");
}

static bool is_twoq(const struct pl_machine *machine)
{
    return !strcmp(machine->policy_name, "twoq");
}

static bool has_zero_threads(const struct pl_machine *machine)
{
    return machine->zero_threads > 0;
}

static bool is_hdd(const struct pl_machine *machine)
{
    return !strcmp(pl_device_kind_name(&machine->disk), "hdd");
}

static bool is_ssd(const struct pl_machine *machine)
{
    return !strcmp(pl_device_kind_name(&machine->disk), "ssd");
}

static bool is_constant(const struct pl_machine *machine)
{
    return !strcmp(pl_device_kind_name(&machine->disk), "constant");
}

static bool is_ram(const struct pl_machine *machine)
{
    return !strcmp(pl_device_kind_name(&machine->disk), "ram");
}

static const struct {
    const char *path;
    bool (*counts)(const struct pl_machine *machine);
    const char *needs; /* what it counts under */
} scopes[] = {
    {"memory.resident", has_no_lists,
     "memory.lists = false (with lists working sets share memory.total, and "
     "working_set.maximum limits each)"},
    {"memory.bad", has_lists, "memory.lists = true"},
    {"memory.combine_period", has_lists, "memory.lists = true"},
    {"working_set.manager_period", has_lists, "memory.lists = true"},
    {"working_set.trim_below", has_lists, "memory.lists = true"},
    {"working_set.trim_until", has_lists, "memory.lists = true"},
    {"working_set.aging_share", has_lists, "memory.lists = true"},
    {"working_set.priority", has_lists, "memory.lists = true"},
    {"working_set.section_priority", has_lists, "memory.lists = true"},
    {"working_set.examine", is_aging, "working_set.policy = aging"},
    {"working_set.kin_share", is_twoq, "working_set.policy = twoq"},
    {"working_set.kout_share", is_twoq, "working_set.policy = twoq"},
    {"writer.", has_lists, "memory.lists = true"},
    {"zero.", has_lists, "memory.lists = true"},
    {"zero_lock.", has_zero_threads, "zero.threads of at least 1"},
    {"store.", has_store, "store.enabled = true"},
    {"store.ratio", has_constant_ratio,
     "store.codec = constant (any other codec compresses what store.content or the "
     "trace says)"},
    {"store.content", has_real_codec, "a store.codec that compresses content, not constant"},
    {"store.sample", has_real_codec, "a store.codec that compresses content, not constant"},
    {"store.region_bytes", has_regions, "store.space = regions"},
    {"store.chunk_bytes", has_regions, "store.space = regions"},
    {"store.chain_pages", has_zsmalloc, "store.space = zsmalloc"},
    {"store.compacts", can_compact, "store.space = regions or zsmalloc"},
    {"cost.compact_page", can_compact, "store.space = regions or zsmalloc"},
    {"store.in_memory", has_lists, "memory.lists = true"},
    {"store.workers", has_lists, "memory.lists = true"},
    {"store.queue", has_lists, "memory.lists = true"},
    {"store.touch_cancels", has_lists, "memory.lists = true"},
    {"store.write_above", has_lists, "memory.lists = true"},
    {"store.write_to", has_lists, "memory.lists = true"},
    {"store.extra_writes", has_no_lists, "memory.lists = false"},
    {"cost.store_fault", has_store, "store.enabled = true"},
    {"cost.compress", has_store, "store.enabled = true"},
    {"cost.compress_raw", has_store, "store.enabled = true"},
    {"cost.compress_sequence", has_lz4, "store.codec = lz4"},
    {"cost.decompress", has_store, "store.enabled = true"},
    {"cost.decompress_raw", has_store, "store.enabled = true"},
    {"cost.decompress_sequence", has_lz4, "store.codec = lz4"},
    {"cost.same_filled", has_store, "store.enabled = true"},
    {"page_file.read_cluster", has_lists, "memory.lists = true"},
    {"page_file.write_waits", has_no_lists, "memory.lists = false"},
    {"disk.hdd.", is_hdd, "disk.kind = hdd"},
    {"disk.ssd.", is_ssd, "disk.kind = ssd"},
    {"disk.constant.", is_constant, "disk.kind = constant"},
    {"disk.ram.", is_ram, "disk.kind = ram"},
};

static bool names(const char *scope, const char *path)
{
    size_t length = strlen(scope);
    return scope[length - 1] == '.' ? !strncmp(path, scope, length) : !strcmp(path, scope);
}

const char *pl_machine_needs(const struct pl_machine *machine, const char *path)
{
    if (!strcmp(path, "store.enabled"))
        return NULL;
    for (size_t i = 0; i < PL_COUNT_OF(scopes); i++)
        if (names(scopes[i].path, path) && !scopes[i].counts(machine))
            return scopes[i].needs;
    return NULL;
}
