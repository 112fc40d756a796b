/* mm/evict.c: the way of a page out of its working set, and of a frame to its list.
 *
 *   with lists       dirty -> tail of modified, clean -> tail of standby; under a transfer -> transition
 *   without lists    the frame is free at once, the page leaving until it is settled */
#include "mm/memory_private.h"

void pl_free_frame(struct pl_memory *m, pl_frame frame)
{
    struct pl_frame_entry *e = entry_of(m, frame);
    e->page = PL_NO_PAGE;
    e->share = 0;
    e->flight = PL_FLIGHT_NONE;
    pl_frames_move_head(&m->frames, frame, PL_LIST_FREE);
}

static unsigned priority_of(const struct pl_memory *m, const struct page_record *r)
{
    return r->process == PL_NO_PROCESS ? m->params.section_priority : m->process[r->process].state.params.priority;
}

/* Where a frame without users belongs. */
static enum pl_list list_of(const struct pl_memory *m, const struct page_record *r)
{
    bool needs_writing = (r->flags & (F_DIRTY_DISK | F_IN_STORE)) == F_DIRTY_DISK;
    if (!needs_writing)
        return (enum pl_list)(PL_LIST_STANDBY + priority_of(m, r));
    if (r->flags & F_HOLD)
        return PL_LIST_MODIFIED_NO_WRITE;
    return r->flags & F_FILE ? PL_LIST_MODIFIED_FILE : PL_LIST_MODIFIED;
}

static void leave_memory(struct pl_memory *m, pl_frame frame, struct pl_evicted *out)
{
    pl_page object = entry_of(m, frame)->page;
    struct page_record *r = record_of(m, object);
    assert(out);
    out->object = object;
    out->dirty_disk = r->flags & F_DIRTY_DISK;
    out->in_store = r->flags & F_IN_STORE;
    out->stale_store = r->flags & F_STALE_STORE;
    out->all_zero = r->flags & F_ALL_ZERO;
    out->slot = r->slot;
    out->mapped_file = r->flags & F_FILE;
    r->flags &= (uint16_t)~F_STALE_STORE;
    r->place = PL_PLACE_LEAVING;
    r->frame = PL_NO_FRAME;
    pl_free_frame(m, frame);
}

void pl_retire(struct pl_memory *m, pl_frame frame, struct pl_evicted *out)
{
    struct pl_frame_entry *e = entry_of(m, frame);
    struct page_record *r = record_of(m, e->page);
    assert(e->share == 0);
    if (e->flight != PL_FLIGHT_NONE) {
        r->place = PL_PLACE_TRANSITION;
        pl_frames_move_tail(&m->frames, frame, PL_LIST_TRANSITION);
    } else if (m->params.lists) {
        r->place = PL_PLACE_LISTED;
        pl_frames_move_tail(&m->frames, frame, list_of(m, r));
    } else
        leave_memory(m, frame, out);
}

void pl_unshare(struct pl_memory *m, pl_frame frame, struct pl_evicted *out)
{
    struct pl_frame_entry *e = entry_of(m, frame);
    assert(e->share > 0 && e->list == PL_LIST_ACTIVE);
    if (--e->share)
        return;
    if (e->page != PL_NO_PAGE)
        pl_retire(m, frame, out);
    else if (e->flight != PL_FLIGHT_NONE)
        pl_frames_move_tail(&m->frames, frame, PL_LIST_TRANSITION);
    else
        pl_free_frame(m, frame);
}

bool pl_evict_page(struct pl_memory *m, pl_page page, struct pl_evicted *out)
{
    struct page_record *r = record_of(m, page);
    pl_process process = r->process;
    bool dirty = pl_ws_leave(m, page);
    if (dirty)
        COUNT(m, process, evicted_dirty);
    else
        COUNT(m, process, evicted_clean);
    pl_page object = object_of(m, page);
    struct page_record *o = record_of(m, object);
    if (object != page)
        r->place = PL_PLACE_VIEW;
    if (dirty) {
        o->flags |= F_DIRTY_DISK;
        if (o->flags & F_IN_STORE)
            o->flags = (uint16_t)((o->flags & ~F_IN_STORE) | F_STALE_STORE);
    }
    bool last = entry_of(m, o->frame)->share == 1;
    if (out)
        *out = (struct pl_evicted){
            .object = PL_NO_PAGE, .process = process, .dirty_entered = dirty, .slot = PL_NO_SLOT};
    pl_unshare(m, o->frame, out);
    return last;
}

/* When the faulting process has nothing to give: the one with most to give. */
static struct pl_replacement *largest_policy(const struct pl_memory *m)
{
    struct pl_replacement *best = NULL;
    for (size_t i = 0; i < m->processes; i++) {
        struct pl_replacement *policy = m->process[i].policy;
        if (policy && policy->members && (!best || policy->members > best->members))
            best = policy;
    }
    return best;
}

bool pl_evict_one(struct pl_memory *m, pl_process process, struct pl_evicted *out)
{
    struct pl_replacement *policy = process == PL_NO_PROCESS ? m->policy : policy_of(m, process);
    if (!policy || !policy->members)
        policy = m->policy ? NULL : largest_policy(m);
    if (!policy || !policy->members)
        return false;
    pl_evict_page(m, policy->ops->victim(policy), out);
    return true;
}

/* --- taking frames ------------------------------------------------------------------- */

