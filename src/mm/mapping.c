/* mm/mapping.c: address space: mapping pages and views, provisioning, commit. */
#include "base/arena.h"
#include "mm/memory_private.h"

/* --- commit ---------------------------------------------------------------------- */

enum pl_err pl_commit(struct pl_memory *m, uint64_t pages, struct pl_error *err)
{
    uint64_t limit = m->params.commit_limit_pages;
    if (limit && (pages > limit || m->committed > limit - pages))
        return pl_fail(err, PL_ERR_CHECK, "%llu pages cannot be committed: %llu of the limit of %llu are in use",
                       (unsigned long long)pages, (unsigned long long)m->committed, (unsigned long long)limit);
    m->committed += pages;
    return PL_OK;
}

enum pl_err pl_memory_charge(struct pl_memory *m, uint64_t pages, struct pl_error *err)
{
    enum pl_err rc = pl_commit(m, pages, err);
    if (rc == PL_OK)
        m->charged_outside += pages;
    return rc;
}

void pl_memory_uncharge(struct pl_memory *m, uint64_t pages)
{
    assert(pages <= m->charged_outside);
    m->charged_outside -= pages;
    m->committed -= pages;
}

/* --- tables by page ----------------------------------------------------------------- */

static enum pl_err grow_table(void *table_pointer, pl_page old_pages, pl_page new_pages, size_t size,
                              struct pl_error *err)
{
    void **table = table_pointer;
    size_t bytes = new_pages * size;
    void *larger = *table ? pl_table_grow(*table, old_pages * size, bytes) : pl_table_alloc(bytes);
    if (!larger)
        return pl_fail_memory(err, bytes, "the pages");
    *table = larger;
    return PL_OK;
}

/* A failure in between leaves some tables larger than `capacity` says: what is beyond is never used. */
static enum pl_err grow_pages(struct pl_memory *m, uint64_t need, struct pl_error *err)
{
    if (need > PL_INTERNAL_PAGE)
        return pl_fail(err, PL_ERR_INPUT, "more than 2^31 distinct pages");
    if (need <= m->capacity)
        return PL_OK;
    uint64_t wanted = m->capacity + m->capacity / 2;
    wanted = wanted < need ? need : wanted;
    wanted = wanted < 4096 ? 4096 : wanted > PL_INTERNAL_PAGE ? PL_INTERNAL_PAGE : wanted;
    pl_page old = m->capacity, pages = (pl_page)wanted;
    enum pl_err rc = grow_table(&m->hot.word, old, pages, sizeof(m->hot.word[0]), err);
    if (rc == PL_OK)
        rc = grow_table(&m->record, old, pages, sizeof(m->record[0]), err);
    if (rc == PL_OK)
        rc = grow_table(&m->shared.position, old, pages, sizeof(m->shared.position[0]), err);
    if (rc == PL_OK)
        rc = grow_table(&m->shared.state, old, pages, sizeof(m->shared.state[0]), err);
    if (rc == PL_OK && m->params.page_table_entries)
        rc = grow_table(&m->table_of, old, pages, sizeof(m->table_of[0]), err);
    if (rc)
        return rc;
    m->capacity = m->shared.pages = pages;
    return PL_OK;
}

/* From here on pages below `end` are known, if only as unmapped. */
static enum pl_err know_pages(struct pl_memory *m, uint64_t end, struct pl_error *err)
{
    enum pl_err rc = grow_pages(m, end, err);
    if (rc || end <= m->pages)
        return rc;
    for (pl_page page = m->pages; m->table_of && page < end; page++)
        m->table_of[page] = PL_NO_PAGE;
    m->pages = (pl_page)end;
    return PL_OK;
}

enum pl_err pl_memory_reserve_pages(struct pl_memory *m, pl_page count, struct pl_error *err)
{
    return know_pages(m, count, err);
}

/* --- internal pages ------------------------------------------------------------------ */

