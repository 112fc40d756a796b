/* sim/sim_disk.c: the disk, its page file, and who waits for them.
 *
 * A transfer is one request to the disk and what is to be done when it has ended. When nobody else exists whom it could
 * delay (one thread, no events, a disk of constant time and unlimited servers), its time is simply added and no event is
 * made: that is the machine of 1996, and what makes its replay fast. */
#include "sim/engine.h"

#include <assert.h>
#include <stdlib.h>

enum { UNLIMITED_SLOTS = 1 << 24, WRITE_CLUSTER_MAX = 64 };

/* --- opening -------------------------------------------------------------------------- */

static uint32_t cluster_of(const struct pl_machine *machine)
{
    uint32_t cluster = 1;
    while (cluster < machine->writer_cluster && cluster < WRITE_CLUSTER_MAX)
        cluster *= 2;
    return cluster;
}

enum pl_err sim_disk_open(struct pl_sim *sim, struct pl_error *err)
{
    const struct pl_machine *machine = &sim->machine;
    bool unlimited = machine->file_pages == PL_UNLIMITED;
    const struct pl_device_params *disk = &machine->disk;
    sim->disk_is_free =
        !strcmp(pl_device_kind_name(disk), "constant") && disk->constant.servers == PL_UNLIMITED;
    enum pl_err rc = pl_device_create(disk, "disk", (uint32_t)machine->page_bytes, machine->seed, &sim->disk, err);
    if (rc || (unlimited && sim->disk_is_free && !machine->lists))
        return rc; /* places do not matter and never run out */
    uint64_t slots = unlimited ? UNLIMITED_SLOTS : machine->file_pages;
    if (slots >= UINT32_MAX)
        return pl_fail(err, PL_ERR_INPUT, "page_file.size: more than 2^32 pages");
    return pl_page_file_create((uint32_t)slots, cluster_of(machine), 0, &sim->file, err);
}

void sim_disk_close(struct pl_sim *sim)
{
    for (size_t i = 0; i < sim->transfer_count; i++) {
        free(sim->transfer[i].out);
        free(sim->transfer[i].ahead);
    }
    free(sim->transfer);
    pl_page_file_destroy(sim->file);
    pl_device_destroy(sim->disk);
}

/* --- transfers -------------------------------------------------------------------------- */

static struct transfer *new_transfer(struct pl_sim *sim, enum transfer_kind kind, uint32_t actor, uint64_t *index)
{
    size_t i = 0;
    while (i < sim->transfer_count && sim->transfer[i].used)
        i++;
    if (i == sim->transfer_count) {
        if (sim_fail(sim, pl_grow((void **)&sim->transfer, &sim->transfer_capacity, i + 1, sizeof *sim->transfer,
                                  "transfers", sim->err)))
            return NULL;
        sim->transfer[sim->transfer_count++] = (struct transfer){0};
    }
    struct transfer *transfer = &sim->transfer[i];
    transfer->kind = kind;
    transfer->actor = actor;
    transfer->count = transfer->ahead_count = 0;
    transfer->used = true;
    *index = i;
    return transfer;
}

static void post_event(struct pl_sim *sim)
{
    pl_time_ps next = pl_device_next_ps(sim->disk);
    if (next == PL_DEVICE_IDLE_PS || next == sim->disk_event_ps)
        return;
    sim->disk_event_ps = next;
    sim_push(sim, next, EVENT_DISK, 0);
}

void sim_disk_submit(struct pl_sim *sim, uint32_t index, pl_time_ps now)
{
    sim_fail(sim, pl_device_submit(sim->disk, now, &sim->transfer[index].request, sim->err));
    post_event(sim);
}

/* An actor's clock may be ahead of others' events; the disk gets its requests in the order of time. */
static void submit(struct pl_sim *sim, pl_time_ps now, enum pl_device_operation operation, uint32_t pages,
                   uint64_t block, uint64_t index)
{
    uint64_t bytes = pages * sim->machine.page_bytes;
    sim->transfer[index].since = now;
    sim->transfer[index].request = (struct pl_device_request){
        .operation = operation, .pages = pages, .first_block = block, .cookie = index};
    if (operation == PL_DEVICE_READ) {
        sim->totals.disk_read_requests++;
        sim->totals.disk_bytes_read += bytes;
    } else {
        sim->totals.disk_write_requests++;
        sim->totals.disk_bytes_written += bytes;
    }
    if (pl_event_queue_next_ps(&sim->queue) < now) {
        sim_push(sim, now, EVENT_SUBMIT, (uint32_t)index);
        return;
    }
    sim_reach(sim, now);
    sim_disk_submit(sim, (uint32_t)index, now);
}

