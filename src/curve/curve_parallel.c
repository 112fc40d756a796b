/* curve/curve_parallel.c: the one-pass curve by several threads, exact.
 *
 * The trace is cut into parts. A part is counted in one of two ways: into the global stack, which must hold everything
 * before the part, just as one thread does it; or apart, into a stack of the thread's own that starts empty (as PARDA does,
 * Niu et al. 2012), with counters of its own. Within a part a distance, and a reach from one write to the next, do not
 * depend on what was before. What stays open is, for each page of the part, its first touch and its first write; when the
 * global stack has come so far, these lists are all that it has to be fed:
 *
 *      global, before the part   . . p . q . r . .        distance of p at its first touch: pages of the part before it (k),
 *      part                      a b c p . . . .          and global pages from p's slot on that are not among them: what
 *                                k = 3                    the trace "a b c p" of first touches alone has, too
 *
 *   part 0   global -------->                             global work goes in order, by one thread at a time; whoever is
 *   part 1   apart --> resolved in global                 free takes the first of these that can be done: resolve, count
 *   part 2   apart -----------> resolved in global        globally, count apart, be it a later part
 *   part 3   global ------------------------------->
 *
 * So threads share nothing while they count, and the serial part of the work is a wide touch for each distinct page of a
 * part counted apart. Hence parts are long where there are many pages: sixteen touches a page, up to four million touches.
 *
 * Costs: 5 bytes a touch for the parts in the ring (as many as threads, and two), 16 for each page of a part and 8 for each
 * page it writes; and for each thread 8 bytes a page (last[] and reaches) and 2 bytes for each of the counters that a
 * part can reach. The caller of pl_curve_feed is one of the threads. */
#include "curve/curve_private.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    PART_TOUCHES_MIN = 1 << 17,
    PART_TOUCHES_MAX = 1 << 22,
    TOUCHES_PER_PAGE = 16, /* of a part */
    SPARE_PARTS = 2,
    PIECE_TOUCHES = 1 << 16, /* looked through and copied at a time */
};

enum part_state { PART_EMPTY, PART_FILLED, PART_BUSY, PART_COUNTED };

struct part {
    _Alignas(CACHE_LINE) enum part_state state;
    uint32_t count, size; /* touches, and how many there will be */
    pl_page *page;
    uint8_t *kind;
    pl_page largest; /* so far in the trace */
    uint64_t writes;
    struct opened opened; /* of a part that was counted apart */
    struct table touch_table, write_table;
};

struct worker {
    struct pl_parallel *parallel;
    pthread_t thread;
    bool started;
    struct stack stack; /* empty between parts; reads.high and dirty.high are the curve's */
    struct table last, reads_low, dirty_low;
};

struct pl_parallel {
    struct pl_curve *curve;
    uint32_t part_touches; /* 0: as many as suit the number of pages */
    uint32_t part_max;
    pl_page largest; /* page number so far */
    uint64_t parts;  /* in the ring */
    struct part *ring;
    void *memory;
    size_t bytes;
    int threads;
    struct worker *workers; /* [0] is the caller */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* under the lock; numbers of parts, the ring has number % parts */
    uint64_t writing; /* the caller fills this one */
    uint64_t done;    /* the first that is not in the global stack yet */
    bool global_busy, ending;
    double fresh; /* distinct pages for each touch of the latest part counted apart */
    enum pl_err rc;
    struct pl_error err; /* of rc */
};

static struct part *part_at(const struct pl_parallel *parallel, uint64_t number)
{
    return &parallel->ring[number % parallel->parts];
}

/* --- the work, outside the lock ----------------------------------------------------------------------------------------- */

static enum pl_err count_globally(struct pl_curve *curve, const struct part *part, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    for (uint32_t done = 0; rc == PL_OK && done < part->count;) {
        if (!pl_curve_has_slots(curve))
            rc = pl_curve_renew_slots(curve, 0, err);
        if (rc == PL_OK)
            done += (uint32_t)curve->kernel->feed(&curve->stack, part->page + done, part->kind + done, part->count - done);
    }
    return rc;
}

