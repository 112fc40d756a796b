/* capture/cap_eat.c: `pagecap eat`: runs the measured workload, prints its lines, writes a measurement file. */
#include "capture/measurement.h"
#include "capture/pagecap.h"
#include "capture/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum touch_choice { TOUCH_ALL, TOUCH_FIRST };
static const char *const touch_names[] = {"all", "first", NULL};

struct eat {
    struct cap_common common;
    const char *fill, *memory_path, *zram, *output, *name;
    uint64_t size, seed, threads, processes, repetitions, warm_up;
    int order, touch, memory, trim;
    bool read, own_seeds, verify, trim_given;
    pl_time_ps sleep, pause;
};

static const struct pl_option workload_options[] = {
    {"size", 's', PL_OPT_BYTES, offsetof(struct eat, size), "SIZE", "128MiB", "Memory of each process."},
    {"fill", 0, PL_OPT_TEXT, offsetof(struct eat, fill), "WHAT", "index",
     "What the pages hold: index (int i is i), zeros, rand (15-bit pseudo-random ints from the seed), text, hash "
     "(incompressible), same, mixed (index, zeros, text and rand by turns), or file:PATH."},
    {"seed", 0, PL_OPT_COUNT, offsetof(struct eat, seed), "N", "1", "Of rand, text and hash, and of a random order."},
    {"own-seeds", 0, PL_OPT_FLAG, offsetof(struct eat, own_seeds), NULL, NULL,
     "Each process takes the next seed, so that their pages differ."},
    {"order", 0, PL_OPT_CHOICE, offsetof(struct eat, order), "ORDER", "forward", "In which order pages are touched.",
     pl_workload_order_names},
    {"threads", 0, PL_OPT_COUNT, offsetof(struct eat, threads), "N", "1",
     "Threads of each process; each has its share."},
    {"processes", 0, PL_OPT_COUNT, offsetof(struct eat, processes), "N", "1", "Processes that go in step."},
    {"touch", 0, PL_OPT_CHOICE, offsetof(struct eat, touch), "WHAT", "all",
     "all: every phase; first: only the first int of each page is ever touched.", touch_names},
    {"read", 0, PL_OPT_FLAG, offsetof(struct eat, read), NULL, NULL,
     "The touch after the trim reads instead of writing."},
    {"memory", 0, PL_OPT_CHOICE, offsetof(struct eat, memory), "KIND", "private",
     "private; large (pages); file (mapped, --path); section (that could be shared); rio (registered I/O, Windows).",
     pl_os_memory_names},
    {"path", 0, PL_OPT_TEXT, offsetof(struct eat, memory_path), "FILE", NULL, "The file to map, for --memory file."},
    {"trim", 0, PL_OPT_CHOICE, offsetof(struct eat, trim), "HOW", NULL,
     "How the pages leave: pageout (Linux's default), empty (Windows's), size, minimise, none.", pl_os_trim_names,
     offsetof(struct eat, trim_given)},
    {NULL},
};

static const struct pl_option run_options[] = {
    {"sleep", 0, PL_OPT_TIME, offsetof(struct eat, sleep), "TIME", "0", "Sleep after the trim (15s in CppEater)."},
    {"pause", 0, PL_OPT_TIME, offsetof(struct eat, pause), "TIME", "0",
     "Pause after each other phase (500ms in CppEater)."},
    {"repetitions", 'n', PL_OPT_COUNT, offsetof(struct eat, repetitions), "N", "7",
     "How often all is done and measured."},
    {"warm-up", 0, PL_OPT_COUNT, offsetof(struct eat, warm_up), "N", "1",
     "How often all is done before: the first touches of a virtual machine wait for its host."},
    {"verify", 0, PL_OPT_FLAG, offsetof(struct eat, verify), NULL, NULL,
     "At the end check that every page holds what it was filled with; exit 1 when not."},
    {"zram", 0, PL_OPT_TEXT, offsetof(struct eat, zram), "SIZE,CODEC", NULL,
     "Linux, root: swap to a zram device of this run's own (1GiB,lz4), with the highest priority and page-cluster 0. "
     "It is "
     "taken away at the end, however this program ends; devices that were there are not touched."},
    {NULL},
};

static const struct pl_option output_options[] = {
    {"output", 'o', PL_OPT_TEXT, offsetof(struct eat, output), "FILE", NULL,
     "Write the measurement (raw samples of every repetition, facts of the machine) for pagelab calibrate and "
     "validate."},
    {"name", 0, PL_OPT_TEXT, offsetof(struct eat, name), "NAME", "eat", "The measurement's name."},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"The workload", workload_options, 0},
    {"The run", run_options, 0},
    {"Output", output_options, 0},
    {NULL, cap_common_options, offsetof(struct eat, common)},
    {NULL},
};

