/* study/sweep_run.c: points on threads.
 *
 *   list of points --next--> workers --chunks--> the caller: rows, a transaction each tenth of a second
 *
 * A worker takes as many points at a time as its base says (64 that take microseconds, one that takes seconds) and
 * hands them over together. The caller sleeps until something is handed over, so that it takes no processor from the
 * workers. */
#include "study/sweep_run.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A chunk of points, computed. */
struct chunk {
    struct chunk *next;
    size_t count;
    struct pl_outcome *outcome;
    double *outputs;
};

struct pool {
    const struct pl_study *study;
    const struct pl_sweep_part *part;
    size_t chunk_size;
    pthread_mutex_t lock;
    pthread_cond_t handed_over;
    size_t next;           /* in the list */
    struct chunk *first, **last; /* handed over and not taken */
    int running;           /* workers */
    bool stop;             /* read without the lock, too */
    enum pl_err failed;    /* a worker could not start */
    struct pl_error failure;
    struct pl_sweep_setup setup;
};

struct thread {
    pthread_t id;
    int number;
    struct pool *pool;
};

/* --- a worker ------------------------------------------------------------------------------------------ */

static struct chunk *new_chunk(const struct pool *pool)
{
    const size_t size = pool->chunk_size, width = pool->study->ops->output_count;
    struct chunk *chunk = calloc(1, sizeof *chunk);
    struct pl_outcome *outcome = calloc(size, sizeof *outcome);
    double *outputs = malloc(size * width * sizeof *outputs);
    if (!chunk || !outcome || !outputs) {
        free(chunk);
        free(outcome);
        free(outputs);
        return NULL;
    }
    chunk->outcome = outcome;
    chunk->outputs = outputs;
    for (size_t i = 0; i < size; i++)
        outcome[i].output = outputs + i * width;
    return chunk;
}

static void free_chunk(struct chunk *chunk)
{
    if (!chunk)
        return;
    free(chunk->outcome);
    free(chunk->outputs);
    free(chunk);
}

static void give_up(struct pool *pool, enum pl_err rc, const struct pl_error *err)
{
    pthread_mutex_lock(&pool->lock);
    if (!pool->failed) {
        pool->failed = rc;
        pool->failure = *err;
    }
    __atomic_store_n(&pool->stop, true, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&pool->lock);
}

/* The next points of the list, or 0. */
static size_t take_points(struct pool *pool, size_t *from)
{
    pthread_mutex_lock(&pool->lock);
    size_t left = __atomic_load_n(&pool->stop, __ATOMIC_RELAXED) ? 0 : pool->part->count - pool->next;
    size_t count = left < pool->chunk_size ? left : pool->chunk_size;
    *from = pool->next;
    pool->next += count;
    pthread_mutex_unlock(&pool->lock);
    return count;
}

static void hand_over(struct pool *pool, struct chunk *chunk)
{
    pthread_mutex_lock(&pool->lock);
    *pool->last = chunk;
    pool->last = &chunk->next;
    pthread_cond_signal(&pool->handed_over);
    pthread_mutex_unlock(&pool->lock);
}

static enum pl_err compute_chunks(struct thread *thread, struct pl_sweep_worker *worker, struct pl_error *err)
{
    struct pool *pool = thread->pool;
    size_t from, count;
    while ((count = take_points(pool, &from)) > 0) {
        struct chunk *chunk = new_chunk(pool);
        if (!chunk)
            return pl_fail_memory(err, pool->chunk_size * sizeof *chunk->outcome, "the outcomes of points");
        for (size_t i = 0; i < count && !__atomic_load_n(&pool->stop, __ATOMIC_RELAXED); i++) {
            struct pl_outcome *outcome = &chunk->outcome[chunk->count];
            const uint64_t point = pool->part->list[from + i];
            outcome->point = pool->part->first_row + point;
            outcome->worker = thread->number;
            pl_sweep_compute(pool->study, worker, pl_study_point(pool->study, point), pool->part->share, outcome);
            chunk->count += outcome->code != PL_END;
        }
        hand_over(pool, chunk);
    }
    return PL_OK;
}

static void *work(void *user)
{
    struct thread *thread = user;
    struct pool *pool = thread->pool;
    struct pl_sweep_worker *worker = NULL;
    struct pl_error err = {PL_OK, ""};
    enum pl_err rc = pool->study->ops->worker(pool->study->base, pool->study, &pool->setup, &worker, &err);
    if (rc == PL_OK)
        rc = compute_chunks(thread, worker, &err);
    if (rc)
        give_up(pool, rc, &err);
    pool->study->ops->worker_free(worker);
    pthread_mutex_lock(&pool->lock);
    pool->running--;
    pthread_cond_signal(&pool->handed_over);
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* --- the caller -------------------------------------------------------------------------------------------- */

/* Waits a tenth of a second at most. Returns what was handed over; *over when no worker runs any more. */
static struct chunk *take_chunks(struct pool *pool, bool *over)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&pool->lock);
    int waited = 0;
    while (!pool->first && pool->running && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&pool->handed_over, &pool->lock, &until);
    struct chunk *chunks = pool->first;
    pool->first = NULL;
    pool->last = &pool->first;
    *over = !chunks && !pool->running;
    pthread_mutex_unlock(&pool->lock);
    return chunks;
}

