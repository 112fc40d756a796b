/* cmd/cmd_model.c: `pagelab model`: what a compressed cache costs or saves, from a fault table.
 *
 * This half reads options and table and asks the model; cmd_model_document.c says the answer. */
#include "cmd/cmd_model.h"

#include <math.h>
#include <string.h>

static const char *const compare_choices[] = {"none", "1996", NULL};

static const struct pl_option parameter_options[] = {
    {"m", 0, PL_OPT_TEXT, offsetof(struct model_options, parameter[PL_PARAMETER_M]), "SIZE", NULL,
     "Memory of the machine (8MB, or pages: 2048p). Needed unless the table names one, as winstone96.csv does.", NULL, 0},
    {"d", 0, PL_OPT_TEXT, offsetof(struct model_options, parameter[PL_PARAMETER_D]), "SIZE", NULL,
     "Memory taken for the compressed cache: the cost at this size. Without it, the curve over d from 0 to m.", NULL, 0},
    {"r", 0, PL_OPT_TEXT, offsetof(struct model_options, parameter[PL_PARAMETER_R]), "RATIO", NULL,
     "Compression ratio, original over compressed size. Without it 1.6, the 1996 document's.", NULL, 0},
    {"cd", 0, PL_OPT_TEXT, offsetof(struct model_options, parameter[PL_PARAMETER_CD]), "TIME", NULL,
     "Time to compress or decompress a page, the fault's own cost included. Without it 2ms, the 1996 document's.", NULL,
     0},
    {"ch", 0, PL_OPT_TEXT, offsetof(struct model_options, parameter[PL_PARAMETER_CH]), "TIME", NULL,
     "Time of a disk access. Without it 10ms, the 1996 document's.", NULL, 0},
    {"frac", 0, PL_OPT_TEXT, offsetof(struct model_options, parameter[PL_PARAMETER_FRAC]), "NUMBER", NULL,
     "Additional disk accesses for each page-file write. Without it 0, the 1996 document's.", NULL, 0},
    {"frac-reading", 0, PL_OPT_CHOICE, offsetof(struct model_options, frac_reading), "WHICH", "file",
     "Which writes frac charges: those that reach the page file (file), or all into the cache (cache).",
     pl_frac_reading_names, 0},
    {"accounting", 0, PL_OPT_CHOICE, offsetof(struct model_options, accounting), "WHICH", "1996",
     "What pays cd. 1996: every fault and every page-out beyond m - d. two-level: every page that leaves the resident "
     "part, clean or dirty, and every hit in the cache.",
     pl_accounting_names, 0},
    {NULL},
};

static const struct pl_option table_options[] = {
    {"interpolation", 0, PL_OPT_CHOICE, offsetof(struct model_options, interpolation), "METHOD", "log-pchip",
     "How to read between the rows. exact reads rows only, with sizes rounded down to pages; the table must have a row "
     "for every page.",
     pl_interpolation_names, 0},
    {"compare-interpolations", 0, PL_OPT_FLAG, offsetof(struct model_options, compare_interpolations), NULL, NULL,
     "Add how well each method predicts rows that are left out, and what it makes of the optimum.", NULL, 0},
    {"page-size", 0, PL_OPT_BYTES, offsetof(struct model_options, page_size), "SIZE", NULL,
     "Page size of a table that does not say (4KiB otherwise).", NULL, 0},
    {NULL},
};