/* Lists for a part: entries that are never used take no memory. */
static enum pl_err fit_lists(struct part *part, struct pl_error *err)
{
    size_t entries = (size_t)part->count + 1;
    enum pl_err rc = PL_OK;
    if (part->touch_table.bytes < entries * sizeof *part->opened.touch)
        rc = pl_curve_table_fit(&part->touch_table, entries * sizeof *part->opened.touch, err);
    if (rc == PL_OK && part->write_table.bytes < entries * sizeof *part->opened.write)
        rc = pl_curve_table_fit(&part->write_table, entries * sizeof *part->opened.write, err);
    part->opened = (struct opened){.touch = part->touch_table.at, .write = part->write_table.at};
    return rc;
}

static enum pl_err count_apart(struct worker *worker, struct part *part, struct pl_error *err)
{
    const struct stack_kernel *kernel = worker->parallel->curve->kernel;
    enum pl_err rc = fit_lists(part, err);
    if (rc)
        return rc;
    pl_slots_use(&worker->stack.slots, part->count);
    pl_slots_fill(&worker->stack.slots, 0);
    kernel->feed_part(&worker->stack, &part->opened, part->page, part->kind, part->count);
    kernel->hand_over(&worker->stack, &part->opened);
    return PL_OK;
}

static enum pl_err resolve(struct pl_curve *curve, const struct part *part, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    if (pl_slots_left(&curve->stack.slots) < part->opened.touches)
        rc = pl_curve_renew_slots(curve, part->opened.touches, err);
    if (rc == PL_OK)
        curve->kernel->resolve(&curve->stack, &part->opened);
    return rc;
}

/* --- who does what ------------------------------------------------------------------------------------------------------- */

enum act { ACT_NOTHING, ACT_RESOLVE, ACT_COUNT, ACT_COUNT_APART };

/* Every so many-th part is meant to be counted globally. */
static bool is_global(const struct pl_parallel *parallel, uint64_t number)
{
    return number % (uint64_t)parallel->threads == 0;
}

/* Chooses the first thing that can be done, and marks it as begun: what the global stack waits for, else a part to be
 * counted apart, be it behind one that waits for the global stack. Called with the lock. */
static enum act choose(struct pl_parallel *parallel, struct part **part)
{
    *part = part_at(parallel, parallel->done);
    if (!parallel->global_busy && parallel->done < parallel->writing && (*part)->state != PART_BUSY) {
        enum act act = (*part)->state == PART_COUNTED ? ACT_RESOLVE : ACT_COUNT;
        (*part)->state = PART_BUSY;
        parallel->global_busy = true;
        return act;
    }
    for (uint64_t number = parallel->done; number < parallel->writing; number++) {
        *part = part_at(parallel, number);
        if ((*part)->state != PART_FILLED || is_global(parallel, number))
            continue;
        (*part)->state = PART_BUSY;
        return ACT_COUNT_APART;
    }
    return ACT_NOTHING;
}

static enum pl_err carry_out(struct worker *worker, enum act act, struct part *part, struct pl_error *err)
{
    struct pl_curve *curve = worker->parallel->curve;
    if (act == ACT_RESOLVE)
        return resolve(curve, part, err);
    return act == ACT_COUNT ? count_globally(curve, part, err) : count_apart(worker, part, err);
}

/* Called with the lock. */
static void mark_done(struct pl_parallel *parallel, enum act act, struct part *part)
{
    if (act == ACT_COUNT_APART) {
        part->state = PART_COUNTED;
        parallel->fresh = (double)part->opened.touches / part->count;
    } else {
        part->state = PART_EMPTY;
        parallel->global_busy = false;
        parallel->done++;
    }
    pthread_cond_broadcast(&parallel->changed);
}

/* Does one thing. False: there is nothing to do now. Called with the lock, which is released meanwhile. After a failure
 * parts only pass through. */
