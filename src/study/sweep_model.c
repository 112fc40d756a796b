/* study/sweep_model.c: points on the cost model of 1996, from a fault table or from the exact curve of a trace.
 *
 * All points over one trace are answered from one pass: memory, cache, ratio, costs and frac do not change the curve.
 * With d among the parameters the outputs are those at d; without it, those at the best d of each point.
 *
 * The curve is read exactly, at whole pages, as `pagelab model --interpolation exact` does; a replay on the machine
 * rc96 gives the same costs (sweep_check.h).
 *
 * What this does not model: see model/cost1996.h. */
#include "study/sweep_study.h"

#include "model/model.h"
#include "study/sweep_check.h"
#include "trace/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum output {
    OUT_TOTAL, OUT_READ, OUT_WRITE, OUT_FRAC, OUT_STORE, OUT_RESIDENT, OUT_REACH, OUT_READS_M, OUT_WRITES_M,
    OUT_READS_RESIDENT, OUT_WRITES_RESIDENT, OUT_READS_REACH, OUT_WRITES_REACH, OUT_CODEC, OUT_SAVED, OUT_WITHOUT,
    OUT_EXTRAPOLATED, OUT_BEST_D, OUT_BEST_TOTAL, OUT_PAYS, OUT_FLAT_FROM, OUT_FLAT_TO, OUT_EVEN_CD, OUT_EVEN_CH,
    OUT_EVEN_R, OUTPUTS,
};

#define SECONDS(name) {name, name, "s", 1, PL_QUANTITY_TIME, NULL, 0, NULL}
#define SIZE(name) {name, name "_mb", "MB", (double)PL_MIB, PL_QUANTITY_BYTES, NULL, 0, NULL}
#define NUMBER(name) {name, name, "", 1, PL_QUANTITY_NUMBER, NULL, 0, NULL}

static const struct pl_sweep_output outputs[OUTPUTS] = {
    [OUT_TOTAL] = {SECONDS("total_s"), true, "time lost (+) or gained (-) against no cache"},
    [OUT_READ] = {SECONDS("read_s"), true, "of it for reads"},
    [OUT_WRITE] = {SECONDS("write_s"), true, "of it for writes"},
    [OUT_FRAC] = {SECONDS("frac_s"), false, "of it for cache management"},
    [OUT_STORE] = {SIZE("store"), true, "memory of the cache: d, or the best d"},
    [OUT_RESIDENT] = {SIZE("resident"), false, "m - d"},
    [OUT_REACH] = {SIZE("reach"), false, "m - d + d r"},
    [OUT_READS_M] = {NUMBER("reads_at_m"), false, "page-file reads without a cache"},
    [OUT_WRITES_M] = {NUMBER("writes_at_m"), false, "page-file writes without a cache"},
    [OUT_READS_RESIDENT] = {NUMBER("reads_at_resident"), false, "reads beyond the resident part"},
    [OUT_WRITES_RESIDENT] = {NUMBER("writes_at_resident"), false, "writes beyond the resident part"},
    [OUT_READS_REACH] = {NUMBER("reads_at_reach"), false, "page-file reads with the cache"},
    [OUT_WRITES_REACH] = {NUMBER("writes_at_reach"), false, "page-file writes with the cache"},
    [OUT_CODEC] = {NUMBER("codec_operations"), false, "how often cd is paid"},
    [OUT_SAVED] = {NUMBER("disk_saved"), false, "disk accesses saved"},
    [OUT_WITHOUT] = {SECONDS("disk_without_s"), false, "disk time without a cache"},
    [OUT_EXTRAPOLATED] = {NUMBER("extrapolated"), true, "1: the point lies outside the table"},
    [OUT_BEST_D] = {SIZE("best_d"), false, "the cache size of least cost"},
    [OUT_BEST_TOTAL] = {SECONDS("best_total_s"), false, "the cost there"},
    [OUT_PAYS] = {NUMBER("pays"), false, "1: a cache of some size gains time"},
    [OUT_FLAT_FROM] = {SIZE("flat_from"), false, "from this size on it hardly matters"},
    [OUT_FLAT_TO] = {SIZE("flat_to"), false, "up to this size"},
    [OUT_EVEN_CD] = {SECONDS("break_even_cd_s"), false, "a cache pays below it"},
    [OUT_EVEN_CH] = {SECONDS("break_even_ch_s"), false, "a cache pays above it"},
    [OUT_EVEN_R] = {NUMBER("break_even_r"), false, "a cache pays above it"},
};