/* Whether a transfer's time can be added without an event. */
static bool at_once(const struct pl_sim *sim)
{
    return sim->disk_is_free && pl_event_queue_count(&sim->queue) == 0;
}

static uint64_t block_of(const struct pl_sim *sim, uint32_t slot, pl_page object)
{
    return sim->file && slot != PL_NO_SLOT ? pl_page_file_block(sim->file, slot) : object;
}

/* --- reading ------------------------------------------------------------------------------ */

static bool has_room_ahead(struct pl_sim *sim, struct transfer *transfer)
{
    size_t room = (size_t)sim->machine.read_cluster;
    if (!transfer->ahead)
        transfer->ahead = calloc(room, sizeof *transfer->ahead);
    if (!transfer->ahead)
        sim_fail(sim, pl_fail_memory(sim->err, room * sizeof *transfer->ahead, "a read"));
    return transfer->ahead;
}

/* Neighbours in the page file come along, as far as frames are to be had without an eviction. */
static void read_neighbours(struct pl_sim *sim, struct transfer *transfer, uint32_t slot, struct pl_slot_run *run)
{
    uint32_t most = (uint32_t)sim->machine.read_cluster;
    struct pl_slot_run all = pl_page_file_neighbours(sim->file, slot, most);
    *run = (struct pl_slot_run){slot, 1};
    if (!has_room_ahead(sim, transfer))
        return;
    for (uint32_t s = all.first; s < all.first + all.count; s++) {
        struct pl_fault *fault = &transfer->ahead[transfer->ahead_count];
        if (s == slot)
            continue;
        pl_memory_read_ahead(sim->memory, pl_page_file_owner(sim->file, s), fault);
        if (fault->state != PL_FAULT_READY)
            continue;
        transfer->ahead_count++;
        uint32_t last = run->first + run->count - 1;
        run->first = s < run->first ? s : run->first;
        run->count = (s > last ? s : last) - run->first + 1;
    }
    sim->totals.read_ahead += transfer->ahead_count;
}

bool sim_disk_read(struct pl_sim *sim, struct actor *actor)
{
    const struct pl_fault *fault = &actor->fault;
    const struct pl_constant_params *constant = &sim->machine.disk.constant;
    sim->totals.disk_reads++;
    if (at_once(sim)) {
        pl_time_ps time = constant->read_request_ps + constant->read_page_ps;
        sim->totals.disk_read_requests++;
        sim->totals.disk_bytes_read += sim->machine.page_bytes;
        sim->totals.disk_busy_ps += time;
        sim_charge_disk(sim, actor, time);
        return true;
    }
    uint64_t index;
    struct transfer *transfer = new_transfer(sim, TRANSFER_READ, actor->index, &index);
    if (!transfer)
        return false;
    struct pl_slot_run run = {fault->slot, 1};
    bool cluster = sim->machine.lists && sim->file && fault->slot != PL_NO_SLOT && !fault->mapped_file &&
                   sim->machine.read_cluster > 1;
    if (cluster)
        read_neighbours(sim, transfer, fault->slot, &run);
    sim->totals.disk_reads += transfer->ahead_count;
    actor->pending++;
    submit(sim, actor->clock, PL_DEVICE_READ, run.count, block_of(sim, run.first, fault->object), index);
    return !sim->failed;
}

pl_time_ps sim_disk_ahead_since(const struct pl_sim *sim, pl_page object)
{
    for (size_t i = 0; i < sim->transfer_count; i++) {
        const struct transfer *transfer = &sim->transfer[i];
        if (!transfer->used || transfer->kind != TRANSFER_READ)
            continue;
        for (uint32_t k = 0; k < transfer->ahead_count; k++)
            if (transfer->ahead[k].object == object)
                return transfer->since;
    }
    return PL_NEVER_PS;
}