static const struct pl_option question_options[] = {
    {"sweep", 0, PL_OPT_LIST, offsetof(struct model_options, sweep), "NAME=VALUES", NULL,
     "Go through values of m, d, r, cd, ch or frac: FROM:TO:STEP or V1,V2,... with units. Twice or three "
     "times: every combination, in a long table. Where d is neither given nor swept, each row has its best d.",
     NULL, 0},
    {"step", 0, PL_OPT_TEXT, offsetof(struct model_options, step), "SIZE", NULL,
     "Step of the curve over d; a 160th of m otherwise.", NULL, 0},
    {"flat", 0, PL_OPT_TIME, offsetof(struct model_options, flat), "TIME", NULL,
     "How much more than the least overhead still counts as flat. 5s otherwise, at most a hundredth of the disk time.",
     NULL, offsetof(struct model_options, flat_given)},
    {"sensitivity", 0, PL_OPT_FLAG, offsetof(struct model_options, sensitivity), NULL, NULL,
     "Add the cost with r, cd and ch changed by 10 and 50 per cent, and what one per cent of each parameter does.", NULL,
     0},
    {"compare", 0, PL_OPT_CHOICE, offsetof(struct model_options, compare), "WHAT", "none",
     "1996: set the document's own figures beside these (its table and parameters only).", compare_choices, 0},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"The machine and its cache", parameter_options, 0},
    {"Reading the table", table_options, 0},
    {"What to find out", question_options, 0},
    {"How far to trust it", model_fit_option_table, offsetof(struct model_options, fit)},
    {"Output", cmd_common_options, offsetof(struct model_options, common)},
    {NULL},
};

static const struct pl_example examples[] = {
    {"pagelab model models/winstone96.csv", "the 1996 study: the curve over d on 8 MB"},
    {"pagelab model models/winstone96.csv --m 8MB --d 1MB --r 2 --cd 2ms --ch 10ms --json -", "the cost of one cache, as JSON"},
    {"pagelab model models/winstone96.csv --cd 100us --sensitivity", "a faster codec, and what the answer hangs on"},
    {"pagelab model models/winstone96.csv --sweep r=1.2:3:0.2 --sweep d=0:2MB:0.1MB --csv sweep.csv", "a long table over two parameters"},
    {"pagelab model models/winstone96.csv --fit auto --r 2", "from fitted counts, with a band: does the conclusion survive?"},
    {"pagelab curve traces/example.trace --csv - | pagelab model - --m 64p --cd 10us --ch 100us", "straight from a trace"},
    {"pagelab curve traces/example.trace --csv - | pagelab model - --interpolation exact --sweep m=32p:96p:16p --sweep "
     "d=4p:16p:4p --sweep r=1.5,2,3 --cd 10us --ch 100us --csv -",
     "the cost of every memory, cache and ratio"},
    {NULL},
};

const struct pl_command_spec cmd_model_spec = {
    .name = "model",
    .operands = "TABLE",
    .summary = "what a compressed cache costs or saves, by the model of 1996, from a fault table",
    .details =
        "TABLE is CSV with a header line: memory_mb or memory_pages, reads, and optionally writes and cold, as "
        "`pagelab curve --csv` writes it; '-' reads standard input.\n\n"
        "A cache of d MB on a machine of m MB leaves m - d to programs and holds d r MB of compressed pages. With F the "
        "page-file reads and writes at a memory size, its effect is cd F(m - d) - ch (F(m) - F(m - d + d r)), plus the "
        "frac term: time lost (positive) or gained (negative) against a machine without a cache, which is 0.\n\n"
        "Beyond the table counts go on along a straight line in log count; such values are marked as extrapolated, and "
        "no optimum is chosen among them.\n\n"
        "Results (JSON): optimum_d_mb, optimum_total_s, optimum_read_s, optimum_write_s, pays, flat_from_mb, "
        "flat_to_mb, break_even_cd_s, break_even_ch_s, break_even_r; with --d also total_s, read_s, write_s, frac_s "
        "and the counts behind them, and break-even values for that d.",
    .groups = groups,
    .examples = examples,
};

/* --- parameters --------------------------------------------------------------------- */

static const char *const document_values[PL_PARAMETER_COUNT] = {
    [PL_PARAMETER_R] = "1.6", [PL_PARAMETER_CD] = "2ms", [PL_PARAMETER_CH] = "10ms", [PL_PARAMETER_FRAC] = "0"};

/* The axis that goes through a parameter, or NULL. */
static const struct pl_axis *swept(const struct model_run *run, enum pl_cost_parameter which)
{
    for (size_t i = 0; i < run->axis_count; i++) {
        if (run->axis[i].parameter == which)
            return &run->axis[i];
    }
    return NULL;
}