static const struct pl_example examples[] = {
    {"pagecap eat --size 512MiB --zram 1GiB,lz4 -o eat.json", "what zram costs here, for pagelab calibrate"},
    {"pagecap eat --size 2000MiB --sleep 15s --pause 500ms -n 1", "CppEater itself"},
    {"pagecap eat --trim none --touch first --size 64MiB", "first and second touches only"},
    {NULL},
};

const struct pl_command_spec cap_eat_spec = {
    .name = "eat",
    .operands = "",
    .summary = "Allocate, touch, fill, trim and touch again: what a page fault costs here.",
    .details =
        "The phases are those of CppEater and of models/scenarios/cppeater.json: allocate, first page touch, second "
        "page touch, all bytes touch, trim and wait, after empty, second after empty. Times are of the touches and the "
        "trim alone; faults are counted by the system. Fails when the trim leaves the pages where they were.",
    .groups = groups,
    .examples = examples,
};

const struct pl_command_spec cap_worker_spec = {
    .name = "worker",
    .operands = "",
    .summary = NULL, /* for `eat --processes`, which starts it: not in the overview */
    .groups = groups,
};

/* --- options to a workload -------------------------------------------------------------------- */
static enum pl_err to_workload(const struct eat *eat, struct pl_workload_options *out, struct pl_error *err)
{
    struct pl_workload_options options = {
        .size = eat->size,
        .seed = eat->seed,
        .order = (enum pl_workload_order)eat->order,
        .threads = eat->threads > 100000 ? 100000 : (unsigned)eat->threads,
        .read_after_trim = eat->read,
        .memory = (enum pl_os_memory_kind)eat->memory,
        .memory_path = eat->memory_path,
        .trim = eat->trim_given ? (enum pl_os_trim)eat->trim : pl_os_trim_default(),
    };
    enum pl_err rc = pl_workload_fill_find(eat->fill, &options, err);
    if (rc)
        return rc;
    if (eat->repetitions == 0)
        return pl_fail(err, PL_ERR_USAGE, "--repetitions must be at least 1");
    *out = options;
    return PL_OK;
}

/* "128MiB" where it is so many, for people and scenarios. */
static const char *size_text(struct pl_arena *arena, uint64_t bytes)
{
    return bytes % PL_MIB ? pl_arena_printf(arena, "%lluB", (unsigned long long)bytes)
                          : pl_arena_printf(arena, "%lluMiB", (unsigned long long)(bytes / PL_MIB));
}

/* The fill as the scenario reads it from wherever the measurement lies: a file's name from the root on. */
static const char *fill_text(struct pl_arena *arena, const struct eat *eat, const struct pl_workload_options *options)
{
    char *full = options->fill == PL_FILL_FILE ? pl_os_full_path(options->fill_path) : NULL;
    const char *text = full ? pl_arena_printf(arena, "file:%s", full) : eat->fill;
    free(full);
    return text ? text : eat->fill;
}

/* The scenario's parameters; and what it has none for, when that is not as there. */
static void describe(struct pl_measurement *measurement, const struct eat *eat,
                     const struct pl_workload_options *options, struct pl_arena *arena)
{
    pl_measurement_parameter(measurement, "size", pl_value_text(size_text(arena, eat->size)));
    pl_measurement_parameter(measurement, "fill", pl_value_text(fill_text(arena, eat, options)));
    pl_measurement_parameter(measurement, "seed", pl_value_count(eat->seed));
    pl_measurement_parameter(measurement, "pause",
                             pl_value_text(pl_arena_printf(arena, "%gms", (double)eat->pause / 1e9)));
    pl_measurement_parameter(measurement, "wait",
                             pl_value_text(pl_arena_printf(arena, "%gms", (double)eat->sleep / 1e9)));
    pl_measurement_parameter(measurement, "order", pl_value_text(pl_workload_order_names[eat->order]));
    if (eat->processes != 1)
        pl_measurement_parameter(measurement, "processes", pl_value_count(eat->processes));
    if (eat->own_seeds)
        pl_measurement_parameter(measurement, "own_seeds", pl_value_bool(true));
    if (eat->threads != 1)
        pl_measurement_parameter(measurement, "threads", pl_value_count(eat->threads));
    if (eat->touch != TOUCH_ALL)
        pl_measurement_parameter(measurement, "touch", pl_value_text(touch_names[eat->touch]));
    if (eat->read)
        pl_measurement_parameter(measurement, "after_empty", pl_value_text("read"));
    if (eat->memory != PL_OS_PRIVATE)
        pl_measurement_parameter(measurement, "memory", pl_value_text(pl_os_memory_names[eat->memory]));
    pl_measurement_fact(measurement, "trim", pl_value_text(pl_os_trim_names[options->trim]));
    pl_measurement_fact(measurement, "warm_up", pl_value_count(eat->warm_up));
}

