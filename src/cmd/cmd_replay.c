/* cmd/cmd_replay.c: `pagelab replay`: a trace runs on a simulated machine.
 *
 * This half reads options, machine and trace and drives the simulation; cmd_replay_document.c says what came out. */
#include "cmd/cmd_replay.h"

#include "study/scale_memory.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct pl_option machine_options[] = {
    {"machine", 'm', PL_OPT_LIST, offsetof(struct replay_options, machine), "FILE", NULL,
     "The machine: a JSON file, or the name of one that comes with the program (two-level, rc96, "
     "win10-1607-i7-4770k, zram-lz4, ...).",
     NULL, 0},
    {"set", 's', PL_OPT_LIST, offsetof(struct replay_options, set), "PATH=VALUE", NULL,
     "Change a parameter of the machine (store.max_bytes=1GiB).", NULL, 0},
    {"memory", 0, PL_OPT_TEXT, offsetof(struct replay_options, memory), "SIZE", NULL,
     "Another size of memory. What the machine file says of sizes (kernel, watermarks, store, page file) goes with it; "
     "--set comes after.",
     NULL, 0},
    {"parameters", 0, PL_OPT_FLAG, offsetof(struct replay_options, list_parameters), NULL, NULL,
     "List all parameters of the machine with values, units and sources, and run nothing.", NULL, 0},
    {NULL},
};

static const struct pl_option run_options[] = {
    {"interval", 'i', PL_OPT_TIME, offsetof(struct replay_options, interval), "TIME", NULL,
     "Add a table of the machine over time, with a row each TIME of simulated time.", NULL, 0},
    {"sample", 0, PL_OPT_REAL, offsetof(struct replay_options, sample), "SHARE", NULL,
     "Run this share of the pages only (0.1), on a machine with that share of its memory, store and page file, and scale "
     "counts up: faster, and rough where few pages make most faults.",
     NULL, offsetof(struct replay_options, sample_given)},
    {"without-store", 0, PL_OPT_FLAG, offsetof(struct replay_options, without_store), NULL, NULL,
     "Run the trace a second time beside the first, on the same machine without its store, and say the difference. Always "
     "done under store.accounting = 1996.",
     NULL, 0},
    {"timeline", 0, PL_OPT_TEXT, offsetof(struct replay_options, timeline), "FILE", NULL,
     "Write what happened when as a Chrome trace (JSON), for chrome://tracing, Perfetto and others.", NULL, 0},
    {"timeline-least", 0, PL_OPT_TIME, offsetof(struct replay_options, timeline_least), "TIME", "1us",
     "Leave shorter spans out of it.", NULL, 0},
    {"check", 0, PL_OPT_FLAG, offsetof(struct replay_options, check), NULL, NULL,
     "Verify that everything adds up: frames, store, page file, time. Counts at every event; frame by frame and page by page "
     "at every event up to 4,096 of them, less often where there are more, and at the end of each phase. Slow; a violation "
     "ends the run with status 1.",
     NULL, 0},
    {NULL},
};

static const struct pl_option view_options[] = {
    {"views", 0, PL_OPT_FLAG, offsetof(struct replay_options, views), NULL, NULL,
     "Add what Task Manager, Process Explorer, VMMap and RAMMap would show at the end of every phase, a table each, and one "
     "with the tools side by side.",
     NULL, 0},
    {"views-at", 0, PL_OPT_LIST, offsetof(struct replay_options, views_at), "PHASE", NULL,
     "The same at the end of this phase only.", NULL, 0},
    {"csv-table", 0, PL_OPT_CHOICE, offsetof(struct replay_options, csv_table), "TABLE", "views_memory",
     "Which of these tables --csv writes.", replay_view_tables, 0},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"The machine", machine_options, 0},
    {"The run", run_options, 0},
    {"What tools would show", view_options, 0},
    {"Reading the trace", cmd_trace_option_table, offsetof(struct replay_options, trace)},
    {"Output", cmd_common_options, offsetof(struct replay_options, common)},
    {NULL, NULL, 0},
};

static const struct pl_example examples[] = {
    {"pagelab replay traces/example.trace --machine two-level --set memory.resident=64p --set store.max_pages=64p",
     "64 frames and a store of 64 pages beside them"},
    {"pagelab replay traces/example.trace --machine rc96 --set memory.total=128p --set store.max_bytes=32p --json -",
     "the machine of the 1996 model: what its cache costs or gains, as JSON"},
    {"pagelab replay traces/example.trace --machine win10-1607-i7-4770k --timeline t.json", "what happened when, for a trace viewer"},
    {"pagelab replay models/scenarios/black-holes.json --machine win10-1607-i7-4770k --param size=64MiB --views-at 'looked at'",
     "which tool sees which memory: private, a file, a section, large pages"},
    {"pagelab replay traces/example.trace --machine two-level --set memory.resident=640p --sample 0.1",
     "a tenth of the pages on a tenth of the machine"},
    {NULL, NULL},
};

