/* study/advice_machines.c: what people can choose from, as machines.
 *
 * Each arrangement is the machine that was asked about (its memory, policy, costs of touches) with the store, the
 * codec's times and the swap of a known system, which come from the machine files of that system. Contents are not
 * known: all pages compress by one ratio, and none are equal or filled. */
#include "study/advice.h"

#include "study/sweep_replay.h"
#include "study/sweep_traces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *about;
    const char *preset; /* whose store it is; NULL: no store */
    const char *disk;   /* another kind of disk than the machine's, or NULL */
    bool swaps;         /* there is a page file */
} arrangements[PL_ARRANGEMENTS] = {
    {"none", "no store and no page file", NULL, NULL, false},
    {"zram", "zram with lz4, of the size of memory, and no page file behind it", "zram-lz4", NULL, false},
    {"zswap on SSD", "zswap with zstd in a fifth of memory, swap on an SSD", "zswap-zstd", "ssd", true},
    {"Windows store", "the store of Windows 10 in front of the page file", "win10-1607-i7-4770k", NULL, true},
    [PL_ARRANGE_DISK_ONLY] = {"disk only", "a page file without a store", NULL, NULL, true},
};

/* --- the disk alone --------------------------------------------------------------------------- */

static enum pl_err probe(struct pl_device *device, double *out_s, struct pl_error *err)
{
    enum { REQUESTS = 512 };
    struct pl_random random = pl_random_named(1, "advice/disk");
    struct pl_device_request done;
    pl_time_ps now = 0;
    for (int i = 0; i < REQUESTS; i++) {
        const struct pl_device_request request = {.operation = PL_DEVICE_READ, .pages = 1,
                                                  .first_block = pl_random_below(&random, 1 << 20)};
        enum pl_err rc = pl_device_submit(device, now, &request, err);
        if (rc)
            return rc;
        do
            now = pl_device_next_ps(device);
        while (!pl_device_complete(device, now, &done));
    }
    *out_s = (double)now / REQUESTS / (double)PL_PS_PER_S;
    return PL_OK;
}

enum pl_err pl_advice_disk_time(const struct pl_machine *machine, double *out_s, struct pl_error *err)
{
    struct pl_device *device;
    enum pl_err rc = pl_device_create(&machine->disk, "probe", (uint32_t)machine->page_bytes, 1, &device, err);
    if (rc)
        return rc;
    rc = probe(device, out_s, err);
    pl_device_destroy(device);
    return rc;
}

/* --- machines ------------------------------------------------------------------------------------- */

static bool is_of_the_store(const char *path)
{
    static const char *const prefixes[] = {"store.",           "cost.compress",    "cost.decompress",
                                           "cost.same_filled", "cost.store_fault", "page_file."};
    for (size_t i = 0; i < PL_COUNT_OF(prefixes); i++)
        if (!strncmp(path, prefixes[i], strlen(prefixes[i])))
            return true;
    return false;
}

static enum pl_err put(struct pl_parameters *parameters, const char *path, const char *text, struct pl_error *err)
{
    return pl_parameters_put(parameters, path, text, PL_FROM_ASSUMED, NULL, "the arrangement", err);
}

static enum pl_err take_store(struct pl_parameters *parameters, const char *preset, struct pl_arena *arena,
                              struct pl_error *err)
{
    struct pl_parameters *from;
    enum pl_err rc = pl_machine_parameters(arena, &from, err);
    if (rc == PL_OK)
        rc = pl_parameters_read(from, pl_sweep_machine_path("", preset, arena), err);
    for (size_t i = 0; rc == PL_OK && i < pl_parameters_count(from); i++) {
        const struct pl_parameter_value *value = pl_parameters_at(from, i);
        if (value->text && is_of_the_store(value->path))
            rc = put(parameters, value->path, value->text, err);
    }
    static const char *const plain[][2] = {
        {"store.codec", "constant"}, {"store.dedup", "none"}, {"store.same_filled", "none"}};
    for (size_t i = 0; rc == PL_OK && i < PL_COUNT_OF(plain); i++)
        rc = put(parameters, plain[i][0], plain[i][1], err);
    return rc;
}

/* Sizes that these systems take from the size of memory. */
static enum pl_err size_store(struct pl_parameters *parameters, const struct pl_machine *machine, size_t which,
                              struct pl_error *err)
{
    const double memory = (double)machine->total_bytes;
    if (!strcmp(arrangements[which].name, "zram"))
        return pl_parameters_put_number(parameters, "store.max_pages", floor(memory / (double)machine->page_bytes),
                                        PL_FROM_ASSUMED, NULL, "the arrangement", err);
    if (!strcmp(arrangements[which].name, "zswap on SSD"))
        return pl_parameters_put_number(parameters, "store.max_bytes", memory / 5, PL_FROM_ASSUMED, NULL,
                                        "the arrangement", err);
    return PL_OK;
}