/* A table, or a trace that becomes one. */
struct origin {
    const char *name, *path;
    struct pl_fault_table *table;
    struct pl_fault_curves curves;
};

struct pl_sweep_base {
    bool of_trace;
    const char *word;   /* "table" or "trace": the parameter that lists several */
    const char *folder;
    struct pl_arena *arena;
    const char *given;  /* the one in the base, used when no parameter lists them */
    struct origin *origin;
    size_t origin_count;
    uint32_t page_size; /* 0: the table's own */
    int interpolation, accounting, frac_reading, rule;
    struct pl_cost_params defaults;
    bool has_m;         /* the table names it */
    bool wants_best, wants_even;
    int slot[PL_PARAMETER_COUNT], word_slot; /* indices among the study's parameters, or -1 */
};

struct pl_sweep_worker {
    const struct pl_sweep_base *base;
};

/* --- reading the base --------------------------------------------------------------------------- */

static enum pl_err read_choice(const struct pl_json_node *base, const char *key, const char *const *names, int *out,
                               struct pl_error *err)
{
    const struct pl_json_node *node = pl_json_get(base, key);
    const char *text;
    char hint[64];
    if (!node)
        return PL_OK;
    enum pl_err rc = pl_json_as_text(node, &text, err);
    if (rc)
        return rc;
    size_t count = 0;
    for (; names[count]; count++) {
        if (!strcmp(names[count], text)) {
            *out = (int)count;
            return PL_OK;
        }
    }
    return pl_json_fail(node, err, "'%.60s' is not known%s", text,
                        pl_did_you_mean(hint, sizeof hint, text, names, count, sizeof *names));
}

static enum pl_err read_page_size(const struct pl_json_node *base, struct pl_sweep_base *self, struct pl_error *err)
{
    const struct pl_json_node *node = pl_json_get(base, "page_size");
    struct pl_quantity quantity;
    double bytes;
    if (!node)
        return PL_OK;
    enum pl_err rc = pl_quantity_make("page_size", PL_QUANTITY_BYTES, self->arena, &quantity, err);
    if (rc == PL_OK)
        rc = pl_quantity_read(&quantity, node, 0, &bytes, err);
    if (rc == PL_OK && !(bytes >= 1 && bytes <= 0x1p30))
        rc = pl_json_fail(node, err, "no size of a page");
    if (rc == PL_OK)
        self->page_size = (uint32_t)bytes;
    return rc;
}

static enum pl_err read_common(const struct pl_json_node *base, const char *key, struct pl_sweep_base *self,
                               struct pl_error *err)
{
    enum pl_err rc = pl_json_as_text(pl_json_get(base, key), &self->given, err);
    if (rc == PL_OK)
        rc = read_choice(base, "accounting", pl_accounting_names, &self->accounting, err);
    if (rc == PL_OK)
        rc = read_choice(base, "frac_reading", pl_frac_reading_names, &self->frac_reading, err);
    return rc == PL_OK ? read_page_size(base, self, err) : rc;
}

static enum pl_err create(const char *folder, struct pl_arena *arena, struct pl_sweep_base **out, struct pl_error *err)
{
    struct pl_sweep_base *self = pl_arena_alloc(arena, 1, sizeof *self);
    if (!self)
        return pl_fail_memory(err, sizeof *self, "a study");
    self->folder = folder;
    self->arena = arena;
    /* The document's of 1996, as in `pagelab model`. */
    self->defaults = (struct pl_cost_params){.r = 1.6, .cd_s = 2e-3, .ch_s = 10e-3};
    *out = self;
    return PL_OK;
}

