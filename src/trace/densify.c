/* trace/densify.c: from (process, page number) to dense pages, and back.
 *
 *   flat[number]   dense page + 1, for small numbers of process 0; 0 = not seen
 *   slot[hash]     dense page + 1, for the rest, by linear probing at a load of 3/8 to 3/4; 0 = empty
 *   number[page], process[page]    the dictionary, which slots are compared with
 *
 * A lookup outside the flat table misses the cache twice, in the slot and in the dictionary. Both are asked for ahead,
 * in groups, so that the misses of a group overlap. Growing frees the slots before it makes the new ones: the dictionary
 * has all it takes to fill them again. */
#include "trace/densify.h"

#include <stdlib.h>

enum {
    FLAT_LIMIT = 1 << 22,
    GROUP = 32,              /* lookups whose misses overlap */
    FIRST_SLOTS = 1 << 12,
    FIRST_PAGES = 1 << 10,
};

struct pl_densify {
    uint64_t limit, count;
    uint32_t *flat;
    uint32_t *slot;
    size_t slots, used, grow_at;
    int shift; /* a hash's top bits are its slot */
    uint64_t *number;
    uint32_t *process; /* NULL as long as all pages are of process 0 */
    size_t capacity;   /* of the dictionary */
};

static uint64_t hash_of(uint32_t process, uint64_t number)
{
    return pl_mix64(number + process * UINT64_C(0x9e3779b97f4a7c15));
}

enum pl_err pl_densify_create(uint64_t limit, struct pl_densify **out, struct pl_error *err)
{
    struct pl_densify *densify = calloc(1, sizeof *densify);
    if (!densify)
        return pl_fail_memory(err, sizeof *densify, "a page table");
    densify->limit = limit && limit < PL_NO_PAGE ? limit : PL_NO_PAGE;
    densify->flat = pl_table_alloc(FLAT_LIMIT * sizeof *densify->flat);
    if (!densify->flat) {
        free(densify);
        return pl_fail_memory(err, FLAT_LIMIT * sizeof *densify->flat, "a page table");
    }
    *out = densify;
    return PL_OK;
}

void pl_densify_destroy(struct pl_densify *densify)
{
    if (!densify)
        return;
    pl_table_free(densify->flat, FLAT_LIMIT * sizeof *densify->flat);
    pl_table_free(densify->slot, densify->slots * sizeof *densify->slot);
    pl_table_free(densify->number, densify->capacity * sizeof *densify->number);
    pl_table_free(densify->process, densify->capacity * sizeof *densify->process);
    free(densify);
}

/* --- the dictionary ------------------------------------------------------------- */

static enum pl_err grow_column(void **column, size_t old_count, size_t new_count, size_t size, struct pl_error *err)
{
    void *grown = *column ? pl_table_grow(*column, old_count * size, new_count * size) : pl_table_alloc(new_count * size);
    if (!grown)
        return pl_fail_memory(err, new_count * size, "the dictionary of pages");
    *column = grown;
    return PL_OK;
}

/* The address space doubles; memory is used only as pages come. */
static enum pl_err grow_dictionary(struct pl_densify *densify, struct pl_error *err)
{
    size_t old = densify->capacity, capacity = old ? old * 2 : FIRST_PAGES;
    void *column = densify->number;
    enum pl_err rc = grow_column(&column, old, capacity, sizeof *densify->number, err);
    densify->number = column;
    if (rc == PL_OK && densify->process) {
        column = densify->process;
        rc = grow_column(&column, old, capacity, sizeof *densify->process, err);
        densify->process = column;
    }
    if (rc == PL_OK)
        densify->capacity = capacity;
    return rc;
}

static enum pl_err add_page(struct pl_densify *densify, uint32_t process, uint64_t number, struct pl_error *err)
{
    if (densify->count >= densify->limit)
        return pl_fail(err, PL_ERR_INPUT,
                       "more than %llu distinct pages, which is the most that can be told apart; cut the trace or use "
                       "larger pages",
                       (unsigned long long)densify->limit);
    if (densify->count == densify->capacity) {
        enum pl_err rc = grow_dictionary(densify, err);
        if (rc)
            return rc;
    }
    if (process && !densify->process) {
        densify->process = pl_table_alloc(densify->capacity * sizeof *densify->process);
        if (!densify->process)
            return pl_fail_memory(err, densify->capacity * sizeof *densify->process, "the dictionary of pages");
    }
    densify->number[densify->count] = number;
    if (densify->process)
        densify->process[densify->count] = process;
    densify->count++;
    return PL_OK;
}

static uint32_t process_of(const struct pl_densify *densify, uint64_t page)
{
    return densify->process ? densify->process[page] : 0;
}

static bool in_flat(uint32_t process, uint64_t number)
{
    return number < FLAT_LIMIT && process == 0;
}

/* --- the slots ------------------------------------------------------------------- */

static void insert_known(struct pl_densify *densify, uint64_t page)
{
    size_t mask = densify->slots - 1;
    size_t at = hash_of(process_of(densify, page), densify->number[page]) >> densify->shift;
    while (densify->slot[at])
        at = (at + 1) & mask;
    densify->slot[at] = (uint32_t)page + 1;
}

