/* study/sweep_mpi.c: points over MPI.
 *
 *   rank r -> 0   outcomes of the points it had (none at first)
 *   rank 0 -> r   the next points; none: it is over
 *
 * Rank 0 looks for messages and sleeps a millisecond when there are none: MPI's own waiting would take a processor from
 * the ranks that compute on the same machine. */
#include "config.h"

#include "study/sweep_mpi.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool pl_sweep_mpi_launched(void)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
    for (size_t i = 0; i < PL_COUNT_OF(sizes); i++) {
        const char *size = getenv(sizes[i]);
        if (size && strtol(size, NULL, 10) > 1)
            return true;
    }
    return false;
}

#ifdef HAVE_MPI

#include <mpi.h>

enum { TAG_OUTCOMES = 1, TAG_POINTS = 2 };

const char *pl_sweep_mpi_version(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = '\0';
    return text;
}

enum pl_err pl_sweep_mpi_start(int *rank, struct pl_error *err)
{
    int provided = 0, given = 0;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
        MPI_Comm_rank(MPI_COMM_WORLD, &given) != MPI_SUCCESS)
        return pl_fail(err, PL_ERR_RESOURCE, "MPI could not be started");
    *rank = given;
    return PL_OK;
}

bool pl_sweep_mpi_agree_who(bool fine, bool *speaks)
{
    int rank = 0, first = INT_MAX;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int mine = fine ? INT_MAX : rank;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    *speaks = first == rank;
    return first == INT_MAX;
}

bool pl_sweep_mpi_agree(bool fine)
{
    bool speaks;
    return pl_sweep_mpi_agree_who(fine, &speaks);
}

bool pl_sweep_mpi_agree_on(const char *text)
{
    char first[64] = "";
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        snprintf(first, sizeof first, "%s", text);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    return pl_sweep_mpi_agree(!strcmp(first, text));
}

void pl_sweep_mpi_end(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}

/* --- what ranks of one machine share -------------------------------------------------------------- */

static void broadcast(void *user, void *bytes, size_t length)
{
    MPI_Bcast(bytes, (int)length, MPI_BYTE, 0, *(MPI_Comm *)user);
}

/* The lowest rank of each machine decodes traces, and the others read what it decoded. */
static enum pl_err prepare(struct pl_study *study, struct pl_sweep_setup *setup, struct pl_error *err)
{
    MPI_Comm here;
    int rank = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_rank(here, &rank);
    const struct pl_sweep_node node = {rank == 0, broadcast, &here};
    setup->node = &node;
    enum pl_err rc = study->ops->prepare(study->base, study, setup, err);
    setup->node = NULL;
    MPI_Comm_free(&here);
    return rc;
}

/* --- messages ------------------------------------------------------------------------------------------ */

/* Outcomes, packed: each a head and the outputs of the base behind it. */
struct head {
    uint64_t point;
    double seconds;
    int32_t code, reserved;
    char error[PL_ERROR_MESSAGE_MAX];
};

static size_t stride(const struct pl_study *study)
{
    return sizeof(struct head) + study->ops->output_count * sizeof(double);
}

static void pack(const struct pl_study *study, const struct pl_outcome *outcome, char *out)
{
    struct head head = {.point = outcome->point, .seconds = outcome->seconds, .code = (int32_t)outcome->code};
    memcpy(head.error, outcome->error, sizeof head.error);
    memcpy(out, &head, sizeof head);
    memcpy(out + sizeof head, outcome->output, study->ops->output_count * sizeof(double));
}

static void unpack(const struct pl_study *study, const char *in, int rank, struct pl_outcome *outcome)
{
    struct head head;
    memcpy(&head, in, sizeof head);
    outcome->point = head.point;
    outcome->seconds = head.seconds;
    outcome->share = 1;
    outcome->worker = rank;
    outcome->code = (enum pl_err)head.code;
    memcpy(outcome->error, head.error, sizeof outcome->error);
    memcpy(outcome->output, in + sizeof head, study->ops->output_count * sizeof(double));
}

