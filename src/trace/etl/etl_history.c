/* trace/etl/etl_history.c: what a thread, process or file object stood for, at any time. The same number is used again for others,
 * and the log says what a number means when it starts, when it ends, or in a rundown at either end of the session. */
#include "trace/etl/etl_private.h"

#include "base/hash.h"

#include <stdlib.h>

enum { TEXTS_MAX = INT32_MAX };

enum pl_err etl_history_add(struct etl_history *history, uint64_t key, uint64_t ticks, uint32_t value,
                            enum etl_role role, struct pl_error *err)
{
    void *entries = history->entry;
    enum pl_err rc = pl_grow(&entries, &history->capacity, history->count + 1, sizeof *history->entry, "names", err);
    history->entry = entries;
    if (rc == PL_OK)
        history->entry[history->count++] = (struct etl_entry){key, ticks, value, role};
    return rc;
}

static int by_key_and_time(const void *left, const void *right)
{
    const struct etl_entry *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->ticks != b->ticks)
        return a->ticks < b->ticks ? -1 : 1;
    if (a->role != b->role)
        return a->role < b->role ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

void etl_history_seal(struct etl_history *history)
{
    if (history->count)
        qsort(history->entry, history->count, sizeof *history->entry, by_key_and_time);
}

/* The first entry that is not before (key, ticks). */
static size_t lower_bound(const struct etl_history *history, uint64_t key, uint64_t ticks)
{
    size_t from = 0, to = history->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const struct etl_entry *entry = &history->entry[middle];
        if (entry->key < key || (entry->key == key && entry->ticks < ticks))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Between the events around a time, what comes next tells it when it is an end or a rundown, or begins at this very time; else
 * what came last does. Where that life is over, or none is known: a thread faults while it exits, after its end was
 * logged; a file is read while it is opened, before its beginning is. */
bool etl_history_find(const struct etl_history *history, uint64_t key, uint64_t ticks, uint32_t *value)
{
    size_t at = lower_bound(history, key, ticks);
    const struct etl_entry *next = at < history->count ? &history->entry[at] : NULL;
    const struct etl_entry *last = at > 0 ? &history->entry[at - 1] : NULL;
    if (next && next->key != key)
        next = NULL;
    if (last && last->key != key)
        last = NULL;
    bool next_tells = next && (next->role != ROLE_BEGIN || next->ticks == ticks ||
                               (history->begins_late && (!last || last->role == ROLE_END)));
    const struct etl_entry *found = next_tells ? next : last;
    if (!found)
        return false;
    *value = found->value;
    return true;
}

/* --- texts ----------------------------------------------------------------------- */

static size_t find_slot(const struct etl_texts *texts, const char *text, size_t length)
{
    size_t mask = texts->slots - 1, at = (size_t)pl_xxh64(text, length, 0) & mask;
    for (uint32_t stored; (stored = texts->slot[at]) != 0; at = (at + 1) & mask) {
        const char *known = texts->bytes + stored - 1;
        if (!strncmp(known, text, length) && !known[length])
            break;
    }
    return at;
}

static enum pl_err grow_slots(struct etl_texts *texts, struct pl_error *err)
{
    size_t slots = texts->slots ? texts->slots * 2 : 1024;
    uint32_t *old = texts->slot, *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return pl_fail_memory(err, slots * sizeof *slot, "names");
    size_t old_slots = texts->slots;
    texts->slot = slot;
    texts->slots = slots;
    for (size_t i = 0; i < old_slots; i++)
        if (old[i]) {
            const char *text = texts->bytes + old[i] - 1;
            slot[find_slot(texts, text, strlen(text))] = old[i];
        }
    free(old);
    return PL_OK;
}

/* `text` holds no NUL. */
enum pl_err etl_texts_add(struct etl_texts *texts, const char *text, size_t length, uint32_t *out, struct pl_error *err)
{
    enum pl_err rc = PL_OK;
    if (texts->count * 2 >= texts->slots)
        rc = grow_slots(texts, err);
    if (rc)
        return rc;
    size_t at = find_slot(texts, text, length);
    if (!texts->slot[at]) {
        void *bytes = texts->bytes;
        if (length >= TEXTS_MAX - texts->length)
            return pl_fail(err, PL_ERR_RESOURCE, "more than 2 GiB of names");
        rc = pl_grow(&bytes, &texts->capacity, texts->length + length + 1, 1, "names", err);
        texts->bytes = bytes;
        if (rc)
            return rc;
        memcpy(texts->bytes + texts->length, text, length);
        texts->bytes[texts->length + length] = 0;
        texts->slot[at] = (uint32_t)texts->length + 1;
        texts->length += length + 1;
        texts->count++;
    }
    *out = texts->slot[at] - 1;
    return PL_OK;
}

void etl_texts_free(struct etl_texts *texts)
{
    free(texts->bytes);
    free(texts->slot);
}
