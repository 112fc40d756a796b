/* trace/etl/etl_merge.c: a file opened, and its events in the order of time.
 *
 * Buffers are sorted by their earliest event. One is opened when the merge has come to that time, so that only buffers
 * that overlap are open: about one for each processor and session. Within a buffer events keep the order they were
 * logged in. Ties go by the order in the file. */
#include "trace/etl/etl_private.h"

#include <stdlib.h>

enum { CPUS = 1 << 16, OPEN_BYTES = 1 << 30, KEPT_BYTES = 256 << 20, NAME_BYTES = 512 << 20 };

struct etl_cursor {
    const uint8_t *at, *end; /* behind the event */
    struct pl_etl_event event;
    uint64_t ticks;
    uint32_t order, number;
    uint32_t stored; /* bytes of the file */
    uint8_t *room;   /* decompressed records, or NULL */
    size_t capacity;
    struct etl_cursor *next_free;
};

/* --- losses --------------------------------------------------------------------------- */

static const struct pl_etl_loss reasons[LOSSES] = {
    [LOSS_NO_LOG_HEADER] = {"log headers missing: the clock is taken for system time", 0, 0, true},
    [LOSS_CHAIN] = {"bytes that belong to no buffer", 0, 0, true},
    [LOSS_CUT] = {"buffers cut short by the end of the file", 0, 0, true},
    [LOSS_COMPRESSED] = {"buffers that do not decompress to their end", 0, 0, true},
    [LOSS_LARGE] = {"buffers too large when decompressed", 0, 0, true},
    [LOSS_RECORD] = {"buffers left at a record that makes no sense", 0, 0, true},
    [LOSS_PAYLOAD] = {"events shorter than their fields", 0, 0, true},
    [LOSS_MEMORY] = {"buffers left out because too many are open at one time", 0, 0, true},
    [LOSS_NAMES] = {"names left out because there are too many", 0, 0, true},
    [LOSS_BUFFER_EVENTS] = {"buffers that say that events were lost", 0, 0, true},
    [LOSS_BUFFER_BEFORE] = {"buffers that say that one before them was lost", 0, 0, true},
    [LOSS_SWITCHES] = {"buffers of compact context switches", 0, 0, false},
    [LOSS_MESSAGES] = {"messages without a time", 0, 0, false},
    [LOSS_STOPPED] = {"stops of the survey, as asked: the rest was not looked at", 0, 0, true},
};

void etl_lose(struct pl_etl *etl, enum etl_loss loss, uint64_t count, uint64_t place)
{
    size_t i = 0;
    while (i < etl->loss_count && etl->losses[i].reason != reasons[loss].reason)
        i++;
    if (i == etl->loss_count) {
        etl->losses[i] = reasons[loss];
        etl->losses[i].place = place;
        etl->loss_count++;
    }
    etl->losses[i].count += count;
}

const struct pl_etl_loss *pl_etl_losses(const struct pl_etl *etl, size_t *count)
{
    *count = etl->loss_count;
    return etl->losses;
}

/* --- the heap ------------------------------------------------------------------------- */

static inline bool before(const struct etl_merge *merge, size_t a, uint64_t ticks, uint64_t rank)
{
    return (merge->ticks[a] < ticks) | ((merge->ticks[a] == ticks) & (merge->rank[a] < rank));
}

static inline void move(struct etl_merge *merge, size_t to, size_t from)
{
    merge->ticks[to] = merge->ticks[from];
    merge->rank[to] = merge->rank[from];
}

/* Puts a key at a free place, or above it. */
static inline void sift_up(struct etl_merge *merge, size_t at, uint64_t ticks, uint64_t rank)
{
    for (size_t parent; at > 0 && !before(merge, parent = (at - 1) / 2, ticks, rank); at = parent)
        move(merge, at, parent);
    merge->ticks[at] = ticks;
    merge->rank[at] = rank;
}

/* The top has changed to this key. The hole goes down to the bottom along the earlier children (which needs no decision
 * that a processor could guess wrong), then the key goes up from there: the buffer that was read last is as a rule the
 * one whose turn comes last. */
static void sift_down(struct etl_merge *merge, uint64_t ticks, uint64_t rank)
{
    const size_t count = merge->count;
    size_t at = 0, child;
    while ((child = 2 * at + 2) < count) {
        child -= before(merge, child - 1, merge->ticks[child], merge->rank[child]);
        move(merge, at, child);
        at = child;
    }
    if (child == count) { /* one child alone */
        move(merge, at, child - 1);
        at = child - 1;
    }
    sift_up(merge, at, ticks, rank);
}