static void keep_fact(void *user, const char *key, const char *unit, struct pl_value value)
{
    pl_measurement_fact(user, key, value);
}

/* --- running ---------------------------------------------------------------------------------- */
static bool is_wanted(const struct eat *eat, const struct pl_workload_options *options, enum pl_workload_phase phase)
{
    if (phase == PL_PHASE_ALL_BYTES || phase == PL_PHASE_SECOND_ALL_BYTES)
        return eat->touch == TOUCH_ALL;
    if (phase == PL_PHASE_TRIM || phase == PL_PHASE_AFTER_EMPTY)
        return options->trim != PL_OS_TRIM_NONE;
    return true;
}

static void sample_if_counted(struct pl_measurement *measurement, const char *phase, const char *value,
                              const char *unit, uint64_t number)
{
    if (number != UINT64_MAX)
        pl_measurement_sample(measurement, phase, value, unit, (double)number);
}

/* Where pages come back from zram, the system's major faults are faults of the store: no disk is read. */
static void sample_faults(struct pl_measurement *measurement, const char *phase, const struct team_sample *sample)
{
    struct pl_os_store store;
    uint64_t minor = sample->minor_faults, major = sample->major_faults;
    sample_if_counted(measurement, phase, "kernel_minor_faults", "count", minor);
    sample_if_counted(measurement, phase, "kernel_major_faults", "count", major);
    if (minor == UINT64_MAX)
        return;
    pl_measurement_sample(measurement, phase, "page_faults", "count",
                          (double)(minor + (major == UINT64_MAX ? 0 : major)));
    if (major != UINT64_MAX && pl_os_store(&store) && !strncmp(store.name, "zram", 4))
        pl_measurement_sample(measurement, phase, "faults.store", "count", (double)major);
}

static void sample_store(struct pl_measurement *measurement, const char *phase)
{
    struct pl_os_store store;
    if (!pl_os_store(&store))
        return;
    sample_if_counted(measurement, phase, "store_pages", "count", store.pages);
    sample_if_counted(measurement, phase, "store_bytes", "bytes", store.bytes);
    sample_if_counted(measurement, phase, "store_used_bytes", "bytes", store.used_bytes);
    sample_if_counted(measurement, phase, "store_same_pages", "count", store.same_pages);
    sample_if_counted(measurement, phase, "store_huge_pages", "count", store.huge_pages);
    sample_if_counted(measurement, phase, "store_unique_bytes", "bytes", store.unique_bytes);
}

static void keep_sample(struct pl_measurement *measurement, const char *phase, const struct team_sample *sample)
{
    pl_measurement_sample(measurement, phase, "time", "ms", sample->time_ms);
    sample_faults(measurement, phase, sample);
    pl_measurement_sample(measurement, phase, "cpu_seconds", "s", (double)sample->cpu_ns / 1e9);
    sample_if_counted(measurement, phase, "resident_bytes", "bytes", sample->resident_bytes);
    sample_store(measurement, phase);
}

/* A trim that trims nothing would make every number after it a lie. */
static enum pl_err check_trim(const struct eat *eat, const struct team_sample *sample, struct pl_error *err)
{
    uint64_t all = eat->size * eat->processes;
    char left[32], of[32];
    bool stays = eat->memory == PL_OS_LARGE || eat->memory == PL_OS_FILE || eat->memory == PL_OS_RIO;
    if (stays || sample->resident_bytes == UINT64_MAX || sample->resident_bytes <= all / 2)
        return PL_OK;
    return pl_fail(
        err, PL_ERR_RESOURCE,
        "the trim left %s of %s in memory: there is no (or not enough) swap or page file, or trimming does nothing "
        "here; on Linux, as root, --zram SIZE,CODEC makes swap for this run",
        pl_format_bytes(left, sizeof left, (double)sample->resident_bytes),
        pl_format_bytes(of, sizeof of, (double)all));
}

