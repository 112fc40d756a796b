/* trace/generate.c: synthetic traces, batch by batch.
 *
 * A batch is made in three sweeps: items are drawn (generate_zipf.c, generate_stack.c and a few lines here), kinds are
 * drawn, items become dense pages. The last sweep looks up a table of 4 bytes an item that can be far larger than
 * the caches, so it asks for entries ahead of their use.
 *
 * Every (process, part) pair has random streams of its own, named after it, so that adding a part or a process leaves the
 * draws of the others as they were. */
#include "trace/generate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const pl_pattern_names[] = {"zipf", "uniform", "sequential", "loop", "exponential", NULL};

/* A part as one process runs it. */
struct stream {
    const struct pl_generate_part *part;
    struct pl_random random, kinds;
    uint64_t base;       /* number of its item 0 among all items */
    uint64_t position;   /* sequential and loop: touches so far */
    uint64_t expected;   /* sequential: touches that it will make */
    struct pl_stack *stack;
    uint32_t write_below; /* of 32 random bits; see also always_writes */
    bool always_writes;
};

enum { CONTROLS_MAX = 4096 };

struct pl_generator {
    struct pl_generate_params params;
    struct pl_generate_part *parts;
    struct pl_zipf **zipf;      /* by part; NULL for other patterns */
    double *part_end;           /* by part: upper bound of its share, cumulative, the last is 1 */
    struct stream *streams;     /* process by process, part by part */
    size_t stream_count;
    struct pl_random choices;   /* which part a mixed touch takes */
    uint64_t items;
    uint32_t *dense;            /* by item: dense page + 1 */
    uint64_t done;
    uint32_t process;
    uint64_t turn_left;
    size_t phase;
    bool started;
    uint32_t distinct;

    uint32_t item[PL_BATCH_MAX], fresh[PL_BATCH_MAX]; /* drawn; those of new pages */
    uint32_t fresh_first;                             /* dense page of fresh[0] */
    uint32_t *origin;                                 /* items of all pages, or NULL */
    pl_page page[PL_BATCH_MAX];
    uint8_t kind[PL_BATCH_MAX];
    bool any_writes;
    struct pl_control control[CONTROLS_MAX];
    size_t control_count;
};

/* --- drawing ----------------------------------------------------------------------- */
/* Geometric, cut at `pages`: P(depth >= m) falls as e^(-m / mean). */
static uint64_t draw_depth(struct stream *stream)
{
    const double pages = (double)stream->part->pages, mean = stream->part->mean;
    const double cut = -expm1(-pages / mean);
    const double depth = -mean * log1p(-pl_random_unit(&stream->random) * cut);
    return depth < pages - 1 ? (uint64_t)depth : stream->part->pages - 1;
}

/* The item of touch number `position`, when `expected` touches are to cover the items evenly. */
static uint64_t spread(uint64_t position, uint64_t expected, uint64_t pages)
{
    if (expected <= pages)
        return position % pages;
    const uint64_t each = expected / pages, longer = expected % pages; /* the first `longer` items get one touch more */
    const uint64_t in_longer = longer * (each + 1);
    if (position < in_longer)
        return position / (each + 1);
    const uint64_t item = longer + (position - in_longer) / each;
    return item < pages ? item : pages - 1;
}

static void draw(const struct pl_generator *generator, struct stream *stream, uint32_t *items, size_t count)
{
    const struct pl_generate_part *part = stream->part;
    const uint32_t base = (uint32_t)stream->base;
    switch (part->pattern) {
    case PL_PATTERN_ZIPF: {
        const struct pl_zipf *zipf = generator->zipf[part - generator->parts];
        for (size_t i = 0; i < count; i++)
            items[i] = base + (uint32_t)pl_zipf_draw(zipf, &stream->random);
        return;
    }
    case PL_PATTERN_UNIFORM:
        for (size_t i = 0; i < count; i++)
            items[i] = base + (uint32_t)pl_random_below(&stream->random, part->pages);
        return;
    case PL_PATTERN_SEQUENTIAL:
        for (size_t i = 0; i < count; i++)
            items[i] = base + (uint32_t)spread(stream->position++, stream->expected, part->pages);
        return;
    case PL_PATTERN_LOOP:
        for (size_t i = 0; i < count; i++) {
            items[i] = base + (uint32_t)stream->position;
            stream->position = stream->position + 1 < part->pages ? stream->position + 1 : 0;
        }
        return;
    case PL_PATTERN_EXPONENTIAL:
        for (size_t i = 0; i < count; i++)
            items[i] = base + pl_stack_lift(stream->stack, draw_depth(stream));
        return;
    }
}

