/* trace/etl/etl_survey.c: the first pass: where buffers with events are and when each begins, what occurs how often, what
 * numbers stand for, and what is damaged. It reads every record's header, and the payloads of the few events that name
 * things. */
#include "trace/etl/etl_private.h"

#include <stdlib.h>

enum { PROGRESS_STEP = 1 << 24, NAME_ROOM = 3 * UINT16_MAX + 8 };

struct survey {
    struct pl_etl *etl;
    struct pl_error *err;
    uint8_t *room; /* for decompressed records */
    size_t capacity;
    uint64_t reported;
    char *name; /* NAME_ROOM */
};

/* --- names ------------------------------------------------------------------------------- */

static bool names_fit(struct survey *survey, uint64_t place)
{
    struct pl_etl *etl = survey->etl;
    uint64_t entries = etl->threads.count + etl->processes.count + etl->files.count + etl->keys.count;
    if (entries * sizeof *etl->files.entry + etl->texts.length < etl->limits.name_bytes)
        return true;
    etl_lose(etl, LOSS_NAMES, 1, place);
    return false;
}

static enum etl_role role_of(uint16_t hook)
{
    switch (hook) {
    case PL_ETL_PROCESS_START: case PL_ETL_THREAD_START: case PL_ETL_FILE_CREATE:
        return ROLE_BEGIN;
    case PL_ETL_PROCESS_END: case PL_ETL_THREAD_END: case PL_ETL_FILE_DELETE:
        return ROLE_END;
    default:
        return ROLE_SEEN;
    }
}

static enum pl_err add_thread(struct survey *survey, const struct pl_etl_event *event)
{
    struct pl_etl_fields fields;
    if (!pl_etl_read(event, &fields)) {
        etl_lose(survey->etl, LOSS_PAYLOAD, 1, event->place);
        return PL_OK;
    }
    return etl_history_add(&survey->etl->threads, fields.value[1].number, event->ticks,
                           (uint32_t)fields.value[0].number, role_of(event->hook), survey->err);
}

static enum pl_err add_process(struct survey *survey, const struct pl_etl_event *event)
{
    struct pl_etl *etl = survey->etl;
    struct pl_etl_fields fields;
    uint32_t text;
    if (!pl_etl_read(event, &fields)) {
        etl_lose(etl, LOSS_PAYLOAD, 1, event->place);
        return PL_OK;
    }
    const struct pl_etl_value *name = NULL;
    for (size_t i = 0; i < fields.count; i++)
        if (fields.schema->fields[i].width == PL_ETL_ANSI)
            name = &fields.value[i];
    uint32_t process = (uint32_t)fields.value[1].number;
    enum etl_role role = role_of(event->hook);
    enum pl_err rc = etl_history_add(&etl->keys, fields.value[0].number, event->ticks, process, role, survey->err);
    if (rc || !name || !name->length)
        return rc;
    rc = etl_texts_add(&etl->texts, (const char *)name->bytes, name->length, &text, survey->err);
    return rc ? rc : etl_history_add(&etl->processes, process, event->ticks, text, role, survey->err);
}

static enum pl_err add_file(struct survey *survey, const struct pl_etl_event *event)
{
    struct pl_etl *etl = survey->etl;
    struct pl_etl_fields fields;
    uint32_t text;
    if (!pl_etl_read(event, &fields)) {
        etl_lose(etl, LOSS_PAYLOAD, 1, event->place);
        return PL_OK;
    }
    if (!fields.value[1].length)
        return PL_OK;
    size_t length = pl_etl_utf8(fields.value[1].bytes, fields.value[1].length, survey->name, NAME_ROOM);
    enum pl_err rc = etl_texts_add(&etl->texts, survey->name, length, &text, survey->err);
    return rc ? rc : etl_history_add(&etl->files, fields.value[0].number, event->ticks, text, role_of(event->hook),
                                     survey->err);
}

/* --- events ------------------------------------------------------------------------------ */

/* Is it one of the few events that name things? */
static inline bool names_things(uint16_t hook)
{
    switch (hook) {
    case PL_ETL_LOG_HEADER:
    case PL_ETL_THREAD_START: case PL_ETL_THREAD_END: case PL_ETL_THREAD_DC_START: case PL_ETL_THREAD_DC_END:
    case PL_ETL_PROCESS_START: case PL_ETL_PROCESS_END: case PL_ETL_PROCESS_DC_START: case PL_ETL_PROCESS_DC_END:
    case PL_ETL_FILE_NAME: case PL_ETL_FILE_CREATE: case PL_ETL_FILE_DELETE: case PL_ETL_FILE_RUNDOWN:
        return true;
    default:
        return false;
    }
}

static enum pl_err look_at(struct survey *survey, const struct pl_etl_event *event)
{
    if (event->hook == PL_ETL_LOG_HEADER) {
        etl_log_header(&survey->etl->info, event);
        return PL_OK;
    }
    if (!names_fit(survey, event->place))
        return PL_OK;
    switch (event->hook >> 8) {
    case PL_ETL_PROCESS_START >> 8:
        return add_process(survey, event);
    case PL_ETL_THREAD_START >> 8:
        return add_thread(survey, event);
    default:
        return add_file(survey, event);
    }
}

