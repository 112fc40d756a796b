/* study/advice.c: the cost model asked about one machine.
 *
 * The accounting is that of a real two-level cache (cost1996.h), or that of 1996 where the machine's is. cd is what one
 * passage through the store takes: half a compression and half a decompression, and the service of the fault.
 *
 * What this does not model: contents (one ratio stands for all pages), waiting for the disk or the codec (the replays
 * do), and other uses of the memory that a store takes. */
#include "study/advice.h"

#include "model/model.h"
#include "trace/trace.h"

#include <math.h>
#include <string.h>

const char *const pl_verdict_names[] = {"it pays", "it may pay", "it does not pay", "no store is needed", NULL};

/* --- the curve --------------------------------------------------------------------------------- */

static bool is_table(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && !strcmp(path + length - 4, ".csv");
}

static enum pl_err feed(struct pl_curve *curve, struct pl_trace *trace, struct pl_error *err)
{
    struct pl_batch batch;
    enum pl_err rc;
    if (pl_trace_info(trace)->records != PL_RECORDS_ACCESSES && pl_trace_info(trace)->records != PL_RECORDS_REQUESTS)
        return pl_fail(err, PL_ERR_INPUT, "%s: its records are not accesses: they make no curve",
                       pl_trace_info(trace)->path);
    while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK)
        if ((rc = pl_curve_feed(curve, batch.page, batch.kind, batch.count, err)))
            return rc;
    return rc == PL_END ? PL_OK : rc;
}

static enum pl_err measure(const struct pl_advice_input *input, struct pl_arena *arena, struct pl_advice *advice,
                           struct pl_error *err)
{
    const struct pl_trace_options options = {.expand_ranges = true, .progress = input->progress};
    const struct pl_curve_params params = {
        .rule = input->machine->first_touch == PL_FIRST_TOUCH_DISK ? PL_RULE_MEMSIM : PL_RULE_DEMAND_ZERO,
        .threads = 2};
    struct pl_curve_result result;
    struct pl_curve *curve;
    struct pl_trace *trace;
    enum pl_err rc = pl_trace_open(input->workload, &options, &trace, err);
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
    rc = pl_fault_table_from_curve(&result, page_size, NULL, 0, input->workload, arena, &advice->table, err);
    pl_curve_result_free(&result);
    return rc ? rc : pl_fault_curves_create(advice->table, PL_INTERPOLATE_EXACT, arena, &advice->curves, err);
}

static enum pl_err read_table(const struct pl_advice_input *input, struct pl_arena *arena, struct pl_advice *advice,
                              struct pl_error *err)
{
    struct pl_interpolation_score scores[PL_INTERPOLATION_COUNT];
    enum pl_err rc = pl_fault_table_read(input->workload, 0, arena, &advice->table, err);
    if (rc == PL_OK)
        rc = pl_fault_curves_create(advice->table, PL_INTERPOLATE_DEFAULT, arena, &advice->curves, err);
    if (rc == PL_OK)
        rc = pl_interpolation_scores(advice->table, scores, err);
    if (rc == PL_OK)
        advice->table_error = isnan(scores[PL_INTERPOLATE_DEFAULT].mean) ? 0 : scores[PL_INTERPOLATE_DEFAULT].mean;
    return rc;
}

/* --- the question -------------------------------------------------------------------------------- */

static double seconds(pl_time_ps time)
{
    return (double)time / (double)PL_PS_PER_S;
}

static enum pl_err settle(const struct pl_advice_input *input, struct pl_advice *advice, struct pl_error *err)
{
    const struct pl_machine *machine = input->machine;
    const bool of_1996 = machine->accounting == PL_CHARGE_1996;
    double disk_s = 0;
    enum pl_err rc = isnan(input->ch_s) ? pl_advice_disk_time(machine, &disk_s, err) : PL_OK;
    if (rc)
        return rc;
    advice->params = (struct pl_cost_params){
        .m_mb = ((double)machine->total_bytes - (double)(machine->kernel_pages * machine->page_bytes)) / (double)PL_MIB,
        .r = isnan(input->r) ? machine->ratio : input->r,
        .cd_s = isnan(input->cd_s) ? (seconds(machine->compress_cost) + seconds(machine->decompress_cost)) / 2 +
                                         seconds(machine->store_fault_cost)
                                   : input->cd_s,
        .ch_s = isnan(input->ch_s) ? disk_s + seconds(machine->hard_fault_cost) : input->ch_s,
        .frac = machine->extra_writes,
        .accounting = of_1996 ? PL_ACCOUNTING_1996 : PL_ACCOUNTING_TWO_LEVEL,
    };
    advice->reserve_mb = machine->lists ? (double)(machine->target_pages * machine->page_bytes) / (double)PL_MIB : 0;
    advice->params.most_d_mb = input->most_share * advice->params.m_mb;
    return pl_cost_check(&advice->params, &advice->curves, err);
}

/* How far the effect may be off, when ratio and costs are off by a tenth each and counts by what a table leaves open.
 */
