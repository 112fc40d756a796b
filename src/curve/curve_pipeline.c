/* curve/curve_pipeline.c: the one-pass curve by several threads.
 *
 *   caller            measurer                          accountant
 *   copies touches -> distances: last[], the slots  ->  reaches and counters
 *   into a piece      (with two threads the caller)
 *
 * The two halves touch different tables, each misses the cache about as often, and a piece carries the distances from one
 * to the other, so two threads take little more than half the time, need no more memory than one, and count exactly what
 * one counts. A third thread takes over the copying (and with it, whatever the caller does to get touches); more do not
 * help. Splitting the trace in time instead, each part with a table of its own, would scale further on traces of few
 * pages, but takes 9 bytes a page for each thread and has to repair every first touch of a part in sequence: on a trace
 * of many pages most touches of a part are first.
 *
 * Pieces lie in a ring; their numbers filled >= measured >= accounted only grow, under one lock. A table moves when it
 * grows, so the measurer waits until the accountant has done all former pieces before it makes room. */
#include "curve/curve_private.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 4, PIECE_TOUCHES = 8192 };

struct piece {
    uint32_t count;
    bool failed; /* not measured: nothing to account for */
    pl_page page[PIECE_TOUCHES];
    uint8_t kind[PIECE_TOUCHES];
    uint32_t distance[PIECE_TOUCHES];
};

struct pl_pipeline {
    struct pl_curve *curve;
    struct piece *ring;
    pthread_t measurer, accountant;
    bool has_measurer, has_accountant;
    uint64_t writing; /* the piece that the caller fills */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* under the lock: */
    uint64_t filled, measured, accounted;
    bool ending;
    enum pl_err rc;
    struct pl_error err; /* of rc */
};

static struct piece *piece_at(const struct pl_pipeline *pipeline, uint64_t number)
{
    return &pipeline->ring[number % RING];
}

/* --- waiting for each other -------------------------------------------------------------------------------------------- */

static void wait_for(struct pl_pipeline *pipeline, const uint64_t *counter, uint64_t at_least)
{
    pthread_mutex_lock(&pipeline->lock);
    while (*counter < at_least)
        pthread_cond_wait(&pipeline->changed, &pipeline->lock);
    pthread_mutex_unlock(&pipeline->lock);
}

static void advance(struct pl_pipeline *pipeline, uint64_t *counter)
{
    pthread_mutex_lock(&pipeline->lock);
    ++*counter;
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
}

/* Waits for piece `number` to come from the stage before. False: there will be none. */
static bool take(struct pl_pipeline *pipeline, const uint64_t *before, uint64_t number)
{
    pthread_mutex_lock(&pipeline->lock);
    while (*before <= number && !pipeline->ending)
        pthread_cond_wait(&pipeline->changed, &pipeline->lock);
    bool there = *before > number;
    pthread_mutex_unlock(&pipeline->lock);
    return there;
}

/* --- the two halves ------------------------------------------------------------------------------------------------------ */

static enum pl_err measure(struct pl_pipeline *pipeline, uint64_t number, struct pl_error *err)
{
    struct pl_curve *curve = pipeline->curve;
    struct piece *piece = piece_at(pipeline, number);
    pl_page largest;
    uint64_t writes;
    enum pl_err rc = PL_OK;
    curve->kernel->survey(piece->page, piece->kind, piece->count, &largest, &writes);
    if (largest >= curve->stack.pages.limit) {
        wait_for(pipeline, &pipeline->accounted, number);
        rc = pl_curve_make_room(curve, largest, err);
    }
    for (uint32_t done = 0; rc == PL_OK && done < piece->count;) {
        if (!pl_curve_has_slots(curve))
            rc = pl_curve_renew_slots(curve, err);
        if (rc == PL_OK)
            done += (uint32_t)curve->kernel->measure(&curve->stack, piece->page + done, piece->count - done,
                                                     piece->distance + done);
    }
    curve->touches += piece->count;
    curve->write_touches += writes;
    return rc;
}

/* Measures a piece unless one before has failed; keeps the first failure. */
static void measure_and_pass_on(struct pl_pipeline *pipeline, uint64_t number)
{
    struct piece *piece = piece_at(pipeline, number);
    struct pl_error err = {PL_OK, ""};
    piece->failed = pipeline->rc != PL_OK; /* only this thread writes rc */
    enum pl_err rc = piece->failed ? PL_OK : measure(pipeline, number, &err);
    if (rc) {
        piece->failed = true;
        pthread_mutex_lock(&pipeline->lock);
        pipeline->rc = rc;
        pipeline->err = err;
        pthread_mutex_unlock(&pipeline->lock);
    }
    advance(pipeline, &pipeline->measured);
}

static void *run_measurer(void *argument)
{
    struct pl_pipeline *pipeline = argument;
    for (uint64_t number = 0; take(pipeline, &pipeline->filled, number); number++)
        measure_and_pass_on(pipeline, number);
    return NULL;
}

