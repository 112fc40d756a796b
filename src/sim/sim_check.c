/* sim/sim_check.c: conservation: what must add up at any moment, whatever happened before.
 *
 *   frames   each on exactly one list (mm/memory.h); the store has as many as it needs
 *   store    its pages are those that the memory manager believes there
 *   slots    each page's slot is its own, and no slot is in use without a page or a write that has it
 *   zeroing  pages that are taken from the free list are those that zeroing threads have
 *   time     each thread's clock is the sum of its components */
#include "sim/engine.h"

static enum pl_err check_time(struct pl_sim *sim, struct pl_error *err)
{
    for (size_t p = 0; p < sim->process_count; p++) {
        pl_time_ps clocks = 0, components = 0;
        for (size_t i = 0; i < sim->actor_count; i++)
            if (sim->actor[i].process == p)
                clocks += sim->actor[i].clock;
        for (int c = 0; c < PL_COMPONENTS; c++)
            components += sim->process[p].all.time_ps[c] + sim->process[p].cell.time_ps[c];
        pl_time_ps before = sim->process[p].before_ps;
        if (clocks - before != components)
            return pl_fail(err, PL_ERR_CHECK,
                           "process %llu: its threads' clocks say %lld ps, its components of time sum to %lld ps",
                           (unsigned long long)sim->process[p].id, (long long)(clocks - before),
                           (long long)components);
    }
    return PL_OK;
}

static enum pl_err check_store(struct pl_sim *sim, struct pl_error *err)
{
    if (!sim->store)
        return PL_OK;
    uint32_t need = sim_store_need(sim);
    if (sim->store_frames < need || sim->store_frames > need + sim->store_spare)
        return pl_fail(err, PL_ERR_CHECK, "the store holds %u frames and needs %u, with %u to spare", sim->store_frames, need,
                       sim->store_spare);
    if (sim->machine.lists &&
        pl_memory_kernel_frames(sim->memory) != sim->store_frames + (uint32_t)sim->machine.kernel_pages)
        return pl_fail(err, PL_ERR_CHECK, "the kernel holds %u frames, store and machine say %u",
                       pl_memory_kernel_frames(sim->memory),
                       sim->store_frames + (uint32_t)sim->machine.kernel_pages);
    struct pl_store_statistics store = pl_store_statistics(sim->store);
    if (store.pages != store.same_filled + store.duplicates + store.unique)
        return pl_fail(err, PL_ERR_CHECK, "stored pages: %llu, but the kinds of them do not sum to it",
                       (unsigned long long)store.pages);
    return PL_OK;
}

/* A page whose only place is the store is there; one that has a slot has it for itself. */
static enum pl_err check_place(struct pl_sim *sim, pl_page page, const struct pl_page_state *state,
                               struct pl_error *err)
{
    bool stored = sim->store && pl_store_has(sim->store, pl_memory_key(&sim->memory_params, page));
    if (state->place == PL_PLACE_STORE && !stored)
        return pl_fail(err, PL_ERR_CHECK, "page %u should be in the store and is not", page);
    if (stored && !state->in_store && (state->place == PL_PLACE_FILE || state->place == PL_PLACE_UNMAPPED))
        return pl_fail(err, PL_ERR_CHECK, "page %u is in the store and nobody knows", page);
    if (sim->file && state->slot != PL_NO_SLOT && pl_page_file_owner(sim->file, state->slot) != page)
        return pl_fail(err, PL_ERR_CHECK, "page %u: its slot %u belongs to %u", page, state->slot,
                       pl_page_file_owner(sim->file, state->slot));
    return PL_OK;
}

/* Slots of writes that are under way; their pages do not have them yet. */
static uint64_t slots_in_writes(const struct pl_sim *sim)
{
    uint64_t slots = 0;
    for (size_t i = 0; i < sim->transfer_count; i++) {
        const struct transfer *transfer = &sim->transfer[i];
        bool writes = transfer->kind == TRANSFER_WRITE || transfer->kind == TRANSFER_STORE_WRITE;
        if (transfer->used && writes && transfer->run.first != PL_NO_SLOT)
            slots += transfer->run.count;
    }
    return slots;
}

