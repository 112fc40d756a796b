/* trace/etl/format_etl.c: the page faults of a Windows event trace (.etl) as a trace.
 *
 * Every fault is one touch of one page: those of every kind (transition, demand-zero, copy-on-write, guard, hard) where the
 * session logged them; else, where it logged only the reads of hard faults, those. Access violations touch nothing. A
 * fault at its own program counter fetches an instruction, copy-on-write writes, the others count as reads: the
 * log does not say. Pages of system space belong to process 4, whoever touched them, because all share them; everything else to
 * the process of the thread.
 *
 * What this does not know: touches of resident, large and locked pages, which never fault. Session space and page
 * tables count as shared system space though each session or process has its own; user space above 2 GiB on a
 * 32-bit system that was started so counts as system space. */
#include "trace/builder.h"
#include "trace/etl/etl.h"
#include "trace/etl/etl_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYSTEM_PROCESS = 4, ID_ROOM = 48 };

struct etl {
    struct pl_builder *builder;
    struct pl_etl *log;
    struct pl_etl_bytes bytes;
    bool by_reads; /* hard-fault reads are the faults */
    bool ended;
    uint64_t violations, reads_beside, others;
    uint64_t skipped; /* bytes that the source knows of */
};

static void close_etl(struct pl_reader *reader)
{
    struct etl *etl = reader->self;
    if (!etl)
        return;
    pl_builder_destroy(etl->builder);
    pl_etl_close(etl->log);
    pl_etl_bytes_free(&etl->bytes);
    free(etl);
    reader->self = NULL;
}

/* --- what the log holds, for `trace info` ------------------------------------------------- */

static const char *id_of(const struct pl_etl_kind *kind, struct pl_arena *arena)
{
    char guid[40];
    if (kind->hook != PL_ETL_NO_HOOK)
        return pl_arena_printf(arena, "0x%04x", kind->hook);
    return pl_arena_printf(arena, "%s/%u", pl_etl_guid_text(kind->guid, guid, sizeof guid), kind->id);
}

static enum pl_err list_events(struct pl_reader *reader, const struct pl_etl *log, struct pl_error *err)
{
    size_t count;
    const struct pl_etl_kind *kinds = pl_etl_kinds(log, &count);
    struct pl_trace_event *events = pl_arena_alloc(reader->arena, count, sizeof *events);
    if (!events)
        return pl_fail_memory(err, count * sizeof *events, "the list of events");
    for (size_t i = 0; i < count; i++) {
        events[i] = (struct pl_trace_event){id_of(&kinds[i], reader->arena), kinds[i].name, kinds[i].count, kinds[i].bytes};
        if (!events[i].id)
            return pl_fail_memory(err, ID_ROOM, "the list of events");
    }
    reader->info.events = events;
    reader->info.event_count = count;
    return PL_OK;
}

static enum pl_err describe(struct pl_reader *reader, const struct pl_etl *log, struct pl_error *err)
{
    const struct pl_etl_info *info = pl_etl_info(log);
    reader->info.records = PL_RECORDS_FAULTS;
    reader->info.clock = PL_CLOCK_PICOSECONDS;
    reader->info.source =
        info->has_log_header
            ? pl_arena_printf(reader->arena, "Windows %u.%u build %u, %u processors", info->major, info->minor, info->build,
                              info->cpus)
            : "Windows";
    if (!reader->info.source)
        return pl_fail_memory(err, 0, "a description");
    reader->info.total_hint = info->soft_faults ? info->soft_faults : info->hard_faults;
    return list_events(reader, log, err);
}

/* --- opening -------------------------------------------------------------------------------- */

static enum pl_err start(struct pl_reader *reader, struct etl *etl, struct pl_error *err)
{
    struct pl_etl_limits limits = {.progress = reader->options.progress};
    enum pl_err rc = pl_etl_bytes_get(reader->source, &etl->bytes, err);
    if (rc == PL_OK)
        rc = pl_etl_open(etl->bytes.bytes, etl->bytes.length, reader->info.path, &limits, &etl->log, err);
    if (rc == PL_OK)
        rc = describe(reader, etl->log, err);
    if (rc == PL_OK)
        rc = pl_builder_create(reader, (struct pl_builder_columns){.kind = true, .time = true}, &etl->builder, err);
    if (rc == PL_OK)
        etl->by_reads = pl_etl_info(etl->log)->soft_faults == 0;
    return rc;
}

static enum pl_err open_etl(struct pl_reader *reader, struct pl_error *err)
{
    struct etl *etl = calloc(1, sizeof *etl);
    if (!etl)
        return pl_fail_memory(err, sizeof *etl, "a reader");
    reader->self = etl;
    enum pl_err rc = start(reader, etl, err);
    if (rc)
        close_etl(reader);
    return rc;
}

/* --- events ----------------------------------------------------------------------------------- */

static bool is_system_space(uint64_t address, unsigned pointer_size)
{
    return address >> (pointer_size == 4 ? 31 : 63) != 0;
}

/* Lets `thread` of its process go on, or of the system's where the address is the system's. */
static void switch_to(struct etl *etl, uint32_t process, uint32_t thread, const struct pl_etl_event *event,
                      uint64_t address)
{
    if (is_system_space(address, event->pointer_size))
        process = SYSTEM_PROCESS;
    else if (process == PL_ETL_NOBODY && thread != PL_ETL_NOBODY)
        process = pl_etl_process_of(etl->log, thread, event->ticks);
    pl_builder_actor(etl->builder, process, thread, NULL);
}

