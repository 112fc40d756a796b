/* study/sweep_replay.c: points on a simulated machine: a trace runs, each time with other parameters.
 *
 * Parameters are those of machine files (memory.total, store.codec, ...), those of a scenario (scenario.size), and
 * `machine` and `trace`, which list files. A trace is decoded once: a native file is read in place, from the page cache
 * that all workers and processes share; anything else is written to a native file of this run's own, which has no name
 * and goes when the run ends, however it does.
 *
 * What this does not model: the policy that knows the future (opt) is refused here. See sim/ for the rest. */
#include "study/sweep_study.h"

#include "sim/sim.h"
#include "study/sweep_replay.h"
#include "study/sweep_traces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- outputs ---------------------------------------------------------------------------------- */

#define QUANTITY_COUNT(name) {name, name, "", 1, PL_QUANTITY_COUNT, NULL, 0, NULL}
#define QUANTITY_SECONDS(name) {name, name, "s", 1, PL_QUANTITY_TIME, NULL, 0, NULL}
#define QUANTITY_NUMBER(name) {name, name, "", 1, PL_QUANTITY_NUMBER, NULL, 0, NULL}

enum derived { OUT_EFFECT, OUT_WITHOUT_ELAPSED, OUT_WITHOUT_READS, OUT_WITHOUT_WRITES, OUT_WRITTEN_A_DAY, OUT_MEAN, OUT_P50,
               OUT_P99, OUT_P999, OUT_LONGEST, OUT_CPU_USE, OUT_WRITE_SPLIT, OUT_ZERO_GIB, OUT_ZERO_SPIN, DERIVED };

/* Names as `pagelab replay --json` has them. The first rows are computed, the others stand in the result at `field`. */
static const struct pl_sweep_output outputs[] = {
    [OUT_EFFECT] = {QUANTITY_SECONDS("effect_s"), false, "against the same machine without its store"},
    [OUT_WITHOUT_ELAPSED] = {QUANTITY_SECONDS("without_store_elapsed_s"), false, "simulated time of that machine"},
    [OUT_WITHOUT_READS] = {QUANTITY_COUNT("without_store_disk_reads"), false, "pages that it reads from disk"},
    [OUT_WITHOUT_WRITES] = {QUANTITY_COUNT("without_store_disk_writes"), false, "pages that it writes to disk"},
    [OUT_WRITTEN_A_DAY] = {QUANTITY_NUMBER("bytes_written_per_day"), true, "to the disk, if the run went on so for a day"},
    [OUT_MEAN] = {QUANTITY_SECONDS("fault_mean_s"), false, "how long touches that faulted took"},
    [OUT_P50] = {QUANTITY_SECONDS("fault_p50_s"), false, "half of them at most"},
    [OUT_P99] = {QUANTITY_SECONDS("fault_p99_s"), true, "99 per cent of them"},
    [OUT_P999] = {QUANTITY_SECONDS("fault_p999_s"), false, "99.9 per cent of them"},
    [OUT_LONGEST] = {QUANTITY_SECONDS("fault_longest_s"), false, "the longest"},
    [OUT_CPU_USE] = {QUANTITY_NUMBER("cpu_use"), false, "processor time over elapsed time"},
    [OUT_WRITE_SPLIT] = {QUANTITY_NUMBER("write_split"), false, "further accesses for each block written"},
    [OUT_ZERO_GIB] = {QUANTITY_SECONDS("zero_s_per_gib"), false, "processor time of zeroing threads for a GiB zeroed"},
    [OUT_ZERO_SPIN] = {QUANTITY_NUMBER("zero_spin_share"), false, "of it, spinning for the lock"},
#define FIGURE(section, kind, key, label, field, by_default) {QUANTITY_##kind(key), by_default, label},
#include "sim/sim_figure_list.h"
};
enum { OUTPUTS = PL_COUNT_OF(outputs) };

static const size_t field[] = {
#define FIGURE(section, kind, key, label, field, by_default) offsetof(struct pl_sim_result, field),
#include "sim/sim_figure_list.h"
};

/* --- the base ------------------------------------------------------------------------------------ */

struct profile {
    const char *name;
    struct pl_parameters *parameters; /* read once; workers copy them */
    struct pl_machine machine;        /* as the file has it */
};