static enum pl_err grow_slots(struct pl_densify *densify, struct pl_error *err)
{
    size_t slots = densify->slots ? densify->slots * 2 : FIRST_SLOTS;
    pl_table_free(densify->slot, densify->slots * sizeof *densify->slot);
    densify->slots = 0;
    densify->slot = pl_table_alloc(slots * sizeof *densify->slot);
    if (!densify->slot)
        return pl_fail_memory(err, slots * sizeof *densify->slot, "the table of pages");
    densify->slots = slots;
    densify->grow_at = slots / 4 * 3;
    densify->shift = 64 - __builtin_ctzll(slots);
    for (uint64_t page = 0; page < densify->count; page++) {
        /* The slots of pages further on are asked for ahead, as in a lookup. */
        uint64_t ahead = page + GROUP;
        if (ahead < densify->count)
            __builtin_prefetch(
                &densify->slot[hash_of(process_of(densify, ahead), densify->number[ahead]) >> densify->shift], 1);
        if (!in_flat(process_of(densify, page), densify->number[page]))
            insert_known(densify, page);
    }
    return PL_OK;
}

static enum pl_err find_or_add(struct pl_densify *densify, uint32_t process, uint64_t number, uint64_t hash,
                               pl_page *out, struct pl_error *err)
{
    enum pl_err rc;
    if (densify->used >= densify->grow_at && (rc = grow_slots(densify, err)) != PL_OK)
        return rc;
    size_t mask = densify->slots - 1, at = hash >> densify->shift;
    for (uint32_t stored; (stored = densify->slot[at]) != 0; at = (at + 1) & mask) {
        if (densify->number[stored - 1] == number && process_of(densify, stored - 1) == process) {
            *out = stored - 1;
            return PL_OK;
        }
    }
    rc = add_page(densify, process, number, err);
    if (rc)
        return rc;
    *out = (pl_page)(densify->count - 1);
    densify->slot[at] = (uint32_t)densify->count;
    densify->used++;
    return PL_OK;
}

/* --- lookups ----------------------------------------------------------------------- */

static enum pl_err add_flat(struct pl_densify *densify, uint64_t number, pl_page *out, struct pl_error *err)
{
    enum pl_err rc = add_page(densify, 0, number, err);
    if (rc)
        return rc;
    densify->flat[number] = (uint32_t)densify->count;
    *out = (pl_page)(densify->count - 1);
    return PL_OK;
}

/* How many of the numbers were found in the flat table, up to the first that was not. The hot loop of most traces. */
static size_t flat_run(const uint32_t *restrict flat, const uint64_t *restrict numbers, size_t count,
                       pl_page *restrict pages)
{
    for (size_t i = 0; i < count; i++) {
        if (__builtin_expect(numbers[i] >= FLAT_LIMIT, 0))
            return i;
        uint32_t stored = flat[numbers[i]];
        if (__builtin_expect(stored == 0, 0))
            return i;
        pages[i] = stored - 1;
    }
    return count;
}

/* One group through hash, slots and dictionary, each step for the whole group before the next. */
static enum pl_err lookup_group(struct pl_densify *densify, uint32_t process, const uint64_t *numbers, size_t count,
                                pl_page *pages, struct pl_error *err)
{
    uint64_t hash[GROUP];
    for (size_t i = 0; i < count; i++) {
        hash[i] = hash_of(process, numbers[i]);
        if (densify->slots)
            __builtin_prefetch(&densify->slot[hash[i] >> densify->shift]);
    }
    for (size_t i = 0; i < count && densify->slots; i++) {
        uint32_t stored = densify->slot[hash[i] >> densify->shift];
        if (stored)
            __builtin_prefetch(&densify->number[stored - 1]);
    }
    for (size_t i = 0; i < count; i++) {
        enum pl_err rc = PL_OK;
        if (!in_flat(process, numbers[i]))
            rc = find_or_add(densify, process, numbers[i], hash[i], &pages[i], err);
        else if (densify->flat[numbers[i]])
            pages[i] = densify->flat[numbers[i]] - 1;
        else
            rc = add_flat(densify, numbers[i], &pages[i], err);
        if (rc)
            return rc;
    }
    return PL_OK;
}

enum pl_err pl_densify_batch(struct pl_densify *densify, uint32_t process, const uint64_t *numbers, size_t count,
                             pl_page *pages, struct pl_error *err)
{
    size_t i = 0;
    while (i < count) {
        if (process == 0)
            i += flat_run(densify->flat, numbers + i, count - i, pages + i);
        size_t group = count - i < GROUP ? count - i : GROUP;
        enum pl_err rc = lookup_group(densify, process, numbers + i, group, pages + i, err);
        if (rc)
            return rc;
        i += group;
    }
    return PL_OK;
}

uint64_t pl_densify_count(const struct pl_densify *densify)
{
    return densify->count;
}

void pl_densify_origin(const struct pl_densify *densify, pl_page page, uint32_t *process, uint64_t *number)
{
    *process = process_of(densify, page);
    *number = densify->number[page];
}

size_t pl_densify_bytes(const struct pl_densify *densify)
{
    size_t per_page = sizeof *densify->number + (densify->process ? sizeof *densify->process : 0);
    return FLAT_LIMIT * sizeof *densify->flat + densify->slots * sizeof *densify->slot + densify->capacity * per_page;
}
