/* capture/cap_etl.c: `pagecap etl FILE.etl`: what a Windows event trace holds, and its faults as a native trace. */
#include "capture/pagecap.h"
#include "trace/etl/etl.h"

#include <inttypes.h>

struct etl_line {
    struct cap_common common;
    const char *output;
};

static const struct pl_option etl_options[] = {
    {"output", 'o', PL_OPT_TEXT, offsetof(struct etl_line, output), "FILE", NULL,
     "Write the page faults (soft ones of every kind, hard ones) as a native trace of faults."},
    {NULL},
};

static const struct pl_option_group groups[] = {
    {"Output", etl_options, 0},
    {NULL, cap_common_options, offsetof(struct etl_line, common)},
    {NULL},
};

const struct pl_command_spec cap_etl_spec = {
    .name = "etl",
    .operands = "FILE.etl",
    .summary = "What a Windows event trace holds; its page faults as a trace.",
    .details =
        "Reads .etl files anywhere, as 'pagelab trace info' and 'trace events' do; for where only pagecap is at hand.",
    .groups = groups,
    .examples = (const struct pl_example[]){{"pagecap etl -o faults.trace kernel.etl", "for pagelab"}, {NULL}},
};

static enum pl_err record_faults(struct pl_etl *etl, struct pl_recorder *recorder, struct pl_error *err)
{
    const struct pl_etl_info *info = pl_etl_info(etl);
    struct pl_etl_event event;
    pl_recorder_lost(recorder, info->events_lost, 0);
    enum pl_err rc;
    while ((rc = pl_etl_next(etl, &event, err)) == PL_OK && !pl_recorder_full(recorder)) {
        struct pl_etl_fault fault;
        if (!pl_etl_fault(etl, &event, &fault))
            continue;
        pl_recorder_actor(recorder, fault.process, fault.thread, pl_etl_process_name(etl, fault.process, event.ticks));
        pl_recorder_touch(recorder, (enum pl_kind)fault.kind, fault.address, 1, pl_etl_time(etl, event.ticks));
    }
    return rc == PL_END ? PL_OK : rc;
}

static enum pl_err write_faults(struct pl_etl *etl, const char *path, struct pl_arena *arena, const char *name,
                                struct pl_error *err)
{
    struct pl_recorder_options options = {
        .path = path,
        .source = pl_arena_printf(arena, "pagecap etl: %s", name),
        .page_size = 4096,
        .records = PL_RECORDS_FAULTS,
        .times = true,
    };
    struct pl_recorder *recorder;
    struct pl_recorder_counts counts;
    enum pl_err rc = pl_recorder_open(&options, &recorder, err);
    if (rc)
        return rc;
    rc = record_faults(etl, recorder, err);
    if (rc == PL_OK && pl_recorder_counts(recorder).touches == 0)
        rc = pl_fail(err, PL_ERR_INPUT, "%s: holds no page faults: record with the page-fault flags on", name);
    if (rc) {
        pl_recorder_abandon(recorder);
        return rc;
    }
    rc = pl_recorder_close(recorder, &counts, err);
    if (rc == PL_OK)
        cap_say("%" PRIu64 " faults on %" PRIu64 " pages to %s", counts.touches, counts.touched, path);
    return rc;
}

static void kinds_table(struct pl_document *document, const struct pl_etl *etl)
{
    static const struct pl_column columns[] = {
        {"event", "event", "", PL_VALUE_TEXT, 0},
        {"id", "id", "", PL_VALUE_COUNT, 0},
        {"count", "count", "", PL_VALUE_COUNT, 0},
        {"bytes", "bytes", "bytes", PL_VALUE_COUNT, 0},
    };
    struct pl_document_table *table = pl_document_table(document, "events", "Events", columns, PL_COUNT_OF(columns));
    size_t count;
    const struct pl_etl_kind *kinds = pl_etl_kinds(etl, &count);
    pl_document_show_at_most(table, 30);
    for (size_t i = 0; i < count; i++) {
        char guid[40];
        const struct pl_value row[] = {
            pl_value_text(kinds[i].name ? kinds[i].name : pl_etl_guid_text(kinds[i].guid, guid, sizeof guid)),
            pl_value_count(kinds[i].hook == PL_ETL_NO_HOOK ? kinds[i].id : kinds[i].hook),
            pl_value_count(kinds[i].count),
            pl_value_count(kinds[i].bytes),
        };
        pl_document_row(table, row);
    }
}

static enum pl_err show(const struct etl_line *values, const struct pl_etl *etl, struct pl_arena *arena,
                        struct pl_error *err)
{
    struct pl_document *document = pl_document_create(arena, "etl", "A Windows event trace");
    if (!document)
        return pl_fail_memory(err, 0, "the result");
    const struct pl_etl_info *info = pl_etl_info(etl);
    pl_document_result(document, "build", "Windows build", "", pl_value_count(info->build));
    pl_document_result(document, "cpus", "processors", "", pl_value_count(info->cpus));
    pl_document_result(document, "pointer_bytes", "pointers", "bytes", pl_value_count(info->pointer_size));
    pl_document_result(document, "buffers", "buffers", "", pl_value_count(info->buffers));
    pl_document_result(document, "events", "events", "", pl_value_count(info->events));
    pl_document_result(document, "events_lost", "events lost", "", pl_value_count(info->events_lost));
    pl_document_result(document, "buffers_lost", "buffers lost", "", pl_value_count(info->buffers_lost));
    pl_document_result(document, "soft_faults", "soft faults", "", pl_value_count(info->soft_faults));
    pl_document_result(document, "hard_faults", "hard faults", "", pl_value_count(info->hard_faults));
    kinds_table(document, etl);
    size_t count;
    const struct pl_etl_loss *losses = pl_etl_losses(etl, &count);
    for (size_t i = 0; i < count; i++)
        pl_document_note(document, "%s: %" PRIu64 ", first at byte %" PRIu64, losses[i].reason, losses[i].count,
                         losses[i].place);
    return cap_emit(document, &values->common, err);
}

enum pl_err cap_etl(int argc, char **argv, struct pl_error *err)
{
    struct etl_line values;
    struct cap_line line;
    const uint8_t *bytes = NULL;
    uint64_t length = 0;
    struct pl_etl *etl = NULL;
    const struct pl_etl_limits limits = {0};
    enum pl_err rc = cap_begin(&cap_etl_spec, argc, argv, &values, &line, err);
    if (rc || line.done) {
        cap_end(&line);
        return rc;
    }
    const char *name = line.operands.count ? line.operands.item[0] : NULL;
    if (line.operands.count != 1)
        rc = pl_fail(err, PL_ERR_USAGE, "give one .etl file");
    if (rc == PL_OK)
        rc = pl_os_file_map(name, &bytes, &length, err);
    if (rc == PL_OK)
        rc = pl_etl_open(bytes, length, name, &limits, &etl, err);
    if (rc == PL_OK && values.output)
        rc = write_faults(etl, values.output, line.arena, name, err);
    if (rc == PL_OK)
        rc = show(&values, etl, line.arena, err);
    pl_etl_close(etl);
    if (bytes)
        pl_os_file_unmap(bytes, length);
    cap_end(&line);
    return rc;
}
