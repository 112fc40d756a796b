/* sim/sim_writer.c: with lists: how modified pages leave memory.
 *
 *                      +--> compress queue --> worker --> store --> oldest --> disk     (sim_store_write.c)
 *   modified list -----+                          | rejected
 *                      +--> write queue <---------+
 *                                |  a cluster at a time
 *                                v
 *                               disk
 *                                ^
 *                                |  a cluster at a time, by a writer of its own
 *   modified-no-write --> modified list of mapped files
 *
 * sim_writer_look is called whenever the lists may have changed; it starts what can be started, and nothing else. */
#include "sim/engine.h"

#include <assert.h>
#include <stdlib.h>

enum { CLUSTER_MAX = 64 };

enum pl_err sim_writer_open(struct pl_sim *sim, struct pl_error *err)
{
    const struct pl_machine *machine = &sim->machine;
    if (!machine->lists)
        return PL_OK;
    size_t workers = machine->has_store ? (size_t)machine->workers : 0;
    sim->task_count = workers + (size_t)machine->zero_threads;
    sim->task = pl_arena_alloc(sim->arena, sim->task_count + 1, sizeof *sim->task);
    sim->compress_queue = pl_arena_alloc(sim->arena, (size_t)machine->store_queue, sizeof *sim->compress_queue);
    if (!sim->task || !sim->compress_queue)
        return pl_fail_memory(err, 0, "store workers");
    for (size_t i = 0; i < sim->task_count; i++)
        sim->task[i].kind = i < workers ? TASK_WORKER : TASK_ZERO;
    return PL_OK;
}

void sim_writer_close(struct pl_sim *sim)
{
    free(sim->write_queue);
}

/* --- the way of one page out ------------------------------------------------------------ */

/* Copies of earlier days go. */
static void drop_old_copies(struct pl_sim *sim, struct pl_out *out)
{
    sim->changes++;
    sim_slot_free(sim, out->slot);
    out->slot = PL_NO_SLOT;
    if (out->stale_store && sim->store)
        sim_store_remove(sim, out->object);
    out->stale_store = false;
}

static bool queue_write(struct pl_sim *sim, const struct pl_out *out)
{
    if (sim_fail(sim, pl_grow((void **)&sim->write_queue, &sim->write_capacity, sim->write_count + 1,
                              sizeof *sim->write_queue, "pages to be written", sim->err)))
        return false;
    sim->write_queue[sim->write_count++] = *out;
    return true;
}

/* --- writing to the disk ------------------------------------------------------------------- */

static bool wants(const struct pl_sim *sim, enum pl_list list)
{
    const struct pl_frames *frames = pl_memory_frames(sim->memory);
    uint32_t waiting = frames->count[list];
    return waiting && (sim->writer_all || waiting > sim->machine.writer_above ||
                       pl_frames_available(frames) < sim->machine.writer_below ||
                       sim->memory_waiters);
}

/* Up to a cluster of neighbouring slots for what is at hand; what finds none goes back to its list. */
static void write_pages(struct pl_sim *sim, struct pl_out *out, uint32_t count, pl_time_ps now)
{
    uint32_t owner[CLUSTER_MAX];
    struct pl_slot_run run = {0, 0};
    for (uint32_t i = 0; i < count; i++)
        owner[i] = out[i].object;
    if (!sim_slots_allocate(sim, owner, count, &run))
        sim->writer_stuck = true;
    for (uint32_t i = run.count; i < count; i++)
        pl_memory_out_failed(sim->memory, &out[i]);
    if (run.count) {
        sim->writing = true;
        sim->totals.writer_runs++;
        sim_disk_write_cluster(sim, TRANSFER_WRITE, out, run.count, run, run.count, now);
    }
}

static void write_files(struct pl_sim *sim, struct pl_out *out, uint32_t count, pl_time_ps now)
{
    sim->file_writing = true;
    sim->totals.file_writer_runs++;
    sim_disk_write_cluster(sim, TRANSFER_WRITE, out, count, (struct pl_slot_run){PL_NO_SLOT, 0}, count, now);
}

static uint32_t cluster_size(const struct pl_sim *sim)
{
    return sim->machine.writer_cluster < CLUSTER_MAX ? (uint32_t)sim->machine.writer_cluster : CLUSTER_MAX;
}