static inline struct etl_cursor *top(const struct etl_merge *merge)
{
    return merge->cursor[(uint32_t)merge->rank[0]];
}

static void push(struct etl_merge *merge, const struct etl_cursor *cursor)
{
    sift_up(merge, merge->count++, cursor->ticks, (uint64_t)cursor->order << 32 | cursor->number);
}

/* --- cursors -------------------------------------------------------------------------- */

/* The next record; false at the end of the buffer, or where the survey, too, gave it up. */
static bool advance(struct etl_cursor *cursor)
{
    size_t step;
    if (etl_record(cursor->at, (size_t)(cursor->end - cursor->at), &cursor->event, &step) != RECORD_OK)
        return false;
    cursor->at += step;
    if (cursor->event.ticks == UINT64_MAX)
        cursor->event.ticks = cursor->ticks;
    cursor->ticks = cursor->event.ticks;
    return true;
}

/* A further cursor, with its places in the heap. */
static struct etl_cursor *make_cursor(struct etl_merge *merge)
{
    if (merge->numbers == merge->capacity) {
        size_t capacity = merge->capacity ? 2 * merge->capacity : 64;
        uint64_t *ticks = realloc(merge->ticks, capacity * sizeof *ticks);
        merge->ticks = ticks ? ticks : merge->ticks;
        uint64_t *rank = realloc(merge->rank, capacity * sizeof *rank);
        merge->rank = rank ? rank : merge->rank;
        struct etl_cursor **cursor = realloc(merge->cursor, capacity * sizeof *cursor);
        merge->cursor = cursor ? cursor : merge->cursor;
        if (!ticks || !rank || !cursor || capacity > UINT32_MAX)
            return NULL;
        merge->capacity = capacity;
    }
    struct etl_cursor *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->number = (uint32_t)merge->numbers;
    merge->cursor[merge->numbers++] = made;
    return made;
}

/* One that is free, with `room` bytes if it must decompress. */
static struct etl_cursor *take_cursor(struct etl_merge *merge, size_t room)
{
    struct etl_cursor *cursor = merge->free;
    if (cursor)
        merge->free = cursor->next_free;
    else
        cursor = make_cursor(merge);
    if (!cursor || room <= cursor->capacity)
        return cursor;
    merge->open_bytes -= cursor->capacity;
    free(cursor->room);
    cursor->room = malloc(room);
    cursor->capacity = cursor->room ? room : 0;
    merge->open_bytes += cursor->capacity;
    if (cursor->room)
        return cursor;
    cursor->next_free = merge->free;
    merge->free = cursor;
    return NULL;
}

static void give_back(struct etl_merge *merge, struct etl_cursor *cursor)
{
    cursor->next_free = merge->free;
    merge->free = cursor;
}

/* Memory of free cursors goes first; false when what is open leaves no room. */
static bool fits(struct pl_etl *etl, size_t room)
{
    struct etl_merge *merge = &etl->merge;
    if (merge->open_bytes + room <= etl->limits.open_bytes)
        return true;
    for (struct etl_cursor *cursor = merge->free; cursor; cursor = cursor->next_free) {
        merge->open_bytes -= cursor->capacity;
        free(cursor->room);
        cursor->room = NULL;
        cursor->capacity = 0;
    }
    return merge->open_bytes + room <= etl->limits.open_bytes;
}

static enum pl_err open_buffer(struct pl_etl *etl, const struct etl_buffer *buffer, struct pl_error *err)
{
    struct etl_buffer_header header;
    struct etl_span span;
    if (!etl_buffer_header(etl->bytes + buffer->place, etl->length - buffer->place, &header))
        return PL_OK; /* it was one: the file changes under us */
    size_t room = buffer->kept ? 0 : etl_buffer_room(&header);
    if (room > etl->limits.buffer_bytes || (room && !fits(etl, room))) {
        etl_lose(etl, LOSS_MEMORY, 1, buffer->place);
        return PL_OK;
    }
    struct etl_cursor *cursor = take_cursor(&etl->merge, room);
    if (!cursor)
        return pl_fail_memory(err, room, "a buffer");
    cursor->order = buffer->order;
    cursor->stored = header.size;
    if (buffer->kept) {
        span = (struct etl_span){.at = buffer->kept, .end = buffer->kept + etl_buffer_room(&header), .cpu = header.cpu,
                                 .place = buffer->place};
    } else if (!etl_buffer_open(etl->bytes, etl->length, buffer->place, &header, cursor->room, &span)) {
        give_back(&etl->merge, cursor);
        return PL_OK;
    }
    cursor->at = span.at;
    cursor->end = span.end;
    cursor->ticks = buffer->first;
    cursor->event.cpu = span.cpu;
    cursor->event.place = span.place;
    if (advance(cursor))
        push(&etl->merge, cursor);
    else
        give_back(&etl->merge, cursor);
    return PL_OK;
}