struct pl_sweep_base {
    struct pl_arena *arena;
    const char *folder, *given_trace, *given_machine;
    bool without_store;
    struct profile *profile;
    size_t profile_count;
    struct pl_sweep_traces traces;
    struct pl_parameters *known; /* for names and kinds of parameters */
    int machine_slot, trace_slot;
};

struct pl_sweep_worker {
    const struct pl_sweep_base *base;
    const struct pl_study *study;
    const bool *stop;
};

static enum pl_err read_base(const struct pl_json_node *base, const char *folder, struct pl_arena *arena,
                             struct pl_sweep_base **out, struct pl_error *err)
{
    static const char *const keys[] = {"replay", "machine", "without_store"};
    struct pl_sweep_base *self = pl_arena_alloc(arena, 1, sizeof *self);
    const struct pl_json_node *machine = pl_json_get(base, "machine"), *without = pl_json_get(base, "without_store");
    if (!self)
        return pl_fail_memory(err, sizeof *self, "a study");
    self->arena = arena;
    self->folder = folder;
    enum pl_err rc = pl_json_only_keys(base, keys, PL_COUNT_OF(keys), err);
    if (rc == PL_OK)
        rc = pl_json_as_text(pl_json_get(base, "replay"), &self->given_trace, err);
    if (rc == PL_OK && machine)
        rc = pl_json_as_text(machine, &self->given_machine, err);
    if (rc == PL_OK && without)
        rc = pl_json_as_bool(without, &self->without_store, err);
    if (rc == PL_OK)
        rc = pl_machine_parameters(arena, &self->known, err);
    if (rc == PL_OK)
        *out = self;
    return rc;
}

static uint32_t page_size_of(const struct pl_sweep_base *self)
{
    return 4096;
}

static enum pl_err unknown_parameter(const struct pl_sweep_base *self, const char *name, struct pl_error *err)
{
    const size_t count = pl_parameters_count(self->known);
    const char **names = pl_arena_alloc(self->arena, count + 2, sizeof *names);
    char hint[128] = "";
    if (names) {
        for (size_t i = 0; i < count; i++)
            names[i] = pl_parameters_at(self->known, i)->path;
        names[count] = "machine";
        names[count + 1] = "trace";
        pl_did_you_mean(hint, sizeof hint, name, names, count + 2, sizeof *names);
    }
    return pl_fail(err, PL_ERR_USAGE, "a machine has no such parameter%s", hint);
}

/* "scenario.size" is the parameter `size` of a scenario. */
static const char scenario_prefix[] = "scenario.";

static bool is_of_scenario(const char *name)
{
    return !strncmp(name, scenario_prefix, sizeof scenario_prefix - 1);
}

static enum pl_err find_parameter(struct pl_sweep_base *self, const char *name, struct pl_arena *arena,
                                  struct pl_quantity *out, struct pl_error *err)
{
    static const enum pl_quantity_kind kinds[] = {
        [PL_PARAM_BYTES] = PL_QUANTITY_BYTES, [PL_PARAM_PAGES] = PL_QUANTITY_BYTES,
        [PL_PARAM_TIME] = PL_QUANTITY_TIME,   [PL_PARAM_RATE] = PL_QUANTITY_RATE,
        [PL_PARAM_COUNT] = PL_QUANTITY_COUNT, [PL_PARAM_REAL] = PL_QUANTITY_NUMBER,
        [PL_PARAM_FLAG] = PL_QUANTITY_WORD,   [PL_PARAM_CHOICE] = PL_QUANTITY_WORD,
        [PL_PARAM_TEXT] = PL_QUANTITY_WORD,
    };
    static const char *const truths[] = {"false", "true"};
    if (!strcmp(name, "machine") || !strcmp(name, "trace"))
        return pl_quantity_make(name, PL_QUANTITY_WORD, arena, out, err);
    if (is_of_scenario(name)) /* its words are the study's list */
        return pl_quantity_make(name, PL_QUANTITY_WORD, arena, out, err);
    const struct pl_parameter_value *value = pl_parameters_find(self->known, name);
    if (!value)
        return unknown_parameter(self, name, err);
    if (!strcmp(name, "memory.page_size"))
        return pl_fail(err, PL_ERR_USAGE, "the page size is the trace's");
    enum pl_err rc = pl_quantity_make(name, kinds[value->row->kind], arena, out, err);
    if (rc)
        return rc;
    out->unlimited = value->row->unlimited;
    if (value->row->kind == PL_PARAM_FLAG) {
        out->words = truths;
        out->word_count = 2;
    } else if (value->row->kind == PL_PARAM_CHOICE) {
        out->words = value->row->choices;
        while (out->words[out->word_count])
            out->word_count++;
    }
    return PL_OK;
}