static void draw_kinds(struct stream *stream, uint8_t *kinds, size_t count)
{
    if (stream->always_writes || stream->write_below == 0) {
        memset(kinds, stream->always_writes ? PL_WRITE : PL_READ, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        kinds[i] = pl_random_next(&stream->kinds) >> 32 < stream->write_below ? PL_WRITE : PL_READ;
}

/* Which part the next mixed touch takes. */
static size_t choose_part(struct pl_generator *generator)
{
    const double point = pl_random_unit(&generator->choices);
    size_t part = 0;
    while (part + 1 < generator->params.part_count && point >= generator->part_end[part])
        part++;
    return part;
}

static void fill(struct pl_generator *generator, size_t at, size_t count)
{
    struct stream *streams = generator->streams + (size_t)generator->process * generator->params.part_count;
    if (generator->params.part_count == 1 || generator->params.phases) {
        struct stream *stream = &streams[generator->phase];
        draw(generator, stream, generator->item + at, count);
        draw_kinds(stream, generator->kind + at, count);
        return;
    }
    for (size_t i = at; i < at + count; i++) {
        struct stream *stream = &streams[choose_part(generator)];
        draw(generator, stream, generator->item + i, 1);
        draw_kinds(stream, generator->kind + i, 1);
    }
}

/* --- turns and phases ------------------------------------------------------------------ */
static void add_control(struct pl_generator *generator, size_t at, enum pl_op op, uint64_t a, const char *text)
{
    generator->control[generator->control_count++] = (struct pl_control){
        .at = (uint32_t)at,
        .op = (uint16_t)op,
        .actor = op == PL_OP_SWITCH ? generator->process : 0,
        .a = a,
        .text = text,
    };
}

/* Touches that all phases up to and with this one make. */
static uint64_t phase_end(const struct pl_generator *generator, size_t phase)
{
    const uint64_t count = generator->params.count;
    if (phase + 1 >= generator->params.part_count)
        return count;
    const double end = floor((double)count * generator->part_end[phase]);
    return end < (double)count ? (uint64_t)end : count;
}

/* Begins the next turn or phase where one is due before touch `at` of the batch. */
static void begin_what_is_due(struct pl_generator *generator, size_t at)
{
    const struct pl_generate_params *params = &generator->params;
    const bool first = !generator->started;
    generator->started = true;
    if (params->processes > 1 && (first || generator->turn_left == 0)) {
        if (!first)
            generator->process = (generator->process + 1) % params->processes;
        generator->turn_left = params->turn;
        add_control(generator, at, PL_OP_SWITCH, generator->process + 1, NULL);
    }
    if (!params->phases)
        return;
    const size_t before = generator->phase;
    while (generator->done >= phase_end(generator, generator->phase) && generator->phase + 1 < params->part_count)
        generator->phase++;
    if (first || generator->phase != before)
        add_control(generator, at, PL_OP_PHASE, 0, pl_pattern_names[generator->parts[generator->phase].pattern]);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Draws items and kinds for a batch; returns how many. */
static size_t draw_batch(struct pl_generator *generator)
{
    const struct pl_generate_params *params = &generator->params;
    size_t filled = 0;
    generator->control_count = 0;
    while (filled < PL_BATCH_MAX && generator->done < params->count && generator->control_count + 2 <= CONTROLS_MAX) {
        begin_what_is_due(generator, filled);
        uint64_t run = smaller(PL_BATCH_MAX - filled, params->count - generator->done);
        if (params->processes > 1)
            run = smaller(run, generator->turn_left);
        if (params->phases)
            run = smaller(run, phase_end(generator, generator->phase) - generator->done);
        fill(generator, filled, (size_t)run);
        generator->turn_left -= params->processes > 1 ? run : 0;
        generator->done += run;
        filled += (size_t)run;
    }
    return filled;
}

/* --- items to pages --------------------------------------------------------------------- */
static void make_dense(struct pl_generator *generator, size_t count)
{
    enum { AHEAD = 24 };
    uint32_t *const dense = generator->dense;
    generator->fresh_first = generator->distinct;
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(&dense[generator->item[i + AHEAD]], 1);
        uint32_t *entry = &dense[generator->item[i]];
        if (!*entry) {
            generator->fresh[generator->distinct - generator->fresh_first] = generator->item[i];
            if (generator->origin)
                generator->origin[generator->distinct] = generator->item[i];
            *entry = ++generator->distinct;
        }
        generator->page[i] = *entry - 1;
    }
}

enum pl_err pl_generator_next(struct pl_generator *generator, struct pl_batch *out, struct pl_error *err)
{
    if (generator->done >= generator->params.count)
        return PL_END;
    const size_t count = draw_batch(generator);
    make_dense(generator, count);
    *out = (struct pl_batch){
        .count = count,
        .page = generator->page,
        .kind = generator->any_writes ? generator->kind : NULL,
        .control_count = generator->control_count,
        .control = generator->control,
        .distinct = generator->distinct,
    };
    return PL_OK;
}

struct pl_page_origin pl_generator_origin(void *user, pl_page page)
{
    const struct pl_generator *generator = user;
    const uint64_t each = generator->items / generator->params.processes;
    const uint32_t item = generator->origin ? generator->origin[page] : generator->fresh[page - generator->fresh_first];
    if (generator->params.processes == 1)
        return (struct pl_page_origin){0, item};
    return (struct pl_page_origin){item / each + 1, item % each};
}

/* --- making one --------------------------------------------------------------------------- */
static enum pl_err check_part(const struct pl_generate_part *part, struct pl_error *err)
{
    if (part->pages == 0)
        return pl_fail(err, PL_ERR_USAGE, "a pattern needs at least one page");
    if (!(part->weight > 0 && part->weight < 1e300))
        return pl_fail(err, PL_ERR_USAGE, "a weight must be a number above 0");
    if (!(part->writes >= 0 && part->writes <= 1))
        return pl_fail(err, PL_ERR_USAGE, "the fraction of writes must lie between 0 and 1");
    if (part->pattern == PL_PATTERN_EXPONENTIAL && !(part->mean > 0 && part->mean < 1e300))
        return pl_fail(err, PL_ERR_USAGE, "the mean stack distance must be above 0");
    return PL_OK;
}

static enum pl_err check_params(const struct pl_generate_params *params, uint64_t *items, struct pl_error *err)
{
    uint64_t pages = 0;
    if (params->part_count == 0 || params->processes == 0 || params->turn == 0)
        return pl_fail(err, PL_ERR_USAGE, "there must be at least one pattern, one process and one touch in a turn");
    for (size_t i = 0; i < params->part_count; i++) {
        enum pl_err rc = check_part(&params->parts[i], err);
        if (rc)
            return rc;
        if (params->parts[i].pages > UINT32_MAX - pages)
            pages = UINT64_MAX / 2;
        else
            pages += params->parts[i].pages;
    }
    if (pages > UINT32_MAX / params->processes || pages * params->processes >= PL_NO_PAGE)
        return pl_fail(err, PL_ERR_USAGE, "all parts of all processes together have more than 2^32 - 2 pages");
    *items = pages * params->processes;
    return PL_OK;
}

static void set_writes(struct stream *stream)
{
    const double below = floor(stream->part->writes * 0x1p32 + 0.5);
    stream->always_writes = below >= 0x1p32;
    stream->write_below = stream->always_writes ? 0 : (uint32_t)below;
}

static enum pl_err start_stream(struct pl_generator *generator, uint32_t process, size_t part, uint64_t base,
                                struct pl_error *err)
{
    const struct pl_generate_params *params = &generator->params;
    struct stream *stream = &generator->streams[(size_t)process * params->part_count + part];
    char name[64];
    stream->part = &generator->parts[part];
    stream->base = base;
    snprintf(name, sizeof name, "trace/%u/%zu/items", (unsigned)process, part);
    stream->random = pl_random_named(params->seed, name);
    snprintf(name, sizeof name, "trace/%u/%zu/kinds", (unsigned)process, part);
    stream->kinds = pl_random_named(params->seed, name);
    const double share = generator->part_end[part] - (part ? generator->part_end[part - 1] : 0);
    stream->expected = (uint64_t)ceil((double)params->count * share / params->processes);
    if (params->part_count == 1 && params->processes == 1)
        stream->expected = params->count;
    set_writes(stream);
    generator->any_writes |= stream->part->writes > 0;
    return stream->part->pattern == PL_PATTERN_EXPONENTIAL ? pl_stack_create(stream->part->pages, &stream->stack, err)
                                                           : PL_OK;
}

static enum pl_err start_streams(struct pl_generator *generator, struct pl_error *err)
{
    const struct pl_generate_params *params = &generator->params;
    uint64_t base = 0;
    for (uint32_t process = 0; process < params->processes; process++)
        for (size_t part = 0; part < params->part_count; part++) {
            enum pl_err rc = start_stream(generator, process, part, base, err);
            if (rc)
                return rc;
            base += generator->parts[part].pages;
        }
    return PL_OK;
}

/* Shares of the parts, and the distributions that all processes draw from. */
static enum pl_err prepare_parts(struct pl_generator *generator, struct pl_error *err)
{
    double total = 0, sum = 0;
    for (size_t i = 0; i < generator->params.part_count; i++)
        total += generator->parts[i].weight;
    for (size_t i = 0; i < generator->params.part_count; i++) {
        const struct pl_generate_part *part = &generator->parts[i];
        sum += part->weight;
        generator->part_end[i] = sum / total;
        if (part->pattern != PL_PATTERN_ZIPF)
            continue;
        enum pl_err rc = pl_zipf_create(part->pages, part->alpha, &generator->zipf[i], err);
        if (rc)
            return rc;
    }
    return PL_OK;
}

enum pl_err pl_generator_create(const struct pl_generate_params *params, struct pl_generator **out, struct pl_error *err)
{
    uint64_t items = 0;
    enum pl_err rc = check_params(params, &items, err);
    if (rc)
        return rc;
    struct pl_generator *generator = calloc(1, sizeof *generator);
    if (!generator)
        return pl_fail_memory(err, sizeof *generator, "a generator");
    const size_t parts = params->part_count;
    generator->params = *params;
    generator->items = items;
    generator->stream_count = parts * params->processes;
    generator->choices = pl_random_named(params->seed, "trace/choices");
    generator->parts = calloc(parts, sizeof *generator->parts);
    generator->zipf = calloc(parts, sizeof(struct pl_zipf *));
    generator->part_end = calloc(parts, sizeof *generator->part_end);
    generator->streams = calloc(generator->stream_count, sizeof *generator->streams);
    generator->dense = pl_table_alloc((size_t)items * sizeof *generator->dense);
    if (params->keep_origins)
        generator->origin = pl_table_alloc((size_t)items * sizeof *generator->origin);
    if (!generator->parts || !generator->zipf || !generator->part_end || !generator->streams || !generator->dense ||
        (params->keep_origins && !generator->origin)) {
        rc = pl_fail_memory(err, (size_t)items * sizeof *generator->dense, "a generator's pages");
    } else {
        memcpy(generator->parts, params->parts, parts * sizeof *generator->parts);
        generator->params.parts = generator->parts;
        rc = prepare_parts(generator, err);
    }
    if (rc == PL_OK)
        rc = start_streams(generator, err);
    if (rc) {
        pl_generator_free(generator);
        return rc;
    }
    *out = generator;
    return PL_OK;
}

void pl_generator_free(struct pl_generator *generator)
{
    if (!generator)
        return;
    for (size_t i = 0; generator->streams && i < generator->stream_count; i++)
        pl_stack_free(generator->streams[i].stack);
    for (size_t i = 0; generator->zipf && i < generator->params.part_count; i++)
        pl_zipf_free(generator->zipf[i]);
    pl_table_free(generator->origin, (size_t)generator->items * sizeof *generator->origin);
    pl_table_free(generator->dense, (size_t)generator->items * sizeof *generator->dense);
    free(generator->streams);
    free(generator->part_end);
    free(generator->zipf);
    free(generator->parts);
    free(generator);
}
