/* tests/unit/native_help.h: whole traces in memory, written to files and read back. */
#ifndef NATIVE_HELP_H
#define NATIVE_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/native/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A trace, flat: control records say their place in the whole trace in `place`. */
struct flat {
    size_t count, capacity;
    pl_page *page;
    uint8_t *kind;
    int64_t *time;
    uint32_t *size;
    bool has_times, has_sizes;
    size_t control_count, control_capacity;
    struct pl_control *control;
    uint64_t *place;
    uint64_t distinct;
};

static inline void flat_free(struct flat *flat)
{
    for (size_t i = 0; i < flat->control_count; i++)
        free((char *)flat->control[i].text);
    free(flat->page);
    free(flat->kind);
    free(flat->time);
    free(flat->size);
    free(flat->control);
    free(flat->place);
    memset(flat, 0, sizeof *flat);
}

static inline void flat_reserve(struct flat *flat, size_t more)
{
    if (flat->count + more <= flat->capacity)
        return;
    flat->capacity = 2 * flat->capacity + more;
    flat->page = realloc(flat->page, flat->capacity * sizeof *flat->page);
    flat->kind = realloc(flat->kind, flat->capacity);
    flat->time = realloc(flat->time, flat->capacity * sizeof *flat->time);
    flat->size = realloc(flat->size, flat->capacity * sizeof *flat->size);
    assert_true(flat->page && flat->kind && flat->time && flat->size);
}

static inline void flat_add(struct flat *flat, pl_page page, uint8_t kind, int64_t time, uint32_t size)
{
    flat_reserve(flat, 1);
    flat->page[flat->count] = page;
    flat->kind[flat->count] = kind;
    flat->time[flat->count] = time;
    flat->size[flat->count++] = size;
    if (page >= flat->distinct)
        flat->distinct = (uint64_t)page + 1;
}

static inline struct pl_control *flat_control(struct flat *flat, struct pl_control control, uint64_t place)
{
    if (flat->control_count == flat->control_capacity) {
        flat->control_capacity = 2 * flat->control_capacity + 16;
        flat->control = realloc(flat->control, flat->control_capacity * sizeof *flat->control);
        flat->place = realloc(flat->place, flat->control_capacity * sizeof *flat->place);
        assert_true(flat->control && flat->place);
    }
    control.text = control.text ? strdup(control.text) : NULL;
    flat->control[flat->control_count] = control;
    flat->place[flat->control_count] = place;
    return &flat->control[flat->control_count++];
}

/* Adds a batch as a reader gave it. */
static inline void flat_append(struct flat *flat, const struct pl_batch *batch)
{
    for (size_t i = 0; i < batch->control_count; i++)
        flat_control(flat, batch->control[i], flat->count + batch->control[i].at);
    for (size_t i = 0; i < batch->count; i++)
        flat_add(flat, batch->page[i], batch->kind ? batch->kind[i] : PL_READ, batch->time ? batch->time[i] : 0,
                 batch->size ? batch->size[i] : 0);
    flat->has_times |= batch->time != NULL;
    flat->has_sizes |= batch->size != NULL;
    flat->distinct = batch->distinct;
}

/* Where a page of these tests comes from: runs of 100 pages, three processes. */
static inline struct pl_page_origin help_origin(void *user, pl_page page)
{
    (void)user;
    return (struct pl_page_origin){page / 700 % 3 + 1, UINT64_C(0x10000) + page / 100 * 1000 + page % 100};
}

/* What the pages introduced up to `distinct` say in a batch that ends there. */
static inline uint64_t distinct_before(const struct flat *flat, size_t touches, size_t controls)
{
    uint64_t distinct = 0;
    for (size_t i = 0; i < touches; i++)
        if (flat->page[i] >= distinct)
            distinct = (uint64_t)flat->page[i] + 1;
    for (size_t i = 0; i < controls; i++) {
        const struct pl_control *control = &flat->control[i];
        uint64_t end = control->op == PL_OP_ALLOCATE || (control->op == PL_OP_RANGE && control->c == 1)
                           ? control->a + control->b
                           : 0;
        if (end > distinct)
            distinct = end;
    }
    return distinct;
}