static bool do_one(struct worker *worker)
{
    struct pl_parallel *parallel = worker->parallel;
    struct part *part;
    enum act act = choose(parallel, &part);
    if (act == ACT_NOTHING)
        return false;
    bool failed = parallel->rc != PL_OK;
    pthread_mutex_unlock(&parallel->lock);
    struct pl_error err = {PL_OK, ""};
    enum pl_err rc = failed ? PL_OK : carry_out(worker, act, part, &err);
    pthread_mutex_lock(&parallel->lock);
    if (rc && parallel->rc == PL_OK) {
        parallel->rc = rc;
        parallel->err = err;
    }
    mark_done(parallel, act, part);
    return true;
}

static void *run_worker(void *argument)
{
    struct worker *worker = argument;
    struct pl_parallel *parallel = worker->parallel;
    pthread_mutex_lock(&parallel->lock);
    while (!parallel->ending)
        if (!do_one(worker))
            pthread_cond_wait(&parallel->changed, &parallel->lock);
    pthread_mutex_unlock(&parallel->lock);
    return NULL;
}

/* The caller works until `done` has come to `number`. */
static enum pl_err work_until(struct pl_parallel *parallel, uint64_t number, struct pl_error *err)
{
    pthread_mutex_lock(&parallel->lock);
    while (parallel->done < number)
        if (!do_one(&parallel->workers[0]))
            pthread_cond_wait(&parallel->changed, &parallel->lock);
    enum pl_err rc = parallel->rc;
    if (rc && err)
        *err = parallel->err;
    pthread_mutex_unlock(&parallel->lock);
    return rc;
}

/* --- the caller's side ---------------------------------------------------------------------------------------------------------- */

static enum pl_err make_ring(struct pl_parallel *parallel, struct pl_error *err)
{
    size_t touches = parallel->part_max, part_bytes = touches * (sizeof(pl_page) + 1) + CACHE_LINE;
    part_bytes = part_bytes / CACHE_LINE * CACHE_LINE;
    size_t ring_bytes = parallel->parts * sizeof *parallel->ring;
    parallel->ring = aligned_alloc(CACHE_LINE, ring_bytes);
    parallel->bytes = parallel->parts * part_bytes;
    parallel->memory = pl_table_alloc(parallel->bytes);
    if (!parallel->ring || !parallel->memory)
        return pl_fail_memory(err, parallel->bytes, "parts of a trace");
    memset(parallel->ring, 0, ring_bytes);
    for (uint64_t i = 0; i < parallel->parts; i++) {
        char *at = (char *)parallel->memory + i * part_bytes;
        parallel->ring[i].page = (pl_page *)at;
        parallel->ring[i].kind = (uint8_t *)(at + touches * sizeof(pl_page));
    }
    return PL_OK;
}

/* After the curve's tables have grown. A part cannot reach farther than it has touches. */
static enum pl_err fit_workers(struct pl_parallel *parallel, struct pl_error *err)
{
    const struct stack *global = &parallel->curve->stack;
    uint64_t limit = global->pages.limit, bins = (limit < parallel->part_max ? limit : parallel->part_max) + 2;
    enum pl_err rc = PL_OK;
    for (int i = 0; rc == PL_OK && i < parallel->threads; i++) {
        struct worker *worker = &parallel->workers[i];
        rc = pl_curve_table_fit(&worker->last, limit * 2 * sizeof(uint32_t), err);
        if (rc == PL_OK)
            rc = pl_curve_table_fit(&worker->reads_low, bins, err);
        if (rc == PL_OK && !global->reads_only)
            rc = pl_curve_table_fit(&worker->dirty_low, bins, err);
        worker->stack.pages = (struct pages){.last = worker->last.at, .limit = limit};
        worker->stack.reads = (struct bins){.low = worker->reads_low.at, .high = global->reads.high};
        worker->stack.dirty = (struct bins){.low = worker->dirty_low.at, .high = global->dirty.high};
    }
    return rc;
}

