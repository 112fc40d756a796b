/* cmd/cmd_fit_document.c: the answer of `pagelab fit`, as a document. The title is the answer in one line. */
#include "cmd/cmd_fit.h"

#include <math.h>
#include <string.h>

static struct pl_value real(double value)
{
    return pl_value_real(isfinite(value) ? value : NAN);
}

/* "reads", "writes": of series `s` of choice `c`. */
static const char *series_name(const struct fit_run *run, size_t c, size_t s)
{
    return c + s == 0 ? "reads" : c + s == 1 && (run->choices == 2 || s) ? "writes" : "";
}

static const char *title_of(const struct fit_run *run)
{
    const struct pl_fit_entry *first = &run->choice[0]->entry[run->choice[0]->best];
    const char *how = run->only ? "Fitted" : "Best";
    if (run->no_writes)
        return pl_arena_printf(run->arena, "%s: %s for reads, %.2g %% off at left-out rows", how, first->form->name,
                               100 * first->held_out[0].median);
    if (run->choices == 1)
        return pl_arena_printf(run->arena, "%s: %s for reads and writes together, %.2g %% and %.2g %% off at left-out rows",
                               how, first->form->name, 100 * first->held_out[0].median, 100 * first->held_out[1].median);
    const struct pl_fit_entry *second = &run->choice[1]->entry[run->choice[1]->best];
    return pl_arena_printf(run->arena, "%s: %s for reads, %s for writes; %.2g %% and %.2g %% off at left-out rows", how,
                           first->form->name, second->form->name, 100 * first->held_out[0].median,
                           100 * second->held_out[0].median);
}

static void add_parameters(struct pl_document *document, const struct fit_run *run)
{
    const struct fit_options *options = run->options;
    const struct pl_fault_table *table = run->table;
    pl_document_parameter(document, "table", "fault table", "", pl_value_text(table->name));
    if (table->source)
        pl_document_parameter(document, "source", "measured by", "", pl_value_text(table->source));
    if (table->rule)
        pl_document_parameter(document, "rule", "counting rule", "", pl_value_text(table->rule));
    if (table->machine)
        pl_document_parameter(document, "m", "memory of its machine", "", pl_value_text(table->machine));
    pl_document_parameter(document, "page_size", "page size", "bytes", pl_value_count(table->page_size));
    pl_document_parameter(document, "form", "form", "", pl_value_text(options->form));
    pl_document_parameter(document, "space", "deviations in", "", pl_value_text(pl_fit_space_names[options->space]));
    pl_document_parameter(document, "loss", "loss", "", pl_value_text(pl_fit_loss_names[options->loss]));
    pl_document_parameter(document, "weights", "weights", "", pl_value_text(pl_fit_weights_names[options->weights]));
    pl_document_parameter(document, "joint", "reads and writes share the shape", "", pl_value_bool(options->joint));
    pl_document_parameter(document, "confidence", "confidence of intervals", "", pl_value_real(options->confidence));
}

/* --- results ------------------------------------------------------------------------------- */

static void add_result(struct pl_document *document, const struct fit_run *run, size_t c, size_t s)
{
    static const struct {
        const char *form, *label, *median, *mean, *worst;
    } keys[] = {
        {"reads_form", "reads", "reads_held_out_median_percent", "reads_held_out_mean_percent",
         "reads_held_out_worst_percent"},
        {"writes_form", "writes", "writes_held_out_median_percent", "writes_held_out_mean_percent",
         "writes_held_out_worst_percent"},
    };
    const struct pl_fit_entry *best = &run->choice[c]->entry[run->choice[c]->best];
    const struct pl_fit_held_out *held = &best->held_out[s];
    size_t k = c + s;
    pl_document_result(document, keys[k].form, keys[k].label, "", pl_value_text(best->form->name));
    pl_document_result(document, keys[k].median, "  left-out rows, median error", "%", real(100 * held->median));
    pl_document_result(document, keys[k].mean, "  mean error", "%", real(100 * held->mean));
    const char *label = pl_arena_printf(run->arena, "  worst error, at %.6g MB", held->worst_mb);
    pl_document_result(document, keys[k].worst, label ? label : "", "%", real(100 * held->worst));
}