/* --- what results depend on -------------------------------------------------------------------------- */

const char *pl_sweep_machine_path(const char *folder, const char *name, struct pl_arena *arena)
{
    const char *folders[] = {folder, getenv("PAGELAB_MODELS"), PL_SOURCE_DIR "/models/", PL_PKGDATADIR "/models/"};
    for (size_t i = 0; i < PL_COUNT_OF(folders); i++) {
        for (int ending = 0; folders[i] && ending < 2; ending++) {
            const char *slash = *folders[i] && folders[i][strlen(folders[i]) - 1] != '/' ? "/" : "";
            const char *path = pl_arena_printf(arena, "%s%s%s%s", *name == '/' ? "" : folders[i],
                                               *name == '/' ? "" : slash, name, ending ? ".json" : "");
            if (path && access(path, R_OK) == 0)
                return path;
        }
    }
    return name;
}

static enum pl_err read_profile(struct pl_sweep_base *self, struct profile *profile, struct pl_text *out,
                                struct pl_error *err)
{
    struct pl_text values = {0};
    enum pl_err rc = pl_machine_parameters(self->arena, &profile->parameters, err);
    if (rc == PL_OK)
        rc = pl_parameters_read(profile->parameters, pl_sweep_machine_path(self->folder, profile->name, self->arena),
                                err);
    for (size_t i = 0; rc == PL_OK && i < pl_parameters_count(profile->parameters); i++) {
        const struct pl_parameter_value *value = pl_parameters_at(profile->parameters, i);
        pl_text_addf(&values, "%s=%s\n", value->path, value->text ? value->text : "");
    }
    if (rc == PL_OK && values.failed)
        rc = pl_fail_memory(err, values.length, "a machine");
    if (rc == PL_OK)
        pl_text_addf(out, "machine %s: %016llx\n", profile->name,
                     (unsigned long long)pl_xxh64(values.data, values.length, 0));
    pl_text_free(&values);
    return rc;
}

static enum pl_err identify(struct pl_sweep_base *self, const struct pl_study *study, struct pl_text *out,
                            struct pl_error *err)
{
    self->machine_slot = pl_sweep_index_of(study, "machine");
    self->trace_slot = pl_sweep_index_of(study, "trace");
    const struct pl_quantity *machines = self->machine_slot < 0 ? NULL : &study->parameter[self->machine_slot].quantity;
    const struct pl_quantity *traces = self->trace_slot < 0 ? NULL : &study->parameter[self->trace_slot].quantity;
    if (!machines && !self->given_machine)
        return pl_fail(err, PL_ERR_INPUT, "%s: \"machine\" is missing in the base, and no parameter lists machines",
                       study->path);
    self->profile_count = machines ? machines->word_count : 1;
    self->profile = pl_arena_alloc(self->arena, self->profile_count, sizeof *self->profile);
    if (!self->profile)
        return pl_fail_memory(err, 0, "the machines of a study");
    enum pl_err rc = PL_OK;
    for (size_t i = 0; rc == PL_OK && i < self->profile_count; i++) {
        self->profile[i].name = machines ? machines->words[i] : self->given_machine;
        rc = read_profile(self, &self->profile[i], out, err);
    }
    if (rc == PL_OK)
        rc = pl_sweep_traces_list(&self->traces, traces ? traces->words : &self->given_trace,
                                  traces ? traces->word_count : 1, self->folder, self->arena, out, err);
    pl_text_addf(out, "without store: %s\n",
                 self->without_store ? "too" : "where the machine's accounting is that of 1996");
    return rc;
}

