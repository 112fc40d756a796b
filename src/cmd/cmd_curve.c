/* cmd/cmd_curve.c: `pagelab curve`: a trace's reads and write-backs for every memory size.
 *
 * This part has the options and the one-pass LRU curve; cmd_curve_sample.c has sampled curves, cmd_curve_simulate.c the
 * policies that take a run for each size; cmd_curve_document.c says the answer. */
#include "cmd/cmd_curve.h"

#include <string.h>

static const struct pl_option question_options[] = {
    {"rule", 0, PL_OPT_CHOICE, offsetof(struct curve_options, rule), "WHICH", "demand-zero",
     "What a first touch does. demand-zero: it reads nothing (it is counted in 'cold' instead), and the page is dirty "
     "from then on. memsim: it is a read like others, and leaves the page clean unless it writes.",
     pl_rule_names, 0},
    {"policy", 0, PL_OPT_CHOICE, offsetof(struct curve_options, policy), "WHICH", "lru",
     "Which page leaves. lru takes one pass for all sizes; the others keep the trace in memory (5 bytes an access, opt 13) "
     "and run once for each size, with --rate on a sample scaled down. 2q is that of Johnson and Shasha (1994, the full "
     "version), clockpro that of Jiang, Chen and Zhang (2005).",
     pl_simulated_names, 0},
    {"sizes", 0, PL_OPT_TEXT, offsetof(struct curve_options, sizes), "LIST", NULL,
     "Memory sizes of the table: 64p,1MB,25% (of the footprint), ranges 1MB:8MB:1MB and 16p:4096p:x2. Without it every "
     "size up to 4,096 pages and 64 for each doubling above; for other policies than lru powers of two.",
     NULL, 0},
    {"all-sizes", 0, PL_OPT_FLAG, offsetof(struct curve_options, all_sizes), NULL, NULL,
     "A row for every size, however many.", NULL, 0},
    {"threads", 0, PL_OPT_COUNT, offsetof(struct curve_options, threads), "N", "1",
     "Threads for the LRU curve. The result is the same for any number.", NULL, 0},
    {"rate", 0, PL_OPT_REAL, offsetof(struct curve_options, rate), "SHARE", NULL,
     "Look at this share of the pages only (0.01), and estimate: faster, in little memory, with an error for each size.",
     NULL, offsetof(struct curve_options, rate_given)},
    {"samples", 0, PL_OPT_COUNT, offsetof(struct curve_options, samples), "PAGES", NULL,
     "Look at so many pages at most (8192): the share sinks as the trace shows more, and memory is constant.", NULL, 0},
    {"seed", 0, PL_OPT_COUNT, offsetof(struct curve_options, seed), "N", "1", "Which pages are in the sample.", NULL, 0},
    {"portable", 0, PL_OPT_FLAG, offsetof(struct curve_options, portable), NULL, NULL,
     "Leave out vector instructions of this machine (same result).", NULL, 0},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"The curve", question_options, 0},
    {"Other questions", curve_more_option_table, offsetof(struct curve_options, more)},
    {"Reading the trace", cmd_trace_option_table, offsetof(struct curve_options, trace)},
    {"Output", cmd_common_options, offsetof(struct curve_options, common)},
    {NULL},
};

static const struct pl_example examples[] = {
    {"pagelab curve t.lackey", "reads and write-backs by memory size"},
    {"pagelab curve t.lackey --csv t.csv --plot t.svg", "the whole fault table, and its picture"},
    {"pagelab curve t.trace --csv - | pagelab model - --m 8MB --cd 10us --ch 100us", "straight into the cost model"},
    {"pagelab curve t.trace --sizes 10%,25%,50%,75% --policy opt", "the least possible reads at four sizes"},
    {"zcat huge.gz | pagelab curve - --rate 0.01", "an estimate of a very long trace"},
    {"pagelab curve t.trace --policy opt --reads-only --csv -", "the same at every size, in one run"},
    {"pagelab curve t.trace --policy clock --rate 0.1", "a policy without a stack, simulated in small"},
    {"pagelab curve t.trace --windows 5000 --sizes 64p,256p", "how the faults change over the trace"},
    {"pagelab curve traces/phases.trace --by phase --restart", "a curve for each phase, begun with empty memories"},
    {"pagelab curve times.trace --by process --sizes 100p,1000p", "each process alone, and all together"},
    {"pagelab curve times.trace --window-time 1s --sizes 1000p", "windows of time"},
    {"pagelab curve t.trace --show working-set --csv ws.csv", "working sets and the lifetime function"},
    {"pagelab curve t.trace --show intervals", "how soon pages are used again"},
    {"{ echo bytes,pages; echo 1300,70; echo 4096,30; } | pagelab curve t.trace --page-bytes -",
     "the curve of a compressed store"},
    {"pagelab curve disk.vscsi --requests pages --rule memsim", "a block trace, first reads counted"},
    {"pagelab sweep models/studies/curve.json -o cost.sqlite", "what a cache costs over m, d and r, all from one pass"},
    {NULL},
};

