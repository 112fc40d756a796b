/* cmd/cmd_model_fit.c: `pagelab model --fit`: the cost from fitted counts, with a band, and whether the conclusion
 * survives it. */
#include "cmd/cmd_model.h"

#include <math.h>

const struct pl_option model_fit_option_table[] = {
    {"fit", 0, PL_OPT_TEXT, offsetof(struct model_fit_options, form), "FORM", NULL,
     "Take the counts from a fit and not from between the rows: auto, or a form of `pagelab fit`. Adds a band about the "
     "curve by bootstrap, and whether \"pays\" or \"does not pay\" survives it.",
     NULL, 0},
    {"bootstrap", 0, PL_OPT_COUNT, offsetof(struct model_fit_options, replicas), "N", "500",
     "Replicas behind the band of --fit (20 or more).", NULL, 0},
    {"seed", 0, PL_OPT_COUNT, offsetof(struct model_fit_options, seed), "N", "1",
     "Seed of the bootstrap: the same seed, the same band.", NULL, 0},
    {"confidence", 0, PL_OPT_REAL, offsetof(struct model_fit_options, confidence), "SHARE", "0.95",
     "Of the band of --fit.", NULL, 0},
    {NULL},
};

static enum pl_err check(const struct model_run *run, struct pl_error *err)
{
    const struct model_fit_options *options = &run->options->fit;
    if (run->options->interpolation == PL_INTERPOLATE_EXACT)
        return pl_fail(err, PL_ERR_USAGE, "--fit and --interpolation exact: counts come from one of them");
    if (run->options->compare)
        return pl_fail(err, PL_ERR_USAGE, "--compare 1996 is for the table itself, not for a fit");
    if (options->replicas < 20 || options->replicas > 100000)
        return pl_fail(err, PL_ERR_USAGE, "--bootstrap: 20 to 100000, not %llu", (unsigned long long)options->replicas);
    if (!(options->confidence > 0 && options->confidence < 1))
        return pl_fail(err, PL_ERR_USAGE, "--confidence: a share between 0 and 1, as 0.95, not %g", options->confidence);
    return PL_OK;
}

static struct pl_fit_series series_of(const struct pl_fit_choice *choice, size_t entry)
{
    return (struct pl_fit_series){choice ? choice->entry[entry].fit : NULL, 0};
}

static enum pl_err choose(struct model_run *run, enum pl_fit_which which, const struct pl_fit_form *only,
                          struct pl_fit_choice **out, struct pl_error *err)
{
    struct pl_progress progress =
        cmd_progress_begin(which == PL_FIT_READS ? "reads" : "writes", "forms", run->options->common.quiet);
    const struct pl_fit_options plain = {PL_FIT_LOG, PL_FIT_SQUARES, PL_FIT_WEIGHTS_REPEATS, &progress};
    enum pl_err rc = pl_fit_choose(run->table, which, &plain, only, run->arena, out, err);
    cmd_progress_end();
    return rc;
}

enum pl_err model_fit_prepare(struct model_run *run, struct pl_error *err)
{
    const struct pl_fit_form *only;
    struct pl_fit_choice *reads, *writes = NULL;
    if (!run->options->fit.form)
        return PL_OK;
    enum pl_err rc = check(run, err);
    if (rc == PL_OK)
        rc = pl_fit_form_find(run->options->fit.form, &only, err);
    if (rc == PL_OK)
        rc = choose(run, PL_FIT_READS, only, &reads, err);
    if (rc == PL_OK && run->table->writes)
        rc = choose(run, PL_FIT_WRITES, only, &writes, err);
    if (rc)
        return pl_fail_prefix(err, "--fit");
    run->fit_reads = reads;
    run->fit_writes = writes;
    return pl_fit_curves_create(run->table, series_of(reads, reads->best), series_of(writes, writes ? writes->best : 0),
                                run->arena, &run->curves, err);
}

enum pl_err model_fit_ask(struct model_run *run, struct pl_error *err)
{
    const struct model_fit_options *options = &run->options->fit;
    if (!options->form)
        return PL_OK;
    if (!run->whole_curve)
        return pl_fail(err, PL_ERR_USAGE, "--fit draws a band about one curve over d, not about a sweep over %s",
                       pl_cost_parameter_names[run->axis[0].parameter]);
    struct pl_progress progress = cmd_progress_begin("band", "replicas", run->options->common.quiet);
    const struct pl_fit_band_options band = {options->replicas, options->seed, options->confidence, &progress};
    const double *d = run->axis_count ? run->axis[0].values : &run->params.d_mb;
    enum pl_err rc = pl_fit_band_make(run->table, run->fit_reads, run->fit_writes, &run->params, d,
                                      run->axis_count ? run->axis[0].count : 1, &band, run->arena, &run->band, err);
    cmd_progress_end();
    return rc;
}

/* --- the document ------------------------------------------------------------------------ */

