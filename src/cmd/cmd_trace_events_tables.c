/* cmd/cmd_trace_events_tables.c: the tables of `pagelab trace events`. */
#include "cmd/cmd_trace_events.h"

#include "trace/etl/etl_reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_ROWS = 40, TEXT_ROOM = 1024, GUID_ROOM = 40, PAGE = 4096 };

static struct pl_value hexadecimal(char *out, size_t size, uint64_t number)
{
    snprintf(out, size, "0x%llx", (unsigned long long)number);
    return pl_value_text(out);
}

/* A process or thread id, or nothing. */
static struct pl_value id_value(uint32_t id)
{
    return id == PL_ETL_NOBODY ? pl_value_text(NULL) : pl_value_count(id);
}

/* --- the file as a whole ------------------------------------------------------------- */

void events_describe(struct pl_document *document, const struct pl_etl *log, struct pl_arena *arena)
{
    static const char *const clocks[] = {"unknown", "performance counter", "system time", "processor cycles"};
    const struct pl_etl_info *info = pl_etl_info(log);
    if (info->has_log_header) {
        pl_document_parameter(
            document, "windows", "Windows", "",
            pl_value_text(pl_arena_printf(arena, "%u.%u build %u", info->major, info->minor, info->build)));
        pl_document_parameter(document, "processors", "processors", "", pl_value_count(info->cpus));
        pl_document_parameter(document, "pointer_bytes", "pointers", "B", pl_value_count(info->pointer_size));
    }
    pl_document_parameter(document, "clock", "clock", "", pl_value_text(clocks[info->clock]));
    pl_document_parameter(document, "clock_hz", "ticks a second", "1/s", pl_value_count(info->frequency));
    pl_document_result(document, "events", "events", "", pl_value_count(info->events));
    pl_document_result(document, "buffers", "buffers", "", pl_value_count(info->buffers));
    pl_document_result(document, "compressed_buffers", "compressed buffers", "",
                       pl_value_count(info->compressed_buffers));
    pl_document_result(document, "time_span_s", "time span", "s",
                       pl_value_real((double)pl_etl_time(log, info->last_ticks) / (double)PL_PS_PER_S));
    pl_document_result(document, "events_lost", "events lost, says the log", "", pl_value_count(info->events_lost));
    pl_document_result(document, "buffers_lost", "buffers lost, says the log", "", pl_value_count(info->buffers_lost));
}

void events_summary(struct pl_document *document, const struct pl_etl *log, struct pl_arena *arena)
{
    static const struct pl_column columns[] = {
        {"id", "id", "", PL_VALUE_TEXT, 0},
        {"event", "event", "", PL_VALUE_TEXT, 0},
        {"count", "how often", "", PL_VALUE_COUNT, 0},
        {"bytes", "bytes", "B", PL_VALUE_COUNT, 0},
    };
    size_t count;
    char guid[GUID_ROOM];
    const struct pl_etl_kind *kinds = pl_etl_kinds(log, &count);
    struct pl_document_table *table =
        pl_document_table(document, "kinds", "Events, most frequent first", columns, PL_COUNT_OF(columns));
    for (size_t i = 0; i < count; i++) {
        const char *id =
            kinds[i].hook != PL_ETL_NO_HOOK
                ? pl_arena_printf(arena, "0x%04x", kinds[i].hook)
                : pl_arena_printf(arena, "%s/%u", pl_etl_guid_text(kinds[i].guid, guid, sizeof guid), kinds[i].id);
        struct pl_value row[] = {pl_value_text(id), pl_value_text(kinds[i].name ? kinds[i].name : "unknown"),
                                 pl_value_count(kinds[i].count), pl_value_count(kinds[i].bytes)};
        pl_document_row(table, row);
    }
}

void events_losses(struct pl_document *document, const struct pl_etl *log)
{
    static const struct pl_column columns[] = {
        {"reason", "left out", "", PL_VALUE_TEXT, 0},
        {"count", "how often", "", PL_VALUE_COUNT, 0},
        {"first_place", "first at byte", "", PL_VALUE_COUNT, 0},
    };
    size_t count;
    const struct pl_etl_loss *losses = pl_etl_losses(log, &count);
    if (!count)
        return;
    struct pl_document_table *table =
        pl_document_table(document, "skipped", "What was left out, and why", columns, PL_COUNT_OF(columns));
    for (size_t i = 0; i < count; i++) {
        struct pl_value row[] = {pl_value_text(losses[i].reason), pl_value_count(losses[i].count),
                                 pl_value_count(losses[i].place)};
        pl_document_row(table, row);
    }
}

