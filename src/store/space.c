/* store/space.c: the registry of organisations, and what is the same for all of them. */
#include "base/text.h"
#include "store/space_list.h"

#include <assert.h>
#include <string.h>

const struct pl_space_ops *const pl_spaces[] = {
    &pl_space_regions, &pl_space_zsmalloc, &pl_space_zbud, &pl_space_z3fold, &pl_space_ideal, NULL,
};

enum pl_err pl_space_find(const char *name, const struct pl_space_ops **out, struct pl_error *err)
{
    const char *names[PL_COUNT_OF(pl_spaces)] = {NULL};
    size_t count = 0;
    for (; pl_spaces[count]; count++) {
        if (!strcmp(pl_spaces[count]->name, name)) {
            *out = pl_spaces[count];
            return PL_OK;
        }
        names[count] = pl_spaces[count]->name;
    }
    char hint[96], shown[64];
    return pl_fail(err, PL_ERR_INPUT, "no store organisation is called '%s'%s",
                   pl_printable(shown, sizeof(shown), name, strlen(name)),
                   pl_did_you_mean(hint, sizeof(hint), name, names, count, sizeof(names[0])));
}

enum pl_err pl_space_create(const struct pl_space_ops *ops, const struct pl_space_params *params, struct pl_space **out,
                            struct pl_error *err)
{
    uint32_t size = params->page_size;
    if (size < 512 || size > 65536 || (size & (size - 1)))
        return pl_fail(err, PL_ERR_USAGE, "a page of %u bytes: stores take powers of two from 512 to 65536", size);
    return ops->create(params, out, err);
}

void pl_space_destroy(struct pl_space *space)
{
    if (space)
        space->ops->destroy(space);
}

enum pl_err pl_space_insert(struct pl_space *space, uint32_t size, uint32_t *slot, struct pl_error *err)
{
    assert(size > 0 && size <= space->largest_object);
    enum pl_err rc = space->ops->insert(space, size, slot, err);
    if (rc)
        return rc;
    space->objects++;
    space->object_bytes += size;
    return PL_OK;
}

void pl_space_remove(struct pl_space *space, uint32_t slot, uint32_t size)
{
    assert(space->objects > 0 && space->object_bytes >= size);
    space->ops->remove(space, slot);
    space->objects--;
    space->object_bytes -= size;
}

struct pl_space_usage pl_space_usage(const struct pl_space *space)
{
    struct pl_space_usage usage = {.objects = space->objects,
                                   .object_bytes = space->object_bytes,
                                   .used_bytes = space->ops->used_bytes(space)};
    space->ops->usage(space, &usage);
    return usage;
}

struct pl_compaction pl_space_compact(struct pl_space *space)
{
    struct pl_compaction done = {0, 0, 0};
    if (space->ops->compact)
        space->ops->compact(space, &done);
    return done;
}
