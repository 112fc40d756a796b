/* mm/lru.c: true least recently used order, as Windows 95 and the 1996 model assume.
 *
 * Assumes that every touch is seen. What this does not model: the accessed bit, and the period at which a real system
 * looks at it (aging.c). */
#include "mm/lru_order.h"
#include "mm/replacement_list.h"

#include <stdlib.h>

struct lru {
    struct pl_replacement base;
    struct pl_lru_order order;
};

static enum pl_err create(const struct pl_replacement_params *params, struct pl_replacement_shared *shared,
                          struct pl_replacement **out, struct pl_error *err)
{
    struct lru *lru = calloc(1, sizeof(*lru));
    if (!lru)
        return pl_fail_memory(err, sizeof(*lru), "a working set");
    lru->base = (struct pl_replacement){&pl_replacement_lru, shared, 0};
    *out = &lru->base;
    return PL_OK;
}

static void destroy(struct pl_replacement *policy)
{
    struct lru *lru = (struct lru *)policy;
    pl_lru_order_close(&lru->order);
    free(lru);
}

static enum pl_err reserve(struct pl_replacement *policy, uint32_t members, struct pl_error *err)
{
    return pl_lru_order_reserve(&((struct lru *)policy)->order, policy->shared, members, err);
}

static void came_in(struct pl_replacement *policy, pl_page page)
{
    pl_lru_order_add(&((struct lru *)policy)->order, policy->shared, page);
    policy->members++;
}

static void left(struct pl_replacement *policy, pl_page page)
{
    pl_lru_order_remove(&((struct lru *)policy)->order, policy->shared, page);
    policy->members--;
}

static pl_page victim(struct pl_replacement *policy)
{
    return pl_lru_order_first(&((struct lru *)policy)->order, policy->shared);
}

static void renumbered(struct pl_replacement *policy)
{
    pl_lru_order_forget(&((struct lru *)policy)->order);
}

static const char *check(const struct pl_replacement *policy)
{
    const struct lru *lru = (const struct lru *)policy;
    if (lru->order.members != policy->members)
        return "lru: members are not as counted";
    return pl_lru_order_check(&lru->order, policy->shared) ? NULL : "lru: members or noted pages are out of order";
}

const struct pl_replacement_ops pl_replacement_lru = {
    .name = "lru",
    .about = "exact least recently used",
    .create = create,
    .destroy = destroy,
    .reserve = reserve,
    .came_in = came_in,
    .left = left,
    .victim = victim,
    .renumbered = renumbered,
    .check = check,
};
