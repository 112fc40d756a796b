/* curve/curve_parallel.c: the one-pass curve by several threads, exact.
 *
 * The trace is cut into parts of a million touches. Distances of a part are measured in one of two ways: into the global
 * stack, which must hold everything before the part; or into a stack of the thread's own that starts empty (as PARDA does,
 * Niu et al. 2012), which leaves first touches in the part open. Those are resolved when the global stack has come so far:
 *
 *      global, before the part   . . p . q . r . .        distance of p: pages of the part before its first touch (k)
 *      part                      a b c p . . . .                         + global pages from p's slot on, less those that
 *                                k = 3                                     the part has touched already, which are killed
 *
 * and the part's pages move to the top of the global stack in the order that its own stack has them. Then every distance
 * is the true one, and the part is accounted for (reaches and counters) after the parts before it, as if one thread did it.
 *
 *   part 0   measured globally -----------> accounted        resolving and accounting go in order, one part at a time;
 *   part 1   measured apart --> resolved -> accounted        whoever is free takes the first of these that can be done:
 *   part 2   measured globally ----------->                  account, resolve, measure globally, measure apart
 *
 * Costs: memory for the parts (9 bytes a touch), and 4 bytes a page for each thread; repairing takes about twice a touch
 * for each page of a part that was measured apart. The caller of pl_curve_feed is one of the threads. */
#include "curve/curve_private.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PART_TOUCHES = 1 << 20, SPARE_PARTS = 3 };

enum part_state { PART_EMPTY, PART_FILLED, PART_BUSY, PART_MEASURED, PART_RESOLVED };

struct part {
    enum part_state state;
    uint32_t count;
    struct worker *apart; /* who measured it into a stack of its own, which is to be resolved */
    pl_page *page;
    uint32_t *distance;
    uint8_t *kind;
};

struct worker {
    struct pl_parallel *parallel;
    pthread_t thread;
    bool started;
    bool holding; /* its stack holds a part that is not resolved yet */
    struct stack stack; /* slots and last[] only */
    struct table last;
};

struct pl_parallel {
    struct pl_curve *curve;
    uint32_t part_touches;
    uint64_t parts; /* in the ring */
    struct part *ring;
    void *memory;
    size_t bytes;
    int threads;
    struct worker *workers; /* [0] is the caller */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* under the lock; numbers of parts, the ring has number % parts */
    uint64_t writing;   /* the caller fills this one */
    uint64_t next;      /* the first that is not being measured yet */
    uint64_t resolved;  /* the first that is not in the global stack yet */
    uint64_t accounted; /* the first that is not accounted for */
    bool global_busy, account_busy, ending;
    enum pl_err rc;
    struct pl_error err; /* of rc */
};

static struct part *part_at(const struct pl_parallel *parallel, uint64_t number)
{
    return &parallel->ring[number % parallel->parts];
}

/* --- the work, outside the lock ----------------------------------------------------------------------------------------- */

static enum pl_err measure_globally(struct pl_curve *curve, struct part *part, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    for (uint32_t done = 0; rc == PL_OK && done < part->count;) {
        if (!pl_curve_has_slots(curve))
            rc = pl_curve_renew_slots(curve, 0, err);
        if (rc == PL_OK)
            done += (uint32_t)curve->kernel->measure(&curve->stack, part->page + done, part->count - done,
                                                     part->distance + done);
    }
    return rc;
}

/* The worker's stack is empty, and has slots for a whole part. */
static enum pl_err measure_apart(struct worker *worker, struct part *part)
{
    worker->parallel->curve->kernel->measure(&worker->stack, part->page, part->count, part->distance);
    return PL_OK;
}

