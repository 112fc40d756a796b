/* mm/combine.c: page combining in memory: equal private pages become views of one object, copied when written.
 *
 * What this does not model: finding equal pages, and its cost, which are the caller's. Pages with copies in the store
 * or the page file are left out, as are locked ones. */
#include "mm/memory_private.h"

static bool can_combine(const struct pl_memory *m, pl_page page)
{
    if (page >= m->pages)
        return false;
    const struct page_record *r = &m->record[page];
    static const unsigned unfit = F_VIEW | F_GUARD | F_FILE | F_LOCKED | F_IN_STORE | F_STALE_STORE | F_HOLD;
    if (r->flags & unfit || r->slot != PL_NO_SLOT)
        return false;
    if (r->place == PL_PLACE_ACTIVE)
        return m->hot.word[page] && entry_of(m, r->frame)->flight == PL_FLIGHT_NONE;
    return r->place == PL_PLACE_LISTED;
}

/* Makes a view of a page; its frame, when it is not the one that is kept, is free. Whether it is active. */
static bool make_view(struct pl_memory *m, pl_page page, pl_page object, pl_frame keep)
{
    struct page_record *r = &m->record[page];
    bool active = r->place == PL_PLACE_ACTIVE;
    if (r->frame != keep)
        pl_free_frame(m, r->frame);
    r->flags = (uint16_t)((r->flags & F_CHARGED) | F_VIEW | F_COW);
    r->frame = PL_NO_FRAME;
    r->slot = object;
    r->place = active ? PL_PLACE_ACTIVE : PL_PLACE_VIEW;
    if (active)
        m->hot.word[page] = (m->hot.word[page] & ~PL_HOT_DIRTY) | PL_HOT_PROTECTED;
    internal_of(m, object)->users++;
    return active;
}

enum pl_err pl_memory_combine(struct pl_memory *m, const pl_page *page, uint32_t count, uint32_t *freed,
                              struct pl_error *err)
{
    assert(m->params.sections);
    pl_page object = PL_NO_PAGE, first = PL_NO_PAGE;
    uint32_t views = 0, active = 0, able = 0;
    for (uint32_t i = 0; i < count && able < UINT16_MAX - 1; i++)
        if (can_combine(m, page[i]) && able++ == 0)
            first = page[i];
    *freed = 0;
    if (able < 2)
        return PL_OK;
    enum pl_err rc = pl_internal_add(m, 1, &object, err);
    if (rc)
        return rc;
    pl_frame keep = m->record[first].frame;
    struct page_record *o = record_of(m, object);
    o->flags = (uint16_t)(F_SHARED | F_DIRTY_DISK | (m->record[first].flags & F_ALL_ZERO));
    o->content_class = m->record[first].content_class;
    o->frame = keep;
    o->place = PL_PLACE_ACTIVE;
    for (uint32_t i = 0; views < able; i++)
        if (can_combine(m, page[i])) {
            active += make_view(m, page[i], object, keep);
            views++;
        }
    struct pl_frame_entry *e = entry_of(m, keep);
    e->page = object;
    e->share = (uint16_t)active;
    if (active)
        pl_frames_move_tail(&m->frames, keep, PL_LIST_ACTIVE);
    else
        pl_retire(m, keep, NULL);
    *freed = able - 1;
    return PL_OK;
}