/* Out of the store at once; from the disk in its own time. */
bool sim_prefetch(struct pl_sim *sim, struct actor *actor, pl_page page)
{
    struct pl_fault fault;
    uint64_t index;
    if (!sim->machine.lists)
        return true;
    pl_memory_read_ahead(sim->memory, page, &fault);
    if (fault.state != PL_FAULT_READY)
        return true;
    sim->totals.read_ahead++;
    sim->changes++;
    if (fault.kind == PL_FAULT_STORE) {
        sim->totals.decompressions++;
        sim_charge(sim, actor, PL_TIME_DECOMPRESS, sim_decompression_time(sim, fault.object));
        if (sim->machine.exclusive)
            sim_store_remove(sim, fault.object);
        else
            fault.keep_store_copy = true;
        pl_memory_read_ahead_end(sim->memory, &fault);
        return sim_goes_on(sim);
    }
    struct transfer *transfer = new_transfer(sim, TRANSFER_READ, SIM_NONE, &index);
    if (!transfer || !has_room_ahead(sim, transfer))
        return false;
    transfer->ahead[transfer->ahead_count++] = fault;
    sim->totals.disk_reads++;
    submit(sim, actor->clock, PL_DEVICE_READ, 1, block_of(sim, fault.slot, fault.object), index);
    return sim_goes_on(sim);
}

/* --- writing -------------------------------------------------------------------------------- */

bool sim_slot_is_packed(const struct pl_sim *sim, uint32_t slot)
{
    return sim->packed && slot != PL_NO_SLOT && sim->packed[slot / 8] >> (slot % 8) & 1;
}

void sim_slot_pack(struct pl_sim *sim, uint32_t slot)
{
    struct pl_page_file_stats file;
    if (!sim->packed) {
        pl_page_file_stats(sim->file, &file);
        sim->packed = pl_arena_alloc(sim->arena, (size_t)file.slots / 8 + 1, 1);
    }
    if (!sim->packed)
        sim_fail(sim, pl_fail_memory(sim->err, 0, "the page file"));
    else
        sim->packed[slot / 8] |= (uint8_t)(1u << (slot % 8));
}

void sim_slot_free(struct pl_sim *sim, uint32_t slot)
{
    if (!sim->file || slot == PL_NO_SLOT)
        return;
    pl_page_file_free(sim->file, slot);
    if (sim->packed)
        sim->packed[slot / 8] &= (uint8_t)~(1u << (slot % 8));
    if (sim->writer_stuck) { /* there is room again */
        sim->writer_stuck = false;
        sim->store_blocked = false;
    }
}

uint32_t sim_slots_reclaim(struct pl_sim *sim)
{
    uint64_t walk = 0;
    uint32_t slot, count = 0;
    while (sim->file && (slot = pl_memory_take_stale_slot(sim->memory, &walk)) != PL_NO_SLOT) {
        sim_slot_free(sim, slot);
        count++;
    }
    sim->totals.slots_reclaimed += count;
    return count;
}

bool sim_slots_allocate(struct pl_sim *sim, const uint32_t *owner, uint32_t count, struct pl_slot_run *out)
{
    if (!sim->file)
        return false;
    return pl_page_file_allocate(sim->file, owner, count, out) ||
           (sim_slots_reclaim(sim) && pl_page_file_allocate(sim->file, owner, count, out));
}

bool sim_disk_write(struct pl_sim *sim, struct actor *actor, pl_page object, uint32_t old_slot, uint32_t *slot)
{
    const struct pl_constant_params *constant = &sim->machine.disk.constant;
    *slot = PL_NO_SLOT;
    if (sim->file && !pl_memory_page(sim->memory, object).mapped_file) { /* a mapped file has its place elsewhere */
        struct pl_slot_run run = {old_slot, 1}; /* it keeps its place */
        if (old_slot == PL_NO_SLOT && !sim_slots_allocate(sim, &object, 1, &run)) {
            sim_stop(sim, "%s (page_file.size = %llup); the next page that has to leave memory has nowhere to go",
                     sim->machine.file_pages ? "the page file is full" : "there is no page file",
                     (unsigned long long)sim->machine.file_pages);
            return false;
        }
        *slot = run.first;
    }
    sim->totals.disk_writes++;
    if (at_once(sim)) {
        pl_time_ps time = constant->write_request_ps + constant->write_page_ps;
        sim->totals.disk_write_requests++;
        sim->totals.disk_bytes_written += sim->machine.page_bytes;
        sim->totals.disk_busy_ps += time;
        if (sim->machine.write_waits)
            sim_charge_disk(sim, actor, time);
        return true;
    }
    uint64_t index;
    struct transfer *transfer =
        new_transfer(sim, TRANSFER_EVICT, sim->machine.write_waits ? actor->index : SIM_NONE, &index);
    if (!transfer)
        return false;
    if (sim->machine.write_waits)
        actor->pending++;
    submit(sim, actor->clock, PL_DEVICE_WRITE, 1, block_of(sim, *slot, object), index);
    return !sim->failed;
}

