/* capture/workload.c: one process's part of the measured workload.
 *
 * What is timed is only what touches the memory: contents that must be made (text, pseudo-random ints, files) are made
 * outside the clock, a few pages at a time, and then stored int by int. Every store is one 32-bit int and is not
 * vectorised, as in the program this reproduces, so that a page costs 1024 stores whatever it is filled with. */
#include "capture/workload.h"

#include <stdlib.h>
#include <string.h>

const char *const pl_workload_phase_names[] = {
    [PL_PHASE_ALLOCATE] = "allocate",
    [PL_PHASE_FIRST_TOUCH] = "first page touch",
    [PL_PHASE_SECOND_TOUCH] = "second page touch",
    [PL_PHASE_ALL_BYTES] = "all bytes touch",
    [PL_PHASE_TRIM] = "trim and wait",
    [PL_PHASE_SLEEP] = "wait",
    [PL_PHASE_AFTER_EMPTY] = "after empty",
    [PL_PHASE_SECOND_ALL_BYTES] = "second after empty",
    [PL_PHASES] = NULL,
};
const char *const pl_workload_order_names[] = {"forward", "backward", "random", NULL};

enum {
    CHUNK = 32, /* pages made at once: they stay in the second-level cache */
    THREADS_MAX = 256,
};

/* One page's turn. */
struct turn {
    uint32_t page;
    uint32_t first; /* what its first int holds */
};

struct pl_workload {
    struct pl_workload_options options;
    struct pl_os_memory memory;
    uint32_t page_size;
    uint64_t pages;
    struct turn *turns; /* by thread: contiguous shares */
    uint8_t *made;      /* by thread: CHUNK pages of content */
    uint8_t *file;      /* PL_FILL_FILE: whole pages */
    uint64_t file_pages;
};

/* --- contents --------------------------------------------------------------------------- */
enum pl_err pl_workload_fill_find(const char *text, struct pl_workload_options *options, struct pl_error *err)
{
    if (!strncmp(text, "file:", 5) && text[5]) {
        options->fill = PL_FILL_FILE;
        options->fill_path = text + 5;
        return PL_OK;
    }
    if (!strcmp(text, "mixed")) {
        options->fill = PL_FILL_MIXED;
        return PL_OK;
    }
    enum pl_content_kind kind;
    enum pl_err rc = pl_content_find(text, &kind, err);
    if (rc)
        return pl_fail(err, PL_ERR_USAGE,
                       "--fill: '%s' is none of index, zeros, rand, text, hash, same, mixed, file:PATH", text);
    options->fill = (int)kind;
    return PL_OK;
}

/* Makes one page as the fill says. */
static void make_page(const struct pl_workload *workload, uint64_t page, uint8_t *out)
{
    static const enum pl_content_kind mixture[] = {PL_CONTENT_INDEX, PL_CONTENT_ZEROS, PL_CONTENT_TEXT,
                                                   PL_CONTENT_RAND};
    struct pl_content content = {PL_CONTENT_ZEROS, workload->options.seed};
    if (workload->options.fill == PL_FILL_FILE) {
        memcpy(out, workload->file + page % workload->file_pages * workload->page_size, workload->page_size);
        return;
    }
    if (workload->options.fill == PL_FILL_MIXED)
        content.kind = mixture[page % PL_COUNT_OF(mixture)];
    else
        content.kind = (enum pl_content_kind)workload->options.fill;
    if (content.kind == PL_CONTENT_INDEX) /* the value is the index, as in CppEater */
        content.seed = 0;
    pl_content_page(&content, page, out, workload->page_size);
}

static enum pl_err read_file(struct pl_workload *workload, struct pl_error *err)
{
    const char *path = workload->options.fill_path;
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return pl_fail(err, PL_ERR_INPUT, "--fill: %s cannot be read", path);
    uint64_t room = workload->options.size;
    workload->file = calloc(1, room);
    size_t got = workload->file ? fread(workload->file, 1, room, stream) : 0;
    fclose(stream);
    if (!workload->file)
        return pl_fail_memory(err, room, "the file that fills pages");
    if (got == 0)
        return pl_fail(err, PL_ERR_INPUT, "--fill: %s is empty or cannot be read", path);
    workload->file_pages = (got + workload->page_size - 1) / workload->page_size;
    return PL_OK;
}

/* Touched now, so that no fault of theirs is counted later. */
static enum pl_err make_buffers(struct pl_workload *workload, struct pl_error *err)
{
    size_t bytes = (size_t)workload->options.threads * CHUNK * workload->page_size;
    workload->made = malloc(bytes);
    if (!workload->made)
        return pl_fail_memory(err, bytes, "pages of content");
    memset(workload->made, 1, bytes);
    return PL_OK;
}

