/* cmd/cmd_fit_runs.c: `pagelab fit TABLE --runs FILE`: costs and ratio from run times. */
#include "cmd/cmd_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct pl_option fit_runs_options[] = {
    {"runs", 0, PL_OPT_TEXT, offsetof(struct fit_options, runs), "FILE", NULL,
     "CSV with d_mb (empty: no cache), total_s and perhaps m_mb, a line for each run. What is not given below is estimated "
     "from it, with the counts of TABLE.",
     NULL, 0},
    {"m", 0, PL_OPT_TEXT, offsetof(struct fit_options, known[PL_PARAMETER_M]), "SIZE", NULL,
     "Memory of the machine, when the runs do not say; the table's own otherwise.", NULL, 0},
    {"cd", 0, PL_OPT_TEXT, offsetof(struct fit_options, known[PL_PARAMETER_CD]), "TIME", NULL,
     "Known time to compress or decompress a page.", NULL, 0},
    {"ch", 0, PL_OPT_TEXT, offsetof(struct fit_options, known[PL_PARAMETER_CH]), "TIME", NULL,
     "Known time of a disk access.", NULL, 0},
    {"r", 0, PL_OPT_TEXT, offsetof(struct fit_options, known[PL_PARAMETER_R]), "RATIO", NULL, "Known compression ratio.",
     NULL, 0},
    {"frac", 0, PL_OPT_TEXT, offsetof(struct fit_options, known[PL_PARAMETER_FRAC]), "NUMBER", NULL,
     "Known additional disk accesses for each write.", NULL, 0},
    {"base", 0, PL_OPT_TIME, offsetof(struct fit_options, base), "TIME", NULL,
     "Known time of the run besides paging.", NULL, offsetof(struct fit_options, base_given)},
    {"frac-reading", 0, PL_OPT_CHOICE, offsetof(struct fit_options, frac_reading), "WHICH", "file",
     "Which writes frac charges.", pl_frac_reading_names, 0},
    {"accounting", 0, PL_OPT_CHOICE, offsetof(struct fit_options, accounting), "WHICH", "1996", "What pays cd.",
     pl_accounting_names, 0},
    {NULL},
};

static const struct {
    const char *key, *label, *unit;
} names[PL_RUNS_PARAMETERS] = {
    [PL_RUNS_BASE] = {"base", "the run besides paging", "s"},
    [PL_RUNS_CD] = {"cd", "compressing or decompressing a page", "s"},
    [PL_RUNS_CH] = {"ch", "a disk access", "s"},
    [PL_RUNS_R] = {"r", "compression ratio", ""},
    [PL_RUNS_FRAC] = {"frac", "additional disk accesses a write", ""},
};

/* --- what is known ------------------------------------------------------------------------ */

static enum pl_err known_values(const struct fit_run *run, double out[PL_RUNS_PARAMETERS], double *m_mb,
                                struct pl_error *err)
{
    static const struct {
        enum pl_cost_parameter given;
        enum pl_runs_parameter where;
    } rows[] = {{PL_PARAMETER_CD, PL_RUNS_CD}, {PL_PARAMETER_CH, PL_RUNS_CH}, {PL_PARAMETER_R, PL_RUNS_R},
                {PL_PARAMETER_FRAC, PL_RUNS_FRAC}};
    const struct fit_options *options = run->options;
    uint32_t page_size = run->table->page_size;
    const char *m = options->known[PL_PARAMETER_M] ? options->known[PL_PARAMETER_M] : run->table->machine;
    *m_mb = NAN;
    enum pl_err rc = m ? pl_cost_parameter_parse(PL_PARAMETER_M, m, page_size, m_mb, err) : PL_OK;
    out[PL_RUNS_BASE] = options->base_given ? (double)options->base / (double)PL_PS_PER_S : NAN;
    for (size_t i = 0; i < PL_COUNT_OF(rows) && rc == PL_OK; i++) {
        const char *text = options->known[rows[i].given];
        out[rows[i].where] = NAN;
        if (text)
            rc = pl_cost_parameter_parse(rows[i].given, text, page_size, &out[rows[i].where], err);
    }
    if (rc == PL_OK && (out[PL_RUNS_CD] < 0 || out[PL_RUNS_CH] < 0 || out[PL_RUNS_R] < 1 || out[PL_RUNS_FRAC] < 0))
        return pl_fail(err, PL_ERR_USAGE, "cd, ch and frac cannot be below 0, nor r below 1");
    return rc;
}

