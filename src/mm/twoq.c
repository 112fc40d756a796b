/* mm/twoq.c: 2Q (Johnson and Shasha 1994, the full version).
 *
 *   came in first time -> A1in (first in, first out) -> leaves, remembered in A1out
 *   came in while remembered -> Am (least recently used)
 *
 * A1in holds up to Kin of the members before it gives victims, A1out remembers up to Kout of them. A touch of a page
 * in A1in changes nothing: correlated touches shortly after a fault are no sign of use. Kin and Kout count by the
 * members that there are, since a working set has no fixed size. */
#include "mm/lru_order.h"
#include "mm/page_queue.h"
#include "mm/replacement_list.h"

#include <stdlib.h>

enum state { ABSENT, IN_NEW, IN_MAIN, REMEMBERED };

struct twoq {
    struct pl_replacement base;
    struct pl_page_queue fresh, ghosts; /* A1in, A1out */
    struct pl_lru_order main;           /* Am */
    double kin, kout;
};

static enum pl_err create(const struct pl_replacement_params *params, struct pl_replacement_shared *shared,
                          struct pl_replacement **out, struct pl_error *err)
{
    double kin = params->kin_share ? params->kin_share : 0.25, kout = params->kout_share ? params->kout_share : 0.5;
    if (!(kin > 0 && kin <= 1 && kout > 0 && kout <= 1))
        return pl_fail(err, PL_ERR_USAGE, "2Q shares of %g and %g: they must be above 0 and at most 1", kin, kout);
    struct twoq *twoq = calloc(1, sizeof(*twoq));
    if (!twoq)
        return pl_fail_memory(err, sizeof(*twoq), "a working set");
    twoq->base = (struct pl_replacement){&pl_replacement_twoq, shared, 0};
    twoq->kin = kin;
    twoq->kout = kout;
    *out = &twoq->base;
    return PL_OK;
}

static void forget_ghosts(struct twoq *twoq, uint32_t keep)
{
    struct pl_replacement_shared *shared = twoq->base.shared;
    while (twoq->ghosts.count > keep) {
        pl_page page = pl_page_queue_first(&twoq->ghosts);
        pl_page_queue_remove(&twoq->ghosts, shared->position, page);
        shared->state[page] = ABSENT;
    }
}

static void destroy(struct pl_replacement *policy)
{
    struct twoq *twoq = (struct twoq *)policy;
    forget_ghosts(twoq, 0);
    pl_page_queue_close(&twoq->fresh);
    pl_page_queue_close(&twoq->ghosts);
    pl_lru_order_close(&twoq->main);
    free(twoq);
}

static enum pl_err reserve(struct pl_replacement *policy, uint32_t members, struct pl_error *err)
{
    struct twoq *twoq = (struct twoq *)policy;
    enum pl_err rc = pl_page_queue_reserve(&twoq->fresh, members, err);
    if (rc == PL_OK)
        rc = pl_page_queue_reserve(&twoq->ghosts, members + 1, err);
    return rc ? rc : pl_lru_order_reserve(&twoq->main, policy->shared, members, err);
}

static void came_in(struct pl_replacement *policy, pl_page page)
{
    struct twoq *twoq = (struct twoq *)policy;
    struct pl_replacement_shared *shared = policy->shared;
    policy->members++;
    if (shared->state[page] == REMEMBERED) {
        pl_page_queue_remove(&twoq->ghosts, shared->position, page);
        pl_lru_order_add(&twoq->main, shared, page);
        shared->state[page] = IN_MAIN;
    } else {
        pl_page_queue_add(&twoq->fresh, shared->position, page);
        shared->state[page] = IN_NEW;
    }
}

static void left(struct pl_replacement *policy, pl_page page)
{
    struct twoq *twoq = (struct twoq *)policy;
    struct pl_replacement_shared *shared = policy->shared;
    if (shared->state[page] == IN_MAIN) {
        pl_lru_order_remove(&twoq->main, shared, page);
        shared->state[page] = ABSENT;
    } else {
        pl_page_queue_remove(&twoq->fresh, shared->position, page);
        pl_page_queue_add(&twoq->ghosts, shared->position, page);
        shared->state[page] = REMEMBERED;
        forget_ghosts(twoq, (uint32_t)(twoq->kout * policy->members));
    }
    policy->members--;
}

static pl_page victim(struct pl_replacement *policy)
{
    struct twoq *twoq = (struct twoq *)policy;
    if (!twoq->main.members || twoq->fresh.count > twoq->kin * policy->members)
        return pl_page_queue_first(&twoq->fresh);
    return pl_lru_order_first(&twoq->main, policy->shared);
}

static void renumbered(struct pl_replacement *policy)
{
    pl_lru_order_forget(&((struct twoq *)policy)->main);
}

static const char *check(const struct pl_replacement *policy)
{
    const struct twoq *twoq = (const struct twoq *)policy;
    const uint32_t *position = policy->shared->position;
    if (twoq->fresh.count + twoq->main.members != policy->members)
        return "twoq: members are not as counted";
    if (!pl_page_queue_check(&twoq->fresh, position) || !pl_page_queue_check(&twoq->ghosts, position))
        return "twoq: a queue is out of order";
    return pl_lru_order_check(&twoq->main, policy->shared) ? NULL : "twoq: the main part is out of order";
}

const struct pl_replacement_ops pl_replacement_twoq = {
    .name = "twoq",
    .about = "2Q: a queue for new pages, LRU for those that come back",
    .create = create,
    .destroy = destroy,
    .reserve = reserve,
    .came_in = came_in,
    .left = left,
    .victim = victim,
    .renumbered = renumbered,
    .check = check,
};
