/* sim/sim_combine.c: page combining in memory: pages of equal content become one shared page that is copied when it is
 * written.
 *
 * Only pages of which the trace says what they hold take part. All are hashed, sorted by hash, and each run of equal
 * hashes is combined. What this does not model: the time that hashing and comparing takes. */
#include "sim/engine.h"

#include <stdlib.h>

struct candidate {
    struct pl_hash128 hash;
    pl_page page;
};

static int by_hash(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->hash.high != y->hash.high)
        return x->hash.high < y->hash.high ? -1 : 1;
    if (x->hash.low != y->hash.low)
        return x->hash.low < y->hash.low ? -1 : 1;
    return x->page < y->page ? -1 : x->page > y->page;
}

static size_t collect(struct pl_sim *sim, struct candidate *out)
{
    size_t count = 0;
    uint8_t *room = malloc((size_t)sim->machine.page_bytes);
    if (!room)
        sim_fail(sim, pl_fail_memory(sim->err, (size_t)sim->machine.page_bytes, "page combining"));
    for (size_t page = 0; room && page < sim->introduced; page++) {
        uint32_t number = sim_content_number(sim, (pl_page)page);
        if (!number)
            continue;
        enum pl_place place = pl_memory_page(sim->memory, (pl_page)page).place;
        if (place != PL_PLACE_ACTIVE && place != PL_PLACE_LISTED)
            continue;
        const struct content *content = &sim->content[number - 1];
        sim_content_page(sim, content, sim_content_place(content, (pl_page)page), room);
        out[count++] = (struct candidate){pl_page_hash(room, (size_t)sim->machine.page_bytes), (pl_page)page};
    }
    free(room);
    return count;
}

void sim_combine(struct pl_sim *sim, pl_time_ps now)
{
    size_t pages = (size_t)sim->introduced;
    if (!sim->content_count || !sim->memory_params.sections)
        return;
    struct candidate *candidate = malloc(pages * sizeof *candidate);
    pl_page *equal = malloc(pages * sizeof *equal);
    if (!candidate || !equal)
        sim_fail(sim, pl_fail_memory(sim->err, pages * sizeof *candidate, "page combining"));
    size_t count = sim->failed ? 0 : collect(sim, candidate);
    if (count)
        qsort(candidate, count, sizeof *candidate, by_hash);
    for (size_t from = 0, to; from < count && sim_goes_on(sim); from = to) {
        for (to = from; to < count && pl_hash128_equal(candidate[to].hash, candidate[from].hash); to++)
            equal[to - from] = candidate[to].page;
        uint32_t freed = 0;
        if (to - from > 1)
            sim_fail(sim, pl_memory_combine(sim->memory, equal, (uint32_t)(to - from), &freed, sim->err));
        sim->totals.combined += freed;
    }
    free(candidate);
    free(equal);
    sim->changes++;
    sim_wake_memory(sim, now);
}
