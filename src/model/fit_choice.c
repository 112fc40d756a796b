/* model/fit_choice.c: all forms side by side, the best of them, and its curve for the cost model. */
#include "model/fit_choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum pl_err pl_fit_form_find(const char *name, const struct pl_fit_form **out, struct pl_error *err)
{
    const char *names[PL_FIT_FORM_COUNT + 1] = {"auto"};
    char hint[160];
    if (!strcmp(name, "auto")) {
        *out = NULL;
        return PL_OK;
    }
    for (size_t i = 0; i < PL_FIT_FORM_COUNT; i++) {
        names[i + 1] = pl_fit_forms[i]->name;
        if (!strcmp(name, pl_fit_forms[i]->name)) {
            *out = pl_fit_forms[i];
            return PL_OK;
        }
    }
    return pl_fail(err, PL_ERR_USAGE, "there is no form '%s'%s", name,
                   pl_did_you_mean(hint, sizeof hint, name, names, PL_COUNT_OF(names), sizeof names[0]));
}

/* A form that cannot be fitted is an entry with the reason; only what concerns the whole run fails. */
static enum pl_err add_entry(struct pl_fit_choice *choice, const struct pl_fit_form *form,
                             const struct pl_fit_options *options, struct pl_arena *arena, struct pl_error *err)
{
    struct pl_fit_entry *entry = &choice->entry[choice->count];
    struct pl_fit *fit = pl_arena_alloc(arena, 1, sizeof *fit);
    struct pl_error why = {PL_OK, ""};
    *entry = (struct pl_fit_entry){.form = form, .error = NAN};
    if (!fit)
        return pl_fail_memory(err, sizeof *fit, "a fit");
    enum pl_err rc = pl_fit_run(form, &choice->data, options, fit, &why);
    if (rc == PL_OK)
        rc = pl_fit_held_out(fit, &choice->data, entry->held_out, &why);
    if (rc == PL_ERR_INPUT)
        snprintf(entry->why_not, sizeof entry->why_not, "%s", why.message);
    else if (rc)
        return pl_fail(err, rc, "%s", why.message);
    else
        entry->fit = fit;
    double sum = 0;
    for (size_t s = 0; s < choice->data.series && entry->fit; s++)
        sum += entry->held_out[s].mean / (double)choice->data.series;
    entry->error = entry->fit ? sum : NAN;
    choice->count++;
    return PL_OK;
}

/* Is `a` the better one? Any error is better than none. */
static bool is_better(const struct pl_fit_entry *a, const struct pl_fit_entry *b)
{
    if (!a->fit || !b->fit)
        return a->fit && !b->fit;
    if (isnan(a->error) || isnan(b->error))
        return isnan(b->error) && (!isnan(a->error) || a->fit->aicc < b->fit->aicc);
    return a->error < b->error;
}

enum pl_err pl_fit_choose(const struct pl_fault_table *table, enum pl_fit_which which,
                          const struct pl_fit_options *options, const struct pl_fit_form *only, struct pl_arena *arena,
                          struct pl_fit_choice **out, struct pl_error *err)
{
    struct pl_fit_choice *choice = pl_arena_alloc(arena, 1, sizeof *choice);
    if (!choice)
        return pl_fail_memory(err, sizeof *choice, "the fits");
    enum pl_err rc = pl_fit_data_from_table(table, which, options, &choice->data, err);
    for (size_t i = 0; pl_fit_forms[i] && rc == PL_OK; i++) {
        if (only && only != pl_fit_forms[i])
            continue;
        rc = pl_progress_report(options->progress, choice->count, only ? 1 : PL_FIT_FORM_COUNT)
                 ? add_entry(choice, pl_fit_forms[i], options, arena, err)
                 : pl_fail(err, PL_ERR_RESOURCE, "stopped before all forms were fitted");
    }
    if (rc)
        return rc;
    for (size_t i = 1; i < choice->count; i++)
        if (is_better(&choice->entry[i], &choice->entry[choice->best]))
            choice->best = i;
    const struct pl_fit_entry *best = &choice->entry[choice->best];
    if (!best->fit)
        return pl_fail(err, PL_ERR_INPUT, "%s: no form can be fitted; %s %s", table->name, best->form->name,
                       best->why_not);
    *out = choice;
    return PL_OK;
}

/* --- for the cost model -------------------------------------------------------------------- */

enum { SAMPLES = 600 };

/* Rising sizes; where a curve goes beyond all bounds there is no sample. Returns how many. */
static size_t sample(const struct pl_fault_table *table, struct pl_fit_series reads, struct pl_fit_series writes,
                     double *x, double *read, double *write)
{
    double first = table->memory_mb[0], last = table->memory_mb[table->count - 1];
    double from = first > 0 ? first / 4 : last / 1024, ratio = pow(4 * last / from, 1.0 / (SAMPLES - 1));
    size_t count = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        double at = i == 0 && first == 0 ? 0 : from * pow(ratio, (double)i);
        x[count] = at;
        read[count] = pl_fit_at(reads.fit, reads.series, at);
        write[count] = writes.fit ? pl_fit_at(writes.fit, writes.series, at) : 0;
        count += read[count] < 1e100 && write[count] < 1e100;
    }
    return count;
}

enum pl_err pl_fit_curves_create(const struct pl_fault_table *table, struct pl_fit_series reads,
                                 struct pl_fit_series writes, struct pl_arena *arena, struct pl_fault_curves *out,
                                 struct pl_error *err)
{
    struct pl_fault_table *dense = pl_arena_alloc(arena, 1, sizeof *dense);
    double *memory = pl_arena_alloc(arena, 3 * SAMPLES, sizeof *memory);
    if (!dense || !memory)
        return pl_fail_memory(err, 3 * SAMPLES * sizeof *memory, "a fitted curve");
    *dense = *table;
    dense->count = sample(table, reads, writes, memory, memory + SAMPLES, memory + 2 * SAMPLES);
    dense->memory_mb = memory;
    dense->reads = memory + SAMPLES;
    dense->writes = writes.fit ? memory + 2 * SAMPLES : NULL;
    dense->repeats = dense->reads_deviation = dense->writes_deviation = NULL;
    dense->reads_settled = dense->writes_settled = false;
    enum pl_err rc = pl_fault_curves_create(dense, PL_INTERPOLATE_LOG_PCHIP, arena, out, err);
    if (rc)
        return rc;
    bool settled = table->reads_settled && (!table->writes || table->writes_settled);
    out->low_mb = table->memory_mb[0];
    out->high_mb = settled ? INFINITY : table->memory_mb[table->count - 1];
    return PL_OK;
}
