/* sim/machine.h: every parameter of a simulated machine.
 *
 * A machine file (models/NAME.json) names a value, its unit and where it is from; what it leaves out has the default of
 * the tables in machine.c, which also hold the help. A machine holds costs and sizes; what is done on it is the trace's. */
#ifndef PL_SIM_MACHINE_H
#define PL_SIM_MACHINE_H

#include "base/parameter.h"
#include "codec/codec.h"
#include "device/device.h"
#include "device/lock.h"
#include "mm/memory.h"
#include "store/store.h"

#define PL_UNLIMITED UINT64_MAX

enum pl_first_touch {
    PL_FIRST_TOUCH_ZERO, /* demand-zero: reads nothing, dirties the page */
    PL_FIRST_TOUCH_DISK, /* the memsim rule: pages are on disk from the beginning */
};

enum pl_store_accounting {
    PL_CHARGE_EVERY, /* each compression and each decompression takes its time */
    PL_CHARGE_1996,  /* decompression time for every fault that is no first touch, compression time for every page-out that
                        was written since it came in, and nothing else */
};

enum pl_store_takes {
    PL_STORE_TAKES_ALL,   /* whatever leaves */
    PL_STORE_TAKES_DIRTY, /* what would have to be written; clean pages with a copy on disk are dropped */
};

enum pl_store_full {
    PL_STORE_WRITES_OLDEST, /* the pages stored longest ago go to the disk */
    PL_STORE_REJECTS,       /* the newcomer goes to the disk */
};

enum pl_zero_take {
    PL_ZERO_TAKES_PAGES, /* zero_batch of them, or what is left */
    PL_ZERO_TAKES_HALF,  /* half of what is left, but at least zero_batch */
};

enum pl_order {
    PL_ORDER_THREADS, /* each thread by its own clock */
    PL_ORDER_TRACE,   /* one after the other, as in the trace */
};

enum pl_pace {
    PL_PACE_CLOSED,       /* a thread goes on as soon as it can */
    PL_PACE_TRACE,        /* not before the trace's times */
    PL_PACE_INSTRUCTIONS, /* time between touches by instructions executed */
};

struct pl_machine {
    /* memory */
    uint64_t page_bytes;
    uint64_t total_bytes; /* need not be whole pages */
    uint64_t total_pages, kernel_pages, bad_pages, resident_pages;
    bool lists, drop_zeros;
    int first_touch; /* enum pl_first_touch */
    uint64_t commit_limit_pages;
    uint64_t page_table_entries, ws_list_entries;

    /* working sets */
    const char *policy_name;
    const struct pl_replacement_ops *policy;
    int scope; /* 1: global */
    uint64_t ws_minimum, ws_maximum;
    bool hard_maximum;
    uint64_t grow_above, low_pages, target_pages;
    pl_time_ps manager_period, combine_period;
    double aging_share;
    uint64_t examine, priority, section_priority;
    double kin_share, kout_share;

    /* the modified writer */
    uint64_t writer_above, writer_below, writer_cluster;
    pl_time_ps writer_age, file_hold;

    /* zeroing threads */
    uint64_t zero_threads, zero_above, zero_batch;
    int zero_take; /* enum pl_zero_take */
    pl_time_ps zero_period;
    double zero_bandwidth; /* bytes a second; 0: no limit */
    struct pl_lock_params zero_lock;

    /* the store */
    bool has_store;
    const char *space_name, *codec_name;
    const struct pl_space_ops *space;
    const struct pl_codec_ops *codec;
    double ratio;
    uint64_t codec_level;
    uint64_t store_max_pages, store_max_bytes;
    int dedup, same_filled;
    int accounting, takes, when_full;
    bool exclusive, touch_cancels, in_memory, compacts;
    uint64_t workers, store_queue;
    double write_above, write_to;
    uint64_t chunk_bytes, region_bytes, chain_pages;
    uint64_t sample; /* one page in so many is compressed */
    const char *content_name;
    int content; /* enum pl_content_kind */
    double extra_writes;

    /* costs */
    pl_time_ps read_cost, write_cost, execute_cost, access_cost, far_page_cost, instruction_cost;
    pl_time_ps demand_zero_cost, transition_cost, store_fault_cost, hard_fault_cost, copy_cost, guard_cost;
    pl_time_ps zero_cost, zero_lock_cost, zero_link_cost, same_cost, evict_cost, scan_cost;
    pl_time_ps compress_cost, compress_raw_cost, compress_sequence_cost, compact_cost;
    pl_time_ps decompress_cost, decompress_raw_cost, decompress_sequence_cost;

    /* the disk */
    struct pl_device_params disk;
    uint64_t file_pages; /* 0: there is no page file */
    uint64_t read_cluster;
    bool write_waits;

    /* processors and the run */
    uint64_t cpus;
    pl_time_ps quantum, lookahead;
    double crowding;
    uint64_t window;
    int order, pace;
    uint64_t seed;
};

/* A machine's parameters at their defaults, to be read and overridden; everything lives in `arena`. */
enum pl_err pl_machine_parameters(struct pl_arena *arena, struct pl_parameters **out, struct pl_error *err);
/* Converts, looks names up and checks what must fit together. */
enum pl_err pl_machine_finish(struct pl_parameters *parameters, struct pl_machine *out, struct pl_error *err);
/* Why the value at `path` counts for nothing on this machine: what it needs ("store.codec = constant"). NULL: it may count. */
const char *pl_machine_needs(const struct pl_machine *machine, const char *path);

/* Frames for working sets when there are no lists: what memory.resident says, else what the store leaves. */
uint64_t pl_machine_resident(const struct pl_machine *machine);
/* Pages that the store may hold: store.max_pages; in the accounting of 1996 what store.max_bytes holds at the ratio. */
uint64_t pl_machine_store_pages(const struct pl_machine *machine);
/* The same machine without its store and with all memory for working sets: what a run is compared with. */
struct pl_machine pl_machine_without_store(const struct pl_machine *machine);

#endif
