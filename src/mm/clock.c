/* mm/clock.c: second chance. One hand goes round the places; an accessed page loses its mark and is passed over, the
 * first page without one leaves, and the hand stops behind it. Coming in counts as an access. */
#include "mm/places.h"
#include "mm/replacement_list.h"

#include <stdlib.h>

struct clock {
    struct pl_replacement base;
    struct pl_places places;
    uint32_t hand;
};

static enum pl_err create(const struct pl_replacement_params *params, struct pl_replacement_shared *shared,
                          struct pl_replacement **out, struct pl_error *err)
{
    struct clock *clock = calloc(1, sizeof(*clock));
    if (!clock)
        return pl_fail_memory(err, sizeof(*clock), "a working set");
    clock->base = (struct pl_replacement){&pl_replacement_clock, shared, 0};
    pl_places_init(&clock->places);
    *out = &clock->base;
    return PL_OK;
}

static void destroy(struct pl_replacement *policy)
{
    struct clock *clock = (struct clock *)policy;
    pl_places_close(&clock->places);
    free(clock);
}

static enum pl_err reserve(struct pl_replacement *policy, uint32_t members, struct pl_error *err)
{
    return pl_places_reserve(&((struct clock *)policy)->places, members, err);
}

static void came_in(struct pl_replacement *policy, pl_page page)
{
    pl_places_add(&((struct clock *)policy)->places, policy->shared->position, page);
    policy->members++;
}

static void left(struct pl_replacement *policy, pl_page page)
{
    pl_places_remove(&((struct clock *)policy)->places, policy->shared->position, page);
    policy->members--;
}

/* Ends in the second round at the latest: the first has taken all marks. */
static pl_page victim(struct pl_replacement *policy)
{
    struct clock *clock = (struct clock *)policy;
    for (;;) {
        if (clock->hand >= clock->places.used)
            clock->hand = 0;
        pl_page page = clock->places.page[clock->hand++];
        if (pl_is_hole(page))
            continue;
        if (!pl_was_accessed(policy->shared->hot, page))
            return page;
        pl_mark_old(policy->shared->hot, page);
    }
}

static const char *check(const struct pl_replacement *policy)
{
    const struct clock *clock = (const struct clock *)policy;
    bool good = pl_places_check(&clock->places, policy->shared->position, policy->members);
    return good ? NULL : "clock: places and pages differ";
}

const struct pl_replacement_ops pl_replacement_clock = {
    .name = "clock",
    .about = "second chance: one hand, one mark",
    .create = create,
    .destroy = destroy,
    .reserve = reserve,
    .came_in = came_in,
    .left = left,
    .victim = victim,
    .check = check,
};