/* --- the document --------------------------------------------------------------------------- */

static void add_estimates(struct pl_document *document, const struct fit_run *run, const struct pl_runs_fit *fit)
{
    static const struct pl_column columns[] = {
        {"parameter", "parameter", "", PL_VALUE_TEXT, 0}, {"meaning", "", "", PL_VALUE_TEXT, 0},
        {"value", "value", "", PL_VALUE_REAL, -1},        {"low", "from", "", PL_VALUE_REAL, -1},
        {"high", "to", "", PL_VALUE_REAL, -1},            {"unit", "unit", "", PL_VALUE_TEXT, 0},
        {"origin", "origin", "", PL_VALUE_TEXT, 0},
    };
    const char *title = pl_arena_printf(run->arena, "Estimates, with %g %% intervals", 100 * run->options->confidence);
    struct pl_document_table *table = pl_document_table(document, "estimates", title, columns, PL_COUNT_OF(columns));
    for (size_t i = 0; i < PL_RUNS_PARAMETERS; i++) {
        const struct pl_runs_estimate *estimate = &fit->estimate[i];
        const struct pl_value row[] = {
            pl_value_text(names[i].key), pl_value_text(names[i].label), pl_value_real(estimate->value),
            pl_value_real(isfinite(estimate->low) ? estimate->low : NAN),
            pl_value_real(isfinite(estimate->high) ? estimate->high : NAN),
            pl_value_text(names[i].unit),
            pl_value_text(estimate->known ? "given" : estimate->at_bound ? "at its bound" : estimate->identified ? "estimated" : "not determined")};
        pl_document_row(table, row);
    }
    pl_document_csv_table(document, table);
}

static void add_runs(struct pl_document *document, const struct pl_runs *runs, const struct pl_runs_fit *fit)
{
    static const struct pl_column columns[] = {
        {"m_mb", "m", "MB", PL_VALUE_REAL, -1},          {"d_mb", "d", "MB", PL_VALUE_REAL, -1},
        {"measured_s", "measured", "s", PL_VALUE_REAL, 3}, {"fitted_s", "fitted", "s", PL_VALUE_REAL, 3},
        {"off_s", "off", "s", PL_VALUE_REAL, 3},
    };
    struct pl_document_table *table = pl_document_table(document, "runs", "Runs (no d: without a cache)", columns,
                                                        PL_COUNT_OF(columns));
    for (size_t i = 0; i < runs->count; i++) {
        const struct pl_value row[] = {pl_value_real(runs->m_mb[i]), pl_value_real(runs->d_mb[i]),
                                       pl_value_real(runs->total_s[i]), pl_value_real(fit->fitted_s[i]),
                                       pl_value_real(fit->fitted_s[i] - runs->total_s[i])};
        pl_document_row(table, row);
    }
    pl_document_show_at_most(table, 24);
}

/* "cd up 70 %, ch down 30 %": what may change together. Small shares are left out. */
static void add_blur(struct pl_document *document, const struct pl_runs_blur *blur, double sigma_s)
{
    struct pl_text names_text = {0}, moves = {0};
    size_t count = 0;
    for (size_t i = 0; i < PL_RUNS_PARAMETERS; i++) {
        if (fabs(blur->weight[i]) < 0.1)
            continue;
        const char *separator = count++ ? ", " : "";
        pl_text_addf(&names_text, "%s%s", separator, names[i].key);
        pl_text_addf(&moves, "%s%s %+.2f", separator, names[i].key, blur->weight[i]);
    }
    if (count == 1)
        pl_document_note(document, "%s cannot be determined from these runs: they hardly depend on it.", names_text.data);
    else
        pl_document_note(document, "%s cannot be told apart from these runs: changed together, in the proportion %s "
                         "(relative changes; base in mean run times), they leave every time as it is%s.",
                         names_text.data ? names_text.data : "", moves.data ? moves.data : "",
                         isnan(sigma_s) ? "" : ", within the scatter");
    pl_text_free(&names_text);
    pl_text_free(&moves);
}

