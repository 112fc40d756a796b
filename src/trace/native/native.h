/* trace/native/native.h: the project's own trace file (traces/FORMAT.md), as its parts see one another.
 *
 *   native_layout.c         block headers to bytes and back
 *   native_write.c          the writer: collects touches into blocks, index and end block
 *   native_write_columns.c  coding of columns: groups of bits, tables, repeats, kinds, times
 *   native_write_records.c  control records and dictionary runs to bytes
 *   native_read.c           the reader: one block after the other, damage, the end
 *   native_read_header.c    the JSON header
 *   native_read_block.c     one touch block to a batch
 *   native_read_index.c     the index, and starting in the middle
 *   native_read_count.c     what is counted, and what is left out on request
 *   native_read_columns.c   decoding of columns
 *   native_read_records.c   control records and dictionary runs from bytes
 *   native_kernels.c        vector loops and their portable twins
 *   native_check.c          page numbers and kinds of a block are what they must be
 *   native_expand.c         ranges as plain touches
 *   format_native.c         the row in the family of formats
 *
 * Of these only native_read_header.c needs more than base/ without its JSON reader: the capture program on Windows links
 * the writer, layout, kernels and check. Whoever only reads or writes traces uses trace.h and needs none of this. */
#ifndef PL_TRACE_NATIVE_H
#define PL_TRACE_NATIVE_H

#include "trace/format.h"

#include <string.h>

enum {
    PL_NATIVE_VERSION = 1,
    PL_NATIVE_FILE_HEADER = 32, /* bytes before the JSON text */
    PL_NATIVE_JSON_MAX = 65536,
    PL_NATIVE_BLOCK_HEADER = 80,
    PL_NATIVE_ALIGN = 16,
    PL_NATIVE_STORED_MAX = 8 << 20,
    PL_NATIVE_CONTROLS_MAX = 65536,
    PL_NATIVE_RUNS_MAX = 65536,
    PL_NATIVE_ENTRIES_MAX = 65536,
    PL_NATIVE_ENTRY = 32,
    PL_NATIVE_END = 48,
    PL_NATIVE_TEXT_MAX = 65535,
    PL_NATIVE_GROUP = 256,    /* numbers in one group of packed bits */
    PL_NATIVE_TABLE_MAX = 65536,
    PL_NATIVE_MATCH_MIN = 4,
    PL_NATIVE_COLUMN_ROOM = PL_BATCH_MAX * 8 + 4096,
    PL_NATIVE_SECTION_MAX = 4 << 20, /* bytes of control records that a writer puts in one block */
    PL_NATIVE_SLACK = 256,    /* numbers that decoders may write beyond the last one */
};

enum pl_native_type { PL_NATIVE_TOUCHES = 1, PL_NATIVE_PAGES, PL_NATIVE_INDEX, PL_NATIVE_ENDING };
enum pl_native_coding { PL_NATIVE_PLAIN, PL_NATIVE_PACKED };
enum pl_native_columns { PL_NATIVE_HAS_KINDS = 1, PL_NATIVE_HAS_TIMES = 2, PL_NATIVE_HAS_SIZES = 4 };
enum pl_native_numbers { PL_NATIVE_RAW, PL_NATIVE_FRAME, PL_NATIVE_TABLE, PL_NATIVE_REPEATS };
enum pl_native_kinds { PL_NATIVE_KINDS_RAW, PL_NATIVE_KINDS_ONE_BIT, PL_NATIVE_KINDS_TWO_BITS, PL_NATIVE_KINDS_RUNS };
enum pl_native_times { PL_NATIVE_TIMES_RAW, PL_NATIVE_TIMES_STEPS };
/* In a switch's flags: it repeats which actor is present, for readers that start at this block. */
enum { PL_NATIVE_RESTATED = 128 };
/* The process of pages whose dictionary was damaged. */
#define PL_NATIVE_LOST_PROCESS UINT64_MAX

extern const uint8_t pl_native_magic[8];       /* of the file */
extern const uint8_t pl_native_block_magic[8]; /* of every block */
extern const char *const pl_native_records_names[]; /* by enum pl_records, NULL-terminated */
extern const char *const pl_native_clock_names[];   /* by enum pl_clock, NULL-terminated */

/* A block's header, without its magic and its own hash. */
struct pl_native_block {
    uint8_t type, columns, coding, kind;
    uint32_t number;
    uint32_t count;    /* touches, runs or entries */
    uint32_t controls;
    uint64_t first_touch;
    int64_t first_time;
    uint32_t distinct_before, distinct_after;
    uint32_t stored, raw;
    uint64_t payload_hash;
};

void pl_native_block_put(const struct pl_native_block *block, uint8_t bytes[PL_NATIVE_BLOCK_HEADER]);
/* False when magic or hash do not hold, or a field breaks a limit of the format; then *what says which. */
bool pl_native_block_get(const uint8_t bytes[PL_NATIVE_BLOCK_HEADER], struct pl_native_block *out, const char **what);
/* The plain size of the columns of such a block, control records not counted. */
size_t pl_native_plain_size(unsigned columns, size_t count);