enum pl_err events_find(const struct pl_etl *log, const char *name, uint16_t *hook, struct pl_error *err)
{
    char id[16], shown[64];
    size_t count;
    const struct pl_etl_kind *kinds = pl_etl_kinds(log, &count);
    for (size_t i = 0; i < count; i++) {
        const char *known = kinds[i].name, *slash = known ? strchr(known, '/') : NULL;
        snprintf(id, sizeof id, "0x%04x", kinds[i].hook);
        if (!known || (strcmp(known, name) && strcmp(slash + 1, name) && strcmp(id, name)))
            continue;
        if (!pl_etl_schema(kinds[i].hook, UINT8_MAX)->count)
            return pl_fail(err, PL_ERR_USAGE, "trace events: the fields of %s are not known, only how often it occurs",
                           known);
        *hook = kinds[i].hook;
        return PL_OK;
    }
    return pl_fail(err, PL_ERR_USAGE, "trace events: there is no event '%s' with known fields in the file",
                   pl_printable(shown, sizeof shown, name, strlen(name)));
}

/* --- hard faults ---------------------------------------------------------------------- */

static enum pl_err begin_hard_faults(struct events_view *view, struct pl_error *err)
{
    static const struct pl_column columns[] = {
        {"timestamp_ticks", "done", "ticks", PL_VALUE_COUNT, 0},
        {"initial_ticks", "asked", "ticks", PL_VALUE_COUNT, 0},
        {"elapsed_ms", "took", "ms", PL_VALUE_REAL, 4},
        {"pid", "process", "", PL_VALUE_COUNT, 0},
        {"tid", "thread", "", PL_VALUE_COUNT, 0},
        {"virtual_address", "address", "", PL_VALUE_TEXT, 0},
        {"read_offset", "offset", "B", PL_VALUE_COUNT, 0},
        {"byte_count", "read", "B", PL_VALUE_COUNT, 0},
        {"file_object", "file object", "", PL_VALUE_TEXT, 0},
        {"file", "file", "", PL_VALUE_TEXT, 0},
    };
    (void)err;
    view->table = pl_document_table(view->document, "hard_faults", "Hard faults", columns, PL_COUNT_OF(columns));
    pl_document_show_at_most(view->table, SHOWN_ROWS);
    pl_document_csv_table(view->document, view->table);
    return PL_OK;
}

static void take_hard_fault(struct events_view *view, const struct pl_etl_event *event)
{
    enum { INITIAL, OFFSET, ADDRESS, OBJECT, THREAD, BYTES };
    struct pl_etl_fields fields;
    char address[24], object[24];
    if (event->hook != PL_ETL_HARD_FAULT)
        return;
    if (!pl_etl_read(event, &fields)) {
        view->unreadable++;
        return;
    }
    uint32_t thread = (uint32_t)fields.value[THREAD].number;
    uint64_t asked = fields.value[INITIAL].number;
    /* A fault whose start was not noted has zero for it. */
    double took = asked && asked <= event->ticks ? pl_etl_ms(view->log, event->ticks - asked) : NAN;
    struct pl_value row[] = {
        pl_value_count(event->ticks),
        pl_value_count(asked),
        pl_value_real(took),
        id_value(pl_etl_process_of(view->log, thread, event->ticks)),
        pl_value_count(thread),
        hexadecimal(address, sizeof address, fields.value[ADDRESS].number),
        pl_value_count(fields.value[OFFSET].number),
        pl_value_count(fields.value[BYTES].number),
        hexadecimal(object, sizeof object, fields.value[OBJECT].number),
        pl_value_text(pl_etl_file_name(view->log, fields.value[OBJECT].number, event->ticks)),
    };
    pl_document_row(view->table, row);
    view->rows++;
}

static void end_listing(struct events_view *view)
{
    if (view->unreadable)
        pl_document_note(view->document, "%llu events are shorter than their fields and were left out.",
                         (unsigned long long)view->unreadable);
}

const struct events_table events_hard_faults = {begin_hard_faults, take_hard_fault, end_listing};

/* --- the events of one kind --------------------------------------------------------------- */

enum { FIXED_COLUMNS = 4 }; /* time, ticks, process, thread */

static enum pl_err begin_listing(struct events_view *view, struct pl_error *err)
{
    struct pl_column columns[FIXED_COLUMNS + PL_ETL_FIELDS_MAX] = {
        {"time_ms", "time", "ms", PL_VALUE_REAL, 4},
        {"ticks", "ticks", "", PL_VALUE_COUNT, 0},
        {"pid", "process", "", PL_VALUE_COUNT, 0},
        {"tid", "thread", "", PL_VALUE_COUNT, 0},
    };
    const struct pl_etl_schema *schema = view->schema;
    for (size_t i = 0; i < schema->count; i++) {
        const struct pl_etl_field *field = &schema->fields[i];
        bool number = field->width < PL_ETL_ANSI && !field->hexadecimal;
        columns[FIXED_COLUMNS + i] =
            (struct pl_column){field->name, field->name, "", number ? PL_VALUE_COUNT : PL_VALUE_TEXT, 0};
    }
    (void)err;
    view->table = pl_document_table(view->document, "listing", schema->name, columns, FIXED_COLUMNS + schema->count);
    pl_document_show_at_most(view->table, SHOWN_ROWS);
    pl_document_csv_table(view->document, view->table);
    return PL_OK;
}

