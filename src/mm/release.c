/* mm/release.c: pages given back, processes that exit, sections and combined pages that nobody uses. */
#include "mm/memory_private.h"

/* The object no longer needs its frame. A frame in a transfer, or held by a fault, becomes an orphan. */
static void drop_frame(struct pl_memory *m, struct page_record *r)
{
    if (r->frame == PL_NO_FRAME)
        return;
    struct pl_frame_entry *e = entry_of(m, r->frame);
    e->page = PL_NO_PAGE;
    if (e->share == 0 && e->flight == PL_FLIGHT_NONE)
        pl_free_frame(m, r->frame);
    else if (e->share == 0 && e->list != PL_LIST_TRANSITION)
        pl_frames_move_tail(&m->frames, r->frame, PL_LIST_TRANSITION);
    r->frame = PL_NO_FRAME;
}

/* What of a page lies outside. */
static bool copies_of(const struct page_record *r, pl_page object, struct pl_released *out)
{
    *out = (struct pl_released){object, r->flags & F_FILE ? PL_NO_SLOT : r->slot,
                                r->flags & (F_IN_STORE | F_STALE_STORE)};
    return out->slot != PL_NO_SLOT || out->in_store;
}

static void uncharge(struct pl_memory *m, const struct page_record *r)
{
    if (!(r->flags & F_CHARGED))
        return;
    m->committed--;
    if (r->process != PL_NO_PROCESS)
        m->process[r->process].state.commit_pages--;
}

/* --- internal pages -------------------------------------------------------------- */

void pl_internal_unused(struct pl_memory *m, pl_page object)
{
    struct internal_page *page = internal_of(m, object);
    struct pl_released copies;
    struct page_record *r = &page->record;
    assert(page->users == 0);
    drop_frame(m, r);
    uncharge(m, r);
    r->place = PL_PLACE_UNMAPPED;
    if (copies_of(r, object, &copies))
        m->dead[m->deads++] = object;
    else
        m->reusable[m->reusables++] = object;
}

void pl_view_gone(struct pl_memory *m, pl_page object)
{
    struct internal_page *page = internal_of(m, object);
    assert(page->users > 0);
    if (--page->users == 0 && page->owner == NO_OWNER)
        pl_internal_unused(m, object);
}

bool pl_memory_next_released(struct pl_memory *m, struct pl_released *out)
{
    if (!m->deads)
        return false;
    pl_page object = m->dead[--m->deads];
    copies_of(record_of(m, object), object, out);
    m->reusable[m->reusables++] = object;
    return true;
}

void pl_memory_free_section(struct pl_memory *m, pl_section section)
{
    assert(section < m->sections && !m->section[section].freed);
    struct section *s = &m->section[section];
    s->freed = true;
    for (uint32_t i = 0; i < s->pages; i++) {
        assert(internal_of(m, s->first + i)->users == 0);
        pl_internal_unused(m, s->first + i);
    }
}

/* --- pages of processes -------------------------------------------------------------- */

/* A private page leaves its working set for nowhere. */
static void abandon(struct pl_memory *m, pl_page page)
{
    pl_ws_leave(m, page);
    entry_of(m, m->record[page].frame)->share--;
}

static void free_view(struct pl_memory *m, pl_page page)
{
    struct page_record *r = &m->record[page];
    pl_page object = r->slot;
    if (m->hot.word[page])
        pl_evict_page(m, page, NULL);
    pl_view_gone(m, object);
}

bool pl_memory_free(struct pl_memory *m, pl_page page, struct pl_released *out)
{
    if (page >= m->pages || m->record[page].place == PL_PLACE_UNMAPPED)
        return false;
    struct page_record *r = &m->record[page];
    bool view = r->flags & F_VIEW, copies = false;
    if (r->place != PL_PLACE_NONE)
        COUNT(m, r->process, released);
    if (view)
        free_view(m, page);
    else {
        if (m->hot.word[page])
            abandon(m, page);
        drop_frame(m, r);
        copies = copies_of(r, page, out);
    }
    uncharge(m, r);
    m->process[r->process].state.virtual_pages--;
    m->global_pages--;
    r->place = PL_PLACE_UNMAPPED;
    r->flags = 0;
    return copies;
}

/* --- exit ------------------------------------------------------------------------------- */

/* Frees pages until one has copies to release. */
static bool free_next(struct pl_memory *m, pl_process process, struct pl_released *out)
{
    struct process *p = &m->process[process];
    for (; p->walk_extent < p->extents; p->walk_extent++, p->walk_page = 0)
        while (p->walk_page < p->extent[p->walk_extent].count) {
            pl_page page = p->extent[p->walk_extent].first + p->walk_page++;
            if (m->record[page].process == process && pl_memory_free(m, page, out))
                return true;
        }
    return false;
}

static void leave_tables(struct pl_memory *m, pl_process process)
{
    struct process *p = &m->process[process];
    pl_tables_forget(m, process);
    while (p->tables) {
        pl_page table = p->table[--p->tables];
        struct internal_page *t = internal_of(m, table);
        if (t->in_ws) {
            t->in_ws = false;
            entry_of(m, t->record.frame)->share--;
            p->state.page_table_pages--;
            p->state.working_set--;
        }
        drop_frame(m, &t->record);
        if (t->users)
            t->owner = DOOMED_TABLE; /* a fault holds it */
        else
            pl_internal_unused(m, table);
    }
}

bool pl_memory_exit(struct pl_memory *m, pl_process process, struct pl_released *out)
{
    struct process *p = &m->process[process];
    if (p->state.exited)
        return pl_memory_next_released(m, out);
    if (!p->exiting) {
        p->exiting = true;
        p->walk_extent = 0;
        p->walk_page = 0;
    }
    if (free_next(m, process, out))
        return true;
    leave_tables(m, process);
    p->state.exited = true;
    pl_ws_fit_list(m, p);
    if (p->policy)
        p->policy->ops->destroy(p->policy);
    p->policy = NULL;
    return pl_memory_next_released(m, out);
}
