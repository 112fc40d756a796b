/* cmd/cmd_model_document.c: the answer of `pagelab model`, as a document. The title is the answer in one line. */
#include "cmd/cmd_model.h"

#include <math.h>
#include <string.h>

static struct pl_value real(double value)
{
    return pl_value_real(value);
}

/* --- the answer in one line ----------------------------------------------------------- */

static const char *lost_or_gained(double total_s)
{
    return total_s > 0 ? "lost" : "gained";
}

/* "0.794 MB"; small ones, as of traces, in pages. */
static const char *size_words(const struct model_run *run, double mb)
{
    if (mb == 0 || mb >= 0.1)
        return pl_arena_printf(run->arena, "%.3g MB", mb);
    return pl_arena_printf(run->arena, "%.4g pages", mb / run->curves.page_mb);
}

static const char *title_of(const struct model_run *run)
{
    const struct pl_optimum *best = &run->optimum;
    if (!run->whole_curve)
        return "Time lost (positive) or gained by a compressed cache, over a sweep";
    if (run->d_given)
        return pl_arena_printf(run->arena, "%.4g s %s by a cache of %s%s", fabs(run->at_d.total_s),
                               lost_or_gained(run->at_d.total_s), size_words(run, run->params.d_mb),
                               run->at_d.extrapolated ? " (outside the table)" : "");
    if (!best->found)
        return pl_arena_printf(run->arena, "No optimum: %s", best->why_not);
    if (best->never_pages)
        return pl_arena_printf(run->arena, "With m = %s it never pages: there is nothing for a cache to gain",
                               size_words(run, run->params.m_mb));
    if (best->cost.total_s >= 0)
        return pl_arena_printf(run->arena, "Least overhead %.4g s at d = %s%s: a cache does not pay",
                               best->cost.total_s, size_words(run, best->d_mb), best->at_edge ? " (the table ends there)" : "");
    return pl_arena_printf(run->arena, "Most gained, %.4g s, at d = %s%s: a cache pays", -best->cost.total_s,
                           size_words(run, best->d_mb), best->at_edge ? " (the table ends there)" : "");
}

/* --- parameters ---------------------------------------------------------------------------- */

static const struct {
    const char *key, *label, *unit;
    int decimals;
} parameters[PL_PARAMETER_COUNT] = {
    [PL_PARAMETER_M] = {"m_mb", "memory of the machine, m", "MB", -1},
    [PL_PARAMETER_D] = {"d_mb", "memory given to the cache, d", "MB", -1},
    [PL_PARAMETER_R] = {"r", "compression ratio, r", "", -1},
    [PL_PARAMETER_CD] = {"cd_s", "compressing or decompressing a page, cd", "s", -1},
    [PL_PARAMETER_CH] = {"ch_s", "a disk access, ch", "s", -1},
    [PL_PARAMETER_FRAC] = {"frac", "extra disk accesses a write, frac", "", -1},
};

static bool is_axis(const struct model_run *run, enum pl_cost_parameter which)
{
    for (size_t i = 0; i < run->axis_count; i++) {
        if (run->axis[i].parameter == which)
            return true;
    }
    return false;
}

/* "given: m, r; the 1996 document: cd, ch, frac" */
static const char *origins(const struct model_run *run)
{
    static const char *const names[] = {
        [MODEL_GIVEN] = "given", [MODEL_TABLE] = "the table", [MODEL_DOCUMENT_1996] = "the 1996 document"};
    const char *out = "";
    for (size_t origin = 0; origin < PL_COUNT_OF(names); origin++) {
        bool first = true;
        for (int which = 0; which < PL_PARAMETER_COUNT && out; which++) {
            if (run->origin[which] != (enum model_origin)origin || is_axis(run, (enum pl_cost_parameter)which))
                continue;
            out = first ? pl_arena_printf(run->arena, "%s%s%s: %s", out, *out ? "; " : "", names[origin],
                                          pl_cost_parameter_names[which])
                        : pl_arena_printf(run->arena, "%s, %s", out, pl_cost_parameter_names[which]);
            first = false;
        }
    }
    return out;
}