static enum pl_err model_read(const struct pl_json_node *base, const char *folder, struct pl_arena *arena,
                              struct pl_sweep_base **out, struct pl_error *err)
{
    static const char *const keys[] = {"model", "interpolation", "accounting", "frac_reading", "page_size"};
    struct pl_sweep_base *self;
    enum pl_err rc = pl_json_only_keys(base, keys, PL_COUNT_OF(keys), err);
    if (rc == PL_OK)
        rc = create(folder, arena, &self, err);
    if (rc)
        return rc;
    self->word = "table";
    self->interpolation = PL_INTERPOLATE_DEFAULT;
    rc = read_common(base, "model", self, err);
    if (rc == PL_OK)
        rc = read_choice(base, "interpolation", pl_interpolation_names, &self->interpolation, err);
    if (rc == PL_OK)
        *out = self;
    return rc;
}

static enum pl_err curve_read(const struct pl_json_node *base, const char *folder, struct pl_arena *arena,
                              struct pl_sweep_base **out, struct pl_error *err)
{
    static const char *const keys[] = {"curve", "rule", "accounting", "frac_reading", "page_size"};
    struct pl_sweep_base *self;
    enum pl_err rc = pl_json_only_keys(base, keys, PL_COUNT_OF(keys), err);
    if (rc == PL_OK)
        rc = create(folder, arena, &self, err);
    if (rc)
        return rc;
    self->of_trace = true;
    self->word = "trace";
    self->interpolation = PL_INTERPOLATE_EXACT;
    rc = read_common(base, "curve", self, err);
    if (rc == PL_OK)
        rc = read_choice(base, "rule", pl_rule_names, &self->rule, err);
    if (rc == PL_OK)
        *out = self;
    return rc;
}

static uint32_t page_size_of(const struct pl_sweep_base *self)
{
    return self->page_size ? self->page_size : 4096;
}

static enum pl_err find_parameter(struct pl_sweep_base *self, const char *name, struct pl_arena *arena,
                                  struct pl_quantity *out, struct pl_error *err)
{
    static const enum pl_quantity_kind kinds[PL_PARAMETER_COUNT] = {PL_QUANTITY_BYTES,  PL_QUANTITY_BYTES,
                                                                    PL_QUANTITY_NUMBER, PL_QUANTITY_TIME,
                                                                    PL_QUANTITY_TIME,   PL_QUANTITY_NUMBER};
    const char *names[PL_PARAMETER_COUNT + 1];
    char hint[64];
    if (!strcmp(name, self->word))
        return pl_quantity_make(name, PL_QUANTITY_WORD, arena, out, err);
    for (int i = 0; i < PL_PARAMETER_COUNT; i++) {
        if (!strcmp(pl_cost_parameter_names[i], name))
            return pl_quantity_make(name, kinds[i], arena, out, err);
        names[i] = pl_cost_parameter_names[i];
    }
    names[PL_PARAMETER_COUNT] = self->word;
    return pl_fail(err, PL_ERR_USAGE, "the cost model has m, d, r, cd, ch, frac and %s, and no such parameter%s",
                   self->word, pl_did_you_mean(hint, sizeof hint, name, names, PL_COUNT_OF(names), sizeof *names));
}

/* --- what results depend on ------------------------------------------------------------------------ */

static enum pl_err list_origins(struct pl_sweep_base *self, const struct pl_study *study, struct pl_error *err)
{
    const struct pl_quantity *words = self->word_slot < 0 ? NULL : &study->parameter[self->word_slot].quantity;
    self->origin_count = words ? words->word_count : 1;
    self->origin = pl_arena_alloc(self->arena, self->origin_count, sizeof *self->origin);
    if (!self->origin)
        return pl_fail_memory(err, self->origin_count * sizeof *self->origin, "the tables of a study");
    for (size_t i = 0; i < self->origin_count; i++) {
        self->origin[i].name = words ? words->words[i] : self->given;
        self->origin[i].path = pl_sweep_path(self->folder, self->origin[i].name, self->arena);
        if (!self->origin[i].path)
            return pl_fail_memory(err, strlen(self->origin[i].name), "a path");
    }
    return PL_OK;
}

