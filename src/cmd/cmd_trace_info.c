/* cmd/cmd_trace_info.c: `pagelab trace info`: what is in a trace. */
#include "cmd/cmd_trace.h"

#include "trace/survey.h"

#include <stdio.h>

struct values {
    struct cmd_trace_options trace;
    struct cmd_common common;
};

static const struct pl_option_group groups[] = {
    {"Reading the trace", cmd_trace_option_table, offsetof(struct values, trace)},
    {"Output", cmd_undrawn_options, offsetof(struct values, common)},
    {NULL, NULL, 0},
};

static const struct pl_example examples[] = {
    {"pagelab trace info t.lackey", "counts, footprint, how it grows, what was left out"},
    {"zcat t.gz | pagelab trace info - --json -", "the same as JSON, from standard input"},
    {NULL, NULL},
};

const struct pl_command_spec cmd_trace_info_spec = {
    .name = "trace info",
    .operands = "TRACE",
    .summary = "accesses, footprint, reads and writes, processes, times, and what was left out",
    .details =
        "Reads the whole trace and says what is in it. 'Hottest' shares tell how unevenly touches spread over pages; "
        "the growth table how the footprint grows with the touches. Nothing found is an error.",
    .groups = groups,
    .examples = examples,
};

static const char *const records_names[] = {"accesses", "requests", "faults", "sets by interval", "writes"};
static const char *const clock_names[] = {"none", "time", "instructions"};

void cmd_trace_describe(struct pl_document *document, const struct pl_trace_info *info, struct pl_arena *arena)
{
    pl_document_parameter(document, "trace", "trace", "", pl_value_text(pl_arena_strdup(arena, info->path)));
    pl_document_parameter(document, "format", "format", "", pl_value_text(info->format));
    pl_document_parameter(document, "compression", "compression", "", pl_value_text(info->compression));
    if (info->source)
        pl_document_parameter(document, "source", "recorded by", "",
                              pl_value_text(pl_arena_strdup(arena, info->source)));
    pl_document_parameter(document, "records", "records are", "", pl_value_text(records_names[info->records]));
    pl_document_parameter(document, "clock", "clock", "", pl_value_text(clock_names[info->clock]));
    pl_document_parameter(document, "page_size_bytes", "page size", "B", pl_value_count(info->page_size));
}

void cmd_trace_skips(struct pl_document *document, const struct pl_trace_info *info)
{
    static const struct pl_column columns[] = {
        {"reason", "left out", "", PL_VALUE_TEXT, 0},
        {"count", "how often", "", PL_VALUE_COUNT, 0},
        {"first_place", "first at line or byte", "", PL_VALUE_COUNT, 0},
    };
    if (!info->skip_count)
        return;
    struct pl_document_table *table =
        pl_document_table(document, "skipped", "What was left out, and why", columns, PL_COUNT_OF(columns));
    for (size_t i = 0; i < info->skip_count; i++) {
        const struct pl_trace_skip *skip = &info->skips[i];
        struct pl_value row[] = {pl_value_text(skip->reason), pl_value_count(skip->count),
                                 skip->first_line ? pl_value_count(skip->first_line) : pl_value_text(NULL)};
        pl_document_row(table, row);
    }
}

static void add_count(struct pl_document *document, const char *key, const char *label, uint64_t count)
{
    pl_document_result(document, key, label, "", pl_value_count(count));
}

static void add_percent(struct pl_document *document, const char *key, const char *label, double share)
{
    pl_document_result(document, key, label, "%", pl_value_real(100 * share));
}

