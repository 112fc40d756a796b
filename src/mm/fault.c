/* mm/fault.c: the slow path of a touch: what must happen, with which frame, and how it ends.
 *
 *   nowhere                     take a frame          demand-zero
 *   frame on a list             pin it                transition
 *   being written               pin it                transition: the write goes on
 *   being compressed            pin it, or collide    transition
 *   in another working set      pin it                transition
 *   in the store                take a frame          store
 *   on disk                     take a frame          hard
 *   protected view, written     take a frame          copy-on-write
 *
 * Between begin and end a frame taken has flight IN and its object is in transition; a frame pinned is active, with a
 * share held by the fault; a view is in transition either way, so that another touch of it collides. */
#include "mm/memory_private.h"

/* --- room ------------------------------------------------------------------------- */

/* Evicts a page for a fault. Without lists it is noted for settling; there is at most one, since it gives a frame. */
static bool evict_for(struct pl_memory *m, struct pl_fault *out, bool own)
{
    struct pl_evicted evicted = {.object = PL_NO_PAGE};
    if (own ? !pl_evict_own(m, out->process, &evicted) : !pl_evict_one(m, out->process, &evicted))
        return false;
    COUNT(m, out->process, replaced);
    out->replaced = true;
    if (evicted.object != PL_NO_PAGE)
        out->evicted = evicted;
    return true;
}

/* A working set at its maximum gives up a page before it takes one. */
static void keep_maximum(struct pl_memory *m, struct pl_fault *out)
{
    const struct pl_process_state *p = &m->process[out->process].state;
    if (m->policy || !p->params.maximum_pages || p->working_set < p->params.maximum_pages)
        return;
    if (m->params.lists && !m->params.hard_maximum && pl_frames_available(&m->frames) > m->params.grow_above_pages)
        return;
    evict_for(m, out, true);
}

/* The frame that the fault gets, still on its list; with nothing available pages are evicted: with lists one (which
 * helps when it is clean), without until a frame is free. */
static pl_frame find_frame(struct pl_memory *m, bool for_zeros, struct pl_fault *out)
{
    pl_frame frame = pl_frames_choose(&m->frames, for_zeros);
    while (frame == PL_NO_FRAME && evict_for(m, out, false)) {
        frame = pl_frames_choose(&m->frames, for_zeros);
        if (m->params.lists)
            break;
    }
    return frame;
}

/* Takes a frame off its list, to be filled for a page. */
static void take_frame(struct pl_memory *m, pl_frame frame, pl_page page, bool for_zeros, struct pl_fault *out)
{
    struct pl_frame_entry *e = entry_of(m, frame);
    out->zero_now = for_zeros && e->list != PL_LIST_ZERO;
    if (e->list >= PL_LIST_STANDBY) {
        out->repurposed = (int8_t)(e->list - PL_LIST_STANDBY);
        COUNT(m, out->process, repurposed[out->repurposed]);
        pl_repurpose(m, frame);
    }
    e->page = page;
    e->flight = PL_FLIGHT_IN;
    pl_frames_move_tail(&m->frames, frame, PL_LIST_TRANSITION);
    out->frame = frame;
    out->state = PL_FAULT_READY;
}

/* --- beginning ----------------------------------------------------------------------- */

static void begin_fill(struct pl_memory *m, enum pl_fault_kind kind, struct pl_fault *out)
{
    struct page_record *o = record_of(m, out->object);
    bool for_zeros = kind == PL_FAULT_DEMAND_ZERO;
    keep_maximum(m, out);
    pl_frame frame = find_frame(m, for_zeros, out);
    if (frame == PL_NO_FRAME) {
        out->state = PL_FAULT_NO_FRAME;
        return;
    }
    take_frame(m, frame, out->object, for_zeros, out);
    out->kind = kind;
    if (kind == PL_FAULT_HARD) {
        out->slot = o->slot;
        out->mapped_file = o->flags & F_FILE;
    }
    o->place = PL_PLACE_TRANSITION;
    o->frame = frame;
    if (out->page != out->object)
        record_of(m, out->page)->place = PL_PLACE_TRANSITION;
}

/* The frame is still there: hold it. */
static void begin_soft(struct pl_memory *m, struct pl_fault *out)
{
    struct page_record *o = record_of(m, out->object);
    struct pl_frame_entry *e = entry_of(m, o->frame);
    if (e->list != PL_LIST_ACTIVE) {
        pl_frames_move_tail(&m->frames, o->frame, PL_LIST_ACTIVE);
        o->place = PL_PLACE_ACTIVE;
        if (e->flight == PL_FLIGHT_WRITE)
            COUNT(m, out->process, write_overtaken);
        if (e->flight == PL_FLIGHT_COMPRESS) {
            COUNT(m, out->process, compress_cancelled);
            e->flight = PL_FLIGHT_OVERTAKEN;
        }
    }
    assert(e->share < UINT16_MAX);
    e->share++;
    if (out->page != out->object)
        record_of(m, out->page)->place = PL_PLACE_TRANSITION;
    keep_maximum(m, out);
    out->kind = PL_FAULT_TRANSITION;
    out->frame = o->frame;
    out->state = PL_FAULT_READY;
}