static void add_parameters(struct pl_document *document, const struct model_run *run)
{
    pl_document_parameter(document, "table", "fault table", "", pl_value_text(run->table->name));
    if (run->table->source)
        pl_document_parameter(document, "table_source", "measured by", "", pl_value_text(run->table->source));
    if (run->table->rule)
        pl_document_parameter(document, "rule", "counting rule", "", pl_value_text(run->table->rule));
    pl_document_parameter(document, "page_size", "page size", "bytes", pl_value_count(run->table->page_size));
    for (int which = 0; which < PL_PARAMETER_COUNT; which++) {
        bool is_open = which == PL_PARAMETER_D && !run->d_given;
        if (!is_axis(run, (enum pl_cost_parameter)which) && !is_open)
            pl_document_parameter(document, parameters[which].key, parameters[which].label, parameters[which].unit,
                                  real(pl_cost_parameter_get(&run->params, (enum pl_cost_parameter)which)));
    }
    pl_document_parameter(document, "parameter_sources", "whose values these are", "", pl_value_text(origins(run)));
    pl_document_parameter(document, "accounting", "accounting", "",
                          pl_value_text(pl_accounting_names[run->params.accounting]));
    pl_document_parameter(document, "frac_reading", "frac charges", "",
                          pl_value_text(pl_frac_reading_names[run->params.frac_reading]));
    pl_document_parameter(document, "interpolation", "interpolation", "",
                          pl_value_text(run->fit_reads ? "none: fitted" : pl_interpolation_names[run->options->interpolation]));
}

/* --- results ----------------------------------------------------------------------------------- */

static double writes_or_nothing(const struct model_run *run, double value)
{
    return run->table->writes ? value : NAN;
}

static void add_cost_at_d(struct pl_document *document, const struct model_run *run)
{
    const struct pl_cost *cost = &run->at_d;
    pl_document_result(document, "total_s", "effect of the cache (positive: lost)", "s", real(cost->total_s));
    pl_document_result(document, "read_s", "  of it by reads", "s", real(cost->read_s));
    pl_document_result(document, "write_s", "  of it by writes", "s", real(writes_or_nothing(run, cost->write_s)));
    pl_document_result(document, "frac_s", "  of it by frac", "s", real(cost->frac_s));
    pl_document_result(document, "extrapolated", "outside the table", "", pl_value_bool(cost->extrapolated));
    pl_document_result(document, "codec_operations", "compressions and decompressions", "",
                       real(cost->codec_operations));
    pl_document_result(document, "disk_accesses_saved", "disk accesses saved", "", real(cost->disk_saved));
}

/* What the costs at d are made of. */
static void add_counts(struct pl_document *document, const struct model_run *run)
{
    static const struct pl_column columns[] = {
        {"boundary", "memory boundary", "", PL_VALUE_TEXT, 0}, {"memory_mb", "at", "MB", PL_VALUE_REAL, -1},
        {"reads", "reads beyond", "", PL_VALUE_REAL, -1},      {"writes", "writes beyond", "", PL_VALUE_REAL, -1},
        {"extrapolated", "outside the table", "", PL_VALUE_BOOL, 0},
    };
    const struct {
        const char *name;
        double memory_mb;
        const struct pl_faults *faults;
    } rows[] = {
        {"left to programs, m - d", run->at_d.resident_mb, &run->at_d.at_resident},
        {"memory of the machine, m", run->params.m_mb, &run->at_d.at_m},
        {"reach of the cache, m - d + d r", run->at_d.reach_mb, &run->at_d.at_reach},
    };
    struct pl_document_table *table = pl_document_table(document, "counts", "Page-file accesses beyond each boundary",
                                                        columns, PL_COUNT_OF(columns));
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        const struct pl_value row[] = {pl_value_text(rows[i].name), real(rows[i].memory_mb), real(rows[i].faults->reads),
                                       real(writes_or_nothing(run, rows[i].faults->writes)),
                                       pl_value_bool(rows[i].faults->extrapolated)};
        pl_document_row(table, row);
    }
}

