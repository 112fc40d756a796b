/* cmd/cmd_curve_document.c: the fault table and what belongs to it, as a document. */
#include "cmd/cmd_curve.h"
#include "cmd/cmd_trace.h"

#include <string.h>

enum { ROWS_FOR_PEOPLE = 24 };

static void add_parameters(struct pl_document *document, const struct curve_options *options,
                           const struct curve_answer *answer, struct pl_arena *arena)
{
    cmd_trace_describe(document, answer->info, arena);
    pl_document_parameter(document, "rule", "rule", "", pl_value_text(pl_rule_names[answer->rule]));
    pl_document_parameter(document, "policy", "policy", "", pl_value_text(answer->policy));
    if (answer->sampled) {
        pl_document_parameter(document, "sampling_rate", "share of pages looked at", "", pl_value_real(answer->rate));
        pl_document_parameter(document, "sampling_seed", "seed of the sample", "", pl_value_count(options->seed));
    }
}

static void add_results(struct pl_document *document, const struct curve_answer *answer)
{
    double mb_per_page = (double)answer->info->page_size / (double)PL_MIB;
    pl_document_result(document, "accesses", "accesses", "", pl_value_count(answer->touches));
    pl_document_result(document, "write_accesses", "of them writes", "", pl_value_count(answer->write_touches));
    pl_document_result(document, "pages", "distinct pages", "", pl_value_count(answer->cold));
    pl_document_result(document, "footprint_mb", "footprint", "MB", pl_value_real((double)answer->cold * mb_per_page));
    if (answer->sampled) {
        pl_document_result(document, "sampled_accesses", "accesses in the sample", "",
                           pl_value_count(answer->sampled_touches));
        pl_document_result(document, "sampled_pages", "pages in the sample", "", pl_value_count(answer->sampled_pages));
    }
    if (answer->info->lost)
        pl_document_result(document, "lost_records", "records lost, says the source", "",
                           pl_value_count(answer->info->lost));
}

enum { COLUMNS = 7 };

/* Copies those items of a row that are shown; returns how many. */
static size_t keep(const bool shown[COLUMNS], const void *items, size_t size, void *out)
{
    size_t count = 0;
    for (size_t i = 0; i < COLUMNS; i++)
        if (shown[i])
            memcpy((char *)out + size * count++, (const char *)items + size * i, size);
    return count;
}

static void add_table(struct pl_document *document, const struct curve_answer *answer)
{
    static const struct pl_column columns[COLUMNS] = {
        {"memory_mb", "memory", "MB", PL_VALUE_REAL, 3},
        {"memory_pages", "memory", "pages", PL_VALUE_COUNT, 0},
        {"reads", "reads", "", PL_VALUE_COUNT, 0},
        {"writes", "writes", "", PL_VALUE_COUNT, 0},
        {"cold", "first touches", "", PL_VALUE_COUNT, 0},
        {"reads_error", "reads +-", "", PL_VALUE_COUNT, 0}, /* these two only of an LRU sample */
        {"writes_error", "writes +-", "", PL_VALUE_COUNT, 0},
    };
    const bool errors = answer->sampled && !answer->without_errors;
    static const char *const titles[] = {"Reads and write-backs by memory size", "Reads by memory size"};
    const bool shown[] = {true, true, true, !answer->reads_only, true, errors, errors && !answer->reads_only};
    struct pl_column some[PL_COUNT_OF(columns)];
    size_t count = keep(shown, columns, sizeof *columns, some);
    struct pl_document_table *table = pl_document_table(document, "faults", titles[answer->reads_only], some, count);
    double mb_per_page = (double)answer->info->page_size / (double)PL_MIB;
    for (size_t i = 0; i < answer->count; i++) {
        const struct curve_row *row = &answer->rows[i];
        struct pl_value values[] = {pl_value_real((double)row->pages * mb_per_page), pl_value_count(row->pages),
                                    pl_value_count(row->reads), pl_value_count(row->writes),
                                    pl_value_count(answer->cold),
                                    pl_value_count(row->reads_error), pl_value_count(row->writes_error)};
        struct pl_value kept[PL_COUNT_OF(values)];
        keep(shown, values, sizeof *values, kept);
        pl_document_row(table, kept);
    }
    pl_document_show_at_most(table, ROWS_FOR_PEOPLE);
    pl_document_csv_table(document, table);
}

/* Below this a few hot pages decide what a sample shows: samples of 80 to 160 pages were seen to miss by far. */
enum { FEW_SAMPLED_PAGES = 1000 };

enum pl_err curve_report(const struct curve_options *options, const struct curve_answer *answer, struct pl_arena *arena,
                         struct pl_error *err)
{
    int argc;
    char **argv;
    struct pl_document *document = pl_document_create(arena, "curve", "Reads and write-backs for every memory size");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    add_parameters(document, options, answer, arena);
    add_results(document, answer);
    if (cmd_interrupted())
        pl_document_note(document, "interrupted: only a part was read or run");
    if (answer->without_errors)
        pl_document_note(document, "the policy ran on the sampled pages only, with memories scaled down alike; below some tens "
                                   "of scaled pages it is rough");
    else if (answer->sampled && answer->sampled_pages < FEW_SAMPLED_PAGES)
        pl_document_note(document, "estimated from a sample of few pages: neither the counts nor the errors given can be "
                                   "relied on, least where few reads are shown; take a larger --rate, or the exact curve");
    else if (answer->sampled)
        pl_document_note(document, "estimated from a sample: on traces like those it was tried on, the true counts lay within "
                                   "the error given in about nine of ten rows");
    if (answer->info->lost)
        pl_document_note(document, "the source lost records: the true counts are higher");
    add_table(document, answer);
    cmd_trace_skips(document, answer->info);
    return cmd_emit(document, &options->common, err);
}