static enum pl_err resolve(struct pl_curve *curve, struct part *part, struct pl_error *err)
{
    struct stack *apart = &part->apart->stack;
    enum pl_err rc = PL_OK;
    if (pl_slots_left(&curve->stack.slots) < apart->live)
        rc = pl_curve_renew_slots(curve, apart->live, err);
    if (rc)
        return rc;
    curve->kernel->resolve(&curve->stack, apart, part->page, part->count, part->distance);
    apart->live = 0;
    pl_slots_fill(&apart->slots, 0);
    return PL_OK;
}

/* --- who does what ---------------------------------------------------------------------------------------------------------- */

enum act { ACT_NOTHING, ACT_ACCOUNT, ACT_RESOLVE, ACT_MEASURE, ACT_MEASURE_APART };

/* Chooses the first thing that can be done, and marks it as begun. Called with the lock. */
static enum act choose(struct worker *worker, struct part **part)
{
    struct pl_parallel *parallel = worker->parallel;
    struct part *account = part_at(parallel, parallel->accounted), *resolve = part_at(parallel, parallel->resolved);
    if (!parallel->account_busy && parallel->accounted < parallel->resolved && account->state == PART_RESOLVED) {
        parallel->account_busy = true;
        *part = account;
        return ACT_ACCOUNT;
    }
    if (!parallel->global_busy && parallel->resolved < parallel->next && resolve->state == PART_MEASURED) {
        parallel->global_busy = true;
        *part = resolve;
        return ACT_RESOLVE;
    }
    if (parallel->next == parallel->writing)
        return ACT_NOTHING;
    *part = part_at(parallel, parallel->next);
    if (!parallel->global_busy && parallel->resolved == parallel->next) {
        parallel->global_busy = true;
        (*part)->state = PART_BUSY;
        parallel->next++;
        return ACT_MEASURE;
    }
    if (worker->holding)
        return ACT_NOTHING;
    worker->holding = true;
    (*part)->apart = worker;
    (*part)->state = PART_BUSY;
    parallel->next++;
    return ACT_MEASURE_APART;
}

static enum pl_err carry_out(struct worker *worker, enum act act, struct part *part, struct pl_error *err)
{
    struct pl_curve *curve = worker->parallel->curve;
    switch (act) {
    case ACT_ACCOUNT:
        curve->kernel->account(&curve->stack, part->page, part->kind, part->count, part->distance);
        return PL_OK;
    case ACT_RESOLVE:
        return resolve(curve, part, err);
    case ACT_MEASURE:
        return measure_globally(curve, part, err);
    default:
        return measure_apart(worker, part);
    }
}

/* Called with the lock. */
static void mark_done(struct pl_parallel *parallel, enum act act, struct part *part)
{
    switch (act) {
    case ACT_ACCOUNT:
        parallel->account_busy = false;
        parallel->accounted++;
        part->state = PART_EMPTY;
        break;
    case ACT_RESOLVE:
        part->apart->holding = false;
        /* fall through */
    case ACT_MEASURE:
        parallel->global_busy = false;
        parallel->resolved++;
        part->state = PART_RESOLVED;
        break;
    default:
        part->state = PART_MEASURED;
    }
    pthread_cond_broadcast(&parallel->changed);
}

/* Does one thing. False: there is nothing to do now. Called with the lock, which is released meanwhile. After a failure
 * parts only pass through. */
