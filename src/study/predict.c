/* study/predict.c: running a measurement's workload, and reading quantities off the result. */
#include "config.h"

#include "study/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pl_prediction {
    struct pl_sim *sim;
    uint32_t page_bytes;
    const char *name;
};

/* --- files --------------------------------------------------------------------------------- */

enum pl_err pl_model_path(const char *folder, const char *name, const char *beside, char *out, size_t size,
                          struct pl_error *err)
{
    const char *environment = getenv("PAGELAB_MODELS");
    const char *slash = beside ? strrchr(beside, '/') : NULL;
    char up[2048] = "";
    if (beside)
        snprintf(up, sizeof up, "%.*s../", slash ? (int)(slash - beside + 1) : 0, beside);
    const char *roots[] = {up, environment, PL_SOURCE_DIR "/models/", PL_PKGDATADIR "/models/"};
    if (strchr(name, '/') || (strlen(name) > 5 && !strcmp(name + strlen(name) - 5, ".json")))
        if (access(name, R_OK) == 0 && strlen(name) < size) {
            strcpy(out, name);
            return PL_OK;
        }
    for (size_t i = 0; i < PL_COUNT_OF(roots); i++) {
        if (!roots[i] || !*roots[i])
            continue;
        const char *gap = roots[i][strlen(roots[i]) - 1] == '/' ? "" : "/";
        int length = snprintf(out, size, "%s%s%s%s.json", roots[i], gap, folder, name);
        if (length > 0 && (size_t)length < size && access(out, R_OK) == 0)
            return PL_OK;
    }
    return pl_fail(err, PL_ERR_INPUT, "there is no %s%s.json in models/", folder, name);
}

/* --- the run --------------------------------------------------------------------------------- */

static struct pl_page_origin origin_of(void *user, pl_page page)
{
    return pl_trace_page_origin(user, page);
}

static enum pl_err feed(struct pl_sim *sim, struct pl_trace *trace, struct pl_error *err)
{
    struct pl_batch batch;
    enum pl_err rc;
    while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK && (rc = pl_sim_feed(sim, &batch, err)) == PL_OK)
        ;
    if (rc == PL_END)
        rc = pl_sim_finish(sim, err);
    if (rc == PL_OK && pl_sim_result(sim)->stopped)
        rc = pl_fail(err, PL_ERR_INPUT, "the run ended early: %s", pl_sim_result(sim)->stopped);
    return rc;
}

static enum pl_err run(const struct pl_machine *machine, struct pl_trace *trace, struct pl_sim **out, struct pl_error *err)
{
    struct pl_sim_options options = {.clock = pl_trace_info(trace)->clock};
    if (machine->page_table_entries) {
        options.origin = origin_of;
        options.origin_user = trace;
    }
    struct pl_sim *sim = NULL;
    enum pl_err rc = pl_sim_create(machine, &options, &sim, err);
    if (rc == PL_OK)
        rc = feed(sim, trace, err);
    if (rc)
        pl_sim_destroy(sim);
    else
        *out = sim;
    return rc;
}