const struct pl_command_spec cmd_replay_spec = {
    .name = "replay",
    .operands = "TRACE",
    .summary = "a trace on a simulated machine: time, faults, store and disk, event by event",
    .details =
        "Each thread of the trace runs by its own clock; what is not resident goes through page lists, the compressed "
        "store and the page file of the machine, and takes the time that the machine file says. Everything that a machine "
        "can be is a parameter: --parameters lists them.\n\n"
        "Phase marks in the trace are barriers, and rows of the result.\n\n"
        "Results (JSON): elapsed_s, touches, faults by kind (faults_demand_zero ...), disk_reads, disk_writes, "
        "store_hits and so on; times by component (time_run_s, time_wait_disk_s ...), which sum to the threads' elapsed "
        "time exactly; with a run without the store also effect_s.",
    .groups = groups,
    .examples = examples,
};

/* --- the machine -------------------------------------------------------------------------- */

enum { MODEL_FOLDERS = 3 };

/* Where the machines that come with the program are; NULL: nowhere. */
static const char *model_folder(size_t i)
{
    static const char *const folders[] = {PL_SOURCE_DIR "/models", PL_PKGDATADIR "/models"};
    return i == 0 ? getenv("PAGELAB_MODELS") : folders[i - 1];
}

/* A file as it is named, or one of the machines that come with the program. */
static const char *machine_path(const char *name, struct pl_arena *arena)
{
    if (strchr(name, '/') || !strcmp(name, "-") || access(name, R_OK) == 0)
        return name;
    for (size_t i = 0; i < MODEL_FOLDERS; i++) {
        const char *folder = model_folder(i);
        size_t length = strlen(name);
        bool has_ending = length > 5 && !strcmp(name + length - 5, ".json");
        const char *path = folder ? pl_arena_printf(arena, "%s/%s%s", folder, name, has_ending ? "" : ".json") : NULL;
        if (path && access(path, R_OK) == 0)
            return path;
    }
    return name;
}

enum { MACHINES_MAX = 64 };

/* Names of the machines in the first of the folders that has any, sorted. */
static size_t list_machines(const char **names, struct pl_arena *arena)
{
    size_t count = 0;
    for (size_t i = 0; i < MODEL_FOLDERS && !count; i++) {
        DIR *folder = model_folder(i) ? opendir(model_folder(i)) : NULL;
        const struct dirent *entry;
        while (folder && (entry = readdir(folder)) && count < MACHINES_MAX) {
            size_t length = strlen(entry->d_name);
            if (length > 5 && !strcmp(entry->d_name + length - 5, ".json"))
                names[count++] = pl_arena_printf(arena, "%.*s", (int)(length - 5), entry->d_name);
        }
        if (folder)
            closedir(folder);
    }
    for (size_t i = 1; i < count; i++) /* insertion: there are a few */
        for (size_t j = i; j > 0 && strcmp(names[j - 1], names[j]) > 0; j--) {
            const char *name = names[j];
            names[j] = names[j - 1];
            names[j - 1] = name;
        }
    return count;
}

static enum pl_err unknown_machine(const char *name, struct pl_arena *arena, struct pl_error *err)
{
    const char *names[MACHINES_MAX], *all = "";
    size_t count = list_machines(names, arena);
    const char *near = pl_nearest(name, names, count, sizeof *names);
    for (size_t i = 0; i < count; i++)
        all = pl_arena_printf(arena, "%s%s%s", all, i ? ", " : "", names[i]);
    if (near)
        return pl_fail(err, PL_ERR_USAGE, "--machine: there is no file and no machine '%s'; did you mean '%s'?", name, near);
    return pl_fail(err, PL_ERR_USAGE, "--machine: there is no file and no machine '%s'; there are %s", name, all);
}

