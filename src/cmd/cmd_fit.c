/* cmd/cmd_fit.c: `pagelab fit`: forms fitted to a fault table.
 *
 * This half reads options and table and fits; cmd_fit_document.c says the answer. */
#include "cmd/cmd_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct pl_option fit_table_options[] = {
    {"form", 0, PL_OPT_TEXT, offsetof(struct fit_options, form), "FORM", "auto",
     "exponential, power, exponential-constant, stretched-exponential, shifted-power, two-exponentials, log-polynomial, "
     "spline, or auto: all of them, and the one that predicts left-out rows best.",
     NULL, 0},
    {"joint", 0, PL_OPT_FLAG, offsetof(struct fit_options, joint), NULL, NULL,
     "Fit reads and writes together: one shape, a level for each.", NULL, 0},
    {"space", 0, PL_OPT_CHOICE, offsetof(struct fit_options, space), "WHICH", "log",
     "log: relative deviations count; linear: deviations in pages.", pl_fit_space_names, 0},
    {"loss", 0, PL_OPT_CHOICE, offsetof(struct fit_options, loss), "WHICH", "squares",
     "squares, or huber: rows far off the others count less.", pl_fit_loss_names, 0},
    {"weights", 0, PL_OPT_CHOICE, offsetof(struct fit_options, weights), "WHICH", "repeats",
     "repeats: by how many rows a size has (equal otherwise). equal. count: as if counts scattered like rare events. "
     "spread: by the scatter of the repeated rows of a size.",
     pl_fit_weights_names, 0},
    {"confidence", 0, PL_OPT_REAL, offsetof(struct fit_options, confidence), "SHARE", "0.95",
     "Of the intervals of parameters and curve.", NULL, 0},
    {"page-size", 0, PL_OPT_BYTES, offsetof(struct fit_options, page_size), "SIZE", NULL,
     "Page size of a table that does not say (4KiB otherwise).", NULL, 0},
    {NULL},
};

static const struct pl_option fit_output_options[] = {
    {"sizes", 0, PL_OPT_TEXT, offsetof(struct fit_options, sizes), "LIST", NULL,
     "Memory sizes of the fitted table that --csv writes: 6MB:16MB:0.5MB, 64p,1MB,50% (of the largest row). Without it 61 "
     "sizes from the first row to the last.",
     NULL, 0},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"The fit", fit_table_options, 0},
    {"The fitted table", fit_output_options, 0},
    {"Costs from run times", fit_runs_options, 0},
    {"Output", cmd_common_options, offsetof(struct fit_options, common)},
    {NULL},
};

static const struct pl_example examples[] = {
    {"pagelab fit models/winstone96.csv", "all forms side by side, and the best for reads and for writes"},
    {"pagelab fit models/winstone96.csv --form two-exponentials --json -", "one form, with every figure"},
    {"pagelab fit models/winstone96.csv --sizes 6MB:16MB:0.25MB --csv - | pagelab model - --m 8MB", "the fitted table into the cost model"},
    {"pagelab fit models/winstone96.csv --joint --loss huber --space linear", "one shape for both, outliers held off, in pages"},
    {NULL},
};

const struct pl_command_spec cmd_fit_spec = {
    .name = "fit",
    .operands = "TABLE",
    .summary = "formulas for a fault table: parameters with intervals, chosen by left-out rows",
    .details =
        "TABLE is CSV with memory_mb or memory_pages, reads and optionally writes, as `pagelab curve --csv` writes it; '-' "
        "reads standard input; units may stand in the header (memory (GiB), reads [thousands]), thousands marks in numbers. "
        "Rows of the same size are averaged.\n\n"
        "No fit can rise with memory or turn negative: the forms are written so that none of their parameters could make "
        "them. Each row is left out in turn and predicted from the others; auto takes the form whose mean relative error "
        "is least. The first and the last row are left out too, so that going on beyond the table counts.\n\n"
        "Intervals are of the parameters' logarithms, by Student's t. A parameter about which the rows say nothing gets "
        "an endless one.\n\n"
        "With --runs the question is turned round: total times of runs at several cache sizes d, "
        "base + ch (Read(m) + Write(m)) + the effect of the model of 1996, give cd, ch, r, frac and base. Which of them "
        "the runs cannot tell apart is said.",
    .groups = groups,
    .examples = examples,
};

/* --- fitting ------------------------------------------------------------------------------ */

static struct pl_fit_options fit_options_of(const struct fit_options *options)
{
    return (struct pl_fit_options){(enum pl_fit_space)options->space, (enum pl_fit_loss)options->loss,
                                   (enum pl_fit_weights)options->weights, NULL};
}

/* All forms through one series, with a line for who watches. */
static enum pl_err choose(struct fit_run *run, enum pl_fit_which which, const char *what, struct pl_fit_choice **out,
                          struct pl_error *err)
{
    struct pl_progress progress = cmd_progress_begin(what, "forms", run->options->common.quiet);
    struct pl_fit_options options = fit_options_of(run->options);
    options.progress = &progress;
    enum pl_err rc = pl_fit_choose(run->table, which, &options, run->only, run->arena, out, err);
    cmd_progress_end();
    return rc;
}

