/* mm/check.c: does everything add up? Reads all of it from the beginning and trusts no counter. */
#include "mm/memory_private.h"

#include <stdlib.h>

struct tally {
    uint32_t working, locked_small, locked, virtual_pages, tables;
    uint64_t commit;
};

struct audit {
    const struct pl_memory *m;
    struct tally *process;
    uint32_t *users;  /* of internal pages: views, or pages in working sets below a table */
    uint32_t *active; /* of objects: views in working sets */
    struct pl_error *err;
};

#define EXPECT(a, condition, ...)                                                                                      \
    do                                                                                                                 \
        if (!(condition))                                                                                              \
            return pl_fail((a)->err, PL_ERR_CHECK, __VA_ARGS__);                                                       \
    while (0)

/* --- frames ------------------------------------------------------------------------- */

static enum pl_err check_chain(const struct audit *a, enum pl_list list)
{
    const struct pl_frames *f = &a->m->frames;
    uint32_t length = 0;
    pl_frame before = PL_NO_FRAME;
    for (pl_frame i = f->head[list]; i != PL_NO_FRAME; before = i, i = f->frame[i].next, length++) {
        EXPECT(a, length < f->count[list], "the %s list is longer than its count of %u", pl_list_names[list],
               f->count[list]);
        EXPECT(a, f->frame[i].list == list && f->frame[i].prev == before,
               "frame %u is chained wrongly into the %s list", i, pl_list_names[list]);
    }
    EXPECT(a, length == f->count[list] && f->tail[list] == before, "the %s list has %u frames, %u are counted",
           pl_list_names[list], length, f->count[list]);
    if (list >= PL_LIST_STANDBY && list < PL_LIST_STANDBY + PL_PRIORITIES)
        EXPECT(a, (f->standby_mask >> (list - PL_LIST_STANDBY) & 1) == (length > 0), "the standby mask is wrong for %s",
               pl_list_names[list]);
    return PL_OK;
}

static enum pl_err check_used_frame(const struct audit *a, pl_frame i)
{
    const struct pl_frame_entry *e = entry_of(a->m, i);
    const struct page_record *r = record_of(a->m, e->page);
    if (e->flight == PL_FLIGHT_IN && r->frame != i) { /* a copy in the making, which nobody may want any more */
        EXPECT(a, e->list == PL_LIST_TRANSITION && !e->share, "frame %u is being copied to, on the %s list", i,
               pl_list_names[e->list]);
        return PL_OK;
    }
    EXPECT(a, r->frame == i, "frame %u says page %u, which says frame %u", i, e->page, r->frame);
    enum pl_place place = e->list == PL_LIST_ACTIVE       ? PL_PLACE_ACTIVE
                          : e->list == PL_LIST_TRANSITION ? PL_PLACE_TRANSITION
                                                          : PL_PLACE_LISTED;
    EXPECT(a, r->place == place, "page %u is in place %u, its frame on the %s list", e->page, r->place,
           pl_list_names[e->list]);
    EXPECT(a, (e->share > 0) == (e->list == PL_LIST_ACTIVE), "frame %u on the %s list is shared by %u", i,
           pl_list_names[e->list], e->share);
    bool dirty = (r->flags & (F_DIRTY_DISK | F_IN_STORE)) == F_DIRTY_DISK;
    if (place == PL_PLACE_LISTED)
        EXPECT(a, dirty == (e->list >= PL_LIST_MODIFIED), "page %u is %s, on the %s list", e->page,
               dirty ? "dirty" : "clean", pl_list_names[e->list]);
    EXPECT(a, place == PL_PLACE_LISTED ? e->flight == PL_FLIGHT_NONE : place == PL_PLACE_ACTIVE || e->flight,
           "frame %u on the %s list has flight %u", i, pl_list_names[e->list], e->flight);
    return PL_OK;
}