/* What stands for a parameter: given, named by the table, or the document's. NULL: nothing does. */
static const char *words_for(struct model_run *run, enum pl_cost_parameter which)
{
    const char *given = run->options->parameter[which];
    const char *other = which == PL_PARAMETER_M ? run->table->machine : document_values[which];
    run->origin[which] = given                        ? MODEL_GIVEN
                         : !other                     ? MODEL_NOTHING
                         : which == PL_PARAMETER_M    ? MODEL_TABLE
                                                      : MODEL_DOCUMENT_1996;
    return given ? given : other;
}

static enum pl_err settle_parameter(struct model_run *run, enum pl_cost_parameter which, struct pl_error *err)
{
    const char *name = pl_cost_parameter_names[which], *text = words_for(run, which);
    const struct pl_axis *axis = swept(run, which);
    double value = 0;
    if (axis && run->options->parameter[which])
        return pl_fail(err, PL_ERR_USAGE, "--%s and --sweep %s: give one of them", name, name);
    if (axis) { /* for now its first value */
        run->origin[which] = MODEL_GIVEN;
        pl_cost_parameter_set(&run->params, which, axis->values[0]);
        return PL_OK;
    }
    if (!text && which == PL_PARAMETER_M)
        return pl_fail(err, PL_ERR_USAGE, "--m is needed: how much memory has the machine? %s covers %.6g to %.6g MB",
                       run->table->name, run->table->memory_mb[0], run->table->memory_mb[run->table->count - 1]);
    enum pl_err rc = text ? pl_cost_parameter_parse(which, text, run->table->page_size, &value, err) : PL_OK;
    if (rc == PL_OK)
        pl_cost_parameter_set(&run->params, which, value);
    return rc;
}

static enum pl_err settle_parameters(struct model_run *run, struct pl_error *err)
{
    run->params.accounting = (enum pl_accounting)run->options->accounting;
    run->params.frac_reading = (enum pl_frac_reading)run->options->frac_reading;
    for (int which = 0; which < PL_PARAMETER_COUNT; which++) {
        enum pl_err rc = settle_parameter(run, (enum pl_cost_parameter)which, err);
        if (rc)
            return rc;
    }
    run->d_given = run->options->parameter[PL_PARAMETER_D] != NULL;
    /* Combinations of a sweep are looked at one by one. */
    return run->axis_count ? PL_OK : pl_cost_check(&run->params, &run->curves, err);
}

/* --- axes ------------------------------------------------------------------------------- */

static enum pl_err read_sweeps(struct model_run *run, struct pl_error *err)
{
    const struct pl_strings *sweep = &run->options->sweep;
    if (sweep->count > PL_COUNT_OF(run->axis))
        return pl_fail(err, PL_ERR_USAGE, "--sweep can be given three times at most; there are %zu", sweep->count);
    for (size_t i = 0; i < sweep->count; i++) {
        enum pl_err rc = pl_axis_parse(sweep->item[i], run->table->page_size, run->arena, &run->axis[i], err);
        if (rc)
            return rc;
    }
    run->axis_count = sweep->count;
    size_t combinations = 1;
    for (size_t i = 0; i < run->axis_count; i++) {
        for (size_t k = 0; k < i; k++)
            if (run->axis[k].parameter == run->axis[i].parameter)
                return pl_fail(err, PL_ERR_USAGE, "%s is swept twice", pl_cost_parameter_names[run->axis[i].parameter]);
        if (combinations > PL_AXIS_MAX / run->axis[i].count)
            return pl_fail(err, PL_ERR_USAGE, "%zu times %zu combinations are too many (at most %d)", combinations,
                           run->axis[i].count, PL_AXIS_MAX);
        combinations *= run->axis[i].count;
    }
    if (run->axis_count && run->options->step)
        return pl_fail(err, PL_ERR_USAGE, "--step is for the curve over d; a sweep has its own steps");
    return PL_OK;
}