static enum pl_err read_machine(const struct replay_options *options, struct pl_arena *arena,
                                struct pl_parameters **parameters, struct pl_machine *machine, struct pl_error *err)
{
    const char *name = options->machine.count ? options->machine.item[0] : NULL;
    if (options->machine.count > 1)
        return pl_fail(err, PL_ERR_USAGE, "replay: --machine is given twice: %s and %s", name, options->machine.item[1]);
    if (!name && !options->list_parameters)
        return pl_fail(err, PL_ERR_USAGE, "replay: --machine is needed (two-level, rc96, win10-1607-i7-4770k, ... or a file)");
    enum pl_err rc = pl_machine_parameters(arena, parameters, err);
    const char *path = name ? machine_path(name, arena) : NULL;
    if (rc == PL_OK && path && access(path, R_OK) && !strchr(path, '/') && strcmp(path, "-"))
        rc = unknown_machine(name, arena, err);
    if (rc == PL_OK && path)
        rc = pl_parameters_read(*parameters, path, err);
    if (rc == PL_OK && options->memory)
        rc = pl_machine_scale_memory_to(*parameters, options->memory, err);
    for (size_t i = 0; rc == PL_OK && i < options->set.count; i++)
        rc = pl_parameters_override(*parameters, options->set.item[i], err);
    if (rc == PL_OK && options->sample_given && !(options->sample > 0 && options->sample <= 1))
        return pl_fail(err, PL_ERR_USAGE, "--sample: above 0 and up to 1, not %g", options->sample);
    if (rc == PL_OK && options->sample_given)
        rc = replay_sample_machine(*parameters, options->sample, err);
    return rc == PL_OK ? pl_machine_finish(*parameters, machine, err) : rc;
}

/* --- the future, for the policy that knows it -------------------------------------------------- */

struct future {
    pl_page *page;
    uint32_t *next;
    size_t count, capacity, next_capacity;
};

static enum pl_err note_batch(struct future *future, const struct pl_batch *batch, struct pl_error *err)
{
    enum pl_err rc = pl_grow((void **)&future->page, &future->capacity, future->count + batch->count + 1,
                             sizeof *future->page, "the future", err);
    if (rc == PL_OK && batch->count)
        memcpy(future->page + future->count, batch->page, batch->count * sizeof *future->page);
    if (rc == PL_OK)
        future->count += batch->count;
    return rc;
}

/* From the last touch to the first: when each page is touched next. */
static enum pl_err link_future(struct future *future, uint64_t distinct, struct pl_error *err)
{
    enum pl_err rc = pl_grow((void **)&future->next, &future->next_capacity, future->count + 1, sizeof *future->next,
                             "the future", err);
    uint32_t *seen = rc ? NULL : malloc((size_t)(distinct + 1) * sizeof *seen);
    if (!seen)
        return rc ? rc : pl_fail_memory(err, (size_t)distinct * sizeof *seen, "the future");
    memset(seen, 0xFF, (size_t)(distinct + 1) * sizeof *seen);
    for (size_t i = future->count; i-- > 0;) {
        future->next[i] = seen[future->page[i]];
        seen[future->page[i]] = (uint32_t)i;
    }
    free(seen);
    return PL_OK;
}

static enum pl_err read_future(const char *path, const struct pl_trace_options *options, struct future *future,
                               struct pl_error *err)
{
    struct pl_trace *trace;
    struct pl_batch batch;
    uint64_t distinct = 0;
    if (!strcmp(path, "-"))
        return pl_fail(err, PL_ERR_USAGE, "policy opt reads the trace twice: it needs a file, not standard input");
    enum pl_err rc = pl_trace_open(path, options, &trace, err);
    if (rc)
        return rc;
    while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK && (rc = note_batch(future, &batch, err)) == PL_OK)
        distinct = batch.distinct;
    pl_trace_close(trace);
    if (rc != PL_END)
        return rc;
    if (future->count >= (1u << 30) - 4)
        return pl_fail(err, PL_ERR_INPUT, "%s: policy opt takes at most 2^30 touches", path);
    return link_future(future, distinct, err);
}

/* --- the run -------------------------------------------------------------------------------------- */

struct run {
    const struct replay_options *options;
    struct pl_machine machine, bare;
    struct pl_trace *trace;
    struct replay_sample *sample; /* NULL: all pages */
    struct pl_sim *sim, *without;
    struct pl_sink *timeline_sink;
    struct pl_timeline timeline;
    struct future future;
    struct pl_progress progress;
};

static struct pl_page_origin origin_of(void *user, pl_page page)
{
    return pl_trace_page_origin(user, page);
}

