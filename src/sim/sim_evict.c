/* sim/sim_evict.c: without lists: where a page goes that leaves its working set.
 *
 *                          room                       clean, or written first
 *   working set --> store? ----> store --> oldest ----------------------------> disk
 *                     |  no store, or it is refused                               ^
 *                     +-----------------------------------------------------------+
 *
 * All of it happens in the fault that needs the frame, and takes that fault's time. */
#include "sim/engine.h"

/* The additional accesses of cache management (frac of the model). */
static void pay_extra_writes(struct pl_sim *sim, struct actor *actor)
{
    const struct pl_constant_params *constant = &sim->machine.disk.constant;
    double access = (double)(constant->write_request_ps + constant->write_page_ps);
    if (sim->store && sim->machine.extra_writes > 0)
        sim_charge_disk(sim, actor, (pl_time_ps)(sim->machine.extra_writes * access + 0.5));
}

/* To the disk, which may have it already. */
static bool to_disk(struct pl_sim *sim, struct actor *actor, pl_page object, bool dirty, uint32_t slot)
{
    if (dirty && !sim_disk_write(sim, actor, object, slot, &slot))
        return false;
    if (dirty)
        pay_extra_writes(sim, actor);
    if (!pl_memory_settle_file(sim->memory, object, slot))
        sim_slot_free(sim, slot); /* the page is gone */
    return true;
}

/* Makes room in the store. False: there is nothing that could go, or a failure. */
static bool write_oldest(struct pl_sim *sim, struct actor *actor)
{
    pl_page object = sim_store_oldest(sim);
    if (object == PL_NO_PAGE)
        return false;
    struct pl_page_state page = pl_memory_page(sim->memory, object);
    bool dirty = !page.on_disk;
    if (!to_disk(sim, actor, object, dirty, page.slot))
        return false;
    sim_store_remove(sim, object);
    if (!dirty) {
        sim->totals.store_dropped++;
        return true;
    }
    sim->totals.store_written++;
    return true;
}

static void pay_compression(struct pl_sim *sim, struct actor *actor, const struct pl_evicted *evicted,
                            const struct pl_store_page *page)
{
    bool pays = sim->machine.accounting == PL_CHARGE_EVERY || evicted->dirty_entered;
    if (!pays)
        return;
    sim->totals.compressions++;
    sim_charge(sim, actor, PL_TIME_COMPRESS, sim_compression_time(sim, page));
}

/* True: it is in the store. */
static bool into_store(struct pl_sim *sim, struct actor *actor, const struct pl_evicted *evicted)
{
    struct pl_store_page page;
    sim_store_describe(sim, evicted->object, &page);
    pay_compression(sim, actor, evicted, &page);
    for (;;) {
        enum pl_store_outcome outcome = sim_store_put(sim, evicted->object, &page, 0);
        pl_time_ps takes;
        if (pl_store_was_stored(outcome))
            return true;
        if (outcome == PL_STORE_FULL_BYTES && sim_store_compact(sim, &takes)) {
            sim_charge(sim, actor, PL_TIME_COMPRESS, takes);
            continue;
        }
        bool full = outcome == PL_STORE_FULL_BYTES || outcome == PL_STORE_FULL_PAGES;
        if (!full || sim->machine.when_full != PL_STORE_WRITES_OLDEST || !write_oldest(sim, actor) ||
            !sim_goes_on(sim)) {
            sim->totals.store_refused++;
            return false;
        }
    }
}

bool sim_settle(struct pl_sim *sim, struct actor *actor, const struct pl_evicted *evicted)
{
    if (evicted->dirty_entered)
        sim->totals.evicted_dirty++;
    else
        sim->totals.evicted_clean++;
    sim_charge(sim, actor, PL_TIME_FAULT, sim->machine.evict_cost);
    if (evicted->stale_store)
        sim_store_remove(sim, evicted->object);
    if (evicted->all_zero) { /* no copy is needed, and those that exist go */
        if (evicted->in_store)
            sim_store_remove(sim, evicted->object);
        sim_slot_free(sim, evicted->mapped_file ? PL_NO_SLOT : evicted->slot);
        pl_memory_settle_zero(sim->memory, evicted->object);
        return true;
    }
    bool wanted = sim->store && !evicted->mapped_file &&
                  (sim->machine.takes == PL_STORE_TAKES_ALL || evicted->dirty_disk);
    if (evicted->in_store && !evicted->stale_store) {
        pl_store_touch(sim->store, pl_memory_key(&sim->memory_params, evicted->object));
        pl_memory_settle_store(sim->memory, evicted->object);
        return true;
    }
    if (wanted && into_store(sim, actor, evicted)) {
        if (!pl_memory_settle_store(sim->memory, evicted->object))
            sim_store_remove(sim, evicted->object);
        return true;
    }
    return sim_goes_on(sim) && to_disk(sim, actor, evicted->object, evicted->dirty_disk, evicted->slot);
}
