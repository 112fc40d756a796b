/* cmd/cmd_replay_document.c: what came out of a replay, as a document: results, and tables by phase, process, fault kind
 * and time. */
#include "cmd/cmd_replay.h"

#include "cmd/cmd_trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double seconds(pl_time_ps time)
{
    return (double)time / (double)PL_PS_PER_S;
}

static void put_count(struct pl_document *document, const char *key, const char *label, uint64_t count)
{
    pl_document_result(document, key, label, "", pl_value_count(count));
}

static void put_seconds(struct pl_document *document, const char *key, const char *label, pl_time_ps time)
{
    pl_document_result(document, key, label, "s", pl_value_real(seconds(time)));
}

static void put_share(struct pl_document *document, const char *key, const char *label, double part, double whole)
{
    pl_document_result(document, key, label, "%", pl_value_real(whole > 0 ? 100 * part / whole : NAN));
}

/* --- single results ---------------------------------------------------------------------- */

static const char *const fault_keys[PL_FAULT_KINDS] = {"faults_demand_zero",   "faults_transition", "faults_store",
                                                       "faults_hard",          "faults_copy_on_write", "faults_guard"};

enum section { SECTION_FIRST, SECTION_RUN, SECTION_STORE, SECTION_TIME, SECTION_COUNTS, SECTION_BUSY };
enum figure_kind { FIGURE_COUNT, FIGURE_SECONDS };