static enum pl_err start_workers(struct pl_parallel *parallel, struct pl_error *err)
{
    for (int i = 0; i < parallel->threads; i++) {
        struct worker *worker = &parallel->workers[i];
        worker->parallel = parallel;
        worker->stack.rule = parallel->curve->stack.rule;
        worker->stack.reads_only = parallel->curve->stack.reads_only;
        enum pl_err rc = pl_slots_create(&worker->stack.slots, parallel->part_max, err);
        if (rc)
            return rc;
        int failed = i > 0 ? pthread_create(&worker->thread, NULL, run_worker, worker) : 0;
        if (failed) {
            pl_fail_errno(err, failed, "cannot start a thread");
            return PL_ERR_RESOURCE;
        }
        worker->started = i > 0;
    }
    return PL_OK;
}

enum pl_err pl_parallel_create(struct pl_curve *curve, const struct pl_curve_params *params, struct pl_parallel **out,
                               struct pl_error *err)
{
    struct pl_parallel *parallel = calloc(1, sizeof *parallel);
    size_t worker_bytes = (size_t)params->threads * sizeof(struct worker);
    struct worker *workers = aligned_alloc(CACHE_LINE, worker_bytes);
    if (!parallel || !workers) {
        free(parallel);
        free(workers);
        return pl_fail_memory(err, worker_bytes, "threads of a curve");
    }
    memset(workers, 0, worker_bytes);
    parallel->workers = workers;
    parallel->threads = params->threads;
    parallel->curve = curve;
    parallel->part_touches = params->part_touches;
    parallel->part_max = params->part_touches ? params->part_touches : PART_TOUCHES_MAX;
    parallel->parts = (uint64_t)params->threads + SPARE_PARTS;
    pthread_mutex_init(&parallel->lock, NULL);
    pthread_cond_init(&parallel->changed, NULL);
    enum pl_err rc = make_ring(parallel, err);
    if (rc == PL_OK)
        rc = fit_workers(parallel, err);
    if (rc == PL_OK)
        rc = start_workers(parallel, err);
    if (rc) {
        pl_parallel_close(parallel);
        return rc;
    }
    *out = parallel;
    return PL_OK;
}

/* How long the next part is: such that the thread on the global stack (a part, and what resolves the parts of the others)
 * and the others (a part each, and copying all of them for the caller) are done at the same time; the costs, in global
 * touches, were measured. */
static uint32_t choose_size(struct pl_parallel *parallel)
{
    const double apart = 1.2, hand_over = 0.45, resolve = 1.2, copy = 0.1, least = 0.125;
    double suits = (double)parallel->largest * TOUCHES_PER_PAGE;
    if (parallel->part_touches)
        return parallel->part_touches;
    suits = suits > PART_TOUCHES_MIN ? suits : PART_TOUCHES_MIN;
    suits = suits < PART_TOUCHES_MAX ? suits : PART_TOUCHES_MAX;
    pthread_mutex_lock(&parallel->lock);
    double fresh = parallel->fresh, others = parallel->threads - 1;
    pthread_mutex_unlock(&parallel->lock);
    double share = (apart + hand_over * fresh + copy - others * resolve * fresh) / (1 - copy);
    share = share < least ? least : share;
    bool global = is_global(parallel, parallel->writing);
    return (uint32_t)(global ? suits * (share < 1 ? share : 1) : share > 1 ? suits / share : suits);
}

/* The caller's part is full, or the last one: makes room for its pages, and lets the others have it. Then works until
 * there is an empty part again. */
static enum pl_err publish(struct pl_parallel *parallel, struct pl_error *err)
{
    struct pl_curve *curve = parallel->curve;
    struct part *part = part_at(parallel, parallel->writing); /* only the caller changes `writing` */
    enum pl_err rc = PL_OK;
    if (part->largest >= curve->stack.pages.limit) { /* tables move, so nobody may work */
        rc = work_until(parallel, parallel->writing, err);
        if (rc == PL_OK)
            rc = pl_curve_make_room(curve, part->largest, err);
        if (rc == PL_OK)
            rc = fit_workers(parallel, err);
    }
    if (rc)
        return rc;
    curve->touches += part->count;
    curve->write_touches += part->writes;
    pthread_mutex_lock(&parallel->lock);
    part->state = PART_FILLED;
    parallel->writing++;
    pthread_cond_broadcast(&parallel->changed);
    pthread_mutex_unlock(&parallel->lock);
    if (parallel->writing >= parallel->parts)
        rc = work_until(parallel, parallel->writing - parallel->parts + 1, err);
    part_at(parallel, parallel->writing)->count = 0;
    return rc;
}