enum pl_err pl_predict(const struct pl_measurement *measurement, const struct pl_machine *machine,
                       const struct pl_progress *progress, struct pl_prediction **out, struct pl_error *err)
{
    char path[4096];
    if (!measurement->trace && !measurement->scenario)
        return pl_fail(err, PL_ERR_INPUT, "%s: names neither a scenario nor a trace: there is nothing to run",
                       measurement->path);
    enum pl_err rc = PL_OK;
    if (measurement->trace)
        snprintf(path, sizeof path, "%s", measurement->trace);
    else
        rc = pl_model_path("scenarios/", measurement->scenario, measurement->path, path, sizeof path, err);
    if (rc)
        return pl_fail_prefix(err, "%s", measurement->path);
    struct pl_trace *trace = NULL;
    struct pl_prediction *prediction = calloc(1, sizeof *prediction);
    if (!prediction)
        return pl_fail_memory(err, sizeof *prediction, "a prediction");
    const struct pl_trace_options options = {.page_size = measurement->page_bytes, .progress = progress,
                                             .need_dictionary = machine->page_table_entries > 0,
                                             .parameter = measurement->parameter,
                                             .parameter_count = measurement->trace ? 0 : measurement->parameters};
    rc = pl_trace_open(path, &options, &trace, err);
    if (rc == PL_OK && pl_trace_info(trace)->page_size != machine->page_bytes)
        rc = pl_fail(err, PL_ERR_INPUT, "%s: pages of %u bytes, and memory.page_size of the machine is %llu",
                     measurement->path, measurement->page_bytes, (unsigned long long)machine->page_bytes);
    if (rc == PL_OK)
        rc = run(machine, trace, &prediction->sim, err);
    pl_trace_close(trace);
    if (rc) {
        free(prediction);
        return pl_fail_prefix(err, "%s", measurement->path);
    }
    prediction->page_bytes = measurement->page_bytes;
    prediction->name = measurement->path;
    *out = prediction;
    return PL_OK;
}

void pl_prediction_free(struct pl_prediction *prediction)
{
    if (prediction)
        pl_sim_destroy(prediction->sim);
    free(prediction);
}

const struct pl_sim_result *pl_prediction_result(const struct pl_prediction *prediction)
{
    return pl_sim_result(prediction->sim);
}

/* --- quantities ---------------------------------------------------------------------------------- */

/* What a quantity is read from. */
struct view {
    const struct pl_sim_phase *phase, *before; /* before: NULL for the first */
    struct pl_sim_cell sum;                     /* all processes, in the phase */
    double page;
    uint32_t threads;
    uint32_t which; /* process, for quantities of one */
};

static double seconds(pl_time_ps time)
{
    return (double)time / (double)PL_PS_PER_S;
}

static double since(const struct view *view, size_t offset)
{
    uint64_t now, then = 0;
    memcpy(&now, (const char *)&view->phase->at_end + offset, sizeof now);
    if (view->before)
        memcpy(&then, (const char *)&view->before->at_end + offset, sizeof then);
    return (double)(now - then);
}
#define SINCE(field) since(view, offsetof(struct pl_sim_totals, field))

/* From beginning to end, less the time in which the first process slept. */
static double phase_time(const struct view *view)
{
    const struct pl_sim_cell *first = &view->phase->cell[0];
    double slept = view->phase->processes ? seconds(first->time_ps[PL_TIME_SLEEP]) : 0;
    return seconds(view->phase->end_ps - view->phase->start_ps) - slept;
}

static double all_faults(const struct pl_sim_cell *cell)
{
    double sum = 0;
    for (int kind = 0; kind < PL_FAULT_KINDS; kind++)
        sum += (double)cell->faults[kind];
    return sum;
}

static double fault_kind(const struct view *view, int kind)
{
    return (double)view->sum.faults[kind];
}

static double worker_rate(const struct view *view)
{
    double time = SINCE(worker_busy_ps) / (double)PL_PS_PER_S;
    return time > 0 ? SINCE(compressions) * view->page / time : NAN;
}

static double on_processors(const struct view *view)
{
    const pl_time_ps *time = view->sum.time_ps;
    return seconds(time[PL_TIME_RUN] + time[PL_TIME_FAULT] + time[PL_TIME_ZERO] + time[PL_TIME_COMPRESS] +
                   time[PL_TIME_DECOMPRESS]);
}

static double available_pages(const uint32_t *list)
{
    double sum = (double)list[PL_LIST_ZERO] + list[PL_LIST_FREE];
    for (int priority = 0; priority < PL_PRIORITIES; priority++)
        sum += list[PL_LIST_STANDBY + priority];
    return sum;
}

#define OF_PHASE(name, expression) \
    static double name(const struct view *view) \
    { \
        return expression; \
    }