/* Frames without a page: free, held, or orphans. */
static enum pl_err check_frames(const struct audit *a)
{
    const struct pl_frames *f = &a->m->frames;
    uint32_t count[PL_LISTS] = {0}, held = a->m->kernel_count, found = 0;
    for (size_t i = 0; i < a->m->processes; i++)
        held += a->m->process[i].state.ws_list_pages;
    for (int list = 0; list < PL_LIST_CHAINED; list++) {
        enum pl_err rc = check_chain(a, list);
        if (rc)
            return rc;
    }
    for (pl_frame i = 0; i < f->total; i++) {
        const struct pl_frame_entry *e = &f->frame[i];
        count[e->list]++;
        if (e->page != PL_NO_PAGE) {
            enum pl_err rc = check_used_frame(a, i);
            if (rc)
                return rc;
            continue;
        }
        bool orphan = e->share || e->flight;
        found += e->list == PL_LIST_ACTIVE && !orphan;
        EXPECT(a, orphan ? e->list == (e->share ? PL_LIST_ACTIVE : PL_LIST_TRANSITION)
                         : e->list < PL_LIST_STANDBY || e->list == PL_LIST_ACTIVE || e->list == PL_LIST_BAD,
               "frame %u without a page is on the %s list, share %u, flight %u", i, pl_list_names[e->list], e->share,
               e->flight);
    }
    for (int list = 0; list < PL_LISTS; list++)
        EXPECT(a, count[list] == f->count[list], "%u frames are on the %s list, %u are counted", count[list],
               pl_list_names[list], f->count[list]);
    EXPECT(a, found == held, "%u frames are held, %u are counted", found, held);
    return PL_OK;
}

/* --- pages ---------------------------------------------------------------------------- */

/* Of an object: its place, frame and flags agree. */
static enum pl_err check_place(const struct audit *a, pl_page page)
{
    const struct page_record *r = record_of(a->m, page);
    bool has_frame = r->place == PL_PLACE_ACTIVE || r->place == PL_PLACE_LISTED || r->place == PL_PLACE_TRANSITION;
    EXPECT(a, has_frame == (r->frame != PL_NO_FRAME), "page %u in place %u has frame %u", page, r->place, r->frame);
    if (has_frame)
        EXPECT(a, entry_of(a->m, r->frame)->page == page, "page %u says frame %u, which says page %u", page, r->frame,
               entry_of(a->m, r->frame)->page);
    EXPECT(a, r->place != PL_PLACE_STORE || r->flags & F_IN_STORE, "page %u is in the store, and is not", page);
    EXPECT(a, r->place != PL_PLACE_FILE || (is_on_disk(r) && !(r->flags & F_IN_STORE)),
           "page %u is on disk, and is not", page);
    EXPECT(a, r->place != PL_PLACE_NONE || !(r->flags & (F_IN_STORE | F_DIRTY_DISK | F_HAS_DISK)),
           "page %u is nowhere, with flags %x", page, r->flags);
    EXPECT(a, (r->flags & (F_IN_STORE | F_STALE_STORE)) != (F_IN_STORE | F_STALE_STORE),
           "page %u has a current and an old copy in the store", page);
    return PL_OK;
}

