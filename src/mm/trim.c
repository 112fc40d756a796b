/* mm/trim.c: working sets get smaller: on command, and by the working-set manager. Commands to the lists.
 *
 * The manager ages a share of each working set at every tick. When less than `low_pages` are available it trims until
 * `target_pages` would be: first pages of the greatest age from all working sets above their minimum, the set with
 * the most to give first, then younger ones; and, when all that is not enough, below the minimum, so that a fault
 * never waits for ever. A policy without ages gives its victims, a quarter of what is above the minimum at a time. */
#include "mm/memory_private.h"

/* One pass over a working-set list in its own order, which is that of coming in: so pages that were touched one after the
 * other are neighbours on the lists, and later in the page file. */
static uint32_t walk_out(struct pl_memory *m, pl_process process)
{
    struct pl_replacement *policy = m->process[process].policy;
    uint32_t left = 0;
    if (!policy || !policy->ops->trim_begin)
        return 0;
    policy->ops->trim_begin(policy, 0);
    for (pl_page page; policy->members && (page = policy->ops->trim_next(policy)) != PL_NO_PAGE; left++) {
        COUNT(m, process, trimmed);
        pl_evict_page(m, page, NULL);
    }
    return left;
}

uint32_t pl_memory_empty_working_set(struct pl_memory *m, pl_process process)
{
    assert(m->params.lists);
    uint32_t left = 0;
    pl_process first = process == PL_NO_PROCESS ? 0 : process;
    pl_process end = process == PL_NO_PROCESS ? (pl_process)m->processes : process + 1;
    for (pl_process p = first; p < end; p++)
        for (left += walk_out(m, p); pl_evict_own(m, p, NULL); left++)
            COUNT(m, p, trimmed);
    return left;
}

/* --- the working-set manager ------------------------------------------------------- */

/* Trims up to `most` pages of at least an age from one policy. */
static uint32_t trim_policy(struct pl_memory *m, struct pl_replacement *policy, unsigned least_age, uint32_t most)
{
    const struct pl_replacement_ops *ops = policy->ops;
    uint32_t left = 0;
    if (ops->trim_begin)
        ops->trim_begin(policy, least_age);
    while (left < most && policy->members) {
        pl_page page = ops->trim_begin ? ops->trim_next(policy) : ops->victim(policy);
        if (page == PL_NO_PAGE)
            break;
        COUNT(m, m->record[page].process, trimmed);
        pl_evict_page(m, page, NULL);
        left++;
    }
    return left;
}

static uint32_t surplus(const struct process *p, bool below_minimum)
{
    if (!p->policy)
        return 0;
    uint32_t keep = below_minimum ? 0 : p->state.params.minimum_pages;
    uint32_t above = p->state.working_set > keep ? p->state.working_set - keep : 0;
    return above < p->policy->members ? above : p->policy->members;
}

/* The process with the most to give that has not had its turn; NULL when none is left. Turns are few: each is a pass
 * over a working set. */
static struct process *next_turn(const struct pl_memory *m, bool below_minimum, uint32_t *limit, size_t *after)
{
    struct process *best = NULL;
    uint32_t best_surplus = 0;
    for (size_t i = 0; i < m->processes; i++) {
        uint32_t s = surplus(&m->process[i], below_minimum);
        bool had = s > *limit || (s == *limit && i <= *after);
        if (s && !had && (!best || s > best_surplus)) {
            best = &m->process[i];
            best_surplus = s;
        }
    }
    if (best) {
        *limit = best_surplus;
        *after = (size_t)(best - m->process);
    }
    return best;
}

/* One round over all processes. */
static uint32_t trim_round(struct pl_memory *m, unsigned least_age, bool below_minimum, uint32_t want)
{
    if (m->policy)
        return trim_policy(m, m->policy, least_age, want);
    uint32_t left = 0, limit = UINT32_MAX;
    size_t after = SIZE_MAX;
    struct process *p;
    while (left < want && (p = next_turn(m, below_minimum, &limit, &after))) {
        uint32_t give = surplus(p, below_minimum);
        if (!p->policy->ops->trim_begin)
            give = (give + 3) / 4;
        left += trim_policy(m, p->policy, least_age, give < want - left ? give : want - left);
    }
    return left;
}

uint32_t pl_memory_trim(struct pl_memory *m, uint32_t want)
{
    assert(m->params.lists);
    uint32_t left = 0;
    bool has_ages = m->params.policy->trim_begin;
    for (unsigned age = has_ages ? PL_AGES : 1; age-- > 0 && left < want;)
        left += trim_round(m, age, false, want - left);
    for (uint32_t more = 1; more && left < want; left += more)
        more = trim_round(m, 0, false, want - left);
    for (uint32_t more = 1; more && left < want; left += more)
        more = trim_round(m, 0, true, want - left);
    return left;
}

static uint32_t scan_policy(const struct pl_memory *m, struct pl_replacement *policy)
{
    if (!policy || !policy->ops->scan)
        return 0;
    uint32_t count = (uint32_t)(m->params.aging_share * policy->members + 0.999999);
    policy->ops->scan(policy, count);
    return count;
}

struct pl_tick pl_memory_tick(struct pl_memory *m)
{
    assert(m->params.lists);
    struct pl_tick tick = {scan_policy(m, m->policy), 0};
    for (size_t i = 0; i < m->processes; i++)
        tick.scanned += scan_policy(m, m->process[i].policy);
    uint32_t available = pl_frames_available(&m->frames);
    if (available < m->params.low_pages)
        tick.trimmed = pl_memory_trim(m, m->params.target_pages - available);
    return tick;
}

/* --- commands to the lists ------------------------------------------------------------ */

uint32_t pl_memory_purge_standby(struct pl_memory *m, unsigned priority)
{
    uint32_t freed = 0;
    for (unsigned p = 0; p <= priority && p < PL_PRIORITIES; p++)
        while (m->frames.count[PL_LIST_STANDBY + p]) {
            pl_frame frame = m->frames.head[PL_LIST_STANDBY + p];
            pl_repurpose(m, frame);
            pl_free_frame(m, frame);
            freed++;
        }
    return freed;
}

uint32_t pl_memory_zero_frames(struct pl_memory *m, uint32_t count)
{
    uint32_t zeroed = 0;
    for (; zeroed < count && m->frames.count[PL_LIST_FREE]; zeroed++)
        pl_frames_move_tail(&m->frames, m->frames.head[PL_LIST_FREE], PL_LIST_ZERO);
    return zeroed;
}