static void add_touches(struct pl_parallel *parallel, struct part *part, const pl_page *pages, const uint8_t *kinds,
                        uint32_t touches)
{
    pl_page largest;
    uint64_t writes;
    parallel->curve->kernel->survey(pages, kinds, touches, &largest, &writes);
    if (part->count == 0)
        part->writes = 0;
    parallel->largest = largest > parallel->largest ? largest : parallel->largest;
    part->largest = parallel->largest;
    part->writes += writes;
    memcpy(part->page + part->count, pages, touches * sizeof *pages);
    if (kinds)
        memcpy(part->kind + part->count, kinds, touches);
    else
        memset(part->kind + part->count, 0, touches);
    part->count += touches;
}

enum pl_err pl_parallel_feed(struct pl_parallel *parallel, const pl_page *pages, const uint8_t *kinds, size_t count,
                             struct pl_error *err)
{
    for (size_t done = 0; done < count;) {
        struct part *part = part_at(parallel, parallel->writing);
        if (part->count == 0)
            part->size = choose_size(parallel);
        size_t room = part->size - part->count, touches = count - done < room ? count - done : room;
        touches = touches < PIECE_TOUCHES ? touches : PIECE_TOUCHES;
        add_touches(parallel, part, pages + done, kinds ? kinds + done : NULL, (uint32_t)touches);
        done += touches;
        enum pl_err rc = part->count == part->size ? publish(parallel, err) : PL_OK;
        if (rc)
            return rc;
    }
    return PL_OK;
}

/* What the workers have counted goes to the curve's counters. */
static void merge_workers(struct pl_parallel *parallel)
{
    struct stack *global = &parallel->curve->stack;
    uint64_t limit = global->pages.limit, bins = (limit < parallel->part_max ? limit : parallel->part_max) + 2;
    for (int i = 0; i < parallel->threads; i++) {
        struct stack *stack = &parallel->workers[i].stack;
        parallel->curve->kernel->settle(stack);
        for (uint64_t bin = 0; bin < bins; bin++) {
            global->reads.high[bin] += stack->reads.low[bin];
            global->dirty.high[bin] += stack->dirty.low ? stack->dirty.low[bin] : 0;
        }
        for (unsigned copy = 0; copy < NEAR_COPIES; copy++)
            for (unsigned distance = 0; distance <= BATCH; distance++)
                global->near[copy][distance] += stack->near[copy][distance];
    }
}

enum pl_err pl_parallel_finish(struct pl_parallel *parallel, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    if (part_at(parallel, parallel->writing)->count)
        rc = publish(parallel, err);
    if (rc == PL_OK)
        rc = work_until(parallel, parallel->writing, err);
    if (rc == PL_OK)
        merge_workers(parallel);
    return rc;
}

void pl_parallel_close(struct pl_parallel *parallel)
{
    pthread_mutex_lock(&parallel->lock);
    parallel->ending = true;
    pthread_cond_broadcast(&parallel->changed);
    pthread_mutex_unlock(&parallel->lock);
    for (int i = 0; i < parallel->threads; i++) {
        struct worker *worker = &parallel->workers[i];
        if (worker->started)
            pthread_join(worker->thread, NULL);
        pl_slots_destroy(&worker->stack.slots);
        pl_curve_table_free(&worker->last);
        pl_curve_table_free(&worker->reads_low);
        pl_curve_table_free(&worker->dirty_low);
    }
    for (uint64_t i = 0; parallel->ring && i < parallel->parts; i++) {
        pl_curve_table_free(&parallel->ring[i].touch_table);
        pl_curve_table_free(&parallel->ring[i].write_table);
    }
    pthread_cond_destroy(&parallel->changed);
    pthread_mutex_destroy(&parallel->lock);
    if (parallel->memory)
        pl_table_free(parallel->memory, parallel->bytes);
    free(parallel->workers);
    free(parallel->ring);
    free(parallel);
}