static enum pl_err prepare(struct pl_sweep_base *self, const struct pl_study *study, const struct pl_sweep_setup *setup,
                           struct pl_error *err)
{
    return pl_sweep_traces_decode(&self->traces, setup, err);
}

/* --- a point -------------------------------------------------------------------------------------------- */

static enum pl_err make_worker(struct pl_sweep_base *self, const struct pl_study *study,
                               const struct pl_sweep_setup *setup, struct pl_sweep_worker **out, struct pl_error *err)
{
    struct pl_sweep_worker *worker = malloc(sizeof *worker);
    if (!worker)
        return pl_fail_memory(err, sizeof *worker, "a worker");
    *worker = (struct pl_sweep_worker){self, study, setup->stop};
    *out = worker;
    return PL_OK;
}

/* Base units are bytes and seconds; machines count pages and picoseconds. */
static enum pl_err set(struct pl_parameters *parameters, const struct pl_quantity *quantity, double value,
                       struct pl_error *err)
{
    static const char place[] = "the study";
    const struct pl_parameter_value *known = pl_parameters_find(parameters, quantity->name);
    if (quantity->kind == PL_QUANTITY_WORD || isinf(value))
        return pl_parameters_put(parameters, quantity->name,
                                 isinf(value) ? quantity->unlimited : quantity->words[(size_t)value], PL_FROM_UNSTATED,
                                 NULL, place, err);
    if (known->row->kind == PL_PARAM_PAGES)
        value = floor(value / 4096);
    else if (known->row->kind == PL_PARAM_TIME)
        value *= (double)PL_PS_PER_S;
    return pl_parameters_put_number(parameters, quantity->name, value, PL_FROM_UNSTATED, NULL, place, err);
}

static enum pl_err make_machine(const struct pl_sweep_worker *worker, const double *value, struct pl_arena *arena,
                                struct pl_machine *out, struct pl_error *err)
{
    const struct pl_sweep_base *base = worker->base;
    const struct profile *profile = &base->profile[base->machine_slot < 0 ? 0 : (size_t)value[base->machine_slot]];
    struct pl_parameters *parameters;
    enum pl_err rc = pl_parameters_copy(profile->parameters, arena, &parameters, err);
    for (size_t i = 0; rc == PL_OK && i < worker->study->parameter_count; i++)
        if ((int)i != base->machine_slot && (int)i != base->trace_slot &&
            !is_of_scenario(worker->study->parameter[i].quantity.name))
            rc = set(parameters, &worker->study->parameter[i].quantity, value[i], err);
    if (rc == PL_OK)
        rc = pl_machine_finish(parameters, out, err);
    if (rc == PL_OK && !strcmp(out->policy->name, "opt"))
        rc = pl_fail(err, PL_ERR_INPUT, "policy opt knows the future; a sweep does not (pagelab replay does)");
    return rc;
}

struct pair {
    struct pl_sim *sim, *without; /* `without` may be NULL */
};

static struct pl_page_origin origin_of(void *user, pl_page page)
{
    return pl_trace_page_origin(user, page);
}

static enum pl_err create_sims(const struct pl_sweep_worker *worker, const struct pl_machine *machine,
                               struct pl_trace *trace, struct pair *pair, struct pl_error *err)
{
    struct pl_sim_options options = {.clock = pl_trace_info(trace)->clock};
    if (machine->page_table_entries) {
        options.origin = origin_of;
        options.origin_user = trace;
    }
    enum pl_err rc = pl_sim_create(machine, &options, &pair->sim, err);
    if (rc == PL_OK && machine->has_store && (worker->base->without_store || machine->accounting == PL_CHARGE_1996)) {
        struct pl_machine bare = pl_machine_without_store(machine);
        rc = pl_sim_create(&bare, &options, &pair->without, err);
    }
    return rc;
}