/* --- the order of pages --------------------------------------------------------------------- */
static void share_of(const struct pl_workload *workload, unsigned thread, uint64_t *first, uint64_t *end)
{
    *first = workload->pages * thread / workload->options.threads;
    *end = workload->pages * (thread + 1) / workload->options.threads;
}

static void order_share(struct turn *turns, uint64_t first, uint64_t end, const struct pl_workload_options *options,
                        unsigned thread)
{
    for (uint64_t i = first; i < end; i++)
        turns[i].page = (uint32_t)(options->order == PL_ORDER_BACKWARD ? end - 1 - (i - first) : i);
    if (options->order != PL_ORDER_RANDOM)
        return;
    struct pl_random random = pl_random_seeded(pl_mix64(options->seed) + thread);
    for (uint64_t i = end - first; i > 1; i--) { /* Fisher and Yates */
        uint64_t other = first + pl_random_below(&random, i);
        uint32_t page = turns[other].page;
        turns[other].page = turns[first + i - 1].page;
        turns[first + i - 1].page = page;
    }
}

static enum pl_err make_turns(struct pl_workload *workload, struct pl_error *err)
{
    const size_t bytes = workload->pages * sizeof *workload->turns;
    workload->turns = malloc(bytes);
    uint8_t *page = malloc(workload->page_size);
    if (!workload->turns || !page) {
        free(page);
        return pl_fail_memory(err, bytes, "the order of pages");
    }
    for (unsigned thread = 0; thread < workload->options.threads; thread++) {
        uint64_t first, end;
        share_of(workload, thread, &first, &end);
        order_share(workload->turns, first, end, &workload->options, thread);
    }
    for (uint64_t i = 0; i < workload->pages; i++) {
        make_page(workload, workload->turns[i].page, page);
        memcpy(&workload->turns[i].first, page, sizeof workload->turns[i].first);
    }
    free(page);
    return PL_OK;
}

/* --- creating ----------------------------------------------------------------------------------- */
enum pl_err pl_workload_create(const struct pl_workload_options *options, struct pl_workload **out,
                               struct pl_error *err)
{
    struct pl_workload *workload = calloc(1, sizeof *workload);
    if (!workload)
        return pl_fail_memory(err, sizeof *workload, "the workload");
    workload->options = *options;
    workload->page_size = pl_os_page_size();
    workload->pages = options->size / workload->page_size;
    enum pl_err rc = PL_OK;
    if (workload->pages == 0 || workload->pages > UINT32_MAX || options->size % workload->page_size)
        rc = pl_fail(err, PL_ERR_USAGE, "--size must be whole pages of %u bytes, at least one", workload->page_size);
    else if (options->threads == 0 || options->threads > THREADS_MAX || options->threads > workload->pages)
        rc = pl_fail(err, PL_ERR_USAGE, "--threads must be 1 to %d, and at most one a page", THREADS_MAX);
    if (rc == PL_OK && options->fill == PL_FILL_FILE)
        rc = read_file(workload, err);
    if (rc == PL_OK)
        rc = make_buffers(workload, err);
    if (rc == PL_OK)
        rc = make_turns(workload, err);
    if (rc) {
        pl_workload_destroy(workload);
        return rc;
    }
    *out = workload;
    return PL_OK;
}

void pl_workload_destroy(struct pl_workload *workload)
{
    if (!workload)
        return;
    pl_os_memory_release(&workload->memory);
    free(workload->turns);
    free(workload->made);
    free(workload->file);
    free(workload);
}

/* --- touching ------------------------------------------------------------------------------------- */
/* One phase, as the threads see it. */
struct pass {
    struct pl_workload *workload;
    enum pl_workload_phase phase;
    pl_time_ps busy[THREADS_MAX]; /* by thread: time in the stores alone */
};

static volatile uint32_t *int_of(const struct pl_workload *workload, uint32_t page)
{
    return (volatile uint32_t *)(void *)(workload->memory.bytes + (uint64_t)page * workload->page_size);
}

static void write_first_ints(const struct pl_workload *workload, uint64_t first, uint64_t end)
{
    for (uint64_t i = first; i < end; i++)
        *int_of(workload, workload->turns[i].page) = workload->turns[i].first;
}

static void read_first_ints(const struct pl_workload *workload, uint64_t first, uint64_t end)
{
    for (uint64_t i = first; i < end; i++)
        (void)*int_of(workload, workload->turns[i].page);
}

static void store_page(volatile uint32_t *to, const uint32_t *from, uint32_t ints)
{
    for (uint32_t i = 0; i < ints; i++)
        to[i] = from[i];
}

static void store_index(volatile uint32_t *to, uint32_t first, uint32_t ints)
{
    for (uint32_t i = 0; i < ints; i++)
        to[i] = first + i;
}

