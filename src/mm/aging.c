/* mm/aging.c: ages from the accessed bit, as the working-set manager of Windows NT keeps them.
 *
 * Now and then part of the working-set list is scanned, from where the scan stopped last: a page accessed since gets
 * age 0 and loses its mark, another grows older by one, up to 7. A trim takes pages by age, oldest first. A working
 * set that may not grow replaces one page: a hand goes on, taking the marks of accessed pages, to one that was not;
 * of the rest of `examine` entries an older one may be better. When all `examine` are marked, the first leaves.
 *
 * Assumes that the mark is set by every touch and by coming in. Without scans all ages stay 0 and this is a clock
 * whose hand goes at most `examine` entries at a time. What this does not model: that marks are also lost for other
 * reasons than a scan. */
#include "mm/places.h"
#include "mm/replacement_list.h"

#include <assert.h>
#include <stdlib.h>

enum { EXAMINE = 16, OLDEST = PL_AGES - 1 };

struct aging {
    struct pl_replacement base;
    struct pl_places places;
    uint8_t *age; /* by place */
    uint32_t age_capacity;
    uint32_t members_of[PL_AGES];
    uint32_t examine;
    uint32_t scan_hand, victim_hand, trim_hand, trim_left; /* places */
    unsigned trim_age;
};

static enum pl_err create(const struct pl_replacement_params *params, struct pl_replacement_shared *shared,
                          struct pl_replacement **out, struct pl_error *err)
{
    struct aging *aging = calloc(1, sizeof(*aging));
    if (!aging)
        return pl_fail_memory(err, sizeof(*aging), "a working set");
    aging->base = (struct pl_replacement){&pl_replacement_aging, shared, 0};
    aging->examine = params->examine ? params->examine : EXAMINE;
    pl_places_init(&aging->places);
    *out = &aging->base;
    return PL_OK;
}

static void destroy(struct pl_replacement *policy)
{
    struct aging *aging = (struct aging *)policy;
    pl_places_close(&aging->places);
    free(aging->age);
    free(aging);
}

static enum pl_err reserve(struct pl_replacement *policy, uint32_t members, struct pl_error *err)
{
    struct aging *aging = (struct aging *)policy;
    enum pl_err rc = pl_places_reserve(&aging->places, members, err);
    return rc ? rc : pl_replacement_grow(&aging->age, &aging->age_capacity, members, sizeof(aging->age[0]), err);
}

static void came_in(struct pl_replacement *policy, pl_page page)
{
    struct aging *aging = (struct aging *)policy;
    aging->age[pl_places_add(&aging->places, policy->shared->position, page)] = 0;
    aging->members_of[0]++;
    policy->members++;
}

static void left(struct pl_replacement *policy, pl_page page)
{
    struct aging *aging = (struct aging *)policy;
    aging->members_of[aging->age[pl_places_remove(&aging->places, policy->shared->position, page)]]--;
    policy->members--;
}

static void set_age(struct aging *aging, uint32_t place, unsigned age)
{
    aging->members_of[aging->age[place]]--;
    aging->members_of[age]++;
    aging->age[place] = (uint8_t)age;
}

/* Takes the mark, and with it the age. */
static void see_access(struct aging *aging, uint32_t place)
{
    pl_mark_old(aging->base.shared->hot, aging->places.page[place]);
    set_age(aging, place, 0);
}

/* The next member from a hand on, which moves behind it. There is one. */
static uint32_t next_place(const struct aging *aging, uint32_t *hand)
{
    for (;;) {
        if (*hand >= aging->places.used)
            *hand = 0;
        uint32_t place = (*hand)++;
        if (!pl_is_hole(aging->places.page[place]))
            return place;
    }
}

static void scan(struct pl_replacement *policy, uint32_t count)
{
    struct aging *aging = (struct aging *)policy;
    if (count > policy->members)
        count = policy->members;
    for (; count; count--) {
        uint32_t place = next_place(aging, &aging->scan_hand);
        if (pl_was_accessed(policy->shared->hot, aging->places.page[place]))
            see_access(aging, place);
        else if (aging->age[place] < OLDEST)
            set_age(aging, place, aging->age[place] + 1u);
    }
}

static pl_page victim(struct pl_replacement *policy)
{
    struct aging *aging = (struct aging *)policy;
    const struct pl_hot *hot = policy->shared->hot;
    uint32_t look = aging->examine < policy->members ? aging->examine : policy->members;
    uint32_t best = UINT32_MAX, first = UINT32_MAX, hand = aging->victim_hand;
    for (; look; look--) {
        uint32_t place = next_place(aging, &hand);
        first = first == UINT32_MAX ? place : first;
        bool accessed = pl_was_accessed(hot, aging->places.page[place]);
        if (best == UINT32_MAX) {
            aging->victim_hand = hand; /* behind what is done with */
            if (accessed)
                see_access(aging, place);
            else
                best = place;
        } else if (!accessed && aging->age[place] > aging->age[best])
            best = place;
    }
    return aging->places.page[best == UINT32_MAX ? first : best];
}

static void trim_begin(struct pl_replacement *policy, unsigned least_age)
{
    struct aging *aging = (struct aging *)policy;
    aging->trim_age = least_age;
    aging->trim_left = aging->places.used;
}

static pl_page trim_next(struct pl_replacement *policy)
{
    struct aging *aging = (struct aging *)policy;
    while (aging->trim_left) {
        if (aging->trim_hand >= aging->places.used)
            aging->trim_hand = 0;
        uint32_t place = aging->trim_hand++;
        aging->trim_left--;
        pl_page page = aging->places.page[place];
        if (pl_is_hole(page))
            continue;
        unsigned age = pl_was_accessed(policy->shared->hot, page) ? 0 : aging->age[place];
        if (age >= aging->trim_age)
            return page;
    }
    return PL_NO_PAGE;
}

static void ages(const struct pl_replacement *policy, uint32_t count[PL_AGES])
{
    const struct aging *aging = (const struct aging *)policy;
    for (int age = 0; age < PL_AGES; age++)
        count[age] = aging->members_of[age];
}

static const char *check(const struct pl_replacement *policy)
{
    const struct aging *aging = (const struct aging *)policy;
    if (!pl_places_check(&aging->places, policy->shared->position, policy->members))
        return "aging: places and pages differ";
    uint32_t found[PL_AGES] = {0};
    for (uint32_t place = 0; place < aging->places.used; place++)
        if (!pl_is_hole(aging->places.page[place]))
            found[aging->age[place]]++;
    for (int age = 0; age < PL_AGES; age++)
        if (found[age] != aging->members_of[age])
            return "aging: ages are not as counted";
    return NULL;
}

const struct pl_replacement_ops pl_replacement_aging = {
    .name = "aging",
    .about = "ages from the accessed bit, scanned in turns (Windows NT)",
    .create = create,
    .destroy = destroy,
    .reserve = reserve,
    .came_in = came_in,
    .left = left,
    .victim = victim,
    .scan = scan,
    .trim_begin = trim_begin,
    .trim_next = trim_next,
    .ages = ages,
    .check = check,
};
