/* tests/unit/sim_variations.c: for every parameter of a machine another value and what must change by it; what a run
 * reports, by name. */
#include "sim_variations.h"

#include <stdio.h>
#include <string.h>

/* --- figures ------------------------------------------------------------------------------- */

#define FIELD(name, field) {name, offsetof(struct pl_sim_result, field)}
#define FAULTS(name, kind) {"faults_" name, offsetof(struct pl_sim_result, all.faults) + (kind) * sizeof(uint64_t)}
#define TIME(name, part) {"time_" name, offsetof(struct pl_sim_result, all.time_ps) + (part) * sizeof(pl_time_ps)}
static const struct {
    const char *name;
    size_t offset; /* of 64 bits in a struct pl_sim_result */
} names[] = {
    FIELD("elapsed", elapsed_ps),
    FAULTS("demand_zero", PL_FAULT_DEMAND_ZERO),
    FAULTS("transition", PL_FAULT_TRANSITION),
    FAULTS("store", PL_FAULT_STORE),
    FAULTS("hard", PL_FAULT_HARD),
    FAULTS("copy_on_write", PL_FAULT_COPY_ON_WRITE),
    FAULTS("guard", PL_FAULT_GUARD),
    FIELD("collided", all.collided),
    TIME("run", PL_TIME_RUN),
    TIME("sleep", PL_TIME_SLEEP),
    TIME("fault", PL_TIME_FAULT),
    TIME("zero", PL_TIME_ZERO),
    TIME("compress", PL_TIME_COMPRESS),
    TIME("decompress", PL_TIME_DECOMPRESS),
    TIME("wait_cpu", PL_TIME_WAIT_CPU),
    TIME("wait_store", PL_TIME_WAIT_STORE),
    TIME("wait_page", PL_TIME_WAIT_PAGE),
    TIME("wait_disk", PL_TIME_WAIT_DISK),
    TIME("wait_memory", PL_TIME_WAIT_MEMORY),
    TIME("idle", PL_TIME_IDLE),
    FIELD("disk_reads", totals.disk_reads),
    FIELD("disk_writes", totals.disk_writes),
    FIELD("disk_read_requests", totals.disk_read_requests),
    FIELD("disk_write_requests", totals.disk_write_requests),
    FIELD("disk_bytes_written", totals.disk_bytes_written),
    FIELD("disk_busy", totals.disk_busy_ps),
    FIELD("store_hits", totals.store_hits),
    FIELD("store_puts", totals.store_puts),
    FIELD("store_refused", totals.store_refused),
    FIELD("store_written", totals.store_written),
    FIELD("compactions", totals.store_compactions),
    FIELD("compressions", totals.compressions),
    FIELD("decompressions", totals.decompressions),
    FIELD("evicted_clean", totals.evicted_clean),
    FIELD("evicted_dirty", totals.evicted_dirty),
    FIELD("manager_runs", totals.manager_runs),
    FIELD("manager_trimmed", totals.manager_trimmed),
    FIELD("manager_busy", totals.manager_busy_ps),
    FIELD("writer_runs", totals.writer_runs),
    FIELD("file_writer_runs", totals.file_writer_runs),
    FIELD("zeroed_ahead", totals.zeroed_ahead),
    FIELD("zero_busy", totals.zero_busy_ps),
    FIELD("zero_spin", totals.zero_spin_ps),
    FIELD("zero_acquisitions", totals.zero_acquisitions),
    FIELD("read_ahead", totals.read_ahead),
    FIELD("combined", totals.combined),
    FIELD("commit_failures", totals.commit_failures),
    FIELD("late_actors", totals.late_actors),
    FIELD("cpu_busy", totals.cpu_busy_ps),
    FIELD("worker_busy", totals.worker_busy_ps),
    FIELD("store_pages", store.pages),
    FIELD("same_filled", store.same_filled),
    FIELD("duplicates", store.duplicates),
    FIELD("store_raw", store.raw),
    FIELD("store_bytes", store.limited_bytes),
    FIELD("store_peak_bytes", store.peak_limited_bytes),
    FIELD("file_pages", end.file_pages),
    FIELD("commit_pages", end.commit_pages),
    FIELD("events", events),
};
enum { BAD_LIST = PL_COUNT_OF(names), STANDBY_5, STANDBY_6, FIGURES };