/* Notes the time of an event. */
static inline void note_time(struct pl_etl_info *info, uint64_t ticks, uint64_t *first)
{
    if (ticks < *first)
        *first = ticks;
    if (ticks > info->last_ticks && ticks != UINT64_MAX)
        info->last_ticks = ticks;
}

/* A record whose whole header matters. Without a time it has that of the one before it, *last. */
static enum pl_err whole_record(struct survey *survey, struct pl_etl_event *event, size_t bytes, uint64_t *last)
{
    struct pl_etl *etl = survey->etl;
    if (event->header == PL_ETL_MESSAGE && event->ticks == UINT64_MAX)
        etl_lose(etl, LOSS_MESSAGES, 1, event->place);
    if (event->ticks == UINT64_MAX)
        event->ticks = *last;
    *last = event->ticks;
    enum pl_err rc = etl_kinds_count(&etl->kinds, event, bytes, survey->err);
    return rc == PL_OK && names_things(event->hook) ? look_at(survey, event) : rc;
}

static enum pl_err walk(struct survey *survey, const struct etl_span *span, uint64_t *first)
{
    struct pl_etl *etl = survey->etl;
    struct pl_etl_event event = {.cpu = span->cpu, .place = span->place};
    struct etl_glimpse glimpse;
    const uint8_t *at = span->at;
    uint64_t last = UINT64_MAX;
    size_t step;
    enum etl_record record;
    *first = UINT64_MAX;
    for (;;) {
        if (etl_record_glimpse(at, (size_t)(span->end - at), &glimpse) && glimpse.hook != PL_ETL_NO_HOOK &&
            glimpse.ticks != UINT64_MAX && !names_things(glimpse.hook)) {
            last = glimpse.ticks;
            step = glimpse.step;
            etl_kinds_add(&etl->kinds, glimpse.hook, step);
        } else {
            record = etl_record(at, (size_t)(span->end - at), &event, &step);
            if (record != RECORD_OK)
                break;
            enum pl_err rc = whole_record(survey, &event, step, &last);
            if (rc)
                return rc;
        }
        note_time(&etl->info, last, first);
        etl->info.events++;
        at += step;
    }
    if (record == RECORD_BAD && span->whole) /* else it is the record at the cut */
        etl_lose(etl, LOSS_RECORD, 1, span->place);
    return PL_OK;
}

/* --- buffers ----------------------------------------------------------------------------- */

/* The first compressed buffer: room to keep decompressed ones, used as far as they come. */
static void make_kept_room(struct pl_etl *etl)
{
    enum { EXPANSION = 64 }; /* more than records compress in practice */
    uint64_t most = etl->length > etl->limits.kept_bytes / EXPANSION ? etl->limits.kept_bytes : etl->length * EXPANSION;
    if (etl->kept || most > PTRDIFF_MAX)
        return;
    etl->kept = pl_table_alloc((size_t)most);
    etl->kept_room = etl->kept ? (size_t)most : 0;
}

/* Where a buffer of `need` bytes decompresses to: where it can stay, else the survey's own room. NULL and *rc without
 * memory. */
static uint8_t *room_for(struct survey *survey, size_t need, enum pl_err *rc)
{
    struct pl_etl *etl = survey->etl;
    make_kept_room(etl);
    if (need <= etl->kept_room - etl->kept_used)
        return etl->kept + etl->kept_used;
    if (need > survey->capacity) {
        free(survey->room);
        survey->room = malloc(need);
        survey->capacity = survey->room ? need : 0;
        if (!survey->room)
            *rc = pl_fail_memory(survey->err, need, "a buffer");
    }
    return survey->room;
}

/* A decompressed buffer with events stays where it is, if it can. */
static const uint8_t *keep_records(struct pl_etl *etl, const uint8_t *room, size_t size)
{
    if (!size || !etl->kept || room != etl->kept + etl->kept_used)
        return NULL;
    etl->kept_used += size;
    return room;
}

static enum pl_err keep_buffer(struct survey *survey, uint64_t place, uint64_t first, const uint8_t *kept)
{
    struct pl_etl *etl = survey->etl;
    void *buffers = etl->buffer;
    enum pl_err rc =
        pl_grow(&buffers, &etl->buffer_capacity, etl->buffer_count + 1, sizeof *etl->buffer, "buffers", survey->err);
    etl->buffer = buffers;
    if (rc)
        return rc;
    etl->buffer[etl->buffer_count] =
        (struct etl_buffer){.place = place, .first = first, .kept = kept, .order = (uint32_t)etl->buffer_count};
    etl->buffer_count++;
    if (first < etl->info.first_ticks)
        etl->info.first_ticks = first;
    return PL_OK;
}