const struct pl_command_spec cmd_curve_spec = {
    .name = "curve",
    .operands = "TRACE",
    .summary = "the fault table: reads and write-backs for every memory size, in one pass",
    .details =
        "Reads a trace ('-' reads standard input) and counts, for a memory of every size, how many pages are read from "
        "the page file and how many are written to it, with fully associative LRU (or another --policy). The table has "
        "memory_mb, memory_pages, reads, writes and cold (first touches), and feeds `pagelab model` and `pagelab plot`.\n\n"
        "A write-back counts when a dirty page is evicted; pages still dirty at the end do not count.\n\n"
        "Traces that hold something else than all touches in order (faults, sets by interval, written pages) are "
        "refused: no curve follows from them.",
    .groups = groups,
    .examples = examples,
};

/* --- the one-pass curve ------------------------------------------------------------------------------------------------ */

enum pl_err curve_choose_sizes(const struct curve_options *options, const struct pl_trace_info *info, uint64_t depth,
                               bool powers, struct pl_arena *arena, struct pl_sizes *out, struct pl_error *err)
{
    if (options->sizes)
        return pl_sizes_parse(options->sizes, info->page_size, depth, arena, out, err);
    if (powers && !options->all_sizes)
        return pl_sizes_powers(depth, arena, out, err);
    return pl_sizes_default(depth, options->all_sizes, arena, out, err);
}

enum pl_err curve_make_rows(const struct curve_options *options, const struct pl_curve_result *result,
                            struct pl_arena *arena, struct curve_answer *out, struct pl_error *err)
{
    struct pl_sizes sizes;
    enum pl_err rc = curve_choose_sizes(options, out->info, result->depth, false, arena, &sizes, err);
    if (rc)
        return rc;
    out->rows = pl_arena_alloc(arena, sizes.count, sizeof *out->rows);
    if (!out->rows)
        return pl_fail_memory(err, sizes.count * sizeof *out->rows, "the fault table");
    out->count = sizes.count;
    for (size_t i = 0; i < sizes.count; i++) {
        uint64_t at = sizes.pages[i] < result->depth ? sizes.pages[i] : result->depth;
        out->rows[i] = (struct curve_row){.pages = sizes.pages[i],
                                          .reads = result->reads[at],
                                          .writes = result->writes ? result->writes[at] : 0};
    }
    out->touches = result->touches;
    out->write_touches = result->write_touches;
    out->cold = result->cold;
    return PL_OK;
}

static enum pl_err feed_trace(struct pl_curve *curve, struct pl_trace *trace, struct pl_error *err)
{
    struct pl_batch batch;
    enum pl_err rc;
    while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK) {
        rc = pl_curve_feed(curve, batch.page, batch.kind, batch.count, err);
        if (rc)
            return rc;
    }
    return rc == PL_END ? PL_OK : rc;
}

enum pl_err curve_by_stack(const struct curve_options *options, struct pl_trace *trace, struct pl_arena *arena,
                           struct curve_answer *out, struct pl_error *err)
{
    struct pl_curve_params params = {.rule = (enum pl_rule)options->rule,
                                     .threads = (int)options->threads,
                                     .portable = options->portable,
                                     .reads_only = options->more.reads_only};
    struct pl_curve *curve;
    struct pl_curve_result result;
    enum pl_err rc = pl_curve_create(&params, &curve, err);
    if (rc)
        return rc;
    rc = feed_trace(curve, trace, err);
    if (rc) {
        pl_curve_abandon(curve);
        return rc;
    }
    rc = pl_curve_finish(curve, &result, err);
    if (rc)
        return rc;
    rc = curve_make_rows(options, &result, arena, out, err);
    pl_curve_result_free(&result);
    return rc;
}

