/* study/advice_machines.c: what people can choose from, as machines.
 *
 * Each arrangement is the machine that was asked about (its memory, policy, costs of touches) with the store, the
 * codec's times and the swap of a known system, which come from the machine files of that system; stores are as large
 * as the advice says. Contents are not known: all pages compress by one ratio, and none are equal or filled. */
#include "study/advice.h"

#include "study/sweep_replay.h"
#include "study/sweep_traces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *about;
    const char *preset;             /* whose store it is; NULL: no store, or the machine's own */
    bool faster_disk;               /* an SSD in place of the machine's disk */
    bool swaps;                     /* there is a page file */
    enum pl_arrangement_kind alone; /* the same disk without a store */
} arrangements[PL_ARRANGEMENTS] = {
    [PL_ARRANGE_NONE] = {"none", "no store, no page file", NULL, false, false, PL_ARRANGE_DISK},
    [PL_ARRANGE_ZRAM] = {"zram", "lz4, no page file behind it", "zram-lz4", false, false, PL_ARRANGE_DISK},
    [PL_ARRANGE_ZSWAP] = {"zswap on SSD", "zstd, swap on an SSD", "zswap-zstd", true, true, PL_ARRANGE_SSD},
    [PL_ARRANGE_SSD] = {"SSD only", "the SSD without zswap", NULL, true, true, PL_ARRANGE_SSD},
    [PL_ARRANGE_WINDOWS] = {"Windows store", "before the page file", "win10-1607-i7-4770k", false, true,
                            PL_ARRANGE_DISK},
    [PL_ARRANGE_BEST] = {"best size", "the model's best store", NULL, false, true, PL_ARRANGE_DISK},
    [PL_ARRANGE_DISK] = {"disk only", "a page file, no store", NULL, false, true, PL_ARRANGE_DISK},
};

/* --- the disk alone --------------------------------------------------------------------------- */