static enum pl_err check_trace(const struct run *run, struct pl_error *err)
{
    const struct pl_trace_info *info = pl_trace_info(run->trace);
    if (info->records != PL_RECORDS_ACCESSES && info->records != PL_RECORDS_REQUESTS)
        return pl_fail(err, PL_ERR_INPUT, "%s: its records are not accesses: they cannot be replayed", info->path);
    if (info->page_size != run->machine.page_bytes)
        return pl_fail(err, PL_ERR_INPUT, "%s: pages of %u bytes, and memory.page_size of the machine is %llu", info->path,
                       info->page_size, (unsigned long long)run->machine.page_bytes);
    return PL_OK;
}

static enum pl_err open_trace(struct run *run, const char *path, struct pl_error *err)
{
    struct pl_trace_options options;
    enum pl_err rc = cmd_trace_options_get(&run->options->trace, &options, err);
    if (rc)
        return rc;
    bool opt = !strcmp(run->machine.policy->name, "opt");
    options.need_dictionary = run->machine.page_table_entries > 0;
    options.expand_ranges = opt || run->options->sample_given;
    if (opt && run->options->sample_given)
        return pl_fail(err, PL_ERR_USAGE, "--sample: policy opt knows the future of all pages; take the whole trace");
    if (run->options->sample_given)
        rc = replay_sample_create(run->options->sample, &run->sample, err);
    if (rc == PL_OK && opt)
        rc = read_future(path, &options, &run->future, err);
    options.progress = &run->progress;
    if (rc == PL_OK)
        rc = pl_trace_open(path, &options, &run->trace, err);
    return rc == PL_OK ? check_trace(run, err) : rc;
}

static enum pl_err create_sims(struct run *run, struct pl_error *err)
{
    struct pl_sim_options options = {
        .clock = pl_trace_info(run->trace)->clock,
        .check = run->options->check,
        .views = run->options->views || run->options->views_at.count,
        .interval_ps = run->options->interval,
        .interrupted = cmd_interrupted,
        .future = {run->future.page, run->future.next, (uint32_t)run->future.count},
    };
    if (run->machine.page_table_entries && !run->sample) { /* a sample's neighbours are those with neighbouring numbers */
        options.origin = origin_of;
        options.origin_user = run->trace;
    }
    bool bare = run->machine.has_store && (run->options->without_store || run->machine.accounting == PL_CHARGE_1996);
    if (bare) {
        run->bare = pl_machine_without_store(&run->machine);
        enum pl_err rc = pl_sim_create(&run->bare, &options, &run->without, err);
        if (rc)
            return rc;
    }
    if (run->options->timeline) {
        enum pl_err rc = pl_sink_open_path(run->options->timeline, &run->timeline_sink, err);
        if (rc)
            return rc;
        pl_timeline_start(&run->timeline, run->timeline_sink, run->options->timeline_least);
        options.timeline = &run->timeline;
    }
    return pl_sim_create(&run->machine, &options, &run->sim, err);
}

static enum pl_err next_batch(struct run *run, struct pl_batch *batch, struct pl_error *err)
{
    return run->sample ? replay_sample_next(run->sample, run->trace, batch, err) : pl_trace_next(run->trace, batch, err);
}

/* A run that stopped early is no error here: the result says so. */
static enum pl_err feed_all(struct run *run, struct pl_error *err)
{
    struct pl_batch batch;
    enum pl_err rc;
    bool ended = false, bare_ended = !run->without;
    while (!(ended && bare_ended) && (rc = next_batch(run, &batch, err)) == PL_OK) {
        rc = ended ? PL_OK : pl_sim_feed(run->sim, &batch, err);
        ended = ended || rc == PL_END;
        if (rc == PL_OK || rc == PL_END)
            rc = bare_ended ? PL_OK : pl_sim_feed(run->without, &batch, err);
        bare_ended = bare_ended || rc == PL_END;
        if (rc != PL_OK && rc != PL_END)
            return rc;
    }
    if (!(ended && bare_ended) && rc != PL_END)
        return rc;
    rc = pl_sim_finish(run->sim, err);
    return rc == PL_OK && run->without ? pl_sim_finish(run->without, err) : rc;
}

static enum pl_err end_timeline(struct run *run, struct pl_error *err)
{
    if (!run->timeline_sink)
        return PL_OK;
    pl_timeline_end(&run->timeline);
    struct pl_sink *sink = run->timeline_sink;
    run->timeline_sink = NULL;
    return pl_sink_close(sink, err);
}

/* Whether the table, and the note in it that says why a run ended early, stands on standard output. */
static bool is_shown(const struct cmd_common *common)
{
    const char *forms[] = {common->json, common->csv, common->plot};
    bool other = false;
    for (size_t i = 0; i < PL_COUNT_OF(forms); i++)
        other |= forms[i] && !strcmp(forms[i], "-");
    return !common->quiet && !other;
}