static struct pl_value field_value(const struct pl_etl_field *field, const struct pl_etl_value *value,
                                   struct pl_arena *arena)
{
    char text[TEXT_ROOM];
    switch (field->width) {
    case PL_ETL_ANSI:
        return pl_value_text(pl_printable(text, sizeof text, (const char *)value->bytes, value->length)[0]
                                 ? pl_arena_strdup(arena, text)
                                 : NULL);
    case PL_ETL_UTF16:
        pl_etl_utf8(value->bytes, value->length, text, sizeof text);
        return pl_value_text(text[0] ? pl_arena_strdup(arena, text) : NULL);
    case PL_ETL_SID:
        return pl_value_text(NULL);
    default:
        return field->hexadecimal ? pl_value_text(pl_arena_printf(arena, "0x%llx", (unsigned long long)value->number))
                                  : pl_value_count(value->number);
    }
}

/* One row for each event, or for each of its groups where fields repeat. */
static void take_listed(struct events_view *view, const struct pl_etl_event *event)
{
    struct pl_etl_fields fields;
    struct pl_value row[FIXED_COLUMNS + PL_ETL_FIELDS_MAX];
    if (event->hook != view->schema->hook)
        return;
    if (!pl_etl_read(event, &fields)) {
        view->unreadable++;
        return;
    }
    uint32_t process = event->process != PL_ETL_NOBODY || event->thread == PL_ETL_NOBODY
                           ? event->process
                           : pl_etl_process_of(view->log, event->thread, event->ticks);
    do {
        row[0] = pl_value_real((double)pl_etl_time(view->log, event->ticks) / (double)PL_PS_PER_MS);
        row[1] = pl_value_count(event->ticks);
        row[2] = id_value(process);
        row[3] = id_value(event->thread);
        for (size_t i = 0; i < view->schema->count; i++) {
            /* An older version lacks fields that a newer one put between; names tell. */
            const struct pl_etl_field *field = &view->schema->fields[i];
            row[FIXED_COLUMNS + i] = pl_value_text(NULL);
            for (size_t j = 0; j < fields.count; j++)
                if (!strcmp(fields.schema->fields[j].name, field->name))
                    row[FIXED_COLUMNS + i] = field_value(field, &fields.value[j], view->arena);
        }
        pl_document_row(view->table, row);
        view->rows++;
    } while (fields.schema->repeat && pl_etl_read_more(&fields));
}

const struct events_table events_listing = {begin_listing, take_listed, end_listing};

/* --- the reference set ------------------------------------------------------------------- */

static enum pl_err begin_reference_set(struct events_view *view, struct pl_error *err)
{
    return pl_etl_reference_create(view->log, &view->reference, err);
}

static void take_reference(struct events_view *view, const struct pl_etl_event *event)
{
    if (!view->failed)
        view->failed = pl_etl_reference_take(view->reference, event, &view->failure);
}

static void end_reference_set(struct events_view *view)
{
    static const struct pl_column columns[] = {
        {"category", "category", "", PL_VALUE_TEXT, 0},
        {"accesses", "accesses", "", PL_VALUE_COUNT, 0},
        {"pages", "pages accessed", "", PL_VALUE_COUNT, 0},
        {"accessed_mb", "accessed", "MB", PL_VALUE_REAL, 2},
        {"released_pages", "pages released", "", PL_VALUE_COUNT, 0},
    };
    view->table =
        pl_document_table(view->document, "reference_set", "Reference set by category", columns, PL_COUNT_OF(columns));
    const struct pl_etl_reference_row *rows = pl_etl_reference_rows(view->reference);
    for (unsigned i = 0; i < PL_ETL_CATEGORIES; i++) {
        const struct pl_etl_reference_row *use = &rows[i];
        if (!use->accesses && !use->released)
            continue;
        struct pl_value row[] = {pl_value_text(pl_etl_category_name(i)), pl_value_count(use->accesses),
                                 pl_value_count(use->pages), pl_value_real((double)use->pages * PAGE / (double)PL_MIB),
                                 pl_value_count(use->released)};
        pl_document_row(view->table, row);
        view->rows++;
    }
    pl_document_csv_table(view->document, view->table);
    if (!view->rows)
        pl_document_note(view->document,
                         "The file has no page access events: its session did not record a reference set.");
    end_listing(view);
}

const struct events_table events_reference_set = {begin_reference_set, take_reference, end_reference_set};