/* Writes touches [from, to) and the control records placed in that stretch (at its end too when it is the last). */
static inline enum pl_err flat_write_part(const struct flat *flat, struct pl_trace_writer *writer, size_t from, size_t to,
                                          struct pl_error *err)
{
    struct pl_control *controls = calloc(flat->control_count + 1, sizeof *controls);
    size_t count = 0, upto = 0;
    for (size_t i = 0; i < flat->control_count; i++) {
        bool last = to == flat->count && flat->place[i] == to;
        if (flat->place[i] < to || last)
            upto = i + 1;
        if ((flat->place[i] >= from && flat->place[i] < to) || last) {
            controls[count] = flat->control[i];
            controls[count++].at = (uint32_t)(flat->place[i] - from);
        }
    }
    struct pl_batch batch = {
        .count = to - from,
        .page = flat->page + from,
        .kind = flat->kind + from,
        .time = flat->has_times ? flat->time + from : NULL,
        .size = flat->has_sizes ? flat->size + from : NULL,
        .control = controls,
        .control_count = count,
        .distinct = distinct_before(flat, to, upto),
    };
    enum pl_err rc = pl_trace_write(writer, &batch, help_origin, NULL, err);
    free(controls);
    return rc;
}

/* Writes the trace in batches of `step` touches. */
static inline void flat_write(const struct flat *flat, const char *path, bool pack, size_t step)
{
    struct pl_error err = {PL_OK, ""};
    struct pl_trace_header header = {4096, PL_RECORDS_ACCESSES, flat->has_times ? PL_CLOCK_PICOSECONDS : PL_CLOCK_NONE,
                                     "a test", 7};
    struct pl_trace_writer *writer;
    if (pl_trace_writer_open(path, "native", pack, &header, &writer, &err))
        fail_msg("%s", err.message);
    size_t from = 0;
    do {
        size_t to = flat->count - from < step ? flat->count : from + step;
        if (flat_write_part(flat, writer, from, to, &err))
            fail_msg("%s", err.message);
        from = to;
    } while (from < flat->count);
    if (pl_trace_writer_close(writer, &err))
        fail_msg("%s", err.message);
}

/* Reads everything; returns what the last call said. */
static inline enum pl_err flat_read(struct flat *flat, const char *path, const struct pl_trace_options *options,
                                    struct pl_trace_info *info, struct pl_error *err)
{
    struct pl_trace *trace;
    struct pl_batch batch;
    memset(flat, 0, sizeof *flat);
    memset(info, 0, sizeof *info);
    enum pl_err rc = pl_trace_open(path, options, &trace, err);
    if (rc)
        return rc;
    while ((rc = pl_trace_next(trace, &batch, err)) == PL_OK)
        flat_append(flat, &batch);
    *info = *pl_trace_info(trace);
    for (uint64_t page = 0; rc == PL_END && options && options->need_dictionary && page < flat->distinct; page += 37) {
        struct pl_page_origin is = pl_trace_page_origin(trace, (pl_page)page), want = help_origin(NULL, (pl_page)page);
        if (is.process != PL_NATIVE_LOST_PROCESS && (is.process != want.process || is.number != want.number))
            fail_msg("page %u comes from %llu/%llu", (unsigned)page, (unsigned long long)is.process,
                     (unsigned long long)is.number);
    }
    pl_trace_close(trace);
    return rc;
}

static inline void flat_same(const struct flat *a, const struct flat *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->distinct, b->distinct);
    if (a->count) {
        assert_memory_equal(a->page, b->page, a->count * sizeof *a->page);
        assert_memory_equal(a->kind, b->kind, a->count);
        if (a->has_times)
            assert_memory_equal(a->time, b->time, a->count * sizeof *a->time);
        if (a->has_sizes)
            assert_memory_equal(a->size, b->size, a->count * sizeof *a->size);
    }
    assert_int_equal(a->control_count, b->control_count);
    for (size_t i = 0; i < a->control_count; i++) {
        const struct pl_control *x = &a->control[i], *y = &b->control[i];
        assert_int_equal(a->place[i], b->place[i]);
        if (x->op != y->op || x->kind != y->kind || x->flags != y->flags || x->actor != y->actor ||
            x->time != y->time || x->a != y->a || x->b != y->b || x->c != y->c || !x->text != !y->text)
            fail_msg("control record %zu differs", i);
        if (x->text)
            assert_string_equal(x->text, y->text);
    }
}

/* A file name in the present folder that no other test uses. */
static inline const char *help_path(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "native-%ld-%s.trace", (long)getpid(), name);
    return path;
}

static inline uint8_t *help_slurp(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *length = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*length + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *length, file), *length);
    fclose(file);
    return bytes;
}