static void add_optimum(struct pl_document *document, const struct model_run *run)
{
    const struct pl_optimum *best = &run->optimum;
    pl_document_result(document, "optimum_d_mb", "best cache size", "MB", real(best->d_mb));
    pl_document_result(document, "optimum_d_pages", "  in pages", "pages", real(best->d_mb / run->curves.page_mb));
    double nothing = best->found ? 0 : NAN;
    pl_document_result(document, "optimum_total_s", "effect there (positive: lost)", "s",
                       real(best->cost.total_s + nothing));
    pl_document_result(document, "optimum_read_s", "  of it by reads", "s", real(best->cost.read_s + nothing));
    pl_document_result(document, "optimum_write_s", "  of it by writes", "s",
                       real(writes_or_nothing(run, best->cost.write_s + nothing)));
    pl_document_result(document, "pays", "a cache pays", "",
                       best->found ? pl_value_bool(best->cost.total_s < 0) : real(NAN));
    pl_document_result(document, "flat_s", "sizes that cost at most so much more", "s", real(run->flat_s));
    pl_document_result(document, "flat_from_mb", "  begin at", "MB", real(best->flat_from_mb));
    pl_document_result(document, "flat_to_mb", "  and end at", "MB", real(best->flat_to_mb));
    pl_document_result(document, "reach_d_mb", "largest d the table can tell about", "MB", real(best->reach_d_mb));
    if (best->never_pages)
        pl_document_note(document, "The table has neither reads nor writes with so much memory: no cache could save any.");
    if (!best->found)
        pl_document_note(document, "No optimum was chosen: %s.", best->why_not);
    if (best->at_edge)
        pl_document_note(document, "The best d is the largest that the table can tell about; a table of %s memory sizes "
                         "might show a better one.",
                         best->d_mb >= run->params.m_mb - run->curves.low_mb - 1e-9 ? "smaller" : "larger");
}

static void add_baselines(struct pl_document *document, const struct model_run *run)
{
    struct pl_cost_params empty = run->params;
    empty.d_mb = 0;
    struct pl_cost cost = pl_cost_evaluate(&run->curves, &empty);
    pl_document_result(document, "no_cache_total_s", "no cache at all (by definition)", "s", real(0));
    pl_document_result(document, "empty_cache_total_s", "an empty cache, d = 0: cd on every fault", "s",
                       real(cost.total_s));
    pl_document_result(document, "disk_without_cache_s", "disk time without a cache", "s", real(cost.disk_without_s));
}

static void add_break_even(struct pl_document *document, const struct model_run *run)
{
    const struct {
        const char *key, *d_key, *label, *unit;
        const struct pl_break_even *even;
    } rows[] = {
        {"break_even_cd_s", "break_even_cd_d_mb", "a cache pays with cd below", "s", &run->even.cd},
        {"break_even_ch_s", "break_even_ch_d_mb", "  or with ch above", "s", &run->even.ch},
        {"break_even_r", "break_even_r_d_mb", "  or with r above", "", &run->even.r},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++) {
        pl_document_result(document, rows[i].key, rows[i].label, rows[i].unit, real(rows[i].even->value));
        if (!run->d_given)
            pl_document_result(document, rows[i].d_key, "    with d =", "MB", real(rows[i].even->d_mb));
    }
}

/* --- the table of costs ----------------------------------------------------------------------------- */

enum { COST_COLUMNS_MAX = 3 + 6 };

struct cost_table {
    struct pl_document_table *table;
    size_t skipped, rows, extrapolated;
    bool best_d; /* each row has its own best d */
    bool has_frac;
    struct pl_error first_problem;
    double least_s; /* the least cost inside the table, and where */
    struct pl_cost_params least;
};