/* Phases are known when they have been run. */
static enum pl_err check_phases(const struct replay_options *options, const struct pl_sim_result *result,
                                struct pl_arena *arena, struct pl_error *err)
{
    const char **names = pl_arena_alloc(arena, result->phase_count + 1, sizeof *names);
    char hint[160];
    if (!names)
        return pl_fail_memory(err, result->phase_count * sizeof *names, "names of phases");
    for (size_t i = 0; i < result->phase_count; i++)
        names[i] = replay_phase_name(&result->phase[i]);
    for (size_t k = 0; k < options->views_at.count; k++) {
        const char *wanted = options->views_at.item[k];
        size_t i = 0;
        while (i < result->phase_count && strcmp(names[i], wanted) != 0)
            i++;
        if (i == result->phase_count)
            return pl_fail(err, PL_ERR_USAGE, "--views-at: the run has no phase '%s'%s", wanted,
                           pl_did_you_mean(hint, sizeof hint, wanted, names, result->phase_count, sizeof *names));
    }
    return PL_OK;
}

static enum pl_err report(struct run *run, const struct pl_parameters *parameters, struct pl_arena *arena,
                          struct pl_error *err)
{
    struct replay_report words = {.options = run->options,
                                  .parameters = parameters,
                                  .machine = &run->machine,
                                  .trace = pl_trace_info(run->trace),
                                  .result = pl_sim_result(run->sim),
                                  .without = run->without ? pl_sim_result(run->without) : NULL,
                                  .interrupted = cmd_interrupted()};
    enum pl_err rc = check_phases(run->options, words.result, arena, err);
    if (rc)
        return rc;
    struct pl_document *document = replay_document(&words, arena);
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    rc = cmd_emit(document, &run->options->common, err);
    if (rc == PL_OK && words.interrupted)
        return pl_fail(err, PL_ERR_RESOURCE, "interrupted");
    if (rc == PL_OK && words.result->stopped)
        return is_shown(&run->options->common)
                   ? pl_fail(err, PL_ERR_CHECK, "the run ended early, as the last note says")
                   : pl_fail(err, PL_ERR_CHECK, "the run ended early: %s", words.result->stopped);
    return rc;
}

static enum pl_err replay(const struct replay_options *options, const char *path, struct pl_arena *arena,
                          struct pl_error *err)
{
    struct run run = {.options = options};
    struct pl_parameters *parameters;
    enum pl_err rc = read_machine(options, arena, &parameters, &run.machine, err);
    if (rc)
        return rc;
    run.progress = cmd_progress_begin("replay", "bytes", options->common.quiet);
    rc = open_trace(&run, path, err);
    if (rc == PL_OK)
        rc = create_sims(&run, err);
    if (rc == PL_OK)
        rc = feed_all(&run, err);
    cmd_progress_end();
    if (rc == PL_OK)
        rc = end_timeline(&run, err);
    if (rc == PL_OK)
        rc = report(&run, parameters, arena, err);
    if (run.timeline_sink)
        pl_sink_abandon(run.timeline_sink);
    pl_sim_destroy(run.sim);
    pl_sim_destroy(run.without);
    pl_trace_close(run.trace);
    replay_sample_free(run.sample);
    free(run.future.page);
    free(run.future.next);
    return rc;
}

static enum pl_err list_parameters(const struct replay_options *options, struct pl_arena *arena, struct pl_error *err)
{
    struct pl_parameters *parameters;
    struct pl_machine machine;
    enum pl_err rc = read_machine(options, arena, &parameters, &machine, err);
    if (rc)
        return rc;
    struct pl_document *document = pl_document_create(arena, "machine", "Parameters of the machine");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    int argc;
    char **argv;
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    pl_parameters_document(parameters, &machine, document);
    return cmd_emit(document, &options->common, err);
}

enum pl_err cmd_replay(int argc, char **argv, struct pl_error *err)
{
    struct replay_options options;
    struct pl_strings operands;
    bool done;
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, 0, "a run");
    enum pl_err rc = cmd_parse(&cmd_replay_spec, argc, argv, &options, &operands, arena, &done, err);
    if (rc == PL_OK && !done) {
        if (options.list_parameters)
            rc = list_parameters(&options, arena, err);
        else if (operands.count == 1)
            rc = replay(&options, operands.item[0], arena, err);
        else
            rc = pl_fail(err, PL_ERR_USAGE, "replay: needs one trace ('-' is standard input)");
    }
    pl_arena_destroy(arena);
    return rc;
}