/* The mapped-page writer. It waits for nobody's page file. */
static void look_for_file_writes(struct pl_sim *sim, pl_time_ps now)
{
    struct pl_out out[CLUSTER_MAX];
    if (sim->file_writing || !sim_goes_on(sim) || !wants(sim, PL_LIST_MODIFIED_FILE))
        return;
    uint32_t count =
        pl_memory_take_modified(sim->memory, PL_LIST_MODIFIED_FILE, PL_FLIGHT_WRITE, cluster_size(sim), out);
    if (count)
        write_files(sim, out, count, now);
}

void sim_release_held(struct pl_sim *sim)
{
    pl_page page;
    while ((page = pl_memory_first_modified(sim->memory, PL_LIST_MODIFIED_NO_WRITE)) != PL_NO_PAGE)
        pl_memory_hold_writes(sim->memory, page, false);
    sim->changes++;
}

static void look_for_writes(struct pl_sim *sim, pl_time_ps now)
{
    struct pl_out out[CLUSTER_MAX];
    uint32_t most = cluster_size(sim), count = 0;
    if (sim->writing || !sim_goes_on(sim))
        return;
    if (sim->writer_stuck)
        return;
    while (count < most && sim->write_count) /* refused by the store: the newest first, as on a stack */
        out[count++] = sim->write_queue[--sim->write_count];
    if (!count && !sim->store && wants(sim, PL_LIST_MODIFIED)) {
        count = pl_memory_take_modified(sim->memory, PL_LIST_MODIFIED, PL_FLIGHT_WRITE, most, out);
        for (uint32_t i = 0; i < count; i++)
            drop_old_copies(sim, &out[i]);
    }
    if (count)
        write_pages(sim, out, count, now);
}

void sim_writer_written(struct pl_sim *sim, struct transfer *transfer, pl_time_ps now)
{
    bool file = transfer->run.first == PL_NO_SLOT;
    sim->changes++;
    for (uint32_t i = 0; i < transfer->count; i++) {
        uint32_t slot = file ? PL_NO_SLOT : transfer->run.first + i;
        if (!pl_memory_write_done(sim->memory, &transfer->out[i], slot) && !file)
            sim_slot_free(sim, slot);
        if (file && sim->machine.file_hold && pl_memory_page(sim->memory, transfer->out[i].object).mapped_file)
            pl_memory_hold_writes(sim->memory, transfer->out[i].object, true); /* the next time it is modified */
        sim_wake_object(sim, transfer->out[i].object, now);
    }
    *(file ? &sim->file_writing : &sim->writing) = false;
    sim_wake_memory(sim, now);
}

/* --- compressing ------------------------------------------------------------------------------ */

static void start_task(struct pl_sim *sim, uint32_t index, pl_time_ps now)
{
    struct task *task = &sim->task[index];
    task->busy = true;
    if (sim_cpu_take(sim, SIM_TASK | index, true))
        sim_task_granted(sim, index, now);
}

void sim_task_granted(struct pl_sim *sim, uint32_t index, pl_time_ps now)
{
    struct task *task = &sim->task[index];
    task->since = now;
    if (task->kind == TASK_ZERO) {
        sim_push(sim, now, EVENT_TASK, index);
        return;
    }
    sim_push(sim, now + task->takes, EVENT_TASK, index);
}

/* A worker takes the next page of the queue. */
static void start_worker(struct pl_sim *sim, uint32_t index, pl_time_ps now)
{
    struct task *task = &sim->task[index];
    task->out = sim->compress_queue[sim->compress_head];
    sim->compress_head = (sim->compress_head + 1) % (size_t)sim->machine.store_queue;
    sim->compress_count--;
    sim_store_describe(sim, task->out.object, &task->page);
    task->takes = sim_compression_time(sim, &task->page);
    start_task(sim, index, now);
}

static void look_for_compressions(struct pl_sim *sim, pl_time_ps now)
{
    struct pl_out out[CLUSTER_MAX];
    size_t room = (size_t)sim->machine.store_queue;
    if (sim->store_short && pl_frames_available(pl_memory_frames(sim->memory)) > sim->store_short_at)
        sim->store_short = sim->store_blocked = false;
    while (sim_goes_on(sim) && !sim->store_blocked && sim->compress_count < room && wants(sim, PL_LIST_MODIFIED)) {
        uint32_t most = room - sim->compress_count < CLUSTER_MAX ? (uint32_t)(room - sim->compress_count) : CLUSTER_MAX;
        uint32_t count = pl_memory_take_modified(sim->memory, PL_LIST_MODIFIED, PL_FLIGHT_COMPRESS, most, out);
        for (uint32_t i = 0; i < count; i++) {
            drop_old_copies(sim, &out[i]);
            sim->compress_queue[(sim->compress_head + sim->compress_count++) % room] = out[i];
        }
        sim->totals.writer_runs++;
        if (!count)
            break;
    }
    for (uint32_t i = 0; i < sim->task_count && sim->compress_count; i++)
        if (sim->task[i].kind == TASK_WORKER && !sim->task[i].busy)
            start_worker(sim, i, now);
}

