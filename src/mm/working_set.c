/* mm/working_set.c: entering and leaving; page tables and the pages of working-set lists, which come and go with it.
 *
 * A page-table page is in the working set while a page below it is, or a fault holds it; then it leaves like any
 * other page, and must be brought back by a fault of its own. Without lists it stays. A working-set list has one page
 * for each `ws_list_entries` entries; when no frame is available for one, the list is short until one is. */
#include "mm/memory_private.h"

static void grew(struct process *p)
{
    p->state.working_set++;
    if (p->state.working_set > p->state.peak_working_set)
        p->state.peak_working_set = p->state.working_set;
}

void pl_ws_fit_list(struct pl_memory *m, struct process *p)
{
    uint32_t entries = m->params.ws_list_entries;
    if (!entries)
        return;
    uint32_t want = (p->state.working_set - p->state.ws_list_pages + entries - 1) / entries;
    while (p->state.ws_list_pages < want) {
        pl_frame frame = pl_take_any_frame(m);
        if (frame == PL_NO_FRAME)
            return;
        entry_of(m, frame)->next = p->list_frames;
        p->list_frames = frame;
        p->state.ws_list_pages++;
        grew(p);
    }
    while (p->state.ws_list_pages > want) {
        pl_frame frame = p->list_frames;
        p->list_frames = entry_of(m, frame)->next;
        p->state.ws_list_pages--;
        p->state.working_set--;
        pl_free_frame(m, frame);
    }
}

void pl_ws_enter(struct pl_memory *m, pl_page page)
{
    struct page_record *r = record_of(m, page);
    struct process *p = &m->process[r->process];
    struct pl_replacement *policy = policy_of(m, r->process);
    policy->ops->came_in(policy, page);
    grew(p);
    pl_page table = table_of(m, page);
    if (table != PL_NO_PAGE)
        internal_of(m, table)->users++;
    pl_ws_fit_list(m, p);
}

static void leave_table(struct pl_memory *m, pl_page table)
{
    struct page_record *r = record_of(m, table);
    struct internal_page *t = internal_of(m, table);
    if (!m->params.lists || !t->in_ws)
        return;
    t->in_ws = false;
    struct process *p = &m->process[r->process];
    p->state.page_table_pages--;
    p->state.working_set--;
    pl_unshare(m, r->frame, NULL);
}

void pl_table_unpin(struct pl_memory *m, pl_page table)
{
    struct internal_page *t = internal_of(m, table);
    assert(t->users > 0);
    if (--t->users)
        return;
    if (t->owner == DOOMED_TABLE)
        pl_internal_unused(m, table);
    else
        leave_table(m, table);
}

bool pl_ws_leave(struct pl_memory *m, pl_page page)
{
    struct page_record *r = record_of(m, page);
    struct process *p = &m->process[r->process];
    uint32_t word = m->hot.word[page];
    assert(word);
    if (r->flags & F_LOCKED)
        p->state.locked_pages--;
    else {
        struct pl_replacement *policy = policy_of(m, r->process);
        policy->ops->left(policy, page);
    }
    m->hot.word[page] = 0;
    if (!(r->flags & F_LARGE))
        p->state.working_set--;
    pl_page table = table_of(m, page);
    if (table != PL_NO_PAGE)
        pl_table_unpin(m, table);
    pl_ws_fit_list(m, p);
    return word & PL_HOT_DIRTY;
}

void pl_ws_enter_table(struct pl_memory *m, pl_page table)
{
    struct page_record *r = record_of(m, table);
    struct process *p = &m->process[r->process];
    r->flags |= F_DIRTY_DISK; /* an entry of it is about to change */
    if (r->flags & F_IN_STORE)
        r->flags = (uint16_t)((r->flags & ~F_IN_STORE) | F_STALE_STORE);
    internal_of(m, table)->in_ws = true;
    p->state.page_table_pages++;
    grew(p);
    pl_ws_fit_list(m, p);
}