/* Tables are small and read at once: they may name m. */
static enum pl_err read_tables(struct pl_sweep_base *self, struct pl_error *err)
{
    for (size_t i = 0; i < self->origin_count; i++) {
        struct origin *origin = &self->origin[i];
        enum pl_err rc = pl_fault_table_read(origin->path, self->page_size, self->arena, &origin->table, err);
        if (rc == PL_OK)
            rc = pl_fault_curves_create(origin->table, (enum pl_interpolation)self->interpolation, self->arena,
                                        &origin->curves, err);
        if (rc)
            return rc;
        if (!origin->table->machine || self->origin_count > 1)
            continue;
        rc = pl_cost_parameter_parse(PL_PARAMETER_M, origin->table->machine, origin->table->page_size,
                                     &self->defaults.m_mb, err);
        if (rc)
            return rc;
        self->has_m = true;
    }
    return PL_OK;
}

static bool asks_for(const struct pl_study *study, enum output first, enum output last)
{
    for (size_t i = 0; i < study->output_count; i++)
        if (study->output[i] >= (size_t)first && study->output[i] <= (size_t)last)
            return true;
    return false;
}

static enum pl_err identify(struct pl_sweep_base *self, const struct pl_study *study, struct pl_text *out,
                            struct pl_error *err)
{
    for (int i = 0; i < PL_PARAMETER_COUNT; i++)
        self->slot[i] = pl_sweep_index_of(study, pl_cost_parameter_names[i]);
    self->word_slot = pl_sweep_index_of(study, self->word);
    self->defaults.accounting = (enum pl_accounting)self->accounting;
    self->defaults.frac_reading = (enum pl_frac_reading)self->frac_reading;
    self->wants_best = self->slot[PL_PARAMETER_D] < 0 || asks_for(study, OUT_BEST_D, OUT_FLAT_TO);
    self->wants_even = asks_for(study, OUT_EVEN_CD, OUT_EVEN_R);
    enum pl_err rc = list_origins(self, study, err);
    if (rc == PL_OK && !self->of_trace)
        rc = read_tables(self, err);
    for (size_t i = 0; rc == PL_OK && i < self->origin_count; i++)
        rc = pl_sweep_identify_file(self->word, self->origin[i].name, self->origin[i].path, out, err);
    if (rc == PL_OK && self->slot[PL_PARAMETER_M] < 0 && !self->has_m)
        rc = pl_fail(err, PL_ERR_INPUT, "%s: \"m\" is needed: how much memory has the machine?", study->path);
    pl_text_addf(out, "accounting: %s, frac %s\n", pl_accounting_names[self->accounting],
                 pl_frac_reading_names[self->frac_reading]);
    if (self->of_trace)
        pl_text_addf(out, "rule: %s\n", pl_rule_names[self->rule]);
    else
        pl_text_addf(out, "interpolation: %s\n", pl_interpolation_names[self->interpolation]);
    pl_text_addf(out, "page size: %u\n", self->page_size);
    return rc;
}

/* --- the pass over a trace ---------------------------------------------------------------------------- */

static enum pl_err feed(struct pl_curve *curve, struct pl_trace *trace, struct pl_error *err)
{
    const struct pl_trace_info *info = pl_trace_info(trace);
    struct pl_batch batch;
    enum pl_err rc;
    if (info->records != PL_RECORDS_ACCESSES && info->records != PL_RECORDS_REQUESTS)
        return pl_fail(err, PL_ERR_INPUT, "%s: its records are not accesses: they make no curve", info->path);
    while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK)
        if ((rc = pl_curve_feed(curve, batch.page, batch.kind, batch.count, err)))
            return rc;
    return rc == PL_END ? PL_OK : rc;
}