static size_t cost_columns(const struct model_run *run, const struct cost_table *out, struct pl_column *columns)
{
    size_t count = 0;
    for (size_t i = 0; i < run->axis_count; i++) {
        enum pl_cost_parameter which = run->axis[i].parameter;
        columns[count++] = (struct pl_column){parameters[which].key, pl_cost_parameter_names[which],
                                              parameters[which].unit, PL_VALUE_REAL, parameters[which].decimals};
    }
    if (run->axis_count == 0)
        columns[count++] = (struct pl_column){"d_mb", "d", "MB", PL_VALUE_REAL, -1};
    columns[count++] = (struct pl_column){"read_s", "reads", "s", PL_VALUE_REAL, 3};
    columns[count++] = (struct pl_column){"write_s", "writes", "s", PL_VALUE_REAL, 3};
    if (out->has_frac)
        columns[count++] = (struct pl_column){"frac_s", "frac", "s", PL_VALUE_REAL, 3};
    columns[count++] = (struct pl_column){"total_s", "total", "s", PL_VALUE_REAL, 3};
    if (out->best_d)
        columns[count++] = (struct pl_column){"best_d_mb", "best d", "MB", PL_VALUE_REAL, -1};
    columns[count++] = (struct pl_column){"extrapolated", "outside the table", "", PL_VALUE_BOOL, 0};
    return count;
}

/* One combination of parameters; those that make no sense (d > m) are left out and counted. */
static void add_cost_row(struct cost_table *out, const struct model_run *run, const struct pl_cost_params *params)
{
    struct pl_cost cost = {.read_s = NAN, .write_s = NAN, .frac_s = NAN, .total_s = NAN, .extrapolated = true};
    struct pl_optimum best = {.d_mb = NAN};
    struct pl_error err = {PL_OK, ""};
    struct pl_value row[COST_COLUMNS_MAX];
    size_t count = 0;
    if (pl_cost_check(params, &run->curves, &err)) {
        if (out->skipped++ == 0)
            out->first_problem = err;
        return;
    }
    if (out->best_d)
        pl_cost_optimum(&run->curves, params, 0, &best);
    if (best.found)
        cost = best.cost;
    else if (!out->best_d)
        cost = pl_cost_evaluate(&run->curves, params);
    for (size_t i = 0; i < run->axis_count; i++)
        row[count++] = real(pl_cost_parameter_get(params, run->axis[i].parameter));
    if (run->axis_count == 0)
        row[count++] = real(params->d_mb);
    row[count++] = real(cost.read_s);
    row[count++] = real(writes_or_nothing(run, cost.write_s));
    if (out->has_frac)
        row[count++] = real(cost.frac_s);
    row[count++] = real(cost.total_s);
    if (out->best_d)
        row[count++] = real(best.d_mb);
    row[count++] = pl_value_bool(cost.extrapolated);
    pl_document_row(out->table, row);
    out->rows++;
    out->extrapolated += cost.extrapolated;
    if (!cost.extrapolated && cost.total_s < out->least_s) {
        out->least_s = cost.total_s;
        out->least = *params;
        if (out->best_d)
            out->least.d_mb = best.d_mb;
    }
}

/* A row for every combination of the axes from `axis` on; the ones before are set in `params`. */
static void add_combinations(struct cost_table *out, const struct model_run *run, size_t axis, struct pl_cost_params params)
{
    if (axis == run->axis_count) {
        add_cost_row(out, run, &params);
        return;
    }
    for (size_t i = 0; i < run->axis[axis].count; i++) {
        pl_cost_parameter_set(&params, run->axis[axis].parameter, run->axis[axis].values[i]);
        add_combinations(out, run, axis + 1, params);
    }
}

/* A sweep's own answer. */
static void add_least(struct pl_document *document, const struct model_run *run, const struct cost_table *out)
{
    bool found = isfinite(out->least_s);
    pl_document_result(document, "least_total_s", "least effect in the sweep (positive: lost)", "s",
                       real(found ? out->least_s : NAN));
    for (int which = 0; which < PL_PARAMETER_COUNT; which++) {
        bool is_best_d = which == PL_PARAMETER_D && out->best_d;
        if (!is_axis(run, (enum pl_cost_parameter)which) && !is_best_d)
            continue;
        double value = pl_cost_parameter_get(&out->least, (enum pl_cost_parameter)which);
        const char *key = pl_arena_printf(run->arena, "least_%s", parameters[which].key);
        const char *label = pl_arena_printf(run->arena, "  with %s =", pl_cost_parameter_names[which]);
        if (key && label)
            pl_document_result(document, key, label, parameters[which].unit, real(found ? value : NAN));
    }
}