/* --- forms side by side ------------------------------------------------------------------------ */

static double rms(const struct pl_fit *fit, const struct pl_fit_data *data, size_t s)
{
    double sum = 0;
    for (size_t i = 0; i < data->rows; i++) {
        double fitted = pl_fit_at(fit, s, data->x[i]), given = data->y[s][i];
        if (given > 0)
            sum += pow(fitted / given - 1, 2) / (double)data->rows;
    }
    return sqrt(sum);
}

static void add_form_row(struct pl_document_table *table, const struct fit_run *run, size_t c, size_t s, size_t which)
{
    const struct pl_fit_choice *choice = run->choice[c];
    const struct pl_fit_entry *entry = &choice->entry[which];
    const struct pl_fit *fit = entry->fit;
    const struct pl_fit_held_out *held = &entry->held_out[s];
    const struct pl_value row[] = {
        pl_value_text(series_name(run, c, s)),
        pl_value_text(entry->form->name),
        real(fit ? fit->effective : NAN),
        real(fit ? 100 * rms(fit, &choice->data, s) : NAN),
        real(fit ? fit->aicc : NAN),
        real(fit ? 100 * held->median : NAN),
        real(fit ? 100 * held->mean : NAN),
        real(fit ? 100 * held->worst : NAN),
        real(fit ? held->worst_mb : NAN),
        pl_value_bool(which == choice->best),
        pl_value_text(fit ? entry->form->beyond : entry->why_not),
    };
    pl_document_row(table, row);
}

static void add_forms(struct pl_document *document, const struct fit_run *run)
{
    static const struct pl_column columns[] = {
        {"series", "counts", "", PL_VALUE_TEXT, 0},
        {"form", "form", "", PL_VALUE_TEXT, 0},
        {"effective_parameters", "parameters", "", PL_VALUE_REAL, 1},
        {"rms_percent", "rms deviation", "%", PL_VALUE_REAL, 2},
        {"aicc", "AICc", "", PL_VALUE_REAL, 1},
        {"held_out_median_percent", "left out: median", "%", PL_VALUE_REAL, 2},
        {"held_out_mean_percent", "mean", "%", PL_VALUE_REAL, 2},
        {"held_out_worst_percent", "worst", "%", PL_VALUE_REAL, 1},
        {"held_out_worst_mb", "worst at", "MB", PL_VALUE_REAL, -1},
        {"chosen", "chosen", "", PL_VALUE_BOOL, 0},
        {"beyond", "beyond the table", "", PL_VALUE_TEXT, 0},
    };
    struct pl_document_table *table =
        pl_document_table(document, "forms", "Forms side by side", columns, PL_COUNT_OF(columns));
    for (size_t c = 0; c < run->choices; c++)
        for (size_t s = 0; s < run->choice[c]->data.series; s++)
            for (size_t i = 0; i < run->choice[c]->count; i++)
                add_form_row(table, run, c, s, i);
}

/* --- parameters --------------------------------------------------------------------------------- */

static void add_estimates_of(struct pl_document_table *table, const struct fit_run *run, size_t c, size_t s, size_t which)
{
    const struct pl_fit_choice *choice = run->choice[c];
    const struct pl_fit *fit = choice->entry[which].fit;
    for (size_t i = 0; fit && i < fit->form->count; i++) { /* a spline's coefficients mean nothing by themselves */
        struct pl_fit_estimate estimate = pl_fit_parameter(fit, s, i, run->options->confidence);
        const struct pl_value row[] = {
            pl_value_text(series_name(run, c, s)), pl_value_text(fit->form->name), pl_value_text(estimate.name),
            real(estimate.value), real(estimate.low), real(estimate.high), pl_value_text(estimate.unit),
            pl_value_bool(which == choice->best), pl_value_text(i ? "" : fit->form->formula),
        };
        pl_document_row(table, row);
    }
}