static enum pl_err keep_chunks(struct pool *pool, struct pl_sweep_keeper *keeper, struct chunk *chunks, bool keep,
                               struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    while (chunks) {
        struct chunk *next = chunks->next;
        for (size_t i = 0; i < chunks->count && keep && rc == PL_OK; i++)
            rc = pl_sweep_keep(keeper, pl_study_point(pool->study, chunks->outcome[i].point - pool->part->first_row),
                               &chunks->outcome[i], err);
        free_chunk(chunks);
        chunks = next;
    }
    return rc;
}

/* Until no worker runs. The first failure stops them. */
static enum pl_err collect(struct pool *pool, struct pl_sweep_keeper *keeper, const struct pl_sweep_watch *watch,
                           struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    bool over = false, stopped = false;
    while (!over) {
        struct chunk *chunks = take_chunks(pool, &over);
        enum pl_err kept = keep_chunks(pool, keeper, chunks, rc == PL_OK, rc == PL_OK ? err : NULL);
        if (rc == PL_OK)
            rc = kept ? kept : pl_sweep_keeper_commit(keeper, over, err);
        if (rc == PL_OK && watch && !stopped && !watch->report(watch->user, keeper->state))
            stopped = true;
        if (rc || stopped)
            __atomic_store_n(&pool->stop, true, __ATOMIC_RELAXED);
    }
    if (rc == PL_OK && pool->failed) {
        if (err)
            *err = pool->failure;
        rc = pool->failed;
    }
    return rc ? rc : stopped ? PL_END : PL_OK;
}

static enum pl_err start_threads(struct pool *pool, struct thread *threads, int count, struct pl_error *err)
{
    for (int i = 0; i < count; i++) {
        threads[i] = (struct thread){.number = i, .pool = pool};
        pthread_mutex_lock(&pool->lock);
        pool->running++;
        pthread_mutex_unlock(&pool->lock);
        int failed = pthread_create(&threads[i].id, NULL, work, &threads[i]);
        if (!failed)
            continue;
        pthread_mutex_lock(&pool->lock);
        pool->running--;
        pthread_mutex_unlock(&pool->lock);
        threads[i].pool = NULL;
        if (i == 0) /* fewer than asked for will do */
            return pl_fail_errno(err, failed, "a thread");
        break;
    }
    return PL_OK;
}

static enum pl_err run_pool(struct pool *pool, struct pl_sweep_keeper *keeper, int count,
                            const struct pl_sweep_watch *watch, struct pl_error *err)
{
    struct thread *threads = calloc((size_t)count, sizeof *threads);
    if (!threads)
        return pl_fail_memory(err, (size_t)count * sizeof *threads, "threads");
    enum pl_err rc = start_threads(pool, threads, count, err);
    if (rc == PL_OK)
        rc = collect(pool, keeper, watch, err);
    for (int i = 0; i < count; i++)
        if (threads[i].pool)
            pthread_join(threads[i].id, NULL);
    free(threads);
    return rc;
}

/* Small chunks when there are few points, so that all workers have some. */
static size_t chunk_size(const struct pl_study *study, size_t points, int threads)
{
    size_t fair = points / ((size_t)threads * 4) + 1;
    return fair < study->ops->chunk ? fair : study->ops->chunk;
}

static enum pl_err run_part(struct pl_study *study, const struct pl_sweep_part *part, int threads,
                            struct pl_sweep_keeper *keeper, const struct pl_sweep_watch *watch, struct pl_error *err)
{
    struct pool pool = {.study = study, .part = part, .chunk_size = chunk_size(study, part->count, threads)};
    pool.last = &pool.first;
    pool.setup =
        (struct pl_sweep_setup){.threads = threads, .progress = watch ? watch->preparing : NULL, .stop = &pool.stop};
    enum pl_err rc = study->ops->prepare(study->base, study, &pool.setup, err);
    if (rc)
        return rc;
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.handed_over, NULL);
    rc = run_pool(&pool, keeper, threads, watch, err);
    pthread_cond_destroy(&pool.handed_over);
    pthread_mutex_destroy(&pool.lock);
    return rc;
}

enum pl_err pl_sweep_run_part(struct pl_study *study, struct pl_results *results, const struct pl_sweep_part *part,
                              int threads, const struct pl_sweep_watch *watch, struct pl_sweep_state *state,
                              struct pl_error *err)
{
    struct pl_sweep_keeper keeper;
    enum pl_err rc = pl_sweep_keeper_start(&keeper, study, results, state, err);
    if (rc == PL_OK)
        rc = run_part(study, part, threads > 1 ? threads : 1, &keeper, watch, err);
    pl_sweep_keeper_end(&keeper);
    return rc;
}

enum pl_err pl_sweep_run(struct pl_study *study, struct pl_results *results, const struct pl_sweep_run_options *options,
                         struct pl_sweep_state *state, struct pl_error *err)
{
    uint64_t *list;
    size_t count;
    *state = (struct pl_sweep_state){0};
    enum pl_err rc = pl_sweep_list(study, results, options->shard, options->shards, &list, &count, state, err);
    if (rc)
        return rc;
    const struct pl_sweep_part part = {list, count, 0, 1};
    if (count)
        rc = pl_sweep_run_part(study, results, &part, options->threads, options->watch, state, err);
    free(list);
    return rc;
}
