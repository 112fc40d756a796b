/* trace/etl/etl_kinds.c: how often each event occurs, known to us or not. */
#include "trace/etl/etl_private.h"

#include "base/hash.h"

#include <stdlib.h>

enum {
    HOOKS = 1 << 16,
    OTHERS_MAX = 1 << 16, /* of (provider, id); what comes then counts with the last */
};

enum pl_err etl_kinds_create(struct etl_kinds *kinds, struct pl_error *err)
{
    kinds->hooks = calloc(HOOKS, sizeof *kinds->hooks);
    kinds->slots = 256;
    kinds->slot = calloc(kinds->slots, sizeof *kinds->slot);
    if (!kinds->hooks || !kinds->slot)
        return pl_fail_memory(err, HOOKS * sizeof *kinds->hooks, "counts of events");
    return PL_OK;
}

static size_t find_slot(const struct etl_kinds *kinds, const uint8_t *guid, uint16_t id)
{
    size_t mask = kinds->slots - 1, at = (size_t)pl_xxh64(guid, 16, id) & mask;
    for (uint32_t stored; (stored = kinds->slot[at]) != 0; at = (at + 1) & mask) {
        const struct pl_etl_kind *kind = &kinds->others[stored - 1];
        if (kind->id == id && !memcmp(kind->guid, guid, 16))
            break;
    }
    return at;
}

static enum pl_err grow_slots(struct etl_kinds *kinds, struct pl_error *err)
{
    size_t slots = kinds->slots * 2;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return pl_fail_memory(err, slots * sizeof *slot, "counts of events");
    free(kinds->slot);
    kinds->slot = slot;
    kinds->slots = slots;
    for (size_t i = 0; i < kinds->other_count; i++)
        slot[find_slot(kinds, kinds->others[i].guid, kinds->others[i].id)] = (uint32_t)i + 1;
    return PL_OK;
}

static enum pl_err count_other(struct etl_kinds *kinds, const struct pl_etl_event *event, size_t bytes,
                               struct pl_error *err)
{
    static const uint8_t nothing[16];
    const uint8_t *guid = event->guid ? event->guid : nothing;
    size_t at = find_slot(kinds, guid, event->id);
    if (!kinds->slot[at] && kinds->other_count < OTHERS_MAX) {
        void *others = kinds->others;
        enum pl_err rc = pl_grow(&others, &kinds->other_capacity, kinds->other_count + 1, sizeof *kinds->others,
                                 "counts of events", err);
        kinds->others = others;
        if (rc == PL_OK && kinds->other_count * 2 >= kinds->slots)
            rc = grow_slots(kinds, err);
        if (rc)
            return rc;
        struct pl_etl_kind *kind = &kinds->others[kinds->other_count++];
        *kind = (struct pl_etl_kind){.hook = PL_ETL_NO_HOOK, .id = event->id};
        memcpy(kind->guid, guid, 16);
        at = find_slot(kinds, guid, event->id);
        kinds->slot[at] = (uint32_t)kinds->other_count;
    }
    struct pl_etl_kind *kind = &kinds->others[kinds->slot[at] ? kinds->slot[at] - 1 : OTHERS_MAX - 1];
    kind->count++;
    kind->bytes += bytes;
    return PL_OK;
}

enum pl_err etl_kinds_count(struct etl_kinds *kinds, const struct pl_etl_event *event, size_t bytes,
                            struct pl_error *err)
{
    if (event->hook == PL_ETL_NO_HOOK)
        return count_other(kinds, event, bytes, err);
    etl_kinds_add(kinds, event->hook, bytes);
    return PL_OK;
}

static int by_count(const void *left, const void *right)
{
    const struct pl_etl_kind *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    if (a->hook != b->hook)
        return a->hook < b->hook ? -1 : 1;
    int order = memcmp(a->guid, b->guid, 16);
    return order ? order : (a->id > b->id) - (a->id < b->id);
}

enum pl_err etl_kinds_seal(struct etl_kinds *kinds, struct pl_error *err)
{
    size_t count = kinds->other_count;
    for (size_t hook = 0; hook < HOOKS; hook++)
        count += kinds->hooks[hook].count > 0;
    kinds->list = calloc(count + 1, sizeof *kinds->list);
    if (!kinds->list)
        return pl_fail_memory(err, (count + 1) * sizeof *kinds->list, "counts of events");
    for (size_t hook = 0; hook < HOOKS; hook++) {
        if (!kinds->hooks[hook].count)
            continue;
        const struct pl_etl_schema *schema = pl_etl_schema((uint16_t)hook, UINT8_MAX);
        kinds->list[kinds->list_count++] =
            (struct pl_etl_kind){.name = schema ? schema->name : NULL, .hook = (uint16_t)hook, .id = hook & 0xff,
                                 .count = kinds->hooks[hook].count, .bytes = kinds->hooks[hook].bytes};
    }
    if (kinds->other_count)
        memcpy(kinds->list + kinds->list_count, kinds->others, kinds->other_count * sizeof *kinds->list);
    kinds->list_count += kinds->other_count;
    qsort(kinds->list, kinds->list_count, sizeof *kinds->list, by_count);
    return PL_OK;
}

void etl_kinds_free(struct etl_kinds *kinds)
{
    free(kinds->hooks);
    free(kinds->others);
    free(kinds->slot);
    free(kinds->list);
}

char *pl_etl_guid_text(const uint8_t *guid, char *out, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    static const uint8_t order[] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    size_t length = 0;
    for (size_t i = 0; i < sizeof order && length + 3 < size; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            out[length++] = '-';
        out[length++] = digits[guid[order[i]] >> 4];
        out[length++] = digits[guid[order[i]] & 15];
    }
    if (size)
        out[length] = 0;
    return out;
}