/* Feeds up to `most` touches (0: all). */
static enum pl_err feed(const struct pl_sweep_worker *worker, struct pl_trace *trace, uint64_t most, struct pair *pair,
                        struct pl_error *err)
{
    struct pl_batch batch;
    enum pl_err rc = PL_OK;
    bool ended = false, bare_ended = !pair->without;
    while (!(ended && bare_ended) && (!most || pl_trace_info(trace)->touches < most)) {
        if (worker->stop && __atomic_load_n(worker->stop, __ATOMIC_RELAXED))
            return PL_END;
        rc = pl_trace_next(trace, &batch, err);
        if (rc)
            break;
        rc = ended ? PL_OK : pl_sim_feed(pair->sim, &batch, err);
        ended = ended || rc == PL_END;
        if (rc == PL_OK || rc == PL_END)
            rc = bare_ended ? PL_OK : pl_sim_feed(pair->without, &batch, err);
        bare_ended = bare_ended || rc == PL_END;
        if (rc != PL_OK && rc != PL_END)
            return rc;
    }
    if (rc != PL_OK && rc != PL_END)
        return rc;
    rc = pl_sim_finish(pair->sim, err);
    return rc == PL_OK && pair->without ? pl_sim_finish(pair->without, err) : rc;
}

static void put_latency(const struct pl_sim_result *result, double *output)
{
    struct pl_histogram *all = calloc(1, sizeof *all);
    if (!all)
        return; /* the outputs stay missing */
    for (int kind = 0; kind < PL_FAULT_KINDS; kind++)
        pl_histogram_merge(all, &result->fault_latency[kind]);
    if (all->count) {
        output[OUT_MEAN] = pl_histogram_mean(all) / 1e12;
        output[OUT_P50] = (double)pl_histogram_percentile(all, 50) / 1e12;
        output[OUT_P99] = (double)pl_histogram_percentile(all, 99) / 1e12;
        output[OUT_P999] = (double)pl_histogram_percentile(all, 99.9) / 1e12;
        output[OUT_LONGEST] = (double)all->greatest / 1e12;
    }
    free(all);
}

static void put_zeroing(const struct pl_machine *machine, const struct pl_sim_totals *totals, double *output)
{
    const double busy_s = (double)totals->zero_busy_ps / (double)PL_PS_PER_S;
    if (!totals->zeroed_ahead || !totals->zero_busy_ps)
        return;
    output[OUT_ZERO_GIB] = busy_s / (double)(totals->zeroed_ahead * machine->page_bytes) * (double)PL_GIB;
    output[OUT_ZERO_SPIN] = (double)totals->zero_spin_ps / (double)totals->zero_busy_ps;
}

static void put_without(const struct pl_sim_result *result, const struct pl_sim_result *without, double *output)
{
    output[OUT_EFFECT] = (double)(result->elapsed_ps - without->elapsed_ps) / (double)PL_PS_PER_S;
    output[OUT_WITHOUT_ELAPSED] = (double)without->elapsed_ps / (double)PL_PS_PER_S;
    output[OUT_WITHOUT_READS] = (double)without->totals.disk_reads;
    output[OUT_WITHOUT_WRITES] = (double)without->totals.disk_writes;
}

static void put_outputs(const struct pl_machine *machine, const struct pl_sim_result *result,
                        const struct pl_sim_result *without, double *output)
{
    for (size_t i = 0; i < DERIVED; i++)
        output[i] = NAN;
    for (size_t i = DERIVED; i < OUTPUTS; i++) {
        int64_t number;
        memcpy(&number, (const char *)result + field[i - DERIVED], sizeof number);
        output[i] = (double)number / (outputs[i].quantity.kind == PL_QUANTITY_TIME ? (double)PL_PS_PER_S : 1);
    }
    const double elapsed_s = (double)result->elapsed_ps / (double)PL_PS_PER_S;
    if (without)
        put_without(result, without, output);
    if (machine->lists && result->totals.disk_writes)
        output[OUT_WRITE_SPLIT] = (double)(result->totals.disk_write_requests * machine->writer_cluster) /
                                      (double)result->totals.disk_writes - 1;
    if (elapsed_s > 0) {
        output[OUT_WRITTEN_A_DAY] = (double)result->totals.disk_bytes_written / elapsed_s * 86400;
        output[OUT_CPU_USE] = (double)result->totals.cpu_busy_ps / (double)result->elapsed_ps;
    }
    put_latency(result, output);
    put_zeroing(machine, &result->totals, output);
}