void pl_repurpose(struct pl_memory *m, pl_frame frame)
{
    struct pl_frame_entry *e = entry_of(m, frame);
    struct page_record *r = record_of(m, e->page);
    assert(e->share == 0 && e->flight == PL_FLIGHT_NONE && r->frame == frame);
    if (r->flags & F_IN_STORE)
        r->place = PL_PLACE_STORE;
    else
        r->place = is_on_disk(r) ? PL_PLACE_FILE : PL_PLACE_NONE;
    r->flags &= (uint16_t)~F_READ_AHEAD;
    r->frame = PL_NO_FRAME;
    e->page = PL_NO_PAGE;
}

pl_frame pl_take_any_frame(struct pl_memory *m)
{
    pl_frame frame = pl_frames_choose(&m->frames, false);
    if (frame == PL_NO_FRAME)
        return frame;
    struct pl_frame_entry *e = entry_of(m, frame);
    if (e->list >= PL_LIST_STANDBY) {
        COUNT(m, PL_NO_PROCESS, repurposed[e->list - PL_LIST_STANDBY]);
        pl_repurpose(m, frame);
    }
    pl_frames_move_tail(&m->frames, frame, PL_LIST_ACTIVE);
    return frame;
}

uint32_t pl_memory_take_frames(struct pl_memory *m, uint32_t count)
{
    uint32_t taken = 0;
    for (; taken < count; taken++) {
        pl_frame frame = pl_take_any_frame(m);
        if (frame == PL_NO_FRAME)
            break;
        entry_of(m, frame)->next = m->kernel_frames;
        m->kernel_frames = frame;
        m->kernel_count++;
    }
    return taken;
}

uint32_t pl_memory_set_bad(struct pl_memory *m, uint32_t count)
{
    uint32_t bad = 0;
    for (pl_frame frame; bad < count && (frame = pl_take_any_frame(m)) != PL_NO_FRAME; bad++)
        pl_frames_move_tail(&m->frames, frame, PL_LIST_BAD);
    return bad;
}

void pl_memory_give_frames(struct pl_memory *m, uint32_t count)
{
    assert(count <= m->kernel_count);
    for (; count; count--) {
        pl_frame frame = m->kernel_frames;
        m->kernel_frames = entry_of(m, frame)->next;
        m->kernel_count--;
        pl_free_frame(m, frame);
    }
}

/* --- without lists ---------------------------------------------------------------------- */

/* The next page of a process that can leave, for when the policy is not its own; PL_NO_PAGE after the last. */
static pl_page next_resident(struct pl_memory *m, struct process *p)
{
    for (; p->walk_extent < p->extents; p->walk_extent++, p->walk_page = 0)
        for (struct extent e = p->extent[p->walk_extent]; p->walk_page < e.count; p->walk_page++) {
            pl_page page = e.first + p->walk_page;
            const struct page_record *r = &m->record[page];
            if (m->hot.word[page] && !(r->flags & F_LOCKED) && &m->process[r->process] == p)
                return page;
        }
    p->walk_extent = 0;
    return PL_NO_PAGE;
}

bool pl_evict_own(struct pl_memory *m, pl_process process, struct pl_evicted *out)
{
    struct process *p = &m->process[process];
    pl_page page = PL_NO_PAGE;
    if (m->policy && !p->exiting)
        page = next_resident(m, p);
    else if (p->policy && p->policy->members)
        page = p->policy->ops->victim(p->policy);
    if (page == PL_NO_PAGE)
        return false;
    pl_evict_page(m, page, out);
    return true;
}

/* Views that others have, too, give no frame: then on to the next. */
bool pl_memory_evict(struct pl_memory *m, pl_process process, struct pl_evicted *out)
{
    assert(!m->params.lists);
    struct pl_evicted evicted = {.object = PL_NO_PAGE};
    while (evicted.object == PL_NO_PAGE)
        if (!(process == PL_NO_PROCESS ? pl_evict_one(m, process, &evicted) : pl_evict_own(m, process, &evicted)))
            return false;
    *out = evicted;
    return true;
}

static struct page_record *settling(struct pl_memory *m, pl_page object)
{
    struct page_record *r = record_of(m, object);
    return r->place == PL_PLACE_LEAVING || r->place == PL_PLACE_STORE ? r : NULL;
}

bool pl_memory_settle_store(struct pl_memory *m, pl_page object)
{
    struct page_record *r = settling(m, object);
    if (!r)
        return false;
    r->place = PL_PLACE_STORE;
    r->flags |= F_IN_STORE;
    return true;
}

bool pl_memory_settle_file(struct pl_memory *m, pl_page object, uint32_t slot)
{
    struct page_record *r = settling(m, object);
    if (r)
        r->place = PL_PLACE_FILE;
    else {
        r = record_of(m, object);
        bool had = r->flags & F_IN_STORE; /* it has a frame, too */
        r->flags &= (uint16_t)~F_STALE_STORE;
        if (!had)
            return false;
    }
    r->slot = slot;
    r->flags = (uint16_t)((r->flags & ~(F_DIRTY_DISK | F_IN_STORE)) | F_HAS_DISK);
    return true;
}

bool pl_memory_settle_zero(struct pl_memory *m, pl_page object)
{
    struct page_record *r = settling(m, object);
    if (!r)
        return false;
    r->place = PL_PLACE_NONE;
    r->slot = PL_NO_SLOT;
    r->flags &= (uint16_t)~(F_DIRTY_DISK | F_HAS_DISK | F_IN_STORE);
    return true;
}