/* --- the merge -------------------------------------------------------------------------- */

/* Moves on the cursor whose event was handed out last. */
static void step_on(struct pl_etl *etl)
{
    struct etl_merge *merge = &etl->merge;
    if (!merge->took)
        return;
    struct etl_cursor *cursor = top(merge);
    uint64_t rank = merge->rank[0];
    merge->took = false;
    if (!advance(cursor)) {
        merge->done += cursor->stored;
        give_back(merge, cursor);
        if (!--merge->count)
            return;
        rank = merge->rank[merge->count];
        sift_down(merge, merge->ticks[merge->count], rank);
        return;
    }
    sift_down(merge, cursor->ticks, rank);
}

/* Who runs: as the header says; else whom the last context switch on that processor named. */
static void attribute(struct pl_etl *etl, struct pl_etl_event *event)
{
    uint32_t *running = &etl->merge.running[event->cpu];
    if (event->hook == PL_ETL_CONTEXT_SWITCH && event->payload_size >= 4)
        *running = load32(event->payload);
    else if (event->thread == PL_ETL_NOBODY && event->hook != PL_ETL_NO_HOOK)
        event->thread = *running;
}

enum pl_err pl_etl_next(struct pl_etl *etl, struct pl_etl_event *out, struct pl_error *err)
{
    struct etl_merge *merge = &etl->merge;
    step_on(etl);
    while (merge->opened < etl->buffer_count &&
           (!merge->count || etl->buffer[merge->opened].first <= merge->ticks[0])) {
        enum pl_err rc = open_buffer(etl, &etl->buffer[merge->opened], err);
        if (rc)
            return rc;
        merge->opened++;
    }
    if (!merge->count)
        return PL_END;
    *out = top(merge)->event;
    merge->took = true;
    etl->info.backward += out->ticks < merge->last_ticks;
    merge->last_ticks = out->ticks;
    attribute(etl, out);
    return PL_OK;
}

uint64_t pl_etl_done(const struct pl_etl *etl)
{
    return etl->merge.done < etl->length ? etl->merge.done : etl->length;
}

void etl_merge_free(struct etl_merge *merge)
{
    for (size_t i = 0; i < merge->numbers; i++) {
        free(merge->cursor[i]->room);
        free(merge->cursor[i]);
    }
    free(merge->cursor);
    free(merge->ticks);
    free(merge->rank);
    free(merge->running);
}

/* --- opening and questions --------------------------------------------------------------- */

static enum pl_err prepare(struct pl_etl *etl, const char *name, struct pl_error *err)
{
    etl->name = strdup(name);
    etl->merge.running = malloc(CPUS * sizeof *etl->merge.running);
    if (!etl->name || !etl->merge.running)
        return pl_fail_memory(err, CPUS * sizeof *etl->merge.running, "a reader");
    memset(etl->merge.running, 0xff, CPUS * sizeof *etl->merge.running);
    if (!etl->limits.buffer_bytes)
        etl->limits.buffer_bytes = ETL_BUFFER_LARGEST;
    if (!etl->limits.open_bytes)
        etl->limits.open_bytes = OPEN_BYTES;
    if (!etl->limits.kept_bytes)
        etl->limits.kept_bytes = KEPT_BYTES;
    if (!etl->limits.name_bytes)
        etl->limits.name_bytes = NAME_BYTES;
    return PL_OK;
}

