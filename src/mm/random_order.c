/* mm/random_order.c: any page, each with the same chance; reproducible by the seed. */
#include "base/random.h"
#include "mm/replacement_list.h"

#include <assert.h>
#include <stdlib.h>

struct random_order {
    struct pl_replacement base;
    struct pl_random random;
    pl_page *member;
    uint32_t capacity;
};

static enum pl_err create(const struct pl_replacement_params *params, struct pl_replacement_shared *shared,
                          struct pl_replacement **out, struct pl_error *err)
{
    struct random_order *order = calloc(1, sizeof(*order));
    if (!order)
        return pl_fail_memory(err, sizeof(*order), "a working set");
    order->base = (struct pl_replacement){&pl_replacement_random, shared, 0};
    order->random = pl_random_named(params->seed, "replacement/random");
    *out = &order->base;
    return PL_OK;
}

static void destroy(struct pl_replacement *policy)
{
    struct random_order *order = (struct random_order *)policy;
    free(order->member);
    free(order);
}

static enum pl_err reserve(struct pl_replacement *policy, uint32_t members, struct pl_error *err)
{
    struct random_order *order = (struct random_order *)policy;
    return pl_replacement_grow(&order->member, &order->capacity, members, sizeof(order->member[0]), err);
}

static void came_in(struct pl_replacement *policy, pl_page page)
{
    struct random_order *order = (struct random_order *)policy;
    assert(policy->members < order->capacity);
    policy->shared->position[page] = policy->members;
    order->member[policy->members++] = page;
}

static void left(struct pl_replacement *policy, pl_page page)
{
    struct random_order *order = (struct random_order *)policy;
    uint32_t *position = policy->shared->position, place = position[page];
    assert(place < policy->members && order->member[place] == page);
    pl_page last = order->member[--policy->members];
    order->member[place] = last;
    position[last] = place;
}

static pl_page victim(struct pl_replacement *policy)
{
    struct random_order *order = (struct random_order *)policy;
    return order->member[pl_random_below(&order->random, policy->members)];
}

static const char *check(const struct pl_replacement *policy)
{
    const struct random_order *order = (const struct random_order *)policy;
    for (uint32_t i = 0; i < policy->members; i++)
        if (policy->shared->position[order->member[i]] != i)
            return "random: members and places differ";
    return NULL;
}

const struct pl_replacement_ops pl_replacement_random = {
    .name = "random",
    .about = "any page",
    .create = create,
    .destroy = destroy,
    .reserve = reserve,
    .came_in = came_in,
    .left = left,
    .victim = victim,
    .check = check,
};