static enum pl_err add_cost_table(struct pl_document *document, const struct model_run *run, struct pl_error *err)
{
    enum { ROWS_FOR_PEOPLE = 33 };
    struct pl_column columns[COST_COLUMNS_MAX];
    struct cost_table out = {.has_frac = run->params.frac > 0 || is_axis(run, PL_PARAMETER_FRAC),
                             .least_s = INFINITY};
    out.best_d = !run->d_given && !is_axis(run, PL_PARAMETER_D);
    size_t count = cost_columns(run, &out, columns);
    out.table = pl_document_table(document, run->whole_curve ? "curve" : "sweep",
                                  "Time lost (positive) or gained against no cache at all", columns, count);
    add_combinations(&out, run, 0, run->params);
    if (out.rows == 0) {
        *err = out.first_problem;
        return err->code;
    }
    if (run->whole_curve)
        pl_document_show_at_most(out.table, ROWS_FOR_PEOPLE);
    else
        add_least(document, run, &out);
    pl_document_csv_table(document, out.table);
    if (out.skipped)
        pl_document_note(document, "%zu combinations make no sense and are left out; the first: %s.", out.skipped,
                         out.first_problem.message);
    if (out.extrapolated && out.best_d)
        pl_document_note(document, "%zu of %zu rows have no best d: the table does not reach that far.",
                         out.extrapolated, out.rows);
    else if (out.extrapolated)
        pl_document_note(document, "%zu of %zu rows need counts outside the table, which go on along %s: guesses, marked, "
                         "and never chosen.", out.extrapolated, out.rows,
                         run->fit_reads ? "the fitted form" : "a straight line in log count");
    return PL_OK;
}

/* --- what was asked for besides ------------------------------------------------------------------------ */

static void add_sensitivity(struct pl_document *document, const struct model_run *run)
{
    static const struct pl_column columns[] = {
        {"parameter", "parameter", "", PL_VALUE_TEXT, 0}, {"change_percent", "change", "%", PL_VALUE_REAL, 0},
        {"value", "value", "", PL_VALUE_REAL, -1},        {"total_s", "effect at this d", "s", PL_VALUE_REAL, 3},
        {"best_d_mb", "best d", "MB", PL_VALUE_REAL, -1},  {"best_total_s", "effect there", "s", PL_VALUE_REAL, 3},
    };
    static const struct pl_column by_percent[] = {
        {"parameter", "parameter", "", PL_VALUE_TEXT, 0},
        {"seconds_per_percent", "for 1 % more", "s", PL_VALUE_REAL, 4},
        {"elasticity", "elasticity", "", PL_VALUE_REAL, 3},
    };
    struct pl_cost_params params = run->params;
    if (!run->d_given)
        params.d_mb = run->optimum.found ? run->optimum.d_mb : 0;
    struct pl_sensitivity rows[PL_SENSITIVITY_ROWS];
    pl_cost_sensitivity(&run->curves, &params, rows);
    const char *title = pl_arena_printf(run->arena, "Sensitivity, around d = %.4g MB", params.d_mb);
    struct pl_document_table *table = pl_document_table(document, "sensitivity", title, columns, PL_COUNT_OF(columns));
    for (size_t i = 0; i < PL_SENSITIVITY_ROWS; i++) {
        const struct pl_value row[] = {pl_value_text(pl_cost_parameter_names[rows[i].parameter]),
                                       real(rows[i].change * 100), real(rows[i].value), real(rows[i].total_s),
                                       real(rows[i].best_d_mb), real(rows[i].best_total_s)};
        pl_document_row(table, row);
    }
    struct pl_elasticity by[PL_ELASTICITY_ROWS];
    pl_cost_elasticities(&run->curves, &params, by);
    table = pl_document_table(document, "elasticity", "What one per cent more of a parameter does", by_percent,
                              PL_COUNT_OF(by_percent));
    for (size_t i = 0; i < PL_ELASTICITY_ROWS; i++) {
        const struct pl_value row[] = {pl_value_text(pl_cost_parameter_names[by[i].parameter]),
                                       real(by[i].seconds_per_percent), real(by[i].elasticity)};
        pl_document_row(table, row);
    }
}

