/* sim/sim_store_write.c: with lists: the store's oldest pages, already compressed, go to the page file.
 *
 * It begins when the store takes more than store.write_above of a limit, or refused a page, and ends at store.write_to. A
 * store that takes its memory from the same frames also gives up pages when threads wait for frames and nothing else could
 * free one. A cluster is written at a time; its pages stay in the store, and can be hit there, until they are written.
 *
 * Such a page is decompressed when it is read back. What this does not model: that reading it back moves fewer bytes. */
#include "sim/engine.h"

enum { CLUSTER_MAX = 64 };

static bool is_above(const struct pl_sim *sim, double share)
{
    const struct pl_store_params *params = &sim->store_params;
    if (params->max_pages != PL_STORE_NO_LIMIT &&
        (double)pl_store_pages(sim->store) > share * (double)params->max_pages)
        return true;
    return params->max_bytes != PL_STORE_NO_LIMIT &&
           (double)pl_store_limited_bytes(sim->store) > share * (double)params->max_bytes;
}

/* Whether pages are to leave now. Once begun it goes on to the lower mark. */
static bool is_wanted(struct pl_sim *sim)
{
    if (pl_frames_available(pl_memory_frames(sim->memory)) >= sim->machine.writer_cluster)
        sim->store_pressed = false;
    if (sim->machine.when_full != PL_STORE_WRITES_OLDEST || pl_store_oldest(sim->store) == PL_NO_PAGE)
        return false;
    if (is_above(sim, sim->machine.write_above))
        sim->store_shrinks = true;
    else if (!is_above(sim, sim->machine.write_to))
        sim->store_shrinks = false;
    return sim->store_shrinks || sim->store_blocked || sim->store_pressed;
}

/* A page that the disk has already need not be written. True: it is out. */
static bool drop(struct pl_sim *sim, pl_page object)
{
    struct pl_page_state page = pl_memory_page(sim->memory, object);
    if (!page.on_disk)
        return false;
    pl_memory_settle_file(sim->memory, object, page.slot);
    sim_store_remove(sim, object);
    sim->totals.store_dropped++;
    return true;
}

/* The oldest pages that must be written, up to a cluster; *bytes is what they take. They count as the newest meanwhile. */
static uint32_t collect(struct pl_sim *sim, struct pl_out *out, uint64_t *bytes)
{
    uint32_t most = sim->machine.writer_cluster < CLUSTER_MAX ? (uint32_t)sim->machine.writer_cluster : CLUSTER_MAX;
    uint32_t count = 0;
    *bytes = 0;
    for (pl_page object; count < most && (object = sim_store_oldest(sim)) != PL_NO_PAGE;) {
        if (count && object == out[0].object)
            break; /* once around */
        if (drop(sim, object))
            continue;
        pl_page key = pl_memory_key(&sim->memory_params, object);
        struct pl_store_page stored;
        pl_store_find(sim->store, key, &stored);
        *bytes += stored.size ? stored.size : stored.same_filled ? 0 : sim->machine.page_bytes;
        pl_store_touch(sim->store, key);
        out[count++] = (struct pl_out){.object = object, .frame = PL_NO_FRAME, .slot = PL_NO_SLOT};
    }
    return count;
}

void sim_store_write_out(struct pl_sim *sim, pl_time_ps now)
{
    struct pl_out out[CLUSTER_MAX];
    uint32_t owner[CLUSTER_MAX];
    uint64_t bytes;
    if (!sim->store || sim->store_writing || sim->writer_stuck || !sim->file || !is_wanted(sim))
        return;
    uint32_t count = collect(sim, out, &bytes);
    if (!count) {
        sim->store_blocked = false; /* all that had to go could be dropped */
        return;
    }
    struct pl_slot_run run;
    for (uint32_t i = 0; i < count; i++)
        owner[i] = out[i].object;
    if (!sim_slots_allocate(sim, owner, count, &run)) {
        sim->writer_stuck = true;
        return;
    }
    uint32_t pages = (uint32_t)((bytes + sim->machine.page_bytes - 1) / sim->machine.page_bytes);
    sim->store_writing = true;
    for (uint32_t i = 0; i < run.count; i++)
        sim->leaving[i] = out[i].object;
    sim->leaving_count = run.count;
    sim_disk_write_cluster(sim, TRANSFER_STORE_WRITE, out, run.count, run, pages ? pages : 1, now);
}

void sim_store_written(struct pl_sim *sim, struct transfer *transfer, pl_time_ps now)
{
    sim->changes++;
    sim->store_writing = false;
    for (uint32_t i = 0; i < transfer->count; i++) {
        pl_page object = sim->leaving[i];
        uint32_t slot = transfer->run.first + i;
        if (object == PL_NO_PAGE) { /* it was hit, freed or written anew meanwhile */
            sim_slot_free(sim, slot);
            continue;
        }
        sim->leaving[i] = PL_NO_PAGE;
        if (pl_memory_settle_file(sim->memory, object, slot))
            sim_slot_pack(sim, slot);
        else
            sim_slot_free(sim, slot);
        sim_store_remove(sim, object);
        sim->totals.store_written++;
    }
    sim->leaving_count = 0;
    sim->store_blocked = false;
    sim_writer_look(sim, now);
    sim_wake_memory(sim, now);
}
