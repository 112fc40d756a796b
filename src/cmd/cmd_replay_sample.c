/* cmd/cmd_replay_sample.c: `pagelab replay --sample RATE`: the whole machine in small.
 *
 * As mini-simulation does for one policy (curve/mini.h): only touches of pages in the sample are run, a share of RATE by a
 * hash of their number; the machine has that share of its memory, store and page file, and of every other size that its
 * file or the command line gives in pages or bytes (study/scale_memory.c). What it counts is multiplied by 1 / RATE.
 *
 * Not scaled: costs, rates, clusters, processors, threads, and what the trace says of time. So queues are those of a machine
 * with fewer faults, and what takes place by time (timers, sleeping) takes place more often for each touch. */
#include "cmd/cmd_replay.h"

#include "curve/mini.h"
#include "study/scale_memory.h"
#include "trace/rebatch.h"

#include <stdlib.h>
#include <string.h>

struct replay_sample {
    struct pl_mini mini;
    struct pl_rebatch *rebatch;
};

enum pl_err replay_sample_create(double rate, struct replay_sample **out, struct pl_error *err)
{
    struct replay_sample *sample = calloc(1, sizeof *sample);
    if (!sample)
        return pl_fail_memory(err, sizeof *sample, "a sample");
    sample->mini = pl_mini_make(rate, 1);
    enum pl_err rc = pl_rebatch_create(1, &sample->rebatch, err);
    if (rc) {
        free(sample);
        return rc;
    }
    *out = sample;
    return PL_OK;
}

void replay_sample_free(struct replay_sample *sample)
{
    if (!sample)
        return;
    pl_rebatch_free(sample->rebatch);
    free(sample);
}

enum pl_err replay_sample_machine(struct pl_parameters *parameters, double rate, struct pl_error *err)
{
    struct pl_machine machine = {0};
    enum pl_err rc = pl_parameters_finish(parameters, &machine, err);
    if (rc)
        return rc;
    const bool fixed = machine.resident_pages != PL_UNLIMITED;
    double bytes = fixed ? (double)machine.resident_pages * (double)machine.page_bytes : (double)machine.total_bytes;
    return pl_machine_scale_memory(parameters, bytes * rate, err);
}

/* --- the trace ------------------------------------------------------------------------------------------------------------ */

static bool names_pages(const struct pl_control *control)
{
    return control->op == PL_OP_ALLOCATE || control->op == PL_OP_FREE || control->op == PL_OP_CONTENT ||
           control->op == PL_OP_PREFETCH || control->op == PL_OP_LOCK;
}

/* Of a run of pages those in the sample, which lie next to each other in it. */
static enum pl_err add_control(struct replay_sample *sample, const struct pl_control *control, struct pl_error *err)
{
    if (!names_pages(control))
        return pl_rebatch_control(sample->rebatch, 0, control, 0, err);
    enum pl_err rc = PL_OK;
    for (uint64_t page = control->a; rc == PL_OK && page < control->a + control->b; page++) {
        struct pl_control one = *control;
        one.a = page;
        one.b = 1;
        if (control->op == PL_OP_CONTENT)
            one.actor += (uint32_t)(page - control->a);
        if (pl_mini_has(&sample->mini, (pl_page)page))
            rc = pl_rebatch_control(sample->rebatch, 0, &one, 0, err);
    }
    return rc;
}

static enum pl_err add_touches(struct replay_sample *sample, const struct pl_batch *batch, size_t from, size_t to,
                               uint32_t page_size, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    for (size_t at = from; rc == PL_OK && at < to;) {
        size_t end = at;
        while (end < to && pl_mini_has(&sample->mini, batch->page[end]))
            end++;
        if (end > at)
            rc = pl_rebatch_touches(sample->rebatch, 0, batch, at, end, 0, page_size, err);
        at = end + 1;
    }
    return rc;
}

/* A batch has at most as many touches as there is room for in one. */
enum pl_err replay_sample_next(struct replay_sample *sample, struct pl_trace *trace, struct pl_batch *out,
                               struct pl_error *err)
{
    struct pl_batch batch;
    size_t done = 0;
    enum pl_err rc = pl_trace_next(trace, &batch, err);
    for (size_t i = 0; rc == PL_OK && i < batch.control_count; i++) {
        rc = add_touches(sample, &batch, done, batch.control[i].at, pl_trace_info(trace)->page_size, err);
        done = batch.control[i].at;
        if (rc == PL_OK)
            rc = add_control(sample, &batch.control[i], err);
    }
    if (rc == PL_OK)
        rc = add_touches(sample, &batch, done, batch.count, pl_trace_info(trace)->page_size, err);
    if (rc == PL_OK)
        pl_rebatch_take(sample->rebatch, out);
    return rc;
}

/* --- what came out --------------------------------------------------------------------------------------------------------- */

static void put_row(struct pl_document_table *table, const char *what, uint64_t count, double rate)
{
    const struct pl_value row[] = {pl_value_text(what), pl_value_count(count),
                                   pl_value_count((uint64_t)((double)count / rate + 0.5))};
    if (count)
        pl_document_row(table, row);
}

void replay_put_sample(struct pl_document *document, const struct replay_report *report)
{
    static const struct pl_column columns[] = {{"what", "what", "", PL_VALUE_TEXT, 0},
                                               {"sampled", "in the sample", "", PL_VALUE_COUNT, 0},
                                               {"whole", "whole, estimated", "", PL_VALUE_COUNT, 0}};
    static const char *const fault_names[PL_FAULT_KINDS] = {"faults_demand_zero",   "faults_transition", "faults_store",
                                                            "faults_hard",          "faults_copy_on_write",
                                                            "faults_guard"};
    const struct pl_sim_result *result = report->result;
    const struct pl_sim_totals *totals = &result->totals;
    const double rate = report->options->sample;
    struct pl_document_table *table = pl_document_table(document, "whole", "Scaled up from the sample to the whole trace",
                                                        columns, PL_COUNT_OF(columns));
    put_row(table, "touches", result->all.touches, rate);
    put_row(table, "writes", result->all.writes, rate);
    for (int kind = 0; kind < PL_FAULT_KINDS; kind++)
        put_row(table, fault_names[kind], result->all.faults[kind], rate);
    put_row(table, "disk_reads", totals->disk_reads, rate);
    put_row(table, "disk_writes", totals->disk_writes, rate);
    put_row(table, "store_hits", totals->store_hits, rate);
    put_row(table, "store_puts", totals->store_puts, rate);
    put_row(table, "store_pages", result->end.store_pages, rate);
    put_row(table, "store_bytes", result->end.store_bytes, rate);
    if (report->trace->clock == PL_CLOCK_NONE)
        put_row(table, "elapsed_ns", (uint64_t)(result->elapsed_ps / 1000), rate);
    pl_document_note(document, "a sample of %g of the pages ran on a machine with that share of its memory, store and page "
                               "file; results are the sample's, and 'whole' has them scaled up. Costs, clusters, processors "
                               "and times of the trace are not scaled, so queues are shorter than they would be", rate);
}