/* Slots of pages that the memory manager is about to write, or that wait for it, are still theirs: see pl_out. */
static enum pl_err check_places(struct pl_sim *sim, struct pl_error *err)
{
    uint64_t claimed = slots_in_writes(sim), internal = pl_memory_internal_pages(sim->memory);
    enum pl_err rc = PL_OK;
    for (uint64_t i = 0; i < sim->introduced + internal && rc == PL_OK; i++) {
        pl_page page = (pl_page)(i < sim->introduced ? i : PL_INTERNAL_PAGE + (i - sim->introduced));
        struct pl_page_state state = pl_memory_page(sim->memory, page);
        if (state.object != page)
            continue;
        claimed += state.slot != PL_NO_SLOT;
        rc = check_place(sim, page, &state, err);
    }
    if (rc || !sim->file)
        return rc;
    struct pl_page_file_stats file;
    pl_page_file_stats(sim->file, &file);
    if (file.used != claimed)
        return pl_fail(err, PL_ERR_CHECK, "%llu slots of the page file are in use, pages and writes have %llu",
                       (unsigned long long)file.used, (unsigned long long)claimed);
    return PL_OK;
}

static enum pl_err check_actors(struct pl_sim *sim, struct pl_error *err)
{
    size_t live = 0, idle = 0, waiters = 0;
    uint64_t queued = 0;
    for (size_t i = 0; i < sim->actor_count; i++) {
        const struct actor *actor = &sim->actor[i];
        live += actor->state != ACTOR_GONE;
        idle += actor->state == ACTOR_IDLE;
        waiters += actor->state == ACTOR_MEMORY;
        queued += pl_stream_left(&actor->stream);
    }
    if (live != sim->live || idle != sim->idle || waiters != sim->memory_waiters || queued != sim->queued)
        return pl_fail(err, PL_ERR_CHECK, "threads: %zu live, %zu idle, %zu waiting, %llu touches queued; counted %zu, %zu, %zu, %llu",
                       live, idle, waiters, (unsigned long long)queued, sim->live, sim->idle, sim->memory_waiters,
                       (unsigned long long)sim->queued);
    if (!sim_zero_adds_up(sim))
        return pl_fail(err, PL_ERR_CHECK, "zeroing threads: they have not the %u pages that were taken for them",
                       sim->zero_taken);
    return PL_OK;
}

/* What takes no walk over frames or pages. */
static enum pl_err check_counts(struct pl_sim *sim, struct pl_error *err)
{
    enum pl_err rc = pl_memory_check_counts(sim->memory, err);
    if (rc == PL_OK)
        rc = check_time(sim, err);
    if (rc == PL_OK)
        rc = check_store(sim, err);
    if (rc == PL_OK)
        rc = check_actors(sim, err);
    return rc;
}

static enum pl_err check_all(struct pl_sim *sim, struct pl_error *err)
{
    enum pl_err rc = check_counts(sim, err);
    if (rc == PL_OK)
        rc = pl_memory_check(sim->memory, err);
    return rc == PL_OK ? check_places(sim, err) : rc;
}

/* Walks take turns with events so that an event pays for as many frames and pages at most. */
enum { WALK_AN_EVENT = 4096 };

void sim_check_event(struct pl_sim *sim)
{
    uint64_t walk = (uint64_t)pl_memory_frames(sim->memory)->total + sim->introduced + pl_memory_internal_pages(sim->memory);
    bool walks = ++sim->unwalked > walk / WALK_AN_EVENT;
    enum pl_err rc = walks ? PL_OK : check_counts(sim, sim->err);
    if (rc)
        pl_fail_prefix(sim->err, "conservation at %.12g s", (double)sim->queue.now_ps / (double)PL_PS_PER_S);
    sim_fail(sim, walks ? sim_check_walk(sim) : rc);
}

enum pl_err sim_check_walk(struct pl_sim *sim)
{
    sim->checks++;
    sim->unwalked = 0;
    return pl_sim_check(sim, sim->err);
}

enum pl_err pl_sim_check(struct pl_sim *sim, struct pl_error *err)
{
    enum pl_err rc = check_all(sim, err);
    if (rc)
        pl_fail_prefix(err, "conservation at %.12g s", (double)sim->queue.now_ps / (double)PL_PS_PER_S);
    return rc;
}