static enum pl_err replay(const struct pl_sweep_worker *worker, const struct pl_machine *machine,
                          struct pl_trace *trace, uint64_t most, double *output, struct pl_error *err)
{
    struct pair pair = {NULL, NULL};
    enum pl_err rc = create_sims(worker, machine, trace, &pair, err);
    if (rc == PL_OK)
        rc = feed(worker, trace, most, &pair, err);
    if (rc == PL_OK && pl_sim_result(pair.sim)->stopped)
        rc = pl_fail(err, PL_ERR_INPUT, "the run ended early: %s", pl_sim_result(pair.sim)->stopped);
    if (rc == PL_OK)
        put_outputs(machine, pl_sim_result(pair.sim), pair.without ? pl_sim_result(pair.without) : NULL, output);
    pl_sim_destroy(pair.sim);
    pl_sim_destroy(pair.without);
    return rc;
}

enum pl_err pl_sweep_replay_once(const struct pl_machine *machine, struct pl_trace *trace, double *output,
                                 struct pl_error *err)
{
    const struct pl_sweep_base base = {.without_store = false};
    const struct pl_sweep_worker worker = {.base = &base};
    return replay(&worker, machine, trace, 0, output, err);
}

double pl_sweep_replay_value(const double *output, const char *name)
{
    for (size_t i = 0; i < OUTPUTS; i++)
        if (!strcmp(outputs[i].quantity.name, name))
            return output[i];
    return NAN;
}

/* The trace; a scenario with the point's values of its parameters. */
static enum pl_err open_trace(const struct pl_sweep_worker *worker, const double *value, size_t which,
                              bool need_dictionary, struct pl_arena *arena, struct pl_trace **out, struct pl_error *err)
{
    const char *assignments[PL_STUDY_PARAMETERS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < worker->study->parameter_count; i++) {
        const struct pl_quantity *quantity = &worker->study->parameter[i].quantity;
        if (!is_of_scenario(quantity->name))
            continue;
        assignments[count] = pl_arena_printf(arena, "%s=%s", quantity->name + sizeof scenario_prefix - 1,
                                             quantity->words[(size_t)value[i]]);
        if (!assignments[count++])
            return pl_fail_memory(err, 0, "the parameters of a scenario");
    }
    return pl_sweep_traces_open(&worker->base->traces, which, need_dictionary, assignments, count, out, err);
}

static enum pl_err run(struct pl_sweep_worker *worker, const double *value, double share, double *output,
                       struct pl_error *err)
{
    const struct pl_sweep_base *base = worker->base;
    const size_t which = base->trace_slot < 0 ? 0 : (size_t)value[base->trace_slot];
    struct pl_arena *arena = pl_arena_create();
    struct pl_machine machine;
    struct pl_trace *trace = NULL;
    if (!arena)
        return pl_fail_memory(err, 0, "a point");
    enum pl_err rc = make_machine(worker, value, arena, &machine, err);
    if (rc == PL_OK)
        rc = open_trace(worker, value, which, machine.page_table_entries > 0, arena, &trace, err);
    if (rc == PL_OK && pl_trace_info(trace)->page_size != machine.page_bytes)
        rc = pl_fail(err, PL_ERR_INPUT, "%s: pages of %u bytes, and memory.page_size of the machine is %llu",
                     base->traces.trace[which].name, pl_trace_info(trace)->page_size,
                     (unsigned long long)machine.page_bytes);
    if (rc == PL_OK && share < 1 && !base->traces.trace[which].touches)
        rc = pl_fail(err, PL_ERR_INPUT, "%s: how long it is is not known, so that no part of it can be run",
                     base->traces.trace[which].name);
    const uint64_t most = share < 1 ? (uint64_t)ceil(share * (double)base->traces.trace[which].touches) : 0;
    if (rc == PL_OK)
        rc = replay(worker, &machine, trace, most, output, err);
    pl_trace_close(trace);
    pl_arena_destroy(arena);
    return rc;
}

static void free_worker(struct pl_sweep_worker *worker)
{
    free(worker);
}

static void free_base(struct pl_sweep_base *self)
{
    if (self)
        pl_sweep_traces_free(&self->traces);
}

const struct pl_sweep_base_ops pl_sweep_replay = {
    "replay", "a replay of its own", 1, outputs, OUTPUTS, read_base, find_parameter, page_size_of, identify, prepare,
    make_worker, run, free_worker, free_base,
};
