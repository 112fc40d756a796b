/* sim/machine_table.c: the parameters of a machine, as data: path, kind, field, unit, default, range, help. */
#include "sim/machine_table.h"

#include "sim/machine.h"

static const char *const first_touch_names[] = {"demand-zero", "disk", NULL};
static const char *const scope_names[] = {"process", "global", NULL};
static const char *const dedup_names[] = {"none", "hash128", "hash32", NULL};
static const char *const same_names[] = {"none", "zero", "word", NULL};
static const char *const accounting_names[] = {"every", "1996", NULL};
static const char *const takes_names[] = {"all", "dirty", NULL};
static const char *const full_names[] = {"write-oldest", "reject", NULL};
static const char *const take_names[] = {"pages", "half", NULL};
static const char *const order_names[] = {"threads", "trace", NULL};
static const char *const pace_names[] = {"closed", "trace", "instructions", NULL};

static const struct pl_parameter memory_rows[] = {
    {"page_size", PL_PARAM_BYTES, offsetof(struct pl_machine, page_bytes), "KiB", "4KiB", "512B", "64KiB",
     "size of a page"},
    {"total", PL_PARAM_BYTES, offsetof(struct pl_machine, total_bytes), "MiB", "16GiB", "1p", "8TiB",
     "physical memory (m in the model of 1996)"},
    {"kernel", PL_PARAM_PAGES, offsetof(struct pl_machine, kernel_pages), "pages", "0", NULL, NULL,
     "of it, taken by the system itself from the beginning"},
    {"bad", PL_PARAM_PAGES, offsetof(struct pl_machine, bad_pages), "pages", "0", NULL, NULL,
     "with lists: of it, out of order: on the bad list from the beginning"},
    {"resident", PL_PARAM_PAGES, offsetof(struct pl_machine, resident_pages), "pages", "unlimited", "1p", "8TiB",
     "without lists: frames for working sets; unlimited: what the store leaves of the total", NULL, "unlimited"},
    {"lists", PL_PARAM_FLAG, offsetof(struct pl_machine, lists), NULL, "true", NULL, NULL,
     "standby and modified lists; false: what leaves a working set leaves memory at once"},
    {"first_touch", PL_PARAM_CHOICE, offsetof(struct pl_machine, first_touch), NULL, "demand-zero", NULL, NULL,
     "what a first touch does: demand-zero reads nothing and dirties the page; disk reads it and leaves it clean",
     first_touch_names},
    {"drop_zeros", PL_PARAM_FLAG, offsetof(struct pl_machine, drop_zeros), NULL, "true", NULL, NULL,
     "a page that holds zeros is not written: it becomes demand-zero again; false: it goes the way of all pages"},
    {"combine_period", PL_PARAM_TIME, offsetof(struct pl_machine, combine_period), "s", "never", "1us", NULL,
     "with lists: how often pages of equal content become one, as far as the trace says what they hold", NULL, "never"},
    {"commit_limit", PL_PARAM_PAGES, offsetof(struct pl_machine, commit_limit_pages), "pages", "0", NULL, NULL,
     "commit charge at which allocations fail; 0: none"},
    {"page_table_entries", PL_PARAM_COUNT, offsetof(struct pl_machine, page_table_entries), NULL, "0", NULL, "65536",
     "pages that one page-table page maps; 0: page tables cost nothing"},
    {"ws_list_entries", PL_PARAM_COUNT, offsetof(struct pl_machine, ws_list_entries), NULL, "0", NULL, "65536",
     "working-set entries in one page of the working-set list; 0: they cost nothing"},
    {NULL},
};