static void add_counts(struct pl_document *document, const struct pl_trace_info *info, const struct pl_survey *survey)
{
    add_count(document, "accesses", "accesses", info->touches);
    add_count(document, "reads", "reads", info->reads);
    add_count(document, "writes", "writes", info->writes);
    add_count(document, "executes", "instruction fetches", info->executes);
    add_count(document, "input_records", "lines or records of input", info->input_records);
    add_count(document, "pages", "distinct pages", survey->pages);
    if (info->distinct > survey->pages)
        add_count(document, "pages_only_allocated", "pages allocated, never touched", info->distinct - survey->pages);
    pl_document_result(document, "footprint_mb", "footprint", "MB",
                       pl_value_real((double)survey->pages * info->page_size / (double)PL_MIB));
    add_count(document, "pages_written", "pages written", survey->written_pages);
    add_count(document, "pages_executed", "pages executed", survey->executed_pages);
    add_count(document, "pages_touched_once", "pages touched once", survey->once_pages);
    add_count(document, "page_first", "lowest page number", survey->first_number);
    add_count(document, "page_last", "highest page number", survey->last_number);
    double touches = (double)info->touches;
    pl_document_result(document, "accesses_per_page", "accesses a page", "",
                       pl_value_real(touches / (double)survey->pages));
    add_percent(document, "same_page_percent", "touches of the page before again", (double)survey->same_page / touches);
    add_percent(document, "next_page_percent", "touches of the next page number", (double)survey->next_page / touches);
    add_percent(document, "hottest_1_percent", "accesses to the hottest 1 % of pages", survey->hot_1);
    add_percent(document, "hottest_10_percent", "accesses to the hottest 10 %", survey->hot_10);
    add_percent(document, "hottest_50_percent", "accesses to the hottest 50 %", survey->hot_50);
}

static void add_times(struct pl_document *document, const struct pl_trace_info *info)
{
    double span = (double)info->last_time - (double)info->first_time;
    if (info->processes) {
        add_count(document, "processes", "processes", info->processes);
        add_count(document, "threads", "threads", info->threads);
    }
    if (info->clock == PL_CLOCK_PICOSECONDS) {
        double seconds = span / (double)PL_PS_PER_S;
        pl_document_result(document, "time_span_s", "time span", "s", pl_value_real(seconds));
        if (seconds > 0)
            pl_document_result(document, "accesses_per_s", "accesses a second", "1/s",
                               pl_value_real((double)info->touches / seconds));
    } else if (info->clock == PL_CLOCK_INSTRUCTIONS) {
        add_count(document, "instructions", "instructions", (uint64_t)span);
        if (span > 0)
            pl_document_result(document, "accesses_per_1000_instructions", "accesses a thousand instructions", "",
                               pl_value_real(1000 * (double)info->touches / span));
    }
    if (info->clock != PL_CLOCK_NONE)
        add_count(document, "backward_times", "times that go backward", info->backward_times);
    add_count(document, "lost_records", "records lost, says the source", info->lost);
    add_count(document, "input_bytes", "bytes of input, uncompressed", info->bytes_read);
}

static void add_growth(struct pl_document *document, const struct pl_trace_info *info, const struct pl_survey *survey)
{
    static const struct pl_column columns[] = {
        {"accesses", "after accesses", "", PL_VALUE_COUNT, 0},
        {"pages", "distinct pages", "", PL_VALUE_COUNT, 0},
        {"footprint_mb", "footprint", "MB", PL_VALUE_REAL, 2},
    };
    struct pl_document_table *table =
        pl_document_table(document, "growth", "How the footprint grows", columns, PL_COUNT_OF(columns));
    for (size_t i = 0; i < survey->growth_count; i++) {
        uint64_t pages = survey->growth[i].pages;
        struct pl_value row[] = {pl_value_count(survey->growth[i].touches), pl_value_count(pages),
                                 pl_value_real((double)pages * info->page_size / (double)PL_MIB)};
        pl_document_row(table, row);
    }
    pl_document_show_at_most(table, 12);
    pl_document_csv_table(document, table);
}

static void add_processes(struct pl_document *document, const struct pl_survey *survey)
{
    static const struct pl_column columns[] = {
        {"process", "process", "", PL_VALUE_COUNT, 0},
        {"accesses", "accesses", "", PL_VALUE_COUNT, 0},
        {"writes", "writes", "", PL_VALUE_COUNT, 0},
        {"pages", "distinct pages", "", PL_VALUE_COUNT, 0},
    };
    if (!survey->process_count)
        return;
    struct pl_document_table *table =
        pl_document_table(document, "processes", "Processes", columns, PL_COUNT_OF(columns));
    for (size_t i = 0; i < survey->process_count; i++) {
        const struct pl_survey_process *process = &survey->processes[i];
        struct pl_value row[] = {pl_value_count(process->id), pl_value_count(process->touches),
                                 pl_value_count(process->writes), pl_value_count(process->pages)};
        pl_document_row(table, row);
    }
    pl_document_show_at_most(table, 20);
}