static enum pl_err room_for_internals(struct pl_memory *m, uint64_t count, struct pl_error *err)
{
    if (m->internals + count > PL_INTERNAL_PAGE - 1)
        return pl_fail(err, PL_ERR_INPUT, "more than 2^31 pages of sections and page tables");
    enum pl_err rc = pl_grow((void **)&m->internal, &m->internal_capacity, m->internals + count, sizeof(m->internal[0]),
                             "sections and page tables", err);
    if (rc == PL_OK) /* so that giving up never fails */
        rc = pl_grow((void **)&m->dead, &m->dead_capacity, m->internal_capacity, sizeof(m->dead[0]),
                     "sections and page tables", err);
    if (rc == PL_OK)
        rc = pl_grow((void **)&m->reusable, &m->reusable_capacity, m->internal_capacity, sizeof(m->reusable[0]),
                     "sections and page tables", err);
    return rc;
}

enum pl_err pl_internal_add(struct pl_memory *m, uint32_t count, pl_page *first, struct pl_error *err)
{
    if (count == 1 && m->reusables) {
        *first = m->reusable[--m->reusables];
    } else {
        enum pl_err rc = room_for_internals(m, count, err);
        if (rc)
            return rc;
        *first = PL_INTERNAL_PAGE + (pl_page)m->internals;
        m->internals += count;
    }
    for (uint32_t i = 0; i < count; i++)
        *internal_of(m, *first + i) = (struct internal_page){
            .record = {.frame = PL_NO_FRAME, .slot = PL_NO_SLOT, .process = PL_NO_PROCESS, .place = PL_PLACE_NONE},
            .owner = NO_OWNER};
    return PL_OK;
}

/* --- mapping --------------------------------------------------------------------------- */

/* What one mapping is to do to each page. */
struct mapping {
    pl_process process;
    pl_page first;
    uint32_t count;
    uint64_t number;
    uint16_t page_flags;
    uint8_t place;
    bool has_tables;
    pl_page first_object; /* views; else PL_NO_PAGE */
};

static bool is_mapped(const struct pl_memory *m, pl_page page)
{
    return page < m->pages && m->record[page].place != PL_PLACE_UNMAPPED;
}

/* Now or ever: a record that never was says frame 0. */
static bool was_mapped(const struct pl_memory *m, pl_page page)
{
    return is_mapped(m, page) || m->record[page].frame == PL_NO_FRAME;
}

/* Pages and page tables that the mapping adds. */
static uint64_t charge_of(const struct pl_memory *m, const struct mapping *map)
{
    uint64_t pages = 0, last = UINT64_MAX;
    if (map->page_flags & F_CHARGED)
        for (uint32_t i = 0; i < map->count; i++)
            pages += !is_mapped(m, map->first + i);
    if (map->has_tables)
        for (uint32_t i = 0; i < map->count; i++) {
            uint64_t index = (map->number + i) / m->params.page_table_entries;
            if (index != last && !is_mapped(m, map->first + i))
                pages += pl_table_find(m, map->process, index) == PL_NO_PAGE, last = index;
        }
    return pages;
}

static enum pl_err remember_extent(struct process *p, const struct pl_memory *m, const struct mapping *map,
                                   struct pl_error *err)
{
    struct extent *last = p->extents ? &p->extent[p->extents - 1] : NULL;
    uint32_t known = 0; /* those it had before are in an extent already */
    while (known < map->count && was_mapped(m, map->first + known) &&
           m->record[map->first + known].process == map->process)
        known++;
    if (known == map->count)
        return PL_OK;
    if (last && last->first + last->count == map->first) {
        last->count += map->count;
        return PL_OK;
    }
    enum pl_err rc = pl_grow((void **)&p->extent, &p->extent_capacity, p->extents + 1, sizeof(p->extent[0]),
                             "the processes", err);
    if (rc == PL_OK)
        p->extent[p->extents++] = (struct extent){map->first, map->count};
    return rc;
}