static struct pl_fit_series series_of(const struct pl_fit_choice *choice, size_t series)
{
    return (struct pl_fit_series){choice->entry[choice->best].fit, series};
}

static enum pl_err fit_jointly(struct fit_run *run, struct pl_error *err)
{
    struct pl_fit_choice *both;
    enum pl_err rc = choose(run, PL_FIT_BOTH, "reads and writes", &both, err);
    if (rc)
        return rc;
    run->choice[0] = both;
    run->choices = 1;
    run->reads = series_of(both, 0);
    run->writes = series_of(both, 1);
    return PL_OK;
}

/* Writes that cannot be fitted (all zero, say) are no reason to refuse the reads. */
static enum pl_err fit_apart(struct fit_run *run, struct pl_error *err)
{
    struct pl_fit_choice *reads, *writes;
    struct pl_error why = {PL_OK, ""};
    enum pl_err rc = choose(run, PL_FIT_READS, "reads", &reads, err);
    if (rc)
        return rc;
    run->choice[run->choices++] = reads;
    run->reads = series_of(reads, 0);
    run->no_writes = !run->table->writes;
    if (run->no_writes)
        return PL_OK;
    rc = choose(run, PL_FIT_WRITES, "writes", &writes, &why);
    if (rc == PL_ERR_INPUT) {
        run->no_writes = true;
        snprintf(run->no_writes_why, sizeof run->no_writes_why, "%s", why.message);
        return PL_OK;
    }
    if (rc)
        return pl_fail(err, rc, "%s", why.message);
    run->choice[run->choices++] = writes;
    run->writes = series_of(writes, 0);
    return PL_OK;
}

/* --- sizes of the fitted table ---------------------------------------------------------------- */

static enum pl_err choose_sizes(struct fit_run *run, struct pl_error *err)
{
    enum { STEPS = 60 };
    const struct pl_fault_table *table = run->table;
    double page_mb = pl_pages_to_mb(1, table->page_size);
    double first = round(table->memory_mb[0] / page_mb), last = round(table->memory_mb[table->count - 1] / page_mb);
    if (run->options->sizes)
        return pl_sizes_parse(run->options->sizes, table->page_size, (uint64_t)last, run->arena, &run->sizes, err);
    run->sizes.pages = pl_arena_alloc(run->arena, STEPS + 1, sizeof *run->sizes.pages);
    if (!run->sizes.pages)
        return pl_fail_memory(err, 0, "the fitted table");
    for (size_t i = 0; i <= STEPS; i++) {
        uint64_t pages = (uint64_t)round(first + (last - first) * (double)i / STEPS);
        if (!run->sizes.count || pages > run->sizes.pages[run->sizes.count - 1])
            run->sizes.pages[run->sizes.count++] = pages;
    }
    return PL_OK;
}

static enum pl_err check_options(const struct fit_options *options, const struct pl_strings *operands,
                                 struct pl_error *err)
{
    if (operands->count != 1)
        return pl_fail(err, PL_ERR_USAGE, "fit takes one table ('-' for standard input); see pagelab fit --help");
    if (!(options->confidence > 0 && options->confidence < 1))
        return pl_fail(err, PL_ERR_USAGE, "--confidence: a share between 0 and 1, as 0.95, not %g", options->confidence);
    return PL_OK;
}

static enum pl_err read_table(struct fit_run *run, const char *path, struct pl_error *err)
{
    struct pl_fault_table *table;
    enum pl_err rc = pl_fault_table_read(path, (uint32_t)run->options->page_size, run->arena, &table, err);
    if (rc)
        return rc;
    run->table = table;
    for (size_t i = 0; i < table->warning_count && !run->options->common.quiet; i++)
        cmd_warn("%s", table->warnings[i]);
    return PL_OK;
}

static enum pl_err fit(struct fit_run *run, struct pl_document **out, struct pl_error *err)
{
    enum pl_err rc = pl_fit_form_find(run->options->form, &run->only, err);
    if (rc)
        return pl_fail_prefix(err, "--form");
    rc = run->options->joint ? fit_jointly(run, err) : fit_apart(run, err);
    if (rc == PL_OK)
        rc = choose_sizes(run, err);
    if (rc == PL_OK && run->no_writes_why[0] && !run->options->common.quiet)
        cmd_warn("writes are left out: %s", run->no_writes_why);
    return rc ? rc : fit_document(run, out, err);
}

enum pl_err cmd_fit(int argc, char **argv, struct pl_error *err)
{
    struct fit_options options;
    struct pl_strings operands;
    struct pl_document *document;
    bool done = false;
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, 0, "the fits");
    enum pl_err rc = cmd_parse(&cmd_fit_spec, argc, argv, &options, &operands, arena, &done, err);
    if (rc == PL_OK && !done)
        rc = check_options(&options, &operands, err);
    if (rc == PL_OK && !done) {
        struct fit_run run = {.options = &options, .arena = arena};
        rc = read_table(&run, operands.item[0], err);
        if (rc == PL_OK)
            rc = options.runs ? fit_from_runs(&run, &document, err) : fit(&run, &document, err);
        if (rc == PL_OK)
            rc = cmd_emit(document, &options.common, err);
    }
    pl_arena_destroy(arena);
    return rc;
}