OF_PHASE(q_demand_zero, fault_kind(view, PL_FAULT_DEMAND_ZERO))
OF_PHASE(q_transition, fault_kind(view, PL_FAULT_TRANSITION))
OF_PHASE(q_store, fault_kind(view, PL_FAULT_STORE))
OF_PHASE(q_hard, fault_kind(view, PL_FAULT_HARD))
OF_PHASE(q_copy, fault_kind(view, PL_FAULT_COPY_ON_WRITE))
OF_PHASE(q_guard, fault_kind(view, PL_FAULT_GUARD))
OF_PHASE(q_faults, all_faults(&view->sum))
OF_PHASE(q_minor, all_faults(&view->sum) - fault_kind(view, PL_FAULT_HARD) - fault_kind(view, PL_FAULT_STORE))
OF_PHASE(q_major, fault_kind(view, PL_FAULT_HARD) + fault_kind(view, PL_FAULT_STORE))
OF_PHASE(q_so_far, all_faults(&view->phase->so_far[view->which]))
OF_PHASE(q_working_set, (double)view->phase->state[view->which].working_set *view->page)
OF_PHASE(q_private, (double)view->phase->state[view->which].commit_pages *view->page)
OF_PHASE(q_virtual, (double)view->phase->state[view->which].virtual_pages *view->page)
OF_PHASE(q_commit, (double)view->phase->sample.commit_pages *view->page)
OF_PHASE(q_available, available_pages(view->phase->sample.list) * view->page)
OF_PHASE(q_store_pages, (double)view->phase->store.pages)
OF_PHASE(q_store_same, (double)view->phase->store.same_filled)
OF_PHASE(q_store_raw, (double)view->phase->store.raw)
OF_PHASE(q_store_bytes, (double)view->phase->store.compressed_bytes)
OF_PHASE(q_store_used, (double)view->phase->store.limited_bytes)
OF_PHASE(q_written, SINCE(disk_bytes_written))
OF_PHASE(q_read, SINCE(disk_bytes_read))
OF_PHASE(q_worker, SINCE(worker_busy_ps) / (double)PL_PS_PER_S)
OF_PHASE(q_decompress_rate, SINCE(decompressions) * view->page / phase_time(view))
OF_PHASE(q_zero_cpu, SINCE(zero_busy_ps) / (double)PL_PS_PER_S)
OF_PHASE(q_zero_spin, SINCE(zero_spin_ps) / (double)PL_PS_PER_S)
OF_PHASE(q_zeroed, SINCE(zeroed_ahead) * view->page)

static const struct quantity {
    const char *name;
    double (*read)(const struct view *view);
    bool level;
} quantities[] = {
    {"time", phase_time, false},
    {"faults.demand_zero", q_demand_zero, false},
    {"faults.transition", q_transition, false},
    {"faults.store", q_store, false},
    {"faults.hard", q_hard, false},
    {"faults.copy_on_write", q_copy, false},
    {"faults.guard", q_guard, false},
    {"page_faults", q_faults, false},
    {"minor_faults", q_minor, false},
    {"major_faults", q_major, false},
    {"page_faults_so_far", q_so_far, true},
    {"working_set_bytes", q_working_set, true},
    {"resident_bytes", q_working_set, true},
    {"private_bytes", q_private, true},
    {"virtual_bytes", q_virtual, true},
    {"commit_bytes", q_commit, false},
    {"available_bytes", q_available, false},
    {"store_pages", q_store_pages, false},
    {"store_same_pages", q_store_same, false},
    {"store_huge_pages", q_store_raw, false},
    {"store_bytes", q_store_bytes, false},
    {"store_used_bytes", q_store_used, false},
    {"disk_bytes_written", q_written, false},
    {"disk_bytes_read", q_read, false},
    {"cpu_seconds", on_processors, false},
    {"worker_seconds", q_worker, false},
    {"compress_rate", worker_rate, false},
    {"decompress_rate", q_decompress_rate, false},
    {"zero_cpu_seconds", q_zero_cpu, false},
    {"zero_spin_seconds", q_zero_spin, false},
    {"zeroed_bytes", q_zeroed, false},
};

