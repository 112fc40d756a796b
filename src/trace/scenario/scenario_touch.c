/* trace/scenario/scenario_touch.c: touches of a region.
 *
 * In order, forward or backward, a pass is one range record whatever its size. In random order pages come one by one, as
 * many as a batch has room for. */
#include "trace/scenario/scenario.h"

#include "codec/content_file.h"
#include "codec/page_content.h"

#include <math.h>
#include <string.h>

static const char *const modes[] = {"read", "write", "execute", NULL};
static const char *const orders[] = {"forward", "backward", "random", "uniform", NULL};
enum { ORDER_FORWARD, ORDER_BACKWARD, ORDER_RANDOM, ORDER_UNIFORM };
enum { INTS_A_PAGE_BYTES = 4 };

/* A touch step, read. */
struct touch {
    struct scenario_region *region;
    int mode, order;
    const char *fill; /* as a content record says it, or NULL */
    uint64_t from, pages, stride, count, accesses, seed;
};

/* Which pages: `from` and `size`, or `part` of the region. */
static enum pl_err read_extent(const struct scenario *scenario, const struct pl_json_node *step, uint64_t copy,
                               struct touch *touch, struct pl_error *err)
{
    const struct pl_json_node *from = pl_json_get(step, "from"), *size = pl_json_get(step, "size"),
                              *part = pl_json_get(step, "part");
    const uint64_t page = scenario->page_size;
    uint64_t bytes = 0;
    double share = 1;
    enum pl_err rc = from ? scenario_bytes(scenario, from, copy, &bytes, err) : PL_OK;
    if (rc)
        return rc;
    touch->from = bytes / page;
    if (touch->from >= touch->region->pages)
        return pl_json_fail(from ? from : step, err, "lies behind the end of '%s' (%llu pages)", touch->region->name,
                            (unsigned long long)touch->region->pages);
    touch->pages = touch->region->pages - touch->from;
    if (size && part)
        return pl_json_fail(part, err, "give either size or part");
    if (part)
        rc = scenario_share(scenario, part, copy, &share, err);
    if (size)
        rc = scenario_bytes(scenario, size, copy, &bytes, err);
    if (rc)
        return rc;
    uint64_t wanted = size ? (bytes + page - 1) / page : (uint64_t)llround(share * (double)touch->region->pages);
    if (wanted > touch->pages && (size || part))
        return pl_json_fail(size ? size : part, err, "reaches beyond the end of '%s' (%llu pages)", touch->region->name,
                            (unsigned long long)touch->region->pages);
    if (size || part)
        touch->pages = wanted;
    return PL_OK;
}

static enum pl_err read_accesses(const struct scenario *scenario, const struct pl_json_node *node, uint64_t copy,
                                 uint64_t *out, struct pl_error *err)
{
    const char *words = NULL;
    *out = 1;
    if (!node)
        return PL_OK;
    if (!pl_json_is_number(node)) {
        enum pl_err rc = scenario_words(scenario, node, &words, err);
        if (rc)
            return rc;
        if (!strcmp(words, "first"))
            return PL_OK;
        if (!strcmp(words, "all")) {
            *out = scenario->page_size / INTS_A_PAGE_BYTES;
            return PL_OK;
        }
    }
    enum pl_err rc = scenario_count(scenario, node, copy, out, err);
    return rc ? pl_json_fail(node, err, "is 'first' (one int a page), 'all' (every int) or a number of accesses a page") : PL_OK;
}

static enum pl_err read_touch(struct scenario *scenario, struct scenario_process *process,
                              const struct pl_json_node *step, struct touch *touch, struct pl_error *err)
{
    const char *name;
    const uint64_t copy = process->copy;
    const struct pl_json_node *node = pl_json_get(step, "touch");
    enum pl_err rc = scenario_words(scenario, node, &name, err);
    if (rc)
        return rc;
    *touch = (struct touch){.stride = 1};
    rc = scenario_need_region(process, node, name, &touch->region, err);
    if (rc)
        return rc;
    rc = read_extent(scenario, step, copy, touch, err);
    if (rc == PL_OK && (node = pl_json_get(step, "mode")))
        rc = scenario_choice(scenario, node, modes, &touch->mode, err);
    if (rc == PL_OK && (node = pl_json_get(step, "order")))
        rc = scenario_choice(scenario, node, orders, &touch->order, err);
    if (rc == PL_OK && (node = pl_json_get(step, "fill")))
        rc = scenario_fill_words(scenario, node, &touch->fill, err);
    if (rc == PL_OK && (node = pl_json_get(step, "seed")))
        rc = scenario_count(scenario, node, copy, &touch->seed, err);
    if (rc == PL_OK)
        rc = read_accesses(scenario, pl_json_get(step, "accesses"), copy, &touch->accesses, err);
    uint64_t bytes = 0;
    if (rc == PL_OK && (node = pl_json_get(step, "stride"))) {
        rc = scenario_bytes(scenario, node, copy, &bytes, err);
        touch->stride = bytes / scenario->page_size;
        if (rc == PL_OK && (!touch->stride || bytes % scenario->page_size))
            rc = pl_json_fail(node, err, "a stride is a whole number of pages");
    }
    if (rc == PL_OK && (node = pl_json_get(step, "count")))
        rc = scenario_count(scenario, node, copy, &touch->count, err);
    if (rc == PL_OK && node && touch->order != ORDER_UNIFORM)
        rc = pl_json_fail(node, err, "a count of touches needs \"order\": \"uniform\"");
    if (rc == PL_OK && touch->fill && touch->mode != PL_WRITE)
        rc = pl_json_fail(pl_json_get(step, "fill"), err, "filling needs \"mode\": \"write\"");
    return rc;
}