static enum pl_err measure(struct pl_sweep_base *self, struct origin *origin, const struct pl_sweep_setup *setup,
                           struct pl_error *err)
{
    const struct pl_trace_options options = {
        .page_size = self->page_size, .expand_ranges = true, .progress = setup->progress};
    const struct pl_curve_params params = {.rule = (enum pl_rule)self->rule, .threads = setup->threads};
    struct pl_curve_result result;
    struct pl_curve *curve;
    struct pl_trace *trace;
    enum pl_err rc = pl_trace_open(origin->path, &options, &trace, err);
    if (rc)
        return rc;
    rc = pl_curve_create(&params, &curve, err);
    if (rc == PL_OK && (rc = feed(curve, trace, err)))
        pl_curve_abandon(curve);
    else if (rc == PL_OK)
        rc = pl_curve_finish(curve, &result, err);
    const uint32_t page_size = pl_trace_info(trace)->page_size;
    pl_trace_close(trace);
    if (rc)
        return rc;
    rc = pl_fault_table_from_curve(&result, page_size, NULL, 0, origin->name, self->arena, &origin->table, err);
    pl_curve_result_free(&result);
    return rc ? rc : pl_fault_curves_create(origin->table, PL_INTERPOLATE_EXACT, self->arena, &origin->curves, err);
}

static enum pl_err prepare(struct pl_sweep_base *self, const struct pl_study *study, const struct pl_sweep_setup *setup,
                           struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    for (size_t i = 0; rc == PL_OK && self->of_trace && !setup->writes_only && i < self->origin_count; i++)
        if (!self->origin[i].table)
            rc = measure(self, &self->origin[i], setup, err);
    return rc;
}

/* --- points ------------------------------------------------------------------------------------------------ */

static enum pl_err make_worker(struct pl_sweep_base *self, const struct pl_study *study,
                               const struct pl_sweep_setup *setup, struct pl_sweep_worker **out, struct pl_error *err)
{
    struct pl_sweep_worker *worker = malloc(sizeof *worker);
    if (!worker)
        return pl_fail_memory(err, sizeof *worker, "a worker");
    worker->base = self;
    *out = worker;
    return PL_OK;
}

static struct pl_cost_params params_of(const struct pl_sweep_base *self, const double *value)
{
    struct pl_cost_params params = self->defaults;
    for (int i = 0; i < PL_PARAMETER_COUNT; i++) {
        const bool size = i == PL_PARAMETER_M || i == PL_PARAMETER_D;
        if (self->slot[i] >= 0)
            pl_cost_parameter_set(&params, (enum pl_cost_parameter)i,
                                  value[self->slot[i]] / (size ? (double)PL_MIB : 1));
    }
    return params;
}

void pl_sweep_model_point(const struct pl_sweep_base *base, const double *value, struct pl_model_point *out)
{
    const struct origin *origin = &base->origin[base->word_slot < 0 ? 0 : (size_t)value[base->word_slot]];
    *out = (struct pl_model_point){params_of(base, value), origin->path, (enum pl_rule)base->rule, &origin->curves};
}

static void put_cost(const struct pl_cost_params *params, const struct pl_cost *cost, double *output)
{
    output[OUT_TOTAL] = cost->total_s;
    output[OUT_READ] = cost->read_s;
    output[OUT_WRITE] = cost->write_s;
    output[OUT_FRAC] = cost->frac_s;
    output[OUT_STORE] = params->d_mb * (double)PL_MIB;
    output[OUT_RESIDENT] = cost->resident_mb * (double)PL_MIB;
    output[OUT_REACH] = cost->reach_mb * (double)PL_MIB;
    output[OUT_READS_M] = cost->at_m.reads;
    output[OUT_WRITES_M] = cost->at_m.writes;
    output[OUT_READS_RESIDENT] = cost->at_resident.reads;
    output[OUT_WRITES_RESIDENT] = cost->at_resident.writes;
    output[OUT_READS_REACH] = cost->at_reach.reads;
    output[OUT_WRITES_REACH] = cost->at_reach.writes;
    output[OUT_CODEC] = cost->codec_operations;
    output[OUT_SAVED] = cost->disk_saved;
    output[OUT_WITHOUT] = cost->disk_without_s;
    output[OUT_EXTRAPOLATED] = cost->extrapolated;
}

