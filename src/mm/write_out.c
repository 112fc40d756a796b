/* mm/write_out.c: modified pages on their way to the store or a file.
 *
 *   modified -> transition -> standby (written), free (compressed), or wherever a touch or a free meanwhile took it */
#include "mm/memory_private.h"

pl_page pl_memory_first_modified(const struct pl_memory *m, enum pl_list list)
{
    pl_frame frame = m->frames.head[list];
    return frame == PL_NO_FRAME ? PL_NO_PAGE : entry_of(m, frame)->page;
}

/* A page of zeros need not be kept anywhere; but copies that exist must be given up by the way of writing. */
static bool drop_zero_page(struct pl_memory *m, pl_frame frame)
{
    struct page_record *r = record_of(m, entry_of(m, frame)->page);
    if (!(r->flags & F_ALL_ZERO) || r->flags & (F_FILE | F_IN_STORE | F_STALE_STORE) || r->slot != PL_NO_SLOT)
        return false;
    r->place = PL_PLACE_NONE;
    r->frame = PL_NO_FRAME;
    r->flags &= (uint16_t)~(F_DIRTY_DISK | F_HAS_DISK | F_READ_AHEAD);
    COUNT(m, r->process, zero_pages_dropped);
    pl_free_frame(m, frame);
    return true;
}

static struct pl_out start(struct pl_memory *m, pl_frame frame, enum pl_flight flight)
{
    struct pl_frame_entry *e = entry_of(m, frame);
    struct page_record *r = record_of(m, e->page);
    struct pl_out out = {e->page, frame, PL_NO_SLOT, r->flags & F_STALE_STORE};
    r->flags &= (uint16_t)~F_STALE_STORE;
    if (!(r->flags & F_FILE)) {
        out.slot = r->slot;
        r->slot = PL_NO_SLOT;
    }
    if (flight == PL_FLIGHT_WRITE)
        r->flags &= (uint16_t)~F_DIRTY_DISK; /* from here on: what is written later makes it dirty again */
    r->place = PL_PLACE_TRANSITION;
    e->flight = (uint8_t)flight;
    pl_frames_move_tail(&m->frames, frame, PL_LIST_TRANSITION);
    return out;
}

uint32_t pl_memory_take_modified(struct pl_memory *m, enum pl_list list, enum pl_flight flight, uint32_t count,
                                 struct pl_out *out)
{
    assert(list == PL_LIST_MODIFIED || list == PL_LIST_MODIFIED_FILE);
    assert(flight == PL_FLIGHT_WRITE || flight == PL_FLIGHT_COMPRESS);
    uint32_t taken = 0;
    while (taken < count && m->frames.count[list]) {
        pl_frame frame = m->frames.head[list];
        if (!drop_zero_page(m, frame))
            out[taken++] = start(m, frame, flight);
    }
    return taken;
}

/* Ends the transfer. False when the page was freed meanwhile: then its frame is free, too, unless a fault holds it. */
static bool land(struct pl_memory *m, const struct pl_out *out)
{
    struct pl_frame_entry *e = entry_of(m, out->frame);
    assert(e->flight == PL_FLIGHT_WRITE || e->flight == PL_FLIGHT_COMPRESS || e->flight == PL_FLIGHT_OVERTAKEN);
    e->flight = PL_FLIGHT_NONE;
    if (e->page == out->object)
        return true;
    assert(e->page == PL_NO_PAGE);
    if (e->share == 0)
        pl_free_frame(m, out->frame);
    return false;
}

/* Back from transition to the list where it now belongs; an active page stays. */
static void put_back(struct pl_memory *m, const struct pl_out *out)
{
    if (record_of(m, out->object)->place == PL_PLACE_TRANSITION)
        pl_retire(m, out->frame, NULL);
}

bool pl_memory_write_done(struct pl_memory *m, const struct pl_out *out, uint32_t slot)
{
    assert(entry_of(m, out->frame)->flight == PL_FLIGHT_WRITE);
    if (!land(m, out))
        return false;
    struct page_record *r = record_of(m, out->object);
    r->slot = slot;
    r->flags |= F_HAS_DISK;
    put_back(m, out);
    return true;
}

bool pl_memory_compress_done(struct pl_memory *m, const struct pl_out *out, bool keep_frame)
{
    bool overtaken = entry_of(m, out->frame)->flight == PL_FLIGHT_OVERTAKEN;
    if (!land(m, out))
        return false;
    struct page_record *r = record_of(m, out->object);
    if (overtaken) {
        put_back(m, out);
        return false;
    }
    r->flags |= F_IN_STORE;
    if (keep_frame) {
        put_back(m, out);
        return true;
    }
    r->place = PL_PLACE_STORE;
    r->frame = PL_NO_FRAME;
    r->flags &= (uint16_t)~F_READ_AHEAD;
    pl_free_frame(m, out->frame);
    return true;
}

bool pl_memory_write_instead(struct pl_memory *m, const struct pl_out *out)
{
    struct pl_frame_entry *e = entry_of(m, out->frame);
    assert(e->flight == PL_FLIGHT_COMPRESS || e->flight == PL_FLIGHT_OVERTAKEN);
    if (e->page == out->object && e->flight == PL_FLIGHT_COMPRESS) {
        e->flight = PL_FLIGHT_WRITE;
        record_of(m, out->object)->flags &= (uint16_t)~F_DIRTY_DISK;
        return true;
    }
    if (land(m, out))
        put_back(m, out);
    return false;
}

void pl_memory_out_failed(struct pl_memory *m, const struct pl_out *out)
{
    if (!land(m, out))
        return;
    record_of(m, out->object)->flags |= F_DIRTY_DISK;
    put_back(m, out);
}

static bool has_stale_slot(const struct pl_memory *m, const struct page_record *r, pl_page page)
{
    bool settled = r->place == PL_PLACE_ACTIVE || r->place == PL_PLACE_LISTED || r->place == PL_PLACE_STORE;
    if (!settled || r->flags & (F_VIEW | F_FILE) || r->slot == PL_NO_SLOT)
        return false;
    if (r->frame != PL_NO_FRAME && entry_of(m, r->frame)->flight != PL_FLIGHT_NONE)
        return false;
    return r->flags & F_DIRTY_DISK || (page < PL_INTERNAL_PAGE && m->hot.word[page] & PL_HOT_DIRTY);
}

uint32_t pl_memory_take_stale_slot(struct pl_memory *m, uint64_t *walk)
{
    while (*walk < (uint64_t)m->pages + m->internals) {
        uint64_t i = (*walk)++;
        pl_page page = (pl_page)(i < m->pages ? i : PL_INTERNAL_PAGE + (i - m->pages));
        struct page_record *r = record_of(m, page);
        if (!has_stale_slot(m, r, page))
            continue;
        uint32_t slot = r->slot;
        r->slot = PL_NO_SLOT;
        r->flags = (uint16_t)((r->flags & ~F_HAS_DISK) | F_DIRTY_DISK);
        return slot;
    }
    return PL_NO_SLOT;
}

void pl_memory_hold_writes(struct pl_memory *m, pl_page page, bool hold)
{
    pl_page object = object_of(m, page);
    struct page_record *r = record_of(m, object);
    r->flags = (uint16_t)(hold ? r->flags | F_HOLD : r->flags & ~F_HOLD);
    if (r->place == PL_PLACE_LISTED)
        pl_retire(m, r->frame, NULL);
}
