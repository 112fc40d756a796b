/* cmd/cmd_trace_events.c: `pagelab trace events`: what a Windows event trace holds, beyond page faults. */
#include "cmd/cmd_trace_events.h"

#include "cmd/cmd_trace.h"
#include "trace/etl/etl_reference.h"
#include "trace/etl/etl_source.h"

struct values {
    struct cmd_common common;
    bool hard_faults, reference_set;
    const char *event;
};

static const struct pl_option own_options[] = {
    {"hard-faults", 0, PL_OPT_FLAG, offsetof(struct values, hard_faults), NULL, NULL,
     "List the reads of hard faults: when they were asked for and done, by whom, for which address, from which file."},
    {"reference-set", 0, PL_OPT_FLAG, offsetof(struct values, reference_set), NULL, NULL,
     "Add up the page accesses of the reference set by category."},
    {"event", 0, PL_OPT_TEXT, offsetof(struct values, event), "NAME", NULL,
     "List the events of this name or id ('VirtualAlloc', '0x0262') with their fields."},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"What to list", own_options, 0},
    {"Output", cmd_common_options, offsetof(struct values, common)},
    {NULL, NULL, 0},
};

static const struct pl_example examples[] = {
    {"pagelab trace events t.etl", "what is in the file, by event"},
    {"pagelab trace events t.etl --hard-faults --csv faults.csv", "every hard fault with its file"},
    {"pagelab trace events t.etl --event MemInfo --csv -", "the memory lists over time"},
    {NULL, NULL},
};

const struct pl_command_spec cmd_trace_events_spec = {
    .name = "trace events",
    .operands = "FILE.etl",
    .summary = "the events of a Windows event trace: hard faults with files, allocations, memory lists",
    .details =
        "Reads an .etl file, plain or with compressed buffers, also as the first file of a zip. Events come in the "
        "order of time, whatever processor logged them. Times are in the ticks of the log's clock. A number that "
        "the file does not tell (the process of a thread it never names, a file without a name) stays empty. "
        "CSV holds the listed table, without one the counts by event.",
    .groups = groups,
    .examples = examples,
};

static enum pl_err list(struct events_view *view, struct pl_etl *log, const struct events_table *table,
                        const struct cmd_common *common, struct pl_error *err)
{
    enum { REPORT_MASK = 0xffff };
    struct pl_progress progress = cmd_progress_begin("trace events", "bytes", common->quiet);
    struct pl_etl_event event;
    uint64_t count = 0;
    enum pl_err rc = table->begin(view, err);
    while (rc == PL_OK && (rc = pl_etl_next(log, &event, err)) == PL_OK) {
        table->take(view, &event);
        if (view->failed) {
            *err = view->failure;
            return view->failed;
        }
        if ((++count & REPORT_MASK) == 0 && !pl_progress_report(&progress, pl_etl_done(log), pl_etl_info(log)->bytes))
            rc = PL_END;
    }
    if (rc != PL_END)
        return rc;
    table->end(view);
    return PL_OK;
}

static enum pl_err choose(const struct values *values, struct pl_etl *log, struct events_view *view,
                          const struct events_table **table, struct pl_error *err)
{
    uint16_t hook;
    if (values->hard_faults + values->reference_set + (values->event != NULL) > 1)
        return pl_fail(err, PL_ERR_USAGE, "trace events: only one of --hard-faults, --reference-set and --event");
    if (values->event) {
        enum pl_err rc = events_find(log, values->event, &hook, err);
        if (rc)
            return rc;
        view->schema = pl_etl_schema(hook, UINT8_MAX);
    }
    *table = values->hard_faults     ? &events_hard_faults
             : values->reference_set ? &events_reference_set
             : values->event         ? &events_listing
                                     : NULL;
    return PL_OK;
}

static enum pl_err report(const struct values *values, struct pl_etl *log, const char *path, struct pl_arena *arena,
                          struct pl_error *err)
{
    int argc;
    char **argv;
    const struct events_table *table = NULL;
    struct events_view view = {.log = log, .arena = arena};
    enum pl_err rc = choose(values, log, &view, &table, err);
    if (rc)
        return rc;
    struct pl_document *document = view.document =
        pl_document_create(arena, "trace-events", "Events of a Windows trace");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    cmd_line(&argc, &argv);
    pl_document_command(document, argc, argv);
    pl_document_parameter(document, "trace", "trace", "", pl_value_text(path));
    events_describe(document, log, arena);
    if (table)
        rc = list(&view, log, table, &values->common, err);
    pl_etl_reference_destroy(view.reference);
    if (rc)
        return rc;
    events_summary(document, log, arena);
    events_losses(document, log);
    if (cmd_interrupted())
        pl_document_note(document, "interrupted: only the first part of the file was read");
    cmd_progress_end();
    return cmd_emit(document, &values->common, err);
}

static enum pl_err look(const struct values *values, const char *path, struct pl_arena *arena, struct pl_error *err)
{
    struct pl_source *source = NULL;
    struct pl_etl_bytes bytes = {0};
    struct pl_etl *log = NULL;
    struct pl_progress progress = cmd_progress_begin("trace events", "bytes", values->common.quiet);
    struct pl_etl_limits limits = {.progress = &progress};
    enum pl_err rc = pl_source_open(path, &source, err);
    if (rc == PL_OK)
        rc = pl_etl_bytes_get(source, &bytes, err);
    if (rc == PL_OK)
        rc = pl_etl_open(bytes.bytes, bytes.length, pl_source_name(source), &limits, &log, err);
    if (rc == PL_OK)
        rc = report(values, log, pl_source_name(source), arena, err);
    cmd_progress_end();
    pl_etl_close(log);
    pl_etl_bytes_free(&bytes);
    pl_source_close(source);
    return rc;
}

static enum pl_err look_at_one(void *given, const struct pl_strings *operands, struct pl_arena *arena,
                               struct pl_error *err)
{
    const char *path;
    enum pl_err rc = cmd_one_operand(&cmd_trace_events_spec, operands, "one .etl file", &path, err);
    return rc ? rc : look(given, path, arena, err);
}

enum pl_err cmd_trace_events(int argc, char **argv, struct pl_error *err)
{
    struct values values;
    return cmd_run(&cmd_trace_events_spec, argc, argv, &values, look_at_one, err);
}