bool sim_disk_write_cluster(struct pl_sim *sim, enum transfer_kind kind, const struct pl_out *out, uint32_t count,
                            struct pl_slot_run run, uint32_t request_pages, pl_time_ps now)
{
    uint64_t index;
    struct transfer *transfer = new_transfer(sim, kind, SIM_NONE, &index);
    if (!transfer)
        return false;
    if (!transfer->out)
        transfer->out = calloc(WRITE_CLUSTER_MAX, sizeof *transfer->out);
    if (!transfer->out) {
        sim_fail(sim, pl_fail_memory(sim->err, WRITE_CLUSTER_MAX * sizeof *transfer->out, "a write"));
        return false;
    }
    assert(count <= WRITE_CLUSTER_MAX);
    for (uint32_t i = 0; i < count; i++)
        transfer->out[i] = out[i];
    transfer->count = count;
    transfer->run = run;
    sim->totals.disk_writes += count;
    submit(sim, now, PL_DEVICE_WRITE, request_pages, block_of(sim, run.first, out[0].object), index);
    return !sim->failed;
}

/* --- the end of a transfer --------------------------------------------------------------------- */

static void end_read_ahead(struct pl_sim *sim, struct transfer *transfer, pl_time_ps now)
{
    for (uint32_t i = 0; i < transfer->ahead_count; i++) {
        pl_memory_read_ahead_end(sim->memory, &transfer->ahead[i]);
        sim->changes++;
        sim_wake_object(sim, transfer->ahead[i].object, now);
    }
}

/* The transfer is free for another one. What it held is copied first, as its end may begin others. */
static void end_transfer(struct pl_sim *sim, uint64_t index, pl_time_ps now)
{
    struct transfer *transfer = &sim->transfer[index];
    struct actor *actor = transfer->actor == SIM_NONE ? NULL : &sim->actor[transfer->actor];
    switch (transfer->kind) {
    case TRANSFER_READ:
        end_read_ahead(sim, transfer, now);
        break;
    case TRANSFER_WRITE:
        sim_writer_written(sim, transfer, now);
        break;
    case TRANSFER_STORE_WRITE:
        sim_store_written(sim, transfer, now);
        break;
    case TRANSFER_EVICT:
        break;
    }
    sim->transfer[index].used = false; /* the array may have moved */
    if (!actor)
        return;
    assert(actor->pending);
    if (--actor->pending == 0 && actor->state == ACTOR_DISK)
        sim_actor_wake(sim, actor, now);
    else if (actor->state == ACTOR_GONE && !actor->pending)
        sim_fault_abandon(sim, actor, now);
}

/* Viewers draw spans of one line within each other or not at all: what overlaps goes to the next line. */
static void draw(struct pl_sim *sim, const struct pl_device_request *done, pl_time_ps now)
{
    unsigned lane = 0;
    while (lane + 1 < TIMELINE_LANES && sim->lane_end[lane] > done->started_ps)
        lane++;
    sim->lane_end[lane] = now;
    pl_timeline_span(sim->options.timeline, TIMELINE_MACHINE, TIMELINE_DISK + lane,
                     done->operation == PL_DEVICE_READ ? "read" : "write", done->started_ps, now);
}

void sim_disk_event(struct pl_sim *sim, pl_time_ps now)
{
    if (now == sim->disk_event_ps)
        sim->disk_event_ps = PL_NEVER_PS;
    while (pl_device_next_ps(sim->disk) == now && sim_goes_on(sim)) {
        struct pl_device_request done;
        if (pl_device_complete(sim->disk, now, &done)) {
            if (sim->options.timeline)
                draw(sim, &done, now);
            end_transfer(sim, done.cookie, now);
        }
    }
    post_event(sim);
}