void figures_take(struct figures *figures, const struct pl_sim_result *result)
{
    for (size_t i = 0; i < PL_COUNT_OF(names); i++)
        memcpy(&figures->value[i], (const char *)result + names[i].offset, sizeof figures->value[i]);
    figures->value[BAD_LIST] = result->end.list[PL_LIST_BAD];
    figures->value[STANDBY_5] = result->end.list[PL_LIST_STANDBY + 5];
    figures->value[STANDBY_6] = result->end.list[PL_LIST_STANDBY + 6];
}

static const char *name_of(size_t i)
{
    static const char *const lists[] = {"list_bad", "list_standby_5", "list_standby_6"};
    return i < PL_COUNT_OF(names) ? names[i].name : lists[i - BAD_LIST];
}

int64_t figure_named(const struct figures *figures, const char *name)
{
    for (size_t i = 0; i < FIGURES; i++)
        if (!strcmp(name_of(i), name))
            return figures->value[i];
    fail_msg("there is no figure '%s'", name);
    return 0;
}

void figures_print_changes(const struct variation *v, const struct figures *before, const struct figures *after)
{
    print_message("# %s=%s", v->path, v->value);
    for (size_t i = 0; i < FIGURES; i++)
        if (after->value[i] != before->value[i])
            print_message(" %c%s", after->value[i] > before->value[i] ? '+' : '-', name_of(i));
    print_message("\n");
}

/* --- variations ---------------------------------------------------------------------------- */

/* A small store of regions in which holes come about. */
#define HOLES "store.space=regions store.region_bytes=8KiB store.max_pages=unlimited store.max_bytes=40KiB"

/* The effects are what a parameter is for, not what a run showed, except for working_set.kout_share, store.sample and
 * run.seed, of which no more can be said than that they matter. */
