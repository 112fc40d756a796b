/* trace/etl/etl_private.h: what the parts of the .etl reader share. */
#ifndef PL_TRACE_ETL_PRIVATE_H
#define PL_TRACE_ETL_PRIVATE_H

#include "codec/bytes.h"
#include "trace/etl/etl.h"

enum { /* a buffer's header */
    ETL_BUFFER_HEADER = 0x48,
    ETL_BUFFER_LARGEST = 16 << 20,
    ETL_FLAG_EVENTS_LOST = 2, ETL_FLAG_BUFFER_LOST = 4, ETL_FLAG_CPU_VALID = 0x20, ETL_FLAG_COMPRESSED = 0x40,
    ETL_TYPE_COMPACT_SWITCHES = 2, ETL_TYPE_LOG_HEADER = 4, ETL_TYPES = 8,
};

enum etl_loss {
    LOSS_NO_LOG_HEADER,
    LOSS_CHAIN,
    LOSS_CUT,
    LOSS_COMPRESSED,
    LOSS_LARGE,
    LOSS_RECORD,
    LOSS_PAYLOAD,
    LOSS_MEMORY,
    LOSS_NAMES,
    LOSS_BUFFER_EVENTS,
    LOSS_BUFFER_BEFORE,
    LOSS_SWITCHES,
    LOSS_MESSAGES,
    LOSS_STOPPED,
    LOSSES,
};

/* --- records (etl_record.c) ----------------------------------------------------- */
enum etl_record { RECORD_OK, RECORD_END, RECORD_BAD };
/* Takes one record apart. *step is its length, padding included. A record without a time gets ticks UINT64_MAX. Leaves cpu and
 * place alone. */
enum etl_record etl_record(const uint8_t *at, size_t left, struct pl_etl_event *out, size_t *step);
/* Where things stand in the records that begin with a marker of an event, by byte 2 of it; 0 where etl_record must look. */
enum { ETL_MARK_EVENT = 0xc0 };
struct etl_kind_layout {
    uint8_t header; /* bytes before the payload */
    uint8_t ticks, size; /* offsets of the time, and of the length */
    bool kernel; /* short headers of the kernel, with a hook */
    uint8_t more; /* bits of byte 1 that say that the header is longer */
};
extern const struct etl_kind_layout etl_kind_layouts[256];

/* What the two passes need of most records; *hook is PL_ETL_NO_HOOK for all but the kernel's short headers. False for
 * records that only etl_record can judge. */
struct etl_glimpse {
    uint64_t ticks;
    size_t step;
    uint16_t hook;
};
static inline bool etl_record_glimpse(const uint8_t *at, size_t left, struct etl_glimpse *out)
{
    if (left < 0x10 || at[3] != ETL_MARK_EVENT)
        return false;
    const struct etl_kind_layout *layout = &etl_kind_layouts[at[2]];
    if (left < layout->header || !layout->header || at[1] & layout->more)
        return false;
    const size_t size = load16(at + layout->size), padded = (size + 7) & ~(size_t)7;
    out->ticks = load64(at + layout->ticks);
    out->step = padded < left ? padded : left;
    out->hook = layout->kernel ? load16(at + 6) : PL_ETL_NO_HOOK;
    return size >= layout->header && size <= left;
}

/* --- buffers (etl_buffer.c) ------------------------------------------------------- */
struct etl_buffer_header {
    uint32_t size;  /* to the next buffer */
    uint32_t saved; /* valid bytes when decompressed, header included */
    uint16_t cpu, flags, type;
};
/* False when the bytes cannot be a buffer's header. */
bool etl_buffer_header(const uint8_t *at, uint64_t left, struct etl_buffer_header *out);

/* A buffer with events, as the survey keeps it. */
struct etl_buffer {
    uint64_t place;
    uint64_t first; /* ticks of its earliest event */
    const uint8_t *kept; /* its records, decompressed; NULL: in the file, or to be decompressed again */
    uint32_t order; /* in the file */
};

/* The records of a buffer: in place, or decompressed into `room`. */
struct etl_span {
    const uint8_t *at, *end;
    uint16_t cpu;
    bool whole; /* false: what could be decompressed of it */
    uint64_t place;
};
/* How many bytes the records take when they have to be decompressed; 0 when they lie in the file as they are. */
size_t etl_buffer_room(const struct etl_buffer_header *header);
/* `room` has etl_buffer_room bytes. False when nothing of them decompresses. */
bool etl_buffer_open(const uint8_t *bytes, uint64_t length, uint64_t place, const struct etl_buffer_header *header,
                     uint8_t *room, struct etl_span *out);