static bool must_wait(const struct pl_memory *m, const struct page_record *o)
{
    enum pl_flight flight = entry_of(m, o->frame)->flight;
    return flight == PL_FLIGHT_IN || (flight == PL_FLIGHT_COMPRESS && !m->params.touch_cancels_compression);
}

static void begin(struct pl_memory *m, struct pl_fault *out)
{
    out->object = object_of(m, out->page);
    const struct page_record *r = record_of(m, out->page), *o = record_of(m, out->object);
    out->state = PL_FAULT_COLLIDED;
    if (r != o && r->place == PL_PLACE_TRANSITION)
        return;
    switch ((enum pl_place)o->place) {
    case PL_PLACE_NONE:
        begin_fill(m, PL_FAULT_DEMAND_ZERO, out);
        break;
    case PL_PLACE_STORE:
        begin_fill(m, PL_FAULT_STORE, out);
        break;
    case PL_PLACE_FILE:
        begin_fill(m, PL_FAULT_HARD, out);
        break;
    case PL_PLACE_ACTIVE:
        if (r != o) /* in another working set; a private page is held by another fault */
            begin_soft(m, out);
        break;
    case PL_PLACE_LISTED:
        begin_soft(m, out);
        break;
    case PL_PLACE_TRANSITION:
        if (!must_wait(m, o))
            begin_soft(m, out);
        break;
    case PL_PLACE_LEAVING:
        break;
    case PL_PLACE_VIEW:
    case PL_PLACE_UNMAPPED:
        assert(!"an object is neither a view nor unmapped");
    }
}

/* The page is in the working set, and protected. The eviction that the copy asks for may hit it itself: then from the
 * start. */
static void begin_copy(struct pl_memory *m, struct pl_fault *out)
{
    struct page_record *r = record_of(m, out->page);
    if (r->place == PL_PLACE_TRANSITION) {
        out->state = PL_FAULT_COLLIDED;
        return;
    }
    pl_frame frame = find_frame(m, false, out);
    if (!m->hot.word[out->page]) {
        begin(m, out);
        return;
    }
    if (frame == PL_NO_FRAME) {
        out->state = PL_FAULT_NO_FRAME;
        return;
    }
    take_frame(m, frame, out->page, false, out);
    out->kind = PL_FAULT_COPY_ON_WRITE;
    out->object = r->slot;
    r->place = PL_PLACE_TRANSITION;
}

static void pin_table(struct pl_memory *m, pl_page table, struct pl_fault *out)
{
    if (table == PL_NO_PAGE)
        return;
    internal_of(m, table)->users++;
    m->table_pins++;
    out->table = table;
}

static void unpin_table(struct pl_memory *m, const struct pl_fault *fault)
{
    if (fault->table == PL_NO_PAGE)
        return;
    m->table_pins--;
    pl_table_unpin(m, fault->table);
}

static void begin_page(struct pl_memory *m, bool is_write, struct pl_fault *out)
{
    const struct page_record *r = record_of(m, out->page);
    pl_page table = table_of(m, out->page);
    if (r->flags & F_GUARD) {
        out->kind = PL_FAULT_GUARD;
        out->state = PL_FAULT_READY;
        return;
    }
    if (table == PL_NO_PAGE || internal_of(m, table)->in_ws) {
        pin_table(m, table, out); /* it must not leave meanwhile */
        assert(!m->hot.word[out->page] || (is_write && m->hot.word[out->page] & PL_HOT_PROTECTED));
        if (m->hot.word[out->page])
            begin_copy(m, out);
        else
            begin(m, out);
        if (out->state != PL_FAULT_READY)
            unpin_table(m, out);
        return;
    }
    out->page = table;
    out->page_table = true;
    begin(m, out);
}

static struct pl_fault blank_fault(pl_process process, pl_page page)
{
    return (struct pl_fault){.state = PL_FAULT_INVALID,
                             .process = process,
                             .page = page,
                             .object = page,
                             .frame = PL_NO_FRAME,
                             .slot = PL_NO_SLOT,
                             .repurposed = -1,
                             .table = PL_NO_PAGE,
                             .evicted = {.object = PL_NO_PAGE, .slot = PL_NO_SLOT}};
}