/* --- the ranks that compute ------------------------------------------------------------------------------ */

static size_t compute(const struct pl_study *study, struct pl_sweep_worker *worker, const uint64_t *points,
                      size_t count, struct pl_outcome *outcome, char *message)
{
    for (size_t i = 0; i < count; i++) {
        outcome->point = points[i];
        pl_sweep_compute(study, worker, pl_study_point(study, points[i]), 1, outcome);
        pack(study, outcome, message + i * stride(study));
    }
    return count * stride(study);
}

static enum pl_err serve(struct pl_study *study, struct pl_sweep_worker *worker, struct pl_error *err)
{
    const size_t chunk = study->ops->chunk;
    uint64_t *points = calloc(chunk, sizeof *points);
    char *message = malloc(chunk * stride(study));
    struct pl_outcome outcome = {.output = malloc(study->ops->output_count * sizeof(double))};
    enum pl_err rc = PL_OK;
    size_t length = 0;
    int bytes = 1;
    if (!points || !message || !outcome.output)
        rc = pl_fail_memory(err, chunk * stride(study), "messages");
    while (rc == PL_OK && bytes > 0) {
        MPI_Status status;
        MPI_Send(message, (int)length, MPI_BYTE, 0, TAG_OUTCOMES, MPI_COMM_WORLD);
        MPI_Recv(points, (int)(chunk * sizeof *points), MPI_BYTE, 0, TAG_POINTS, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        length = compute(study, worker, points, (size_t)bytes / sizeof *points, &outcome, message);
    }
    free(points);
    free(message);
    free(outcome.output);
    return rc;
}

enum pl_err pl_sweep_mpi_serve(struct pl_study *study, struct pl_error *err)
{
    struct pl_sweep_setup setup = {.threads = 1};
    struct pl_sweep_worker *worker = NULL;
    if (!pl_sweep_mpi_agree(true)) /* rank 0 has its list of points */
        return PL_END;
    enum pl_err rc = prepare(study, &setup, err);
    if (rc == PL_OK)
        rc = study->ops->worker(study->base, study, &setup, &worker, err);
    if (!pl_sweep_mpi_agree(rc == PL_OK))
        rc = rc ? rc : PL_END; /* another rank has the message */
    if (rc == PL_OK)
        rc = serve(study, worker, err);
    study->ops->worker_free(worker);
    return rc;
}

/* --- rank 0 --------------------------------------------------------------------------------------------------- */

struct leader {
    struct pl_study *study;
    struct pl_sweep_keeper *keeper;
    const uint64_t *list;
    size_t count, next, chunk;
    int busy; /* ranks that were not told that it is over */
    char *message;
    double *output;
    bool stop;
};

/* Keeps what a rank sends, and gives it more. A rank is told to stop by an empty message, also after a failure. */
static enum pl_err answer(struct leader *leader, enum pl_err rc, struct pl_error *err)
{
    MPI_Status status;
    int bytes = 0;
    const size_t step = stride(leader->study);
    MPI_Recv(leader->message, (int)(leader->study->ops->chunk * step), MPI_BYTE, MPI_ANY_SOURCE, TAG_OUTCOMES,
             MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    for (size_t at = 0; rc == PL_OK && at + step <= (size_t)bytes; at += step) {
        struct pl_outcome outcome = {.output = leader->output};
        unpack(leader->study, leader->message + at, status.MPI_SOURCE, &outcome);
        rc = pl_sweep_keep(leader->keeper, pl_study_point(leader->study, outcome.point), &outcome, err);
    }
    size_t left = rc || leader->stop ? 0 : leader->count - leader->next;
    size_t count = left < leader->chunk ? left : leader->chunk;
    MPI_Send(leader->list + leader->next, (int)(count * sizeof *leader->list), MPI_BYTE, status.MPI_SOURCE, TAG_POINTS,
             MPI_COMM_WORLD);
    leader->next += count;
    leader->busy -= count == 0;
    return rc;
}

static enum pl_err lead(struct leader *leader, const struct pl_sweep_watch *watch, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    while (leader->busy > 0) {
        int there = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_OUTCOMES, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        if (there)
            rc = answer(leader, rc, rc ? NULL : err);
        else
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        if (rc == PL_OK)
            rc = pl_sweep_keeper_commit(leader->keeper, false, err);
        if (watch && !leader->stop && !watch->report(watch->user, leader->keeper->state))
            leader->stop = true;
    }
    if (rc == PL_OK)
        rc = pl_sweep_keeper_commit(leader->keeper, true, err);
    return rc ? rc : leader->stop ? PL_END : PL_OK;
}

static enum pl_err lead_list(struct leader *leader, const struct pl_sweep_watch *watch, struct pl_error *err)
{
    struct pl_study *study = leader->study;
    struct pl_sweep_setup setup = {.threads = 1, .writes_only = true, .progress = watch ? watch->preparing : NULL};
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    leader->busy = ranks - 1;
    const size_t fair = leader->count / ((size_t)ranks * 4) + 1;
    leader->chunk = fair < study->ops->chunk ? fair : study->ops->chunk;
    leader->message = malloc(study->ops->chunk * stride(study));
    leader->output = malloc(study->ops->output_count * sizeof(double));
    enum pl_err rc = prepare(study, &setup, err);
    if (rc == PL_OK && (!leader->message || !leader->output))
        rc = pl_fail_memory(err, study->ops->chunk * stride(study), "messages");
    if (!pl_sweep_mpi_agree(rc == PL_OK))
        rc = rc ? rc : pl_fail(err, PL_ERR_RESOURCE, "a rank could not begin");
    if (rc == PL_OK)
        rc = lead(leader, watch, err);
    free(leader->message);
    free(leader->output);
    return rc;
}

enum pl_err pl_sweep_mpi_lead(struct pl_study *study, struct pl_results *results,
                              const struct pl_sweep_run_options *options, struct pl_sweep_state *state,
                              struct pl_error *err)
{
    struct pl_sweep_keeper keeper = {0};
    uint64_t *list = NULL;
    size_t count = 0;
    *state = (struct pl_sweep_state){0};
    enum pl_err rc = pl_sweep_list(study, results, options->shard, options->shards, &list, &count, state, err);
    if (rc == PL_OK)
        rc = pl_sweep_keeper_start(&keeper, study, results, state, err);
    if (!pl_sweep_mpi_agree(rc == PL_OK))
        return rc ? rc : pl_fail(err, PL_ERR_RESOURCE, "a rank could not begin");
    struct leader leader = {.study = study, .keeper = &keeper, .list = list, .count = count};
    rc = lead_list(&leader, options->watch, err);
    pl_sweep_keeper_end(&keeper);
    free(list);
    return rc;
}

#else

static enum pl_err without(struct pl_error *err)
{
    return pl_fail(err, PL_ERR_USAGE,
                   "this pagelab was built without MPI, and a launcher started several of it: configure "
                   "finds Open MPI where libopenmpi-dev is installed; --shard I/N needs no MPI");
}

const char *pl_sweep_mpi_version(void)
{
    return NULL;
}

enum pl_err pl_sweep_mpi_start(int *rank, struct pl_error *err)
{
    return without(err);
}

bool pl_sweep_mpi_agree_who(bool fine, bool *speaks)
{
    *speaks = !fine;
    return fine;
}

bool pl_sweep_mpi_agree(bool fine)
{
    return fine;
}

bool pl_sweep_mpi_agree_on(const char *text)
{
    return true;
}

enum pl_err pl_sweep_mpi_lead(struct pl_study *study, struct pl_results *results,
                              const struct pl_sweep_run_options *options, struct pl_sweep_state *state,
                              struct pl_error *err)
{
    return without(err);
}

enum pl_err pl_sweep_mpi_serve(struct pl_study *study, struct pl_error *err)
{
    return without(err);
}

void pl_sweep_mpi_end(void)
{
}

#endif
