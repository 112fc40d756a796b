/* trace/native/native_read_records.c: control records and the dictionary, from bytes.
 *
 * Nothing here trusts a count: records are taken while there are bytes, and the dictionary grows by what was read. */
#include "trace/native/native.h"

#include <stdlib.h>

static uint8_t take_byte(struct pl_native_cursor *from)
{
    const uint8_t *byte = pl_native_take(from, 1);
    return byte ? *byte : 0;
}

/* NULL on failure, and for no text at all (mask bit not set: never asked). */
static const char *take_text(struct pl_native_cursor *from)
{
    uint64_t length = pl_native_take_varint(from);
    if (length > PL_NATIVE_TEXT_MAX)
        from->failed = true;
    const uint8_t *text = pl_native_take(from, (size_t)length + 1);
    if (!text)
        return NULL;
    if (text[length] != 0 || memchr(text, 0, (size_t)length))
        from->failed = true;
    return (const char *)text;
}

static void take_control(struct pl_native_cursor *from, struct pl_control *out, uint64_t *at, int64_t *time)
{
    memset(out, 0, sizeof *out);
    out->op = take_byte(from);
    unsigned mask = take_byte(from);
    uint64_t step = pl_native_take_varint(from);
    *at = step > PL_BATCH_MAX ? UINT32_MAX : *at + step;
    out->at = (uint32_t)*at;
    if (mask & 1)
        out->kind = take_byte(from);
    if (mask & 2)
        out->flags = take_byte(from);
    if (mask & 4) {
        uint64_t actor = pl_native_take_varint(from);
        from->failed |= actor > UINT32_MAX;
        out->actor = (uint32_t)actor;
    }
    if (mask & 8)
        *time = (int64_t)((uint64_t)*time + (uint64_t)pl_native_unzigzag(pl_native_take_varint(from)));
    out->time = *time;
    if (mask & 16)
        out->a = pl_native_take_varint(from);
    if (mask & 32)
        out->b = pl_native_take_varint(from);
    if (mask & 64)
        out->c = pl_native_take_varint(from);
    if (mask & 128)
        out->text = take_text(from);
}

bool pl_native_take_controls(struct pl_native_cursor *from, size_t count, uint32_t touches,
                             struct pl_control *to)
{
    uint64_t at = 0;
    int64_t time = 0;
    for (size_t i = 0; i < count && !from->failed; i++) {
        take_control(from, &to[i], &at, &time);
        from->failed |= at > touches || to[i].op < PL_OP_SWITCH || to[i].op > PL_OP_MINIMISE;
    }
    return !from->failed;
}

/* --- the dictionary ----------------------------------------------------------- */
enum { HINT_SHIFT = 8 };

enum pl_err pl_native_dictionary_add(struct pl_native_dictionary *dictionary, uint32_t length, uint64_t process,
                                     uint64_t number, struct pl_error *err)
{
    if (length == 0)
        return PL_OK;
    uint32_t end = dictionary->end + length;
    size_t hints = ((size_t)(end - 1) >> HINT_SHIFT) + 1;
    void *runs = dictionary->runs, *hint = dictionary->hints;
    enum pl_err rc = pl_grow(&runs, &dictionary->capacity, dictionary->count + 1, sizeof *dictionary->runs,
                             "the dictionary of pages", err);
    dictionary->runs = runs;
    if (rc)
        return rc;
    rc = pl_grow(&hint, &dictionary->hint_capacity, hints, sizeof *dictionary->hints, "the dictionary of pages", err);
    dictionary->hints = hint;
    if (rc)
        return rc;
    dictionary->runs[dictionary->count] =
        (struct pl_native_run){.process = process, .number = number, .first = dictionary->end};
    for (size_t i = dictionary->hint_count; i < hints; i++)
        dictionary->hints[i] = (uint32_t)dictionary->count;
    dictionary->hint_count = hints;
    dictionary->count++;
    dictionary->end = end;
    return PL_OK;
}

/* Takes back what a damaged block added: the runs from the one of this number on. */
static void cut_back(struct pl_native_dictionary *dictionary, size_t count, uint32_t end)
{
    dictionary->count = count;
    dictionary->end = end;
    dictionary->hint_count = end ? ((size_t)(end - 1) >> HINT_SHIFT) + 1 : 0;
}

enum pl_err pl_native_dictionary_take(struct pl_native_dictionary *dictionary, const struct pl_native_block *block,
                                      struct pl_native_cursor *from, bool *valid, struct pl_error *err)
{
    const size_t count_before = dictionary->count;
    const uint32_t end_before = dictionary->end;
    uint64_t process = 0, number = 0;
    for (uint32_t i = 0; i < block->count && !from->failed; i++) {
        uint64_t head = pl_native_take_varint(from);
        if (head & 1)
            process = pl_native_take_varint(from);
        number += (uint64_t)pl_native_unzigzag(pl_native_take_varint(from));
        uint64_t length = head >> 1;
        if (length == 0 || length > block->distinct_after - dictionary->end)
            from->failed = true;
        if (from->failed)
            break;
        enum pl_err rc = pl_native_dictionary_add(dictionary, (uint32_t)length, process, number, err);
        if (rc)
            return rc;
        number += length;
    }
    *valid = !from->failed && from->at == from->end && dictionary->end == block->distinct_after;
    if (!*valid)
        cut_back(dictionary, count_before, end_before);
    return PL_OK;
}

struct pl_page_origin pl_native_dictionary_find(const struct pl_native_dictionary *dictionary, pl_page page)
{
    if (page >= dictionary->end)
        return (struct pl_page_origin){PL_NATIVE_LOST_PROCESS, page};
    /* The run is the last that starts at or before the page: between those of two neighbouring hints. */
    size_t hint = page >> HINT_SHIFT;
    size_t low = dictionary->hints[hint];
    size_t high = hint + 1 < dictionary->hint_count ? (size_t)dictionary->hints[hint + 1] + 1 : dictionary->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (dictionary->runs[middle].first <= page)
            low = middle;
        else
            high = middle;
    }
    const struct pl_native_run *run = &dictionary->runs[low];
    return (struct pl_page_origin){run->process, run->number + (page - run->first)};
}

void pl_native_dictionary_free(struct pl_native_dictionary *dictionary)
{
    free(dictionary->runs);
    free(dictionary->hints);
    memset(dictionary, 0, sizeof *dictionary);
}