static void add_estimates(struct pl_document *document, const struct fit_run *run)
{
    static const struct pl_column columns[] = {
        {"series", "counts", "", PL_VALUE_TEXT, 0},    {"form", "form", "", PL_VALUE_TEXT, 0},
        {"parameter", "parameter", "", PL_VALUE_TEXT, 0}, {"value", "value", "", PL_VALUE_REAL, -1},
        {"low", "from", "", PL_VALUE_REAL, -1},         {"high", "to", "", PL_VALUE_REAL, -1},
        {"unit", "unit", "", PL_VALUE_TEXT, 0},         {"chosen", "chosen", "", PL_VALUE_BOOL, 0},
        {"formula", "formula", "", PL_VALUE_TEXT, 0},
    };
    const char *title = pl_arena_printf(run->arena, "Parameters, with %g %% intervals", 100 * run->options->confidence);
    struct pl_document_table *table = pl_document_table(document, "estimates", title, columns, PL_COUNT_OF(columns));
    for (size_t c = 0; c < run->choices; c++)
        for (size_t s = 0; s < run->choice[c]->data.series; s++)
            for (size_t i = 0; i < run->choice[c]->count; i++)
                add_estimates_of(table, run, c, s, i);
}

/* --- rows, given and fitted ----------------------------------------------------------------------- */

enum { ROWS_FOR_PEOPLE = 24 };

static void add_residuals(struct pl_document *document, const struct fit_run *run)
{
    static const struct pl_column columns[] = {
        {"series", "counts", "", PL_VALUE_TEXT, 0},       {"memory_mb", "memory", "MB", PL_VALUE_REAL, -1},
        {"given", "given", "", PL_VALUE_REAL, -1},        {"fitted", "fitted", "", PL_VALUE_REAL, 1},
        {"low", "from", "", PL_VALUE_REAL, 1},            {"high", "to", "", PL_VALUE_REAL, 1},
        {"off_percent", "off", "%", PL_VALUE_REAL, 2},    {"left_out_percent", "off when left out", "%", PL_VALUE_REAL, 2},
        {"robust_weight", "weight", "", PL_VALUE_REAL, 3},
    };
    struct pl_document_table *table = pl_document_table(document, "residuals", "Rows, given and fitted by the chosen form",
                                                        columns, PL_COUNT_OF(columns));
    for (size_t c = 0; c < run->choices; c++) {
        const struct pl_fit_data *data = &run->choice[c]->data;
        const struct pl_fit_entry *best = &run->choice[c]->entry[run->choice[c]->best];
        for (size_t s = 0; s < data->series; s++) {
            for (size_t i = 0; i < data->rows; i++) {
                double fitted = pl_fit_at(best->fit, s, data->x[i]), low, high;
                pl_fit_interval(best->fit, s, data->x[i], run->options->confidence, &low, &high);
                const struct pl_value row[] = {
                    pl_value_text(series_name(run, c, s)), real(data->x[i]), real(data->y[s][i]), real(fitted), real(low),
                    real(high), real(data->y[s][i] > 0 ? 100 * (fitted / data->y[s][i] - 1) : NAN),
                    real(100 * best->held_out[s].error[i]), real(best->fit->robust[s][i])};
                pl_document_row(table, row);
            }
        }
    }
    pl_document_show_at_most(table, 2 * ROWS_FOR_PEOPLE);
}

/* The curve and its band between the rows and at them, for pictures. */
static void add_curve(struct pl_document *document, const struct fit_run *run)
{
    enum { PLACES = 160 };
    static const struct pl_column columns[] = {
        {"series", "counts", "", PL_VALUE_TEXT, 0}, {"memory_mb", "memory", "MB", PL_VALUE_REAL, -1},
        {"fitted", "fitted", "", PL_VALUE_REAL, 1}, {"low", "from", "", PL_VALUE_REAL, 1},
        {"high", "to", "", PL_VALUE_REAL, 1},
    };
    const char *title = pl_arena_printf(run->arena, "The curve and its %g %% band", 100 * run->options->confidence);
    struct pl_document_table *table = pl_document_table(document, "curve", title, columns, PL_COUNT_OF(columns));
    for (size_t c = 0; c < run->choices; c++) {
        const struct pl_fit_data *data = &run->choice[c]->data;
        const struct pl_fit *fit = run->choice[c]->entry[run->choice[c]->best].fit;
        const double first = data->x[0], last = data->x[data->rows - 1];
        for (size_t s = 0; s < data->series; s++)
            for (size_t i = 0; i <= PLACES; i++) {
                double share = (double)i / PLACES, low, high;
                double mb = first > 0 ? first * pow(last / first, share) : first + (last - first) * share;
                pl_fit_interval(fit, s, mb, run->options->confidence, &low, &high);
                const struct pl_value row[] = {pl_value_text(series_name(run, c, s)), real(mb), real(pl_fit_at(fit, s, mb)),
                                               real(low), real(high)};
                pl_document_row(table, row);
            }
    }
    pl_document_show_instead(table, "");
}