void pl_memory_fault(struct pl_memory *m, pl_process process, pl_page page, bool is_write, struct pl_fault *out)
{
    *out = blank_fault(process, page);
    if (page >= m->pages || m->record[page].place == PL_PLACE_UNMAPPED || m->record[page].process != process)
        return;
    begin_page(m, is_write, out);
    if (out->state == PL_FAULT_COLLIDED)
        COUNT(m, process, collided);
    else if (out->state == PL_FAULT_NO_FRAME)
        COUNT(m, process, no_frame);
}

/* --- ending ----------------------------------------------------------------------------- */

static void count_served(struct pl_memory *m, const struct pl_fault *fault)
{
    COUNT(m, fault->process, faults[fault->kind]);
    if (fault->page_table)
        COUNT(m, fault->process, page_table_faults);
    if (fault->zero_now)
        COUNT(m, fault->process, zeroed_on_demand);
}

/* What was to be brought in is there: its frame is active, held by the fault. False when its page was freed
 * meanwhile. */
static bool fill_done(struct pl_memory *m, const struct pl_fault *fault)
{
    struct pl_frame_entry *e = entry_of(m, fault->frame);
    assert(e->flight == PL_FLIGHT_IN);
    if (e->page != fault->object) {
        pl_free_frame(m, fault->frame);
        return false;
    }
    struct page_record *o = record_of(m, fault->object);
    e->flight = PL_FLIGHT_NONE;
    e->share = 1;
    pl_frames_move_tail(&m->frames, fault->frame, PL_LIST_ACTIVE);
    o->place = PL_PLACE_ACTIVE;
    if (fault->kind == PL_FAULT_DEMAND_ZERO)
        o->flags |= F_DIRTY_DISK;
    if (fault->kind == PL_FAULT_STORE && !fault->keep_store_copy)
        o->flags &= (uint16_t)~F_IN_STORE;
    return true;
}

/* Whether the page that the fault was for still waits for it. */
static bool still_wanted(const struct pl_memory *m, const struct pl_fault *fault)
{
    if (m->process[fault->process].state.exited)
        return false;
    const struct page_record *r = record_of(m, fault->page);
    if (fault->page != fault->object)
        return r->place == PL_PLACE_TRANSITION && r->flags & F_VIEW && r->slot == fault->object;
    return r->place == PL_PLACE_ACTIVE && r->process == fault->process && r->frame == fault->frame &&
           entry_of(m, fault->frame)->page == fault->page &&
           (fault->page >= PL_INTERNAL_PAGE || !m->hot.word[fault->page]);
}

/* Puts the page into its working set. Views to be copied come in protected, and a write must touch them again. */
static enum pl_touch_end enter(struct pl_memory *m, const struct pl_fault *fault, bool is_write)
{
    struct page_record *r = record_of(m, fault->page), *o = record_of(m, fault->object);
    if (o->flags & F_READ_AHEAD) {
        o->flags &= (uint16_t)~F_READ_AHEAD;
        COUNT(m, fault->process, read_ahead_used);
    }
    if (fault->page_table) {
        pl_ws_enter_table(m, fault->page);
        return PL_TOUCH_AGAIN;
    }
    r->place = PL_PLACE_ACTIVE;
    bool again = r->flags & F_COW && is_write;
    bool dirty = (is_write && !again) || (fault->kind == PL_FAULT_DEMAND_ZERO && !(r->flags & F_COW));
    m->hot.word[fault->page] =
        m->hot.next | (r->flags & F_COW ? PL_HOT_PROTECTED : 0) | (dirty ? PL_HOT_DIRTY : 0);
    if (!again)
        m->hot.next += PL_HOT_ONE;
    pl_ws_enter(m, fault->page);
    return again ? PL_TOUCH_AGAIN : PL_TOUCH_DONE;
}

static enum pl_touch_end end_copy(struct pl_memory *m, const struct pl_fault *fault)
{
    struct page_record *r = record_of(m, fault->page);
    struct pl_frame_entry *e = entry_of(m, fault->frame);
    bool mapped = r->place != PL_PLACE_UNMAPPED && r->process == fault->process;
    if (!mapped || r->place != PL_PLACE_TRANSITION || !(r->flags & F_VIEW) || !m->hot.word[fault->page]) {
        pl_free_frame(m, fault->frame);
        return mapped ? PL_TOUCH_AGAIN : PL_TOUCH_GONE;
    }
    count_served(m, fault);
    pl_frame shared = record_of(m, r->slot)->frame;
    pl_page object = r->slot;
    r->flags = (uint16_t)((r->flags & ~(F_VIEW | F_COW)) | F_DIRTY_DISK);
    r->slot = PL_NO_SLOT;
    r->frame = fault->frame;
    r->place = PL_PLACE_ACTIVE;
    e->flight = PL_FLIGHT_NONE;
    e->share = 1;
    pl_frames_move_tail(&m->frames, fault->frame, PL_LIST_ACTIVE);
    m->hot.word[fault->page] = m->hot.next | PL_HOT_DIRTY;
    m->hot.next += PL_HOT_ONE;
    pl_unshare(m, shared, NULL);
    pl_view_gone(m, object);
    return PL_TOUCH_DONE;
}