enum pl_err pl_etl_open(const uint8_t *bytes, uint64_t length, const char *name, const struct pl_etl_limits *limits,
                        struct pl_etl **out, struct pl_error *err)
{
    const uint64_t ps_per_s = PL_PS_PER_S;
    struct pl_etl *etl = calloc(1, sizeof *etl);
    if (!etl)
        return pl_fail_memory(err, sizeof *etl, "a reader");
    etl->bytes = bytes;
    etl->length = etl->info.bytes = length;
    if (limits)
        etl->limits = *limits;
    enum pl_err rc = prepare(etl, name, err);
    if (rc == PL_OK)
        rc = etl_survey(etl, err);
    if (rc == PL_OK && !etl->info.buffers)
        rc = pl_fail(err, PL_ERR_INPUT, "%s: is no .etl file: there is not one buffer in it", name);
    if (rc) {
        pl_etl_close(etl);
        return rc;
    }
    etl->ps_per_tick = ps_per_s % etl->info.frequency ? 0 : ps_per_s / etl->info.frequency;
    *out = etl;
    return PL_OK;
}

void pl_etl_close(struct pl_etl *etl)
{
    if (!etl)
        return;
    etl_merge_free(&etl->merge);
    etl_kinds_free(&etl->kinds);
    etl_texts_free(&etl->texts);
    free(etl->threads.entry);
    free(etl->processes.entry);
    free(etl->files.entry);
    free(etl->keys.entry);
    pl_table_free(etl->kept, etl->kept_room);
    free(etl->buffer);
    free(etl->name);
    free(etl);
}

const struct pl_etl_info *pl_etl_info(const struct pl_etl *etl)
{
    return &etl->info;
}

const struct pl_etl_kind *pl_etl_kinds(const struct pl_etl *etl, size_t *count)
{
    *count = etl->kinds.list_count;
    return etl->kinds.list;
}

pl_time_ps pl_etl_time(const struct pl_etl *etl, uint64_t ticks)
{
    if (ticks <= etl->info.first_ticks)
        return 0;
    ticks -= etl->info.first_ticks;
    if (etl->ps_per_tick)
        return ticks > INT64_MAX / etl->ps_per_tick ? INT64_MAX : (pl_time_ps)(ticks * etl->ps_per_tick);
    /* Whole seconds and the rest apart: the rest is below 2^64, times 10^12 below 2^104. */
    uint64_t seconds = ticks / etl->info.frequency, rest = ticks % etl->info.frequency;
    if (seconds >= INT64_MAX / PL_PS_PER_S)
        return INT64_MAX;
    return (pl_time_ps)(seconds * PL_PS_PER_S +
                        (uint64_t)((unsigned __int128)rest * PL_PS_PER_S / etl->info.frequency));
}

double pl_etl_ms(const struct pl_etl *etl, uint64_t ticks)
{
    return (double)ticks * 1000.0 / (double)etl->info.frequency;
}

uint32_t pl_etl_process_of(const struct pl_etl *etl, uint32_t thread, uint64_t ticks)
{
    uint32_t process;
    return etl_history_find(&etl->threads, thread, ticks, &process) ? process : PL_ETL_NOBODY;
}

uint32_t pl_etl_process_by_key(const struct pl_etl *etl, uint64_t key, uint64_t ticks)
{
    uint32_t process;
    return etl_history_find(&etl->keys, key, ticks, &process) ? process : PL_ETL_NOBODY;
}

const char *pl_etl_process_name(const struct pl_etl *etl, uint32_t process, uint64_t ticks)
{
    uint32_t text;
    return etl_history_find(&etl->processes, process, ticks, &text) ? etl->texts.bytes + text : NULL;
}

const char *pl_etl_file_name(const struct pl_etl *etl, uint64_t file_object, uint64_t ticks)
{
    uint32_t text;
    return etl_history_find(&etl->files, file_object, ticks, &text) ? etl->texts.bytes + text : NULL;
}

/* A log starts with a buffer that holds the log's header. */
int pl_etl_probe(const uint8_t *head, size_t length)
{
    struct etl_buffer_header header;
    struct pl_etl_event event;
    size_t step;
    if (!etl_buffer_header(head, length, &header))
        return 0;
    if (header.flags & ETL_FLAG_COMPRESSED)
        return 50;
    const uint8_t *at = head + ETL_BUFFER_HEADER;
    if (etl_record(at, length - ETL_BUFFER_HEADER, &event, &step) != RECORD_OK)
        return 0;
    return header.type == ETL_TYPE_LOG_HEADER && event.hook == PL_ETL_LOG_HEADER ? 100 : 60;
}