/* The table that model and plot read. */
static void add_fitted(struct pl_document *document, const struct fit_run *run)
{
    static const struct pl_column columns[] = {
        {"memory_mb", "memory", "MB", PL_VALUE_REAL, 3},
        {"memory_pages", "memory", "pages", PL_VALUE_COUNT, 0},
        {"reads", "reads", "", PL_VALUE_REAL, 1},
        {"writes", "writes", "", PL_VALUE_REAL, 1},
        {"cold", "first touches", "", PL_VALUE_REAL, 0},
    };
    /* Writes and first touches are there as far as they are in the table. */
    struct pl_column present[PL_COUNT_OF(columns)];
    size_t count = 0;
    for (size_t i = 0; i < PL_COUNT_OF(columns); i++)
        if (!(i == 3 && run->no_writes) && !(i == 4 && isnan(run->table->cold)))
            present[count++] = columns[i];
    struct pl_document_table *table = pl_document_table(document, "faults", "The fitted table", present, count);
    for (size_t i = 0; i < run->sizes.count; i++) {
        double mb = pl_pages_to_mb((double)run->sizes.pages[i], run->table->page_size);
        struct pl_value row[PL_COUNT_OF(columns)] = {real(mb), pl_value_count(run->sizes.pages[i]),
                                                     real(pl_fit_at(run->reads.fit, run->reads.series, mb))};
        if (!isnan(run->table->cold))
            row[count - 1] = real(run->table->cold);
        if (!run->no_writes)
            row[3] = real(pl_fit_at(run->writes.fit, run->writes.series, mb));
        pl_document_row(table, row);
    }
    pl_document_show_at_most(table, ROWS_FOR_PEOPLE);
    pl_document_csv_table(document, table);
}

static void add_notes(struct pl_document *document, const struct fit_run *run)
{
    const struct pl_fault_table *table = run->table;
    double page_mb = pl_pages_to_mb(1, table->page_size);
    size_t outside = 0;
    for (size_t i = 0; i < run->sizes.count; i++) {
        double mb = (double)run->sizes.pages[i] * page_mb;
        outside += mb < table->memory_mb[0] - page_mb || mb > table->memory_mb[table->count - 1] + page_mb;
    }
    if (outside)
        pl_document_note(document, "%zu of the %zu sizes of the fitted table lie outside the rows (%.6g to %.6g MB): there "
                         "the form decides and no measurement does.", outside, run->sizes.count, table->memory_mb[0],
                         table->memory_mb[table->count - 1]);
    if (run->no_writes_why[0])
        pl_document_note(document, "Writes are left out: %s.", run->no_writes_why);
    if (run->choice[0]->data.left_out)
        pl_document_note(document, "The table has %zu rows; %zu, evenly by the logarithm of memory, were fitted.",
                         table->count, run->choice[0]->data.rows);
    if (run->choice[0]->data.offset > 0)
        pl_document_note(document, "A count is 0: in logarithms, ln(count + 1) was fitted.");
    if (!run->only)
        pl_document_note(document, "The least of several held-out errors is a little too good: the choice itself was not "
                         "held out.");
}

enum pl_err fit_document(const struct fit_run *run, struct pl_document **out, struct pl_error *err)
{
    int argc;
    char **argv;
    const char *title = title_of(run);
    struct pl_document *document = title ? pl_document_create(run->arena, "fit", title) : NULL;
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    add_parameters(document, run);
    for (size_t c = 0; c < run->choices; c++)
        for (size_t s = 0; s < run->choice[c]->data.series; s++)
            add_result(document, run, c, s);
    add_forms(document, run);
    add_estimates(document, run);
    add_residuals(document, run);
    add_curve(document, run);
    add_fitted(document, run);
    add_notes(document, run);
    *out = document;
    return PL_OK;
}