static enum pl_err check_resident(const struct audit *a, pl_page page)
{
    const struct page_record *r = &a->m->record[page];
    struct tally *p = &a->process[r->process];
    bool view = r->flags & F_VIEW;
    uint32_t word = a->m->hot.word[page];
    EXPECT(a, r->place == PL_PLACE_ACTIVE || (view && r->flags & F_COW && r->place == PL_PLACE_TRANSITION),
           "page %u is in a working set and in place %u", page, r->place);
    EXPECT(a, pl_hot_stamp(word) && pl_hot_stamp(word) <= a->m->hot.next, "page %u has a stamp of the future", page);
    EXPECT(a, !(word & PL_HOT_PROTECTED) == !(r->flags & F_COW), "page %u is protected for no reason", page);
    if (view)
        a->active[r->slot - PL_INTERNAL_PAGE]++;
    else
        EXPECT(a, entry_of(a->m, r->frame)->share == 1, "page %u is shared by %u", page,
               entry_of(a->m, r->frame)->share);
    p->working += !(r->flags & F_LOCKED);
    p->locked += (r->flags & F_LOCKED) != 0;
    p->locked_small += (r->flags & (F_LOCKED | F_LARGE)) == F_LOCKED;
    pl_page table = table_of(a->m, page);
    if (table != PL_NO_PAGE) {
        EXPECT(a, internal_of(a->m, table)->in_ws, "page %u is in a working set, its page table is not", page);
        a->users[table - PL_INTERNAL_PAGE]++;
    }
    return PL_OK;
}

static enum pl_err check_page(const struct audit *a, pl_page page)
{
    const struct page_record *r = &a->m->record[page];
    if (r->place == PL_PLACE_UNMAPPED) {
        EXPECT(a, !a->m->hot.word[page], "page %u is in a working set, and not mapped", page);
        return PL_OK;
    }
    struct tally *p = &a->process[r->process];
    p->virtual_pages++;
    p->commit += (r->flags & F_CHARGED) != 0;
    if (r->flags & F_VIEW) {
        EXPECT(a, r->frame == PL_NO_FRAME, "view %u has a frame", page);
        a->users[r->slot - PL_INTERNAL_PAGE]++;
    } else {
        enum pl_err rc = check_place(a, page);
        if (rc)
            return rc;
    }
    return a->m->hot.word[page] ? check_resident(a, page) : PL_OK;
}

/* --- internal pages, processes ---------------------------------------------------------- */

static enum pl_err check_internals(const struct audit *a, uint64_t *commit)
{
    uint64_t pins = 0;
    for (size_t i = 0; i < a->m->internals; i++) {
        const struct internal_page *o = &a->m->internal[i];
        const struct page_record *r = &o->record;
        pl_page page = PL_INTERNAL_PAGE + (pl_page)i;
        if (r->place == PL_PLACE_UNMAPPED)
            continue;
        EXPECT(a, o->owner == DOOMED_TABLE || check_place(a, page) == PL_OK, "%s", a->err ? a->err->message : "");
        if (r->flags & F_TABLE) {
            EXPECT(a, o->users >= a->users[i], "page table %zu has %u users, %u pages", i, o->users, a->users[i]);
            pins += o->users - a->users[i];
            a->process[r->process].tables += o->in_ws;
            a->process[r->process].commit++;
            continue;
        }
        *commit += (r->flags & F_CHARGED) != 0;
        EXPECT(a, o->users == a->users[i], "object %zu has %u views, %u are counted", i, a->users[i], o->users);
        EXPECT(a, !a->active[i] || (r->frame != PL_NO_FRAME && entry_of(a->m, r->frame)->share >= a->active[i]),
               "object %zu is in %u working sets, its frame in fewer", i, a->active[i]);
    }
    EXPECT(a, pins == a->m->table_pins, "page tables are held %llu times, %u are counted", (unsigned long long)pins,
           a->m->table_pins);
    return PL_OK;
}