static void touch(struct etl *etl, const struct pl_etl_event *event, enum pl_kind kind, uint64_t address)
{
    pl_builder_at(etl->builder, pl_etl_time(etl->log, event->ticks));
    pl_builder_access(etl->builder, kind, address, 1);
}

static void put_fault(struct etl *etl, const struct pl_etl_event *event)
{
    struct pl_etl_fields fields;
    if (!pl_etl_read(event, &fields)) {
        etl->others++;
        return;
    }
    uint64_t address = fields.value[0].number, counter = fields.value[1].number;
    enum pl_kind kind = event->hook == PL_ETL_COPY_ON_WRITE ? PL_WRITE : address == counter ? PL_EXECUTE : PL_READ;
    switch_to(etl, event->process, event->thread, event, address);
    touch(etl, event, kind, address);
}

/* The event names the thread that faulted, the header at most who logged the end of the read. */
static void put_read(struct etl *etl, const struct pl_etl_event *event)
{
    struct pl_etl_fields fields;
    if (!etl->by_reads) {
        etl->reads_beside++;
        return;
    }
    if (!pl_etl_read(event, &fields)) {
        etl->others++;
        return;
    }
    uint64_t address = fields.value[2].number;
    switch_to(etl, PL_ETL_NOBODY, (uint32_t)fields.value[4].number, event, address);
    touch(etl, event, PL_READ, address);
}

static void put_process(struct etl *etl, const struct pl_etl_event *event)
{
    struct pl_etl_fields fields;
    if (!pl_etl_read(event, &fields))
        return;
    uint32_t process = (uint32_t)fields.value[1].number;
    pl_builder_at(etl->builder, pl_etl_time(etl->log, event->ticks));
    pl_builder_process(etl->builder, event->hook == PL_ETL_PROCESS_START ? PL_OP_START : PL_OP_EXIT, process,
                       pl_etl_process_name(etl->log, process, event->ticks));
}

static void put(struct etl *etl, const struct pl_etl_event *event)
{
    switch (event->hook) {
    case PL_ETL_TRANSITION_FAULT: case PL_ETL_DEMAND_ZERO_FAULT: case PL_ETL_COPY_ON_WRITE: case PL_ETL_GUARD_FAULT:
    case PL_ETL_HARD_PAGE_FAULT:
        put_fault(etl, event);
        break;
    case PL_ETL_HARD_FAULT:
        put_read(etl, event);
        break;
    case PL_ETL_ACCESS_VIOLATION:
        etl->violations++;
        break;
    case PL_ETL_PROCESS_START: case PL_ETL_PROCESS_END:
        put_process(etl, event);
        break;
    default:
        etl->others++;
    }
}

/* What was left out and lost is known in full at the end. */
static void finish(struct pl_reader *reader, struct etl *etl)
{
    size_t count;
    const struct pl_etl_loss *losses = pl_etl_losses(etl->log, &count);
    const struct pl_etl_info *info = pl_etl_info(etl->log);
    for (size_t i = 0; i < count; i++)
        if (losses[i].damage)
            pl_reader_damage(reader, losses[i].reason, losses[i].count, losses[i].place);
        else
            pl_reader_skip(reader, losses[i].reason, losses[i].count, losses[i].place);
    if (etl->others)
        pl_reader_skip(reader, "events that are no page faults", etl->others, 0);
    if (etl->violations)
        pl_reader_skip(reader, "access violations", etl->violations, 0);
    if (etl->reads_beside)
        pl_reader_skip(reader, "reads of hard faults, beside the faults", etl->reads_beside, 0);
    if (info->buffers_lost)
        pl_reader_damage(reader, "buffers lost, says the log", info->buffers_lost, 0);
    if (info->events_lost)
        pl_builder_lost(etl->builder, info->events_lost);
    etl->ended = true;
}

static enum pl_err next(struct pl_reader *reader, struct pl_batch *out, struct pl_error *err)
{
    struct etl *etl = reader->self;
    struct pl_etl_event event;
    while (!etl->ended && !pl_builder_full(etl->builder)) {
        enum pl_err rc = pl_etl_next(etl->log, &event, err);
        if (rc == PL_END) {
            finish(reader, etl);
            break;
        }
        if (rc)
            return rc;
        reader->info.input_records++;
        put(etl, &event);
    }
    uint64_t done = etl->ended ? etl->bytes.length : pl_etl_done(etl->log);
    if (!etl->bytes.map)
        pl_source_skip(reader->source, (size_t)(done - etl->skipped));
    etl->skipped = done;
    reader->info.bytes_read = done;
    return pl_builder_finish(etl->builder, out, err);
}

static struct pl_page_origin origin(const struct pl_reader *reader, pl_page page)
{
    const struct etl *etl = reader->self;
    return pl_builder_origin(etl->builder, page);
}

static int probe(const uint8_t *head, size_t length, bool whole)
{
    (void)whole;
    return pl_etl_probe(head, length);
}

const struct pl_format pl_format_etl = {
    .name = "etl",
    .about = "page faults of a Windows event trace, plain or with compressed buffers (binary)",
    .suffixes = "etl",
    .probe = probe,
    .open = open_etl,
    .next = next,
    .origin = origin,
    .close = close_etl,
};
