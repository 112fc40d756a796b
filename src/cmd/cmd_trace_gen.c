/* cmd/cmd_trace_gen.c: `pagelab trace gen`: synthetic traces. */
#include "cmd/cmd_trace.h"
#include "cmd/trace_output.h"
#include "trace/generate.h"

#include <string.h>

enum { PARTS_MAX = 64 };

struct values {
    struct cmd_common common;
    struct cmd_trace_output output;
    uint64_t count, seed, processes, turn, page_size;
    struct pl_strings pages, alpha, mean, writes, weight;
    bool phases;
};

static const struct pl_option options_of_its_own[] = {
    {"count", 'n', PL_OPT_COUNT, offsetof(struct values, count), "N", "1M", "Touches in the whole trace."},
    {"pages", 0, PL_OPT_LIST, offsetof(struct values, pages), "SIZE", NULL,
     "How much memory a pattern covers: a count of pages ('10000', '10k') or a size ('40MiB'). Given again, it holds "
     "for the "
     "second pattern, and so on; the last value for all that follow. Without it 10,000 pages."},
    {"writes", 0, PL_OPT_LIST, offsetof(struct values, writes), "FRACTION", NULL,
     "Fraction of the touches that write, 0 to 1 (default 0.3), pattern by pattern like --pages."},
    {"alpha", 0, PL_OPT_LIST, offsetof(struct values, alpha), "A", NULL, "zipf: the exponent (default 0.9)."},
    {"mean", 0, PL_OPT_LIST, offsetof(struct values, mean), "SIZE", NULL,
     "exponential: memory at which misses have fallen to 1/e (default an eighth of the pages)."},
    {"weight", 0, PL_OPT_LIST, offsetof(struct values, weight), "W", NULL,
     "Share of the touches that a pattern makes, relative to the others (default 1)."},
    {"phases", 0, PL_OPT_FLAG, offsetof(struct values, phases), NULL, NULL,
     "Patterns follow one another, with marks between them, instead of being mixed touch by touch."},
    {"processes", 0, PL_OPT_COUNT, offsetof(struct values, processes), "N", "1",
     "So many processes run the same patterns on pages of their own, in turns."},
    {"turn", 0, PL_OPT_COUNT, offsetof(struct values, turn), "N", "10000", "Touches in the turn of a process."},
    {"seed", 0, PL_OPT_COUNT, offsetof(struct values, seed), "N", "1", "The same seed gives the same bytes."},
    {"page-size", 0, PL_OPT_BYTES, offsetof(struct values, page_size), "SIZE", "4KiB",
     "Bytes in a page, a power of two."},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"What to make", options_of_its_own, 0},
    {"Writing", cmd_trace_output_table, offsetof(struct values, output)},
    {"Output", cmd_undrawn_options, offsetof(struct values, common)},
    {NULL, NULL, 0},
};

static const struct pl_example examples[] = {
    {"pagelab trace gen zipf --pages 100k --count 10M -o zipf.trace", "Zipf's law over 100,000 pages"},
    {"pagelab trace gen exponential --pages 32MiB --mean 2MiB -o exponential.trace",
     "faults that fall off exponentially with memory, as the 1996 model assumes"},
    {"pagelab trace gen zipf loop --weight 3 --weight 1 --pages 16MiB --pages 1MiB -o - | pagelab curve -",
     "three touches of a zipf pattern to one of a loop"},
    {NULL, NULL},
};

const struct pl_command_spec cmd_trace_gen_spec = {
    .name = "trace gen",
    .operands = "PATTERN [PATTERN...] -o FILE",
    .summary = "make a synthetic trace",
    .details =
        "Patterns: zipf (page i is drawn in proportion to 1 / i^alpha), uniform, sequential (one pass, each page "
        "equally "
        "often before the next), loop (page after page, again and again), exponential (LRU stack distances fall off "
        "geometrically, so that with m of memory a touch misses with probability e^(-m/mean): the curve that the 1996 "
        "model assumes of applications).\n\nSeveral patterns are mixed touch by touch according to --weight, each on "
        "pages of its own, or with --phases follow one another.\n\nMemory grows with the pages (4 bytes each, 8 for "
        "exponential) and not with the count. Native output to a pipe is plain unless --pack is given.",
    .groups = groups,
    .examples = examples,
};