/* Room in the policy: private members are at most as many as frames, views as many as pages. */
static enum pl_err reserve_members(struct pl_memory *m, const struct mapping *map, struct pl_error *err)
{
    struct process *p = &m->process[map->process];
    struct pl_replacement *policy = policy_of(m, map->process);
    uint64_t pages = (m->policy ? m->global_pages : p->state.virtual_pages) + map->count;
    if (!m->params.sections && pages > m->frames.total)
        pages = m->frames.total;
    return policy->ops->reserve(policy, pages > PL_INTERNAL_PAGE ? PL_INTERNAL_PAGE : (uint32_t)pages, err);
}

static enum pl_err add_tables(struct pl_memory *m, const struct mapping *map, struct pl_error *err)
{
    struct process *p = &m->process[map->process];
    uint64_t last = UINT64_MAX;
    for (uint32_t i = 0; map->has_tables && i < map->count; i++) {
        uint64_t index = (map->number + i) / m->params.page_table_entries;
        if (index == last || is_mapped(m, map->first + i) ||
            pl_table_find(m, map->process, last = index) != PL_NO_PAGE)
            continue;
        enum pl_err rc = pl_table_add(m, map->process, index, err);
        if (rc)
            return rc;
        m->committed++;
        p->state.commit_pages++;
    }
    return PL_OK;
}

static pl_page table_for(struct pl_memory *m, struct process *p, const struct mapping *map, uint32_t i)
{
    if (!map->has_tables)
        return PL_NO_PAGE;
    uint64_t index = (map->number + i) / m->params.page_table_entries;
    if (p->last_table == PL_NO_PAGE || p->last_index != index) {
        p->last_table = pl_table_find(m, map->process, index);
        p->last_index = index;
    }
    return p->last_table;
}

static void map_page(struct pl_memory *m, struct process *p, const struct mapping *map, uint32_t i)
{
    pl_page page = map->first + i;
    struct page_record *r = &m->record[page];
    uint32_t slot = PL_NO_SLOT;
    if (map->first_object != PL_NO_PAGE) {
        slot = map->first_object + i;
        internal_of(m, slot)->users++;
    }
    *r = (struct page_record){.frame = PL_NO_FRAME,
                              .slot = slot,
                              .process = map->process,
                              .flags = map->page_flags,
                              .place = map->place,
                              .content_class = r->content_class};
    if (m->table_of)
        m->table_of[page] = table_for(m, p, map, i);
    p->state.virtual_pages++;
    m->global_pages++;
    if (map->page_flags & F_CHARGED) {
        m->committed++;
        p->state.commit_pages++;
    }
}

static enum pl_err map_pages(struct pl_memory *m, struct mapping *map, struct pl_error *err)
{
    assert(map->process < m->processes && !m->process[map->process].state.exited);
    struct process *p = &m->process[map->process];
    uint64_t end = (uint64_t)map->first + map->count;
    enum pl_err rc = know_pages(m, end, err);
    map->has_tables = map->has_tables && m->params.page_table_entries;
    if (rc == PL_OK && m->params.commit_limit_pages) {
        uint64_t before = m->committed;
        rc = pl_commit(m, charge_of(m, map), err);
        m->committed = before; /* it was a question; what is added charges itself */
    }
    if (rc == PL_OK)
        rc = reserve_members(m, map, err);
    if (rc == PL_OK)
        rc = remember_extent(p, m, map, err);
    if (rc == PL_OK)
        rc = add_tables(m, map, err);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < map->count; i++)
        if (!is_mapped(m, map->first + i))
            map_page(m, p, map, i);
    return PL_OK;
}

