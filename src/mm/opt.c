/* mm/opt.c: the page whose next use lies farthest ahead (Belady 1966): no policy reads less, a bound for the others.
 *
 * Needs the future: struct pl_future. A stamp tells the number of a page's last touch, that touch its next use.
 * Touches since the last victim are gone through when the next one is wanted: each puts (next use, page) on a heap.
 * An entry holds while its page is a member and its next use is that of the page's last touch; others are passed
 * over, and swept when they are too many.
 *
 * Among pages never used again the one in the lowest place leaves, as in curve/simulate.h. What this does not model:
 * that a dirty page costs more than a clean one. Assumes one stream of touches in the order given: one actor. */
#include "mm/places.h"
#include "mm/replacement_list.h"

#include <assert.h>
#include <stdlib.h>

struct entry {
    uint32_t next_use;
    pl_page page;
};

struct opt {
    struct pl_replacement base;
    struct pl_future future;
    struct pl_places places;
    struct entry *heap;
    uint32_t count, capacity;
    uint32_t seen; /* touches before this are on the heap */
};

static enum pl_err create(const struct pl_replacement_params *params, struct pl_replacement_shared *shared,
                          struct pl_replacement **out, struct pl_error *err)
{
    if (params->future.count && (!params->future.page_at || !params->future.next_use))
        return pl_fail(err, PL_ERR_USAGE, "the policy opt needs the future");
    if (params->future.count > (PL_STAMP_LAST - PL_STAMP_FIRST) / PL_HOT_ONE)
        return pl_fail(err, PL_ERR_USAGE, "the policy opt takes at most 2^30 - 4 touches, not %u",
                       params->future.count);
    struct opt *opt = calloc(1, sizeof(*opt));
    if (!opt)
        return pl_fail_memory(err, sizeof(*opt), "a working set");
    opt->base = (struct pl_replacement){&pl_replacement_opt, shared, 0};
    opt->future = params->future;
    pl_places_init(&opt->places);
    *out = &opt->base;
    return PL_OK;
}

static void destroy(struct pl_replacement *policy)
{
    struct opt *opt = (struct opt *)policy;
    pl_places_close(&opt->places);
    free(opt->heap);
    free(opt);
}

static enum pl_err reserve(struct pl_replacement *policy, uint32_t members, struct pl_error *err)
{
    struct opt *opt = (struct opt *)policy;
    enum pl_err rc = pl_places_reserve(&opt->places, members, err);
    uint64_t room = 2 * (uint64_t)members + 64;
    return rc ? rc
              : pl_replacement_grow(&opt->heap, &opt->capacity, room > UINT32_MAX ? UINT32_MAX : (uint32_t)room,
                                    sizeof(opt->heap[0]), err);
}

static void came_in(struct pl_replacement *policy, pl_page page)
{
    pl_places_add(&((struct opt *)policy)->places, policy->shared->position, page);
    policy->members++;
}

static void left(struct pl_replacement *policy, pl_page page)
{
    pl_places_remove(&((struct opt *)policy)->places, policy->shared->position, page);
    policy->members--;
}

static bool is_member(const struct opt *opt, pl_page page)
{
    uint32_t place = opt->base.shared->position[page];
    return place < opt->places.used && opt->places.page[place] == page;
}

/* By the stamp. A page that came in ahead of its touch has that touch's stamp already, or one past the end. */
static uint32_t next_use_of(const struct opt *opt, pl_page page)
{
    uint32_t stamp = pl_hot_stamp(opt->base.shared->hot->word[page]);
    uint32_t touch = (stamp - PL_STAMP_FIRST) / PL_HOT_ONE;
    return touch < opt->future.count ? opt->future.next_use[touch] : UINT32_MAX;
}

/* --- the heap: farthest first, then the lowest place -------------------------------- */

static bool goes_before(const struct opt *opt, struct entry a, struct entry b)
{
    if (a.next_use != b.next_use)
        return a.next_use > b.next_use;
    return opt->base.shared->position[a.page] < opt->base.shared->position[b.page];
}

static void sift_down(struct opt *opt, uint32_t at)
{
    struct entry one = opt->heap[at];
    for (uint32_t child; (child = 2 * at + 1) < opt->count; at = child) {
        if (child + 1 < opt->count && goes_before(opt, opt->heap[child + 1], opt->heap[child]))
            child++;
        if (!goes_before(opt, opt->heap[child], one))
            break;
        opt->heap[at] = opt->heap[child];
    }
    opt->heap[at] = one;
}

/* Makes the heap anew from the members, each with its true next use. */
static void sweep(struct opt *opt)
{
    opt->count = 0;
    for (uint32_t place = 0; place < opt->places.used; place++) {
        pl_page page = opt->places.page[place];
        if (!pl_is_hole(page))
            opt->heap[opt->count++] = (struct entry){next_use_of(opt, page), page};
    }
    for (uint32_t i = opt->count / 2; i-- > 0;)
        sift_down(opt, i);
}

static void push(struct opt *opt, struct entry one)
{
    uint32_t at = opt->count++;
    for (; at > 0 && goes_before(opt, one, opt->heap[(at - 1) / 2]); at = (at - 1) / 2)
        opt->heap[at] = opt->heap[(at - 1) / 2];
    opt->heap[at] = one;
}

/* Goes through the touches since the last time. When more are due than there is room for, all are read from the
 * stamps. */
static void catch_up(struct opt *opt)
{
    uint32_t now = (opt->base.shared->hot->next - PL_STAMP_FIRST) / PL_HOT_ONE;
    if (now > opt->future.count)
        now = opt->future.count;
    if (now - opt->seen > opt->capacity - opt->count) {
        opt->seen = now;
        sweep(opt);
    }
    for (; opt->seen < now; opt->seen++) {
        pl_page page = opt->future.page_at[opt->seen];
        if (is_member(opt, page))
            push(opt, (struct entry){opt->future.next_use[opt->seen], page});
    }
}

static pl_page victim(struct pl_replacement *policy)
{
    struct opt *opt = (struct opt *)policy;
    assert(policy->members > 0);
    catch_up(opt);
    for (;;) {
        if (!opt->count)
            sweep(opt);
        struct entry top = opt->heap[0];
        if (is_member(opt, top.page) && next_use_of(opt, top.page) == top.next_use)
            return top.page;
        opt->heap[0] = opt->heap[--opt->count];
        if (opt->count)
            sift_down(opt, 0);
    }
}

static const char *check(const struct pl_replacement *policy)
{
    const struct opt *opt = (const struct opt *)policy;
    bool good = pl_places_check(&opt->places, policy->shared->position, policy->members);
    return good ? NULL : "opt: places and pages differ";
}

const struct pl_replacement_ops pl_replacement_opt = {
    .name = "opt",
    .about = "the page whose next use is farthest: needs the whole trace, a bound",
    .counts_stamps = true,
    .create = create,
    .destroy = destroy,
    .reserve = reserve,
    .came_in = came_in,
    .left = left,
    .victim = victim,
    .check = check,
};