/* One entry of the index. */
struct pl_native_entry {
    uint64_t offset, first_touch;
    int64_t first_time;
    uint32_t distinct_before;
    uint8_t type;
};

/* --- bytes ------------------------------------------------------------------ */
static inline size_t pl_native_pad(size_t bytes, size_t to)
{
    return (bytes + to - 1) & ~(to - 1);
}

static inline bool pl_native_little(void)
{
    const uint16_t one = 1;
    return *(const uint8_t *)&one == 1;
}

static inline uint32_t pl_native_get32(const uint8_t *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static inline uint64_t pl_native_get64(const uint8_t *from)
{
    return pl_native_get32(from) | (uint64_t)pl_native_get32(from + 4) << 32;
}

static inline void pl_native_put32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static inline void pl_native_put64(uint8_t *to, uint64_t value)
{
    pl_native_put32(to, (uint32_t)value);
    pl_native_put32(to + 4, (uint32_t)(value >> 32));
}

static inline uint64_t pl_native_zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t pl_native_unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

/* Numbers between memory and the file's byte order. */
void pl_native_copy_get32(uint32_t *to, const uint8_t *from, size_t count);
void pl_native_copy_get64(uint64_t *to, const uint8_t *from, size_t count);
void pl_native_copy_put32(uint8_t *to, const uint32_t *from, size_t count);
void pl_native_copy_put64(uint8_t *to, const uint64_t *from, size_t count);

/* Bytes being taken apart: `at` moves towards `end`; `failed` once something did not fit. */
struct pl_native_cursor {
    const uint8_t *at, *end;
    bool failed;
};
/* The next `bytes`, or NULL and `failed`. */
const uint8_t *pl_native_take(struct pl_native_cursor *cursor, size_t bytes);
uint64_t pl_native_take_varint(struct pl_native_cursor *cursor);

/* --- coding (writer) ---------------------------------------------------------- */
/* Working space for coding one block; some megabytes. */
struct pl_native_coder;
struct pl_native_coder *pl_native_coder_create(struct pl_arena *arena);

/* Each writes one coded column at `to` and returns its size: at most PL_NATIVE_COLUMN_ROOM for PL_BATCH_MAX values. */
size_t pl_native_encode_numbers(struct pl_native_coder *coder, const uint32_t *numbers, size_t count, uint8_t *to);
size_t pl_native_encode_kinds(const uint8_t *kinds, size_t count, uint8_t *to);
size_t pl_native_encode_times(struct pl_native_coder *coder, const int64_t *times, size_t count, uint8_t *to);

uint8_t *pl_native_put_varint(uint8_t *to, uint64_t value);
enum { PL_NATIVE_VARINT_MAX = 10, PL_NATIVE_RUN_MAX = 3 * PL_NATIVE_VARINT_MAX };
/* Most bytes that one control record with a text of this length takes. */
size_t pl_native_control_bound(size_t text_length);
/* Writes a record; `*at` and `*time` are those of the record before and are moved on. Returns the end. */
uint8_t *pl_native_put_control(uint8_t *to, const struct pl_control *control, uint32_t *at, int64_t *time);

struct pl_native_run {
    uint64_t process, number;
    uint32_t first; /* dense page */
};
/* Writes runs (the last one ends before page `after`) at `to`, which has PL_NATIVE_RUN_MAX bytes a run. */
uint8_t *pl_native_put_runs(uint8_t *to, const struct pl_native_run *runs, size_t count, uint32_t after);

/* --- decoding (reader) -------------------------------------------------------- */
/* The parts that exist twice, for vector units and portable; both give equal results. */
struct pl_native_kernels {
    const char *name;
    /* Unpacks one group of 256 numbers of `width` bits (1 to 32). */
    void (*unpack)(const uint8_t *from, unsigned width, uint32_t *to);
    /* Every page is at most *next, and one that equals it moves it on. False at the first that is larger. */
    bool (*check_pages)(const pl_page *page, size_t count, uint32_t *next);
};
/* The fastest that this machine has, or the portable ones. */
const struct pl_native_kernels *pl_native_kernels(bool portable);

/* Buffers for decoding; what they hold is valid until the next block. */
struct pl_native_decoder {
    const struct pl_native_kernels *kernels;
    uint32_t *literals, *table; /* PL_BATCH_MAX + slack each */
    uint32_t *pages, *sizes;
    int64_t *times;
    uint8_t *kinds;
    struct pl_control *controls;
    size_t control_capacity;
};
enum pl_err pl_native_decoder_create(struct pl_arena *arena, struct pl_native_decoder *out, struct pl_error *err);
void pl_native_decoder_free(struct pl_native_decoder *decoder);

/* Each takes one coded column of `count` values; false when the bytes cannot be one. `to` has room for `count`
 * (at most PL_BATCH_MAX) and PL_NATIVE_SLACK more. */
bool pl_native_decode_numbers(struct pl_native_decoder *decoder, struct pl_native_cursor *from, size_t count, uint32_t *to);
bool pl_native_decode_kinds(struct pl_native_cursor *from, size_t count, uint8_t *to);
bool pl_native_decode_times(struct pl_native_decoder *decoder, struct pl_native_cursor *from, size_t count, int64_t first,
                            int64_t *to);

/* Takes `count` records off the cursor; texts point into its bytes. */
bool pl_native_take_controls(struct pl_native_cursor *from, size_t count, uint32_t touches,
                             struct pl_control *to);

/* The dictionary, as runs; memory grows with what was read and not with what a header claims. */
struct pl_native_dictionary {
    struct pl_native_run *runs;
    size_t count, capacity;
    uint32_t *hints; /* the run of every 256th page */
    size_t hint_count, hint_capacity;
    uint32_t end;    /* pages that have an origin */
};
enum pl_err pl_native_dictionary_add(struct pl_native_dictionary *dictionary, uint32_t length, uint64_t process,
                                     uint64_t number, struct pl_error *err);
/* Adds the runs of a page block. *valid is false when the bytes are not such runs; the dictionary may then have grown,
 * but its end is where it was. */
enum pl_err pl_native_dictionary_take(struct pl_native_dictionary *dictionary, const struct pl_native_block *block,
                                      struct pl_native_cursor *from, bool *valid, struct pl_error *err);
struct pl_page_origin pl_native_dictionary_find(const struct pl_native_dictionary *dictionary, pl_page page);
void pl_native_dictionary_free(struct pl_native_dictionary *dictionary);

/* Turns the payload of a touch block into a batch (its columns lie in the payload or in the decoder) and checks it. NULL when
 * all is well, else what is wrong; *rc is set when memory ran out. counts[] gets the touches by kind. */
const char *pl_native_read_block(struct pl_native_decoder *decoder, const struct pl_native_block *block,
                                 const uint8_t *payload, struct pl_batch *out, uint64_t counts[3], enum pl_err *rc,
                                 struct pl_error *err);
/* Kinds are kinds; counts them. */
bool pl_native_check_kinds(const uint8_t *kind, size_t count, uint64_t counts[3]);
/* Touches and control records together continue a trace of *next distinct pages; moves it on. */
bool pl_native_check_batch(const struct pl_native_kernels *kernels, const struct pl_batch *batch, uint32_t *next);
/* The same for one control record. */
bool pl_native_check_control(const struct pl_control *control, uint32_t *next);

/* Ranges as plain touches: takes a batch apart into batches of at most PL_BATCH_MAX. */
struct pl_native_expander;
struct pl_native_expander *pl_native_expander_create(struct pl_arena *arena);
void pl_native_expander_start(struct pl_native_expander *expander, const struct pl_batch *batch);
/* The next part; false when the batch is used up. */
bool pl_native_expander_next(struct pl_native_expander *expander, struct pl_batch *out);

/* --- reader and writer, as the row in the family calls them --------------------- */
int pl_native_probe(const uint8_t *head, size_t length, bool whole);
enum pl_err pl_native_open(struct pl_reader *reader, struct pl_error *err);
enum pl_err pl_native_next(struct pl_reader *reader, struct pl_batch *out, struct pl_error *err);
struct pl_page_origin pl_native_origin(const struct pl_reader *reader, pl_page page);
void pl_native_close(struct pl_reader *reader);
/* Reads the file header; leaves the source at the first block. */
enum pl_err pl_native_read_header(struct pl_reader *reader, struct pl_error *err);
/* Goes to the block that holds touch number `touch`, by the index; forwards only, on a mapped file with an index.
 * The next batch starts at that block, *first is its first touch. Page blocks on the way are read when the dictionary
 * is needed. PL_ERR_USAGE where the file cannot be reached at random, PL_END when the trace is shorter. */
enum pl_err pl_native_seek(struct pl_reader *reader, uint64_t touch, uint64_t *first, struct pl_error *err);
/* Tests: use the portable kernels. Call between open and next. */
void pl_native_use_portable(struct pl_reader *reader);

enum pl_err pl_native_write_open(struct pl_trace_writer *writer, struct pl_error *err);
enum pl_err pl_native_write(struct pl_trace_writer *writer, const struct pl_batch *batch, pl_origin_fn *origin, void *user,
                            struct pl_error *err);
/* Ends the block and hands it to the system, so that it survives a crash of who writes. */
enum pl_err pl_native_write_flush(struct pl_trace_writer *writer, struct pl_error *err);
enum pl_err pl_native_write_close(struct pl_trace_writer *writer, struct pl_error *err);

#endif