enum pl_err pl_memory_map(struct pl_memory *m, pl_process process, pl_page first, uint32_t count, uint64_t number,
                          enum pl_mapping mapping, unsigned flags, struct pl_error *err)
{
    static const uint16_t page_flags[] = {
        [PL_MAP_ZERO] = F_CHARGED, [PL_MAP_ON_DISK] = F_CHARGED | F_HAS_DISK, [PL_MAP_FILE] = F_FILE | F_HAS_DISK};
    struct mapping map = {.process = process,
                          .first = first,
                          .count = count,
                          .number = number,
                          .page_flags = page_flags[mapping],
                          .place = mapping == PL_MAP_ZERO ? PL_PLACE_NONE : PL_PLACE_FILE,
                          .has_tables = !(flags & PL_MAP_NO_TABLE),
                          .first_object = PL_NO_PAGE};
    if (flags & PL_MAP_UNCHARGED)
        map.page_flags &= (uint16_t)~F_CHARGED;
    if (flags & PL_MAP_GUARD)
        map.page_flags |= F_GUARD;
    return map_pages(m, &map, err);
}

/* --- sections ------------------------------------------------------------------------------ */

enum pl_err pl_memory_add_section(struct pl_memory *m, enum pl_mapping mapping, uint32_t pages, pl_section *out,
                                  struct pl_error *err)
{
    assert(m->params.sections && pages > 0);
    bool charged = mapping != PL_MAP_FILE;
    pl_page first;
    enum pl_err rc = pl_grow((void **)&m->section, &m->section_capacity, m->sections + 1, sizeof(m->section[0]),
                             "the sections", err);
    if (rc == PL_OK && charged)
        rc = pl_commit(m, pages, err);
    if (rc)
        return rc;
    rc = pl_internal_add(m, pages, &first, err);
    if (rc) {
        m->committed -= charged ? pages : 0;
        return rc;
    }
    uint16_t flags = F_SHARED | (charged ? F_CHARGED : F_FILE) | (mapping == PL_MAP_ZERO ? 0 : F_HAS_DISK);
    for (uint32_t i = 0; i < pages; i++) {
        struct internal_page *object = internal_of(m, first + i);
        object->record.flags = flags;
        object->record.place = mapping == PL_MAP_ZERO ? PL_PLACE_NONE : PL_PLACE_FILE;
        object->owner = (pl_section)m->sections;
    }
    *out = (pl_section)m->sections;
    m->section[m->sections++] = (struct section){first, pages, mapping, false};
    return PL_OK;
}

enum pl_err pl_memory_map_view(struct pl_memory *m, pl_process process, pl_page first, uint32_t count, uint64_t number,
                               pl_section section, uint32_t offset, bool copy_on_write, struct pl_error *err)
{
    assert(section < m->sections && !m->section[section].freed);
    const struct section *s = &m->section[section];
    if (offset > s->pages || count > s->pages - offset)
        return pl_fail(err, PL_ERR_USAGE, "pages %u to %llu of a section of %u", offset,
                       (unsigned long long)offset + count, s->pages);
    struct mapping map = {.process = process,
                          .first = first,
                          .count = count,
                          .number = number,
                          .page_flags = (uint16_t)(F_VIEW | (copy_on_write ? F_COW | F_CHARGED : 0)),
                          .place = PL_PLACE_VIEW,
                          .has_tables = true,
                          .first_object = s->first + offset};
    return map_pages(m, &map, err);
}

/* --- provisioning ---------------------------------------------------------------------------- */

/* Gives a page an active frame of zeros at once. */
static pl_frame provide(struct pl_memory *m, pl_page page, uint32_t *zeroed)
{
    bool ready = m->frames.count[PL_LIST_ZERO] > 0;
    pl_frame frame = ready ? m->frames.head[PL_LIST_ZERO] : PL_NO_FRAME;
    if (ready)
        pl_frames_move_tail(&m->frames, frame, PL_LIST_ACTIVE);
    else
        frame = pl_take_any_frame(m);
    *zeroed += !ready;
    struct page_record *r = record_of(m, page);
    struct pl_frame_entry *e = entry_of(m, frame);
    e->page = page;
    e->share = 1;
    r->frame = frame;
    r->place = PL_PLACE_ACTIVE;
    r->flags |= F_DIRTY_DISK;
    return frame;
}