/* What the optimum would be with another interpolation. */
static enum pl_err optimum_with(const struct model_run *run, enum pl_interpolation method, struct pl_optimum *out,
                                struct pl_error *err)
{
    struct pl_fault_curves curves;
    *out = (struct pl_optimum){.d_mb = NAN};
    if (run->table->count < pl_interpolation_min_points(method))
        return PL_OK;
    enum pl_err rc = pl_fault_curves_create(run->table, method, run->arena, &curves, err);
    if (rc == PL_OK)
        pl_cost_optimum(&curves, &run->params, 0, out);
    return rc;
}

static enum pl_err add_interpolations(struct pl_document *document, const struct model_run *run, struct pl_error *err)
{
    static const struct pl_column columns[] = {
        {"interpolation", "method", "", PL_VALUE_TEXT, 0},
        {"reads_mean_error_percent", "reads, mean", "%", PL_VALUE_REAL, 2},
        {"reads_worst_error_percent", "reads, worst", "%", PL_VALUE_REAL, 2},
        {"writes_mean_error_percent", "writes, mean", "%", PL_VALUE_REAL, 2},
        {"writes_worst_error_percent", "writes, worst", "%", PL_VALUE_REAL, 2},
        {"mean_error_percent", "both, mean", "%", PL_VALUE_REAL, 2},
        {"falls", "never rises", "", PL_VALUE_BOOL, 0},
        {"optimum_d_mb", "best d", "MB", PL_VALUE_REAL, -1},
        {"optimum_total_s", "effect there", "s", PL_VALUE_REAL, 2},
    };
    struct pl_interpolation_score scores[PL_INTERPOLATION_COUNT];
    enum pl_err rc = pl_interpolation_scores(run->table, scores, err);
    if (rc)
        return rc;
    struct pl_document_table *table = pl_document_table(
        document, "interpolations", "How well each method predicts rows that are left out", columns, PL_COUNT_OF(columns));
    for (int i = 0; i < PL_INTERPOLATION_COUNT; i++) {
        struct pl_optimum best;
        rc = optimum_with(run, scores[i].method, &best, err);
        if (rc)
            return rc;
        const struct pl_value row[] = {
            pl_value_text(pl_interpolation_names[i]), real(scores[i].reads.mean * 100), real(scores[i].reads.worst * 100),
            real(scores[i].writes.mean * 100), real(scores[i].writes.worst * 100), real(scores[i].mean * 100),
            pl_value_bool(scores[i].falls), real(best.d_mb), real(best.found ? best.cost.total_s : NAN)};
        pl_document_row(table, row);
    }
    pl_document_note(document, "The default, log-pchip, predicts left-out rows best among the methods that can never rise "
                     "or fall below zero between the rows, on the 1996 table and on recorded programs.");
    return PL_OK;
}

/* The figures that the document of 1996 reads off its own curve; they are for its table and parameters alone. */
static enum pl_err add_comparison(struct pl_document *document, const struct model_run *run, struct pl_error *err)
{
    static const struct pl_column columns[] = {
        {"quantity", "quantity", "", PL_VALUE_TEXT, 0},     {"ours", "here", "", PL_VALUE_REAL, -1},
        {"document", "1996", "", PL_VALUE_REAL, -1},        {"unit", "unit", "", PL_VALUE_TEXT, 0},
        {"said", "the document says", "", PL_VALUE_TEXT, 0},
    };
    const struct pl_cost_params *p = &run->params;
    struct pl_cost_params one = *p;
    one.d_mb = 1;
    struct pl_faults at_8 = pl_fault_curves_at(&run->curves, 8);
    if (p->m_mb != 8 || p->r != 1.6 || p->cd_s != 0.002 || p->ch_s != 0.010 || p->frac != 0 ||
        p->accounting != PL_ACCOUNTING_1996 || at_8.reads != 55594 || at_8.writes != 37106)
        return pl_fail(err, PL_ERR_USAGE, "--compare 1996: the document's figures are for models/winstone96.csv with "
                       "m = 8MB, r = 1.6, cd = 2ms, ch = 10ms, frac = 0 and the accounting of 1996");
    struct pl_document_table *table =
        pl_document_table(document, "document_1996", "Beside the document of 1996", columns, PL_COUNT_OF(columns));
    const struct pl_value rows[][5] = {
        {pl_value_text("best cache size"), real(run->optimum.d_mb), real(0.8), pl_value_text("MB"),
         pl_value_text("about")},
        {pl_value_text("least overhead"), real(run->optimum.cost.total_s), real(100), pl_value_text("s"),
         pl_value_text("close to")},
        {pl_value_text("overhead of a 1 MB cache"), real(pl_cost_evaluate(&run->curves, &one).total_s), real(NAN),
         pl_value_text("s"), pl_value_text("a score about 10 % lower")},
    };
    for (size_t i = 0; i < PL_COUNT_OF(rows); i++)
        pl_document_row(table, rows[i]);
    pl_document_note(document, "The document's equations are lost and were put together again from its words; between its "
                     "rows the value depends on the interpolation (99 to 140 s), the place hardly (0.72 to 1.0 MB). "
                     "Nothing is tuned to its figures.");
    return PL_OK;
}