/* The flat range is that of `pagelab model`: five seconds, at most a hundredth of the disk time. */
static enum pl_err put_best(const struct pl_fault_curves *curves, struct pl_cost_params *params, bool choose,
                            double *output, struct pl_error *err)
{
    struct pl_optimum optimum;
    struct pl_cost_params at_zero = *params;
    at_zero.d_mb = 0;
    const double flat_s = fmin(5, pl_cost_evaluate(curves, &at_zero).disk_without_s / 100);
    pl_cost_optimum(curves, params, flat_s, &optimum);
    if (!optimum.found && choose)
        return pl_fail(err, PL_ERR_INPUT, "there is no best d: %s", optimum.why_not);
    if (!optimum.found)
        return PL_OK; /* missing numbers */
    output[OUT_BEST_D] = optimum.d_mb * (double)PL_MIB;
    output[OUT_BEST_TOTAL] = optimum.cost.total_s;
    output[OUT_PAYS] = optimum.cost.total_s < 0;
    output[OUT_FLAT_FROM] = optimum.flat_from_mb * (double)PL_MIB;
    output[OUT_FLAT_TO] = optimum.flat_to_mb * (double)PL_MIB;
    if (choose)
        params->d_mb = optimum.d_mb;
    return PL_OK;
}

static void put_even(const struct pl_fault_curves *curves, const struct pl_cost_params *params, bool at_d,
                     double *output)
{
    struct pl_break_evens even;
    pl_cost_break_evens(curves, params, at_d, &even);
    output[OUT_EVEN_CD] = even.cd.found ? even.cd.value : NAN;
    output[OUT_EVEN_CH] = even.ch.found ? even.ch.value : NAN;
    output[OUT_EVEN_R] = even.r.found ? even.r.value : NAN;
}

static enum pl_err run(struct pl_sweep_worker *worker, const double *value, double share, double *output,
                       struct pl_error *err)
{
    const struct pl_sweep_base *self = worker->base;
    const struct origin *origin = &self->origin[self->word_slot < 0 ? 0 : (size_t)value[self->word_slot]];
    struct pl_cost_params params = params_of(self, value);
    const bool choose = self->slot[PL_PARAMETER_D] < 0;
    struct pl_cost cost;
    for (int i = 0; i < OUTPUTS; i++)
        output[i] = NAN;
    enum pl_err rc = pl_cost_check(&params, &origin->curves, err);
    if (rc == PL_OK && self->wants_best)
        rc = put_best(&origin->curves, &params, choose, output, err);
    if (rc == PL_OK)
        rc = pl_cost_at(&origin->curves, &params, &cost, err);
    if (rc)
        return rc;
    put_cost(&params, &cost, output);
    if (self->wants_even && !cost.extrapolated)
        put_even(&origin->curves, &params, !choose, output);
    return PL_OK;
}

static void free_worker(struct pl_sweep_worker *worker)
{
    free(worker);
}

static void free_base(struct pl_sweep_base *self)
{
    /* everything lives in the arena */
}

const struct pl_sweep_base_ops pl_sweep_model = {
    "model", "the cost model on the table", 64, outputs, OUTPUTS, model_read, find_parameter, page_size_of, identify,
    prepare, make_worker, run, free_worker, free_base,
};

const struct pl_sweep_base_ops pl_sweep_curve = {
    "curve",
    "one curve pass for all points of the trace",
    64,
    outputs,
    OUTPUTS,
    curve_read,
    find_parameter,
    page_size_of,
    identify,
    prepare,
    make_worker,
    run,
    free_worker,
    free_base,
};