/* Input that holds more than touches: what else there is, known to us or not. */
static void add_events(struct pl_document *document, const struct pl_trace_info *info)
{
    static const struct pl_column columns[] = {
        {"id", "id", "", PL_VALUE_TEXT, 0},
        {"event", "event", "", PL_VALUE_TEXT, 0},
        {"count", "how often", "", PL_VALUE_COUNT, 0},
        {"bytes", "bytes", "B", PL_VALUE_COUNT, 0},
    };
    uint64_t unknown = 0;
    if (!info->event_count)
        return;
    struct pl_document_table *table =
        pl_document_table(document, "events", "Events in the file", columns, PL_COUNT_OF(columns));
    for (size_t i = 0; i < info->event_count; i++) {
        const struct pl_trace_event *event = &info->events[i];
        struct pl_value row[] = {pl_value_text(event->id), pl_value_text(event->name ? event->name : "unknown"),
                                 pl_value_count(event->count), pl_value_count(event->bytes)};
        pl_document_row(table, row);
        unknown += event->name ? 0 : event->count;
    }
    add_count(document, "unknown_events", "events not known by name", unknown);
}

/* Feeds the surveyor with the whole trace. */
static enum pl_err read_all(struct pl_trace *trace, struct pl_surveyor *surveyor, struct pl_error *err)
{
    struct pl_batch batch;
    enum pl_err rc;
    while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK) {
        rc = pl_surveyor_feed(surveyor, trace, &batch, err);
        if (rc)
            return rc;
    }
    return rc == PL_END ? PL_OK : rc;
}

static enum pl_err report(const struct values *values, const struct pl_trace_info *info, const struct pl_survey *survey,
                          struct pl_arena *arena, struct pl_error *err)
{
    int argc;
    char **argv;
    struct pl_document *document = pl_document_create(arena, "trace-info", "What is in the trace");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    cmd_trace_describe(document, info, arena);
    if (info->touches)
        add_counts(document, info, survey);
    else
        pl_document_note(document, "There are no accesses in it, only other events.");
    add_times(document, info);
    if (cmd_interrupted())
        pl_document_note(document, "interrupted: only the first part of the trace was read");
    if (info->touches) {
        add_growth(document, info, survey);
        add_processes(document, survey);
    }
    add_events(document, info);
    cmd_trace_skips(document, info);
    return cmd_emit(document, &values->common, err);
}

static enum pl_err look(const struct values *values, const char *path, struct pl_arena *arena, struct pl_error *err)
{
    struct pl_trace *trace = NULL;
    struct pl_surveyor *surveyor = NULL;
    struct pl_trace_options options;
    struct pl_survey survey;
    struct pl_progress progress = cmd_progress_begin("trace info", "bytes", values->common.quiet);
    enum pl_err rc = cmd_trace_options_get(&values->trace, &options, err);
    if (rc)
        goto done;
    options.progress = &progress;
    options.need_dictionary = true;
    options.expand_ranges = true;
    rc = pl_trace_open(path, &options, &trace, err);
    if (rc == PL_OK)
        rc = pl_surveyor_create(&surveyor, err);
    if (rc == PL_OK)
        rc = read_all(trace, surveyor, err);
    bool only_events =
        rc == PL_ERR_INPUT && trace && !pl_trace_info(trace)->touches && pl_trace_info(trace)->event_count;
    if (only_events)
        rc = PL_OK;
    else if (rc == PL_OK)
        rc = pl_surveyor_finish(surveyor, &survey, err);
    if (rc == PL_OK)
        rc = report(values, pl_trace_info(trace), &survey, arena, err);
done:
    cmd_progress_end();
    pl_surveyor_destroy(surveyor);
    pl_trace_close(trace);
    return rc;
}

static enum pl_err look_at_one(void *given, const struct pl_strings *operands, struct pl_arena *arena,
                               struct pl_error *err)
{
    const char *path;
    enum pl_err rc = cmd_one_operand(&cmd_trace_info_spec, operands, "one trace", &path, err);
    return rc ? rc : look(given, path, arena, err);
}

enum pl_err cmd_trace_info(int argc, char **argv, struct pl_error *err)
{
    struct values values;
    return cmd_run(&cmd_trace_info_spec, argc, argv, &values, look_at_one, err);
}