void scenario_fill(struct scenario_run *run, const struct scenario_region *region, uint64_t from, uint64_t pages,
                   const char *fill, uint64_t seed)
{
    struct pl_control *record = scenario_record(run, PL_OP_CONTENT);
    record->a = region->first + from;
    record->b = pages;
    /* Ints, and pages of a file, are numbered from the start of the region, records from their own. */
    record->c = seed;
    if (!strcmp(fill, "index"))
        record->c += from * (run->scenario->page_size / INTS_A_PAGE_BYTES);
    else if (!strncmp(fill, PL_CONTENT_FILE, strlen(PL_CONTENT_FILE)))
        record->c = from; /* a file has no seed */
    record->text = fill;
}

/* What pages hold after it. One int in a page of zeros leaves next to nothing to compress, as a repeated word does. */
static void set_content(struct scenario_run *run, const struct touch *touch)
{
    const bool whole = touch->accesses >= run->scenario->page_size / INTS_A_PAGE_BYTES;
    if (touch->mode != PL_WRITE || (!whole && touch->region->filled))
        return;
    if (whole && !touch->fill)
        return;
    if (whole)
        scenario_fill(run, touch->region, touch->from, touch->pages, touch->fill, touch->seed);
    else
        scenario_fill(run, touch->region, touch->from, touch->pages, "same", touch->seed + 1);
    touch->region->filled |= whole;
}

enum pl_err scenario_begin_touch(struct scenario_run *run, struct scenario_actor *actor, const struct pl_json_node *step,
                                 struct pl_error *err)
{
    struct touch touch;
    enum pl_err rc = read_touch(run->scenario, &run->scenario->process[actor->process], step, &touch, err);
    if (rc || touch.pages == 0)
        return rc;
    if (touch.accesses != actor->accesses) {
        scenario_record(run, PL_OP_ACCESSES)->a = touch.accesses;
        actor->accesses = touch.accesses;
    }
    set_content(run, &touch);
    const uint64_t passes = (touch.pages + touch.stride - 1) / touch.stride;
    const pl_page base = (pl_page)(touch.region->first + touch.from);
    if (touch.order == ORDER_FORWARD || touch.order == ORDER_BACKWARD) {
        const bool back = touch.order == ORDER_BACKWARD;
        struct pl_control *range = scenario_record(run, PL_OP_RANGE);
        range->kind = (uint8_t)touch.mode;
        range->a = back ? base + (passes - 1) * touch.stride : base;
        range->b = passes;
        range->c = back ? -touch.stride : touch.stride;
        return PL_OK;
    }
    actor->pass = (struct scenario_pass){.active = true, .kind = (enum pl_kind)touch.mode, .base = base,
                                         .pages = passes, .step = touch.stride,
                                         .with_replacement = touch.order == ORDER_UNIFORM};
    actor->pass.random = pl_random_named(touch.seed, "scenario touches");
    actor->pass.key = pl_mix64(touch.seed + 1);
    if (actor->pass.with_replacement)
        actor->pass.done = touch.count ? touch.count : passes; /* counts down */
    return PL_OK;
}

void scenario_go_on(struct scenario_run *run, struct scenario_actor *actor)
{
    struct scenario_pass *pass = &actor->pass;
    while (run->count < SCENARIO_BATCH_TOUCHES && pass->active) {
        uint64_t place;
        if (pass->with_replacement) {
            place = pl_random_below(&pass->random, pass->pages);
            pass->active = --pass->done > 0;
        } else {
            place = scenario_order(pass->key, pass->pages, pass->done++);
            pass->active = pass->done < pass->pages;
        }
        run->page[run->count] = (pl_page)(pass->base + place * pass->step);
        run->kind[run->count++] = (uint8_t)pass->kind;
    }
}