/* Without --d and --sweep: d from 0 to m. */
static enum pl_err default_axis(struct model_run *run, struct pl_error *err)
{
    double step = run->params.m_mb / 160;
    if (run->curves.exact)
        step = fmax(pl_fault_curves_floor(&run->curves, step), run->curves.page_mb);
    if (run->options->step) {
        enum pl_err rc = pl_cost_parameter_parse(PL_PARAMETER_D, run->options->step, run->table->page_size, &step, err);
        if (rc)
            return pl_fail_prefix(err, "--step");
    }
    run->axis_count = 1;
    return pl_axis_range(PL_PARAMETER_D, 0, run->params.m_mb, step, run->arena, &run->axis[0], err);
}

/* --- the work ------------------------------------------------------------------------------ */

/* Options that would have no effect are errors. */
static enum pl_err check_questions(const struct model_run *run, struct pl_error *err)
{
    const struct model_options *options = run->options;
    if (!run->whole_curve && (options->sensitivity || options->compare || options->compare_interpolations))
        return pl_fail(err, PL_ERR_USAGE, "--sensitivity and --compare... are for one machine, not for a sweep over %s",
                       pl_cost_parameter_names[run->axis[0].parameter]);
    if (options->step && run->d_given)
        return pl_fail(err, PL_ERR_USAGE, "--step is for the curve over d; --d asks for one size");
    if (options->flat_given && options->flat < 0)
        return pl_fail(err, PL_ERR_USAGE, "--flat: a time below zero");
    return PL_OK;
}

static void ask(struct model_run *run)
{
    if (!run->whole_curve)
        return; /* a sweep: every row has its own answer */
    struct pl_cost without = pl_cost_evaluate(&run->curves, &run->params);
    run->flat_s = fmin(5, without.disk_without_s / 100);
    if (run->options->flat_given)
        run->flat_s = (double)run->options->flat / (double)PL_PS_PER_S;
    pl_cost_optimum(&run->curves, &run->params, run->flat_s, &run->optimum);
    pl_cost_break_evens(&run->curves, &run->params, run->d_given, &run->even);
    if (run->d_given)
        run->at_d = without;
}

static enum pl_err prepare(struct model_run *run, const char *path, struct pl_error *err)
{
    struct pl_fault_table *table;
    enum pl_err rc = pl_fault_table_read(path, (uint32_t)run->options->page_size, run->arena, &table, err);
    if (rc)
        return rc;
    run->table = table;
    if (!run->options->common.quiet) {
        for (size_t i = 0; i < table->warning_count; i++)
            cmd_warn("%s", table->warnings[i]);
    }
    rc = pl_fault_curves_create(table, (enum pl_interpolation)run->options->interpolation, run->arena, &run->curves, err);
    if (rc == PL_OK)
        rc = model_fit_prepare(run, err);
    if (rc == PL_OK)
        rc = read_sweeps(run, err);
    if (rc == PL_OK)
        rc = settle_parameters(run, err);
    if (rc == PL_OK && !run->axis_count && !run->d_given)
        rc = default_axis(run, err);
    run->whole_curve = run->axis_count == 0 || (run->axis_count == 1 && run->axis[0].parameter == PL_PARAMETER_D);
    return rc ? rc : check_questions(run, err);
}

enum pl_err cmd_model(int argc, char **argv, struct pl_error *err)
{
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, 0, "the model");
    struct model_options options;
    struct pl_strings operands;
    struct pl_document *document;
    bool done = false;
    enum pl_err rc = cmd_parse(&cmd_model_spec, argc, argv, &options, &operands, arena, &done, err);
    if (rc || done)
        goto out;
    if (operands.count != 1) {
        rc = pl_fail(err, PL_ERR_USAGE, "model takes one table ('-' for standard input); see pagelab model --help");
        goto out;
    }
    struct model_run run = {.options = &options, .arena = arena};
    rc = prepare(&run, operands.item[0], err);
    if (rc)
        goto out;
    ask(&run);
    rc = model_fit_ask(&run, err);
    if (rc == PL_OK)
        rc = model_document(&run, &document, err);
    if (rc == PL_OK)
        rc = cmd_emit(document, &options.common, err);
out:
    pl_arena_destroy(arena);
    return rc;
}