static void lock_page(struct pl_memory *m, pl_page page, bool large)
{
    struct page_record *r = record_of(m, page);
    struct process *p = &m->process[r->process];
    r->flags |= large ? F_LOCKED | F_LARGE : F_LOCKED;
    m->hot.word[page] = m->hot.next | PL_HOT_DIRTY;
    p->state.locked_pages++;
    if (!large && ++p->state.working_set > p->state.peak_working_set)
        p->state.peak_working_set = p->state.working_set;
}

/* A page table that left its working set, and whose frame is still there, comes back as by a soft fault. */
static void recall_table(struct pl_memory *m, pl_page table)
{
    struct page_record *r = record_of(m, table);
    pl_frames_move_tail(&m->frames, r->frame, PL_LIST_ACTIVE);
    entry_of(m, r->frame)->share = 1;
    r->place = PL_PLACE_ACTIVE;
    COUNT(m, r->process, faults[PL_FAULT_TRANSITION]);
    COUNT(m, r->process, page_table_faults);
    pl_ws_enter_table(m, table);
}

/* Frames that the page tables of a range take away from what is available: new ones, and those on standby. False: one
 * must be read or decompressed first, or is in a transfer. */
static bool count_tables(const struct pl_memory *m, pl_page first, uint32_t count, uint32_t *frames)
{
    pl_page last = PL_NO_PAGE;
    *frames = 0;
    for (uint32_t i = 0; i < count; i++) {
        pl_page table = table_of(m, first + i);
        assert(m->record[first + i].place == PL_PLACE_NONE && !(m->record[first + i].flags & F_GUARD));
        if (table != last && table != PL_NO_PAGE && !internal_of(m, table)->in_ws) {
            const struct page_record *r = record_of(m, table);
            if (r->place != PL_PLACE_NONE && r->place != PL_PLACE_LISTED)
                return false;
            *frames += r->place == PL_PLACE_NONE || entry_of(m, r->frame)->list < PL_LIST_MODIFIED;
        }
        last = table;
    }
    return true;
}

/* Pages that the working-set list may take when so many entries come. */
static uint64_t list_growth(const struct pl_memory *m, pl_process process, uint64_t entries)
{
    const struct pl_process_state *state = &m->process[process].state;
    uint64_t each = m->params.ws_list_entries;
    uint64_t want = each ? (state->working_set - state->ws_list_pages + entries + each - 1) / each : 0;
    return want > state->ws_list_pages ? want - state->ws_list_pages : 0;
}

bool pl_memory_provision(struct pl_memory *m, pl_page first, uint32_t count, bool large, uint32_t *zeroed)
{
    uint32_t tables;
    if (!count || !count_tables(m, first, count, &tables) ||
        pl_frames_available(&m->frames) <
            (uint64_t)count + tables + list_growth(m, m->record[first].process, (large ? 0 : count) + (uint64_t)tables))
        return false;
    *zeroed = 0;
    for (uint32_t i = 0; i < count; i++) { /* before a frame is taken, which might be theirs */
        pl_page table = table_of(m, first + i);
        if (table != PL_NO_PAGE && record_of(m, table)->place == PL_PLACE_LISTED)
            recall_table(m, table);
    }
    for (uint32_t i = 0; i < count; i++) {
        pl_page table = table_of(m, first + i);
        if (table != PL_NO_PAGE && record_of(m, table)->place == PL_PLACE_NONE) {
            provide(m, table, zeroed);
            pl_ws_enter_table(m, table);
        }
        provide(m, first + i, zeroed);
        lock_page(m, first + i, large);
        if (table != PL_NO_PAGE)
            internal_of(m, table)->users++;
    }
    return true;
}