static void add_band(struct pl_document *document, const struct model_run *run)
{
    static const struct pl_column columns[] = {
        {"d_mb", "d", "MB", PL_VALUE_REAL, -1},
        {"total_s", "total", "s", PL_VALUE_REAL, 3},
        {"low_s", "from", "s", PL_VALUE_REAL, 3},
        {"high_s", "to", "s", PL_VALUE_REAL, 3},
    };
    const struct pl_fit_band *band = &run->band;
    const char *title = pl_arena_printf(run->arena, "The fitted cost and its %g %% band (%zu replicas, seed %llu)",
                                        100 * run->options->fit.confidence, band->replicas,
                                        (unsigned long long)run->options->fit.seed);
    struct pl_document_table *table = pl_document_table(document, "band", title, columns, PL_COUNT_OF(columns));
    double reach = run->optimum.found && !run->d_given ? run->optimum.reach_d_mb * (1 + 1e-12) : INFINITY;
    for (size_t i = 0; i < band->count && band->d_mb[i] <= reach; i++) {
        const struct pl_value row[] = {pl_value_real(band->d_mb[i]), pl_value_real(band->total_s[i]),
                                       pl_value_real(band->low_s[i]), pl_value_real(band->high_s[i])};
        pl_document_row(table, row);
    }
    pl_document_show_at_most(table, 17);
}

/* What each form, taken for reads and writes alike, makes of the question: the band knows nothing of that. */
static enum pl_err add_forms(struct pl_document *document, const struct model_run *run, size_t *otherwise,
                             struct pl_error *err)
{
    static const struct pl_column columns[] = {
        {"form", "form", "", PL_VALUE_TEXT, 0},
        {"held_out_mean_percent", "left-out rows, mean error", "%", PL_VALUE_REAL, 2},
        {"best_d_mb", "best d", "MB", PL_VALUE_REAL, -1},
        {"best_total_s", "effect there", "s", PL_VALUE_REAL, 2},
        {"pays", "pays", "", PL_VALUE_BOOL, 0},
    };
    struct pl_document_table *table =
        pl_document_table(document, "fit_forms", "The best cache by each form", columns, PL_COUNT_OF(columns));
    for (size_t i = 0; i < run->fit_reads->count; i++) {
        const struct pl_fit_entry *reads = &run->fit_reads->entry[i];
        const struct pl_fit_entry *writes = run->fit_writes ? &run->fit_writes->entry[i] : NULL;
        struct pl_fault_curves curves;
        struct pl_optimum best;
        if (!reads->fit || (writes && !writes->fit))
            continue;
        enum pl_err rc = pl_fit_curves_create(run->table, series_of(run->fit_reads, i), series_of(run->fit_writes, i),
                                              run->arena, &curves, err);
        if (rc)
            return rc;
        pl_cost_optimum(&curves, &run->params, 0, &best);
        double error = writes ? (reads->error + writes->error) / 2 : reads->error;
        const struct pl_value row[] = {
            pl_value_text(reads->form->name), pl_value_real(100 * error), pl_value_real(best.found ? best.d_mb : NAN),
            pl_value_real(best.found ? best.cost.total_s : NAN), pl_value_bool(best.found && best.cost.total_s < 0)};
        pl_document_row(table, row);
        *otherwise += best.found && (best.cost.total_s < 0) != run->band.pays;
    }
    return PL_OK;
}

static void add_results(struct pl_document *document, const struct model_run *run)
{
    const struct pl_fit_choice *reads = run->fit_reads, *writes = run->fit_writes;
    const struct pl_fit_band *band = &run->band;
    pl_document_result(document, "fit_reads_form", "reads are fitted by", "",
                       pl_value_text(reads->entry[reads->best].form->name));
    if (writes)
        pl_document_result(document, "fit_writes_form", "writes are fitted by", "",
                           pl_value_text(writes->entry[writes->best].form->name));
    pl_document_result(document, "fit_least_s", "least effect in the band's sizes", "s", pl_value_real(band->least_s));
    pl_document_result(document, "fit_least_low_s", "  from", "s", pl_value_real(band->least_low_s));
    pl_document_result(document, "fit_least_high_s", "  to", "s", pl_value_real(band->least_high_s));
    pl_document_result(document, "fit_agree_share", "replicas that conclude the same", "", pl_value_real(band->agree));
    pl_document_result(document, "fit_conclusion_survives", "the conclusion survives the band", "",
                       pl_value_bool(band->survives));
}

enum pl_err model_fit_add(struct pl_document *document, const struct model_run *run, struct pl_error *err)
{
    const struct pl_fit_band *band = &run->band;
    size_t otherwise = 0;
    if (!run->options->fit.form)
        return PL_OK;
    add_results(document, run);
    add_band(document, run);
    enum pl_err rc = add_forms(document, run, &otherwise, err);
    if (rc)
        return rc;
    if (isnan(band->least_s)) {
        pl_document_note(document, "No conclusion: no cache size lies inside the table.");
        return PL_OK;
    }
    pl_document_note(document, "At r = %.4g: \"a cache %s\" %s the scatter of the rows: %.4g %% of %zu replicas say so, and "
                     "the least effect lies between %.4g and %.4g s (%g %% band).", run->params.r,
                     band->pays ? "pays" : "does not pay", band->survives ? "survives" : "does not survive",
                     100 * band->agree, band->replicas, band->least_low_s, band->least_high_s,
                     100 * run->options->fit.confidence);
    if (otherwise)
        pl_document_note(document, "%zu of %zu forms say otherwise; see the table of forms for how well they predict.",
                         otherwise, run->fit_reads->count);
    if (band->failed)
        pl_document_note(document, "%zu replicas could not be fitted and are left out.", band->failed);
    return PL_OK;
}
