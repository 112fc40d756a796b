/* mm/replacement.c: the registry of policies, and what they share. */
#include "mm/replacement_list.h"

#include "base/arena.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

const struct pl_replacement_ops *const pl_replacements[] = {
    &pl_replacement_lru,    &pl_replacement_aging, &pl_replacement_fifo, &pl_replacement_clock,
    &pl_replacement_random, &pl_replacement_twoq,  &pl_replacement_opt,  NULL,
};

enum pl_err pl_replacement_find(const char *name, const struct pl_replacement_ops **out, struct pl_error *err)
{
    const char *names[PL_COUNT_OF(pl_replacements)] = {NULL};
    size_t count = 0;
    for (; pl_replacements[count]; count++) {
        if (!strcmp(pl_replacements[count]->name, name)) {
            *out = pl_replacements[count];
            return PL_OK;
        }
        names[count] = pl_replacements[count]->name;
    }
    char hint[96], shown[64];
    return pl_fail(err, PL_ERR_INPUT, "no replacement policy is called '%s'%s",
                   pl_printable(shown, sizeof(shown), name, strlen(name)),
                   pl_did_you_mean(hint, sizeof(hint), name, names, count, sizeof(names[0])));
}

void *pl_replacement_scratch(struct pl_replacement_shared *shared, size_t bytes)
{
    if (bytes > shared->scratch_bytes) {
        void *larger = malloc(bytes);
        if (!larger)
            return NULL;
        free(shared->scratch);
        shared->scratch = larger;
        shared->scratch_bytes = bytes;
    }
    return shared->scratch;
}

enum pl_err pl_replacement_grow(void *array_pointer, uint32_t *capacity, uint32_t need, size_t size,
                                struct pl_error *err)
{
    if (need <= *capacity)
        return PL_OK;
    uint64_t wanted = (uint64_t)*capacity + *capacity / 2;
    if (wanted < need)
        wanted = need;
    if (wanted > UINT32_MAX)
        wanted = UINT32_MAX;
    void *old;
    memcpy(&old, array_pointer, sizeof(old));
    void *larger = realloc(old, (size_t)wanted * size);
    if (!larger)
        return pl_fail_memory(err, (size_t)wanted * size, "a working set");
    memcpy(array_pointer, &larger, sizeof(larger));
    *capacity = (uint32_t)wanted;
    return PL_OK;
}