static enum pl_err check_process(const struct audit *a, size_t i)
{
    const struct process *p = &a->m->process[i];
    const struct pl_process_state *s = &p->state;
    const struct tally *t = &a->process[i];
    EXPECT(a, !p->policy || p->policy->members == t->working, "process %zu has %u pages resident, its policy %u", i,
           t->working, p->policy ? p->policy->members : 0);
    EXPECT(a, s->working_set == t->working + t->locked_small + t->tables + s->ws_list_pages,
           "process %zu has a working set of %u + %u + %u + %u pages, %u are counted", i, t->working, t->locked_small,
           t->tables, s->ws_list_pages, s->working_set);
    EXPECT(a, s->page_table_pages == t->tables && s->locked_pages == t->locked && s->virtual_pages == t->virtual_pages,
           "process %zu: page tables %u (%u), locked %u (%u), mapped %llu (%u)", i, s->page_table_pages, t->tables,
           s->locked_pages, t->locked, (unsigned long long)s->virtual_pages, t->virtual_pages);
    EXPECT(a, s->commit_pages == t->commit, "process %zu has %llu pages committed, %llu are counted", i,
           (unsigned long long)t->commit, (unsigned long long)s->commit_pages);
    const char *wrong = p->policy ? p->policy->ops->check(p->policy) : NULL;
    EXPECT(a, !wrong, "%s", wrong ? wrong : "");
    return PL_OK;
}

static enum pl_err check_all(const struct audit *a)
{
    const struct pl_memory *m = a->m;
    uint64_t commit = m->charged_outside, working = 0;
    enum pl_err rc = check_frames(a);
    for (pl_page page = 0; rc == PL_OK && page < m->pages; page++)
        rc = check_page(a, page);
    if (rc == PL_OK)
        rc = check_internals(a, &commit);
    for (size_t i = 0; rc == PL_OK && i < m->processes; i++) {
        rc = check_process(a, i);
        commit += a->process[i].commit;
        working += a->process[i].working;
    }
    if (rc)
        return rc;
    EXPECT(a, commit == m->committed, "%llu pages are committed, %llu are counted", (unsigned long long)commit,
           (unsigned long long)m->committed);
    EXPECT(a, !m->params.commit_limit_pages || commit <= m->params.commit_limit_pages,
           "more is committed than the limit");
    const char *wrong = m->policy ? m->policy->ops->check(m->policy) : NULL;
    EXPECT(a, !wrong, "%s", wrong ? wrong : "");
    EXPECT(a, !m->policy || m->policy->members == working, "%llu pages are resident, the policy has %u",
           (unsigned long long)working, m->policy ? m->policy->members : 0);
    return PL_OK;
}

enum pl_err pl_memory_check(const struct pl_memory *m, struct pl_error *err)
{
    struct audit a = {.m = m,
                      .process = calloc(m->processes + 1, sizeof(struct tally)),
                      .users = calloc(m->internals + 1, sizeof(uint32_t)),
                      .active = calloc(m->internals + 1, sizeof(uint32_t)),
                      .err = err};
    enum pl_err rc = a.process && a.users && a.active ? check_all(&a) : pl_fail_memory(err, m->internals, "a check");
    free(a.process);
    free(a.users);
    free(a.active);
    return rc;
}

enum pl_err pl_memory_check_counts(const struct pl_memory *m, struct pl_error *err)
{
    const struct pl_frames *f = &m->frames;
    const struct audit a = {.m = m, .err = err};
    uint64_t sum = 0;
    for (int list = 0; list < PL_LISTS; list++)
        sum += f->count[list];
    EXPECT(&a, sum == f->total, "%llu frames are counted on the lists, %u are there", (unsigned long long)sum, f->total);
    for (int list = 0; list < PL_LIST_CHAINED; list++) {
        bool some = f->count[list] > 0;
        EXPECT(&a, (f->head[list] != PL_NO_FRAME) == some && (f->tail[list] != PL_NO_FRAME) == some, "the %s list has %u frames, and ends that say otherwise", pl_list_names[list], f->count[list]);
    }
    for (int p = 0; p < PL_PRIORITIES; p++)
        EXPECT(&a, (f->standby_mask >> p & 1) == (f->count[PL_LIST_STANDBY + p] > 0), "the standby mask is wrong for %s",
               pl_list_names[PL_LIST_STANDBY + p]);
    EXPECT(&a, m->kernel_count <= f->count[PL_LIST_ACTIVE], "%u frames are held, only %u are active", m->kernel_count,
           f->count[PL_LIST_ACTIVE]);
    return PL_OK;
}