static enum pl_touch_end end_guard(struct pl_memory *m, const struct pl_fault *fault)
{
    struct page_record *r = record_of(m, fault->page);
    if (r->place == PL_PLACE_UNMAPPED || r->process != fault->process)
        return PL_TOUCH_GONE;
    if (r->flags & F_GUARD) {
        r->flags &= (uint16_t)~F_GUARD;
        count_served(m, fault);
    }
    return PL_TOUCH_AGAIN;
}

static enum pl_touch_end end_page(struct pl_memory *m, const struct pl_fault *fault, bool is_write)
{
    bool filled = fault->kind != PL_FAULT_TRANSITION;
    if (filled && !fill_done(m, fault))
        return PL_TOUCH_GONE;
    if (!still_wanted(m, fault)) {
        pl_unshare(m, fault->frame, NULL);
        return PL_TOUCH_GONE;
    }
    count_served(m, fault);
    return enter(m, fault, is_write);
}

enum pl_touch_end pl_memory_fault_end(struct pl_memory *m, const struct pl_fault *fault, bool is_write)
{
    assert(fault->state == PL_FAULT_READY);
    enum pl_touch_end end;
    if (fault->kind == PL_FAULT_GUARD)
        end = end_guard(m, fault);
    else if (fault->kind == PL_FAULT_COPY_ON_WRITE)
        end = end_copy(m, fault);
    else
        end = end_page(m, fault, is_write);
    unpin_table(m, fault);
    return end;
}

/* --- giving up ---------------------------------------------------------------------------- */

/* Where an object without a frame is. */
static enum pl_place place_without_frame(const struct page_record *o)
{
    if (o->flags & F_IN_STORE)
        return PL_PLACE_STORE;
    return is_on_disk(o) ? PL_PLACE_FILE : PL_PLACE_NONE;
}

static void cancel_fill(struct pl_memory *m, const struct pl_fault *fault)
{
    if (entry_of(m, fault->frame)->page == fault->object) {
        struct page_record *o = record_of(m, fault->object);
        o->place = (uint8_t)place_without_frame(o);
        o->frame = PL_NO_FRAME;
    }
    pl_free_frame(m, fault->frame);
}

void pl_memory_fault_cancel(struct pl_memory *m, const struct pl_fault *fault)
{
    assert(fault->state == PL_FAULT_READY);
    struct page_record *r = record_of(m, fault->page);
    bool waits = fault->page != fault->object && r->place == PL_PLACE_TRANSITION && r->flags & F_VIEW;
    if (waits)
        r->place = m->hot.word[fault->page] ? PL_PLACE_ACTIVE : PL_PLACE_VIEW;
    if (fault->kind == PL_FAULT_TRANSITION)
        pl_unshare(m, fault->frame, NULL);
    else if (fault->kind == PL_FAULT_COPY_ON_WRITE)
        pl_free_frame(m, fault->frame);
    else if (fault->kind != PL_FAULT_GUARD)
        cancel_fill(m, fault);
    unpin_table(m, fault);
}

/* --- reading ahead ------------------------------------------------------------------------- */

void pl_memory_read_ahead(struct pl_memory *m, pl_page page, struct pl_fault *out)
{
    *out = blank_fault(PL_NO_PROCESS, page);
    if (!m->params.lists || page >= m->pages || m->record[page].place == PL_PLACE_UNMAPPED)
        return;
    out->page = out->object = object_of(m, page);
    struct page_record *o = record_of(m, out->object);
    pl_frame frame = pl_frames_choose(&m->frames, false);
    if ((o->place != PL_PLACE_STORE && o->place != PL_PLACE_FILE) || frame == PL_NO_FRAME)
        return;
    out->process = o->process;
    out->kind = o->place == PL_PLACE_STORE ? PL_FAULT_STORE : PL_FAULT_HARD;
    out->slot = o->slot;
    out->mapped_file = o->flags & F_FILE;
    take_frame(m, frame, out->object, false, out);
    o->place = PL_PLACE_TRANSITION;
    o->frame = frame;
}

void pl_memory_read_ahead_end(struct pl_memory *m, const struct pl_fault *fault)
{
    if (!fill_done(m, fault))
        return;
    record_of(m, fault->object)->flags |= F_READ_AHEAD;
    COUNT(m, fault->process, read_ahead);
    pl_unshare(m, fault->frame, NULL);
}
