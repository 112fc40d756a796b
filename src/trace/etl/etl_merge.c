/* trace/etl/etl_merge.c: a file opened, and its events in the order of time.
 *
 * Buffers are sorted by their earliest event. One is opened when the merge has come to that time, so that only buffers
 * that overlap are open: about one for each processor and session. Within a buffer events keep the order they were
 * logged in. Ties go by the order in the file. */
#include "trace/etl/etl_private.h"

#include <stdlib.h>

enum { CPUS = 1 << 16, OPEN_BYTES = 1 << 30, KEPT_BYTES = 256 << 20, NAME_BYTES = 512 << 20 };
enum { AHEAD = 512 }; /* bytes that a buffer's reading is ahead: several are read in turns */

struct etl_cursor {
    const uint8_t *at, *end; /* the next event is at `at` */
    size_t step;             /* its length */
    uint64_t ticks;          /* its time */
    uint64_t place;
    uint16_t cpu;
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

/* --- the tree of winners ---------------------------------------------------------------- */

/* Gives a leaf its key, and the nodes above it the earlier of two each. The siblings on the way are known from the start,
 * and nothing is decided by a branch: times of several processors are beyond what a machine can guess. */
static void set_leaf(struct etl_merge *merge, size_t number, uint64_t ticks, uint64_t rank)
{
    size_t at = merge->leaves + number;
    merge->ticks[at] = ticks;
    merge->rank[at] = rank;
    for (; at > 1; at /= 2) {
        uint64_t other_ticks = merge->ticks[at ^ 1], other_rank = merge->rank[at ^ 1];
        bool other = (other_ticks < ticks) | ((other_ticks == ticks) & (other_rank < rank));
        ticks = other ? other_ticks : ticks;
        rank = other ? other_rank : rank;
        merge->ticks[at / 2] = ticks;
        merge->rank[at / 2] = rank;
    }
}

static inline struct etl_cursor *top(const struct etl_merge *merge)
{
    return merge->cursor[(uint32_t)merge->rank[1]];
}

static void enter(struct etl_merge *merge, const struct etl_cursor *cursor)
{
    set_leaf(merge, cursor->number, cursor->ticks, (uint64_t)cursor->order << 32 | cursor->number);
}

/* Twice as many leaves; those that there were keep their keys. */
static bool grow_tree(struct etl_merge *merge)
{
    const size_t leaves = merge->leaves ? 2 * merge->leaves : 8;
    struct etl_cursor **cursor = realloc(merge->cursor, leaves * sizeof *cursor);
    merge->cursor = cursor ? cursor : merge->cursor;
    uint64_t *ticks = malloc(2 * leaves * sizeof *ticks), *rank = malloc(2 * leaves * sizeof *rank);
    if (!cursor || !ticks || !rank || leaves > UINT32_MAX) {
        free(ticks);
        free(rank);
        return false;
    }
    memset(ticks, 0xff, 2 * leaves * sizeof *ticks);
    memset(rank, 0xff, 2 * leaves * sizeof *rank);
    struct etl_merge old = *merge;
    merge->ticks = ticks;
    merge->rank = rank;
    merge->leaves = leaves;
    for (size_t i = 0; i < old.leaves; i++)
        set_leaf(merge, i, old.ticks[old.leaves + i], old.rank[old.leaves + i]);
    free(old.ticks);
    free(old.rank);
    return true;
}

/* --- cursors -------------------------------------------------------------------------- */

/* Looks at the record that begins at `at`; false at the end of the buffer, or where the survey, too, gave it up. */
static bool look(struct etl_cursor *cursor)
{
    const size_t left = (size_t)(cursor->end - cursor->at);
    struct etl_glimpse next;
    if (!etl_record_glimpse(cursor->at, left, &next)) {
        struct pl_etl_event event;
        if (etl_record(cursor->at, left, &event, &next.step) != RECORD_OK)
            return false;
        next.ticks = event.ticks;
    }
    __builtin_prefetch(cursor->at + AHEAD);
    cursor->step = next.step;
    if (next.ticks != UINT64_MAX) /* else it has none of its own */
        cursor->ticks = next.ticks;
    return true;
}

/* A further cursor, with its leaf. */
static struct etl_cursor *make_cursor(struct etl_merge *merge)
{
    if (merge->numbers == merge->leaves && !grow_tree(merge))
        return NULL;
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
    cursor->cpu = span.cpu;
    cursor->place = span.place;
    if (look(cursor)) {
        enter(&etl->merge, cursor);
        etl->merge.count++;
    } else {
        give_back(&etl->merge, cursor);
    }
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
    merge->took = false;
    cursor->at += cursor->step;
    if (look(cursor)) {
        enter(merge, cursor);
        return;
    }
    merge->done += cursor->stored;
    merge->count--;
    set_leaf(merge, cursor->number, UINT64_MAX, UINT64_MAX);
    give_back(merge, cursor);
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
           (!merge->count || etl->buffer[merge->opened].first <= merge->ticks[1])) {
        enum pl_err rc = open_buffer(etl, &etl->buffer[merge->opened], err);
        if (rc)
            return rc;
        merge->opened++;
    }
    if (!merge->count)
        return PL_END;
    const struct etl_cursor *cursor = top(merge);
    size_t step;
    etl_record(cursor->at, (size_t)(cursor->end - cursor->at), out, &step); /* look() found it good */
    out->ticks = cursor->ticks;
    out->cpu = cursor->cpu;
    out->place = cursor->place;
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