static const struct pl_parameter working_set_rows[] = {
    {"policy", PL_PARAM_TEXT, offsetof(struct pl_machine, policy_name), NULL, "lru", NULL, NULL,
     "which page leaves next: lru, aging, fifo, clock, random, twoq, opt"},
    {"scope", PL_PARAM_CHOICE, offsetof(struct pl_machine, scope), NULL, "process", NULL, NULL,
     "replacement within each process, or over all pages (global)", scope_names},
    {"minimum", PL_PARAM_PAGES, offsetof(struct pl_machine, ws_minimum), "pages", "0", NULL, NULL,
     "below this a working set is not trimmed"},
    {"maximum", PL_PARAM_PAGES, offsetof(struct pl_machine, ws_maximum), "pages", "0", NULL, NULL,
     "largest working set; 0: none"},
    {"hard_maximum", PL_PARAM_FLAG, offsetof(struct pl_machine, hard_maximum), NULL, "false", NULL, NULL,
     "a working set at its maximum replaces its own pages even when memory is there"},
    {"grow_above", PL_PARAM_PAGES, offsetof(struct pl_machine, grow_above), "pages", "0", NULL, NULL,
     "a working set grows beyond its maximum while more than this is available"},
    {"trim_below", PL_PARAM_PAGES, offsetof(struct pl_machine, low_pages), "pages", "0", NULL, NULL,
     "the manager trims when less than this is available"},
    {"trim_until", PL_PARAM_PAGES, offsetof(struct pl_machine, target_pages), "pages", "0", NULL, NULL,
     "until this is available"},
    {"manager_period", PL_PARAM_TIME, offsetof(struct pl_machine, manager_period), "ms", "1s", "1us", NULL,
     "how often the working-set manager runs, with lists", NULL, "never"},
    {"aging_share", PL_PARAM_REAL, offsetof(struct pl_machine, aging_share), NULL, "0.25", "0", "1",
     "of each working set that one run of the manager looks at for accessed bits"},
    {"priority", PL_PARAM_COUNT, offsetof(struct pl_machine, priority), NULL, "5", NULL, "7",
     "with lists: page priority of processes, the standby list of their pages; the lowest is taken first"},
    {"section_priority", PL_PARAM_COUNT, offsetof(struct pl_machine, section_priority), NULL, "5", NULL, "7",
     "with lists: page priority of pages in sections and of combined pages"},
    {"examine", PL_PARAM_COUNT, offsetof(struct pl_machine, examine), NULL, "16", "1", "1M",
     "policy aging: entries that a search for one victim looks at"},
    {"kin_share", PL_PARAM_REAL, offsetof(struct pl_machine, kin_share), NULL, "0.25", "0.001", "1",
     "policy twoq: of the pages, the queue of new ones"},
    {"kout_share", PL_PARAM_REAL, offsetof(struct pl_machine, kout_share), NULL, "0.5", "0.001", "1",
     "policy twoq: of the pages, how many that left the queue are remembered"},
    {NULL},
};

static const struct pl_parameter writer_rows[] = {
    {"modified_above", PL_PARAM_PAGES, offsetof(struct pl_machine, writer_above), "pages", "0", NULL, NULL,
     "the modified writer works while the modified list is longer", NULL, "unlimited"},
    {"available_below", PL_PARAM_PAGES, offsetof(struct pl_machine, writer_below), "pages", "0", NULL, NULL,
     "and while less than this is available"},
    {"cluster", PL_PARAM_COUNT, offsetof(struct pl_machine, writer_cluster), "pages", "8", "1", "1024",
     "pages that it takes and writes together"},
    {"file_hold", PL_PARAM_TIME, offsetof(struct pl_machine, file_hold), "s", "0", NULL, NULL,
     "modified pages of mapped files wait on the modified-no-write list, and are released each time this has passed, as a "
     "file system does around its log, or when memory is short; 0: they do not wait"},
    {"age", PL_PARAM_TIME, offsetof(struct pl_machine, writer_age), "s", "never", "1us", NULL,
     "how often it writes all modified pages regardless", NULL, "never"},
    {NULL},
};

static const struct pl_parameter zero_rows[] = {
    {"threads", PL_PARAM_COUNT, offsetof(struct pl_machine, zero_threads), NULL, "0", NULL, "256",
     "threads that zero free pages; 0: pages are zeroed when they are needed"},
    {"free_above", PL_PARAM_PAGES, offsetof(struct pl_machine, zero_above), "pages", "7p", NULL, NULL,
     "they work while more pages than this are free"},
    {"batch", PL_PARAM_COUNT, offsetof(struct pl_machine, zero_batch), "pages", "1", "1", "1M",
     "pages that a thread takes at once, under the lock"},
    {"period", PL_PARAM_TIME, offsetof(struct pl_machine, zero_period), "s", "2s", "1us", NULL,
     "how often they look", NULL, NULL},
    {"take", PL_PARAM_CHOICE, offsetof(struct pl_machine, zero_take), NULL, "pages", NULL, NULL,
     "what a thread takes at once: the batch, or half of what is left (but not less than the batch)", take_names},
    {"bandwidth", PL_PARAM_RATE, offsetof(struct pl_machine, zero_bandwidth), "GiB/s", "0", NULL, NULL,
     "of memory, for all threads that zero at the same time; 0: no limit"},
    {NULL},
};