/* "working_set_bytes@section" is the quantity of the process of that name; without a name it is the first one's. */
static const struct quantity *find_quantity(const char *name)
{
    const size_t length = strcspn(name, "@");
    for (size_t i = 0; i < PL_COUNT_OF(quantities); i++)
        if (strlen(quantities[i].name) == length && !memcmp(quantities[i].name, name, length))
            return &quantities[i];
    return NULL;
}

static enum pl_err find_process(const struct pl_prediction *prediction, const char *quantity, uint32_t *out,
                                struct pl_error *err)
{
    const struct pl_sim_result *result = pl_prediction_result(prediction);
    const char *at = strchr(quantity, '@');
    *out = 0;
    if (!at)
        return PL_OK;
    for (uint32_t i = 0; i < result->process_count; i++)
        if (result->process[i].name && !strcmp(result->process[i].name, at + 1)) {
            *out = i;
            return PL_OK;
        }
    return pl_fail(err, PL_ERR_INPUT, "%s: %s: the scenario has no process of that name", prediction->name, quantity);
}

bool pl_quantity_is_known(const char *name)
{
    return find_quantity(name) != NULL;
}

bool pl_quantity_is_level(const char *name)
{
    const struct quantity *found = find_quantity(name);
    return found && found->level;
}

/* "" and "run" mean the whole of a run without marks. */
static const struct pl_sim_phase *find_phase(const struct pl_sim_result *result, const char *name, size_t *index)
{
    for (size_t i = 0; i < result->phase_count; i++)
        if (!strcmp(result->phase[i].name, name)) {
            *index = i;
            return &result->phase[i];
        }
    *index = 0;
    return result->phase_count == 1 && (!*name || !strcmp(name, "run")) ? &result->phase[0] : NULL;
}

enum pl_err pl_prediction_value(const struct pl_prediction *prediction, const char *phase, const char *quantity,
                                double *out, struct pl_error *err)
{
    const struct pl_sim_result *result = pl_prediction_result(prediction);
    const struct quantity *found = find_quantity(quantity);
    char hint[160];
    size_t index = 0;
    struct view view = {.phase = find_phase(result, phase, &index), .page = prediction->page_bytes, .threads = result->threads};
    if (!found) {
        pl_did_you_mean(hint, sizeof hint, quantity, &quantities[0].name, PL_COUNT_OF(quantities), sizeof quantities[0]);
        return pl_fail(err, PL_ERR_INPUT, "%s: '%s' is no quantity that can be predicted%s", prediction->name, quantity, hint);
    }
    if (!view.phase) {
        const char *names[64];
        size_t count = result->phase_count < PL_COUNT_OF(names) ? result->phase_count : PL_COUNT_OF(names);
        for (size_t i = 0; i < count; i++)
            names[i] = result->phase[i].name;
        pl_did_you_mean(hint, sizeof hint, phase, names, count, sizeof *names);
        return pl_fail(err, PL_ERR_INPUT, "%s: the scenario has no phase '%s'%s", prediction->name, phase, hint);
    }
    enum pl_err rc = find_process(prediction, quantity, &view.which, err);
    if (rc)
        return rc;
    if (view.which >= view.phase->processes)
        return pl_fail(err, PL_ERR_INPUT, "%s: %s: the process has not begun in phase '%s'", prediction->name, quantity, phase);
    view.before = index ? &result->phase[index - 1] : NULL;
    for (uint32_t i = 0; i < view.phase->processes; i++)
        pl_sim_cell_add(&view.sum, &view.phase->cell[i]);
    *out = found->read(&view);
    return PL_OK;
}
