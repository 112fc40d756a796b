/* store/space_ideal.c: a space without waste: a bound for the others, and the 1996 model's cache.
 *
 * What this does not model: grains, holes, records. */
#include "store/space_list.h"

#include <stdlib.h>

static enum pl_err create(const struct pl_space_params *params, struct pl_space **out, struct pl_error *err)
{
    struct pl_space *space = calloc(1, sizeof(*space));
    if (!space)
        return pl_fail_memory(err, sizeof(*space), "a store");
    *space = (struct pl_space){.ops = &pl_space_ideal,
                               .params = *params,
                               .largest_object = params->page_size,
                               .raw_from = params->page_size,
                               .most_growth = params->page_size};
    *out = space;
    return PL_OK;
}

static void destroy(struct pl_space *space)
{
    free(space);
}

static enum pl_err insert(struct pl_space *space, uint32_t size, uint32_t *slot, struct pl_error *err)
{
    *slot = 0; /* there is nothing to find again */
    return PL_OK;
}

static uint64_t grows_by(const struct pl_space *space, uint32_t size)
{
    return size;
}

static void drop(struct pl_space *space, uint32_t slot)
{
}

static uint64_t used_bytes(const struct pl_space *space)
{
    return space->object_bytes;
}

static void usage(const struct pl_space *space, struct pl_space_usage *out)
{
    out->units = space->objects;
}

const struct pl_space_ops pl_space_ideal = {
    .name = "ideal",
    .about = "exactly the compressed bytes",
    .create = create,
    .destroy = destroy,
    .insert = insert,
    .grows_by = grows_by,
    .remove = drop,
    .used_bytes = used_bytes,
    .usage = usage,
};