/* The table that all of this was computed from, so that a page of the result can compute it anew. */
static void add_fault_table(struct pl_document *document, const struct model_run *run)
{
    static const struct pl_column columns[] = {
        {"memory_mb", "memory", "MB", PL_VALUE_REAL, -1}, {"reads", "reads", "", PL_VALUE_REAL, -1},
        {"writes", "writes", "", PL_VALUE_REAL, -1},      {"cold", "first touches", "", PL_VALUE_REAL, -1},
    };
    const struct pl_fault_table *from = run->table;
    struct pl_document_table *table =
        pl_document_table(document, "fault_table", "The fault table", columns, PL_COUNT_OF(columns));
    for (size_t i = 0; i < from->count; i++) {
        const struct pl_value row[] = {real(from->memory_mb[i]), real(from->reads[i]),
                                       real(from->writes ? from->writes[i] : NAN), real(from->cold)};
        pl_document_row(table, row);
    }
    pl_document_show_instead(table, "");
}

/* --- the whole ------------------------------------------------------------------------------------------- */

static void add_notes(struct pl_document *document, const struct model_run *run)
{
    if (!run->table->writes)
        pl_document_note(document, "The table has no writes: the cost is that of reads alone.");
    if (run->params.accounting == PL_ACCOUNTING_TWO_LEVEL && isnan(run->table->cold))
        pl_document_note(document, "The table does not say how many first touches there were: every fault is taken to "
                         "push a page out.");
    const enum model_origin *origin = run->origin;
    if (origin[PL_PARAMETER_CD] == MODEL_DOCUMENT_1996 || origin[PL_PARAMETER_CH] == MODEL_DOCUMENT_1996)
        pl_document_note(document, "Costs of the 1996 document are those of a PC of that time under Windows 95; --r, --cd "
                         "and --ch set others.");
    for (size_t i = 0; i < run->table->warning_count; i++)
        pl_document_note(document, "%s", run->table->warnings[i]);
}

enum pl_err model_document(const struct model_run *run, struct pl_document **out, struct pl_error *err)
{
    int argc;
    char **argv;
    struct pl_document *document = pl_document_create(run->arena, "model", title_of(run));
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    add_parameters(document, run);
    if (run->d_given && run->whole_curve)
        add_cost_at_d(document, run);
    if (run->whole_curve) {
        add_optimum(document, run);
        add_baselines(document, run);
        add_break_even(document, run);
    }
    enum pl_err rc = add_cost_table(document, run, err);
    if (run->d_given && run->whole_curve)
        add_counts(document, run);
    if (rc == PL_OK && run->options->compare)
        rc = add_comparison(document, run, err);
    if (rc == PL_OK && run->options->compare_interpolations)
        rc = add_interpolations(document, run, err);
    if (rc)
        return rc;
    if (run->options->sensitivity)
        add_sensitivity(document, run);
    rc = model_fit_add(document, run, err);
    if (rc)
        return rc;
    add_fault_table(document, run);
    add_notes(document, run);
    *out = document;
    return PL_OK;
}