/* --- options that may be given once for each pattern --------------------------------- */
static const char *value_for(const struct pl_strings *list, size_t part)
{
    if (list->count == 0)
        return NULL;
    return list->item[part < list->count ? part : list->count - 1];
}

static enum pl_err real_for(const struct pl_strings *list, size_t part, const char *option, double fallback,
                            double *out, struct pl_error *err)
{
    char shown[64];
    const char *text = value_for(list, part);
    *out = fallback;
    if (!text || pl_parse_double(text, out))
        return PL_OK;
    return pl_fail(err, PL_ERR_USAGE, "trace gen: --%s: '%s' is not a number", option,
                   pl_printable(shown, sizeof shown, text, strlen(text)));
}

/* A count of pages, or a size that is so many. */
static enum pl_err pages_for(const struct pl_strings *list, size_t part, const char *option, uint32_t page_size,
                             uint64_t fallback, uint64_t *out, struct pl_error *err)
{
    uint64_t bytes;
    const char *text = value_for(list, part);
    *out = fallback;
    if (!text || pl_parse_count(text, out, NULL) == PL_OK)
        return PL_OK;
    enum pl_err rc = pl_parse_bytes(text, page_size, &bytes, err);
    if (rc)
        return pl_fail_prefix(err, "trace gen: --%s", option);
    *out = bytes / page_size;
    return PL_OK;
}

static enum pl_err pattern_named(const char *name, enum pl_pattern *out, struct pl_error *err)
{
    char hint[64], shown[64];
    size_t count = 0;
    for (; pl_pattern_names[count]; count++)
        if (!strcmp(pl_pattern_names[count], name)) {
            *out = (enum pl_pattern)count;
            return PL_OK;
        }
    return pl_fail(err, PL_ERR_USAGE,
                   "trace gen: there is no pattern '%s'%s (zipf, uniform, sequential, loop, exponential)",
                   pl_printable(shown, sizeof shown, name, strlen(name)),
                   pl_did_you_mean(hint, sizeof hint, name, pl_pattern_names, count, sizeof *pl_pattern_names));
}

static enum pl_err part_of(const struct values *values, const char *name, size_t index, struct pl_generate_part *part,
                           struct pl_error *err)
{
    const uint32_t page_size = (uint32_t)values->page_size;
    uint64_t mean;
    enum pl_err rc = pattern_named(name, &part->pattern, err);
    if (rc == PL_OK)
        rc = pages_for(&values->pages, index, "pages", page_size, 10000, &part->pages, err);
    if (rc == PL_OK)
        rc = pages_for(&values->mean, index, "mean", page_size, part->pages / 8 ? part->pages / 8 : 1, &mean, err);
    if (rc == PL_OK)
        rc = real_for(&values->alpha, index, "alpha", 0.9, &part->alpha, err);
    if (rc == PL_OK)
        rc = real_for(&values->writes, index, "writes", 0.3, &part->writes, err);
    if (rc == PL_OK)
        rc = real_for(&values->weight, index, "weight", 1, &part->weight, err);
    if (rc == PL_OK)
        part->mean = (double)mean;
    return rc;
}

static enum pl_err check_usage(const struct values *values, const struct pl_strings *operands, struct pl_error *err)
{
    const struct pl_strings *lists[] = {&values->pages, &values->alpha, &values->mean, &values->writes,
                                        &values->weight};
    if (operands->count == 0 || operands->count > PARTS_MAX)
        return pl_fail(err, PL_ERR_USAGE,
                       "trace gen: needs a pattern, at most %d (zipf, uniform, sequential, loop, exponential)",
                       PARTS_MAX);
    for (size_t i = 0; i < PL_COUNT_OF(lists); i++)
        if (lists[i]->count > operands->count)
            return pl_fail(err, PL_ERR_USAGE, "trace gen: an option is given %zu times for %zu pattern%s",
                           lists[i]->count, operands->count, operands->count == 1 ? "" : "s");
    if (values->page_size == 0 || values->page_size > PL_GIB || (values->page_size & (values->page_size - 1)))
        return pl_fail(err, PL_ERR_USAGE, "trace gen: --page-size must be a power of two up to 1 GiB");
    if (values->processes > UINT32_MAX)
        return pl_fail(err, PL_ERR_USAGE, "trace gen: --processes is too large");
    if (values->count == 0)
        return pl_fail(err, PL_ERR_USAGE, "trace gen: --count must be at least 1");
    return cmd_trace_output_check(&values->output, "trace gen", err);
}