static enum pl_err arrange(const struct pl_advice_input *input, size_t which, double ratio, struct pl_arena *arena,
                           struct pl_machine *out, struct pl_error *err)
{
    struct pl_parameters *parameters;
    enum pl_err rc = pl_parameters_copy(input->parameters, arena, &parameters, err);
    if (rc == PL_OK)
        rc = put(parameters, "store.enabled", arrangements[which].preset ? "true" : "false", err);
    if (rc == PL_OK && arrangements[which].preset)
        rc = take_store(parameters, arrangements[which].preset, arena, err);
    if (rc == PL_OK && arrangements[which].preset)
        rc = size_store(parameters, input->machine, which, err);
    if (rc == PL_OK)
        rc = pl_parameters_put_number(parameters, "store.ratio", ratio, PL_FROM_ASSUMED, NULL, "the arrangement", err);
    if (rc == PL_OK && arrangements[which].disk)
        rc = put(parameters, "disk.kind", arrangements[which].disk, err);
    if (rc == PL_OK && (!arrangements[which].swaps || !input->machine->file_pages))
        rc = put(parameters, "page_file.size", arrangements[which].swaps ? "64GiB" : "0", err);
    return rc == PL_OK ? pl_machine_finish(parameters, out, err) : rc;
}

/* --- runs -------------------------------------------------------------------------------------------- */

static void keep(const double *output, struct pl_arrangement *out)
{
    out->ran = true;
    out->elapsed_s = pl_sweep_replay_value(output, "elapsed_s");
    out->mean_s = pl_sweep_replay_value(output, "fault_mean_s");
    out->p50_s = pl_sweep_replay_value(output, "fault_p50_s");
    out->p99_s = pl_sweep_replay_value(output, "fault_p99_s");
    out->p999_s = pl_sweep_replay_value(output, "fault_p999_s");
    out->hard_faults = pl_sweep_replay_value(output, "faults_hard");
    out->store_faults = pl_sweep_replay_value(output, "faults_store");
    out->written_bytes_a_day = pl_sweep_replay_value(output, "bytes_written_per_day");
    out->store_peak_bytes = pl_sweep_replay_value(output, "store_peak_bytes");
}

/* An arrangement that cannot run (memory is too small without swap) says why, and the others go on. */
static enum pl_err run(const struct pl_advice_input *input, const struct pl_sweep_traces *traces, size_t which,
                       double ratio, double *output, struct pl_arrangement *out, struct pl_error *err)
{
    struct pl_error inner = {PL_OK, ""};
    struct pl_machine machine;
    struct pl_trace *trace = NULL;
    struct pl_arena *arena = pl_arena_create();
    *out = (struct pl_arrangement){.name = arrangements[which].name, .about = arrangements[which].about};
    if (!arena)
        return pl_fail_memory(err, 0, "a machine");
    enum pl_err rc = arrange(input, which, ratio, arena, &machine, &inner);
    if (rc == PL_OK)
        rc = pl_sweep_traces_open(traces, 0, machine.page_table_entries > 0, NULL, 0, &trace, &inner);
    if (rc == PL_OK)
        rc = pl_sweep_replay_once(&machine, trace, output, &inner);
    if (rc == PL_OK)
        keep(output, out);
    pl_trace_close(trace);
    pl_arena_destroy(arena);
    pl_printable(out->error, sizeof out->error, inner.message, strlen(inner.message));
    return rc == PL_ERR_RESOURCE ? pl_fail(err, rc, "%s: %.900s", arrangements[which].name, inner.message) : PL_OK;
}

enum pl_err pl_advice_arrange(const struct pl_advice_input *input, struct pl_arena *arena, struct pl_advice *advice,
                              struct pl_error *err)
{
    const struct pl_sweep_setup setup = {.threads = 1};
    struct pl_sweep_traces traces = {NULL, 0};
    struct pl_text identity = {0};
    double *output = pl_arena_alloc(arena, pl_sweep_replay.output_count, sizeof *output);
    enum pl_err rc = output ? pl_sweep_traces_list(&traces, &input->workload, 1, "", arena, &identity, err)
                            : pl_fail_memory(err, 0, "replays");
    if (rc == PL_OK)
        rc = pl_sweep_traces_decode(&traces, &setup, err);
    for (size_t i = 0; rc == PL_OK && i < PL_ARRANGEMENTS; i++) {
        if (!pl_progress_report(input->replays, i, PL_ARRANGEMENTS))
            rc = pl_fail(err, PL_ERR_CHECK, "stopped");
        else
            rc = run(input, &traces, i, advice->params.r, output, &advice->arrangement[i], err);
    }
    pl_text_free(&identity);
    pl_sweep_traces_free(&traces);
    return rc;
}