/* All phases once; `measurement` NULL: a warm-up. */
static enum pl_err run_once(const struct eat *eat, const struct pl_workload_options *options, struct team *team,
                            struct pl_measurement *measurement, struct pl_error *err)
{
    for (int phase = 0; phase < PL_PHASES; phase++) {
        struct team_sample sample;
        if (phase == PL_PHASE_SLEEP || !is_wanted(eat, options, (enum pl_workload_phase)phase))
            continue;
        if (pl_os_interrupted())
            return pl_fail(err, PL_ERR_RESOURCE, "interrupted");
        enum pl_err rc = team_run(team, (enum pl_workload_phase)phase, &sample, err);
        if (rc == PL_OK && phase == PL_PHASE_TRIM)
            rc = check_trim(eat, &sample, err);
        if (rc)
            return rc;
        if (phase == PL_PHASE_TRIM) /* the store is looked at after it */
            pl_os_sleep(eat->sleep);
        if (measurement)
            keep_sample(measurement, pl_workload_phase_names[phase], &sample);
        if (phase != PL_PHASE_TRIM)
            pl_os_sleep(eat->pause);
    }
    return PL_OK;
}

static enum pl_err run_all(const struct eat *eat, const struct pl_workload_options *options, struct team *team,
                           struct pl_measurement *measurement, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    for (uint64_t i = 0; i < eat->warm_up + eat->repetitions && rc == PL_OK; i++) {
        bool last = i + 1 == eat->warm_up + eat->repetitions;
        pl_os_own_store_settle();
        rc = run_once(eat, options, team, i < eat->warm_up ? NULL : measurement, err);
        if (rc == PL_OK && last && eat->verify && eat->touch == TOUCH_ALL)
            rc = team_verify(team, err);
        if (rc == PL_OK)
            rc = team_forget(team, err);
    }
    return rc;
}

/* --- the table ---------------------------------------------------------------------------------- */
static const struct pl_column columns[] = {
    {"phase", "phase", "", PL_VALUE_TEXT, 0},
    {"time_ms", "median", "ms", PL_VALUE_REAL, 2},
    {"time_ms_per_mb", "per MB", "ms", PL_VALUE_REAL, 4},
    {"us_per_page", "per page", "us", PL_VALUE_REAL, 3},
    {"least_ms", "least", "ms", PL_VALUE_REAL, 2},
    {"most_ms", "most", "ms", PL_VALUE_REAL, 2},
    {"minor_faults", "minor faults", "", PL_VALUE_REAL, 0},
    {"major_faults", "major faults", "", PL_VALUE_REAL, 0},
    {"store_bytes", "stored", "bytes", PL_VALUE_REAL, 0},
    {"store_used_bytes", "store takes", "bytes", PL_VALUE_REAL, 0},
};

static void phase_row(struct pl_document_table *table, const struct pl_measurement *measurement, const char *phase,
                      double bytes)
{
    size_t count;
    const double *samples = pl_measurement_samples(measurement, phase, "time", &count);
    if (!count)
        return;
    double least = samples[0], most = samples[0], median = pl_measurement_median(measurement, phase, "time");
    for (size_t i = 1; i < count; i++) {
        least = samples[i] < least ? samples[i] : least;
        most = samples[i] > most ? samples[i] : most;
    }
    const struct pl_value row[] = {
        pl_value_text(phase),
        pl_value_real(median),
        pl_value_real(median / (bytes / (double)PL_MIB)),
        pl_value_real(median * 1000 / (bytes / pl_os_page_size())),
        pl_value_real(least),
        pl_value_real(most),
        pl_value_real(pl_measurement_median(measurement, phase, "kernel_minor_faults")),
        pl_value_real(pl_measurement_median(measurement, phase, "kernel_major_faults")),
        pl_value_real(pl_measurement_median(measurement, phase, "store_bytes")),
        pl_value_real(pl_measurement_median(measurement, phase, "store_used_bytes")),
    };
    pl_document_row(table, row);
}

static enum pl_err show(const struct eat *eat, const struct pl_measurement *measurement, struct pl_arena *arena,
                        struct pl_error *err)
{
    struct pl_document *document = pl_document_create(arena, "eat", "What touching, trimming and touching again takes");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    int argc;
    char **argv;
    cap_whole_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    pl_document_parameter(document, "size_bytes", "memory of each process", "bytes", pl_value_count(eat->size));
    pl_document_parameter(document, "fill", "pages hold", "", pl_value_text(eat->fill));
    pl_document_parameter(document, "processes", "processes", "", pl_value_count(eat->processes));
    pl_document_parameter(document, "repetitions", "repetitions", "", pl_value_count(eat->repetitions));
    struct pl_document_table *table =
        pl_document_table(document, "phases", "Medians over the repetitions", columns, PL_COUNT_OF(columns));
    for (int phase = 0; phase < PL_PHASES; phase++)
        phase_row(table, measurement, pl_workload_phase_names[phase], (double)eat->size * (double)eat->processes);
    return cap_emit(document, &eat->common, err);
}