/* The next place at or after `from` where two buffers in a row, or a last one, begin; `length` when there is none. */
uint64_t etl_buffer_resync(const uint8_t *bytes, uint64_t length, uint64_t from);

/* --- names over time (etl_history.c) ----------------------------------------------- */
enum etl_role {
    ROLE_BEGIN, /* it starts to be so */
    ROLE_SEEN,  /* it is so */
    ROLE_END,   /* it was so up to here */
};
struct etl_entry {
    uint64_t key, ticks;
    uint32_t value;
    uint32_t role;
};
struct etl_history {
    struct etl_entry *entry;
    size_t count, capacity;
    bool begins_late; /* things are in use before their beginning is logged */
};
enum pl_err etl_history_add(struct etl_history *history, uint64_t key, uint64_t ticks, uint32_t value,
                            enum etl_role role, struct pl_error *err);
void etl_history_seal(struct etl_history *history); /* after the last add, before the first find */
bool etl_history_find(const struct etl_history *history, uint64_t key, uint64_t ticks, uint32_t *value);

/* Texts that are kept once each; a text is its offset. */
struct etl_texts {
    char *bytes;
    size_t length, capacity;
    uint32_t *slot; /* offset + 1 */
    size_t slots, count;
};
enum pl_err etl_texts_add(struct etl_texts *texts, const char *text, size_t length, uint32_t *out, struct pl_error *err);
void etl_texts_free(struct etl_texts *texts);

/* --- counts (etl_kinds.c) --------------------------------------------------------- */
struct etl_tally {
    uint64_t count, bytes;
};
struct etl_kinds {
    struct etl_tally *hooks; /* by hook, 65536 */
    struct pl_etl_kind *others; /* by provider and id */
    size_t other_count, other_capacity;
    uint32_t *slot; /* others + 1 */
    size_t slots;
    struct pl_etl_kind *list; /* all that occurred, when sealed */
    size_t list_count;
};
enum pl_err etl_kinds_create(struct etl_kinds *kinds, struct pl_error *err);
static inline void etl_kinds_add(struct etl_kinds *kinds, uint16_t hook, size_t bytes)
{
    kinds->hooks[hook].count++;
    kinds->hooks[hook].bytes += bytes;
}
enum pl_err etl_kinds_count(struct etl_kinds *kinds, const struct pl_etl_event *event, size_t bytes,
                            struct pl_error *err);
enum pl_err etl_kinds_seal(struct etl_kinds *kinds, struct pl_error *err);
void etl_kinds_free(struct etl_kinds *kinds);

/* --- the log's header (etl_log.c) --------------------------------------------------- */
/* From the event with hook 0; the first one sets everything, later ones (merged logs) add what they lost. */
void etl_log_header(struct pl_etl_info *info, const struct pl_etl_event *event);
void etl_log_finish(struct pl_etl_info *info); /* fills in what no header said */

/* --- the whole ------------------------------------------------------------------- */
struct etl_cursor; /* etl_merge.c */

/* Open buffers under a tree of winners: node i holds the earlier key of nodes 2i and 2i + 1, node 1 that of all; the leaf
 * of a cursor is node `leaves` + its number. Keys stand in two columns. */
struct etl_merge {
    uint64_t *ticks; /* of the next event; UINT64_MAX: nothing there */
    uint64_t *rank;  /* order in the file, which decides between equal times, above the number of the cursor */
    struct etl_cursor **cursor; /* by number */
    size_t leaves;   /* a power of two */
    size_t numbers;  /* cursors that there are */
    size_t count;    /* of them open */
    struct etl_cursor *free; /* cursors with their memory, for reuse */
    size_t opened;        /* buffers so far */
    uint64_t open_bytes;
    bool took; /* the top's event was handed out */
    uint64_t last_ticks;
    uint64_t done;
    uint32_t *running; /* thread by cpu, 65536 */
};

struct pl_etl {
    const uint8_t *bytes;
    uint64_t length;
    char *name;
    struct pl_etl_limits limits;
    struct pl_etl_info info;
    struct pl_etl_loss losses[LOSSES]; /* by reason, then packed */
    size_t loss_count;
    struct etl_buffer *buffer;
    size_t buffer_count, buffer_capacity;
    struct etl_kinds kinds;
    struct etl_history threads, processes, files, keys;
    struct etl_texts texts;
    uint64_t ps_per_tick; /* 0: not a whole number */
    struct etl_merge merge;
    uint8_t *kept; /* room for decompressed buffers */
    size_t kept_room, kept_used;
};

void etl_lose(struct pl_etl *etl, enum etl_loss loss, uint64_t count, uint64_t place);
enum pl_err etl_survey(struct pl_etl *etl, struct pl_error *err);
void etl_merge_free(struct etl_merge *merge);

#endif