/* --- making it ------------------------------------------------------------------------ */
static enum pl_err produce(struct pl_generator *generator, struct pl_trace_writer *writer, uint64_t count,
                           const struct pl_progress *progress, uint64_t *distinct, struct pl_error *err)
{
    struct pl_batch batch;
    uint64_t done = 0;
    enum pl_err rc;
    while ((rc = pl_generator_next(generator, &batch, err)) == PL_OK) {
        rc = pl_trace_write(writer, &batch, pl_generator_origin, generator, err);
        if (rc)
            return rc;
        done += batch.count;
        *distinct = batch.distinct;
        if (!pl_progress_report(progress, done, count))
            return pl_fail(err, PL_ERR_RESOURCE, "interrupted; nothing was written");
    }
    return rc == PL_END ? PL_OK : rc;
}

static enum pl_err report(const struct values *values, const struct pl_strings *patterns, uint64_t distinct,
                          struct pl_arena *arena, struct pl_error *err)
{
    int argc;
    char **argv;
    struct pl_document *document = pl_document_create(arena, "trace-gen", "Made");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    const char *names = patterns->item[0];
    for (size_t i = 1; names && i < patterns->count; i++)
        names = pl_arena_printf(arena, "%s, %s", names, patterns->item[i]);
    pl_document_parameter(document, "patterns", "patterns", "", pl_value_text(names));
    pl_document_parameter(document, "seed", "seed", "", pl_value_count(values->seed));
    pl_document_parameter(document, "page_size", "page size", "bytes", pl_value_count(values->page_size));
    pl_document_parameter(document, "processes", "processes", "", pl_value_count(values->processes));
    pl_document_parameter(document, "output", "written to", "", pl_value_text(values->output.output));
    pl_document_result(document, "accesses", "accesses", "", pl_value_count(values->count));
    pl_document_result(document, "pages", "distinct pages", "", pl_value_count(distinct));
    return cmd_emit(document, &values->common, err);
}

static enum pl_err generate(struct values *values, const struct pl_strings *patterns, struct pl_arena *arena,
                            struct pl_error *err)
{
    struct pl_generate_part parts[PARTS_MAX];
    const char *to = cmd_trace_output_format(&values->output);
    struct pl_generate_params params = {
        .parts = parts,
        .part_count = patterns->count,
        .phases = values->phases,
        .count = values->count,
        .seed = values->seed,
        .processes = (uint32_t)values->processes,
        .turn = values->turn,
        .keep_origins = to && strcmp(to, "native") != 0,
    };
    struct pl_trace_header header = {.page_size = (uint32_t)values->page_size,
                                     .records = PL_RECORDS_ACCESSES,
                                     .clock = PL_CLOCK_NONE,
                                     .source = "pagelab trace gen"};
    struct pl_generator *generator = NULL;
    struct pl_trace_writer *writer = NULL;
    uint64_t distinct = 0;
    enum pl_err rc = PL_OK;
    for (size_t i = 0; i < patterns->count && rc == PL_OK; i++)
        rc = part_of(values, patterns->item[i], i, &parts[i], err);
    struct pl_progress progress = cmd_progress_begin("trace gen", "accesses", values->common.quiet);
    if (rc == PL_OK)
        rc = pl_generator_create(&params, &generator, err);
    if (rc == PL_OK)
        rc = cmd_trace_output_open(&values->output, &header, true, &writer, err);
    if (rc == PL_OK)
        rc = produce(generator, writer, values->count, &progress, &distinct, err);
    if (rc == PL_OK) {
        rc = pl_trace_writer_close(writer, err);
        writer = NULL;
    }
    cmd_progress_end();
    pl_trace_writer_abandon(writer);
    pl_generator_free(generator);
    if (rc)
        return rc;
    values->common.quiet |= cmd_trace_output_is_stdout(&values->output); /* the trace itself is there */
    return report(values, patterns, distinct, arena, err);
}

static enum pl_err check_and_generate(void *given, const struct pl_strings *operands, struct pl_arena *arena,
                                      struct pl_error *err)
{
    enum pl_err rc = check_usage(given, operands, err);
    return rc ? rc : generate(given, operands, arena, err);
}

enum pl_err cmd_trace_gen(int argc, char **argv, struct pl_error *err)
{
    struct values values;
    return cmd_run(&cmd_trace_gen_spec, argc, argv, &values, check_and_generate, err);
}