static enum pl_err write_measurement(const struct pl_measurement *measurement, const char *path, struct pl_error *err)
{
    struct pl_sink *sink;
    enum pl_err rc = pl_sink_open_path(path, &sink, err);
    if (rc)
        return rc;
    rc = pl_measurement_write(measurement, sink, err);
    if (rc) {
        pl_sink_abandon(sink);
        return rc;
    }
    return pl_sink_close(sink, err);
}

/* --- the command ----------------------------------------------------------------------------------- */
/* What a worker is told: the workload's options, word by word, without the seed. */
static const char *const *worker_arguments(const struct eat *eat, const struct pl_workload_options *options,
                                           struct pl_arena *arena)
{
    const char **words = pl_arena_alloc(arena, 24, sizeof *words);
    if (!words)
        return NULL;
    size_t count = 0;
    words[count++] = pl_arena_printf(arena, "--size=%lluB", (unsigned long long)eat->size);
    words[count++] = pl_arena_printf(arena, "--fill=%s", eat->fill);
    words[count++] = pl_arena_printf(arena, "--order=%s", pl_workload_order_names[eat->order]);
    words[count++] = pl_arena_printf(arena, "--threads=%llu", (unsigned long long)eat->threads);
    words[count++] = pl_arena_printf(arena, "--memory=%s", pl_os_memory_names[eat->memory]);
    words[count++] = pl_arena_printf(arena, "--trim=%s", pl_os_trim_names[options->trim]);
    if (eat->memory_path)
        words[count++] = pl_arena_printf(arena, "--path=%s", eat->memory_path);
    if (eat->read)
        words[count++] = "--read";
    return words;
}

static enum pl_err measure(const struct eat *eat, struct pl_arena *arena, struct pl_error *err)
{
    struct pl_workload_options options;
    enum pl_err rc = to_workload(eat, &options, err);
    if (rc)
        return rc;
    struct pl_measurement *measurement =
        pl_measurement_create(arena, eat->name, "cppeater", "CppEater's phases, measured by pagecap eat");
    const char *const *arguments = worker_arguments(eat, &options, arena);
    if (!measurement || !arguments)
        return pl_fail_memory(err, 0, "the measurement");
    struct team *team;
    rc = team_create(&options, eat->processes > 1000 ? 1000 : (unsigned)eat->processes, eat->own_seeds, arguments,
                     &team, err);
    if (rc)
        return rc;
    describe(measurement, eat, &options, arena);
    pl_measurement_fact(measurement, "page_bytes", pl_value_count(pl_os_page_size()));
    pl_os_facts(keep_fact, measurement);
    rc = run_all(eat, &options, team, measurement, err);
    team_destroy(team);
    if (rc == PL_OK && eat->output)
        rc = write_measurement(measurement, eat->output, err);
    return rc ? rc : show(eat, measurement, arena, err);
}

enum pl_err cap_eat(int argc, char **argv, struct pl_error *err)
{
    struct eat eat;
    struct cap_line line;
    enum pl_err rc = cap_begin(&cap_eat_spec, argc, argv, &eat, &line, err);
    if (rc == PL_OK && !line.done && line.operands.count)
        rc = pl_fail(err, PL_ERR_USAGE, "eat takes no operands");
    if (rc == PL_OK && !line.done) {
        pl_os_catch_interrupts();
        if (eat.zram)
            rc = pl_os_own_store_start(eat.zram, err);
        if (rc == PL_OK)
            rc = measure(&eat, line.arena, err);
        pl_os_own_store_stop();
    }
    cap_end(&line);
    return rc;
}

enum pl_err cap_worker(int argc, char **argv, struct pl_error *err)
{
    struct eat eat;
    struct cap_line line;
    struct pl_workload_options options;
    enum pl_err rc = cap_begin(&cap_worker_spec, argc, argv, &eat, &line, err);
    if (rc == PL_OK && !line.done)
        rc = to_workload(&eat, &options, err);
    if (rc == PL_OK && !line.done)
        rc = team_work(&options, err);
    cap_end(&line);
    return rc;
}