static const struct pl_parameter store_rows[] = {
    {"enabled", PL_PARAM_FLAG, offsetof(struct pl_machine, has_store), NULL, "false", NULL, NULL,
     "whether there is a compressed store"},
    {"codec", PL_PARAM_TEXT, offsetof(struct pl_machine, codec_name), NULL, "constant", NULL, NULL,
     "what compresses: constant (a ratio), xpress, wkdm, lz4, lzo, zstd, raw"},
    {"ratio", PL_PARAM_REAL, offsetof(struct pl_machine, ratio), NULL, "1.6", "1", "1000",
     "codec constant: original over compressed size (r in the model of 1996)"},
    {"codec_level", PL_PARAM_COUNT, offsetof(struct pl_machine, codec_level), NULL, "0", NULL, "100",
     "effort of the codec; 0: its own choice"},
    {"space", PL_PARAM_TEXT, offsetof(struct pl_machine, space_name), NULL, "ideal", NULL, NULL,
     "how memory is laid out: ideal, regions, zsmalloc, zbud, z3fold"},
    {"region_bytes", PL_PARAM_BYTES, offsetof(struct pl_machine, region_bytes), "KiB", "128KiB", "4KiB", "16MiB",
     "space regions: size of a region"},
    {"chunk_bytes", PL_PARAM_BYTES, offsetof(struct pl_machine, chunk_bytes), "B", "16B", "1B", "4KiB",
     "space regions: grain"},
    {"chain_pages", PL_PARAM_COUNT, offsetof(struct pl_machine, chain_pages), NULL, "8", "1", "16",
     "space zsmalloc: most pages linked for a class"},
    {"max_pages", PL_PARAM_PAGES, offsetof(struct pl_machine, store_max_pages), "pages", "unlimited", NULL, NULL,
     "stored pages, uncompressed (zram: disksize)", NULL, "unlimited"},
    {"max_bytes", PL_PARAM_BYTES, offsetof(struct pl_machine, store_max_bytes), "MiB", "unlimited", NULL, NULL,
     "memory that the store takes (zram: mem_limit; d in the model of 1996)", NULL, "unlimited"},
    {"dedup", PL_PARAM_CHOICE, offsetof(struct pl_machine, dedup), NULL, "none", NULL, NULL,
     "whether equal pages are kept once, and by which hash they are found", dedup_names},
    {"same_filled", PL_PARAM_CHOICE, offsetof(struct pl_machine, same_filled), NULL, "none", NULL, NULL,
     "pages that take no space: of zeros, or of any repeated word", same_names},
    {"takes", PL_PARAM_CHOICE, offsetof(struct pl_machine, takes), NULL, "all", NULL, NULL,
     "what is compressed: all pages that leave, or only those that would have to be written", takes_names},
    {"when_full", PL_PARAM_CHOICE, offsetof(struct pl_machine, when_full), NULL, "write-oldest", NULL, NULL,
     "a page for which there is no room: the oldest ones are written out, or the new one is rejected", full_names},
    {"exclusive", PL_PARAM_FLAG, offsetof(struct pl_machine, exclusive), NULL, "true", NULL, NULL,
     "a page that is read back leaves the store; false: its copy stays until it is written"},
    {"accounting", PL_PARAM_CHOICE, offsetof(struct pl_machine, accounting), NULL, "every", NULL, NULL,
     "what pays: every compression and decompression; or as in the model of 1996 (without lists)", accounting_names},
    {"in_memory", PL_PARAM_FLAG, offsetof(struct pl_machine, in_memory), NULL, "true", NULL, NULL,
     "with lists: the store's memory comes out of the same frames"},
    {"compacts", PL_PARAM_FLAG, offsetof(struct pl_machine, compacts), NULL, "true", NULL, NULL,
     "when there is no memory for a page and at least a quarter of the store's is holes, what it keeps is moved together; "
     "false: a region or page comes back when its last object goes"},
    {"workers", PL_PARAM_COUNT, offsetof(struct pl_machine, workers), NULL, "1", "1", "256",
     "with lists: threads that compress"},
    {"queue", PL_PARAM_COUNT, offsetof(struct pl_machine, store_queue), "pages", "64", "1", "1M",
     "with lists: pages waiting for a worker at most"},
    {"touch_cancels", PL_PARAM_FLAG, offsetof(struct pl_machine, touch_cancels), NULL, "true", NULL, NULL,
     "with lists: a touch takes a page back from a worker; false: it waits for the worker"},
    {"write_above", PL_PARAM_REAL, offsetof(struct pl_machine, write_above), NULL, "1", "0", "1",
     "with lists: share of the limits from which on the oldest stored pages are written out"},
    {"write_to", PL_PARAM_REAL, offsetof(struct pl_machine, write_to), NULL, "1", "0", "1", "down to this share"},
    {"content", PL_PARAM_TEXT, offsetof(struct pl_machine, content_name), NULL, "text", NULL, NULL,
     "content of pages of which the trace says nothing: zeros, index, rand, text, hash, same, mixed"},
    {"sample", PL_PARAM_COUNT, offsetof(struct pl_machine, sample), NULL, "1", "1", "1M",
     "one page in so many of a content is compressed, to save the time of it here; the others are hashed, and are as large "
     "as the last one that was"},
    {"extra_writes", PL_PARAM_REAL, offsetof(struct pl_machine, extra_writes), NULL, "0", "0", "1000",
     "without lists: additional disk accesses for each page written out of the store (frac in the model of 1996)"},
    {NULL},
};