static void bound(struct pl_advice *advice)
{
    const struct pl_cost *cost = &advice->optimum.cost;
    advice->low_s = advice->high_s = cost->total_s;
    pl_cost_sensitivity(&advice->curves, &advice->params, advice->sensitivity);
    for (int i = 0; i < PL_SENSITIVITY_ROWS; i++) {
        const struct pl_sensitivity *row = &advice->sensitivity[i];
        if (!row->possible || fabs(row->change) > 0.11 || isnan(row->total_s))
            continue;
        advice->low_s = fmin(advice->low_s, row->total_s);
        advice->high_s = fmax(advice->high_s, row->total_s);
    }
    const double counts_s = advice->table_error * (advice->params.cd_s * cost->codec_operations +
                                                   advice->params.ch_s * fabs(cost->disk_saved));
    advice->low_s -= counts_s;
    advice->high_s += counts_s;
}

/* From which size on more memory changes nothing, and whether there is as much. */
static void see_whether_it_fits(struct pl_advice *advice)
{
    const struct pl_fault_curves *curves = &advice->curves;
    const struct pl_fault_table *table = advice->table;
    size_t row = table->count - 1;
    const struct pl_faults end = pl_fault_curves_at(curves, table->memory_mb[row]);
    const bool settled = isinf(curves->high_mb) || (end.reads == 0 && end.writes == 0);
    while (row > 0) {
        const struct pl_faults less = pl_fault_curves_at(curves, table->memory_mb[row - 1]);
        if (less.reads > end.reads || less.writes > end.writes)
            break;
        row--;
    }
    advice->footprint_mb = settled ? table->memory_mb[row] : NAN;
    advice->fits = settled && advice->params.m_mb >= advice->footprint_mb;
}

static void judge(struct pl_advice *advice)
{
    const double total_s = advice->optimum.cost.total_s;
    if (advice->fits)
        advice->verdict = PL_NOT_NEEDED;
    else if (advice->optimum.d_mb <= 0 || !(total_s < 0))
        advice->verdict = advice->low_s < 0 && advice->optimum.d_mb > 0 ? PL_MAY_PAY : PL_PAYS_NOT;
    else
        advice->verdict = advice->high_s < 0 ? PL_PAYS : PL_MAY_PAY;
}

/* A replay has what the model leaves out: waiting, clusters, page lists, the store's own work beside the program's. */
static void hear_the_replay(struct pl_advice *advice)
{
    const double model_s = advice->optimum.cost.total_s;
    advice->replayed = true;
    advice->replay_s = advice->arrangement[PL_ARRANGE_BEST].gain_s;
    advice->differ = !isnan(advice->replay_s) && (advice->replay_s < 0) != (model_s < 0);
    if (advice->differ)
        advice->verdict = advice->replay_s < 0 ? PL_MAY_PAY : PL_PAYS_NOT;
    else if (advice->arrangement[PL_ARRANGE_BEST].wanted && !advice->arrangement[PL_ARRANGE_BEST].ran &&
             advice->verdict == PL_PAYS)
        advice->verdict = PL_MAY_PAY; /* the machine could not be run with it */
}

static enum pl_err ask(struct pl_advice *advice, struct pl_error *err)
{
    struct pl_cost_params none = advice->params;
    const double without_s = pl_cost_evaluate(&advice->curves, &none).disk_without_s;
    advice->flat_s = fmin(5, without_s / 100);
    pl_cost_optimum(&advice->curves, &advice->params, advice->flat_s, &advice->optimum);
    if (!advice->optimum.found)
        return pl_fail(err, PL_ERR_INPUT, "no advice: %s; nothing is said beyond the data", advice->optimum.why_not);
    advice->params.d_mb = advice->optimum.d_mb;
    advice->capped = advice->optimum.at_edge && advice->optimum.reach_d_mb >= advice->params.most_d_mb * (1 - 1e-3);
    see_whether_it_fits(advice);
    pl_cost_break_evens(&advice->curves, &advice->params, false, &advice->even);
    bound(advice);
    judge(advice);
    return PL_OK;
}

double pl_advice_with_cd(const struct pl_advice *advice, double cd_s)
{
    struct pl_cost_params params = advice->params;
    struct pl_optimum optimum;
    params.cd_s = cd_s;
    pl_cost_optimum(&advice->curves, &params, advice->flat_s, &optimum);
    return optimum.found ? optimum.cost.total_s : NAN;
}

enum pl_err pl_advise(const struct pl_advice_input *input, struct pl_arena *arena, struct pl_advice *out,
                      struct pl_error *err)
{
    struct pl_advice advice = {.of_trace = !is_table(input->workload), .replay_s = NAN};
    enum pl_err rc = advice.of_trace ? measure(input, arena, &advice, err) : read_table(input, arena, &advice, err);
    if (rc == PL_OK && advice.of_trace && advice.table->page_size != input->machine->page_bytes)
        rc = pl_fail(err, PL_ERR_INPUT, "%s: pages of %u bytes, and memory.page_size of the machine is %llu",
                     input->workload, advice.table->page_size, (unsigned long long)input->machine->page_bytes);
    if (rc == PL_OK)
        rc = settle(input, &advice, err);
    if (rc == PL_OK)
        rc = ask(&advice, err);
    if (rc == PL_OK && advice.of_trace && !advice.fits) {
        rc = pl_advice_arrange(input, arena, &advice, err);
        if (rc == PL_OK)
            hear_the_replay(&advice);
    }
    if (rc == PL_OK)
        *out = advice;
    return rc;
}