static enum pl_err probe(struct pl_device *device, double *out_s, struct pl_error *err)
{
    enum { REQUESTS = 512 };
    struct pl_random random = pl_random_named(1, "advice/disk");
    struct pl_device_request done;
    pl_time_ps now = 0;
    for (int i = 0; i < REQUESTS; i++) {
        const struct pl_device_request request = {
            .operation = PL_DEVICE_READ, .pages = 1, .first_block = pl_random_below(&random, 1 << 20)};
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

/* A store whose every page shrinks by one ratio. */
static enum pl_err make_plain(struct pl_parameters *parameters, struct pl_error *err)
{
    static const char *const plain[][2] = {
        {"store.codec", "constant"}, {"store.dedup", "none"}, {"store.same_filled", "none"}};
    enum pl_err rc = PL_OK;
    for (size_t i = 0; rc == PL_OK && i < PL_COUNT_OF(plain); i++)
        rc = put(parameters, plain[i][0], plain[i][1], err);
    return rc;
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
    return rc ? rc : make_plain(parameters, err);
}

double pl_advice_zram_mb(const struct pl_advice *advice)
{
    const struct pl_cost_params *p = &advice->params;
    if (isnan(advice->footprint_mb))
        return NAN;
    const double left_mb = fmax(advice->footprint_mb - (p->m_mb - advice->reserve_mb), 0);
    return p->r > 1 ? 1.05 * left_mb / (p->r - 1) : INFINITY;
}

/* How large the arrangement's store may grow: as the knobs say. */
static double store_mb(const struct pl_advice *advice, enum pl_arrangement_kind kind)
{
    const double best = advice->optimum.cost.total_s < 0 ? advice->optimum.d_mb : 0, most = advice->params.most_d_mb;
    const double usual = best > 0 ? best : fmin(advice->params.m_mb / 5, most);
    if (kind == PL_ARRANGE_BEST)
        return advice->optimum.d_mb;
    if (kind == PL_ARRANGE_ZRAM) /* what it does not take has nowhere to go */
        return fmin(fmax(usual, pl_advice_zram_mb(advice)), most);
    return usual;
}

static enum pl_err put_size(struct pl_parameters *parameters, const struct pl_advice_input *input,
                            const struct pl_advice *advice, enum pl_arrangement_kind kind, struct pl_error *err)
{
    const double page = (double)input->machine->page_bytes;
    const double bytes = floor(store_mb(advice, kind) * (double)PL_MIB / page) * page;
    enum pl_err rc = pl_parameters_put_number(parameters, "store.max_bytes", fmax(bytes, page), PL_FROM_ASSUMED, NULL,
                                              "the arrangement", err);
    return rc ? rc : put(parameters, "store.max_pages", "unlimited", err);
}

/* The machine's own store, or one of no particular kind, with the times that the model was asked with. */
static enum pl_err take_own_store(struct pl_parameters *parameters, const struct pl_advice_input *input,
                                  struct pl_error *err)
{
    enum pl_err rc = make_plain(parameters, err);
    if (rc || isnan(input->cd_s))
        return rc;
    static const char *const times[] = {"cost.compress", "cost.decompress", "cost.store_fault"};
    for (size_t i = 0; rc == PL_OK && i < PL_COUNT_OF(times); i++)
        rc = pl_parameters_put_number(parameters, times[i], i == 2 ? 0 : input->cd_s * (double)PL_PS_PER_S,
                                      PL_FROM_ASSUMED, NULL, "--cd", err);
    return rc;
}

static bool is_ssd(const struct pl_advice_input *input)
{
    return !strcmp(pl_device_kind_name(&input->machine->disk), "ssd");
}

/* The disk under it: the machine's, one of the time that was asked with, or an SSD. */
static enum pl_err put_disk(struct pl_parameters *parameters, const struct pl_advice_input *input, bool faster,
                            struct pl_error *err)
{
    if (faster)
        return is_ssd(input) ? PL_OK : put(parameters, "disk.kind", "ssd", err);
    if (isnan(input->ch_s))
        return PL_OK;
    static const char *const times[] = {"disk.constant.read_page", "disk.constant.write_page", "cost.hard_fault"};
    enum pl_err rc = put(parameters, "disk.kind", "constant", err);
    for (size_t i = 0; rc == PL_OK && i < PL_COUNT_OF(times); i++)
        rc = pl_parameters_put_number(parameters, times[i], i == 2 ? 0 : input->ch_s * (double)PL_PS_PER_S,
                                      PL_FROM_ASSUMED, NULL, "--ch", err);
    return rc;
}

static enum pl_err arrange(const struct pl_advice_input *input, const struct pl_advice *advice,
                           enum pl_arrangement_kind kind, struct pl_arena *arena, struct pl_machine *out,
                           struct pl_error *err)
{
    struct pl_parameters *parameters;
    const char *preset = arrangements[kind].preset;
    const bool store = preset || kind == PL_ARRANGE_BEST, swaps = arrangements[kind].swaps;
    enum pl_err rc = pl_parameters_copy(input->parameters, arena, &parameters, err);
    if (rc == PL_OK)
        rc = put(parameters, "store.enabled", store ? "true" : "false", err);
    if (rc == PL_OK && preset)
        rc = take_store(parameters, preset, arena, err);
    if (rc == PL_OK && kind == PL_ARRANGE_BEST)
        rc = take_own_store(parameters, input, err);
    if (rc == PL_OK && store)
        rc = put_size(parameters, input, advice, kind, err);
    if (rc == PL_OK)
        rc = pl_parameters_put_number(parameters, "store.ratio", advice->params.r, PL_FROM_ASSUMED, NULL,
                                      "the arrangement", err);
    if (rc == PL_OK)
        rc = put_disk(parameters, input, arrangements[kind].faster_disk, err);
    if (rc == PL_OK && (!swaps || !input->machine->file_pages))
        rc = put(parameters, "page_file.size", swaps ? "64GiB" : "0", err);
    return rc == PL_OK ? pl_machine_finish(parameters, out, err) : rc;
}

enum pl_err pl_advice_machine(struct pl_parameters *parameters, struct pl_machine *out, struct pl_error *err)
{
    struct pl_machine machine;
    enum pl_err rc = pl_machine_finish(parameters, &machine, err);
    if (rc || machine.resident_pages == PL_UNLIMITED) {
        if (rc == PL_OK)
            *out = machine;
        return rc;
    }
    rc = pl_parameters_put_number(parameters, "memory.total",
                                  (double)(machine.resident_pages + machine.kernel_pages) * (double)machine.page_bytes,
                                  PL_FROM_ASSUMED, "the frames of memory.resident, and the kernel's", "advise", err);
    if (rc == PL_OK)
        rc = pl_parameters_put(parameters, "memory.resident", "unlimited", PL_FROM_ASSUMED,
                               "a store takes its part of the same memory", "advise", err);
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

/* What a run that ended early says, short enough for a table. */
static void keep_error(const char *message, struct pl_arrangement *out)
{
    static const char full[] = "no room";
    const bool is_full = strstr(message, "out of memory") || strstr(message, "page file is full") ||
                         strstr(message, "there is no page file");
    pl_printable(out->error, sizeof out->error, is_full ? full : message, strlen(is_full ? full : message));
}

/* An arrangement that cannot run (memory is too small without swap) says why, and the others go on. */
static enum pl_err run(const struct pl_advice_input *input, const struct pl_sweep_traces *traces,
                       const struct pl_advice *advice, enum pl_arrangement_kind kind, double *output,
                       struct pl_arrangement *out, struct pl_error *err)
{
    struct pl_error inner = {PL_OK, ""};
    struct pl_machine machine;
    struct pl_trace *trace = NULL;
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, 0, "a machine");
    enum pl_err rc = arrange(input, advice, kind, arena, &machine, &inner);
    if (rc == PL_OK)
        rc = pl_sweep_traces_open(traces, 0, machine.page_table_entries > 0, NULL, 0, &trace, &inner);
    if (rc == PL_OK)
        rc = pl_sweep_replay_once(&machine, trace, output, &inner);
    if (rc == PL_OK)
        keep(output, out);
    else
        keep_error(inner.message, out);
    pl_trace_close(trace);
    pl_arena_destroy(arena);
    return rc == PL_ERR_RESOURCE ? pl_fail(err, rc, "%s: %.900s", out->name, inner.message) : PL_OK;
}

static bool is_wanted(const struct pl_advice_input *input, const struct pl_advice *advice,
                      enum pl_arrangement_kind kind)
{
    if (kind == PL_ARRANGE_BEST)
        return advice->optimum.d_mb > 0;
    /* Where the machine's disk is an SSD already, "disk only" is that. */
    return kind != PL_ARRANGE_SSD || !is_ssd(input);
}

static void compare(struct pl_arrangement arrangement[PL_ARRANGEMENTS])
{
    for (size_t i = 0; i < PL_ARRANGEMENTS; i++) {
        const struct pl_arrangement *alone = &arrangement[arrangements[i].alone];
        if (!alone->wanted)
            alone = &arrangement[PL_ARRANGE_DISK];
        arrangement[i].gain_s = arrangement[i].ran && alone->ran ? arrangement[i].elapsed_s - alone->elapsed_s : NAN;
    }
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
        struct pl_arrangement *one = &advice->arrangement[i];
        *one = (struct pl_arrangement){.name = arrangements[i].name,
                                       .about = arrangements[i].about,
                                       .gain_s = NAN,
                                       .wanted = is_wanted(input, advice, i)};
        if (!pl_progress_report(input->replays, i, PL_ARRANGEMENTS))
            rc = pl_fail(err, PL_ERR_RESOURCE, "interrupted");
        else if (one->wanted)
            rc = run(input, &traces, advice, i, output, one, err);
    }
    compare(advice->arrangement);
    pl_text_free(&identity);
    pl_sweep_traces_free(&traces);
    return rc;
}