static const struct pl_parameter cost_rows[] = {
    {"read", PL_PARAM_TIME, offsetof(struct pl_machine, read_cost), "ns", "1ns", NULL, NULL, "a read of a resident page"},
    {"write", PL_PARAM_TIME, offsetof(struct pl_machine, write_cost), "ns", "1ns", NULL, NULL,
     "a write to a resident page"},
    {"execute", PL_PARAM_TIME, offsetof(struct pl_machine, execute_cost), "ns", "1ns", NULL, NULL,
     "an instruction fetch from a resident page"},
    {"access", PL_PARAM_TIME, offsetof(struct pl_machine, access_cost), "ns", "0", NULL, NULL,
     "each further access to the same page, where a touch of the trace stands for several"},
    {"far_page", PL_PARAM_TIME, offsetof(struct pl_machine, far_page_cost), "ns", "0", NULL, NULL,
     "where a touch stands for several accesses, a resident page that is no neighbour of the one before: its translation "
     "and its lines have not been fetched ahead"},
    {"instruction", PL_PARAM_TIME, offsetof(struct pl_machine, instruction_cost), "ns", "300ps", NULL, NULL,
     "an instruction between touches, for run.pace = instructions"},
    {"demand_zero_fault", PL_PARAM_TIME, offsetof(struct pl_machine, demand_zero_cost), "us", "500ns", NULL, NULL,
     "a demand-zero fault, zeroing apart"},
    {"transition_fault", PL_PARAM_TIME, offsetof(struct pl_machine, transition_cost), "us", "500ns", NULL, NULL,
     "a fault on a page that is still in memory"},
    {"store_fault", PL_PARAM_TIME, offsetof(struct pl_machine, store_fault_cost), "us", "1us", NULL, NULL,
     "a fault on a page in the store, decompression apart"},
    {"hard_fault", PL_PARAM_TIME, offsetof(struct pl_machine, hard_fault_cost), "us", "5us", NULL, NULL,
     "a fault on a page on disk, the disk apart"},
    {"copy_on_write_fault", PL_PARAM_TIME, offsetof(struct pl_machine, copy_cost), "us", "1us", NULL, NULL,
     "a copy-on-write fault with its copy"},
    {"guard_fault", PL_PARAM_TIME, offsetof(struct pl_machine, guard_cost), "us", "1us", NULL, NULL, "a guard-page fault"},
    {"zero_page", PL_PARAM_TIME, offsetof(struct pl_machine, zero_cost), "us", "100ns", NULL, NULL, "zeroing a page"},
    {"zero_lock", PL_PARAM_TIME, offsetof(struct pl_machine, zero_lock_cost), "us", "0", NULL, NULL,
     "what a zeroing thread holds the lock of the page lists for, each time: once to take pages, once to put them back"},
    {"zero_link", PL_PARAM_TIME, offsetof(struct pl_machine, zero_link_cost), "us", "0", NULL, NULL,
     "and for each page that it moves under the lock"},
    {"compress", PL_PARAM_TIME, offsetof(struct pl_machine, compress_cost), "us", "10us", NULL, NULL,
     "compressing a page"},
    {"compress_raw", PL_PARAM_TIME, offsetof(struct pl_machine, compress_raw_cost), "us", "0", NULL, NULL,
     "compressing a page that does not shrink and is kept raw; 0: as any other"},
    {"compress_sequence", PL_PARAM_TIME, offsetof(struct pl_machine, compress_sequence_cost), "ns", "0", NULL, NULL,
     "codec lz4: and for each sequence (literals and a match) that a page becomes"},
    {"compact_page", PL_PARAM_TIME, offsetof(struct pl_machine, compact_cost), "us", "400ns", NULL, NULL,
     "moving a page's size of compressed data within the store"},
    {"decompress", PL_PARAM_TIME, offsetof(struct pl_machine, decompress_cost), "us", "5us", NULL, NULL,
     "decompressing a page"},
    {"decompress_raw", PL_PARAM_TIME, offsetof(struct pl_machine, decompress_raw_cost), "us", "0", NULL, NULL,
     "copying a page that is kept raw; 0: as any other"},
    {"decompress_sequence", PL_PARAM_TIME, offsetof(struct pl_machine, decompress_sequence_cost), "ns", "0", NULL, NULL,
     "codec lz4: and for each sequence that a page is made of"},
    {"same_filled", PL_PARAM_TIME, offsetof(struct pl_machine, same_cost), "us", "200ns", NULL, NULL,
     "compressing or decompressing a page that the store finds same-filled"},
    {"evict", PL_PARAM_TIME, offsetof(struct pl_machine, evict_cost), "us", "0", NULL, NULL,
     "taking a page out of a working set to make room, and without lists in a trim"},
    {"scan_page", PL_PARAM_TIME, offsetof(struct pl_machine, scan_cost), "us", "10ns", NULL, NULL,
     "a page that the working-set manager looks at"},
    {NULL},
};