static const struct {
    enum section section;
    enum figure_kind kind;
    const char *key, *label;
    size_t field;
} figures[] = {
#define FIGURE(section, kind, key, label, field, by_default)                                                           \
    {SECTION_##section, FIGURE_##kind, key, label, offsetof(struct pl_sim_result, field)},
#include "sim/sim_figure_list.h"
};

static void put_figures(struct pl_document *document, const struct pl_sim_result *result, enum section section)
{
    for (size_t i = 0; i < PL_COUNT_OF(figures); i++) {
        uint64_t value;
        memcpy(&value, (const char *)result + figures[i].field, sizeof value);
        if (figures[i].section != section)
            continue;
        if (figures[i].kind == FIGURE_SECONDS)
            put_seconds(document, figures[i].key, figures[i].label, (pl_time_ps)value);
        else
            put_count(document, figures[i].key, figures[i].label, value);
    }
}

static void put_processor_use(struct pl_document *document, const struct replay_report *report)
{
    double elapsed = seconds(report->result->elapsed_ps), cpus = (double)report->machine->cpus;
    if (report->machine->cpus)
        put_share(document, "cpu_use_percent", "processor use", seconds(report->result->totals.cpu_busy_ps), cpus * elapsed);
}

/* Accesses beyond one for each block of writer.cluster pages: frac of the model of 1996, counted where that enters it. */
static void put_write_split(struct pl_document *document, const struct replay_report *report)
{
    const struct pl_sim_totals *totals = &report->result->totals;
    double blocks = (double)totals->disk_writes / (double)report->machine->writer_cluster;
    if (report->machine->lists && totals->disk_writes)
        pl_document_result(document, "write_split", "further accesses for each block written", "",
                           pl_value_real((double)totals->disk_write_requests / blocks - 1));
}

/* What zeroing ahead of need costs. The counts are zero, and left out, where there is none. */
static void put_zeroing(struct pl_document *document, const struct replay_report *report)
{
    const struct pl_sim_totals *totals = &report->result->totals;
    double gib = (double)(totals->zeroed_ahead * report->machine->page_bytes) / (double)PL_GIB;
    if (!totals->zero_acquisitions || !totals->zeroed_ahead)
        return;
    put_share(document, "zero_spin_percent", "share of the zeroing threads' time that they spun", seconds(totals->zero_spin_ps),
              seconds(totals->zero_busy_ps));
    pl_document_result(document, "zero_s_per_gib", "processor time for a GiB zeroed", "s",
                       pl_value_real(seconds(totals->zero_busy_ps) / gib));
}

/* The same trace without the store: what the store costs (+) or gains (-). */
static void put_effect(struct pl_document *document, const struct replay_report *report)
{
    const struct pl_sim_result *without = report->without;
    if (!without)
        return;
    put_seconds(document, "effect_s", "effect of the store (+ lost, - gained)",
                report->result->elapsed_ps - without->elapsed_ps);
    put_seconds(document, "without_store_elapsed_s", "elapsed without the store", without->elapsed_ps);
    put_count(document, "without_store_disk_reads", "pages read without the store", without->totals.disk_reads);
    put_count(document, "without_store_disk_writes", "pages written without the store", without->totals.disk_writes);
}

static void put_results(struct pl_document *document, const struct replay_report *report)
{
    const struct pl_sim_result *result = report->result;
    put_figures(document, result, SECTION_FIRST);
    put_effect(document, report);
    put_figures(document, result, SECTION_RUN);
    if (result->has_store)
        put_figures(document, result, SECTION_STORE);
    put_figures(document, result, SECTION_TIME);
    put_figures(document, result, SECTION_COUNTS);
    if (result->checks)
        put_count(document, "checks", "times that everything was checked", result->checks);
    put_figures(document, result, SECTION_BUSY);
    put_processor_use(document, report);
    put_write_split(document, report);
    put_zeroing(document, report);
}

/* --- tables ----------------------------------------------------------------------------------- */

enum { NAME_COLUMNS = 2, COUNT_COLUMNS = 3 + PL_FAULT_KINDS, ROW_COLUMNS = NAME_COLUMNS + COUNT_COLUMNS + PL_COMPONENTS + 2 };

/* The columns that tables by phase and by process share, behind those that say which. */
static size_t put_cell_columns(struct pl_column *out)
{
    static const char *const short_labels[PL_FAULT_KINDS] = {"zero", "soft", "store", "hard", "copy", "guard"};
    static char names[PL_COMPONENTS][24];
    size_t n = 0;
    out[n++] = (struct pl_column){"touches", "touches", "", PL_VALUE_COUNT, 0};
    out[n++] = (struct pl_column){"writes", "writes", "", PL_VALUE_COUNT, 0};
    for (int kind = 0; kind < PL_FAULT_KINDS; kind++)
        out[n++] = (struct pl_column){fault_keys[kind], short_labels[kind], "", PL_VALUE_COUNT, 0};
    out[n++] = (struct pl_column){"collided", "waits", "", PL_VALUE_COUNT, 0};
    for (int c = 0; c < PL_COMPONENTS; c++) {
        snprintf(names[c], sizeof names[c], "%s_s", pl_component_names[c]);
        out[n++] = (struct pl_column){names[c], pl_component_labels[c], "s", PL_VALUE_REAL, 6};
    }
    return n;
}

static size_t put_cell(struct pl_value *out, const struct pl_sim_cell *cell)
{
    size_t n = 0;
    out[n++] = pl_value_count(cell->touches);
    out[n++] = pl_value_count(cell->writes);
    for (int kind = 0; kind < PL_FAULT_KINDS; kind++)
        out[n++] = pl_value_count(cell->faults[kind]);
    out[n++] = pl_value_count(cell->collided);
    for (int c = 0; c < PL_COMPONENTS; c++)
        out[n++] = pl_value_real(seconds(cell->time_ps[c]));
    return n;
}

static void add_cell(struct pl_sim_cell *into, const struct pl_sim_cell *from)
{
    into->touches += from->touches;
    into->writes += from->writes;
    into->collided += from->collided;
    for (int kind = 0; kind < PL_FAULT_KINDS; kind++)
        into->faults[kind] += from->faults[kind];
    for (int c = 0; c < PL_COMPONENTS; c++)
        into->time_ps[c] += from->time_ps[c];
}

static void put_phases(struct pl_document *document, const struct pl_sim_result *result)
{
    struct pl_column columns[ROW_COLUMNS + 2] = {{"phase", "phase", "", PL_VALUE_TEXT, 0},
                                                 {"elapsed_s", "elapsed", "s", PL_VALUE_REAL, 6},
                                                 {"disk_reads", "disk reads", "", PL_VALUE_COUNT, 0},
                                                 {"disk_writes", "disk writes", "", PL_VALUE_COUNT, 0}};
    size_t count = 4 + put_cell_columns(columns + 4);
    struct pl_document_table *table = pl_document_table(document, "phases", "By phase", columns, count);
    struct pl_sim_totals before = {0};
    for (size_t i = 0; i < result->phase_count; i++) {
        const struct pl_sim_phase *phase = &result->phase[i];
        struct pl_sim_cell sum = {0};
        for (uint32_t p = 0; p < phase->processes; p++)
            add_cell(&sum, &phase->cell[p]);
        struct pl_value row[ROW_COLUMNS + 2] = {pl_value_text(replay_phase_name(phase)),
                                                pl_value_real(seconds(phase->end_ps - phase->start_ps)),
                                                pl_value_count(phase->at_end.disk_reads - before.disk_reads),
                                                pl_value_count(phase->at_end.disk_writes - before.disk_writes)};
        put_cell(row + 4, &sum);
        pl_document_row(table, row);
        before = phase->at_end;
    }
    pl_document_csv_table(document, table);
}

static void put_processes(struct pl_document *document, const struct pl_sim_result *result)
{
    struct pl_column columns[ROW_COLUMNS + 3] = {{"process", "process", "", PL_VALUE_COUNT, 0},
                                                 {"name", "name", "", PL_VALUE_TEXT, 0},
                                                 {"peak_working_set_pages", "peak set", "pages", PL_VALUE_COUNT, 0},
                                                 {"working_set_pages", "working set", "pages", PL_VALUE_COUNT, 0},
                                                 {"commit_pages", "commit", "pages", PL_VALUE_COUNT, 0}};
    size_t count = 5 + put_cell_columns(columns + 5);
    if (result->process_count < 2 && result->phase_count < 2)
        return;
    struct pl_document_table *table = pl_document_table(document, "processes", "By process", columns, count);
    for (size_t i = 0; i < result->process_count; i++) {
        const struct pl_sim_process *process = &result->process[i];
        struct pl_value row[ROW_COLUMNS + 3] = {
            pl_value_count(process->id), pl_value_text(process->name), pl_value_count(process->state.peak_working_set),
            pl_value_count(process->state.working_set), pl_value_count(process->state.commit_pages)};
        put_cell(row + 5, &process->all);
        pl_document_row(table, row);
    }
    pl_document_show_at_most(table, 20);
}

/* Phase by process, for those who ask the JSON. */
static void put_cells(struct pl_document *document, const struct pl_sim_result *result)
{
    struct pl_column columns[ROW_COLUMNS] = {{"phase", "phase", "", PL_VALUE_TEXT, 0},
                                             {"process", "process", "", PL_VALUE_COUNT, 0}};
    size_t count = 2 + put_cell_columns(columns + 2);
    if (result->process_count < 2 || result->phase_count < 2)
        return;
    struct pl_document_table *table =
        pl_document_table(document, "phases_processes", "By phase and process", columns, count);
    for (size_t i = 0; i < result->phase_count; i++)
        for (uint32_t p = 0; p < result->phase[i].processes; p++) {
            struct pl_value row[ROW_COLUMNS] = {pl_value_text(result->phase[i].name),
                                                pl_value_count(result->process[p].id)};
            put_cell(row + 2, &result->phase[i].cell[p]);
            pl_document_row(table, row);
        }
    pl_document_show_at_most(table, 24);
}

static void put_latencies(struct pl_document *document, const struct pl_sim_result *result)
{
    static const struct pl_column columns[] = {
        {"kind", "kind", "", PL_VALUE_TEXT, 0},          {"faults", "touches", "", PL_VALUE_COUNT, 0},
        {"mean_us", "mean", "us", PL_VALUE_REAL, 3},     {"median_us", "median", "us", PL_VALUE_REAL, 3},
        {"p90_us", "90 %", "us", PL_VALUE_REAL, 3},      {"p99_us", "99 %", "us", PL_VALUE_REAL, 3},
        {"p999_us", "99.9 %", "us", PL_VALUE_REAL, 3},   {"longest_us", "longest", "us", PL_VALUE_REAL, 3},
    };
    struct pl_document_table *table = pl_document_table(
        document, "fault_latency", "How long touches took that faulted, by the kind of their page's fault", columns,
        PL_COUNT_OF(columns));
    for (int kind = 0; kind < PL_FAULT_KINDS; kind++) {
        const struct pl_histogram *latency = &result->fault_latency[kind];
        if (!latency->count)
            continue;
        static const double percents[] = {50, 90, 99, 99.9, 100};
        struct pl_value row[PL_COUNT_OF(columns)] = {pl_value_text(pl_fault_kind_names[kind]),
                                                     pl_value_count(latency->count),
                                                     pl_value_real(pl_histogram_mean(latency) / 1e6)};
        for (size_t i = 0; i < PL_COUNT_OF(percents); i++)
            row[3 + i] = pl_value_real((double)pl_histogram_percentile(latency, percents[i]) / 1e6);
        pl_document_row(table, row);
    }
}

/* Use over the time since the sample before. */
static void put_sample(struct pl_document_table *table, const struct pl_sim_sample *sample,
                       const struct pl_sim_sample *before)
{
    double span = seconds(sample->time_ps - before->time_ps);
    uint64_t standby = 0;
    for (int p = 0; p < PL_PRIORITIES; p++)
        standby += sample->list[PL_LIST_STANDBY + p];
    uint64_t faults[PL_FAULT_KINDS];
    for (int kind = 0; kind < PL_FAULT_KINDS; kind++)
        faults[kind] = sample->faults[kind] - before->faults[kind];
    const struct pl_sim_totals *now = &sample->totals, *then = &before->totals;
    struct pl_value row[] = {
        pl_value_real(seconds(sample->time_ps)),
        pl_value_count(sample->list[PL_LIST_ZERO]),
        pl_value_count(sample->list[PL_LIST_FREE]),
        pl_value_count(standby),
        pl_value_count(sample->list[PL_LIST_MODIFIED] + sample->list[PL_LIST_MODIFIED_FILE]),
        pl_value_count(sample->list[PL_LIST_TRANSITION]),
        pl_value_count(sample->list[PL_LIST_ACTIVE]),
        pl_value_count(sample->store_pages),
        pl_value_count(sample->store_bytes),
        pl_value_count(sample->file_pages),
        pl_value_count(sample->commit_pages),
        pl_value_count(sample->touches - before->touches),
        pl_value_count(faults[PL_FAULT_DEMAND_ZERO]),
        pl_value_count(faults[PL_FAULT_TRANSITION]),
        pl_value_count(faults[PL_FAULT_STORE]),
        pl_value_count(faults[PL_FAULT_HARD]),
        pl_value_real(span > 0 ? seconds(now->cpu_busy_ps - then->cpu_busy_ps) / span : NAN),
        pl_value_real(span > 0 ? seconds(now->worker_busy_ps - then->worker_busy_ps) / span : NAN),
        pl_value_real(span > 0 ? seconds(now->zero_busy_ps - then->zero_busy_ps) / span : NAN),
        pl_value_real(span > 0 ? seconds(now->disk_busy_ps - then->disk_busy_ps) / span : NAN),
    };
    pl_document_row(table, row);
}

static void put_samples(struct pl_document *document, const struct pl_sim_result *result)
{
    static const struct pl_column columns[] = {
        {"time_s", "time", "s", PL_VALUE_REAL, 3},
        {"zero_pages", "zero", "pages", PL_VALUE_COUNT, 0},
        {"free_pages", "free", "pages", PL_VALUE_COUNT, 0},
        {"standby_pages", "standby", "pages", PL_VALUE_COUNT, 0},
        {"modified_pages", "modified", "pages", PL_VALUE_COUNT, 0},
        {"transition_pages", "transition", "pages", PL_VALUE_COUNT, 0},
        {"active_pages", "active", "pages", PL_VALUE_COUNT, 0},
        {"store_pages", "store", "pages", PL_VALUE_COUNT, 0},
        {"store_bytes", "store", "B", PL_VALUE_COUNT, 0},
        {"file_pages", "page file", "pages", PL_VALUE_COUNT, 0},
        {"commit_pages", "commit", "pages", PL_VALUE_COUNT, 0},
        {"touches", "touches", "", PL_VALUE_COUNT, 0},
        {"demand_zero_faults", "zero faults", "", PL_VALUE_COUNT, 0},
        {"transition_faults", "soft", "", PL_VALUE_COUNT, 0},
        {"store_faults", "store faults", "", PL_VALUE_COUNT, 0},
        {"hard_faults", "hard", "", PL_VALUE_COUNT, 0},
        {"cpus_busy", "cpus busy", "", PL_VALUE_REAL, 3},
        {"compressing_cpus", "com- pressing", "", PL_VALUE_REAL, 3},
        {"zeroing_cpus", "zeroing", "", PL_VALUE_REAL, 3},
        {"disk_use", "disk use", "", PL_VALUE_REAL, 3},
    };
    if (!result->sample_count)
        return;
    struct pl_document_table *table = pl_document_table(
        document, "over_time", "Over time (faults, touches and use since the row before)", columns, PL_COUNT_OF(columns));
    struct pl_sim_sample start = {0};
    for (size_t i = 0; i < result->sample_count; i++)
        put_sample(table, &result->sample[i], i ? &result->sample[i - 1] : &start);
    if (result->end.time_ps > result->sample[result->sample_count - 1].time_ps)
        put_sample(table, &result->end, &result->sample[result->sample_count - 1]);
    pl_document_show_at_most(table, 24);
}

/* --- the whole --------------------------------------------------------------------------------- */

/* What it comes to. */
static void put_answer(struct pl_document *document, const struct replay_report *report)
{
    const struct pl_sim_result *result = report->result;
    const uint64_t *faults = result->all.faults;
    if (result->stopped)
        pl_document_answer(document, "The run ended early, after %.6g s: %s", seconds(result->elapsed_ps), result->stopped);
    else if (result->has_store)
        pl_document_answer(document, "%.6g s for %llu touches: %llu pages out of the store, %llu read from disk, %llu written to it",
                           seconds(result->elapsed_ps), (unsigned long long)result->all.touches,
                           (unsigned long long)result->totals.store_hits, (unsigned long long)result->totals.disk_reads,
                           (unsigned long long)result->totals.disk_writes);
    else
        pl_document_answer(document, "%.6g s for %llu touches: %llu hard faults, %llu pages read from disk, %llu written to it",
                           seconds(result->elapsed_ps), (unsigned long long)result->all.touches,
                           (unsigned long long)faults[PL_FAULT_HARD], (unsigned long long)result->totals.disk_reads,
                           (unsigned long long)result->totals.disk_writes);
}

/* What was set for this run and counts for nothing in it. */
static void put_idle_settings(struct pl_document *document, const struct replay_report *report)
{
    for (size_t i = 0; i < pl_parameters_count(report->parameters); i++) {
        const struct pl_parameter_value *value = pl_parameters_at(report->parameters, i);
        const char *needs = pl_machine_needs(report->machine, value->path);
        if (needs && value->source == PL_FROM_COMMAND_LINE)
            pl_document_note(document, "%s was set, and is of no effect on this machine: it needs %s", value->path, needs);
    }
}

/* Parameters that say something else than they seem to. */
static void put_machine_notes(struct pl_document *document, const struct replay_report *report)
{
    const struct pl_machine *machine = report->machine;
    uint64_t left = machine->total_pages - machine->kernel_pages;
    put_idle_settings(document, report);
    if (machine->lists && machine->target_pages >= left)
        pl_document_note(document, "working_set.trim_until asks for %llu pages to be available, of %llu that memory.total and "
                                   "memory.kernel leave: working sets are trimmed all the time; on a machine that is scaled "
                                   "down, scale working_set.trim_below, working_set.trim_until, working_set.grow_above and "
                                   "writer.available_below as well",
                         (unsigned long long)machine->target_pages, (unsigned long long)left);
    if (machine->has_store && machine->sample > 1)
        pl_document_note(document, "store.sample: one page in %llu was compressed; the others were hashed and count as large as the "
                                   "one compressed before them",
                         (unsigned long long)machine->sample);
    const uint64_t *offered = report->result->store.offered;
    bool both = machine->has_store && machine->store_max_pages != PL_UNLIMITED && machine->store_max_bytes != PL_UNLIMITED &&
                machine->accounting != PL_CHARGE_1996;
    if (both && offered[PL_STORE_FULL_PAGES] && !offered[PL_STORE_FULL_BYTES])
        pl_document_note(document, "store.max_pages is what filled the store, never store.max_bytes");
    if (both && offered[PL_STORE_FULL_BYTES] && !offered[PL_STORE_FULL_PAGES])
        pl_document_note(document, "store.max_bytes is what filled the store, never store.max_pages");
}

static void put_notes(struct pl_document *document, const struct replay_report *report)
{
    if (report->interrupted)
        pl_document_note(document, "interrupted: only the first part of the trace was run");
    put_machine_notes(document, report);
    if (report->without && report->without->stopped)
        pl_document_note(document, "the run without the store ended early: %s; what is compared is not the same work",
                         report->without->stopped);
    if (report->without && report->result->stopped && !report->without->stopped)
        pl_document_note(document, "the run without the store did not end early: what is compared is not the same work");
    if (report->result->totals.late_actors)
        pl_document_note(document,
                         "threads were silent for longer than run.window touches of the others and came late; their order "
                         "against the others is that of the trace there");
    if (report->result->threads > 1 && report->machine->order == PL_ORDER_THREADS)
        pl_document_note(document,
                         "threads run by their own clocks; resident touches may run ahead of the others by run.lookahead");
    if (report->result->interval_ps > report->options->interval)
        pl_document_note(document, "--interval would have made too many rows: they are %.6g s apart",
                         seconds(report->result->interval_ps));
    if (report->trace->records == PL_RECORDS_REQUESTS)
        pl_document_note(document, "the trace holds requests, not every touch of memory");
    if (report->result->stopped)
        pl_document_note(document, "the run ended early: %s", report->result->stopped);
}

struct pl_document *replay_document(const struct replay_report *report, struct pl_arena *arena)
{
    struct pl_document *document = pl_document_create(arena, "replay", "A trace on a simulated machine");
    if (!document)
        return NULL;
    int argc;
    char **argv;
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    cmd_trace_describe(document, report->trace, arena);
    if (*pl_parameters_title(report->parameters))
        pl_document_parameter(document, "machine", "machine", "", pl_value_text(pl_parameters_title(report->parameters)));
    put_answer(document, report);
    pl_document_leave_out_zeros(document);
    put_results(document, report);
    if (report->options->sample_given)
        replay_put_sample(document, report);
    put_phases(document, report->result);
    put_processes(document, report->result);
    put_cells(document, report->result);
    put_latencies(document, report->result);
    put_samples(document, report->result);
    if (report->options->views || report->options->views_at.count)
        replay_put_views(document, report);
    struct pl_document_table *table = pl_parameters_document(report->parameters, report->machine, document);
    pl_document_show_instead(table, "In the JSON, all of them; 'pagelab replay --machine M --parameters' lists them.");
    cmd_trace_skips(document, report->trace);
    put_notes(document, report);
    return document;
}
