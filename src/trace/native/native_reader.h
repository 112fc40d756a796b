/* trace/native/native_reader.h: the reader's state, shared by native_read.c, native_read_index.c and native_read_count.c only. */
#ifndef PL_TRACE_NATIVE_READER_H
#define PL_TRACE_NATIVE_READER_H

#include "trace/native/native.h"
#include "trace/rebatch.h"

struct process_slot {
    uint64_t process;
    bool taken;
};

/* The processes seen in switches; open addressing. */
struct process_set {
    struct process_slot *slots;
    size_t capacity, count;
};

struct native_reader {
    struct pl_native_decoder decoder;
    struct pl_native_dictionary dictionary;
    struct pl_native_expander *expander; /* NULL: ranges are handed out as they are */
    struct pl_rebatch *filter;           /* NULL: nothing is left out, pages keep their numbers */
    uint64_t kinds[3];                   /* touches of the last block by kind */
    uint64_t lost;                       /* records, by the records that say so */
    struct process_set processes;

    /* What the next block's header must say. */
    uint32_t next_number;
    uint64_t next_touch;
    uint32_t distinct; /* pages used so far */
    uint32_t named;    /* pages that page blocks named so far */

    size_t block_bytes; /* of the block in the window: skipped at the next call */
    bool ended;
    bool jumped;  /* the block before this one was not read: damage, or a seek */
    bool sought;  /* the same, and it is no loss */
    bool holes;   /* pages that only damaged blocks used are missing: the rest must be numbered anew */
    bool has_time;

    /* The index, of a mapped and undamaged file: offset of its first block, number of its blocks. */
    bool has_index;
    uint64_t index_offset;
    uint32_t index_blocks;
};

/* Looks at the end block of a mapped file; a missing or damaged one only means that there is no index. */
void pl_native_find_index(struct pl_reader *reader);
/* One block; *taken says whether it gave a batch. */
enum pl_err pl_native_read_next_block(struct pl_reader *reader, struct pl_batch *out, bool *taken, struct pl_error *err);
/* Counts what is handed out. `kinds`: its touches by kind, or NULL. */
void pl_native_count_batch(struct pl_reader *reader, const struct pl_batch *batch, const uint64_t kinds[3]);
/* Counts the processes, threads and ranges of a block. */
enum pl_err pl_native_count_controls(struct pl_reader *reader, const struct pl_batch *batch, struct pl_error *err);
/* From here on pages are numbered anew; the first `distinct` keep their numbers. */
enum pl_err pl_native_fill_holes(struct pl_reader *reader, uint32_t distinct, struct pl_error *err);
/* Numbers a batch's pages by first use, without instruction fetches where those are not wanted. *left says whether anything
 * is left of it. */
enum pl_err pl_native_renumber(struct pl_reader *reader, struct pl_batch *batch, bool *left, struct pl_error *err);

#endif