static const struct pl_parameter file_rows[] = {
    {"size", PL_PARAM_PAGES, offsetof(struct pl_machine, file_pages), "pages", "unlimited", NULL, NULL,
     "the page file on the disk; 0: there is none", NULL, "unlimited"},
    {"read_cluster", PL_PARAM_COUNT, offsetof(struct pl_machine, read_cluster), "pages", "1", "1", "256",
     "with lists: pages that a hard fault reads at once, neighbours in the page file"},
    {"write_waits", PL_PARAM_FLAG, offsetof(struct pl_machine, write_waits), NULL, "true", NULL, NULL,
     "without lists: whoever evicts a page waits until it is written"},
    {NULL},
};

static const struct pl_parameter run_rows[] = {
    {"order", PL_PARAM_CHOICE, offsetof(struct pl_machine, order), NULL, "threads", NULL, NULL,
     "threads of the trace run at the same time, each by its own clock; or one after the other, as in the trace",
     order_names},
    {"pace", PL_PARAM_CHOICE, offsetof(struct pl_machine, pace), NULL, "closed", NULL, NULL,
     "closed: a thread goes on as soon as it can; trace: not before the trace's times; instructions: by instructions "
     "executed between touches",
     pace_names},
    {"lookahead", PL_PARAM_TIME, offsetof(struct pl_machine, lookahead), "us", "10us", NULL, NULL,
     "how far a thread's resident touches may run ahead of the others"},
    {"window", PL_PARAM_COUNT, offsetof(struct pl_machine, window), "touches", "4M", "1", "4G",
     "touches read ahead while threads wait for their turn"},
    {"cpus", PL_PARAM_COUNT, offsetof(struct pl_machine, cpus), NULL, "0", NULL, "4096",
     "processors; 0: one for everybody"},
    {"quantum", PL_PARAM_TIME, offsetof(struct pl_machine, quantum), "ms", "20ms", "1us", NULL,
     "how long a thread keeps a processor that others wait for"},
    {"crowding", PL_PARAM_REAL, offsetof(struct pl_machine, crowding), NULL, "0", "0", "10",
     "what each further thread of the trace that runs adds to the times of all, as a share: they share caches, memory "
     "and, as hyperthreads, a core"},
    {"seed", PL_PARAM_COUNT, offsetof(struct pl_machine, seed), NULL, "1", NULL, NULL, "of all random numbers"},
    {NULL},
};

static const struct pl_parameter_group own_groups[] = {
    {"memory", memory_rows, 0}, {"working_set", working_set_rows, 0}, {"writer", writer_rows, 0},
    {"zero", zero_rows, 0},     {"zero_lock", pl_lock_parameters, offsetof(struct pl_machine, zero_lock)},
    {"store", store_rows, 0},   {"cost", cost_rows, 0},               {"page_file", file_rows, 0},
    {"run", run_rows, 0},
};

const struct pl_parameter_group *pl_machine_groups(struct pl_arena *arena)
{
    size_t own = PL_COUNT_OF(own_groups);
    struct pl_parameter_group *groups = pl_arena_alloc(arena, own + PL_DEVICE_GROUPS + 1, sizeof *groups);
    if (!groups)
        return NULL;
    for (size_t i = 0; i < own; i++)
        groups[i] = own_groups[i];
    pl_device_parameter_groups("disk", offsetof(struct pl_machine, disk), groups + own);
    return groups;
}