/* Returns the time that the stores took. */
static pl_time_ps write_all_ints(const struct pl_workload *workload, uint8_t *made, uint64_t first, uint64_t end)
{
    const uint32_t page_size = workload->page_size, ints = page_size / 4;
    pl_time_ps busy = 0, start = pl_os_now();
    if (workload->options.fill == PL_CONTENT_INDEX) {
        for (uint64_t i = first; i < end; i++)
            store_index(int_of(workload, workload->turns[i].page), workload->turns[i].page * ints, ints);
        return pl_os_now() - start;
    }
    for (uint64_t i = first; i < end; i += CHUNK) {
        uint64_t count = end - i < CHUNK ? end - i : CHUNK;
        for (uint64_t j = 0; j < count; j++)
            make_page(workload, workload->turns[i + j].page, made + j * page_size);
        start = pl_os_now();
        for (uint64_t j = 0; j < count; j++)
            store_page(int_of(workload, workload->turns[i + j].page), (const uint32_t *)(void *)(made + j * page_size),
                       ints);
        busy += pl_os_now() - start;
    }
    return busy;
}

static void pass_in_thread(void *user, unsigned thread)
{
    struct pass *pass = user;
    const struct pl_workload *workload = pass->workload;
    uint64_t first, end;
    share_of(workload, thread, &first, &end);
    pl_time_ps start = pl_os_now();
    if (pass->phase == PL_PHASE_ALL_BYTES || pass->phase == PL_PHASE_SECOND_ALL_BYTES) {
        pass->busy[thread] = write_all_ints(
            workload, workload->made + (size_t)thread * CHUNK * workload->page_size, first, end);
        return;
    }
    if (pass->phase == PL_PHASE_AFTER_EMPTY && workload->options.read_after_trim)
        read_first_ints(workload, first, end);
    else
        write_first_ints(workload, first, end);
    pass->busy[thread] = pl_os_now() - start;
}

/* The phase takes as long as its slowest thread. */
static enum pl_err touch(struct pl_workload *workload, enum pl_workload_phase phase, pl_time_ps *time,
                         struct pl_error *err)
{
    struct pass pass = {.workload = workload, .phase = phase};
    if (!workload->memory.bytes)
        return pl_fail(err, PL_ERR_USAGE, "nothing is allocated yet");
    enum pl_err rc = pl_os_parallel(workload->options.threads, pass_in_thread, &pass, err);
    *time = 0;
    for (unsigned i = 0; i < workload->options.threads; i++)
        *time = pass.busy[i] > *time ? pass.busy[i] : *time;
    return rc;
}

static enum pl_err timed(struct pl_workload *workload, enum pl_workload_phase phase, pl_time_ps *time,
                         struct pl_error *err)
{
    const struct pl_workload_options *options = &workload->options;
    pl_time_ps start = pl_os_now();
    enum pl_err rc;
    switch (phase) {
    case PL_PHASE_ALLOCATE:
        pl_os_memory_release(&workload->memory);
        rc = pl_os_memory_get(options->memory, options->size, options->memory_path, &workload->memory, err);
        break;
    case PL_PHASE_TRIM:
        rc = pl_os_trim(options->trim, &workload->memory, err);
        break;
    case PL_PHASE_SLEEP:
    case PL_PHASES:
        rc = PL_OK;
        break;
    default:
        return touch(workload, phase, time, err);
    }
    *time = pl_os_now() - start;
    return rc;
}

enum pl_err pl_workload_run(struct pl_workload *workload, enum pl_workload_phase phase, struct pl_workload_sample *out,
                            struct pl_error *err)
{
    struct pl_workload_sample sample;
    pl_time_ps time = 0;
    pl_os_counters(&sample.before);
    enum pl_err rc = timed(workload, phase, &time, err);
    pl_os_counters(&sample.after);
    sample.time_ms = (double)time / (double)PL_PS_PER_MS;
    if (rc == PL_OK)
        *out = sample;
    return rc;
}

enum pl_err pl_workload_forget(struct pl_workload *workload, struct pl_error *err)
{
    return workload->memory.bytes ? pl_os_memory_forget(&workload->memory, err) : PL_OK;
}

uint64_t pl_workload_resident(const struct pl_workload *workload)
{
    return workload->memory.bytes ? pl_os_memory_resident(&workload->memory) : 0;
}

bool pl_workload_holds(const struct pl_workload *workload)
{
    uint8_t *page = malloc(workload->page_size);
    bool holds = page && workload->memory.bytes;
    for (uint64_t i = 0; holds && i < workload->pages; i++) {
        make_page(workload, i, page);
        holds = !memcmp(page, workload->memory.bytes + i * workload->page_size, workload->page_size);
    }
    free(page);
    return holds;
}