const struct variation variations[] = {
    {"memory.page_size", "8KiB", DIRECT, NULL, "+disk_bytes_written +store_bytes"},
    {"memory.total", "60p", LISTS, NULL, "+faults_hard +store_puts +faults_store"},
    {"memory.kernel", "20p", LISTS, NULL, "+faults_hard +store_puts"},
    {"memory.bad", "9p", LISTS, NULL, "+list_bad +faults_hard"},
    {"memory.resident", "24p", DIRECT, NULL, "-faults_hard -faults_store -evicted_dirty"},
    {"memory.lists", "true", DIRECT, NULL, "-evicted_dirty -time_compress"},
    {"memory.first_touch", "disk", DIRECT, NULL, "-faults_demand_zero +faults_hard +evicted_clean"},
    {"memory.drop_zeros", "false", LISTS, NULL, "-faults_demand_zero +store_puts"},
    {"memory.combine_period", "1ms", LISTS, NULL, "+combined +faults_copy_on_write"},
    {"memory.commit_limit", "30p", LISTS, NULL, "+commit_failures -commit_pages"},
    {"memory.page_table_entries", "16", LISTS, NULL, "+faults_demand_zero +commit_pages"},
    {"memory.ws_list_entries", "16", LISTS, NULL, "+faults_hard +evicted_dirty"},

    {"working_set.policy", "random", DIRECT, NULL, "+faults_hard +disk_reads"},
    {"working_set.scope", "global", LISTS, NULL, "-manager_busy +manager_trimmed"},
    {"working_set.minimum", "30p", LISTS, NULL, "+faults_hard"},
    {"working_set.maximum", "10p", LISTS, NULL, "+faults_transition -manager_trimmed"},
    {"working_set.hard_maximum", "true", LISTS, "working_set.maximum=10p", "+faults_transition -manager_trimmed"},
    {"working_set.grow_above", "40p", LISTS, "working_set.maximum=10p", "+faults_transition -manager_trimmed"},
    {"working_set.trim_below", "0", LISTS, NULL, "-manager_trimmed +time_wait_memory"},
    {"working_set.trim_until", "30p", LISTS, NULL, "+manager_trimmed +evicted_clean"},
    {"working_set.manager_period", "2ms", LISTS, NULL, "-manager_runs -manager_trimmed"},
    {"working_set.aging_share", "1", LISTS, NULL, "+manager_busy"},
    {"working_set.priority", "6", LISTS, NULL, "+list_standby_6 -list_standby_5"},
    {"working_set.section_priority", "6", LISTS, NULL, "+list_standby_6 -list_standby_5"},
    {"working_set.examine", "1", DIRECT, "working_set.policy=aging", "+faults_hard +disk_reads"},
    {"working_set.kin_share", "0.8", DIRECT, "working_set.policy=twoq", "+faults_hard"},
    {"working_set.kout_share", "0.1", DIRECT, "working_set.policy=twoq", "-time_compress +faults_hard"},

    {"writer.modified_above", "30p", LISTS, NULL, "-disk_writes -store_written"},
    {"writer.available_below", "30p", LISTS, "writer.modified_above=unlimited", "+writer_runs +disk_writes"},
    {"writer.cluster", "1", LISTS, "store.enabled=false", "+disk_write_requests"},
    {"writer.file_hold", "1ms", LISTS, NULL, "-file_writer_runs"},
    {"writer.age", "1ms", LISTS, "writer.modified_above=unlimited", "+writer_runs +disk_writes"},

    {"zero.threads", "0", LISTS, NULL, "-zeroed_ahead +time_zero"},
    {"zero.free_above", "50p", LISTS, NULL, "-zeroed_ahead +time_zero"},
    {"zero.batch", "8", LISTS, "zero.threads=3 run.cpus=0 cost.zero_lock=1us", "-zero_spin"},
    {"zero.period", "50us", LISTS, NULL, "+zeroed_ahead"},
    {"zero.take", "half", LISTS, "zero.threads=3 run.cpus=0 cost.zero_lock=1us", "-zero_spin -zero_acquisitions"},
    {"zero.bandwidth", "1GiB/s", LISTS, NULL, "+zero_busy"},

    {"zero_lock.kind", "sleep", LISTS, "zero.threads=3 run.cpus=0 cost.zero_lock=1us", "-zero_spin -zero_busy"},
    {"zero_lock.acquire", "1us", LISTS, NULL, "+zero_busy +zero_acquisitions"},
    {"zero_lock.hand_over", "5us", LISTS, "zero.threads=3 run.cpus=0 cost.zero_lock=1us", "+zero_spin"},
    {"zero_lock.per_spinner", "5us", LISTS, "zero.threads=3 run.cpus=0 cost.zero_lock=1us", "+zero_spin"},

    {"store.enabled", "false", LISTS, NULL, "-faults_store -compressions +faults_hard"},
    {"store.codec", "raw", DIRECT, NULL, "+store_bytes +store_raw"},
    {"store.ratio", "3", LISTS, NULL, "-store_bytes +faults_store"},
    {"store.codec_level", "12", DIRECT, "store.codec=zstd store.content=text", "-store_bytes"},
    {"store.space", "zbud", LISTS, NULL, "+store_refused"},
    {"store.region_bytes", "16KiB", DIRECT, "store.space=regions", "-store_bytes"},
    {"store.chunk_bytes", "1KiB", DIRECT,
     "store.space=regions store.region_bytes=16KiB store.codec=lz4 store.content=text", "+store_bytes"},
    {"store.chain_pages", "1", DIRECT, "store.space=zsmalloc store.ratio=1.4 store.max_pages=60p", "+store_bytes"},
    {"store.max_pages", "5p", DIRECT, NULL, "-faults_store +faults_hard"},
    {"store.max_bytes", "16KiB", LISTS, NULL, "-faults_store +faults_hard -store_peak_bytes"},
    {"store.dedup", "hash128", LISTS, NULL, "+duplicates"},
    {"store.same_filled", "word", LISTS, NULL, "+same_filled"},
    {"store.takes", "dirty", DIRECT, NULL, "-store_puts"},
    {"store.when_full", "reject", LISTS, NULL, "-store_written"},
    {"store.exclusive", "false", DIRECT, NULL, "-compressions"},
    {"store.accounting", "1996", DIRECT, "store.max_bytes=64KiB", "-compressions +decompressions"},
    {"store.in_memory", "false", LISTS, NULL, "-faults_hard"},
    {"store.compacts", "false", DIRECT, HOLES, "+store_written -compactions"},
    {"store.workers", "3", LISTS, "store.touch_cancels=false cost.compress=100us run.cpus=0", "-time_wait_store"},
    {"store.queue", "1", LISTS, "store.touch_cancels=false cost.compress=100us", "-time_wait_store"},
    {"store.touch_cancels", "false", LISTS, "cost.compress=100us", "+time_wait_store +collided"},
    {"store.write_above", "0.6", LISTS, "store.write_to=0.5", "+store_written -store_pages"},
    {"store.write_to", "0.2", LISTS, "store.write_above=0.9 store.write_to=0.9", "+store_written -store_pages"},
    {"store.content", "zeros", DIRECT, "store.codec=lz4", "-store_bytes"},
    {"store.sample", "16", DIRECT, "store.codec=lz4 store.content=text", "+store_bytes"},
    {"store.extra_writes", "2", DIRECT, NULL, "+time_wait_disk"},

    {"cost.read", "2ns", DIRECT, NULL, "+time_run"},
    {"cost.write", "2ns", DIRECT, NULL, "+time_run"},
    {"cost.execute", "2ns", DIRECT, NULL, "+time_run"},
    {"cost.access", "1ns", LISTS, NULL, "+time_run"},
    {"cost.far_page", "50ns", LISTS, NULL, "+time_run"},
    {"cost.instruction", "1ns", COUNTED, "run.pace=instructions", "+time_run"},
    {"cost.demand_zero_fault", "2us", DIRECT, NULL, "+time_fault"},
    {"cost.transition_fault", "2us", LISTS, NULL, "+time_fault"},
    {"cost.store_fault", "2us", DIRECT, NULL, "+time_fault"},
    {"cost.hard_fault", "20us", DIRECT, NULL, "+time_fault"},
    {"cost.copy_on_write_fault", "20us", WORLDS, NULL, "+time_fault"},
    {"cost.guard_fault", "20us", WORLDS, NULL, "+time_fault"},
    {"cost.zero_page", "3us", LISTS, NULL, "+time_zero"},
    {"cost.zero_lock", "1us", LISTS, "zero.threads=3 run.cpus=0", "+zero_spin +zero_busy"},
    {"cost.zero_link", "1us", LISTS, NULL, "+zero_busy +zero_acquisitions"},
    {"cost.compress", "20us", DIRECT, NULL, "+time_compress"},
    {"cost.compress_raw", "20us", DIRECT, "store.codec=lz4 store.content=hash", "+time_compress"},
    {"cost.compress_sequence", "100ns", DIRECT, "store.codec=lz4 store.content=text", "+time_compress"},
    {"cost.decompress", "20us", DIRECT, NULL, "+time_decompress"},
    {"cost.compact_page", "100us", DIRECT, HOLES, "+time_compress"},
    {"cost.decompress_raw", "20us", DIRECT, "store.codec=lz4 store.content=hash", "+time_decompress"},
    {"cost.decompress_sequence", "100ns", DIRECT, "store.codec=lz4 store.content=text", "+time_decompress"},
    {"cost.same_filled", "20us", LISTS, "store.same_filled=word", "+worker_busy"},
    {"cost.evict", "1us", DIRECT, NULL, "+time_fault"},
    {"cost.scan_page", "1us", LISTS, NULL, "+manager_busy"},

    {"page_file.size", "20p", LISTS, NULL, "-file_pages"},
    {"page_file.read_cluster", "8", LISTS, "store.enabled=false", "+read_ahead +disk_reads"},
    {"page_file.write_waits", "false", DIRECT, NULL, "-time_wait_disk"},

    {"run.order", "trace", LISTS, NULL, "+time_idle -collided"},
    {"run.pace", "trace", TIMED, NULL, "+time_idle"},
    {"run.lookahead", "1ms", LISTS, NULL, "-events"},
    {"run.window", "10", LISTS, NULL, "+late_actors"},
    {"run.cpus", "1", LISTS, NULL, "+time_wait_cpu"},
    {"run.quantum", "1us", LISTS, "run.cpus=1 cost.read=1us", "+events"},
    {"run.crowding", "0.5", LISTS, NULL, "+time_run +cpu_busy"},
    {"run.seed", "9", DIRECT, "working_set.policy=random", "+faults_store -faults_hard"},

    {"disk.kind", "hdd", LISTS, NULL, "+time_wait_disk +disk_busy"},
    {"disk.kind", "ssd", LISTS, "disk.kind=hdd", "-elapsed -time_wait_disk -disk_busy"},
    {"disk.kind", "ram", LISTS, "disk.kind=hdd", "-elapsed -time_wait_disk -disk_busy"},
    {"disk.hdd.capacity", "1GiB", LISTS, "disk.kind=hdd", "-time_wait_disk"},
    {"disk.hdd.speed", "5400", LISTS, "disk.kind=hdd", "+disk_busy"},
    {"disk.hdd.seek_track", "3ms", LISTS, "disk.kind=hdd disk.hdd.capacity=4MiB", "+disk_busy"},
    {"disk.hdd.seek_average", "12ms", LISTS, "disk.kind=hdd disk.hdd.capacity=4MiB", "+disk_busy"},
    {"disk.hdd.seek_full", "30ms", LISTS,
     "disk.kind=hdd disk.hdd.capacity=1MiB page_file.size=250p store.enabled=false",
     "+disk_busy"},
    {"disk.hdd.media_rate", "10MiB/s", LISTS, "disk.kind=hdd", "+disk_busy"},
    {"disk.hdd.overhead", "3ms", LISTS, "disk.kind=hdd", "+disk_busy"},
    {"disk.hdd.rotation", "angle", LISTS, "disk.kind=hdd", "-disk_busy"},
    {"disk.hdd.queue", "fifo", LISTS, "disk.kind=hdd store.enabled=false run.cpus=0", "+disk_busy"},
    {"disk.hdd.streams", "false", LISTS, "disk.kind=hdd store.enabled=false", "+disk_busy"},
    {"disk.ssd.channels", "1", LISTS, "disk.kind=ssd store.enabled=false", "+time_wait_disk"},
    {"disk.ssd.read_median", "70us", LISTS, "disk.kind=ssd", "-time_wait_disk"},
    {"disk.ssd.read_p99", "900us", LISTS, "disk.kind=ssd", "+time_wait_disk"},
    {"disk.ssd.write_median", "60us", LISTS, "disk.kind=ssd", "+disk_busy"},
    {"disk.ssd.write_p99", "900us", LISTS, "disk.kind=ssd", "+disk_busy"},
    {"disk.ssd.read_page", "60us", LISTS, "disk.kind=ssd store.enabled=false page_file.read_cluster=8",
     "+time_wait_disk"},
    {"disk.ssd.write_page", "60us", LISTS, "disk.kind=ssd store.enabled=false", "+disk_busy"},
    {"disk.ssd.read_rate", "9MiB/s", LISTS, "disk.kind=ssd", "+time_wait_disk"},
    {"disk.ssd.write_rate", "9MiB/s", LISTS, "disk.kind=ssd", "+time_wait_disk"},
    {"disk.constant.servers", "4", LISTS, "store.enabled=false", "-time_wait_disk"},
    {"disk.constant.read_request", "50us", LISTS, NULL, "+disk_busy"},
    {"disk.constant.read_page", "300us", LISTS, NULL, "+time_wait_disk"},
    {"disk.constant.write_request", "50us", LISTS, "store.enabled=false", "+disk_busy"},
    {"disk.constant.write_page", "300us", LISTS, NULL, "+disk_busy"},
    {"disk.ram.copies_at_once", "1", LISTS, "disk.kind=ram disk.ram.overhead=50us store.enabled=false",
     "+time_wait_disk"},
    {"disk.ram.overhead", "50us", LISTS, "disk.kind=ram", "+disk_busy"},
    {"disk.ram.read_rate", "9MiB/s", LISTS, "disk.kind=ram", "+time_wait_disk"},
    {"disk.ram.write_rate", "9MiB/s", LISTS, "disk.kind=ram", "+disk_busy"},
    {NULL, NULL, LISTS, NULL, NULL},
};

