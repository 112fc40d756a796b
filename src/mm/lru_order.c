/* mm/lru_order.c: least recently used, lazily. See lru_order.h for why it is exact. */
#include "mm/lru_order.h"
#include "mm/replacement_list.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALL_BELOW = 64, /* sets up to this size are ordered whole */
    PART = 8,       /* of larger ones, about this part */
    SAMPLE = 256,   /* stamps drawn to find where that part ends */
    INSERTION_BELOW = 48,
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS,
};

enum pl_err pl_lru_order_reserve(struct pl_lru_order *order, struct pl_replacement_shared *shared, uint32_t members,
                                 struct pl_error *err)
{
    enum pl_err rc = pl_replacement_grow(&order->member, &order->capacity, members, sizeof(order->member[0]), err);
    if (rc == PL_OK) /* twice the part that is aimed at: the sample may err */
        rc = pl_replacement_grow(&order->noted, &order->noted_capacity, 2 * (members / PART) + ALL_BELOW,
                                 sizeof(order->noted[0]), err);
    size_t bytes = (size_t)order->noted_capacity * sizeof(order->noted[0]);
    if (rc == PL_OK && !pl_replacement_scratch(shared, bytes))
        rc = pl_fail_memory(err, bytes, "a working set");
    return rc;
}

void pl_lru_order_close(struct pl_lru_order *order)
{
    free(order->member);
    free(order->noted);
    *order = (struct pl_lru_order){.member = NULL};
}

void pl_lru_order_add(struct pl_lru_order *order, struct pl_replacement_shared *shared, pl_page page)
{
    assert(order->members < order->capacity);
    shared->position[page] = order->members;
    order->member[order->members++] = page;
}

void pl_lru_order_remove(struct pl_lru_order *order, struct pl_replacement_shared *shared, pl_page page)
{
    uint32_t place = shared->position[page];
    assert(place < order->members && order->member[place] == page);
    pl_page last = order->member[--order->members];
    order->member[place] = last;
    shared->position[last] = place;
}

void pl_lru_order_forget(struct pl_lru_order *order)
{
    order->next = order->end = 0;
}

/* --- putting noted pages in order --------------------------------------------- */

static void insertion_sort(struct pl_lru_noted *noted, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct pl_lru_noted one = noted[i];
        uint32_t j = i;
        for (; j > 0 && noted[j - 1].stamp > one.stamp; j--)
            noted[j] = noted[j - 1];
        noted[j] = one;
    }
}

static void sort_by_digit(const struct pl_lru_noted *from, struct pl_lru_noted *to, uint32_t count, uint32_t base,
                          unsigned shift)
{
    uint32_t start[DIGITS] = {0};
    for (uint32_t i = 0; i < count; i++)
        start[(from[i].stamp - base) >> shift & (DIGITS - 1)]++;
    for (uint32_t digit = 0, sum = 0; digit < DIGITS; digit++) {
        uint32_t here = start[digit];
        start[digit] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < count; i++)
        to[start[(from[i].stamp - base) >> shift & (DIGITS - 1)]++] = from[i];
}

/* By digits of the distance from the oldest, as many as the range needs. */
static void sort_noted(struct pl_lru_noted *noted, struct pl_lru_noted *room, uint32_t count)
{
    if (count < INSERTION_BELOW) {
        insertion_sort(noted, count);
        return;
    }
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        least = noted[i].stamp < least ? noted[i].stamp : least;
        most = noted[i].stamp > most ? noted[i].stamp : most;
    }
    struct pl_lru_noted *from = noted, *to = room;
    unsigned shift = 2; /* below are flags, always 0 in a stamp */
    for (; shift < 32 && (most - least) >> shift; shift += DIGIT_BITS) {
        sort_by_digit(from, to, count, least, shift);
        struct pl_lru_noted *swap = from;
        from = to;
        to = swap;
    }
    if (from != noted)
        memcpy(noted, from, count * sizeof(*noted));
}

/* --- noting the oldest --------------------------------------------------------- */

static uint32_t stamp_of(const struct pl_replacement_shared *shared, pl_page page)
{
    return pl_hot_stamp(shared->hot->word[page]);
}

static int compare_stamps(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* A stamp that about one member in PART does not exceed; at least the least stamp of the sample. */
static uint32_t sampled_limit(struct pl_lru_order *order, const struct pl_replacement_shared *shared)
{
    uint32_t sample[SAMPLE];
    for (int i = 0; i < SAMPLE; i++) {
        order->draw = order->draw * UINT32_C(1664525) + UINT32_C(1013904223);
        sample[i] = stamp_of(shared, order->member[(uint64_t)order->draw * order->members >> 32]);
    }
    qsort(sample, SAMPLE, sizeof(sample[0]), compare_stamps);
    return sample[SAMPLE / PART];
}

/* Notes the members up to a limit; false when there are more than there is room for. */
static bool note_up_to(struct pl_lru_order *order, const struct pl_replacement_shared *shared, uint32_t limit)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < order->members; i++) {
        uint32_t stamp = stamp_of(shared, order->member[i]);
        if (stamp > limit)
            continue;
        if (end == order->noted_capacity)
            return false;
        order->noted[end++] = (struct pl_lru_noted){stamp, order->member[i]};
    }
    order->end = end;
    return true;
}

/* The one oldest: for when the sample erred, or many stamps are equal. */
static void note_least(struct pl_lru_order *order, const struct pl_replacement_shared *shared)
{
    struct pl_lru_noted least = {UINT32_MAX, PL_NO_PAGE};
    for (uint32_t i = 0; i < order->members; i++) {
        uint32_t stamp = stamp_of(shared, order->member[i]);
        if (stamp < least.stamp)
            least = (struct pl_lru_noted){stamp, order->member[i]};
    }
    order->noted[0] = least;
    order->end = 1;
}

static void note_oldest(struct pl_lru_order *order, struct pl_replacement_shared *shared)
{
    uint32_t limit = order->members > ALL_BELOW ? sampled_limit(order, shared) : UINT32_MAX;
    if (note_up_to(order, shared, limit))
        sort_noted(order->noted, shared->scratch, order->end);
    else
        note_least(order, shared);
    order->next = 0;
}

static bool holds(const struct pl_lru_order *order, const struct pl_replacement_shared *shared,
                  struct pl_lru_noted noted)
{
    uint32_t place = shared->position[noted.page];
    return stamp_of(shared, noted.page) == noted.stamp && place < order->members && order->member[place] == noted.page;
}

pl_page pl_lru_order_first(struct pl_lru_order *order, struct pl_replacement_shared *shared)
{
    assert(order->members > 0);
    for (;;) {
        for (; order->next < order->end; order->next++)
            if (holds(order, shared, order->noted[order->next]))
                return order->noted[order->next].page;
        note_oldest(order, shared);
    }
}

bool pl_lru_order_check(const struct pl_lru_order *order, const struct pl_replacement_shared *shared)
{
    for (uint32_t i = 0; i < order->members; i++)
        if (shared->position[order->member[i]] != i)
            return false;
    for (uint32_t i = order->next + 1; i < order->end; i++)
        if (order->noted[i - 1].stamp > order->noted[i].stamp)
            return false;
    return true;
}