static inline void help_spill(const char *path, const uint8_t *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* --- random traces --------------------------------------------------------------- */
enum shape { SHAPE_RANDOM, SHAPE_LOOPS, SHAPE_SEQUENTIAL, SHAPE_LOCAL, SHAPES };

static inline uint64_t shape_next(enum shape shape, struct pl_random *random, const struct flat *flat, uint64_t limit)
{
    const uint64_t distinct = flat->distinct;
    const bool may_grow = distinct < limit;
    uint64_t page;
    switch (shape) {
    case SHAPE_LOOPS: /* mostly what stood some touches ago */
        if (flat->count > 40 && pl_random_below(random, 50))
            return flat->page[flat->count - 1 - flat->count / 512 % 37];
        page = pl_random_below(random, distinct + 1);
        break;
    case SHAPE_SEQUENTIAL:
        page = flat->count ? (uint64_t)flat->page[flat->count - 1] + 1 : 0;
        break;
    case SHAPE_LOCAL:
        page = distinct - (distinct ? pl_random_below(random, distinct < 9 ? distinct : 9) : 0);
        break;
    default:
        page = pl_random_below(random, distinct + 1 + distinct / 4);
    }
    if (page >= distinct)
        return may_grow ? distinct : pl_random_below(random, limit);
    return page;
}

/* In two statements: the compiler may choose the order of operands. */
static inline uint64_t any_size(struct pl_random *random)
{
    uint64_t bits = pl_random_next(random);
    return bits >> pl_random_below(random, 64);
}

/* Of the first `ops` kinds: files that are kept as they were written know fewer. */
static inline void random_control(struct flat *flat, struct pl_random *random, unsigned ops)
{
    struct pl_control control = {0};
    static const char *const texts[] = {NULL, "", "warm up", "a longer name with \xc3\xa4 and \xff"};
    control.op = (uint16_t)(1 + pl_random_below(random, ops));
    control.text = texts[pl_random_below(random, 4)];
    control.flags = (uint8_t)pl_random_below(random, 5);
    control.time = flat->has_times ? (int64_t)pl_random_below(random, 1u << 30) - 5000 : 0;
    control.a = any_size(random);
    control.b = any_size(random);
    control.c = any_size(random);
    if (control.op == PL_OP_SWITCH)
        control.actor = (uint32_t)pl_random_below(random, 6);
    if (control.op == PL_OP_RANGE) {
        control.kind = (uint8_t)pl_random_below(random, 3);
        control.c = 1;
    }
    if (control.op == PL_OP_RANGE || control.op == PL_OP_ALLOCATE) {
        control.a = pl_random_below(random, flat->distinct + 1);
        control.b = pl_random_below(random, 40);
        if (control.a + control.b > flat->distinct)
            flat->distinct = control.a + control.b;
    } else if (control.op == PL_OP_FREE || control.op == PL_OP_CONTENT || control.op == PL_OP_PREFETCH ||
               control.op == PL_OP_LOCK) {
        control.a = pl_random_below(random, flat->distinct + 1);
        control.b = pl_random_below(random, flat->distinct + 1 - control.a);
    }
    flat_control(flat, control, flat->count);
}

struct recipe {
    uint64_t seed;
    size_t count;
    enum shape shape;
    bool times, sizes, one_kind;
    unsigned control_every; /* 0: none */
    unsigned ops;           /* kinds of control records; 0: those of the first version */
    uint64_t pages;
};

static inline struct flat random_trace(const struct recipe *recipe)
{
    struct flat flat = {.has_times = recipe->times, .has_sizes = recipe->sizes};
    struct pl_random random = pl_random_seeded(recipe->seed);
    int64_t time = -1000;
    const uint64_t tick = recipe->seed % 3 ? 1000000 : 1;
    for (size_t i = 0; i < recipe->count; i++) {
        if (recipe->control_every && pl_random_below(&random, recipe->control_every) == 0)
            random_control(&flat, &random, recipe->ops ? recipe->ops : PL_OP_PREFETCH);
        time += (int64_t)((pl_random_below(&random, 1000) - (i % 100 == 7 ? 500 : 0)) * tick);
        if (recipe->seed % 5 == 4 && i % 1000 == 999)
            time = (int64_t)(pl_random_next(&random) >> 1); /* steps that do not fit 32 bits */
        uint64_t page = shape_next(recipe->shape, &random, &flat, recipe->pages);
        unsigned kinds = recipe->seed % 2 ? 3 : 2;
        uint8_t kind = recipe->one_kind ? (uint8_t)(recipe->seed % 3)
                       : recipe->shape == SHAPE_SEQUENTIAL ? (uint8_t)(i / 3000 % 3)
                                                           : (uint8_t)pl_random_below(&random, kinds);
        flat_add(&flat, (pl_page)page, kind, recipe->times ? time : 0,
                 recipe->sizes ? (uint32_t)(512 * (1 + pl_random_below(&random, 16))) : 0);
    }
    if (recipe->control_every)
        random_control(&flat, &random, recipe->ops ? recipe->ops : PL_OP_PREFETCH);
    return flat;
}

#endif