static enum pl_err survey_buffer(struct survey *survey, uint64_t place, const struct etl_buffer_header *header)
{
    struct pl_etl *etl = survey->etl;
    struct etl_span span;
    enum pl_err rc = PL_OK;
    uint64_t first;
    size_t room = etl_buffer_room(header);
    etl->info.buffers++;
    etl->info.compressed_buffers += room > 0;
    if (header->flags & ETL_FLAG_EVENTS_LOST)
        etl_lose(etl, LOSS_BUFFER_EVENTS, 1, place);
    if (header->flags & ETL_FLAG_BUFFER_LOST)
        etl_lose(etl, LOSS_BUFFER_BEFORE, 1, place);
    if (header->type == ETL_TYPE_COMPACT_SWITCHES) {
        etl_lose(etl, LOSS_SWITCHES, 1, place);
        return PL_OK;
    }
    if (room > etl->limits.buffer_bytes) {
        etl_lose(etl, LOSS_LARGE, 1, place);
        return PL_OK;
    }
    uint8_t *to = room ? room_for(survey, room, &rc) : NULL;
    if (rc)
        return rc;
    if (!etl_buffer_open(etl->bytes, etl->length, place, header, to, &span)) {
        if (header->size <= etl->length - place)
            etl_lose(etl, LOSS_COMPRESSED, 1, place);
        return PL_OK;
    }
    if (!span.whole) {
        if (header->size <= etl->length - place)
            etl_lose(etl, LOSS_COMPRESSED, 1, place);
        to = NULL; /* is decompressed again when its turn comes: rare */
    }
    rc = walk(survey, &span, &first);
    return rc || first == UINT64_MAX ? rc : keep_buffer(survey, place, first, keep_records(etl, to, room));
}

/* False when the user asked for a stop. */
static bool report(struct survey *survey, uint64_t place)
{
    if (place < survey->reported + PROGRESS_STEP)
        return true;
    survey->reported = place;
    return pl_progress_report(survey->etl->limits.progress, place, survey->etl->length);
}

/* A buffer that reaches beyond the end is the last one, cut short, unless others follow inside it: then its header is
 * no good, as where there is none. */
static bool header_at(struct pl_etl *etl, uint64_t place, struct etl_buffer_header *header, uint64_t *next)
{
    uint64_t left = etl->length - place;
    bool good = etl_buffer_header(etl->bytes + place, left, header);
    if (good && header->size <= left)
        return true;
    *next = etl_buffer_resync(etl->bytes, etl->length, place + 1);
    if (!good || *next < etl->length)
        return false;
    etl_lose(etl, LOSS_CUT, 1, place);
    return true;
}

static enum pl_err survey_chain(struct survey *survey)
{
    struct pl_etl *etl = survey->etl;
    struct etl_buffer_header header;
    uint64_t place = 0, next;
    while (place < etl->length) {
        if (!report(survey, place)) {
            etl_lose(etl, LOSS_STOPPED, 1, place);
            return PL_OK;
        }
        if (!header_at(etl, place, &header, &next)) {
            etl_lose(etl, LOSS_CHAIN, next - place, place);
            place = next;
            continue;
        }
        uint64_t left = etl->length - place;
        enum pl_err rc = survey_buffer(survey, place, &header);
        if (rc)
            return rc;
        place += header.size < left ? header.size : left;
    }
    return PL_OK;
}

static int by_first(const void *left, const void *right)
{
    const struct etl_buffer *a = left, *b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static void count_faults(struct pl_etl *etl)
{
    for (uint16_t hook = PL_ETL_TRANSITION_FAULT; hook < PL_ETL_ACCESS_VIOLATION; hook++)
        etl->info.soft_faults += etl->kinds.hooks[hook].count;
    etl->info.hard_faults = etl->kinds.hooks[PL_ETL_HARD_FAULT].count;
}

enum pl_err etl_survey(struct pl_etl *etl, struct pl_error *err)
{
    struct survey survey = {.etl = etl, .err = err, .name = malloc(NAME_ROOM)};
    etl->info.first_ticks = UINT64_MAX;
    etl->files.begins_late = true;
    enum pl_err rc = survey.name ? etl_kinds_create(&etl->kinds, err) : pl_fail_memory(err, NAME_ROOM, "a name");
    if (rc == PL_OK)
        rc = survey_chain(&survey);
    if (rc == PL_OK)
        rc = etl_kinds_seal(&etl->kinds, err);
    if (rc == PL_OK)
        count_faults(etl);
    free(survey.room);
    free(survey.name);
    if (rc)
        return rc;
    if (!etl->info.has_log_header)
        etl_lose(etl, LOSS_NO_LOG_HEADER, 1, 0);
    if (!etl->buffer_count)
        etl->info.first_ticks = 0;
    etl_log_finish(&etl->info);
    if (etl->buffer_count)
        qsort(etl->buffer, etl->buffer_count, sizeof *etl->buffer, by_first);
    etl_history_seal(&etl->threads);
    etl_history_seal(&etl->processes);
    etl_history_seal(&etl->files);
    etl_history_seal(&etl->keys);
    return PL_OK;
}