/* --- the command --------------------------------------------------------------------------------------------------------- */

/* Only all touches in order make a curve. */
static enum pl_err check_records(const struct pl_trace_info *info, struct pl_error *err)
{
    static const char *const what[] = {
        [PL_RECORDS_FAULTS] = "only touches that faulted on some machine",
        [PL_RECORDS_INTERVAL] = "sets of pages by interval, without order",
        [PL_RECORDS_WRITES] = "only which pages were written",
    };
    if (info->records == PL_RECORDS_ACCESSES || info->records == PL_RECORDS_REQUESTS)
        return PL_OK;
    return pl_fail(err, PL_ERR_INPUT, "%s: it holds %s; a curve needs every touch in order", info->path,
                   what[info->records]);
}

static enum pl_err check_options(const struct curve_options *options, const struct pl_strings *operands,
                                 struct pl_error *err)
{
    if (operands->count != 1)
        return pl_fail(err, PL_ERR_USAGE, "curve needs one trace, not %zu (pagelab trace merge makes one of several)",
                       operands->count);
    if (options->threads < 1 || options->threads > 1024)
        return pl_fail(err, PL_ERR_USAGE, "--threads: 1 to 1024, not %llu", (unsigned long long)options->threads);
    if (options->rate_given && !(options->rate > 0 && options->rate <= 1))
        return pl_fail(err, PL_ERR_USAGE, "--rate: a share of the pages above 0 and up to 1, not %g", options->rate);
    if (options->samples && (options->samples < 64 || options->samples > 1u << 28))
        return pl_fail(err, PL_ERR_USAGE, "--samples: 64 to 268435456 pages, not %llu",
                       (unsigned long long)options->samples);
    if (options->samples && options->policy != PL_SIMULATED_LRU)
        return pl_fail(err, PL_ERR_USAGE, "--samples estimates LRU only, not %s (--rate does)",
                       pl_simulated_names[options->policy]);
    if (options->sizes && options->all_sizes)
        return pl_fail(err, PL_ERR_USAGE, "--sizes and --all-sizes: give one of them");
    return curve_more_check(options, err);
}

static enum pl_err make_curve(const struct curve_options *options, const char *path, struct pl_arena *arena,
                              struct pl_error *err)
{
    struct pl_trace_options reading;
    struct pl_trace *trace = NULL;
    enum pl_err rc = cmd_trace_options_get(&options->trace, &reading, err);
    if (rc)
        return rc;
    struct pl_progress progress = cmd_progress_begin("curve", "bytes", options->common.quiet);
    reading.progress = &progress;
    reading.expand_ranges = true;
    reading.need_dictionary = options->more.page_bytes;
    rc = pl_trace_open(path, &reading, &trace, err);
    if (rc == PL_OK)
        rc = check_records(pl_trace_info(trace), err);
    if (rc == PL_OK && curve_more_asked(&options->more)) {
        rc = curve_more(options, trace, arena, err);
    } else if (rc == PL_OK) {
        struct curve_answer answer = {.policy = pl_simulated_names[options->policy], .rule = (enum pl_rule)options->rule};
        answer.info = pl_trace_info(trace);
        answer.sampled = options->rate_given || options->samples;
        answer.reads_only = options->more.reads_only;
        rc = options->policy != PL_SIMULATED_LRU ? curve_by_simulation(options, trace, arena, &answer, err)
             : answer.sampled                    ? curve_by_sample(options, trace, arena, &answer, err)
                                                 : curve_by_stack(options, trace, arena, &answer, err);
        if (rc == PL_OK)
            rc = curve_report(options, &answer, arena, err);
    }
    cmd_progress_end();
    pl_trace_close(trace);
    return rc;
}

enum pl_err cmd_curve(int argc, char **argv, struct pl_error *err)
{
    struct curve_options options;
    struct pl_strings operands;
    bool done;
    struct pl_arena *arena = pl_arena_create();
    if (!arena)
        return pl_fail_memory(err, 0, "a run");
    enum pl_err rc = cmd_parse(&cmd_curve_spec, argc, argv, &options, &operands, arena, &done, err);
    if (rc == PL_OK && !done) {
        rc = check_options(&options, &operands, err);
        if (rc == PL_OK)
            rc = make_curve(&options, operands.item[0], arena, err);
    }
    pl_arena_destroy(arena);
    return rc;
}