static void *run_accountant(void *argument)
{
    struct pl_pipeline *pipeline = argument;
    struct pl_curve *curve = pipeline->curve;
    for (uint64_t number = 0; take(pipeline, &pipeline->measured, number); number++) {
        const struct piece *piece = piece_at(pipeline, number);
        if (!piece->failed)
            curve->kernel->account(&curve->stack, piece->page, piece->kind, piece->count, piece->distance);
        advance(pipeline, &pipeline->accounted);
    }
    return NULL;
}

/* --- the caller's side ---------------------------------------------------------------------------------------------------- */

enum pl_err pl_pipeline_create(struct pl_curve *curve, int threads, struct pl_pipeline **out, struct pl_error *err)
{
    struct pl_pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (!pipeline)
        return pl_fail_memory(err, sizeof *pipeline, "threads of a curve");
    pipeline->curve = curve;
    pthread_mutex_init(&pipeline->lock, NULL);
    pthread_cond_init(&pipeline->changed, NULL);
    pipeline->ring = pl_table_alloc(RING * sizeof *pipeline->ring);
    enum pl_err rc = pipeline->ring ? PL_OK : pl_fail_memory(err, RING * sizeof *pipeline->ring, "threads of a curve");
    int failed = 0;
    if (rc == PL_OK) {
        failed = pthread_create(&pipeline->accountant, NULL, run_accountant, pipeline);
        pipeline->has_accountant = !failed;
    }
    if (rc == PL_OK && !failed && threads > 2) {
        failed = pthread_create(&pipeline->measurer, NULL, run_measurer, pipeline);
        pipeline->has_measurer = !failed;
    }
    if (failed) {
        rc = pl_fail_errno(err, failed, "cannot start a thread");
        rc = rc == PL_ERR_INPUT ? PL_ERR_RESOURCE : rc;
    }
    if (rc) {
        pl_pipeline_close(pipeline, NULL);
        return rc;
    }
    *out = pipeline;
    return PL_OK;
}

/* The caller's piece is full, or the last one: gives it to whoever measures, and waits for the next to be free. */
static enum pl_err hand_over(struct pl_pipeline *pipeline, struct pl_error *err)
{
    uint64_t number = pipeline->writing++;
    advance(pipeline, &pipeline->filled);
    if (!pipeline->has_measurer)
        measure_and_pass_on(pipeline, number);
    if (pipeline->writing >= RING)
        wait_for(pipeline, &pipeline->accounted, pipeline->writing - RING + 1);
    piece_at(pipeline, pipeline->writing)->count = 0;
    pthread_mutex_lock(&pipeline->lock);
    enum pl_err rc = pipeline->rc;
    if (rc && err)
        *err = pipeline->err;
    pthread_mutex_unlock(&pipeline->lock);
    return rc;
}

enum pl_err pl_pipeline_feed(struct pl_pipeline *pipeline, const pl_page *pages, const uint8_t *kinds, size_t count,
                             struct pl_error *err)
{
    for (size_t done = 0; done < count;) {
        struct piece *piece = piece_at(pipeline, pipeline->writing);
        size_t room = PIECE_TOUCHES - piece->count;
        size_t touches = count - done < room ? count - done : room;
        memcpy(piece->page + piece->count, pages + done, touches * sizeof *pages);
        if (kinds)
            memcpy(piece->kind + piece->count, kinds + done, touches);
        else
            memset(piece->kind + piece->count, 0, touches);
        piece->count += (uint32_t)touches;
        done += touches;
        enum pl_err rc = piece->count == PIECE_TOUCHES ? hand_over(pipeline, err) : PL_OK;
        if (rc)
            return rc;
    }
    return PL_OK;
}

enum pl_err pl_pipeline_close(struct pl_pipeline *pipeline, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    if (pipeline->has_accountant && piece_at(pipeline, pipeline->writing)->count)
        rc = hand_over(pipeline, err);
    pthread_mutex_lock(&pipeline->lock);
    uint64_t filled = pipeline->filled;
    pthread_mutex_unlock(&pipeline->lock);
    if (pipeline->has_accountant)
        wait_for(pipeline, &pipeline->accounted, filled);
    pthread_mutex_lock(&pipeline->lock);
    pipeline->ending = true;
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
    if (pipeline->has_measurer)
        pthread_join(pipeline->measurer, NULL);
    if (pipeline->has_accountant)
        pthread_join(pipeline->accountant, NULL);
    if (rc == PL_OK && pipeline->rc) {
        rc = pipeline->rc;
        if (err)
            *err = pipeline->err;
    }
    pthread_cond_destroy(&pipeline->changed);
    pthread_mutex_destroy(&pipeline->lock);
    if (pipeline->ring)
        pl_table_free(pipeline->ring, RING * sizeof *pipeline->ring);
    free(pipeline);
    return rc;
}