/* The store has no place for a page: room is made for later, or it goes to the disk. */
static void refused(struct pl_sim *sim, const struct pl_out *out, enum pl_store_outcome outcome, pl_time_ps now)
{
    bool full = outcome == PL_STORE_FULL_BYTES || outcome == PL_STORE_FULL_PAGES;
    sim->totals.store_refused++;
    sim->store_short = outcome == PL_STORE_FULL_BYTES;
    sim->store_short_at = pl_frames_available(pl_memory_frames(sim->memory));
    if (full && sim->machine.when_full == PL_STORE_WRITES_OLDEST && sim_store_oldest(sim) != PL_NO_PAGE) {
        sim->store_blocked = true;
        pl_memory_out_failed(sim->memory, out);
        sim_store_write_out(sim, now);
        return;
    }
    if (!sim->file || sim->writer_stuck) {
        /* One of another size may still fit; when all have been tried nothing will change until something leaves the store. */
        sim->store_blocked = ++sim->store_tried > pl_memory_frames(sim->memory)->count[PL_LIST_MODIFIED];
        pl_memory_out_failed(sim->memory, out);
    } else if (pl_memory_write_instead(sim->memory, out))
        queue_write(sim, out);
}

/* Whether the page is still to go: nobody has touched or freed it while it was compressed. */
static bool is_wanted(const struct pl_sim *sim, const struct pl_out *out)
{
    const struct pl_frame_entry *frame = &pl_memory_frames(sim->memory)->frame[out->frame];
    return frame->page == out->object && frame->flight == PL_FLIGHT_COMPRESS;
}

/* Its own frame will be there for the store. False: there was no room, and objects were moved together, which takes time:
 * it will try again. */
static bool put_page(struct pl_sim *sim, struct task *task, pl_time_ps now)
{
    enum pl_store_outcome outcome = sim_store_put(sim, task->out.object, &task->page, 1);
    if (!sim_goes_on(sim))
        return true;
    if (outcome == PL_STORE_FULL_BYTES && sim_store_compact(sim, &task->takes))
        return false;
    if (pl_store_was_stored(outcome)) {
        sim->store_tried = 0;
        pl_memory_compress_done(sim->memory, &task->out, false);
    } else
        refused(sim, &task->out, outcome, now);
    return true;
}

/* False: the worker goes on with the page. */
static bool end_worker(struct pl_sim *sim, struct task *task, pl_time_ps now)
{
    sim->totals.worker_busy_ps += now - task->since;
    sim->changes++;
    if (is_wanted(sim, &task->out)) {
        if (!put_page(sim, task, now))
            return false;
    } else
        pl_memory_compress_done(sim->memory, &task->out, false);
    if (!sim_goes_on(sim))
        return true;
    sim->totals.compressions++;
    sim_store_settle(sim);
    sim_wake_object(sim, task->out.object, now);
    sim_wake_memory(sim, now);
    return true;
}

void sim_task_event(struct pl_sim *sim, uint32_t index, pl_time_ps now)
{
    struct task *task = &sim->task[index];
    if (task->kind == TASK_ZERO) {
        sim_zero_go_on(sim, index, now);
        return;
    }
    task->busy = false;
    if (sim->options.timeline)
        pl_timeline_span(sim->options.timeline, TIMELINE_MACHINE, TIMELINE_TASK + index, "compress", task->since, now);
    bool ends = end_worker(sim, task, now);
    sim_cpu_give(sim, now);
    if (!ends)
        start_task(sim, index, now);
    sim_writer_look(sim, now);
    sim_need_memory(sim, now);
}

void sim_writer_look(struct pl_sim *sim, pl_time_ps now)
{
    if (!sim->machine.lists || !sim_goes_on(sim))
        return;
    const struct pl_frames *frames = pl_memory_frames(sim->memory);
    if (sim->writer_all && !frames->count[PL_LIST_MODIFIED] && !frames->count[PL_LIST_MODIFIED_FILE])
        sim->writer_all = false;
    if (sim->store) {
        sim_store_write_out(sim, now);
        look_for_compressions(sim, now);
    }
    look_for_writes(sim, now);
    look_for_file_writes(sim, now);
}