static bool do_one(struct worker *worker)
{
    struct pl_parallel *parallel = worker->parallel;
    struct part *part;
    enum act act = choose(worker, &part);
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

/* The caller works until `accounted` has come to `number`. */
static enum pl_err work_until(struct pl_parallel *parallel, uint64_t number, struct pl_error *err)
{
    pthread_mutex_lock(&parallel->lock);
    while (parallel->accounted < number)
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
    size_t touches = parallel->part_touches;
    size_t part_bytes = touches * (sizeof(pl_page) + sizeof(uint32_t)) + (touches + 63) / 64 * 64;
    parallel->ring = calloc(parallel->parts, sizeof *parallel->ring);
    parallel->bytes = parallel->parts * part_bytes;
    parallel->memory = pl_table_alloc(parallel->bytes);
    if (!parallel->ring || !parallel->memory)
        return pl_fail_memory(err, parallel->bytes, "parts of a trace");
    for (uint64_t i = 0; i < parallel->parts; i++) {
        char *at = (char *)parallel->memory + i * part_bytes;
        parallel->ring[i].page = (pl_page *)at;
        parallel->ring[i].distance = (uint32_t *)(at + touches * sizeof(pl_page));
        parallel->ring[i].kind = (uint8_t *)(at + touches * (sizeof(pl_page) + sizeof(uint32_t)));
    }
    return PL_OK;
}

static enum pl_err fit_workers(struct pl_parallel *parallel, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    for (int i = 0; rc == PL_OK && i < parallel->threads; i++) {
        struct worker *worker = &parallel->workers[i];
        uint64_t limit = parallel->curve->stack.pages.limit;
        rc = pl_curve_table_fit(&worker->last, limit * sizeof(uint32_t), err);
        worker->stack.pages = (struct pages){.last = worker->last.at, .limit = limit};
    }
    return rc;
}

static enum pl_err start_workers(struct pl_parallel *parallel, struct pl_error *err)
{
    for (int i = 0; i < parallel->threads; i++) {
        struct worker *worker = &parallel->workers[i];
        worker->parallel = parallel;
        enum pl_err rc = pl_slots_create(&worker->stack.slots, parallel->part_touches, err);
        if (rc)
            return rc;
        pl_slots_fill(&worker->stack.slots, 0);
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
    parallel->part_touches = params->part_touches ? params->part_touches : PART_TOUCHES;
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

/* The caller's part is full, or the last one: looks it through, makes room for its pages, and lets the others have it. Then
 * works until there is an empty part again. */
static enum pl_err publish(struct pl_parallel *parallel, struct pl_error *err)
{
    struct pl_curve *curve = parallel->curve;
    struct part *part = part_at(parallel, parallel->writing); /* only the caller changes `writing` */
    pl_page largest;
    uint64_t writes;
    enum pl_err rc = PL_OK;
    curve->kernel->survey(part->page, part->kind, part->count, &largest, &writes);
    if (largest >= curve->stack.pages.limit) { /* tables move, so nobody may work */
        rc = work_until(parallel, parallel->writing, err);
        if (rc == PL_OK)
            rc = pl_curve_make_room(curve, largest, err);
        if (rc == PL_OK)
            rc = fit_workers(parallel, err);
    }
    if (rc)
        return rc;
    curve->touches += part->count;
    curve->write_touches += writes;
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

enum pl_err pl_parallel_feed(struct pl_parallel *parallel, const pl_page *pages, const uint8_t *kinds, size_t count,
                             struct pl_error *err)
{
    for (size_t done = 0; done < count;) {
        struct part *part = part_at(parallel, parallel->writing);
        size_t room = parallel->part_touches - part->count;
        size_t touches = count - done < room ? count - done : room;
        memcpy(part->page + part->count, pages + done, touches * sizeof *pages);
        if (kinds)
            memcpy(part->kind + part->count, kinds + done, touches);
        else
            memset(part->kind + part->count, 0, touches);
        part->count += (uint32_t)touches;
        done += touches;
        enum pl_err rc = part->count == parallel->part_touches ? publish(parallel, err) : PL_OK;
        if (rc)
            return rc;
    }
    return PL_OK;
}

enum pl_err pl_parallel_finish(struct pl_parallel *parallel, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    if (part_at(parallel, parallel->writing)->count)
        rc = publish(parallel, err);
    return rc ? rc : work_until(parallel, parallel->writing, err);
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
    }
    pthread_cond_destroy(&parallel->changed);
    pthread_mutex_destroy(&parallel->lock);
    if (parallel->memory)
        pl_table_free(parallel->memory, parallel->bytes);
    free(parallel->workers);
    free(parallel->ring);
    free(parallel);
}