static const char *runs_title(const struct fit_run *run, const struct pl_runs_fit *fit)
{
    struct pl_text words = {0};
    for (size_t i = 0; i < PL_RUNS_PARAMETERS; i++) {
        if (!fit->estimate[i].known && fit->estimate[i].identified)
            pl_text_addf(&words, "%s%s = %.4g%s%s", words.length ? ", " : "", names[i].key, fit->estimate[i].value,
                         names[i].unit[0] ? " " : "", names[i].unit);
    }
    const char *title = words.length ? pl_arena_strdup(run->arena, words.data)
                                     : "These runs determine none of the unknown parameters";
    pl_text_free(&words);
    return title;
}

static enum pl_err runs_document(const struct fit_run *run, const struct pl_runs *runs, const struct pl_runs_fit *fit,
                                 struct pl_document **out, struct pl_error *err)
{
    int argc;
    char **argv;
    const char *title = runs_title(run, fit);
    struct pl_document *document = title ? pl_document_create(run->arena, "fit-runs", title) : NULL;
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    pl_document_parameter(document, "table", "fault table", "", pl_value_text(run->table->name));
    pl_document_parameter(document, "runs", "runs", "", pl_value_text(runs->name));
    pl_document_parameter(document, "accounting", "accounting", "",
                          pl_value_text(pl_accounting_names[run->options->accounting]));
    for (size_t i = 0; i < PL_RUNS_PARAMETERS; i++)
        pl_document_result(document, names[i].key, names[i].label, names[i].unit,
                           pl_value_real(fit->estimate[i].identified ? fit->estimate[i].value : NAN));
    pl_document_result(document, "scatter_s", "scatter of the runs", "s", pl_value_real(fit->sigma_s));
    pl_document_result(document, "freedom", "degrees of freedom", "", pl_value_count(fit->freedom));
    pl_document_result(document, "condition", "condition number", "",
                       pl_value_real(isfinite(fit->condition) ? fit->condition : NAN));
    add_estimates(document, run, fit);
    add_runs(document, runs, fit);
    for (size_t k = 0; k < fit->blurs; k++)
        add_blur(document, &fit->blur[k], fit->sigma_s);
    if (!fit->freedom)
        pl_document_note(document, "%zu runs for %zu unknowns: nothing is left to judge the scatter by, so there are no "
                         "intervals.", runs->count, fit->unknown);
    if (fit->extrapolated)
        pl_document_note(document, "%zu of %zu runs need counts outside the table, which are guesses.", fit->extrapolated,
                         runs->count);
    *out = document;
    return PL_OK;
}

enum pl_err fit_from_runs(struct fit_run *run, struct pl_document **out, struct pl_error *err)
{
    struct pl_fault_curves curves;
    struct pl_runs *runs;
    struct pl_runs_fit fit;
    double known[PL_RUNS_PARAMETERS], m_mb;
    const struct pl_cost_params params = {.accounting = (enum pl_accounting)run->options->accounting,
                                          .frac_reading = (enum pl_frac_reading)run->options->frac_reading};
    enum pl_err rc = known_values(run, known, &m_mb, err);
    if (rc == PL_OK)
        rc = pl_fault_curves_create(run->table, PL_INTERPOLATE_DEFAULT, run->arena, &curves, err);
    if (rc == PL_OK)
        rc = pl_runs_read(run->options->runs, m_mb, run->arena, &runs, err);
    if (rc == PL_OK && !run->table->writes && isnan(known[PL_RUNS_FRAC]))
        known[PL_RUNS_FRAC] = 0; /* without writes there is nothing that it could charge */
    if (rc == PL_OK)
        rc = pl_runs_fit(runs, &curves, &params, known, run->options->confidence, run->arena, &fit, err);
    return rc ? rc : runs_document(run, runs, &fit, out, err);
}
